"""Find the objects that a function reads besides its arguments: names from outside, and attributes of these and of arguments."""

from __future__ import annotations

import functools
import types
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from arrowjag._runtime.identity import Same, cells_of, names_read, parts_of

__all__ = ["facts_of"]


def facts_of(function: Any, arguments: Iterable[Any]) -> tuple[Same, ...]:
    """Return the objects that decide which calls a function makes; if a name is bound to another object, these differ.

    Parameters
    ----------
    function : callable
        The function.
    arguments : iterable
        The arguments that are neither arrays nor compared by value.

    Returns
    -------
    tuple of Same
        The objects of the closure, of defaults and of global names that the function uses, with those of their attributes, and of
        attributes of their classes, whose names it uses. Arguments, defaults and the object of a method count with all their own
        attributes. Functions and methods among these objects that are of the same module are followed.
    """
    reader = _Reader()
    reader.read(function, None, arguments)
    return tuple(reader.found)


_HEAP_TYPE = 1 << 9
"""The flag of classes whose attributes may be bound anew; those of numbers, modules and functions may not."""


class _Reader:
    """Collects the objects that functions read."""

    def __init__(self) -> None:
        self.found: list[Same] = []
        self._seen: set[tuple[int, int]] = set()

    def read(self, function: Any, owner: Any, arguments: Iterable[Any] = ()) -> None:
        """Collect what a function reads, which is a method if it has an owner."""
        given = [*arguments]
        while not hasattr(function, "__code__") or isinstance(function, types.MethodType):
            if isinstance(function, functools.partial):
                given += [*function.args, *function.keywords.values()]
                function = function.func
            elif isinstance(function, types.MethodType):
                owner, function = function.__self__, function.__func__
            elif hasattr(function, "__wrapped__"):  # a traced function, or one that is cached
                function = function.__wrapped__
            elif hasattr(type(function).__call__, "__code__"):
                owner, function = function, type(function).__call__
            else:
                return
        if (id(function), id(owner)) in self._seen:
            return
        self._seen.add((id(function), id(owner)))
        names, outside = names_read(function.__code__), getattr(function, "__globals__", {})  # numba's functions have no globals
        read = [*cells_of(function), *(outside[name] for name in names if name in outside)]
        given += [] if owner is None else [owner]
        given += [
            *(getattr(function, "__defaults__", None) or ()),
            *(getattr(function, "__kwdefaults__", None) or {}).values(),
        ]
        for one in given:
            self.found += map(Same, (one, *parts_of(one)))
        for one in read:
            self.found.append(Same(one))
            self._follow(one, None, function.__module__)
        objects = {id(one): one for one in (*read, *given)}
        waiting = [*objects.values()]
        while waiting:
            one = waiting.pop()
            for value in _attributes(one, names):
                self.found.append(Same(value))
                self._follow(_function_of(value), one, function.__module__)
                if hasattr(value, "__dict__") and not callable(value) and id(value) not in objects:
                    objects[id(value)] = value
                    waiting.append(value)

    def _follow(self, value: Any, owner: Any, module: str | None) -> None:
        """Collect what a function reads that another one of the same module uses."""
        if callable(value) and not isinstance(value, type) and getattr(value, "__module__", None) == module:
            self.read(value, owner)


def _attributes(one: Any, names: Collection[str]) -> Iterator[Any]:
    """Yield the attributes of an object that have one of some names; those of classes too, also where others hide them."""
    for attributes in _scopes(one):
        for name in names:
            if name in attributes:
                value = attributes[name]
                is_slot = isinstance(value, types.MemberDescriptorType) and not isinstance(one, type)
                yield getattr(one, name, None) if is_slot else value


def _scopes(one: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the dicts in which the attributes of an object are looked up."""
    if isinstance(one, type):
        yield from map(vars, one.__mro__)
        return
    yield getattr(one, "__dict__", {})
    if type(one).__flags__ & _HEAP_TYPE:
        yield from map(vars, type(one).__mro__)


def _function_of(attribute: Any) -> Any:
    """Return the function that an attribute of a class calls."""
    if isinstance(attribute, property):
        return attribute.fget
    if isinstance(attribute, functools.cached_property):
        return attribute.func
    return attribute.__func__ if isinstance(attribute, (staticmethod, classmethod)) else attribute
