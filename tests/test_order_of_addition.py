"""The order of addition: the result of a row depends on that row alone, bit for bit."""

from __future__ import annotations

import functools
import operator

import numpy as np
import pyarrow as pa
import pytest

import arrowjag as aj
from arrowjag._kernels import strategy
from arrowjag._kernels.base import blocks
from tests.hosts import pd, pl

LENGTHS = [0, 1, 2, 3, 7, 8, 9, 31, 127, 128, 129, 255, 256, 300, 1000, 4, 0, 5]

OPERATIONS = {
    "sum": lambda x: x.sum(),
    "mean": lambda x: x.mean(),
    "var": lambda x: x.var(),
    "std": lambda x: x.std(ddof=0),
    "sum of nulls": lambda x: x.sum(skip_nulls=False),
    "prod": lambda x: (x / 1e3).prod(),
    "cumsum": lambda x: x.cumsum(),
    "cumprod": lambda x: x.cumprod(),
    "softmax": lambda x: (x / x.abs().max()).softmax(),
    "dot": lambda x: x.dot(x * 0.7),
    "rolling": lambda x: x.rolling(3).mean(),
    "median": lambda x: x.median(),
    "quantile": lambda x: x.quantile(0.3),
    "cdf": lambda x: x.cdf(weights=x.abs()),
    "skew": lambda x: x.skew(),
    "kurtosis": lambda x: x.kurtosis(),
    "sem": lambda x: x.sem(),
    "moment": lambda x: x.moment(5),
    "entropy": lambda x: x.abs().entropy(),
    "weighted mean": lambda x: x.mean(weights=x.abs()),
    "cov": lambda x: x.cov(x.reverse()),
    "corr": lambda x: x.corr(x.reverse()),
    "norm": lambda x: x.norm(3),
    "cosine": lambda x: x.cosine(x.reverse()),
    "distance": lambda x: x.distance(x.reverse()),
    "windows": lambda x: x.rolling(20, min_periods=1, center=True).sum(),
    "windows by time": lambda x: x.rolling(9, on=x.cumcount().ffill().fill_null(0)).mean(),
    "variances of windows": lambda x: x.rolling(20, min_periods=2).var(),
    "expanding": lambda x: x.expanding().std(),
    "ewm": lambda x: x.ewm(span=30).var(),
}

WAYS = {
    "numpy": {"row_sum": "numpy", "variance": "numpy", "central": "numpy", "decay": "numpy", "window": "numpy"},
    "polars": {"row_sum": "polars", "variance": "numpy"},
    "compiled": {
        **dict.fromkeys(("row_sum", "product", "running", "variance", "central", "decay", "window"), "compiled"),
        "COMPILED_VALUES": 0,
    },
    "small blocks": {"THREAD_VALUES": 1, "CACHE_VALUES": 32, "LARGE_VALUES": 64},
}


def column(type="float64", nulls=True):
    """Rows whose sums differ in every other order: values over 30 powers of ten."""
    rng = np.random.default_rng(5)
    n = sum(LENGTHS)
    values = pa.array(rng.normal(size=n) * 10.0 ** rng.integers(-8 if type == "float32" else -15, 8, n)).cast(type, safe=False)
    if nulls:
        values = pa.array(values.to_pylist(), type=type, mask=rng.random(n) < 0.15)
    return aj.from_sizes(values, LENGTHS)


def bits(found):
    """Results as text that tells -0.0 from 0.0 and shows every digit."""
    return repr(found.to_list())


@pytest.fixture(
    scope="module", params=[("float64", True), ("float64", False), ("float32", True)], ids=lambda one: f"{one[0]}-{one[1]}"
)
def rows(request):
    return column(*request.param)


@pytest.fixture(scope="module")
def alone(rows):
    """The result of each operation for each row, computed alone."""
    with aj.options(compile="never"):
        return {name: repr([f(rows[k : k + 1]).to_list()[0] for k in range(len(rows))]) for name, f in OPERATIONS.items()}


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_row_among_others(name, rows, alone):
    assert bits(OPERATIONS[name](rows)) == alone[name]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", OPERATIONS)
def test_by_every_strategy(name, way, rows, alone):
    if way == "compiled":
        pytest.importorskip("numba")
    with aj.options(compile="always" if way == "compiled" else "never"), strategy.force(**WAYS[way]):
        assert bits(OPERATIONS[name](rows)) == alone[name]


@pytest.mark.parametrize("name", OPERATIONS)
def test_in_other_company(name, rows, alone):
    order = np.random.default_rng(1).permutation(len(rows))
    many = aj.concat([rows[order], column(str(rows.type))[3:9], rows])
    found = OPERATIONS[name](many).to_list()
    back = np.argsort(order)
    assert repr([found[k] for k in back]) == alone[name]
    assert repr(found[-len(rows) :]) == alone[name]


@pytest.mark.parametrize("name", ["sum", "mean", "var", "std", "cumsum", "dot"])
def test_in_chunks_and_on_every_surface(name, rows, alone):
    lists = rows.to_arrow(extension=False)
    chunks = pa.chunked_array([lists[:5], lists[5:5], lists[5:14], lists[14:]])
    assert bits(OPERATIONS[name](aj.array(chunks))) == alone[name]
    series = pd.Series(rows)
    assert repr(aj.array(OPERATIONS[name](series.jag)).to_list()) == alone[name]
    frame = pl.DataFrame({"v": pl.Series(chunks)})
    for engine in ("in-memory", "streaming"):
        found = frame.lazy().select(OPERATIONS[name](pl.col("v").jag).alias("v")).collect(engine=engine)["v"]
        assert repr(found.to_list()) == alone[name]


def test_one_huge_row_is_shared_among_threads():
    rng = np.random.default_rng(0)
    values = rng.normal(size=300_001) * 10.0 ** rng.integers(-9, 9, 300_001)
    # Not by `sum`: since Python 3.12 it compensates for rounding.
    pieces = [functools.reduce(operator.add, values[k : k + 128].tolist(), 0.0) for k in range(0, len(values), 128)]
    expected = functools.reduce(operator.add, pieces, 0.0)
    x = aj.from_sizes(values, [len(values)])
    with aj.options(compile="never"):
        assert x.sum().to_list() == [expected]
        with strategy.force(LARGE_VALUES=1000, CACHE_VALUES=256):
            assert x.sum().to_list() == [expected]


@pytest.mark.parametrize("nulls", [False, True])
@pytest.mark.parametrize("type", ["float32", "float64", "int32"])
@pytest.mark.parametrize("sizes", [[300_001], [1023, 250_000], [1024 * 64, 1024 * 64 + 1], [50_000, 0], [127, 99_999]])
@pytest.mark.parametrize("cores", [1, 2, 7])
def test_pieces_of_huge_rows_are_added_in_order_by_each_strategy(sizes, type, nulls, cores, monkeypatch):
    rng = np.random.default_rng(sum(sizes))
    values = (rng.normal(size=sum(sizes)) * 10.0 ** rng.integers(0, 9, sum(sizes))).astype(type)
    x = aj.from_sizes(pa.array(values, mask=rng.random(len(values)) < 0.1 if nulls else None), sizes)
    calls = (aj.JaggedArray.sum, aj.JaggedArray.mean, aj.JaggedArray.var, aj.JaggedArray.std)
    with aj.options(compile="never"):
        alone = [[f(x[k : k + 1]).to_list()[0] for k in range(len(x))] for f in calls]
    monkeypatch.setattr(blocks, "n_cores", lambda: max(cores, len(sizes)))
    for way in ("numpy", "compiled"):
        if way == "compiled":
            pytest.importorskip("numba")
        with (
            aj.options(compile="always" if way == "compiled" else "never"),
            strategy.force(**WAYS[way], LARGE_VALUES=1000, CACHE_VALUES=1 << 12),
        ):
            assert repr([f(x).to_list() for f in calls]) == repr(alone), way


def test_huge_rows_of_nulls():
    pytest.importorskip("numba")
    x = aj.from_sizes(pa.array([None] * 3000 + [1.5] * 3000, pa.float64()), [3000, 3000])
    with aj.options(compile="always"), strategy.force(**WAYS["compiled"], LARGE_VALUES=1000):
        assert x.var().to_list() == [None, 0.0]
        assert x.sum().to_list() == [0.0, 4500.0]


@pytest.mark.parametrize("type", ["float16", "float32", "float64"])
def test_along_an_outer_axis_floats_are_added_in_the_order_of_rows(type):
    rng = np.random.default_rng(3)
    items = (rng.normal(size=300) * 10.0 ** rng.integers(-2, 3, 300)).astype(type)
    valid = rng.random(300) < 0.9
    x = aj.from_sizes(pa.array(items, mask=~valid), np.ones(300, int))
    expected = 0.0
    for item, known in zip(items.tolist(), valid, strict=True):
        expected += item if known else 0.0
    expected = np.dtype(type).type(expected).item()
    assert x.sum(axis=0).to_list() == [expected]
    assert x.sum(axis=0, min_count=5).to_list() == [expected]
    assert x.sum(axis=0, min_count=299).to_list() == [None]
    assert x.sum(axis=0, skip_nulls=False).to_list() == [None]
