"""clip."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.testing import assert_lists_equal, jagged_arrays, prefix_arrays
from tests import reference as ref
from tests.operands import jag


@given(prefix_arrays((2, 2, 1), pa.int64()))
def test_clip(operands: tuple[aj.JaggedArray, ...]) -> None:
    x, low, high = operands

    def clipped(v: int | None, a: int | None, b: int | None) -> int | None:
        if v is None:
            return None
        v = v if a is None else max(v, a)
        return v if b is None else min(v, b)

    assert x.clip(low, high).to_list() == ref.broadcast(clipped, jag(x), jag(low), jag(high))
    assert x.clip(None, 0).to_list() == ref.elementwise(lambda v: min(v, 0), jag(x))


@given(jagged_arrays(leaf=pa.float64()), st.sampled_from([None, -1.0, 0.5]), st.sampled_from([None, 0.25, 2.0, float("nan")]))
def test_clip_between_numbers_with_nulls_and_slices(x: aj.JaggedArray, low: float | None, high: float | None) -> None:
    def clipped(v: float | None) -> float | None:
        if v is None:
            return None
        v = low if low is not None and v < low else v
        return high if high is not None and v > high else v

    for one in (x, x[1:]):
        assert_lists_equal(one.clip(low, high).to_list(), ref.elementwise(clipped, jag(one)))


def test_bounds_of_another_type_promote() -> None:
    assert aj.array([[1, 5]]).clip(1.5, None).to_list() == [[1.5, 5.0]]
    assert aj.array([[1, 300]], type=pa.int16()).clip(2, 100).type == pa.int16()
    assert aj.array([[1.0, None]]).clip(None, None).to_list() == [[1.0, None]]


@pytest.mark.parametrize("bounds", [("a", 1), (1, "a"), (None, "a")])
def test_a_bound_of_another_kind_is_refused_by_name(bounds) -> None:
    with pytest.raises(aj.JagTypeError, match="clip has no kernel for int64 and string"):
        aj.array([[1, 2]]).clip(*bounds)
