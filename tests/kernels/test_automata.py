"""Matches by the table of an automaton against Python's re, which tries alternatives in the same order, and what has no table."""

from __future__ import annotations

import re
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrowjag._kernels import strategy
from arrowjag._kernels.elementwise import automata, regex_loops, text_loops
from arrowjag._kernels.elementwise.regex import shared_pattern
from arrowjag._options import options
from tests.kernels.interpreted import Loops
from tests.kernels.test_text_kernels import TYPES, layouts

LINES = r"""
a ab [ab] [^a] a|ab ab|a (?:a|ab)(?:c|bcd) a+ a+? a{2} a{1,2} a{2,}? (a|b)+c é [é漢a] . a. \d+ \w+ \W \s \S+ \. \[ ^a a$ ^.$
(?:^|b)a a(?:$|b) \Aab\z [\-a] [\]a] [a-c]x a??b (?:ab?)+?b [^a-z] [^\d\s] 漢|字 😀+ (?:a|b)(?:a|b)(?:a|b)$ \t [\n\t] [.] x{0}a
(a)(b)? a(?:a|b){4}
"""
PATTERNS = LINES.split()

TEXTS = ["", "a", "b", "ab", "aab", "abc", "abcd", "abbcd", "aaaa", "éa", "a漢字é", "😀😀a", "a.b[c]-"]
TEXTS += ["1 a22\tb\nc", "xaxbx", "ba ab", "bab" * 7]


@pytest.fixture(params=["interpreted", "compiled"])
def loops(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Loops, of all sizes."""
    if request.param == "interpreted":
        monkeypatch.setattr(text_loops, "find_loop", Loops())
        yield
        return
    pytest.importorskip("numba")
    with options(compile="always"), strategy.force(COMPILED_VALUES=0):
        yield


def python(pattern: str) -> re.Pattern[str]:
    """The pattern in Python's dialect, in which a dollar may precede a line break."""
    shared = shared_pattern(pattern)
    assert shared is not None
    return re.compile(shared.replace("$", r"\Z").replace(r"\z", r"\Z"))


def check(pattern: str, texts: list[str | None], type: pa.DataType = TYPES[0]) -> None:
    known = python(pattern)
    for array in layouts(texts, type):
        if not len(array):
            continue
        held = array.to_pylist()
        for sizes in ({}, {"TEXT_VALUES": 0}):
            with strategy.force(**sizes, AUTOMATON_LENGTH=1000):
                found, pieces = regex_loops.contains(array, pattern), regex_loops.extract_all(array, pattern)
            assert found is not None
            assert pieces is not None
            pieces.validate(full=True)
            assert found.to_pylist() == [None if one is None else known.search(one) is not None for one in held]
            assert pieces.to_pylist() == [None if one is None else [match[0] for match in known.finditer(one)] for one in held]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_matches_are_those_of_python(pattern: str, loops: Any) -> None:
    for type in TYPES:
        check(pattern, [*TEXTS, None], type)


ATOMS = st.sampled_from(["a", "b", ".", "é", "[ab]", "[^a]", r"\d", r"\W", "[aé]", " "])
REPEATED = st.sampled_from(["*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{0,2}?", "{2,}"])


def larger(part: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.tuples(part, part).map("".join),
        st.tuples(part, part).map(lambda two: f"(?:{two[0]}|{two[1]})"),
        st.tuples(part, REPEATED).map(lambda two: f"(?:{two[0]}){two[1]}"),
        part.map(lambda one: f"^{one}"),
        part.map(lambda one: f"{one}$"),
    )


@given(st.recursive(ATOMS, larger, max_leaves=6), st.lists(st.text("abéc 1\n", max_size=8), min_size=1, max_size=4))
def test_random_patterns(pattern: str, texts: list[str]) -> None:
    shared = shared_pattern(pattern)
    if shared is None or automata.matching(shared) is None:
        return
    if "" in (match[0] for one in texts for match in python(pattern).finditer(one)):
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_loops, "find_loop", Loops())
        check(pattern, [*texts])


@pytest.mark.parametrize("pattern", ["a{400}", "(?:a|b){9}a(?:a|b){200}", "(?:a*)+b", "(?:a?)*b", "[^é]", "a{2}{3}"])
def test_patterns_without_a_table(pattern: str) -> None:
    assert automata.matching(pattern) is None
    assert automata.searching(pattern) is None


def test_tables_of_too_many_states() -> None:
    assert automata.matching("a(?:a|b){9}") is not None
    assert automata.searching("a(?:a|b){9}") is None


def test_what_is_left_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    words = pa.array(["ab", "b"])
    monkeypatch.setattr(text_loops, "find_loop", Loops())
    for call in (regex_loops.contains, regex_loops.extract_all):
        assert call(words, "a") is not None
        assert call(words[:0], "a") is None
        assert call(words, "a*") is None
        assert call(words, "a{400}") is None
        with strategy.force(AUTOMATON_LENGTH=1):
            assert call(words, "a") is None
            assert call(words[1:], "a") is not None
        with strategy.force(strings="arrow"):
            assert call(words, "a") is None
    for name in ("matched", "match_counts", "match_pieces"):
        monkeypatch.setattr(text_loops, "find_loop", Loops(f"{name}-u1-plain"))
        assert (regex_loops.contains(words, "a") is None) == (name == "matched")
        assert (regex_loops.extract_all(words, "a") is None) == (name != "matched")


def test_a_search_that_reads_bytes_many_times(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_loops, "find_loop", Loops())
    with strategy.force(AUTOMATON_LENGTH=1000):
        assert regex_loops.extract_all(pa.array(["a" * 60] * 4), "a*b") is None
        assert regex_loops.extract_all(pa.array(["a" * 60] * 2), "a*b") is not None
        assert regex_loops.extract_all(pa.array(["a" * 59 + "b"] * 100), "a*b") is not None
