"""Find the rows for which compiled code most likely differs from Python: with extreme items, zeros or NaN, or of extreme lengths.

Python's integers have any number of bits, its `math` raises errors, and numba treats NaN and infinities otherwise at times. If no
item of a row is extreme, but a number that the function computes from it is, the result mostly is extreme, too: an integer beyond
64 bits, or the NaN of a logarithm. numba does not check that a boolean index has the length of a row.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from arrowjag._kernels.base.extremes import opened
from arrowjag._kernels.base.offsets import from_sizes, runs
from arrowjag._kernels.base.words import unless_all
from arrowjag._kernels.strategy import sizes
from arrowjag._ops.noted_rows import Noted, look_at_winners
from arrowjag._ops.row_compiler import numbers_of, offsets_of
from arrowjag.typing import BoolArray, IntArray

if TYPE_CHECKING:
    from arrowjag._ops.calls import Argument

__all__ = ["Sample", "UnusualRows", "first_rows"]


class Sample(NamedTuple):
    """A row, or some of its items, on which a compiled function is compared with the interpreter."""

    arguments: Sequence[Argument]
    """The arguments for all rows, which may be cut to a few items of each."""
    row: int

    def given(self) -> list[Any]:
        """Return the arguments of the function."""
        return [argument.at(self.row) for argument in self.arguments]


_OF_RESULTS = -1
"""Stands for the results where arrays of arguments have numbers."""


def first_rows(arguments: Sequence[Argument], live: BoolArray | None, n_rows: int) -> list[int]:
    """Return the numbers of the first live rows: `INTERPRETED_ROWS` of them, or as many as hold `INTERPRETED_ITEMS` items."""
    most = sizes.INTERPRETED_ROWS
    rows = np.arange(min(most, n_rows)) if live is None else live[: 4 * most].nonzero()[0][:most]
    if live is not None and len(rows) < most:  # few rows are live
        rows = live.nonzero()[0][:most]
    offsets = offsets_of(arguments)
    if offsets is not None:
        n_items = np.cumsum(offsets[rows + 1] - offsets[rows])
        rows = rows[: 1 + int(n_items.searchsorted(sizes.INTERPRETED_ITEMS))]
    return [int(row) for row in rows]


class _Place(NamedTuple):
    """The place of an item."""

    row: int
    item: int
    """The number of the item in its row."""


class _Contents(NamedTuple):
    """Extreme and other unusual items of an array, as far as it was looked at."""

    least: list[tuple[Any, _Place]]
    """The smallest finite item of each block, and its place."""
    greatest: list[tuple[Any, _Place]]
    """The largest finite item of each block, and its place."""
    zeros: list[_Place] | None
    """The places of zeros, at least one for each block that holds any; None if zeros are not looked for."""
    others: list[_Place]
    """The places of some NaN and infinities."""

    def look(self, items: npt.NDArray[Any], held: BoolArray | None, rows: _Rows) -> None:
        """Look at items in blocks that stay in cache; `held` is False for the items of rows that are not live."""
        for start in range(0, len(items), sizes.SEEN_VALUES):
            block = slice(start, min(start + sizes.SEEN_VALUES, len(items)))
            self._look(items[block], None if held is None else held[block], rows._replace(start=rows.start + start))

    def _look(self, items: npt.NDArray[Any], held: BoolArray | None, rows: _Rows) -> None:
        low, high = int(items.argmin()), int(items.argmax())  # of NaN if one is NaN
        is_float = items.dtype.kind == "f"
        if is_float and not (np.isfinite(items[low]) and np.isfinite(items[high])):
            is_finite = np.isfinite(items)
            self.others.extend(rows.at(place) for place in _some(~is_finite, held))
            held = is_finite if held is None else is_finite & held
        if held is not None and not (held[low] and held[high]):
            if not held.any():
                return
            some = int(held.argmax())
            items = np.where(held, items, items[some])
            low, high = (place if held[place] else some for place in (int(items.argmin()), int(items.argmax())))
        for seen, place in ((self.least, low), (self.greatest, high)):
            seen.append((items[place], rows.at(place)))
        if self.zeros is None:
            return
        self.zeros.extend(rows.at(place) for place in (low, high) if items[place] == 0)
        if items[low] < 0 < items[high]:
            is_zero = items == 0
            if is_zero.any():
                self.zeros.extend(rows.at(place) for place in _some(is_zero, held)[:1])

    def places(self) -> Iterator[_Place]:
        """Yield the places of the smallest and the largest item, of a zero, and of some NaN and infinities."""
        if self.least:
            yield min(self.least)[1]
            greatest = max(item for item, _ in self.greatest)
            yield min(place for item, place in self.greatest if item == greatest)
        yield from sorted(self.zeros or ())[:1]
        yield from sorted(self.others)[:: max(1, len(self.others) // sizes.SPREAD_ROWS)]


class _Rows(NamedTuple):
    """The rows that consecutive items belong to."""

    start: int
    """The position of the first item among those of the array."""
    offsets: IntArray | None
    """The offsets of the rows; None for one item per row."""
    first: int = 0
    """The number of the row that the offsets begin with."""

    def at(self, place: int) -> _Place:
        """Return the place of an item, whose position is counted from the first one."""
        place += self.start
        if self.offsets is None:
            return _Place(self.first + place, 0)
        row = int(self.offsets.searchsorted(place, "right")) - 1
        return _Place(self.first + row, place - int(self.offsets[row]))


class _Array(NamedTuple):
    """An array of an argument, and what was found in it so far."""

    items: npt.NDArray[Any]
    offsets: IntArray | None
    held: BoolArray | None
    """False for the items of rows that are not live; None if there are none."""
    contents: _Contents

    def look(self, first: int, last: int) -> None:
        """Look at the items of some rows."""
        if self.offsets is not None:
            first, last = int(self.offsets[first]), int(self.offsets[last])
        held = None if self.held is None else self.held[first:last]
        self.contents.look(self.items[first:last], held, _Rows(first, self.offsets))


class UnusualRows:
    """Live rows that hold the smallest or largest item, zero, NaN, or most or fewest items, or have such a result; and some others.

    Parameters
    ----------
    arguments : sequence of Argument
    live : bool array, optional
        Flags the rows to look for; None for all.
    n_rows : int

    Notes
    -----
    The compiled loop notes where such numbers of 64 bits are while it reads and writes them. Arrays for which it notes nothing, or
    that hold NaN or infinities, are looked at once more.
    """

    def __init__(self, arguments: Sequence[Argument], live: BoolArray | None, n_rows: int) -> None:
        self._live, self._n_rows = live, n_rows
        self._offsets = [argument.offsets for argument in arguments if hasattr(argument, "offsets")][:1]
        self._longest: list[tuple[int, int]] = []
        self._shortest: list[tuple[int, int]] = []
        self._results = _Contents([], [], None, [])
        self._arrays: list[_Array] = []
        self._noted: dict[int, list[Noted]] = {}
        self.idle = _idle(live, self._offsets[0]) if live is not None and self._offsets else np.zeros(0, np.int64)
        """The rows that are not live but have items."""
        self._of_items = _held(self.idle, self._offsets[0]) if len(self.idle) else None
        for argument in arguments:
            offsets: IntArray | None = getattr(argument, "offsets", None)
            held = live if offsets is None else self._of_items
            for data in numbers_of(argument):
                self._arrays.append(_Array(_ordered(data), offsets, held, _Contents([], [], [], [])))

    def look(self, first: int, last: int, notes: Sequence[Noted] = ()) -> None:
        """Look at the rows from `first` to before `last`; `notes` are those of a loop, one for each array, or none."""
        for offsets in self._offsets:
            lengths = offsets[first + 1 : last + 1] - offsets[first:last]
            if len(lengths):
                if self._live is not None:
                    lengths = lengths * self._live[first:last]
                longest, shortest = int(lengths.argmax()), int((lengths - 1).view(np.uint64).argmin())  # of those that have items
                self._longest.append((-int(lengths[longest]), first + longest))
                self._shortest.append((int(lengths[shortest]) or sys.maxsize, first + shortest))
        for place, array in enumerate(self._arrays):
            self._keep(place, array.look, first, last, notes[place] if notes else None)

    def look_at_results(self, first: int, last: int, valid: BoolArray, results: npt.NDArray[Any], noted: Noted | None) -> None:
        """Look at the results of some rows, one per row; False in `valid` stands for None."""

        def look(first: int, last: int) -> None:
            if last > first:
                self._results.look(_ordered(results[first:last]), unless_all(valid[first:last]), _Rows(0, None, first))

        self._keep(_OF_RESULTS, look, first, last, noted)

    def look_at_rows(self, first: int, last: int, offsets: IntArray, results: npt.NDArray[Any], noted: Noted | None) -> None:
        """Look at results that are rows with offsets of their own; the first of them is the result of row `first`."""

        def look(start: int, end: int) -> None:
            items = slice(int(offsets[start - first]), int(offsets[end - first]))
            self._results.look(_ordered(results[items]), None, _Rows(items.start, offsets, first))

        self._keep(_OF_RESULTS, look, first, last, noted)

    def look_at_items(self, first: int, last: int, results: npt.NDArray[Any], noted: Noted | None) -> None:
        """Look at the results for the items of some rows; `results` has one for each item of all rows."""
        look = _Array(_ordered(results), self._offsets[0], self._of_items, self._results).look
        self._keep(_OF_RESULTS, look, first, last, noted)

    def _keep(self, place: int, look: Callable[[int, int], None], first: int, last: int, noted: Noted | None) -> None:
        """Keep the notes of a loop for an array; look at all rows if there are none, or it has met NaN or infinities."""
        if noted is not None and noted.is_finite:
            self._noted.setdefault(place, []).append(noted._replace(look=look))
        else:
            look(first, last)

    def look_at_noted(self) -> None:
        """Look at the chunks of rows that loops have noted; call it before results change."""
        for parts in self._noted.values():
            look_at_winners(parts)
        self._noted.clear()

    def found(self) -> list[int]:
        """Return the numbers of the rows."""
        spread = range(0, self._n_rows, max(1, self._n_rows // sizes.SPREAD_ROWS))
        ends = [min(rows)[1] for rows in (self._longest, self._shortest) if rows]
        found = {*spread, *ends, *(place.row for place in self._places())}
        return sorted(row for row in found if self._is_live(row))

    def items(self, first: int) -> list[tuple[int, int]]:
        """Return the rows of the items that are extreme, zero or NaN, and their numbers in these rows, from a number on."""
        return sorted(place for place in set(self._places()) if place.item >= first and self._is_live(place.row))

    def _places(self) -> Iterator[_Place]:
        for contents in (*(array.contents for array in self._arrays), self._results):
            yield from contents.places()

    def _is_live(self, row: int) -> bool:
        return self._live is None or bool(self._live[row])


def _ordered(data: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return a view of data as numbers that numpy compares fast."""
    return opened(data.view(np.int64) if data.dtype.kind in "mM" else data)


def _idle(live: BoolArray, offsets: IntArray) -> IntArray:
    """Return the numbers of the rows that are not live but have items."""
    return (~live & (offsets[1:] > offsets[:-1])).nonzero()[0]


def _held(idle: IntArray, offsets: IntArray) -> BoolArray:
    """Return one flag per item, False in idle rows."""
    held = np.ones(int(offsets[-1]), np.bool_)
    held[runs(offsets[idle], from_sizes(offsets[idle + 1] - offsets[idle]))] = False
    return held


def _some(flags: BoolArray, held: BoolArray | None) -> npt.NDArray[np.int64]:
    """Return the positions of some flags that are set, where `held` is True."""
    places = (flags if held is None else flags & held).nonzero()[0]
    return places[:: max(1, len(places) // sizes.SPREAD_ROWS)]
