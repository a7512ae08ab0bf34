"""The tests of jobs that `make test` leaves out."""

from __future__ import annotations

import pytest

from tests.conftest import PROFILE


@pytest.fixture(autouse=True)
def _whole_if_it_starts_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that starts worker processes, each of which takes a second or two, runs in `make whole`."""
    if PROFILE == "quick":
        reason = "starts workers: make whole"
        monkeypatch.setattr("arrowjag.etl._job.LocalEngine", lambda *_, **__: pytest.skip(reason))
