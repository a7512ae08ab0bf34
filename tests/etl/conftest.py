"""The source of most jobs, and where their tasks run: in the process of the test, or in worker processes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import PROFILE
from tests.etl.jobs import InlineEngine, write_dataset


@pytest.fixture(autouse=True)
def _engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the tasks of jobs in this process: worker processes, each of which takes a second to start, have the marker `workers`."""
    if request.node.get_closest_marker("workers") is None:
        monkeypatch.setattr("arrowjag.etl._job.LocalEngine", InlineEngine)
    elif PROFILE == "quick":
        monkeypatch.setattr("arrowjag.etl._job.LocalEngine", lambda *_, **__: pytest.skip("starts workers: make whole"))


@pytest.fixture
def source(tmp_path: Path) -> Path:
    write_dataset(tmp_path / "in")
    return tmp_path / "in"
