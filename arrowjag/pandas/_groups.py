"""Aggregation of jagged columns by pandas' groupby: items at the same position of the rows of a group combine."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from arrowjag._array import JaggedArray
from arrowjag.errors import JagTypeError
from arrowjag.pandas._convert import nested_rows, rows_by_group
from arrowjag.pandas._operators import wrap

__all__ = ["AGGREGATIONS", "Grouped"]

AGGREGATIONS = {
    **{name: name for name in ("sum", "prod", "mean", "min", "max", "any", "all", "var", "std", "median", "sem", "skew")},
    "kurt": "kurtosis",
}
"""Aggregations of pandas' groupby, and the reductions that they run."""

_PER_ROW = frozenset({"cumsum", "cumprod", "cummin", "cummax", "rank"})
"""Operations of pandas' groupby that give a row per row."""


class Grouped:
    """Mixin for ``df.groupby("k")["v"].sum()`` and ``.agg({"v": "mean"})``: the results of ``.jag.sum(axis=0)`` per group."""

    _jagged: JaggedArray
    dtype: Any
    isna: Any
    take: Any

    def _groupby_op(self, *, how: str, has_dropped_na: bool, min_count: int, ngroups: int, ids: Any, **kwargs: Any) -> Any:
        """Aggregate to one row per group. pandas calls this hook and expects `NotImplementedError` for unknown aggregations."""
        if how in ("first", "last"):
            skip = kwargs.get("skipna", True)
            rows = _first_rows(self.isna(), ids, ngroups, how, min_count, skip)
            return self.take(rows, allow_fill=True)
        if how in _PER_ROW:
            raise JagTypeError(
                f"groupby: dtype {self.dtype} does not support operation '{how}', which has an axis here. "
                f"groupby[...].transform(lambda s: s.jag.{how}(axis=0)) runs item by item across the rows of a group, "
                f".jag.{how}(axis=-1) of the column within rows"
            )
        if how not in AGGREGATIONS:
            raise NotImplementedError(f"{how} across rows of {self._jagged!r}")
        nested = nested_rows(self._jagged, *rows_by_group(ids, ngroups))
        try:
            return wrap(getattr(nested, AGGREGATIONS[how])(axis=1, **_options(how, min_count, kwargs)))
        except JagTypeError as error:
            raise NotImplementedError(str(error)) from error

    def _groupby_quantile(self, **kwargs: Any) -> Any:
        """pandas has this hook from 3.1 on; its own implementation takes only numbers."""
        raise JagTypeError(
            f"groupby: dtype {self.dtype} does not support operation 'quantile', which has an axis here. groupby.jag.quantile(q) "
            "combines the rows of a group item by item, with axis=None it gives one value per group"
        )


def _first_rows(missing: Any, ids: Any, ngroups: int, how: str, min_count: int, skip: bool) -> npt.NDArray[np.int64]:
    """Return the first or last row of each group, or -1; pandas implements this from 3.1 on."""
    rows = np.flatnonzero((ids >= 0) & ~missing if skip else ids >= 0)
    found = np.full(ngroups, -1, np.int64)
    kept = rows if how == "last" else rows[::-1]
    found[ids[kept]] = kept  # the last assignment to a group wins
    if min_count > 1:
        found[np.bincount(ids[(ids >= 0) & ~missing], minlength=ngroups) < min_count] = -1
    return found


def _options(how: str, min_count: int, kwargs: dict[str, Any]) -> dict[str, Any]:
    """Translate options of pandas to those of the core."""
    options: dict[str, Any] = {}
    if not kwargs.get("skipna", True):
        options["skip_nulls"] = False
    if min_count > 0:
        options["min_count"] = min_count
    if how in ("var", "std", "sem") and "ddof" in kwargs:
        options["ddof"] = kwargs["ddof"]
    return options
