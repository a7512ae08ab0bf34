"""Calls with numpy's floating-point warnings off."""

from __future__ import annotations

import contextvars
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import numpy as np

__all__ = ["without_warnings"]

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

_WITHOUT_WARNINGS = contextvars.Context()
_WITHOUT_WARNINGS.run(np.seterr, all="ignore")


def without_warnings(function: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
    """Call a function with the effect of ``np.errstate(all="ignore")``, at a tenth of its cost of a microsecond.

    The function sees no context variable of the caller. Each call gets a context of its own: none can be entered twice.
    """
    return _WITHOUT_WARNINGS.copy().run(function, *args, **kwargs)
