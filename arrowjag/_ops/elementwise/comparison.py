"""Comparison with nulls, Kleene logic, bitwise operators and shifts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._kernels.base.words import is_variable_size, or_all
from arrowjag._kernels.elementwise import text_loops
from arrowjag._kernels.elementwise.times import TICKS
from arrowjag._kernels.move import gather
from arrowjag._ops import structure
from arrowjag._ops.elementwise import decimals
from arrowjag._ops.elementwise.categories import codes_beside, is_ordered
from arrowjag._ops.elementwise.framework import (
    Datum,
    as_float,
    both_valid,
    cast_datum,
    cast_plain,
    datum_to_numpy,
    decoded,
    half_to_single,
    in_one_zone,
    sized,
)
from arrowjag._ops.elementwise.types import beyond_floats, is_beyond_floats, is_text, promote
from arrowjag.errors import JagTypeError
from arrowjag.typing import BoolArray

__all__ = ["are_moments", "compare", "exact_counts", "logic", "shift"]


_BY_BITS: dict[str, Callable[[Datum, Datum], pa.Array]] = {
    "equal": lambda one, two: pc.invert(pc.xor(one, two)),
    "not_equal": pc.xor,
    "less": lambda one, two: pc.and_not(two, one),
    "less_equal": lambda one, two: pc.invert(pc.and_not(one, two)),
    "greater": pc.and_not,
    "greater_equal": lambda one, two: pc.invert(pc.and_not(two, one)),
}
"""Comparisons of booleans by Arrow's logic, which takes 64 of them at a time; its comparisons take one, and 40 times as long."""


def compare(name: str, kernel: str) -> Callable[[Datum, Datum], pa.Array]:
    call = pc.get_function(kernel).call  # `pc.call_function` would look the name up at every call

    def compute(one: Datum, two: Datum) -> pa.Array:
        type = one.type
        if type == two.type and _arrow.is_numeric(type) and not pt.is_float16(type):
            # The most frequent case: the checks below take a tenth of the time of a comparison of few values.
            return _BY_BITS[name](one, two) if pt.is_boolean(type) else call([one, two])
        if pt.is_null(one.type) or pt.is_null(two.type):
            n = max(len(datum) for datum in (one, two) if isinstance(datum, pa.Array))
            return pa.nulls(n, pa.bool_())
        if is_ordered(one.type) or is_ordered(two.type):
            return call(codes_beside([one, two], name)[0])
        if (found := _compare_categories(compute, one, two)) is not None:
            return found
        one, two = in_one_zone(decoded(one), decoded(two))
        if pt.is_struct(one.type) or pt.is_struct(two.type) or _arrow.is_list_type(one.type):
            return _compare_nested(name, one, two)
        _check_zones(name, one.type, two.type)
        if _mixed_signs(one.type, two.type):
            return _compare_signs(kernel, one, two)
        if is_beyond_floats(one) or is_beyond_floats(two) or decimals.are_exact(one.type, two.type):
            return _compare_decimals(kernel, one, two)
        one, two = _without_decimals(one, two)
        if _arrow.is_numeric(one.type) and _arrow.is_numeric(two.type) and one.type != two.type:
            type = promote([one.type, two.type], name)
            one, two = as_float(one, type), as_float(two, type)
        if pt.is_float16(one.type):
            one, two = half_to_single(one), half_to_single(two)
        if is_text(one.type) and is_text(two.type) and one.type != two.type:
            one, two = one.cast(pa.large_string()), two.cast(pa.large_string())
        return _called(call, kernel, one, two)

    return compute


def _compare_decimals(kernel: str, one: Datum, two: Datum) -> pa.Array:
    is_exact = decimals.are_exact(one.type, two.type)
    return decimals.compare(kernel, one, two) if is_exact else _compare_beyond(kernel, one, two)


def _compare_beyond(kernel: str, one: Datum, two: Datum) -> pa.Array:
    """Compare floats with a number beyond all finite ones: all finite items are on the same side of it."""

    def place(side: Datum) -> tuple[Any, Any]:
        if is_beyond_floats(side):
            return np.array([1.0 if side.equals(beyond_floats(True)) else -1.0]), None
        data, valid = datum_to_numpy(side)
        return np.where(np.isfinite(data), 0.0, data), valid

    (left, left_valid), (right, right_valid) = place(one), place(two)
    found = getattr(np, kernel)(left, right)
    return sized(found, both_valid(left_valid, right_valid))


def _without_decimals(one: Datum, two: Datum) -> tuple[Datum, Datum]:
    """Cast a decimal and a float to float64, as Arrow does less precisely; other pairs are returned unchanged."""
    types = one.type, two.type
    if not (any(map(pt.is_decimal, types)) and any(map(pt.is_floating, types))):
        return one, two
    return cast_plain(one, pa.float64()), cast_plain(two, pa.float64())


def _compare_categories(compute: Callable[[Datum, Datum], pa.Array], one: Datum, two: Datum) -> pa.Array | None:
    """Compare categories with one value or with others by their dictionary, if it is shorter than the items; otherwise None."""
    for left, right in ((one, two), (two, one)):
        is_category = isinstance(left, pa.Array) and pt.is_dictionary(left.type) and isinstance(right, pa.Scalar)
        if is_category and len(left.dictionary) < len(left):
            dictionary = left.dictionary
            found = compute(dictionary, right) if left is one else compute(right, dictionary)
            return gather.take(found, *_arrow.to_int64(left.indices))
    return compute(*_category_codes(one, two)) if _have_few_categories(one, two) else None


def _have_few_categories(one: Datum, two: Datum) -> bool:
    """Return whether both are columns of text categories whose dictionaries have fewer values than there are items."""
    for side in (one, two):
        if not (isinstance(side, pa.Array) and pt.is_dictionary(side.type) and is_text(side.type.value_type)):
            return False
    return len(one.dictionary) + len(two.dictionary) < len(one)


def _category_codes(one: pa.Array, two: pa.Array) -> list[pa.Array]:
    """Replace categories by integers that compare as their dictionary values do."""
    dictionaries = [side.dictionary.cast(pa.large_string()) for side in (one, two)]
    codes = pa.array(_arrow.order_key(pa.concat_arrays(dictionaries))[0])
    parts = codes[: len(dictionaries[0])], codes[len(dictionaries[0]) :]
    return [gather.take(part, *_arrow.to_numpy(side.indices)) for part, side in zip(parts, (one, two), strict=True)]


def _called(call: Callable[[list[Datum]], pa.Array], kernel: str, one: Datum, two: Datum) -> pa.Array:
    """Call Arrow's function, which casts times to the finer unit: the year 9999 doesn't fit nanoseconds."""
    if kernel in ("equal", "not_equal") and is_variable_size(one.type) and one.type == two.type:
        found = text_loops.equal(one, two, kernel == "not_equal")
        if found is not None:
            return found
    try:
        return call([one, two])
    except pa.ArrowInvalid:
        if not are_moments(one.type, two.type):
            raise
        return _compare_moments(kernel, one, two)


def are_moments(one: pa.DataType, two: pa.DataType) -> bool:
    """Return whether both are dates and timestamps, with or without zones, or both durations."""
    pair = [one, two]
    if all(map(pt.is_duration, pair)):
        return True
    return all(pt.is_date(t) or pt.is_timestamp(t) for t in pair) and len({bool(getattr(t, "tz", None)) for t in pair}) == 1


def _compare_moments(kernel: str, one: Datum, two: Datum) -> pa.Array:
    """Compare times by value: whole coarse units first, then the rest of the finer one."""
    (left, left_valid), (right, right_valid) = datum_to_numpy(one), datum_to_numpy(two)
    unit = max(_ticks_per_day(one.type), _ticks_per_day(two.type))
    left, left_rest = np.divmod(left.astype(np.int64), unit // _ticks_per_day(two.type))
    right, right_rest = np.divmod(right.astype(np.int64), unit // _ticks_per_day(one.type))
    call = getattr(np, kernel)
    result = np.where(left == right, call(left_rest, right_rest), call(left, right))
    return sized(result, both_valid(left_valid, right_valid))


def exact_counts(one: pa.Array, two: pa.Array) -> tuple[pa.Array, pa.Array]:
    """Return times as decimals of one unit, the finer of both, which then holds all of them."""
    ticks = [_ticks_per_day(values.type) for values in (one, two)]
    counts = [values.cast(pa.int32() if pt.is_date32(values.type) else pa.int64()).cast(_COUNTS) for values in (one, two)]
    left, right = (pc.multiply(part, pa.scalar(max(ticks) // own, _FACTORS)) for part, own in zip(counts, ticks, strict=True))
    return left, right


_COUNTS, _FACTORS = pa.decimal128(19, 0), pa.decimal128(14, 0)


def _ticks_per_day(type: pa.DataType) -> int:
    return 1 if pt.is_date32(type) else 86_400 * TICKS["ms" if pt.is_date64(type) else type.unit]


def _check_zones(name: str, *types: pa.DataType) -> None:
    """Refuse dates and wall times beside instants, whose date and wall time depend on the zone.

    Arrow takes dates for midnight in UTC, and refuses wall times only if there are any.
    """
    zones = [type.tz for type in types if pt.is_timestamp(type) and type.tz]
    if zones and any(pt.is_timestamp(type) and not type.tz for type in types):
        hint = f"Give the times without a zone one first: y.dt.tz_localize({zones[0]!r})."
        raise JagTypeError.no_kernel(name, *types, hint=hint)
    if zones and any(pt.is_date(type) for type in types):
        midnight = f"y.cast('timestamp[us]').dt.tz_localize({zones[0]!r})"
        hint = f"Compare x.dt.date(), or make the dates midnight in the zone: {midnight}."
        raise JagTypeError.no_kernel(name, *types, hint=hint)


def _mixed_signs(one: pa.DataType, two: pa.DataType) -> bool:
    pair = [one, two]
    return any(pt.is_uint64(t) for t in pair) and any(pt.is_signed_integer(t) for t in pair)


def _compare_signs(kernel: str, one: Datum, two: Datum) -> pa.Array:
    """Compare uint64 with signed integers exactly: a negative number is less than every unsigned one."""
    left, left_valid = datum_to_numpy(one)
    right, right_valid = datum_to_numpy(two)
    result = getattr(np, kernel)(left, right)
    return sized(np.asarray(result), both_valid(left_valid, right_valid))


def _compare_nested(name: str, one: Datum, two: Datum) -> pa.Array:
    """Compare structs, field by field, and lists, by their keys; pyarrow has no kernel for either."""
    n = max(len(datum) for datum in (one, two) if isinstance(datum, pa.Array))
    swapped, negated, compare_items = _NESTED[name]
    type = promote([one.type, two.type], name)
    if compare_items is _less and promote([two.type, one.type], name) != type:  # fields in another order
        raise JagTypeError(
            f"{name}: {one.type} and {two.type} have no common order: structs compare field by field, so both need the same fields "
            'in the same order. Pick a field first, such as x["name"].'
        )
    sides = [cast_datum(datum, type) for datum in (one, two)]
    left, right = (side if isinstance(side, pa.Array) else structure.constant(side, n) for side in sides)
    found = compare_items(right, left, name) if swapped else compare_items(left, right, name)
    return sized(~found if negated else found, both_valid(_arrow.valid_of(left), _arrow.valid_of(right)))


def _same(one: pa.Array, two: pa.Array, name: str) -> BoolArray:
    """Flag equal items, as inside of structs: two nulls are equal, and two NaN."""
    known, other = or_all(_arrow.valid_of(one), len(one)), or_all(_arrow.valid_of(two), len(two))
    if pt.is_struct(one.type):
        same = np.ones(len(one), bool)
        for left, right in zip(_arrow.fields_of(one), _arrow.fields_of(two), strict=True):
            same &= _same(left, right, name)
    elif _has_kernel(one.type):
        same = _flags_of(pc.equal(one, two))
    else:
        left_key, right_key = _keys(_arrow.equality_key, one, two, name)
        same = left_key == right_key
        if left_key.dtype.kind == "f":
            same |= np.isnan(left_key) & np.isnan(right_key)
    return (same & known & other) | ~(known | other)


def _less(one: pa.Array, two: pa.Array, name: str) -> BoolArray:
    """Flag items that sort before others, as inside of structs: null comes last, and NaN just before it."""
    known, other = or_all(_arrow.valid_of(one), len(one)), or_all(_arrow.valid_of(two), len(two))
    if pt.is_struct(one.type):
        less, same = np.zeros(len(one), bool), np.ones(len(one), bool)
        for left, right in zip(_arrow.fields_of(one), _arrow.fields_of(two), strict=True):
            less |= same & _less(left, right, name)
            same &= _same(left, right, name)
    elif _has_kernel(one.type):
        less = _flags_of(pc.less(one, two))
    else:
        left_key, right_key = _keys(_arrow.order_key, one, two, name)
        less = left_key < right_key
        if left_key.dtype.kind == "f":
            less |= np.isnan(right_key) & ~np.isnan(left_key)
    return known & (less | ~other)


_NESTED: dict[str, tuple[bool, bool, Callable[[pa.Array, pa.Array, str], BoolArray]]] = {
    "equal": (False, False, _same),
    "not_equal": (False, True, _same),
    "less": (False, False, _less),
    "greater": (True, False, _less),
    "less_equal": (True, True, _less),
    "greater_equal": (False, True, _less),
}
"""For each comparison: whether its operands are swapped, whether the result is negated, and the function."""


def _has_kernel(type: pa.DataType) -> bool:
    return is_text(type) and not pt.is_string_view(type) and not pt.is_dictionary(type)


def _flags_of(found: pa.Array) -> BoolArray:
    """Convert a mask to numpy, False for null."""
    flags: BoolArray = found.fill_null(False).to_numpy(zero_copy_only=False)
    return flags


def _keys(key_of: Callable[..., Any], one: pa.Array, two: pa.Array, name: str) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return comparable keys of two arrays of one type; those of numbers are their data."""
    if _arrow.is_numeric(one.type) or _arrow.is_temporal(one.type):
        return key_of(one, name)[0], key_of(two, name)[0]
    key = key_of(_arrow.join([one, two]), name)[0]
    return key[: len(one)], key[len(one) :]


def logic(name: str, kernel: str, bitwise: str) -> Callable[[Datum, Datum], pa.Array]:
    def compute(one: Datum, two: Datum) -> pa.Array:
        type = promote([one.type, two.type], name)
        if pt.is_null(type) or pt.is_boolean(type):
            return pc.call_function(kernel, [cast_datum(one, pa.bool_()), cast_datum(two, pa.bool_())])
        if pt.is_integer(type):
            return pc.call_function(bitwise, [cast_datum(one, type), cast_datum(two, type)])
        raise JagTypeError.no_kernel(name, one.type, two.type, hint="It takes booleans or integers.")

    return compute


def shift(name: str, kernel: str) -> Callable[[Datum, Datum], pa.Array]:
    def compute(one: Datum, two: Datum) -> pa.Array:
        type = promote([one.type, two.type], name)
        if not pt.is_integer(type):
            raise JagTypeError.no_kernel(name, one.type, two.type, hint="It takes integers.")
        one, two = cast_datum(one, type), cast_datum(two, type)
        data, valid = datum_to_numpy(two)
        beyond = (data < 0) | (data >= type.bit_width - pt.is_signed_integer(type))
        if (beyond if valid is None else beyond & valid).any():  # pyarrow returns the number unchanged; numpy shifts all bits out
            left, left_valid = datum_to_numpy(one)
            return sized(getattr(np, name)(left, data), both_valid(left_valid, valid), type)
        return pc.call_function(kernel, [one, two])

    return compute
