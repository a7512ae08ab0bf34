"""Files that hold machine code: where they lie, how they are named, written and checked.

A file that is damaged, cut off, exchanged or made for another processor counts as absent. Its name is a hash of all that decides
what the code does; it holds the same hash, the length and a checksum, so that neither a file under another's name nor part of
a file is ever run.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import struct
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

__all__ = ["Key", "folders", "is_marked_failed", "is_writable", "mark_failed", "read", "writable_folder", "write"]

_MAGIC = b"arrowjag object 1\n"
_HEADER = struct.Struct("<32s32sQ")  # the key, the SHA-256 of the code, its length

_LARGEST = 1 << 26
"""Bytes of the largest file that is read: objects have a few thousand, and a damaged file may have any number."""

_memory: dict[str, bytes] = {}
"""Code of this process that no folder takes."""


class Key:
    """The facts that determine the machine code of one function."""

    __slots__ = ("digest",)

    def __init__(self, *facts: str | bytes) -> None:
        hashed = hashlib.sha256()
        for fact in facts:
            data = fact.encode() if isinstance(fact, str) else fact
            hashed.update(struct.pack("<Q", len(data)))
            hashed.update(data)
        self.digest = hashed.digest()

    @property
    def name(self) -> str:
        """The name of the file."""
        return f"{self.digest.hex()[:40]}.jagobj"


def _user_folder() -> Path | None:
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA")
        return Path(base) / "arrowjag" / "compiled" if base else None
    base = os.environ.get("XDG_CACHE_HOME")
    if base and _expanded(base).is_absolute():  # as the specification of XDG says: another one would lie in any working folder
        return Path(base) / "arrowjag" / "compiled"
    home = os.environ.get("HOME")
    if not home:
        return None
    middle = ("Library", "Caches") if sys.platform == "darwin" else (".cache",)
    return Path(home, *middle, "arrowjag", "compiled")


def folders() -> Iterator[Path]:
    """The folders that are searched for code, in order: those of ``ARROWJAG_CACHE_DIR``, then the user's cache.

    A leading ``~`` is the home of the user: no shell replaces it in the environment of a container or a service.
    """
    named = os.environ.get("ARROWJAG_CACHE_DIR", "")
    for folder in (*filter(None, named.split(os.pathsep)), _user_folder()):
        if folder is not None:
            yield _expanded(folder)


def _expanded(folder: str | Path) -> Path:
    return Path(os.path.expanduser(folder))  # noqa: PTH111  # which keeps a user who doesn't exist; pathlib's raises


def _is_safe(info: os.stat_result) -> bool:
    """Whether only this user or root can have written a file or folder."""
    if sys.platform == "win32":
        return True
    return info.st_uid in (0, os.getuid()) and not info.st_mode & 0o022


def writable_folder() -> Path | None:
    """The first folder that takes a new file; None where none does."""
    return next(filter(is_writable, folders()), None)


def is_writable(folder: Path) -> bool:
    """Whether a folder, which is made if need be, takes a new file of this user, and of no other but root.

    All users may read one that is named: root fills the folder of an image, in which other users run programs.
    """
    own = _user_folder()
    mode = 0o700 if own is not None and folder == _expanded(own) else 0o755
    try:
        folder.mkdir(mode=mode, parents=True, exist_ok=True)
        return _is_safe(folder.stat()) and os.access(folder, os.W_OK | os.X_OK)
    except OSError:
        return False


def read(key: Key, places: Iterable[Path] | None = None) -> bytes | None:
    """The code of a key, checked, from the folders that are named or else the usual ones; None where none can be trusted."""
    if places is None and (found := _memory.get(key.name)) is not None:
        return found
    for folder in folders() if places is None else places:
        with contextlib.suppress(OSError):
            data = _trusted(folder / key.name)
            code = None if data is None else _checked(data, key)
            if code is not None:
                return code
    return None


def _trusted(path: Path) -> bytes | None:
    """The bytes of a file that only this user or root can have written; None for others, for huge ones, and for what is no file."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))  # a pipe would wait for a writer
    try:
        info = os.fstat(descriptor)
        if not stat.S_ISREG(info.st_mode) or not _is_safe(info) or info.st_size > _LARGEST:
            return None
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read()
    finally:
        os.close(descriptor)  # of a folder no file is made, which would close it


def _checked(data: bytes, key: Key) -> bytes | None:
    start = len(_MAGIC) + _HEADER.size
    if not data.startswith(_MAGIC) or len(data) < start:
        return None
    digest, checksum, length = _HEADER.unpack_from(data, len(_MAGIC))
    code = data[start:]
    whole = digest == key.digest and len(code) == length and hashlib.sha256(code).digest() == checksum
    return code if whole else None


def write(key: Key, code: bytes, folder: Path | None = None) -> bool:
    """Keep code under its key, in a folder or else in the first one that takes it; returns False if only memory does."""
    data = _MAGIC + _HEADER.pack(key.digest, hashlib.sha256(code).digest(), len(code)) + code
    folder = folder or writable_folder()
    if folder is not None and _write_file(folder / key.name, data):
        return True
    _memory[key.name] = code
    return False


def _write_file(path: Path, data: bytes) -> bool:
    """Write a file aside and rename it: readers see the whole of it or nothing."""
    try:
        descriptor, aside = tempfile.mkstemp(prefix=".", suffix=".tmp", dir=path.parent)
    except OSError:
        return False
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        Path(aside).chmod(0o644)  # of the owner alone until now; the folder says who may read it
        Path(aside).replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            Path(aside).unlink()
        return False
    return True


def mark_failed(key: Key, reason: str) -> None:
    """Remember that a function can't be compiled here, so that it is not tried again."""
    folder = writable_folder()
    if folder is not None:
        _write_file((folder / key.name).with_suffix(".failed"), reason.encode()[:10_000])


def is_marked_failed(key: Key) -> bool:
    """Whether an attempt to compile has failed before, in this or another process."""
    for folder in folders():
        with contextlib.suppress(OSError):  # a folder that this user can't enter, or whose name is too long
            if (folder / key.name).with_suffix(".failed").exists():
                return True
    return False
