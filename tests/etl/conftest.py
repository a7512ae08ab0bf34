"""The source of most jobs, and the tests of jobs that `make test` leaves out."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import PROFILE
from tests.etl.jobs import write_dataset


@pytest.fixture(autouse=True)
def _whole_if_it_starts_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that starts worker processes, each of which takes a second or two, runs in `make whole`."""
    if PROFILE == "quick":
        reason = "starts workers: make whole"
        monkeypatch.setattr("arrowjag.etl._job.LocalEngine", lambda *_, **__: pytest.skip(reason))


@pytest.fixture
def source(tmp_path: Path) -> Path:
    write_dataset(tmp_path / "in")
    return tmp_path / "in"
