"""`.jag` on expressions: a polars expression that records calls, and lowers them when polars reads the expression."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, NoReturn

import polars as pl
from polars.selectors import Selector

from arrowjag._array import JaggedArray
from arrowjag._array.windows import WindowMethods
from arrowjag._expressions import Trace, Traced, is_plain, recorded_key, recorded_positions
from arrowjag._html import facts_html
from arrowjag._methods import METHODS, Host, add_namespaces
from arrowjag._ops.elementwise import PYTHON_OPERATORS
from arrowjag._ops.elementwise.ufuncs import check_ufunc
from arrowjag.errors import JagTypeError, Suggesting
from arrowjag.polars._evaluation import describe
from arrowjag.polars._names import add_aliases, check_keywords, own_names, refuse, refuse_foreign
from arrowjag.polars._surface import add_methods, add_operators, caller
from arrowjag.polars._tree import (
    Call,
    Input,
    Node,
    children,
    mapped_values,
    operator_call,
    record,
    record_arguments,
    record_operands,
    ufunc_call,
)
from arrowjag.polars.lowering import lower

__all__ = ["JagExpr", "JagNamespace"]

_SHOWN = 80
"""Characters of the calls, and of a column, in a repr."""


class JagExpr(pl.Expr):
    """The result of a call on jagged columns: an expression whose operators and ufuncs are jagged too.

    All other methods are polars' own. Calls through ``.jag`` extend the recorded tree, so that a chain of calls converts its
    columns to Arrow and back once.

    Parameters
    ----------
    node : Input or Call
        The recorded tree.

    Examples
    --------
    >>> import arrowjag as aj, polars as pl
    >>> df = pl.DataFrame({"v": aj.array([[1, 2], [3]]).to_polars(), "k": [10, 100]})
    >>> df.select((pl.col("v").jag * pl.col("k")).jag.sum())["v"].to_list()
    [30, 300]
    """

    _node: Node

    def __init__(self, node: Node) -> None:
        self._node = node
        self._lowered: Any = None

    @property
    def _pyexpr(self) -> Any:  # type: ignore[override]
        """The plain expression that polars reads; the first access lowers the tree."""
        _refuse_selector_on_the_left()
        if self._lowered is None:
            self._lowered = lower(self._node)._pyexpr
        return self._lowered

    @classmethod
    def _from_pyexpr(cls, pyexpr: Any) -> pl.Expr:
        return pl.Expr._from_pyexpr(pyexpr)

    @property
    def jag(self) -> JagNamespace:
        """Jagged operations on the result.

        Examples
        --------
        >>> import arrowjag as aj, polars as pl
        >>> df = pl.DataFrame({"v": aj.array([[1, 2], [3]]).to_polars()})
        >>> df.select(pl.col("v").jag.cumsum().jag.max()).to_series().to_list()
        [3, 3]
        """
        return JagNamespace(self)

    def __repr__(self) -> str:
        calls, *columns = self._facts()
        shown = [calls[1], *(f"{name} = {source}" for name, source in columns)]
        return f"<{type(self).__name__} {', '.join(one if len(one) <= _SHOWN else f'{one[: _SHOWN - 3]}...' for one in shown)}>"

    def _repr_html_(self) -> str:
        return facts_html("JagExpr", self._facts())

    def _facts(self) -> list[tuple[str, str]]:
        """The calls of the recorded tree, and the columns that they begin with."""
        positions = [(node, position) for position, node in enumerate(_inputs(self._node))]
        calls = "x0" if isinstance(self._node, Input) else describe(self._node, positions).removeprefix("jag ")
        return [("calls", calls), *((f"x{at}", str(node.source)) for node, at in positions)]

    def _operate(self, name: str, *args: Any) -> JagExpr:
        return JagExpr(Call(*operator_call(name, tuple(record(one, rowwise=True) for one in args))))

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        check_ufunc(ufunc, method, options)
        made = Call(*ufunc_call(ufunc, tuple(record(one, rowwise=True) for one in inputs)))
        if ufunc.nout == 1:
            return JagExpr(made)
        return tuple(JagExpr(Call("part", ufunc.__name__, (made, position))) for position in range(ufunc.nout))

    def __array_function__(self, function: Callable[..., Any], *_args: Any) -> NoReturn:
        """Raise: numpy would take the expression for one object."""
        raise JagTypeError(
            f"np.{function.__name__}: a polars expression has no values outside of a query, so numpy calls ufuncs on it only; use "
            'the methods round, clip, sum... of .jag, aj.where and aj.concat, or the Series, df["v"].jag'
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._node,)


class JagNamespace(JagExpr):
    """Jagged operations on an expression: `pl.col("v").jag`.

    The namespace is a polars expression itself and evaluates to the column. It has the methods of `arrowjag.JaggedArray`, some of
    them also under polars' names (`len` is `lengths`, `arg_sort` is `argsort`). Of polars' own methods it has only `alias`, `over`
    and `meta`; every other name of polars raises `JagAttributeError`. Operators work on either side. Operands are expressions,
    scalars, plain columns (one item per row), and jagged columns if one shape is a prefix of the other. The result is `Jagged` if
    an operand is `Jagged`, and a plain list column if all nested operands are `List` or `Array`; a result of one dim is a plain
    column.

    Parameters
    ----------
    expr : pl.Expr
        The column.

    Notes
    -----
    A selector on the left-hand side of an operator raises `JagTypeError`: Python would evaluate the operator of the selector, which
    does not support jagged columns. Write ``cs.float().as_expr() * pl.col("v").jag``, or
    ``cs.float().jag * pl.col("v")``.

    Lazy frames and streaming: a call that computes each row alone streams in morsels; a call that combines rows
    (``cumsum(axis=0)``, `shuffle`) reads the whole column. A call that would change the rows of the frame (`flatten` of the
    first dim, ``[rows]``) raises `JagTypeError`; `DataFrame.jag.flatten` flattens the whole frame.

    Reductions over the rows (``axis=0``, or any reduction of a plain column) are aggregates. In `agg` and `over` they cost one
    Python call for all groups, and so do calls that compute each row alone. Other calls cost one Python call per group: those that
    combine rows, such as ``pl.col("v").jag.cumsum(axis=0).over("g")``, and those that combine an aggregate with its rows, such as
    ``(pl.col("v").jag - pl.col("v").jag.mean(axis=0)).over("g")``. In the latter case, put only the aggregate into `over`:
    ``pl.col("v").jag - pl.col("v").jag.mean(axis=0).over("g")``.

    Examples
    --------
    >>> import arrowjag as aj, polars as pl
    >>> df = pl.DataFrame({"k": [10, 100], "v": aj.array([[1, 2], [3]]).to_polars()})
    >>> df.select(pl.col("k") * pl.col("v").jag).to_series().to_list()
    [[10, 20], [300]]
    """

    __iter__ = None  # indexing only records, so it never raises IndexError and a loop would not end

    def __init__(self, expr: pl.Expr | Input | Call) -> None:
        if type(expr) is pl.Expr:
            # A second object of the same expression: polars keeps this namespace in `expr.jag`, so holding `expr` would be a cycle.
            expr = Input(pl.Expr._from_pyexpr(expr._pyexpr))
        super().__init__(record(expr) if isinstance(expr, pl.Expr) else expr)

    def _call(self, name: str, *args: Any, **kwargs: Any) -> Any:
        check_keywords(name, kwargs)
        recorded, named = record_arguments(name, args, kwargs)
        return JagExpr(Call("method", name, (self._node, *recorded), named))

    def __getitem__(self, key: Any) -> JagExpr:
        return JagExpr(Call("getitem", "x[...]", (self._node, recorded_key(key, record))))

    rolling, expanding, ewm = WindowMethods.rolling, WindowMethods.expanding, WindowMethods.ewm  # type: ignore[assignment]

    @property
    def S(self) -> _Slots:  # noqa: N802 - Koda's name
        """Index from the innermost dims; positions out of range give null (Koda's rule)."""
        return _Slots(self._node)

    @property
    def jag(self) -> JagNamespace:
        """The namespace itself."""
        return self

    def __getattr__(self, name: str) -> NoReturn:
        """Raise for a name of polars: its methods take each row as one value, those of `.jag` operate on the items."""
        if name.startswith("_"):
            raise AttributeError(name)
        node = self._node
        column = node.source.meta.output_name(raise_if_undetermined=False) if isinstance(node, Input) else None
        refuse(JagNamespace, pl.Expr, f'pl.col("{column or "v"}")', name)

    def __dir__(self) -> list[str]:
        return sorted({*own_names(JagNamespace), *_PASSING, *dir(object)})


_PASSING = frozenset({"alias", "over", "meta"})
"""Methods of polars that stay available: they don't compute with the values of the column."""


class _Slots(Suggesting):
    """`.jag.S` of an expression."""

    _called = ".S"
    __iter__ = None  # as in `JagNamespace`

    def __init__(self, node: Node) -> None:
        self._column = node

    def __getitem__(self, key: Any) -> JagExpr:
        return JagExpr(Call("slots", "x.S[...]", (self._column, recorded_positions(key, record))))


_OPERATORS = frozenset(f"__{name}__" for name in PYTHON_OPERATORS)


def _refuse_selector_on_the_left() -> None:
    """Raise if the operator of a selector reads a jagged expression as its right operand.

    Python calls the operator of the left operand first, unless the class of the right one is a subclass of it. This class is
    a subclass of `Expr`, not of `Selector`, so polars would compute with the stored lists, without jagged types and with its own
    broadcasting.
    Only the call stack reveals this case.
    """
    frame: FrameType | None = sys._getframe()
    for _ in range(3):  # the property, polars' parser, the operator
        frame = frame and frame.f_back
    for _ in range(2):  # some operators of selectors call those of expressions
        if frame is None or frame.f_code.co_name not in _OPERATORS:
            return
        if isinstance(frame.f_locals.get("self"), Selector):
            raise JagTypeError(
                "a selector on the left of an operator does not know jagged columns: write cs.float().as_expr() * "
                'pl.col("v").jag or cs.float().jag * pl.col("v")'
            )
        frame = frame.f_back


def _inputs(root: Node) -> list[Input]:
    """Return the columns that a tree reads, each once, in the order of their first use."""
    nodes: dict[int, Node] = {}

    def visit(node: Node) -> None:
        if id(node) not in nodes:
            nodes[id(node)] = node
            for child in () if isinstance(node, Input) else children(node):
                visit(child)

    visit(root)
    return [node for node in nodes.values() if isinstance(node, Input)]


add_operators(JagExpr)
add_methods(JagNamespace, METHODS)
add_namespaces(JagNamespace, caller)
add_aliases(JagNamespace)
refuse_foreign(JagNamespace, pl.Expr, _PASSING)


# --------------------------------------------------------------------------------------------------- free functions


def _owns(value: Any) -> bool:
    return isinstance(value, pl.Expr)


def _call_function(_function: Callable[..., Any], name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    recorded, named = record_operands(name, args, kwargs, record, pl.Expr, lambda one: isinstance(one, (pl.Series, JaggedArray)))
    node = Call("function", name, recorded, named)
    if name == "align":
        return tuple(JagExpr(Call("part", name, (node, position))) for position in range(len(args)))
    return JagExpr(node)


_COLUMNS = (pl.Expr, pl.Series, JaggedArray)


def _trace(function: Callable[..., Any], name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run a function with placeholders of expressions; the recorded trees become expressions."""
    trace = Trace(name, lambda value: record(value, rowwise=True))

    def placed(value: Any) -> Any:
        if not isinstance(value, _COLUMNS):
            return value
        return Traced(trace, record(value, rowwise=True))

    def opened(value: Any) -> Any:
        if is_plain(value, _COLUMNS):
            return Traced(trace, record(value, rowwise=True))
        return mapped_values(value, placed)

    found = function(*map(opened, args), **{key: opened(one) for key, one in kwargs.items()})
    trace.check()
    return mapped_values(found, lambda one: JagExpr(one._node) if isinstance(one, Traced) else trace.checked(one))


HOST = Host(_owns, _call_function, trace=_trace)
"""How free functions such as `aj.where` and `aj.zip` handle expressions."""
