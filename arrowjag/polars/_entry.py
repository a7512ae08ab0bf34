"""Wrap polars methods so that they accept a `JaggedArray` as a column.

These are ``frame.with_columns(v=x)``, ``frame.select(v=x)`` and ``pl.Series("v", x)``. Operators of a Series leave an array on the
right to the array: Series of text compared their items with the text that the array prints. `pl.lit` must not be wrapped:
``pl.col("v") == x`` raises now, and would then compare whole rows.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

import polars as pl

from arrowjag._array import JaggedArray
from arrowjag._ops.elementwise import PYTHON_OPERATORS
from arrowjag.errors import JagTypeError, ShapeError, plural
from arrowjag.polars._convert import panics, to_series
from arrowjag.polars.dtype import Jagged

__all__ = ["register"]

_METHODS = ("with_columns", "with_columns_seq", "select", "select_seq")

_OPERATORS = [f"__{name}__" for name in PYTHON_OPERATORS if f"__{name}__" in vars(pl.Series)]


def register() -> None:
    """Wrap the methods that take columns; a second call changes nothing."""
    for cls in (pl.LazyFrame, pl.DataFrame):
        for name in _METHODS:
            if not hasattr(getattr(cls, name), "__arrowjag__"):
                setattr(cls, name, _taking_arrays(name, getattr(cls, name)))
    for name in _OPERATORS:
        if not hasattr(getattr(pl.Series, name), "__arrowjag__"):
            setattr(pl.Series, name, _leaving_arrays(getattr(pl.Series, name)))
    if not hasattr(pl.Series.__init__, "__arrowjag__"):
        pl.Series.__init__ = _of_array(pl.Series.__init__)  # type: ignore[method-assign]


def _taking_arrays(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def called(self: Any, *exprs: Any, **named: Any) -> Any:
        for key, value in named.items():
            if isinstance(value, JaggedArray):
                named[key] = _column(self, name, key, value)
        for one in exprs:
            if isinstance(one, JaggedArray) or (isinstance(one, (list, tuple)) and any(isinstance(x, JaggedArray) for x in one)):
                raise JagTypeError(f"{name}: an array has no column name: write {name}(v=x), or pass x.to_polars('v')")
        return method(self, *exprs, **named)

    called.__arrowjag__ = True  # type: ignore[attr-defined]  # functions take any attribute
    return called


def _leaving_arrays(operator: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(operator)
    def called(self: pl.Series, other: Any) -> Any:
        return NotImplemented if isinstance(other, JaggedArray) else operator(self, other)

    called.__arrowjag__ = True  # type: ignore[attr-defined]  # functions take any attribute
    return called


def _column(frame: Any, method: str, name: str, array: JaggedArray) -> Any:
    """Convert an array to a column of a frame.

    The column checks that an array of one row meets a frame of one row; polars alone would repeat a literal of one row.
    """
    series = to_series(array, name)
    if not method.startswith("with_columns"):
        return series
    if isinstance(frame, pl.DataFrame):
        _check_rows(name, len(series), frame.height)
        return series
    if len(series) != 1:
        return series
    dtype: Any = series.dtype
    checked = functools.partial(_one_row, name)
    return pl.map_batches([pl.lit(series), pl.len()], checked, dtype.to_dtype_expr(), returns_scalar=True)


def _one_row(name: str, series: Iterable[pl.Series]) -> pl.Series:
    made, rows = series
    _check_rows(name, 1, int(rows[0]))
    return made


def _check_rows(name: str, got: int, rows: int) -> None:
    if got != rows:
        raise ShapeError(
            f"column {name!r}: the array has {plural(got, 'row')}, the frame {rows}; arrays of one row are not repeated"
        )


def _of_array(init: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(init)
    def called(self: pl.Series, name: Any = None, values: Any = None, dtype: Any = None, **options: Any) -> None:
        if isinstance(name, JaggedArray) and values is None:
            name, values = "", name
        if isinstance(values, JaggedArray):
            values, dtype = _series(name or "", values, dtype), None
        init(self, name, values, dtype, **options)

    called.__arrowjag__ = True  # type: ignore[attr-defined]  # functions take any attribute
    return called


def _series(name: str, array: JaggedArray, dtype: Any) -> pl.Series:
    """Convert an array to a Series, cast to `dtype` if given: `Jagged`, a list dtype, or a leaf dtype for an array of one dim."""
    if dtype is None:
        return to_series(array, name)
    lists = to_series(array, name, extension=False)
    with panics(f"a Series of {dtype}"):
        if isinstance(dtype, Jagged):
            return lists.cast(dtype.ext_storage()).ext.to(dtype)
        return lists.cast(dtype)
