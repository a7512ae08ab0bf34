"""Refuse data of polars that can't cross Arrow's C interface: Python objects, and names with a NUL character.

The interface ends a name at NUL, and polars aborts the process. Of objects polars exports the addresses, as bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa

from arrowjag.errors import JagTypeError

__all__ = ["refuse_nul", "refuse_nul_fields", "refuse_objects"]


def refuse_objects(data: Any) -> None:
    """Refuse data of polars with a column of Python objects.

    Parameters
    ----------
    data : pl.DataFrame or pl.Series
        Anything else passes.

    Raises
    ------
    JagTypeError
        Names the first such column of a frame.
    """
    dtypes = getattr(data, "dtypes", None)
    names = getattr(data, "columns", None)
    for place, dtype in enumerate(dtypes if isinstance(dtypes, list) else [getattr(data, "dtype", None)]):
        if _has_objects(dtype):
            kind = type(data).__name__ + (f", column {names[place]!r}," if isinstance(names, list) else "")
            raise JagTypeError(f"a {kind} of Python objects has no Arrow type; build it from Arrow data instead")


def _has_objects(dtype: Any) -> bool:
    """Whether a polars dtype contains Python objects at any level."""
    fields = getattr(dtype, "fields", None)
    inner = [field.dtype for field in fields] if isinstance(fields, list) else [getattr(dtype, "inner", None)]
    return str(dtype) == "Object" or any(_has_objects(one) for one in inner if one is not None)


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
