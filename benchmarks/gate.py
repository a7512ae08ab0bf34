"""Cost of validating input: `python -m benchmarks.gate [ROWS] [--without-polars]`.

Parquet is read with the checks of the gate and without them. A memory-mapped IPC file is opened with them, and compared with one pass
over its bytes. Each figure is CPU time of all threads in milliseconds, the best of 15, and what is compared is run in turn. Text that
is not ASCII is validated by polars where it is loaded, else by a compiled loop where numba is installed, else by Arrow:
`--without-polars` measures the second, without numba the third.
"""

from __future__ import annotations

import importlib
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import arrowjag as aj
from arrowjag.io import _ipc, _scan
from benchmarks.turns import in_turn


def cpu_ms(*calls: Callable[[], Any]) -> list[float]:
    """The least milliseconds of CPU time of each call."""
    return [cpu * 1e3 for _, cpu in in_turn(calls, 15)]


WORDS: dict[str, Callable[[int], str]] = {
    "ASCII": lambda k: f"word number {k}",
    "1 % accents": lambda k: f"word number {k}{'' if k % 100 else ' é'}",
    "all accents": lambda k: f"wörd nümber {k}",
    "Chinese": lambda k: f"数据列中的文字{k}",
    "emoji": lambda k: f"😀😃😄🎉{k}",
}
"""Text by the number of a word; 1 % are values, not bytes."""


def tables(rows: int) -> dict[str, pa.Table]:
    """Columns of lists over numbers, text and dictionary-encoded text, five items a row."""
    rng = np.random.default_rng(1)
    sizes = rng.integers(0, 11, rows)
    n = int(sizes.sum())
    places = pa.array(rng.integers(0, 5000, n))
    leaves: dict[str, Any] = {"numbers": rng.random(n), "nulls": pa.array(rng.random(n), mask=rng.random(n) < 0.1)}
    leaves |= {name: pa.array([word(k) for k in range(5000)]).take(places) for name, word in WORDS.items()}
    leaves["dictionary"] = leaves["ASCII"].dictionary_encode()
    return {name: pa.table({"v": aj.from_sizes(values, sizes).to_arrow()}) for name, values in leaves.items()}


def unchecked(module: Any, call: Callable[[], Any]) -> Callable[[], None]:
    """The same call without the checks."""

    def run() -> None:
        kept = module.checked
        module.checked = lambda column, where: column
        try:
            call()
        finally:
            module.checked = kept

    return run


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
            read, map_, pass_ = partial(aj.read_parquet, parquet), partial(aj.read_ipc, ipc), partial(one_pass, ipc)
            checked, plain = cpu_ms(read, unchecked(_scan, read))
            opened, mapped, passed = cpu_ms(map_, unchecked(_ipc, map_), pass_)
            share = checked / plain - 1
            print(f"{name:12}{checked:9.1f}{plain:11.1f}{share:7.0%}{opened:9.2f}{mapped:11.2f}{passed:10.2f}")


if __name__ == "__main__":
    if "--without-polars" not in sys.argv:
        importlib.import_module("polars")
    main(next((int(one) for one in sys.argv[1:] if one.isdigit()), 1_000_000))
