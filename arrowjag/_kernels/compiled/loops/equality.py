"""Which items of a row are equal: the first of each, by comparing short rows and by a table for long ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import ITEM_TYPES, PART_BITS, SLOTS, TABLE, helper, loop
from arrowjag._kernels.compiled.vectors import hits_of
from arrowjag._kernels.compiled.words import store_word

u8: Any = np.uint64  # Any: numba infers the exact types, so annotations would add nothing
i8: Any = np.int64
f8: Any = np.float64
_BITS = ("u1", "u2", "u4", "u8")

SKIPPED = 64
"""Number of items that are compared at once in the search for an equal item of a row."""

SPAN = 16
"""Items that are compared with the first one before the loop looks whether all were equal."""

FEW = TABLE >> 3
"""A row that is too long for a table of `TABLE` entries is left to the caller if more of its items differ."""

SHORT = 12
"""Rows up to this length compare each item with those before it."""

__all__ = ["SHORT", "mixed", "n_kept", "n_slots", "place_of", "slot_of"]

Function = Callable[..., int]


@helper
def mixed(word: Any) -> Any:
    """A hash of a word, different for different words, whose low bits depend on all bits.

    The low half of a product does not depend on the high bits of its factors, in which whole floats and words of text differ.
    """
    word = (word ^ (word >> u8(32))) * u8(0x9E3779B97F4A7C15)
    return word ^ (word >> u8(32))


@helper
def slot_of(item: Any, within: Any) -> Any:
    """The slot of a table at which the search for an item's bits begins."""
    return mixed(u8(item)) & within


@helper
def n_slots(n_items: Any, mask: Any) -> Any:
    """How many of a table's mask + 1 entries a row of `n_items` uses: two for each, and up to `SLOTS` as far as there are more.

    They are a power of two. Items that meet others take a branch that no processor foresees: 1M float64 in rows of 1,000 take
    6.4 ms with two entries for each, with eight 2.0.
    """
    size, most = u8(16), min(u8(mask) + u8(1), u8(TABLE))
    while size <= u8(mask) and (size < n_items * u8(2) or (size < n_items * u8(SLOTS) and size < most)):
        size <<= u8(1)
    return size


@helper
def n_kept(n_items: Any, size: Any) -> Any:
    """How many different items of a row of `n_items` a table of `size` entries may hold: all where there are two for each."""
    return size if size >= n_items * u8(2) else u8(FEW)


@helper
def place_of(item: Any, values: Any, table: Any, begin: Any, within: Any) -> Any:
    """The entry of a table that has the number of an equal item, or the free one for it, whose number lies before `begin`."""
    place = slot_of(item, within)
    while table[place] >= i8(begin) and values[u8(table[place])] != item:
        place = (place + u8(1)) & within
    return place


def _firsts(nulls: bool, marks: bool) -> Function:
    def function(values: Any, valid: Any, offsets: Any, first: Any, last: Any, table: Any, mask: Any, out: Any, counts: Any) -> int:
        for row in range(u8(first), u8(last)):
            begin, end = u8(offsets[row]), u8(offsets[row + u8(1)])
            n_different = 0
            if end - begin <= u8(SHORT):
                for i in range(begin, end):
                    item = values[i]
                    earliest = i
                    for j in range(begin, i):
                        same = (values[j] == item) & (earliest == i)
                        if nulls:
                            same = same & (valid[j] != 0)
                        earliest = j if same else earliest
                    is_null = valid[i] == 0 if nulls else False
                    is_first = (earliest == i) & (not is_null)
                    n_different += 1 if is_first else 0
                    out[i] = is_first if marks else (i8(-1) if is_null else i8(earliest))
            else:
                size = n_slots(end - begin, mask)
                most, within = n_kept(end - begin, size), size - u8(1)
                for i in range(begin, end):
                    if nulls and valid[i] == 0:
                        if not marks:
                            out[i] = -1
                        continue
                    place = place_of(values[i], values, table, begin, within)
                    found = table[place]
                    if found < i8(begin):
                        table[place] = i8(i)
                        found = i8(i)
                        n_different += 1
                        if u8(n_different) > most:
                            return int(row) + 1
                        if marks:
                            out[i] = 1
                    if not marks:
                        out[i] = found
            counts[row] = n_different
        return 0

    return function


@loop("item* u1* i8* i8 i8 i8* u8 i8* i8*", _BITS)
def first_occurrences(kind: str, nulls: bool) -> Function:
    """(values, valid, offsets, first, last, table, mask, out, counts): the first equal item of each item's row, as an item number.

    Values are bits: equal items have equal ones. A null leads to -1. `counts` receives the number of distinct items of each row.

    `table` has mask + 1 entries, a power of two: two for each item of the longest row, or `TABLE`. They are -1 before the first
    row. Those of earlier rows need no clearing: their item numbers lie before the row.

    The loop ends at a row for which the table is too small if more than `FEW` of its items differ, and returns the number of the
    next row; it returns 0 if it did all rows.
    """
    del kind
    return _firsts(nulls, marks=False)


@loop("item* u1* i8* i8 i8 i8* u8 u1* i8*", _BITS)
def is_first_distinct(kind: str, nulls: bool) -> Function:
    """(values, valid, offsets, first, last, table, mask, out, counts): whether each item is the first of equal ones in its row.

    A null is not. `out` holds 0; the other arguments are those of `first_occurrences`.
    """
    del kind
    return _firsts(nulls, marks=True)


@loop("item* u1* i8 i8 i8* i8* item* i8*", _BITS)
def divided(kind: str, nulls: bool) -> Function:
    """(values, valid, n, level, places, cuts, out, slots): items in parts by their hashes, and the slot that each item had.

    Values are bits, as in `first_occurrences`; nulls are left out. Equal items are in one of the 2 ** `PART_BITS` parts, which
    keep the order of the items. Each level takes other bits of the hashes. `cuts` holds zeros and receives where the parts begin
    and end; `places` is scratch.
    """
    del kind

    def function(values: Any, valid: Any, n: Any, level: Any, places: Any, cuts: Any, out: Any, slots: Any) -> int:
        n_parts = u8(1) << u8(PART_BITS)
        shift, within = u8(64) - u8(PART_BITS) * (u8(level) + u8(1)), n_parts - u8(1)
        for i in range(u8(n)):
            if not nulls or valid[i] != 0:
                cuts[(mixed(u8(values[i])) >> shift & within) + u8(1)] += 1
        for part in range(n_parts):
            places[part] = cuts[part]
            cuts[part + u8(1)] += cuts[part]
        for i in range(u8(n)):
            if not nulls or valid[i] != 0:
                part = mixed(u8(values[i])) >> shift & within
                at = u8(places[part])
                out[at] = values[i]
                slots[at] = i8(i)
                places[part] = i8(at) + 1
        return 0

    return function


@loop("item* item* u1* i8* i8 i8 i8*")
def last_equal(kind: str, nulls: bool) -> Function:
    """(values, known, valid, offsets, first, last, out): the last item of each row that equals the first of `known`, else -1."""
    return _equal_item(kind == "f", nulls, from_end=True)


@loop("item* item* u1* i8* i8 i8 i8*")
def first_equal(kind: str, nulls: bool) -> Function:
    """(values, known, valid, offsets, first, last, out): the first item of each row that equals the first of `known`, else -1."""
    return _equal_item(kind == "f", nulls, from_end=False)


def _equal_item(is_float: bool, nulls: bool, *, from_end: bool) -> Function:
    @helper
    def is_same(values: Any, valid: Any, i: Any, wanted: Any) -> Any:
        same = values[i] == wanted
        if is_float:
            same = same | ((wanted != wanted) & (values[i] != values[i]))
        return same & (valid[i] != 0) if nulls else same

    def function(values: Any, known: Any, valid: Any, offsets: Any, first: Any, last: Any, out: Any) -> int:
        wanted = known[0]
        for row in range(u8(first), u8(last)):
            begin, end = u8(offsets[row]), u8(offsets[row + u8(1)])
            found = i8(-1)
            while end - begin >= u8(SKIPPED):  # skips items, many at once, until one of them is equal
                at = end - u8(SKIPPED) if from_end else begin
                hits = u8(0)
                for k in range(at, at + u8(SKIPPED)):
                    hits += u8(is_same(values, valid, k, wanted))
                if hits:
                    break
                if from_end:
                    end = at
                else:
                    begin = at + u8(SKIPPED)
            while end > begin:
                at = end - u8(1) if from_end else begin
                if is_same(values, valid, at, wanted):
                    found = i8(at)
                    break
                if from_end:
                    end = at
                else:
                    begin = at + u8(1)
            out[row] = found
        return 0

    return function


@loop("item* item* i8 i8 u1*", tuple(type for type in ITEM_TYPES if type != "b1"))
def one_of(kind: str, nulls: bool) -> Function:
    """(values, known, first, last, out): bits of whether items equal one of four, from bit 0 of `out` on.

    They are those from the first to before the last one; the first byte belongs to the first item.
    """
    del nulls

    def function(values: Any, known: Any, first: Any, last: Any, out: Any) -> int:
        a, b, c, d = known[0], known[1], known[2], known[3]
        at, end, place = u8(first), u8(last), u8(0)
        while at + u8(64) <= end:
            store_word(out, place, hits_of(values, at, a, b, c, d))
            at += u8(64)
            place += u8(8)
        while at < end:
            byte = u8(0)
            for k in range(u8(0), min(end - at, u8(8))):
                item = values[at + k]
                byte |= u8((item == a) | (item == b) | (item == c) | (item == d)) << k
            out[place] = np.uint8(byte)
            at += u8(8)
            place += u8(1)
        return 0

    return function


@loop("item* item* i8 item*", tuple(type for type in ITEM_TYPES if type != "b1"))
def replace_equal(kind: str, nulls: bool) -> Function:
    """(values, pair, n, out): items that equal the first of the pair become the second; returns 1 if there are any."""
    del kind, nulls

    def function(values: Any, pair: Any, n: Any, out: Any) -> int:
        old, new = pair[0], pair[1]
        found = False
        for i in range(u8(n)):
            item = values[i]
            hit = item == old
            out[i] = new if hit else item
            found |= hit
        return 1 if found else 0

    return function


@loop("item* u1* i8* i8 i8 i8* u1*")
def collapsed(kind: str, nulls: bool) -> Function:
    """(values, valid, offsets, first, last, out, there): the first item of each row that is not null, and whether all equal it."""
    is_float = kind == "f"

    def function(values: Any, valid: Any, offsets: Any, first: Any, last: Any, out: Any, there: Any) -> int:
        for row in range(u8(first), u8(last)):
            at, end = u8(offsets[row]), u8(offsets[row + u8(1)])
            if nulls:
                while at < end and valid[at] == 0:
                    at += u8(1)
            n_others = u8(0)
            i = at
            while i < end and n_others == u8(0):
                stop = end if end - i < u8(SPAN) else i + u8(SPAN)
                for j in range(i, stop):
                    other = values[j] != values[at]
                    if is_float:
                        other = other & ((values[j] == values[j]) | (values[at] == values[at]))
                    if nulls:
                        other = other & (valid[j] != 0)
                    n_others += u8(other)
                i = stop
            keeps = (at < end) & (n_others == u8(0))
            out[row] = i8(at) if keeps else i8(0)
            there[row] = keeps
        return 0

    return function
