"""The gate: every layout is read with its content and written correctly, shares buffers, and corrupt data is rejected."""

from __future__ import annotations

import datetime as dt
import gc
import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag import _arrow
from arrowjag._gate import flat
from arrowjag._kernels import strategy
from arrowjag._pyarrow_versions import NO_UUID_OBJECTS
from arrowjag.testing import ArrowColumn, arrow_columns, assert_lists_equal, jagged_arrays
from tests.hosts import pd


def address(array: pa.Array, buffer: int = 1) -> int:
    return array.buffers()[buffer].address


class Capsule:
    """An array of another library: only the C interface is there."""

    def __init__(self, array: pa.Array) -> None:
        self._array = array

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        return self._array.__arrow_c_array__(requested_schema)


class Stream:
    def __init__(self, array: pa.ChunkedArray) -> None:
        self._array = array

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._array.__arrow_c_stream__(requested_schema)


# --------------------------------------------------------------------------------------------------------- in and out


@given(arrow_columns())
def test_every_layout_is_read_with_its_values(column: ArrowColumn) -> None:
    x = aj.from_arrow(column.array)
    assert x.ndim == column.ndim
    assert x.type == column.leaf
    assert_lists_equal(x.to_list(), column.truth)
    for outer, inner in zip(x.shape.dims, x.shape.dims[1:], strict=False):
        assert outer.size == len(inner)
        assert inner.offsets[0] == 0
    assert x.shape.size == len(x.values)
    assert all(not dim.sizes[~dim.validity].any() for dim in x.shape if dim.validity is not None)


LIST_TYPES = [pa.list_, pa.large_list, lambda item: pa.list_(item, 2), pa.list_view, pa.large_list_view]
ITEMS: dict[pa.DataType, Any] = {
    pa.int64(): lambda k: k,
    pa.bool_(): lambda k: k % 3 == 0,
    pa.string(): lambda k: f"word {k}",
    pa.string_view(): lambda k: f"a word of many bytes {k}",
    pa.list_(pa.int16(), 2): lambda k: [k, k + 1],
}


@pytest.mark.parametrize("nulls", [False, True], ids=["valid", "nulls"])
@pytest.mark.parametrize("items", ITEMS, ids=str)
@pytest.mark.parametrize("lists", LIST_TYPES, ids=lambda lists: f"{lists(pa.int8())}")
def test_slices_begin_at_any_row(lists: Any, items: pa.DataType, nulls: bool) -> None:
    """Rows, items and both validities of a slice begin within those of the whole array; without nulls nothing is rebuilt."""
    item = ITEMS[items]
    rows = [None if nulls and k % 3 == 2 else [item(2 * k), None if nulls and k % 4 == 1 else item(2 * k + 1)] for k in range(20)]
    whole = pa.array(rows, lists(items))
    for first in (0, 1, 2, 7, 8, 9, 20):
        part, expected = whole[first:], rows[first:]
        assert aj.from_arrow(part).to_list() == expected
        chunks = pa.chunked_array([part, whole[:first], part[1:2]])
        assert aj.from_arrow(chunks).to_list() == [*expected, *rows[:first], *expected[1:2]]
        assert aj.from_arrow(pa.StructArray.from_arrays([whole], ["f"])[first:])["f"].to_list() == expected


@given(arrow_columns())
def test_exported_data_is_valid_and_round_trips(column: ArrowColumn) -> None:
    x = aj.from_arrow(column.array)
    out = x.to_arrow()
    out.validate(full=True)
    assert_lists_equal(out.to_pylist(), column.truth)
    back = aj.from_arrow(out)
    assert back.equals(x)
    assert back.shape.extents[1:] == tuple(extent or None for extent in x.shape.extents[1:])
    plain = x.to_arrow(extension=False)
    assert not isinstance(plain.type, pa.BaseExtensionType)
    assert aj.from_arrow(plain).equals(x)


@given(arrow_columns())
def test_other_libraries_hand_over_by_capsules(column: ArrowColumn) -> None:
    chunked = isinstance(column.array, pa.ChunkedArray)
    carrier = Stream(column.array) if chunked else Capsule(column.array)
    assert_lists_equal(aj.array(carrier).to_list(), column.truth)


@pytest.mark.parametrize("wrapped", ["list", "struct", "extension", "map"])
@pytest.mark.parametrize("buffers", [[None, None], [None, pa.py_buffer(b"")]], ids=["none", "empty"])
def test_chunks_are_joined_whose_inner_lists_have_no_buffers(buffers: list[Any], wrapped: str) -> None:
    inner = pa.Array.from_buffers(pa.large_list(pa.int64()), 0, buffers, children=[pa.array([], pa.int64())])
    if wrapped == "map":
        items = pa.StructArray.from_arrays(
            [pa.array([], pa.int64()), inner],
            fields=list(pa.struct([pa.field("key", pa.int64(), False), pa.field("value", inner.type)])),
        )
        whole = pa.map_(pa.int64(), inner.type)
    else:
        items, whole = inner, pa.large_list(inner.type)
    outer = pa.Array.from_buffers(
        whole, 2, [None, pa.py_buffer(np.zeros(3, np.int64 if wrapped != "map" else np.int32))], children=[items]
    )
    if wrapped == "struct":
        outer = pa.StructArray.from_arrays([outer], ["v"])
    if wrapped == "extension":
        outer = pa.ExtensionArray.from_storage(aj.JaggedType(outer.type, 3), outer)
    expected = outer.to_pylist()
    assert aj.from_arrow(pa.chunked_array([outer, outer])).to_list() == expected + expected


@given(arrow_columns(3))
def test_ndim_says_how_many_lists_are_levels(column: ArrowColumn) -> None:
    for ndim in (1, 2, 3):
        x = aj.from_arrow(column.array, ndim=ndim)
        assert x.ndim == ndim
        assert_lists_equal(x.to_list(), column.truth)
    with pytest.raises(aj.ShapeError, match="but ndim=4 was given"):
        aj.from_arrow(pa.chunked_array([pa.array([[[1]]])]), ndim=4)


@given(jagged_arrays(st.integers(1, 3)), st.data())
def test_jagged_columns_in_lists_and_structs_are_further_levels(x: aj.JaggedArray, data: st.DataObject) -> None:
    inner = x.to_arrow()
    cuts = [0, *sorted(data.draw(st.lists(st.integers(0, len(x)), max_size=3))), len(x)]
    outer = pa.LargeListArray.from_arrays(pa.array(cuts, pa.int64()), inner)
    rows = [x.to_list()[start:end] for start, end in pairwise(cuts)]
    lists = pa.chunked_array([outer, outer.slice(1)])
    got = aj.from_arrow(lists)
    assert got.ndim == x.ndim + 1
    assert got.shape.extents[2:] == aj.from_arrow(inner).shape.extents[1:]
    assert_lists_equal(got.to_list(), rows + rows[1:])
    assert aj.from_arrow(lists, ndim=2).ndim == 2
    structs = aj.from_arrow(pa.StructArray.from_arrays([inner], ["v"]))
    assert structs["v"].equals(aj.from_arrow(inner))


@given(arrow_columns(1, pa.bool_(), chunked=False))
def test_booleans_are_unpacked_from_any_bit(column: ArrowColumn) -> None:
    data, valid = _arrow.to_numpy(column.array)
    assert [None if valid is not None and not valid[k] else bool(data[k]) for k in range(len(data))] == column.truth


def test_maps_are_levels_of_entries() -> None:
    maps = pa.array([[("a", 1), ("b", 2)], None, []], pa.map_(pa.string(), pa.int64()))
    assert aj.from_arrow(maps, ndim=1).type == maps.type
    opened = aj.from_arrow(maps)
    assert opened.equals(aj.from_arrow(maps, ndim=2))
    assert opened.to_list() == [[{"key": "a", "value": 1}, {"key": "b", "value": 2}], None, []]
    assert opened["value"].to_list() == [[1, 2], None, []]


def test_runs_and_dictionaries_of_lists_are_decoded() -> None:
    lists = pa.array([[1], [2, 3]])
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([2, 3], pa.int32()), lists)
    assert aj.from_arrow(runs).to_list() == [[1], [1], [2, 3]]
    coded = pa.DictionaryArray.from_arrays(pa.array([1, None, 0]), lists)
    assert aj.from_arrow(coded).to_list() == [[2, 3], None, [1]]


TEXTS = pa.array(["a", None], pa.string_view())
RUNS = pa.RunEndEncodedArray.from_arrays(pa.array([1, 2], pa.int32()), pa.array([7, None]))
TWO = pa.array([0, 1, 2], pa.int32())


@pytest.mark.parametrize("around", ["", "list", "struct"])
@pytest.mark.parametrize(
    "rows",
    [
        pa.array([["a", "b"], ["c", None]], pa.list_(pa.string_view(), 2)),
        pa.array([["a"], []], pa.list_(pa.string_view())),
        pa.array([{"a": "b"}, None], pa.struct([("a", pa.string_view())])),
        pa.StructArray.from_arrays([RUNS], ["a"], mask=pa.array([False, True])),
        pa.ListArray.from_arrays(TWO, RUNS),
        pa.ListArray.from_arrays(TWO, pa.StructArray.from_arrays([RUNS, TEXTS], ["a", "b"])),
    ],
    ids=lambda rows: f"{rows.type}",
)
def test_dictionaries_of_values_that_arrow_does_not_take(rows: pa.Array, around: str) -> None:
    coded: Any = pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 0], pa.int8()), rows)
    if around:
        cuts = pa.array([0, 2, 2, 4])
        coded = pa.LargeListArray.from_arrays(cuts, coded) if around == "list" else pa.StructArray.from_arrays([coded], ["f"])
    assert aj.from_arrow(coded).to_list() == coded.to_pylist()
    assert aj.from_arrow(coded[1:]).to_list() == coded[1:].to_pylist()
    if not around:
        x = aj.from_arrow(coded, ndim=1)
        assert x.values.null_count == coded.to_pylist().count(None)
        assert x.is_null().to_list() == [one is None for one in coded.to_pylist()]
    empty = pa.LargeListArray.from_arrays(pa.array([0, 0]), coded[:0])
    assert aj.from_arrow(empty).to_list() == [[]]


@pytest.mark.parametrize("view", [pa.list_view, pa.large_list_view])
def test_views_and_runs_inside_of_structs_and_maps(view: Any) -> None:
    views = pa.array([[1], None, [2, 3]], view(pa.int64()))
    structs = pa.StructArray.from_arrays([views, views], ["a", "b"], mask=pa.array([False, False, True]))
    assert aj.from_arrow(structs).to_list() == structs.to_pylist()
    assert aj.from_arrow(structs[1:]).to_list() == structs[1:].to_pylist()
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([2, 3], pa.int32()), pa.array([7, None]))
    maps = pa.MapArray.from_arrays([0, 2, 3], pa.array(["k", "l", "m"], pa.string_view()), runs)
    assert aj.from_arrow(maps)["value"].to_list() == [[7, 7], [None]]
    maps = pa.MapArray.from_arrays([0, 2, 3], pa.array(["k", "l", "m"]), views)
    assert aj.from_arrow(maps)["key"].to_list() == [["k", "l"], ["m"]]
    assert aj.from_arrow(maps)["value"].to_list() == [[[1], None], [[2, 3]]]
    named = pa.MapArray.from_arrays([0, 3], pa.DictionaryArray.from_arrays([0, 1, 0], ["k", None]), views)
    with pytest.raises(aj.OffsetsError, match="a map of the Arrow data has a null entry or a null key"):
        aj.from_arrow(named)


def test_text_views_under_nulls_become_empty() -> None:
    words = ["a text beyond twelve bytes", None, "another one, that is longer"]
    array = pa.array(words, pa.string_view())
    valid, views, *data = array.buffers()
    stored = np.frombuffer(views, np.int64).reshape(-1, 2).copy()
    stored[1] = stored[2]
    hidden = pa.Array.from_buffers(array.type, 3, [valid, pa.py_buffer(stored), *data], 1)
    for part, expected in ((hidden, words), (hidden[1:], words[1:])):
        x = aj.from_arrow(pa.LargeListArray.from_arrays(pa.array([0, len(part)]), part))
        assert x.to_list() == [expected]
        kept = np.frombuffer(x.values.buffers()[1], np.int64).reshape(-1, 2)
        assert not kept[x.values.offset :][expected.index(None)].any()


def test_nulls_of_the_null_type_are_null_rows() -> None:
    assert aj.from_arrow(pa.nulls(2), ndim=2).to_list() == [None, None]


def test_extent_0_is_stored_as_a_large_list() -> None:
    x = aj.array(np.zeros((2, 0)))
    assert x.to_arrow(extension=False).type == pa.large_list(pa.float64())
    assert x.to_list() == [[], []]


def test_a_declared_extent_is_a_fixed_size_list_with_its_null_slots_filled() -> None:
    fixed = pa.array([[1, 2], None, [3, 4]], pa.list_(pa.int64(), 2))
    x = aj.from_arrow(fixed)
    assert x.shape.extents[1] == 2
    assert x.shape.size == 4
    assert x.to_arrow(extension=False).equals(fixed)
    assert aj.from_arrow(fixed[:0]).shape.extents[1] == 2


# ---------------------------------------------------------------------------------------------------------- no copies


def test_64_bit_offsets_and_values_are_shared_both_ways() -> None:
    array = pa.array([[1, 2], [], [3]], pa.large_list(pa.int64()))
    x = aj.from_arrow(array)
    assert x.shape.dims[1].offsets.ctypes.data == address(array)
    assert address(x.values) == address(array.values)
    out = x.to_arrow(extension=False)
    assert address(out) == address(array)
    assert address(out.values) == address(array.values)


def test_values_are_shared_where_offsets_are_widened_or_sliced() -> None:
    array = pa.array([[1, 2], [], [3], [4, 5]], pa.list_(pa.int32()))
    assert address(aj.from_arrow(array).values) == address(array.values)
    part = aj.from_arrow(array[1:3])
    assert address(part.values) == address(array.values)
    assert part.to_list() == [[], [3]]
    one = pa.chunked_array([array])
    assert address(aj.from_arrow(one).values) == address(array.values)


def test_numpy_is_shared_and_stays_alive() -> None:
    data = np.arange(6.0)
    x = aj.from_offsets(data, np.array([0, 2, 6]))
    assert address(x.values) == data.ctypes.data
    out = x.to_arrow(extension=False)
    del data, x
    gc.collect()
    assert out.to_pylist() == [[0.0, 1.0], [2.0, 3.0, 4.0, 5.0]]


# ---------------------------------------------------------------------------------------------------- nothing corrupt


def large_list(offsets: list[int], values: int = 3, bitmap: bytes | None = None) -> pa.Array:
    """A large_list whose offsets are spoiled after it is made: pyarrow looks at the first and the last one."""
    cut = np.zeros(len(offsets), np.int64)
    buffers = [None if bitmap is None else pa.py_buffer(bitmap), pa.py_buffer(cut)]
    child = pa.array(np.arange(values))
    array = pa.LargeListArray.from_buffers(pa.large_list(pa.int64()), len(cut) - 1, buffers, children=[child])
    cut[:] = offsets
    return array


@pytest.mark.parametrize("n", [0, 5, 4096, 4097])
def test_numbers_that_are_shared_are_not_written(n: int) -> None:
    assert _arrow.numbers(n).to_pylist() == list(range(n))
    assert n > 4096 or not _arrow.to_numpy(_arrow.numbers(max(n, 1)))[0].flags.writeable


@pytest.mark.parametrize(
    ("offsets", "text"),
    [
        ([0, 2, 1, 3], "decrease at slot 2: 1 < 2"),
        ([0, 2, 4], "end at 4, but there are 3 values"),
        ([-1, 2, 3], "start at -1, expected at least 0"),
        ([0, -5, 3], "decrease at slot 1: -5 < 0"),
        ([0, 2**62, 3], "decrease at slot 2"),
        ([0, 1, 2**62], f"end at {2**62}"),
    ],
)
def test_corrupt_offsets_are_an_error(offsets: list[int], text: str) -> None:
    for carrier in (large_list(offsets), pa.chunked_array([large_list(offsets)]), Capsule(large_list(offsets))):
        with pytest.raises(aj.OffsetsError, match=text):
            aj.array(carrier)


def test_corrupt_offsets_under_a_null_row_are_an_error_too() -> None:
    with pytest.raises(aj.OffsetsError, match="decrease at slot 2"):
        aj.from_arrow(large_list([0, 3, 1, 3], bitmap=b"\x05"))


def test_an_inner_dim_is_named() -> None:
    inner = large_list([0, 2, 1])
    outer = pa.LargeListArray.from_buffers(pa.large_list(inner.type), 1, [None, pa.py_buffer(np.array([0, 2]))], children=[inner])
    with pytest.raises(aj.OffsetsError, match=r"dim 2 decrease at slot 2"):
        aj.from_arrow(outer)


def test_too_few_levels_are_counted() -> None:
    with pytest.raises(aj.ShapeError, match=r"the Arrow data has 2 dims \(leaf type int64\), but ndim=3 was given"):
        aj.from_arrow(pa.array([[1]]), 3)
    with pytest.raises(aj.ShapeError, match=r"has 1 dim \(leaf type string\), but ndim=2 was given"):
        aj.from_arrow(pa.array(["a"]), 2)


def test_32_bit_offsets_are_checked_as_well() -> None:
    cut = pa.py_buffer(np.array([0, 2, 1], np.int32))
    array = pa.ListArray.from_buffers(pa.list_(pa.int64()), 2, [None, cut], children=[pa.array([1, 2, 3])])
    with pytest.raises(aj.OffsetsError, match="decrease at slot 2"):
        aj.from_arrow(array)


@pytest.mark.parametrize("type", [pa.list_view(pa.int64()), pa.large_list_view(pa.int64())], ids=str)
@pytest.mark.parametrize(("starts", "sizes"), [([0, 2], [1, 9]), ([-1, 0], [1, 1]), ([0, 0], [1, -1])])
def test_views_out_of_range(type: pa.DataType, starts: list[int], sizes: list[int]) -> None:
    width = np.int32 if pa.types.is_list_view(type) else np.int64
    buffers = [None, pa.py_buffer(np.array(starts, width)), pa.py_buffer(np.array(sizes, width))]
    array = pa.Array.from_buffers(type, 2, buffers, children=[pa.array([1, 2, 3])])
    with pytest.raises(aj.OffsetsError, match=r"row \d of the Arrow data, dim 1 refers to"):
        aj.from_arrow(array)


@pytest.mark.parametrize("type", [pa.string(), pa.large_binary()], ids=str)
def test_text_whose_own_offsets_are_corrupt(type: pa.DataType) -> None:
    width = np.int32 if pa.types.is_string(type) else np.int64
    for wrong in ([0, 3, 1], [0, 1, 99], [-1, 1, 2]):
        cut = np.zeros(3, width)
        array = pa.Array.from_buffers(type, 2, [None, pa.py_buffer(cut), pa.py_buffer(b"abc")])
        cut[:] = wrong
        with pytest.raises(aj.OffsetsError, match="the text of"):
            aj.from_arrow(array)


@pytest.mark.parametrize("type", [pa.large_list(pa.int64()), pa.list_(pa.int64())], ids=str)
def test_no_rows_need_no_offsets_buffer(type: pa.DataType) -> None:
    empty = pa.Array.from_buffers(type, 0, [None, None], children=[pa.array([], pa.int64())])
    x = aj.array(empty)
    assert (x.to_list(), x.ndim) == ([], 2)
    with pytest.raises(aj.OffsetsError, match=r"Capsule can't be read: .*null data pointer"):
        aj.array(Capsule(empty))


@pytest.mark.parametrize(
    ("offsets", "text"),
    [
        (([0, 2, 1],), "got 1 at slot 2 after 2"),
        (([0, 2, 1, 3],), "got 1 at slot 2 after 2"),
        (([1, 3],), "start at 0"),
        (([-1, 3],), "start at 0"),
        (([0, 2],), "there are 3 values"),
        (([0, 5],), "there are 3 values"),
        (([],), "at least"),
        (([0, 2], [0, 3]), r"offsets\[0\]"),
    ],
)
def test_offsets_of_a_caller_are_checked(offsets: Any, text: str) -> None:
    with pytest.raises(aj.OffsetsError, match=text):
        aj.from_offsets([1, 2, 3], *offsets)


# --------------------------------------------------------------------------------------------------------- Python data


@pytest.mark.parametrize(
    ("data", "options", "expected"),
    [
        ([[1, None], None, []], {}, [[1, None], None, []]),
        ([], {"ndim": 3}, []),
        ([[], []], {"ndim": 3}, [[], []]),
        ([[], [[]]], {}, [[], [[]]]),
        ([["a"], ["b", "c"]], {}, [["a"], ["b", "c"]]),
        (np.arange(6).reshape(2, 3), {}, [[0, 1, 2], [3, 4, 5]]),
        (((1, 2), (3,)), {}, [[1, 2], [3]]),
        ([[1], [2]], {"type": pa.float32()}, [[1.0], [2.0]]),
        (5, {}, 5),
    ],
)
def test_python_data(data: Any, options: dict[str, Any], expected: Any) -> None:
    assert aj.array(data, **options).to_list() == expected


@pytest.mark.parametrize(("data", "options"), [([[1], 2], {}), ([1, [2]], {}), ([1], {"ndim": 2}), (5, {"ndim": 1})])
def test_uneven_data_is_a_shape_error(data: Any, options: dict[str, Any]) -> None:
    with pytest.raises(aj.ShapeError, match=r"is no list|is a list, but|needs rows, got a single int"):
        aj.array(data, **options)


@pytest.mark.parametrize(
    ("data", "options", "text"),
    [
        (
            [1, "a"],
            {},
            "the item 'a' at [1] does not fit the leaf type int64. Convert all items to one type first, or pass another type.",
        ),
        (
            [[1], None, [2, None, "a" * 50]],
            {},
            "the item 'aaaaaaaaaaaa...aaaaaaaaaaaaa' at [2][2] does not fit the leaf type int64",
        ),
        ([["a", 1]], {}, "the item 1 at [0][1] does not fit the leaf type string"),
        ([[[True], ["x"]]], {"type": "bool"}, "the item 'x' at [0][1][0] does not fit the leaf type bool"),
    ],
)
def test_items_that_do_not_fit_are_named(data: Any, options: dict[str, Any], text: str) -> None:
    with pytest.raises(aj.JagValueError, match=re.escape(text)):
        aj.array(data, **options)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ([[1, pd.NA], None], [[1, None], None]),
        ([[pd.NaT, pd.Timestamp("2020-01-02", tz="UTC")], []], [[None, dt.datetime(2020, 1, 2, tzinfo=dt.UTC)], []]),
        ([[pd.Timedelta("1s")], [pd.NaT]], [[dt.timedelta(seconds=1)], [None]]),
        (pd.Series([[1, 2], np.nan, None, [3]]), [[1, 2], None, None, [3]]),
        (pd.Series([[np.nan], np.nan, pd.NA]), [[float("nan")], None, None]),
    ],
)
def test_missing_marks_of_pandas_are_null(data: Any, expected: Any) -> None:
    assert_lists_equal(aj.array(data).to_list(), expected)


def test_nan_is_a_value_outside_of_pandas() -> None:
    assert_lists_equal(aj.array(np.array([1.0, np.nan])).to_list(), [1.0, float("nan")])
    with pytest.raises(aj.ShapeError, match="mixes nesting levels"):
        aj.array([[1, 2], float("nan")])


@pytest.mark.parametrize("leaf", [pa.timestamp("us", "XX/YYZZ"), pa.struct({"t": pa.timestamp("s", "XX/YYZZ")})], ids=str)
def test_time_zones_that_are_not_utf8_are_refused(leaf: pa.DataType) -> None:
    """A damaged file can hold one; each operation that looks at the type would raise an error of Python."""
    table = pa.table({"x": pa.array([[None]], pa.large_list(leaf))})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write(table)
    damaged = pa.ipc.open_stream(sink.getvalue().to_pybytes().replace(b"XX/YYZZ", b"XX\xc0YYZZ")).read_all()
    with pytest.raises(aj.JagTypeError, match="has timestamps with a time zone whose name is not UTF-8"):
        aj.array(damaged.column("x"))


@pytest.mark.parametrize("zone", [None, "Europe/Paris"])
def test_nanoseconds_of_pandas_are_kept(zone: str | None) -> None:
    """pyarrow takes them for microseconds and cuts the rest off."""
    fine = pd.Timestamp("2020-01-01 12:00:00.123456789", tz=zone)
    x = aj.array([[fine, None], None, [fine.floor("us")]])
    assert x.type == pa.timestamp("ns", zone)
    assert x.to_list() == [[fine, None], None, [fine.floor("us")]]
    assert aj.array([[fine.floor("us")]]).type == pa.timestamp("us", zone)
    assert aj.array([[dt.datetime(9000, 1, 1, tzinfo=dt.UTC)]]).type == pa.timestamp("us", "UTC")
    with pytest.raises(aj.JagValueError, match="which is not a valid"):
        aj.array([[fine]], type=pa.timestamp("us", zone))
    for type in (pa.timestamp("us", zone), pa.duration("us")):
        assert aj.array([[1], [-1, None]], type=type, ndim=2).values.cast(pa.int64()).to_pylist() == [1, -1, None]
    assert aj.array([[pd.Timedelta(1, "ns")], [pd.NaT]]).values.cast(pa.int64()).to_pylist() == [1, None]


def test_lists_of_extension_types() -> None:
    one, two = uuid.UUID(int=1), uuid.UUID(int=2)
    if NO_UUID_OBJECTS:
        with pytest.raises(aj.JagTypeError, match=r"uuid\.UUID objects needs pyarrow 24"):
            aj.array([[one]])
    rows = [[one, None], None, [], [two]]
    as_bytes = [None if row is None else [one and one.bytes for one in row] for row in rows]
    x = aj.array(as_bytes, type=pa.uuid()) if NO_UUID_OBJECTS else aj.array(rows)
    assert x.type == pa.uuid()
    assert x.to_list() == [[one, None], None, [], [two]]
    assert aj.array([[[one.bytes]], [[]]], type=pa.uuid()).to_list() == [[[one]], [[]]]
    assert aj.array([['{"a": 1}'], []], type=pa.json_()).to_list() == [['{"a": 1}'], []]
    assert aj.array([], type=pa.uuid(), ndim=3).type == pa.uuid()
    with pytest.raises(aj.ShapeError, match=r"the data does not fit 2 dims of extension<arrow\.uuid>"):
        aj.array([[1]], type=pa.uuid())
    with pytest.raises(aj.ShapeError, match=r"the data does not fit 2 dims of extension<arrow\.uuid>"):
        aj.array([one.bytes], type=pa.uuid(), ndim=2)


@pytest.mark.parametrize("first", [[], [None], [None, None]])
def test_a_list_that_holds_itself_is_an_error(first: list[Any]) -> None:
    endless: list[Any] = first
    endless.append(endless)
    with pytest.raises(aj.ShapeError, match="nested more than 64 levels deep; does a list contain itself"):
        aj.array(endless)


SELF = {
    "below the first item": lambda one: [[1], one],
    "below the first item, of a type": lambda one: ([[1], one], pa.int64()),
    "twice": lambda one: [[1], one, one],
    "in a tuple": lambda one: [[1], (one,)],
    "in a dict": lambda one: [{"a": [1]}, {"a": one}],
    "in an array": lambda one: [[1], np.array([one, None], object)],
    "in values": lambda one: [[1], {"a": one}.values()],
}


@pytest.mark.parametrize("form", SELF)
def test_a_list_that_holds_itself_anywhere_is_an_error(form: str) -> None:
    endless: list[Any] = [2]
    endless += [endless] * 9
    made = SELF[form](endless)
    data, type = made if isinstance(made, tuple) else (made, None)
    with pytest.raises(aj.ShapeError, match="nested more than 64 levels deep; does a list contain itself"):
        aj.array(data, type=type)


def test_arguments_and_results_that_hold_themselves_are_errors() -> None:
    endless: list[Any] = [[2]]
    endless.append(endless)
    fields: dict[str, Any] = {"a": 1}
    fields["b"] = fields
    x = aj.array([[1, None]])
    for call in (
        lambda: x.fill_null(endless),
        lambda: x.fill_null(fields),
        lambda: x.map_rows(lambda row: endless),
        lambda: aj.array([[{"a": 1}, fields]]),
    ):
        with pytest.raises(aj.JagError, match="nested more than 64 levels deep; does a list contain itself"):
            call()


@pytest.mark.slow
@pytest.mark.parametrize("nested", [False, True])
def test_chunks_of_more_text_than_32_bits_count(nested):
    text = "x" * 2**27
    chunk = pa.array([text] * 9, pa.string())
    chunk = pa.ListArray.from_arrays(pa.array([0, 4, 9], pa.int32()), chunk) if nested else chunk
    x = aj.from_arrow(pa.chunked_array([chunk, chunk]), 1 + nested)
    assert x.values.type == pa.large_string()
    assert len(x.flatten()) == 18
    assert x.flatten()[-1].as_py() == text


@pytest.mark.parametrize("leaf", [pa.string_view(), pa.binary_view(), pa.struct([("a", pa.string_view())])], ids=str)
def test_a_slice_without_items_comes_back_through_the_c_interface(leaf: pa.DataType) -> None:
    x = aj.from_arrow(pa.array([[[None, None]]], pa.large_list(pa.large_list(leaf))))
    empty = x.slice(4, 3, -1)
    assert empty.to_list() == [[[]]]
    assert aj.array(pa.chunked_array(pa.table({"x": empty.to_arrow()})["x"])).to_list() == [[[]]]
    assert aj.array(pd.Series(empty)).to_list() == [[[]]]


def _texts(words: list[bytes], large: bool) -> pa.Array:
    offsets = np.cumsum([0, *map(len, words)]).astype(np.int64 if large else np.int32)
    type = pa.large_string() if large else pa.string()
    return pa.Array.from_buffers(type, len(words), [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(words))])


@contextmanager
def _validated_by(validator: str, piece: int) -> Iterator[None]:
    by_loop = validator == "compiled"
    pytest.importorskip({"compiled": "numba", "polars": "polars"}.get(validator, "pyarrow"))
    sizes = {"COMPILED_VALUES": 0} if by_loop else {}
    with aj.options(compile="always" if by_loop else "never"), strategy.force(utf8=validator, UTF8_PIECE=piece, **sizes) as taken:
        yield
    assert {name for operation, name in taken if operation == "utf8"} <= {validator}


@pytest.mark.parametrize("validator", ["arrow", "polars", "compiled"])
@pytest.mark.parametrize("large", [False, True])
@given(words=st.lists(st.text(max_size=3).map(str.encode), min_size=1, max_size=8), data=st.data())
def test_text_is_checked_as_arrow_checks_it(large: bool, validator: str, words: list[bytes], data: st.DataObject) -> None:
    """Characters cut between values and between pieces, and bytes that are no characters, with and without ASCII before them."""
    words = [b"a" * data.draw(st.sampled_from([0, 3, 200])), *words, b""]
    whole = b"".join(words)
    if data.draw(st.booleans()) and whole:
        broken = bytearray(whole)
        broken[data.draw(st.integers(0, len(broken) - 1))] ^= 1 << data.draw(st.integers(0, 7))
        whole = bytes(broken)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=4)))
    cuts = data.draw(st.sampled_from([cuts, list(np.cumsum([len(word) for word in words[:-1]]))]))
    array = _texts([whole[one:two] for one, two in pairwise([0, *cuts, len(whole)])], large)
    array = array.slice(data.draw(st.integers(0, 1)))
    with _validated_by(validator, data.draw(st.sampled_from([8, 9, 1 << 30]))):
        try:
            array.validate(full=True)
        except pa.ArrowInvalid:
            with pytest.raises(aj.OffsetsError, match="UTF8"):
                aj.from_arrow(array)
        else:
            assert aj.from_arrow(array).to_list() == array.to_pylist()


@pytest.mark.parametrize("validator", ["arrow", "polars", "compiled"])
def test_valid_text_needs_no_check_of_each_value(validator: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def each_value(array: pa.Array, what: str) -> None:
        raise AssertionError(f"{what} was validated value by value")

    monkeypatch.setattr(flat, "check_full", each_value)
    words = ["", "wörd", "", "数据列", "😀😃" * 3, "", ""]
    with _validated_by(validator, 8):
        for array in (pa.array(words), pa.array(words[::-1], pa.large_string()), pa.array([*words, *words])[3:9]):
            assert aj.from_arrow(array).to_list() == array.to_pylist()


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize(
    "around",
    [
        lambda words: pa.struct({"a": words}),
        lambda words: pa.struct({"a": pa.list_(words, 2)}),
        lambda words: pa.list_(pa.struct({"a": words}), 2),
        lambda words: pa.struct({"a": pa.struct({"b": words, "n": pa.int8()})}),
    ],
    ids=["field", "list-field", "list-of-structs", "struct-field"],
)
def test_null_structs_of_dictionaries_without_values(around: Any, ordered: bool) -> None:
    """pyarrow's own builders write the index 0 under null structs, also where there is no word 0."""
    leaf = around(pa.dictionary(pa.int8(), pa.string(), ordered=ordered))
    nulls = pa.array([[None], [], [None, None]], pa.large_list(leaf))
    with pytest.raises(pa.ArrowInvalid, match="Dictionary indices invalid"):
        nulls.validate(full=True)
    x = aj.array(nulls, ndim=2)
    for got in (x, x[1:], aj.where(True, x, None), aj.coalesce(x, None), x.append(None), aj.concat([x, x]), x.fill_null(None)):
        got.to_arrow().validate(full=True)
        assert got.type == x.type
        assert set(got.flatten().to_list()) == {None}
    assert aj.array(nulls.slice(1, 2), ndim=2).to_list() == [[], [None, None]]


@pytest.mark.parametrize("first", [0, 1, 7, 8, 9])
def test_slices_of_structs_of_new_text_are_handed_over(first: int) -> None:
    """New text is registered as checked as it leaves, in a struct with the validity of the slice."""
    rows = [None if k % 4 == 1 else {"a": f"word {k}", "n": k} for k in range(20)]
    found = aj.from_arrow(pa.array(rows[::-1]))[::-1][first:].to_arrow()
    found.validate(full=True)
    assert found.to_pylist() == rows[first:]
    assert found.null_count == rows[first:].count(None)


@pytest.mark.parametrize("first", [0, 1, 7, 8, 9])
def test_slices_of_structs_of_dictionaries_without_values(first: int) -> None:
    """Structs in structs are rebuilt, with the validity of the slice."""
    words = pa.dictionary(pa.int8(), pa.string())
    rows = [None if k % 4 == 1 else {"a": None if k % 3 == 0 else {"b": None, "n": k}} for k in range(20)]
    whole = pa.array(rows, pa.struct({"a": pa.struct({"b": words, "n": pa.int8()})}))
    x = aj.array(whole[first:], ndim=1)
    x.to_arrow().validate(full=True)
    assert x.to_list() == rows[first:]


def test_an_index_without_words_is_refused_where_no_parent_is_null() -> None:
    words = pa.DictionaryArray.from_arrays(pa.array([0, 0], pa.int8()), pa.array([], pa.string()), safe=False)
    with pytest.raises(aj.OffsetsError, match="field 'a' is out of range for 0 dictionary values"):
        aj.array(pa.StructArray.from_arrays([words], ["a"], mask=pa.array([True, False])), ndim=1)
