"""Pictures: the drawn elements, counted against plain lists. Their look was judged by eye."""

from __future__ import annotations

import datetime as dt
import re
import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import arrowjag as aj
from arrowjag.errors import JagAttributeError, JagIndexError, JagTypeError, JagValueError, MissingDependencyError

pytest.importorskip("matplotlib")

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt

from arrowjag.plot import _brackets, _cells, _histograms

RAGGED = [[1, 2, 3], [4, None], None, [], [5, 6, 7, 8, 9]]
DEEP = [[[1.5, 2], [3.0]], [[], None, [4, 5, 6, 7]], None, []]


@pytest.fixture(autouse=True)
def _close() -> Iterator[None]:
    plt.switch_backend("Agg")  # pandas' own tests leave one that draws nothing
    yield
    plt.close("all")


def title(ax: Any) -> str:
    return ax.get_title(loc="left")


def bars(ax: Any) -> list[tuple[float, float]]:
    """Middle and height of every bar that can be seen."""
    return [(patch.get_x() + patch.get_width() / 2, patch.get_height()) for patch in ax.patches if patch.get_height()]


def texts(ax: Any) -> list[str]:
    ax.figure.draw_without_rendering()
    return [one.get_text() for one in ax.texts]


def picture(ax: Any) -> np.ndarray:
    """The pixels."""
    ax.figure.canvas.draw()
    return np.asarray(ax.figure.canvas.buffer_rgba())


# --------------------------------------------------------------------------------------------------- sizes


def test_sizes_are_counted() -> None:
    ax = aj.array(RAGGED).plot.sizes()
    assert bars(ax) == [(0, 1), (2, 1), (3, 1), (5, 1)]
    assert title(ax) == "Sizes of dim 1: 4 rows of 0 to 5 items, 1 null row left out"
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("values per row", "number of rows")


@pytest.mark.parametrize(("sizes", "median"), [([1, 2], "1.5"), ([1, 2, 5], "2"), ([4, 123_456, 123_456], "123,456")])
def test_the_median_is_written_out(sizes: list[int], median: str) -> None:
    ax = aj.from_sizes(pa.nulls(sum(sizes), pa.int8()), sizes).plot.sizes()
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [f"median {median}"]


def test_sizes_of_an_outer_dim() -> None:
    ax = aj.array(DEEP).plot.sizes(axis=1)
    assert bars(ax) == [(0, 1), (2, 1), (3, 1)]
    assert ax.get_xlabel() == "items per row"


def test_plot_sizes_refuses_an_axis_that_is_not_a_dim() -> None:
    with pytest.raises(aj.JagTypeError, match=r"plot\.sizes: axis must be an int, got str"):
        aj.array(RAGGED).plot.sizes(axis="x")
    with pytest.raises(aj.JagIndexError, match=r"plot\.sizes: axis 2 is out of range for 2 dims"):
        aj.array(RAGGED).plot.sizes(axis=2)


def test_a_million_rows_are_a_few_bars_that_count_them_all() -> None:
    sizes = np.random.default_rng(0).geometric(0.1, 1_000_000)
    ax = aj.from_sizes(pa.nulls(int(sizes.sum()), pa.int8()), sizes).plot.sizes()
    assert len(ax.patches) <= 50
    assert sum(height for _, height in bars(ax)) == 1_000_000


def test_a_long_tail_is_seen() -> None:
    ax = aj.from_sizes(pa.nulls(3000, pa.int8()), [1] * 1000 + [2000]).plot.sizes()
    assert ax.get_yscale() == "log"
    assert ax.get_ylabel() == "number of rows (log scale)"


@pytest.mark.parametrize(("low", "high"), [(0, 0), (3, 3), (0, 49), (0, 50), (1, 99), (0, 1000), (7, 10**9)])
def test_edges_lie_between_whole_numbers(low: int, high: int) -> None:
    edges = _histograms.whole_edges(low, high)
    assert edges[0] == low - 0.5
    assert edges[-2] < high < edges[-1]
    assert len(edges) <= 51
    assert len(set(np.diff(edges))) == 1


def test_declared_sizes_and_no_rows() -> None:
    assert title(aj.zeros(4, 3).plot.sizes()) == "Sizes of dim 1: 4 rows of 3 items each"
    assert texts(aj.array([], type=pa.int64(), ndim=2).plot.sizes()) == ["no rows"]


@pytest.mark.parametrize("size", [0, 1, 3, 7000])
def test_a_single_size_is_named_once(size: int) -> None:
    ax = aj.array([[0] * size] * 2, type=pa.int64(), ndim=2).plot.sizes()
    low, high = ax.get_xlim()
    ax.figure.canvas.draw()
    named = [label.get_text() for label, at in zip(ax.get_xticklabels(), ax.get_xticks(), strict=True) if low <= at <= high]
    assert named == [f"{size:,}"]


def test_columns_of_hosts_have_the_same_pictures() -> None:
    x = aj.array([[1, 2], [], None])
    for column in (x.to_pandas(), x.to_polars("v")):
        assert title(column.jag.plot.sizes()) == title(x.plot.sizes())


def test_an_axis_that_is_not_there() -> None:
    with pytest.raises(JagIndexError, match="axis 2 is out of range for 2 dims"):
        aj.array(RAGGED).plot.sizes(axis=2)


# --------------------------------------------------------------------------------------------------- values


def test_values_are_counted_and_omitted_values_are_mentioned() -> None:
    ax = aj.array([[1.0, float("nan"), None], [float("inf"), 3.0, 3.0]]).plot.values()
    assert sum(height for _, height in bars(ax)) == 3
    assert title(ax) == "Values: 6 leaves, 1 null, 1 NaN, 1 infinite"


def test_whole_numbers_have_a_bar_each() -> None:
    assert bars(aj.array([[1, 1, 4], [2]]).plot.values()) == [(1, 2), (2, 1), (4, 1)]


def test_text_by_frequency() -> None:
    ax = aj.array([["b", "a", "b"], [None, "c"]]).plot.values()
    assert [label.get_text() for label in ax.get_yticklabels()] == ["b", "a", "c"]
    assert [patch.get_width() for patch in ax.patches] == [2, 1, 1]
    many = aj.array([[f"v{place:03}" for place in range(100)]]).plot.values()
    assert title(many) == "Values: 100 leaves, 80 rarer values not shown"


@pytest.mark.parametrize(
    "values",
    [
        [[True, False], [True]],
        [[Decimal("1.5")], [Decimal(2)]],
        [[dt.datetime(2013, 1, 1, tzinfo=dt.UTC)], [dt.datetime(2013, 6, 1, tzinfo=dt.UTC)]],
        [[dt.date(2013, 1, 1)], [dt.date(2014, 1, 1)]],
        [[dt.timedelta(seconds=5)], [dt.timedelta(seconds=7)]],
        [[dt.time(12)], [dt.time(13)]],
        [[2**63 - 1], [-(2**63)]],
        [[None], [None]],
        [[0.0]],
        [],
    ],
    ids=str,
)
def test_every_kind_of_value_is_drawn(values: list[Any]) -> None:
    assert picture(aj.array(values, ndim=2).plot.values()).std() > 0


@pytest.mark.parametrize(("zone", "first"), [(None, "00:00"), ("Asia/Tokyo", "09:00"), ("+05:30", "05:30")])
def test_times_have_few_labels_in_their_zone(zone: str | None, first: str) -> None:
    x = aj.array([[0, 3600], [7200]]).cast("timestamp[s]")
    ax = (x if zone is None else x.cast(f"timestamp[s, tz={zone}]")).plot.values()
    ax.figure.canvas.draw()
    labels = [label.get_text() for label in ax.get_xticklabels()]
    assert 3 <= len(labels) <= 9
    assert first in labels
    assert "Jan" in ax.xaxis.get_offset_text().get_text() or any("Jan" in label for label in labels)


@pytest.mark.parametrize(
    ("values", "unit", "right"),
    [
        ([[dt.timedelta(0)], [dt.timedelta(days=-4), dt.timedelta(days=3)]], "days", 3),
        ([[dt.timedelta(minutes=30)], [dt.timedelta(minutes=90)]], "hours", 1.5),
        ([[dt.timedelta(0)], [dt.timedelta(microseconds=40)]], "us", 40.5),
        ([[dt.timedelta(0)]], "ns", 500),
        ([[dt.time(12)], [dt.time(13)]], "hours", 13),
    ],
)
def test_lengths_of_time_have_a_unit_of_their_size(values: list[Any], unit: str, right: float) -> None:
    ax = aj.array(values).plot.values()
    assert ax.get_xlabel().endswith(f", in {unit}")
    last = ax.patches[-1]
    assert last.get_x() + last.get_width() == pytest.approx(right, rel=0.01)


def test_cells_of_dates_have_a_line_per_part() -> None:
    ax = aj.array([[dt.datetime(2020, 1, 2, 3, 4), dt.datetime(2021, 5, 6), None]]).plot.rows()  # noqa: DTZ001
    assert [text.get_text() for text in ax.texts[:3]] == ["2020-\n01-02\n03:04", "2021-\n05-06", "null"]


def test_numbers_in_cells_are_rounded_and_never_cut() -> None:
    numbers = [10**15, -123456, 123456, 1234.5, -1234.5, -1e300, 1.2345e-5, 0.1, Decimal("1234567.25")]
    shown = [_cells.short(aj.array([one]), 0) for one in numbers]
    assert shown == ["1e+15", "-1e+05", "123456", "1234", "-1234", "-1e+300", "1e-05", "0.1", "1.2e+6"]


def test_text_with_dollars_and_line_feeds_is_shown_as_it_is(tmp_path: Any) -> None:
    data = aj.array([["$5-$9", "$\\f$", "a\nb"]])
    assert {r"\$5-\$9", r"\$\\f\$"} <= set(texts(data.plot.rows()))  # escaped for matplotlib
    ax = data.plot.values()
    picture(ax)
    labels = ax.get_yticklabels()
    assert [one.get_text() for one in labels] == [r"\$5-\$9", r"\$\f\$", r"a\nb"]
    assert not any(one._preprocess_math(one.get_text())[1] for one in labels)
    aj.plot.overview(aj.zip(**{"$\\f$": aj.array([[1], [2]])}), "the $\\f$ of $", tmp_path / "a.png")
    assert (tmp_path / "a.png").stat().st_size > 1000


def test_dictionaries_are_text() -> None:
    x = aj.from_sizes(pa.array(["a", "b", "a"]).dictionary_encode(), [2, 1])
    assert [label.get_text() for label in x.plot.values().get_yticklabels()] == ["a", "b"]


def test_views_of_text_are_text() -> None:
    for data in (pa.array(["b", "a", "b", None], pa.string_view()), pa.array(["b", "a", "b", None], pa.large_string())):
        ax = aj.from_sizes(data, [4]).plot.values()
        assert [one.get_text() for one in ax.get_yticklabels()] == ["b", "a"]
        assert [bar.get_width() for bar in ax.patches] == [2, 1]


@pytest.mark.parametrize(
    "values",
    [
        [dt.date(1, 1, 1), dt.date(9999, 12, 31)],
        [dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31)],  # noqa: DTZ001
        [dt.date(9999, 12, 31)],
        pa.array([0, 10**12], pa.timestamp("s")),
        pa.array([0, 2**31 - 1], pa.date32()),
        [0.3, 0.1 + 0.2],
        [0.0, 5e-324],
        [1e300],
        [-1e300, -1e300],
        [2**63 - 1, -(2**63)],
    ],
)
def test_values_at_the_ends_of_their_range_are_drawn(values: Any) -> None:
    ax = aj.from_sizes(pa.array(values), [len(values)]).plot.values()
    ax.figure.canvas.draw()
    assert sum(bar.get_height() for bar in ax.patches) == len(values)
    assert all(bar.get_width() > 0 for bar in ax.patches)


def test_a_range_beyond_float64_is_named() -> None:
    with pytest.raises(JagValueError, match=r"plot.values: no axis holds values from -1e\+308 to 1e\+308; clip them first"):
        aj.array([[1e308, -1e308]]).plot.values()


def test_structs_want_a_field() -> None:
    x = aj.array([[{"a": 1}]])
    with pytest.raises(JagTypeError, match=r"plot.values has no kernel for struct<a: int64>. Pick a field first"):
        x.plot.values()
    assert bars(x["a"].plot.values()) == [(1, 1)]


# --------------------------------------------------------------------------------------------------- rows


def test_a_few_rows_are_cells() -> None:
    shown = texts(aj.array(RAGGED).plot.rows())
    assert [shown.count(text) for text in ("null", "null\nrow", "[ ]", "9")] == [1, 1, 1, 1]
    lines = [_cells.row_cells(aj.array(DEEP), row, 60) for row in range(4)]
    assert [[cell.kind for cell in line] for line in lines] == [
        ["leaf"] * 3,
        ["empty", "null", "leaf", "leaf", "leaf", "leaf"],
        ["null"],
        ["empty"],
    ]
    assert [cell.leaf for line in lines for cell in line if cell.kind == "leaf"] == list(range(7))


def test_cells_of_a_long_row_stop() -> None:
    (line,) = [_cells.row_cells(aj.arange(1, 10**6), 0, 60)]
    assert [cell.kind for cell in line] == ["leaf"] * 60 + ["more"]
    deep = _cells.row_cells(aj.arange(1, 1000, 1000), 0, 60)
    assert [cell.kind for cell in deep] == ["leaf"] * 60 + ["more"]


@pytest.mark.parametrize(
    ("picture_of", "small"), [(lambda x, ax: x.plot.rows(ax=ax), 4), (lambda x, ax: aj.plot.compare(x, x, ax=ax), 9)]
)
def test_cells_have_text_where_it_can_be_read(picture_of: Any, small: float) -> None:
    array = aj.array([list(range(20)), None, []])

    def fonts(width: float) -> dict[str, float]:
        _, ax = plt.subplots(figsize=(width, 4))
        return {one.get_text(): one.get_fontsize() for one in picture_of(array, ax).texts}

    wide, narrow, tiny = fonts(14), fonts(small), fonts(2)
    for text in ("19", "null\nrow", "[ ]"):
        assert wide[text] > narrow[text] > 4
        assert text not in tiny
    assert "2" in tiny  # the number of the row


def test_numbers_of_low_rows_do_not_cover_each_other() -> None:
    array = aj.arange(30, 2)

    def numbers(ax: Any) -> list[int]:
        return [int(one.get_text()) for one in array.plot.rows(ax=ax).texts if one.get_ha() == "right"]

    assert numbers(None) == list(range(30))
    found = numbers(plt.subplots(figsize=(4, 2))[1])
    assert found[0] == 0
    assert 3 < len(found) <= 15


@pytest.mark.parametrize("sizes", [[0, 0, 0], [3, 1, 2], [0, 5, 0, 1], list(range(500)), [7] * 401])
def test_reach_agrees_with_plain_lists(sizes: list[int]) -> None:
    image, height, width = _cells.reach(np.array(sizes, np.int64))
    tall, wide = image.shape
    step = width // wide
    for row in range(tall):
        bin_sizes = sizes[row * height : (row + 1) * height]
        for place in range(wide):
            expected = sum(size > place * step for size in bin_sizes) / len(bin_sizes)
            assert image[row, place] == pytest.approx(expected)


def test_a_million_rows_are_bins() -> None:
    ax = aj.from_sizes(pa.nulls(3_000_000, pa.int8()), np.tile([1, 6, 2, 3, 3], 200_000)).plot.rows()
    (image,) = ax.get_images()
    assert image.get_array().shape == (200, 6)
    assert ax.get_ylabel() == "row (5,000 rows per line)"


# --------------------------------------------------------------------------------------------------- shapes


def test_brackets_show_their_number_of_items() -> None:
    shown = texts(aj.array(DEEP).plot.shape())
    numbers = [text for text in shown if text.isdigit() or text == "null"]
    assert numbers == ["4", "2", "2", "2", "1", "3", "3", "0", "null", "4", "4", "5", "6", "7", "null", "0"]


def test_brackets_of_a_large_array_are_few() -> None:
    ax = aj.arange(10**6, 10).plot.shape()
    assert len(texts(ax)) < 100
    assert "1,000,000" in texts(ax)
    deep = aj.arange(50, 50, 50, 50).plot.shape()
    assert len(texts(deep)) < 100


@pytest.mark.parametrize("data", [[], [None], [[]], [[[None]]], [["a long text that is cut"]], [[{"a": 1}]], [b"\x00"]], ids=str)
def test_every_plot_accepts_edge_cases(data: list[Any]) -> None:
    x = aj.array(data)
    for draw in (x.plot.shape, x.plot.rows, x.plot.sizes):
        assert picture(draw()).std() > 0


def test_compare_gives_equal_values_equal_colours() -> None:
    x = aj.array([[1, 2, 3], [4, 5], [6]])
    ax = aj.plot.compare(x, x.transpose(0, 1), titles=("x", "its columns"))
    assert {"x", "its columns"} <= set(texts(ax))
    before, after = ax.patches[:6], ax.patches[6:]
    one = {value: patch.get_facecolor() for value, patch in zip(x.values.to_pylist(), before, strict=True)}
    two = {value: patch.get_facecolor() for value, patch in zip(x.transpose(0, 1).values.to_pylist(), after, strict=True)}
    assert one == two
    assert len(set(one.values())) == 3


def test_compare_gives_plain_columns_one_colour_per_row_whatever_their_type() -> None:
    rate = aj.array([10, 20, 30])
    ax = aj.plot.compare(rate, rate.cast("double").expand_to(aj.array([[3, 5], [10, 2], [7, 7]])))
    colours = [patch.get_facecolor() for patch in ax.patches]
    assert len(set(colours[:3])) == 3
    assert colours[3:9] == [colour for colour in colours[:3] for _ in range(2)]


def test_titles_of_rows_distinguish_null_values_from_null_rows() -> None:
    assert title(aj.array([[1, None, 3], [], None, [7]]).plot.rows()) == "4 rows, 4 values (1 null), 1 null row"
    assert title(aj.array([[1], [], None, None]).plot.rows()) == "4 rows, 1 value, 2 null rows"
    assert title(aj.array([1, None]).plot.rows()) == "2 rows, 2 values (1 null)"


def test_compare_gives_long_titles_their_room() -> None:
    x = aj.array([[1.5], []])
    ax = aj.plot.compare(x, x[:0], titles=("a title that is much longer than its picture", "after"))
    assert "no rows" in texts(ax)
    first, second = (next(one for one in ax.texts if one.get_text().startswith(start)) for start in ("a title", "after"))
    assert first.get_window_extent().x1 < second.get_window_extent().x0
    cell = ax.patches[0].get_window_extent()
    assert cell.width > 20


def test_compare_of_long_arrays_counts_omitted_rows() -> None:
    assert "… 980 more rows" in texts(aj.plot.compare(aj.arange(1000, 2), aj.arange(3, 2)))
    assert _brackets._few(aj.arange(1000, 2)) == range(20)


# --------------------------------------------------------------------------------------------------- the rest


@pytest.mark.parametrize("name", ["sizes", "rows", "values", "shape"])
def test_axes_of_the_caller_are_used(name: str) -> None:
    _, ax = plt.subplots()
    assert getattr(aj.array(RAGGED).plot, name)(ax=ax) is ax
    assert title(ax)


def test_overview_is_one_picture(tmp_path: Any) -> None:
    x = aj.array([[{"a": 1, "b": "x"}], None, []])
    aj.plot.overview(x, "docs", tmp_path / "docs.svg")
    assert "<svg" in (tmp_path / "docs.svg").read_text()
    assert plt.get_fignums() == []


def test_without_matplotlib_the_error_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import arrowjag as aj\n"
        "try:\n    aj.array([[1]]).plot.sizes()\n"
        "except aj.MissingDependencyError as error:\n    print(error)"
    )
    child = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert child.stdout == "a picture needs the package matplotlib: pip install 'arrowjag[plot]'\n"
    assert issubclass(MissingDependencyError, ImportError)


# --------------------------------------------------------------------------------------------------- steps


def faces(ax: Any) -> list[tuple[float, ...]]:
    return [patch.get_facecolor() for patch in ax.patches if patch.get_facecolor()[3]]


def test_one_colour_per_row() -> None:
    shown = faces(aj.array([[1, 2], None, [3], [], [4, 5]]).plot.rows(color_by="row"))
    assert [shown[0] == shown[1], shown[3] == shown[4], len(set(shown))] == [True, True, 3]


def test_colours_follow_given_numbers() -> None:
    x = aj.array([[1, 2], [3]])
    by_row = faces(x.plot.rows(color_by="row"))
    flat = x.flatten().plot.rows(color_by=aj.array([0, 0, 1]))
    assert faces(flat) == by_row
    assert faces(x.plot.rows(color_by=aj.array([0, 1]))) == by_row


def test_steps_are_drawn_side_by_side() -> None:
    x = aj.array(RAGGED)
    figure = aj.plot.steps(("x", x), ("x.sum()", x.sum()), ("flat", x.flatten(), aj.arange(10)))
    assert [title(ax) for ax in figure.axes] == ["x", "x.sum()", "flat"]
    assert len({ax.get_ylim() for ax in figure.axes}) == 1
    with pytest.raises(JagTypeError, match="nothing to draw"):
        aj.plot.steps()
    with pytest.raises(aj.JagValueError, match="color_by must be 'value', 'row' or an array"):
        x.plot.rows(color_by="rows")


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (aj.array(3).plot.rows, "plot.rows needs rows, got a scalar"),
        (lambda: aj.plot.steps(("x", aj.array(3))), "steps needs rows, got a scalar"),
        (lambda: aj.plot.compare(aj.array([1]), aj.array(3)), "compare needs rows, got a scalar"),
        (lambda: aj.plot.compare([[1]], aj.array([1])), "compare must be given a JaggedArray, got list"),  # type: ignore[arg-type]
        (lambda: aj.plot.overview([[1]], "x", "x.png"), "overview must be given a JaggedArray, got list"),  # type: ignore[arg-type]
        (lambda: aj.plot.steps("x"), "steps: expected a tuple (title, array) or (title, array, color_by), got 'x'"),
        (lambda: aj.plot.steps(aj.array([[1]])), "steps: expected a tuple (title, array) or (title, array, color_by), got "),
        (
            lambda: aj.plot.steps(("x", [[1]])),
            "steps: expected a tuple (title, array) or (title, array, color_by), got ('x', [[1]])",
        ),
    ],
)
def test_pictures_of_rows_refuse_what_has_none(call: Any, text: str) -> None:
    with pytest.raises(JagTypeError, match=f"^{re.escape(text)}"):
        call()


def test_long_titles_are_wrapped_at_the_edge_of_the_figure() -> None:
    ax = aj.array([[[1, 2], [3]], [], None, [[4, 5, 6]]]).plot.shape()
    figure = ax.figure
    figure.canvas.draw()
    extent = ax._left_title.get_window_extent()
    assert extent.x1 <= figure.bbox.x1


def test_unknown_pictures_name_those_that_exist() -> None:
    plot = aj.array([[1, 2], [3]]).plot
    with pytest.raises(JagAttributeError, match="plot has no 'hist'; it has rows, shape, sizes and values"):
        plot.hist  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(JagTypeError, match=r"write x\.plot\.rows\(\)"):
        plot()
    assert repr(plot) == "Plotter of JaggedShape(2, [2, 1]): .rows(), .shape(), .sizes(), .values()"


@pytest.mark.parametrize("type", ["timestamp[s]", "timestamp[ms, tz=UTC]", "timestamp[us]", "timestamp[ns]", "date32", "date64"])
def test_equal_times_have_a_bar(type: str) -> None:
    for days in (19_722, 19_723):
        ax = aj.array([[days, days], None], type="date32").cast(type).plot.values()
        (bar,) = ax.patches
        assert bar.get_height() == 2
        assert bar.get_width() >= 1
        assert bar.get_x() <= days <= bar.get_x() + bar.get_width()
        plt.close(ax.figure)
