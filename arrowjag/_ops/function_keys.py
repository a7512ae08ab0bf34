"""Cache keys of the user's functions: equal for functions that numba compiles to the same machine code."""

from __future__ import annotations

import hashlib
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from arrowjag._runtime.identity import Same, cells_of, names_read

__all__ = ["bytes_read", "key_of"]


def key_of(function: Any) -> Any:
    """Return a cache key of what determines a function's machine code.

    Functions that numba has compiled are their own keys: they have options of their own, and keep the values that they read.
    """
    if isinstance(function, types.MethodType):  # made anew by each look-up
        return Same(function.__self__), Same(function.__func__)
    if not isinstance(function, types.FunctionType):
        return Same(function)
    names = names_read(function.__code__)
    try:
        cells = tuple(_value_key(cell.cell_contents, names) for cell in function.__closure__ or ())
    except ValueError:  # a variable without a value
        return Same(function)
    defaults = tuple(map(_value_key, (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).items())))
    read = tuple((name, _value_key(function.__globals__[name], names)) for name in sorted(names & function.__globals__.keys()))
    return (function.__code__, defaults, cells, read)


_FROZEN_BYTES = 10**6
"""numba copies contiguous arrays up to this size into the code; of larger ones and others the code holds the address alone."""


def _value_key(value: Any, names: frozenset[str] = frozenset()) -> Any:
    """Return a key of a value that compiled code keeps; that of a module includes its attributes of the given names."""
    if isinstance(value, types.ModuleType):
        known = vars(value)
        return (Same(value), *((name, _value_key(known[name], names - {name})) for name in sorted(names & known.keys())))
    if isinstance(value, np.ndarray) and not (value.flags.forc and value.nbytes <= _FROZEN_BYTES):
        return Same(value)
    if isinstance(value, (np.ndarray, np.generic)):
        return (type(value), value.dtype, value.shape, hashlib.sha256(value.tobytes()).digest())
    if isinstance(value, tuple):
        return (type(value), *map(_value_key, value))
    if type(value) in (float, complex):
        return (type(value), repr(value))  # 0.0 equals -0.0
    return (type(value), value) if type(value) in (bool, int, str, bytes) else Same(value)


def bytes_read(function: Callable[..., Any]) -> int:
    """Return the number of bytes of the arrays that a function reads, which its compiled code keeps alive; each counts once."""
    arrays = {id(one): one.nbytes for one in _objects_read(function) if isinstance(one, np.ndarray)}
    return sum(arrays.values())


def _objects_read(function: Any) -> Iterator[Any]:
    """Yield the objects that a function reads from outside, and those attributes of modules that it names."""
    yield from cells_of(function)
    if not isinstance(function, types.FunctionType):
        return
    yield from (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
    names = names_read(function.__code__)
    for name in names & function.__globals__.keys():
        value = function.__globals__[name]
        yield value
        if isinstance(value, types.ModuleType):
            yield from (vars(value)[one] for one in names & vars(value).keys())
