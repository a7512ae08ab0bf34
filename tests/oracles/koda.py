"""Arrays and shapes of both libraries from the same numbers, and the outcome of a call in each."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, NamedTuple

import pyarrow as pa
import pytest

import arrowjag as aj

kd = pytest.importorskip("koladata.kd")


class Pair(NamedTuple):
    """The same thing in both libraries."""

    ours: Any
    theirs: Any


def random_sizes(rng: random.Random, ndim: int, longest: int = 3) -> list[list[int]]:
    """Sizes of a shape, one list a dim; now and then all rows of a dim are equal."""
    sizes: list[list[int]] = []
    rows = 1
    for _ in range(ndim):
        same = rng.randint(0, longest) if rng.random() < 0.3 else None
        sizes.append([rng.randint(0, longest) if same is None else same for _ in range(rows)])
        rows = sum(sizes[-1])
    return sizes


def shape_pair(sizes: list[list[int]]) -> Pair:
    return Pair(aj.JaggedShape(*sizes), kd.shapes.new(*(kd.slice(one, kd.INT64) for one in sizes)))


def array_pair(values: list[int | None], sizes: list[list[int]]) -> Pair:
    """An int64 array of these sizes."""
    shapes = shape_pair(sizes)
    ours = aj.JaggedArray(shapes.ours, pa.array(values, pa.int64()))
    theirs = kd.item(values[0], kd.INT64) if not sizes else kd.slice(values, kd.INT64).reshape(shapes.theirs)
    return Pair(ours, theirs)


def random_array(rng: random.Random, ndim: int, longest: int = 3, nulls: float = 0.2) -> Pair:
    sizes = random_sizes(rng, ndim, longest)
    n = sum(sizes[-1]) if sizes else 1
    return array_pair([None if rng.random() < nulls else rng.randint(-9, 9) for _ in range(n)], sizes)


def plain(result: Any) -> Any:
    """Shape text, sizes and nested values of a result of either library."""
    if isinstance(result, aj.JaggedShape):
        return repr(result), [list(one) for one in result.unpack()]
    if isinstance(result, aj.JaggedArray):
        return *plain(result.shape), result.to_list()
    if isinstance(result, pa.Scalar):
        return "JaggedShape()", [], result.as_py()
    if isinstance(result, pa.Array):
        return result.to_pylist()
    if isinstance(result, kd.types.JaggedShape):
        return repr(result), kd.shapes.get_sizes(result).to_py()
    if isinstance(result, kd.types.DataSlice):
        return *plain(result.get_shape()), result.to_py(max_depth=-1)
    return result


def outcome(call: Callable[[], Any]) -> Any:
    """The result of a call; "refused" for any error."""
    try:
        return plain(call())
    except (ValueError, TypeError, IndexError, OverflowError):
        return "refused"
