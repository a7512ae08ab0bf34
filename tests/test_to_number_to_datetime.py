"""`str.to_number` and `str.to_datetime`: text as Python's int, float and strptime read it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._kernels import strategy
from arrowjag._kernels.elementwise.time_formats import _DIRECTIVES, _SHORTHANDS, parse_times, pattern_of
from arrowjag.errors import JagTypeError, JagValueError
from arrowjag.testing import assert_lists_equal, jagged_arrays
from tests import reference as ref
from tests.hosts import pl
from tests.surfaces import plain

NUMBERS = st.sampled_from(
    ["1", " +5 ", "-3", "+-1", "x", "", "+", "1.5", "1e3", "\t7\n", "nan", "+inf", ".5", "++1", "127", "128", "\u0661"]
)
FORMATS = {
    "%Y-%m-%d": ["2024-02-29", "2023-02-29", "2024-1-5", "2024-01-01 ", "99-1-1", "0000-01-01", "2024-13-01", "2024-02-29 13:05"],
    "%Y-%m-%d %H:%M:%S": [
        "2024-02-29 13:05:07",
        "2024-02-29T13:05:07",
        "2024-02-29 24:00:00",
        "2024-2-9 3:5:7",
        "2024-02-29  13:05:07",
    ],
    "%d.%m.%y %H:%M": ["29.02.24 13:05", "1.1.68 0:0", "1.1.69 0:0", "31.04.24 00:00"],
    "%d %b %Y, %I:%M %p": ["5 Feb 2024, 12:30 am", "05 FEB 2024, 12:30 PM", "5 February 2024, 1:00 AM", "5 Feb 2024, 13:00 AM"],
    "%A %B %d %Y %S.%f": [
        "Monday March 4 2024 07.5",
        "monday march 04 2024 7.000001",
        "Mon March 4 2024 7.1",
        "Friday March 4 2024 7.1234567",
    ],
    "%Y%j": ["2024366", "2024001", "20241"],
    "%H:%M": ["13:05", "3:5", "24:00"],
    "%Y-%m-%dT%H:%M:%S%z": ["2024-02-29T13:05:07+0100", "2024-02-29T13:05:07-01:30", "2024-02-29T13:05:07Z", "2024-02-29T13:05:07"],
    "100%% %Y (x)+": ["100% 2024 (x)+", "100% 2024 x"],
}


@pytest.fixture(scope="module", params=["items", "arrays"], autouse=True)
def _few_texts(request: pytest.FixtureRequest) -> Iterator[None]:
    """Few texts by Python, and as many are."""
    with strategy.force(few_texts=request.param):
        yield


@given(
    jagged_arrays(
        st.integers(1, 3), st.sampled_from([pa.string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())]), values=NUMBERS
    )
)
def test_to_number_agrees_with_the_oracle(x: aj.JaggedArray) -> None:
    ints = ref.text_method("to_number", x.to_list(), x.ndim)
    assert x.str.to_number("int64", strict=False).to_list() == ints
    assert_lists_equal(x.str.to_number("float64", strict=False).to_list(), ref.text_method("to_number", x.to_list(), x.ndim, float))
    if [v is None for v in ref.items(ints, x.ndim)] == [v is None for v in ref.items(x.to_list(), x.ndim)]:
        assert x.str.to_number(pa.int64()).to_list() == ints
    else:
        with pytest.raises(
            JagValueError, match=r"str\.to_number: row [\d\[\]]+ holds .*, which is not a valid int64; strict=False"
        ):
            x.str.to_number(pa.int64())


INTEGERS = ["-0", "+0", "-1", "007", "0x1F", "0X1f", "-0x1", "0x", "1" * 18, "9" * 19, "-" + "9" * 18, "18446744073709551615"]
INTEGERS += [
    "+0x1",
    "0xFF",
    "0x7f",
    "0x80",
    "0X8000",
    "0xffffffff",
    "0xffffffffffffffff",
    "+" + "0" * 19 + "7",
    "256",
    "-129",
    "1_0",
    "\u0661",
    "1 1",
    "- 1",
    None,
    "2.0",
    "1e2",
    " \u20031\n",
]


@pytest.mark.parametrize("type", [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)])
def test_integers_alone_and_together(type: str) -> None:
    """A text is one number or none, whatever stands beside it, few or many, strict or not."""
    together = aj.array([INTEGERS, INTEGERS[::2]]).str.to_number(type, strict=False).to_list()
    expected = []
    for text in INTEGERS:
        alone = aj.array([[text]], type="string")
        expected += alone.str.to_number(type, strict=False).to_list()[0]
        if text is not None and expected[-1] is None:
            with pytest.raises(JagValueError, match=f"not a valid {type}"):
                alone.str.to_number(type)
        else:
            assert alone.str.to_number(type).to_list() == [expected[-1:]]
    assert together == [expected, expected[::2]]
    with strategy.force(few_texts="arrays"):
        assert aj.array([INTEGERS]).str.to_number(type, strict=False).to_list() == [expected]


def test_hexadecimal_numbers_are_those_that_fit() -> None:
    x = aj.array([["0x7f", "0xFF", "0x80", None]])
    assert x.str.to_number("int8", strict=False).to_list() == [[127, None, None, None]]
    assert x.str.to_number("int16").to_list() == x.str.to_number("uint8").to_list() == [[127, 255, 128, None]]
    assert x.cast("int8", strict=False).to_list() == [[127, None, None, None]]
    with pytest.raises(JagValueError, match=r"row 0 holds '0xFF', which is not a valid int8"):
        x.str.to_number("int8")
    with pytest.raises(JagValueError, match=r"row 0 holds '0xFF', which is not a valid int8"):
        x.cast("int8")


@pytest.mark.parametrize("text", ["nan(1)", "-NaN(ind)", "nan()", "nan(", "nan(1)x", "nan(-)", "inf(1)"])
def test_floats_alone_and_together(text: str) -> None:
    alone = aj.array([[text]]).str.to_number("float64", strict=False)
    beside = aj.array([[text, "x", "1"]]).str.to_number("float64", strict=False)
    assert beside.is_null().to_list() == [[alone.is_null()[0, 0].as_py(), True, False]]


def test_numbers_that_do_not_fit() -> None:
    x = aj.array([["127", "128", "+1.50"]])
    assert x.str.to_number("int8", strict=False).to_list() == [[127, None, None]]
    assert x.str.to_number(pa.decimal128(5, 2))[0, 2].as_py() == ref.Fraction("1.5")
    with pytest.raises(JagTypeError, match="expected a numeric type, got string"):
        x.str.to_number(pa.string())
    with pytest.raises(JagTypeError, match=r"str\.to_number has no kernel for int64"):
        aj.array([[1]]).str.to_number("int8")


@pytest.mark.parametrize("format", FORMATS)
@given(data=st.data())
def test_to_datetime_agrees_with_strptime(format: str, data: st.DataObject) -> None:
    x = data.draw(
        jagged_arrays(st.integers(1, 3), pa.large_string(), values=st.sampled_from(FORMATS[format]) | st.text(max_size=3))
    )
    got = x.str.to_datetime(format, strict=False)
    assert got.type == pa.timestamp("us", "UTC" if "%z" in format else None)
    assert got.to_list() == ref.text_method("to_datetime", x.to_list(), x.ndim, format)


@pytest.mark.parametrize("format", FORMATS)
def test_every_text_of_a_format(format: str) -> None:
    for texts in ([FORMATS[format]], *([[text]] for text in FORMATS[format])):
        assert aj.array(texts).str.to_datetime(format, strict=False).to_list() == ref.text_method("to_datetime", texts, 2, format)


MONTHS = ["January", "February", "March", "April", "May", "June", "July"]
MONTHS += ["August", "September", "October", "November", "December"]
DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
NUMBERS_OF_TIMES = [str(number) for number in range(102)] + [f"{number:02}" for number in range(10)] + ["001", "00"]
OF_DIRECTIVE = {
    "Y": ["2024", "0001", "0000", "9999", "224", "02024"],
    "y": NUMBERS_OF_TIMES,
    "m": NUMBERS_OF_TIMES,
    "d": [*NUMBERS_OF_TIMES, " 1", " 9", "  1"],
    "j": [text for number in range(400) if number != 366 for text in (str(number), f"{number:02}", f"{number:03}")],
    "H": NUMBERS_OF_TIMES,
    "I": NUMBERS_OF_TIMES,
    "M": NUMBERS_OF_TIMES,
    "S": [text for text in NUMBERS_OF_TIMES if text not in ("60", "61")],  # Python has leap seconds
    "f": ["1", "12", "123", "000001", "999999", "1234567", "", "-1"],
    "b": [change(month[:3]) for month in MONTHS for change in (str, str.lower, str.upper)] + ["Ja", "\u017fep", "x", ""],
    "B": [change(month) for month in MONTHS for change in (str, str.lower, str.upper)] + ["Jan", "\u017feptember", "x", ""],
    "a": [change(day[:3]) for day in DAYS for change in (str, str.lower, str.upper)] + ["Mo", "\u017fun", "x", ""],
    "A": [change(day) for day in DAYS for change in (str, str.lower, str.upper)] + ["Mon", "\u017funday", "x", ""],
    "p": ["am", "AM", "pm", "PM", "m", ""],
    "z": [
        *("+0000", "-0130", "+01:30", "Z", "+1400", "+0160", "0100", "+2359", "+2400", "-99:00", "z", ""),
        *("+01:02:03", "-010203", "-00:00:30.5", "+000000.000001", "+01:02:03.1234567", "+0102."),
        *("+01:0203", "+0102:03", "+01:02:60"),
    ],
    "%": ["%", "%%", ""],
}
OF_SHORTHAND = {
    "%T": ["13:05:07", "13:05", "24:00:00"],
    "%R": ["13:05", "13:05:07"],
    "%F": ["2024-02-29", "2023-02-29"],
    "%D": ["02/29/24", "02/30/24", "29/02/24", "01/01/69"],
}


@pytest.mark.parametrize("directive", _DIRECTIVES)
def test_every_directive_reads_what_strptime_reads(directive: str) -> None:
    for format in (f"%{directive}", f"a%{directive}b"):
        texts = [[format.replace(f"%{directive}", text) for text in OF_DIRECTIVE[directive]]]
        got = aj.array(texts).str.to_datetime(format, strict=False)
        assert got.to_list() == ref.text_method("to_datetime", texts, 2, format)


@pytest.mark.parametrize("shorthand", _SHORTHANDS)
def test_shorthands_are_those_of_strptime_in_c(shorthand: str) -> None:
    long = {"%T": "%H:%M:%S", "%R": "%H:%M", "%F": "%Y-%m-%d", "%D": "%m/%d/%y"}[shorthand]
    for before, after in (("", ""), ("%% ", " %%"), ("%%%%", "")):
        texts = [[before.replace("%%", "%") + text + after.replace("%%", "%") for text in OF_SHORTHAND[shorthand]]]
        got = aj.array(texts).str.to_datetime(before + shorthand + after, strict=False)
        assert got.to_list() == ref.text_method("to_datetime", texts, 2, before + long + after)
    assert aj.array([[f"%{shorthand[1]}"]]).str.to_datetime(f"%{shorthand}").dt.year().to_list() == [[1900]]  # "%%" and a letter


@pytest.mark.parametrize(
    ("format", "texts"),
    {
        "noon": ["noon", "NOON", "no"],
        "%I": ["12", "1", "11", "13"],
        "%I %p %H": ["1 pm 15", "12 am 0", "1 am 24"],
        "%I %p": ["12 am", "12 pm", "1 am", "11 PM"],
        "%j %Y": ["366 2024", "365 2023", "1 2023", "60 2024"],
        "%j": ["1", "365", "367"],
        "%j %m %Y": ["60 3 2024", "1 12 2023", "1 13 2023"],
        "%Y %b %d %j": ["2024 Mar 7 60", "2023 Feb 1 1", "2023 Feb 1 0"],
        "%B %j": ["March 1"],
        "%y %j": ["68 366", "69 365", "24 60", "00 1"],
        "%d %b %y": ["29 Feb 24", "29 feb 23", "31 dec 68", "1 jan 69"],
        "%B %d": ["February 29", "February 28", "September 30", "September 31"],
        "%M:%S": ["1:2", "59:59"],
        "%S.%f": ["1.5", "59.000001", "1.", "1.1234567"],
        "%H %I": ["3 5", "15 12", "0 13"],
        "%I %H %p": ["3 15 am", "3 4 pm"],
        "%p %H %I": ["pm 3 5", "am 15 12"],
        "%y %Y": ["24 2025", "69 1970"],
        "%Y %y": ["2025 24", "1970 69"],
        "%m %b %d": ["2 Mar 30", "2 Jan 31"],
        "%b %m %B %d": ["Jan 2 March 30"],
        "%B %b %m %d": ["March Jan 2 30"],
        "%z%H": ["+010203", "-01:0203", "+01020304"],
        "%H %z": ["0 +0130", "0 -0130", "23 -00:30", "5 Z"],
        "%Y \t%m": ["2024 1", "2024\n 1", "2024\t\t1", "20241"],
        "%Y.%m": ["2024.1", "2024x1"],
        "%Y\xa0%m": [
            f"2024{blank}1" for blank in (*"\xa0 \t\v\x1c\x1f\x85\u1680\u2009\u2028\u202f\u3000", "\xa0 ", "\u200b", "x", "")
        ],
    }.items(),
)
def test_every_mix_of_directives(format: str, texts: list[str]) -> None:
    x = aj.array([[*texts, None]])
    assert x.str.to_datetime(format, strict=False).to_list() == ref.text_method("to_datetime", x.to_list(), 2, format)


def test_the_last_day_of_a_leap_year_is_none_of_other_years() -> None:
    x = aj.array([["366 2024", "366 2023", "366 1900"]])
    assert x.str.to_datetime("%j %Y", strict=False).to_list() == [[dt.datetime(2024, 12, 31), None, None]]  # noqa: DTZ001


ISO = st.sampled_from(
    ["2024-02-29", "2024-02-29T13", "2024-02-29 13:05", "2024-02-29T13:05:07.123456", "2024-02-29T13:05:07Z", "x", "2023-02-29"]
)


@given(jagged_arrays(st.integers(1, 3), pa.string(), values=ISO | st.text(max_size=3)))
def test_iso_agrees_with_the_oracle(x: aj.JaggedArray) -> None:
    assert x.str.to_datetime(strict=False).to_list() == ref.text_method("to_datetime", x.to_list(), x.ndim)


def test_the_letter_between_date_and_time_is_that_of_the_format() -> None:
    """Arrow's cast reads both."""
    formats = ("%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S")
    for own, other in (formats, formats[::-1]):
        moment = dt.datetime(2024, 1, 2, 3, 4, 5)  # noqa: DTZ001
        texts = aj.array([[moment.strftime(own), moment.strftime(other)], [None]])
        assert texts.str.to_datetime(own, strict=False).to_list() == [[moment, None], [None]]
        assert texts[:, :1].str.to_datetime(own).to_list() == [[moment], [None]]
        for wrong in (texts, texts[:, 1:]):
            with pytest.raises(JagValueError, match=rf"holds '{moment.strftime(other)}', which is not a valid time"):
                wrong.str.to_datetime(own)


def test_damage_is_named() -> None:
    x = aj.array([["2024-02-29"], ["x", None]])
    with pytest.raises(JagValueError, match="to_datetime: row 1 holds 'x', which is not a valid ISO 8601 time without a zone"):
        x.str.to_datetime()
    with pytest.raises(JagValueError, match=r"to_datetime: row 1 holds 'x', which is not a valid time of the format '%Y-%m-%d'"):
        x.str.to_datetime("%Y-%m-%d")
    for format in ("%Q", "%", "%Y %Y"):
        with pytest.raises(JagValueError, match=r"(unknown directive|occurs twice).* in '%"):
            x.str.to_datetime(format)
    with pytest.raises(JagValueError, match=r"unknown directive '%\n' in '%\\n'"):
        x.str.to_datetime("%\n")
    with pytest.raises(JagTypeError, match="format must be a str"):
        x.str.to_datetime(5)  # type: ignore[arg-type]


def test_types_are_known_at_plan_time() -> None:
    df = pl.DataFrame({"v": [["1.1.2024", None], []]})
    lazy = df.lazy().select(pl.col("v").jag.str.to_datetime("%d.%m.%Y").jag.dt.year())
    assert lazy.collect_schema()["v"] == pl.List(pl.Int64)
    assert lazy.collect()["v"].to_list() == [[2024, None], []]


def iso(x: Any, other: str) -> Any:
    return [(x == other).to_list(), (x > other).to_list(), (x <= other).to_list()]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_iso_text_compares_with_times(unit: Any) -> None:
    x = aj.array([["2024-01-01", None], None, ["2024-01-02"]]).str.to_datetime().cast(pa.timestamp(unit))
    assert iso(x, "2024-01-01") == [[[True, None], None, [False]], [[False, None], None, [True]], [[True, None], None, [False]]]
    assert (x > "2024-01-01T10:30").to_list() == [[False, None], None, [True]]
    assert (x > "2024-01-01T10:30").to_list() == [[False, None], None, [True]]
    zoned = x.dt.tz_localize("Europe/Paris")
    assert (zoned == "2024-01-01").to_list() == [[True, None], None, [False]]
    assert (zoned == "2023-12-31T23:00Z").to_list() == [[True, None], None, [False]]
    assert (zoned >= "2024-01-02T00:00+01:00").to_list() == [[False, None], None, [True]]


def test_iso_text_compares_with_dates_and_times_of_day() -> None:
    for leaf in (pa.date32(), pa.date64()):
        x = aj.array([[dt.date(2024, 1, 1), None]]).cast(leaf)
        assert (x >= "2024-01-01").to_list() == [[True, None]]
        assert (x > "2023-12-31T23:59").to_list() == [[True, None]]
        assert (x < "2024-01-01T00:01").to_list() == [[True, None]]
    assert (aj.array([[dt.time(3, 4), None]]) == "03:04").to_list() == [[True, None]]


def test_iso_text_is_a_time_in_every_call_that_takes_one() -> None:
    noon, day = dt.datetime(2024, 1, 1, 12), dt.datetime(2024, 1, 2)  # noqa: DTZ001 - without a zone
    x = aj.array([[noon, None], []])
    assert x.is_in(["2024-01-01T12:00", None]).to_list() == x.is_in({"2024-01-01T12:00"}).to_list() == [[True, None], []]
    assert x.is_in(["2024-01-01T12:00:00.000000001"]).to_list() == [[False, None], []]
    assert x.clip("2024-01-02", None).to_list() == [[day, None], []]
    assert x.fill_null("2024-01-02").to_list() == [[noon, day], []]
    assert x.append("2024-01-02").to_list() == [[noon, None, day], [day]]
    assert x.pad(1, fill="2024-01-02").to_list() == [[noon, None], [day]]
    assert x.shift(1, fill="2024-01-02").to_list() == [[day, noon], []]
    assert x.replace("2024-01-01T12:00", "2024-01-02").to_list() == [[day, None], []]
    assert aj.where(x.is_null(), "2024-01-02", x).to_list() == [[noon, day], []]
    assert (x - "2024-01-01").to_list() == [[dt.timedelta(hours=12), None], []]
    zoned = aj.array([[dt.datetime(2024, 1, 1, tzinfo=ZoneInfo("Europe/Berlin")), None]])
    assert zoned.fill_null("2024-01-01").to_list() == [[zoned.to_list()[0][0]] * 2]
    assert zoned.is_in(["2023-12-31T23:00Z"]).to_list() == [[True, None]]
    days = aj.array([[dt.date(2024, 1, 1), None]])
    assert days.fill_null("2024-01-02").to_list() == [[dt.date(2024, 1, 1), dt.date(2024, 1, 2)]]
    assert days.is_in(["2024-01-01"]).to_list() == [[True, None]]
    assert aj.array([[None]], type=pa.time64("us")).fill_null("03:04").to_list() == [[dt.time(3, 4)]]
    for call in (lambda: x.fill_null("x"), lambda: x.is_in(["x"]), lambda: x.clip("x", None)):
        with pytest.raises(JagValueError, match="must be an ISO 8601 time without a zone, got 'x'"):
            call()
    frame = pl.DataFrame({"v": x.to_list()})
    for engine in ("in-memory", "streaming"):
        got = frame.lazy().select(pl.col("v").jag.fill_null("2024-01-02")).collect(engine=engine)
        assert got["v"].to_list() == [[noon, day], []]


LISTED: dict[str, Any] = {
    "union": lambda x, texts: x.union(texts),
    "is_in": lambda x, texts: x.is_in(texts),
    "eq": lambda x, texts: x == texts,
    "lt": lambda x, texts: texts < x,
    "sub": lambda x, texts: texts - x,
    "maximum": lambda x, texts: np.maximum(texts, x),
    "fill_null": lambda x, texts: x.fill_null(texts),
    "fill_null_rows": lambda x, texts: x.fill_null_rows(texts),
    "translate": lambda x, texts: x.translate(texts, [[[7, 8], []], [[9], []], [[4]]]),
    "where": lambda x, texts: aj.where(x.is_null(), texts, x),
    "coalesce": aj.coalesce,
    "zip": lambda x, texts: aj.zip(a=x, b=texts),  # text of its own: no operand gives it a type
}
"""Calls with lists of lists of text beside times."""


@pytest.mark.parametrize("name", LISTED)
def test_iso_text_in_lists_of_lists_is_a_time_on_every_surface(name: str) -> None:
    one, two = (dt.datetime(2024, 1, day) for day in (1, 2))  # noqa: DTZ001 - without a zone
    x, call = aj.array([[[one, None], []], None, [[two]]]), LISTED[name]
    texts = [[["2024-01-01", "2024-01-03"], []], [["2024-01-01"], []], [["2024-01-01T12:00"]]]
    expected = plain(call(x, texts if name == "zip" else aj.array(texts).str.to_datetime()))
    assert plain(call(x, texts)) == expected
    frame = pl.DataFrame({"v": x.to_polars()}).lazy().select(v=call(pl.col("v").jag, texts))
    for engine in ("in-memory", "streaming"):
        got = frame.collect(engine=engine)
        assert plain(got["v"]) == expected
        assert got.schema == frame.collect_schema()
    assert plain(call(x.to_polars().jag, texts)) == expected
    assert plain(aj.jit(lambda one: call(one, texts))(x)) == expected
    if name not in ("lt", "sub", "maximum"):  # pandas' own operators
        assert plain(call(x.to_pandas().jag, texts)) == expected


def test_iso_text_compares_on_hosts() -> None:
    rows = [[dt.datetime(2024, 1, 1, 5), None], None]  # noqa: DTZ001 - without a zone
    df = pl.DataFrame({"v": rows})
    for engine in ("in-memory", "streaming"):
        assert df.lazy().select(pl.col("v").jag > "2024-01-01").collect(engine=engine)["v"].to_list() == [[True, None], None]
    assert (df["v"].jag > "2024-01-01").to_list() == [[True, None], None]
    s = aj.array(rows).to_pandas()
    assert (s.jag > "2024-01-01").jag.to_list() == [[True, None], None]
    assert (s > "2024-01-01").jag.to_list() == [[True, None], None]


@pytest.mark.parametrize("wrong", ["x", "2024-13-01", "2024-01-01T00:00Z"])
def test_text_that_is_no_time_is_refused(wrong: str) -> None:
    x = aj.array([[dt.datetime(2024, 1, 1)]])  # noqa: DTZ001 - without a zone
    with pytest.raises(JagValueError, match=f"greater: text beside .* must be an ISO 8601 time.*, got '{wrong}'"):
        x > wrong  # noqa: B015


@pytest.mark.parametrize("type", [pa.int64(), pa.int8(), pa.uint64()])
@pytest.mark.parametrize("text", [pa.string(), pa.large_string()])
def test_many_texts_are_read_as_few_are(type: pa.DataType, text: pa.DataType) -> None:
    words = [
        "7",
        "-7",
        "-",
        "",
        "0x1f",
        "0x",
        "x1",
        None,
        "1" * 18,
        "9" * 19,
        "-" + "9" * 19,
        "18446744073709551615",
        "007",
        "1-",
        "٣",
        "12 3",
    ]
    alone = [aj.array([word], type=text).str.to_number(type, strict=False).to_list()[0] for word in words]
    for rows in (words * 9, ["5"] * 100 + words):  # of the second, the values that are tried first all fit
        expected = [5] * (len(rows) - len(alone)) + alone if rows[0] == "5" else alone * 9
        array = pa.array(["before", *rows], text).slice(1)
        assert aj.array(array).str.to_number(type, strict=False).to_list() == expected


@pytest.mark.parametrize(("text", "format"), [("0000-01-01", "%Y-%m-%d"), ("0000-01-01T00:00:00", "%Y-%m-%dT%H:%M:%S")])
def test_the_year_0_is_no_year_of_python(text: str, format: str) -> None:
    x = aj.array([[text, text.replace("0000", "0001")]])
    with pytest.raises(aj.JagValueError, match="0000-01-01"):
        x.str.to_datetime(format)
    assert x.str.to_datetime(format, strict=False).is_null().to_list() == [[True, False]]
    assert x[:, 1:].str.to_datetime(format).dt.year().to_list() == [[1]]


@pytest.mark.parametrize("format", [*FORMATS, "%d %m %Y", "é%Y"])
def test_few_texts_are_matched_as_arrow_matches_them(format: str) -> None:
    texts = [*FORMATS.get(format, ()), "1 2 2024", "1\x1c2\x852024", " 5 12  2024", "é2024", "2024-01-01\n", "", "12:30", None]
    texts += [text.upper() for text in texts if text]
    values, pattern = pa.array(texts), pattern_of(format)
    for some in (values, values.filter(pc.string_is_ascii(values)), values[-1:]):
        with strategy.force(few_texts="items"):
            counts, valid = parse_times(some, pattern)
        with strategy.force(few_texts="arrays"):
            expected, known = parse_times(some, pattern)
        assert valid.tolist() == known.tolist()
        assert counts[valid].tolist() == expected[known].tolist()
