"""Text and times, item by item."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pyarrow as pa

import arrowjag as aj
from arrowjag.io._json_text import json_text
from benchmarks.case import Case, Run, db, each, pl
from benchmarks.data import Data

TEXT = ("string",)
COUNTS = ("int64",)


def text(name: str, *args: Any, rivals: dict[str, Run] | None = None, **kwargs: Any) -> Case:
    """A method of `x.str`."""
    short = name.removeprefix("str.")
    return Case(name, lambda d: getattr(d.x.str, short)(*args, **kwargs), rivals or {}, dtypes=TEXT)


def time(name: str, *args: Any, rival: Callable[[Any], Any] | None = None, leaf: pa.DataType | None = None) -> Case:
    """A method of `x.dt` on counts of microseconds."""
    short, type = name.removeprefix("dt."), pa.timestamp("us") if leaf is None else leaf
    rivals = {} if rival is None else {"polars": pl(lambda p: p.col("x").list.eval(rival(p.element().cast(p.Datetime("us")))))}
    return Case(name, lambda d: getattr(d.x.cast(type).dt, short)(*args), rivals, dtypes=COUNTS)


@cache
def lines(data: Data) -> Any:
    """The rows of an input as JSON text."""
    return json_text(data.x_arrow, "x")


def decoded(data: Data) -> Any:
    """The same by polars."""
    import polars  # noqa: ICN001 - pl is a function here

    return polars.Series(lines(data)).str.json_decode(polars.List(polars.Int64))


CASES = [
    Case(
        "from_json",
        lambda d: aj.from_json(lines(d), pa.list_(pa.int64())),
        {"polars": decoded},
        dtypes=COUNTS,
        at_most=2_000_000,
    ),
    text(
        "str.lower", rivals={"polars": each(lambda e: e.str.to_lowercase()), "duckdb": db("list_transform(x, lambda e: lower(e))")}
    ),
    text(
        "str.upper", rivals={"polars": each(lambda e: e.str.to_uppercase()), "duckdb": db("list_transform(x, lambda e: upper(e))")}
    ),
    text("str.title", rivals={"polars": each(lambda e: e.str.to_titlecase())}),
    text("str.strip", rivals={"polars": each(lambda e: e.str.strip_chars())}),
    text("str.lstrip", rivals={"polars": each(lambda e: e.str.strip_chars_start())}),
    text("str.rstrip", rivals={"polars": each(lambda e: e.str.strip_chars_end())}),
    text("str.removeprefix", "word", rivals={"polars": each(lambda e: e.str.strip_prefix("word"))}),
    text("str.removesuffix", "1", rivals={"polars": each(lambda e: e.str.strip_suffix("1"))}),
    text("str.len", rivals={"polars": each(lambda e: e.str.len_chars().cast(int))}),
    text("str.byte_len", rivals={"polars": each(lambda e: e.str.len_bytes().cast(int))}),
    text("str.reverse", rivals={"polars": each(lambda e: e.str.reverse())}),
    text("str.slice", 1, 4, rivals={"polars": each(lambda e: e.str.slice(1, 3))}),
    text("str.zfill", 9, rivals={"polars": each(lambda e: e.str.zfill(9))}),
    text("str.rjust", 9, rivals={"polars": each(lambda e: e.str.pad_start(9))}),
    text("str.ljust", 9, rivals={"polars": each(lambda e: e.str.pad_end(9))}),
    text("str.contains", "1", rivals={"polars": each(lambda e: e.str.contains("1", literal=True))}),
    text("str.startswith", "word1", rivals={"polars": each(lambda e: e.str.starts_with("word1"))}),
    text("str.endswith", "1", rivals={"polars": each(lambda e: e.str.ends_with("1"))}),
    text("str.match", "w.*1", rivals={"polars": each(lambda e: e.str.contains("^w.*1"))}),
    text("str.fullmatch", "w.*1", rivals={"polars": each(lambda e: e.str.contains("^w.*1$"))}),
    text("str.find", "1"),
    text("str.count", "1", rivals={"polars": each(lambda e: e.str.count_matches("1", literal=True).cast(int))}),
    text("str.replace", "word", "w", rivals={"polars": each(lambda e: e.str.replace_all("word", "w", literal=True))}),
    text("str.extract", "([0-9])"),
    text("str.extract_all", "[0-9]", rivals={"polars": each(lambda e: e.str.extract_all("[0-9]"))}),
    text("str.split", "r", rivals={"polars": each(lambda e: e.str.split("r"))}),
    text("str.repeat", 2),
    text("str.to_number", "int64", strict=False),
    text("str.to_datetime", "%Y-%m-%d", strict=False),
    text("str.cat", "-", rivals={"polars": each(lambda e: e + "-")}),
    *(text(name) for name in ("str.capitalize", "str.swapcase", "str.isalnum", "str.isalpha", "str.isascii", "str.isdecimal")),
    *(text(name) for name in ("str.isdigit", "str.islower", "str.isnumeric", "str.isprintable", "str.isspace", "str.istitle")),
    text("str.isupper"),
    text("str.pad", 9),
    text("str.center", 9),
    time("dt.year", rival=lambda e: e.dt.year().cast(int)),
    time("dt.quarter", rival=lambda e: e.dt.quarter().cast(int)),
    time("dt.month", rival=lambda e: e.dt.month().cast(int)),
    time("dt.week", rival=lambda e: e.dt.week().cast(int)),
    time("dt.day", rival=lambda e: e.dt.day().cast(int)),
    time("dt.weekday", rival=lambda e: e.dt.weekday().cast(int) - 1),
    time("dt.day_of_year", rival=lambda e: e.dt.ordinal_day().cast(int)),
    time("dt.hour", rival=lambda e: e.dt.hour().cast(int)),
    time("dt.minute", rival=lambda e: e.dt.minute().cast(int)),
    time("dt.second", rival=lambda e: e.dt.second().cast(int)),
    *(time(name) for name in ("dt.millisecond", "dt.microsecond", "dt.nanosecond")),
    time("dt.date", rival=lambda e: e.dt.date()),
    time("dt.time"),
    time("dt.timestamp", "s", rival=lambda e: e.dt.epoch("s")),
    time("dt.total_seconds", leaf=pa.duration("us")),
    time("dt.floor", "1h", rival=lambda e: e.dt.truncate("1h")),
    time("dt.ceil", "1h"),
    time("dt.round", "1h", rival=lambda e: e.dt.round("1h")),
    time("dt.strftime", "%Y-%m-%d", rival=lambda e: e.dt.strftime("%Y-%m-%d")),
    time("dt.tz_convert", "Europe/Paris", leaf=pa.timestamp("us", "UTC")),
    time("dt.tz_localize", "UTC", rival=lambda e: e.dt.replace_time_zone("UTC")),
]
