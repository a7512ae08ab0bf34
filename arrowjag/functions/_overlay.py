"""Overlays: indexed assignments that are evaluated when they are read. Sparse arrays are overlays on a constant."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow, _html
from arrowjag._arguments import check_arguments
from arrowjag._array import JaggedArray, array_of
from arrowjag._array.base import as_column
from arrowjag._column import Column, storage_type
from arrowjag._kernels.move import gather
from arrowjag._ops import edits, elementwise, rearrange
from arrowjag._pyarrow_versions import null_scalar
from arrowjag.errors import JagError, JagTypeError, Suggesting
from arrowjag.shape import JaggedShape
from arrowjag.typing import IntArray

__all__ = ["Overlay", "overlay", "scatter"]


class Overlay(Suggesting):
    """`dest` with `values` at the positions of `index`, combined at each read.

    Parameters
    ----------
    dest : JaggedArray
        The base array; a constant such as `arrowjag.zeros` is never expanded.
    index : int, slice, array or tuple of them
        As in ``dest[index]``; each position at most once.
    values : JaggedArray
        Of the shape that ``dest[index]`` has, or a prefix of it.

    Raises
    ------
    JagValueError
        If a position occurs twice, or an item of `values` does not fit the common type exactly. Items of `dest` that do not fit
        raise when they are read.
    JagIndexError
        If the index is out of range; the message names the row.
    JagTypeError
        If the types have no common type.
    ShapeError
        If the values do not fit the index.

    Notes
    -----
    Corresponds to fold's overlay. It holds references to its three parts and the flat positions of the targets.

    Examples
    --------
    >>> import arrowjag as aj
    >>> x = aj.arange(2, [1, 2], start=1)
    >>> o = aj.overlay(aj.zeros(2, 2, type=x.type), x.image(), x)
    >>> o.to_list()
    [[1, 0], [2, 3]]
    """

    __slots__ = ("_rising", "_source", "_targets", "dest", "index", "values")

    def __init__(self, dest: JaggedArray, index: Any, values: JaggedArray) -> None:
        for name, one in {"dest": dest, "values": values}.items():
            if not isinstance(one, JaggedArray):
                raise JagTypeError(f"Overlay: {name} must be a JaggedArray, got {type(one).__name__}; aj.overlay converts lists")
        self.dest = dest
        self.index = index
        self.values = values
        leaf = elementwise.common_type([dest.type, values.type], "overlay")
        try:
            targets = as_column(_places(dest.shape)[index])
        except JagError as error:
            raise error.renamed("overlay", "take", "indexing") from None
        given = elementwise.cast(values, leaf, operation="overlay")
        self._targets, self._source = rearrange.valid_targets(*edits.assigned(targets, given, "overlay"))
        rearrange.check_distinct(dest.shape, self._targets)
        self._rising: tuple[IntArray, IntArray] | None = None

    @property
    def shape(self) -> JaggedShape:
        """The shape of `dest`."""
        return self.dest.shape

    @property
    def type(self) -> pa.DataType:
        """The promoted leaf type."""
        return self._source.type

    def __getitem__(self, index: Any) -> Any:
        found = _places(self.shape)[index]
        if isinstance(found, pa.Scalar):
            levels, _ = _arrow.level_types(found.type)  # of a row, which is null
            null = null_scalar(storage_type(self.type, len(levels) + 1))
            return self._read(np.array([found.as_py()]), None)[0] if found.is_valid else null
        position, valid = _arrow.to_numpy(found.values)
        return JaggedArray._of(Column(found.shape, self._read(position, valid)))

    def _read(self, position: IntArray, valid: Any) -> pa.Array:
        """Return the leaves at flat positions: those of `values` where the index names the position, else those of `dest`."""
        if valid is not None:
            position = np.where(valid, position, 0)
        targets, order = self._order()
        slot = np.minimum(np.searchsorted(targets, position), max(len(targets) - 1, 0))
        above = targets[slot] == position if len(targets) else np.zeros(len(position), bool)
        below = self._promoted(_leaves(self.dest, position, ~above))
        both = _arrow.combine_chunks(pa.chunked_array([below, self._source]))
        index = np.arange(len(position))
        index[above] = len(position) + order[slot[above]]
        return gather.take(both, index, valid)

    def _promoted(self, leaves: pa.Array) -> pa.Array:
        """Cast leaves of `dest` to the promoted type; an error names the row."""
        try:
            return elementwise.cast_values(leaves, self.type)
        except pa.ArrowInvalid:
            elementwise.cast(self.dest, self.type, operation="overlay")
            raise

    def _order(self) -> tuple[IntArray, IntArray]:
        """The targets in ascending order, and the position of each in the source; computed at the first read."""
        if self._rising is None:
            order = np.argsort(self._targets, kind="stable")
            self._rising = self._targets[order], order
        return self._rising

    def materialize(self) -> JaggedArray:
        """Return the array after the assignment.

        Returns
        -------
        JaggedArray
            Of the shape of `dest`. Cost: a copy of it, and one pass over the values.

        Raises
        ------
        JagValueError
            If an item of `dest` does not fit the common type exactly.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.overlay(aj.array([[1, 2], [3]]), (0, 1), aj.array(9)).materialize().to_list()
        [[1, 9], [3]]
        """
        dest = elementwise.cast(self.dest, self.type, operation="overlay")
        leaves = rearrange.overwrite(dest.values, self._targets, self._source)
        array: JaggedArray = JaggedArray._of(Column(self.shape, leaves))
        return array

    def to_list(self) -> Any:
        """Return the materialised array as nested Python lists.

        Returns
        -------
        list
            One entry per row.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.overlay(aj.array([[1, 2], [3]]), (1, 0), aj.array(9)).to_list()
        [[1, 2], [9]]
        """
        return self.materialize().to_list()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        return self.materialize().__array__(dtype, copy)

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        return self.materialize().__arrow_c_array__(requested_schema)

    def __repr__(self) -> str:
        share = f"{len(self._targets)} of {self.shape.size} places"
        return f"Overlay on {self.shape!r} of {self.type}: {share} from {self.values.shape!r}"

    def _repr_html_(self) -> str:
        facts = [
            ("dest", f"{self.shape!r} of {self.dest.type}"),
            ("values", f"{self.values.shape!r} of {self.values.type}"),
            ("overwritten", f"{len(self._targets):,} of {self.shape.size:,} values"),
        ]
        return _html.facts_html("Overlay", facts)


def _places(shape: JaggedShape) -> JaggedArray:
    array: JaggedArray = JaggedArray._of(rearrange.flat_positions(shape))
    return array


def _leaves(array: JaggedArray, position: IntArray, wanted: Any) -> pa.Array:
    """Gather leaves; a constant is not expanded, and entries outside the mask are arbitrary."""
    raw = array._stored
    if pt.is_run_end_encoded(raw.type) and len(raw.values) == 1:
        return gather.take(raw.values, np.zeros(len(position), np.int64))
    if len(array.values) == 0:
        return pa.nulls(len(position), array.type)
    return gather.take(array.values, np.where(wanted, position, 0))


@check_arguments
def overlay(dest: Any, index: Any, values: Any) -> Overlay:
    """Overlay values on an array: an assignment that is evaluated when the result is read.

    Parameters
    ----------
    dest : JaggedArray
        The base array, which is not changed.
    index : int, slice, array or tuple of them
        As in ``dest[index]``; each position at most once.
    values : JaggedArray or scalar
        Of the shape that ``dest[index]`` has, or a prefix of it.

    Returns
    -------
    Overlay
        It references its arguments; a read returns the items after the assignment.

    Raises
    ------
    JagValueError
        If a position occurs twice, or an item of `values` does not fit the common type exactly. Items of `dest` that do not fit
        raise when they are read.
    JagIndexError
        If the index is out of range; the message names the row.
    JagTypeError
        If the types have no common type.
    ShapeError
        If the values do not fit the index.

    Notes
    -----
    Corresponds to fold's overlay.

    Examples
    --------
    >>> import arrowjag as aj
    >>> o = aj.overlay(aj.zeros(3, 3), ([0, 2], [1, 2]), aj.array([5.0, 7.0]))
    >>> o[2].to_list(), o.to_list()
    ([0.0, 0.0, 7.0], [[0.0, 5.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 7.0]])
    """
    return Overlay(array_of(dest), index, array_of(values))


@check_arguments
def scatter(dest: Any, index: Any, values: Any) -> JaggedArray:
    """Return a copy of an array with values assigned at an index.

    Parameters
    ----------
    dest : JaggedArray
        The source; it is not changed.
    index : int, slice, array or tuple of them
        As in ``dest[index]``; each position at most once.
    values : JaggedArray or scalar
        Of the shape that ``dest[index]`` has, or a prefix of it.

    Returns
    -------
    JaggedArray
        Of the shape of `dest` and the promoted leaf type; other items are unchanged, nulls included. Cost: one gather.

    Raises
    ------
    JagValueError
        If a position occurs twice (the message names it), an item does not fit the common type exactly, or a text beside times or
        durations can't be read as one.
    JagIndexError
        If the index is out of range; the message names the row.
    JagTypeError
        If the types have no common type.
    ShapeError
        If the values do not fit the index.

    Examples
    --------
    >>> import arrowjag as aj
    >>> x = aj.arange(4, [1, 2], start=1)
    >>> aj.scatter(aj.zeros(4, 2), x.image(), x).to_list()
    [[1.0, 0.0], [2.0, 3.0], [4.0, 0.0], [5.0, 6.0]]
    """
    try:
        result: JaggedArray = array_of(dest).set(index, values)
    except JagError as error:
        raise error.renamed("scatter", "set") from None
    return result
