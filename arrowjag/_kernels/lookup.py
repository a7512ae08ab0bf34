"""Dictionaries inside rows: where the key of each probe stands among the keys of its row."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels import few
from arrowjag._kernels.offsets import row_sizes
from arrowjag._kernels.rank import sorted_runs
from arrowjag._kernels.sort import Key, searchsorted
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
    O((keys + probes) log(longest row)).
    """
    if few.is_few(table, probes):
        items, hit, row = few.lookup(table, offsets, probes, probe_offsets)
        if row is not None:
            _refuse(row)
        return np.minimum(items, len(table[0]) - 1), hit
    order = _unique_order(table, offsets)
    data, valid = table[0][order], None if table[1] is None else table[1][order]
    sizes = row_sizes(probe_offsets)
    slot = searchsorted(data, offsets, probes[0], probe_offsets, "left", valid)
    at = offsets[:-1].repeat(sizes) + slot
    inside = at < offsets[1:].repeat(sizes)
    at = np.minimum(at, len(data) - 1)
    hit = inside & _same(data[at], probes[0])
    for mask in (probes[1], None if valid is None else valid[at]):
        hit = hit if mask is None else hit & mask
    return order[at], hit


def _same(one: NDArray[Any], two: NDArray[Any]) -> NDArray[np.bool_]:
    equal: NDArray[np.bool_] = one == two
    return equal | (np.isnan(one) & np.isnan(two)) if one.dtype.kind == "f" else equal


def _unique_order(key: Key, offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """The order that sorts each row of keys."""
    order, begins = sorted_runs([key], offsets)
    repeated = ~begins if key[1] is None else ~begins & key[1][order]
    if repeated.any():
        _refuse(int(np.searchsorted(offsets, int(repeated.argmax()), side="right")) - 1)
    return order


def _refuse(row: int) -> None:
    raise JagValueError(f"translate: keys_from has equal keys in row {row}; keys must be unique in each row")
