"""The table of methods, which surfaces read: the array arguments of each method and its effect on the rows of a frame.

`@method` decorates the methods of `JaggedArray`; `METHODS` then holds one `Method` per name. pandas and polars build their
`.jag` from this table alone, so a method that is added to the class is available on every surface.
"""

from __future__ import annotations

import enum
import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, NoReturn, TypeAlias, TypeVar, overload

from arrowjag._arguments import bound, checked, within_memory
from arrowjag._column import Column
from arrowjag._vocabulary.parameters import described, with_axis_errors
from arrowjag._vocabulary.spellings import NAMESPACES, suggestion
from arrowjag.errors import JagAttributeError, JagTypeError

__all__ = [
    "FLAT_SETS",
    "FREE_FUNCTIONS",
    "HOSTS",
    "METHODS",
    "Host",
    "Method",
    "Namespace",
    "Rows",
    "accessor",
    "add_namespaces",
    "along_axis",
    "changing_axis",
    "free_function",
    "looking_up",
    "method",
    "most_dims",
    "moving",
    "namespaces",
    "of_hosts",
    "over_aligned_axis",
    "over_axis",
    "rows_of_free",
    "set_rows",
    "touches_rows",
]

F = TypeVar("F", bound=Callable[..., Any])


class Rows(enum.Enum):
    """The effect of a call on the rows of the frame."""

    LOCAL = "each row of the result comes from the same row of the operands"
    KEPT = "as many rows in the same order, but a row depends on others"
    REDUCED = "the rows are reduced to one value"
    MOVED = "other rows"


RowRule: TypeAlias = "Callable[[int, Mapping[str, Any]], Rows]"
TypeRule: TypeAlias = "Callable[..., Any]"


@dataclass(frozen=True)
class Method:
    """One public method, described for the surfaces.

    Attributes
    ----------
    name : str
        The public name; that of a method under a namespace is dotted, such as ``str.lower``.
    function : callable
        The method; its first argument is the array.
    arrays : tuple of str
        Parameters that may be arrays; ``*name`` means positional arrays.
    rule : callable
        Maps ndim and the bound arguments to `Rows`; see `rows`.
    is_property : bool
        Whether the method is a property.
    result_type : callable or None
        Maps an empty array and the bound arguments to an empty array of the result's type; by default the method itself.
    seeded : bool
        Whether it draws from a seed; it must then get whole columns.
    """

    name: str
    function: Callable[..., Any]
    arrays: tuple[str, ...]
    rule: RowRule
    is_property: bool
    result_type: TypeRule | None
    seeded: bool

    @property
    def short(self) -> str:
        """The name without its namespace."""
        return self.name.rpartition(".")[2]

    @functools.cached_property
    def signature(self) -> inspect.Signature:
        """The signature including `self`; cached, because plans read it at every call."""
        return inspect.signature(self.function)

    def described(self, call: Callable[..., Any], owner: str | None = None) -> Callable[..., Any]:
        """Give a surface's call of the method its name, docstring and signature, and return the call."""
        call.__name__ = self.short
        if owner is not None:
            call.__qualname__ = f"{owner}.{self.name}"
        call.__doc__ = self.function.__doc__
        call.__signature__ = self.signature  # type: ignore[attr-defined]
        return call

    @property
    def reduces(self) -> bool:
        """Whether a call along axis 0 leaves no rows."""
        return "axis" in self.signature.parameters and self.rule(2, {"axis": 0}) is Rows.REDUCED

    def rows(self, ndim: int, arguments: Mapping[str, Any]) -> Rows:
        """Return the effect of a call on the rows of the frame; for arguments of a wrong type the method itself will raise."""
        try:
            return self.rule(ndim, arguments)
        except (TypeError, ValueError, NotImplementedError):  # the truth of an array, or of a scalar without equality
            return Rows.LOCAL

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments by parameter name with defaults, without `self`.

        Parameters
        ----------
        args, kwargs
            The arguments of the call.

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
        """Bind arguments to the signature, with None for `self`; raise a TypeError that names the method if they do not fit."""
        return bound(self.name, self.signature, (None, *args), kwargs)


METHODS: dict[str, Method] = {}

FLAT_SETS = frozenset({"cut", "digitize", "histogram", "is_in", "translate"})
"""Methods that also take one flat set of values, table or list of edges for all rows: such an argument has no rows."""


def _local(_ndim: int, _arguments: Mapping[str, Any]) -> Rows:
    return Rows.LOCAL


def touches_rows(axis: Any, ndim: int) -> bool:
    """Return whether the axes include that of the rows; for an axis out of range the method will raise."""
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    return any(one is None or one in (0, -max(ndim, 1)) for one in axes)


def over_axis(ndim: int, arguments: Mapping[str, Any]) -> Rows:
    """The rule of reductions: a reduction of axis 0 leaves no rows."""
    return Rows.REDUCED if touches_rows(arguments.get("axis", -1), ndim) else Rows.LOCAL


def over_aligned_axis(ndim: int, arguments: Mapping[str, Any]) -> Rows:
    """The rule of reductions of operands that are aligned first: the axis is one of the operand with the most dims."""
    return over_axis(max(ndim, most_dims(*arguments.values())), arguments)


def along_axis(ndim: int, arguments: Mapping[str, Any]) -> Rows:
    """The rule of methods with one result per item, such as cumulative sums."""
    return Rows.KEPT if touches_rows(arguments.get("axis", -1), ndim) else Rows.LOCAL


def changing_axis(ndim: int, arguments: Mapping[str, Any]) -> Rows:
    """The rule of methods that drop, add or move items along an axis."""
    return Rows.MOVED if touches_rows(arguments.get("axis", -1), ndim) else Rows.LOCAL


def looking_up(name: str) -> RowRule:
    """The rule of methods with one result per item of an argument: along the rows, they look up the whole column.

    The result then has the rows of a jagged argument, and so, on surfaces that pass columns of one frame, those of the frame.
    """

    def rule(ndim: int, arguments: Mapping[str, Any]) -> Rows:
        rows = changing_axis(ndim, arguments)
        return Rows.KEPT if rows is Rows.MOVED and most_dims(arguments.get(name)) > 1 else rows

    return rule


def set_rows(name: str, otherwise: RowRule = _local) -> RowRule:
    """The rule of methods that also take one flat set of values for all rows, which surfaces must pass whole.

    Surfaces pass columns without rows; an argument with rows is a constant.
    """

    def rule(ndim: int, arguments: Mapping[str, Any]) -> Rows:
        found = arguments.get(name)
        rows = otherwise(ndim, arguments)
        if rows is not Rows.LOCAL or not isinstance(found, Column) or found.shape.size:
            return rows
        if found.ndim == 1:  # the axis may be one of the array
            return Rows.KEPT
        return along_axis(found.ndim, arguments)

    return rule


def moving(_ndim: int, _arguments: Mapping[str, Any]) -> Rows:
    """The rule of methods that always change the rows."""
    return Rows.MOVED


def method(
    *arrays: str,
    rows: RowRule = _local,
    result_type: TypeRule | None = None,
    seeded: bool = False,
    namespace: str = "",
) -> Callable[[F], F]:
    """Enter a method of `JaggedArray`, or of one of its namespaces, in the table.

    Parameters
    ----------
    *arrays : str
        Names of the parameters that may be arrays, Series or expressions.
    rows : callable
        Returns the effect of a call on the rows of the frame.
    result_type : callable, optional
        Returns the result's type if the method's result on an empty array does not have it.
    seeded : bool
        Whether it draws from a seed.
    namespace : str
        The attribute of arrays that has the method, such as ``str``; the class of the method is a `Namespace`.

    Returns
    -------
    callable
        The decorator; it returns the method, whose docstring has the descriptions of `arrowjag._vocabulary.parameters`.
    """

    def enter(function: F) -> F:
        plain: Any = getattr(function, "fget", function)
        if plain.__doc__:  # python -OO strips it
            plain.__doc__ = described(plain.__doc__)
            if (axis := plain.__annotations__.get("axis")) is not None:
                plain.__doc__ = with_axis_errors(plain.__doc__, several=axis == "Any")
        name = f"{namespace}.{plain.__name__}" if namespace else plain.__name__
        is_property = isinstance(function, property)
        safe = function if is_property else checked(function, name)
        on_array = plain if is_property else _on_array(safe) if namespace else safe
        typed = None if result_type is None else within_memory(name, named=True)(result_type)
        METHODS[name] = Method(name, on_array, arrays, rows, is_property, typed, seeded)
        if namespace:
            NAMESPACES.setdefault(plain.__name__, f"x.{name}()")
        return safe

    return enter


# -------------------------------------------------------------------------------------------------------- namespaces


class Namespace:
    """Methods under an attribute, such as ``x.str``: classes of arrays define them, surfaces generate theirs from the table.

    Parameters
    ----------
    owner : JaggedArray, or the accessor of a surface
        The object that the methods operate on.
    """

    __slots__ = ("_owner",)

    space: ClassVar[str] = ""
    """The attribute."""

    def __init__(self, owner: Any) -> None:
        self._owner = owner

    def _call(self, *args: Any, **kwargs: Any) -> Any:
        return self._owner._call(*args, **kwargs)

    def __repr__(self) -> str:
        return f"{type(self).__name__} of {self._owner!r}"

    def __getattr__(self, name: str) -> NoReturn:
        """Raise for an unknown name, and suggest a name of this namespace."""
        if name.startswith("_"):
            raise AttributeError(name)
        space = self.space
        where = "" if isinstance(self._owner, Column) else "column.jag"
        raise JagAttributeError(
            f".{space} has no {name!r}", name, lambda: suggestion(name, namespaces()[space], space, where=where)
        )

    def __getitem__(self, index: object) -> NoReturn:
        """Raise: pandas slices text by `.str[start:stop]`."""
        hint = "; write x.str.slice(start, stop), and x.get(i) for the items of rows" if self.space == "str" else ""
        raise JagTypeError(f".{self.space} can't be indexed{hint}")


def namespaces() -> dict[str, dict[str, Method]]:
    """Return the methods of each namespace by their short names."""
    found: dict[str, dict[str, Method]] = {}
    for name, one in METHODS.items():
        space, _, short = name.rpartition(".")
        if space:
            found.setdefault(space, {})[short] = one
    return found


_DOCS = {"str": "Methods of text, called on each item.", "dt": "Methods of dates and times, called on each item."}


def add_namespaces(surface: type, make: Callable[[Method], Any]) -> None:
    """Add every namespace to a class that calls methods of the table.

    Parameters
    ----------
    surface : type
        A class whose `_call` accepts the arguments that the methods from `make` pass on.
    make : callable
        Converts a `Method` of the table to a method of the class.
    """
    for space, methods in namespaces().items():
        name = f"{surface.__name__}{space.title()}"
        made = {short: make(one) for short, one in methods.items()}
        members = {"space": space, "__doc__": _DOCS[space], "__module__": surface.__module__, "__slots__": (), **made}
        setattr(surface, space, accessor(type(name, (Namespace,), members)))


N = TypeVar("N", bound=Namespace)


class accessor(Generic[N]):  # noqa: N801 - a descriptor, as `property`
    """A descriptor that creates the namespace of an instance; on the class it returns the namespace's class.

    Parameters
    ----------
    cls : type
        The namespace.
    """

    def __init__(self, cls: type[N]) -> None:
        self._cls = cls
        self.__doc__ = cls.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> type[N]: ...

    @overload
    def __get__(self, instance: object, owner: type) -> N: ...

    def __get__(self, instance: object | None, owner: type) -> type[N] | N:
        return self._cls if instance is None else self._cls(instance)


def _on_array(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method of a namespace as a function of the array."""

    @functools.wraps(function)
    def on_array(array: Any, *args: Any, **kwargs: Any) -> Any:
        return function(Namespace(array), *args, **kwargs)

    return on_array


# --------------------------------------------------------------------------------------------------- free functions


@dataclass(frozen=True)
class Host:
    """The hooks of a surface for free functions and operators.

    Attributes
    ----------
    owns : callable
        Returns whether an argument is a column of the host: a Series or an expression.
    call : callable
        Calls a function, given with its name and arguments, and returns a column of the host.
    operate : callable, optional
        Calls an operator on operands that include an array; after NotImplemented, or without this hook, the host's
        own operators run.
    trace : callable, optional
        Calls a traced function, given with its name and arguments, on columns whose
        types are unknown.
    """

    owns: Callable[[Any], bool]
    call: Callable[[Callable[..., Any], str, tuple[Any, ...], dict[str, Any]], Any]
    operate: Callable[[Callable[..., Any], tuple[Any, ...]], Any] | None = None
    trace: Callable[[Callable[..., Any], str, tuple[Any, ...], dict[str, Any]], Any] | None = None


HOSTS: list[Host] = []
"""Surfaces register here when they are imported."""


_NO_HOST = (Column, int, float, str, type(None))
"""Types of arguments that no surface has, asked before the surfaces are."""


FREE_FUNCTIONS: dict[str, Callable[..., Any]] = {}
"""Functions of several arrays that take the columns of surfaces, by name; expressions record the name."""


def most_dims(*values: Any) -> int:
    """Return the largest number of dims of the arrays among some arguments, or among the members of lists; 0 without arrays."""
    return max((one.ndim for one in _flattened(values) if isinstance(one, Column)), default=0)


FreeRule: TypeAlias = "Callable[[Mapping[str, Any]], Rows]"


@overload
def free_function(function: F) -> F: ...


@overload
def free_function(*, rows: FreeRule) -> Callable[[F], F]: ...


def free_function(function: F | None = None, *, rows: FreeRule | None = None) -> Any:
    """Let a function of several arrays also take the columns of a surface, and return that surface's kind.

    Parameters
    ----------
    function : callable
        The function.
    rows : callable, optional
        Maps the bound arguments, with arrays in place of columns, to the effect of the call on the rows of the frame; by default
        each row of the result comes from the same row of the operands.

    Returns
    -------
    callable
        The function; `rows_of_free` asks it for its effect on rows.
    """
    if function is None:
        return functools.partial(free_function, rows=rows)
    safe: Any = checked(function, function.__name__)
    safe.rows = rows

    @functools.wraps(function)
    def dispatch(*args: Any, **kwargs: Any) -> Any:
        others = of_hosts(args)
        if kwargs:
            others += of_hosts(kwargs.values())
        if others:
            for host in HOSTS:
                if any(map(host.owns, others)):
                    return host.call(safe, function.__name__, args, kwargs)
        return safe(*args, **kwargs)

    dispatch.rows = rows  # type: ignore[attr-defined]
    FREE_FUNCTIONS[function.__name__] = dispatch
    return dispatch


_signature = functools.lru_cache(inspect.signature)
"""Signatures of free functions; cached, because plans and Series read them at every call."""


def rows_of_free(function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Rows:
    """Return the effect of a call of a free function on the rows of the frame.

    Parameters
    ----------
    function : callable
        An entry of `FREE_FUNCTIONS`, or what a `Host` is told to call.
    args, kwargs
        The arguments of the call, with arrays in place of columns.

    Returns
    -------
    Rows
        LOCAL for arguments that do not fit, for which the function itself will raise.
    """
    rule = getattr(function, "rows", None)
    if rule is None:
        return Rows.LOCAL
    try:
        bound = _signature(function).bind(*args, **kwargs)
        bound.apply_defaults()
        found: Rows = rule(bound.arguments)
    except (TypeError, ValueError, NotImplementedError):
        return Rows.LOCAL
    return found


def of_hosts(args: Iterable[Any]) -> list[Any]:
    """Return the arguments that a host may own, with lists and tuples opened by one level.

    Types decide, because placeholders of traced functions pass as arrays in `isinstance`.
    """
    found: list[Any] = []
    for one in args:
        if isinstance(one, (list, tuple)):
            found += [each for each in one if not issubclass(type(each), _NO_HOST)]
        elif not issubclass(type(one), _NO_HOST):
            found.append(one)
    return found


def _flattened(args: Iterable[Any]) -> list[Any]:
    """Return the arguments, with lists and tuples of arrays flattened by one level."""
    found: list[Any] = []
    for one in args:
        if isinstance(one, (list, tuple)):
            found += one
        else:
            found.append(one)
    return found
