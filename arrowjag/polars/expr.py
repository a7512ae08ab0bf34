"""`.jag` on expressions: an expression of polars that records what is called on it, and lowers it when polars asks."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np
import polars as pl
from polars.selectors import Selector

from arrowjag import JaggedArray
from arrowjag._array.scans import Rolling
from arrowjag._methods import METHODS, Host
from arrowjag.errors import JagTypeError
from arrowjag.polars._surface import BINARY, COMPARISONS, add_methods, add_operators
from arrowjag.polars._tree import Call, Input, Node, record, record_arguments
from arrowjag.polars.lowering import lower

__all__ = ["JagExpr", "JagNamespace"]


class JagExpr(pl.Expr):
    """What a call on jagged columns gives: an expression whose operators and ufuncs are jagged too.

    Every other method is polars' own; ``.jag`` goes on recording, so that a chain is converted to Arrow and back once.

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
        """What polars reads: the tree is lowered the first time."""
        _refuse_selector_on_the_left()
        if self._lowered is None:
            self._lowered = lower(self._node)._pyexpr
        return self._lowered

    @classmethod
    def _from_pyexpr(cls, pyexpr: Any) -> pl.Expr:
        return pl.Expr._from_pyexpr(pyexpr)

    @property
    def jag(self) -> JagNamespace:
        """More jagged operations on the result.

        Examples
        --------
        >>> import arrowjag as aj, polars as pl
        >>> df = pl.DataFrame({"v": aj.array([[1, 2], [3]]).to_polars()})
        >>> df.select(pl.col("v").jag.cumsum().jag.max()).to_series().to_list()
        [3, 3]
        """
        return JagNamespace(self)

    def _operate(self, name: str, *args: Any) -> JagExpr:
        return JagExpr(Call("operator", name, tuple(record(one, rowwise=True) for one in args)))

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__":
            raise JagTypeError(f"{ufunc.__name__}.{method} is not defined for jagged columns; use the methods sum, min...")
        if options:
            raise JagTypeError(f"{ufunc.__name__} takes no options on jagged columns, got {', '.join(options)}")
        made = Call("ufunc", ufunc.__name__, (ufunc, *(record(one, rowwise=True) for one in inputs)))
        if ufunc.nout == 1:
            return JagExpr(made)
        return tuple(JagExpr(Call("part", ufunc.__name__, (made, place))) for place in range(ufunc.nout))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._node,)


class JagNamespace(JagExpr):
    """Jagged operations on an expression: `pl.col("v").jag`.

    It is an expression of polars itself, equal to the column it stands on. Methods are those of
    `arrowjag.JaggedArray`; operators work on either side. Operands are expressions, scalars, plain columns (one item
    a row) and jagged columns of any depth that is a prefix of the other's. A plain `List` or `Array` column gives one
    back, a `Jagged` column gives `Jagged`, both together `Jagged`; results of one dim are plain columns.

    Parameters
    ----------
    expr : pl.Expr
        The column.

    Notes
    -----
    A selector on the left hand of an operator is asked before us, and knows nothing of jagged columns; such expressions are
    refused. Write ``cs.float().as_expr() * pl.col("v").jag``, or
    ``cs.float().jag * pl.col("v")``.

    Lazy and streaming: a call that works row by row streams in morsels; one that looks across rows
    (``cumsum(axis=0)``, `shuffle`) sees the whole column. A call that would change the rows (`flatten` of the first
    dim, ``[rows]``) is refused; `DataFrame.jag.flatten` does it for the whole frame.

    Reductions over the rows (``axis=0``, or of a plain column) are aggregates. In `agg` and `over` they cost one
    Python call for all groups. Other calls there cost one Python call a group:
    ``pl.col("v").jag.cumsum(axis=0).over("g")`` does, and so does ``(pl.col("v").jag -
    pl.col("v").jag.mean(axis=0)).over("g")``. Aggregate over the groups alone and compute outside instead:
    ``pl.col("v").jag - pl.col("v").jag.mean(axis=0).over("g")``.

    Examples
    --------
    >>> import arrowjag as aj, polars as pl
    >>> df = pl.DataFrame({"k": [10, 100], "v": aj.array([[1, 2], [3]]).to_polars()})
    >>> df.select(pl.col("k") * pl.col("v").jag).to_series().to_list()
    [[10, 20], [300]]
    """

    __iter__ = None  # every place has an item while it is only recorded: a loop would never end

    def __init__(self, expr: pl.Expr | Input | Call) -> None:
        if type(expr) is pl.Expr:
            # Another object of the same expression: polars keeps this one in `expr.jag`, which would be a cycle for the collector.
            expr = Input(pl.Expr._from_pyexpr(expr._pyexpr))
        super().__init__(record(expr) if isinstance(expr, pl.Expr) else expr)

    def _call(self, name: str, *args: Any, **kwargs: Any) -> Any:
        recorded, named = record_arguments(name, args, kwargs)
        return JagExpr(Call("method", name, (self._node, *recorded), named))

    def __getitem__(self, key: Any) -> JagExpr:
        return JagExpr(Call("getitem", "x[...]", (self._node, _recorded_key(key))))

    def rolling(self, window: int, axis: Any = -1) -> Rolling:  # type: ignore[override]
        """Moving windows along an axis: `.sum()`, `.mean()`, `.min()`, `.max()`, `.count()`."""
        return Rolling(self, window, axis)

    @property
    def S(self) -> _Slots:  # noqa: N802 - Koda's name
        """Index from the innermost dims, with null for what is out of range (Koda's rule)."""
        return _Slots(self._node)

    @property
    def jag(self) -> JagNamespace:
        """Itself."""
        return self


class _Slots:
    """`.jag.S` of an expression."""

    __iter__ = None  # as above

    def __init__(self, node: Node) -> None:
        self._column = node

    def __getitem__(self, key: Any) -> JagExpr:
        return JagExpr(Call("slots", "x.S[...]", (self._column, _recorded_key(key))))


_OPERATORS = frozenset(f"__{name}__" for name in (*BINARY, *COMPARISONS))


def _refuse_selector_on_the_left() -> None:
    """Say what to write where a selector's own operator reads one of our expressions.

    Python asks the left operand first unless the right one is of a subclass, as we are of expressions and not of selectors; polars
    then computes as if we were a plain column: no jagged types, another broadcasting. Nothing but the call itself tells.
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


def _recorded_key(key: Any) -> Any:
    if isinstance(key, tuple):
        return tuple(_recorded_key(one) for one in key)
    if isinstance(key, (pl.Series, np.ndarray, JaggedArray)):
        return record(key, rowwise=True)
    return record(key)


add_operators(JagExpr)
add_methods(JagNamespace, {name: one for name, one in METHODS.items() if name != "rolling"})


# --------------------------------------------------------------------------------------------------- free functions


def _owns(value: Any) -> bool:
    return isinstance(value, pl.Expr)


def _call_function(_function: Callable[..., Any], name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    recorded = tuple(record(one, rowwise=isinstance(one, (pl.Series, JaggedArray))) for one in args)
    named = {key: record(one, rowwise=isinstance(one, (pl.Series, JaggedArray))) for key, one in kwargs.items()}
    node = Call("function", name, recorded, named)
    if name == "align":
        return tuple(JagExpr(Call("part", name, (node, place))) for place in range(len(args)))
    return JagExpr(node)


HOST = Host(_owns, _call_function)
"""How expressions take part in `aj.where`, `aj.zip` and their like."""
