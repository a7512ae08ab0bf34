"""Random columns with all unusual layouts that Arrow allows, drawn hundreds of times faster than by hypothesis.

`array.to_pylist()` defines the content of a column: pyarrow reads it, not arrowjag.
"""

from __future__ import annotations

import datetime as dt
import decimal
import random
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from hypothesis import HealthCheck, Phase, given, seed, settings

import arrowjag as aj
from arrowjag.testing import LEAF_KINDS, leaf_values
from arrowjag.testing._layouts import STORAGES, list_type
from arrowjag.testing._leaves import leaf_arrays
from arrowjag.testing.strategies import array_of
from tests import reference as ref
from tests.hosts import ABSENT


class Sample(NamedTuple):
    """A column: the Arrow array, its meaning, and what came of it through the gate."""

    array: Any
    truth: list[Any]
    x: aj.JaggedArray

    @property
    def ndim(self) -> int:
        return self.x.ndim

    @property
    def leaf(self) -> pa.DataType:
        return self.x.type


def leaf_type(rng: random.Random, kinds: Sequence[str] = ()) -> pa.DataType:
    """Any type of the kinds of `LEAF_KINDS`, each kind as likely as the others."""
    return rng.choice(LEAF_KINDS[rng.choice(list(kinds) or list(LEAF_KINDS))])


def sample(rng: random.Random, ndim: int, leaf: pa.DataType, *, small: bool = True) -> Sample:
    """A random column of that type. `small` keeps numbers near zero, so that ties are frequent and sums are exact."""
    array = column(rng, ndim, leaf, small=small)
    return Sample(array, array.to_pylist(), aj.from_arrow(array))


def column(rng: random.Random, ndim: int, leaf: pa.DataType, *, small: bool = True) -> Any:
    """Slices, slack, values under null rows, chunks, every storage of lists; without nulls in one of three columns."""
    storages = tuple(rng.choice(STORAGES) for _ in range(ndim - 1))
    plan = _Plan(
        rng,
        leaf,
        storages,
        tuple(rng.randint(0, 3) for _ in storages),
        rng.choice([0.0, 0.2, 0.5]),
        rng.choice([0.0, 0.0, 0.2, 0.5]),
        rng.random() < 0.5,
        rng.choice(["item", "element"]),
        small,
    )
    if rng.random() < 0.7:
        return _level(plan, 0, rng.choice([0, 1, 2, 3, 5, 8, 20]))
    chunks = [_level(plan, 0, rng.randint(0, 4)) for _ in range(rng.randint(0, 3))]
    whole: Any = leaf
    for level in reversed(range(ndim - 1)):
        whole = list_type(whole, storages[level], plan.extents[level], plan.name)
    return pa.chunked_array(chunks, whole)


def beside(rng: random.Random, truth: Any, ndim: int, leaf: pa.DataType, *, small: bool = True) -> aj.JaggedArray:
    """An operand of the same shape, or of the first `ndim` of its levels, with null rows of its own."""
    pool, nulls, null_rows = values(leaf, small), rng.choice([0.0, 0.2]), rng.choice([0.0, 0.0, 0.2])

    def copy(item: Any, depth: int) -> Any:
        if depth == ndim:
            return None if rng.random() < nulls else rng.choice(pool)
        if item is None:
            return None if depth == ndim - 1 or rng.random() < 0.5 else []
        if depth and rng.random() < null_rows:
            return None
        return [copy(one, depth + 1) for one in item]

    return array_of(copy(truth, 0), leaf, ndim)


@cache
def values(leaf: pa.DataType, small: bool) -> list[Any]:
    """Python values of a type, the awkward ones among them; wide ones too unless `small`."""
    if pa.types.is_dictionary(leaf) and leaf.ordered:
        return list(ref.CATEGORIES)
    if pa.types.is_dictionary(leaf):
        return values(leaf.value_type, small)
    if pa.types.is_struct(leaf):
        columns = [[*values(field.type, small), None] for field in leaf]
        return [
            {field.name: one[(k * (j + 2)) % len(one)] for j, (field, one) in enumerate(zip(leaf, columns, strict=True))}
            for k in range(9)
        ]
    if pa.types.is_integer(leaf):
        signed = pa.types.is_signed_integer(leaf)
        low, high = (-(2 ** (leaf.bit_width - 1)), 2 ** (leaf.bit_width - 1) - 1) if signed else (0, 2**leaf.bit_width - 1)
        near = list(range(-4 if signed else 0, 5))
        return near if small else [*near, low, low + 1, high, high - 1, high // 2, high // 3]
    if pa.types.is_floating(leaf):
        near = [-2.0, -1.5, -0.5, -0.0, 0.0, 0.5, 1.0, 2.0, float("nan")]
        wide = [float("inf"), -float("inf"), 0.1, 6e-5, 3.0e4, *([1e38, -1e-38, 1e16] if leaf.bit_width > 16 else [])]
        return near if small else near + wide
    if pa.types.is_decimal(leaf):
        return [decimal.Decimal(text) for text in ("0.00", "1.50", "-1.50", "2.00", "-3.25", "4.00")]
    if pa.types.is_temporal(leaf):
        return _moments(leaf)
    if pa.types.is_fixed_size_binary(leaf):
        return [b"abc", b"\x00\x00\x00", b"abd"]
    if pa.types.is_boolean(leaf):
        return [True, False]
    if pa.types.is_null(leaf):
        return [None]
    return _words(leaf) or _drawn(leaf)


def _words(leaf: pa.DataType) -> list[Any]:
    """Text or bytes; nothing for other types."""
    text = ["", "a", "ä", "b", "twelve bytes", "longer than twelve bytes", "longer than twelve bites"]
    if pa.types.is_string(leaf) or pa.types.is_large_string(leaf) or pa.types.is_string_view(leaf):
        return text
    if pa.types.is_binary(leaf) or pa.types.is_large_binary(leaf) or pa.types.is_binary_view(leaf):
        return [one.encode() for one in text] + [b"\x00", b"\xff"]
    return []


def _drawn(leaf: pa.DataType) -> list[Any]:
    """Values of a type that has no list above: always the same ones of those that hypothesis draws."""
    found: list[Any] = []

    @seed(0)
    @settings(max_examples=20, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(leaf_values(leaf))
    def keep(value: Any) -> None:
        found.append(value)

    keep()
    return found


def _moments(leaf: Any) -> list[Any]:
    if pa.types.is_date(leaf):
        return [dt.date(1900, 1, 1), dt.date(1969, 12, 31), dt.date(1970, 1, 1), dt.date(2200, 2, 28)]
    if pa.types.is_time(leaf):
        return [dt.time(0), dt.time(1, 2, 3), dt.time(23, 59, 59)]
    if leaf == pa.month_day_nano_interval():
        return [(0, 0, 0), (1, -2, 3), (40, 0, -1)]
    step = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[leaf.unit]
    # Python has no nanoseconds: pyarrow makes objects of pandas of them.
    tick = 1000 if leaf.unit == "ns" and "pandas" in ABSENT else 1
    return [0, tick, -tick, 3600 * step, -86_400 * step, 10**9 * step, 10**9 * step + tick]


class _Plan(NamedTuple):
    """The facts that all chunks of a column share."""

    rng: random.Random
    leaf: pa.DataType
    storages: tuple[str, ...]
    extents: tuple[int, ...]
    nulls: float
    null_rows: float
    slack: bool
    name: str
    small: bool


def _level(plan: _Plan, level: int, count: int) -> Any:
    """An array of `count` items of that level, sliced out of a longer one."""
    before, after = (plan.rng.randint(0, 2) if plan.slack else 0 for _ in range(2))
    build = _leaves if level == len(plan.storages) else _lists
    return build(plan, level, before + count + after).slice(before, count)


def _leaves(plan: _Plan, level: int, count: int) -> Any:
    pool = values(plan.leaf, plan.small)
    items = [None if plan.rng.random() < plan.nulls else plan.rng.choice(pool) for _ in range(count)]
    return leaf_arrays(items, plan.leaf, pool[:2] if plan.slack and not pa.types.is_null(plan.leaf) else [])


def _lists(plan: _Plan, level: int, count: int) -> Any:
    rng, storage, extent = plan.rng, plan.storages[level], plan.extents[level]
    valid = np.array([rng.random() >= plan.null_rows for _ in range(count)], dtype=bool)
    kind = lambda child: list_type(child.type, storage, extent, plan.name)  # noqa: E731
    bitmap = None if valid.all() else pa.array(valid).buffers()[1]
    if storage == "fixed_size_list":
        child = _level(plan, level + 1, count * extent)
        return pa.Array.from_buffers(kind(child), count, [bitmap], children=[child])
    sizes = _sizes(rng, count)
    if not plan.slack:  # else null rows own values
        sizes = np.where(valid, sizes, 0)
    first = rng.randint(0, 2) if plan.slack else 0
    offsets = first + np.concatenate(([0], np.cumsum(sizes)))
    child = _level(plan, level + 1, int(offsets[-1]) + (rng.randint(0, 2) if plan.slack else 0))
    width = np.int64 if storage.startswith("large") else np.int32
    parts = [offsets]
    if storage.endswith("view"):
        order = np.array(rng.sample(range(count), count), dtype=np.int64)
        starts = np.empty(count, dtype=np.int64)
        starts[order] = first + np.concatenate(([0], np.cumsum(sizes[order])))[:-1]
        parts = [starts, sizes]
    buffers = [pa.py_buffer(part.astype(width).tobytes()) for part in parts]
    return pa.Array.from_buffers(kind(child), count, [bitmap, *buffers], children=[child])


def _sizes(rng: random.Random, count: int) -> Any:
    """Ragged rows, rows of one size, rows of 0 and 1, or one long row among short ones."""
    how = rng.random()
    if how < 0.5:
        return np.array([rng.randint(0, 4) for _ in range(count)], dtype=np.int64)
    if how < 0.7:
        return np.full(count, rng.randint(0, 4), dtype=np.int64)
    sizes = np.array([rng.randint(0, 1) for _ in range(count)], dtype=np.int64)
    if how > 0.9 and count:
        sizes[rng.randrange(count)] = rng.choice([9, 17, 33])
    return sizes


def oracle(x: aj.JaggedArray) -> ref.Jag:
    """An array as the oracle takes it."""
    return ref.Jag(x.to_list(), x.ndim)
