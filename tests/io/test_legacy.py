"""Nested layouts of old and incorrect writers are read by the rules of the format, and round-trip."""

from __future__ import annotations

import datetime as dt
import io
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.fs as pf
import pyarrow.parquet as pq
import pytest

import arrowjag as aj
from arrowjag.cli._facts import read_facts
from arrowjag.etl._batches import read_runs
from arrowjag.io import _int96
from arrowjag.io._files import StoredFile
from arrowjag.io._scan import make_plan, open_parts
from tests.io.by_hand import OPTIONAL as O
from tests.io.by_hand import REPEATED as R
from tests.io.by_hand import REQUIRED as Q
from tests.io.by_hand import Node, group, leaf, make_file

Case = tuple[list[Node], list[dict[str, Any]], list[dict[str, Any]]]


def _lists(inner: Node, name: str = "list", kind: int = O) -> Node:
    return group(kind, "v", group(R, name, inner), converted="LIST")


CASES: dict[str, Case] = {
    "three levels": (
        [_lists(leaf(O, "int32", "element"))],
        [{"v": {"list": [{"element": 1}, {"element": None}]}}, {"v": None}, {"v": {"list": []}}],
        [{"v": [1, None]}, {"v": None}, {"v": []}],
    ),
    "three levels, all required": (
        [_lists(group(Q, "element", group(R, "list", leaf(Q, "int32", "element")), converted="LIST"), kind=Q)],
        [{"v": {"list": [{"element": {"list": [{"element": 5}]}}]}}, {"v": {"list": []}}],
        [{"v": [[5]]}, {"v": []}],
    ),
    "nulls at every level": (
        [_lists(group(O, "element", group(R, "list", leaf(O, "double", "element")), converted="LIST"))],
        [
            {"v": {"list": [{"element": None}, {"element": {"list": []}}, {"element": {"list": [{"element": None}]}}]}},
            {"v": None},
            {"v": {"list": []}},
            {"v": {"list": [{"element": {"list": [{"element": 1.5}]}}]}},
        ],
        [{"v": [None, [], [None]]}, {"v": None}, {"v": []}, {"v": [[1.5]]}],
    ),
    "two levels": (
        [group(O, "v", leaf(R, "int32", "element"), converted="LIST")],
        [{"v": {"element": [1, 2]}}, {"v": None}, {"v": {"element": []}}],
        [{"v": [1, 2]}, {"v": None}, {"v": []}],
    ),
    "two levels, twice": (
        [group(O, "v", group(R, "array", leaf(R, "int32", "array"), converted="LIST"), converted="LIST")],
        [{"v": {"array": [{"array": [1, 2]}, {"array": []}]}}, {"v": None}, {"v": {"array": []}}],
        [{"v": [[1, 2], []]}, {"v": None}, {"v": []}],
    ),
    "Hive's bags": (
        [_lists(leaf(O, "int32", "array_element"), "bag")],
        [{"v": {"bag": [{"array_element": 1}, {"array_element": None}]}}, {"v": None}],
        [{"v": [1, None]}, {"v": None}],
    ),
    "Avro's array of a struct of one field": (
        [_lists(leaf(Q, "binary", "s", "UTF8"), "array")],
        [{"v": {"array": [{"s": "a"}, {"s": "ü"}]}}, {"v": None}],
        [{"v": [{"s": "a"}, {"s": "ü"}]}, {"v": None}],
    ),
    "Thrift's tuple": (
        [_lists(leaf(Q, "int32", "x"), "v_tuple")],
        [{"v": {"v_tuple": [{"x": 1}]}}, {"v": {"v_tuple": []}}],
        [{"v": [{"x": 1}]}, {"v": []}],
    ),
    "two levels of a struct": (
        [group(O, "v", group(R, "element", leaf(Q, "int32", "x"), leaf(O, "double", "y")), converted="LIST")],
        [{"v": {"element": [{"x": 1, "y": None}, {"x": 2, "y": 0.5}]}}, {"v": None}],
        [{"v": [{"x": 1, "y": None}, {"x": 2, "y": 0.5}]}, {"v": None}],
    ),
    "repeated without a list": ([leaf(R, "int32", "v")], [{"v": [1, 2]}, {"v": []}], [{"v": [1, 2]}, {"v": []}]),
    "repeated group without a list": (
        [group(O, "v", group(R, "phone", leaf(Q, "int64", "number"), leaf(O, "binary", "kind", "UTF8")))],
        [{"v": {"phone": [{"number": 1, "kind": None}, {"number": 2, "kind": "home"}]}}, {"v": None}, {"v": {"phone": []}}],
        [{"v": {"phone": [{"number": 1, "kind": None}, {"number": 2, "kind": "home"}]}}, {"v": None}, {"v": {"phone": []}}],
    ),
    "nothing but nulls": (
        [_lists(leaf(O, "int32", "element"))],
        [{"v": {"list": [{"element": None}]}}, {"v": {"list": [{"element": None}, {"element": None}]}}],
        [{"v": [None]}, {"v": [None, None]}],
    ),
    "struct in list in struct": (
        [
            group(
                O,
                "v",
                group(
                    O,
                    "l",
                    group(
                        R,
                        "list",
                        group(
                            O,
                            "element",
                            leaf(O, "int32", "a"),
                            group(O, "t", group(R, "list", leaf(O, "binary", "element", "UTF8")), converted="LIST"),
                        ),
                    ),
                    converted="LIST",
                ),
            )
        ],
        [
            {"v": None},
            {"v": {"l": None}},
            {
                "v": {
                    "l": {
                        "list": [
                            {"element": None},
                            {"element": {"a": None, "t": None}},
                            {"element": {"a": 1, "t": {"list": [{"element": "x"}, {"element": None}]}}},
                        ]
                    }
                }
            },
        ],
        [{"v": None}, {"v": {"l": None}}, {"v": {"l": [None, {"a": None, "t": None}, {"a": 1, "t": ["x", None]}]}}],
    ),
    "map": (
        [group(O, "v", group(R, "key_value", leaf(Q, "binary", "key", "UTF8"), leaf(O, "int32", "value")), converted="MAP")],
        [{"v": {"key_value": [{"key": "a", "value": None}]}}, {"v": None}, {"v": {"key_value": []}}],
        [{"v": [("a", None)]}, {"v": None}, {"v": []}],
    ),
    "map in the old way": (
        [
            group(
                O,
                "v",
                group(R, "map", leaf(Q, "binary", "key", "UTF8"), leaf(O, "int32", "value"), converted="MAP_KEY_VALUE"),
                converted="MAP",
            )
        ],
        [{"v": {"map": [{"key": "a", "value": 1}]}}, {"v": None}],
        [{"v": [("a", 1)]}, {"v": None}],
    ),
    "map of lists": (
        [
            group(
                O,
                "v",
                group(R, "map", leaf(Q, "int64", "key"), group(O, "value", leaf(R, "int32", "array"), converted="LIST")),
                converted="MAP",
            )
        ],
        [{"v": {"map": [{"key": 1, "value": None}, {"key": 2, "value": {"array": [3]}}]}}, {"v": None}],
        [{"v": [(1, None), (2, [3])]}, {"v": None}],
    ),
    "map of keys alone": (
        [group(O, "v", group(R, "key_value", leaf(Q, "int32", "key")), converted="MAP")],
        [{"v": {"key_value": [{"key": 1}, {"key": 2}]}}, {"v": None}],
        [{"v": [1, 2]}, {"v": None}],
    ),
    "map whose keys may be null": (
        [
            group(
                O,
                "v",
                group(R, "map", leaf(O, "binary", "key", "UTF8"), leaf(O, "int32", "value"), converted="MAP_KEY_VALUE"),
                converted="MAP",
            )
        ],
        [{"v": {"map": [{"key": "a", "value": 1}, {"key": None, "value": None}]}}, {"v": None}],
        [{"v": [{"key": "a", "value": 1}, {"key": None, "value": None}]}, {"v": None}],
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_reads_and_round_trips(case: Case, tmp_path: Path) -> None:
    columns, records, expected = case
    table = aj.read_parquet(make_file(columns, records))
    assert table.to_pylist() == expected
    table.validate(full=True)
    again = io.BytesIO()
    pq.write_table(table, again)
    assert aj.read_parquet(again).equals(table)
    path = tmp_path / "a.parquet"
    path.write_bytes(make_file(columns, records))
    facts = read_facts(str(path))
    assert (facts.rows, [one.name for one in facts.columns]) == (len(expected), table.column_names)


LISTS = [name for name, case in CASES.items() if isinstance(case[2][0]["v"], list) and not name.startswith("map")]


@pytest.mark.parametrize("name", LISTS)
def test_a_legacy_list_becomes_a_jagged_column(name: str, tmp_path: Any) -> None:
    columns, records, expected = CASES[name]
    x = aj.from_arrow(aj.read_parquet(make_file(columns, records))["v"])
    rows = [record["v"] for record in expected]
    assert x.to_list() == rows
    aj.write_parquet({"v": x}, tmp_path / "a.parquet")
    back = aj.read_parquet(tmp_path / "a.parquet")
    assert back.schema.field("v").type == x.to_arrow().type
    assert aj.from_arrow(back["v"]).equals(x)


@pytest.mark.parametrize("compliant", [True, False])
def test_both_names_of_items(compliant: bool, tmp_path: Any) -> None:
    x = aj.array([[[1, None], []], None])
    aj.write_parquet({"x": x}, tmp_path / "a.parquet", use_compliant_nested_type=compliant, use_byte_stream_split=["x"])
    name = "element" if compliant else "item"
    assert pq.read_metadata(tmp_path / "a.parquet").schema.column(0).path == f"x.list.{name}.list.{name}"
    assert aj.from_arrow(aj.read_parquet(tmp_path / "a.parquet")["x"]).equals(x)
    whole = aj.read_parquet(tmp_path / "a.parquet", columns=["x"])
    assert isinstance(whole.schema.field("x").type, aj.JaggedType)
    assert pa.types.is_large_list(whole.schema.field("x").type.storage_type)


FAR = [dt.datetime.fromisoformat(one) if one else None for one in ("3000-01-01", "0001-01-01", "", "2024-01-01T01:01:01.000005")]


def of_every_kind(times: list[Any]) -> pa.Table:
    """Times in a flat column, in lists, in structs in lists, and in a map."""
    us = pa.timestamp("us")
    columns = {
        "t": pa.array(times, us),
        "v": aj.array([[[one], []] for one in times], type=us, ndim=3).to_arrow(),
        "s": pa.array([[{"a": one, "b": 1}, None] for one in times], pa.list_(pa.struct([("a", us), ("b", pa.int64())]))),
        "m": pa.array([[("k", one)] for one in times], pa.map_(pa.string(), us)),
    }
    return pa.table(columns | {"k": pa.array(range(len(times)), pa.int64())})


def test_times_of_96_bits_hold_more_years_than_nanoseconds(tmp_path: Path) -> None:
    """Spark writes them by default. pyarrow returns the year 1830 for 3000."""
    far, near = of_every_kind(FAR), of_every_kind(FAR[2:] * 2)
    for name, table in {"far": far, "near": near}.items():
        aj.write_parquet(table, tmp_path / name, use_deprecated_int96_timestamps=True, row_group_size=2)
    for name in far.column_names[:-1]:
        for call in (aj.read_parquet, lambda *given, **options: aj.scan_parquet(*given, **options).collect()):
            with pytest.raises(aj.JagValueError, match=rf"far, column '{name}': it holds times beyond .* schema= of timestamp"):
                call(tmp_path / "far", columns=[name])
    assert aj.read_parquet(tmp_path / "far", columns=["k"])["k"].to_pylist() == [0, 1, 2, 3]
    assert aj.read_parquet(tmp_path / "far", schema=far.schema).equals(far)
    assert aj.read_parquet(tmp_path / "far", schema=far.schema, filters=[("t", ">", "2900-01-01")])["k"].to_pylist() == [0]
    assert aj.read_parquet(tmp_path / "near", columns=["t"]).schema.types == [pa.timestamp("ns")]
    assert aj.read_parquet(tmp_path / "near", schema=near.schema).equals(near)
    part = open_parts([StoredFile(str(tmp_path / "far"), pf.LocalFileSystem())], pa.schema([]))[0]
    batches = [batch for batch, _ in read_runs([(part, [0, 1])], make_plan(far.schema, None, None), 64)]
    assert len(batches) > 1
    assert pa.concat_tables(batches).equals(far)
    t, v, *_ = read_facts(str(tmp_path / "far")).columns
    assert (t.examples[0][1], v.examples[0][1]) == ("3000-01-01 00:00:00", "[[3000-01-01 00:00:00], []]")


def test_times_of_96_bits_that_no_unit_holds() -> None:
    exact, wide = pa.array([None, 7, 1_500], pa.timestamp("ns")), pa.array([None, 2**60, 1], pa.timestamp("us"))
    assert _int96._loses(exact, wide)
    assert not _int96._loses(pa.array([None, 7, 1_000], pa.timestamp("ns")), wide)
