"""Functions that polars calls with Series; each computes a recorded tree and returns a Series."""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Callable, Sequence
from typing import Any

import polars as pl
import pyarrow as pa

from arrowjag import _column, _frames
from arrowjag._array import JaggedArray
from arrowjag._expressions import Program
from arrowjag._kernels.strategy import sizes
from arrowjag.errors import JagError, JagTypeError, ShapeError, plural
from arrowjag.polars._convert import ColumnType, as_enum, from_planned, panics, spread_row, to_series
from arrowjag.polars._sharing import Member, Ticket, members
from arrowjag.polars._tree import Call, Input, Node, call, children

__all__ = ["Evaluation", "Output", "describe", "named", "within_batch"]


class Evaluation:
    """A recorded tree and its columns; all outputs with the same plan share one evaluation.

    Parameters
    ----------
    root : Call
        The outermost call of the tree.
    positions : list of (Node, int)
        The inputs of the tree, each with the position of its column.
    columns : list of ColumnType
        The types of the columns.
    kind : ColumnType
        The type of the result.
    exact : frozenset of int
        The positions of arrays of the caller, which are not repeated; they have the rows of the frame, or the call raises.
    """

    def __init__(
        self,
        root: Call,
        positions: list[tuple[Node, int]],
        columns: list[ColumnType],
        kind: ColumnType,
        exact: frozenset[int] = frozenset(),
    ) -> None:
        self.root = root
        self.positions = positions
        self.columns = columns
        self.kind = kind
        self.exact = exact
        self.dtype = kind.dtype
        self.label = describe(root, positions)
        self._members: list[Member] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        # ids of nodes are valid in this process only
        return type(self), (self.root, self.positions, self.columns, self.kind, self.exact)

    @property
    def members(self) -> list[Member]:
        """The calls whose values other outputs of the query may share."""
        if self._members is None:
            self._members = members(self.root, {id(node): position for node, position in self.positions}, self.columns)
        return self._members

    def _result(self, series: Sequence[pl.Series], ticket: Ticket | None) -> pl.Series:
        series = series[: len(self.columns)]  # the last Series is text for `explain`
        repeated = [one for position, one in enumerate(series) if position not in self.exact]
        rows = _common_length([len(one) for one in repeated or series])
        if ticket is None:
            value = self._value(series, rows, None)
        else:
            with ticket.run(series, rows) as look:
                value = self._value(series, rows, look)
        if isinstance(value, pa.Array):
            value = JaggedArray._of(_column.from_arrow(value, 1))
        if len(value) != rows:
            raise ShapeError(
                f"{self.root.name} returned {plural(len(value), 'row')} for {plural(rows, 'row')} of the frame; "
                "use it on the Series or the array"
            )
        made = as_enum(to_series(value, series[0].name, extension=self.kind.jagged), self.kind.enum)
        if made.dtype != self.dtype:
            raise JagTypeError(f"{self.root.name} was planned to return {self.dtype!r} and returned {made.dtype!r}")
        return made

    @functools.cached_property
    def _program(self) -> Program:
        """The tree, divided into stretches that run in blocks of rows."""
        return Program.of([self.root], {id(node): self.columns[position].empty() for node, position in self.positions})

    def _value(self, series: Sequence[pl.Series], rows: int, look: Callable[[int, Callable[[], Any]], Any] | None) -> Any:
        """Compute the tree. The first call that reads a column converts it, and each call of the tree is evaluated once."""
        walk = _Walk(self, series, rows, look)
        if look is None and rows >= sizes.STRETCH_ROWS and self._program.has_stretch:
            return self._program.run({id(node): walk.column(position) for node, position in self.positions})[0]
        return walk.value_of(self.root)


class _Walk:
    """One evaluation of a tree on the rows of one call.

    A recursive function in place of this class would refer to itself, and the rows would stay in memory until Python's garbage
    collector runs, after tens of batches.
    """

    def __init__(
        self,
        run: Evaluation,
        series: Sequence[pl.Series],
        rows: int,
        look: Callable[[int, Callable[[], Any]], Any] | None,
    ) -> None:
        self._columns, self._exact, self._series, self._rows, self._look = run.columns, run.exact, series, rows, look
        self._positions = {id(node): position for node, position in run.positions}
        self._arrays: dict[int, JaggedArray] = {}
        self._known: dict[int, Any] = {}

    def column(self, position: int) -> JaggedArray:
        """Convert a column at its first use."""
        if position not in self._arrays:
            column = from_planned(self._series[position], self._columns[position])
            self._arrays[position] = column if position in self._exact else spread_row(column, self._rows)
        return self._arrays[position]

    def value_of(self, node: Node) -> Any:
        """Compute a call at its first use."""
        if id(node) in self._positions:
            return self.column(self._positions[id(node)])
        if id(node) not in self._known:
            assert isinstance(node, Call)
            look = self._look
            compute = functools.partial(call, node, self.value_of)
            self._known[id(node)] = compute() if look is None else look(id(node), compute)
        return self._known[id(node)]


class Output:
    """The function passed to `map_batches`: an evaluation, and the name of the column for error messages.

    Parameters
    ----------
    run : Evaluation
        The tree and its columns.
    name : str
        The name of the column.
    is_elementwise : bool
        Whether polars may pass the rows in several batches.
    owner : object, optional
        An object that stays the same when polars plans this output again.
    """

    def __init__(self, run: Evaluation, name: str, is_elementwise: bool, owner: object = None) -> None:
        self.run = run
        self.name = name
        self.is_elementwise = is_elementwise
        self.ticket = Ticket(run.members, (run, object() if owner is None else owner))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.run, self.name, self.is_elementwise)

    def __call__(self, series: Sequence[pl.Series], **_options: Any) -> pl.Series:
        try:
            with panics(f"{self.run.root.name}"):
                return self.run._result(series, self.ticket)
        except JagError as error:
            rows = max((len(one) for one in series), default=0) if self.is_elementwise else None
            raise named(error, self.name, rows) from None
        except Exception as error:  # of the user's function
            raise _with_notes(error, self.name) from error


def _with_notes(error: Exception, name: str) -> Exception:
    """Return an error that polars can make again from its type and its text, which are all that it keeps; notes join the text.

    The type is the nearest base class that takes a text.
    """
    notes = "; ".join(getattr(error, "__notes__", ()))
    where = f" ({notes} of those that polars handed over at once)" if notes else ""
    for kind in type(error).__mro__:
        what = error if kind is type(error) else f"{type(error).__name__}: {error}"
        with contextlib.suppress(Exception):  # of a class that takes other arguments
            made: Exception = kind(f"column {name!r}: {what}{where}")
            return made
    return error


def named(error: JagError, name: str, rows: int | None = None) -> JagError:
    """Return the error with the name of the column, and with a note if its row numbers count within a batch.

    Parameters
    ----------
    error : JagError
        The error to describe.
    name : str
        The name of the column.
    rows : int, optional
        The number of rows in the batch, if polars may pass a part of the column.
    """
    return _frames.named(error if rows is None else within_batch(error, rows), name)


def within_batch(error: JagError, rows: int) -> JagError:
    """Return the error with a note that its row numbers count within a batch of `rows` rows."""
    text = str(error)
    if not re.search(r"\brow [\d\[]", text) or "polars handed over" in text:
        return error
    return type(error)(
        f"{text} (counted within the {plural(rows, 'row')} that polars handed over at once, which may be a part of the column)"
    )


def _common_length(lengths: list[int]) -> int:
    """The number of rows of the frame; literals and aggregates arrive as Series of one row."""
    return max(set(lengths) - {1}, default=1)


_LONGEST = 120


def describe(root: Call, positions: Sequence[tuple[Node, int]]) -> str:
    """Write the calls of a tree in one line for `explain`: ``sum(sort(mul(x0, x1)))``.

    Parameters
    ----------
    root : Call
        The outermost call of the tree.
    positions : sequence of (Node, int)
        The inputs of the tree, each with the position of its column; the text shows position 0 as ``x0``.
    """
    texts = {id(node): f"x{position}" for node, position in positions}

    def text_of(node: Node) -> str:
        if id(node) not in texts:
            assert not isinstance(node, Input)
            made = f"{node.name}({', '.join(map(text_of, children(node)))})"
            texts[id(node)] = made if len(made) <= _LONGEST else f"{made[: _LONGEST - 3]}..."
        return texts[id(node)]

    return f"jag {text_of(root)}"
