"""Text and HTML of arrays: short at any size, true to the values, safe to put into a page."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import pyarrow as pa
import pytest

import arrowjag as aj
from arrowjag import _formatting, _html
from arrowjag._formatting import columns
from arrowjag.errors import OffsetsError
from arrowjag.shape import _text


def test_small_arrays_are_shown_whole() -> None:
    x = aj.array([[1.0, None], None, []])
    assert repr(x) == "JaggedArray JaggedShape(3, [2, 0, 0]) of double\n[[1.0, null],\n null,\n []]"
    assert str(x) == repr(x)


def test_head_and_tail_of_many_rows() -> None:
    lines = repr(aj.arange(1000, 2)).splitlines()
    assert len(lines) == 12
    assert (lines[1], lines[6], lines[-1]) == ("[[0, 1],", " ...,", " [1998, 1999]]")


def test_long_rows_are_cut_in_the_middle() -> None:
    (line,) = repr(aj.arange(1, 1000)).splitlines()[1:]
    assert line.startswith("[[0, 1, 2, ")
    assert line.endswith(", 997, 998, 999]]")
    assert ", ..., " in line
    assert len(line) <= 112


@pytest.mark.parametrize("dims", [(50, 50, 50, 50), (1, 1, 10**6), (3,) * 9, (10**6, 3)])
def test_text_stays_short(dims: tuple[int, ...]) -> None:
    x = aj.arange(*dims)
    assert all(len(line) <= 450 for line in repr(x).splitlines())
    assert len(x._repr_html_()) < 20_000


def test_only_shown_rows_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """A count of looked-at leaves instead of a clock."""
    seen = []
    leaf = columns._leaf
    monkeypatch.setattr(columns, "_leaf", lambda column, place: seen.append(place) or leaf(column, place))
    repr(aj.arange(40, 40, 40, 40))
    assert len(seen) < 3000


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "null"),
        (1.0, "1.0"),
        (1e300, "1e+300"),
        (float("nan"), "nan"),
        (1 / 3, "0.333333"),
        (9999996.5, "9999996.5"),
        (-336776.0, "-336776.0"),
        (123456.789, "123456.8"),
        (15.421488, "15.4215"),
        (99.99999999, "100.0"),
        (1e15, "1000000000000000.0"),
        (1e16, "1e+16"),
        (True, "True"),
        ("it's", '"it\'s"'),
        ({"a": [1, 2], "b": None}, "{a: [1, 2], b: null}"),
        (list(range(100)), "[0, 1, 2, ..., 97, 98, 99]"),
    ],
    ids=str,
)
def test_leaves(value: Any, shown: str) -> None:
    assert _formatting.leaf_text(value) == shown


def test_long_text_and_bytes_are_cut() -> None:
    for value in ("x" * 10**6, b"\x00" * 10**6, "\n" * 100):
        assert len(_formatting.leaf_text(value)) == 60


def test_long_leaves_are_cut_before_they_become_python() -> None:
    """No leaf of these is written out whole, in itself or within a struct or a list."""
    text, data = "é" * 1000, b"\x00" * 1000
    leaves = {
        "text": pa.array([text]),
        "view": pa.array([text], pa.string_view()),
        "bytes": pa.array([data]),
        "struct": pa.array([{"a": text, "b": data, "c": None}]),
        "list": pa.array([[text] * 1000]),
        "map": pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int64())),
    }
    shown = {name: repr(aj.from_arrow(values, ndim=1)).splitlines()[1] for name, values in leaves.items()}
    cut, quoted = f"'{'é' * 56}...", "b'" + "\\x00" * 13 + "\\x0..."
    assert shown["text"] == shown["view"] == f"[{cut}]"
    assert shown["bytes"] == f"[{quoted}]"
    assert shown["struct"] == f"[{{a: {cut}, b: {quoted}, c: null}}]"
    assert shown["list"] == f"[[{', '.join([cut] * 3)}, ..., {', '.join([cut] * 3)}]]"
    assert shown["map"] == "[[('k', 1)]]"


def test_text_that_is_not_utf8() -> None:
    broken = pa.Array.from_buffers(pa.string(), 1, [None, pa.py_buffer(b"\0\0\0\0\2\0\0\0"), pa.py_buffer(b"\xff\xfe")])
    with pytest.raises(OffsetsError, match="corrupt data in the text of the Arrow data: Invalid UTF8"):
        aj.from_arrow(broken)


def test_sizes_of_many_rows_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many sizes only the ends are shown, whether all agree or not; the shape's own repr is exact."""
    monkeypatch.setattr(_text, "_GLANCE", 7)
    ragged = aj.from_sizes(list(range(16)), [2] * 8)
    assert repr(ragged).startswith("JaggedArray JaggedShape(8, [2, 2, 2, ..., 2, 2, 2]) of int64")
    assert "JaggedShape(8, [2, 2, 2, ..., 2, 2, 2])" in ragged._repr_html_()
    assert repr(ragged.shape) == "JaggedShape(8, 2)"
    assert repr(aj.arange(8, 2)).startswith("JaggedArray JaggedShape(8, 2) of int64")
    assert repr(aj.from_sizes(list(range(14)), [2] * 7)).startswith("JaggedArray JaggedShape(7, 2) of int64")


def test_nulls_of_many_rows_are_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    x = aj.array([[1], None, None])
    assert '<td class="number">2</td></tr>' in x._repr_html_()
    monkeypatch.setattr(_html, "_COUNTED", 2)
    assert '<td class="number">some</td></tr>' in x._repr_html_()


@pytest.mark.parametrize("type", [pa.timestamp("s"), pa.timestamp("ns", "UTC"), pa.duration("ns"), pa.duration("s"), pa.date64()])
def test_times_beyond_those_of_python(type: pa.DataType) -> None:
    number = 86_400_000 * (10**10) if type == pa.date64() else 2**62
    x = aj.JaggedArray(aj.JaggedShape(1, 2), pa.array([number, 0], pa.int64()).view(type))
    assert repr(x).count("\n") == 1
    assert "<code>" in x._repr_html_()


@pytest.mark.parametrize("data", [[], [[]], [None], [[None]], [[{"a": [1]}]], [[b"\xff"]]], ids=str)
def test_html_is_well_formed(data: list[Any]) -> None:
    check_tags(aj.array(data)._repr_html_())


def test_html_of_a_scalar() -> None:
    check_tags(aj.JaggedArray(aj.JaggedShape(), [7])._repr_html_())


def test_html_escapes_values_and_field_names() -> None:
    x = aj.array([[{"<i>&": "<script>alert(1)</script>"}]])
    page = x._repr_html_()
    check_tags(page)
    assert "<script" not in page
    assert "<i>" not in page
    assert "&lt;script&gt;" in page


def test_html_distinguishes_null_and_empty_rows() -> None:
    cells = re.findall(r"<td>(<code.*?</code>)</td>", aj.array([[1], None, []])._repr_html_())
    assert cells == ["<code>[1]</code>", '<code class="null">null</code>', "<code>[]</code>"]


def test_html_has_the_facts_of_every_dim() -> None:
    page = aj.array([[[1, None], []], None])._repr_html_()
    assert "3 dims, 2 values (1 null)" in page
    assert re.findall(r'<th scope="row" class="number">(\d)</th><td class="number">(\d)</td>', page) == [
        ("0", "1"),
        ("1", "2"),
        ("2", "2"),
    ]


class Tags(HTMLParser):
    """Open tags."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def check_tags(page: str) -> None:
    tags = Tags()
    tags.feed(page)
    tags.close()
    assert tags.open == []


def test_digits_of_floats_can_be_set() -> None:
    x = aj.array([[1.23456789, 2.0]])
    with _formatting.styled(digits=3):
        assert _formatting.row_text(x, 0) == "[1.23, 2.0]"
    assert _formatting.row_text(x, 0) == "[1.23457, 2.0]"
