"""Rows for kernel tests: a hypothesis strategy, and the way from flat arrays back to plain lists."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
EVERY_DTYPE = ["bool", *INTEGERS, *FLOATS]


class Rows(NamedTuple):
    """Rows as plain lists (None is null) and as a kernel takes them."""

    lists: list[list[Any]]
    data: NDArray[Any]
    valid: NDArray[np.bool_] | None
    offsets: NDArray[np.int64]


def make(lists: list[list[Any]], dtype: Any) -> Rows:
    """Flat arrays of lists; under a null lies a value that would show if it were used."""
    flat = [item for row in lists for item in row]
    valid = np.array([item is not None for item in flat], np.bool_)
    under_null = math.nan if np.dtype(dtype).kind == "f" else 1
    data = np.array([under_null if item is None else item for item in flat], dtype)
    return Rows(lists, data, None if valid.all() else valid, make_offsets(lists))


def offsets_from(sizes: Sequence[int] | NDArray[Any]) -> NDArray[np.int64]:
    return np.array([0, *np.cumsum(sizes, dtype=np.int64)], np.int64)


def make_offsets(lists: list[list[Any]]) -> NDArray[np.int64]:
    return offsets_from([len(row) for row in lists])


def bits(data: NDArray[Any]) -> NDArray[Any]:
    """Numbers as words, by which -0.0 differs from 0.0; all NaN are one, because processors choose their sign."""
    if data.dtype.kind == "f":
        data = np.where(np.isnan(data), np.nan, data).astype(data.dtype)
    return data.view(f"u{data.itemsize}")


def total_type(dtype: Any) -> str:
    """The type of a sum of numbers of a type."""
    return {"f": str(dtype), "u": "uint64"}.get(np.dtype(dtype).kind, "int64")


def items(dtype: str) -> st.SearchStrategy[Any]:
    """Items of a type: few distinct ones, so that ties occur, with NaN, infinities and -0.0."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        return st.booleans()
    if kind == "f":
        plain = st.integers(-64, 64).map(lambda number: number / 4)
        return plain | st.sampled_from([-0.0, 0.0, math.nan, math.inf, -math.inf])
    limits = np.iinfo(dtype)
    return st.integers(max(-5, int(limits.min)), 5)


@st.composite
def rows(draw: st.DrawFn, dtypes: list[str] = EVERY_DTYPE, *, nulls: bool = True) -> Rows:
    """Rows of any of the types, with empty ones anywhere; now and then rows long enough for the paths of long rows."""
    dtype = draw(st.sampled_from(dtypes))
    item = items(dtype)
    if nulls and draw(st.booleans()):
        item = st.none() | item
    lists = draw(st.lists(st.lists(item, max_size=6), max_size=8))
    if draw(st.integers(0, 4)) == 0:
        lists.insert(draw(st.integers(0, len(lists))), draw(st.lists(item, min_size=1, max_size=6)) * 15)
    return make(lists + [[]] * draw(st.integers(0, 2)), dtype)


def to_lists(data: NDArray[Any], valid: NDArray[np.bool_] | None, offsets: NDArray[np.int64]) -> list[list[Any]]:
    """Rows of flat results, None for null."""
    flat = to_list(data, valid)
    return [flat[start:end] for start, end in pairwise(offsets.tolist())]


def to_list(data: NDArray[Any], valid: NDArray[np.bool_] | None) -> list[Any]:
    """Results as a list, None for null."""
    present = [True] * len(data) if valid is None else valid.tolist()
    return [item if known else None for item, known in zip(data.tolist(), present, strict=True)]


def same(got: Any, expected: Any, tolerance: float = 0.0) -> bool:
    """Whether two results agree: None only with None, NaN with NaN, numbers within the relative tolerance."""
    if isinstance(expected, list):
        return len(got) == len(expected) and all(same(a, b, tolerance) for a, b in zip(got, expected, strict=True))
    if got is None or expected is None:
        return got is expected
    if isinstance(expected, float) and math.isnan(expected):
        return math.isnan(got)
    return got == expected or math.isclose(got, expected, rel_tol=tolerance, abs_tol=tolerance)


SMALL_BLOCKS = {"THREAD_VALUES": 20_000, "CACHE_VALUES": 1 << 13, "LARGE_VALUES": 1 << 14, "COMPILED_VALUES": 1 << 9}
"""Sizes for `strategy.force` by which the tenth of `many_rows` is cut into as many blocks as all of them otherwise."""


def key_of(item: Any) -> Any:
    """A dictionary key that is equal for equal items: one NaN, one zero."""
    return "nan" if isinstance(item, float) and math.isnan(item) else item


def many_rows(dtype: str = "float64", *, nulls: bool = False, seed: int = 0, tenth: bool = False) -> Rows:
    """Enough rows (about 400k values) to be cut into blocks over threads: short, empty, long, trailing empty ones."""
    random, share = np.random.default_rng(seed), 10 if tenth else 1
    short, long = random.poisson(6, 50_000 // share), [70_000 // share, 0, 300, 300]
    sizes = np.concatenate([short, long, random.integers(0, 80, 500 // share), [0, 0]])
    offsets = offsets_from(sizes)
    data = random.integers(0, 2 if dtype == "bool" else 100, offsets[-1]).astype(dtype)
    if np.dtype(dtype).kind == "f":
        data[random.random(len(data)) < 0.001] = np.nan
    valid = random.random(len(data)) > 0.1 if nulls else None
    return Rows(to_lists(data, valid, offsets), data, valid, offsets)
