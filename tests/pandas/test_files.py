"""Jagged columns through pandas' own readers and writers, Arrow tables and duckdb."""

from __future__ import annotations

import pathlib
import subprocess
import sys
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import arrowjag as aj
from arrowjag.pandas._versions import NO_CAPSULES
from tests.hosts import LEAVE


@pytest.fixture
def frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "k": [1, 2, 3],
            "v": aj.array([[1, None], None, []]).to_pandas(),
            "deep": aj.array([[["a"], []], None, [[None]]]).to_pandas(),
            "fixed": pd.Series([[1.0, 2.0], None, [3.0, 4.0]], dtype="jagged[float, 2, extents=(2,)]"),
        }
    )


def test_parquet(frame: pd.DataFrame, tmp_path: pathlib.Path) -> None:
    frame.to_parquet(tmp_path / "a.parquet")
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "a.parquet"), frame)
    nullable = pd.read_parquet(tmp_path / "a.parquet", dtype_backend="numpy_nullable")
    assert nullable["v"].dtype == frame["v"].dtype
    arrow = pd.read_parquet(tmp_path / "a.parquet", dtype_backend="pyarrow")
    pd.testing.assert_frame_equal(arrow[["v", "deep", "fixed"]], frame[["v", "deep", "fixed"]])
    kept = frame["v"].astype(pd.ArrowDtype(frame["v"].dtype.arrow_type))
    assert (isinstance(kept.dtype, pd.ArrowDtype), kept.jag.to_list()) == (True, [[1, None], None, []])
    assert kept.astype(frame["v"].dtype).equals(frame["v"])
    one = pd.read_parquet(tmp_path / "a.parquet", columns=["v"], filters=[("k", "<", 3)])
    assert one["v"].jag.to_list() == [[1, None], None]


def test_feather_and_pickle(frame: pd.DataFrame, tmp_path: pathlib.Path) -> None:
    frame.to_feather(tmp_path / "a.feather")
    pd.testing.assert_frame_equal(pd.read_feather(tmp_path / "a.feather"), frame)
    frame.to_pickle(tmp_path / "a.pickle")
    pd.testing.assert_frame_equal(pd.read_pickle(tmp_path / "a.pickle"), frame)


def test_arrow_tables(frame: pd.DataFrame) -> None:
    table = pa.table(frame)
    assert table.schema.field("v").type == frame["v"].dtype.arrow_type
    pd.testing.assert_frame_equal(table.to_pandas(), frame)
    if not NO_CAPSULES:
        pd.testing.assert_frame_equal(pd.DataFrame.from_arrow(table), frame)
        assert pd.Series.from_arrow(table["v"]).dtype == frame["v"].dtype
        assert pd.Series.from_arrow(aj.array([[1]])).dtype == "jagged[int64, 2]"
    assert pa.table(frame, schema=pa.schema([("v", pa.list_(pa.int32()))])).column("v").to_pylist() == [[1, None], None, []]
    chunks = pa.concat_tables([table, table])
    assert chunks.to_pandas()["deep"].jag.to_list() == 2 * frame["deep"].jag.to_list()


def test_frames_without_rows(frame: pd.DataFrame, tmp_path: pathlib.Path) -> None:
    frame[:0].to_parquet(tmp_path / "a.parquet")
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "a.parquet"), frame[:0])


def test_convert_dtypes_keeps_the_column(frame: pd.DataFrame) -> None:
    assert frame["v"].convert_dtypes().dtype == frame["v"].dtype


def test_duckdb_reads_the_table_of_a_frame(frame: pd.DataFrame) -> None:
    duckdb = pytest.importorskip("duckdb")
    table = pa.table(frame[["k", "v"]])  # duckdb knows Arrow tables, and no dtypes of pandas that are not its own
    found = duckdb.connect().from_arrow(table)
    rows = found.project("k, list_sum(v) as total").order("k").fetchall()
    assert rows == [(1, 1), (2, None), (3, None)]
    back: Any = aj.from_arrow(found.project("v").to_arrow_table()["v"])
    assert back.to_list() == [[1, None], None, []]


def test_files_of_our_writer_are_read_without_arrowjag(frame: pd.DataFrame, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.parquet"
    aj.write_parquet(frame, path)
    pd.testing.assert_frame_equal(pd.read_parquet(path), frame)
    code = f"""
import pandas as pd, sys
frame = pd.read_parquet({str(path)!r})
assert "arrowjag" not in sys.modules
print([None if row is None else list(row) for row in frame["v"]])
{LEAVE}
"""
    child = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=tmp_path)
    assert "None" in child.stdout
    assert pq.read_metadata(path).num_rows == 3


def test_nested_columns_of_other_writers_become_jagged(tmp_path: pathlib.Path) -> None:
    """Objects would be arrays and dicts in which whole numbers beside nulls are floats."""
    big = 2**53 + 1
    columns = {
        "list": (pa.array([[big, None], None, []]), "jagged[int64, 2]"),
        "lists": (pa.array([[[big], None], None, []]), "jagged[int64, 3]"),
        "fixed": (pa.array([[1, 2], None, [3, 4]], pa.list_(pa.int64(), 2)), "jagged[int64, 2, extents=(2,)]"),
        "structs": (pa.array([[{"a": big}, None], None, []]), 'jagged[struct<"a": int64>, 2]'),
        "times": (pa.array([[1, None], None, []], pa.list_(pa.timestamp("us", "UTC"))), "jagged[timestamp[us, tz=UTC], 2]"),
        "words": (
            pa.array([["a"], None, []], pa.list_(pa.dictionary(pa.int8(), pa.string()))),
            "jagged[dictionary<string, int8>, 2]",
        ),
        "struct": (pa.array([{"a": big, "b": [big, None]}, None, {"a": None, "b": []}]), None),
        "map": (pa.array([[("a", big)], None, []], pa.map_(pa.string(), pa.int64())), None),
    }
    table = pa.table({name: column for name, (column, _) in columns.items()} | {"k": [1, 2, 3]})
    pq.write_table(table, tmp_path / "foreign.parquet")
    frame = aj.read_parquet(tmp_path / "foreign.parquet", to="pandas")
    for name, (column, dtype) in columns.items():
        assert frame[name].dtype == (dtype or pd.ArrowDtype(column.type)), name
        assert pa.array(frame[name].array).to_pylist() == column.to_pylist()
    assert frame["k"].dtype == np.int64
    aj.write_ipc(table, tmp_path / "foreign.arrow")
    assert aj.read_ipc(tmp_path / "foreign.arrow", to="pandas").dtypes.equals(frame.dtypes)


def test_dictionaries_of_numbers_come_back(tmp_path) -> None:
    """Parquet stores them as numbers, and only text comes back as a dictionary."""
    x = aj.array([[4, None], None, [], [4]], type=pa.int64()).cast(pa.dictionary(pa.int8(), pa.int64()))
    frame = pd.DataFrame({"v": x.to_pandas()})
    frame.to_parquet(tmp_path / "frame.parquet")
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "frame.parquet"), frame)


@pytest.mark.parametrize(
    "column",
    [
        pa.array(["b", None, "a"]).dictionary_encode(),
        pa.DictionaryArray.from_arrays(pa.array([1, None, 0], pa.int8()), pa.array(["b", "a"]), ordered=True),
        pa.array([b"abc", None, b"abd"], pa.binary(3)),
    ],
    ids=lambda column: str(column.type),
)
def test_flat_columns_whose_dtype_pandas_cannot_name(column: pa.Array, tmp_path: pathlib.Path) -> None:
    frame = pd.DataFrame({"v": aj.array(column).to_pandas(), "c": pd.Categorical(["x", None, "x"])})
    aj.write_parquet(frame, tmp_path / "a.parquet")
    aj.write_ipc(frame, tmp_path / "a.arrow")
    frame.to_feather(tmp_path / "theirs.arrow")
    for got in (
        aj.read_parquet(tmp_path / "a.parquet", to="pandas"),
        aj.read_ipc(tmp_path / "a.arrow", to="pandas"),
        aj.read_ipc(tmp_path / "theirs.arrow", to="pandas"),
        pd.read_parquet(tmp_path / "a.parquet"),
    ):
        assert aj.array(got["v"]).to_list() == column.to_pylist()
        assert isinstance(got["c"].dtype, pd.CategoricalDtype)


@pytest.mark.parametrize("count", [0, 4])
def test_runs_are_decoded(count: int, tmp_path: pathlib.Path) -> None:
    """pyarrow alone makes floats of integers in runs beside nulls."""
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([2, 3, 4], pa.int32()), pa.array([2**60 + 1, None, 5]))
    columns = {"flat": runs, "lists": pa.ListArray.from_arrays(pa.array([0, 2, 2, 3, 4], pa.int32()), runs)}
    aj.write_ipc(pa.table(columns).slice(0, count), tmp_path / "a.arrow")
    frame = aj.read_ipc(tmp_path / "a.arrow", to="pandas")
    assert frame["flat"].tolist() == [2**60 + 1, 2**60 + 1, pd.NA, 5][:count]
    assert frame["lists"].dtype == "jagged[int64, 2]"
    assert frame["lists"].jag.to_list() == [[2**60 + 1] * 2, [], [None], [5]][:count]
