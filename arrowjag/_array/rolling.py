"""Results of `rolling`, `expanding` and `ewm`: objects with one method per statistic."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

from arrowjag.errors import Suggesting
from arrowjag.typing import Interpolation

__all__ = ["Ewm", "Rolling"]

Result_co = TypeVar("Result_co", covariant=True)
"""The result of a method of the owner: an array, or a column of a surface."""


class Rolling(Suggesting, Generic[Result_co]):
    """Windows over the rows of an array; made by `rolling` and `expanding`.

    Parameters
    ----------
    owner : JaggedArray, or the accessor of a surface
        The object whose methods `rolling_sum`, `rolling_mean` and so on are called.
    window : int, str, timedelta, number or None
        The width; None makes expanding windows.
    **options
        Of `rolling_sum`: `axis`, `min_periods`, `center` and `on`.
    """

    __slots__ = ("_options", "_owner", "_window")

    def __init__(self, owner: Any, window: Any, **options: Any) -> None:
        self._owner = owner
        self._window = window
        self._options = options

    def __repr__(self) -> str:
        options = {"window": self._window, **self._options}
        return f"Rolling({', '.join(f'{name}={value!r}' for name, value in options.items() if name != 'on' or value is not None)})"

    def _call(self, name: str, *args: Any, **kwargs: Any) -> Result_co:
        result: Result_co = getattr(self._owner, f"rolling_{name}")(self._window, *args, **self._options, **kwargs)
        return result

    def sum(self) -> Result_co:
        """The sum of each window; see `rolling_sum`."""
        return self._call("sum")

    def mean(self) -> Result_co:
        """The mean of each window; see `rolling_mean`."""
        return self._call("mean")

    def min(self) -> Result_co:
        """The smallest item of each window; see `rolling_min`."""
        return self._call("min")

    def max(self) -> Result_co:
        """The largest item of each window; see `rolling_max`."""
        return self._call("max")

    def count(self) -> Result_co:
        """The number of valid items of each window; see `rolling_count`."""
        return self._call("count")

    def var(self, ddof: int = 1) -> Result_co:
        """The variance of each window; see `rolling_var`."""
        return self._call("var", ddof=ddof)

    def std(self, ddof: int = 1) -> Result_co:
        """The standard deviation of each window; see `rolling_std`."""
        return self._call("std", ddof=ddof)

    def median(self) -> Result_co:
        """The median of each window; see `rolling_median`."""
        return self._call("median")

    def quantile(self, q: float, interpolation: Interpolation = "linear") -> Result_co:
        """A quantile of each window; see `rolling_quantile`."""
        return self._call("quantile", q, interpolation)

    def first(self) -> Result_co:
        """The first item of each window that is not null; see `rolling_first`."""
        return self._call("first")

    def last(self) -> Result_co:
        """The last item of each window that is not null; see `rolling_last`."""
        return self._call("last")


class Ewm(Suggesting, Generic[Result_co]):
    """Exponentially weighted statistics over the rows of an array; made by `ewm`.

    Parameters
    ----------
    owner : JaggedArray, or the accessor of a surface
        The object whose methods `ewm_mean` and `ewm_var` are called.
    **options
        Of `ewm_mean`: `alpha`, `span` or `halflife`, and `axis`.
    """

    __slots__ = ("_options", "_owner")

    def __init__(self, owner: Any, **options: Any) -> None:
        self._owner = owner
        self._options = options

    def __repr__(self) -> str:
        return f"Ewm({', '.join(f'{name}={value!r}' for name, value in self._options.items() if value is not None)})"

    def mean(self) -> Result_co:
        """The weighted mean up to each item; see `ewm_mean`."""
        result: Result_co = self._owner.ewm_mean(**self._options)
        return result

    def var(self) -> Result_co:
        """The weighted variance up to each item; see `ewm_var`."""
        result: Result_co = self._owner.ewm_var(**self._options)
        return result
