"""*See also* of each page of the reference, the groups of methods on the class page, and links to the source of methods.

Related names are those of the same section of the reference.
"""

from __future__ import annotations

import functools
import inspect
import pydoc
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import arrowjag

if TYPE_CHECKING:
    from sphinx.application import Sphinx

REFERENCE = Path(__file__).parent / "reference"
MOST = 8
ACCESSORS = ("JaggedArray.str", "JaggedArray.dt")


@functools.cache
def sections() -> dict[str, list[str]]:
    """The names of each section in the order of the page, by each of these names; all without the prefix `arrowjag`."""
    found: dict[str, list[str]] = {}
    for page in sorted(REFERENCE.glob("*.md")):
        for section in re.split(r"^#+ ", page.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
            module = re.search(r"^\.\. currentmodule:: arrowjag\.?(.*)$", section, re.MULTILINE)
            if module is None:
                continue
            prefix = f"{module[1]}." if module[1] else ""
            names = [prefix + one for one in re.findall(r"^   (\w[\w.]*)$", section, re.MULTILINE)]
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
    """The nearest names in the list of a name's section: methods of the same class, or functions and classes."""
    owner = name.rpartition(".")[0]
    names = [one for one in sections().get(name, []) if one.rpartition(".")[0] == owner]
    if name not in names:
        return []
    at = names.index(name)
    nearest = sorted(names, key=lambda one: abs(names.index(one) - at))[1 : MOST + 1]
    return [one for one in names if one in nearest]


def accessors() -> dict[str, str]:
    """The text of the pages of `x.str` and `x.dt`: the notes and examples of their class, and its methods."""
    from numpydoc.docscrape_sphinx import get_doc_object  # the tests of this file run without it

    found = {}
    for name in ACCESSORS:
        cls = getattr(arrowjag.JaggedArray, name.removeprefix("JaggedArray."))
        page = get_doc_object(cls, "obj", doc=inspect.getdoc(cls), config={})
        page["Parameters"] = []  # the array itself
        methods = [f"   {one}" for one in sections()[name] if one != name]
        lines = [str(page).strip(), "", ".. rubric:: Methods", "", ".. autosummary::", "", *methods]
        found[name] = "\n".join(lines)
    return found


def summary(name: str) -> str:
    """The first line of a docstring, without what follows a colon or semicolon."""
    paragraph = " ".join((inspect.getdoc(pydoc.locate(f"arrowjag.{name}")) or "").partition("\n\n")[0].split())
    return re.split(r"(?<=\w)[:;] ", paragraph)[0].rstrip(".")


def add_see_also(_app: Any, _kind: str, name: str, _object: Any, _options: Any, lines: list[str]) -> None:
    """Put the section before the examples, or at the end; a docstring that has one of its own keeps it."""
    short = name.removeprefix("arrowjag.")
    others = neighbours(short)
    if not others or "See Also" in lines:
        return
    lists = (f":obj:`~arrowjag.{one}` : {summary(one)}." for one in others)
    text = ["See Also", "--------", *lists, ""]
    at = lines.index("Examples") if "Examples" in lines else len(lines)
    lines[at:at] = text


OWNERS = {"TextMethods": "JaggedArray.str", "SearchMethods": "JaggedArray.str", "TimeMethods": "JaggedArray.dt"}
"""The name on the site of a class that holds methods; all other classes of `arrowjag._array` are `JaggedArray`."""


def find_source(_app: Any, module: str) -> tuple[str, dict[str, Any]] | None:
    """Give viewcode the methods of `JaggedArray` under this name, for links from their pages."""
    if not module.startswith("arrowjag._array"):
        return None
    from sphinx.pycode import ModuleAnalyzer

    analyzer = ModuleAnalyzer.for_module(module)
    tags = dict(analyzer.find_tags())
    for name, tag in analyzer.find_tags().items():
        owner, _, method = name.partition(".")
        if method:
            tags[f"{OWNERS.get(owner, 'JaggedArray')}.{method}"] = tag
    return analyzer.code, tags


def describe_accessors(_app: Any, doctree: Any) -> None:
    """Fill the lines of `x.str` and `x.dt` in the lists: autosummary takes both for aliases of a class, and leaves them empty."""
    from docutils import nodes

    for row in doctree.findall(nodes.row):
        if len(row.children) == 2 and not row.children[1].astext().strip() and row.children[0].astext() in ACCESSORS:
            row.children[1].replace_self(nodes.entry("", nodes.paragraph("", f"{summary(row.children[0].astext())}.")))


def setup(app: Sphinx) -> dict[str, bool]:
    """Run before numpydoc reads the sections."""
    app.connect("autodoc-process-docstring", add_see_also, priority=400)
    app.setup_extension("sphinx.ext.viewcode")
    app.connect("viewcode-find-source", find_source)
    app.connect("doctree-read", describe_accessors)
    app.connect("autodoc-process-docstring", add_groups, priority=600)  # after numpydoc, whose sections would swallow the lists
    return {"parallel_read_safe": True}
