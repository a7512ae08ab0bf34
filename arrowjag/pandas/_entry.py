"""Wrappers of pandas methods that would misinterpret an array, or one of its rows, in place of a column.

numpy has no ragged rows and converts integers beside nulls to floats. With the wrappers, ``pandas.Series(x)`` takes a `JaggedArray`
as a column. Data without arrays, rows or jagged columns passes through unchanged.
"""

from __future__ import annotations

import functools
import inspect
import pathlib
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pandas.core import common  # type: ignore[attr-defined]
from pandas.core.apply import FrameApply, FrameColumnApply  # type: ignore[import-not-found]
from pandas.core.computation.ops import Op, Term
from pandas.core.dtypes import cast as dtypes_cast
from pandas.core.groupby.ops import BaseGrouper  # type: ignore[attr-defined]  # the stubs omit internal names
from pandas.core.internals.blocks import Block  # type: ignore[import-not-found]
from pandas.core.reshape import merge, pivot
from pandas.core.window.rolling import BaseWindow

from arrowjag._array import JaggedArray
from arrowjag.creation import array as to_array
from arrowjag.dtype import JaggedType
from arrowjag.errors import JagAttributeError, JagError, JagTypeError, JagValueError, brief
from arrowjag.pandas._cells import is_jagged, rows_to_set
from arrowjag.pandas._convert import as_array
from arrowjag.pandas._given_lists import fillna, holds
from arrowjag.pandas._given_lists import replace as replace_lists
from arrowjag.pandas._joining import explode, factorize_keys, merge_keys
from arrowjag.pandas._objects import without_rows
from arrowjag.pandas._older import columns_of, keep_dtypes, replace, to_json
from arrowjag.pandas._operators import wrap
from arrowjag.pandas._versions import JSON_OF_OBJECTS, NO_ROW_BUILDERS, NO_ROWS_IN_REPLACE, OBJECT_APPENDS
from arrowjag.pandas.dtype import JaggedDtype
from arrowjag.pandas.row import ROWS_AT_A_TIME, Row

__all__ = ["install"]

_HERE = str(pathlib.Path(pd.__file__).parent / "<wrapped by arrowjag>")
"""File name given to wrappers: pandas attributes a warning to the first caller outside of its folder."""


def _entering(value: Any) -> Any:
    """Convert an array to a pandas column, and one without dims to its value; other values are returned unchanged.

    pandas would read a list or dict as several rows: such a value enters as a column of one row.
    """
    if not isinstance(value, JaggedArray):
        return value
    if value.ndim or pa.types.is_nested(value.type):
        return wrap(value)
    scalar = value.values[0]
    return scalar.as_py() if scalar.is_valid else pd.NA


def _init_series(original: Callable[..., Any]) -> Any:
    def init(self: Any, data: Any = None, *args: Any, **kwargs: Any) -> None:
        original(self, _entering(data), *args, **kwargs)

    return init


def _init_frame(original: Callable[..., Any]) -> Any:
    def init(self: Any, data: Any = None, *args: Any, **kwargs: Any) -> None:
        if isinstance(data, JaggedArray):
            raise JagTypeError(f'a DataFrame is made of named columns, pandas.DataFrame({{"v": x}}); got {data.shape!r} alone')
        if isinstance(data, dict) and any(isinstance(one, JaggedArray) for one in data.values()):
            data = {name: _entering(one) for name, one in data.items()}
        original(self, data, *args, **kwargs)

    return init


def _sanitize_column(original: Callable[..., Any]) -> Any:
    def sanitize(self: Any, value: Any, *args: Any, **kwargs: Any) -> Any:
        return original(self, _entering(value), *args, **kwargs)

    return sanitize


def _new_index(original: Callable[..., Any]) -> Any:
    def new(cls: Any, data: Any = None, *args: Any, **kwargs: Any) -> Any:
        return original(cls, _entering(data), *args, **kwargs)

    return new


def _operate(original: Callable[..., Any]) -> Any:
    """Compute with an array on the right of a plain Series or Index: pandas compared each object with the whole array."""

    def operate(self: Any, other: Any, op: Callable[[Any, Any], Any]) -> Any:
        if not isinstance(other, JaggedArray) or is_jagged(self):
            return original(self, other, op)
        return op(self.jag if isinstance(self, pd.Series) else to_array(self), other)

    return operate


def _insert_label(original: Callable[..., Any]) -> Any:
    """Without the wrapper, numpy would insert each item of a row, and the frame would have more labels than columns and crash."""

    def insert(self: Any, loc: int, item: Any) -> Any:
        if isinstance(item, Row) and not is_jagged(self):
            raise JagTypeError(f"a row can't be a label of an index of {self.dtype}, got {brief(item)}")
        return original(self, loc, item)

    return insert


def _labels(original: Callable[..., Any]) -> Any:
    """Treat a row as one label to drop; pandas would iterate over its items."""

    def index_labels_to_array(labels: Any, *args: Any, **kwargs: Any) -> Any:
        several = [labels] if isinstance(labels, Row) else labels
        if not isinstance(several, list) or not any(isinstance(one, Row) for one in several):
            return original(labels, *args, **kwargs)
        return np.fromiter(several, object, len(several))

    return index_labels_to_array


def _set_at(original: Callable[..., Any]) -> Any:
    def set_item(self: Any, key: Any, value: Any) -> None:
        before = columns_of(self.obj) if OBJECT_APPENDS and self.name == "loc" else []
        original(self, key, rows_to_set(self.obj, key, _entering(value), self.name != "iloc"))
        keep_dtypes(self.obj, before)

    return set_item


def _aggregate(original: Callable[..., Any]) -> Any:
    """A function of groups may return an array as the row of its group; pandas would unpack an array with one item."""

    def aggregate(self: Any, obj: Any, func: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        def row_of(group: Any) -> Any:
            result = func(group)
            is_array = isinstance(result, (pd.Series, JaggedArray, pd.api.extensions.ExtensionArray))
            return Row(result if isinstance(result, JaggedArray) else as_array(result)) if is_array else result

        return original(self, obj, row_of if is_jagged(obj) else func, *args, **kwargs)

    return aggregate


def _infer_dtype(original: Callable[..., Any]) -> Any:
    """Infer the jagged dtype of a row that becomes a column, as in ``frame["v"] = row``; pandas would store objects."""

    def infer_dtype_from_scalar(value: Any) -> Any:
        return (JaggedDtype.of(value._column), value) if isinstance(value, Row) else original(value)

    return infer_dtype_from_scalar


def _wrap_results(original: Callable[..., Any]) -> Any:
    """Store each row that a function of columns returns as one value; pandas would read the items of rows as columns of a frame."""

    def wrap_results(self: Any, results: dict[int, Any], res_index: Any) -> Any:
        found = list(results.values())
        if not any(isinstance(one, Row) for one in found):
            return original(self, results, res_index)
        try:
            values = JaggedDtype.construct_array_type()._from_scalars(found, dtype=None)
        except JagError:  # other values beside rows, or rows without a common type
            values = np.fromiter(found, object, len(found))
        return pd.Series(values, index=res_index)

    return wrap_results


def _clip(original: Callable[..., Any]) -> Any:
    """Clip items, as operators do; pandas would compare them and then keep whole rows."""

    def clip(self: Any, lower: Any = None, upper: Any = None, **options: Any) -> Any:
        if isinstance(self, pd.Series) and is_jagged(self) and not options.get("inplace"):
            return self.jag.clip(lower, upper)
        if isinstance(self, pd.Series) and is_jagged(self):
            raise JagTypeError("clip: items of rows can't be clipped in place; s.jag.clip(lower, upper) gives a new Series")
        columns = self.to_frame() if isinstance(self, pd.Series) else self
        jagged = [name for name, dtype in columns.dtypes.items() if isinstance(dtype, JaggedDtype)]
        if jagged:
            raise JagTypeError(f"clip: column {jagged[0]!r} is jagged; df[{jagged[0]!r}].jag.clip(lower, upper) gives a new column")
        return original(self, lower, upper, **options)

    return clip


def _window_values(original: Callable[..., Any]) -> Any:
    """Raise for rows; pandas would say that there are no numbers to aggregate."""

    def values_of(self: Any, values: Any) -> Any:
        if is_jagged(values):
            raise JagValueError(  # pandas replaces a TypeError
                f"{type(self).__name__.lower()}: windows of pandas hold numbers, got rows of {values.dtype}; .jag.rolling(n), "
                ".jag.expanding() and .jag.ewm(...) compute along the items of each row, with axis=0 along the rows of the column"
            )
        return original(self, values)

    return values_of


def _hist(original: Callable[..., Any]) -> Any:
    """Raise; matplotlib would draw one histogram per row."""

    def hist(self: Any, *args: Any, **kwargs: Any) -> Any:
        if is_jagged(self):
            raise JagTypeError(
                f"hist: rows of {self.dtype} have no height; .jag.plot.values() counts values, .jag.plot.sizes() the sizes of rows"
            )
        return original(self, *args, **kwargs)

    return hist


def _round_block(original: Callable[..., Any]) -> Any:
    """Round the items of numbers; pandas takes every dtype that is not numeric for text, and returns it unchanged."""

    def rounded(self: Any, decimals: int, *args: Any, **kwargs: Any) -> Any:
        leaf: Any = self.dtype.leaf if is_jagged(self) else None
        if leaf is not None and (pa.types.is_integer(leaf) or pa.types.is_floating(leaf) or pa.types.is_decimal(leaf)):
            return self.make_block_same_class(wrap(self.values._jagged.round(decimals)))
        return original(self, decimals, *args, **kwargs)

    return rounded


def _round_frame(original: Callable[..., Any]) -> Any:
    """Round the columns that a dict names; pandas leaves out those that are not numeric."""

    def rounded(self: Any, decimals: Any = 0, *args: Any, **kwargs: Any) -> Any:
        result = original(self, decimals, *args, **kwargs)
        if isinstance(decimals, (dict, pd.Series)):
            for place, (name, dtype) in enumerate(self.dtypes.items()):
                if isinstance(dtype, JaggedDtype) and name in decimals:
                    result.isetitem(place, self.iloc[:, place].round(decimals[name]))
        return result

    return rounded


def _keep_row(original: Callable[..., Any]) -> Any:
    """Write a `Row` to several cells of an object column as one value each; numpy would spread its items over the cells."""
    parameters = inspect.signature(original)
    name = next(name for name in ("value", "new", "other") if name in parameters.parameters)

    def written(self: Any, *args: Any, **kwargs: Any) -> Any:
        if self.dtype == object and any(isinstance(one, Row) for one in (*args, *kwargs.values())):
            given = parameters.bind(self, *args, **kwargs)
            if not _is_cell(given.arguments.get("indexer"), self.ndim):
                given.arguments[name] = _one_value(given.arguments[name])
            args, kwargs = given.args[1:], given.kwargs
        return original(self, *args, **kwargs)

    return written


def _is_cell(place: Any, ndim: int) -> bool:
    """Return whether an indexer is that of one cell, to which numpy writes a row as it is."""
    places = place if isinstance(place, tuple) else (place,)
    return len(places) == ndim and all(isinstance(one, (int, np.integer)) for one in places)


def _one_value(value: Any) -> Any:
    """Return a row as an array of numpy without axes, which broadcasts as a scalar; other values unchanged."""
    if not isinstance(value, Row):
        return value
    boxed = np.empty((), object)
    boxed[()] = value
    return boxed


def _case_when(original: Callable[..., Any]) -> Any:
    """Use a `Row` as the replacement of each chosen row; pandas would fill an array of numpy with its items."""

    def case_when(self: Any, caselist: Any) -> Any:
        if isinstance(caselist, list):
            caselist = [_with_row_repeated(one, self.index) for one in caselist]
        return original(self, caselist)

    return case_when


def _with_row_repeated(case: Any, index: Any) -> Any:
    if not isinstance(case, tuple) or len(case) != 2 or not isinstance(case[1], Row):
        return case
    return case[0], pd.Series(case[1], index=index, dtype=JaggedDtype.of(case[1]._column))


def _set_columns(original: Callable[..., Any]) -> Any:
    """Raise for rows as column labels: pandas would create one column per item."""

    def set_item(self: Any, key: Any, value: Any) -> None:
        dtype: Any = key.dtype if isinstance(key, pd.Series) else None
        if isinstance(dtype, JaggedDtype) and not pa.types.is_boolean(dtype.leaf):
            raise JagTypeError(
                f"a row can't be a label of an index of {self.columns.dtype}, got the column {key.name!r} of {dtype}"
            )
        original(self, key, value)

    return set_item


def _iterate(original: Callable[..., Any]) -> Any:
    """Iterate over a Series as nested lists, which json and other libraries accept; the array itself yields `Row` objects."""

    def iterate(self: Any) -> Any:
        return _lists(self.array) if is_jagged(self) else original(self)

    return iterate


def _to_list(original: Callable[..., Any]) -> Any:
    def to_list(self: Any) -> Any:
        return list(_lists(self.array)) if is_jagged(self) else original(self)

    return to_list


def _lists(array: Any) -> Iterator[Any]:
    """Yield the rows of an array as nested lists, NA for a null row; they are converted in parts."""
    for start in range(0, len(array), ROWS_AT_A_TIME):
        part = array[start : start + ROWS_AT_A_TIME]
        yield from (pd.NA if row is None else row for row in part._jagged.to_list())


def _to_dict(original: Callable[..., Any]) -> Any:
    def to_dict(self: Any, *args: Any, **kwargs: Any) -> Any:
        orient = kwargs.get("orient", args[0] if args else "dict")
        return original(self if orient == "series" else without_rows(self), *args, **kwargs)

    return to_dict


def _is_list_of_columns(original: Callable[..., Any]) -> Any:
    """Treat a jagged column as one column of `crosstab`, which would read a column of lists as a list of columns."""

    def is_list_of_columns(obj: Any) -> Any:
        return not (isinstance(obj, JaggedArray) or is_jagged(obj)) and original(obj)

    return is_list_of_columns


def _csv_block(original: Callable[..., Any]) -> Any:
    """Convert all rows to text at once; the writer of CSV would convert each on its own."""

    def values_for_csv(self: Any, *, na_rep: str = "nan", **options: Any) -> Any:
        if not is_jagged(self):
            return original(self, na_rep=na_rep, **options)
        return self.make_block(self.values._texts(na_rep))

    return values_for_csv


def _convert_block(original: Callable[..., Any]) -> Any:
    """Keep the jagged dtype; pandas would call numpy to infer another one."""

    def convert(self: Any, *args: Any, **kwargs: Any) -> Any:
        return [self.copy(deep=False)] if is_jagged(self) else original(self, *args, **kwargs)

    return convert


def _build_rows(original: Callable[..., Any]) -> Any:
    """pandas stores the values of a frame's row in an object array, and numpy would unpack lists of equal length."""

    def builder(arrays: list[Any], dtype: Any, cls: Any) -> Any:
        if not all(is_jagged(array) and array.dtype == dtype for array in arrays):
            return original(arrays, dtype, cls)
        return lambda row: cls._from_sequence([array[row] for array in arrays], dtype=dtype)

    return builder


def _accessor(original: Callable[..., Any]) -> Any:
    """Name the namespace of `.jag` that has the methods; pandas would say that the column holds no text, or no times."""

    def get(self: Any, obj: Any, cls: Any = None) -> Any:
        hint = _NAMESPACES.get(self._name) if is_jagged(obj) else None
        if hint is not None:
            raise JagAttributeError(f".{self._name} of pandas takes no rows of {obj.dtype}, which are lists; {hint}", self._name)
        return original(self, obj, cls)

    return get


_NAMESPACES = {
    "str": "items have .jag.str",
    "dt": "items have .jag.dt",
    "list": "use .jag, such as .jag.lengths() for .list.len()",
    "struct": 'items have .jag["field"]',
}


def _from_arrow(original: Callable[..., Any]) -> Any:
    """Keep the jagged dtype where pandas reads with ``dtype_backend="pyarrow"``: rows of an `ArrowDtype` can't be computed with."""

    def from_arrow(self: Any, array: Any) -> Any:
        dtype = JaggedDtype.from_arrow_type(array.type) if isinstance(array.type, JaggedType) else None
        return dtype.__from_arrow__(array) if isinstance(dtype, JaggedDtype) else original(self, array)

    return from_arrow


def _allow_operands() -> None:
    """Let `eval` compute with jagged columns: pandas rejects dtypes without a numpy result type before it calls their operators."""
    _wrap_property(Op, "has_invalid_return_type", _is_invalid)
    for name in ("type", "return_type"):
        _wrap_property(Term, name, _type_of_term)


def _is_invalid(original: Callable[[Any], Any]) -> Any:
    def has_invalid_return_type(self: Any) -> Any:
        return not any(isinstance(one, JaggedDtype) for one in self.operand_types) and original(self)

    return has_invalid_return_type


def _type_of_term(original: Callable[[Any], Any]) -> Any:
    """Return the dtype of a row, as in ``frame.query("v == @row")``; pandas would take `Row.type` for a class of scalars."""

    def type_of_term(self: Any) -> Any:
        value = self.value
        return JaggedDtype.of(value._column) if isinstance(value, Row) else original(self)

    return type_of_term


def _allow_arrays_on_the_right() -> None:
    for name in ("_arith_method", "_cmp_method", "_logical_method"):
        _wrap(pd.Series, name, _operate)
        _wrap(pd.Index, name, _operate)


def _take_rows_for_values() -> None:
    _wrap(dtypes_cast, "infer_dtype_from_scalar", _infer_dtype)
    _wrap(FrameApply, "wrap_results", _wrap_results)
    _wrap(pd.Series, "case_when", _case_when)


def _compare_keys_by_content() -> None:
    _wrap(vars(merge)["_MergeOperation"], "_maybe_coerce_merge_keys", merge_keys)
    _wrap(merge, "_factorize_keys", factorize_keys)


def _give_python_values() -> None:
    _wrap(pd.Series, "__iter__", _iterate)
    _wrap(pd.Series, "tolist", _to_list)
    _wrap(pd.Series, "to_list", _to_list)
    for host in (pd.Series, pd.DataFrame):
        _wrap(host, "to_dict", _to_dict)


def install() -> None:
    """Wrap the methods of pandas, once."""
    _allow_operands()
    _take_rows_for_values()
    _wrap(pd.Series, "__init__", _init_series)
    _allow_arrays_on_the_right()
    _wrap(pd.DataFrame, "__init__", _init_frame)
    _wrap(pd.DataFrame, "_sanitize_column", _sanitize_column)
    _wrap(pd.Index, "__new__", _new_index)
    _wrap(pd.Index, "insert", _insert_label)
    _wrap(common, "index_labels_to_array", _labels)
    _wrap(_owner(type(pd.Series([0]).loc), "__setitem__"), "__setitem__", _set_at)
    _wrap(BaseGrouper, "_aggregate_series_pure_python", _aggregate)
    _wrap(pd.Series, "clip", _clip)
    _wrap(pd.DataFrame, "clip", _clip)
    _wrap(pd.DataFrame, "__setitem__", _set_columns)
    _wrap(pd.Series, "hist", _hist)
    _wrap(BaseWindow, "_prep_values", _window_values)
    _wrap(pd.DataFrame, "round", _round_frame)
    _wrap(Block, "round", _round_block)
    for name in ("setitem", "putmask", "where", "replace"):
        _wrap(Block, name, _keep_row)
    _wrap(_owner(type(pd.Series([0])._mgr), "setitem_inplace"), "setitem_inplace", _keep_row)
    _give_python_values()
    _wrap(Block, "convert_dtypes", _convert_block)
    _wrap(Block, "get_values_for_csv", _csv_block)
    _wrap(pivot, "is_nested_list_like", _is_list_of_columns)
    if not NO_ROW_BUILDERS:
        _wrap(FrameColumnApply, "_make_ea_row_builder", _build_rows, staticmethod)
    _compare_keys_by_content()
    _wrap(pd.DataFrame, "explode", explode)
    _wrap(type(vars(pd.Series)["str"]), "__get__", _accessor)
    _wrap(pd.ArrowDtype, "__from_arrow__", _from_arrow)
    _wrap(Block, "_can_hold_element", holds)
    _wrap(_owner(pd.Series, "fillna"), "fillna", fillna)
    _wrap(
        _owner(pd.Series, "replace"),
        "replace",
        lambda original: replace_lists(replace(original) if NO_ROWS_IN_REPLACE else original),
    )
    if JSON_OF_OBJECTS:
        _wrap(pd.Series, "to_json", to_json)


def _owner(cls: type, name: str) -> type:
    """The class that defines a method."""
    return next(base for base in cls.__mro__ if name in vars(base))


def _wrap_property(owner: Any, name: str, wrapper: Callable[[Callable[[Any], Any]], Any]) -> None:
    original = vars(owner)[name].fget
    if not getattr(original, "_wrapped_by_arrowjag", False):
        made = wrapper(original)
        made._wrapped_by_arrowjag = True
        setattr(owner, name, property(made))


def _wrap(owner: Any, name: str, wrapper: Callable[[Callable[..., Any]], FunctionType], kind: Any = None) -> None:
    original = getattr(owner, name)
    if getattr(original, "_wrapped_by_arrowjag", False):
        return
    made = wrapper(original)
    made.__code__ = made.__code__.replace(co_filename=_HERE)
    wrapped: Any = functools.wraps(original)(made)
    wrapped._wrapped_by_arrowjag = True
    setattr(owner, name, wrapped if kind is None else kind(wrapped))
