"""Write the table of differences between versions into docs/policy.md, from the `_versions` modules of the hosts.

`python tools/write_versions.py`; with `--check` it writes nothing and ends with 1 where the table is old.
"""

from __future__ import annotations

import importlib
import pathlib
import sys

from arrowjag._versions import Difference, release

__all__ = ["MODULES", "main", "table", "written"]

PAGE = pathlib.Path(__file__).parents[1] / "docs" / "policy.md"
MODULES = ("arrowjag._pyarrow_versions", "arrowjag.pandas._versions", "arrowjag.polars._versions")
FIRST, LAST = "<!-- differences: written by tools/write_versions.py -->\n", "<!-- end of differences -->\n"


def table() -> str:
    """The table in Markdown.

    Returns
    -------
    str
        A row per difference: by host, and with the latest version first.
    """
    for module in MODULES:
        importlib.import_module(module)
    rows = sorted(Difference.all, key=lambda one: (one.host, [-number for number in release(one.until)]))
    lines = [f"| {one.host} before {one.until} | {one.older} | {one.here} |" for one in rows if one.public]
    return "\n".join(["| version | what it does | with arrowjag |", "|---|---|---|", *lines, ""])


def written(page: str) -> str:
    """The page with the table of today.

    Parameters
    ----------
    page : str
        The text of the page.

    Returns
    -------
    str
        The same text where the table is up to date.
    """
    before, rest = page.split(FIRST)
    return f"{before}{FIRST}\n{table()}\n{LAST}{rest.split(LAST)[1]}"


def main(arguments: list[str]) -> int:
    """Write the page, or compare it.

    Parameters
    ----------
    arguments : list of str
        Empty, or `--check`.

    Returns
    -------
    int
        1 if the table is old and was only compared.
    """
    old = PAGE.read_text(encoding="utf-8")
    new = written(old)
    if "--check" in arguments:
        return int(old != new)
    PAGE.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
