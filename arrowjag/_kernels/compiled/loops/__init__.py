"""The loops themselves, by family. Importing a module enters its loops into `LOOPS`; importing this package completes it.

Each maker returns a function of pointers. So that objects can be loaded without numba, a function allocates nothing, raises nothing
and calls only the mathematical library. Positions are unsigned: numba adds a branch to signed ones, to count from the end.
"""

from __future__ import annotations

from arrowjag._kernels.compiled.loop import LOOPS, Loop
from arrowjag._kernels.compiled.loops import (
    bits,
    casts,
    chosen,
    comparisons,
    counts,
    decay,
    decimals,
    deviations,
    division,
    equality,
    extremes,
    fused,
    halves,
    histograms,
    items,
    joined,
    json,
    moves,
    noted,
    order,
    programs,
    ranks,
    reductions,
    scans,
    scattered,
    search,
    selection,
    sets,
    spread,
    statistics,
    strings,
    text,
    weights,
    whole_sums,
    windows,
)

__all__ = [
    "LOOPS",
    "bits",
    "casts",
    "chosen",
    "comparisons",
    "counts",
    "decay",
    "decimals",
    "deviations",
    "division",
    "equality",
    "extremes",
    "fused",
    "halves",
    "histograms",
    "items",
    "joined",
    "json",
    "loop_named",
    "moves",
    "noted",
    "order",
    "programs",
    "ranks",
    "reductions",
    "scans",
    "scattered",
    "search",
    "selection",
    "sets",
    "spread",
    "statistics",
    "strings",
    "text",
    "weights",
    "whole_sums",
    "windows",
]


def loop_named(name: str) -> Loop:
    """Return a loop by its name, from the table of loops or generated for a fused program."""
    return fused.loop_of(name) if name.startswith(programs.PREFIX) else LOOPS[name]
