"""Benchmark cases: one per operation, with each rival's fastest expression. Targets are for 5M float64 in 500k rows.

A reduction or elementwise method without a case of its own gets one without rivals.
"""

from __future__ import annotations

from arrowjag._methods import METHODS, over_axis
from arrowjag._ops.elementwise.operators import FUNCTIONS
from benchmarks.case import FLOATS, Case
from benchmarks.operations import along, elementwise, files, items, maps, order, statistics, structure, text

_MODULES = (structure, elementwise, along, statistics, order, items, maps, text, files)

CASES: list[Case] = [case for module in _MODULES for case in module.CASES]
CASES += [
    along.reduction(name, dtypes=FLOATS)
    for name in sorted(METHODS.keys() - {case.name for case in CASES})
    if (METHODS[name].rule is over_axis or name in FUNCTIONS)
    and all(one.default is not one.empty for one in list(METHODS[name].signature.parameters.values())[1:])
]
