"""min_by and max_by."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.errors import JagTypeError, ShapeError
from arrowjag.testing import assert_lists_equal, leaf_types, prefix_arrays
from tests import reference as ref
from tests.along import ORDERED, as_list, single_axis
from tests.reference import Jag


@pytest.mark.parametrize("name", ["min_by", "max_by"])
@given(st.data())
def test_by_a_key_of_every_type_at_every_axis(name: str, data: st.DataObject) -> None:
    ndim = data.draw(st.integers(1, 3))
    axis = data.draw(single_axis(ndim))
    x, by = data.draw(prefix_arrays((ndim, data.draw(st.integers(1, axis % ndim + 1))), (leaf_types(), leaf_types(*ORDERED))))
    expected = ref.extreme_by(name, x.to_list(), Jag(by.to_list(), by.ndim), ndim, axis)
    assert_lists_equal(as_list(getattr(x, name)(by, axis)), expected, rel_tol=0, abs_tol=0)


@given(prefix_arrays((3, 3), (pa.int16(), pa.int16()), null_rows=False))
def test_several_axes_and_positions_of_an_outer_axis(both: tuple[aj.JaggedArray, aj.JaggedArray]) -> None:
    x, by = both
    assert_lists_equal(as_list(x.min_by(by, (1, 2))), x.flatten(1).min_by(by.flatten(1)).to_list())
    assert_lists_equal(as_list(x.max_by(by, None)), as_list(x.flatten().max_by(by.flatten())))
    assert_lists_equal(x.max_by(x, 0).to_list(), x.max(0).to_list())
    assert_lists_equal(x.min_by(x, 1).to_list(), x.min(1).to_list())


def test_ties_nulls_and_nan() -> None:
    x = aj.array([["a", "b", None], ["c", "d"], ["e"], [], None])
    by = aj.array([[2.0, 2.0, 1.0], [math.nan, 3.0], [math.nan], [], [1.0]])
    assert x.max_by(by).to_list() == ["a", "d", None, None, None]
    assert x.min_by(by).to_list() == [None, "d", None, None, None]
    assert aj.array([1, 2, 3]).min_by([3, 1, 2]).as_py() == 2
    deep = aj.array([[[1, 2], [3]], [None, [4]]])
    assert deep.max_by([[0, 1], [5, 2]], axis=1).to_list() == [[3], None]


def test_errors() -> None:
    x = aj.array([[1, 2], [3]])
    with pytest.raises(ShapeError, match=r"min_by: by has 3 dims"):
        x.min_by([[[1], [2]], [[3]]])
    with pytest.raises(ShapeError, match=r"min_by"):
        x.min_by([[1], [2]])
    with pytest.raises(JagTypeError, match=r"max_by .*interval"):
        x.max_by(aj.array([[(1, 2, 3)] * 2, [(1, 2, 3)]], type=pa.month_day_nano_interval(), ndim=2))
