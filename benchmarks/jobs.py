"""`python -m benchmarks.jobs`: the same job written with `aj.etl.run`, by hand with pyarrow, with polars and with DuckDB.

Each runs in a fresh process, interpreter and imports included; memory is what the process and its children hold, mapped files not counted.
`--memory` asks instead whether a dataset of 4 GB with one row group of 600 MB stays within `memory="1GB"`. `--short` prints the
targets of the runner with their figures, within five minutes on an idle machine.
"""

from __future__ import annotations

import argparse
import atexit
import functools
import math
import multiprocessing
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import arrowjag as aj

BATCH = 64_000_000
ROW_BYTES = 176
"""Of the rows that `batch` makes, about."""


def batch(rows: int, seed: int) -> pa.Table:
    """Rows of 0 to 40 floats: about 170 bytes each."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0, 41, rows)
    values = rng.normal(size=sizes.sum())
    return pa.table({"id": np.arange(rows) + seed * rows, "v": aj.from_sizes(values, sizes).to_arrow()})


def write_dataset(folder: Path, size: int, files: int, group: int) -> None:
    """So many bytes in so many files; row groups of about `group` bytes, the first of all of 600 MB if the data is large."""
    folder.mkdir(parents=True)
    rows = group // ROW_BYTES
    for number in range(files):
        with pq.ParquetWriter(folder / f"f{number}.parquet", batch(1, 0).schema, use_dictionary=False) as writer:
            left = size // files
            if number == 0 and size >= 3_000_000_000:
                large = pa.concat_tables([batch(rows, seed) for seed in range(600_000_000 // group)])
                writer.write_table(large, row_group_size=len(large))
                left -= large.nbytes
            while left > 0:
                table = batch(rows, left % 1000)
                writer.write_table(table, row_group_size=rows)
                left -= table.nbytes


# ----------------------------------------------------------------------------------------------------- the same job


def transform(table: pa.Table) -> pa.Table:
    """Standardise within the row, and sum the remainder."""
    x = aj.from_arrow(table["v"])
    centred = x - x.mean()
    return pa.table({"id": table["id"], "centred": centred.to_arrow(), "spread": (centred * centred).sum().to_arrow()})


def heavy(table: pa.Table) -> pa.Table:
    """The same, and a sort and a rank of each row: more to compute for each byte that is read and written."""
    x = aj.from_arrow(table["v"])
    return transform(table).append_column("order", (x.sort() * x.rank()).sum().to_arrow())


def by_hand(source: Path, sink: Path) -> None:
    sink.mkdir()
    loop(transform, sorted(source.glob("*.parquet")), sink)


def loop(function: Callable[[pa.Table], pa.Table], files: list[Path], sink: Path) -> None:
    """One thread, batches of the same size, one file each."""
    pa.set_cpu_count(1)
    for file in files:
        reader = pq.ParquetFile(file, pre_buffer=False, buffer_size=1 << 20)
        writer = None
        for piece in reader.iter_batches(BATCH // ROW_BYTES, use_threads=False):
            result = function(pa.Table.from_batches([piece]))
            writer = writer or pq.ParquetWriter(sink / file.name, result.schema, write_page_checksum=True)
            writer.write_table(result)
        writer.close()


def by_processes(count: int, source: Path, sink: Path) -> None:
    """So many processes with as many files each and nothing in common: print their seconds, the least that workers can take."""
    sink.mkdir()
    files = sorted(source.glob("*.parquet"))
    started = time.perf_counter()
    spawn = multiprocessing.get_context("spawn")
    processes = [spawn.Process(target=loop, args=(heavy, files[number::count], sink)) for number in range(count)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert not any(process.exitcode for process in processes)
    print(time.perf_counter() - started)


def by_polars(source: Path, sink: Path) -> None:
    """polars' own list expressions, streaming, on all cores."""
    import polars as pl

    centred = pl.col("v").list.eval(pl.element() - pl.element().mean())
    frame = pl.scan_parquet(source / "*.parquet").with_columns(v=pl.col("v").ext.storage())
    sink.mkdir()
    lazy = frame.select("id", centred=centred).with_columns(spread=pl.col("centred").list.eval(pl.element() ** 2).list.sum())
    lazy.sink_parquet(sink / "all.parquet", compression="snappy")


def by_jag(source: Path, sink: Path) -> None:
    """Our expressions in polars, streaming, on all cores."""
    import polars as pl

    sink.mkdir()
    x = pl.col("v").jag
    lazy = pl.scan_parquet(source / "*.parquet").select("id", centred=x - x.mean())
    lazy = lazy.with_columns(spread=(pl.col("centred").jag * pl.col("centred").jag).jag.sum())
    lazy.sink_parquet(sink / "all.parquet", compression="snappy")


def by_duckdb(source: Path, sink: Path) -> None:
    import duckdb

    sink.mkdir()
    con = duckdb.connect()
    con.execute("SET memory_limit = '2GB'; SET preserve_insertion_order = false")
    inner = f"SELECT id, v, list_avg(v) AS m FROM read_parquet('{source}/*.parquet')"
    middle = f"SELECT id, list_transform(v, lambda x: x - m) AS centred FROM ({inner})"
    query = f"SELECT id, centred, list_sum(list_transform(centred, lambda x: x * x)) AS spread FROM ({middle})"
    con.execute(f"COPY ({query}) TO '{sink}/all.parquet' (FORMAT parquet)")


def by_run(source: Path, sink: Path, workers: int = 1, memory: str = "4GB", function: Any = transform) -> None:
    report = aj.etl.run(function, source, sink, frame="arrow", workers=workers, memory=memory, progress=False)
    print(report)
    print(report.seconds)


def bound(size: int) -> int:
    """MB that a worker needs for batches of so many MB, as the pages say."""
    return 224 + 4 * size


def by_batches(size: int, source: Path, sink: Path) -> None:
    """One worker, batches of so many MB, and as much memory as the pages say: from Arrow and from polars, the most held and retries."""
    import polars as pl

    def expressions(frame: pl.DataFrame) -> pl.DataFrame:
        x = pl.col("v").jag
        frame = frame.select("id", centred=x - x.mean())
        return frame.with_columns(spread=(pl.col("centred").jag * pl.col("centred").jag).jag.sum())

    options: dict[str, Any] = {"workers": 1, "memory": f"{bound(size)}MB", "batch_bytes": f"{size}MB", "progress": False}
    reports = (
        aj.etl.run(transform, source, sink, frame="arrow", **options),
        aj.etl.run(expressions, source, sink, frame="polars", mode="replace", **options),
    )
    print(max(report.peak_memory for report in reports), sum(report.retries for report in reports))


def same(table: pa.Table) -> pa.Table:
    return table


def by_resume(source: Path, sink: Path) -> None:
    """A job of 4,000 tiny files, and its resume three times: the least seconds, and seconds of all cores."""
    options: dict[str, Any] = {"frame": "arrow", "workers": 2, "memory": "1GB", "progress": False}
    aj.etl.run(same, source, sink, **options)
    found = []
    for _ in range(3):
        started, before = time.perf_counter(), time.process_time()
        report = aj.etl.run(same, source, sink, mode="resume", **options)
        assert report.kept == report.tasks
        found.append((time.perf_counter() - started, time.process_time() - before))
    print(*min(found))


def by_small(source: Path, sink: Path) -> None:
    """Small files together in tasks of a MB."""
    options: dict[str, Any] = {"frame": "arrow", "workers": 2, "memory": "1GB", "progress": False}
    print(aj.etl.run(transform, source, sink, bytes_per_file="1MB", **options))


ONE = {
    "by hand, one thread": by_hand,
    "aj.etl.run, 1 worker": by_run,
    "aj.etl.run, 2 workers": lambda source, sink: by_run(source, sink, 2),
    "heavy, 1 worker": lambda source, sink: by_run(source, sink, 1, function=heavy),
    "heavy, 2 workers": lambda source, sink: by_run(source, sink, 2, function=heavy),
    "heavy by hand, 1 process": functools.partial(by_processes, 1),
    "heavy by hand, 2 processes": functools.partial(by_processes, 2),
    "polars' expressions": by_polars,
    ".jag in polars": by_jag,
    "DuckDB": by_duckdb,
    "within 1GB": lambda source, sink: by_run(source, sink, 2, "1GB"),
    **{f"batches of {size} MB": functools.partial(by_batches, size) for size in (8, 64, 256)},
    "4,000 files": lambda source, sink: by_resume(source, sink),
    "small files": by_small,
}
#: What the comparison of programs doesn't run.
APART = (
    "heavy by hand, 1 process",
    "heavy by hand, 2 processes",
    "within 1GB",
    "batches of 8 MB",
    "batches of 64 MB",
    "batches of 256 MB",
    "4,000 files",
    "small files",
)


# -------------------------------------------------------------------------------------------------------- measuring


def held(pid: int) -> int:
    """Bytes that a process and its children hold, mapped files not counted."""
    from arrowjag.etl._memory import process_memory

    try:
        children = [int(one) for task in Path(f"/proc/{pid}/task").iterdir() for one in (task / "children").read_text().split()]
    except OSError:
        children = []
    return (process_memory(pid) or 0) + sum(map(held, children))


@functools.cache
def environment() -> dict[str, str]:
    """That of the measured programs: bytecode is kept, as it is wherever arrowjag is installed, else each process compiles all modules."""
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder)
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | {
        "PYTHONPYCACHEPREFIX": folder
    }
    with tempfile.TemporaryDirectory() as example:
        write_dataset(Path(example) / "in", 1000, 1, 1000)
        for name in ("by hand, one thread", "heavy, 1 worker"):
            command = [sys.executable, "-m", "benchmarks.jobs", "--one", name, "--folder", example]
            subprocess.run(command, env=kept, check=True, stdout=subprocess.DEVNULL)
            shutil.rmtree(Path(example) / "out")
    return kept


def measure(name: str, source: Path) -> tuple[float, float, int, str]:
    """Seconds, seconds of all cores, the most memory held, what was printed."""
    kept = environment()
    sink = source.parent / "out"
    shutil.rmtree(sink, ignore_errors=True)
    os.sync()
    command = [sys.executable, "-m", "benchmarks.jobs", "--one", name, "--folder", str(source.parent)]
    started, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=kept)
    most = 0
    while child.poll() is None:
        most = max(most, held(child.pid))
        time.sleep(0.05)
    seconds = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    busy = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    printed = child.stdout.read().strip()
    return (seconds, busy, most, printed) if child.returncode == 0 else (float("nan"), busy, most, "failed")


def check(sink: Path) -> tuple[int, float]:
    """The facts that must be equal in all of them."""
    import polars as pl

    return pl.scan_parquet(sink / "*.parquet").select(pl.len(), pl.col("spread").sum()).collect().row(0)


def short(folder: Path, size: int = 1_000_000_000, files: int = 4000) -> None:
    """Print the targets of the runner with what is measured; the lines are independent of each other.

    A smaller `size` or fewer `files` only try whether this function runs.
    """
    overhead(folder, size)
    memory(folder, size)
    resume(folder, files)
    small(folder, files)


def overhead(folder: Path, size: int) -> None:
    """Print what the runner costs beyond a loop by hand, and what a second worker gains."""
    one, tiny = (folder / name / "in" for name in ("one", "tiny"))
    write_dataset(one, size, 8, 20_000_000)
    write_dataset(tiny, 1000, 1, 1000)
    by_loop, by_runner = "by hand, one thread", "aj.etl.run, 1 worker"
    one_worker, two_workers, one_process, two_processes = several = (
        "heavy, 1 worker",
        "heavy, 2 workers",
        "heavy by hand, 1 process",
        "heavy by hand, 2 processes",
    )
    results: dict[str, list[tuple[float, float, int, str]]] = {}
    for name in 3 * (by_loop, by_runner, *several):  # by turns: other work on the machine comes and goes
        results.setdefault(name, []).append(measure(name, one))
    busy = {name: min(result[1] for result in found) for name, found in results.items()}
    seconds = {name: min(result[0] for result in found) for name, found in results.items()}
    start = min(measure(by_runner, tiny)[1] for _ in range(3)) - min(measure(by_loop, tiny)[1] for _ in range(3))
    print(
        f"CPU time of the runner over a loop by hand, {size / 1e9:g} GB: {100 * (busy[by_runner] / busy[by_loop] - 1):+.1f} % of "
        f"{busy[by_loop]:.2f} s (target: at most 5 %); {100 * start / busy[by_loop]:.1f} % to start a worker, {start:.2f} s at any size",
        flush=True,
    )
    own = {name: min(float(result[3].splitlines()[-1]) for result in results[name]) for name in several}
    print(
        f"two workers: {own[one_worker] / own[two_workers]:.2f} times as fast as one (target: at least 1.7), with the start of the "
        f"program {seconds[one_worker] / seconds[two_workers]:.2f} times; {busy[two_workers] / busy[one_worker] - 1:+.0%} CPU time; two "
        f"processes by hand that share nothing: {own[one_process] / own[two_processes]:.2f} times one",
        flush=True,
    )
    shutil.rmtree(one.parent)


def memory(folder: Path, size: int) -> None:
    """Print what a worker holds on one huge row group, by the size of its batches."""
    source = folder / "huge" / "in"
    source.mkdir(parents=True)
    huge = pa.concat_tables([batch(20_000_000 // ROW_BYTES, seed) for seed in range(-(-30 * size // 1_000_000_000))])
    pq.write_table(huge, source / "f.parquet", row_group_size=len(huge), use_dictionary=False)
    for mb in (8, 64, 256):
        _, _, most, printed = measure(f"batches of {mb} MB", source)
        peak, retries = map(int, printed.split())
        print(
            f"one row group of {huge.nbytes / 1e6:.0f} MB, batches of {mb} MB: worker {peak / 1e6:.0f} MB, with the driver "
            f"{most / 1e6:.0f} MB, {retries} retries (target: a worker of {bound(mb)} MB, no retries)",
            flush=True,
        )
    shutil.rmtree(source.parent)


def resume(folder: Path, files: int) -> None:
    """Print how long it takes to find that as many tasks are finished."""
    few = folder / "few" / "in"
    few.mkdir(parents=True)
    pq.write_table(batch(5, 0), few / "f0.parquet")
    for number in range(1, files):
        shutil.copy(few / "f0.parquet", few / f"f{number}.parquet")
    _, _, _, printed = measure("4,000 files", few)
    wall, cpu = map(float, printed.split())
    print(f"resume of {files:,} finished tasks: {wall:.2f} s, {cpu:.2f} s of all cores (target: 2 s)", flush=True)
    shutil.rmtree(few.parent)


def small(folder: Path, files: int) -> None:
    """Print what many files of a few rows cost against files of the same size together, and of the same rows: a hundredth as many files."""
    few, few_bytes, few_rows = (folder / name / "in" for name in ("small", "bytes", "rows"))
    for each in (few, few_bytes, few_rows):
        each.mkdir(parents=True)
    rows = 5
    for number in range(files):
        pq.write_table(batch(rows, number), few / f"f{number:05}.parquet")
    size = sum(file.stat().st_size for file in few.iterdir())
    large = max(files // 100, 1)
    for number in range(large):
        pq.write_table(batch(rows * files // large, number), few_rows / f"f{number:05}.parquet")
        pq.write_table(batch(size // large // ROW_BYTES, number), few_bytes / f"f{number:05}.parquet")
    found: dict[str, list[float]] = {"small": [], "bytes": [], "rows": []}
    for _ in range(3):
        for each in (few, few_bytes, few_rows):
            found[each.parent.name].append(measure("small files", each)[1])
    busy = {name: min(each) for name, each in found.items()}
    print(
        f"{files:,} files of {rows} rows: {busy['small']:.2f} s of all cores, {busy['small'] / busy['bytes']:.2f} times {large} "
        f"files of the same bytes, {busy['small'] / busy['rows']:.2f} times those of the same rows (target: 2 times)",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.jobs")
    parser.add_argument("--one", choices=ONE)
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--small", action="store_true", help="only what many small files cost")
    parser.add_argument("--bytes", type=float, default=1e9)
    parser.add_argument("--files", type=int, default=8)
    parser.add_argument("--few", type=int, default=4000, help="how many small files --short and --small take")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--only", nargs="+", choices=ONE)
    options = parser.parse_args()
    if options.one:
        ONE[options.one](options.folder / "in", options.folder / "out")
        return
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        source = Path(folder) / "in"
        if options.small:
            small(Path(folder), options.few)
            return
        if options.short:
            short(Path(folder), int(options.bytes), options.few)
            return
        if options.memory:
            write_dataset(source, 4_000_000_000, 4, 20_000_000)
            seconds, _, most, printed = measure("within 1GB", source)
            printed = printed.splitlines()[0]
            print(f"4 GB, one row group of 600 MB, memory='1GB': {seconds:.1f} s, {most / 1e6:.0f} MB with the driver\n{printed}")
            return
        write_dataset(source, int(options.bytes), options.files, 20_000_000)
        rows = sum(pq.read_metadata(file).num_rows for file in source.iterdir())
        first = None
        print(f"{options.bytes / 1e9:.1f} GB, {rows:,} rows, {options.files} files")
        for name in options.only or [one for one in ONE if one not in APART]:
            results = [measure(name, source) for _ in range(options.repeat)]
            seconds, busy, most = min(one[0] for one in results), min(one[1] for one in results), max(one[2] for one in results)
            found = check(Path(folder) / "out") if not math.isnan(seconds) else (0, 0.0)
            first = first or found
            same = found[0] == first[0] and abs(found[1] - first[1]) <= 1e-6 * abs(first[1])
            print(
                f"{name:24}{seconds:8.2f} s {busy:8.2f} s of all cores {rows / seconds:14,.0f} rows/s {most / 1e6:8.0f} MB  {'' if same else 'OTHER ANSWER'}",
                flush=True,
            )


if __name__ == "__main__":
    main()
