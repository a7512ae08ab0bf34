"""Arrays that are written in blocks, and rows broadcast to their values, against numpy's repeat."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from arrowjag._kernels import strategy
from arrowjag._kernels.base import fill
from tests.compiled_calls import forced
from tests.kernels.interpreted import Loops
from tests.kernels.rows import offsets_from

SIZES = [[5], [0, 3, 0, 0, 7, 1, 0], [2, 2, 2], [40, 0, 3], [0, 0, 1]]
TYPES = ["uint8", "int16", "float32", "float64", "int64"]


def rows(sizes: list[int], type: str) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """A number per row, some large, and the offsets."""
    draw = np.random.default_rng(1)
    return draw.integers(0, 250, len(sizes)).astype(type), offsets_from(sizes)


@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("by", ["numpy", "parents", "compiled"])
def test_every_part_of_a_broadcast_source(sizes: list[int], type: str, by: str) -> None:
    data, offsets = rows(sizes, type)
    wanted, n = data.repeat(sizes), int(offsets[-1])
    parents = np.arange(len(sizes)).repeat(sizes) if by == "parents" else None
    source = fill.Source(data, offsets, parents)
    way = "compiled" if by == "compiled" else "numpy"
    with forced(way, "spread_part") as taken:
        for start in range(n):
            for stop in range(start + 1, n + 1, 1 + n // 9):
                out = np.full(stop - start, 99, data.dtype)
                assert np.array_equal(source.part(slice(start, stop), out), wanted[start:stop])
                assert np.array_equal(source.part(slice(start, stop)), wanted[start:stop])
                other = np.zeros(stop - start, "complex128")
                assert np.array_equal(source.part(slice(start, stop), other), wanted[start:stop])
    assert {name for operation, name in taken if operation == "spread_part"} == {way}


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_a_loop_broadcasts_if_it_is_ready(sizes: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    for type in (*TYPES, "complex128"):
        data, offsets = rows(sizes, type)
        every_second = np.repeat(data, 2)[::2]  # not side by side
        wanted, n = data.repeat(sizes), int(offsets[-1])
        name = f"spread_items-u{data.itemsize}-plain"
        for loops, is_ready in ((Loops(), data.itemsize <= 8), (Loops(name), False)):
            monkeypatch.setattr(fill, "find_loop", loops)
            loop = fill._spread_loop(every_second, offsets)
            assert (loop is not None) is is_ready
            with strategy.force(spread_part="numpy"):
                assert fill._spread_loop(data, offsets) is None
            for items in (slice(0, n), slice(n // 3, n), slice(0, 1 + n // 2), slice(n - 1, n)) if loop is not None else ():
                out = np.full(items.stop - items.start, 99, data.dtype)
                fill._run_spread(loop, every_second, offsets, items, out)
                assert np.array_equal(out, wanted[items])
            assert loops.sought == ({name: n} if data.itemsize <= 8 else {})


def test_a_part_is_written_where_it_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fill, "find_loop", Loops())
    for by in ("compiled", "numpy"):
        with strategy.force(spread_part=by):
            source = fill.Source(np.array([1.5, 2.5]), np.array([0, 2, 3]))
            out = np.zeros(2)
            found = source.part(slice(1, 3), out)
            assert (found is out) is (by == "compiled")
            assert found.tolist() == [1.5, 2.5]
            for other in (None, np.zeros(2, np.float32)):
                found = source.part(slice(1, 3), other)
                assert found is not other
                assert (found.dtype, found.tolist()) == (np.float64, [1.5, 2.5])


def test_sources_without_rows_share_their_memory() -> None:
    data = np.arange(5.0)
    assert fill.Source(data).part(slice(1, 3)).tolist() == [1.0, 2.0]
    assert np.shares_memory(fill.Source(data).part(slice(1, 3)), data)
    assert fill.Source(data[:1]).part(slice(1, 3)).tolist() == [0.0]


@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_spread(sizes: list[int], type: str) -> None:
    data, offsets = rows(sizes, type)
    n = int(offsets[-1])
    for start in range(n):
        for stop in range(start + 1, n + 1, 1 + n // 9):
            assert np.array_equal(fill._repeat(data, offsets, slice(start, stop)), data.repeat(sizes)[start:stop])
    for spread in (fill.spread_rows(data, offsets), fill._repeat(data, offsets, slice(0, n))):
        assert np.array_equal(spread, data.repeat(sizes))


@pytest.mark.parametrize("passed", [16, 1 << 17])
@pytest.mark.parametrize("sizes", [*SIZES, [1] * 300, [70, 0, 0, 130, 1]], ids=str)
@pytest.mark.parametrize("by", ["numpy", "compiled"])
def test_spread_flags(sizes: list[int], passed: int, by: str, monkeypatch: pytest.MonkeyPatch) -> None:
    loops = Loops()
    monkeypatch.setattr(fill, "find_loop", loops)
    offsets = offsets_from(sizes)
    n = int(offsets[-1])
    for seed in range(4):
        flags = np.repeat(np.random.default_rng(seed).random(len(sizes)) < 0.5, 2)[::2]  # not side by side
        with strategy.force(PASS_VALUES=passed, LIGHT_VALUES=1, spread_bits=by):
            bits = fill.spread_flags(flags, offsets)
        assert np.unpackbits(bits, count=n, bitorder="little").astype(bool).tolist() == flags.repeat(sizes).tolist()
        assert len(bits) == (n + 7) // 8
    assert loops.sought == {"spread_bits-u1-plain": n}


@pytest.mark.parametrize("block", [8, 16, 64, None])
@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 40, 41])
def test_blocks_of_items_and_of_bits(n: int, block: int | None) -> None:
    flags = np.random.default_rng(n).random(n) < 0.5
    bits = fill.fill_bits(lambda items: flags[items], n, block)
    assert np.unpackbits(bits, count=n, bitorder="little").astype(bool).tolist() == flags.tolist()
    assert len(bits) == (n + 7) // 8
    with np.errstate(all="raise"):
        found = fill.fill(lambda items, out: np.divide(1.0, np.zeros(items.stop - items.start), out=out), n, np.float32, block)
        fill.fill_bits(lambda items: 1 / np.zeros(items.stop - items.start) > 0, n, block)
    assert found.dtype == np.float32
    assert np.isinf(found).all()
    assert len(found) == n


@pytest.mark.parametrize("by", ["small", "masks"])
@pytest.mark.parametrize("value", [0, 1, -1, -2, 7])
@pytest.mark.parametrize("type", ["int8", "int16", "float32", "float64", "int64"])
def test_filled(type: str, value: int, by: str) -> None:
    data, valid = np.arange(-10, 31).astype(type), np.arange(41) % 3 > 0
    before = data.copy()
    with strategy.force(fill=by, PASS_VALUES=16, LIGHT_BYTES=0):
        found = fill.filled(data, valid, value)
    assert found.dtype == data.dtype
    assert found.tolist() == [one if there else value for one, there in zip(data.tolist(), valid.tolist(), strict=True)]
    assert np.array_equal(data, before)


def test_a_small_result_of_light_work_is_one_block() -> None:
    with strategy.force(LIGHT_BYTES=80, PASS_VALUES=3):
        assert [fill.light_block(n, 8) for n in (0, 1, 9, 10)] == [1, 1, 9, 3]


@pytest.mark.parametrize("type", ["bool", "int8", "float32", "int64"])
def test_one_number_per_row_is_spread(type: str) -> None:
    sizes = [2, 0, 5, 0, 0, 1]
    numbers, offsets = np.array([1, 0, 1, 1, 0, 1]).astype(type), offsets_from(sizes)
    for sized in ({"CALL_VALUES": 0, "PASS_VALUES": 3}, {"CALL_VALUES": 100}):
        with strategy.force(**sized):
            found = fill.spread_rows(numbers, offsets)
        assert found.dtype == numbers.dtype
        assert found.tolist() == numbers.repeat(sizes).tolist()
        assert fill.spread_rows(numbers[:0], offsets[:1]).tolist() == []


@pytest.mark.parametrize("light", [0, 1000])
@pytest.mark.parametrize("n", [0, 1, 8, 15, 16, 17, 40, 41])
def test_bits_that_are_written_in_place(n: int, light: int) -> None:
    flags, calls = np.random.default_rng(n).random(n) < 0.5, list[tuple[int, int]]()

    def write(first: int, last: int, out: np.ndarray[Any, Any]) -> None:
        calls.append((first, last))
        out[: (last - first + 7) // 8] = np.packbits(flags[first:last], bitorder="little")

    with strategy.force(LIGHT_VALUES=light, PASS_VALUES=16):
        bits = fill.write_bits(write, n)
    assert len(bits) == (n + 7) // 8
    assert np.unpackbits(bits, count=n, bitorder="little").astype(bool).tolist() == flags.tolist()
    assert sorted(calls) == ([(0, n)] if n and light else [(first, min(first + 16, n)) for first in range(0, n, 16)])


@pytest.mark.parametrize("type", ["int8", "int16", "int32", "int64"])
def test_words_of_flags(type: str) -> None:
    out = np.full(5, 7, type)
    fill.write_mask(np.array([True, False, False, True, True]), out)
    assert out.tolist() == [-1, 0, 0, -1, -1]


@pytest.mark.parametrize("by", ["numpy", "compiled"])
def test_items_are_chosen_by_bits_that_begin_anywhere(by: str, monkeypatch: pytest.MonkeyPatch) -> None:
    loops = Loops()
    monkeypatch.setattr(fill, "find_loop", loops)
    draw = np.random.default_rng(3)
    flags = draw.random(60) < 0.5
    bits = pa.py_buffer(np.packbits(flags, bitorder="little"))
    for words in (np.dtype("i8"), np.dtype("i2")):
        one, two = draw.integers(0, 99, (2, 60)).astype(words)
        for first, n in ((0, 60), (8, 9), (3, 20), (16, 16), (24, 0)):
            chosen = flags[first : first + n]
            for left, right in ((one[:n], two[:n]), (one[:n], two[:1]), (one[:1], two[:n])):
                out = np.zeros(n, words)
                with strategy.force(chosen_bits=by, chosen="numpy"):
                    fill.chooser_by_bits(words, n)(bits, first, left, right, out)
                assert out.tolist() == np.where(chosen, left, right).tolist()
    assert set(loops.sought) == {"choose_items-u8-bits", "choose_items-u8-plain", "choose_items-u2-plain"}
