"""The tables of operators, and the few functions of one operand."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._column import Column
from arrowjag._integers import integer
from arrowjag._kernels import rounding
from arrowjag._ops.elementwise import blockwise
from arrowjag._ops.elementwise.arithmetic import arithmetic, divide, floor_divide, power, remainder
from arrowjag._ops.elementwise.choosing import where
from arrowjag._ops.elementwise.comparison import compare, logic, shift
from arrowjag._ops.elementwise.framework import (
    Datum,
    Operand,
    apply,
    datum_to_numpy,
    decoded,
    flat_data,
    half_to_single,
    with_data,
)
from arrowjag.errors import JagTypeError

__all__ = ["BINARY", "UNARY", "binary", "cast", "clip", "round_to", "unary"]


BINARY: dict[str, Callable[[Datum, Datum], pa.Array]] = {
    "add": arithmetic("add", "add"),
    "subtract": arithmetic("subtract", "subtract"),
    "multiply": arithmetic("multiply", "multiply"),
    "divide": divide,
    "floor_divide": floor_divide,
    "remainder": remainder,
    "power": power,
    "equal": compare("equal", "equal"),
    "not_equal": compare("not_equal", "not_equal"),
    "less": compare("less", "less"),
    "less_equal": compare("less_equal", "less_equal"),
    "greater": compare("greater", "greater"),
    "greater_equal": compare("greater_equal", "greater_equal"),
    "and": logic("and", "and_kleene", "bit_wise_and"),
    "or": logic("or", "or_kleene", "bit_wise_or"),
    "xor": logic("xor", "xor", "bit_wise_xor"),
    "left_shift": shift("left_shift", "shift_left"),
    "right_shift": shift("right_shift", "shift_right"),
}
"""What each two-sided operator does to aligned flat values."""


def binary(name: str, one: Operand, two: Operand) -> Column:
    """Apply a two-sided operator of `BINARY`."""
    found = blockwise.binary(name, [one, two])
    return apply(BINARY[name], [one, two], name) if found is None else found


# --------------------------------------------------------------------------------------------------- one operand


def _negative(datum: Datum) -> pa.Array:
    if pt.is_boolean(datum.type):
        raise JagTypeError.no_kernel("negative", datum.type, hint="Use ~ to invert booleans.")
    if pt.is_float16(datum.type):
        return pc.negate(datum.cast(pa.float32())).cast(pa.float16())
    if pt.is_unsigned_integer(datum.type):
        data, valid = datum_to_numpy(datum)
        return _arrow.from_numpy(np.negative(data), valid)
    found = blockwise.map_values(np.negative, datum)
    return pc.negate(datum) if found is None else found


def _absolute(datum: Datum) -> pa.Array:
    if pt.is_boolean(datum.type) or pt.is_unsigned_integer(datum.type):
        return datum
    if pt.is_float16(datum.type):
        return pc.abs(datum.cast(pa.float32())).cast(pa.float16())
    if pt.is_duration(datum.type):
        return pc.abs(datum.cast(pa.int64())).cast(datum.type)
    found = blockwise.map_values(np.absolute, datum)
    return pc.abs(datum) if found is None else found


def _invert(datum: Datum) -> pa.Array:
    if pt.is_boolean(datum.type):
        return pc.invert(datum)
    if pt.is_integer(datum.type):
        return pc.bit_wise_not(datum)
    raise JagTypeError.no_kernel("invert", datum.type, hint="It takes booleans or integers.")


def _is_nan(datum: Datum) -> pa.Array:
    if pt.is_floating(datum.type):
        found = blockwise.map_values(np.isnan, datum)
        return pc.is_nan(half_to_single(datum)) if found is None else found
    if _arrow.is_numeric(datum.type) or pt.is_decimal(datum.type) or pt.is_null(datum.type):
        return pc.if_else(pc.is_valid(datum), False, pa.scalar(None, pa.bool_()))
    raise JagTypeError.no_kernel("is_nan", datum.type)


UNARY: dict[str, Callable[[Datum], pa.Array]] = {
    "negative": _negative,
    "positive": lambda datum: datum,
    "absolute": _absolute,
    "invert": _invert,
    "is_nan": _is_nan,
}
"""What each one-sided operator does to flat values."""


def unary(name: str, column: Column) -> Column:
    """Apply a one-sided operator of `UNARY`."""
    return apply(UNARY[name], [column], name)


_MOST_DECIMALS = 2**31 - 1
"""pyarrow, which refuses far fewer in words, can't read more."""


def round_to(column: Column, decimals: int) -> Column:
    """Round half to even, as Python and numpy do; integers and nulls pass."""
    decimals = max(-_MOST_DECIMALS, min(integer(decimals, "round: decimals"), _MOST_DECIMALS))

    def compute(datum: Datum) -> pa.Array:
        if pt.is_float16(datum.type):
            return pc.round(datum.cast(pa.float32()), decimals, "half_to_even").cast(pa.float16())
        if pt.is_boolean(datum.type) or (pt.is_integer(datum.type) and decimals >= 0):
            return datum
        if _is_plain_float(datum.type) and abs(decimals) <= rounding.MOST_DECIMALS[np.dtype(datum.type.to_pandas_dtype()).char]:
            return with_data(datum, rounding.round_half_even(flat_data(datum), decimals))
        return pc.round(datum, decimals, "half_to_even")

    return apply(compute, [column], "round")


def clip(column: Column, lower: Operand | None, upper: Operand | None) -> Column:
    """Values no lower and no higher than bounds; a null bound leaves the item as it is."""
    if (lower is not None or upper is not None) and _is_bound(lower, column.type) and _is_bound(upper, column.type):
        low, high = (one.as_py() if isinstance(one, pa.Scalar) else None for one in (lower, upper))
        return apply(lambda datum: with_data(datum, rounding.clip(flat_data(datum), low, high)), [column], "clip")
    result = column
    if lower is not None:
        result = where(_kleene_true(binary("less", result, lower)), lower, result)
    if upper is not None:
        result = where(_kleene_true(binary("greater", result, upper)), upper, result)
    return result


def _is_plain_float(type: pa.DataType) -> bool:
    return bool(pt.is_float32(type) or pt.is_float64(type))


def _is_bound(bound: Operand | None, type: pa.DataType) -> bool:
    """Whether a bound is none at all, or a number of a column's own type."""
    if bound is None:
        return bool(_is_plain_float(type) or pt.is_integer(type))
    if not isinstance(bound, pa.Scalar) or bound.type != type or not bound.is_valid:
        return False
    return bool(pt.is_integer(type) or (_is_plain_float(type) and not np.isnan(bound.as_py())))


def _kleene_true(condition: Column) -> Column:
    """A null condition counts as False."""
    return apply(lambda datum: pc.coalesce(datum, pa.scalar(False)), [condition], "clip")


def cast(column: Column, type: pa.DataType, safe: bool = True) -> Column:
    """The leaves in another type; raises where a value does not fit, unless `safe` is False."""

    def compute(datum: Datum) -> pa.Array:
        if pt.is_float16(datum.type) and not pt.is_floating(type):
            datum = datum.cast(pa.float32())
        if pt.is_float16(type) and not pt.is_floating(datum.type):
            datum = datum.cast(pa.float32(), safe=safe)
        return (decoded(datum) if pt.is_dictionary(datum.type) else datum).cast(type, safe=safe)

    return apply(compute, [column], "cast") if column.type != type else column
