"""The method `to_dense`; `arrowjag.dense` holds the inverse conversion and arithmetic with dense arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from arrowjag._arguments import check_arguments
from arrowjag._array.base import ArrayBase
from arrowjag._ops import dense as _ops

__all__ = ["DenseMethods"]


class DenseMethods(ArrayBase):
    """Conversion to padded numpy arrays."""

    __slots__ = ()

    @check_arguments
    def to_dense(self, max_sizes: int | Sequence[int | None] | None = None, fill_value: Any = 0) -> npt.NDArray[np.generic]:
        """Convert to a padded numpy array.

        Parameters
        ----------
        max_sizes : int or sequence of int or None, optional
            The size per level: one entry per dim after the rows, except trailing dims of declared extent, which keep it. Longer
            rows are truncated at every level; shorter ones are padded. By default, and for entries that are None, the declared
            extent or the size of the longest row.
        fill_value : scalar or None
            The value of padded cells, null leaves and null rows. With None, those cells are masked in a masked array. It must fit
            the leaf type exactly; floats may round it.

        Returns
        -------
        numpy.ndarray or numpy.ma.MaskedArray
            Of shape ``(rows, size of each level..., declared extents...)``. Numbers, booleans, dates, timestamps without time zone
            and durations keep their type; other types become Python objects. Always a new array. Cost: one copy of the result.

        Raises
        ------
        ShapeError
            If `max_sizes` has another length than there are levels, or a negative entry.
        JagTypeError, JagValueError
            If the fill is of another kind than the leaves, as the default 0 is for text, dates and timestamps, or does not fit
            their type.

        Notes
        -----
        Corresponds to FBGEMM's `jagged_to_padded_dense`, for any number of levels and every type; null rows are padded like
        empty ones.

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
