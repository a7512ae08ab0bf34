"""Records of runs, in a folder beside the sink: inputs, outputs, and how each run ended.

Records are informative only: resume decides from the files in the sink which tasks are done.
"""

from __future__ import annotations

import datetime as dt
import importlib
import json
import platform
import sys
import traceback
import uuid
from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.fs as pf

from arrowjag._arguments import check_arguments
from arrowjag.errors import JagError, JagValueError, joined_lines
from arrowjag.etl._lake import is_ours, run_of
from arrowjag.etl._lakes import open_lake
from arrowjag.etl._lease import read_owner
from arrowjag.etl._output import Written
from arrowjag.etl._sidecar import RECORD, Sidecar
from arrowjag.etl._signals import TERMINATED
from arrowjag.etl._sink import Result, Sink, is_part, locate_sink, refuse_long_names
from arrowjag.etl._tasks import Source, Task
from arrowjag.etl._worker import Outcome
from arrowjag.etl.report import Failure, Report, Run, Status
from arrowjag.io._locate import TableFolderError, table_at
from arrowjag.io._stores import check_options

__all__ = ["Record", "new_run", "status"]


def new_run() -> str:
    """Create the id of a run: its start time in microseconds, so that ids sort by time, and a random part."""
    return f"{dt.datetime.now(dt.UTC):%Y%m%dT%H%M%S.%f}-{uuid.uuid4().hex[:6]}"


class Record:
    """The record of one run.

    Parameters
    ----------
    sink : Sink
        Provides the id of the run and the folder of records.
    **facts : object
        Facts known when the run starts.
    """

    def __init__(self, sink: Sink, **facts: Any) -> None:
        self._sink = sink
        self._facts: dict[str, Any] = {"v": 1, "run": sink.run, "state": "failed", "started": _now(), **facts}
        self._facts["lease"] = 0 if sink.lease is None else sink.lease.number
        self._facts |= {"fingerprint": sink.transform, "versions": _versions(), "host": platform.node()}

    def add(
        self, source: Source, kept: Iterable[list[Result]], outcomes: Mapping[int, Outcome], tasks: Iterable[Task], retries: int
    ) -> None:
        """Add inputs and outputs, both those of results kept from earlier runs and those of tasks that this run has finished."""
        folder = len(self._sink.folder) + 1
        self._facts |= {"source": source.root, "retries": retries}
        self._facts["kept"] = [
            {"inputs": [file for _, file in parts[0].inputs], "run": parts[0].run}
            | {"outputs": [{"path": part.path[folder:], "rows": part.rows, "bytes": part.bytes} for part in parts]}
            for parts in kept
        ]
        self._facts["tasks"] = [
            {
                "inputs": [
                    {"file": piece.file, "row_groups": piece.row_groups, "fingerprint": piece.input} for piece in task.pieces
                ],
                "rows_read": outcomes[task.number].rows_read,
                "rejected": outcomes[task.number].rejected,
                "outputs": [_facts_of(file) for file in outcomes[task.number].files],
            }
            for task in tasks
            if task.number in outcomes
        ]

    def committed(self, version: str) -> None:
        """Record the version of the table that holds the results."""
        self._facts["commit"] = version

    def done(self, report: Report) -> None:
        """Record the end of a run that wasn't stopped; some tasks may have been skipped."""
        self._facts |= {"state": "incomplete" if report.failures else "done", "rows": report.rows, "seconds": report.seconds}
        self._facts |= {"rejected": report.rejected, "failures": _failures(report.failures)}

    def failed(self, error: BaseException) -> None:
        """Record the error or the signal that ended the run."""
        stopped = isinstance(error, (KeyboardInterrupt, SystemExit))
        self._facts |= {"state": "stopped" if stopped else "failed", "error": _text_of(error)}
        failure = getattr(error, "failure", None)
        self._facts["failures"] = _failures([failure]) if isinstance(failure, Failure) else []

    def write(self) -> None:
        """Write the record beside the sink."""
        self._facts["ended"] = _now()
        self._sink.sidecar.write(f"{RECORD}{self._sink.run}.json", _lines(self._facts).encode())


def _text_of(error: BaseException) -> str:
    """Return an error in one line, without the name of the class if it is one of arrowjag."""
    if isinstance(error, SystemExit):
        return "ended by SIGTERM" if error.code == TERMINATED else f"ended with exit code {error.code}"
    if isinstance(error, KeyboardInterrupt):
        return "interrupted"
    text = str(error) if isinstance(error, JagError) else "".join(traceback.format_exception_only(error))
    return text.strip().partition("\n")[0]


def _lines(facts: Mapping[str, Any]) -> str:
    """Return the facts as JSON of one line per fact and per task; indented, thousands of tasks would take a second."""
    entries = []
    for name in sorted(facts):
        value = facts[name]
        if isinstance(value, list) and value:
            text = "[\n  " + ",\n  ".join(json.dumps(one, sort_keys=True) for one in value) + "\n ]"
        else:
            text = json.dumps(value, sort_keys=True)
        entries.append(f" {json.dumps(name)}: {text}")
    return "{\n" + ",\n".join(entries) + "\n}\n"


def _facts_of(file: Written) -> dict[str, Any]:
    return {"path": file.path, "rows": file.rows, "bytes": file.bytes} | ({"keys": file.keys} if file.keys else {})


def _failures(failures: Iterable[Failure]) -> list[dict[str, Any]]:
    return [{"file": one.file, "row_groups": one.row_groups, "error": one.error} for one in failures]


def _now() -> str:
    return dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds")


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version(), "pyarrow": pa.__version__}
    for name in ("arrowjag", "polars", "pandas"):
        if name in sys.modules:
            found[name] = str(importlib.import_module(name).__version__)
    return found


@check_arguments
def status(sink: Any, *, filesystem: Any = None, storage_options: Mapping[str, Any] | None = None) -> Status:
    """Return the contents of a folder of results, its owner, and the outcome of its runs.

    Parameters
    ----------
    sink : str, path or table
        The folder or table, as passed to `run`.
    filesystem : pyarrow.fs.FileSystem or fsspec file system, optional
        File system of the folder; by default derived from the path or URL.
    storage_options : dict, optional
        Options of the store, as for `run`.

    Returns
    -------
    Status
        Files, rows and bytes of the results, the owner of the folder, and its runs, most recent first.

    Raises
    ------
    FileNotFoundError
        If neither the folder of results nor the folder of records exists.
    JagFileError
        If a result can't be read, for lack of permission or because its store is down.
    JagValueError
        If the sink is a file, or the folder of a table, which is named ``delta://...`` or ``iceberg://...``.

    Notes
    -----
    Reads the footer of each result and the record of each run, without taking a lease or changing files. A killed run has no
    record; `Status.owner` names its process.

    Examples
    --------
    >>> import tempfile
    >>> import arrowjag as aj
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     aj.write_parquet({"v": aj.array([[1, 2], [], [3]])}, folder + "/in.parquet")
    ...     report = aj.etl.run(lambda f: f, folder + "/in.parquet", folder + "/out", workers=1, progress=False)
    ...     status = aj.etl.status(folder + "/out")
    >>> status.files, status.rows, [run.state for run in status.runs]
    (1, 3, ['done'])
    """
    options = check_options(storage_options)
    lake = open_lake(sink, options, dry_run=True)
    if lake is not None:
        if not lake.folder:
            raise FileNotFoundError(f"there is no table {sink}")
        filesystem, folder = lake.filesystem, lake.folder
    else:
        filesystem, folder = locate_sink(sink, filesystem, options)
        if not folder.strip("/"):
            raise JagValueError(f"{sink} is the root of a file system: name the folder of results")
        refuse_long_names(filesystem, folder, sink)
        table = table_at(filesystem, folder)
        if table is not None:
            raise TableFolderError(filesystem, *table, is_root=True)
    sidecar = Sidecar(filesystem, folder)  # only read
    names = sidecar.names(RECORD)
    owner = read_owner(sidecar)
    kind = filesystem.get_file_info(folder).type
    if kind == pf.FileType.NotFound and not names and owner is None:
        raise FileNotFoundError(f"there is no folder {sink}")
    if kind not in (pf.FileType.NotFound, pf.FileType.Directory):
        raise JagValueError(f"{sink} is a file: name the folder of results")
    there = Sink(filesystem, folder, "", "", {})
    infos = there.infos()
    active = None if lake is None else lake.active()
    known = [info.path for info in infos if info.path.endswith(".parquet")]
    results = there.results(path for path in known if active is None or path[len(folder) + 1 :] in active)
    unfinished = [info.path for info in infos if is_part(info.path)]
    if active is not None:
        waiting = [path for path in known if is_ours(path) and path[len(folder) + 1 :] not in active]
        unfinished += [path for path in waiting if lake is not None and not lake.knows(run_of(path))]
    return Status(
        sink=folder,
        files=len(results),
        rows=sum(result.rows for result in results),
        bytes=sum(result.bytes for result in results),
        foreign=tuple(result.path for result in results if not result.transform and lake is None),
        unfinished=tuple(unfinished),
        owner=owner,
        runs=tuple(run for _, run in sorted((_run(sidecar, name) for name in names), key=lambda found: found[0], reverse=True)),
    )


def _run(sidecar: Sidecar, name: str) -> tuple[tuple[int, str], Run]:
    """Return a run and what orders it: leases are numbered, whatever the clocks of machines show."""
    path = f"{sidecar.folder}/{name}"
    try:
        facts = json.loads(sidecar.read(name))
        failures = tuple(Failure(one["file"], tuple(one["row_groups"]), one["error"]) for one in facts.get("failures", ()))
        run = Run(
            id=facts["run"],
            state=facts["state"],
            started=facts["started"],
            ended=facts["ended"],
            job=facts.get("job", ""),
            tasks=len(facts.get("tasks", ())),
            kept=len(facts.get("kept", ())),
            rows=facts.get("rows"),
            retries=facts.get("retries", 0),
            rejected=facts.get("rejected", 0),
            failures=failures,
            error=facts.get("error", ""),
            record=path,
        )
        str(run)  # raises if a fact has another type
        return (int(facts.get("lease", 0)), name), run
    except OSError as error:
        reason = f"{path} can't be read: {joined_lines(error)}"
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        reason = f"{path} is not a valid record"
    unknown = name.removeprefix(RECORD).removesuffix(".json")
    return (0, name), Run(unknown, "unreadable", "", "", "", 0, 0, None, 0, 0, (), reason, path)
