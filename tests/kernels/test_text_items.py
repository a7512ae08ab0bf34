"""Few texts are computed by Python: with which arguments, and up to which number of texts."""

from __future__ import annotations

import pyarrow as pa
import pytest

from arrowjag._kernels.elementwise.text_items import by_items
from arrowjag._kernels.equal.encodings import codes_of_few
from arrowjag._kernels.strategy.sizes import FEW_TEXTS, FEW_TEXTS_BYTES
from tests.kernels.test_text_kernels import TYPES, WORDS, layouts


@pytest.mark.parametrize("type", TYPES, ids=str)
def test_strings_one_by_one(type: pa.DataType) -> None:
    for values in layouts([*WORDS, None], type):
        held = values.to_pylist()
        seen: list[str] = []

        def upper(text: str) -> str:
            seen.append(text)  # noqa: B023
            return text.upper()

        found = by_items(values, upper, type)
        assert found is not None
        found.validate(full=True)
        assert seen == [text for text in held if text is not None]
        assert (found.type, found.to_pylist()) == (type, [None if text is None else text.upper() for text in held])


def test_lists_of_strings() -> None:
    found = by_items(pa.array(["a b", "", None]), str.split, pa.large_list(pa.string()))
    assert found is not None
    assert found.to_pylist() == [["a", "b"], [], None]


def test_many_or_long_strings_are_left_to_arrays() -> None:
    few = pa.array(["a"] * FEW_TEXTS)
    assert by_items(few, str.upper, pa.string()) is not None
    assert by_items(pa.array(["a"] * (FEW_TEXTS + 1)), str.upper, pa.string()) is None
    long = pa.array(["a" * FEW_TEXTS_BYTES, "b"])
    assert by_items(long, str.upper, pa.string()) is None
    assert by_items(long[1:], str.upper, pa.string()) is not None  # a slice counts its own bytes
    assert codes_of_few(few, few) is not None
    assert codes_of_few(few, pa.array(["a"] * (FEW_TEXTS + 1))) is None
    assert codes_of_few(pa.array(["a"] * (FEW_TEXTS + 1)), few) is None
