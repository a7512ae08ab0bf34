"""ewm(...).mean and var, and the parameters of their weights."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._kernels import strategy
from arrowjag.errors import JagTypeError, JagValueError
from arrowjag.testing import assert_lists_equal, jagged_arrays
from tests import reference as ref
from tests.along import any_axis, kept


@pytest.mark.parametrize("name", ["mean", "var"])
@given(st.data())
def test_ewm_agrees_with_the_oracle_at_every_axis(name: str, data: st.DataObject) -> None:
    ndim, alpha = data.draw(st.integers(1, 3)), data.draw(st.sampled_from([0.1, 0.5, 0.9]))
    axis = data.draw(any_axis(ndim))
    leaf = data.draw(st.sampled_from([pa.float64(), pa.int32(), pa.bool_(), pa.null()]))
    x = data.draw(jagged_arrays(ndim, leaf, small=True))
    oracle = ref.ewm_mean if name == "mean" else ref.ewm_var
    expected = kept(lambda row: oracle(row, alpha), x.to_list(), ndim, axis, complete=True)
    got = getattr(x.ewm(alpha=alpha, axis=axis), name)()
    assert_lists_equal(got.to_list(), expected, rel_tol=1e-7, abs_tol=1e-7)


@pytest.mark.parametrize("options", [{"alpha": 0.01}, {"span": 20}, {"halflife": 3.5}, {"alpha": 1.0}], ids=str)
def test_long_rows_agree_with_pandas(options: dict[str, float]) -> None:
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    values = rng.normal(size=20_000).cumsum()
    values[rng.random(len(values)) < 0.1] = np.nan
    x = aj.from_sizes(pa.array(values, from_pandas=True), [17_000, 128, 129, 0, 2743])
    parts = np.split(values, np.cumsum([17_000, 128, 129]))
    for name in ("mean", "var"):
        if name == "var" and options.get("alpha") == 1.0:
            continue  # 0 / 0
        got = getattr(x.ewm(**options), name)().values.to_numpy(zero_copy_only=False)
        told = np.concatenate([getattr(pd.Series(part).ewm(**options), name)().to_numpy() for part in parts])
        np.testing.assert_allclose(got, np.where(np.isnan(values), np.nan, told), rtol=1e-8)


def test_a_row_depends_on_itself_alone() -> None:
    rng = np.random.default_rng(0)
    x = aj.from_sizes(rng.normal(size=3000) * 10.0 ** rng.integers(-9, 9, 3000), [300, 1, 0, 2000, 128, 129, 442])
    whole = x.ewm(span=9).var().to_list()
    assert whole == [x[k : k + 1].ewm(span=9).var().to_list()[0] for k in range(len(x))]
    with strategy.force(THREAD_VALUES=1, CACHE_VALUES=100):
        assert x.ewm(span=9).var().to_list() == whole


def test_nan_and_infinity_poison_later_items() -> None:
    x = aj.array([[1.0, math.nan, 2.0], [1.0, math.inf, 2.0]])
    assert_lists_equal(x.ewm(alpha=0.5).var().to_list(), [[None, math.nan, math.nan]] * 2)


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({}, JagValueError, "takes exactly one of alpha=, span= and halflife=, got none"),
        ({"alpha": 0.5, "span": 2}, JagValueError, "got alpha, span"),
        ({"alpha": 0}, JagValueError, "alpha must be more than 0 and at most 1, got 0"),
        ({"span": 0.5}, JagValueError, "span must be at least 1, got 0.5"),
        ({"halflife": -1}, JagValueError, "halflife must be more than 0, got -1"),
        ({"span": math.inf}, JagValueError, "span must be"),
        ({"alpha": True}, JagTypeError, "alpha must be a number, got bool"),
    ],
)
def test_refused_weights(options: Any, error: Any, text: str) -> None:
    for compute in (aj.array([[1]]).ewm, aj.array([[1]]).ewm_mean):
        with pytest.raises(error, match=text):
            compute(**options)


def test_the_object_and_the_methods_are_one() -> None:
    x = aj.array([[1, 2, 3], None])
    assert x.ewm(span=2).mean().equals(x.ewm_mean(span=2))
    assert x.ewm(span=2).var().equals(x.ewm_var(span=2))
    assert repr(x.ewm(span=2)) == "Ewm(span=2, axis=-1)"
    with pytest.raises(JagTypeError, match=r"ewm mean.*string"):
        aj.array([["a"]]).ewm(alpha=0.5).mean()
