"""The operators on shapes that Koda has, under its names and with its edge semantics.

Shape operators take a `JaggedShape`, array operators an array; only `get_sizes` takes either. Unlike Koda's, arrays
have null rows, which own no items, and declared extents, which comparisons ignore.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from arrowjag._arguments import check_arguments
from arrowjag._array import JaggedArray
from arrowjag._array.base import as_column
from arrowjag._column import Column
from arrowjag._integers import integer
from arrowjag._ops import structure
from arrowjag.dims import Dim, Ragged, Uniform
from arrowjag.errors import JagIndexError, JagTypeError, ShapeError, plural
from arrowjag.shape import JaggedShape, resolve_reshape
from arrowjag.typing import ArrayOrScalar

__all__ = [
    "dim_mapping",
    "dim_sizes",
    "expand_to_shape",
    "flatten",
    "flatten_end",
    "get_shape",
    "get_sizes",
    "is_expandable_to_shape",
    "ndim",
    "new",
    "rank",
    "reshape",
    "reshape_as",
    "size",
]


# --------------------------------------------------------------------------------------------------- shapes


@check_arguments
def new(*dimensions: Any) -> JaggedShape:
    """Create a shape from its dims.

    Parameters
    ----------
    *dimensions : int, sizes or Dim
        An int is the size of every row, a list of ints has one size per row.

    Returns
    -------
    JaggedShape
        The shape; without dims that of a scalar.

    Raises
    ------
    ShapeError
        If a dim does not have one size for each item of the dim before it, or a size is negative.
    JagTypeError
        If a size is a bool, a float or None.

    Notes
    -----
    Corresponds to Koda's `kd.shapes.new`; numpy integers, Arrow arrays, ranges and patterns are accepted too, and a total
    that overflows is an error.

    Examples
    --------
    >>> from arrowjag.shapes import new
    >>> new(2, [2, 1], [1, 2, 3])
    JaggedShape(2, [2, 1], [1, 2, 3])
    """
    return JaggedShape(*dimensions)


@check_arguments
def ndim(shape: JaggedShape) -> int:
    """Return the number of dims of a shape.

    Parameters
    ----------
    shape : JaggedShape
        The shape.

    Returns
    -------
    int
        0 for a scalar.

    Raises
    ------
    JagTypeError
        If `shape` is not a shape.

    Notes
    -----
    Corresponds to Koda's `kd.shapes.ndim`.

    Examples
    --------
    >>> from arrowjag.shapes import ndim, new
    >>> ndim(new(2, [2, 1]))
    2
    """
    return _shape(shape, "ndim").ndim


@check_arguments
def rank(shape: JaggedShape) -> int:
    """Return the number of dims of a shape: Koda's other name for `ndim`.

    Parameters
    ----------
    shape : JaggedShape
        The shape.

    Returns
    -------
    int
        0 for a scalar.

    Raises
    ------
    JagTypeError
        If `shape` is not a shape.

    Notes
    -----
    Corresponds to Koda's `kd.shapes.rank`.

    Examples
    --------
    >>> from arrowjag.shapes import new, rank
    >>> rank(new(2, [2, 1])), rank(new())
    (2, 0)
    """
    return _shape(shape, "rank").ndim


@check_arguments
def size(shape: JaggedShape) -> int:
    """Return the number of innermost items of a shape.

    Parameters
    ----------
    shape : JaggedShape
        The shape.

    Returns
    -------
    int
        1 for a scalar.

    Raises
    ------
    JagTypeError
        If `shape` is not a shape.

    Notes
    -----
    Corresponds to Koda's `kd.shapes.size`.

    Examples
    --------
    >>> from arrowjag.shapes import new, size
    >>> size(new(2, [2, 1])), size(new())
    (3, 1)
    """
    return _shape(shape, "size").size


@check_arguments
def dim_sizes(shape: JaggedShape, dim: int) -> pa.Array:
    """Return the row sizes of a dim.

    Parameters
    ----------
    shape : JaggedShape
        The shape.
    dim : int
        Which dim; negative counts from the last.

    Returns
    -------
    pa.Int64Array
        One size per row; shared with the dim.

    Raises
    ------
    JagIndexError
        If the dim is out of range.

    Notes
    -----
    Corresponds to Koda's `kd.shapes.dim_sizes`.

    Examples
    --------
    >>> from arrowjag.shapes import dim_sizes, new
    >>> dim_sizes(new(2, [2, 1]), 1).to_pylist()
    [2, 1]
    """
    return pa.array(_dim(shape, dim, "dim_sizes").sizes)


@check_arguments
def dim_mapping(shape: JaggedShape, dim: int) -> pa.Array:
    """Return the row that owns each item of a dim.

    Parameters
    ----------
    shape : JaggedShape
        The shape.
    dim : int
        Which dim; negative counts from the last.

    Returns
    -------
    pa.Int64Array
        One row number per item, counted over the whole dim.

    Raises
    ------
    JagIndexError
        If the dim is out of range.

    Notes
    -----
    Corresponds to Koda's `kd.shapes.dim_mapping`.

    Examples
    --------
    >>> from arrowjag.shapes import dim_mapping, new
    >>> dim_mapping(new(2, [3, 2], [1, 2, 0, 2, 1]), 1).to_pylist()
    [0, 0, 0, 1, 1]
    """
    return pa.array(_dim(shape, dim, "dim_mapping").parents.astype(np.int64, copy=False))


@check_arguments
def get_sizes(x: Any) -> JaggedArray:
    """Return the row sizes of every dim, as an array.

    Parameters
    ----------
    x : JaggedShape or array
        The shape, or an array with this shape.

    Returns
    -------
    JaggedArray
        Of two dims and int64 leaves: row k holds the sizes of dim k.

    Raises
    ------
    JagTypeError
        If `x` is neither.

    Notes
    -----
    Corresponds to Koda's `kd.shapes.get_sizes`.

    Examples
    --------
    >>> from arrowjag.shapes import get_sizes, new
    >>> get_sizes(new(2, [2, 1])).to_list()
    [[2], [2, 1]]
    """
    shape = x if isinstance(x, JaggedShape) else get_shape(x)
    counts = Ragged([len(dim) for dim in shape.dims])
    flat = np.concatenate([np.zeros(0, np.int64), *shape.sizes])
    return JaggedArray(JaggedShape._trusted([Uniform._frame(shape.ndim), counts]), pa.array(flat))


# --------------------------------------------------------------------------------------------------- arrays


@check_arguments
def get_shape(x: Any) -> JaggedShape:
    """Return the shape of an array.

    Parameters
    ----------
    x : array or scalar
        Anything that `arrowjag.array` accepts except plain lists, whose nesting Koda considers ambiguous.

    Returns
    -------
    JaggedShape
        The array's own shape object.

    Raises
    ------
    JagTypeError
        If `x` is a shape.

    Notes
    -----
    Corresponds to Koda's `kd.shapes.get_shape`.

    Examples
    --------
    >>> from arrowjag.shapes import get_shape
    >>> import arrowjag as aj
    >>> get_shape(aj.array([[1, 2], [3]]))
    JaggedShape(2, [2, 1])
    """
    return _column(x, "get_shape").shape


@check_arguments
def flatten(x: Any, from_dim: int = 0, to_dim: int | None = None) -> JaggedArray:
    """Merge the dims ``from_dim:to_dim`` into one.

    Parameters
    ----------
    x : array or scalar
        The array to flatten.
    from_dim, to_dim : int
        Negative counts from the last; both are clamped to the dims there are. `to_dim` is the ndim by default.

    Returns
    -------
    JaggedArray
        With one dim in their place; an empty range inserts a dim of size 1 before `from_dim`. Null rows give no item. Values are
        shared.

    Notes
    -----
    Corresponds to Koda's `kd.shapes.flatten`, which accepts any ints.

    Examples
    --------
    >>> from arrowjag.shapes import flatten
    >>> import arrowjag as aj
    >>> flatten(aj.array([[[1, 2], [3]], [[4]]]), -2).to_list()
    [[1, 2, 3], [4]]
    """
    return _array(structure.flatten(_column(x, "flatten"), from_dim, to_dim))


@check_arguments
def flatten_end(x: Any, n_times: int = 1) -> JaggedArray:
    """Merge the last `n_times` dims into the dim before them.

    Parameters
    ----------
    x : array
        An array of at least one dim.
    n_times : int
        The number of dims to merge, from 0 to the ndim; the ndim gives the same result as one less.

    Returns
    -------
    JaggedArray
        Values are shared; null rows give no item.

    Raises
    ------
    ShapeError
        If `x` is a scalar or `n_times` is out of range.

    Notes
    -----
    Corresponds to Koda's `kd.shapes.flatten_end`.

    Examples
    --------
    >>> from arrowjag.shapes import flatten_end
    >>> import arrowjag as aj
    >>> flatten_end(aj.array([[[1, 2], [3]], [[4]]])).to_list()
    [[1, 2, 3], [4]]
    """
    return _array(structure.flatten_end(_column(x, "flatten_end"), n_times))


@check_arguments
def reshape(x: Any, shape: Any) -> ArrayOrScalar:
    """Regroup the same items into another shape.

    Parameters
    ----------
    x : array or scalar
        The items.
    shape : JaggedShape, or tuple of int, sizes or Dim
        The new shape. At most one entry of a tuple is -1: a uniform size, computed from the other dims.

    Returns
    -------
    JaggedArray, or pa.Scalar
        The same values, shared; null rows of `x`, which own no values, are dropped.

    Raises
    ------
    ShapeError
        If the sizes do not add up to the number of items.
    JagTypeError
        If `shape` is neither a shape nor a tuple.

    Notes
    -----
    Equals Koda's `kd.shapes.reshape` in all cases; the method `reshape` keeps ragged rows if possible.

    Examples
    --------
    >>> from arrowjag.shapes import reshape
    >>> import arrowjag as aj
    >>> reshape(aj.array([1, 2, 3, 4]), (-1, [3, 1])).to_list()
    [[1, 2, 3], [4]]
    """
    column = _column(x, "reshape")
    return _array(structure.with_shape(resolve_reshape(column.shape, shape), column))


@check_arguments
def reshape_as(x: Any, shape_from: Any) -> ArrayOrScalar:
    """Regroup the same items into the shape of another array.

    Parameters
    ----------
    x : array or scalar
        The items.
    shape_from : array or scalar
        The array with the new shape.

    Returns
    -------
    JaggedArray, or pa.Scalar
        Values are shared; null rows are those of `shape_from`.

    Raises
    ------
    ShapeError
        If the sizes differ.
    JagTypeError
        If `shape_from` is a shape.

    Notes
    -----
    Corresponds to Koda's `kd.shapes.reshape_as`.

    Examples
    --------
    >>> from arrowjag.shapes import reshape_as
    >>> import arrowjag as aj
    >>> reshape_as(aj.array([1, 2, 3]), aj.array([["a"], ["b", "c"]])).to_list()
    [[1], [2, 3]]
    """
    return reshape(x, _column(shape_from, "reshape_as").shape)


@check_arguments
def expand_to_shape(x: Any, shape: JaggedShape, ndim: int = 0) -> ArrayOrScalar:
    """Expand an array to a longer shape.

    Parameters
    ----------
    x : array or scalar
        Its shape, without the last `ndim` dims, is a prefix of `shape`.
    shape : JaggedShape
        The target shape.
    ndim : int
        The number of last dims of `x` that are copied as one item.

    Returns
    -------
    JaggedArray, or pa.Scalar
        The items, each repeated for its descendants; null rows stay null. Cost: one gather per level.

    Raises
    ------
    ShapeError
        If the shape of `x` is not a prefix; the message names dim and row. Dims of size 1 are not broadcast.

    Notes
    -----
    Corresponds to Koda's `kd.shapes.expand_to_shape`.

    Examples
    --------
    >>> from arrowjag.shapes import expand_to_shape, new
    >>> import arrowjag as aj
    >>> expand_to_shape(aj.array([[1, 2], [3]]), new(2, [1, 2]), ndim=1).to_list()
    [[[1, 2]], [[3], [3]]]
    """
    return _array(structure.expand_to(_column(x, "expand_to_shape"), _shape(shape, "expand_to_shape"), ndim))


@check_arguments
def is_expandable_to_shape(x: Any, target_shape: JaggedShape, ndim: int = 0) -> bool:
    """Return whether `expand_to_shape` accepts the same arguments.

    Parameters
    ----------
    x : array or scalar
        The array to expand.
    target_shape : JaggedShape
        The longer shape.
    ndim : int
        The number of last dims of `x` that would be copied as one item.

    Returns
    -------
    bool
        The answer. Cost: a comparison of sizes.

    Raises
    ------
    ShapeError
        If `ndim` is not from 0 to the ndim of `x`.

    Notes
    -----
    Corresponds to Koda's `kd.shapes.is_expandable_to_shape`.

    Examples
    --------
    >>> from arrowjag.shapes import is_expandable_to_shape, new
    >>> import arrowjag as aj
    >>> is_expandable_to_shape(aj.array([1, 2]), new(2, [2, 1])), is_expandable_to_shape(aj.array([1]), new(3))
    (True, False)
    """
    column, shape = _column(x, "is_expandable_to_shape"), _shape(target_shape, "is_expandable_to_shape")
    ndim = integer(ndim, "is_expandable_to_shape: ndim")
    if not 0 <= ndim <= column.ndim:
        raise ShapeError(f"is_expandable_to_shape: ndim must be from 0 to {column.ndim} for {column.shape!r}, got {ndim}")
    return structure.is_expandable_to(column.shape[: column.ndim - ndim], shape)


# --------------------------------------------------------------------------------------------------- arguments


def _shape(shape: Any, operation: str) -> JaggedShape:
    if not isinstance(shape, JaggedShape):
        raise JagTypeError(f"{operation} takes a JaggedShape, got {type(shape).__name__}; get_shape gives that of an array")
    return shape


def _column(x: Any, operation: str) -> Column:
    if isinstance(x, (JaggedShape, Dim, list, tuple)):
        hint = "arrowjag.array converts a list to an array" if isinstance(x, (list, tuple)) else "it has no items"
        raise JagTypeError(f"{operation} takes an array, got {type(x).__name__}; {hint}")
    return as_column(x)


def _dim(shape: JaggedShape, dim: int, operation: str) -> Dim:
    shape = _shape(shape, operation)
    dim = integer(dim, f"{operation}: a dim")
    if not -shape.ndim <= dim < shape.ndim:
        raise JagIndexError(f"{operation}: dim {dim} is out of range for {shape!r} with {plural(shape.ndim, 'dim')}")
    return shape.dims[dim]


def _array(column: Column) -> ArrayOrScalar:
    return JaggedArray._wrap(column)
