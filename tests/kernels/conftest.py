"""Kernels go another way where values are few, or rows short: every test goes both."""

from __future__ import annotations

from collections.abc import Iterator
from unittest import mock

import pytest

from arrowjag._kernels import few, quantiles, scan


@pytest.fixture(scope="module", params=["few", "many"])
def either_way(request: pytest.FixtureRequest) -> Iterator[None]:
    """For a whole module: values as they come, or whatever their number the way of many."""
    if request.param == "few":
        yield
        return
    with (
        mock.patch.object(few, "VALUES", 0),
        mock.patch.object(scan, "FEW_CELLS", -1),
        mock.patch.object(quantiles, "LONG", 2),
    ):
        yield
