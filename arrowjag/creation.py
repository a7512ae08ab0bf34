"""Create arrays: from nested data, from values and sizes, offsets or parents, and from a shape.

In a shape, plain lists repeat to fill their level, as in fold.
"""

from __future__ import annotations

import functools
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow, _column
from arrowjag._arguments import check_arguments, flat_numbers, length_of
from arrowjag._array import JaggedArray
from arrowjag._array.base import as_column
from arrowjag._array.reading import to_array
from arrowjag._column import Column
from arrowjag._integers import item_count
from arrowjag._kernels.base import offsets as _offsets
from arrowjag._kernels.base import random_numbers
from arrowjag._ops import elementwise
from arrowjag.dims import Ragged, Uniform
from arrowjag.errors import JagTypeError, JagValueError, brief, plural
from arrowjag.shape import JaggedShape

__all__ = ["arange", "array", "from_arrow", "from_offsets", "from_parents", "from_sizes", "full", "random", "zeros"]


# --------------------------------------------------------------------------------------------------- from data


@check_arguments
def array(data: Any, *, type: pa.DataType | None = None, ndim: int | None = None, nan_to_null: bool | None = None) -> JaggedArray:
    """Create a jagged array from nested lists, numpy, Arrow, pandas or polars.

    Parameters
    ----------
    data : nested list, numpy array, Arrow array, Series of pandas or polars, or a PyCapsule object
        None at any level becomes null, as do pandas' NA and NaT in lists, and NaN in place of a row in a Series of objects. A numpy
        array of several dims declares their extents. A scalar becomes an array without dims.
    type : pa.DataType, optional
        The leaf type, or the type of whole rows if it is a list or a map; by default Arrow infers it. A map gives one dim more,
        whose items are structs of `key` and `value`. Floats beyond the range of a float type become infinite, as in `cast`.
    ndim : int, optional
        Number of dims. Empty lists adapt to it, so ``array([], ndim=3)`` works; lists below the last level are items, and so are
        lists and maps of a `type` beside it.
    nan_to_null : bool, optional
        Whether NaN in a flat column becomes null. The default is True for pandas data, where NaN represents a missing value, and
        False for all other data. NaN inside rows is a value; the method `nan_to_null` of the result converts it to null.

    Returns
    -------
    JaggedArray
        An array of the given lists. It shares the buffers of Arrow and numpy data if list offsets have 64 bits and start at 0, and
        null rows own no values; later writes to a numpy array change it.

    Raises
    ------
    ShapeError
        If lists and leaves are mixed on a level, or there are fewer levels than `ndim`.
    JagTypeError
        If an object has no Arrow type, or there is no such `type`.
    JagValueError
        If an item does not fit the leaf type, or `ndim` is negative.
    JagOverflowError
        If an int fits neither int64 nor uint64, and no `type` is given.
    OffsetsError
        If Arrow offsets are corrupt.

    Examples
    --------
    >>> import arrowjag as aj
    >>> aj.array([[1, None], None, []]).to_list()
    [[1, None], None, []]
    """
    column = as_column(data, type=type, ndim=ndim, nan_to_null=nan_to_null)
    return column if isinstance(column, JaggedArray) else JaggedArray._of(column)


@check_arguments
def from_arrow(a: Any, ndim: int | None = None) -> JaggedArray:
    """Create a jagged array from an Arrow array of any nested layout.

    Parameters
    ----------
    a : pa.Array, pa.ChunkedArray or a PyCapsule object
        Any kind of lists, maps or extension arrays; slices and chunks are supported. A map becomes one dim of entries,
        which are structs of `key` and `value`.
    ndim : int, optional
        Number of dims; by default every list and every map is one. Lists and maps below the last level are items.

    Returns
    -------
    JaggedArray
        An array of the same rows. Values and 64-bit offsets are shared, 32-bit offsets are widened, several chunks are
        concatenated, and values hidden under null rows are dropped.

    Raises
    ------
    OffsetsError
        If offsets decrease or point outside of the values.
    ShapeError
        If there are fewer levels than `ndim`, or `ndim` is 0.
    JagTypeError
        If `a` is not a sequence, or `ndim` not an int.

    Examples
    --------
    >>> import arrowjag as aj, pyarrow as pa
    >>> aj.from_arrow(pa.array([[1], None])).to_list()
    [[1], None]
    """
    return JaggedArray._of(_column.from_arrow(to_array(a), ndim, "the Arrow data"))


@check_arguments
def from_sizes(values: Any, *sizes: Any, nan_to_null: bool | None = None) -> JaggedArray:
    """Create a jagged array from flat values and the row sizes of each dim after the rows.

    Parameters
    ----------
    values : pa.Array or input of `pa.array`
        The leaves.
    *sizes : sizes or int
        The row sizes of each dim after the rows, outermost first; an int is the size of all rows. The first of these dims has
        one size per row.
    nan_to_null : bool, optional
        Whether NaN among the values becomes null, as in `array`; the default is True for pandas data.

    Returns
    -------
    JaggedArray
        With the dim of the rows and one per argument `sizes`. Values are shared.

    Raises
    ------
    ShapeError
        If the sizes do not add up.
    JagTypeError
        If `values` is not a sequence, or sizes are not integers.

    Examples
    --------
    >>> import arrowjag as aj
    >>> aj.from_sizes([3.0, 5.0, 10.0], [2, 0, 1]).to_list()
    [[3.0, 5.0], [], [10.0]]
    """
    if not sizes:
        return array(values, nan_to_null=nan_to_null)
    first = sizes[0]
    rows = length_of(first)
    return JaggedArray(
        JaggedShape(Uniform(1 if rows is None else rows, 1, declared=False), *sizes), to_array(values, nan_to_null=nan_to_null)
    )


@check_arguments
def from_parents(values: Any, parents: Any, n_parents: int, *, nan_to_null: bool | None = None) -> JaggedArray:
    """Create a jagged array from flat values and the row that owns each value.

    Parameters
    ----------
    values : pa.Array or input of `pa.array`
        The leaves, sorted by owner.
    parents : array-like of int
        Row numbers, sorted.
    n_parents : int
        The number of rows; the numbers of empty rows do not appear in `parents`.
    nan_to_null : bool, optional
        Whether NaN among the values becomes null, as in `array`; the default is True for pandas data.

    Returns
    -------
    JaggedArray
        Of two dims; values are shared.

    Raises
    ------
    ShapeError
        If parents decrease or are out of range.
    JagTypeError, JagValueError
        If `parents` is not a flat sequence of integers, or `n_parents` is not an int, or negative.

    Examples
    --------
    >>> import arrowjag as aj
    >>> item, order = ["ham", "egg", "tea"], [0, 0, 2]
    >>> aj.from_parents(item, order, 3).to_list()
    [['ham', 'egg'], [], ['tea']]
    """
    item_count(n_parents, "from_parents: n_parents")
    shape = JaggedShape.from_parents((np.zeros(n_parents, np.int64), 1), (parents, n_parents))
    return JaggedArray(shape, to_array(values, nan_to_null=nan_to_null))


@check_arguments
def from_offsets(values: Any, *offsets: Any, validate: bool = True, nan_to_null: bool | None = None) -> JaggedArray:
    """Create a jagged array from flat values and Arrow offsets, one array for each dim after the rows.

    Parameters
    ----------
    values : pa.Array or input of `pa.array`
        The leaves.
    *offsets : array-like of int
        The offsets of each dim after the rows, outermost first; the last ones refer to the values.
    validate : bool
        Whether to check that offsets start at 0, never decrease and end at the size of the next level; if False, only
        lengths are compared.
    nan_to_null : bool, optional
        Whether NaN among the values becomes null, as in `array`; the default is True for pandas data.

    Returns
    -------
    JaggedArray
        Values are shared. Offsets are shared if they are read-only int64; those that the caller can still write to are copied.

    Raises
    ------
    OffsetsError
        If offsets do not start at 0, decrease, or do not end at the size of the next level.
    JagTypeError
        If offsets are not flat sequences of integers.

    Examples
    --------
    >>> import arrowjag as aj
    >>> aj.from_offsets([1, 2, 3], [0, 2, 2, 3]).to_list()
    [[1, 2], [], [3]]
    """
    leaves = _arrow.arrived(to_array(values, nan_to_null=nan_to_null), "the values")
    cuts = [flat_numbers(cut, f"offsets[{place}]") for place, cut in enumerate(offsets)]
    for place, cut in enumerate(cuts):
        if cut.ndim != 1 or (cut.size and cut.dtype.kind not in "iu"):
            raise JagTypeError(f"offsets[{place}] must be a flat sequence of integers, got {brief(offsets[place])}")
    cuts = [cut if cut.dtype.kind not in "iu" else cut.astype(np.int64, copy=False) for cut in cuts]
    ends = [*(len(cut) - 1 for cut in cuts[1:]), len(leaves)]
    dims = []
    for place, cut in enumerate(cuts):
        if validate:
            below = f"offsets[{place + 1}] have {plural(ends[place], 'row')}" if place + 1 < len(cuts) else ""
            _offsets.check(cut, ends[place], f"offsets[{place}]", below)
        dims.append(Ragged.from_offsets(cut, check=validate))
    rows = len(cuts[0]) - 1 if cuts else len(leaves)
    return JaggedArray(JaggedShape(Uniform(rows, 1, declared=False), *dims), leaves)


# --------------------------------------------------------------------------------------------------- from a shape


def _shape(dims: tuple[Any, ...]) -> JaggedShape:
    if len(dims) == 1 and isinstance(dims[0], JaggedShape):
        return dims[0]
    return JaggedShape.repeating(*dims)


@check_arguments
def arange(*dims: Any, start: int = 0) -> JaggedArray:
    """Create an array of consecutive integers in a given shape.

    Parameters
    ----------
    *dims : int, sizes, Dim or pattern; or one JaggedShape
        The shape; plain lists repeat to fill their level.
    start : int
        The first number.

    Returns
    -------
    JaggedArray
        int64 of that shape; without dims a single number.

    Raises
    ------
    ShapeError
        If the dims do not fit.
    JagTypeError
        If `start` is not an int, or a dim is none of these.

    Notes
    -----
    Corresponds to fold's `arange`.

    Examples
    --------
    >>> import arrowjag as aj
    >>> aj.arange(2, [2, 3]).to_list()
    [[0, 1], [2, 3, 4]]
    """
    shape = _shape(dims)
    return JaggedArray._of(Column(shape, _arrow.numbers(shape.size, start)))


@check_arguments
def zeros(*dims: Any, type: Any = None) -> JaggedArray:
    """Create an array of zeros, which stores one value until its values are read.

    Parameters
    ----------
    *dims : int, sizes, Dim or pattern; or one JaggedShape
        The shape; plain lists repeat to fill their level.
    type : pa.DataType, str or numpy dtype, optional
        The leaf type, or its name; float64 by default. Zero is False for booleans, and 1970-01-01 for dates and timestamps.

    Returns
    -------
    JaggedArray
        Run-end encoded: O(1) memory until its values are read.

    Raises
    ------
    ShapeError
        If the dims do not fit.
    JagTypeError
        If the type has no zero, such as text and structs.

    Examples
    --------
    >>> import arrowjag as aj
    >>> aj.zeros(2, [1, 2]).to_list()
    [[0.0], [0.0, 0.0]]
    """
    return full(dims, _zero(pa.float64() if type is None else elementwise.as_type(type)))


def _zero(type: pa.DataType) -> pa.Scalar:
    """Return the zero of a number or a time."""
    if pt.is_boolean(type):
        return pa.scalar(False)
    if pt.is_decimal(type):
        return pa.scalar(Decimal(0), type)
    if _arrow.is_numeric(type):
        return _zero_number(type)
    if pt.is_temporal(type) and not pt.is_interval(type):
        return pa.scalar(0, type)
    raise JagTypeError(f"zeros: {type} has no zero; use aj.full(dims, value)")


@functools.cache  # of ten types; the cast of one number takes 15 microseconds
def _zero_number(type: pa.DataType) -> pa.Scalar:
    return elementwise.cast_values(pa.scalar(0), type)


@check_arguments
def full(dims: Any, value: Any) -> JaggedArray:
    """Create an array of one value, which is stored once until the values are read.

    Parameters
    ----------
    dims : int, tuple or list of dims, JaggedShape
        The shape, as numpy's `full` takes it. Dims are ints, sizes, Dims or patterns; plain lists repeat to fill their level.
    value : scalar
        A Python, numpy or Arrow scalar; None makes nulls.

    Returns
    -------
    JaggedArray
        Run-end encoded: O(1) memory until its values are read.

    Raises
    ------
    ShapeError
        If the dims do not fit.

    Examples
    --------
    >>> import arrowjag as aj
    >>> aj.full((2, [1, 2]), "a").to_list()
    [['a'], ['a', 'a']]
    """
    shape = _shape(tuple(dims) if isinstance(dims, (tuple, list)) else (dims,))
    scalar = elementwise.scalar_like(value, None, "full")
    one = pa.repeat(scalar, 1) if scalar.is_valid else pa.nulls(1, scalar.type)
    if shape.size == 0:
        return JaggedArray._of(Column(shape, one.slice(0, 0)))
    ends = pa.array([shape.size], pa.int64())
    return JaggedArray._of(Column(shape, pa.RunEndEncodedArray.from_arrays(ends, one)))


@check_arguments
def random(*dims: Any, seed: int | None = None) -> JaggedArray:
    """Create random numbers from 0 (included) to 1 (excluded).

    Parameters
    ----------
    *dims : int, sizes, Dim or pattern; or one JaggedShape
        The shape; plain lists repeat to fill their level.
    seed : int, optional
        Makes the numbers repeatable.

    Returns
    -------
    JaggedArray
        float64 of that shape, without nulls. Cost: one pass.

    Raises
    ------
    ShapeError
        If the dims do not fit.
    JagTypeError, JagValueError
        If `seed` is not an int, or negative.

    Examples
    --------
    >>> import arrowjag as aj
    >>> aj.random(2, [1, 2], seed=1).shape
    JaggedShape(2, [1, 2])
    """
    shape = _shape(dims)
    if seed is not None and seed < 0:
        raise JagValueError(f"random: seed must not be negative, got {brief(seed)}")
    numbers = np.random.default_rng() if seed is None else random_numbers.generator(seed)
    return JaggedArray._of(Column(shape, _arrow.from_numpy(random_numbers.uniform(numbers, shape.size))))
