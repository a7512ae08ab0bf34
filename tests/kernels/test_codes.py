"""Codes of keys against Python's order of the keys themselves."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from arrowjag._kernels.base import codes as kernel
from arrowjag.errors import JagTypeError

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
WIDE = pytest.mark.skipif(np.dtype("longdouble").itemsize == 8, reason="longdouble is float64 here")


def keys_of(dtype: str) -> np.ndarray[Any, Any]:
    """Keys with ties, the ends of their range and, of floats, both zeros, NaN of several kinds, and what is next to a limit."""
    kind = np.dtype(dtype)
    if kind.kind == "b":
        return np.array([True, False, True])
    if kind.kind in "iu":
        low, high = np.iinfo(kind).min, np.iinfo(kind).max
        return np.array([low, high, 0, 1, 1, low + 1, high - 1, 7, low], kind)
    small, large = np.finfo(kind).smallest_subnormal, np.finfo(kind).max
    some = np.array([0.0, -0.0, 1.5, 1.5, -1.5, np.inf, -np.inf, small, -small, large, -large, np.nan, -np.nan, 1.0], kind)
    bits = some.view(f"u{kind.itemsize}")
    quiet_and_signalling = np.array([bits[5] + 1, bits[6] + 3, bits[11] + 5], bits.dtype).view(kind)
    return np.concatenate([some, quiet_and_signalling])


def place(key: Any, is_valid: bool, descending: bool) -> tuple[Any, ...]:
    """Numbers in order, then NaN, then nulls."""
    if not is_valid:
        return (2,)
    key = key.item()
    if isinstance(key, float) and math.isnan(key):
        return (1,)
    return (0, -key if descending else key)


def check_order(codes: np.ndarray[Any, Any], places: list[tuple[Any, ...]]) -> None:
    for (one, a), (two, b) in itertools.product(zip(codes.tolist(), places, strict=True), repeat=2):
        assert (one < two, one == two) == (a < b, a == b), (a, b)


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", ["bool", *INTEGERS, *FLOATS])
def test_codes_sort_as_keys_do(dtype: str, descending: bool) -> None:
    keys = keys_of(dtype)
    for part in (keys, keys[np.isfinite(keys)], keys[2:5], keys[-3:], keys[:1], keys[:0]):
        every_third = np.arange(len(part)) % 3 != 1
        for valid in (None, np.ones(len(part), np.bool_), every_third, np.zeros(len(part), np.bool_)):
            known = np.ones(len(part), np.bool_) if valid is None else valid
            if kernel.too_wide(part[known]) and not known.all():
                continue
            before = part.copy()
            found, n_bits = kernel.sort_codes(part, valid, descending)
            assert found.dtype == np.uint64
            check_order(found, [place(key, there, descending) for key, there in zip(part, known, strict=True)])
            assert 1 <= n_bits <= 64
            assert int(found.max(initial=0)).bit_length() <= n_bits
            assert part.tobytes() == before.tobytes()


def test_codes_need_as_few_bits_as_their_range() -> None:
    valid = np.array([True, True, False])
    for keys, flags, n_bits, wanted in (
        ([100, 103, 101], None, 2, [0, 3, 1]),
        ([100, 103, 101], valid, 3, [0, 3, 6]),
        ([5, 5, 5], None, 1, [0, 0, 0]),
        ([5, 5, 5], valid, 2, [0, 0, 3]),
        ([-(2**63), 2**63 - 1, 0], None, 64, [0, 2**64 - 1, 2**63]),
    ):
        found = kernel.sort_codes(np.array(keys), None if flags is None else flags, False)
        assert (found[0].tolist(), found[1]) == (wanted, n_bits)
    found = kernel.sort_codes(np.array([1.0, np.nan, np.nan]), np.array([True, True, False]), False)
    assert (found[0].tolist(), found[1]) == ([0, 2, 3], 2)
    found = kernel.sort_codes(np.array([np.inf, -np.inf, np.nan, -np.finfo(np.float64).max]), None, False)
    assert found[1] == 64
    assert kernel.sort_codes(np.zeros(0), None, False)[1] == 1


@pytest.mark.parametrize("dtype", ["bool", *INTEGERS, *FLOATS])
def test_codes_that_compare_across_arrays(dtype: str) -> None:
    keys = keys_of(dtype)
    places = [place(key, True, False) for key in keys]
    with np.errstate(all="raise"):
        plain, equal, same = kernel.plain_codes(keys), kernel.equality_codes(keys), kernel.same_bits(keys)
    assert plain.dtype == equal.dtype == np.uint64
    check_order(plain, places)
    assert same.dtype == f"u{keys.itemsize}"
    for found in (plain, equal, same):
        for (one, a), (two, b) in itertools.product(zip(found.tolist(), places, strict=True), repeat=2):
            assert (one == two) == (a == b), (a, b)
        assert found.flags.c_contiguous
    assert kernel.equality_codes(keys[::2]).tolist() == equal[::2].tolist()
    assert kernel.plain_codes(keys[::2]).tolist() == plain[::2].tolist()
    assert kernel.same_bits(keys[::2]).tolist() == same[::2].tolist()
    for function in (kernel.plain_codes, kernel.equality_codes, kernel.same_bits):
        assert function(keys[:0]).tolist() == []


def test_integers_and_booleans_share_their_memory_as_bits() -> None:
    for keys in (np.array([1, 2, -3]), np.array([True, False])):
        assert np.shares_memory(kernel.same_bits(keys), keys)
        assert not np.shares_memory(kernel.equality_codes(keys), keys)
    zeros = np.array([0.0, -0.0])
    assert kernel.same_bits(zeros).tolist() == [0, 0]
    assert np.signbit(zeros).tolist() == [False, True]  # the input is left alone


@pytest.mark.parametrize("function", [kernel.plain_codes, kernel.equality_codes, lambda keys: kernel.sort_codes(keys, None, False)])
@pytest.mark.parametrize("dtype", ["complex128", "M8[s]", pytest.param("longdouble", marks=WIDE)])
def test_other_types_have_no_codes(dtype: str, function: Any) -> None:
    with pytest.raises(JagTypeError, match="sort"):
        function(np.zeros(2, dtype))


def test_integers_whose_differences_need_64_bits() -> None:
    for dtype, keys, wanted in (
        ("int64", [-(2**62), 2**62 - 1], False),
        ("int64", [-(2**62), 2**62], True),
        ("int64", [0, 2**63 - 1], False),
        ("int64", [-1, 2**63 - 1], True),
        ("int64", [], False),
        ("uint64", [0, 2**63 - 1], False),
        ("uint64", [0, 2**63], True),
        ("uint64", [], False),
        ("int32", [-(2**31), 2**31 - 1], False),
        ("int32", [], False),
        ("float64", [-1e300, 1e300], False),
        ("bool", [True, False], False),
    ):
        assert kernel.too_wide(np.array(keys, dtype)) is wanted, (dtype, keys)
