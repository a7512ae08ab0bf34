"""*See also* of the pages of methods: `docs/see_also.py`."""

from __future__ import annotations

import importlib.util
import inspect
from pathlib import Path
from typing import Any

import pytest

import arrowjag as aj

SOURCE = Path(__file__).parents[1] / "docs" / "see_also.py"
pytestmark = pytest.mark.skipif(not SOURCE.exists(), reason="docs are in the repository only")


@pytest.fixture(scope="module")
def see_also() -> Any:
    spec = importlib.util.spec_from_file_location("see_also", SOURCE)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    assert spec.loader is not None
    spec.loader.exec_module(module)
    return module


def lines_of(name: str) -> list[str]:
    return (inspect.getdoc(inspect.getattr_static(aj.JaggedArray, name)) or "").splitlines()


def test_a_page_names_the_neighbours_of_its_section(see_also: Any) -> None:
    lines = lines_of("cumsum")
    see_also.add_see_also(None, "method", "arrowjag.JaggedArray.cumsum", None, None, lines)
    at = lines.index("See Also")
    assert lines[at : at + 6] == ["See Also", "--------", "cumprod", "cummax", "cummin", "cumcount"]
    assert lines.index("Examples") == at + 7


def test_every_method_has_related_methods_unless_it_is_alone_in_its_section(see_also: Any) -> None:
    names = [name for name in dir(aj.JaggedArray) if not name.startswith("_")]
    alone = {name for name in names if not see_also.neighbours(f"JaggedArray.{name}")}
    assert alone <= {one.removeprefix("JaggedArray.") for one, names in see_also.sections().items() if len(names) == 1}
    assert all(len(see_also.neighbours(f"JaggedArray.{name}")) <= see_also.MOST for name in names)


def test_a_section_of_its_own_is_kept(see_also: Any) -> None:
    lines = ["Sum.", "", "See Also", "--------", "prod"]
    see_also.add_see_also(None, "method", "arrowjag.JaggedArray.sum", None, None, lines)
    assert lines.count("See Also") == 1
