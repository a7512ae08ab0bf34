"""equals."""

from __future__ import annotations

import copy
import pickle

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.testing import assert_equal, jagged_arrays


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
