"""Python files that pyarrow reads, and the wait for its threads when the interpreter ends.

A thread of pyarrow may drop the last reference to a Python file after the read has returned, and takes the GIL for that. If the
interpreter ends meanwhile, CPython ends that thread, and the process aborts with "terminate called without an active exception";
Python 3.14 blocks the thread instead. On a busy machine, 9 of 120 short programs that read a file object with pyarrow 22 aborted.
"""

from __future__ import annotations

import atexit
import errno
import io
import os
import time
import weakref
from typing import Any

import pyarrow as pa
import pyarrow.fs as pf

from arrowjag.errors import JagTypeError
from arrowjag.io._damage import reading

__all__ = ["open_python_file", "python_filesystem"]

_SECONDS = 1.0
"""How long the process waits when it ends: enough for a thread that has work left, short for a reader that is never closed."""

_SECONDS_FOR_BUFFERS = 0.02
"""How long the process then waits for threads to release their buffers, which also takes the GIL and cannot be observed."""

_held: weakref.WeakKeyDictionary[_HeldFile, weakref.ref[pa.PythonFile]] = weakref.WeakKeyDictionary()


class _HeldFile:
    """A file that only pyarrow refers to, so that its end shows when pyarrow has dropped it."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


class _WrittenFile(_HeldFile):
    """A file that gets unsigned bytes: pyarrow writes its buffers, whose bytes are signed, and files of obstore refuse these.

    Many stores answer only when the file is closed. Their errors are of any class, and all of them become an `OSError`.
    """

    def __init__(self, file: Any, path: str) -> None:
        super().__init__(file)
        self._path = path

    def write(self, data: Any) -> Any:
        with reading(self._path, "can't be written"):
            return self._file.write(memoryview(data).cast("B"))

    def close(self) -> None:
        with reading(self._path, "can't be written"):
            self._file.close()


def open_python_file(file: Any) -> pa.PythonFile:
    """Return a Python file for pyarrow's readers.

    Parameters
    ----------
    file : file-like
        A binary file that is open for reading.

    Returns
    -------
    pa.PythonFile
        The file; the end of the process waits until no thread of pyarrow holds it.

    Raises
    ------
    JagTypeError
        If the file is open for text.
    """
    if isinstance(file, io.TextIOBase):
        raise JagTypeError("the file is open for text: open it in binary mode")
    if not _held:
        atexit.unregister(_wait_for_threads)
        atexit.register(_wait_for_threads)
    held = _HeldFile(file)
    opened = pa.PythonFile(held, mode="r")
    _held[held] = weakref.ref(opened)
    return opened


def python_filesystem(filesystem: Any) -> pf.PyFileSystem:
    """Return a file system of fsspec as one of pyarrow.

    Parameters
    ----------
    filesystem : fsspec.AbstractFileSystem
        The file system.

    Returns
    -------
    pf.PyFileSystem
        Its files are opened by `open_python_file`, and get unsigned bytes; folders are listed anew.
    """
    return pf.PyFileSystem(_Handler(filesystem))


class _Handler(pf.FSSpecHandler):  # type: ignore[misc]  # pyarrow has no annotations
    """The methods of pyarrow's bridge, with errors that name the path.

    pyarrow's own takes a folder that can't be listed, because the store fails or does not answer, for one that does not exist.
    """

    def get_file_info(self, paths: list[str]) -> list[pf.FileInfo]:
        return [self._info(path) for path in paths]

    def _info(self, path: str) -> pf.FileInfo:
        with reading(path):
            return super().get_file_info([path])[0]

    def get_file_info_selector(self, selector: pf.FileSelector) -> list[pf.FileInfo]:
        """List a folder as the store has it now: file systems keep listings, those of S3 until the process ends."""
        base = selector.base_dir
        with reading(base):
            self.fs.invalidate_cache(base)
            try:
                found = self.fs.info(base)
            except FileNotFoundError:
                if selector.allow_not_found:
                    return []
                raise
            if found["type"] != "directory":
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), base)
            infos = _infos_below(self.fs, base, selector.recursive)
            return [self._create_file_info(info["name"], info) for info in infos if info["name"].strip("/") != base.strip("/")]

    def create_dir(self, path: str, recursive: bool) -> None:
        with reading(path, "can't be created"):
            super().create_dir(path, recursive)

    def delete_file(self, path: str) -> None:
        with reading(path, "can't be deleted"):
            self.fs.info(path)  # rm of some file systems ignores a missing file
            self.fs.rm(path)

    def open_input_stream(self, path: str) -> pa.PythonFile:
        with reading(path):
            return super().open_input_stream(path)

    def open_input_file(self, path: str) -> pa.PythonFile:
        with reading(path):
            if self.fs.info(path)["type"] == "directory":
                raise FileNotFoundError(path)
            return open_python_file(self.fs.open(path, mode="rb"))

    def open_output_stream(self, path: str, metadata: Any) -> pa.PythonFile:
        del metadata
        with reading(path, "can't be written"):
            return pa.PythonFile(_WrittenFile(self.fs.open(path, mode="wb"), path), mode="w")


def _infos_below(filesystem: Any, folder: str, is_recursive: bool) -> list[dict[str, Any]]:
    """List a folder in the order of paths; raise if one below can't be listed, which the general `find` of fsspec leaves out."""
    kind = type(filesystem)
    find = getattr(kind, "_find", None) or kind.find
    if find.__module__ not in ("fsspec.spec", "fsspec.asyn"):
        found = filesystem.find(folder, maxdepth=None if is_recursive else 1, withdirs=True, detail=True)
        return [info | {"name": path} for path, info in found.items()]
    infos: dict[str, dict[str, Any]] = {}
    waiting = [folder]
    while waiting:
        place = waiting.pop()
        below = {info["name"].rstrip("/"): info for info in _list(filesystem, place, may_be_gone=place != folder)}
        waiting += [path for path, info in below.items() if is_recursive and info["type"] == "directory" and path not in infos]
        infos |= below
    return [infos[path] | {"name": path} for path in sorted(infos)]


def _list(filesystem: Any, folder: str, *, may_be_gone: bool) -> list[dict[str, Any]]:
    try:
        return list(filesystem.ls(folder, detail=True))
    except FileNotFoundError:
        if may_be_gone:  # another process has deleted it meanwhile
            return []
        raise


def _wait_for_threads() -> None:
    """Let threads of pyarrow drop the files whose readers are gone; the GIL is free meanwhile."""
    end = time.monotonic() + _SECONDS
    while any(opened() is None for opened in list(_held.values())) and time.monotonic() < end:
        time.sleep(0.001)
    time.sleep(_SECONDS_FOR_BUFFERS)
