"""`Row`: one row of a jagged column, as a scalar of pandas."""

from __future__ import annotations

import datetime as dt
import functools
import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import pandas as pd
import pyarrow as pa

from arrowjag import _arrow, _formatting
from arrowjag._array import JaggedArray
from arrowjag._array.base import as_column
from arrowjag._column import Column, row_validity
from arrowjag._integers import integer
from arrowjag._methods import METHODS
from arrowjag._ops import structure
from arrowjag._ops.elementwise import PYTHON_COMPARISONS, PYTHON_OPERATORS
from arrowjag._vocabulary.spellings import suggestion
from arrowjag.dims import Uniform
from arrowjag.errors import JagAttributeError, JagIndexError, JagValueError, ShapeError
from arrowjag.shape import JaggedShape

__all__ = ["ROWS_AT_A_TIME", "Row", "row_at", "row_texts"]

ROWS_AT_A_TIME = 1 << 14
"""Rows that become Python objects at a time where rows are yielded one by one."""


@functools.total_ordering
class Row:
    """One row of a jagged column.

    Parameters
    ----------
    data : nested list, numpy array, Arrow array or JaggedArray
        The items of the row.
    type : pa.DataType, optional
        The leaf type; by default Arrow infers it.
    ndim : int, optional
        Number of dims inside the row; required if empty lists leave them open.

    Raises
    ------
    ShapeError
        If the data is not evenly nested.

    Notes
    -----
    pandas treats objects with ``__iter__`` or ``ndim`` as arrays, so a row has neither; iteration still works through indexing,
    and ``row.array.ndim`` is its number of dims. A row is hashable and ordered: a prefix comes before a longer row, NaN after
    numbers, null last; NaN equals NaN. Arithmetic is elementwise, and `==` and `<` compare whole rows, also with lists.

    Outside of pandas a row is an array: calls of arrowjag, pyarrow and polars take it as the array of its items. Use
    ``np.asarray(row.array)`` if items are null, and ``json.dumps(row, default=aj.json_default)``. A row references its column and
    copies nothing until it is pickled.

    Examples
    --------
    >>> from arrowjag.pandas import Row
    >>> Row([1, 2]) < Row([1, 3])
    True
    >>> (Row([1, 2]) * 10).to_list()
    [10, 20]
    """

    __slots__ = ("_column", "_hash", "_place")

    _column: Column
    _place: int
    _hash: int | None

    def __init__(self, data: Any, type: pa.DataType | None = None, ndim: int | None = None) -> None:
        column = data._inner() if isinstance(data, Row) else as_column(data, type=type, ndim=ndim)
        if column.ndim == 0:
            raise ShapeError(f"a row must be a list, got the scalar {data!r}")
        self._column = _boxed(column)
        self._place = 0
        self._hash = None

    @classmethod
    def _at(cls, column: Column, place: int) -> Row:
        """Create the row of a column, without copying."""
        row = cls.__new__(cls)
        row._column = column
        row._place = place
        row._hash = None
        return row

    def _is_of(self, dtype: Any) -> bool:
        """Return whether the row's column has a jagged dtype."""
        column = self._column
        return bool(column.ndim == dtype.ndim and column.type == dtype.leaf and tuple(column.shape.extents[1:]) == dtype.extents)

    def _inner(self) -> Column:
        """The row as a column of one dim less; values are shared."""
        return structure.slice_items(self._column, 1, self._place, self._place + 1, ())

    @property
    def array(self) -> JaggedArray:
        """The items of the row as an array; values are shared."""
        array: JaggedArray = JaggedArray._of(self._inner())
        return array

    @property
    def type(self) -> pa.DataType:
        """The Arrow type of the leaf values."""
        return self._column.type

    @property
    def _ndim(self) -> int:
        """Number of dims inside the row; private, because pandas would truncate an object with `ndim` to the column."""
        return self._column.ndim - 1

    def to_list(self) -> list[Any]:
        """Return the items as nested Python lists.

        Returns
        -------
        list
            None means null at every level.

        Examples
        --------
        >>> from arrowjag.pandas import Row
        >>> Row([[1], None]).to_list()
        [[1], None]
        """
        items: list[Any] = self.array.to_list()
        return items

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        return self.array.__arrow_c_array__(requested_schema)

    tolist = to_list
    """The name that numpy uses, which libraries that write JSON call."""

    def __len__(self) -> int:
        dim = self._column.shape.dims[1]
        return dim.offset_of(self._place + 1) - dim.offset_of(self._place)

    def __bool__(self) -> bool:
        if pa.types.is_boolean(self.type):
            raise JagValueError("the truth of a row of booleans is ambiguous; use .jag.any() or .jag.all() of the column")
        return len(self) > 0

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            start, stop, step = key.indices(len(self))
            if step == 1:
                return Row._at(_boxed(_sliced(self._inner(), start, max(start, stop))), 0)
            index = np.arange(start, stop, step)
            outer = [Uniform._frame(len(index))]
            return Row._at(_boxed(structure.take_items(self._inner(), 1, index, outer)), 0)
        place = integer(key, "a position in a row")
        if not -len(self) <= place < len(self):
            raise JagIndexError(f"item {place} is out of range for a row of {len(self)}")
        return self._item(place % len(self))

    def _item(self, place: int) -> Any:
        inner = self._inner()
        if inner.ndim == 1:
            value = inner.values[place].as_py()
            return pd.NA if value is None else value
        return row_at(inner, place)

    def __contains__(self, item: Any) -> bool:
        return any(one == item for one in self.to_list())

    if not TYPE_CHECKING:  # for type checkers

        def __getattr__(self, name: str) -> NoReturn:
            """Raise for an unknown name: a row has no methods of arrays, and a call per row would be slow."""
            if name.startswith("_"):
                raise AttributeError(f"a Row has no {name!r}", name=name, obj=self)
            raise JagAttributeError(f"a Row has no {name!r}", name, lambda: _instead(name))

    # ------------------------------------------------------------------------------------------- identity

    def _key(self) -> tuple[Any, ...]:
        return _key(self.to_list())

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(self._key())
        return self._hash

    def __eq__(self, other: object) -> Any:
        if isinstance(other, (list, JaggedArray)):
            return self._key() == _key(other.to_list() if isinstance(other, JaggedArray) else other)
        if not isinstance(other, Row):
            return NotImplemented
        return self is other or self._key() == other._key()

    def __lt__(self, other: object) -> Any:
        if isinstance(other, (list, JaggedArray)):
            other = Row(other, ndim=self._ndim)
        return self._key() < other._key() if isinstance(other, Row) else NotImplemented

    def __reduce__(self) -> tuple[Any, ...]:
        return Row, (JaggedArray._of(_compact(self._inner())),)

    # ------------------------------------------------------------------------------------------- text

    def __str__(self) -> str:
        return _text(_items(self._inner()))

    def __repr__(self) -> str:
        return f"Row({_formatting.row_text(self._column, self._place)})"

    def _cell(self, width: int) -> str:
        """The text of the row in a table of pandas, at most `width` characters."""
        return _formatting.cell_text(self._column, self._place, width)

    # ------------------------------------------------------------------------------------------- arithmetic

    def _binary(self, function: Callable[[Any, Any], Any], other: Any, reflected: bool = False) -> Any:
        if getattr(other, "__pandas_priority__", 0) > 0 and not isinstance(other, Column):
            return NotImplemented
        other = other.array if isinstance(other, Row) else None if other is pd.NA else other
        pair = (other, self.array) if reflected else (self.array, other)
        result = function(*pair)
        return _wrapped(result)

    def __neg__(self) -> Any:
        return _wrapped(-self.array)

    def __pos__(self) -> Any:
        return _wrapped(+self.array)

    def __abs__(self) -> Any:
        return _wrapped(abs(self.array))

    def __invert__(self) -> Any:
        return _wrapped(~self.array)


def _add_operators() -> None:
    """Add arithmetic and logical operators, with the row as the left or the right operand."""
    for name, function in PYTHON_OPERATORS.items():
        if name in PYTHON_COMPARISONS or name == "matmul":  # rows are compared whole, and are no matrices
            continue

        def forward(self: Row, other: Any, function: Any = function) -> Any:
            return self._binary(function, other)

        def backward(self: Row, other: Any, function: Any = function) -> Any:
            return self._binary(function, other, reflected=True)

        setattr(Row, f"__{name}__", forward)
        setattr(Row, f"__r{name}__", backward)


_add_operators()


def _instead(name: str) -> str:
    """Return the hint about a name that a row lacks."""
    if name in METHODS:
        return f"; write .jag.{name} of the column for all rows at once, or row.array.{name}"
    return suggestion(name, METHODS, where="row.array")


def row_at(column: Column, place: int) -> Any:
    """Return a row of a column, NA where it is null."""
    validity = row_validity(column, 1)
    return pd.NA if validity is not None and not validity[place] else Row._at(column, place)


def _boxed(column: Column) -> Column:
    """A column whose only row is another column."""
    return Column(JaggedShape._trusted([Uniform._frame(1), *column.shape.dims]), column.values)


def _sliced(column: Column, start: int, stop: int) -> Column:
    return structure.slice_items(column, 1, start, stop, [Uniform._frame(stop - start)])


def _compact(column: Column) -> Column:
    """Copy a row out of its column's buffers, so that a pickle holds only this row."""
    return Column(column.shape, pa.concat_arrays([column.values, column.values[:0]]))


def _wrapped(result: Any) -> Any:
    return Row._at(_boxed(result), 0) if isinstance(result, JaggedArray) else result


def _key(value: Any) -> tuple[Any, ...]:
    """Return a key that compares and hashes like a row: null last, NaN before it and equal to itself."""
    if value is None or value is pd.NA:
        return (2,)
    if isinstance(value, (list, tuple)):
        return (0, tuple(_key(one) for one in value))
    if isinstance(value, dict):
        return (0, tuple(_key(one) for one in value.values()))
    if isinstance(value, Row):
        return value._key()
    is_nan = value != value  # noqa: PLR0124 - only NaN differs from itself, in every number type
    return (1,) if is_nan else (0, value)


def row_texts(column: Column) -> Iterator[str | None]:
    """Yield the text of each row, as `str` of the row gives it, and None for a null row; rows are converted in parts."""
    n = column.shape.dims[0].size
    for start in range(0, n, ROWS_AT_A_TIME):
        part = _sliced(column, start, min(start + ROWS_AT_A_TIME, n))
        yield from (None if items is None else _text(items) for items in _items(part))


def _items(column: Column) -> Any:
    """Return the items of a column as nested lists, with leaves as they are written."""
    return JaggedArray._of(Column(column.shape, _written(column.values))).to_list()


def _written(values: pa.Array) -> pa.Array:
    """Return leaves as they are written: durations as counts of their unit, times as text with all of their digits."""
    form = _written_type(values.type)
    if form == values.type:
        return values
    return (values.dictionary_decode() if pa.types.is_dictionary(values.type) else values).cast(form)


@functools.lru_cache
def _written_type(type: pa.DataType) -> pa.DataType:
    if pa.types.is_duration(type):
        return pa.int64()
    if pa.types.is_time(type):
        return pa.string()
    if pa.types.is_struct(type):
        return pa.struct([field.with_type(_written_type(field.type)) for field in type])
    if pa.types.is_dictionary(type):
        form = _written_type(type.value_type)
        return type if form == type.value_type else form
    if _arrow.is_list_type(type):
        form = _written_type(type.value_type)
        return type if form == type.value_type else pa.large_list(form)
    return type


def _json_leaf(value: Any) -> Any:
    """Convert leaves that JSON can't represent to text that Arrow parses."""
    if isinstance(value, bytes):
        return value.hex()
    return value.isoformat() if isinstance(value, dt.date) else str(value)


_text = json.JSONEncoder(default=_json_leaf, ensure_ascii=False).encode
"""Converts the items of a row to text."""
