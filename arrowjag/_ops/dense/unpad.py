"""Unpad: read each value from the cell at its position, if the dense array has that cell."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from arrowjag import _arrow
from arrowjag._arguments import flat_numbers
from arrowjag._column import Column
from arrowjag._kernels import dense as _kernels
from arrowjag._ops.dense.layout import Layout
from arrowjag._ops.dense.values import AnyArray, fill_for_cells, placeholder
from arrowjag.dims import Uniform
from arrowjag.errors import JagTypeError, ShapeError, plural
from arrowjag.shape import JaggedShape
from arrowjag.typing import BoolArray

__all__ = ["from_dense", "unpad"]


def from_dense(dense: Any, shape: JaggedShape, fill: Any = 0) -> Column:
    """Unpad a dense array. Items outside of it get the fill, or null if `fill` is None; masked cells are null."""
    cells = dense if isinstance(dense, np.ndarray) else flat_numbers(dense, "from_dense")
    layout, whole = _layout_of_cells(shape, cells.shape)
    data = np.ma.getdata(cells)
    masked = np.ma.getmaskarray(cells) if isinstance(cells, np.ma.MaskedArray) and np.ma.is_masked(cells) else None
    item = placeholder(data.dtype) if fill is None or data.dtype.kind in "OUS" else fill_for_cells(fill, data.dtype)
    values = unpad(data, layout, item)
    valid = None if masked is None else unpad(~masked, layout, True)
    if fill is None or data.dtype.kind in "OUS":
        has = unpad(np.ones(data.shape, bool), layout, False)
        if data.dtype.kind in "OUS" and fill is not None:
            values = values.astype(object)
            values[~has] = fill
        else:
            valid = has if valid is None else valid & has
    return Column(whole, _to_arrow(values, valid))


def _layout_of_cells(shape: JaggedShape, cells: tuple[int, ...]) -> tuple[Layout, JaggedShape]:
    """Return the layout of a dense array, which may have additional inner dims, and the shape extended by those."""
    if shape.ndim == 0 or len(cells) < shape.ndim:
        expected = max(shape.ndim, 1)
        raise ShapeError(
            f"from_dense: a dense array for {shape!r} has {plural(expected, 'dim')} or more, got {len(cells)}: {cells}"
        )
    if cells[0] != shape.nodes(1):
        raise ShapeError(f"from_dense: {shape!r} has {plural(shape.nodes(1), 'row')}, the dense array has {cells[0]}")
    n = shape.ndim - 1
    while n and shape.dims[n].extent == cells[n] and shape.dims[n].validity is None:
        n -= 1
    dims = list(shape.dims)
    for size in cells[shape.ndim :]:
        dims.append(Uniform(size, dims[-1].size))
    return Layout(cells[0], shape.dims[1 : n + 1], cells[n + 1 :]), JaggedShape._trusted(dims)


def unpad(cells: AnyArray, layout: Layout, fill: Any) -> AnyArray:
    """Read the flat values from the cells of a dense array."""
    if not layout.levels:
        return np.ascontiguousarray(cells).reshape(-1)
    if cells.dtype.kind == "O":
        place = _kernels.unpad(np.arange(cells.size).reshape(cells.shape), layout.offsets, -1).reshape(-1)
        values = cells.reshape(-1)[place] if cells.size else np.empty(len(place), object)
        values[place < 0] = fill
        return values
    return _kernels.unpad(cells, layout.offsets, fill).reshape(-1)


def _to_arrow(values: AnyArray, valid: BoolArray | None) -> pa.Array:
    if values.dtype.kind in "mM":
        return pa.array(values, mask=None if valid is None else ~valid)
    if values.dtype.kind in "biuf":
        if not values.dtype.isnative:
            values = values.astype(values.dtype.newbyteorder("="))
        return _arrow.from_numpy(values, valid)
    try:
        _arrow.check_dates(values)
        return pa.array(values.tolist(), mask=None if valid is None else ~valid)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise JagTypeError(f"from_dense: the values and the fill have no common type: {error}") from None
