"""Arguments that are whole numbers: what counts as one, and what is said of another."""

from __future__ import annotations

from typing import Any, TypeGuard

import numpy as np

from arrowjag.errors import JagTypeError

__all__ = ["integer", "is_int"]


def is_int(value: object) -> TypeGuard[int | np.integer[Any]]:
    """Whether a value is a Python or numpy integer; a bool is not."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def integer(value: object, what: str) -> int:
    """The value as a Python int, or an error that says what it was meant to be."""
    if not is_int(value):
        raise JagTypeError(f"{what} must be an int, got {type(value).__name__}")
    return int(value)
