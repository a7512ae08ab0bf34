"""Results with more than 2 GB of text have the large type, whatever operation makes them."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pytest

import arrowjag as aj

pytestmark = pytest.mark.slow

MB = 2**20
ROWS = 1100
"""Rows of 1 MB: twice as many are more than 2 GB."""


def _long() -> aj.JaggedArray:
    rows = pa.array(["a" * MB]).take(pa.array([0] * ROWS))
    return aj.array(pa.LargeListArray.from_arrays([0, ROWS - 1, ROWS], rows))


OPERATIONS: dict[str, Callable[[], aj.JaggedArray]] = {
    "index": lambda: _long()[[0, 1, 0]],
    "fill_null": lambda: aj.array([["a", None]] * 3).fill_null("a" * 1024 * MB),
    "array": lambda: aj.array([["a" * MB] * 2 * ROWS]),
    "str.repeat": lambda: aj.array([["a" * MB] * 3]).str.repeat(1024),
    "str.replace": lambda: aj.array([["a" * MB] * 3]).str.replace("a", "a" * 1024),
    "text of categories": lambda: _long().cast(pa.dictionary(pa.int32(), pa.string())).tile(2).str.replace("b", ""),
}


@pytest.mark.parametrize("operation", OPERATIONS)
def test_long_results_have_the_large_type(operation: str) -> None:
    found = OPERATIONS[operation]()
    assert found.type == pa.large_string()
    values = found.flatten().to_arrow()
    values.validate()
    assert values.nbytes > 2**31
    assert values[0].as_py()[-3:] in ("aaa", "a")


def test_structs_and_bytes_widen_too() -> None:
    assert aj.array([[{"name": "a" * MB}] * ROWS]).tile(2).type == pa.struct({"name": pa.large_string()})
    assert _long().cast(pa.binary()).tile(2).type == pa.large_binary()


def test_a_result_that_fits_keeps_its_type() -> None:
    found = aj.array([["ab" * MB] * 3]).str.replace("a" * 10, "b" * 1024)  # might have been 3 GB
    assert found.type == pa.string()
    assert found[0, 0].as_py() == "ab" * MB


def test_a_type_that_was_asked_for_is_not_changed() -> None:
    for make in (lambda: aj.array([["a" * MB] * 2 * ROWS], type=pa.string()), lambda: OPERATIONS["array"]().cast("string")):
        with pytest.raises(aj.JagValueError, match="large_string"):
            make()
