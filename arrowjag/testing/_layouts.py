"""Nested Arrow arrays of the same content in every physical layout: unused values, slices, values under nulls, views, chunks.

`lay_out` takes rows as Python lists and draws a physical layout of their buffers. The layout does not affect
`to_pylist()`, but breaks code that reads `.values` and `.offsets` as if an array began at its first byte.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from arrowjag.testing._leaves import leaf_arrays

__all__ = ["STORAGES", "Layout", "lay_out", "list_type"]

#: The storage kinds of one list level.
STORAGES = ("large_list", "list", "fixed_size_list", "list_view", "large_list_view")

_Draw = Callable[[SearchStrategy[Any]], Any]
_Rows = Sequence[Any]


@dataclass(frozen=True)
class Layout:
    """Options for physical layout: slack, masked-out rows, slicing, and garbage under nulls.

    Attributes
    ----------
    leaf : pyarrow.DataType
        The leaf type.
    storages : tuple of str
        One of `STORAGES` for each list level, outermost first.
    junk : tuple of SearchStrategy
        For each level from the rows to the leaves: arbitrary items for slots that no reader may use.
    slack : bool
        Values before the first offset, after the last, between views, and under null rows.
    sliced : bool
        Arrays with an offset, at every level.
    """

    leaf: pa.DataType
    storages: tuple[str, ...]
    junk: tuple[SearchStrategy[Any], ...]
    slack: bool = True
    sliced: bool = True
    extents: tuple[int | None, ...] = ()
    name: str = "item"


def list_type(inner: pa.DataType, storage: str, extent: int | None, name: str) -> pa.DataType:
    """The Arrow list type of one level; `extent` is read for fixed_size_list only."""
    field = pa.field(name, inner)
    if storage == "fixed_size_list":
        return pa.list_(field, extent or 0)
    makers: dict[str, Callable[[Any], pa.DataType]] = {
        "list": pa.list_,
        "large_list": pa.large_list,
        "list_view": pa.list_view,
        "large_list_view": pa.large_list_view,
    }
    return makers[storage](field)


def lay_out(draw: _Draw, rows: _Rows, layout: Layout, level: int = 0) -> pa.Array[Any]:
    """Build an array whose `to_pylist()` is `rows`, with slack and garbage as the layout allows."""
    before, after = (_junk(draw, layout, level, most=2) if layout.sliced else [] for _ in range(2))
    items = [*before, *rows, *after]
    array = _leaves(draw, items, layout) if level == len(layout.storages) else _lists(draw, items, layout, level)
    return array.slice(len(before), len(rows))


def _leaves(draw: _Draw, items: _Rows, layout: Layout) -> pa.Array[Any]:
    fillers = [item for item in _junk(draw, layout, len(layout.storages), most=2) if item is not None]
    return leaf_arrays(items, layout.leaf, fillers if layout.slack else [])


def _lists(draw: _Draw, items: _Rows, layout: Layout, level: int) -> pa.Array[Any]:
    storage = layout.storages[level]
    hidden = [_hidden(draw, layout, level) if item is None else [] for item in items]
    cells = [hidden[row] if item is None else item for row, item in enumerate(items)]
    valid = _bitmap([item is not None for item in items])
    if storage == "fixed_size_list":
        return _fixed_size_list(draw, cells, valid, layout, level)
    first = _junk(draw, layout, level + 1, most=2) if layout.slack else []
    last = _junk(draw, layout, level + 1, most=1) if layout.slack else []
    if storage.endswith("list_view"):
        return _list_view(draw, cells, valid, first, layout, level)
    child = lay_out(draw, [*first, *(value for cell in cells for value in cell), *last], layout, level + 1)
    offsets = np.cumsum([len(first), *map(len, cells)])
    width = np.int64 if storage == "large_list" else np.int32
    return _build(child, layout, level, len(items), [valid, pa.py_buffer(offsets.astype(width).data)])


def _fixed_size_list(draw: _Draw, cells: _Rows, valid: pa.Buffer | None, layout: Layout, level: int) -> pa.Array[Any]:
    child = lay_out(draw, [value for cell in cells for value in cell], layout, level + 1)
    return _build(child, layout, level, len(cells), [valid])


def _list_view(draw: _Draw, cells: _Rows, valid: pa.Buffer | None, first: _Rows, layout: Layout, level: int) -> pa.Array[Any]:
    """Store rows in any order, with garbage between them; equal rows share their values."""
    order = draw(st.permutations(range(len(cells)))) if layout.slack else range(len(cells))
    values, starts, seen = list(first), [0] * len(cells), dict[str, int]()
    for row in order:
        starts[row] = seen.setdefault(repr(cells[row]), len(values)) if layout.slack else len(values)
        if starts[row] == len(values):
            values += [*cells[row], *(_junk(draw, layout, level + 1, most=1) if layout.slack else [])]
    width = np.int64 if layout.storages[level].startswith("large") else np.int32
    buffers = [pa.py_buffer(np.array(part, dtype=width).data) for part in (starts, [len(cell) for cell in cells])]
    return _build(lay_out(draw, values, layout, level + 1), layout, level, len(cells), [valid, *buffers])


def _build(child: pa.Array[Any], layout: Layout, level: int, length: int, buffers: list[pa.Buffer | None]) -> pa.Array[Any]:
    kind = list_type(child.type, layout.storages[level], layout.extents[level], layout.name)
    return pa.Array.from_buffers(kind, length, buffers, children=[child])


def _hidden(draw: _Draw, layout: Layout, level: int) -> list[Any]:
    """Draw the hidden values of a null row."""
    extent = layout.extents[level] if layout.storages[level] == "fixed_size_list" else None
    if extent is not None:
        return [draw(layout.junk[level + 1]) for _ in range(extent)]
    return _junk(draw, layout, level + 1, most=2) if layout.slack else []


def _junk(draw: _Draw, layout: Layout, level: int, most: int) -> list[Any]:
    return list(draw(st.lists(layout.junk[level], max_size=most)))


def _bitmap(valid: list[bool]) -> pa.Buffer | None:
    return None if all(valid) else pa.array(valid, pa.bool_()).buffers()[1]
