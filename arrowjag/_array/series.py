"""Methods on series in rows: gaps, local_maxima and fft_power."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arrowjag._array.base import ArrayBase
from arrowjag._methods import along_axis, changing_axis, method
from arrowjag._ops import resample as _spectra
from arrowjag._ops import series as _ops
from arrowjag.typing import ArrayOrScalar

if TYPE_CHECKING:
    from arrowjag._array import JaggedArray

__all__ = ["SeriesMethods"]


class SeriesMethods(ArrayBase):
    """Operations on rows that are series of observations."""

    __slots__ = ()

    @method(rows=changing_axis)
    def gaps(self, axis: Any = -1) -> JaggedArray:
        """Return the differences of neighbouring items of each row; a row has one difference fewer than items.

        Parameters
        ----------
        axis : int, tuple of int or None
            The dim to work along; several trailing dims are treated as one row, None treats all dims as one row. Along an outer
            axis the items at the same position are one row.

        Returns
        -------
        JaggedArray
            Of the type that `diff` gives: signed for unsigned integers, durations for times; signed integers wrap around as in
            subtraction. Null items are left out, so a gap reaches to the next valid item. Rows of fewer than two valid items are
            empty, a null row stays null; a declared extent of the dim is dropped. Cost: one pass.

        Raises
        ------
        JagTypeError
            If the leaf type has no difference.
        JagOverflowError
            If a difference of uint64 does not fit int64.

        Notes
        -----
        `diff` keeps the shape, and its first item of each row is null.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 4, None, 9], [5], []]).gaps().to_list()
        [[3, 5], [], []]
        """
        return self._wrap(_ops.gaps(self, axis))

    @method(rows=along_axis)
    def local_maxima(self, axis: Any = -1) -> JaggedArray:
        """Return which items of each row are greater than their neighbours.

        Parameters
        ----------
        %(axis_along)s

        Returns
        -------
        JaggedArray
            Booleans, of the same shape. Of a run of equal items the middle one counts as the maximum (of an even number the
            left one of the two); the first and the last item of a row never do. The result of a null item is null, and its
            neighbours are compared with the next valid item; no item is greater than NaN. A null row stays null. Cost: one
            pass.

        %(no_order)s

        Notes
        -----
        Finds the peaks of `scipy.signal.find_peaks`. ``x.filter(x.local_maxima())`` gives the values,
        ``x.local_maxima().argwhere()`` the positions.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 3, 2, 5, 5, 4], [2, 1]]).local_maxima().argwhere().to_list()
        [[1, 3], []]
        """
        return self._wrap(_ops.local_maxima(self, axis))

    @method(rows=changing_axis)
    def fft_power(self, axis: Any = -1) -> ArrayOrScalar:
        """Return the power spectrum of each row of evenly spaced numbers.

        Parameters
        ----------
        axis : int, tuple of int or None
            The last dim, or several trailing dims, which are treated as one row; None treats all dims as one row.

        Returns
        -------
        JaggedArray or pyarrow.Scalar
            The squared magnitudes of the discrete Fourier transform, ``n // 2 + 1`` for a row of n items, from frequency 0 to
            half of the sampling frequency: float64, or float32 for float16 and float32. An empty row is empty; a row with a null
            item, which has no spectrum, is null, and so is a null row; a NaN makes its row NaN. If all dims are one row, a null
            item gives a null scalar. Cost: a fast Fourier transform of rows of equal length together.

        Raises
        ------
        JagValueError
            If the axis is an outer one.
        JagTypeError
            If the leaves are not booleans, integers or floats.

        Notes
        -----
        Equals ``abs(numpy.fft.rfft(row)) ** 2`` of each row.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1.0, 0.0, -1.0, 0.0], [2.0]]).fft_power().to_list()
        [[0.0, 4.0, 0.0], [4.0]]
        """
        return self._wrap(_spectra.fft_power(self, axis))
