"""Kernels use other algorithms for few values and for short rows: every test runs with each."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arrowjag._kernels import strategy


@pytest.fixture(scope="module", params=["few", "many"])
def either_way(request: pytest.FixtureRequest) -> Iterator[None]:
    """For a whole module: values as they come, or whatever their number the way of many."""
    if request.param == "few":
        yield
        return
    with strategy.force(SMALL_VALUES=0, SCAN_CELLS=-1, SELECT_LENGTH=2):
        yield
