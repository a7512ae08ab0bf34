"""`python -m tests.etl.kills`: kill each part of a running job again and again, and count how often all rows are there once.

A job of 12 files runs on two workers; at a random moment, when some results are there, SIGKILL hits a driver, a worker, a node or
the scheduler. What a job can survive it must survive by itself, otherwise a second call with `mode="resume"` ends it. Then each
row must be in the results once, with its values.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import random
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path

from tests.etl.clusters import (
    CLUSTERS,
    ROOT,
    Cluster,
    check_all,
    children,
    command_of,
    descendants,
    kill,
    start,
    wait_for_task,
)
from tests.etl.jobs import files_in, wait_for_results, write_dataset

FILES, PAUSE, SECONDS = 12, "0.25", 600
#: What is killed by engine, and whether the job goes on by itself.
KILLS = {
    "local": {"driver": False, "worker": True},
    "dask": {"driver": False, "worker": True, "node": True, "scheduler": False},
    "ray": {"driver": False, "worker": True, "node": True, "scheduler": False},
}
MODULES = {"local": "pyarrow", "dask": "distributed", "ray": "ray"}


def kill_once(engine: str, what: str, seed: int, folder: Path) -> str:
    """Run a job, kill, resume if needed, check all rows. Return what happened in one line; raise if rows are wrong."""
    rng = random.Random(f"{engine} {what} {seed}")
    rows = write_dataset(folder / "in", files=FILES)
    if engine == "local":
        return _kill_in(None, what, rng, folder, rows)
    with CLUSTERS[engine]() as cluster:
        return _kill_in(cluster, what, rng, folder, rows)


def kill_often(engine: str, what: str, seeds: range) -> int:
    """Kill once for each seed, print what happened, and return how often all rows were right. A cluster serves until it breaks."""
    good = 0
    with contextlib.ExitStack() as stack:
        cluster: Cluster | None = None
        for number in seeds:
            if engine != "local" and cluster is None:
                cluster = stack.enter_context(CLUSTERS[engine]())
            rng = random.Random(f"{engine} {what} {number}")
            is_whole = what in {"driver", "worker"}
            with tempfile.TemporaryDirectory(prefix="arrowjag-kills-") as folder:
                rows = write_dataset(Path(folder) / "in", files=FILES)
                try:
                    told = _kill_in(cluster, what, rng, Path(folder), rows)
                    good += 1
                except (AssertionError, subprocess.TimeoutExpired):
                    told = f"WRONG: {traceback.format_exc()} {files_in(Path(folder) / 'out')}"
                    is_whole = False
            print(f"  {engine}, {what}, seed {number}: {told}", flush=True)
            if not is_whole:
                stack.close()
                cluster = None
    return good


def _kill_in(cluster: Cluster | None, what: str, rng: random.Random, folder: Path, rows: int) -> str:
    engine = "local" if cluster is None else cluster.engine
    if cluster is not None:
        cluster.wait_until_whole()
    environment = {"PYTHONPATH": str(ROOT)} if cluster is None else cluster.environment
    survives = KILLS[engine][what]
    # The second node of Ray starts its first worker when the first node is busy: the job must still run then.
    with start(engine, folder, "create", environment, "1" if (engine, what) == ("ray", "node") else PAUSE) as child:
        wait_for_results(child, folder / "out", rng.randrange(FILES - 5))
        time.sleep(rng.random() / 3)
        _target(cluster, what, child)()
        out, errors = child.communicate(timeout=SECONDS)
    done = len(list((folder / "out").glob("*.parquet")))
    if survives:
        assert child.returncode == 0, f"the job ended with {child.returncode}: {errors}"
        assert out.splitlines()[-1] == f"0 {FILES} {rows}", out
    else:
        assert child.returncode != 0 or done == FILES, "a job whose results are not there says that it is done"
        resumed = environment if what == "driver" else {"PYTHONPATH": str(ROOT), "RAY_AUTH_MODE": "disabled"}
        with start(engine, folder, "resume", resumed, "0") as child:
            out, errors = child.communicate(timeout=SECONDS)
        assert child.returncode == 0, f"the resumed job ended with {child.returncode}: {errors}"
        assert out.splitlines()[-1].split()[1:] == [str(FILES), str(rows)], out
    check_all(folder / "out", FILES, rows)
    return f"killed with {done} of {FILES} results" if not survives else f"went on, {errors.count('tried again')} retries"


def _target(cluster: Cluster | None, what: str, child: subprocess.Popen[str]) -> Callable[[], None]:
    if what == "driver":
        return child.kill
    if cluster is None:
        workers = [pid for pid in children(child.pid) if "serve()" in command_of(pid)]
        return lambda: kill(*workers[:1])  # none is left if the machine was so busy that the job has ended meanwhile
    if what in {"worker", "node"}:
        pid = wait_for_task(cluster)  # nobody would miss an idle one
        return cluster.kill_node if what == "node" else lambda: kill(pid)
    head = cluster.nodes[0].pid
    return lambda: kill(head, *(descendants(head) if cluster.engine == "ray" else ()))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.etl.kills", description=__doc__)
    parser.add_argument("--engine", choices=KILLS, nargs="+", default=list(KILLS))
    parser.add_argument("--what", choices=KILLS["dask"], nargs="+", default=list(KILLS["dask"]))
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    wrong = 0
    for engine in options.engine:
        if importlib.util.find_spec(MODULES[engine]) is None:
            print(f"{engine}: {MODULES[engine]} is not installed", flush=True)
            wrong += 1  # what was not tried is not counted as survived
            continue
        for what in [one for one in KILLS[engine] if one in options.what]:
            good = kill_often(engine, what, range(options.seed, options.seed + options.times))
            print(f"{engine}, {what}: every row once in {good} of {options.times}", flush=True)
            wrong += options.times - good
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
