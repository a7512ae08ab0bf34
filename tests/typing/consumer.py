"""The types that a project sees: mypy and pyright read this file, and it runs as well.

`assert_type` states what a checker must infer. An `Any` beside `JaggedArray` stands for an Arrow scalar, which comes where no
dim is left; pyarrow has no annotations.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, assert_type

import numpy as np
import pandas as pd
import polars as pl

import arrowjag as aj
from arrowjag.pandas import SeriesJag
from arrowjag.polars import JagExpr, JagNamespace, JagSeries


def arrays() -> None:
    x = assert_type(aj.array([[1, 2, 3], [4]]), aj.JaggedArray)
    assert_type(x * 2 - 1, aj.JaggedArray)
    assert_type(10 / x, aj.JaggedArray)
    assert_type(x == 2, aj.JaggedArray)
    assert_type(~(x > 1), aj.JaggedArray)
    assert_type(divmod(x, 2), tuple[aj.JaggedArray, aj.JaggedArray])
    assert_type(abs(-x), aj.JaggedArray)
    assert_type(x.cumsum().sort(descending=True).topk(2), aj.JaggedArray)
    assert_type(x.filter(x > 1).fill_null(0), aj.JaggedArray)
    assert_type(x.flatten(), aj.JaggedArray)
    assert_type(x.image(), tuple[aj.JaggedArray, ...])
    assert_type(x.shape, aj.JaggedShape)
    assert_type(x.ndim, int)
    assert_type(len(x), int)
    assert_type(x.to_list(), list[Any])
    assert_type(aj.arange(2, [2, 1]), aj.JaggedArray)
    assert_type(aj.zeros(2, [2, 1]), aj.JaggedArray)
    assert_type(x.rolling(2).mean(), aj.JaggedArray)
    assert_type(x.ewm(alpha=0.5).var(), aj.JaggedArray)


def depends() -> None:
    x = aj.array([[1, 2, 3], [4]])
    assert_type(x.sum(), aj.JaggedArray | Any)
    assert_type(x.mean(axis=0), aj.JaggedArray | Any)
    total = x.sum()
    assert isinstance(total, aj.JaggedArray)
    assert_type(total, aj.JaggedArray)
    assert_type(x[1], aj.JaggedArray | Any)
    assert_type(x[:, 0], aj.JaggedArray | Any)
    assert_type(x[::-1], aj.JaggedArray)
    assert_type(aj.where(x > 1, x, 0), aj.JaggedArray | Any)


def fields() -> None:
    records = aj.array([[{"a": 1, "b": 2.0}], []])
    assert_type(records["a"], aj.JaggedArray)
    assert_type(records[["a", "b"]], aj.JaggedArray)
    assert_type(records.with_fields(c=records["a"] * 2), aj.JaggedArray)


def transposed() -> None:
    x = aj.array([[1, 2], [3]])
    assert_type(x.transpose(0, 1, "allow"), aj.JaggedArray)
    pair = x.transpose(0, 1, "allow", return_inverse=True)
    assert_type(pair[0], aj.JaggedArray)
    assert isinstance(pair[1], np.ndarray)


def in_pandas() -> None:
    series = aj.array([[1, 2], [3]]).to_pandas(index=["a", "b"])
    assert isinstance(series, pd.Series)
    jag = assert_type(SeriesJag(series), SeriesJag)
    assert isinstance(jag.cumsum(), pd.Series)
    assert isinstance(jag * 2, pd.Series)
    assert_type(jag.rolling(2).sum(), "pd.Series[Any]")


def in_polars() -> None:
    series = assert_type(aj.array([[1, 2], [3]]).to_polars("v"), pl.Series)
    assert_type(JagSeries(series).cumsum(), pl.Series)
    assert_type(JagSeries(series) + 1, pl.Series)
    column = assert_type(JagNamespace(pl.col("v")), JagNamespace)
    assert_type(column * pl.col("k"), JagExpr)
    assert_type((column - column.mean()).jag.sum(axis=-1), JagExpr)
    assert_type(column[:, 0], JagExpr)
    assert_type(column.expanding().max(), JagExpr)
    assert_type(JagSeries(series).rolling(2).first(), pl.Series)
    frame = series.to_frame().with_columns(column.sum().alias("total"))
    assert_type(frame, pl.DataFrame)


def on_disk() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.parquet"
        aj.write_parquet(aj.array([[1, 2], [3]]).to_polars("v").to_frame(), path)
        assert path.exists()


ALL = (arrays, depends, fields, transposed, in_pandas, in_polars, on_disk)
