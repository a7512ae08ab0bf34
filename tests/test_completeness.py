"""Every public operation is complete; for one that lacks something, the message names the file and the line to add.

Operations are the methods of the table (`arrowjag._methods.METHODS`) and the functions of `aj.__all__` that give arrays; no name is
listed by hand.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import importlib
import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import arrowjag as aj
from arrowjag import io
from arrowjag._methods import FREE_FUNCTIONS, METHODS
from tests import reference, test_docstrings, test_reductions, test_surfaces
from tests.io import test_formats
from tests.scripts import load

TESTS = Path(__file__).parent
ROOT = TESTS.parent
FUNCTIONS = {name: getattr(aj, name) for name in aj.__all__ if inspect.isfunction(getattr(aj, name))}
FILES = {name for name in FUNCTIONS if name in io.__all__}
GIVE_ARRAYS = {name for name, one in FUNCTIONS.items() if re.search("Array|Overlay|tuple", str(one.__annotations__.get("return")))}
OPERATIONS = sorted({*METHODS, *GIVE_ARRAYS} - FILES)
HELPERS = sorted({*FUNCTIONS} - GIVE_ARRAYS - FILES)
MEMBERS = sorted(name for name in dir(aj.JaggedArray) if not name.startswith("_"))


def page_name(name: str) -> str:
    return name if name in FUNCTIONS else f"JaggedArray.{name}"


# ------------------------------------------------------------------------------------------------------------- what is there


@functools.cache
def sections() -> dict[str, str]:
    """The heading of the reference pages that each name is listed under first; shapes and dims share names with arrays."""
    found: dict[str, str] = {}
    for page in sorted((ROOT / "docs" / "reference").glob("*.md")):
        heading = ""
        for line in page.read_text(encoding="utf-8").splitlines():
            if line.startswith("#"):
                heading = line.lstrip("# ")
            elif re.fullmatch(r"   [A-Za-z]\S*", line):
                found.setdefault(line.strip(), heading)
    return found


@functools.cache
def file_texts() -> dict[str, str]:
    """The text of each file of tests of operations, by the words of its name."""
    return {path.stem.removeprefix("test_"): path.read_text(encoding="utf-8") for path in TESTS.glob("test_*.py")}


def files_about(name: str) -> Iterator[str]:
    """The files whose name holds the operation's, and those named after its section of the reference or the beginning of its name.

    The latter, such as test_reductions.py for `sum` and test_rolling.py for `rolling_sum`, must speak of the operation.
    """
    section = sections().get(page_name(name), "").lower().replace(" ", "_")
    for stem, text in file_texts().items():
        is_shared = stem == section or name.startswith(f"{stem}_")
        speaks = re.search(rf"\b{name}\b", text) or f'f"{stem}_{{' in text  # names that the file derives, as f"rolling_{name}"
        if re.search(rf"(^|_){name}(_|$)", stem) or (is_shared and speaks):
            yield text


def asks_the_oracle(text: str) -> bool:
    """Whether a file uses a name of tests/reference.py, or of tests/along.py, which carries the oracle to any axis."""
    tree = ast.parse(text)
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    oracles = [node for node in imports if node.module in ("tests", "tests.reference", "tests.along")]
    known = {alias.asname or alias.name for node in oracles for alias in node.names}
    return any(isinstance(node, ast.Name) and node.id in known for node in ast.walk(tree))


@functools.cache
def benchmarked() -> str:
    """The code of the benchmarks, or nothing where they are not installed."""
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "benchmarks").rglob("*.py")))


@functools.cache
def changelog() -> str:
    pages = [ROOT / "CHANGELOG.md", *sorted((ROOT / "changelog.d").glob("*.md"))]
    return "\n".join(page.read_text(encoding="utf-8") for page in pages)


def is_mentioned(name: str) -> bool:
    """Whether code in the changelog holds the name: `x.name(...)`, `aj.name`, `name`."""
    return any(re.search(rf"\b{name}\b", code) for code in re.findall(r"`([^`\n]+)`", changelog()))


# ---------------------------------------------------------------------------------------------------------- what is wanted


def has_oracle(name: str) -> bool:
    return name in reference.ORACLES


def has_oracle_test(name: str) -> bool:
    return name in test_reductions.CALLS or name in reference.ITEMS or any(map(asks_the_oracle, files_about(name)))


def is_called_on_every_surface(name: str) -> bool:
    if name in METHODS:
        return name in {*test_surfaces.WITHOUT_ARGUMENTS, *(call.name for call in test_surfaces.CALLS)} or METHODS[name].is_property
    return name not in FREE_FUNCTIONS or name in {call.name for call in test_surfaces.FUNCTIONS}


def has_page(name: str) -> bool:
    return page_name(name) in sections()


def has_benchmark(name: str) -> bool:
    if name in METHODS and METHODS[name].is_property:
        return True
    if name in {case.name for case in pytest.importorskip("benchmarks.cases").CASES}:
        return True
    return bool(re.search(rf"[.\"']{name}\b", benchmarked()))


WANTED: dict[str, tuple[Callable[[str], bool], str]] = {
    "oracle": (
        has_oracle,
        "tests/reference.py: def {name}(x, ndim, ...) on nested lists, or @oracle_of({name!r}) on one that is there",
    ),
    "oracle test": (
        has_oracle_test,
        "tests/test_{name}.py: def test_{name}_agrees_with_the_oracle(...), with `ref.{name}(x.to_list(), ...)`",
    ),
    "surfaces": (is_called_on_every_surface, "tests/test_surfaces.py: Call({name!r}, X, (arguments,))"),
    "page": (has_page, "docs/reference/computing.md (or another page there): a line `   {page}` in the list of its section"),
    "benchmark": (has_benchmark, "benchmarks/operations/: Case({name!r}, lambda d: d.x.{name}(...), rivals={{...}})"),
    "changelog": (is_mentioned, "changelog.d/+{name}.added.md: one sentence for users with `{name}` in it"),
}


@pytest.mark.parametrize("want", WANTED)
def test_every_operation_has(want: str) -> None:
    if not (ROOT / "docs").exists() or not benchmarked():
        pytest.skip("docs and benchmarks are in the repository only")
    has, line = WANTED[want]
    missing = [name for name in OPERATIONS if not has(name)]
    told = [f"{name} has no {want}. Add to {line.format(name=name, page=page_name(name))}" for name in missing]
    assert not told, "\n" + "\n".join(told)


def test_every_other_function_has_a_page_a_test_and_a_line_in_the_changelog() -> None:
    tests = "\n".join(path.read_text(encoding="utf-8") for path in TESTS.rglob("test_*.py"))
    told = [f"{name}: docs/reference/arrays.md: a line `   {name}`" for name in HELPERS if not has_page(name)]
    told += [f"{name}: tests/test_{name}.py: a test that calls aj.{name}" for name in HELPERS if f"aj.{name}" not in tests]
    told += [f"{name}: changelog.d/+{name}.added.md: one sentence with `aj.{name}`" for name in HELPERS if not is_mentioned(name)]
    assert not told, "\n" + "\n".join(told)


@pytest.mark.parametrize("name", sorted(FILES))
def test_every_file_format_has_tests_pages_an_example_and_a_benchmark(name: str) -> None:
    """The tests and benchmarks of `read_FORMAT` and `write_FORMAT` are derived from `io.__all__`."""
    kind = name.partition("_")[2]
    test = TESTS / "io" / f"test_{kind}.py"
    text = test.read_text(encoding="utf-8") if test.exists() else ""
    how_to = "\n".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "how-to").glob("*.md"))
    missing = [
        *(() if kind in test_formats.FORMATS or name in text else [f"{test.relative_to(ROOT)}: a test that calls aj.{name}"]),
        *(() if has_page(name) else [f"docs/reference/files.md: run python tools/write_stubs.py, which lists {name}"]),
        *(() if f"aj.{name}(" in str(FUNCTIONS[name].__doc__) else [f"its docstring: an example that calls aj.{name}(...)"]),
        *(() if re.search(rf"\b{name}\(", how_to) else [f"docs/how-to/: an example that calls aj.{name}(...)"]),
        *(() if has_benchmark(name) else [f"benchmarks/operations/files.py: a case that calls aj.{name}(...)"]),
        *(() if is_mentioned(name) else [f"changelog.d/+{kind}.added.md: one sentence for users with `aj.{name}` in it"]),
    ]
    assert not missing, f"{name}: add to\n" + "\n".join(missing)


def test_every_reader_and_writer_is_public() -> None:
    missing = sorted(set(io.__all__) - set(aj.__all__))
    assert not missing, f"{missing} are not in __all__ of arrowjag/__init__.py: run python tools/write_stubs.py"


def test_every_public_class_and_member_of_a_shape_is_on_a_page() -> None:
    names = [name for name in aj.__all__ if inspect.isclass(getattr(aj, name))]
    names += [f"JaggedShape.{name}" for name in dir(aj.JaggedShape) if not name.startswith("_")]
    told = [f"docs/reference/shapes.md (or another page there): a line `   {name}`" for name in names if name not in sections()]
    assert not told, "\n" + "\n".join(told)


def test_every_member_of_an_array_is_on_a_page_and_in_the_changelog() -> None:
    told = [f"{name}: docs/reference/arrays.md: a line `   JaggedArray.{name}`" for name in MEMBERS if not has_page(name)]
    told += [f"{name}: changelog.d/+{name}.added.md: one sentence with `{name}`" for name in MEMBERS if not is_mentioned(name)]
    assert not told, "\n" + "\n".join(told)


def test_missing_parts_are_named_with_file_and_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(METHODS, "spam", METHODS["sum"])
    monkeypatch.setitem(globals(), "OPERATIONS", ["spam"])
    for want, place in (
        ("oracle", "tests/reference.py: def spam"),
        ("oracle test", "tests/test_spam.py"),
        ("page", "JaggedArray.spam"),
    ):
        with pytest.raises(AssertionError, match=re.escape(place)):
            test_every_operation_has(want)


SURFACES = {"SeriesJag", "GroupByJag", "JagSeries", "JagNamespace", "JagExpr", "DaskSeriesJag"}
"""Classes whose methods are those of `JaggedArray`, and documented there."""


def test_every_public_name_and_member_is_on_a_page() -> None:
    """The policy calls the names of the reference public; constants of the strategies are named in the text of their page."""
    listed = load(ROOT / "docs" / "see_also.py").sections()
    found = [found_at(name) for name in listed]
    told = []
    for module in public_modules():
        for name in (one for one in module.__all__ if callable(getattr(module, one))):
            public = getattr(module, name)
            attributes = test_docstrings.sections(inspect.getdoc(public) or "")
            told += [] if any(public is one for one in found) else [f"{module.__name__}.{name}"]
            described = test_docstrings.documented(attributes.get("Attributes", "") + attributes.get("Parameters", ""))
            told += [
                member.name
                for member in test_docstrings.members(f"{module.__name__}.{name}", public)
                if not (isinstance(public, type) and issubclass(public, (BaseException, aj.JaggedArray)))
                and not (name in SURFACES and hasattr(aj.JaggedArray, member.name.rpartition(".")[2]))
                and not member.name.endswith("ExtensionArray.value_counts")  # a method of the class in newer versions of pandas
                and member.name.rpartition(".")[2] not in described
                and not any(member.object is one for one in found)
            ]
    assert not told, f"add to a page of docs/reference, or begin with an underscore: {told}"


def public_modules() -> Iterator[ModuleType]:
    """The modules of pages of the reference, without those whose library is not installed."""
    pages = "\n".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "reference").glob("*.md"))
    for name in sorted(set(re.findall(r"currentmodule:: (\S+)", pages))):
        with contextlib.suppress(ImportError):
            yield importlib.import_module(name)


def found_at(name: str) -> object:
    """The object of a name without `arrowjag`, and the property itself of a property."""
    module, *rest = name.split(".")
    found: Any = getattr(aj, module)
    for one in rest:
        with contextlib.suppress(ImportError, AttributeError):
            found = inspect.getattr_static(found, one) if inspect.isclass(found) else getattr(found, one)
    return found
