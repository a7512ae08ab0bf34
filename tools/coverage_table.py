"""Write how much of the kernels and operations the tests reach into tests/README.md: the last step of `make coverage`.

`python tools/coverage_table.py build/coverage/report.json` takes what `coverage json` wrote.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

__all__ = ["main", "replaced", "table"]

README = Path(__file__).parents[1] / "tests" / "README.md"
BEGIN, END = "<!-- coverage: written by `make coverage` -->", "<!-- end of coverage -->"
SHOWN = 12


def table(report: dict[str, Any]) -> str:
    """Make a table of the files in a report.

    Parameters
    ----------
    report : dict
        What ``coverage json`` wrote, branches measured.

    Returns
    -------
    str
        A total, and a row per file that is not covered whole, the least covered first.
    """
    files = sorted(report["files"].items(), key=lambda item: (item[1]["summary"]["percent_covered"], item[0]))
    rows = [_row(name, found) for name, found in files if found["missing_lines"] or found["missing_branches"]]
    whole = len(files) - len(rows)
    total = report["totals"]
    reached = f"{total['percent_covered']:.1f} % of {total['num_statements']} statements and {total['num_branches']} branches"
    lines = [
        f"{reached}; {whole} of {len(files)} files are covered whole. The others:",
        "",
        "| file | statements | branches | covered | not reached: lines, and branches from -> to |",
        "|---|---|---|---|---|",
        *rows,
    ]
    return "\n".join(lines)


def _row(name: str, found: dict[str, Any]) -> str:
    summary = found["summary"]
    lines = set(found["missing_lines"])
    jumps = [f"{one} -> {abs(two)}" for one, two in found["missing_branches"] if one not in lines and abs(two) not in lines]
    missing = [*_ranges(sorted(lines)), *jumps]
    told = ", ".join(missing[:SHOWN]) + (f" and {len(missing) - SHOWN} more" if len(missing) > SHOWN else "")
    path = Path(name).as_posix().removeprefix("arrowjag/")
    return f"| `{path}` | {summary['num_statements']} | {summary['num_branches']} | {summary['percent_covered']:.1f} % | {told} |"


def _ranges(numbers: Iterable[int]) -> Iterator[str]:
    first = last = None
    for number in numbers:
        if first is None or last is None:
            first = last = number
        elif number == last + 1:
            last = number
        else:
            yield f"{first}" if first == last else f"{first}-{last}"
            first = last = number
    if first is not None:
        yield f"{first}" if first == last else f"{first}-{last}"


def replaced(page: str, text: str) -> str:
    """Put a text between the marks of a page.

    Parameters
    ----------
    page : str
        A page with both marks.
    text : str
        The new text between them.

    Returns
    -------
    str
        The page.

    Raises
    ------
    ValueError
        If a mark is missing.
    """
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"expected the lines {BEGIN!r} and {END!r}")
    return f"{before}{begin}\n\n{text}\n\n{end}{after}"


def main(report: Path) -> None:
    """Write the table into the page.

    Parameters
    ----------
    report : Path
        The file of ``coverage json``.
    """
    found = table(json.loads(report.read_text(encoding="utf-8")))
    README.write_text(replaced(README.read_text(encoding="utf-8"), found), encoding="utf-8")
    print(found.partition(";")[0])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
