"""softmax."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.errors import JagTypeError
from arrowjag.testing import assert_lists_equal, jagged_arrays
from tests import reference as ref
from tests.along import NUMBERS, any_axis, kept


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


def test_types_without_meaning_are_named() -> None:
    with pytest.raises(JagTypeError, match=r"softmax .*string"):
        aj.array([["a"]]).softmax()
    with pytest.raises(JagTypeError, match=r"cdf .*interval"):
        aj.array([[(1, 2, 3)]], type=pa.month_day_nano_interval(), ndim=2).cdf()
