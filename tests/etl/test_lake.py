"""Jobs read tables of Delta Lake and Iceberg, and commit to them exactly once, all results together."""

from __future__ import annotations

import datetime as dt
import itertools
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import arrowjag as aj
from arrowjag.etl import JobError
from arrowjag.testing import LEAF_KINDS
from tests.etl.jobs import check_totals, keep, run, table_of, totals, write_dataset
from tests.etl.lakes import FORMATS, Place, delete_by_vector, make_place
from tests.hosts import pl

ROOT = Path(__file__).parents[2]
MOMENT = dt.datetime.fromisoformat("2024-01-01")


@pytest.fixture(params=FORMATS)
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    return make_place(request.param, tmp_path / "lake", monkeypatch)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    write_dataset(tmp_path / "in", files=3, rows=20, group=10)
    return tmp_path / "in"


@pytest.mark.workers
def test_a_job_commits_once_and_others_read_lists(place: Place, source: Path) -> None:
    report = run(totals, source, place.name("t"))
    assert (report.rows, report.tasks, bool(report.commit)) == (60, 3, True)
    check_totals(place.name("t"), 60)
    read = place.rows("t").sort_by("id")
    assert not any(isinstance(field.type, pa.BaseExtensionType) for field in read.schema)
    assert read["v"].to_pylist() == aj.read_parquet(place.name("t")).sort_by("id")["v"].to_pylist()
    assert place.commits("t") == [report.run]
    # The table as an open object, and a job that reads it.
    opened = place.open("t")
    check_totals(opened, 60)
    again = run(keep, opened, place.name("u"), columns=["id", "v"])
    assert again.rows == 60
    assert aj.read_parquet(place.name("u")).schema.field("v").type == aj.from_arrow(pa.array([[1.5]])).to_arrow().type
    # What is done is kept, and commits nothing.
    kept = run(totals, source, place.name("t"), mode="resume")
    assert (kept.kept, kept.tasks, kept.rows, kept.commit) == (3, 3, 60, "")
    assert place.commits("t") == [report.run]
    with pytest.raises(aj.JagValueError, match='has rows: mode="resume" adds'):
        run(totals, source, place.name("t"))
    replaced = run(totals, source, place.open("t"), mode="replace")
    assert place.commits("t") == [report.run, replaced.run]
    check_totals(place.name("t"), 60)
    status = aj.etl.status(place.name("t"))
    assert (status.files, status.rows, status.unfinished) == (3, 60, ())
    assert [one.state for one in status.runs] == ["done"] * 3
    with pytest.raises(aj.JagValueError, match=r"is a table of .* also holds files that are deleted"):
        aj.etl.status(place.root("t"))


def test_new_files_of_the_source_are_added_by_a_second_commit(place: Place, source: Path) -> None:
    run(totals, source, place.name("t"))
    pq.write_table(table_of(range(60, 80)), source / "f3.parquet")
    report = run(totals, source, place.name("t"), mode="resume")
    assert (report.kept, report.tasks, report.rows) == (3, 4, 80)
    assert len(place.commits("t")) == 2
    check_totals(place.name("t"), 80)


def test_a_job_adds_to_rows_of_others_and_leaves_a_failed_job_no_trace(place: Place, source: Path) -> None:
    place.create("t", totals(table_of(range(100, 110))).set_column(1, "v", pa.array([[1.0]] * 10)))

    def fail(table: pa.Table) -> pa.Table:
        if 45 in table["id"].to_pylist():
            raise ValueError("bad")
        return totals(table)

    with pytest.raises(JobError, match="bad"):
        run(fail, source, place.name("t"), mode="resume")
    assert place.rows("t").num_rows == 10
    report = run(totals, source, place.name("t"), mode="resume")
    assert report.rows == 60
    assert sorted(place.rows("t")["id"].to_pylist()) == [*range(60), *range(100, 110)]
    assert pa.types.is_nested(aj.read_parquet(place.name("t")).schema.field("v").type), "the table of others stays as it is"


KILLED = """
import os, signal, sys
import arrowjag as aj
from arrowjag.etl import _delta, _iceberg
from tests.etl.jobs import run, totals
point, source, sink, mode = sys.argv[1:5]
merge = {"schema_mode": "merge"} if len(sys.argv) > 5 else None
kind = _delta.DeltaLake if sink.startswith("delta") else _iceberg.IcebergLake
commit = kind.commit
def killed(self, *given, **named):
    if point == "after":
        commit(self, *given, **named)
    os.kill(os.getpid(), signal.SIGKILL)
if point in ("before", "after"):
    kind.commit = killed
if point == "columns":
    import deltalake.table
    deltalake.DeltaTable.create_write_transaction = killed
def transform(table):
    if point.isdigit() and int(point) in table["id"].to_pylist():
        os.kill(os.getppid(), signal.SIGKILL)
        os.kill(os.getpid(), signal.SIGKILL)
    return totals(table).append_column("w", table["v"]) if merge else totals(table)
run(transform, source, sink, mode=mode, version="1", write=merge)
"""


def run_killed(point: str, source: Path, sink: str, mode: str = "create", *more: str) -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    words = [sys.executable, "-W", "ignore", "-c", KILLED, point, str(source), sink, mode, *more]
    done = subprocess.run(words, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("point", ["0", "25", "before", "after"])
@pytest.mark.parametrize("mode", ["create", "replace"])
def test_killed_jobs_resume_with_every_row_once(place: Place, source: Path, point: str, mode: str) -> None:
    if mode == "replace":
        place.create("t", totals(table_of(range(100, 110))).set_column(1, "v", pa.array([[1.0]] * 10)))
    run_killed(point, source, place.name("t"), mode)
    again = "replace" if mode == "replace" and point.isdigit() else "resume"
    assert run(totals, source, place.name("t"), mode=again, version="1").rows == 60
    rows = place.rows("t").sort_by("id")
    assert rows["id"].to_pylist() == list(range(60))
    assert len(place.commits("t")) == 1
    assert run(totals, source, place.name("t"), mode="resume", version="1").commit == ""


@pytest.mark.slow
@pytest.mark.parametrize("point", ["65", "before", "columns", "after"])
@pytest.mark.parametrize("mode", ["resume", "replace"])
def test_killed_jobs_that_add_columns_resume_with_every_row_once(place: Place, source: Path, point: str, mode: str) -> None:
    """Delta Lake adds the columns by a commit of its own before it adds the files."""
    if point == "columns" and place.format == "iceberg":
        pytest.skip("Iceberg adds columns and files in one commit")
    run(totals, source, place.name("t"), version="1")
    for number in (3, 4):
        pq.write_table(table_of(range(20 * number, 20 * number + 20)), source / f"f{number}.parquet")
    run_killed(point, source, place.name("t"), mode, "merge")

    def more(table: pa.Table) -> pa.Table:
        return totals(table).append_column("w", table["v"])

    options: dict[str, Any] = {"version": "1", "write": {"schema_mode": "merge"}}
    again = "replace" if mode == "replace" and point.isdigit() else "resume"
    assert run(more, source, place.name("t"), mode=again, **options).rows == 100
    table = aj.read_parquet(place.name("t")).sort_by("id")
    assert table["id"].to_pylist() == list(range(100))
    first = 0 if mode == "replace" else 60
    assert table["w"].to_pylist() == [None] * first + table["v"].to_pylist()[first:]
    assert table.schema.field("w").type == table.schema.field("v").type == aj.JaggedType.of(pa.float64(), 2)
    assert place.rows("t").num_rows == 100
    assert len(place.commits("t")) == 2
    assert run(more, source, place.name("t"), mode="resume", **options).commit == ""


def test_rejected_rows_of_a_table_that_gets_columns(place: Place, source: Path) -> None:
    run(totals, source, place.name("t"), version="1")
    pq.write_table(table_of(range(60, 80)), source / "f3.parquet", row_group_size=5)

    def more(table: pa.Table) -> pa.Table:
        ids = table["id"].to_pylist()
        if 66 in ids:
            raise ValueError("bad")
        result = totals(table)
        if 77 in ids:
            return result.set_column(result.column_names.index("total"), "total", pa.array([["text"]] * len(ids)))
        return result.append_column("w", table["v"])

    options: dict[str, Any] = {"version": "1", "write": {"schema_mode": "merge"}, "on_error": "rows"}
    report = run(more, source, place.name("t"), mode="resume", batch_bytes=500, **options)
    assert (report.rows, report.rejected) == (78, 2)
    table = aj.read_parquet(place.name("t")).sort_by("id")
    assert table["id"].to_pylist() == [one for one in range(80) if one not in (66, 77)]
    assert table["w"].to_pylist() == [None] * 60 + table["v"].to_pylist()[60:]
    (folder,) = Path(place.root("t")).parent.glob("t._arrowjag/rejected")
    assert sorted(aj.read_parquet(folder)["id"].to_pylist()) == [66, 77]
    assert run(more, source, place.name("t"), mode="resume", **options).commit == ""


def test_a_job_killed_before_its_commit_resumes_without_computing_anything_again(place: Place, source: Path) -> None:
    run_killed("before", source, place.name("t"))
    status = aj.etl.status(place.name("t"))
    assert (status.files, len(status.unfinished)) == (0, 3)
    with pytest.raises(aj.JagValueError, match='killed before its commit: mode="resume"'):
        run(totals, source, place.name("t"), version="1")
    report = run(totals, source, place.name("t"), mode="resume", version="1")
    assert (report.kept, report.rows_read, report.rows) == (3, 0, 60)
    check_totals(place.name("t"), 60)


def test_a_commit_that_loses_starts_over(place: Place, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another writer commits between the moment when the job opens the table and its commit."""
    place.create("t", totals(table_of(range(100, 110))).set_column(1, "v", pa.array([[1.0]] * 10)))
    kind = __import__(f"arrowjag.etl._{place.format}", fromlist=["x"])
    lake = kind.DeltaLake if place.format == "delta" else kind.IcebergLake
    add, calls = lake._add, []

    def late(self: Any, *given: Any) -> None:
        calls.append(1)
        if len(calls) == 1:
            table = place.open("t")
            if place.format == "delta":
                table.delete("id = 100")
            else:
                table.append(place.rows("t").slice(0, 1))
        add(self, *given)

    monkeypatch.setattr(lake, "_add", late)
    run(totals, source, place.name("t"), mode="resume")
    assert len(place.commits("t")) == 1
    assert place.rows("t").num_rows == 60 + (9 if place.format == "delta" else 11)
    assert len(calls) == 2


@pytest.mark.parametrize("after", [False, True])
def test_a_store_that_fails_at_the_commit(after: bool, place: Place, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Errors of stores and catalogs left the call as they are, of several lines; the table may hold the commit."""
    kind = __import__(f"arrowjag.etl._{place.format}", fromlist=["x"])
    lake = kind.DeltaLake if place.format == "delta" else kind.IcebergLake
    add = lake._add

    def fails(self: Any, *given: Any) -> None:
        if after:
            add(self, *given)
        raise OSError("503\nslow down")

    with monkeypatch.context() as there:
        there.setattr(lake, "_add", fails)
        with pytest.raises(aj.JagFileError, match=r"the commit failed with OSError: 503 slow down; .*mode=\"resume\" commits"):
            run(totals, source, place.name("t"), version="1")
    report = run(totals, source, place.name("t"), mode="resume", version="1")
    assert (report.kept, report.rows, len(place.commits("t"))) == (3, 60, 1)
    check_totals(place.name("t"), 60)


def test_files_that_others_rewrote_make_resume_impossible(tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = make_place("delta", tmp_path / "lake", monkeypatch)
    run(totals, source, place.name("t"))
    place.open("t").optimize.compact()
    with pytest.raises(aj.JagValueError, match="3 of 3 files of this job were rewritten"):
        run(totals, source, place.name("t"), mode="resume")
    check_totals(place.name("t"), 60)
    assert isinstance(aj.read_parquet(place.name("t")).schema.field("v").type, aj.JaggedType), "rewritten files lose the type"
    run(totals, source, place.name("t"), mode="replace")
    assert run(totals, source, place.name("t"), mode="resume").kept == 3


def test_rewritten_files_are_known_after_the_log_of_the_job_was_removed(place: Place, source: Path) -> None:
    run(keep, source, place.name("t"))
    pq.write_table(table_of(range(60, 80)), source / "f3.parquet")
    assert run(keep, source, place.name("t"), mode="resume").kept == 3
    if place.format == "delta":
        settings = {"delta.logRetentionDuration": "interval 0 seconds"}
        place.open("t").alter.set_table_properties(settings)
        place.open("t").optimize.compact()
        place.open("t").create_checkpoint()
        place.open("t").cleanup_metadata()
    else:
        opened = place.open("t")
        opened.overwrite(opened.scan().to_arrow())
        old = [one.snapshot_id for one in opened.metadata.snapshots if one.snapshot_id != opened.metadata.current_snapshot_id]
        opened.maintenance.expire_snapshots().by_ids(old).commit()
    assert not place.commits("t"), "no entry of the log is left"
    with pytest.raises(aj.JagValueError, match="4 of 4 files of this job were rewritten"):
        run(keep, source, place.name("t"), mode="resume")
    assert place.rows("t").num_rows == 80
    assert run(keep, source, place.name("t"), mode="replace").rows == 80
    assert run(keep, source, place.name("t"), mode="resume").kept == 4


def test_an_overwrite_by_others_may_leave_rows_of_this_job(delta: Place, source: Path) -> None:
    import deltalake

    run(keep, source, delta.name("t"))
    theirs = delta.rows("t").filter(pa.compute.field("id") == 3)
    deltalake.write_deltalake(str(delta.root("t")), theirs, mode="overwrite", predicate="id = 3")
    with pytest.raises(aj.JagValueError, match="1 of 3 files of this job were rewritten"):
        run(keep, source, delta.name("t"), mode="resume")
    assert delta.rows("t").num_rows == 60
    # As Spark names the operation that overwrites the partitions of the new rows.
    log = delta.root("t") / "_delta_log" / f"{1:020}.json"
    dynamic = log.read_text().replace('"predicate":"id = 3"', '"isDynamicPartitionOverwrite":"true"')
    assert "isDynamic" in dynamic
    log.write_text(dynamic)
    with pytest.raises(aj.JagValueError, match="1 of 3 files of this job were rewritten"):
        run(keep, source, delta.name("t"), mode="resume")
    deltalake.write_deltalake(str(delta.root("t")), theirs, mode="overwrite")
    assert run(keep, source, delta.name("t"), mode="resume").rows == 60
    assert delta.rows("t").num_rows == 61


def test_an_older_function_is_refused(place: Place, source: Path) -> None:
    run(totals, source, place.name("t"), version="1")
    with pytest.raises(
        aj.JagValueError, match=r"rows of f0\.parquet from an older function .* mode=\"replace\" .* version="
    ) as error:
        run(totals, source, place.name("t"), version="2", mode="resume")
    assert "\n" not in str(error.value)
    assert run(totals, source, place.name("t"), version="1", mode="resume").kept == 3
    pq.write_table(table_of(range(25)), source / "f0.parquet")
    with pytest.raises(aj.JagValueError, match=r"rows of an older f0\.parquet, which was replaced since: mode=\"replace\""):
        run(totals, source, place.name("t"), version="1", mode="resume")
    assert run(totals, source, place.name("t"), version="2", mode="replace").rows == 65
    assert place.rows("t").num_rows == 65


def test_the_source_is_a_snapshot(place: Place, tmp_path: Path) -> None:
    """Rows that are deleted, or committed later, are not read; the folder itself is never listed."""
    place.create("s", pa.table({"id": pa.array(range(4), pa.int64()), "v": pa.array([[1.0]] * 4)}))
    before = place.open("s")
    if place.format == "delta":
        place.open("s").delete("id < 2")
    else:
        place.open("s").delete("id < 2")
    report = run(keep, place.name("s"), tmp_path / "new")
    assert aj.read_parquet(tmp_path / "new")["id"].to_pylist() == [2, 3]
    assert report.rows == 2
    run(keep, before, tmp_path / "old")
    assert aj.read_parquet(tmp_path / "old")["id"].to_pylist() == [0, 1, 2, 3]
    assert aj.etl.reduce(len, sum, place.name("s"), workers=1, progress=False) == 2
    folder = place.root("s")
    if place.format == "delta":
        assert aj.read_parquet(folder)["id"].to_pylist() == [2, 3]
        assert run(keep, folder, tmp_path / "plain").rows == 2
        patterns = [folder / "*.parquet", folder.parent, [folder]]
    else:
        patterns = [folder, folder / "data", folder.parent, folder / "**" / "*.parquet"]
    for pattern in patterns:
        for reads in (aj.read_parquet, lambda one: run(keep, one, tmp_path / "never")):
            with pytest.raises(aj.JagValueError, match=r"is a table of .*: its folder also holds files that are deleted"):
                reads(pattern)
    with pytest.raises(aj.JagValueError, match="is a table of"):
        run(keep, place.name("s"), folder, mode="replace")
    assert place.rows("s").num_rows == 2


def test_a_table_without_files(place: Place, tmp_path: Path) -> None:
    place.create("s", pa.table({"id": pa.array(range(4), pa.int64())}))
    place.open("s").delete("id >= 0")
    assert aj.read_parquet(place.name("s")).num_rows == 0
    assert run(keep, place.name("s"), tmp_path / "out").rows == 0
    assert run(keep, place.name("s"), place.name("u")).rows == 0


def test_missing_tables_are_named(place: Place, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="there is no table"):
        aj.read_parquet(place.name("nope"))
    with pytest.raises(FileNotFoundError, match="there is no table"):
        run(keep, place.name("nope"), tmp_path / "out")
    with pytest.raises(FileNotFoundError, match="there is no"):
        aj.etl.status(place.name("nope"))


def test_declared_extents_null_rows_and_polars_frames_come_back(place: Place, tmp_path: Path) -> None:
    fixed = aj.arange(4, 2)
    table = {"k": [1, 2, 3, 4], "f": fixed, "t": aj.array([[["a", None], []], None, [], [["b"]]])}
    aj.write_parquet(table, tmp_path / "in.parquet")
    run(lambda frame: frame, tmp_path / "in.parquet", place.name("t"), frame="polars")
    back = aj.read_parquet(place.name("t"))
    assert back.schema.field("f").type.extents == (None, 2)
    assert aj.from_arrow(back["f"]).equals(fixed)
    assert aj.from_arrow(back["t"]).to_list() == table["t"].to_list()
    assert aj.read_parquet(place.name("t"), to="polars").schema["f"] == aj.polars.Jagged(pl.Int64, 2, extents=(2,))
    assert place.rows("t")["f"].to_pylist() == fixed.to_list()
    resumed = run(lambda frame: frame, tmp_path / "in.parquet", place.name("t"), frame="polars", mode="resume")
    assert resumed.kept in {0, 1}


REFUSED = {
    "duration": (pa.array([1], pa.duration("us")), "cast it to int64"),
    "unsigned": (pa.array([1], pa.uint8()), "cast it to int32"),
    "float16": (pa.array([np.float16(1)]), "cast it to float32"),
    "dictionary": (pa.array(["a"]).dictionary_encode(), "cast it to string"),
    "nanoseconds": (pa.array([1], pa.timestamp("ns")), 'cast it to timestamp("us")'),
    "zone": (pa.array([MOMENT], pa.timestamp("us", "Europe/Paris")), "tz_convert"),
    "nested": (pa.array([[{"b": 1}]], pa.large_list(pa.struct([("a", pa.int32()), ("b", pa.uint64())]))), "cast it to int64"),
    "jagged": (aj.array([[1]], type=pa.uint16()).to_arrow(), "cast it to int32"),
    "fixed": (pa.array([[1, 2]], pa.list_(pa.int64(), 2)), "cast it to large_list"),
    "null": (pa.nulls(1), "cast or drop it"),
}


@pytest.mark.parametrize("kind", ["duration", "nested"])
def test_types_that_a_format_would_change_are_an_error_before_anything_is_written(place: Place, source: Path, kind: str) -> None:
    array, advice = REFUSED[kind]

    def transform(table: pa.Table) -> pa.Table:
        return table.append_column("bad", pa.concat_arrays([array] * table.num_rows))

    for on_error in ("stop", "skip", "rows"):
        with pytest.raises(JobError, match=rf"column 'bad': (Delta Lake|Iceberg) can't store .* {advice}"):
            run(transform, source, place.name("t"), on_error=on_error)
        assert not list(place.root("t").rglob("*.parquet"))
    if kind == "duration":
        with pytest.raises(aj.JagTypeError, match="column 'bad'"):
            run(transform, source, place.name("t"), schema=pa.schema([("bad", array.type)]))


@pytest.mark.parametrize("format", ["Delta Lake", "Iceberg"])
@pytest.mark.parametrize("kind", REFUSED)
def test_each_type_that_a_format_would_change_is_known(format: str, kind: str) -> None:
    from arrowjag.etl._lake import check_columns

    array, advice = REFUSED[kind]
    with pytest.raises(aj.JagTypeError, match=rf"can't store .* without changing it; .*{re.escape(advice)}"):
        check_columns(format, pa.schema([("c", array.type)]))


@pytest.mark.parametrize("format", ["Delta Lake", "Iceberg"])
def test_a_type_that_is_cast_as_told_is_stored(format: str) -> None:
    from arrowjag.etl._lake import check_columns

    told = set()
    for type in [*itertools.chain(*LEAF_KINDS.values()), pa.dictionary(pa.int8(), pa.duration("s"))]:
        try:
            check_columns(format, pa.schema([("c", type)]))
        except aj.JagTypeError as error:
            advice = str(error).partition("without changing it; ")[2]
            name, unit, zone = re.match(r'cast (?:it to )?(\w+)(?:\("(\w+)"\))?(?:, and tz_convert\("(\w+)"\))?', advice).groups()
            told.add(name)
            if name != "or":  # no type holds the values
                options = (38, type.scale) if name == "decimal128" else [one for one in (unit, zone) if one]
                check_columns(format, pa.schema([("c", getattr(pa, name)(*options))]))
    assert {"or", "date32", "decimal128", "float32", "int32", "int64", "large_string", "string", "timestamp"} <= told


def test_every_type_that_is_allowed_comes_back_unchanged(place: Place, tmp_path: Path) -> None:
    from arrowjag.etl._lake import check_columns

    columns: dict[str, Any] = {
        "b": pa.array([True, None]),
        "i": pa.array([1, None], pa.int32()),
        "f": pa.array([1.5, None], pa.float32()),
        "d": pa.array([None, 1], pa.decimal128(12, 2)),
        "t": pa.array([dt.date(2024, 1, 1), None]),
        "u": pa.array([MOMENT, None], pa.timestamp("us")),
        "z": pa.array([MOMENT, None], pa.timestamp("us", "UTC")),
        "s": pa.array(["a", None], pa.large_string()),
        "y": pa.array([b"a", None], pa.binary()),
        "r": pa.array([{"a": 1, "b": [1.5]}, None]),
        "m": pa.array([[("k", 1)], None], pa.map_(pa.string(), pa.int64())),
        "l": aj.array([[MOMENT], []], type=pa.timestamp("us")).to_arrow(),
        **({"h": pa.array([1, None], pa.int16())} if place.format == "delta" else {"o": pa.array([1, None], pa.time64("us"))}),
    }
    table = pa.table(columns)
    check_columns("Delta Lake" if place.format == "delta" else "Iceberg", table.schema)
    pq.write_table(table, tmp_path / "in.parquet")
    run(keep, tmp_path / "in.parquet", place.name("t"))
    assert aj.read_parquet(place.name("t")).to_pydict() == table.to_pydict()
    assert place.rows("t").to_pydict() == table.to_pydict()


def test_other_columns_are_refused_or_merged_on_request(place: Place, source: Path) -> None:
    run(totals, source, place.name("t"), version="1")

    def more(table: pa.Table) -> pa.Table:
        return totals(table).append_column("w", aj.from_arrow(table["v"]).to_arrow()).drop_columns("total")

    pq.write_table(table_of(range(60, 80)), source / "f3.parquet")
    (source / "f0.parquet").unlink()
    (source / "f1.parquet").unlink()
    (source / "f2.parquet").unlink()
    with pytest.raises(JobError, match=r"lacks column 'total' and adds column 'w'; the columns of the table are .*schema_mode"):
        run(more, source, place.name("t"), mode="resume", version="1")
    report = run(more, source, place.name("t"), mode="resume", version="1", write={"schema_mode": "merge"}, missing_inputs="keep")
    assert report.tasks >= 1
    table = aj.read_parquet(place.name("t")).sort_by("id")
    assert table.schema.names == ["id", "v", "total", "w"]
    assert isinstance(table.schema.field("w").type, aj.JaggedType)
    assert table["w"].to_pylist() == [None] * 60 + table["v"].to_pylist()[60:]
    assert table["total"].null_count >= 20
    assert place.rows("t").num_rows == 80
    with pytest.raises(aj.JagValueError, match="the sink is a folder"):
        run(keep, source, source.parent / "out", write={"schema_mode": "merge"})


# ------------------------------------------------------------------------------------------------------------- Delta Lake


@pytest.fixture
def delta(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    return make_place("delta", tmp_path / "lake", monkeypatch)


def _required(name: str, type: pa.DataType) -> pa.Field:
    return pa.field(name, type, nullable=False)


REQUIRED = pa.schema(
    [
        _required("id", pa.int64()),
        pa.field("s", pa.struct([_required("a", pa.int64()), _required("t", pa.struct([_required("b", pa.large_string())]))])),
        pa.field("v", pa.large_list(_required("element", pa.large_list(_required("element", pa.float64()))))),
        pa.field("m", pa.map_(pa.large_string(), _required("value", pa.int64()))),
    ]
)


def test_required_fields_of_a_table_stay_required(place: Place, tmp_path: Path) -> None:
    rows = [
        {"id": 1, "s": {"a": 1, "t": {"b": "x"}}, "v": [[1.0], []], "m": [("k", 1)]},
        {"id": 2, "s": None, "v": None, "m": None},
        {"id": 3, "s": {"a": 3, "t": {"b": ""}}, "v": [], "m": []},
    ]
    place.create("t", pa.Table.from_pylist(rows, REQUIRED))
    # Of structs that are null, frames have fields that are null.
    s = pa.struct([("a", pa.int64()), ("t", pa.struct([("b", pa.string())]))])
    optional = pa.schema([("id", pa.int64()), ("s", s), ("v", pa.list_(pa.list_(pa.float64()))), ("m", pa.map_("string", "int64"))])
    pq.write_table(pa.Table.from_pylist(rows, optional), tmp_path / "in.parquet")
    assert run(keep, tmp_path / "in.parquet", place.name("t"), mode="resume").rows == 3
    assert run(keep, place.name("t"), place.name("u")).rows == 6
    for name in ("t", "u"):
        for read in (place.rows(name), aj.read_parquet(place.name(name))):
            found = sorted(read.to_pylist(), key=lambda row: row["id"])
            assert found == [row for row in rows for _ in range(2)]
    for name, value in {"s": {"a": None, "t": {"b": ""}}, "v": [None], "m": [("k", None)]}.items():
        pq.write_table(pa.Table.from_pylist([rows[0] | {name: value}], optional), tmp_path / f"{name}.parquet")
        with pytest.raises(JobError, match=rf"column {name!r}: .* is null, and the type says not null"):
            run(keep, tmp_path / f"{name}.parquet", place.name("t"), mode="resume")


def test_columns_that_a_table_gets_are_null_in_its_rows(place: Place, tmp_path: Path) -> None:
    place.create("t", pa.table({"id": pa.array([1], pa.int64())}))
    rows = pa.schema([("id", pa.int64()), _required("n", pa.int64())])
    pq.write_table(pa.table([[2], [7]], schema=rows), tmp_path / "in.parquet")
    run(keep, tmp_path / "in.parquet", place.name("t"), mode="resume", write={"schema_mode": "merge"})
    for read in (place.rows("t"), aj.read_parquet(place.name("t"))):
        assert read.sort_by("id").to_pylist() == [{"id": 1, "n": None}, {"id": 2, "n": 7}]


def test_names_that_differ_in_case_are_an_error_before_anything_is_written(delta: Place, source: Path) -> None:
    def with_name(table: pa.Table) -> pa.Table:
        return table.append_column("Id", table["id"])

    with pytest.raises(JobError, match="column 'Id': Delta Lake takes it for the column 'id'; rename it"):
        run(with_name, source, delta.name("t"))
    assert not delta.root("t").exists() or not [path for path in delta.root("t").rglob("*") if path.is_file()]
    delta.create("u", pa.table({"ID": pa.array([1], pa.int64())}))
    with pytest.raises(JobError, match="column 'id': Delta Lake takes it for the column 'ID'"):
        run(keep, source, delta.name("u"), mode="resume", write={"schema_mode": "merge"})


def test_deletion_vectors_are_applied(delta: Place, tmp_path: Path) -> None:
    import deltalake

    rows = pa.table({"id": pa.array(range(10), pa.int64()), "v": pa.array([[i] * (i % 3) for i in range(10)])})
    deltalake.write_deltalake(str(delta.root("s")), rows)
    delete_by_vector(delta.root("s"), [0, 4])
    expected = [1, 2, 3, 5, 6, 7, 8, 9]
    assert aj.read_parquet(delta.name("s"))["id"].to_pylist() == expected
    assert aj.read_parquet(delta.name("s"), filters=[("id", ">", 2)])["id"].to_pylist() == expected[2:]
    assert aj.read_parquet(delta.name("s"), columns=["v"])["v"].to_pylist() == [[i] * (i % 3) for i in expected]
    for batch_bytes in ("1MB", 30):
        report = run(keep, delta.name("s"), tmp_path / f"out-{batch_bytes}", batch_bytes=batch_bytes)
        assert report.rows == report.rows_read == 8
        assert aj.read_parquet(tmp_path / f"out-{batch_bytes}")["id"].to_pylist() == expected
    from arrowjag.cli import main

    assert main(["show", delta.name("s")]) == 2


@pytest.mark.parametrize("folder", ["a b", "ä+ü", "a#b"])
def test_open_tables_in_folders_whose_names_urls_quote(delta: Place, tmp_path: Path, folder: str) -> None:
    import deltalake

    rows = pa.table({"id": pa.array(range(4), pa.int64()), "v": pa.array([[1.0], None, [], [2.0]])})
    deltalake.write_deltalake(str(delta.root(folder)), rows)
    delete_by_vector(delta.root(folder), [1])
    for name in (delta.open(folder), delta.name(folder), delta.root(folder)):
        assert aj.read_parquet(name)["id"].to_pylist() == [0, 2, 3]
    sink = delta.root(f"{folder} sink")
    deltalake.write_deltalake(str(sink), rows)
    assert run(keep, delta.open(folder), delta.open(sink.name), mode="resume").commit == "version 1"
    assert delta.rows(sink.name).num_rows == 7
    assert sorted(path.name for path in delta.folder.iterdir()) == [folder, sink.name, f"{sink.name}._arrowjag"]


def test_features_of_a_type_that_no_column_has_are_ignored(delta: Place, source: Path, tmp_path: Path) -> None:
    """deltalake declares variants with every other feature, here for a table that allows deletion vectors."""
    import deltalake

    rows = pa.table({"id": pa.array(range(100, 110), pa.int64()), "v": pa.array([[1.0]] * 10)})
    deltalake.write_deltalake(str(delta.root("t")), rows, configuration={"delta.enableDeletionVectors": "true"})
    log = delta.root("t") / "_delta_log" / f"{0:020}.json"
    content = log.read_text()
    if "variantType" not in content:
        pytest.skip("this version of deltalake declares deletion vectors alone")
    delta.open("t").delete("id = 104")
    assert run(keep, delta.name("t"), tmp_path / "out").rows == 9

    def flat(table: pa.Table) -> pa.Table:
        return pa.table({"id": table["id"], "v": [[1.0]] * len(table)})

    assert run(flat, source, delta.name("t"), mode="resume").rows == 60
    assert aj.read_parquet(delta.name("t")).num_rows == 69
    for path in log.parent.glob("*.json"):
        if path != log:
            path.unlink()
    log.write_text(content.replace('\\"type\\":\\"long\\"', '\\"type\\":\\"variant\\"'))
    with pytest.raises(aj.JagValueError, match="the table uses variantType"):
        aj.read_parquet(delta.name("t"))


def test_partition_columns_are_values_of_the_log(delta: Place, source: Path, tmp_path: Path) -> None:
    def with_key(table: pa.Table) -> pa.Table:
        keys = [None if i % 3 == 0 else f"k/{i % 3} %2F=" for i in table["id"].to_pylist()]
        return table.append_column("key", pa.array(keys))

    report = run(with_key, source, delta.name("t"), partition_by="key")
    assert delta.open("t").metadata().partition_columns == ["key"]
    for found in (delta.rows("t"), aj.read_parquet(delta.name("t"))):
        read = found.sort_by("id")
        assert read["id"].to_pylist() == list(range(60))
        assert read["key"].to_pylist() == [None if i % 3 == 0 else f"k/{i % 3} %2F=" for i in range(60)]
    found = aj.read_parquet(delta.name("t"), filters=[("key", "=", "k/1 %2F=")])
    assert sorted(found["id"].to_pylist()) == [i for i in range(60) if i % 3 == 1]
    assert run(with_key, source, delta.name("t"), partition_by="key", mode="resume").kept == report.tasks
    with pytest.raises(aj.JagValueError, match="is partitioned by"):
        run(with_key, source, delta.name("t"), partition_by="id", mode="resume")
    assert run(keep, delta.name("t"), tmp_path / "out").rows == 60
    back = aj.read_parquet(tmp_path / "out").sort_by("id")
    assert back.to_pydict() == delta.rows("t").sort_by("id").select(back.column_names).to_pydict()
    assert not [path for path in (tmp_path / "out").rglob("*") if "=" in path.name], "readers would take folders for columns"


def test_an_empty_text_is_a_partition_value_or_refused(place: Place, tmp_path: Path) -> None:
    """Readers of Delta Lake take it for null, ours too."""
    aj.write_parquet({"id": [0, 1, 2, 3], "key": ["a/b", "", None, "50%"]}, tmp_path / "in.parquet")
    if place.format == "delta":
        with pytest.raises(JobError, match="column 'key': readers of Delta Lake take an empty text for null; replace it, or take"):
            run(keep, tmp_path / "in.parquet", place.name("t"), partition_by="key")
        assert not list(place.root("t").rglob("*.parquet"))
        return
    run(keep, tmp_path / "in.parquet", place.name("t"), partition_by="key")
    for read in (place.rows("t"), aj.read_parquet(place.name("t"))):
        assert read.sort_by("id")["key"].to_pylist() == ["a/b", "", None, "50%"]


def test_partition_columns_of_the_source_partition_the_results_again(place: Place, tmp_path: Path) -> None:
    write_dataset(tmp_path / "in", keys=True)
    expected = aj.read_parquet(tmp_path / "in").sort_by("id").to_pydict()
    for source, sink in ((tmp_path / "in", "t"), (place.name("t"), "u")):
        assert run(keep, source, place.name(sink), partition_by="part").rows == 120
        assert aj.read_parquet(place.name(sink)).sort_by("id").to_pydict() == expected
        assert place.rows(sink).sort_by("id").select(list(expected)).to_pydict() == expected
    run(keep, place.name("u"), tmp_path / "out", partition_by="part")
    assert aj.read_parquet(tmp_path / "out").sort_by("id").to_pydict() == expected
    assert {path.name for path in (tmp_path / "out").rglob("*=*")} == {"part=0", "part=1"}


def test_a_partitioned_table_is_read_as_deltalake_reads_it(delta: Place, tmp_path: Path) -> None:
    import deltalake

    rows = pa.table(
        {
            "id": pa.array(range(12), pa.int64()),
            "i": pa.array([None, 1, -2] * 4, pa.int32()),
            "b": pa.array([True, None] * 6),
            "d": pa.array([dt.date(2024, 1, 1), None, dt.date(1969, 1, 1)] * 4),
            "t": pa.array([MOMENT, None] * 6, pa.timestamp("us")),
            "f": pa.array([1.5, None, -0.0] * 4),
            "s": pa.array(["", None, "ä/ %2F=", "__HIVE_DEFAULT_PARTITION__"] * 3),
            "v": pa.array([[i] * (i % 3) for i in range(12)]),
        }
    )
    for number, keys in enumerate((["i"], ["b", "d"], ["t"], ["f"], ["s"])):
        deltalake.write_deltalake(str(delta.root(f"t{number}")), rows, partition_by=keys)
        expected = delta.rows(f"t{number}").sort_by("id")
        found = aj.read_parquet(delta.name(f"t{number}")).sort_by("id")
        assert found.to_pydict() == expected.to_pydict(), keys
        report = run(keep, delta.name(f"t{number}"), tmp_path / f"out{number}")
        assert report.rows == 12
        back = aj.read_parquet(tmp_path / f"out{number}").sort_by("id")
        assert back.to_pydict() == expected.select(back.column_names).to_pydict()


def test_tables_that_a_commit_of_files_would_spoil_are_refused(delta: Place, source: Path, tmp_path: Path) -> None:
    import deltalake

    rows = pa.table({"id": pa.array(range(4), pa.int64())})
    deltalake.write_deltalake(str(delta.root("c")), rows)
    delta.open("c").alter.add_constraint({"positive": "id >= 0"})
    with pytest.raises(aj.JagValueError, match=r"positive|checkConstraints"):
        run(lambda table: table.select(["id"]), source, delta.name("c"), mode="resume")
    assert aj.read_parquet(delta.name("c")).num_rows == 4
    log = delta.root("m") / "_delta_log"
    deltalake.write_deltalake(str(delta.root("m")), rows)
    lines = [json.loads(line) for line in (log / f"{0:020}.json").read_text().splitlines()]
    for line in lines:
        if "metaData" in line:
            line["metaData"]["configuration"] = {"delta.columnMapping.mode": "name"}
    (log / f"{0:020}.json").write_text("\n".join(map(json.dumps, lines)))
    with pytest.raises(aj.JagValueError, match="columnMapping"):
        aj.read_parquet(delta.name("m"))
    plain = tmp_path / "plain"
    write_dataset(plain, files=1, rows=2)
    with pytest.raises(aj.JagValueError, match="is not a table of Delta Lake, but it holds files"):
        run(keep, source, f"delta://{plain}", mode="replace")
    assert aj.read_parquet(plain).num_rows == 2


# ---------------------------------------------------------------------------------------------------------------- Iceberg


@pytest.mark.parametrize("name", ["iceberg://lake", "iceberg://", "delta://", "delta:///", "delta://s3://"])
def test_a_name_without_a_table_raises(name: str, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("deltalake" if name.startswith("delta") else "pyiceberg")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(aj.JagValueError, match=f"{name} names no table"):
        aj.read_parquet(name)
    with pytest.raises(aj.JagValueError, match=f"{name} names no table"):
        run(keep, source, name)
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


def test_an_error_of_a_store_is_one_line(delta: Place, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import deltalake

    def fail(*_: Any, **__: Any) -> None:
        raise OSError("Kernel error -> Generic S3 error\n  \x1b[31m\u21b3\x1b[0m Server returned 404")

    run(keep, source, delta.name("t"))
    monkeypatch.setattr(deltalake, "DeltaTable", fail)
    with pytest.raises(
        aj.JagFileError, match="t can't be read as a table of Delta Lake: Kernel error -> Generic S3 error \u21b3 Server"
    ):
        run(keep, source, delta.name("t"), mode="resume")


# ----------------------------------------------------------------------------------------------------- without the libraries


@pytest.mark.parametrize(("name", "package"), [("delta://t", "deltalake"), ("iceberg://c/n.t", "pyiceberg")])
def test_a_missing_library_is_named(name: str, package: str, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in list(sys.modules):
        if module.partition(".")[0] == package:
            monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, package, None)
    for call in (lambda: aj.read_parquet(name), lambda: run(keep, name, tmp_path / "out"), lambda: run(keep, source, name)):
        with pytest.raises(
            aj.MissingDependencyError, match=f"{package}.*arrowjag\\[{'delta' if package[0] == 'd' else 'iceberg'}\\]"
        ):
            call()


def test_results_are_not_made_of_results(place: Place, source: Path) -> None:
    """Each run would read what the last one added."""
    run(keep, source, place.name("t"), columns=["id", "v"])
    run(keep, place.name("t"), place.name("t"), mode="resume", version="self")
    assert len(place.rows("t")) == 120
    with pytest.raises(aj.JagValueError, match=r"is source and sink, and .* is a result of this job: resume would add results of"):
        run(keep, place.name("t"), place.name("t"), mode="resume", version="self")
    run(keep, place.name("t"), place.name("t"), mode="replace", version="self")
    assert len(place.rows("t")) == 120
