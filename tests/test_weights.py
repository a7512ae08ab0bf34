"""softmax and cdf."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.errors import JagTypeError, ShapeError
from arrowjag.testing import assert_lists_equal, jagged_arrays, leaf_types, prefix_arrays
from tests import reference as ref
from tests.along import NUMBERS, ORDERED, any_axis, kept
from tests.reference import Jag


@pytest.mark.parametrize("leaf", [*NUMBERS, pa.float16()], ids=str)
@given(st.data())
def test_softmax_at_every_axis(leaf: pa.DataType, data: st.DataObject) -> None:
    ndim = data.draw(st.integers(1, 3))
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim, leaf, small=True))
    got = x.softmax(axis)
    assert got.type == (leaf if pa.types.is_floating(leaf) else pa.float64())
    narrow = pa.types.is_floating(leaf) and leaf.bit_width < 64
    tolerance = {"rel_tol": 2e-3, "abs_tol": 1e-3} if narrow else {}
    assert_lists_equal(got.to_list(), kept(lambda row: ref.softmax(row, 1), x.to_list(), ndim, axis), **tolerance)


def test_softmax_of_extremes() -> None:
    inf = math.inf
    x = aj.array([[1e308, -1e308], [inf, 1.0], [-inf, 0.0], [-inf, -inf], [None, None], [], None, [math.nan, 1.0]])
    expected = [[1.0, 0.0], [math.nan] * 2, [0.0, 1.0], [math.nan] * 2, [None, None], [], None, [math.nan] * 2]
    assert_lists_equal(x.softmax().to_list(), expected)


def test_beta_scales_the_items() -> None:
    x = aj.array([[0.0, 1.0]])
    assert_lists_equal(x.softmax(beta=2.0).to_list(), (x * 2.0).softmax().to_list())
    with pytest.raises(JagTypeError, match=r"beta"):
        x.softmax(beta="2")


@given(st.data())
def test_cdf_of_every_type_at_every_axis(data: st.DataObject) -> None:
    ndim = data.draw(st.integers(1, 3))
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim, leaf_types(*ORDERED)))
    got = x.cdf(axis)
    assert got.type == pa.float64()
    assert_lists_equal(got.to_list(), kept(lambda row: ref.cdf(row, 1), x.to_list(), ndim, axis))


@given(st.data())
def test_cdf_of_weights_at_every_axis(data: st.DataObject) -> None:
    ndim = data.draw(st.integers(1, 3))
    axis = data.draw(any_axis(ndim))
    x, weights = data.draw(prefix_arrays((ndim, ndim), (leaf_types(*ORDERED), pa.uint8())))
    tagged = ref.elementwise(
        lambda v, w: (v, w), *(Jag(ref.at_depth(lambda v: (v,), one.to_list(), ndim), ndim) for one in (x, weights))
    )
    pairs = lambda row: ([v for (v,), _ in row], [w for _, (w,) in row])  # noqa: E731
    expected = kept(lambda row: ref.cdf(pairs(row)[0], 1, pairs(row)[1]), tagged, ndim, axis)
    got = x.cdf(axis, weights=weights)
    assert got.type == pa.float64()
    assert_lists_equal(got.to_list(), expected)


@given(st.data())
def test_weights_of_fewer_dims(data: st.DataObject) -> None:
    ndim = data.draw(st.integers(1, 3))
    x, weights = data.draw(prefix_arrays((ndim, data.draw(st.integers(1, ndim))), (pa.float64(), pa.float32()), small=True))
    spread = aj.align(x, weights)
    assert_lists_equal(x.cdf(weights=weights).to_list(), ref.cdf(spread[0].to_list(), ndim, spread[1].to_list()), rel_tol=1e-6)


def test_weights_of_every_kind_of_number() -> None:
    x = aj.array([[3, 1, 2], [1, None], []])
    assert_lists_equal(x.cdf(weights=[[1, 2, 1], [0, 5], []]).to_list(), [[1.0, 0.5, 0.75], [math.nan, None], []])
    assert x.cdf(weights=[[True, False, True], [True, None], []]).to_list() == [[1.0, 0.0, 0.5], [1.0, None], []]
    assert x.cdf(weights=aj.array([[1, 2, 1], [4, 5], []]).cast(pa.decimal128(25, 2))).to_list()[0] == [1.0, 0.5, 0.75]
    assert x.cdf(weights=2).to_list() == x.cdf().to_list()
    assert x.cdf(weights=None).to_list() == x.cdf().to_list()
    assert x.cdf(weights=[1.0, None, 2.0]).to_list() == [[1.0, 1 / 3, 2 / 3], [None, None], []]
    assert_lists_equal(x.cdf(weights=[[1, 2, math.nan], [1, 5], []]).to_list(), [[math.nan] * 3, [1.0, None], []])
    with pytest.raises(JagTypeError, match=r"cdf: weights must be numbers, got string"):
        x.cdf(weights=["a", "b", "c"])
    with pytest.raises(ShapeError, match=r"cdf: .* more dims"):
        aj.array([1, 2]).cdf(weights=[[1], [2]])
    with pytest.raises(ShapeError, match=r"cdf"):
        x.cdf(weights=[1, 2])


def test_types_without_meaning_are_named() -> None:
    with pytest.raises(JagTypeError, match=r"softmax .*string"):
        aj.array([["a"]]).softmax()
    with pytest.raises(JagTypeError, match=r"cdf .*interval"):
        aj.array([[(1, 2, 3)]], type=pa.month_day_nano_interval(), ndim=2).cdf()
