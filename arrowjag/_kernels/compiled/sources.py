"""Which files decide what a loop does: its module and the compiler, with all of ours that they name.

Names are found anywhere in the text of a file: a module that is named in a comment counts for nothing more than a
compilation too many. Where a text can import what it doesn't name, all files count.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
from pathlib import Path

__all__ = ["read", "source_of"]

_HERE = Path(__file__).parent
_ROOT = _HERE.parents[2]
_COMPILER = f"{__package__}.compiler"
_ERRORS = "arrowjag.errors"
"""Exceptions decide nothing: loops raise none."""

_NAME = re.compile(rb"\barrowjag(?:\s*\.\s*\w+)*\b")
_UNNAMED = re.compile(rb"^\s*from\s*\.|\bimportlib\b|\b__import__\b", re.MULTILINE)


def read(path: Path) -> bytes:
    """The source of a file."""
    return path.read_bytes()


def _state() -> list[tuple[str, int, int, int]]:
    """Names, times, sizes and numbers of the files of this folder; none where they can't be looked at, as in an archive."""
    found = []
    with contextlib.suppress(OSError):
        for folder in (_HERE, _HERE / "loops"):
            for file in os.scandir(folder):
                if file.name.endswith(".py"):
                    info = os.stat(file.path)  # noqa: PTH116  # on Windows that of the entry lacks the number of the file
                    found.append((file.path, info.st_mtime_ns, info.st_size, info.st_ino))
    return sorted(found)


_IMPORTED = _state()
"""The files as this process found them, which has imported some and imports others when it needs them."""


@functools.cache
def source_of(module: str) -> bytes:
    """The source of everything that decides what the loops of a module do, with the names of the files.

    Raises
    ------
    OSError
        If the source of a file can't be read, or may not be what this process runs: an installation without sources has none that
        tells versions apart, and one that has been replaced is that of another version.
    """
    found: dict[Path, bytes] = {}
    names = [module, _COMPILER]
    if _state() != _IMPORTED or None in map(_file_of, names):
        raise OSError("the sources of the loops are absent, or have changed since arrowjag was imported")
    while names:
        path = _file_of(names.pop())
        if path is None:
            found = {one: read(one) for one in _HERE.rglob("*.py")}
            break
        if path in found:
            continue
        found[path] = text = read(path)
        if _UNNAMED.search(text):
            names.append("")
        names += [name for name in _names_in(text) if name != _ERRORS]
    return b"\0".join(path.relative_to(_ROOT).as_posix().encode() + b"\0" + found[path] for path in sorted(found))


def _names_in(text: bytes) -> set[str]:
    return {b"".join(name.split()).decode() for name in _NAME.findall(text)}


def _file_of(name: str) -> Path | None:
    """The file of a module, or of the module that defines a name; None for a package, from which any file can be imported."""
    parts = name.split(".")
    while len(parts) > 1:
        path = _ROOT.joinpath(*parts)
        if path.is_dir():
            return None
        if path.with_suffix(".py").is_file():
            return path.with_suffix(".py")
        parts.pop()
    return None
