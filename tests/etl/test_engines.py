"""The same jobs on Ray and Dask give the same results, also when workers, nodes and drivers are killed."""

from __future__ import annotations

import datetime as dt
import decimal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import arrowjag as aj
from arrowjag.etl import JobError
from tests.etl.clusters import CLUSTERS, ROOT, WORKERS, Cluster, check_all, kill, start, wait_for_task
from tests.etl.jobs import check_totals, fail_at, files_in, keep, run, totals, wait_for_results, write_dataset

pytestmark = [
    pytest.mark.engines,
    pytest.mark.slow,
    # Ray and Dask leave sockets and processes to the garbage collector.
    pytest.mark.filterwarnings("ignore"),
]
MODULES = {"ray": "ray", "dask": "distributed"}
ENGINES = list(MODULES)


@pytest.fixture(scope="module")
def connected(request: pytest.FixtureRequest) -> Iterator[str]:
    """The name of an engine whose local cluster this process is connected to."""
    engine = request.param
    module = pytest.importorskip(MODULES[engine])
    if engine == "ray":
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PYTHONPATH", str(ROOT))
            patch.setenv("RAY_AUTH_MODE", "disabled")
            module.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False)
            yield engine
            module.shutdown()
    else:
        with module.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, module.Client(cluster):
            yield engine


on_engines = pytest.mark.parametrize("connected", ENGINES, indirect=True)


@on_engines
def test_equal_to_local(connected: str, tmp_path: Path) -> None:
    rows = write_dataset(tmp_path / "in", keys=True)
    report = run(totals, tmp_path / "in", tmp_path / "out", engine=connected, workers=None)
    check_totals(tmp_path / "out", rows)
    run(totals, tmp_path / "in", tmp_path / "local")
    assert files_in(tmp_path / "out") == files_in(tmp_path / "local")
    for name in files_in(tmp_path / "out"):
        found, local = (pq.ParquetFile(tmp_path / sink / name).read() for sink in ("out", "local"))
        assert found.equals(local)
    assert (report.rows, report.tasks, report.rows_read) == (rows, 3, rows)
    assert report.peak_memory is not None


def every_leaf() -> pa.Table:
    """A jagged column of each leaf type that Parquet stores, with nulls at every level."""
    day, moment = dt.date(2013, 1, 31), dt.datetime(2013, 1, 31, 12, 30)  # noqa: DTZ001  (a type without a zone)
    values: dict[pa.DataType, list[Any]] = {
        pa.bool_(): [True, None],
        **{type: [1, None, 3] for type in (pa.int8(), pa.int16(), pa.int32(), pa.int64())},
        **{type: [1, None, 200] for type in (pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64())},
        **{type: [1.5, float("inf"), None] for type in (pa.float16(), pa.float32(), pa.float64())},
        pa.decimal128(12, 2): [decimal.Decimal("1.25"), None],
        **{type: ["a", None, "bc"] for type in (pa.string(), pa.large_string())},
        **{type: [b"a", None, b"bc"] for type in (pa.binary(), pa.large_binary())},
        pa.date32(): [day, None],
        pa.time64("us"): [moment.time(), None],
        pa.timestamp("us"): [moment, None],
        pa.timestamp("ms", "Europe/Paris"): [moment.replace(tzinfo=dt.UTC), None],
        pa.duration("ms"): [dt.timedelta(1), None],
        pa.dictionary(pa.int32(), pa.string()): ["a", None, "b"],
        pa.struct([("a", pa.int64()), ("b", pa.list_(pa.string()))]): [{"a": 1, "b": ["x", None]}, None, {"a": None, "b": []}],
    }
    columns = {}
    for place, (type, (one, *others)) in enumerate(values.items()):
        rows = [[[one]], None, [None, others], [], [[]]]
        columns[f"x{place}"] = aj.array(rows, type=type, ndim=3).to_arrow()
    return pa.table({"id": range(5), **columns})


@on_engines
@pytest.mark.parametrize("empty", [False, True], ids=["rows", "no rows"])
def test_every_leaf_type_and_all_empty_output(connected: str, empty: bool, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    table = every_leaf()
    for number in range(2):
        pq.write_table(table, tmp_path / f"in/{number}.parquet")
    transform = (lambda table: table.slice(0, 0)) if empty else keep
    run(transform, tmp_path / "in", tmp_path / "out", engine=connected)
    run(transform, tmp_path / "in", tmp_path / "local")
    found, local = aj.read_parquet(tmp_path / "out"), aj.read_parquet(tmp_path / "local")
    assert found.equals(local)
    assert found.schema == local.schema
    assert found.schema.remove_metadata() == aj.read_parquet(tmp_path / "in").schema.remove_metadata()
    assert len(found) == (0 if empty else 10)


@on_engines
def test_failures_resume_and_reduce(connected: str, tmp_path: Path) -> None:
    write_dataset(tmp_path / "in")
    with pytest.raises(JobError, match=r"f1\.parquet, row groups 0 to 3: ValueError: id 55 is bad"):
        run(fail_at(55), tmp_path / "in", tmp_path / "stops", engine=connected)
    with pytest.raises(JobError, match="returned an int, expected a frame"):
        run(len, tmp_path / "in", tmp_path / "stops", engine=connected, mode="replace")
    report = run(fail_at(55), tmp_path / "in", tmp_path / "out", engine=connected, on_error="skip")
    assert (len(report.failures), report.tasks, report.rows) == (1, 2, 80)
    again = run(fail_at(55), tmp_path / "in", tmp_path / "out", engine=connected, on_error="skip", mode="resume")
    assert (again.kept, len(again.failures)) == (2, 1)
    options: dict[str, Any] = {"engine": connected, "frame": "arrow", "progress": False}
    assert aj.etl.reduce(len, sum, tmp_path / "in", **options) == 120
    ids = aj.etl.reduce(keep, lambda parts: parts["id"].to_pylist(), tmp_path / "in", **options)
    assert ids == list(range(120))


def loops_at(number: int, how: str) -> Any:
    """A transform that never returns at one id: asleep, or computing."""

    def transform(table: pa.Table) -> pa.Table:
        if number in table["id"].to_pylist():
            if how == "sleeps":
                time.sleep(10_000)
            while True:
                pass
        return table

    return transform


@on_engines
def test_a_task_that_hangs_is_ended_and_named(connected: str, tmp_path: Path) -> None:
    write_dataset(tmp_path / "in")
    options: dict[str, Any] = {"engine": connected, "timeout": 3, "schema": aj.read_parquet(tmp_path / "in").schema}
    with pytest.raises(JobError, match=r"f1\.parquet, row groups 0 to 3: the task took longer than timeout=3 seconds"):
        run(loops_at(55, "sleeps"), tmp_path / "in", tmp_path / "stops", **options)
    report = run(loops_at(55, "loops"), tmp_path / "in", tmp_path / "out", **options, on_error="skip")
    assert (report.tasks, report.rows, len(report.failures)) == (2, 80, 1)
    assert run(keep, tmp_path / "in", tmp_path / "out", engine=connected, mode="replace").rows == 120, "the workers are free again"


def add_worst(frame: Any) -> Any:
    return frame.assign(worst=frame["v"].jag.max())


def add_total(table: pa.Table) -> pa.Table:
    return table.append_column("total", aj.from_arrow(table["v"]).sum().to_arrow())


def test_a_global_sort_by_ray_keeps_the_type(tmp_path: Path) -> None:
    ray = pytest.importorskip("ray")
    write_dataset(tmp_path / "in", keys=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        patch.setenv("RAY_AUTH_MODE", "disabled")
        ray.shutdown()
        hook = {"worker_process_setup_hook": "arrowjag.interop.ray.set_up_worker"}
        ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env=hook)
        try:
            dataset = aj.interop.ray.dataset(tmp_path / "in", batch_bytes=1000)
            dataset.sort("id", descending=True).write_parquet(str(tmp_path / "sorted"))
            few = aj.interop.ray.dataset(tmp_path / "in", columns=["id"], filters=[("id", "<", 3)]).to_pandas()
            mapped = dataset.map_batches(add_worst, batch_format="pandas").map_batches(add_total, batch_format="pyarrow")
            schema, rows = str(mapped.schema()), sorted(mapped.take_all(), key=lambda row: row["id"])
        finally:
            ray.shutdown()
    table = aj.read_parquet(tmp_path / "sorted")
    assert table.schema.field("v").type == aj.JaggedType.of(pa.float64(), 2)
    assert table["id"].to_pylist() == list(range(119, -1, -1))
    check_totals_of(table)
    assert list(few["id"]) == [0, 1, 2]
    assert "jagged[double, 2]" in schema
    assert [row["total"] for row in rows][:8] == [0.0, 1.0, 4.25, None, 0.0, 0.0, 12.25, 21.75]
    assert [row["worst"] for row in rows][:4] == [None, 1.0, 2.25, None]


def check_totals_of(table: pa.Table) -> None:
    from tests.etl.jobs import row_of

    assert aj.from_arrow(table["v"]).to_list() == [row_of(i) for i in table["id"].to_pylist()]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_local_cluster_is_started_and_stopped(engine: str, tmp_path: Path) -> None:
    """In a script of its own, as users run it: with a guard, because Dask's workers import the main module."""
    pytest.importorskip(MODULES[engine])
    rows = write_dataset(tmp_path / "in")
    with start(engine, tmp_path, "create", {"PYTHONPATH": str(ROOT), "RAY_AUTH_MODE": "disabled"}, pause="0") as child:
        out, errors = child.communicate(timeout=120)
    assert child.returncode == 0, errors
    assert out.splitlines()[-1] == f"0 3 {rows}"
    check_totals(tmp_path / "out", rows)


# ---------------------------------------------------------------------------------------------------------- faults


@pytest.fixture(params=ENGINES)
def cluster(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    pytest.importorskip(MODULES[request.param])
    if not Path("/proc/self/stat").exists():
        pytest.skip("reads /proc")
    with CLUSTERS[request.param]() as running:
        yield running


def test_a_killed_worker_and_then_a_killed_node(cluster: Cluster, tmp_path: Path) -> None:
    rows = write_dataset(tmp_path / "in", files=24)
    with start(cluster.engine, tmp_path, "create", cluster.environment) as child:
        wait_for_results(child, tmp_path / "out", 4)
        kill(wait_for_task(cluster))
        time.sleep(0.2)
        assert child.poll() is None, child.communicate()
        assert len(files_in(tmp_path / "out")) < 20, "the worker was not killed half-way"
        wait_for_results(child, tmp_path / "out", 8)
        wait_for_task(cluster)
        cluster.kill_node()
        marks = ("raylet",) if cluster.engine == "ray" else WORKERS["dask"]
        assert any(mark in command for command in cluster.killed for mark in marks)
        time.sleep(0.2)
        assert child.poll() is None, child.communicate()
        assert len(files_in(tmp_path / "out")) < 24, "the node was not killed half-way"
        out, errors = child.communicate(timeout=240)
    assert child.returncode == 0, errors
    assert out.splitlines()[-1] == f"0 24 {rows}"
    if cluster.engine == "ray":  # Dask gives tasks to other workers by itself
        assert errors.count("is tried again") >= 2, errors
    check_all(tmp_path / "out", 24, rows)


def test_a_killed_driver_is_resumed(cluster: Cluster, tmp_path: Path) -> None:
    rows = write_dataset(tmp_path / "in", files=12)
    with start(cluster.engine, tmp_path, "create", cluster.environment) as child:
        wait_for_results(child, tmp_path / "out", 3)
        child.kill()
    assert len(list((tmp_path / "out").glob("*.parquet"))) < 12, "the driver was not killed half-way"
    with start(cluster.engine, tmp_path, "resume", cluster.environment) as child:
        out, errors = child.communicate(timeout=240)
    assert child.returncode == 0, errors
    kept, tasks, found = map(int, out.splitlines()[-1].split())
    assert kept >= 3
    assert (tasks, found) == (12, rows)
    check_all(tmp_path / "out", 12, rows)


def test_a_dead_dask_scheduler_ends_the_job(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    rows = write_dataset(tmp_path / "in", files=24)
    with CLUSTERS["dask"]() as cluster, start("dask", tmp_path, "create", cluster.environment) as child:
        wait_for_results(child, tmp_path / "out", 3)
        kill(cluster.nodes[0].pid)
        _, errors = child.communicate(timeout=60)
    assert child.returncode == 1
    assert "no longer answers: run again with mode=" in errors.splitlines()[-1]
    assert aj.etl.status(tmp_path / "out").runs[0].state == "failed"
    with start("dask", tmp_path, "resume", {"PYTHONPATH": str(ROOT)}, pause="0") as child:
        _, errors = child.communicate(timeout=240)
    assert child.returncode == 0, errors
    check_all(tmp_path / "out", 24, rows)


def test_a_wrong_address_of_a_ray_cluster_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ray = pytest.importorskip("ray")
    ray.shutdown()
    write_dataset(tmp_path / "in")
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    with pytest.raises(aj.JagValueError, match=r"RAY_ADDRESS=127.0.0.1:1: no Ray cluster answers there") as found:
        run(totals, tmp_path / "in", tmp_path / "out", engine="ray")
    assert "\n" not in str(found.value)


def test_a_wrong_address_of_a_dask_scheduler_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed")
    write_dataset(tmp_path / "in")

    def no_client() -> None:
        raise ValueError("no client")

    monkeypatch.setattr(distributed, "get_client", no_client)  # other tests may have connected this process
    for address in ("tcp://127.0.0.1:1", "nonsense://x"):
        monkeypatch.setenv("DASK_SCHEDULER_ADDRESS", address)
        with pytest.raises(aj.JagValueError, match=rf"DASK_SCHEDULER_ADDRESS={address}: no Dask scheduler answers there") as found:
            run(totals, tmp_path / "in", tmp_path / "out", engine="dask")
        assert "\n" not in str(found.value)


@pytest.mark.parametrize("address", ["nonsense", "127.0.0.1:x", "nonsense://x:1"])
def test_no_client_is_made_for_an_address_that_can_t_be_read(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed")
    write_dataset(tmp_path / "in")
    monkeypatch.setattr(distributed, "get_client", lambda: int("no client"))
    monkeypatch.setattr(distributed, "Client", lambda *_, **__: pytest.fail("a client was made"))
    monkeypatch.setenv("DASK_SCHEDULER_ADDRESS", address)
    with pytest.raises(aj.JagValueError, match=f"DASK_SCHEDULER_ADDRESS={address}: no Dask scheduler answers there: "):
        run(totals, tmp_path / "in", tmp_path / "out", engine="dask")
