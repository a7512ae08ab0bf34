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

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import JaggedArray, _column
from arrowjag._methods import METHODS, Rows
from arrowjag.errors import JagError, JagTypeError, ShapeError
from arrowjag.polars._convert import (
    ColumnType,
    as_enum,
    broadcast_rows,
    column_type,
    from_series,
    shared_enum,
    storable,
    to_series,
)
from arrowjag.polars._native import NATIVE, native
from arrowjag.polars._tree import Call, Input, Node, bound_arguments, call, children, evaluate, inputs, mapped, rows_of

__all__ = ["lower"]


def lower(node: Node) -> pl.Expr:
    """The expression that computes a tree."""
    if isinstance(node, Input):
        return node.expr
    lowering = Lowering(node)
    return pl.pipe_with_dtype([one.expr for one in lowering.columns], lowering)


class Lowering:
    """The callback of one tree: from columns and their dtypes to the expression that replaces them."""

    def __init__(self, root: Call) -> None:
        self.root = root
        self.columns: list[Input] = []
        self.column_of: list[tuple[Input, int]] = []
        for found in inputs(root):
            self.column_of.append((found, self._place(found)))

    def _place(self, found: Input) -> int:
        """The number of an input's column; equal expressions share one, so that it is converted once."""
        for place, known in enumerate(self.columns):
            if known.expr is found.expr or known.expr.meta.eq(found.expr):
                return place
        self.columns.append(found)
        return len(self.columns) - 1

    def __call__(self, pairs: list[tuple[pl.Expr, pl.DataType]]) -> pl.Expr:
        name = _output_name(pairs[0][0])
        try:
            sources = [(expr, column_type(dtype)) for expr, dtype in pairs]
            return _Plan({id(one): sources[place] for one, place in self.column_of}, name).lower(self.root)[0]
        except JagError as error:
            raise _named(error, name) from None


def _output_name(expr: pl.Expr) -> str:
    return expr.meta.output_name(raise_if_undetermined=False) or "literal"


def _named(error: JagError, name: str) -> JagError:
    """The same error, saying which column it is about."""
    text = str(error)
    return error if f"column {name!r}" in text else type(error)(f"column {name!r}: {text}")


Source = tuple[pl.Expr, ColumnType]


class _Plan:
    """One lowering: what is known of each node, and the expressions that parts of the tree were replaced by."""

    def __init__(self, sources: dict[int, Source], name: str) -> None:
        self.sources = sources
        self.samples: dict[int, Any] = {key: kind.empty() for key, (_, kind) in sources.items()}
        self.rows: dict[int, Rows] = {}
        self.kept: list[Node] = []  # nodes made here: their ids are keys as long as they live
        self.name = name

    def lower(self, node: Node) -> Source:
        """The expression of a node, and the type of the column it gives."""
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
        key = _type_key(node, self.sample)
        if key is None:
            return self._result_sample(node)
        if key not in _SAMPLES:
            _SAMPLES[key] = self._result_sample(node)
        return _SAMPLES[key]

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
        made = self._native(root, kind, set())
        if made is not None:
            return made, kind
        columns: list[Source] = []
        places: dict[int, int] = {}
        for key, source in zip(keys, sources, strict=True):
            place = next((place for place, known in enumerate(columns) if known[0] is source[0]), len(columns))
            columns += [source] if place == len(columns) else []
            places[key] = place
        function = _Evaluation(root, places, [one.ndim for _, one in columns], kind, self.name)
        return pl.map_batches([expr for expr, _ in columns], function, kind.dtype, is_elementwise=not self._whole(root)), kind

    def _native(self, root: Call, kind: ColumnType, made: set[int]) -> pl.Expr | None:
        """The call as an expression of polars' own, if the table has it and every call below it.

        A call that is used twice is none: polars would compute it twice.
        """
        made.add(id(root))
        if root.kwargs and any(isinstance(one, (Input, Call)) for one in root.kwargs.values()):
            return None
        operands: list[Any] = []
        for one in root.args:
            operand = self.sources.get(id(one), one)
            if isinstance(operand, Call):
                operand = None if id(operand) in made else self._native_source(operand, made)
                if operand is None:
                    return None
            operands.append(operand)
        return native(root, operands, kind)

    def _native_source(self, node: Call, made: set[int]) -> Source | None:
        if (node.kind, node.name) not in NATIVE:
            return None
        kind = self._result_type(node, [self.sources[key] for key in self._segment(node)])
        expr = self._native(node, kind, made)
        return None if expr is None else (expr, kind)

    def _whole(self, root: Call) -> bool:
        """Whether one of the calls needs all rows at once."""
        calls = [one for key, one in self._below(root).items() if key not in self.sources and isinstance(one, Call)]
        return any(self.rows[id(one)] is Rows.KEPT or (one.kind == "method" and METHODS[one.name].seeded) for one in calls)

    def _reduce(self, node: Call) -> Source:
        """Implode the operands, and reduce one axis further in."""
        imploded: dict[int, Input] = {}

        def implode(child: Node) -> Input:
            if id(child) not in imploded:
                expr, kind = self.lower(child)
                made = imploded[id(child)] = Input(expr.ext.storage().implode())
                self.sources[id(made)] = made.expr, kind.imploded()
                self.samples[id(made)] = kind.imploded().empty()
            return imploded[id(child)]

        ndim = self.sample(node.args[0]).ndim
        args, kwargs = _shifted(node, ndim)
        shifted = Call(node.kind, node.name, mapped(args, implode), mapped(kwargs, implode))
        self.rows[id(shifted)] = Rows.LOCAL
        self.samples[id(shifted)] = self._result_sample(shifted)
        self.kept += [shifted, *imploded.values()]
        return self._map(shifted, self._segment(shifted))


_SAMPLES: dict[Any, Any] = {}
"""What calls give on empty arrays, by what is called on which types: a plan asks again and again."""

_CONSTANTS = (int, float, str, bool, type(None), np.ufunc)


def _type_key(node: Call, sample: Callable[[Node], Any]) -> Any:
    """A key of `_SAMPLES`; None where an argument is more than a column or a plain constant."""
    if node.kwargs or len(_SAMPLES) > 1000:
        return None
    key: list[Any] = [node.kind, node.name]
    for one in node.args:
        value = sample(one) if isinstance(one, (Input, Call)) else one
        if isinstance(value, JaggedArray):
            key.append((value.type, value.ndim, value.shape.extents))
        elif isinstance(value, _CONSTANTS):
            key.append((type(value), value))
        else:
            return None
    return tuple(key)


def _shifted(node: Call, ndim: int) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a reduction, with its axes counted below one more dim."""
    method = METHODS[node.name]
    bound = method.signature.bind(*node.args, **node.kwargs)
    bound.apply_defaults()
    if "axis" in bound.arguments:
        bound.arguments["axis"] = _shift_axis(bound.arguments["axis"], ndim)
    return bound.args, bound.kwargs


def _shift_axis(axis: Any, ndim: int) -> Any:
    if axis is None:
        axis = tuple(range(ndim))
    if isinstance(axis, (tuple, list)):
        shifted = tuple(_shift_axis(one, ndim) for one in axis)
        return shifted if len(shifted) > 1 else shifted[0]
    return axis + 1 if axis >= 0 else axis


def _article(value: Any) -> str:
    name = type(value).__name__
    return f"an {name}" if name[0].lower() in "aeio" else f"a {name}"


class _Evaluation:
    """What `map_batches` calls: Series in, the tree's value out."""

    def __init__(self, root: Call, places: dict[int, int], ndims: list[int], kind: ColumnType, name: str) -> None:
        self.root = root
        self.places = places
        self.ndims = ndims
        self.kind = kind
        self.name = name

    def __call__(self, series: Sequence[pl.Series]) -> pl.Series:
        try:
            return self._result(series)
        except JagError as error:
            raise _named(error, self.name) from None

    def _result(self, series: Sequence[pl.Series]) -> pl.Series:
        arrays = [from_series(one, ndim) for one, ndim in zip(series, self.ndims, strict=True)]
        arrays = broadcast_rows(arrays)
        value = evaluate(self.root, {key: arrays[place] for key, place in self.places.items()})
        if isinstance(value, pa.Array):
            value = JaggedArray._of(_column.from_arrow(value, 1))
        if len(value) != len(arrays[0]):
            raise ShapeError(f"{self.root.name} gives {len(value)} rows for {len(arrays[0])}: it is no column of the frame")
        made = as_enum(to_series(value, series[0].name, extension=self.kind.jagged), self.kind.enum)
        if made.dtype != self.kind.dtype:
            raise JagTypeError(f"{self.root.name} was planned to give {self.kind.dtype!r} and gave {made.dtype!r}")
        return made
