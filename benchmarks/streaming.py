"""Peak memory of a streaming job over a large Parquet file: `python -m benchmarks.streaming --gigabytes 4`.

The job reads, computes with jagged expressions of several kinds (polars' own and ours), filters and writes; it runs in a process of
its own, whose peak memory is what the system says. A sample of what it wrote is compared with the arrays' own results.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

import arrowjag as aj

ROWS = 100_000
"""Rows of a row group."""

BOUND = 1.5
"""Gigabytes that the job may use at most."""


def batch(seed: int, n_rows: int = ROWS) -> pa.Table:
    """Rows of 0 to 20 random numbers, which Parquet can't make smaller, with a weight each and the row's number."""
    draw = np.random.default_rng(seed)
    sizes = draw.integers(0, 21, n_rows)
    v = aj.from_sizes(pa.array(draw.random(int(sizes.sum()))), sizes)
    w = pa.array(draw.random(n_rows))
    return pa.table({"row": pa.array(np.arange(n_rows) + seed * n_rows), "w": w, "v": v.to_arrow()})


def write(path: Path, n_bytes: int) -> int:
    """A Parquet file of at least as many bytes, one row group at a time; the number of row groups."""
    groups = 0
    with pq.ParquetWriter(path, batch(0, 0).schema, compression="none", use_dictionary=False) as writer:
        while not groups or path.stat().st_size < n_bytes:
            writer.write_table(batch(groups))
            groups += 1
    return groups


def job(source: Path, target: Path) -> None:
    """One measurement."""
    v: Any = pl.col("v").jag  # type: ignore[attr-defined]
    scaled = v * pl.col("w")
    (
        pl.scan_parquet(source)
        .with_columns(scaled=scaled, total=scaled.jag.sum(), running=v.cumsum(), order=v.rank())
        .filter(pl.col("total") > 1)
        .sink_parquet(target, compression="lz4")
    )


def check(target: Path, groups: int) -> None:
    """The last row group's results against the array's."""
    table = batch(groups - 1)
    v, w = aj.from_arrow(table["v"]), aj.from_arrow(table["w"])
    expected = pl.DataFrame(
        {
            "row": pl.Series(table["row"]),
            "total": (v * w).sum().to_polars(),
            "running": v.cumsum().to_polars(),
            "order": v.rank().to_polars(),
        }
    )
    first = (groups - 1) * ROWS
    got = pl.scan_parquet(target).filter(pl.col("row") >= first).select("row", "total", "running", "order").collect()
    expected = expected.filter(pl.col("total") > 1)
    for name in ("row", "running", "order"):
        if not got[name].equals(expected[name]):
            raise AssertionError(f"column {name}: other values")
    if not np.allclose(got["total"].to_numpy(), expected["total"].to_numpy()):
        raise AssertionError("column total: other values")


def _measured(source: Path, target: Path, sender: Any) -> None:
    start = time.perf_counter()
    job(source, target)
    took = time.perf_counter() - start
    scale = 1 if sys.platform == "darwin" else 1024
    sender.send((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * scale, took))


def measure(source: Path, target: Path) -> tuple[int, float]:
    """Peak memory in bytes and seconds of the job, in a fresh process."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_measured, args=(source, target, sender))
    process.start()
    sender.close()
    try:
        peak, took = receiver.recv()
    except EOFError:
        raise RuntimeError("the job ended without a result; its own message is above") from None
    finally:
        process.join()
    return peak, took


def main() -> None:
    """Write, measure, check, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.streaming")
    parser.add_argument("--gigabytes", type=float, default=4.0, help="size of the Parquet file")
    parser.add_argument("--folder", type=Path, default=None, help="where the files go; they are removed at the end")
    parser.add_argument("--json", type=Path, default=None)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder, prefix="arrowjag-streaming-") as folder:
        source, target = Path(folder) / "source.parquet", Path(folder) / "target.parquet"
        groups = write(source, int(options.gigabytes * 1e9))
        peak, took = measure(source, target)
        check(target, groups)
        result: dict[str, float] = {
            "read_gb": source.stat().st_size / 1e9,
            "written_gb": target.stat().st_size / 1e9,
            "rows": groups * ROWS,
            "seconds": took,
            "peak_gb": peak / 1e9,
            "bound_gb": BOUND,
            "cores": os.cpu_count() or 1,
        }
    print("read {read_gb:.2f} GB, {rows} rows; wrote {written_gb:.2f} GB in {seconds:.0f} s; ".format(**result), end="")
    print("peak memory {peak_gb:.2f} GB, bound {bound_gb}".format(**result))
    if options.json:
        options.json.write_text(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
