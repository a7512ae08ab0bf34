"""Pickle the function of a job for its workers."""

from __future__ import annotations

import collections
import functools
import io
import types
from typing import Any

from arrowjag.errors import JagTypeError, MissingDependencyError, joined_lines

__all__ = ["name_of", "pickled"]


def name_of(function: Any) -> str:
    """Return the name of a function for messages.

    Parameters
    ----------
    function : callable
        A function, a partial or an object that can be called.

    Returns
    -------
    str
        The name without those of functions around it.
    """
    while isinstance(function, functools.partial):
        function = function.func
    name = getattr(function, "__qualname__", None) or type(function).__qualname__
    return name.rpartition("<locals>.")[2]


def pickled(transform: Any, name: str = "transform") -> bytes:
    """Pickle the function of a job for its workers.

    Parameters
    ----------
    transform : callable
        The function.
    name : str
        The argument in messages.

    Returns
    -------
    bytes
        The function; those of notebooks and lambdas by value.

    Raises
    ------
    JagTypeError
        If it is no function, or can't be pickled.
    MissingDependencyError
        If cloudpickle is not installed.
    """
    if not callable(transform):
        raise JagTypeError(f"{name} must be a function of a frame, got {type(transform).__name__}")
    try:
        pickler = _pickler()
    except ImportError:
        raise MissingDependencyError.of("cloudpickle", "etl", "a job") from None
    try:
        written = io.BytesIO()
        pickler(written).dump(transform)
        return written.getvalue()
    except Exception as error:
        text = joined_lines(error)
        raise JagTypeError(f"{name_of(transform)} can't be sent to a worker process: {type(error).__name__}: {text}") from error


@functools.cache
def _pickler() -> Any:
    """cloudpickle's pickler, with the file names of functions: from version 3.1.3 on it leaves them out, and errors name them."""
    import cloudpickle

    table = cloudpickle.CloudPickler.dispatch_table

    def reduce_code(code: types.CodeType) -> tuple[Any, ...]:
        make, arguments, *rest = table[types.CodeType](code)
        return (make, tuple(code.co_filename if one == "<dynamic-code>" else one for one in arguments), *rest)

    members = {"dispatch_table": collections.ChainMap({types.CodeType: reduce_code}, table)}
    return type("Pickler", (cloudpickle.CloudPickler,), members)
