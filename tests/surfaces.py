"""The same call on every surface: the array, `Series.jag` of pandas, and `.jag` of polars on Series and in lazy frames."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Protocol

import pyarrow as pa

import arrowjag as aj
from arrowjag._methods import METHODS
from tests.hosts import pd, pl

__all__ = ["SURFACES", "Surface", "types_on"]


class Surface(Protocol):
    """Calls a method of an array by its name; arguments that are arrays go in as the surface's own columns."""

    def __call__(self, x: aj.JaggedArray, name: str, *args: Any, **kwargs: Any) -> Any: ...

    __wrapped__: Callable[..., Any]
    """Gives the result as the surface gives it, not as lists."""


def _plainly(call: Callable[..., Any]) -> Surface:
    @wraps(call)
    def called(x: aj.JaggedArray, name: str, *args: Any, **kwargs: Any) -> Any:
        return plain(call(x, name, *args, **kwargs))

    return called  # type: ignore[return-value]


@_plainly
def on_array(x: aj.JaggedArray, name: str, *args: Any, **kwargs: Any) -> Any:
    return _call(x, name, args, kwargs)


@_plainly
def on_pandas(x: aj.JaggedArray, name: str, *args: Any, **kwargs: Any) -> Any:
    index = [f"row {k}" for k in range(len(x))]
    column = lambda one: one.to_pandas(index=index if len(one) == len(index) else None)  # noqa: E731
    return _call(column(x).jag, name, *_converted(args, kwargs, column))


@_plainly
def on_polars(x: aj.JaggedArray, name: str, *args: Any, **kwargs: Any) -> Any:
    return _call(x.to_polars().jag, name, *_converted(args, kwargs, lambda one: one.to_polars()))


@_plainly
def on_lazy(x: aj.JaggedArray, name: str, *args: Any, **kwargs: Any) -> Any:
    """As an expression, whose dtype the schema must tell. Arrays of another length are no columns and stay as they are."""
    columns = {"x": x}

    def column(one: aj.JaggedArray) -> Any:
        if len(one) != len(x):
            return one
        columns[f"y{len(columns)}"] = one
        return pl.col(f"y{len(columns) - 1}")

    expression = _call(pl.col("x").jag, name, *_converted(args, kwargs, column))
    frame = pl.DataFrame({label: one.to_polars() for label, one in columns.items()}).lazy().select(result=expression)
    result = frame.collect()["result"]
    assert result.dtype == frame.collect_schema()["result"]
    return result


SURFACES: dict[str, Surface] = {"array": on_array, "pandas": on_pandas, "polars": on_polars, "lazy": on_lazy}


def _call(owner: Any, name: str, args: Any, kwargs: Any) -> Any:
    """The method, one of a namespace such as `str.lower`, or `rolling(...).sum` by its two names."""
    first, _, second = name.partition(".")
    if name in METHODS and second:
        return getattr(getattr(owner, first), second)(*args, **kwargs)
    found = getattr(owner, first)(*args, **kwargs)
    return getattr(found, second)() if second else found


def _converted(args: Any, kwargs: Any, column: Any) -> tuple[Any, Any]:
    convert = lambda one: column(one) if isinstance(one, aj.JaggedArray) else one  # noqa: E731
    return [convert(one) for one in args], {name: convert(one) for name, one in kwargs.items()}


def plain(result: Any) -> Any:
    """A result of any surface as nested lists or a Python scalar."""
    if isinstance(result, (pd.Series, pl.Series)):
        result = aj.array(result)
    if isinstance(result, aj.JaggedArray):
        return result.to_list()
    if isinstance(result, tuple):
        return [plain(one) for one in result]
    if isinstance(result, (pa.Array, pa.ChunkedArray)):
        return aj.array(result).to_list()
    return result.as_py() if isinstance(result, pa.Scalar) else result


def types_on(surface: Surface, result: Any) -> Any:
    """The types, numbers of dims and declared extents that the columns of a result have, or would have, on a surface."""
    if isinstance(result, tuple):
        return [types_on(surface, one) for one in result]
    if isinstance(result, (pa.Array, pa.ChunkedArray)):
        result = aj.array(result)
    if isinstance(result, aj.JaggedArray) and surface is not on_array:
        result = result.to_pandas() if surface is on_pandas else result.to_polars()
    if isinstance(result, (pd.Series, pl.Series)):
        result = aj.array(result)
    return (result.type, result.ndim, result.shape.extents) if isinstance(result, aj.JaggedArray) else None
