"""Parts of cache keys that stand for Python objects and functions: objects by identity, and the names that a function looks up."""

from __future__ import annotations

import functools
import types
import weakref
from collections.abc import Callable
from typing import Any

__all__ = ["Same", "cells_of", "names_read", "parts_of"]


class Same:
    """A key that equals the key of the same object only: others may lack a hash, or compare by item.

    It keeps no object alive, such as a frame in a closure, but for those that have no weak references. The key of one that is gone
    equals no other key.
    """

    __slots__ = ("_get", "_hash")

    def __init__(self, value: Any) -> None:
        self._hash = id(value)
        try:
            self._get: Callable[[], Any] = weakref.ref(value)
        except TypeError:
            self._get = lambda: value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Same) or self._hash != other._hash:
            return False
        found = self._get()
        return found is other._get() and id(found) == self._hash

    def __hash__(self) -> int:
        return self._hash


@functools.lru_cache(1024)
def names_read(code: types.CodeType) -> frozenset[str]:
    """Return the names that a function looks up, also in the functions and comprehensions inside of it."""
    inner = [names_read(one) for one in code.co_consts if isinstance(one, types.CodeType)]
    return frozenset(code.co_names).union(*inner)


def parts_of(value: Any) -> list[Any]:
    """Return the attributes of an object, or the keys and values of a dict."""
    if isinstance(value, dict):
        return [*value, *value.values()]
    slots = [name for one in type(value).__mro__ for name in vars(one).get("__slots__", ())]
    return [*getattr(value, "__dict__", {}).values(), *(getattr(value, name, None) for name in slots)]


def cells_of(function: Any) -> list[Any]:
    """Return the contents of the closure of a function: None where a variable has no value yet, nothing of other objects."""
    found = []
    for cell in getattr(function, "__closure__", None) or ():
        try:
            found.append(cell.cell_contents)
        except ValueError:
            found.append(None)
    return found
