"""Benchmark cases: one per operation, with each rival's fastest expression. Targets are for 5M float64 in 500k rows."""

from __future__ import annotations

from benchmarks.case import Case
from benchmarks.operations import along, elementwise, files, items, maps, order, statistics, structure, text

_MODULES = (structure, elementwise, along, statistics, order, items, maps, text, files)

CASES: list[Case] = [case for module in _MODULES for case in module.CASES]
