"""Methods that change some items of rows (replace, remove, append, insert, splice, rotate), and runs and windows of items."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from arrowjag._array.base import ArrayBase, operand
from arrowjag._array.indexing import amount
from arrowjag._column import Column
from arrowjag._methods import along_axis, changing_axis, method
from arrowjag._ops import edits as _ops
from arrowjag._ops import elementwise, structure
from arrowjag.errors import JagTypeError, JagValueError

if TYPE_CHECKING:
    from arrowjag._array import JaggedArray

__all__ = ["EditMethods"]


class _Missing:
    """The default of an argument for which None is a value."""

    def __repr__(self) -> str:
        return "<no value>"


_MISSING: Any = _Missing()


class EditMethods(ArrayBase):
    """Operations that put items into rows, take them out or exchange them."""

    __slots__ = ()

    @method()
    def replace(self, old: Any, new: Any = _MISSING) -> JaggedArray:
        """Replace items that equal a value.

        Parameters
        ----------
        old : scalar, list or dict
            A value, a list of values, or a dict of old to new values. None means nulls.
        new : scalar or list
            The replacement: one value, or for a list `old` one value for all or a list of equal length. None gives nulls.

        Returns
        -------
        JaggedArray
            Of the same shape, which is shared, and the same leaf type; items that equal no old value stay. NaN equals NaN and -0.0
            equals 0.0. Null rows stay null, empty rows empty. Cost: one pass per value, for many values one hash lookup per item.

        Raises
        ------
        JagTypeError
            If a new value does not fit the leaf type, or an old one can't be compared with it.
        JagValueError
            If the lists differ in length, an old value occurs twice, or a text beside times or durations can't be read as one.

        Notes
        -----
        `translate` looks items up in arrays, and its result has the type of the values.

        Examples
        --------
        >>> import arrowjag as aj
        >>> x = aj.array([[1, -1, None], [2]])
        >>> x.replace(-1, None).to_list(), x.replace({1: 10, None: 0}).to_list()
        ([[1, None, None], [2]], [[10, -1, 0], [2]])
        """
        olds, news = _pairs(old, new)
        return self._wrap(_ops.replace(self, olds, news))

    @method("v", rows=changing_axis)
    def remove(self, v: Any) -> JaggedArray:
        """Drop the items of each innermost row that equal a value.

        Parameters
        ----------
        v : scalar, JaggedArray or array
            One value for all rows, or one per row: an array of fewer dims, broadcast by the prefix rule. None drops nulls.

        Returns
        -------
        JaggedArray
            Of the same type; other items are kept, nulls among them. NaN equals NaN and -0.0 equals 0.0. A null row stays null; a
            declared extent of the innermost dim is dropped. Cost: one pass.

        Raises
        ------
        ShapeError
            If `v` has as many dims as the items.
        %(unlike_values_compared)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> x = aj.array([[5, 7, 5], [None, 7], None])
        >>> x.remove(5).to_list(), x.remove([7, None, 0]).to_list()
        ([[7], [None, 7], None], [[5, 5], [7], None])
        """
        structure.check_rows(self.ndim, "remove")
        return self._wrap(_ops.remove(self, operand(v, self.type, "remove", by_value=True)))

    @method("v", rows=changing_axis)
    def append(self, v: Any) -> JaggedArray:
        """Append one item to each innermost row.

        Parameters
        ----------
        v : scalar, JaggedArray or array
            One item for all rows, or one per row: an array of fewer dims, broadcast by the prefix rule. None appends a null.

        Returns
        -------
        JaggedArray
            Of the promoted type. A null row stays null, an empty row has one item; a declared extent grows by one. Cost: one copy.

        Raises
        ------
        ShapeError
            If `v` has as many dims as the items; `aj.concat` joins rows.
        %(unlike_values)s

        Notes
        -----
        For a null row DuckDB's `list_append` returns a row that holds the new item.

        Examples
        --------
        >>> import arrowjag as aj
        >>> x = aj.array([[1, 2], [], None])
        >>> x.append(0).to_list(), x.append([7, 8, 9]).to_list()
        ([[1, 2, 0], [0], None], [[1, 2, 7], [8], None])
        """
        structure.check_rows(self.ndim, "append")
        return self._wrap(_ops.append(self, operand(v, self.type, "append")))

    @method("i", "v", rows=changing_axis)
    def insert(self, i: Any, v: Any) -> JaggedArray:
        """Insert one item into each innermost row before a position.

        Parameters
        ----------
        i : int or array of int
            The position, for all rows or per row; negative counts from the end. It is clamped to the row, as in `list.insert`.
        v : scalar, JaggedArray or array
            One item for all rows, or one per row: an array of fewer dims, broadcast by the prefix rule. None inserts a null.

        Returns
        -------
        JaggedArray
            Of the promoted type. A null row stays null, and a null position makes its row null; an empty row has one item; a
            declared extent grows by one. Cost: one copy.

        Raises
        ------
        ShapeError
            If an argument has as many dims as the items.
        JagTypeError
            If positions are not integers, or the types have no common type.
        %(unfit_value)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> x = aj.array([[1, 2, 3], [], None])
        >>> x.insert(1, 0).to_list(), x.insert([-1, 5, 0], [7, 8, 9]).to_list()
        ([[1, 0, 2, 3], [0], None], [[1, 2, 7, 3], [8], None])
        """
        structure.check_rows(self.ndim, "insert")
        return self._wrap(_ops.insert(self, amount(i, "insert: i"), operand(v, self.type, "insert")))

    @method("start", "n", "y", rows=changing_axis)
    def splice(self, start: Any, n: Any, y: Any = None) -> JaggedArray:
        """Replace `n` items of each innermost row, from a position on, by other items.

        Parameters
        ----------
        start : int or array of int
            The first position, for all rows or per row; negative counts from the end. It is clamped to the row.
        n : int or array of int
            Number of items to remove, at least 0. If fewer items follow `start`, all of these are removed.
        y : JaggedArray, array or scalar, optional
            The items to insert: rows of the same ndim and of any sizes; an array of fewer dims or a scalar gives one item per
            row. By default no items are inserted.

        Returns
        -------
        JaggedArray
            Of the promoted type. A row that is null in this array or in `y` is null, and so is a row with a null position or
            number; a declared extent of the innermost dim is dropped. Cost: one copy.

        Raises
        ------
        JagValueError
            If `n` is negative; the message names the row.
        ShapeError
            If the dims above the rows differ.
        JagTypeError
            If positions are not integers, or the types have no common type.
        %(unfit_value)s

        Notes
        -----
        Works like JavaScript's `splice`, but returns a new array.

        Examples
        --------
        >>> import arrowjag as aj
        >>> x = aj.array([[1, 2, 3, 4], [5]])
        >>> x.splice(1, 2, aj.array([[8, 9, 9], []])).to_list(), x.splice(-1, 1).to_list()
        ([[1, 8, 9, 9, 4], [5]], [[1, 2, 3], []])
        """
        structure.check_rows(self.ndim, "splice")
        items = None if y is None else operand(y, self.type, "splice")
        return self._wrap(_ops.splice(self, amount(start, "splice: start"), amount(n, "splice: n"), items))

    @method("n", rows=along_axis)
    def rotate(self, n: Any) -> JaggedArray:
        """Rotate the items of each innermost row to the right: items that leave at the end re-enter at the front.

        Parameters
        ----------
        n : int or array of int
            Number of slots, for all rows or per row; negative moves to the left.

        Returns
        -------
        JaggedArray
            Of the same shape and type. A null row stays null, and a null `n` makes its row null. Cost: one copy.

        Raises
        ------
        ShapeError
            If `n` has as many dims as the items.
        JagTypeError
            If `n` does not hold integers.

        Notes
        -----
        Equals `numpy.roll` of each row.

        Examples
        --------
        >>> import arrowjag as aj
        >>> x = aj.array([[1, 2, 3], [4, 5]])
        >>> x.rotate(1).to_list(), x.rotate([-1, 2]).to_list()
        ([[3, 1, 2], [5, 4]], [[2, 3, 1], [4, 5]])
        """
        structure.check_rows(self.ndim, "rotate")
        return self._wrap(_ops.rotate(self, amount(n, "rotate: n")))

    @method(rows=changing_axis)
    def rle(self, axis: Any = -1) -> JaggedArray:
        """Return the runs of equal neighbours of each row: their values and lengths.

        Parameters
        ----------
        %(axis_of_trees)s

        Returns
        -------
        JaggedArray
            Structs with the fields `value`, of the leaf's type, and `length`, int64. Null equals null, NaN equals NaN, -0.0 equals
            0.0. Along an outer axis `value` is a list. A null row stays null, an empty row is empty; a declared extent of the dim
            is dropped. Cost: one pass.

        %(not_compared)s

        Notes
        -----
        If ``r`` is the result, ``r["value"].repeat(r["length"]).flatten(1)`` equals the array.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([["a", "a", "b", "a"], []]).rle().to_list()
        [[{'value': 'a', 'length': 2}, {'value': 'b', 'length': 1}, {'value': 'a', 'length': 1}], []]
        """
        return self._wrap(_ops.rle(self, axis))

    @method(rows=changing_axis)
    def windows(self, size: int, step: int = 1, axis: Any = -1) -> JaggedArray:
        """Return the windows of neighbouring items of each row; adds a dim of declared extent `size`.

        Parameters
        ----------
        size : int
            Number of items per window, at least 1.
        step : int
            Number of items from the start of one window to the start of the next, at least 1.
        %(axis_of_trees)s

        Returns
        -------
        JaggedArray
            With one more dim. It holds whole windows only, so a row shorter than `size` gives an empty row. Null items count as
            items, a null row stays null. Cost: one copy of all windows.

        Raises
        ------
        JagValueError
            If `size` or `step` is less than 1.
        JagTypeError
            If `size` or `step` is not an int.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2, 3, 4], [5]]).windows(2).to_list()
        [[[1, 2], [2, 3], [3, 4]], []]
        >>> aj.array([[1, 2, 3, 4], [5]]).windows(2, step=2).to_list()
        [[[1, 2], [3, 4]], []]
        """
        return self._wrap(_ops.windows(self, size, step, axis))

    @method(rows=changing_axis)
    def n_grams(self, n: int, axis: Any = -1) -> JaggedArray:
        """Return the runs of `n` neighbouring items of each row: ``windows(n)``.

        Parameters
        ----------
        n : int
            Number of items per run, at least 1.
        %(axis_of_trees)s

        Returns
        -------
        JaggedArray
            With one more dim, of declared extent `n`; a row shorter than `n` is empty, a null row stays null. Cost: one copy of all
            runs.

        Raises
        ------
        JagValueError
            If `n` is less than 1.
        JagTypeError
            If `n` is not an int.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([["to", "be", "or", "not"]]).n_grams(3).to_list()
        [[['to', 'be', 'or'], ['be', 'or', 'not']]]
        """
        return self._wrap(_ops.windows(self, n, 1, axis, "n_grams: n"))


def _pairs(old: Any, new: Any) -> tuple[list[Any], list[Any]]:
    """Return the old values and their replacements."""
    old = elementwise.unboxed(old)
    if isinstance(old, Column):
        raise JagTypeError("replace: old is a value, a list of values or a dict, got an array; write aj.where(x == y, new, x)")
    if isinstance(old, Mapping) and not isinstance(old, pa.Scalar):  # the scalar of a struct is a value, though a mapping too
        if new is not _MISSING:
            raise JagTypeError("replace: a dict of old to new values takes no second argument")
        olds, news = list(old), list(old.values())
    elif new is _MISSING:
        raise JagTypeError("replace: new is missing; give a new value, or a dict of old to new values")
    elif isinstance(old, (list, tuple)):
        olds = list(old)
        news = list(new) if isinstance(new, (list, tuple)) else [new] * len(olds)
    else:
        olds, news = [old], [new]
    if len(olds) != len(news):
        raise JagValueError(f"replace: {len(olds)} old values and {len(news)} new ones; give one new value for each")
    return olds, news
