"""diff."""

from __future__ import annotations

import datetime as dt
import decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.errors import JagOverflowError, JagTypeError
from arrowjag.testing import assert_lists_equal, jagged_arrays
from tests import reference as ref
from tests.along import any_axis, kept, tolerance
from tests.surfaces import SURFACES

STEPS = st.integers(-3, 3)


NUMBERS = [pa.int64(), pa.int8(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64(), pa.float64(), pa.float32()]


@pytest.mark.parametrize("leaf", NUMBERS, ids=str)
@given(st.data())
def test_diff_at_every_axis(leaf: pa.DataType, data: st.DataObject) -> None:
    ndim, n = data.draw(st.integers(1, 3)), data.draw(STEPS)
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim, leaf, small=pa.types.is_floating(leaf)))
    exact = not pa.types.is_signed_integer(leaf)

    def difference(row: list[Any]) -> list[Any]:
        found = ref.diff(row, 1, n)
        return found if exact else [None if v is None else ref.wrapped(v, leaf.bit_width) for v in found]

    expected = kept(difference, x.to_list(), ndim, axis, complete=True)
    if leaf == pa.uint64() and any(v is not None and not -(2**63) <= v < 2**63 for v in ref.items(expected, ndim)):
        with pytest.raises(JagOverflowError, match=r"diff: integer overflow, the result of (row \d+|the frame) does not fit int64"):
            x.diff(n, axis)
    else:
        assert_lists_equal(x.diff(n, axis).to_list(), expected, **tolerance(leaf))


@pytest.mark.parametrize("surface", SURFACES)
def test_differences_of_unsigned_integers_have_a_sign(surface: str) -> None:
    for width, wider in ((8, 16), (16, 32), (32, 64), (64, 64)):
        x = aj.array([[2**width - 1, 0], [1]], type=pa.type_for_alias(f"uint{width}"), ndim=2)
        assert x[:0].diff().type == pa.type_for_alias(f"int{wider}")
        if width < 64:
            assert SURFACES[surface](x, "diff") == [[None, 1 - 2**width], [None]]
    with pytest.raises(JagOverflowError, match=r"diff: integer overflow, the result of row 0 does not fit int64"):
        SURFACES[surface](x, "diff")


def test_diff_of_other_types() -> None:
    day = dt.date(2020, 1, 1)
    assert aj.array([[day, day + dt.timedelta(days=2)]]).diff().to_list() == [[None, dt.timedelta(days=2)]]
    assert aj.array([[decimal.Decimal("1.5"), decimal.Decimal("1.0")]]).diff().to_list() == [[None, decimal.Decimal("-0.5")]]
    assert aj.array([[True, False]]).diff().to_list() == [[None, -1]]
    assert aj.array([[None, None]], type=pa.null(), ndim=2).diff().type == pa.int64()
    with pytest.raises(JagTypeError, match=r"diff .*string"):
        aj.array([["a"]]).diff()


def test_diff_along_an_outer_axis_counts_positions_missing_in_a_row() -> None:
    assert aj.array([[1, 2], [3], [4, 7]]).diff(axis=0).to_list() == [[None, None], [2], [1, None]]
    assert aj.array([[1, 2], [3], [4, 7]]).diff(2, axis=0).to_list() == [[None, None], [None], [3, 5]]
