"""Draw another fixed set of examples for `make test`, and write it to tests/draws.txt if the properties pass with it.

`python tools/renew_draws.py [SEED]`. The installed version of hypothesis is part of the set: upgrade it first to renew both.
"""

from __future__ import annotations

import random
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

DRAWS = Path(__file__).parents[1] / "tests" / "draws.txt"


def renewed(text: str, seed: int, hypothesis: str) -> str:
    """The file with another seed and version.

    Parameters
    ----------
    text : str
        What the file holds.
    seed : int
        The new seed.
    hypothesis : str
        The version that the tests passed with.

    Returns
    -------
    str
        The file's new text.
    """
    text = re.sub(r"(?m)^# seed: \d+$", f"# seed: {seed}", text)
    return re.sub(r"(?m)^hypothesis==.*$", f"hypothesis=={hypothesis}", text)


def main() -> int:
    """Run the tests with the new seed, and keep it if they pass.

    Returns
    -------
    int
        The exit code of pytest.
    """
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else random.SystemRandom().randrange(2**32)
    print(f"seed {seed}, hypothesis {version('hypothesis')}", flush=True)
    command = [sys.executable, "-m", "pytest", "-q", "-n", "auto", "-m", "not slow", f"--hypothesis-seed={seed}", "tests"]
    code = subprocess.run(command, check=False, cwd=DRAWS.parents[1]).returncode
    if code == 0:
        DRAWS.write_text(renewed(DRAWS.read_text(encoding="utf-8"), seed, version("hypothesis")), encoding="utf-8")
    return code


if __name__ == "__main__":
    sys.exit(main())
