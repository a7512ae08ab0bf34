"""Whole arrays of any type repeated, against Arrow's concatenation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from arrowjag._kernels import strategy
from arrowjag._kernels.move import tile as kernel
from arrowjag._kernels.move.gather import take

KINDS = [
    *map(str, (pa.string(), pa.large_string(), pa.binary(), pa.large_binary(), pa.string_view())),
    "int64",
    "bool",
    "struct",
    "no_fields",
    "dictionary",
    "list",
]


def some(kind: str, n: int, nulls: bool) -> pa.Array[Any]:
    """A slice of n values, some of them empty."""
    mask = np.arange(n + 3) % 5 == 1 if nulls else None
    words = ["", "a", "é漢", "ab", "abcdefghij"]
    texts = pa.array([words[place * place % 7 % 5] for place in range(n + 3)], mask=mask)
    numbers = pa.array(np.arange(n + 3), mask=mask)
    known = None if mask is None else pa.array(mask)
    lists = pa.array([[place] * (place % 3) for place in range(n + 3)])
    if kind == "struct":
        return pa.StructArray.from_arrays([numbers, texts, lists], names=["one", "two", "three"], mask=known)[2:-1]
    if kind == "no_fields":
        return pa.array([None if nulls and place % 5 == 1 else {} for place in range(n + 3)], pa.struct([]))[2:-1]
    if kind == "dictionary":
        return texts.dictionary_encode()[2:-1]
    if kind == "list":
        return lists[2:-1]
    if kind == "string_view":
        return pa.array(texts.to_pylist(), pa.string_view())[2:-1]
    if kind == "int64":
        return numbers[2:-1]
    return (pa.array(np.arange(n + 3) % 3 == 1) if kind == "bool" else texts.cast(kind))[2:-1]


@pytest.mark.parametrize("nulls", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_copies_follow_each_other(kind: str, nulls: bool) -> None:
    for n, count in [(1, 2), (1, 1000), (3, 9), (7, 700), (511, 3), (512, 8), (513, 9), (2000, 5), (5, 0), (5, 1), (0, 5)]:
        values = some(kind, n, nulls)
        for sizes in (
            {},
            {"CALL_VALUES": 0, "TILE_VALUES": 20, "LIGHT_BYTES": 10, "PASS_VALUES": 64, "tile": "pieces", "tile_texts": "blocks"},
        ):
            with strategy.force(**sizes):
                found = kernel.tile(values, count)
            found.validate(full=True)
            assert found.type == values.type
            assert found.to_pylist() == values.to_pylist() * count


def test_long_pieces_are_copied_item_by_item() -> None:
    values = pa.array(np.arange(1000))
    with strategy.force(tile="pieces", WINDOW_BYTES=7999):
        assert kernel.tile(values, 3).to_pylist() == [*range(1000)] * 3


def test_texts_beyond_their_offsets_and_few_texts_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "fits", lambda type, n_bytes: n_bytes < 12)
    taken = list[int]()
    monkeypatch.setattr(kernel, "take", lambda values, index: taken.append(len(index)) or take(values, index))
    for count, least, wanted in ((3, 6, []), (4, 6, [8]), (3, 7, [8, 6])):
        with strategy.force(CALL_VALUES=least):
            assert kernel.tile(pa.array(["ab", "c"]), count).to_pylist() == ["ab", "c"] * count
        assert taken == wanted
