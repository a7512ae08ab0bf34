"""Read the call that each case measures from the source of its function: `x[rows]` for the case `row_take`."""

from __future__ import annotations

import ast
import functools
import inspect
from pathlib import Path
from typing import Any

import pyarrow as pa

from benchmarks.case import Case

__all__ = ["call_of"]


def call_of(case: Case) -> str:
    """The expression that a case measures, or its name where the function is more than an expression.

    Parameters
    ----------
    case : Case
        Its `ours` is usually a lambda of one parameter, the data.

    Returns
    -------
    str
        The body of the lambda. Columns lose the name of the parameter, and variables of the enclosing function have their values.
    """
    function: Any = case.ours
    code = getattr(function, "__code__", None)
    body = None if code is None or code.co_name != "<lambda>" else _lambda_at(code.co_filename, code.co_firstlineno, case.name)
    if body is None:
        return case.name
    defaults = {name: one.default for name, one in inspect.signature(function).parameters.items() if one.default is not one.empty}
    known = {**inspect.getclosurevars(function).nonlocals, **defaults}
    text = ast.unparse(ast.fix_missing_locations(_Written(body.args.args[0].arg, known).visit(body.body)))
    names = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    return text if not names & ({*known} | {body.args.args[0].arg}) and not any(name[0] == "_" for name in names) else case.name


@functools.cache
def _lambdas(path: str) -> list[tuple[str | None, ast.Lambda]]:
    """The second arguments of the calls in a file that are lambdas, with the name of the case where it is a constant."""
    calls = [node for node in ast.walk(ast.parse(Path(path).read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
    found = []
    for call in calls:
        if len(call.args) > 1:
            name = call.args[0].value if isinstance(call.args[0], ast.Constant) else None
            found += [(name, one) for one in ast.walk(call.args[1]) if isinstance(one, ast.Lambda)][:1]
    return found


def _lambda_at(path: str, line: int, name: str) -> ast.Lambda | None:
    """The function that begins in a line; that of the name, where the line has several."""
    found = [(known, one) for known, one in _lambdas(path) if one.lineno == line]
    named = [one for known, one in found if known == name] or [one for _, one in found]
    return ast.parse(ast.unparse(named[0]), mode="eval").body if len(named) == 1 else None  # type: ignore[return-value]


class _Written(ast.NodeTransformer):
    """Replaces `d.x` by `x`, variables by their values, and `getattr(x, "sum")` by `x.sum`."""

    def __init__(self, data: str, known: dict[str, Any]) -> None:
        self.data = data
        self.known = {name: str(value) if isinstance(value, pa.DataType) else value for name, value in known.items()}

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        is_column = isinstance(node.value, ast.Name) and node.value.id == self.data
        return ast.Name(node.attr, node.ctx) if is_column else node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        value = self.known.get(node.id, pa)
        is_plain = isinstance(value, (str, int, float, tuple, list, dict, type(None)))
        return ast.parse(repr(value), mode="eval").body if is_plain else node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        self.generic_visit(node)
        parts = [one.value if isinstance(one, ast.FormattedValue) else one for one in node.values]
        if all(isinstance(one, ast.Constant) for one in parts):
            return ast.Constant("".join(str(one.value) for one in parts if isinstance(one, ast.Constant)))
        return node

    def visit_Starred(self, node: ast.Starred) -> Any:
        self.generic_visit(node)
        return node.value.elts if isinstance(node.value, (ast.Tuple, ast.List)) else node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "getattr" and isinstance(node.args[1], ast.Constant):
            return ast.Attribute(node.args[0], str(node.args[1].value), ast.Load())
        node.args = [one for arg in node.args for one in (arg if isinstance(arg, list) else [arg])]
        return node

    def visit_keyword(self, node: ast.keyword) -> Any:
        self.generic_visit(node)
        if node.arg is None and isinstance(node.value, ast.Dict):
            return [
                ast.keyword(str(key.value), value)
                for key, value in zip(node.value.keys, node.value.values, strict=True)
                if isinstance(key, ast.Constant)
            ]
        return node
