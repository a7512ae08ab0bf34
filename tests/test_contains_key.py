"""contains_key."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.testing import jagged_arrays, leaf_values
from tests import reference as ref
from tests.reference import Jag
from tests.test_get import KEYS, M, jag, one_per_row


@pytest.mark.parametrize("leaf", KEYS, ids=str)
@given(data=st.data())
def test_every_type_of_keys(leaf: pa.DataType, data: st.DataObject) -> None:
    entry = pa.struct([("key", leaf), ("value", pa.int64())])
    x = data.draw(jagged_arrays(st.integers(2, 3), entry, small=True))
    truth = jag(x)
    keys = leaf_values(leaf, small=True)
    sought = one_per_row(data.draw, x, leaf, st.none() | keys)
    assert x.contains_key(sought).to_list() == ref.contains_key(truth, jag(sought))
    one = pa.scalar(data.draw(keys), leaf)
    assert x.contains_key(one).to_list() == ref.contains_key(truth, Jag(one.as_py(), 0))


def test_null_rows_and_keys_are_null_and_empty_maps_have_none() -> None:
    assert M.contains_key("b").to_list() == [True, False, None, True]
    assert M.contains_key(["a", "a", "a", "z"]).to_list() == [True, False, None, False]
    assert M.contains_key(None).to_list() == [None] * 4


def test_leaves_that_are_no_entries_are_refused() -> None:
    with pytest.raises(aj.JagTypeError, match="contains_key needs the leaves of a map"):
        aj.array([[1]]).contains_key(1)
    with pytest.raises(aj.JagTypeError, match="the keys of the maps are string, got 1"):
        M.contains_key(1)
