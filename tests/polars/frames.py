"""Columns that the tests of the polars surface compute with."""

from __future__ import annotations

from typing import Any

import polars as pl
import pyarrow as pa

import arrowjag as aj
from arrowjag.testing import assert_lists_equal

ROWS: dict[str, tuple[list[Any], pa.DataType | None, int]] = {
    "v": ([[1, 2], [3], None, [], [4, None]], pa.int64(), 2),
    "w": ([[[1], [2, 3]], [[4]], None, [], [[], None]], pa.int64(), 3),
    "f": ([[1.5, -2.0], [0.0], None, [], [float("nan"), 4.0]], pa.float64(), 2),
    "b": ([[True, False], [True], None, [], [None, False]], pa.bool_(), 2),
    "t": ([["x", "y"], ["z"], None, [], ["w", None]], pa.large_string(), 2),
    "k": ([10, 20, 30, None, 50], pa.int64(), 1),
    "g": (["a", "b", "a", "b", "a"], pa.large_string(), 1),
}


def arrays() -> dict[str, aj.JaggedArray]:
    return {name: aj.array(rows, type=type, ndim=ndim) for name, (rows, type, ndim) in ROWS.items()}


def frame(extension: bool = True) -> pl.DataFrame:
    return pl.DataFrame({name: array.to_polars(name, extension=extension) for name, array in arrays().items()})


def chunked(df: pl.DataFrame) -> pl.DataFrame:
    """The same rows in several chunks, each a slice of something longer."""
    longer = pl.concat([df, df, df], rechunk=True)
    n = df.height
    pieces = [longer.slice(n, 2), longer.slice(2, 0), longer.slice(2 * n + 2, n - 2)]
    return pl.concat(pieces, rechunk=False)


def results(df: pl.DataFrame, expr: pl.Expr) -> list[pl.Series]:
    """An expression's column by both engines, and by the schema's word of its dtype."""
    lazy = df.lazy().select(expr.alias("result"))
    made = [lazy.collect(engine=engine)["result"] for engine in ("in-memory", "streaming")]
    for one in made:
        assert one.dtype == lazy.collect_schema()["result"]
    return made


def assert_same(got: pl.Series, expected: aj.JaggedArray) -> None:
    array = aj.polars.from_series(got)
    assert array.ndim == expected.ndim, f"{got.dtype} for {expected.shape}"
    assert_lists_equal(array.to_list(), expected.to_list())
