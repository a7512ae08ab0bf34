"""Rename the columns of a Parquet footer by field ids, as Iceberg identifies columns: old files keep the names of their time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from arrowjag.io._thrift import BINARY, INT, list_spans, read_struct, span_of, varint

__all__ = ["FieldNames", "rename_fields"]

_SCHEMA, _NAME = 2, 4
_ELEMENT = {_NAME: BINARY, 5: INT, 6: INT, 9: INT, 10: {2: {}, 3: {}}}
"""Thrift ids of the fields of `SchemaElement`: name, number of children, converted type, field id, logical type (MAP, LIST)."""
_MAPS, _LIST = (1, 2), 3
_ARROW_SCHEMA, _IGNORED = b"\x18\x0cARROW:schema", b"\x18\x0cother:schema"


@dataclass(frozen=True)
class FieldNames:
    """The names of the fields of a table.

    Parameters
    ----------
    current : dict
        The name of each field of the table, also of those inside structs, by its id.
    mapping : dict
        The ids of fields by their paths, for files without ids. Items of lists are called ``element``, of maps ``key`` and
        ``value``.
    """

    current: dict[int, str]
    mapping: dict[str, int] = field(default_factory=dict)


def rename_fields(content: bytes, names: FieldNames) -> bytes:
    """Return a footer in which fields have the names of the table; fields that the table no longer has get other names.

    Parameters
    ----------
    content : bytes
        The serialized footer.
    names : FieldNames
        The names of the table.

    Returns
    -------
    bytes
        A footer for the same file. The Arrow schema of the writer is ignored, because it has the old names.

    Raises
    ------
    ValueError
        If the footer can't be parsed, or neither the file nor the table says which column is which.
    """
    spans = list_spans(content, _SCHEMA)
    elements = [read_struct(content[start:end], _ELEMENT) for start, end in spans]
    tree = _Tree(elements, names)
    tree.children(0, "")
    pieces, done = [], 0
    for place, name in sorted(tree.renamed.items()):
        start, end = span_of(content[slice(*spans[place])], _NAME)
        pieces += [content[done : spans[place][0] + start], varint(len(name)), name]
        done = spans[place][0] + end
    pieces.append(content[done:])
    return b"".join(pieces).replace(_ARROW_SCHEMA, _IGNORED)


class _Tree:
    """The schema elements of a footer in depth-first order; `renamed` holds the new names by place."""

    def __init__(self, elements: list[dict[int, Any]], names: FieldNames) -> None:
        self.renamed: dict[int, bytes] = {}
        self._elements, self._names = elements, names
        self._has_ids = any(element.get(9, -1) >= 0 for element in elements)
        if not self._has_ids and not names.mapping:
            raise ValueError("its columns have no field ids, and the table has no schema.name-mapping.default")

    def children(self, place: int, path: str) -> int:
        """Visit the fields of a struct; return the place behind them."""
        count, place = self._count(place), place + 1
        seen: dict[str, str] = {}
        for _ in range(count):
            old = self._elements[place][_NAME].decode() if place < len(self._elements) else ""
            new, place = self._field(place, path)
            if new in seen:
                raise ValueError(f"its columns {path}{seen[new]} and {path}{old} are the same field of the table, {path}{new}")
            seen[new] = old
        return place

    def _count(self, place: int) -> int:
        if place >= len(self._elements):
            raise ValueError("the schema of the footer ends early")
        return int(self._elements[place].get(5, 0))

    def _field(self, place: int, path: str) -> tuple[str, int]:
        self._count(place)
        element = self._elements[place]
        name = element[_NAME].decode()
        below = f"{path}{name}"
        number = element.get(9, -1) if self._has_ids else self._names.mapping.get(below, -1)
        new = self._names.current.get(number, f"(dropped field {place})")
        if new != name:
            self.renamed[place] = new.encode()
        return new, self._type(place, below)

    def _type(self, place: int, path: str) -> int:
        element, count = self._elements[place], self._count(place)
        logical = element.get(10, {})
        is_list, is_map = element.get(6) == _LIST or 3 in logical, element.get(6) in _MAPS or 2 in logical
        if is_list and count == 1 and self._count(place + 1) == 1:
            return self._type(place + 2, f"{path}.element")
        if is_list and count == 1:  # a list of two levels, whose repeated group is the item itself
            return self.children(place + 1, f"{path}.element.")
        if is_map and count == 1 and self._count(place + 1) == 2:
            return self._type(self._type(place + 2, f"{path}.key"), f"{path}.value")
        return self.children(place, f"{path}.")
