"""`x.str`: methods of text."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa

from arrowjag._array.base import operand
from arrowjag._array.text_search import SearchMethods
from arrowjag._methods import method
from arrowjag._ops import casts, elementwise
from arrowjag._ops import text as _ops

if TYPE_CHECKING:
    from arrowjag._array import JaggedArray

__all__ = ["TextMethods"]

_TEXT = """Text of the same shape; null stays null. A dictionary gives plain text. Cost: one pass; values are new."""
_FLAG = """Booleans of the same shape; null stays null. Cost: one pass."""
_ERROR = """
Raises
------
JagTypeError
    If the leaves are not text."""


def _plain(name: str, summary: str, result: str, example: str, shown: str) -> Callable[[TextMethods], JaggedArray]:
    """Create a method without arguments that computes the method of Python's `str` with the same name."""

    def called(self: TextMethods) -> JaggedArray:
        return self._owner._wrap(_ops.plain_method(self._owner, name))

    called.__name__ = name
    called.__qualname__ = f"TextMethods.{name}"
    called.__doc__ = f"""{summary}, as Python's `str.{name}`.

Returns
-------
JaggedArray
    {result}
{_ERROR}

Examples
--------
>>> import arrowjag as aj
>>> aj.array({example}).str.{name}().to_list()
{shown}
"""
    return method(namespace="str")(called)


class TextMethods(SearchMethods):
    """Methods of text, called on each item.

    Parameters
    ----------
    owner : JaggedArray
        Of strings in any Arrow layout, or of dictionaries of strings; results for dictionaries are plain strings.

    Notes
    -----
    Names and meanings are Python's, positions and lengths count code points, and a null item or row stays null. Regular expressions
    are RE2's, without look-around. Shapes are shared; a method that returns several items per string adds a dim. Cost: one pass of
    Arrow's kernels for ASCII text; for other text one more, in which Python computes strings that Arrow treats differently.

    Examples
    --------
    >>> import arrowjag as aj
    >>> aj.array([["a b", None], None]).str.split().to_list()
    [[['a', 'b'], None], None]
    """

    __slots__ = ()
    space = "str"
    lower = _plain("lower", "Convert to lower case", _TEXT, '[["A", "É"], None]', "[['a', 'é'], None]")
    upper = _plain("upper", "Convert to upper case", _TEXT, '[["a", "ß"], [None]]', "[['A', 'SS'], [None]]")
    title = _plain("title", "Begin each word with a capital", _TEXT, '[["ab cd"], []]', "[['Ab Cd'], []]")
    capitalize = _plain(
        "capitalize",
        "Convert the first character to upper case and all others to lower case",
        _TEXT,
        '[["aB"], []]',
        "[['Ab'], []]",
    )
    swapcase = _plain("swapcase", "Swap upper and lower case", _TEXT, '[["aB"], []]', "[['Ab'], []]")
    isalnum = _plain(
        "isalnum",
        "Return whether all characters are letters or digits, and there is at least one",
        _FLAG,
        '[["a1", "-"], [""]]',
        "[[True, False], [False]]",
    )
    isalpha = _plain(
        "isalpha",
        "Return whether all characters are letters, and there is at least one",
        _FLAG,
        '[["ä", "1"], [""]]',
        "[[True, False], [False]]",
    )
    isascii = _plain("isascii", "Return whether all characters are ASCII", _FLAG, '[["a", "ä"], [""]]', "[[True, False], [True]]")
    isdecimal = _plain(
        "isdecimal",
        "Return whether all characters are decimal digits, and there is at least one",
        _FLAG,
        '[["1", "²"], [""]]',
        "[[True, False], [False]]",
    )
    isdigit = _plain(
        "isdigit",
        "Return whether all characters are digits, and there is at least one",
        _FLAG,
        '[["1", "²"], ["a"]]',
        "[[True, True], [False]]",
    )
    islower = _plain(
        "islower",
        "Return whether all cased characters are lower case, and there is at least one",
        _FLAG,
        '[["a1", "A"], ["1"]]',
        "[[True, False], [False]]",
    )
    isnumeric = _plain(
        "isnumeric",
        "Return whether all characters are numeric, and there is at least one",
        _FLAG,
        '[["½", "a"], [""]]',
        "[[True, False], [False]]",
    )
    isprintable = _plain(
        "isprintable", "Return whether all characters can be printed", _FLAG, '[["a", "\\t"], [""]]', "[[True, False], [True]]"
    )
    isspace = _plain(
        "isspace",
        "Return whether all characters are white space, and there is at least one",
        _FLAG,
        '[[" ", "a"], [""]]',
        "[[True, False], [False]]",
    )
    istitle = _plain(
        "istitle",
        "Return whether each word begins with its only capital, and there is at least one",
        _FLAG,
        '[["Ab Cd", "ab"], [""]]',
        "[[True, False], [False]]",
    )
    isupper = _plain(
        "isupper",
        "Return whether all cased characters are upper case, and there is at least one",
        _FLAG,
        '[["A1", "a"], ["1"]]',
        "[[True, False], [False]]",
    )

    @method(namespace="str")
    def strip(self, chars: builtins.str | None = None) -> JaggedArray:
        """Remove white space, or the given characters, from both ends.

        Parameters
        ----------
        %(chars)s

        %(text_returned)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[" a ", None]]).str.strip().to_list()
        [['a', None]]
        """
        return self._owner._wrap(_ops.strip(self._owner, "strip", chars))

    @method(namespace="str")
    def lstrip(self, chars: builtins.str | None = None) -> JaggedArray:
        """Remove white space, or the given characters, from the left end.

        Parameters
        ----------
        %(chars)s

        %(text_returned)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[" a ", None]]).str.lstrip().to_list()
        [['a ', None]]
        """
        return self._owner._wrap(_ops.strip(self._owner, "lstrip", chars))

    @method(namespace="str")
    def rstrip(self, chars: builtins.str | None = None) -> JaggedArray:
        """Remove white space, or the given characters, from the right end.

        Parameters
        ----------
        %(chars)s

        %(text_returned)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[" a ", None]]).str.rstrip().to_list()
        [[' a', None]]
        """
        return self._owner._wrap(_ops.strip(self._owner, "rstrip", chars))

    @method(namespace="str")
    def removeprefix(self, p: builtins.str) -> JaggedArray:
        """Remove a prefix where a string has it.

        Parameters
        ----------
        p : str
            The text at the beginning.

        %(text_returned)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([["abcab", "c"]]).str.removeprefix("ab").to_list()
        [['cab', 'c']]
        """
        return self._owner._wrap(_ops.removed(self._owner, "removeprefix", p))

    @method(namespace="str")
    def removesuffix(self, p: builtins.str) -> JaggedArray:
        """Remove a suffix where a string has it.

        Parameters
        ----------
        p : str
            The text at the end.

        %(text_returned)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([["abcab", "c"]]).str.removesuffix("ab").to_list()
        [['abc', 'c']]
        """
        return self._owner._wrap(_ops.removed(self._owner, "removesuffix", p))

    @method(namespace="str")
    def len(self) -> JaggedArray:
        """Return the number of code points.

        %(count_of_text)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([["ab", "é"], None]).str.len().to_list()
        [[2, 1], None]
        """
        return self._owner._wrap(_ops.length(self._owner, "len"))

    @method(namespace="str")
    def byte_len(self) -> JaggedArray:
        """Return the number of bytes in UTF-8.

        %(count_of_text)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([["ab", "é"], None]).str.byte_len().to_list()
        [[2, 2], None]
        """
        return self._owner._wrap(_ops.length(self._owner, "byte_len"))

    @method(namespace="str")
    def reverse(self) -> JaggedArray:
        """Reverse the code points of each string.

        %(text_returned)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([["abc"], []]).str.reverse().to_list()
        [['cba'], []]
        """
        return self._owner._wrap(_ops.reverse(self._owner))

    @method(namespace="str")
    def slice(self, start: int | None, stop: int | None = None, step: int | None = None) -> JaggedArray:
        """Return a part of each string, as ``text[start:stop:step]`` in Python.

        Parameters
        ----------
        start, stop : int, optional
            Positions in code points; negative ones count from the end.
        step : int, optional
            The distance between the characters taken; negative ones run backwards.

        %(text_returned)s
        JagValueError
            If step is 0.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([["héllo", "a"]]).str.slice(1, -1).to_list()
        [['éll', '']]
        """
        return self._owner._wrap(_ops.slice_text(self._owner, start, stop, step))

    @method(namespace="str")
    def zfill(self, n: int) -> JaggedArray:
        """Fill with zeros at the left, after a sign, up to a length.

        Parameters
        ----------
        %(text_length)s

        %(text_returned)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([["5", "-5"]]).str.zfill(3).to_list()
        [['005', '-05']]
        """
        return self._owner._wrap(_ops.zfill(self._owner, n))

    @method(namespace="str")
    def pad(self, n: int, side: Literal["left", "right", "both"] = "left", fill: builtins.str = " ") -> JaggedArray:
        """Fill up to a length.

        Parameters
        ----------
        %(text_length)s
        side : {"left", "right", "both"}
            Where to fill; ``both`` centers the string.
        %(fill_character)s

        %(text_returned)s
        JagValueError
            If `fill` is not one character, or the side is unknown.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([["a"], []]).str.pad(3, "right", "-").to_list()
        [['a--'], []]
        """
        return self._owner._wrap(_ops.pad(self._owner, "pad", n, side, fill))

    @method(namespace="str")
    def center(self, n: int, fill: builtins.str = " ") -> JaggedArray:
        """Fill at both sides up to a length.

        %(padded_text)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([["a"], []]).str.center(3).to_list()
        [[' a '], []]
        """
        return self._owner._wrap(_ops.pad(self._owner, "center", n, "both", fill))

    @method(namespace="str")
    def ljust(self, n: int, fill: builtins.str = " ") -> JaggedArray:
        """Fill at the right up to a length.

        %(padded_text)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([["a"], []]).str.ljust(3).to_list()
        [['a  '], []]
        """
        return self._owner._wrap(_ops.pad(self._owner, "ljust", n, "right", fill))

    @method(namespace="str")
    def rjust(self, n: int, fill: builtins.str = " ") -> JaggedArray:
        """Fill at the left up to a length.

        %(padded_text)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([["a"], []]).str.rjust(3).to_list()
        [['  a'], []]
        """
        return self._owner._wrap(_ops.pad(self._owner, "rjust", n, "left", fill))

    @method(namespace="str")
    def repeat(self, n: int) -> JaggedArray:
        """Repeat each string.

        Parameters
        ----------
        n : int
            How often; negative numbers count as 0.

        %(text_returned)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([["ab"], None]).str.repeat(2).to_list()
        [['abab'], None]
        """
        return self._owner._wrap(_ops.repeat(self._owner, n))

    @method("other", namespace="str")
    def cat(self, other: Any, sep: builtins.str = "") -> JaggedArray:
        """Join each string with other text.

        Parameters
        ----------
        other : str or array
            Text; arrays of fewer dims are broadcast by the prefix rule.
        sep : str
            Text between the two.

        Returns
        -------
        JaggedArray
            Text of the common shape, null where either is null. Cost: one pass; values are new.

        %(not_text)s
        ShapeError
            If one shape is not a prefix of the other.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([["a", "b"], ["c"]]).str.cat(aj.array(["x", "y"]), "-").to_list()
        [['a-x', 'b-x'], ['c-y']]
        """
        return self._owner._wrap(_ops.cat(self._owner, operand(other, _leaf(self._owner), "str.cat"), sep))

    @method(namespace="str")
    def to_number(self, type: Any, strict: bool = True) -> JaggedArray:
        """Read text as numbers.

        Parameters
        ----------
        type : pa.DataType, str or numpy dtype
            A type of integers, floats or decimals, or its name.
        strict : bool
            If True (default), text that is not such a number raises; if False, it becomes null.

        Returns
        -------
        JaggedArray
            Numbers of the same shape; null stays null. Blanks around a number and a plus before it are allowed. Cost: three passes.

        Raises
        ------
        JagTypeError
            If the leaves are not text, or the type is not one of numbers.
        JagValueError
            If text is not a number that fits the type, and `strict` is True; the message names the row.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[" +5", "x"], []]).str.to_number("int64", strict=False).to_list()
        [[5, None], []]
        """
        return self._owner._wrap(casts.to_number(self._owner, elementwise.as_type(type), strict))

    @method(namespace="str")
    def to_datetime(self, format: builtins.str | None = None, strict: bool = True) -> JaggedArray:
        """Read text as timestamps.

        Parameters
        ----------
        format : str, optional
            Directives as in Python's `strptime`, in English; by default ISO 8601 without a zone.
        strict : bool
            If True (default), text of another form raises; if False, it becomes null.

        Returns
        -------
        JaggedArray
            Timestamps in microseconds of the same shape, in UTC if the format has ``%z``; null stays null. Cost: one pass for ISO
            8601, several for other formats.

        %(not_text)s
        JagValueError
            If text has another form and `strict` is True (the message names the row), or if a directive is unknown.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([["29.2.24", "x"], []]).str.to_datetime("%d.%m.%y", strict=False).to_list()
        [[datetime.datetime(2024, 2, 29, 0, 0), None], []]
        """
        return self._owner._wrap(casts.to_datetime(self._owner, format, strict))


def _leaf(array: JaggedArray) -> pa.DataType | None:
    """The type that text in arguments takes; a column that does not hold text has none."""
    return array.type if elementwise.is_text(elementwise.plain_type(array.type)) else None
