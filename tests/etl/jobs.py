"""Helpers for tests of jobs: a dataset of numbered rows, and transforms that workers import."""

from __future__ import annotations

import pickle
import subprocess
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import arrowjag as aj
from arrowjag.etl import Report
from arrowjag.etl._worker import Event, Finished, Job, Order, TaskError, Worker


def table_of(ids: range) -> pa.Table:
    """Rows with null, empty and partly null lists; row `i` holds what its id says."""
    rows = [row_of(i) for i in ids]
    return pa.table({"id": pa.array(ids, pa.int64()), "v": aj.array(rows, type=pa.float64(), ndim=2).to_arrow()})


def row_of(i: int) -> list[float | None] | None:
    return None if i % 7 == 3 else [None if (i + k) % 5 == 0 else i + k / 4 for k in range(i % 4)]


def write_dataset(folder: Path, files: int = 3, rows: int = 40, group: int = 10, keys: bool = False) -> int:
    """Files of `rows` rows each, in folders `part=0`, `part=1`, ... if keys are wanted. How many rows there are."""
    for number in range(files):
        place = folder / f"part={number % 2}" if keys else folder
        place.mkdir(parents=True, exist_ok=True)
        pq.write_table(table_of(range(number * rows, (number + 1) * rows)), place / f"f{number}.parquet", row_group_size=group)
    return files * rows


def run(transform: Any, source: Any, sink: Any, **options: Any) -> Report:
    """A job with one worker and arrow frames, unless told otherwise."""
    return aj.etl.run(transform, source, sink, **{"workers": 1, "frame": "arrow", "progress": False} | options)


class InlineEngine:
    """Runs the tasks of a job in this process: for tests that are not about workers, which take two seconds to start."""

    slots, tells_schema, queues, peak_memory = 1, True, False, None

    def __init__(self, job: Job, workers: int, share: int) -> None:
        self._worker = Worker(pickle.loads(pickle.dumps(job)))
        self._events: list[Event] = []

    def start(self, order: Order) -> None:
        try:
            result = self._worker.run(order, self._events.append)
        except TaskError as failed:
            result = failed
        self._events.append(Finished(order.task.number, result))

    def events(self) -> list[Event]:
        found, self._events = self._events, []
        return found

    def stop(self) -> None:
        return


def totals(table: pa.Table) -> pa.Table:
    """The id, the row, its sum."""
    return table.append_column("total", aj.from_arrow(table["v"]).sum().to_arrow())


def keep(table: pa.Table) -> pa.Table:
    return table


def fail_at(number: int) -> Any:
    """A transform that fails at one id."""

    def transform(table: pa.Table) -> pa.Table:
        if number in table["id"].to_pylist():
            raise ValueError(f"id {number}\nis bad")
        return table

    return transform


def check_totals(sink: Path, rows: int) -> pa.Table:
    """Every row is there once, and is what it should be."""
    table = aj.read_parquet(sink).sort_by("id")
    assert table["id"].to_pylist() == list(range(rows))
    expected = [row_of(i) for i in range(rows)]
    assert aj.from_arrow(table["v"]).to_list() == expected
    sums = [None if row is None else sum(one for one in row if one is not None) for row in expected]
    assert pc.round(table["total"], 6).to_pylist() == [None if one is None else round(one, 6) for one in sums]
    return table


def wait_for_results(child: subprocess.Popen[str], sink: Path, count: int, seconds: float = 300) -> None:
    deadline = time.monotonic() + seconds
    while len(list(sink.glob("*.parquet"))) < count:
        assert child.poll() is None, child.communicate()
        assert time.monotonic() < deadline, "the job makes no results"
        time.sleep(0.01)


def files_in(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
