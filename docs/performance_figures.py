"""Write the figures of docs/performance-tables.md into the pages that quote them: `python docs/performance_figures.py`."""

from __future__ import annotations

import math
import re
from pathlib import Path

from performance_pictures import TABLES, calls, geometric, number, ratios, section

KINDS = ("Without nulls", "With null values", "With null rows")

DOCS = Path(__file__).parent
START, END = "<!-- measured: docs/performance.py writes these lines -->", "<!-- end of measured -->"
BY_TYPE = "<!-- measured by type: docs/performance.py writes these lines -->"


def means(tables: str) -> dict[str, tuple[float, int]]:
    """Return the geometric mean of ratios and the number of operations per kind of nulls."""
    found = {title: list(ratios(tables, title).values()) for title in KINDS}
    return {title: (geometric(values), len(values)) for title, values in found.items()}


def means_without_extra(tables: str) -> list[float]:
    """Return the geometric mean of ratios per kind of nulls, for the times without the extra `compiled`."""
    means = []
    for title in KINDS:
        head, *rows = section(tables, title)
        of, plain = head.index("arrowjag"), head.index("plain")
        slower = {row[0]: number(row[plain]) / number(row[of]) for row in rows if not math.isnan(number(row[plain]))}
        means.append(geometric([ratio / slower.get(name, 1.0) for name, ratio in ratios(tables, title).items()]))
    return means


def millions(tables: str) -> str:
    """Return the number of values of the first table, in millions."""
    found = re.search(r"^## Without nulls: ([\d,]+) values", tables, re.MULTILINE)
    assert found is not None
    return f"{int(found[1].replace(',', '')) / 1e6:.0f}"


def types(tables: str) -> str:
    """Return how many pairs of an operation and an input are as fast as in the fastest other library, and name the slowest."""
    head, *rows = section(tables, "Other types and sizes")
    found = {
        (row[0], column): number(cell)
        for row in rows
        if not row[0].startswith("geometric")
        for column, cell in zip(head[1:], row[1:], strict=True)
        if column.startswith("1M") and not math.isnan(number(cell))
    }
    behind = sorted((ratio, *key) for key, ratio in found.items() if ratio < 0.95)
    called = calls(tables)
    slowest = ", ".join(
        f"`{called.get(name, name)}` on {column.removeprefix('1M ').replace('_', ' ')} ({ratio:.2f})"
        for ratio, name, column in behind[:SLOWEST]
    )
    slowest = re.sub(r"(.*), ", r"\1 and ", slowest)
    mean = geometric(list(found.values()))
    of_rows = " and `w` holds one number per row" if "w`" in slowest else ""
    told = (
        f"The slowest {'is' if len(behind) == 1 else 'are'} {slowest}, where `x` is a column of lists{of_rows}." if behind else ""
    )
    ahead = f"{len(found) - len(behind)} of" if behind else "all"
    return (
        f"On 1 million values, {ahead} {len(found)} pairs of an operation and an input are at least as\n"
        f"fast as in the fastest other library (within 5 %), geometric mean {mean:.1f} times.\n"
        f"{told}"
    ).rstrip()


SLOWEST = 5
"""How many of the slowest operations the page names."""


def written(page: str, tables: str) -> str:
    """Return the text of a page with the figures of the tables.

    Parameters
    ----------
    page : str
        A page with lines between the two comments, or with the card of the landing page.
    tables : str
        The text of the page of tables.

    Returns
    -------
    str
        The page.
    """
    (plain, count), (values, _), (rows, _) = means(tables).values()
    size = f"{millions(tables)} million values"
    slower = [f"{mean:.1f}" for mean in means_without_extra(tables)]
    sentence = (
        f"On {size} in rows of about 10 items, arrowjag is {plain:.1f} times as fast as the fastest other library\n"
        f"(geometric mean of {count} operations; for each operation, the fastest of awkward, DuckDB, Koda, numpy, polars and\n"
        f"pyarrow). The mean is {values:.1f} times with null values, and {rows:.1f} times with null rows. These are means\n"
        f"with the extra `compiled`; without it they are {slower[0]}, {slower[1]} and {slower[2]} times."
    )
    page = re.sub(f"{START}.*?{END}", lambda _: f"{START}\n{sentence}\n{END}", page, flags=re.DOTALL)
    page = re.sub(f"{BY_TYPE}.*?{END}", lambda _: f"{BY_TYPE}\n{types(tables)}\n{END}", page, flags=re.DOTALL)
    page = re.sub(r"(\{grid-item-card\}) [\d.]+ times", rf"\1 {plain:.1f} times", page)
    card = f"fastest other library: geometric mean of {count} operations on {size}"
    return re.sub(r"fastest other library: geometric mean of \d+ operations on \d+ million values", card, page)


PAGES = (DOCS / "performance.md", DOCS / "index.md", DOCS.parent / "README.md")
"""The pages that quote figures."""


def main() -> None:
    """Write the figures into all pages."""
    tables = TABLES.read_text(encoding="utf-8")
    for page in PAGES:
        page.write_text(written(page.read_text(encoding="utf-8"), tables), encoding="utf-8")


if __name__ == "__main__":
    main()
