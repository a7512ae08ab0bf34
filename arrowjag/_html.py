"""HTML for notebooks, below everything that is shown: the style, tables of rows and of dims."""

from __future__ import annotations

import html as _html
import re
import unicodedata
from collections.abc import Iterable
from typing import Any

import numpy as np

__all__ = ["STYLE", "count_text", "dim_html", "dims_table", "escape", "facts_html", "part", "row_html", "rows_html", "section"]

# The colours follow the page: JupyterLab and VS Code mark the theme on `body`, Colab and the themes of Sphinx on `html`. Without
# a mark they follow the system. Selectors repeat the class to outrank the rules of notebooks for `.jp-RenderedHTMLCommon td` and
# `tbody tr:nth-child(odd)`.
_LIGHT = "--text:#1f2430;--quiet:#5b6475;--line:#d7dce5;--back:#f6f8fb;--mark:#2f5fd0;--null:#b4530a"
_DARK = "--text:#e6e9f0;--quiet:#a3adbf;--line:#3a4252;--back:#1d222c;--mark:#8fb2ff;--null:#ffb070"
_DARK_PAGES = (
    'html[theme="dark"]',
    'html[data-theme="dark"]',
    'body[data-jp-theme-light="false"]',
    "body.vscode-dark",
    "body.vscode-high-contrast:not(.vscode-high-contrast-light)",
)
_LIGHT_PAGES = (
    'html[theme="light"]',
    'html[data-theme="light"]',
    'body[data-jp-theme-light="true"]',
    "body.vscode-light",
    "body.vscode-high-contrast-light",
)

STYLE = f"""
.arrowjag{{{_LIGHT};color:var(--text);font:14px/1.5 system-ui,sans-serif;max-width:100%;overflow-x:auto;text-align:left}}
@media (prefers-color-scheme:dark){{.arrowjag{{{_DARK}}}}}
{",".join(f"{page} .arrowjag" for page in _LIGHT_PAGES)}{{{_LIGHT}}}
{",".join(f"{page} .arrowjag" for page in _DARK_PAGES)}{{{_DARK}}}
.arrowjag summary{{cursor:pointer;padding:2px 4px;border-radius:4px;color:var(--text)}}
.arrowjag summary:hover{{background:var(--back)}}
.arrowjag summary:focus-visible{{outline:2px solid var(--mark);outline-offset:1px}}
.arrowjag.arrowjag code{{font:13px/1.5 ui-monospace,monospace;color:inherit;background:none;padding:0;overflow-wrap:anywhere}}
.arrowjag.arrowjag .quiet{{color:var(--quiet)}}
.arrowjag.arrowjag .null{{color:var(--null);white-space:nowrap}}
.arrowjag.arrowjag.arrowjag table{{border-collapse:collapse;margin:4px 0 4px 18px;border:0;table-layout:auto;font-size:inherit;
color:inherit;width:auto}}
.arrowjag.arrowjag.arrowjag tr,.arrowjag.arrowjag.arrowjag tbody tr,.arrowjag.arrowjag.arrowjag tbody tr:hover{{background:none}}
.arrowjag.arrowjag.arrowjag th,.arrowjag.arrowjag.arrowjag td{{padding:1px 10px 1px 0;text-align:left;vertical-align:top;border:0;
background:none;color:inherit;font-weight:400;max-width:none;white-space:normal}}
.arrowjag.arrowjag.arrowjag thead th,.arrowjag.arrowjag.arrowjag tbody th{{color:var(--quiet)}}
.arrowjag.arrowjag.arrowjag .number{{text-align:right;font-variant-numeric:tabular-nums}}
.arrowjag details details{{margin-left:18px}}
.arrowjag.arrowjag.arrowjag .frame>tbody>tr>td,.arrowjag.arrowjag.arrowjag .frame>tbody>tr>th{{border-top:1px solid var(--line);
padding:3px 12px 3px 0}}
.arrowjag.arrowjag.arrowjag .frame>thead>tr>th b{{color:var(--text);font-weight:600}}
.arrowjag.arrowjag.arrowjag td table{{margin:0}}
.arrowjag.arrowjag.arrowjag .frame code{{overflow-wrap:break-word}}
""".strip()

_COUNTED = 1 << 25
"""Number of rows whose nulls can be counted in a few milliseconds."""


def section(title: str, content: str) -> str:
    """Put content below a title that opens and closes it; both are HTML."""
    return part(f"<details open><summary>{title}</summary>{content}</details>")


def part(content: str) -> str:
    """Wrap HTML as a part of a page, with its style."""
    return f'<div class="arrowjag"><style>{STYLE}</style>{content}</div>'


def facts_html(title: str, facts: Iterable[tuple[str, str]]) -> str:
    """Format a title and named facts, such as the parts of an overlay or the steps of a recorded chain."""
    lines = [f'<tr><th scope="row">{escape(name)}</th><td><code>{escape(fact)}</code></td></tr>' for name, fact in facts]
    return section(f"<b>{escape(title)}</b>", f"<table><tbody>{''.join(lines)}</tbody></table>")


def dim_html(dim: Any, title: str, notation: str) -> str:
    """Format one dim: its constructor notation, and its numbers of rows, items and null rows."""
    return section(f"<b>{escape(title)}</b> <code>{escape(notation)}</code>", dims_table([dim]))


def rows_html(rows: Iterable[tuple[int | None, str]], caption: str = "") -> str:
    """Format numbered rows as a table; a row without a number marks omitted rows."""
    lines = []
    for row, shown in rows:
        if row is None:
            lines.append('<tr class="quiet"><th scope="row" class="number">&#8942;</th><td></td></tr>')
        else:
            kind = ' class="null"' if shown == "null" else ""
            lines.append(f'<tr><th scope="row" class="number">{row:,}</th><td><code{kind}>{row_html(shown)}</code></td></tr>')
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    if not lines:
        lines.append('<tr class="quiet"><td>no rows</td></tr>')
    return f"<table>{title}<tbody>{''.join(lines)}</tbody></table>"


def count_text(n: int, noun: str) -> str:
    """Format a count and its noun: ``1 dim``, ``2,000 dims``."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def escape(shown: str) -> str:
    """Escape text for HTML."""
    return _html.escape(shown)


_QUOTED = re.compile(r"""(['"])((?:\\.|(?!\1).)*?)(\1|\.\.\.|$)""")
"""A text as `repr` quotes it, to its closing quote or to the dots where it was cut."""


def row_html(shown: str) -> str:
    """Escape the text of a row, and isolate each text that is written from right to left: its neighbours would change places."""
    if not any(unicodedata.bidirectional(letter) in ("R", "AL", "AN") for letter in shown):
        return escape(shown)
    return _QUOTED.sub(r"\1<bdi>\2</bdi>\3", _html.escape(shown, quote=False))


def dims_table(dims: Iterable[Any]) -> str:
    """Format dims as a table: numbers of rows and items, mean row size, null rows."""
    heads = ("dim", "rows", "items", "items per row", "null rows")
    number = ' class="number"'
    head = "".join(f'<th scope="col"{"" if name == "items per row" else number}>{name}</th>' for name in heads)
    lines = []
    for place, dim in enumerate(dims):
        cells = (f"{len(dim):,}", f"{dim.size:,}", _per_row(dim), _nulls(dim))
        body = "".join(f"<td{'' if at == 2 else number}>{cell}</td>" for at, cell in enumerate(cells))
        lines.append(f'<tr><th scope="row"{number}>{place}</th>{body}</tr>')
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"


def _per_row(dim: Any) -> str:
    """Summarize the row sizes without reading each of them."""
    if dim.extent is not None:
        return f"{dim.extent:,} (declared)"
    if len(dim) == 0:
        return "no rows"
    nulls = _null_count(dim)
    if nulls == len(dim):
        return "null rows only"
    mean = dim.size / (len(dim) - (nulls or 0))  # of valid rows, as lengths().mean() gives it
    if len(dim) == 1:
        return f"{mean:,.0f}"
    return f"{mean:{',.0f' if mean >= 1000 else '.4g'}} on average{', null rows counted as 0' if nulls is None else ''}"


def _nulls(dim: Any) -> str:
    nulls = _null_count(dim)
    return "some" if nulls is None else f"{nulls:,}"


def _null_count(dim: Any) -> int | None:
    """The number of null rows; None if it can't be counted quickly."""
    if dim.validity is None:
        return 0
    return None if len(dim) > _COUNTED else len(dim) - int(np.count_nonzero(dim.validity))
