"""Reductions: one value for each row, along any axis."""

from __future__ import annotations

from typing import Any

from arrowjag._array.base import ArrayBase
from arrowjag._methods import method, over_axis
from arrowjag._ops import reduce as _ops
from arrowjag.typing import ArrayOrScalar

__all__ = ["ReductionMethods"]


class ReductionMethods(ArrayBase):
    """Sums, extremes, counts and ends of rows."""

    __slots__ = ()

    @method(rows=over_axis)
    def sum(self, axis: Any = -1, *, skip_nulls: bool = True, min_count: int | None = None) -> ArrayOrScalar:
        """Add up the items of each row.

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
            0 for an empty row, null for a null row. Integers and booleans are added as 64-bit integers, floats keep their type,
            decimals get all digits that their width has room for; NaN poisons. Cost: one pass, on all cores.

        Raises
        ------
        JagOverflowError
            If an integer sum does not fit 64 bits, where the row is named, or a decimal its digits.
        JagTypeError
            If the leaf type has no such reduction.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2], [], [None, 3]]).sum().to_list()
        [3, 0, 3]
        >>> aj.array([[1, 2], [3]]).sum(axis=0).to_list()
        [4, 2]
        >>> aj.array([[1, None], [3]]).sum(axis=()).to_list()
        [[1, 0], [3]]
        """
        return self._wrap(_ops.reduce(self, "sum", axis, skip_nulls=skip_nulls, min_count=min_count))

    @method(rows=over_axis)
    def prod(self, axis: Any = -1, *, skip_nulls: bool = True, min_count: int | None = None) -> ArrayOrScalar:
        """Multiply the items of each row.

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
            1 for an empty row, null for a null row. Integers are multiplied as 64-bit integers, decimals as `cumprod` does. Cost:
            one pass.

        Raises
        ------
        JagOverflowError
            If an integer product does not fit 64 bits, or one of decimals its digits; the row is named.
        JagTypeError
            If the leaf type has no such reduction.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[2, 3], []]).prod().to_list()
        [6, 1]
        """
        return self._wrap(_ops.reduce(self, "prod", axis, skip_nulls=skip_nulls, min_count=min_count))

    @method(rows=over_axis)
    def mean(self, axis: Any = -1, *, skip_nulls: bool = True, min_count: int | None = None) -> ArrayOrScalar:
        """The mean of each row.

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
            Null for an empty or null row. Integers give float64; decimals and temporals give their own type, rounded half away from
            zero; NaN poisons. Cost: one pass.

        Raises
        ------
        JagTypeError
            If the leaf type has no such reduction.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2], []]).mean().to_list()
        [1.5, None]
        """
        return self._wrap(_ops.reduce(self, "mean", axis, skip_nulls=skip_nulls, min_count=min_count))

    @method(rows=over_axis)
    def min(self, axis: Any = -1, *, skip_nulls: bool = True, min_count: int | None = None) -> ArrayOrScalar:
        """The smallest item of each row.

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
            Of the leaf's type; null for an empty or null row. NaN is ignored unless a row has nothing else. Cost: one pass; text is
            ordered once.

        Raises
        ------
        JagTypeError
            If the leaf type has no order.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[2, None, 5], []]).min().to_list()
        [2, None]
        """
        return self._wrap(_ops.reduce(self, "min", axis, skip_nulls=skip_nulls, min_count=min_count))

    @method(rows=over_axis)
    def max(self, axis: Any = -1, *, skip_nulls: bool = True, min_count: int | None = None) -> ArrayOrScalar:
        """The largest item of each row.

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
            Of the leaf's type; null for an empty or null row. NaN is ignored unless a row has nothing else. Cost: one pass; text is
            ordered once.

        Raises
        ------
        JagTypeError
            If the leaf type has no order.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[2, None, 5], []]).max().to_list()
        [5, None]
        """
        return self._wrap(_ops.reduce(self, "max", axis, skip_nulls=skip_nulls, min_count=min_count))

    @method(rows=over_axis)
    def argmin(self, axis: Any = -1, *, skip_nulls: bool = True, min_count: int | None = None) -> ArrayOrScalar:
        """The position of the smallest item of each row.

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
            int64 slots in the row, nulls counted; over several axes the slot in the flattened group; along an outer axis the place
            along it. The first of ties; null for an empty or null row. NaN is ignored unless a row has nothing else. Cost:
            one pass.

        Raises
        ------
        JagTypeError
            If the leaf type has no order.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[2, None, 5], []]).argmin().to_list()
        [0, None]
        """
        return self._wrap(_ops.reduce(self, "argmin", axis, skip_nulls=skip_nulls, min_count=min_count))

    @method(rows=over_axis)
    def argmax(self, axis: Any = -1, *, skip_nulls: bool = True, min_count: int | None = None) -> ArrayOrScalar:
        """The position of the largest item of each row.

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
            int64 slots in the row, nulls counted; over several axes the slot in the flattened group; along an outer axis the place
            along it. The first of ties; null for an empty or null row. NaN is ignored unless a row has nothing else. Cost:
            one pass.

        Raises
        ------
        JagTypeError
            If the leaf type has no order.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[2, None, 5], []]).argmax().to_list()
        [2, None]
        """
        return self._wrap(_ops.reduce(self, "argmax", axis, skip_nulls=skip_nulls, min_count=min_count))

    @method(rows=over_axis)
    def count(self, axis: Any = -1) -> ArrayOrScalar:
        """The number of items of each row that are not null.

        Parameters
        ----------
        axis : int, tuple of int or None
            The dim to reduce; several trailing dims are reduced together; None reduces all, an empty tuple none: each item is
            reduced alone. Along an outer axis items at the same local position combine, and the result is as long as the longest
            row, or the declared extent.

        Returns
        -------
        JaggedArray or pa.Scalar
            int64; 0 for an empty row, null for a null row. Cost: one pass over the validity.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, None], [], None]).count().to_list()
        [1, 0, None]
        """
        return self._wrap(_ops.count(self, axis))

    @method(rows=over_axis)
    def lengths(self, axis: Any = -1) -> ArrayOrScalar:
        """The size of each row of a dim, nulls counted.

        Parameters
        ----------
        axis : int, tuple of int or None
            The dim; several trailing dims are taken together; an empty tuple counts each item alone.

        Returns
        -------
        JaggedArray or pa.Scalar
            int64 with the dims before that axis; null for a null row. Cost: none but the sizes, which the shape keeps.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, None], [], None]).lengths().to_list()
        [2, 0, None]
        """
        return self._wrap(_ops.lengths(self, axis))

    @method(rows=over_axis)
    def any(self, axis: Any = -1, *, skip_nulls: bool = True, min_count: int | None = None) -> ArrayOrScalar:
        """Whether any item of each row is true.

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
            Booleans; False for an empty row, null for a null row. Numbers other than 0 are true. With `skip_nulls=False` a null
            counts as unknown (Kleene). Cost: one pass.

        Raises
        ------
        JagTypeError
            If the leaf type has no such reduction.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[True, False], []]).any().to_list()
        [True, False]
        """
        return self._wrap(_ops.reduce(self, "any", axis, skip_nulls=skip_nulls, min_count=min_count))

    @method(rows=over_axis)
    def all(self, axis: Any = -1, *, skip_nulls: bool = True, min_count: int | None = None) -> ArrayOrScalar:
        """Whether every item of each row is true.

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
            Booleans; True for an empty row, null for a null row. Numbers other than 0 are true. With `skip_nulls=False` a null
            counts as unknown (Kleene). Cost: one pass.

        Raises
        ------
        JagTypeError
            If the leaf type has no such reduction.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[True, False], []]).all().to_list()
        [False, True]
        """
        return self._wrap(_ops.reduce(self, "all", axis, skip_nulls=skip_nulls, min_count=min_count))

    @method(rows=over_axis)
    def first(self, axis: Any = -1) -> ArrayOrScalar:
        """The first item of each row, null or not.

        Parameters
        ----------
        axis : int, tuple of int or None
            The dim to reduce; several trailing dims are reduced together; None reduces all, an empty tuple none: each item is
            reduced alone. Along an outer axis items at the same local position combine, and the result is as long as the longest
            row, or the declared extent.

        Returns
        -------
        JaggedArray or pa.Scalar
            Of the leaf's type; null for an empty or null row. Cost: one gather of a value a row.

        Raises
        ------
        JagIndexError
            If the axis is out of range.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2], [None], []]).first().to_list()
        [1, None, None]
        """
        return self._wrap(_ops.reduce(self, "first", axis))

    @method(rows=over_axis)
    def last(self, axis: Any = -1) -> ArrayOrScalar:
        """The last item of each row, null or not.

        Parameters
        ----------
        axis : int, tuple of int or None
            The dim to reduce; several trailing dims are reduced together; None reduces all, an empty tuple none: each item is
            reduced alone. Along an outer axis items at the same local position combine, and the result is as long as the longest
            row, or the declared extent.

        Returns
        -------
        JaggedArray or pa.Scalar
            Of the leaf's type; null for an empty or null row. Cost: one gather of a value a row.

        Raises
        ------
        JagIndexError
            If the axis is out of range.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2], [None], []]).last().to_list()
        [2, None, None]
        """
        return self._wrap(_ops.reduce(self, "last", axis))
