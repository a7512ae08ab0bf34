"""Free functions: making arrays, and what takes several of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from arrowjag import _arrow, _column
from arrowjag._array import JaggedArray
from arrowjag._array.base import as_column, operand
from arrowjag._array.reading import to_array
from arrowjag._column import Column
from arrowjag._kernels import offsets as _offsets
from arrowjag._methods import free_function
from arrowjag._ops import elementwise, select, structure
from arrowjag.dims import Ragged, Uniform
from arrowjag.errors import JagTypeError, JagValueError, ShapeError
from arrowjag.shape import JaggedShape
from arrowjag.typing import ArrayOrScalar

__all__ = [
    "align",
    "apply",
    "array",
    "coalesce",
    "concat",
    "from_arrow",
    "from_offsets",
    "from_parents",
    "from_sizes",
    "stack",
    "where",
    "zip",
]


def array(data: Any, *, type: pa.DataType | None = None, ndim: int | None = None) -> JaggedArray:
    """A jagged array of whatever holds the data now.

    Parameters
    ----------
    data : nested list, numpy array, Arrow array, Series of pandas or polars, or a PyCapsule object
        None at any level is null, and so are NA and NaT of pandas in lists and NaN that stands for a row in a Series of objects. A
        numpy array of several dims declares their extents. A bare scalar gives an array without dims.
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
    return _of(_column.from_arrow(to_array(a), ndim, "the Arrow data"))


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
    leaves = values if isinstance(values, pa.Array) else _arrow.combine_chunks(to_array(values))
    cuts = [np.asarray(cut) for cut in offsets]
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
def where(c: Any, x: Any, y: Any) -> ArrayOrScalar:
    """`x` where a condition is true, `y` where it is false, null where it is null.

    Parameters
    ----------
    c : array or scalar of bool
        The condition; a condition on rows chooses whole rows.
    x, y : array or scalar
        What is chosen from. All three are expanded to each other by the prefix rule.

    Returns
    -------
    JaggedArray, or pa.Scalar
        Of the promoted type. A row is null where the condition's is, and where the operand that supplies it is. Cost: one pass;
        with null rows a gather a level.

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
    """The first operand that is not null, item by item and row by row.

    Parameters
    ----------
    *arrays : array or scalar
        At least one; they are expanded to each other by the prefix rule.

    Returns
    -------
    JaggedArray, or pa.Scalar
        Of the promoted type. A row is null where no operand has a row. Cost: one pass; with null rows a gather a level.

    Raises
    ------
    ShapeError
        If shapes differ in rows that are valid in both.

    Notes
    -----
    Koda's `coalesce`, on rows too.

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
        Every shape is a prefix of the longest, in the rows that are valid in all.

    Returns
    -------
    tuple of JaggedArray
        All of one shape, one for each argument; scalars are repeated too. A row is null where any operand has a null row. Arrays
        that have the shape already share their values.

    Raises
    ------
    ShapeError
        If one shape is not a prefix of another; dim and row are named.

    Notes
    -----
    Koda's `align`.

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
def zip(*arrays: Any, **named: Any) -> ArrayOrScalar:
    """A struct for each item of several arrays.

    Parameters
    ----------
    *arrays : array or scalar
        Fields named "0", "1", ...
    **named : array or scalar
        Fields by name. All are expanded to each other by the prefix rule.

    Returns
    -------
    JaggedArray
        Of structs, one field an argument; a null item is a null field. Values of the longest arrays are shared.

    Raises
    ------
    ShapeError
        If shapes don't fit.

    Examples
    --------
    >>> import arrowjag as aj
    >>> aj.zip(q=[1, 2], d=aj.array([["a", "b"], ["c"]])).to_list()
    [[{'q': 1, 'd': 'a'}, {'q': 1, 'd': 'b'}], [{'q': 2, 'd': 'c'}]]
    """
    given = {str(place): one for place, one in enumerate(arrays)} | named
    if not given:
        raise JagTypeError("zip needs at least one array")
    parts = {name: operand(one, None, "zip") for name, one in given.items()}
    if not elementwise.columns_of(list(parts.values())):
        parts = {name: as_column(one) for name, one in parts.items()}
    return JaggedArray._wrap(select.zip_fields(parts))


@free_function
def apply(fn: str | Callable[..., Any], *arrays: Any, **options: Any) -> ArrayOrScalar:
    """Call a function of pyarrow.compute on the items of arrays.

    Parameters
    ----------
    fn : str or callable
        The name of a function of `pyarrow.compute`, or any callable from flat Arrow arrays and scalars to an array as long.
    *arrays : array or scalar
        At least one array; they are expanded to each other by the prefix rule.
    **options
        Passed on to the function.

    Returns
    -------
    JaggedArray
        Of the common shape; lists that the function makes become dims.

    Raises
    ------
    JagTypeError
        If there is no such function, or it has no kernel for the types.
    ShapeError
        If shapes don't fit, or the function does not give one value an item.

    Examples
    --------
    >>> import arrowjag as aj
    >>> aj.apply("utf8_upper", aj.array([["a", None], ["b"]])).to_list()
    [['A', None], ['B']]
    >>> aj.apply("max_element_wise", [3, 1], aj.array([[2, 4], [0]])).to_list()
    [[3, 4], [1]]
    """
    function = _compute_function(fn)
    name = fn if isinstance(fn, str) else getattr(fn, "__name__", "apply")
    operands = [operand(one, None, name) for one in arrays]
    if not elementwise.columns_of(operands):
        operands = [as_column(one) for one in operands]
    if not operands:
        raise JagTypeError("apply needs at least one array")

    def call(*data: Any) -> Any:
        n = next(len(one) for one in data if isinstance(one, pa.Array))
        result = elementwise.compute(name, data[0]) if isinstance(fn, str) and len(data) == 1 and not options else None
        result = function(*data, **options) if result is None else result
        if not isinstance(result, (pa.Array, pa.ChunkedArray)) or len(result) != n:
            raise ShapeError(f"apply: {name} does not give one value for each of {n} items; reductions are methods of arrays")
        return result

    flat = elementwise.apply(call, operands, name)
    return JaggedArray._wrap(select.with_levels(flat.shape, flat.values))


def _compute_function(fn: str | Callable[..., Any]) -> Callable[..., Any]:
    if not isinstance(fn, str):
        return fn
    found = None if fn.startswith("_") else getattr(pc, fn, None)
    if found is None or not callable(found):
        raise JagTypeError(f"apply: pyarrow.compute has no function {fn!r}")
    function: Callable[..., Any] = found
    return function


@free_function
def concat(arrays: Iterable[Any], axis: int = 0) -> ArrayOrScalar:
    """Join arrays along an axis.

    Parameters
    ----------
    arrays : iterable of array
        At least one, all of one ndim. Dims above the axis must agree in the rows that are valid in all.
    axis : int
        Along 0 the rows of the frame follow each other; along an inner axis the items of each row do.

    Returns
    -------
    JaggedArray
        Of the promoted type. Along an inner axis a row that is null in any is null. Extents that all declare stay, at the axis they
        add up. Cost: one copy of the values; along an inner axis a gather a level.

    Raises
    ------
    ShapeError
        If ndims differ, or the dims above the axis do.
    JagTypeError
        If the types have no common type.

    Notes
    -----
    Koda's `concat`, with axes counted as everywhere here.

    Examples
    --------
    >>> import arrowjag as aj
    >>> aj.concat([aj.array([[1, 2], [3]]), aj.array([[4], [5, 6]])], axis=1).to_list()
    [[1, 2, 4], [3, 5, 6]]
    """
    return JaggedArray._wrap(select.concat(_promoted(arrays, "concat"), axis))


@free_function
def stack(arrays: Iterable[Any], axis: int = 0) -> ArrayOrScalar:
    """Put arrays side by side along a new dim.

    Parameters
    ----------
    arrays : iterable of array or scalar
        At least one; they are expanded to each other by the prefix rule.
    axis : int
        Where the new dim stands in the result, from 0 to the ndim of the arrays; negative counts from the innermost.

    Returns
    -------
    JaggedArray
        With one dim more, whose extent, the number of arrays, is declared. Of the promoted type. A row that is null in any is null
        in all. Cost: one copy of the values and a gather a level.

    Raises
    ------
    ShapeError
        If shapes don't fit.
    JagTypeError
        If the types have no common type.

    Notes
    -----
    Koda's `stack`, with axes counted as everywhere here; at the last axis Koda's `zip`.

    Examples
    --------
    >>> import arrowjag as aj
    >>> aj.stack([aj.array([[1, 2], [3]]), [7, 8]], axis=-1).to_list()
    [[[1, 7], [2, 7]], [[3, 8]]]
    """
    return JaggedArray._wrap(select.stack(structure.align(_promoted(arrays, "stack"), "stack"), axis))


def _promoted(arrays: Iterable[Any], operation: str) -> Sequence[Column]:
    """Arrays as columns of one leaf type."""
    if isinstance(arrays, Column) or not isinstance(arrays, Iterable):
        raise JagTypeError(f"{operation} takes a list of arrays, got {type(arrays).__name__}")
    columns = [as_column(one) for one in arrays]
    if not columns:
        raise JagValueError(f"{operation} needs at least one array")
    if all(column.type == columns[0].type for column in columns):
        return columns
    wide = elementwise.promote([column.type for column in columns], operation)
    return [elementwise.cast(column, wide) for column in columns]
