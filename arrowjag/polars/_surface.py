"""Generate the methods and operators of the surfaces from the table of methods."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from arrowjag._methods import Method
from arrowjag._ops.elementwise import PYTHON_COMPARISONS, PYTHON_OPERATORS, PYTHON_UNARY

__all__ = ["add_methods", "add_operators", "caller"]


def add_operators(surface: type) -> None:
    """Add Python's operators to a class; each calls `_operate` with its name and its operands from left to right."""
    for name, function in PYTHON_OPERATORS.items():
        setattr(surface, f"__{name}__", _two_sided(f"__{name}__", function.__name__))
        if name not in PYTHON_COMPARISONS:
            setattr(surface, f"__r{name}__", _two_sided(f"__r{name}__", function.__name__, reflected=True))
    for name in PYTHON_UNARY:
        setattr(surface, f"__{name}__", _one_sided(name))
    for name, odd in _ODD.items():
        setattr(surface, name, odd)


def _rounded(self: Any, ndigits: int = 0) -> Any:
    return self.jag._call("round", ndigits)


def _two_sided(dunder: str, name: str, reflected: bool = False) -> Callable[[Any, Any], Any]:
    def operate(self: Any, other: Any) -> Any:
        return self._operate(name, other, self) if reflected else self._operate(name, self, other)

    operate.__name__ = dunder
    return operate


def _one_sided(name: str) -> Callable[[Any], Any]:
    def operate(self: Any) -> Any:
        return self._operate(name, self)

    operate.__name__ = f"__{name}__"
    return operate


def add_methods(surface: type, methods: Mapping[str, Method]) -> None:
    """Add methods of the table to a class by their short names; each calls `_call` with its name in the table and arguments."""
    for name, method in methods.items():
        if name.isidentifier() and not name.startswith("_"):
            made = caller(method)
            made.__qualname__ = f"{surface.__name__}.{name}"
            setattr(surface, name, property(made) if method.is_property else made)


def caller(method: Method) -> Callable[..., Any]:
    """Return the function with which a surface calls a method of the table."""

    def called(self: Any, *args: Any, **kwargs: Any) -> Any:
        return self._call(method.name, *args, **kwargs)

    called.__name__ = method.short
    called.__doc__ = inspect.getdoc(method.function)
    called.__signature__ = method.signature  # type: ignore[attr-defined]
    called.__annotations__ = dict(method.function.__annotations__)
    return called


_ODD: dict[str, Any] = {
    "__round__": _rounded,
    "__divmod__": lambda self, other: (self // other, self % other),
    "__rdivmod__": lambda self, other: (other // self, other % self),
    "__hash__": None,
}
