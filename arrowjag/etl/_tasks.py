"""Split a dataset into pieces (files, or consecutive row groups of a file), and combine pieces into tasks."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, NoReturn
from urllib.parse import unquote

import numpy as np
import pyarrow as pa
import pyarrow.fs as pf

from arrowjag.errors import JagError, JagTypeError, JagValueError, joined_lines
from arrowjag.etl._fingerprint import digest_of, footer_digest
from arrowjag.etl.report import Failure, groups_text
from arrowjag.io._atomic import fsspec_of
from arrowjag.io._damage import reading
from arrowjag.io._files import StoredFile, has_keys, is_dataset
from arrowjag.io._locate import Located, RealPaths, Search, TableFolderError, locate, refuse_repeated
from arrowjag.io._parquet import is_parquet, open_dataset, prune_files
from arrowjag.io._scan import Part, footer_content, full_schema, in_threads, open_parts
from arrowjag.io._schemas import repeated_name
from arrowjag.io._snapshots import open_snapshot
from arrowjag.io._tables import Snapshot, is_table

__all__ = ["TASK_BYTES", "Piece", "Source", "SourceChangedError", "Task", "Where", "make_tasks", "open_source", "verify_unchanged"]

#: Target size of a task: bytes of its row groups, uncompressed.
TASK_BYTES = 256_000_000
# A task of at most this many stored bytes is one of those that a worker may get several of.
_SMALL_BYTES = 1_000_000


class State(NamedTuple):
    """Size, time and footer digest of a file, compared later to detect that the file was replaced.

    `tag` is the ETag of a file whose store gives no modification time.
    """

    size: int | None
    time: int | None
    footer: str
    tag: str | None = None


class Piece(NamedTuple):
    """Consecutive row groups of one file.

    `file` is the path of the file relative to the source, `target` the path of its results relative to the sink, and `input` the
    fingerprint of the piece.
    """

    stored: StoredFile
    file: str
    row_groups: tuple[int, ...]
    rows: int
    bytes: int
    target: str
    input: str
    state: State

    @property
    def path(self) -> str:
        """The full path of the file."""
        return self.stored.path

    @property
    def where(self) -> Where:
        """File and row groups, for messages."""
        return self.path, self.row_groups


#: A file and some of its row groups: the origin of a batch, or the location of a failure.
Where = tuple[str, tuple[int, ...]]


class Task(NamedTuple):
    """Pieces that a worker reads in sequence and writes as one result."""

    number: int
    pieces: tuple[Piece, ...]

    @property
    def target(self) -> str:
        """The path of the result, relative to the sink."""
        return self.pieces[0].target

    @property
    def rows(self) -> int:
        """Rows of its pieces."""
        return sum(piece.rows for piece in self.pieces)

    @property
    def bytes(self) -> int:
        """Bytes of the pieces as stored in the files."""
        return sum(piece.bytes for piece in self.pieces)

    @property
    def is_small(self) -> bool:
        """Whether to hand it over, or to flush its result to disk, may cost more than its work."""
        return self.bytes <= _SMALL_BYTES

    @property
    def path(self) -> str:
        """The full path of the first file."""
        return self.pieces[0].path

    @property
    def row_groups(self) -> tuple[int, ...]:
        """The row groups of the first file."""
        return self.pieces[0].row_groups

    @property
    def folders(self) -> dict[str, Any]:
        """The columns, with their values, that partition folders in the path of the result hold."""
        found = {unquote(folder.partition("=")[0]) for folder in self.target.split("/")[:-1] if "=" in folder}
        return {name: value for name, value in self.pieces[0].stored.keys.items() if name in found}

    @property
    def name(self) -> str:
        """The name of the task in messages."""
        more = len(self.pieces) - 1
        return f"{self.path}{groups_text(self.row_groups)}{f' and {more} more' if more else ''}"


@dataclass(frozen=True)
class Source:
    """The pieces of a dataset, all of its columns, the columns from partition folders, and the files that can't be read.

    Paths of files are relative to `root`, which has no symbolic links; `searches` are the folders and patterns that the caller
    named. `table` is format and version of a table of the lake; empty for files.
    """

    pieces: tuple[Piece, ...]
    root: str
    schema: pa.Schema
    partitions: pa.Schema
    filesystem: pf.FileSystem
    searches: tuple[Search, ...]
    failures: tuple[Failure, ...]
    table: str = ""

    @cached_property
    def real_paths(self) -> frozenset[str]:
        """The paths of its files without symbolic links."""
        real = RealPaths(self.filesystem)
        return frozenset(real.of(piece.path) for piece in self.pieces)


def open_source(
    source: Any,
    filters: Any = None,
    filesystem: Any = None,
    *,
    options: Mapping[str, str] | None = None,
    skip: bool = False,
) -> Source:
    """Read the footers of a dataset and split it into pieces.

    Parameters
    ----------
    source : str, path, list of them, dataset or table
        Parquet files, or a table of the lake, as for `arrowjag.read_parquet`.
    filters : optional
        Condition on rows; files that it excludes by their partition folders are omitted.
    filesystem : optional
        File system of the paths.
    options : mapping, optional
        Options of the store.
    skip : bool
        Whether to list unreadable files as failures, provided that others can be read; otherwise the first one raises an error.

    Returns
    -------
    Source
        The source, with at least one piece.

    Raises
    ------
    FileNotFoundError
        If there is no file.
    JagTypeError
        If the source is none of these.
    JagValueError
        If the source names a file twice, or a file is not a Parquet file.
    """
    snapshot = open_snapshot(source, options or {}) if is_table(source) else None
    if snapshot is None:
        try:
            found, failures = _locate(source, filesystem, options or {}, skip)
        except TableFolderError as error:
            snapshot = open_snapshot(error, options or {})
    if snapshot is not None:
        return _source_of(snapshot, skip)
    files, partitions = _files(source, found, filters)
    where = source.filesystem if found is None else found.filesystem
    parts = open_parts([file if file.fragment is None else replace(file, fragment=None) for file in files], partitions)
    folder = None if found is None or found.base is None else found.base.rstrip("/")
    base = folder or os.path.commonpath([os.path.dirname(part.name) for part in parts])  # noqa: PTH120 - paths of any file system
    names = [part.name[len(base) :].lstrip("/") for part in parts]
    twice = repeated_name(names)
    if twice is not None:
        raise JagValueError(f"the source names {twice} twice: its rows would be counted twice")
    if found is None or len(found.searches) != 1:  # `locate` has compared the files of one folder or pattern
        refuse_repeated(where, [part.name for part in parts])
    searches = () if found is None else found.searches
    pieces = _all_pieces(parts, names, where)
    root = RealPaths(where).of(base) if base else base  # one source, whatever links lead to it
    return Source(pieces, root, full_schema(parts, partitions), partitions, where, searches, failures)


def _source_of(snapshot: Snapshot, skip: bool) -> Source:
    """Return the pieces of a table; one without files has none."""
    failures: tuple[Failure, ...] = ()
    if skip:
        found = [(file, _failure(file)) for file in snapshot.files]
        failures = tuple(failure for _, failure in found if failure is not None)
        snapshot = replace(snapshot, files=[file for file, failure in found if failure is None])
    parts = snapshot.parts()
    names = [part.name[len(snapshot.root) :].lstrip("/") if part.name.startswith(snapshot.root) else part.name for part in parts]
    pieces = _all_pieces(parts, names, snapshot.filesystem, _without_keys(names))
    return Source(
        pieces, snapshot.root, snapshot.schema, snapshot.partitions, snapshot.filesystem, (), failures, table=snapshot.name
    )


def _all_pieces(parts: Sequence[Part], names: Sequence[str], where: Any, targets: Sequence[str] | None = None) -> tuple[Piece, ...]:
    infos = where.get_file_info([part.name for part in parts])
    targets = names if targets is None else targets
    stems = _stems(targets)
    pieces: list[Piece] = []
    for part, file, target, info in zip(parts, names, targets, infos, strict=True):
        pieces += _pieces_of(part, file, stems[target], info, _tag(where, info))
    return tuple(pieces)


def _without_keys(names: Sequence[str]) -> list[str]:
    """Return paths without ``key=value``: the columns of a table have their values from its log, and readers would take folders."""
    short = [name.replace("=", "-") for name in names]
    return short if len(set(short)) == len(set(names)) else [name.replace("=", "%3D") for name in names]


def make_tasks(pieces: Iterable[Piece], bytes_per_file: int | None = None) -> list[Task]:
    """Make one task per piece, or one task per group of small files of a folder.

    Parameters
    ----------
    pieces : iterable of Piece
        In order.
    bytes_per_file : int, optional
        Combine files of one folder up to this size.

    Returns
    -------
    list of Task
        Numbered from 0.
    """
    tasks: list[list[Piece]] = []
    size = 0
    for piece in pieces:
        joins = bytes_per_file is not None and tasks and size + piece.bytes <= bytes_per_file
        if joins and _folder_of(tasks[-1][-1]) == _folder_of(piece):
            tasks[-1].append(piece)
            size += piece.bytes
        else:
            tasks.append([piece])
            size = piece.bytes
    return [Task(number, tuple(group)) for number, group in enumerate(tasks)]


def _folder_of(piece: Piece) -> str:
    return piece.target.rpartition("/")[0]


def verify_unchanged(pieces: Sequence[Piece], footers: Sequence[bytes] | None = None) -> None:
    """Raise if files have changed since the driver read their footers.

    Parameters
    ----------
    pieces : sequence of Piece
        The pieces, all on one file system.
    footers : sequence of bytes, optional
        Current footers of the files, which the caller has just opened: only these are compared. Otherwise this function also reads
        the footer of a single file, or of files without modification times.

    Raises
    ------
    SourceChangedError
        If size, time or footer differ, or a file is gone.
    """
    filesystem = pieces[0].stored.filesystem
    infos: Sequence[Any] = [None] * len(pieces)
    if filesystem is not None and footers is None:
        infos = filesystem.get_file_info([piece.path for piece in pieces])
    for place, (piece, info) in enumerate(zip(pieces, infos, strict=True)):
        if info is not None:
            if info.type == pf.FileType.NotFound:
                how = "was deleted during the run, or workers can't see its file system: run again"
                raise SourceChangedError(piece, how)
            if info.size != piece.state.size:
                _raise_changed(piece, f"it had {piece.state.size} bytes, now {info.size}")
            if info.mtime_ns != piece.state.time:
                _raise_changed(piece, "it was written at another time")
            if piece.state.tag is not None and _tag(filesystem, info) != piece.state.tag:
                _raise_changed(piece, "it has another ETag")
        if footers is None and len(pieces) > 1 and (piece.state.time is not None or piece.state.tag is not None):
            continue  # for many small files, opening each once more would cost as much as reading it
        footer = footer_content(piece.stored) if footers is None else footers[place]
        if footer_digest(footer) != piece.state.footer:
            _raise_changed(piece, "it has another footer")


# The names of a content's identity in stores of fsspec, the most exact first.
_TAGS = ("etag", "e_tag", "md5hash", "generation", "oid", "blob_id", "lastmodified", "last_modified", "created")


def _tag(filesystem: Any, info: Any) -> str | None:
    """Return the ETag of a file, or what its store has in place of it; None if the file has a time, or the store gives neither."""
    foreign = fsspec_of(filesystem)
    if foreign is None or info.mtime_ns is not None:
        return None
    try:
        with reading(info.path):
            facts = {str(name).lower(): value for name, value in foreign.info(info.path).items()}
    except FileNotFoundError:
        return None
    return next((f"{name} {facts[name]}" for name in _TAGS if facts.get(name) is not None), None)


def _raise_changed(piece: Piece, how: str) -> NoReturn:
    raise SourceChangedError(piece, f"was replaced during the run ({how}): run again")


class SourceChangedError(JagError, RuntimeError):
    """A file of the source was replaced or deleted after the driver read its footer.

    Parameters
    ----------
    piece : Piece
        The piece of the file.
    text : str
        What happened to it.
    """

    def __init__(self, piece: Piece, text: str) -> None:
        super().__init__(f"{piece.path} {text}")
        self.where, self.text = piece.where, text


def _locate(source: Any, filesystem: Any, options: Mapping[str, str], skip: bool) -> tuple[Located | None, tuple[Failure, ...]]:
    """Locate the files (None for a dataset), without those unreadable ones that are to be skipped; raise if none is readable."""
    if is_dataset(source):
        return None, ()
    if not isinstance(source, (str, os.PathLike, list, tuple)):
        hint = ": write it with aj.write_parquet first" if hasattr(source, "columns") else ""
        raise JagTypeError(f"the source must be a path, a list of paths, a dataset or a table, got {type(source).__name__}{hint}")
    found = locate(source, filesystem, options, "the source")
    if not skip:
        return found, ()
    failures = in_threads(lambda path: _failure(StoredFile(path, found.filesystem)), found.paths, once_it_waits=True)
    readable = [path for path, failure in zip(found.paths, failures, strict=True) if failure is None]
    if not readable:
        return found, ()
    return found._replace(paths=readable), tuple(failure for failure in failures if failure is not None)


def _failure(file: StoredFile) -> Failure | None:
    """Return the error of reading the footer of a file, or None."""
    try:
        open_parts([file], pa.schema([]))
    except OSError as error:
        cause = error if isinstance(error, FileNotFoundError) else error.__cause__ or error
        return Failure(file.path, (), f"{type(cause).__name__}: {joined_lines(cause)}")
    return None


def _files(source: Any, found: Located | None, filters: Any) -> tuple[list[StoredFile], pa.Schema]:
    """Return the files and the columns of their partition folders."""
    if found is None:
        if not is_parquet(source):
            raise JagTypeError(f"a job reads Parquet files, got {type(source).__name__}: write it with aj.write_parquet first")
        return prune_files(source, filters)
    if not has_keys(found.paths, found.base or ""):
        return [StoredFile(path, found.filesystem) for path in found.paths], pa.schema([])
    with reading(str(source)):
        dataset = open_dataset(found, "hive")
    return prune_files(dataset, filters)


def _stems(files: Sequence[str]) -> dict[str, str]:
    """Strip the extensions of paths, except where paths would become equal."""
    short = {file: os.path.splitext(file)[0] for file in files}  # noqa: PTH122 - paths of any file system
    counts: dict[str, int] = {}
    for stem in short.values():
        counts[stem] = counts.get(stem, 0) + 1
    return {file: stem if counts[stem] == 1 else file for file, stem in short.items()}


def _pieces_of(part: Part, file: str, stem: str, info: Any, tag: str | None) -> list[Piece]:
    state = State(info.size, info.mtime_ns, footer_digest(part.content), tag)
    facts: list[Any] = [file, state.size, state.time, state.footer]
    if tag is not None:
        facts.append(tag)
    if part.file.kept is not None:
        facts.append(np.packbits(part.file.kept).tobytes())
    if part.file.defaults:
        facts.append(repr(sorted(part.file.defaults.items())))
    found = [part.footer.row_group(place) for place in range(part.footer.num_row_groups)]
    sizes = [group.total_byte_size for group in found]
    pieces: list[Piece] = []
    for groups in _runs(sizes):
        rows = sum(found[place].num_rows for place in groups)
        share = sum(sizes[place] for place in groups) / (sum(sizes) or 1)
        size = int((info.size or 0) * (share if groups else 1))
        target = f"{stem}-{groups[0] if groups else 0}.parquet"
        pieces.append(Piece(part.file, file, groups, rows, size, target, digest_of(facts, groups), state))
    return pieces


def _runs(sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Group consecutive row groups up to the size of a task; yield one empty group for a file without row groups."""
    run: list[int] = []
    total = 0
    for place, size in enumerate(sizes):
        if run and total + size > TASK_BYTES:
            yield tuple(run)
            run, total = [], 0
        run.append(place)
        total += size
    yield tuple(run)
