"""Descriptions of parameters, results and errors that several docstrings share.

When a method is entered in the table, a line ``%(axis_reduced)s`` of its docstring is replaced by the description of that name.
`help()`, the site, editors and tests therefore see the whole text.
"""

from __future__ import annotations

import re
import textwrap
from typing import TypeVar

__all__ = ["SHARED", "described", "with_axis_errors", "with_descriptions"]

_ALONG = """\
axis : int, tuple of int or None
    The dim to work along. Several trailing dims are treated as one row, None treats all dims as one row, and an empty
    tuple treats each item as one row. Along an outer axis, the items at the same position in every row form one row"""

_NOT_TEXT = """\
Raises
------
JagTypeError
    If the leaves are not text."""


def _of_text(result: str) -> str:
    """The sections on the result and on the errors of a method of text."""
    return f"Returns\n-------\nJaggedArray\n    {result}\n\n{_NOT_TEXT}"


SHARED = {
    "axis_reduced": """\
axis : int, tuple of int or None
    The dim to reduce. Several trailing dims are reduced together, None reduces all dims, and an empty tuple reduces each
    item alone. Along an outer axis, the items at the same position in every row are combined; the result has the length
    of the longest row, or the declared extent.""",
    "axis_along": f"{_ALONG}.",
    "axis_along_places": f"""{_ALONG};
    a row without an item at this position contributes a null.""",
    "axis_of_trees": """\
axis : int, tuple of int or None
    The dim to work along. Several trailing dims are first flattened to one row, None flattens all dims. Along an outer
    axis the items are whole rows of the next level.""",
    "skip_nulls": """\
skip_nulls : bool
    If True (default), ignore nulls; if False, one null makes the row's result null.""",
    "min_count": """\
min_count : int, optional
    The result of a row with fewer valid items is null.""",
    "window": """\
window : int, str, timedelta, number or None
    Number of slots per window, at least 1. With `on`, the width: text such as "90s", "2h" or "1d12h", a timedelta, or a
    number if `on` holds numbers. None takes all items up to and including the current one.""",
    "min_periods": """\
min_periods : int, optional
    A window with fewer items that are not null gives null. By default the number of slots of the window; 1 for windows by
    time and for expanding windows.""",
    "center": """\
center : bool
    If True, center each window on its item. A window of an even number of slots has one slot more before the item than
    after it. A window by time begins just after half the width before the item and ends half the width after it.""",
    "on": """\
on : JaggedArray or array, optional
    The time of each item, or another number that never decreases within a row; broadcast by the prefix rule. A window then
    holds the items up to the current one that are less than `window` before it.""",
    "y_numbers": """\
y : JaggedArray or array of numbers
    Of this shape, or of a prefix of it, which is broadcast.""",
    "alpha": """\
alpha : float, optional
    How fast weights decay: a slot has ``1 - alpha`` times the weight of the next slot. More than 0, at most 1.""",
    "span": """\
span : float, optional
    Sets ``alpha = 2 / (span + 1)``; at least 1.""",
    "halflife": """\
halflife : float, optional
    Sets `alpha` so that weights halve after this number of slots; more than 0.""",
    "every": """\
every : str
    A number and a unit: ns, us, ms, s, m, h, d, w, mo, q or y, such as ``15m``. Multiples count in wall time from
    1970-01-01, those of weeks from Monday 1970-01-05; they do not start at the first item or at the turn of a year.""",
    "text_returned": _of_text("Text of the same shape; null stays null. Cost: one pass; values are new."),
    "flags_of_text": _of_text("Booleans of the same shape; null stays null. Cost: one pass."),
    "count_of_text": _of_text("int64 of the same shape; null stays null. Cost: one pass."),
    "not_text": _NOT_TEXT,
    "text_length": """\
n : int
    The length in code points; longer strings are unchanged.""",
    "fill_character": """\
fill : str
    One character.""",
    "chars": """\
chars : str, optional
    The characters to remove; by default all white space.""",
    "regex": """\
regex : str
    A regular expression of RE2.""",
    "bad_regex": """\
JagValueError
    If RE2 can't compile the pattern.""",
    "other_rows": """\
y : JaggedArray or array
    An array of the same ndim, with the same dims above the rows.""",
    "rolling_value_errors": """\
JagValueError
    If the window is less than 1 or can't be read, `min_periods` is more than the window, or `on` decreases within a row or
    holds a null.
JagTypeError
    If the leaf type has no such operation, `on` holds neither times nor numbers, or the window does not fit it.
ShapeError
    If the shape of `on` is not a prefix of this shape.""",
    "decay_errors": """\
Raises
------
JagValueError
    If not exactly one of `alpha`, `span` and `halflife` is given, or it is out of range.
JagTypeError
    If the leaves are not numbers.""",
    "keep_empty": """\
keep_empty : bool
    If True, a null or empty row, at any level, gives one row with null in place of the missing items.""",
    "to_dim": """\
to_dim : int, optional
    At least 2: the dim after the last one to merge, as in `JaggedArray.flatten`. With 2, the items of the frame's rows become
    rows, and what they hold stays nested, which undoes one `implode`. By default all dims are merged.""",
    "condition": """\
condition : str
    Text such as ``"s.a > 60 and s.b == 'JFK'"``: comparisons, ``and``, ``or``, ``not``, ``in`` with a list of
    literals, ``is None``, arithmetic, fields, columns and literals; other names in backticks. It filters the column of
    structs that it names; other columns are broadcast by the prefix rule.""",
    "condition_errors": """\
Raises
------
JagValueError
    If the text is not a valid condition.
JagTypeError
    If it names no column of structs, or two.
JagIndexError
    If there is no such column or field.""",
    "mask_errors": """\
Raises
------
JagTypeError
    If no column is named, or the mask does not hold booleans.
ShapeError
    If the sizes of mask and column differ.
JagIndexError
    If there is no such column.""",
    "key_errors": """\
Raises
------
JagTypeError
    If no column is named, or the key has no order.
ShapeError
    If the sizes of key and column differ.
JagIndexError
    If there is no such column.""",
    "unnest_errors": """\
Raises
------
JagTypeError
    If a column holds no structs.
JagValueError
    If a field has the name of another column.""",
    "head_tail_result": """\
Returns
-------
JaggedArray
    The items that are kept. Rows of fewer items are unchanged, null rows stay null, and a null `n` makes its row null. With one
    `n` for all rows a declared extent is reduced accordingly, otherwise it is dropped. Cost: one gather per level; along axis 0
    values are shared.

Raises
------
JagTypeError
    If `n` does not hold integers.
ShapeError
    If the shape of `n` is not a prefix of the dims above the axis.""",
    "by_key": """\
Parameters
----------
by : JaggedArray or array
    The keys, broadcast by the prefix rule.
axis : int, tuple of int or None
    The dim to reduce; several trailing dims are reduced together, None reduces all. Along an outer axis, keys with the dims
    up to that axis choose whole inner rows; keys with more dims choose among the items at the same position.

Returns
-------
JaggedArray or pa.Scalar
    Of the leaf's type: the item at the key, null or not; of equal keys the first one counts. Null and NaN keys are
    ignored; null for a row without other keys and for a null row. Cost: one pass.

Raises
------
ShapeError
    If the shape of `by` is not a prefix of this shape.
JagTypeError
    If the type of `by` has no order, or if `by` is a text, as for the name of a field.""",
    "spread_of_rows": """\
Parameters
----------
%(axis_reduced)s
%(ddof)s
%(skip_nulls)s
%(min_count)s

Returns
-------
JaggedArray or pa.Scalar
    Floats; `std` of durations gives durations, rounded to their unit. Null for a row of at most `ddof` items, and for a null
    row. A NaN gives NaN. Cost: two passes, so that a large mean does not reduce the precision.

Raises
------
JagTypeError
    If the leaf type has no such reduction.""",
    "set_result": """\
Returns
-------
JaggedArray
    Of the common type, in order of first appearance; nulls are dropped, NaN equals NaN and -0.0 equals 0.0. A row that is
    null in either is null; a declared extent of the dim is dropped. Cost: one hash lookup per item of both, or less in
    short rows.""",
    "set_errors": """\
Raises
------
ShapeError
    If the dims differ.
JagTypeError
    If the types have no common type, or can't be compared.
%(unfit_value)s""",
    "unfit_item": """\
JagValueError
    If an item does not fit the common type exactly, such as an integer beyond 2**53 beside floats.""",
    "unfit_value": """\
JagValueError
    If an item does not fit the common type exactly, or a text beside times or durations can't be read as one.""",
    "no_time": """\
JagValueError
    If a text beside times or durations can't be read as one.""",
    "unlike_items": """\
JagTypeError
    If the types have no common type.
%(unfit_item)s""",
    "unlike_values": """\
JagTypeError
    If the types have no common type.
%(unfit_value)s""",
    "unlike_values_compared": """\
JagTypeError
    If the types have no common type.
%(no_time)s""",
    "rounded_times": """\
Parameters
----------
%(every)s

Returns
-------
JaggedArray
    Of the same type and shape; null stays null. Cost: one pass.

    Timestamps with a zone are rounded in wall time. Where clocks repeat an hour, times in the second repetition stay in it if
    `every` divides the change of the clocks, as an hour does; days and other lengths count from the first repetition. A multiple
    that clocks skip becomes the instant of the change.

Raises
------
JagTypeError
    If the leaves are not dates, times or durations.
JagValueError
    If `every` can't be read.""",
    "padded_text": """\
Parameters
----------
%(text_length)s
%(fill_character)s

%(text_returned)s
JagValueError
    If `fill` is not one character.""",
    "reduction_parameters": """\
%(axis_reduced)s
%(skip_nulls)s
%(min_count)s""",
    "truth_parameters": """\
%(axis_reduced)s
skip_nulls : bool
    If True (default), ignore nulls; if False, a null is unknown (Kleene's logic): the result is null unless the other items
    decide it.
%(min_count)s""",
    "extreme_result": """\
Returns
-------
JaggedArray or pa.Scalar
    Of the leaf's type; null for an empty or null row. NaN is ignored unless a row has nothing else; -0.0 becomes
    0.0. Cost: one pass; text is ordered once.

%(no_order)s""",
    "extreme_position": """\
Returns
-------
JaggedArray or pa.Scalar
    int64 positions in the row, nulls counted; over several axes positions in the flattened group; along an outer axis
    positions along it. The first of ties; null for an empty or null row. NaN is ignored unless a row has nothing else.
    Cost: one pass.

%(no_order)s""",
    "end_result": """\
Returns
-------
JaggedArray or pa.Scalar
    Of the leaf's type; null for an empty or null row. Cost: one gather of a value per row.""",
    "running_extreme": """\
Returns
-------
JaggedArray
    Of the same shape and type. A null stays null and is skipped, a null row stays null; NaN is ignored until there is
    something else. Cost: one pass.

%(no_order)s""",
    "no_order": """\
Raises
------
JagTypeError
    If the leaf type has no order.""",
    "no_statistic": """\
Raises
------
JagTypeError
    If the leaf type has no such statistic.""",
    "not_compared": """\
Raises
------
JagTypeError
    If the leaf type can't be compared.""",
    "not_numbers": """\
Raises
------
JagTypeError
    If the leaves are not numbers.""",
    "no_reduction": """\
Raises
------
JagTypeError
    If the reduction does not support the leaf type.""",
    "ddof": """\
ddof : int
    Subtracted from the number of items in the divisor, as in numpy.""",
    "frame_query": """\
The same rows; a row that loses all its items is empty, a null row stays null. A null condition drops the item.""",
    "frame_filter": "The same rows; a row that loses all its items is empty. Other columns are unchanged.",
    "frame_sort_items": """\
The same rows. Null keys come last and NaN just before them, in both directions; items of equal keys keep their order.""",
    "frame_topk": """\
The same rows; shorter ones keep all items. Of equal keys the first item comes first; null keys come last.""",
    "rolling_nulls": """\
Null where a window has fewer than `min_periods` items that are not null, and for a null row.""",
    "rolling_cost": """\
Cost: log(window) passes; sums are never updated by subtraction, so no rounding error and no NaN carries over to later windows.""",
    "rolling_sort": """\
Cost: one sort of each window, or where compiled loops are available a search and a move per item.""",
}
"""Descriptions by the name that docstrings use."""

SHARED["decay"] = "\n".join(SHARED[name] for name in ("alpha", "span", "halflife"))
SHARED["rolling_options"] = "\n".join(SHARED[name] for name in ("min_periods", "center", "on"))
SHARED["rolling_parameters"] = "\n".join(SHARED[name] for name in ("window", "axis_along_places", "rolling_options"))
SHARED["rolling_errors"] = f"Raises\n------\n{SHARED['rolling_value_errors']}"

_LINE = re.compile(r"^([ \t]*)%\((\w+)\)s$", re.MULTILINE)


def described(docstring: str) -> str:
    """Insert the shared descriptions into a docstring, with the indentation of the lines that they replace.

    Parameters
    ----------
    docstring : str
        May contain lines such as ``%(axis_reduced)s``.

    Returns
    -------
    str
        The docstring with all such lines replaced; an unknown name raises a KeyError.
    """
    return _LINE.sub(lambda match: textwrap.indent(described(SHARED[match[2]]), match[1]), docstring)


_LATER_SECTIONS = ("Warns\n", "See Also\n", "Notes\n", "Examples\n")
"""The sections that follow Raises, in their order."""

_OF_ONE_AXIS = """\
JagIndexError
    If the axis is out of range."""

_OF_AXES = """\
JagIndexError
    If an axis is out of range.
JagValueError
    If `axis` is a tuple of other dims than the last ones."""


def with_axis_errors(docstring: str, several: bool) -> str:
    """Add the errors for an axis to a docstring, so that those of all methods with an axis list them.

    Parameters
    ----------
    docstring : str
        Of a method with the parameter `axis`.
    several : bool
        Whether the axis may be a tuple.

    Returns
    -------
    str
        The docstring with the errors at the end of its section Raises, which is inserted if it is missing.
    """
    errors = _OF_AXES if several else _OF_ONE_AXIS
    start = docstring.find("Raises\n")
    if start >= 0:
        end = docstring.index("\n\n", start) + 1
    else:
        errors = f"Raises\n------\n{errors}\n"
        end = start = min(place for one in _LATER_SECTIONS if (place := docstring.find(one)) >= 0)
    line = docstring.rfind("\n", 0, start) + 1
    indent = docstring[line:start]
    end = line if end == start else end
    return f"{docstring[:end]}{textwrap.indent(errors, indent)}\n{docstring[end:]}"


_Class = TypeVar("_Class", bound=type)


def with_descriptions(cls: _Class) -> _Class:
    """Class decorator: insert the shared descriptions into the docstrings of all methods.

    Parameters
    ----------
    cls : type
        A class whose methods are not entered in the table of methods.

    Returns
    -------
    type
        The class.
    """
    for function in vars(cls).values():
        text = getattr(function, "__doc__", None)
        if callable(function) and text and "%(" in text:  # python -OO strips docstrings
            function.__doc__ = described(text)
    return cls
