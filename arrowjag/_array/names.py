"""Refuse data of polars that can't cross Arrow's C interface: Python objects, narrow decimals, names with a NUL character.

The interface ends a name at NUL, and polars aborts the process. Of objects polars exports the addresses, as bytes. Where polars
has read decimals of 32 or 64 bits inside of lists, its Series holds foreign memory, and an export aborts the process.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pyarrow as pa

from arrowjag.errors import JagTypeError

__all__ = ["refuse_nul", "refuse_nul_fields", "refuse_unreadable"]


def refuse_unreadable(data: Any) -> None:
    """Refuse data of polars with a column of Python objects, or of decimals that polars has misread.

    Parameters
    ----------
    data : pl.DataFrame or pl.Series
        Anything else passes.

    Raises
    ------
    JagTypeError
        Names the first such column of a frame.
    """
    for name, dtype, column in _columns(data):
        kind = type(data).__name__ + ("" if name is None else f", column {name!r},")
        if _holds(dtype, "Object"):
            raise JagTypeError(f"a {kind} of Python objects has no Arrow type; build it from Arrow data instead")
        if str(dtype).partition("(")[0] != "Decimal" and _holds(dtype, "Decimal") and not _can_leave(column()):
            raise JagTypeError(
                f"a {kind} of {dtype} has been read wrongly by polars, as it reads decimals of 32, 64 and 256 bits inside of lists "
                "and structs; convert the Arrow or pandas data with aj.array(data).to_polars(), or cast it to decimal128 first"
            )


def _columns(data: Any) -> Iterator[tuple[str | None, Any, Callable[[], Any]]]:
    """The name, dtype and Series of each column of a frame; a Series is one column without a name."""
    kind = type(data)  # a Series of polars looks long for a name that it lacks, its class does not
    names, dtypes = (getattr(data, one, None) if hasattr(kind, one) else None for one in ("columns", "dtypes"))
    if not isinstance(names, list) or not isinstance(dtypes, list):
        yield None, getattr(data, "dtype", None), lambda: data
        return
    for place, (name, dtype) in enumerate(zip(names, dtypes, strict=True)):
        yield name, dtype, functools.partial(data.to_series, place)


def _can_leave(series: Any) -> bool:
    """Whether polars converts each chunk to Arrow; it takes no rows to find out."""
    try:
        for chunk in series.get_chunks():
            chunk.head(0).to_arrow()
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # no Exception, and polars may be absent
            raise
        return False
    return True


def _holds(dtype: Any, name: str) -> bool:
    """Whether a polars dtype is, or contains at any level, a dtype of that name."""
    if hasattr(dtype, "ext_storage"):
        return _holds(dtype.ext_storage(), name)
    fields = getattr(dtype, "fields", None)
    inner = [field.dtype for field in fields] if isinstance(fields, list) else [getattr(dtype, "inner", None)]
    return str(dtype).partition("(")[0] == name or any(_holds(one, name) for one in inner if one is not None)


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
    schema = data.schema if hasattr(type(data), "schema") else {"": data.dtype}
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
