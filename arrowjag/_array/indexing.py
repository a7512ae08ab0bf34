"""Methods that select items: `x[...]`, `x.S[...]`, take, filter, head, tail, slice, pad, repeat, and fields of structs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, NoReturn, overload

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._arguments import within_memory
from arrowjag._array.base import ArrayBase, as_column, operand, shape_of_rows
from arrowjag._arrow.foreign import exports_arrow
from arrowjag._column import Column
from arrowjag._integers import is_int, item_count
from arrowjag._methods import Rows, changing_axis, looking_up, method, moving
from arrowjag._ops import edits, elementwise, head_tail, select, struct_fields, structure
from arrowjag._ops import indexing as _ops
from arrowjag._ops.cursor import ALL, Window
from arrowjag.dims import Dim, is_pattern, to_dim
from arrowjag.errors import JagIndexError, JagTypeError, JagValueError, Suggesting, brief
from arrowjag.shape import JaggedShape
from arrowjag.typing import ArrayOrScalar

if TYPE_CHECKING:
    from arrowjag._array import JaggedArray

__all__ = ["IndexingMethods", "KodaIndexer", "amount", "is_full", "rows_of_key", "rows_of_slots"]


class KodaIndexer(Suggesting):
    """The indexer `x.S`, which indexes the last dims as Koda's `x.S[...]` does.

    Parameters
    ----------
    array : JaggedArray
        The array to index.
    """

    __slots__ = ("_array",)
    _called = ".S"
    __iter__ = None  # any position is allowed, null if out of range, so that a loop would never end

    def __init__(self, array: ArrayBase) -> None:
        self._array = array

    @within_memory("an index")
    def __getitem__(self, key: Any) -> ArrayOrScalar:
        keys = key if isinstance(key, tuple) else (key,)
        return self._array._wrap(_ops.subslice(self._array, [_koda_key(one) for one in keys]))

    def __setitem__(self, key: Any, value: Any) -> NoReturn:
        """Raise: arrays are immutable."""
        raise JagTypeError("arrays are immutable, and `set` returns a new one: write x = x.set(index, values)")

    def __repr__(self) -> str:
        return f"{type(self).__name__} of {self._array.shape!r}"


class IndexingMethods(ArrayBase):
    """Methods that select items by position, by mask or by name."""

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
            A slice takes any step, and bounds per row: a list, array or Dim with one entry per row. A single boolean array of one
            dim filters the rows, a jagged one the items (null drops, one of fewer dims is broadcast). A single integer array of one
            dim takes rows, a jagged one takes within each row. In a tuple, integer arrays gather elementwise at their dims, as in
            numpy: ``x[x.image()]`` is x. A string selects a field of structs.

        Returns
        -------
        JaggedArray, or pa.Scalar
            A null row gives null. Cost: a contiguous selection shares values; any other takes one gather per level.

        Raises
        ------
        JagIndexError
            If a position is out of range; the message names the row.

        Examples
        --------
        >>> import arrowjag as aj
        >>> x = aj.array([[1, 2, 3], [4, 5]])
        >>> x[:, 0].to_list(), x[:, ::-1].to_list(), x[1, -1].as_py()
        ([1, 4], [[3, 2, 1], [5, 4]], 5)
        >>> x[x > 2].to_list(), x[aj.array([[2, 0], [1]])].to_list(), x[:, :[1, 2]].to_list()
        ([[3], [4, 5]], [[3, 1], [5]], [[1], [4, 5]])
        """
        if type(key) is slice and (rows := _ops.slice_frame(self, key)) is not None:
            return rows
        return self._by_key(key)

    @within_memory("an index")
    def _by_key(self, key: Any) -> ArrayOrScalar:
        if isinstance(key, str):
            return self._wrap(struct_fields.field(self, key))
        if isinstance(key, list) and key and all(isinstance(one, str) for one in key):
            return self._wrap(struct_fields.pick_fields(self, key))
        if isinstance(key, tuple) and len(key) == 1 and _is_array(key[0]):
            single = _array_key(key[0])
            key = single if pt.is_boolean(single.type) else key
        if not isinstance(key, tuple) and _is_array(key):
            return self._wrap(_by_array(self, _array_key(key)))
        keys = key if isinstance(key, tuple) else (key,)
        return self._wrap(_ops.getitem(self, [_numpy_key(one) for one in keys]))

    @property
    def S(self) -> KodaIndexer:  # noqa: N802 - Koda's name
        """Indexing of the last dims by Koda's rule: a position out of range gives null, or an empty row above the leaves.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2], []]).S[0].to_list()
        [1, None]
        >>> aj.array([[1, 2], []]).S[1:].to_list()
        [[2], []]
        """
        return KodaIndexer(self)

    @method("index", rows=looking_up("index"))
    def take(self, index: Any, axis: int = -1, out_of_bounds: Literal["raise", "null"] = "raise") -> ArrayOrScalar:
        """Select items by position in each row at an axis.

        Parameters
        ----------
        index : int or array of int
            Positions in each row; negative ones count from the end. An index with the dims above the axis selects one item per row
            and removes the axis; one with more dims adds these dims; one with fewer dims is broadcast to the rows.
        axis : int
            The dim that the positions refer to.
        out_of_bounds : {"raise", "null"}
            Whether a position out of range raises or gives null.

        Returns
        -------
        JaggedArray, or pa.Scalar
            The selected items: null if the position or the row is null. Extents below the axis are kept. Cost: one gather per
            level.

        Raises
        ------
        JagIndexError
            If a position is out of range and `out_of_bounds` is "raise"; the message names the row.
        ShapeError
            If the outer dims of the index differ from the dims above the axis.
        JagTypeError
            If the index does not hold integers.
        JagValueError
            If `out_of_bounds` is another word.

        Notes
        -----
        Corresponds to Koda's `take`, at any axis.

        Examples
        --------
        >>> import arrowjag as aj
        >>> x = aj.array([[10, 20, 30], [40]])
        >>> x.take([2, 0]).to_list(), x.take([[0, 1], [0, 0]]).to_list()
        ([30, 40], [[10, 20], [40, 40]])
        >>> x.take(1, out_of_bounds="null").to_list()
        [20, None]
        """
        return self._wrap(_ops.take(self, _index(index, "take: index"), axis, out_of_bounds))

    @method("mask", rows=changing_axis)
    def filter(self, mask: Any) -> JaggedArray:
        """Keep the innermost items whose mask is true.

        Parameters
        ----------
        mask : array of bool
            Of this shape or of a prefix of it, which is broadcast. A null drops the item.

        Returns
        -------
        JaggedArray
            The items where the mask is True, in the same rows, which may become shorter or empty. A row that is null in the array
            or in the mask is null. The innermost dim has no declared extent. Cost: one pass over values and mask.

        Raises
        ------
        ShapeError
            If the mask's shape is not a prefix of the array's.
        JagTypeError
            If it does not hold booleans.

        Notes
        -----
        Corresponds to Koda's `select`. ``x[mask]`` with a mask of one dim drops whole rows instead, as in numpy.

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
        """Keep the first items of each row.

        Parameters
        ----------
        n : int or array of int
            Number of items, for all rows or per row; a negative number drops items from the end. An array has the dims above the
            axis, or is broadcast to them by the prefix rule.
        axis : int
            The dim whose rows are cut; negative counts from the innermost dim.

        %(head_tail_result)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2, 3], [4]]).head(2).to_list()
        [[1, 2], [4]]
        >>> aj.array([[1, 2, 3], [4, 5], [6]]).head([1, -1, None]).to_list()
        [[1], [4], None]
        """
        return self._wrap(head_tail.head(self, amount(n, "head: n"), axis))

    @method("n", rows=changing_axis)
    def tail(self, n: Any = 5, axis: int = -1) -> JaggedArray:
        """Keep the last items of each row.

        Parameters
        ----------
        n : int or array of int
            Number of items, for all rows or per row; a negative number drops items from the start. An array has the dims above the
            axis, or is broadcast to them by the prefix rule.
        axis : int
            The dim whose rows are cut; negative counts from the innermost dim.

        %(head_tail_result)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2, 3], [4]]).tail(2).to_list()
        [[2, 3], [4]]
        >>> aj.array([[1, 2, 3], [4, 5], [6]]).tail([1, -1, 0]).to_list()
        [[3], [5], []]
        """
        return self._wrap(head_tail.tail(self, amount(n, "tail: n"), axis))

    @method("start", "length", rows=changing_axis)
    def slice(self, start: Any, length: Any = None, axis: int = -1) -> JaggedArray:
        """Slice each row by start and length.

        Parameters
        ----------
        start : int or array of int
            First position, for all rows or per row; negative counts from the end of the row. An array has the dims above the
            axis, or is broadcast to them by the prefix rule.
        length : int or array of int, optional
            Number of items, for all rows or per row; by default all from `start` on.
        axis : int
            The dim whose rows are cut; negative counts from the innermost dim.

        Returns
        -------
        JaggedArray
            The items in range; null rows stay null, and a null start or length makes its row null. With one start and length for
            all rows a declared extent is reduced accordingly, otherwise it is dropped. Cost: one gather per level; along axis 0
            values are shared.

        Raises
        ------
        JagValueError
            If a length is negative.
        JagTypeError
            If start or length do not hold integers.
        ShapeError
            If the shape of either is not a prefix of the dims above the axis.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2, 3], [4]]).slice(-2, 1).to_list()
        [[2], []]
        >>> aj.array([[1, 2, 3], [4, 5]]).slice([1, 0], 1).to_list()
        [[2], [4]]
        """
        wanted = None if length is None else amount(length, "slice: length")
        return self._wrap(head_tail.slice_rows(self, amount(start, "slice: start"), wanted, axis))

    @method(rows=changing_axis)
    def pad(self, n: int, fill: Any = None, axis: int = -1) -> JaggedArray:
        """Pad rows that are shorter than a minimal size.

        Parameters
        ----------
        n : int
            The minimal number of items per row of the result; longer rows are unchanged.
        fill : scalar or array, optional
            The added item, null by default: a leaf, or along an outer axis an item with the dims below that axis, such as a list. A
            scalar fills such an item if all of those dims have declared extents.
        axis : int
            The dim whose rows are extended; negative counts from the innermost dim.

        Returns
        -------
        JaggedArray
            The same array, with shorter rows extended to `n` items. Null rows stay null. A declared extent of less than `n` becomes
            `n`, and extents of dims below the axis are kept. Cost: one gather per level.

        Raises
        ------
        JagValueError
            If `n` is negative, or `fill` is a scalar and the rows to add along an outer axis have no declared extent.
        ShapeError
            If `fill` has another number of dims than there are below the axis, or other extents than declared.
        JagTypeError
            If `n` is not an int, or the types have no common type.
        %(unfit_value)s

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
        if (
            isinstance(value, Column) and value.shape.size == 0
        ):  # an empty list leaves its ndim open: it has the dims below the axis
            value = as_column(fill, ndim=max(value.ndim, self.ndim - 1 - structure.normalize_axis(axis, self.ndim, "pad")))
        if isinstance(value, pa.Scalar):
            value = elementwise.as_category(value, self.values, "pad")
        column, filler = edits.promoted(self, value, "pad")
        return self._wrap(select.pad(column, least, filler, axis))

    @method("sizes")
    def repeat(self, sizes: Any) -> JaggedArray:
        """Repeat each innermost item: the copies form a new last dim.

        Parameters
        ----------
        sizes : int or array of int
            Number of repetitions; both arrays are broadcast against each other by the prefix rule. An int is the declared extent of
            the new dim.

        Returns
        -------
        JaggedArray
            With one more dim; 0 gives an empty row, null items are repeated. Cost: one gather at the speed of memory.

        Raises
        ------
        ShapeError
            If neither shape is a prefix of the other, or a size is negative.
        JagValueError
            If a size is null.
        JagTypeError
            If sizes are not integers.

        Notes
        -----
        Corresponds to Koda's `repeat`.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, None], [3]]).repeat([2, 3]).to_list()
        [[[1, 1], [None, None]], [[3, 3, 3]]]
        """
        return self._wrap(select.repeat(self, _index(sizes, "repeat: sizes")))

    @method("shape", rows=moving)
    def tile(self, shape: Any) -> JaggedArray:
        """Repeat the whole array for each innermost item of a shape.

        Parameters
        ----------
        shape : JaggedShape, int, tuple of dims, or array
            The outer dims of the result.

        Returns
        -------
        JaggedArray
            With the dims of the shape, followed by those of this array, null rows included. Cost: one gather per level.

        Raises
        ------
        ShapeError
            If the dims of `shape` do not fit each other.
        JagTypeError
            If a dim is none of these.

        Notes
        -----
        Corresponds to Koda's `tile`.

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
        """Field names of struct leaves; an empty list for other leaves.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[{"x": 1, "y": 2}]]).fields
        ['x', 'y']
        """
        return struct_fields.fields(self.type)

    @method("**arrays")
    def with_fields(self, **arrays: Any) -> JaggedArray:
        """Add or replace fields of struct leaves.

        Parameters
        ----------
        **arrays : array or scalar
            The fields by name; they and this array are broadcast against each other by the prefix rule.

        Returns
        -------
        JaggedArray
            Of structs; a null struct stays null. Other fields are shared.

        Raises
        ------
        JagTypeError
            If the leaves are not structs.
        ShapeError
            If no shape has all others as prefixes.

        Examples
        --------
        >>> import arrowjag as aj
        >>> x = aj.array([[{"a": 1}], [{"a": 2}, {"a": 3}]])
        >>> x.with_fields(b=x["a"] * 10).to_list()
        [[{'a': 1, 'b': 10}], [{'a': 2, 'b': 20}, {'a': 3, 'b': 30}]]
        """
        return self._wrap(struct_fields.with_fields(self, {name: operand(one, None, name) for name, one in arrays.items()}))


# --------------------------------------------------------------------------------------------------- keys


def rows_of_key(ndim: int, key: Any) -> Rows:
    """Return how ``x[key]`` changes the outermost rows, for surfaces that must know before computing.

    Parameters
    ----------
    ndim : int
        Number of dims of the indexed array.
    key : object
        As for ``x[key]``.

    Returns
    -------
    Rows
        LOCAL for fields, for keys that begin with a full slice, and for single jagged arrays; KEPT if an array beside them holds
        positions for all rows, or if the positions in a jagged array are rows because there is no other dim; MOVED otherwise.
    """
    if isinstance(key, tuple) and any(isinstance(one, Column) and one.ndim for one in key):
        without_arrays = rows_of_key(ndim, tuple(0 if isinstance(one, Column) else one for one in key))
        return Rows.MOVED if without_arrays is Rows.MOVED else Rows.KEPT
    first = key[0] if isinstance(key, tuple) and key else key
    if isinstance(key, str) or (isinstance(key, list) and key and all(isinstance(one, str) for one in key)):
        return Rows.LOCAL
    if isinstance(key, tuple) and not key:
        return Rows.LOCAL
    if isinstance(first, slice):
        return Rows.LOCAL if is_full(first) else Rows.MOVED
    if first is Ellipsis:
        rest = [one for one in key if one is not None and one is not Ellipsis] if isinstance(key, tuple) else []
        return Rows.LOCAL if len(rest) < ndim else Rows.MOVED
    if not isinstance(key, tuple) and _is_array(key):
        in_rows = Rows.LOCAL if ndim > 1 else Rows.KEPT
        return in_rows if _has_rows(key) else Rows.MOVED
    return Rows.MOVED


def rows_of_slots(ndim: int, key: Any) -> Rows:
    """Return how ``x.S[key]`` changes the outermost rows; without an ellipsis the entries address the last dims.

    Parameters
    ----------
    ndim : int
        Number of dims of the indexed array.
    key : object
        As for ``x.S[key]``.

    Returns
    -------
    Rows
        LOCAL if no entry addresses the outermost dim, or a full slice does; KEPT for a jagged array of positions in a flat
        column; MOVED otherwise.
    """
    keys = key if isinstance(key, tuple) else (key,)
    cut = next((place for place, one in enumerate(keys) if one is Ellipsis), 0)
    rest = [one for one in keys if one is not Ellipsis]
    reaches = cut > 0 or len(rest) >= ndim
    if ndim == len(rest) == 1 and _has_rows(rest[0]):
        return Rows.KEPT
    return Rows.MOVED if rest and reaches and not is_full(rest[0]) and not isinstance(key, str) else Rows.LOCAL


def _has_rows(index: Any) -> bool:
    """Return whether an index has one row of positions for each row of the frame."""
    return _is_array(index) and _array_key(index).ndim > 1


def is_full(key: Any) -> bool:
    """Return whether a key is the slice of all items; bounds may be arrays, which `==` would compare by item."""
    return isinstance(key, slice) and key.start is key.stop is key.step is None


def _is_array(key: Any) -> bool:
    """Return whether a key is an array rather than a scalar."""
    if type(key) is int:
        return False
    if isinstance(key, (Column, np.ndarray)):
        return key.ndim > 0
    if isinstance(key, (slice, str, bytes, tuple, Window, pa.Scalar, np.generic)) or key is None or key is Ellipsis:
        return False
    return hasattr(key, "__len__") or exports_arrow(key)


def _array_key(key: Any) -> Column:
    """Convert an index array to a column; an empty numpy array counts as integers."""
    column = as_column(key.sizes if isinstance(key, Dim) else key)
    if not (pt.is_integer(column.type) or pt.is_boolean(column.type) or pt.is_null(column.type)):
        if column.shape.size == 0 and isinstance(key, np.ndarray):
            return as_column(key.astype(np.int64))
        raise JagTypeError(f"an index array must hold integers or booleans, got {column.type}")
    return column


def _by_array(array: Column, key: Column) -> Column:
    """Index by a single array: masks filter, jagged integers take within their rows."""
    if pt.is_boolean(key.type):
        return select.keep_rows(array, key) if key.ndim == 1 else select.filter_items(array, key)
    if key.ndim == 1:
        return _ops.rows_at(array, key) if array.ndim else _ops.getitem(array, [key])  # raises for an array without dims
    if array.ndim == 0:
        raise JagIndexError("an array without dims has no rows to take from")
    return _ops.take(array, key, min(key.ndim, array.ndim) - 1)


def _numpy_key(key: Any) -> Any:
    """Convert one entry of ``x[...]``."""
    if key is None or key is Ellipsis or type(key) is int:
        return key
    if isinstance(key, slice):
        start, stop, step = _bound(key.start), _bound(key.stop), _step(key.step)
        return ALL if start is None and stop is None and step == 1 else Window(start, stop, step)
    return _array_key(key) if _is_array(key) else _position(key, "an index")


def _koda_key(key: Any) -> Any:
    """Convert one entry of ``x.S[...]``; None is a null position."""
    if key is Ellipsis or type(key) is int:
        return key
    if isinstance(key, slice):
        if key.step is not None:
            raise JagIndexError(f"S takes slices without a step, got {key.step}; use x[...] for steps")
        return Window(_koda_bound(key.start), _koda_bound(key.stop))
    if key is None:
        return Column(JaggedShape(), pa.nulls(1, pa.int64()))
    return _koda_bound(key)


def _koda_bound(key: Any) -> Any:
    if key is None or type(key) is int:
        return key
    if isinstance(key, Column) or _is_array(key):
        return as_column(key)
    if _is_null(key):
        return Column(JaggedShape(), pa.nulls(1, pa.int64()))
    return _position(key, "an index")


def _bound(bound: Any) -> Any:
    """Convert a bound of a slice to None, an int, a Dim with one entry per row, or a column."""
    if bound is None or type(bound) is int or isinstance(bound, Dim):
        return bound
    if isinstance(bound, Column) and bound.ndim:
        return _of_integers(bound, "bounds of a slice")
    if _is_array(bound):
        return to_dim(bound) if is_pattern(bound) else _of_integers(as_column(bound), "bounds of a slice")
    return to_dim(bound) if isinstance(bound, (tuple, dict)) else _position(bound, "a bound")


def _step(step: Any) -> int:
    if step is None:
        return 1
    found = _position(step, "a step")
    if found == 0:
        raise JagValueError("the step of a slice can't be 0")
    return max(-(2**62), min(found, 2**62))  # a step beyond the longest row takes its first item, however large it is


def _position(value: Any, what: str) -> int:
    if type(value) is int:
        return value
    value = elementwise.unboxed(value)
    if _is_null(value):
        raise JagTypeError(f"{what} must not be null; in an array of positions, a null gives null")
    hint = f"; the name of a field stands alone: x[{brief(value)}]" if isinstance(value, str) else ""
    return _whole_number(value, what, "an int, a slice or an array of integers or booleans", hint)


def _is_null(value: Any) -> bool:
    """Return whether a value is a null scalar of Arrow or pandas."""
    return (isinstance(value, pa.Scalar) and not value.is_valid) or _arrow.is_missing(value)


def _index(value: Any, what: str) -> int | Column:
    """Convert positions or sizes to an int or a column; a null scalar is a null position, as in an array."""
    if type(value) is int:
        return value
    if isinstance(value, Dim):
        value = value.sizes
    if isinstance(value, Column):
        return value
    if _is_null(value):  # such as argmin of a column of nulls
        return as_column(value)
    if isinstance(value, tuple):  # as numpy's take and repeat, and as expressions, which make columns of lists and tuples
        value = list(value)
    if _is_array(value):
        column = as_column(value)
        return as_column(pa.array([], pa.int64())) if column.shape.size == 0 and column.ndim == 1 else column
    return _whole_number(value, what)


def amount(value: Any, what: str) -> int | Column:
    """Convert positions or numbers of items to an int or a column of integers."""
    found = _index(value, what)
    return _of_integers(found, what) if isinstance(found, Column) else found


def _of_integers(column: Column, what: str) -> Column:
    if not (pt.is_integer(column.type) or pt.is_null(column.type)):
        raise JagTypeError(f"{what} must be integers, got {column.type}")
    return column


def _whole_number(value: Any, what: str, kinds: str = "an int", hint: str = "") -> int:
    value = elementwise.unboxed(value)
    if isinstance(value, pa.Scalar):
        value = value.as_py()
    if not is_int(value):
        raise JagTypeError(f"{what} must be {kinds}, got {type(value).__name__}{hint}")
    return int(value)


def _shape(shape: Any) -> JaggedShape:
    if isinstance(shape, JaggedShape):
        return shape
    if isinstance(shape, Column):
        return shape.shape
    if (rows := shape_of_rows(shape)) is not None:
        return rows
    dims: Mapping[str, Any] | tuple[Any, ...] = shape if isinstance(shape, tuple) else (shape,)
    return JaggedShape(*dims)
