"""Reductions of flat numpy data over rows: sums, products, means, extremes, variances, counts, quantiles.

Each takes `data` (n_values,), `valid` (n_values,) boolean or None, `offsets` (n_rows + 1,) and returns (result, valid), both with
one entry per row; valid is None where every row has a result. Nulls are skipped.
"""

from arrowjag._kernels.reduce.extremes import argmax, argmin, max, min
from arrowjag._kernels.reduce.first_last import collapse, first, last
from arrowjag._kernels.reduce.moments import std, var
from arrowjag._kernels.reduce.quantiles import quantile
from arrowjag._kernels.reduce.sums import all, any, count, mean, prod, sum

__all__ = [
    "all",
    "any",
    "argmax",
    "argmin",
    "collapse",
    "count",
    "first",
    "last",
    "max",
    "mean",
    "min",
    "prod",
    "quantile",
    "std",
    "sum",
    "var",
]
