"""Compiled reductions of rows around the lengths where they change their way: the bits of the numpy form."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import arrowjag as aj
from arrowjag import options
from arrowjag._kernels.base.offsets import from_sizes
from arrowjag._kernels.compiled.loop import TABLE
from arrowjag._kernels.compiled.loops.equality import mixed, n_slots
from arrowjag._kernels.equal import hash_tables, sets
from arrowjag.errors import JagValueError
from tests.compiled_calls import forced
from tests.kernels.rows import bits, offsets_from

pytest.importorskip("numba")

SIZES = np.array(
    [
        *(0, 1, 24, 25, 31, 32, 33, 40, 127, 128, 129, 159, 160, 161, 255, 256, 257, 300, 0, 383, 384, 385, 386, 511, 512, 513),
        *(640, 641, 700, 767, 768, 769, 896, 897, 1000, 1023, 1024, 1025, 1100, 1152, 1153, 1500, 2047, 2048, 2049, 5000, 3),
        *(16_389, 20_000),
    ]
)
REDUCTIONS = ("sum", "mean", "var", "std", "min", "max", "argmin", "argmax", "median")


def values(kind: str, dtype: str, rng: np.random.Generator) -> Any:
    """Items that all differ, that often repeat, that are all equal, or that NaN, infinities and both zeros are among."""
    n = int(SIZES.sum())
    if kind == "different":
        return (rng.normal(size=n) * 1e3).astype(dtype)
    if kind == "repeated":
        return rng.integers(0, 3, n).astype(dtype)
    if kind == "equal":
        return np.full(n, 7, dtype)
    if kind == "rising":
        return np.arange(n).astype(dtype)
    if kind == "ugly":
        return rng.choice([0.0, -0.0, np.nan, np.inf, -np.inf, 1.5, -2.5], n, p=[0.2, 0.2, 0.3, 0.05, 0.05, 0.1, 0.1]).astype(dtype)
    return np.where(rng.random(n) < 0.001, 1.0, -0.0 if kind == "zeros" else np.nan).astype(dtype)


def type_nulls_and_bits(x: Any) -> tuple[Any, bytes]:
    """The type, the nulls and the bytes of a column, with one NaN for all."""
    found = x.values
    return (x.type, found.is_null().to_pylist()), bits(found.fill_null(0).to_numpy()).tobytes()


CASES = [
    *((kind, "f8") for kind in ("different", "repeated", "equal", "rising", "ugly", "zeros", "nan")),
    *((kind, "f4") for kind in ("different", "ugly")),
    *((kind, "i8") for kind in ("different", "repeated", "equal", "rising")),
]


@pytest.mark.parametrize("nulls", [False, True], ids=["plain", "nulls"])
@pytest.mark.parametrize(("kind", "dtype"), CASES)
def test_compiled_reductions_of_long_rows_have_the_bits_of_numpy(kind: str, dtype: str, nulls: bool) -> None:
    rng = np.random.default_rng(5)
    data = values(kind, dtype, rng)
    x = aj.from_sizes(pa.array(data, mask=rng.random(len(data)) < 0.3 if nulls else None), SIZES)
    for name in REDUCTIONS:
        with options(compile="never"):
            wanted = getattr(x, name)()
        with forced("compiled"):
            found = getattr(x, name)()
        assert type_nulls_and_bits(found) == type_nulls_and_bits(wanted), name


@pytest.mark.parametrize("q", [0.0, 0.01, 0.3, 0.99, 1.0])
@pytest.mark.parametrize("kind", ["different", "repeated", "rising"])
def test_compiled_quantiles_of_long_rows_have_the_bits_of_numpy(kind: str, q: float) -> None:
    x = aj.from_sizes(pa.array(values(kind, "f8", np.random.default_rng(6))), SIZES)
    with options(compile="never"):
        wanted = x.quantile(q)
    with forced("compiled"):
        found = x.quantile(q)
    assert type_nulls_and_bits(found) == type_nulls_and_bits(wanted)


@pytest.mark.parametrize("name", ["sum", "mean"])
def test_compiled_sums_of_integers_are_exact_up_to_the_last_one_that_fits(name: str) -> None:
    half = 2**62
    fitting = [[half, half - 1], [-half, -half], [half, half, -half], [5], [], [-half, half]]
    beyond = [half, half]
    with forced("compiled"):
        found = getattr(aj.array(fitting, type=pa.int64()), name)().to_list()
        unsigned = aj.array([[2**63, 2**63 - 1], [7, 8]], type=pa.uint64()).sum().to_list()
        if name == "sum":
            with pytest.raises(aj.JagOverflowError, match="row 1"):
                aj.array([[1], beyond], type=pa.int64()).sum()
        else:
            assert aj.array([beyond, [3]], type=pa.int64()).mean().to_list() == [2.0**62, 3.0]
    assert unsigned == [2**64 - 1, 15]
    if name == "sum":
        assert found == [sum(row) for row in fitting]
    else:
        assert found == [sum(row) / len(row) if row else None for row in fitting]


@pytest.mark.parametrize(
    ("longest", "n_rows", "size"),
    [
        *((0, 1, 16), (8, 1, 16), (9, 1, 32), (16, 1, 32), (17, 1, 64)),
        *((1000, 1, 2048), (1000, 3, 4096), (1000, 5, 8192), (1000, 99, 8192)),
        *((TABLE // 4, 99, TABLE), (TABLE // 2, 99, TABLE), (TABLE // 2 + 1, 99, 2 * TABLE)),
    ],
)
def test_tables_have_two_entries_for_each_item_and_more_where_many_items_are_looked_up(
    longest: int, n_rows: int, size: int
) -> None:
    table = hash_tables.table_for(np.arange(n_rows + 1) * longest)
    assert table.dtype == np.int64
    assert len(table) == size
    assert (table == -1).all()
    # A row uses no more than there are, and enough of them.
    assert n_slots(np.uint64(longest), np.uint64(size - 1)) == size
    for shorter in {longest // 2, longest // 9}:
        assert max(2 * shorter, min(8 * shorter, size, TABLE)) <= n_slots(np.uint64(shorter), np.uint64(size - 1)) <= size


@pytest.fixture(params=[True, False], ids=["divided", "whole"])
def called(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The names of loops that a test calls; without the loop that divides huge rows in half of the tests."""
    names, find_loop = set[str](), hash_tables.find_loop

    def find(name: str, *given: Any, **how: Any) -> Any:
        loop = find_loop(name, *given, **how) if request.param or name != "divided" else None
        return None if loop is None else lambda *arguments: names.add(name) or loop(*arguments)

    monkeypatch.setattr(hash_tables, "find_loop", find)
    names.add("can divide" if request.param else "cannot divide")
    return names


@pytest.mark.parametrize("nulls", [False, True], ids=["plain", "nulls"])
@pytest.mark.parametrize("n_distinct", [5, 9_000, 80_000, 10**9])
def test_equal_items_of_huge_rows(n_distinct: int, nulls: bool, called: set[str]) -> None:
    rng = np.random.default_rng(6)
    sizes = np.array([3, 300_000, 0, 140_000, 70_000, 200_000, 20] if nulls else [300_000])
    data = rng.integers(0, n_distinct, int(sizes.sum()))
    valid = rng.random(len(data)) < 0.9 if nulls else None
    offsets = offsets_from(sizes)
    with forced("compiled"):
        marked, firsts = hash_tables.is_first_distinct(data, valid, offsets), hash_tables.first_occurrences(data, valid, offsets)
    assert marked is not None
    assert firsts is not None
    assert ("divided" in called) == ("can divide" in called and n_distinct > 50_000)
    wanted = np.full(len(data), -1)
    for begin, end in itertools.pairwise(offsets):
        items = np.arange(begin, end) if valid is None else np.arange(begin, end)[valid[begin:end]]
        _, first, group = np.unique(data[items], return_index=True, return_inverse=True)
        wanted[items] = items[first][group] if len(items) else 0
    assert np.array_equal(firsts[0], wanted)
    assert np.array_equal(marked[0], wanted == np.arange(len(data)))
    assert marked[1].tolist() == firsts[1].tolist() == [int(marked[0][b:e].sum()) for b, e in itertools.pairwise(offsets)]


def unmixed(hashes: Any) -> Any:
    """The words with given hashes: each step of `mixed` backwards."""
    inverse = np.uint64(pow(0x9E3779B97F4A7C15, -1, 1 << 64))
    words = (hashes ^ (hashes >> np.uint64(32))) * inverse
    words = words ^ (words >> np.uint64(32))
    assert np.array_equal(mixed(words), hashes)
    return words


@pytest.mark.parametrize("nulls", [False, True], ids=["plain", "nulls"])
def test_parts_of_equal_hashes_are_divided_again(nulls: bool) -> None:
    """All hashes have the same highest byte, which leaves all items in one part."""
    numbers = np.random.default_rng(7).permutation(400_000).astype(np.uint64)
    hashes = numbers * np.uint64(0x7FFF_FFFF) + (np.uint64(1) << np.uint64(56))
    hashes[::2] += (numbers[::2] & np.uint64(0xFF)) << np.uint64(48)
    data = np.concatenate([unmixed(hashes), unmixed(hashes[::-3])])
    valid = np.arange(len(data)) % 10 > 0 if nulls else None
    offsets = np.array([0, len(data)])
    with options(compile="always"):
        firsts, marked = hash_tables.first_occurrences(data, valid, offsets), hash_tables.is_first_distinct(data, valid, offsets)
    assert firsts is not None
    assert marked is not None
    with options(compile="always"):
        found = sets.member((data, None), offsets, (data[::2], None), np.array([0, (len(data) + 1) // 2]))
    assert np.array_equal(found, np.isin(data, data[::2]))
    items = np.arange(len(data)) if valid is None else np.flatnonzero(valid)
    _, first, group = np.unique(data[items], return_index=True, return_inverse=True)
    wanted = np.full(len(data), -1)
    wanted[items] = items[first][group]
    assert np.array_equal(firsts[0], wanted)
    assert np.array_equal(marked[0], wanted == np.arange(len(data)))
    assert marked[1].tolist() == firsts[1].tolist() == [len(first)]


@pytest.mark.parametrize("nulls", [False, True], ids=["plain", "nulls"])
@pytest.mark.parametrize("n_distinct", [5, 30_000, 10**6])
def test_sets_of_huge_rows(n_distinct: int, nulls: bool, called: set[str]) -> None:
    rng = np.random.default_rng(8)
    sizes, sizes_y = np.array([[9, 200_000, 0, 30, 150_000, 50, 200_000], [4, 300_000, 20, 0, 140_000, 200_000, 50]])
    (x, offsets, valid), (y, offsets_y, valid_y) = (
        (rng.integers(0, n_distinct, int(n.sum())), from_sizes(n), rng.random(int(n.sum())) < 0.9 if nulls else None)
        for n in (sizes, sizes_y)
    )
    what = (x, valid), offsets, (y, valid_y), offsets_y
    names = "intersection", "difference", "union", "symmetric_difference"
    with forced("compiled"):
        found = sets.member(*what)
        combined = {name: getattr(sets, name)(*what) for name in names}
    assert "members" in called
    assert ("divided" in called) == ("can divide" in called and n_distinct == 10**6)

    def distinct(items: Any, there: Any) -> list[int]:
        return list(dict.fromkeys((items if there is None else items[there]).tolist()))

    for row, (begin, end, begin_y, end_y) in enumerate(zip(offsets, offsets[1:], offsets_y, offsets_y[1:], strict=False)):
        own, there = x[begin:end], None if valid is None else valid[begin:end]
        one, two = distinct(own, there), distinct(y[begin_y:end_y], None if valid_y is None else valid_y[begin_y:end_y])
        wanted = np.isin(own, two)
        assert np.array_equal(found[begin:end], wanted if there is None else wanted & there)
        in_one, in_two = set(one), set(two)
        results = {
            "intersection": [item for item in one if item in in_two],
            "difference": [item for item in one if item not in in_two],
            "union": one + [item for item in two if item not in in_one],
            "symmetric_difference": [item for item in one if item not in in_two] + [item for item in two if item not in in_one],
        }
        for name, (cuts, items) in combined.items():
            assert np.concatenate([x, y])[items[cuts[row] : cuts[row + 1]]].tolist() == results[name]


@pytest.mark.parametrize("repeated", [False, True], ids=["distinct", "repeated"])
def test_lookup_in_huge_rows(repeated: bool, called: set[str]) -> None:
    rng = np.random.default_rng(9)
    offsets, probe_offsets = (
        from_sizes(np.array([5, 200_000, 0, 300_000, 7])),
        from_sizes(np.array([300_000, 100_000, 3, 150_000, 0])),
    )
    keys = rng.permutation(10**6)[: offsets[-1]].astype(float)
    probes = rng.integers(0, 10**6, probe_offsets[-1]).astype(float)
    if repeated:
        keys[444_444] = keys[333_333]
    with forced("compiled"):
        if repeated:
            with pytest.raises(JagValueError, match="equal keys in row 3"):
                sets.lookup((keys, None), offsets, (probes, None), probe_offsets)
            return
        items, hit = sets.lookup((keys, None), offsets, (probes, None), probe_offsets)
    assert ("divided" in called) == ("can divide" in called)
    rows = np.repeat(np.arange(5), np.diff(probe_offsets))
    places = np.full(10**6, -1)
    places[keys.astype(int)] = np.arange(len(keys))
    wanted = places[probes.astype(int)]
    wanted[(wanted < offsets[rows]) | (wanted >= offsets[rows + 1])] = -1
    assert np.array_equal(hit, wanted >= 0)
    assert np.array_equal(items[hit], wanted[hit])
    assert hit.any()
