"""Calls on several columns of a frame: one expression computes all columns that a call changes.

The expression is a struct with one field per changed column, so that polars calls Python once per batch. Types are those of the
same call on empty arrays.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import polars as pl

from arrowjag._array import JaggedArray
from arrowjag._frames import named
from arrowjag.errors import JagError
from arrowjag.polars._convert import (
    ColumnType,
    as_enum,
    broadcast_rows,
    column_type,
    enum_of,
    from_planned,
    panics,
    shared_enum,
    storable,
    to_series,
)
from arrowjag.polars._evaluation import within_batch

__all__ = ["FrameCall", "call_columns", "schema_of"]

Arrays = Mapping[Any, JaggedArray]


class FrameCall:
    """The callback that plans a call on columns.

    Parameters
    ----------
    operation : str
        The public name.
    keys : sequence
        The names under which `function` finds its columns.
    function : callable
        From arrays by key to arrays by name.
    like : mapping, optional
        The keys of the columns that decide whether a result is `Jagged` or plain lists; by default the column of its own name.
    """

    def __init__(
        self,
        operation: str,
        keys: Sequence[Any],
        function: Callable[[Arrays], Mapping[Any, JaggedArray]],
        like: Mapping[str, Sequence[Any]] | None = None,
    ) -> None:
        self.operation = operation
        self.keys = list(keys)
        self.function = function
        self.like = dict(like or {})

    def __call__(self, pairs: list[tuple[pl.Expr, pl.DataType]]) -> pl.Expr:
        kinds = [self._kind(key, dtype) for key, (_, dtype) in zip(self.keys, pairs, strict=True)]
        by_key = dict(zip(self.keys, kinds, strict=True))
        samples = self.function({key: kind.empty() for key, kind in by_key.items()})
        results = {name: self._result(name, sample, by_key) for name, sample in samples.items()}
        dtype = pl.Struct({name: kind.dtype for name, kind in results.items()})
        compute = functools.partial(_computed, self, kinds, results)
        return pl.map_batches([expr for expr, _ in pairs], compute, dtype, is_elementwise=True)

    def _kind(self, key: Any, dtype: pl.DataType) -> ColumnType:
        try:
            return column_type(dtype)
        except JagError as error:
            raise named(error, key) from None

    def _result(self, name: str, sample: JaggedArray, kinds: Mapping[Any, ColumnType]) -> ColumnType:
        sources = [kinds[key] for key in self.like.get(name, [name])]
        nested = [kind.jagged for kind in sources if kind.ndim > 1]
        enum = enum_of(sample.values, shared_enum(sources))
        return ColumnType(storable(sample.type), sample.ndim, sample.shape.extents, any(nested) or not nested, enum)


def _computed(
    call: FrameCall, kinds: Sequence[ColumnType], results: Mapping[str, ColumnType], series: Sequence[pl.Series]
) -> pl.Series:
    with panics(call.operation):
        arrays = broadcast_rows([from_planned(one, kind) for one, kind in zip(series, kinds, strict=True)])
        try:
            made = call.function(dict(zip(call.keys, arrays, strict=True)))
        except JagError as error:
            raise within_batch(error, max(map(len, arrays), default=0)) from None
        columns = [as_enum(to_series(made[name], name, extension=kind.jagged), kind.enum) for name, kind in results.items()]
        return pl.DataFrame(columns).to_struct(series[0].name)


def stored(name: str) -> pl.Expr:
    """The column of a name, also where `pl.col` would read the name as a pattern."""
    return pl.col(exactly(name))


def exactly(name: str) -> str:
    """A name as a pattern of itself where polars would read it as a pattern."""
    return f"^{re.escape(name)}$" if name == "*" or (name.startswith("^") and name.endswith("$")) else name


def struct_field(struct: pl.Expr, fields: Sequence[str], name: str) -> pl.Expr:
    """A field of a struct, also where polars would read its name as a pattern."""
    if exactly(name) == name:
        return struct.struct.field(name)
    numbers = [str(place) for place in range(len(fields))]
    return struct.struct.rename_fields(numbers).struct.field(numbers[list(fields).index(name)]).alias(name)


def schema_of(frame: pl.LazyFrame) -> pl.Schema:
    """The schema of a frame; errors are those of earlier steps, which keep their own names."""
    try:
        return frame.collect_schema()
    except JagError as error:
        error.is_of_earlier_call = True
        raise


def call_columns(
    frame: pl.LazyFrame, call: FrameCall, inputs: Sequence[Any], made: Sequence[str], columns: Sequence[str]
) -> pl.LazyFrame:
    """Compute columns and write them into a frame.

    Parameters
    ----------
    frame : pl.LazyFrame
        The frame.
    call : FrameCall
        What to compute.
    inputs : sequence of pl.Expr
        The columns that it reads.
    made : sequence of str
        The names of the results.
    columns : sequence of str
        All columns of the result, in order.

    Returns
    -------
    pl.LazyFrame
        Lazy; it streams.
    """
    held = "jag"
    while held in columns or held in schema_of(frame):
        held += "_"
    struct = pl.pipe_with_dtype(list(inputs), call).alias(held)
    new = set(made)
    others = [stored(name) for name in columns if name not in new]
    # polars takes one field of a struct in time that grows with the number of fields, and `unnest` all of them in as much.
    return frame.with_columns(struct).select(*others, held).unnest(held).select(map(stored, columns))
