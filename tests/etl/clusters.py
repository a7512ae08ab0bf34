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

import arrowjag as aj

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
        """What the last node runs: the worker's process by its command, in which Ray names the task."""
        marks = WORKERS[self.engine]
        found = {command_of(pid): pid for pid in descendants(self.nodes[-1].pid)}
        return {command: pid for command, pid in found.items() if any(mark in command for mark in marks)}

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
    deadline = time.monotonic() + 60
    while True:
        try:
            socket.create_connection((host, int(port)), timeout=1).close()
        except OSError:
            assert time.monotonic() < deadline, f"nobody listens on {address}"
            time.sleep(0.1)
        else:
            return


@contextlib.contextmanager
def ray_cluster() -> Iterator[Cluster]:
    cluster = Cluster("ray", f"127.0.0.1:{free_port()}", "RAY_ADDRESS")
    port = cluster.address.rpartition(":")[2]
    common = ["--num-cpus=1", "--object-store-memory=150000000", "--block", "--disable-usage-stats"]
    try:
        head = ["ray.scripts.scripts", "start", "--head", f"--port={port}", "--include-dashboard=false", *common]
        cluster.nodes.append(_start(head, cluster))
        _wait_for_port(cluster.address)
        cluster.nodes.append(_start(["ray.scripts.scripts", "start", f"--address={cluster.address}", *common], cluster))
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
