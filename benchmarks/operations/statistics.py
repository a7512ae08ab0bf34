"""Statistics of rows, windows, histograms and vectors."""

from __future__ import annotations

import numpy as np

from benchmarks.case import FLOATS, Case, db, each, joined, pl, reduced

ONE = ("float64",)

MOMENTS = [
    Case("skew", lambda d: d.x.skew(), {"duckdb": db("list_skewness(x)")}, dtypes=FLOATS, touched=reduced),
    Case("kurtosis", lambda d: d.x.kurtosis(), {"duckdb": db("list_kurtosis(x)")}, dtypes=FLOATS, touched=reduced),
    Case(
        "sem",
        lambda d: d.x.sem(),
        {"polars": pl(lambda p: p.col("x").list.std() / p.col("x").list.len().sqrt())},
        dtypes=FLOATS,
        touched=reduced,
    ),
    Case("mad", lambda d: d.x.mad(), {"duckdb": db("list_mad(x)")}, dtypes=FLOATS, touched=reduced),
    Case(
        "entropy",
        lambda d: d.x.entropy(),
        {"polars": pl(lambda p: p.col("x").list.agg(p.element().entropy()))},
        dtypes=ONE,
        touched=reduced,
    ),
    Case("moment", lambda d: d.x.moment(3), dtypes=FLOATS, touched=reduced),
    Case(
        "ptp",
        lambda d: d.x.ptp(),
        {"polars": pl(lambda p: p.col("x").list.max() - p.col("x").list.min())},
        dtypes=FLOATS,
        touched=reduced,
    ),
    Case("bootstrap", lambda d: d.x.bootstrap(3, seed=1), dtypes=ONE),
    Case("corr", lambda d: d.x.corr(d.y), dtypes=FLOATS, touched=joined),
    Case("cov", lambda d: d.x.cov(d.y), dtypes=FLOATS, touched=joined),
    Case("linear_fit", lambda d: d.x.linear_fit(d.y), dtypes=FLOATS, touched=joined),
    Case(
        "mean_weighted",
        lambda d: d.x.mean(weights=d.x * d.x),
        {"polars": pl(lambda p: (p.col("x") * p.col("x") * p.col("x")).list.sum() / (p.col("x") * p.col("x")).list.sum())},
        dtypes=ONE,
        touched=joined,
    ),
    Case("quantile_weighted", lambda d: d.x.quantile(0.5, weights=d.x * d.x), dtypes=ONE, touched=joined),
    Case(
        "quantiles",
        lambda d: d.x.quantile([0.25, 0.5, 0.75]),
        {"duckdb": db("list_aggregate(x, 'quantile_cont', [0.25, 0.5, 0.75])")},
        dtypes=ONE,
    ),
    Case("rank_pct", lambda d: d.x.rank(pct=True), {"polars": each(lambda e: e.rank("ordinal") / e.len())}, dtypes=ONE),
    Case("sample_weighted", lambda d: d.x.sample(n=2, seed=1, weights=d.x * d.x), dtypes=ONE),
]

WINDOWS = [
    *(
        Case(
            f"rolling_{name}",
            lambda d, name=name: getattr(d.x, f"rolling_{name}")(3),
            {"polars": each(lambda e, name=name: getattr(e, f"rolling_{name}")(3))},
            dtypes=FLOATS,
        )
        for name in ("var", "std", "median")
    ),
    Case(
        "rolling_quantile",
        lambda d: d.x.rolling_quantile(3, 0.3),
        {"polars": each(lambda e: e.rolling_quantile(0.3, interpolation="linear", window_size=3))},
        dtypes=ONE,
    ),
    *(
        Case(
            f"rolling_{name}_of_100",
            lambda d, name=name: getattr(d.x, f"rolling_{name}")(100),
            {"polars": each(lambda e, name=name: getattr(e, f"rolling_{name}")(100))},
            dtypes=ONE,
        )
        for name in ("sum", "mean", "min", "max", "std", "median")
    ),
    Case("rolling_first", lambda d: d.x.rolling_first(3), dtypes=ONE),
    Case("rolling_last", lambda d: d.x.rolling_last(3), dtypes=ONE),
    Case(
        "rolling_min_periods",
        lambda d: d.x.rolling(3, min_periods=1).sum(),
        {"polars": each(lambda e: e.rolling_sum(3, min_samples=1))},
        dtypes=ONE,
    ),
    Case(
        "rolling_max_min_periods",
        lambda d: d.x.rolling(3, min_periods=1).max(),
        {"polars": each(lambda e: e.rolling_max(3, min_samples=1))},
        dtypes=ONE,
    ),
    Case("rolling_max_by_time", lambda d: d.x.rolling(3, on=d.k.cumsum()).max(), dtypes=ONE, touched=joined),
    Case("rolling_by_time", lambda d: d.x.rolling(3, on=d.k.cumsum()).sum(), dtypes=ONE, touched=joined),
    Case("expanding", lambda d: d.x.expanding().mean(), {"polars": each(lambda e: e.cum_sum() / e.cum_count())}, dtypes=ONE),
    Case("ewm_mean", lambda d: d.x.ewm_mean(alpha=0.5), {"polars": each(lambda e: e.ewm_mean(alpha=0.5))}, dtypes=ONE),
    Case("ewm_var", lambda d: d.x.ewm_var(alpha=0.5), dtypes=ONE),
    Case("pct_change", lambda d: d.x.pct_change(), {"polars": each(lambda e: e.pct_change())}, dtypes=ONE),
]

HISTOGRAMS = [
    Case("histogram", lambda d: d.x.histogram(5), dtypes=ONE),
    Case("histogram_edges", lambda d: d.x.histogram([0, 0.25, 0.5, 1]), dtypes=ONE),
    Case("bincount", lambda d: d.k.bincount(8), dtypes=ONE),
    Case("digitize", lambda d: d.x.digitize([0.25, 0.5]), dtypes=ONE),
    Case("cut", lambda d: d.x.cut([0, 0.5, 1]), dtypes=ONE),
]

VECTORS = [
    Case(
        "norm",
        lambda d: d.x.norm(),
        {"polars": pl(lambda p: (p.col("x") * p.col("x")).list.sum().sqrt())},
        dtypes=ONE,
        touched=reduced,
    ),
    Case(
        "normalize",
        lambda d: d.x.normalize(),
        {"polars": pl(lambda p: p.col("x") / (p.col("x") * p.col("x")).list.sum().sqrt())},
        dtypes=ONE,
    ),
    Case("cosine", lambda d: d.x.cosine(d.y), {"duckdb": db("list_cosine_similarity(x, y)")}, dtypes=ONE, touched=joined),
    Case("distance", lambda d: d.x.distance(d.y), {"duckdb": db("list_distance(x, y)")}, dtypes=ONE, touched=joined),
    Case("matmul", lambda d: d.x.unsqueeze(1).matmul(d.y), dtypes=ONE, touched=joined),
    Case("nearest", lambda d: d.x.filter(d.x.lengths() > 0).pad(20, 0.0).head(20).fill_null(0.0).nearest(np.eye(20)), dtypes=ONE),
]

CASES = [*MOMENTS, *WINDOWS, *HISTOGRAMS, *VECTORS]
