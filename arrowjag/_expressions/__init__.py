"""Recorded expressions, below the surfaces: the tree of calls, its evaluation in row blocks, and the tracing of `jit`."""

from __future__ import annotations

from arrowjag._expressions.evaluation import Program
from arrowjag._expressions.functions import JitFunction, jit
from arrowjag._expressions.tracing import Trace, Traced, is_plain
from arrowjag._expressions.tree import (
    Call,
    Input,
    Node,
    Tree,
    bound_arguments,
    call,
    children,
    emptied,
    is_scalar,
    like,
    listed,
    mapped,
    mapped_values,
    operate,
    operator_call,
    record_arguments,
    record_operands,
    recorded_key,
    recorded_positions,
    rows_of,
    sample_of,
    ufunc_call,
)

__all__ = [
    "Call",
    "Input",
    "JitFunction",
    "Node",
    "Program",
    "Trace",
    "Traced",
    "Tree",
    "bound_arguments",
    "call",
    "children",
    "emptied",
    "is_plain",
    "is_scalar",
    "jit",
    "like",
    "listed",
    "mapped",
    "mapped_values",
    "operate",
    "operator_call",
    "record_arguments",
    "record_operands",
    "recorded_key",
    "recorded_positions",
    "rows_of",
    "sample_of",
    "ufunc_call",
]
