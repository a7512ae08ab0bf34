"""awkward, both ways: nulls of every level, records, regular dims, shared buffers."""

from __future__ import annotations

import decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.testing import assert_equal, jagged_arrays

ak = pytest.importorskip("awkward")
from arrowjag.interop.awkward import from_awkward, to_awkward  # noqa: E402


@given(jagged_arrays(leaf=st.sampled_from([pa.int32(), pa.float64(), pa.bool_(), pa.large_string()])))
def test_round_trips(x: aj.JaggedArray) -> None:
    assert len(to_awkward(x)) == len(x)
    back = from_awkward(to_awkward(x), ndim=x.ndim)
    if x.size:
        assert_equal(back, x)
    assert back.to_list() == x.to_list() or x.type == pa.float64()  # NaN


def test_awkward_reads_the_same_items() -> None:
    x = aj.array([[1, None], None, []])
    assert ak.to_list(to_awkward(x)) == x.to_list()
    pairs = aj.array([[{"a": 1, "b": [1.5]}], []])
    assert ak.to_list(to_awkward(pairs)) == pairs.to_list()
    assert from_awkward(ak.Array([[{"a": 1}], []])).to_list() == [[{"a": 1}], []]
    assert from_awkward(ak.Array(np.zeros((2, 3)))).shape.extents[1] == 3
    assert from_awkward(ak.Array([["ab"], []])).to_list() == [["ab"], []]
    assert from_awkward(ak.Array([[1, 2, 3], [4]])[:, ::-1]).to_list() == [[3, 2, 1], [4]]


@pytest.mark.parametrize("places", [pa.int8(), pa.uint8(), pa.int16(), pa.uint32(), pa.int64(), pa.uint64()], ids=str)
@pytest.mark.parametrize("rows", [[["a", "b"], [], ["a"]], [["a", None], None, ["b"]]])
def test_categories_of_any_width(places: pa.DataType, rows: list[list[str | None] | None]) -> None:
    x = aj.array(rows).cast(pa.dictionary(places, pa.string()))
    assert ak.to_list(to_awkward(x)) == rows
    assert ak.to_list(to_awkward(x[1:])) == rows[1:]
    assert from_awkward(to_awkward(x)).to_list() == rows


@pytest.mark.parametrize(("leaf", "wide"), [(pa.string_view(), pa.large_string()), (pa.binary_view(), pa.large_binary())])
def test_views_of_text(leaf: pa.DataType, wide: pa.DataType) -> None:
    x = aj.array([["a", None], None, ["longer than twelve bytes"]]).cast(wide).cast(leaf)
    assert to_awkward(x[1:]).to_list() == x[1:].to_list()
    assert from_awkward(to_awkward(x)).equals(x.cast(wide))


def test_values_are_shared() -> None:
    values = np.arange(4.0)
    x = aj.from_offsets(values, [0, 1, 4])
    there = to_awkward(x)
    assert np.shares_memory(np.asarray(ak.flatten(there)), values)
    again = from_awkward(there)
    assert again.values.buffers()[1].address == x.values.buffers()[1].address


def test_invalid_arguments_raise() -> None:
    with pytest.raises(TypeError, match="to_awkward has no kernel for decimal"):
        to_awkward(aj.array([[decimal.Decimal("1.5")]]))
    with pytest.raises(TypeError, match=r"to_awkward has no kernel for timestamp.*UTC"):
        to_awkward(aj.array([[0]], type=pa.int64()).cast(pa.timestamp("us", "UTC")))
