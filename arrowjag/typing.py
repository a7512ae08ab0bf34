"""Aliases and protocols of the public signatures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt
import pyarrow as pa

if TYPE_CHECKING:
    from arrowjag._array import JaggedArray

__all__ = [
    "ArrayOrScalar",
    "ArrowData",
    "BoolArray",
    "EngineName",
    "Host",
    "IntArray",
    "Interpolation",
    "RankMethod",
    "Reduction",
    "ShearMode",
    "ShearRule",
    "SizesLike",
    "SupportsArrowArray",
    "SupportsArrowStream",
]

IntArray: TypeAlias = npt.NDArray[np.int64]
"""A one-dimensional int64 array: offsets, sizes, positions."""

BoolArray: TypeAlias = npt.NDArray[np.bool_]
"""A one-dimensional bool array: a mask or a validity (True is valid)."""

SizesLike: TypeAlias = "Sequence[int] | npt.NDArray[np.integer[Any]] | pa.Array"
"""Row sizes: integers, never bool and never float."""

ArrowData: TypeAlias = "pa.Array | pa.ChunkedArray"
"""An Arrow array, in one piece or in chunks."""

ArrayOrScalar: TypeAlias = "JaggedArray | Any"
"""A result that is an array where dims are left, and an Arrow scalar where none is; of a surface's columns, the surface's kind."""

EngineName: TypeAlias = Literal["local", "ray", "dask"]
Host: TypeAlias = Literal["polars", "pandas", "arrow"]
Interpolation: TypeAlias = Literal["linear", "lower", "higher", "midpoint", "nearest"]
RankMethod: TypeAlias = Literal["ordinal", "dense", "min", "max", "average"]
Reduction: TypeAlias = Literal[
    "mean",
    "sum",
    "min",
    "max",
    "first",
    "last",
    "count",
    "median",
    "std",
    "var",
    "prod",
    "any",
    "all",
    "n_unique",
    "mode",
    "lengths",
]
ShearMode: TypeAlias = Literal["raise", "allow"]
ShearRule: TypeAlias = Literal["fold", "exact"]


@runtime_checkable
class SupportsArrowArray(Protocol):
    """Anything that hands out one Arrow array over the C interface."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        """Return the schema and array capsules."""


@runtime_checkable
class SupportsArrowStream(Protocol):
    """Anything that hands out Arrow chunks over the C interface."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return the stream capsule."""
