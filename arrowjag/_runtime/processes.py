"""Processes of Python beside this one, which import what this process would import."""

from __future__ import annotations

import sys

__all__ = ["import_path", "python"]


def python(*flags: str) -> list[str]:
    """Return the start of the command of another process of Python.

    Without the flag -P, Python would look for modules in the working folder first, also for those of its own library. This process
    may look there last or not at all, and the folder may hold any files, such as a ``json.py``.
    """
    return [sys.executable, "-P", *flags]


def import_path() -> list[str]:
    """Return the folders in which this process looks for modules: imports pass over entries that are no text, such as a Path."""
    entries: list[object] = [*sys.path]
    return [one for one in entries if isinstance(one, str)]
