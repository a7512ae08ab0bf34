"""Sums and products of a column and a dense array."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from arrowjag import _arrow
from arrowjag._arguments import flat_numbers
from arrowjag._column import Column
from arrowjag._kernels import dense as _kernels
from arrowjag._kernels import strategy
from arrowjag._kernels.base import blocks
from arrowjag._ops import elementwise
from arrowjag._ops.dense.layout import Layout, layout_of
from arrowjag._ops.dense.pad import pad
from arrowjag._ops.dense.unpad import unpad
from arrowjag._ops.dense.values import AnyArray, filled, numbers_of
from arrowjag._ops.elementwise.framework import with_data
from arrowjag._pyarrow_versions import numpy_dtype
from arrowjag.errors import JagTypeError, ShapeError, plural

__all__ = ["add", "mul"]


def _operand(column: Column, dense: Any, operation: str) -> tuple[AnyArray, Layout]:
    """Validate a dense operand, whose inner dims must equal the column's, and return it with the column's layout."""
    cells = flat_numbers(dense, operation)
    if cells.dtype.kind not in "biuf":
        raise JagTypeError.no_kernel(operation, column.type, cells.dtype)
    layout = layout_of(column.shape)
    expected = 1 + len(layout.levels) + len(layout.inner)
    if cells.ndim != expected:
        raise ShapeError(
            f"{operation}: a dense operand of {column.shape!r} has {plural(expected, 'dim')}, got {cells.ndim}: {cells.shape}"
        )
    if cells.shape[0] != column.shape.nodes(1):
        raise ShapeError(
            f"{operation}: {column.shape!r} has {plural(column.shape.nodes(1), 'row')}, the dense operand has {cells.shape[0]}"
        )
    if cells.shape[expected - len(layout.inner) :] != layout.inner:
        raise ShapeError(
            f"{operation}: items of {column.shape!r} are {layout.inner}, got dense {cells.shape}; a size of 1 is not broadcast"
        )
    return cells, layout


def _in_place(function: np.ufunc, target: AnyArray, other: AnyArray) -> None:
    """Write function(target, other) to the target, in blocks on all cores."""
    if not len(target):
        return
    step = max(1, strategy.sizes.DENSE_IN_PLACE_VALUES // max(1, target[:1].size))

    def work(first: int) -> None:
        part = slice(first, first + step)
        with np.errstate(all="ignore"):
            function(target[part], other[part], out=target[part])

    blocks.map_tasks(work, range(0, len(target), step))


def add(column: Column, dense: Any, *, to_dense: bool) -> Column | AnyArray:
    """Add a dense array to a column; items or cells that the other operand lacks count as 0.

    The result is a column, or a dense array with `to_dense`.
    """
    data, valid = numbers_of(column, "add")
    cells, layout = _operand(column, dense, "add")
    if not to_dense:
        return _jagged("add", np.add, column, cells, layout)
    type = elementwise.promote([column.type, pa.from_numpy_dtype(cells.dtype)], "add")
    wide = np.dtype(numpy_dtype(type))
    data = filled(data, valid, data.dtype.type(0))
    padded = pad(data.astype(wide, copy=False), layout, cells.shape[1 : len(layout.levels) + 1], wide.type(0))
    if wide.kind == "b":
        return padded | cells
    _in_place(np.add, padded, cells)
    return padded


def mul(column: Column, dense: Any) -> Column:
    """Multiply a column by a dense array; cells that the array lacks count as 0, so that NaN and infinity become NaN there."""
    numbers_of(column, "mul")
    cells, layout = _operand(column, dense, "mul")
    return _jagged("multiply", np.multiply, column, cells, layout)


def _jagged(name: str, function: np.ufunc, column: Column, cells: AnyArray, layout: Layout) -> Column:
    if not layout.levels or "b" in (cells.dtype.kind, np.dtype(numpy_dtype(column.type)).kind):
        other = _arrow.from_numpy(unpad(cells, layout, cells.dtype.type(0)))
        return elementwise.binary(name, column, Column(column.shape, other))
    data, _ = _arrow.to_numpy(column.values)
    items = data.reshape((layout.nodes, *layout.inner))
    found = _kernels.combine(function, items, cells, layout.offsets)
    return Column(column.shape, with_data(column.values, found, pa.from_numpy_dtype(found.dtype)))
