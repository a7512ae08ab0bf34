"""Methods that compare rows by content or order: factorize, unique, duplicated, isin, argsort, value_counts."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from arrowjag import _arrow
from arrowjag._array import JaggedArray
from arrowjag.errors import JagError
from arrowjag.pandas._convert import concat, in_one_type, read
from arrowjag.pandas._row_bytes import content_keys, order_codes, order_keys
from arrowjag.pandas.dtype import JaggedDtype

__all__ = ["RowLookup"]


class RowLookup:
    """Mixin of methods that compare rows by their content keys and order keys."""

    _jagged: JaggedArray
    dtype: Any
    take: Any
    isna: Any

    def _values_for_factorize(self) -> tuple[npt.NDArray[Any], Any]:
        """Return rows as bytes, which merges compare across columns; only distinct rows become Python objects."""
        keys = content_keys(self._jagged)
        codes, firsts = _arrow.factorize(keys)
        distinct = np.append(keys.take(pa.array(firsts)).to_numpy(zero_copy_only=False), [None])
        return distinct[codes], None  # the last one is that of the code -1

    def factorize(self, use_na_sentinel: bool = True) -> tuple[npt.NDArray[np.intp], Any]:
        """Number the distinct rows in order of first appearance.

        Parameters
        ----------
        use_na_sentinel : bool
            Whether null rows get -1 instead of a number of their own.

        Returns
        -------
        codes : numpy.ndarray of int
            One per row.
        uniques : JaggedExtensionArray
            The distinct rows.
        """
        codes, firsts = _arrow.factorize(content_keys(self._jagged))
        if not use_na_sentinel and len(null := np.flatnonzero(codes < 0)):
            number = int(np.searchsorted(firsts, null[0]))
            codes += codes >= number
            codes[null] = number
            firsts = np.insert(firsts, number, null[0])
        return codes.astype(np.intp, copy=False), self.take(firsts)

    def unique(self) -> Any:
        """Return the distinct rows in order of first appearance, null among them.

        Returns
        -------
        JaggedExtensionArray
            Of the same dtype.
        """
        return self.factorize(use_na_sentinel=False)[1]

    def duplicated(self, keep: Literal["first", "last", False] = "first") -> npt.NDArray[np.bool_]:
        """Flag the rows that occur more than once.

        Parameters
        ----------
        keep : {"first", "last", False}
            Which occurrence is not flagged; False flags all.

        Returns
        -------
        numpy.ndarray of bool
            One per row; null rows are equal to each other.
        """
        codes, _ = self.factorize(use_na_sentinel=False)
        return pd.Series(codes).duplicated(keep=keep).to_numpy()

    def isin(self, values: Any) -> npt.NDArray[np.bool_]:
        """Flag the rows that are among other rows.

        Parameters
        ----------
        values : array-like
            Rows or nested lists.

        Returns
        -------
        numpy.ndarray of bool
            One per row; a null row is among values that contain a null row.
        """
        n = len(self._jagged)
        try:
            others = read(values, None)
            found = in_one_type(self._jagged, others, "isin") if others.ndim == self._jagged.ndim else None
        except JagError:
            found = None
        if found is None:
            return self.isna() if _has_missing(values) else np.zeros(n, bool)
        rows, others, unlike = found
        keys = content_keys(concat([rows, others if unlike is None else JaggedArray._of(others)[~unlike]]))
        known: npt.NDArray[np.bool_] = pc.is_in(keys[:n], value_set=keys[n:]).to_numpy(zero_copy_only=False)
        return known

    def __contains__(self, item: object) -> bool:
        """Return whether a row is there; pandas would compare a list with the whole column."""
        if isinstance(item, (list, tuple, np.ndarray)):
            return bool(self.isin([item]).any())
        return super().__contains__(item)  # type: ignore[misc, no-any-return]  # that of pandas' array

    def value_counts(self, dropna: bool = True) -> pd.Series[Any]:
        """Count the occurrences of each row.

        Parameters
        ----------
        dropna : bool
            Whether null rows are left out.

        Returns
        -------
        pandas.Series
            Counts by row, in order of first appearance.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2], [3], [1, 2], None]).to_pandas().array.value_counts().tolist()
        [2, 1]
        """
        codes, uniques = self.factorize(use_na_sentinel=dropna)
        counts = np.bincount(codes[codes >= 0], minlength=len(uniques))
        return pd.Series(counts, index=pd.Index(uniques), name="count", dtype="Int64")

    def _mode(self, dropna: bool = True) -> Any:
        """Return the most frequent rows, sorted; pandas' own implementation would create one object per row."""
        codes, uniques = self.factorize(use_na_sentinel=dropna)
        counts = np.bincount(codes[codes >= 0], minlength=len(uniques))
        most = uniques.take(np.flatnonzero(counts == counts.max(initial=0)))
        return most.take(most.argsort())

    def _values_for_argsort(self) -> npt.NDArray[np.int64]:
        return order_codes(self._jagged)

    @property
    def _is_monotonic_increasing(self) -> bool:
        """Return whether rows never decrease; with null rows False, as in pandas, which has this hook from 3.1 on."""
        return self._never_turns(np.less_equal)

    @property
    def _is_monotonic_decreasing(self) -> bool:
        return self._never_turns(np.greater_equal)

    def _rank(
        self, *, method: Any = "average", axis: int = 0, na_option: Any = "keep", ascending: bool = True, pct: bool = False
    ) -> Any:
        """Rank rows; null rows have no rank by default. Before 3.0 pandas counts them as the smallest rows."""
        codes = self._values_for_argsort().astype(np.float64)
        codes[self.isna()] = np.nan
        return pd.Series(codes).rank(method=method, na_option=na_option, ascending=ascending, pct=pct).to_numpy()

    def _never_turns(self, compare: np.ufunc) -> bool:
        if self.isna().any():
            return False
        try:
            codes = self._values_for_argsort()
        except TypeError:  # a leaf type without an order
            return False
        return bool(compare(codes[:-1], codes[1:]).all())

    def argsort(
        self, *, ascending: bool = True, kind: str = "quicksort", na_position: str = "last", **kwargs: Any
    ) -> npt.NDArray[np.intp]:
        """Return the row numbers in sorted order.

        Parameters
        ----------
        ascending : bool
            Whether to sort in ascending order.
        kind : str
            Ignored: the sort is always stable.
        na_position : {"last", "first"}
            The position of null rows.
        **kwargs
            Ignored; for compatibility with numpy.

        Returns
        -------
        numpy.ndarray of int
            Rows are compared item by item; a row that is a prefix of another comes first.
        """
        order = "ascending" if ascending else "descending"
        placed = "at_start" if na_position == "first" else "at_end"
        places = pc.array_sort_indices(order_keys(self._jagged), order=order, null_placement=placed)
        rows: npt.NDArray[np.intp] = places.to_numpy().astype(np.intp)
        return rows

    def searchsorted(self, value: Any, side: Any = "left", sorter: Any = None) -> Any:
        """Return the positions at which inserting rows keeps this sorted column sorted.

        Parameters
        ----------
        value : Row or array-like of rows
            The rows to insert.
        side : {"left", "right"}
            Whether to insert before or after equal rows.
        sorter : array of int, optional
            An order that sorts this column.

        Returns
        -------
        int or numpy.ndarray of int
            An int for one row, else an array.
        """
        single = not isinstance(value, (list, np.ndarray, pd.api.extensions.ExtensionArray, pd.Series))
        own = self._jagged
        others = read([value] if single else value, JaggedDtype(own.type, own.ndim))
        codes = order_codes(concat([own, others]))
        n = len(own)
        found = np.searchsorted(codes[:n], codes[n:], side=side, sorter=sorter)
        return found[0] if single else found


def _has_missing(values: Any) -> bool:
    """Whether values that are no rows of the column hold a missing one, which is a null row of every column."""
    found = np.asarray(pd.isna(values))
    return found.ndim == 1 and bool(found.any())
