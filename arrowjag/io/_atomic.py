"""Atomic writes: rename a complete temporary on local file systems; upload the complete file in one call elsewhere."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import stat
import tempfile
import uuid
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Self

import pyarrow as pa
import pyarrow.fs as pf

from arrowjag.errors import JagValueError
from arrowjag.io._damage import reading

__all__ = [
    "Together",
    "atomic_path",
    "atomic_target",
    "fsspec_of",
    "local_path",
    "part_prefix",
    "put",
    "refuse_device",
    "remove_temporaries",
    "writing",
]


class _Complete(NamedTuple):
    """A complete temporary, the path that it is to get, and the permissions of the file that it replaces there."""

    temporary: Path
    final: Path
    rights: int | None


class Together:
    """Complete files that get their names together: the disk is waited for once for all of them, not once for each.

    A context manager: the end of the block deletes what `publish` has not published.
    """

    def __init__(self) -> None:
        self._files: list[_Complete] = []
        self._uploads: list[Callable[[], None]] = []
        self._left = contextlib.ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        files, self._files, self._uploads = self._files, [], []
        for file in files:
            file.temporary.unlink(missing_ok=True)
        self._left.close()

    def __len__(self) -> int:
        return len(self._files) + len(self._uploads)

    def add(self, file: _Complete) -> None:
        """Take over a local file."""
        file.temporary.stat()  # nothing was written: an error of the block, not of `publish`
        self._files.append(file)

    def add_upload(self, upload: Callable[[], None], cleanup: contextlib.ExitStack) -> None:
        """Take over an upload, and what to do after it."""
        self._left.push(cleanup)
        self._uploads.append(upload)

    def publish(self) -> None:
        """Give all files their names.

        Raises
        ------
        OSError
            If the disk or a store fails. Each file is then published completely or not at all.
        """
        _publish(self._files)
        self._files = []
        while self._uploads:
            self._uploads.pop(0)()
        self._left.close()


@contextlib.contextmanager
def atomic_path(
    target: str | os.PathLike[str], tag: str = "", *, may_be_empty: bool = False, together: Together | None = None
) -> Iterator[Path]:
    """Yield a temporary path; rename it to the target if the block succeeds, and delete it if the block raises.

    At any moment, and after a crash, readers see either the old file or the new one: the temporary is flushed to disk and then
    renamed atomically. A killed process may leave a hidden temporary beside the target, which readers of folders ignore.

    Parameters
    ----------
    target : path
        A local file, or a symbolic link, which is followed. The new file takes the permissions of an existing one.
    tag : str
        Part of the name of the temporary, to identify its writer.
    may_be_empty : bool
        Whether an empty file is a file of the format; otherwise one that nothing was written to raises FileNotFoundError.
    together : Together, optional
        Files that get their names together, to which this one is added; by default it gets its name at the end of the block.

    Yields
    ------
    Path
        A hidden path in the same folder that ends in ``.part``.

    Raises
    ------
    IsADirectoryError
        If the target is a folder.
    FileNotFoundError
        If its folder does not exist.
    JagValueError
        If the target is a device, a pipe or a socket, which a rename would replace for all processes.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomic_path(folder + "/a.txt") as part:
    ...         _ = part.write_text("whole")
    ...     [file.name for file in Path(folder).iterdir()]
    ['a.txt']
    """
    final = Path(os.path.realpath(target))
    if final.is_dir():
        raise IsADirectoryError(f"{final} is a folder: give the name of a file in it")
    refuse_device(final)
    if not final.parent.is_dir():
        raise FileNotFoundError(f"{final.parent}: no such folder; create it before {final.name} is written")
    temporary = final.with_name(f"{part_prefix(final.name)}{tag}{uuid.uuid4().hex[:16]}.part")
    rights = final.stat().st_mode & 0o777 if final.exists() else None
    try:
        if rights is not None:  # set permissions first: users who can't read the old file must not read parts of the new one
            temporary.touch(mode=0o600)
            temporary.chmod(rights | 0o600)
        yield temporary
        if rights is not None and not may_be_empty and temporary.exists() and not temporary.stat().st_size:
            temporary.unlink()  # nothing was written: the empty file touched above must not replace the target
        if together is None:
            _publish([_Complete(temporary, final, rights)])
        else:
            together.add(_Complete(temporary, final, rights))
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _publish(files: Sequence[_Complete]) -> None:
    """Flush temporaries to disk, then rename them: after a crash a name has its old content or the new one."""
    if len(files) > 1:
        for file in files:
            _begin_flush(file.temporary)
    for file in files:
        _flush(file.temporary)
        if file.rights is not None:
            file.temporary.chmod(file.rights)
    for file in files:
        file.temporary.replace(file.final)
    for folder in dict.fromkeys(file.final.parent for file in files):
        _flush_folder(folder)


def _begin_flush(path: Path) -> None:
    """Ask Linux to begin to write a file to disk: one commit of its journal then covers all files that have begun.

    Otherwise each file would be given its place on the disk, and cost a commit, when it is flushed.
    """
    if not hasattr(os, "posix_fadvise"):
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):
            os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(handle)


def refuse_device(path: str | os.PathLike[str], name: str = "") -> None:
    """Raise if a local path is a device, a pipe or a socket.

    Opening a pipe waits until another process opens its other end, and files of pyarrow have a size and are read at any place.
    """
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116 - a str is faster
    except (OSError, ValueError):  # no such file, or no permission, which opening it tells
        return
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise JagValueError(f"{name}{os.fspath(path)} is a device, a pipe or a socket: give the name of a file or folder")


@contextlib.contextmanager
def writing(path: str) -> Iterator[None]:
    """Name the file in errors of the operating system, such as a full disk, whose text has no name or that of a temporary."""
    try:
        yield
    except OSError as error:
        if error.errno is None or path in str(error):
            raise
        raise OSError(error.errno, f"{path} can't be written: {error.strerror}") from error


def part_prefix(name: str) -> str:
    """Return the prefix of the names of temporaries of a file, shortened because file names have at most 255 bytes."""
    return f".{os.fsencode(name)[:200].decode(errors='ignore')}."


def _flush(path: Path) -> None:
    with path.open("rb+") as handle:
        os.fsync(handle.fileno())


def _flush_folder(folder: Path) -> None:
    """Flush the new name to disk. Systems that can't open folders flush it when they choose to."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        with contextlib.suppress(OSError):
            os.fsync(handle)
    finally:
        os.close(handle)


@contextlib.contextmanager
def atomic_target(
    filesystem: pf.FileSystem, path: str, tag: str = "", *, may_be_empty: bool = False, together: Together | None = None
) -> Iterator[Path]:
    """Yield a local temporary path; publish its file at a path of any file system if the block succeeds.

    Parameters
    ----------
    filesystem : pyarrow.fs.FileSystem
        The file system of `path`. On local ones, also wrapped by `SubTreeFileSystem` or fsspec, the temporary is renamed.
        Elsewhere the whole file is uploaded in one call: object stores publish an object once it is complete.
    path : str
        The file to write.
    tag : str
        Part of the name of a temporary beside it.
    may_be_empty : bool
        Whether an empty file is a file of the format.
    together : Together, optional
        Files that are published together, to which this one is added.

    Yields
    ------
    Path
        A local file to write.
    """
    local = local_path(filesystem, path)
    if local is not None:
        with atomic_path(local, tag, may_be_empty=may_be_empty, together=together) as temporary:
            yield temporary
        return
    with contextlib.ExitStack() as stack:
        temporary = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix=_folder_prefix(os.getpid())))) / "file.part"
        yield temporary
        if together is None:
            _put(filesystem, path, temporary)
        else:
            together.add_upload(partial(_put, filesystem, path, temporary), stack.pop_all())


def _folder_prefix(pid: int) -> str:
    return f"arrowjag-{socket.gethostname()}-{pid}-"  # containers may share the folder of temporaries


def remove_temporaries(pid: int) -> None:
    """Delete the files that a process was about to upload when it was killed.

    Parameters
    ----------
    pid : int
        The id of a process that has ended.
    """
    for folder in Path(tempfile.gettempdir()).glob(f"{_folder_prefix(pid)}*"):
        shutil.rmtree(folder, ignore_errors=True)


def _put(filesystem: pf.FileSystem, path: str, source: Path) -> None:
    if fsspec_of(filesystem) is not None or not source.stat().st_size:  # an empty file has nothing to map
        put(filesystem, path, source.read_bytes())
        return
    with pa.memory_map(str(source)) as mapped:
        put(filesystem, path, mapped.read_buffer())


def put(filesystem: pf.FileSystem, path: str, content: bytes | pa.Buffer) -> None:
    """Write a file of a store in one call: if an exception interrupted a stream, closing the stream would publish a truncated file.

    Parameters
    ----------
    filesystem : pyarrow.fs.FileSystem
        A file system that is not local.
    path : str
        The file.
    content : bytes or pa.Buffer
        All of it.

    Raises
    ------
    OSError
        If the store refuses or fails, whatever class its errors have.
    """
    foreign = fsspec_of(filesystem)
    with reading(path, "can't be written"):
        if foreign is not None:
            foreign.pipe_file(path, content if isinstance(content, bytes) else content.to_pybytes())
            return
        with filesystem.open_output_stream(path) as stream:
            stream.write(content)


def fsspec_of(filesystem: pf.FileSystem) -> Any:
    """Return the fsspec file system that pyarrow's bridge wraps.

    Parameters
    ----------
    filesystem : pyarrow.fs.FileSystem
        Any.

    Returns
    -------
    object or None
        None for pyarrow's own file systems.
    """
    handler = filesystem.handler if isinstance(filesystem, pf.PyFileSystem) else None
    return handler.fs if isinstance(handler, pf.FSSpecHandler) else None


def local_path(filesystem: pf.FileSystem, path: str) -> str | None:
    """Return the local path of a file.

    Parameters
    ----------
    filesystem : pyarrow.fs.FileSystem
        Any file system.
    path : str
        A path on it.

    Returns
    -------
    str or None
        None if the file system isn't a local one, nor a wrapper of a local one by `SubTreeFileSystem` or fsspec.

    Examples
    --------
    >>> local_path(pf.SubTreeFileSystem("/data", pf.LocalFileSystem()), "a.parquet")
    '/data/a.parquet'
    """
    if isinstance(filesystem, pf.SubTreeFileSystem):
        return local_path(filesystem.base_fs, filesystem.base_path.rstrip("/") + "/" + path.lstrip("/"))
    if isinstance(filesystem, pf.LocalFileSystem):
        return path
    protocol = getattr(fsspec_of(filesystem), "protocol", ())
    return path if "file" in ((protocol,) if isinstance(protocol, str) else protocol) else None
