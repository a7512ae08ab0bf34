"""Run the property tests of the suite with new examples: pytest with another seed, one file after another."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

TESTS = Path(__file__).parents[1]


def property_files() -> list[str]:
    """Test files with hypothesis properties, as paths from the root of the project."""
    files = [file for file in sorted(TESTS.rglob("test_*.py")) if "@given" in file.read_text(encoding="utf-8")]
    return [file.relative_to(TESTS.parent).as_posix() for file in files]


def campaign(seed: int, seconds: float) -> Counter[str]:
    """Files in an order that the seed shuffles, until the time is over; the file that is running then is ended uncounted."""
    end, counts, files = time.monotonic() + seconds, Counter[str](), property_files()
    random.Random(seed).shuffle(files)
    for file in files:
        options = ["-q", "-x", "-n", "0", "-m", "not slow and not torch and not engines", f"--hypothesis-seed={seed}"]
        command = [sys.executable, "-m", "pytest", *options, "-p", "no:cacheprovider", file]
        try:
            left = max(end - time.monotonic(), 0.1)
            done = subprocess.run(
                command, check=False, cwd=TESTS.parent, env=_environment(), capture_output=True, text=True, timeout=left
            )
        except subprocess.TimeoutExpired:
            counts["ended"] += 1
            return counts
        counts["files"] += 1
        if done.returncode not in (0, 5):  # 5: nothing collected
            counts["failed"] += 1
            print(f"\n--- properties: again: pytest -x --hypothesis-seed={seed} {file}\n{done.stdout[-6000:]}{done.stderr[-2000:]}")
    return counts


def _environment() -> dict[str, str]:
    return os.environ | {"HYPOTHESIS_PROFILE": "whole"}
