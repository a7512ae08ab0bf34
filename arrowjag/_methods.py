"""The table of methods: what each one says of its arguments and of the frame's rows, for the surfaces to read.

`@method` is put on the methods of `JaggedArray`; `METHODS` then holds one `Method` a name. pandas and polars build their
`.jag` from this table alone, so a method that is added to the class is there on every surface.
"""

from __future__ import annotations

import enum
import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from arrowjag.errors import JagTypeError

__all__ = [
    "HOSTS",
    "METHODS",
    "Host",
    "Method",
    "Rows",
    "along_axis",
    "changing_axis",
    "free_function",
    "method",
    "moving",
    "over_axis",
]

F = TypeVar("F", bound=Callable[..., Any])


class Rows(enum.Enum):
    """What a call does to the rows of the frame."""

    LOCAL = "each row of the result comes from the same row of the operands"
    KEPT = "as many rows in the same order, but a row depends on others"
    REDUCED = "the rows are reduced to one value"
    MOVED = "other rows"


RowRule: TypeAlias = "Callable[[int, Mapping[str, Any]], Rows]"
TypeRule: TypeAlias = "Callable[..., Any]"


@dataclass(frozen=True)
class Method:
    """One public method and what surfaces must know of it.

    Attributes
    ----------
    name : str
        The public name.
    function : callable
        The method itself, to be called with the array first.
    arrays : tuple of str
        Parameters that may be arrays; ``*name`` stands for positional arrays.
    rule : callable
        From ndim and the bound arguments to `Rows`; see `rows`.
    is_property : bool
        Whether it is read without a call.
    result_type : callable or None
        From an empty array and the bound arguments to an empty array of the result's type; by default the method itself.
    seeded : bool
        Whether it draws from a seed, so that it must see whole columns.
    """

    name: str
    function: Callable[..., Any]
    arrays: tuple[str, ...]
    rule: RowRule
    is_property: bool
    result_type: TypeRule | None
    seeded: bool

    @functools.cached_property
    def signature(self) -> inspect.Signature:
        """The signature, `self` included; read once, because plans ask for it at every call."""
        return inspect.signature(self.function)

    def rows(self, ndim: int, arguments: Mapping[str, Any]) -> Rows:
        """What a call does to the rows of the frame; arguments of a wrong type are left for the method itself to refuse."""
        try:
            return self.rule(ndim, arguments)
        except TypeError:
            return Rows.LOCAL

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """Arguments by parameter name, defaults filled in, without `self`.

        Parameters
        ----------
        args, kwargs
            As a caller gave them.

        Returns
        -------
        dict
            Name to value.

        Raises
        ------
        JagTypeError
            If they do not fit the signature.
        """
        bound = self.bound(args, kwargs)
        bound.apply_defaults()
        return dict(list(bound.arguments.items())[1:])

    def bound(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> inspect.BoundArguments:
        """Arguments bound to the signature, `self` as None; what does not fit is a TypeError that names the method."""
        try:
            return self.signature.bind(None, *args, **kwargs)
        except TypeError as error:
            raise JagTypeError(f"{self.name}: {error}") from None


METHODS: dict[str, Method] = {}


def _local(_ndim: int, _arguments: Mapping[str, Any]) -> Rows:
    return Rows.LOCAL


def _touches_rows(axis: Any, ndim: int) -> bool:
    """Whether the rows' own axis is among the axes; one out of range is left for the method to refuse."""
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    return any(one is None or one in (0, -max(ndim, 1)) for one in axes)


def over_axis(ndim: int, arguments: Mapping[str, Any]) -> Rows:
    """The rule of reductions: reducing the rows' own axis leaves no rows."""
    return Rows.REDUCED if _touches_rows(arguments.get("axis", -1), ndim) else Rows.LOCAL


def along_axis(ndim: int, arguments: Mapping[str, Any]) -> Rows:
    """The rule of what keeps every item in its place, such as cumulative sums."""
    return Rows.KEPT if _touches_rows(arguments.get("axis", -1), ndim) else Rows.LOCAL


def changing_axis(ndim: int, arguments: Mapping[str, Any]) -> Rows:
    """The rule of what drops, adds or moves items along an axis."""
    return Rows.MOVED if _touches_rows(arguments.get("axis", -1), ndim) else Rows.LOCAL


def moving(_ndim: int, _arguments: Mapping[str, Any]) -> Rows:
    """The rule of what always changes the rows."""
    return Rows.MOVED


def method(*arrays: str, rows: RowRule = _local, result_type: TypeRule | None = None, seeded: bool = False) -> Callable[[F], F]:
    """Enter a method of `JaggedArray` in the table.

    Parameters
    ----------
    *arrays : str
        Names of the parameters that may be arrays, Series or expressions.
    rows : callable
        What the call does to the rows of the frame.
    result_type : callable, optional
        How the result's type is found where an empty array would not tell.
    seeded : bool
        Whether it draws from a seed.

    Returns
    -------
    callable
        The decorator; it returns the method unchanged.
    """

    def enter(function: F) -> F:
        plain: Any = getattr(function, "fget", function)
        METHODS[plain.__name__] = Method(plain.__name__, plain, arrays, rows, isinstance(function, property), result_type, seeded)
        return function

    return enter


# --------------------------------------------------------------------------------------------------- free functions


@dataclass(frozen=True)
class Host:
    """How a surface takes part in the free functions.

    Attributes
    ----------
    owns : callable
        Whether an argument is one of the host's columns: a Series or an expression.
    call : callable
        From the plain function, its name, the positional and the keyword arguments to the host's kind of result.
    operate : callable, optional
        From a function and its operands, an array among them, to the result of an operator; NotImplemented leaves it to the host's
        own operators, as a host without this always does.
    """

    owns: Callable[[Any], bool]
    call: Callable[[Callable[..., Any], str, tuple[Any, ...], dict[str, Any]], Any]
    operate: Callable[[Callable[..., Any], tuple[Any, ...]], Any] | None = None


HOSTS: list[Host] = []
"""Surfaces enter themselves here when they are imported."""


def free_function(function: F) -> F:
    """Let a function of several arrays also take the columns of a surface, and return that surface's kind."""

    @functools.wraps(function)
    def dispatch(*args: Any, **kwargs: Any) -> Any:
        flat = [*_flattened(args), *_flattened(tuple(kwargs.values()))]
        for host in HOSTS:
            if any(map(host.owns, flat)):
                return host.call(function, function.__name__, args, kwargs)
        return function(*args, **kwargs)

    return dispatch  # type: ignore[return-value]  # the wrapped signature is function's


def _flattened(args: tuple[Any, ...]) -> list[Any]:
    """Arguments, with lists and tuples of arrays opened one level."""
    found: list[Any] = []
    for one in args:
        found.extend(one if isinstance(one, (list, tuple)) else [one])
    return found
