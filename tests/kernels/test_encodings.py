"""Codes of texts and of tuples of keys: equal where the items are, whatever their hashes are."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import arrowjag as aj
from arrowjag._kernels import strategy
from arrowjag._kernels.compiled.loop import TABLE
from arrowjag._kernels.compiled.loops.equality import mixed
from arrowjag._kernels.equal import distinct, encodings, groups
from tests.compiled_calls import forced
from tests.kernels.rows import offsets_from

pytest.importorskip("numba")

TYPES = [pa.string(), pa.large_string(), pa.binary(), pa.large_binary()]
WORDS = [
    "",
    "a",
    "b",
    "",
    "a\0",
    "a",
    None,
    "eightbyt",
    "eightbyte",
    "eightbytf",
    "eightbyt",
    "é" * 9,
    None,
    "é" * 9,
    "é" * 8 + "è",
]


@pytest.fixture(autouse=True)
def compiled() -> Iterator[None]:
    with forced("compiled", few_texts="arrays"):
        yield


def firsts(items: list[Any]) -> list[int]:
    """The place of the first equal item of each item, -1 for None."""
    found: dict[Any, int] = {}
    return [-1 if item is None else found.setdefault(item, place) for place, item in enumerate(items)]


@pytest.mark.parametrize("type", TYPES, ids=str)
def test_equal_texts_have_the_code_of_the_first(type: pa.DataType) -> None:
    words = WORDS if pa.types.is_string(type) or pa.types.is_large_string(type) else [w and w.encode() for w in WORDS]
    for start, stop in ((0, len(words)), (3, 11), (4, 5), (7, 12)):
        codes = encodings.text_codes(pa.array(words, type)[start:stop])
        assert codes is not None
        assert codes.tolist() == firsts(words[start:stop])
        empty = encodings.text_codes(pa.array(words, type)[:0])
        assert empty is None or not len(empty)


def test_only_text_has_such_codes() -> None:
    assert encodings.text_codes(pa.array([1, 2])) is None
    assert encodings.text_codes(pa.array(["a"], pa.string_view())) is None


@pytest.mark.parametrize("type", TYPES, ids=str)
def test_few_texts_are_numbered_by_the_first_equal_one_and_ranked_by_their_bytes(type: pa.DataType) -> None:
    is_text = pa.types.is_string(type) or pa.types.is_large_string(type)
    words = ["\U0001f600", "\uffff", "z", *WORDS]
    keys = [None if word is None else word.encode() for word in words]
    given = pa.array(["before", *words, "after"] if is_text else [b"before", *keys, b"after"], type)[1:-1]
    with strategy.force(few_texts="items"):
        for values, items in ((given, keys), (given[4:9], keys[4:9]), (given[:0], [])):
            distinct = sorted({*items} - {None})
            ranks = [-1 if item is None else distinct.index(item) for item in items]
            assert encodings.ranks_of_few(values).tolist() == ranks
            assert encodings.text_codes(values).tolist() == firsts(items)
        assert encodings.ranks_of_few(pa.array([1, 2])) is None
    assert encodings.ranks_of_few(given) is None  # "arrays" is forced for this file


@pytest.mark.parametrize("type", TYPES, ids=str)
def test_few_texts_of_two_arrays_are_numbered_as_those_of_one(type: pa.DataType) -> None:
    is_text = pa.types.is_string(type) or pa.types.is_large_string(type)
    items = [word if word is None or is_text else word.encode() for word in WORDS]
    one, two = pa.array([items[0], *items], type)[1:], pa.array([*items[::-2], items[1]], type)[:-1]
    with strategy.force(few_texts="items"):
        for left, right in ((one, two), (two, one), (one, two[:0]), (one[:0], one)):
            codes, others = encodings.codes_of_few(left, right)
            assert (len(codes), len(others)) == (len(left), len(right))
            assert [*codes.tolist(), *others.tolist()] == firsts([*left.to_pylist(), *right.to_pylist()])
        assert encodings.codes_of_few(one, pa.array([1, 2])) is None
        assert encodings.codes_of_few(pa.array([1, 2]), pa.array([1, 2])) is None
        assert encodings.codes_of_few(one, one.cast(pa.large_binary() if type != pa.large_binary() else pa.binary())) is None
    assert encodings.codes_of_few(one, two) is None  # "arrays" is forced for this file


@pytest.mark.parametrize("type", TYPES, ids=str)
def test_few_texts_are_counted_in_their_rows(type: pa.DataType) -> None:
    is_text = pa.types.is_string(type) or pa.types.is_large_string(type)
    items = [word if word is None or is_text else word.encode() for word in WORDS]
    sizes = [4, 0, 7, 0, 4, 0]
    whole, cut = pa.array([items[1], *items, items[1]], type)[1:-1], offsets_from(sizes)
    with strategy.force(few_texts="items"):
        for values, offsets in (
            (whole, cut),
            (whole.drop_null(), offsets_from([4, 0, 6, 0, 3])),
            (whole[:0], offsets_from([0, 0])),
        ):
            held, rows = values.to_pylist(), np.arange(len(offsets) - 1).repeat(np.diff(offsets)).tolist()
            found = encodings.firsts_of_few(values, offsets)
            assert found.tolist() == firsts(list(zip(held, rows, strict=True)))
            new, chosen, counts = groups.value_counts_of_few_texts(values, offsets)
            expected = Counter((row, item) for row, item in zip(rows, held, strict=True) if item is not None)
            assert [held[place] for place in chosen.tolist()] == [item for _, item in expected]
            assert counts.tolist() == [*expected.values()]
            assert np.diff(new).tolist() == [sum(row == of for of, _ in expected) for row in range(len(offsets) - 1)]
        assert groups.value_counts_of_few_texts(pa.array([1, 2]), offsets_from([2])) is None
    assert encodings.firsts_of_few(whole, cut) is None  # "arrays" is forced for this file
    x = aj.from_arrow(pa.LargeListArray.from_arrays(cut, whole))
    with strategy.force(few_texts="items"):
        few = x.value_counts()
    many = x.value_counts()
    assert few.equals(many)
    assert few.type == many.type


def twins() -> tuple[bytes, bytes]:
    """Two texts of 16 bytes with one hash: the second word makes up for the difference of the first."""
    begin = np.array([16], np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    one, two, after = np.array([[1], [2], [3]], np.uint64)
    other = mixed(begin ^ one) ^ after ^ mixed(begin ^ two)
    return one.tobytes() + after.tobytes(), two.tobytes() + other.tobytes()


def test_different_texts_with_one_hash_are_left_to_the_caller() -> None:
    one, two = twins()
    for items in ([one, two], [two, b"", one], [one, None, one, two]):
        values = pa.array(items, pa.binary())
        assert encodings.text_codes(values) is None
        assert aj.array(values).n_unique().as_py() == len({*items} - {None})
        assert aj.array([items, items[::-1]]).value_counts().to_list() == [
            [{"value": item, "count": row.count(item)} for item in dict.fromkeys(row) if item is not None]
            for row in (items, items[::-1])
        ]
    assert encodings.text_codes(pa.array([one, b"", one], pa.binary())).tolist() == [0, 1, 0]


def test_huge_rows_of_text() -> None:
    rng = np.random.default_rng(5)
    sizes = [3, TABLE // 2 + 5, 0, 400, TABLE // 2 + 1000]
    numbers = rng.integers(0, 10**6, sum(sizes))
    valid = rng.random(len(numbers)) < 0.9
    words = pa.array([f"word {number}" if there else None for number, there in zip(numbers, valid, strict=True)])
    offsets = offsets_from(sizes)
    marks = distinct.text_is_first_distinct(words, offsets)
    assert marks is not None
    for row, (begin, end) in enumerate(itertools.pairwise(offsets)):
        wanted = [place == first for place, first in enumerate(firsts(words[begin:end].to_pylist()))]
        assert marks[0][begin:end].tolist() == wanted
        assert marks[1][row] == sum(wanted)


KEYS: dict[str, list[Any]] = {
    "f8": [0.0, -0.0, 1.5, np.nan, np.nan, 0.0, 1.5, -0.0],
    "i1": [1, 1, -1, 0, 0, 1, -1, 1],
    "?": [True, True, False, True, True, True, False, False],
    "u8": [2**64 - 1, 2**64 - 1, 0, 5, 5, 2**64 - 1, 0, 5],
}


@pytest.mark.parametrize("nulls", [False, True], ids=["plain", "nulls"])
@pytest.mark.parametrize("names", [["f8"], ["f8", "i1"], ["i1", "?", "u8", "f8"], ["?", "?"]], ids=" ".join)
def test_tuples_are_equal_if_all_their_items_are(names: list[str], nulls: bool) -> None:
    rng = np.random.default_rng(1)
    for _ in range(20 if nulls else 1):
        masks = [rng.random(8) < 0.7 if nulls else None for _ in names]
        keys = [(np.array(KEYS[name], name), mask) for name, mask in zip(names, masks, strict=True)]
        tuples = [
            tuple(
                None if mask is not None and not mask[place] else "nan" if data[place] != data[place] else data[place].item()
                for data, mask in keys
            )
            for place in range(8)
        ]
        codes = encodings.tuple_codes(keys)
        assert codes is not None
        assert codes.tolist() == firsts(tuples)


def test_a_null_is_no_zero_whose_hash_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encodings, "mixed", lambda hashes: hashes * np.uint64(0))
    assert encodings.tuple_codes([(np.array([0, 0]), np.array([True, False]))]) is None
    assert encodings.tuple_codes([(np.array([0, 5, 0]), np.array([False, False, False]))]).tolist() == [0, 0, 0]


def test_different_tuples_with_one_hash_are_left_to_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = [(np.array([1, 1, 2]), None), (np.array([5, 6, 5]), None)]
    offsets = np.array([0, 3])
    assert encodings.tuple_codes(keys).tolist() == [0, 1, 2]
    with strategy.force(SMALL_VALUES=0):
        expected = [part.tolist() for part in groups.group_items(keys, offsets)]
        monkeypatch.setattr(encodings, "mixed", lambda hashes: hashes * np.uint64(0))
        assert encodings.tuple_codes(keys) is None
        assert [part.tolist() for part in groups.group_items(keys, offsets)] == expected == [[0, 3], [0, 1, 2, 3], [0, 1, 2]]


@pytest.mark.parametrize("length", [31, 32, 40, 64, 71])
def test_each_byte_of_long_texts_tells(length: int) -> None:
    """Texts that differ in one byte, or hold the same words of eight bytes in another order, are different and hash differently."""
    word = "".join(chr(97 + place % 26) for place in range(length))
    words = [word, *(word[:place] + "_" + word[place + 1 :] for place in range(length))]
    words += ["".join(parts) for parts in itertools.permutations(["a" * 8, "b" * 8, "c" * 8, "d" * 8])]
    texts = pa.array([*words, *words, None])
    with forced("compiled", "text"):
        found = encodings.text_first_occurrences(texts, np.array([0, len(texts)]))
    assert found is not None  # None where two different texts have one hash
    assert found[0].tolist() == [*range(len(words)), *range(len(words)), -1]
