"""Reductions along an outer axis, which add or compare each item at its node, against plain Python."""

from __future__ import annotations

import math

import numpy as np
import pytest

from arrowjag._kernels.reduce.scatter import OUTER, count_at
from arrowjag._kernels.reduce.segments import EXACT
from tests.compiled_calls import forced

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
SIZE = 40


@pytest.fixture(autouse=True, params=["numpy", "compiled"])
def by_each_strategy(request):
    with forced(request.param):
        yield


def draw(dtype, n):
    """Numbers at nodes, some of which have none, or none that is valid; both ends of the type among them."""
    random = np.random.default_rng(n)
    node = random.integers(0, SIZE // 2, n) * 2  # every second node has no items
    valid = random.random(n) < 0.6
    if np.dtype(dtype).kind == "f":
        data = random.integers(-50, 50, n).astype(dtype) / np.asarray(4, dtype)
        data[::11] = random.choice([np.inf, -np.inf])
    else:
        data = random.integers(max(-50, int(np.iinfo(dtype).min)), 50, n).astype(dtype)
    return data, node, valid


def grouped(data, valid, node, size=SIZE):
    found = [[] for _ in range(size)]
    for one, there, place in zip(data.tolist(), [True] * len(data) if valid is None else valid, node, strict=True):
        if there:
            found[place].append(one)
    return found


def check(operation, data, valid, node, expected, *, size=SIZE, dtype=None):
    values, known = OUTER[operation](data, valid, node, size)
    assert dtype is None or values.dtype == dtype
    assert len(values) == size
    got = values.tolist()
    assert [got[at] if known is None or known[at] else None for at in range(size)] == expected
    if known is not None:
        assert not np.any(values[~known])  # nothing odd lies under a null


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS])
@pytest.mark.parametrize("with_nulls", [False, True])
@pytest.mark.parametrize("n", [0, 1, 7, 300])
def test_each_reduction_equals_python(dtype, with_nulls, n):
    data, node, valid = draw(dtype, n)
    groups = grouped(data, valid if with_nulls else None, node)
    mask = valid if with_nulls else None
    check("count", data, mask, node, [len(one) for one in groups])
    check("min", data, mask, node, [min(one, default=None) for one in groups], dtype=data.dtype)
    check("max", data, mask, node, [max(one, default=None) for one in groups], dtype=data.dtype)
    if np.dtype(dtype).kind == "f":
        data = np.where(np.isfinite(data), data, np.asarray(1, dtype))
        groups = grouped(data, mask, node)
    exact = np.dtype(dtype) if np.dtype(dtype).kind == "f" else np.dtype(np.float64)
    wide = exact if np.dtype(dtype).kind == "f" else np.dtype(np.uint64 if dtype.startswith("u") else np.int64)
    check("sum", data, mask, node, [wide.type(sum(one)).item() for one in groups], dtype=wide)
    check("mean", data, mask, node, [exact.type(math.fsum(one) / len(one)).item() if one else None for one in groups], dtype=exact)


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS])
@pytest.mark.parametrize("operation", ["min", "max"])
def test_the_ends_of_a_type_are_values(operation, dtype):
    """The number that marks an empty cell may be an item too."""
    limits = (-np.inf, np.inf) if np.dtype(dtype).kind == "f" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    data, node = np.array([*limits, 1, *limits], dtype), np.array([0, 1, 2, 3, 3])
    low, high = data[:2].tolist()
    ends = [low, high, 1, low if operation == "min" else high, None]
    check(operation, data, None, node, ends, size=5, dtype=data.dtype)
    valid = np.array([True, True, False, True, False])
    check(operation, data, valid, node, [low, high, None, low, None], size=5)


@pytest.mark.parametrize("operation", ["min", "max"])
def test_extremes_of_booleans(operation):
    """They are also whether all items are True, and whether any is."""
    flags, valid, node = np.array([True, False, True, False]), np.array([True, True, True, False]), np.array([0, 1, 1, 2])
    largest = operation == "max"
    check(operation, flags, valid, node, [True, largest, None], size=3)
    check(operation, flags[:3], None, node[:3], [True, largest], size=2)
    check("any" if largest else "all", flags, valid, node, [True, largest, not largest], size=3)


@pytest.mark.parametrize("operation", ["min", "max"])
def test_extremes_of_nan_are_declined(operation):
    node = np.array([0, 1, 1])
    data = np.array([1.0, np.nan, 2.0])
    assert OUTER[operation](data, None, node, 2) is None
    check(operation, data, ~np.isnan(data), node, [1.0, 2.0], size=2)
    values, _ = OUTER[operation](np.array([-0.0, -0.0, -0.0]), None, node, 2)
    assert not np.signbit(values).any()


@pytest.mark.parametrize(("dtype", "most"), [("int64", 2**62 - 1), ("uint64", 2**63 - 1), ("int64", -(2**62) + 1)])
def test_sums_that_may_not_fit_are_declined(dtype, most):
    node = np.array([0, 0])
    check("sum", np.array([most, most], dtype), None, node, [2 * most], size=1)
    beyond = most + (1 if most > 0 else -1)
    assert OUTER["sum"](np.array([beyond, beyond], dtype), None, node, 1) is None
    valid = np.array([True, False])
    check("sum", np.array([most, np.iinfo(dtype).max], dtype), valid, node, [most], size=1)


@pytest.mark.parametrize("sign", [1, -1])
def test_means_beyond_exact_floats_are_declined(sign):
    node, half = np.array([0, 0]), sign * (EXACT // 2)
    check("mean", np.array([half, half]), None, node, [float(half)], size=1)
    assert OUTER["mean"](np.array([half + sign, 0]), None, node, 1) is None
    check("mean", np.array([half, 2**63 - 1]), np.array([True, False]), node, [float(half)], size=1)


def test_counts_cover_every_node():
    node = np.array([0, 3, 3])
    assert count_at(None, node, 5).tolist() == [1, 0, 0, 2, 0]
    assert count_at(np.array([False, True, False]), node, 5).tolist() == [0, 0, 0, 1, 0]
    assert count_at(None, node[:0], 2).tolist() == [0, 0]


def test_a_nan_under_a_null_is_no_item():
    data, valid, node = np.array([np.nan, 2.0, 1.0, np.nan]), np.array([False, True, True, False]), np.array([0, 0, 1, 2])
    check("max", data, valid, node, [2.0, 1.0, None], size=3)
    assert OUTER["max"](data, np.array([False, True, True, True]), node, 3) is None  # a NaN that is an item


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_sums_too_large_for_their_type_are_infinite(dtype):
    found, _ = OUTER["sum"](np.full(3, np.finfo(dtype).max), None, np.array([0, 0, 1]), 2)
    assert found.dtype == dtype
    assert np.isinf(found).tolist() == [True, False]
