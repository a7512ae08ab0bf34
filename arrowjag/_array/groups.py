"""Groups and sets inside rows: distinct values, groups, membership, set operations, dictionaries, choices, Python functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from arrowjag._array.base import ArrayBase, as_column, operand
from arrowjag._column import Column
from arrowjag._methods import Rows, along_axis, changing_axis, method, over_axis
from arrowjag._ops import composed, elementwise
from arrowjag._ops import sets as _ops
from arrowjag.typing import ArrayOrScalar

if TYPE_CHECKING:
    from arrowjag._array import JaggedArray

__all__ = ["GroupMethods"]


def _set_rows(name: str) -> Callable[[int, Mapping[str, Any]], Rows]:
    """The rule of look-ups: where the rows of a column are the items of one set for all rows, they must all be seen.

    Surfaces ask with columns without rows; what has rows is a constant of the caller's.
    """

    def rule(_ndim: int, arguments: Mapping[str, Any]) -> Rows:
        found = arguments.get(name)
        if not isinstance(found, Column) or found.shape.size:
            return Rows.LOCAL
        return along_axis(found.ndim, arguments)

    return rule


def _contains_rows(ndim: int, arguments: Mapping[str, Any]) -> Rows:
    """One row against several values gives the rows of the values."""
    rows = over_axis(ndim, arguments)
    return Rows.MOVED if rows is Rows.REDUCED and hasattr(arguments.get("v"), "ndim") else rows


def _flat_set(values: Any) -> Any:
    return list(values) if isinstance(values, (set, frozenset)) else values


def _map_rows_type(x: Any, fn: Any, type: Any, axis: Any = -1) -> Any:  # noqa: ARG001 - has the arguments of map_rows
    return x._wrap(composed.map_rows_type(x, elementwise.as_type(type), axis))


class GroupMethods(ArrayBase):
    """Operations on what is equal in a row."""

    __slots__ = ()

    @method(rows=changing_axis)
    def unique(self, axis: Any = -1) -> JaggedArray:
        """The distinct items of each row.

        Parameters
        ----------
        axis : int, tuple of int or None
            The dim to work along; several trailing dims are flattened to one row first, None flattens all. Along an outer axis
            whole sub-trees are the items. As in `numpy.unique`, they are compared as lists.

        Returns
        -------
        JaggedArray
            Of the same type, in order of first appearance; nulls are dropped, NaN equals NaN and -0.0 equals 0.0. A null row stays
            null; an extent of the dim is dropped. Cost: one hash look-up an item, or less in short rows.

        Raises
        ------
        JagTypeError
            If the leaf type can't be compared.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[2, 1, 2, None], [], None]).unique().to_list()
        [[2, 1], [], None]
        >>> aj.array([[1, 2], [3], [1, 2]]).unique(axis=0).to_list()
        [[1, 2], [3]]
        """
        return self._wrap(_ops.unique(self, axis))

    @method(rows=changing_axis)
    def value_counts(self, axis: Any = -1) -> JaggedArray:
        """The distinct items of each row and how often each occurs.

        Parameters
        ----------
        axis : int, tuple of int or None
            The dim to work along; several trailing dims are flattened to one row first, None flattens all. Along an outer axis
            whole sub-trees are the items.

        Returns
        -------
        JaggedArray
            Structs with the fields `value`, of the leaf's type, and `count`, int64, in order of first appearance; nulls are not
            counted. Along an outer axis `value` is a list. A null row stays null; an extent of the dim is dropped. Cost: one
            hash look-up an item, or less in short rows.

        Raises
        ------
        JagTypeError
            If the leaf type can't be compared.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([["a", "b", "a"], []]).value_counts().to_list()
        [[{'value': 'a', 'count': 2}, {'value': 'b', 'count': 1}], []]
        """
        return self._wrap(_ops.value_counts(self, axis))

    @method("*keys", rows=changing_axis)
    def group_by(self, *keys: Any, axis: Any = -1) -> JaggedArray:
        """Put the items of each row into groups of equal keys: a dim is added.

        Parameters
        ----------
        *keys : JaggedArray or array
            Items are equal where all keys are; shorter keys are spread by the prefix rule. Without keys the items group themselves.
        axis : int, tuple of int or None
            The dim to work along; several trailing dims are flattened to one row first, None flattens all. Along an outer axis
            whole sub-trees are the items. Keys then have the dims up to that axis.

        Returns
        -------
        JaggedArray
            With one more dim, groups in order of first appearance, items in order of position. Items with a null key are left out,
            null items with a key are not. NaN equals NaN and -0.0 equals 0.0. A null row stays null, also where a key's row is
            null. Cost: one hash look-up an item, or less in short rows, and one gather; for several keys a sort of each row a key.

        Raises
        ------
        ShapeError
            If a key's shape does not fit.
        JagTypeError
            If a key can't be compared.

        Notes
        -----
        Koda's `group_by`, with NaN in one group.

        Examples
        --------
        >>> import arrowjag as aj
        >>> x = aj.array([[1, 2, 3, 4], [5]])
        >>> x.group_by([["a", "b", "a", None], ["a"]]).to_list()
        [[[1, 3], [2]], [[5]]]
        >>> aj.array([[1, 2], [3], [4]]).group_by(["u", "v", "u"], axis=0).to_list()
        [[[1, 2], [4]], [[3]]]
        """
        return self._wrap(composed.group_by(self, [as_column(key) for key in keys], axis))

    @method("*keys", rows=changing_axis)
    def group_by_indices(self, *keys: Any, sort: bool = False, axis: Any = -1) -> JaggedArray:
        """The slots of the items of each group of equal keys: a dim is added.

        Parameters
        ----------
        *keys : JaggedArray or array
            As in `group_by`; without keys the items group themselves.
        sort : bool
            Groups in the order of their keys instead of first appearance; NaN comes last.
        axis : int, tuple of int or None
            The dim to work along; several trailing dims are flattened to one row first, None flattens all. Along an outer axis
            whole sub-trees are the items. Keys then have the dims up to that axis.

        Returns
        -------
        JaggedArray
            int64 slots in the row, ascending inside a group. Items with a null key are left out; a null row stays null. Cost: one
            hash look-up an item, or less in short rows; for several keys, and with `sort`, a sort of each row a key.

        Raises
        ------
        ShapeError
            If a key's shape does not fit.
        JagTypeError
            If a key can't be compared.

        Notes
        -----
        Koda's `group_by_indices`.

        Examples
        --------
        >>> import arrowjag as aj
        >>> x = aj.array([["b", "a", "b", None]])
        >>> x.group_by_indices().to_list(), x.group_by_indices(sort=True).to_list()
        ([[[0, 2], [1]]], [[[1], [0, 2]]])
        """
        return self._wrap(composed.group_by_indices(self, [as_column(key) for key in keys], sort, axis))

    @method("v", rows=_contains_rows)
    def contains(self, v: Any, axis: Any = -1) -> ArrayOrScalar:
        """Whether each row holds a value.

        Parameters
        ----------
        v : scalar, JaggedArray or array
            One value for all rows, one a row, or several a row: its outer dims agree with the dims above the rows.
        axis : int, tuple of int or None
            The dim to look along; several trailing dims are one row together, None takes all of them. Along an outer axis the items
            at the same local position are one row.

        Returns
        -------
        JaggedArray or pa.Scalar
            Booleans, one a row, or in the shape of `v`. NaN equals NaN and -0.0 equals 0.0; a null value gives null, and so does a
            null row; a null item equals nothing. Cost: one pass for a scalar, else one hash look-up an item and a value.

        Raises
        ------
        ShapeError
            If the dims above the rows are not those of `v`.
        JagTypeError
            If the types have no common type.

        Examples
        --------
        >>> import arrowjag as aj
        >>> x = aj.array([[1, 2], [3], None])
        >>> x.contains(2).to_list(), x.contains([9, 3, 1]).to_list()
        ([True, False, None], [False, True, None])
        """
        return self._wrap(_ops.contains(self, operand(v, self.type, "contains"), axis))

    @method("values", rows=_set_rows("values"))
    def is_in(self, values: Any) -> JaggedArray:
        """Whether each item is in a set.

        Parameters
        ----------
        values : set, list, array or JaggedArray
            With one dim a set for all items; with more, each row is the set of the items at its place.

        Returns
        -------
        JaggedArray
            Booleans in the same shape; a null item gives null, and so does a null row of either. A null in the set equals nothing;
            NaN equals NaN and -0.0 equals 0.0. Cost: one hash look-up an item, or less in short rows.

        Raises
        ------
        ShapeError
            If the dims above the rows of the sets are not those of the array.
        JagTypeError
            If the types have no common type.

        Examples
        --------
        >>> import arrowjag as aj
        >>> x = aj.array([[1, 2, None], [3]])
        >>> x.is_in({2, 3}).to_list(), x.is_in([[1], [2, 4]]).to_list()
        ([[False, True, None], [True]], [[True, False, None], [False]])
        """
        return self._wrap(_ops.is_in(self, as_column(_flat_set(values))))

    @method("y", rows=changing_axis)
    def union(self, y: Any, axis: Any = -1) -> JaggedArray:
        """The distinct items of each row of this array and of another, those of this one first.

        Parameters
        ----------
        y : JaggedArray or array
            As many dims, and the same dims above the rows.
        axis : int, tuple of int or None
            The dim to work along; several trailing dims are flattened to one row first, None flattens all. Along an outer axis
            whole sub-trees are the items.

        Returns
        -------
        JaggedArray
            Of the common type, in order of first appearance; nulls are dropped, NaN equals NaN and -0.0 equals 0.0. A row that is
            null in either is null; an extent of the dim is dropped. Cost: one hash look-up an item of both, or less in short rows.

        Raises
        ------
        ShapeError
            If the dims differ.
        JagTypeError
            If the types have no common type, or can't be compared.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[2, 1, 2], []]).union([[3, 1], [4]]).to_list()
        [[2, 1, 3], [4]]
        """
        return self._wrap(_ops.set_operation("union", self, as_column(y), axis))

    @method("y", rows=changing_axis)
    def intersection(self, y: Any, axis: Any = -1) -> JaggedArray:
        """The distinct items of each row that the same row of another array holds too.

        Parameters
        ----------
        y : JaggedArray or array
            As many dims, and the same dims above the rows.
        axis : int, tuple of int or None
            The dim to work along; several trailing dims are flattened to one row first, None flattens all. Along an outer axis
            whole sub-trees are the items.

        Returns
        -------
        JaggedArray
            Of the common type, in order of first appearance; nulls are dropped, NaN equals NaN and -0.0 equals 0.0. A row that is
            null in either is null; an extent of the dim is dropped. Cost: one hash look-up an item of both, or less in short rows.

        Raises
        ------
        ShapeError
            If the dims differ.
        JagTypeError
            If the types have no common type, or can't be compared.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[2, 1, 2], []]).intersection([[3, 1], [4]]).to_list()
        [[1], []]
        """
        return self._wrap(_ops.set_operation("intersection", self, as_column(y), axis))

    @method("y", rows=changing_axis)
    def difference(self, y: Any, axis: Any = -1) -> JaggedArray:
        """The distinct items of each row that the same row of another array does not hold.

        Parameters
        ----------
        y : JaggedArray or array
            As many dims, and the same dims above the rows.
        axis : int, tuple of int or None
            The dim to work along; several trailing dims are flattened to one row first, None flattens all. Along an outer axis
            whole sub-trees are the items.

        Returns
        -------
        JaggedArray
            Of the common type, in order of first appearance; nulls are dropped, NaN equals NaN and -0.0 equals 0.0. A row that is
            null in either is null; an extent of the dim is dropped. Cost: one hash look-up an item of both, or less in short rows.

        Raises
        ------
        ShapeError
            If the dims differ.
        JagTypeError
            If the types have no common type, or can't be compared.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[2, 1, 2], []]).difference([[3, 1], [4]]).to_list()
        [[2], []]
        """
        return self._wrap(_ops.set_operation("difference", self, as_column(y), axis))

    @method("keys_from", "values_from", rows=_set_rows("keys_from"))
    def translate(self, keys_from: Any, values_from: Any, axis: Any = -1) -> JaggedArray:
        """Replace each item by the value that stands beside the equal key.

        Parameters
        ----------
        keys_from : JaggedArray or array
            Each row holds the keys of a dictionary, distinct but for nulls; with one dim there is one dictionary for all items. Its
            dims above the rows agree with the outer dims of this array.
        values_from : JaggedArray or array
            The values, in the shape of the keys or spread to it by the prefix rule.
        axis : int, tuple of int or None
            The dim of the keys that makes a dictionary; several trailing dims make one together, None takes all of them. Along an
            outer axis the keys at the same local position are one, and the outer dims of this array are the dims of those
            positions.

        Returns
        -------
        JaggedArray
            In the shape of this array, of the type of the values; null where no key is equal, for a null item, and for a null row
            of any. NaN equals NaN. Cost: one hash look-up an item and a key.

        Raises
        ------
        JagValueError
            If keys occur twice in a row, which is named.
        ShapeError
            If dims do not fit.
        JagTypeError
            If items and keys have no common type.

        Notes
        -----
        Koda's `translate`, which refuses floats.

        Examples
        --------
        >>> import arrowjag as aj
        >>> x = aj.array([["a", "d"], ["c", None]])
        >>> x.translate([["a", "b"], ["c", None]], [[1, 2], [3, 4]]).to_list()
        [[1, None], [3, None]]
        >>> x.translate(["a", "c"], [10, 20]).to_list()
        [[10, None], [20, None]]
        >>> x.translate([["a"], ["c", "d"]], [[1], [3, 4]], axis=None).to_list()
        [[1, 4], [3, None]]
        """
        return self._wrap(_ops.translate(self, as_column(keys_from), as_column(values_from), axis))

    @method(rows=changing_axis)
    def combinations(self, n: int, axis: Any = -1) -> JaggedArray:
        """All choices of `n` items of each row: a dim of declared size `n` is added.

        Parameters
        ----------
        n : int
            How many items make a choice, at least 1.
        axis : int, tuple of int or None
            The dim to work along; several trailing dims are flattened to one row first, None flattens all. Along an outer axis
            whole sub-trees are the items.

        Returns
        -------
        JaggedArray
            With one more dim; choices in the order of their slots, as in `itertools.combinations`. Rows shorter than `n` give none,
            a null row stays null, null items are items. Cost: one gather of all choices.

        Raises
        ------
        JagValueError
            If `n` is less than 1.
        JagOverflowError
            If there are too many choices.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2, 3], [4]]).combinations(2).to_list()
        [[[1, 2], [1, 3], [2, 3]], []]
        """
        return self._wrap(composed.combinations(self, n, axis))

    @method("y", rows=changing_axis)
    def pairs(self, y: Any, axis: Any = -1) -> JaggedArray:
        """Every item of a row with every item of another array's row: a dim of declared size 2 is added.

        Parameters
        ----------
        y : JaggedArray or array
            As many dims, and the same dims above the rows.
        axis : int, tuple of int or None
            The dim to work along; several trailing dims are flattened to one row first, None flattens all. Along an outer axis
            whole sub-trees are the items.

        Returns
        -------
        JaggedArray
            Of the common type, with one more dim; the item of `y` changes fastest. A row that is null in either is null, null items
            are items. Cost: one gather of all pairs.

        Raises
        ------
        ShapeError
            If the dims differ.
        JagTypeError
            If the types have no common type.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2], [3]]).pairs([[8, 9], []]).to_list()
        [[[1, 8], [1, 9], [2, 8], [2, 9]], []]
        """
        return self._wrap(composed.pairs(self, as_column(y), axis))

    @method(rows=over_axis, result_type=_map_rows_type)
    def map_rows(self, fn: Callable[[Any], Any], type: Any, axis: Any = -1) -> ArrayOrScalar:
        """Call a Python function on each row.

        Parameters
        ----------
        fn : callable
            Takes a row as a list, nested where the array has dims below the axis; returns a value of `type`.
        type : pa.DataType or str
            The Arrow type of what the function returns; a list type adds a dim.
        axis : int, tuple of int or None
            Rows run along this dim, and the dims below it come along.

        Returns
        -------
        JaggedArray or pa.Scalar
            One result a row. A null row stays null, the function does not see it. Cost: every value becomes a Python object; this
            is the only operation that runs Python code for each row.

        Raises
        ------
        JagTypeError
            If what the function returns does not fit `type`.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2], [], None]).map_rows(lambda row: max(row, default=0), "int64").to_list()
        [2, 0, None]
        """
        return self._wrap(composed.map_rows(self, fn, elementwise.as_type(type), axis))
