"""A job over partitioned input: the flights that left New York in 2013, one folder per month, one row per plane and day.

Each row holds the flights of one plane on one day, nested in the order of departure. The job computes, batch by batch,

* the delay of each flight at departure, and the minutes that it won or lost in the air,
* the delay that a plane carried over from its previous flight,
* the worst delay, the mean delay and the miles of each plane per day.

The results are in folders of the same names. A reduction then combines them into the mean delay of each carrier, and the script
compares all figures with a flat group-by of the raw table. Pass a folder to keep the files. If you kill the script and run it again
with the same folder, the job resumes.

    python examples/flights_job.py [FOLDER]
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import polars as pl

import arrowjag as aj
from arrowjag.demo import load

DAY = ["month", "tailnum", "day"]


def write_input(flights: pl.DataFrame, folder: Path) -> None:
    """Nest the raw table, and write one file per month into `month=1`, `month=2`, ..."""
    columns = ["dep_delay", "arr_delay", "distance", "carrier", "dest"]
    nested = flights.sort(*DAY, "sched_dep_time").group_by(DAY, maintain_order=True).agg(columns)
    for (month,), rows in nested.group_by("month", maintain_order=True):
        partition = folder / f"month={month}"
        partition.mkdir(parents=True, exist_ok=True)
        aj.write_parquet(rows.drop("month"), partition / "planes.parquet", row_group_size=2000)


def delays(frame: pl.DataFrame) -> pl.DataFrame:
    """The function of the job: add the figures to rows of one plane and day."""
    departure, arrival = pl.col("dep_delay").jag, pl.col("arr_delay").jag
    return frame.drop("month").with_columns(
        won_in_the_air=departure - arrival,
        carried_over=arrival.shift(1),
        worst=arrival.max(),
        mean_delay=arrival.mean(),
        miles=pl.col("distance").jag.sum(),
        flights=arrival.lengths(),
    )


def by_carrier(frame: pl.DataFrame) -> pl.DataFrame:
    """First step of the reduction: sums and counts of one batch."""
    flat = frame.select("carrier", "arr_delay").jag.flatten("carrier", "arr_delay").drop_nulls()
    return flat.group_by("carrier").agg(total=pl.col("arr_delay").sum(), flights=pl.len())


def mean_delays(parts: pl.DataFrame) -> pl.DataFrame:
    """Second step of the reduction: combine the sums and counts of all batches."""
    sums = parts.group_by("carrier").agg(pl.col("total", "flights").sum())
    return sums.select("carrier", mean_delay=pl.col("total") / pl.col("flights")).sort("carrier")


def check(flights: pl.DataFrame, results: pl.DataFrame, means: pl.DataFrame) -> None:
    """Compare every figure with the flat table."""
    expected = flights.group_by(DAY).agg(
        worst=pl.col("arr_delay").max(),
        mean_delay=pl.col("arr_delay").mean(),
        miles=pl.col("distance").sum(),
        flights=pl.len().cast(pl.Int64),
    )
    figures = ["worst", "mean_delay", "miles", "flights"]
    both = expected.join(results.select(*DAY, *figures), on=DAY, nulls_equal=True, how="full", suffix="_of_job")
    assert both.height == expected.height == results.height
    for name in figures:
        difference = (both[name].cast(pl.Float64) - both[f"{name}_of_job"].cast(pl.Float64)).abs().max()
        assert difference is not None
        assert difference < 1e-9
        assert both[name].null_count() == both[f"{name}_of_job"].null_count()
    flat = flights.drop_nulls("arr_delay").group_by("carrier").agg(mean_delay=pl.col("arr_delay").mean()).sort("carrier")
    assert flat["carrier"].equals(means["carrier"])
    assert (flat["mean_delay"] - means["mean_delay"]).abs().max() < 1e-9  # type: ignore[operator]


def main(folder: Path) -> None:
    flights, _ = load()
    source, sink = folder / "in", folder / "out"
    if not source.exists():
        write_input(flights, source)
    report = aj.etl.run(delays, source, sink, mode="resume", workers=2, memory="2GB")
    print(report)
    means = aj.etl.reduce(by_carrier, mean_delays, sink, columns=["carrier", "arr_delay"], workers=2)
    results = aj.read_parquet(sink, to="polars")
    check(flights, results, means)
    print(f"{results.height:,} days of planes and {means.height} carriers equal the flat group-by")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as temporary:
            main(Path(temporary))
