"""Write the figures of docs/performance-tables.md into the pages that quote them: `python docs/performance_figures.py`."""

from __future__ import annotations

import re
from pathlib import Path

from performance_pictures import TABLES, geometric, ratios

DOCS = Path(__file__).parent
START, END = "<!-- measured: docs/performance.py writes these lines -->", "<!-- end of measured -->"


def means(tables: str) -> dict[str, tuple[float, int]]:
    """Return the geometric mean of ratios and the number of operations per kind of nulls."""
    found = {title: list(ratios(tables, title).values()) for title in ("Without nulls", "With null values", "With null rows")}
    return {title: (geometric(values), len(values)) for title, values in found.items()}


def millions(tables: str) -> str:
    """Return the number of values of the first table, in millions."""
    found = re.search(r"^## Without nulls: ([\d,]+) values", tables, re.MULTILINE)
    assert found is not None
    return f"{int(found[1].replace(',', '')) / 1e6:.0f}"


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
    sentence = (
        f"On {size} in rows of about 10 items, arrowjag is {plain:.1f} times as fast as the fastest other library\n"
        f"(geometric mean of {count} operations; awkward, DuckDB, Koda, numpy, polars and pyarrow, whichever is fastest at the\n"
        f"operation). With null values the mean is {values:.1f} times, with null rows {rows:.1f} times."
    )
    page = re.sub(f"{START}.*?{END}", lambda _: f"{START}\n{sentence}\n{END}", page, flags=re.DOTALL)
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
