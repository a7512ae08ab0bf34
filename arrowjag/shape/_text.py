"""Dims as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np

from arrowjag.dims import Affine, Dim, Ragged, Uniform
from arrowjag.errors import plural

__all__ = ["SHOWN", "describe_dim", "dims_text", "encoding_text", "mismatch_text", "of_samples", "shape_text", "sizes_text"]

SHOWN = 6

_GLANCE = 1 << 20
"""The number of sizes that are compared in a fraction of a millisecond."""


_OF_SAMPLES = ContextVar("_OF_SAMPLES", default=False)


@contextmanager
def of_samples() -> Iterator[None]:
    """Write shapes without rows as their number of dims: they are those of samples of the types, not of the caller's data."""
    token = _OF_SAMPLES.set(True)
    try:
        yield
    finally:
        _OF_SAMPLES.reset(token)


def shape_text(dims: Sequence[Dim], *, at_a_glance: bool = False) -> str:
    """Return the repr of a shape; `at_a_glance` shows the ends of long lists without comparing all sizes."""
    if dims and not dims[0].size and _OF_SAMPLES.get():
        return f"a shape of {plural(len(dims), 'dim')}"
    return f"JaggedShape({', '.join(sizes_text(dim, at_a_glance=at_a_glance) for dim in dims)})"


def dims_text(dims: Sequence[Dim]) -> str:
    """Return the number of dims and, unless they are those of a sample, the shape: ``2 dims, JaggedShape(2, 3)``."""
    count, shape = plural(len(dims), "dim"), shape_text(dims)
    return count if shape.endswith(count) else f"{count}, {shape}"


def sizes_text(dim: Dim, *, at_a_glance: bool) -> str:
    """Koda's text of a dim: one number where all rows agree, `[]` without rows, else the sizes."""
    n = len(dim)
    if n == 0:
        return "[]"
    if (not at_a_glance or n <= _GLANCE or isinstance(dim, (Uniform, Affine))) and dim.is_uniform:
        return str(dim[0])
    if n <= SHOWN:
        return str(dim.tolist())
    ends = [str(dim[row]) for row in (0, 1, 2, n - 3, n - 2, n - 1)]
    return f"[{', '.join(ends[:3])}, ..., {', '.join(ends[3:])}]"


def encoding_text(dim: Dim) -> str:
    if isinstance(dim, Uniform) and len(dim):
        return str(dim[0])
    return str(dim.tolist()) if isinstance(dim, (Ragged, Uniform)) else repr(dim)


def describe_dim(dim: Dim) -> str:
    n = len(dim)
    if n == 0:
        return "no rows" if dim.extent is None else f"no rows, each would have {plural(dim.extent, 'item')}"
    nulls = 0 if dim.validity is None else int(n - np.count_nonzero(dim.validity))
    null_text = f", {plural(nulls, 'null row')}" if nulls else ""
    if dim.is_uniform:
        total = "" if n == 1 else f", {dim.size} in all"
        return f"{plural(n, 'row')} of {plural(dim[0], 'item')}{total}{null_text}"
    return f"{plural(n, 'row')} of {dim.min()} to {plural(dim.max(), 'item')}, {dim.size} in all{null_text}"


def mismatch_text(dims: Sequence[Dim], longer: Sequence[Dim]) -> str:
    """Why the dims of a shape are not the first ones of another, naming dim and row."""
    text = f"{shape_text(dims)} is not a prefix of {shape_text(longer)}: "
    for place, (mine, theirs) in enumerate(zip(dims, longer, strict=False)):
        if mine != theirs:
            if place == 0:
                return f"{text}{plural(mine.size, 'row')} and {plural(theirs.size, 'row')}"
            row = int(np.flatnonzero(mine.sizes != theirs.sizes)[0])
            return f"{text}dim {place}, row {row} has {plural(mine[row], 'item')} here and {theirs[row]} there"
    return f"{text}it has {plural(len(dims), 'dim')}, the other {len(longer)}"
