"""HTML for notebooks: arrays, shapes, dims, overlays, frames and recorded chains, safe to put into a page and never long."""

from __future__ import annotations

import datetime as dt
from html.parser import HTMLParser
from typing import Any

import pytest

import arrowjag as aj

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

X = aj.array([[[1.5, None], [2.0]], [], None, [[], None, [3.0]]])
STRUCTS = aj.zip(
    delay=aj.array([[1, None], None, [], list(range(9))]),
    origin=aj.array([["<b>JFK</b>", "EWR"], None, [], [None, *"bcdefghi"]]),
)


class Page(HTMLParser):
    """The text of a page, and whether its tags are balanced."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.words.append(data)

    @property
    def text(self) -> str:
        return "|".join(self.words)


def text_of(shown: Any) -> str:
    return Page(shown._repr_html_()).text


def test_html_counts_values_and_null_values() -> None:
    assert "3 dims, 4 values (1 null)" in text_of(X)
    assert "2|5|4|1 on average|1" in text_of(X)


def test_texts_from_right_to_left_keep_their_order() -> None:
    words = [["שלום", "it's <b>", "مرحبا"], ["مرحبا " * 20], ["plain"]]
    shown = "<code>['<bdi>שלום</bdi>', \"<bdi>it's &lt;b&gt;</bdi>\", '<bdi>مرحبا</bdi>']</code>"
    column = aj.array(words)
    for one in (column, column.to_pandas(name="v").to_frame().jag, column.to_polars(name="v").to_frame().jag):
        html = one._repr_html_()
        assert shown in html
        assert "</bdi>...]</code>" in html
        assert "<code>[&#x27;plain&#x27;]</code>" in html
    field = aj.zip(word=column)
    assert "<code>'<bdi>שלום</bdi>'</code>" in field.to_pandas(name="v").to_frame().jag._repr_html_()
    assert "'|שלום|'" in text_of(column)


def test_a_shape_and_a_dim() -> None:
    assert text_of(X.shape).startswith("JaggedShape| |JaggedShape(4, [2, 0, 0, 3], [2, 1, 0, 0, 1])|dim|rows|items")
    assert "0|4|5|1.667 on average|1" in text_of(X.shape[1])


def test_the_average_size_is_that_of_valid_rows() -> None:
    x = aj.array([[1, 2, 3], [], None, [4]])
    assert f"1|4|4|{x.lengths().mean().as_py():.4g} on average|1" in text_of(x)
    assert "1|2|0|null rows only|2" in text_of(aj.array([None, None], ndim=2))


def test_large_averages_have_all_their_digits() -> None:
    assert "500,000,000 on average" in text_of(aj.dims.Affine(1, 10**9, 1))
    assert "1.5 on average" in text_of(aj.dims.Ragged([1, 2]))


def test_an_overlay() -> None:
    shown = text_of(aj.overlay(X, (0, 0, 0), aj.array(9.0)))
    assert "overwritten|1 of 4 values" in shown


def test_a_recorded_chain_names_its_calls_and_columns() -> None:
    assert repr((pl.col("v").jag * pl.col("k")).jag.sum()) == '<JagExpr sum(mul(x0, x1)), x0 = col("v"), x1 = col("k")>'
    assert repr(pl.col("v").jag) == '<JagNamespace x0, x0 = col("v")>'
    assert repr(pl.col("v" * 200).jag) == f'<JagNamespace x0, x0 = col("{"v" * 67}...>'
    shown = text_of((pl.col("v").jag * pl.col("k")).jag.sum())
    assert shown == 'JagExpr|calls|sum(mul(x0, x1))|x0|col("v")|x1|col("k")'
    assert text_of(pl.col("v").jag) == 'JagExpr|calls|x0|x0|col("v")'


@pytest.mark.parametrize("host", ["pandas", "polars"])
def test_rows_of_structs_are_small_tables_in_their_cell(host: str) -> None:
    frame = pd.DataFrame({"k": [1, 2, 3, 4], "s": STRUCTS.to_pandas()})
    if host == "polars":
        frame = pl.DataFrame({"k": [1, 2, 3, 4], "s": STRUCTS.to_polars()})
    shown = text_of(frame.jag)
    assert "DataFrame of 4 rows and 2 columns" in shown
    assert "delay|origin|1|'<b>JFK</b>'|null|'EWR'" in shown
    assert "0|null|1|'b'|⋮ 9 items|7|'h'|8|'i'" in shown
    assert "|2|3|[]|" in shown  # the label, k, and the empty row
    assert "|1|2|null|" in shown
    assert text_of(frame["s"].jag).startswith("Series of 4 rows")


@pytest.mark.parametrize("host", ["pandas", "polars"])
def test_head_and_tail_of_long_and_wide_frames(host: str) -> None:
    columns = {f"c{at}": aj.arange(1000, 2) for at in range(30)}
    made: Any = pd.DataFrame(columns) if host == "pandas" else pl.DataFrame({name: x.to_polars() for name, x in columns.items()})
    shown = text_of(made.jag)
    assert "DataFrame of 1,000 rows and 30 columns" in shown
    assert "[1998, 1999]" in shown
    assert "[1000, 1001]" not in shown
    assert "|c9|" in shown
    assert "|c10|" not in shown
    assert len(made.jag._repr_html_()) < 40_000


def test_frames_without_rows_and_with_python_objects() -> None:
    assert "DataFrame of 0 rows and 1 column" in text_of(pd.DataFrame({"v": aj.array([], ndim=2)}).jag)
    assert "DataFrame of 0 rows and 0 columns" in text_of(pl.DataFrame().jag)
    shown = text_of(pd.DataFrame({"o": [object, {"<i>": 1}], "v": aj.array([[1], None])}).jag)
    assert "{'<i>': 1}" in shown
    assert len(text_of(pd.DataFrame({"o": pd.Series([object, "y" * 5000])}).jag)) < 300


def test_durations_hold_no_comma() -> None:
    x = aj.array([[dt.timedelta(days=1, hours=2), None]])
    assert "[1 day 2:00:00, null]" in repr(x)
    assert "[1 day 2:00:00, null]" in text_of(x)
