"""Matches of regular expressions by compiled loops over the table of an automaton, on all cores.

Each function returns None where a loop is not ready, strings are long, or the pattern has no table: the caller then asks polars or
Arrow, whose searches take less time per byte and more per string.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from arrowjag._kernels import strategy
from arrowjag._kernels.base.blocks import map_tasks
from arrowjag._kernels.base.memory import empty, pack_bits, text_from, text_parts
from arrowjag._kernels.elementwise import automata, text_bytes
from arrowjag._kernels.elementwise.regex import shared_pattern
from arrowjag._kernels.elementwise.text_loops import added_up, as_lists, blocks, ready_loops

__all__ = ["contains", "extract_all"]

_BYTE = np.dtype(np.uint8)
_TIMES_READ = 2
"""How often a byte may be read on average; a search that reads more, as for "a*b" in long runs of a, is left to others."""


def _are_short(values: pa.Array) -> bool:
    return text_bytes.size(values) <= strategy.sizes.AUTOMATON_LENGTH * len(values)


def contains(values: pa.Array, pattern: str) -> pa.Array | None:
    """Return whether a match is in each string; nulls stay null."""
    n, shared = len(values), shared_pattern(pattern)
    if shared is None or not n or not _are_short(values):
        return None
    loops = ready_loops(n, values.null_count > 0, matched=(_BYTE, True))
    table = None if loops is None else automata.searching(shared)
    if loops is None or table is None:
        return None
    data, cuts, valid = text_parts(values)
    out = empty(n, np.uint8)
    states = table.classes, table.table, table.columns, table.first
    map_tasks(lambda block: loops[0](data, cuts, valid, *states, *block, out), blocks(n))
    return pa.Array.from_buffers(pa.bool_(), n, [None if valid is None else pack_bits(valid), pack_bits(out)])


def extract_all(values: pa.Array, pattern: str) -> pa.Array | None:
    """Return the list of all matches in each string.

    Notes
    -----
    O(bytes): the first pass counts matches, the second one copies them.
    """
    n, shared = len(values), shared_pattern(pattern)
    if shared is None or not n or not _are_short(values):
        return None
    loops = ready_loops(n, values.null_count > 0, match_counts=(_BYTE, True), match_pieces=(_BYTE, False))
    table = None if loops is None else automata.matching(shared)
    if loops is None or table is None:
        return None
    count, cut = loops
    data, cuts, valid = text_parts(values)
    taken, starts = empty(n + 1, np.int64), empty(n + 1, np.int64)
    states = table.classes, table.table, table.columns, table.first, table.inner

    def work(first: int, last: int) -> int:
        return count(data, cuts, valid, *states, _TIMES_READ, first, last, taken, starts)

    if any(added_up(work, n, taken, starts)):
        return None
    ends, out = empty(int(taken[-1]) + 1, np.int64), empty(int(starts[-1]), np.uint8)
    ends[-1] = len(out)

    def copy(block: tuple[int, int]) -> None:
        first, last = block
        cut(data, len(data), cuts, *states, taken, starts, first, last, int(starts[last]), ends, out)

    map_tasks(copy, blocks(n))
    return as_lists(text_from(values.type, ends, out), taken, valid)
