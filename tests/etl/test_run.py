"""`aj.etl.run` on one machine: what it writes, what it refuses, what it reports."""

from __future__ import annotations

import functools
import logging
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import arrowjag as aj
from arrowjag.etl import JobError, _tasks, _worker
from arrowjag.etl._local import LocalEngine
from arrowjag.io._scan import make_plan
from tests.etl.jobs import check_totals, fail_at, files_in, keep, run, table_of, totals, write_dataset
from tests.hosts import pd, pl


@pytest.mark.workers
def test_every_row_once_in_files_of_the_same_names(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path, tmp_path])  # imports pass over entries that are no text
    report = run(totals, source, tmp_path / "out", workers=2)
    table = check_totals(tmp_path / "out", 120)
    assert files_in(tmp_path / "out") == ["f0-0.parquet", "f1-0.parquet", "f2-0.parquet"]
    assert table.schema.field("v").type == aj.JaggedType.of(pa.float64(), 2)
    assert (report.rows, report.rows_read, report.tasks, report.kept, report.failures) == (120, 120, 3, 0, ())
    assert report.bytes == sum(file.stat().st_size for file in source.iterdir())
    assert report.bytes_written == sum(file.stat().st_size for file in (tmp_path / "out").iterdir())
    assert report.seconds > 0
    assert report.peak_memory is None or report.peak_memory > 10_000_000


def test_partitions_are_columns_and_folders(tmp_path: Path) -> None:
    rows = write_dataset(tmp_path / "in", keys=True)
    run(lambda table: totals(table).drop_columns("part"), tmp_path / "in", tmp_path / "out")
    assert files_in(tmp_path / "out") == ["part=0/f0-0.parquet", "part=0/f2-0.parquet", "part=1/f1-0.parquet"]
    assert check_totals(tmp_path / "out", rows)["part"].to_pylist() == [0] * 40 + [1] * 40 + [0] * 40


def test_results_hold_keys_in_their_folders_alone(tmp_path: Path) -> None:
    """pandas reads no files that hold the columns of their folders; the texts of polars frames have another type than these."""
    aj.write_parquet({"lang": ["de", "en", "de"], "v": aj.array([[1], [], [2]])}, tmp_path / "in", partition_by="lang")
    for kept in (0, 1):  # the schema of results includes the keys
        report = run(
            lambda frame: frame.with_columns(n=pl.col("v").jag.lengths()),
            *(tmp_path / "in", tmp_path / "out"),
            frame="polars",
            mode="resume",
        )
        assert report.kept == kept
        if not kept:
            (tmp_path / "out/lang=de/part-0-0.parquet").unlink()
    expected = {"lang": ["de", "de", "en"], "v": [[1], [2], []], "n": [1, 1, 0]}
    for path in (tmp_path / "out", ds.dataset(tmp_path / "out", format="parquet", partitioning="hive")):
        assert aj.read_parquet(path, columns=list(expected)).to_pydict() == expected
    assert pd.read_parquet(tmp_path / "out")["lang"].to_list() == expected["lang"]
    assert run(lambda frame: frame, tmp_path / "out", tmp_path / "again", frame="polars").rows == 3
    assert run(keep, tmp_path / "out", tmp_path / "again", frame="polars", mode="resume").kept == 0
    run(lambda frame: frame.select("lang"), tmp_path / "in", tmp_path / "all", frame="polars")
    assert aj.read_parquet(tmp_path / "all").to_pydict() == {"lang": ["de", "de", "en"]}


@pytest.mark.parametrize(
    ("folder", "same", "others"),
    [
        ("k=1", ([1] * 5, ["1"] * 5, pa.array(["1"] * 5).dictionary_encode()), ([1, 1, 3, 1, 1], ["x"] * 5, [None] * 5, [[1]] * 5)),
        ("k=__HIVE_DEFAULT_PARTITION__", (pa.nulls(5), pa.nulls(5, pa.string())), ([None, 1, None, None, None],)),
    ],
)
def test_a_result_that_changes_the_key_of_its_folder_raises(folder: str, same: Any, others: Any, tmp_path: Path) -> None:
    for place in (folder, "k=2"):  # a null alone has no type
        (tmp_path / "in" / place).mkdir(parents=True)
        pq.write_table(table_of(range(5 if place == folder else 0)), tmp_path / "in" / place / "a.parquet")

    def write(key: Any) -> None:
        run(
            lambda table: table.set_column(2, "k", pa.array(key)[: len(table)]),
            *(tmp_path / "in", tmp_path / "out"),
            mode="replace",
        )

    for key in same:
        write(key)
        assert aj.read_parquet(tmp_path / "out")["k"].unique().to_pylist() == [1 if folder == "k=1" else None]
    for key in others:
        with pytest.raises(JobError, match=r"changes column 'k', .* the folder k=(1|None): "):
            write(key)


def test_a_folder_excluded_by_a_filter_makes_no_task(tmp_path: Path) -> None:
    write_dataset(tmp_path / "in", keys=True)
    report = run(keep, tmp_path / "in", tmp_path / "out", filters=[("part", "=", 1), ("id", ">=", 70)], columns=["id"])
    assert files_in(tmp_path / "out") == ["part=1/f1-0.parquet"]
    assert aj.read_parquet(tmp_path / "out")["id"].to_pylist() == list(range(70, 80))
    assert (report.tasks, report.rows_read) == (1, 10)


def test_a_large_file_makes_several_tasks(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    size = pq.read_metadata(source / "f0.parquet").row_group(0).total_byte_size
    monkeypatch.setattr(_tasks, "TASK_BYTES", 2 * size + 20)
    report = run(totals, source / "f0.parquet", tmp_path / "out")
    assert files_in(tmp_path / "out") == ["f0-0.parquet", "f0-2.parquet"]
    assert report.tasks == 2
    check_totals(tmp_path / "out", 40)


@pytest.mark.parametrize("kind", ["file", "glob", "list", "dataset"])
def test_sources(kind: str, source: Path, tmp_path: Path) -> None:
    given: Any = {
        "file": source / "f1.parquet",
        "glob": f"{source}/*1.parquet",
        "list": [source / "f1.parquet"],
        "dataset": ds.dataset(source / "f1.parquet"),
    }[kind]
    run(keep, given, tmp_path / "out", columns=["id"])
    assert files_in(tmp_path / "out") == ["f1-0.parquet"]
    assert aj.read_parquet(tmp_path / "out")["id"].to_pylist() == list(range(40, 80))


def test_files_that_differ_in_their_endings_only(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    pq.write_table(table_of(range(2)), tmp_path / "in/a.parquet")
    pq.write_table(table_of(range(2, 4)), tmp_path / "in/a.pq")
    run(totals, tmp_path / "in", tmp_path / "out")
    assert files_in(tmp_path / "out") == ["a.parquet-0.parquet", "a.pq-0.parquet"]
    check_totals(tmp_path / "out", 4)


# --------------------------------------------------------------------------------------------------------- frames


def with_polars(frame: pl.DataFrame) -> pl.DataFrame:
    assert isinstance(frame, pl.DataFrame)
    return frame.with_columns(total=pl.col("v").jag.sum())


def with_lazy_polars(frame: pl.DataFrame) -> pl.LazyFrame:
    return frame.lazy().with_columns(total=pl.col("v").jag.sum())


def with_pandas(frame: pd.DataFrame) -> pd.DataFrame:
    assert isinstance(frame, pd.DataFrame)
    assert frame["id"].dtype == pd.ArrowDtype(pa.int64())
    return frame.assign(total=frame["v"].jag.sum())


def with_dict(table: pa.Table) -> dict[str, Any]:
    v = aj.from_arrow(table["v"])
    return {"id": table["id"], "v": v, "total": v.sum().to_arrow()}


@pytest.mark.parametrize(
    ("frame", "transform"),
    [("polars", with_polars), ("polars", with_lazy_polars), ("pandas", with_pandas), ("arrow", with_dict)],
)
@pytest.mark.workers
def test_frames(frame: str, transform: Any, source: Path, tmp_path: Path) -> None:
    run(transform, source, tmp_path / "out", frame=frame)
    table = check_totals(tmp_path / "out", 120)
    assert table.schema.field("v").type == aj.JaggedType.of(pa.float64(), 2)


def test_a_pandas_index_without_a_name_is_dropped_and_a_named_one_kept(source: Path, tmp_path: Path) -> None:
    def odd(frame: pd.DataFrame) -> pd.DataFrame:
        return frame[["id"]].iloc[1::2]

    def counts(frame: pd.DataFrame) -> pd.DataFrame:
        return frame.groupby("id").agg(n=("id", "count"))

    run(odd, source, tmp_path / "odd", frame="pandas")
    assert aj.read_parquet(tmp_path / "odd").column_names == ["id"]
    run(counts, source, tmp_path / "counts", frame="pandas")
    assert aj.read_parquet(tmp_path / "counts").column_names == ["id", "n"]


@pytest.mark.workers
def test_transforms_of_every_kind_travel(source: Path, tmp_path: Path) -> None:
    step = 3

    class Times:
        def __init__(self, factor: int) -> None:
            self.factor = factor

        def __call__(self, table: pa.Table) -> pa.Table:
            return pa.table({"x": [one * self.factor for one in table["id"].to_pylist()]})

    def times(table: pa.Table, factor: int) -> pa.Table:
        return Times(factor)(table)

    kinds: dict[str, Any] = {
        "lambda": lambda table: pa.table({"x": [one * step for one in table["id"].to_pylist()]}),
        "partial": functools.partial(times, factor=step),
        "object": Times(step),
    }
    for name, transform in kinds.items():
        run(transform, source / "f0.parquet", tmp_path / name)
        assert aj.read_parquet(tmp_path / name)["x"].to_pylist() == list(range(0, 120, 3))


def test_a_script_without_a_main_guard_and_code_from_stdin(source: Path, tmp_path: Path) -> None:
    code = f"""
import arrowjag as aj
print("once")
def double(table):
    print("the job prints")
    return table.select(["id"])
aj.etl.run(double, {str(source)!r}, {str(tmp_path / "out")!r}, frame="arrow", workers=1, progress=False)
"""
    root = Path(aj.__file__).parents[1]
    child = subprocess.run([sys.executable, "-"], input=code, capture_output=True, text=True, cwd=root, check=True)
    assert child.stdout.splitlines() == ["once"]
    assert child.stderr.splitlines()[:3] == ["the job prints"] * 3
    assert len(aj.read_parquet(tmp_path / "out")) == 120


# --------------------------------------------------------------------------------------------------------- schemas


def by_file(table: pa.Table) -> pa.Table:
    """Types that differ from file to file."""
    first = table["id"][0].as_py()
    type = {0: pa.int32(), 40: pa.int64(), 80: pa.float64()}[first]
    return pa.table({"x": table["id"].cast(type), "first": pa.nulls(len(table)) if first else pa.array([1.5] * len(table))})


@pytest.mark.workers
def test_the_first_batch_gives_the_schema_and_others_are_cast_safely(source: Path, tmp_path: Path) -> None:
    run(by_file, source, tmp_path / "out", workers=2)
    assert {tuple(pq.read_schema(file).types) for file in (tmp_path / "out").iterdir()} == {(pa.int32(), pa.float64())}


def test_a_given_schema(source: Path, tmp_path: Path) -> None:
    run(by_file, source, tmp_path / "out", schema={"first": pa.float32(), "x": pa.float64()})
    schemas = [pq.read_schema(file).remove_metadata() for file in (tmp_path / "out").iterdir()]
    assert set(schemas) == {pa.schema([("first", pa.float32()), ("x", pa.float64())])}


def second_differs(kind: str) -> Any:
    """Another result for the second file."""

    def transform(table: pa.Table) -> pa.Table:
        if table["id"][0].as_py() < 40:
            return pa.table({"x": table["id"], "s": [{"a": 1}] * len(table)})
        other = {
            "type": {"x": table["id"].cast(pa.string()), "s": [{"a": 1}] * len(table)},
            "value": {"x": [0.5] * len(table), "s": [{"a": 1}] * len(table)},
            "field": {"x": table["id"], "s": [{"a": 1, "b": 2}] * len(table)},
            "missing": {"s": [{"a": 1}] * len(table)},
            "added": {"x": table["id"], "s": [{"a": 1}] * len(table), "y": table["id"]},
        }
        return pa.table(other[kind])

    return transform


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (
            "type",
            "column 'x': string does not fit int64, the type of the job; cast it in the function, to one type for every batch",
        ),
        ("value", "column 'x': double doesn't fit int64: .*; cast it in the function, or pass schema= that all results fit"),
        ("field", r"column 's': struct<a: int64, b: int64> does not fit struct<a: int64>"),
        ("missing", "the result lacks column 'x'; the columns of the job are x, s"),
        ("added", "the result adds column 'y'; the columns of the job are x, s; return the same columns .*mode=\"replace\" writes"),
    ],
)
def test_a_result_of_another_schema_names_file_and_column(kind: str, text: str, source: Path, tmp_path: Path) -> None:
    with pytest.raises(JobError, match=rf"in/f1\.parquet, row groups 0 to 3: JagValueError: .*{text}") as caught:
        run(second_differs(kind), source, tmp_path / "out")
    assert "\n" not in str(caught.value)
    assert files_in(tmp_path / "out") == ["f0-0.parquet"]


def late(table: pa.Table) -> pa.Table:
    """Rows in the last file only."""
    return totals(table.filter(pa.compute.greater_equal(table["id"], 100)))


@pytest.mark.workers
def test_files_without_rows_get_the_schema_of_the_others(source: Path, tmp_path: Path) -> None:
    report = run(late, source, tmp_path / "out", workers=2)
    assert [pq.read_metadata(tmp_path / "out" / f"f{n}-0.parquet").num_rows for n in range(3)] == [0, 0, 20]
    assert len({pq.read_schema(file).remove_metadata() for file in (tmp_path / "out").iterdir()}) == 1
    assert (report.rows, report.tasks) == (20, 3)


def test_no_rows_at_all(tmp_path: Path, source: Path) -> None:
    run(lambda table: totals(table.slice(0, 0)), source, tmp_path / "none")
    assert aj.read_parquet(tmp_path / "none").schema.names == ["id", "v", "total"]
    (tmp_path / "empty").mkdir()
    pq.write_table(table_of(range(0)), tmp_path / "empty/e.parquet")
    report = run(totals, tmp_path / "empty", tmp_path / "out")
    table = aj.read_parquet(tmp_path / "out")
    assert (report.rows, report.tasks, len(table)) == (0, 1, 0)
    assert table.schema.field("v").type == aj.JaggedType.of(pa.float64(), 2)


def test_a_transform_that_fails_on_no_rows_is_no_trouble_where_others_have_some(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    pq.write_table(table_of(range(0)), tmp_path / "in/a.parquet")

    def needs_rows(table: pa.Table) -> pa.Table:
        return pa.table({"first": [table["id"].to_pylist()[0]]})

    with pytest.raises(
        JobError, match=r"no batch has rows, and needs_rows fails on a frame without rows: IndexError: .*pass schema="
    ):
        run(needs_rows, tmp_path / "in", tmp_path / "out")
    run(needs_rows, tmp_path / "in", tmp_path / "out", schema={"first": pa.int64()})
    pq.write_table(table_of(range(5, 9)), tmp_path / "in/b.parquet")
    run(needs_rows, tmp_path / "in", tmp_path / "both")
    assert aj.read_parquet(tmp_path / "both")["first"].to_pylist() == [5]


def test_files_of_other_columns_and_types(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    pq.write_table(pa.table({"id": pa.array([1, 2], pa.int32())}), tmp_path / "in/a.parquet")
    pq.write_table(pa.table({"id": [3], "v": [[1.5]]}), tmp_path / "in/b.parquet")
    run(keep, tmp_path / "in", tmp_path / "out")
    assert aj.read_parquet(tmp_path / "out").to_pydict() == {"id": [1, 2, 3], "v": [None, None, [1.5]]}


# ---------------------------------------------------------------------------------------------------------- errors


def test_a_failing_task_is_one_line(source: Path, tmp_path: Path) -> None:
    with pytest.raises(JobError, match="id 55 is bad") as caught:
        run(fail_at(55), source, tmp_path / "out")
    text = r"\S+/in/f1\.parquet, row groups 0 to 3: ValueError: id 55 is bad \(jobs\.py, line \d+\)"
    assert re.fullmatch(text, str(caught.value))
    assert caught.value.failure.row_groups == (0, 1, 2, 3)
    assert "Traceback" in caught.value.__notes__[0]
    with pytest.raises(JobError, match=r"f1\.parquet, row groups? 1.*: ValueError"):
        run(fail_at(55), source, tmp_path / "small", batch_bytes=400)


def test_failed_tasks_may_be_skipped(source: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "arrowjag.etl"):
        report = run(fail_at(55), source, tmp_path / "out", on_error="skip")
    assert files_in(tmp_path / "out") == ["f0-0.parquet", "f2-0.parquet"]
    (failure,) = report.failures
    assert failure.file == str(source / "f1.parquet")
    assert failure.error.startswith("ValueError: id 55 is bad")
    assert (report.rows, report.tasks) == (80, 2)
    assert f"failed: {failure}" in str(report)
    assert f"task failed and is skipped: {failure}" in caplog.messages


@pytest.mark.parametrize(
    ("returned", "kind"),
    [
        ("nothing", "None"),
        ("array", "a pyarrow.Int64Array"),
        ("number", "an int"),
        ("series", "a polars.Series"),
        ("structs", "a pyarrow.ChunkedArray"),  # Arrow takes them for a table
        ("labelled", "a pandas.Series"),  # its labels would be a column
    ],
)
def test_results_other_than_frames_raise_at_the_first_batch(returned: str, kind: str, source: Path, tmp_path: Path) -> None:
    def transform(table: pa.Table) -> Any:
        values = {"nothing": None, "array": pa.array([1]), "number": 1, "series": pl.Series([1])}
        values |= {"structs": pa.chunked_array([[{"id": 1}]]), "labelled": pd.Series([1], pd.Index([2], name="id"))}
        return values[returned]

    text = rf"row groups 0 to 3: JagTypeError: transform returned {kind.replace('.', '[.a-z]*[.]')}, expected a frame"
    with pytest.raises(JobError, match=text):
        run(transform, source, tmp_path / "out")
    report = run(transform, source, tmp_path / "out", mode="resume", on_error="skip")
    assert [failure.error[:35] for failure in report.failures] == ["JagTypeError: transform returned " + kind[:2]] * 3
    assert files_in(tmp_path / "out") == []


@pytest.mark.workers
def test_a_transform_that_cant_be_loaded(source: Path, tmp_path: Path) -> None:
    class Stubborn:
        def __call__(self, table: pa.Table) -> pa.Table:
            return table

        def __reduce__(self) -> Any:
            return os.getenv, ()

    with pytest.raises(JobError, match=r"Stubborn can't be loaded in a worker process: TypeError: "):
        run(Stubborn(), source, tmp_path / "out", on_error="skip")
    lock = threading.Lock()
    with pytest.raises(aj.JagTypeError, match="<lambda> can't be sent to a worker process: TypeError: cannot pickle"):
        run(lambda table: lock and table, source, tmp_path / "out")


@pytest.mark.workers
def test_a_worker_works_in_one_thread(source: Path, tmp_path: Path) -> None:
    def threads(table: pa.Table) -> pa.Table:
        from arrowjag._kernels.base.blocks import n_cores

        counts = [pl.thread_pool_size(), pa.cpu_count(), n_cores(), int(os.environ["OPENBLAS_NUM_THREADS"])]
        return pa.table({"threads": counts})

    run(threads, source / "f0.parquet", tmp_path / "out")
    assert aj.read_parquet(tmp_path / "out")["threads"].to_pylist() == [1, 1, 1, 1]


def test_a_worker_that_is_terminated_while_it_loads(source: Path) -> None:
    class Ends:
        def __reduce__(self) -> Any:
            return _end, ()

    job = _worker.Job(pickle.dumps(Ends()), "ends", make_plan(pa.schema([]), None, None), pa.schema([]), "arrow", None)
    with pytest.raises(_worker.Stopped):  # noqa: PT011 - it has no words
        _worker.Worker(job)


def _end() -> None:
    raise _worker.Stopped


def test_a_worker_whose_driver_dies_while_it_starts_ends_without_a_traceback() -> None:
    code = (
        "import os, signal, threading; threading.Thread.start = lambda self: os.kill(os.getpid(), signal.SIGTERM);"
        " from arrowjag.etl._process import serve; serve()"
    )
    done = subprocess.run([sys.executable, "-c", code], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(os.name == "nt", reason="SIGINT ends processes there")
def test_an_interrupt_of_a_terminal_does_not_reach_workers_that_start(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A terminal sends it to all processes: each worker that still imported libraries wrote a traceback."""
    start = LocalEngine.start

    def interrupted(engine: LocalEngine, order: Any) -> None:
        start(engine, order)
        for process in engine._processes:
            os.kill(process.pid, signal.SIGINT)

    monkeypatch.setattr(LocalEngine, "start", interrupted)
    report = run(keep, source, tmp_path / "out", workers=2)
    assert (report.rows, report.retries, capfd.readouterr().err) == (120, 0, "")


@pytest.mark.parametrize(
    ("keys", "told"), [(None, "rename the file of the source"), ("k", "take another key for partition_by")], ids=["file", "key"]
)
def test_a_result_whose_name_is_too_long_fails_its_task(keys: Any, told: str, source: Path, tmp_path: Path) -> None:
    name = "b" * 246 + ".parquet" if keys is None else "f1.parquet"  # the name of the result has two characters more
    (source / "f1.parquet").rename(source / name)

    def long(table: pa.Table) -> pa.Table:
        is_second = table["id"][0].as_py() == 40
        return table.append_column("k", pa.array(["x" * (300 if is_second and keys else 3)] * len(table)))

    report = run(long, source, tmp_path / "out", partition_by=keys, on_error="skip")
    assert report.rows == 80
    assert re.search(
        rf"{name}, row group.*: JagValueError: the name of the result .* is too long .*: {told}", str(report.failures[0])
    )


def test_damaged_input_is_named(source: Path, tmp_path: Path) -> None:
    content = bytearray((source / "f1.parquet").read_bytes())
    content[20:120] = b"\xff" * 100
    (source / "f1.parquet").write_bytes(content)
    report = run(keep, source, tmp_path / "out", on_error="skip")
    (failure,) = report.failures
    assert failure.file.endswith("in/f1.parquet")
    assert "row group 0" in failure.error
    (source / "f1.parquet").write_bytes(b"no parquet")
    with pytest.raises(Exception, match=r"f1\.parquet"):
        run(keep, source, tmp_path / "other")


@pytest.mark.parametrize("keys", [False, True])
def test_files_without_a_footer_may_be_skipped(keys: bool, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    rows = write_dataset(tmp_path / "in", keys=keys)
    folder = tmp_path / ("in/part=0" if keys else "in")
    half = (folder / "f0.parquet").read_bytes()[:500]
    (folder / "a.parquet").write_bytes(half)  # the first, whose schema pyarrow asks for
    (folder / "notes.txt").write_text("none")
    with pytest.raises(aj.JagValueError, match=r"(?=.*a\.parquet).*is damaged or can't be read: "):
        run(totals, tmp_path / "in", tmp_path / "out")
    with caplog.at_level(logging.WARNING, "arrowjag.etl"):
        report = run(keep, tmp_path / "in", tmp_path / "out", on_error="skip")
    assert aj.read_parquet(tmp_path / "out").num_rows == rows
    assert [(Path(one.file).name, one.row_groups) for one in report.failures] == [("a.parquet", ()), ("notes.txt", ())]
    assert all(one.error.startswith("ArrowInvalid: Parquet") for one in report.failures)
    assert f"file is skipped: {report.failures[0]}" in caplog.messages
    with pytest.warns(
        aj.JagWarning, match=r"the result lacks the rows of 2 tasks that failed, the first: .*a\.parquet: ArrowInvalid"
    ):
        height = aj.etl.reduce(lambda table: table.num_rows, sum, tmp_path / "in", on_error="skip", frame="arrow", progress=False)
    assert height == rows
    with pytest.raises(aj.JagValueError, match=r"(?=.*a\.parquet).*is damaged or can't be read: "):
        run(keep, folder / "a.parquet", tmp_path / "other", on_error="skip")


def test_sys_exit_in_a_transform_is_an_error(source: Path, tmp_path: Path) -> None:
    with pytest.raises(JobError, match="SystemExit: 3"):
        run(lambda table: sys.exit(3), source, tmp_path / "out")


def dies_once(marker: Path) -> Any:
    def transform(table: pa.Table) -> pa.Table:
        if table["id"][0].as_py() == 40 and not marker.exists():
            marker.write_text("dead")
            os._exit(9)
        return totals(table)

    return transform


@pytest.mark.workers
def test_a_worker_that_dies_is_replaced(source: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "arrowjag.etl"):
        report = run(dies_once(tmp_path / "marker"), source, tmp_path / "out", workers=2)
    check_totals(tmp_path / "out", 120)
    assert report.rows_read == 120
    assert "its worker process ended with exit code 9" in caplog.text


@pytest.mark.workers
def test_a_worker_that_always_dies_fails_its_task(source: Path, tmp_path: Path) -> None:
    with pytest.raises(JobError, match=r"f0\.parquet, row groups 0 to 3: its worker process ended with exit code 9"):
        run(lambda table: os._exit(9), source, tmp_path / "out")


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"engine": "spark"}, aj.JagValueError, "engine must be 'local', 'ray' or 'dask', got 'spark'"),
        ({"frame": "numpy"}, aj.JagValueError, "frame must be"),
        ({"mode": "append"}, aj.JagValueError, "mode must be"),
        ({"on_error": "raise"}, aj.JagValueError, "on_error must be"),
        ({"workers": 0}, aj.JagValueError, "workers must be a whole number of at least 1, got 0"),
        ({"memory": "much"}, aj.JagValueError, "memory must be a number of bytes or a text such as \"64MB\", got 'much'"),
        ({"batch_bytes": 1.5}, aj.JagTypeError, "batch_bytes must be a number of bytes"),
        ({"columns": ["nope"]}, aj.JagValueError, "no column or leaf 'nope'"),
        ({"filters": [("nope", "=", 1)]}, aj.JagValueError, "filters name an unknown column"),
        ({"schema": 3}, aj.JagTypeError, "schema must be a pa.Schema"),
        ({"write": "zstd"}, aj.JagTypeError, "write must be a dict of options"),
    ],
)
def test_arguments_without_meaning(options: dict[str, Any], error: Any, text: str, source: Path, tmp_path: Path) -> None:
    with pytest.raises(error, match=text):
        run(keep, source, tmp_path / "out", **options)
    assert not (tmp_path / "out").exists()


def test_partition_by_is_no_option_of_a_file(source: Path, tmp_path: Path) -> None:
    with pytest.raises(aj.JagValueError, match="partition_by is an argument of the job itself"):
        run(keep, source, tmp_path / "out", write={"partition_by": ["id"]})


def test_sources_and_sinks_without_meaning(source: Path, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere: no such file or folder"):
        run(keep, tmp_path / "nowhere", tmp_path / "out")
    with pytest.raises(aj.JagTypeError, match="transform must be a function of a frame"):
        run("keep", source, tmp_path / "out")
    wanted = "the source must be a path, a list of paths, a dataset or a table"
    with pytest.raises(aj.JagTypeError, match=f"^run: {wanted}, got int$"):
        run(keep, 3, tmp_path / "out")
    with pytest.raises(aj.JagTypeError, match=rf"^run: {wanted}, got DataFrame: write it with aj\.write_parquet first$"):
        run(keep, pd.DataFrame({"id": [1]}), tmp_path / "out")
    with pytest.raises(aj.JagTypeError, match=r"^run: a job reads Parquet files, got InMemoryDataset: write it"):
        run(keep, ds.dataset(pa.table({"id": [1]})), tmp_path / "out")
    with pytest.raises(aj.JagValueError, match=r"names f0\.parquet twice"):
        run(keep, [source / "f0.parquet", source / "f0.parquet"], tmp_path / "out")
    for sink in (source, source / "below", source.parent):
        with pytest.raises(aj.JagValueError, match="lie in one folder"):
            run(keep, source, sink)
    for sink in (tmp_path / "other._arrowjag", tmp_path / "other._arrowjag/rejected"):  # whose files jobs with that sink delete
        with pytest.raises(aj.JagValueError, match=r"^run: the sink \S+ lies in a folder \*\._arrowjag, .*: take another folder"):
            run(keep, source, sink)
    with pytest.raises(aj.JagValueError, match="is a file"):
        run(keep, source / "f0.parquet", source / "f1.parquet")


@pytest.mark.parametrize(
    ("result", "told"),
    [
        (
            pa.table([[1], [2]], names=["x", "x"]),
            "a pyarrow.Table that can't be written: the frame has two columns of the name 'x'",
        ),
        (
            {"x": [1], "y": [1, 2]},
            "a dict that can't be written: the columns of a frame have one length, got {'x': 1, 'y': 2}",
        ),
    ],
    ids=["twice", "lengths"],
)
def test_frames_that_can_t_be_written_are_named(source: Path, tmp_path: Path, result: Any, told: str) -> None:
    with pytest.raises(JobError, match=rf"in/f0\.parquet.*: <lambda> returned {re.escape(told)}"):
        run(lambda table: result, source, tmp_path / "out")


@pytest.mark.parametrize("mode", ["resume", "replace"])
def test_links_don_t_hide_that_the_sink_is_the_source(source: Path, tmp_path: Path, mode: str) -> None:
    """To replace what is in the sink would delete the source."""
    (tmp_path / "link").symlink_to(source)
    (tmp_path / "sink").mkdir()
    (tmp_path / "sink/inner").symlink_to(source)
    for one, sink in ((source, "link"), (source, "link/below"), (tmp_path / "link", "in"), (source / "f0.parquet", "link")):
        with pytest.raises(aj.JagValueError, match="lie in one folder"):
            run(keep, one, tmp_path / sink, mode=mode)
    with pytest.raises(aj.JagValueError, match=r"the sink holds .*sink/inner/f0\.parquet, which is a file of the source"):
        run(keep, source / "f0.parquet", tmp_path / "sink", mode=mode)
    assert files_in(source) == ["f0.parquet", "f1.parquet", "f2.parquet"]


def test_a_sink_may_lie_beside_files_that_were_named_or_match_a_pattern(source: Path) -> None:
    files = sorted(source.iterdir())
    for place, one in enumerate((files, source / "*.parquet", [source / "f0.parquet", source / "f[12].parquet"])):
        run(totals, one, source / f"out{place}")
        check_totals(source / f"out{place}", 120)
    for one in (source, [source], source / "**/*.parquet", source / "*"):
        with pytest.raises(aj.JagValueError, match="lie in one folder"):
            run(totals, one, source / "out3")


def test_write_options(source: Path, tmp_path: Path) -> None:
    options = {"compression": {"id": "zstd", "v": "none"}, "row_group_size": 15}
    run(keep, source / "f0.parquet", tmp_path / "out", write=options)
    footer = pq.read_metadata(tmp_path / "out/f0-0.parquet")
    assert [footer.row_group(place).num_rows for place in range(footer.num_row_groups)] == [15, 15, 10]
    assert [footer.row_group(0).column(place).compression for place in range(2)] == ["ZSTD", "UNCOMPRESSED"]
    with pytest.raises(JobError, match="nope"):
        run(keep, source, tmp_path / "other", write={"compression": {"nope": "zstd"}})


def test_the_command(source: Path, tmp_path: Path) -> None:
    """The function of a file that can't be imported by its name, and that uses another one of the file."""
    code = "import polars as pl\n\ndef double(name):\n    return pl.col(name).jag * 2\n\n"
    (tmp_path / "my_job.py").write_text(code + "def twice(frame):\n    return frame.with_columns(double('v'))\n")

    def command(*words: str) -> subprocess.CompletedProcess[str]:
        job = [str(tmp_path / "my_job.py:twice"), str(source), str(tmp_path / "out"), "--workers", "1"]
        environment = os.environ | {"PYTHONPATH": str(Path(aj.__file__).parents[1])}
        call = [sys.executable, "-m", "arrowjag", "run", *job, *words]
        return subprocess.run(call, capture_output=True, text=True, cwd=tmp_path, env=environment, check=False)

    first = command()
    assert (first.returncode, first.stdout.split(";")[0]) == (0, "3 tasks, 120 rows"), first.stderr
    again = command("--resume")
    assert (again.returncode, again.stdout.split(";")[0]) == (0, "3 tasks (3 done before), 120 rows"), again.stderr
    assert command().returncode == 2
    assert aj.from_arrow(aj.read_parquet(tmp_path / "out")["v"])[2].to_list() == [4.0, 4.5]


@pytest.mark.workers
def test_links(source: Path, tmp_path: Path) -> None:
    run(totals, source.as_uri(), (tmp_path / "out").as_uri())
    check_totals(tmp_path / "out", 120)
    with pytest.raises(JobError, match=r"the lease \S+ is gone: .* or can't workers see this file system"):
        run(totals, source, "memory://no/other/process/sees/this")
