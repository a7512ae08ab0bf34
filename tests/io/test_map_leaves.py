"""Keys and values of map columns by name: `columns=["m.key"]`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import arrowjag as aj
from arrowjag.io._schemas import conform, restored
from tests.hosts import pd, pl

POINT = pa.struct([("x", pa.int64()), ("y", pa.float64())])
MAP = pa.map_(pa.string(), POINT)
A, B = {"x": 1, "y": 0.5}, {"x": None, "y": None}
TABLE = pa.table(
    {
        "m": pa.array([[("a", A), ("b", None)], [], None, [("c", B)]], MAP),
        "lm": pa.array([[[("a", A)], None, []], [], None, [None]], pa.list_(MAP)),
        "s": pa.array(
            [{"k": [("z", A)], "o": 1}, None, {"k": None, "o": 3}, {"k": [], "o": 4}], pa.struct([("k", MAP), ("o", pa.int8())])
        ),
    }
)

CASES: list[tuple[list[str], dict[str, Any]]] = [
    (["m.key"], {"m": [[{"key": "a"}, {"key": "b"}], [], None, [{"key": "c"}]]}),
    (["m.value.x"], {"m": [[{"value": {"x": 1}}, {"value": None}], [], None, [{"value": {"x": None}}]]}),
    (["m.key", "m.value.x"], {"m": [[("a", {"x": 1}), ("b", None)], [], None, [("c", {"x": None})]]}),
    (["m.value", "m.key"], {"m": TABLE["m"].to_pylist()}),
    (["m", "m.key"], {"m": TABLE["m"].to_pylist()}),
    (["lm.key"], {"lm": [[[{"key": "a"}], None, []], [], None, [None]]}),
    (["s.k.value.y", "s.o"], {"s": [{"k": [{"value": {"y": 0.5}}], "o": 1}, None, {"k": None, "o": 3}, {"k": [], "o": 4}]}),
]


@pytest.mark.parametrize(("columns", "expected"), CASES, ids=[" ".join(columns) for columns, _ in CASES])
@pytest.mark.parametrize("sliced", [False, True])
@pytest.mark.parametrize("format", ["parquet", "ipc"])
def test_a_part_of_a_map(columns: list[str], expected: dict[str, Any], format: str, sliced: bool, tmp_path: Path) -> None:
    path, start = tmp_path / "a", 1 if sliced else 0
    {"parquet": aj.write_parquet, "ipc": aj.write_ipc}[format](TABLE.slice(start), path)
    read = {"parquet": aj.read_parquet, "ipc": aj.read_ipc}[format]
    table = read(path, columns=columns)
    table.validate(full=True)
    assert table.to_pydict() == {name: rows[start:] for name, rows in expected.items()}
    assert len(read(path, columns=columns, to="pandas")) == len(table)
    frame = read(path, columns=columns, to="polars")
    assert frame.columns == table.column_names


def test_keys_and_values_as_rows(tmp_path: Path) -> None:
    aj.write_parquet(TABLE, tmp_path / "a.parquet")
    frame = aj.read_parquet(tmp_path / "a.parquet", columns=["m.key"], to="pandas")
    assert isinstance(frame, pd.DataFrame)
    assert aj.array(frame["m"].jag["key"]).to_list() == [["a", "b"], [], None, ["c"]]
    lazy = aj.scan_parquet(tmp_path / "a.parquet", columns=["m.value"])
    assert isinstance(lazy, pl.LazyFrame)
    assert lazy.select(pl.col("m").jag["value"].jag["x"]).collect()["m"].to_list() == [[1, None], [], None, [None]]


@pytest.mark.parametrize("first", [0, 1, 8, 9])
def test_slices_of_maps_are_cast(first: int) -> None:
    rows = [None if k % 4 == 1 else [(f"{k} {slot}", slot) for slot in range(k % 3)] for k in range(20)]
    whole, expected = pa.array(rows, pa.map_(pa.string(), pa.int8())), rows[first:]
    found = conform(whole[first:], pa.map_(pa.large_string(), pa.int64()))
    found.validate(full=True)
    assert found.to_pylist() == expected
    for names in (["key", "value"], ["value"]):
        types = {"key": pa.large_string(), "value": pa.int64()}
        found = conform(whole[first:], pa.list_(pa.struct([(name, types[name]) for name in names])))
        found.validate(full=True)
        entries = [None if row is None else [dict(zip(("key", "value"), one, strict=True)) for one in row] for row in expected]
        assert found.to_pylist() == [row and [{name: one[name] for name in names} for one in row] for row in entries]


def test_a_map_gets_back_the_types_that_were_written() -> None:
    """Of keys and of values, each where its file holds it."""
    stored = pa.map_(pa.string(), pa.list_(pa.string()))
    written = pa.map_(pa.dictionary(pa.int8(), pa.string()), pa.list_(pa.dictionary(pa.int8(), pa.string())))
    assert restored(stored, written) == written
    assert restored(pa.map_(pa.binary(16), pa.int8()), pa.map_(pa.uuid(), pa.uuid())) == pa.map_(pa.uuid(), pa.int8())
    assert restored(stored, stored.item_type) == restored(stored, pa.uuid()) == stored
    assert restored(pa.string(), stored) == pa.string()


def test_other_names_inside_of_a_map(tmp_path: Path) -> None:
    aj.write_parquet(TABLE, tmp_path / "a.parquet")
    with pytest.raises(aj.JagValueError, match=r"'m\.entries'; there are m, m\.key, m\.value, m\.value\.x"):
        aj.read_parquet(tmp_path / "a.parquet", columns=["m.entries"])
