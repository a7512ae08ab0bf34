"""Text about a traced function: which calls run together, and the type of each result."""

from __future__ import annotations

import itertools
import string
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from arrowjag._array import JaggedArray
from arrowjag._expressions.evaluation import Program
from arrowjag._expressions.stages import Stage
from arrowjag._expressions.tracing import Place, Trace
from arrowjag._expressions.tree import Call, Node, mapped, mapped_values
from arrowjag.errors import Brief

__all__ = ["explained"]

_SIGNS = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
    "and_": "&",
    "or_": "|",
    "xor": "^",
    "lshift": "<<",
    "rshift": ">>",
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "neg": "-",
    "pos": "+",
    "invert": "~",
}


class _Name:
    """A name that is written without quotes."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def explained(name: str, program: Program, trace: Trace, inputs: Sequence[tuple[Any, Node]], result: Any) -> str:
    """Describe a program.

    Parameters
    ----------
    name : str
        The name of the function.
    program : Program
        The program of the function.
    trace : Trace
        The samples of its nodes.
    inputs : sequence of (int or str, Node)
        The arguments by position or name.
    result : object
        The structure of the result, with the numbers of the program's results.
    """
    names: dict[int, str] = {id(node): f"x{place}" if isinstance(place, int) else place for place, node in inputs}
    names |= {id(node): f"outer{place}" for place, node in enumerate(trace.captured)}
    parameters = ", ".join(f"{names[id(node)]}: {_type(trace, node)}" for _, node in inputs)
    lines = [f"{name}({parameters})"]
    lines += [f"{names[id(node)]}: {_type(trace, node)} from outside" for node in trace.captured]
    free = _free_names()
    written: list[tuple[str, str]] = []  # titles have no type
    for stage in program.stages:
        title = _title(stage)
        if title != next((text for text, type in reversed(written) if not type), None):
            written.append((title, ""))
        for node in stage.calls:
            names[id(node)] = next(free)
            written.append((f"  {names[id(node)]} = {_written(node, names)}", _type(trace, node)))
    width = max((len(text) for text, _ in written), default=0)
    lines += [f"{text:<{width}} {type}".rstrip() for text, type in written]
    roots = [_Name(names[id(root)]) for root in program.roots]
    lines.append(f"return {mapped_values(result, lambda one: roots[one] if isinstance(one, Place) else one)!r}")
    return "\n".join(lines)


def _title(stage: Stage) -> str:
    """How a stage runs."""
    if stage.loop is not None:
        return "in one compiled loop, or in blocks of rows:"
    return "in blocks of rows:" if stage.is_stretch else "on whole columns:"


def _free_names() -> Iterator[str]:
    """Yield a, b, ..., z, a1, b1, ..."""
    for round_ in itertools.count():
        for letter in string.ascii_lowercase:
            yield f"{letter}{round_ or ''}"


def _type(trace: Trace, node: Node) -> str:
    found = trace.samples.get(id(node))
    if isinstance(found, JaggedArray):
        return f"jagged[{found.type}, {found.ndim}]" if found.ndim > 1 else str(found.type)
    return str(found.type) if isinstance(found, (pa.Array, pa.Scalar)) else "type known at the call"


class _Text(Brief):
    """Text of arguments as Python writes them, in one line each, without addresses."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlist = self.maxtuple = self.maxdict = 20
        self.maxstring = self.maxother = self.maxlong = 80

    def repr_instance(self, x: object, level: int) -> str:
        """Return the name of a type or a function, and a few items of Arrow data."""
        if isinstance(x, pa.DataType):
            return repr(str(x))
        if isinstance(x, (pa.Array, pa.ChunkedArray)):
            return f"pa.array({x.to_string(window=5, skip_new_lines=True)})"
        if isinstance(x, (_Name, np.generic)):
            return repr(x)
        name = getattr(x, "__name__", "") if callable(x) else ""
        return name or " ".join(super().repr_instance(x, level).split())

    def key(self, key: object) -> str:
        """Return the text between the brackets of an index."""
        if isinstance(key, tuple) and key:
            return ", ".join(map(self.key, key))
        if not isinstance(key, slice):
            return "..." if key is Ellipsis else self.repr(key)
        parts = ["" if one is None else self.repr(one) for one in (key.start, key.stop, key.step)]
        return ":".join(parts if parts[2] else parts[:2])


_TEXT = _Text()


def _written(node: Call, names: dict[int, str]) -> str:
    """A call as Python writes it."""
    node = Call(node.kind, node.name, *(mapped(one, lambda part: _Name(names[id(part)])) for one in (node.args, node.kwargs)))
    show = _TEXT.repr
    args = [show(one) for one in node.args]
    named = [f"{key}={show(one)}" for key, one in node.kwargs.items()]
    if node.kind == "operator":
        sign = _SIGNS.get(node.name)
        if sign is None:
            return f"{node.name}({', '.join(args)})"
        return f"{sign}{args[0]}" if len(args) == 1 else f"{args[0]} {sign} {args[1]}"
    if node.kind == "method":
        return f"{args[0]}.{node.name}({', '.join([*args[1:], *named])})"
    if node.kind in ("getitem", "slots"):
        return f"{args[0]}{'.S' if node.kind == 'slots' else ''}[{_TEXT.key(node.args[1])}]"
    if node.kind == "ufunc":
        return f"{'np.' if isinstance(getattr(np, node.name, None), np.ufunc) else ''}{node.name}({', '.join(args[1:])})"
    if node.kind == "part":
        return f"{args[0]}[{args[1]}]"
    return f"aj.{node.name}({', '.join([*args, *named])})"
