"""Free functions: making arrays, and what takes several of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from arrowjag import _arrow, _column
from arrowjag._array import JaggedArray
from arrowjag._array.base import as_column
from arrowjag._column import Column
from arrowjag._kernels import offsets as _offsets
from arrowjag.dims import Ragged, Uniform
from arrowjag.shape import JaggedShape

__all__ = ["array", "from_arrow", "from_offsets", "from_parents", "from_sizes"]


def array(data: Any, *, type: pa.DataType | None = None, ndim: int | None = None) -> JaggedArray:
    """A jagged array of whatever holds the data now.

    Parameters
    ----------
    data : nested list, numpy array, Arrow array, Series of pandas or polars, or a PyCapsule object
        None at any level is null. A numpy array of several dims declares their extents. A bare scalar gives an array without dims.
    type : pa.DataType, optional
        The leaf type; by default Arrow infers it.
    ndim : int, optional
        Number of levels. Levels that only empty lists leave open adapt, so ``array([], ndim=3)`` works.

    Returns
    -------
    JaggedArray
        Buffers of Arrow and numpy data are shared where the layout allows: 64-bit list offsets from 0, no slack under null rows.

    Raises
    ------
    ShapeError
        If lists and leaves are mixed on a level, or there are fewer levels than `ndim`.
    OffsetsError
        If Arrow offsets are corrupt.

    Examples
    --------
    >>> import arrowjag as aj
    >>> aj.array([[1, None], None, []]).to_list()
    [[1, None], None, []]
    """
    column = as_column(data, type=type, ndim=ndim)
    return column if isinstance(column, JaggedArray) else _of(column)


def _of(column: Column) -> JaggedArray:
    result: JaggedArray = JaggedArray._of(column)
    return result


def from_arrow(a: Any, ndim: int | None = None) -> JaggedArray:
    """A jagged array from an Arrow array of any nested layout.

    Parameters
    ----------
    a : pa.Array, pa.ChunkedArray or a PyCapsule object
        Lists of five kinds, extension arrays, slices, chunks. A map is a leaf unless `ndim` asks for its level.
    ndim : int, optional
        Number of levels; by default every list is one.

    Returns
    -------
    JaggedArray
        Values and 64-bit offsets are shared; 32-bit offsets are widened; several chunks are joined; values hidden under null rows
        are dropped.

    Raises
    ------
    OffsetsError
        If offsets are not a valid cut of the values below them.
    ShapeError
        If there are fewer levels than `ndim`.

    Examples
    --------
    >>> import arrowjag as aj, pyarrow as pa
    >>> aj.from_arrow(pa.array([[1], None])).to_list()
    [[1], None]
    """
    return _of(_column.from_arrow(_arrow.to_array(a), ndim, "the Arrow data"))


def from_sizes(values: Any, *sizes: Any) -> JaggedArray:
    """A jagged array from flat values and the row sizes of each dim after the rows.

    Parameters
    ----------
    values : pa.Array, or what `pa.array` takes
        The leaves.
    *sizes : sizes or int
        Outermost first; the first has one entry a row.

    Returns
    -------
    JaggedArray
        Values are shared.

    Raises
    ------
    ShapeError
        If the sizes do not add up.

    Examples
    --------
    >>> import arrowjag as aj
    >>> aj.from_sizes([1, 2, 3], [2, 0, 1]).to_list()
    [[1, 2], [], [3]]
    """
    if not sizes:
        return array(values)
    first = sizes[0]
    rows = len(first) if hasattr(first, "__len__") else 1
    return JaggedArray(JaggedShape(Uniform(rows, 1, declared=False), *sizes), values)


def from_parents(values: Any, parents: Any, n_parents: int) -> JaggedArray:
    """A jagged array from flat values and the owner row of each.

    Parameters
    ----------
    values : pa.Array, or what `pa.array` takes
        The leaves, sorted by owner.
    parents : array-like of int
        Row numbers, sorted.
    n_parents : int
        How many rows there are; rows that own nothing do not appear in `parents`.

    Returns
    -------
    JaggedArray
        Of two dims; values are shared.

    Raises
    ------
    ShapeError
        If parents fall or are out of range.

    Examples
    --------
    >>> import arrowjag as aj
    >>> aj.from_parents(["a", "b", "c"], [0, 0, 2], 3).to_list()
    [['a', 'b'], [], ['c']]
    """
    shape = JaggedShape.from_parents((np.zeros(n_parents, np.int64), 1), (parents, n_parents))
    return JaggedArray(shape, values)


def from_offsets(values: Any, *offsets: Any, validate: bool = True) -> JaggedArray:
    """A jagged array from flat values and Arrow offsets, one array for each dim after the rows.

    Parameters
    ----------
    values : pa.Array, or what `pa.array` takes
        The leaves.
    *offsets : array-like of int
        Outermost first; each cuts the rows of the next, the last cuts the values.
    validate : bool
        Whether to check that they do; without it only the lengths are compared.

    Returns
    -------
    JaggedArray
        Values and int64 offsets are shared.

    Raises
    ------
    OffsetsError
        If offsets do not start at 0, fall, or end elsewhere than the level below does.

    Examples
    --------
    >>> import arrowjag as aj
    >>> aj.from_offsets([1, 2, 3], [0, 2, 2, 3]).to_list()
    [[1, 2], [], [3]]
    """
    leaves = values if isinstance(values, pa.Array) else _arrow.combine_chunks(_arrow.to_array(values))
    cuts = [np.asarray(cut) for cut in offsets]
    cuts = [cut if cut.dtype.kind not in "iu" else cut.astype(np.int64, copy=False) for cut in cuts]
    ends = [*(len(cut) - 1 for cut in cuts[1:]), len(leaves)]
    dims = []
    for place, (cut, end) in enumerate(zip(cuts, ends, strict=True)):
        if validate:
            _offsets.check(cut, end, f"offsets[{place}]")
        dims.append(Ragged.from_offsets(cut, check=validate))
    rows = len(cuts[0]) - 1 if cuts else len(leaves)
    return JaggedArray(JaggedShape(Uniform(rows, 1, declared=False), *dims), leaves)
