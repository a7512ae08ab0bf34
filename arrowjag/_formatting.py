"""Text and HTML of a column: its shape, its type, and the head and tail of its rows, at any size."""

from __future__ import annotations

import html as _html
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from arrowjag._arrow import is_list_type
from arrowjag._column import Column, row_validity
from arrowjag.dims import Dim
from arrowjag.shape._text import shape_text

__all__ = ["STYLE", "html", "item_text", "leaf_text", "shown_rows", "text"]

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
    head = f"JaggedArray {shape_text(column.shape, at_a_glance=True)} of {_type_text(column)}"
    n = column.shape.nodes(1)
    if n == 0:
        return f"{head}\n[]"
    lines = [item_text(column, 1, row, _WIDTH) if row is not None else "..." for row in shown_rows(n)]
    return f"{head}\n[{(',' + chr(10) + ' ').join(lines)}]"


def _type_text(column: Column) -> str:
    """The leaf type on one line."""
    name = str(column.type).replace("\n", " ")
    return name if len(name) <= 2 * _WIDTH else f"{name[: 2 * _WIDTH]}..."


def shown_rows(n: int, limit: int = _ROWS) -> list[int | None]:
    """Row numbers of the head and the tail; None stands for what lies between."""
    if n <= 2 * limit:
        return list(range(n))
    return [*range(limit), None, *range(n - limit, n)]


_COUNTED = 1 << 25
"""Rows whose nulls are counted in a few milliseconds."""


class _TooLongError(Exception):
    """More text than there is room for."""


def item_text(column: Column, depth: int, place: int, width: int = _WIDTH) -> str:
    """One item after the first `depth` dims as text, cut in the middle of each level where it is long.

    Cost: a few times `width` characters, whatever the item holds.
    """
    for limit in _LIMITS:
        try:
            line = "".join(_within(_item(column, depth, place, limit), width if limit > 1 else 4 * width))
        except _TooLongError:
            continue
        return line
    cut = 4 * width
    pieces, length = [], 0
    for piece in _item(column, depth, place, 1):
        pieces.append(piece)
        length += len(piece)
        if length > cut:
            break
    return f"{''.join(pieces)[:cut]}..."


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
    for at, one in enumerate(shown_rows(stop - start, limit)):
        if at:
            yield ", "
        if one is None:
            yield "..."
        else:
            yield from _item(column, depth + 1, start + one, limit)
    yield "]"


def _leaf(column: Column, place: int) -> str:
    values = column._values
    try:
        return leaf_text(values[place].as_py()) if pt.is_primitive(values.type) else _scalar_text(_start(values, place))
    except (ValueError, OverflowError, ImportError, pa.ArrowException):  # a time that Python can't tell, or not by itself
        scalar = values[place]
        return f"{getattr(scalar, 'value', '?')} in {scalar.type}"


def _start(values: pa.Array, place: int) -> pa.Scalar:
    """One item; of a text its first characters, because a scalar of pyarrow copies all of them."""
    type = values.type
    if pt.is_string(type) or pt.is_large_string(type):
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
    """A leaf value as text: six digits of a float, quoted text, `null`."""
    if value is None:
        return "null"
    if isinstance(value, float):
        short = format(value, ".6g")
        return short if any(mark in short for mark in ".en") else f"{short}.0"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {leaf_text(one)}" for key, one in value.items()) + "}"
    if isinstance(value, (str, bytes)):
        shown = repr(value[: _TEXT + 1])
        return shown if len(value) <= _TEXT and len(shown) <= _TEXT else f"{shown[: _TEXT - 3]}..."
    if isinstance(value, list):
        return _list_text(value)
    return str(value)


def _list_text(value: list[Any]) -> str:
    parts = ["..." if one is None else leaf_text(value[one]) for one in shown_rows(len(value), 3)]
    return f"[{', '.join(parts)}]"


# ------------------------------------------------------------------------------------------------- HTML

STYLE = """
.arrowjag{--text:#1f2430;--quiet:#5b6475;--line:#d7dce5;--back:#f6f8fb;--mark:#2f5fd0;--null:#b4530a;
color:var(--text);font:14px/1.5 system-ui,sans-serif;max-width:100%;text-align:left}
@media (prefers-color-scheme:dark){
.arrowjag{--text:#e6e9f0;--quiet:#a3adbf;--line:#3a4252;--back:#1d222c;--mark:#8fb2ff;--null:#ffb070}}
.arrowjag summary{cursor:pointer;padding:2px 4px;border-radius:4px}
.arrowjag summary:hover{background:var(--back)}
.arrowjag summary:focus-visible{outline:2px solid var(--mark);outline-offset:1px}
.arrowjag code{font:13px/1.5 ui-monospace,monospace;color:inherit;background:none;overflow-wrap:anywhere}
.arrowjag .quiet{color:var(--quiet)}
.arrowjag .null{color:var(--null)}
.arrowjag table{border-collapse:collapse;margin:4px 0 4px 18px;border:0}
.arrowjag th,.arrowjag td{padding:1px 10px 1px 0;text-align:left;vertical-align:top;border:0;
background:none;color:inherit;font-weight:400}
.arrowjag thead th,.arrowjag tbody th{color:var(--quiet)}
.arrowjag .number{text-align:right;font-variant-numeric:tabular-nums}
.arrowjag details details{margin-left:18px}
""".strip()


def html(column: Column) -> str:
    """The array as a part of a page that opens and closes: facts, dims, and the head and tail of its rows.

    Cost: as little as the text, whatever the array holds: sizes are not counted, only their ends are looked at.
    """
    if column.ndim == 0:
        return f'<div class="arrowjag"><style>{STYLE}</style><code>{_escape(text(column))}</code></div>'
    shape = _escape(shape_text(column.shape, at_a_glance=True))
    title = f"<b>JaggedArray</b> <code>{shape}</code> of <code>{_escape(_type_text(column))}</code>"
    parts = [
        f'<div class="arrowjag"><style>{STYLE}</style><details open><summary>{title}</summary>',
        rows_html((row, item_text(column, 1, row) if row is not None else "") for row in shown_rows(column.shape.nodes(1))),
        _dims_html(column),
        "</details></div>",
    ]
    return "".join(parts)


def rows_html(rows: Any, caption: str = "") -> str:
    """Numbered rows as a table; a row without a number stands for those that are left out."""
    lines = []
    for row, shown in rows:
        if row is None:
            lines.append('<tr class="quiet"><th scope="row" class="number">&#8942;</th><td></td></tr>')
        else:
            kind = ' class="null"' if shown == "null" else ""
            lines.append(f'<tr><th scope="row" class="number">{row:,}</th><td><code{kind}>{_escape(shown)}</code></td></tr>')
    title = f"<caption>{_escape(caption)}</caption>" if caption else ""
    if not lines:
        lines.append('<tr class="quiet"><td>no rows</td></tr>')
    return f"<table>{title}<tbody>{''.join(lines)}</tbody></table>"


def _dims_html(column: Column) -> str:
    heads = ("dim", "rows", "items", "items per row", "null rows")
    number = ' class="number"'
    head = "".join(f'<th scope="col"{"" if name == "items per row" else number}>{name}</th>' for name in heads)
    lines = []
    for place, dim in enumerate(column.shape.dims):
        cells = (f"{len(dim):,}", f"{dim.size:,}", _per_row(dim), _nulls(dim))
        body = "".join(f"<td{'' if at == 2 else number}>{cell}</td>" for at, cell in enumerate(cells))
        lines.append(f'<tr><th scope="row"{number}>{place}</th>{body}</tr>')
    values = column._values
    nulls = "" if pt.is_run_end_encoded(values.type) else f", {values.null_count:,} null"
    facts = f"{len(values):,} leaves{nulls}"
    return (
        f'<details><summary class="quiet">{_count(column.ndim, "dim")}, {facts}</summary>'
        f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table></details>"
    )


def _per_row(dim: Dim) -> str:
    """What can be told of the sizes without looking at each of them."""
    if dim.extent is not None:
        return f"{dim.extent:,} (declared)"
    if len(dim) == 0:
        return "no rows"
    mean = dim.size / len(dim)
    return f"{mean:,.0f}" if len(dim) == 1 else f"{mean:,.4g} on average"


def _nulls(dim: Dim) -> str:
    """The number of null rows, as far as it can be counted quickly."""
    if dim.validity is not None and len(dim) > _COUNTED:
        return "some"
    return "0" if dim.validity is None else f"{len(dim) - int(np.count_nonzero(dim.validity)):,}"


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def _escape(shown: str) -> str:
    return _html.escape(shown)
