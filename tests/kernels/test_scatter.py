"""Items written to places, against Python lists; whether places are distinct, against sets."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrowjag._kernels.base.memory import has_words
from arrowjag._kernels.move import scatter as kernel

SAMPLES = {
    pa.bool_(): [True, False],
    pa.int8(): [-1, 2],
    pa.uint16(): [65535, 3],
    pa.float16(): [1.5, -2.5],
    pa.float64(): [0.25, 4.0],
    pa.int64(): [2**62, -1],
    pa.date32(): [1, 2],
    pa.timestamp("us", "UTC"): [1, 2**40],
    pa.decimal128(30, 2): [Decimal("12345678901234567890.25"), Decimal("-1.5")],
    pa.decimal256(60, 1): [Decimal("1234567890123456789012345678901234567890.5"), Decimal(2)],
}


@pytest.mark.parametrize("type", SAMPLES, ids=str)
@given(data=st.data())
def test_put(type, data):
    leaves = st.sampled_from([*SAMPLES[type], None])
    n, skip = data.draw(st.integers(0, 12)), data.draw(st.integers(0, 9))
    rows = data.draw(st.lists(leaves, min_size=n + skip, max_size=n + skip))
    places = data.draw(st.permutations(range(n)))[: data.draw(st.integers(0, n))]
    items = data.draw(st.lists(leaves, min_size=len(places), max_size=len(places)))
    values = pa.array(rows, type)[skip:]
    given_items = pa.concat_arrays([pa.array([None, SAMPLES[type][0]], type), pa.array(items, type)])[2:]
    expected = pa.array(rows[skip:], type).to_pylist()
    for place, item in zip(places, pa.array(items, type).to_pylist(), strict=True):
        expected[place] = item
    assert has_words(type)
    got = kernel.put(values, np.array(places, np.int64), given_items)
    got.validate(full=True)
    assert (got.to_pylist(), got.type) == (expected, type)
    assert values.to_pylist() == pa.array(rows[skip:], type).to_pylist()


@pytest.mark.parametrize(
    "type", [pa.string(), pa.struct({"a": pa.int8()}), pa.null(), pa.binary(3), pa.dictionary(pa.int8(), pa.string())]
)
def test_dictionaries_without_values(type):
    assert not has_words(type)


@given(st.lists(st.integers(0, 40), max_size=12), st.sampled_from([41, 1000]))
def test_distinct(places, n):
    assert kernel.are_distinct(np.array(places, np.int64), n) == (len(set(places)) == len(places))


@given(st.permutations(range(9)), st.sampled_from([9, 1000]))
def test_permutations_are_distinct(places, n):
    assert kernel.are_distinct(np.array(places), n)
