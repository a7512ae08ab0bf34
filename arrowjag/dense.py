"""Convert padded dense arrays to jagged arrays, and compute with both: arithmetic, softmax and matrix products.

The rules are those of FBGEMM's jagged operators. `JaggedArray.to_dense` converts to dense arrays. A declared last dim is the width
of an item; the dims between it and the rows are the jagged levels.
"""

from __future__ import annotations

from typing import Any, Literal, overload

import numpy.typing as npt

from arrowjag._arguments import check_arguments, length_of
from arrowjag._array import JaggedArray
from arrowjag._array.base import as_column, shape_of_rows
from arrowjag._column import Column
from arrowjag._integers import is_int
from arrowjag._ops import dense as _ops
from arrowjag.dims import Uniform
from arrowjag.shape import JaggedShape

__all__ = ["add", "bmm", "from_dense", "inner", "matmul", "max_sizes", "mul", "pack", "softmax"]


@check_arguments
def from_dense(dense: Any, shape_or_sizes: Any, fill_value: Any = 0) -> JaggedArray:
    """Convert a padded dense array to a jagged array.

    Parameters
    ----------
    dense : array-like of shape (rows, m1, ..., mk, ...)
        The padded rows. Masked cells of a masked array give nulls. Dims after those of the shape become declared dims.
    shape_or_sizes : JaggedShape, array, or sizes
        The sizes of the rows to read: a shape, an array or column of this shape, one sequence of row sizes such as
        ``x.lengths()``, or a tuple of such sequences, one per level.
    fill_value : scalar or None
        The value of items beyond the end of the dense array, when a row is longer than its dim; None gives null.

    Returns
    -------
    JaggedArray
        Null rows of the shape stay null. Cells outside of the rows are not read. Cost: one pass that copies the values; a
        dense array without jagged levels is shared.

    Raises
    ------
    ShapeError
        If the dense array has another number of rows, or fewer dims than the shape.
    JagTypeError, JagValueError
        If the fill value does not fit the type of the cells.

    Notes
    -----
    Corresponds to FBGEMM's `dense_to_jagged`, which always fills with 0.

    Examples
    --------
    >>> import arrowjag as aj
    >>> aj.dense.from_dense([[1, 2], [3, 0]], [2, 1]).to_list()
    [[1, 2], [3]]
    >>> aj.dense.from_dense([[1, 2], [3, 0]], [3, 1], fill_value=-1).to_list()
    [[1, 2, -1], [3]]
    """
    return _of(_ops.from_dense(dense, _shape(shape_or_sizes), fill_value))


def _shape(given: Any) -> JaggedShape:
    if isinstance(given, JaggedShape):
        return given
    if (shape := shape_of_rows(given)) is not None:
        return shape
    several = isinstance(given, tuple) and not all(map(is_int, given))
    levels = given if several else (given,)
    first = levels[0]
    rows = length_of(first)
    outer = [list(one) if isinstance(one, tuple) else one for one in levels]
    return JaggedShape(Uniform(1 if rows is None else rows, 1, declared=False), *outer)


def _of(column: Column) -> JaggedArray:
    result: JaggedArray = JaggedArray._of(column)
    return result


@overload
def add(x: Any, dense: Any, out: Literal["jagged"] = "jagged") -> JaggedArray: ...


@overload
def add(x: Any, dense: Any, out: Literal["dense"]) -> npt.NDArray[Any]: ...


@check_arguments
def add(x: Any, dense: Any, out: Literal["jagged", "dense"] = "jagged") -> Any:
    """Add a dense array to a jagged one.

    Parameters
    ----------
    x : JaggedArray of numbers
        The rows.
    dense : array-like of shape (rows, m1, ..., mk, declared extents of x...)
        Its dims may be shorter or longer than the rows; see below for the cells that only one of the two has.
    out : {"jagged", "dense"}
        The form of the result.

    Returns
    -------
    JaggedArray or numpy.ndarray
        If `out` is "jagged", an array with the shape and the nulls of `x`; items without a cell in the dense array are
        unchanged. If it is "dense", an array with the shape of `dense`; cells without an item of `x`, or with a null one,
        are unchanged, and items outside of the dense array are dropped. Types are promoted as in numpy. Cost: one pass;
        values are new.

    Raises
    ------
    ShapeError
        If the numbers of rows or the declared extents differ; sizes of 1 are not broadcast.
    JagTypeError
        If an argument does not hold numbers.

    Notes
    -----
    Corresponds to FBGEMM's `jagged_dense_elementwise_add` (dense) and `jagged_dense_elementwise_add_jagged_output`
    (jagged). To add two dense arrays, call it twice.

    Examples
    --------
    >>> import arrowjag as aj
    >>> x = aj.array([[1, 2], [3]])
    >>> aj.dense.add(x, [[10], [20]]).to_list()
    [[11, 2], [23]]
    >>> aj.dense.add(x, [[10], [20]], out="dense").tolist()
    [[11], [23]]
    """
    result = _ops.add(as_column(x), dense, to_dense=out == "dense")
    return _of(result) if isinstance(result, Column) else result


@check_arguments
def mul(x: Any, dense: Any) -> JaggedArray:
    """Multiply a jagged array by a dense one.

    Parameters
    ----------
    x : JaggedArray of numbers
        The rows.
    dense : array-like of shape (rows, m1, ..., mk, declared extents of x...)
        The factors; its dims may be shorter or longer than the rows.

    Returns
    -------
    JaggedArray
        An array with the shape and the nulls of `x`. Items without a cell in the dense array are multiplied by 0, so that
        NaN and infinity give NaN. Cost: one pass; values are new.

    Raises
    ------
    ShapeError
        If the numbers of rows or the declared extents differ; sizes of 1 are not broadcast.
    JagTypeError
        If an argument does not hold numbers.

    Notes
    -----
    Corresponds to FBGEMM's `jagged_dense_elementwise_mul`.

    Examples
    --------
    >>> import arrowjag as aj
    >>> aj.dense.mul(aj.array([[1, 2], [3]]), [[10], [20]]).to_list()
    [[10, 0], [60]]
    """
    return _of(_ops.mul(as_column(x), dense))


@check_arguments
def max_sizes(x: Any) -> tuple[int, ...]:
    """Return the size of the longest row of each jagged level.

    Parameters
    ----------
    x : JaggedArray
        An array of any type.

    Returns
    -------
    tuple of int
        One entry for each dim after the rows, without the declared ones at the end; 0 for a level without rows.
        `JaggedArray.to_dense` uses these sizes by default, so that it cuts no row.

    Examples
    --------
    >>> import arrowjag as aj
    >>> aj.dense.max_sizes(aj.array([[[1, 2], [3]], [], [[4, 5, 6]]]))
    (2, 3)
    """
    return _ops.max_sizes(as_column(x))


@check_arguments
def inner(x: Any) -> int:
    """Return the largest number of leaves that can form one item: the greatest common divisor of the innermost row sizes.

    Parameters
    ----------
    x : JaggedArray
        Of two dims or more.

    Returns
    -------
    int
        The number of leaves. Empty and null rows are ignored; 1 if there are no others. A declared extent is returned as it is.

    Raises
    ------
    ShapeError
        If `x` has fewer than two dims.

    Notes
    -----
    This is FBGEMM's rule for the width of `Values`. `pack` cuts the rows accordingly.

    Examples
    --------
    >>> import arrowjag as aj
    >>> aj.dense.inner(aj.array([[1] * 8, [1] * 4, []]))
    4
    """
    return _ops.inner_width(as_column(x))


@check_arguments
def pack(x: Any, width: int | None = None) -> JaggedArray:
    """Cut the innermost rows into items of equal width, which form a new declared dim.

    Parameters
    ----------
    x : JaggedArray
        Of two dims or more.
    width : int, optional
        A divisor of every innermost row size; by default `inner` of `x`.

    Returns
    -------
    JaggedArray
        An array of one more dim; ``flatten_end()`` is the inverse. Values are shared, null rows stay null.

    Raises
    ------
    ShapeError
        If a row can't be cut into items of that width.

    Examples
    --------
    >>> import arrowjag as aj
    >>> aj.dense.pack(aj.array([[1, 2, 3, 4], [], [5, 6]])).to_list()
    [[[1, 2], [3, 4]], [], [[5, 6]]]
    """
    return _of(_ops.pack(as_column(x), width))


@check_arguments
def softmax(x: Any, max_size: int | None = None) -> JaggedArray:
    """Compute the softmax over the jagged dim, separately per column of the items.

    Parameters
    ----------
    x : JaggedArray of numbers
        With one jagged dim after the rows, and at most one declared dim after that.
    max_size : int, optional
        The number of items per row to use; later items get weight 0.

    Returns
    -------
    JaggedArray
        An array of the shape of `x`; floats keep their type, integers give float64. The weights of each column of a row add
        up to 1. Nulls are ignored and stay null. A column that holds a NaN, +inf, or only -inf gives NaN. Half floats are
        computed in float32.

    Raises
    ------
    ShapeError
        If there is more than one jagged level, or `max_size` is negative.
    JagTypeError
        If `x` does not hold numbers.

    Notes
    -----
    Corresponds to FBGEMM's `jagged_softmax`, which leaves items beyond `max_size` uninitialised. `JaggedArray.softmax`
    works along any axis.

    Examples
    --------
    >>> import arrowjag as aj
    >>> aj.dense.softmax(aj.array([[1.0, 1.0], [], [5.0]])).to_list()
    [[0.5, 0.5], [], [1.0]]
    """
    return _of(_ops.softmax(as_column(x), max_size))


@check_arguments
def bmm(x: Any, y: Any, max_size: int | None = None) -> npt.NDArray[Any]:
    """Multiply the matrices of corresponding rows, the first one transposed: `X_b.T @ Y_b`.

    Parameters
    ----------
    x, y : JaggedArray of numbers
        Arrays of the same row sizes, with declared widths m and p; rows of plain numbers have width 1.
    max_size : int, optional
        The number of items per row to use; later items are ignored.

    Returns
    -------
    numpy.ndarray of shape (rows, m, p)
        One matrix per row; zeros for empty and null rows; null items count as 0. Integers give int64 (uint64), half floats
        are added up in float32.

    Raises
    ------
    ShapeError
        If the row sizes differ, or there is more than one jagged level.
    JagTypeError
        If an argument does not hold numbers.
    JagOverflowError
        If a sum of integers does not fit 64 bits.

    Notes
    -----
    Corresponds to FBGEMM's `jagged_jagged_bmm`, which does not check that the row sizes agree.

    Examples
    --------
    >>> import arrowjag as aj
    >>> x = aj.dense.pack(aj.array([[1, 2, 3, 4], [5, 6]]), 2)
    >>> aj.dense.bmm(x, x).tolist()
    [[[10, 14], [14, 20]], [[25, 30], [30, 36]]]
    """
    return _ops.bmm(as_column(x), as_column(y), max_size)


@check_arguments
def matmul(x: Any, dense: Any, max_size: int | None = None) -> JaggedArray:
    """Multiply the matrix of each row by a dense matrix: `X_b @ Y_b`.

    Parameters
    ----------
    x : JaggedArray of numbers
        With one jagged dim and a declared width k; rows of plain numbers have width 1.
    dense : array-like of shape (rows, k, p) or (k, p)
        One matrix per row, or one for all rows.
    max_size : int, optional
        The number of items per row to use; the results of later items are 0.

    Returns
    -------
    JaggedArray
        The rows of `x` with items of declared width p. Null rows stay null, null leaves count as 0. Integers give int64 (uint64),
        half floats are added up in float32.

    Raises
    ------
    ShapeError
        If the sizes do not fit.
    JagTypeError
        If an argument does not hold numbers.
    JagOverflowError
        If a sum of integers does not fit 64 bits.

    Notes
    -----
    Corresponds to FBGEMM's `jagged_dense_bmm`, which reads out of bounds if the sizes k differ.

    Examples
    --------
    >>> import arrowjag as aj
    >>> x = aj.dense.pack(aj.array([[1, 2, 3, 4], [5, 6]]), 2)
    >>> aj.dense.matmul(x, [[1], [10]]).to_list()
    [[[21], [43]], [[65]]]
    """
    return _of(_ops.matmul(as_column(x), dense, max_size))
