"""Spreading, taking and filtering Arrow arrays of every type."""

from __future__ import annotations

import datetime as dt
import decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrowjag._kernels import strategy
from arrowjag._kernels.base import offsets as _offsets
from arrowjag._kernels.move import gather
from arrowjag._kernels.move.spread import spread
from tests.kernels.rows import make_offsets

NOON = dt.datetime(2024, 5, 1, 12, tzinfo=dt.UTC)
VIEWS = pa.array(["a", None, "longer than twelve bytes"], pa.string_view())
ARRAYS = {
    "int8": pa.array([1, None, 3], pa.int8()),
    "uint64": pa.array([1, None, 2**64 - 1], pa.uint64()),
    "float16": pa.array(np.array([1, 2, 3], np.float16)),
    "double": pa.array([1.5, None, float("inf")]),
    "bool": pa.array([True, None, False]),
    "null": pa.nulls(3),
    "string": pa.array(["a", None, ""]),
    "large_string": pa.array(["a", None, ""], pa.large_string()),
    "string_view": VIEWS,
    "binary_view": pa.array([b"a", None, b"longer than twelve bytes"], pa.binary_view()),
    "struct of views": pa.StructArray.from_arrays([VIEWS], ["f"]),
    "list of views": pa.ListArray.from_arrays([0, 1, 2, 3], VIEWS),
    "large list of views": pa.LargeListArray.from_arrays([0, 1, 2, 3], VIEWS),
    "fixed list of views": pa.FixedSizeListArray.from_arrays(VIEWS, 1),
    "map of views": pa.MapArray.from_arrays([0, 1, 2, 3], pa.array(["a", "b", "c"]), VIEWS),
    "map of lists of views": pa.array(
        [[("k", ["a", None])], None, [("l", []), ("m", ["b"])]], pa.map_(pa.string_view(), pa.list_(pa.string_view()))
    ),
    "sorted map": pa.array([[("k", 1)], None, []], pa.map_(pa.string(), pa.int64(), keys_sorted=True)),
    "list view": pa.array([[1], None, [2, 3]], pa.list_view(pa.int64())),
    "large list view": pa.array([[1], None, [2, 3]], pa.large_list_view(pa.int64())),
    "list view of views": pa.array([["a"], None, ["b", None]], pa.list_view(pa.string_view())),
    "large list view of views": pa.array([["a"], None, ["b", None]], pa.large_list_view(pa.string_view())),
    "fixed list of fixed lists": pa.array([[[1], [2]], None, [[3], None]], pa.list_(pa.list_(pa.int64(), 1), 2)),
    "list of structs of views": pa.array([[{"a": "x"}], None, [{"a": None}, None]], pa.list_(pa.struct({"a": pa.string_view()}))),
    "union": pa.UnionArray.from_sparse(pa.array([0, 1, 0], pa.int8()), [pa.array([1, 2, 3]), pa.array(["a", "b", "c"])]),
    "uuid": pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"0" * 16, None, b"1" * 16], pa.binary(16))),
    "binary": pa.array([b"a", None, b""]),
    "fixed_binary": pa.array([b"ab", None, b"cd"], pa.binary(2)),
    "decimal": pa.array([decimal.Decimal("1.20"), None, decimal.Decimal("3.00")]),
    "timestamp": pa.array([NOON, None, NOON], pa.timestamp("us", "UTC")),
    "duration": pa.array([1, None, 3], pa.duration("ms")),
    "date": pa.array([NOON.date(), None, NOON.date()]),
    "dictionary": pa.array(["a", None, "b"]).dictionary_encode(),
    "struct": pa.array([{"a": 1, "b": "x"}, None, {"a": None, "b": "y"}]),
    "list": pa.array([[1, 2], None, []]),
    "map": pa.array([[("k", 1)], None, []], pa.map_(pa.string(), pa.int64())),
    "fixed_list": pa.array([[1, 2], None, [3, 4]], pa.list_(pa.int64(), 2)),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_spread_and_take_keep_every_type(name: str) -> None:
    values = ARRAYS[name]
    items = values.to_pylist()
    found = spread(values, np.array([0, 2, 2, 3]))
    assert found.type == values.type
    assert found.to_pylist() == [items[0], items[0], items[2]]
    taken = gather.take(values, np.array([2, 9, 1, 0]), np.array([True, False, True, True]))
    assert taken.type == values.type
    assert taken.to_pylist() == [items[2], None, items[1], items[0]]
    kept = gather.filter_values(values, np.array([True, False, True]))
    assert kept.type == values.type
    assert kept.to_pylist() == [items[0], items[2]]


@pytest.mark.parametrize("name", ARRAYS)
def test_slices_and_empties(name: str) -> None:
    values, none = ARRAYS[name].slice(1), np.zeros(0, np.int64)
    assert gather.take(values, np.array([1])).to_pylist() == [ARRAYS[name].to_pylist()[2]]
    assert gather.take(values.slice(0, 0), none).type == values.type
    assert len(spread(values, np.zeros(len(values) + 1, np.int64))) == 0
    assert gather.take(values.slice(0, 0), np.array([0]), np.array([False])).to_pylist() == [None] or name == "union"
    assert len(gather.filter_values(values, np.zeros(2, np.bool_))) == 0


@given(st.lists(st.lists(st.integers(), max_size=4), min_size=1, max_size=6), st.data())
def test_take_rows(lists: list[list[int]], data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.integers(0, len(lists) - 1), max_size=8))
    flat = [item for row in lists for item in row]
    offsets, items = gather.take_rows(make_offsets(lists), np.array(rows, np.int64))
    assert items.dtype == offsets.dtype == np.int64
    assert [flat[item] for item in items] == [item for row in rows for item in lists[row]]
    assert offsets.tolist() == make_offsets([lists[row] for row in rows]).tolist()


def test_take_rows_of_no_rows() -> None:
    offsets, items = gather.take_rows(np.array([0]), np.zeros(0, np.int64))
    assert offsets.tolist() == [0]
    assert items.tolist() == []


@given(st.lists(st.tuples(st.integers(-5, 50), st.integers(0, 4)), max_size=8))
def test_ranges(pairs: list[tuple[int, int]]) -> None:
    starts, lengths = np.array(pairs, np.int64).reshape(-1, 2).T
    expected = [start + place for start, length in pairs for place in range(length)]
    assert gather.ranges(starts, lengths).tolist() == expected


def test_ranges_over_blocks() -> None:
    lengths = np.random.default_rng(2).integers(0, 9, 100_000)
    starts = np.random.default_rng(3).integers(0, 10**9, 100_000)
    expected = np.concatenate([np.arange(a, a + b) for a, b in zip(starts.tolist(), lengths.tolist(), strict=True)])
    assert np.array_equal(gather.ranges(starts, lengths), expected)


@pytest.mark.parametrize("dtype", [pa.int8(), pa.uint64(), pa.float32(), pa.float64(), pa.string(), pa.bool_()])
@pytest.mark.parametrize("nulls", [False, True])
def test_filter_of_many_values_equals_plain_selection(dtype: Any, nulls: bool) -> None:
    random = np.random.default_rng(4)
    n = strategy.sizes.POLARS_LOAD_VALUES + 10
    raw = random.integers(0, 2, n)
    values = pa.array(raw, mask=random.random(n) < 0.1 if nulls else None).cast(dtype)
    mask = random.random(n) < 0.3
    found = gather.filter_values(values.slice(3), mask[3:])
    assert found.type == dtype
    assert isinstance(found, pa.Array)
    assert found.equals(values.slice(3).take(pa.array(np.flatnonzero(mask[3:]))))


FLAT = [name for name, values in ARRAYS.items() if pa.types.is_primitive(values.type) or pa.types.is_decimal(values.type)]


@pytest.mark.parametrize("block", [1, 3, 1000])
@given(st.sampled_from(FLAT), st.lists(st.integers(0, 30), max_size=40), st.data())
def test_taking_few_values_equals_taking_many(block: int, name: str, places: list[int], data: st.DataObject) -> None:
    """The way of few values and that of many, in blocks, give the same, from a slice too."""
    values = pa.concat_arrays([ARRAYS[name]] * 12).slice(data.draw(st.integers(0, 3)), 31)
    index, valid = np.array(places, np.int64), np.array([place % 3 > 0 for place in places], bool)
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=31, max_size=31)))
    few = [gather.take(values, index), gather.take(values, index, valid), gather.filter_values(values, mask)]
    with strategy.force(CALL_VALUES=0, PASS_VALUES=block):
        many = [gather.take(values, index), gather.take(values, index, valid), gather.filter_values(values, mask)]
    for one, two in zip(few, many, strict=True):
        one.validate(full=True)
        assert one.type == two.type
        assert one.to_pylist() == two.to_pylist()


@given(st.lists(st.tuples(st.integers(-5, 50), st.integers(0, 4)), max_size=8), st.sampled_from([1, -1, 3]))
def test_runs(pairs: list[tuple[int, int]], step: int) -> None:
    starts, offsets = np.array([one for one, _ in pairs], np.int64), _offsets.from_sizes(np.array([n for _, n in pairs], np.int64))
    few = _offsets.runs(starts, offsets, step)
    with strategy.force(CALL_VALUES=0):
        many = _offsets.runs(starts, offsets, step)
    assert few.dtype == many.dtype == np.int64
    assert few.tolist() == many.tolist() == [start + step * i for start, n in pairs for i in range(n)]


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.uint64, np.int64])
@pytest.mark.parametrize("name", FLAT)
def test_places_of_nulls_may_be_out_of_range(name: str, dtype: type[np.integer[Any]]) -> None:
    values = pa.concat_arrays([ARRAYS[name]] * 2).slice(1)
    index, valid = np.array([0, 99, 4, 127, 3]).astype(dtype), np.array([True, False, True, False, True])
    if dtype != np.uint64:
        index[1] = -5
    with strategy.force(CALL_VALUES=0, PASS_VALUES=2):
        found = gather.take(values, index, valid)
    found.validate(full=True)
    assert found.to_pylist() == values.take(pa.array([0, None, 4, None, 3])).to_pylist()


def test_few_values_are_taken_at_once_and_many_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both give the same, so only a call tells which of them did."""
    called = list[str]()
    for name in ("_take_few", "_take_flat"):
        monkeypatch.setattr(gather, name, lambda values, index, valid, name=name: called.append(name))
    few, many = pa.array([1, 2, 3]), pa.array(np.arange(200))
    with strategy.force(CALL_VALUES=100):
        for values, n in ((few, 99), (few, 100), (many, 3)):
            gather.take(values, np.zeros(n, np.int64))
        gather.take(pa.array(["text"]), np.array([0]))
        gather.take(few[:0], np.zeros(0, np.int64))
        gather.filter_values(few, np.ones(3, np.bool_))
    assert called == ["_take_few", "_take_flat", "_take_flat", "_take_few"]


def test_how_values_of_each_type_are_filtered() -> None:
    pytest.importorskip("polars")
    with strategy.force(CALL_VALUES=100, POLARS_FILTER_VALUES=200):
        for name, values in ARRAYS.items():
            if pa.types.is_struct(values.type):  # field by field
                continue
            values = values.indices if pa.types.is_dictionary(values.type) else values  # noqa: PLW2901
            fixed = pa.types.is_primitive(values.type) or pa.types.is_decimal(values.type)
            shared = name in ("int8", "uint64", "double", "dictionary")
            for n, wanted in (
                (0, "arrow"),
                (99, "small" if fixed else "arrow"),
                (100, "arrow"),
                (201, "polars" if shared else "arrow"),
            ):
                many = pa.concat_arrays([values] * (n // 3 + 1))[:n]
                with strategy.force() as taken:
                    gather.filter_values(many, np.ones(n, np.bool_))
                assert {by for operation, by in taken if operation == "filter"} == {wanted}, (name, n)
