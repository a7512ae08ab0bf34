"""Dims: one level of nesting as a sequence of row sizes, in the most compact encoding.

Seven encodings describe the same sizes. `Ragged` lists every size. `Uniform` is one size for all rows, `Affine` a
size that changes by a constant step, `Repeat` a dim concatenated with itself, `Runs` a dim whose rows are each repeated several
times, `Sparse` zeros except for a few rows, `Chain` a concatenation of dims. They have the same methods, and compare
and hash alike; regular encodings compute results from their parameters, for any number of rows.

The encodings are those of fold.
"""

from __future__ import annotations

from arrowjag.dims import _algebra
from arrowjag.dims._algebra import concat
from arrowjag.dims._base import Dim
from arrowjag.dims._grammar import from_offsets, is_pattern, to_dim
from arrowjag.dims._nested import Chain, Repeat, Runs, Sparse
from arrowjag.dims._plain import Affine, Ragged, Uniform

__all__ = [
    "Affine",
    "Chain",
    "Dim",
    "Ragged",
    "Repeat",
    "Runs",
    "Sparse",
    "Uniform",
    "concat",
    "from_offsets",
    "is_pattern",
    "to_dim",
]

Dim._algebra = _algebra
