"""Functions of several arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from arrowjag._array import JaggedArray
from arrowjag._array.base import as_column, operand, own_type
from arrowjag._array.combining import apply_function, promoted, rows_of_function
from arrowjag._array.maps import warn_of_duplicates
from arrowjag._methods import Rows, free_function, most_dims, touches_rows
from arrowjag._ops import concat as _concat
from arrowjag._ops import elementwise, maps, row_functions, structure
from arrowjag.errors import JagTypeError
from arrowjag.typing import ArrayOrScalar

__all__ = [
    "align",
    "apply",
    "coalesce",
    "concat",
    "fold",
    "map_items",
    "map_rows",
    "nan_to_null",
    "scan",
    "stack",
    "to_map",
    "where",
]


def _rows_of_rows(arguments: Mapping[str, Any]) -> Rows:
    """The effect of `map_rows` and `fold`: one result per row, but new rows for plain columns and for an axis of the rows."""
    moves = touches_rows(arguments.get("axis", -1), most_dims(*arguments["arrays"]))
    return Rows.MOVED if moves else Rows.LOCAL


def _rows_of_states(arguments: Mapping[str, Any]) -> Rows:
    """The effect of `scan`: a plain column is a single row, in which each state depends on all items before it."""
    return Rows.KEPT if most_dims(*arguments["arrays"]) == 1 else Rows.LOCAL


def _rows_of_joined(arguments: Mapping[str, Any], more: int = 0) -> Rows:
    moves = touches_rows(arguments["axis"], max(most_dims(*arguments["arrays"]), 1) + more)
    return Rows.MOVED if moves else Rows.LOCAL


def _rows_of_stacked(arguments: Mapping[str, Any]) -> Rows:
    return _rows_of_joined(arguments, 1)


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
        The values to choose from. All three arguments are broadcast against each other by the prefix rule.

    Returns
    -------
    JaggedArray, or pa.Scalar
        Items of `x` where the condition is True, and of `y` where it is False, in the promoted type. A row is null if the row of
        the condition is null, or the row of the operand that supplies it. Cost: one pass; if there are null rows, also a gather
        per level.

    Raises
    ------
    ShapeError
        If shapes differ in rows that are valid in both.
    JagTypeError
        If the condition is not boolean, or the types have no common type.
    JagValueError
        If an item does not fit the common type exactly, or a text beside times or durations can't be read as one.

    Examples
    --------
    >>> import arrowjag as aj
    >>> x = aj.array([[1, -2], None, [3]])
    >>> aj.where(x > 0, x, 0).to_list()
    [[1, 0], None, [3]]
    >>> aj.where([True, False, False], x, [[7, 7], [8], [9]]).to_list()
    [[1, -2], [8], [9]]
    """
    leaf = own_type((x, y))
    condition = operand(c, pa.bool_(), "where")
    return JaggedArray._wrap(elementwise.where(condition, operand(x, leaf, "where"), operand(y, leaf, "where")))


@free_function
def coalesce(*arrays: Any) -> ArrayOrScalar:
    """Return the first operand that is not null, per item and per row.

    Parameters
    ----------
    *arrays : array or scalar
        At least one; they are broadcast against each other by the prefix rule.

    Returns
    -------
    JaggedArray, or pa.Scalar
        Of the promoted type. A row is null if it is null in all operands. Cost: one pass; with null rows a gather per level.

    Raises
    ------
    ShapeError
        If shapes differ in rows that are valid in both.
    JagTypeError
        If there is no argument, or the types have no common type.
    JagValueError
        If an item does not fit the common type exactly, or a text beside times or durations can't be read as one.

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
    leaf = own_type(arrays)
    return JaggedArray._wrap(elementwise.coalesce([operand(one, leaf, "coalesce") for one in arrays]))


@free_function
def align(*arrays: Any) -> tuple[Any, ...]:
    """Broadcast arrays to their common shape.

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
        If one shape is not a prefix of another; the message names dim and row.

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


@free_function(rows=lambda arguments: rows_of_function(arguments["fn"]))
def apply(fn: str | Callable[..., Any], *arrays: Any, **options: Any) -> ArrayOrScalar:
    """Call a function of pyarrow.compute or a ufunc of numpy on the items of arrays.

    Parameters
    ----------
    fn : str or callable
        The name of a function of `pyarrow.compute`, a ufunc of numpy, or any callable that takes flat Arrow arrays and scalars
        and returns an array of the same length. polars and dask call ufuncs and scalar functions of Arrow on parts of a column,
        all others on whole columns.
    *arrays : array or scalar
        At least one array; they are broadcast against each other by the prefix rule.
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
        If there is no such function, there is no array, or the function has no kernel for the types.
    ShapeError
        If no shape has all others as prefixes, or the function does not give one value per item.

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
        One result of the function per row, which is null if the row of an array or a value per row is null.

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
        The dim along which items are combined; several trailing dims are combined together. Along an outer dim, the items at
        the same position are combined in the order of the rows.

    Returns
    -------
    JaggedArray or pa.Scalar
        The last state of each row: `start` for an empty row, null for a null row and where `start` or a value per row is null.

    Raises
    ------
    JagTypeError
        If there is no array, or states do not fit `type`.
    ShapeError
        If no shape has all others as prefixes.
    JagIndexError
        If the axis is out of range.

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
    return JaggedArray._of(row_functions.scan(f, operand(start, None, "scan"), _operands(arrays, "scan"), kind))


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
    return JaggedArray._of(row_functions.map_items(f, _operands(arrays, "map_items"), kind))


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
        The items of all arrays, in the promoted type. Along an inner axis, a row that is null in any array is null. Extents that
        all arrays declare are kept, and those of the axis are added. Cost: one copy of the values; along an inner axis, also a
        gather per level.

    Raises
    ------
    ShapeError
        If ndims differ, or the dims above the axis do.
    JagTypeError
        If `arrays` is not a list of arrays, or the types have no common type.
    JagValueError
        If there is no array, or an item does not fit the common type exactly.
    JagIndexError
        If the axis is out of range.

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
        At least one; they are broadcast against each other by the prefix rule.
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
        If no shape has all others as prefixes.
    JagTypeError
        If `arrays` is not a list of arrays, or the types have no common type.
    JagValueError
        If there is no array, or an item does not fit the common type exactly.
    JagIndexError
        If the axis is out of range.

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
