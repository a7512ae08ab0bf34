"""Pictures: sizes of rows, rows, values, shapes as trees of brackets. matplotlib is imported when the first one is drawn."""

from __future__ import annotations

import reprlib
from typing import TYPE_CHECKING, Any, NoReturn

from arrowjag._arguments import check_arguments
from arrowjag._array import JaggedArray
from arrowjag._column import Column
from arrowjag.errors import JagAttributeError, JagTypeError
from arrowjag.plot import _brackets, _canvas, _cells, _histograms

__all__ = ["Plotter", "compare", "overview", "steps"]


class Plotter:
    """The pictures of one array: ``x.plot.sizes()``, ``.rows()``, ``.values()`` and ``.shape()``.

    Parameters
    ----------
    array : JaggedArray
        The array to draw; it is not copied.

    Notes
    -----
    Every method returns matplotlib axes: new ones, or those given as `ax`. Sizes, rows and values are counted into bins before
    anything is drawn, so a million rows make as small a picture as a hundred.

    Examples
    --------
    >>> import arrowjag as aj
    >>> x = aj.array([[1, 2, 3], [4]])
    >>> x.plot.rows().get_title(loc="left")
    '2 rows, 4 values'
    """

    __slots__ = ("_array",)

    def __init__(self, array: Column) -> None:
        self._array = array

    def __repr__(self) -> str:
        return f"{type(self).__name__} of {self._array.shape!r}: .rows(), .shape(), .sizes(), .values()"

    def __call__(self, *_args: Any, **_options: Any) -> NoReturn:
        """Raise: each picture is a method."""
        raise JagTypeError("plot is no picture itself; write x.plot.rows(), .shape(), .sizes() or .values()")

    if not TYPE_CHECKING:  # for type checkers

        def __getattr__(self, name: str) -> NoReturn:
            """Raise for an unknown name, and list the pictures."""
            if name.startswith("_"):
                raise AttributeError(name)
            raise JagAttributeError(f"plot has no {name!r}; it has rows, shape, sizes and values", name)

    def sizes(self, axis: int = -1, *, ax: Any = None) -> Any:
        """Draw a histogram of the sizes of the rows of one dim.

        Parameters
        ----------
        axis : int
            The dim; negative counts from the innermost.
        ax : matplotlib.axes.Axes, optional
            Where to draw.

        Returns
        -------
        matplotlib.axes.Axes
            Bars between whole numbers, at most 50, and the median. Null rows are left out, and counted in the title. Cost: one
            pass over the sizes.

        Raises
        ------
        JagIndexError
            If there is no such dim.
        MissingDependencyError
            If matplotlib is not installed.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2, 3], [4], None]).plot.sizes().get_title(loc="left")
        'Sizes of dim 1: 2 rows of 1 to 3 items, 1 null row left out'
        """
        return _histograms.sizes(self._array, axis, ax)

    def rows(self, *, color_by: Any = "value", ax: Any = None) -> Any:
        """Draw the ragged rows, from top to bottom.

        Parameters
        ----------
        color_by : {"value", "row"} or JaggedArray of int
            The meaning of the colour of a cell: its value, its row, or the number in a given array. A shorter array is
            broadcast by the prefix rule. Ignored for more than 40 rows.
        ax : matplotlib.axes.Axes, optional
            Where to draw.

        Returns
        -------
        matplotlib.axes.Axes
            Up to 40 rows: every value is a cell, inner rows are separated, null rows are dashed, empty ones are marked. More
            rows: bins of rows and positions, coloured by the share of rows that are long enough. Cost: one pass over the sizes.

        Raises
        ------
        JagValueError
            If `color_by` is another string.
        ShapeError
            If the shape of `color_by` is not a prefix of that of the array.
        MissingDependencyError
            If matplotlib is not installed.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2, 3], [4], None]).plot.rows().get_title(loc="left")
        '3 rows, 4 values, 1 null row'
        """
        return _cells.rows(self._array, ax, color_by)

    def values(self, *, ax: Any = None) -> Any:
        """Draw a histogram of the leaf values.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw.

        Returns
        -------
        matplotlib.axes.Axes
            Numbers and times in at most 50 bins, text and booleans as the 20 most frequent values. Nulls, NaN and infinite values
            are left out, and counted in the title. Cost: one pass over the values.

        Raises
        ------
        JagTypeError
            For leaf types without a picture, such as structs: pick a field first.
        JagValueError
            If the range of the values exceeds float64.
        MissingDependencyError
            If matplotlib is not installed.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1.0, None], [2.5]]).plot.values().get_title(loc="left")
        'Values: 3 leaves, 1 null'
        """
        return _histograms.values(self._array, ax)

    def shape(self, *, ax: Any = None) -> Any:
        """Draw the shape as a tree of brackets, from the whole array down to its values.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw.

        Returns
        -------
        matplotlib.axes.Axes
            One bracket per item, with the number of items it holds; an empty row has an empty bracket, a null one a dotted one.
            Only the first few dozen values are drawn. Cost: independent of the size.

        Raises
        ------
        MissingDependencyError
            If matplotlib is not installed.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2], [3]]).plot.shape().get_title(loc="left")
        'JaggedShape(2, [2, 1]): the number in a bracket is how many items it holds'
        """
        return _brackets.shape(self._array, ax)


@check_arguments
def compare(before: JaggedArray, after: JaggedArray, *, titles: tuple[str, str] = ("before", "after"), ax: Any = None) -> Any:
    """Draw two arrays side by side, to show how values move: equal values have the colour of their row in the first array.

    Parameters
    ----------
    before, after : JaggedArray
        Small arrays, for example one and its transposition; the first 20 rows are drawn.
    titles : (str, str)
        The texts above the pictures.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes
        The axes. Null and empty rows are marked.

    Raises
    ------
    JagTypeError
        If one of them is not a JaggedArray, or has no rows.
    MissingDependencyError
        If matplotlib is not installed.

    Examples
    --------
    >>> import arrowjag as aj
    >>> x = aj.array([[1, 2, 3], [4, 5]])
    >>> _ = aj.plot.compare(x, x.transpose(0, 1), titles=("x", "x.transpose(0, 1)"))
    """
    return _brackets.compare(before, after, titles, ax)


@check_arguments
def overview(array: Column, title: str, path: Any) -> None:
    """Write one picture of an array: the sizes of each dim, the rows, and the values of a leaf.

    Parameters
    ----------
    array : JaggedArray or column
        The data to draw; for structs, the first fields whose values can be drawn.
    title : str
        The text above the picture.
    path : path
        A png, svg or pdf file.

    Raises
    ------
    JagValueError
        If the file has another extension.
    JagTypeError
        If `array` is not a JaggedArray, or has no rows.
    MissingDependencyError
        If matplotlib is not installed.

    Examples
    --------
    >>> import tempfile, pathlib, arrowjag as aj
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     picture = pathlib.Path(folder, "x.png")
    ...     aj.plot.overview(aj.array([[1, 2], [3]]), "x", picture)
    ...     picture.stat().st_size > 1000
    True
    """
    _canvas.check_format(path)
    _canvas.check_rows(array, "overview")
    leaves = _histograms.drawable(array)
    sizes = range(1, array.ndim)
    total = len(sizes) + 1 + len(leaves)
    across = min(2, total)
    made, grid = _canvas.figure(-(-total // across), across, 6.2 * across, 3.2 * -(-total // across))
    places = iter(grid.flat)
    for axis in sizes:
        _histograms.sizes(array, axis, next(places))
    _cells.rows(array, next(places))
    for name, leaf in leaves:
        ax = _histograms.values(leaf, next(places))
        if name:
            ax.set_title(f"{_canvas.literal(name)}: {ax.get_title(loc='left')}", loc="left", fontsize="medium")
    for unused in places:
        unused.set_axis_off()
    made.suptitle(_canvas.literal(title), x=0.01, ha="left", fontweight="bold")
    made.savefig(path, dpi=150)


@check_arguments
def steps(*panels: tuple[Any, ...], width: float = 1.9) -> Any:
    """Draw arrays side by side, as the steps of a computation: operands, rule and result, with one colour per row.

    Parameters
    ----------
    *panels : tuple
        ``(title, array)``, or ``(title, array, color_by)`` with the meaning of the colours of this array (see `Plotter.rows`).
    width : float
        Inches per panel.

    Returns
    -------
    matplotlib.figure.Figure
        One picture of rows per panel. Cost: that of the pictures of rows.

    Raises
    ------
    JagTypeError
        If there is no panel, or a panel is not such a tuple.
    MissingDependencyError
        If matplotlib is not installed.

    Examples
    --------
    >>> import arrowjag as aj
    >>> price, rate = aj.array([[3.0, 5.0], [], [10.0]]), aj.array([0.5, 1.0, 0.1])
    >>> figure = aj.plot.steps(("price", price), ("× rate", rate), ("= product", price * rate))
    >>> [ax.get_title(loc="left") for ax in figure.axes]
    ['price', '× rate', '= product']
    """
    if not panels:
        raise JagTypeError("steps: there is nothing to draw; pass tuples (title, array)")
    given: tuple[Any, ...] = panels
    for panel in given:
        if not (isinstance(panel, tuple) and len(panel) in (2, 3) and isinstance(panel[1], Column)):
            raise JagTypeError(f"steps: expected a tuple (title, array) or (title, array, color_by), got {reprlib.repr(panel)}")
        _canvas.check_rows(panel[1], "steps")
    arrays = [panel[1] for panel in panels]
    tall = max([3, *(min(array.shape.nodes(1), _cells.MOST_ROWS) for array in arrays)])
    figure, places = _canvas.pyplot().subplots(
        1, len(panels), squeeze=False, figsize=(width * len(panels), 0.5 + 0.31 * tall), layout="constrained"
    )
    for place, (title, array, *color_by) in zip(places[0], panels, strict=True):
        _cells.rows(array, place, *(color_by or ["row"]))
        place.set_title(title, loc="left", fontsize="medium")
        place.set_ylim(tall + 0.1, -0.1)
    return figure
