"""Every operation along a dim on every surface: the same call, the same answer as the array's."""

from __future__ import annotations

from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import arrowjag as aj
from arrowjag._methods import METHODS
from arrowjag.errors import JagTypeError
from arrowjag.testing import assert_lists_equal
from tests.surfaces import SURFACES, Surface, on_array

X = aj.array([[3, 1, 3, None], None, [], [2, -1]], type=pa.int64(), ndim=2)
F = aj.array([[0.5, float("nan")], [1.5, None], None, []], type=pa.float64(), ndim=2)
Y = aj.array([[1, 9], [4], [5], [2, 2]], type=pa.int64(), ndim=2)
K = aj.array([3, 1, 0, None], type=pa.int64(), ndim=1)
T = aj.array([["b", "a", None], [], None, ["c"]], type=pa.large_string(), ndim=2)
W = aj.array([[[2], [1, 2]], [[]], None, [None, [4, 3]]], type=pa.int64(), ndim=3)
P = aj.array([[1, 0], [0], None, []], type=pa.int64(), ndim=2)

REDUCTIONS = ["sum", "prod", "mean", "min", "max", "count", "lengths", "any", "all", "var", "std", "median", "argmin", "argmax"]
REDUCTIONS += ["first", "last", "mode", "n_unique", "collapse"]
SCANS = ["cumsum", "cumprod", "cummin", "cummax", "cumcount", "diff", "shift", "ffill", "bfill", "softmax", "cdf", "rank"]
MOVERS = ["sort", "argsort", "reverse", "unique", "value_counts", "group_by", "group_by_indices"]
WITHOUT_ARGUMENTS = [*REDUCTIONS, *SCANS, *MOVERS]

CALLS: list[tuple[str, Any, tuple[Any, ...], dict[str, Any]]] = [
    ("quantile", X, (0.5,), {}),
    ("join", T, ("-",), {}),
    ("dot", X, (X,), {}),
    ("sum", W, (), {"axis": (1, 2)}),
    ("sum", X, (), {"axis": ()}),
    ("count", W, (), {"axis": ()}),
    ("cumcount", W, (), {"axis": ()}),
    ("cumsum", W, (), {"axis": 1}),
    ("cumsum", W, (), {"axis": (1, 2)}),
    ("sort", W, (), {"axis": 1, "descending": True}),
    ("sort", T, (), {"descending": True}),
    ("sort", X, (), {"by": X * -1}),
    ("rank", X, ("average",), {"descending": True}),
    ("rank", X, (), {"tie_breaker": X * -1}),
    ("rank", X, (), {"tie_breaker": K, "axis": 1}),
    ("topk", X, (2,), {}),
    ("pad", X, (3, 7), {}),
    ("pad", W, (2, [7, None]), {"axis": 1}),
    ("pad", W, (2, []), {"axis": 1}),
    ("head", X, (2,), {}),
    ("head", X, (K,), {}),
    ("head", W, (K,), {"axis": 1}),
    ("tail", X, (K,), {}),
    ("slice", X, (K,), {}),
    ("slice", X, (K, 1), {}),
    ("slice", X, (-2, K), {}),
    ("slice", X, (K, K), {}),
    ("topk", W, (1,), {"axis": 1}),
    ("shift", X, (-1,), {"fill": 0}),
    ("shift", X, (1,), {"fill": K}),
    ("diff", F, (1,), {}),
    ("rolling.sum", X, (2,), {}),
    ("rolling.mean", F, (2,), {}),
    ("rolling.min", X, (2,), {}),
    ("rolling.max", T, (1,), {}),
    ("rolling.count", X, (2,), {}),
    ("rolling_sum", X, (2,), {}),
    ("softmax", F, (), {"beta": 2.0}),
    ("cdf", F, (), {"weights": K}),
    ("cdf", X, (), {"weights": X}),
    ("group_by", X, (X % 2,), {}),
    ("group_by", X, (X % 2, X), {}),
    ("group_by", X, (K,), {}),
    ("group_by_indices", X, (), {"sort": True}),
    ("inverse_permutation", P, (), {}),
    ("contains", X, (3,), {}),
    ("contains", X, (K,), {}),
    ("contains", X, (Y,), {}),
    ("is_in", X, ([1, 2],), {}),
    ("is_in", X, (Y,), {}),
    ("union", X, (Y,), {}),
    ("intersection", X, (Y,), {}),
    ("difference", X, (Y,), {}),
    ("searchsorted", Y, (X,), {}),
    ("searchsorted", Y, (3,), {"side": "right"}),
    ("searchsorted", W, (K,), {"axis": (1, 2)}),
    ("translate", X, (aj.array([1, 2, 3]), aj.array(["one", "two", "three"])), {}),
    ("translate", X, (X.unique(), X.unique() * 10), {}),
    ("translate", X, (aj.array([[1], [3], [2], [4]]), aj.array([[10], [30], [20], [40]])), {"axis": None}),
    ("translate", X, (W.filter(W > 2), W.filter(W > 2) * 10), {"axis": (1, 2)}),
    ("combinations", X, (2,), {}),
    ("pairs", X, (Y,), {}),
    ("sample", X, (), {"n": 1, "seed": 3}),
    ("sample", X, (), {"fraction": 0.5, "seed": 3}),
    ("sample", X, (), {"n": K, "seed": 3}),
    ("shuffle", X, (3,), {}),
    ("map_rows", X, (len, pa.int64()), {}),
]


@pytest.mark.parametrize("name", WITHOUT_ARGUMENTS)
@pytest.mark.parametrize("x", [X, F, W], ids=["integers", "floats", "deep"])
def test_without_arguments(surface: Surface, name: str, x: aj.JaggedArray) -> None:
    assert_lists_equal(surface(x, name), on_array(x, name))


@pytest.mark.parametrize(("name", "x", "args", "kwargs"), CALLS, ids=[f"{k}-{call[0]}" for k, call in enumerate(CALLS)])
def test_with_arguments(surface: Surface, name: str, x: aj.JaggedArray, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    assert_lists_equal(surface(x, name, *args, **kwargs), on_array(x, name, *args, **kwargs))


@pytest.mark.parametrize("name", ["sum", "mean", "max", "count", "any"])
def test_aggregates_over_the_rows(name: str) -> None:
    for key in ("array", "pandas", "polars"):
        assert_lists_equal(SURFACES[key](X, name, axis=0), on_array(X, name, axis=0))


def test_every_operation_along_a_dim_is_called_here() -> None:
    called = {*WITHOUT_ARGUMENTS, *(call[0].partition(".")[0] for call in CALLS)}
    takes_axis = {name for name, one in METHODS.items() if "axis" in one.signature.parameters}
    elsewhere = {"is_null", "validity", "with_validity", "fill_null_rows", "take", "filter"}
    elsewhere |= {"unsqueeze", "squeeze", "rolling_mean", "rolling_min", "rolling_max", "rolling_count"}
    assert takes_axis - called - elsewhere == set()


def test_a_flat_column_as_a_set_is_seen_whole() -> None:
    df = pl.DataFrame({"x": X.to_polars(), "k": K.to_polars()})
    expected = X.is_in(K).to_list()
    for engine in ("in-memory", "streaming"):
        got = df.lazy().select(pl.col("x").jag.is_in(pl.col("k"))).collect(engine=engine)["x"]
        assert aj.array(got).to_list() == expected
    parts = pl.concat([df[:1], df[1:]], rechunk=False)
    assert aj.array(parts.select(pl.col("x").jag.is_in(pl.col("k")))["x"]).to_list() == expected


def test_a_value_a_row_is_aligned_on_the_index() -> None:
    s = aj.array([[1, 2], [3]]).to_pandas(index=["a", "b"])
    assert s.jag.contains(pd.Series([3, 9], index=["b", "a"])).tolist() == [False, True]


def test_one_sorted_row_is_no_expression() -> None:
    assert pd.Series([1, 5, 9]).jag.searchsorted([4, 6, 7]).tolist() == [1, 2, 2]
    with pytest.raises(JagTypeError, match="searchsorted changes the rows"):
        pl.DataFrame({"k": [1, 2]}).select(pl.col("k").jag.searchsorted(pl.col("k")))


def test_keys_of_the_rows_are_aligned_on_the_index() -> None:
    s = aj.array([[1, 2], [3], [4]]).to_pandas(index=["a", "b", "c"])
    key = pd.Series([2, 1, 1], index=["c", "b", "a"])
    assert aj.array(s.jag.group_by(key, axis=0)).to_list() == [[[1, 2], [3]], [[4]]]
    assert aj.array(s.jag.sort(by=key, descending=True, axis=0)).to_list() == [[4], [1, 2], [3]]
