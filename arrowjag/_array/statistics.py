"""Statistics: spread, quantiles, modes and what else sums up a row."""

from __future__ import annotations

from typing import Any

from arrowjag._array.base import ArrayBase, operand
from arrowjag._column import Column
from arrowjag._methods import method, over_axis
from arrowjag._ops import elementwise
from arrowjag._ops import reduce as _ops
from arrowjag.errors import JagTypeError
from arrowjag.typing import ArrayOrScalar

__all__ = ["StatisticMethods"]


class StatisticMethods(ArrayBase):
    """Reductions with options of their own."""

    __slots__ = ()

    @method(rows=over_axis)
    def var(self, axis: Any = -1, *, ddof: int = 1, skip_nulls: bool = True, min_count: int | None = None) -> ArrayOrScalar:
        """The variance of each row.

        Parameters
        ----------
        axis : int, tuple of int or None
            The dim to reduce; several trailing dims are reduced together; None reduces all, an empty tuple none: each item is
            reduced alone. Along an outer axis items at the same local position combine, and the result is as long as the longest
            row, or the declared extent.
        ddof : int
            What is taken off the number of items in the divisor.
        skip_nulls : bool
            Otherwise a null in a row makes its result null.
        min_count : int, optional
            Rows with fewer items that are not null give null.

        Returns
        -------
        JaggedArray or pa.Scalar
            Floats; null where a row has no more than `ddof` items, and for a null row. NaN poisons. Cost: two passes, so large
            means lose nothing.

        Raises
        ------
        JagTypeError
            If the leaf type has no such reduction.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1.0, 3.0], [5.0]]).var(ddof=0).to_list()
        [1.0, 0.0]
        """
        return self._wrap(_ops.spread_of(self, "var", axis, ddof, skip_nulls, min_count))

    @method(rows=over_axis)
    def std(self, axis: Any = -1, *, ddof: int = 1, skip_nulls: bool = True, min_count: int | None = None) -> ArrayOrScalar:
        """The standard deviation of each row.

        Parameters
        ----------
        axis : int, tuple of int or None
            The dim to reduce; several trailing dims are reduced together; None reduces all, an empty tuple none: each item is
            reduced alone. Along an outer axis items at the same local position combine, and the result is as long as the longest
            row, or the declared extent.
        ddof : int
            What is taken off the number of items in the divisor.
        skip_nulls : bool
            Otherwise a null in a row makes its result null.
        min_count : int, optional
            Rows with fewer items that are not null give null.

        Returns
        -------
        JaggedArray or pa.Scalar
            Floats; null where a row has no more than `ddof` items, and for a null row. NaN poisons. Cost: two passes, so large
            means lose nothing.

        Raises
        ------
        JagTypeError
            If the leaf type has no such reduction.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1.0, 3.0], [5.0]]).std(ddof=0).to_list()
        [1.0, 0.0]
        """
        return self._wrap(_ops.spread_of(self, "std", axis, ddof, skip_nulls, min_count))

    @method(rows=over_axis)
    def median(self, axis: Any = -1, *, skip_nulls: bool = True, min_count: int | None = None) -> ArrayOrScalar:
        """The median of each row: the mean of the two middle items where their number is even.

        Parameters
        ----------
        axis : int, tuple of int or None
            The dim to reduce; several trailing dims are reduced together; None reduces all, an empty tuple none: each item is
            reduced alone. Along an outer axis items at the same local position combine, and the result is as long as the longest
            row, or the declared extent.
        skip_nulls : bool
            Otherwise a null in a row makes its result null.
        min_count : int, optional
            Rows with fewer items that are not null give null.

        Returns
        -------
        JaggedArray or pa.Scalar
            Integers give float64, temporals their own type. Null for an empty or null row; NaN poisons. Cost: a partial sort of
            each row.

        Raises
        ------
        JagTypeError
            If the leaf type has no such reduction.

        Notes
        -----
        Koda's median is the lower of the two middle items.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[3, 1, 2], [1, 2], []]).median().to_list()
        [2.0, 1.5, None]
        """
        return self._wrap(_ops.quantile(self, 0.5, "linear", axis, skip_nulls, min_count, "median"))

    @method(rows=over_axis)
    def quantile(
        self, q: float, interpolation: str = "linear", axis: Any = -1, *, skip_nulls: bool = True, min_count: int | None = None
    ) -> ArrayOrScalar:
        """A quantile of each row.

        Parameters
        ----------
        q : float
            From 0 to 1.
        interpolation : {"linear", "lower", "higher", "midpoint", "nearest"}
            What to do between two items, as in numpy.
        axis : int, tuple of int or None
            The dim to reduce; several trailing dims are reduced together; None reduces all, an empty tuple none: each item is
            reduced alone. Along an outer axis items at the same local position combine, and the result is as long as the longest
            row, or the declared extent.
        skip_nulls : bool
            Otherwise a null in a row makes its result null.
        min_count : int, optional
            Rows with fewer items that are not null give null.

        Returns
        -------
        JaggedArray or pa.Scalar
            Integers give float64, temporals their own type. Null for an empty or null row; NaN poisons. Cost: a sort of each row.

        Raises
        ------
        JagValueError
            If `q` is outside of 0 to 1, or the interpolation is unknown.
        JagTypeError
            If the leaf type has no such reduction.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2, 3, 4], []]).quantile(0.25).to_list()
        [1.75, None]
        """
        return self._wrap(_ops.quantile(self, q, interpolation, axis, skip_nulls, min_count))

    @method(rows=over_axis)
    def n_unique(self, axis: Any = -1, *, skip_nulls: bool = True, min_count: int | None = None) -> ArrayOrScalar:
        """The number of distinct items of each row.

        Parameters
        ----------
        axis : int, tuple of int or None
            The dim to reduce; several trailing dims are reduced together; None reduces all, an empty tuple none: each item is
            reduced alone. Along an outer axis items at the same local position combine, and the result is as long as the longest
            row, or the declared extent.
        skip_nulls : bool
            Otherwise a null in a row makes its result null.
        min_count : int, optional
            Rows with fewer items that are not null give null.

        Returns
        -------
        JaggedArray or pa.Scalar
            int64, nulls not counted; 0 for an empty row, null for a null row. NaN equals NaN, -0.0 equals 0.0. Cost: a grouping of
            the values.

        Raises
        ------
        JagTypeError
            If the leaf type can't be compared.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2, 1], [None], []]).n_unique().to_list()
        [2, 0, 0]
        """
        return self._wrap(_ops.reduce(self, "n_unique", axis, skip_nulls=skip_nulls, min_count=min_count))

    @method(rows=over_axis)
    def mode(self, axis: Any = -1, *, skip_nulls: bool = True, min_count: int | None = None) -> ArrayOrScalar:
        """The most frequent item of each row.

        Parameters
        ----------
        axis : int, tuple of int or None
            The dim to reduce; several trailing dims are reduced together; None reduces all, an empty tuple none: each item is
            reduced alone. Along an outer axis items at the same local position combine, and the result is as long as the longest
            row, or the declared extent.
        skip_nulls : bool
            Otherwise a null in a row makes its result null.
        min_count : int, optional
            Rows with fewer items that are not null give null.

        Returns
        -------
        JaggedArray or pa.Scalar
            Of the leaf's type: the first to appear among equals; null for an empty or null row. Cost: a grouping of the values.

        Raises
        ------
        JagTypeError
            If the leaf type can't be compared.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2, 2], []]).mode().to_list()
        [2, None]
        """
        return self._wrap(_ops.reduce(self, "mode", axis, skip_nulls=skip_nulls, min_count=min_count))

    @method(rows=over_axis)
    def join(self, sep: str, axis: Any = -1, *, skip_nulls: bool = True, min_count: int | None = None) -> ArrayOrScalar:
        """Join the texts of each row.

        Parameters
        ----------
        sep : str
            What stands between two items.
        axis : int, tuple of int or None
            The dim to reduce; several trailing dims are reduced together; None reduces all, an empty tuple none: each item is
            reduced alone. Along an outer axis items at the same local position combine, and the result is as long as the longest
            row, or the declared extent.
        skip_nulls : bool
            Otherwise a null in a row makes its result null.
        min_count : int, optional
            Rows with fewer items that are not null give null.

        Returns
        -------
        JaggedArray or pa.Scalar
            Text; nulls are left out; null for a row without text and for a null row. Cost: one pass that copies the text.

        Raises
        ------
        JagTypeError
            If the leaves are no text.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([["a", "b"], [None], []]).join("-").to_list()
        ['a-b', None, None]
        """
        return self._wrap(_ops.join(self, sep, axis, skip_nulls, min_count))

    @method(rows=over_axis)
    def collapse(self, axis: Any = -1) -> ArrayOrScalar:
        """The value that all items of each row share.

        Parameters
        ----------
        axis : int, tuple of int or None
            The dim to reduce; several trailing dims are reduced together; None reduces all, an empty tuple none: each item is
            reduced alone. Along an outer axis items at the same local position combine, and the result is as long as the longest
            row, or the declared extent.

        Returns
        -------
        JaggedArray or pa.Scalar
            Of the leaf's type; null where items differ and where there are none. Nulls are left out; NaN equals NaN.

        Raises
        ------
        JagTypeError
            If the leaf type can't be compared.

        Notes
        -----
        Koda's `collapse`.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 1, None], [1, 2], []]).collapse().to_list()
        [1, None, None]
        """
        return self._wrap(_ops.collapse(self, axis))

    @method("y", rows=over_axis)
    def dot(self, y: Any, axis: Any = -1, *, skip_nulls: bool = True, min_count: int | None = None) -> ArrayOrScalar:
        """The sum of the products of each row with another array's.

        Parameters
        ----------
        y : JaggedArray, array or scalar
            Aligned by the prefix rule.
        axis : int, tuple of int or None
            The dim to reduce; several trailing dims are reduced together; None reduces all, an empty tuple none: each item is
            reduced alone. Along an outer axis items at the same local position combine, and the result is as long as the longest
            row, or the declared extent.
        skip_nulls : bool
            Otherwise a null in a row makes its result null.
        min_count : int, optional
            Rows with fewer items that are not null give null.

        Returns
        -------
        JaggedArray or pa.Scalar
            As `sum` of the product: 0 for an empty row, null for a null row; a null in either operand is skipped. Cost: two
            passes, and the product in between.

        Raises
        ------
        ShapeError
            If neither shape is a prefix of the other.
        JagTypeError
            If the leaf type has no such reduction.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2], [3]]).dot(aj.array([[10, 20], [30]])).to_list()
        [50, 90]
        """
        one, two = operand(self, None, "dot"), operand(y, self.type, "dot")
        if not isinstance(one, Column):
            raise JagTypeError("dot needs an array with dims")
        product = elementwise.apply(elementwise.BINARY["multiply"], [one, two], "dot")
        return self._wrap(_ops.reduce(product, "sum", axis, skip_nulls=skip_nulls, min_count=min_count))
