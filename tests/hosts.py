"""pandas and polars for tests that run with both, one or none of them installed: ``from tests.hosts import pd, pl``.

Where a host is absent, a test that uses it is skipped, and a module that uses it outside of its tests is skipped whole.
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

import pytest

__all__ = ["ABSENT", "HAS_MAPS", "LEAVE", "pd", "pl"]

ABSENT = frozenset(name for name in ("pandas", "polars") if importlib.util.find_spec(name) is None)

LEAVE = "import os, sys; sys.stdout.flush(); os._exit(0)"
"""The last line of child processes in which pandas or pyarrow reads Parquet from a Python file, as `pandas.read_parquet` does.

It skips the end of the interpreter, in which a thread of pyarrow that still holds the file aborts the process now and then
("terminate called without an active exception"), with arrowjag or without. If arrowjag opens the file, it waits for such
threads.
"""


class _Absent:
    """Stands for a host that is not installed: reading any attribute skips the test."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__"):  # what pytest and doctest ask of every object of a module
            raise AttributeError(attribute)
        pytest.skip(f"{self._name} is not installed", allow_module_level=True)


def _host(name: str) -> Any:
    return _Absent(name) if name in ABSENT else importlib.import_module(name)


pd = _host("pandas")
pl = _host("polars")
HAS_MAPS = "polars" not in ABSENT and importlib.import_module("arrowjag.polars._versions").HAS_MAPS
