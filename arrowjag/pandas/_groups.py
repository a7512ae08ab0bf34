"""Aggregation of jagged columns by pandas' groupby: items at the same place of the rows of a group combine."""

from __future__ import annotations

from typing import Any

import numpy as np

from arrowjag._array import JaggedArray
from arrowjag.errors import JagTypeError
from arrowjag.pandas._convert import nested_rows

__all__ = ["Grouped"]

_AGGREGATIONS = frozenset({"sum", "prod", "mean", "min", "max", "any", "all", "var", "std", "median"})


class Grouped:
    """What ``df.groupby("k")["v"].sum()`` and ``.agg({"v": "mean"})`` call: the same as ``.jag.sum(axis=0)`` of each group."""

    _jagged: JaggedArray
    _groupby_first_last: Any

    def _groupby_op(self, *, how: str, has_dropped_na: bool, min_count: int, ngroups: int, ids: Any, **kwargs: Any) -> Any:
        """One row a group; the hook of pandas, which asks for `NotImplementedError` where there is no such aggregation."""
        from arrowjag.pandas._operators import wrap

        if how in ("first", "last"):
            skip = kwargs.get("skipna", True)
            return self._groupby_first_last(how=how, min_count=min_count, ngroups=ngroups, ids=ids, skipna=skip)
        if how not in _AGGREGATIONS:
            raise NotImplementedError(f"{how} across rows of {self._jagged!r}")
        order = np.argsort(ids, kind="stable")
        order = order[np.count_nonzero(ids < 0) :]
        nested = nested_rows(self._jagged, order, np.bincount(ids[order], minlength=ngroups))
        try:
            return wrap(getattr(nested, how)(axis=1, **_options(how, min_count, kwargs)))
        except JagTypeError as error:
            raise NotImplementedError(str(error)) from error


def _options(how: str, min_count: int, kwargs: dict[str, Any]) -> dict[str, Any]:
    """Options of pandas under the core's names."""
    options: dict[str, Any] = {}
    if not kwargs.get("skipna", True):
        options["skip_nulls"] = False
    if min_count > 0:
        options["min_count"] = min_count
    if how in ("var", "std") and "ddof" in kwargs:
        options["ddof"] = kwargs["ddof"]
    return options
