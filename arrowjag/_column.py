"""`Column`: a shape and one flat Arrow array, and its conversion from and to Arrow data."""

from __future__ import annotations

from typing import Any, Self, TypeVar

import numpy as np
import pyarrow as pa

from arrowjag import _arrow
from arrowjag._integers import check_ndim
from arrowjag._kernels.base.memory import check_memory
from arrowjag.dims import Dim, Ragged, Uniform
from arrowjag.errors import JagRangeError, MissingDependencyError, ShapeError, plural
from arrowjag.shape import JaggedShape
from arrowjag.typing import ArrowData, BoolArray

__all__ = [
    "AnyColumn",
    "Column",
    "empty",
    "from_arrow",
    "from_kernel",
    "levels",
    "row_validity",
    "same_validity",
    "storage_type",
    "to_arrow",
    "to_python",
]


_Constant = pa.RunEndEncodedArray
"""Looked up once: nearly every operation asks several times."""

_LAZY = frozenset({tuple, _Constant})
"""Types that stand for values in a `Column`: the array that they are a slice of, with the start of the slice, or a constant."""


class Column:
    """A shape and its flat values; never changed after it is made.

    Parameters
    ----------
    shape : JaggedShape
        The nesting.
    values : pa.Array
        One leaf per position of the shape, without slack; a run-end encoded constant is decoded at the first access.
    """

    __slots__ = ("_shape", "_values")

    _shape: JaggedShape
    _values: pa.Array | tuple[pa.Array, int]

    def __init__(self, shape: JaggedShape, values: pa.Array) -> None:
        dims = shape._dims
        if len(values) != (dims[-1]._size if dims else 1):
            raise ShapeError(f"{shape!r} has {plural(shape.size, 'place')}, got {plural(len(values), 'value')}")
        self._shape = shape
        self._values = values

    def _sliced(self, shape: JaggedShape, start: int) -> Self:
        """The items from `start` on, as many as the shape has. Values are cut at the first access: that takes 0.65 of 3.3 us."""
        column = object.__new__(type(self))
        values = self._values
        column._shape = shape
        column._values = (values[0], values[1] + start) if type(values) is tuple else (values, start)
        return column

    @property
    def shape(self) -> JaggedShape:
        """The shape: the size of every row at each level.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2], [], [3]]).shape
        JaggedShape(3, [2, 0, 1])
        """
        return self._shape

    @property
    def values(self) -> pa.Array:
        """The flat leaf values.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2], [], [3]]).values.to_pylist()
        [1, 2, 3]
        """
        values = self._values
        if type(values) in _LAZY:
            values = self._stored
            if type(values) is _Constant:
                self._values = values = _arrow.decode(values)
        return values

    @property
    def _stored(self) -> pa.Array:
        """The values, of which a constant stays encoded."""
        values = self._values
        if type(values) is tuple:
            self._values = values = values[0].slice(values[1], self._shape.size)
        return values

    @property
    def type(self) -> pa.DataType:
        """The Arrow type of the leaf values.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2], [], [3]]).type
        DataType(int64)
        """
        values = self._values
        values = values[0] if isinstance(values, tuple) else values
        type = values.type
        return type.value_type if isinstance(values, _Constant) else type

    @property
    def ndim(self) -> int:
        """Number of dims, the rows included.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2], [], [3]]).ndim
        2
        """
        return len(self._shape._dims)


AnyColumn = TypeVar("AnyColumn", bound=Column)
"""A column, or an array: functions return the class that they are given."""


def row_validity(column: Column, depth: int) -> BoolArray | None:
    """Return the validity of the items after the first `depth` dims; None if all are valid."""
    if depth < column.ndim:
        return column.shape.dims[depth].validity
    values = column.values
    return _arrow.valid_of(values)


def same_validity(one: BoolArray | None, two: BoolArray | None) -> bool:
    """Return whether the same rows or items are null."""
    return one is two or (one is not None and two is not None and np.array_equal(one, two))


def from_arrow(data: ArrowData, ndim: int | None = None, where: str = "the column") -> Column:
    """Convert Arrow data of any nested layout; `arrowjag._arrow.peel` documents its checks and which buffers are shared."""
    return _joined(*_arrow.peel(data, ndim, where=where))


def from_kernel(array: pa.Array) -> Column:
    """Convert lists that a kernel of arrowjag made, whose buffers need no check."""
    return _joined(*_arrow.split_levels(array))


def _joined(levels: list[_arrow.Level], values: pa.Array) -> Column:
    """Return the column of some list levels and the leaves below them."""
    n = len(levels[0].offsets) - 1 if levels else len(values)
    dims: list[Dim] = [Uniform._frame(n)]
    dims += [_dim(level) for level in levels]
    return Column(JaggedShape._trusted(dims), values)


def _dim(level: _arrow.Level) -> Dim:
    if level.extent is not None and level.validity is None:
        return Uniform(level.extent, len(level.offsets) - 1)
    return Ragged.from_offsets(level.offsets, validity=level.validity, extent=level.extent, check=False)


def levels(shape: JaggedShape) -> list[_arrow.Level]:
    """Return the list levels of a shape: all dims except the first."""
    return [_arrow.Level(dim.offsets, dim.validity, dim.extent) for dim in shape.dims[1:]]


def to_arrow(column: Column) -> pa.Array:
    """The column as nested Arrow lists; values and offsets are shared."""
    return _arrow.wrap(levels(column.shape), _arrow.vouched(column.values))


def storage_type(leaf: pa.DataType, ndim: int, extents: tuple[int | None, ...] | None = None) -> pa.DataType:
    """The Arrow storage type of a jagged column; `extents` has one entry per dim; the first is ignored."""
    check_ndim(ndim, "the column")
    type = leaf
    for place in reversed(range(1, ndim)):
        extent = extents[place] if extents else None
        type = pa.list_(type, extent) if extent else pa.large_list(type)
    return type


def empty(leaf: pa.DataType, ndim: int, extents: tuple[int | None, ...] | None = None) -> Column:
    """Return a column without rows; operations on it determine result types."""
    dims: list[Dim] = [Uniform._frame(0)]
    for place in range(1, ndim):
        extent = extents[place] if extents else None
        dims.append(Ragged([]) if extent is None else Uniform(extent, 0))
    return Column(JaggedShape._trusted(dims[:ndim]), pa.nulls(0, leaf))


def to_python(values: pa.Array) -> list[Any]:
    """Convert Arrow values to Python objects. For nanoseconds pyarrow needs pandas, because Python's own types lack them.

    Raises
    ------
    JagRangeError
        If a time lies outside of the years that Python's types, or those of pandas, represent.
    """
    check_memory(len(values), 8)
    if (found := _arrow.leaf_objects(values)) is not None:
        return found
    try:
        return values.to_pylist()  # type: ignore[no-any-return]  # pyarrow is untyped here
    except OverflowError as error:
        raise _beyond_python(values, error) from error
    except ValueError as error:
        if "pandas" in str(error):
            raise MissingDependencyError.of("pandas", "pandas", "Python objects for nanoseconds") from error
        raise _beyond_python(values, error) from error  # pandas' OutOfBoundsDatetime


def _beyond_python(values: pa.Array, error: Exception) -> JagRangeError:
    """Return the error for a time that Python can't represent; find its row by halving the rows."""
    first, last = 0, len(values)
    while last - first > 1:
        middle = (first + last) // 2
        try:
            values.slice(first, middle - first).to_pylist()
            first = middle
        except (OverflowError, ValueError):
            last = middle
    return JagRangeError(
        f'row {first} holds a time that no Python object represents ({error}); cast times to "int64", and dates to "int32", for '
        "their counts, or use to_arrow"
    )
