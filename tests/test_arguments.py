"""Arguments of a wrong type are refused by every surface as by the array, by name, before anything is computed."""

from __future__ import annotations

from typing import Any

import pytest

import arrowjag as aj
from arrowjag.errors import JagIndexError, JagOverflowError, JagTypeError, JagValueError, ShapeError
from tests.surfaces import SURFACES, Surface

CALLS: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "transpose": ((None, 1), {}),
    "permute": (("a", 0), {}),
    "flatten": (("a",), {}),
    "sum": ((), {"axis": "a"}),
    "cumsum": ((), {"axis": 1.5}),
    "head": ((), {"n": "a"}),
    "round": (("a",), {}),
    "max": ((), {"min_count": "a"}),
    "std": ((), {"ddof": None}),
    "mean": ((), {"min_count": 1.5}),
    "rolling_sum": ((True,), {}),
    "combinations": ((2.0,), {}),
    "topk": (("a",), {}),
}


@pytest.mark.parametrize("surface", SURFACES.values(), ids=list(SURFACES))
@pytest.mark.parametrize("name", CALLS)
def test_wrong_types(surface: Surface, name: str) -> None:
    args, options = CALLS[name]
    for x in (aj.array([[1.5, 2.0], [3.0]]), aj.array([[1.5]])[:0]):
        with pytest.raises(JagTypeError, match=r"\bint, got"):
            surface(x, name, *args, **options)


@pytest.mark.parametrize("surface", SURFACES.values(), ids=list(SURFACES))
@pytest.mark.parametrize("name", ["topk", "pad", "combinations", "round"])
def test_numbers_beyond_64_bits(surface: Surface, name: str) -> None:
    x = aj.array([[1.5, 2.0], [3.0]])
    for number in (2**63, 2**70):
        with pytest.raises(JagValueError, match=f"^{name}: |: {name}: "):
            surface(x, name, number)


def test_invalid_masks_tables_functions_and_positions_are_refused() -> None:
    x = aj.array([[1, 2], [3]])
    with pytest.raises(JagTypeError, match="takes a flat mask, one bool per item, got bool"):
        x.with_validity(0, True)
    with pytest.raises(ShapeError, match="keys need rows, got a single value"):
        x.translate(1, 2)
    with pytest.raises(JagTypeError, match="takes a function, got str"):
        x.map_rows("len", "int64")
    with pytest.raises(JagTypeError, match="expected an Arrow type"):
        x.map_rows(len, "a")
    with pytest.raises(JagOverflowError, match="more than memory can hold"):
        x.repeat([[2**60, 0], [2**62]])
    for index in (2**63, -(2**63) - 1):
        with pytest.raises(JagIndexError, match=str(index)):
            x.take(index)
