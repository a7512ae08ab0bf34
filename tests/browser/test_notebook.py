"""HTML reprs inside the pages of notebooks, whose theme differs from that of the system."""

from __future__ import annotations

from pathlib import Path

import pytest

import arrowjag as aj
from tests.browser.driver import Browser, programs
from tests.browser.test_html import contrast, luminance

pytestmark = [
    pytest.mark.skipif(programs() is None, reason="chromium and chromedriver are not installed"),
    pytest.mark.xdist_group("browser"),
]
STYLE = """
const one = document.querySelector('{0}'), style = getComputedStyle(one);
let at = one, back = 'rgba(0, 0, 0, 0)';
while (at && back === 'rgba(0, 0, 0, 0)') {{ back = getComputedStyle(at).backgroundColor; at = at.parentElement; }}
return [style.color, back, style.textAlign];
"""
PLACES = (".arrowjag summary", ".arrowjag td code", ".arrowjag .null", ".arrowjag tbody tr:nth-child(2) th", ".arrowjag .quiet")
# How pages that are not JupyterLab say their theme, and the paper that they then have.
PAGES = {
    "vscode-dark": ("<html><body class=vscode-dark style='background:#1e1e1e'>", True),
    "vscode-light": ("<html><body class=vscode-light style='background:#ffffff'>", False),
    "vscode-high-contrast": ("<html><body class='vscode-high-contrast' style='background:#000000'>", True),
    "colab-dark": ("<html theme=dark><body style='background:#383838'>", True),
    "colab-light": ("<html theme=light><body style='background:#ffffff'>", False),
    "sphinx-dark": ("<html data-theme=dark><body style='background:#14181e'>", True),
    "sphinx-light": ("<html data-theme=light><body style='background:#ffffff'>", False),
}


def check(browser: Browser, page: Path, dark: bool) -> None:
    browser.prefer("light" if dark else "dark")
    browser.open(page)
    for place in PLACES:
        ink, paper, align = browser.run(STYLE.format(place))
        assert contrast(ink, paper) >= 4.5, place
        assert (luminance(paper) < 0.5) == dark
        assert align in ("left", "start") or "th" in place, place
    browser.picture(page.with_suffix(".png"))


def shown() -> str:
    x = aj.array([[[1.5, None], [2.0]], [], None, [[], None, [3.0]]])
    return x._repr_html_()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_inside_the_css_of_jupyterlab(theme: str, browser: Browser, tmp_path: Path) -> None:
    nbconvert = pytest.importorskip("nbconvert")
    v4 = pytest.importorskip("nbformat").v4
    output = v4.new_output("execute_result", data={"text/html": shown(), "text/plain": "x"}, execution_count=1)
    notebook = v4.new_notebook(cells=[v4.new_code_cell("x", outputs=[output])], metadata={"language_info": {"name": "python"}})
    body, _ = nbconvert.HTMLExporter(template_name="lab", theme=theme).from_notebook_node(notebook)
    (tmp_path / "lab.html").write_text(body)
    check(browser, tmp_path / "lab.html", theme == "dark")
    background = browser.run("return getComputedStyle(document.querySelector('.arrowjag tbody tr')).backgroundColor")
    assert background == "rgba(0, 0, 0, 0)"


@pytest.mark.parametrize("name", PAGES)
def test_inside_pages_that_name_a_theme(name: str, browser: Browser, tmp_path: Path) -> None:
    head, dark = PAGES[name]
    (tmp_path / "page.html").write_text(f"<!doctype html>{head}{shown()}</body></html>")
    check(browser, tmp_path / "page.html", dark)
