"""with_fields, and picking a field by its name."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given

import arrowjag as aj
from arrowjag.testing import prefix_arrays
from tests import reference as ref

X = aj.array([[1, 2, 3], [], None, [4, 5]])


def test_fields_are_picked_by_name() -> None:
    x = aj.array([[{"a": 1, "b": [1, 2]}, None], None, [{"a": None, "b": None}]])
    assert x.fields == ["a", "b"]
    assert x["a"].to_list() == [[1, None], None, [None]]
    assert x["a"].shape is x.shape
    assert x["b"].to_list() == [[[1, 2], None], None, [None]]
    assert x["b"].ndim == 3
    assert x[["a"]].to_list() == [[{"a": 1}, None], None, [{"a": None}]]
    with pytest.raises(IndexError, match=r"no field 'c': its fields are \['a', 'b'\]"):
        x["c"]
    with pytest.raises(IndexError, match="the leaves are int64, not structs"):
        X["a"]
    assert X.fields == []


def test_fields_are_added_and_replaced() -> None:
    x = aj.array([[{"a": 1}, None], [], None])
    assert x.with_fields(b=[10, 20, 30], a=0).to_list() == [[{"a": 0, "b": 10}, None], [], None]
    with pytest.raises(TypeError, match="needs struct leaves"):
        X.with_fields(a=1)


@given(prefix_arrays(None, [pa.struct({"a": pa.int8(), "b": pa.string()}), pa.int16()]))
def test_with_fields_agrees_with_the_oracle(pair: tuple[aj.JaggedArray, ...]) -> None:
    x, other = pair
    expected = ref.with_fields(ref.Jag(x.to_list(), x.ndim), b=ref.Jag(other.to_list(), other.ndim))
    assert x.with_fields(b=other).to_list() == expected


def test_fields_of_a_slice_of_a_struct_with_nulls() -> None:
    flat = pa.array([{"a": 1}, {"a": 2}, None, {"a": 4}])
    x = aj.from_offsets(flat.slice(1), [0, 1, 3])
    assert x["a"].to_list() == [[2], [None, 4]]


def _union(kind: str) -> pa.Array:
    codes, values = pa.array([0, 1], pa.int8()), [pa.array([1, 2]), pa.array(["a", "b"])]
    if kind == "sparse":
        return pa.UnionArray.from_sparse(codes, values)
    return pa.UnionArray.from_dense(codes, pa.array([0, 1], pa.int32()), values)


@pytest.mark.parametrize("kind", ["sparse", "dense", "run ends"])
def test_fields_without_a_bitmap_are_null_where_the_struct_is(kind: str) -> None:
    """Arrow ends the process when it joins the struct's nulls to a union, and forgets them for run ends."""
    child = pa.RunEndEncodedArray.from_arrays(pa.array([2], pa.int32()), pa.array([1])) if kind == "run ends" else _union(kind)
    x = aj.from_sizes(pa.StructArray.from_arrays([child], ["a"], mask=pa.array([False, True])), [2])
    assert x["a"].to_list() == [[1, None]]
    assert x.equals(x)
    assert x.with_fields(b=x["a"])["b"].to_list() == [[1, None]]


def test_empty_fields_keep_their_categories() -> None:
    labels = pa.DictionaryArray.from_arrays(pa.array([], pa.int8()), ["lo", "hi"], ordered=True)
    x = aj.from_sizes(pa.StructArray.from_arrays([labels], ["a"]), [0])
    assert x["a"].values.dictionary.to_pylist() == ["lo", "hi"]
