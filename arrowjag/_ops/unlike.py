"""Find operations of a compiled function whose results in numba differ from Python's, from the types of their operands."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from arrowjag._ops.checked_numbers import OF_NUMPY

__all__ = ["unlike_operation"]

_POWERS = (pow, operator.pow, operator.ipow, np.power)
_SHIFTS = (operator.lshift, operator.rshift, operator.ilshift, operator.irshift, np.left_shift, np.right_shift)
_COMPARISONS = (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne)
_BINARY = (operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod)
_OF_INTEGERS = (*_BINARY, operator.neg, operator.invert, abs, divmod)
"""Operators of integers whose results wrap around in the type of the operands."""

_OF_BOOLS = (operator.add, operator.sub, operator.mul, operator.neg, operator.pos, operator.invert)
"""Operators that numpy's booleans refuse, or define in another way than Python's."""

_OF_FLOATS = (*_OF_INTEGERS, *_COMPARISONS, operator.truediv, *_POWERS)
_LOGIC = (operator.and_, operator.or_, operator.xor)
_EXACT = (math.ceil, math.floor, math.isfinite, math.isinf, math.isnan, math.trunc)
_MATHEMATICS = frozenset(one for one in vars(math).values() if callable(one)).difference(_EXACT)
"""Functions that compute in the type of their argument in numba, and in float64 in Python."""


class _Number(NamedTuple):
    """The type of an operand that is a number, or an array of numbers."""

    kind: str
    """One of "bool", "int" and "float"."""
    bits: int
    is_signed: bool
    is_array: bool
    literal: Any = None
    """The number itself if it is a constant of the function."""

    @property
    def is_narrow(self) -> bool:
        """Whether the numbers have fewer than 64 bits."""
        return self.kind != "bool" and self.bits < 64

    @property
    def is_positive(self) -> bool:
        """Whether the number is known not to be negative."""
        return self.kind == "bool" or not self.is_signed or (isinstance(self.literal, int) and self.literal >= 0)


def unlike_operation(function: Any) -> str | None:
    """Return the reason why a compiled function must not run: an operation that has other results in numba than in Python.

    Powers of integers with a negative exponent are 0 in numba, and errors or fractions in Python and numpy. A shift by a negative
    number has an undefined result. `round` with a number of digits does not round as Python does, which converts the float to
    decimal text. numba computes in 64 bits where numpy computes in the narrower type of its scalars, which numbers of Python take
    on. It adds numpy's booleans as integers.

    Parameters
    ----------
    function : numba dispatcher
        The function of the user, which has been compiled for some types.
    """
    for compiled in function.overloads.values():
        found = compiled.type_annotation
        for step, signature in found.calltypes.items():
            if (reason := _odd_method(step, found.typemap)) is not None:
                return reason
            for called, types in () if signature is None else _operations(step, signature, found.typemap):
                reason = _reason(called, [_number(one) for one in types])
                if reason is not None:
                    return reason
    return None


def _odd_method(step: Any, types: Mapping[str, Any]) -> str | None:
    """Return the reason why a call of a method differs; None if it does not, or if the step calls none."""
    this = getattr(types[step.func.name], "this", None) if getattr(step, "op", "") == "call" else None
    if this is None:
        return None
    key, items = types[step.func.name].typing_key, _number(this)
    is_float = items is not None and items.kind == "float"
    name = key[-1] if isinstance(key, tuple) else str(key).rpartition(".")[-1]
    if name == "sort" and is_float and not hasattr(this, "layout"):  # of a list
        return _SORTED
    if name != "clip":
        return None
    for one in (*step.args, *(value for _, value in step.kws)):
        is_written = one.name.startswith("$const")  # in the function, so that it isn't NaN
        bound = _number(types[one.name])
        is_exact = bound is not None and (bound.kind != "float" or (is_float and is_written and not bound.is_array))
        if not is_exact and str(types[one.name]) != "none":
            return "row.clip of numba ignores bounds of NaN, and truncates float bounds of integers; np.clip is compiled"
    return None


_SORTED = "Python's sort puts floats in another order than numba's where one is NaN; np.sort is compiled"


def _reason(called: Any, operands: Sequence[_Number | None]) -> str | None:
    """Return the reason why a call differs; None if it does not."""
    if called in OF_NUMPY:  # which no stand-in has replaced
        return f"numba's {called.__name__} differs from numpy's for some rows"
    if called is round and len(operands) == 2 and operands[0] is not None and operands[0].kind == "float":
        return "round(x, n) of floats differs in numba for some rows; np.round(x, n) is compiled"
    if called in (sum, *_MATHEMATICS) and any(one is not None and one.is_narrow for one in operands):
        return _NARROW
    numbers = [one for one in operands if one is not None]
    if isinstance(called, np.ufunc) and called.types[0].startswith("e") and numbers and max(one.bits for one in numbers) <= 8:
        return f"numpy's {called.__name__} of booleans, or integers of 8 bits, has floats of 16 bits, which numba lacks"
    if called is np.trapezoid and any(one.kind == "bool" for one in numbers):
        return _ADDED
    if called is np.divmod and any(one.kind == "float" for one in numbers):
        return "np.divmod of floats differs in numba for some rows; x // y and x % y are compiled"
    if called is sorted and any(one.kind == "float" for one in numbers):
        return _SORTED
    if not numbers or len(numbers) < len(operands):
        return None
    kinds = {one.kind for one in numbers}
    is_whole = len(numbers) == 2 and "float" not in kinds
    if is_whole and called in _POWERS and not numbers[1].is_positive:
        return "powers of integers differ in numba where the exponent is negative; convert one of them by float()"
    if is_whole and called in _SHIFTS and not numbers[1].is_positive:
        return "shifts by negative numbers are undefined in numba; multiply by a power of two"
    scalars = [one for one in numbers if not one.is_array]
    if kinds == {"bool"} and called in _OF_BOOLS and len(scalars) == len(numbers):
        return _ADDED
    return _NARROW if _is_narrow(called, numbers, scalars) else None


_ADDED = "numba adds booleans as integers, and numpy does not; convert them by int()"

_NARROW = "numpy's numbers of fewer than 64 bits, or without sign, get other types in numba; convert them by int() or float()"


def _is_narrow(called: Any, numbers: Sequence[_Number], scalars: Sequence[_Number]) -> bool:
    """Return whether numba computes in another type than numpy, where numbers of Python take the type of the other operand."""
    wide = [one for one in scalars if not one.is_narrow and one.kind != "bool"]
    if any(one.kind == "float" and one.is_narrow for one in numbers):
        return called in _OF_FLOATS and bool(wide)
    if any(one.kind == "float" for one in numbers):
        return False
    if len(scalars) < len(numbers):
        arrays = [one for one in numbers if one.is_array]
        return called in (*_OF_INTEGERS, *_LOGIC, *_POWERS, *_SHIFTS) and bool(wide) and any(one.is_narrow for one in arrays)
    is_unsigned = any(one.kind == "int" and not one.is_signed for one in numbers)
    if is_unsigned and called in (*_OF_INTEGERS, *_LOGIC, *_COMPARISONS, *_POWERS, *_SHIFTS):
        return True
    return called in (*_OF_INTEGERS, *_POWERS, *_SHIFTS) and any(one.is_narrow for one in numbers)


def _operations(step: Any, signature: Any, types: Mapping[str, Any]) -> Iterator[tuple[Any, Sequence[Any]]]:
    """Yield the functions and operators of a step, with the types of their operands, or the operands themselves."""
    kind = getattr(step, "op", "")
    if kind == "call":
        called = getattr(types[step.func.name], "typing_key", None)
        yield _OPERATORS.get(called, called), [types[one.name] for one in step.args] or signature.args
    elif kind in ("binop", "inplace_binop"):
        yield step.immutable_fn if kind == "inplace_binop" else step.fn, (types[step.lhs.name], types[step.rhs.name])
    elif kind == "unary":
        yield step.fn, (types[step.value.name],)
    elif kind == "static_binop":
        yield step.fn, (types[step.lhs.name], step.static_rhs)
    elif kind == "arrayexpr":
        yield from _of_arrays(step.expr, signature.return_type, types)


_NAMES = {"subtract": "sub", "multiply": "mul", "true_divide": "truediv", "floor_divide": "floordiv", "remainder": "mod"}
_NAMES |= {"less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge", "equal": "eq", "not_equal": "ne"}
_NAMES |= {"add": "add", "negative": "neg", "invert": "invert", "bitwise_and": "and_", "bitwise_or": "or_"}
_OPERATORS: Mapping[Any, Any] = {getattr(np, name): getattr(operator, of) for name, of in _NAMES.items()}
"""Ufuncs, and the operators that stand for them."""


def _of_arrays(node: Any, result: Any, types: Mapping[str, Any]) -> Iterator[tuple[Any, Sequence[Any]]]:
    """Yield the operations of an expression of arrays; that of a part is taken for one of the type of the result."""
    if isinstance(node, tuple):
        function, operands = node
        yield _OPERATORS.get(function, function), [_operand(one, result, types) for one in operands]
        for one in operands:
            yield from _of_arrays(one, result, types)


def _operand(one: Any, result: Any, types: Mapping[str, Any]) -> Any:
    if isinstance(one, tuple):
        return result
    return types[one.name] if hasattr(one, "name") else getattr(one, "value", one)


def _number(one: Any) -> _Number | None:
    """Return the number that a type, that of the items of an array, or a number stands for; None for all else."""
    from numba import types

    if isinstance(one, (bool, int, float)):
        kind = "bool" if isinstance(one, bool) else "int" if isinstance(one, int) else "float"
        return _Number(kind, 64, True, False, one)
    is_array, literal = hasattr(one, "dtype"), getattr(one, "literal_value", None)
    one = getattr(one, "dtype", one)
    if isinstance(one, types.Boolean):
        return _Number("bool", 8, False, is_array)
    if isinstance(one, types.Integer):
        return _Number("int", one.bitwidth, one.signed, is_array, literal)
    return _Number("float", one.bitwidth, True, is_array) if isinstance(one, types.Float) else None
