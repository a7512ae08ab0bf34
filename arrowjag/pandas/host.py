"""Free functions on Series: `aj.where`, `aj.concat` and the others take Series and give Series."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd

from arrowjag._expressions import like
from arrowjag._integers import is_int
from arrowjag._methods import HOSTS, Host, Rows, rows_of_free
from arrowjag.pandas._series import SeriesJag
from arrowjag.pandas._wrapping import align, opened, rewrap
from arrowjag.pandas.dtype import JaggedDtype
from arrowjag.pandas.row import Row

__all__ = ["HOST", "install"]


def _owns(value: Any) -> bool:
    return isinstance(value, (pd.Series, pd.Index, pd.api.extensions.ExtensionArray, SeriesJag, Row))


def _call(function: Callable[..., Any], name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    args = tuple(_mapped(_unboxed, one) for one in args)
    kwargs = {key: _mapped(_unboxed, one) for key, one in kwargs.items()}
    series = [one for one in _leaves([*args, *kwargs.values()]) if isinstance(one, pd.Series)]
    index = None
    is_free = hasattr(function, "rows")  # a traced function may have any name
    if series and not (is_free and _moves_rows(name, args, kwargs)):
        aligned = iter(align(series))
        args = tuple(_mapped(lambda one: next(aligned) if isinstance(one, pd.Series) else one, one) for one in args)
        kwargs = {
            key: _mapped(lambda one: next(aligned) if isinstance(one, pd.Series) else one, one) for key, one in kwargs.items()
        }
        index = next(one.index for one in _leaves([*args, *kwargs.values()]) if isinstance(one, pd.Series))
    names = {one.name for one in series}
    n = None if index is None else len(index)
    args = tuple(_mapped(lambda one: opened(one, n), one) for one in args)
    kwargs = {key: _mapped(lambda one: opened(one, n), one) for key, one in kwargs.items()}
    moves = rows_of_free(function, args, kwargs) is Rows.MOVED
    like = series[0] if series and all(one.attrs == series[0].attrs for one in series) else None  # as `pandas.concat` has it
    return rewrap(function(*args, **kwargs), None if moves else index, names.pop() if len(names) == 1 else None, like)


def _unboxed(value: Any) -> Any:
    return getattr(value, "_series", value)


def _mapped(function: Callable[[Any], Any], value: Any) -> Any:
    """A function on an argument, or on the members of a list of arrays."""
    if isinstance(value, (list, tuple)) and any(_owns(one) for one in value):
        return like(value, [function(one) for one in value])
    return function(value)


def _leaves(values: list[Any]) -> Iterator[Any]:
    for one in values:
        if isinstance(one, (list, tuple)):
            yield from one
        else:
            yield one


def _moves_rows(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Return whether rows are appended to rows, so that they don't correspond; `stack` pairs them, also along the first axis."""
    if name != "concat":
        return False
    axis = kwargs.get("axis", args[1] if len(args) > 1 else 0)
    if not is_int(axis):  # the function will raise
        return False
    arrays = args[0] if args else next(iter(kwargs.values()))
    ndim = max((opened(one).ndim if _owns(one) else getattr(one, "ndim", 1) for one in arrays), default=1)
    return bool(axis % ndim == 0)


def _operate(function: Callable[..., Any], operands: tuple[Any, ...]) -> Any:
    """Call an operator of an array and plain columns, whose own operators would convert the array with numpy."""
    own = [one for one in operands if _owns(one)]
    if any(isinstance(one, (SeriesJag, Row)) or isinstance(one.dtype, JaggedDtype) for one in own):
        return NotImplemented
    if any(isinstance(one, pd.Series) for one in own):
        return _call(function, "", operands, {})
    return function(*map(opened, operands))


HOST = Host(_owns, _call, _operate)


def install() -> None:
    """Let free functions such as `aj.where` take Series; a second call changes nothing."""
    if HOST not in HOSTS:
        HOSTS.append(HOST)
