"""The examples of `docs/how-to/command.md` for schedulers run in the scheduler itself, where it is installed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import arrowjag as aj
from tests.test_documents import blocks

ROOT = Path(aj.__file__).parents[1]
PAGE = ROOT / "docs/how-to/command.md"
pytestmark = [pytest.mark.slow, pytest.mark.skipif(not PAGE.exists(), reason="pages are in the repository only")]


def test_airflow_runs_the_command_and_resumes_it(tmp_path: Path) -> None:
    pytest.importorskip("airflow")
    (code,) = (block.code for block in blocks(PAGE.read_text(encoding="utf-8")) if block.note == "needs: airflow")
    assert "cd /srv/flights && arrowjag run" in code
    command = f"cd {tmp_path} && {sys.executable} -m arrowjag run"
    (tmp_path / "home/dags").mkdir(parents=True)
    (tmp_path / "home/dags/flights.py").write_text(code.replace("cd /srv/flights && arrowjag run", command))
    (tmp_path / "job.py").write_text("def totals(frame):\n    return frame\n")
    aj.write_parquet({"v": aj.array([[1, 2], [], None])}, tmp_path / "planes.parquet")
    settings = {"AIRFLOW_HOME": str(tmp_path / "home"), "AIRFLOW__CORE__LOAD_EXAMPLES": "False", "PYTHONPATH": str(ROOT)}

    def airflow(*words: str) -> str:
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        done = subprocess.run([sys.executable, "-m", "airflow", *words], env=os.environ | settings, **streams, check=False)
        assert done.returncode == 0, done.stdout
        return done.stdout

    airflow("db", "migrate")
    for told in ("1 task, 3 rows", "1 task (1 done before), 3 rows"):
        text = airflow("dags", "test", "flights")
        assert told in text, text
        assert "new_state=success" in text, text
    assert aj.read_parquet(tmp_path / "totals")["v"].to_pylist() == [[1, 2], [], None]
