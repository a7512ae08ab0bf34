"""Draw the terminal picture of README.md again: `python docs/screencast.py`."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

import arrowjag as aj

PICTURE = Path(__file__).with_name("_static") / "show.svg"
COLUMNS = 86


def main() -> None:
    planes = {
        "plane": ["N1", "N2", "N3", "N4"],
        "delays": aj.array([[[5.0, None], [12.5]], [], None, [[-3.0], [], [41.0, 2.0, 7.5]]]),
    }
    console = Console(record=True, width=COLUMNS, file=open(os.devnull, "w"), force_terminal=True)  # noqa: PTH123, SIM115
    with tempfile.TemporaryDirectory() as folder:
        aj.write_parquet(planes, Path(folder) / "planes.parquet")
        command = [sys.executable, "-m", "arrowjag", "show", "planes.parquet"]
        settings = {**os.environ, "FORCE_COLOR": "1", "COLUMNS": str(COLUMNS), "PYTHONPATH": str(Path(__file__).parents[1])}
        done = subprocess.run(command, cwd=folder, env=settings, capture_output=True, text=True, check=True)  # noqa: S603
    console.print("[bold green]$[/] arrowjag show planes.parquet")
    console.print(Text.from_ansi(done.stdout))
    PICTURE.write_text(console.export_svg(title="arrowjag show", unique_id="show"), encoding="utf-8")


if __name__ == "__main__":
    main()
