"""Softmax over the jagged dim, and products of the matrices of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._arguments import flat_numbers
from arrowjag._column import Column
from arrowjag._kernels.base import blocks
from arrowjag._kernels.dense import matrices
from arrowjag._kernels.reduce.products import matmul_types
from arrowjag._ops import elementwise
from arrowjag._ops.dense.layout import check_size, layout_of
from arrowjag._ops.dense.values import AnyArray, filled, numbers_of
from arrowjag._ops.elementwise.framework import with_data
from arrowjag.dims import Uniform
from arrowjag.errors import OVERFLOW_HINT, JagOverflowError, JagTypeError, ShapeError, plural
from arrowjag.shape import JaggedShape
from arrowjag.typing import BoolArray, IntArray

__all__ = ["bmm", "matmul", "softmax"]


def _matrix(column: Column, operation: str) -> tuple[AnyArray, BoolArray | None, IntArray]:
    """Return the items of a single jagged level as a 2-D array, the validity of its leaves, and the offsets."""
    layout = layout_of(column.shape)
    if len(layout.levels) != 1 or len(layout.inner) > 1:
        raise ShapeError(
            f"{operation} takes one jagged dim and at most one declared dim after it, got {column.shape!r}; an int declares a dim, "
            "as in x.reshape(rows, sizes, 2)"
        )
    data, valid = numbers_of(column, operation)
    shape = layout.levels[0].size, layout.inner[0] if layout.inner else 1
    return data.reshape(shape), None if valid is None else valid.reshape(shape), layout.offsets[0]


def _factors(column: Column, operation: str) -> tuple[AnyArray, IntArray]:
    """Return the items of a single jagged level as a 2-D array, with 0 in place of nulls, and the offsets."""
    data, valid, offsets = _matrix(column, operation)
    if valid is None:
        return data, offsets
    return filled(data.reshape(-1), valid.reshape(-1), data.dtype.type(0)).reshape(data.shape), offsets


def _limit(size: Any, operation: str) -> int | None:
    return None if size is None else check_size(size, operation, "max_size")


def softmax(column: Column, size: Any = None) -> Column:
    """Softmax over the jagged dim, separately per inner column; items from position `size` on get weight 0."""
    limit = _limit(size, "softmax")
    if not pt.is_floating(column.type) and _arrow.is_numeric(column.type):
        column = elementwise.cast(column, pa.float64())
    data, valid, offsets = _matrix(column, "softmax")
    out = matrices.softmax(data, offsets, limit, valid)
    return Column(column.shape, with_data(column.values, out.reshape(-1)))


def bmm(one: Column, two: Column, size: Any = None) -> AnyArray:
    """Multiply the transposed matrix of each row by the other column's matrix: X_b^T Y_b."""
    limit = _limit(size, "bmm")
    left, offsets = _factors(one, "bmm")
    right, other = _factors(two, "bmm")
    if len(offsets) != len(other):
        raise ShapeError(f"bmm: expected equal numbers of rows, got {one.shape!r} and {two.shape!r}")
    if np.count_nonzero(differ := np.diff(offsets) != np.diff(other)):
        row = int(differ.argmax())
        sizes = [plural(int(cut[row + 1] - cut[row]), "item") for cut in (offsets, other)]
        raise ShapeError(f"bmm: row sizes differ: row {row} has {sizes[0]} of {one.shape!r} and {sizes[1]} of {two.shape!r}")
    type, wide = matmul_types(left, right)
    n_left, n_right = left.shape[1], right.shape[1]
    out = np.zeros((len(offsets) - 1, n_left, n_right), type)

    def work(batch: tuple[int, IntArray]) -> None:
        length, rows = batch
        x = matrices.rows_of(left, offsets, rows, length).astype(wide).transpose(0, 2, 1)
        out[rows] = _product(x, matrices.rows_of(right, offsets, rows, length).astype(wide), length, type, rows)

    blocks.map_tasks(work, matrices.of_length(offsets, max(n_left, n_right), limit))
    return out


def matmul(column: Column, dense: Any, size: Any = None) -> Column:
    """Multiply the matrix of each row by a dense one, X_b Y_b; items from position `size` on are 0."""
    limit = _limit(size, "matmul")
    data, offsets = _factors(column, "matmul")
    cells = flat_numbers(dense, "matmul")
    n, width = len(offsets) - 1, data.shape[1]
    if cells.ndim not in (2, 3) or cells.shape[-2] != width or (cells.ndim == 3 and len(cells) != n):
        raise ShapeError(f"matmul: {column.shape!r} takes a dense array of ({n}, {width}, p) or ({width}, p), got {cells.shape}")
    if cells.dtype.kind not in "biuf":
        raise JagTypeError.no_kernel("matmul", column.type, cells.dtype)
    type, wide = matmul_types(data, cells)
    out = np.zeros((len(data), cells.shape[-1]), type)
    cells = cells.astype(wide)

    def work(batch: tuple[int, IntArray]) -> None:
        length, rows = batch
        factors = cells if cells.ndim == 2 else cells[rows]
        found = _product(matrices.rows_of(data, offsets, rows, length).astype(wide), factors, width, type, rows)
        matrices.put(out, offsets, rows, found)

    blocks.map_tasks(work, matrices.of_length(offsets, max(width, out.shape[1]), limit))
    dims = (*column.shape.dims[:2], Uniform(out.shape[1], len(out)))
    return Column(JaggedShape._trusted(dims), _arrow.from_numpy(out.reshape(-1)))


def _product(one: AnyArray, two: AnyArray, length: int, type: np.dtype[Any], rows: IntArray) -> AnyArray:
    """Call np.matmul, and convert the result to a type; raises on integer overflow in one of the rows, whose numbers are given."""
    with np.errstate(all="ignore"):
        result: AnyArray = np.matmul(one, two)
        if one.dtype.kind in "iu" and one.size and two.size:
            bound = float(np.abs(one.astype(np.float64)).max()) * float(np.abs(two.astype(np.float64)).max()) * length
            if bound >= np.iinfo(one.dtype).max:
                about = np.matmul(one.astype(np.float64), two.astype(np.float64))
                wrong = np.abs(about) >= np.iinfo(one.dtype).max * (1 - 1e-9)
                if wrong.any():
                    row = rows[wrong.any(axis=(1, 2)).argmax()]
                    message = f"integer overflow: a sum of products in row {row} does not fit 64 bits."
                    raise JagOverflowError(f"{message} {OVERFLOW_HINT}")
        return result.astype(type, copy=False)
