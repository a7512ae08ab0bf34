"""Compute with rows as vectors: norms, distances, products of matrices, and the nearest row of a matrix."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._arguments import flat_numbers
from arrowjag._column import Column
from arrowjag._kernels import reduce as _reduce
from arrowjag._kernels.base import blocks
from arrowjag._kernels.base.errstate import without_warnings
from arrowjag._kernels.base.fill import filled, spread_rows
from arrowjag._kernels.base.memory import zeros
from arrowjag._kernels.base.offsets import from_sizes, longest_of, of_size, row_sizes, runs
from arrowjag._kernels.dense.matrices import nearest as _nearest
from arrowjag._kernels.reduce.ordered import row_sums
from arrowjag._kernels.reduce.products import common_type, dot, dots, matmul_types, unit_product
from arrowjag._kernels.reduce.segments import Block, have_items, moments, over_blocks, result_type
from arrowjag._ops import along_axis, elementwise, structure
from arrowjag._ops.axes import leaves_as_rows
from arrowjag._ops.cursor import row_name
from arrowjag._ops.multi_reduce import floats, over_pairs
from arrowjag._ops.over_axes import over_axes
from arrowjag._ops.reduce import reduce
from arrowjag.dims import Ragged
from arrowjag.errors import OVERFLOW_HINT, JagOverflowError, JagRangeError, JagValueError, ShapeError, brief, plural
from arrowjag.shape import JaggedShape
from arrowjag.typing import BoolArray, IntArray

__all__ = ["METRICS", "cosine", "distance", "matmul", "nearest", "norm", "normalize"]

Floats = npt.NDArray[np.float64]

METRICS = ("l2", "l1", "linf", "hamming", "jaccard")


def _order(p: Any, operation: str) -> float:
    if not p >= 0:
        raise JagValueError(f"{operation}: p must be at least 0, got {brief(p)}")
    try:
        return float(p)
    except OverflowError:
        raise JagRangeError(f"{operation}: p must fit a float, got {brief(p)}") from None


def _norms(block: Block, p: float, out: Floats) -> None:
    """Write the p-norms of the rows of a block to `out`."""
    if p == math.inf:
        out[:] = _largest(np.abs(block.filled(0, np.float64)), block.offsets)
        return
    # Data under nulls is squared too, but not added.
    if p == 2:
        row_sums(np.multiply(block.data, block.data, dtype=np.float64), block.valid, block.offsets, out)
        np.sqrt(out, out=out)
        return
    size = np.abs(block.data.astype(np.float64, copy=False))
    powers = size if p == 1 else (size != 0).astype(np.float64) if p == 0 else size**p
    if p == 0:
        powers[np.isnan(size)] = np.nan
    row_sums(powers, block.valid, block.offsets, out)
    if p not in (0, 1):
        np.power(out, 1 / p, out=out)


def _largest(size: Floats, offsets: IntArray) -> Floats:
    """Return the largest item of each row, NaN if the row has one, and 0 for an empty row."""
    found, _ = _reduce.max(size, None, offsets)
    if np.isnan(size.sum()):
        bad, _ = _reduce.any(np.isnan(size), None, offsets)
        found = np.where(bad, np.nan, found)
    largest: Floats = found
    return largest


def norm(column: Column, p: Any, axis: Any, skip_nulls: bool, min_count: int | None) -> Column:
    """Return the p-norm of each row."""
    wanted = _order(p, "norm")

    def reduction(values: pa.Array, offsets: IntArray) -> pa.Array:
        data, valid = floats(values, "norm"), _arrow.valid_of(values)

        def work(block: Block, out: Floats) -> BoolArray:
            _norms(block, wanted, out)
            return have_items(block.valid, block.offsets)

        return _arrow.from_numpy(*moments(work, data, valid, offsets))

    return over_axes(column, axis, reduction, "norm", skip_nulls=skip_nulls, min_count=min_count)


def normalize(column: Column, p: Any, axis: Any) -> Column:
    """Divide each item by the p-norm of its row."""
    wanted = _order(p, "normalize")

    def divide(values: pa.Array, offsets: IntArray) -> pa.Array:
        data, valid = floats(values, "normalize"), _arrow.valid_of(values)
        out = np.empty(len(data), result_type(data.dtype))

        def work(block: Block) -> None:
            norms = np.empty(len(block.offsets) - 1)
            _norms(block, wanted, norms)
            out[block.items] = block.filled(0, np.float64) / spread_rows(norms, block.offsets)

        over_blocks(work, data, valid, offsets)
        return _arrow.from_numpy(out, valid)

    return along_axis.apply(column, axis, divide, "normalize")


# --------------------------------------------------------------------------------------------------- two vectors


def cosine(x: Column, y: Column, axis: Any, skip_nulls: bool, min_count: int | None) -> Column:
    """Return the cosine of the angle between the rows of two columns."""

    def reduction(one: pa.Array, two: pa.Array, valid: BoolArray | None, offsets: IntArray) -> pa.Array:
        a, b = floats(one, "cosine"), floats(two, "cosine")
        found = unit_product(*dots(a, b, valid, offsets))
        return _arrow.from_numpy(found.astype(common_type(a, b), copy=False), have_items(valid, offsets))

    return over_pairs(x, y, axis, reduction, "cosine", skip_nulls=skip_nulls, min_count=min_count)


def distance(x: Column, y: Column, metric: Any, axis: Any, skip_nulls: bool, min_count: int | None) -> Column:
    """Return the distance between the rows of two columns."""
    if metric == "hamming":
        share = reduce(_differing(x, y), "mean", axis, skip_nulls=skip_nulls, min_count=min_count)
        types = [one.type if pt.is_floating(one.type) else pa.float64() for one in (x, y)]
        return elementwise.cast(share, elementwise.promote(types, "distance"))

    def reduction(one: pa.Array, two: pa.Array, valid: BoolArray | None, offsets: IntArray) -> pa.Array:
        a, b = floats(one, "distance"), floats(two, "distance")
        found = np.empty(len(offsets) - 1)

        def work(block: Block) -> None:
            left, right = block.data, b[block.items]
            if metric == "jaccard":
                _jaccard(left, right, block.valid, block.offsets, found[block.rows])
            else:
                distances = block._replace(data=_distances(left, right))
                _norms(distances, {"l1": 1, "l2": 2, "linf": math.inf}[metric], found[block.rows])

        over_blocks(work, a, valid, offsets)
        return _arrow.from_numpy(without_warnings(found.astype, common_type(a, b), copy=False), have_items(valid, offsets))

    return over_pairs(x, y, axis, reduction, "distance", skip_nulls=skip_nulls, min_count=min_count)


def _distances(a: npt.NDArray[Any], b: npt.NDArray[Any]) -> Floats:
    """Return the distances of numbers in float64; those of 64-bit integers are computed exactly and rounded once."""
    common = np.result_type(a, b)
    if common.kind in "iu":
        a, b = a.astype(common, copy=False), b.astype(common, copy=False)
        unsigned = np.dtype(f"u{common.itemsize}")
        gap: Floats = np.where(a >= b, (a - b).view(unsigned), (b - a).view(unsigned)).astype(np.float64)
        return gap
    distances: Floats = a.astype(np.float64) - b.astype(np.float64)
    return distances


def _differing(x: Column, y: Column) -> Column:
    """Flag the items that differ; where an item is NaN, the flags are numbers, and NaN there."""
    x, y = structure.align([x, y], "distance")
    flags = elementwise.apply(elementwise.BINARY["not_equal"], [x, y], "distance")
    of_floats = [floats(one.values, "distance") for one in (x, y) if pt.is_floating(one.type)]
    is_nan = np.logical_or.reduce([np.isnan(one) for one in of_floats]) if of_floats else np.zeros(0, bool)
    if not is_nan.any():
        return flags
    differs, valid = _arrow.to_numpy(flags.values)
    return Column(flags.shape, _arrow.from_numpy(np.where(is_nan, np.nan, differs), valid))


def _jaccard(
    a: npt.NDArray[Any], b: npt.NDArray[Any], known: BoolArray | None, offsets: IntArray, out: npt.NDArray[np.float64]
) -> None:
    """Return the share of slots where the two differ among slots where either is not 0; 0 without such slots, NaN with a NaN."""
    either = (a != 0) | (b != 0)
    either = either if known is None else either & known
    differ = either & (a != b)
    total, _ = _reduce.count(either, offsets)
    found, _ = _reduce.count(differ, offsets)
    out[:] = np.where(total == 0, 0.0, found / np.maximum(total, 1))
    is_nan = either & ((a != a) | (b != b))  # noqa: PLR0124 - NaN
    if is_nan.any():
        out[_reduce.count(is_nan, offsets)[0] > 0] = np.nan


# --------------------------------------------------------------------------------------------------- matrices


def nearest(column: Column, matrix: Any, metric: Any) -> Column:
    """Find the number of the row of a matrix that is nearest to each innermost row."""
    if column.ndim < 2:
        raise ShapeError(f"nearest needs rows of numbers, got {column.shape!r}")
    cells = _matrix(matrix)
    n_rows, width = cells.shape
    last = column.shape.dims[-1]
    sizes = last.sizes
    full = np.asarray(sizes > 0)
    wrong = full & (sizes != width)
    if np.count_nonzero(wrong):
        row = int(wrong.argmax())
        where = row_name(column.shape, column.ndim - 1, row)
        raise ShapeError(f"nearest: the rows of the matrix have {plural(width, 'number')}, but {where} has {int(sizes[row])}")
    data, valid = floats(column.values, "nearest"), _arrow.valid_of(column.values)
    known = full if last.validity is None else full & last.validity
    found = np.zeros(len(sizes), np.int64)
    if n_rows == 0:
        known = np.zeros(len(sizes), bool)
    elif width and len(data):
        vectors = data.reshape(-1, width)
        if valid is not None:
            vectors = np.where(valid.reshape(-1, width), vectors, np.nan)
        found[full], present = _nearest(vectors, cells, metric)
        known = known.copy()
        known[full] &= present
    return Column(column.shape[:-1], _arrow.from_numpy(found, known))


def _matrix(matrix: Any) -> npt.NDArray[Any]:
    if isinstance(matrix, Column):
        dims = matrix.shape.dims
        if len(dims) != 2 or not dims[1].is_uniform or dims[1].validity is not None or matrix.values.null_count:
            raise ShapeError(f"nearest: the matrix needs rows of one size without nulls, got {matrix.shape!r}")
        data = floats(matrix.values, "nearest")
        return data.reshape(len(dims[1]), -1) if len(data) else np.zeros((len(dims[1]), 0))
    cells = flat_numbers(matrix, "nearest: the matrix")
    if cells.ndim != 2 or cells.dtype.kind not in "biuf":
        raise ShapeError(f"nearest: the matrix must have two dims of numbers, got {cells.dtype} of shape {cells.shape}")
    return cells


class _Matrices:
    """The matrices in the innermost two dims of a column, all of whose rows have one size."""

    def __init__(self, column: Column, depth: int, name: str) -> None:
        rows, items = column.shape.dims[depth], column.shape.dims[depth + 1]
        self.heights = np.ascontiguousarray(rows.sizes)
        self.starts = items.offsets[rows.offsets[:-1]]
        sizes = items.sizes
        first = np.zeros(len(self.heights), np.int64)
        full = self.heights > 0
        first[full] = sizes[rows.offsets[:-1][full]]
        bad = (sizes != first.repeat(self.heights)).nonzero()[0]
        if len(bad):
            row = int(rows.parents[bad[0]])
            where = row_name(column.shape, depth, row)
            raise ShapeError(
                f"matmul: {where} of {name} is not a matrix: its rows have {int(first[row])} and {int(sizes[bad[0]])} items"
            )
        self.widths = first
        self.data = _factors(column)

    def of_rows(self, rows: IntArray, dtype: Any) -> npt.NDArray[Any]:
        """Return the matrices of some rows, which have one shape."""
        m, k = int(self.heights[rows[0]]), int(self.widths[rows[0]])
        if m * k == 0:
            return np.zeros((len(rows), m, k), dtype)
        if len(rows) * m * k == len(self.data):  # all matrices have this shape
            return self.data.reshape(len(rows), m, k).astype(dtype, copy=False)
        return blocks.rows_2d(self.data, self.starts[rows], m * k).reshape(len(rows), m, k).astype(dtype, copy=False)


def matmul(x: Column, y: Column) -> Column:
    """Multiply the matrix of each row by that of the same row of another column, or by its vector."""
    if x.ndim < 3 or y.ndim not in (x.ndim, x.ndim - 1):
        raise ShapeError(
            "matmul takes matrices, an array of at least 3 dims, and matrices or vectors, as many dims or one fewer, "
            f"got {x.shape!r} and {y.shape!r}; write x.dot(y) for the products of vectors, and aj.dense.matmul(x, y) for one "
            "dense matrix per row or for all rows"
        )
    is_vector = y.ndim < x.ndim
    outer = x.ndim - 2
    x, y = structure.agree([x, y], "matmul", levels=outer)
    if is_vector:
        if (found := _rows_times_vectors(x, y, outer)) is not None:
            return found
        y = leaves_as_rows(y)
    left, right = _Matrices(x, outer, "x"), _Matrices(y, outer, "y")
    out = _products(left, right, x.shape, outer)
    middle = x.shape.dims[outer]
    values = _arrow.from_numpy(out)
    if is_vector:
        return Column(JaggedShape._trusted((*x.shape.dims[:outer], middle)), _vector(values, out, left.heights, right.widths))
    sizes = right.widths.repeat(row_sizes(middle.offsets))
    validity = x.shape.dims[outer + 1].validity
    last = Ragged.from_offsets(from_sizes(sizes), validity=validity, check=False)
    return Column(JaggedShape._trusted((*x.shape.dims[: outer + 1], last)), values)


def _products(left: _Matrices, right: _Matrices, shape: JaggedShape, outer: int) -> npt.NDArray[Any]:
    """Return the items of the products of matrices, matrix by matrix; errors name the row of `shape`, `outer` dims deep."""
    wrong = (left.widths != right.heights) & (left.heights > 0)
    if np.count_nonzero(wrong):
        row = int(wrong.argmax())
        raise ShapeError(
            f"matmul: in {row_name(shape, outer, row)} a matrix of {plural(int(left.heights[row]), 'row')} "
            f"of {plural(int(left.widths[row]), 'item')} can't be multiplied by one of {plural(int(right.heights[row]), 'row')}"
        )
    type, wide = matmul_types(left.data, right.data)
    n_rows, n_columns = left.heights, right.widths
    cut = from_sizes(n_rows * n_columns)
    used = ((n_rows > 0) & (n_columns > 0) & (left.widths > 0)).nonzero()[0]
    order, bounds = _by_shape(left.heights[used], left.widths[used], n_columns[used]) if len(used) else (used, [0])

    def product_of(group: int) -> tuple[IntArray, npt.NDArray[Any]]:
        rows = used[order[bounds[group] : bounds[group + 1]]]
        try:
            found = without_warnings(_product, left.of_rows(rows, wide), right.of_rows(rows, wide))
        except JagOverflowError as error:
            raise error.in_row(row_name(shape, outer, int(rows[error.row or 0]))) from None
        return rows, without_warnings(found.astype, type, copy=False)

    if len(bounds) == 2 and len(used) == len(n_rows):  # all rows have one shape: its products are the result
        return product_of(0)[1].reshape(-1)
    out = zeros(int(cut[-1]), type)

    def work(group: int) -> None:
        rows, product = product_of(group)
        blocks.put_rows(out, cut[rows], np.ascontiguousarray(product.reshape(len(rows), -1)))

    blocks.map_tasks(work, range(len(bounds) - 1), max(len(left.data), len(out)))
    return out


def _rows_times_vectors(x: Column, y: Column, outer: int) -> Column | None:
    """Multiply matrices of at most one row by float vectors as long as this row; return None for others."""
    middle, items, vectors = x.shape.dims[outer], x.shape.dims[outer + 1], y.shape.dims[outer]
    if items.size != vectors.size or np.count_nonzero(middle.sizes > 1):
        return None
    met = vectors.sizes if middle.size == len(middle) else vectors.sizes[middle.sizes == 1]
    if np.count_nonzero(items.sizes != met):
        return None
    one, two = _factors(x), _factors(y)
    type, _ = matmul_types(one, two)
    if type.kind != "f":
        return None
    found = without_warnings(dot(one, two, items.offsets).astype, type, copy=False)
    return Column(x.shape[: outer + 1], _arrow.from_numpy(found))


def _factors(column: Column) -> npt.NDArray[Any]:
    """Return the items of matrices, with 0 in place of nulls."""
    data, valid = floats(column.values, "matmul"), _arrow.valid_of(column.values)
    return data if valid is None else filled(data, valid, 0)


def _by_shape(*sizes: IntArray) -> tuple[IntArray, list[int]]:
    """Return the order that groups rows of one shape, and where each shape begins, including the end."""
    code, largest = np.zeros(len(sizes[0]), np.int64), 0
    for one in sizes:
        longest = longest_of(one)
        code, largest = code * (longest + 1) + one, largest * (longest + 1) + longest
        if largest >= 2**31:  # renumber the shapes that occur
            code = np.unique(code, return_inverse=True)[1].reshape(-1)
            largest = longest_of(code)
    if not np.count_nonzero(code != code[0]):
        return np.arange(len(code)), [0, len(code)]
    order, ordered = blocks.order_by_size(code)
    changes = (ordered[1:] != ordered[:-1]).nonzero()[0] + 1
    return order, [0, *changes.tolist(), len(order)]


def _vector(values: pa.Array, out: npt.NDArray[Any], n_rows: IntArray, n_columns: IntArray) -> pa.Array:
    """Return one number per row of each matrix: 0 if the vector has no items."""
    if len(out) == int(np.add.reduce(n_rows)):
        return values
    found = np.zeros(int(n_rows.sum()), out.dtype)
    rows = (n_columns > 0).nonzero()[0]
    places = from_sizes(n_rows)
    found[runs(places[:-1][rows], from_sizes(n_rows[rows]))] = out
    return _arrow.from_numpy(found)


def _product(one: npt.NDArray[Any], two: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Multiply matrices, or raise if a product of integers may exceed 64 bits."""
    # In the same order as `_rows_times_vectors`, independent of the other rows.
    if one.shape[1] == two.shape[2] == 1 and one.dtype.kind == "f":
        return dot(one.reshape(-1), two.reshape(-1), of_size(one.shape[2], len(one))).reshape(-1, 1, 1)
    product: npt.NDArray[Any] = np.matmul(one, two)
    if one.dtype.kind in "iu" and one.size and two.size:
        largest = np.matmul(np.abs(one.astype(np.float64)), np.abs(two.astype(np.float64))).max(axis=(1, 2))
        if largest.max() >= np.iinfo(one.dtype).max:
            row = int((largest >= np.iinfo(one.dtype).max).argmax())
            raise JagOverflowError(
                f"matmul: integer overflow, a result of row {row} does not fit {one.dtype}. {OVERFLOW_HINT}", row=row
            )
    return product
