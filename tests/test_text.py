"""Methods of `x.str` give the results of Python's str, for every layout of text and at every depth."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._kernels import strategy
from arrowjag._kernels.base import memory
from arrowjag._kernels.elementwise.regex import shared_pattern
from arrowjag._kernels.strategy.sizes import REGEX_POLARS_VALUES, TEXT_VALUES
from arrowjag._methods import METHODS, namespaces
from arrowjag._ops import text as _text
from arrowjag.errors import JagMemoryError, JagTypeError, JagValueError
from arrowjag.testing import assert_lists_equal, jagged_arrays
from tests import reference as ref
from tests.hosts import pd, pl

_NOTHING: Mapping[str, Any] = MappingProxyType({})

CALLS: list[tuple[str, tuple[Any, ...], Mapping[str, Any]]] = [
    *[
        (name, (), _NOTHING)
        for name in (
            "str.lower",
            "str.upper",
            "str.title",
            "str.capitalize",
            "str.swapcase",
            "str.len",
            "str.byte_len",
            "str.reverse",
        )
    ],
    *[
        (name, (), _NOTHING)
        for name in ("str.isalnum", "str.isalpha", "str.isascii", "str.isdecimal", "str.isdigit", "str.islower")
    ],
    *[(name, (), _NOTHING) for name in ("str.isnumeric", "str.isprintable", "str.isspace", "str.istitle", "str.isupper")],
    *[(name, args, _NOTHING) for name in ("str.strip", "str.lstrip", "str.rstrip") for args in ((), ("aé ",), ("",))],
    *[(name, args, _NOTHING) for name in ("str.removeprefix", "str.removesuffix") for args in (("a",), ("é",), ("",))],
    *[(name, args, _NOTHING) for name in ("str.startswith", "str.endswith") for args in (("a",), ("",), (("é", "ab"),), ((),))],
    *[(name, args, _NOTHING) for name in ("str.find", "str.count") for args in (("a",), ("é",), ("",), ("ab",), ("😀",))],
    *[(name, args, _NOTHING) for name in ("str.center", "str.ljust", "str.rjust") for args in ((4,), (5, "é"), (0,), (-3,))],
    *[("str.zfill", (n,), _NOTHING) for n in (-1, 0, 3, 8)],
    *[("str.pad", (5, side, "*"), _NOTHING) for side in ("left", "right", "both")],
    ("str.pad", (4,), _NOTHING),
    *[
        ("str.slice", args, _NOTHING)
        for args in ((1,), (None, 2), (0, -1), (-2, None), (None, None, -1), (-1, None, -2), (3, 0, -1), (0, 9, 2), (2, 1))
    ],
    *[("str.contains", (text,), _NOTHING) for text in ("a", "", "é", "a.")],
    ("str.contains", ("[aé]$",), {"regex": True}),
    ("str.contains", ("AB",), {"ignore_case": True}),
    ("str.contains", ("^[A-B]",), {"regex": True, "ignore_case": True}),
    *[(name, (pattern,), _NOTHING) for name in ("str.match", "str.fullmatch") for pattern in ("a", "a|ab", "", "[ab]+", "é*")],
    ("str.replace", ("a", "<é>"), _NOTHING),
    ("str.replace", ("a", "", 1), _NOTHING),
    ("str.replace", ("a", "b", 0), _NOTHING),
    ("str.replace", ("[ab]+", "-"), {"regex": True}),
    ("str.replace", ("(a)(b)?", r"\1\1"), {"regex": True, "n": 1}),
    ("str.replace", ("$", "!"), {"regex": True}),
    ("str.extract", ("(a)(b)?",), _NOTHING),
    ("str.extract", (r"(?P<first>[a\]])(?:x)?([^(\]]*)",), _NOTHING),
    ("str.extract_all", ("[ab]",), _NOTHING),
    ("str.extract_all", ("a(b)?",), _NOTHING),
    *[("str.split", (), {"maxsplit": n}) for n in (-1, 0, 1, 2)],
    *[("str.split", ("a", n), _NOTHING) for n in (-1, 0, 1)],
    *[("str.split", ("[ab]", n), {"regex": True}) for n in (-1, 0, 1)],
    *[("str.repeat", (n,), _NOTHING) for n in (-1, 0, 2)],
    ("str.cat", ("é",), _NOTHING),
    ("str.cat", ("b", "-"), _NOTHING),
]
"""The arguments of each method."""

TEXTS = st.sampled_from(
    [
        "",
        "a",
        "ab",
        " a b ",
        "é",
        "aé",
        "ß",
        "ŉa",
        "ὈΔΥΣΣΕΎΣ",
        "aΣ",
        "İ",
        "ǆa",
        "²½",
        "+5",
        "-12é",
        "a\x1cb\u2003",
        "😀a😀",
        "AB aB",
        "a]x(",
        "Ab Cd",
    ]
) | st.text(max_size=6)
LAYOUTS = (
    pa.string(),
    pa.large_string(),
    pa.string_view(),
    pa.dictionary(pa.int32(), pa.string()),
    pa.dictionary(pa.int8(), pa.large_string()),
)


@pytest.fixture(scope="module", params=["items", "arrays"], autouse=True)
def few_texts(request: pytest.FixtureRequest) -> Iterator[str]:
    """Few texts by Python, and as many are."""
    with strategy.force(few_texts=request.param):
        yield request.param


def call(x: Any, name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    space, _, short = name.partition(".")
    return getattr(getattr(x, space), short)(*args, **kwargs)


def test_every_method_is_called_here() -> None:
    assert {name for name, _, _ in CALLS} | {"str.to_datetime", "str.to_number"} >= {f"str.{name}" for name in namespaces()["str"]}


@pytest.mark.parametrize("name", dict.fromkeys(name for name, _, _ in CALLS))
@given(data=st.data())
def test_text_agrees_with_python(name: str, data: st.DataObject) -> None:
    _, args, kwargs = data.draw(st.sampled_from([one for one in CALLS if one[0] == name]))
    x = data.draw(jagged_arrays(st.integers(1, 3), data.draw(st.sampled_from(LAYOUTS)), values=TEXTS))
    got = call(x, name, args, kwargs)
    assert_lists_equal(got.to_list(), ref.text_method(name[4:], x.to_list(), x.ndim, *args, **kwargs))
    empty = call(x[:0], name, args, kwargs)
    assert (empty.type, empty.ndim) == (got.type, got.ndim)


def test_characters_that_python_treats_differently_are_python_s(few_texts: str) -> None:
    """Every character whose case Arrow maps in another way, among them "ß", and the sigma at the end of words."""
    chars = [chr(code) for code in [*range(128, 0x3000), *range(0x3000, 0x1F000, 13)] if not 0xD800 <= code < 0xE000]
    chars = chars[::100] if few_texts == "items" else chars  # what Python itself computes needs a sample
    x = aj.array([chars, [f"a{char}" for char in chars]])
    for name in (*ref.PLAIN_TEXT, *ref.PREDICATES):
        assert call(x, f"str.{name}", (), {}).to_list() == ref.text_method(name, x.to_list(), 2)


def test_groups_are_named_by_their_number_or_name() -> None:
    x = aj.array([["a(1)", r"\Q", None], None])
    assert x.str.extract(r"(?P<letter>[a-z(])\(([0-9])\)").to_list() == [[{"letter": "a", "2": "1"}, None, None], None]
    assert x.str.extract(r"(\Q(\E)([[:digit:]])").to_list()[0][0] == {"1": "(", "2": "1"}
    assert x.str.extract("(?i)(A)|(x)").to_list()[0][0] == {"1": "a", "2": None}
    assert x.str.extract("(x*)").to_list()[0][0] == {"1": ""}
    assert aj.array([["a[b"]]).str.extract("[[:](b)").to_list() == [[{"1": "b"}]]  # a class of two characters


_PIECES = [
    "a",
    "b",
    ".",
    "é",
    r"\d",
    r"\w",
    r"\S",
    r"\s",
    "[^a]",
    r"[\d\-]",
    "[b-dé]",
    "^",
    "$",
    r"\.",
    "(a|b.)",
    "(?:ab?|a)",
    " ",
    "x",
]
_TIMES = ["", "", "", "*", "+", "?", "*?", "+?", "{2}", "{0,2}", "|"]


@given(
    st.lists(st.tuples(st.sampled_from(_PIECES), st.sampled_from(_TIMES)), min_size=1, max_size=5),
    st.lists(st.none() | st.text("abcdé.- x1\n\x0b٣\u2003", max_size=8), max_size=8),
)
def test_both_engines_find_the_same_matches(pieces: list[tuple[str, str]], texts: list[str | None]) -> None:
    """Patterns that `shared_pattern` gives to polars match as Arrow's do, in any text."""
    pytest.importorskip("polars")
    pattern = "".join(map("".join, pieces))
    x = aj.array([texts], type=pa.string(), ndim=2)
    found = {}
    for engine in ("arrow", "polars"):
        with strategy.force(regex=engine):
            try:
                matches = x.str.extract_all(pattern).to_list()
                changed = x.str.replace(pattern, "<>", regex=True).to_list()
                found[engine] = [matches, changed, x.str.contains(pattern, regex=True).to_list(), x.str.match(pattern).to_list()]
            except JagValueError as error:
                found[engine] = [str(error)]
    assert found["arrow"] == found["polars"], pattern


@pytest.mark.parametrize("engine", ["arrow", "polars"])
def test_a_dollar_in_a_replacement_is_a_dollar(engine: str) -> None:
    """polars takes `$0` for the match."""
    pytest.importorskip("polars")
    with strategy.force(regex=engine):
        assert aj.array([["ab", "c$b"], None]).str.replace("[ab]", "$0", regex=True).to_list() == [["$0$0", "c$$0"], None]


@pytest.mark.parametrize(
    ("pattern", "shared"),
    [
        (r"\d+[^\w.]", r"[0-9]+[^0-9A-Za-z_.]"),
        (r"[\\d]|a{1,2}", r"[\\d]|a{1,2}"),
        *(
            (one, None)
            for one in ("(?i)a", "[a&&b]", "[[:alpha:]]", r"\bab", r"\pL", "a*", "^", "[a-]", "(?P<x>a)", r"a\Qb", "x{a", "")
        ),
    ],
)
def test_patterns_beyond_the_common_part_are_not_shared(pattern: str, shared: str | None) -> None:
    assert shared_pattern(pattern) == shared


def test_blocks_of_text_beyond_two_gigabytes_are_computed_as_large_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each block may be smaller than 2 GB, and all of them together not: simulated by an error of the concatenation."""
    map_tasks = _text.map_tasks
    types = []

    def overflowing(compute: Any, tasks: list[Any]) -> Any:
        types.append(tasks[0].type)
        if tasks[0].type == pa.string():
            raise pa.ArrowInvalid("offset overflow while concatenating arrays")
        return map_tasks(compute, tasks)

    monkeypatch.setattr(_text, "map_tasks", overflowing)
    with strategy.force(text_blocks="blocks"):
        x = aj.array([["ab", None], [], ["c"]], type=pa.string()).str.title()
    assert types == [pa.string(), pa.large_string()]
    assert x.type == pa.string()  # as the result fits
    assert x.to_list() == [["Ab", None], [], ["C"]]


def test_regular_expressions_on_all_cores() -> None:
    pytest.importorskip("polars")
    texts = [None if place % 7 == 0 else "ab" * (place % 4) + str(place) for place in range(3 * REGEX_POLARS_VALUES + 5)]
    found = {}
    for engine in ("arrow", "polars"):
        x = aj.from_sizes(pa.array(texts)[3:], [5, 0, len(texts) - 8])
        with strategy.force(regex=engine):
            found[engine] = [
                x.str.extract_all("[0-9]").to_list(),
                x.str.replace("b.", "<>", regex=True).to_list(),
                x.str.match("a").to_list(),
            ]
    assert found["polars"] == found["arrow"]


@pytest.mark.parametrize("regex", [False, True])
def test_an_empty_pattern_is_refused(regex: bool) -> None:
    x = aj.array([["ab"]])
    with pytest.raises(JagValueError, match=r"str\.replace: the pattern is empty"):
        x.str.replace("", "-", regex=regex)
    with pytest.raises(JagValueError, match=r"str\.split: the pattern is empty.*write x\.str\.extract_all"):
        x.str.split("", regex=regex)


def test_a_regex_that_matches_between_characters_ends() -> None:
    x = aj.array([["axbc", None], [""]])
    assert x.str.split("x*", regex=True).to_list() == [[["", "a", "b", "c", ""], None], [["", ""]]]  # Python splits once more
    assert x.str.replace("x*", "-", regex=True).to_list() == [["-a-b-c-", None], ["-"]]
    assert x.str.split("$", regex=True, maxsplit=1).to_list() == [[["axbc", ""], None], [["", ""]]]
    with pytest.raises(JagValueError, match=r"'x\*' matches between characters; n can't limit that"):
        x.str.replace("x*", "-", 1, regex=True)


@pytest.mark.parametrize("type", [pa.string(), pa.large_string()], ids=str)
@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize(
    "pattern", ["^a", r"\Aa", r"\ba", r"\Ba", "a$", r"a\z", "(?m)^a", r"a\b|ab", "^(a)(b)?", "(b)?a$|(a)", r"a+\b", "b[^b]"]
)
def test_the_first_matches_of_a_regex_are_those_of_the_whole_text(pattern: str, n: int, type: pa.DataType) -> None:
    texts = [["aaa", "ab aab", "a\nab\na", None, "", "baa", "\x01a\x02é a"], None]
    x = aj.array(texts, type=type)
    for new, of_python in (
        (r"<\0>", r"<\g<0>>"),
        ("\x03", "\x03"),
        ("", ""),
        *(((r"\2-\1", r"\2-\1"),) if "(a)" in pattern else ()),
    ):
        expected = [[one and re.sub(pattern.replace(r"\z", r"\Z"), of_python, one, count=n) for one in texts[0] or ()], None]
        got = x.str.replace(pattern, new, n, regex=True)
        assert got.to_list() == expected
        assert got.type == type


@pytest.mark.parametrize("n", [-1, 0, 1, 2])
def test_what_a_regex_would_assert_is_text_where_it_is_no_regex(n: int) -> None:
    texts = ["^a^", r"a\b\b", "$a$$", "(?m)^", None, "", r"\Aa\z"]
    for pattern in ("^", "$", r"\b", r"\A", r"\z", "(?m)^", "."):
        expected = [text and text.replace(pattern, "<>", n) for text in texts]
        assert aj.array([texts]).str.replace(pattern, "<>", n).to_list() == [expected]


@pytest.mark.parametrize("type", [pa.string(), pa.large_string(), pa.string_view()], ids=str)
@pytest.mark.parametrize("maxsplit", [-1, 0, 1, 2, 3])
def test_many_texts_are_split_at_blanks_as_few_are(maxsplit: int, type: pa.DataType) -> None:
    blanks = ["", " ", "  ", " \t\n", "\x1f\x85", "\u2003\u3000 "]
    words = [
        f"{one}{two}b{three}{four}"
        for one in ("", " ")
        for two in ("", "\u00e9")
        for three in blanks
        for four in ("", "c", "c  ", "c d ")
    ]
    expected = [word.split(None, maxsplit) for word in words]
    assert aj.array([words], type=type).str.split(None, maxsplit).to_list() == [expected]
    many = aj.array([[*words, None]] * 50, type=type)
    assert many.str.split(None, maxsplit).to_list() == [[*expected, None]] * 50
    with strategy.force(few_texts="arrays"):
        assert aj.array([words, [None], []], type=type).str.split(None, maxsplit).to_list() == [expected, [None], []]


@pytest.mark.parametrize("name", ["replace", "split", "extract_all"])
def test_a_match_inside_of_a_character_is_refused(name: str) -> None:
    args: tuple[Any, ...] = (r"\Bb?", "-") if name == "replace" else (r"\Bb?",)
    kwargs = {} if name == "extract_all" else {"regex": True}
    with pytest.raises(JagValueError, match=rf"str\.{name}: .*B.* matches between the bytes of a character beyond ASCII"):
        getattr(aj.array([["a\u00e9a", None]]).str, name)(*args, **kwargs)
    getattr(aj.array([["abab", "\u00e9", None]]).str, name)(*args, **kwargs).to_arrow().validate(full=True)
    assert aj.array([["\u00e9\u00e9b", None]]).str.replace(r"\B\x{e9}", "-", regex=True).to_list() == [["--b", None]]


def test_a_quotation_ends_with_its_pattern() -> None:
    x = aj.array([["a.c", "abc", None]])
    assert x.str.match(r"\Qa.").to_list() == [[True, False, None]]
    assert x.str.fullmatch(r"\Qa.c").to_list() == [[True, False, None]]
    assert x.str.extract_all(r"[ab]\Q.").to_list() == [[["a."], [], None]]
    assert x.str.split(r"\Q.", regex=True).to_list() == [[["a", "c"], ["abc"], None]]
    assert x.str.split(r"\\?\Q.", 1, regex=True).to_list() == [[["a", "c"], ["abc"], None]]
    assert x.str.replace(r"\Qa\E\Q.", "-", 1, regex=True).to_list() == [["-c", "abc", None]]
    assert aj.array([["a\\Q"]]).str.fullmatch(r"a\\Q").to_list() == [[True]]  # an escaped backslash


@pytest.mark.parametrize("rows", [[], [["a"]]])
@pytest.mark.parametrize("name", ["contains", "match", "fullmatch", "extract", "extract_all", "replace", "split"])
def test_a_regex_that_re2_lacks_is_refused_on_empty_data_too(name: str, rows: list[Any]) -> None:
    x = aj.array(rows, type=pa.string(), ndim=2)
    args: tuple[Any, ...] = ("(?=a)b", "x") if name == "replace" else ("(?=a)b",)
    kwargs = {"regex": True} if name in ("contains", "replace", "split") else {}
    with pytest.raises(JagValueError, match=rf"str\.{name}: '\(\?=a\)b' is not a regular expression of RE2 .*look-around"):
        getattr(x.str, name)(*args, **kwargs)


@pytest.mark.parametrize("type", [pa.string(), pa.large_string()], ids=str)
def test_prefixes_and_suffixes_that_all_texts_have_are_cut(type: pa.DataType) -> None:
    words = [f"word{number}" for number in range(1000)]
    for held in (words, ["wordé", "word", "word漢x"]):
        x = aj.array(pa.array(held, type))
        for part in (x, x[1:], x[:-1]):
            assert part.str.removeprefix("word").to_list() == [one.removeprefix("word") for one in part.to_list()]
    x = aj.array(pa.array([word[::-1] for word in words], type))
    assert x[3:].str.removesuffix("drow").to_list() == [word[4:][::-1] for word in words[3:]]


def test_wrong_arguments_are_named() -> None:
    x = aj.array([["a"]])
    with pytest.raises(JagValueError, match="fill must be one character, got 'xy'"):
        x.str.pad(3, "left", "xy")
    with pytest.raises(JagValueError, match="side must be 'left', 'right' or 'both'"):
        x.str.pad(3, "up")
    with pytest.raises(JagValueError, match="step must not be 0"):
        x.str.slice(0, 1, 0)
    with pytest.raises(JagTypeError, match=r"str\.find: s must be a str, got int"):
        x.str.find(1)  # type: ignore[arg-type]
    with pytest.raises(JagTypeError, match=r"str\.zfill: n"):
        x.str.zfill(True)
    with pytest.raises(JagValueError, match="has no group"):
        x.str.extract("a")
    with pytest.raises(JagValueError, match="parenthesized"):
        x.str.replace("(a)", r"\2", regex=True)
    with pytest.raises(JagTypeError, match="lower: too many positional arguments"):
        x.to_pandas().jag.str.lower(1)


@pytest.mark.parametrize(
    "leaf", [pa.int64(), pa.binary(), pa.date32(), pa.struct([("a", pa.string())]), pa.dictionary(pa.int8(), pa.int64())]
)
def test_other_leaves_are_refused(leaf: pa.DataType) -> None:
    x = aj.array([], type=leaf, ndim=2)
    with pytest.raises(JagTypeError, match=r"str\.lower has no kernel for .*It takes text"):
        x.str.lower()


def test_a_column_of_nulls_is_text() -> None:
    assert aj.array([[None], None]).str.upper().to_list() == [[None], None]
    assert aj.array([[None], None]).str.cat("x").to_list() == [[None], None]


def test_dictionaries_give_plain_text() -> None:
    x = aj.array(pa.array([["b", "a"], ["b"]], pa.list_(pa.dictionary(pa.int8(), pa.string()))))
    assert x.str.upper().type == pa.string()
    assert x.str.len().type == pa.int64()


def test_text_that_is_joined_by_prefix() -> None:
    x, y = aj.array([["a", None], ["c"]]), aj.array(["x", None])
    assert x.str.cat(y, "-").to_list() == [["a-x", None], [None]]
    assert y.str.cat(x).to_list() == [["xa", None], [None]]
    with pytest.raises(JagTypeError, match="cat has no kernel for int64"):
        x.str.cat(aj.array([1, 2]))
    with pytest.raises(JagTypeError, match=r"str\.cat has no kernel for date32\[day\]\. It takes text"):
        aj.array(["2020-01-01"]).cast(pa.date32()).str.cat("a")


def test_positions_count_characters() -> None:
    x = aj.array([["äöüb", "😀b", "b"], [None]])
    assert x.str.find("b").to_list() == [[3, 1, 0], [None]]


def test_plain_columns_of_polars_and_pandas_too() -> None:
    df = pl.DataFrame({"t": ["Ab", None], "v": [["Ab", None], None]})
    got = df.lazy().select(t=pl.col("t").jag.str.lower(), v=pl.col("v").jag.str.split("b")).collect(engine="streaming")
    assert got.to_dict(as_series=False) == {"t": ["ab", None], "v": [[["A", ""], None], None]}
    assert df["v"].jag.str.len().to_list() == [[2, None], None]
    assert pd.Series(["Ab", None]).jag.str.lower().tolist() == ["ab", pd.NA]
    assert pl.DataFrame({"c": pl.Series([["b", "a"]], dtype=pl.List(pl.Categorical))}).select(pl.col("c").jag.str.upper())[
        "c"
    ].to_list() == [["B", "A"]]


def test_a_chain_is_lazy_and_typed() -> None:
    df = pl.DataFrame({"v": [["a1 b22", None], []]})
    lazy = df.lazy().select(pl.col("v").jag.str.extract_all("[0-9]+").jag.str.len().jag.sum())
    assert lazy.collect_schema()["v"] == pl.List(pl.Int64)
    assert lazy.collect()["v"].to_list() == [[3, None], []]


def test_names_of_the_table_are_dotted() -> None:
    assert METHODS["str.lower"].short == "lower"
    assert set(namespaces()["str"]) <= set(dir(aj.JaggedArray.str))


def test_a_class_that_begins_with_a_bracket_holds_no_group() -> None:
    x = aj.array([["(b", "]b", "b"]])
    assert x.str.extract(r"[](](b)").to_list() == [[{"1": "b"}, {"1": "b"}, None]]
    assert x.str.extract(r"[^](](b)").to_list() == [[None, None, None]]


def test_each_of_several_affixes_is_looked_for() -> None:
    x = aj.array([["ab", "xb", "cd", None], []])
    assert x.str.startswith(("q", "x", "c")).to_list() == [[False, True, True, None], []]
    assert x.str.endswith(("q", "d")).to_list() == [[False, False, True, None], []]


@pytest.mark.parametrize("side", ["left", "right", "both"])
@pytest.mark.parametrize("n", [-1, 0, 1])
def test_text_is_never_cut_by_pad(side: str, n: int) -> None:
    x = aj.array([["ab", "", None], []])
    assert x.str.pad(n, side=side).to_list() == [["ab", " " * max(n, 0), None], []]  # type: ignore[arg-type]


@pytest.mark.parametrize("bounds", [(1, 4), (1, None), (1, None, 2), (4, 1, -1), (-3, -1), (3, 1)])
def test_slices_of_ascii(bounds: tuple[Any, ...]) -> None:
    with aj.options(compile="never"):
        found = aj.array([["abcdef", None], [], ["xy"]]).str.slice(*bounds)
    assert found.to_list() == [["abcdef"[slice(*bounds)], None], [], ["xy"[slice(*bounds)]]]


def test_blocks_of_text_run_on_all_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    tasks: list[int] = []
    map_tasks = _text.map_tasks
    monkeypatch.setattr(_text, "n_cores", lambda: 3)
    monkeypatch.setattr(_text, "map_tasks", lambda compute, parts: [tasks.append(len(parts)), map_tasks(compute, parts)][1])
    texts = [["a"] * TEXT_VALUES]
    with strategy.force(strings="arrow"):
        assert aj.array(texts).str.title().to_list() == [["A"] * TEXT_VALUES]
        assert aj.array([texts[0][1:]]).str.title().to_list() == [["A"] * (TEXT_VALUES - 1)]
        assert aj.array(texts).str.upper().to_list() == [["A"] * TEXT_VALUES]  # at once: of ASCII, joined results would cost more
        assert aj.array([["é"], ["a"]]).str.upper().to_list() == [["É"], ["A"]]
    assert tasks == [3, 1, 1]


@pytest.mark.parametrize("type", [pa.string(), pa.large_string()])
@pytest.mark.parametrize(("name", "args", "options"), CALLS, ids=str)
def test_blocks_of_unlike_text_have_one_type(name, args, options, type, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_text, "n_cores", lambda: 7)  # blocks of one item
    for items in (["é b", "", None, "a", " ", "ab aé ", "2024-01-02"], [None, "", None, "", " ", "é", "a a"], [""] * 7):
        x = aj.array(items, type=type, ndim=1)
        outcomes = []
        for how in ("whole", "blocks"):
            with strategy.force(text_blocks=how):
                try:
                    found = call(x, name, args, options)
                    outcomes.append((found.type, found.ndim, found.to_list()))
                except JagValueError as error:
                    outcomes.append(str(error))
        assert outcomes[0] == outcomes[1]


LONG: dict[str, Callable[[aj.JaggedArray], Any]] = {
    "str.repeat": lambda x: x.str.repeat(2000),
    "str.ljust": lambda x: x.str.ljust(2_000_000),
    "str.center": lambda x: x.str.center(2_000_000),
    "str.zfill": lambda x: x.str.zfill(2_000_000),
    "str.cat": lambda x: x.str.cat("b" * 2_000_000),
    "str.cat of a column": lambda x: x.str.cat(x, "b" * 2_000_000),
    "text + text": lambda x: x + "b" * 1_999_000,
    "bytes + bytes": lambda x: x.cast("large_binary") + b"b" * 1_999_000,
    "str.replace": lambda x: x.str.replace("a", "b" * 2000),
    "str.replace of matches": lambda x: x.str.replace("[a]", "b" * 2000, regex=True),
    "join": lambda x: x.join("b" * 2_000_000),
    "str.lower of categories": lambda x: x.join("").cast(pa.dictionary(pa.int32(), pa.string())).tile(2000).str.lower(),
    "text of categories": lambda x: x.join("").cast(pa.dictionary(pa.int32(), pa.string())).tile(2000).cast("string"),
    "indexing": lambda x: x.join("")[[0] * 2000],
}


@pytest.mark.parametrize("name", LONG)
def test_text_that_memory_can_t_hold_is_refused(name: str, with_and_without_loops: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Results of 2 GB, before they are written: Arrow's kernels don't look at what is left of memory."""
    x = aj.array([["a" * 1000] * 1000])
    monkeypatch.setattr(memory, "free_memory", lambda: 10**9)
    with pytest.raises(JagMemoryError, match=r" (1\.999|2(\.00\d)?) GB; the system has 1 GB left"):
        LONG[name](x)
    if name != "indexing":
        assert LONG[name](x[:0]).size == 0


def test_nulls_take_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """A position under a null is arbitrary, and may be that of a long string."""
    monkeypatch.setattr(memory, "free_memory", lambda: 10**8)
    x = aj.array(["a" * 10**6, "b"])
    with aj.options(compile="never"):
        assert x[aj.array([1] + [None] * 999)].to_list() == ["b"] + [None] * 999


def test_replacements_are_counted_before_they_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "free_memory", lambda: 10**9)
    x = aj.array([["a" * 1000, None] * 1000])
    assert x.str.replace("aab", "c" * 2_000_000).equals(x)
    assert x.str.replace("^aab", "c" * 2_000_000, regex=True).equals(x)
    assert x.str.replace("^", "c" * 1000, regex=True).str.len().max(axis=None).as_py() == 2000
    assert x.str.replace("a", "bb", 1).str.len().max(axis=None).as_py() == 1001
    with pytest.raises(JagMemoryError, match=r"^str.replace: "):
        x.str.replace("a", "c" * 2_000_000, 1)
