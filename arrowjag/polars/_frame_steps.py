"""Functions that the methods of frames run on whole columns, and expressions that they build."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl
import pyarrow as pa

from arrowjag import _arrow, _frames
from arrowjag._array import JaggedArray
from arrowjag._column import Column
from arrowjag.dims import Ragged, Uniform
from arrowjag.polars._convert import (
    ColumnType,
    as_lists,
    broadcast_rows,
    column_type,
    from_planned,
    polars_dtype,
    storable,
    stored_lists,
    to_series,
)
from arrowjag.polars.dtype import Jagged
from arrowjag.shape import JaggedShape

__all__ = ["Zipped", "as_rows", "by_keys", "filtered", "imploded", "nested", "sorted", "topk", "unnested"]


def by_keys(function: Any, keys: int, arrays: Mapping[Any, JaggedArray]) -> Mapping[Any, JaggedArray]:
    """Call a function of columns and keys; keys are stored under their numbers."""
    columns = {name: array for name, array in arrays.items() if isinstance(name, str)}
    return function(columns, [arrays[place] for place in range(keys)])  # type: ignore[no-any-return]


def filtered(columns: Mapping[Any, JaggedArray], keys: list[JaggedArray]) -> Mapping[Any, JaggedArray]:
    return _frames.filter_columns(columns, keys[0])


def sorted(descending: bool, columns: Mapping[Any, JaggedArray], keys: list[JaggedArray]) -> Mapping[Any, JaggedArray]:
    return _frames.sort_columns(columns, keys, descending)


def topk(k: int, columns: Mapping[Any, JaggedArray], keys: list[JaggedArray]) -> Mapping[Any, JaggedArray]:
    return _frames.topk_columns(columns, keys, k)


def nested(into: str, columns: Mapping[str, JaggedArray]) -> dict[str, JaggedArray]:
    return {into: _frames.nest(columns)}


def unnested(name: str, columns: Mapping[str, JaggedArray]) -> dict[str, JaggedArray]:
    return _frames.unnest(name, columns[name])


def imploded(expr: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    kind = column_type(dtype)
    gathered = as_lists(expr, dtype).implode()
    if kind.ndim > 1 and not kind.jagged:
        return gathered
    lists = pl.List(stored_lists(dtype)[0])
    return gathered.ext.to(Jagged.ext_from_params(_arrow.EXTENSION_NAME, lists, f'{{"ndim":{kind.ndim + 1}}}'))


class Zipped:
    """The callback of `flatten`: it zips the columns into one list of structs per row."""

    def __init__(self, names: list[str], keep_empty: bool = False, to_dim: int | None = None) -> None:
        self.names = names
        self.keep_empty = keep_empty
        self.to_dim = to_dim

    def __call__(self, pairs: list[tuple[pl.Expr, pl.DataType]]) -> pl.Expr:
        kinds = [column_type(dtype) for _, dtype in pairs]
        _frames.check_nested(self.names, (kind.ndim for kind in kinds))
        fields = [_stored_dtype(_rows_type(kind, self.to_dim)) for kind in kinds]
        dtype = pl.List(pl.Struct(dict(zip(self.names, fields, strict=True))))
        operands = [*(expr for expr, _ in pairs), pl.lit("jag flatten")]
        return pl.map_batches(operands, functools.partial(self.zipped, dtype=dtype, kinds=kinds), dtype, is_elementwise=True)

    def zipped(self, series: Sequence[pl.Series], dtype: pl.DataType, kinds: Sequence[ColumnType]) -> pl.Series:
        """Align the columns and combine their leaves into structs."""
        arrays = broadcast_rows([from_planned(one, kind) for one, kind in zip(series, kinds, strict=False)])
        flat = _frames.flatten(arrays, self.names, self.keep_empty, self.to_dim)
        leaves = [_storable_rows(column) for column in flat.columns]
        shape = JaggedShape._trusted([Uniform._frame(len(flat.sizes)), Ragged(flat.sizes)])
        rows = Column(shape, pa.StructArray.from_arrays(leaves, names=self.names))
        made = to_series(rows, series[0].name, extension=False)
        return made if made.dtype == dtype else made.cast(dtype)  # categories are cast to the Enum


def as_rows(expr: pl.Expr, dtype: pl.DataType, to_dim: int) -> pl.Expr:
    """Give rows that `flatten` left nested, and stored as lists, the dtype of the column."""
    kind = _rows_type(column_type(dtype), to_dim)
    return expr.ext.to(kind.dtype) if kind.extension else expr


def _rows_type(kind: ColumnType, to_dim: int | None) -> ColumnType:
    """The type of a column whose first dims are merged."""
    merged = kind.ndim if to_dim is None else min(kind.ndim, to_dim)
    return replace(kind, ndim=kind.ndim - merged + 1, extents=(None, *kind.extents[merged:]))


def _stored_dtype(kind: ColumnType) -> pl.DataType:
    if kind.ndim == 1:
        return kind.enum if kind.enum is not None else polars_dtype(storable(kind.leaf))
    return stored_lists(kind.dtype)[0]  # type: ignore[no-any-return]


def _storable_rows(column: JaggedArray) -> pa.Array:
    values = column.values
    wanted = storable(values.type)
    values = values if values.type == wanted else values.cast(wanted)
    return values if column.ndim == 1 else JaggedArray._of(Column(column.shape, values)).to_arrow(extension=False)
