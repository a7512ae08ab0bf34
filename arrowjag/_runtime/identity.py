"""Parts of cache keys that stand for Python objects and functions: objects by identity, and the names that a function looks up."""

from __future__ import annotations

import functools
import types
import weakref
from collections.abc import Callable
from typing import Any

__all__ = ["Same", "names_read"]


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
