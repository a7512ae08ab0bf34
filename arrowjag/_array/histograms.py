"""Histograms of rows, counts of small integers and bins of items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arrowjag._array.base import ArrayBase, as_column
from arrowjag._arrow.foreign import exports_arrow
from arrowjag._column import Column
from arrowjag._methods import along_axis, method, over_axis, set_rows
from arrowjag._ops import histograms as _ops
from arrowjag.typing import ArrayOrScalar

if TYPE_CHECKING:
    from arrowjag._array import JaggedArray

__all__ = ["HistogramMethods"]


def _edges_of(bins: Any) -> Any:
    """Convert arrays to columns; numbers and lists stay."""
    return as_column(bins) if exports_arrow(bins) else bins


def _some(bins: Any) -> Any:
    """Edges that rise, in place of a column of edges without rows, of which only the type is known."""
    return [0, 1] if isinstance(bins, Column) and bins.ndim == 1 and not bins.shape.size else bins


def _histogram_type(x: Any, bins: Any, range: Any = None, axis: Any = -1) -> Any:
    return x.histogram(_some(bins), range, axis)


def _cut_type(x: Any, bins: Any, range: Any = None, axis: Any = -1) -> Any:
    return x.cut(_some(bins), range, axis)


class HistogramMethods(ArrayBase):
    """Counts in bins."""

    __slots__ = ()

    @method("bins", rows=set_rows("bins", over_axis), result_type=_histogram_type)
    def histogram(self, bins: Any, range: tuple[float, float] | None = None, axis: Any = -1) -> ArrayOrScalar:
        """Count the items of each row in bins.

        Parameters
        ----------
        bins : int, list of numbers or JaggedArray
            The number of bins of equal width, rising edges that hold for all rows, or an array with a row of rising edges per row,
            along the last axis only.
        range : (float, float), optional
            The first and the last edge; by default the smallest and the largest number of each row.
        %(axis_reduced)s

        Returns
        -------
        JaggedArray or pa.Scalar
            For a number of bins, structs of `edges` (one more than bins) and `counts`. For given edges, the counts alone, as
            one more dim without a declared extent. A bin includes its lower edge; the last bin includes its upper edge too.
            Nulls, NaN and numbers beyond the edges are not counted. An empty row has counts of 0, and null edges unless `range`
            is given; the bins of a row of equal items reach from 0.5 below to 0.5 above them; a null row stays null. Cost: a
            few passes.

        Raises
        ------
        JagValueError
            If edges don't rise, there is no bin, `range` comes with edges or does not hold two finite numbers, the smaller first,
            or a row holds an infinite number and no `range` is given.
        JagTypeError
            If the leaves are not numbers.

        Notes
        -----
        Equals `numpy.histogram` of each row.

        Examples
        --------
        >>> import arrowjag as aj
        >>> x = aj.array([[0, 1, 1, 4], []])
        >>> x.histogram(2).to_list()[0]
        {'edges': [0.0, 2.0, 4.0], 'counts': [3, 1]}
        >>> x.histogram([0, 1, 2]).to_list()
        [[1, 2], [0, 0]]
        >>> x.histogram(aj.array([[0, 2, 4], [0, 1]])).to_list()
        [[3, 1], [0]]
        """
        return self._wrap(_ops.histogram(self, _edges_of(bins), range, axis))

    @method(rows=over_axis)
    def bincount(self, n: int | None = None, axis: Any = -1) -> JaggedArray:
        """Count how often 0, 1, 2 and so on occur in each row.

        Parameters
        ----------
        n : int, optional
            The number of counts per row; by default as many as the largest item of the row needs.
        %(axis_reduced)s

        Returns
        -------
        JaggedArray
            int64, with a dim of counts, without a declared extent, in place of the reduced dims. Nulls are not counted; an
            empty row gives `n` zeros, or an empty row without `n`; a null row stays null. Cost: one pass over items and counts.

        Raises
        ------
        JagValueError
            If an item is negative, or not less than `n`; the message names the row.
        JagTypeError
            If the leaves are not integers.
        JagMemoryError, JagOverflowError
            If the counts don't fit into memory.

        Notes
        -----
        Equals `numpy.bincount` of each row with ``minlength=n``, except that an item of `n` or more raises an error.

        Examples
        --------
        >>> import arrowjag as aj
        >>> x = aj.array([[0, 2, 2], [], None])
        >>> x.bincount().to_list(), x.bincount(3).to_list()
        ([[1, 0, 2], [], None], [[1, 0, 2], [0, 0, 0], None])
        """
        return self._wrap(_ops.bincount(self, n, axis))

    @method("edges", rows=set_rows("edges"))
    def digitize(self, edges: Any, right: bool = False) -> JaggedArray:
        """Return the number of the bin that each item falls into, given the edges between bins.

        Parameters
        ----------
        edges : list of numbers or JaggedArray
            Rising or falling edges that hold for all rows, or an array with a row of rising edges per row.
        right : bool
            Whether a bin includes its upper edge instead of its lower edge.

        Returns
        -------
        JaggedArray
            int64, of the same shape: 0 for items before the first edge, the number of edges for items after the last. Nulls and
            null rows stay null; NaN comes after all numbers. Cost: a binary search per item.

        Raises
        ------
        JagValueError
            If the edges neither rise nor fall.
        JagTypeError
            If the leaves are not numbers.

        Notes
        -----
        Equals `numpy.digitize`, per row if edges are given per row.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[0.5, 1.0, None], [7.0]]).digitize([1, 2]).to_list()
        [[0, 1, None], [2]]
        >>> aj.array([[0.5, 1.5], [1.5]]).digitize(aj.array([[0, 1], [2, 3]])).to_list()
        [[1, 2], [0]]
        """
        return self._wrap(_ops.digitize(self, _edges_of(edges), right))

    @method("bins", rows=set_rows("bins", along_axis), result_type=_cut_type)
    def cut(self, bins: Any, range: tuple[float, float] | None = None, axis: Any = -1) -> JaggedArray:
        """Return the bin of each item in the histogram of its row.

        Parameters
        ----------
        bins : int, list of numbers or JaggedArray
            The number of bins of equal width, rising edges that hold for all rows, or an array with a row of rising edges per row,
            along the last axis only.
        range : (float, float), optional
            The first and the last edge; by default the smallest and the largest number of each row.
        %(axis_along)s

        Returns
        -------
        JaggedArray
            int64 from 0 to the number of bins less 1, of the same shape. Null for nulls, NaN and numbers beyond the edges; a null
            row stays null. Cost: a few passes.

        Raises
        ------
        JagValueError
            If edges don't rise, there is no bin, `range` comes with edges or does not hold two finite numbers, the smaller first,
            or a row holds an infinite number and no `range` is given.
        JagTypeError
            If the leaves are not numbers.

        Notes
        -----
        A bin includes its lower edge, as in `histogram`; those of `pandas.cut` include their upper edge.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[0, 1, 4], [7, 7]]).cut(2).to_list()
        [[0, 0, 1], [1, 1]]
        >>> aj.array([[0, 1, 4]]).cut([0, 1, 2]).to_list()
        [[0, 1, None]]
        >>> aj.array([[0, 4], [4]]).cut(aj.array([[0, 2, 4], [0, 5]])).to_list()
        [[0, 1], [0]]
        """
        return self._wrap(_ops.cut(self, _edges_of(bins), range, axis))
