"""Checks of the arguments of public methods by the annotations of their parameters, before anything is computed."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any, Literal, NoReturn, TypeVar, get_args, get_origin

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from arrowjag._integers import exceeds_floats, integer, is_int
from arrowjag._kernels.base.memory import ExcessError
from arrowjag.errors import JagError, JagMemoryError, JagRangeError, JagTypeError, JagValueError, ShapeError, brief, type_name

__all__ = [
    "OPERATIONS",
    "bound",
    "check_arguments",
    "check_arguments_as",
    "checked",
    "flag",
    "flat_numbers",
    "has_items",
    "instance",
    "length_of",
    "several",
    "within_memory",
    "without_utf8",
]

F = TypeVar("F", bound=Callable[..., Any])

_Check = Callable[[Any, str], None]

_MOST = 2**63 - 1

OPERATIONS = {"array", "indexing", "less", "greater"}
"""The names of all checked functions and of operators: errors name the function that was called in place of one that it calls."""


def _flag(value: Any, what: str) -> None:
    if not isinstance(value, (bool, np.bool_)):
        raise JagTypeError(f"{what} must be a bool, got {type_name(value)}")


def _text(value: Any, what: str) -> None:
    if not isinstance(value, str):
        raise JagTypeError(f"{what} must be a str, got {type_name(value)}")


def _whole(value: Any, what: str) -> None:
    number = value if type(value) is int else integer(value, what)
    if not -_MOST <= number <= _MOST:
        raise JagRangeError(f"{what} must fit 64 bits, got {brief(number)}")


def _number(value: Any, what: str) -> None:
    if not (is_int(value) or isinstance(value, (float, np.floating))):
        raise JagTypeError(f"{what} must be a number, got {type_name(value)}")
    if exceeds_floats(value):
        raise JagRangeError(f"{what} must fit float64, got {brief(value)}")


def _axis(value: Any, what: str) -> None:
    """Refuse types that cannot name an axis; the method checks the range, and its errors explain text and floats."""
    if not (value is None or is_int(value) or isinstance(value, (str, float, tuple, list, bool))):
        raise JagTypeError(f"{what} must be an int, got {type_name(value)}")


def _integral(value: Any, what: str) -> None:
    integer(value, what)


_CHECKS: dict[str, _Check] = {
    "bool": _flag,
    "str": _text,
    "int": _whole,
    "float": _number,
}
_PASSING: dict[_Check, tuple[type, ...]] = {_flag: (bool,), _text: (str,), _number: (float,), _axis: (int,), _integral: (int,)}
"""Types whose values pass without a call of the check, as nearly all arguments do; an int that must fit 64 bits is checked."""

_UNLIMITED = frozenset({"seed", "axis", "a", "b", "row_group_size", "row_group_values"})
"""Parameters that take integers of any size: a seed may have many bits, an axis out of range has an error of its own, and a huge
number of rows or values means no limit."""


def _check_of(name: str, annotation: str, scope: Mapping[str, Any]) -> tuple[_Check | None, bool]:
    """Return the check of a parameter by its annotation, and whether None is allowed; `scope` holds the names of annotations."""
    written = annotation.replace("builtins.", "")
    kind = written.removesuffix(" | None")
    if name == "axis" and kind == "Any":
        return _axis, True
    if kind == "int" and name in _UNLIMITED:
        return _integral, kind != written
    words = _words_of(kind, scope)
    return _word_of(words, none=kind != written) if words else _CHECKS.get(kind), kind != written


def _words_of(annotation: str, scope: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the words of a `Literal`, or of a name that stands for one; none for other annotations."""
    if annotation.startswith("Literal["):
        return tuple(re.findall(r"[\"']([^\"']*)[\"']", annotation))
    alias = scope.get(annotation)
    return get_args(alias) if get_origin(alias) is Literal else ()


def _word_of(words: tuple[str, ...], *, none: bool) -> _Check:
    """Return the check of a parameter that takes one of several words, or None as well."""

    def check(value: Any, what: str) -> None:
        _text(value, what)
        if value not in words:
            raise JagValueError.unknown(what, (*words, *((None,) if none else ())), value)

    return check


def _entry(name: str, key: str, check: _Check, none: bool) -> tuple[tuple[type, ...], _Check, str]:
    """Return the types of arguments that need no check, the check of all others, and the name of the parameter in errors."""
    return (*_PASSING.get(check, ()), *((type(None),) if none else ())), check, f"{name}: {key}"


def within_memory(name: str | None, *, named: bool = False) -> Callable[[F], F]:
    """Decorate a function whose failed allocations raise `JagMemoryError` that names it.

    Where `name` is None the first argument names it, as a str or a ufunc. Text that UTF-8 can't encode raises `JagValueError`. With
    `named`, other errors begin with the name, too; see `checked`.
    """

    def decorate(function: F) -> F:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                return function(*args, **kwargs)
            except (JagError, MemoryError, UnicodeEncodeError) as error:
                _name_argument(error, function, args, kwargs)
                _raise_named(error, name or getattr(args[1], "__name__", args[1]), named=named)
            except TypeError:
                if name is not None and function.__name__ in (name.rpartition(".")[2], "__init__"):  # no operator
                    bound(name, inspect.signature(function), args, kwargs)
                raise

        return call  # type: ignore[return-value]  # the wrapped signature is function's

    return decorate


def _raise_named(error: JagError | MemoryError | UnicodeEncodeError, name: str, *, named: bool = True) -> NoReturn:
    """Raise a failed allocation as `JagMemoryError` that names the operation, and text without UTF-8 as `JagValueError`."""
    if isinstance(error, UnicodeEncodeError):
        raise without_utf8(error, name) from None
    if isinstance(error, ExcessError):
        raise JagMemoryError(f"{name}: {error}") from None
    if isinstance(error, JagError):
        if named:
            error.begin_with(name, OPERATIONS)
        raise error
    raise JagMemoryError.of(f"{name}: the result needs", error) from error


def without_utf8(error: UnicodeEncodeError, name: str) -> Exception:
    """Return the `JagValueError` for text that UTF-8 can't encode; return `error` itself if a function of the user raised it."""
    if error.encoding != "utf-8" or any("function failed" in note for note in getattr(error, "__notes__", ())):
        return error
    text, place = error.object, error.start
    return JagValueError(f"{name}: {brief(text)} holds {text[place]!r} at {place}, which UTF-8 can't encode")


def _name_argument(error: Exception, function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    """Put the name of a parameter into an error about its argument: code that converts arguments does not know it."""
    if not isinstance(error, JagError) or error.given is None:
        return
    try:
        arguments = inspect.signature(function).bind(*args, **kwargs).arguments
    except (TypeError, ValueError):
        return
    found = []
    for name, value in arguments.items():
        if id(value) == error.given:
            found.append(name)
        elif isinstance(value, (tuple, dict)):  # of *arrays and **arrays
            parts = value.items() if isinstance(value, dict) else enumerate(value)
            found += [one if isinstance(one, str) else f"{name}[{one}]" for one, part in parts if id(part) == error.given]
    if len(found) == 1 and found[0] != "data":  # None and small numbers are one object
        error.name_argument(found[0])


def checked(function: F, name: str) -> F:
    """Return a function that checks its flags, words, integers, numbers and axes by their annotations.

    A wrong type raises `JagTypeError` that names the parameter, and an integer beyond 64 bits `JagRangeError`, before any other
    library gets the argument. Arguments with other annotations are left to the function. A failed allocation raises
    `JagMemoryError`, text that UTF-8 can't encode `JagValueError`. All errors begin with the name, in place of those of other
    functions that it calls. Cost: below a microsecond per call, nothing without arguments.
    """
    OPERATIONS.add(name)
    plain: Any = inspect.unwrap(function)
    code, annotations = plain.__code__, plain.__annotations__  # inspect.signature takes longer than the import of a module
    parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    found = {one: _check_of(one, str(annotations.get(one, "")), plain.__globals__) for one in parameters}
    checks = {one: _entry(name, one, check, none) for one, (check, none) in found.items() if check is not None}
    if not checks:
        return within_memory(name, named=True)(function)
    positional = [(place, *checks[one]) for place, one in enumerate(parameters[: code.co_argcount]) if one in checks]

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        given = len(args)
        if given > 1:
            for place, passing, check, what in positional:
                if place >= given:
                    break
                if type(args[place]) not in passing:
                    check(args[place], what)
        for key, value in kwargs.items():
            if key in checks:
                passing, check, what = checks[key]
                if type(value) not in passing:
                    check(value, what)
        try:
            return function(*args, **kwargs)
        except (JagError, MemoryError, UnicodeEncodeError) as error:
            _name_argument(error, function, args, kwargs)
            _raise_named(error, name)
        except TypeError:  # from a call that doesn't fit the signature, or from inside of the function
            bound(name, inspect.signature(function), args, kwargs)
            raise

    return call  # type: ignore[return-value]  # the wrapped signature is function's


def bound(name: str, signature: inspect.Signature, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> inspect.BoundArguments:
    """Bind arguments to a signature; arguments that don't fit raise a `JagTypeError` that shows the signature."""
    try:
        return signature.bind(*args, **kwargs)
    except TypeError as error:
        parameters = [
            one.replace(annotation=one.empty) for key, one in signature.parameters.items() if key not in ("self", "_self")
        ]
        shown = signature.replace(parameters=parameters, return_annotation=signature.empty)
        takes_any = any(one.kind is one.VAR_KEYWORD for one in signature.parameters.values())
        unknown = next((key for key in kwargs if key not in signature.parameters and not takes_any), None)
        failure = error if unknown is None else f"got an unexpected keyword argument {unknown!r}"  # before those that are missing
        raise JagTypeError(f"{name}: {failure}; the signature is {name}{shown}") from None


def check_arguments(function: F) -> F:
    """Decorate a public function: `checked`, by the name of the function."""
    return checked(function, function.__name__)


def check_arguments_as(name: str) -> Callable[[F], F]:
    """Decorate a public function: `checked`, by another name, such as that of the class that it makes."""
    return lambda function: checked(function, name)


def flag(value: Any, what: str) -> bool:
    """Convert a flag to a Python bool; raise if it is anything else, such as an array without a truth value."""
    if type(value) is not bool:
        _flag(value, what)
    return bool(value)


def instance(value: Any, kind: type, what: str, expected: str) -> None:
    """Raise unless a value is of a class, which the message calls `expected`."""
    if not isinstance(value, kind):
        raise JagTypeError(f"{what} must be {expected}, got {type(value).__name__}")


def several(values: Any, what: str) -> list[Any]:
    """Return the items of an iterable as a list; raise for text and for anything else that can't be iterated.

    `what` is the start of the message, such as ``"concat takes a list of arrays"``.
    """
    if has_items(values) and not isinstance(values, (str, bytes)):
        try:
            return list(values)
        except TypeError:  # an object whose __iter__ or __getitem__ refuses
            pass
    raise JagTypeError(f"{what}, got {brief(values)} of type {type_name(values)}")


def has_items(value: Any) -> bool:
    """Whether a value can be iterated: classes of lists can't, nor arrays without dims, nor objects that set `__iter__` to None."""
    if isinstance(value, type) or getattr(value, "ndim", None) == 0:
        return False
    return getattr(value, "__iter__", None) is not None or (not hasattr(value, "__iter__") and hasattr(value, "__getitem__"))


def length_of(value: Any) -> int | None:
    """Return the length of a list or an array; None for numbers, and for all others that have none."""
    return len(value) if has_items(value) and hasattr(value, "__len__") else None


def flat_numbers(values: Any, what: str) -> npt.NDArray[Any]:
    """Convert a list of a caller to a numpy array; lists of unequal lengths raise `ShapeError`."""
    if isinstance(values, (list, tuple)):
        values = [one.as_py() if isinstance(one, pa.Scalar) else one for one in values]
    try:
        return np.asarray(values)
    except ValueError:  # numpy says "inhomogeneous shape"
        raise ShapeError(f"{what}: expected numbers in rows of one size, got {brief(values)}") from None
    except TypeError:
        raise JagTypeError(f"{what}: expected numbers, got {brief(values)}") from None
