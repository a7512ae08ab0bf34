"""Words, bits and text of Arrow arrays, with slices and nulls, against Arrow itself."""

from __future__ import annotations

import decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from arrowjag._kernels import strategy
from arrowjag._kernels.base import texts, words

NUMBERS = [3, None, 0, 7, None, 1, 1, 0, None, 5, 2]
FIXED = [pa.bool_(), pa.int8(), pa.uint16(), pa.float32(), pa.int64(), pa.date32(), pa.timestamp("us"), pa.decimal128(9, 2)]
TEXT = [pa.string(), pa.large_string(), pa.binary(), pa.large_binary()]
WORDS = ["some", None, "", "ü", "a longer text", None, "x"]


def fixed(type: pa.DataType) -> Any:
    if pa.types.is_decimal(type):
        return pa.array([one if one is None else decimal.Decimal(one) for one in NUMBERS], type)
    if pa.types.is_boolean(type):
        return pa.array([one if one is None else one > 1 for one in NUMBERS])
    return pa.array(NUMBERS, pa.int32() if type.bit_width == 32 else pa.int64()).cast(type)


@pytest.mark.parametrize("first", [0, 1, 3, 8, 9])
@pytest.mark.parametrize("type", FIXED, ids=str)
def test_words_there_and_back(type: pa.DataType, first: int) -> None:
    values = fixed(type)[first:]
    assert words.has_words(type)
    data, valid = words.data_of(values), words.valid_of(values)
    assert len(data) == len(values)
    assert (valid is None) == (values.null_count == 0)
    assert words.from_words(type, data, valid).equals(values)
    assert words.from_words(type, data).null_count == 0
    assert len(words.data_of(values[:0])) == 0


@pytest.mark.parametrize("first", [0, 1, 2])
@pytest.mark.parametrize("type", TEXT, ids=str)
def test_text_there_and_back(type: pa.DataType, first: int) -> None:
    values = pa.array(WORDS, pa.string()).cast(type)[first:]
    assert words.is_variable_size(type)
    data, cuts, valid = texts.text_parts(values)
    assert cuts.dtype == np.int64
    assert valid is not None
    assert valid.tolist() == [one is not None for one in WORDS[first:]]
    assert texts.text_from(type, cuts, data, valid).equals(values)
    plain = texts.text_from(type, cuts, data)
    assert plain.null_count == 0
    assert plain.to_pylist() == [one if one is not None else values[2].as_py()[:0] for one in values.to_pylist()]
    whole = values.drop_null()
    assert texts.text_parts(whole)[2] is None


def test_text_without_bytes() -> None:
    found, cuts, valid = texts.text_parts(pa.array(["", ""]))
    assert len(found) == 1
    assert cuts.tolist() == [0, 0, 0]
    assert valid is None


def test_which_types_are_text() -> None:
    for type in (pa.string_view(), pa.binary_view(), pa.binary(4), pa.int64(), pa.list_(pa.string())):
        assert not words.is_variable_size(type)
    assert texts.fits(pa.string(), 2**31 - 1)
    assert not texts.fits(pa.binary(), 2**31)
    assert texts.fits(pa.large_string(), 2**40)
    assert texts.fits(pa.large_binary(), 2**40)


@pytest.mark.parametrize("first", range(18))
def test_bits(first: int) -> None:
    flags = np.random.default_rng(0).random(50) < 0.5
    packed = words.pack_bits(flags)
    for n in (0, 1, 7, 8, 9, 32):
        assert words.unpack_bits(packed, first, n).tolist() == flags[first : first + n].tolist()
        aligned = words.aligned_bits(packed, first, n)
        assert len(aligned) == (n + 7) // 8
        assert np.unpackbits(aligned, count=n, bitorder="little").astype(bool).tolist() == flags[first : first + n].tolist()
        places = np.arange(n)[::-2]
        for by in ("each", "unpacked"):
            with strategy.force(bits_at=by):
                found = words.bits_at(packed, first, n, places)
            assert found.dtype == np.bool_
            assert found.tolist() == flags[first + places].tolist()


@pytest.mark.parametrize("first", [0, 3, 8, 15])
def test_many_bits_are_unpacked_in_blocks(first: int) -> None:
    flags = np.random.default_rng(0).random(70) < 0.5
    packed = words.pack_bits(flags)
    with strategy.force(UNPACKED_BYTES=1, UNPACKED_BLOCK=2):
        for n in (0, 1, 8, 16, 17, 50):
            found = words.unpack_bits(packed, first, n)
            assert found.dtype == np.bool_
            assert found.tolist() == flags[first : first + n].tolist()
    many = np.resize(flags, 1 << 22)
    assert np.array_equal(words.unpack_bits(words.pack_bits(many), 5, len(many) - 9), many[5:-4])


def test_bits_are_unpacked_once() -> None:
    bits = words.Bits(pa.py_buffer(b"\x05"), 0, 3)
    assert bits.flags() is bits.flags()
    assert bits.flags().tolist() == [True, False, True]


def test_which_are_valid_in_both() -> None:
    one, two = np.array([True, True, False, False]), np.array([True, False, True, False])
    found = words.both_valid(one, two)
    assert found is not None
    assert found.tolist() == [True, False, False, False]
    assert words.both_valid(one, None) is one
    assert words.both_valid(None, two) is two
    assert words.both_valid(None, None) is None


@pytest.mark.parametrize("first", [0, 3, 8])
def test_validity_bits_of_several_arrays(first: int) -> None:
    draw = np.random.default_rng(first)
    masks = [draw.random(29) < 0.3 for _ in range(2)]
    one, two = (pa.array(np.arange(29), mask=mask)[first:] for mask in masks)
    full = pa.array(np.arange(29))[first:]
    for arrays in ([one], [two, full], [one, two], [full, one, two]):
        bits = words.bits_of_valid(*arrays)
        assert bits is not None
        expected = np.logical_and.reduce([array.is_valid().to_numpy(zero_copy_only=False) for array in arrays])
        assert np.unpackbits(bits, bitorder="little", count=29 - first).tolist() == expected.tolist()
    assert words.bits_of_valid(full, full) is None


@pytest.mark.parametrize("size", [1, 1 << 20], ids=["reductions", "places"])
def test_whether_all_flags_are_set(size: int) -> None:
    flags = np.ones(40, bool)
    with strategy.force(CALL_VALUES=size):
        assert words.all_set(flags)
        assert words.all_set(flags[:0])
        assert words.unless_all(flags) is None
        for place in (0, 17, 39):
            some = np.arange(40) != place
            some.flags.writeable = False
            assert not words.all_set(some)
            assert words.unless_all(some) is some
