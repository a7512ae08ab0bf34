"""*See also* of the pages of methods: `docs/see_also.py`."""

from __future__ import annotations

import inspect
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import arrowjag as aj
from tests.scripts import load

SOURCE = Path(__file__).parents[1] / "docs" / "see_also.py"
pytestmark = pytest.mark.skipif(not SOURCE.exists(), reason="docs are in the repository only")


@pytest.fixture(scope="module")
def see_also() -> ModuleType:
    return load(SOURCE)


def lines_of(name: str) -> list[str]:
    return (inspect.getdoc(inspect.getattr_static(aj.JaggedArray, name)) or "").splitlines()


def test_a_page_names_the_neighbours_of_its_section(see_also: Any) -> None:
    lines = lines_of("cumsum")
    see_also.add_see_also(None, "method", "arrowjag.JaggedArray.cumsum", None, None, lines)
    at = lines.index("See Also")
    assert lines[at : at + 2] == ["See Also", "--------"]
    assert lines[at + 2] == ":obj:`~arrowjag.JaggedArray.cumprod` : Return the running products of each row."
    names = [line.split("`")[1].rpartition(".")[2] for line in lines[at + 2 : at + 6]]
    assert names == ["cumprod", "cummax", "cummin", "cumcount"]
    assert lines.index("Examples") == at + 7


def test_a_function_names_the_functions_of_its_section(see_also: Any) -> None:
    assert see_also.neighbours("where") == ["coalesce", "zip", "apply", "concat", "stack", "align"]
    assert "dense.mul" in see_also.neighbours("dense.add")


def test_every_listed_name_has_a_summary(see_also: Any) -> None:
    names = [name for name in see_also.sections() if not name.startswith("interop.")]  # these need the other library
    assert not [name for name in names if not see_also.summary(name)]


def test_every_method_has_related_methods_unless_it_is_alone_in_its_section(see_also: Any) -> None:
    names = [name for name in dir(aj.JaggedArray) if not name.startswith("_") and name not in ("dt", "str")]  # which list methods
    alone = {name for name in names if not see_also.neighbours(f"JaggedArray.{name}")}
    assert alone <= {one.removeprefix("JaggedArray.") for one, names in see_also.sections().items() if len(names) == 1}
    assert all(len(see_also.neighbours(f"JaggedArray.{name}")) <= see_also.MOST for name in names)


def test_a_section_of_its_own_is_kept(see_also: Any) -> None:
    lines = ["Sum.", "", "See Also", "--------", "prod"]
    see_also.add_see_also(None, "method", "arrowjag.JaggedArray.sum", None, None, lines)
    assert lines.count("See Also") == 1
