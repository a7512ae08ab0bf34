"""The folder ``<sink>._arrowjag`` beside a sink, which holds the leases and records of runs.

The folder is not inside the sink, because readers treat all files of the sink as data.
"""

from __future__ import annotations

import contextlib
import logging
import os
import time
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow.fs as pf

from arrowjag.errors import JagValueError
from arrowjag.io._atomic import atomic_target, fsspec_of, local_path, part_prefix, put, writing
from arrowjag.io._damage import reading
from arrowjag.io._locate import SIDECAR
from arrowjag.io._stores import object_store

__all__ = ["RECORD", "Sidecar", "refuse_sidecar"]

#: Prefix of the names of records.
RECORD = "run-"

_LOG = logging.getLogger("arrowjag.etl")
_SECONDS_TO_SETTLE = 1.0
# Without them obstore tries for three minutes to find credentials.
_LIMITS = {"timeout": "10s", "connect_timeout": "5s", "max_retries": "2"}


@dataclass(frozen=True)
class Sidecar:
    """Reads and writes small files beside a sink; can be pickled and sent to workers.

    Parameters
    ----------
    filesystem : pyarrow.fs.FileSystem
        File system of the sink.
    sink : str
        The folder of results.
    link : str
        The URL of the sink, if the caller gave one.
    options : dict
        Options of its store.
    """

    filesystem: pf.FileSystem
    sink: str
    link: str = field(default="", compare=False)
    options: dict[str, str] = field(default_factory=dict, compare=False, repr=False)

    @property
    def folder(self) -> str:
        """The path of the folder."""
        return self.sink + SIDECAR

    @property
    def is_exclusive(self) -> bool:
        """Whether the file system creates a file atomically, and only if it is absent."""
        return local_path(self.filesystem, self.folder) is not None or self._s3fs() is not None or self._store() is not None

    def _s3fs(self) -> Any:
        """The s3fs file system behind pyarrow's bridge, which supports create-if-absent; None for others."""
        found = fsspec_of(self.filesystem)
        protocol = getattr(found, "protocol", ())
        return found if "s3" in ((protocol,) if isinstance(protocol, str) else protocol) else None

    def _store(self) -> Any:
        """The store of obstore, which supports create-if-absent; None if it is not installed, or for other file systems."""
        if not self.link or fsspec_of(self.filesystem) is not None:
            return None
        return object_store(self.link, _LIMITS | self.options)

    def names(self, prefix: str) -> list[str]:
        """Return the sorted names of files with a prefix; an empty list if the folder doesn't exist."""
        local = local_path(self.filesystem, self.folder)
        if local is not None:
            try:
                return sorted(name for name in os.listdir(local) if name.startswith(prefix) and name.endswith(".json"))  # noqa: PTH208
            except (FileNotFoundError, NotADirectoryError):
                return []
        infos = self.filesystem.get_file_info(pf.FileSelector(self.folder, allow_not_found=True))
        return sorted(info.base_name for info in infos if info.base_name.startswith(prefix) and info.base_name.endswith(".json"))

    def remove_parts(self) -> None:
        """Delete temporary files that killed runs have left; the caller must hold the lease. Only local folders have any."""
        local = local_path(self.filesystem, self.folder)
        for name in [] if local is None else os.listdir(local):  # noqa: PTH208
            if name.startswith(".") and name.endswith(".part"):
                with contextlib.suppress(OSError):
                    os.unlink(f"{local}/{name}")  # noqa: PTH108 - a str is faster

    def read(self, name: str) -> bytes:
        """Return the content of a file; empty if the file is gone."""
        path = f"{self.folder}/{name}"
        try:
            with reading(path, "can't be read"), self.filesystem.open_input_stream(path) as stream:
                return bytes(stream.read())
        except FileNotFoundError:
            return b""

    def create(self, name: str, content: bytes) -> bool:
        """Create a file if it is absent.

        Returns
        -------
        bool
            False if another process has created it. On file systems without atomic create-if-absent, the last of several
            processes that try within about a second wins.
        """
        self.filesystem.create_dir(self.folder, recursive=True)
        local, s3, store = local_path(self.filesystem, f"{self.folder}/{name}"), self._s3fs(), self._store()
        if store is not None:
            created = self._create_in(store, name, content)
            return self._claim(name, content) if created is None else created
        if s3 is not None:
            return _create_in_s3(s3, f"{self.folder}/{name}", content)
        if local is None:
            return self._claim(name, content)
        return _create_local(local, content)

    def _create_in(self, store: Any, name: str, content: bytes) -> bool | None:
        """Create a file by obstore; None if obstore can't reach the store with credentials that pyarrow found."""
        import obstore

        key = f"{self.folder}/{name}".partition("/")[2]
        try:
            obstore.put(store, key, content, mode="create")
        except obstore.exceptions.AlreadyExistsError:
            return False
        except obstore.exceptions.BaseError as error:
            text = str(error).strip().partition("\n")[0]
            _LOG.warning(
                "%s: obstore can't create the lease atomically: give storage_options with credentials (%s)", self.folder, text
            )
            return None
        return True

    def _claim(self, name: str, content: bytes) -> bool:
        if self.read(name):
            return False
        claim = content.rstrip() + b"\n" + uuid.uuid4().hex.encode()
        put(self.filesystem, f"{self.folder}/{name}", claim)
        time.sleep(_SECONDS_TO_SETTLE)
        return self.read(name) == claim

    def overwrite(self, name: str, content: bytes) -> None:
        """Overwrite a file in place with content of the same length; don't create the file if it is gone."""
        local = local_path(self.filesystem, f"{self.folder}/{name}")
        if local is None:
            put(self.filesystem, f"{self.folder}/{name}", content)
            return
        handle = os.open(local, os.O_WRONLY)
        try:
            os.write(handle, content)
        finally:
            os.close(handle)

    def write(self, name: str, content: bytes) -> None:
        """Write a file atomically."""
        self.filesystem.create_dir(self.folder, recursive=True)
        with atomic_target(self.filesystem, f"{self.folder}/{name}") as temporary:
            Path(temporary).write_bytes(content)


def refuse_sidecar(folder: str, name: str) -> None:
    """Raise if a folder lies in the folder beside a sink, in which the jobs of that sink delete files.

    Parameters
    ----------
    folder : str
        A path without symbolic links.
    name : str
        The folder as the caller named it, for messages.
    """
    if any(part.endswith(SIDECAR) for part in folder.split("/")):
        raise JagValueError(
            f"{name} lies in a folder *{SIDECAR}, which holds the leases, records and rejected rows of a sink: take another folder"
        )


def _create_in_s3(store: Any, path: str, content: bytes) -> bool:
    with reading(path, "can't be written"):
        try:
            store.pipe_file(path, content, mode="create")
        except FileExistsError:
            return False
    return True


def _create_local(path: str, content: bytes) -> bool:
    """Create a local file with its content if it is absent.

    The file is linked to its name once it is complete: a process that is killed before leaves a temporary, but no lease without
    an owner, for whose heartbeat the next run would wait.
    """
    folder, _, name = path.rpartition("/")
    temporary = f"{folder}/{part_prefix(name)}{uuid.uuid4().hex[:16]}.part"
    try:
        with writing(path):
            _write_new(temporary, content)
        try:
            os.link(temporary, path)
        except FileExistsError:
            return False
        except OSError:  # a file system without links: another process may see the file before its content
            return _is_new(path, content)
    finally:
        with contextlib.suppress(OSError):
            os.unlink(temporary)  # noqa: PTH108 - a str is faster
    return True


def _is_new(path: str, content: bytes) -> bool:
    try:
        _write_new(path, content)
    except FileExistsError:
        return False
    return True


def _write_new(path: str, content: bytes) -> None:
    """Write a file that doesn't exist; on failure, such as a full disk or Ctrl-C, remove it."""
    handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(handle)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(path)  # noqa: PTH108 - a str is faster
        raise
