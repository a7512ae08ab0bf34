"""The sign of zeros: an extreme is never -0.0, whichever algorithm finds it and however the rows are divided."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._kernels import strategy
from tests.compiled_calls import forced
from tests.hosts import pd, pl

OPERATIONS: dict[str, Callable[[Any], Any]] = {
    "min": lambda x: x.min(),
    "max": lambda x: x.max(),
    "cummin": lambda x: x.cummin(),
    "cummax": lambda x: x.cummax(),
    "rolling min": lambda x: x.rolling(2).min(),
    "rolling max": lambda x: x.rolling(3, min_periods=1, center=True).max(),
    "rolling sum": lambda x: x.rolling(2).sum(),
    "rolling mean": lambda x: x.rolling(3).mean(),
    "rolling sum of one": lambda x: x.rolling(1).sum(),
    "rolling mean of one": lambda x: x.rolling(1).mean(),
    "greatest of two": lambda x: np.fmax(x, -0.0),
    "least of two": lambda x: np.fmin(-0.0, x),
    "maximum of two": lambda x: np.maximum(x, x.reverse()),
    "minimum of two": lambda x: np.minimum(x.reverse(), x),
    "expanding max": lambda x: x.expanding().max(),
    "median": lambda x: x.median(),
    "quantile": lambda x: x.quantile(0.4, "higher"),
    "quantiles": lambda x: x.quantile([0.0, 0.5, 1.0]),
    "rolling median": lambda x: x.rolling(3, min_periods=1).median(),
    "ptp": lambda x: x.ptp(),
}
REDUCTIONS = ("min", "max", "median", "ptp")

WAYS: dict[str, dict[str, Any]] = {
    "as chosen": {},
    "numpy": dict.fromkeys(("row_reduction", "extreme", "running", "select", "window", "window_quantile"), "numpy"),
    "polars": {"row_reduction": "polars", "extreme": "numpy"},
    "compiled": {**dict.fromkeys(("extreme", "running", "select", "window", "window_quantile"), "compiled"), "COMPILED_VALUES": 0},
    "partitioned": {"quantile": "select", "select": "numpy", "scan": "slots", "SMALL_VALUES": 0},
    "threads": {"THREAD_VALUES": 1, "CACHE_VALUES": 8, "LARGE_VALUES": 8},
}

zeros = st.sampled_from([0.0, -0.0, 0.0, -0.0, None, float("nan"), 1.0, -1.0])
columns = st.lists(st.one_of(st.none(), st.lists(zeros, max_size=40)), min_size=1, max_size=12)


def signs(found: Any) -> str:
    return repr(found.to_list())


def by_rows(name: str, lists: list[Any]) -> list[Any]:
    """The result of one row of Python numbers; zeros without a sign."""
    found = []
    for row in lists:
        items = [item for item in row or [] if item is not None]
        numbers = [item for item in items if not math.isnan(item)] or items
        found.append((max if name == "max" else min)(numbers) + 0.0 if numbers else None)
    return found


@pytest.mark.parametrize("way", WAYS)
@given(columns, st.sampled_from(["float64", "float32", "float16"]))
def test_extremes_are_never_negative_zero(way: str, lists: list[Any], type: str) -> None:
    if way == "compiled":
        pytest.importorskip("numba")
    x = aj.array(lists, type=type, ndim=2)
    with aj.options(compile="always" if way == "compiled" else "never"), strategy.force(**WAYS[way]):
        for name, function in OPERATIONS.items():
            if type == "float16" and "rolling" in name:
                continue
            assert "-0.0" not in signs(function(x)), name
        assert signs(x.min()) == repr(by_rows("min", lists))
        assert signs(x.max()) == repr(by_rows("max", lists))
        assert "-0.0" not in repr([getattr(x, name)(axis=axis) for name in ("min", "max") for axis in (0, None)])


@given(columns, st.integers(0, 12))
def test_chunks_and_lazy_frames_agree(lists: list[Any], cut: int) -> None:
    x = aj.array(lists, type="float64", ndim=2)
    storage = x.to_arrow(extension=False)
    chunks = pa.chunked_array([storage[:cut], storage[cut:]])
    frame = pl.DataFrame({"v": pl.Series(chunks)})
    for name in REDUCTIONS:
        expected = signs(OPERATIONS[name](x))
        assert signs(OPERATIONS[name](aj.array(chunks))) == expected
        assert signs(aj.array(OPERATIONS[name](pd.Series(x).jag), nan_to_null=False)) == expected
        for lazy in (
            frame.lazy().select(OPERATIONS[name](pl.col("v").jag)),
            frame.select(OPERATIONS[name](pl.col("v").jag)).lazy(),
        ):
            assert repr(lazy.collect(engine="streaming").to_series().to_list()) == expected


def test_many_rows_of_zeros() -> None:
    draw = np.random.default_rng(0)
    sizes = draw.poisson(10, 5_000)
    x = aj.from_sizes(draw.choice([0.0, -0.0], int(sizes.sum())), sizes)
    for name, function in OPERATIONS.items():
        assert "-0.0" not in signs(function(x)), name
    frame = pl.DataFrame({"v": x.to_polars()})
    assert not np.signbit(frame.select(pl.col("v").jag.max())["v"].drop_nulls().to_numpy()).any()


@pytest.mark.parametrize("seed", range(4))
def test_fused_extremes_too(seed: int) -> None:
    draw = np.random.default_rng(seed)
    sizes = draw.integers(0, 5, 60)
    x = aj.from_sizes(draw.choice([0.0, -0.0, np.nan], int(sizes.sum())), sizes)
    function = lambda x: ((-x).max(), (x * -1.0).min(), x - x.min(), (-x).rolling_sum(2), (-x).rolling_mean(3))  # noqa: E731
    with forced("compiled") as taken:
        found = [signs(one) for one in aj.jit(function)(x)]
    assert taken["loop", "compiled"]
    assert found == [signs(one) for one in function(x)]
