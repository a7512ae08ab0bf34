"""Between columns and padded numpy arrays, and the arithmetic of one with the other. The rules are FBGEMM's.

PAD: a value whose place in its row is inside the dense array at every level is written to its cell, the others are left out.
UNPAD: a value takes its cell if the dense array has it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._column import Column
from arrowjag._integers import integer
from arrowjag._kernels import blocks, masks, matrices
from arrowjag._kernels import dense as _kernels
from arrowjag._ops import elementwise
from arrowjag._ops.elementwise.framework import with_data
from arrowjag.dims import Dim, Ragged, Uniform
from arrowjag.errors import JagOverflowError, JagTypeError, JagValueError, ShapeError
from arrowjag.shape import JaggedShape
from arrowjag.typing import BoolArray, IntArray

__all__ = ["add", "bmm", "from_dense", "inner_width", "levels", "matmul", "max_sizes", "mul", "pack", "softmax", "to_dense"]

AnyArray = npt.NDArray[Any]


class Layout(NamedTuple):
    """How the dims of a shape lie in a dense array: rows, padded levels, and dense dims inside that are never padded."""

    rows: int
    levels: tuple[Dim, ...]
    inner: tuple[int, ...]

    @property
    def nodes(self) -> int:
        """How many items of dense dims there are."""
        return self.levels[-1].size if self.levels else self.rows

    @property
    def offsets(self) -> list[IntArray]:
        """The cuts of the padded levels, outermost first."""
        return [dim.offsets for dim in self.levels]


def levels(shape: JaggedShape) -> int:
    """Number of dims after the rows that are padded: all but the declared ones at the end."""
    n = shape.ndim
    while n > 1 and shape.dims[n - 1].extent is not None:
        n -= 1
    return max(n - 1, 0)


def _layout(shape: JaggedShape) -> Layout:
    """The levels, among them declared dims with null rows below them, whose slots must be filled."""
    n = levels(shape)
    for place in range(n + 1, shape.ndim):
        if shape.dims[place].validity is not None:
            n = place
    return Layout(shape.nodes(1), shape.dims[1 : n + 1], tuple(_extent(dim) for dim in shape.dims[n + 1 :]))


def _extent(dim: Dim) -> int:
    assert dim.extent is not None
    return int(dim.extent)


def _natural(dim: Dim) -> int:
    """The size that a level has without being asked: the declared one, or that of its longest row."""
    return _extent(dim) if dim.extent is not None else int(dim.max()) if len(dim) else 0


def max_sizes(column: Column) -> tuple[int, ...]:
    """The longest row of each level."""
    _rows_of(column, "max_sizes")
    return tuple(_natural(dim) for dim in column.shape.dims[1 : levels(column.shape) + 1])


def inner_width(column: Column) -> int:
    """The greatest common divisor of the innermost row sizes: how many leaves can be one item."""
    if column.ndim < 2:
        raise ShapeError(f"inner needs rows of leaves, got {column.shape!r}")
    last = column.shape.dims[-1]
    if last.extent is not None:
        return _extent(last)
    return int(np.gcd.reduce(np.unique(last.sizes))) or 1


def pack(column: Column, width: int | None) -> Column:
    """Cut innermost rows into items of `width` leaves, a declared last dim."""
    common = inner_width(column)
    width = common if width is None else _size(width, "pack", "width")
    last = column.shape.dims[-1]
    if width == 0 or common % width:
        raise ShapeError(f"pack: rows of {column.shape!r} have {common} leaves in common, they can't be cut into items of {width}")
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
    """Flat values as numpy has them (dates as datetime64, what it has no type for as objects) and their validity."""
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
    data[:] = values.to_pylist()
    return data, _arrow.valid_of(values)


def _has_datetime(type: pa.DataType) -> bool:
    return bool(pt.is_timestamp(type) or pt.is_date(type) or pt.is_duration(type))


def _fill_for(fill: Any, dtype: np.dtype[Any], type: pa.DataType, operation: str) -> Any:
    """The fill as an item of the data: refused where its kind or value does not fit, never rounded to something else."""
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
            f"{operation}: fill_value {fill!r} is no {type}. Give a fill_value of that type, or None for a masked array."
        )
    try:
        item = pa.array([fill], value_type)
    except (ValueError, TypeError, pa.ArrowNotImplementedError) as error:  # which one depends on the type
        raise JagTypeError(f"{operation}: fill_value {fill!r} is no {type}: {error}") from None
    return item.to_numpy(zero_copy_only=False).astype(dtype)[0] if dtype.kind in "mM" else item[0].as_py()


def _number(fill: Any, dtype: np.dtype[Any], operation: str) -> Any:
    if not isinstance(fill, (bool, int, float, np.number, np.bool_)) or isinstance(fill, np.complexfloating):
        raise JagTypeError(f"{operation}: fill_value {fill!r} is no {dtype}")
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
    """PAD. Nulls, leaves and rows, become the fill; with `fill` None the result is masked there.

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
    """The data with the fill in place of nulls."""
    if valid is None:
        return data
    if data.dtype.kind == "O":
        data = data.copy()
        data[~valid] = fill
        return data
    return masks.filled(data, valid, fill)


def _placeholder(dtype: np.dtype[Any]) -> Any:
    return None if dtype.kind == "O" else np.zeros((), dtype)[()]


def _pad(data: AnyArray, layout: Layout, sizes: Sequence[int], fill: Any) -> AnyArray:
    """Rows of flat data in a dense array; always a fresh one."""
    if data.dtype.kind == "O" and layout.inner:  # no opaque items of references: every dim is a level
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
    """The size of each level: as asked, or that of its longest row."""
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
    """UNPAD. Cells that the dense array lacks give the fill, or null where `fill` is None; masked cells are null."""
    cells = dense if isinstance(dense, np.ndarray) else np.asarray(dense)
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
    """The levels of a shape in a dense array that may have dims of its own inside; and the shape with those."""
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
    """The flat values of a dense array's cells."""
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
    """A dense operand, whose inner dims must be those of the column, and where the column's levels lie in it."""
    cells = np.asarray(dense)
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
            f"{operation}: items of {column.shape!r} are {layout.inner}, got dense {cells.shape}; a size of 1 is not stretched"
        )
    return cells, layout


def _in_place(function: np.ufunc, target: AnyArray, other: AnyArray) -> None:
    """function(target, other) into the target, in blocks on all cores."""
    if not len(target):
        return
    step = max(1, (1 << 19) // max(1, target[:1].size))

    def work(first: int) -> None:
        part = slice(first, first + step)
        with np.errstate(all="ignore"):
            function(target[part], other[part], out=target[part])

    blocks.map_tasks(work, range(0, len(target), step))


def add(column: Column, dense: Any, *, to_dense: bool) -> Column | AnyArray:
    """Jagged plus dense, as a jagged column (what the dense array lacks is 0) or as a dense array (so is what the rows lack)."""
    data, valid = _numbers(column, "add")
    cells, layout = _operand(column, dense, "add")
    if not to_dense:
        return _jagged("add", np.add, column, cells, layout)
    type = elementwise.promote([column.type, pa.from_numpy_dtype(cells.dtype)], "add")
    wide = np.dtype(type.to_pandas_dtype())
    data = _filled(data, valid, data.dtype.type(0))
    padded = _pad(data.astype(wide, copy=False), layout, cells.shape[1 : len(layout.levels) + 1], wide.type(0))
    if wide.kind == "b":
        return padded | cells
    _in_place(np.add, padded, cells)
    return padded


def mul(column: Column, dense: Any) -> Column:
    """Jagged times dense, as a jagged column: what the dense array lacks is 0, so NaN and infinity give NaN there."""
    _numbers(column, "mul")
    cells, layout = _operand(column, dense, "mul")
    return _jagged("multiply", np.multiply, column, cells, layout)


def _jagged(name: str, function: np.ufunc, column: Column, cells: AnyArray, layout: Layout) -> Column:
    if not layout.levels or "b" in (cells.dtype.kind, np.dtype(column.type.to_pandas_dtype()).kind):
        other = _arrow.from_numpy(_unpad(cells, layout, cells.dtype.type(0)))
        return elementwise.binary(name, column, Column(column.shape, other))
    data, _ = _arrow.to_numpy(column.values)
    items = data.reshape((layout.nodes, *layout.inner))
    found = _kernels.combine(function, items, cells, layout.offsets)
    return Column(column.shape, with_data(column.values, found, pa.from_numpy_dtype(found.dtype)))


# --------------------------------------------------------------------------------------------------- along the jagged dim


def _matrix(column: Column, operation: str) -> tuple[AnyArray, BoolArray | None, IntArray]:
    """Items of one jagged level as a 2-D array; the validity of its leaves; the offsets."""
    layout = _layout(column.shape)
    if len(layout.levels) != 1 or len(layout.inner) > 1:
        raise ShapeError(f"{operation} takes one jagged dim and at most one declared dim after it, got {column.shape!r}")
    data, valid = _numbers(column, operation)
    shape = layout.levels[0].size, layout.inner[0] if layout.inner else 1
    return data.reshape(shape), None if valid is None else valid.reshape(shape), layout.offsets[0]


def _factors(column: Column, operation: str) -> tuple[AnyArray, IntArray]:
    """As `_matrix`, nulls as 0."""
    data, valid, offsets = _matrix(column, operation)
    if valid is None:
        return data, offsets
    return _filled(data.reshape(-1), valid.reshape(-1), data.dtype.type(0)).reshape(data.shape), offsets


def _limit(size: Any, operation: str) -> int | None:
    return None if size is None else _size(size, operation, "max_size")


def softmax(column: Column, size: Any = None) -> Column:
    """Softmax over the jagged dim, each inner column by itself; items from place `size` on get weight 0."""
    limit = _limit(size, "softmax")
    if not pt.is_floating(column.type) and _arrow.is_numeric(column.type):
        column = elementwise.cast(column, pa.float64())
    data, valid, offsets = _matrix(column, "softmax")
    out = matrices.softmax(data, offsets, limit, valid)
    return Column(column.shape, with_data(column.values, out.reshape(-1)))


def bmm(one: Column, two: Column, size: Any = None) -> AnyArray:
    """The product of each row's matrix, transposed, with the other's: X_b^T Y_b."""
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
    """The product of each row's matrix with a dense one, X_b Y_b, as a jagged column; items from place `size` on are 0."""
    limit = _limit(size, "matmul")
    data, offsets = _factors(column, "matmul")
    cells = np.asarray(dense)
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
    """The type of a sum of products, and the one it is computed in: half floats in float32, integers in 64 bits."""
    common = np.result_type(one.dtype, two.dtype)
    if common.kind == "f":
        return common, np.dtype(np.float32) if common == np.float16 else common
    wide = np.dtype(np.uint64 if common.kind == "u" else np.int64)
    return wide, wide


def _product(one: AnyArray, two: AnyArray, length: int) -> AnyArray:
    """np.matmul; integers that leave 64 bits are an error."""
    with np.errstate(all="ignore"):
        result: AnyArray = np.matmul(one, two)
        if one.dtype.kind in "iu" and one.size and two.size:
            bound = float(np.abs(one.astype(np.float64)).max()) * float(np.abs(two.astype(np.float64)).max()) * length
            if bound >= np.iinfo(one.dtype).max:
                about = np.matmul(one.astype(np.float64), two.astype(np.float64))
                if (np.abs(about) >= np.iinfo(one.dtype).max * (1 - 1e-9)).any():
                    raise JagOverflowError("integer overflow: a sum of products does not fit 64 bits. Cast to float64 first.")
    return result
