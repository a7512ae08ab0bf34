"""Stand-ins for functions of Python and numpy whose compiled forms in numba give other results for some numbers.

Functions of Python raise errors where numba's return NaN, infinities or undefined integers. If a compiled function raises, the
interpreter calls it for the row, and raises the error or has a result. numba's median sorts NaN like a number, its clip ignores a
bound of NaN, its nanmedian and quantiles round large integers in another way than numpy's, and it rounds integers as floats.
"""

from __future__ import annotations

import builtins
import functools
import math
import types
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from arrowjag._runtime.identity import names_read

__all__ = ["OF_NUMPY", "checked_function"]

_OF_ONE = (
    *("acos", "acosh", "asin", "atanh", "cos", "cosh", "exp", "exp2", "expm1", "gamma", "lgamma", "log", "log10", "log1p", "log2"),
    *("sin", "sinh", "sqrt", "tan"),
)
_OF_TWO = {"ldexp": np.int64, "pow": np.float64}
"""Functions of a float and another number, and the type that the other number is converted to."""

_WHOLE = ("ceil", "floor", "trunc")

_QUANTILES = (np.nanpercentile, np.nanquantile, np.percentile, np.quantile)

OF_NUMPY = (np.around, np.clip, np.median, np.nanmedian, *_QUANTILES, np.round)
"""Functions of numpy that have a stand-in."""

_LARGEST = 2.0**63
"""Floats of this magnitude and more do not fit integers of 64 bits."""


def _of_one(function: Callable[..., Any]) -> Callable[..., Any]:
    def checked(x: Any) -> Any:
        number = np.float64(x)  # of float32 numba computes in float32, and its `float` is one
        found = function(number)
        if not math.isfinite(found) and (math.isfinite(number) or (math.isnan(found) and not math.isnan(number))):
            raise ValueError("math domain error")
        return found

    return checked


def _of_two(function: Callable[..., Any]) -> Callable[..., Any]:
    convert = _OF_TWO[function.__name__]

    def checked(x: Any, y: Any) -> Any:
        one, two = np.float64(x), convert(y)
        found = function(one, two)
        is_finite, is_nan = math.isfinite(one) and math.isfinite(two), math.isnan(one) or math.isnan(two)
        if not math.isfinite(found) and (is_finite or (math.isnan(found) and not is_nan)):
            raise ValueError("math domain error")
        return found

    return checked


def _whole(function: Callable[..., Any]) -> Callable[..., Any]:
    def checked(x: Any) -> Any:
        if not -_LARGEST <= x < _LARGEST:  # also for NaN
            raise OverflowError("cannot convert float to integer")
        return function(x)

    return checked


def _converting(function: Callable[..., Any], of_float: Callable[..., Any]) -> Callable[..., Any]:
    """Return a stand-in for `int`, `float` or `round` of one argument, which numba compiles by the type of the argument."""
    from numba import types as of_numba
    from numba.extending import overload

    def converted(x: Any) -> Any:
        return function(x)

    def widened(x: Any) -> Any:
        return of_float(x)

    @overload(converted)  # type: ignore[untyped-decorator]
    def _compiled(x: Any) -> Any:
        if isinstance(x, of_numba.Integer) and function is not float:
            return _signed if x.signed else _unsigned
        return widened if isinstance(x, of_numba.Float) else converted

    return converted


def _signed(x: Any) -> Any:
    return np.int64(x)  # integers of numba may have fewer bits


def _unsigned(x: Any) -> Any:
    found = np.int64(x)
    if found < 0:
        raise OverflowError("an integer beyond 64 bits")
    return found


def _median(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a stand-in for a median of numpy, which numba compiles by the type of its array."""
    from numba import types as of_numba
    from numba.extending import overload

    def median(x: Any) -> Any:
        return function(x)

    def of_floats(x: Any) -> Any:
        for one in x.flat:
            if np.isnan(one):
                return np.nan
        return np.median(x) + 0.0  # numpy's mean of the middle items is never -0.0

    def of_integers(x: Any) -> Any:
        return np.median(x.astype(np.float64))  # numpy adds the middle ones as floats, too

    @overload(median)  # type: ignore[untyped-decorator]
    def _compiled(x: Any) -> Any:
        dtype = getattr(x, "dtype", None)
        if isinstance(dtype, (of_numba.Integer, of_numba.Boolean)):
            return of_integers
        if dtype != of_numba.float64:
            return None
        return median if function is np.nanmedian else of_floats

    return median


def _quantile(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a stand-in for a function of quantiles, which subtracts integers in 64 bits."""
    from numba import types as of_numba
    from numba.extending import overload

    def quantile(x: Any, q: Any) -> Any:
        return function(x, q)

    def of_integers(x: Any, q: Any) -> Any:
        if x.size and x.max() - x.min() < 0:
            raise OverflowError("a difference beyond 64 bits")
        return function(x, q)

    @overload(quantile)  # type: ignore[untyped-decorator]
    def _compiled(x: Any, q: Any) -> Any:
        dtype, is_whole = getattr(x, "dtype", None), isinstance(getattr(q, "dtype", q), of_numba.Integer)
        if dtype == of_numba.float64:
            return quantile
        # Of integers and whole quantiles, which are 0 or 1, numpy returns an integer.
        is_number = is_whole and function in (np.quantile, np.nanquantile)
        return of_integers if dtype == of_numba.int64 and not is_number else None

    return quantile


def _rounded(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a stand-in for numpy's rounding to decimals: numba rounds integers as floats, also where nothing is to be rounded."""
    from numba import types as of_numba
    from numba.extending import overload

    def rounded(x: Any, decimals: Any = 0) -> Any:
        return function(x, decimals)

    def whole(x: Any, decimals: Any = 0) -> Any:  # noqa: ARG001  # numba wants the arguments of `rounded`
        return function(x)

    def of_integers(x: Any, decimals: Any = 0) -> Any:
        return x.copy() if decimals >= 0 else function(x, decimals)

    @overload(rounded)  # type: ignore[untyped-decorator]
    def _compiled(x: Any, decimals: Any = 0) -> Any:
        if isinstance(decimals, (int, of_numba.Omitted)):
            return whole
        return of_integers if isinstance(x, of_numba.Array) and isinstance(x.dtype, of_numba.Integer) else rounded

    return rounded


def _clip(_function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a stand-in for numpy's clip: numba ignores bounds of NaN, and truncates float bounds of integers."""
    from numba import types as of_numba
    from numba.extending import overload

    def clip(x: Any, a_min: Any, a_max: Any) -> Any:
        return np.clip(x, a_min, a_max)

    def below(x: Any, a_min: Any, a_max: Any) -> Any:  # noqa: ARG001  # numba wants the arguments of `clip`
        return np.minimum(x, a_max)

    def above(x: Any, a_min: Any, a_max: Any) -> Any:  # noqa: ARG001
        return np.maximum(x, a_min)

    def between(x: Any, a_min: Any, a_max: Any) -> Any:
        return np.minimum(np.maximum(x, a_min), a_max)

    def is_wide(one: Any) -> bool:
        one = getattr(one, "dtype", one)
        return isinstance(one, (of_numba.Integer, of_numba.Float)) and one.bitwidth == 64

    @overload(clip)  # type: ignore[untyped-decorator]
    def _compiled(x: Any, a_min: Any, a_max: Any) -> Any:
        bounds = [one for one in (a_min, a_max) if not isinstance(one, of_numba.NoneType)]
        if not bounds or not isinstance(x, of_numba.Array) or not all(map(is_wide, (x, *bounds))):
            return None
        return between if len(bounds) == 2 else below if isinstance(a_min, of_numba.NoneType) else above

    return clip


@functools.cache
def _functions() -> Mapping[Any, Any]:
    """Return the stand-ins by function, and that of the module `math`."""
    import numba

    compile = numba.njit(nogil=True, error_model="numpy")
    made: dict[Any, Any] = {}
    for names, make in ((_OF_ONE, _of_one), (_OF_TWO, _of_two), (_WHOLE, _whole)):
        made |= {getattr(math, name): compile(make(getattr(math, name))) for name in names}
    converting: dict[Any, Any] = {one: _converting(one, compile(_whole(one))) for one in (int, round)}
    converting[float] = _converting(float, np.float64)
    module = types.ModuleType("math")
    vars(module).update({name: made.get(value, value) if callable(value) else value for name, value in vars(math).items()})
    return {math: module, **made, **converting}


@functools.cache
def _functions_of_numpy() -> Mapping[Any, Any]:
    """Return the stand-ins by function of numpy, and that of the module numpy."""
    makers = {np.clip: _clip, np.median: _median, np.nanmedian: _median, np.around: _rounded, np.round: _rounded}
    made: dict[Any, Any] = {one: makers.get(one, _quantile)(one) for one in OF_NUMPY}
    module = types.ModuleType("numpy")
    vars(module).update({**vars(np), **{of.__name__: one for of, one in made.items()}})
    return {np: module, **made}


def checked_function(function: types.FunctionType) -> types.FunctionType | None:
    """Return a copy of a function that calls stand-ins, to be compiled; None if it calls no function that has one.

    Parameters
    ----------
    function : function
        The function of the user.
    """
    names = names_read(function.__code__)
    known, replaced = {**_functions(), **_functions_of_numpy()}, {}
    if names.isdisjoint(one.__name__ for one in OF_NUMPY):
        del known[np]
    for name in names:
        value = function.__globals__.get(name, getattr(builtins, name, None))
        if (found := _stand_in(known, value)) is not None:
            replaced[name] = found
    cells, is_new = [], bool(replaced)
    for cell in function.__closure__ or ():
        try:
            found = _stand_in(known, cell.cell_contents)
        except ValueError:  # a variable without a value
            found = None
        is_new |= found is not None
        cells.append(cell if found is None else types.CellType(found))
    if not is_new:
        return None
    made = types.FunctionType(
        function.__code__, {**function.__globals__, **replaced}, function.__name__, function.__defaults__, tuple(cells)
    )
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def _stand_in(known: Mapping[Any, Any], value: Any) -> Any:
    """Return the stand-in for a function or a module; None if it has none. Other values may lack a hash."""
    of_python = isinstance(value, (types.BuiltinFunctionType, types.ModuleType)) or value is int or value is float
    is_known = of_python or any(value is one for one in OF_NUMPY)
    return known.get(value) if is_known else None
