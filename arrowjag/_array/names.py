"""Refuse names with a NUL character: Arrow's C interface ends a name there, and polars aborts the process."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa

from arrowjag.errors import JagTypeError

__all__ = ["refuse_nul", "refuse_nul_fields"]


def refuse_nul(data: Any) -> None:
    """Refuse data of polars that holds NUL in the name of a column or of a field of structs.

    Parameters
    ----------
    data : pl.DataFrame or pl.Series
        The name of a Series itself may be anything: callers drop it.

    Raises
    ------
    JagTypeError
        Names the first such column or field.
    """
    schema = data.schema if hasattr(data, "schema") else {"": data.dtype}
    _refuse(one for name, dtype in schema.items() for one in (name, *_names_of_dtype(dtype)))


def refuse_nul_fields(type: pa.DataType | pa.Schema) -> None:
    """Refuse an Arrow type or schema on its way to polars that holds NUL in the name of a field at any depth.

    Parameters
    ----------
    type : pa.DataType or pa.Schema
        The data for polars.

    Raises
    ------
    JagTypeError
        Names the first such field.
    """
    _refuse(_names_of_type(type))


def _refuse(names: Iterable[str]) -> None:
    for name in names:
        if "\x00" in name:
            raise JagTypeError(f"polars can't exchange the name {name!r} with Arrow, it holds the character NUL: rename it first")


def _names_of_dtype(dtype: Any) -> Iterator[str]:
    if hasattr(dtype, "ext_storage"):
        yield from _names_of_dtype(dtype.ext_storage())
    for field in getattr(dtype, "fields", ()):
        yield field.name
        yield from _names_of_dtype(field.dtype)
    inner = getattr(dtype, "inner", None)
    if inner is not None:
        yield from _names_of_dtype(inner)


def _names_of_type(type: Any) -> Iterator[str]:
    if isinstance(type, pa.BaseExtensionType):
        yield from _names_of_type(type.storage_type)
    elif isinstance(type, (pa.Schema, pa.StructType)):
        for field in type:
            yield field.name
            yield from _names_of_type(field.type)
    elif pa.types.is_dictionary(type):
        yield from _names_of_type(type.value_type)
    elif isinstance(type, pa.DataType):
        for place in range(type.num_fields):
            yield from _names_of_type(type.field(place).type)
