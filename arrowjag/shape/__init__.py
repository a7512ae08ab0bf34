"""`JaggedShape`: the nesting of an array as a value of its own, and the algebra of prefixes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast, overload

from arrowjag import _html
from arrowjag import dims as _dims
from arrowjag._arguments import check_arguments, check_arguments_as
from arrowjag._integers import MAX_NDIM, check_ndim, integer, is_int
from arrowjag._kernels import transpose as _transpose
from arrowjag.dims import Dim, Ragged, Uniform
from arrowjag.errors import JagIndexError, JagTypeError, OffsetsError, ShapeError, brief, plural
from arrowjag.shape import _moving
from arrowjag.shape._building import (
    chain,
    check_depth,
    check_levels,
    check_range,
    clamp,
    count_parents,
    is_placeholder,
    merge,
    without_placeholder,
)
from arrowjag.shape._text import describe_dim, dims_text, encoding_text, mismatch_text, shape_text
from arrowjag.typing import IntArray, ShearMode, ShearRule

__all__ = ["JaggedShape", "dims_text", "permuted", "resolve_reshape", "transposed"]


class JaggedShape:
    """The sizes of every row at every level, apart from the data.

    Parameters
    ----------
    *dims : int, sizes, Dim or pattern
        One entry per level, outermost first. An int declares an extent that every row has. A list, numpy or Arrow array of
        integers gives one size per row and must be complete. A pattern repeats a whole number of times to fill its level: three
        ints are an `Affine`, two ints a `Uniform`, ``(dim, int)`` a `Repeat`, ``(dim, dim)`` a `Runs`, a dict a `Sparse`, a range
        an `Affine`, a list with a pattern inside a `Chain`.

    Raises
    ------
    ShapeError
        If a dim has another number of rows than the dim before it has items, or a size is negative, or the total overflows.
    JagTypeError
        If a size is a bool, a float or None.

    Notes
    -----
    A shape without dims is a scalar of size 1. Equality, hash, repr and prefix tests depend on sizes only, not on encodings,
    validity or declared extents. Shapes are immutable; dims are shared, not copied. Cost: O(1) for ints and patterns, one pass
    over lists of sizes. The semantics are Koda's (`kd.shapes.new`); the patterns are those of fold.

    Examples
    --------
    >>> from arrowjag import JaggedShape
    >>> JaggedShape(2, [2, 1], [1, 2, 3])
    JaggedShape(2, [2, 1], [1, 2, 3])
    >>> JaggedShape(3, 5, (1, 5, 1)).encodings()
    '(3, 5, Repeat(Affine(1, 5, 1), 3))'
    """

    __slots__ = ("_composed", "_dims", "_hash")

    _dims: tuple[Dim, ...]
    _composed: dict[tuple[int, int], Dim] | None
    _hash: int | None

    @check_arguments_as("JaggedShape")
    def __init__(self, *dims: Any) -> None:
        self._fill(chain(dims, repeat_lists=False))

    def _fill(self, dims: tuple[Dim, ...]) -> None:
        if len(dims) > MAX_NDIM:
            check_ndim(len(dims), "the shape")
        self._dims = dims
        self._composed = None
        self._hash = None

    @classmethod
    def _trusted(cls, dims: Sequence[Dim]) -> JaggedShape:
        """A shape from dims that are known to fit."""
        shape = cls.__new__(cls)
        found = tuple(dims)
        if len(found) > MAX_NDIM:
            check_ndim(len(found), "the shape")
        shape._dims, shape._composed, shape._hash = found, None, None  # `_fill`, without its call: nearly every operation is here
        return shape

    # ------------------------------------------------------------------------------------------- constructors

    @classmethod
    @check_arguments_as("JaggedShape.repeating")
    def repeating(cls, *dims: Any) -> JaggedShape:
        """Return a shape whose plain lists repeat to fill their level, as in fold's notebooks.

        Parameters
        ----------
        *dims : int, sizes, Dim or pattern
            As for `JaggedShape`; a plain list counts as a pattern.

        Returns
        -------
        JaggedShape
            The shape.

        Raises
        ------
        ShapeError
            If a list does not fill its level a whole number of times.

        Examples
        --------
        >>> from arrowjag import JaggedShape
        >>> JaggedShape.repeating(4, [1, 2])
        JaggedShape(4, [1, 2, 1, 2])
        """
        shape = cls.__new__(cls)
        shape._fill(chain(dims, repeat_lists=True))
        return shape

    @classmethod
    @check_arguments_as("JaggedShape.from_offsets")
    def from_offsets(cls, *offsets: Any) -> JaggedShape:
        """Return a shape from the offsets of each dim.

        Parameters
        ----------
        *offsets : array-like of int
            One array per dim, the first is ``[0, n]``. Each starts at 0, never decreases, and has one entry more than the dim
            before has items.

        Returns
        -------
        JaggedShape
            The shape; read-only int64 arrays are shared, writable ones are copied.

        Raises
        ------
        OffsetsError
            If one does not start at 0, decreases, or does not end at the size of the next level; the message names the position.

        Examples
        --------
        >>> from arrowjag import JaggedShape
        >>> JaggedShape.from_offsets([0, 2], [0, 2, 3])
        JaggedShape(2, [2, 1])
        """
        cuts = []
        for place, cut in enumerate(offsets):
            try:
                cuts.append(_dims.from_offsets(cut))
            except OffsetsError as error:
                raise OffsetsError(f"dim {place}: {str(error).removeprefix('from_offsets: ')}") from None
        check_levels(cuts, lambda dim: f"{plural(len(dim) + 1, 'offset')} for {plural(len(dim), 'row')}", OffsetsError)
        return cls(*cuts)

    @classmethod
    @check_arguments_as("JaggedShape.from_parents")
    def from_parents(cls, *levels: tuple[Any, int]) -> JaggedShape:
        """Return a shape from the owner row of each item.

        Parameters
        ----------
        *levels : (parents, n_parents)
            One pair per dim. Parents are sorted row numbers below `n_parents`; rows that own nothing do not appear.

        Returns
        -------
        JaggedShape
            The shape. Cost: one pass over the parents.

        Raises
        ------
        ShapeError
            If parents decrease, are negative or reach `n_parents`, or `n_parents` is not the number of items of the dim before.
        JagTypeError
            If a level is not a pair, or parents are not a flat sequence of integers.

        Examples
        --------
        >>> from arrowjag import JaggedShape
        >>> JaggedShape.from_parents(([0, 0, 0], 1), ([0, 0, 2], 3))
        JaggedShape(3, [2, 0, 1])
        """
        for place, level in enumerate(levels):
            if not isinstance(cast("object", level), (tuple, list)) or len(level) != 2:
                raise JagTypeError(f"dim {place}: a level is a pair (parents, n_parents), got {brief(level)}")
        dims = [Ragged(count_parents(parents, n, place)) for place, (parents, n) in enumerate(levels)]
        check_levels(dims, lambda dim: f"n_parents is {len(dim)}", ShapeError)
        return cls(*dims)

    # ------------------------------------------------------------------------------------------- facts

    @property
    def dims(self) -> tuple[Dim, ...]:
        """The levels, outermost first."""
        return self._dims

    @property
    def ndim(self) -> int:
        """Number of dims, the rows of the frame included."""
        return len(self._dims)

    @property
    def size(self) -> int:
        """Number of innermost items; 1 for a scalar."""
        return self._dims[-1]._size if self._dims else 1

    @property
    def sizes(self) -> tuple[IntArray, ...]:
        """Row sizes of each dim as int64 arrays."""
        return tuple(dim.sizes for dim in self._dims)

    @property
    def offsets(self) -> tuple[IntArray, ...]:
        """Offsets of each dim as int64 arrays, which begin with 0."""
        return tuple([dim.offsets for dim in self._dims])

    @property
    def extents(self) -> tuple[int | None, ...]:
        """Declared extent per dim, or None."""
        return tuple([dim.extent for dim in self._dims])

    def nodes(self, depth: int) -> int:
        """Return the number of items after the first `depth` dims: 1 for 0, the rows of the frame for 1.

        Parameters
        ----------
        depth : int
            From 0 to `ndim`.

        Returns
        -------
        int
            The count.

        Raises
        ------
        ShapeError
            If the shape has fewer dims.

        Examples
        --------
        >>> from arrowjag import JaggedShape
        >>> JaggedShape(2, [2, 1]).nodes(1)
        2
        """
        if not (type(depth) is int and 0 <= depth <= self.ndim):
            check_depth(depth, self.ndim)
        return 1 if depth == 0 else self._dims[depth - 1].size

    def unpack(self) -> tuple[list[int], ...]:
        """Return the row sizes of each dim as plain lists.

        Returns
        -------
        tuple of list of int
            One list per dim.

        Examples
        --------
        >>> from arrowjag import JaggedShape
        >>> JaggedShape(2, [2, 1]).unpack()
        ([2], [2, 1])
        """
        return tuple(dim.tolist() for dim in self._dims)

    def encodings(self) -> str:
        """Return the canonical encoding of each dim as text; a function of the sizes only.

        Returns
        -------
        str
            For example ``(3, 5, Repeat(Affine(1, 5, 1), 3))``.

        Examples
        --------
        >>> from arrowjag import JaggedShape
        >>> JaggedShape(2, [1, 2]).encodings()
        '(2, [1, 2])'
        """
        return f"({', '.join(encoding_text(dim.compressed()) for dim in self._dims)})"

    def describe(self) -> str:
        """Explain the shape in a few lines.

        Returns
        -------
        str
            One line for the whole and one for each dim.

        Examples
        --------
        >>> from arrowjag import JaggedShape
        >>> print(JaggedShape(2, [2, 1]).describe())
        JaggedShape(2, [2, 1]): 2 dims, 3 items
          dim 0: 1 row of 2 items
          dim 1: 2 rows of 1 to 2 items, 3 in all
        """
        head = f"{self!r}: {plural(self.ndim, 'dim')}, {plural(self.size, 'item')}"
        return "\n".join([head, *(f"  dim {place}: {describe_dim(dim)}" for place, dim in enumerate(self._dims))])

    def composed(self, first: int, last: int) -> Dim:
        """Return the dims ``first:last`` merged into one, whose rows hold the items ``last - first`` levels further down.

        Parameters
        ----------
        first, last : int
            ``0 <= first < last <= ndim``.

        Returns
        -------
        Dim
            The merged dim, kept for the next call; a null row stays null when its own dim is `first`.

        Raises
        ------
        ShapeError
            If the shape has fewer dims, or `first` is not below `last`.

        Examples
        --------
        >>> from arrowjag import JaggedShape
        >>> JaggedShape(2, [2, 1], [1, 2, 3]).composed(1, 3).tolist()
        [3, 3]
        """
        if not (type(first) is type(last) is int and 0 <= first < last <= self.ndim):
            check_range(first, last, self.ndim)
        if last - first == 1:
            return self._dims[first]
        known = self._composed
        if known is None:
            known = self._composed = {}
        if (first, last) not in known:
            known[first, last] = merge(self._dims[first:last])
        return known[first, last]

    # ------------------------------------------------------------------------------------------- prefixes

    def is_prefix_of(self, other: JaggedShape) -> bool:
        """Return whether this shape equals the outer dims of another.

        Parameters
        ----------
        other : JaggedShape
            The longer shape.

        Returns
        -------
        bool
            True for equal shapes too; a scalar is a prefix of everything.

        Raises
        ------
        JagTypeError
            If the other is not a shape.

        Examples
        --------
        >>> from arrowjag import JaggedShape
        >>> JaggedShape(2).is_prefix_of(JaggedShape(2, [2, 1]))
        True
        """
        try:
            longer = other._dims
        except AttributeError:
            message = f"is_prefix_of takes a JaggedShape, got {type(other).__name__}; x.shape is that of an array"
            raise JagTypeError(message) from None
        if len(self._dims) > len(longer):
            return False
        for mine, theirs in zip(self._dims, longer, strict=False):  # noqa: SIM110 - a generator costs more than what it tests
            if mine is not theirs and mine != theirs:
                return False
        return True

    is_expandable_to = is_prefix_of

    @staticmethod
    @check_arguments_as("JaggedShape.common")
    def common(*shapes: JaggedShape) -> JaggedShape:
        """Return the shape that all the others expand to.

        Parameters
        ----------
        *shapes : JaggedShape
            At least one.

        Returns
        -------
        JaggedShape
            The first of the longest shapes.

        Raises
        ------
        ShapeError
            If one shape is not a prefix of it; the message names both.
        JagTypeError
            If there is no shape, or one of them is something else.

        Examples
        --------
        >>> from arrowjag import JaggedShape
        >>> JaggedShape.common(JaggedShape(2), JaggedShape(2, [2, 1]), JaggedShape())
        JaggedShape(2, [2, 1])
        """
        if not shapes:
            raise JagTypeError("JaggedShape.common needs at least one shape")
        for shape in shapes:
            if not isinstance(shape, JaggedShape):
                raise JagTypeError(f"JaggedShape.common takes shapes, got {type(shape).__name__}")
        longest = max(shapes, key=len)
        for shape in shapes:
            if not shape.is_prefix_of(longest):
                raise ShapeError(shape._mismatch(longest))
        return longest

    def _mismatch(self, longer: JaggedShape) -> str:
        return mismatch_text(self._dims, longer._dims)

    # ------------------------------------------------------------------------------------------- flatten, reshape

    @check_arguments
    def flatten(self, from_dim: int = 0, to_dim: int | None = None) -> JaggedShape:
        """Merge the dims ``from_dim:to_dim`` into one.

        Parameters
        ----------
        from_dim, to_dim : int
            Negative counts from the end; both are clamped to the dims there are. `to_dim` is `ndim` by default.

        Returns
        -------
        JaggedShape
            The shape with one dim in their place. An empty range inserts a dim of size 1 before `from_dim`. Null and empty rows
            give no item; a merged dim declares no extent. Cost: one gather of offsets for each dim merged.

        Notes
        -----
        Follows Koda's rule (`kd.shapes.flatten`), which accepts any ints.

        Examples
        --------
        >>> from arrowjag import JaggedShape
        >>> JaggedShape(2, [2, 1], [1, 2, 3]).flatten(1)
        JaggedShape(2, 3)
        >>> JaggedShape(2, [2, 1]).flatten(1, 1)
        JaggedShape(2, 1, [2, 1])
        """
        first = clamp(from_dim, self.ndim)
        last = max(first, clamp(self.ndim if to_dim is None else to_dim, self.ndim))
        middle = Uniform(1, self.nodes(first)) if first == last else self.composed(first, last)
        return JaggedShape._trusted((*self._dims[:first], middle, *self._dims[last:]))

    @check_arguments
    def flatten_end(self, n: int = 1) -> JaggedShape:
        """Merge the last `n` dims into the dim before them.

        Parameters
        ----------
        n : int
            From 0 to `ndim`; `ndim` gives the same as ``ndim - 1``.

        Returns
        -------
        JaggedShape
            The shorter shape.

        Raises
        ------
        ShapeError
            If the shape is a scalar, or `n` is out of range.
        JagTypeError
            If `n` is not an int.

        Examples
        --------
        >>> from arrowjag import JaggedShape
        >>> JaggedShape(2, [2, 1], [1, 2, 3]).flatten_end()
        JaggedShape(2, 3)
        """
        if not self._dims:
            raise ShapeError("flatten_end needs at least one dim, got JaggedShape()")
        n = integer(n, "flatten_end: n")
        if not 0 <= n <= self.ndim:
            raise ShapeError(f"flatten_end of {self!r}: n must be from 0 to {self.ndim}, got {n}")
        return self if n == 0 else self.flatten(max(0, self.ndim - n - 1))

    @check_arguments
    def reshape(self, *dims: Any) -> JaggedShape:
        """Regroup the same items into other dims.

        Parameters
        ----------
        *dims : int, sizes, Dim or pattern; or one tuple of them, or one JaggedShape
            At most one entry may be -1. If -1 is last and the dims before it have as many items in all as the first k dims of
            this shape, for the smallest such k >= 1, the dims from k on are kept, so ragged rows stay ragged. Otherwise -1
            stands for one size, computed from the others.

        Returns
        -------
        JaggedShape
            A shape of the same size. Dims that stay keep their null rows; others have none.

        Raises
        ------
        ShapeError
            If the sizes do not add up to this shape's size.

        Notes
        -----
        The first rule is fold's, decided by shapes alone; the second is Koda's (`kd.shapes.reshape`).

        Examples
        --------
        >>> from arrowjag import JaggedShape
        >>> JaggedShape(2, 2, [1, 2, 2, 3]).reshape(4, -1)
        JaggedShape(4, [1, 2, 2, 3])
        >>> JaggedShape(6).reshape(2, -1)
        JaggedShape(2, 3)
        """
        wanted = dims[0] if len(dims) == 1 and isinstance(dims[0], (tuple, JaggedShape)) else dims
        if isinstance(wanted, tuple) and [place for place, dim in enumerate(wanted) if is_placeholder(dim)] == [len(wanted) - 1]:
            kept = self._keeping(wanted[:-1])
            if kept is not None:
                return kept
        return resolve_reshape(self, wanted)

    def _keeping(self, outer: tuple[Any, ...]) -> JaggedShape | None:
        """The outer dims with as many of the old inner dims as fit below them, or None."""
        try:
            head = chain(outer, repeat_lists=False)
        except ShapeError:
            return None
        for depth in range(1, self.ndim if head else 1):
            if self.nodes(depth) == head[-1].size:
                return JaggedShape._trusted((*head, *self._dims[depth:]))
        return None

    # ------------------------------------------------------------------------------------------- transpose

    @check_arguments
    def transpose(self, a: int, b: int, shear: ShearMode = "raise") -> JaggedShape:
        """Swap two dims.

        Parameters
        ----------
        a, b : int
            The dims; negative counts from the innermost.
        shear : {"raise", "allow"}
            Raise an error if items would leave holes, or close the holes.

        Returns
        -------
        JaggedShape
            Dims further in are reordered with their rows. Null rows of the outer of the two dims stay; between the two they
            count as empty. Empty lists are kept only if their dim declares its size. Cost: O(items).

        Raises
        ------
        ShapeError
            If it shears by fold's rule and `shear` is "raise".
        JagIndexError, JagValueError
            If a dim is out of range, or `shear` is another word.

        Examples
        --------
        >>> from arrowjag import JaggedShape
        >>> JaggedShape(2, [4, 2]).transpose(0, 1)
        JaggedShape(4, [2, 2, 1, 1])
        """
        return transposed(self, a, b, shear)[0]

    @check_arguments
    def transpose_will_shear(self, a: int, b: int, rule: ShearRule = "fold") -> bool:
        """Return whether swapping two dims leaves holes.

        Parameters
        ----------
        a, b : int
            The dims; negative counts from the innermost.
        rule : {"fold", "exact"}
            "exact" returns whether holes appear; fold's own rule also rejects some dims between the two that would leave none.

        Returns
        -------
        bool
            True if a dim shears. Cost: O(1) if an encoding proves that no row is longer than the one before it, O(rows) otherwise.

        Raises
        ------
        JagIndexError, JagValueError
            If a dim is out of range, or `rule` is another word.

        Examples
        --------
        >>> from arrowjag import JaggedShape
        >>> JaggedShape(4, [1, 2, 1, 2]).transpose_will_shear(0, 1)
        True
        """
        first, last = _moving.pair_of_axes(a, b, self.ndim, "transpose_will_shear")
        if last == first + 1:
            return not self._dims[last].never_rises_within(self._dims[first].offsets)
        if all(dim.is_uniform for dim in self._dims[first + 1 : last + 1]):
            return False
        return _transpose.will_shear(self.offsets, first, last, rule)

    # ------------------------------------------------------------------------------------------- Python protocols

    def __len__(self) -> int:
        return len(self._dims)

    def __iter__(self) -> Iterator[Dim]:
        return iter(self._dims)

    @overload
    def __getitem__(self, key: int) -> Dim: ...

    @overload
    def __getitem__(self, key: slice) -> JaggedShape: ...

    def __getitem__(self, key: int | slice) -> Dim | JaggedShape:
        if isinstance(key, slice):
            if key.start is None and key.step is None:
                return JaggedShape._trusted(self._dims[: key.stop])
            start, stop, step = key.indices(self.ndim)
            if start != 0 or step != 1:
                raise ShapeError("a slice of a shape must start at 0 with step 1: other parts of it are not shapes")
            return JaggedShape._trusted(self._dims[:stop])
        if not is_int(key):
            raise JagTypeError(f"a shape is indexed by an int or a slice, got {type(key).__name__}")
        if not -self.ndim <= key < self.ndim:
            raise JagIndexError(f"dim {brief(key)} is out of range for {self!r} with {plural(self.ndim, 'dim')}")
        return self._dims[key]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, JaggedShape):
            return NotImplemented
        return self is other or (self.ndim == other.ndim and self.is_prefix_of(other))

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash((JaggedShape, self._dims))
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        return JaggedShape._trusted, (self._dims,)

    def __repr__(self) -> str:
        return shape_text(self._dims)

    def _repr_html_(self) -> str:
        title = f"<b>JaggedShape</b> <code>{_html.escape(shape_text(self._dims, at_a_glance=True))}</code>"
        return _html.section(title, _html.dims_table(self._dims))


def resolve_reshape(old: JaggedShape, dims: Any) -> JaggedShape:
    """Return the new shape of a reshape, by Koda's rule.

    Parameters
    ----------
    old : JaggedShape
        The shape of the items.
    dims : JaggedShape, or tuple of int, sizes, Dim or pattern
        The new shape, with at most one -1: a uniform size, computed from the other dims.

    Returns
    -------
    JaggedShape
        The new shape.

    Raises
    ------
    ShapeError
        If it can't hold exactly the old shape's items.
    """
    if isinstance(dims, JaggedShape):
        new = dims
    elif isinstance(dims, tuple):
        new = JaggedShape(*without_placeholder(old, dims))
    else:
        raise JagTypeError(f"reshape takes a JaggedShape or a tuple of dims, got {type(dims).__name__}")
    if new.size != old.size:
        raise ShapeError(f"reshape of {old!r} to {new!r}: {plural(old.size, 'item')} can't fill {plural(new.size, 'place')}")
    return new


def transposed(shape: JaggedShape, a: int, b: int, shear: ShearMode) -> tuple[JaggedShape, IntArray | None]:
    """Swap two dims; also return the old position of each new item, or None if no item moves."""
    dims, take = _moving.swap(shape, a, b, shear)
    return JaggedShape._trusted(dims), take


def permuted(shape: JaggedShape, axes: tuple[int, ...], shear: ShearMode) -> tuple[JaggedShape, IntArray | None]:
    """Reorder the dims; also return the old position of each new item, or None if no item moves."""
    dims, take = _moving.reorder(shape, axes, shear)
    return JaggedShape._trusted(dims), take
