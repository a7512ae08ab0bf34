"""Cost of validating input: `python -m benchmarks.gate [ROWS]`.

Parquet is read with the checks of the gate and without them. A memory-mapped IPC file is opened with them, and compared with one pass
over its bytes. Each figure is CPU time of all threads in milliseconds, the best of seven.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import arrowjag as aj
from arrowjag.io import _ipc, _scan


def best(call: Callable[[], Any]) -> float:
    """Milliseconds of CPU, of all threads, of the cheapest of seven runs."""
    found = []
    for _ in range(7):
        start = time.process_time()
        call()
        found.append(time.process_time() - start)
    return min(found) * 1e3


def tables(rows: int) -> dict[str, pa.Table]:
    """Columns of lists over numbers, text of ASCII, with a few accents and with many, and words of a dictionary, five items a row."""
    rng = np.random.default_rng(1)
    sizes = rng.integers(0, 11, rows)
    n = int(sizes.sum())
    text = pa.array([f"word number {k}" for k in range(5000)]).take(pa.array(rng.integers(0, 5000, n)))
    places = pa.array(rng.integers(0, 5000, n))
    leaves = {"numbers": rng.random(n), "text": text, "dictionary": text.dictionary_encode()}
    leaves["accents"] = pa.array([f"word number {k}{'' if k % 100 else ' é'}" for k in range(5000)]).take(places)
    leaves["all accents"] = pa.array([f"wörd nümber {k}" for k in range(5000)]).take(places)
    leaves["nulls"] = pa.array(rng.random(n), mask=rng.random(n) < 0.1)
    return {name: pa.table({"v": aj.from_sizes(values, sizes).to_arrow()}) for name, values in leaves.items()}


def unchecked(module: Any, call: Callable[[], Any]) -> float:
    """The same without the checks."""
    kept = module.checked
    module.checked = lambda column, where: column
    try:
        return best(call)
    finally:
        module.checked = kept


def one_pass(path: Path) -> None:
    """Read each byte of a file once."""
    with pa.memory_map(str(path)) as source:
        np.frombuffer(source.read_buffer(), np.uint8, path.stat().st_size // 8 * 8).view(np.int64).sum()


def main(rows: int) -> None:
    """Print a line per kind of column."""
    print(
        f"{rows} rows, 5 items each\n{'':12}{'Parquet':>9}{'unchecked':>11}{'share':>7}{'IPC':>9}{'unchecked':>11}{'one pass':>10}"
    )
    with tempfile.TemporaryDirectory() as folder:
        for name, table in tables(rows).items():
            parquet, ipc = Path(folder) / f"{name}.parquet", Path(folder) / f"{name}.arrow"
            aj.write_parquet(table, parquet)
            aj.write_ipc(table, ipc)
            checked, plain = best(lambda: aj.read_parquet(parquet)), unchecked(_scan, lambda: aj.read_parquet(parquet))  # noqa: B023
            opened, mapped = best(lambda: aj.read_ipc(ipc)), unchecked(_ipc, lambda: aj.read_ipc(ipc))  # noqa: B023
            passed = best(lambda: one_pass(ipc))  # noqa: B023
            share = checked / plain - 1
            print(f"{name:12}{checked:9.1f}{plain:11.1f}{share:7.0%}{opened:9.2f}{mapped:11.2f}{passed:10.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
