"""The meaning of "done": unchanged inputs, one writer, a record of each run, results of inputs that have expired."""

from __future__ import annotations

import errno
import json
import logging
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import fsspec
import pyarrow as pa
import pyarrow.fs as pf
import pyarrow.parquet as pq
import pytest
from fsspec.implementations.memory import MemoryFileSystem

import arrowjag as aj
from arrowjag.etl import JobError, SinkInUseError, _lease
from arrowjag.etl._sidecar import Sidecar
from arrowjag.etl._tasks import SourceChangedError, open_source, verify_unchanged
from arrowjag.io._scan import make_plan
from tests.etl.jobs import check_totals, fail_at, files_in, keep, run, table_of, totals
from tests.hosts import pl

ROOT = Path(aj.__file__).parents[1]


# --------------------------------------------------------------------------------------------------------- the source


def replacing(path: Path, how: str) -> Any:
    """A transform that replaces its own source file while it is read."""

    def transform(table: pa.Table) -> pa.Table:
        if table["id"][0].as_py() == 40:
            if how == "replaced":
                pq.write_table(table_of(range(200, 205)), path.with_suffix(".new"))
                path.with_suffix(".new").replace(path)
            elif how == "written over":
                pq.write_table(table_of(range(200, 205)), path)
            elif how == "touched":
                os.utime(path, ns=(1, 1))
            else:
                path.unlink()
        return table

    return transform


@pytest.mark.parametrize(
    ("how", "text"),
    [
        ("replaced", "now "),
        ("written over", "now "),
        ("touched", "at another time"),
        ("deleted", "workers can't see"),
    ],
)
def test_a_source_that_changes_during_the_run_is_an_error(how: str, text: str, source: Path, tmp_path: Path) -> None:
    with pytest.raises(JobError, match=rf"f1\.parquet was .*{text}.*run again"):
        run(replacing(source / "f1.parquet", how), source, tmp_path / "out", batch_bytes=700)
    assert "f1-0.parquet" not in files_in(tmp_path / "out")


def test_readers_without_a_sink_see_that_a_source_changes(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error of `reduce` advised a mode that it doesn't have; the dataset of Ray read rows by the footer of the old file."""
    from arrowjag.interop.ray import _Reader

    there = open_source(str(source))
    reader = _Reader(there, make_plan(there.schema, None, None), 10**6)
    numbers = [pa.table({"data": [number]}) for number in range(3)]
    assert [table.num_rows for number in numbers for table in reader(number)] == [40, 40, 40]
    with pytest.raises(JobError, match=r"f1\.parquet was replaced during the run \(.*\): run again$"):
        aj.etl.reduce(replacing(source / "f1.parquet", "replaced"), len, source, workers=1, frame="arrow", progress=False)
    with pytest.raises(SourceChangedError, match=r"f1\.parquet was replaced during the run \(it has another footer\): run again$"):
        list(reader(numbers[1]))


def test_a_source_of_equal_size_and_time_is_distinguished_by_its_footer(source: Path, tmp_path: Path) -> None:
    def swaps(table: pa.Table) -> pa.Table:
        path = source / "f0.parquet"
        before = path.stat()
        content = path.read_bytes()
        at = content.rindex(b"parquet-cpp-arrow")
        path.write_bytes(content[:at] + b"parquet-cpp-WRROW" + content[at + 17 :])
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        return table

    with pytest.raises(
        JobError, match=r"f0\.parquet, row groups 0 to 3: the file was replaced during the run \(it has another footer\)"
    ):
        run(swaps, source / "f0.parquet", tmp_path / "out")


@pytest.mark.parametrize("name", ["ETag", "created", None])
def test_a_source_of_equal_size_and_footer_is_distinguished_by_its_etag(name: str | None) -> None:
    class Store(MemoryFileSystem):  # type: ignore[misc]  # fsspec has no annotations
        """Tells no times, as fsspec's file systems of object stores."""

        cachable = False
        tag = "1"

        def info(self, path: str, **options: Any) -> dict[str, Any]:
            facts = {key: value for key, value in super().info(path, **options).items() if key != "created"}
            return facts | ({} if name is None else {name: self.tag})

    store = Store()
    with store.open("/etags/f.parquet", "wb") as file:
        pq.write_table(table_of(range(10)), file)
    there = open_source("/etags", filesystem=store)
    verify_unchanged(there.pieces)
    store.tag = "2"
    again = open_source("/etags", filesystem=store)
    assert (again.pieces[0].input == there.pieces[0].input) == (name is None)
    if name is not None:
        with pytest.raises(SourceChangedError, match=r"f\.parquet was replaced during the run \(it has another ETag\)"):
            verify_unchanged(there.pieces)


# ---------------------------------------------------------------------------------------------------------- the lease

HOLDER = """
import sys, time
import pyarrow.fs as pf
from arrowjag.etl._lease import hold
from arrowjag.etl._sidecar import Sidecar
with hold(Sidecar(pf.LocalFileSystem(), sys.argv[1]), "other"):
    print("held", flush=True)
    time.sleep(60)
"""


def start_holder(sink: Path) -> subprocess.Popen[str]:
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    child = subprocess.Popen([sys.executable, "-c", HOLDER, str(sink)], stdout=subprocess.PIPE, text=True, env=environment)
    assert child.stdout is not None
    with child.stdout:
        assert child.stdout.readline() == "held\n"
    return child


@pytest.mark.parametrize("mode", ["create", "resume", "replace"])
def test_a_second_driver_is_refused(mode: str, source: Path, tmp_path: Path) -> None:
    if mode != "create":
        run(totals, source, tmp_path / "out")
    before = files_in(tmp_path) if mode == "create" else files_in(tmp_path / "out")
    child = start_holder(tmp_path / "out")
    try:
        with pytest.raises(SinkInUseError, match=rf"is in use by process {child.pid} on .* \(run other\)"):
            run(totals, source, tmp_path / "out", mode=mode)
        assert aj.etl.status(tmp_path / "out").is_in_use
    finally:
        child.kill()
        child.wait()
    if mode != "create":
        assert files_in(tmp_path / "out") == before


def test_a_dead_owner_on_this_machine_is_replaced_at_once(source: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    child = start_holder(tmp_path / "out")
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # stays a zombie, which is dead too
    with caplog.at_level(logging.WARNING, "arrowjag.etl"):
        run(totals, source, tmp_path / "out")
    assert f"is taken over from process {child.pid} on" in caplog.text
    child.wait()
    check_totals(tmp_path / "out", 120)


def foreign_lease(beat: int) -> bytes:
    return _lease._content({"run": "far", "host": "elsewhere", "pid": 7, "since": 0.0, "released": False, "beat": beat})


def test_an_owner_elsewhere_is_watched(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(_lease, "_POLL_SECONDS", 0.2)
    sidecar = Sidecar(pf.LocalFileSystem(), str(tmp_path / "out"))
    assert sidecar.create("lease-00000007.json", foreign_lease(0))
    with monkeypatch.context() as alive:
        alive.setattr(_lease.time, "sleep", lambda seconds: sidecar.overwrite("lease-00000007.json", foreign_lease(1)))
        with pytest.raises(SinkInUseError, match="in use by process 7 on elsewhere"):
            run(totals, source, tmp_path / "out")
    monkeypatch.setattr(_lease, "_DEAD_AFTER_SECONDS", 1.0)
    with caplog.at_level(logging.WARNING, "arrowjag.etl"):
        run(totals, source, tmp_path / "out")
    assert "is taken over from process 7 on elsewhere (run far): no heartbeat for 1 s" in caplog.text
    assert sidecar.names("lease-") == ["lease-00000007.json", "lease-00000008.json"]


def test_of_many_that_start_at_once_one_wins(tmp_path: Path) -> None:
    sidecar = Sidecar(pf.LocalFileSystem(), str(tmp_path / "out"))
    for generation in range(10):
        won: list[int] = []

        def compete(number: int, won: list[int] = won, name: str = f"lease-{generation:08}.json") -> None:
            if sidecar.create(name, b"x"):
                won.append(number)

        threads = [threading.Thread(target=compete, args=(number,)) for number in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(won) == 1


def test_a_run_that_was_taken_over_publishes_nothing_more(source: Path, tmp_path: Path) -> None:
    def taken_over(table: pa.Table) -> pa.Table:
        if table["id"][0].as_py() == 40:
            (tmp_path / "out._arrowjag/lease-00000099.json").write_bytes(b"{}")
        return table

    with pytest.raises(JobError, match="another run has taken over the sink"):
        run(taken_over, source, tmp_path / "out")
    assert files_in(tmp_path / "out") == ["f0-0.parquet"]


def test_results_that_another_writes_or_deletes_are_seen(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    cases = {
        r"its result \S+f1-0\.parquet was written over by another run": lambda: shutil.copy(
            source / "f0.parquet", out / "f1-0.parquet"
        ),
        r"its result \S+f1-0\.parquet is not in the sink": (out / "f1-0.parquet").unlink,
        r"f0-0\.parquet: the file was deleted during the run": (out / "f0-0.parquet").unlink,
        r"f3-0\.parquet: the file was written into the sink by another": lambda: shutil.copy(
            out / "f0-0.parquet", out / "f3-0.parquet"
        ),
    }
    deeds: list[Any] = []

    def meddled(table: pa.Table) -> pa.Table:
        if deeds and table["id"][0].as_py() == 80:
            deeds.pop()()
        return table

    shutil.copytree(source, tmp_path / "all")
    for told, deed in cases.items():
        for name in ("f1.parquet", "f2.parquet"):
            (source / name).unlink(missing_ok=True)
        run(meddled, source, out, version="1", mode="replace")
        shutil.copytree(tmp_path / "all", source, dirs_exist_ok=True)
        deeds.append(deed)
        with pytest.raises(JobError, match=told):
            run(meddled, source, out, version="1", mode="resume")


# ----------------------------------------------------------------------------------------------------- record, status


def test_a_record_of_each_run(source: Path, tmp_path: Path) -> None:
    with pytest.raises(JobError, match="id 100 is bad"):
        run(fail_at(100), source, tmp_path / "out")
    (failed,) = aj.etl.status(tmp_path / "out").runs
    assert (failed.state, failed.tasks, failed.kept) == ("failed", 2, 0)
    facts = json.loads(Path(failed.record).read_text())
    assert [(task["rows_read"], task["outputs"][0]["path"]) for task in facts["tasks"]] == [
        (40, "f0-0.parquet"),
        (40, "f1-0.parquet"),
    ]
    report = run(fail_at(100), source, tmp_path / "out", mode="resume", on_error="skip")
    (name,) = [one for one in files_in(tmp_path / "out._arrowjag") if report.run in one]
    facts = json.loads((tmp_path / "out._arrowjag" / name).read_text())
    assert (facts["state"], facts["mode"], len(facts["kept"]), len(facts["tasks"])) == ("incomplete", "resume", 2, 0)
    assert facts["failures"][0]["file"] == str(source / "f2.parquet")
    assert facts["versions"]["arrowjag"] == aj.__version__
    status = aj.etl.status(tmp_path / "out")
    assert [one.state for one in status.runs] == ["incomplete", "failed"]
    assert (status.files, status.rows, status.is_in_use, status.foreign, status.unfinished) == (2, 80, False, (), ())
    assert status.bytes == sum(file.stat().st_size for file in (tmp_path / "out").iterdir())
    text = str(status)
    assert "2 files, 80 rows" in text
    assert "id 100 is bad" in text
    done = run(keep, source, tmp_path / "other")
    facts = json.loads((tmp_path / f"other._arrowjag/run-{done.run}.json").read_text())
    assert facts["tasks"][0]["inputs"][0]["file"] == "f0.parquet"
    assert facts["tasks"][0]["outputs"][0] == {
        "path": "f0-0.parquet",
        "rows": 40,
        "bytes": (tmp_path / "other/f0-0.parquet").stat().st_size,
    }


def test_runs_are_in_their_order_though_a_clock_was_set_back(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("20260102T", "20260101T", "20260103T"):
        monkeypatch.setattr("arrowjag.etl._job.new_run", lambda name=name: name)
        run(keep, source, tmp_path / "out", mode="resume")
    assert [run.id for run in aj.etl.status(tmp_path / "out").runs] == ["20260103T", "20260101T", "20260102T"]


def test_the_status_of_a_killed_run_and_of_a_folder_that_does_not_exist(source: Path, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere"):
        aj.etl.status(tmp_path / "nowhere")
    child = start_holder(tmp_path / "out")
    child.kill()
    child.wait()
    (tmp_path / "out").mkdir()
    pq.write_table(pa.table({"x": [1]}), tmp_path / "out/x.parquet")
    (tmp_path / "out._arrowjag/run-1.json").write_text("{")
    status = aj.etl.status(tmp_path / "out")
    assert status.owner is not None
    assert (status.is_in_use, status.owner.is_alive) == (False, False)
    assert status.foreign == (str(tmp_path / "out/x.parquet"),)
    assert status.runs[0].state == "unreadable"
    assert f"not in use: process {child.pid}" in str(status)


def test_readers_take_the_sink_unaided(source: Path, tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    import pandas as pd

    run(totals, source, tmp_path / "lake/out")
    assert pl.read_parquet(tmp_path / "lake/out").height == 120
    assert pl.scan_parquet(tmp_path / "lake/out").select(pl.len()).collect().item() == 120
    assert len(pd.read_parquet(tmp_path / "lake/out")) == 120
    assert duckdb.sql(f"select count(*) from '{tmp_path}/lake/out/*.parquet'").fetchall() == [(120,)]
    assert len(pq.read_table(tmp_path / "lake/out")) == 120
    assert aj.read_parquet(tmp_path / "lake").num_rows == 120  # the folder beside it is no data


# -------------------------------------------------------------------------------------------- inputs that have expired


def test_results_of_expired_inputs(source: Path, tmp_path: Path) -> None:
    run(totals, source, tmp_path / "out")
    (source / "f0.parquet").unlink()
    pq.write_table(table_of(range(120, 160)), source / "f3.parquet")
    report = run(totals, source, tmp_path / "out", mode="resume")
    assert (report.kept, report.tasks, report.rows) == (3, 4, 160)
    check_totals(tmp_path / "out", 160)
    with pytest.raises(aj.JagValueError, match=r'holds results of f0\.parquet .*missing_inputs="keep"'):
        run(totals, source, tmp_path / "out", mode="resume", missing_inputs="error")
    with pytest.raises(aj.JagValueError, match="made by another function or options"):
        run(keep, source, tmp_path / "out", mode="resume")
    assert len(files_in(tmp_path / "out")) == 4
    report = run(totals, source, tmp_path / "out", mode="resume", missing_inputs="drop")
    assert (report.kept, report.tasks, report.rows) == (3, 3, 120)
    assert files_in(tmp_path / "out") == ["f1-0.parquet", "f2-0.parquet", "f3-0.parquet"]


def test_an_explicit_code_version(source: Path, tmp_path: Path) -> None:
    run(totals, source, tmp_path / "out", version="1")
    assert run(lambda table: totals(table), source, tmp_path / "out", mode="resume", version="1").kept == 3  # noqa: PLW0108
    assert run(totals, source, tmp_path / "out", mode="resume", version="2").kept == 0


@pytest.mark.parametrize("kind", ["subtree", "fsspec"])
def test_a_file_system_that_is_given(kind: str, source: Path, tmp_path: Path) -> None:
    if kind == "subtree":
        where: Any = pf.SubTreeFileSystem(str(tmp_path), pf.LocalFileSystem())
    else:
        where = pytest.importorskip("fsspec").filesystem("dir", path=str(tmp_path), target_protocol="file")
    for mode, kept in (("create", 0), ("resume", 3)):
        report = run(totals, "in", "out", filesystem=where, mode=mode)
        assert (report.tasks, report.kept, report.rows) == (3, kept, 120)
    check_totals(tmp_path / "out", 120)
    status = aj.etl.status("out", filesystem=where)
    assert (status.files, [one.state for one in status.runs], status.is_in_use) == (3, ["done", "done"], False)


def store() -> pf.FileSystem:
    """A file system that is not local, shared by the threads of this process."""
    memory = pytest.importorskip("fsspec").filesystem("memory")
    return pf.PyFileSystem(pf.FSSpecHandler(memory))


def test_a_lease_in_a_store(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr("arrowjag.etl._sidecar._SECONDS_TO_SETTLE", 0.1)
    monkeypatch.setattr(_lease, "_HEARTBEAT_SECONDS", 0.05)
    sidecar = Sidecar(store(), f"/bucket/{time.time_ns()}")
    with _lease.hold(sidecar, "one") as lease:
        assert "may both take the sink" in caplog.text
        before = sidecar.read(lease.name)
        with pytest.raises(SinkInUseError, match=f"process {os.getpid()} on "), _lease.hold(sidecar, "two"):
            pass
        assert any(sidecar.read(lease.name) != before or time.sleep(0.05) for _ in range(200))
        lease.check()
    owner = _lease.read_owner(sidecar)
    assert owner is not None
    assert (owner.run, owner.is_released) == ("one", True)
    with _lease.hold(sidecar, "two") as lease:
        assert lease.number == 2


def test_an_interrupt_releases_the_lease(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(seconds: float) -> None:
        raise KeyboardInterrupt

    sidecar = Sidecar(store(), f"/bucket/{time.time_ns()}")
    with monkeypatch.context() as there:
        there.setattr("arrowjag.etl._sidecar.time.sleep", interrupted)
        with pytest.raises(KeyboardInterrupt), _lease.hold(sidecar, "one"):
            pass
    owner = _lease.read_owner(sidecar)
    assert owner is not None
    assert (owner.run, owner.is_released) == ("one", True)


def test_a_run_of_this_process_that_has_ended_is_dead_though_it_did_not_release_the_lease(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sidecar = Sidecar(pf.LocalFileSystem(), str(tmp_path / "out"))
    with monkeypatch.context() as there:
        there.setattr(_lease, "_release", lambda lease, facts: None)  # as after a second Ctrl-C
        with _lease.hold(sidecar, "one"):
            owner = _lease.read_owner(sidecar)
            assert owner is not None
            assert owner.is_alive
    with _lease.hold(sidecar, "two") as lease:
        assert lease.number == 2


def test_the_heartbeat_notes_that_another_run_has_taken_over(tmp_path: Path) -> None:
    sidecar = Sidecar(pf.LocalFileSystem(), str(tmp_path / "out"))
    at_once: Any = SimpleNamespace(wait=lambda seconds: False)
    with _lease.hold(sidecar, "one") as lease:
        lease.watch()
        assert sidecar.create("lease-00000002.json", foreign_lease(0))
        _lease._beat(lease, {"beat": 0}, at_once)
        with pytest.raises(SinkInUseError, match=r"another run has taken over the sink \S+ \(lease-00000002\.json in "):
            lease.watch()


def test_a_process_that_is_killed_as_it_writes_a_lease_leaves_none(tmp_path: Path) -> None:
    sidecar = Sidecar(pf.LocalFileSystem(), str(tmp_path / "out"))
    code = (
        "import os, sys; import pyarrow.fs as pf; from arrowjag.etl._sidecar import Sidecar; "
        "os.fsync = lambda handle: os.kill(os.getpid(), 9); "
        "Sidecar(pf.LocalFileSystem(), sys.argv[1]).create('lease-00000001.json', b'{}')"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "out")], env=os.environ | {"PYTHONPATH": str(ROOT)}, check=False)
    assert [name[:7] for name in files_in(tmp_path / "out._arrowjag")] == [".lease-"]
    with _lease.hold(sidecar, "two") as lease:
        assert lease.number == 1
        sidecar.remove_parts()
    assert files_in(tmp_path / "out._arrowjag") == ["lease-00000001.json"]


def test_a_file_system_without_links_has_leases_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: Any) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr("arrowjag.etl._sidecar.os.link", unknown)
    sidecar = Sidecar(pf.LocalFileSystem(), str(tmp_path / "out"))
    assert sidecar.create("lease-00000001.json", b"1")
    assert not sidecar.create("lease-00000001.json", b"2")
    assert (sidecar.read("lease-00000001.json"), files_in(tmp_path / "out._arrowjag")) == (b"1", ["lease-00000001.json"])


def test_damaged_leases_and_records_and_copies_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_lease, "_DEAD_AFTER_SECONDS", 0.0)
    monkeypatch.setattr(_lease, "_POLL_SECONDS", 0.0)
    sidecar = Sidecar(pf.LocalFileSystem(), str(tmp_path / "out"))
    here = _lease._identity() | {"run": "one", "since": 0.0, "released": False}
    wrong: list[Any] = [[], {}, here | {"pid": None}, here | {"pid": 1 << 70, "start": None}, here | {"run": 1, "since": "x"}]
    record = {"run": "1", "state": "done", "started": "2026", "ended": "2026"}
    records: list[Any] = [[], record | {"started": 1}, record | {"rows": "x"}, record | {"failures": [1]}, record | {"tasks": 1}]
    for number, (lease, found) in enumerate(zip(wrong, records, strict=True), 1):
        assert sidecar.create(f"lease-{2 * number:08}.json", json.dumps(lease).encode())
        sidecar.write(f"run-{number}.json", json.dumps(found).encode())
        assert aj.etl.status(tmp_path / "out").runs[0].state == "unreadable"
        owner = _lease.read_owner(sidecar)
        assert isinstance(owner, aj.etl.Owner)
        assert [type(one) for one in (owner.run, owner.host, owner.pid, owner.since)] == [str, str, int, float]
        with _lease.hold(sidecar, "two") as held:
            assert held.number == 2 * number + 1
    for name in ("lease-00000099 (copy).json", "lease-x.json", "lease-999999999.json"):
        assert sidecar.create(name, b"{}")
    with _lease.hold(sidecar, "three") as held:
        held.check()
        assert held.number == 12


def test_a_store_that_lists_new_files_late(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arrowjag.etl._sidecar._SECONDS_TO_SETTLE", 0.01)
    monkeypatch.setattr(Sidecar, "names", lambda sidecar, prefix: [])
    sidecar = Sidecar(store(), f"/bucket/{time.time_ns()}")
    for number, run_id in enumerate(("one", "two", "three"), 1):
        with _lease.hold(sidecar, run_id) as lease:
            assert lease.number == number
            lease.check()
            with pytest.raises(SinkInUseError, match=f"run {run_id}"), _lease.hold(sidecar, "other"):
                pass


def test_records_that_a_killed_run_has_begun_are_deleted(source: Path, tmp_path: Path) -> None:
    (tmp_path / "out._arrowjag").mkdir()
    (tmp_path / "out._arrowjag/.run-1.json.2.part").touch()
    run(keep, source, tmp_path / "out")
    assert sorted(name[:4] for name in files_in(tmp_path / "out._arrowjag")) == ["leas", "run-"]


def test_of_many_that_claim_a_lease_in_a_store_one_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arrowjag.etl._sidecar._SECONDS_TO_SETTLE", 0.3)
    sidecar = Sidecar(store(), f"/bucket/{time.time_ns()}")
    won: list[bool] = []
    threads = [threading.Thread(target=lambda: won.append(sidecar.create("lease-00000001.json", b"{}\n"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(won) == [False] * 7 + [True]
    assert not sidecar.create("lease-00000001.json", b"{}\n")


def test_a_whole_bucket_is_no_sink(source: Path) -> None:
    with pytest.raises(aj.JagValueError, match="is a whole bucket: name a folder in it"):
        run(totals, source, "s3://bucket?region=us-east-1")
    with pytest.raises(aj.JagValueError, match=r"^status: / is the root of a file system: name the folder"):
        aj.etl.status("/")  # which would list the whole disk
    with pytest.raises(aj.JagValueError, match=r"s3:// names no bucket"):
        aj.read_parquet("s3://", storage_options={"aws_region": "us-east-1"})


def test_a_sink_has_one_lease_whatever_links_lead_to_it(source: Path, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    run(totals, source, tmp_path / "link/out")
    (tmp_path / "last").symlink_to("real/out")
    report = run(totals, source, tmp_path / "last", mode="resume")
    assert report.kept == report.tasks
    assert {one.name for one in (tmp_path / "real").iterdir()} == {"out", "out._arrowjag"}
    assert not (tmp_path / "last._arrowjag").exists()
    assert len(aj.etl.status(tmp_path / "last").runs) == 2
    assert len(aj.etl.status(str(tmp_path / "last"), filesystem=fsspec.filesystem("file")).runs) == 2
    holder = start_holder(tmp_path / "real/out")
    try:
        with pytest.raises(SinkInUseError, match=r"real/out is in use by process \d+"):
            run(totals, source, tmp_path / "last", mode="resume")
        with pytest.raises(SinkInUseError, match=r"real/out is in use by process \d+"):
            run(totals, str(source), str(tmp_path / "last"), mode="resume", filesystem=fsspec.filesystem("file"))
    finally:
        holder.kill()
        holder.wait()


def test_a_second_sigterm_is_ignored_without_a_word() -> None:
    code = """
import os, signal
from arrowjag.etl._signals import ended_by_signals
with ended_by_signals():
    try:
        os.kill(os.getpid(), signal.SIGTERM)
    finally:
        for _ in range(50):
            os.kill(os.getpid(), signal.SIGTERM)
"""
    ended = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert ended.returncode == 143
    assert "Traceback" not in ended.stderr
