"""Vectors of items: numba's code, and Python, give the same as plain definitions at every place and for every number of items."""

from __future__ import annotations

import ctypes
import functools
from fractions import Fraction

import numpy as np
import pytest

from arrowjag._kernels.compiled import vectors
from arrowjag._kernels.compiled.loop import NULLS
from arrowjag._kernels.compiled.validity import chosen_of, count_of, flag_of, word_of
from arrowjag._kernels.compiled.vectors import COMPARED, EXTREMES, PLACES, WIDTH, hits_of, multiply_add

numba = pytest.importorskip("numba")

LESS, LESS_EQUAL, EQUAL, MORE, MORE_EQUAL = (COMPARED[sign] for sign in ("<", "<=", "==", ">", ">="))


largest_of, smallest_of = EXTREMES[True, False], EXTREMES[False, False]
largest_valid, smallest_valid = EXTREMES[True, True], EXTREMES[False, True]
largest_set, smallest_set = EXTREMES[True, "bits"], EXTREMES[False, "bits"]
place_of, place_of_valid, place_of_set = PLACES[False], PLACES[True], PLACES["bits"]


def run_extremes(values, valid, bits, begin, end, known, extremes, places):
    """Call each function of a run of items; `known` holds the worst items so far, and one to look for."""
    extremes[0] = largest_of(values, valid, begin, end, known[0])
    extremes[1] = smallest_of(values, valid, begin, end, known[1])
    extremes[2] = largest_valid(values, valid, begin, end, known[0])
    extremes[3] = smallest_valid(values, valid, begin, end, known[1])
    extremes[4] = largest_set(values, bits, begin, end, known[0])
    extremes[5] = smallest_set(values, bits, begin, end, known[1])
    places[0] = place_of(values, valid, begin, end, known[2])
    places[1] = place_of_valid(values, valid, begin, end, known[2])
    places[2] = place_of_set(values, bits, begin, end, known[2])
    return 0


def run_flags(values, place, known, words):
    """Call each function of 64 items."""
    words[0] = hits_of(values, place, known[0], known[1], known[2], known[3])
    words[1] = LESS(values, place, known[0])
    words[2] = LESS_EQUAL(values, place, known[0])
    words[3] = EQUAL(values, place, known[0])
    words[4] = MORE(values, place, known[0])
    words[5] = MORE_EQUAL(values, place, known[0])
    return 0


def run_product(items, out):
    out[0] = multiply_add(items[0], items[1], items[2])
    return 0


@functools.cache
def compiled(function, *kinds):
    """Compile a function of arrays and places, as in a process that has not compiled yet."""
    vectors.teach_numba.__wrapped__()
    types = [getattr(numba.types, kind.rstrip("*")) for kind in kinds]
    pointers = [numba.types.CPointer(one) if kind[-1] == "*" else one for one, kind in zip(types, kinds, strict=True)]
    made = numba.cfunc(numba.types.int64(*pointers), nopython=True, error_model="numpy")(function)
    as_ctypes = [ctypes.c_void_p if kind[-1] == "*" else ctypes.c_uint64 for kind in kinds]
    call = ctypes.CFUNCTYPE(ctypes.c_int64, *as_ctypes)(made.address)

    def run(*given):
        assert made is not None  # owns the code
        call(*(one.ctypes.data if isinstance(one, np.ndarray) else int(one) for one in given))

    return run


def extremes_by(by, dtype):
    item = f"{dtype.name}*"
    return run_extremes if by == "Python" else compiled(run_extremes, item, *2 * ["uint8*"], *2 * ["uint64"], item, item, "uint64*")


def runs(dtype, by):
    """Numbers of items from one vector on, before and behind whole vectors, and the place of one item among them."""
    n = WIDTH // dtype.itemsize
    for size in (n, n + 1, 2 * n - 1, 2 * n, 4 * n - 1, 4 * n, 4 * n + 1, 6 * n + 3, 8 * n, 9 * n - 1):
        places = sorted({0, 1, n - 1, n, 2 * n, 3 * n, 4 * n, 5 * n, size // 2, size - n, size - 2, size - 1})
        for place in places if by == "Python" else range(0, size, n // 4 + 1):
            if place < size:
                yield size, place


@pytest.mark.parametrize("by", ["Python", "numba"])
@pytest.mark.parametrize("dtype", [np.dtype(name) for name in ("f4", "i8", "u1")], ids=str)
def test_extremes_and_places_of_a_run(dtype, by):
    rng = np.random.default_rng(0)
    function = extremes_by(by, dtype)
    worst, top, bottom = {"f": (np.inf, 90.5, -90.5), "i": (2**62, 2**40, -(2**40)), "u": (255, 250, 1)}[dtype.kind]
    low = 0 if dtype.kind == "u" else -worst
    for size, place in runs(dtype, by):
        begin = int(rng.integers(1, 4))
        values = rng.integers(50, 60, begin + size + 3).astype(dtype)
        valid = rng.integers(0, 3, len(values), np.uint8)
        if dtype.kind == "f":
            values[rng.random(len(values)) < 0.2] = np.nan
        values[[begin - 1, begin + size]] = (top, bottom)
        part = slice(begin, begin + size)
        for one in (top, bottom):
            values[begin + place] = one
            values[begin + int(rng.integers(place, size))] = one
            for is_valid in (0, 2):
                valid[begin + place] = is_valid
                items, kept = values[part], values[part][valid[part] != 0]
                best = [np.fmax.reduce(items), np.fmin.reduce(items), np.fmax.reduce(kept, initial=low)]
                best += [np.fmin.reduce(kept, initial=worst)]
                found = [np.flatnonzero(items == one), np.flatnonzero((items == one) & (valid[part] != 0))]
                extremes, places = np.zeros(6, dtype), np.zeros(3, np.uint64)
                known, bits = np.array([low, worst, one], dtype), np.packbits(valid, bitorder="little")
                function(values, valid, bits, np.uint64(begin), np.uint64(begin + size), known, extremes, places)
                assert extremes.tolist() == np.array(best + best[2:], dtype).tolist()
                assert places.tolist() == [begin + int(at[0] if len(at) else size) for at in [*found, found[1]]]


@pytest.mark.parametrize("by", ["Python", "numba"])
def test_extremes_found_before_stay_if_no_item_exceeds_them(by):
    function = extremes_by(by, np.dtype(np.int64))
    extremes, places = np.zeros(6, np.int64), np.zeros(3, np.uint64)
    values, valid, known = np.arange(30), np.ones(30, np.uint8), np.array([50, -3, 50])
    function(values, valid, np.full(4, 255, np.uint8), np.uint64(2), np.uint64(29), known, extremes, places)
    assert extremes.tolist() == [50, -3, 50, -3, 50, -3]
    assert places.tolist() == [29, 29, 29]


def test_a_place_has_the_type_of_the_first_one():
    values, valid = np.arange(30), np.ones(30, np.uint8)
    for function in (place_of, place_of_valid):
        found = [function(values, valid, np.uint64(2), np.uint64(20), one) for one in (7, 25)]
        assert [(type(one), int(one)) for one in found] == [(np.uint64, 7), (np.uint64, 20)]


@pytest.mark.parametrize("by", ["Python", "numba"])
@pytest.mark.parametrize("dtype", [np.dtype(name) for name in ("f4", "i8", "u1")], ids=str)
def test_flags_of_64_items(dtype, by):
    item = f"{dtype.name}*"
    function = run_flags if by == "Python" else compiled(run_flags, item, "uint64", item, "uint64*")
    rng = np.random.default_rng(0)
    known = np.array([250 if dtype.kind == "u" else -3, 7, 5, 4], dtype)
    for place in range(40):
        values = rng.choice(np.array([*known, 6, 8, 9], dtype), 120)
        if dtype.kind == "f":
            values[rng.random(120) < 0.2] = np.nan
        items, words = values[place : place + 64], np.zeros(6, np.uint64)
        function(values, np.uint64(place), known, words)
        flags = [np.isin(items, known), items < known[0], items <= known[0], items == known[0], items > known[0], items >= known[0]]
        expected = [sum(2**bit for bit in np.flatnonzero(one).tolist()) for one in flags]
        assert words.tolist() == expected


COUNTS, FLAGS = [count_of(nulls) for nulls in NULLS[1:]], [flag_of(nulls) for nulls in NULLS[1:]]


@pytest.mark.parametrize("size", [0, 1, 7, 8, 63, 64, 65, 127, 128, 200])
def test_counts_and_flags_of_bytes_and_bits(size):
    rng = np.random.default_rng(size)
    for begin in range(17):
        valid = rng.integers(0, 2, begin + size, np.uint8)
        bits, first, end = np.packbits(valid, bitorder="little"), np.uint64(begin), np.uint64(begin + size)
        for given, count, flag in zip((valid, bits), COUNTS, FLAGS, strict=True):
            with np.errstate(over="ignore"):
                assert count(given, first, end) == valid[begin:].sum()
            assert [flag(given, np.uint64(i)) for i in range(begin, begin + size)] == valid[begin:].tolist()
        if size == 64:  # no byte is read that holds none of them
            assert word_of(bits, first) == sum(2**k for k in range(64) if valid[begin + k])


@pytest.mark.parametrize("nulls", NULLS)
@pytest.mark.parametrize("kind", ["f", "i", "u"])
def test_an_item_or_another_number_in_place_of_a_null(kind, nulls):
    known = {"f": [-0.0, np.nan, np.inf, 1.5], "i": [-1, -(2**63), 2**63 - 1, 0], "u": [0, 2**64 - 1, 2**63, 7]}[kind]
    items, valid = np.array(known * 5, f"{kind}8"), np.arange(20) % 3 > 0
    given, chosen = np.packbits(valid, bitorder="little") if nulls == "bits" else valid.view(np.uint8), chosen_of(kind, nulls)
    for other in items[:4]:
        with np.errstate(over="ignore"):
            found = [chosen(item, other, given, np.uint64(i)) for i, item in enumerate(items)]
        expected = np.where(valid, items, other) if nulls else items
        assert np.array(found, items.dtype).tobytes() == expected.tobytes()


BIG = 1.7976931348623157e308
PRODUCTS = [
    (3.0, 4.0, 5.0, 17.0),
    (1 + 2.0**-30, 1 + 2.0**-30, -1.0 - 2.0**-29, 2.0**-60),  # unlike with a product that is rounded
    (2.0**27 + 1, 2.0**27 - 1, -(2.0**54) + 2, 1.0),
    (2.0, 0.5, -1.0, 0.0),
    (-0.0, 1.0, -0.0, -0.0),
    (BIG, 1.0, 2.0**969, BIG),  # the largest that doesn't become infinite
    (BIG, 2.0, -BIG, BIG),  # the product alone would
    (np.inf, 1.0, 0.0, np.inf),
    (1.0, -np.inf, 1.0, -np.inf),
    (np.inf, 0.0, 1.0, np.nan),
    (1.0, 1.0, np.nan, np.nan),
]


@pytest.mark.parametrize("by", ["Python", "numba"])
def test_a_product_plus_a_third_is_rounded_once(by):
    function = run_product if by == "Python" else compiled(run_product, "float64*", "float64*")
    for *items, expected in PRODUCTS:
        out = np.zeros(1)
        with np.errstate(all="ignore"):
            function(np.array(items), out)
        np.testing.assert_array_equal(out, expected)
        assert np.isnan(expected) or np.signbit(out[0]) == np.signbit(expected)


@pytest.mark.parametrize("by", ["Python", "numba"])
def test_products_of_random_numbers_are_those_of_fractions(by):
    function = run_product if by == "Python" else compiled(run_product, "float64*", "float64*")
    rng = np.random.default_rng(0)
    for items in rng.normal(size=(50, 3)):
        items[2] -= items[0] * items[1]
        out = np.zeros(1)
        function(items, out)
        assert out[0] == float(Fraction(items[0]) * Fraction(items[1]) + Fraction(items[2]))


def test_products_beyond_the_largest_float_are_infinite():
    with np.errstate(over="ignore"):
        for items in ((BIG, 1.0, 2.0**970), (BIG, 2.0, 0.0), (BIG, -2.0, 1.0)):
            found = multiply_add(*map(np.float64, items))
            assert type(found) is np.float64
            assert found == np.copysign(np.inf, items[1])
