"""The tables of docs/coming-from: every row runs, and beside the other library where it is installed.

Two kinds of table. `| other | arrowjag | gives |`: both give the same. `| other | gives | arrowjag | gives | why |`: they differ,
each as it says. The Python blocks of a page are run first; its tables use their names. Other tables are prose.
"""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa
import pytest

import arrowjag as aj
from tests.test_documents import ROOT, blocks, run

PAGES = sorted((ROOT / "docs" / "coming-from").glob("*.md"))
LIBRARIES = {"Koda": "koladata", "awkward": "awkward"}


class Row(NamedTuple):
    page: Path
    line: int
    library: str
    theirs: str
    their_result: str
    ours: str
    our_result: str


def rows(page: Path) -> list[Row]:
    found, header = [], None
    for line, text in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if not text.startswith("|"):
            header = None
            continue
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", text)[1:-1]]
        if header is None:
            header = cells
        elif not set(text) <= set("|-: ") and "arrowjag" in header:
            codes = [code(cell) for cell in cells]
            if header[1:] == ["arrowjag", "gives"]:
                found.append(Row(page, line, header[0], codes[0], codes[2], codes[1], codes[2]))
            elif header[1:] == ["gives", "arrowjag", "gives", "why"]:
                assert codes[1] != codes[3], f"{page.name}, line {line}: no difference"
                found.append(Row(page, line, header[0], codes[0], codes[1], codes[2], codes[3]))
    return found


def code(cell: str) -> str:
    """What stands in backticks; prose is no code."""
    match = re.fullmatch(r"`(.*)`", cell)
    return match[1].replace(r"\|", "|") if match else ""


def names_of(page: Path) -> dict[str, Any]:
    names: dict[str, Any] = {}
    for block in blocks(page.read_text(encoding="utf-8")):
        needed = block.note.removeprefix("needs: ") if block.note.startswith("needs: ") else None
        if not block.note or (needed and installed(needed)):
            run(block, str(page), names)
    return names


def installed(library: str) -> bool:
    try:
        __import__(library)
    except ImportError:
        return False
    return True


NAMES: dict[Path, dict[str, Any]] = {}
ROWS = [row for page in PAGES for row in rows(page)]


def outcome(source: str, page: Path) -> Any:
    """What a cell comes to, as nested lists; "refused" for an error."""
    if page not in NAMES:
        NAMES[page] = names_of(page)
    try:
        return plain(eval(source, dict(NAMES[page])))
    except (ValueError, TypeError, IndexError, OverflowError, ZeroDivisionError):
        return "refused"


def plain(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return [plain(one) for one in value]
    if isinstance(value, aj.JaggedShape) or type(value).__name__ == "JaggedShape":
        return repr(value)
    if isinstance(value, pa.Scalar):
        return value.as_py()
    if hasattr(value, "to_py"):  # of Koda, whose items answer to no other name
        found = value.to_py(max_depth=-1)
        return True if str(found) == "present" else found
    for method in ("to_list", "tolist", "to_pylist"):
        if hasattr(value, method):
            found = getattr(value, method)()
            return [None if one is pd.NA else one for one in found] if isinstance(found, list) else found
    return value


def expected(text: str) -> Any:
    if text.startswith("JaggedShape") or text == "refused":
        return text
    return eval(text, {"nan": math.nan, "inf": math.inf})


def same(one: Any, two: Any) -> bool:
    if isinstance(one, list) and isinstance(two, list):
        return len(one) == len(two) and all(map(same, one, two))
    if isinstance(one, float) and isinstance(two, float):
        return math.isclose(one, two, rel_tol=1e-5, abs_tol=1e-9) or (math.isnan(one) and math.isnan(two))
    return type(one) is type(two) and bool(one == two)


def label(row: Row) -> str:
    return f"{row.page.stem}-{row.line}"


@pytest.mark.parametrize("row", ROWS, ids=label)
def test_ours(row: Row) -> None:
    assert row.ours
    assert row.our_result, "a row without a result"
    got = outcome(row.ours, row.page)
    assert same(got, expected(row.our_result)), f"{row.page.name}, line {row.line}: {row.ours} gives {got}"


@pytest.mark.parametrize("row", [row for row in ROWS if row.theirs and row.library in LIBRARIES], ids=label)
def test_theirs(row: Row) -> None:
    pytest.importorskip(LIBRARIES[row.library])
    got = outcome(row.theirs, row.page)
    assert same(got, expected(row.their_result)), f"{row.page.name}, line {row.line}: {row.theirs} gives {got}"


def test_pages_have_tables() -> None:
    counts = {page.stem: sum(row.page == page for row in ROWS) for page in PAGES}
    assert all(counts[name] > 10 for name in ("koda", "fold", "awkward", "nested-pandas", "tensorflow"))
