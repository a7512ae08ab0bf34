"""Dictionaries inside rows: where the key of each probe stands among the keys of its row."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels import few
from arrowjag._kernels.few import Key
from arrowjag._kernels.hashing import find, leads
from arrowjag.errors import JagValueError

__all__ = ["lookup"]


def lookup(
    table: Key, offsets: NDArray[np.int64], probes: Key, probe_offsets: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Find each probe among the keys of its row.

    Parameters
    ----------
    table : (key, valid)
        Keys, distinct in each row but for nulls, at least one of them in all.
    offsets : (n_rows + 1,) int64 array
        Cuts the keys into rows.
    probes : (key, valid)
        Of the same dtype.
    probe_offsets : (n_rows + 1,) int64 array

    Returns
    -------
    items : (n_probes,) int64 array
        Item numbers into the table, within range.
    hit : (n_probes,) bool array
        Whether that item is the one sought. NaN equals NaN, a null equals nothing.

    Raises
    ------
    JagValueError
        A row with two equal keys.

    Notes
    -----
    O(rows + keys + probes).
    """
    if few.is_few(table, probes):
        items, hit, row = few.lookup(table, offsets, probes, probe_offsets)
        if row is not None:
            _refuse(row)
        return np.minimum(items, len(table[0]) - 1), hit
    data, valid = table
    present = None if valid is None else valid.nonzero()[0]
    if present is None:
        cuts = offsets
    else:
        data, cuts = data[present], present.searchsorted(offsets)
    items, distinct = find(data, cuts, probes[0], probe_offsets)
    if not distinct:
        _refuse(int(np.searchsorted(cuts, int(np.argmin(leads(data, cuts))), side="right")) - 1)
    hit = items >= 0
    if probes[1] is not None:
        hit &= probes[1]
    np.maximum(items, 0, out=items)
    return items if present is None or len(present) == 0 else present[items], hit


def _refuse(row: int) -> None:
    raise JagValueError(f"translate: keys_from has equal keys in row {row}; keys must be unique in each row")
