"""Compiling everything ahead of time: for images, and for machines on which no process may be started."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from arrowjag._kernels.compiled import library, objects
from arrowjag._kernels.compiled.loop import Variant
from arrowjag._kernels.compiled.loops import LOOPS
from arrowjag.errors import JagValueError, MissingDependencyError

__all__ = ["Outcome", "compile_all", "variants"]


class Outcome(NamedTuple):
    """What came of one function."""

    variant: Variant
    state: str
    """One of "there", "compiled" and "failed"."""


def variants() -> list[Variant]:
    """Every function that can be compiled: of each loop for each item type, with nulls and without."""
    return [Variant(loop.name, type, nulls) for loop in LOOPS.values() for type in loop.types for nulls in (False, True)]


def compile_all(folder: Path | None = None, only: str = "*") -> Iterator[Outcome]:
    """Compile whatever is not in the cache yet, into a folder or else into the first one that can be written.

    `only` is a pattern of the shell, which names such as ``sum-f8-plain`` must match.

    Raises
    ------
    MissingDependencyError
        If numba is not installed.
    JagValueError
        If the folder can't be written, or no function matches.
    """
    if not library.can_compile():
        raise MissingDependencyError.of("numba", "compiled", "arrowjag compile")
    target = folder or objects.writable_folder()
    if target is None or not objects.is_writable(target):
        raise JagValueError(f"compile: {target or 'the cache folder'} can't be written by this user alone; name one with --folder")
    wanted = [variant for variant in variants() if fnmatch.fnmatchcase(str(variant), only)]
    if not wanted:
        raise JagValueError(f"compile: no loop matches {only!r}; names are such as {variants()[0]}")
    for variant in wanted:
        yield Outcome(variant, _compile(variant, target))


def _compile(variant: Variant, folder: Path) -> str:
    key = library.key_of(variant)
    if objects.read(key, [folder]) is not None:
        return "there"
    code = library.compile_now(variant, folder)
    return "failed" if code is None else "compiled"
