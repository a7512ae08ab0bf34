"""Methods that rearrange dims or leaves: size-1 dims, transposition, index images, assignment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
import numpy.typing as npt

from arrowjag._arguments import check_arguments
from arrowjag._array.base import ArrayBase, as_column, operand
from arrowjag._integers import is_int
from arrowjag._methods import Rows, method
from arrowjag._ops import edits
from arrowjag._ops import rearrange as _ops
from arrowjag.dims import is_pattern, to_dim
from arrowjag.errors import JagError
from arrowjag.typing import ArrayOrScalar, ShearMode, ShearRule

if TYPE_CHECKING:
    from arrowjag._array import JaggedArray

__all__ = ["RearrangeMethods"]


def _inner_axis(ndim: int, arguments: Mapping[str, Any], added: int) -> Rows:
    axis = arguments["axis"]
    return Rows.MOVED if axis == 0 or axis == -(ndim + added) else Rows.LOCAL


def _unsqueeze_rows(ndim: int, arguments: Mapping[str, Any]) -> Rows:
    return _inner_axis(ndim, arguments, 1)


def _squeeze_rows(ndim: int, arguments: Mapping[str, Any]) -> Rows:
    return _inner_axis(ndim, arguments, 0)


def _expand_rows(ndim: int, arguments: Mapping[str, Any]) -> Rows:
    """Sizes and patterns of a dim are those of all rows."""
    dims = arguments["dims"]
    if len(dims) != ndim or not (is_int(dims[0]) and dims[0] == -1):
        return Rows.MOVED
    return Rows.LOCAL if all(map(is_int, dims)) else Rows.KEPT


def _expanded_type(x: Any, dims: tuple[Any, ...]) -> Any:
    """The type after `expand`; sizes per row, which must be complete, don't fit an array without rows."""
    return x.expand(*(one if is_pattern(one) else to_dim(one)[:0] for one in dims))


def _kept(_ndim: int, _arguments: Mapping[str, Any]) -> Rows:
    return Rows.KEPT


def _set_type(x: Any, index: Any, values: Any) -> Any:  # noqa: ARG001  (bound by name)
    """Result type of an assignment, from the leaf types alone: the index can't be applied to an array without rows."""
    return x._wrap(edits.promoted(x, operand(values, x.type, "set"), "set")[0])


def _transpose_rows(ndim: int, arguments: Mapping[str, Any]) -> Rows:
    first = [axis in (0, -max(ndim, 1)) for axis in (arguments["a"], arguments["b"])]
    return Rows.MOVED if any(first) and not all(first) else Rows.LOCAL


def _permute_rows(ndim: int, arguments: Mapping[str, Any]) -> Rows:
    axes = arguments["axes"]
    return Rows.LOCAL if axes and axes[0] % max(ndim, 1) == 0 else Rows.MOVED


class RearrangeMethods(ArrayBase):
    """Size-1 dims, transposition, index images and assignment."""

    __slots__ = ()

    @method(rows=_unsqueeze_rows)
    def unsqueeze(self, axis: int) -> JaggedArray:
        """Insert a dim of declared extent 1.

        Parameters
        ----------
        axis : int
            Position of the new dim in the result; negative counts from the innermost dim of the result.

        Returns
        -------
        JaggedArray
            With one more dim: each item of the dim before it becomes a row that holds this item, also if the item is null. Null
            rows of other dims stay null. Values are shared.

        Notes
        -----
        Corresponds to fold's `unsqueeze`.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1], [2, 3]]).unsqueeze(-1).to_list()
        [[[1]], [[2], [3]]]
        """
        return self._wrap(_ops.unsqueeze(self, axis))

    @method(rows=_squeeze_rows)
    def squeeze(self, axis: int) -> ArrayOrScalar:
        """Remove a dim whose rows all have one item.

        Parameters
        ----------
        axis : int
            The dim to remove; negative counts from the innermost dim.

        Returns
        -------
        JaggedArray or pyarrow.Scalar
            With one dim less. A null row of that dim becomes a null item; along axis 0 a single null row gives a null scalar, as
            ``x[0]`` does. Values are shared if that dim has no null rows.

        Raises
        ------
        ShapeError
            If a valid row has another size; the message names the row.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[[1]], [[2, 3]]]).squeeze(1).to_list()
        [[1], [2, 3]]
        """
        return self._wrap(_ops.squeeze(self, axis))

    @method(rows=_expand_rows, result_type=_expanded_type)
    def expand(self, *dims: Any) -> JaggedArray:
        """Broadcast dims of declared extent 1 to new sizes.

        Parameters
        ----------
        *dims : int, sizes, Dim or pattern
            One entry per dim, aligned on the right; additional entries insert dims in front. -1 keeps a dim. In a dim of declared
            size 1, the item of each row, with everything below it, is repeated to the new size; any other dim must already have
            the given sizes. A pattern repeats to fill its level.

        Returns
        -------
        JaggedArray
            The expanded array; null rows stay null. Cost: one gather per level.

        Raises
        ------
        ShapeError
            If a dim can't be expanded to the given sizes.

        Notes
        -----
        Corresponds to fold's `expand`. Only a dim of declared extent 1 is broadcast; size 1 is never inferred from row sizes.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.arange(2, [1, 2]).unsqueeze(-1).expand(-1, -1, 3).to_list()
        [[[0, 0, 0]], [[1, 1, 1], [2, 2, 2]]]
        """
        return self._wrap(_ops.expand(self, dims))

    @overload
    def transpose(self, a: int, b: int, shear: ShearMode = ..., return_inverse: Literal[False] = ...) -> JaggedArray: ...
    @overload
    def transpose(
        self, a: int, b: int, shear: ShearMode = ..., *, return_inverse: Literal[True]
    ) -> tuple[JaggedArray, npt.NDArray[np.int64]]: ...
    @method(rows=_transpose_rows)
    def transpose(self, a: int, b: int, shear: ShearMode = "raise", return_inverse: bool = False) -> Any:
        """Swap two dims: the item at ``[.., i, .., j, ..]`` moves to ``[.., j, .., i, ..]``.

        Parameters
        ----------
        a, b : int
            The dims; negative counts from the innermost.
        shear : {"raise", "allow"}
            What to do if the swap would leave holes, which a ragged array can't hold: raise an error (fold's rule), or close the
            holes by moving later items forward, so that their indices differ from the rule above.
        return_inverse : bool
            Whether to also return the new position of each value.

        Returns
        -------
        JaggedArray, or (JaggedArray, numpy.ndarray of int64)
            The second item gives, for each value of this array, its position among the values of the result, so that
            ``t.values.take(back)`` equals ``x.values``. Null rows of the outer of the two dims stay null; null rows of dims between
            the two become empty; null rows of inner dims move with their items. Empty lists are kept only if their dim has a
            declared extent. Dims before the two are unchanged, so rows stay in place unless dim 0 is swapped. Cost: linear, one
            gather of values.

        Raises
        ------
        ShapeError
            If the swap leaves holes and `shear` is "raise".
        JagIndexError
            If a dim is out of range.
        JagValueError
            If `shear` is another word.

        Notes
        -----
        Corresponds to fold's `transpose`.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.arange(2, [4, 2]).transpose(0, 1).to_list()
        [[0, 4], [1, 5], [2], [3]]
        >>> aj.arange(4, [1, 2, 1, 2]).transpose(0, 1, shear="allow").to_list()
        [[0, 1, 3, 4], [2, 5]]
        """
        column, take = _ops.transpose(self, a, b, shear)
        return (self._wrap(column), _ops.inverse(take, self.size)) if return_inverse else self._wrap(column)

    @method(rows=_permute_rows)
    def permute(self, *axes: int, shear: ShearMode = "raise") -> JaggedArray:
        """Reorder all dims.

        Parameters
        ----------
        *axes : int
            For each dim of the result, the dim of this array.
        shear : {"raise", "allow"}
            Raise an error if holes appear, or close them; see `transpose`.

        Returns
        -------
        JaggedArray
            The permuted array. Null rows and empty lists follow the rules of `transpose`. Cost: a radix sort of the leaves, linear.

        Raises
        ------
        ShapeError
            If the order leaves holes and `shear` is "raise".
        JagValueError
            If a dim is given twice or is missing, or `shear` is another word.
        JagIndexError
            If a dim is out of range.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.arange(1, 2, 3).permute(2, 0, 1).to_list()
        [[[0, 3]], [[1, 4]], [[2, 5]]]
        """
        return self._wrap(_ops.permute(self, axes, shear)[0])

    @check_arguments
    def transpose_will_shear(self, a: int, b: int, rule: ShearRule = "fold") -> bool:
        """Return whether swapping two dims leaves holes, so that `transpose` raises.

        Parameters
        ----------
        a, b : int
            The dims; negative counts from the innermost.
        rule : {"fold", "exact"}
            "exact" tests whether holes appear; "fold" also rejects some cases with dims between the two that leave no holes.

        Returns
        -------
        bool
            True if a dim shears. A null row counts as empty. Cost: O(1) if the encoding of the dims decides, O(rows) otherwise.

        Raises
        ------
        JagIndexError
            If a dim is out of range.
        JagValueError
            If `rule` is another word.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.arange(4, [1, 2, 1, 2]).transpose_will_shear(0, 1)
        True
        """
        return self.shape.transpose_will_shear(a, b, rule)

    @method(rows=_kept)
    def image(self) -> tuple[JaggedArray, ...]:
        """Return the position of every leaf along each dim.

        Returns
        -------
        tuple of JaggedArray
            One int64 array per dim, of this array's shape, so that ``x[x.image()]`` equals ``x``. Null rows stay null. Cost: one
            pass per dim.

        Notes
        -----
        Corresponds to fold's `image`.

        Examples
        --------
        >>> import arrowjag as aj
        >>> [index.to_list() for index in aj.arange(2, [2, 1]).image()]
        [[[0, 0], [1]], [[0, 1], [0]]]
        """
        return tuple(self._wrap(column) for column in _ops.image(self))

    @method("values", rows=_kept, result_type=_set_type)
    def set(self, index: Any, values: Any) -> JaggedArray:
        """Assign to the items selected by an index, in a new array.

        Parameters
        ----------
        index : int, slice, array or tuple of them
            As in ``x[index]``; it must select leaves or rows of this array, each at most once.
        values : scalar or array
            Of the shape of ``x[index]``, or of a prefix of that shape.

        Returns
        -------
        JaggedArray
            Of this array's shape; leaf types are promoted. Items that the index does not select are unchanged, nulls included.
            Cost: one gather.

        Raises
        ------
        JagValueError
            If an item is selected twice.
        JagIndexError
            If the index is out of range; the message names the row.
        JagTypeError
            If the types have no common type.
        ShapeError
            If the values do not fit the index.
        %(unfit_value)s

        Notes
        -----
        Corresponds to fold's indexed assignment, but returns a new array.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2], [3]]).set((slice(None), 0), [10, 30]).to_list()
        [[10, 2], [30]]
        """
        try:
            targets = as_column(self._of(_ops.flat_positions(self.shape))[index])  # an array without dims too
        except JagError as error:
            raise error.renamed("set", "take", "indexing") from None
        column, given = edits.promoted(self, operand(values, self.type, "set"), "set")
        return self._wrap(_ops.replace(column, *edits.assigned(targets, given, "set")))
