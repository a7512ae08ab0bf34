"""Arithmetic on flat values with numpy's result types and Python's signs; an integer divided by zero is null."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._kernels.base.extremes import largest_magnitude
from arrowjag._kernels.base.fill import fill
from arrowjag._kernels.elementwise.arithmetic import power as raise_to
from arrowjag._kernels.elementwise.text import join
from arrowjag._ops.elementwise import decimals, durations
from arrowjag._ops.elementwise.framework import (
    Datum,
    as_float,
    both_valid,
    cast_datum,
    cast_plain,
    datum_to_numpy,
    decoded,
    in_single_precision,
    single_to_half,
    sized,
)
from arrowjag._ops.elementwise.types import is_bytes, is_text, promote
from arrowjag._pyarrow_versions import numpy_dtype
from arrowjag.errors import OVERFLOW_HINT, JagOverflowError, JagTypeError, JagValueError
from arrowjag.typing import BoolArray

__all__ = ["arithmetic", "divide", "exact_product", "fitting_product", "floor_divide", "power", "product_overflows", "remainder"]


def exact_product(one: Datum, two: Datum) -> pa.Array:
    """Multiply for a sum of products: integers give 64-bit integers; a product that does not fit raises."""
    one, two = decoded(one), decoded(two)
    both = (one.type, two.type)
    if not (all(pt.is_integer(type) for type in both) and pt.is_integer(promote(both, "dot"))):
        return arithmetic("multiply", "multiply")(one, two)
    wide = _integers_of(both)
    if _fit_together(one, two, wide):
        if all(isinstance(side, pa.Array) and side.type.bit_width <= 32 for side in (one, two)):
            return _wide_product(one, two, wide)
        return pc.multiply(cast_datum(one, wide), cast_datum(two, wide))
    try:
        return pc.multiply_checked(cast_datum(one, wide), cast_datum(two, wide))
    except pa.ArrowInvalid:
        raise JagOverflowError(f"dot: integer overflow, a product does not fit {wide}. {OVERFLOW_HINT}") from None


def _wide_product(one: pa.Array, two: pa.Array, wide: pa.DataType) -> pa.Array:
    """Multiply narrow integers as 64-bit integers, cast in cache; casts by Arrow take as long as the product."""
    (left, left_valid), (right, right_valid) = datum_to_numpy(one), datum_to_numpy(two)

    def work(items: slice, out: npt.NDArray[Any]) -> None:
        out[:] = left[items]
        np.multiply(out, right[items], out=out, casting="unsafe")

    data = fill(work, len(left), numpy_dtype(wide))
    return _arrow.from_numpy(data, both_valid(left_valid, right_valid))


def _fit_together(one: Datum, two: Datum, type: pa.DataType) -> bool:
    """Return whether the types or the largest numbers show that every product fits; Arrow's check of each takes twice as long."""
    if max(one.type.bit_width, two.type.bit_width) <= 32:
        return True
    most: int = np.iinfo(numpy_dtype(type)).max
    return largest_magnitude(datum_to_numpy(one)[0]) * largest_magnitude(datum_to_numpy(two)[0]) <= most


def _integers_of(types: tuple[pa.DataType, ...]) -> pa.DataType:
    return pa.uint64() if all(pt.is_unsigned_integer(type) for type in types) else pa.int64()


def fitting_product(one: Datum, two: Datum) -> pa.Array:
    """Multiply integers as 64-bit integers, with 0 for each product that does not fit."""
    wide = _integers_of((decoded(one).type, decoded(two).type))
    product = pc.multiply(cast_datum(decoded(one), wide), cast_datum(decoded(two), wide))
    return pc.if_else(product_overflows(one, two), pa.scalar(0, wide), product)


def product_overflows(one: Datum, two: Datum) -> pa.Array:
    """Return whether the product of two integers does not fit 64 bits; null beside a null."""
    wide = _integers_of((decoded(one).type, decoded(two).type))
    exact = pc.multiply(*(cast_datum(decoded(side), wide).cast(pa.decimal256(20)) for side in (one, two)))
    least, most = (0, 2**64 - 1) if wide == pa.uint64() else (-(2**63), 2**63 - 1)
    return pc.or_(pc.less(exact, pa.scalar(Decimal(least), exact.type)), pc.greater(exact, pa.scalar(Decimal(most), exact.type)))


def arithmetic(name: str, kernel: str) -> Callable[[Datum, Datum], pa.Array]:
    call = pc.get_function(kernel).call  # `pc.call_function` would look the name up at every call

    def compute(one: Datum, two: Datum) -> pa.Array:
        type = one.type
        if type == two.type and _arrow.is_numeric(type) and type.bit_width >= 32:
            return call([one, two])  # the common case; the checks below take as long as a call on few values
        one, two = decoded(one), decoded(two)
        if not (computes(one.type) and computes(two.type)):
            return _special(name, kernel, one, two)
        type = promote([one.type, two.type], name)
        if pt.is_null(type):
            type = pa.int64()
        if pt.is_boolean(type):
            return _bool_arithmetic(name, one, two)
        one, two = cast_datum(one, type), cast_datum(two, type)
        if pt.is_float16(type):
            return in_single_precision(lambda *singles: call([*singles]), one, two)
        return call([one, two])

    return compute


def computes(type: pa.DataType) -> bool:
    return _arrow.is_numeric(type) or bool(pt.is_null(type))


def _special(name: str, kernel: str, one: Datum, two: Datum) -> pa.Array:
    """Compute on decimals, temporals and text by pyarrow's rules."""
    one, two = _counted(one, two)
    types = (one.type, two.type)
    for matches in (is_text, is_bytes):
        if name == "add" and all(matches(type) or pt.is_null(type) for type in types):
            type = promote(types, name)
            type = pa.large_binary() if pt.is_fixed_size_binary(type) else type
            return join(one.cast(type), two.cast(type))
    if name == "multiply":
        one, two = durations.factors(one, two)
        types = (one.type, two.type)
    if durations.are_scaled(name, *types):
        return durations.scaled(name, one, two)
    if any(pt.is_decimal(type) for type in types) and any(pt.is_floating(type) for type in types):
        return pc.call_function(kernel, [cast_plain(one, pa.float64()), cast_plain(two, pa.float64())])
    if (found := decimals.added(name, one, two)) is not None:
        return found
    if any(pt.is_decimal(type) for type in types):
        one, two = decimals.room_for_result(name, kernel, one, two)
    return pc.call_function(kernel, [one, two])


def _counted(one: Datum, two: Datum) -> tuple[Datum, Datum]:
    """Convert booleans beside decimals to integers, as beside other numbers."""
    if not (pt.is_decimal(one.type) or pt.is_decimal(two.type)):
        return one, two
    left, right = (side.cast(pa.int8()) if pt.is_boolean(side.type) else side for side in (one, two))
    return left, right


def _bool_arithmetic(name: str, one: Datum, two: Datum) -> pa.Array:
    if name == "subtract":
        raise JagTypeError.no_kernel("subtract", pa.bool_(), hint="Use ^ for exclusive or, as in numpy.")
    one, two = cast_datum(one, pa.bool_()), cast_datum(two, pa.bool_())
    return pc.or_(one, two) if name == "add" else pc.and_(one, two)


def divide(one: Datum, two: Datum) -> pa.Array:
    """True division: always float, with infinities and NaN as in IEEE 754."""
    one, two = _counted(decoded(one), decoded(two))
    if not (computes(one.type) and computes(two.type)):
        if (pt.is_decimal(one.type) and pt.is_integer(two.type)) or (pt.is_decimal(two.type) and not pt.is_floating(one.type)):
            two = decimals.null_for_zero(two)
        return _special("divide", "divide", one, two)
    type = promote([one.type, two.type], "divide")
    type = type if pt.is_floating(type) else pa.float64()
    if pt.is_float16(type):
        return single_to_half(pc.divide(cast_plain(one, pa.float32()), cast_plain(two, pa.float32())))
    return pc.divide(as_float(one, type), as_float(two, type))


def numpy_pair(name: str, one: Datum, two: Datum) -> tuple[Any, Any, BoolArray | None, pa.DataType]:
    """Convert both operands to numpy data of their common type, with the joint validity."""
    type = promote([one.type, two.type], name)
    if pt.is_null(type):
        type = pa.int64()
    if not _arrow.is_numeric(type):
        raise JagTypeError.no_kernel(name, one.type, two.type)
    if pt.is_boolean(type):
        type = pa.int8()
    left, left_valid = datum_to_numpy(cast_datum(one, type))
    right, right_valid = datum_to_numpy(cast_datum(two, type))
    return left, right, both_valid(left_valid, right_valid), type


def floored(name: str, function: Callable[..., Any]) -> Callable[[Datum, Datum], pa.Array]:
    """Floor division or remainder with Python's signs; an integer divided by zero is null."""

    def compute(one: Datum, two: Datum) -> pa.Array:
        one, two = _counted(decoded(one), decoded(two))
        if pt.is_duration(one.type) or pt.is_duration(two.type):
            return durations.floored(name, one, two, compute)
        if pt.is_decimal(one.type) or pt.is_decimal(two.type):
            if pt.is_floating(one.type) or pt.is_floating(two.type):
                return _FLOORED[name](cast_plain(one, pa.float64()), cast_plain(two, pa.float64()))
            return decimals.floored(name, one, two)
        if pt.is_float16(one.type) and pt.is_float16(two.type):  # numpy divides them as float32, too
            return in_single_precision(compute, one, two)
        left, right, valid, type = numpy_pair(name, one, two)
        if pt.is_integer(type):
            zero = right == 0
            if zero.any():
                valid = both_valid(valid, np.broadcast_to(~zero, np.broadcast_shapes(left.shape, right.shape)))
                right = np.where(zero, right.dtype.type(1), right)
        with np.errstate(all="ignore"):
            return sized(function(left, right), valid, type)

    return compute


def power(one: Datum, two: Datum) -> pa.Array:
    one, two = decoded(one), decoded(two)
    if not (computes(one.type) and computes(two.type)):
        return _special("power", "power", one, two)
    if pt.is_float16(one.type) and pt.is_float16(two.type):
        return in_single_precision(power, one, two)
    left, right, valid, type = numpy_pair("power", one, two)
    if pt.is_integer(type):
        wrong = right < 0 if valid is None else (right < 0) & valid
        if wrong.any():
            raise JagValueError("power: an integer to a negative integer power is not an integer; cast to float first")
        right = np.where(right < 0, right.dtype.type(0), right)
    with np.errstate(all="ignore"):
        out = np.empty(np.broadcast_shapes(left.shape, right.shape), np.result_type(left, right))
        raise_to(left, right if isinstance(two, pa.Array) else right[0], out)
        return sized(out, valid, type)


floor_divide = floored("floor_divide", np.floor_divide)
remainder = floored("remainder", np.remainder)
_FLOORED = {"floor_divide": floor_divide, "remainder": remainder}
