"""Keys of values of every kind: in the order of the values, or equal where they are."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from arrowjag import _arrow
from tests.compiled_calls import forced

SMALL = [Decimal(text) for text in ("0.00", "-1.25", "99.99", "-99.99", "1.25", "-0.01", "1.25", "0.00")]
LARGE = [*SMALL, Decimal("92233720368547758.07"), Decimal("-92233720368547758.08")]
BEYOND = [*LARGE, Decimal("92233720368547758.08"), Decimal("-92233720368547758.09"), Decimal("92233720368547758.08")]
BYTES = [b"\0", b"a", b"\xff", b"\x7f", b"a", b"b", b"\x80"]
WORDS = ["b", "", "é", "a" * 20, "a" * 19 + "b", "b", "a\0", "a", ""]
CASES: dict[str, tuple[pa.DataType, list[Any]]] = {
    "decimal128": (pa.decimal128(20, 2), LARGE),
    "decimal128 beyond 64 bits": (pa.decimal128(38, 2), BEYOND),
    "decimal256": (pa.decimal256(40, 2), LARGE),
    "decimal256 beyond 64 bits": (pa.decimal256(76, 2), BEYOND),
    **{f"{width} bytes": (pa.binary(width), [one * (width - 1) + two for one in BYTES for two in BYTES]) for width in (1, 3, 8, 9)},
    "string": (pa.string(), WORDS),
    "large_binary": (pa.large_binary(), [word.encode() for word in WORDS]),
    "string_view": (pa.string_view(), WORDS),
    "list": (pa.list_(pa.string()), [["b"], [], ["a", "b"], ["a"], ["b"], ["a", "a", "a"]]),
    "struct": (pa.struct([("a", pa.string()), ("b", pa.int8())]), [{"a": a, "b": b} for a in "bab" for b in (1, -1, 0)]),
}
if hasattr(pa, "decimal32"):
    CASES |= {"decimal32": (pa.decimal32(4, 2), SMALL), "decimal64": (pa.decimal64(18, 2), SMALL)}


@pytest.fixture(params=["arrow", "compiled"], autouse=True)
def way(request: pytest.FixtureRequest) -> Iterator[None]:
    with forced(request.param, few_texts="arrays"):
        yield


def layouts(type: pa.DataType, items: list[Any]) -> Iterator[pa.Array]:
    """The items whole, sliced, and with nulls, below some of which is another value."""
    whole = pa.array(items, type)
    yield whole
    yield pa.array([None, *items, None], type)[1:-1]
    yield pa.array([items[0], *items, items[-1]], type)[2:-1]
    yield pa.array([*items[:3], None, *items[3:], None], type)
    if not pa.types.is_nested(type):
        bits = pa.py_buffer(np.packbits(np.arange(len(items)) % 3 != 0, bitorder="little"))
        yield pa.Array.from_buffers(type, len(items), [bits, *whole.buffers()[1:]])


def sortable(item: Any) -> Any:
    return tuple(item.values()) if isinstance(item, dict) else item.encode() if isinstance(item, str) else item


@pytest.mark.parametrize("name", CASES)
def test_keys_of_values(name: str) -> None:
    for values in layouts(*CASES[name]):
        places = [place for place, item in enumerate(values.to_pylist()) if item is not None]
        items = [sortable(item) for item in values.to_pylist() if item is not None]
        for key_of in (_arrow.order_key, _arrow.equality_key):
            key, valid = key_of(values, "test")
            assert len(key) == len(values)
            assert (valid is None) == (values.null_count == 0)
            assert valid is None or np.flatnonzero(valid).tolist() == places
            keys = key[places].tolist()
            assert [one == two for one in keys for two in keys] == [one == two for one in items for two in items]
            if key_of is _arrow.order_key:
                assert [one < two for one in keys for two in keys] == [one < two for one in items for two in items]


@pytest.mark.parametrize("name", ["string", "large_binary", "decimal128 beyond 64 bits", "9 bytes"])
def test_numbers_in_order_of_appearance(name: str) -> None:
    for values in layouts(*CASES[name]):
        found: dict[Any, int] = {}
        expected = [-1 if item is None else found.setdefault(item, len(found)) for item in values.to_pylist()]
        numbers, firsts = _arrow.factorize(values)
        assert numbers.tolist() == expected
        assert firsts.tolist() == [expected.index(number) for number in range(len(found))]
