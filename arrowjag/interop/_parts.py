"""Common functions of the modules of `interop`: flat values and offsets of an array, and the reverse."""

from __future__ import annotations

import importlib
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from arrowjag import _arrow
from arrowjag._array import JaggedArray
from arrowjag._column import Column
from arrowjag._kernels.base import offsets as _offsets
from arrowjag._ops import dense as _dense
from arrowjag.dims import Dim, Ragged, Uniform
from arrowjag.errors import JagTypeError, JagValueError, MissingDependencyError, OffsetsError, ShapeError
from arrowjag.shape import JaggedShape
from arrowjag.typing import IntArray

__all__ = ["assemble", "cuts_of", "inner_of", "load", "offsets_of", "refuse_null_rows", "refuse_nulls"]


def load(package: str, purpose: str) -> Any:
    """Import the other library, or raise an error that names the package to install."""
    try:
        return importlib.import_module(package)
    except ModuleNotFoundError as error:
        if error.name != package.partition(".")[0]:
            raise
        raise MissingDependencyError(f"{purpose} needs the package {error.name}: pip install {error.name}") from None


def refuse_null_rows(x: JaggedArray, other: str) -> None:
    """Raise if a row at any level is null: most libraries would make an empty row of it."""
    for place, dim in enumerate(x.shape.dims):
        if dim.validity is not None and not dim.validity.all():
            row = int(np.argmin(dim.validity))
            raise JagValueError(f"{other} has no null rows, got one at dim {place}, row {row}. Use fill_null_rows first.")


def refuse_nulls(x: JaggedArray, other: str) -> None:
    """Raise if anything is null."""
    refuse_null_rows(x, other)
    if x.values.null_count:
        slot = int(np.argmin(x.values.is_valid().to_numpy(zero_copy_only=False)))
        raise JagValueError(f"{other} has no nulls, got {x.values.null_count}, the first at value {slot}. Use fill_null first.")


def inner_of(x: JaggedArray) -> tuple[int, ...]:
    """The declared sizes of the last dims."""
    return tuple(int(extent) for extent in x.shape.extents[_dense.levels(x.shape) + 1 :] if extent is not None)


def offsets_of(x: JaggedArray) -> list[IntArray]:
    """The offsets of the jagged levels, outermost first."""
    return [dim.offsets for dim in x.shape.dims[1 : _dense.levels(x.shape) + 1]]


def cuts_of(offsets: Sequence[Any], n_items: int, where: str) -> list[IntArray]:
    """Offsets from outside as int64, each checked against the level below."""
    cuts = []
    for place, given in enumerate(offsets):
        cut = np.asarray(given)
        if cut.dtype.kind not in "iu":
            raise JagTypeError(f"{where}: offsets[{place}] must be integers, got {cut.dtype}")
        if cut.dtype == np.uint64 and cut.size and int(cut.max()) > np.iinfo(np.int64).max:
            raise OffsetsError(f"{where}: offsets[{place}] don't fit 63 bits")
        cuts.append(cut.astype(np.int64, copy=False))
    ends = [*(len(cut) - 1 for cut in cuts[1:]), n_items][: len(cuts)]
    for place, (cut, end) in enumerate(zip(cuts, ends, strict=True)):
        _offsets.check(cut, end, f"{where}: offsets[{place}]")
    return cuts


def assemble(items: npt.NDArray[Any], cuts: Sequence[IntArray], type: pa.DataType | None = None) -> JaggedArray:
    """An array of items, whose dims after the first are declared, under checked offsets."""
    rows = len(cuts[0]) - 1 if cuts else len(items)
    dims: list[Dim] = [Uniform(rows, 1, declared=False)]
    dims += [Ragged.from_offsets(cut, check=False) for cut in cuts]
    n = len(items)
    for place, size in enumerate(items.shape[1:], 1):
        dims.append(Uniform(size, n * math.prod(items.shape[1:place])))
    if len(dims) > 1 and dims[-1].size != items.size:
        raise ShapeError(f"offsets end at {dims[-1].size}, there are {items.size} values")
    flat = np.ascontiguousarray(items).reshape(-1)
    if flat.dtype.kind in "biuf" and type is None:
        values = _arrow.from_numpy(flat if flat.dtype.isnative else flat.astype(flat.dtype.newbyteorder("=")))
    else:
        if flat.dtype.kind == "O":
            _arrow.check_dates(flat)
        values = _arrow.combine_chunks(pa.array(flat.tolist() if flat.dtype.kind in "OUS" else flat, type=type))
    array: JaggedArray = JaggedArray._of(Column(JaggedShape._trusted(dims), values))
    return array
