"""Files that are written and read, in a folder that goes away with the process."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import arrowjag as aj
from benchmarks.case import Case
from benchmarks.data import Data

ONE = ("float64",)
LARGEST = 2_000_000


@cache
def folder() -> tempfile.TemporaryDirectory[str]:
    """Kept until the process ends."""
    return tempfile.TemporaryDirectory(prefix="arrowjag-bench-")


def file(data: Data, kind: str) -> Path:
    """A path that is an input's own."""
    return Path(folder().name) / f"{abs(hash(data.name))}.{kind}"


def written(data: Data, kind: str) -> Path:
    """The file of an input, written once."""
    path = file(data, kind)
    if not path.exists():
        write = {"parquet": aj.write_parquet, "ndjson": aj.write_ndjson}.get(kind, aj.write_ipc)
        write({"x": data.x}, path)
    return path


def by_pyarrow(data: Data) -> Any:
    """The same column as plain lists."""
    pq.write_table(pa.table({"x": data.x_arrow}), file(data, "plain"))
    return True


CASES = [
    Case(
        "write_parquet",
        lambda d: aj.write_parquet({"x": d.x}, file(d, "new")) or True,
        by_hand={"pyarrow": by_pyarrow},
        dtypes=ONE,
        at_most=LARGEST,
    ),
    Case(
        "read_parquet",
        lambda d: aj.read_parquet(written(d, "parquet"))["x"],
        by_hand={"pyarrow": lambda d: pq.read_table(written(d, "parquet"))["x"]},
        dtypes=ONE,
        at_most=LARGEST,
    ),
    Case("write_ndjson", lambda d: aj.write_ndjson({"x": d.x}, file(d, "ndjson-new")) or True, dtypes=ONE, at_most=LARGEST),
    Case("read_ndjson", lambda d: aj.read_ndjson(written(d, "ndjson"))["x"], dtypes=ONE, at_most=LARGEST),
    Case("write_ipc", lambda d: aj.write_ipc({"x": d.x}, file(d, "arrow-new")) or True, dtypes=ONE, at_most=LARGEST),
    Case("read_ipc", lambda d: aj.read_ipc(written(d, "arrow"))["x"], dtypes=ONE, at_most=LARGEST),
]
