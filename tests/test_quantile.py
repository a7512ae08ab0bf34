"""quantile."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.errors import JagValueError
from arrowjag.testing import assert_lists_equal, jagged_arrays
from tests import reference as ref
from tests.along import any_axis, as_list

ndims = st.integers(1, 3)


@pytest.mark.parametrize("interpolation", ["linear", "lower", "higher", "midpoint", "nearest"])
@given(st.data())
def test_quantiles_at_every_axis(interpolation: str, data: st.DataObject) -> None:
    ndim, q = data.draw(ndims), data.draw(st.sampled_from([0.0, 0.25, 0.5, 0.9, 1.0]))
    axis, options = (
        data.draw(any_axis(ndim)),
        {"skip_nulls": data.draw(st.booleans()), "min_count": data.draw(st.none() | st.integers(0, 3))},
    )
    x = data.draw(jagged_arrays(ndim, data.draw(st.sampled_from([pa.float64(), pa.int32()])), small=True))
    got = x.quantile(q, interpolation, axis, **options)
    told = {"extents": x.shape.extents, "q": q, "interpolation": interpolation}
    assert_lists_equal(as_list(got), ref.reduction("quantile", x.to_list(), x.ndim, axis, **told, **options))


@pytest.mark.parametrize("interpolation", ["linear", "lower", "higher", "midpoint", "nearest"])
@given(st.data())
def test_several_quantiles_are_one_more_dim(interpolation: str, data: st.DataObject) -> None:
    ndim, wanted = data.draw(ndims), data.draw(st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.9, 1.0]), max_size=3))
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim, data.draw(st.sampled_from([pa.float64(), pa.int32(), pa.null()])), small=True))
    got = x.quantile(wanted, interpolation, axis)
    assert got.shape.extents[-1] is None
    several = ref.of_valid(lambda values: [ref.quantile(values, q, interpolation) for q in wanted])
    assert_lists_equal(as_list(got), ref.reduce(several, x.to_list(), ndim, axis, x.shape.extents))


def test_several_quantiles_of_long_rows_and_moments() -> None:
    rng = np.random.default_rng(0)
    x = aj.from_sizes(rng.normal(size=3000), [1000, 0, 700, 1300])
    wanted = [0.1, 0.5, 0.99]
    alone = [x.quantile(q).to_list() for q in wanted]
    assert x.quantile(wanted).to_list() == [list(row) for row in zip(*alone, strict=True)]
    assert x.quantile(np.array(wanted)).equals(x.quantile(tuple(wanted)))
    t = x.cast("float64").fill_null(0).round().cast("int64").cast(pa.duration("s"))
    assert t.quantile([0.0, 1.0]).to_list()[0] == [t.min().to_list()[0], t.max().to_list()[0]]
    assert t.quantile([]).to_list() == [[], [], [], []]


def test_refused_probabilities() -> None:
    x = aj.array([[1, 2]])
    for q in ([0.5, 2], [0.5, None], ["a"]):
        with pytest.raises(JagValueError, match="q must be a number from 0 to 1"):
            x.quantile(q)
    assert x.quantile([0.5]).to_list() == [[1.5]]
    assert x.quantile([0.5, 1.0], min_count=3).to_list() == [None]


@pytest.mark.parametrize("weights", [2, [[1.0, 2.0], []]])
def test_rows_of_untyped_nulls_have_null_quantiles_with_weights(weights: Any) -> None:
    x = aj.array(pa.array([[None, None], []], pa.list_(pa.null())))
    found = x.quantile(0.5, weights=aj.array(weights) if isinstance(weights, list) else weights)
    assert (found.type, found.to_list()) == (pa.float64(), [None, None])


@pytest.mark.parametrize(
    "low", [2**53 + 1, 2**53 + 3, 2**60 + 127, 2**62 - 1, -(2**53) - 2, -(2**60) - 129, -(2**63), 2**63 + 1023]
)
@pytest.mark.parametrize("gap", [1, 2, 3, 1001])
def test_medians_of_integers_beyond_float64_are_rounded_once(low: int, gap: int) -> None:
    leaf = pa.int64() if low < 2**63 - 2000 else pa.uint64()
    x = aj.array([[low, low + gap], [low, low + gap, 0, None] if low > 0 else [low]], type=leaf)
    wanted = [ref.quantile([one for one in row if one is not None], 0.5) for row in x.to_list()]
    assert x.median().to_list() == wanted
    assert x.quantile(0.5).to_list() == wanted
    assert x[:1].rolling(2).median().to_list()[0][1] == wanted[0]


@pytest.mark.parametrize("q", [0.3, 0.5, [0.25, 0.5]])
def test_quantiles_of_dates_in_milliseconds_are_whole_days(q: object) -> None:
    days = aj.array([[0, 1], [3, None, 0, 4, 1], [], None], type=pa.int32()).cast(pa.date32())
    found = days.cast(pa.date64()).quantile(q)
    found.to_arrow(extension=False).validate(full=True)
    assert found.type == pa.date64()
    assert found.to_list() == days.quantile(q).to_list()
