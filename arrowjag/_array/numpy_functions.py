"""numpy's functions on jagged arrays: reductions and comparisons of whole arrays; other functions convert uniform rows to numpy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow.compute as pc
import pyarrow.types as pt

from arrowjag._array.base import ArrayBase, as_column
from arrowjag._column import same_validity
from arrowjag._methods import METHODS
from arrowjag._vocabulary.spellings import SPELLINGS, on_arrays
from arrowjag.errors import JagError, JagTypeError, ShapeError

__all__ = ["call", "instead"]


def call(function: Callable[..., Any], arguments: Sequence[Any], options: Mapping[str, Any]) -> Any:
    """Call a function of numpy whose arguments hold jagged arrays.

    Raises
    ------
    JagTypeError
        If numpy's function expects a method of numpy arrays, or an option that jagged arrays lack.
    ShapeError
        If it runs on numpy arrays, and rows have different sizes.
    """
    known = _KNOWN.get(function)
    name = f"{function.__module__}.{function.__name__}".removeprefix("numpy.")
    try:
        if known is not None:
            return known(*arguments, **options)
        return _implementation(function, arguments, options)
    except ShapeError as error:
        if known is not None:
            raise
        raise ShapeError(f"numpy.{name} runs on numpy arrays: for rows of any size use {instead(function)} ({error})") from error
    except TypeError as error:
        if isinstance(error, JagError):
            raise
        raise JagTypeError(
            f"numpy.{name} can't take these arguments with a jagged array ({error}); use {instead(function)}"
        ) from error


def _implementation(function: Any, arguments: Sequence[Any], options: Mapping[str, Any]) -> Any:
    """Run numpy's function as numpy's own arrays do; if it needs more of them than jagged arrays have, run it on numpy arrays."""
    try:
        return function._implementation(*arguments, **options)
    except (TypeError, AttributeError) as error:
        try:
            converted = _as_numpy((arguments, options))
        except JagTypeError:  # arrays of a traced function have no values
            raise error from None
    return function(*converted[0], **converted[1])


def _as_numpy(value: Any) -> Any:
    """Convert the jagged arrays of arguments to numpy arrays."""
    if isinstance(value, ArrayBase):
        return np.asarray(value)
    if isinstance(value, (list, tuple)):
        return (list if isinstance(value, list) else tuple)(map(_as_numpy, value))
    return {key: _as_numpy(one) for key, one in value.items()} if isinstance(value, dict) else value


def instead(function: Callable[..., Any]) -> str:
    """Name the call that replaces a function of numpy for rows of any size."""
    name = function.__name__
    if name == "where":  # the method is called by values
        return "aj.where(c, x, y)"
    if name in METHODS:
        return f"x.{name}()"
    return on_arrays(SPELLINGS[""].get(name, "x.map_rows(f), which calls f with the items of each row"))


def _reduction(name: str) -> Callable[..., Any]:
    def reduce(a: Any, axis: Any = None, **options: Any) -> Any:
        _refuse(name, options)
        return getattr(a, name)(axis=axis)

    return reduce


def _spread(name: str) -> Callable[..., Any]:
    def reduce(a: Any, axis: Any = None, *, ddof: int = 0, **options: Any) -> Any:
        _refuse(name, options)
        return getattr(a, name)(axis=axis, ddof=ddof)

    return reduce


def _size(a: Any, axis: Any = None) -> Any:
    """The number of items, or the size of the axis; numpy 2.0 would return a dim for it."""
    return a.size if axis is None else np.size(np.asarray(a), axis)


def _refuse(name: str, options: Mapping[str, Any]) -> None:
    if options:
        raise JagTypeError(f"numpy.{name} takes only axis on jagged arrays, got {', '.join(options)}; use x.{name}()")


def _array_equal(one: Any, two: Any, equal_nan: bool = False) -> bool:
    """Whether two arrays have the same shape, nulls and values; numpy's function asks for rows of one size."""
    left: Any
    right: Any
    kind = type(one) if isinstance(one, ArrayBase) else type(two)
    left, right = (_like(x, kind) for x in (one, two))
    if left is None or right is None or left.shape != right.shape:
        return False
    dims = zip(left.shape.dims, right.shape.dims, strict=True)
    if not all(same_validity(a.validity, b.validity) for a, b in dims) or left.values.is_valid() != right.values.is_valid():
        return False
    try:
        same = left == right
    except JagTypeError:  # values of two kinds; numpy's answer is False too
        return False
    if equal_nan and all(pt.is_floating(x.type) for x in (left, right)):
        same = same | (np.isnan(left) & np.isnan(right))
    return bool(pc.all(same.values).as_py() is not False)


def _like(value: Any, kind: type[Any]) -> Any:
    try:
        return kind._of(as_column(value))
    except JagError:
        return None


_KNOWN: dict[Callable[..., Any], Callable[..., Any]] = {
    **{getattr(np, name): _reduction(name) for name in ("sum", "prod", "mean", "min", "max", "any", "all", "ptp", "median")},
    np.amin: _reduction("min"),
    np.amax: _reduction("max"),
    **{getattr(np, name): _spread(name) for name in ("var", "std")},
    np.array_equal: _array_equal,
    np.array_equiv: _array_equal,
    np.size: _size,
}
"""Functions that have a meaning on rows of any size; as in numpy they take all axes unless one is given."""
