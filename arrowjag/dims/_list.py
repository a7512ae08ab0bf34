"""The methods by which a dim reads like a list of its sizes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from arrowjag._integers import integer, is_int
from arrowjag._kernels import strategy
from arrowjag.errors import JagValueError, brief
from arrowjag.typing import IntArray

__all__ = ["SizesAsList"]

if TYPE_CHECKING:
    _Ints = Sequence[int]
else:
    _Ints = object  # `Dim` is registered as a Sequence: isinstance of a subclass of an abstract class takes four times as long


class SizesAsList(_Ints):
    """Iteration, search and conversion of the sizes of `Dim`, of which this is the base class."""

    _n: int

    if TYPE_CHECKING:

        @cached_property
        def sizes(self) -> IntArray: ...

    @abstractmethod
    def _slice(self, start: int, stop: int) -> SizesAsList:
        """The rows from start to before stop, 0 <= start <= stop <= len."""

    def __iter__(self) -> Iterator[int]:
        for start in range(0, self._n, strategy.sizes.DIM_BLOCK):
            yield from self._block(start).tolist()

    def __contains__(self, value: object) -> bool:
        return is_int(value) and any(
            bool((self._block(start) == value).any()) for start in range(0, self._n, strategy.sizes.DIM_BLOCK)
        )

    def _block(self, start: int) -> IntArray:
        """The sizes of the next `DIM_BLOCK` rows: iteration never materializes all sizes of a long dim."""
        if self._n <= strategy.sizes.DIM_BLOCK or "sizes" in self.__dict__:
            return self.sizes[start : start + strategy.sizes.DIM_BLOCK]
        return self._slice(start, min(self._n, start + strategy.sizes.DIM_BLOCK)).sizes

    def count(self, value: object) -> int:
        """Return the number of rows that have a size.

        Parameters
        ----------
        value : int
            The size.

        Returns
        -------
        int
            0 for anything that is not an int. Null rows have size 0. Cost: O(rows).

        Examples
        --------
        >>> from arrowjag.dims import Repeat
        >>> Repeat([1, 2, 2], 5).count(2)
        10
        """
        if not is_int(value):
            return 0
        return sum(int(np.count_nonzero(self._block(start) == value)) for start in range(0, self._n, strategy.sizes.DIM_BLOCK))

    def index(self, value: object, start: int = 0, stop: int | None = None) -> int:
        """Return the first row that has a size.

        Parameters
        ----------
        value : int
            The size.
        start, stop : int, optional
            Only the rows ``start:stop`` are searched; negative numbers count from the end.

        Returns
        -------
        int
            The number of the row. Null rows have size 0. Cost: O(rows), up to the row.

        Raises
        ------
        JagValueError
            If no row has the size.

        Examples
        --------
        >>> from arrowjag.dims import Affine
        >>> Affine(1, 5, 1).index(3)
        2
        """
        begin, end = integer(start, "index: start"), None if stop is None else integer(stop, "index: stop")
        first, last, _ = slice(begin, end).indices(self._n)
        for begin in range(first, last if is_int(value) else first, strategy.sizes.DIM_BLOCK):
            found = np.flatnonzero(self._block(begin)[: last - begin] == value)
            if len(found):
                return begin + int(found[0])
        raise JagValueError(f"no row of {self!r} has size {brief(value)}")

    def tolist(self) -> list[int]:
        """Return the sizes as a plain list.

        Returns
        -------
        list of int
            One int per row.

        Examples
        --------
        >>> from arrowjag.dims import Repeat
        >>> Repeat([1, 2], 2).tolist()
        [1, 2, 1, 2]
        """
        sizes: list[int] = self.sizes.tolist()
        return sizes

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        return np.array(self.sizes, dtype=dtype, copy=copy)
