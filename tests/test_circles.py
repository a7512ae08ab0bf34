"""Circular imports among modules, including imports inside functions: import-linter checks layers, not circles within a folder."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import arrowjag

PACKAGE = Path(arrowjag.__file__).parent

ABOVE_THE_FACADE = ("arrowjag.cli", "arrowjag.demo")
"""Users of the package within it: the command, and the example that runs as a user's program."""

Graph = Mapping[str, set[str]]


def modules(package: Path) -> dict[str, ast.Module]:
    """Each module of a package, by its dotted name."""
    found = {}
    for path in package.rglob("*.py"):
        parts = path.relative_to(package.parent).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = ast.parse(path.read_text(encoding="utf-8"))
    return found


def executed(tree: ast.AST) -> Iterator[ast.AST]:
    """Every statement below, but for blocks that only type checkers read; expressions hold no imports."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.expr) or (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)):
            continue
        yield node
        yield from executed(node)


def import_graph(trees: Mapping[str, ast.Module]) -> dict[str, set[str]]:
    """The modules that each module imports by name; the packages above an imported module are not counted."""
    graph: dict[str, set[str]] = {}
    for name, tree in trees.items():
        wanted = graph.setdefault(name, set())
        for node in executed(tree):
            if isinstance(node, ast.Import):
                wanted |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                inner = {f"{node.module}.{alias.name}" for alias in node.names}
                wanted |= (inner & trees.keys()) or {node.module}
        wanted &= trees.keys() - {name}
    return graph


def reachable(graph: Graph, start: str) -> set[str]:
    """Every module that imports lead to from this one; itself only by way of a circle."""
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        new = graph[waiting.pop()] - seen
        seen |= new
        waiting.extend(new)
    return seen


def circles(graph: Graph) -> list[frozenset[str]]:
    """The sets of modules that all reach each other."""
    reach = {name: reachable(graph, name) for name in graph}
    found = {frozenset(other for other in reach[name] if name in reach[other]) for name in graph if name in reach[name]}
    return sorted(found, key=sorted)


def a_way_round(graph: Graph, circle: frozenset[str]) -> str:
    """One chain of imports that comes back to where it began, the shortest from the first module."""
    start = min(circle)
    chains = [[start]]
    seen: set[str] = set()
    for chain in chains:
        for following in sorted(graph[chain[-1]] & circle - seen):
            if following == start:
                return " -> ".join([*chain, start])
            seen.add(following)
            chains.append([*chain, following])
    raise AssertionError(circle)


@pytest.fixture(scope="module")
def graph() -> Graph:
    return import_graph(modules(PACKAGE))


def test_no_import_circle(graph: Graph) -> None:
    told = [f"{len(circle)} modules import each other, such as {a_way_round(graph, circle)}" for circle in circles(graph)]
    assert not told, "\n".join([*told, "Move what both need to a module that both may import."])


def test_layers_do_not_import_the_facade(graph: Graph) -> None:
    importers = sorted(name for name, wanted in graph.items() if "arrowjag" in wanted and not name.startswith(ABOVE_THE_FACADE))
    assert not importers, f"{importers} import from `arrowjag`; import from the module that defines the name"


def test_a_circle_through_a_function_is_seen(tmp_path: Path) -> None:
    package = tmp_path / "house"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "roof.py").write_text("import house.wall\n")
    (package / "wall.py").write_text("def stand():\n    from house import door\n    return door\n")
    (package / "door.py").write_text("if TYPE_CHECKING:\n    from house import wall\nfrom house.roof import tile\n")
    graph = import_graph(modules(package))
    (circle,) = circles(graph)
    assert circle == {"house.roof", "house.wall", "house.door"}
    assert a_way_round(graph, circle) == "house.door -> house.roof -> house.wall -> house.door"
