"""Clusters of two node processes on this machine, whose processes tests may kill. None is ever ended by name."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import arrowjag as aj
from tests.etl.jobs import check_totals, files_in

ROOT = Path(aj.__file__).parents[1]


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def children(pid: int) -> list[int]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if int((folder / "stat").read_text().rpartition(")")[2].split()[1]) == pid:
                found.append(int(folder.name))
    return found


def descendants(pid: int) -> list[int]:
    return [one for child in children(pid) for one in (child, *descendants(child))]


def command_of(pid: int) -> str:
    try:
        return (Path("/proc") / str(pid) / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def kill(*pids: int) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


#: What the commands of workers hold; Dask's have another name where setproctitle is installed.
WORKERS = {"ray": ("ray::arrowjag",), "dask": ("spawn_main", "dask worker [")}


@dataclass
class Cluster:
    """An address for jobs, and node processes; the first is needed, the others may die."""

    engine: str
    address: str
    variable: str
    nodes: list[subprocess.Popen[bytes]] = field(default_factory=list)
    killed: list[str] = field(default_factory=list)

    @property
    def environment(self) -> dict[str, str]:
        return os.environ | {"PYTHONPATH": str(ROOT), "RAY_AUTH_MODE": "disabled", self.variable: self.address}

    def tasks(self) -> dict[str, int]:
        """The task of the last node: the worker's process by its command, in which Ray names the task."""
        marks = WORKERS[self.engine]
        found = {command_of(pid): pid for pid in descendants(self.nodes[-1].pid)}
        return {command: pid for command, pid in found.items() if any(mark in command for mark in marks)}

    def wait_until_whole(self) -> None:
        """Wait until the scheduler of Dask knows all workers: its nanny gives up if one is killed that still starts."""
        if self.engine == "dask":
            from distributed import Client

            with Client(self.address, set_as_default=False, timeout=300) as client:
                client.wait_for_workers(len(self.nodes) - 1, timeout=300)

    def kill_node(self) -> None:
        """The last node, and all that it has started, for good."""
        node = self.nodes.pop()
        pids = descendants(node.pid)
        commands = [command_of(pid) for pid in pids]
        kill(node.pid, *pids)
        node.wait()
        self.killed = commands

    def stop(self) -> None:
        while self.nodes:
            self.kill_node()


def _start(command: list[str], cluster: Cluster) -> subprocess.Popen[bytes]:
    quiet = subprocess.DEVNULL
    return subprocess.Popen([sys.executable, "-m", *command], env=cluster.environment, stdout=quiet, stderr=quiet, cwd=ROOT)


def _wait_for_port(address: str) -> None:
    host, _, port = address.removeprefix("tcp://").rpartition(":")
    deadline = time.monotonic() + 300
    while True:
        try:
            socket.create_connection((host, int(port)), timeout=1).close()
        except OSError:
            assert time.monotonic() < deadline, f"nobody listens on {address}"
            time.sleep(0.1)
        else:
            return


def _wait_for_raylet(pid: int) -> None:
    """Wait until a node of Ray has started worker processes: it is registered then, and drivers can connect."""
    deadline = time.monotonic() + 300
    while not any("ray::" in command_of(one) or "default_worker" in command_of(one) for one in descendants(pid)):
        assert time.monotonic() < deadline, "a node of Ray does not start"
        time.sleep(0.2)


@contextlib.contextmanager
def ray_cluster() -> Iterator[Cluster]:
    cluster = Cluster("ray", f"127.0.0.1:{free_port()}", "RAY_ADDRESS")
    port = cluster.address.rpartition(":")[2]
    common = ["--num-cpus=1", "--object-store-memory=150000000", "--block", "--disable-usage-stats"]
    try:
        head = ["ray.scripts.scripts", "start", "--head", f"--port={port}", "--include-dashboard=false", *common]
        cluster.nodes.append(_start(head, cluster))
        _wait_for_port(cluster.address)
        _wait_for_raylet(cluster.nodes[0].pid)
        cluster.nodes.append(_start(["ray.scripts.scripts", "start", f"--address={cluster.address}", *common], cluster))
        _wait_for_raylet(cluster.nodes[1].pid)
        yield cluster
    finally:
        cluster.stop()


@contextlib.contextmanager
def dask_cluster() -> Iterator[Cluster]:
    cluster = Cluster("dask", f"tcp://127.0.0.1:{free_port()}", "DASK_SCHEDULER_ADDRESS")
    port = cluster.address.rpartition(":")[2]
    try:
        scheduler = ["distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard"]
        cluster.nodes.append(_start(scheduler, cluster))
        _wait_for_port(cluster.address)
        for _ in range(2):
            worker = ["distributed.cli.dask_worker", cluster.address, "--nthreads", "1", "--no-dashboard"]
            cluster.nodes.append(_start(worker, cluster))
        yield cluster
    finally:
        cluster.stop()


CLUSTERS = {"ray": ray_cluster, "dask": dask_cluster}


# ---------------------------------------------------------------------------------------------------------- jobs on them

SCRIPT = """
import logging, sys, time
import arrowjag as aj
from tests.etl.jobs import totals

PAUSE = float(sys.argv[5])

def slow(table):
    time.sleep(PAUSE)
    return totals(table)

if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING)
    report = aj.etl.run(slow, sys.argv[2], sys.argv[3], engine=sys.argv[1], mode=sys.argv[4], frame="arrow", progress=False)
    print(report.kept, report.tasks, report.rows)
"""


def start(engine: str, folder: Path, mode: str, environment: dict[str, str], pause: str = "0.8") -> subprocess.Popen[str]:
    (folder / "job.py").write_text(SCRIPT)
    command = [sys.executable, "job.py", engine, str(folder / "in"), str(folder / "out"), mode, pause]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=folder, text=True, stdout=pipe, stderr=pipe, env=os.environ | environment)


def wait_for_task(cluster: Cluster) -> int:
    """A worker of the last node, as soon as it has begun a task: one that is about to end would not be missed."""
    deadline = time.monotonic() + 300
    seen = cluster.tasks() if cluster.engine == "ray" else {}
    while True:
        for command, pid in cluster.tasks().items():
            if command not in seen:
                return pid
        assert time.monotonic() < deadline, "the last node begins no task"
        time.sleep(0.02)


def check_all(sink: Path, files: int, rows: int) -> None:
    """The same rows, ids, nulls, leaves and sums, and the type in every file."""
    assert files_in(sink) == sorted(f"f{number}-0.parquet" for number in range(files))
    check_totals(sink, rows)
    for name in files_in(sink):
        assert pq.read_schema(sink / name).field("v").type == aj.JaggedType.of(pa.float64(), 2)
