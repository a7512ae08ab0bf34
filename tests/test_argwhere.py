"""argwhere."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.errors import JagTypeError
from arrowjag.testing import jagged_arrays
from tests import reference as ref


@given(jagged_arrays(st.integers(1, 3), st.sampled_from([pa.bool_(), pa.int8(), pa.float64()]), small=True))
def test_argwhere_agrees_with_the_oracle(x: aj.JaggedArray) -> None:
    got = x.argwhere()
    assert got.type == pa.int64()
    assert got.to_list() == ref.argwhere(x.to_list(), x.ndim)


@given(jagged_arrays(2, pa.bool_(), nulls=False))
def test_taking_the_positions_is_filtering(mask: aj.JaggedArray) -> None:
    x = aj.JaggedArray(mask.shape, range(mask.size))
    assert x.take(mask.argwhere()).equals(x.filter(mask))


def test_along_other_axes() -> None:
    x = aj.array([[True, False, True], None, [True, True]])
    assert x.argwhere(axis=0).to_list() == [[0, 2], [2], [0]]
    assert x.argwhere(axis=None).to_list() == [0, 2, 3, 4]
    assert aj.array([[math.nan, -0.0]]).argwhere().to_list() == [[0]]
    assert aj.array([[None]], ndim=2).argwhere().to_list() == [[]]
    with pytest.raises(JagTypeError, match=r"argwhere .*Compare first"):
        aj.array([["a"]]).argwhere()
