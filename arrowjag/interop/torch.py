"""torch: dense tensors, nested jagged tensors, values with offsets, and keyed jagged tensors.

Values without nulls are shared in both directions, by DLPack on the way out; booleans are copied, because Arrow packs their bits.
Arrow's buffers are never written: call ``clone()`` before an operation in place. Offsets are shared too.
Gradients are computed by torch only: the tensors returned here are leaves of its graph.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._arguments import check_arguments
from arrowjag._array import JaggedArray, array_of
from arrowjag._pyarrow_versions import numpy_dtype
from arrowjag.creation import from_arrow, from_sizes
from arrowjag.dims import Ragged
from arrowjag.errors import JagTypeError, JagValueError, ShapeError, plural
from arrowjag.functions._products import zip as zip_arrays
from arrowjag.interop import _parts

__all__ = ["Keyed", "from_keyed", "from_torch", "to_keyed", "to_torch"]


@check_arguments
def to_torch(x: Any, layout: Literal["nested", "offsets", "dense"] = "nested") -> Any:
    """Convert a jagged array to tensors.

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
        Values and offsets are shared, except for booleans and dense tensors.

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
    array = array_of(x)
    if not _arrow.is_numeric(array.type):
        raise JagTypeError.no_kernel("to_torch", array.type, hint="torch holds numbers and booleans: cast first.")
    _parts.refuse_nulls(array, "torch")
    torch = _parts.load("torch", "to_torch")
    if layout == "dense":
        return torch.from_numpy(array.to_dense())
    cuts = _parts.offsets_of(array)
    values = _tensor(torch, array.values).reshape(_parts.shape_of_items(array))
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
        return torch.from_numpy(np.empty(0, numpy_dtype(values.type)))
    return torch.from_dlpack(values)


@check_arguments
def from_torch(data: Any, offsets: Any = None) -> JaggedArray:
    """Convert tensors to a jagged array.

    Parameters
    ----------
    data : torch.Tensor, or (values, offsets)
        A plain tensor: each dim after the rows is declared. A nested tensor of layout `torch.jagged`, with or without holes. Or
        values with their offsets: one tensor, or a list of them, outermost first. Dense dims of the values are declared.
    offsets : tensor or list of tensors, optional
        The offsets, if `data` is the tensor of values.

    Returns
    -------
    JaggedArray
        Values of contiguous tensors on the CPU are shared, so don't write to the tensor afterwards; booleans are copied.
        Gradients are not kept. int64 offsets are shared.

    Raises
    ------
    OffsetsError
        If offsets don't start at 0, decrease, or don't end at the number of values.
    JagTypeError
        If Arrow has no such type (bfloat16, complex): cast with ``.float()`` first.
    ShapeError
        If the jagged dim of a nested tensor is not its second, or its layout is not `torch.jagged`.
    """
    if isinstance(data, tuple):
        if offsets is not None or len(data) != 2:
            raise JagTypeError(f"from_torch takes (values, offsets) or two arguments, got a tuple of {len(data)}")
        data, offsets = data
    items = read(data, "from_torch")
    if isinstance(items, JaggedArray):
        return items
    if offsets is None:
        return _parts.assemble(items, [], "from_torch")
    levels = list(offsets) if isinstance(offsets, (list, tuple)) else [offsets]
    return _parts.assemble(items, [_numpy(cut) for cut in levels], "from_torch")


def read(tensor: Any, operation: str) -> Any:
    """Convert one tensor: to a numpy array, and a nested one to a `JaggedArray`. Errors name the operation."""
    return _from_nested(tensor, operation) if getattr(tensor, "is_nested", False) else _numpy(tensor, operation)


def _numpy(tensor: Any, operation: str = "from_torch") -> Any:
    if isinstance(tensor, np.ndarray):
        return tensor
    _parts.expect(tensor, ("detach", "layout"), operation, "tensors")
    try:
        found = tensor.detach().cpu().contiguous().resolve_conj().resolve_neg().numpy()
    except (TypeError, RuntimeError, NotImplementedError) as error:
        raise JagTypeError(f"{operation}: no Arrow values for a {_kind(tensor)}. {_hint(tensor)} ({error})") from None
    if found.dtype.kind not in "biuf":
        raise JagTypeError.no_kernel(operation, tensor.dtype)
    return found


def _kind(tensor: Any) -> str:
    return f"{type(tensor).__name__} of {tensor.dtype}, layout {tensor.layout}, on {tensor.device}"


def _hint(tensor: Any) -> str:
    """Say what makes a tensor readable that isn't."""
    if str(tensor.device) == "meta":
        return "It holds no values."
    if str(tensor.layout) != "torch.strided":
        return "Convert it with .to_dense() first."
    if getattr(tensor, "is_quantized", False):
        return "Convert it with .dequantize() first."
    return "Cast with .float() first."


def _from_nested(nested: Any, operation: str) -> JaggedArray:
    if "jagged" not in str(nested.layout):
        raise ShapeError(f"{operation} takes nested tensors of layout torch.jagged, got {nested.layout}")
    if nested._ragged_idx != 1:
        raise ShapeError(f"{operation}: the jagged dim must be dim 1, got dim {nested._ragged_idx}. Transpose it first.")
    items, lengths = _numpy(nested.values()), nested.lengths()
    starts = _numpy(nested.offsets()).astype(np.int64, copy=False)
    if lengths is None:
        return _parts.assemble(items, [starts], "from_torch")
    flat = _parts.assemble(items, [], "from_torch")
    sizes = Ragged(_numpy(lengths)).sizes
    view = pa.LargeListViewArray.from_arrays(starts[:-1], sizes, flat.to_arrow(extension=False))
    return from_arrow(view, ndim=flat.ndim + 1)


# ------------------------------------------------------------------------------------------------ keyed jagged tensors


class Keyed(NamedTuple):
    """Several jagged features of one batch in the layout of torchrec's `KeyedJaggedTensor`.

    Attributes
    ----------
    lengths : torch.Tensor of int64
        The size of each row: all rows of the first key, then those of the second, and so on.
    values : torch.Tensor
        The items in the same order.
    keys : list of str
        The names of the features.
    weights : torch.Tensor or None
        One weight per item, in the same order.
    """

    lengths: Any
    values: Any
    keys: list[str]
    weights: Any = None


@check_arguments
def to_keyed(columns: Any, weights: Any = None) -> Keyed:
    """Convert several jagged columns to one keyed jagged tensor.

    Parameters
    ----------
    columns : mapping of str to JaggedArray, or a DataFrame
        Features of one batch: numbers without nulls, of two dims, with equal numbers of rows.
    weights : mapping of str to JaggedArray, optional
        One weight per item for each key.

    Returns
    -------
    Keyed
        For ``KeyedJaggedTensor(keyed.keys, keyed.values, lengths=keyed.lengths, weights=keyed.weights)``. With several keys
        values are copied once.

    Raises
    ------
    ShapeError
        If columns differ in their numbers of rows, have other dims than two, or weights have other sizes.
    JagValueError
        If anything is null.
    JagTypeError
        If torch has no such type.
    MissingDependencyError
        If torch is not installed.
    """
    torch = _parts.load("torch", "to_keyed")
    arrays = _features(columns)
    lengths = [array.shape.dims[1].sizes for array in arrays.values()]
    values = _joined(torch, arrays)
    made = None
    if weights is not None:
        weighing = _features(weights)
        for name, array in arrays.items():
            if name not in weighing or not np.array_equal(weighing[name].shape.dims[1].offsets, array.shape.dims[1].offsets):
                raise ShapeError(f"to_keyed: the weights of {name!r} must have the sizes of its rows, {array.shape!r}")
        made = _joined(torch, {name: weighing[name] for name in arrays})
    sizes = np.concatenate([np.asarray(one, np.int64) for one in lengths])
    return Keyed(torch.from_numpy(sizes), values, list(arrays), made)


def _features(columns: Any) -> dict[str, JaggedArray]:
    given = columns.to_dict(as_series=True) if hasattr(columns, "collect_schema") else columns
    if not isinstance(given, Mapping) and not hasattr(given, "items"):
        raise JagTypeError(f"to_keyed takes a mapping from keys to arrays or a DataFrame, got {type(columns).__name__}")
    arrays = {str(name): array_of(one) for name, one in given.items()}
    if not arrays:
        raise JagValueError("to_keyed needs at least one key")
    rows = {name: len(array) for name, array in arrays.items()}
    if len(set(rows.values())) > 1:
        raise ShapeError(f"to_keyed: keys must have one number of rows, got {rows}")
    for name, array in arrays.items():
        if array.ndim != 2:
            raise ShapeError(f"to_keyed: key {name!r} must have 2 dims, got {array.shape!r}")
        if not _arrow.is_numeric(array.type):
            raise JagTypeError.no_kernel(
                f"to_keyed: key {name!r}", array.type, hint="torch holds numbers and booleans: cast first."
            )
        _parts.refuse_nulls(array, f"torch (key {name!r})")
    return arrays


def _joined(torch: Any, arrays: Mapping[str, JaggedArray]) -> Any:
    parts = [_tensor(torch, array.values) for array in arrays.values()]
    return parts[0] if len(parts) == 1 else torch.cat(parts)


@check_arguments
def from_keyed(lengths: Any, values: Any = None, keys: Any = None, weights: Any = None) -> dict[str, JaggedArray]:
    """Return the features of a keyed jagged tensor as jagged arrays.

    Parameters
    ----------
    lengths : tensor, array of int, `Keyed`, or torchrec.KeyedJaggedTensor
        The size of each row, key by key; or an object that holds everything.
    values : tensor or array
        The items in the same order.
    keys : sequence of str
        The names of the features.
    weights : tensor or array, optional
        One weight per item: the arrays then hold structs ``value, weight``.

    Returns
    -------
    dict of str to JaggedArray
        One array per key, with equal numbers of rows. Values of contiguous tensors on the CPU are shared.

    Raises
    ------
    ShapeError
        If the lengths can't be divided evenly among the keys, or don't add up to the number of values.
    JagTypeError
        If Arrow has no such type.
    """
    if isinstance(lengths, Keyed):
        lengths, values, keys, weights = lengths
    elif values is None and hasattr(lengths, "weights_or_none"):
        held = lengths
        lengths, values, keys, weights = held.lengths(), held.values(), held.keys(), held.weights_or_none()
    if values is None or keys is None:
        raise JagTypeError("from_keyed takes lengths, values and keys, or one keyed jagged tensor")
    names = [str(key) for key in keys]
    sizes = _numpy(lengths) if hasattr(lengths, "detach") else np.asarray(lengths)
    if not names or len(sizes) % len(names):
        raise ShapeError(f"from_keyed: {plural(len(sizes), 'length')} can't be divided among {plural(len(names), 'key')}")
    rows = len(sizes) // len(names)
    items = _parts.assemble(_numpy(values) if hasattr(values, "detach") else np.asarray(values), [], "from_keyed")
    if weights is not None:
        found = _parts.assemble(_numpy(weights) if hasattr(weights, "detach") else np.asarray(weights), [], "from_keyed")
        items = zip_arrays(value=items, weight=found)
    whole = from_sizes(items.values, sizes)
    return {name: whole[place * rows : (place + 1) * rows] for place, name in enumerate(names)}
