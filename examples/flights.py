"""A year of flights, nested by plane and day: which planes catch up in the air, and after which delay they stop doing so."""

from __future__ import annotations

import pandas as pd
import polars as pl

import arrowjag as aj
from arrowjag.demo import load

DELAYS = ["dep_delay", "arr_delay"]


def nested() -> pl.DataFrame:
    """One row a plane; days of flights inside."""
    flights, _ = load()
    flights = flights.select("tailnum", "month", "day", *DELAYS).drop_nulls("tailnum")
    return flights.jag.implode(["tailnum", "month", "day"], DELAYS).jag.implode("tailnum", DELAYS)


def in_polars(fleet: pl.DataFrame) -> pl.DataFrame:
    """Minutes gained, by plane; lazy, so it would stream from a file as well."""
    gained = pl.col("dep_delay").jag - pl.col("arr_delay").jag
    late = pl.col("dep_delay").jag > 30
    return (
        fleet.lazy()
        .select(
            "tailnum",
            days=pl.col("dep_delay").jag.lengths(axis=1),
            gained=gained.jag.mean(axis=(1, 2)),
            gained_when_late=gained.jag[late].jag.mean(axis=(1, 2)),
            worst_day=pl.col("arr_delay").jag.max().jag.max(),
        )
        .filter(pl.col("days") > 100)
        .sort("gained_when_late", descending=True, nulls_last=True)
        .collect()
    )


def in_pandas(fleet: pl.DataFrame) -> pd.Series:
    """The mean gain again, by another road."""
    index = pd.Index(fleet["tailnum"], name="tailnum")
    df = pd.DataFrame({name: aj.array(fleet[name]).to_pandas(index) for name in DELAYS})
    return (df["dep_delay"] - df["arr_delay"]).jag.mean(axis=(1, 2))


def main() -> None:
    fleet = nested()
    print("flights under days under planes:", fleet["dep_delay"].jag.shape)
    found = in_polars(fleet)
    print(found.head(5))
    again = in_pandas(fleet)
    assert all(again[one["tailnum"]] == one["gained"] for one in found.iter_rows(named=True))
    flat = fleet.jag.flatten(*DELAYS)
    assert flat.height == 334_264
    check = flat.group_by("tailnum").agg(gained=(pl.col("dep_delay") - pl.col("arr_delay")).mean())
    joined = found.join(check, on="tailnum")
    assert joined.filter((pl.col("gained") - pl.col("gained_right")).abs() > 1e-9).is_empty()
    print(f"{found.height} planes, each figure equal in pandas, polars and a flat group-by")


if __name__ == "__main__":
    main()
