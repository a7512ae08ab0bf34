"""Compiled loops of text functions against Python, as machine code and run by Python; and the cases that they leave to Arrow."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from arrowjag._kernels import strategy
from arrowjag._kernels.compiled.loops import text
from arrowjag._kernels.compiled.loops.strings import ANYWHERE, AT_END, AT_START
from arrowjag._kernels.elementwise import text_loops as kernel
from tests.compiled_calls import forced
from tests.kernels.interpreted import Loops
from tests.kernels.rows import offsets_from
from tests.kernels.test_text_kernels import TYPES, layouts

PLAIN = [
    "",
    "a",
    "aab",
    "aaaab",
    "abc",
    "aaaa",
    "ab" * 9,
    "xabcabcabx",
    "b" * 40,
    "a" * 8,
    "abcdefgha",
    "AbC dE_f9gH",
    "[ABZ`abz{@",
    "xx aa",
]
WORDS = [*PLAIN, "é", "漢字", "😀a", "aéb", "éa", "\x7fé\x80", "ÀÈ" * 5]
TINY = {"TEXT_VALUES": 0}
"""The size by which few strings are divided among threads."""

Check = Callable[[pa.Array, list[Any]], None]


@pytest.fixture(params=["interpreted", "compiled"])
def loops(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Loops, of all sizes."""
    if request.param == "interpreted":
        monkeypatch.setattr(kernel, "find_loop", Loops())
        yield
        return
    with forced("compiled"):
        yield


def arrays(words: list[str]) -> list[pa.Array]:
    """The words in both types, whole, sliced and with nulls."""
    return [array for type in TYPES for array in layouts([*words, None], type) if len(array)]


def check(compute: Callable[[pa.Array], pa.Array | None], expected: Callable[[str], Any], words: list[str]) -> None:
    for array in arrays(words):
        for sizes in ({}, TINY):
            with strategy.force(**sizes):
                found = compute(array)
            assert found is not None
            found.validate(full=True)
            assert found.to_pylist() == [None if word is None else expected(word) for word in array.to_pylist()]


@pytest.mark.parametrize("wanted", ["a", "b", "ab", "aa", "abc", "é", "字", "a" * 8, "ab" * 9, "\x7f", "xyz"])
def test_occurrences(wanted: str, loops: Any) -> None:
    check(lambda values: kernel.counted(values, wanted), lambda word: word.count(wanted), WORDS)


@pytest.mark.parametrize("wanted", ["a", "ab", "abc", "é", "字", "a" * 8, "ab" * 9, "b" * 17, "xyz"])
def test_strings_that_hold_a_text(wanted: str, loops: Any) -> None:
    check(lambda values: kernel.holding(values, wanted, ANYWHERE), lambda word: wanted in word, WORDS)
    check(lambda values: kernel.holding(values, wanted, AT_START), lambda word: word.startswith(wanted), WORDS)
    check(lambda values: kernel.holding(values, wanted, AT_END), lambda word: word.endswith(wanted), WORDS)


ALIKE = [
    *WORDS,
    "abcdefgh",
    "abcdefgi",
    "b" * 39 + "c",
    "b" * 16,
    "b" * 15 + "c",
    "ab" * 8 + "ba",
    "c" + "b" * 39,
    "a\0",
    "a\0\0",
    "abcdefghb",
]
"""Words among which some differ in one byte only, or in their length."""


@pytest.mark.parametrize("opposite", [False, True])
@pytest.mark.parametrize("shift", [0, 1, 7, 20])
def test_equal_strings(shift: int, opposite: bool, loops: Any) -> None:
    turned = [*ALIKE[shift:], *ALIKE[:shift]]
    others = [other if place % 3 else one for place, (one, other) in enumerate(zip(ALIKE, turned, strict=True))]
    for type, first, nulls, small in itertools.product((*TYPES, pa.binary(), pa.large_binary()), (0, 1, 9), (0, 4, 5), ({}, TINY)):
        one, two = (
            pa.array([None if nulls and place % (nulls + more) == 1 else word for place, word in enumerate(words)], type)[first:]
            for more, words in enumerate((ALIKE, others))
        )
        with strategy.force(**small):
            found = kernel.equal(one, two, opposite)
        assert found is not None
        found.validate(full=True)
        pairs = zip(one.to_pylist(), two.to_pylist(), strict=True)
        assert found.to_pylist() == [None if None in pair else (pair[0] == pair[1]) != opposite for pair in pairs]


def test_strings_equal_to_one(loops: Any) -> None:
    for array in arrays(ALIKE):
        for wanted in ALIKE:
            for found in (kernel.equal(array, pa.scalar(wanted, array.type)), kernel.equal(pa.scalar(wanted, array.type), array)):
                assert found is not None
                assert found.to_pylist() == [None if word is None else word == wanted for word in array.to_pylist()]
        assert kernel.equal(array, pa.scalar(None, array.type)) is None


def test_equal_strings_at_the_end_of_their_bytes(loops: Any) -> None:
    """Eight strings at a time are read as words, of which none may be beyond the end of the bytes of either column."""
    for type, size, other, n_empty in itertools.product(TYPES, range(10), range(10), (0, 1, 7)):
        one, two = (pa.array([*["abcdefghi"] * (7 - n_empty), *[""] * n_empty, "a" * last], type) for last in (size, other))
        for side in (two, two[-1]):
            found = kernel.equal(one, side)
            assert found is not None
            assert found.equals(pc.equal(one, side))


@pytest.mark.parametrize("between", ["", "-", "é", "123456789" * 3])
def test_joined_rows(between: str, loops: Any) -> None:
    sizes = [3, 0, 1, len(WORDS) - 6, 2]
    offsets = offsets_from(sizes)
    for type, nulls, small in itertools.product(TYPES, (False, True), (False, True)):
        words = [None if nulls and place % 3 == 0 else word for place, word in enumerate(WORDS)]
        array = pa.array(["z", *words, None], type)[1:-1]
        with strategy.force(**({"THREAD_VALUES": 1} if small else {})):
            found = kernel.joined_rows(array, offsets, between)
        assert found is not None
        found.validate(full=True)
        rows = [[word for word in words[begin:end] if word is not None] for begin, end in itertools.pairwise(offsets)]
        assert found.to_pylist() == [between.join(row) if row else None for row in rows]


@pytest.mark.parametrize("most", [-1, 1, 2, 5])
@pytest.mark.parametrize("wanted", ["a", "b", "ab", "aa", "é", "字", "a" * 8, "xyz"])
def test_pieces(wanted: str, most: int, loops: Any) -> None:
    check(lambda values: kernel.split(values, wanted, most), lambda word: word.split(wanted, most), WORDS)


@pytest.mark.parametrize("new", ["", "x", "漢字", "12345678", "ab" * 9])
@pytest.mark.parametrize("wanted", ["a", "ab", "aa", "é", "a" * 8, "xyz"])
def test_replaced_text(wanted: str, new: str, loops: Any) -> None:
    for most in (-1, 1, 3):
        check(
            lambda values, most=most: kernel.replaced(values, wanted, new, most),
            lambda word, most=most: word.replace(wanted, new, most),
            WORDS,
        )


@pytest.mark.parametrize("start", [0, 1, 3, 8, -1, -3, -9, 10**30, -(10**30)])
def test_slices(start: int, loops: Any) -> None:
    for stop in (None, 0, 1, 4, 9, -1, -4, 10**30, -(10**30)):
        for words in (PLAIN, WORDS):
            check(lambda values, stop=stop: kernel.sliced(values, start, stop), lambda word, stop=stop: word[start:stop], words)


@pytest.mark.parametrize("between", ["", "-", "é", "12345678", "123456789" * 3])
def test_joined_strings(between: str, loops: Any) -> None:
    for type, sizes in itertools.product(TYPES, ({}, TINY)):
        words = pa.array(WORDS, type)
        others = pa.array(["z", None, "é", *WORDS[::-1], None], type)[3:-1]
        some = pa.array([None if place % 3 == 1 else word for place, word in enumerate(WORDS)], type)
        for one, two in itertools.product((words, others, some, pa.scalar("ab" * 5, type), pa.scalar("", type)), repeat=2):
            sides = [[side.as_py()] * len(WORDS) if isinstance(side, pa.Scalar) else side.to_pylist() for side in (one, two)]
            with strategy.force(**sizes):
                found = kernel.joined(one, two, between)
            if isinstance(one, pa.Scalar) and isinstance(two, pa.Scalar):
                assert found is None
                continue
            assert found is not None
            found.validate(full=True)
            assert found.type == type
            pairs = zip(*sides, strict=True)
            assert found.to_pylist() == [None if None in pair else between.join(pair) for pair in pairs]


def hidden(words: list[str]) -> pa.Array:
    """Words, of which the last one is null: its bytes are there."""
    plain = pa.array(words)
    valid = pa.py_buffer(np.packbits(np.arange(len(words)) < len(words) - 1, bitorder="little").tobytes())
    return pa.Array.from_buffers(plain.type, len(words), [valid, *plain.buffers()[1:]])


def test_bytes_under_a_null_are_left_out(loops: Any) -> None:
    words = hidden(["a", "b", "a" * 30])
    found = [
        (kernel.joined(words, words, "-"), ["a-a", "b-b", None]),
        (kernel.joined_rows(words, np.array([0, 3]), "-"), ["a-b"]),
        (kernel.replaced(words, "a", "xy", -1), ["xy", "b", None]),
        (kernel.sliced(words, 0, 5), ["a", "b", None]),
    ]
    for array, wanted in found:
        assert array is not None
        assert array.to_pylist() == wanted
        assert array.buffers()[2].size == sum(len(word or "") for word in wanted)
    pieces = kernel.split(words, "a", -1)
    assert pieces is not None
    assert pieces.to_pylist() == [["", ""], ["b"], None]
    assert kernel.counted(words, "a").to_pylist() == [1, 0, None]  # type: ignore[union-attr]
    assert kernel.holding(words, "a", AT_END).to_pylist() == [True, False, None]  # type: ignore[union-attr]


def test_chosen_strings(loops: Any) -> None:
    del loops
    other = [*reversed(WORDS), None]
    for one, size in itertools.product(arrays(WORDS), ({}, TINY)):
        n = len(one)
        flags = np.arange(n) % 3 > 0
        valid = np.arange(n) % 5 > 0
        two = pa.array((other * 2)[:n], one.type)
        sides = [one, two, pa.scalar("", one.type), pa.scalar("éa", one.type), pa.scalar("b" * 40, one.type)]
        for left, right in itertools.product(sides, sides):
            for known in (None, valid):
                with strategy.force(**size):
                    found = kernel.chosen(flags, known, left, right)
                places = range(n) if known is None else np.flatnonzero(valid)
                chosen = [left if flag else right for flag in flags]
                wanted = [side[place] if isinstance(side, pa.Array) else side for place, side in enumerate(chosen)]
                assert found is not None
                found.validate(full=True)
                assert found.type == one.type
                assert [found[place].as_py() for place in places] == [wanted[place].as_py() or "" for place in places]
                assert found.null_count == (0 if known is None else n - len(places))


def test_text_that_the_loops_leave_to_arrow(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: dict[str, Callable[[pa.Array], pa.Array | None]] = {
        "occurrences": lambda values: kernel.counted(values, "a"),
        "holding": lambda values: kernel.holding(values, "a", AT_END),
        "row_cuts row_bytes": lambda values: kernel.joined_rows(values, np.arange(len(values) + 1), "a"),
        "piece_counts cut_pieces": lambda values: kernel.split(values, "a", -1),
        "joined_cuts joined_bytes": lambda values: kernel.joined(values, values, "a"),
        "chosen_cuts chosen_bytes": lambda values: kernel.chosen(np.ones(len(values), bool), None, values, values),
        "replaced_cuts replaced_bytes": lambda values: kernel.replaced(values, "a", "b", -1),
        "sliced_cuts taken_bytes": lambda values: kernel.sliced(values, 0, 1),
    }
    words = pa.array(["a", "ab"])
    for names, call in calls.items():
        for name in names.split():
            types = ("i8" if name in ("joined_cuts", "row_cuts", "chosen_cuts") else "u1", "plain")
            monkeypatch.setattr(kernel, "find_loop", Loops("-".join([name, *types])))
            assert call(words) is None
        monkeypatch.setattr(kernel, "find_loop", Loops())
        assert call(words) is not None
        assert call(words[:0]) is None
        with strategy.force(strings="arrow"):
            assert call(words) is None
    null = pa.scalar(None, pa.string())
    assert kernel.joined(words, null, "") is None
    assert kernel.joined(null, words, "") is None


def test_a_result_that_does_not_fit_its_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "find_loop", Loops())
    monkeypatch.setattr(kernel, "fits", lambda type, n_bytes: type == pa.large_string() or n_bytes < 5)
    assert kernel.joined(pa.array(["ab"]), pa.array(["cd"]), "") is not None
    assert kernel.joined(pa.array(["ab"]), pa.array(["cd"]), "x") is None
    for words, fit in ((["abcd"], True), (["abcde"], False)):
        assert (kernel.chosen(np.ones(1, bool), None, pa.array(words), pa.array([""])) is not None) == fit
    assert kernel.replaced(pa.array(["aaa"]), "a", "b", -1) is not None
    assert kernel.replaced(pa.array(["aaa"]), "a", "bb", -1) is None
    assert kernel.joined_rows(pa.array(["ab", "cd"]), np.array([0, 2]), "") is not None
    assert kernel.joined_rows(pa.array(["ab", "cd"]), np.array([0, 2]), "x") is None
    assert kernel.joined(pa.array(["ab"], pa.large_string()), pa.array(["cd"], pa.large_string()), "x") is not None


def test_few_strings_are_one_block() -> None:
    with strategy.force(TEXT_VALUES=5):
        assert kernel._blocks(4) == [(0, 4)]
        blocks = kernel._blocks(7)
        assert [place for first, last in blocks for place in range(first, last)] == [*range(7)]


def test_sums_of_blocks_are_added_up() -> None:
    def count(first: int, last: int) -> None:
        sums[first + 1 : last + 1] = np.arange(1, last - first + 1)

    for n in (1, 2, 5, 9):
        sums = np.full(n + 1, -1)
        with strategy.force(TEXT_VALUES=0):
            kernel._added_up(count, n, sums)
        assert sums.tolist() == [*range(n + 1)]


@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 31, 32, 33, 63, 64, 65, 97, 130])
def test_a_text_differs_from_another_wherever_a_byte_does(n: int) -> None:
    """Equal hashes of different texts are so rare that no column shows what the comparison after them is worth."""
    one = np.arange(1, n + 1, dtype=np.uint8)
    others = np.where(np.eye(n, dtype=bool), one ^ 128, one)  # another byte in each
    data = np.concatenate([one, one, others.ravel(), np.zeros(8, np.uint8)])
    size, zero, length = np.uint64(len(data)), np.uint64(0), np.uint64(n)
    with np.errstate(over="ignore"):
        wanted = text._hash_of(data, size, zero, length)
        assert text._hash_of(data, size, length, length + length) == wanted
        assert text._are_equal(data, zero, length, length)
        for start in np.arange(2 * n, (n + 2) * n, max(n, 1)).astype(np.uint64):
            assert not text._are_equal(data, zero, start, length)
            assert text._hash_of(data, size, start, start + length) != wanted
