"""The order of tasks: no worker is idle while the first task determines the schema, and results don't depend on who is faster."""

from __future__ import annotations

import contextlib
import itertools
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cloudpickle
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from arrowjag.etl import JobError, _scheduler, _worker
from arrowjag.etl._dask import DaskEngine
from arrowjag.etl._local import _Process
from arrowjag.etl._progress import make_progress
from arrowjag.etl._scheduler import Policy, Scheduler
from arrowjag.etl._sink import open_sink
from arrowjag.etl._tasks import Task, make_tasks, open_source
from arrowjag.etl._worker import Event, Finished, Job, Order, Outcome, SchemaFound, SchemaReply, Started, TaskError, Waits, Worker
from arrowjag.io._scan import make_plan
from tests.etl.jobs import files_in, run

WIDE, NARROW = (pa.schema([("x", kind)]) for kind in (pa.int64(), pa.int32()))
ROWS, NO_ROWS = Outcome(1, 1, schema=WIDE), Outcome(1, 0, schema=WIDE)


def write_files(folder: Path, rows: Sequence[int]) -> Path:
    folder.mkdir()
    for number, count in enumerate(rows):
        pq.write_table(pa.table({"x": pa.array([number] * count, pa.int64())}), folder / f"f{number}.parquet")
    return folder


class ScriptedEngine:
    """Records what the scheduler says, and returns the given events, some at each call."""

    tells_schema, queues, peak_memory = True, False, None

    def __init__(self, slots: int, script: Sequence[Sequence[Event]]) -> None:
        self.slots, self._script = slots, list(script)
        self.said: list[Any] = []

    def start(self, order: Order) -> None:
        self.said.append((order.task.number, "waits" if order.waits else "starts" if order.schema is None else "knows"))

    def tell(self, number: int, schema: pa.Schema | None) -> None:
        self.said.append((number, "is told" if schema is not None else "determines"))

    def events(self) -> list[Event]:
        return list(self._script.pop(0))

    def stop(self) -> None:
        assert not self._script, "the job ended before its last events"


def said(source: Path, slots: int, *script: Sequence[Event]) -> list[Any]:
    engine = ScriptedEngine(slots, script)
    sink: Any = SimpleNamespace(remove_parts=lambda: None)
    there = open_source(source)
    job = Job(b"", "f", make_plan(there.schema, None, None), there.partitions, "arrow", sink)
    shown, tasks = make_progress(False, 0, 0, 0), make_tasks(there.pieces)
    scheduler = Scheduler(job, engine, tasks, schema=None, policy=Policy(10**6, 10**9), progress=shown)
    try:
        scheduler.run()
    except JobError as error:
        engine.said.append(Path(error.failure.file).name)
    return engine.said


def test_all_workers_start_at_once_and_hear_the_schema(tmp_path: Path) -> None:
    source = write_files(tmp_path / "in", [1, 1, 1, 1])
    script = [
        [SchemaFound(0, WIDE)],
        [Finished(2, ROWS), Finished(0, ROWS)],
        [Finished(1, ROWS), Finished(3, ROWS)],
    ]
    assert said(source, 3, *script) == [
        *[(0, "starts"), (1, "waits"), (2, "waits")],
        *[(1, "is told"), (2, "is told"), (3, "knows")],
    ]


def test_the_first_task_that_may_have_rows_determines_the_schema(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = write_files(tmp_path / "in", [1, 1, 1, 1, 1])
    script = [
        [Finished(1, Outcome(1, 0))],  # no rows, but the first may have some
        [Finished(0, Outcome(1, 0))],
        [SchemaFound(2, WIDE), Finished(2, ROWS)],
        [Finished(3, ROWS), Finished(4, ROWS)],
    ]
    found: list[int] = []
    monkeypatch.setattr(Scheduler, "_write_empty", lambda self: found.extend(task.number for task, _ in self._empty))
    heard = said(source, 2, *script)
    assert found == [1, 0]
    assert heard == [(0, "starts"), (1, "waits"), (2, "waits"), (2, "determines"), (3, "waits"), (3, "is told"), (4, "knows")]


@pytest.mark.parametrize(("first", "named"), [(TaskError("error", "first"), "f0.parquet"), (ROWS, "f1.parquet")])
def test_the_error_is_that_of_the_first_file(first: Any, named: str, tmp_path: Path) -> None:
    """As with one worker: which of two failing tasks is faster must not matter."""
    source = write_files(tmp_path / "in", [1, 1])
    schema = [] if first is not ROWS else [SchemaFound(0, WIDE)]
    heard = said(source, 2, [Finished(1, TaskError("error", "second"))], [*schema, Finished(0, first)])
    assert heard[-1] == named


def test_a_task_whose_worker_died_determines_the_schema_when_tried_again(tmp_path: Path) -> None:
    source = write_files(tmp_path / "in", [1, 1])
    script = [[Finished(0, TaskError("died", "it died"))], [SchemaFound(0, WIDE), Finished(0, ROWS)], [Finished(1, ROWS)]]
    assert said(source, 2, *script) == [(0, "starts"), (1, "waits"), (0, "starts"), (1, "is told")]


def test_large_tasks_start_first_once_the_schema_is_known(tmp_path: Path) -> None:
    source = write_files(tmp_path / "in", [1, 1, 1, 1, 1])
    pq.write_table(pa.table({"x": range(1000)}), source / "f3.parquet")
    script = [
        [SchemaFound(0, WIDE)],
        [Finished(0, ROWS)],
        [Finished(1, ROWS), Finished(3, ROWS)],
        [Finished(2, ROWS), Finished(4, ROWS)],
    ]
    heard = said(source, 2, *script)
    assert heard == [(0, "starts"), (1, "waits"), (1, "is told"), (3, "knows"), (2, "knows"), (4, "knows")]


def test_a_task_that_waits_stops_its_clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The time limit of a task is about its own work."""
    there = open_source(write_files(tmp_path / "in", [3]))
    clock = itertools.count()
    monkeypatch.setattr(_worker, "time", SimpleNamespace(monotonic=lambda: next(clock)))

    def hear() -> SchemaReply:
        for _ in range(1000):
            next(clock)
        return SchemaReply(NARROW)

    events: list[Any] = []
    sink = open_sink(str(tmp_path / "out"), there, "digest", {}, (), None, {})
    job = Job(cloudpickle.dumps(lambda table: table), "f", make_plan(there.schema, None, None), there.partitions, "arrow", sink)
    outcome = Worker(job).run(Order(make_tasks(there.pieces)[0], 10**6, timeout=100, waits=True), events.append, hear)
    assert (outcome.rows, outcome.schema) == (3, NARROW)
    assert [type(event) for event in events[:2]] == [Waits, Started]


def together(folder: Path, workers: int, first: Callable[[], None] = lambda: None) -> Any:
    """Return a function whose first calls end once as many files are at work, and in which the first file is the last to end."""
    folder.mkdir()

    def function(table: pa.Table) -> pa.Table:
        number = table["x"][0].as_py()
        (folder / f"{number}").touch()
        deadline = time.monotonic() + 120
        while len(list(folder.iterdir())) < workers:
            assert time.monotonic() < deadline, "the other workers are idle"
            time.sleep(0.01)
        if number == 0:
            first()
            return table
        return table.set_column(0, "x", pc.cast(table["x"], pa.int32()))

    return function


@pytest.mark.workers
def test_no_worker_is_idle_while_the_first_task_determines_the_schema(tmp_path: Path) -> None:
    source = write_files(tmp_path / "in", [2, 2, 2, 2])
    report = run(together(tmp_path / "at work", 2, lambda: time.sleep(0.5)), source, tmp_path / "out", workers=2)
    assert report.rows == 8
    types = {name: pq.read_schema(tmp_path / "out" / name).field("x").type for name in files_in(tmp_path / "out")}
    assert types == {f"f{number}-0.parquet": pa.int64() for number in range(4)}


@pytest.mark.workers
def test_rows_that_don_t_fit_the_schema_of_the_first_file_are_rejected(tmp_path: Path) -> None:
    """Also those of files whose results were computed before it was known."""
    source = write_files(tmp_path / "in", [2, 2, 2])
    base = together(tmp_path / "at work", 2, lambda: time.sleep(0.5))

    def fails(table: pa.Table) -> pa.Table:
        return pa.table({"x": ["text"] * len(table)}) if base(table)["x"][0].as_py() == 1 else base(table)

    report = run(fails, source, tmp_path / "other", workers=2, on_error="rows")
    assert (report.rows, report.rejected) == (4, 2)


@pytest.mark.parametrize(
    ("seconds", "is_small", "slots", "most"),
    [(0.0001, True, 2, 128), (0.0001, True, 1, 64), (60, True, 2, 2), (0.0001, False, 2, 2)],
    ids=["fast", "fast, alone", "slow", "large"],
)
def test_workers_take_several_small_tasks_at_once_while_these_are_fast(
    seconds: float, is_small: bool, slots: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = itertools.count(0, seconds)
    monkeypatch.setattr(_scheduler, "time", SimpleNamespace(monotonic=lambda: next(now)))
    running: list[int] = []
    given: list[int] = []
    ended: list[int] = []

    class Engine(ScriptedEngine):
        """Ends the tasks one by one."""

        queues = True

        def start(self, order: Order) -> None:
            given.append(order.task.number)
            running.append(len(given) - len(ended))

        def events(self) -> list[Event]:
            ended.append(given[len(ended)])
            return [*([SchemaFound(0, WIDE)] if len(ended) == 1 else []), Finished(ended[-1], ROWS)]

    facts: dict[str, Any] = {"name": "", "path": "", "row_groups": (), "rows": 1, "bytes": 1, "is_small": is_small}
    tasks: list[Any] = [SimpleNamespace(number=number, **facts) for number in range(2000)]
    job: Any = SimpleNamespace(sink=SimpleNamespace(remove_parts=lambda: None), rejects=None)
    Scheduler(job, Engine(slots, []), tasks, schema=None, policy=Policy(10**6, 10**9), progress=make_progress(False, 0, 0, 0)).run()
    assert sorted(ended) == list(range(2000))
    assert max(running) == most
    assert max(running[-2 * slots :]) <= slots, "at the end no task waits at a worker while another one is idle"


def test_one_of_the_tasks_at_a_worker_is_to_blame_for_its_death(tmp_path: Path) -> None:
    """The one that it has begun; those that wait for it, or for their names, run again without a retry."""
    process = _Process.__new__(_Process)
    process.over = TaskError("memory", "too much")
    for at, blamed in ((4, 4), (9, 3), (-1, 3)):
        process.orders, process.at = {number: Order(Task(number, ()), 1) for number in (3, 4, 5)}, at
        process.wait = lambda seconds: None  # type: ignore[method-assign]
        found = {event.number: event.result for event in process.failures() if isinstance(event, Finished)}
        assert {number: getattr(error, "kind", "") for number, error in found.items()} == {3: "lost", 4: "lost", 5: "lost"} | {
            blamed: "memory"
        }
        assert process.failures() == []
    lost = TaskError("lost", "its worker process ended before it began")
    script = [[SchemaFound(0, WIDE), Finished(0, ROWS)], [Finished(1, lost)], [Finished(1, lost)], [Finished(1, ROWS)]]
    heard = said(write_files(tmp_path / "in", [1, 1]), 1, *script)
    assert heard == [(0, "starts"), (1, "knows"), (1, "knows"), (1, "knows")]


JOB: Any = SimpleNamespace(transform=b"", sink=None)


class Client:
    """A client of Dask whose scheduler dies, or refuses a task, when it is submitted."""

    scheduler = SimpleNamespace(address="tcp://10.0.0.1:8786")

    def __init__(self, status: str) -> None:
        self.status = "running"
        self._then = status

    def nthreads(self) -> dict[str, int]:
        return {"worker": 2}

    def submit(self, *_: Any, **__: Any) -> None:
        self.status = self._then
        raise RuntimeError("cannot schedule new futures")


@pytest.mark.parametrize("status", ["closing", "closed"])
def test_a_scheduler_of_dask_that_dies_while_a_task_is_submitted_ends_the_job(status: str) -> None:
    engine = DaskEngine(Client(status), contextlib.ExitStack(), JOB, None)
    with pytest.raises(JobError, match=r"the scheduler at tcp://10\.0\.0\.1:8786 no longer answers") as found:
        engine.start(Order(Task(0, ()), 1))
    assert isinstance(found.value.__cause__, RuntimeError)


def test_other_errors_of_submitting_to_dask_are_kept() -> None:
    engine = DaskEngine(Client("running"), contextlib.ExitStack(), JOB, None)
    with pytest.raises(RuntimeError, match="cannot schedule"):
        engine.start(Order(Task(0, ()), 1))


def calls_of(function: Callable[[], object]) -> int:
    """How many functions a function calls, those of Python and of C."""
    found: list[str] = []
    sys.setprofile(lambda frame, event, argument: found.append(event))
    try:
        function()
    finally:
        sys.setprofile(None)
    return len(found)


@pytest.mark.parametrize("outcome", [ROWS, Outcome(1, 0, rejected=1, schema=WIDE)], ids=["rows", "rejected rows"])
@pytest.mark.parametrize("slots", [1, 3])
def test_each_task_takes_as_many_steps_among_many_as_among_few(
    slots: int, outcome: Outcome, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Engine(ScriptedEngine):
        """Ends each task at once."""

        def start(self, order: Order) -> None:
            found = [SchemaFound(order.task.number, WIDE)] if outcome.rows else []
            self._script.append([*found, Finished(order.task.number, outcome)])

    def schedule(count: int) -> Scheduler:
        tasks: list[Any] = [
            SimpleNamespace(number=n, name="", bytes=count - n, path="", row_groups=(), rows=1, is_small=True) for n in range(count)
        ]
        job: Any = SimpleNamespace(sink=SimpleNamespace(remove_parts=lambda: None), rejects=object())
        policy, shown = Policy(10**6, 10**9, max_failures=count), make_progress(False, 0, 0, 0)
        return Scheduler(job, Engine(slots, []), tasks, schema=None, policy=policy, progress=shown)

    monkeypatch.setattr(Scheduler, "_write_empty", lambda self: None)
    few, many = schedule(20), schedule(200)
    assert calls_of(many.run) < 11 * calls_of(few.run)
    assert len(many.outcomes) == 200
