"""Jobs that are interrupted and resumed hold every row once."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from fsspec.implementations.local import LocalFileSystem

import arrowjag as aj
from arrowjag.etl import JobError
from tests.etl.jobs import (
    check_totals,
    fail_at,
    files_in,
    keep,
    run,
    table_of,
    totals,
    wait_for_results,
    write_dataset,
)

ROOT = Path(aj.__file__).parents[1]
SCRIPT = """
import sys, time
import arrowjag as aj
from tests.etl.jobs import totals

PAUSE = float(sys.argv[4])

def slow(table):
    time.sleep(PAUSE)
    return totals(table)

if __name__ == "__main__":
    report = aj.etl.run(slow, sys.argv[1], sys.argv[2], mode=sys.argv[3], frame="arrow", workers=2, batch_bytes=700, progress=False)
    print(report.kept, report.tasks, report.rows)
"""


def start(tmp_path: Path, mode: str) -> subprocess.Popen[str]:
    (tmp_path / "job.py").write_text(SCRIPT)
    command = [sys.executable, "job.py", str(tmp_path / "in"), str(tmp_path / "out"), mode, "0.1"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.Popen(command, cwd=tmp_path, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)


def workers_of(pid: int) -> list[int]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            facts = (folder / "stat").read_text()
        except OSError:
            continue
        if int(facts.rpartition(")")[2].split()[1]) == pid:
            found.append(int(folder.name))
    return found


def is_alive(pid: int) -> bool:
    try:
        return (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")
@pytest.mark.parametrize("way", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_killed_and_resumed(way: signal.Signals, tmp_path: Path) -> None:
    rows = write_dataset(tmp_path / "in", files=8)
    child = start(tmp_path, "create")
    wait_for_results(child, tmp_path / "out", 2)
    workers = workers_of(child.pid)
    assert len(workers) == 2
    child.send_signal(way)
    _, told = child.communicate(timeout=30)
    assert child.returncode != 0
    if way == signal.SIGINT:
        assert told.rstrip().endswith("KeyboardInterrupt")
    if way == signal.SIGTERM:
        assert child.returncode == 143
    if way != signal.SIGKILL:
        assert [name for name in files_in(tmp_path / "out") if not name.endswith(".parquet")] == []
    done = len(list((tmp_path / "out").glob("*.parquet")))
    assert 2 <= done < 8, "the job was not killed half-way"
    deadline = time.monotonic() + 30
    while any(map(is_alive, workers)):
        assert time.monotonic() < deadline, "workers outlive the job"
        time.sleep(0.02)
    done = len(list((tmp_path / "out").glob("*.parquet")))
    with start(tmp_path, "resume") as again:
        out, errors = again.communicate(timeout=60)
    assert out == f"{done} 8 {rows}\n", errors
    assert files_in(tmp_path / "out") == [f"f{number}-0.parquet" for number in range(8)]
    check_totals(tmp_path / "out", rows)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")
def test_a_killed_worker_loses_nothing(tmp_path: Path) -> None:
    rows = write_dataset(tmp_path / "in", files=6)
    with start(tmp_path, "create") as child:
        wait_for_results(child, tmp_path / "out", 1)
        os.kill(workers_of(child.pid)[0], signal.SIGKILL)
        time.sleep(0.05)
        assert child.poll() is None
        out, errors = child.communicate(timeout=60)
    assert out == f"0 6 {rows}\n", errors
    check_totals(tmp_path / "out", rows)


def test_the_fingerprint_of_a_function_is_the_same_in_every_process(tmp_path: Path) -> None:
    code = """
import functools, sys
import numpy as np, polars as pl
from arrowjag.etl._fingerprint import digest_of
NAMES = {"a", "b", "c", "d"}
EXPR = pl.col("a") + 1
class Adds:
    def __init__(self, n): self.n = n
    def __call__(self, x): return helper(x) + self.n
def helper(x): return recursive(x) if x in NAMES else EXPR
def recursive(x): return helper(x - 1) if x in {"x", "y", "z"} else np.sqrt(x)
print(digest_of(Adds(2)), digest_of(functools.partial(lambda x, y: helper(x), y=[1, None])))
"""
    found = set()
    for seed in ("1", "2", "3"):
        environment = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
        found.add(subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True).stdout)
        code = "# a comment\n\n" + code
    assert len(found) == 1
    code = code.replace("x - 1", "x - 2")
    assert (
        subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True).stdout
        not in found
    )


# ---------------------------------------------------------------------------------------------- what is done, what not


def marks(folder: Path) -> dict[str, int]:
    return {file.name: file.stat().st_mtime_ns for file in folder.glob("*.parquet")}


def test_results_with_other_options_of_files_are_written_again(source: Path, tmp_path: Path) -> None:
    for mode, compression, kept in (("create", "snappy", 0), ("resume", "snappy", 3), ("resume", "zstd", 0), ("resume", "zstd", 3)):
        report = run(totals, source, tmp_path / "out", mode=mode, write={"compression": compression})
        assert (report.tasks, report.kept) == (3, kept)
        found = {pq.ParquetFile(path).metadata.row_group(0).column(0).compression for path in (tmp_path / "out").glob("*.parquet")}
        assert found == {compression.upper()}


def test_finished_tasks_are_not_repeated(source: Path, tmp_path: Path) -> None:
    with pytest.raises(JobError, match="id 100 is bad"):
        run(fail_at(100), source, tmp_path / "out")
    before = marks(tmp_path / "out")
    assert sorted(before) == ["f0-0.parquet", "f1-0.parquet"]
    with pytest.raises(JobError, match="id 100 is bad"):
        run(fail_at(100), source, tmp_path / "out", mode="resume")
    assert marks(tmp_path / "out") == before
    (tmp_path / "out/f1-0.parquet").unlink()
    report = run(fail_at(100), source, tmp_path / "out", mode="resume", on_error="skip")
    assert (report.kept, report.tasks, report.rows, len(report.failures)) == (1, 2, 80, 1)
    done = run(fail_at(1000), source, tmp_path / "other")
    again = run(fail_at(1000), source, tmp_path / "other", mode="resume")
    assert (again.kept, again.tasks, again.rows, again.rows_read) == (3, 3, done.rows, 0)


@pytest.mark.parametrize("change", ["input", "transform", "columns", "frame", "schema"])
def test_a_change_is_done_again(change: str, source: Path, tmp_path: Path) -> None:
    run(totals, source, tmp_path / "out")
    transform: Any = totals
    options: dict[str, Any] = {}
    if change == "input":
        pq.write_table(table_of(range(40, 80)), source / "f1.parquet", row_group_size=20)
    elif change == "transform":
        transform = lambda table: totals(table)  # noqa: E731, PLW0108
    elif change == "columns":
        options = {"columns": ["v", "id"]}
    elif change == "frame":
        options, transform = {"frame": "polars"}, lambda frame: totals(frame.to_arrow())
    else:
        options = {
            "schema": pa.schema({**{f.name: f.type for f in pq.read_schema(tmp_path / "out/f0-0.parquet")}, "id": pa.int32()})
        }
    report = run(transform, source, tmp_path / "out", mode="resume", **options)
    assert report.kept == (2 if change == "input" else 0)
    check_totals(tmp_path / "out", 120)


@pytest.mark.parametrize(
    "make", [lambda ids: pc.field("id").isin(ids), lambda ids: [("id", "in", np.array(ids))]], ids=["expression", "tuple"]
)
def test_any_value_of_a_long_filter_counts(make: Any, source: Path, tmp_path: Path) -> None:
    """The text of an expression or of an array leaves out values in the middle of many."""
    ids = list(range(2000))
    run(totals, source, tmp_path / "out", filters=make(ids))
    assert run(totals, source, tmp_path / "out", mode="resume", filters=make(ids), dry_run=True).kept == 3
    fewer = [one for one in ids if one != 50]
    assert run(totals, source, tmp_path / "out", mode="resume", filters=make(fewer)).kept == 0
    assert 50 not in aj.read_parquet(tmp_path / "out")["id"].to_pylist()


def test_memory_workers_and_batches_are_no_change(source: Path, tmp_path: Path) -> None:
    run(totals, source, tmp_path / "out")
    report = run(totals, source, tmp_path / "out", mode="resume", workers=2, memory="1GB", batch_bytes=1000, on_error="skip")
    assert report.kept == 3


def test_the_schema_of_finished_results_is_kept(source: Path, tmp_path: Path) -> None:
    def shrinks(table: pa.Table) -> pa.Table:
        return table.select([table.schema.get_field_index("id")]).cast(
            pa.schema({"id": pa.int32() if table["id"][0].as_py() else pa.int64()})
        )

    run(shrinks, source, tmp_path / "out")
    (tmp_path / "out/f0-0.parquet").unlink()
    (tmp_path / "out/f1-0.parquet").unlink()
    run(shrinks, source, tmp_path / "out", mode="resume")
    assert [pq.read_schema(file).field("id").type for file in (tmp_path / "out").iterdir()] == [pa.int64()] * 3


@pytest.mark.workers
def test_other_cuts_of_a_file_leave_no_row_twice(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arrowjag.etl._tasks.TASK_BYTES", 1)
    run(totals, source, tmp_path / "out", workers=2)
    assert len(files_in(tmp_path / "out")) == 12
    monkeypatch.undo()
    run(totals, source, tmp_path / "out", mode="resume")
    assert files_in(tmp_path / "out") == ["f0-0.parquet", "f1-0.parquet", "f2-0.parquet"]
    check_totals(tmp_path / "out", 120)


def test_a_sink_that_holds_files(source: Path, tmp_path: Path) -> None:
    run(totals, source / "f0.parquet", tmp_path / "out")
    with pytest.raises(aj.JagValueError, match=r'the sink holds files, for example \S+f0-0.parquet: mode="resume" keeps'):
        run(totals, source, tmp_path / "out")
    (tmp_path / "other").mkdir()
    shutil.copy(source / "f1.parquet", tmp_path / "other")
    with pytest.raises(aj.JagValueError, match=r"the sink holds results of f0\.parquet"):
        run(totals, tmp_path / "other", tmp_path / "out", mode="resume")
    assert files_in(tmp_path / "out") == ["f0-0.parquet"]
    run(totals, source / "f1.parquet", tmp_path / "out", mode="replace")
    assert files_in(tmp_path / "out") == ["f1-0.parquet"]
    pq.write_table(pa.table({"x": [1]}), tmp_path / "out/x.parquet")
    with pytest.raises(aj.JagValueError, match=r"the sink holds rows of another kind in \S+x\.parquet"):
        run(totals, source / "f1.parquet", tmp_path / "out", mode="resume")


def test_files_of_another_source_or_program_stay(source: Path, tmp_path: Path) -> None:
    """Names of files don't say whose they are: only results of this source, or damaged ones, are replaced."""
    out = tmp_path / "out"
    run(totals, source, out)
    (tmp_path / "other").mkdir()
    pq.write_table(table_of(range(500, 505)), tmp_path / "other/f0.parquet")
    for other in (tmp_path / "other", tmp_path / "other/f0.parquet"):
        told = r"holds results of f0\.parquet from the source \S+/in, and this job reads \S+/other in \S+f0-0\.parquet: take"
        with pytest.raises(aj.JagValueError, match=told):
            run(totals, other, out, mode="resume")
    check_totals(out, 120)
    pq.write_table(pa.table({"x": [1]}), out / "f0-0.parquet")
    with pytest.raises(aj.JagValueError, match=r"the sink holds rows of another kind in \S+f0-0\.parquet"):
        run(totals, source, out, mode="resume")
    (out / "f0-0.parquet").unlink()
    # The same source under other names: a link, and a new place. In both some files have changed since.
    (tmp_path / "link").symlink_to("in")
    os.utime(source / "f1.parquet", ns=(1, 1))
    assert run(totals, tmp_path / "link", out, mode="resume").kept == 1
    source.rename(tmp_path / "moved")
    os.utime(tmp_path / "moved/f1.parquet", ns=(2, 2))
    assert run(totals, tmp_path / "moved", out, mode="resume").kept == 2
    check_totals(out, 120)


def test_leftovers_and_damaged_results_are_no_results(source: Path, tmp_path: Path) -> None:
    run(totals, source, tmp_path / "out")
    whole = (tmp_path / "out/f1-0.parquet").read_bytes()
    (tmp_path / "out/f1-0.parquet").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "out/.f2-0.parquet.123.part").write_bytes(b"half")
    report = run(totals, source, tmp_path / "out", mode="resume")
    assert report.kept == 2
    assert files_in(tmp_path / "out") == ["f0-0.parquet", "f1-0.parquet", "f2-0.parquet"]
    check_totals(tmp_path / "out", 120)


class Refusing(LocalFileSystem):
    """Can't open files whose names end with `at`."""

    at: ClassVar[str] = ""
    fault: ClassVar[Exception] = PermissionError(13, "Permission denied")

    def open(self, path: str, mode: str = "rb", **options: Any) -> Any:
        if self.at and mode == "rb" and path.endswith(self.at):
            raise self.fault
        return super().open(path, mode, **options)


@pytest.mark.parametrize("fault", [PermissionError(13, "Permission denied"), ConnectionResetError("reset"), RuntimeError("closed")])
def test_a_result_that_can_t_be_read_is_neither_kept_nor_done_again(
    fault: Exception, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was taken for damaged, deleted and done again: it may be whole, and its store down."""
    where = Refusing()

    def job(mode: str) -> Any:
        options = {"filesystem": where, "mode": mode, "on_error": "rows", "dead_letter": str(tmp_path / "bad")}
        return run(fail_at(41), str(source), str(tmp_path / "out"), **options)

    assert job("create").rejected == 1
    before = {name: (tmp_path / name).read_bytes() for name in ("out/f1-0.parquet", "bad/f1-0.parquet")}
    monkeypatch.setattr(Refusing, "fault", fault)
    monkeypatch.setattr(Refusing, "at", "out/f1-0.parquet")
    told = r"out/f1-0\.parquet can't be read: .*(denied|reset|closed)\S* it may be a result, .*: make it readable, or delete it"
    for call in (lambda: job("resume"), lambda: aj.etl.status(str(tmp_path / "out"), filesystem=where)):
        with pytest.raises(aj.JagFileError, match=told):
            call()
    (tmp_path / "out/f1-0.parquet").unlink()
    monkeypatch.setattr(Refusing, "at", "bad/f1-0.parquet")
    with pytest.raises(JobError, match=r"the dead-letter files can't be deleted: .*bad/f1-0\.parquet can't be read: "):
        job("resume")
    assert (tmp_path / "bad/f1-0.parquet").read_bytes() == before["bad/f1-0.parquet"]
    monkeypatch.setattr(Refusing, "at", "")
    assert job("resume").kept == 2
    found = aj.read_parquet(tmp_path / "out/f1-0.parquet")
    assert found.equals(aj.read_parquet(before["out/f1-0.parquet"]))


def test_results_of_a_job_are_input_of_another(source: Path, tmp_path: Path) -> None:
    run(keep, source, tmp_path / "first")
    run(totals, tmp_path / "first", tmp_path / "second")
    check_totals(tmp_path / "second", 120)
    assert run(totals, tmp_path / "first", tmp_path / "second", mode="resume").kept == 3
    assert files_in(tmp_path / "second") == ["f0-0-0.parquet", "f1-0-0.parquet", "f2-0-0.parquet"]
