"""Write the stubs of the surfaces, or check that they are up to date.

The methods of `.jag` are made from the method table when arrowjag is imported, which editors and type checkers can't see. A
stub beside the module that exports such a class spells them out. Run this after a public method is added or changed:
`python tools/write_stubs.py`; with `--check` it writes nothing and ends with 1 where a stub is old.
"""

from __future__ import annotations

import builtins
import importlib
import inspect
import pathlib
import re
import sys
from typing import NamedTuple

__all__ = ["STUBS", "Stub", "main", "text_of"]

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Stub(NamedTuple):
    """A module that gets a stub, and the classes in it whose methods are made."""

    module: str
    classes: tuple[str, ...]

    @property
    def path(self) -> pathlib.Path:
        """Where the stub lies."""
        return ROOT / (self.module.replace(".", "/") + ".pyi")


STUBS = (Stub("arrowjag.pandas.accessor", ("SeriesJag",)),)

_IMPORTS = {
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
    "JaggedShape": "from arrowjag.shape import JaggedShape",
    "RankMethod": "from arrowjag.typing import RankMethod",
    "ShearMode": "from arrowjag.typing import ShearMode",
    "ShearRule": "from arrowjag.typing import ShearRule",
}
"""Where the names in annotations come from; an annotation with other names is told as Any."""

_OBJECT_DUNDERS = frozenset(dir(object)) - {"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"}
_LEFT_OUT = frozenset({"__module__", "__dict__", "__weakref__", "__slots__", "__annotations__", "__pandas_priority__"})


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
    body = "\n".join(_class(getattr(module, name)) for name in stub.classes)
    used = {word for line in body.splitlines() if line.startswith("    def ") for word in re.findall(r"\w+", line)}
    imports = [line for name, line in _IMPORTS.items() if name in used]
    exported = ", ".join(f'"{name}"' for name in sorted(stub.classes))
    head = [
        "# Written by tools/write_stubs.py; do not edit.",
        "# ruff: noqa: E501, I001, N802, PYI021, PYI029, PYI032",
        "# fmt: off",
        *imports,
        "",
        f"__all__ = [{exported}]",
    ]
    return "\n".join(head) + "\n\n" + body


def _class(cls: type) -> str:
    lines = [f"class {cls.__name__}:", f'    """{_summary(cls)}"""', ""]
    for name in sorted(vars(cls), key=lambda name: (not name.startswith("__"), name.lower(), name)):
        if name in _LEFT_OUT or (name.startswith("_") and not name.startswith("__")):
            continue
        if name in _OBJECT_DUNDERS and name not in ("__init__", "__repr__"):
            continue
        lines += _member(name, inspect.getattr_static(cls, name))
    return "\n".join(lines).rstrip() + "\n"


def _member(name: str, made: object) -> list[str]:
    if isinstance(made, property):
        return ["    @property", *_function(name, inspect.Signature([_SELF]), _summary(made))]
    if not callable(made):
        return []
    summary = "" if name.startswith("__") else _summary(made)
    return _function(name, inspect.signature(made), summary)


_SELF = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)


def _function(name: str, signature: inspect.Signature, summary: str) -> list[str]:
    parameters = [_typed(one) for one in signature.parameters.values()]
    result = "None" if name == "__init__" else _annotation(signature.return_annotation)
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
    known = all(word in _IMPORTS or hasattr(builtins, word) for word in words)
    return text if known and words else "Any"


def _summary(documented: object) -> str:
    lines = (inspect.getdoc(documented) or "").strip().splitlines()
    return lines[0] if lines else ""


def main(arguments: list[str]) -> int:
    """Write all stubs, or compare them.

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
    old = [stub for stub in STUBS if not stub.path.exists() or stub.path.read_text() != text_of(stub)]
    for stub in old:
        print(f"{stub.path.relative_to(ROOT)} is {'old: run python tools/write_stubs.py' if '--check' in arguments else 'written'}")
        if "--check" not in arguments:
            stub.path.write_text(text_of(stub))
    return int("--check" in arguments and bool(old))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
