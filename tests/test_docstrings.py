"""Every public function, class, method and property is documented, in numpydoc's sections. The examples run as doctests."""

from __future__ import annotations

import ast
import builtins
import doctest
import importlib
import inspect
import io
import re
import textwrap
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pytest

import arrowjag as aj
from arrowjag import typing
from arrowjag._arguments import _words_of
from arrowjag._methods import METHODS as TABLE
from arrowjag._vocabulary.parameters import described

MODULES = [
    "arrowjag",
    "arrowjag.dense",
    "arrowjag.dims",
    "arrowjag.etl",
    *(f"arrowjag.interop.{name}" for name in ("awkward", "koladata", "numpy", "scipy", "tensorflow", "torch", "xarray")),
    "arrowjag.io",
    "arrowjag.pandas",
    "arrowjag.plot",
    "arrowjag.polars",
    "arrowjag.shapes",
    "arrowjag.testing",
]
SECTIONS = ("Parameters", "Other Parameters", "Attributes", "Returns", "Yields", "Raises", "Notes", "Examples", "See Also")


class Item(NamedTuple):
    name: str
    object: Any


def items() -> Iterator[Item]:
    """Public names of public modules and the public members of classes, each object once."""
    seen: set[int] = set()
    for module_name in MODULES:
        module = importlib.import_module(module_name)
        for name in module.__all__:
            found = Item(f"{module_name}.{name}", getattr(module, name))
            for item in (found, *members(*found)):
                if id(item.object) not in seen and is_ours(item.object):
                    seen.add(id(item.object))
                    yield item


def members(prefix: str, owner: Any) -> Iterator[Item]:
    """The members that a class adds. Overridden ones, of ours or of pandas, polars or pyarrow, are documented there."""
    if not inspect.isclass(owner):
        return
    known: set[str] = set()
    for one in reversed(owner.__mro__):
        if one.__module__.startswith("arrowjag"):
            new = {name: value for name, value in vars(one).items() if name[0] != "_" and name not in known}
            yield from (Item(f"{prefix}.{name}", value) for name, value in new.items())
        known |= set(vars(one))


def function_of(found: Any) -> Any:
    return getattr(found, "__func__", None) or getattr(found, "fget", None) or found


def is_ours(found: Any) -> bool:
    function = function_of(found)
    return callable(function) and str(getattr(function, "__module__", "")).startswith("arrowjag")


ITEMS = list(items())


def sections(docstring: str) -> dict[str, str]:
    """Text by heading; the summary by the empty one."""
    parts = re.split(rf"^({'|'.join(SECTIONS)})\n-+\n", docstring, flags=re.MULTILINE)
    return {"": parts[0].strip(), **dict(zip(parts[1::2], parts[2::2], strict=True))}


def documented(text: str) -> set[str]:
    """Names of a Parameters section."""
    names = re.findall(r"^(\S.*?)(?: :.*)?$", text, re.MULTILINE)
    return {name.strip().lstrip("*") for line in names for name in line.split(",")}


def flaws(item: Item) -> list[str]:
    docstring = inspect.getdoc(item.object) or inspect.getdoc(function_of(item.object)) or ""
    found = sections(docstring)
    if not found[""]:
        return ["no summary"]
    if inspect.isclass(item.object):
        return [*parameter_flaws(item, found), *(() if "Examples" in found or is_error(item.object) else ("no example",))]
    if isinstance(item.object, property) or not inspect.isroutine(function_of(item.object)):
        return []
    wrong = parameter_flaws(item, found)
    if not ("Returns" in found or "Yields" in found or returns_nothing(function_of(item.object))):
        wrong.append("no Returns")
    if "Raises" not in found and raises(function_of(item.object)):
        wrong.append("no Raises")
    if "Examples" not in found or ">>> " not in found["Examples"]:
        wrong.append("no example")
    return wrong


def parameter_flaws(item: Item, found: dict[str, str]) -> list[str]:
    if inspect.isclass(item.object) and is_error(item.object):
        return []
    try:
        wanted = inspect.signature(item.object if inspect.isclass(item.object) else function_of(item.object)).parameters
    except (TypeError, ValueError):
        return []
    names = documented(found.get("Parameters", "") + found.get("Other Parameters", "") + found.get("Attributes", ""))
    missing = [name for name in wanted if name not in ("self", "cls") and name not in names]
    return [f"parameter {name} is not described" for name in missing]


def is_error(found: type) -> bool:
    return issubclass(found, BaseException)


def returns_nothing(function: Any) -> bool:
    return getattr(function, "__annotations__", {}).get("return", "unknown") in (None, "None")


def raises(function: Any) -> bool:
    """Whether the body itself raises."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function))))
    except OSError:
        return False
    return any(isinstance(node, ast.Raise) for node in ast.walk(tree))


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.name)
def test_documented(item: Item) -> None:
    found = flaws(item)
    if item.name.startswith("arrowjag.interop.") and "no example" in found:
        found.remove("no example")  # an example needs the other library, and doctests have no way to skip
    assert found == []


def unknown_names(docstring: str) -> set[str]:
    """Names that the examples use and don't define: a reader who pastes them into a fresh interpreter gets a NameError."""
    source = "".join(one.source for one in doctest.DocTestParser().get_examples(docstring))
    known, used = set(dir(builtins)), set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name):
            (used if isinstance(node.ctx, ast.Load) else known).add(node.id)
        elif isinstance(node, ast.alias):
            known.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.arg):
            known.add(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            known.add(node.name)
    return {*(used - known), *({"arrowjag"} if ".jag" in source and "arrowjag" not in source else ())}


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.name)
def test_examples_import_what_they_use(item: Item) -> None:
    assert unknown_names(inspect.getdoc(item.object) or "") == set()


def test_a_missing_import_is_seen() -> None:
    assert unknown_names(">>> import numpy as np\n>>> x = aj.array(np.arange(3)); [y for y in x]\n") == {"aj"}
    assert unknown_names(">>> import pandas as pd\n>>> pd.Series().jag.sum()\n") == {"arrowjag"}


def word_flaws(item: Item) -> list[str]:
    """Compare the words in a docstring with those of the annotations, by which arguments are checked and editors offer words."""
    found = inspect.getattr_static(item.object, "__init__") if inspect.isclass(item.object) else function_of(item.object)
    scope = {**vars(typing), **getattr(inspect.unwrap(found), "__globals__", {})}
    text = sections(inspect.getdoc(item.object) or "").get("Parameters", "")
    entries = {entry.partition(" : ")[0]: entry for entry in re.split(r"^(?=\S)", text, flags=re.MULTILINE)}
    wrong = []
    for name, annotation in getattr(found, "__annotations__", {}).items():
        entry = entries.get(name, "")
        allowed = set(_words_of(str(annotation).replace("builtins.", "").removesuffix(" | None"), scope))
        listed = re.match(rf"{name} : {{(\"[^}}]*)}}(?:, optional)?\n", entry)
        told = set(re.findall(r'"(\w+)"', listed[1] if listed else entry)) if listed or allowed else set()
        if name in entries and told != allowed:
            wrong.append(f"{name} takes {sorted(told)} or {sorted(allowed)}")
    return wrong


def test_words_are_those_of_the_annotations() -> None:
    assert {item.name: found for item in ITEMS if (found := word_flaws(item))} == {}


def test_another_word_is_seen() -> None:
    def bad(side: Literal["left", "right"], how: str, unit: Literal["s"] | None = None) -> None:
        """Do.

        Parameters
        ----------
        side : {"left", "both"}
            Where.
        how : {"a", "b"}
            How.
        unit : {"s"}, optional
            Of time.
        """

    assert word_flaws(Item("bad", bad)) == ["side takes ['both', 'left'] or ['left', 'right']", "how takes ['a', 'b'] or []"]


METHODS = sorted(name for name in dir(aj.JaggedArray) if name[0] != "_")
OF_NULLS = re.compile(r"null|missing|valid", re.IGNORECASE)
OF_COST = re.compile(r"\bcost|\bcop(y|ies|ied)\b|\bshared?\b|O\(", re.IGNORECASE)


@pytest.mark.parametrize("name", METHODS)
def test_methods_speak_of_nulls_and_cost(name: str) -> None:
    member = inspect.getattr_static(aj.JaggedArray, name)
    text = inspect.getdoc(member) or ""
    assert ">>> " in text
    if not isinstance(member, property):
        assert OF_NULLS.search(text), "what becomes of nulls?"
        assert OF_COST.search(text), "what is copied, what does it cost?"


def test_docstrings_of_all_public_names_are_collected() -> None:
    names = {item.name for item in ITEMS}
    assert {"arrowjag.JaggedArray.sum", "arrowjag.where", "arrowjag.JaggedShape.flatten", "arrowjag.dims.Affine"} <= names
    assert len(names) > 300


def repeated(sources: list[str]) -> list[str]:
    """Descriptions of parameters that stand in more than three docstrings, word by word."""
    found = re.findall(r"^ +\w+ : .+\n(?: {12,}\S.*\n)+", "\n".join(sources), re.MULTILINE)
    return [text for text, count in Counter(found).items() if count > 3 and len(text) > 100]


def test_descriptions_of_shared_parameters_are_written_once() -> None:
    sources = [path.read_text(encoding="utf-8") for path in (Path(aj.__file__).parent / "_array").glob("*.py")]
    told = [f"put it into SHARED of arrowjag/_vocabulary/parameters.py:\n{text}" for text in repeated(sources)]
    assert not told, "\n".join(told)


def test_shared_descriptions_are_in_docstrings() -> None:
    assert "min_count : int, optional\n    The result of a row with fewer" in str(inspect.getdoc(aj.JaggedArray.sum))
    assert not [item.name for item in ITEMS if "%(" in (inspect.getdoc(item.object) or "")]
    with pytest.raises(KeyError, match="nothing"):
        described("Sum.\n\n%(nothing)s\n")


OF_AXES = {name: one.function.__annotations__["axis"] for name, one in TABLE.items() if "axis" in one.signature.parameters}


def test_methods_with_an_axis_list_its_errors() -> None:
    for name, kind in OF_AXES.items():
        found = sections(inspect.getdoc(TABLE[name].function) or "")
        listed = re.findall(r"^(\w+Error)\n    If (?:an|the) axis is out of range\.$", found["Raises"], re.MULTILINE)
        assert listed == ["JagIndexError"], name
        assert ("JagValueError\n    If `axis` is a tuple of other dims" in found["Raises"]) is (kind == "Any"), name
        assert list(found)[-1] == "Examples", name


def test_errors_of_an_axis_are_those_that_are_listed() -> None:
    x = aj.array([[1, 2], [3]])
    needed: dict[str, dict[str, Any]] = {"topk": {"k": 1}, "moment": {"k": 1}, "shuffle": {"seed": 1}}
    needed |= {"ewm_mean": {"alpha": 0.5}, "ewm_var": {"alpha": 0.5}, "sample": {"n": 1, "seed": 1}}
    needed |= {"take": {"index": 0}, "contains": {"v": 1}, "map_rows": {"f": len}}
    for name, kind in OF_AXES.items():
        arguments = needed.get(name, {})
        parameters = list(TABLE[name].signature.parameters.values())[1:]
        if any(one.default is one.empty and one.name not in arguments and not one.name.startswith("array") for one in parameters):
            continue
        with pytest.raises(aj.JagIndexError, match="axis 2 is out of range"):
            TABLE[name].function(x, **arguments, axis=2)
        if kind == "Any":
            with pytest.raises(aj.JagValueError, match="axes must differ"):
                TABLE[name].function(x, **arguments, axis=(0, 0))


def subjectless(source: str) -> list[str]:
    """Docstrings, those of attributes too, that begin with a relative clause instead of a verb or a noun."""
    begins = r"(?:Of )?(?:What|Who|Where)(?:ever)?m?\b"
    if not re.search(rf"[\"']{begins}", source):  # to parse all files takes many times as long
        return []
    said = [
        node.value.value
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    ]
    return [text for text in said if isinstance(text, str) and re.match(begins, text)]


def test_docstrings_begin_with_a_verb_or_a_noun() -> None:
    root = Path(__file__).parents[1]
    files = [path for folder in ("arrowjag", "benchmarks", "tests", "tools") for path in (root / folder).rglob("*.py")]
    found = {str(path.relative_to(root)): subjectless(path.read_text(encoding="utf-8")) for path in files}
    told = [f"{path}: {text}" for path, texts in found.items() for text in texts]
    assert not told, "name the subject, as the section Language of CONTRIBUTING.md says:\n" + "\n".join(told)
    source = 'x = 1\n"""What holds."""\n\ndef f():\n    """Where it is."""\n\ndef g():\n    """Whether it is."""\n'
    assert subjectless(source) == ["What holds.", "Where it is."]


RETIRED = {
    r"\b(?:nobody|lent|lend|laid|parting)\b": "use a term of the field",
    r"\bone (?!element|item|is|in|has)\w+ an? (?!\w+ (?:of|for)\b)(?:row|item|value|key|column|group|core)\b": "write 'per'",
    r"\bso many (?:times|runs|sizes|items)\b": "name the parameter",
    r"[;:,] what (?:stands|lies|comes|does|doesn't|is)\b": "name the subject",
    r"\bstands? (?:there|so|without|side by side|out of)\b": "use 'is', or name what it does",
}
"""Words and constructions that CONTRIBUTING.md replaces by terms of the field."""


def retired(source: str) -> list[str]:
    """Return the lines of comments and docstrings that use them, and what to write."""
    if not any(re.search(words, source, re.IGNORECASE) for words in RETIRED):
        return []
    lines = [
        (token.start[0], token.string)
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT
    ]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            lines += [(node.lineno + k, line) for k, line in enumerate(node.value.value.splitlines())]
    return [
        f"{n}: {advice} in {line.strip()!r}"
        for n, line in lines
        for words, advice in RETIRED.items()
        if re.search(words, line, re.IGNORECASE)
    ]


def test_comments_and_docstrings_use_terms_of_the_field() -> None:
    package = Path(aj.__file__).parent
    told = [
        f"{path.relative_to(package)}:{line}"
        for path in package.rglob("*.py")
        for line in retired(path.read_text(encoding="utf-8"))
    ]
    assert not told, "\n".join(told)
    assert len(retired('"""One number a row."""\n# rows that are lent\nlent = 1\n')) == 2


def test_flaws_are_seen() -> None:
    def bad(x: int, y: int) -> int:
        """Add.

        Parameters
        ----------
        x : int
            A number.
        """
        if x > y:
            raise ValueError
        return x + y

    assert flaws(Item("bad", bad)) == ["parameter y is not described", "no Returns", "no Raises", "no example"]
