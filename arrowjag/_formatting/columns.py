"""Text and HTML of a column: its shape, its type, and the head and tail of its rows, at any size."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from arrowjag._arrow import is_list_type
from arrowjag._column import Column, row_validity
from arrowjag._html import count_text, dims_table, escape, part, rows_html, section
from arrowjag._kernels.base.words import is_string
from arrowjag.shape._text import shape_text

__all__ = ["Style", "array_html", "cell_text", "leaf_text", "printable", "row_text", "shown_rows", "styled", "text", "type_text"]

_ROWS = 5
_WIDTH = 110
_LIMITS = (64, 32, 16, 8, 4, 3, 2, 1)
_TEXT = 60
_LONG = 4 * (_TEXT + 4)
"""Bytes that hold more characters than are shown."""
_TEXTS = (pa.StringScalar, pa.LargeStringScalar, pa.StringViewScalar)


def text(column: Column) -> str:
    """The repr of an array: one line of facts, then the rows."""
    if column.ndim == 0:
        return f"JaggedArray(scalar of {column.type}): {_leaf(column, 0)}"
    shape = shape_text(column.shape.dims, at_a_glance=True).removeprefix("a shape ")  # of a sample
    head = f"JaggedArray {shape} of {type_text(column)}"
    n = column.shape.nodes(1)
    if n == 0:
        return f"{head}\n[]"
    lines = [row_text(column, row, _WIDTH) if row is not None else "..." for row in shown_rows(n)]
    return f"{head}\n[{(',' + chr(10) + ' ').join(lines)}]"


def printable(name: str) -> str:
    """Escape control characters in text of a file, such as a line feed in a name, as Python's repr does."""
    return "".join(one if one.isprintable() else repr(one)[1:-1] for one in name)


def type_text(column: Column) -> str:
    """The leaf type on one line."""
    name = str(column.type).replace("\n", " ")
    return name if len(name) <= 2 * _WIDTH else f"{name[: 2 * _WIDTH]}..."


def shown_rows(n: int, limit: int = _ROWS) -> list[int | None]:
    """Return the row numbers of head and tail; None marks the omitted rows between them."""
    if n <= 2 * limit:
        return list(range(n))
    return [*range(limit), None, *range(n - limit, n)]


class _TooLongError(Exception):
    """More text than there is room for."""


@dataclass(frozen=True)
class Style:
    """How items are formatted.

    Attributes
    ----------
    digits : int
        Significant digits of floats, at least 1; the whole part of a number and one decimal are always shown.
    characters : int
        Maximal length of a text.
    items : int
        Maximal number of items at either end of a list.
    number : callable or None
        Formats a float in place of `digits`.
    """

    digits: int = 6
    characters: int = _TEXT
    items: int = _LIMITS[0]
    number: Callable[[float], str] | None = None


_EXPONENT = 1e16
"""Floats from here on have an exponent, as in their `repr`."""

_PLAIN = Style()
_STYLE = ContextVar("style", default=_PLAIN)


@contextmanager
def styled(**changes: Any) -> Iterator[None]:
    """Format with other attributes of `Style` inside the `with` block."""
    token = _STYLE.set(replace(_STYLE.get(), **changes))
    try:
        yield
    finally:
        _STYLE.reset(token)


def row_text(column: Column, row: int, width: int = _WIDTH) -> str:
    """One row as text, cut in the middle of each level where it is long.

    Cost: a few times `width` characters, whatever the row holds.
    """
    for limit in _LIMITS:
        try:
            line = "".join(_within(_item(column, 1, row, limit), width if limit > 1 else 4 * width))
        except _TooLongError:
            continue
        return line
    cut = 4 * width
    pieces, length = [], 0
    for piece in _item(column, 1, row, 1):
        pieces.append(piece)
        length += len(piece)
        if length > cut:
            break
    return f"{''.join(pieces)[:cut]}..."


def cell_text(column: Column, row: int, width: int) -> str:
    """Format one row with at most `width` characters.

    Lists lose items in their middle first, then texts lose characters, and at last the end is cut.
    """
    for characters in (_TEXT, _TEXT // 3, _TEXT // 6):
        with styled(characters=characters):
            for limit in _LIMITS:
                try:
                    return "".join(_within(_item(column, 1, row, limit), width))
                except _TooLongError:
                    continue
    return _start_of(_item(column, 1, row, 1), width)


def _start_of(pieces: Iterator[str], width: int) -> str:
    """Join the first pieces that fit into the width, up to a comma if one is in the second half."""
    line = ""
    for piece in pieces:
        line += piece
        if len(line) > width:
            break
    line = line[: width - 3]
    comma = line.rfind(", ") + 2
    return f"{line[:comma] if comma > width // 2 else line}..."


def _within(pieces: Iterator[str], width: int) -> Iterator[str]:
    length = 0
    for piece in pieces:
        length += len(piece)
        if length > width:
            raise _TooLongError
        yield piece


def _item(column: Column, depth: int, place: int, limit: int) -> Iterator[str]:
    """The pieces of an item; each level shows at most `limit` items at either end."""
    if depth == column.ndim:
        yield _leaf(column, place)
        return
    validity = row_validity(column, depth)
    if validity is not None and not validity[place]:
        yield "null"
        return
    dim = column.shape.dims[depth]
    start, stop = dim.offset_of(place), dim.offset_of(place + 1)
    yield "["
    for at, one in enumerate(shown_rows(stop - start, min(limit, _STYLE.get().items))):
        if at:
            yield ", "
        if one is None:
            yield "..."
        else:
            yield from _item(column, depth + 1, start + one, limit)
    yield "]"


def _leaf(column: Column, place: int) -> str:
    values = column._stored
    try:
        return leaf_text(values[place].as_py()) if pt.is_primitive(values.type) else _scalar_text(_start(values, place))
    except (ValueError, OverflowError, ImportError, pa.ArrowException):  # a time that Python can't represent
        scalar = values[place]
        return f"{getattr(scalar, 'value', '?')} in {scalar.type}"


def _start(values: pa.Array, place: int) -> pa.Scalar:
    """One item; of a text its first characters, because a scalar of pyarrow copies all of them."""
    type = values.type
    if is_string(type):
        return pc.utf8_slice_codeunits(values.slice(place, 1), 0, _TEXT + 1)[0]
    if pt.is_binary(type) or pt.is_large_binary(type):
        return pc.binary_slice(values.slice(place, 1), 0, _TEXT + 1)[0]
    return values[place]


def _scalar_text(scalar: Any) -> str:
    """An Arrow scalar as text; no more of long text and of long lists is turned into Python than is shown."""
    type = scalar.type
    if pt.is_primitive(type):
        return leaf_text(scalar.as_py())
    if not scalar.is_valid:
        return "null"
    if pt.is_struct(type):
        return "{" + ", ".join(f"{type.field(at).name}: {_scalar_text(scalar[at])}" for at in range(type.num_fields)) + "}"
    if is_list_type(type):
        items = scalar.values
        return f"[{', '.join('...' if one is None else _scalar_text(items[one]) for one in shown_rows(len(items), 3))}]"
    if isinstance(scalar, pa.BinaryScalar) and len(buffer := scalar.as_buffer()) > _LONG:
        start = buffer[:_LONG].to_pybytes()
        return leaf_text(start.decode(errors="ignore") if isinstance(scalar, _TEXTS) else start)
    return leaf_text(scalar.as_py())


def leaf_text(value: Any) -> str:
    """A leaf value as text: a float with the significant digits asked for, quoted text, `null`."""
    if value is None:
        return "null"
    if isinstance(value, float):
        style = _STYLE.get()
        if style.number is not None:
            return style.number(value)
        if 1 <= abs(value) < _EXPONENT:  # the whole part is never rounded: 9999996.5 is not 1e+07, and 123456.7 no integer
            short = f"{value:.{max(style.digits - len(str(int(abs(value)))), 1)}f}".rstrip("0")
            return f"{short}0" if short.endswith(".") else short
        short = format(value, f".{style.digits}g")
        return short if any(mark in short for mark in ".en") else f"{short}.0"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {leaf_text(one)}" for key, one in value.items()) + "}"
    if isinstance(value, (str, bytes)):
        most = _STYLE.get().characters
        shown = repr(value[: most + 1])
        return shown if len(value) <= most and len(shown) <= most else f"{shown[: most - 3]}..."
    if isinstance(value, list):
        return _list_text(value)
    if isinstance(value, dt.timedelta):
        return str(value).replace(", ", " ")  # a comma separates items
    return str(value)


def _list_text(value: list[Any]) -> str:
    parts = ["..." if one is None else leaf_text(value[one]) for one in shown_rows(len(value), 3)]
    return f"[{', '.join(parts)}]"


def array_html(column: Column) -> str:
    """Format a column for a notebook, as a section that opens and closes: facts, dims, and the head and tail of its rows.

    Cost: that of the text, independent of the size of the column: sizes are not counted, only those at the ends are read.
    """
    if column.ndim == 0:
        return part(f"<code>{escape(text(column))}</code>")
    shape = escape(shape_text(column.shape.dims, at_a_glance=True))
    rows = rows_html((row, row_text(column, row) if row is not None else "") for row in shown_rows(column.shape.nodes(1)))
    values = column._stored
    nulls = "" if pt.is_run_end_encoded(values.type) else f" ({values.null_count:,} null)"
    facts = f"{count_text(column.ndim, 'dim')}, {count_text(len(values), 'value')}{nulls}"
    dims = f'<details><summary class="quiet">{facts}</summary>{dims_table(column.shape.dims)}</details>'
    head = f"<b>JaggedArray</b> <code>{shape}</code> of <code>{escape(type_text(column))}</code>"
    return section(head, f"{rows}{dims}")
