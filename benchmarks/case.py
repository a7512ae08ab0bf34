"""`Case`, and how rivals are called: each as its users would, results packed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.data import Data

Run = Callable[[Data], Any]
FLOATS = ("float64", "float32")
NUMBERS = (*FLOATS, "int64", "int32")
ALL = (*NUMBERS, "bool", "string")


def moved(data: Data) -> int:
    """Bytes of an operation that reads `x` and writes as much."""
    return int(data.x_arrow.nbytes) * 2


def joined(data: Data) -> int:
    """Bytes of an operation that reads two such arrays and writes a third."""
    return int(data.x_arrow.nbytes) * 3


def reduced(data: Data) -> int:
    """Bytes of an operation that reads `x` and writes one number per row."""
    return int(data.x_arrow.nbytes) + 8 * len(data.sizes)


def untouched(data: Data) -> int:
    """Bytes of an operation that reads and writes offsets only."""
    return 16 * len(data.sizes) + 16


@dataclass(frozen=True)
class Case:
    """An operation: `ours` and rivals take prepared input and return a result, `by_hand` is numpy or pyarrow without a library."""

    name: str
    ours: Run
    rivals: dict[str, Run] = field(default_factory=dict)
    by_hand: dict[str, Run] = field(default_factory=dict)
    dtypes: tuple[str, ...] = NUMBERS
    target: float = 1.0
    touched: Callable[[Data], int] = moved
    at_most: int = 10**9
    """Inputs of more values are left out: results grow with the square of a row, or Python runs for each row."""


def ak(function: Callable[..., Any], *names: str) -> Run:
    """A call of awkward, its result packed."""

    def run(data: Data) -> Any:
        import awkward

        result = function(awkward, *(data.awkward(name) for name in names))
        return awkward.to_packed(result) if isinstance(result, awkward.Array) else result

    return run


def pl(expression: Callable[[Any], Any], groups: bool = False) -> Run:
    """A polars expression on the frame of x, y, w, k and mask (or z and u)."""

    def run(data: Data) -> Any:
        import polars  # noqa: ICN001 - pl is this function

        frame = data.polars_groups() if groups else data.polars()
        return frame.select(r=expression(polars))["r"]

    return run


def each(expression: Callable[[Any], Any]) -> Run:
    """A polars expression on the elements of `x`."""
    return pl(lambda p: p.col("x").list.eval(expression(p.element())))


def kd(function: Callable[..., Any], *names: str) -> Run:
    """A call of Koda."""

    def run(data: Data) -> Any:
        from koladata import kd as koda

        return function(koda, *(data.koda(name) for name in names))

    return run


def db(expression: str) -> Run:
    """An expression of DuckDB on its own table, taken out as Arrow."""

    def run(data: Data) -> Any:
        return data.duckdb().sql(f"select {expression} as r from frame").to_arrow_table()["r"]

    return run


def flat(data: Data) -> np.ndarray:
    """The values of `x` as numpy."""
    return data.x.values.to_numpy(zero_copy_only=False)


def relist(data: Data, values: Any) -> pa.Array:
    """Flat values in the rows of `x`, by hand."""
    return pa.LargeListArray.from_arrays(pa.array(data.offsets), values)


def parents(data: Data) -> Any:
    """The row of each value, by hand."""
    return np.repeat(np.arange(len(data.sizes), dtype=np.int32), data.sizes)
