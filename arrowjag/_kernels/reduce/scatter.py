"""Reductions along an outer axis: items are added or compared at the places of their groups, without being moved first.

`group` is the number of the group of each item, and `size` the number of groups.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from arrowjag._kernels import strategy
from arrowjag._kernels.base.errstate import without_warnings
from arrowjag._kernels.base.extremes import holds_nan, identity_of, largest_magnitude
from arrowjag._kernels.base.fill import filled
from arrowjag._kernels.compiled.library import find_loop
from arrowjag._kernels.reduce.segments import EXACT, without_signed_zeros
from arrowjag.typing import BoolArray, IntArray

Scattered: TypeAlias = "tuple[Any, BoolArray | None] | None"


def count_at(valid: BoolArray | None, group: IntArray, size: int) -> IntArray:
    """Count the valid items of each group."""
    if valid is None:
        return np.bincount(group, minlength=size)
    counts: IntArray = _add_at(valid, None, group, size).astype(np.int64)
    return counts


def _filled(data: Any, valid: BoolArray | None, fill: object) -> Any:
    return data if valid is None else filled(data, valid, fill)


def _run(name: str, data: Any, valid: BoolArray | None, group: IntArray, out: Any) -> bool:
    """Combine items by a compiled loop; False if there is none."""
    loop = strategy.loop_of("scattered", find_loop(name, data.dtype, valid is not None, len(data)))
    if loop is None:
        return False
    loop(np.ascontiguousarray(data), valid, np.ascontiguousarray(group, np.int64), len(data), out)
    return True


def _add_at(data: Any, valid: BoolArray | None, group: IntArray, size: int) -> Any:
    """Sum each group in float64. Nulls add 0, which changes no sum: each begins at 0.0 and so is never -0.0."""
    out = np.zeros(size)
    if data.dtype.kind in "bf" and _run("scattered_sums", data, valid, group, out):
        return out
    return np.bincount(group, weights=_filled(data, valid, 0), minlength=size)


def _scatter_sum(data: Any, valid: BoolArray | None, group: IntArray, size: int) -> Scattered:
    if data.dtype.kind == "f":
        return without_warnings(_add_at(data, valid, group, size).astype, data.dtype), None
    data = _filled(data, valid, 0)
    wide = np.uint64 if data.dtype.kind == "u" else np.int64
    limit = int(np.iinfo(wide).max) // max(len(data), 1)
    if largest_magnitude(data) > limit:
        return None
    total = np.zeros(size, wide)
    np.add.at(total, group, data.astype(wide, copy=False))
    return total, None


def _scatter_mean(data: Any, valid: BoolArray | None, group: IntArray, size: int) -> Scattered:
    if data.dtype.kind in "iu" and len(data):
        data = _filled(data, valid, 0)
        if largest_magnitude(data) * len(data) > EXACT:
            return None
    count = count_at(valid, group, size)
    mean = _add_at(data, valid, group, size) / np.maximum(count, 1)
    return mean.astype(data.dtype if data.dtype.kind == "f" else np.float64), count > 0


def _scatter_count(_data: Any, valid: BoolArray | None, group: IntArray, size: int) -> Scattered:
    return count_at(valid, group, size), None


def _scatter_extreme(function: np.ufunc) -> Callable[[Any, BoolArray | None, IntArray, int], Scattered]:
    def scatter(data: Any, valid: BoolArray | None, group: IntArray, size: int) -> Scattered:
        if data.dtype.kind == "b":
            found = scatter(data.view(np.int8), valid, group, size)
            return found and (found[0] == 1, found[1])
        identity = np.asarray(identity_of(data.dtype, function is np.maximum), data.dtype)
        if holds_nan(data) and holds_nan(_filled(data, valid, identity)):
            return None  # a valid item is NaN
        out = np.full(size, identity)
        if not _run("scattered_max" if function is np.maximum else "scattered_min", data, valid, group, out):
            function.at(out, group, _filled(data, valid, identity))
        without_signed_zeros(out)
        unchanged = out == identity
        if not unchanged.any():
            return out, None
        equal = data == identity
        # A valid item equals the identity, so the items of each group are counted.
        if np.count_nonzero(equal if valid is None else equal & valid):
            unchanged = count_at(valid, group, size) == 0
        present = ~unchanged
        return filled(out, present, 0), present

    return scatter


def _scatter_truth(function: np.ufunc) -> Callable[[Any, BoolArray | None, IntArray, int], Scattered]:
    """Whether any item is True, by the largest one, or whether all are, by the smallest."""
    extreme, without_items = _scatter_extreme(function), function is np.minimum

    def scatter(data: Any, valid: BoolArray | None, group: IntArray, size: int) -> Scattered:
        found = extreme(data.astype(bool, copy=False), valid, group, size)
        return found and (found[0] if found[1] is None else filled(found[0], found[1], without_items), None)

    return scatter


OUTER: dict[str, Callable[[Any, BoolArray | None, IntArray, int], Scattered]] = {
    "sum": _scatter_sum,
    "mean": _scatter_mean,
    "count": _scatter_count,
    "min": _scatter_extreme(np.minimum),
    "max": _scatter_extreme(np.maximum),
    "any": _scatter_truth(np.maximum),
    "all": _scatter_truth(np.minimum),
}
"""Reductions that combine items in any order, and so can scatter."""
