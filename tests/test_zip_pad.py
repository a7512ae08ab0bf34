"""zip with pad=True."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.errors import ShapeError
from arrowjag.testing import assert_lists_equal, leaf_types, prefix_arrays
from tests import reference as ref
from tests.hosts import pl
from tests.reference import Jag


@given(st.data())
def test_padded_zip_agrees_with_the_oracle(data: st.DataObject) -> None:
    ndim = data.draw(st.integers(1, 3))
    leaves = (data.draw(leaf_types()), data.draw(leaf_types()), data.draw(leaf_types()))
    x, y, z = data.draw(prefix_arrays((ndim, ndim, data.draw(st.integers(1, ndim))), leaves))
    y = y.tail(2)
    fields = {"a": Jag(x.to_list(), ndim), "b": Jag(y.to_list(), ndim), "c": Jag(z.to_list(), z.ndim)}
    got = aj.zip(a=x, b=y, c=z, pad=True)
    assert_lists_equal(got.to_list(), ref.zip_padded(ndim, **fields), rel_tol=0, abs_tol=0)


def test_a_scalar_beside_a_plain_column_is_its_first_item_in_every_batch() -> None:
    k = aj.array([1, 2, 3])
    frame = pl.DataFrame({"k": k.to_polars()})
    lazy = pl.concat([frame[:1], frame[1:]], rechunk=False).lazy()
    for call in (lambda x: x.zip(5, pad=True), lambda x: aj.zip(x, 5, pad=True)):
        got = lazy.select(r=call(pl.col("k").jag)).collect(engine="streaming")["r"]
        assert aj.array(got).to_list() == call(k).to_list() == [{"0": 1, "1": 5}, {"0": 2, "1": None}, {"0": 3, "1": None}]


def test_pad_is_a_flag_or_a_field() -> None:
    x = aj.array([[1, 2], [3]])
    assert aj.zip(a=x, pad=x).fields == ["a", "pad"]
    assert x.zip(pad=x).fields == ["0", "pad"]
    assert aj.zip(x, pad=True).to_list() == [[{"0": 1}, {"0": 2}], [{"0": 3}]]
    assert aj.zip(a=x, b=x, pad=True)["a"].to_list() == x.to_list()
    with pytest.raises(ShapeError, match=r"zip"):
        aj.zip(a=x, b=aj.array([[1]]), pad=True)
