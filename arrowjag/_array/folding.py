"""Methods of fold's array model: dims of size 1, images, assignment, transposition."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
import numpy.typing as npt

from arrowjag._array.base import ArrayBase, as_column, operand
from arrowjag._column import Column
from arrowjag._methods import Rows, method
from arrowjag._ops import elementwise, structure
from arrowjag._ops import folding as _ops
from arrowjag.errors import ShapeError
from arrowjag.typing import ShearMode, ShearRule

if TYPE_CHECKING:
    from arrowjag._array import JaggedArray

__all__ = ["FoldingMethods"]


def _inner_axis(ndim: int, arguments: Mapping[str, Any], added: int) -> Rows:
    axis = arguments["axis"]
    return Rows.MOVED if axis == 0 or axis == -(ndim + added) else Rows.LOCAL


def _unsqueeze_rows(ndim: int, arguments: Mapping[str, Any]) -> Rows:
    return _inner_axis(ndim, arguments, 1)


def _squeeze_rows(ndim: int, arguments: Mapping[str, Any]) -> Rows:
    return _inner_axis(ndim, arguments, 0)


def _expand_rows(ndim: int, arguments: Mapping[str, Any]) -> Rows:
    dims = arguments["dims"]
    return Rows.LOCAL if len(dims) == ndim and isinstance(dims[0], int) and dims[0] == -1 else Rows.MOVED


def _kept(_ndim: int, _arguments: Mapping[str, Any]) -> Rows:
    return Rows.KEPT


def _set_type(x: Any, index: Any, values: Any) -> Any:  # noqa: ARG001  (bound by name)
    """An assignment's type does not depend on the places, which an array without rows does not have."""
    given = operand(values, x.type, "set")
    return x._wrap(elementwise.cast(x, elementwise.promote([x.type, given.type], "set")))


def _transpose_rows(ndim: int, arguments: Mapping[str, Any]) -> Rows:
    first = [axis in (0, -max(ndim, 1)) for axis in (arguments["a"], arguments["b"])]
    return Rows.MOVED if any(first) and not all(first) else Rows.LOCAL


def _permute_rows(ndim: int, arguments: Mapping[str, Any]) -> Rows:
    axes = arguments["axes"]
    return Rows.LOCAL if axes and axes[0] % max(ndim, 1) == 0 else Rows.MOVED


class FoldingMethods(ArrayBase):
    """Reshaping by stretching, and addressing by images."""

    __slots__ = ()

    @method(rows=_unsqueeze_rows)
    def unsqueeze(self, axis: int) -> JaggedArray:
        """Insert a dim of declared size 1.

        Parameters
        ----------
        axis : int
            Where the new dim stands in the result; negative counts from its innermost.

        Returns
        -------
        JaggedArray
            With one dim more. A null row becomes a row that holds one null row. Values are shared.

        Raises
        ------
        JagIndexError
            If the axis is out of range.

        Notes
        -----
        fold's `unsqueeze`.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1], [2, 3]]).unsqueeze(-1).to_list()
        [[[1]], [[2], [3]]]
        """
        return self._wrap(_ops.unsqueeze(self, axis))

    @method(rows=_squeeze_rows)
    def squeeze(self, axis: int) -> JaggedArray:
        """Remove a dim whose rows all have one item.

        Parameters
        ----------
        axis : int
            The dim.

        Returns
        -------
        JaggedArray
            With one dim less. A null row of that dim becomes a null item. Values are shared where it has none.

        Raises
        ------
        ShapeError
            If a row has another size; it is named.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[[1]], [[2, 3]]]).squeeze(1).to_list()
        [[1], [2, 3]]
        """
        return self._wrap(_ops.squeeze(self, axis))

    @method(rows=_expand_rows)
    def expand(self, *dims: Any) -> JaggedArray:
        """Stretch dims of declared size 1.

        Parameters
        ----------
        *dims : int, sizes, Dim or pattern
            One entry a dim, aligned on the right; more entries insert dims in front. -1 keeps a dim. Where the dim has
            declared size 1, each of its items is repeated with all below it; another dim must agree already. A pattern
            repeats to fill its level.

        Returns
        -------
        JaggedArray
            The stretched array; null rows stay null. Cost: one gather a level.

        Raises
        ------
        ShapeError
            If a dim can't be stretched to what is asked.

        Notes
        -----
        fold's `expand`; whether a dim stretches is declared, never guessed from sizes.

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
        """Let two dims change places: what stood at ``[.., i, .., j, ..]`` stands at ``[.., j, .., i, ..]``.

        Parameters
        ----------
        a, b : int
            The dims; negative counts from the innermost.
        shear : {"raise", "allow"}
            A ragged array has no holes. Where the swap would leave some, refuse (fold's rule), or close them: then items stand
            elsewhere than the rule says.
        return_inverse : bool
            Whether to tell how the values went.

        Returns
        -------
        JaggedArray, or (JaggedArray, numpy.ndarray of int64)
            The second says, for each value of this array, where it stands among the result's, so that
            ``t.values.take(back)`` equals ``x.values``. Null rows of the outer of the two dims stay null; null rows between the two
            count as empty and are lost; further in they ride along. Lists that hold nothing are kept only where their dim declares
            its size. Dims before the two are untouched, so rows are local unless dim 0 moves. Cost: linear, one gather of values.

        Raises
        ------
        ShapeError
            If it shears and `shear` is "raise".

        Notes
        -----
        fold's `transpose`, which takes minutes where this takes milliseconds.

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
        """Bring all dims into another order.

        Parameters
        ----------
        *axes : int
            The old dim of each new one.
        shear : {"raise", "allow"}
            Whether holes are refused or closed.

        Returns
        -------
        JaggedArray
            As after `transpose`, null rows too. Cost: a radix sort of the leaves, linear.

        Raises
        ------
        ShapeError
            If it leaves holes and `shear` is "raise".
        JagValueError
            If a dim is named twice or not at all.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.arange(1, 2, 3).permute(2, 0, 1).to_list()
        [[[0, 3]], [[1, 4]], [[2, 5]]]
        """
        return self._wrap(_ops.permute(self, axes, shear)[0])

    def transpose_will_shear(self, a: int, b: int, rule: ShearRule = "fold") -> bool:
        """Whether two dims can't change places without closing holes.

        Parameters
        ----------
        a, b : int
            The dims; negative counts from the innermost.
        rule : {"fold", "exact"}
            "exact" tells whether holes appear; fold's own rule also refuses some dims between the two that would leave none.

        Returns
        -------
        bool
            O(1) where an encoding proves it, O(rows) otherwise. A null row counts as an empty one.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.arange(4, [1, 2, 1, 2]).transpose_will_shear(0, 1)
        True
        """
        return self.shape.transpose_will_shear(a, b, rule)

    @method(rows=_kept)
    def image(self) -> tuple[JaggedArray, ...]:
        """The place of every leaf along each dim.

        Returns
        -------
        tuple of JaggedArray
            One array of int64 a dim, of this array's shape, so that ``x[x.image()]`` equals ``x``. Null rows stay null. Cost: one
            pass a dim.

        Notes
        -----
        fold's `image`.

        Examples
        --------
        >>> import arrowjag as aj
        >>> [index.to_list() for index in aj.arange(2, [2, 1]).image()]
        [[[0, 0], [1]], [[0, 1], [0]]]
        """
        return tuple(self._wrap(column) for column in _ops.image(self))

    @method("values", rows=_kept, result_type=_set_type)
    def set(self, index: Any, values: Any) -> JaggedArray:
        """Assign to what an index names, in a new array.

        Parameters
        ----------
        index : int, slice, array or tuple of them
            As in ``x[index]``; what it gives must be leaves or rows of this array, each at most once.
        values : scalar or array
            Of the shape that ``x[index]`` has, or a prefix of it.

        Returns
        -------
        JaggedArray
            Of this array's shape; leaf types are promoted. What the index does not name is unchanged, null or not. Cost: one
            gather.

        Raises
        ------
        JagValueError
            If a place is named twice.
        ShapeError
            If the values do not fit the index.

        Notes
        -----
        fold's indexed assignment, without mutation.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2], [3]]).set((slice(None), 0), [10, 30]).to_list()
        [[10, 2], [30]]
        """
        targets = as_column(self._of(_ops.places(self.shape))[index])  # an array without dims too
        given = operand(values, self.type, "set")
        type = elementwise.promote([self.type, given.type], "set")
        if isinstance(given, Column) and given.ndim > targets.ndim:
            raise ShapeError(f"set: values of {given.shape!r} for an index of {targets.shape!r}")
        if isinstance(given, Column):
            filled, targets = structure.align([elementwise.cast(given, type), targets], "set")
        else:
            filled = elementwise.apply(lambda _, value: value.cast(type), [targets, given], "set")
        return self._wrap(_ops.replace(elementwise.cast(self, type), targets, filled))
