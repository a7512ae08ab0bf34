"""`df.jag`: jagged operations on a DataFrame, which call those of a LazyFrame and collect the result."""

from __future__ import annotations

import functools
from typing import Any, Literal, TypeVar

import polars as pl

from arrowjag import _frames
from arrowjag._arguments import check_arguments
from arrowjag.polars._html import frame_repr
from arrowjag.polars.lazy_frame import JagLazyFrame

__all__ = ["JagDataFrame", "JagLazyFrame"]

_Class = TypeVar("_Class", bound=type)

_EAGER = (
    ("pl.LazyFrame", "pl.DataFrame"),
    (">>> lf", ">>> df"),
    (".collect()", ""),
    (" Evaluated lazily; it streams.", ""),
    ("; raised when the frame is collected", ""),
)
"""Wording in the docstrings of a LazyFrame, and its replacement for a DataFrame."""


def _with_lazy_docstrings(cls: _Class) -> _Class:
    """Class decorator: replace the docstrings of methods by those of `JagLazyFrame`, for an eager frame."""
    for name, function in vars(cls).items():
        lazy = vars(JagLazyFrame).get(name)
        text = None if lazy is None else lazy.__doc__  # from Python 3.13 on, None has a docstring of its own
        if text and not name.startswith("_"):  # python -OO strips docstrings
            function.__doc__ = _eager(text)
    return cls


def _eager(docstring: str) -> str:
    """The docstring of a method of a LazyFrame, for a DataFrame: results and examples are eager, remarks on lazy evaluation go."""
    return functools.reduce(lambda text, pair: text.replace(*pair), _EAGER, docstring)


@_with_lazy_docstrings
class JagDataFrame(_frames.FrameAccessor):
    """Jagged operations on a DataFrame: `df.jag`.

    Parameters
    ----------
    frame : pl.DataFrame
        The frame.

    Examples
    --------
    >>> import arrowjag as aj, polars as pl
    >>> df = pl.DataFrame({"v": aj.array([[1, 2], [3]]).to_polars()})
    >>> df.jag.flatten("v")["v"].to_list()
    [1, 2, 3]
    """

    _frame: pl.DataFrame
    _where = "pl.col(column).jag"

    @check_arguments
    def flatten(self, *columns: Any, keep_empty: bool = False, to_dim: int | None = None) -> pl.DataFrame:
        """Call `JagLazyFrame.flatten` and collect the result."""
        return JagLazyFrame(self._frame.lazy()).flatten(*columns, keep_empty=keep_empty, to_dim=to_dim).collect()

    @check_arguments
    def implode(self, by: Any, columns: Any = None) -> pl.DataFrame:
        """Call `JagLazyFrame.implode` and collect the result."""
        return JagLazyFrame(self._frame.lazy()).implode(by, columns).collect()

    @check_arguments
    def to_dict(self, orient: Literal["list", "records"] = "list") -> Any:
        """Convert the frame to Python dicts and lists; jagged columns become nested lists.

        Parameters
        ----------
        orient : {"list", "records"}
            ``"records"`` gives a dict for each row, ``"list"`` a list for each column.

        Returns
        -------
        dict or list
            Null rows and null items are None, empty rows empty lists. Cost: every value becomes a Python object.

        Raises
        ------
        JagValueError
            If `orient` is neither of them.

        Examples
        --------
        >>> import arrowjag as aj, polars as pl
        >>> df = pl.DataFrame({"k": [1, 2], "v": aj.array([[1, None], None]).to_polars()})
        >>> df.jag.to_dict("records")
        [{'k': 1, 'v': [1, None]}, {'k': 2, 'v': None}]
        """
        return self._frame.to_dict(as_series=False) if orient == "list" else self._frame.to_dicts()

    def _repr_html_(self) -> str:
        return frame_repr(self._frame, "DataFrame")

    @check_arguments
    def nest(self, *columns: Any, into: str) -> pl.DataFrame:
        """Call `JagLazyFrame.nest` and collect the result."""
        return JagLazyFrame(self._frame.lazy()).nest(*columns, into=into).collect()

    @check_arguments
    def unnest(self, *columns: Any) -> pl.DataFrame:
        """Call `JagLazyFrame.unnest` and collect the result."""
        return JagLazyFrame(self._frame.lazy()).unnest(*columns).collect()

    @check_arguments
    def query(self, condition: str) -> pl.DataFrame:
        """Call `JagLazyFrame.query` and collect the result."""
        return JagLazyFrame(self._frame.lazy()).query(condition).collect()

    @check_arguments
    def filter(self, mask: Any, *columns: Any) -> pl.DataFrame:
        """Call `JagLazyFrame.filter` and collect the result."""
        return JagLazyFrame(self._frame.lazy()).filter(mask, *columns).collect()

    @check_arguments
    def sort_items(self, by: Any, *columns: Any, descending: bool = False) -> pl.DataFrame:
        """Call `JagLazyFrame.sort_items` and collect the result."""
        return JagLazyFrame(self._frame.lazy()).sort_items(by, *columns, descending=descending).collect()

    @check_arguments
    def topk(self, k: int, by: Any, *columns: Any) -> pl.DataFrame:
        """Call `JagLazyFrame.topk` and collect the result."""
        return JagLazyFrame(self._frame.lazy()).topk(k, by, *columns).collect()

    @check_arguments
    def describe(self, *columns: Any) -> pl.DataFrame:
        """Call `JagLazyFrame.describe` and collect the result."""
        return JagLazyFrame(self._frame.lazy()).describe(*columns)
