"""`.jag` on pandas' groupby: reductions of the jagged columns of each group."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np
import pandas as pd
from pandas.core.groupby import GroupBy
from pandas.core.resample import Resampler

from arrowjag import _frames
from arrowjag._array import JaggedArray
from arrowjag._methods import FLAT_SETS, METHODS, Method
from arrowjag._vocabulary.spellings import SPELLINGS
from arrowjag.creation import array as to_array
from arrowjag.errors import JagAttributeError, JagError, JagIndexError, JagTypeError, JagValueError, ShapeError, brief, plural
from arrowjag.pandas._convert import as_array, nested_rows, rows_by_group
from arrowjag.pandas._wrapping import align, described, rewrap

__all__ = ["GroupByJag", "install"]


class GroupByJag:
    """Reductions of jagged columns by group: ``df.groupby("k").jag["v"].sum()``.

    By default the rows of a group are combined item by item (``axis=0``), as ``.jag.sum(axis=0)`` combines the rows of a column;
    with ``axis=None`` each group gives one value. Every reduction of `JaggedArray` is a method here.

    Parameters
    ----------
    grouped : pandas.core.groupby.GroupBy
        The groups.
    columns : list, optional
        The columns to reduce; by default those of the selection that are jagged.
    single : bool
        Whether the result is a Series.

    Notes
    -----
    A column named "jag" is read with ``df.groupby("k")["jag"]``.

    Examples
    --------
    >>> import pandas as pd
    >>> import arrowjag as aj
    >>> df = pd.DataFrame({"k": ["a", "a", "b"], "v": aj.array([[1, 2], [3], [4]])})
    >>> df.groupby("k").jag["v"].sum().jag.to_list()
    [[4, 2], [4]]
    >>> df.groupby("k").jag["v"].sum(axis=None).tolist()
    [6, 4]
    """

    def __init__(self, grouped: Any, columns: list[Hashable] | None = None, single: bool = False) -> None:
        self._grouped = grouped
        self._columns = columns
        self._single = single

    def __getitem__(self, columns: Any) -> GroupByJag:
        names = list(columns) if isinstance(columns, list) else [columns]
        if self._grouped.obj.ndim == 1:
            raise JagIndexError("the groups hold one column; call a reduction")
        for name in names:
            _frames.resolve(name, self._grouped.obj.columns)
        return GroupByJag(self._grouped, names, not isinstance(columns, list))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        found = re.match(r"x\.(\w+)\(", SPELLINGS[""].get(name, ""))  # of another library
        if found and hasattr(type(self), found[1]):
            raise JagAttributeError(f"groupby.jag has no {name!r}; write groupby.jag[column].{found[1]}()", name)
        hint = f"; it changes rows one by one: call df[...].jag.{name} without groupby" if name in METHODS else ""
        raise JagAttributeError(f"groupby.jag has no {name!r}, only reductions such as sum and mean{hint}", name)

    def __repr__(self) -> str:
        return f"{type(self).__name__} of {self._grouped.ngroups} groups"

    def _reduce(self, method: Method, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        series = self._series()
        ids, index = _groups(self._grouped)
        order, counts = rows_by_group(ids, len(index))
        moved = getattr(self._grouped._grouper, "indexer", None)  # pandas sorts the rows of a frame that it groups by time
        given = method.bound(args, kwargs).arguments
        given.pop("self", None)

        def nested(value: Any) -> Any:
            value = getattr(value, "_series", value)
            if isinstance(value, pd.Series):
                value = as_array(align([self._grouped.obj, value], "left")[1])
                return nested_rows(value, order, counts)
            rows = value if isinstance(value, JaggedArray) else to_array(value)
            if len(rows) != len(ids):
                raise ShapeError(f"groupby.jag.{method.name}: the argument has {plural(len(rows), 'row')}, the frame {len(ids)}")
            return nested_rows(rows, order if moved is None else moved[order], counts)

        made = {}
        for name, one in series.items():
            array = as_array(one)
            arguments = {key: nested(value) if _is_column(method, key, value) else value for key, value in given.items()}
            arguments["axis"] = _inner_axis(given.get("axis", 0), array.ndim, method.name)
            rows = nested_rows(array, order, counts)
            try:
                found = method.function(rows, **arguments)
            except JagError as error:
                raise _frames.named(error, name) from None
            made[name] = rewrap(found, index, name, self._grouped.obj)
        return self._result(made, index)

    def _series(self) -> dict[Hashable, Any]:
        selected = self._grouped._obj_with_exclusions
        if selected.ndim == 1:
            return {selected.name: selected}
        if self._columns is None:
            names = [name for name in selected.columns if getattr(selected[name].dtype, "ndim", 0) > 1]
            if not names:
                raise JagTypeError("groupby.jag: the groups have no jagged column; name one, as in .jag['v']")
            return {name: selected[name] for name in names}
        frame = self._grouped.obj
        found: dict[Hashable, Any] = {}
        for name in self._columns:
            column, fields = _frames.resolve(name, frame.columns)
            found[name] = (
                pd.Series(_frames.pick(as_array(frame[column]), fields, name), index=frame.index) if fields else frame[column]
            )
        return found

    def _result(self, made: dict[Hashable, Any], index: Any) -> Any:
        single = self._single or self._grouped._obj_with_exclusions.ndim == 1
        if single and self._grouped.as_index:
            return next(iter(made.values()))
        frame = described(pd.DataFrame(made, index=index), self._grouped.obj)
        return frame if self._grouped.as_index else frame.reset_index()


def _is_column(method: Method, key: str, value: Any) -> bool:
    """Return whether an argument has one row per row of the frame; flat edges hold for all groups."""
    if key not in method.arrays or value is None or isinstance(value, (str, bytes)) or not hasattr(value, "__len__"):
        return False
    return getattr(value, "ndim", 1) > 0 and not (method.name in FLAT_SETS and to_array(value).ndim == 1)


def _groups(grouped: Any) -> tuple[Any, pd.Index]:
    """Return the group number of each row, -1 for none, and the labels of groups."""
    grouper = grouped._grouper
    ids = grouper.ids if hasattr(grouper, "ids") else grouper.group_info[0]  # pandas 2 has no `ids`
    return np.asarray(ids), grouper.result_index


def _inner_axis(axis: Any, ndim: int, operation: str) -> Any:
    """Return the axis after groups have become a dim above the rows."""
    if axis is None:
        return tuple(range(1, ndim + 1)) if ndim > 1 else 1
    if isinstance(axis, (int, np.integer)) and not isinstance(axis, bool) and axis in (0, -ndim):
        return 1
    raise JagValueError(
        f"groupby.jag.{operation}: axis must be 0, item by item across the rows of a group, or None, one value per group; "
        f"got {brief(axis)}. "
        f"Along an inner axis call .jag.{operation} of the column, without groupby"
    )


def _delegate(method: Method) -> Callable[..., Any]:
    def call(self: GroupByJag, *args: Any, **kwargs: Any) -> Any:
        return self._reduce(method, args, kwargs)

    return method.described(call, "GroupByJag")


def install() -> None:
    """Give what `groupby` and `resample` of pandas return the property ``jag``; pandas has no hook for accessors there."""
    for name, method in METHODS.items():
        if method.reduces and not method.is_property and not name.startswith("_"):
            setattr(GroupByJag, name, _delegate(method))
    if not hasattr(GroupBy, "jag"):
        GroupBy.jag = property(GroupByJag)  # type: ignore[attr-defined]
    if not hasattr(Resampler, "jag"):
        Resampler.jag = property(_of_resampler)  # type: ignore[attr-defined]


def _of_resampler(resampler: Any) -> GroupByJag:
    if not hasattr(resampler, "_grouper"):  # groups that pandas resamples one by one
        raise JagTypeError(
            "groupby(key).resample(freq).jag: group by both at once, as in frame.groupby([key, pandas.Grouper(freq=freq)]).jag"
        )
    return GroupByJag(resampler)
