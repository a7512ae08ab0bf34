"""zip."""

from __future__ import annotations

import pytest
from hypothesis import given

import arrowjag as aj
from arrowjag.testing import assert_lists_equal, leaf_types, prefix_arrays
from tests import reference as ref
from tests.operands import jag


@given(prefix_arrays(None, [leaf_types(), leaf_types()], allow_nan=False))
def test_zip_makes_structs(pair: tuple[aj.JaggedArray, ...]) -> None:
    x, y = pair
    got = aj.zip(x=x, y=y)
    assert got.fields == ["x", "y"]
    assert_lists_equal(got.to_list(), ref.zip_fields(x=jag(x), y=jag(y)))


def test_zip_takes_scalars_and_positions() -> None:
    assert aj.zip([1, 2], b=None).to_list() == [{"0": 1, "b": None}, {"0": 2, "b": None}]
    assert aj.zip(a=1).as_py() == {"a": 1}
    with pytest.raises(TypeError, match=r"^zip"):
        aj.zip()
