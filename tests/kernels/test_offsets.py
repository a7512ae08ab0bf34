"""Offsets: from sizes, parents, positions, check, count_true, compose; and the blocks and batches made of them."""

from __future__ import annotations

import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrowjag._kernels import strategy
from arrowjag._kernels.base import blocks, offsets, totals
from arrowjag._runtime.options import options
from arrowjag.errors import JagOverflowError, OffsetsError
from tests.compiled_calls import forced
from tests.kernels.rows import make_offsets, many_rows, offsets_from

sizes_lists = st.lists(st.integers(0, 5), max_size=12)


def expected_parents(sizes: list[int]) -> list[int]:
    return [row for row, size in enumerate(sizes) for _ in range(size)]


@given(sizes_lists, st.sampled_from(["int8", "int32", "int64", "uint64"]))
def test_from_sizes_is_the_running_total(sizes: list[int], dtype: str) -> None:
    for way in (offsets.from_sizes, offsets.from_counts):
        found = way(np.array(sizes, dtype))
        assert found.dtype == np.int64
        assert found.tolist() == [sum(sizes[:row]) for row in range(len(sizes) + 1)]


@given(sizes_lists)
def test_totals_by_the_loop(sizes: list[int]) -> None:
    counts, flags = np.array(sizes, np.int64), np.array(sizes, np.int64) > 2
    with forced("compiled", "running_total"):
        for given in (counts, counts.repeat(2)[::2], flags, flags.repeat(3)[::3]):
            found, counted = totals.running_total(given), totals.running_count(given != 0)
            assert found.dtype == np.int64
            assert found.tolist() == [int(given[:place].sum()) for place in range(len(given) + 1)]
            assert counted.tolist() == [int(np.count_nonzero(given[:place])) for place in range(len(given) + 1)]


@given(st.lists(st.integers(1, 5), max_size=12))
def test_runs_end_where_the_next_begins(sizes: list[int]) -> None:
    starts = offsets.from_sizes(np.array(sizes, np.int64))
    assert offsets.run_sizes(starts[:-1], int(starts[-1])).tolist() == sizes


@pytest.mark.parametrize(
    ("sizes", "row"),
    [
        (np.array([2**62, 2**62]), 1),
        (np.array([2**62, 2**62, 2**62, 2**62, 1]), 1),
        (np.array([1, 2**63], np.uint64), 1),
    ],
)
def test_from_sizes_names_the_row_where_the_total_overflows(sizes: Any, row: int) -> None:
    with pytest.raises(JagOverflowError, match=rf"integer overflow: the sizes of rows 0 to {row} add up"):
        offsets.from_sizes(sizes)


def test_from_sizes_takes_the_largest_total() -> None:
    assert offsets.from_sizes(np.array([2**62, 2**62 - 1])).tolist() == [0, 2**62, 2**63 - 1]
    assert offsets.from_sizes(np.array([2**63 - 1])).tolist() == [0, 2**63 - 1]


def test_sums_are_checked_where_the_largest_size_allows_an_overflow(monkeypatch: pytest.MonkeyPatch) -> None:
    checked = list[Any]()
    monkeypatch.setattr(offsets, "_check_total", lambda sizes, found: checked.append((sizes.tolist(), found.tolist())))
    for sizes, largest, is_checked in (
        ([], None, False),
        ([2**62, 1], None, True),
        ([2**62 - 1, 1], None, False),
        ([2**63 - 1], None, False),
        ([2, 1], 2**62, True),
        ([2, 1], 2**62 - 1, False),
        ([2, 1], 0, False),
        ([2**62, 1], 0, True),
        ([2**62, 1], 2, False),
    ):
        found = offsets.from_sizes(np.array(sizes, np.int64), largest)
        assert checked == ([(sizes, found.tolist())] if is_checked else [])
        checked.clear()


def test_the_error_of_an_overflow_names_the_size() -> None:
    with pytest.raises(JagOverflowError, match="the sizes of rows 0 to 1") as raised:
        offsets.from_sizes(np.array([3, 2**63 - 2, 5, 7]))
    assert str(raised.value) == (
        "integer overflow: the sizes of rows 0 to 1 add up to more than 9223372036854775807 items, "
        "row 1 alone has 9223372036854775806."
    )


def test_numbers_of_rows_and_items_that_fit_32_bits() -> None:
    for n_rows, last, fits in (
        (1, 2**31 - 1, True),
        (1, 2**31, False),
        (2**31 - 1, 0, True),
        (2**31, 0, False),
        (2**31, 2**31, False),
    ):
        assert offsets.is_int32(np.broadcast_to(np.int64(last), n_rows + 1)) is fits, (n_rows, last)


def test_no_run_and_one_run() -> None:
    for starts, n, wanted in (([], 0, []), ([0], 3, [3]), ([0, 3, 4], 9, [3, 1, 5])):
        found = offsets.run_sizes(np.array(starts, np.int64), n)
        assert found.dtype == np.int64
        assert found.tolist() == wanted


ROWS = ([], [0], [0, 0], [5], [0, 3, 0, 0, 7, 1, 0], [1] * 20, [17, 0, 40, 2], [0, 0, 9, 0, 0])


@pytest.mark.parametrize("sizes", ROWS, ids=str)
@pytest.mark.parametrize("block", [1, 4, 16, 1000])
def test_each_strategy_in_blocks(sizes: list[int], block: int) -> None:
    """Blocks that cut rows, and rows without items at either end of a block."""
    found = offsets.from_sizes(np.array(sizes, np.int64))
    owners, n = expected_parents(sizes), sum(sizes)
    places = [place for size in sizes for place in range(size)]
    starts = np.array([7 * row - 3 for row in range(len(sizes))], np.int64)
    mask = np.arange(n) % 3 > 0
    counts = [int(mask[begin:end].sum()) for begin, end in pairwise(found)]
    for by in ({"parents": one} for one in ("repeat", "count")):
        with strategy.force(**by, THREAD_VALUES=1, CACHE_VALUES=block):
            got = offsets.parents(found)
        assert (got.tolist(), got.dtype) == (owners, np.int32)
    for one, first in (("runs", 0), ("windows", 0), ("runs", -2), ("windows", 5)):
        with strategy.force(positions=one, THREAD_VALUES=1, CACHE_VALUES=block):
            got = offsets.positions(found, first)
        assert (got.tolist(), got.dtype) == ([first + place for place in places], np.int64)
    for one, step in (("small", 1), ("blocks", 1), ("small", -1), ("blocks", -1), ("small", 3), ("blocks", 3), ("blocks", 0)):
        with strategy.force(runs=one, THREAD_VALUES=1, CACHE_VALUES=block):
            got = offsets.runs(starts, found, step)
        assert (got.tolist(), got.dtype) == ([starts[row] + step * k for row, k in zip(owners, places, strict=True)], np.int64)
    for one in ("whole", "blocks", "polars"):
        with strategy.force(count=one, THREAD_VALUES=1, CACHE_VALUES=block):
            got = offsets.count_true(mask, found)
        assert (got.tolist(), got.dtype) == (counts, np.int64)
    for least in (0, 10**6):
        with strategy.force(CALL_VALUES=least):
            got = offsets.filter_rows(mask, found)
        assert (got.tolist(), got.dtype) == ([0, *np.cumsum(counts).tolist()], np.int64)


def test_parents_of_more_than_32_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offsets, "is_int32", lambda _: False)
    for by in ("repeat", "count"):
        with strategy.force(parents=by):
            found = offsets.parents(np.array([0, 2, 2, 5]))
        assert (found.tolist(), found.dtype) == ([0, 0, 2, 2, 2], np.int64)


def test_numbers_are_made_by_the_strategy_that_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    """All give the same, so only the functions that they call tell which was taken."""
    called = list[str]()
    for name in ("_map_items", "map_rows", "runs"):
        function = getattr(offsets, name)
        monkeypatch.setattr(
            offsets, name, lambda *given, function=function, name=name, **by: called.append(name) or function(*given, **by)
        )
    cuts, runs = np.array([0, 2, 3]), offsets.runs
    for way, by, call, wanted in (
        ("parents", "repeat", offsets.parents, []),
        ("parents", "count", offsets.parents, ["_map_items"]),
        ("positions", "runs", offsets.positions, ["runs"]),
        ("positions", "windows", offsets.positions, ["map_rows"]),
        ("runs", "small", lambda cuts: runs(np.array([5, 7]), cuts), ["runs"]),
        ("runs", "blocks", lambda cuts: runs(np.array([5, 7]), cuts), ["runs", "_map_items"]),
    ):
        called.clear()
        with strategy.force(**{way: by}):
            call(cuts)
        assert called == wanted, (way, by)


def test_flags_are_counted_by_the_strategy_that_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    called = list[str]()
    for name in ("_count_whole", "count_bits", "map_rows"):
        function = getattr(offsets, name)
        monkeypatch.setattr(
            offsets, name, lambda *given, function=function, name=name, **by: called.append(name) or function(*given, **by)
        )
    for by, wanted in (("whole", {"_count_whole"}), ("blocks", {"map_rows", "_count_whole"}), ("polars", {"count_bits"})):
        if by == "polars":
            pytest.importorskip("polars")
        with strategy.force(count=by):
            assert offsets.count_true(np.array([True, False, True]), np.array([0, 1, 3])).tolist() == [1, 1]
        assert set(called) == wanted
        called.clear()
    with strategy.force(CALL_VALUES=3):
        offsets.filter_rows(np.ones(2, np.bool_), np.array([0, 2]))
        assert called == []
        offsets.filter_rows(np.ones(3, np.bool_), np.array([0, 3]))
        assert called != []


@given(sizes_lists)
def test_parents_and_positions(sizes: list[int]) -> None:
    found = offsets.from_sizes(np.array(sizes, np.int64))
    assert offsets.parents(found).tolist() == expected_parents(sizes)
    assert offsets.parents(found).dtype == np.int32
    assert offsets.positions(found).tolist() == [place for size in sizes for place in range(size)]
    with strategy.force(positions="windows"):
        assert offsets.positions(found, 3).tolist() == [3 + place for size in sizes for place in range(size)]


@pytest.mark.parametrize("mean", [0.3, 1, 10, 40])
def test_parents_of_many_rows_equal_repeat(mean: float) -> None:
    sizes = np.random.default_rng(1).poisson(mean, int(400_000 / mean))
    sizes[:7] = sizes[-9:] = sizes[1000:1100] = 0
    found = offsets.from_sizes(sizes)
    owners = np.repeat(np.arange(len(sizes)), sizes)
    assert np.array_equal(offsets.parents(found), owners)
    places = np.arange(len(owners)) - found[owners]
    for by in ("runs", "windows"):
        with strategy.force(positions=by):
            assert np.array_equal(offsets.positions(found), places)
            assert np.array_equal(offsets.positions(found, 1), places + 1)


@pytest.mark.parametrize("sizes", [[400_000], [0, 0, 400_000, 0], [0] * 400_000, [3] * 100_000 + [0] * 300_000])
def test_parents_of_odd_distributions(sizes: list[int]) -> None:
    found = offsets.from_sizes(np.array(sizes))
    assert np.array_equal(offsets.parents(found), np.repeat(np.arange(len(sizes)), sizes))


def test_compose_reads_the_inner_offsets_at_the_outer_ones() -> None:
    assert offsets.compose(np.array([0, 2, 2, 3]), np.array([0, 1, 4, 6])).tolist() == [0, 4, 4, 6]


@given(st.lists(st.lists(st.booleans(), max_size=5), max_size=8))
def test_count_true(lists: list[list[bool]]) -> None:
    mask = np.array([item for row in lists for item in row], np.bool_)
    found = offsets.count_true(mask, make_offsets(lists))
    assert found.dtype == np.int64
    assert found.tolist() == [sum(row) for row in lists]
    for filtered in (offsets.filter_rows, offsets.filter_block):
        for few in (0, 4096):
            with strategy.force(CALL_VALUES=few):
                left = filtered(mask, make_offsets(lists))
            assert left.dtype == np.int64
            assert left.tolist() == make_offsets([[item for item in row if item] for row in lists]).tolist()


def test_flags_are_counted_by_a_loop() -> None:
    draw = np.random.default_rng(3)
    cuts = offsets_from(draw.permutation([0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 40] * 3))
    for share in (0.0, 0.5, 1.0):
        mask = draw.random(2 * int(cuts[-1]))[::2] < share
        wanted = [int(mask[first:last].sum()) for first, last in pairwise(cuts.tolist())]
        with forced("compiled", "flags", LIGHT_VALUES=0) as taken:
            for count in (offsets.count_true, offsets.count_block):
                assert count(mask, cuts).tolist() == wanted
        assert taken["flags", "compiled"] == 2


def test_count_true_over_blocks() -> None:
    rows = many_rows("bool")
    assert offsets.count_true(rows.data, rows.offsets).tolist() == [sum(row) for row in rows.lists]
    left = offsets.filter_rows(rows.data, rows.offsets)
    assert np.diff(left).tolist() == [sum(row) for row in rows.lists]


@pytest.mark.parametrize(
    ("bad", "n_values", "text"),
    [
        ([], None, r"dims\[1\]: offsets have one dimension and at least the entry 0, got shape \(0,\)"),
        ([1, 2], None, r"dims\[1\]: offsets start at 0, got 1 at slot 0"),
        ([0, 3, 2, 4], 4, r"dims\[1\]: offsets never decrease, got 2 at slot 2 after 3"),
        ([0, 3], 4, r"dims\[1\]: the last offset \(slot 1\) is 3, but there are 4 values"),
    ],
)
def test_check_names_slot_and_values(bad: list[int], n_values: int | None, text: str) -> None:
    with pytest.raises(OffsetsError, match=text):
        offsets.check(np.array(bad, np.int64), n_values, "dims[1]")


def test_check_passes_good_offsets() -> None:
    offsets.check(np.array([0], np.int64), 0, "dims[1]")
    offsets.check(np.array([0, 0, 2], np.int32), 2, "dims[1]")
    offsets.check(np.array([0, 0, 2], np.uint64), None, "dims[1]")


@given(sizes_lists, st.integers(1, 9))
def test_batches_hold_each_row_once_and_rows_travel_whole(sizes: list[int], max_values: int) -> None:
    found = offsets.from_sizes(np.array(sizes, np.int64))
    data = np.arange(found[-1], dtype=np.int16)
    out = np.full(len(data), -1, np.int16)
    seen = []
    for length, rows in blocks.batches(found, max_values=max_values):
        seen += rows.tolist()
        assert all(sizes[row] == length for row in rows)
        batch = blocks.rows_2d(data, found[rows], length)
        assert batch.tolist() == [list(range(found[row], found[row + 1])) for row in rows]
        blocks.put_rows(out, found[rows], batch)
    assert sorted(seen) == [row for row, size in enumerate(sizes) if size]
    assert out.tolist() == data.tolist()


def test_batches_of_rows_longer_than_are_counted() -> None:
    sizes = [70_000, 3, 4095, 4096, 70_000, 0, 4095, 4094]
    found = blocks.batches(offsets.from_sizes(np.array(sizes)))
    pairs = [(length, row) for length, rows in found for row in rows.tolist()]
    assert pairs == [(3, 1), (4094, 7), (4095, 2), (4095, 6), (4096, 3), (70_000, 0), (70_000, 4)]


def test_map_rows_covers_all_rows_in_order_and_nests() -> None:
    rows = many_rows()

    def inner(first: int, last: int) -> tuple[int, int]:
        return first, last

    def outer(first: int, last: int) -> list[tuple[int, int]]:
        local = rows.offsets[first : last + 1] - rows.offsets[first]
        return [(first + low, first + high) for low, high in blocks.map_rows(inner, local, min_values=1)]

    ranges = [block for part in blocks.map_rows(outer, rows.offsets, block_values=50_000) for block in part]
    assert ranges[0][0] == 0
    assert ranges[-1][1] == len(rows.lists)
    assert all(before[1] == after[0] for before, after in pairwise(ranges))


def test_map_tasks_brings_the_error_of_any_task() -> None:
    def fail(task: int) -> int:
        if task == 5:
            raise KeyError(task)
        return task

    with pytest.raises(KeyError, match="5"):
        blocks.map_tasks(fail, range(8))
    assert blocks.map_tasks(fail, range(5)) == [0, 1, 2, 3, 4]


def test_map_tasks_from_many_threads() -> None:
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(lambda start: blocks.map_tasks(lambda i: start + i, range(20)), range(30)))
    assert found == [[start + i for i in range(20)] for start in range(30)]


@pytest.mark.parametrize(("n", "dtype"), [(2**31 - 1, np.int32), (2**31, np.int64)])
def test_counts_of_many_flags_take_64_bits(n, dtype, monkeypatch):
    asked = []

    def empty(size, wanted):
        asked.append((size, wanted))
        raise MemoryError

    monkeypatch.setattr(totals, "empty", empty)
    with pytest.raises(MemoryError), options(compile="never"):
        totals.running_count(np.broadcast_to(np.True_, n))
    assert asked == [(n + 1, dtype)]


@pytest.mark.parametrize("step", [1, -1, 3, 0])
@pytest.mark.parametrize("sizes", [[700_000], [0, 300_000, 0, 5, 0, 400_000], [1] * 5 + [600_000] + [2] * 100_000])
def test_temporaries_of_long_rows_are_no_longer_than_a_block(sizes: list[int], step: int) -> None:
    cuts = np.append(0, np.cumsum(sizes))
    starts = np.arange(len(sizes)) * 10
    owners = np.repeat(np.arange(len(sizes)), sizes)
    wanted = starts[owners] + step * (np.arange(len(owners)) - cuts[owners])
    with strategy.force(runs="blocks", CACHE_VALUES=1 << 12):
        tracemalloc.start()
        found = offsets.runs(starts, cuts, step)  # the result itself lies in Arrow's memory
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert np.array_equal(found, wanted)
    assert peak < found.nbytes // 4


@pytest.mark.parametrize("n_rows", [0, 1, 10, 63, 64, 200])
def test_true_values_before_few_places_are_searched_and_before_many_counted(n_rows: int) -> None:
    rng = np.random.default_rng(n_rows)
    mask = rng.random(300) < 0.5
    cut = np.sort(np.append(rng.integers(0, 301, n_rows), 300))
    expected = [int(mask[:place].sum()) for place in cut]
    assert totals.count_before(mask, cut).tolist() == expected
    for force in (0, 1000):
        with strategy.force(SEARCHED_PLACES=force):
            assert totals.count_before(mask, cut).tolist() == expected
            assert offsets.filter_rows(mask, cut).tolist() == expected
            assert offsets.filter_rows(mask, cut).dtype == np.int64


@pytest.mark.parametrize("block", [1, 3, 1000])
@given(st.lists(st.booleans(), max_size=20))
def test_true_places(block: int, flags: list[bool]) -> None:
    with strategy.force(PASS_VALUES=block):
        places = totals.true_places(np.array(flags, np.bool_))
    assert places.dtype == np.int64
    assert places.tolist() == [place for place, flag in enumerate(flags) if flag]
