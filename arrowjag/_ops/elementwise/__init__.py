"""Element by element: type promotion, arithmetic, comparison, logic, ufuncs, where and coalesce.

Operands are columns or Arrow scalars. Columns are aligned by the prefix rule first; what computes is a pyarrow kernel on
flat values, or numpy where pyarrow has none or where values are many. Files import downward: types, framework, blockwise,
arithmetic and comparison and choosing, operators, ufuncs.
"""

from __future__ import annotations

from arrowjag._ops.elementwise.blockwise import compute
from arrowjag._ops.elementwise.choosing import coalesce, fill_null, where
from arrowjag._ops.elementwise.framework import Datum, Operand, apply, cast_datum, columns_of
from arrowjag._ops.elementwise.operators import BINARY, UNARY, binary, cast, clip, round_to, unary
from arrowjag._ops.elementwise.types import as_type, is_text, promote, scalar_like
from arrowjag._ops.elementwise.ufuncs import ufunc

__all__ = [
    "BINARY",
    "UNARY",
    "Datum",
    "Operand",
    "apply",
    "as_type",
    "binary",
    "cast",
    "cast_datum",
    "clip",
    "coalesce",
    "columns_of",
    "compute",
    "fill_null",
    "is_text",
    "promote",
    "round_to",
    "scalar_like",
    "ufunc",
    "unary",
    "where",
]
