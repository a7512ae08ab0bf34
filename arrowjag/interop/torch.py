"""torch: dense tensors, nested jagged tensors, and values with offsets.

Values without nulls are shared in both directions, by DLPack on the way out; booleans are copied, because Arrow packs their bits.
Arrow's buffers are never written: call ``clone()`` before an operation in place. Offsets are shared too.
Gradients are torch's business: tensors that come out of here are leaves like any others.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._array import JaggedArray
from arrowjag.dims import Ragged
from arrowjag.errors import JagTypeError, JagValueError, ShapeError
from arrowjag.functions import from_arrow
from arrowjag.interop import _parts

__all__ = ["from_torch", "to_torch"]


def to_torch(x: Any, layout: Literal["nested", "offsets", "dense"] = "nested") -> Any:
    """A jagged array as tensors.

    Parameters
    ----------
    x : JaggedArray of numbers or booleans
        Declared dims at the end become dense dims of the tensor.
    layout : {"nested", "offsets", "dense"}
        "nested" gives a nested tensor of layout `torch.jagged`, which has one jagged dim; an array without a jagged dim gives a
        plain tensor. "offsets" gives ``(values, [offsets, ...])``, outermost first, as FBGEMM's operators take them. "dense" gives
        a padded tensor, filled with 0, as `JaggedArray.to_dense` does.

    Returns
    -------
    torch.Tensor, or a tuple of a tensor and a list of int64 tensors
        Values and offsets are shared, but for booleans and dense tensors.

    Raises
    ------
    JagValueError
        If anything is null: torch has no nulls.
    JagTypeError
        If torch has no such type; cast text and times first.
    ShapeError
        If there are several jagged dims: a nested tensor has one.
    MissingDependencyError
        If torch is not installed.
    """
    array = _parts.array_of(x)
    if layout not in ("nested", "offsets", "dense"):
        raise JagValueError(f"to_torch: layout must be 'nested', 'offsets' or 'dense', got {layout!r}")
    if not _arrow.is_numeric(array.type):
        raise JagTypeError.no_kernel("to_torch", array.type, hint="torch holds numbers and booleans: cast first.")
    _parts.refuse_nulls(array, "torch")
    torch = _parts.load("torch", "to_torch")
    if layout == "dense":
        return torch.from_numpy(array.to_dense())
    inner = _parts.inner_of(array)
    cuts = _parts.offsets_of(array)
    n_items = array.shape.dims[len(cuts)].size if array.ndim else 1
    values = _tensor(torch, array.values).reshape((n_items, *inner))
    if layout == "offsets":
        return values, [_tensor(torch, pa.array(cut)) for cut in cuts]
    if not cuts:
        return values
    if len(cuts) > 1:
        raise ShapeError(f"a nested tensor has one jagged dim, {array.shape!r} has {len(cuts)}. Use layout='offsets', or flatten.")
    return torch.nested.nested_tensor_from_jagged(values, offsets=_tensor(torch, pa.array(cuts[0])))


def _tensor(torch: Any, values: pa.Array) -> Any:
    if pt.is_boolean(values.type):
        return torch.from_numpy(values.to_numpy(zero_copy_only=False).copy())
    if not len(values):
        return torch.from_numpy(np.empty(0, values.type.to_pandas_dtype()))
    return torch.from_dlpack(values)


def from_torch(data: Any, offsets: Any = None) -> JaggedArray:
    """A jagged array from tensors.

    Parameters
    ----------
    data : torch.Tensor, or (values, offsets)
        A plain tensor: each dim after the rows is declared. A nested tensor of layout `torch.jagged`, with or without holes. Or
        values with their offsets: one tensor, or a list of them, outermost first. Dense dims of the values are declared.
    offsets : tensor or list of tensors, optional
        The same, as an argument of its own.

    Returns
    -------
    JaggedArray
        Values of contiguous tensors on the CPU are shared, booleans copied: don't write to the tensor afterwards. Gradients are
        left behind. int64 offsets are shared.

    Raises
    ------
    OffsetsError
        If offsets don't start at 0, fall, or end elsewhere than the values do.
    JagTypeError
        If Arrow has no such type (bfloat16, complex): cast with ``.float()`` first.
    ShapeError
        If the jagged dim of a nested tensor is not its second, or its layout is not `torch.jagged`.
    """
    if isinstance(data, tuple):
        if offsets is not None or len(data) != 2:
            raise JagTypeError(f"from_torch takes (values, offsets) or two arguments, got a tuple of {len(data)}")
        data, offsets = data
    if getattr(data, "is_nested", False):
        return _from_nested(data)
    items = _numpy(data)
    if offsets is None:
        return _parts.assemble(items, [])
    levels = list(offsets) if isinstance(offsets, (list, tuple)) else [offsets]
    return _parts.assemble(items, _parts.cuts_of([_numpy(cut) for cut in levels], len(items), "from_torch"))


def _numpy(tensor: Any) -> Any:
    if isinstance(tensor, np.ndarray):
        return tensor
    try:
        found = tensor.detach().cpu().contiguous().resolve_conj().resolve_neg().numpy()
    except (TypeError, RuntimeError) as error:
        raise JagTypeError(f"from_torch: no Arrow values for {tensor.dtype}. Cast with .float() first. ({error})") from None
    if found.dtype.kind not in "biuf":
        raise JagTypeError.no_kernel("from_torch", tensor.dtype)
    return found


def _from_nested(nested: Any) -> JaggedArray:
    if "jagged" not in str(nested.layout):
        raise ShapeError(f"from_torch takes nested tensors of layout torch.jagged, got {nested.layout}")
    if nested._ragged_idx != 1:
        raise ShapeError(f"from_torch: the jagged dim must be dim 1, got dim {nested._ragged_idx}. Transpose it first.")
    items, lengths = _numpy(nested.values()), nested.lengths()
    starts = _numpy(nested.offsets()).astype(np.int64, copy=False)
    if lengths is None:
        return _parts.assemble(items, _parts.cuts_of([starts], len(items), "from_torch"))
    flat = _parts.assemble(items, [])
    sizes = Ragged(_numpy(lengths)).sizes
    view = pa.LargeListViewArray.from_arrays(starts[:-1], sizes, flat.to_arrow(extension=False))
    return from_arrow(view, ndim=flat.ndim + 1)
