"""rank, by every method."""

from __future__ import annotations

import math
from typing import Any, get_args

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._kernels import strategy
from arrowjag.errors import JagTypeError, JagValueError, ShapeError
from arrowjag.testing import assert_lists_equal, jagged_arrays, leaf_types, prefix_arrays
from arrowjag.typing import RankMethod
from tests import reference as ref
from tests.along import ORDERED, any_axis, kept
from tests.reference import Jag

METHODS = get_args(RankMethod)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("descending", [False, True])
@given(st.data())
def test_ranks_of_every_type_at_every_axis(method: str, descending: bool, data: st.DataObject) -> None:
    ndim = data.draw(st.integers(1, 3))
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim, leaf_types(*ORDERED), small=True))
    got = x.rank(method, descending, axis)
    assert got.type == (pa.float64() if method == "average" else pa.int64())
    expected = kept(lambda row: ref.rank(row, 1, method, descending=descending), x.to_list(), ndim, axis)
    assert_lists_equal(got.to_list(), expected)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("descending", [False, True])
def test_nan_under_a_null_has_no_rank(method: str, descending: bool, with_and_without_loops: str) -> None:
    row = [None, math.nan, 1.0, None, math.nan, 1.0]
    data = np.array([[math.nan if item is None else item for item in row]])
    bits = pa.array([item is not None for item in row]).buffers()[1]
    values = pa.Array.from_buffers(pa.float64(), len(row), [bits, pa.py_buffer(data)])
    x = aj.JaggedArray(aj.JaggedShape(1, len(row)), values)
    with strategy.force(rank="pairs"):
        assert x.rank(method, descending).to_list() == ref.rank([row], 2, method, descending=descending)


@pytest.mark.parametrize("kind", ORDERED)
@given(st.data())
def test_tie_breakers_of_every_type_at_every_axis(kind: str, data: st.DataObject) -> None:
    ndim, descending = data.draw(st.integers(1, 3)), data.draw(st.booleans())
    axis = data.draw(any_axis(ndim))
    few = data.draw(st.sampled_from([pa.bool_(), pa.float64()]))
    x, ties = data.draw(prefix_arrays((ndim, ndim), (few, leaf_types(kind))))
    tagged = ref.elementwise(
        lambda v, tie: (v, tie), *(Jag(ref.at_depth(lambda v: (v,), one.to_list(), ndim), ndim) for one in (x, ties))
    )

    def ranks(row: list[Any]) -> list[Any]:
        return ref.rank_with_ties_broken([v for (v,), _ in row], [tie for _, (tie,) in row], descending=descending)

    got = x.rank("ordinal", descending, axis, tie_breaker=ties)
    assert got.type == pa.int64()
    assert_lists_equal(got.to_list(), kept(ranks, tagged, ndim, axis))


def test_tie_breakers_of_fewer_dims_and_scalars() -> None:
    x = aj.array([[2, 1, 2], [1, 1], None])
    assert x.rank(tie_breaker=[1, None, 3]).to_list() == [[2, 1, 3], [None, None], None]
    assert x.rank(tie_breaker=7).to_list() == x.rank().to_list()
    assert x.rank(axis=None, tie_breaker=[2, 1, 3]).to_list() == [[4, 3, 5], [1, 2], None]


def test_refused_tie_breakers() -> None:
    x = aj.array([[1, 2]])
    with pytest.raises(JagValueError, match=r'a tie_breaker requires method "ordinal", got \'min\''):
        x.rank("min", tie_breaker=[[1, 2]])
    with pytest.raises(ShapeError, match=r"rank: .* more dims"):
        x.rank(tie_breaker=[[[1], [2]]])
    with pytest.raises(JagTypeError, match=r"rank .*interval"):
        x.rank(tie_breaker=aj.array(pa.array([(1, 2, 3)], pa.month_day_nano_interval())))


def test_nan_ranks_behind_numbers_in_both_directions() -> None:
    x = aj.array([[math.nan, 1.0, None, math.nan, 2.0]])
    assert x.rank("min").to_list() == [[3, 1, None, 3, 2]]
    assert x.rank("min", descending=True).to_list() == [[3, 2, None, 3, 1]]


def test_ties_of_zeros() -> None:
    assert aj.array([[0.0, -0.0, 1.0]]).rank("dense").to_list() == [[1, 1, 2]]


def test_refused_arguments() -> None:
    x = aj.array([[1, 2]])
    with pytest.raises(JagValueError, match=r"rank: method must be"):
        x.rank("first")
    with pytest.raises(JagTypeError, match=r"descending must be a bool, got str"):
        x.rank("min", "yes")
    with pytest.raises(JagTypeError, match=r"rank .*interval"):
        aj.array([[(1, 2, 3)]], type=pa.month_day_nano_interval(), ndim=2).rank()


@pytest.mark.parametrize("method", METHODS)
@given(st.data())
def test_ranks_as_shares(method: str, data: st.DataObject) -> None:
    ndim = data.draw(st.integers(1, 3))
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim, leaf_types("int", "float", "string"), small=True))

    def shares(row: list[Any]) -> list[Any]:
        ranks = ref.rank(row, 1, method)
        known = [rank for rank in ranks if rank is not None]
        n = max(known, default=1) if method == "dense" else len(known)
        return [None if rank is None else rank / n for rank in ranks]

    assert_lists_equal(x.rank(method, axis=axis, pct=True).to_list(), kept(shares, x.to_list(), ndim, axis))


def test_shares_are_those_of_pandas() -> None:
    pd = pytest.importorskip("pandas")
    row = [3.0, 1.0, None, 3.0, 2.0]
    for ours, theirs in {"ordinal": "first", "dense": "dense", "min": "min", "max": "max", "average": "average"}.items():
        expected = pd.Series(row).rank(method=theirs, pct=True)
        assert_lists_equal(aj.array([row]).rank(ours, pct=True).to_list()[0], [None if math.isnan(v) else v for v in expected])
    with pytest.raises(JagTypeError, match="pct must be a bool, got int"):
        aj.array([row]).rank(pct=1)
    assert aj.array([row]).rank(tie_breaker=0, pct=True).to_list() == [[0.75, 0.25, None, 1.0, 0.5]]
