"""Rows as vectors: norms, distances, products of matrices and the nearest row of a matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from arrowjag._array.base import ArrayBase, as_column
from arrowjag._methods import along_axis, method, over_aligned_axis, over_axis
from arrowjag._ops import vectors as _ops
from arrowjag.typing import ArrayOrScalar

if TYPE_CHECKING:
    from arrowjag._array import JaggedArray

__all__ = ["VectorMethods"]


class VectorMethods(ArrayBase):
    """Rows as vectors and matrices."""

    __slots__ = ()

    @method(rows=over_axis)
    def norm(self, p: float = 2, axis: Any = -1, *, skip_nulls: bool = True, min_count: int | None = None) -> ArrayOrScalar:
        """Return the p-norm of each row.

        Parameters
        ----------
        p : float
            At least 0: 2 gives the Euclidean length, 1 the sum of magnitudes, infinity the largest magnitude, 0 the number of
            items that are not 0.
        %(reduction_parameters)s

        Returns
        -------
        JaggedArray or pa.Scalar
            Floats; null for an empty or null row; a NaN gives NaN. Cost: one pass.

        Raises
        ------
        JagValueError
            If `p` is negative.
        JagTypeError
            If the leaves are not numbers.

        Notes
        -----
        `numpy.linalg.norm` returns 0 for an empty row instead of null.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[3, 4], []]).norm().to_list()
        [5.0, None]
        """
        return self._wrap(_ops.norm(self, p, axis, skip_nulls, min_count))

    @method(rows=along_axis)
    def normalize(self, p: float = 2, axis: Any = -1) -> JaggedArray:
        """Divide the items of each row by its p-norm.

        Parameters
        ----------
        p : float
            The order of the norm, as for `norm`.
        %(axis_along)s

        Returns
        -------
        JaggedArray
            Floats, of the same shape; a row of zeros gives NaN. Nulls and null rows stay null. Cost: two passes.

        Raises
        ------
        JagValueError
            If `p` is negative.
        JagTypeError
            If the leaves are not numbers.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[3, 4], [2, None]]).normalize().to_list()
        [[0.6, 0.8], [1.0, None]]
        """
        return self._wrap(_ops.normalize(self, p, axis))

    @method("y", rows=over_aligned_axis)
    def cosine(self, y: Any, axis: Any = -1, *, skip_nulls: bool = True, min_count: int | None = None) -> ArrayOrScalar:
        """Return the cosine of the angle between each row and the same row of another array.

        Parameters
        ----------
        %(y_numbers)s
        %(reduction_parameters)s

        Returns
        -------
        JaggedArray or pa.Scalar
            Floats from -1 to 1: the dot product divided by both lengths, over the slots where both have an item. Null for an empty
            row and a row that is null in either; NaN where either is a vector of zeros. Cost: three passes.

        Raises
        ------
        ShapeError
            If neither shape is a prefix of the other; the message names the row.
        JagTypeError
            If the leaves are not numbers.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 0], [1, 1]]).cosine([[0, 2], [3, 3]]).round(6).to_list()
        [0.0, 1.0]
        """
        return self._wrap(_ops.cosine(self, as_column(y), axis, skip_nulls, min_count))

    @method("y", rows=over_aligned_axis)
    def distance(
        self,
        y: Any,
        metric: Literal["l2", "l1", "linf", "hamming", "jaccard"] = "l2",
        axis: Any = -1,
        *,
        skip_nulls: bool = True,
        min_count: int | None = None,
    ) -> ArrayOrScalar:
        """Return the distance between each row and the same row of another array.

        Parameters
        ----------
        y : JaggedArray or array
            Of this shape, or of a prefix of it, which is broadcast.
        metric : {"l2", "l1", "linf", "hamming", "jaccard"}
            "l2" is the length of the difference, "l1" the sum of its magnitudes, "linf" the largest magnitude; "hamming" is the
            share of slots in which the two rows differ, "jaccard" this share among the slots in which either is not 0.
        %(reduction_parameters)s

        Returns
        -------
        JaggedArray or pa.Scalar
            Floats, over the slots where both have an item. Null for an empty row and a row that is null in either. A NaN gives
            NaN. "jaccard" of zeros is 0. Cost: one or two passes.

        Raises
        ------
        JagValueError
            If the metric is unknown.
        ShapeError
            If neither shape is a prefix of the other; the message names the row.
        JagTypeError
            If the leaves are not numbers; "hamming" takes any type that can be compared.

        Notes
        -----
        In `scipy.spatial.distance` "l1" is called cityblock and "linf" chebyshev; its hamming and jaccard count NaN as different.

        Examples
        --------
        >>> import arrowjag as aj
        >>> x, y = aj.array([[0, 0], [1, 2]]), aj.array([[3, 4], [1, 5]])
        >>> x.distance(y).to_list(), x.distance(y, "hamming").to_list()
        ([5.0, 3.0], [1.0, 0.5])
        """
        return self._wrap(_ops.distance(self, as_column(y), metric, axis, skip_nulls, min_count))

    @method("y")
    def matmul(self, y: Any) -> JaggedArray:
        """Multiply the matrix of each row by the matrix of the same row of another array, or by its vector; also ``x @ y``.

        Parameters
        ----------
        y : JaggedArray or array of numbers
            Matrices: an array of the same ndim, at least 3, and with the same dims above the last two. Vectors: an array of one
            dim fewer.

        Returns
        -------
        JaggedArray
            The products, with the dims of `y`; the last one is not declared. Floats, or 64-bit integers. A null number counts as
            0; a row that is null in either is null. Matrices may have another shape in each row. Cost: one call of BLAS for each
            shape that occurs, so that the order of addition of floats is that of BLAS; one pass for matrices of one row times one
            column of floats, whose products are added in the order of `sum`.

        Raises
        ------
        ShapeError
            If a row is not a matrix, or the shapes of two matrices don't fit; the message names the row.
        JagOverflowError
            If a product of integers may not fit 64 bits.
        JagTypeError
            If the leaves are not numbers.

        Examples
        --------
        >>> import arrowjag as aj
        >>> x = aj.array([[[1, 2], [3, 4]], [[5]]])
        >>> x.matmul(x).to_list()
        [[[7, 10], [15, 22]], [[25]]]
        >>> x.matmul([[1, 1], [2]]).to_list()
        [[3, 7], [10]]
        """
        return self._wrap(_ops.matmul(self, as_column(y)))

    @method()
    def nearest(self, matrix: Any, metric: Literal["l2", "cosine"] = "l2") -> ArrayOrScalar:
        """Return the position of the row of a matrix that is nearest to each row.

        Parameters
        ----------
        matrix : array of two dims
            The candidates, one per row: a numpy array, nested lists or a JaggedArray with rows of one size.
        metric : {"l2", "cosine"}
            "l2" compares by the length of the difference, "cosine" by the angle.

        Returns
        -------
        JaggedArray or pa.Scalar
            int64, with one dim less; the first of equally near rows. Null for an empty or null row, and for a row with a null or a
            NaN. Cost: one product of matrices by BLAS; candidates within its rounding are compared again exactly, so that the
            result of a row depends on that row and the matrix alone.

        Raises
        ------
        ShapeError
            If a row has another size than those of the matrix; the message names the row.
        JagTypeError
            If the leaves are not numbers.
        JagValueError
            If there is no such metric.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[0.1, 0.9], [5.0, 5.0]]).nearest([[0, 0], [0, 1], [9, 9]]).to_list()
        [1, 2]
        """
        return self._wrap(_ops.nearest(self, matrix, metric))
