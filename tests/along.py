"""Helpers for tests of operations along a dim: strategies for axes, and the oracle's row functions applied along any axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from arrowjag.errors import JagOverflowError
from tests import reference as ref

Axis = int | tuple[int, ...] | None

NUMBERS = (pa.int64(), pa.int8(), pa.uint64(), pa.uint8(), pa.float64(), pa.float32(), pa.bool_(), pa.null())

ORDERED = (
    "bool",
    "int",
    "uint",
    "float",
    "decimal",
    "string",
    "binary",
    "date",
    "time",
    "timestamp",
    "duration",
    "dictionary",
    "category",
)
"""Kinds of leaves whose Python values compare with `<`."""

EQUAL = (*ORDERED, "struct", "null")
"""Kinds of leaves that can be told apart."""


def trailing_axes(ndim: int) -> st.SearchStrategy[Axis]:
    """The last axis, or several at the end together."""
    tuples = [tuple(range(first, ndim)) for first in range(ndim)]
    return st.sampled_from([-1, None, *tuples, *[tuple(axis - ndim for axis in one) for one in tuples]])


def any_axis(ndim: int) -> st.SearchStrategy[Axis]:
    return trailing_axes(ndim) | st.integers(-ndim, ndim - 1)


def single_axis(ndim: int) -> st.SearchStrategy[int]:
    return st.integers(-ndim, ndim - 1)


def first_axis(axis: Axis, ndim: int) -> tuple[int, bool]:
    """The outermost of the axes, and whether they reach the leaves."""
    axes = range(ndim) if axis is None else [axis % ndim] if isinstance(axis, int) else [one % ndim for one in axis]
    return min(axes), max(axes) == ndim - 1


def kept(f: Callable[[list[Any]], list[Any]], x: Any, ndim: int, axis: Axis = -1, *, complete: bool = False) -> Any:
    """`f` of each group of leaves, its results put where the leaves were.

    Along an outer axis the leaves at equal local positions are one group; `complete` fills places that some row lacks with nulls.
    """
    first, to_leaves = first_axis(axis, ndim)
    if to_leaves:
        return ref.rows_at(lambda row: _refilled(row, ndim - first, f(ref.items(row, ndim - first))), x, first)
    return ref.rows_at(lambda row: _spread_over(f, row, ndim - first, complete), x, first)


def argsorted(x: Any, ndim: int, axis: Axis = -1, *, descending: bool = False) -> Any:
    """The slots of the items in sorted order; along an outer axis the places along it, each leaf sorted beside its place."""
    slots = lambda row: ref.row_order(row, descending=descending)  # noqa: E731
    first, to_leaves = first_axis(axis, ndim)
    if to_leaves:
        return kept(slots, x, ndim, axis)

    def across(row: list[Any]) -> Any:
        placed = [ref.at_depth(lambda leaf, k=k: (leaf, k), one, ndim - first - 1) for k, one in enumerate(row)]
        pick = lambda group: [group[k][1] for k in slots([leaf for leaf, _ in group])]  # noqa: E731
        return kept(pick, placed, ndim - first, 0)

    return ref.rows_at(across, x, first)


def _refilled(row: Any, depth: int, results: list[Any]) -> Any:
    taken = iter(results)
    return ref.at_depth(lambda _: next(taken), row, depth)


def _spread_over(f: Callable[[list[Any]], list[Any]], row: list[Any], depth: int, complete: bool) -> Any:
    groups: dict[tuple[int, ...], dict[int, Any]] = {}
    order = []
    for at, leaf in ref._coordinates(row, depth):
        groups.setdefault(at[1:], {})[at[0]] = leaf
        order.append(at)
    found: dict[tuple[int, ...], Any] = {}
    for place, slots in groups.items():
        wanted = range(max(slots) + 1) if complete else slots
        results = f([slots.get(slot) for slot in wanted])
        found |= {(slot, *place): one for slot, one in zip(wanted, results, strict=True)}
    return _refilled(row, depth, [found[at] for at in order])


def grouped(x: Any, ndim: int, axis: Axis) -> tuple[Any, int]:
    """The data with several trailing axes flattened, and the one axis to look at."""
    if isinstance(axis, int):
        return x, axis % ndim
    first, _ = first_axis(axis, ndim)
    return (x if first == ndim - 1 else ref.flatten(x, ndim, first)), first


def common_extents(*arrays: Any) -> list[int | None]:
    """The declared extents of what several arrays give together: those that any of them declares."""
    each = [one.shape.extents for one in arrays]
    return [next((one[k] for one in each if k < len(one) and one[k] is not None), None) for k in range(max(map(len, each)))]


def as_list(result: Any) -> Any:
    return result.as_py() if isinstance(result, pa.Scalar) else result.to_list()


def outcome(call: Callable[[], Any]) -> Any:
    """The result of a call, or a mark that it does not fit."""
    try:
        return as_list(call())
    except JagOverflowError:
        return "overflow"


def within(leaf: pa.DataType, expected: Any, ndim: int) -> Any:
    """The expected result, or that some of it does not fit the 64 bits that sums of the type have."""
    signed = pa.types.is_signed_integer(leaf) or pa.types.is_boolean(leaf) or pa.types.is_null(leaf)
    low, high = (-(2**63), 2**63 - 1) if signed else (0, 2**64 - 1)
    leaves = [v for v in ref.items(expected, ndim) if isinstance(v, int)]
    fits = pa.types.is_floating(leaf) or all(low <= v <= high for v in leaves)
    return expected if fits else "overflow"


def tolerance(leaf: pa.DataType) -> dict[str, float]:
    if not pa.types.is_floating(leaf):
        return {"rel_tol": 0.0, "abs_tol": 0.0} if not pa.types.is_decimal(leaf) else {}
    return {"rel_tol": {16: 2e-3, 32: 1e-5, 64: 1e-9}[leaf.bit_width], "abs_tol": {16: 1e-2, 32: 1e-5, 64: 1e-12}[leaf.bit_width]}
