"""Operators of the extension array: elementwise, but `==` and `!=` compare whole rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from arrowjag._array import JaggedArray
from arrowjag._array.base import as_column
from arrowjag._column import Column, row_validity
from arrowjag._kernels.base.words import both_valid
from arrowjag._ops import structure
from arrowjag._ops.elementwise import PYTHON_COMPARISONS, PYTHON_OPERATORS
from arrowjag._pyarrow_versions import has_views, without_views
from arrowjag.dims import Uniform
from arrowjag.errors import JagError, JagTypeError, JagValueError, ShapeError, plural
from arrowjag.pandas._convert import as_array, in_one_type, is_missing, plain, read
from arrowjag.pandas._row_bytes import content_keys
from arrowjag.pandas._warnings import warn_of_scalar
from arrowjag.pandas.dtype import JaggedDtype
from arrowjag.pandas.row import Row

__all__ = ["Operators", "as_operand", "wrap", "wrap_column", "wrap_values"]

_HOSTS = (pd.Series, pd.Index, pd.DataFrame)


def wrap(array: JaggedArray) -> Any:
    """Convert a result to a pandas array: jagged from two dims on, else Arrow-backed."""
    return wrap_column(array, JaggedDtype.of(array)) if array.ndim > 1 else wrap_values(array.values)


def wrap_values(values: pa.Array) -> Any:
    """Wrap flat values as an Arrow-backed array; views of text become large text, because pandas can't select or print them."""
    if has_views(values.type):
        values = values.cast(without_views(values.type))
    return pd.arrays.ArrowExtensionArray(pa.chunked_array([values]))


def wrap_column(column: Column, dtype: Any) -> Any:
    """Wrap a column of a jagged dtype as a pandas array."""
    return dtype.construct_array_type()._of(column, dtype)


def as_operand(value: Any, n: int) -> Any:
    """Convert the other operand to an array or a scalar.

    Parameters
    ----------
    value : object
        An array of pandas or numpy with one item per row, nested lists, a row, or a scalar.
    n : int
        Number of rows; a single row is repeated this many times.

    Returns
    -------
    JaggedArray or scalar
        None for a missing value of pandas.
    """
    if isinstance(value, Row):
        index = np.full(n, value._place, np.int64)
        return JaggedArray._of(structure.take_items(value._column, 1, index, [Uniform._frame(n)]))
    if value is pd.NA or value is pd.NaT:
        return None
    if isinstance(value, pd.api.extensions.ExtensionArray) or (isinstance(value, np.ndarray) and value.ndim == 1):
        return _sized(as_array(value), n)
    if isinstance(value, (list, tuple)):
        return _sized(JaggedArray._of(as_column(plain(_object_array(value)))), n)
    return value


def _object_array(values: Any) -> Any:
    array = np.empty(len(values), object)
    for place, one in enumerate(values):
        array[place] = one
    return array


def _sized(array: JaggedArray, n: int) -> JaggedArray:
    if len(array) != n:
        raise ShapeError(f"Lengths must match: {plural(n, 'row')} and {len(array)}")
    return array


class Operators:
    """Mixin of binary and unary operators and ufuncs, for a class that holds a column."""

    __hash__ = None  # type: ignore[assignment]
    __pandas_priority__ = 1500  # before pandas' own arrays, behind Series

    _jagged: JaggedArray

    def _binary(self, function: Callable[[Any, Any], Any], other: Any, reflected: bool = False) -> Any:
        if isinstance(other, _HOSTS):
            return NotImplemented
        operand = as_operand(other, len(self._jagged))
        result = function(operand, self._jagged) if reflected else function(self._jagged, operand)
        return tuple(map(wrap, result)) if isinstance(result, tuple) else wrap(result)

    def _same_rows(self, other: Any) -> Any:
        if isinstance(other, _HOSTS):
            return NotImplemented
        n = len(self._jagged)
        if not isinstance(other, Row) and pd.api.types.is_scalar(other) and not is_missing(other):
            warn_of_scalar(self, other)
        if not isinstance(other, Row) and is_missing(other):
            return pd.arrays.ArrowExtensionArray(pa.chunked_array([pa.nulls(n, pa.bool_())]))
        return pd.arrays.ArrowExtensionArray(pa.chunked_array([_equal_rows(self._jagged, other)]))

    def __eq__(self, other: object) -> Any:
        return self._same_rows(other)

    def __ne__(self, other: object) -> Any:
        same = self._same_rows(other)
        return same if same is NotImplemented else ~same

    def __invert__(self) -> Any:
        return wrap(~self._jagged)

    def __neg__(self) -> Any:
        return wrap(-self._jagged)

    def __pos__(self) -> Any:
        return wrap(+self._jagged)

    def __abs__(self) -> Any:
        return wrap(abs(self._jagged))

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        if any(isinstance(one, _HOSTS) for one in inputs):
            return NotImplemented
        if method != "__call__" or options:
            return self._jagged.__array_ufunc__(ufunc, method, *inputs, **options)
        if ufunc in (np.equal, np.not_equal) and inputs[0] is self:
            return self == inputs[1] if ufunc is np.equal else self != inputs[1]
        n = len(self._jagged)
        result = ufunc(*(as_operand(one, n) for one in inputs))
        return tuple(map(wrap, result)) if isinstance(result, tuple) else wrap(result)


_OF_PANDAS = frozenset({"eq", "ne", "matmul"})
"""Operators that compare whole rows, or that Series of pandas define by `dot`."""


def _add_operators() -> None:
    for name, function in (PYTHON_OPERATORS | {"divmod": divmod}).items():
        if name in _OF_PANDAS:
            continue

        def forward(self: Operators, other: Any, function: Any = function) -> Any:
            return self._binary(function, other)

        def backward(self: Operators, other: Any, function: Any = function) -> Any:
            return self._binary(function, other, reflected=True)

        setattr(Operators, f"__{name}__", forward)
        if name not in PYTHON_COMPARISONS:
            setattr(Operators, f"__r{name}__", backward)


_add_operators()


def _equal_rows(array: JaggedArray, other: Any) -> pa.Array:
    """Return whether rows are equal; null if either row is null."""
    n = len(array)
    two = _rows_of(other, n)
    if two is not None and two.shape.nodes(1) != n:
        raise ShapeError(f"Lengths must match to compare: {plural(n, 'row')} and {two.shape.nodes(1)}")
    valid = both_valid(row_validity(array, 1), None if two is None else row_validity(two, 1))
    null = None if valid is None else ~valid
    if two is None or two.ndim != array.ndim:
        return pa.array(np.zeros(n, bool), mask=null)
    try:
        one, two, unlike = in_one_type(array, two, "==")
        equal = pc.equal(content_keys(one), content_keys(two))
    except JagError:
        return pa.array(np.zeros(n, bool), mask=null)
    return equal if unlike is None else pc.and_(equal, pa.array(~unlike))


def _rows_of(other: Any, n: int) -> Column | None:
    """Return the other operand of `==` as a column with the same number of rows; None if it holds no rows."""
    if isinstance(other, Row):
        return as_operand(other, n)  # type: ignore[no-any-return]
    if isinstance(other, Column):
        return other
    if not isinstance(other, (pd.api.extensions.ExtensionArray, np.ndarray, list, tuple)):
        return None
    if len(other) != n:
        raise ShapeError(f"Lengths must match to compare: {plural(n, 'row')} and {len(other)}")
    try:
        return as_array(other) if isinstance(other, pd.api.extensions.ExtensionArray) else read(other, None)
    except (JagTypeError, JagValueError, ShapeError):
        return as_array(np.zeros(n))
