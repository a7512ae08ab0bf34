"""Sort texts: words of eight bytes are sorted as numbers, and texts with equal words by the words that follow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base.blocks import map_cells
from arrowjag._kernels.base.memory import empty
from arrowjag._kernels.base.offsets import from_sizes
from arrowjag._kernels.base.texts import text_parts
from arrowjag._kernels.base.words import is_variable_size
from arrowjag._kernels.compiled import Compiled
from arrowjag._kernels.compiled.library import find_loop
from arrowjag._kernels.order.sort import argsort

__all__ = ["order_of_distinct"]

WORD = 8
"""Bytes of a word."""


def order_of_distinct(values: pa.Array[Any]) -> NDArray[np.int64]:
    """The order that sorts values of any type that Arrow sorts, all of them different and none null.

    Notes
    -----
    1M texts of 11 bytes take 80 ms on two cores with a compiled loop, Arrow's sort 400.
    """
    if len(values) < 2:
        return np.arange(len(values))
    loop = strategy.loop_of(
        "text", find_loop("text_words", np.dtype(np.uint8), False, len(values)) if is_variable_size(values.type) else None
    )
    if loop is not None:
        return _order_by_words(loop, values)
    return _order_by_arrow(values)


def _order_by_arrow(values: pa.Array[Any]) -> NDArray[np.int64]:
    order: NDArray[np.int64] = pc.array_sort_indices(values).to_numpy().astype(np.int64)
    return order


def _order_by_words(loop: Compiled, values: pa.Array[Any]) -> NDArray[np.int64]:
    """The order that sorts texts eight bytes at a time: the items that are equal so far are the rows of the next sort."""
    data, cuts, _ = text_parts(values)

    def words_at(items: NDArray[np.int64], depth: int) -> NDArray[np.uint64]:
        out = empty(len(items), np.uint64)
        map_cells(lambda first, last: loop(data, len(data), cuts, items, first, last, depth, out), len(items), out.itemsize)
        return out

    order = np.arange(len(values))
    items, places, offsets, depth = order, order, np.array([0, len(values)]), 0
    words = words_at(items, depth)
    while depth < int(cuts[1] - cuts[0]) and (words == words[0]).all():  # all begin alike
        depth += WORD
        words = words_at(items, depth)
    order = order.copy()
    for _ in range(strategy.sizes.TEXT_WORDS):
        taken = argsort(words, None, offsets)
        items, words = items[taken], words[taken]
        order[places] = items
        begins = np.ones(len(items) + 1, np.bool_)
        begins[1:-1] = words[1:] != words[:-1]
        begins[offsets] = True
        starts = begins.nonzero()[0]
        sizes = starts[1:] - starts[:-1]
        equal = np.repeat(sizes > 1, sizes)
        items, places, offsets, depth = items[equal], places[equal], from_sizes(sizes[sizes > 1]), depth + WORD
        if not len(items):
            return order
        words = words_at(items, depth)
    order[places] = items[_order_by_arrow(values.take(pa.array(items)))]
    return order
