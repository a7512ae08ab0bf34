"""koladata: DataSlices of primitives, with their jagged shape.

No buffer is shared: values are converted by way of Python objects, because Koda exposes none. Koda has no null rows, no extents.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from arrowjag import _arrow
from arrowjag._arguments import check_arguments
from arrowjag._array import JaggedArray, array_of
from arrowjag._column import Column
from arrowjag._ops import elementwise
from arrowjag.dims import Dim, Ragged, Uniform
from arrowjag.errors import JagTypeError
from arrowjag.interop import _parts
from arrowjag.shape import JaggedShape

__all__ = ["from_koladata", "to_koladata"]

_TYPES = {
    "INT32": pa.int32(),
    "INT64": pa.int64(),
    "FLOAT32": pa.float32(),
    "FLOAT64": pa.float64(),
    "BOOLEAN": pa.bool_(),
    "STRING": pa.large_string(),
    "BYTES": pa.large_binary(),
    "MASK": pa.bool_(),
    "NONE": pa.null(),
}


@check_arguments
def to_koladata(x: Any) -> Any:
    """Convert a jagged array to a DataSlice.

    Parameters
    ----------
    x : JaggedArray of int32, int64, float32, float64, booleans, text or bytes
        Null leaves become missing items.

    Returns
    -------
    kd.DataSlice
        Of the same shape. Cost: one Python object per value.

    Raises
    ------
    JagValueError
        If a row is null.
    JagTypeError
        If Koda has no such type: cast first.
    MissingDependencyError
        If koladata is not installed.
    """
    array = array_of(x)
    _parts.refuse_null_rows(array, "koladata")
    name = _schema(array.type)
    kd = _parts.load("koladata.kd", "to_koladata")
    values = kd.slice(array.values.to_pylist(), getattr(kd, name))
    return values.reshape(kd.shapes.new(*array.shape.unpack()))


def _schema(type: pa.DataType) -> str:
    plain = pa.large_string() if elementwise.is_text(type) else pa.large_binary() if elementwise.is_bytes(type) else type
    for name, known in _TYPES.items():
        if known == plain:
            return name
    raise JagTypeError.no_kernel("to_koladata", type, hint="Koda holds int32, int64, float32, float64, bool, text and bytes.")


@check_arguments
def from_koladata(data: Any) -> JaggedArray:
    """Convert a DataSlice to a jagged array.

    Parameters
    ----------
    data : kd.DataSlice of primitives
        Missing items become null leaves. A mask gives True where it is present, and null elsewhere.

    Returns
    -------
    JaggedArray
        Of the same shape; a DataItem gives ndim 0. Cost: one Python object per value.

    Raises
    ------
    JagTypeError
        If the slice holds objects, entities, lists or dicts.
    """
    kd = _parts.load("koladata.kd", "from_koladata")
    _parts.expect(data, ("get_schema", "get_shape"), "from_koladata", "a kd.DataSlice")
    name = str(data.get_schema())
    if name not in _TYPES:
        raise JagTypeError(f"from_koladata takes primitives of one type, got schema {name}")
    leaves = data.flatten().to_py()
    if name == "MASK":
        leaves = [None if one is None else True for one in leaves]
    shape = data.get_shape()
    dims: list[Dim] = []
    for place in range(int(shape.rank())):
        sizes = kd.shapes.dim_sizes(shape, place).to_py()
        dims.append(Ragged(sizes) if dims else Uniform(sizes[0], 1, declared=False))
    values = _arrow.combine_chunks(pa.array(leaves, _TYPES[name]))
    array: JaggedArray = JaggedArray._of(Column(JaggedShape._trusted(dims), values))
    return array
