"""Conversion between columns and padded numpy arrays, and arithmetic between them, by FBGEMM's rules.

Pad: write each value to the cell at its position; values beyond the dense array at any level are dropped.
Unpad: read each value from the cell at its position, if the dense array has that cell.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow, _column
from arrowjag._arguments import flat_numbers
from arrowjag._column import Column
from arrowjag._integers import integer
from arrowjag._kernels import dense as _kernels
from arrowjag._kernels import strategy
from arrowjag._kernels.base import blocks
from arrowjag._kernels.base import fill as fill_kernel
from arrowjag._kernels.dense import matrices
from arrowjag._ops import elementwise
from arrowjag._ops.elementwise.framework import with_data
from arrowjag._pyarrow_versions import numpy_dtype
from arrowjag.dims import Dim, Ragged, Uniform
from arrowjag.errors import OVERFLOW_HINT, JagOverflowError, JagTypeError, JagValueError, ShapeError
from arrowjag.shape import JaggedShape
from arrowjag.typing import BoolArray, IntArray

__all__ = ["add", "bmm", "from_dense", "inner_width", "levels", "matmul", "max_sizes", "mul", "pack", "softmax", "to_dense"]

AnyArray = npt.NDArray[Any]


class Layout(NamedTuple):
    """Split of a shape's dims in a dense array: rows, padded levels, and inner dense dims, which are never padded."""

    rows: int
    levels: tuple[Dim, ...]
    inner: tuple[int, ...]

    @property
    def nodes(self) -> int:
        """Number of items above the inner dense dims."""
        return self.levels[-1].size if self.levels else self.rows

    @property
    def offsets(self) -> list[IntArray]:
        """Offsets of the padded levels, outermost first."""
        return [dim.offsets for dim in self.levels]


def levels(shape: JaggedShape) -> int:
    """Count the padded dims: all after the rows, except trailing dims of declared size."""
    n = shape.ndim
    while n > 1 and shape.dims[n - 1].extent is not None:
        n -= 1
    return max(n - 1, 0)


def _layout(shape: JaggedShape) -> Layout:
    """Split the dims of a shape; a declared dim counts as padded if it or an inner dim has null rows, whose cells need a fill."""
    n = levels(shape)
    for place in range(n + 1, shape.ndim):
        if shape.dims[place].validity is not None:
            n = place
    return Layout(shape.nodes(1), shape.dims[1 : n + 1], tuple(_extent(dim) for dim in shape.dims[n + 1 :]))


def _extent(dim: Dim) -> int:
    assert dim.extent is not None
    return int(dim.extent)


def _natural(dim: Dim) -> int:
    """Return the default size of a level: its declared size, or that of its longest row."""
    return _extent(dim) if dim.extent is not None else int(dim.max()) if len(dim) else 0


def max_sizes(column: Column) -> tuple[int, ...]:
    """Return the length of the longest row per level."""
    _rows_of(column, "max_sizes")
    return tuple(_natural(dim) for dim in column.shape.dims[1 : levels(column.shape) + 1])


def inner_width(column: Column) -> int:
    """Return the greatest common divisor of the innermost row sizes: the largest width that `pack` accepts."""
    if column.ndim < 2:
        raise ShapeError(f"inner needs rows of leaves, got {column.shape!r}")
    last = column.shape.dims[-1]
    if last.extent is not None:
        return _extent(last)
    return int(np.gcd.reduce(np.unique(last.sizes))) or 1


def pack(column: Column, width: int | None) -> Column:
    """Split innermost rows into items of `width` leaves; adds a declared last dim."""
    common = inner_width(column)
    width = common if width is None else _size(width, "pack", "width")
    last = column.shape.dims[-1]
    if width == 0 or common % width:
        raise ShapeError(
            f"pack: row sizes of {column.shape!r} have the common divisor {common}, so they can't be split into items of {width}"
        )
    extent = None if last.extent is None else _extent(last) // width
    outer = Ragged.from_offsets(last.offsets // width, validity=last.validity, extent=extent, check=False)
    return Column(JaggedShape._trusted((*column.shape.dims[:-1], outer, Uniform(width, outer.size))), column.values)


def _rows_of(column: Column, operation: str) -> int:
    if column.ndim == 0:
        raise ShapeError(f"{operation} needs rows, got a single value")
    return column.shape.nodes(1)


def _size(value: Any, operation: str, name: str) -> int:
    size = integer(value, f"{operation}: {name}")
    if size < 0:
        raise ShapeError(f"{operation}: {name} must not be negative, got {size}")
    return size


# --------------------------------------------------------------------------------------------------- leaves in numpy


def _leaves(column: Column, operation: str) -> tuple[AnyArray, BoolArray | None]:
    """Convert flat values to numpy (dates to datetime64, types that numpy lacks to objects) and return their validity."""
    type, values = column.type, column.values
    if pt.is_timestamp(type) and type.tz is not None:
        raise JagTypeError.no_kernel(operation, type, hint="numpy has no zones: cast to timestamp or int64 first.")
    if _arrow.is_numeric(type):
        return _arrow.to_numpy(values)
    if _has_datetime(type):
        data, valid = _arrow.to_numpy(values)
        if pt.is_date32(type):
            return data.astype("M8[D]"), valid
        unit = "ms" if pt.is_date64(type) else type.unit
        return data.view(f"m8[{unit}]" if pt.is_duration(type) else f"M8[{unit}]"), valid
    data = np.empty(len(values), object)
    data[:] = _column.to_python(values)
    return data, _arrow.valid_of(values)


def _has_datetime(type: pa.DataType) -> bool:
    return bool(pt.is_timestamp(type) or pt.is_date(type) or pt.is_duration(type))


def _fill_for(fill: Any, dtype: np.dtype[Any], type: pa.DataType, operation: str) -> Any:
    """Convert the fill value to the data's type; raises if its kind or value does not fit, and never rounds."""
    if isinstance(fill, pa.Scalar):
        fill = fill.as_py()
    if not isinstance(fill, (bool, int, float, str, bytes, dict, list, tuple)) and np.ndim(fill) != 0:
        raise JagTypeError(f"{operation}: fill_value must be one value, got {np.ndim(fill)} dims")
    if dtype.kind in "biuf":
        return _number(fill, dtype, operation)
    if dtype.kind in "mM" and isinstance(fill, (np.datetime64, np.timedelta64)):
        return fill.astype(dtype)
    value_type = type.value_type if pt.is_dictionary(type) else type
    if isinstance(fill, (bool, int, float, np.number)) and not pt.is_decimal(value_type):
        raise JagTypeError(
            f"{operation}: fill_value {fill!r} is not a {type}. Give a fill_value of that type, or None for a masked array."
        )
    try:
        item = pa.array([fill], value_type)
    except (ValueError, TypeError, pa.ArrowNotImplementedError) as error:  # which one depends on the type
        raise JagTypeError(f"{operation}: fill_value {fill!r} can't be converted to {type}: {error}") from None
    return item.to_numpy(zero_copy_only=False).astype(dtype)[0] if dtype.kind in "mM" else item[0].as_py()


def _number(fill: Any, dtype: np.dtype[Any], operation: str) -> Any:
    if not isinstance(fill, (bool, int, float, np.number, np.bool_)) or isinstance(fill, np.complexfloating):
        raise JagTypeError(f"{operation}: fill_value {fill!r} is not a {dtype}")
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            value = dtype.type(fill)
        fits = bool(np.isfinite(value) == math.isfinite(fill))
    else:
        low, high = (0, 1) if dtype.kind == "b" else (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))
        fits = bool(math.isfinite(fill) and int(fill) == fill and low <= fill <= high)
        value = dtype.type(int(fill)) if fits else None
    if not fits:
        raise JagValueError(f"{operation}: fill_value {fill!r} does not fit {dtype}. Cast the values first, or give another one.")
    return value


# --------------------------------------------------------------------------------------------------- jagged to dense


def to_dense(column: Column, sizes: Any = None, fill: Any = 0) -> AnyArray:
    """Pad rows to a dense array. Null leaves and rows become the fill; with `fill` None those cells are masked.

    See `JaggedArray.to_dense` for the contract.
    """
    _rows_of(column, "to_dense")
    layout = _layout(column.shape)
    wanted = (*_wanted(sizes, column.shape), *(_extent(dim) for dim in layout.levels[levels(column.shape) :]))
    data, valid = _leaves(column, "to_dense")
    masked = fill is None
    fill = _placeholder(data.dtype) if fill is None else _fill_for(fill, data.dtype, column.type, "to_dense")
    dense = _pad(_filled(data, valid, fill), layout, wanted, fill)
    if not masked:
        return dense
    null = np.zeros(len(data), bool) if valid is None else ~valid
    return np.ma.MaskedArray(dense, _pad(null, layout, wanted, True))


def _filled(data: AnyArray, valid: BoolArray | None, fill: Any) -> AnyArray:
    """Replace nulls with the fill."""
    if valid is None:
        return data
    if data.dtype.kind == "O":
        data = data.copy()
        data[~valid] = fill
        return data
    return fill_kernel.filled(data, valid, fill)


def _placeholder(dtype: np.dtype[Any]) -> Any:
    return None if dtype.kind == "O" else np.zeros((), dtype)[()]


def _pad(data: AnyArray, layout: Layout, sizes: Sequence[int], fill: Any) -> AnyArray:
    """Pad flat data; always returns a new array."""
    if data.dtype.kind == "O" and layout.inner:  # the kernel copies inner items as bytes, which references forbid
        found = _pad_objects(data, layout, sizes, fill)
        return found.reshape((found.shape[0], *sizes, *layout.inner))
    items = data.reshape((layout.nodes, *layout.inner))
    return _kernels.pad(items, layout.offsets, sizes, fill) if layout.levels else items.copy()


def _pad_objects(data: AnyArray, layout: Layout, sizes: Sequence[int], fill: Any) -> AnyArray:
    width = math.prod(layout.inner)
    if not layout.levels:
        return data.copy().reshape(layout.rows, *layout.inner)
    within = np.arange(layout.levels[-1].size + 1) * width
    return _kernels.pad(data, [*layout.offsets, within], [*sizes, width], fill)


def _wanted(sizes: Any, shape: JaggedShape) -> tuple[int, ...]:
    """Return the size of each level: the requested one, or that of its longest row."""
    n = levels(shape)
    if sizes is None:
        return tuple(_natural(dim) for dim in shape.dims[1 : n + 1])
    asked = tuple(sizes) if hasattr(sizes, "__iter__") else (sizes,)
    if len(asked) != n:
        tail = f"; its declared dims {shape.extents[n + 1 :]} keep their sizes" if shape.ndim > n + 1 else ""
        raise ShapeError(f"to_dense: {shape!r} takes {n} max_sizes, one for each dim after the rows{tail}, got {len(asked)}")
    given = zip(asked, shape.dims[1:], strict=False)
    return tuple(_natural(dim) if size is None else _size(size, "to_dense", "max_sizes") for size, dim in given)


# --------------------------------------------------------------------------------------------------- dense to jagged


def from_dense(dense: Any, shape: JaggedShape, fill: Any = 0) -> Column:
    """Unpad a dense array. Items outside of it get the fill, or null if `fill` is None; masked cells are null."""
    cells = dense if isinstance(dense, np.ndarray) else flat_numbers(dense, "from_dense")
    layout, whole = _layout_of(shape, cells.shape, "from_dense")
    data = np.ma.getdata(cells)
    masked = np.ma.getmaskarray(cells) if isinstance(cells, np.ma.MaskedArray) and np.ma.is_masked(cells) else None
    item = _placeholder(data.dtype) if fill is None or data.dtype.kind in "OUS" else _fill_for_cells(fill, data.dtype)
    values = _unpad(data, layout, item)
    valid = None if masked is None else _unpad(~masked, layout, True)
    if fill is None or data.dtype.kind in "OUS":
        has = _unpad(np.ones(data.shape, bool), layout, False)
        if data.dtype.kind in "OUS" and fill is not None:
            values = values.astype(object)
            values[~has] = fill
        else:
            valid = has if valid is None else valid & has
    return Column(whole, _to_arrow(values, valid))


def _fill_for_cells(fill: Any, dtype: np.dtype[Any]) -> Any:
    if dtype.kind not in "biufmM":
        raise JagTypeError.no_kernel("from_dense", dtype)
    type = pa.from_numpy_dtype(dtype)
    if dtype.kind in "mM" and isinstance(fill, (int, float)):
        return np.zeros((), dtype)[()] if fill == 0 else _fill_for(fill, dtype, type, "from_dense")
    return _fill_for(fill, dtype, type, "from_dense")


def _layout_of(shape: JaggedShape, cells: tuple[int, ...], operation: str) -> tuple[Layout, JaggedShape]:
    """Return the layout of a dense array, which may have additional inner dims, and the shape extended by those."""
    if shape.ndim == 0 or len(cells) < shape.ndim:
        expected = max(shape.ndim, 1)
        raise ShapeError(f"{operation}: a dense array for {shape!r} has {expected} dims or more, got {len(cells)}: {cells}")
    if cells[0] != shape.nodes(1):
        raise ShapeError(f"{operation}: {shape!r} has {shape.nodes(1)} rows, the dense array has {cells[0]}")
    n = shape.ndim - 1
    while n and shape.dims[n].extent == cells[n] and shape.dims[n].validity is None:
        n -= 1
    dims = list(shape.dims)
    for size in cells[shape.ndim :]:
        dims.append(Uniform(size, dims[-1].size))
    return Layout(cells[0], shape.dims[1 : n + 1], cells[n + 1 :]), JaggedShape._trusted(dims)


def _unpad(cells: AnyArray, layout: Layout, fill: Any) -> AnyArray:
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
        return pa.array(values.tolist(), mask=None if valid is None else ~valid)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise JagTypeError(f"from_dense: the values and the fill have no common type: {error}") from None


# --------------------------------------------------------------------------------------------------- jagged and dense


def _numbers(column: Column, operation: str) -> tuple[AnyArray, BoolArray | None]:
    if not _arrow.is_numeric(column.type):
        raise JagTypeError.no_kernel(operation, column.type)
    return _arrow.to_numpy(column.values)


def _operand(column: Column, dense: Any, operation: str) -> tuple[AnyArray, Layout]:
    """Validate a dense operand, whose inner dims must equal the column's, and return it with the column's layout."""
    cells = flat_numbers(dense, operation)
    if cells.dtype.kind not in "biuf":
        raise JagTypeError.no_kernel(operation, column.type, cells.dtype)
    layout = _layout(column.shape)
    expected = 1 + len(layout.levels) + len(layout.inner)
    if cells.ndim != expected:
        raise ShapeError(f"{operation}: a dense operand of {column.shape!r} has {expected} dims, got {cells.ndim}: {cells.shape}")
    if cells.shape[0] != column.shape.nodes(1):
        raise ShapeError(f"{operation}: {column.shape!r} has {column.shape.nodes(1)} rows, the dense operand has {cells.shape[0]}")
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
    data, valid = _numbers(column, "add")
    cells, layout = _operand(column, dense, "add")
    if not to_dense:
        return _jagged("add", np.add, column, cells, layout)
    type = elementwise.promote([column.type, pa.from_numpy_dtype(cells.dtype)], "add")
    wide = np.dtype(numpy_dtype(type))
    data = _filled(data, valid, data.dtype.type(0))
    padded = _pad(data.astype(wide, copy=False), layout, cells.shape[1 : len(layout.levels) + 1], wide.type(0))
    if wide.kind == "b":
        return padded | cells
    _in_place(np.add, padded, cells)
    return padded


def mul(column: Column, dense: Any) -> Column:
    """Multiply a column by a dense array; cells that it lacks count as 0, so that NaN and infinity become NaN."""
    _numbers(column, "mul")
    cells, layout = _operand(column, dense, "mul")
    return _jagged("multiply", np.multiply, column, cells, layout)


def _jagged(name: str, function: np.ufunc, column: Column, cells: AnyArray, layout: Layout) -> Column:
    if not layout.levels or "b" in (cells.dtype.kind, np.dtype(numpy_dtype(column.type)).kind):
        other = _arrow.from_numpy(_unpad(cells, layout, cells.dtype.type(0)))
        return elementwise.binary(name, column, Column(column.shape, other))
    data, _ = _arrow.to_numpy(column.values)
    items = data.reshape((layout.nodes, *layout.inner))
    found = _kernels.combine(function, items, cells, layout.offsets)
    return Column(column.shape, with_data(column.values, found, pa.from_numpy_dtype(found.dtype)))


# --------------------------------------------------------------------------------------------------- along the jagged dim


def _matrix(column: Column, operation: str) -> tuple[AnyArray, BoolArray | None, IntArray]:
    """Return the items of a single jagged level as a 2-D array, the validity of its leaves, and the offsets."""
    layout = _layout(column.shape)
    if len(layout.levels) != 1 or len(layout.inner) > 1:
        raise ShapeError(f"{operation} takes one jagged dim and at most one declared dim after it, got {column.shape!r}")
    data, valid = _numbers(column, operation)
    shape = layout.levels[0].size, layout.inner[0] if layout.inner else 1
    return data.reshape(shape), None if valid is None else valid.reshape(shape), layout.offsets[0]


def _factors(column: Column, operation: str) -> tuple[AnyArray, IntArray]:
    """As `_matrix`, with nulls replaced by 0."""
    data, valid, offsets = _matrix(column, operation)
    if valid is None:
        return data, offsets
    return _filled(data.reshape(-1), valid.reshape(-1), data.dtype.type(0)).reshape(data.shape), offsets


def _limit(size: Any, operation: str) -> int | None:
    return None if size is None else _size(size, operation, "max_size")


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
    if not np.array_equal(offsets, other):
        raise ShapeError(f"bmm: rows differ: {one.shape!r} and {two.shape!r}")
    type, wide = _product_types(left, right)
    n_left, n_right = left.shape[1], right.shape[1]
    out = np.zeros((len(offsets) - 1, n_left, n_right), type)

    def work(batch: tuple[int, IntArray]) -> None:
        length, rows = batch
        x = matrices.rows_of(left, offsets, rows, length).astype(wide).transpose(0, 2, 1)
        out[rows] = _product(x, matrices.rows_of(right, offsets, rows, length).astype(wide), length)

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
    type, wide = _product_types(data, cells)
    out = np.zeros((len(data), cells.shape[-1]), type)
    cells = cells.astype(wide)

    def work(batch: tuple[int, IntArray]) -> None:
        length, rows = batch
        factors = cells if cells.ndim == 2 else cells[rows]
        matrices.put(out, offsets, rows, _product(matrices.rows_of(data, offsets, rows, length).astype(wide), factors, width))

    blocks.map_tasks(work, matrices.of_length(offsets, max(width, out.shape[1]), limit))
    dims = (*column.shape.dims[:2], Uniform(out.shape[1], len(out)))
    return Column(JaggedShape._trusted(dims), _arrow.from_numpy(out.reshape(-1)))


def _product_types(one: AnyArray, two: AnyArray) -> tuple[np.dtype[Any], np.dtype[Any]]:
    """Return the type of a sum of products and the type to compute it in: float32 for half floats, 64 bits for integers."""
    common = np.result_type(one.dtype, two.dtype)
    if common.kind == "f":
        return common, np.dtype(np.float32) if common == np.float16 else common
    wide = np.dtype(np.uint64 if common.kind == "u" else np.int64)
    return wide, wide


def _product(one: AnyArray, two: AnyArray, length: int) -> AnyArray:
    """Call np.matmul; raises on integer overflow."""
    with np.errstate(all="ignore"):
        result: AnyArray = np.matmul(one, two)
        if one.dtype.kind in "iu" and one.size and two.size:
            bound = float(np.abs(one.astype(np.float64)).max()) * float(np.abs(two.astype(np.float64)).max()) * length
            if bound >= np.iinfo(one.dtype).max:
                about = np.matmul(one.astype(np.float64), two.astype(np.float64))
                if (np.abs(about) >= np.iinfo(one.dtype).max * (1 - 1e-9)).any():
                    raise JagOverflowError(f"integer overflow: a sum of products does not fit 64 bits. {OVERFLOW_HINT}")
    return result
