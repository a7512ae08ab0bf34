"""`JaggedArray`: making it, taking it out, text, equality, pickle, validity."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._arrow import leaf_objects
from arrowjag._pyarrow_versions import nbytes
from arrowjag.testing import assert_lists_equal, jagged_arrays
from tests import reference as ref

X = aj.array([[1, None], None, [], [4]])


def test_an_array_is_a_shape_and_values() -> None:
    x = aj.JaggedArray(aj.JaggedShape(2, [2, 1]), [1, 2, 3])
    assert (x.ndim, x.size, len(x), x.type, x.null_count) == (2, 3, 2, pa.int64(), 0)
    assert aj.JaggedArray(aj.JaggedShape(2), pa.chunked_array([[1], [2]])).to_list() == [1, 2]
    with pytest.raises(aj.ShapeError, match=r"JaggedShape\(2\) has 2 places, got 3 values"):
        aj.JaggedArray(aj.JaggedShape(2), [1, 2, 3])
    with pytest.raises(TypeError, match="takes a JaggedShape first"):
        aj.JaggedArray([1], [1])


@given(jagged_arrays())
def test_facts_agree_with_the_list(x: aj.JaggedArray) -> None:
    rows = x.to_list()
    assert len(x) == len(rows)
    assert x.null_count == rows.count(None)
    assert x.size == len(ref.items(rows, x.ndim))
    offsets = [len(dim) + 1 for dim in x.shape.dims[1:] if dim.extent is None]
    bits = [math.ceil(len(dim) / 8) for dim in x.shape.dims[1:] if dim.validity is not None]
    assert x.nbytes == nbytes(x.values) + 8 * sum(offsets) + sum(bits)
    assert aj.array([[1]] * 15 + [None], type=pa.int8()).nbytes == 15 + 8 * 17 + 2
    assert x.shape.ndim == x.ndim


def test_nulls_that_a_dtype_of_numpy_lacks_are_counted() -> None:
    for items, told in (([1, None], "1 item is null"), ([None, 1, None], "2 items are null")):
        x = aj.array(items, type=pa.int64())
        for dtype in ("i8", "?", "U4"):
            with pytest.raises(aj.JagValueError, match=rf"numpy's \S+ has no null, and {told}: use fill_null first"):
                np.asarray(x, dtype)
        assert np.isnan(np.asarray(x, "f8")).tolist() == [one is None for one in items]


def test_bool_and_hash_of_an_array_raise() -> None:
    with pytest.raises(TypeError, match="ambiguous"):
        bool(X)
    with pytest.raises(TypeError, match="unhashable"):
        hash(X)
    with pytest.raises(TypeError, match="no length"):
        len(aj.array(1))


def test_uniform_arrays_become_numpy() -> None:
    dense = np.arange(12).reshape(2, 3, 2)
    assert np.array_equal(aj.array(dense).to_numpy(), dense)
    assert np.shares_memory(aj.array(dense).to_numpy(), dense)
    assert np.asarray(aj.array(dense)).shape == (2, 3, 2)
    assert aj.array(np.zeros((0, 3))).to_numpy().shape == (0, 3)
    masked = aj.array([[1, None], [3, 4]]).to_numpy()
    assert masked.tolist() == [[1, None], [3, 4]]
    assert aj.array(["a", None]).to_numpy().tolist() == ["a", None]
    with pytest.raises(aj.ShapeError, match=r"dim 1 of JaggedShape\(4, \[2, 0, 0, 1\]\)"):
        X.to_numpy()


@pytest.mark.parametrize("values", [pa.array([1, 2]), pa.array([1.5, None]), pa.array([1, None], pa.timestamp("us"))], ids=str)
def test_numpy_does_not_write_into_an_array(values: pa.Array) -> None:
    x = aj.JaggedArray(aj.JaggedShape(1, 2), values)
    before = x.to_list()
    for shared in (x.to_numpy(), np.ma.getdata(x.to_numpy())):
        with pytest.raises(ValueError, match="read-only"):
            shared[0, 0] = 0
    np.array(x)[0, 0] = 0
    assert_lists_equal(x.to_list(), before)


@pytest.mark.parametrize("leaf", [pa.int8(), pa.float32(), pa.timestamp("s"), pa.bool_(), pa.date32(), pa.string()], ids=str)
def test_numpy_keeps_the_type_and_is_told_of_copies(leaf: pa.DataType) -> None:
    """Without a copy numpy gets a view of the values, or an error; an array without dims has the dtype of one with dims."""
    values = pa.array([1, 0], pa.int32() if pa.types.is_date32(leaf) else pa.int64()).cast(leaf)
    x = aj.JaggedArray(aj.JaggedShape(1, 2), values)
    single = aj.array(values[0])
    assert (np.asarray(single).dtype, np.asarray(single).shape) == (np.asarray(x).dtype, ())
    assert np.asarray(single).tolist() == np.asarray(x).tolist()[0][0]
    if pa.types.is_primitive(leaf) and leaf not in (pa.bool_(), pa.date32()):
        assert np.array(x, copy=False).ctypes.data == values.buffers()[1].address
    else:
        with pytest.raises(aj.JagValueError, match=f"a copy to make .* of {re.escape(str(leaf))}: leave out copy=False"):
            np.array(x, copy=False)
    for other in (aj.array([[1.0, None]]), aj.array([[1.5]])):
        with pytest.raises(aj.JagValueError, match="copy=False"):
            np.array(other, dtype="f4" if other.size == 1 else None, copy=False)
    assert np.array(x[:0], copy=False).shape == (0, 2)


@given(jagged_arrays())
def test_every_array_has_text(x: aj.JaggedArray) -> None:
    assert repr(x).startswith(f"JaggedArray {x.shape!r} of {x.type}")
    assert x._repr_html_().startswith("<")
    assert str(x) == repr(x)


def test_the_text_shows_head_and_tail_of_rows_and_of_items() -> None:
    x = aj.arange(20, 200)
    lines = repr(x).splitlines()
    assert lines[0] == "JaggedArray JaggedShape(20, 200) of int64"
    assert len(lines) == 12
    assert lines[6] == " ...,"
    assert lines[1].startswith("[[0, 1, 2")
    assert lines[1].endswith("198, 199],")
    assert repr(aj.array([[1.5, None], None])) == "JaggedArray JaggedShape(2, [2, 0]) of double\n[[1.5, null],\n null]"
    assert repr(aj.array(3)) == "JaggedArray(scalar of int64): 3"
    assert repr(aj.array([], ndim=2)) == "JaggedArray JaggedShape(0, []) of null\n[]"


def test_the_text_of_a_big_array_looks_at_few_rows() -> None:
    """Hidden values are not touched: a lazy constant stays one."""
    x = aj.zeros(10**7, 3)
    assert "JaggedShape(10000000, 3)" in repr(x)
    assert "10000000" in x._repr_html_()
    assert pa.types.is_run_end_encoded(x._values.type)


def test_html_escapes_values() -> None:
    assert "&lt;b&gt;" in aj.array([["<b>"]])._repr_html_()


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (aj.from_sizes([1, 2, 3], [2, 0, 1]), [[1, 2], [], [3]]),
        (aj.from_sizes([1, 2, 3], [1, 1], [2, 1]), [[[1, 2]], [[3]]]),
        (aj.from_sizes([1, 2]), [1, 2]),
        (aj.from_parents(["a", "b", "c"], [0, 0, 2], 3), [["a", "b"], [], ["c"]]),
        (aj.from_offsets([1, 2, 3], [0, 2, 2, 3]), [[1, 2], [], [3]]),
        (aj.from_offsets([1, 2, 3], [0, 1, 2], [0, 2, 3]), [[[1, 2]], [[3]]]),
        (aj.from_offsets([1, 2, 3], np.array([0, 3], np.int32), validate=False), [[1, 2, 3]]),
    ],
)
def test_makers(array: aj.JaggedArray, expected: Any) -> None:
    assert array.to_list() == expected


@given(jagged_arrays(st.integers(1, 3)))
def test_offsets_and_values_make_the_array_again(x: aj.JaggedArray) -> None:
    valid = x.fill_null_rows([]) if x.ndim == 2 else x
    if any(dim.validity is not None for dim in valid.shape):
        return
    assert_lists_equal(aj.from_offsets(valid.values, *valid.shape.offsets[1:]).to_list(), valid.to_list())


def test_what_the_caller_writes_later_changes_no_array() -> None:
    offsets, mask = np.array([0, 2, 3]), np.array([True, False])
    x = aj.from_offsets(np.array([1, 2, 3]), offsets)
    y = x.with_validity(0, mask)
    offsets[1], mask[0] = 1, False
    assert x.to_list() == [[1, 2], [3]]
    assert y.to_list() == [[1, 2], None]


def test_lists_given_as_values_are_dims() -> None:
    values = pa.array([[1, 2], None, []])
    for given_values in (values, aj.array([[1, 2], None, []]).to_arrow()):
        x = aj.JaggedArray(aj.JaggedShape(2, [2, 1]), given_values)
        assert x.ndim == 3
        assert x.type == pa.int64()
        assert x.to_list() == [[[1, 2], None], [[]]]


def test_shapes_are_no_values() -> None:
    with pytest.raises(aj.JagTypeError, match=r"a JaggedShape\(2, \[2, 1\]\) has no values"):
        aj.array(aj.JaggedShape(2, [2, 1]))


def test_more_objects_than_memory_can_hold() -> None:
    with pytest.raises(aj.JagMemoryError, match=r"items of 8 bytes take 3\.689e\+10 GB; this process may use"):
        aj.zeros(2**62).to_list()


TIMES = [pa.date32(), *(type(unit) for type in (pa.timestamp, pa.duration) for unit in ("s", "ms", "us"))]
ZONES = ["UTC", "Europe/Paris", "America/St_Johns", "+05:30"]
CLOCKS = [pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns")]
DECIMALS = [pa.decimal32(9, 2), pa.decimal64(18, 0), pa.decimal128(38, 20), pa.decimal256(76, 30)]
OBJECTS = [*TIMES, pa.date64(), *(pa.timestamp("us", zone) for zone in ZONES), *CLOCKS, *DECIMALS, pa.float16()]


@pytest.mark.parametrize("leaf", OBJECTS, ids=str)
@given(data=st.data())
def test_items_become_the_objects_that_pyarrow_makes(leaf: pa.DataType, data: st.DataObject) -> None:
    x, first = data.draw(jagged_arrays(leaf=leaf)), data.draw(st.integers(0, 3))
    rows = x.to_arrow(extension=False).slice(first)
    assert repr(leaf_objects(rows)) == repr(rows.to_pylist())
    assert repr(x.to_list()) == repr(x.to_arrow(extension=False).to_pylist())


DAYS = [(-719_162, 2_932_896), (-999_999_999, 999_999_999)]


@pytest.mark.parametrize("type", TIMES, ids=str)
def test_the_first_and_the_last_time_of_python_are_represented(type: pa.DataType) -> None:
    per_day = {"s": 86_400, "ms": 86_400_000, "us": 86_400_000_000}.get(getattr(type, "unit", ""), 1)
    first, last = DAYS[pa.types.is_duration(type)]
    wide = pa.int32() if pa.types.is_date(type) else pa.int64()
    for count, fits in (
        (first * per_day, True),
        ((last + 1) * per_day - 1, True),
        (first * per_day - 1, False),
        ((last + 1) * per_day, False),
    ):
        if abs(count) >= 2 ** (wide.bit_width - 1):
            continue
        values = pa.array([count, None], wide).cast(type)
        assert (leaf_objects(values) is not None) is fits
        if fits:
            assert repr(leaf_objects(values)) == repr(values.to_pylist())
    assert leaf_objects(pa.nulls(1, pa.int64())) is None


@pytest.mark.parametrize("zone", [None, *ZONES])
def test_nanoseconds_become_objects_of_pandas(zone: str | None) -> None:
    pytest.importorskip("pandas")
    hours = [hour * 3_600_000_000_000 + hour for hour in range(-200, 8800)]  # a year, with both changes of the clock
    for type in (pa.timestamp("ns", zone), pa.duration("ns")):
        flat = pa.array([*hours, None], pa.int64()).view(type)
        rows = pa.ListArray.from_arrays(pa.array([0, 3, None, 100, len(flat)], pa.int32()), flat)
        for values in (rows, rows[1:], flat, flat[5:]):
            found, wanted = leaf_objects(values), values.to_pylist()
            assert repr(found) == repr(wanted)
            assert found == wanted
        assert leaf_objects(pa.array([2**63 - 1]).view(type)) is None  # pandas may not hold it in the zone


@pytest.mark.parametrize("zone", ZONES)
def test_instants_keep_their_fold(zone: str) -> None:
    values = pa.array(range(0, 366 * 86_400, 1800), pa.int64()).view(pa.timestamp("s", zone))
    found, wanted = leaf_objects(values), values.to_pylist()
    assert [(one, one.fold, one.tzinfo) for one in found or []] == [(one, one.fold, one.tzinfo) for one in wanted]


@pytest.mark.parametrize("type", CLOCKS, ids=str)
def test_times_outside_of_the_day_are_left_to_pyarrow(type: pa.DataType) -> None:
    wide = pa.int32() if type.bit_width == 32 else pa.int64()
    for count in (-1, 86_400 * {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[type.unit]):
        assert leaf_objects(pa.array([count], wide).view(type)) is None


@pytest.mark.parametrize(
    ("type", "count"),
    [
        (pa.timestamp("s"), 2**62),
        (pa.timestamp("us", "UTC"), 253_402_300_800 * 10**6),
        (pa.duration("s"), 2**62),
        (pa.date64(), 86_400_000 * 10**9),
    ],
    ids=str,
)
def test_times_that_python_cannot_represent_are_named_by_their_row(type: pa.DataType, count: int) -> None:
    x = aj.array([[0], [], [0, None], None, [0, count], [count]]).cast(type)
    with pytest.raises(aj.JagRangeError, match=r"row 4 holds a time that no Python object represents \(.*\); cast times to "):
        x.to_list()
    assert x[:4].to_list() == aj.array([[0], [], [0, None], None]).cast(type).to_list()
    assert isinstance(repr(x), str)


@pytest.mark.parametrize("rows", [{"b", "a"}, frozenset([1]), set()])
def test_a_set_has_no_order_of_rows(rows: Any) -> None:
    """The order of a set of texts differs from process to process: its items can't be rows, but `is_in` takes it."""
    x = aj.array([["a"], []])
    calls = (lambda: aj.array(rows), lambda: x.contains(rows), lambda: x[rows], lambda: x.append(rows), lambda: x + rows)
    for call in calls:
        with pytest.raises(aj.JagTypeError, match=r"a set has no order, which rows need, got .*; pass a list"):
            call()
    assert x.is_in({"a", "c"}).to_list() == [[True], []]
    assert aj.array([{1}, set()]).to_list() == [[1], []]


@pytest.mark.parametrize("type", ["int64", "date32", "string", pa.dictionary(pa.int8(), pa.int64())])
def test_rows_of_numpy_are_refused_as_lists_are(type: Any) -> None:
    """Bools became 0 and 1, and times the counts of their unit."""
    flags, moments = np.array([True]), np.array([60], "M8[s]")
    masked: Any = np.ma.array([True, False], mask=[False, True])  # type: ignore[no-untyped-call]
    times = [[moments], [list(moments)], [moments.astype("m8[s]")]]
    for rows in ([flags], [[flags]], [list(flags)], [flags, [1]], [masked], *(() if type == "date32" else times)):
        with pytest.raises(aj.JagValueError, match=r"the item .*(True|60|00:01).* at (\[0\])+ does not fit the leaf type"):
            aj.array(rows, type=type)
    struct = pa.struct([("a", pa.int64())])
    with pytest.raises(aj.JagValueError, match=r"the item {'a': True} at \[0\]\[0\] does not fit"):
        aj.array([[{"a": np.True_}]], type=struct)
    lists = pa.struct([("a", pa.list_(pa.int64()))])
    for row in ({"a": flags}, {"a": list(flags)}, {"a": tuple(flags)}, {"b": [1], "a": [flags[0]]}):
        with pytest.raises(aj.JagValueError, match=r"the item {.*True.*} at \[0\] does not fit"):
            aj.array([row], type=lists)
    assert aj.array([flags], type="float64").to_list() == [[1.0]]
    assert aj.array([moments], type="timestamp[ms]").cast("timestamp[s]").cast("int64").to_list() == [[60]]
