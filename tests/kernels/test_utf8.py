"""The loop that validates UTF-8 refuses what Python's decoder refuses, for every first and second byte."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from arrowjag._kernels import compiled, strategy
from arrowjag._kernels.elementwise import utf8
from arrowjag._runtime.options import options
from tests.compiled_calls import forced


def is_valid(text: bytes) -> bool:
    """Whether Python's decoder takes the text."""
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def is_text(text: bytes) -> bool:
    return utf8.is_valid(np.frombuffer(text, np.uint8), np.array([0, len(text)]))


@pytest.mark.parametrize("rest", [b"", b"\x80", b"\xbf\x80", b"\x80\x80\x80", b"a\xbf"])
def test_every_pair_of_bytes(rest: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    monkeypatch.setenv("ARROWJAG_CACHE_DIR", str(tmp_path))
    with options(compile="always"):
        loop = compiled.find("is_not_utf8", np.dtype(np.uint8), False)
    assert loop is not None
    wrong = []
    for first in range(256):
        for second in range(256):
            text = b"abc" + bytes([first, second]) + rest + b"abc"
            found = loop(np.frombuffer(text, np.uint8), 3, len(text)) == 0
            wrong += [text] * (found != is_valid(text))
    assert not wrong


@pytest.mark.parametrize("by", ["arrow", "polars", "compiled"])
@pytest.mark.parametrize("tail", ["", "é", "\x80", "数", "\u0800", "😀", "\U00010000"])
def test_characters_cut_at_either_end(by: str, tail: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip({"compiled": "numba", "polars": "polars"}.get(by, "pyarrow"))
    monkeypatch.setenv("ARROWJAG_CACHE_DIR", str(tmp_path))
    whole = ("😀é" + tail).encode()
    with forced(by, "utf8") as taken:
        for start in range(len(whole)):
            for stop in range(start + 1, len(whole) + 1):
                text = whole[start:stop]
                assert is_text(text) == is_valid(text), text
    assert {name for operation, name in taken if operation == "utf8"} == {by}


CORNERS = [0x41, 0x7F, 0x80, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xEF, 0xF0, 0xF1, 0xF4, 0xF5, 0xFF]
"""The first and last bytes of each kind."""


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("by", ["arrow", "compiled"])
def test_every_end_and_every_beginning(by: str, n: int) -> None:
    with forced(by, "utf8"):
        for some in itertools.product(CORNERS, repeat=n):
            for text in (b"ab\xc3\xa9" + bytes(some), bytes(some) + b"\x80a", b"\xf0\x90" + bytes(some) + b"\x80"):
                assert is_text(text) == is_valid(text), text


@pytest.mark.parametrize("by", ["arrow", "polars", "compiled"])
def test_bytes_that_continue_no_character(by: str) -> None:
    pytest.importorskip({"compiled": "numba", "polars": "polars"}.get(by, "pyarrow"))
    with forced(by, "utf8"):
        for n in range(1, 20):
            for before in (b"", b"a", b"abc", "é".encode(), "😀".encode()):
                assert not is_text(before + b"\x80" * n)


def test_arrow_validates_the_first_character_before_a_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[int] = []
    monkeypatch.setattr(utf8, "_arrow_takes", lambda text: given.append(len(text)) is None)
    with forced("compiled", "utf8"):
        for text, n in (("abcdefé", 3), ("abé", 4), ("aé漢x", 3), ("aa😀x", 6), ("é", 2), ("é", 2), ("漢", 3)):
            given.clear()
            assert is_text(text.encode())
            assert given == [n]
    asked: list[tuple[object, ...]] = []
    monkeypatch.setattr(utf8, "find_loop", lambda *arguments: asked.append(arguments))
    utf8._loop(5)
    assert asked == [("is_not_utf8", np.dtype(np.uint8), False, 5)]


def test_a_byte_behind_much_ascii_that_is_none() -> None:
    with strategy.force(WORD_VALUES=4):
        for last in (0x7F, 0x80, 0x81, 0xFF):
            assert is_text(b"abcdefgh" + bytes([last])) == (last < 0x80)
    assert is_text("abcé".encode())


def test_pieces_end_at_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    pieces: list[bytes] = []
    monkeypatch.setattr(utf8, "_arrow_takes", lambda text: pieces.append(text.tobytes()) or is_valid(pieces[-1]))
    for word in ("a", "é", "数", "😀"):
        for before in ("", "b", "bc", "bcd"):
            text = (before + 9 * word + "é").encode()
            pieces.clear()
            with strategy.force(utf8="arrow", UTF8_PIECE=8):
                assert is_text(text)
            assert b"".join(pieces) == text
            assert all(len(piece) > 4 for piece in pieces[:-1])
            assert max(map(len, pieces)) <= 8
    for bad in (b"\x80" * 30, b"abcdefg\xc3" * 2, b"abcdefgh\x80abc", b"abcdefg\xf0\x9f\x98"):
        with strategy.force(utf8="arrow", UTF8_PIECE=8):
            assert not is_text(bad)


@pytest.mark.parametrize("offsets", [[1, 3, 5], [0, 2, 2, 5], [0, 0, 5, 5], [5, 7], [3, 9]])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_values_that_are_cut_within_a_character(offsets: list[int], dtype: type) -> None:
    data = "aé数é".encode()
    values = [data[start:stop] for start, stop in itertools.pairwise(offsets)]
    found = utf8.is_valid(np.frombuffer(data, np.uint8), np.array(offsets, dtype))
    assert found == (offsets[-1] <= len(data) and all(map(is_valid, values)))


@pytest.mark.parametrize("offsets", [[-1, 2], [0, 5], [2, 1, 3], [2, 2], [0, 0], [3, 0]])
def test_offsets_that_are_none(offsets: list[int]) -> None:
    assert not utf8.is_valid(np.frombuffer(b"abcd", np.uint8), np.array(offsets))
