"""Conditions on the fields of nested columns, as text: ``s.a > 60 and s.b == 'JFK'``.

The text is parsed by Python's `ast` and computed by the methods of arrays. Nothing else of Python is reachable: a text has
no calls, no subscripts, no comprehensions, and reads no variable of the caller.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow.types as pt

from arrowjag._array import JaggedArray
from arrowjag._ops.struct_fields import fields
from arrowjag.errors import JagError, JagIndexError, JagTypeError, JagValueError, ShapeError, brief

__all__ = ["Query", "filter_by", "parse"]

_TOKENS = re.compile(r"""(?P<text>'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")|`(?P<name>[^`]*)`|(?P<word>[&|@])""")
_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_LONGEST = 10_000
"""Characters in a condition; Python's parser needs memory and stack in proportion."""

_DEEPEST = 100
"""Levels of nested operators in a condition."""


@dataclass(frozen=True)
class Query:
    """A parsed condition.

    Attributes
    ----------
    text : str
        As the caller wrote it.
    paths : tuple of tuple of str
        The columns that it reads, each with the fields below it, without duplicates.
    """

    text: str
    paths: tuple[tuple[str, ...], ...]

    def __reduce__(self) -> tuple[Any, ...]:
        return parse, (self.text,)

    @property
    def columns(self) -> list[str]:
        """The columns that the condition reads."""
        return list(dict.fromkeys(path[0] for path in self.paths))

    def struct(self, columns: Mapping[str, JaggedArray]) -> str:
        """Return the one column of nested structs that the condition names.

        Parameters
        ----------
        columns : mapping of str to JaggedArray
            At least the columns of the condition; arrays without rows suffice.

        Raises
        ------
        JagTypeError
            If it names none, or several.
        """
        found = [name for name in self.columns if columns[name].ndim > 1 and pt.is_struct(columns[name].type)]
        if len(found) == 1:
            return found[0]
        if found:
            raise JagTypeError(f"query: {brief(self.text)} names the nested columns {found}; one call filters one of them")
        raise JagTypeError(
            f"query: {brief(self.text)} names no nested column of structs; put columns into one with nest, or use filter for lists"
        )

    def mask(self, columns: Mapping[str, JaggedArray]) -> Any:
        """Compute the condition: booleans, null where an operand is null.

        Parameters
        ----------
        columns : mapping of str to JaggedArray
            At least the columns of the condition.
        """
        tree, names = _parsed(self.text)
        return _Evaluation(self.text, columns, names).value(tree)


def parse(text: str) -> Query:
    """Parse a condition.

    Parameters
    ----------
    text : str
        Comparisons, ``and``, ``or``, ``not``, ``in`` with a list of literals, ``is None``, arithmetic, columns ``k``, fields
        ``s.a``, names in backticks, literals. ``&`` and ``|`` mean ``and`` and ``or``, as in pandas.

    Returns
    -------
    Query
        The condition.

    Raises
    ------
    JagValueError
        If the text is no such condition.

    Examples
    --------
    >>> parse("s.a > 60 and s.b == 'JFK'").paths
    (('s', 'a'), ('s', 'b'))
    """
    tree, names = _parsed(text)
    found: dict[tuple[str, ...], None] = {}
    _collect(tree, names, found, text, 0)
    return Query(text, tuple(found))


def filter_by(query: Query, columns: Mapping[str, JaggedArray]) -> dict[str, JaggedArray]:
    """Filter the nested column of a condition.

    Parameters
    ----------
    query : Query
        The condition.
    columns : mapping of str to JaggedArray
        The columns that it reads.

    Returns
    -------
    dict
        The column of structs, with the items for which the condition is true. Rows stay; a row that loses all items is empty.
    """
    name = query.struct(columns)
    try:
        mask = query.mask(columns)
    except JagError as error:
        error.begin_with("query", ())
        raise
    if not _is_mask(mask):
        raise JagTypeError(f"query: {brief(query.text)} must give booleans, got {_kind(mask)}")
    if mask.ndim > columns[name].ndim:
        raise ShapeError(
            f"query: {brief(query.text)} gives {mask.shape!r}, deeper than the items of {brief(name)}, {columns[name].shape!r}; "
            "reduce lists inside of items first"
        )
    return {name: columns[name].filter(mask)}


# --------------------------------------------------------------------------------------------------------- parsing


def _parsed(text: str) -> tuple[ast.expr, dict[str, str]]:
    """Return the syntax tree of a condition, and the names in backticks by the identifiers that stand for them in the tree."""
    if len(text) > _LONGEST:
        raise JagValueError(f"query: a condition has at most {_LONGEST} characters, got {len(text)}")
    plain, names = _as_python(text)
    try:
        return ast.parse(plain, mode="eval").body, names
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise JagValueError(f"query: {brief(text)} is not a condition: {getattr(error, 'msg', error)}") from None


def _as_python(text: str) -> tuple[str, dict[str, str]]:
    """Replace names in backticks by identifiers, and ``&`` and ``|`` by words; also return the names by their identifiers."""
    prefix = "B"
    while prefix in text:
        prefix += "_"
    names: dict[str, str] = {}

    def replaced(match: re.Match[str]) -> str:
        if match["text"] is not None:
            return match["text"]
        if match["name"] is not None:
            identifier = f"{prefix}{len(names)}"
            names[identifier] = match["name"]
            return identifier
        if match["word"] == "@":
            raise JagValueError(f"query: {brief(text)} has @, and conditions read no variables; put the value into the text")
        return " and " if match["word"] == "&" else " or "

    return _TOKENS.sub(replaced, text).strip(), names


def _collect(node: ast.AST, names: Mapping[str, str], found: dict[tuple[str, ...], None], text: str, depth: int) -> None:
    """Check every node of a condition, and collect the columns and fields that it names."""
    if depth > _DEEPEST:
        raise JagValueError(f"query: a condition has at most {_DEEPEST} levels of operators")
    if isinstance(node, (ast.Name, ast.Attribute)):
        found[_path(node, names, text)] = None
        return
    if isinstance(node, ast.Constant):
        _literal(node, text)
        return
    if not isinstance(node, (ast.BoolOp, ast.Compare, ast.BinOp, ast.UnaryOp, ast.List, ast.Tuple, ast.Set)):
        raise _refused(node, text)
    operators: list[Any] = [*getattr(node, "ops", ()), *([node.op] if isinstance(node, ast.BinOp) else ())]
    known = (*_COMPARISONS, *_ARITHMETIC, ast.In, ast.NotIn, ast.Is, ast.IsNot)
    for one in operators:
        if not isinstance(one, known):
            raise _refused(one, text)
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            _collect(child, names, found, text, depth + 1)


def _path(node: ast.expr, names: Mapping[str, str], text: str) -> tuple[str, ...]:
    """Return the column and the fields of a name: ("s", "a") for ``s.a``."""
    if isinstance(node, ast.Attribute):
        return (*_path(node.value, names, text), names.get(node.attr, node.attr))
    if isinstance(node, ast.Name):
        return (names.get(node.id, node.id),)
    raise _refused(node, text)


def _literal(node: ast.Constant, text: str) -> Any:
    if isinstance(node.value, (bool, int, float, str, type(None))):
        return node.value
    raise _refused(node, text)


def _refused(node: ast.AST, text: str) -> JagValueError:
    kind = {"Call": "calls", "Subscript": "subscripts", "Lambda": "functions"}.get(type(node).__name__, type(node).__name__)
    return JagValueError(
        f"query: {brief(text)} has {kind}; a condition has comparisons, and, or, not, in, arithmetic, columns, fields s.a "
        "and literals"
    )


# -------------------------------------------------------------------------------------------------------- computing


def _is_mask(value: Any) -> bool:
    """Return whether a value is an array of booleans; an array of nulls alone has the type null."""
    return isinstance(value, JaggedArray) and bool(pt.is_boolean(value.type) or pt.is_null(value.type))


def _kind(value: Any) -> str:
    """Return the Arrow type of an array, or the class of another value, for a message."""
    return str(value.type) if isinstance(value, JaggedArray) else type(value).__name__


@dataclass(frozen=True)
class _Evaluation:
    """Computes a condition on columns."""

    text: str
    columns: Mapping[str, JaggedArray]
    names: Mapping[str, str]
    """The names in backticks, by the identifiers that stand for them in the syntax tree."""

    def value(self, node: ast.expr) -> Any:
        """The value of a part of the condition: an array or a literal."""
        if isinstance(node, (ast.Name, ast.Attribute)):
            return self.column(_path(node, self.names, self.text))
        if isinstance(node, ast.Constant):
            return _literal(node, self.text)
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            return [self.literal(one) for one in node.elts]
        if isinstance(node, ast.BoolOp):
            return self.all_or_any(node)
        if isinstance(node, ast.UnaryOp):
            return self.unary(node)
        if isinstance(node, ast.Compare):
            return self.comparison(node)
        assert isinstance(node, ast.BinOp)
        return self.arithmetic(node)

    def column(self, path: Sequence[str]) -> JaggedArray:
        array: Any = self.columns[path[0]]
        for place, name in enumerate(path[1:], 1):
            if name not in fields(array.type):
                hint = f"its fields are {fields(array.type)}" if pt.is_struct(array.type) else f"its items are {array.type}"
                raise JagIndexError(f"query: {'.'.join(path[:place])!r} has no field {brief(name)}: {hint}")
            array = array[name]
        return array  # type: ignore[no-any-return]  # columns have rows

    def literal(self, node: ast.expr) -> Any:
        value = self.value(node)
        if isinstance(value, (JaggedArray, list)):
            raise JagValueError(f"query: {brief(self.text)}: a list holds literals only")
        return value

    def all_or_any(self, node: ast.BoolOp) -> Any:
        function = operator.and_ if isinstance(node.op, ast.And) else operator.or_
        result, *rest = [self.condition(one) for one in node.values]
        for one in rest:
            result = function(result, one)
        return result

    def condition(self, node: ast.expr) -> Any:
        value = self.value(node)
        if isinstance(value, bool) or _is_mask(value):
            return value
        raise JagTypeError(f"query: {brief(self.text)}: and, or, not take conditions, got {_kind(value)}")

    def unary(self, node: ast.UnaryOp) -> Any:
        if isinstance(node.op, (ast.Not, ast.Invert)):
            value = self.condition(node.operand)
            return not value if isinstance(value, bool) else ~value
        value = self.value(node.operand)
        if isinstance(value, (str, bool, list, type(None))):
            raise JagTypeError(f"query: {brief(self.text)}: a sign needs a number, got {brief(value)}")
        return -value if isinstance(node.op, ast.USub) else value

    def comparison(self, node: ast.Compare) -> Any:
        result: Any = None
        left = self.value(node.left)
        for one, other in zip(node.ops, node.comparators, strict=True):
            right = self.value(other)
            found = self.compare(one, left, right)
            result = found if result is None else result & found
            left = right
        return result

    def compare(self, kind: ast.cmpop, left: Any, right: Any) -> Any:
        if isinstance(kind, (ast.In, ast.NotIn)):
            if not isinstance(left, JaggedArray) or not isinstance(right, list):
                raise JagTypeError(
                    f"query: {brief(self.text)}: write `s.a in [1, 2]`, a field on the left and literals on the right"
                )
            found = left.is_in(right)
            return ~found if isinstance(kind, ast.NotIn) else found
        if isinstance(left, list) or isinstance(right, list):
            raise JagTypeError(f"query: {brief(self.text)}: a list belongs to the right of in")
        if isinstance(kind, (ast.Is, ast.IsNot)):
            if right is not None or not isinstance(left, JaggedArray):
                raise JagTypeError(f"query: {brief(self.text)}: is and is not compare with None only")
            return left.is_null() if isinstance(kind, ast.Is) else ~left.is_null()
        try:
            return _COMPARISONS[type(kind)](left, right)
        except TypeError as error:  # Python's, of two literals
            if isinstance(error, JagError):
                raise
            raise JagTypeError(f"query: {brief(self.text)}: {error}") from None

    def arithmetic(self, node: ast.BinOp) -> Any:
        left, right = self.value(node.left), self.value(node.right)
        if isinstance(left, JaggedArray) or isinstance(right, JaggedArray):
            if isinstance(left, list) or isinstance(right, list):
                raise JagTypeError(f"query: {brief(self.text)}: a list belongs to the right of in")
            return _ARITHMETIC[type(node.op)](left, right)
        numbers = all(isinstance(one, (int, float)) and not isinstance(one, bool) for one in (left, right))
        if not numbers or (isinstance(node.op, ast.Pow) and (abs(right) > 64 or abs(left) >= 2**64)):
            raise JagValueError(
                f"query: {brief(self.text)}: arithmetic of literals takes numbers, got {brief(left)} and {brief(right)}"
            )
        try:
            return _ARITHMETIC[type(node.op)](left, right)
        except (ArithmeticError, ValueError) as error:
            raise JagValueError(f"query: {brief(self.text)}: {error}") from None
