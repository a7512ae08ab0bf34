"""Parts of cache keys that stand for Python objects and functions: objects by identity, and the names that a function looks up."""

from __future__ import annotations

import functools
import types
from typing import Any

__all__ = ["Same", "names_read"]


class Same:
    """A key that equals the key of the same object only, and keeps the object alive: others may lack a hash, or compare by item."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)


@functools.lru_cache(1024)
def names_read(code: types.CodeType) -> frozenset[str]:
    """Return the names that a function looks up, also in the functions and comprehensions inside of it."""
    inner = [names_read(one) for one in code.co_consts if isinstance(one, types.CodeType)]
    return frozenset(code.co_names).union(*inner)
