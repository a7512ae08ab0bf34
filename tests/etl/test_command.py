"""`arrowjag run` and `arrowjag status`, with jobs that really run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import arrowjag as aj
from arrowjag.cli import _jobs, main
from tests.etl.jobs import files_in, write_dataset

JOB = """
import polars as pl

def keep(frame):
    return frame

def slow(frame):
    import time
    time.sleep(0.3)
    return frame

def fails(frame):
    if frame["id"].max() > 100:
        raise ValueError("over 100")
    return frame
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    pytest.importorskip("polars")  # the jobs take its frames
    write_dataset(tmp_path / "in")
    (tmp_path / "my_job.py").write_text(JOB)
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg/__init__.py").write_text("")
    (tmp_path / "pkg/inner.py").write_text(JOB)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setenv("PYTHONPATH", os.environ.get("PYTHONPATH", ""))
    return tmp_path


def run(*words: str, job: str = "my_job.py:keep") -> int:
    return main(["run", job, "in", "out", "--workers", "1", *words])


def test_a_report_as_json_of_some_columns_and_rows(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--json", "--columns", "id", "--filter", "id >= 20", "--filter", "id in [21, 50, 3]", "--timeout", "60") == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["rows"], report["tasks"], report["failures"]) == (2, 3, [])
    assert aj.read_parquet("out").to_pydict() == {"id": [21, 50]}
    assert main(["status", "out"]) == 0
    assert "out: 3 files, 2 rows, " in capsys.readouterr().out
    assert main(["status", "out", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["runs"][0]["state"] == "done"


def test_a_dry_run_and_a_module_by_name(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--dry-run", job="pkg.inner:keep") == 0
    assert capsys.readouterr().out.startswith("3 tasks, 0 done before, 3 to do: 120 rows, ")
    assert not (folder / "out").exists()
    assert run(job="pkg.inner:keep") == 0
    assert aj.read_parquet("out").num_rows == 120


def test_a_schema_from_a_file(folder: Path) -> None:
    pq.write_table(pa.table({"v": pa.array([], pa.large_list(pa.float32())), "id": pa.array([], pa.int32())}), "like.parquet")
    assert run("--schema", "like.parquet") == 0
    assert pq.read_schema("out/f0-0.parquet").names == ["v", "id"]
    assert pq.read_schema("out/f0-0.parquet").field("id").type == pa.int32()
    aj.write_parquet({"v": aj.array([], type=pa.float32(), ndim=2), "id": pa.array([], pa.int32())}, "plain.parquet", plain=True)
    assert run("--replace", "--schema", "plain.parquet") == 0
    assert aj.read_parquet("out").schema.field("v").type == aj.JaggedType.of(pa.float32(), 2)
    with pa.ipc.new_stream("stream.arrows", pa.schema([("id", pa.int16()), ("v", pa.list_(pa.float64()))])):
        pass
    assert run("--replace", "--schema", "stream.arrows") == 0
    assert pq.read_schema("out/f0-0.parquet").field("id").type == pa.int16()


def test_errors_name_options_of_the_command(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "my_job.py:slow", "in", "out", "--workers", "64", "--memory", "300MB"]) == 2
    told = capsys.readouterr().err
    assert told.startswith("arrowjag: --memory=300.0 MB leaves ")
    assert told.endswith("give --memory='768 MB' or more, or --workers=1 or fewer\n")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("--timeout -1", "--timeout must be a number of seconds above 0, got -1.0"),
        ("--missing-inputs no", "--missing-inputs must be 'keep', 'drop' or 'error', got 'no'"),
        ("--frame numpy", "--frame must be 'polars', 'pandas' or 'arrow', got 'numpy'"),
        ("--dead-letter rejected", "--dead-letter is the folder of the rows that --on-error rows rejects, got --on-error stop"),
        ("--merge-schema", "--merge-schema adds columns to a table of Delta Lake or Iceberg; the sink is a folder"),
        ("--filter w=1", "the conditions of --filter name an unknown column in (w == 1); there are id, v"),
        ("--storage-option a=b s3://bucket/x", "--storage-option: 'a' is unknown for s3; known are access_key_id"),
    ],
)
def test_errors_of_arguments_name_options(words: str, told: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options, _, source = words.partition(" s3:")
    assert main(["run", "my_job.py:keep", f"s3:{source}" if source else "in", "out", *options.split(" ")]) == 2
    line = capsys.readouterr().err
    assert told in line
    assert line.count("\n") == 1


@pytest.mark.workers
def test_errors_of_tasks_name_options_and_quote_the_function_unchanged(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "my_job.py").write_text(
        "import os, time\ndef slow(frame):\n    time.sleep(9)\n"
        "def quotes(frame):\n    raise ValueError('partition_by and memory=3')\n"
        "def deletes(frame):\n    os.remove('in/f0.parquet')\n    return frame\n"
    )
    assert run("--timeout", "0.3", job="my_job.py:slow") == 1
    assert "row groups 0 to 3: the task took longer than --timeout=0.3 seconds\n" in capsys.readouterr().err
    assert run("--resume", job="my_job.py:quotes") == 1
    assert "ValueError: partition_by and memory=3 (my_job.py, line 5)\n" in capsys.readouterr().err
    assert run("--resume", job="my_job.py:deletes") == 1
    told = "the file was deleted during the run, or workers can't see its file system: run again with --resume"
    assert f"row groups 0 to 3: {told}\n" in capsys.readouterr().err
    assert main(["status", "out"]) == 0
    assert "slow: 0 tasks, 1 failed, /" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["types", "polars", "pytest"])
def test_a_file_that_would_hide_a_module_is_refused(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / f"{name}.py").write_text(JOB)
    assert run(job=f"{name}.py:keep") == 2
    told = capsys.readouterr().err
    assert told == f"arrowjag: {name}.py would hide the module '{name}' from the libraries that import it: rename the file\n"
    assert not (folder / "out").exists()


@pytest.mark.parametrize("ending", ["", ".py"])
def test_a_file_that_prints_or_exits_as_it_is_imported(ending: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    prints, exits = (f"my_{deed}_{len(ending)}" for deed in ("prints", "exits"))
    (folder / f"{prints}.py").write_text(JOB + "print('words')\n")
    (folder / f"{exits}.py").write_text(JOB + "import sys\nsys.exit(0)\n")
    assert run("--json", "--dry-run", job=f"{prints}{ending}:keep") == 0
    out, err = capsys.readouterr()
    assert (json.loads(out)["tasks"], err) == (3, "words\n")
    assert run(job=f"{exits}{ending}:keep") == 2
    assert ": it ends with exit code 0 when it is imported: put such lines below if __name__" in capsys.readouterr().err
    assert not (folder / "out").exists()


def test_a_file_hides_no_job_file_of_another_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for place in ("one", "two"):
        (folder / place).mkdir()
        (folder / place / "same_job.py").write_text(JOB)
        monkeypatch.delitem(sys.modules, "same_job", raising=False)
        assert main(["run", f"{place}/same_job.py:keep", "in", f"out-{place}"]) == 0


def test_an_error_of_the_system_is_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise OSError(28, "\x1b[31mNo space\x1b[0m\nleft")

    monkeypatch.setattr(aj.etl, "run", fail)
    assert run() == 2
    assert capsys.readouterr().err == "arrowjag: [Errno 28] No space left\n"


def test_warnings_are_lines_of_the_log(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "import sqlite3\ncon = sqlite3.connect(':memory:')\ndef keep(frame):\n    con.commit()\n    return frame\n"
    (folder / "connected_job.py").write_text(text)
    assert run("--dry-run", job="connected_job:keep") == 0
    told = capsys.readouterr().err
    assert told.startswith("arrowjag: WARNING: the function uses an object of type sqlite3.Connection, whose content can't be")
    assert told.endswith("Give --code-version TEXT and change it whenever results change.\n")


def test_failures_are_reported_and_logged(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--on-error", "rows", "--max-failures", "30", "--log-level", "info", job="my_job.py:fails") == 0
    told = capsys.readouterr()
    assert "19 rows rejected" in told.out
    assert "arrowjag: INFO: job fails: 3 tasks, local engine" in told.err
    assert run("--on-error", "skip", "--resume", "--partition-by", "id", job="my_job.py:fails") == 1
    assert "arrowjag: WARNING: task failed and is skipped: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--filter", "year"], "--filter 'year' can't be read: write NAME OPERATOR VALUE"),
        (["--filter", "year =="], "--filter 'year ==' can't be read: write NAME OPERATOR VALUE"),
        (["--filter", "year <="], "--filter 'year <=' can't be read: write NAME OPERATOR VALUE"),
        (["--filter", "year ~ 3"], "with one of the operators ==, =, !=, <, <=, >, >=, in, not in"),
        (["--filter", "year => 3"], "--filter 'year => 3' can't be read: write NAME OPERATOR VALUE"),
        (["--log-level", "loud"], "--log-level must be debug, info, warning or error, got 'loud'"),
        (["--columns", ""], "--columns '' names no column"),
        (["--partition-by", " ,"], "--partition-by ' ,' names no column"),
        (["--schema", "nowhere.parquet"], "--schema nowhere.parquet: no such file"),
        (["--schema", "my_job.py"], "--schema my_job.py is truncated or neither a Parquet nor an Arrow IPC file"),
        (["--timeout", "-1"], "timeout must be a number of seconds above 0"),
        (["--filter", "id > "], "--filter 'id > ' can't be read"),
        (["--missing-inputs", "gone"], "--missing-inputs must be"),
    ],
)
def test_words_without_meaning(words: list[str], text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*words) == 2
    assert text in capsys.readouterr().err


@pytest.mark.parametrize("job", ["nope.module:keep", "pkg.nope:keep", "nowhere.py:keep"])
def test_a_missing_job_raises(job: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(job=job) == 2
    assert "there is no such" in capsys.readouterr().err.replace("no such file", "there is no such file")


def test_a_sink_in_use_is_exit_code_1(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import pyarrow.fs as pf

    from arrowjag.etl._lease import hold
    from arrowjag.etl._sidecar import Sidecar

    with hold(Sidecar(pf.LocalFileSystem(), str(folder / "out")), "other"):
        assert run() == 1
    assert "is in use by process" in capsys.readouterr().err


def test_conditions() -> None:
    found: Any = _jobs.filters(["a.b == 3", "c = x y", "d not in ['1', 2]", "e!=null", "f <= 2.5"])
    assert found == [("a.b", "==", 3), ("c", "=", "x y"), ("d", "not in", "['1', 2]"), ("e", "!=", None), ("f", "<=", 2.5)]
    assert _jobs.filters(['a == "=x"']) == [("a", "==", "=x")]
    assert _jobs.filters([]) is None


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize(("way", "code", "text"), [(signal.SIGINT, 130, "stopped"), (signal.SIGTERM, 143, "ended by SIGTERM")])
def test_signals_end_with_a_line_and_a_code(way: signal.Signals, code: int, text: str, folder: Path) -> None:
    write_dataset(folder / "in", files=30)
    environment = os.environ | {"PYTHONPATH": str(Path(aj.__file__).parents[1])}
    command = [sys.executable, "-m", "arrowjag", "run", "my_job.py:slow", "in", "out", "--workers", "1"]
    with subprocess.Popen(command, cwd=folder, env=environment, text=True, stdout=-1, stderr=-1) as child:
        deadline = time.monotonic() + 60
        while not list((folder / "out").glob("*.parquet")):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        child.send_signal(way)
        _, told = child.communicate(timeout=30)
    assert child.returncode == code
    assert told.splitlines()[-1] == f"arrowjag: {text}"
    assert ("the job is ended by SIGTERM; --resume goes on" in told) == (way == signal.SIGTERM)
    assert "mode=" not in told
    assert [name for name in files_in(folder / "out") if not name.endswith(".parquet")] == []
    (ended,) = aj.etl.status(folder / "out").runs
    assert (ended.state, ended.error) == ("stopped", "ended by SIGTERM" if way == signal.SIGTERM else "interrupted")
    assert not aj.etl.status(folder / "out").is_in_use
