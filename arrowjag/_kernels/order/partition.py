"""One huge row in parts that stay in cache and that all cores share: by hash, or by value."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base.offsets import from_counts

__all__ = ["by_hash", "by_value"]

_FACTOR = np.uint64(0xBF58476D1CE4E5B9)

Codes = NDArray[np.uint64]
Parts = tuple[NDArray[np.int64], NDArray[np.int64]]
"""The items of a row part by part, in order inside of each; and the offsets of the parts."""


def hash_bits(n: int) -> int:
    """How many bits of a hash tell the parts of so many items."""
    return min(strategy.sizes.PART_BITS, (n // strategy.sizes.HASH_PART).bit_length())


def by_hash(codes: Codes, n_bits: int) -> Parts:
    """Equal codes in one part; O(n). pyarrow counts numbers of up to 12 bits, which takes 2 to 4 ns an item."""
    part = ((codes * _FACTOR) >> np.uint64(64 - n_bits)).astype(np.uint16)
    order = pc.array_sort_indices(pa.array(part)).to_numpy().view(np.int64)
    return order, from_counts(np.bincount(part, minlength=1 << n_bits))


def by_value(codes: Codes, n_bits: int) -> Parts:
    """No code is greater than one of a later part, and no part is empty; O(n).

    Parameters
    ----------
    codes : (n,) uint64 array
    n_bits : int
        Above these all bits are 0.
    """
    # The first bits of a code choose a stretch, which a sample has given as many parts as it has items, so that parts are of like
    # size however codes are distributed, unless they crowd where the first bits don't tell them apart: such a part stays long.
    rest = max(0, n_bits - strategy.sizes.PART_BITS)
    sample = codes[:: max(1, len(codes) // strategy.sizes.PART_SAMPLE)] >> np.uint64(rest)
    counts = np.bincount(sample.view(np.int64), minlength=1 << min(n_bits, strategy.sizes.PART_BITS))
    wanted = counts * (min(len(codes) // strategy.sizes.PART_ITEMS, strategy.sizes.MOST_PARTS) / len(sample))
    bits = np.minimum(np.log2(np.maximum(wanted, 1)).astype(np.int64), rest)
    starts = from_counts(np.where(counts > 0, 1 << bits, 0))[:-1]
    starts[counts == 0] -= 1  # what is in no sample joins what is below it
    np.maximum(starts, 0, out=starts)
    top = (codes >> np.uint64(rest)).view(np.int64)
    part = codes & np.uint64((1 << rest) - 1)
    part >>= (rest - bits).astype(np.uint64).take(top)
    part += starts.view(np.uint64).take(top)
    narrow = part.astype(np.uint16)
    n_items = np.bincount(narrow)
    return np.argsort(narrow, kind="stable"), from_counts(n_items[n_items > 0])
