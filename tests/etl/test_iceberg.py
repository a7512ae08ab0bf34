"""Iceberg tables as other programs leave them: partitioned, with renamed columns, delete files and default values.

pyiceberg itself, by `scan().to_arrow()`, says what is right.
"""

from __future__ import annotations

import datetime as dt
import uuid
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import arrowjag as aj
from arrowjag.cli import main
from tests.etl.jobs import keep, run, table_of, totals, write_dataset
from tests.etl.lakes import Place, make_place


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    return make_place("iceberg", tmp_path / "lake", monkeypatch)


ROWS = pa.table(
    {
        "id": pa.array(range(8), pa.int64()),
        "k": pa.array(["a", "b", None, "a/ %2F=", "b", "a", None, "b"]),
        "day": pa.array([dt.date(2024, 1, 1 + i % 2) for i in range(8)]),
        "v": pa.array([[1.5, None], [], None, [2.0], [3.0], [4.0] * 3, [], [5.0]]),
        "s": pa.array([{"a": i, "b": str(i)} if i % 3 else None for i in range(8)]),
        "l": pa.array([[{"x": i, "y": [i] * i}] * (i % 3) for i in range(8)]),
    }
)


def check(place: Place, table: str, tmp_path: Path, **filters: Any) -> pa.Table:
    """The reader, a job and the command find the rows that pyiceberg finds, in every column. Return the rows."""
    expected = place.rows(table).sort_by("id" if "id" in place.rows(table).column_names else "number")
    key = "id" if "id" in expected.column_names else "number"
    found = aj.read_parquet(place.name(table)).sort_by(key)
    assert found.column_names == expected.column_names
    assert found.to_pydict() == expected.to_pydict()
    for batch_bytes in ("1MB", 100):
        sink = tmp_path / f"out-{uuid.uuid4().hex}"
        report = run(keep, place.name(table), sink, batch_bytes=batch_bytes)
        assert report.rows == report.rows_read == expected.num_rows
        assert aj.read_parquet(sink).sort_by(key).to_pydict() == expected.to_pydict()
    for name in expected.column_names:
        one = aj.read_parquet(place.name(table), columns=[key, name]).sort_by(key)
        assert one[name].to_pylist() == expected[name].to_pylist()
    some = aj.read_parquet(place.name(table), filters=[(key, ">", 3)]).sort_by(key)
    assert some.to_pydict() == expected.filter(pc.field(key) > 3).to_pydict()
    return found


def test_renamed_swapped_dropped_and_added_columns(place: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place.create("t", ROWS)
    with place.open("t").update_schema() as update:
        update.rename_column("id", "number")
        update.rename_column("v", "w")
        update.rename_column(("s", "a"), "c")
        update.rename_column(("l", "element", "x"), "z")
        update.delete_column("k")
    check(place, "t", tmp_path)
    with place.open("t").update_schema() as update:
        update.add_column("k", place.open("t").schema().find_field("number").field_type)
        update.rename_column(("s", "b"), "a")
    more = place.rows("t").slice(0, 2).set_column(0, "number", pa.array([10, 11], pa.int64()))
    place.open("t").append(more.set_column(more.column_names.index("k"), "k", pa.array([7, None], pa.int64())))
    found = check(place, "t", tmp_path)
    assert found["k"].to_pylist() == [None] * 8 + [7, None], "a column that was dropped is another than the one added later"
    assert found["s"].to_pylist()[-2:] == [None, {"c": 1, "a": "1"}]
    with place.open("t").update_schema() as update:
        update.rename_column("day", "x")
        update.rename_column("w", "y")
    with place.open("t").update_schema() as update:
        update.rename_column("x", "w")
        update.rename_column("y", "day")
    swapped = check(place, "t", tmp_path)
    assert swapped["day"].to_pylist()[0] == [1.5, None]
    leaf = aj.read_parquet(place.name("t"), columns=["l.z"])
    assert leaf.schema.field("l").type.value_type.names == ["z"] if hasattr(leaf.schema.field("l").type, "value_type") else True
    assert main(["show", place.name("t")]) == 0
    shown = capsys.readouterr().out
    assert "number" in shown
    assert "10 rows" in shown
    with pytest.raises(aj.JagValueError, match="there is no column or leaf 'id'"):
        aj.read_parquet(place.name("t"), columns=["id"])


def test_renamed_columns_of_files_without_field_ids(place: Place, tmp_path: Path) -> None:
    """Files that jobs commit have no ids: the name mapping of the table says which column is which."""
    write_dataset(tmp_path / "in", files=2, rows=20)
    run(totals, tmp_path / "in", place.name("t"))
    with place.open("t").update_schema() as update:
        update.rename_column("v", "w")
        update.rename_column("total", "sum")
    found = aj.read_parquet(place.name("t")).sort_by("id")  # pyiceberg 0.12 can't read lists of renamed columns without ids
    assert isinstance(found.schema.field("w").type, aj.JaggedType)
    expected = totals(table_of(range(40)))
    assert found.rename_columns(["id", "v", "total"]).to_pydict() == expected.to_pydict()
    assert run(keep, place.name("t"), tmp_path / "out", batch_bytes=200).rows == 40
    assert aj.read_parquet(tmp_path / "out").sort_by("id").to_pydict() == found.to_pydict()
    assert aj.read_parquet(place.name("t"), filters=[("sum", ">", 100)]).num_rows == found.filter(pc.field("sum") > 100).num_rows
    with place.open("t").update_schema() as update:
        update.rename_column("sum", "v")  # the mapping now says that two columns of the old files are v
    with pytest.raises(aj.JagFileError, match=r"columns v and total are the same field of the table, v"):
        aj.read_parquet(place.name("t"))


def test_promoted_types(place: Place, tmp_path: Path) -> None:
    rows = pa.table({"id": pa.array(range(6), pa.int32()), "f": pa.array([1.5] * 6, pa.float32()), "v": [[1]] * 6})
    place.create("t", rows)
    from pyiceberg.types import DoubleType, LongType

    with place.open("t").update_schema() as update:
        update.update_column("id", field_type=LongType())
        update.update_column("f", field_type=DoubleType())
    place.open("t").append(pa.table({"id": [2**40], "f": [0.1], "v": [[2]]}))
    found = check(place, "t", tmp_path)
    assert found["id"].to_pylist()[-1] == 2**40


@pytest.mark.parametrize("keys", [["k"], ["day", "k"], ["id"]])
def test_partitioned_sources(place: Place, tmp_path: Path, keys: list[str]) -> None:
    place.create("t", ROWS.slice(0, 0))
    with place.open("t").update_spec() as update:
        for key in keys:
            update.add_identity(key)
    place.open("t").append(ROWS)
    check(place, "t", tmp_path)
    # Files of Hive, say, lack the columns of their folders: their values are in the manifests.
    table = place.open("t")
    for task in table.scan().plan_files():
        path = task.file.file_path.removeprefix("file://")
        pq.write_table(pq.read_table(path, partitioning=None).drop_columns(keys), path)
    if keys != ["id"]:
        check(place, "t", tmp_path)
        assert main(["show", place.name("t"), "k"]) == 0
    else:
        assert aj.read_parquet(place.name("t")).sort_by("id")["id"].to_pylist() == list(range(8))


def test_a_partition_spec_that_changes(place: Place, tmp_path: Path) -> None:
    place.create("t", ROWS)
    with place.open("t").update_spec() as update:
        update.add_identity("day")
    place.open("t").append(ROWS.set_column(0, "id", pa.array(range(8, 16), pa.int64())))
    with place.open("t").update_spec() as update:
        update.remove_field("day")
        update.add_identity("k")
    place.open("t").append(ROWS.set_column(0, "id", pa.array(range(16, 24), pa.int64())))
    assert check(place, "t", tmp_path).num_rows == 24


def add_position_deletes(table: Any, deleted: dict[str, list[int]], folder: Path) -> None:
    """Commit a position delete file; pyiceberg itself rewrites data files."""
    from pyiceberg.manifest import DataFile, DataFileContent, FileFormat
    from pyiceberg.typedef import Record

    path = folder / f"deletes-{uuid.uuid4().hex}.parquet"
    paths = [name for name, rows in deleted.items() for _ in rows]
    schema = pa.schema(
        [
            pa.field("file_path", pa.string(), False, {"PARQUET:field_id": "2147483546"}),
            pa.field("pos", pa.int64(), False, {"PARQUET:field_id": "2147483545"}),
        ]
    )
    pq.write_table(pa.table([paths, [row for rows in deleted.values() for row in rows]], schema=schema), path)
    file = DataFile.from_args(
        content=DataFileContent.POSITION_DELETES,
        file_path=str(path),
        file_format=FileFormat.PARQUET,
        partition=Record(),
        record_count=len(paths),
        file_size_in_bytes=path.stat().st_size,
        spec_id=table.spec().spec_id,
    )
    commit_delete_file(table, file)


def commit_delete_file(table: Any, file: Any) -> None:
    """Add a manifest of delete files to a new snapshot."""
    from pyiceberg.manifest import ManifestContent, ManifestEntry, ManifestEntryStatus, ManifestWriterV2

    class DeleteWriter(ManifestWriterV2):
        def content(self) -> ManifestContent:
            return ManifestContent.DELETES

        @property
        def _meta(self) -> dict[str, str]:
            return super()._meta | {"content": "deletes"}

    with table.transaction() as transaction:
        producer = transaction.update_snapshot().fast_append()
        manifests = producer._manifests

        def with_deletes() -> list[Any]:
            output = table.io.new_output(f"{table.location()}/metadata/deletes-{uuid.uuid4().hex}.avro")
            with DeleteWriter(table.spec(), table.schema(), output, producer.snapshot_id, "null") as writer:
                writer.add_entry(
                    ManifestEntry.from_args(status=ManifestEntryStatus.ADDED, snapshot_id=producer.snapshot_id, data_file=file)
                )
            return [*manifests(), writer.to_manifest_file()]

        producer._manifests = with_deletes
        with producer:
            pass


def test_position_deletes_are_applied(place: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place.create("t", ROWS.slice(0, 5))
    place.open("t").append(ROWS.slice(5))
    first, second = sorted(task.file.file_path for task in place.open("t").scan().plan_files())
    count = {task.file.file_path: task.file.record_count for task in place.open("t").scan().plan_files()}
    add_position_deletes(place.open("t"), {first: [0, 2], second: [count[second] - 1]}, place.root("t"))
    assert place.rows("t").num_rows == 5, "pyiceberg applies the file that this test has made"
    check(place, "t", tmp_path)
    add_position_deletes(place.open("t"), {first: [1, 2]}, place.root("t"))
    assert place.rows("t").num_rows == 4
    check(place, "t", tmp_path)
    # Rows appended later are not deleted, and names may change.
    place.open("t").append(ROWS.slice(0, 1).set_column(0, "id", pa.array([100], pa.int64())))
    with place.open("t").update_schema() as update:
        update.rename_column("v", "w")
    assert check(place, "t", tmp_path).num_rows == 5
    assert main(["show", place.name("t")]) == 2
    assert "show can't exclude the rows that are deleted" in capsys.readouterr().err
    add_position_deletes(place.open("t"), {first: [99]}, place.root("t"))
    with pytest.raises(aj.JagValueError, match="deletes rows that its data file lacks"):
        aj.read_parquet(place.name("t"))


def test_equality_deletes_are_refused(place: Place, tmp_path: Path) -> None:
    from pyiceberg.manifest import DataFile, DataFileContent, FileFormat
    from pyiceberg.typedef import Record

    place.create("t", ROWS)
    path = place.root("t") / "eq.parquet"
    pq.write_table(ROWS.select(["id"]).slice(0, 1), path)
    file = DataFile.from_args(
        content=DataFileContent.EQUALITY_DELETES,
        file_path=str(path),
        file_format=FileFormat.PARQUET,
        partition=Record(),
        record_count=1,
        file_size_in_bytes=path.stat().st_size,
        spec_id=0,
        equality_ids=[1],
    )
    commit_delete_file(place.open("t"), file)
    for read in (lambda: aj.read_parquet(place.name("t")), lambda: run(keep, place.name("t"), tmp_path / "out")):
        with pytest.raises(aj.JagValueError, match="equality delete files, which pyiceberg can't apply; compact it"):
            read()


def test_default_values_of_new_columns(place: Place, tmp_path: Path) -> None:
    """pyiceberg reads default values, but doesn't write them."""
    from pyiceberg.types import DateType, LongType, StringType

    place.create("t", ROWS)
    with place.open("t").update_schema() as update:
        update.add_column("d", LongType())
        update.add_column("e", StringType())
        update.add_column("g", DateType())
        update.add_column(("s", "h"), LongType())
    table = place.open("t")
    expected = {"d": 7, "e": "none", "g": dt.date(2024, 5, 1)}
    for name, value in {"d": 7, "e": "none", "g": (dt.date(2024, 5, 1) - dt.date(1970, 1, 1)).days}.items():
        table.schema().find_field(name).__dict__["initial_default"] = value  # the model is frozen
    for found in (table.scan().to_arrow(), aj.read_parquet(table)):
        assert found.select(list(expected)).to_pylist() == [expected] * 8
    run(keep, table, tmp_path / "out")
    assert aj.read_parquet(tmp_path / "out").select(list(expected)).to_pylist() == [expected] * 8
    table.schema().find_field("s.h").__dict__["initial_default"] = 1
    with pytest.raises(aj.JagValueError, match=r"the field s\.h has a default value for older files"):
        aj.read_parquet(table)


# --------------------------------------------------------------------------------------------------------------- sinks


def with_key(table: pa.Table) -> pa.Table:
    ids = table["id"].to_pylist()
    texts = [None if i % 3 == 0 else f"k/{i % 3} %2F=" + "ä" * 20 for i in ids]
    table = table.append_column("key", pa.array(texts)).append_column("half", pa.array([i % 2 == 0 for i in ids]))
    return table.append_column("day", pa.array([dt.date(2024, 1, 1 + i % 2) for i in ids]))


@pytest.mark.parametrize("keys", [["key"], ["half", "day"], ["id"]])
def test_partitioned_sinks(place: Place, tmp_path: Path, keys: list[str]) -> None:
    write_dataset(tmp_path / "in", files=2, rows=20)
    report = run(with_key, tmp_path / "in", place.name("t"), partition_by=keys)
    assert report.rows == 40
    table = place.open("t")
    assert [table.schema().find_column_name(one.source_id) for one in table.spec().fields] == keys
    check(place, "t", tmp_path)
    values = set(zip(*(place.rows("t")[key].to_pylist() for key in keys), strict=True))
    found = {tuple(one.file.partition) for one in table.scan().plan_files()}
    days = {dt.date(1970, 1, 1) + dt.timedelta(one[-1]) for one in found} if keys[-1] == "day" else None
    assert len(found) == len(values)
    if days is None:
        assert found == values
    else:
        assert days == {one[-1] for one in values}
    if keys == ["key"]:
        assert table.scan(row_filter="key is null").to_arrow().num_rows == 14
        assert table.scan(row_filter="key == 'k/1 %2F=" + "ä" * 20 + "'").to_arrow().num_rows == 13
    # The table, once made, says how it is partitioned; kills, resumes and replacements are as for other tables.
    assert run(with_key, tmp_path / "in", place.name("t"), mode="resume").commit == ""
    pq.write_table(table_of(range(40, 50)), tmp_path / "in/f9.parquet")
    assert run(with_key, tmp_path / "in", place.name("t"), mode="resume").rows == 50
    assert sorted(place.rows("t")["id"].to_pylist()) == list(range(50))
    run(with_key, tmp_path / "in", place.name("t"), mode="replace")
    assert sorted(place.rows("t")["id"].to_pylist()) == list(range(50))
    with pytest.raises(aj.JagValueError, match=r"partition_by is \['v'\], but .* is partitioned by"):
        run(with_key, tmp_path / "in", place.name("t"), mode="resume", partition_by="v")


def test_sinks_partitioned_in_ways_that_a_commit_of_files_cannot_keep_are_refused(place: Place, tmp_path: Path) -> None:
    from pyiceberg.transforms import BucketTransform

    write_dataset(tmp_path / "in", files=1, rows=4)
    place.create("t", totals(table_of(range(4))).select(["id", "total"]))
    with place.open("t").update_spec() as update:
        update.add_field("id", BucketTransform(4), "bucket_of_id")
    with pytest.raises(aj.JagValueError, match=r"is partitioned by bucket\[4\] of id; write with pyiceberg"):
        run(lambda one: totals(one).select(["id", "total"]), tmp_path / "in", place.name("t"), mode="resume")
    place.create("f", totals(table_of(range(4))).select(["id", "total"]))
    with place.open("f").update_spec() as update:
        update.add_identity("total")
    with pytest.raises(aj.JagTypeError, match=r"column 'total': double can't be a partition column"):
        run(lambda one: totals(one).select(["id", "total"]), tmp_path / "in", place.name("f"), mode="resume")
    with pytest.raises(aj.JagValueError, match="write_statistics"):
        run(with_key, tmp_path / "in", place.name("g"), partition_by="key", write={"write_statistics": False})
    with pytest.raises((aj.JagValueError, aj.etl.JobError), match="at most 4000 bytes"):
        run(
            lambda one: one.append_column("key", pa.array(["x" * 5000] * one.num_rows)),
            *(tmp_path / "in", place.name("h")),
            partition_by="key",
        )
