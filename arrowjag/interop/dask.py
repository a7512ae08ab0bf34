"""`.jag` on dask's Series and frames: importing this module registers it and the hooks with which dask keeps jagged columns.

A call whose rows are independent runs partition by partition, as pandas' `.jag` does; an empty partition gives its result type.
Reductions over the rows combine partial results of the partitions in a tree. A call that needs all rows at once
(``cumsum(axis=0)``, `shuffle`) runs on one partition that holds them all. A call that would give other rows raises.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import inspect
import operator
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa

from arrowjag import creation, functions
from arrowjag._array import JaggedArray
from arrowjag._array.indexing import rows_of_key
from arrowjag._array.row_functions import needed_type
from arrowjag._array.windows import WindowMethods
from arrowjag._expressions import is_plain
from arrowjag._expressions.tree import ROW_FUNCTIONS, is_scalar, mapped_values, record_arguments, record_operands
from arrowjag._methods import FREE_FUNCTIONS, HOSTS, METHODS, Host, Method, Rows, add_namespaces, rows_of_free
from arrowjag._ops.elementwise import PYTHON_COMPARISONS, PYTHON_OPERATORS
from arrowjag._vocabulary.spellings import suggestion
from arrowjag.errors import JagAttributeError, JagTypeError, MissingDependencyError, plural

try:
    import dask.dataframe as dd
    import pandas as pd
    from dask.base import normalize_token
    from dask.dataframe import extensions
    from dask.delayed import delayed
except ModuleNotFoundError as error:
    raise MissingDependencyError.of("dask", "dask", "jagged columns of dask.dataframe") from error

from arrowjag.pandas import JaggedDtype, JaggedExtensionArray
from arrowjag.pandas._convert import as_array
from arrowjag.pandas._wrapping import rewrap

__all__ = ["DaskFrameJag", "DaskSeriesJag"]

_untyped: Any = extensions  # dask has annotations for parts only
_map_partitions: Any = dd.map_partitions
_normalize_token: Any = normalize_token

_FAN_IN = 8
"""Number of partial results that one step of a tree combines."""

_COMBINED_BY = {"sum": "sum", "prod": "prod", "min": "min", "max": "max", "any": "any", "all": "all", "count": "sum"}
"""Reductions whose partial results another reduction combines."""


# ----------------------------------------------------------------------------------------------------- registration


@_normalize_token.register(JaggedExtensionArray)  # type: ignore[untyped-decorator]
def _token(array: JaggedExtensionArray) -> tuple[str, str, str]:
    """Hash a column by the bytes of its Arrow buffers; the slice of a column equals its copy."""
    column = pa.array(array)
    plain = column.storage if isinstance(column, pa.ExtensionArray) else column
    sink = pa.BufferOutputStream()
    batch = pa.record_batch([pa.concat_arrays([plain])], names=["v"])
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return "arrowjag", str(array.dtype), hashlib.blake2b(memoryview(sink.getvalue()), digest_size=16).hexdigest()


@_untyped.make_array_nonempty.register(JaggedDtype)  # type: ignore[untyped-decorator]
def _nonempty(dtype: JaggedDtype) -> JaggedExtensionArray:
    """Return the example rows from which dask infers types: a row with one null item, and a null row."""
    row: Any = None
    for extent in reversed(dtype.extents or (None,) * (dtype.ndim - 1)):
        row = [row] * (1 if extent is None else extent)
    made: JaggedExtensionArray = JaggedExtensionArray._from_sequence([row, None], dtype=dtype)
    return made


# --------------------------------------------------------------------------------------------------- calls on pandas


def _run(series: pd.Series[Any], name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a method of the table on one partition."""
    owner = functools.reduce(getattr, name.split(".")[:-1], series.jag)
    found = getattr(owner, name.rpartition(".")[2])
    result = found if METHODS[name].is_property else found(*args, **kwargs)
    return pd.Series(result, index=series.index, name=series.name) if isinstance(result, JaggedArray) else result


def _opened(operands: Sequence[Any], places: Sequence[Any]) -> list[Any]:
    """Insert the partitions of Series arguments at their positions."""
    rest = iter(operands)
    return [next(rest) if place is None else place[0] for place in places]


def _method(series: pd.Series[Any], *operands: Any, name: str, places: Any, keys: tuple[str, ...]) -> Any:
    values = _opened(operands, places)
    first = len(values) - len(keys)
    return _run(series, name, tuple(values[:first]), dict(zip(keys, values[first:], strict=True)))


def _reduced(series: pd.Series[Any], *operands: Any, name: str, places: Any, keys: tuple[str, ...]) -> Any:
    """Reduce all rows, on the one partition that holds them."""
    values = [as_array(one) if isinstance(one, pd.Series) else one for one in _opened(operands, places)]
    first = len(values) - len(keys)
    return METHODS[name].function(as_array(series), *values[:first], **dict(zip(keys, values[first:], strict=True)))


def _operator(series: pd.Series[Any], *operands: Any, function: Callable[..., Any], places: Any) -> Any:
    return function(*(one.jag if isinstance(one, pd.Series) else one for one in _opened([series, *operands], places)))


def _item(series: pd.Series[Any], *operands: Any, places: Any) -> Any:
    keys = _opened(operands, places)
    return series.jag[tuple(keys) if len(keys) > 1 else keys[0]]


def _partial(series: pd.Series[Any], name: str, arguments: dict[str, Any]) -> Any:
    """Reduce the rows of one partition; None if they hold no items: `skip_nulls=False` would take their null for a null item."""
    rows = as_array(series)
    result = METHODS[name].function(rows, **arguments) if len(series) else None
    return result if isinstance(result, JaggedArray) or rows.size else None


def _combined(parts: Sequence[Any], name: str, arguments: dict[str, Any]) -> Any:
    """Combine partial results: each is one row, and the rows are reduced again."""
    known = [one for one in parts if one is not None]
    if len(known) < 2:
        return known[0] if known else None
    if not isinstance(known[0], JaggedArray):
        rows = creation.array(pa.array([one.as_py() for one in known], known[0].type))
        return METHODS[name].function(rows, **arguments)
    rows = functions.concat([one.unsqueeze(0) for one in known], axis=0)
    return METHODS[name].function(rows, **arguments)


def _closed(result: Any, empty: Any, name: Any) -> Any:
    return rewrap(empty if result is None else result, None, name)


# ------------------------------------------------------------------------------------------------------------ Series


@_untyped.register_series_accessor("jag")
class DaskSeriesJag:
    """Every operation on jagged columns of a dask Series, made from the table of methods.

    Parameters
    ----------
    series : dask.dataframe.Series
        Of a jagged dtype, of Arrow lists, or a plain column.

    Notes
    -----
    Arguments that are dask Series are aligned as in dask's own operators. Divisions stay. Reductions over the rows (``axis=0``,
    ``axis=None``) return what `dask.delayed` returns; sums of floats add partitions, so their last digit may depend on the
    partitions. Calls that need all rows at once run on a single partition.

    Examples
    --------
    >>> import arrowjag as aj, pandas as pd
    >>> import dask.dataframe as dd  # doctest: +SKIP
    >>> import arrowjag.interop.dask  # doctest: +SKIP
    >>> frame = dd.from_pandas(pd.DataFrame({"v": aj.array([[1, 2], [3]])}), npartitions=2)  # doctest: +SKIP
    >>> frame["v"].jag.sum().compute().tolist()  # doctest: +SKIP
    [3, 3]
    """

    def __init__(self, series: Any) -> None:
        self._series = series

    def __repr__(self) -> str:
        return f"{type(self).__name__} of a dask Series of {self._series.dtype}"

    def _call(self, method: Method, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        empty = as_array(self._series._meta)
        named = {key: _unboxed(one) for key, one in kwargs.items()}
        values = [_unboxed(one) for one in (*args, *named.values())]
        arguments = method.bind(tuple(_empty(one) for one in values[: len(args)]), {key: _empty(one) for key, one in named.items()})
        if method.name in ROW_FUNCTIONS:
            needed_type(arguments.get("type"), method.name)
        rows = method.rows(empty.ndim, arguments)
        if rows is Rows.MOVED:
            raise JagTypeError(
                f"{method.name} gives other rows than the column of a dask frame has: call it on the frame (df.jag.flatten), "
                "or on the pandas column that compute() returns"
            )
        others = [one for one in values if isinstance(one, dd.Series)]
        shared: dict[str, Any] = {
            "name": method.name,
            "places": [None if isinstance(one, dd.Series) else (one,) for one in values],
            "keys": tuple(named),
        }
        if rows is not Rows.REDUCED:
            record_arguments(method.name, tuple(values[: len(args)]), named, functools.partial(_without_rows, method.name))
            call = functools.partial(_method, **shared)
            return self._map(call, others, rows is Rows.KEPT or method.seeded, self._meta(method, empty, arguments))
        rounds = method.name == "prod" and pa.types.is_decimal(empty.type)  # each product, and so by the partitions
        if method.name in _COMBINED_BY and not others and not arguments.get("min_count") and not rounds:
            return self._reduce(method, arguments)
        whole = [one.repartition(npartitions=1).to_delayed()[0] for one in (self._series, *others)]
        return delayed(rewrap)(delayed(functools.partial(_reduced, **shared))(*whole), None, self._series.name)

    def _meta(self, method: Method, empty: JaggedArray, arguments: dict[str, Any]) -> Any:
        """The result without rows of a method whose arguments may hold positions of rows; None where the call itself gives it."""
        if method.result_type is None:
            return None
        found = method.result_type(empty, **arguments)
        return rewrap(found, self._series._meta.index, self._series.name)

    def _map(self, call: Callable[..., Any], others: list[Any], whole: bool = False, meta: Any = None) -> Any:
        """Run a call on each partition, or on one that holds all rows."""
        return _on_partitions(call, [self._series, *others], whole, meta)

    def _reduce(self, method: Method, arguments: dict[str, Any]) -> Any:
        name = method.name
        empty = method.function(as_array(self._series._meta), **arguments)
        combined = _COMBINED_BY[name]
        parts = [delayed(_partial)(one, name, arguments) for one in self._series.to_delayed()]
        again = {"axis": 0} | {key: one for key, one in arguments.items() if key == "skip_nulls" and name != "count"}
        while len(parts) > 1:
            parts = [delayed(_combined)(parts[at : at + _FAN_IN], combined, again) for at in range(0, len(parts), _FAN_IN)]
        return delayed(_closed)(parts[0], empty, self._series.name)

    def __getitem__(self, key: Any) -> Any:
        keys = [_unboxed(one) for one in (key if isinstance(key, tuple) else (key,))]
        first = keys[0] if keys else None
        stays = first is Ellipsis or isinstance(first, str) or (isinstance(first, slice) and first == slice(None))
        if not stays and not (isinstance(first, dd.Series) and as_array(first._meta).ndim > 1):
            raise JagTypeError(
                "indexing the rows of a dask column gives other rows: filter the frame (df[mask]), write .jag[:, key] for items, "
                "or index the pandas column that compute() returns"
            )
        call = functools.partial(_item, places=[None if isinstance(one, dd.Series) else (one,) for one in keys])
        rows = rows_of_key(as_array(self._series._meta).ndim, tuple(map(_empty, keys)) if isinstance(key, tuple) else _empty(first))
        return self._map(call, [one for one in keys if isinstance(one, dd.Series)], rows is Rows.KEPT)

    rolling, expanding, ewm = WindowMethods.rolling, WindowMethods.expanding, WindowMethods.ewm

    def __getattr__(self, name: str) -> NoReturn:
        """Raise for an unknown name, and suggest one of the accessor."""
        _refuse_name(self, name, "Series", JaggedArray, "series.jag")

    def _binary(self, function: Callable[..., Any], *operands: Any) -> Any:
        values = [_without_rows(function.__name__, _unboxed(one), rowwise=True) for one in operands]
        places = [None if isinstance(one, dd.Series) else (one,) for one in values]
        series = [one for one in values if isinstance(one, dd.Series)]
        return _on_partitions(functools.partial(_operator, function=function, places=places), series, False)

    def __neg__(self) -> Any:
        return self._binary(operator.neg, self)

    def __invert__(self) -> Any:
        return self._binary(operator.invert, self)

    def __abs__(self) -> Any:
        return self._binary(abs, self)

    def __pos__(self) -> Any:
        return self._binary(operator.pos, self)

    def __round__(self, decimals: int = 0) -> Any:
        return self._binary(round, self, decimals)

    def __divmod__(self, other: Any) -> tuple[Any, Any]:
        return self._binary(operator.floordiv, self, other), self._binary(operator.mod, self, other)

    def __rdivmod__(self, other: Any) -> tuple[Any, Any]:
        return self._binary(operator.floordiv, other, self), self._binary(operator.mod, other, self)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__" or options:
            return NotImplemented
        if ufunc.nout == 1:
            return self._binary(ufunc, *inputs)
        return tuple(self._binary(_Part(ufunc, place), *inputs) for place in range(ufunc.nout))

    __hash__ = None  # type: ignore[assignment]


@dataclasses.dataclass(frozen=True)
class _Part:
    """One of the results of a ufunc."""

    ufunc: np.ufunc
    place: int

    @property
    def __name__(self) -> str:
        return self.ufunc.__name__

    def __call__(self, *inputs: Any) -> Any:
        return self.ufunc(*inputs)[self.place]


def _without_rows(name: str, value: Any, *, rowwise: bool = False) -> Any:
    """Return an argument; raise for a list or an array with one item per row, which can't be divided among partitions."""
    if rowwise and not isinstance(value, (dd.Series, pd.Series)) and not is_scalar(value):
        raise JagTypeError(
            f"{name}: a {type(value).__name__} beside a dask column has the items of all rows, and each partition needs its own: "
            "make it a column of the frame, or call it on the pandas column that compute() returns"
        )
    return value


def _on_partitions(call: Callable[..., Any], series: list[Any], whole: bool, meta: Any = None) -> Any:
    """Run a call on each partition of some Series, or on one that holds all rows; `meta` is by default the result without rows."""
    series = [one.repartition(npartitions=1) for one in series] if whole else _partitioned_alike(series)
    meta = call(*(one._meta for one in series)) if meta is None else meta
    if not isinstance(meta, pd.Series):
        raise JagTypeError(
            f"the result is not a column but {type(meta).__name__}: call it on the pandas column that compute() returns"
        )
    return _map_partitions(call, *series, meta=meta)


def _partitioned_alike(series: list[Any]) -> list[Any]:
    """Divide Series of one partition as the others; dask would pass all of its rows with each partition of the others.

    Series of several partitions are aligned by dask, which refuses unknown divisions.
    """
    most = max(series, key=lambda one: one.npartitions)
    if most.npartitions == 1 or all(one.npartitions > 1 for one in series):
        return series
    if not all(one.known_divisions for one in series):
        return [one.repartition(npartitions=1) for one in series]
    return [one if one.npartitions > 1 else one.repartition(divisions=most.divisions, force=True) for one in series]


def _refuse_name(accessor: Any, name: str, kind: str, in_memory: Any, where: str) -> NoReturn:
    """Raise for an unknown name of an accessor; names that need all rows are those of the accessor or class `in_memory`."""
    if name.startswith("_"):
        raise AttributeError(name)

    def hint() -> str:
        if hasattr(in_memory, name):
            return f"; read it from .jag of the pandas {kind} that compute() returns"
        return suggestion(name, dir(type(accessor)), where=where)

    raise JagAttributeError(f".jag of a dask {kind} has no {name!r}", name, hint)


def _unboxed(value: Any) -> Any:
    """Return the Series of an accessor; raise for objects of pandas, with all of whose rows each partition would be aligned."""
    found = getattr(value, "_series", value)
    if isinstance(found, (pd.Series, pd.Index, pd.DataFrame)):
        raise JagTypeError(
            f"a pandas {type(found).__name__} has rows that no partition of the dask column has: make a dask Series of it by "
            "dask.dataframe.from_pandas, or pass .tolist() of values that are not one per row"
        )
    return found


def _empty(value: Any) -> Any:
    """An argument as the plan sees it: a dask Series without rows."""
    return as_array(value._meta) if isinstance(value, dd.Series) else value


def _delegate(method: Method) -> Any:
    if method.is_property:
        return property(lambda self: self._call(method, (), {}), doc=method.function.__doc__)

    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        return self._call(method, args, kwargs)

    return method.described(call)


def _operators(function: Callable[[Any, Any], Any]) -> tuple[Any, Any]:
    return (lambda self, other: self._binary(function, self, other)), (lambda self, other: self._binary(function, other, self))


def _complete() -> None:
    add_namespaces(DaskSeriesJag, _delegate)
    for name, method in METHODS.items():
        if name.isidentifier() and name not in vars(DaskSeriesJag):
            setattr(DaskSeriesJag, name, _delegate(method))
    for name, function in PYTHON_OPERATORS.items():
        forward, backward = _operators(function)
        setattr(DaskSeriesJag, f"__{name}__", forward)
        if name not in PYTHON_COMPARISONS:
            setattr(DaskSeriesJag, f"__r{name}__", backward)


_complete()


def _leave_to_accessors(name: str) -> None:
    """Make dask's Series leave an operator to `.jag` on its right, as pandas' do; dask would take the accessor for a constant."""
    of_dask: Any = getattr(dd.Series, name)

    @functools.wraps(of_dask)
    def called(self: Any, other: Any) -> Any:
        return NotImplemented if isinstance(other, DaskSeriesJag) else of_dask(self, other)

    setattr(dd.Series, name, called)


for _name in (*PYTHON_OPERATORS, "divmod"):
    if hasattr(dd.Series, f"__{_name}__"):  # dask has no shifts
        _leave_to_accessors(f"__{_name}__")


# ----------------------------------------------------------------------------------------------------- free functions


def _free(*series: pd.Series[Any], function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a free function, or one that `jit` made, on the partitions of its operands."""
    function = FREE_FUNCTIONS[function] if isinstance(function, str) else function

    def place(one: Any) -> Any:
        return series[one.number] if isinstance(one, _Place) else one

    return function(*(mapped_values(one, place) for one in args), **{key: mapped_values(one, place) for key, one in kwargs.items()})


@dataclasses.dataclass(frozen=True)
class _Place:
    """Stands for an operand of a call."""

    number: int


def _owns(value: Any) -> bool:
    return isinstance(value, (dd.Series, DaskSeriesJag))


def _refuse_rows(name: str, args: tuple[Any, ...], kwargs: dict[str, Any], *, is_traced: bool) -> None:
    """Raise for lists and arrays with one item per row among the arguments of a function."""

    def check(value: Any, *, rowwise: bool = False) -> None:
        members = value if isinstance(value, (list, tuple)) and any(map(_owns, value)) else [value]
        for one in members:
            _without_rows(name, _unboxed(one), rowwise=rowwise)

    if not is_traced:
        record_operands(name, args, kwargs, check, (dd.Series, DaskSeriesJag), lambda one: isinstance(one, JaggedArray))
        return
    for one in (*args, *kwargs.values()):
        check(one, rowwise=is_plain(one, (dd.Series, DaskSeriesJag)))


def _call_free(function: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a function by partitions, or on one partition if its effect on the rows is unknown or its rows depend on others."""
    series: list[Any] = []

    def placed(value: Any) -> Any:
        found = _unboxed(value)
        if not _owns(value):
            return value
        series.append(found)
        return _Place(len(series) - 1)

    is_traced = not hasattr(function, "rows")
    _refuse_rows(name, args, kwargs, is_traced=is_traced)

    def opened(one: Any) -> Any:
        return as_array(_unboxed(one)._meta) if _owns(one) else one

    on_empty = {key: mapped_values(one, opened) for key, one in kwargs.items()}
    rows = rows_of_free(function, tuple(mapped_values(one, opened) for one in args), on_empty)
    if rows is Rows.MOVED:
        raise JagTypeError(
            f"{name} gives other rows than the columns of a dask frame have: call it on the pandas columns that compute() returns"
        )
    if name in ROW_FUNCTIONS and not is_traced:
        needed_type(kwargs.get("type"), name)
    call = functools.partial(
        _free,
        function=function.__self__ if is_traced else name,
        args=tuple(mapped_values(one, placed) for one in args),
        kwargs={key: mapped_values(one, placed) for key, one in kwargs.items()},
    )
    return _on_partitions(call, series, is_traced or rows is Rows.KEPT)


HOSTS.append(Host(_owns, _call_free))


# ------------------------------------------------------------------------------------------------------------- frames


def _frame(frame: pd.DataFrame, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> pd.DataFrame:
    made: pd.DataFrame = getattr(frame.jag, name)(*args, **kwargs)
    return made


_NUMBER = "__arrowjag_row__"
"""A column of row numbers, by which rows return to their order after a shuffle."""


def _imploded(frame: pd.DataFrame, by: Any, columns: Any) -> pd.DataFrame:
    return _frame(frame.sort_values(_NUMBER).drop(columns=_NUMBER), "implode", (by, columns), {})


@_untyped.register_dataframe_accessor("jag")
class DaskFrameJag:
    """Operations on several jagged columns of a dask frame, partition by partition.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
        With jagged columns.

    Notes
    -----
    `flatten`, `nest`, `unnest`, `query`, `filter`, `sort_items` and `topk` are those of pandas frames; columns and masks are named,
    not passed as Series. `implode` first moves the rows of each key to one partition.
    """

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def __repr__(self) -> str:
        return f"{type(self).__name__} of a dask DataFrame of {plural(len(self._frame.columns), 'column')}"

    def __getattr__(self, name: str) -> NoReturn:
        """Raise for an unknown name, and suggest one of the accessor; methods of single columns are under `.jag` of the column."""
        _refuse_name(self, name, "frame", pd.DataFrame().jag, "df[column].jag")

    def _map(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if any(isinstance(one, dd.Series) for one in (*args, *kwargs.values())):
            raise JagTypeError(f"{name} of a dask frame takes names of columns, not Series: assign the Series as a column first")
        meta = _frame(self._frame._meta, name, args, kwargs)
        made = self._frame.map_partitions(_frame, name, args, kwargs, meta=meta)
        return made.clear_divisions() if name == "flatten" else made

    def implode(self, by: Any, columns: Any = None) -> Any:
        """Nest rows into one row per group; the inverse of `flatten`.

        Parameters
        ----------
        by : hashable or list of hashable
            Columns that name the group.
        columns : hashable or list of hashable, optional
            Columns that become jagged; all others by default.

        Returns
        -------
        dask.dataframe.DataFrame
            One row per group; items keep the order of the rows, groups are in no particular order. Cost: a shuffle by `by`.
        """
        keys = by if isinstance(by, list) else [by]
        wanted = [one for one in self._frame.columns if one not in keys] if columns is None else columns
        numbered = self._frame.assign(**{_NUMBER: 1})
        numbered[_NUMBER] = numbered[_NUMBER].cumsum()
        meta = _frame(self._frame._meta, "implode", (by, wanted), {})
        return numbered.shuffle(on=by).map_partitions(_imploded, by, wanted, meta=meta).clear_divisions()


def _frame_method(name: str) -> Any:
    source = getattr(type(pd.DataFrame().jag), name)

    @functools.wraps(source)
    def call(self: DaskFrameJag, *args: Any, **kwargs: Any) -> Any:
        return self._map(name, args, kwargs)

    if source.__doc__:  # python -OO strips it
        call.__doc__ = _of_dask(source.__doc__)
    return call


def _of_dask(docstring: str) -> str:
    """The docstring of a method of pandas frames, for dask frames: without the example, which prints a pandas frame."""
    text = inspect.cleandoc(docstring).partition("\nExamples\n")[0].replace("pandas.DataFrame", "dask.dataframe.DataFrame")
    return f"{text}\nNotes\n-----\nComputed partition by partition. Columns, masks and keys are named, not passed as Series.\n"


for _name in ("flatten", "nest", "unnest", "query", "filter", "sort_items", "topk"):
    setattr(DaskFrameJag, _name, _frame_method(_name))
