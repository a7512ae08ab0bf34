"""Loops with special code for rows of few items: rows of each length, with nulls, against Python."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

import arrowjag as aj
from tests.compiled_calls import forced

pytest.importorskip("numba")

LENGTHS = [*range(70), *[2, 3, 4, 5] * 20, 127, 128, 129]
TYPES = [pa.int64(), pa.uint64(), pa.int8(), pa.float64(), pa.float32()]


def falling(row: list[Any]) -> list[Any]:
    known = sorted((item for item in row if item is not None), reverse=True)
    return [*known, *[None] * (len(row) - len(known))]


def rising(row: list[Any]) -> list[Any]:
    return [*reversed([item for item in falling(row) if item is not None]), *[None] * row.count(None)]


def running(row: list[Any]) -> list[Any]:
    return [None if item is None else sum(one for one in row[: place + 1] if one is not None) for place, item in enumerate(row)]


def first_of(best: Callable[..., Any]) -> Callable[[list[Any]], Any]:
    def slot(row: list[Any]) -> Any:
        known = [item for item in row if item is not None]
        return row.index(best(known)) if known else None

    return slot


CALLS: dict[str, tuple[Callable[[Any], Any], Callable[[list[Any]], Any]]] = {
    "count": (lambda x: x.count(), lambda row: len(row) - row.count(None)),
    "sum": (lambda x: x.sum(), lambda row: sum(item for item in row if item is not None)),
    "mean": (lambda x: x.mean(), lambda row: sum(known) / len(known) if (known := [i for i in row if i is not None]) else None),
    "min": (lambda x: x.min(), lambda row: min((item for item in row if item is not None), default=None)),
    "max": (lambda x: x.max(), lambda row: max((item for item in row if item is not None), default=None)),
    "argmin": (lambda x: x.argmin(), first_of(min)),
    "argmax": (lambda x: x.argmax(), first_of(max)),
    "sort": (lambda x: x.sort(), rising),
    "sort descending": (lambda x: x.sort(descending=True), falling),
    "cumsum": (lambda x: x.cumsum(), running),
}


@pytest.mark.parametrize("null_bits", ["flags", "compiled"])
@pytest.mark.parametrize("type", TYPES, ids=str)
@pytest.mark.parametrize("name", CALLS)
def test_rows_of_each_length(name: str, type: pa.DataType, null_bits: str) -> None:
    rng = random.Random(name)
    call, oracle = CALLS[name]
    rows = [
        [rng.choice([None, None, 0, 1, 1, 2, 5, 7]) for _ in range(n)] for _ in range(3) for n in rng.sample(LENGTHS, len(LENGTHS))
    ]
    x = aj.array(rows, type=type)[1:]  # its first bit is seldom that of a byte
    with forced("compiled", null_bits=null_bits, sort="matrix", short_sort="compiled"):
        got = call(x).to_list()
    for row, found in zip(rows[1:], got, strict=True):
        expected = oracle(row)
        assert found == (pytest.approx(expected, rel=1e-6) if name == "mean" and expected is not None else expected), row
