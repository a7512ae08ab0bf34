"""The Index of jagged labels: pandas' own would turn every row into a Python object before it looks at one."""

from __future__ import annotations

from typing import Any

import pandas as pd

__all__ = ["JaggedIndex"]


class JaggedIndex(pd.Index):
    """An index of rows; it is made by pandas wherever a jagged column becomes labels or the key of a merge."""

    _values: Any
    _can_use_libjoin = False  # joins of sorted numpy arrays; rows have keys to join by instead

    @property
    def is_unique(self) -> bool:
        """Whether no row appears twice."""
        return len(self._values.unique()) == len(self)

    @property
    def is_monotonic_increasing(self) -> bool:
        """Whether rows never fall."""
        return bool(self._values._is_monotonic_increasing)

    @property
    def is_monotonic_decreasing(self) -> bool:
        """Whether rows never rise."""
        return bool(self._values._is_monotonic_decreasing)
