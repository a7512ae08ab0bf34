"""Write items to given positions, reverse rows, invert permutations, and fill nulls with the value of a neighbour."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pt
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base.blocks import map_rows, map_tasks
from arrowjag._kernels.base.fill import fill, light_block
from arrowjag._kernels.base.memory import empty, empty_like, zeros
from arrowjag._kernels.base.monotonic import all_neighbours
from arrowjag._kernels.base.offsets import row_sizes, runs, span_of
from arrowjag._kernels.base.polars_lists import reverse_lists, takes_long_lists
from arrowjag._kernels.base.words import data_of, from_words, has_words, or_all, valid_of
from arrowjag._kernels.compiled import Compiled
from arrowjag._kernels.compiled.library import find_loop
from arrowjag._kernels.move.gather import take
from arrowjag._kernels.move.reversal import can_reverse, reverse_rows
from arrowjag._kernels.move.rows import word_of
from arrowjag.errors import JagOverflowError, JagValueError, brief, plural

__all__ = ["are_distinct", "carry", "inverse", "invert_rows", "null_sources", "put", "reverse"]


def are_distinct(places: NDArray[np.int64], n: int) -> bool:
    """Return whether all places, which are from 0 to n - 1, differ.

    Notes
    -----
    O(n + len(places)), or a sort if there are few places. Ascending places are seen in one pass; other places leave marks, and the
    marks are counted: 2 and 15 ms for 5M, where sorting takes 300.
    """
    if all_neighbours(np.greater, places):
        return True
    if len(places) > n:
        return False
    if strategy.choose("are_distinct", len(places), n) == "sort":
        ordered = np.sort(places)
        return bool((ordered[1:] > ordered[:-1]).all())
    marks = zeros(n, np.bool_)
    _write(marks, places, np.ones(1, np.bool_))
    return int(np.count_nonzero(marks)) == len(places)


def put(values: pa.Array[Any], places: NDArray[np.int64], items: pa.Array[Any]) -> pa.Array[Any]:
    """Copy fixed-width values and write each item to its place.

    Parameters
    ----------
    values : (n,) Arrow array
        Of a type that has words.
    places : (m,) int64 array
        Distinct, within range; they are trusted.
    items : (m,) Arrow array of the same type

    Returns
    -------
    (n,) Arrow array of the same type

    Notes
    -----
    O(n + m), a new array, copied and written over: 10 ms for 5M float64, where taking from values and items end to end needs 31.
    """
    if len(places) == 0:
        return values
    old = data_of(values)
    if len(old) < strategy.sizes.CALL_VALUES:
        data = old.copy()
    else:
        data = fill(lambda part, out: np.copyto(out, old[part]), len(old), old.dtype, light_block(len(old), old.itemsize))
    _write(data, places, data_of(items))
    if values.null_count == 0 and items.null_count == 0:
        return from_words(values.type, data)
    valid, known = valid_of(values), valid_of(items)
    flags = or_all(valid, len(values))  # a new array in either case
    _write(flags, places, or_all(known, 1))
    return from_words(values.type, data, flags)


def _write(out: NDArray[Any], places: NDArray[np.int64], items: NDArray[Any]) -> None:
    """Write one item to each place, or one item to all places, on all cores. Places may repeat only in the second case."""
    step = strategy.sizes.PASS_VALUES
    if len(places) <= step:
        out[places] = items
        return

    def work(first: int) -> None:
        part = slice(first, first + step)
        out[places[part]] = items if len(items) == 1 else items[part]

    map_tasks(work, range(0, len(places), step))


def carry(values: pa.Array[Any], valid: NDArray[np.bool_], offsets: NDArray[np.int64], direction: str) -> pa.Array[Any]:
    """Replace each null by the last valid value before it in its row, or by the next one after it.

    Parameters
    ----------
    values : (n_values,) Arrow array of any type
    valid : (n_values,) boolean array
        Which items are not null.
    offsets : (n_rows + 1,) int64 array
    direction : str
        "forward" for the last one, "backward" for the next one.

    Returns
    -------
    (n_values,) Arrow array of the same type

    Raises
    ------
    JagValueError
        Any other direction.

    Notes
    -----
    O(n_rows + n_values), a new array. 1M float64 in rows of 1,000, every twentieth null, take 1.9 ms of CPU time by the loop;
    copied, and the nulls written over, 3.5; by a source for each item 15.
    """
    if direction not in ("forward", "backward"):
        raise JagValueError(f'fill: direction is "forward" or "backward", got {brief(direction)}.')
    word = word_of(values.type)
    loop = None if word is None else find_loop("carried", word, True, len(values))
    by = strategy.choose("carry", len(values), loop is not None) if has_words(values.type) else "small"
    if by == "compiled" and loop is not None:
        return _carried(loop, values, valid, offsets, direction == "backward")
    nulls, sources, known = null_sources(valid, offsets, direction)
    if by == "words":
        return put(values, nulls, take(values, sources, known))
    index, there = np.arange(len(values)), np.ones(len(values), np.bool_)
    index[nulls], there[nulls] = sources, known
    return take(values, index, there)


def _carried(
    loop: Compiled, values: pa.Array[Any], valid: NDArray[np.bool_], offsets: NDArray[np.int64], from_end: bool
) -> pa.Array[Any]:
    data = np.ascontiguousarray(data_of(values))
    out, there = empty(len(data), data.dtype), empty(len(data), np.bool_)
    n_nulls = sum(map_rows(lambda first, last: loop(data, valid, offsets, first, last, int(from_end), out, there), offsets))
    return from_words(values.type, out, there if n_nulls else None)


def null_sources(
    valid: NDArray[np.bool_], offsets: NDArray[np.int64], direction: str
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Find the places of nulls, the place of the value that replaces each, and whether its row has such a value.

    The place of a value that does not exist is arbitrary, within range.
    """
    nulls = np.logical_not(valid).nonzero()[0]
    begins = zeros(len(valid) + 1, np.bool_)
    begins[offsets] = True
    # Adjacent nulls of one row have the same source.
    first = begins[nulls]
    first[1:] |= nulls[1:] != nulls[:-1] + 1
    first[:1] = True
    heads = first.nonzero()[0]
    bounds = np.append(heads, len(nulls))
    counts = bounds[1:] - bounds[:-1]
    if direction == "forward":
        source = nulls[heads] - 1
        known = ~begins[source + 1]
    else:
        source = nulls[bounds[1:] - 1] + 1
        known = ~begins[source]
    source[~known] = 0
    return nulls, source.repeat(counts), known.repeat(counts)


def inverse(order: NDArray[np.int64]) -> NDArray[np.int64]:
    """Invert a permutation: result[order[i]] == i. O(n), a new array."""
    result = empty(len(order), np.int64)
    result[order] = np.arange(len(order))
    return result


def invert_rows(
    data: NDArray[Any], valid: NDArray[np.bool_] | None, offsets: NDArray[np.int64]
) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    """Find for each slot of a row the slot whose item points at it.

    Parameters
    ----------
    data : (n_values,) integer array
        Slots of their own row.
    valid : (n_values,) bool array, optional
        Nulls point nowhere.
    offsets : (n_rows + 1,) int64 array

    Returns
    -------
    slots : (n_values,) array of the same type
    hit : (n_values,) bool array or None
        True for a value that points at an item; None if all do.

    Raises
    ------
    JagValueError
        A slot that the row lacks, or one that occurs twice; slot and row are named.
    JagOverflowError
        The type is too narrow for the slots of a row.

    Notes
    -----
    O(n_rows + n_values), new arrays. Permutations stay within rows, so blocks of rows are written while they are in cache. If n
    items point at all of n slots, no search for duplicates is needed: 5M int64 take 24 ms of CPU time instead of 112.
    """
    slots, hit = empty_like(data), None if valid is None else empty(len(data), np.bool_)

    def work(first: int, last: int) -> bool:
        items, cuts = span_of(offsets, first, last)
        if valid is None or hit is None:
            return _invert_full(data[items], cuts, slots[items])
        return _invert_partial(data[items], valid[items], cuts, slots[items], hit[items])

    if not all(map_rows(work, offsets, block_values=strategy.sizes.WORD_VALUES)):
        _explain(data, valid, offsets)
    return slots, hit


def _heads(cuts: NDArray[np.int64]) -> NDArray[Any]:
    """The first item of each item's row."""
    dtype = np.int32 if cuts[-1] < 2**30 else np.int64
    return cuts[:-1].astype(dtype).repeat(row_sizes(cuts))


def _signed(data: NDArray[Any]) -> NDArray[Any]:
    return data.view(np.int64) if data.dtype == np.uint64 else data


def _invert_full(data: NDArray[Any], cuts: NDArray[np.int64], out: NDArray[Any]) -> bool:
    """Write a block without nulls, and return whether its rows are permutations."""
    data, n = _signed(data), len(data)
    if n == 0:
        return True
    if data.min() < 0 or data.max() >= n:
        return False
    heads = _heads(cuts)
    target = heads + data
    if target.max() >= n:
        return False
    # No item points before its row, so only it and rows before it hit a row's slots: all are hit only if each row hits its own.
    found = np.full(n, -1, heads.dtype)
    found[target] = np.arange(n, dtype=heads.dtype)
    if found.min() < 0:
        return False
    np.subtract(found, heads, out=out, casting="unsafe")
    return True


def _invert_partial(
    data: NDArray[Any], valid: NDArray[np.bool_], cuts: NDArray[np.int64], out: NDArray[Any], hit: NDArray[np.bool_]
) -> bool:
    items = valid.nonzero()[0]
    slots, heads = _signed(data)[items], _heads(cuts)[items]
    out[:], hit[:] = 0, False
    if len(items) == 0:
        return True
    if slots.min() < 0 or slots.max() >= len(data):
        return False
    target = heads + slots
    if (target >= cuts[1:].repeat(row_sizes(cuts))[items]).any():
        return False
    hit[target] = True
    found = items - heads
    if np.count_nonzero(hit) < len(items) or found.max() > np.iinfo(data.dtype).max:
        return False
    out[target] = found
    return True


def _explain(data: NDArray[Any], valid: NDArray[np.bool_] | None, offsets: NDArray[np.int64]) -> None:
    """Raise for the first item that points where none may point, or that no inverse can point at."""
    sizes, items = row_sizes(offsets), np.arange(len(data)) if valid is None else valid.nonzero()[0]
    heads, slots = offsets[:-1].repeat(sizes)[items], data[items].astype(np.int64)
    wrong = (slots < 0) | (slots >= sizes.repeat(sizes)[items])
    if wrong.any():
        _refuse(int(items[wrong.argmax()]), data, offsets, "is out of range")
    twice = np.bincount(heads + slots)[heads + slots] > 1
    if twice.any():
        _refuse(int(items[twice.argmax()]), data, offsets, "occurs twice")
    item = int(items[(items - heads > np.iinfo(data.dtype).max).argmax()])
    row = int(np.searchsorted(offsets, item, side="right")) - 1
    raise JagOverflowError(
        f"inverse_permutation: slot {item - int(offsets[row])} of row {row} does not fit {data.dtype}; cast to a wider type first",
        row=row,
    )


def _refuse(item: int, data: NDArray[Any], offsets: NDArray[np.int64], why: str) -> None:
    row = int(np.searchsorted(offsets, item, side="right")) - 1
    size = int(offsets[row + 1] - offsets[row])
    raise JagValueError(f"inverse_permutation: position {data[item]} {why} in row {row}, which has {plural(size, 'item')}", row=row)


def reverse(values: pa.Array[Any], offsets: NDArray[np.int64]) -> pa.Array[Any]:
    """Return the items of each row from its last to its first.

    Parameters
    ----------
    values : (n_values,) Arrow array of any type
    offsets : (n_rows + 1,) int64 array

    Returns
    -------
    (n_values,) Arrow array of the same type

    Notes
    -----
    O(n_rows + n_values), a new array.
    """
    by = strategy.choose("reverse", can_reverse(values.type, len(values)))
    found = reverse_rows(values, offsets) if by == "compiled" else _reversed_lists(values, offsets)
    return take(values, runs(offsets[1:] - 1, offsets, -1)) if found is None else found


def _reversed_lists(values: pa.Array[Any], offsets: NDArray[np.int64]) -> pa.Array[Any] | None:
    """Reverse long rows of fixed-width values by polars, as integers, or return None if another strategy is chosen."""
    if pt.is_boolean(values.type) or not has_words(values.type):
        return None
    data = data_of(values)
    if not takes_long_lists(data, offsets):
        return None
    return reverse_lists(data, valid_of(values), offsets).view(values.type)
