"""Comparison and arithmetic of decimals, whose results may need more digits than 128 bits hold."""

from __future__ import annotations

import functools
from collections.abc import Callable
from decimal import Context, Decimal
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._kernels.base.extremes import largest_magnitude
from arrowjag._kernels.base.fill import fill
from arrowjag._kernels.base.words import bits_of_valid
from arrowjag._kernels.elementwise import decimals as kernels
from arrowjag._ops import exact
from arrowjag._ops.elementwise.framework import Datum, both_valid, sized
from arrowjag._ops.elementwise.types import INTEGER_DIGITS, MOST_DIGITS, promote
from arrowjag.errors import JagOverflowError
from arrowjag.typing import BoolArray, IntArray

__all__ = [
    "absolute",
    "added",
    "are_exact",
    "check_rounded",
    "compare",
    "floored",
    "negated",
    "null_for_zero",
    "room_for_result",
    "round_to_places",
]

_CONTEXT = Context(prec=MOST_DIGITS)
_MOST = int(np.iinfo(np.int64).max)
_MOST_FEWER = 17
"""The most places by which integers of 64 bits are rounded: twice the power of ten must fit, too."""


def room_for_result(name: str, kernel: str, one: Datum, two: Datum) -> tuple[Datum, Datum]:
    """Cast operands so that pyarrow's type of their result has at most 76 digits.

    pyarrow derives the precision of a result from the types of the operands, and refuses one above that of the operands' width.
    Operands of 128 bits become decimal256 where 38 digits aren't enough. Where 76 aren't either, the operands lose leading digits,
    and values that have them raise.
    """
    types = _operand_types(kernel, one.type, two.type)
    if types == (one.type, two.type):
        return one, two
    try:
        return _to_decimal(one, types[0]), _to_decimal(two, types[1])
    except pa.ArrowInvalid:
        raise JagOverflowError(
            f"{name}: the result of {one.type} and {two.type} has at most {MOST_DIGITS} digits, which leaves room for operands of "
            f"{types[0]} and {types[1]}; a value needs more. Cast to float64 first, or to a decimal of fewer digits."
        ) from None


@functools.lru_cache(1024)
def _operand_types(kernel: str, one: pa.DataType, two: pa.DataType) -> tuple[pa.DataType, pa.DataType]:
    """Return the types that operands are cast to: those of most digits whose result has a type, or else those of one digit."""
    if _has_type(kernel, one, two) or not all(pt.is_decimal(type) or pt.is_integer(type) for type in (one, two)):
        return one, two
    digits = [type.precision if pt.is_decimal(type) else INTEGER_DIGITS for type in (one, two)]
    scales = [type.scale if pt.is_decimal(type) else 0 for type in (one, two)]
    while True:
        wide = pa.decimal256(digits[0], scales[0]), pa.decimal256(digits[1], scales[1])
        longest = int(digits[1] - scales[1] > digits[0] - scales[0])
        if _has_type(kernel, *wide) or digits[longest] == 1:
            return wide
        digits[longest] -= 1


def _has_type(kernel: str, one: pa.DataType, two: pa.DataType) -> bool:
    try:
        pc.call_function(kernel, [pa.array([], one), pa.array([], two)])
    except pa.ArrowInvalid:  # precision out of range
        return False
    return True


def floored(name: str, one: Datum, two: Datum) -> pa.Array:
    """Floor division or remainder of decimals and integers, computed on unscaled integers; null for a zero divisor."""
    type = promote([one.type, two.type], name)
    digits = [t.precision - t.scale if pt.is_decimal(t) else INTEGER_DIGITS for t in (one.type, two.type)]
    whole = min(digits[0] + type.scale + 1, MOST_DIGITS)  # digits of the quotient by the least positive divisor
    quotients = pa.decimal128(whole, 0) if whole <= 38 else pa.decimal256(whole, 0)
    one, two = _to_decimal(one, type), _to_decimal(two, type)
    if (found := _floored_integers(name, one, two, quotients if name == "floor_divide" else type)) is not None:
        return found
    return _of_python_integers(name, one, null_for_zero(two), quotients if name == "floor_divide" else type)


def _beside(one: Datum, two: Datum) -> tuple[list[pa.Array], BoolArray | None]:
    """Return two operands as arrays (a scalar as one item), and flags of the pairs that are valid; None if all are."""
    sides = [pa.array([side.as_py()], side.type) if isinstance(side, pa.Scalar) else side for side in (one, two)]
    return sides, both_valid(*map(_arrow.valid_of, sides))


def _floored_integers(name: str, one: Datum, two: Datum, type: pa.DataType) -> pa.Array | None:
    """Floor division or remainder of decimals of one scale whose unscaled integers fit 64 bits; None for others."""
    sides, valid = _beside(one, two)
    parts = [exact.unscaled(side) for side in sides]
    left, right = parts
    if left is None or right is None or largest_magnitude(left) > _MOST:
        return None
    zero = right == 0
    if np.count_nonzero(zero):
        valid, right = both_valid(valid, ~zero), np.where(zero, 1, right)
    found = (np.floor_divide if name == "floor_divide" else np.remainder)(left, right)
    return _of_unscaled(found, None if valid is None else np.broadcast_to(valid, found.shape), type)


def _of_unscaled(integers: IntArray, valid: BoolArray | None, type: pa.DataType) -> pa.Array:
    """Build decimals of unscaled integers that have no more digits than the type."""
    if type.bit_width >= 128:
        return exact.from_unscaled(integers, valid, type)
    return exact.from_unscaled(integers, valid, pa.decimal128(type.precision, type.scale)).cast(type)


def negated(values: pa.Array) -> pa.Array:
    """Negate decimals of 128 bits."""
    return _of_pairs(kernels.add(kernels.pair_of(0), kernels.pairs_of(values), len(values), subtracts=True), values)


def absolute(values: pa.Array) -> pa.Array:
    """Return the magnitudes of decimals of 128 bits."""
    return _of_pairs(kernels.absolute(kernels.pairs_of(values)), values)


def added(name: str, one: Datum, two: Datum) -> pa.Array | None:
    """Add or subtract decimals of 128 bits as integers; None for other types, other scales and results of more digits."""
    arrays = [side for side in (one, two) if isinstance(side, pa.Array)]
    if name not in ("add", "subtract") or not arrays or not len(arrays[0]):
        return None
    type = _sum_type(name, one.type, two.type)
    if type is None or not all(side.is_valid for side in (one, two) if isinstance(side, pa.Scalar)):
        return None
    left, right = (_pairs_in(side, type.scale) for side in (one, two))
    if left is None or right is None:
        return None
    data = kernels.add(left, right, len(arrays[0]), subtracts=name == "subtract")
    valid = functools.reduce(both_valid, map(_arrow.valid_of, arrays))
    return _of_pairs(data, arrays[0], type, valid)


@functools.lru_cache(1024)
def _sum_type(name: str, one: pa.DataType, two: pa.DataType) -> pa.DataType | None:
    """Return pyarrow's type of the result; None if it is no decimal of 128 bits."""
    if not all(pt.is_decimal128(type) or pt.is_integer(type) for type in (one, two)) or not _has_type(name, one, two):
        return None
    type = pc.call_function(name, [pa.array([], one), pa.array([], two)]).type
    return type if pt.is_decimal128(type) else None


def _pairs_in(side: Datum, scale: int) -> kernels.Pairs | None:
    """Return the integers of decimals of a scale; of one number also where its own scale is smaller."""
    if isinstance(side, pa.Scalar):
        number = Decimal(side.as_py())
        return kernels.pair_of(int(number.scaleb(scale, _CONTEXT)))
    return kernels.pairs_of(side) if pt.is_decimal128(side.type) and side.type.scale == scale else None


def _of_pairs(
    data: npt.NDArray[Any], values: pa.Array, type: pa.DataType | None = None, valid: BoolArray | None = None
) -> pa.Array:
    """Build decimals of items of 16 bytes, null where `values` are, or where not `valid`."""
    known = _arrow.bitmap(_arrow.valid_of(values) if type is None else valid)
    return pa.Array.from_buffers(type or values.type, len(data), [known, pa.py_buffer(data)])


def round_to_places(values: pa.Array, places: int) -> pa.Array:
    """Round decimals half to even, to fewer places than they have.

    Notes
    -----
    1M of 64 bits take 17 ms of CPU time, by pyarrow 38.
    """
    fewer, integers = values.type.scale - places, exact.unscaled(values)
    if integers is None or fewer > _MOST_FEWER or largest_magnitude(integers) > _MOST - 10**fewer:
        return _rounded_by_pyarrow(values, places)
    step, whole = 10**fewer, integers

    def work(part: slice, out: IntArray) -> None:
        np.floor_divide(whole[part], step, out=out)  # np.divmod takes four times as long
        rest = 2 * (whole[part] - out * step)
        out += (rest > step) | ((rest == step) & ((out & 1) == 1))
        out *= step

    return _of_unscaled(fill(work, len(whole), np.int64), _arrow.valid_of(values), values.type)


def _rounded_by_pyarrow(values: pa.Array, places: int) -> pa.Array:
    """Round by pyarrow, and by Python's integers the items that are then half a step or more away.

    These are ties, and items whose whole part ends in 32 bits of 1: pyarrow's quotient is too low, for 2**64 - 1 by 6 billion.
    """
    found = pc.round(values, places, "half_to_even")
    step = 10 ** (values.type.scale - places)
    if values.type.precision == MOST_DIGITS:  # a difference may have one digit more
        return _rounded_integers(values, step)
    half = pa.scalar(Decimal(step // 2).scaleb(-values.type.scale), pa.decimal256(MOST_DIGITS, values.type.scale))
    away = pc.abs(pc.subtract(*room_for_result("round", "subtract", found, values)))
    far = compare("greater_equal", away, half)
    if pc.any(far).as_py():
        return pc.replace_with_mask(found, far, _rounded_integers(values.filter(far), step))
    return found


def _rounded_integers(values: pa.Array, step: int) -> pa.Array:
    whole = exact.integers(values)
    found = whole // step
    rest = 2 * (whole - found * step)
    found = found + ((rest > step) | ((rest == step) & (found % 2 == 1)))
    return exact.of_integers(found * step, _arrow.valid_of(values), values.type, "round")


def _of_python_integers(name: str, one: Datum, two: Datum, type: pa.DataType) -> pa.Array:
    """Floor division or remainder by Python integers, beyond 64 bits: pyarrow's floor is too low where 32 bits in a row are 1."""
    function: Callable[[Any, Any], Any] = np.floor_divide if name == "floor_divide" else np.remainder
    sides, valid = _beside(one, two)
    left, right = (exact.integers(side) for side in sides)
    right[right == 0] = 1  # under a null
    found = function(left, right)
    return exact.of_integers(found, None if valid is None else np.broadcast_to(valid, found.shape), type, name)


_ROUNDING = frozenset({"ceil", "floor", "round", "round_binary", "round_to_multiple"})
"""Functions of Arrow whose results may have one digit more than their type."""


def check_rounded(name: str, function: Callable[..., Any], datum: Datum, *arguments: Any, **options: Any) -> None:
    """Raise if a decimal outgrows its digits when rounded: Arrow raises only if no other item follows, and else makes it 0."""
    if name not in _ROUNDING or not pt.is_decimal(datum.type):
        return
    if arguments and isinstance(arguments[0], pa.Array) and isinstance(datum, pa.Array):  # of `round_binary`
        for digits in arguments[0].unique():
            check_rounded(name, function, datum.filter(pc.equal(arguments[0], digits)), digits, **options)
        return
    for end in pc.min_max(datum).values():
        function(end, *arguments, **options)


def are_exact(one: pa.DataType, two: pa.DataType) -> bool:
    """Whether one type is a decimal and the other one a decimal, an integer or boolean."""
    return any(map(pt.is_decimal, (one, two))) and all(pt.is_decimal(t) or pt.is_integer(t) or pt.is_boolean(t) for t in (one, two))


def compare(kernel: str, one: Datum, two: Datum) -> pa.Array:
    """Compare decimals with decimals, integers or booleans by value: as Python's integers where no decimal type holds both."""
    one, two = _whole(one), _whole(two)
    scale = max(one.type.scale, two.type.scale)
    digits = scale + max(side.type.precision - side.type.scale for side in (one, two))
    if min(one.type.scale, two.type.scale) >= 0 and digits <= MOST_DIGITS:
        if one.type != two.type:
            type = pa.decimal128(digits, scale) if digits <= 38 else pa.decimal256(digits, scale)
            one, two = one.cast(type), two.cast(type)
        found = _compared(kernel, one, two)
        return pc.call_function(kernel, [one, two]) if found is None else found
    sides, valid = _beside(one, two)
    left, right = (exact.integers(side) * 10 ** (scale - side.type.scale) for side in sides)
    found = np.asarray(getattr(np, kernel)(left, right), np.bool_)
    return sized(found, None if valid is None else np.broadcast_to(valid, found.shape))


def _compared(name: str, one: Datum, two: Datum) -> pa.Array | None:
    """Compare decimals of one type by the loop for those of 128 bits; None for others, and where it isn't ready."""
    arrays = [side for side in (one, two) if isinstance(side, pa.Array)]
    if not (arrays and len(arrays[0]) and pt.is_decimal128(one.type)):
        return None
    if not all(side.is_valid for side in (one, two) if isinstance(side, pa.Scalar)):
        return None
    left, right = (_pairs_in(side, one.type.scale) for side in (one, two))
    n = len(arrays[0])
    flags = None if left is None or right is None else kernels.compare(name, left, right, n)
    if flags is None:
        return None
    bits = bits_of_valid(*arrays)
    return pa.Array.from_buffers(pa.bool_(), n, [None if bits is None else pa.py_buffer(bits), pa.py_buffer(flags)])


def _whole(datum: Datum) -> Datum:
    """Integers and booleans as decimals without decimal places, which fit every integer."""
    if pt.is_decimal(datum.type):
        return datum
    return (datum.cast(pa.uint8()) if pt.is_boolean(datum.type) else datum).cast(pa.decimal128(20, 0))


def _to_decimal(datum: Datum, type: pa.DataType) -> Datum:
    """Cast to decimal; integers first to one that fits every integer, as pyarrow requires room for all digits of the type."""
    return datum.cast(pa.decimal128(20, 0)).cast(type) if pt.is_integer(datum.type) else datum.cast(type)


def null_for_zero(divisor: Datum) -> Datum:
    """Replace zero divisors by null: decimals have no infinity, and a single row must not fail the whole column."""
    zero = pa.scalar(Decimal(0) if pt.is_decimal(divisor.type) else 0, divisor.type)
    return pc.if_else(pc.equal(divisor, zero), pa.scalar(None, divisor.type), divisor)
