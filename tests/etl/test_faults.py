"""Failures and their effect on the rest: rows, tasks, the sink, time, signals."""

from __future__ import annotations

import errno
import io
import json
import logging
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from fsspec.implementations.local import LocalFileSystem
from fsspec.implementations.memory import MemoryFile, MemoryFileSystem

import arrowjag as aj
from arrowjag.etl import JobError, _lease, _sidecar
from arrowjag.etl._lease import Lease
from arrowjag.etl._rejects import Rejects
from arrowjag.etl._sink import Sink, probe_folder
from arrowjag.etl._worker import Finished, Job, Order, TaskError, run_remotely
from arrowjag.io import _atomic
from arrowjag.io._python_files import python_filesystem
from tests.etl.jobs import InlineEngine, check_totals, fail_at, files_in, keep, row_of, run, table_of, totals, write_dataset
from tests.hosts import pd, pl

ROOT = Path(aj.__file__).parents[1]


# --------------------------------------------------------------------------------------------------------------- rows


def fails_at(*bad: int) -> Any:
    def transform(table: pa.Table) -> pa.Table:
        ids = table["id"].to_pylist()
        for one in bad:
            if one in ids:
                raise ValueError(f"id {one} is bad")
        return totals(table)

    return transform


@pytest.mark.workers
def test_bad_rows_go_to_the_dead_letter_file_and_all_others_to_the_results(source: Path, tmp_path: Path) -> None:
    bad = [0, 39, 41, 42, 119]
    report = run(fails_at(*bad), source, tmp_path / "out", on_error="rows")
    assert (report.rows, report.rejected, report.failures, report.rows_read) == (115, 5, (), 120)
    found = aj.read_parquet(tmp_path / "out").sort_by("id")["id"].to_pylist()
    assert found == [one for one in range(120) if one not in bad]
    rejected = aj.read_parquet(tmp_path / "out._arrowjag/rejected").sort_by("id")
    assert rejected["id"].to_pylist() == bad
    assert aj.from_arrow(rejected["v"]).to_list() == [row_of(one) for one in bad]
    assert rejected["_file"].to_pylist()[1] == str(source / "f0.parquet")
    assert rejected["_error"].to_pylist()[2].startswith("ValueError: id 41 is bad")
    assert "5 rows rejected" in str(report)
    assert aj.etl.status(tmp_path / "out").runs[0].rejected == 5
    again = run(fails_at(*bad), source, tmp_path / "out", on_error="rows", mode="resume")
    assert again.kept == 3


def test_a_rejected_row_does_not_keep_its_batch_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    items = aj.array([[[number] * 50, []] for number in range(1000)])
    codes = pa.array([["a"], None] * 500, pa.list_(pa.string()))
    aj.write_parquet({"id": range(1000), "v": items, "w": codes}, tmp_path / "in.parquet")
    found: list[Any] = []
    write = Rejects.write
    monkeypatch.setattr(Rejects, "write", lambda self, task, rejected: (found.extend(rejected), write(self, task, rejected)))
    run(lambda table: keep(fails_at(3, 999)(table)), tmp_path / "in.parquet", tmp_path / "out", on_error="rows")
    assert [one.row.get_total_buffer_size() < 2000 for one in found] == [True, True]
    assert aj.read_parquet(tmp_path / "out._arrowjag/rejected")["v"].to_pylist() == [[[3] * 50, []], [[999] * 50, []]]


def test_rows_that_do_not_fit_the_schema_are_rejected_too(source: Path, tmp_path: Path) -> None:
    def drifts(table: pa.Table) -> Any:
        ids = table["id"].to_pylist()
        if 50 in ids:
            return None
        return table.select(["id"]) if 60 not in ids else table.select(["v"])

    report = run(drifts, source, tmp_path / "out", on_error="rows", dead_letter=tmp_path / "dead")
    assert (report.rows, report.rejected) == (118, 2)
    rejected = pl.read_parquet(tmp_path / "dead").sort("id")
    assert rejected["id"].to_list() == [50, 60]
    assert "expected a frame" in rejected["_error"][0]
    assert "lacks column 'id'" in rejected["_error"][1]


def test_rejected_rows_of_a_task_without_results_are_kept(source: Path, tmp_path: Path) -> None:
    for _ in range(2):  # the first task ends before the schema is known
        report = run(fails_at(*range(40)), source, tmp_path / "out", on_error="rows", mode="resume")
        assert (report.rows, report.rejected) == (80, 40)
        assert files_in(tmp_path / "out._arrowjag/rejected") == ["f0-0.parquet"]
    assert report.kept == 3

    def never(table: pa.Table) -> pa.Table:
        raise ValueError("never")

    told = "all results are empty and 120 rows rejected, and .*never fails on a frame without rows: ValueError: never"
    with pytest.raises(JobError, match=told):
        run(never, source, tmp_path / "none", on_error="rows")


def test_rejected_rows_may_be_input_and_be_rejected_again(tmp_path: Path) -> None:
    write_dataset(tmp_path / "in", keys=True)
    first, second = tmp_path / "one._arrowjag/rejected", tmp_path / "two._arrowjag/rejected"
    assert run(fails_at(3, 50), tmp_path / "in", tmp_path / "one", on_error="rows").rejected == 2
    assert run(fails_at(3, 50), first, tmp_path / "two", on_error="rows", schema=table_of(range(0)).schema).rejected == 2
    table = aj.read_parquet(second)
    assert table.column_names == ["id", "v", "_file", "_row_groups", "_error", "__file", "__row_groups", "__error", "part"]
    assert table["id"].to_pylist() == [3, 50]
    assert table["_file"].to_pylist() == [str(tmp_path / f"in/part={n}/f{n}.parquet") for n in (0, 1)]
    assert table["__file"].to_pylist() == [str(first / f"part={n}/f{n}-0.parquet") for n in (0, 1)]
    assert pd.read_parquet(second)["part"].to_list() == table["part"].to_pylist() == [0, 1]


def test_a_dead_letter_file_is_deleted_when_its_rows_are_mended(source: Path, tmp_path: Path) -> None:
    run(fails_at(3), source, tmp_path / "out", on_error="rows")
    assert files_in(tmp_path / "out._arrowjag/rejected") == ["f0-0.parquet"]
    run(fails_at(300), source, tmp_path / "out", on_error="rows", mode="resume")
    assert files_in(tmp_path / "out._arrowjag/rejected") == []


@pytest.mark.parametrize("where", [None, "dead"])
def test_dead_letter_files_of_earlier_runs_are_deleted_unless_their_results_are_kept(
    where: str | None, source: Path, tmp_path: Path
) -> None:
    folder = tmp_path / (where or "out._arrowjag/rejected")
    options: dict[str, Any] = {"on_error": "rows", "dead_letter": where and folder}

    def rejected() -> list[int]:
        return sorted(aj.read_parquet(folder)["id"].to_pylist()) if files_in(folder) else []

    bad = fails_at(5, 45, 85)
    run(bad, source, tmp_path / "out", **options)
    run(fails_at(6), source / "f0.parquet", tmp_path / "other", on_error="rows", dead_letter=tmp_path / "dead/other")
    (tmp_path / "dead/other/f0-0.parquet").rename(tmp_path / "dead/other.parquet")  # as of a source with other names
    others = [6] if where else []
    run(bad, source, tmp_path / "out", mode="replace", bytes_per_file="1GB", **options)
    assert rejected() == sorted([5, 45, 85, *others])
    (source / "f2.parquet").unlink()
    run(bad, source, tmp_path / "out", mode="replace", **options)
    assert rejected() == sorted([5, 45, *others])
    assert run(bad, source, tmp_path / "out", mode="resume", **options).kept == 2
    assert rejected() == sorted([5, 45, *others])
    (source / "f1.parquet").unlink()
    run(bad, source, tmp_path / "out", mode="resume", missing_inputs="drop", **options)
    assert rejected() == sorted([5, *others])
    if where is None:
        run(keep, source, tmp_path / "out", mode="resume")
        assert rejected() == []


def test_dead_letter_files_of_another_job_are_not_replaced(source: Path, tmp_path: Path) -> None:
    run(fail_at(5), source, tmp_path / "out", on_error="rows", dead_letter=tmp_path / "dead")
    with pytest.raises(JobError, match=r"dead/f0-0\.parquet: the folder holds rejected rows of another job"):
        run(keep, source, tmp_path / "other", on_error="rows", dead_letter=tmp_path / "dead")
    assert aj.read_parquet(tmp_path / "dead")["id"].to_pylist() == [5]


KILLED = """
import os, sys
import pyarrow.parquet as pq
from arrowjag.etl import _job
from tests.etl.jobs import InlineEngine, fail_at, run
_job.LocalEngine = InlineEngine

def killed(table, path):
    open(path, "w").close()
    os._exit(9)

pq.write_table = killed
run(fail_at(5), sys.argv[1] + "/in", sys.argv[1] + "/out", on_error="rows", dead_letter=sys.argv[2] or None)
"""


def test_dead_letter_files_of_jobs_that_run_at_the_same_time(source: Path, tmp_path: Path) -> None:
    dead = tmp_path / "dead"
    deeds: list[Any] = []

    def other() -> None:
        run(fails_at(1), source, tmp_path / "other", on_error="rows", dead_letter=dead, mode="replace")

    def meddled(at: int, bad: int) -> Any:
        def transform(table: pa.Table) -> pa.Table:
            ids = table["id"].to_pylist()
            if at in ids and deeds:
                deeds.pop()()
            return fails_at(bad)(table)

        return transform

    for deed, at, bad, told in (
        (other, 0, 2, r"dead/f0-0\.parquet: the folder holds rejected rows of another job"),
        (
            lambda: shutil.copy(tmp_path / "kept.parquet", dead / "f0-0.parquet"),
            80,
            1,
            r"f0-0\.parquet: another program has .*replaced it",
        ),
        ((dead / "f0-0.parquet").unlink, 80, 1, r"f0-0\.parquet: another program has deleted"),
    ):
        deeds[:] = [deed]
        with pytest.raises(JobError, match=told):
            run(meddled(at, bad), source, tmp_path / "out", on_error="rows", dead_letter=dead, mode="replace")
        if deed is other:
            assert aj.read_parquet(dead)["id"].to_pylist() == [1]
            (dead / "f0-0.parquet").rename(tmp_path / "kept.parquet")
        else:
            (dead / "f0-0.parquet").unlink(missing_ok=True)
    deeds[:] = [other]
    run(meddled(0, 500), source, tmp_path / "out", on_error="rows", dead_letter=dead, mode="replace")  # rejects nothing
    assert aj.read_parquet(dead)["id"].to_pylist() == [1]


@pytest.mark.parametrize("where", ["", "dead"])
def test_a_run_that_is_killed_as_it_writes_a_dead_letter_file_leaves_none(where: str, source: Path, tmp_path: Path) -> None:
    folder = tmp_path / (where or "out._arrowjag/rejected")
    words = [str(tmp_path), str(folder) if where else ""]
    assert subprocess.run([sys.executable, "-c", KILLED, *words], check=False, cwd=ROOT).returncode == 9
    assert [name[-5:] for name in files_in(folder)] == [".part"]
    run(fail_at(5), source, tmp_path / "out", on_error="rows", dead_letter=folder if where else None, mode="resume")
    assert files_in(folder) == ["f0-0.parquet"]


@pytest.mark.parametrize(
    ("folder", "told"),
    [
        ("out", "lie in one folder: take another"),
        ("out/dead", "lie in one folder: take another"),
        (".", "lie in one folder: take another"),
        ("in", "would be read as input"),
        ("in/dead", "would be read as input"),
        ("other._arrowjag/rejected", r"in a folder \*\._arrowjag, which holds the leases"),
        ("out._arrowjag/dead", r"in a folder \*\._arrowjag, which holds the leases"),
    ],
)
def test_dead_letter_files_are_neither_results_nor_input(folder: str, told: str, source: Path, tmp_path: Path) -> None:
    before = files_in(tmp_path)
    with pytest.raises(aj.JagValueError, match=told):
        run(keep, source, tmp_path / "out", on_error="rows", dead_letter=tmp_path / folder)
    assert files_in(tmp_path) == before


def test_dead_letter_files_that_cannot_be_written_raise_before_work_starts(source: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(JobError, match=r"file: the dead-letter files can't be written: "):
        run(keep, source, tmp_path / "out", on_error="rows", dead_letter=tmp_path / "file")
    assert files_in(tmp_path / "out") == []


def test_an_error_whose_text_fails_is_one_of_its_task(source: Path, tmp_path: Path) -> None:

    class FaultyError(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no text")

    def fails(table: pa.Table) -> pa.Table:
        raise FaultyError

    with pytest.raises(JobError, match=r"f0\.parquet, row groups 0 to 3: FaultyError: \(its text can't be created: RuntimeError\)"):
        run(fails, source, tmp_path / "out")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems don't allow such names")
def test_a_name_that_is_not_utf8_raises(source: Path, tmp_path: Path) -> None:
    (source / "f2.parquet").rename(os.fsdecode(bytes(source) + b"/\xff.parquet"))
    for call in (lambda: run(keep, source, tmp_path / "out"), lambda: aj.read_parquet(source)):
        with pytest.raises(aj.JagValueError, match=r"in/\\xff\.parquet is not UTF-8"):
            call()


def test_a_lease_that_a_full_disk_cuts_is_removed(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as there:
        there.setattr("arrowjag.etl._sidecar.os.fsync", full)
        with pytest.raises(JobError, match=r"out: the sink can't be written: .*No space left"):
            run(totals, source, tmp_path / "out")
    assert files_in(tmp_path / "out._arrowjag") == []
    run(totals, source, tmp_path / "out")
    assert "waiting" not in caplog.text
    check_totals(tmp_path / "out", 120)


@pytest.mark.parametrize("bad", [[1, 2, 3], [1, 41, 81]], ids=["one task", "several"])
def test_more_bad_rows_than_allowed_end_the_job(bad: list[int], source: Path, tmp_path: Path) -> None:
    with pytest.raises(JobError, match="max_failures=2"):
        run(fails_at(*bad), source, tmp_path / "out", on_error="rows", max_failures=2)
    assert run(fails_at(*bad), source, tmp_path / "out", on_error="rows", max_failures=3, mode="resume").rejected == 3
    (tmp_path / "out/f0-0.parquet").unlink()
    with pytest.raises(JobError, match="max_failures=2"):  # those of tasks that are done count too
        run(fails_at(*bad), source, tmp_path / "out", on_error="rows", max_failures=2, mode="resume")


def test_a_resumed_job_that_has_rejected_more_rows_than_allowed_fails_without_tasks_to_do(source: Path, tmp_path: Path) -> None:
    with pytest.raises(JobError, match="2 rows have failed, more than max_failures=1"):
        run(fails_at(1, 81), source, tmp_path / "out", on_error="rows", max_failures=1)
    assert run(fails_at(1, 81), source, tmp_path / "out", on_error="rows", max_failures=2, mode="resume").rejected == 2
    with pytest.raises(JobError, match="out: 2 rows have failed before the first task, more than max_failures=1"):
        run(fails_at(1, 81), source, tmp_path / "out", on_error="rows", max_failures=1, mode="resume")


@pytest.mark.parametrize("mode", ["replace", "resume"])
def test_files_of_others_in_the_sink_stay_unless_they_are_parquet(mode: str, source: Path, tmp_path: Path) -> None:
    """Temporary files of jobs begin with a dot and end with ".part"; files with one of the two may be the user's."""
    run(keep, source, tmp_path / "out")
    for name in (".hidden", "notes.part", "part", ".k=1/notes.txt", ".f0.part"):
        path = tmp_path / "out" / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    run(keep, source, tmp_path / "out", mode=mode)
    others = [name for name in files_in(tmp_path / "out") if not name.endswith(".parquet")]
    assert others == [".hidden", ".k=1/notes.txt", "notes.part", "part"]


def test_files_without_a_footer_count_as_failures(source: Path, tmp_path: Path) -> None:
    (source / "notes.txt").write_text("none")
    assert len(run(keep, source, tmp_path / "out", on_error="skip", max_failures=1).failures) == 1
    with pytest.raises(JobError, match="2 tasks have failed, more than max_failures=1"):  # a file and a task
        run(fail_at(1), source, tmp_path / "other", on_error="skip", max_failures=1)
    with pytest.raises(JobError, match="out: 1 file has failed before the first task, more than max_failures=0"):
        run(keep, source, tmp_path / "out", on_error="skip", max_failures=0, mode="resume")
    with pytest.raises(JobError, match="the source: 1 file has failed before the first task, more than max_failures=0"):
        aj.etl.reduce(len, sum, source, on_error="skip", max_failures=0, progress=False)


def test_more_failed_tasks_than_allowed_end_the_job(source: Path, tmp_path: Path) -> None:
    with pytest.raises(JobError, match=r"f1\.parquet.*: 2 tasks have failed, more than max_failures=1, the last with ValueError"):
        run(fails_at(1, 41), source, tmp_path / "out", on_error="skip", max_failures=1)
    assert len(run(fails_at(1, 41), source, tmp_path / "out", on_error="skip", max_failures=2, mode="resume").failures) == 2


@pytest.mark.parametrize("returned", ["none", "drift"])
def test_skip_covers_returned_frames(returned: str, source: Path, tmp_path: Path) -> None:
    def transform(table: pa.Table) -> Any:
        if table["id"][0].as_py() != 40:
            return table
        return None if returned == "none" else table.select(["id"])

    report = run(transform, source, tmp_path / "out", on_error="skip")
    assert (report.tasks, len(report.failures)) == (2, 1)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"timeout": 0}, "timeout must be a number of seconds above 0"),
        ({"timeout": float("nan")}, "timeout must be a number of seconds above 0"),
        ({"max_failures": -1}, "max_failures must be a whole number of at least 0"),
        ({"dead_letter": "x"}, 'dead_letter is the folder of the rows that on_error="rows" rejects'),
        ({"missing_inputs": "gone"}, "missing_inputs must be"),
        ({"bytes_per_file": "big"}, "bytes_per_file must be a number of bytes"),
    ],
)
def test_arguments_without_meaning(options: dict[str, Any], text: str, source: Path, tmp_path: Path) -> None:
    with pytest.raises(aj.JagValueError, match=text):
        run(keep, source, tmp_path / "out", **options)


# --------------------------------------------------------------------------------------------------------------- time


@pytest.mark.workers
def test_a_task_that_takes_too_long_is_ended_by_name(source: Path, tmp_path: Path) -> None:
    def hangs(table: pa.Table) -> pa.Table:
        if table["id"][0].as_py() == 40:
            time.sleep(300)
        return table

    report = run(hangs, source, tmp_path / "out", timeout=2, on_error="skip")
    (failure,) = report.failures
    assert failure.file == str(source / "f1.parquet")
    assert failure.error == "the task took longer than timeout=2 seconds"
    assert files_in(tmp_path / "out") == ["f0-0.parquet", "f2-0.parquet"]
    with pytest.raises(JobError, match=r"f1\.parquet, row groups 0 to 3: the task took longer than timeout=2 seconds"):
        run(hangs, source, tmp_path / "out", timeout=2, mode="resume")


def test_a_task_that_is_slow_in_all_batches_stops_between_them(source: Path, tmp_path: Path) -> None:
    def slow(table: pa.Table) -> pa.Table:
        time.sleep(0.4)
        return table

    with pytest.raises(JobError, match=r"f0\.parquet, row group.*: the task took longer than timeout=1 seconds"):
        run(slow, source, tmp_path / "out", timeout=1, batch_bytes=400)


class RemoteEngine(InlineEngine):
    """Runs tasks as the functions do that Ray and Dask call."""

    tells_schema = queues = False

    def __init__(self, job: Job, workers: int, share: int) -> None:
        super().__init__(job, workers, share)
        self._job = pickle.dumps(job)

    def start(self, order: Order) -> None:
        self._events.append(Finished(order.task.number, run_remotely(self._job, order)))


@pytest.mark.parametrize("how", ["sleeps", "loops", "raises"])
def test_a_task_of_a_cluster_that_hangs_is_ended(how: str, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arrowjag.etl._job.LocalEngine", RemoteEngine)

    def hangs(table: pa.Table) -> pa.Table:
        while 55 in table["id"].to_pylist():
            if how == "sleeps":
                time.sleep(5)
            if how == "raises":
                raise KeyboardInterrupt
        return table

    others = set(threading.enumerate())
    options: dict[str, Any] = {"timeout": 1, "schema": aj.read_parquet(source).schema, "on_error": "skip"}
    if how == "raises":
        with pytest.raises(KeyboardInterrupt):
            run(hangs, source, tmp_path / "out", **options)
        return
    report = run(hangs, source, tmp_path / "out", **options)
    (failure,) = report.failures
    assert (failure.error, Path(failure.file).name) == ("the task took longer than timeout=1 seconds", "f1.parquet")
    assert (report.tasks, report.rows) == (2, 80)
    deadline = time.monotonic() + 60
    while how == "loops" and {one for one in threading.enumerate() if one.name == "arrowjag-task"} - others:
        assert time.monotonic() < deadline, "Python code that hangs is interrupted"
        time.sleep(0.1)
    assert how == "sleeps" or not [name for name in files_in(tmp_path / "out") if name.endswith(".part")]


# ----------------------------------------------------------------------------------------------------------- the sink


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_sink_without_permission_is_blamed_before_work_starts(source: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir(mode=0o500)
    with pytest.raises(JobError, match=r"out: the sink can't be written: .*Permission denied"):
        run(keep, source, tmp_path / "out", on_error="skip")


def test_a_sink_that_cannot_be_made_is_blamed_before_work_starts(source: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(JobError, match=r"file/out.*: the sink can't be written: "):
        run(keep, source, tmp_path / "file/out", on_error="skip")


@pytest.mark.parametrize("on_error", ["skip", "rows"])
@pytest.mark.workers
def test_a_full_disk_ends_the_job_and_blames_the_sink(on_error: str, source: Path, tmp_path: Path) -> None:
    def fills_the_disk(table: pa.Table) -> pa.Table:
        from arrowjag.io import _atomic

        def full(*_: Any) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        if table["id"][0].as_py() >= 40:
            _atomic._flush = full
        return table

    with pytest.raises(
        JobError, match=r"^\S+/out: the sink can't be written: .*No space left on device.*mode=\"resume\" keeps what"
    ):
        run(fills_the_disk, source, tmp_path / "out", on_error=on_error)
    assert files_in(tmp_path / "out") == ["f0-0.parquet"]


# ------------------------------------------------------------------------------------------------- links, lost workers


def test_a_dangling_link_is_named(source: Path, tmp_path: Path) -> None:
    (source / "f9.parquet").symlink_to(tmp_path / "nowhere.parquet")
    named = re.escape(f"{source / 'f9.parquet'} is a link to {tmp_path / 'nowhere.parquet'}, which does not exist")
    for path in (source, source / "f9.parquet"):
        with pytest.raises(FileNotFoundError, match=named):
            run(totals, path, tmp_path / "out")
        with pytest.raises(FileNotFoundError, match=named):
            aj.read_parquet(path)
    report = run(totals, source, tmp_path / "out", on_error="skip")
    assert [failure.file for failure in report.failures] == [str(source / "f9.parquet")]
    assert "is a link to" in report.failures[0].error
    check_totals(tmp_path / "out", 120)


@pytest.mark.workers
def test_a_worker_that_died_is_a_warning_and_a_figure(source: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    marker = tmp_path / "marker"

    def dies_once(table: pa.Table) -> pa.Table:
        if not marker.exists():
            marker.touch()
            os._exit(9)
        return totals(table)

    with caplog.at_level(logging.WARNING, "arrowjag.etl"):
        report = run(dies_once, source, tmp_path / "out")
    assert report.retries == 1
    assert "1 retry" in str(report)
    assert "its worker process ended with exit code 9" in caplog.text
    assert aj.etl.status(tmp_path / "out").runs[0].retries == 1
    check_totals(tmp_path / "out", 120)


@pytest.mark.workers
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
def test_a_worker_that_dies_is_noticed_though_a_process_that_it_has_forked_goes_on(source: Path, tmp_path: Path) -> None:
    """The fork holds the pipe to the driver, so that it has no end."""

    def forks(table: pa.Table) -> pa.Table:
        if not (tmp_path / "pid").exists():
            pid = os.fork()
            if not pid:
                time.sleep(600)
            (tmp_path / "pid").write_text(str(pid))
            os.kill(os.getpid(), signal.SIGKILL)
        return totals(table)

    try:
        report = run(forks, source, tmp_path / "out")
        assert (report.rows, report.retries) == (120, 1)
    finally:
        if (tmp_path / "pid").exists():  # not where the test is skipped
            os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)


@pytest.mark.workers
def test_a_killed_worker_leaves_no_part_in_a_job_that_goes_on(source: Path, tmp_path: Path) -> None:
    mark = tmp_path / "killed"

    def dies(table: pa.Table) -> pa.Table:
        if max(table["id"].to_pylist()) >= 70 and not mark.exists():
            assert [one for one in (tmp_path / "out").iterdir() if one.name.endswith(".part")], "a part is there to be left"
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return totals(table)

    report = run(dies, source, tmp_path / "out", batch_bytes=300)
    assert report.retries == 1
    assert files_in(tmp_path / "out") == ["f0-0.parquet", "f1-0.parquet", "f2-0.parquet"]
    check_totals(tmp_path / "out", 120)


@pytest.mark.workers
def test_a_worker_that_is_killed_as_it_uploads_leaves_no_temporary(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    monkeypatch.setattr(tempfile, "tempdir", None)
    (tmp_path / "temporary").mkdir()

    def dies(table: pa.Table) -> pa.Table:
        def put(*_: Any) -> None:
            os.kill(os.getpid(), signal.SIGKILL)

        _atomic._put = put
        return table

    write_dataset(tmp_path / "one", files=1)
    with pytest.raises(JobError, match="ended by signal 9"):
        run(dies, str(tmp_path / "one"), str(tmp_path / "out"), filesystem=Remote())
    assert list((tmp_path / "temporary").iterdir()) == []


class Remote(LocalFileSystem):  # type: ignore[misc]  # fsspec has no annotations
    """Local files as those of a store, to which results are uploaded."""

    protocol = "remote"


def test_a_task_that_is_ended_between_its_files_and_skipped_leaves_none(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace = Path.replace

    def ends(path: Path, target: Path) -> Path:
        if target.parent.name == "k=1" and target.name == "f1-0.parquet":
            raise TaskError("timeout", "the task took too long")
        return replace(path, target)

    def by_key(table: pa.Table) -> pa.Table:
        return table.append_column("k", pc.bit_wise_and(table["id"], 3))

    monkeypatch.setattr(Path, "replace", ends)
    report = run(by_key, source, tmp_path / "out", partition_by="k", on_error="skip")
    assert (report.rows, len(report.failures)) == (80, 1)
    assert {path.name for path in (tmp_path / "out").rglob("*.parquet")} == {"f0-0.parquet", "f2-0.parquet"}
    monkeypatch.setattr(Path, "replace", replace)
    assert run(by_key, source, tmp_path / "out", partition_by="k", mode="resume").kept == 2
    assert aj.read_parquet(tmp_path / "out").num_rows == 120


# ------------------------------------------------------------------------------------------------------- odd invocations


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"filters": "id > 3"}, "filters must be an expression, or tuples such as"),
        ({"schema": {}}, "schema has no columns"),
        ({"schema": {"id": "nope"}}, "schema must be a pa.Schema or names with Arrow types, got dict: No type alias for nope"),
        ({"schema": [("id", "int64"), ("id", "int64")]}, "schema has two columns of the name 'id'"),
        ({"write": {"row_group_size": 0}}, "write: row_group_size must be at least 1, got 0"),
        ({"write": {"row_group_values": "x"}}, "write: row_group_values must be an int, got str"),
        ({"write": {"plain": "table"}}, "write: plain must be a bool, got str"),
        ({"write": {"nope": 1}}, "write: 'nope' is none of the options: row_group_size"),
        ({"write": {"compression": "nope"}}, "write: pyarrow does not accept the options compression: Unsupported"),
        ({"write": {"compression": 3}}, "write: pyarrow does not accept the options compression: 'int' object has no"),
        ({"write": {"version": "9"}}, "write: pyarrow does not accept the options version: Unsupported Parquet format version"),
        ({"write": {3: 4}}, "write: pyarrow does not accept the options 3: keywords must be strings"),
        (
            {"write": {"metadata_collector": []}},
            "write: metadata_collector is not an option of a file: read the footers of the",
        ),
        ({"write": {"filesystem": LocalFileSystem()}}, "write: filesystem is not an option of a file: give it to the call itself"),
        ({"write": {"memory_pool": pa.default_memory_pool()}}, "write: memory_pool can't be sent to the workers, which write the "),
        ({"write": {"max_rows_per_page": 0}}, "write: max_rows_per_page must be at least 1, got 0"),
        ({"memory": "9" * 400}, 'memory must be a number of bytes or a text such as "64MB", got \'9999'),
        ({"batch_bytes": 10**5000}, 'batch_bytes must be a number of bytes or a text such as "64MB", got'),
        ({"partition_by": ["id", 3]}, "partition_by must be a name or a list of names, got 3 in it"),
        ({"partition_by": ["id", "id"]}, "partition_by must name each key once, got ['id', 'id']"),
        ({"partition_by": 5}, "partition_by must be a name or a list of names, got int"),
    ],
)
def test_wrong_arguments_raise_before_a_task_runs(options: dict[str, Any], told: str, source: Path, tmp_path: Path) -> None:
    with pytest.raises((aj.JagValueError, aj.JagTypeError)) as error:
        run(keep, source, tmp_path / "out", **options)
    assert told in str(error.value)
    assert "\n" not in str(error.value)
    assert not (tmp_path / "out").exists()


def test_options_of_the_writer_pass_the_check(source: Path, tmp_path: Path) -> None:
    write = {"compression": "zstd", "row_group_size": 7, "plain": True, "use_dictionary": ["id"], "compression_level": 3}
    assert run(keep, source, tmp_path / "out", write=write).rows == 120


def test_names_of_sinks_that_are_too_long(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder beside the sink has a longer name, in bytes; the error came late, and said nothing of what to do."""
    most = os.pathconf(tmp_path, "PC_NAME_MAX")
    beside = r"takes names of at most \d+ bytes, '.*' has \d+, and leases .* a folder with 10 more: take a shorter name"
    for sink, told in (
        ("x" * (most - 9), beside),
        ("ü" * (most // 2 - 4), beside),
        ("x" * (most + 1) + "/new/out", rf"'x.*' has {most + 1}: take a shorter name"),
    ):
        for mode in ("create", "resume"):
            with pytest.raises(aj.JagValueError, match=told):
                run(keep, source, tmp_path / sink, mode=mode)
        with pytest.raises(aj.JagValueError, match=told):
            aj.etl.status(tmp_path / sink)
    assert files_in(tmp_path) == [f"in/{name}" for name in files_in(source)]
    assert run(keep, source, tmp_path / "new/sub" / ("x" * (most - 10))).rows == 120


def test_an_empty_path_is_not_the_current_folder(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(source)
    for call in (
        lambda: run(keep, "", tmp_path / "out"),
        lambda: run(keep, source, ""),
        lambda: run(keep, source, "", mode="replace"),
        lambda: aj.etl.status(""),
        lambda: aj.read_parquet(""),
    ):
        with pytest.raises(aj.JagValueError, match=r"the (path|source|sink) is empty"):
            call()


def test_a_file_found_twice_through_links_raises(source: Path, tmp_path: Path) -> None:
    (source / "again").symlink_to(".")
    with pytest.raises(aj.JagValueError, match=r"are the same file through a link: its rows would be counted twice"):
        run(keep, source, tmp_path / "out")
    (source / "again").unlink()
    (tmp_path / "link").symlink_to("in")
    assert run(keep, tmp_path / "link", tmp_path / "out", dry_run=True).rows_read == 120


def test_a_sink_that_is_no_folder_raises(source: Path) -> None:
    with pytest.raises(
        aj.JagValueError, match=r"the sink /dev/null is a device, a pipe or a socket: give the name of a file or folder"
    ):
        run(keep, source, "/dev/null")
    with pytest.raises(aj.JagValueError, match=r"f0\.parquet is a file: name the folder of results"):
        aj.etl.status(source / "f0.parquet")


def test_rows_of_other_columns_are_rejected_from_the_first_batch_on(tmp_path: Path) -> None:
    """The first rows that succeed decide the schema; the rest of their batch, which was halved, has to fit it."""
    source = tmp_path / "in"
    write_dataset(source, files=1, rows=20, group=20)

    def transform(table: pa.Table) -> pa.Table:
        ids = table["id"].to_pylist()
        if 6 in ids:
            raise ValueError("bad")
        return table.append_column("other" if 17 in ids else "n", table["id"])

    report = run(transform, source, tmp_path / "out", on_error="rows")
    assert (report.rows, report.rejected) == (18, 2)
    assert aj.read_parquet(tmp_path / "out")["n"].to_pylist() == [one for one in range(20) if one not in (6, 17)]
    rejected = aj.read_parquet(tmp_path / "out._arrowjag/rejected").sort_by("id")
    assert rejected["id"].to_pylist() == [6, 17]
    assert "lacks column 'n' and adds column 'other'" in rejected["_error"][1].as_py()


def test_a_lease_that_cannot_be_checked_is_an_error_of_the_sink(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:

    def silent(lease: Lease) -> None:
        raise ConnectionError("the store does not answer")

    monkeypatch.setattr(Lease, "check", silent)
    with pytest.raises(JobError, match=r"out: the sink can't be written: the store does not answer"):
        run(keep, source, tmp_path / "out", on_error="skip")


def test_unfinished_files_that_cannot_be_deleted_do_not_hide_the_error_of_the_job(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    remove = Sink.remove

    def refused(sink: Sink, paths: Any) -> None:
        if any(path.endswith(".part") for path in list(paths)):
            raise OSError(errno.EROFS, "Read-only file system")

    def leaves(table: pa.Table) -> pa.Table:
        run_id = next(path.name for path in (tmp_path / "out._arrowjag").iterdir() if path.name.startswith("lease-"))
        content = json.loads((tmp_path / "out._arrowjag" / run_id).read_text())["run"]
        (tmp_path / "out" / f".f0-0.parquet.{content}-0.part").touch()
        raise ValueError("no such day")

    monkeypatch.setattr(Sink, "remove", refused)
    with pytest.raises(JobError, match="ValueError: no such day"):
        run(leaves, source, tmp_path / "out")
    assert "can't be deleted: [Errno 30] Read-only file system" in caplog.text
    monkeypatch.setattr(Sink, "remove", remove)
    run(keep, source, tmp_path / "out")
    assert files_in(tmp_path / "out") == [f"f{number}-0.parquet" for number in range(3)]


def test_a_full_disk_leaves_no_file_of_the_check_before_the_first_batch(tmp_path: Path) -> None:
    full = MemoryFileSystem(skip_instance_cache=True)
    full.store = {}
    full.pseudo_dirs = [""]
    filesystem = python_filesystem(full)

    class Full(io.BytesIO):
        def write(self, data: Any) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    def opened(path: str, mode: str) -> Full:
        full.store[path] = MemoryFile(full, path)
        return Full()

    full.open = opened
    with pytest.raises(OSError, match="No space left"):
        probe_folder(filesystem, "/out", "run")
    assert list(full.store) == []


class ClientError(Exception):
    """As those of clients of stores, which derive from Exception alone."""


class Late(MemoryFileSystem):  # type: ignore[misc]  # fsspec has no annotations
    """Raises where files with `failing` in their names are written, closed, or put in one call; lists none of `unlisted`."""

    protocol = "late"
    store: ClassVar[dict[str, Any]] = {}
    at = ""
    failing = unlisted = "nothing"

    def _open(self, path: str, mode: str = "rb", **options: Any) -> Any:
        file = super()._open(path, mode, **options)
        call = getattr(file, self.at) if self.at in {"write", "close"} and mode == "wb" else None

        def late(*words: Any) -> Any:
            if self.failing in path:
                raise ClientError("slow down")
            return call(*words)

        if call is not None:
            setattr(file, self.at, late)
        return file

    def pipe_file(self, path: str, value: bytes, **options: Any) -> None:
        if self.at == "pipe" and self.failing in path:
            raise ClientError("slow down")
        super().pipe_file(path, value, **options)

    def find(self, path: str, **options: Any) -> Any:
        return {name: info for name, info in super().find(path, **options).items() if self.unlisted not in name}


@pytest.fixture
def late(monkeypatch: pytest.MonkeyPatch) -> Late:
    monkeypatch.setattr(_sidecar, "_SECONDS_TO_SETTLE", 0.0)
    store = Late(skip_instance_cache=True)
    store.store.clear()
    for number in range(2):
        aj.write_parquet(table_of(range(10 * number, 10 * number + 10)), f"/in/f{number}.parquet", filesystem=store)
    return store


@pytest.mark.parametrize(("at", "failing"), [("pipe", "lease-"), ("write", "-probe.part"), ("close", "-probe.part")])
def test_stores_that_fail_late_are_blamed_before_work_starts(late: Late, at: str, failing: str) -> None:
    late.at, late.failing = at, failing
    with pytest.raises(JobError, match=rf"^/out: the sink can't be written: .*{failing}.* can't be written: slow down"):
        run(totals, "/in", "/out", filesystem=late)
    late.failing = "nothing"
    assert run(totals, "/in", "/out", filesystem=late, mode="resume").rows == 20


def test_a_store_that_fails_for_some_time_does_not_end_the_heartbeat(
    late: Late, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(_lease, "_HEARTBEAT_SECONDS", 0.01)
    sidecar = _sidecar.Sidecar(python_filesystem(late), "/out")

    def wait(until: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 60
        while not until():
            assert time.monotonic() < deadline, "the heart has stopped"
            time.sleep(0.01)

    def beat() -> int:
        return int(_lease._parsed(sidecar.read("lease-00000001.json")).get("beat", 0))

    with _lease.hold(sidecar, "run"):
        late.at, late.failing = "pipe", "lease-"
        wait(lambda: "can't be written" in caplog.text)
        late.failing = "nothing"
        wait(lambda: beat() > 0)
        before = beat()
        wait(lambda: beat() > before)


def test_results_that_a_store_lists_late_are_there(late: Late) -> None:
    late.unlisted = "f1-0.parquet"
    assert run(totals, "/in", "/out", filesystem=late).rows == 20

    def deletes(table: pa.Table) -> pa.Table:
        if table["id"][0].as_py() == 10:
            late.rm("/other/f0-0.parquet")
        return table

    with pytest.raises(JobError, match=r"f0-0\.parquet is not in the sink"):
        run(deletes, "/in", "/other", filesystem=late)


def test_the_line_of_an_error_is_that_of_the_function(source: Path, tmp_path: Path) -> None:

    def wrong(table: pa.Table) -> pa.Table:
        return pc.add(table["id"], "text")

    with pytest.raises(JobError, match=r"\(test_faults\.py, line \d+\)"):
        run(wrong, source, tmp_path / "out")
