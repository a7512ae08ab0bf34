"""Casts between booleans, integers and floats against Arrow's, in one part and in many."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrowjag._kernels.elementwise.number_casts import cast_numbers
from tests.compiled_calls import forced

INTEGERS = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]
TYPES = [pa.bool_(), *INTEGERS, pa.float32(), pa.float64()]
BITS = (7, 8, 15, 16, 24, 31, 32, 53, 63, 64)
EDGES = [0, 1, -1, 7] + [sign * 2**bits + more for bits in BITS for sign in (1, -1) for more in (-1, 0, 1)]


@pytest.fixture(params=["one part", "parts", "compiled"], autouse=True)
def by(request):
    sizes = {"WORD_VALUES": 3, "PASS_VALUES": 8, "LIGHT_BYTES": 0} if request.param == "parts" else {}
    by = "compiled" if request.param == "compiled" else "numpy"
    with forced(by, "number_casts", cast="blocks", **sizes):
        yield


def edges(type):
    """Numbers of a type: those at its ends, and at the ends of other types."""
    if pa.types.is_boolean(type):
        return np.array([True, False, True])
    dtype = np.dtype(type.to_pandas_dtype())
    if pa.types.is_floating(type):
        return np.array([*map(float, EDGES), 0.5, -0.0, np.inf, -np.inf, np.nan], dtype)
    ends = np.iinfo(dtype)
    return np.array([edge for edge in EDGES if ends.min <= edge <= ends.max], dtype)


def by_arrow(values, type):
    try:
        return values.cast(type)
    except pa.ArrowInvalid:
        return None


def same(one, two):
    """Whether arrays are equal bit for bit, nulls included: NaN is NaN."""
    if pa.types.is_floating(one.type) and one.type == two.type:
        words = pa.int32() if one.type.bit_width == 32 else pa.int64()
        one, two = one.view(words), two.view(words)
    return one.equals(two)


@pytest.mark.parametrize("target", TYPES, ids=str)
@pytest.mark.parametrize("source", TYPES, ids=str)
@given(data=st.data())
def test_as_arrow_where_each_number_fits_and_none_elsewhere(source, target, data):
    known = edges(source)
    places = data.draw(st.lists(st.integers(0, len(known) - 1), max_size=20))
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(places), max_size=len(places))), bool)
    start = data.draw(st.integers(0, len(places)))
    plain = pa.array(known[places])[start:]
    values = pa.array(known[places], mask=mask)[start:]
    expected, every = by_arrow(values, target), by_arrow(plain, target)
    got = cast_numbers(values, target)
    if got is None:
        assert every is None or not _is_taken(source, target, values)
    else:
        got.validate(full=True)
        assert expected is not None, (values, target)
        assert same(got, expected), (values, target)


def _is_taken(source, target, values):
    """Arrow casts the other pairs as fast."""
    if pa.types.is_boolean(source) or pa.types.is_boolean(target):
        return True
    if pa.types.is_floating(source):
        return pa.types.is_integer(target) and values.null_count > 0
    if pa.types.is_floating(target):
        return source.bit_width >= {32: 32, 64: 64}[target.bit_width]
    ends, own = np.iinfo(target.to_pandas_dtype()), np.iinfo(source.to_pandas_dtype())
    return target.bit_width == 64 or not ends.min <= own.min <= own.max <= ends.max


@pytest.mark.parametrize("source", TYPES, ids=str)
def test_single_numbers_at_the_ends(source):
    for target in TYPES:
        for number in edges(source):
            values = pa.array([number], source)
            got, expected = cast_numbers(values, target), by_arrow(values, target)
            assert got is None or (expected is not None and same(got, expected)), (number, target)
            if _is_taken(source, target, values):
                assert (got is None) == (expected is None), (number, target)


def test_unsafe_casts_are_those_of_arrow():
    values = pa.array([True, None, False])
    assert cast_numbers(values, pa.float64(), safe=False).to_pylist() == [1.0, None, 0.0]
    for source in INTEGERS:
        numbers = pa.array(edges(source))
        for target in (*INTEGERS, pa.float32(), pa.float64()):
            found = cast_numbers(numbers, target, safe=False)
            assert (found is None) == (64 not in ((source.bit_width,) if pa.types.is_floating(target) else (target.bit_width,)))
            assert found is None or found.equals(numbers.cast(target, safe=False)), target
    assert cast_numbers(pa.array([0.5]), pa.int8(), safe=False) is None


@pytest.mark.parametrize("source", INTEGERS, ids=str)
def test_integers_as_float16_where_each_one_up_to_a_magnitude_is_exact(source):
    ends = np.iinfo(source.to_pandas_dtype())
    inside = np.arange(max(ends.min, -2048), min(ends.max, 2048) + 1).astype(source.to_pandas_dtype())
    mask = inside % 7 == 0
    found = cast_numbers(pa.array(inside, mask=mask), pa.float16())
    assert found.equals(pa.array(inside.astype(np.float16), mask=mask))
    for beyond in (-2049, 2049):
        if ends.min <= beyond <= ends.max:
            assert cast_numbers(pa.array([1, beyond], source), pa.float16()) is None
    assert cast_numbers(pa.array([1], source), pa.float16(), safe=False) is None


@pytest.mark.parametrize("first", [0, 1, 8, 9])
@pytest.mark.parametrize(("source", "target"), [(pa.float16(), pa.float32()), (pa.float32(), pa.float16())], ids=str)
def test_halves_and_singles_keep_the_nulls_of_slices(source, target, first):
    numbers = np.array([0.5, -0.0, np.inf, 65504, 2.0**-24, -1.5, 3] * 4)
    for mask in (None, np.arange(len(numbers)) % 3 == 1):
        values, expected = (pa.array(numbers.astype(type.to_pandas_dtype()), mask=mask)[first:] for type in (source, target))
        found = cast_numbers(values, target)
        found.validate(full=True)
        assert found.equals(expected)


@pytest.mark.parametrize("target", INTEGERS, ids=str)
@pytest.mark.parametrize("source", [pa.float32(), pa.float64()], ids=str)
def test_fractions_beside_nulls_do_not_fit_integers(source, target):
    assert cast_numbers(pa.array([1.0, None, 3.0], source), target).to_pylist() == [1, None, 3]
    for fraction in (0.5, 2.5, float("nan"), float("inf")):
        assert cast_numbers(pa.array([1.0, None, fraction], source), target) is None
