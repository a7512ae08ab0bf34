"""JSON text parsed by the loop, as machine code and run by Python: what Python's json reads, and None for everything else."""

from __future__ import annotations

import json
import math
import struct
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrowjag._kernels import strategy
from arrowjag._kernels.elementwise import json_lists as kernel
from tests.compiled_calls import forced
from tests.conftest import IS_COVER
from tests.kernels.interpreted import Loops

INTEGERS = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]
COMPILED_TYPES = {pa.int64(), pa.uint8()}
"""Types whose loops `make test` compiles, a second or two each; `make whole` compiles those of all types."""

BOUNDS = {"THREAD_VALUES": 1}
"""The size by which few strings are divided among threads."""


@pytest.fixture(params=["interpreted", "compiled"])
def by(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The way that the loop runs."""
    if request.param == "interpreted":
        monkeypatch.setattr(kernel, "find_loop", Loops())
        yield request.param
        return
    with forced("compiled"):
        yield request.param


def lists_of(leaf: pa.DataType, n_levels: int) -> pa.DataType:
    return pa.list_(lists_of(leaf, n_levels - 1)) if n_levels else leaf


def parsed(texts: list[str | None], leaf: pa.DataType, n_levels: int = 1) -> Any:
    """The result as Python's lists, of both types of text, of a slice too, in one block and in several; None if there is none."""
    type = lists_of(leaf, n_levels)
    found = []
    for text in (pa.string(), pa.large_string()):
        for array in (pa.array(texts, text), pa.array(["[9", "é", *texts, "x"], text)[2:-1]):
            for sizes in ({}, BOUNDS):
                with strategy.force(**sizes):
                    result = kernel.parsed(array, type)
                if result is not None:
                    assert result.type == type
                    result.validate(full=True)
                found.append(None if result is None else result.to_pylist())
    assert all(repr(one) == repr(found[0]) for one in found)
    return found[0]


TEXTS = ["[1,2,3]", "[]", None, " [ ] ", "null", "\t[\r0 ,\n12 , null]", "[null,null]", "[12345678]", "[123,0]", "[7]  "]


@pytest.mark.parametrize("leaf", INTEGERS, ids=str)
def test_lists_of_integers(leaf: pa.DataType, by: str) -> None:
    if IS_COVER and by == "compiled" and leaf not in COMPILED_TYPES:
        return
    limits = np.iinfo(leaf.to_pandas_dtype())
    texts = [text for text in TEXTS if limits.max > 10**8 or text != "[12345678]"]
    assert parsed(texts, leaf) == [None if text is None else json.loads(text) for text in texts]
    for one in {int(limits.min), min(int(limits.max), 10**18 - 1)}:
        if one > -(2**63):
            assert parsed([f"[{one}]", f"[0,{one}]"], leaf) == [[one], [0, one]]
    for one in (limits.min - 1, limits.max + 1):
        assert parsed([f"[{one}]"], leaf) is None
    assert parsed(["[-0]"], leaf) == (None if limits.min == 0 else [[0]])


def test_digits_of_each_number(by: str) -> None:
    for n in range(1, 25):
        for text in ("9" * n, "1" + "0" * (n - 1), "1234567890" * 3):
            for sign in ("", "-"):
                one = int(sign + text[:n])
                assert parsed([f"[{one}]"], pa.int64()) == (None if abs(one) >= 2**63 else [[one]])


def test_levels(by: str) -> None:
    texts = ["[[1, 2], [], null, [3]]", "[]", None, "null", "[[]]", "[null]", "[[null]]", "[[1],[2],[3]]"]
    wanted = [None if text is None else json.loads(text) for text in texts]
    assert parsed(texts, pa.int64(), 2) == wanted
    deeper = [f"[{text or 'null'},{text or 'null'}]" for text in texts]
    assert parsed(deeper, pa.int64(), 3) == [json.loads(text) for text in deeper]
    assert parsed(["1", None, " 2", "null", "-3 "], pa.int64(), 0) == [1, None, 2, None, -3]
    assert parsed(["true", " false", "null"], pa.bool_(), 0) == [True, False, None]
    assert parsed(["[true,false , null]", "[false]"], pa.bool_()) == [[True, False, None], [False]]


WRONG = [
    *("", " ", "[", "]", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[1]]", "[1] 2", "[1],[2]", "1", "[[1]]", "[01]", "[-]", "[- 1]"),
    *("[1.5]", "[1e2]", "[+1]", "[.5]", "[1.]", "nul", "nulll", "[nul]", "[nullx]", "[true]", '["1"]', "{}", "[1}", "[0x1]", "[é]"),
    *(
        "[1\x0b]",
        "[1\x00]",
        "[1/2]",
        "[:]",
        "null null",
        "[] []",
        "[NaN]",
        "tru",
        "fals",
        "falsy",
        "[truefalse]",
        "[1,,2]",
        "[null 1]",
        "[[]]",
        "[1,[2]]",
    ),
]


@pytest.mark.parametrize("wrong", WRONG)
def test_the_loops_leave_malformed_json_to_the_reader(wrong: str, by: str) -> None:
    for texts in ([wrong], ["[1]", None, wrong, "[2]"]):
        assert parsed(texts, pa.int64()) is None
    if wrong != "[true]":
        assert parsed([wrong.replace("1", "true")], pa.bool_()) is None
    if wrong not in ("", " ", "[1],[2]"):
        assert parsed([f"[{wrong}]"], pa.int64(), 2) is None


FLOATS = [
    "0.1",
    "1.5",
    "-0",
    "0",
    "-0.0",
    "1e5",
    "1E-5",
    "2.5e+3",
    "0.26161213434482203",
    "1.7976931348623157e307",
    "123456789.123456789",
]
FLOATS += ["0.000000000000000000001234567", "9007199254740993", "9007199254740992.5e0", "1e22", "1e23", "8e-5", "0e9", "0.0e-12"]
FLOATS += [
    "2.2250738585072014e-308",
    "4503599627370496.5",
    "4503599627370497.5",
    "9223372036854775807e0",
    "6.62607015e-34",
    "1e00000001",
]


@pytest.mark.parametrize("text", FLOATS)
def test_floats(text: str, by: str) -> None:
    for sign in ("", "-") if text[0] != "-" else ("",):
        (row,) = parsed([f"[{sign}{text}]"], pa.float64())
        assert struct.pack("d", row[0]) == struct.pack("d", float(sign + text))


@pytest.mark.parametrize(
    "text", ["1e400", "1e-400", "1.5e-308", "5e-324", "1e308888", "123456789012345678901", "1e", "1e+", "1.e5", "1.5.5", "--1"]
)
def test_floats_that_are_left_to_the_reader(text: str, by: str) -> None:
    assert parsed([f"[{text}]"], pa.float64()) is None


def finite(word: int) -> float:
    """The float of some bits."""
    found: float = struct.unpack("d", struct.pack("Q", word))[0]
    return found


def test_random_floats_are_rounded_as_by_python() -> None:
    rng = np.random.default_rng(0)
    words = [finite(int(word)) for word in rng.integers(0, 2**64, 3000, dtype=np.uint64)]
    texts = [repr(one) for one in words if math.isfinite(one) and 1e-307 < abs(one) < 1e308]
    texts += [f"{digits}e{power}" for digits, power in zip(rng.integers(0, 2**63, 3000), rng.integers(-60, 60, 3000), strict=True)]
    texts += [f"{2**53 + 2 * one + 1}e{one % 4}" for one in range(500)]  # ties
    with forced("compiled"):
        found = kernel.parsed(pa.array(texts), pa.float64())
        assert found is not None
        assert found.to_numpy().tobytes() == np.array([float(text) for text in texts]).tobytes()
        singles = [text for text in texts if 1e-37 < abs(float(text)) < 1e38]
        numbers = [kernel.parsed(pa.array([text]), pa.float32()) for text in singles]
    arrow = pa.array(singles).cast(pa.float32())
    known = [place for place, one in enumerate(numbers) if one is not None]
    assert len(known) > 0.9 * len(singles)
    assert [numbers[place][0].as_py() for place in known] == arrow.take(pa.array(known)).to_pylist()  # type: ignore[index]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        *(("0.1", 0.1), ("1e38", 1e38), ("-2.5", -2.5), ("0", 0.0), ("1.1754943508222875e-38", 2.0**-126)),
        *(("1e39", None), ("1e-39", None), ("16777217", None), ("16777217.0000000001", None), ("16777219", None)),
    ],
)
def test_singles(text: str, wanted: float | None, by: str) -> None:
    assert parsed([f"[{text}]"], pa.float32()) == (None if wanted is None else [[float(np.float32(wanted))]])


@given(st.data())
def test_lists_as_python_reads_them(data: st.DataObject) -> None:
    numbers = st.none() | st.integers(-(10**9), 10**9)
    n_levels = data.draw(st.integers(0, 3))
    rows = numbers
    for _ in range(n_levels):
        rows = st.none() | st.lists(rows, max_size=3)
    texts = [json.dumps(row, indent=data.draw(st.sampled_from([None, 1]))) for row in data.draw(st.lists(rows, max_size=5))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel, "find_loop", Loops())
        assert parsed([*texts, None], pa.int64(), n_levels) == [*map(json.loads, texts), None]


def test_types_without_a_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "find_loop", Loops())
    for type in (pa.string(), pa.float16(), pa.struct([("a", pa.int8())]), pa.large_list(pa.int8()), pa.null()):
        assert kernel.parsed(pa.array(["null"]), type) is None
    assert kernel.parsed(pa.array([], pa.string()), pa.int64()) is None
    with strategy.force(json="arrow"):
        assert kernel.parsed(pa.array(["1"]), pa.int64()) is None
    monkeypatch.setattr(kernel, "_MOST", 2)
    assert kernel.parsed(pa.array(["[1, 2]"]), pa.list_(pa.int64())) is not None
    assert kernel.parsed(pa.array(["[1, 2, 3]"]), pa.list_(pa.int64())) is None
