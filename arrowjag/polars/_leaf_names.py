"""Arrow names of polars dtypes, as ``jagged[...]`` contains them."""

from __future__ import annotations

import json
from typing import Any

import polars as pl

__all__ = ["leaf_name"]

_PLAIN: dict[Any, str] = {
    pl.Null: "null",
    pl.Boolean: "bool",
    pl.Int8: "int8",
    pl.Int16: "int16",
    pl.Int32: "int32",
    pl.Int64: "int64",
    pl.UInt8: "uint8",
    pl.UInt16: "uint16",
    pl.UInt32: "uint32",
    pl.UInt64: "uint64",
    pl.Float32: "float",
    pl.Float64: "double",
    pl.String: "string",
    pl.Binary: "binary",
    pl.Date: "date32[day]",
    pl.Time: "time64[ns]",
    pl.Categorical: "dictionary<string, uint32>",
}


def leaf_name(dtype: Any) -> str:
    """Return the Arrow name of a polars dtype.

    Parameters
    ----------
    dtype : polars dtype
        Any dtype, nested ones included.

    Returns
    -------
    str
        The name that `type_name` writes for the Arrow type; text is ``string``, whatever its layout. A dtype without an
        Arrow type keeps the name that polars gives it. polars calls this function while it formats, so it never raises.

    Examples
    --------
    >>> import polars as pl
    >>> leaf_name(pl.Struct({"at": pl.Datetime("us", "UTC"), "tags": pl.List(pl.String)}))
    'struct<"at": timestamp[us, tz=UTC], "tags": large_list<string>>'
    """
    plain = _PLAIN.get(dtype if isinstance(dtype, type) else type(dtype))
    if plain is not None:
        return plain
    if dtype is pl.Datetime or dtype is pl.Duration:
        dtype = dtype()  # in microseconds
    if isinstance(dtype, pl.Datetime):
        return f"timestamp[{dtype.time_unit}{f', tz={dtype.time_zone}' if dtype.time_zone else ''}]"
    if isinstance(dtype, pl.Duration):
        return f"duration[{dtype.time_unit}]"
    if isinstance(dtype, pl.Decimal):
        return f"decimal128({dtype.precision}, {dtype.scale})"
    if isinstance(dtype, pl.Enum):
        return f"dictionary<string, {_enum_index(len(dtype.categories))}, ordered>"
    if isinstance(dtype, pl.Struct):
        return f"struct<{', '.join(f'{json.dumps(field.name)}: {leaf_name(field.dtype)}' for field in dtype.fields)}>"
    if isinstance(dtype, pl.List):
        return f"large_list<{leaf_name(dtype.inner)}>"
    if isinstance(dtype, pl.Array):
        return f"fixed_size_list<{leaf_name(dtype.inner)}, {dtype.size}>"
    return str(dtype)


def _enum_index(categories: int) -> str:
    """The type of the codes of an Enum."""
    return "uint8" if categories < 2**8 else "uint16" if categories < 2**16 else "uint32"
