"""Lengths of rows: the share of values in short rows and in long ones, from a sample of many rows, and whether all are equal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels.strategy import sizes

__all__ = ["Offsets", "is_even", "lengths_of", "long_share", "short_share", "total_up_to"]

Offsets = NDArray[np.int64]


def lengths_of(offsets: Offsets) -> Offsets:
    """The length of each row."""
    found: Offsets = offsets[1:] - offsets[:-1]
    return found


def is_even(offsets: Offsets) -> bool:
    """Whether all rows have one length, which is not 0; for most data a single offset already shows the opposite."""
    n_rows, n_values = len(offsets) - 1, int(offsets[-1])
    length = n_values // n_rows if n_rows else 0
    if not length or length * n_rows != n_values or offsets[n_rows // 2] != length * (n_rows // 2):
        return False
    return bool((lengths_of(offsets) == length).all())


def short_share(*offsets: Offsets, least: int | None = None) -> bool:
    """Whether there are enough values for pairs, and most of them in short rows: of each column, where there are several.

    `least` values are enough, PAIRS_VALUES by default.
    """
    n_values = int(offsets[0][-1]) if len(offsets) == 1 else sum([int(one[-1]) for one in offsets])
    longest = sizes.PAIRS_LENGTH
    if n_values < (sizes.PAIRS_VALUES if least is None else least) or n_values > longest * sum([len(one) - 1 for one in offsets]):
        return False
    return 2 * total_up_to(longest, *offsets) >= n_values


def long_share(offsets: Offsets) -> bool:
    """Whether most values are in long rows."""
    return 2 * total_up_to(sizes.LONG_LENGTH, offsets) <= int(offsets[-1])


def total_up_to(longest: int, *offsets: Offsets) -> float:
    """How many values lie in rows up to a length, in each of the columns."""
    n_rows = len(offsets[0]) - 1
    step = max(1, n_rows // sizes.SAMPLED_ROWS)
    lengths = [one[1::step] - one[:-1:step] for one in offsets]
    short = np.logical_and.reduce([one <= longest for one in lengths])
    found = sum(int(one[short].sum()) for one in lengths)
    return found * n_rows / len(short) if step > 1 else found
