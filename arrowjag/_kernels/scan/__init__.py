"""Running totals, shifts and moving windows along rows: one result for each item."""

from arrowjag._kernels.scan.neighbours import diff, has_slot, reaches_back, relative_change, shift_index
from arrowjag._kernels.scan.running import cumcount, cummax, cummin, cumprod, cumsum

__all__ = [
    "cumcount",
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "diff",
    "has_slot",
    "reaches_back",
    "relative_change",
    "shift_index",
]
