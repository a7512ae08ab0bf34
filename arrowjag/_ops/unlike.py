"""Operations whose results in numba differ from Python's for ordinary numbers, as numba has typed them in a function."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

__all__ = ["unlike_operation"]

_POWERS = (pow, operator.pow, operator.ipow, np.power)
_SHIFTS = (operator.lshift, operator.rshift, operator.ilshift, operator.irshift, np.left_shift, np.right_shift)


def unlike_operation(function: Any) -> str | None:
    """Return the reason why a compiled function must not run: an operation that has other results in numba than in Python.

    Powers of integers with a negative exponent are 0 in numba, and errors or fractions in Python and numpy; bits shifted by a
    negative number are any; `round` with a number of digits rounds the decimals of a Python float in one step less.

    Parameters
    ----------
    function : numba dispatcher
        The function of the user, which has been compiled for some types.
    """
    for compiled in function.overloads.values():
        found = compiled.type_annotation
        for step, signature in found.calltypes.items():
            for called, types in () if signature is None else _operations(step, signature, found.typemap):
                if called is round and len(types) == 2 and _kind(types[0]) == "float":
                    return "round(x, n) of floats is another number in numba for some rows; np.round(x, n) is compiled"
                is_whole = len(types) == 2 and all(_kind(one) in ("int", "bool") for one in types)
                if is_whole and called in _POWERS and not _is_positive(types[1]):
                    return "a power of integers is another number in numba where the exponent is negative; give it floats"
                if is_whole and called in _SHIFTS and not _is_positive(types[1]):
                    return "bits that are shifted by a negative number are any in numba; multiply by a power of two"
    return None


def _operations(step: Any, signature: Any, types: Mapping[str, Any]) -> Iterator[tuple[Any, Sequence[Any]]]:
    """Yield the functions and operators of a step, with the types of their operands, or the operands themselves."""
    kind = getattr(step, "op", "")
    if kind == "call":
        yield getattr(types[step.func.name], "typing_key", None), [types[one.name] for one in step.args] or signature.args
    elif kind in ("binop", "inplace_binop"):
        yield step.immutable_fn if kind == "inplace_binop" else step.fn, (types[step.lhs.name], types[step.rhs.name])
    elif kind == "static_binop":
        yield step.fn, (types[step.lhs.name], step.static_rhs)
    elif kind == "arrayexpr":
        yield from _of_arrays(step.expr, signature.return_type, types)


def _of_arrays(node: Any, result: Any, types: Mapping[str, Any]) -> Iterator[tuple[Any, Sequence[Any]]]:
    """Yield the operations of an expression of arrays; that of a part is taken for one of the type of the result."""
    if isinstance(node, tuple):
        function, operands = node
        yield function, [_operand(one, result, types) for one in operands]
        for one in operands:
            yield from _of_arrays(one, result, types)


def _operand(one: Any, result: Any, types: Mapping[str, Any]) -> Any:
    if isinstance(one, tuple):
        return result
    return types[one.name] if hasattr(one, "name") else getattr(one, "value", one)


def _kind(one: Any) -> str:
    """Return whether a type, that of the items of an array, or a number is an integer, a float or a boolean."""
    from numba import types

    one = getattr(one, "dtype", one)
    kinds = {"bool": (bool, types.Boolean), "int": (int, types.Integer), "float": (float, types.Float)}
    return next((name for name, classes in kinds.items() if isinstance(one, classes)), "")


def _is_positive(one: Any) -> bool:
    """Return whether an operand is known not to be negative."""
    number = getattr(one, "literal_value", one)
    return _kind(one) == "bool" or (isinstance(number, int) and number >= 0) or not getattr(one, "signed", True)
