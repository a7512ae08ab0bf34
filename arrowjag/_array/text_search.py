"""`x.str`: methods that search for text or for matches of regular expressions, and replace or split them."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING

from arrowjag._methods import Namespace, method
from arrowjag._ops import text as _ops

if TYPE_CHECKING:
    from arrowjag._array import JaggedArray

__all__ = ["SearchMethods"]


class SearchMethods(Namespace):
    """Methods of text that look for a text or for matches of a regular expression.

    Parameters
    ----------
    owner : JaggedArray
        Of strings.
    """

    __slots__ = ()
    space = "str"
    _owner: JaggedArray

    @method(namespace="str")
    def contains(self, pattern: builtins.str, regex: bool = False, ignore_case: bool = False) -> JaggedArray:
        """Return whether each string contains a text or a match.

        Parameters
        ----------
        pattern : str
            Text, or a regular expression if `regex` is True.
        regex : bool
            Whether the pattern is a regular expression of RE2.
        ignore_case : bool
            Whether upper and lower case are equal.

        %(flags_of_text)s
        %(bad_regex)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> log = aj.array([["GET /home", None], ["POST /pay"]])
        >>> log.str.contains("GET").to_list()
        [[True, None], [False]]
        >>> aj.array([["abc", "x1"]]).str.contains("[0-9]", regex=True).to_list()
        [[False, True]]
        """
        return self._owner._wrap(_ops.contains(self._owner, pattern, regex, ignore_case))

    @method(namespace="str")
    def startswith(self, prefix: builtins.str | tuple[builtins.str, ...]) -> JaggedArray:
        """Return whether each string has a prefix.

        Parameters
        ----------
        prefix : str or tuple of str
            The text, or several of which one suffices.

        %(flags_of_text)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([["ab", "ba"]]).str.startswith("a").to_list()
        [[True, False]]
        """
        return self._owner._wrap(_ops.starts_or_ends(self._owner, "startswith", prefix))

    @method(namespace="str")
    def endswith(self, suffix: builtins.str | tuple[builtins.str, ...]) -> JaggedArray:
        """Return whether each string has a suffix.

        Parameters
        ----------
        suffix : str or tuple of str
            The text, or several of which one suffices.

        %(flags_of_text)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([["ab", "ba"]]).str.endswith("a").to_list()
        [[False, True]]
        """
        return self._owner._wrap(_ops.starts_or_ends(self._owner, "endswith", suffix))

    @method(namespace="str")
    def match(self, regex: builtins.str) -> JaggedArray:
        """Return whether a match of a regular expression begins at the first character.

        Parameters
        ----------
        %(regex)s

        %(flags_of_text)s
        %(bad_regex)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([["a1b", "1"]]).str.match("[a-z][0-9]").to_list()
        [[True, False]]
        """
        return self._owner._wrap(_ops.match(self._owner, regex))

    @method(namespace="str")
    def fullmatch(self, regex: builtins.str) -> JaggedArray:
        """Return whether a regular expression matches the whole string.

        Parameters
        ----------
        %(regex)s

        %(flags_of_text)s
        %(bad_regex)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([["a1b", "a1"]]).str.fullmatch("[a-z][0-9]").to_list()
        [[False, True]]
        """
        return self._owner._wrap(_ops.fullmatch(self._owner, regex))

    @method(namespace="str")
    def find(self, s: builtins.str) -> JaggedArray:
        """Return the position of the first occurrence of a text.

        Parameters
        ----------
        s : str
            The text to search for.

        Returns
        -------
        JaggedArray
            int64 of the same shape: positions in code points, -1 if the text does not occur; null stays null. Cost: one pass.

        %(not_text)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([["äb", "x"], None]).str.find("b").to_list()
        [[1, -1], None]
        """
        return self._owner._wrap(_ops.find(self._owner, s))

    @method(namespace="str")
    def count(self, s: builtins.str) -> JaggedArray:
        """Return the number of occurrences of a text, without overlap.

        Parameters
        ----------
        s : str
            The text to search for. An empty text occurs before each character and at the end.

        %(count_of_text)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([["aaa", "b"]]).str.count("a").to_list()
        [[3, 0]]
        """
        return self._owner._wrap(_ops.count(self._owner, s))

    @method(namespace="str")
    def replace(self, old: builtins.str, new: builtins.str, n: int = -1, regex: bool = False) -> JaggedArray:
        r"""Replace occurrences of a text or matches of a regular expression.

        Parameters
        ----------
        old : str
            Text, or a regular expression of RE2 if `regex` is True.
        new : str
            The replacement; with `regex`, ``\1`` is the first group.
        n : int
            The largest number of replacements per string; negative for all.
        regex : bool
            Whether `old` is a regular expression.

        %(text_returned)s
        JagValueError
            If the pattern is empty, or RE2 can't compile it.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([["a-b-c"], []]).str.replace("-", "").to_list()
        [['abc'], []]
        >>> aj.array([["ab12"]]).str.replace("([0-9])", r"<\1>", regex=True).to_list()
        [['ab<1><2>']]
        """
        return self._owner._wrap(_ops.replace(self._owner, old, new, n, regex))

    @method(namespace="str")
    def extract(self, regex: builtins.str) -> JaggedArray:
        """Return the groups of the first match of a regular expression.

        Parameters
        ----------
        regex : str
            A regular expression of RE2 with at least one group.

        Returns
        -------
        JaggedArray
            Structs of the same shape, with one field per group, named as the group, or by its number from 1 if it has no name.
            Null without a match; a group that takes no part in the match is a null field. Cost: one pass, two if a group is
            empty.

        %(not_text)s
        JagValueError
            If RE2 can't compile the pattern, or it has no group.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([["a=1", "b"]]).str.extract("(?P<key>[a-z])=([0-9])").to_list()
        [[{'key': 'a', '2': '1'}, None]]
        """
        return self._owner._wrap(_ops.extract(self._owner, regex))

    @method(namespace="str")
    def extract_all(self, regex: builtins.str) -> JaggedArray:
        """Return all matches of a regular expression.

        Parameters
        ----------
        regex : str
            A regular expression of RE2; groups in it don't matter.

        Returns
        -------
        JaggedArray
            Text with one more dim: the whole matches of each string, an empty row if there is none; null stays null. Cost: two
            passes.

        %(not_text)s
        %(bad_regex)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([["a1b22", "c", None]]).str.extract_all("[0-9]+").to_list()
        [[['1', '22'], [], None]]
        """
        return self._owner._wrap(_ops.extract_all(self._owner, regex))

    @method(namespace="str")
    def split(self, sep: builtins.str | None = None, maxsplit: int = -1, regex: bool = False) -> JaggedArray:
        """Split each string at separators.

        Parameters
        ----------
        sep : str, optional
            Text, or a regular expression of RE2 if `regex` is True. By default, strings are split at runs of white space; white
            space at the ends gives no piece.
        maxsplit : int
            The largest number of splits per string; negative for all.
        regex : bool
            Whether `sep` is a regular expression; its groups are not among the pieces.

        Returns
        -------
        JaggedArray
            Text with one more dim, the pieces of each string; null stays null. Cost: one pass, for regular expressions two.

        %(not_text)s
        JagValueError
            If the pattern is empty, or RE2 can't compile it.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([["a,b", ""], [None]]).str.split(",").to_list()
        [[['a', 'b'], ['']], [None]]
        >>> aj.array([[" a  b ", ""]]).str.split().to_list()
        [[['a', 'b'], []]]
        """
        return self._owner._wrap(_ops.split(self._owner, sep, maxsplit, regex))
