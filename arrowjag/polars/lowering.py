"""From a recorded tree to an expression of polars, once the dtypes of its columns are known.

A tree becomes one `pl.pipe_with_dtype`. Its callback runs at plan time: it calls every method on empty arrays of the
operands' types, which tells the result's dtype and finds errors early, and reads from the table of methods what
happens to the rows:

* LOCAL calls: one elementwise `map_batches` over all columns of the tree, so it streams;
* a KEPT or seeded call makes that `map_batches` see whole columns;
* a REDUCED call is cut out: its operands are imploded (one row a group, or one in all), and one elementwise call
  reduces the axis one further in, so that `agg` and `over` cost one Python call for all groups;
* a MOVED call is refused by name.

A single call that polars has, as fast and with the same values, becomes polars' own expression: see the table in
`_native.py`.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import polars as pl
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import JaggedArray, _column
from arrowjag._methods import METHODS, Rows
from arrowjag._ops.axes import normalize_axes
from arrowjag.errors import JagError, JagTypeError, ShapeError
from arrowjag.polars._convert import (
    ColumnType,
    as_enum,
    as_lists,
    broadcast_rows,
    column_type,
    from_series,
    shared_enum,
    storable,
    stored_lists,
    to_series,
)
from arrowjag.polars._native import NATIVE, native
from arrowjag.polars._tree import (
    Call,
    Input,
    Node,
    Tree,
    bound_arguments,
    call,
    children,
    emptied,
    evaluate,
    mapped,
    rows_of,
)
from arrowjag.polars.dtype import Jagged

__all__ = ["lower"]


def lower(node: Node) -> pl.Expr:
    """The expression that computes a tree."""
    if isinstance(node, Input):
        return node.expr
    lowering = Lowering(node)
    return pl.pipe_with_dtype(lowering.tree.columns, lowering)


Build: TypeAlias = "Callable[[Sequence[pl.Expr]], pl.Expr]"
"""From the columns of a tree, by number, to an expression."""

_PLANS: dict[Any, Build] = {}
"""What became of trees, by the calls in them and the dtypes of their columns: 40 microseconds of every `select` otherwise."""

_MOST_PLANS = 1000


class Lowering:
    """The callback of one tree: from columns and their dtypes to the expression that replaces them."""

    def __init__(self, root: Call) -> None:
        self.root = root
        self.tree = Tree(root)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.root,)  # ids of nodes mean nothing elsewhere

    def __call__(self, pairs: list[tuple[pl.Expr, pl.DataType]]) -> pl.Expr:
        columns = [expr for expr, _ in pairs]
        dtypes = tuple([dtype for _, dtype in pairs])
        key = None if self.tree.key is None else (self.tree.key, dtypes)
        try:
            build = _PLANS.get(key) or self._plan(key, dtypes)
            return build(columns)
        except JagError as error:
            raise _named(error, _output_name(next((expr for expr, dtype in pairs if not _is_read(dtype)), columns[0]))) from None

    def _plan(self, key: Any, dtypes: tuple[pl.DataType, ...]) -> Build:
        """What becomes of the tree with columns of these dtypes, remembered by its key if it has one."""
        root, slots = emptied(self.root, self.tree.places)
        columns: list[Source] = [(_column_of(place, dtype), column_type(dtype)) for place, dtype in enumerate(dtypes)]
        build = _Plan(root, {id(slot): columns[place] for slot, place in slots}).build()
        if key is not None:
            if len(_PLANS) >= _MOST_PLANS:
                _PLANS.clear()
            _PLANS[key] = build
        return build


def _is_read(dtype: pl.DataType) -> bool:
    """Whether columns of a dtype can be read at all: an error is about the one that can't."""
    try:
        column_type(dtype)
    except JagError:
        return False
    return True


def _output_name(expr: pl.Expr) -> str:
    return expr.meta.output_name(raise_if_undetermined=False) or "literal"


def _named(error: JagError, name: str) -> JagError:
    """The same error, saying which column it is about."""
    text = str(error)
    return error if f"column {name!r}" in text else type(error)(f"column {name!r}: {text}")


Source: TypeAlias = "tuple[Build, ColumnType]"
"""How a column is built, and its type."""


def _column_of(place: int, dtype: pl.DataType) -> Build:
    """A column of the tree; lists of `Jagged` come as plain lists, which polars' own expressions ask for."""
    pick = operator.itemgetter(place)
    return pick if isinstance(dtype, Jagged) or stored_lists(dtype)[1] is None else lambda columns: as_lists(pick(columns), dtype)


class _Plan:
    """One lowering: what is known of each node, and how the columns are built that parts of the tree were replaced by."""

    def __init__(self, root: Node, sources: dict[int, Source]) -> None:
        self.root = root
        self.sources = sources
        self.samples: dict[int, Any] = {key: kind.empty() for key, (_, kind) in sources.items()}
        self.rows: dict[int, Rows] = {}
        self.kept: list[Node] = []  # nodes made here: their ids are keys as long as they live

    def build(self) -> Build:
        """How the expression of the tree is built."""
        return self.lower(self.root)[0]

    def lower(self, node: Node) -> Source:
        """How the expression of a node is built, and the type of the column it gives."""
        self.sample(node)
        if id(node) in self.sources:
            return self.sources[id(node)]
        assert isinstance(node, Call)
        return self._map(node, self._segment(node))

    # ------------------------------------------------------------------------------------------- types

    def sample(self, node: Node) -> Any:
        """An empty array of the node's type; calls that reduce the rows are cut out on the way."""
        if id(node) not in self.samples:
            assert isinstance(node, Call)
            self.samples[id(node)] = self._sample_call(node)
        return self.samples[id(node)]

    def _sample_call(self, node: Call) -> Any:
        for child in children(node):
            self.sample(child)
        rows = self.rows[id(node)] = rows_of(node, self.sample)
        if rows is Rows.MOVED:
            raise JagTypeError(
                f"{node.name} changes the rows of the frame, which an expression can't: use it on the Series (or the array), "
                "or df.jag.flatten for flat rows"
            )
        if rows is Rows.REDUCED:
            self.sources[id(node)] = self._reduce(node)
            return self.sources[id(node)][1].empty()
        return self._result_sample(node)

    def _result_sample(self, node: Call) -> Any:
        if node.kind == "method":
            rule = METHODS[node.name].result_type
            if rule is not None:
                return rule(self.sample(node.args[0]), **bound_arguments(node, self.sample))
        return call(node, self.sample)

    def _result_type(self, node: Call, inputs: Sequence[Source]) -> ColumnType:
        """The type of a call's result; a nested one is `Jagged` unless all nested operands are plain lists."""
        sample = self.samples[id(node)]
        if isinstance(sample, pa.Array):
            sample = JaggedArray._of(_column.from_arrow(sample, 1))
        if not isinstance(sample, JaggedArray):
            raise JagTypeError(f"{node.name} gives {_article(sample)}, which is no column; use it on the Series or the array")
        nested = [kind.jagged for _, kind in inputs if kind.ndim > 1]
        enum = shared_enum(kind for _, kind in inputs) if pt.is_dictionary(sample.type) else None
        return ColumnType(storable(sample.type), sample.ndim, sample.shape.extents, any(nested) or not nested, enum)

    # ------------------------------------------------------------------------------------------- expressions

    def _segment(self, root: Call) -> list[int]:
        """The ids of the nodes that one `map_batches` reads, the one that names the result first."""
        return [key for key in self._below(root) if key in self.sources]

    def _below(self, root: Node) -> dict[int, Node]:
        """The nodes from a root down to the columns that it reads, each once."""
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
        made = self._native(root, set())
        if made is not None:
            return (_converted(made, kind.dtype) if kind.jagged and kind.ndim > 1 else made), kind
        columns: list[Source] = []
        places: list[tuple[Node, int]] = []
        nodes = self._below(root)
        for key, source in zip(keys, sources, strict=True):
            place = next((place for place, known in enumerate(columns) if known[0] is source[0]), len(columns))
            columns += [source] if place == len(columns) else []
            places.append((nodes[key], place))
        run = _Evaluation(root, places, [one for _, one in columns], kind)
        return _mapped([one for one, _ in columns], run, is_elementwise=not self._whole(root)), kind

    def _native(self, root: Call, made: set[int]) -> Build | None:
        """The call as an expression of polars' own lists, if the table has it and every call below it.

        A call that is used twice is none: polars would compute it twice.
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
                parts.append(_storage(source[0]) if source[1].jagged else source[0])
            operands.append(one if source is None else source[1])
        build = native(root, operands)
        return None if build is None else lambda columns: build(*[part(columns) for part in parts])

    def _native_source(self, node: Call, made: set[int]) -> Source | None:
        build = self._native(node, made)
        if build is None:
            return None
        return build, self._result_type(node, [self.sources[key] for key in self._segment(node)])

    def _whole(self, root: Call) -> bool:
        """Whether one of the calls needs all rows at once."""
        calls = [one for key, one in self._below(root).items() if key not in self.sources and isinstance(one, Call)]
        return any(self.rows[id(one)] is Rows.KEPT or (one.kind == "method" and METHODS[one.name].seeded) for one in calls)

    def _reduce(self, node: Call) -> Source:
        """Implode the operands, and reduce one axis further in."""
        imploded: dict[int, Input] = {}

        def implode(child: Node) -> Input:
            if id(child) not in imploded:
                build, kind = self.lower(child)
                made = imploded[id(child)] = Input(pl.element())
                self.sources[id(made)] = _imploded(build), kind.imploded()
                self.samples[id(made)] = kind.imploded().empty()
            return imploded[id(child)]

        ndim = self.sample(node.args[0]).ndim
        args, kwargs = _shifted(node, ndim)
        shifted = Call(node.kind, node.name, mapped(args, implode), mapped(kwargs, implode))
        self.rows[id(shifted)] = Rows.LOCAL
        self.samples[id(shifted)] = self._result_sample(shifted)
        self.kept += [shifted, *imploded.values()]
        return self._map(shifted, self._segment(shifted))


def _storage(build: Build) -> Build:
    return lambda columns: build(columns).ext.storage()


def _imploded(build: Build) -> Build:
    return lambda columns: build(columns).ext.storage().implode()


def _converted(build: Build, dtype: pl.DataType) -> Build:
    return lambda columns: build(columns).ext.to(dtype)


def _mapped(builds: list[Build], run: _Evaluation, is_elementwise: bool) -> Build:
    dtype = run.dtype.to_dtype_expr()

    def build(columns: Sequence[pl.Expr]) -> pl.Expr:
        operands = [one(columns) for one in builds]
        return pl.map_batches(operands, functools.partial(run, _output_name(columns[0])), dtype, is_elementwise=is_elementwise)

    return build


def _shifted(node: Call, ndim: int) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a reduction, with its axes counted below one more dim."""
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


class _Evaluation:
    """What `map_batches` calls with a name for errors: Series in, the tree's value out."""

    def __init__(self, root: Call, places: list[tuple[Node, int]], columns: list[ColumnType], kind: ColumnType) -> None:
        self.root = root
        self.places = places
        self.columns = columns
        self.kind = kind
        self.dtype = kind.dtype

    def __call__(self, name: str, series: Sequence[pl.Series], **_options: Any) -> pl.Series:
        try:
            return self._result(series)
        except JagError as error:
            raise _named(error, name) from None

    def _result(self, series: Sequence[pl.Series]) -> pl.Series:
        arrays = [from_series(one, kind.ndim) for one, kind in zip(series, self.columns, strict=True)]
        arrays = broadcast_rows(arrays)
        value = evaluate(self.root, {id(node): arrays[place] for node, place in self.places})
        if isinstance(value, pa.Array):
            value = JaggedArray._of(_column.from_arrow(value, 1))
        if len(value) != len(arrays[0]):
            raise ShapeError(f"{self.root.name} gives {len(value)} rows for {len(arrays[0])}: it is no column of the frame")
        made = as_enum(to_series(value, series[0].name, extension=self.kind.jagged), self.kind.enum)
        if made.dtype != self.dtype:
            raise JagTypeError(f"{self.root.name} was planned to give {self.dtype!r} and gave {made.dtype!r}")
        return made
