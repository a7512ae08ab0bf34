"""tensorflow: the pieces of a RaggedTensor. tensorflow itself is not needed.

A RaggedTensor is flat values and one array of row splits per level; these are shared in both directions, booleans and text copied.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from arrowjag import _arrow
from arrowjag._arguments import check_arguments, flat_numbers, several
from arrowjag._array import JaggedArray, array_of
from arrowjag._ops import elementwise
from arrowjag.errors import JagTypeError
from arrowjag.interop import _parts
from arrowjag.typing import IntArray

__all__ = ["Pieces", "from_tensorflow", "to_tensorflow"]


class Pieces(NamedTuple):
    """The arguments of `tf.RaggedTensor.from_nested_row_splits`: call ``tf.RaggedTensor.from_nested_row_splits(*pieces)``.

    Attributes
    ----------
    flat_values : numpy.ndarray
        The values; declared dims at the end become dims of this array.
    nested_row_splits : tuple of numpy.ndarray of int64
        Outermost first; empty for an array without jagged dims.
    """

    flat_values: npt.NDArray[Any]
    nested_row_splits: tuple[IntArray, ...]


@check_arguments
def to_tensorflow(x: Any) -> Pieces:
    """Convert a jagged array to the pieces of a RaggedTensor.

    Parameters
    ----------
    x : JaggedArray of numbers, booleans, text or bytes
        An array without nulls.

    Returns
    -------
    Pieces
        Numbers and splits are shared, so they can't be written to. Text and bytes become objects.

    Raises
    ------
    JagValueError
        If anything is null: a RaggedTensor has no nulls.
    JagTypeError
        If tensorflow has no such type.

    Examples
    --------
    >>> import arrowjag as aj
    >>> aj.interop.tensorflow.to_tensorflow(aj.array([[1, 2], [], [3]]))
    Pieces(flat_values=array([1, 2, 3]), nested_row_splits=(array([0, 2, 2, 3]),))
    """
    array = array_of(x)
    _parts.refuse_nulls(array, "tensorflow")
    values, type = array.values, array.type
    if _arrow.is_numeric(type):
        flat = _parts.shared(values)
    elif elementwise.is_text(type) or elementwise.is_bytes(type):
        flat = np.array([*values.to_pylist(), None], object)[:-1]
    else:
        raise JagTypeError.no_kernel("to_tensorflow", type, hint="A RaggedTensor holds numbers, booleans and text.")
    return Pieces(flat.reshape(_parts.shape_of_items(array)), tuple(_parts.offsets_of(array)))


@check_arguments
def from_tensorflow(data: Any, nested_row_splits: Any = None) -> JaggedArray:
    """Convert a RaggedTensor or its pieces to a jagged array.

    Parameters
    ----------
    data : RaggedTensor, Pieces, (flat values, nested row splits), or flat values
        Anything with `flat_values` and `nested_row_splits`. Dims of the flat values after the first are declared.
    nested_row_splits : sequence of integer arrays, optional
        The row splits, outermost first, if `data` holds the flat values.

    Returns
    -------
    JaggedArray
        Numbers and int64 splits are shared if tensorflow exposes their buffers. Text stays bytes, as in tensorflow.

    Raises
    ------
    OffsetsError
        If splits don't start at 0, decrease, or don't end at the number of values.

    Examples
    --------
    >>> import arrowjag as aj
    >>> aj.interop.tensorflow.from_tensorflow([1, 2, 3], [[0, 2, 2, 3]]).to_list()
    [[1, 2], [], [3]]
    """
    if nested_row_splits is None:
        if hasattr(data, "flat_values"):
            data, nested_row_splits = data.flat_values, data.nested_row_splits
        elif isinstance(data, tuple) and len(data) == 2:
            data, nested_row_splits = data
        else:
            raise JagTypeError(f"from_tensorflow takes a RaggedTensor or its pieces, got {type(data).__name__}")
    splits = several(nested_row_splits, "from_tensorflow: nested_row_splits must be a list of arrays")
    return _parts.assemble(_numpy(data), [_numpy(one) for one in splits], "from_tensorflow")


def _numpy(tensor: Any) -> npt.NDArray[Any]:
    return flat_numbers(tensor.numpy() if hasattr(tensor, "numpy") else tensor, "from_tensorflow")
