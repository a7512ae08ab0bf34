"""Methods on the order of items within rows: sort, argsort, rank, topk, reverse, searchsorted, shuffle and sample."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from arrowjag._array.base import ArrayBase, as_column, as_keys, operand
from arrowjag._column import Column
from arrowjag._methods import along_axis, changing_axis, looking_up, method
from arrowjag._ops import order as _ops
from arrowjag._ops import sets
from arrowjag.typing import RankMethod

if TYPE_CHECKING:
    from arrowjag._array import JaggedArray

__all__ = ["OrderMethods"]


class OrderMethods(ArrayBase):
    """Operations on the order of items within rows."""

    __slots__ = ()

    @method("by", rows=changing_axis)
    def sort(self, descending: bool = False, by: Any = None, axis: Any = -1) -> JaggedArray:
        """Sort the items of each row.

        Parameters
        ----------
        descending : bool
            Whether to sort from the largest to the smallest.
        by : JaggedArray or array, optional
            Keys to sort by instead of the items themselves, broadcast by the prefix rule.
        axis : int, tuple of int or None
            The dim to work along; several trailing dims are treated as one row, None treats all dims as one row. Along an outer
            axis the items at the same position are one row; keys with only the dims up to that axis move whole inner rows.

        Returns
        -------
        JaggedArray
            The sorted items in an array of the same type, which shares the shape of this one unless whole rows move. Nulls come
            last and NaN just before them, in both directions. -0.0 equals 0.0, and the sort is stable. A null row stays null. Cost:
            a sort of each row, with rows of equal length together, on all cores.

        %(no_order)s
        ShapeError
            If the shape of `by` is not a prefix of this shape.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[3, None, 1], [2], []]).sort(descending=True).to_list()
        [[3, 1, None], [2], []]
        >>> aj.array([["pear", "fig", "apple"]]).sort(by=[[2, 3, 1]]).to_list()
        [['apple', 'pear', 'fig']]
        >>> aj.array([[3, 1], [2]]).sort(axis=0).to_list()
        [[2, 1], [3]]
        >>> aj.array([[3, 1], [2]]).sort(by=[9, 8], axis=0).to_list()
        [[2], [3, 1]]
        """
        return self._wrap(_ops.sort(self, descending, None if by is None else as_keys(by, "sort"), axis))

    @method(rows=changing_axis)
    def argsort(self, descending: bool = False, axis: Any = -1) -> JaggedArray:
        """Return the positions that sort each row.

        Parameters
        ----------
        descending : bool
            Whether to sort from the largest to the smallest.
        axis : int, tuple of int or None
            The dim to work along; several trailing dims are treated as one row, None treats all dims as one row, and the result
            holds positions in that row. Along an outer axis the items at the same position are one row, and the result holds
            positions along that axis.

        Returns
        -------
        JaggedArray
            int64, of the same shape: ``x.take(x.argsort())`` equals ``x.sort()``. Nulls come last and NaN just before them, in both
            directions; the sort is stable. A null row stays null. Cost: a sort of each row.

        %(no_order)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[3, None, 1], [2]]).argsort().to_list()
        [[2, 0, 1], [0]]
        """
        return self._wrap(_ops.argsort(self, descending, axis))

    @method("tie_breaker", rows=along_axis)
    def rank(
        self,
        method: RankMethod = "ordinal",
        descending: bool = False,
        axis: Any = -1,
        *,
        tie_breaker: Any = None,
        pct: bool = False,
    ) -> JaggedArray:
        """Rank each item within its row, from 1.

        Parameters
        ----------
        method : {"ordinal", "dense", "min", "max", "average"}
            The rank of equal items: by position; one rank without gaps; the least, the largest or the mean of their positions.
        descending : bool
            Whether the largest item has rank 1.
        %(axis_along)s
        tie_breaker : JaggedArray or array, optional
            Orders equal items for method "ordinal", ascending in both directions; broadcast to the items by the prefix rule. NaN
            comes last; an item whose tie breaker is null has no rank.
        pct : bool
            Whether to divide ranks by the number of ranked items of the row, for "dense" by the number of distinct ones.

        Returns
        -------
        JaggedArray
            int64, float64 for "average" and with `pct`, of the same shape. A null has no rank: it stays null, and so does a null
            row. NaN ranks after all numbers, in both directions, and equals NaN. Cost: a sort of each row.

        Raises
        ------
        JagValueError
            If the method is unknown, or a tie breaker is given for a method other than "ordinal".
        JagTypeError
            If the leaf type has no order.
        ShapeError
            If the shape of the tie breaker is not a prefix of this array's.

        Notes
        -----
        Ranks start at 1, as in pandas, polars and SQL; Koda's start at 0. Koda's `tie_breaker` takes integers only.

        Examples
        --------
        >>> import arrowjag as aj
        >>> x = aj.array([[20, 10, None, 20], [5]])
        >>> x.rank().to_list()
        [[2, 1, None, 3], [1]]
        >>> x.rank("average").to_list()
        [[2.5, 1.0, None, 2.5], [1.0]]
        >>> x.rank(tie_breaker=[[2, 0, 0, 1], [0]]).to_list()
        [[3, 1, None, 2], [1]]
        >>> aj.array([[20, 10], [5]]).rank(pct=True).to_list()
        [[1.0, 0.5], [1.0]]
        """
        ties = None if tie_breaker is None else as_keys(tie_breaker, "rank")
        return self._wrap(_ops.rank(self, method, descending, axis, ties, pct=pct))

    @method("by", rows=changing_axis)
    def topk(self, k: int, axis: Any = -1, *, by: Any = None, descending: bool = True) -> JaggedArray:
        """Return the `k` largest items of each row, largest first, or the items with the `k` largest keys.

        Parameters
        ----------
        k : int
            Number of items, at least 0.
        axis : int, tuple of int or None
            The last dim, or several trailing dims, which are flattened to one row first; None flattens all. Along an outer axis the
            items at the same position are one row, and the result holds the largest of each position first, then the second.
        by : JaggedArray or array, optional
            Keys to order by instead of the items themselves, broadcast by the prefix rule. Along an outer axis keys have the dims
            up to that axis, and whole inner rows are taken.
        descending : bool
            Whether the largest come first; False takes the smallest, as `bottomk`.

        Returns
        -------
        JaggedArray
            The head of the sort: shorter rows are kept whole, nulls come last and NaN just before them, in both directions; of
            equal keys the first. A null row stays null; along an outer axis the null rows of a position come last, as null items
            do. A declared extent of the dim is dropped. Cost: a sort of each row, for long rows one pass and a sort of few items;
            along an outer axis one more per dim below it.

        Raises
        ------
        JagValueError
            If `k` is negative.
        JagTypeError
            If the type of the items, or of `by`, has no order, or if `by` is a text, as for the name of a field.
        ShapeError
            If the shape of `by` is not a prefix of this shape.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 5, 3], [2], []]).topk(2).to_list()
        [[5, 3], [2], []]
        >>> player, points = aj.array([["Ann", "Bob", "Cem"], ["Dora"]]), aj.array([[1, 5, 3], [2]])
        >>> player.topk(2, by=points).to_list()
        [['Bob', 'Cem'], ['Dora']]
        >>> aj.array([[1], [5, 3], [2, 4]]).topk(2, axis=0).to_list()
        [[5, 4], [2, 3]]
        """
        return self._wrap(_ops.topk(self, k, axis, None if by is None else as_keys(by, "topk"), descending))

    @method("by", rows=changing_axis)
    def bottomk(self, k: int, axis: Any = -1, *, by: Any = None) -> JaggedArray:
        """Return the `k` smallest items of each row, smallest first, or the items with the `k` smallest keys.

        Parameters
        ----------
        k : int
            Number of items, at least 0.
        axis : int, tuple of int or None
            As in `topk`.
        by : JaggedArray or array, optional
            Keys to order by instead of the items themselves, broadcast by the prefix rule.

        Returns
        -------
        JaggedArray
            The head of the ascending sort: shorter rows are kept whole, nulls come last and NaN just before them; of equal keys
            the first. A null row stays null; a declared extent of the dim is dropped. Cost: that of `topk`.

        Raises
        ------
        JagValueError
            If `k` is negative.
        JagTypeError
            If the type of the items, or of `by`, has no order, or if `by` is a text, as for the name of a field.
        ShapeError
            If the shape of `by` is not a prefix of this shape.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[4, None, 1, 3], [2]]).bottomk(2).to_list()
        [[1, 3], [2]]
        """
        return self._wrap(_ops.topk(self, k, axis, None if by is None else as_keys(by, "bottomk"), False, "bottomk"))

    @method(rows=changing_axis)
    def reverse(self, axis: Any = -1) -> JaggedArray:
        """Reverse the items of each row, nulls included.

        Parameters
        ----------
        axis : int, tuple of int or None
            The dim to reverse; several trailing dims are treated as one row, None treats all dims as one row. Along an outer
            axis the order of the inner rows is reversed, as in `numpy.flip`, and each row stays as it is.

        Returns
        -------
        JaggedArray
            Of the same type; a null row stays null. Cost: one gather.

        Examples
        --------
        >>> import arrowjag as aj
        >>> x = aj.array([[1, 2, None], [3]])
        >>> x.reverse().to_list(), x.reverse(axis=0).to_list()
        ([[None, 2, 1], [3]], [[3], [1, 2, None]])
        """
        return self._wrap(_ops.reverse(self, axis))

    @method(rows=along_axis)
    def inverse_permutation(self, axis: Any = -1) -> JaggedArray:
        """Invert the positions held by each row: ``out[p[i]] = i``.

        Parameters
        ----------
        axis : int, tuple of int or None
            The dim to work along; several trailing dims are treated as one row, None treats all dims as one row. Along an outer
            axis the items at the same position are one row, and positions are those along that axis.

        Returns
        -------
        JaggedArray
            Of the same shape and type. Nulls are skipped; a position that no item holds gets null; a null row stays null. Cost:
            one scatter.

        Raises
        ------
        JagValueError
            If a position is out of range for its row, or occurs twice in it; the message names position and row.
        JagOverflowError
            If the leaf type is too narrow for the positions of a row.
        JagTypeError
            If the leaves are not integers.

        Notes
        -----
        Corresponds to Koda's `inverse_mapping`.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2, 0], [1, None]]).inverse_permutation().to_list()
        [[2, 0, 1], [None, 0]]
        """
        return self._wrap(_ops.inverse_permutation(self, axis))

    @method("y", rows=looking_up("y"))
    def searchsorted(self, y: Any, side: Literal["left", "right"] = "left", axis: Any = -1) -> JaggedArray:
        """Return the positions at which inserting items keeps the rows of this array sorted.

        Parameters
        ----------
        y : JaggedArray, array or scalar
            The items to insert: one for all rows, one per row, or several per row. The outer dims equal the dims above this array's
            rows.
        side : {"left", "right"}
            Whether to insert before or after equal items.
        axis : int, tuple of int or None
            The dim of this array that is sorted; several trailing dims are treated as one row, None treats all dims as one row.
            Along an outer axis the items at the same position are one row, and the outer dims of `y` are the dims of
            those positions.

        Returns
        -------
        JaggedArray
            int64, in the shape of `y`: positions from 0 to the number of valid items of the row. A null item gives null, and so
            does a null row of either. NaN is greater than all numbers. Cost: one binary search per item.

        Raises
        ------
        ShapeError
            If the outer dims of `y` differ from the dims above the rows.
        JagTypeError
            If the leaf types have no common type, or no order.
        JagValueError
            If a null stands before an item of its row, or a text beside times or durations can't be read as one.

        Notes
        -----
        Rows must be sorted, nulls last, as by `sort` along the same axis. The order of the items is not checked; `is_sorted` does.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[10, 20, 30], [5]]).searchsorted([[5, 20, 99], [5]]).to_list()
        [[0, 1, 3], [0]]
        >>> aj.array([[10, 20, 30], [5]]).searchsorted([25, 6], side="right").to_list()
        [2, 1]
        >>> aj.array([[1, 10], [3], [5, 20]]).searchsorted([4, 15], axis=0).to_list()
        [2, 1]
        """
        sought = operand(y, self.type, "searchsorted", by_value=True)
        return self._wrap(sets.searchsorted(self, sought if isinstance(sought, Column) else as_column(sought), side, axis))

    @method(rows=changing_axis, seeded=True)
    def shuffle(self, seed: int, axis: Any = -1) -> JaggedArray:
        """Shuffle the items of each row.

        Parameters
        ----------
        seed : int
            The same seed gives the same order for the same shape.
        axis : int, tuple of int or None
            The dim to shuffle; several trailing dims are treated as one row, None treats all dims as one row. Along an outer
            axis whole inner rows move.

        Returns
        -------
        JaggedArray
            Of the same type; a null row stays null. Cost: a sort of each row by random keys, and one gather.

        Raises
        ------
        JagTypeError
            If the seed is not an int.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2, 3, 4], [5]]).shuffle(seed=2).to_list()
        [[3, 2, 4, 1], [5]]
        """
        return self._wrap(_ops.shuffle(self, seed, axis))

    @method("n", "weights", rows=changing_axis, seeded=True)
    def sample(
        self, *, fraction: float | None = None, n: Any = None, seed: int, axis: Any = -1, weights: Any = None
    ) -> JaggedArray:
        """Sample items of each row at random, keeping their order.

        Parameters
        ----------
        fraction : float, optional
            The probability of keeping an item, from 0 to 1; the number of items kept per row varies.
        n : int or array of int, optional
            Number of items to keep, for all rows or per row; shorter rows keep all. Give either `n` or `fraction`.
        seed : int
            The same seed gives the same choice for the same shape.
        %(axis_of_trees)s
        weights : JaggedArray or array of numbers, optional
            Only with `n`: items are drawn one after the other, each with a probability proportional to its weight among the
            remaining items. Broadcast to the items by the prefix rule. An item whose weight is 0 or null is never drawn.

        Returns
        -------
        JaggedArray
            Of the same type; a declared extent of the dim is dropped. A null row stays null, and a null `n` makes its row null.
            Cost: one pass, and with `n` a sort of each row by random keys.

        Raises
        ------
        JagValueError
            If not exactly one of `fraction` and `n` is given, or it is out of range; if weights come with `fraction`, or one is
            negative.
        JagTypeError
            If an argument is of the wrong type.
        ShapeError
            If the shape of `n` is not a prefix of the dims above the axis, or that of `weights` no prefix of this shape.

        Notes
        -----
        Corresponds to Koda's `sample` and `sample_n`.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2, 3, 4], [5]]).sample(n=2, seed=2).to_list()
        [[2, 3], [5]]
        >>> aj.array([[1, 2, 3, 4], [5]]).sample(fraction=1.0, seed=1).to_list()
        [[1, 2, 3, 4], [5]]
        """
        plain = n is None or (type(n) is int and abs(n) < 2**63)
        wanted = n if plain else operand(n, None, "sample")
        amounts = None if weights is None else as_keys(weights, "sample", "weight")
        return self._wrap(_ops.sample(self, fraction, wanted, seed, axis, amounts))
