"""The method that lays rows out in a padded array; the way back and the arithmetic are in `arrowjag.dense`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from arrowjag._array.base import ArrayBase
from arrowjag._ops import dense as _ops

__all__ = ["DenseMethods"]


class DenseMethods(ArrayBase):
    """Out to padded numpy arrays."""

    __slots__ = ()

    def to_dense(self, max_sizes: int | Sequence[int | None] | None = None, fill_value: Any = 0) -> npt.NDArray[np.generic]:
        """The rows in a padded numpy array.

        Parameters
        ----------
        max_sizes : int or sequence of int or None, optional
            The size of each level: one entry for each dim after the rows, without the declared dims at the end, which keep their
            size. Longer rows are cut, at every level; shorter ones are filled up. By default, and where an entry is None, the
            declared size or that of the longest row.
        fill_value : scalar or None
            What stands where there is no value, and in the place of nulls, leaves and rows alike. None gives a masked array, with
            those cells masked. It must fit the leaf type exactly; floats may round it.

        Returns
        -------
        numpy.ndarray or numpy.ma.MaskedArray
            Of shape ``(rows, size of each level..., declared sizes...)``. Numbers, booleans, dates, timestamps without zone and
            durations keep their type; everything else comes as Python objects. Always a new array. Cost: one copy of the result.

        Raises
        ------
        ShapeError
            If there are more or fewer `max_sizes` than levels, or one is negative.
        JagTypeError, JagValueError
            If the fill is of another kind than the leaves, or their type can't hold it. 0 is no text, date or timestamp.

        Notes
        -----
        FBGEMM's `jagged_to_padded_dense`, for any number of levels and every type; rows that are null are filled like empty ones.

        Examples
        --------
        >>> import arrowjag as aj
        >>> x = aj.array([[1, 2, 3], [], [4]])
        >>> x.to_dense()
        array([[1, 2, 3],
               [0, 0, 0],
               [4, 0, 0]])
        >>> x.to_dense((2,), fill_value=-1).tolist()
        [[1, 2], [-1, -1], [4, -1]]
        >>> x.to_dense(fill_value=None).sum(axis=1).tolist()
        [6, None, 4]
        """
        return _ops.to_dense(self, max_sizes, fill_value)
