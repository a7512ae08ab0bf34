"""What is measured: one case an operation, ours and each rival's best way of saying it. Targets are for 5M float64 in 500k rows."""

from __future__ import annotations

from benchmarks.case import Case
from benchmarks.operations import along, elementwise, order, structure

CASES: list[Case] = [*structure.CASES, *elementwise.CASES, *along.CASES, *order.CASES]
