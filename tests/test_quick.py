"""What `make test` leaves out, and `make whole` runs: cases beyond a cover of all parameters, and the tests of long.txt."""

from __future__ import annotations

import itertools
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.conftest import LONG, beyond_cover, parameters

ROOT = Path(__file__).parents[1]


class Item:
    """A case of a test, as pytest collects it."""

    def __init__(self, name: str, **values: int) -> None:
        self.path, self.originalname, self.cls, self.nodeid = Path("test.py"), name, None, f"{name}{sorted(values.items())}"
        self.values, self.callspec = values, SimpleNamespace(_idlist=[str(one) for one in values.values()])


def chosen(items: list[Any]) -> list[dict[str, int]]:
    left_out = beyond_cover(items)
    return [item.values for item in items if item not in left_out]


def test_every_value_of_every_parameter_stays() -> None:
    items = [Item("product", method=a, surface=b, leaf=c) for a, b, c in itertools.product(range(30), range(5), range(2))]
    kept = chosen(items)
    assert 30 <= len(kept) <= 37
    assert {one["method"] for one in kept} == set(range(30))
    assert {one["surface"] for one in kept} == set(range(5))
    assert {one["leaf"] for one in kept} == {0, 1}
    assert chosen(items[::-1]) == kept[::-1]


def test_cases_of_one_parameter_all_stay() -> None:
    assert len(chosen([Item("one", method=k) for k in range(9)])) == 9


@pytest.mark.parametrize("outer", [1, 2])
@pytest.mark.parametrize(("method", "expected"), [(3, 4), (5, 4), (3, 6)])
def test_pytest_tells_the_value_of_each_decorator(outer: int, method: int, expected: int, request: pytest.FixtureRequest) -> None:
    assert parameters(request.node) == {(0, f"{method}-{expected}"), (1, str(outer))}


def test_long_tests_exist() -> None:
    for name in LONG:
        file, _, path = name.partition("::")
        text = (ROOT / file).read_text(encoding="utf-8")
        assert f"def {path.rpartition('::')[2]}(" in text, f"tests/long.txt: {name} is gone; delete the line"
