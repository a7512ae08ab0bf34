"""Functions of rows, interpreted and compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import arrowjag as aj


def assert_same_compiled(call: Callable[[], Any]) -> Any:
    """Compare the type and the values of a result with those of the interpreter; a JagWarning of either is an error. Returns it."""
    with aj.options(compile="never"):
        expected = call()
    with aj.options(compile="always"):
        found = call()
    assert found.type == expected.type
    assert found.equals(expected)
    return found
