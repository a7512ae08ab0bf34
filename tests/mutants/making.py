"""Mutants of one file, by mutmut's operators."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import libcst as cst
from libcst.metadata import MetadataWrapper
from mutmut.mutation.file_mutation import MutationVisitor, deep_replace
from mutmut.mutation.mutators import mutation_operators, operator_string
from mutmut.mutation.pragma_handling import IgnoredCode

from tests.mutants import reach


class Mutant(NamedTuple):
    """One fault: the file with it, the function that holds it (empty at the top of the module), and the lines before and after."""

    path: str
    function: str
    was: str
    now: str
    source: str
    stretch: str = ""
    """The name of the statements around it that are reached together."""

    @property
    def key(self) -> tuple[str, str, str]:
        """Its identity as long as the line does not change, wherever the file moves."""
        return self.function, self.was, self.now


class _Visitor(MutationVisitor):
    """Mutates decorated functions too, for nothing is copied here; leaves out texts of errors, `cast` and `__all__`."""

    def _skip_node_and_children(self, node: cst.CSTNode) -> bool:
        if isinstance(node, (cst.Raise, cst.Import, cst.ImportFrom)):
            return True
        if isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value in ("cast", "TypeVar"):
            return True
        if isinstance(node, cst.Assign) and getattr(node.targets[0].target, "value", "") in ("__all__", "__slots__"):
            return True
        return not isinstance(node, cst.FunctionDef) and bool(super()._skip_node_and_children(node))


def mutants(path: Path, root: Path) -> list[Mutant]:
    """Every mutant of a file that is another program: what changes annotations alone is none.

    Only the statement at the top of the module that holds the fault is written and compared anew: 10 times faster than all of it.
    """
    code, name = path.read_text(encoding="utf-8"), path.relative_to(root).as_posix()
    wrapper = MetadataWrapper(cst.parse_module(code))
    visitor = _Visitor(_operators(), IgnoredCode(set(), set(), set()))
    module = cst.ensure_type(wrapper.visit(visitor), cst.Module)
    texts = [module.code_for_node(statement) for statement in module.body]
    before, body, after = code.partition("".join(texts))
    assert body, name
    places = {id(node): place for place, statement in enumerate(module.body) for node in _nodes(statement)}
    programs, owners = [{_program(text)} for text in texts], _owners(code, name)
    starts = [before.count("\n") + sum(text.count("\n") for text in texts[:place]) for place in range(len(texts))]
    found, aliases = [], _aliases(code)
    for mutation in visitor.mutations:
        place = places[id(mutation.original_node)]
        text = module.code_for_node(deep_replace(module.body[place], mutation.original_node, mutation.mutated_node))  # type: ignore[arg-type]
        try:
            program = _program(text)
        except SyntaxError:
            continue
        if program not in programs[place]:
            was, now, line = _changed(texts[place], text)
            if was.partition(" =")[0] not in aliases:
                programs[place].add(program)
                source = "".join([before, *texts[:place], text, *texts[place + 1 :], after])
                function, stretch = owners.get(starts[place] + line, ("", ""))
                found.append(Mutant(name, function, was, now, source, stretch))
    return found


def _nodes(tree: cst.CSTNode) -> Iterator[cst.CSTNode]:
    yield tree
    for child in tree.children:
        yield from _nodes(child)


def _operators() -> list[tuple[type, object]]:
    """mutmut's, with one mutant of a string instead of three."""

    def one_string(node: cst.BaseString) -> Iterator[cst.BaseString]:
        yield from list(operator_string(node))[:1]

    return [(kind, one_string if operator is operator_string else operator) for kind, operator in mutation_operators]


def _aliases(code: str) -> set[str]:
    """Names that annotations alone use: aliases of types."""
    names = lambda tree: {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}  # noqa: E731
    return names(ast.parse(code)) - names(_stripped(code))


def _program(source: str) -> str:
    """The syntax tree of the file as text, to compare two of them."""
    return ast.dump(_stripped(source))


def _stripped(source: str) -> ast.Module:
    """The code without annotations, which change nothing that a test could see."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            node.returns = None
        if isinstance(node, ast.arg):
            node.annotation = None
        if isinstance(node, ast.AnnAssign):
            node.annotation = ast.Constant(None)
    return tree


def _changed(code: str, source: str) -> tuple[str, str, int]:
    """The lines that differ, before and after, and the number of the first."""
    before, after = code.splitlines(), source.splitlines()
    changes = [one for one in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes() if one[0] != "equal"]
    first, last, new_first, new_last = changes[0][1], changes[-1][2], changes[0][3], changes[-1][4]
    joined = lambda lines: " ".join(line.strip() for line in lines)  # noqa: E731
    return joined(before[first:last]), joined(after[new_first:new_last]), first + 1


def _owners(code: str, path: str) -> dict[int, tuple[str, str]]:
    """The top-level function or method around each line, and the stretch; a decorator and a header belong to no stretch."""
    tree, found = ast.parse(code), dict[int, tuple[str, str]]()
    owners: list[tuple[str, ast.stmt]] = [("", node) for node in tree.body]
    owners += [(f"{node.name}.", part) for node in tree.body if isinstance(node, ast.ClassDef) for part in node.body]
    for prefix, node in owners:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            found |= dict.fromkeys(range(first, (node.end_lineno or 0) + 1), (prefix + node.name, ""))
    for one in reach.stretches(tree, path):
        last = one.block[one.end - 1].end_lineno or 0
        found |= dict.fromkeys(range(one.block[one.begin].lineno, last + 1), (one.function, one.name))
    return found
