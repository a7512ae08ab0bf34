"""Draw the pictures of docs/performance.md from docs/performance-tables.md: `python docs/performance_pictures.py`."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

DOCS = Path(__file__).parent
TABLES = DOCS / "performance-tables.md"
FAMILIES = {
    "structure, selection": """in_and_out permute with_ ffill bfill from_ flatten reshape unsqueeze squeeze expand$ expand_to
        tile transpose concat stack repeat align row_ item_ head tail slice take filter keep pad zip
        field image set$ overlay scatter reverse shift fill to_dense drop_ nan_to to_map zeros arange
        random repr validity dense_ remove append insert splice rotate rle windows n_grams argwhere
        index_of get contains_key""",
    "elementwise": """list_ text_(plus|equals) compare less maximum$ ndim3 divide floor remainder power negative abs round clip and$
        or$ xor invert is_ replace where coalesce cast equal add mul sub exp$ log sqrt ufunc apply""",
    "text, time": r"str\. dt\. to_number",
    "reductions": """sum mean min$ max$ max_axis prod count$ lengths any all$ std var median quantile argmin argmax
        first last mode join collapse n_unique fold scan map_""",
    "statistics, vectors": """skew kurtosis sem mad entropy moment ptp corr cov linear norm cosine distance dot matmul
        nearest bootstrap""",
    "order, running": """sort argsort rank topk bottomk min_by max_by cum rolling expanding ewm diff$ pct_change softmax
        cdf searchsorted inverse local_ gaps lomb fft interp asof resample""",
    "files": "write_ read_",
    "groups, sets": """unique value_counts group contains$ union intersection difference symmetric translate
        combinations pairs cartesian arg(combinations|cartesian) sample shuffle histogram cut digitize
        bincount""",
}
"""How the names of the operations of each family begin in the tables."""


def section(text: str, title: str) -> list[list[str]]:
    """Return the cells of the first table after a heading that begins with `title`, its header first."""
    start = text.index(f"\n## {title}")
    table = re.search(r"((?:^\|.*\n)+)", text[start:], re.MULTILINE)
    assert table is not None
    lines = [[cell.strip().strip("*") for cell in line.split("|")[1:-1]] for line in table[1].splitlines()]
    return [lines[0], *lines[2:]]


def calls(text: str) -> dict[str, str]:
    """Return what a user writes for each operation, from the table of calls."""
    return {row[0]: row[1].strip("`") for row in section(text, "Calls")[1:]}


def number(cell: str) -> float:
    """Read a figure; NaN for a dash."""
    return float(cell.replace(",", "")) if re.fullmatch(r"[\d.,e+-]+", cell) else math.nan


def ratios(text: str, title: str = "Without nulls") -> dict[str, float]:
    """Return time of the best other library divided by time of arrowjag, for each operation of a table."""
    head, *rows = section(text, title)
    place = head.index("ratio")
    found = {row[0]: number(row[place]) for row in rows}
    return {name: one for name, one in found.items() if not math.isnan(one)}


def family(name: str) -> str:
    """Return the family of an operation."""
    found = [title for title, pattern in FAMILIES.items() if re.match("|".join(pattern.split()), name)]
    if len(found) != 1:
        raise ValueError(f"{name} is of the families {found}; FAMILIES must tell which one")
    return found[0]


def geometric(values: list[float]) -> float:
    """Geometric mean."""
    return math.exp(sum(map(math.log, values)) / len(values))


def draw_families(found: dict[str, float]) -> Figure:
    """Draw one point per operation, one line per family, and the geometric means."""
    titles = [title for title in FAMILIES if any(family(name) == title for name in found)]
    figure = Figure(figsize=(7.6, 0.7 + 0.5 * len(titles)), layout="constrained")
    ax = figure.subplots()
    for line, title in enumerate(titles):
        values = [value for name, value in found.items() if family(name) == title]
        ax.scatter(values, np.full(len(values), line), s=22, alpha=0.45, color="#3f74c8", linewidths=0)
        mean = geometric(values)
        ax.scatter([mean], [line], marker="|", s=420, color="#c2570c", linewidths=2.5)
        ax.annotate(
            f"{mean:.1f}", (mean, line), xytext=(0, 11), textcoords="offset points", ha="center", color="#c2570c", fontsize=9
        )
    ax.axvline(1, color="gray", linewidth=1)
    ax.set_xscale("log")
    ax.set_yticks(range(len(titles)), titles)
    ax.set_ylim(len(titles) - 0.5, -0.7)
    ax.set_xticks([0.1, 0.5, 1, 2, 5, 10, 30, 100], ["0.1", "0.5", "1", "2", "5", "10", "30", "100"])
    ax.set_xlabel("speed relative to the fastest other library (right of 1: arrowjag is faster)")
    ax.spines[["top", "right", "left"]].set_visible(False)
    return figure


def draw_types(head: list[str], rows: list[list[str]], called: dict[str, str]) -> Figure:
    """Draw the operations that were measured for most types as a heat map."""
    shown = [
        row for row in rows if sum(not math.isnan(number(cell)) for cell in row[1:]) >= 5 and not row[0].startswith("geometric")
    ]
    values = np.array([[number(cell) for cell in row[1:]] for row in shown])
    figure = Figure(figsize=(7.6, 0.9 + 0.24 * len(shown)), layout="constrained")
    ax = figure.subplots()
    picture: Any = ax.imshow(np.log2(values), cmap="RdBu", vmin=-4, vmax=4, aspect="auto")
    for (y, x), value in np.ndenumerate(values):
        if not math.isnan(value):
            ink = "white" if abs(math.log2(value)) > 2.6 else "black"
            ax.text(x, y, f"{value:.2g}" if value < 10 else f"{value:.0f}", ha="center", va="center", fontsize=7.5, color=ink)
    ax.set_xticks(
        range(len(head) - 1), [" ".join(reversed(one.split(" "))) for one in head[1:]], fontsize=8, rotation=60, ha="left"
    )
    ax.set_yticks(range(len(shown)), [called.get(row[0], row[0]) for row in shown], fontsize=7.5, family="monospace")
    ax.xaxis.tick_top()
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    bar = figure.colorbar(picture, ax=ax, pad=0.02, shrink=0.5, ticks=[-3, -1, 0, 1, 3])
    bar.ax.set_yticklabels(["1/8", "1/2", "1", "2", "8"])
    return figure


def main() -> None:
    """Draw both pictures."""
    text = TABLES.read_text(encoding="utf-8")
    head, *rows = section(text, "Other types and sizes")
    with mpl.rc_context({"svg.hashsalt": "performance"}):
        for name, figure in (("families", draw_families(ratios(text))), ("types", draw_types(head, rows, calls(text)))):
            figure.savefig(DOCS / "_static" / f"performance-{name}.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
