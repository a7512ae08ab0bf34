"""A directive for the site: `{picture} Caption` runs its lines after the page's Python blocks before it, and shows what was drawn.

The same blocks are run by tests/test_documents.py, so that a page is checked without building the site.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib as mpl
from docutils import nodes
from matplotlib.transforms import Bbox
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

mpl.use("agg")

WIDE = 3.0
"""Inches from which the text of a panel would be too small in half of a phone's width."""

FENCE = re.compile(r"^```(?P<kind>python|\{picture\})(?P<note>[^\n]*)\n(?P<code>.*?)^```", re.DOTALL | re.MULTILINE)


class Page:
    """Runs the blocks of one page in order, up to the last picture."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self.blocks: Iterator[re.Match[str]] = FENCE.finditer(path.read_text(encoding="utf-8"))

    def run_next_picture(self) -> None:
        """Run blocks up to the next picture, and that one."""
        for block in self.blocks:
            is_picture = block["kind"] != "python"
            if is_picture or not block["note"].strip():
                self._run(block["code"])
            if is_picture:
                return

    def _run(self, code: str) -> None:
        if ">>> " in code:
            examples = doctest.DocTestParser().get_examples(code)
            code = "".join(one.source for one in examples if one.exc_msg is None)  # without examples of errors
        with contextlib.redirect_stdout(None):
            exec(compile(code, str(self.path), "exec"), self.names)


class Picture(SphinxDirective):
    """Draw with matplotlib, show as inline SVG."""

    has_content = True
    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        from matplotlib import pyplot as plt

        page = self.env.temp_data.get("page_of_pictures")
        if page is None:
            page = self.env.temp_data["page_of_pictures"] = Page(Path(self.env.doc2path(self.env.docname)))
        plt.close("all")
        page.run_next_picture()
        caption = self.arguments[0]
        salt = f"{self.env.docname}{self.lineno}"
        drawn = "".join("".join(_panels(plt.figure(number), f"{salt}{number}")) for number in plt.get_fignums())
        plt.close("all")
        label = nodes.Text(caption).astext().replace('"', "&quot;")
        html = f'<figure class="picture"><div role="img" aria-label="{label}">{drawn}</div>'
        figure = nodes.raw("", f"{html}<figcaption>{caption}</figcaption></figure>", format="html")
        return [figure]


def _panels(figure: Any, salt: str) -> list[str]:
    """The panels of a figure side by side, one svg element each, which a phone shows in two columns, wide ones below each other.

    A figure with a colour bar stays one element.
    """
    if len(figure.axes) == 1 or any(ax.get_label() == "<colorbar>" for ax in figure.axes):
        return [_svg(figure, salt, "tight")]
    width, height = figure.get_size_inches()
    share = width / len(figure.axes)
    found = []
    for number in range(len(figure.axes)):
        box = Bbox([[number * share, 0.0], [(number + 1) * share, height]])
        panel = _svg(figure, f"{salt}{number}", box)
        found.append(panel if share < WIDE else panel.replace("<svg ", '<svg class="wide" ', 1))
    return found


def _svg(figure: Any, salt: str, box: Any) -> str:
    """One figure, or the part of it in a box, as an svg element; `salt` keeps its ids apart from those of other figures."""
    drawn = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": salt}):
        figure.savefig(drawn, format="svg", bbox_inches=box, metadata={"Date": None})
    text = drawn.getvalue()
    return text[text.index("<svg") :]


def setup(app: Sphinx) -> dict[str, Any]:
    """Enter the directive."""
    app.add_directive("picture", Picture)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
