"""Free functions that create arrays, and functions of several arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from arrowjag import _arrow, _column
from arrowjag._arguments import check_arguments
from arrowjag._array import JaggedArray
from arrowjag._array.base import as_column, operand
from arrowjag._array.combining import apply_function, promoted
from arrowjag._array.maps import warn_of_duplicates
from arrowjag._array.reading import to_array
from arrowjag._column import Column
from arrowjag._integers import item_count
from arrowjag._kernels.base import offsets as _offsets
from arrowjag._methods import Rows, free_function, most_dims, touches_rows
from arrowjag._ops import concat as _concat
from arrowjag._ops import elementwise, maps, row_functions, structure
from arrowjag.dims import Ragged, Uniform
from arrowjag.errors import JagTypeError
from arrowjag.shape import JaggedShape
from arrowjag.typing import ArrayOrScalar

__all__ = [
    "align",
    "apply",
    "array",
    "coalesce",
    "concat",
    "fold",
    "from_arrow",
    "from_offsets",
    "from_parents",
    "from_sizes",
    "map_items",
    "map_rows",
    "nan_to_null",
    "scan",
    "stack",
    "to_map",
    "where",
]


def _rows_of_rows(arguments: Mapping[str, Any]) -> Rows:
    """One result per row: a function of plain columns, or along the rows, has other rows."""
    moves = touches_rows(arguments.get("axis", -1), most_dims(*arguments["arrays"]))
    return Rows.MOVED if moves else Rows.LOCAL


def _rows_of_states(arguments: Mapping[str, Any]) -> Rows:
    """Plain columns are one row, in which each state depends on the items before."""
    return Rows.KEPT if most_dims(*arguments["arrays"]) == 1 else Rows.LOCAL


def _rows_of_joined(arguments: Mapping[str, Any], more: int = 0) -> Rows:
    moves = touches_rows(arguments["axis"], max(most_dims(*arguments["arrays"]), 1) + more)
    return Rows.MOVED if moves else Rows.LOCAL


def _rows_of_stacked(arguments: Mapping[str, Any]) -> Rows:
    return _rows_of_joined(arguments, 1)


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
        whose items are structs of `key` and `value`.
    ndim : int, optional
        Number of levels. Empty lists adapt to it, so ``array([], ndim=3)`` works.
    nan_to_null : bool, optional
        Whether NaN in a flat column becomes null. The default is True for pandas data, where NaN represents a missing value, and
        False for all other data. NaN inside rows is a value; the method `nan_to_null` of the result converts it to null.

    Returns
    -------
    JaggedArray
        The buffers of Arrow and numpy data are shared if list offsets have 64 bits and start at 0, and null rows own no values.

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
    column = as_column(data, type=type, ndim=ndim, nan_to_null=nan_to_null)
    return column if isinstance(column, JaggedArray) else _of(column)


def _of(column: Column) -> JaggedArray:
    result: JaggedArray = JaggedArray._of(column)
    return result


@check_arguments
def from_arrow(a: Any, ndim: int | None = None) -> JaggedArray:
    """Create a jagged array from an Arrow array of any nested layout.

    Parameters
    ----------
    a : pa.Array, pa.ChunkedArray or a PyCapsule object
        Any kind of lists, maps or extension arrays; slices and chunks are supported. A map becomes one dim of entries,
        which are structs of `key` and `value`.
    ndim : int, optional
        Number of levels; by default every list and every map is one.

    Returns
    -------
    JaggedArray
        Values and 64-bit offsets are shared; 32-bit offsets are widened; several chunks are joined; values hidden under null rows
        are dropped.

    Raises
    ------
    OffsetsError
        If offsets decrease or point outside of the values.
    ShapeError
        If there are fewer levels than `ndim`.
    JagTypeError
        If `a` is not a sequence, or `ndim` not an int.

    Examples
    --------
    >>> import arrowjag as aj, pyarrow as pa
    >>> aj.from_arrow(pa.array([[1], None])).to_list()
    [[1], None]
    """
    return _of(_column.from_arrow(to_array(a), ndim, "the Arrow data"))


@check_arguments
def from_sizes(values: Any, *sizes: Any, nan_to_null: bool | None = None) -> JaggedArray:
    """Create a jagged array from flat values and the row sizes of each dim after the rows.

    Parameters
    ----------
    values : pa.Array or input of `pa.array`
        The leaves.
    *sizes : sizes or int
        The row sizes of each dim after the rows, outermost first; an int is the size of all rows. The first dim after the
        rows has one size per row.
    nan_to_null : bool, optional
        Whether NaN among the values becomes null, as in `array`; the default is True for pandas data.

    Returns
    -------
    JaggedArray
        Values are shared.

    Raises
    ------
    ShapeError
        If the sizes do not add up.
    JagTypeError
        If `values` is not a sequence, or sizes are not integers.

    Examples
    --------
    >>> import arrowjag as aj
    >>> aj.from_sizes([1, 2, 3], [2, 0, 1]).to_list()
    [[1, 2], [], [3]]
    """
    if not sizes:
        return array(values, nan_to_null=nan_to_null)
    first = sizes[0]
    rows = len(first) if hasattr(first, "__len__") and getattr(first, "ndim", None) != 0 else 1
    return JaggedArray(JaggedShape(Uniform(rows, 1, declared=False), *sizes), to_array(values, nan_to_null=nan_to_null))


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
    >>> aj.from_parents(["a", "b", "c"], [0, 0, 2], 3).to_list()
    [['a', 'b'], [], ['c']]
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
        The boundaries of the rows of each dim after the rows, outermost first; the last offsets refer to the values.
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
    cuts = [np.asarray(cut) for cut in offsets]
    for place, cut in enumerate(cuts):
        if cut.ndim != 1:
            raise JagTypeError(f"offsets[{place}] must be a flat sequence of integers, got {offsets[place]!r}")
    cuts = [cut if cut.dtype.kind not in "iu" else cut.astype(np.int64, copy=False) for cut in cuts]
    ends = [*(len(cut) - 1 for cut in cuts[1:]), len(leaves)]
    dims = []
    for place, cut in enumerate(cuts):
        if validate:
            _offsets.check(cut, ends[place], f"offsets[{place}]")
        dims.append(Ragged.from_offsets(cut, check=validate))
    rows = len(cuts[0]) - 1 if cuts else len(leaves)
    return JaggedArray(JaggedShape(Uniform(rows, 1, declared=False), *dims), leaves)


# --------------------------------------------------------------------------------------------------- several arrays


@free_function
def nan_to_null(x: Any) -> ArrayOrScalar:
    """Replace NaN by null.

    Parameters
    ----------
    x : JaggedArray, array-like, Series, expression or scalar
        Data of any type; only floats can hold NaN.

    Returns
    -------
    JaggedArray, pa.Scalar, Series or expression
        The result of `JaggedArray.nan_to_null`: the same shape and type; nulls and empty rows are unchanged. Cost: one
        pass; values are shared if no item is NaN.

    Examples
    --------
    >>> import arrowjag as aj
    >>> aj.nan_to_null([[float("nan"), 1.0], None]).to_list()
    [[None, 1.0], None]
    """
    return JaggedArray._wrap(elementwise.nan_to_null(as_column(x)))


@free_function
def where(c: Any, x: Any, y: Any) -> ArrayOrScalar:
    """Return `x` where a condition is true, `y` where it is false, and null where it is null.

    Parameters
    ----------
    c : array or scalar of bool
        The condition; a condition on rows chooses whole rows.
    x, y : array or scalar
        The values to choose from. All three arguments are expanded to each other by the prefix rule.

    Returns
    -------
    JaggedArray, or pa.Scalar
        Of the promoted type. A row is null where the row of the condition is null, and where the row of the operand that
        supplies it is null. Cost: one pass; with null rows a gather per level.

    Raises
    ------
    ShapeError
        If shapes differ in rows that are valid in both.
    JagTypeError
        If the condition is not boolean, or the types have no common type.

    Examples
    --------
    >>> import arrowjag as aj
    >>> x = aj.array([[1, -2], None, [3]])
    >>> aj.where(x > 0, x, 0).to_list()
    [[1, 0], None, [3]]
    >>> aj.where([True, False, False], x, [[7, 7], [8], [9]]).to_list()
    [[1, -2], [8], [9]]
    """
    leaf = next((one.type for one in (x, y) if isinstance(one, Column)), None)
    condition = operand(c, pa.bool_(), "where")
    return JaggedArray._wrap(elementwise.where(condition, operand(x, leaf, "where"), operand(y, leaf, "where")))


@free_function
def coalesce(*arrays: Any) -> ArrayOrScalar:
    """Return the first operand that is not null, per item and per row.

    Parameters
    ----------
    *arrays : array or scalar
        At least one; they are expanded to each other by the prefix rule.

    Returns
    -------
    JaggedArray, or pa.Scalar
        Of the promoted type. A row is null if it is null in all operands. Cost: one pass; with null rows a gather per level.

    Raises
    ------
    ShapeError
        If shapes differ in rows that are valid in both.
    JagTypeError
        If there is no array, or the types have no common type.

    Notes
    -----
    Corresponds to Koda's `coalesce`, but also fills null rows.

    Examples
    --------
    >>> import arrowjag as aj
    >>> aj.coalesce(aj.array([[1, None], None]), aj.array([[7, 8], [9]]), 0).to_list()
    [[1, 8], [9]]
    """
    if not arrays:
        raise JagTypeError("coalesce needs at least one array")
    leaf = next((one.type for one in arrays if isinstance(one, Column)), None)
    return JaggedArray._wrap(elementwise.coalesce([operand(one, leaf, "coalesce") for one in arrays]))


@free_function
def align(*arrays: Any) -> tuple[Any, ...]:
    """Expand arrays to their common shape.

    Parameters
    ----------
    *arrays : array or scalar
        Every shape must be a prefix of the longest, in the rows that are valid in all arrays.

    Returns
    -------
    tuple of JaggedArray
        One array per argument, all of the same shape; scalars are repeated too. A row is null if it is null in any operand.
        Arrays that already have this shape share their values.

    Raises
    ------
    ShapeError
        If one shape is not a prefix of another; dim and row are named.

    Notes
    -----
    Corresponds to Koda's `align`.

    Examples
    --------
    >>> import arrowjag as aj
    >>> [x.to_list() for x in aj.align([1, 2], aj.array([["a", "b"], ["c"]]))]
    [[[1, 1], [2]], [['a', 'b'], ['c']]]
    """
    if not arrays:
        return ()
    return tuple(JaggedArray._wrap(one) for one in structure.align([as_column(one) for one in arrays], "align"))


@free_function
def to_map(keys: Any, values: Any) -> ArrayOrScalar:
    """Create maps from keys and values: rows of entries, which are structs of `key` and `value`.

    Parameters
    ----------
    keys : array
        Of at least two dims: the keys of each row.
    values : array or scalar
        Of the same shape, or of a prefix of it, which is broadcast. Further dims become lists inside the entries.

    Returns
    -------
    JaggedArray
        The same layout as `array` creates from Arrow maps: look up keys with `get` and `contains_key`, convert to Arrow
        maps with the method `to_map`. If a key occurs twice in a row, its first position and its last value are kept. A row
        that is null in either operand is null, an empty row is an empty map; null values stay. Cost: one pass over the
        keys; keys and values are shared unless a key occurs twice.

    Raises
    ------
    JagValueError
        If a key is null; the message names the row.
    ShapeError
        If the rows of keys and values differ in size.

    Warns
    -----
    JagWarning
        If entries were dropped because their key occurs twice in a row; the message says how many.

    Examples
    --------
    >>> import arrowjag as aj
    >>> x = aj.to_map([["a", "b"], []], [[1, 2], []])
    >>> x.to_list(), x.get("b").to_list()
    ([[{'key': 'a', 'value': 1}, {'key': 'b', 'value': 2}], []], [2, None])
    """
    found, dropped = maps.unique_entries(maps.entries(as_column(keys), operand(values, None, "to_map")))
    warn_of_duplicates(dropped)
    return JaggedArray._wrap(found)


@free_function
def apply(fn: str | Callable[..., Any], *arrays: Any, **options: Any) -> ArrayOrScalar:
    """Call a function of pyarrow.compute or a ufunc of numpy on the items of arrays.

    Parameters
    ----------
    fn : str or callable
        The name of a function of `pyarrow.compute`, a ufunc of numpy, or any callable that takes flat Arrow arrays and scalars
        and returns an array of the same length.
    *arrays : array or scalar
        At least one array; they are expanded to each other by the prefix rule.
    **options
        Passed on to the function.

    Returns
    -------
    JaggedArray
        Of the common shape; lists that the function returns become dims. Null rows stay null; the function decides what it
        returns for null items. Cost: one call of the function on the flat values.

    Raises
    ------
    JagTypeError
        If there is no such function, or it has no kernel for the types.
    ShapeError
        If shapes don't fit, or the function does not give one value per item.

    Examples
    --------
    >>> import arrowjag as aj
    >>> aj.apply("utf8_upper", aj.array([["a", None], ["b"]])).to_list()
    [['A', None], ['B']]
    >>> aj.apply("max_element_wise", [3, 1], aj.array([[2, 4], [0]])).to_list()
    [[3, 4], [1]]
    """
    return JaggedArray._wrap(apply_function(fn, arrays, options))


@free_function(rows=_rows_of_rows)
def map_rows(f: Callable[..., Any], *arrays: Any, type: Any = None, skip_nulls: bool = True) -> ArrayOrScalar:
    """Call a function on each row of several arrays.

    Parameters
    ----------
    f : callable
        Takes one argument per array and returns a scalar, a row or None. The argument for an array of the longest shape is a
        row, as in `JaggedArray.map_rows`. Slots that are null in any of these arrays are left out, unless there is only one
        such array and its rows are lists, which hold None. The argument for an array of fewer dims is one value.
    *arrays : array or scalar
        Every shape is a prefix of the longest.
    type : pa.DataType or str, optional
        The Arrow type of the results; by default it follows from them. Lazy polars frames need it.
    skip_nulls : bool
        If False, the arrays include null slots, and `f` gets one more array of booleans that is True for slots that are valid
        in all arrays.

    Returns
    -------
    JaggedArray or pa.Scalar
        One result per row; null where a row or a value per row is null.

    Raises
    ------
    JagTypeError
        If results do not fit `type`.
    ShapeError
        If shapes do not fit.

    Notes
    -----
    Cost and compilation are those of `JaggedArray.map_rows`.

    Examples
    --------
    >>> import arrowjag as aj
    >>> times, levels = aj.array([[0.0, 1.0, 3.0], [5.0]]), aj.array([[2.0, 4.0, 1.0], [7.0]])
    >>> aj.map_rows(lambda t, v, limit: ((v[1:] > limit) * (t[1:] - t[:-1])).sum(), times, levels, aj.array([3.0, 1.0])).to_list()
    [1.0, 0.0]
    """
    kind = None if type is None else elementwise.as_type(type)
    return JaggedArray._wrap(row_functions.map_rows(f, _operands(arrays, "map_rows"), kind, -1, bool(skip_nulls)))


@free_function(rows=_rows_of_rows)
def fold(f: Callable[..., Any], start: Any, *arrays: Any, type: Any = None, axis: Any = -1) -> ArrayOrScalar:
    """Combine the items of each row of one or several arrays, from left to right; see `JaggedArray.fold`.

    Parameters
    ----------
    f : callable
        ``f(state, item, ...)`` returns the next state.
    start : scalar or array
        The first state of every row, or one per row.
    *arrays : array or scalar
        Arrays of the longest shape supply items; arrays of fewer dims supply one value per row.
    type : pa.DataType or str, optional
        The Arrow type of the states; by default that of the results. Lazy polars frames need it.
    axis : int, tuple of int or None
        The dim along which items are combined; trailing dims together; along an outer dim the items at the same position,
        in the order of the rows.

    Returns
    -------
    JaggedArray or pa.Scalar
        The last state of each row: `start` for an empty row, null for a null row and where `start` or a value per row is null.

    Raises
    ------
    JagTypeError
        If states do not fit `type`.
    ShapeError
        If shapes do not fit.

    Examples
    --------
    >>> import arrowjag as aj
    >>> aj.fold(lambda total, price, n: total + price * n, 0.0, aj.array([[2.0, 3.0], []]), aj.array([[1, 2], []])).to_list()
    [8.0, 0.0]
    """
    kind = None if type is None else elementwise.as_type(type)
    return JaggedArray._wrap(row_functions.fold(f, operand(start, None, "fold"), _operands(arrays, "fold"), kind, axis))


@free_function(rows=_rows_of_states)
def scan(f: Callable[..., Any], start: Any, *arrays: Any, type: Any = None) -> JaggedArray:
    """Return the state after each item of the rows of one or several arrays; see `JaggedArray.scan`.

    Parameters
    ----------
    f : callable
        ``f(state, item, ...)`` returns the next state.
    start : scalar or array
        The state before the first item of every row, or one per row.
    *arrays : array or scalar
        Arrays of the longest shape supply items; arrays of fewer dims supply one value per row.
    type : pa.DataType or str, optional
        The Arrow type of the states; by default that of the results. Lazy polars frames need it.

    Returns
    -------
    JaggedArray
        One state per item; slots that are null in any array stay null, as do null rows and rows whose `start` or value per row
        is null.

    Raises
    ------
    JagTypeError
        If states do not fit `type`.
    ShapeError
        If shapes do not fit.

    Examples
    --------
    >>> import arrowjag as aj
    >>> amounts, rates = aj.array([[10, 20], [5]]), aj.array([1.5, 1.0])
    >>> aj.scan(lambda balance, amount, rate: balance * rate + amount, 0.0, amounts, rates).to_list()
    [[10.0, 35.0], [5.0]]
    """
    kind = None if type is None else elementwise.as_type(type)
    return _of(row_functions.scan(f, operand(start, None, "scan"), _operands(arrays, "scan"), kind))


@free_function
def map_items(f: Callable[..., Any], *arrays: Any, type: Any = None) -> JaggedArray:
    """Call a function on each item of one or several arrays; see `JaggedArray.map_items`.

    Parameters
    ----------
    f : callable
        ``f(item, ...)`` returns a scalar, a row or None.
    *arrays : array or scalar
        Expanded to each other by the prefix rule.
    type : pa.DataType or str, optional
        The Arrow type of the results; by default it follows from them. Lazy polars frames need it.

    Returns
    -------
    JaggedArray
        One result per item; null where any argument is null.

    Raises
    ------
    JagTypeError
        If results do not fit `type`.
    ShapeError
        If shapes do not fit.

    Examples
    --------
    >>> import arrowjag as aj
    >>> aj.map_items(lambda item, limit: min(item, limit), aj.array([[3, 9], [4]]), aj.array([5, 1])).to_list()
    [[3, 5], [1]]
    """
    kind = None if type is None else elementwise.as_type(type)
    return _of(row_functions.map_items(f, _operands(arrays, "map_items"), kind))


def _operands(arrays: Sequence[Any], operation: str) -> list[elementwise.Operand]:
    found = [operand(one, None, operation) for one in arrays]
    if not elementwise.columns_of(found):
        raise JagTypeError(f"{operation} needs at least one array")
    return found


@free_function(rows=_rows_of_joined)
def concat(arrays: Iterable[Any], axis: int = 0) -> ArrayOrScalar:
    """Join arrays along an axis.

    Parameters
    ----------
    arrays : iterable of array
        At least one array; all must have the same ndim, and the same dims above the axis in the rows that are valid in all.
    axis : int
        0 appends the rows of the arrays to each other; an inner axis appends the items of each row.

    Returns
    -------
    JaggedArray
        Of the promoted type. Along an inner axis a row that is null in any array is null. Extents that all arrays declare
        are kept; those of the axis are added. Cost: one copy of the values; along an inner axis a gather per level.

    Raises
    ------
    ShapeError
        If ndims differ, or the dims above the axis do.
    JagTypeError
        If the types have no common type.

    Notes
    -----
    Corresponds to Koda's `concat`; axes are numbered as in all other functions.

    Examples
    --------
    >>> import arrowjag as aj
    >>> aj.concat([aj.array([[1, 2], [3]]), aj.array([[4], [5, 6]])], axis=1).to_list()
    [[1, 2, 4], [3, 5, 6]]
    """
    return JaggedArray._wrap(_concat.concat(promoted(arrays, "concat"), axis))


@free_function(rows=_rows_of_stacked)
def stack(arrays: Iterable[Any], axis: int = 0) -> ArrayOrScalar:
    """Join arrays along a new dim.

    Parameters
    ----------
    arrays : iterable of array or scalar
        At least one; they are expanded to each other by the prefix rule.
    axis : int
        The position of the new dim in the result, from 0 to the ndim of the arrays; negative counts from the innermost.

    Returns
    -------
    JaggedArray
        Of the promoted type, with a new dim whose declared extent is the number of arrays. A row that is null in any array
        is null in the result. Cost: one copy of the values and a gather per level.

    Raises
    ------
    ShapeError
        If shapes don't fit.
    JagTypeError
        If the types have no common type.

    Notes
    -----
    Corresponds to Koda's `stack`, along the last axis to Koda's `zip`; axes are numbered as in all other functions.

    Examples
    --------
    >>> import arrowjag as aj
    >>> aj.stack([aj.array([[1, 2], [3]]), [7, 8]], axis=-1).to_list()
    [[[1, 7], [2, 7]], [[3, 8]]]
    """
    return JaggedArray._wrap(_concat.stack(structure.align(promoted(arrays, "stack"), "stack"), axis))
