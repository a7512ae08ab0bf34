"""Items that are combined by the number of a result: one result per node of a tree without an outer axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import ITEM_TYPES, loop
from arrowjag._kernels.compiled.validity import chosen_of, wide_of

u8: Any = np.uint64  # Any: numba infers the exact types, so annotations would add nothing
f8: Any = np.float64

_ARGUMENTS = "item* u1* i8* i8 item*"
_NUMBERS = tuple(type for type in ITEM_TYPES if type != "b1")

Function = Callable[..., int]


@loop("item* u1* i8* i8 f8*", ("b1", "f4", "f8"))
def scattered_sums(kind: str, nulls: bool) -> Function:
    """(values, valid, nodes, n, out): adds each item to the sum of its node, in the order of the items; a null adds 0."""
    del kind
    chosen = chosen_of("f", nulls)

    def function(values: Any, valid: Any, nodes: Any, n: Any, out: Any) -> int:
        for i in range(u8(n)):
            out[u8(nodes[i])] += chosen(f8(values[i]), 0.0, valid, i)
        return 0

    return function


def _extremes(kind: str, nulls: bool, largest: bool) -> Function:
    chosen, wide = chosen_of(kind, nulls), wide_of(kind)

    def function(values: Any, valid: Any, nodes: Any, n: Any, out: Any) -> int:
        for i in range(u8(n)):
            node = u8(nodes[i])
            best = wide(out[node])
            item = chosen(wide(values[i]), best, valid, i)  # in place of a null what there is already
            out[node] = max(best, item) if largest else min(best, item)
        return 0

    return function


@loop(_ARGUMENTS, _NUMBERS)
def scattered_max(kind: str, nulls: bool) -> Function:
    """(values, valid, nodes, n, out): replaces what each node has by its largest item. There is no NaN."""
    return _extremes(kind, nulls, largest=True)


@loop(_ARGUMENTS, _NUMBERS)
def scattered_min(kind: str, nulls: bool) -> Function:
    """(values, valid, nodes, n, out): replaces what each node has by its smallest item. There is no NaN."""
    return _extremes(kind, nulls, largest=False)
