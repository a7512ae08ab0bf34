"""bottomk, and topk by a key."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.errors import JagTypeError, JagValueError, ShapeError
from arrowjag.testing import assert_lists_equal, jagged_arrays, leaf_types, prefix_arrays
from tests import reference as ref
from tests.along import ORDERED, single_axis
from tests.reference import Jag


@given(st.data())
def test_bottomk_is_the_head_of_the_ascending_sort(data: st.DataObject) -> None:
    x, k = data.draw(jagged_arrays(st.integers(1, 3), leaf_types(*ORDERED))), data.draw(st.integers(0, 4))
    assert x.bottomk(k).equals(x.sort().head(k))
    assert x.bottomk(k).equals(x.topk(k, descending=False))
    assert_lists_equal(x.bottomk(k).to_list(), ref.bottomk(x.to_list(), x.ndim, k), rel_tol=0, abs_tol=0)


@pytest.mark.parametrize("kind", ORDERED)
@given(st.data())
def test_topk_by_a_key_of_every_type_at_every_axis(kind: str, data: st.DataObject) -> None:
    ndim, k, descending = data.draw(st.integers(1, 3)), data.draw(st.integers(0, 4)), data.draw(st.booleans())
    axis = data.draw(single_axis(ndim))
    x, by = data.draw(prefix_arrays((ndim, data.draw(st.integers(1, axis % ndim + 1))), (leaf_types(), leaf_types(kind))))
    got = x.topk(k, axis, by=by, descending=descending)
    assert got.type == x.type
    expected = ref.topk_by(x.to_list(), Jag(by.to_list(), by.ndim), ndim, k, axis, descending=descending)
    assert_lists_equal(got.to_list(), expected, rel_tol=0, abs_tol=0)


def test_null_keys_come_last_and_nan_before_them_and_ties_keep_their_order() -> None:
    x = aj.array([["a", "b", "c", "d", "e"]])
    by = aj.array([[None, math.nan, 1.0, 2.0, 1.0]])
    assert x.topk(9, by=by).to_list() == [["d", "c", "e", "b", "a"]]
    assert x.bottomk(9, by=by).to_list() == [["c", "e", "d", "b", "a"]]
    assert x.bottomk(1, by=by).to_list() == [["c"]]


def test_long_rows_by_a_key() -> None:
    n = 40_000
    by = aj.from_sizes(pa.array([(7919 * k) % 1009 for k in range(n)]), [n - 5, 0, 5])
    x = aj.from_sizes(pa.array(range(n)), [n - 5, 0, 5])
    assert x.topk(3, by=by).equals(x.sort(by=by, descending=True).head(3))
    assert x.bottomk(3, by=by).equals(x.sort(by=by).head(3))


def test_bottomk_rejects_invalid_arguments() -> None:
    x = aj.array([[1, 2], [3]])
    with pytest.raises(JagValueError, match=r"bottomk: k must not be negative"):
        x.bottomk(-1)
    with pytest.raises(JagTypeError, match=r"topk: descending must be a bool"):
        x.topk(1, descending=1)
    with pytest.raises(ShapeError, match=r"bottomk"):
        x.bottomk(1, by=[[1], [2]])
    with pytest.raises(ShapeError, match=r"topk: a key has 2 dims.*have 1"):
        x.topk(1, axis=0, by=x)
