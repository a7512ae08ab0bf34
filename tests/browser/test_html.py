"""The page of `show --html` and the HTML repr in a real browser: they load, click, and answer the keyboard."""

from __future__ import annotations

from pathlib import Path

import pytest

import arrowjag as aj
from arrowjag.cli import main
from tests.browser.driver import Browser, programs

pytestmark = [
    pytest.mark.skipif(programs() is None, reason="chromium and chromedriver are not installed"),
    pytest.mark.xdist_group("browser"),
]
TAB, ENTER, SPACE = "\ue004", "\ue007", " "
OPEN = "return [...document.querySelectorAll('details')].map(one => one.open)"
FOCUS = "return document.activeElement.tagName"
INK = "const style = getComputedStyle({0}); return [style.color, getComputedStyle(document.body).backgroundColor]"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    delays = aj.array([[[1.5, None], [2.0]], [], None, [[], None, [3.0]]])
    tags = aj.array([["<script>document.title = 'broken'</script>", "a & \"b\" 'c'"], None, [], ["d"]])
    aj.write_parquet({"<b>plane</b>": ["N1", None, "<i>", "N4"], "delays": delays, "tags": tags}, folder / "<x>&.parquet")
    assert main(["show", str(folder / "<x>&.parquet"), "--html", str(folder / "page.html")]) == 0
    return folder / "page.html"


def test_the_page_loads_without_a_complaint_and_fetches_nothing(browser: Browser, page: Path) -> None:
    browser.open(page)
    assert browser.run("return document.title") == "<x>&.parquet"
    assert browser.run("return [...document.querySelectorAll('summary b')].map(one => one.textContent)") == ["delays", "tags"]
    assert browser.run("return document.querySelectorAll('svg').length") == 3
    fetched = browser.run("return performance.getEntriesByType('resource').map(one => one.name)")
    assert [name for name in fetched if not name.startswith("data:")] == []
    assert browser.console() == []


def test_data_is_shown_and_not_executed(browser: Browser, page: Path) -> None:
    browser.open(page)
    text = browser.run("return document.body.innerText")
    assert "<script>document.title = 'broken'</script>" in text
    assert "<b>plane</b>" in text
    assert browser.run("return document.querySelectorAll('main script').length") == 0


def test_columns_close_and_open_by_mouse(browser: Browser, page: Path) -> None:
    browser.open(page)
    assert browser.run(OPEN) == [True, True]
    browser.click("summary")
    assert browser.run(OPEN) == [False, True]
    browser.click("button[data-open=no]")
    assert browser.run(OPEN) == [False, False]
    browser.click("button[data-open=yes]")
    assert browser.run(OPEN) == [True, True]
    assert browser.console() == []


def test_columns_close_and_open_by_keyboard(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.press(TAB, TAB, TAB)
    assert browser.run(FOCUS) == "SUMMARY"
    assert browser.run("return getComputedStyle(document.activeElement).outlineStyle") == "solid"
    browser.press(ENTER)
    assert browser.run(OPEN) == [False, True]
    browser.press(TAB, SPACE)
    assert browser.run(OPEN) == [False, False]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_contrasts_with_its_background(scheme: str, browser: Browser, page: Path) -> None:
    browser.prefer(scheme)
    browser.open(page)
    for selector in ("h1", ".quiet", ".null", "td", "code"):
        ink, paper = browser.run(INK.format(f"document.querySelector('{selector}')"))
        assert contrast(ink, paper) >= 4.5, selector
    assert (luminance(paper) > 0.5) == (scheme == "light")


def test_nothing_exceeds_a_narrow_window(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.run("document.body.style.width = '360px'")
    assert browser.run("return document.querySelector('main').scrollWidth <= 361")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_repr_of_an_array(scheme: str, browser: Browser, tmp_path: Path) -> None:
    x = aj.array([[["<b>bold</b>", None], []], None, [["a"] * 500]])
    (tmp_path / "repr.html").write_text(f"<!doctype html><meta name=color-scheme content='light dark'>{x._repr_html_()}")
    browser.prefer(scheme)
    browser.open(tmp_path / "repr.html")
    assert browser.run(OPEN) == [True, False]
    assert "<b>bold</b>" in browser.run("return document.body.innerText")
    ink = browser.run("return getComputedStyle(document.querySelector('code')).color")
    assert (luminance(ink) > 0.5) == (scheme == "dark")
    browser.press(TAB, ENTER)
    assert browser.run(OPEN) == [False, False]
    browser.press(ENTER, TAB, ENTER)
    assert browser.run(OPEN) == [True, True]
    browser.picture(tmp_path / "repr.png")
    assert (tmp_path / "repr.png").stat().st_size > 5000
    assert browser.console() == []


def channels(colour: str) -> list[float]:
    return [float(part) / 255 for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]


def luminance(colour: str) -> float:
    """Relative luminance, as WCAG defines it."""
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in channels(colour)]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, two: str) -> float:
    darker, lighter = sorted([luminance(one), luminance(two)])
    return (lighter + 0.05) / (darker + 0.05)
