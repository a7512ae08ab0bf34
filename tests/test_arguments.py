"""Arguments of a wrong type are refused by every surface as by the array, by name, before anything is computed."""

from __future__ import annotations

from typing import Any

import pytest

import arrowjag as aj
from arrowjag.errors import JagTypeError
from tests.surfaces import SURFACES, Surface

CALLS: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "transpose": ((None, 1), {}),
    "permute": (("a", 0), {}),
    "flatten": (("a",), {}),
    "sum": ((), {"axis": "a"}),
    "cumsum": ((), {"axis": 1.5}),
    "head": ((), {"n": "a"}),
}


@pytest.mark.parametrize("surface", SURFACES.values(), ids=list(SURFACES))
@pytest.mark.parametrize("name", CALLS)
def test_wrong_types(surface: Surface, name: str) -> None:
    args, options = CALLS[name]
    for x in (aj.array([[1.5, 2.0], [3.0]]), aj.array([[1.5]])[:0]):
        with pytest.raises(JagTypeError, match=r"\bint, got"):
            surface(x, name, *args, **options)
