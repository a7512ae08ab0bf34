"""Atomic writes: a local temporary, moved in after a clean close; one put where there is nothing to move."""

from __future__ import annotations

import contextlib
import os
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.fs as pf

from arrowjag.errors import JagValueError

__all__ = ["atomic_path", "atomic_target", "local_path", "part_prefix"]


@contextlib.contextmanager
def atomic_path(target: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary path that becomes the target when the block ends well, and vanishes when it does not.

    A reader sees the old file or the new one at any moment, and so does whoever comes after a crash: the temporary is flushed
    to disk before it takes the target's name, in one step of the file system. A process that is killed may leave a hidden
    temporary beside the target, which no reader of folders takes for data.

    Parameters
    ----------
    target : path
        A local file; if it is a link, the file that it leads to. A file that is there leaves its permissions to the new one.

    Yields
    ------
    Path
        In the same folder, hidden, ending in ``.part``.

    Raises
    ------
    IsADirectoryError
        If the target is a folder.
    JagValueError
        If it is a device, a pipe or a socket: a file in its place would take it away from everybody.

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
    if final.exists() and not final.is_file():
        raise JagValueError(f"{final} is a device, a pipe or a socket: give the name of a file")
    temporary = final.with_name(f"{part_prefix(final.name)}{uuid.uuid4().hex}.part")
    rights = final.stat().st_mode & 0o777 if final.exists() else None
    try:
        if rights is not None:  # nobody may read the new file, not even half of it, who might not read the old one
            temporary.touch(mode=0o600)
            temporary.chmod(rights | 0o600)
        yield temporary
        if rights is not None and temporary.exists() and not temporary.stat().st_size:
            temporary.unlink()  # nothing was written: what was touched above must not take the place of the file
        _flush(temporary)
        if rights is not None:
            temporary.chmod(rights)
        temporary.replace(final)
        _flush_folder(final.parent)
    finally:
        temporary.unlink(missing_ok=True)


def part_prefix(name: str) -> str:
    """How the names of temporaries of a file begin; names of files have at most 255 bytes."""
    return f".{os.fsencode(name)[:200].decode(errors='ignore')}."


def _flush(path: Path) -> None:
    with path.open("rb+") as handle:
        os.fsync(handle.fileno())


def _flush_folder(folder: Path) -> None:
    """Make the new name last; not every system lets a folder be opened, and there the name lasts when the system wants."""
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
def atomic_target(filesystem: pf.FileSystem, path: str) -> Iterator[Path]:
    """A local temporary path whose file appears at a path of any file system when the block ends well.

    Parameters
    ----------
    filesystem : pyarrow.fs.FileSystem
        Where to write. On local ones, also below folders or behind fsspec, a temporary is moved in. Elsewhere the whole
        file is put at once: object stores show an object when it is complete.
    path : str
        A file there.

    Yields
    ------
    Path
        A local file to write.
    """
    local = local_path(filesystem, path)
    if local is not None:
        with atomic_path(local) as temporary:
            yield temporary
        return
    with tempfile.TemporaryDirectory(prefix="arrowjag-") as folder:
        temporary = Path(folder) / "file.part"
        yield temporary
        _put(filesystem, path, temporary)


def _put(filesystem: pf.FileSystem, path: str, source: Path) -> None:
    """Send a file in one call, so that no exception of ours can end it half way: closing a stream publishes what it holds."""
    foreign = _fsspec_of(filesystem)
    if foreign is not None:
        foreign.pipe_file(path, source.read_bytes())
        return
    with pa.memory_map(str(source)) as mapped:
        content = mapped.read_buffer()
    with filesystem.open_output_stream(path) as stream:
        stream.write(content)


def _fsspec_of(filesystem: pf.FileSystem) -> Any:
    """The fsspec file system behind pyarrow's bridge, or None."""
    handler = filesystem.handler if isinstance(filesystem, pf.PyFileSystem) else None
    return handler.fs if isinstance(handler, pf.FSSpecHandler) else None


def local_path(filesystem: pf.FileSystem, path: str) -> str | None:
    """The path on this machine that a file system means.

    Parameters
    ----------
    filesystem : pyarrow.fs.FileSystem
        Local, a folder of a local one, or fsspec's local one.
    path : str
        A path there.

    Returns
    -------
    str or None
        None where the file lies elsewhere.

    Examples
    --------
    >>> local_path(pf.SubTreeFileSystem("/data", pf.LocalFileSystem()), "a.parquet")
    '/data/a.parquet'
    """
    if isinstance(filesystem, pf.SubTreeFileSystem):
        return local_path(filesystem.base_fs, filesystem.base_path.rstrip("/") + "/" + path.lstrip("/"))
    if isinstance(filesystem, pf.LocalFileSystem):
        return path
    protocol = getattr(_fsspec_of(filesystem), "protocol", ())
    return path if "file" in ((protocol,) if isinstance(protocol, str) else protocol) else None
