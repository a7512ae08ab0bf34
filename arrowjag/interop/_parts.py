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
from arrowjag._array.reading import to_array
from arrowjag._column import Column
from arrowjag._kernels.base import offsets as _offsets
from arrowjag._ops import dense as _dense
from arrowjag.dims import Dim, Ragged, Uniform
from arrowjag.errors import JagError, JagTypeError, JagValueError, MissingDependencyError, OffsetsError, ShapeError, brief
from arrowjag.shape import JaggedShape
from arrowjag.typing import IntArray

__all__ = [
    "assemble",
    "cuts_of",
    "expect",
    "items_of",
    "load",
    "offsets_of",
    "refuse_null_rows",
    "refuse_nulls",
    "shape_of_items",
    "shared",
]


def load(package: str, purpose: str) -> Any:
    """Import the other library, or raise an error that names the package to install."""
    try:
        return importlib.import_module(package)
    except ModuleNotFoundError as error:
        if error.name != package.partition(".")[0]:
            raise
        raise MissingDependencyError(f"{purpose} needs the package {error.name}: pip install {error.name}") from None


def expect(data: Any, names: Sequence[str], operation: str, wanted: str) -> None:
    """Raise unless an object has the attributes of the other library's class: its own errors don't say what was passed.

    Checking attributes rather than classes admits subclasses, wrappers, and stand-ins where the library is missing.
    """
    if isinstance(data, type) or not all(hasattr(data, name) for name in names):
        hint = "; it is an array of arrowjag already" if isinstance(data, JaggedArray) else ""
        raise JagTypeError(f"{operation} takes {wanted}, got {type(data).__name__}{hint}")


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


def shape_of_items(x: JaggedArray) -> tuple[int, ...]:
    """The number of items below the jagged levels, and the declared extents of each."""
    level = _dense.levels(x.shape)
    n_items = x.shape.dims[level].size if x.ndim else 1
    return n_items, *(int(extent) for extent in x.shape.extents[level + 1 :] if extent is not None)


def shared(values: pa.Array) -> npt.NDArray[Any]:
    """Return the values as a contiguous array of numpy that can't be written to: others would write to the buffers of the array."""
    data = np.ascontiguousarray(_arrow.to_numpy(values)[0]).view()
    data.flags.writeable = False
    return data


def offsets_of(x: JaggedArray) -> list[IntArray]:
    """The offsets of the jagged levels, outermost first."""
    return [dim.offsets for dim in x.shape.dims[1 : _dense.levels(x.shape) + 1]]


def cuts_of(offsets: Sequence[Any], n_items: int, where: str) -> list[IntArray]:
    """Offsets from outside as int64, each checked against the level below."""
    cuts = []
    for place, given in enumerate(offsets):
        cut = np.asarray(given)
        if cut.dtype.kind not in "iu" or cut.ndim != 1:
            raise JagTypeError(f"{where}: offsets[{place}] must be flat integers, got {cut.dtype} of shape {cut.shape}")
        if cut.dtype == np.uint64 and cut.size and int(cut.max()) > np.iinfo(np.int64).max:
            raise OffsetsError(f"{where}: offsets[{place}] don't fit 63 bits")
        cuts.append(cut.astype(np.int64, copy=False))
    ends = [*(len(cut) - 1 for cut in cuts[1:]), n_items][: len(cuts)]
    for place, (cut, end) in enumerate(zip(cuts, ends, strict=True)):
        _offsets.check(cut, end, f"{where}: offsets[{place}]")
    return cuts


def items_of(data: npt.NDArray[Any], where: str) -> pa.Array:
    """The values of an array of numpy of any number of dims; numbers are shared."""
    try:
        return _arrow.combine_chunks(to_array(data.reshape(-1)))
    except JagError as error:
        raise type(error)(f"{where}: {error}") from None


def assemble(items: npt.NDArray[Any], offsets: Sequence[Any], where: str) -> JaggedArray:
    """An array of items, whose dims after the first are declared, under offsets from outside, outermost first."""
    if items.ndim == 0:
        raise ShapeError(f"{where} takes values of one dim or more, got the scalar {brief(items[()])}")
    n = len(items)
    cuts = cuts_of(offsets, n, where)
    dims: list[Dim] = [Uniform(len(cuts[0]) - 1 if cuts else n, 1, declared=False)]
    dims += [Ragged.from_offsets(cut, check=False) for cut in cuts]
    for place, size in enumerate(items.shape[1:], 1):
        dims.append(Uniform(size, n * math.prod(items.shape[1:place])))
    array: JaggedArray = JaggedArray._of(Column(JaggedShape._trusted(dims), items_of(items, where)))
    return array
