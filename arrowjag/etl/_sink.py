"""The folder of results: list its files, and tell finished results from stale and foreign files."""

from __future__ import annotations

import base64
import contextlib
import json
import logging
import os
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.fs as pf
import pyarrow.parquet as pq

from arrowjag.errors import JagTypeError, JagValueError, brief, joined_lines
from arrowjag.etl._footers import read_footer
from arrowjag.etl._lake import LakeFacts, check_keys, file_name, is_ours
from arrowjag.etl._lease import Lease
from arrowjag.etl._schema import METADATA_KEY, THE_TABLE, bare_schema, conform_result
from arrowjag.etl._sidecar import Sidecar, refuse_sidecar
from arrowjag.etl._tasks import Source, Task
from arrowjag.etl.report import Failure, JobError
from arrowjag.io._atomic import fsspec_of, local_path
from arrowjag.io._locate import SIDECAR, RealPaths, TableFolderError, locate_file, table_at
from arrowjag.io._plain import typed_schema

__all__ = [
    "Result",
    "Sink",
    "SinkError",
    "Survey",
    "Written",
    "blamed",
    "is_part",
    "locate_sink",
    "mark_of",
    "open_sink",
    "overlaps",
    "prepare",
    "probe_folder",
    "refuse_files",
    "refuse_long_names",
]

_LOG = logging.getLogger("arrowjag.etl")
# Footers that one thread reads in turn: handing over each would cost as much as reading it from a local disk.
_RUN = 16


class Result(NamedTuple):
    """A file in the sink with its metadata; `transform` is empty if no job has written the file.

    `files` are the paths of all files of its task, relative to the sink; `inputs` are pairs of the fingerprint of a piece and its
    file. `keys` are the partition folders of a file of a table, and `replaces` says whether its commit replaces all rows.
    `dead_letter` is the path of the dead-letter file of its task, relative to their folder; empty if no row was rejected.
    """

    path: str
    rows: int = 0
    bytes: int = 0
    schema: pa.Schema | None = None
    run: str = ""
    root: str = ""
    transform: str = ""
    inputs: tuple[tuple[str, str], ...] = ()
    files: tuple[str, ...] = ()
    rejected: int = 0
    keys: str = ""
    replaces: bool = False
    dead_letter: str = ""


#: The inode, size and modification time of a local file, by which a replaced or changed file is recognized.
Mark = tuple[int, int, int]


class Written(NamedTuple):
    """A result file of a task; `path` is relative to the sink, `keys` are its partition folders, `mark` is that of a local file."""

    path: str
    rows: int
    bytes: int
    keys: str = ""
    mark: Mark | None = None


def mark_of(path: str | os.PathLike[str]) -> Mark | None:
    """Return the inode, size and modification time of a local file; None if there is no such file."""
    try:
        found = os.stat(path)  # noqa: PTH116 - a str is faster
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


#: Schemas of results by the metadata that hold them: the results of a job have one.
_Schemas = dict[frozenset[tuple[bytes, bytes]], pa.Schema]


def _schema_of(footer: pq.ParquetFile, metadata: Mapping[bytes, bytes], schemas: _Schemas) -> pa.Schema:
    if METADATA_KEY not in metadata or b"ARROW:schema" not in metadata:  # no result of a job, or one without an Arrow schema
        return typed_schema(bare_schema(footer.schema_arrow), metadata)
    key = frozenset(one for one in metadata.items() if one[0] != METADATA_KEY)
    if key not in schemas:
        schemas[key] = typed_schema(bare_schema(footer.schema_arrow), metadata)
    return schemas[key]


@dataclass(frozen=True)
class Sink:
    """A folder on any file system, with the options for writing files; `link` is its URL, `stores` the options of its store."""

    filesystem: pf.FileSystem
    folder: str
    root: str
    transform: str
    options: dict[str, Any]
    partition_by: tuple[str, ...] = ()
    run: str = ""
    lease: Lease | None = None
    lake: LakeFacts | None = None
    link: str = ""
    stores: dict[str, str] = field(default_factory=dict, repr=False)

    @property
    def sidecar(self) -> Sidecar:
        """The folder beside it."""
        return Sidecar(self.filesystem, self.folder, self.link, self.stores)

    @property
    def cuts(self) -> bool:
        """Whether results lie in partition folders; a table may hold files outside of them."""
        return bool(self.partition_by) and self.lake is None

    def keys_of(self, path: str) -> str:
        """The partition folders of a result; empty if it lies outside of them."""
        folders = path[len(self.folder) + 1 :].split("/")[:-1][-len(self.partition_by) :] if self.cuts else []
        names = [unquote(folder.partition("=")[0]) for folder in folders if "=" in folder]
        return "/".join(folders) if names == [*self.partition_by] else ""

    def folders_of(self, task: Task) -> dict[str, Any]:
        """The columns that readers of the results take from their folders; a table has them in its files."""
        return task.folders if self.lake is None else {}

    def path_of(self, target: str, keys: str) -> str:
        """The path of a result, relative to the folder, in the partition folders `keys`."""
        if self.lake is not None:
            return file_name(self.lake, target, keys, self.run)
        parent, _, name = target.rpartition("/")
        return "/".join(filter(None, [parent, keys, name]))

    def fitted(self, table: pa.Table) -> pa.Table:
        """Cast a result to the columns that a table of the lake has; return it unchanged for folders."""
        if self.lake is None:
            return table
        try:
            check_keys(table.schema, self.partition_by)
            if self.lake.base is not None and not self.lake.merge:
                return conform_result(
                    table,
                    self.lake.base,
                    THE_TABLE,
                    'write={"schema_mode": "merge"} lets results differ in columns',
                )
            return conform_result(table, self.lake.fitted(table.schema), THE_TABLE)
        except JagTypeError as error:
            raise SinkError(self.folder, str(error)) from error

    def facts(self, task: Task, files: Mapping[str, str], schema: pa.Schema, rejected: int) -> str:
        """Return the metadata of a result, serialized; `files` are all files of the task with their partition folders."""
        facts: dict[str, Any] = {"v": 2, "run": self.run, "root": self.root, "transform": self.transform, "files": list(files)}
        facts["inputs"] = [[piece.input, piece.file] for piece in task.pieces]
        if rejected:
            facts |= {"rejected": rejected, "dead_letter": task.target}
        if self.partition_by or not self.folders_of(task).keys().isdisjoint(schema.names):
            facts["schema"] = base64.b64encode(schema.serialize().to_pybytes()).decode()
        if self.lake is not None:
            facts |= {"keys": list(files.values()), "replaces": self.lake.replace}
        return json.dumps(facts, sort_keys=True, separators=(",", ":"))

    def infos(self) -> list[pf.FileInfo]:
        """Return all files below the folder, sorted by path."""
        infos = self.filesystem.get_file_info(pf.FileSelector(self.folder, recursive=True, allow_not_found=True))
        return sorted((info for info in infos if info.type == pf.FileType.File), key=lambda info: str(info.path))

    def results(self, paths: Iterable[str]) -> list[Result]:
        """Read the metadata of files."""
        paths = list(paths)
        schemas: _Schemas = {}
        runs = [paths[start : start + _RUN] for start in range(0, len(paths), _RUN)]
        with ThreadPoolExecutor(8) as pool:
            return [result for run in pool.map(lambda run: [self._result(path, schemas) for path in run], runs) for result in run]

    def _result(self, path: str, schemas: _Schemas) -> Result:
        footer = read_footer(self.filesystem, path)
        if footer is None:
            return Result(path)
        facts = footer.facts
        try:
            schema = _schema_of(footer.file, footer.metadata, schemas)
            rows, size = footer.file.metadata.num_rows, footer.size
            if facts.get("v") != 2:
                return Result(path, rows, size, schema)
            if "schema" in facts:
                schema = pa.ipc.read_schema(pa.py_buffer(base64.b64decode(facts["schema"])))
            inputs = tuple((str(digest), str(name)) for digest, name in facts["inputs"])
            run, root, transform = (str(facts[name]) for name in ("run", "root", "transform"))
            files, rejected = tuple(map(str, facts["files"])), int(facts.get("rejected", 0))
            keys = dict(zip(files, facts.get("keys", ()), strict=False)).get(path[len(self.folder) + 1 :], "")
            more = str(keys), bool(facts.get("replaces")), str(facts.get("dead_letter", ""))
            return Result(path, rows, size, schema, run, root, transform, inputs, files, rejected, *more)
        except (pa.ArrowException, OSError, ValueError, KeyError, TypeError, AttributeError):
            return Result(path)

    def remove(self, paths: Iterable[str]) -> None:
        """Delete files; ignore those that are already gone."""
        for path in paths:
            with contextlib.suppress(FileNotFoundError):
                self.filesystem.delete_file(path)

    def probe(self) -> None:
        """Raise if the folder can't be written, before the job computes anything."""
        try:
            probe_folder(self.filesystem, self.folder, self.run)
        except OSError as error:
            text = f"the sink can't be written: {joined_lines(error)}"
            raise JobError(Failure(self.folder, (), text)) from error

    def abort_uploads(self, source: Source) -> None:
        """Abort uploads in parts that dead workers of jobs have begun; the caller must hold the lease.

        Only uploads with names of results of this source count, and only if an earlier run, or a killed worker of this one, may
        have begun them.
        """
        if self.filesystem.type_name != "s3":
            return
        from arrowjag.etl._uploads import abort_uploads  # lazy, because it imports HTTP and XML, which other jobs don't need

        names = {piece.target.rpartition("/")[2] for piece in source.pieces}
        abort_uploads(
            self.filesystem,
            self.folder,
            self.stores,
            lambda path: is_ours(path) if self.lake is not None else path.rpartition("/")[2] in names,
        )

    def remove_results(self, targets: Iterable[str]) -> None:
        """Delete the files of this run that killed tasks, which are skipped, had finished. Those of a table are not committed."""
        wanted = set(targets) if self.lake is None else set()
        paths = [info.path for info in self.infos() if self._target_of(info.path) in wanted] if wanted else []
        self.remove(result.path for result in self.results(paths) if result.run == self.run)

    def _target_of(self, path: str) -> str:
        """The path of a result without partition folders, relative to the folder."""
        *folders, name = path[len(self.folder) + 1 :].split("/")
        return "/".join([*folders[: len(folders) - len(self.partition_by)], name])

    def check(self, written: Iterable[tuple[Written, Task]], kept: Iterable[str]) -> None:
        """Raise `JobError` unless the sink holds what this run has written and kept, and nothing else; don't rely on the engine.

        A worker of a driver that was killed may publish its result after this run has listed the folder.
        """
        tasks = {f"{self.folder}/{file.path}": (file.mark, task) for file, task in written}
        # Local files that are unchanged since a worker wrote them are not opened.
        for result in self.results(path for path, (mark, _) in tasks.items() if mark is None or self._mark_of(path) != mark):
            if (result.run, result.transform) != (self.run, self.transform):
                _, task = tasks[result.path]
                how = "is not in the sink" if not result.rows and result.schema is None else "was written over by another run"
                raise JobError(Failure(task.path, task.row_groups, f"its result {result.path} {how}"))
        if self.lake is not None:  # a table holds what is committed
            return
        known = {*tasks, *kept}
        found = {info.path for info in self.infos() if info.path.endswith(".parquet")}
        for path in sorted(known ^ found):
            if path in known and self.filesystem.get_file_info(path).type == pf.FileType.File:
                continue  # stores may list a new file late
            how = "was deleted" if path in known else "was written into the sink by another program"
            raise JobError(Failure(path, (), f'the file {how} during the run: run again with mode="resume"'))

    def _mark_of(self, path: str) -> Mark | None:
        local = local_path(self.filesystem, path)
        return None if local is None else mark_of(local)

    def remove_parts(self) -> None:
        """Delete the temporary files that killed tasks of this run left; only log if that fails, as the next run deletes them."""
        try:
            self.remove(info.path for info in self.infos() if is_part(info.path) and self.run and f".{self.run}-" in info.base_name)
        except OSError as error:
            _LOG.warning("unfinished files in %s can't be deleted: %s", self.folder, joined_lines(error))


class SinkError(Exception):
    """A folder can't be written, for example because the disk is full. Ends the job, because all other tasks would fail too."""

    def __init__(self, folder: str, text: str) -> None:
        super().__init__(folder, text)
        self.folder, self.text = folder, text


@contextlib.contextmanager
def blamed(folder: str) -> Iterator[None]:
    """Convert an `OSError` of the block to a `SinkError` that names the folder.

    Parameters
    ----------
    folder : str
        The folder of results or of rejected rows.

    Raises
    ------
    SinkError
        If the block raises `OSError`.
    """
    try:
        yield
    except OSError as error:
        message = f'the sink can\'t be written: {joined_lines(error)}; once it can, mode="resume" keeps what is done'
        raise SinkError(folder, message) from error


def probe_folder(filesystem: pf.FileSystem, folder: str, tag: str) -> None:
    """Create a folder, and write and delete a file in it."""
    path = f"{folder}/.{tag}-probe.part"
    filesystem.create_dir(folder, recursive=True)
    try:
        with filesystem.open_output_stream(path) as stream:
            stream.write(b"probe")
    except BaseException:  # a full disk, Ctrl-C
        with contextlib.suppress(OSError):
            filesystem.delete_file(path)
        raise
    filesystem.delete_file(path)


def is_part(path: str) -> bool:
    """Return whether a path is that of a temporary file."""
    name = path.rpartition("/")[2]
    return name.startswith(".") and name.endswith(".part")


def open_sink(  # noqa: PLR0913  (what a job says of its sink)
    sink: Any,
    source: Source,
    transform: str,
    options: dict[str, Any],
    partition_by: tuple[str, ...] = (),
    filesystem: Any = None,
    storage_options: Mapping[str, str] | None = None,
    *,
    lake: LakeFacts | None = None,
    lake_link: str = "",
) -> Sink:
    """Create the sink of a job.

    Parameters
    ----------
    sink : str or path
        A folder, which need not exist.
    source : Source
        The input; source and sink must not overlap.
    transform : str
        The fingerprint of the function and its options.
    options : dict
        Options of `arrowjag.write_parquet`.
    partition_by : tuple of str
        Columns of the results that become folders.
    filesystem : optional
        File system of the sink.
    storage_options : mapping, optional
        Options of the store.
    lake : LakeFacts, optional
        The table whose folder the sink is.
    lake_link : str
        The URL of the table.

    Returns
    -------
    Sink
        The sink; this function writes nothing.

    Raises
    ------
    JagValueError
        If sink and source overlap, or the sink is a file.
    """
    stores = dict(storage_options or {})
    link = sink if filesystem is None and isinstance(sink, str) and "://" in sink else ""
    filesystem, folder = locate_sink(sink, filesystem, stores)
    refuse_sidecar(folder, f"the sink {sink}")
    if "/" not in folder.strip("/") and _has_buckets(filesystem):
        raise JagValueError(f"the sink {sink} is a whole bucket: name a folder in it; leases and records are stored beside that")
    if not folder:
        raise JagValueError(f"the sink {sink} is the root of a file system: name a folder")
    refuse_long_names(filesystem, folder, sink)
    kind = filesystem.get_file_info(folder).type
    if kind not in (pf.FileType.NotFound, pf.FileType.Directory):
        raise JagValueError(f"the sink {sink} is {'a file' if kind == pf.FileType.File else 'a device'}: name a folder")
    if lake is not None and lake.keeps_keys and partition_by and options.get("write_statistics", True) is not True:
        raise JagValueError("write: Iceberg takes partition values from the statistics of files; leave out write_statistics")
    table = table_at(filesystem, folder) if lake is None else None
    if table is not None:
        raise TableFolderError(filesystem, *table, is_root=True)
    is_of_table = lake is not None and source.table  # a job may read a version of the table to which it writes
    if not is_of_table and filesystem == source.filesystem and overlaps(filesystem, folder, source):
        raise JagValueError(f"the sink {sink} and the source lie in one folder: results would be read as input")
    link = link if lake is None else lake_link
    return Sink(filesystem, folder, source.root, transform, options, partition_by, lake=lake, link=link, stores=stores)


def locate_sink(sink: Any, filesystem: Any, stores: Mapping[str, str]) -> tuple[pf.FileSystem, str]:
    """Return the file system and the folder of a sink, without symbolic links: one lease, whatever links lead to it."""
    filesystem, path = locate_file(sink, filesystem, stores, "the sink")
    path = path.rstrip("/")
    return filesystem, RealPaths(filesystem).of(path) if path else ""


def refuse_long_names(filesystem: pf.FileSystem, folder: str, sink: Any) -> None:
    """Raise if the local file system has no room for a name in a path, or for that of the folder beside it.

    Parameters
    ----------
    filesystem : pyarrow.fs.FileSystem
        The file system of the sink; others than local ones are not asked.
    folder : str
        The folder of results.
    sink : object
        The folder as the caller named it, for messages.

    Raises
    ------
    JagValueError
        The message has the name, its number of bytes, and the maximum.
    """
    local = local_path(filesystem, folder)
    if local is None or not hasattr(os, "pathconf"):
        return
    above = os.path.dirname(local)  # noqa: PTH120 - a str is faster, and Path raises for long names
    while not os.path.exists(above):  # noqa: PTH110
        above = os.path.dirname(above)  # noqa: PTH120
    most = os.pathconf(above, "PC_NAME_MAX")
    names = f"{local}{SIDECAR}"[len(above) :].strip("/").split("/")
    long = next((name for name in names if len(os.fsencode(name)) > most), None)
    if long is not None:
        why = f", and leases and records lie beside it in a folder with {len(SIDECAR)} more" if long == names[-1] else ""
        long = long.removesuffix(SIDECAR) if why else long
        raise JagValueError(
            f"the sink {brief(str(sink))}: its file system takes names of at most {most} bytes, {brief(long)} has "
            f"{len(os.fsencode(long))}{why}: take a shorter name"
        )


def _has_buckets(filesystem: pf.FileSystem) -> bool:
    """Return whether the first component of a path is a bucket."""
    protocol = getattr(fsspec_of(filesystem), "protocol", ())
    names = {protocol} if isinstance(protocol, str) else {*protocol}
    return filesystem.type_name in {"s3", "gcs", "abfs"} or bool(names & {"s3", "gs", "gcs", "az", "abfs"})


def overlaps(filesystem: pf.FileSystem, folder: str, source: Source) -> bool:
    """Return whether the folder holds files of the source, or a search for the source would find results in the folder."""
    real = RealPaths(filesystem)
    below = real.of(folder) + "/"
    if any(path.startswith(below) for path in source.real_paths):
        return True
    named = [(search, start) for search in source.searches if _meet(below, start := real.of(search.folder))]
    return any(search.finds(below + piece.target, real) for search, real in named for piece in source.pieces)


def _meet(below: str, folder: str) -> bool:
    """Return whether one of two folders lies in the other; the first ends with a slash."""
    start = folder.rstrip("/") + "/"
    return below.startswith(start) or start.startswith(below)


def refuse_files(sink: Sink) -> None:
    """Raise if the sink holds files, as ``mode="create"`` requires.

    Parameters
    ----------
    sink : Sink
        The folder.

    Raises
    ------
    JagValueError
        If the sink holds files; the message names the first.
    """
    first = next((info.path for info in sink.infos() if not is_part(info.path)), None)
    if first is not None:
        raise JagValueError(
            f'the sink holds files, for example {first}: mode="resume" keeps what is done, mode="replace" deletes all Parquet files'
        )


def prepare(sink: Sink, source: Source, mode: str, missing_inputs: str = "keep", *, delete: bool = True) -> list[list[Result]]:
    """Find the finished results of this job and delete stale ones. The caller must hold the lease.

    Parameters
    ----------
    sink : Sink
        The folder.
    source : Source
        The input with all of its pieces.
    mode : {"create", "resume", "replace"}
        How to treat existing files.
    missing_inputs : {"keep", "drop", "error"}
        How to treat results whose input is no longer in the source.
    delete : bool
        Whether to delete stale results.

    Returns
    -------
    list of list of Result
        The files of each finished task.

    Raises
    ------
    JagValueError
        If the sink holds files that `mode` doesn't allow; the message names the first.
    """
    if mode == "create":
        refuse_files(sink)
    paths = [info.path for info in sink.infos()]
    real = RealPaths(sink.filesystem)
    is_shared = sink.filesystem == source.filesystem
    shared = next((path for path in paths if real.of(path) in source.real_paths), None) if is_shared else None
    if shared is not None:
        raise JagValueError(f"the sink holds {shared}, which is a file of the source: take another folder")
    results = [path for path in paths if not is_part(path)]
    if mode == "resume":
        survey = Survey(sink, source, missing_inputs)
        kept, stale = survey.split(sink.results(results))
    else:
        kept, stale = [], [path for path in results if path.endswith(".parquet")]
    if delete:
        sink.remove(path for path in paths if is_part(path))
        sink.remove(stale)
    return kept


class Survey:
    """Classifies results as current, stale or foreign."""

    def __init__(self, sink: Sink, source: Source, missing_inputs: str) -> None:
        self._sink, self._missing = sink, missing_inputs
        self._known = {piece.input for piece in source.pieces}
        self._files = {piece.file for piece in source.pieces}
        self._targets = {piece.target for piece in source.pieces}
        self._roots = {sink.root}

    def split(self, results: list[Result]) -> tuple[list[list[Result]], list[str]]:
        """Return the files of finished tasks, and the paths to delete."""
        # A source that has moved is recognised by those of its files that are unchanged.
        self._roots |= {result.root for result in results if any(digest in self._known for digest, _ in result.inputs)}
        tasks: dict[tuple[Any, ...], list[Result]] = {}
        stale: list[str] = []
        for result in results:
            is_current = self._is_current(result)
            # One without rows lies outside of the partition folders if no task had rows when it was written.
            if is_current and (self._sink.keys_of(result.path) or not self._sink.cuts):
                tasks.setdefault((result.run, result.inputs, result.files), []).append(result)
            elif is_current or self._is_ours(result):
                stale.append(result.path)
        kept: list[list[Result]] = []
        done: set[str] = set()
        for (_, inputs, files), parts in tasks.items():
            digests = {digest for digest, _ in inputs}
            if len(parts) == len(files) and not digests & done:
                kept.append(parts)
                done |= digests
            else:
                stale += [part.path for part in parts]
        return kept, stale

    def _is_current(self, result: Result) -> bool:
        """Return whether this job would write the same result, compared for those inputs that still exist."""
        below = result.path[len(self._sink.folder) + 1 :]
        if below not in result.files or not result.inputs:
            return False
        gone = [file for _, file in result.inputs if file not in self._files]
        unchanged = all(digest in self._known for digest, file in result.inputs if file in self._files)
        if not gone:
            return unchanged and result.transform == self._sink.transform
        if result.root != self._sink.root:
            return False
        if self._missing == "drop":
            return False
        if self._missing == "error":
            raise JagValueError(
                f'the sink holds results of {gone[0]} in {result.path}, which is no longer in the source: missing_inputs="keep" '
                'keeps them, missing_inputs="drop" deletes them'
            )
        if unchanged and result.transform == self._sink.transform:
            return True
        how = "of other files, which were replaced" if not unchanged else "they were made by another function or options"
        raise JagValueError(
            f"{result.path} holds results of {gone[0]}, which is no longer in the source, and {how}: "
            'missing_inputs="drop" deletes them, or take another sink'
        )

    def _is_ours(self, result: Result) -> bool:
        """Return whether this job may delete a result; raise if the file belongs to another source or program."""
        below = result.path[len(self._sink.folder) + 1 :]
        is_named = below in self._targets or any(file in self._files for _, file in result.inputs)
        if is_named and (result.root in self._roots or result.schema is None):  # a result without a schema is damaged
            return True
        if result.root == self._sink.root and self._missing == "drop":
            return True
        if not result.path.endswith(".parquet"):
            return False
        other = f" from the source {result.root}, and this job reads {self._sink.root}" if is_named else ""
        whose = f"results of {result.inputs[0][1]}{other}" if result.inputs else "rows of another kind"
        raise JagValueError(f'the sink holds {whose} in {result.path}: take another sink, or mode="replace"')
