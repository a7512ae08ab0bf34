"""Lower a recorded tree to a polars expression, once the dtypes of its columns are known.

A tree becomes one `pl.pipe_with_dtype`. Its callback runs at plan time. It calls every method on empty arrays of the operands'
types, which determines the dtype of the result and raises errors early, and looks up the effect of each call on the rows:

* LOCAL calls: one elementwise `map_batches` over all columns of the tree, which streams;
* KEPT or seeded calls, and calls with an array of the caller's: the `map_batches` reads whole columns instead;
* REDUCED calls: the operands are imploded (one row per group, or one row for the frame), and one elementwise call reduces the next
  inner axis, so that `agg` and `over` cost one Python call for all groups;
* MOVED calls raise `JagTypeError`.

Calls that polars computes faster and with the same values become native expressions: see the table in `_native.py`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

import polars as pl
import pyarrow as pa

from arrowjag import _column
from arrowjag._array import JaggedArray
from arrowjag._methods import METHODS, Rows, most_dims, over_aligned_axis
from arrowjag._ops.axes import normalize_axes
from arrowjag.errors import JagError, JagTypeError, JagValueError
from arrowjag.polars._convert import (
    ColumnType,
    as_lists,
    column_type,
    enum_of,
    shared_enum,
    storable,
    stored_lists,
)
from arrowjag.polars._evaluation import Evaluation as _Evaluation
from arrowjag.polars._evaluation import Output, named
from arrowjag.polars._groups import covering
from arrowjag.polars._native import NATIVE, native
from arrowjag.polars._tree import (
    Call,
    Input,
    Node,
    Tree,
    children,
    emptied,
    mapped,
    rows_of,
    sample_of,
)
from arrowjag.polars.dtype import Jagged

__all__ = ["lower"]


def lower(node: Node) -> pl.Expr:
    """Return the expression that computes a tree."""
    if isinstance(node, Input):
        return node.source  # type: ignore[no-any-return]  # an expression
    with _short_enough():
        lowering = Lowering(node)
    return pl.pipe_with_dtype(lowering.tree.columns, lowering)


@contextmanager
def _short_enough() -> Iterator[None]:
    """Raise an error that says what to do for a chain of calls in which Python's recursion ends."""
    try:
        yield
    except RecursionError:
        raise JagValueError(
            "the expression is a chain of too many calls, as a loop of Python makes it: compute a part of it by with_columns, or "
            "call the function on a Series or an array"
        ) from None


Build: TypeAlias = "Callable[[Sequence[pl.Expr]], pl.Expr]"
"""A function from the columns of a tree, by number, to an expression."""

_PLANS: dict[Any, Build] = {}
"""Lowered trees by their calls and the dtypes of their columns; lowering again would cost 40 microseconds per `select`."""

_MOST_PLANS = 1000


class Lowering:
    """The callback of a tree: it returns the expression for given columns and dtypes."""

    def __init__(self, root: Call) -> None:
        self.root = root
        self.tree = Tree(root)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.root,)  # ids of nodes are valid in this process only

    def __call__(self, pairs: list[tuple[pl.Expr, pl.DataType]]) -> pl.Expr:
        columns = _Columns(self, [covering(expr) for expr, _ in pairs])
        dtypes = tuple([dtype for _, dtype in pairs])
        given = frozenset(self.tree.arrays)
        constant = given.union(position for position, (expr, _) in enumerate(pairs) if _is_constant_array(expr))
        key = None if self.tree.key is None else (self.tree.key, dtypes, constant, given)
        try:
            with _short_enough():
                build = _PLANS.get(key) or self._plan(key, dtypes, constant, given)
                return build(columns)
        except JagError as error:
            raise named(error, _output_name(next((expr for expr, dtype in pairs if not _is_read(dtype)), columns[0]))) from None

    def _plan(self, key: Any, dtypes: tuple[pl.DataType, ...], constant: frozenset[int], given: frozenset[int]) -> Build:
        """Lower the tree for columns of these dtypes, and cache the result if the tree has a key."""
        root, slots = emptied(self.root, self.tree.positions)
        columns: list[Source] = [(_column_of(position, dtype), column_type(dtype)) for position, dtype in enumerate(dtypes)]
        arrays = {id(slot) for slot, position in slots if position in constant}
        known = {id(slot) for slot, position in slots if position in given}
        build = _Plan(root, {id(slot): columns[position] for slot, position in slots}, arrays, known).build()
        if key is not None:
            if len(_PLANS) >= _MOST_PLANS:
                _PLANS.clear()
            _PLANS[key] = build
        return build


class _Columns(list[pl.Expr]):
    """The columns of a tree, and the `Lowering` that builds an expression of them."""

    def __init__(self, owner: Lowering, columns: Sequence[pl.Expr]) -> None:
        super().__init__(columns)
        self.owner = owner


def _is_read(dtype: pl.DataType) -> bool:
    """Whether arrowjag can read columns of a dtype; if not, an error names this column."""
    try:
        column_type(dtype)
    except JagError:
        return False
    return True


def _is_constant_array(expr: pl.Expr) -> bool:
    """Whether an expression is an array that the caller passed, with one item per row of the frame.

    polars passes literals of one row with every batch of the rows. It divides longer ones as it divides the frame, and raises an
    error of its own if their lengths differ; so the calls that read them get whole columns, and compare the lengths themselves.
    """
    return expr.meta.is_literal(allow_aliasing=True) and str(expr).startswith("Series") and pl.select(expr).height != 1


def _output_name(expr: pl.Expr) -> str:
    return expr.meta.output_name(raise_if_undetermined=False) or "literal"


Source: TypeAlias = "tuple[Build, ColumnType]"
"""The function that builds a column, and the type of the column."""


def _column_of(position: int, dtype: pl.DataType) -> Build:
    """Select a column of the tree; lists of `Jagged` become plain lists, which polars' own expressions require."""
    pick = operator.itemgetter(position)
    return pick if isinstance(dtype, Jagged) or stored_lists(dtype)[1] is None else lambda columns: as_lists(pick(columns), dtype)


class _Plan:
    """One lowering: the sample of each node, and the sources of the columns that replace parts of the tree."""

    def __init__(self, root: Node, sources: dict[int, Source], arrays: set[int], given: set[int]) -> None:
        self.root = root
        self.sources = sources
        self.arrays = arrays  # the inputs that are constants with rows, by their ids
        self.given = given  # those of them that are arrays of the caller
        self.samples: dict[int, Any] = {key: kind.empty() for key, (_, kind) in sources.items()}
        self.jagged: dict[int, bool] = {}
        self.rows: dict[int, Rows] = {}
        self.kept: list[Node] = []  # keeps the nodes created here alive, because their ids are keys

    def build(self) -> Build:
        """Return the function that builds the expression of the tree."""
        return self.lower(self.root)[0]

    def lower(self, node: Node) -> Source:
        """Return the function that builds the expression of a node, and the type of its result."""
        self.sample(node)
        if id(node) in self.sources:
            return self.sources[id(node)]
        assert isinstance(node, Call)
        return self._map(node, self._segment(node))

    # ------------------------------------------------------------------------------------------- types

    def sample(self, node: Node) -> Any:
        """Return an empty array of the type of a node; calls that reduce the rows become separate sources."""
        if id(node) not in self.samples:
            assert isinstance(node, Call)
            self.samples[id(node)] = self._sample_call(node)
        return self.samples[id(node)]

    def _sample_call(self, node: Call) -> Any:
        _check_key(node)
        for child in children(node):
            self.sample(child)
        rows = self.rows[id(node)] = rows_of(node, self.sample)
        if rows is Rows.MOVED:
            raise JagTypeError(
                f"{node.name} changes the rows of the frame, which an expression can't: use it on the Series (or the array), "
                f"or {_instead(node.name)}"
            )
        if rows is Rows.REDUCED:
            self.sources[id(node)] = self._reduce(node)
            return self.sources[id(node)][1].empty()
        return self._result_sample(node)

    def _result_sample(self, node: Call) -> Any:
        return sample_of(node, self.sample)

    def _result_type(self, node: Call, inputs: Sequence[Source]) -> ColumnType:
        """Return the type of the result of a call on columns of these types."""
        sample = self.samples[id(node)]
        if isinstance(sample, pa.Array):
            sample = JaggedArray._of(_column.from_arrow(sample, 1))
        if not isinstance(sample, JaggedArray):
            raise JagTypeError(f"{node.name} returns {_article(sample)}, which is not a column; use it on the Series or the array")
        enum = enum_of(sample.values, shared_enum(kind for _, kind in inputs))
        return ColumnType(storable(sample.type), sample.ndim, sample.shape.extents, self._is_jagged(node), enum)

    def _is_jagged(self, node: Node) -> bool:
        """Whether the result of a call is `Jagged` if it is nested: unless all nested operands of the call are lists."""
        if id(node) in self.sources:
            return self.sources[id(node)][1].jagged
        if id(node) not in self.jagged:
            assert isinstance(node, Call)
            nested = [self._is_jagged(one) for one in children(node) if getattr(self.sample(one), "ndim", 2) > 1]
            self.jagged[id(node)] = any(nested) or not nested
        return self.jagged[id(node)]

    # ------------------------------------------------------------------------------------------- expressions

    def _segment(self, root: Call) -> list[int]:
        """Return the ids of the nodes that one `map_batches` reads; the result is named after the first, so arrays come last."""
        return sorted((key for key in self._below(root) if key in self.sources), key=self.arrays.__contains__)

    def _below(self, root: Node) -> dict[int, Node]:
        """Return the distinct nodes from a root down to the columns that it reads."""
        seen: dict[int, Node] = {}

        def visit(node: Node) -> None:
            if id(node) not in seen:
                seen[id(node)] = node
                for child in children(node) if isinstance(node, Call) and id(node) not in self.sources else ():
                    visit(child)

        visit(root)
        return seen

    def _map(self, root: Call, keys: list[int]) -> Source:
        sources = [self.sources[key] for key in keys]
        kind = self._result_type(root, sources)
        made = None if any(key in self.arrays for key in keys) else self._native(root, set())
        if made is not None:
            return (_converted(made, kind.dtype) if kind.extension else made), kind
        columns: list[Source] = []
        positions: list[tuple[Node, int]] = []
        nodes = self._below(root)
        for key, source in zip(keys, sources, strict=True):
            position = next((position for position, known in enumerate(columns) if known[0] is source[0]), len(columns))
            columns += [source] if position == len(columns) else []
            positions.append((nodes[key], position))
        exact = frozenset(position for node, position in positions if id(node) in self.given)
        run = _Evaluation(root, positions, [one for _, one in columns], kind, exact)
        return _mapped([one for one, _ in columns], run, is_elementwise=not self._whole(root)), kind

    def _native(self, root: Call, made: set[int]) -> Build | None:
        """Return the native expression of a call, if the table contains the call and every call below it.

        A call that is used twice is not native: polars would compute it twice.
        """
        made.add(id(root))
        if (root.kind, root.name) not in NATIVE or any(isinstance(one, (Input, Call)) for one in root.kwargs.values()):
            return None
        operands: list[Any] = []
        parts: list[Build] = []
        for one in root.args:
            source = self.sources.get(id(one))
            if source is None and isinstance(one, Call):
                source = None if id(one) in made else self._native_source(one, made)
                if source is None:
                    return None
                parts.append(source[0])
            elif source is not None:
                parts.append(_storage(*source))
            operands.append(one if source is None else source[1])
        build = native(root, operands)
        return None if build is None else lambda columns: build(*[part(columns) for part in parts])

    def _native_source(self, node: Call, made: set[int]) -> Source | None:
        build = self._native(node, made)
        if build is None:
            return None
        return build, self._result_type(node, [self.sources[key] for key in self._segment(node)])

    def _whole(self, root: Call) -> bool:
        """Whether one of the calls needs all rows of the column at once."""
        below = self._below(root)
        calls = [one for key, one in below.items() if key not in self.sources and isinstance(one, Call)]
        return not self.arrays.isdisjoint(below) or any(
            self.rows[id(one)] is Rows.KEPT or (one.kind == "method" and METHODS[one.name].seeded) for one in calls
        )

    def _reduce(self, node: Call) -> Source:
        """Implode the operands, and reduce the next inner axis."""
        imploded: dict[int, Input] = {}

        def implode(child: Node) -> Input:
            if id(child) not in imploded:
                build, kind = self.lower(child)
                made = imploded[id(child)] = Input(pl.element())
                self.sources[id(made)] = _imploded(_storage(build, kind)), kind.imploded()
                self.samples[id(made)] = kind.imploded().empty()
            return imploded[id(child)]

        args, kwargs = _shifted(node, self._dims_of_axes(node))
        shifted = Call(node.kind, node.name, mapped(args, implode), mapped(kwargs, implode))
        self.rows[id(shifted)] = Rows.LOCAL
        self.samples[id(shifted)] = self._result_sample(shifted)
        self.kept += [shifted, *imploded.values()]
        return self._map(shifted, self._segment(shifted))

    def _dims_of_axes(self, node: Call) -> int:
        """The number of dims that the axes of a call count: those of its array, or of its operands together if they are aligned."""
        is_own = node.kind == "method" and METHODS[node.name].rule is not over_aligned_axis
        return most_dims(*map(self.sample, [node.args[0]] if is_own else children(node)))


def _instead(name: str) -> str:
    """Return what to write in place of a call that changes the rows of the frame."""
    if name.endswith("[...]"):
        return "x[:, :n], x.S[i] or x.get(i) for items of each row"
    groups = "; in group_by, agg(column) collects the rows of a group, and flatten(1) of the result merges their items"
    return f"df.jag.flatten for flat rows{groups if name == 'flatten' else ''}"


def _check_key(node: Call) -> None:
    """Raise if an index holds a column where arrays hold the positions for all rows, as in numpy."""
    if node.kind not in ("getitem", "slots"):
        return
    keys = node.args[1] if isinstance(node.args[1], tuple) else (node.args[1],)
    several = len(keys) > 1 and node.kind == "getitem"
    if any(_is_column_of_key(one, several) for one in keys):
        raise JagTypeError(
            f"{node.name}: a column can't stand beside other entries or in a list: there an array holds the positions for all "
            "rows, and a column has one entry per row; use x.take(column, axis=1) for one position per row (with "
            "out_of_bounds='null' for null where it is out of range), or x.filter(column) for a mask"
        )


def _is_column_of_key(entry: Any, several: bool) -> bool:
    """Whether an entry of a key is a column among several entries, or a list that holds a column."""
    if isinstance(entry, (Input, Call)):
        return several
    return isinstance(entry, list) and any(isinstance(one, (Input, Call)) for one in entry)


def _storage(build: Build, kind: ColumnType) -> Build:
    """The expression of the lists that store a column; a flat column keeps the extension dtype of its leaves."""
    return (lambda columns: build(columns).ext.storage()) if kind.extension else build


def _imploded(build: Build) -> Build:
    return lambda columns: build(columns).implode()


def _converted(build: Build, dtype: pl.DataType) -> Build:
    return lambda columns: build(columns).ext.to(dtype)


def _mapped(builds: list[Build], run: _Evaluation, is_elementwise: bool) -> Build:
    dtype = run.dtype.to_dtype_expr()

    def build(columns: Sequence[pl.Expr]) -> pl.Expr:
        operands = [*(one(columns) for one in builds), pl.lit(run.label)]
        output = Output(run, _output_name(columns[0]), is_elementwise, getattr(columns, "owner", None))
        return pl.map_batches(operands, output, dtype, is_elementwise=is_elementwise)

    return build


def _shifted(node: Call, ndim: int) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments of a reduction, with its axes shifted by one dim."""
    method = METHODS[node.name]
    bound = method.signature.bind(*node.args, **node.kwargs)
    bound.apply_defaults()
    if "axis" in bound.arguments:
        shifted = tuple(axis + 1 for axis in normalize_axes(bound.arguments["axis"], ndim, node.name))
        bound.arguments["axis"] = shifted if len(shifted) > 1 else shifted[0]
    return bound.args, bound.kwargs


def _article(value: Any) -> str:
    name = type(value).__name__
    return f"an {name}" if name[0].lower() in "aeio" else f"a {name}"
