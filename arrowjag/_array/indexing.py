"""Methods that choose items: `x[...]`, `x.S[...]`, take, filter, windows of rows, fields of structs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from arrowjag._array.base import ArrayBase, as_column, operand
from arrowjag._column import Column
from arrowjag._integers import is_int, item_count
from arrowjag._methods import Rows, changing_axis, method, moving
from arrowjag._ops import elementwise, select, stretches, structure
from arrowjag._ops import indexing as _ops
from arrowjag._ops.indexing import Window
from arrowjag.dims import Dim, is_pattern, to_dim
from arrowjag.errors import JagIndexError, JagTypeError, JagValueError
from arrowjag.shape import JaggedShape
from arrowjag.typing import ArrayOrScalar

if TYPE_CHECKING:
    from arrowjag._array import JaggedArray

__all__ = ["IndexingMethods", "KodaIndexer", "rows_of_key"]


class KodaIndexer:
    """`x.S`: indexing of the last dims, as Koda's `x.S[...]`.

    Parameters
    ----------
    array : JaggedArray
        What is indexed.
    """

    __slots__ = ("_array",)
    __iter__ = None  # every place has an item, null where it is out of range: a loop would never end

    def __init__(self, array: ArrayBase) -> None:
        self._array = array

    def __getitem__(self, key: Any) -> ArrayOrScalar:
        keys = key if isinstance(key, tuple) else (key,)
        return self._array._wrap(_ops.subslice(self._array, [_koda_key(one) for one in keys]))


class IndexingMethods(ArrayBase):
    """Methods that choose items by position, by mask or by name."""

    __slots__ = ()

    @overload
    def __getitem__(self, key: str | list[str] | slice) -> JaggedArray: ...
    @overload
    def __getitem__(self, key: Any) -> ArrayOrScalar: ...
    def __getitem__(self, key: Any) -> ArrayOrScalar:
        """Index as numpy does, from the outermost dim.

        Parameters
        ----------
        key : int, slice, Ellipsis, None, array, str, list of str, or a tuple
            A slice takes any step, and for each row a bound of its own: a list, array or Dim of one entry a row. A single array of
            booleans of one dim filters the rows, a jagged one filters the items (null drops, a shorter one is spread). A single
            array of integers of one dim takes rows, a jagged one takes within each row. In a tuple integer arrays, jagged or not,
            gather at their dims, item by item, as in numpy: ``x[x.image()]`` is x. A string picks a field of structs.

        Returns
        -------
        JaggedArray, or pa.Scalar
            A null row gives null. Rows that stay neighbours share their values; otherwise one gather a level.

        Raises
        ------
        JagIndexError
            If a position is out of range; the row is named.

        Examples
        --------
        >>> import arrowjag as aj
        >>> x = aj.array([[1, 2, 3], [4, 5]])
        >>> x[:, 0].to_list(), x[:, ::-1].to_list(), x[1, -1].as_py()
        ([1, 4], [[3, 2, 1], [5, 4]], 5)
        >>> x[x > 2].to_list(), x[aj.array([[2, 0], [1]])].to_list(), x[:, :[1, 2]].to_list()
        ([[3], [4, 5]], [[3, 1], [5]], [[1], [4, 5]])
        """
        if isinstance(key, str):
            return self._wrap(select.field(self, key))
        if isinstance(key, list) and key and all(isinstance(one, str) for one in key):
            return self._wrap(select.pick_fields(self, key))
        if isinstance(key, tuple) and len(key) == 1 and _is_array(key[0]):
            single = _array_key(key[0])
            key = single if pt.is_boolean(single.type) else key
        if not isinstance(key, tuple) and _is_array(key):
            return self._wrap(_by_array(self, _array_key(key)))
        keys = key if isinstance(key, tuple) else (key,)
        return self._wrap(_ops.getitem(self, [_numpy_key(one) for one in keys]))

    @property
    def S(self) -> KodaIndexer:  # noqa: N802 - Koda's name
        """Indexing of the last dims as Koda does it: out of range is null, or an empty row above the leaves.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2], []]).S[0].to_list()
        [1, None]
        >>> aj.array([[1, 2], []]).S[1:].to_list()
        [[2], []]
        """
        return KodaIndexer(self)

    @method("index", rows=changing_axis)
    def take(self, index: Any, axis: int = -1, out_of_bounds: str = "raise") -> ArrayOrScalar:
        """In each row at an axis, the items that an index names.

        Parameters
        ----------
        index : int or array of int
            Positions in each row, negative from the end. An index of as many dims as there are above the axis takes one item a row,
            and the axis disappears; a longer one makes the dims that it has more; a shorter one is spread over the rows.
        axis : int
            Which dim the positions run over.
        out_of_bounds : {"raise", "null"}
            What a position outside of its row gives.

        Returns
        -------
        JaggedArray, or pa.Scalar
            Null where the position or the row is null. Extents below the axis are kept. Cost: one gather a level.

        Raises
        ------
        JagIndexError
            If a position is out of range and `out_of_bounds` is "raise"; the row is named.
        ShapeError
            If the index does not fit the rows.

        Notes
        -----
        Koda's `take`, at any axis.

        Examples
        --------
        >>> import arrowjag as aj
        >>> x = aj.array([[10, 20, 30], [40]])
        >>> x.take([2, 0]).to_list(), x.take([[0, 1], [0, 0]]).to_list()
        ([30, 40], [[10, 20], [40, 40]])
        >>> x.take(1, out_of_bounds="null").to_list()
        [20, None]
        """
        return self._wrap(_ops.take(self, _index(index, "take"), axis, out_of_bounds))

    @method("mask", rows=changing_axis)
    def filter(self, mask: Any) -> JaggedArray:
        """The innermost items whose mask is true.

        Parameters
        ----------
        mask : array of bool
            Of this shape or a prefix of it; a shorter one is spread. A null drops the item.

        Returns
        -------
        JaggedArray
            Of the same ndim: rows become shorter or empty, none disappears. Rows that are null in either are null. The innermost
            dim declares no extent. Cost: one pass over values and mask.

        Raises
        ------
        ShapeError
            If the mask's shape does not fit.
        JagTypeError
            If it does not hold booleans.

        Notes
        -----
        Koda's `select`. ``x[mask]`` with a mask of one dim drops whole rows instead, as in numpy.

        Examples
        --------
        >>> import arrowjag as aj
        >>> x = aj.array([[1, 5], [7], None])
        >>> x.filter(x > 4).to_list(), x.filter([True, False, True]).to_list()
        ([[5], [7], None], [[1, 5], [], None])
        """
        return self._wrap(select.filter_items(self, as_column(mask)))

    @method("n", rows=changing_axis)
    def head(self, n: Any = 5, axis: int = -1) -> JaggedArray:
        """The first items of each row.

        Parameters
        ----------
        n : int or array of int
            How many, for all rows or for each; negative leaves out so many from the end. An array has the dims above the axis, or
            is spread over them by the prefix rule.
        axis : int
            Which dim.

        Returns
        -------
        JaggedArray
            Shorter rows stay as they are, null rows stay null, and a null `n` makes its row null. With one `n` for all rows a
            declared extent becomes what is left of it, otherwise it is dropped. Cost: one gather a level; along axis 0 everything
            is shared.

        Raises
        ------
        JagIndexError
            If the axis is out of range.
        JagTypeError
            If `n` does not hold integers.
        ShapeError
            If `n` has more dims than there are above the axis, or others.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2, 3], [4]]).head(2).to_list()
        [[1, 2], [4]]
        >>> aj.array([[1, 2, 3], [4, 5], [6]]).head([1, -1, None]).to_list()
        [[1], [4], None]
        """
        return self._wrap(stretches.head(self, _amount(n, "head"), axis))

    @method("n", rows=changing_axis)
    def tail(self, n: Any = 5, axis: int = -1) -> JaggedArray:
        """The last items of each row.

        Parameters
        ----------
        n : int or array of int
            How many, for all rows or for each; negative leaves out so many from the start. An array has the dims above the axis, or
            is spread over them by the prefix rule.
        axis : int
            Which dim.

        Returns
        -------
        JaggedArray
            Shorter rows stay as they are, null rows stay null, and a null `n` makes its row null. With one `n` for all rows a
            declared extent becomes what is left of it, otherwise it is dropped. Cost: one gather a level; along axis 0 everything
            is shared.

        Raises
        ------
        JagIndexError
            If the axis is out of range.
        JagTypeError
            If `n` does not hold integers.
        ShapeError
            If `n` has more dims than there are above the axis, or others.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2, 3], [4]]).tail(2).to_list()
        [[2, 3], [4]]
        >>> aj.array([[1, 2, 3], [4, 5], [6]]).tail([1, -1, 0]).to_list()
        [[3], [5], []]
        """
        return self._wrap(stretches.tail(self, _amount(n, "tail"), axis))

    @method("start", "length", rows=changing_axis)
    def slice(self, start: Any, length: Any = None, axis: int = -1) -> JaggedArray:
        """A stretch of each row.

        Parameters
        ----------
        start : int or array of int
            Where it begins, for all rows or for each; negative counts from the end of the row. An array has the dims above the
            axis, or is spread over them by the prefix rule.
        length : int or array of int, optional
            How many items, likewise; by default all that follow.
        axis : int
            Which dim.

        Returns
        -------
        JaggedArray
            The part of the stretch that a row has; null rows stay null, and a null start or length makes its row null. With one
            stretch for all rows a declared extent becomes what is left of it, otherwise it is dropped. Cost: one gather a level;
            along axis 0 everything is shared.

        Raises
        ------
        JagValueError
            If a length is negative.
        JagTypeError
            If start or length do not hold integers.
        ShapeError
            If they have more dims than there are above the axis, or others.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2, 3], [4]]).slice(-2, 1).to_list()
        [[2], []]
        >>> aj.array([[1, 2, 3], [4, 5]]).slice([1, 0], 1).to_list()
        [[2], [4]]
        """
        wanted = None if length is None else _amount(length, "slice")
        return self._wrap(stretches.stretch(self, _amount(start, "slice"), wanted, axis))

    @method(rows=changing_axis)
    def pad(self, n: int, fill: Any = None, axis: int = -1) -> JaggedArray:
        """Fill short rows up.

        Parameters
        ----------
        n : int
            The least number of items that a row has afterwards; longer rows stay.
        fill : scalar or array, optional
            What is put in, null by default: a leaf, or along an outer axis one item with the dims below that axis, such as a list.
            Where all of those dims declare their extents, a scalar fills them.
        axis : int
            Which dim.

        Returns
        -------
        JaggedArray
            Null rows stay null. A declared extent grows to `n`, and those below the axis stay. Cost: one gather a level.

        Raises
        ------
        JagValueError
            If `n` is negative, or a single value does not say how long the rows along an outer axis are to be.
        ShapeError
            If `fill` has other dims than those below the axis, or not their declared extents.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1], [2, 3, 4]]).pad(2, 0).to_list()
        [[1, 0], [2, 3, 4]]
        >>> aj.array([[[1], [2, 3]], []]).pad(2, [0, 0], axis=1).to_list()
        [[[1], [2, 3]], [[0, 0], [0, 0]]]
        """
        least = item_count(_whole_number(n, "pad"), "pad: n")
        if fill is None or (isinstance(fill, pa.Scalar) and not fill.is_valid):
            return self._wrap(select.pad(self, least, None, axis))
        value = operand(fill, self.type, "pad")
        if isinstance(value, Column) and value.shape.size == 0:  # levels that only empties leave open are those below the axis
            value = as_column(fill, ndim=max(value.ndim, self.ndim - 1 - structure.normalize_axis(axis, self.ndim, "pad")))
        type = elementwise.promote([self.type, value.type], "pad") if self.type != value.type else self.type
        filler = elementwise.cast(value, type) if isinstance(value, Column) else value.cast(type)
        return self._wrap(select.pad(elementwise.cast(self, type), least, filler, axis))

    @method("sizes")
    def repeat(self, sizes: Any) -> JaggedArray:
        """Each innermost item several times, in a new last dim.

        Parameters
        ----------
        sizes : int or array of int
            How often; arrays and this are expanded to each other by the prefix rule. An int declares the extent of the new dim.

        Returns
        -------
        JaggedArray
            With one dim more; 0 makes an empty row, null items are repeated. Cost: one gather at the speed of memory.

        Raises
        ------
        ShapeError
            If shapes don't fit or a size is negative.
        JagValueError
            If a size is null.

        Notes
        -----
        Koda's `repeat`.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, None], [3]]).repeat([2, 3]).to_list()
        [[[1, 1], [None, None]], [[3, 3, 3]]]
        """
        return self._wrap(select.repeat(self, _index(sizes, "repeat")))

    @method("shape", rows=moving)
    def tile(self, shape: Any) -> JaggedArray:
        """A copy of the whole array under each innermost item of a shape.

        Parameters
        ----------
        shape : JaggedShape, int, tuple of dims, or array
            What the copies stand under.

        Returns
        -------
        JaggedArray
            The dims of the shape, then those of this array, null rows included. Cost: one gather a level.

        Raises
        ------
        ShapeError
            If the shape is none.

        Notes
        -----
        Koda's `tile`.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([1, 2]).tile(aj.JaggedShape(3)).to_list()
        [[1, 2], [1, 2], [1, 2]]
        """
        return self._wrap(structure.expand_to(self, _shape(shape), self.ndim))

    # ------------------------------------------------------------------------------------------- fields

    @property
    def fields(self) -> list[str]:
        """Field names of struct leaves; none for other leaves.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[{"x": 1, "y": 2}]]).fields
        ['x', 'y']
        """
        return select.fields(self.type)

    @method("**arrays")
    def with_fields(self, **arrays: Any) -> JaggedArray:
        """Struct leaves with fields added or replaced.

        Parameters
        ----------
        **arrays : array or scalar
            The fields by name; they and this are expanded to each other by the prefix rule.

        Returns
        -------
        JaggedArray
            Of structs; a null struct stays null. Fields that are not named are shared.

        Raises
        ------
        JagTypeError
            If the leaves are no structs.
        ShapeError
            If shapes don't fit.

        Examples
        --------
        >>> import arrowjag as aj
        >>> x = aj.array([[{"a": 1}], [{"a": 2}, {"a": 3}]])
        >>> x.with_fields(b=x["a"] * 10).to_list()
        [[{'a': 1, 'b': 10}], [{'a': 2, 'b': 20}, {'a': 3, 'b': 30}]]
        """
        return self._wrap(select.with_fields(self, {name: operand(one, None, name) for name, one in arrays.items()}))


# --------------------------------------------------------------------------------------------------- keys


def rows_of_key(ndim: int, key: Any) -> Rows:
    """What ``x[key]`` does to the rows of the frame, for surfaces that need to know beforehand.

    Parameters
    ----------
    ndim : int
        Dims of what is indexed.
    key : object
        As for ``x[key]``.

    Returns
    -------
    Rows
        LOCAL for fields, for keys that begin with all rows, and for single jagged arrays; MOVED otherwise.
    """
    first = key[0] if isinstance(key, tuple) and key else key
    if isinstance(key, str) or (isinstance(key, list) and key and all(isinstance(one, str) for one in key)):
        return Rows.LOCAL
    if isinstance(key, tuple) and not key:
        return Rows.LOCAL
    if isinstance(first, slice):
        return Rows.LOCAL if first == slice(None) else Rows.MOVED
    if first is Ellipsis:
        rest = [one for one in key if one is not None and one is not Ellipsis] if isinstance(key, tuple) else []
        return Rows.LOCAL if len(rest) < ndim else Rows.MOVED
    if not isinstance(key, tuple) and _is_array(key):
        return Rows.LOCAL if _array_key(key).ndim > 1 else Rows.MOVED
    return Rows.MOVED


def _is_array(key: Any) -> bool:
    """Whether a key holds one position or flag an item, rather than a single one."""
    if isinstance(key, Column):
        return key.ndim > 0
    if isinstance(key, np.ndarray):
        return key.ndim > 0
    if isinstance(key, (slice, str, bytes, tuple, Window, pa.Scalar, np.generic)) or key is None or key is Ellipsis:
        return False
    return hasattr(key, "__len__") or hasattr(key, "__arrow_c_array__") or hasattr(key, "__arrow_c_stream__")


def _array_key(key: Any) -> Column:
    """An index array as a column; what is empty and has no type counts as integers."""
    column = as_column(key.sizes if isinstance(key, Dim) else key)
    if not (pt.is_integer(column.type) or pt.is_boolean(column.type) or pt.is_null(column.type)):
        if column.shape.size == 0 and isinstance(key, np.ndarray):
            return as_column(key.astype(np.int64))
        raise JagTypeError(f"an index array must hold integers or booleans, got {column.type}")
    return column


def _by_array(array: Column, key: Column) -> Column:
    """A single index array: masks filter, jagged integers take within their rows."""
    if pt.is_boolean(key.type):
        return select.keep_rows(array, key) if key.ndim == 1 else select.filter_items(array, key)
    if key.ndim == 1:
        return _ops.getitem(array, [key])
    if array.ndim == 0:
        raise JagIndexError("an array without dims has no rows to take from")
    return _ops.take(array, key, min(key.ndim, array.ndim) - 1)


def _numpy_key(key: Any) -> Any:
    """One entry of ``x[...]``."""
    if key is None or key is Ellipsis:
        return key
    if isinstance(key, slice):
        return Window(_bound(key.start), _bound(key.stop), _step(key.step))
    return _array_key(key) if _is_array(key) else _position(key, "an index")


def _koda_key(key: Any) -> Any:
    """One entry of ``x.S[...]``; None is a null position."""
    if key is Ellipsis:
        return key
    if isinstance(key, slice):
        if key.step is not None:
            raise JagIndexError(f"S takes ranges without a step, got {key.step}; x[...] takes steps")
        return Window(_koda_bound(key.start), _koda_bound(key.stop))
    if key is None:
        return Column(JaggedShape(), pa.nulls(1, pa.int64()))
    return _koda_bound(key)


def _koda_bound(key: Any) -> Any:
    if key is None:
        return None
    if isinstance(key, Column) or _is_array(key):
        return as_column(key)
    if isinstance(key, pa.Scalar) and not key.is_valid:
        return Column(JaggedShape(), pa.nulls(1, pa.int64()))
    return _position(key, "an index")


def _bound(bound: Any) -> Any:
    """A bound of a range: absent, an int, a Dim of one entry a row, or a column of bounds."""
    if bound is None or isinstance(bound, Dim):
        return bound
    if isinstance(bound, Column) and bound.ndim:
        return _int_column(bound)
    if _is_array(bound):
        return to_dim(bound) if is_pattern(bound) else _int_column(as_column(bound))
    return to_dim(bound) if isinstance(bound, (tuple, dict)) else _position(bound, "a bound")


def _int_column(column: Column) -> Column:
    if not (pt.is_integer(column.type) or pt.is_null(column.type)):
        raise JagTypeError(f"bounds of a range must be integers, got {column.type}")
    return column


def _step(step: Any) -> int:
    if step is None:
        return 1
    found = _position(step, "a step")
    if found == 0:
        raise JagValueError("the step of a slice can't be 0")
    return found


def _position(value: Any, what: str) -> int:
    if isinstance(value, Column):
        value = value.values[0]
    if isinstance(value, pa.Scalar):
        value = value.as_py()
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if not is_int(value):
        raise JagTypeError(f"{what} must be an int, a slice or an array of integers or booleans, got {type(value).__name__}")
    return int(value)


def _index(value: Any, operation: str) -> int | Column:
    """Positions or sizes: one int, or a column of them."""
    if isinstance(value, Dim):
        value = value.sizes
    if isinstance(value, Column):
        return value
    if _is_array(value):
        column = as_column(value)
        return as_column(pa.array([], pa.int64())) if column.shape.size == 0 and column.ndim == 1 else column
    return _whole_number(value, operation)


def _amount(value: Any, operation: str) -> int | Column:
    """Positions or numbers of items: one int, or a column of integers."""
    found = _index(value, operation)
    if isinstance(found, Column) and not (pt.is_integer(found.type) or pt.is_null(found.type)):
        raise JagTypeError(f"{operation} takes integers, got {found.type}")
    return found


def _whole_number(value: Any, operation: str) -> int:
    if isinstance(value, pa.Scalar):
        value = value.as_py()
    if not is_int(value):
        raise JagTypeError(f"{operation} takes an int, got {type(value).__name__}")
    return int(value)


def _shape(shape: Any) -> JaggedShape:
    if isinstance(shape, JaggedShape):
        return shape
    if isinstance(shape, Column):
        return shape.shape
    dims: Mapping[str, Any] | tuple[Any, ...] = shape if isinstance(shape, tuple) else (shape,)
    return JaggedShape(*dims)
