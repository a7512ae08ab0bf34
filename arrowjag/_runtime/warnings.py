"""Warnings that point to the line of the user who called arrowjag."""

from __future__ import annotations

import os
import pathlib
import sys
import warnings

from arrowjag.errors import JagWarning

__all__ = ["warn"]

_INSIDE = str(pathlib.Path(__file__).parents[1]) + os.sep


def warn(message: str, *, through: str = _INSIDE) -> None:
    """Emit a `JagWarning` for the first caller outside of arrowjag, however many functions of arrowjag lie between.

    Parameters
    ----------
    message : str
        The text.
    through : str, optional
        The folder of a library through which users call arrowjag; its lines are skipped too.
    """
    level, frame = 1, sys._getframe(0)
    while frame.f_back is not None and frame.f_code.co_filename.startswith((_INSIDE, through)):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, JagWarning, stacklevel=level)
