"""Warnings about comparisons that can only be False."""

from __future__ import annotations

import pathlib
import sys
from types import FrameType
from typing import Any

import pandas as pd

from arrowjag._runtime.warnings import warn
from arrowjag.errors import brief

__all__ = ["warn_of_scalar"]

_PANDAS = str(pathlib.Path(pd.__file__).parent)
_FROM_OPERATOR = 2
"""Stack frames between `warn_of_scalar` and the caller of ``==``: `_same_rows` and the operator."""


def warn_of_scalar(array: Any, other: Any) -> None:
    """Warn that a row never equals a scalar, if a user compared them; `replace` and `isin` compare without a warning.

    Parameters
    ----------
    array : JaggedExtensionArray
        One side of ``==`` or ``!=``.
    other : scalar
        The other side, not missing.
    """
    caller = sys._getframe(_FROM_OPERATOR + 1)
    if caller.f_code.co_name != "comparison_op" or not _is_first(caller, array):
        return
    warn(
        f"a row of {array.dtype} is a list and never equals {brief(other)}; .jag == {brief(other)} compares items", through=_PANDAS
    )


def _is_first(caller: FrameType, array: Any) -> bool:
    """Return whether this is the first jagged column of a frame that is compared as a whole, so that the warning appears once."""
    frame = caller.f_back
    for _ in range(3):
        blocks = getattr(None if frame is None else frame.f_locals.get("self"), "blocks", None)
        if blocks is not None:
            return next(block.values for block in blocks if isinstance(block.dtype, type(array.dtype))) is array
        frame = None if frame is None else frame.f_back
    return True
