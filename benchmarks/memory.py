"""Peak memory of one operation in a process of its own: `python -m benchmarks.memory NAME VALUES DISTRIBUTION NULLS TYPE`.

The child makes the input, measures how much memory it holds, runs the operation once, and prints how much more it held meanwhile.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from benchmarks.cases import CASES
from benchmarks.data import Data

_PAGE = 4096


def peak(name: str, values: int, distribution: str, nulls: str, dtype: str) -> dict[str, Any]:
    """Megabytes above the input, of the operation and of its result; nothing where the system doesn't report it."""
    command = [sys.executable, "-m", "benchmarks.memory", name, str(values), distribution, nulls, dtype]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[1], check=False)
    return json.loads(ran.stdout.splitlines()[-1]) if ran.returncode == 0 and ran.stdout else {}


def resident() -> int:
    """Bytes that this process holds."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * _PAGE


def run(name: str, values: int, distribution: str, nulls: str, dtype: str) -> dict[str, Any]:
    """Run one operation while another thread looks at what the process holds."""
    case = next(case for case in CASES if case.name == name)
    case.ours(Data(1_000, distribution, nulls, dtype))  # code is loaded, pools exist
    data = Data(values, distribution, nulls, dtype)
    case.ours(small := Data(1_000, distribution, nulls, dtype))
    for part in small.__dict__:  # make whatever the operation reads
        getattr(data, part)
    before, most, done = resident(), 0, False

    def watch() -> None:
        nonlocal most
        while not done:
            most = max(most, resident())
            time.sleep(0.0005)

    watcher = threading.Thread(target=watch)
    watcher.start()
    result = case.ours(data)
    done = True
    watcher.join()
    most = max(most, resident())
    size = getattr(result, "nbytes", 0)
    return {"peak_mb": (most - before) / 1e6, "result_mb": size / 1e6, "input_mb": data.x_arrow.nbytes / 1e6}


if __name__ == "__main__":
    asked = sys.argv[1:]
    print(json.dumps(run(asked[0], int(asked[1]), *asked[2:])))
