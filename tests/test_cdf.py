"""cdf."""

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
from tests.along import ORDERED, any_axis, kept
from tests.reference import Jag
from tests.surfaces import SURFACES


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
    if data.draw(st.integers(0, 3)):
        weights = weights.abs()
    spread = aj.align(x, weights)
    try:
        expected = ref.cdf(spread[0].to_list(), ndim, spread[1].to_list())
    except ValueError:
        with pytest.raises(JagValueError, match=r"cdf: weights must not be negative, got -\d\.\d in (row \d+|the frame)"):
            x.cdf(weights=weights)
    else:
        assert_lists_equal(x.cdf(weights=weights).to_list(), expected, rel_tol=1e-6)


@pytest.mark.parametrize("surface", SURFACES)
def test_weights_that_sum_to_0_give_null_and_negative_ones_raise(surface: str) -> None:
    x, on = aj.array([[0.0, 0.5], [math.nan, 1.0], [2.0, None], None, []]), SURFACES[surface]
    nothing = aj.array([[0.0, -0.0], [0.0, 0.0], [0.0, 5.0], None, []])
    assert on(x, "cdf", weights=nothing) == [[None, None], [None, None], [None, None], None, []]
    with pytest.raises(JagValueError, match=r"cdf: weights must not be negative, got -1\.0 in row 1"):
        on(x, "cdf", weights=aj.array([[1.0, 0.0], [1.0, -1.0], [1.0, 1.0], None, []]))
    absent = aj.array([[1.0, 3.0], [1.0, 1.0], [1.0, -1.0], None, []])  # a weight of no item
    assert on(x, "cdf", weights=absent)[2] == [1.0, None]


def test_weights_of_every_kind_of_number() -> None:
    x = aj.array([[3, 1, 2], [1, None], []])
    assert_lists_equal(x.cdf(weights=[[1, 2, 1], [0, 5], []]).to_list(), [[1.0, 0.5, 0.75], [None, None], []])
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
