"""`.jag` on a Series: every method of `JaggedArray`, made from its table."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np
import pandas as pd
import pyarrow as pa

from arrowjag._array import JaggedArray
from arrowjag._array.indexing import is_full, rows_of_slots
from arrowjag._expressions import like
from arrowjag._methods import FLAT_SETS, METHODS, Method, Rows, add_namespaces
from arrowjag._ops.elementwise import PYTHON_COMPARISONS, PYTHON_OPERATORS
from arrowjag._vocabulary.spellings import suggestion
from arrowjag.errors import JagAttributeError, JagTypeError, Suggesting, plural
from arrowjag.pandas._convert import as_array
from arrowjag.pandas._html import frame_repr
from arrowjag.pandas._wrapping import align, opened, rewrap

__all__ = ["SeriesJag"]

_ALIGNED_THOUGH_MOVING = frozenset({"filter", "group_by", "group_by_indices", "sort"})
"""Methods whose argument has one row per row of the Series, but whose result may not."""

_LOOKING_UP = frozenset({"searchsorted", "take"})
"""Methods that look up an argument: along the rows of the Series, its rows are those of the result, so it keeps its own labels."""

_OWNED = frozenset({"ewm", "expanding", "rolling"})
"""Methods that return a helper, which calls methods of the accessor."""


@pd.api.extensions.register_series_accessor("jag")
class SeriesJag:
    """Every operation on jagged columns, elementwise operators and indexing among them.

    Parameters
    ----------
    series : pandas.Series
        Of a jagged dtype, of nested Arrow lists, of Python lists, or a plain column, which has one dim.

    Notes
    -----
    Methods are those of `JaggedArray`. Arguments that are Series are aligned on the index: operators keep the labels of both,
    while methods, and masks or jagged indices in ``[...]``, keep those of this Series; flat positions count rows. Results keep
    index and name if rows stay, and get a new RangeIndex if rows move; those of one dim are ordinary Arrow-backed Series.

    Examples
    --------
    >>> import arrowjag as aj
    >>> s = aj.array([[1, 2], [3]]).to_pandas(index=["a", "b"])
    >>> (s.jag == 2).tolist()
    [[False, True], [False]]
    """

    __pandas_priority__ = 5000  # Series then call the operators of the accessor, including elementwise `==`

    def __init__(self, series: pd.Series[Any]) -> None:
        self._series = series

    @property
    def _array(self) -> JaggedArray:
        return as_array(self._series)

    def __len__(self) -> int:
        return len(self._series)

    def __repr__(self) -> str:
        return f"{type(self).__name__} of a Series of {self._series.dtype}, {plural(len(self), 'row')}"

    def _repr_html_(self) -> str:
        return frame_repr(self._series.to_frame("" if self._series.name is None else self._series.name), "Series")

    def _rewrap(self, result: Any, rows: Rows, index: Any) -> Any:
        return rewrap(result, index if rows in (Rows.LOCAL, Rows.KEPT) else None, self._series.name, self._series)

    def _call(self, method: Method, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        array = self._array
        arguments = method.bind(args, kwargs)
        rows = method.rows(array.ndim, {name: _each(_column_of, one) for name, one in arguments.items()})
        if rows is Rows.KEPT and method.name in _LOOKING_UP:
            rows = Rows.MOVED
        series = self._series

        def open_argument(value: Any) -> Any:
            value = getattr(value, "_series", value)
            if isinstance(value, pd.Series) and _follows_rows(method, value, rows):
                value = align([series, value], "left")[1]
            return opened(value)

        if method.name == "translate":
            args, kwargs = (), {**arguments, "values_from": _beside(arguments["keys_from"], arguments["values_from"])}
        opened_args = tuple(_each(open_argument, one) for one in args)
        opened_kwargs = {name: _each(open_argument, one) for name, one in kwargs.items()}
        return self._rewrap(method.function(array, *opened_args, **opened_kwargs), rows, series.index)

    def __getattr__(self, name: str) -> NoReturn:
        """Raise for an unknown name, and suggest one of the accessor."""
        if name.startswith("_"):
            raise AttributeError(name)

        def hint() -> str:
            return suggestion(name, dir(type(self)), where="series.jag", fields=self._array.fields)

        raise JagAttributeError(f".jag has no {name!r}", name, hint)

    # ------------------------------------------------------------------------------------------- indexing

    def __setitem__(self, key: Any, value: Any) -> NoReturn:
        """Raise: items are set in a new Series."""
        instead = "write series = series.jag.set(index, values) to set items, and series.iloc[row] = items to set a row"
        raise JagTypeError(f".jag can't assign in place: {instead}")

    def __getitem__(self, key: Any) -> Any:
        array = self._array
        key = _by_label(self._series, key, lambda mask: pa.types.is_boolean(mask.type))
        result = array[_open_key(key)]
        return self._rewrap(result, _rows_of_key(key, array.ndim), self._series.index)

    @property
    def S(self) -> SliceJag:  # noqa: N802
        """Indexing by Koda's rule: without an ellipsis the last dims are addressed, and out of range is null."""
        return SliceJag(self)

    # ------------------------------------------------------------------------------------------- operators

    def _binary(self, function: Callable[..., Any], *inputs: Any) -> Any:
        """Call a function of arrays on inputs of which one is this accessor."""
        plain = [getattr(one, "_series", one) for one in inputs]
        first, *others = (one for one in plain if isinstance(one, pd.Series))
        present = align([first, *others])
        index = present[0].index
        places = iter(present)
        operands = [next(places) if isinstance(one, pd.Series) else one for one in plain]
        names = {one.name for one in present}
        result = function(*(opened(one, len(index)) for one in operands))
        return rewrap(result, index, names.pop() if len(names) == 1 else None, first)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__" or options:
            return self._array.__array_ufunc__(ufunc, method, *inputs, **options)
        return self._binary(ufunc, *inputs)

    def __neg__(self) -> Any:
        return self._binary(operator.neg, self)

    def __pos__(self) -> Any:
        return self._binary(operator.pos, self)

    def __invert__(self) -> Any:
        return self._binary(operator.invert, self)

    def __abs__(self) -> Any:
        return self._binary(abs, self)

    def __round__(self, decimals: int = 0) -> Any:
        return self._binary(lambda array: array.round(decimals), self)

    def __bool__(self) -> bool:
        return bool(self._array)

    __hash__ = None  # type: ignore[assignment]


class SliceJag(Suggesting):
    """The object `s.jag.S`, which supports indexing only."""

    __iter__ = None  # any position is allowed, null if out of range, so that a loop would never end

    def __init__(self, owner: SeriesJag) -> None:
        self._owner = owner

    def __getitem__(self, key: Any) -> Any:
        array = self._owner._array
        key = _open_key(_by_label(self._owner._series, key, lambda _: array.ndim > 1))
        result = array.S[key]
        return self._owner._rewrap(result, rows_of_slots(array.ndim, key), self._owner._series.index)


def _each(function: Callable[[Any], Any], value: Any) -> Any:
    """Apply a function to a value, or to the members of a list or tuple that holds Series."""
    if isinstance(value, (list, tuple)) and any(hasattr(one, "index") and hasattr(one, "dtype") for one in value):
        return like(value, [function(one) for one in value])
    return function(value)


def _column_of(value: Any) -> Any:
    """Return the array of a Series, whose dims decide which rows a result has."""
    value = getattr(value, "_series", value)
    return as_array(value) if isinstance(value, pd.Series) else value


def _follows_rows(method: Method, value: Any, rows: Rows) -> bool:
    """Return whether a Series argument has one row per row, so that it is aligned."""
    if rows is Rows.MOVED and method.name not in _ALIGNED_THOUGH_MOVING:
        return False
    return not (method.name in FLAT_SETS and as_array(value).ndim == 1)


def _beside(keys: Any, values: Any) -> Any:
    """Align the values of a flat table to the labels of its keys, as pandas aligns other Series."""
    keys, values = getattr(keys, "_series", keys), getattr(values, "_series", values)
    flat = isinstance(keys, pd.Series) and isinstance(values, pd.Series) and as_array(keys).ndim == 1
    return align([keys, values], "left")[1] if flat else values


def _by_label(series: pd.Series[Any], key: Any, has_rows: Callable[[JaggedArray], bool]) -> Any:
    """Align a Series that is used as a key; `has_rows` says whether a flat Series has one item per row."""
    key = getattr(key, "_series", key)
    if not isinstance(key, pd.Series) or key.index.equals(series.index):
        return key
    given = as_array(key)
    return align([series, key], "left")[1] if given.ndim > 1 or has_rows(given) else key


def _open_key(key: Any) -> Any:
    return tuple(map(opened, key)) if isinstance(key, tuple) else opened(key)


def _rows_of_key(key: Any, ndim: int) -> Rows:
    """Return how indexing changes the rows of the frame."""
    keys = key if isinstance(key, tuple) else (key,)
    if not keys or keys[0] is Ellipsis or is_full(keys[0]):
        covered = sum(one is not Ellipsis and one is not None for one in keys) if keys else 0
        return Rows.MOVED if keys and keys[0] is Ellipsis and covered >= ndim else Rows.LOCAL
    if isinstance(keys[0], str):
        return Rows.LOCAL
    first = opened(keys[0])
    return Rows.LOCAL if isinstance(first, JaggedArray) and first.ndim > 1 else Rows.MOVED


# ------------------------------------------------------------------------------------------------- made from the table


def _delegate(method: Method) -> Any:
    """One method of the table as a method or property of the accessor."""
    if method.is_property:

        def read(self: SeriesJag) -> Any:
            return self._call(method, (), {})

        return property(read, doc=method.function.__doc__)

    def call(self: SeriesJag, *args: Any, **kwargs: Any) -> Any:
        return self._call(method, args, kwargs)

    return method.described(call, "SeriesJag")


def _hand_on(name: str) -> Any:
    """Forward attributes that are not in the table of methods: properties and conversions."""
    found = getattr(JaggedArray, name)
    if not callable(found):
        return property(lambda self: getattr(self._array, name), doc=found.__doc__)

    @functools.wraps(found)
    def call(self: SeriesJag, *args: Any, **kwargs: Any) -> Any:
        return found(self, *args, **kwargs) if name in _OWNED else found(self._array, *map(opened, args), **kwargs)

    return call


def _delegate_operator(name: str, function: Callable[[Any, Any], Any]) -> None:
    def forward(self: SeriesJag, other: Any) -> Any:
        return NotImplemented if isinstance(other, pd.DataFrame) else self._binary(function, self, other)

    def backward(self: SeriesJag, other: Any) -> Any:
        return NotImplemented if isinstance(other, pd.DataFrame) else self._binary(function, other, self)

    setattr(SeriesJag, f"__{name}__", forward)
    if name not in PYTHON_COMPARISONS:
        setattr(SeriesJag, f"__r{name}__", backward)


def _complete() -> None:
    add_namespaces(SeriesJag, _delegate)
    for name, method in METHODS.items():
        if name.isidentifier() and not name.startswith("_") and name not in vars(SeriesJag):
            setattr(SeriesJag, name, _delegate(method))
    for name in dir(JaggedArray):
        if not name.startswith("_") and name not in METHODS and name not in vars(SeriesJag):
            setattr(SeriesJag, name, _hand_on(name))
    for name, function in PYTHON_OPERATORS.items():
        _delegate_operator(name, function)
    _delegate_operator("divmod", divmod)


_complete()
