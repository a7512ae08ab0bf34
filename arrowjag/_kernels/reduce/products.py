"""Sums of products of two columns for each row: of their items, and of the deviations from their means."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base.blocks import map_rows
from arrowjag._kernels.base.errstate import without_warnings
from arrowjag._kernels.base.fill import fill
from arrowjag._kernels.base.memory import empty, empty_columns
from arrowjag._kernels.compiled import fused_name
from arrowjag._kernels.compiled.library import Compiled, find_loop
from arrowjag._kernels.reduce.moments import deviations
from arrowjag._kernels.reduce.ordered import row_sums
from arrowjag._kernels.reduce.segments import Block, Valid, over_blocks, result_type, shifted
from arrowjag._kernels.reduce.sums import mean

__all__ = ["Products", "common_type", "dot", "dots", "matmul_types", "products", "unit_product"]

Floats = NDArray[np.float64]

_DOUBLE = np.dtype(np.float64)


def unit_product(xy: Floats, xx: Floats, yy: Floats) -> Floats:
    """Sums of products over the root of both sums of squares, from -1 to 1; NaN where a sum of squares is 0.

    Where both columns are equal bit for bit the result is exactly 1, and -1 where they differ in sign only.
    """

    def write(rows: slice, out: Floats) -> None:
        _write_unit_product(xy[rows], xx[rows], yy[rows], out)

    return fill(write, len(xy), np.float64, strategy.sizes.ROWS)


def _write_unit_product(xy: Floats, xx: Floats, yy: Floats, out: Floats) -> None:
    square = xx * yy
    normal = (square > _SMALLEST) & (square < np.inf)
    size = np.sqrt(square)
    if np.count_nonzero(normal) < len(normal):
        size = np.where(normal, size, np.sqrt(xx) * np.sqrt(yy))
    np.copyto(size, xx, where=xx == yy)
    np.divide(xy, size, out=out)
    np.maximum(out, -1.0, out=out)
    np.minimum(out, 1.0, out=out)


_SMALLEST = 1e-290
"""Products below it may have lost digits."""


class Products(NamedTuple):
    """Sums over the complete pairs of each row; entries of a row without pairs are unspecified."""

    counts: Floats
    mean_x: Floats
    mean_y: Floats
    xx: Floats
    yy: Floats
    xy: Floats


def products(x: NDArray[Any], y: NDArray[Any], valid: Valid, offsets: NDArray[np.int64]) -> Products:
    """The means of two columns, and the sums of squares and of products of their deviations, of each row.

    Parameters
    ----------
    x, y : (n_values,) arrays of floats, integers or booleans
    valid : (n_values,) bool array, optional
        True where both have an item.
    offsets : (n_rows + 1,) int64 array

    Returns
    -------
    Products
        Of (n_rows,) float64 arrays.

    Notes
    -----
    O(n_values), on all cores, in blocks that stay in cache.
    """
    found = Products(*empty_columns(len(Products._fields), len(offsets) - 1))
    loop = strategy.loop_of("central", find_loop("products", _DOUBLE, valid is not None, len(x), often=True))
    if loop is not None and x.dtype == y.dtype == _DOUBLE:
        x, y = np.ascontiguousarray(x), np.ascontiguousarray(y)
        map_rows(lambda first, last: loop(x, y, valid, offsets, first, last, *found), offsets)
        return found

    def work(block: Block) -> None:
        if loop is not None:
            _run_products(loop, block, y[block.items], found)
            return
        n, mean_x, of_x = deviations(block)
        _, mean_y, of_y = deviations(block._replace(data=y[block.items]))
        rows = block.rows
        found.counts[rows], found.mean_x[rows], found.mean_y[rows] = n, mean_x, mean_y
        scratch = empty(len(of_x), np.float64)
        for out, one, two in ((found.xx, of_x, of_x), (found.yy, of_y, of_y), (found.xy, of_x, of_y)):
            np.multiply(one, two, out=scratch)
            row_sums(scratch, None, block.offsets, out[rows])

    over_blocks(work, x, valid, offsets)
    for data, means in ((x, found.mean_x), (y, found.mean_y)):
        if data.dtype.kind in "iu":  # the deviations may have been computed from differences, without a mean
            means[:], _ = mean(data, valid, offsets)
    return found


_DOTS = "||||mul:f8:f8,0,1;mul:f8:f8,0,0;mul:f8:f8,1,1;sum:f8:f8,2;sum:f8:f8,3;sum:f8:f8,4|5,6,7"
"""The program of a loop that adds up the products and the squares of two columns of items."""


def dots(x: NDArray[Any], y: NDArray[Any], valid: Valid, offsets: NDArray[np.int64]) -> tuple[Floats, Floats, Floats]:
    """The sums of products of two columns, of squares of the first and of squares of the second, of each row.

    Parameters
    ----------
    x, y : (n_values,) arrays of floats, integers or booleans
    valid : (n_values,) bool array, optional
        True where both have an item.
    offsets : (n_rows + 1,) int64 array

    Returns
    -------
    xy, xx, yy : (n_rows,) float64 arrays

    Notes
    -----
    O(n_values), on all cores; products and sums are float64. 5M pairs of float64 in rows of 10 take 10 ms of CPU time compiled,
    34 otherwise.
    """
    xy, xx, yy = found = empty_columns(3, len(offsets) - 1)
    loop = strategy.loop_of("central", _dots_loop(x, y, valid))
    if loop is not None:
        data = [np.ascontiguousarray(one) for one in (x, y)] + ([] if valid is None else [valid, valid])
        map_rows(lambda first, last: loop(offsets, first, last, *data, np.zeros(1), np.zeros(1, np.int64), *found), offsets)
        return xy, xx, yy

    def work(block: Block) -> None:
        left = block.filled(0, np.float64)
        right = block._replace(data=y[block.items]).filled(0, np.float64)
        scratch = empty(len(left), np.float64)
        for out, one, two in ((xy, left, right), (xx, left, left), (yy, right, right)):
            row_sums(np.multiply(one, two, out=scratch), None, block.offsets, out[block.rows])

    over_blocks(work, x, valid, offsets)
    return xy, xx, yy


_DOT = "||||mul:f8:f8,0,1;sum:f8:f8,2|3"
"""As `_DOTS`, of the products alone."""


def dot(x: NDArray[Any], y: NDArray[Any], offsets: NDArray[np.int64], valid: Valid = None) -> Floats:
    """The sum of products of two columns of each row, in the order of `row_sums`; 0 for a row without items.

    Parameters
    ----------
    x, y : (n_values,) arrays of floats, integers or booleans
    offsets : (n_rows + 1,) int64 array
    valid : (n_values,) bool array, optional
        True where both have an item.

    Notes
    -----
    O(n_values), on all cores; products and sums are float64.
    """
    out = empty(len(offsets) - 1, np.float64)
    loop = strategy.loop_of("central", _dots_loop(x, y, valid, _DOT))
    if loop is not None:
        data = [np.ascontiguousarray(one) for one in (x, y)] + ([] if valid is None else [valid, valid])
        map_rows(lambda first, last: loop(offsets, first, last, *data, np.zeros(1), np.zeros(1, np.int64), out), offsets)
        return out

    def work(block: Block) -> None:
        product = without_warnings(np.multiply, block.data, y[block.items], dtype=np.float64)
        row_sums(product, block.valid, block.offsets, out[block.rows])

    over_blocks(work, x, valid, offsets)
    return out


def _dots_loop(x: NDArray[Any], y: NDArray[Any], valid: Valid, program: str = _DOTS) -> Compiled | None:
    """The compiled loop of `dots` or `dot`, where it is ready."""
    name = _dots_name(x.dtype, y.dtype, valid is not None, program)
    return None if name is None else find_loop(name, _DOUBLE, False, len(x), often=True)


@functools.lru_cache(64)
def _dots_name(x: np.dtype[Any], y: np.dtype[Any], has_nulls: bool, program: str) -> str | None:
    """The name of the loop for two types; None if there is none. Kept, because few values ask as often as many."""
    codes = [f"{one.kind}{one.itemsize}" for one in (x, y)]
    if not all(code in ("f4", "f8", "i4", "i8") for code in codes):
        return None
    nulls = "?" if has_nulls else ""
    return fused_name(f"{codes[0]}{nulls},{codes[1]}{nulls}{program}")


def _run_products(loop: Compiled, block: Block, other: NDArray[Any], found: Products) -> None:
    """Fill the rows of a block by a compiled loop, from items as float64."""
    x, y = np.ascontiguousarray(_deviating(block)), np.ascontiguousarray(_deviating(block, other))
    loop(x, y, block.valid, block.offsets, 0, len(block.offsets) - 1, *(one[block.rows] for one in found))


def _deviating(block: Block, other: NDArray[Any] | None = None) -> NDArray[np.float64]:
    """The items of a block, or others in their place, as float64 numbers of the same deviations."""
    data = block.data if other is None else other
    if data.dtype.kind not in "iu":
        return data.astype(np.float64, copy=False)
    return shifted(block if other is None else block._replace(data=other))


def common_type(x: NDArray[Any], y: NDArray[Any]) -> np.dtype[Any]:
    """The type of a statistic of two columns: that of floats, float64 of all others."""
    found = result_type(x.dtype)
    return found if x.dtype == y.dtype else np.result_type(found, result_type(y.dtype))


def matmul_types(x: NDArray[Any], y: NDArray[Any]) -> tuple[np.dtype[Any], np.dtype[Any]]:
    """The type of a sum of products and the type to compute it in: float32 for half floats, 64 bits for integers."""
    common = np.result_type(x.dtype, y.dtype)
    if common.kind == "f":
        return common, np.dtype(np.float32) if common == np.float16 else common
    wide = np.dtype(np.uint64 if common.kind == "u" else np.int64)
    return wide, wide
