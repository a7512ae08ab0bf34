"""A fixed set of columns with unusual layouts for all tests of strategies, so that a failure can be reproduced."""

from __future__ import annotations

import datetime as dt
import decimal
import math
import random
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

import arrowjag as aj

NAN, INF = math.nan, math.inf
FLOATS = [NAN, INF, -INF, -0.0, 0.0, 1.5, 1.5, -2.25, 3.0, 1e300, 5e-324]
HALVES = [NAN, INF, -INF, -0.0, 0.0, 1.5, 1.5, -2.25, 3.0]
TIMES = [dt.datetime.fromisoformat(text) for text in ("2024-02-29T01:00", "1969-12-31", "2024-02-29T01:00:00.000001")]

ITEMS: dict[pa.DataType, list[Any]] = {
    pa.int8(): [-128, 127, 0, -1, 1, 1],
    pa.int16(): [-300, 300, 0, 1, 1],
    pa.int32(): [-(2**31), 2**31 - 1, 0, 3, 3],
    pa.int64(): [-5, 5, 0, 3, 3, 2**40],
    pa.uint8(): [0, 255, 1, 1, 7],
    pa.uint16(): [0, 65535, 1, 1],
    pa.uint32(): [0, 2**32 - 1, 1, 1],
    pa.uint64(): [0, 2**60, 1, 1, 2**53 + 1],
    pa.float16(): HALVES,
    pa.float32(): HALVES,
    pa.float64(): FLOATS,
    pa.bool_(): [True, False],
    pa.string(): ["", "a", "b", "bb", "ä"],
    pa.date32(): [time.date() for time in TIMES],
    pa.timestamp("us"): TIMES,
    pa.duration("s"): [dt.timedelta(seconds=count) for count in (-5, 0, 7, 7)],
    pa.decimal128(9, 2): [decimal.Decimal(text) for text in ("-1.50", "0.00", "2.25", "2.25")],
    pa.dictionary(pa.int8(), pa.string()): ["b", "a", "c"],
    pa.null(): [None],
}
"""Items of each leaf type, with ties and the ends of its range."""


class Column(NamedTuple):
    """An array, and what it means."""

    array: aj.JaggedArray
    lists: Any

    @property
    def ndim(self) -> int:
        return self.array.ndim

    @property
    def type(self) -> pa.DataType:
        return self.array.type


def nested(type: pa.DataType, ndim: int) -> pa.DataType:
    for _ in range(ndim - 1):
        type = pa.large_list(type)
    return type


def read(lists: list[Any], type: pa.DataType, ndim: int) -> Column:
    """From a slice of a longer Arrow array."""
    storage = nested(type, ndim)
    if pa.types.is_dictionary(type):
        sliced = pa.array(lists[:1] + lists, nested(pa.string(), ndim)).slice(1)
        x = aj.from_arrow(sliced, ndim)
        return Column(aj.JaggedArray(x.shape, x.values.dictionary_encode().cast(type)), lists)
    return Column(aj.from_arrow(pa.array(lists[:1] + lists, storage).slice(min(len(lists), 1)), ndim), lists)


def rows(type: pa.DataType, sizes: list[int], *, nulls: float = 0.15, seed: int = 0) -> list[list[Any]]:
    draw = random.Random(seed)
    return [[None if draw.random() < nulls else draw.choice(ITEMS[type]) for _ in range(size)] for size in sizes]


def masked(lists: list[Any], type: pa.DataType) -> Column:
    """Rows that are null although their lists hold items, and nulls over junk."""
    junk = [row if row is not None else ITEMS[type][:2] * 2 for row in lists]
    offsets = pa.array(np.cumsum([0, *map(len, junk)]))
    mask = pa.array([row is None for row in lists])
    flat = pa.array([item for row in junk for item in row], type)
    return Column(aj.from_arrow(pa.LargeListArray.from_arrays(offsets, flat, mask=mask), 2), lists)


def zipf(n: int) -> list[int]:
    return [min(int(size), 90) for size in np.random.default_rng(1).zipf(1.6, n)]


SIZES = [3, 0, 9, 1, 1, 0, 6, 2, 30, 4, 0]


@cache
def columns() -> dict[str, Column]:
    """Every leaf type; then layouts and distributions of floats and integers."""
    found = {str(type): read(rows(type, SIZES, seed=3), type, 2) for type in ITEMS}
    for type in (pa.float64(), pa.int64()):
        name = str(type)
        with_nulls = rows(type, SIZES, seed=4)
        with_nulls[2] = with_nulls[6] = None
        three = [rows(type, SIZES[:4], seed=5), None, [], [None, [], *rows(type, [2, 5, 1], seed=6)], rows(type, [1, 0, 2], seed=7)]
        parts = [rows(type, [2, 0, 5], seed=8), [], [None], rows(type, [1, 7], seed=9)]
        chunked = pa.chunked_array([pa.array(part, pa.list_(type)) for part in parts])
        found |= {
            f"{name} in one dim": read(rows(type, [60], seed=10)[0], type, 1),
            f"{name} null rows": masked(with_nulls, type),
            f"{name} null everything": read([None, [None, None], [], [None]], type, 2),
            f"{name} no rows": read([], type, 2),
            f"{name} empty rows": read([[], [], []], type, 2),
            f"{name} three dims": read(three, type, 3),
            f"{name} chunks": Column(aj.from_arrow(chunked, 2), [row for part in parts for row in part]),
            f"{name} equal lengths": read(rows(type, [4] * 20, seed=11), type, 2),
            f"{name} one row": read(rows(type, [150], seed=12), type, 2),
            f"{name} one huge row": read(rows(type, [2, 0, 300, 1, 5], seed=13), type, 2),
            f"{name} zipf": read(rows(type, zipf(60), nulls=0.05, seed=14), type, 2),
            f"{name} no nulls": read(rows(type, SIZES * 3, nulls=0, seed=15), type, 2),
        }
    falling = [rows(pa.int64(), [5, 4, 4, 2, 1], seed=16), rows(pa.int64(), [3, 3], seed=17)]
    even = rows(pa.float64(), [4] * 6, seed=19)
    numbers = [[k * k % 31 + 0.5 for k in range(start, start + size)] for start, size in enumerate(SIZES * 2)]
    return found | {
        "declared sizes": Column(aj.from_arrow(pa.array(even, pa.list_(pa.float64(), 4)), 2), even),
        "floats far from 0": read([[1e9 + item for item in row] for row in numbers], pa.float64(), 2),
        "distinct floats": read(numbers, pa.float64(), 2),
        "falling lengths": read(falling, pa.int64(), 3),
        "cube": read([rows(pa.int64(), [3, 3], seed=20), rows(pa.int64(), [3, 3], seed=21)], pa.int64(), 3),
        "wide integers": read([[2**63 - 1, None, -(2**63), 0], [-(2**63)], [None]], pa.int64(), 2),
        "wide unsigned": read([[2**64 - 1, None, 0, 2**63], [2**64 - 1]], pa.uint64(), 2),
    }
