"""Text that is too long for 32-bit offsets is computed again with 64-bit offsets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from arrowjag._kernels.base.capacity import check_replacements, is_full, widen, widened, with_room
from arrowjag._pyarrow_versions import take

WORDS = pa.array(["a", None, "b"])
WIDE = WORDS.cast(pa.large_string())


def _zeros(n_bytes: int, n: int = 1) -> pa.Array:
    """Text of so many bytes, which take no memory until something reads them."""
    cuts = np.linspace(0, n_bytes, n + 1).astype(np.int32)
    return pa.Array.from_buffers(pa.string(), n, [None, pa.py_buffer(cuts), pa.py_buffer(np.zeros(n_bytes, np.uint8))])


def _full_above(limit: pa.DataType) -> Any:
    """A function that fails as pyarrow does, unless its text is of the large type."""

    def function(values: Any, other: Any = None) -> Any:
        if values.type != limit:
            raise pa.ArrowCapacityError("array cannot contain more than 2147483646 bytes")
        return values, other

    return function


@pytest.mark.parametrize(
    ("narrow", "wide"),
    [
        (pa.string(), pa.large_string()),
        (pa.binary(), pa.large_binary()),
        (pa.large_string(), pa.large_string()),
        (pa.string_view(), pa.string_view()),
        (pa.int64(), pa.int64()),
        (pa.dictionary(pa.int8(), pa.string(), True), pa.dictionary(pa.int8(), pa.large_string(), True)),
        (pa.struct([pa.field("a", pa.string(), False)]), pa.struct([pa.field("a", pa.large_string(), False)])),
        (pa.list_(pa.binary()), pa.large_list(pa.large_binary())),
        (pa.list_(pa.string(), 2), pa.list_(pa.large_string(), 2)),
    ],
)
def test_widened_types(narrow: pa.DataType, wide: pa.DataType) -> None:
    assert widened(narrow) == wide


@pytest.mark.parametrize(
    "values",
    [
        WORDS,
        WORDS.slice(1),
        WORDS.cast(pa.binary()),
        pa.array([["a", None], None, []], pa.list_(pa.string())),
        pa.array([{"a": "x"}, None]),
        WORDS.dictionary_encode(),
        pa.DictionaryArray.from_arrays(pa.array([1, None, 0]), pa.array(["b", "a"]), ordered=True),
        pa.scalar("a"),
    ],
)
def test_widen_keeps_the_values(values: Any) -> None:
    wide = widen(values)
    assert wide.type == widened(values.type) != values.type
    assert (wide.as_py() if isinstance(values, pa.Scalar) else wide.to_pylist()) == (
        values.as_py() if isinstance(values, pa.Scalar) else values.to_pylist()
    )


def test_a_full_result_is_computed_with_room() -> None:
    found, other = with_room(_full_above(pa.large_string()), WORDS, "not of Arrow")
    assert found.equals(WIDE)
    assert other == "not of Arrow"


def test_no_second_call_without_anything_to_widen_or_for_another_error() -> None:
    with pytest.raises(pa.ArrowCapacityError, match="more than 2147483646 bytes"):
        with_room(_full_above(pa.large_binary()), WIDE)
    calls = []

    def fails(values: Any) -> None:
        calls.append(values)
        raise pa.ArrowInvalid("not a number")

    with pytest.raises(pa.ArrowInvalid, match="not a number"):
        with_room(fails, WORDS)
    assert len(calls) == 1


def test_errors_of_pyarrow_are_distinguished() -> None:
    half = _zeros(2**30 + 2**29)
    for kernel in (
        lambda: pa.concat_arrays([half, half]),
        lambda: take(half, pa.array([0, 0])),
        lambda: take(pa.StructArray.from_arrays([half], ["a"]), pa.array([0, 0])),
        lambda: pc.binary_repeat(half, 2),
    ):
        with pytest.raises((pa.ArrowInvalid, pa.ArrowCapacityError)) as caught:
            kernel()
        assert is_full(caught.value)
    assert not is_full(pa.ArrowInvalid("Integer value 5 not in range"))


@pytest.mark.parametrize(
    ("n_bytes", "n", "new", "fits"),
    [
        (2**20, 1, "b", True),
        (2**20, 1, "b" * 2**11, False),
        (2**29, 1, "b", True),
        (2**30, 1, "b", False),
        (2**29, 1, "", True),
        (2**20, 1, r"\1" * 2**10, False),
        (0, 2**16, "b" * 2**16, False),
        (0, 0, "b" * 2**16, True),
    ],
)
def test_replacements_that_might_be_too_long_are_refused(n_bytes: int, n: int, new: str, fits: bool) -> None:
    values = _zeros(n_bytes, n)
    if fits:
        check_replacements(values, new)
    else:
        with pytest.raises(pa.ArrowCapacityError, match="Replaced text might be larger than 2 GB"):
            check_replacements(values, new)


def test_only_the_slice_counts_and_large_text_always_fits() -> None:
    values = _zeros(2**30, 4)
    with pytest.raises(pa.ArrowCapacityError, match="Replaced text might be larger than 2 GB"):
        check_replacements(values, "b" * 4)
    check_replacements(values.slice(3), "b" * 4)
    check_replacements(pa.array(["a"], pa.large_string()), "b" * 2**20)
    check_replacements(pa.array([], pa.string()), "b")
