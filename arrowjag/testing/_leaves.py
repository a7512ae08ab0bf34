"""Strategies for Arrow leaf types, their Python values, and flat arrays of them."""

from __future__ import annotations

import datetime as dt
import decimal
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any, Literal, cast

import pyarrow as pa
import pyarrow.compute as pc

from arrowjag._pyarrow_versions import array_from_python
from arrowjag.errors import JagValueError, MissingDependencyError, brief

try:
    from hypothesis import strategies as st
    from hypothesis.strategies import SearchStrategy
except ImportError as missing:
    raise MissingDependencyError.of("hypothesis", "testing", "arrowjag.testing.strategies") from missing

__all__ = ["LEAF_KINDS", "leaf_arrays", "leaf_types", "leaf_values"]

_UNITS: tuple[Literal["s", "ms", "us", "ns"], ...] = ("s", "ms", "us", "ns")

#: The leaf types that are drawn, by kind: the names that `leaf_types` takes.
LEAF_KINDS: dict[str, tuple[pa.DataType, ...]] = {
    "bool": (pa.bool_(),),
    "int": (pa.int64(), pa.int32(), pa.int16(), pa.int8()),
    "uint": (pa.uint64(), pa.uint32(), pa.uint16(), pa.uint8()),
    "float": (pa.float64(), pa.float32(), pa.float16()),
    "decimal": (pa.decimal128(12, 2), pa.decimal256(40, 2), pa.decimal64(12, 2), pa.decimal32(6, 2)),
    "string": (pa.string(), pa.large_string(), pa.string_view()),
    "binary": (pa.binary(), pa.large_binary(), pa.binary_view(), pa.binary(3)),
    "date": (pa.date32(), pa.date64()),
    "time": (pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns")),
    "timestamp": tuple(pa.timestamp(unit, zone) for zone in (None, "UTC", "Europe/Paris") for unit in _UNITS),
    "duration": tuple(pa.duration(unit) for unit in _UNITS),
    "interval": (pa.month_day_nano_interval(),),
    "dictionary": (pa.dictionary(pa.int32(), pa.string()), pa.dictionary(pa.int8(), pa.int64())),
    "category": (pa.dictionary(pa.int8(), pa.string(), ordered=True), pa.dictionary(pa.uint16(), pa.large_string(), ordered=True)),
    "struct": (
        pa.struct([("a", pa.int64()), ("b", pa.string())]),
        pa.struct([("x", pa.float64()), ("inner", pa.struct([("y", pa.bool_())]))]),
        pa.struct([("key", pa.string()), ("value", pa.int64())]),
    ),
    "null": (pa.null(),),
}

#: The labels of the ordered categories that are drawn, in their order, which is not alphabetical.
CATEGORIES = ("small", "large", "tiny", "medium")


def leaf_types(*kinds: str) -> SearchStrategy[pa.DataType]:
    """Arrow leaf types.

    Parameters
    ----------
    *kinds : str
        Keys of `LEAF_KINDS` to choose from; all of them if none is given. `"numeric"` means int, uint and float.

    Returns
    -------
    SearchStrategy of pyarrow.DataType
        Shrinks towards the first type of the first kind.

    Raises
    ------
    JagValueError
        If a kind is unknown; the message lists those that exist.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from arrowjag.testing import leaf_types
    >>> from hypothesis import find
    >>> find(leaf_types("decimal", "float"), lambda leaf: leaf != pa.float64()) != pa.float64()
    True
    """
    names: list[str] = []
    for kind in kinds or LEAF_KINDS:
        names += ["int", "uint", "float"] if kind == "numeric" else [kind]
    unknown = [name for name in names if name not in LEAF_KINDS]
    if unknown:
        raise JagValueError(f"leaf_types: unknown kind {brief(unknown[0])}, expected 'numeric' or one of {sorted(LEAF_KINDS)}")
    return st.one_of([st.sampled_from(LEAF_KINDS[name]) for name in names])


def leaf_values(leaf: pa.DataType, *, allow_nan: bool = True, small: bool = False) -> SearchStrategy[Any]:
    """Python values of a leaf type that `pyarrow.array` takes, never None (but for the type null).

    Parameters
    ----------
    leaf : pyarrow.DataType
        The type of the values.
    allow_nan : bool
        Whether floats may be NaN or infinite. -0.0 is always among them.
    small : bool
        Keep numbers near zero: ties are frequent and sums never overflow.

    Returns
    -------
    SearchStrategy
        Values within the range of the type. Timestamps and durations are ints that count the type's unit, within the
        years that Python can print.

    Raises
    ------
    JagValueError
        If this module does not support the type.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from arrowjag.testing import leaf_values
    >>> from hypothesis import find
    >>> find(leaf_values(pa.int8()), lambda value: value > 100) > 100
    True
    """
    if pa.types.is_integer(leaf):
        return _integers(leaf, small)
    if pa.types.is_floating(leaf):
        return _floats(leaf.bit_width, allow_nan, small)
    if pa.types.is_dictionary(leaf) and leaf.ordered:
        return st.sampled_from(CATEGORIES)
    if pa.types.is_dictionary(leaf):
        return leaf_values(leaf.value_type, allow_nan=allow_nan, small=small)
    if pa.types.is_struct(leaf):
        fields = {field.name: field.type for field in leaf}
        return st.fixed_dictionaries(
            {name: st.none() | leaf_values(kind, allow_nan=allow_nan, small=small) for name, kind in fields.items()}
        )
    if pa.types.is_map(leaf):
        keys = leaf_values(leaf.key_type, small=True)
        items = st.none() | leaf_values(leaf.item_type, allow_nan=allow_nan, small=small)
        return st.lists(st.tuples(keys, items), max_size=2)
    for knows, make in _OTHERS:
        if knows(leaf):
            return make(leaf)
    raise JagValueError(f"leaf_values: no strategy for the type {leaf}")


def leaf_arrays(values: Sequence[Any], leaf: pa.DataType, fillers: Sequence[Any]) -> pa.Array[Any]:
    """Return a flat array whose null slots hold a value in the buffers.

    Parameters
    ----------
    values : sequence
        The items; None is null.
    leaf : pyarrow.DataType
        Type of the result.
    fillers : sequence
        Values under the nulls, taken in turn; by default those that pyarrow writes.

    Returns
    -------
    pyarrow.Array
        Equal to `pyarrow.array(values, leaf)`; `validate(full=True)` passes. A map is built without fillers.
    """
    if not fillers or None not in values or pa.types.is_null(leaf) or pa.types.is_map(leaf):
        return _flat_array(values, leaf)
    filled = [fillers[slot % len(fillers)] if value is None else value for slot, value in enumerate(values)]
    valid = pa.array([value is not None for value in values], pa.bool_())
    return _masked(_flat_array(filled, leaf), valid)


def _flat_array(values: Sequence[Any], leaf: pa.DataType) -> pa.Array[Any]:
    """The values as an array; ordered categories have all of their categories, in their order."""
    if pa.types.is_dictionary(leaf) and leaf.ordered:
        return categories(pa.array(values, leaf.value_type), leaf)
    return array_from_python(values, leaf)


def categories(labels: pa.Array[Any], leaf: pa.DataType) -> pa.Array[Any]:
    """Labels as ordered categories of that type."""
    dictionary = pa.array(CATEGORIES, leaf.value_type)
    codes = pc.index_in(labels, value_set=dictionary).cast(leaf.index_type)
    return pa.DictionaryArray.from_arrays(codes, dictionary, ordered=True)


def _masked(filled: pa.Array[Any], valid: pa.Array[Any]) -> pa.Array[Any]:
    """Replace the validity of an array; its values are unchanged."""
    if isinstance(filled, pa.DictionaryArray):
        return pa.DictionaryArray.from_arrays(_masked(filled.indices, valid), filled.dictionary, ordered=filled.type.ordered)
    if isinstance(filled, pa.StructArray):
        fields = [filled.field(slot) for slot in range(filled.type.num_fields)]
        return pa.StructArray.from_arrays(fields, fields=list(filled.type), mask=pc.invert(valid))
    buffers = [valid.buffers()[1], *filled.buffers()[1:]]
    return pa.Array.from_buffers(filled.type, len(filled), buffers)


def _integers(leaf: pa.DataType, small: bool) -> SearchStrategy[int]:
    signed = pa.types.is_signed_integer(leaf)
    low, high = (-(2 ** (leaf.bit_width - 1)), 2 ** (leaf.bit_width - 1) - 1) if signed else (0, 2**leaf.bit_width - 1)
    near = st.integers(max(low, -4), 4)
    if small:
        return near
    bases = [base for base in (low, high, 2**53, -(2**53), 10**18) if low <= base <= high]
    close = st.tuples(st.sampled_from(bases), near).map(lambda pair: max(low, min(sum(pair), high)))
    return near | close | st.integers(low, high)


def _floats(width: int, allow_nan: bool, small: bool) -> SearchStrategy[float]:
    near = st.integers(-4, 4).map(lambda number: number / 2)
    special = [-0.0, float("nan"), float("inf"), -float("inf")] if allow_nan else [-0.0]
    if small:
        return near | st.sampled_from(special[:2])
    any_float = st.floats(width=cast("Literal[16, 32, 64]", width), allow_nan=False, allow_infinity=False)
    return near | st.sampled_from(special) | any_float


def _decimals(leaf: Any) -> SearchStrategy[decimal.Decimal]:
    bound = min(10 ** (leaf.precision - leaf.scale) - 1, 10**9)
    return st.decimals(-bound, bound, places=leaf.scale)


def _timestamps(leaf: Any) -> SearchStrategy[int]:
    # Counts of the unit: pyarrow takes them for every unit and zone, and nanoseconds survive.
    return _counts(leaf, -(10**9), 4 * 10**9)


def _durations(leaf: Any) -> SearchStrategy[int]:
    return _counts(leaf, -(10**6), 10**6)


def _counts(leaf: Any, first: int, last: int) -> SearchStrategy[int]:
    """Counts of a unit between two seconds. Without pandas whole microseconds, as Python has no nanoseconds."""
    step = 1000 if leaf.unit == "ns" and find_spec("pandas") is None else 1
    per_second = _UNIT_STEPS[leaf.unit] // step
    return st.integers(first * per_second, last * per_second).map(lambda count: count * step)


def _times(leaf: Any) -> SearchStrategy[dt.time]:
    # Python's time ends at microseconds: nanoseconds would not survive `to_pylist`.
    step = {"s": 10**6, "ms": 10**3}.get(leaf.unit, 1)
    ticks = st.integers(0, 86_400 * 10**6 // step - 1).map(lambda tick: tick * step)
    return ticks.map(_time_of_day)


def _time_of_day(microseconds: int) -> dt.time:
    return (dt.datetime(1, 1, 1) + dt.timedelta(microseconds=microseconds)).time()  # noqa: DTZ001 - no zone in a time


_UNIT_STEPS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}

_Maker = Callable[[pa.DataType], SearchStrategy[Any]]

_OTHERS: tuple[tuple[Callable[[pa.DataType], bool], _Maker], ...] = (
    (pa.types.is_null, lambda _: st.none()),
    (pa.types.is_boolean, lambda _: st.booleans()),
    (pa.types.is_decimal, _decimals),
    (pa.types.is_fixed_size_binary, lambda leaf: st.binary(min_size=leaf.byte_width, max_size=leaf.byte_width)),
    (
        lambda leaf: pa.types.is_string(leaf) or pa.types.is_large_string(leaf) or pa.types.is_string_view(leaf),
        # Views store up to twelve bytes inline.
        lambda _: st.sampled_from(["", "a", "ä", "twelve bytes", "longer than twelve bytes"]) | st.text(max_size=3),
    ),
    (
        lambda leaf: pa.types.is_binary(leaf) or pa.types.is_large_binary(leaf) or pa.types.is_binary_view(leaf),
        lambda _: st.sampled_from([b"", b"\x00", b"longer than twelve bytes"]) | st.binary(max_size=3),
    ),
    (pa.types.is_date, lambda _: st.dates(dt.date(1900, 1, 1), dt.date(2200, 1, 1))),
    (pa.types.is_time, _times),
    (pa.types.is_timestamp, _timestamps),
    (pa.types.is_duration, _durations),
    (
        lambda leaf: leaf == pa.month_day_nano_interval(),
        lambda _: st.tuples(*[st.integers(-40, 40)] * 3),
    ),
)
