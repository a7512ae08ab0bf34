"""dot."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.testing import assert_lists_equal, prefix_arrays
from tests import reference as ref
from tests.along import any_axis, as_list, common_extents
from tests.reference import Jag


@given(st.data())
def test_dot(data: st.DataObject) -> None:
    one, two = data.draw(st.sampled_from([(1, 1), (2, 2), (1, 2), (2, 1), (3, 2), (2, 3)]))
    x, y = data.draw(prefix_arrays((one, two), pa.int32()))
    assert_lists_equal(as_list(x.dot(y)), ref.dot(Jag(x.to_list(), one), Jag(y.to_list(), two)))


@given(st.data())
def test_dot_at_every_axis(data: st.DataObject) -> None:
    one, two = data.draw(st.sampled_from([(2, 2), (1, 2), (3, 2), (3, 3)]))
    x, y = data.draw(prefix_arrays((one, two), pa.int32()))
    axis = data.draw(any_axis(max(one, two)))
    total = lambda pairs: sum(a * b for a, b in pairs)  # noqa: E731
    expected = ref.over_pairs(total, Jag(x.to_list(), one), Jag(y.to_list(), two), axis, common_extents(x, y))
    assert_lists_equal(as_list(x.dot(y, axis)), expected)


@pytest.mark.parametrize("leaf", [pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32()])
def test_products_of_narrow_integers_do_not_wrap(leaf: pa.DataType) -> None:
    ends = np.iinfo(leaf.to_pandas_dtype())
    x = aj.array([[ends.max, ends.min], [ends.max, None], [], None], type=leaf)
    assert x.dot(x).to_list() == [int(ends.max) ** 2 + int(ends.min) ** 2, int(ends.max) ** 2, 0, None]
    assert x.dot(pa.scalar(ends.max, leaf)).to_list() == [
        int(ends.max) * (int(ends.max) + int(ends.min)),
        int(ends.max) ** 2,
        0,
        None,
    ]


@pytest.mark.parametrize(("leaf", "number"), [(pa.int64(), 2**62), (pa.int64(), -(2**63)), (pa.uint64(), 2**63)])
def test_products_beyond_64_bits_raise(leaf: pa.DataType, number: int) -> None:
    x = aj.array([[number, 1], [None]], type=leaf)
    with pytest.raises(aj.JagOverflowError, match=r"dot: integer overflow, a product of row 0 does not fit u?int64"):
        x.dot(aj.array([[2, 1], [5]], type=leaf))
    assert x.dot(aj.array([[1, 1], [5]], type=leaf)).to_list() == [number + 1, 0]


@pytest.mark.parametrize(
    ("leaf", "products"),
    [
        (pa.int64(), [(2**63 - 1, 1), (-(2**63), 1), (2**31, -(2**32)), (2**62 - 1, 2)]),
        (pa.uint64(), [(2**64 - 1, 1), (2**63, 1), (2**32, 2**31), (2**63 - 1, 2)]),
    ],
)
def test_the_largest_products_beside_one_that_overflows_in_a_null_row(leaf: pa.DataType, products: list[tuple[int, int]]) -> None:
    """A product that doesn't fit counts only in rows that have a result; the others keep their exact values."""
    x, y = ([[pair[side]] for pair in products] for side in (0, 1))
    one = aj.array(pa.array([*x, [2**62, None], []], pa.list_(leaf)))
    two = aj.array(pa.array([*y, [4, 1], []], pa.list_(leaf)))
    got = one.dot(two, skip_nulls=False)
    assert got.type == leaf
    assert got.to_list() == [*(a * b for a, b in products), None, 0]
    with pytest.raises(aj.JagOverflowError, match="dot: integer overflow, a product of row 4 does not fit"):
        one.dot(two)


def test_values_under_nulls_are_not_read(with_and_without_loops: str) -> None:
    """Products of float64 are not written down; infinities and NaN under a null in either column don't count."""
    one, two = [np.array(data) for data in ([1.0, np.inf, 3.0, np.nan, 5.0], [2.0, 1.0, np.nan, 4.0, 0.5])]
    valid = [np.array(flags) for flags in ([1, 0, 1, 0, 1], [1, 1, 0, 1, 1])]
    columns = []
    for data, flags in zip((one, two), valid, strict=True):
        bits = pa.py_buffer(np.packbits(flags, bitorder="little"))
        columns.append(aj.from_sizes(pa.Array.from_buffers(pa.float64(), 5, [bits, pa.py_buffer(data)]), [2, 0, 3]))
    assert columns[0].dot(columns[1]).to_list() == [2.0, 0.0, 2.5]
    assert columns[0].dot(columns[1], skip_nulls=False).to_list() == [None, 0.0, None]
    assert columns[0].dot(columns[1], min_count=1).to_list() == [2.0, None, 2.5]


@given(st.data())
def test_floats_give_the_products_of_integers(data: st.DataObject) -> None:
    one, two = data.draw(st.sampled_from([(1, 1), (2, 2), (1, 2), (3, 2), (3, 3)]))
    x, y = data.draw(prefix_arrays((one, two), pa.int8()))
    axis, skip_nulls = data.draw(any_axis(max(one, two))), data.draw(st.booleans())
    found = x.cast("float64").dot(y.cast("float64"), axis=axis, skip_nulls=skip_nulls)
    assert_lists_equal(as_list(found), as_list(x.dot(y, axis=axis, skip_nulls=skip_nulls).cast("float64")))
