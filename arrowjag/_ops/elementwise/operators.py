"""The table of elementwise functions, and round, clip, cast and nan_to_null."""

from __future__ import annotations

import keyword
import operator
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._column import Column
from arrowjag._integers import integer
from arrowjag._kernels import strategy
from arrowjag._kernels.base.memory import zeros
from arrowjag._kernels.elementwise import rounding
from arrowjag._kernels.elementwise.text_bytes import holds
from arrowjag._kernels.elementwise.times import TICKS
from arrowjag._ops.elementwise import blockwise, decimals
from arrowjag._ops.elementwise.arithmetic import arithmetic, divide, floor_divide, power, remainder
from arrowjag._ops.elementwise.choosing import where
from arrowjag._ops.elementwise.comparison import are_moments, compare, logic, shift
from arrowjag._ops.elementwise.decimals import check_rounded, negated, round_to_places
from arrowjag._ops.elementwise.framework import (
    Datum,
    Operand,
    apply,
    cast_parts,
    cast_plain,
    castable,
    datum_to_numpy,
    decoded,
    flat_data,
    half_to_single,
    has_parts_of,
    in_single_precision,
    retyped,
    with_data,
)
from arrowjag._ops.elementwise.types import INTEGER_DIGITS, MOST_DIGITS, is_text, promote
from arrowjag._ops.zones import cast_zoned, wall_of
from arrowjag.errors import JagOverflowError, JagTypeError, JagValueError
from arrowjag.shape import JaggedShape

__all__ = [
    "BINARY",
    "BY_ARROW",
    "COMPARISONS",
    "FUNCTIONS",
    "PYTHON_BINARY",
    "PYTHON_COMPARISONS",
    "PYTHON_OPERATORS",
    "PYTHON_UNARY",
    "UFUNCS",
    "UNARY",
    "Elementwise",
    "binary",
    "cast",
    "cast_values",
    "clip",
    "compute",
    "nan_to_null",
    "nan_to_null_values",
    "round_to",
    "unary",
]


def binary(name: str, one: Operand, two: Operand) -> Column:
    """Apply a binary operator of `BINARY`."""
    found = _of_booleans(name, one, two)
    if found is None:
        found = blockwise.binary(name, [one, two])
    return apply(BINARY[name], [one, two], name) if found is None else found


def _of_booleans(name: str, one: Operand, two: Operand) -> Column | None:
    """Compute many booleans and a number from the results for False and True; None if one of these is null or an error."""
    column, number = (one, two) if isinstance(one, Column) else (two, one)
    if name in COMPARISONS or not (isinstance(column, Column) and isinstance(number, pa.Scalar) and number.is_valid):
        return None
    if not (pt.is_boolean(column.type) and (pt.is_integer(number.type) or pt.is_floating(number.type))):
        return None
    if column.shape.size < strategy.sizes.CHOICE_VALUES or column.ndim == 0:
        return None
    both = Column(JaggedShape(2), pa.array([False, True]))
    try:
        found = apply(BINARY[name], [both, two] if column is one else [one, both], name).values
    except (JagValueError, JagOverflowError):  # the column may hold none of the items that are refused
        return None
    if found.null_count:
        return None
    values = blockwise.choose(column.values, found[1], found[0])
    return None if values is None else Column(column.shape, values)


# --------------------------------------------------------------------------------------------------- one operand


def _widened(function: Callable[[Datum], pa.Array], datum: Datum) -> pa.Array:
    """Call a function of Arrow in a wider type where it has no kernel for the type: float16, and decimals below 128 bits."""
    type = datum.type
    if pt.is_float16(type):
        return in_single_precision(function, datum)
    if pt.is_decimal(type) and type.bit_width < 128:
        return function(datum.cast(pa.decimal128(type.precision, type.scale))).cast(type)
    return function(datum)


def _negative(datum: Datum) -> pa.Array:
    if pt.is_boolean(datum.type):
        raise JagTypeError.no_kernel("negative", datum.type, hint="Use ~ to invert booleans.")
    if pt.is_unsigned_integer(datum.type):
        data, valid = datum_to_numpy(datum)
        return _arrow.from_numpy(np.negative(data), valid)
    if pt.is_decimal128(datum.type) and isinstance(datum, pa.Array) and len(datum):
        return negated(datum)
    if pt.is_duration(datum.type):
        return _negative(datum.cast(pa.int64())).cast(datum.type)
    found = blockwise.map_values(np.negative, datum)
    return _widened(pc.negate, datum) if found is None else found


def _absolute(datum: Datum) -> pa.Array:
    if pt.is_boolean(datum.type) or pt.is_unsigned_integer(datum.type):
        return datum
    if pt.is_duration(datum.type):
        return _absolute(datum.cast(pa.int64())).cast(datum.type)
    if pt.is_decimal128(datum.type) and isinstance(datum, pa.Array) and len(datum):
        return decimals.absolute(datum)
    found = blockwise.map_values(np.absolute, datum)
    return _widened(pc.abs, datum) if found is None else found


def _invert(datum: Datum) -> pa.Array:
    if pt.is_boolean(datum.type):
        return pc.invert(datum)
    if pt.is_integer(datum.type):
        found = blockwise.map_values(np.invert, datum)
        return pc.bit_wise_not(datum) if found is None else found
    if pt.is_null(datum.type):
        return datum
    raise JagTypeError.no_kernel("invert", datum.type, hint="It takes booleans or integers.")


def _is_nan(datum: Datum) -> pa.Array:
    if pt.is_floating(datum.type):
        found = blockwise.map_values(np.isnan, datum)
        return pc.is_nan(half_to_single(datum)) if found is None else found
    if isinstance(datum, pa.Array) and _arrow.is_numeric(datum.type):
        return with_data(datum, zeros((len(datum) + 7) // 8, np.uint8), pa.bool_())
    if _arrow.is_numeric(datum.type) or pt.is_decimal(datum.type) or pt.is_null(datum.type):
        return pc.if_else(pc.is_valid(datum), False, pa.scalar(None, pa.bool_()))
    raise JagTypeError.no_kernel("is_nan", datum.type)


def nan_to_null_values(datum: Datum) -> pa.Array:
    """Replace NaN by null in floats, in fields of structs and in dictionary values; other values are returned unchanged."""
    type = datum.type
    if pt.is_floating(type):
        is_nan = _is_nan(datum)
        return pc.if_else(is_nan, pa.scalar(None, type), datum) if pc.any(is_nan).as_py() else datum
    if pt.is_struct(type) and any(_may_hold_nan(field.type) for field in type):
        parts = [nan_to_null_values(datum.field(place)) for place in range(type.num_fields)]
        valid = _arrow.valid_of(datum)
        return _arrow.structs(parts, list(type), valid)
    if pt.is_dictionary(type) and pt.is_floating(type.value_type):
        is_nan = pc.take(_is_nan(datum.dictionary), datum.indices)
        indices = pc.if_else(is_nan.fill_null(False), pa.scalar(None, type.index_type), datum.indices)
        return pa.DictionaryArray.from_arrays(indices, datum.dictionary, ordered=type.ordered)
    return datum


def _may_hold_nan(type: pa.DataType) -> bool:
    if pt.is_struct(type):
        return any(_may_hold_nan(field.type) for field in type)
    return bool(pt.is_floating(type.value_type if pt.is_dictionary(type) else type))


def nan_to_null(column: Column) -> Column:
    """Replace NaN leaves by null; values are shared if there are none."""
    values = nan_to_null_values(column.values)
    return column if values is column.values else Column(column.shape, values)


class Elementwise(NamedTuple):
    """An elementwise function: its implementation, its names in numpy, Python and pyarrow, and where polars computes it."""

    compute: Callable[..., pa.Array] | None
    """Computes on aligned flat values; None if numpy's ufunc serves every type that it accepts."""

    ufuncs: tuple[np.ufunc, ...]
    """Equivalent ufuncs; the first returns the same bits for floats as `arrow`."""

    python: str | None = None
    """The operator's name in the module `operator` and, with double underscores, as a method."""

    arrow: str | None = None
    """Name of the unary function of pyarrow.compute that numpy computes faster, in blocks."""

    polars: str | None = None
    """Leaf types for which polars' method of the name `python`, or else `arrow`, returns the same values, and faster."""


FUNCTIONS: dict[str, Elementwise] = {
    "add": Elementwise(arithmetic("add", "add"), (np.add,), "add", polars="any"),
    "subtract": Elementwise(arithmetic("subtract", "subtract"), (np.subtract,), "sub", polars="any"),
    "multiply": Elementwise(arithmetic("multiply", "multiply"), (np.multiply,), "mul", polars="any"),
    "divide": Elementwise(divide, (np.divide,), "truediv", polars="floating"),
    "floor_divide": Elementwise(floor_divide, (np.floor_divide,), "floordiv"),
    "remainder": Elementwise(remainder, (np.remainder,), "mod"),
    "power": Elementwise(power, (np.power,), "pow"),
    "and": Elementwise(logic("and", "and_kleene", "bit_wise_and"), (np.bitwise_and, np.logical_and), "and"),
    "or": Elementwise(logic("or", "or_kleene", "bit_wise_or"), (np.bitwise_or, np.logical_or), "or"),
    "xor": Elementwise(logic("xor", "xor", "bit_wise_xor"), (np.bitwise_xor, np.logical_xor), "xor"),
    "left_shift": Elementwise(shift("left_shift", "shift_left"), (np.left_shift,), "lshift"),
    "right_shift": Elementwise(shift("right_shift", "shift_right"), (np.right_shift,), "rshift"),
    "equal": Elementwise(compare("equal", "equal"), (np.equal,), "eq", polars="number"),
    "not_equal": Elementwise(compare("not_equal", "not_equal"), (np.not_equal,), "ne", polars="number"),
    "less": Elementwise(compare("less", "less"), (np.less,), "lt", polars="number"),
    "less_equal": Elementwise(compare("less_equal", "less_equal"), (np.less_equal,), "le", polars="number"),
    "greater": Elementwise(compare("greater", "greater"), (np.greater,), "gt", polars="number"),
    "greater_equal": Elementwise(compare("greater_equal", "greater_equal"), (np.greater_equal,), "ge", polars="number"),
    "negative": Elementwise(_negative, (np.negative,), "neg", "negate", polars="signed"),
    "positive": Elementwise(lambda datum: datum, (np.positive,), "pos"),
    "absolute": Elementwise(_absolute, (np.absolute,), "abs", "abs", polars="signed"),
    "invert": Elementwise(_invert, (np.invert,), "invert"),
    "is_nan": Elementwise(_is_nan, (np.isnan,), arrow="is_nan", polars="floating"),
    "ceil": Elementwise(None, (np.ceil,), arrow="ceil"),
    "floor": Elementwise(None, (np.floor,), arrow="floor"),
    "is_finite": Elementwise(None, (np.isfinite,), arrow="is_finite"),
    "is_inf": Elementwise(None, (np.isinf,), arrow="is_inf"),
    "sqrt": Elementwise(None, (np.sqrt,), arrow="sqrt", polars="floating"),
    "trunc": Elementwise(None, (np.trunc,), arrow="trunc"),
}
"""All elementwise functions that are looked up by name; surfaces, ufuncs and pyarrow functions are mapped by this table."""

BINARY = {name: one.compute for name, one in FUNCTIONS.items() if one.compute and one.ufuncs[0].nin == 2}
UNARY = {name: one.compute for name, one in FUNCTIONS.items() if one.compute and one.ufuncs[0].nin == 1}
PYTHON_COMPARISONS = frozenset({"eq", "ne", "lt", "le", "gt", "ge"})
COMPARISONS = frozenset(name for name, one in FUNCTIONS.items() if one.python in PYTHON_COMPARISONS)
"""Operators that compare scalars by value, even if they don't fit the other operand's type."""

UFUNCS = {ufunc: name for name, one in FUNCTIONS.items() if one.compute for ufunc in one.ufuncs}
PYTHON_BINARY = {one.python: name for name, one in FUNCTIONS.items() if one.python and name in BINARY}
PYTHON_UNARY = {one.python: name for name, one in FUNCTIONS.items() if one.python and name in UNARY}
PYTHON_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    name: getattr(operator, f"{name}_" if keyword.iskeyword(name) else name) for name in (*PYTHON_BINARY, "matmul")
}
"""Python's operators of two operands: their names in special methods, such as ``__and__``, with their functions in `operator`.
Every surface defines them, and in addition those with reflected operands of all that are not `PYTHON_COMPARISONS`."""

BY_ARROW = {one.arrow: one.ufuncs[0] for one in FUNCTIONS.values() if one.arrow}


def compute(name: str, array: pa.Array) -> pa.Array | None:
    """Apply a unary function of pyarrow.compute in blocks; returns None if the caller must fall back to pyarrow."""
    if name == "sqrt" and pt.is_integer(array.type):
        return compute(name, cast_plain(array, pa.float64()))  # pyarrow's type for all integers; numpy's is float32 for int16
    known = name in BY_ARROW and pt.is_floating(array.type)
    return blockwise.map_values(BY_ARROW[name], array) if known else None


def unary(name: str, column: Column) -> Column:
    """Apply a unary operator of `UNARY`."""
    return apply(UNARY[name], [column], name)


_DECIMALS = {pa.float64(): (-308, 340), pa.float32(): (-38, 52), pa.float16(): (-5, 52)}
"""Two numbers of decimals: rounded to fewer than the first, all numbers are 0; to more than the other, none changes."""

_MOST_DECIMALS = 1000
"""Beyond the range of every type: pyarrow rejects it with an error of its own. pyarrow 22 computes powers of ten in a loop, which
takes seconds for 2**31."""


def round_to(column: Column, decimals: int) -> Column:
    """Round half to even, as Python and numpy do; integers are unchanged by `decimals` >= 0."""
    decimals = max(-_MOST_DECIMALS, min(integer(decimals, "round: decimals"), _MOST_DECIMALS))

    def compute(datum: Datum) -> pa.Array:
        if pt.is_boolean(datum.type) or (pt.is_integer(datum.type) and decimals >= 0):
            return datum
        if pt.is_floating(datum.type):
            return _round_floats(datum, decimals)
        if pt.is_integer(datum.type):
            return _round_integers(datum, decimals)
        if pt.is_decimal(datum.type) and decimals >= datum.type.scale:
            return datum
        return _widened(lambda wide: _rounded(wide, decimals), datum)

    return apply(compute, [column], "round")


def _round_floats(datum: Datum, decimals: int) -> pa.Array:
    fewest, most = _DECIMALS[datum.type]
    if decimals > most:
        return datum
    data = flat_data(datum)
    if decimals < fewest:
        return with_data(datum, np.where(np.isfinite(data), np.copysign(0, data), data).astype(data.dtype))
    if pt.is_float16(datum.type):
        found = in_single_precision(lambda wide: _round_floats(wide, decimals), datum)
    else:
        found = with_data(datum, rounding.round_half_even(data, decimals))
    if decimals < min(fewest + _FLOAT_DIGITS, 0):
        lost = np.isinf(flat_data(found)) & np.isfinite(data)
        valid = _arrow.valid_of(datum)
        if (lost if valid is None else lost & valid).any():
            raise JagValueError(f"a number rounded to {decimals} decimals is beyond the largest {datum.type}; cast to a wider type")
    return found


_FLOAT_DIGITS = 17
"""A float64 is known by 17 significant digits: rounding changes no others."""


def _round_integers(datum: Datum, decimals: int) -> pa.Array:
    """Round integers to a power of ten, which Arrow refuses where the type does not hold the power."""
    type, power = datum.type, 10**-decimals
    limit = 2 ** (type.bit_width - pt.is_signed_integer(type))
    if power >= 2 * limit:
        return with_data(datum, np.zeros_like(flat_data(datum)))
    wide = type if power < min(limit, 2**63) else pa.decimal128(20) if type.bit_width == 64 else pa.int64()
    try:
        return pc.round(datum.cast(wide), decimals, "half_to_even").cast(type)
    except pa.ArrowInvalid:
        wider = "a decimal" if type.bit_width == 64 else "a wider type"
        raise JagValueError(f"a number rounded to {decimals} decimals does not fit {type}; cast to {wider} first") from None


def _rounded(datum: Datum, decimals: int) -> pa.Array:
    check_rounded("round", pc.round, datum, decimals, "half_to_even")
    if pt.is_decimal(datum.type):
        return round_to_places(datum, decimals)
    return pc.round(datum, decimals, "half_to_even")


def clip(column: Column, lower: Operand | None, upper: Operand | None) -> Column:
    """Limit values to the range from `lower` to `upper`; a null bound does not limit its item."""
    if (lower is not None or upper is not None) and _is_bound(lower, column.type) and _is_bound(upper, column.type):
        low, high = (one.as_py() if isinstance(one, pa.Scalar) else None for one in (lower, upper))
        return apply(lambda datum: with_data(datum, rounding.clip(flat_data(datum), low, high)), [column], "clip")
    lower, upper = (_in_zone_of(column.type, bound) for bound in (lower, upper))
    column, lower, upper = _in_finest_unit(column, lower, upper)
    bounds = [bound for bound in (lower, upper) if bound is not None]
    if _arrow.is_temporal(column.type) and all(_is_time(bound, column.type) for bound in bounds):
        low, high = (None if bound is None else blockwise.counted(bound, column.type) for bound in (lower, upper))
        counts = Column(column.shape, column.values.view(_arrow.counts_type(column.type)))
        return Column(column.shape, clip(counts, low, high).values.view(column.type))
    if lower is not None and upper is not None and are_moments(column.type, lower.type):
        return _clip_times(column, lower, upper)
    result = column
    if lower is not None:
        result = where(_is_beyond("less", result, lower), lower, result, "clip")
    if upper is not None:
        result = where(_is_beyond("greater", result, upper), upper, result, "clip")
    return result


def _in_zone_of(type: pa.DataType, bound: Operand | None) -> Operand | None:
    """Give a bound that is an instant of another zone the zone of the items, which the result has."""
    if bound is None or not (pt.is_timestamp(type) and type.tz and pt.is_timestamp(bound.type) and bound.type.tz):
        return bound
    there = pa.timestamp(bound.type.unit, type.tz)
    return cast(bound, there) if isinstance(bound, Column) else bound.cast(there)


def _in_finest_unit(column: Column, *bounds: Operand | None) -> tuple[Any, ...]:
    """Cast dates, or times of day, and scalar bounds to the type of the result, which holds them all; return others unchanged."""
    found = [bound for bound in bounds if bound is not None]
    types = [column.type, *(bound.type for bound in found)]
    are_known = all(isinstance(bound, pa.Scalar) and bound.is_valid for bound in found)
    if not (are_known and (all(map(pt.is_date, types)) or all(map(pt.is_time, types)))):
        return column, *bounds
    type = promote(types, "clip")
    return cast(column, type), *(bound.cast(type) if isinstance(bound, pa.Scalar) else bound for bound in bounds)


def _clip_times(column: Column, lower: Operand, upper: Operand) -> Column:
    """Limit times to bounds that may have a finer unit, which need not hold the times that a bound replaces."""
    below, above = _is_beyond("less", column, lower), _is_beyond("greater", column, upper)
    if not lower.type == upper.type == column.type:
        column = where(binary("or", below, above), pa.scalar(None, column.type), column, "clip")
    result = where(below, lower, column, "clip")
    return where(binary("or", above, _is_beyond("greater", result, upper)), upper, result, "clip")


def _is_beyond(name: str, column: Column, bound: Operand) -> Column:
    try:
        return _kleene_true(binary(name, column, bound))
    except JagTypeError:
        raise JagTypeError.no_kernel("clip", column.type, bound.type) from None


def _is_plain_float(type: pa.DataType) -> bool:
    return bool(pt.is_float32(type) or pt.is_float64(type))


def _is_bound(bound: Operand | None, type: pa.DataType) -> bool:
    """Return whether a bound is None, or a valid number of the column's type."""
    if bound is None:
        return bool(_is_plain_float(type) or pt.is_integer(type))
    if not isinstance(bound, pa.Scalar) or bound.type != type or not bound.is_valid:
        return False
    return bool(pt.is_integer(type) or (_is_plain_float(type) and not np.isnan(bound.as_py())))


def _is_time(bound: Operand, type: pa.DataType) -> bool:
    """Return whether a bound is a time in the unit of the column, or in a coarser one: the result has the column's type then."""
    if not isinstance(bound, pa.Scalar) or blockwise.counted(bound, type) is None:
        return False
    return not hasattr(type, "unit") or TICKS[bound.type.unit] <= TICKS[type.unit]


def _kleene_true(condition: Column) -> Column:
    """Replace null by False in a condition."""
    return apply(lambda datum: pc.coalesce(datum, pa.scalar(False)), [condition], "clip")


def cast(column: Column, type: pa.DataType, safe: bool = True, operation: str = "cast") -> Column:
    """Cast the leaves to another type; raises if a value does not fit, unless `safe` is False."""
    if column.type == type:
        return column

    def compute(datum: Datum) -> pa.Array:
        try:
            return cast_values(datum, type, safe)
        except pa.ArrowNotImplementedError:
            raise JagTypeError.no_cast(operation, datum.type, type) from None

    return apply(compute, [column], operation)


def cast_values(datum: Datum, type: pa.DataType, safe: bool = True) -> pa.Array:
    """Cast flat values, through another type where Arrow lacks the direct cast."""
    if _arrow.is_level_type(type) and not _arrow.is_level_type(datum.type):
        raise JagTypeError(f"cast: {type} is not a leaf type: each list is a dim of the array; name the type of its values")
    if isinstance(datum, pa.Array) and has_parts_of(datum.type, type):
        return cast_parts(datum, type, lambda field, wanted: cast_values(field, wanted, safe))
    if pt.is_dictionary(datum.type):
        if isinstance(datum, pa.Array) and pt.is_dictionary(type) and datum.type.ordered and type.ordered:
            return retyped(datum, type)
        datum = decoded(datum)
    if (pt.is_string_view(datum.type) and not is_text(type)) or (pt.is_binary_view(datum.type) and pt.is_dictionary(type)):
        datum = decoded(datum)
    if pt.is_dictionary(type) and isinstance(datum, pa.Array) and _is_encoded_by_values(datum.type):
        return _encoded(cast_values(datum, type.value_type, safe), type)
    if pt.is_timestamp(datum.type) and datum.type.tz and (pt.is_date(type) or pt.is_time(type) or is_text(type)):
        values = datum if isinstance(datum, pa.Array) else pa.repeat(datum, 1)
        by_wall = safe and not is_text(type)
        found = cast_plain(wall_of(values, "cast"), type) if by_wall else cast_zoned(values, type, safe)
        return found if isinstance(datum, pa.Array) else found[0]
    datum = _clock(datum, type) if is_text(datum.type) and pt.is_time(type) else _castable(datum, type, safe)
    if pt.is_float16(type) and not pt.is_floating(datum.type) and not (safe and pt.is_integer(datum.type)):
        datum = cast_plain(datum, pa.float32(), safe)
    if pt.is_boolean(type) and pt.is_decimal(datum.type):
        return pc.sign(_wide_decimal(datum)).cast(type)
    if pt.is_decimal(type) and pt.is_integer(datum.type) and _may_lack_digits(type):
        datum = datum.cast(pa.decimal256(min(INTEGER_DIGITS + max(type.scale, 0), MOST_DIGITS), max(type.scale, 0)))
    found = cast_plain(datum, type, safe)
    _check_cast(datum, found, safe)
    return found


def _may_lack_digits(type: pa.DataType) -> bool:
    """Return whether Arrow casts no integers to a decimal type, even those that it holds."""
    return bool(type.scale < 0 or type.precision < INTEGER_DIGITS + type.scale)


def _clock(text: Datum, type: pa.DataType) -> Datum:
    """Read text as times of the first day, which Arrow casts to times of day; it has no cast from text to these."""
    texts = pa.large_string() if pt.is_large_string(text.type) else pa.string()
    first, none = pa.scalar("1970-01-01 ", texts), pa.scalar("", texts)
    return pc.binary_join_element_wise(first, text, none).cast(pa.timestamp(type.unit))


def _is_encoded_by_values(type: pa.DataType) -> bool:
    return bool(_arrow.is_numeric(type) or _arrow.is_temporal(type) or pt.is_decimal(type) or pt.is_fixed_size_binary(type))


def _encoded(values: pa.Array, type: pa.DataType) -> pa.Array:
    """Encode values as Arrow's cast does text; `dictionary_encode` lacks narrow decimals, in older versions also halves."""
    encoded = half_to_single(_wide_decimal(values)).dictionary_encode()
    found = encoded.dictionary.cast(type.value_type)
    return pa.DictionaryArray.from_arrays(encoded.indices.cast(type.index_type), found, ordered=type.ordered)


def _castable(datum: Datum, type: pa.DataType, safe: bool) -> Datum:
    """Cast numbers and times to the type from which Arrow casts to another one; the others as `castable` does."""
    if _arrow.is_temporal(datum.type) and (pt.is_integer(type) or pt.is_floating(type)):
        return datum.cast(_arrow.counts_type(datum.type))
    if (pt.is_integer(datum.type) or pt.is_floating(datum.type)) and _arrow.is_temporal(type):
        counts = _arrow.counts_type(type)
        return datum if datum.type == counts else datum.cast(counts, safe=safe)
    if pt.is_float16(datum.type) and not pt.is_floating(type):
        return half_to_single(datum)
    # Arrow compares decimals with the ends of the integers, which narrow ones can't hold.
    return _wide_decimal(datum) if pt.is_integer(type) else castable(datum, type)


def _wide_decimal(datum: Datum) -> Datum:
    type = datum.type
    return datum.cast(pa.decimal128(type.precision, type.scale)) if pt.is_decimal(type) and type.bit_width < 128 else datum


def _check_cast(datum: Datum, found: Datum, safe: bool) -> None:
    """Refuse what Arrow's cast accepts: times of day beyond 24 hours, dates that are no whole day, and ``0xff`` as -1 of 8 bits."""
    type = found.type
    if pt.is_integer(datum.type) and (pt.is_time(type) or pt.is_date64(type)):
        found.validate(full=True)
    if safe and is_text(datum.type) and pt.is_signed_integer(type) and isinstance(datum, pa.Array) and holds(datum, b"xX"):
        wrong = pc.and_(pc.less(found, 0), pc.starts_with(datum, "0"))
        if pc.any(wrong).as_py():
            raise pa.ArrowInvalid(f"{datum.filter(wrong)[0].as_py()!r} does not fit {type}")
