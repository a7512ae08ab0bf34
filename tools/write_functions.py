"""Write docs/coming-from/functions.md: every method of arrowjag beside the calls of other libraries that it replaces.

The page is made of the tables of the other pages of that folder, every row of which a test runs. Run it after a change to a table.
With `--check` it writes nothing and ends with 1 where the page is old.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from pathlib import Path

__all__ = ["main", "text"]

FOLDER = Path(__file__).parents[1] / "docs" / "coming-from"
PAGE = FOLDER / "functions.md"
HEAD = """# Functions of other libraries

This page lists the methods and functions of arrowjag and the ufuncs of numpy that it supports, each with the calls of other
libraries that it replaces. It is generated from the tables of the other pages.

| arrowjag | elsewhere |
|---|---|
"""
OPERATORS = "operators, indexing and properties"
HOSTS = frozenset({"apply", "as_py", "groupby", "merge", "sort_values", "to_list", "to_pylist", "tolist"})
"""Methods of pandas and conversions, which calls of arrowjag use too."""
CONSTRUCTORS = frozenset({"aj.array", "np.arange", "np.array", "np.ones", "np.zeros"})
"""Functions that only create the operands of a call."""


def rows(page: Path) -> list[tuple[str, str, str]]:
    """The library, its call and ours of each row of the tables of a page."""
    found, header = [], None
    for line in page.read_text(encoding="utf-8").splitlines():
        if not line.startswith("|"):
            header = None
            continue
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if header is None:
            header = cells
        elif not set(line) <= set("|-: ") and header[1:] in (["arrowjag", "gives"], ["gives", "arrowjag", "gives", "why"]):
            found.append((header[0], cells[0], cells[header.index("arrowjag")]))
    return found


def names_in(call: str) -> list[str]:
    """The methods and functions of arrowjag that a call uses, and the ufuncs of numpy."""
    free = r"(?<![\w.])(?:aj|np|pa|pd|json|math)\.[\w.]+(?=\()"
    used = [name for name in re.findall(free, call) if name.startswith(("aj.", "np.")) and name.rpartition(".")[2].islower()]
    methods = re.sub(free, "", call)
    spaced = re.findall(r"\.((?:str|dt)\.[a-z_]+)(?=\()", methods)
    plain = [name for name in re.findall(r"\.([a-z_]+)(?=\()", methods) if name not in HOSTS and f"str.{name}" not in spaced]
    found = [*(name for name in used if name not in CONSTRUCTORS), *spaced, *plain]
    return list(dict.fromkeys(found)) or [OPERATORS]


def text() -> str:
    """The text of the page."""
    calls: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for page in sorted(FOLDER.glob("*.md")):
        for library, theirs, ours in [] if page == PAGE else rows(page):
            for name in names_in(ours):
                if theirs.startswith("`") and theirs not in calls[name][library]:
                    calls[name][library].append(theirs)
    lines = [
        f"| {name if name == OPERATORS else f'`{name}`'} | "
        + " · ".join(f"{library}: {', '.join(told)}" for library, told in sorted(calls[name].items()))
        + " |"
        for name in sorted(calls, key=lambda name: (name == OPERATORS, name.removeprefix("aj.").removeprefix("np.")))
    ]
    return HEAD + "\n".join(lines) + "\n"


def main() -> int:
    """Run the script."""
    made = text()
    if "--check" in sys.argv:
        return int(PAGE.read_text(encoding="utf-8") != made)
    PAGE.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
