"""Select the leaves of a Parquet file that get no dictionary, because their values hardly repeat.

Parquet's writers begin each column chunk with a dictionary and give it up when it has grown to a megabyte. Values that hardly
repeat pay for it twice: they are hashed, and the dictionary stays in the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._gate import storage_of
from arrowjag._kernels.base.words import is_variable_size
from arrowjag._pyarrow_versions import nbytes

__all__ = ["leaves_without_repeats"]

_BLOCKS = 4
"""Blocks of neighbours show values that repeat in a row, several of them those that repeat far apart."""
_BLOCK_VALUES = 1 << 12
"""Values per block; columns with fewer values than all blocks keep the dictionary, which is small then."""
_LEAST_DISTINCT = 0.97
"""A dictionary of a megabyte holds 131,072 values of eight bytes or 262,144 of four. Of 16,384 values drawn at random from that
many, 94 or 97 % are distinct. If a sample has more, the dictionary would overflow or hold nearly every value."""


def leaves_without_repeats(table: pa.Table) -> list[int]:
    """Return the leaves whose values hardly repeat in a sample.

    Parameters
    ----------
    table : pa.Table
        The first rows of a file.

    Returns
    -------
    list of int
        Places among the Parquet columns, ascending. Leaves of few values, and of types that have no use for it, are left out.

    Notes
    -----
    O(columns): of each leaf 16,384 values are hashed, in 0.3 ms.

    Examples
    --------
    >>> import numpy as np
    >>> table = pa.table({"price": np.random.default_rng(0).random(20_000), "day": np.arange(20_000) % 7})
    >>> leaves_without_repeats(table)
    [0]
    """
    if nbytes(table) < _BLOCKS * _BLOCK_VALUES * 4:  # of no leaf with at least four bytes per value are there enough
        return []
    columns = (max(column.chunks, key=len, default=None) for column in table.columns)
    leaves = [leaf for array, field in zip(columns, table.schema, strict=True) for leaf in _leaves(array, field.type)]
    return [place for place, leaf in enumerate(leaves) if leaf is not None and _hardly_repeats(leaf)]


def _leaves(array: pa.Array | None, type: pa.DataType) -> Iterator[pa.Array | None]:
    """Yield the leaves in the order of Parquet columns; None for each leaf of a column without chunks."""
    if array is None:
        array = pa.array([], storage_of(type))
    if isinstance(array.type, pa.BaseExtensionType):
        array = array.storage
    if _arrow.is_list_type(array.type) or pt.is_map(array.type):
        yield from _leaves(_arrow.peel(array, ndim=2)[1], array.type)
    elif pt.is_struct(array.type):
        for place in range(array.type.num_fields):
            yield from _leaves(array.field(place), array.type)
    else:
        yield array if _has_words_or_text(array.type) else None


def _has_words_or_text(type: Any) -> bool:
    if pt.is_integer(type) or pt.is_floating(type) or pt.is_temporal(type):
        return bool(type.bit_width >= 32)
    return is_variable_size(type)


def _hardly_repeats(leaf: pa.Array) -> bool:
    if len(leaf) < _BLOCKS * _BLOCK_VALUES:
        return False
    step = (len(leaf) - _BLOCK_VALUES) // (_BLOCKS - 1)
    sample = pa.chunked_array([leaf.slice(place * step, _BLOCK_VALUES) for place in range(_BLOCKS)])
    n_valid = len(sample) - sample.null_count
    if n_valid < len(sample) // 2:
        return False
    return bool(pc.count_distinct(sample).as_py() >= _LEAST_DISTINCT * n_valid)
