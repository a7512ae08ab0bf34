"""The stubs of the surfaces against the classes that they describe."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest

TOOL = pathlib.Path(__file__).parent.parent / "tools" / "write_stubs.py"


@pytest.mark.everyday
@pytest.mark.skipif(not TOOL.exists(), reason="the tools are not there")
def test_stubs_are_up_to_date() -> None:
    child = subprocess.run([sys.executable, str(TOOL), "--check"], check=False, capture_output=True, text=True)
    assert child.returncode == 0, child.stdout + child.stderr
