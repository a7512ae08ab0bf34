"""Elementwise operations: type promotion, arithmetic, comparison, logic, ufuncs, where and coalesce.

Operands are columns or Arrow scalars. Columns are aligned by the prefix rule; then a pyarrow kernel computes on flat values, or
numpy if pyarrow lacks the kernel or is slower. Each module imports only from earlier ones: types, framework, blockwise,
arithmetic and comparison and choosing, operators, ufuncs.
"""

from __future__ import annotations

from arrowjag._ops.elementwise.arithmetic import exact_product, fitting_product, product_overflows
from arrowjag._ops.elementwise.categories import Categories, as_category, codes_beside, from_codes, is_ordered
from arrowjag._ops.elementwise.choosing import coalesce, fill_null, where
from arrowjag._ops.elementwise.comparison import are_moments, exact_counts
from arrowjag._ops.elementwise.decimals import check_rounded
from arrowjag._ops.elementwise.durations import by_counts
from arrowjag._ops.elementwise.framework import (
    Datum,
    Operand,
    apply,
    cast_datum,
    columns_of,
    decoded,
    half_to_single,
    in_one_zone,
    in_single_precision,
    row_of,
    single_to_half,
)
from arrowjag._ops.elementwise.operators import (
    BINARY,
    COMPARISONS,
    PYTHON_BINARY,
    PYTHON_COMPARISONS,
    PYTHON_OPERATORS,
    PYTHON_UNARY,
    UFUNCS,
    UNARY,
    binary,
    cast,
    cast_values,
    clip,
    compute,
    nan_to_null,
    nan_to_null_values,
    round_to,
    unary,
)
from arrowjag._ops.elementwise.types import (
    as_type,
    bound_like,
    common_type,
    is_bytes,
    is_text,
    members_like,
    plain_type,
    promote,
    refuse_other_fields,
    scalar_by_value,
    scalar_like,
    times_like,
    unboxed,
)
from arrowjag._ops.elementwise.ufuncs import ufunc

__all__ = [
    "BINARY",
    "COMPARISONS",
    "PYTHON_BINARY",
    "PYTHON_COMPARISONS",
    "PYTHON_OPERATORS",
    "PYTHON_UNARY",
    "UFUNCS",
    "UNARY",
    "Categories",
    "Datum",
    "Operand",
    "apply",
    "are_moments",
    "as_category",
    "as_type",
    "binary",
    "bound_like",
    "by_counts",
    "cast",
    "cast_datum",
    "cast_values",
    "check_rounded",
    "clip",
    "coalesce",
    "codes_beside",
    "columns_of",
    "common_type",
    "compute",
    "decoded",
    "exact_counts",
    "exact_product",
    "fill_null",
    "fitting_product",
    "from_codes",
    "half_to_single",
    "in_one_zone",
    "in_single_precision",
    "is_bytes",
    "is_ordered",
    "is_text",
    "members_like",
    "nan_to_null",
    "nan_to_null_values",
    "plain_type",
    "product_overflows",
    "promote",
    "refuse_other_fields",
    "round_to",
    "row_of",
    "scalar_by_value",
    "scalar_like",
    "single_to_half",
    "times_like",
    "ufunc",
    "unary",
    "unboxed",
    "where",
]
