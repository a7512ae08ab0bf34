"""Maps: each row's slots as keys, and its items as values."""

from __future__ import annotations

from typing import Any

import arrowjag as aj
from benchmarks.case import Case, reduced
from benchmarks.data import Data

ONE = ("float64",)
KEY = 3


def _maps(data: Data) -> aj.JaggedArray:
    return data._kept("ours", "maps", lambda _: aj.to_map(data.slots, data.x))


def _polars(data: Data) -> Any:
    import polars as pl

    return data._kept("polars", "maps", lambda _: pl.DataFrame({"m": _maps(data).to_map()}))


def _looked_up(name: str) -> Any:
    def run(data: Data) -> Any:
        import polars as pl

        return _polars(data).select(r=getattr(pl.col("m").map, name)(KEY))["r"]

    return run


CASES = [
    Case("get", lambda d: _maps(d).get(KEY), {"polars": _looked_up("get")}, dtypes=ONE, touched=reduced),
    Case("contains_key", lambda d: _maps(d).contains_key(KEY), {"polars": _looked_up("contains_key")}, dtypes=ONE, touched=reduced),
    Case("to_map", lambda d: aj.to_map(d.slots, d.x), dtypes=ONE),
]
