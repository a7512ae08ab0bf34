"""`JaggedArray`: making it, taking it out, text, equality, pickle, validity."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.testing import assert_equal, assert_lists_equal, jagged_arrays
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
    assert x.nbytes >= 0
    assert x.shape.ndim == x.ndim


@given(jagged_arrays())
def test_pickle_copy_and_equals(x: aj.JaggedArray) -> None:
    for same in (pickle.loads(pickle.dumps(x)), copy.copy(x), copy.deepcopy(x)):
        assert same.equals(x)
        assert same.shape.extents == x.shape.extents
        assert_equal(same, x, check_extents=True)
    assert not x.equals(x.to_list())


@given(jagged_arrays(st.integers(1, 3), pa.int8()), jagged_arrays(st.integers(1, 3), pa.int8()))
def test_equals_is_equality_of_lists(x: aj.JaggedArray, y: aj.JaggedArray) -> None:
    assert x.equals(y) == (x.to_list() == y.to_list() and x.ndim == y.ndim and x.shape == y.shape)


def test_equals_looks_at_nulls_types_and_nan() -> None:
    assert aj.array([[1], None]).equals(aj.array([[1], []])) is False
    assert aj.array([1]).equals(aj.array([1], type=pa.int8())) is False
    assert aj.array([float("nan"), None]).equals(aj.array([float("nan"), None])) is True
    assert aj.array([{"a": float("nan")}]).equals(aj.array([{"a": float("nan")}])) is True
    assert aj.array([0.0]).equals(aj.array([None], type=pa.float64())) is False
    coded = [aj.array(pa.array(one).dictionary_encode()) for one in (["a", "b"], ["b", "a"])]
    assert coded[0].equals(coded[1][::-1])


def test_an_array_has_no_truth_and_no_hash() -> None:
    with pytest.raises(TypeError, match="ambiguous"):
        bool(X)
    with pytest.raises(TypeError, match="unhashable"):
        hash(X)
    with pytest.raises(TypeError, match="no length"):
        len(aj.array(1))


@given(jagged_arrays(st.integers(1, 3)), st.data())
def test_validity_of_every_axis(x: aj.JaggedArray, data: st.DataObject) -> None:
    axis = data.draw(st.integers(0, x.ndim - 1))
    items = ref.items(x.to_list(), axis + 1)
    assert x.validity(axis).to_pylist() == [item is not None for item in items]
    assert x.is_null(axis - x.ndim).to_list() == ref.is_null(x.to_list(), x.ndim, axis)


@given(jagged_arrays(st.integers(1, 3), pa.int8()), st.data())
def test_with_validity_drops_what_becomes_null(x: aj.JaggedArray, data: st.DataObject) -> None:
    axis = data.draw(st.integers(0, x.ndim - 1))
    old = x.validity(axis).to_pylist()
    mask = [valid and data.draw(st.booleans()) for valid in old]
    flags = iter(mask)
    expected = ref.at_depth(lambda item: item if next(flags) else None, x.to_list(), axis + 1)
    got = x.with_validity(axis, mask)
    assert got.to_list() == expected
    assert got.size == len(ref.items(expected, x.ndim))


@pytest.mark.parametrize("type", [pa.bool_(), pa.int16(), pa.decimal128(14, 2), pa.date32()], ids=str)
@pytest.mark.parametrize("start", [3, 8])
def test_with_validity_of_a_slice(type: pa.DataType, start: int) -> None:
    values = pa.array([None if item % 5 == 4 else item % 2 for item in range(40)], pa.int32()).cast(type)
    rows = pa.LargeListArray.from_arrays(pa.array(range(0, 41, 2), pa.int64()), values).slice(start, 10)
    keep = np.arange(20) % 3 > 0
    flat = [item for row in rows.to_pylist() for item in row]
    got = aj.from_arrow(rows).with_validity(-1, keep).flatten().to_list()
    assert got == [item if kept else None for item, kept in zip(flat, keep, strict=True)]


def test_with_validity_makes_rows_valid_and_refuses_wrong_masks() -> None:
    assert X.with_validity(0, None).to_list() == [[1, None], [], [], [4]]
    assert X.with_validity(0, [True, True, False, False]).to_list() == [[1, None], [], None, None]
    for mask in ([True], [1, 1, 1, 1]):
        with pytest.raises(aj.ShapeError, match="the mask has"):
            X.with_validity(0, mask)
    with pytest.raises(ValueError, match="fill_null"):
        X.with_validity(-1, None)


def test_a_jagged_mask_has_the_shape_down_to_its_axis() -> None:
    x = aj.array([[1, 2], None, [3]])
    assert x.with_validity(-1, x > 1).to_list() == [[None, 2], None, [3]]
    for axis, mask in ((-1, [[True], None, [True, False]]), (0, [[True], [False], [True]])):
        with pytest.raises(aj.ShapeError, match=r"has the shape JaggedShape\(3.*, the mask JaggedShape\(3, "):
            x.with_validity(axis, aj.array(mask))


def test_with_validity_keeps_a_declared_extent() -> None:
    x = aj.array(np.ones((2, 3))).with_validity(0, [True, False])
    assert x.shape.extents[1] == 3
    assert x.with_validity(0, [True, False]).equals(x)
    with pytest.raises(aj.ShapeError, match="row 1 has 0 items, but the dim declares an extent of 3"):
        x.with_validity(0, None)


# ------------------------------------------------------------------------------------------------------------- numpy


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


# -------------------------------------------------------------------------------------------------------------- text


@pytest.mark.parametrize("values", [pa.array([1, 2]), pa.array([1.5, None]), pa.array([1, None], pa.timestamp("us"))], ids=str)
def test_numpy_does_not_write_into_an_array(values: pa.Array) -> None:
    x = aj.JaggedArray(aj.JaggedShape(1, 2), values)
    before = x.to_list()
    for shared in (x.to_numpy(), np.ma.getdata(x.to_numpy())):
        with pytest.raises(ValueError, match="read-only"):
            shared[0, 0] = 0
    np.array(x)[0, 0] = 0
    assert_lists_equal(x.to_list(), before)


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
    """What is not shown is not touched: a lazy constant stays one."""
    x = aj.zeros(10**7, 3)
    assert "JaggedShape(10000000, 3)" in repr(x)
    assert "10000000" in x._repr_html_()
    assert pa.types.is_run_end_encoded(x._values.type)


def test_html_escapes_values() -> None:
    assert "&lt;b&gt;" in aj.array([["<b>"]])._repr_html_()


# ---------------------------------------------------------------------------------------------------- other makers


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
