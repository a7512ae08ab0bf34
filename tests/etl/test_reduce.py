"""`aj.etl.reduce`: combine the rows of a dataset."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import arrowjag as aj
from arrowjag.etl import JobError
from tests.etl.jobs import fail_at, row_of, table_of
from tests.hosts import pd, pl


def reduce(partial: Any, combine: Any, source: Path, **options: Any) -> Any:
    return aj.etl.reduce(partial, combine, source, **{"workers": 1, "frame": "arrow", "progress": False} | options)


def column_sums(frame: pl.DataFrame) -> pl.DataFrame:
    """Sums by position over the rows: a reduction over the row dim."""
    return pl.DataFrame({"sums": [aj.array(frame["v"]).sum(axis=0).to_list()], "rows": [frame.height]})


def test_a_reduction_over_the_rows(source: Path) -> None:
    def combine(parts: pl.DataFrame) -> tuple[list[float], int]:
        assert isinstance(parts, pl.DataFrame)
        return aj.array(parts["sums"]).sum(axis=0).to_list(), parts["rows"].sum()

    rows = [row_of(i) or [] for i in range(120)]
    expected = [sum(row[place] or 0 for row in rows if len(row) > place) for place in range(3)]
    for options in ({}, {"workers": 2, "batch_bytes": 700}):
        sums, count = reduce(column_sums, combine, source, frame="polars", **options)
        assert sums == pytest.approx(expected)
        assert count == 120


@pytest.mark.workers
def test_parts_come_in_the_order_of_the_rows(source: Path) -> None:
    ids = reduce(lambda table: table.select(["id"]), lambda parts: parts["id"].to_pylist(), source, workers=2, batch_bytes=500)
    assert ids == list(range(120))


def test_no_columns_have_rows(source: Path) -> None:
    assert reduce(len, sum, source, columns=[]) == 120
    assert reduce(len, sum, source, columns=[], filters=[("id", "<", 70)], frame="polars") == 70
    with pytest.raises(JobError, match="no columns, and Parquet stores rows in columns"):
        reduce(lambda frame: frame.select([]), len, source)


def test_values_that_are_no_frames_come_as_a_list(source: Path) -> None:
    assert reduce(len, sum, source) == 120
    assert reduce(lambda table: {"n": len(table)}, list, source) == [{"n": 40}] * 3


def test_pandas_parts(source: Path) -> None:
    def largest(frame: pd.DataFrame) -> pd.DataFrame:
        return frame.nlargest(2, "id")[["id"]]

    def combine(parts: pd.DataFrame) -> list[int]:
        assert isinstance(parts, pd.DataFrame)
        return list(parts.nlargest(2, "id")["id"])

    assert reduce(largest, combine, source, frame="pandas") == [119, 118]


def test_columns_and_filters(source: Path) -> None:
    found = reduce(lambda table: table, lambda parts: parts.to_pydict(), source, columns=["id"], filters=[("id", ">", 117)])
    assert found == {"id": [118, 119]}


def test_no_rows(tmp_path: Path) -> None:
    pq.write_table(table_of(range(0)), tmp_path / "a.parquet")
    assert reduce(lambda table: table, lambda parts: parts.column_names, tmp_path / "a.parquet") == ["id", "v"]
    assert reduce(len, sum, tmp_path / "a.parquet") == 0


def test_a_failing_function_names_its_input_or_skips_it(source: Path) -> None:
    with pytest.raises(JobError, match=r"f1\.parquet, row groups 0 to 3: ValueError: id 55 is bad"):
        reduce(fail_at(55), len, source)
    with pytest.warns(aj.JagWarning, match=r"reduce: the result lacks the rows of 1 task that failed, the first: \S+f1\.parquet"):
        assert reduce(fail_at(55), len, source, on_error="skip") == 80
    with pytest.raises(JobError, match=r"f0\.parquet, row groups 0 to 3: every task failed, the first with ZeroDivisionError"):
        reduce(lambda table: 1 // (table.num_rows == 0), sum, source, on_error="skip")  # the part of a frame without rows is 1
    with pytest.raises(aj.JagTypeError, match="partial must be a function of a frame, got NoneType"):
        reduce(None, sum, source)
    with pytest.raises(aj.JagTypeError, match="a frame for some batches and something else for others"):
        reduce(lambda table: table if table["id"][0].as_py() else 1, len, source)
    with pytest.raises(aj.JagTypeError, match="combine must be a function"):
        reduce(len, 3, source)
    with pytest.raises(aj.JagTypeError, match="can't be concatenated: with the columns id, v for one batch and id for another"):
        reduce(lambda table: table if 0 in table["id"].to_pylist() else table.select(["id"]), len, source)
    with pytest.raises(aj.JagTypeError, match="frames that can't be concatenated"):
        reduce(lambda table: pa.table({"x": [1] if table["id"][0].as_py() else ["a"]}), len, source)


@pytest.mark.workers
def test_a_partial_result_that_can_t_be_sent_is_named(source: Path) -> None:
    with pytest.raises(JobError, match="a partial result can't be sent to the driver: TypeError"):
        reduce(lambda table: threading.Lock(), len, source)
