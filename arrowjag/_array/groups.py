"""Methods on equal items within rows: unique, group_by, membership, set operations, translate, combinations, pairs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from arrowjag._array.base import ArrayBase, as_column, as_keys, column_like, operand
from arrowjag._methods import Rows, changing_axis, method, over_axis, set_rows
from arrowjag._ops import by_key, composed, elementwise
from arrowjag._ops import sets as _ops
from arrowjag.errors import JagTypeError, plural
from arrowjag.typing import ArrayOrScalar

if TYPE_CHECKING:
    from arrowjag._array import JaggedArray

__all__ = ["GroupMethods"]


def _contains_rows(ndim: int, arguments: Mapping[str, Any]) -> Rows:
    """Row rule of `contains`: a reduction to a single row takes the rows of the values."""
    rows = over_axis(ndim, arguments)
    return Rows.MOVED if rows is Rows.REDUCED and hasattr(arguments.get("v"), "ndim") else rows


def _flat_set(values: Any, leaf: pa.DataType) -> Any:
    """Drop Python values that no item can equal; other arguments are returned unchanged."""
    return elementwise.members_like(values, leaf) if isinstance(values, (set, frozenset, list, tuple)) else values


class GroupMethods(ArrayBase):
    """Operations on equal items within rows."""

    __slots__ = ()

    @method("by", rows=changing_axis)
    def unique(self, axis: Any = -1, *, by: Any = None) -> JaggedArray:
        """Return the distinct items of each row, or the first item of each key.

        Parameters
        ----------
        axis : int, tuple of int or None
            The dim to work along; several trailing dims are flattened to one row first, None flattens all. Along an outer axis
            whole inner rows are the items. As in `numpy.unique`, they are compared as lists.
        by : JaggedArray or array, optional
            Keys to compare instead of the items themselves, broadcast by the prefix rule. Along an outer axis keys have the dims up
            to that axis.

        Returns
        -------
        JaggedArray
            Of the same type, in order of first appearance; nulls are dropped, NaN equals NaN and -0.0 equals 0.0. With `by`,
            the first item of each key, null or not; all null keys count as one key. A null row stays null; a declared extent of
            the dim is dropped. Cost: one hash lookup per item, or less in short rows.

        Raises
        ------
        JagTypeError
            If the type of the items, or of `by`, can't be compared, or if `by` is a text, as for the name of a field.
        ShapeError
            If the shape of `by` is not a prefix of this shape.

        Examples
        --------
        >>> import arrowjag as aj
        >>> origin = aj.array([["JFK", "EWR", "JFK", None], [], None])
        >>> origin.unique().to_list()
        [['JFK', 'EWR'], [], None]
        >>> aj.array([[1, 2], [3], [1, 2]]).unique(axis=0).to_list()
        [[1, 2], [3]]
        >>> aj.array([["a1", "b1", "a2"]]).unique(by=[["a", "b", "a"]]).to_list()
        [['a1', 'b1']]
        """
        return self._wrap(_ops.unique(self, axis) if by is None else by_key.unique_by(self, as_keys(by, "unique"), axis))

    @method(rows=changing_axis)
    def value_counts(self, axis: Any = -1) -> JaggedArray:
        """Count the distinct items of each row.

        Parameters
        ----------
        %(axis_of_trees)s

        Returns
        -------
        JaggedArray
            Structs with the fields `value`, of the leaf's type, and `count`, int64, in order of first appearance; nulls are not
            counted. Along an outer axis `value` is a list. A null row stays null; an extent of the dim is dropped. Cost: one
            hash lookup per item, or less in short rows.

        %(not_compared)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> item = aj.array([["egg", "ham", "egg"], []])
        >>> item.value_counts().to_list()
        [[{'value': 'egg', 'count': 2}, {'value': 'ham', 'count': 1}], []]
        """
        return self._wrap(_ops.value_counts(self, axis))

    @method("*keys", rows=changing_axis)
    def group_by(self, *keys: Any, axis: Any = -1) -> JaggedArray:
        """Group the items of each row by equal keys; adds a dim.

        Parameters
        ----------
        *keys : JaggedArray or array
            Items are in one group if all their keys are equal; keys of fewer dims are broadcast by the prefix rule. Without keys,
            items are grouped by their own value.
        axis : int, tuple of int or None
            The dim to work along; several trailing dims are flattened to one row first, None flattens all. Along an outer axis
            whole inner rows are the items. Keys then have the dims up to that axis.

        Returns
        -------
        JaggedArray
            The groups of each row, in a new dim. Groups are in the order of their first items, and items of a group in the order of
            their positions. Items with a null key are dropped, and null items with a key are kept. NaN equals NaN, and -0.0 equals
            0.0. A row that is null in the array or in a key is null. Cost: one hash lookup per item, or less in short rows, and one
            gather; for several keys without numba, one sort of each row per key.

        Raises
        ------
        ShapeError
            If a key has more dims than the axis, or other sizes.
        JagTypeError
            If a key's type can't be compared, or if a key is a text, as for the name of a field.

        Notes
        -----
        Corresponds to Koda's `group_by`; here all NaN form one group.

        Examples
        --------
        >>> import arrowjag as aj
        >>> delay, carrier = aj.array([[5, 70, 12, 8], [3]]), aj.array([["AA", "UA", "AA", None], ["AA"]])
        >>> delay.group_by(carrier).to_list()
        [[[5, 12], [70]], [[3]]]
        >>> aj.array([[1, 2], [3], [4]]).group_by(["u", "v", "u"], axis=0).to_list()
        [[[1, 2], [4]], [[3]]]
        """
        return self._wrap(composed.group_by(self, [as_keys(key, "group_by") for key in keys], axis))

    @method("*keys", rows=changing_axis)
    def group_by_indices(self, *keys: Any, sort: bool = False, axis: Any = -1) -> JaggedArray:
        """Group the items of each row by equal keys and return their positions in the row; adds a dim.

        Parameters
        ----------
        *keys : JaggedArray or array
            As in `group_by`; without keys, items are grouped by their own value.
        sort : bool
            Whether to order groups by key, NaN last, instead of by first appearance.
        axis : int, tuple of int or None
            The dim to work along; several trailing dims are flattened to one row first, None flattens all. Along an outer axis
            whole inner rows are the items. Keys then have the dims up to that axis.

        Returns
        -------
        JaggedArray
            int64 positions, ascending within a group. Items with a null key are dropped; a null row stays null. Cost: one
            hash lookup per item, or less in short rows; with `sort`, one sort of each row per key.

        Raises
        ------
        ShapeError
            If a key has more dims than the axis, or other sizes.
        JagTypeError
            If a key's type can't be compared, or if a key is a text, as for the name of a field.

        Notes
        -----
        Corresponds to Koda's `group_by_indices`.

        Examples
        --------
        >>> import arrowjag as aj
        >>> x = aj.array([["b", "a", "b", None]])
        >>> x.group_by_indices().to_list(), x.group_by_indices(sort=True).to_list()
        ([[[0, 2], [1]]], [[[1], [0, 2]]])
        """
        return self._wrap(composed.group_by_indices(self, [as_keys(key, "group_by_indices") for key in keys], sort, axis))

    @method("v", rows=_contains_rows)
    def contains(self, v: Any, axis: Any = -1) -> ArrayOrScalar:
        """Return whether each row contains a value.

        Parameters
        ----------
        v : scalar, JaggedArray or array
            One value for all rows, one per row, or several per row: its outer dims equal the dims above the rows.
        axis : int, tuple of int or None
            The dim to search; several trailing dims are treated as one row, None treats all dims as one row. Along an outer
            axis the items at the same position are one row.

        Returns
        -------
        JaggedArray or pa.Scalar
            Booleans, one per row, or in the shape of `v`. NaN equals NaN and -0.0 equals 0.0; a null value or a null row gives
            null; a null item equals nothing. Cost: one pass for a scalar, else one hash lookup per item and per value.

        Raises
        ------
        ShapeError
            If the outer dims of `v` differ from the dims above the rows.
        %(unlike_values_compared)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> tags = aj.array([["red", "blue"], ["green"], None])
        >>> tags.contains("blue").to_list(), tags.contains(["red", "grey", "red"]).to_list()
        ([True, False, None], [True, False, None])
        """
        return self._wrap(_ops.contains(self, operand(v, self.type, "contains", by_value=True), axis))

    def __contains__(self, item: object) -> bool:
        """Whether one of the items equals a value; Python's default would compare Arrow scalars, which equal no Python value."""
        if self.ndim == 1 and item is None:
            return self.null_count > 0
        found = self.contains(item) if self.ndim == 1 else self
        if not isinstance(found, pa.Scalar):
            raise JagTypeError(
                f"`in` takes one value and an array of 1 dim, got {type(item).__name__} and {plural(self.ndim, 'dim')}; "
                "x.contains(v) tells for each row, and (x == v).any(axis=None) for all items"
            )
        return bool(found.as_py())

    @method("values", rows=set_rows("values"))
    def is_in(self, values: Any) -> JaggedArray:
        """Return whether each item is in a set.

        Parameters
        ----------
        values : set, list, array or JaggedArray
            With one dim, one set for all items; with more dims, each row is the set for the items of the corresponding row.

        Returns
        -------
        JaggedArray
            Booleans of the same shape; a null item gives null, and so does a null row of either. A null in the set equals nothing;
            NaN equals NaN and -0.0 equals 0.0. Cost: one hash lookup per item, or less in short rows.

        Raises
        ------
        ShapeError
            If the dims above the rows of the sets differ from the outer dims of the array.
        %(unlike_values_compared)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> x = aj.array([[1, 2, None], [3]])
        >>> x.is_in({2, 3}).to_list(), x.is_in([[1], [2, 4]]).to_list()
        ([[False, True, None], [True]], [[True, False, None], [False]])
        """
        return self._wrap(_ops.is_in(self, column_like(_flat_set(values, self.type), self.type, "is_in")))

    @method("y", rows=changing_axis)
    def union(self, y: Any, axis: Any = -1) -> JaggedArray:
        """Return the distinct items of each row of this array, followed by those of the same row of another array.

        Parameters
        ----------
        %(other_rows)s
        %(axis_of_trees)s

        Returns
        -------
        JaggedArray
            Of the common type, decimal128(20, 0) for int64 with uint64, that of the times for dates with times without a zone, in
            order of first appearance; nulls are dropped, NaN equals NaN and -0.0 equals 0.0. A row that is null in either is null;
            a declared extent of the dim is dropped. Cost: one hash lookup per item of both, or less in short rows.

        %(set_errors)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[2, 1, 2], []]).union([[3, 1], [4]]).to_list()
        [[2, 1, 3], [4]]
        """
        return self._wrap(_ops.set_operation("union", self, column_like(y, self.type, "union"), axis))

    @method("y", rows=changing_axis)
    def intersection(self, y: Any, axis: Any = -1) -> JaggedArray:
        """Return the distinct items of each row that are also in the same row of another array.

        Parameters
        ----------
        %(other_rows)s
        %(axis_of_trees)s

        %(set_result)s

        %(set_errors)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[2, 1, 2], []]).intersection([[3, 1], [4]]).to_list()
        [[1], []]
        """
        return self._wrap(_ops.set_operation("intersection", self, column_like(y, self.type, "intersection"), axis))

    @method("y", rows=changing_axis)
    def difference(self, y: Any, axis: Any = -1) -> JaggedArray:
        """Return the distinct items of each row that are not in the same row of another array.

        Parameters
        ----------
        %(other_rows)s
        %(axis_of_trees)s

        %(set_result)s

        %(set_errors)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[2, 1, 2], []]).difference([[3, 1], [4]]).to_list()
        [[2], []]
        """
        return self._wrap(_ops.set_operation("difference", self, column_like(y, self.type, "difference"), axis))

    @method("y", rows=changing_axis)
    def symmetric_difference(self, y: Any, axis: Any = -1) -> JaggedArray:
        """Return the distinct items that are in a row of this array or in the same row of another, but not in both.

        Parameters
        ----------
        %(other_rows)s
        %(axis_of_trees)s

        Returns
        -------
        JaggedArray
            Of the common type, those of this array first, each in order of first appearance; nulls are dropped, NaN equals NaN and
            -0.0 equals 0.0. A row that is null in either is null; a declared extent of the dim is dropped. Cost: that of two
            differences.

        %(set_errors)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[2, 1, 2], []]).symmetric_difference([[3, 1], [4]]).to_list()
        [[2, 3], [4]]
        """
        return self._wrap(_ops.set_operation("symmetric_difference", self, column_like(y, self.type, "symmetric_difference"), axis))

    @method("keys_from", "values_from", rows=set_rows("keys_from"))
    def translate(self, keys_from: Any, values_from: Any = None, axis: Any = -1) -> JaggedArray:
        """Look up each item in a dictionary, and replace it by the value found.

        Parameters
        ----------
        keys_from : JaggedArray, array or dict
            Each row holds the distinct keys of one dictionary, and possibly nulls; with one dim there is one dictionary for all
            items. Its dims above the rows equal the outer dims of this array. A dict holds the keys and values for all items.
        values_from : JaggedArray or array, optional
            The values, in the shape of the keys or broadcast to it by the prefix rule. None with a dict.
        axis : int, tuple of int or None
            The dim of the keys whose rows are dictionaries; several trailing dims form one dictionary, None makes one
            dictionary of all keys. Along an outer axis the keys at the same position form a dictionary, and the outer
            dims of this array are the dims of those positions.

        Returns
        -------
        JaggedArray
            Of the shape of this array and the type of the values; null if no key equals the item, for a null item, and in rows
            that are null in any argument. NaN equals NaN. Cost: one hash lookup per item and per key.

        Raises
        ------
        JagValueError
            If a key occurs twice in a row (the message names the row), or a text beside times or durations can't be read as one.
        ShapeError
            If the dims above the rows of the keys differ from the outer dims of the array.
        JagTypeError
            If items and keys have no common type, or `values_from` is missing or given with a dict.

        Notes
        -----
        Corresponds to Koda's `translate`; floats are supported too. `replace` keeps items without a key, and the type.

        Examples
        --------
        >>> import arrowjag as aj
        >>> x = aj.array([["a", "d"], ["c", None]])
        >>> x.translate([["a", "b"], ["c", None]], [[1, 2], [3, 4]]).to_list()
        [[1, None], [3, None]]
        >>> x.translate(["a", "c"], [10, 20]).to_list(), x.translate({"a": 10, "c": 20}).fill_null(0).to_list()
        ([[10, None], [20, None]], [[10, 0], [20, 0]])
        >>> x.translate([["a"], ["c", "d"]], [[1], [3, 4]], axis=None).to_list()
        [[1, 4], [3, None]]
        """
        if isinstance(keys_from, Mapping):
            if values_from is not None:
                raise JagTypeError("translate: a dict holds keys and values, but values_from is given too; write x.translate(dict)")
            keys_from, values_from = list(keys_from), list(keys_from.values())
        elif values_from is None:
            raise JagTypeError("translate: values_from is missing; write x.translate(keys, values), or x.translate(dict)")
        return self._wrap(_ops.translate(self, column_like(keys_from, self.type, "translate"), as_column(values_from), axis))

    @method(rows=changing_axis)
    def combinations(self, n: int, axis: Any = -1) -> JaggedArray:
        """Return all combinations of `n` items of each row; adds a dim of declared extent `n`.

        Parameters
        ----------
        n : int
            Number of items per combination, at least 1.
        %(axis_of_trees)s

        Returns
        -------
        JaggedArray
            With one more dim; combinations are in the order of `itertools.combinations`. Rows shorter than `n` become empty, a null
            row stays null, null items count as items. Cost: one gather of all combinations.

        Raises
        ------
        JagValueError
            If `n` is less than 1.
        JagTypeError
            If `n` is not an int.
        JagMemoryError, JagOverflowError
            If the combinations don't fit into memory.

        Examples
        --------
        >>> import arrowjag as aj
        >>> item = aj.array([["ham", "egg", "jam"], ["tea"]])
        >>> item.combinations(2).to_list()
        [[['ham', 'egg'], ['ham', 'jam'], ['egg', 'jam']], []]
        """
        return self._wrap(composed.combinations(self, n, axis))

    @method(rows=changing_axis)
    def argcombinations(self, n: int, axis: Any = -1) -> JaggedArray:
        """Return the positions of all combinations of `n` items of each row; adds a dim of declared extent `n`.

        Parameters
        ----------
        n : int
            Number of items per combination, at least 1.
        %(axis_of_trees)s

        Returns
        -------
        JaggedArray
            int64 positions in the row, in the order of `combinations`. Rows shorter than `n` become empty, a null row stays null,
            null items count as items. Cost: one pass over all combinations.

        Raises
        ------
        JagValueError
            If `n` is less than 1.
        JagTypeError
            If `n` is not an int.
        JagMemoryError, JagOverflowError
            If the combinations don't fit into memory.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([["a", "b", "c"], ["d"]]).argcombinations(2).to_list()
        [[[0, 1], [0, 2], [1, 2]], []]
        """
        return self._wrap(composed.argcombinations(self, n, axis))

    @method("y", rows=changing_axis)
    def pairs(self, y: Any, axis: Any = -1) -> JaggedArray:
        """Return the Cartesian product of each row with the same row of another array; adds a dim of declared extent 2.

        Parameters
        ----------
        %(other_rows)s
        %(axis_of_trees)s

        Returns
        -------
        JaggedArray
            Of the common type, with one more dim; the item of `y` varies fastest. A row that is null in either is null; null items
            count as items. Cost: one gather of all pairs.

        Raises
        ------
        ShapeError
            If the dims differ.
        %(unlike_items)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2], [3]]).pairs([[8, 9], []]).to_list()
        [[[1, 8], [1, 9], [2, 8], [2, 9]], []]
        """
        return self._wrap(composed.pairs(self, as_column(y), axis))
