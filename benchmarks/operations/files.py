"""Files that are written and read, in a folder that goes away with the process; each format of `io.__all__` has two cases."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import arrowjag as aj
from arrowjag import io
from benchmarks.case import Case, Run
from benchmarks.data import Data

ONE = ("float64",)
LARGEST = 2_000_000
FORMATS = sorted(name.removeprefix("write_") for name in io.__all__ if name.startswith("write_"))


@cache
def folder() -> tempfile.TemporaryDirectory[str]:
    """Kept until the process ends."""
    return tempfile.TemporaryDirectory(prefix="arrowjag-bench-")


def file(data: Data, name: str) -> Path:
    """A path that is an input's own."""
    return Path(folder().name) / f"{abs(hash(data.name))}.{name}"


def write(data: Data, kind: str, name: str) -> Path:
    """Write an input in a format."""
    path = file(data, name)
    getattr(aj, f"write_{kind}")({"x": data.x}, path)
    return path


def written(data: Data, kind: str) -> Path:
    """The file of an input, written once."""
    path = file(data, kind)
    return path if path.exists() else write(data, kind, kind)


def by_pyarrow(data: Data) -> Any:
    """The same column as plain lists."""
    pq.write_table(pa.table({"x": data.x_arrow}), file(data, "plain"))
    return True


BY_HAND: dict[str, dict[str, Run]] = {
    "write_parquet": {"pyarrow": by_pyarrow},
    "read_parquet": {"pyarrow": lambda d: pq.read_table(written(d, "parquet"))["x"]},
}


def case(name: str, run: Run) -> Case:
    """A case on inputs of floats that are not too large for a file."""
    return Case(name, run, by_hand=BY_HAND.get(name, {}), dtypes=ONE, at_most=LARGEST)


def cases_of(kind: str) -> list[Case]:
    """Writing a file of a format, and reading it."""
    return [
        case(f"write_{kind}", lambda d: write(d, kind, f"{kind}-new").exists()),
        case(f"read_{kind}", lambda d: getattr(aj, f"read_{kind}")(written(d, kind))["x"]),
    ]


CASES = [one for kind in FORMATS for one in cases_of(kind)]
