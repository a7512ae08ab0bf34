"""*See also* of each method's page, and the groups of methods on the class page, from the sections of the reference."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

REFERENCE = Path(__file__).parent / "reference"
MOST = 8


@functools.cache
def sections() -> dict[str, list[str]]:
    """The methods of each section, by the method; its own section first in the order of the page."""
    found: dict[str, list[str]] = {}
    for page in sorted(REFERENCE.glob("*.md")):
        for section in re.split(r"^#+ ", page.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
            names = re.findall(r"^   (JaggedArray\.[\w.]+)$", section, re.MULTILINE)
            found |= dict.fromkeys(names, names)
    return found


@functools.cache
def groups() -> list[tuple[str, list[str]]]:
    """The sections that list methods, in the order of the index page, each with its title."""
    order = re.findall(r"\]\((\w+)\.md\)", (REFERENCE / "index.md").read_text(encoding="utf-8"))
    found = []
    for page in dict.fromkeys(order):
        text = (REFERENCE / f"{page}.md").read_text(encoding="utf-8")
        for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
            names = re.findall(r"^   JaggedArray\.([\w.]+)$", section, re.MULTILINE)
            if names:
                found.append((section.partition("\n")[0], names))
    return found


def add_groups(_app: Any, kind: str, name: str, _object: Any, _options: Any, lines: list[str]) -> None:
    """List the methods of the class in groups, one line each."""
    if kind != "class" or name != "arrowjag.JaggedArray":
        return
    for title, names in groups():
        lines += ["", f".. rubric:: {title}", "", ".. autosummary::", ""]
        lines += [f"   JaggedArray.{one}" for one in names]
    lines.append("")


def neighbours(name: str) -> list[str]:
    """The nearest methods in the list of a method's section."""
    names = sections().get(name, [])
    if name not in names:
        return []
    at = names.index(name)
    nearest = sorted(names, key=lambda one: abs(names.index(one) - at))[1 : MOST + 1]
    return [one for one in names if one in nearest]


def add_see_also(_app: Any, _kind: str, name: str, _object: Any, _options: Any, lines: list[str]) -> None:
    """Put the section before the examples, or at the end; a docstring that has one of its own keeps it."""
    short = name.removeprefix("arrowjag.")
    others = neighbours(short)
    if not others or "See Also" in lines:
        return
    text = ["See Also", "--------", *(one.removeprefix("JaggedArray.") for one in others), ""]
    at = lines.index("Examples") if "Examples" in lines else len(lines)
    lines[at:at] = text


def setup(app: Sphinx) -> dict[str, bool]:
    """Run before numpydoc reads the sections."""
    app.connect("autodoc-process-docstring", add_see_also, priority=400)
    app.connect("autodoc-process-docstring", add_groups, priority=600)  # after numpydoc, whose sections would swallow the lists
    return {"parallel_read_safe": True}
