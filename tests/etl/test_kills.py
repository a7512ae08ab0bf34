"""Each part of a job is killed at a random moment; all rows are there once. `python -m tests.etl.kills` repeats it ten times.

The nightly workflow runs it; `test_engines.py` and `test_resume.py` kill the same parts at fixed moments.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.etl.kills import KILLS, MODULES, kill_once

pytestmark = [pytest.mark.engines, pytest.mark.nightly, pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


@pytest.mark.parametrize(("engine", "what"), [(engine, what) for engine, kinds in KILLS.items() for what in kinds])
def test_every_row_is_there_once_after_a_kill(engine: str, what: str, tmp_path: Path) -> None:
    pytest.importorskip(MODULES[engine])
    if not Path("/proc/self/stat").exists():
        pytest.skip("reads /proc")
    kill_once(engine, what, 0, tmp_path)
