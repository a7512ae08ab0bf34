"""The order of distinct texts against Python's."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pytest

from arrowjag._kernels.order import texts
from tests.compiled_calls import forced

WORDS = {
    "short": ["b", "", "a", "\0", "ab", "a\0", "a\0\0", "é", "z", "aé", "\x7f"],
    "one word": ["12345678", "1234567", "12345679", "1234567\0", "é345678", "22345678"],
    "behind a prefix": [f"the same beginning of all {i % 7} {i:04}" for i in range(300, 0, -1)],
    "behind a prefix of some": [f"{'the same beginning' * (i % 3)}{i}" for i in range(300)],
    "in the last bytes": [f"{'x' * 77}{chr(97 + i)}" for i in range(9, -1, -1)] + ["x" * 77, "x" * 76, "y"],
    "zeros at the end": ["x" * 8 * k + "\0" * n for k in range(7, -1, -1) for n in (5, 0, 11)],
    "the same words behind others": [f"{first * 8}{'x' * 8}{last}" for last in (2, 1, 3) for first in "ba"],
    "one": ["a"],
}


@pytest.fixture(params=["compiled", "arrow"], autouse=True)
def way(request: pytest.FixtureRequest) -> Iterator[str]:
    with forced(request.param, few_texts="arrays"):
        yield request.param


@pytest.mark.parametrize("type", [pa.string(), pa.large_string(), pa.binary(), pa.large_binary()], ids=str)
@pytest.mark.parametrize("name", WORDS)
def test_order_of_different_texts(name: str, type: pa.DataType) -> None:
    words = [word.encode() for word in WORDS[name]]
    for skip in (0, 1):
        values = pa.array([b"before", *words, b"behind"]).cast(type)[1 + skip : -1]
        found = texts.order_of_distinct(values)
        assert found.dtype == np.int64
        assert found.tolist() == sorted(range(len(values)), key=words[skip:].__getitem__)


def test_words_are_taken_as_they_are_where_few_bytes_follow() -> None:
    values = pa.array(["ba", "ab", "c"])
    assert values.buffers()[2].size < 8
    assert texts.order_of_distinct(values).tolist() == [1, 0, 2]


def test_arrow_sorts_other_types() -> None:
    assert texts.order_of_distinct(pa.array([3, 1, 2]).cast(pa.decimal128(25, 1))).tolist() == [1, 2, 0]
    assert texts.order_of_distinct(pa.array([], pa.string())).tolist() == []
