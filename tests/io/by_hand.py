"""Parquet files made byte by byte, so that they can have layouts that writers of today no longer produce.

Records are given as the schema has them: a dict for a group, None for an optional that is absent, a list for a repeated.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

REQUIRED, OPTIONAL, REPEATED = range(3)
PHYSICAL = {"int32": 1, "int64": 2, "double": 5, "binary": 6}
CONVERTED = {"UTF8": 0, "MAP": 1, "MAP_KEY_VALUE": 2, "LIST": 3}
_I32, _I64, _BINARY, _LIST, _STRUCT = 5, 6, 8, 9, 12


@dataclass
class Node:
    """A group, or a leaf of a physical type."""

    repetition: int
    name: str
    children: list[Node] = field(default_factory=list)
    type: str | None = None
    converted: str | None = None


def group(repetition: int, name: str, *children: Node, converted: str | None = None) -> Node:
    return Node(repetition, name, list(children), None, converted)


def leaf(repetition: int, type: str, name: str, converted: str | None = None) -> Node:
    return Node(repetition, name, [], type, converted)


def make_file(columns: list[Node], records: list[dict[str, Any]]) -> bytes:
    """A whole file: one row group, one plain page a column."""
    out = bytearray(b"PAR1")
    chunks = []
    for path, kinds, node in _leaves(columns, [], []):
        cells = [cell for record in records for cell in _shred(columns, record, path)]
        page = _page(cells, kinds, str(node.type))
        chunks.append(_chunk(path, node, len(cells), len(out), len(page)))
        out += page
    row_group = _struct({1: (_LIST, (_STRUCT, chunks)), 2: (_I64, len(out)), 3: (_I64, len(records))})
    elements = [_element(Node(REQUIRED, "schema", columns), root=True)]
    elements += [element for node in columns for element in _elements(node)]
    footer = _struct({
        1: (_I32, 1), 2: (_LIST, (_STRUCT, elements)), 3: (_I64, len(records)), 4: (_LIST, (_STRUCT, [row_group]))
    })  # fmt: skip
    return bytes(out) + footer + struct.pack("<i", len(footer)) + b"PAR1"


# ------------------------------------------------------------------------------------------------- levels and pages


def _leaves(nodes: list[Node], path: list[str], kinds: list[int]) -> Iterator[tuple[list[str], list[int], Node]]:
    for node in nodes:
        here = ([*path, node.name], [*kinds, node.repetition])
        if node.type is None:
            yield from _leaves(node.children, *here)
        else:
            yield *here, node


def _shred(columns: list[Node], record: dict[str, Any], path: list[str]) -> Iterator[tuple[int, int, Any]]:
    """Repetition level, definition level and value of each cell of one leaf in one record."""

    def walk(nodes: list[Node], value: Any, place: int, rep: int, seen: int, definition: int) -> Iterator[tuple[int, int, Any]]:
        if place == len(path):
            yield rep, definition, value
            return
        node = next(node for node in nodes if node.name == path[place])
        inner = value[node.name] if isinstance(value, dict) else None
        seen += node.repetition == REPEATED
        items = inner if node.repetition == REPEATED else [] if inner is None else [inner]
        if not items:
            assert node.repetition != REQUIRED, f"{path[: place + 1]} is required"
            yield rep, definition, None
        for slot, item in enumerate(items):
            level = definition + (node.repetition != REQUIRED)
            yield from walk(node.children, item, place + 1, rep if slot == 0 else seen, seen, level)

    return walk(columns, record, 0, 0, 0, 0)


def _page(cells: list[tuple[int, int, Any]], kinds: list[int], type: str) -> bytes:
    most = kinds.count(REPEATED), sum(kind != REQUIRED for kind in kinds)
    content = b"".join(_levels([cell[which] for cell in cells], most[which]) for which in (0, 1))
    content += b"".join(_plain(type, value) for _, definition, value in cells if definition == most[1])
    data = _struct({1: (_I32, len(cells)), 2: (_I32, 0), 3: (_I32, 3), 4: (_I32, 3)})
    return _struct({1: (_I32, 0), 2: (_I32, len(content)), 3: (_I32, len(content)), 5: (_STRUCT, data)}) + content


def _levels(levels: list[int], most: int) -> bytes:
    """Runs of one, each a count and a byte."""
    if most == 0:
        return b""
    runs = b"".join(bytes([1 << 1, level]) for level in levels)
    return struct.pack("<i", len(runs)) + runs


def _plain(type: str, value: Any) -> bytes:
    if type == "binary":
        return struct.pack("<i", len(value.encode())) + value.encode()
    return struct.pack({"int32": "<i", "int64": "<q", "double": "<d"}[type], value)


# ---------------------------------------------------------------------------------- footer, in Thrift's compact protocol


def _chunk(path: list[str], node: Node, n_values: int, offset: int, size: int) -> bytes:
    facts = {
        1: (_I32, PHYSICAL[str(node.type)]),
        2: (_LIST, (_I32, [_zigzag(0), _zigzag(3)])),
        3: (_LIST, (_BINARY, [_text(name) for name in path])),
        4: (_I32, 0),
        5: (_I64, n_values),
        6: (_I64, size),
        7: (_I64, size),
        9: (_I64, offset),
    }
    return _struct({2: (_I64, offset), 3: (_STRUCT, _struct(facts))})


def _elements(node: Node) -> Iterator[bytes]:
    yield _element(node)
    for child in node.children:
        yield from _elements(child)


def _element(node: Node, root: bool = False) -> bytes:
    facts: dict[int, tuple[int, Any]] = {}
    if node.type is not None:
        facts[1] = (_I32, PHYSICAL[node.type])
    if not root:
        facts[3] = (_I32, node.repetition)
    facts[4] = (_BINARY, node.name)
    if node.type is None:
        facts[5] = (_I32, len(node.children))
    if node.converted is not None:
        facts[6] = (_I32, CONVERTED[node.converted])
    return _struct(facts)


def _struct(facts: dict[int, tuple[int, Any]]) -> bytes:
    out = bytearray()
    last = 0
    for number, (kind, value) in facts.items():
        out.append((number - last) << 4 | kind)
        last = number
        if kind in (_I32, _I64):
            out += _zigzag(value)
        elif kind == _BINARY:
            out += _text(value)
        elif kind == _LIST:
            item, items = value
            out += bytes([len(items) << 4 | item]) if len(items) < 15 else bytes([0xF0 | item]) + _varint(len(items))
            out += b"".join(items)
        else:
            out += value
    return bytes(out) + b"\0"


def _text(value: str) -> bytes:
    return _varint(len(value.encode())) + value.encode()


def _zigzag(number: int) -> bytes:
    return _varint(number << 1)


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])
