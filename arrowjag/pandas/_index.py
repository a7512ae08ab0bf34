"""The Index of jagged labels: pandas' own class would first convert every row to a Python object."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from arrowjag import _arrow
from arrowjag._kernels.base import offsets as _offsets
from arrowjag.errors import JagError, JagTypeError
from arrowjag.pandas._row_bytes import content_keys
from arrowjag.pandas.row import Row

__all__ = ["JaggedIndex"]


class JaggedIndex(pd.Index):
    """An index of rows; pandas creates it if a jagged column becomes labels or the key of a merge."""

    _values: Any
    _can_use_libjoin = False  # disables joins of sorted numpy arrays; rows are joined by content keys

    @property
    def is_unique(self) -> bool:
        """Return whether all rows are distinct."""
        return len(self._values.unique()) == len(self)

    @property
    def is_monotonic_increasing(self) -> bool:
        """Return whether rows never decrease."""
        return bool(self._values._is_monotonic_increasing)

    @property
    def is_monotonic_decreasing(self) -> bool:
        """Return whether rows never increase."""
        return bool(self._values._is_monotonic_decreasing)

    def _get_indexer(self, target: Any, method: Any = None, limit: Any = None, tolerance: Any = None) -> npt.NDArray[np.intp]:
        """Return the position of each label of another index, or -1; pandas would search for each label separately."""
        if method is not None:  # pandas raises NotImplementedError without a word
            refusal = f"get_indexer, reindex: method={method!r} is not supported for rows, whose labels are found by equality"
            raise JagTypeError(f"{refusal}. Reindex without it, and fill the values afterwards, such as by ffill()")
        if not _has_rows_of(self, target):
            found: npt.NDArray[np.intp] = super()._get_indexer(target, method, limit, tolerance)  # type: ignore[misc]  # the stubs omit it
            return found
        places = pc.index_in(_keys(target), value_set=_keys(self))
        return _arrow.to_numpy(places.fill_null(-1))[0].astype(np.intp)

    def _rows(self, labels: Any) -> Any:
        """Convert a row or a list of rows to labels; pandas would take the items of rows for labels, or for tuples of them."""
        labels = [labels] if isinstance(labels, Row) else labels.tolist() if isinstance(labels, np.ndarray) else labels
        if isinstance(labels, list) and all(isinstance(one, (Row, list, tuple)) or pd.api.types.is_scalar(one) for one in labels):
            with contextlib.suppress(JagError):  # labels of another type are not there, which pandas says
                return type(self)(type(self._values)._from_sequence(labels, dtype=self.dtype), name=self.name)
        return labels

    def _maybe_cast_listlike_indexer(self, target: Any) -> pd.Index:
        found: pd.Index = super()._maybe_cast_listlike_indexer(self._rows(target))  # type: ignore[misc]  # the stubs omit it
        return found

    def _get_indexer_strict(self, key: Any, axis_name: str) -> tuple[pd.Index, npt.NDArray[np.intp]]:
        found: tuple[pd.Index, npt.NDArray[np.intp]] = super()._get_indexer_strict(self._rows(key), axis_name)  # type: ignore[misc]
        return found

    def reindex(self, target: Any, *args: Any, **kwargs: Any) -> tuple[pd.Index, npt.NDArray[np.intp] | None]:
        """Return an index with other labels, and the position of each label in this one.

        Parameters
        ----------
        target : Index or array-like of rows
            The labels.
        *args, **kwargs
            As in `pandas.Index.reindex`.

        Returns
        -------
        new_index : Index
            The labels.
        indexer : numpy.ndarray of int, or None
            Their positions, -1 for missing ones; None if the labels are those of this index.
        """
        return super().reindex(self._rows(target), *args, **kwargs)

    def drop(self, labels: Any, errors: Any = "raise") -> JaggedIndex:
        """Return the index without some labels.

        Parameters
        ----------
        labels : Row or array-like of rows
            The labels to remove.
        errors : {"raise", "ignore"}
            What to do with labels that are not there.

        Returns
        -------
        Index
            The other labels.
        """
        return super().drop(self._rows(labels), errors=errors)

    def get_indexer_non_unique(self, target: Any) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
        """Return all positions of each label of another index.

        Parameters
        ----------
        target : Index or array-like of rows
            The labels to look up.

        Returns
        -------
        indexer : numpy.ndarray of int
            The positions of each label in order, or -1 if it is missing.
        missing : numpy.ndarray of int
            The labels without a position.
        """
        target = self._maybe_cast_listlike_indexer(target)
        if not _has_rows_of(self, target):
            return super().get_indexer_non_unique(target)
        n = len(self)
        codes, firsts = _arrow.factorize(pa.concat_arrays([_keys(self), _keys(target)]))
        codes += 1  # 0 is the code of null rows
        order = np.argsort(codes[:n], kind="stable")
        counts = np.bincount(codes[:n], minlength=len(firsts) + 1)
        times, starts = counts[codes[n:]], (np.cumsum(counts) - counts)[codes[n:]]
        offsets = _offsets.from_counts(np.maximum(times, 1))
        places = np.append(order, -1)[np.where(np.repeat(times > 0, np.maximum(times, 1)), _offsets.runs(starts, offsets), n)]
        return places.astype(np.intp), np.flatnonzero(times == 0).astype(np.intp)


def _has_rows_of(index: JaggedIndex, other: Any) -> bool:
    return isinstance(other, JaggedIndex) and other.dtype == index.dtype


def _keys(index: JaggedIndex) -> pa.Array:
    return content_keys(index._values._jagged)
