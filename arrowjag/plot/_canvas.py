"""Axes, colours and texts that all pictures share."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _formatting
from arrowjag._arguments import instance
from arrowjag._column import Column
from arrowjag.errors import JagTypeError, JagValueError, MissingDependencyError

__all__ = ["BAR", "EMPTY", "NULL", "axes", "figure", "literal", "tidy"]

BAR = "#3f74c8"
NULL = "#c2570c"
EMPTY = "#8a93a3"


def pyplot() -> Any:
    """matplotlib.pyplot, imported when the first picture is drawn."""
    try:
        import matplotlib.pyplot as plt
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "matplotlib":
            raise
        raise MissingDependencyError.of("matplotlib", "plot", "a picture") from None
    return plt


def axes(ax: Any, width: float = 7.0, height: float = 3.6) -> Any:
    """The axes to draw on: those of the caller, or new ones of a figure of their own."""
    if ax is not None:
        return ax
    _, made = pyplot().subplots(figsize=(width, height), layout="constrained")
    return made


def figure(rows: int, columns: int, width: float, height: float) -> tuple[Any, Any]:
    """Return a figure without a window, and its axes; the caller saves it."""
    pyplot()
    from matplotlib.figure import Figure

    made = Figure(figsize=(width, height), layout="constrained")
    return made, made.subplots(rows, columns, squeeze=False)


def check_format(path: Any) -> None:
    """Raise for an unsupported file name suffix, before drawing."""
    if str(path).rpartition(".")[2].lower() not in ("png", "svg", "pdf"):
        raise JagValueError(f"{path}: write png, svg or pdf")


def literal(text: str) -> str:
    """Text of the data or of a file as it is: matplotlib would typeset what stands between two dollars as a formula, or fail."""
    return _formatting.printable(text).replace("$", r"\$")


def tidy(ax: Any, title: str, x: str, y: str = "") -> None:
    """Set title and units, and remove axis lines without information."""
    ax.set_title(title, loc="left", fontsize="medium")
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    ax.spines[["top", "right"]].set_visible(False)


def bare(ax: Any, title: str) -> None:
    """A picture without scales."""
    ax.set_title(title, loc="left", fontsize="medium", wrap=True)
    ax.set_xticks([])
    ax.set_yticks([])
    ax.spines[:].set_visible(False)


def thousands(axis: Any) -> None:
    """Large counts with separators, and only whole numbers."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axis.set_major_locator(MaxNLocator(nbins="auto", integer=True, min_n_ticks=1, steps=[1, 2, 5, 10]))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))


def dates(axis: Any, zone: str | None) -> None:
    """Few dates without repetition, as wall times of the zone."""
    import matplotlib.dates

    made: Any = matplotlib.dates  # its functions have no annotations
    tz = None if zone is None else pa.lib.string_to_tzinfo(zone)
    locator = made.AutoDateLocator(tz=tz, maxticks=8)
    axis.set_major_locator(locator)
    axis.set_major_formatter(made.ConciseDateFormatter(locator, tz=tz))


def logarithmic(ax: Any, label: str) -> None:
    """Counts from one up to any size, all of them visible."""
    from matplotlib.ticker import FuncFormatter, LogLocator

    ax.set_yscale("log")
    ax.set_ylim(bottom=0.7)
    ax.yaxis.set_major_locator(LogLocator(10, subs=(1.0,)))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    ax.set_ylabel(label)


def check_rows(column: Column, operation: str) -> None:
    """Refuse a scalar, which has no rows to draw, and what is no array."""
    instance(column, Column, operation, "given a JaggedArray")
    if column.ndim == 0:
        raise JagTypeError(f"{operation} needs rows, got a scalar")


def refuse(operation: str, type: pa.DataType) -> JagTypeError:
    """The error of a picture that has no meaning for a leaf type."""
    hint = "Pick a field first: x['field'].plot." if pt.is_struct(type) else ""
    return JagTypeError.no_kernel(operation, type, hint=hint)
