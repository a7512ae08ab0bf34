"""Write the stubs of the surfaces and the lists of file functions, or check that they are up to date.

The methods of `.jag` are made from the method table when arrowjag is imported, which editors and type checkers can't see. A
stub beside the module that exports such a class spells them out. The names in `arrowjag.io.__all__` are repeated in
`arrowjag/__init__.py`, which must not import `arrowjag.io`, and on the page of the reference. Run this after a public method or
a file format is added or changed: `python tools/write_stubs.py`; with `--check` it writes nothing and ends with 1 where a file
is old.
"""

from __future__ import annotations

import builtins
import functools
import importlib
import inspect
import pathlib
import re
import sys
from collections.abc import Mapping
from typing import Literal, NamedTuple, get_origin

__all__ = ["STUBS", "Stub", "facade", "main", "page", "text_of"]

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Results(NamedTuple):
    """Result types of a surface for methods of `JaggedArray` that return an array, an array or a scalar, or anything else."""

    array: str
    array_or_scalar: str
    other: str | None = None


class Stub(NamedTuple):
    """A module that gets a stub, and the classes in it whose methods are made, with what these return."""

    module: str
    classes: Mapping[str, Results]

    @property
    def path(self) -> pathlib.Path:
        """The path of the stub."""
        return ROOT / (self.module.replace(".", "/") + ".pyi")


_EXPRESSION = Results("JagExpr", "JagExpr", "JagExpr")
_PANDAS = Results("pd.Series[Any]", "pd.Series[Any] | Any")
_SERIES = Results("pl.Series", "pl.Series | Any")


def _namespaces_of(name: str) -> tuple[str, ...]:
    return f"{name}Dt", f"{name}Str"


STUBS = (
    Stub("arrowjag.pandas.accessor", dict.fromkeys(("SeriesJag", *_namespaces_of("SeriesJag")), _PANDAS)),
    Stub(
        "arrowjag.polars.accessor",
        {
            **dict.fromkeys(("JagExpr", "JagNamespace", *_namespaces_of("JagNamespace")), _EXPRESSION),
            **dict.fromkeys(("JagSeries", *_namespaces_of("JagSeries")), _SERIES),
        },
    ),
)

_IMPORTS = {
    "builtins": "import builtins",
    "Callable": "from collections.abc import Callable",
    "Mapping": "from collections.abc import Mapping",
    "Sequence": "from collections.abc import Sequence",
    "Any": "from typing import Any",
    "Literal": "from typing import Literal",
    "np": "import numpy as np",
    "npt": "import numpy.typing as npt",
    "pd": "import pandas as pd",
    "pl": "import polars as pl",
    "pa": "import pyarrow as pa",
    "JaggedArray": "from arrowjag import JaggedArray",
    "JaggedShape": "from arrowjag.shape import JaggedShape",
    "Ewm": "from arrowjag._array.rolling import Ewm",
    "Rolling": "from arrowjag._array.rolling import Rolling",
}
"""The modules of the names in annotations, beside those of `_words`; an annotation with other names becomes Any."""

_TOLD = {"ArrayOrScalar"} | {name for stub in STUBS for name in stub.classes}
"""Names that are replaced, or stand in the stub itself."""

_DECLARED = {"pl.Expr", "pl.Series"}
"""Bases that a stub names; the methods of others are told with the class itself."""

_OPERATORS = frozenset(
    f"__{side}{name}__"
    for side in ("", "r")
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "lshift", "rshift")
) | {f"__{name}__" for name in ("eq", "ne", "lt", "le", "gt", "ge", "neg", "pos", "invert", "abs", "round")}

_OBJECT_DUNDERS = frozenset(dir(object)) - {"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"}
_LEFT_OUT = frozenset({"space", "__module__", "__dict__", "__weakref__", "__slots__", "__annotations__", "__pandas_priority__"})


@functools.cache
def _words() -> dict[str, str]:
    """The imports of the names in `arrowjag.typing` that stand for several words."""
    names = vars(importlib.import_module("arrowjag.typing"))
    return {name: f"from arrowjag.typing import {name}" for name, found in names.items() if get_origin(found) is Literal}


def text_of(stub: Stub) -> str:
    """The text of a stub.

    Parameters
    ----------
    stub : Stub
        What is described.

    Returns
    -------
    str
        With one method a line, and the first line of its docstring.
    """
    module = importlib.import_module(stub.module)
    body = "\n".join(_class(getattr(module, name), results, stub) for name, results in stub.classes.items())
    used = {word for line in body.splitlines() if line.startswith(("    def ", "class ")) for word in re.findall(r"\w+", line)}
    imports = [line for name, line in {**_IMPORTS, **_words()}.items() if name in used]
    exported = ", ".join(f'"{name}"' for name in sorted(stub.classes))
    head = [
        "# Written by tools/write_stubs.py; do not edit.",
        "# ruff: noqa: E501, I001, N802, PYI021, PYI029, PYI032, RUF100",
        '# mypy: disable-error-code="override,type-arg"',
        "# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false",
        "# fmt: off",
        *imports,
        "",
        f"__all__ = [{exported}]",
    ]
    return "\n".join(head) + "\n\n" + body


def _class(cls: type, results: Results, stub: Stub) -> str:
    bases = [name for name in map(_base, cls.__bases__) if name in _DECLARED or name in stub.classes]
    named = f"({', '.join(bases)})" if bases else ""
    lines = [f"class {cls.__name__}{named}:", f'    """{_summary(cls)}"""', ""]
    for name in sorted(vars(cls), key=lambda name: (not name.startswith("__"), name.lower(), name)):
        if name in _LEFT_OUT or (name.startswith("_") and not name.startswith("__")):
            continue
        if name in _OBJECT_DUNDERS and name not in ("__init__", "__repr__"):
            continue
        lines += _member(name, inspect.getattr_static(cls, name), results, cls)
    # A class with a property `str` has no other `str` in its annotations.
    lines = [re.sub(r"(?<![\w.])str\b(?![(:])", "builtins.str", line) if " def " in line else line for line in lines]
    return "\n".join(lines).rstrip() + "\n"


def _base(cls: type) -> str:
    package = cls.__module__.partition(".")[0]
    return {"polars": "pl.", "pandas": "pd."}.get(package, "") + cls.__name__


def _member(name: str, made: object, results: Results, cls: type) -> list[str]:
    from arrowjag._methods import accessor

    if isinstance(made, accessor):
        space = made.__get__(None, cls)
        return ["    @property", f"    def {name}(self) -> {space.__name__}:", f'        """{_summary(space)}"""', ""]
    space_name = getattr(cls, "space", "")
    table_name = f"{space_name}.{name}" if space_name else name
    if isinstance(made, property):
        signature = inspect.signature(made.fget) if made.fget else inspect.Signature()
        told = _result(table_name, signature, results)
        return ["    @property", *_function(name, inspect.Signature([_SELF]), told, _summary(made))]
    if not callable(made):
        return []
    summary = "" if name.startswith("__") else _summary(made)
    signature = inspect.signature(made)
    if signature.return_annotation == "NoReturn":
        return []
    return _function(name, signature, _result(table_name, signature, results), summary)


def _result(name: str, signature: inspect.Signature, results: Results) -> str:
    """The result type of a method of a surface: those of the table are annotated for `JaggedArray`."""
    from arrowjag._methods import METHODS
    from arrowjag.polars._names import ALIASES

    annotation = _annotation(signature.return_annotation)
    if name == "__init__":
        return "None"
    if name in _OPERATORS:
        return results.array
    if name in ("__divmod__", "__rdivmod__"):
        return f"tuple[{results.array}, {results.array}]"
    if name == "__getitem__":
        return results.array_or_scalar
    if annotation.endswith("[JaggedArray]"):  # of objects whose methods are those of the surface
        return annotation.replace("JaggedArray", results.array)
    if name not in METHODS and name not in (*ALIASES, "is_not_null"):
        return annotation
    return results.other or re.sub(
        r"\bArrayOrScalar\b", results.array_or_scalar, re.sub(r"\bJaggedArray\b|\bpa\.Array\b", results.array, annotation)
    )


_SELF = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)


def _function(name: str, signature: inspect.Signature, result: str, summary: str) -> list[str]:
    parameters = [_typed(one) for one in signature.parameters.values()]
    head = f"    def {name}{signature.replace(parameters=parameters, return_annotation=signature.empty)} -> {result}:"
    return [head, f'        """{summary}"""', ""] if summary else [f"{head} ..."]


def _typed(parameter: inspect.Parameter) -> inspect.Parameter:
    """A parameter whose annotation prints as it was written; that it has a default is told, which one is not."""
    default = parameter.default if parameter.default is parameter.empty else _Ellipsis()
    if parameter.name == "self":
        return parameter.replace(annotation=parameter.empty)
    return parameter.replace(annotation=_Written(_annotation(parameter.annotation)), default=default)


class _Ellipsis:
    def __repr__(self) -> str:
        return "..."


class _Written:
    """An annotation in the words of the source."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def _annotation(annotation: object) -> str:
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "Any")
    words = re.findall(r"[A-Za-z_]\w*", re.sub(r"'[^']*'|\"[^\"]*\"|\.\w+", "", text))
    known = all(word in _IMPORTS or word in _words() or word in _TOLD or hasattr(builtins, word) for word in words)
    return text if known and words else "Any"


def _summary(documented: object) -> str:
    lines = (inspect.getdoc(documented) or "").strip().splitlines()
    return lines[0] if lines else ""


def facade(text: str, names: list[str]) -> str:
    """Replace the names of `arrowjag.io` in the text of `arrowjag/__init__.py`.

    Parameters
    ----------
    text : str
        The file as it is.
    names : list of str
        ``arrowjag.io.__all__``.

    Returns
    -------
    str
        The file with these names among the imports for type checkers, in `__all__` and in `_LAZY_NAMES`.
    """
    old = set(re.findall(r'^    "(\w+)": "io",$', text, re.MULTILINE))
    public = set(re.findall(r'^    "(\w+)",$', text, re.MULTILINE)) - old | set(names)
    listed = "".join(f'    "{name}",\n' for name in sorted(public))
    imports = "".join(f"    from arrowjag.io import {name} as {name}\n" for name in sorted(names))
    lazy = "".join(f'    "{name}": "io",\n' for name in sorted(names))
    text = re.sub(r'(?m)^__all__ = \[\n(?:    "\w+",\n)*', lambda _: "__all__ = [\n" + listed, text)
    text = re.sub(r"(?m)(?:^    from arrowjag\.io import \w+ as \w+\n)+", lambda _: imports, text)
    return re.sub(r'(?m)(?:^    "\w+": "io",\n)+', lambda _: lazy, text)


def page(text: str, names: list[str]) -> str:
    """Replace the list of functions in the text of the reference page of files.

    Parameters
    ----------
    text : str
        The page as it is.
    names : list of str
        ``arrowjag.io.__all__``.

    Returns
    -------
    str
        The page with a line per name, those of one format together.
    """
    listed = "".join(f"   {name}\n" for name in sorted(names, key=lambda name: name.partition("_")[::-1]))
    return re.sub(r"(?m)(?:^   [a-z]\w+\n)+", lambda _: listed, text)


def _outputs() -> dict[pathlib.Path, str]:
    """Every file that is written, with its text."""
    made = {stub.path: text_of(stub) for stub in STUBS}
    names = importlib.import_module("arrowjag.io").__all__
    for path, change in ((ROOT / "arrowjag" / "__init__.py", facade), (ROOT / "docs" / "reference" / "files.md", page)):
        if path.exists():
            made[path] = change(path.read_text(encoding="utf-8"), names)
    return made


def main(arguments: list[str]) -> int:
    """Write all files, or compare them.

    Parameters
    ----------
    arguments : list of str
        ``--check`` or nothing.

    Returns
    -------
    int
        The exit code.
    """
    sys.path.insert(0, str(ROOT))
    old = {path: text for path, text in _outputs().items() if not path.exists() or path.read_text(encoding="utf-8") != text}
    for path, text in old.items():
        print(f"{path.relative_to(ROOT)} is {'old: run python tools/write_stubs.py' if '--check' in arguments else 'written'}")
        if "--check" not in arguments:
            path.write_text(text, encoding="utf-8")
    return int("--check" in arguments and bool(old))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
