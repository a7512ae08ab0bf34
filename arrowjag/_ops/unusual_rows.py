"""Rows for which machine code first differs from Python: those of extremes, zeros, NaN, and the longest ones.

Python's integers have any number of bits, its `math` raises errors, and numba treats NaN and infinities otherwise at times.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from arrowjag._kernels.base.extremes import opened
from arrowjag._kernels.base.offsets import from_sizes, runs
from arrowjag._kernels.strategy import sizes
from arrowjag._ops.row_compiler import arrays_of, offsets_of
from arrowjag.typing import BoolArray, IntArray

if TYPE_CHECKING:
    from arrowjag._ops.calls import Argument

__all__ = ["UnusualRows", "first_rows"]


def first_rows(arguments: Sequence[Argument], live: BoolArray | None, n_rows: int) -> list[int]:
    """Return the numbers of the first live rows: `INTERPRETED_ROWS` of them, or as many as hold `INTERPRETED_ITEMS` items."""
    most = sizes.INTERPRETED_ROWS
    rows = np.arange(min(most, n_rows)) if live is None else live[: 4 * most].nonzero()[0][:most]
    if live is not None and len(rows) < most:  # a live row is rare
        rows = live.nonzero()[0][:most]
    offsets = offsets_of(arguments)
    if offsets is not None:
        n_items = np.cumsum(offsets[rows + 1] - offsets[rows])
        rows = rows[: 1 + int(n_items.searchsorted(sizes.INTERPRETED_ITEMS))]
    return [int(row) for row in rows]


class _Seen(NamedTuple):
    """The contents of a block of items: the smallest and the largest finite item, and their places."""

    least: tuple[Any, int]
    greatest: tuple[Any, int]


class _Array(NamedTuple):
    """An array of an argument, and what was seen of it so far."""

    items: npt.NDArray[Any]
    offsets: IntArray | None
    held: BoolArray | None
    """False for the items of rows that are not live; None if there are none."""
    seen: list[_Seen]
    zeros: list[int]
    """Places of zeros, at least one of each block that holds one."""
    others: list[npt.NDArray[np.int64]]
    """Places of some NaN and infinities."""

    def look(self, first: int, last: int) -> None:
        """Look at the items of some rows, block by block, which stay in cache."""
        if self.offsets is not None:
            first, last = int(self.offsets[first]), int(self.offsets[last])
        for start in range(first, last, sizes.SEEN_VALUES):
            block = slice(start, min(start + sizes.SEEN_VALUES, last))
            self._look(self.items[block], None if self.held is None else self.held[block], start)

    def _look(self, items: npt.NDArray[Any], held: BoolArray | None, start: int) -> None:
        low, high = int(items.argmin()), int(items.argmax())  # of NaN if one is NaN
        is_float = items.dtype.kind == "f"
        if is_float and not (np.isfinite(items[low]) and np.isfinite(items[high])):
            is_finite = np.isfinite(items)
            self.others.append(start + _some(~is_finite, held))
            held = is_finite if held is None else is_finite & held
        if held is not None and not (held[low] and held[high]):
            if not held.any():
                return
            some = int(held.argmax())
            items = np.where(held, items, items[some])
            low, high = (place if held[place] else some for place in (int(items.argmin()), int(items.argmax())))
        self.zeros.extend(start + place for place in (low, high) if items[place] == 0)
        if items[low] < 0 < items[high]:
            is_zero = items == 0
            if is_zero.any():
                self.zeros.extend((start + _some(is_zero, held)[:1]).tolist())
        self.seen.append(_Seen((items[low], start + low), (items[high], start + high)))

    def places(self) -> Iterator[int]:
        """Yield the places of the smallest and the largest item, of a zero, and of some NaN and infinities."""
        if self.seen:
            yield min(one.least for one in self.seen)[1]
            yield -max((one.greatest[0], -one.greatest[1]) for one in self.seen)[1]
        yield from sorted(self.zeros)[:1]
        others = np.sort(np.concatenate([np.zeros(0, np.int64), *self.others]))
        yield from others[:: max(1, len(others) // sizes.SPREAD_ROWS)]

    def rows(self) -> Iterator[int]:
        """Yield the numbers of the rows that hold these items."""
        places = np.fromiter(self.places(), np.int64)
        yield from (places if self.offsets is None else self.offsets.searchsorted(places, "right") - 1).tolist()


class UnusualRows:
    """Live rows that hold the smallest item, the largest, a zero, NaN or most items, and some others.

    Parameters
    ----------
    arguments : sequence of Argument
    live : bool array, optional
        Flags the rows to look for; None for all.
    n_rows : int

    Notes
    -----
    A thread looks at rows right before the compiled loop reads them, so that they come from memory once: 5M float64 take 1 ms.
    """

    def __init__(self, arguments: Sequence[Argument], live: BoolArray | None, n_rows: int) -> None:
        self._live, self._n_rows = live, n_rows
        self._offsets = [argument.offsets for argument in arguments if hasattr(argument, "offsets")][:1]
        self._longest: list[tuple[int, int]] = []
        self._arrays: list[_Array] = []
        of_items = None if live is None or not self._offsets else _held(live, self._offsets[0])
        for argument in arguments:
            offsets: IntArray | None = getattr(argument, "offsets", None)
            for data in arrays_of(argument)[: None if offsets is None else -1]:
                if data.dtype.kind != "b":  # booleans have no extremes
                    items = opened(data.view(np.int64) if data.dtype.kind in "mM" else data)
                    self._arrays.append(_Array(items, offsets, live if offsets is None else of_items, [], [], []))

    def look(self, first: int, last: int) -> None:
        """Look at the rows from the first one to the one before the last."""
        for offsets in self._offsets:
            lengths = offsets[first + 1 : last + 1] - offsets[first:last]
            if len(lengths):
                place = int((lengths if self._live is None else lengths * self._live[first:last]).argmax())
                self._longest.append((-int(lengths[place]), first + place))
        for array in self._arrays:
            array.look(first, last)

    def found(self) -> list[int]:
        """Return the numbers of the rows."""
        spread = range(0, self._n_rows, max(1, self._n_rows // sizes.SPREAD_ROWS))
        found = {*spread, *(row for _, row in sorted(self._longest)[:1]), *(row for array in self._arrays for row in array.rows())}
        return sorted(row for row in found if self._live is None or self._live[row])


def _held(live: BoolArray, offsets: IntArray) -> BoolArray | None:
    """Return False for the items of rows that are not live; None if these rows have no items."""
    lengths = offsets[1:] - offsets[:-1]
    idle = (~live & (lengths > 0)).nonzero()[0]
    if not len(idle):
        return None
    held = np.ones(int(offsets[-1]), np.bool_)
    held[runs(offsets[idle], from_sizes(lengths[idle]))] = False
    return held


def _some(flags: BoolArray, held: BoolArray | None) -> npt.NDArray[np.int64]:
    """Return the places of some flags that are set, among those held."""
    places = (flags if held is None else flags & held).nonzero()[0]
    return places[:: max(1, len(places) // sizes.SPREAD_ROWS)]
