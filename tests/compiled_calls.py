"""Calls with compiled loops, or with the other algorithms beside them, and functions of rows by interpreter and by compiler."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

import arrowjag as aj
from arrowjag._kernels import strategy


@contextmanager
def forced(name: str, *operations: str, **choices: str | int) -> Iterator[Counter[tuple[str, str]]]:
    """Force one strategy of some operations, and sizes or strategies of others.

    The strategy "compiled" compiles loops at once and for few values too; a test that asks for it is skipped where numba is absent.
    Without it, no loop is called.
    """
    if name == "compiled":
        pytest.importorskip("numba")
    choices = {"COMPILED_VALUES": 0, **dict.fromkeys(operations, name), **choices}
    with aj.options(compile="always" if name == "compiled" else "never"), strategy.force(**choices) as taken:
        yield taken


def assert_same_compiled(call: Callable[[], Any]) -> Any:
    """Compare the type and the values of a result with those of the interpreter; a JagWarning of either is an error. Returns it."""
    with aj.options(compile="never"):
        expected = call()
    with aj.options(compile="always"):
        found = call()
    assert found.type == expected.type
    assert found.equals(expected)
    return found
