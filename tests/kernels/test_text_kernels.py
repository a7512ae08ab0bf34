"""Kernels of flat text against Python: bytes, integers in text, markers, lists of matches and the groups of a pattern."""

from __future__ import annotations

import itertools
import re
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from arrowjag._kernels import strategy
from arrowjag._kernels.elementwise import regex, text, text_bytes
from tests.compiled_calls import forced

TYPES = [pa.string(), pa.large_string()]
WORDS = ["", "a", "abc", "é", "漢字", "😀a", "aéb", "abab", "éa", "ab" * 9]


def layouts(words: list[str | None], type: pa.DataType) -> list[pa.Array]:
    """The words whole and sliced, with and without nulls, and one by one."""
    plain = [word for word in words if word is not None]
    held = [pa.array(plain, type), pa.array(["é", *words, "x", None], type)[1:-2], pa.array([None, *words], type)]
    return [*held, held[1][2:5], held[0][:0], pa.nulls(3, type), *(pa.array([word], type) for word in plain)]


@pytest.mark.parametrize("type", TYPES, ids=str)
def test_arrays_without_offsets(type: pa.DataType) -> None:
    empty = pa.Array.from_buffers(type, 0, [None, None, pa.py_buffer(b"")])
    assert text_bytes.is_ascii(empty)
    assert text_bytes.n_bytes(empty) == 0
    assert text_bytes.length(empty).to_pylist() == []
    assert [flags.tolist() for flags in text_bytes.integers_in(empty)] == [[], []]
    starts, data = text_bytes._cuts_and_bytes(empty)
    assert (starts.tolist(), data.tolist(), data.dtype) == ([0], [], np.uint8)


@pytest.mark.parametrize("type", TYPES, ids=str)
def test_lengths_and_whether_all_is_ascii(type: pa.DataType) -> None:
    for words in ([*WORDS, None], ["abc", None, "", "x"], ["\x7f"], ["\x80"], ["a", "\x80"]):
        for array in layouts(words, type):
            held = array.to_pylist()
            found = text_bytes.length(array)
            found.validate(full=True)
            assert found.type == pa.int64()
            assert found.to_pylist() == [None if word is None else len(word) for word in held]
            assert text_bytes.is_ascii(array) == all(word is None or word.isascii() for word in held)


@pytest.mark.parametrize("type", TYPES, ids=str)
def test_bytes_that_text_holds(type: pa.DataType) -> None:
    for array in layouts(["ab", None, "c", "é"], type):
        held = "".join(word or "" for word in array.to_pylist())
        for some in ("a", "bc", "xc", "x", ""):
            assert text_bytes.holds(array, some.encode()) == any(one in held for one in some)


@pytest.mark.parametrize("type", TYPES, ids=str)
def test_whether_all_texts_have_a_length_and_one_is_empty(type: pa.DataType) -> None:
    for words in (["ab", "cd"], ["ab", None], ["ab", "c"], ["ab", None, "c"], [None, "c", "d"], ["", None], ["", "ab", None], []):
        for array in (pa.array(words, type), pa.array(["x", *words, None], type)[1:-1]):
            held = [word for word in words if word is not None]
            assert text_bytes.has_length(array, 2) == all(len(word) == 2 for word in held)
            assert text_bytes.has_empty(array) == ("" in held)


def test_bytes_under_a_null_have_no_length() -> None:
    hidden = [pa.py_buffer(b"\x05"), pa.py_buffer(np.array([0, 2, 5, 7], np.int32)), pa.py_buffer(b"abxyzcd")]
    array = pa.Array.from_buffers(pa.string(), 3, hidden)
    assert array.to_pylist() == ["ab", None, "cd"]
    assert text_bytes.has_length(array, 2)
    assert not text_bytes.has_length(array, 3)


def has_integer(word: str | None) -> bool:
    return word is not None and re.fullmatch("-?[0-9]{1,18}", word, re.ASCII) is not None


def may_have_another(word: str | None) -> bool:
    return word is not None and re.fullmatch("-?[0-9]{19,}|0[xX].+", word, re.ASCII | re.DOTALL) is not None


@pytest.mark.parametrize("type", TYPES, ids=str)
def test_integers_in_text(type: pa.DataType) -> None:
    words = ["", "-", "0", "-0", "7", "9", "/", ":", "--1", "1-", "-1-", "x", "0x", "0X1", "0x1f", "1x1", "-0x1", "00x1", "١", "1 "]
    words += ["".join(some) for some in itertools.product("-019x", repeat=3)]
    words += [sign + digit * n + end for sign in ("", "-") for digit in "19" for n in (17, 18, 19, 20) for end in ("", "x")]
    for array in [*layouts([*words, None], type), *layouts([None, "12", "0x2"], type), *layouts(["-"], type)]:
        held = array.to_pylist()
        short, other = text_bytes.integers_in(array)
        assert (short.dtype, other.dtype) == (np.bool_, np.bool_)
        assert short.tolist() == [*map(has_integer, held)]
        assert other.tolist() == [*map(may_have_another, held)]


@pytest.mark.parametrize("type", TYPES, ids=str)
def test_text_under_a_null_is_none(type: pa.DataType) -> None:
    offsets, data = pa.array(["12", "0x1", "é", "1" * 30, "7"], type).buffers()[1:]
    array = pa.Array.from_buffers(type, 5, [pa.py_buffer(bytes([0b10000])), offsets, data])
    assert [flags.tolist() for flags in text_bytes.integers_in(array)] == [[False] * 4 + [True], [False] * 5]
    assert text_bytes.length(array).to_pylist() == [None] * 4 + [1]
    for at_start in (True, False):
        assert text_bytes.removed(array, "1", at_start=at_start).to_pylist() == [None] * 4 + ["7"]


@pytest.mark.parametrize("by", ["arrow", "compiled"])
@pytest.mark.parametrize("type", TYPES, ids=str)
@pytest.mark.parametrize("affix", ["a", "ab", "é", "漢字", "😀"])
def test_prefixes_and_suffixes(affix: str, type: pa.DataType, by: str) -> None:
    everywhere = [affix + word + affix for word in WORDS]
    with forced(by, "take_texts"):
        for words in ([*WORDS, None], everywhere, [*everywhere, None], [affix, affix + affix]):
            for array in layouts(words, type):
                for at_start, cut in ((True, str.removeprefix), (False, str.removesuffix)):
                    found = text_bytes.removed(array, affix, at_start=at_start)
                    found.validate(full=True)
                    assert found.type == type
                    assert found.to_pylist() == [None if word is None else cut(word, affix) for word in array.to_pylist()]


@pytest.mark.parametrize("type", TYPES, ids=str)
@pytest.mark.parametrize("name", text.KERNELS)
def test_text_that_is_all_ascii(name: str, type: pa.DataType) -> None:
    chars = [chr(code) for code in range(128)]
    pairs = [first + last for first in "aZ1_ \x1f" for last in chars]
    for words in (chars, pairs, [pair + one for pair in pairs for one in "bY"], ["they're A b", "", None, "x" * 40]):
        for array in (pa.array(words, type), pa.array(["é", *words], type)[1:]):
            expected = [None if word is None else getattr(word, name)() for word in words]
            for found in (text.by_bytes(name, array), text.by_python(name, array)):
                assert found is not None
                found.validate(full=True)
                assert found.to_pylist() == expected
    assert text.by_bytes(name, pa.array(["a", "é"], type)) is None


@pytest.mark.parametrize("type", TYPES, ids=str)
@pytest.mark.parametrize("start", [0, 1, 3, 9, 10**30, -1])
def test_bytes_of_each_string(start: int, type: pa.DataType) -> None:
    words = ["", "a", None, "abc", "ab" * 9]
    many = pa.array(["abc"] * 10_000, type)
    for array in layouts(words, type):
        for stop in (None, 0, 1, 4, 10**30, -1):
            found = text_bytes.sliced(array, start, stop)
            if start < 0 or (stop is not None and stop < 0):
                assert found is None
                continue
            assert found is not None
            found.validate(full=True)
            assert found.type == type
            if text_bytes.is_ascii(array):
                assert found.to_pylist() == [word and word[start:stop] for word in array.to_pylist()]
    found = text_bytes.sliced(many, max(start, 0), None)  # whose bounds times their number leave 64 bits, if Arrow is not told one
    assert found is not None
    assert found.to_pylist() == ["abc"[max(start, 0) :]] * 10_000


def test_markers_are_the_first_characters_that_no_text_contains() -> None:
    assert text.markers(pa.array(["ab", None, ""]), 2) == ["\x01", "\x02"]
    assert text.markers(pa.array(["a\x01", "\x03"]), 3) == ["\x02", "\x04", "\x05"]
    control = "".join(map(chr, range(1, 9)))
    assert text.markers(pa.array([control]), 1) == ["\ue000"]
    assert text.markers(pa.array([control[:-1]]), 2) == ["\x08", "\ue000"]
    assert text.markers(pa.array([control + "".join(map(chr, range(0xE000, 0xF8FF)))]), 1) == ["\U000f0000"]
    assert text.markers(pa.array([], pa.string()), 1) == ["\x01"]


def lists(rows: list[list[str] | None]) -> list[pa.Array]:
    """The rows as an array, and as a slice of a longer one."""
    type = pa.list_(pa.string())
    return [pa.array(rows, type), pa.array([["x", "y", "z"], *rows, [""]], type)[1:-1], pa.array(rows, pa.list_(pa.large_string()))]


def test_every_second_piece() -> None:
    rows: list[list[str] | None] = [["a"], None, ["a", "b", "c"], ["a", "b", "c", "d", "e"], [""]]
    for parts in lists(rows):
        found = text.odd_pieces(parts)
        found.validate(full=True)
        assert found.to_pylist() == [None if row is None else row[1::2] for row in rows]
    for parts in lists([["a"], ["b"]]):
        assert text.odd_pieces(parts).to_pylist() == [[], []]


@pytest.mark.parametrize(
    "rows",
    [
        [["a"], None, ["a", ""], [""], [], ["", ""], ["", "b"], [None, ""], ["", None]],
        [["a"], ["b", "c"]],
        [[], None, []],
        [[], [""], []],
        [[""]],
    ],
)
def test_the_last_piece_is_dropped_if_it_is_empty(rows: list[list[str] | None]) -> None:
    for leaf in TYPES:
        found = text.drop_last_empty(pa.array(rows, pa.list_(leaf)))
        found.validate(full=True)
        assert found.to_pylist() == [None if row is None else row[: len(row) - (row[-1:] == [""])] for row in rows]


PATTERNS = ["a", "[ab]", "a+", "(a)|b", "é", "a.", "ba?", "[^a]"]
SOME = ["", "a", "ab", "banana", "aéa", "\x01a\x02", "bbb", "a\x01b", "ééa", None]


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("type", TYPES, ids=str)
def test_splits_and_matches_are_those_of_python(type: pa.DataType, pattern: str) -> None:
    plain = pattern.replace("(a)", "a")
    for array in (pa.array(SOME, type), pa.array(["x", *SOME, "a"], type)[1:-1], pa.array(SOME[:3], type), pa.array([], type)):
        held = array.to_pylist()
        for limit in (-1, 1, 2):
            found = text.split(array, pattern, limit)
            assert found.to_pylist() == [None if one is None else re.split(plain, one, maxsplit=max(limit, 0)) for one in held]
        with strategy.force(regex="arrow"):
            assert text.extract_all(array, pattern).to_pylist() == [
                None if one is None else [match[0] for match in re.finditer(plain, one)] for one in held
            ]
        assert not text.has_empty_match(array, pattern)


@pytest.mark.parametrize(
    "pattern", ["a", "[ab]", "a+", "é", "a.", "ba?", "[^a]", r"\d{2}", r"\w+", r"\S{2,}", "[|a]+", "[||]", r"\.b*"]
)
@pytest.mark.parametrize("type", TYPES, ids=str)
def test_python_finds_the_matches_of_arrow_in_few_texts(type: pa.DataType, pattern: str) -> None:
    words = [*SOME, "12 345_é\n6\v", "\u06601", "a.b.||", "||"]
    for array in (pa.array(words, type), pa.array(["x", *words, "a"], type)[1:-1]):
        with strategy.force(regex="arrow", few_texts="items"):
            found = text.extract_all(array, pattern)
        with strategy.force(regex="arrow", few_texts="arrays"):
            expected = text.extract_all(array, pattern)
        found.validate(full=True)
        assert found.to_pylist() == expected.to_pylist()


def test_python_gets_no_pattern_for_which_its_engine_goes_back() -> None:
    patterns = ["[0-9]", r"\d+", "#[a-z]{2,5}", "(a)", "a|b", "^a", "a$", "a+b", "a+?", "(?:a+)+b", "a*", "[||]"]
    assert [pattern for pattern in patterns if regex._matcher(pattern)] == ["[0-9]", r"\d+", "#[a-z]{2,5}"]


@pytest.mark.parametrize(
    ("pattern", "words", "wanted"),
    [("a*", ["b"], True), ("a*", [None], False), ("a*", [], False), ("^", ["", "x"], True), ("b*a", ["ba", "b"], False)],
)
def test_matches_without_characters(pattern: str, words: list[Any], wanted: bool) -> None:
    assert text.has_empty_match(pa.array(words, pa.string()), pattern) is wanted


@pytest.mark.parametrize("sought", ["", "a", "ab", "é", "éa", "漢", "x"])
@pytest.mark.parametrize("type", TYPES, ids=str)
def test_places_of_a_text(type: pa.DataType, sought: str) -> None:
    for words in ([*WORDS, None], ["xa", "xxab", None], ["ééa", "aé", "é", "xé", "xéa漢ab"]):
        for array in layouts(words, type):
            found = text.find(array, sought)
            assert found.type == pa.int64()
            assert found.to_pylist() == [None if word is None else word.find(sought) for word in array.to_pylist()]


GROUPS: list[tuple[str, str, list[str]]] = [
    ("ab", "ab", []),
    ("(a)", "(?P<#>a)", [""]),
    ("((a)|(b))", "(?P<#>(?P<#>a)|(?P<#>b))", ["", "", ""]),
    ("(?P<x>a)", "(?P<#>a)", ["x"]),
    ("(?<y>a(b))", "(?P<#>a(?P<#>b))", ["y", ""]),
    ("(?:a(b))", "(?:a(?P<#>b))", [""]),
    ("(?i)", "(?i)", []),
    (r"\(", r"\(", []),
    (r"\\(a)", r"\\(?P<#>a)", [""]),
    (r"\Q(\(\E(a)", r"\Q(\(\E(?P<#>a)", [""]),
    (r"\Q\E(a)", r"\Q\E(?P<#>a)", [""]),
    ("[(]", "[(]", []),
    ("[^(]", "[^(]", []),
    ("[](]", "[](]", []),
    ("[^](]", "[^](]", []),
    ("[](])", "[](])", []),
    ("[x](a)[]]", "[x](?P<#>a)[]]", [""]),
    (r"[\](]", r"[\](]", []),
    (r"[a\\](b)", r"[a\\](?P<#>b)", [""]),
    ("[[:alpha:](]", "[[:alpha:](]", []),
    ("[[:alpha:]](a)", "[[:alpha:]](?P<#>a)", [""]),
    ("[^[:^digit:](](a)", "[^[:^digit:](](?P<#>a)", [""]),
    ("[a](b)[:]", "[a](?P<#>b)[:]", [""]),
    ("[a:](b):]", "[a:](?P<#>b):]", [""]),
    ("[[:](a)", "[[:](?P<#>a)", [""]),
    ("[^^](a)", "[^^](?P<#>a)", [""]),
]
"""Parts of patterns; as they are renamed, with a # for each name; and the names of their groups."""

LAST = [(r"\Q(a)", r"\Q(a)", []), ("[(", "[(", []), ("\\", "\\", []), (r"[\(", r"[\(", [])]


@pytest.mark.parametrize("one", GROUPS, ids=lambda one: one[0])
def test_groups_of_a_pattern(one: tuple[str, str, list[str]]) -> None:
    others: list[tuple[str, str, list[str]]] = [("", "", []), *GROUPS, *LAST]
    for two in others:
        if one[0] == "[[:](a)" and ":]" in two[0]:
            continue  # the name of a class, which RE2 does not know
        pattern, names = text.groups_of(one[0] + two[0])
        count = itertools.count()
        assert pattern == re.sub("#", lambda _: f"g{next(count)}", one[1] + two[1])  # noqa: B023
        assert list(names) == [name or str(place) for place, name in enumerate([*one[2], *two[2]], 1)]


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("(a)(b)?", ["ab", "a", "x", None, "ba"]),
        ("(a*)(b)?", ["aab", "x", "", None]),
        ("(x)", ["x", "ax"]),
        ("(x)|(y)|()", ["y", "x", "z"]),
        ("(x)", []),
    ],
)
@pytest.mark.parametrize("type", TYPES, ids=str)
def test_groups_of_the_first_match(type: pa.DataType, pattern: str, words: list[str | None]) -> None:
    named, names = text.groups_of(pattern)
    for array in (pa.array(words, type), pa.array(["a", *words], type)[1:]):
        found = text.extract(array, named, names)
        matches = [None if word is None else re.search(pattern, word) for word in words]
        assert found.to_pylist() == [match and dict(zip(names, match.groups(), strict=True)) for match in matches]
        assert found.type == pa.struct([(name, type) for name in names])


@pytest.mark.parametrize("type", [pa.string(), pa.large_string(), pa.binary(), pa.large_binary()], ids=str)
def test_bytes_of_slices_are_counted(type: pa.DataType) -> None:
    values = pa.array(["abc", "", None, "de", "f"], pa.string()).cast(type)
    assert [text_bytes.n_bytes(part) for part in (values, values[1:4], values[3:], values[:0])] == [6, 2, 3, 0]
