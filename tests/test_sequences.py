"""`aj.sequences`: pack, unpack, streams of batches, pad_batch, bucket. No strategy loses or invents an item."""

from __future__ import annotations

import pickle
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag import JagIndexError, JagTypeError, JagValueError, ShapeError
from arrowjag._kernels.dense import bins
from arrowjag.sequences import Packed, bucket, pack, pack_batches, pad_batch
from arrowjag.testing import assert_equal, jagged_arrays
from tests.hosts import pd, pl
from tests.test_completeness import ROOT

STRATEGIES = ("wrapped", "first_fit", "best_fit", "split")


def check(packed: Packed, x: aj.JaggedArray, width: int) -> None:
    """Every item is there once, no packed row is too long, and pieces say where they come from."""
    assert_equal(packed.unpack(), x)
    assert packed.unpack().shape.extents == x.shape.extents
    sizes = np.asarray(packed.values.shape.dims[1].sizes)
    assert not len(sizes) or (sizes.max() <= width and sizes.min() > 0)
    assert packed.values.null_count == 0
    assert packed.cu_seqlens[0] == 0
    assert packed.cu_seqlens[-1] == sizes.sum() == np.asarray(x.shape.dims[1].sizes).sum()
    pieces = np.diff(packed.cu_seqlens)
    assert len(packed.source) == len(pieces)
    assert (pieces > 0).all()
    expected = [list(range(n)) for n in pieces]
    assert packed.position_ids.flatten().to_list() == [one for piece in expected for one in piece]
    assert packed.position_ids.shape == packed.segment_ids.shape
    assert list(packed.segment_ids.shape.sizes[1]) == list(sizes)
    counts = [(max(row) + 1 if row else 0) for row in packed.segment_ids.to_list()]
    assert sum(counts) == len(pieces)


@pytest.mark.parametrize("strategy", STRATEGIES)
@given(x=jagged_arrays(st.integers(2, 3)), width=st.integers(1, 7), first=st.integers(0, 2))
def test_no_item_is_lost(strategy: Any, x: aj.JaggedArray, width: int, first: int) -> None:
    for one in (x, x[first:]):
        check(pack(one, width, strategy), one, width)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_no_token_of_a_million_is_lost(strategy: Any) -> None:
    draw = np.random.default_rng(0)
    sizes = np.minimum(draw.lognormal(4, 1.5, 8000).astype(int), 5000) * (draw.random(8000) > 0.1)
    tokens = pa.array(np.arange(sizes.sum()), mask=draw.random(sizes.sum()) < 0.01)
    whole = aj.from_sizes(tokens, sizes).with_validity(0, draw.random(8000) > 0.05)
    assert whole.size > 1_000_000
    storage = whole.to_arrow(extension=False)
    for x in (whole, aj.from_arrow(pa.chunked_array([storage.slice(5, 900), storage.slice(3000, 2000)]))):
        packed = pack(x, 2048, strategy)
        assert packed.unpack().equals(x)
        flat = packed.values.flatten()
        assert flat.sum().as_py() == x.flatten().sum().as_py()
        assert flat.values.null_count == x.values.null_count
        by_row = np.bincount(packed.source, np.diff(packed.cu_seqlens), minlength=len(x))
        assert np.array_equal(by_row, x.shape.dims[1].sizes)
        if strategy == "wrapped":
            assert set(np.diff(packed.values.shape.dims[1].offsets)[:-1].tolist()) == {2048}


def test_results_of_each_strategy() -> None:
    rows = aj.array([["a"] * 3, ["b"] * 2, [], None, ["c"], ["d"] * 9, ["e"] * 2])

    def joined(strategy: Any) -> list[str]:
        return ["".join(row) for row in pack(rows, 4, strategy).values.to_list()]

    assert joined("wrapped") == ["aaab", "bcdd", "dddd", "ddde", "e"]
    assert joined("split") == ["aaa", "bb", "c", "dddd", "dddd", "d", "ee"]
    assert joined("best_fit") == ["dddd", "dddd", "aaac", "bbee", "d"]
    assert joined("first_fit") == ["dddd", "dddd", "aaac", "bbee", "d"]
    wide = aj.array([[0] * n for n in (6, 4, 5, 3, 1)])
    assert list(pack(wide, 10, "best_fit").values.shape.sizes[1]) == [10, 9]


def rooms(lengths: list[int], width: int, best: bool) -> list[int]:
    """Best fit or first fit decreasing, piece by piece."""
    free: list[int] = []
    for length in sorted(lengths, reverse=True):
        fits = [(room if best else 0, place) for place, room in enumerate(free) if room >= length]
        if fits:
            free[min(fits)[1]] -= length
        else:
            free.append(width - length)
    return free


@given(st.integers(1, 12).flatmap(lambda width: st.tuples(st.just(width), st.lists(st.integers(1, width), max_size=40))))
def test_bins_are_those_of_the_greedy_rule(drawn: tuple[int, list[int]]) -> None:
    width, lengths = drawn
    x = aj.from_sizes(np.arange(sum(lengths)), np.array(lengths, int))
    for strategy, best in (("best_fit", True), ("first_fit", False)):
        free = [width - size for size in pack(x, width, strategy).values.shape.sizes[1]]  # type: ignore[arg-type]
        expected = rooms(lengths, width, best)
        assert (sorted(free) if best else free) == (sorted(expected) if best else expected)


def test_results_of_a_model_come_back() -> None:
    x = aj.array([[1, 2, 3], None, [4], [], [5, 6]])
    packed = pack(x, 4, "best_fit")
    states = aj.stack([packed.values, packed.values * 2], axis=-1)
    assert packed.unpack(states).to_list() == [[[1, 2], [2, 4], [3, 6]], None, [[4, 8]], [], [[5, 10], [6, 12]]]
    assert packed.unpack(packed.values.cast("float")).type == pa.float32()
    with pytest.raises(ShapeError, match="unpack: expected the sizes of the packed rows"):
        packed.unpack(packed.values[:1])
    with pytest.raises(ShapeError, match="unpack: expected the sizes of the packed rows"):
        packed.unpack(aj.array([1, 2]))


def test_masks() -> None:
    packed = pack(aj.array([[1, 2], [3, 4, 5], [6]]), 4)
    assert packed.values.to_list() == [[1, 2, 3, 4], [5, 6]]
    assert packed.block_mask(0).astype(int).tolist() == [[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]]
    assert packed.block_mask(-1, causal=True).astype(int).tolist() == [[1, 0], [0, 1]]
    assert packed.segment_ids.to_list() == [[0, 0, 1, 1], [0, 1]]
    assert packed.source.tolist() == [0, 1, 1, 2]
    with pytest.raises(JagIndexError, match="packed row 2 is out of range, there are 2"):
        packed.block_mask(2)


def test_shared_buffers_and_unchanged_columns() -> None:
    x = aj.array([[1, 2, 3], [4, 5]])
    assert pack(x, 2).values.values.buffers()[1].address == x.values.buffers()[1].address
    packed = pack(x, 2)
    assert not packed.source.flags.writeable
    assert not packed.cu_seqlens.flags.writeable
    assert packed.cu_seqlens.dtype == np.int32
    again = pickle.loads(pickle.dumps(packed))
    assert_equal(again.unpack(), x)
    assert repr(packed) == "Packed(2 rows in 3 of width 2, wrapped, 83.3% filled)"
    assert repr(aj.sequences.pack([[1]], 2)) == "Packed(1 row in 1 of width 2, wrapped, 50.0% filled)"
    assert len(packed) == 3


def test_series_and_structs_and_text() -> None:
    rows = [["a", "b"], None, ["c"]]
    for x in (pd.Series(aj.array(rows)), pl.Series(rows), pa.array(rows), rows):
        assert pack(x, 2).values.to_list() == [["a", "b"], ["c"]]
    both = aj.zip(ids=aj.array([[1, 2], [3]]), loss=aj.array([[True, False], [True]]))
    assert pack(both, 3).values["loss"].to_list() == [[True, False, True]]
    vectors = aj.array(np.arange(12.0).reshape(2, 3, 2))
    assert pack(vectors, 4).values.to_list()[1] == [[8.0, 9.0], [10.0, 11.0]]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_packing_an_array_without_items(strategy: Any) -> None:
    for x in (aj.array([], ndim=2, type=pa.int64()), aj.array([[], None, []], type=pa.int64())):
        packed = pack(x, 3, strategy)
        assert packed.values.to_list() == []
        assert packed.values.type == pa.int64()
        assert packed.cu_seqlens.tolist() == [0]
        assert_equal(packed.unpack(), x)


def test_pack_rejects_invalid_arguments() -> None:
    for width, error in ((0, JagValueError), (2.0, JagTypeError), (True, JagTypeError)):
        with pytest.raises(error, match="pack: width must be"):
            pack([[1]], width)  # type: ignore[arg-type]
    with pytest.raises(JagValueError, match="strategy must be 'wrapped', 'first_fit', 'best_fit' or 'split', got 'bfd'"):
        pack([[1]], 2, "bfd")  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match="pack takes rows of items, at least 2 dims"):
        pack([1, 2], 2)


# ----------------------------------------------------------------------------------------------------------- streams


@pytest.mark.parametrize("strategy", STRATEGIES)
@given(batches=st.lists(jagged_arrays(2, st.just(pa.int64())), max_size=4), width=st.integers(1, 6))
def test_a_stream_loses_nothing(strategy: Any, batches: list[aj.JaggedArray], width: int) -> None:
    made = list(pack_batches(batches, width, strategy))
    rows = [row or [] for batch in batches for row in batch.to_list()]
    found: list[list[Any]] = [[] for _ in rows]
    for packed in made:
        flat = packed.values.flatten().to_list() if len(packed) else []
        for row, start, stop in zip(packed.source, packed.cu_seqlens, packed.cu_seqlens[1:], strict=False):
            found[row] += flat[start:stop]
    assert [sorted(map(str, row)) for row in found] == [sorted(map(str, row)) for row in rows]
    if strategy == "wrapped":
        assert found == rows
        sizes = [size for packed in made for size in packed.values.shape.sizes[1]]
        assert all(size == width for size in sizes[:-1])
    nulls = sum(packed.unpack().null_count for packed in made)
    assert nulls == sum(batch.null_count for batch in batches)


def test_from_parquet_in_bounded_memory(tmp_path: Path) -> None:
    draw = np.random.default_rng(1)
    sizes = draw.integers(0, 60, 5000)
    x = aj.from_sizes(draw.integers(0, 100, sizes.sum()), sizes)
    aj.write_parquet({"ids": x}, tmp_path / "a.parquet", row_group_size=500)
    batches = (batch["ids"] for batch in pq.ParquetFile(tmp_path / "a.parquet").iter_batches(batch_size=300, columns=["ids"]))
    made = list(pack_batches(batches, 128))
    assert np.concatenate([one.values.values.to_numpy() for one in made]).tolist() == x.values.to_numpy().tolist()
    assert max(one.values.size for one in made) < 300 * 60 + 128


def test_the_script_for_any_number_of_tokens() -> None:
    script = ROOT / "tools" / "pack_tokens.py"
    if not script.exists():
        pytest.skip("tools are in the repository only")
    done = subprocess.run([sys.executable, script, "300000", "--batch", "100000"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "0 lost" in done.stdout


# ------------------------------------------------------------------------------------------------- batches and buckets


@given(x=jagged_arrays(2, st.sampled_from([pa.int64(), pa.float32(), pa.bool_()]), allow_nan=False))
def test_pad_batch_agrees_with_the_oracle(x: aj.JaggedArray) -> None:
    rows = [row or [] for row in x.to_list()]
    longest = max(map(len, rows), default=0)
    for limit in (None, 0, 2, longest + 1):
        width = longest if limit is None else limit
        for side in ("right", "left"):
            dense, mask = pad_batch(x, side, max_length=limit)  # type: ignore[arg-type]
            cut = [row[:width] for row in rows]
            blank = [[None] * (width - len(row)) for row in cut]
            expected = [row + pad if side == "right" else pad + row for row, pad in zip(cut, blank, strict=True)]
            assert mask.tolist() == [[one is not None for one in row] for row in expected]
            assert dense.tolist() == [[0 if one is None else one for one in row] for row in expected]
            assert dense.shape == mask.shape == (len(rows), width)
            assert dense.flags.c_contiguous
            assert mask.flags.c_contiguous


def test_pad_batch_fills_and_refuses() -> None:
    dense, mask = pad_batch(pd.Series(aj.array([["a"], ["b", "c"]])), fill="[PAD]")
    assert dense.tolist() == [["a", "[PAD]"], ["b", "c"]]
    assert mask.tolist() == [[True, False], [True, True]]
    vectors, mask = pad_batch(aj.array(np.arange(8).reshape(2, 2, 2))[:, :1], side="left", max_length=2, fill=-1)
    assert vectors.tolist() == [[[-1, -1], [0, 1]], [[-1, -1], [4, 5]]]
    assert mask.tolist() == [[False, True]] * 2
    with pytest.raises(JagValueError, match="side must be 'right' or 'left', got 'both'"):
        pad_batch([[1]], "both")  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match="pad_batch takes rows of items"):
        pad_batch([[[1]]])
    with pytest.raises(JagValueError, match="max_length must not be negative"):
        pad_batch([[1]], max_length=-1)


@given(x=jagged_arrays(st.integers(2, 3)), edges=st.lists(st.integers(0, 5), max_size=3, unique=True).map(sorted))
def test_bucket_agrees_with_the_oracle(x: aj.JaggedArray, edges: list[int]) -> None:
    buckets = bucket(x, edges)
    rows = x.to_list()
    numbers = [sum(len(row or []) >= edge for edge in edges) for row in rows]
    expected = [[place for place, number in enumerate(numbers) if number == one] for one in range(len(edges) + 1)]
    assert buckets.source.to_list() == expected
    for one, values in zip(buckets, buckets.values, strict=True):
        assert_equal(one, values)
    assert len(buckets) == len(edges) + 1
    assert_equal(buckets.unpack(), aj.JaggedArray(x.shape, x.values))
    assert buckets.unpack(buckets.source).to_list() == list(range(len(rows)))


def test_many_rows_keep_their_order_within_a_bucket() -> None:
    sizes = np.arange(5000) * 7919 % 4
    source = bucket(aj.from_sizes(np.zeros(sizes.sum()), sizes), [1, 2, 3]).source.to_list()
    assert source == [np.flatnonzero(sizes == size).tolist() for size in range(4)]


def test_bucket_rejects_invalid_arguments() -> None:
    with pytest.raises(JagValueError, match="boundaries must ascend"):
        bucket([[1]], [2, 2])
    with pytest.raises(JagTypeError, match="boundaries must be a list of integers"):
        bucket([[1]], [2.5])
    with pytest.raises(ShapeError, match="bucket: boundaries: expected numbers in rows of one size"):
        bucket([[1]], [[2], [3, 4]])
    with pytest.raises(JagIndexError, match="bucket 5 is out of range, there are 2"):
        bucket([[1]], [2])[5]
    with pytest.raises(ShapeError, match="unpack: expected the rows of the buckets"):
        bucket([[1]], [2]).unpack(aj.array([[1], [2]]))
    assert [one.to_list() for one in bucket([[1], [2, 3]], [2])[:]] == [[[1]], [[2, 3]]]
    assert repr(bucket([[1], [2, 3]], [2])) == "Buckets([1, 1] rows)"


@pytest.mark.parametrize("strategy", ["first_fit", "best_fit"])
def test_bins_wider_than_16_bits(strategy: str) -> None:
    """The longest piece first, by all of its digits, and equal ones in order; best fit and first fit as in a plain loop."""
    lengths = np.array([70_000, 65_537, 131_073, 1, 65_536, 196_607, 2, 65_537, 70_000, 131_072, 65_535, 3])
    width = 200_000
    found = getattr(bins, strategy)(lengths, width)
    rooms: list[int] = []
    held: list[list[int]] = []
    for piece in sorted(range(len(lengths)), key=lambda one: -lengths[one]):
        fits = [place for place, room in enumerate(rooms) if room >= lengths[piece]]
        place = (fits[0] if strategy == "first_fit" else min(fits, key=lambda one: rooms[one])) if fits else len(rooms)
        if place == len(rooms):
            rooms.append(width)
            held.append([])
        rooms[place] -= int(lengths[piece])
        held[place].append(piece)
    got = [found.order[a:b].tolist() for a, b in pairwise(found.offsets.tolist())]
    assert got == held


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda x: pack(x, 2, pd.Series(["split"])), "pack: strategy must be a str, got Series"),
        (lambda x: pack(x, pd.Series([2])), "pack: width must be an int, got Series"),
        (lambda x: pack_batches([x], 2, np.array([1])), "pack_batches: strategy must be a str, got ndarray"),
        (lambda _: pack_batches(5, 2), "pack_batches takes an iterable of arrays, got int"),
        (lambda x: pad_batch(x, pd.Series(["left"])), "pad_batch: side must be a str, got Series"),
        (lambda x: pack(x, 2).block_mask(0, np.array([])), "block_mask: causal must be a bool, got ndarray"),
    ],
)
def test_arguments_are_checked_before_they_are_compared(call: Any, text: str) -> None:
    with pytest.raises(JagTypeError, match=text):
        call(aj.array([[1, 2], [3]]))
