"""`Dim`: the interface of all encodings, and the methods that don't depend on the encoding."""

from __future__ import annotations

import operator
from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, overload

import numpy as np
import numpy.typing as npt

from arrowjag import _html
from arrowjag._kernels import strategy
from arrowjag._kernels.base import offsets as _offsets
from arrowjag._kernels.base.memory import check_memory
from arrowjag.dims._inputs import LIMIT, as_count, as_int, checked_total, int_array, offsets_of, read_only
from arrowjag.dims._list import SizesAsList
from arrowjag.errors import JagIndexError, JagTypeError, JagValueError, ShapeError, brief, plural
from arrowjag.typing import BoolArray, IntArray

SHOWN = 24
"""Most parts of a dim that its text shows."""

if TYPE_CHECKING:
    kept = cached_property
else:

    class kept(cached_property):  # noqa: N801 - a descriptor, as `property`
        """Caches values without the lock of Python 3.11; if two threads compute a value at the same time, one result is kept."""

        def __get__(self, instance: Any, owner: Any = None) -> Any:
            if instance is None:
                return self
            value = instance.__dict__[self.attrname] = self.func(instance)
            return value


class Algebra(Protocol):
    """Operations whose results have any encoding. `_algebra.py` implements them; this module imports no encoding."""

    def same(self, left: Dim, right: Dim) -> bool: ...
    def take_step(self, dim: Dim, rows: slice) -> Dim: ...
    def with_validity(self, dim: Dim, mask: Any) -> Dim: ...
    def with_extent(self, dim: Dim, extent: int | None) -> Dim: ...
    def stretched(self, dim: Dim, n: int) -> Dim: ...
    def concat(self, dims: Sequence[Dim]) -> Dim: ...
    def repeat(self, dim: Dim, times: int) -> Dim: ...
    def spread(self, dim: Dim, reps: Any, part: Any) -> Dim: ...
    def fold(self, dim: Dim, part: Any) -> Dim: ...
    def compressed(self, dim: Dim) -> Dim: ...


class Dim(SizesAsList):
    """One level of nesting: the sizes of its rows, immutable, read like a list of ints.

    The encodings are `Uniform`, `Ragged`, `Affine`, `Repeat`, `Runs`, `Sparse` and `Chain`. Equality and hash depend
    on the sizes only, not on encoding, validity or declared extent; a dim also equals the plain list of its sizes.

    Notes
    -----
    `sizes`, `offsets` and `parents` are computed at the first access and cached; everything else is computed from the
    parameters of the encoding. The encodings are those of fold.

    Examples
    --------
    >>> from arrowjag.dims import Affine
    >>> dim = Affine(1, 10**9, 1)
    >>> dim[41], dim.size, dim.index_of(dim.size - 1)
    (42, 500000000500000000, 999999999)
    >>> dim[:3].tolist()
    [1, 2, 3]
    """

    _algebra: ClassVar[Algebra]
    _n: int
    _size: int
    _validity: BoolArray | None = None
    _extent: int | None = None

    def __init__(self) -> None:
        raise JagTypeError("Dim is the interface of encodings; create one of them, such as Ragged(sizes)")

    # --------------------------------------------------------------------------- what an encoding has to answer

    @abstractmethod
    def _at(self, row: int) -> int:
        """Size of a row, 0 <= row < len."""

    @abstractmethod
    def _offset_at(self, row: int) -> int:
        """Items before a row, 0 <= row <= len."""

    @abstractmethod
    def _index_at(self, item: int) -> int:
        """The row that owns an item, 0 <= item < size."""

    @abstractmethod
    def _write_sizes(self) -> IntArray:
        """All sizes, a new array."""

    @abstractmethod
    def _slice(self, start: int, stop: int) -> Dim:
        """The rows from start to before stop, 0 <= start <= stop <= len."""

    def _runs(self) -> tuple[IntArray, IntArray]:
        """Values and lengths of runs, in order; equal neighbours and empty runs are allowed."""
        return self.sizes, np.ones(self._n, np.int64)

    def _part(self, start: int, stop: int) -> tuple[Dim, int]:
        """The rows from start to before stop, and how many items the rows before them have."""
        return self._slice(start, stop), self._offset_at(start)

    @abstractmethod
    def _bounds(self) -> tuple[int, int]:
        """The smallest and the largest size; there is at least one row."""

    @abstractmethod
    def _uniform(self) -> bool:
        """Whether all sizes are equal; there is at least one row."""

    @abstractmethod
    def _scaled(self, factor: int) -> Dim:
        """Every size times a factor of at least 0; declares no extent and has no null rows."""

    @abstractmethod
    def _arguments(self) -> str:
        """Return the text between the parentheses of the repr."""

    def _write_offsets(self) -> IntArray:
        return offsets_of(self.sizes)

    def _fold(self, part: Dim) -> Dim | None:
        """The sums of groups of rows, where the encoding has a closed form."""
        del part
        return None

    def _rises(self, most: int) -> IntArray | None:
        """Rows larger than the row before them, ascending; None where they are more than `most`."""
        sizes = self.sizes
        found = np.flatnonzero(sizes[1:] > sizes[:-1]) + 1
        return found if len(found) <= most else None

    def _set(self, n: int, size: int) -> None:
        self._n = checked_total(n, "the rows of a dim")
        self._size = checked_total(size, "a dim")

    # --------------------------------------------------------------------------- facts

    @property
    def size(self) -> int:
        """Sum of the row sizes: the number of items."""
        return self._size

    @property
    def extent(self) -> int | None:
        """The declared extent: the size of every valid row by type, or None."""
        return self._extent

    @property
    def validity(self) -> BoolArray | None:
        """Which rows are valid, read-only; None if all are. The others are null and have size 0."""
        return self._validity

    @property
    def is_uniform(self) -> bool:
        """Whether all sizes are equal; true without rows. Computed from the parameters; `Ragged` reads its sizes once."""
        return self._n == 0 or self._uniform()

    @kept
    def sizes(self) -> IntArray:
        """Row sizes, int64, read-only, cached."""
        check_memory(self._n, 8)
        return read_only(self._write_sizes())

    @kept
    def offsets(self) -> IntArray:
        """The positions at which rows start and end among the items: one more than the number of rows, int64, read-only, cached."""
        check_memory(self._n + 1, 8)
        return read_only(self._write_offsets())

    @kept
    def parents(self) -> npt.NDArray[np.int32] | npt.NDArray[np.int64]:
        """The row that owns each item, read-only, cached; int32 if all numbers are below 2**31, else int64."""
        return read_only(_offsets.parents(self.offsets))

    def _parents_if_cheaper(self) -> npt.NDArray[np.int32] | npt.NDArray[np.int64] | None:
        """Return cached parents if building them costs less than broadcasting once, otherwise None."""
        if "parents" in self.__dict__ or "_is_reused" in self.__dict__ or self._size < 2 * self._n:
            return self.parents
        self.__dict__["_is_reused"] = True
        return None

    def iota(self) -> IntArray:
        """Return the position of each item in its row, from 0.

        Returns
        -------
        (size,) int64 array
            A new array. Cost: O(rows + items).

        Notes
        -----
        Corresponds to fold's `iota`.

        Examples
        --------
        >>> from arrowjag.dims import Ragged
        >>> Ragged([2, 0, 3]).iota().tolist()
        [0, 1, 0, 1, 2]
        """
        return _offsets.positions(self.offsets)

    def max(self, default: int | None = None) -> int:
        """Return the largest size.

        Parameters
        ----------
        default : int, optional
            The result for a dim without rows.

        Returns
        -------
        int
            The size; null rows count as 0.

        Raises
        ------
        JagValueError
            If there are no rows and no default.

        Examples
        --------
        >>> from arrowjag.dims import Runs
        >>> Runs([1, 4], [3, 0]).max()
        1
        """
        return self._bound(1, "max", default)

    def min(self, default: int | None = None) -> int:
        """Return the smallest size.

        Parameters
        ----------
        default : int, optional
            The result for a dim without rows.

        Returns
        -------
        int
            The size; null rows count as 0.

        Raises
        ------
        JagValueError
            If there are no rows and no default.

        Examples
        --------
        >>> from arrowjag.dims import Affine
        >>> Affine(5, 5, -1).min()
        1
        """
        return self._bound(0, "min", default)

    def _bound(self, which: int, name: str, default: int | None) -> int:
        if self._n:
            return self._bounds()[which]
        if default is None:
            raise JagValueError(f"{name} of a dim without rows; give a default")
        return default

    def offset_of(self, i: int) -> int:
        """Return the number of items before row i.

        Parameters
        ----------
        i : int
            From 0 to ``len(dim)``, where it gives the total.

        Returns
        -------
        int
            The offset. Cost: from the parameters, at most a search among them.

        Raises
        ------
        JagIndexError
            If `i` is out of range.

        Examples
        --------
        >>> from arrowjag.dims import Affine
        >>> Affine(1, 4, 1).offset_of(3)
        6
        """
        if type(i) is int and 0 <= i <= self._n:
            return self._offset_at(i)
        row = as_int(i, "a row")
        if not 0 <= row <= self._n:
            raise JagIndexError(f"offset_of({brief(row)}) of a dim of {plural(self._n, 'row')}: expected 0 to {self._n}")
        return self._offset_at(row)

    def index_of(self, x: int) -> int:
        """Return the row that owns item x: the largest i with ``offset_of(i) <= x``.

        Parameters
        ----------
        x : int
            From 0 up. From `size` up the answer is ``len(dim)``.

        Returns
        -------
        int
            The row. Empty rows are skipped. Cost: from the parameters, at most a search among them.

        Raises
        ------
        JagIndexError
            If `x` is negative.

        Notes
        -----
        Corresponds to fold's `index_of`, and is exact for totals beyond 2**53.

        Examples
        --------
        >>> from arrowjag.dims import Ragged
        >>> [Ragged([2, 0, 3]).index_of(x) for x in range(6)]
        [0, 0, 2, 2, 2, 3]
        """
        item = as_int(x, "an item")
        if item < 0:
            raise JagIndexError(f"index_of({item}): items count from 0")
        return self._n if item >= self._size else self._index_at(item)

    def never_rises_within(self, offsets: Dim | IntArray) -> bool:
        """Return whether sizes never increase inside the groups of rows that offsets cut.

        Parameters
        ----------
        offsets : Dim or array of int
            The offsets of the groups; the last one is ``len(dim)``.

        Returns
        -------
        bool
            The answer. Cost: O(groups), or at most O(rows) if the encoding can't locate increases in closed form.

        Raises
        ------
        OffsetsError
            If the offsets don't cut the rows of this dim.

        Notes
        -----
        By fold's rule, a transposition does not shear if this holds.

        Examples
        --------
        >>> from arrowjag.dims import Ragged
        >>> Ragged([2, 1, 2]).never_rises_within(Ragged([2, 1])), Ragged([2, 1, 2]).never_rises_within(Ragged([1, 2]))
        (True, False)
        """
        cuts = offsets.offsets if isinstance(offsets, Dim) else int_array(offsets, "offset")
        _offsets.check(cuts, self._n, "never_rises_within")
        rises = self._rises(len(cuts))
        return rises is not None and bool((cuts[np.searchsorted(cuts, rises)] == rises).all())

    # --------------------------------------------------------------------------- length, rows, equality

    def __len__(self) -> int:
        return self._n

    @overload
    def __getitem__(self, key: int) -> int: ...
    @overload
    def __getitem__(self, key: slice) -> Dim: ...
    def __getitem__(self, key: int | slice) -> int | Dim:
        if isinstance(key, slice):
            start, stop, step = key.indices(self._n)
            return self._slice(start, max(start, stop)) if step == 1 else self._algebra.take_step(self, key)
        if type(key) is int and 0 <= key < self._n:
            return self._at(key)
        if isinstance(key, bool):
            raise JagTypeError(f"a row must be an int or a slice, got {brief(key)}")
        try:
            row = operator.index(key)
        except TypeError:
            raise JagTypeError(f"a row must be an int or a slice, got {brief(key)} of type {type(key).__name__}") from None
        if not -self._n <= row < self._n:
            raise JagIndexError(f"row {brief(row)} is out of range for a dim of {plural(self._n, 'row')}")
        return self._at(row % self._n)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if isinstance(other, list):
            return self._n == len(other) and self.tolist() == other
        if not isinstance(other, Dim):
            return NotImplemented
        if self._n != other._n or self._size != other._size:
            return False
        if self._n < strategy.sizes.COMPARED_ROWS:
            return self.offsets.tobytes() == other.offsets.tobytes()
        if self._probes() != other._probes():
            return False
        if self.is_uniform or other.is_uniform:
            return self.is_uniform and other.is_uniform
        return self._algebra.same(self, other)

    def __hash__(self) -> int:
        return hash((self._n, self._size, self._probes()))

    def _probes(self) -> tuple[int, ...]:
        """Return a few offsets that distinguish most dims, computed from the parameters."""
        n = self._n
        return tuple(self._offset_at(row) for row in (min(n, 1), n // 4, n // 2, n - n // 4, max(n - 1, 0)))

    # --------------------------------------------------------------------------- text, copy, pickle

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._arguments()})"

    def _repr_html_(self) -> str:
        return _html.dim_html(self, type(self).__name__, repr(self))

    def notation(self) -> str:
        """Return the text of the dim inside another dim: an int, a list of sizes, or the repr.

        Returns
        -------
        str
            Long lists are shortened.

        Examples
        --------
        >>> from arrowjag.dims import Affine, Ragged, Uniform
        >>> Uniform(3).notation(), Ragged([2, 1]).notation(), Affine(1, 3, 1).notation()
        ('3', '[2, 1]', 'Affine(1, 3, 1)')
        """
        return repr(self)

    def _listed(self) -> str:
        """Return the sizes as text; a long list is shown without its middle."""
        if self._n <= SHOWN:
            return str(self.tolist())
        first, last = (", ".join(map(str, self._slice(*rows).tolist())) for rows in ((0, SHOWN // 2), (self._n - 3, self._n)))
        return f"[{first}, ..., {last}]"

    def __copy__(self) -> Dim:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Dim:
        return self

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self.__dict__:
            raise AttributeError(f"a dim is immutable: {name} can't be set")
        object.__setattr__(self, name, value)

    # --------------------------------------------------------------------------- other dims from this one

    def with_validity(self, mask: Any) -> Dim:
        """Return the same sizes with other null rows.

        Parameters
        ----------
        mask : (len,) array-like of bool, or None
            True is valid; None and a mask that is all true make every row valid. A read-only numpy array is shared.

        Returns
        -------
        Dim
            A `Ragged`, or an encoding without null rows. The declared extent stays. Cost: O(rows) with a mask.

        Raises
        ------
        ShapeError
            If the mask has another length, a null row has items, or a valid row misses the declared extent.
        JagTypeError
            If the mask does not hold bools.

        Examples
        --------
        >>> from arrowjag.dims import Ragged
        >>> Ragged([2, 0]).with_validity([True, False])
        Ragged([2, 0], validity=[True, False])
        """
        return self._algebra.with_validity(self, mask)

    def with_extent(self, extent: int | None) -> Dim:
        """Return the same sizes, with a declared extent: the size that every valid row has by type.

        Parameters
        ----------
        extent : int or None
            The size, or None to declare nothing.

        Returns
        -------
        Dim
            A `Uniform` if it declares an extent and has no null rows.

        Raises
        ------
        ShapeError
            If a valid row has another size; the message names the row.

        Examples
        --------
        >>> from arrowjag.dims import Ragged
        >>> Ragged([2, 2]).with_extent(2)
        Uniform(2, n=2)
        """
        return self._algebra.with_extent(self, None if extent is None else as_count(extent, "an extent"))

    def stretched(self, n: int) -> Dim:
        """Return the dim repeated to fill n rows.

        Parameters
        ----------
        n : int
            Number of rows: a multiple of the length of this dim. A `Uniform` fills any number of rows.

        Returns
        -------
        Dim
            The longer dim; null rows repeat too, the extent stays. Cost: O(1), O(n) with null rows.

        Raises
        ------
        ShapeError
            If no whole number of repetitions fills the rows.

        Notes
        -----
        Corresponds to fold's `length_extend`, which accepts an empty dim.

        Examples
        --------
        >>> from arrowjag.dims import Affine
        >>> Affine(1, 5, 1).stretched(15)
        Repeat(Affine(1, 5, 1), 3)
        """
        return self._algebra.stretched(self, as_count(n, "a number of rows"))

    def cat(self, other: Dim) -> Dim:
        """Return the dim followed by another one.

        Parameters
        ----------
        other : Dim
            The rows to append.

        Returns
        -------
        Dim
            Regular dims that continue each other stay regular; others become a `Chain`. Null rows are kept; an extent
            is declared if both dims declare the same.

        Notes
        -----
        Corresponds to fold's `cat`.

        Examples
        --------
        >>> from arrowjag.dims import Affine, Ragged, Uniform
        >>> Uniform(3).cat(Affine(4, 2, 1))
        Affine(3, 3, 1)
        >>> Affine(1, 3, 1).cat(Ragged([7, 7]))
        Chain([Affine(1, 3, 1), [7, 7]])
        """
        return self._algebra.concat([self, other])

    def repeat(self, k: int) -> Dim:
        """Concatenate k copies of the dim.

        Parameters
        ----------
        k : int
            From 0 up.

        Returns
        -------
        Dim
            The longer dim; null rows repeat too, the extent stays. Cost: O(1), O(rows) with null rows.

        Examples
        --------
        >>> from arrowjag.dims import Ragged
        >>> Ragged([1, 2]).repeat(3)
        Repeat([1, 2], 3)
        """
        return self._algebra.repeat(self, as_count(k, "a number of repetitions"))

    def spread(self, reps: Any, part: Any = None) -> Dim:
        """Repeat each row.

        Parameters
        ----------
        reps : int, Dim or sizes
            The number of repetitions of each row; one int holds for all rows.
        part : Dim or sizes, optional
            Cuts the rows into groups. `reps` then has one entry per group, and whole groups are repeated.

        Returns
        -------
        Dim
            The longer dim; null rows are repeated too, the extent stays. Cost: O(1) for regular encodings, O(rows)
            with null rows, O(result) with groups.

        Raises
        ------
        ShapeError
            If `reps` does not have one entry for each row or group, or the groups do not cut the rows.

        Notes
        -----
        Corresponds to fold's `spread`.

        Examples
        --------
        >>> from arrowjag.dims import Ragged
        >>> Ragged([2, 3]).spread([1, 2])
        Runs([2, 3], [1, 2])
        """
        return self._algebra.spread(self, reps, part)

    def fold(self, part: Any) -> Dim:
        """Return the sums of groups of rows: two levels merged into one.

        Parameters
        ----------
        part : Dim or sizes
            The sizes of the groups, outer rows; they add up to ``len(dim)``.

        Returns
        -------
        Dim
            One row per group. Null groups stay null; null rows of this dim count as empty. Declares no extent.
            Cost: O(1) for regular encodings, else O(rows).

        Raises
        ------
        ShapeError
            If the groups do not add up to the rows of this dim.

        Notes
        -----
        Corresponds to fold's `fold`.

        Examples
        --------
        >>> from arrowjag.dims import Affine, Uniform
        >>> Uniform(2, 6).fold(Affine(1, 3, 1))
        Affine(2, 3, 2)
        """
        return self._algebra.fold(self, part)

    def compressed(self) -> Dim:
        """Return the canonical encoding, which depends on the sizes only.

        Returns
        -------
        Dim
            The first of these that fits: `Uniform`; `Affine` if there are at least three rows; `Repeat` of the shortest
            piece; `Runs` if there are at most a quarter as many runs as rows; `Sparse` if at most a quarter of the sizes
            are not zero; otherwise `Ragged`. A dim with null rows is returned unchanged; a declared extent stays declared.
            Cost: O(1) for `Uniform` and `Affine`, otherwise O(runs).

        Examples
        --------
        >>> from arrowjag.dims import Ragged
        >>> Ragged([1, 2, 3, 1, 2, 3]).compressed()
        Repeat(Affine(1, 3, 1), 2)
        """
        return self._algebra.compressed(self)


Sequence.register(Dim)  # type: ignore[type-abstract]  # mypy sees the class that inherits from Sequence


def no_nulls(dim: Dim, owner: str) -> Dim:
    """Return a part of a regular encoding; raise if it has null rows."""
    if dim.validity is not None:
        raise ShapeError(f"{owner} can't hold null rows; use repeat, spread or cat of the dim, which keep them")
    return dim


__all__ = ["LIMIT", "SHOWN", "Dim", "no_nulls"]
