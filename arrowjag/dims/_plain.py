"""Encodings that are made of numbers: `Uniform`, `Affine` and `Ragged`."""

from __future__ import annotations

from math import isqrt
from typing import Any

import numpy as np

from arrowjag._arguments import flag
from arrowjag._kernels import strategy
from arrowjag._kernels.base import offsets as _offsets
from arrowjag._kernels.base.blocks import map_tasks
from arrowjag._kernels.base.extremes import least_and_greatest
from arrowjag._kernels.base.memory import empty_like, numbers
from arrowjag._kernels.base.words import all_set, unless_all
from arrowjag.dims._base import SHOWN, Dim
from arrowjag.dims._inputs import (
    LIMIT,
    as_count,
    as_int,
    checked_total,
    int_array,
    mask_array,
    offsets_of,
    owned,
    read_only,
    size_array,
)
from arrowjag.errors import ShapeError, plural
from arrowjag.typing import BoolArray, IntArray


class Uniform(Dim):
    """The same size in every row.

    Parameters
    ----------
    size : int
        Items of a row.
    n : int
        Number of rows.
    declared : bool
        Whether the size is declared as the extent of the dim: part of the type, kept without rows.

    Raises
    ------
    ShapeError
        If a number is negative, or there are more than ``2**63 - 1`` items.
    JagTypeError
        If a number is not an int.

    Notes
    -----
    All properties are computed in O(1). Corresponds to fold's `Rect`.

    Examples
    --------
    >>> from arrowjag.dims import Uniform
    >>> Uniform(3, 2).tolist()
    [3, 3]
    >>> Uniform(10**9, 10**9).size
    1000000000000000000
    """

    _each: int
    _declared: bool = False

    def __init__(self, size: int, n: int = 1, *, declared: bool = True) -> None:
        if not (type(size) is type(n) is int and 0 <= size <= LIMIT and 0 <= n <= LIMIT):
            size, n = as_count(size, "a size"), as_count(n, "a number of rows")
        total = size * n
        if total > LIMIT:
            checked_total(total, "a dim")
        own = self.__dict__  # takes half the time of `update`; assigning four names at once would make a tuple
        own["_each"], own["_declared"] = size, flag(declared, "Uniform: declared")
        own["_n"], own["_size"] = n, total
        if declared and size < 2**31:  # Arrow has no type for a larger extent
            own["_extent"] = size

    @classmethod
    def _frame(cls, n: int) -> Uniform:
        """One row of n items that declares no extent: the rows of a frame, whose number is known to be valid."""
        dim = cls.__new__(cls)
        own = dim.__dict__  # without the checks, in half the time: nearly every result has such a dim
        own["_each"], own["_n"], own["_size"] = n, 1, n
        return dim

    def __eq__(self, other: object) -> bool:
        if type(other) is Uniform:  # the most frequent case, compared without offsets
            return self._n == other._n and (self._each == other._each or self._n == 0)
        return super().__eq__(other)

    __hash__ = Dim.__hash__

    def _at(self, row: int) -> int:
        return self._each

    def _offset_at(self, row: int) -> int:
        return self._each * row

    def _index_at(self, item: int) -> int:
        return item // self._each

    def _write_sizes(self) -> IntArray:
        return np.full(self._n, self._each, np.int64)

    def _write_offsets(self) -> IntArray:
        rows = numbers(self._n + 1)
        return rows if self._each == 1 else rows * self._each

    def _slice(self, start: int, stop: int) -> Dim:
        n = stop - start
        return self if n == self._n else Uniform(self._each, n, declared=self._declared)

    def _bounds(self) -> tuple[int, int]:
        return self._each, self._each

    def _uniform(self) -> bool:
        return True

    def _runs(self) -> tuple[IntArray, IntArray]:
        return np.array([self._each]), np.array([self._n])

    def _rises(self, most: int) -> IntArray:
        return np.empty(0, np.int64)

    def _scaled(self, factor: int) -> Dim:
        return Uniform(self._each * factor, self._n, declared=False)

    def _fold(self, part: Dim) -> Dim:
        return part._scaled(self._each)

    def notation(self) -> str:
        """The size alone for one row of a declared extent, else the repr."""
        return str(self._each) if self._n == 1 and self._declared else repr(self)

    def _arguments(self) -> str:
        return f"{self._each}, n={self._n}{'' if self._declared else ', declared=False'}"

    def __reduce__(self) -> tuple[Any, ...]:
        return _make_uniform, (self._each, self._n, self._declared)


def _make_uniform(size: int, n: int, declared: bool) -> Uniform:
    """Uniform by position, as pickle calls it."""
    return Uniform(size, n, declared=declared)


class Affine(Dim):
    """Sizes that change by a constant step.

    Parameters
    ----------
    start : int
        Size of the first row.
    n : int
        Number of rows.
    step : int
        Difference between the sizes of a row and the row before; may be negative or 0.

    Raises
    ------
    ShapeError
        If a size would be negative (the message names the first such row), or there are more than ``2**63 - 1`` items.
    JagTypeError
        If a number is not an int.

    Notes
    -----
    All properties are computed in O(1), in exact integers. Corresponds to fold's `Affine`, which rejects fewer than two
    rows and a step of 0.

    Examples
    --------
    >>> from arrowjag.dims import Affine
    >>> Affine(5, 5, -1).tolist()
    [5, 4, 3, 2, 1]
    """

    def __init__(self, start: int, n: int, step: int) -> None:
        self._start = as_count(start, "the first size")
        self._step = as_int(step, "a step")
        rows = as_count(n, "a number of rows")
        if rows and self._start + self._step * (rows - 1) < 0:
            row = self._start // -self._step + 1
            found = self._start + self._step * row
            raise ShapeError(f"Affine({start}, {n}, {step}): size at position {row} is {found}; sizes must be at least 0")
        self._set(rows, self._offset_at(rows))

    def _at(self, row: int) -> int:
        return self._start + self._step * row

    def _offset_at(self, row: int) -> int:
        return self._start * row + self._step * (row * (row - 1) // 2)

    def _index_at(self, item: int) -> int:
        """The largest i with step * i**2 + b * i <= 2 * item, where b = 2 * start - step, in exact integers."""
        step, b = self._step, 2 * self._start - self._step
        square = b * b + 8 * step * item
        if step > 0:
            return (isqrt(square) - b) // (2 * step)
        if step == 0:
            return item // self._start
        return (b - isqrt(square - 1) - 1) // (-2 * step)  # the smaller root, its square root rounded up

    def _write_sizes(self) -> IntArray:
        if self._n < 2:
            return np.full(self._n, self._start, np.int64)
        return self._start + self._step * np.arange(self._n, dtype=np.int64)

    def _slice(self, start: int, stop: int) -> Dim:
        return Affine(self._at(start) if start < stop else 0, stop - start, self._step)

    def _bounds(self) -> tuple[int, int]:
        first, last = self._start, self._at(self._n - 1)
        return min(first, last), max(first, last)

    def _uniform(self) -> bool:
        return self._n == 1 or self._step == 0

    def _rises(self, most: int) -> IntArray | None:
        rising = max(self._n - 1, 0) if self._step > 0 else 0
        return np.arange(1, rising + 1) if rising <= most else None

    def _scaled(self, factor: int) -> Dim:
        return Affine(self._start * factor, self._n, self._step * factor)

    def _fold(self, part: Dim) -> Dim | None:
        if not isinstance(part, Uniform):
            return None
        group, step = part.max(0), self._step
        start = self._start * group + step * (group * (group - 1) // 2)
        return Affine(start if len(part) else 0, len(part), step * group * group)

    def _arguments(self) -> str:
        return f"{self._start}, {self._n}, {self._step}"

    def __reduce__(self) -> tuple[Any, ...]:
        return Affine, (self._start, self._n, self._step)


class Ragged(Dim):
    """Sizes without regularity, one for each row; the one encoding that may hold null rows.

    Parameters
    ----------
    sizes : sequence, numpy array or Arrow array of int
        Items of each row.
    validity : (len,) array-like of bool, optional
        True is valid. A null row has size 0.
    extent : int, optional
        The size that every valid row has by type.

    Raises
    ------
    ShapeError
        If a size is negative (the message names the row), the total is more than ``2**63 - 1``, a null row has items, or a
        valid row has another size than the extent.
    JagTypeError
        If a size is a bool, a float or null.

    Notes
    -----
    The dim stores offsets instead of the sizes, so later changes of the caller's array have no effect. Corresponds to fold's `Seq`.

    Examples
    --------
    >>> from arrowjag.dims import Ragged
    >>> Ragged([2, 0, 3]).offsets.tolist()
    [0, 2, 2, 5]
    """

    _cut: IntArray
    """Row boundaries, those of this dim from entry `_row` on, which is `_first`: a slice computes `offsets` at the first access."""
    _row: int = 0
    _first: int = 0

    def __init__(self, sizes: Any, *, validity: Any = None, extent: int | None = None) -> None:
        self._hold(offsets_of(size_array(sizes)), validity, extent)

    @classmethod
    def from_offsets(cls, offsets: Any, *, validity: Any = None, extent: int | None = None, check: bool = True) -> Ragged:
        """Return a dim from offsets.

        Parameters
        ----------
        offsets : (n_rows + 1,) array-like of int
            From 0, never decreasing. A read-only int64 array is shared, a writable one is copied.
        validity : (n_rows,) array-like of bool, optional
            True is valid. A null row has size 0. A read-only numpy array is shared, a writable one is copied.
        extent : int, optional
            The size that every valid row has by type.
        check : bool
            Whether to check all this, in O(rows). Without it wrong offsets give wrong answers.

        Returns
        -------
        Ragged
            The dim.

        Raises
        ------
        OffsetsError
            If the offsets don't start at 0 or decrease; the message names the position and both values.
        ShapeError
            If a null row has items or a valid row misses the extent.

        Examples
        --------
        >>> from arrowjag.dims import Ragged
        >>> Ragged.from_offsets([0, 2, 2, 5])
        Ragged([2, 0, 3])
        """
        dim = cls.__new__(cls)
        if not flag(check, "from_offsets: check"):
            if validity is not None:
                validity = None if all_set(validity) else read_only(validity)
            cut = read_only(np.ascontiguousarray(offsets, np.int64))
            own = dim.__dict__  # what `_fill` does, without a call: nearly every operation gets here
            own["_cut"] = own["offsets"] = cut
            own["_n"], own["_size"] = len(cut) - 1, cut.item(-1)
            if validity is not None or extent is not None:  # most rows have neither
                own["_validity"], own["_extent"] = validity, extent
            return dim
        found = owned(int_array(offsets, "offset"))
        _offsets.check(found, None, "from_offsets")
        dim._hold(found, validity, extent)
        return dim

    def _hold(self, offsets: IntArray, validity: Any, extent: int | None) -> None:
        mask = None if validity is None else mask_array(validity, len(offsets) - 1)
        if mask is not None and all_set(mask):
            mask = None
        self._fill(read_only(offsets), mask, None if extent is None else as_count(extent, "an extent"))
        if self._validity is not None or self._extent is not None:
            check_rows(self.sizes, self._validity, self._extent)

    def _fill(self, cut: IntArray, validity: BoolArray | None, extent: int | None) -> None:
        own = self.__dict__
        own["_cut"] = own["offsets"] = cut
        own["_n"], own["_size"] = len(cut) - 1, cut.item(-1)
        own["_validity"], own["_extent"] = validity, extent

    def _at(self, row: int) -> int:
        place = self._row + row
        return self._cut.item(place + 1) - self._cut.item(place)

    def _offset_at(self, row: int) -> int:
        return self._cut.item(self._row + row) - self._first

    def _index_at(self, item: int) -> int:
        return int(self._own_cut().searchsorted(item + self._first, "right")) - 1

    def _own_cut(self) -> IntArray:
        """The row boundaries of this dim, from `_first` on."""
        return self._cut[self._row : self._row + self._n + 1]

    def _write_sizes(self) -> IntArray:
        return _offsets.row_sizes(self._own_cut())

    def _write_offsets(self) -> IntArray:
        cut = self._own_cut()
        return cut if self._first == 0 else np.subtract(cut, self._first, out=empty_like(cut))

    def _slice(self, start: int, stop: int) -> Dim:
        return self._part(start, stop)[0]

    def _part(self, start: int, stop: int) -> tuple[Dim, int]:
        n = stop - start
        if n == self._n:
            return self, 0
        mask = self._validity
        if mask is not None:
            mask = unless_all(mask[start:stop])
        if self._extent is not None and mask is None:
            return Uniform(self._extent, n), self._offset_at(start)
        cut, row = self._cut, self._row + start
        first = cut.item(row)
        dim = Ragged.__new__(Ragged)
        own = dim.__dict__
        own["_cut"], own["_row"], own["_first"] = cut, row, first
        own["_n"], own["_size"] = n, cut.item(row + n) - first
        if mask is not None:
            own["_validity"], own["_extent"] = mask, self._extent
        return dim, first - self._first

    def _bounds(self) -> tuple[int, int]:
        return least_and_greatest(self.sizes)

    def _uniform(self) -> bool:
        first = self._at(0)
        if first * self._n != self._size:
            return False
        known: bool | None = self.__dict__.get("_all_equal")
        if known is None:  # setdefault, because another thread may have looked meanwhile and nothing is set twice
            known = self.__dict__.setdefault("_all_equal", _steps_by(self.offsets, first))
        return known

    def _scaled(self, factor: int) -> Dim:
        return Ragged.from_offsets(self.offsets * factor, check=False)

    def notation(self) -> str:
        """The list of sizes, unless there are null rows or an extent to show."""
        return self._listed() if self._validity is None and self._extent is None else repr(self)

    def _arguments(self) -> str:
        text = self._listed()
        if self._validity is not None:
            shown = self._validity if self._n <= SHOWN else self._validity[: SHOWN // 2]
            text += f", validity={str(shown.tolist())[:-1]}{']' if self._n <= SHOWN else ', ...]'}"
        return text if self._extent is None else f"{text}, extent={self._extent}"

    def __reduce__(self) -> tuple[Any, ...]:
        return _make_ragged, (self.offsets, self._validity, self._extent)


def _steps_by(offsets: IntArray, size: int) -> bool:
    """Whether offsets rise by the same size everywhere: in blocks that stay in cache, so that a repr of any shape is quick."""
    steps = np.arange(min(len(offsets), strategy.sizes.STEP_ROWS), dtype=np.int64) * size

    def agrees(start: int) -> bool:
        block = offsets[start : start + strategy.sizes.STEP_ROWS]
        return bool((block - block[0] == steps[: len(block)]).all()) and block[0] == size * start

    starts = range(0, len(offsets), strategy.sizes.STEP_ROWS)
    return agrees(starts[-1]) and all(map_tasks(agrees, starts))


def _make_ragged(offsets: IntArray, validity: BoolArray | None, extent: int | None) -> Ragged:
    """Ragged by position, as pickle calls it."""
    return Ragged.from_offsets(offsets, validity=validity, extent=extent)


def check_rows(sizes: IntArray, validity: BoolArray | None, extent: int | None) -> None:
    """Raise unless null rows are empty and valid rows have the declared extent."""
    if validity is not None:
        full = np.flatnonzero(~validity & (sizes > 0))
        if len(full):
            row = int(full[0])
            raise ShapeError(
                f"row {row} is null and has {plural(sizes[row], 'item')}; a null row must have size 0: drop its values"
            )
    if extent is not None:
        wrong = np.flatnonzero((sizes != extent) & (True if validity is None else validity))
        if len(wrong):
            row = int(wrong[0])
            raise ShapeError(f"row {row} has {plural(sizes[row], 'item')}, but the dim declares an extent of {extent}")


__all__ = ["Affine", "Ragged", "Uniform", "check_rows"]
