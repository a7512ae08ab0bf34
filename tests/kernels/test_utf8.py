"""The loop that validates UTF-8 refuses what Python's decoder refuses, for every first and second byte."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from arrowjag._kernels import compiled, strategy
from arrowjag._kernels.elementwise import utf8
from arrowjag._options import options


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
            try:
                text.decode()
                valid = True
            except UnicodeDecodeError:
                valid = False
            wrong += [text] * (found != valid)
    assert not wrong


@pytest.mark.parametrize("by", ["arrow", "polars", "compiled"])
@pytest.mark.parametrize("tail", ["", "é", "\x80", "数", "\u0800", "😀", "\U00010000"])
def test_characters_cut_at_either_end(by: str, tail: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip({"compiled": "numba", "polars": "polars"}.get(by, "pyarrow"))
    monkeypatch.setenv("ARROWJAG_CACHE_DIR", str(tmp_path))
    whole = ("😀é" + tail).encode()
    with options(compile="always"), strategy.force(utf8=by, COMPILED_VALUES=0) as taken:
        for start in range(len(whole)):
            for stop in range(start + 1, len(whole) + 1):
                text = whole[start:stop]
                try:
                    text.decode()
                    valid = True
                except UnicodeDecodeError:
                    valid = False
                assert utf8.is_text(np.frombuffer(text, np.uint8), np.array([0, len(text)])) == valid, text
    assert {name for operation, name in taken if operation == "utf8"} == {by}
