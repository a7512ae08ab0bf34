"""`.jag` on Series: the methods of `JaggedArray` at once, on shared buffers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from arrowjag import JaggedArray, JaggedShape, _column
from arrowjag._array.scans import Rolling
from arrowjag._methods import METHODS, Host
from arrowjag.errors import JagError, JagTypeError
from arrowjag.polars._convert import (
    ColumnType,
    arrow_type,
    as_enum,
    broadcast_rows,
    column_type,
    from_series,
    shared_enum,
    to_series,
)
from arrowjag.polars._surface import add_methods, add_operators
from arrowjag.polars._tree import as_leaf, is_dtype, mapped_values, operate
from arrowjag.polars.expr import JagNamespace

__all__ = ["JagSeries"]


class JagSeries(pl.Series):
    """Jagged operations on a Series: `s.jag`.

    Methods are those of `arrowjag.JaggedArray`, operators work on either side, and facts such as `shape` are those of
    the array. Other operands may be scalars, Series, arrays and nested lists. Results are Series with the Series'
    name: `List` and `Array` give plain lists, `Jagged` gives `Jagged`; results of one dim are plain Series, results
    of no dim Python scalars.

    Parameters
    ----------
    series : pl.Series
        Of dtype `Jagged`, `List`, `Array` or a flat one.

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
        """Number of levels, the rows included."""
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
        """Bytes of the values and of the offsets and validity beside them."""
        return self.array.nbytes

    @property
    def null_count(self) -> int:  # type: ignore[override]
        """Number of null rows."""
        return self.array.null_count

    @property
    def plot(self) -> Any:
        """Pictures of the sizes, the rows and the values, on matplotlib axes.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2], [3]]).to_polars("v").jag.plot.rows().get_title(loc="left")
        '2 rows, 3 values'
        """
        return self.array.plot

    def __getattr__(self, name: str) -> Any:
        """What else an array has: `fields`, `to_dense`..."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.array, name)

    @property
    def jag(self) -> JagSeries:
        """Itself."""
        return self

    # ------------------------------------------------------------------------------------------- calls

    def _call(self, name: str, *args: Any, **kwargs: Any) -> Any:
        read = as_leaf if name == "cast" else _as_array
        arguments = tuple(mapped_values(one, read) for one in args)
        named = {key: mapped_values(one, read) for key, one in kwargs.items()}
        operands = [self, *args, *kwargs.values()]
        return self._run(name, lambda: METHODS[name].function(self.array, *arguments, **named), operands)

    def _operate(self, name: str, *args: Any) -> Any:
        if any(isinstance(one, pl.Expr) for one in args):
            return JagNamespace(pl.lit(self._plain))._operate(name, *args)
        if any(isinstance(one, pl.DataFrame) for one in args):
            return NotImplemented
        return self._run(name, lambda: operate(name, *_aligned(args)), args)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__":
            raise JagTypeError(f"{ufunc.__name__}.{method} is not defined for jagged columns; use the methods sum, min...")
        return self._run(ufunc.__name__, lambda: ufunc(*_aligned(inputs), **options), inputs)

    def __getitem__(self, key: Any) -> Any:
        return self._run("x[...]", lambda: self.array[_key(key)], [self])

    def rolling(self, window: int, axis: Any = -1) -> Rolling:
        """Moving windows along an axis: `.sum()`, `.mean()`, `.min()`, `.max()`, `.count()`.

        Parameters
        ----------
        window : int
            How many items each window holds; the first ``window - 1`` results of a row are null.
        axis : int
            The dim to move along.

        Returns
        -------
        Rolling
            What has the methods; nothing is computed before one is called.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2, 4], [3]]).to_polars("v").jag.rolling(2).sum().to_list()
        [[None, 3, 6], [None]]
        """
        return Rolling(self, window, axis)

    @property
    def S(self) -> _Slots:  # noqa: N802 - Koda's name
        """Index from the innermost dims, with null for what is out of range (Koda's rule)."""
        return _Slots(self)

    def _run(self, name: str, function: Callable[[], Any], operands: Any) -> Any:
        """Call on arrays, name the Series in errors, and give Series back."""
        try:
            return _as_series(function(), operands)
        except JagError as error:
            text = str(error)
            if f"column {self._plain.name!r}" in text:
                raise
            raise type(error)(f"column {self._plain.name!r}: {text}") from None


class _Slots:
    """`.jag.S` of a Series."""

    __iter__ = None  # every place has an item, null where it is out of range: a loop would never end

    def __init__(self, series: JagSeries) -> None:
        self._series = series

    def __getitem__(self, key: Any) -> Any:
        array: Any = self._series.array
        return self._series._run("x.S[...]", lambda: array.S[_key(key)], [self._series])


def _key(key: Any) -> Any:
    return tuple(_as_array(one) for one in key) if isinstance(key, tuple) else _as_array(key)


def _as_array(value: Any) -> Any:
    if isinstance(value, JagSeries):
        return value.array
    if is_dtype(value):
        return arrow_type(value)
    return from_series(value) if isinstance(value, pl.Series) else value


def _aligned(args: Any) -> tuple[Any, ...]:
    """Operands as arrays; a Series of one row is repeated, as polars does."""
    values = [_as_array(one) for one in args]
    places = [place for place, one in enumerate(args) if isinstance(one, pl.Series)]
    for place, array in zip(places, broadcast_rows([values[place] for place in places]), strict=True):
        values[place] = array
    return tuple(values)


def _kinds(operands: Any) -> list[ColumnType]:
    """The types of the columns among the operands."""
    kinds: list[ColumnType] = []

    def look(value: Any) -> Any:
        if isinstance(value, pl.Series):
            kinds.append(column_type(value.dtype))
        elif isinstance(value, JaggedArray):
            kinds.append(ColumnType(value.type, value.ndim, value.shape.extents, True))
        return value

    for one in operands:
        mapped_values(one, look)
    return kinds


def _as_series(value: Any, operands: Any) -> Any:
    """A result as a Series named and typed after the operands: ours unless every nested operand is a plain list."""
    kinds = _kinds(operands)
    nested = [kind.jagged for kind in kinds if kind.ndim > 1]
    name, jagged, enum = _first_name(operands), any(nested) or not nested, shared_enum(kinds)

    def convert(one: Any) -> Any:
        if isinstance(one, JaggedArray):
            return as_enum(to_series(one, name, extension=jagged), enum)
        if isinstance(one, pa.Array):
            return as_enum(to_series(_column.from_arrow(one, 1), name), enum)
        if isinstance(one, tuple):
            return tuple(map(convert, one))
        return one.as_py() if isinstance(one, pa.Scalar) else one

    return convert(value)


add_operators(JagSeries)
add_methods(JagSeries, {name: one for name, one in METHODS.items() if name != "rolling"})


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
"""How Series take part in `aj.where`, `aj.zip` and their like."""
