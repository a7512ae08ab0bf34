"""Facts of a file as one HTML page without network access, in dark and light, usable by keyboard."""

from __future__ import annotations

import html
from collections.abc import Iterable

from arrowjag import __version__, _html
from arrowjag.cli import _tables
from arrowjag.cli._facts import Bin, ColumnFacts, FieldFacts, FileFacts, Level

__all__ = ["page"]

_STYLE = """
:root{color-scheme:light dark;--page:#fff}
@media (prefers-color-scheme:dark){:root{--page:#12151b}}
body{margin:0;background:var(--page)}
main.arrowjag{max-width:72rem;margin:0 auto;padding:1.5rem 1rem 3rem}
.arrowjag h1{font-size:1.4rem;margin:0;overflow-wrap:anywhere}
.arrowjag h2{font-size:1rem;margin:1.2rem 0 .2rem}
.arrowjag p{margin:.2rem 0}
.arrowjag .column{border:1px solid var(--line);border-radius:8px;margin:.6rem 0;padding:.3rem .6rem}
.arrowjag .column>summary{font-size:1rem}
.arrowjag .scroll{overflow-x:auto}
.arrowjag table{margin-left:0}
.arrowjag caption{text-align:left;white-space:nowrap;color:var(--quiet);padding-top:.5rem}
.arrowjag thead th{border-bottom:1px solid var(--line)}
.arrowjag button{font:inherit;color:inherit;background:var(--back);
border:1px solid var(--line);border-radius:6px;padding:.2rem .7rem;cursor:pointer}
.arrowjag button:focus-visible,.arrowjag .scroll:focus-visible{outline:2px solid var(--mark);outline-offset:1px}
.arrowjag svg{display:block}
.arrowjag rect{fill:var(--mark)}
.arrowjag rect:hover{fill:var(--null)}
.arrowjag svg text{fill:var(--quiet);font:11px system-ui,sans-serif}
.arrowjag line{stroke:var(--line)}
""".strip()

_SCRIPT = """
for (const button of document.querySelectorAll("button[data-open]"))
  button.addEventListener("click", () => {
    for (const one of document.querySelectorAll("details.column")) one.open = button.dataset.open === "yes";
  });
""".strip()

# The policy makes the browser block all requests.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"


def page(facts: FileFacts) -> str:
    """The whole page."""
    name = html.escape(facts.path.replace("\\", "/").rpartition("/")[2])
    jagged = [one for one in facts.columns if one.ndim > 1]
    plain = [one for one in facts.columns if one.ndim == 1]
    parts = [f"<h1>{name}</h1><p>{html.escape(_tables.file_text(facts))}</p>"]
    if facts.created_by:
        parts.append(f'<p class="quiet">written by {html.escape(facts.created_by)}</p>')
    if jagged:
        parts.append("<h2>Jagged columns</h2>")
        if len(jagged) > 1:
            parts.append('<p><button data-open="yes">Open all</button> <button data-open="no">Close all</button></p>')
        parts += [_column(one, facts) for one in jagged]
    if plain:
        parts.append(f"<h2>Plain columns</h2>{_plain(plain)}")
    if not facts.columns:
        parts.append("<p>There are no columns.</p>")
    parts.append(f'<p class="quiet">Made by arrowjag {html.escape(__version__)}</p>')
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f'<link rel="icon" href="data:,"><title>{name}</title><style>{_html.STYLE}\n{_STYLE}</style></head>'
        f'<body><main class="arrowjag">\n{chr(10).join(parts)}\n</main><script>{_SCRIPT}</script></body></html>\n'
    )


def _column(column: ColumnFacts, facts: FileFacts) -> str:
    head = f"<b>{html.escape(column.name)}</b> <code>{html.escape(column.type)}</code>"
    size = f"{_html.count_text(column.rows, 'row')}, {_tables.count_text(column.nulls)} null, {_tables.byte_text(column.bytes)}"
    parts = [
        f'<details class="column" open><summary>{head} <span class="quiet">{size}</span></summary>',
        f"<p><code>{html.escape(column.shape or '')}</code></p>",
    ]
    if not column.tagged:
        parts.append('<p class="quiet">Stored as plain lists.</p>')
    if column.groups_read < facts.groups:
        parts.append(f'<p class="null">{html.escape(_tables.sample_text(column, facts))}</p>')
    parts.append(_levels(column))
    if column.fields:
        parts.append(_fields(column.fields))
    else:
        bounds = "" if column.minimum is None else f", {html.escape(column.minimum)} to {html.escape(column.maximum or '')}"
        parts.append(
            f"<p>{_html.count_text(column.values or 0, 'value')}, {_tables.count_text(column.null_values)} null{bounds}</p>"
        )
    parts.append(_scroll("rows", _html.rows_html(_with_gaps(column.examples), "Some rows")))
    parts.append("</details>")
    return "".join(parts)


def _levels(column: ColumnFacts) -> str:
    lines = [(_tables.level_cells(one), _picture(one)) for one in column.levels]
    head = "".join(f'<th scope="col" class="number">{name}</th>' for name in _tables.LEVEL_HEADS)
    body = "".join(f"<tr>{''.join(map(_number, cells))}<td>{picture}</td></tr>" for cells, picture in lines)
    table = (
        f'<table><caption>Sizes of the rows of each dim</caption><thead><tr>{head}<th scope="col">items per row</th></tr></thead>'
    )
    return _scroll("sizes", f"{table}<tbody>{body}</tbody></table>")


def _picture(level: Level) -> str:
    """Draw the sizes as bars; each bar has a title for the pointer and for screen readers."""
    if level.minimum is None or level.minimum == level.maximum:
        return html.escape(_tables.level_text(level))
    width, height, bins = 260, 56, level.histogram
    step, top = width / len(bins), max(one.rows for one in bins)
    bars = "".join(_bar(one, place * step, step, one.rows / top * height, height) for place, one in enumerate(bins))
    label = f"histogram of {level.rows - level.nulls:,} row sizes from {level.minimum:,} to {level.maximum:,}"
    note, tall = "", height + 16
    if _tables.is_doubling(bins):
        note, tall = f'<text x="0" y="{height + 27}">each bin is twice as wide as the one before</text>', height + 30
    return (
        f'<svg viewBox="0 0 {width} {tall}" width="{width}" height="{tall}" role="img" aria-label="{label}">{bars}'
        f'<line x1="0" x2="{width}" y1="{height + 0.5}" y2="{height + 0.5}"/>'
        f'<text x="0" y="{height + 13}">{level.minimum:,}</text>'
        f'<text x="{width}" y="{height + 13}" text-anchor="end">{level.maximum:,}</text>{note}</svg>'
    )


def _bar(one: Bin, x: float, step: float, tall: float, height: int) -> str:
    if not one.rows:
        return ""
    tall = max(tall, 1.0)
    sizes = _html.count_text(one.last, "item")
    sizes = sizes if one.first == one.last else f"{one.first:,} to {sizes}"
    title = f"<title>{_html.count_text(one.rows, 'row')} of {sizes}</title>"
    return f'<rect x="{x:.1f}" y="{height - tall:.1f}" width="{max(step - 1, 0.5):.1f}" height="{tall:.1f}">{title}</rect>'


def _fields(fields: Iterable[FieldFacts]) -> str:
    lines = [
        (one.name, one.type, _tables.count_text(one.nulls), one.minimum or "", one.maximum or "", _tables.byte_text(one.bytes))
        for one in fields
    ]
    return _table("Fields of the structs", ("field", "type", "nulls", "min", "max", "bytes"), lines)


def _plain(columns: Iterable[ColumnFacts]) -> str:
    lines = []
    for one in columns:
        rows = ", ".join(text for _, text in one.examples)
        bounds = (one.minimum or "", one.maximum or "")
        lines.append((one.name, one.leaf, _tables.count_text(one.nulls), *bounds, _tables.byte_text(one.bytes), rows))
    return _table("", ("column", "type", "nulls", "min", "max", "bytes", "rows"), lines)


def _table(caption: str, heads: tuple[str, ...], lines: Iterable[tuple[str, ...]]) -> str:
    """Format a table with row headers; nulls, bounds and bytes are right-aligned."""
    numbers = {"nulls", "min", "max", "bytes"}
    kinds = [' class="number"' if name in numbers else "" for name in heads]
    head = "".join(f'<th scope="col"{kind}>{name}</th>' for name, kind in zip(heads, kinds, strict=True))
    body = []
    for first, *rest in lines:
        cells = "".join(f"<td{kind}>{html.escape(cell)}</td>" for cell, kind in zip(rest, kinds[1:], strict=True))
        body.append(f'<tr><th scope="row"><b>{html.escape(first)}</b></th>{cells}</tr>')
    title = f"<caption>{caption}</caption>" if caption else ""
    return _scroll(caption or "columns", f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>")


def _scroll(label: str, table: str) -> str:
    """Wrap a part so that it scrolls separately and can get the keyboard focus."""
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{label}">{table}</div>'


def _number(cell: str) -> str:
    return f'<td class="number">{cell}</td>'


def _with_gaps(examples: list[tuple[int, str]]) -> Iterable[tuple[int | None, str]]:
    last = -1
    for row, text in examples:
        if row > last + 1:
            yield None, ""
        yield row, text
        last = row
