"""`.jag` on Series: the methods of `JaggedArray`, evaluated immediately on shared buffers."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, NoReturn

import numpy as np
import polars as pl
import pyarrow as pa

from arrowjag import _column, _frames
from arrowjag._array import JaggedArray
from arrowjag._array.windows import WindowMethods
from arrowjag._methods import METHODS, Host, add_namespaces
from arrowjag.errors import JagError, JagTypeError, Suggesting
from arrowjag.polars._convert import (
    ColumnType,
    arrow_type,
    as_enum,
    broadcast_rows,
    column_type,
    enum_of,
    from_series,
    shared_enum,
    to_series,
)
from arrowjag.polars._html import frame_repr
from arrowjag.polars._names import add_aliases, check_keywords, own_names, refuse, refuse_foreign
from arrowjag.polars._surface import add_methods, add_operators, caller
from arrowjag.polars._tree import as_leaf, is_dtype, mapped_values, operate
from arrowjag.polars.expr import JagNamespace
from arrowjag.shape import JaggedShape

__all__ = ["JagSeries"]


class JagSeries(pl.Series):
    """Jagged operations on a Series: `s.jag`.

    The namespace has the methods and properties of `arrowjag.JaggedArray`, and operators work on either side. Other operands may
    be scalars, Series, arrays and nested lists. Results are Series with the name of the Series: of dtype `Jagged` if an operand is
    `Jagged`, plain lists if all nested operands are `List` or `Array`. A result of one dim is a plain Series, a result without
    dims a Python scalar.

    Parameters
    ----------
    series : pl.Series
        Of dtype `Jagged`, `List`, `Array` or any flat dtype.

    Examples
    --------
    >>> import arrowjag as aj
    >>> s = aj.array([[1, 2], [3]]).to_polars("v")
    >>> (s.jag * 2).to_list()
    [[2, 4], [6]]
    >>> s.jag.shape
    JaggedShape(2, [2, 1])
    """

    def __init__(self, series: pl.Series) -> None:
        self._s = series._s
        self._plain = pl.Series._from_pyseries(series._s)
        self._array: JaggedArray | None = None

    @classmethod
    def _from_pyseries(cls, pyseries: Any) -> pl.Series:  # type: ignore[override]
        return pl.Series._from_pyseries(pyseries)

    # ------------------------------------------------------------------------------------------- facts

    @property
    def array(self) -> JaggedArray:
        """The Series as a `JaggedArray`."""
        if self._array is None:
            self._array = from_series(self._plain)
        return self._array

    @property
    def shape(self) -> JaggedShape:  # type: ignore[override]
        """The nesting: a `JaggedShape`."""
        return self.array.shape

    @property
    def ndim(self) -> int:
        """Number of dims, the rows included."""
        return self.array.ndim

    @property
    def size(self) -> int:
        """Number of leaf values."""
        return self.array.size

    @property
    def values(self) -> pa.Array:
        """The flat leaf values, as an Arrow array."""
        return self.array.values

    @property
    def type(self) -> pa.DataType:
        """The Arrow type of the leaf values."""
        return self.array.type

    @property
    def nbytes(self) -> int:
        """Bytes of the values, offsets and validity."""
        return self.array.nbytes

    @property
    def null_count(self) -> int:  # type: ignore[override]
        """Number of null rows."""
        return self.array.null_count

    @property
    def plot(self) -> Any:
        """Plots of the sizes, the rows and the values, on matplotlib axes.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2], [3]]).to_polars("v").jag.plot.rows().get_title(loc="left")
        '2 rows, 3 values'
        """
        return self.array.plot

    def __getattr__(self, name: str) -> Any:
        """Read any other attribute from the array, such as `fields` and `to_dense`."""
        if name.startswith("_"):
            raise AttributeError(name)
        if not hasattr(JaggedArray, name):
            refuse(JagSeries, pl.Series, "series", name, self.array.fields)
        return getattr(self.array, name)

    def __setitem__(self, key: Any, value: Any) -> NoReturn:
        """Raise: items are set in a new Series."""
        raise JagTypeError(".jag can't assign in place: write series = series.jag.set(index, values) to set items")

    def __dir__(self) -> list[str]:
        return sorted({*own_names(JagSeries), *own_names(JaggedArray), *_PASSING, *dir(object)})

    def __len__(self) -> int:
        return len(self._plain)

    def __iter__(self) -> Generator[Any]:
        yield from self._plain

    def __contains__(self, item: object) -> bool:
        return item in self._plain

    def __array__(self, *args: Any, **kwargs: Any) -> np.ndarray[Any, Any]:
        return self._plain.__array__(*args, **kwargs)

    def __copy__(self) -> JagSeries:
        return JagSeries(self._plain)

    def __deepcopy__(self, memo: None = None) -> JagSeries:
        return JagSeries(self._plain)

    def __reduce__(self) -> tuple[Any, ...]:
        return JagSeries, (self._plain,)

    def _repr_html_(self) -> str:
        return frame_repr(self._plain.to_frame(), "Series")

    @property
    def jag(self) -> JagSeries:
        """The namespace itself."""
        return self

    # ------------------------------------------------------------------------------------------- calls

    def _call(self, name: str, *args: Any, **kwargs: Any) -> Any:
        check_keywords(name, kwargs)
        read = as_leaf if name == "cast" else _as_array
        arguments = tuple(mapped_values(one, read) for one in args)
        named = {key: mapped_values(one, read) for key, one in kwargs.items()}
        operands = [self, *args, *kwargs.values()]
        return self._run(lambda: METHODS[name].function(self.array, *arguments, **named), operands)

    def _operate(self, name: str, *args: Any) -> Any:
        if any(isinstance(one, pl.Expr) for one in args):
            return JagNamespace(pl.lit(self._plain))._operate(name, *args)
        if any(isinstance(one, pl.DataFrame) for one in args):
            return NotImplemented
        return self._run(lambda: operate(name, *_aligned(args)), args)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__":
            raise JagTypeError(f"{ufunc.__name__}.{method} is not defined for jagged columns; use the methods sum, min...")
        return self._run(lambda: ufunc(*_aligned(inputs), **options), inputs)

    def __getitem__(self, key: Any) -> Any:
        return self._run(lambda: self.array[_key(key)], [self, *_entries(key)])

    rolling, expanding, ewm = WindowMethods.rolling, WindowMethods.expanding, WindowMethods.ewm

    @property
    def S(self) -> _Slots:  # noqa: N802 - Koda's name
        """Index from the innermost dims; positions out of range give null (Koda's rule)."""
        return _Slots(self)

    def _run(self, function: Callable[[], Any], operands: Any) -> Any:
        """Call a function of arrays, add the name of the Series, if it has one, to errors, and convert the result to Series."""
        try:
            return _as_series(function(), operands)
        except JagError as error:
            if not self._plain.name:
                raise
            raise _frames.named(error, self._plain.name) from None


_PASSING = frozenset({"alias", "clone", "dtype", "name", "rename", "to_frame"})
"""Names of polars that stay available: they don't compute with the values."""


class _Slots(Suggesting):
    """`.jag.S` of a Series."""

    _called = ".S"
    __iter__ = None  # positions out of range give null, so a loop would not end

    def __init__(self, series: JagSeries) -> None:
        self._series = series

    def __getitem__(self, key: Any) -> Any:
        array: Any = self._series.array
        return self._series._run(lambda: array.S[_key(key)], [self._series, *_entries(key)])


def _key(key: Any) -> Any:
    return tuple(_as_array(one) for one in key) if isinstance(key, tuple) else _as_array(key)


def _entries(key: Any) -> list[Any]:
    """The entries of a key, and the bounds of its slices."""
    keys = key if isinstance(key, tuple) else (key,)
    return [part for one in keys for part in ((one.start, one.stop, one.step) if isinstance(one, slice) else (one,))]


def _as_array(value: Any) -> Any:
    if isinstance(value, JagSeries):
        return value.array
    if is_dtype(value):
        return arrow_type(value)
    return from_series(value) if isinstance(value, pl.Series) else value


def _aligned(args: Any) -> tuple[Any, ...]:
    """Convert operands to arrays, and repeat a Series of one row, as polars does."""
    values = [_as_array(one) for one in args]
    positions = [position for position, one in enumerate(args) if isinstance(one, pl.Series)]
    for position, array in zip(positions, broadcast_rows([values[position] for position in positions]), strict=True):
        values[position] = array
    return tuple(values)


def _kinds(operands: Any) -> list[ColumnType]:
    """The types of the columns among the operands."""
    kinds: list[ColumnType] = []

    def look(value: Any) -> Any:
        if isinstance(value, pl.Series):
            kinds.append(column_type(value.dtype))
        elif isinstance(value, JaggedArray):
            kinds.append(ColumnType(value.type, value.ndim, value.shape.extents, True, enum_of(value.values)))
        return value

    for one in operands:
        mapped_values(one, look)
    return kinds


def _as_series(value: Any, operands: Any) -> Any:
    """Convert a result to a Series named after the first operand, of dtype `Jagged` unless every nested operand is a plain list."""
    kinds = _kinds(operands)
    nested = [kind.jagged for kind in kinds if kind.ndim > 1]
    name, jagged, enum = _first_name(operands), any(nested) or not nested, shared_enum(kinds)

    def convert(one: Any) -> Any:
        if isinstance(one, JaggedArray):
            return as_enum(to_series(one, name, extension=jagged), enum_of(one.values, enum))
        if isinstance(one, pa.Array):
            return as_enum(to_series(_column.from_arrow(one, 1), name), enum_of(one, enum))
        return one.as_py() if isinstance(one, pa.Scalar) else one

    return mapped_values(value, convert)


add_operators(JagSeries)
add_methods(JagSeries, METHODS)
add_namespaces(JagSeries, caller)
add_aliases(JagSeries)
refuse_foreign(JagSeries, pl.Series, _PASSING)


# --------------------------------------------------------------------------------------------------- free functions


def _owns(value: Any) -> bool:
    return isinstance(value, pl.Series)


def _call_function(function: Callable[..., Any], _name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    operands = [*args, *kwargs.values()]
    arguments = tuple(mapped_values(one, _as_array) for one in args)
    named = {key: mapped_values(one, _as_array) for key, one in kwargs.items()}
    return _as_series(function(*arguments, **named), operands)


def _first_name(operands: Any) -> str:
    """The name of the first Series among the operands."""
    names: list[str] = []

    def look(value: Any) -> Any:
        if isinstance(value, pl.Series):
            names.append(value.name)
        return value

    for one in operands:
        mapped_values(one, look)
    return names[0]


HOST = Host(_owns, _call_function)
"""How free functions such as `aj.where` and `aj.zip` handle Series."""
