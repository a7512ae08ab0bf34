"""Calls with numpy's floating-point warnings off."""

from __future__ import annotations

import threading
import warnings
from typing import Any

import numpy as np
import pytest

from arrowjag._kernels.base.errstate import without_warnings


def test_warnings_are_off_only_inside_the_call() -> None:
    with warnings.catch_warnings(), np.errstate(all="warn"):
        warnings.simplefilter("error")
        assert np.isinf(without_warnings(np.divide, np.ones(2), np.zeros(2))).all()
        with pytest.raises(RuntimeWarning):
            np.divide(np.ones(2), np.zeros(2))


def test_calls_may_be_nested_and_run_in_threads_at_once() -> None:
    both = threading.Barrier(2, timeout=60)

    def inner(value: int) -> dict[str, Any]:
        both.wait()
        return {str(value): np.geterr()}

    found: dict[str, Any] = {}
    threads = [threading.Thread(target=lambda n=n: found.update(without_warnings(without_warnings, inner, n))) for n in range(2)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    ignored = dict.fromkeys(("divide", "over", "under", "invalid"), "ignore")
    assert found == {"0": ignored, "1": ignored}


def test_an_error_comes_through() -> None:
    with pytest.raises(ZeroDivisionError):
        without_warnings(lambda: 1 // 0)
