"""Every operation on nested Python lists: the semantics of arrowjag in executable form.

A jagged value is a nested list with None at any level, and its ndim, which functions take as an argument because `[]`
may have any. Where two operands meet they are given as `Jag(value, ndim)`. Numbers are plain Python numbers. Nothing
here is fast and nothing imports arrowjag: a test compares what the library gives with what a few plain lines give.
"""

from __future__ import annotations

import datetime as dt
import functools
import itertools
import json
import math
import re
import statistics
import zoneinfo
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, TypeVar

Nested = Any
F = TypeVar("F", bound=Callable[..., Any])

ORACLES: dict[str, Callable[..., Any]] = {}
"""The oracle of each public operation: filled at the end of this file with every function that has the operation's name."""


def oracle_of(*names: str) -> Callable[[F], F]:
    """Enter a function as the oracle of operations of other names."""

    def enter(function: F) -> F:
        ORACLES.update(dict.fromkeys(names, function))
        return function

    return enter


class Jag(NamedTuple):
    """A nested list and how many levels of it are structure; what lies below is one opaque item."""

    value: Nested
    ndim: int


# ----------------------------------------------------------------------------------------------------------- the ground


def items(x: Nested, depth: int) -> list[Any]:
    """The items `depth` levels down, in order; null rows leave no item."""
    if depth == 0:
        return [x]
    return [] if x is None else [item for row in x for item in items(row, depth - 1)]


def at_depth(f: Callable[[Any], Any], x: Nested, depth: int) -> Nested:
    """`f` of everything that lies `depth` levels down, null or not; null rows above stay null."""
    if depth == 0:
        return f(x)
    return None if x is None else [at_depth(f, row, depth - 1) for row in x]


def rows_at(f: Callable[[list[Any]], Any], x: Nested, depth: int) -> Nested:
    """`f` of every list that lies `depth` levels down; a null row stays null."""
    return at_depth(lambda row: None if row is None else f(row), x, depth)


def axis_of(axis: int, ndim: int) -> int:
    """The axis counted from the outermost; IndexError outside -ndim..ndim-1."""
    if not -ndim <= axis < ndim:
        raise IndexError(f"axis {axis} of ndim {ndim}")
    return axis % ndim


def same_length(rows: Iterable[Sequence[Any]]) -> int:
    """The length that all rows have; ValueError if they differ."""
    lengths = {len(row) for row in rows}
    if len(lengths) != 1:
        raise ValueError(f"sizes differ: {sorted(lengths)}")
    return lengths.pop()


def broadcast(f: Callable[..., Any], *operands: Jag) -> Nested:
    """Prefix broadcasting; a null row in any operand gives a null row, sizes agree in rows valid
    in all.
    """
    deep = [one for one in operands if one.ndim > 0]
    if not deep:
        return f(*(one.value for one in operands))
    if any(one.value is None for one in deep):
        return None
    length = same_length([one.value for one in deep])
    cells = ([Jag(one.value[k], one.ndim - 1) if one.ndim else one for one in operands] for k in range(length))
    return [broadcast(f, *cell) for cell in cells]


def over_rows(f: Callable[..., Any], x: Jag, *others: Jag) -> Nested:
    """`f(row of x, leaves of the others)`, the others being shorter or longer than x; a null row of x stays null."""
    if x.value is None:
        return None
    if x.ndim == 0:
        return broadcast(lambda *leaves: f(x.value, *leaves), *others)
    deep = [one for one in others if one.ndim > 0]
    if any(one.value is None for one in deep):
        return None
    same_length([x.value, *(one.value for one in deep)])
    below = lambda one, k: Jag(one.value[k], one.ndim - 1) if one.ndim else one  # noqa: E731
    return [over_rows(f, *(below(one, k) for one in (x, *others))) for k in range(len(x.value))]


def is_nan(v: Any) -> bool:
    return isinstance(v, float) and math.isnan(v)


def key(v: Any) -> Any:
    """Equal for what unique, group and rank call equal: NaN is NaN, -0.0 is 0.0."""
    if isinstance(v, float):
        return "NaN" if math.isnan(v) else v + 0.0
    if isinstance(v, dict):
        return tuple((name, key(v[name])) for name in sorted(v))
    return tuple(key(part) for part in v) if isinstance(v, (list, tuple)) else v


CATEGORIES = ("small", "large", "tiny", "medium")
"""The words of ordered categories, in their order; other texts of the tests are shorter or longer."""


def place(v: Any) -> Any:
    """The sort key of an item: the code of a category, else the item itself."""
    return CATEGORIES.index(v) if isinstance(v, str) and v in CATEGORIES else v


# --------------------------------------------------------------------------------------------------------------- shapes


def shape_of(x: Nested, ndim: int) -> tuple[list[int], ...]:
    """As in fold, `unpack`: for each dim the sizes of its rows; a null row has size 0."""
    return tuple([0 if row is None else len(row) for row in items(x, depth)] for depth in range(ndim))


@oracle_of("from_sizes", "from_offsets", "from_parents", "arange", "zeros", "full")
def from_shape(values: Sequence[Any], sizes: Sequence[Sequence[int]]) -> Nested:
    """The values cut by sizes, one list for each dim; complete, so the counts must agree."""
    level = list(values)
    for dim in reversed(sizes):
        if sum(dim) != len(level):
            raise ValueError(f"{len(level)} items for the sizes {dim}")
        taken = iter(level)
        level = [list(itertools.islice(taken, size)) for size in dim]
    if len(level) != 1:
        raise ValueError(f"{len(level)} items at the top, expected 1")
    return level[0]


def flatten(x: Nested, ndim: int, from_dim: int = 0, to_dim: int | None = None) -> Nested:
    """As in Koda: dims from..to-1 become one; an empty range inserts a dim of size 1; bounds are clamped."""
    start, stop = (max(0, v + ndim) if v < 0 else min(v, ndim) for v in (from_dim, ndim if to_dim is None else to_dim))
    if start >= stop:
        return at_depth(lambda item: [item], x, start)
    return rows_at(lambda row: items(row, stop - start), x, start)


def flatten_ndim(ndim: int, from_dim: int = 0, to_dim: int | None = None) -> int:
    """The ndim that `flatten` gives."""
    start, stop = (max(0, v + ndim) if v < 0 else min(v, ndim) for v in (from_dim, ndim if to_dim is None else to_dim))
    return ndim - max(stop - start, 0) + 1


def flatten_end(x: Nested, ndim: int, n: int = 1) -> Nested:
    """As in Koda: n dims are merged into the one before; n == ndim is as n == ndim - 1."""
    if ndim < 1 or not 0 <= n <= ndim:
        raise ValueError(f"flatten_end({n}) of ndim {ndim}")
    return flatten(x, ndim, -n - 1)


def koda_reshape(x: Nested, ndim: int, dims: Sequence[int | Sequence[int]]) -> Nested:
    """As in Koda: the leaves cut anew; one -1 is inferred, from the counts before and after it. Null rows are lost."""
    leaves = items(x, ndim)
    if sum(1 for dim in dims if dim == -1) > 1:
        raise ValueError("more than one -1")
    at = next((k for k, dim in enumerate(dims) if dim == -1), len(dims))
    sizes, parents = [], 1
    for dim in dims[:at]:
        sizes.append([_size(dim)] * parents if isinstance(dim, int) else list(dim))
        parents = sum(sizes[-1])
    children, tail = len(leaves), list[list[int]]()
    for dim in reversed(dims[at + 1 :]):
        if dim == 0:
            raise ValueError("a dim of size 0 after -1")
        tail.insert(0, [_size(dim)] * (children // dim) if isinstance(dim, int) else list(dim))
        children = len(tail[0])
    if at < len(dims):
        if parents and children % parents:
            raise ValueError(f"{parents} rows don't divide {children} items")
        sizes.append([children // parents] * parents if parents else [])
    return from_shape(leaves, [*sizes, *tail])


def _size(dim: int) -> int:
    if dim < 0 or isinstance(dim, bool):
        raise ValueError(f"size {dim}")
    return dim


def reshape(x: Nested, ndim: int, dims: Sequence[int | Sequence[int]]) -> Nested:
    """Before a trailing -1 that ends where an old dim ends, the old dims from there on stay;
    else Koda.
    """
    if len(dims) > 1 and dims[-1] == -1 and -1 not in dims[:-1]:
        nodes = 1
        for dim in dims[:-1]:
            nodes = nodes * dim if isinstance(dim, int) else sum(dim)
        for k in range(1, ndim):
            if len(items(x, k)) == nodes:
                return koda_reshape(x, k, dims[:-1])
    return koda_reshape(x, ndim, dims)


def expand_to(x: Jag, target: Jag, ndim: int = 0) -> Nested:
    """As in Koda: each item of x (its last ndim dims are one item) copied over its descendants in the target."""
    if not 0 <= ndim <= x.ndim or x.ndim - ndim > target.ndim:
        raise ValueError(f"ndim {x.ndim} - {ndim} to ndim {target.ndim}")
    return broadcast(lambda item, _: item, Jag(x.value, x.ndim - ndim), target)


def align(*xs: Jag) -> tuple[Nested, ...]:
    """All expanded to the longest shape; a row that is null in any is null in all."""
    deepest = max((x.ndim for x in xs), default=0)
    together = broadcast(lambda *leaves: leaves, *xs)
    return tuple(at_depth(lambda leaf, k=k: leaf[k], together, deepest) for k in range(len(xs)))


def is_prefix(x: Jag, y: Jag) -> bool:
    """Whether the shape of x is a prefix of the shape of y, null rows of either left out."""
    try:
        broadcast(lambda *_: None, x, y)
    except ValueError:
        return False
    return x.ndim <= y.ndim


# ---------------------------------------------------------------------------------------------------------- elementwise


ITEMS: dict[str, Callable[[Any], Any]] = {"is_nan": is_nan}
"""Functions of one number that are methods without arguments; the fuzzers and `test_fuzz.py` call each of them."""


@oracle_of("apply", "abs", "round", "cast")
def elementwise(f: Callable[..., Any], *operands: Jag) -> Nested:
    """`f` of the leaves, null where any leaf is."""
    return broadcast(lambda *leaves: None if any(leaf is None for leaf in leaves) else f(*leaves), *operands)


def true_divide(a: float, b: float) -> float:
    """`/` is always float; 1/0 is inf and 0/0 NaN."""
    if b:
        return a / b
    return math.nan if not a or is_nan(a) else math.copysign(math.inf, a) * math.copysign(1, b)


def floor_divide(a: Any, b: Any) -> Any:
    """`//` as Python; null for a zero integer divisor."""
    if isinstance(a, int) and isinstance(b, int):
        return a // b if b else None
    return math.floor(a / b) if b and math.isfinite(a / b) else true_divide(a, b)


def modulo(a: Any, b: Any) -> Any:
    """`%` as Python; null for a zero integer divisor."""
    if isinstance(a, int) and isinstance(b, int):
        return a % b if b else None
    return a % b if b and not math.isinf(a) else math.nan


def wrapped(v: int, bits: int, *, signed: bool = True) -> int:
    """Elementwise integer arithmetic wraps."""
    v %= 2**bits
    return v - 2**bits if signed and v >= 2 ** (bits - 1) else v


@oracle_of("clip")
def clipped(x: Jag, low: Jag, high: Jag) -> Nested:
    """No lower and no higher than bounds; a null bound leaves the item as it is."""

    def within(v: Any, lower: Any, upper: Any) -> Any:
        if v is None or is_nan(v):
            return v
        v = v if lower is None else max(v, lower, key=place)
        return v if upper is None else min(v, upper, key=place)

    return broadcast(within, x, low, high)


def kleene_and(*operands: Jag) -> Nested:
    """API, elementwise: False if either is False, else null if either is null."""
    return broadcast(lambda a, b: False if a is False or b is False else None if None in (a, b) else True, *operands)


def kleene_or(*operands: Jag) -> Nested:
    """API, elementwise: True if either is True, else null if either is null."""
    return broadcast(lambda a, b: True if a is True or b is True else None if None in (a, b) else False, *operands)


def kleene_not(x: Jag) -> Nested:
    return elementwise(lambda a: not a, x)


def where(c: Jag, x: Jag, y: Jag) -> Nested:
    """A row is null where c's row is, where the operand that supplies it is, or where both are."""
    if c.ndim > 0 and c.value is None:
        return None
    suppliers = [x, y] if c.ndim or c.value is None else [x if c.value else y]
    if c.ndim == x.ndim == y.ndim == 0:
        return None if c.value is None else suppliers[0].value
    known = [one.value for one in (c, x, y) if one.ndim > 0 and one.value is not None]
    if not known or all(one.ndim > 0 and one.value is None for one in suppliers):
        return None
    return [where(*(_cell(one, k) for one in (c, x, y))) for k in range(same_length(known))]


def coalesce(*xs: Jag) -> Nested:
    """The first that isn't null, for leaves and for rows; a row is null where nobody supplies one."""
    deep = [x for x in xs if x.ndim > 0]
    if not deep:
        return next((x.value for x in xs if x.value is not None), None)
    known = [x.value for x in deep if x.value is not None]
    if not known:
        return None
    return [coalesce(*(_cell(x, k) for x in xs)) for k in range(same_length(known))]


def _cell(x: Jag, k: int) -> Jag:
    """The k-th item; of a null row, nothing but nulls; a leaf is repeated."""
    return x if x.ndim == 0 else Jag(None if x.value is None else x.value[k], x.ndim - 1)


def is_null(x: Nested, ndim: int, axis: int = -1) -> Nested:
    """Whether the items at that axis are null; above them a null row stays null."""
    return at_depth(lambda item: item is None, x, axis_of(axis, ndim) + 1)


def validity(x: Nested, ndim: int, axis: int = 0) -> list[bool]:
    """API: one flag for each item of the axis, rows in order; null rows above leave none."""
    return [item is not None for item in items(x, axis_of(axis, ndim) + 1)]


def with_validity(x: Nested, ndim: int, axis: int, mask: Sequence[bool]) -> Nested:
    """API: the items of the axis whose flag is False become null; null ones whose flag is True become empty rows."""
    flags = iter(mask)
    level = axis_of(axis, ndim) + 1

    def marked(item: Any) -> Any:
        if not next(flags):
            return None
        return [] if item is None and level < ndim else item

    return at_depth(marked, x, level)


def fill_null_rows(x: Nested, other: Nested, ndim: int, axis: int = 0) -> Nested:
    """API: a null row of the axis is replaced by the row of the other array at its place."""
    if axis_of(axis, ndim) == 0:
        return [two if one is None else one for one, two in zip(x, other, strict=True)]
    return [None if one is None else fill_null_rows(one, two, ndim - 1, axis - 1) for one, two in zip(x, other, strict=True)]


def fill_null(x: Nested, ndim: int, v: Any) -> Nested:
    """Null leaves become v; null rows stay."""
    return at_depth(lambda leaf: v if leaf is None else leaf, x, ndim)


# ------------------------------------------------------------------------------------------------------------- indexing


def pick(row: Any, position: int | None, out_of_bounds: str = "raise") -> Any:
    """One item of a row; null for a null row or a null position; IndexError (or null) out of range."""
    if row is None or position is None:
        return None
    if not -len(row) <= position < len(row):
        if out_of_bounds == "null":
            return None
        raise IndexError(f"{position} in a row of {len(row)}")
    return row[position]


def take(x: Jag, index: Jag, axis: int = -1, out_of_bounds: str = "raise") -> Nested:
    """As in Koda: in each row at the axis the items that its index names; an index of ndim axis takes one per row."""
    rows = Jag(x.value, axis_of(axis, x.ndim))
    return over_rows(lambda row, position: pick(row, position, out_of_bounds), rows, index)


def get(x: Jag, sought: Jag, default: Jag | None = None, *, maps: bool = False) -> Nested:
    """API, Names: in each row the value of a key (`maps`), the last one that counts, else the item at a position; the default where
    there is none. A null row, key or position gives null.
    """

    def find(row: list[Any], one: Any, spare: Any) -> Any:
        if one is None:
            return None
        if maps:
            return {key(entry["key"]): entry["value"] for entry in row if entry is not None}.get(key(one), spare)
        return row[one] if -len(row) <= one < len(row) else spare

    return over_rows(find, Jag(x.value, x.ndim - 1), sought, Jag(None, 0) if default is None else default)


def contains_key(x: Jag, sought: Jag) -> Nested:
    """API, Names: whether a row has an entry of the key; null where the row or the key is null."""

    def find(row: list[Any], one: Any) -> Any:
        return None if one is None else key(one) in [key(entry["key"]) for entry in row if entry is not None]

    return over_rows(find, Jag(x.value, x.ndim - 1), sought)


def to_map(x: Nested, ndim: int) -> Nested:
    """API, Names: each row of entries as pairs, one per key: the first position and the last value."""

    def unique_entries(row: list[Any]) -> list[Any]:
        if any(entry is None or entry["key"] is None for entry in row):
            raise ValueError("a null key")
        last = {key(entry["key"]): entry["value"] for entry in row}
        first = {key(entry["key"]): entry["key"] for entry in reversed(row)}
        return [(first[one], value) for one, value in last.items()]

    return rows_at(unique_entries, x, ndim - 1)


@oracle_of("filter")
def filter_items(x: Jag, mask: Jag, axis: int = -1) -> Nested:
    """As in Koda: the items at the axis whose mask is True; a shorter mask counts for all below; null drops the
    item.
    """
    axis = axis_of(axis, x.ndim)

    def keep(row: list[Any], chosen: Any) -> list[Any]:
        if not isinstance(chosen, list):
            return list(row) if chosen else []
        same_length([row, chosen])
        return [item for item, ok in zip(row, chosen, strict=True) if ok]

    if mask.ndim <= axis:
        return over_rows(keep, Jag(x.value, axis), mask)
    if mask.ndim > axis + 1:
        raise ValueError("a mask with more dims than the values")
    return broadcast(lambda row, chosen: _both(keep, row, chosen), Jag(x.value, axis), Jag(mask.value, axis))


def _both(f: Callable[..., Any], *rows: Any) -> Any:
    """`f` of rows, null where any row is."""
    return None if any(row is None for row in rows) else f(*rows)


def getitem(x: Nested, ndim: int, index: Any) -> Jag:
    """`x[...]`: from the outermost dim as in numpy. A lone mask of one dim keeps rows, a longer one is `filter`; a lone
    index array of ndim k works at axis k - 1.
    """
    if isinstance(index, Jag):
        if _is_mask(index):
            return Jag(filter_items(Jag(x, ndim), index, 0 if index.ndim == 1 else -1), ndim)
        return Jag(take(Jag(x, ndim), index, index.ndim - 1), ndim)
    keys = list(index) if isinstance(index, tuple) else [index]
    if keys.count(...) > 1:
        raise IndexError("more than one ellipsis")
    named = sum(1 for one in keys if one is not None and one is not ...)
    if named > ndim:
        raise IndexError(f"{named} indices for ndim {ndim}")
    at = keys.index(...) if ... in keys else len(keys)
    keys[at : at + 1] = [slice(None)] * (ndim - named)
    return Jag(_index(x, keys), _indexed_ndim(keys))


def _is_mask(index: Jag) -> bool:
    leaves = [leaf for leaf in items(index.value, index.ndim) if leaf is not None]
    return bool(leaves) and all(isinstance(leaf, bool) for leaf in leaves)


def _indexed_ndim(keys: list[Any]) -> int:
    groups = itertools.groupby(keys, lambda one: isinstance(one, Jag))
    arrays = sum(max(one.ndim for one in group) for is_array, group in groups if is_array)
    return arrays + sum(1 for one in keys if one is None or isinstance(one, slice))


def _index(x: Nested, keys: list[Any]) -> Nested:
    if not keys:
        return x
    first, rest = keys[0], keys[1:]
    if first is None:
        return [_index(x, rest)]
    if x is None:  # a slice of a null row is that null row; an item of it is null, and so are the keys behind it of that item
        return _index(None, rest) if isinstance(first, int) else None
    if isinstance(first, slice):
        return [_index(row, rest) for row in x[first]]
    if isinstance(first, int):
        return _index(pick(x, first), rest)
    if _is_mask(first):
        return [_index(row, rest) for row in filter_items(Jag(x, 1), first)]
    count = len(list(itertools.takewhile(lambda one: isinstance(one, Jag), keys)))
    arrays, rest = keys[:count], keys[count:]

    def gather(*positions: int | None) -> Any:
        item = x
        for position in positions:
            item = pick(item, position)
        return _index(item, rest) if rest else item

    return broadcast(gather, *arrays)


class _Missing:
    """Out of range in `x.S`: null as a leaf and empty above, while a null row stays null."""


MISSING: Any = _Missing()


def subslice(x: Nested, ndim: int, *args: Any) -> Jag:
    """As in Koda, `x.S[...]`: without an ellipsis the last dims; out of range is null as a leaf and empty above."""
    keys = list(args) if ... in args else [..., *args]
    at, named = keys.index(...), len(keys) - 1
    if keys.count(...) > 1 or named > ndim:
        raise IndexError(f"{args} for ndim {ndim}")
    untouched = ndim - named
    keys[at : at + 1] = [slice(None)] * untouched if at else []
    current, below = Jag(x, 0 if at else untouched), ndim if at else named
    for one in keys:
        below -= 1
        if isinstance(one, slice):
            bounds = [_bound(one.start), _bound(one.stop)]
            ndim = max(current.ndim, *(bound.ndim for bound in bounds)) + 1
            current = Jag(over_rows(_row_range, current, *bounds), ndim)
        else:
            position = one if isinstance(one, Jag) else Jag(one, 0)
            current = Jag(over_rows(_row_item, current, position), max(current.ndim, position.ndim))
    empty = [] if below else None
    return Jag(at_depth(lambda item: empty if item is MISSING else item, *current), current.ndim + below)


_ABSENT: Any = _Missing()


def _bound(bound: Any) -> Jag:
    return bound if isinstance(bound, Jag) else Jag(_ABSENT if bound is None else bound, 0)


def _row_item(row: Any, position: int | None) -> Any:
    inside = row is not MISSING and position is not None and -len(row) <= position < len(row)
    return row[position] if inside else MISSING


def _row_range(row: Any, start: Any, stop: Any) -> list[Any]:
    if row is MISSING or start is None or stop is None:
        return []
    return list(row[None if start is _ABSENT else start : None if stop is _ABSENT else stop])


def head(x: Nested, ndim: int, n: int, axis: int = -1) -> Nested:
    return rows_at(lambda row: row[:n], x, axis_of(axis, ndim))


def tail(x: Nested, ndim: int, n: int, axis: int = -1) -> Nested:
    """The last n of each row; a negative n leaves out so many from the start."""
    return rows_at(lambda row: row[-n:] if n else [], x, axis_of(axis, ndim))


@oracle_of("slice")
def slice_items(x: Nested, ndim: int, start: int, length: int | None = None, axis: int = -1) -> Nested:
    """The positions start..start+length-1 that a row has, a negative start counted from its end."""

    def window(row: list[Any]) -> list[Any]:
        begin = start + len(row) if start < 0 else start
        end = len(row) if length is None else begin + length
        return row[max(begin, 0) : max(end, 0)]

    return rows_at(window, x, axis_of(axis, ndim))


def pad(x: Nested, ndim: int, n: int, fill: Any = None, axis: int = -1) -> Nested:
    """Rows shorter than n are filled up; longer ones stay."""
    return rows_at(lambda row: row + [fill] * (n - len(row)), x, axis_of(axis, ndim))


# ----------------------------------------------------------------------------------------------------------- reductions


def reduce(
    f: Callable[[list[Any]], Any],
    x: Nested,
    ndim: int,
    axis: int | tuple[int, ...] | None = -1,
    extents: Sequence[int | None] | None = None,
    *,
    gives_slots: bool = False,
) -> Nested:
    """`f` of each group of leaves, nulls among them.

    Along an outer axis equal local positions combine. A null row gives null; a null row below the reduced level is
    absent. `extents` are the declared ones, one for each dim. Slots are places along the axis, absent rows counted.
    """
    if axis is None:
        return f(items(x, ndim))
    axes = sorted({axis_of(a, ndim) for a in (axis if isinstance(axis, tuple) else (axis,))})
    if axes[-1] == ndim - 1:
        if axes != list(range(axes[0], ndim)):
            raise ValueError(f"axes {axes} are not trailing")
        return rows_at(lambda row: f(items(row, ndim - axes[0])), x, axes[0])
    if len(axes) > 1:
        raise ValueError(f"axes {axes} are not trailing")
    below = list(extents[axes[0] + 1 :]) if extents else [None] * (ndim - axes[0] - 1)

    def combine(trees: list[tuple[int, Any]], extents: list[int | None]) -> Any:
        """Trees laid over each other, with their places: as long as the longest, or as declared."""
        if not extents:
            result = f([leaf for _, leaf in trees])
            return trees[result][0] if gives_slots and result is not None else result
        valid = [(place, tree) for place, tree in trees if tree is not None]
        length = max((len(tree) for _, tree in valid), default=0) if extents[0] is None else extents[0]
        reaching = ([(place, tree[k]) for place, tree in valid if k < len(tree)] for k in range(length))
        return [combine(cell, extents[1:]) for cell in reaching]

    return rows_at(lambda row: combine(list(enumerate(row)), below), x, axes[0])


def of_valid(f: Callable[[list[Any]], Any], *, skip_nulls: bool = True, min_count: int | None = None) -> Any:
    """A group function that skips nulls (or is null if there is one) and wants at least min_count values."""

    def group(leaves: list[Any]) -> Any:
        values = [leaf for leaf in leaves if leaf is not None]
        if not skip_nulls and len(values) < len(leaves):
            return None
        return None if min_count is not None and len(values) < min_count else f(values)

    return group


def numbers(values: list[Any]) -> list[Any]:
    """Min, max, argmin, argmax ignore NaN unless there is nothing else."""
    return [v for v in values if not is_nan(v)] or values


def variance(values: list[Any], ddof: int = 1) -> float | None:
    """Null with no more values than ddof; NaN and inf poison."""
    if len(values) <= ddof:
        return None
    if any(not math.isfinite(v) for v in values):
        return math.nan
    if not any(isinstance(v, float) for v in values):
        return (
            float(statistics.variance(map(Fraction, values)) * (len(values) - 1) / (len(values) - ddof)) if len(values) > 1 else 0.0
        )
    mean = statistics.fmean(values)
    return math.fsum((v - mean) ** 2 for v in values) / (len(values) - ddof)


def quantile(values: list[Any], q: float, interpolation: str = "linear") -> Any:
    """As numpy: a position between two sorted values; null if empty, NaN poisons."""
    if not values or any(is_nan(v) for v in values):
        return math.nan if values else None
    ordered, at = sorted(values), q * (len(values) - 1)
    low, high = ordered[math.floor(at)], ordered[math.ceil(at)]
    if interpolation == "nearest":
        return ordered[round(at)]
    choices = {"lower": low, "higher": high, "midpoint": (low + high) / 2}
    if interpolation in choices:
        return choices[interpolation]
    if isinstance(low, int):
        return float(low + (high - low) * Fraction(at - math.floor(at)))
    return float(low) if low == high else low + (high - low) * (at - math.floor(at))


def mean(values: list[Any]) -> float | None:
    return sum(values) / len(values) if values else None


def first_appearances(values: Iterable[Any]) -> list[Any]:
    """Distinct values in order of first appearance, nulls dropped."""
    found: dict[Any, Any] = {}
    for v in values:
        if v is not None:
            found.setdefault(key(v), v)
    return list(found.values())


def mode(values: list[Any]) -> Any:
    """The most frequent value, the first to appear among equals."""
    counts = Counter(key(v) for v in values)
    return max(first_appearances(values), key=lambda v: counts[key(v)], default=None)


def collapse(values: list[Any]) -> Any:
    """As in Koda: the value if all are equal, else null."""
    distinct = first_appearances(values)
    return distinct[0] if len(distinct) == 1 else None


def slot_of(best: Callable[..., Any]) -> Callable[[list[Any]], int | None]:
    """argmin and argmax: the slot in the group, nulls counted, the first of ties."""

    def slot(leaves: list[Any]) -> int | None:
        values = numbers([leaf for leaf in leaves if leaf is not None])
        if not values:
            return None
        wanted = key(best(values, key=lambda v: 0 if is_nan(v) else place(v)))
        return next(k for k, leaf in enumerate(leaves) if leaf is not None and key(leaf) == wanted)

    return slot


def any_of(leaves: list[Any], *, skip_nulls: bool = True) -> bool | None:
    """Kleene: with nulls not skipped, null unless a True decides."""
    return True if True in leaves else None if not skip_nulls and None in leaves else False


def all_of(leaves: list[Any], *, skip_nulls: bool = True) -> bool | None:
    """Kleene: with nulls not skipped, null unless a False decides."""
    return False if False in leaves else None if not skip_nulls and None in leaves else True


#: Functions of a group's values, nulls taken out: for `reduce(of_valid(GROUP["sum"]), x, ndim, axis)`.
GROUP: dict[str, Callable[..., Any]] = {
    "sum": sum,
    "prod": math.prod,
    "mean": mean,
    "min": lambda values: min(numbers(values), key=place, default=None),
    "max": lambda values: max(numbers(values), key=place, default=None),
    "count": len,
    "var": variance,
    "std": lambda values, ddof=1: None if (v := variance(values, ddof)) is None else math.sqrt(v),
    "median": lambda values: quantile(values, 0.5),
    "quantile": quantile,
    "n_unique": lambda values: len(first_appearances(values)),
    "mode": mode,
    "join": lambda values, sep="": sep.join(values) if values else None,
    "collapse": collapse,
}

#: Functions of all slots of a group, nulls among them.
SLOTS: dict[str, Callable[..., Any]] = {
    "argmin": slot_of(min),
    "argmax": slot_of(max),
    "any": any_of,
    "all": all_of,
    "first": lambda leaves: leaves[0] if leaves else None,
    "last": lambda leaves: leaves[-1] if leaves else None,
}


def reduction(
    name: str,
    x: Nested,
    ndim: int,
    axis: int | tuple[int, ...] | None = -1,
    *,
    skip_nulls: bool = True,
    min_count: int | None = None,
    extents: Sequence[int | None] | None = None,
    **options: Any,
) -> Nested:
    """The reduction of that name, with the options it shares with all others and those of its own."""
    if name in ("first", "last"):
        return reduce(SLOTS[name], x, ndim, axis, extents)
    if name == "count":
        skip_nulls = True
    whole = SLOTS.get(name)
    if name in ("any", "all"):
        enough = of_valid(lambda _: True, min_count=min_count)
        group = lambda leaves: whole(leaves, skip_nulls=skip_nulls) if enough(leaves) else None  # noqa: E731
    elif whole:
        allowed = of_valid(lambda _: True, skip_nulls=skip_nulls, min_count=min_count)
        group = lambda leaves: whole(leaves) if allowed(leaves) else None  # noqa: E731
    else:
        group = of_valid(lambda values: GROUP[name](values, **options), skip_nulls=skip_nulls, min_count=min_count)
    return reduce(group, x, ndim, axis, extents, gives_slots=name in ("argmin", "argmax"))


def lengths(x: Nested, ndim: int, axis: int = -1) -> Nested:
    """The sizes of the rows at that axis, as a column; a null row is null."""
    return rows_at(len, x, axis_of(axis, ndim))


def dot(x: Jag, y: Jag) -> Nested:
    """The sum of the products in each innermost row."""
    ndim = max(x.ndim, y.ndim)
    return reduction("sum", elementwise(lambda a, b: a * b, x, y), ndim)


# ------------------------------------------------------------------------------------------------ order inside the rows


def row_order(row: list[Any], *, descending: bool = False) -> list[int]:
    """Stable; NaN after the others and nulls last, in both directions, inside of structs too."""

    def before(one: Any, two: Any) -> int:
        """Below 0 where one stands before two, above 0 where it stands behind it."""
        classes = [2 if v is None else 1 if is_nan(v) else 0 for v in (one, two)]
        if any(classes):
            return classes[0] - classes[1]
        if isinstance(one, dict):
            return next((found for name in one if (found := before(one[name], two[name]))), 0)
        one, two = place(one), place(two)
        return ((one > two) - (one < two)) * (-1 if descending else 1)

    return sorted(range(len(row)), key=functools.cmp_to_key(lambda i, j: before(row[i], row[j])))


def argsort(x: Nested, ndim: int, *, descending: bool = False) -> Nested:
    return rows_at(lambda row: row_order(row, descending=descending), x, ndim - 1)


def sort(x: Nested, ndim: int, *, descending: bool = False, by: Nested = None) -> Nested:
    """As in Koda: the items of each row in the order of `by`, which has x's shape."""

    def ordered(row: list[Any], keys: list[Any]) -> list[Any]:
        same_length([row, keys])
        return [row[k] for k in row_order(keys, descending=descending)]

    keys = Jag(x if by is None else by, ndim - 1)
    return broadcast(lambda *rows: _both(ordered, *rows), Jag(x, ndim - 1), keys)


def rank(x: Nested, ndim: int, method: str = "ordinal", *, descending: bool = False) -> Nested:
    """1-based place in the sorted row; ties as the method says; null for null."""

    def ranks(row: list[Any]) -> list[Any]:
        order = [k for k in row_order(row, descending=descending) if row[k] is not None]
        ties = {}
        for place, k in enumerate(order, 1):
            ties.setdefault(key(row[k]), []).append(place)
        dense = {tie: place for place, tie in enumerate(ties, 1)}
        one = {
            "ordinal": lambda k: order.index(k) + 1,
            "dense": lambda k: dense[key(row[k])],
            "min": lambda k: min(ties[key(row[k])]),
            "max": lambda k: max(ties[key(row[k])]),
            "average": lambda k: statistics.fmean(ties[key(row[k])]),
        }[method]
        return [None if v is None else one(k) for k, v in enumerate(row)]

    return rows_at(ranks, x, ndim - 1)


def rank_with_ties_broken(row: list[Any], ties: list[Any], *, descending: bool = False) -> list[int | None]:
    """Ranks of one row from 1, as in Koda: by (value, tie breaker, position); `descending` reverses the values only."""
    ranked = [k for k, (v, tie) in enumerate(zip(row, ties, strict=True)) if v is not None and tie is not None]
    by_tie = [ranked[place] for place in row_order([ties[k] for k in ranked])]
    order = [by_tie[place] for place in row_order([row[k] for k in by_tie], descending=descending)]
    return [order.index(k) + 1 if k in ranked else None for k in range(len(row))]


def topk(x: Nested, ndim: int, k: int, axis: int = -1, *, descending: bool = True) -> Nested:
    """The head of the sort; along an outer axis that of each place, as many slots as there are items at it."""

    def largest(trees: list[Any], depth: int) -> list[Any]:
        if depth == 0:
            return [trees[place] for place in row_order(trees, descending=descending)][:k]
        valid = [tree for tree in trees if tree is not None]
        length = max(map(len, valid), default=0)
        places = [largest([tree[place] for tree in valid if place < len(tree)], depth - 1) for place in range(length)]
        slots = [[found[slot] for found in places if slot < len(found)] for slot in range(min(k, len(valid)))]
        return (slots + [None] * len(trees))[: min(k, len(trees))]

    first = axis_of(axis, ndim)
    return rows_at(lambda row: largest(row, ndim - 1 - first), x, first)


def bottomk(x: Nested, ndim: int, k: int, axis: int = -1) -> Nested:
    return topk(x, ndim, k, axis, descending=False)


def _by_rows(f: Callable[..., Any], x: Nested, by: Jag, ndim: int, axis: int = -1) -> Nested:
    """`f(row, keys)` of the rows of an axis whose items have one key each; keys of fewer dims are expanded."""
    depth = axis_of(axis, ndim) + 1
    keys = expand_to(by, Jag(x, depth))
    return broadcast(lambda *rows: _both(f, *rows), Jag(x, depth - 1), Jag(keys, depth - 1))


def topk_by(x: Nested, by: Jag, ndim: int, k: int, axis: int = -1, *, descending: bool = True) -> Nested:
    """The items in the order of their keys, the first k of them."""
    first = lambda row, keys: [row[place] for place in row_order(keys, descending=descending)[:k]]  # noqa: E731
    return _by_rows(first, x, by, ndim, axis)


def unique_by(x: Nested, by: Jag, ndim: int, axis: int = -1) -> Nested:
    """The first item of each key; a null is a key as others are."""

    def first(row: list[Any], keys: list[Any]) -> list[Any]:
        seen = [key(one) for one in keys]
        return [item for place, item in enumerate(row) if seen.index(seen[place]) == place]

    return _by_rows(first, x, by, ndim, axis)


@oracle_of("min_by", "max_by")
def extreme_by(name: str, x: Nested, by: Jag, ndim: int, axis: int = -1) -> Nested:
    """The item of the first least, or greatest, key; nulls and NaN are no keys."""

    def best(row: list[Any], keys: list[Any]) -> Any:
        places = [place for place, one in enumerate(keys) if one is not None and not is_nan(one)]
        order = [places[place] for place in row_order([keys[place] for place in places], descending=name == "max_by")]
        return row[order[0]] if order else None

    return _by_rows(best, x, by, ndim, axis)


def _same(one: Any, other: Any) -> bool:
    """Equal, as nulls and as NaN are to each other."""
    return key(one) == key(other)


def index_of(x: Jag, v: Jag) -> Nested:
    """The first slot whose item equals v."""
    find = lambda row, one: next((place for place, item in enumerate(row) if _same(item, one)), None)  # noqa: E731
    return over_rows(find, Jag(x.value, x.ndim - 1), v)


def argwhere(x: Nested, ndim: int) -> Nested:
    """The slots whose items are true or not zero."""
    return rows_at(lambda row: [place for place, item in enumerate(row) if item], x, ndim - 1)


def drop_nulls(x: Nested, ndim: int, axis: int = -1) -> Nested:
    return rows_at(lambda row: [item for item in row if item is not None], x, axis_of(axis, ndim))


def is_sorted(values: list[Any], *, descending: bool = False) -> bool | None:
    """Of one row without its nulls: whether the order of the row is that of its items; null if it has none."""
    return row_order(values, descending=descending) == list(range(len(values))) if values else None


def reverse(x: Nested, ndim: int, axis: int = -1) -> Nested:
    return rows_at(lambda row: row[::-1], x, axis_of(axis, ndim))


def unique(x: Nested, ndim: int) -> Nested:
    return rows_at(first_appearances, x, ndim - 1)


def value_counts(x: Nested, ndim: int) -> Nested:
    def count(row: list[Any]) -> list[dict[str, Any]]:
        counts = Counter(key(v) for v in row)
        return [{"value": v, "count": counts[key(v)]} for v in first_appearances(row)]

    return rows_at(count, x, ndim - 1)


# ---------------------------------------------------------------------------------------------------------------- scans


def scan(f: Callable[[list[Any]], Any], x: Nested, ndim: int) -> Nested:
    """`f` of the valid values up to each slot; a null stays null and is skipped."""

    def run(row: list[Any]) -> list[Any]:
        prefixes = ([v for v in row[: k + 1] if v is not None] for k in range(len(row)))
        return [None if v is None else f(prefix) for v, prefix in zip(row, prefixes, strict=True)]

    return rows_at(run, x, ndim - 1)


def cumsum(x: Nested, ndim: int) -> Nested:
    return scan(sum, x, ndim)


def cumprod(x: Nested, ndim: int) -> Nested:
    return scan(math.prod, x, ndim)


def cummin(x: Nested, ndim: int) -> Nested:
    return scan(GROUP["min"], x, ndim)


def cummax(x: Nested, ndim: int) -> Nested:
    return scan(GROUP["max"], x, ndim)


def cumcount(x: Nested, ndim: int) -> Nested:
    return scan(len, x, ndim)


def shift(x: Nested, ndim: int, n: int = 1, fill: Any = None, axis: int = -1) -> Nested:
    """Each slot holds the item n slots before it; slots without one hold the fill."""
    inside = lambda row, k: row[k] if 0 <= k < len(row) else fill  # noqa: E731
    return rows_at(lambda row: [inside(row, k - n) for k in range(len(row))], x, axis_of(axis, ndim))


def diff(x: Nested, ndim: int, n: int = 1) -> Nested:
    """Each item less the one n slots before; null where either is missing."""
    return elementwise(lambda a, b: a - b, Jag(x, ndim), Jag(shift(x, ndim, n), ndim))


@oracle_of("rolling_sum", "rolling_mean", "rolling_min", "rolling_max", "rolling_count")
def rolling(name: str, x: Nested, ndim: int, window: int) -> Nested:
    """`name` of the last `window` slots; null in the first window - 1 and wherever the window holds a null."""
    f = of_valid(GROUP[name], skip_nulls=False)
    place = lambda row, k: f(row[k + 1 - window : k + 1]) if k + 1 >= window else None  # noqa: E731
    return rows_at(lambda row: [place(row, k) for k in range(len(row))], x, ndim - 1)


def ffill(x: Nested, ndim: int) -> Nested:
    """A null takes the last valid item before it in its row."""
    last = lambda row, k: next((v for v in reversed(row[: k + 1]) if v is not None), None)  # noqa: E731
    return rows_at(lambda row: [last(row, k) for k in range(len(row))], x, ndim - 1)


def bfill(x: Nested, ndim: int) -> Nested:
    return reverse(ffill(reverse(x, ndim), ndim), ndim)


def softmax(x: Nested, ndim: int) -> Nested:
    """As in Koda: exp of the distance to the row's maximum, over their sum; nulls stay and are skipped."""

    def weights(row: list[Any]) -> list[Any]:
        values = [v for v in row if v is not None]
        top = max(values, default=0.0)
        poisoned = any(map(is_nan, values)) or math.isinf(top)
        total = math.nan if poisoned else sum(math.exp(v - top) for v in values)
        return [None if v is None else math.nan if poisoned else math.exp(v - top) / total for v in row]

    return rows_at(weights, x, ndim - 1)


def cdf(x: Nested, ndim: int, weights: Nested = None) -> Nested:
    """As in Koda: the share of the row's items that are at most the item, or of their weights; a NaN poisons the row,
    an item without a weight is none, a row whose weights sum to 0 gives nulls. `weights` has x's shape.
    """

    def shares(row: list[Any], amounts: list[Any]) -> list[Any]:
        pairs = [(v, w) for v, w in zip(row, amounts, strict=True) if v is not None and w is not None]
        if any(w < 0 for _, w in pairs):
            raise ValueError(f"negative weights: {amounts}")
        poisoned = any(is_nan(v) or is_nan(w) for v, w in pairs)
        total = sum(w for _, w in pairs)
        share = lambda v: math.nan if poisoned else sum(w for other, w in pairs if place(other) <= place(v)) / total  # noqa: E731
        return [None if v is None or w is None or total == 0 else share(v) for v, w in zip(row, amounts, strict=True)]

    if weights is None:
        weights = at_depth(lambda _: 1, x, ndim)
    return broadcast(lambda *rows: _both(shares, *rows), Jag(x, ndim - 1), Jag(weights, ndim - 1))


# --------------------------------------------------------------------------------------------------------------- series


def _places_in_rows(f: Callable[..., Any], at: Jag, ndim: int, *points: Jag) -> Nested:
    """`f(place, row, ...)` for each place to look up, in the rows of points of one ndim; a null row in any of them gives one."""
    if ndim > 1 and at.ndim > 0:
        if any(one.value is None for one in (at, *points)):
            return None
        cells = range(same_length([one.value for one in (at, *points)]))
        below = ([Jag(one.value[k], one.ndim - 1) for one in (at, *points)] for k in cells)
        return [_places_in_rows(f, first, ndim - 1, *others) for first, *others in below]
    rows = broadcast(lambda *row: _both(lambda *valid: valid, *row), *(Jag(one.value, ndim - 1) for one in points))
    return over_rows(lambda row, place: None if row is None else f(place, *row), Jag(rows, ndim - 1), at)


def interp(at: Jag, x: Jag, y: Jag, outside: str = "clamp") -> Nested:
    """API: numpy.interp of each row; points with a null are left out."""

    def between(place: Any, xs: list[Any], ys: list[Any]) -> Any:
        points = [(a, b) for a, b in zip(xs, ys, strict=True) if a is not None and b is not None]
        if place is None or not points:
            return None
        if is_nan(place):
            return math.nan
        if place < points[0][0] or place > points[-1][0]:
            return None if outside == "null" else points[0 if place < points[0][0] else -1][1]
        k = max(k for k, (a, _) in enumerate(points) if a <= place)
        if points[k][0] == place or k == len(points) - 1:
            return float(points[k][1])
        (a, b), (c, d) = points[k : k + 2]
        return (d - b) / (c - a) * (place - a) + b

    return _places_in_rows(between, at, x.ndim, x, y)


def asof(left: Jag, right: Jag, values: Jag, direction: str = "backward", tolerance: Any = None) -> Nested:
    """API: of equal keys the last, of two equally near ones the earlier."""

    def nearest(place: Any, keys: list[Any], beside: list[Any]) -> Any:
        if place is None or is_nan(place):
            return None
        sides = {"backward": lambda k: k <= place, "forward": lambda k: k >= place, "nearest": lambda _: True}
        known = [(k, v) for k, v in zip(keys, beside, strict=True) if k is not None and not is_nan(k) and sides[direction](k)]
        best = min(known, key=lambda one: (abs(one[0] - place), one[0]), default=None)
        if best is None or (tolerance is not None and abs(best[0] - place) > tolerance):
            return None
        return [v for k, v in known if k == best[0]][-1]

    return _places_in_rows(nearest, left, right.ndim, right, values)


def resample(t: Nested, y: Nested, ndim: int, every: Any, how: str = "mean") -> Nested:
    """API: structs of where a bucket begins and of the reduction of its items, from the first bucket to the last."""

    def buckets(times: list[Any], items: list[Any]) -> list[dict[str, Any]]:
        known = [(math.floor(a / every), b) for a, b in zip(times, items, strict=True) if a is not None and not is_nan(a)]
        numbers = range(min(k for k, _ in known), max(k for k, _ in known) + 1) if known else []
        rows = [[b for k, b in known if k == number] for number in numbers]
        value = len if how == "lengths" else lambda row: reduction(how, row, 1)
        return [{"t": number * every, "value": value(row)} for number, row in zip(numbers, rows, strict=True)]

    return broadcast(lambda *rows: _both(buckets, *rows), Jag(t, ndim - 1), Jag(y, ndim - 1))


def gaps(x: Nested, ndim: int) -> Nested:
    """API: differences of neighbours that are not null."""

    def differences(row: list[Any]) -> list[Any]:
        return [b - a for a, b in itertools.pairwise([v for v in row if v is not None])]

    return rows_at(differences, x, ndim - 1)


def local_maxima(x: Nested, ndim: int) -> Nested:
    """API, scipy.signal.find_peaks: the middle of equal neighbours whose neighbours are less."""

    def flags(row: list[Any]) -> list[Any]:
        places = [k for k, v in enumerate(row) if v is not None]
        runs = [list(run) for _, run in itertools.groupby(places, lambda k: key(row[k]))]
        peaks = set()
        for before, run, after in zip(runs, runs[1:], runs[2:], strict=False):
            low, level, high = (place(row[one[0]]) for one in (before, run, after))
            if not any(map(is_nan, (low, level, high))) and low < level > high:
                peaks.add(run[(len(run) - 1) // 2])
        return [None if v is None else k in peaks for k, v in enumerate(row)]

    return rows_at(flags, x, ndim - 1)


def fft_power(x: Nested, ndim: int) -> Nested:
    """API: squared magnitudes of the sums over complex exponentials; a null in a row leaves no spectrum."""

    def power(row: list[Any]) -> list[float] | None:
        if None in row:
            return None
        n = len(row)
        wave = lambda f, k: complex(math.cos(2 * math.pi * f * k / n), -math.sin(2 * math.pi * f * k / n))  # noqa: E731
        return [abs(sum(v * wave(f, k) for k, v in enumerate(row))) ** 2 for f in range(n // 2 + 1 if n else 0)]

    return rows_at(power, x, ndim - 1)


def lomb_scargle(t: Nested, y: Nested, ndim: int, frequencies: Sequence[float]) -> Nested:
    """API: the share of the variance that the best sine of each frequency explains, by least squares."""

    def power(times: list[Any], items: list[Any]) -> list[Any]:
        known = [(a, b) for a, b in zip(times, items, strict=True) if a is not None and b is not None]
        if not known:
            return [None] * len(frequencies)
        middle = math.fsum(b for _, b in known) / len(known)
        return [_explained([(2 * math.pi * f * (a - known[0][0]), b - middle) for a, b in known]) for f in frequencies]

    return broadcast(lambda *rows: _both(power, *rows), Jag(t, ndim - 1), Jag(y, ndim - 1))


def _explained(points: Sequence[tuple[float, float]]) -> float:
    """Solve the two normal equations of a cosine and a sine."""
    cc, ss, cs, yc, ys = (
        math.fsum(f(a, b) for a, b in points)
        for f in (
            lambda a, _: math.cos(a) ** 2,
            lambda a, _: math.sin(a) ** 2,
            lambda a, _: math.cos(a) * math.sin(a),
            lambda a, b: b * math.cos(a),
            lambda a, b: b * math.sin(a),
        )
    )
    whole, det = math.fsum(b * b for _, b in points), cc * ss - cs * cs
    if not whole:
        return math.nan
    if det < 1e-12 * len(points) ** 2:
        return (yc * yc + ys * ys) / (cc + ss) / whole
    return (yc * yc * ss - 2 * yc * ys * cs + ys * ys * cc) / det / whole


# ------------------------------------------------------------------------------------------------------ groups and sets


def group_by_indices(keys: Sequence[Nested], ndim: int, *, sort: bool = False) -> Nested:
    """As in Koda: in each row the local positions of each group; an item with a null key is left out."""

    def groups(*rows: list[Any]) -> list[list[int]]:
        same_length(rows)
        found = {}
        for k, values in enumerate(zip(*rows, strict=True)):
            if None not in values:
                found.setdefault(key(values), []).append(k)
        groups = list(found.values())
        if sort:
            groups.sort(key=lambda group: [(is_nan(row[group[0]]), key(place(row[group[0]]))) for row in rows])
        return groups

    return broadcast(lambda *rows: _both(groups, *rows), *(Jag(one, ndim - 1) for one in keys))


def group_by(x: Nested, ndim: int, *keys: Nested) -> Nested:
    """As in Koda: each innermost row cut into groups of equal keys, in order of first appearance; x itself is the
    default.
    """
    indices = group_by_indices(keys or [x], ndim)
    gather = lambda row, groups: [[row[k] for k in group] for group in groups]  # noqa: E731
    return broadcast(lambda *rows: _both(gather, *rows), Jag(x, ndim - 1), Jag(indices, ndim - 1))


def inverse_permutation(x: Nested, ndim: int) -> Nested:
    """As in Koda: out[p[i]] = i in each row; nulls are skipped, what nothing points at is null."""

    def inverse(row: list[Any]) -> list[Any]:
        targets = [k for k in row if k is not None]
        if len(set(targets)) < len(targets) or any(not 0 <= k < len(row) for k in targets):
            raise ValueError(f"not a permutation: {row}")
        return [row.index(k) if k in targets else None for k in range(len(row))]

    return rows_at(inverse, x, ndim - 1)


def contains(x: Jag, v: Jag) -> Nested:
    """Whether the row holds v, one for all or one a row; a null v gives null."""
    found = lambda row, one: None if one is None else key(one) in {key(w) for w in row if w is not None}  # noqa: E731
    return over_rows(found, Jag(x.value, x.ndim - 1), v)


def is_in(x: Jag, values: Jag) -> Nested:
    """Whether each item is in a flat set (ndim 1), or in the row of a jagged one; null for null."""
    if values.ndim == 1:
        known = {key(v) for v in values.value if v is not None}
        return elementwise(lambda v: key(v) in known, x)
    return contains(values, x)


def _set_operation(f: Callable[[list[Any], list[Any]], list[Any]], x: Nested, y: Nested, ndim: int) -> Nested:
    distinct = lambda a, b: f(first_appearances(a), first_appearances(b))  # noqa: E731
    return broadcast(lambda *rows: _both(distinct, *rows), Jag(x, ndim - 1), Jag(y, ndim - 1))


def union(x: Nested, y: Nested, ndim: int) -> Nested:
    """Set operations keep first appearances and drop nulls."""
    return _set_operation(lambda a, b: first_appearances(a + b), x, y, ndim)


def intersection(x: Nested, y: Nested, ndim: int) -> Nested:
    return _set_operation(lambda a, b: [v for v in a if key(v) in [key(w) for w in b]], x, y, ndim)


def difference(x: Nested, y: Nested, ndim: int) -> Nested:
    return _set_operation(lambda a, b: [v for v in a if key(v) not in [key(w) for w in b]], x, y, ndim)


def symmetric_difference(x: Nested, y: Nested, ndim: int) -> Nested:
    lacking = lambda a, b: [v for v in a if key(v) not in [key(w) for w in b]]  # noqa: E731
    return _set_operation(lambda a, b: lacking(a, b) + lacking(b, a), x, y, ndim)


def searchsorted(x: Jag, y: Jag) -> Nested:
    """In each sorted row of x the first slot whose item isn't below the item of y; NaN is above all, null gives
    null.
    """
    rank = lambda v: (is_nan(v), 0.0 if is_nan(v) else place(v))  # noqa: E731
    before = lambda row, v: None if v is None else sum(w is not None and rank(w) < rank(v) for w in row)  # noqa: E731
    return over_rows(before, Jag(x.value, x.ndim - 1), y)


def translate(x: Jag, keys: Jag, values: Jag) -> Nested:
    """As in Koda: the value of the equal key in the row's dictionary; null where there is none. Keys are unique a
    row.
    """
    depth = keys.ndim - 1
    spread = expand_to(values, keys)

    def dictionary(row: list[Any] | None, found: list[Any] | None) -> dict[Any, Any] | None:
        if row is None or found is None:
            return None
        present = [key(one) for one in row if one is not None]
        if len(set(present)) < len(present):
            raise ValueError(f"keys are not unique: {row}")
        return {key(one): v for one, v in zip(row, found, strict=True) if one is not None}

    tables = broadcast(dictionary, Jag(keys.value, depth), Jag(spread, depth))
    return over_rows(lambda table, v: table.get(key(v)) if v is not None else None, Jag(tables, depth), x)


def combinations(x: Nested, ndim: int, n: int) -> Nested:
    """All choices of n slots of each row, in order of position: a dim of size n is added."""
    return rows_at(lambda row: [list(chosen) for chosen in itertools.combinations(row, n)], x, ndim - 1)


def argcombinations(x: Nested, ndim: int, n: int) -> Nested:
    return rows_at(lambda row: [list(chosen) for chosen in itertools.combinations(range(len(row)), n)], x, ndim - 1)


def pairs(x: Nested, y: Nested, ndim: int) -> Nested:
    """Every item of x's row with every item of y's row, the last changing fastest."""
    product = lambda a, b: [list(pair) for pair in itertools.product(a, b)]  # noqa: E731
    return broadcast(lambda *rows: _both(product, *rows), Jag(x, ndim - 1), Jag(y, ndim - 1))


# ---------------------------------------------------------------------------------------------------------------- edits


def replace(x: Nested, ndim: int, table: Sequence[tuple[Any, Any]]) -> Nested:
    """The new value of the old value that an item equals; other items stay."""
    return at_depth(lambda item: next((new for old, new in table if _same(item, old)), item), x, ndim)


def _with_values(f: Callable[..., Any], x: Nested, ndim: int, *values: Jag) -> Nested:
    """`f(row, value, ...)` of the innermost rows, with one value for all of them or one each."""
    edit = lambda row, *given: None if row is None else f(row, *given)  # noqa: E731
    return broadcast(edit, Jag(x, ndim - 1), *values)


def remove(x: Nested, ndim: int, v: Jag) -> Nested:
    return _with_values(lambda row, one: [item for item in row if not _same(item, one)], x, ndim, v)


def append(x: Nested, ndim: int, v: Jag) -> Nested:
    return _with_values(lambda row, one: [*row, one], x, ndim, v)


def insert(x: Nested, ndim: int, i: Jag, v: Jag) -> Nested:
    """As list.insert; a null position makes the row null."""

    def put(row: list[Any], place: int | None, one: Any) -> list[Any] | None:
        if place is None:
            return None
        copy = list(row)
        copy.insert(place, one)
        return copy

    return _with_values(put, x, ndim, i, v)


def splice(x: Nested, ndim: int, start: Jag, n: Jag, y: Jag | None = None) -> Nested:
    """n items from a start on, which is clamped, replaced by those of y's row, or by the one item of a shorter y."""

    def cut(row: list[Any], place: int | None, count: int | None, *items: Any) -> list[Any] | None:
        if place is None or count is None or (items and items[0] is None):
            return None
        begin = slice(place, None).indices(len(row))[0]
        return [*row[:begin], *(items[0] if items else []), *row[min(begin + count, len(row)) :]]

    if y is None:
        return _with_values(cut, x, ndim, start, n)
    rows = y.value if y.ndim == ndim else broadcast(lambda one: [one], y)
    return _with_values(cut, x, ndim, start, n, Jag(rows, min(y.ndim, ndim - 1)))


def rotate(x: Nested, ndim: int, n: Jag) -> Nested:
    move = lambda row, k: None if k is None else [row[(place - k) % len(row)] for place in range(len(row))]  # noqa: E731
    return _with_values(move, x, ndim, n)


def rle(x: Nested, ndim: int, axis: int = -1) -> Nested:
    """Runs of neighbours that are equal, nulls and NaN among them."""
    groups = lambda row: [list(run) for _, run in itertools.groupby(row, key)]  # noqa: E731
    return rows_at(lambda row: [{"value": run[0], "length": len(run)} for run in groups(row)], x, axis_of(axis, ndim))


@oracle_of("n_grams")
def windows(x: Nested, ndim: int, size: int, step: int = 1, axis: int = -1) -> Nested:
    cut = lambda row: [row[k : k + size] for k in range(0, len(row) - size + 1, step)]  # noqa: E731
    return rows_at(cut, x, axis_of(axis, ndim))


# ------------------------------------------------------------------------------------------------------------ structure


def concat(xs: Sequence[Nested], ndim: int, axis: int = 0) -> Nested:
    """As in Koda: rows at the axis joined; along an inner axis a null row makes the result's row null."""
    join = lambda *rows: _both(lambda *valid: [item for row in valid for item in row], *rows)  # noqa: E731
    return broadcast(join, *(Jag(x, axis_of(axis, ndim)) for x in xs))


def stack(xs: Sequence[Jag], axis: int = 0) -> Nested:
    """As in Koda: aligned, then joined along a new dim at the axis (0..ndim), of size len(xs)."""
    ndim = max(x.ndim for x in xs)
    at = axis_of(axis, ndim + 1)
    return broadcast(lambda *parts: list(parts), *(Jag(one, at) for one in align(*xs)))


def rows_beside(f: Callable[..., Any], ndim: int, *fields: Jag) -> Nested:
    """`f(row, ...)` of the innermost rows; an operand of fewer dims is a row of one item."""
    as_rows = [one if one.ndim == ndim else Jag(broadcast(lambda item: [item], one), one.ndim + 1) for one in fields]
    return broadcast(lambda *rows: _both(f, *rows), *(Jag(one.value, min(one.ndim, ndim) - 1) for one in as_rows))


def zip_padded(ndim: int, **fields: Jag) -> Nested:
    """API, zip(pad=True): shorter rows are filled with nulls."""
    pad = lambda *rows: [dict(zip(fields, items, strict=True)) for items in itertools.zip_longest(*rows)]  # noqa: E731
    return rows_beside(pad, ndim, *fields.values())


@oracle_of("argcartesian")
def cartesian(ndim: int, nested: bool, positions: bool, **fields: Jag) -> Nested:
    """API: structs of all combinations, or of their positions; nested by what they begin with."""

    def combine(chosen: list[Any], rest: Sequence[list[Any]]) -> list[Any]:
        if not rest:
            return [dict(zip(fields, chosen, strict=True))]
        parts = [combine([*chosen, item], rest[1:]) for item in rest[0]]
        unpacked = [part[0] for part in parts] if len(rest) == 1 else parts
        return unpacked if nested or len(rest) == 1 else [item for part in parts for item in part]

    product = lambda *rows: combine([], [list(range(len(row))) if positions else row for row in rows])  # noqa: E731
    return rows_beside(product, ndim, *fields.values())


def flatten_keeping(x: Nested, ndim: int, from_dim: int = 0, to_dim: int | None = None) -> Nested:
    """API, flatten(keep_empty=True): an empty or null row of a dim that is merged into the one before it leaves a null item."""
    first, *last, _ = slice(from_dim, to_dim).indices(ndim)
    for depth in range(first + 1, last[0]):
        x = at_depth(lambda row: row or [None], x, depth)
    return flatten(x, ndim, from_dim, to_dim)


@oracle_of("zip")
def zip_fields(**fields: Jag) -> Nested:
    """API: a struct for each leaf, the fields expanded by prefix; null leaves are null fields."""
    return broadcast(lambda *leaves: dict(zip(fields, leaves, strict=True)), *fields.values())


def tile(x: Jag, target: Jag) -> Nested:
    """As in Koda: a copy of all of x under each leaf of the shape."""
    return expand_to(x, target, x.ndim)


def repeat(x: Jag, sizes: Jag) -> Nested:
    """As in Koda: each item repeated, in a new last dim; x and sizes expand to each other."""

    def copies(item: Any, size: int) -> list[Any]:
        return [item] * _size(size)

    return broadcast(copies, x, sizes)


def unsqueeze(x: Nested, ndim: int, axis: int) -> Nested:
    """As in fold: a dim of size 1 before the axis, counted in the result."""
    return at_depth(lambda item: [item], x, axis_of(axis, ndim + 1))


def squeeze(x: Nested, ndim: int, axis: int) -> Nested:
    """API: the one item of each row of the axis in place of the row; a null row is a null item."""
    return at_depth(lambda row: None if row is None else row[same_length([[0], row]) - 1], x, axis_of(axis, ndim))


def expand(x: Nested, ndim: int, n: int) -> Nested:
    """API: the only item of each innermost row, n times; a null row stays null."""
    return rows_at(lambda row: row[:1] * n, x, ndim - 1)


def reshape_as(x: Nested, ndim: int, y: Nested, ndim_y: int) -> Nested:
    """API: the leaves of x in the rows of y."""
    return from_shape(items(x, ndim), shape_of(y, ndim_y))


def with_fields(x: Jag, **fields: Jag) -> Nested:
    """API: the fields of each struct, replaced and added by others, which are expanded by prefix; a null struct stays null."""
    put = lambda leaf, *parts: None if leaf is None else {**leaf, **dict(zip(fields, parts, strict=True))}  # noqa: E731
    return broadcast(put, x, *fields.values())


def map_rows(f: Callable[[list[Any]], Any], x: Nested, ndim: int, axis: int = -1) -> Nested:
    """API: f of each row of the axis; a null row stays null."""
    return rows_at(f, x, axis_of(axis, ndim))


def fold(
    f: Callable[[Any, Any], Any],
    start: Any,
    x: Nested,
    ndim: int,
    axis: int | tuple[int, ...] | None = -1,
    extents: Sequence[int | None] | None = None,
) -> Nested:
    """API: the last state of each row, null items left out."""
    return reduce(lambda row: functools.reduce(f, [v for v in row if v is not None], start), x, ndim, axis, extents)


@oracle_of("scan")
def states(f: Callable[[Any, Any], Any], start: Any, x: Nested, ndim: int) -> Nested:
    """API: the state after each item; null items stay null."""

    def of_row(row: list[Any]) -> list[Any]:
        found = iter([*itertools.accumulate([v for v in row if v is not None], f, initial=start)][1:])
        return [None if v is None else next(found) for v in row]

    return rows_at(of_row, x, ndim - 1)


def map_items(f: Callable[[Any], Any], x: Nested, ndim: int) -> Nested:
    """API: f of each item that is not null."""
    return at_depth(lambda v: None if v is None else f(v), x, ndim)


def nan_to_null(x: Nested, ndim: int) -> Nested:
    """API: NaN items are null."""
    return at_depth(lambda v: None if is_nan(v) else v, x, ndim)


@oracle_of("array", "from_arrow")
def itself(x: Nested) -> Nested:
    """The input, unchanged."""
    return x


def image(x: Nested, ndim: int) -> tuple[Nested, ...]:
    """As in fold: for each dim the local position along it, in x's shape; null rows stay null."""

    def positions(item: Nested, depth: int, wanted: int, found: int) -> Nested:
        if depth == ndim:
            return found
        if item is None:
            return None
        return [positions(one, depth + 1, wanted, k if depth == wanted else found) for k, one in enumerate(item)]

    return tuple(positions(x, 0, wanted, 0) for wanted in range(ndim))


@oracle_of("set", "scatter", "overlay")
def set_items(x: Nested, ndim: int, index: Any, values: Jag) -> Nested:
    """API `x.set`: the items that `x[index]` gives replaced; values have the index's shape or a prefix of it."""
    counter = itertools.count()
    where_from = at_depth(lambda _: next(counter), x, ndim)
    targets = getitem(where_from, ndim, index)
    if values.ndim > targets.ndim:
        raise ValueError(f"values of ndim {values.ndim} for an index of ndim {targets.ndim}")
    new: dict[int, Any] = {}
    broadcast(lambda position, v: new.update({position: v}), targets, values)
    return broadcast(lambda old, position: new.get(position, old), Jag(x, ndim), Jag(where_from, ndim))


# ------------------------------------------------------------------------------------------------------------ transpose


def _swapped(ndim: int, a: int, b: int) -> list[int]:
    axes = list(range(ndim))
    axes[a], axes[b] = axes[b], axes[a]
    return axes


def _coordinates(frame: Nested, depth: int) -> list[tuple[tuple[int, ...], Any]]:
    """Every item `depth` levels down with its coordinates; null rows leave none."""
    if depth == 0:
        return [((), frame)]
    rows = enumerate(frame or [])
    return [((k, *inner), item) for k, row in rows for inner, item in _coordinates(row, depth - 1)]


def _nest(atoms: list[tuple[tuple[int, ...], Any]], counts: list[int | None]) -> Nested:
    """Coordinates back to lists, holes closed; a level with a declared count has that many items in any case."""
    if not counts:
        return atoms[0][1]
    is_open = counts[0] is None or len(counts) == 1
    present = sorted({at[0] for at, _ in atoms}) if is_open else range(counts[0])
    return [_nest([(at[1:], item) for at, item in atoms if at[0] == k], counts[1:]) for k in present]


def _has_holes(atoms: list[tuple[tuple[int, ...], Any]], depth: int) -> bool:
    """Whether the coordinates leave a gap: then `_nest` renumbers, which is shear."""
    if depth == 0 or not atoms:
        return False
    present = sorted({at[0] for at, _ in atoms})
    below = ([(at[1:], item) for at, item in atoms if at[0] == k] for k in present)
    return present != list(range(len(present))) or any(_has_holes(part, depth - 1) for part in below)


def _moved(axes: Sequence[int]) -> tuple[int, int]:
    """The outermost and the innermost axis that change place."""
    moved = [k for k, axis in enumerate(axes) if k != axis]
    return moved[0], moved[-1]


def permute(
    x: Nested,
    ndim: int,
    axes: Sequence[int],
    *,
    shear: str = "raise",
    rule: str = "exact",
    extents: Sequence[int | None] | None = None,
) -> Nested:
    """As in fold: every item to its permuted coordinates, holes closed ("allow") or refused.

    Null rows between the moved dims are lost. A declared extent keeps its lists even where they are empty, unless an
    undeclared inner dim comes to stand before it.
    """
    if list(axes) == list(range(ndim)):
        return x
    first, last = _moved(axes)
    new = [axis - first for axis in axes[first : last + 1]]
    sizes = list((extents or [None] * ndim)[first : last + 1])
    fixed = lambda j: all(sizes[q] is not None for q in [new[j], *(q for q in new[:j] if q > new[j])])  # noqa: E731
    counts = [sizes[new[j]] if fixed(j) else None for j in range(len(new))]
    if shear == "raise" and will_shear(x, ndim, axes, rule):
        raise ValueError("will shear")

    def move(frame: Nested) -> Nested:
        atoms = [(tuple(at[q] for q in new), item) for at, item in _coordinates(frame, len(new))]
        return _nest(sorted(atoms, key=lambda atom: atom[0]), counts)

    return rows_at(move, x, first)


def transpose(x: Nested, ndim: int, a: int, b: int, *, shear: str = "raise", rule: str = "fold", **options: Any) -> Nested:
    """As in fold: two dims swapped."""
    axes = _swapped(ndim, axis_of(a, ndim), axis_of(b, ndim))
    return permute(x, ndim, axes, shear=shear, rule=rule, **options)


def transpose_will_shear(x: Nested, ndim: int, a: int, b: int, rule: str = "fold") -> bool:
    return will_shear(x, ndim, _swapped(ndim, axis_of(a, ndim), axis_of(b, ndim)), rule)


def will_shear(x: Nested, ndim: int, axes: Sequence[int], rule: str = "exact") -> bool:
    """As in fold. "exact": permuted coordinates leave holes. "fold": besides, in some slice a reach rises among
    siblings.
    """
    if list(axes) == list(range(ndim)):
        return False
    first, last = _moved(axes)
    new = [axis - first for axis in axes[first : last + 1]]
    for frame in items(x, first):
        atoms = [(tuple(at[q] for q in new), None) for at, _ in _coordinates(frame, len(new))]
        if _has_holes(atoms, len(new)):
            return True
        if rule == "fold" and any(_reach_rises(part, last - first - 1) for part in frame or []):
            return True
    return False


def _reach(node: Nested, gap: int) -> int:
    """The longest row `gap` levels below the node."""
    return max((len(row) for row in items(node, gap) if row is not None), default=0)


def _reach_rises(part: Nested, gap: int) -> bool:
    if gap == 0 or part is None:
        return False
    reaches = [_reach(node, gap - 1) for node in part]
    return reaches != sorted(reaches, reverse=True) or any(_reach_rises(node, gap - 1) for node in part)


# ---------------------------------------------------------------------------------------------------------------- dense


def max_sizes(x: Nested, ndim: int) -> list[int]:
    """The longest row of each dim after the first."""
    return [max(sizes, default=0) for sizes in shape_of(x, ndim)[1:]]


def to_dense(x: Nested, ndim: int, sizes: Sequence[int] | None = None, fill: Any = 0) -> Nested:
    """API, PAD: rows filled up or cut to the sizes at every level; nulls, rows and leaves, become the fill."""

    def dense(item: Nested, rest: Sequence[int]) -> Nested:
        if not rest:
            return fill if item is None else item
        row = [] if item is None else item
        return [dense(row[k] if k < len(row) else None, rest[1:]) for k in range(rest[0])]

    return [dense(row, max_sizes(x, ndim) if sizes is None else sizes) for row in x]


def from_dense(dense: Nested, target: Nested, ndim: int, fill: Any = 0) -> Nested:
    """API, UNPAD: the target's shape, its cells read from the dense array; those that it lacks are the fill."""

    def read(cell: Nested, item: Nested, depth: int) -> Nested:
        if depth == 0:
            return fill if cell is MISSING else cell
        if item is None:
            return None
        has = 0 if cell is MISSING else len(cell)
        return [read(cell[k] if k < has else MISSING, one, depth - 1) for k, one in enumerate(item)]

    return read(dense, target, ndim)


# ------------------------------------------------------------------------------------------- statistics of rows


def _central(values: list[Any], k: int) -> Fraction:
    """The sum of the k-th powers of the deviations from the mean, exactly."""
    exact = [Fraction(v) for v in values]
    mean = sum(exact) / len(exact)
    return sum(((v - mean) ** k for v in exact), Fraction())


def _is_finite(values: Iterable[Any]) -> bool:
    return all(math.isfinite(v) for v in values)


def skew(values: list[Any]) -> float | None:
    """API, statistics: corrected for bias; null below 3, NaN for equal items."""
    n = len(values)
    if n < 3:
        return None
    if not _is_finite(values) or _central(values, 2) == 0:
        return math.nan
    m2, m3 = _central(values, 2), _central(values, 3)
    return math.copysign(math.sqrt(m3 * m3 / m2**3), m3) * n * math.sqrt(n - 1) / (n - 2)


def kurtosis(values: list[Any]) -> float | None:
    """API, statistics: corrected for bias; null below 4, NaN for equal items."""
    n = len(values)
    if n < 4:
        return None
    if not _is_finite(values) or _central(values, 2) == 0:
        return math.nan
    ratio = _central(values, 4) / _central(values, 2) ** 2
    return float(ratio * n * (n + 1) * (n - 1) / ((n - 2) * (n - 3)) - Fraction(3 * (n - 1) ** 2, (n - 2) * (n - 3)))


def sem(values: list[Any], ddof: int = 1) -> float | None:
    """API, statistics: the standard deviation over the root of the number of items."""
    found = variance(values, ddof)
    return None if found is None else math.sqrt(found / len(values))


def mad(values: list[Any]) -> float | None:
    """API, statistics: the median distance from the median."""
    if not values or any(map(is_nan, values)):
        return math.nan if values else None
    exact = [Fraction(v) if math.isfinite(v) else v for v in values]
    middle = statistics.median(exact)
    return float(statistics.median(math.nan if is_nan(float(v) - float(middle)) else abs(v - middle) for v in exact))


def entropy(values: list[Any]) -> float | None:
    """API, statistics: of items as weights, natural logarithm."""
    if not values:
        return None
    total = math.fsum(values) if _is_finite(values) else math.nan
    if is_nan(total) or total == 0:
        return math.nan
    shares = [v / total for v in values]
    return -math.inf if min(shares) < 0 else -math.fsum(p * math.log(p) for p in shares if p)


def moment(values: list[Any], k: int) -> float | None:
    """API, statistics: the mean of the k-th powers of the deviations."""
    if not values:
        return None
    return float(_central(values, k) / len(values)) if _is_finite(values) else math.nan


def ptp(values: list[Any]) -> float | None:
    """API, statistics: largest less smallest; NaN poisons."""
    return math.nan if any(map(is_nan, values)) else float(max(values) - min(values)) if values else None


def norm(values: list[Any], p: float = 2) -> float | None:
    """API, vectors: the p-norm; null for an empty row."""
    if not values or any(map(is_nan, values)):
        return math.nan if values else None
    size = [abs(float(v)) for v in values]
    if p == math.inf:
        return max(size)
    if p == 0:
        return float(sum(v != 0 for v in size))
    return math.fsum(v**p for v in size) ** (1 / p)


def normalize(x: Nested, ndim: int, p: float = 2) -> Nested:
    """API, vectors: each item over the norm of its row."""

    def divided(row: list[Any]) -> list[Any]:
        size = norm([v for v in row if v is not None], p)
        return [None if v is None else true_divide(v, size) for v in row]

    return rows_at(divided, x, ndim - 1)


Pair = tuple[Any, Any]


def over_pairs(
    f: Callable[[list[Pair]], Any],
    x: Jag,
    y: Jag,
    axis: int | tuple[int, ...] | None = -1,
    extents: Sequence[int | None] | None = None,
) -> Nested:
    """API, statistics: `f` of the complete pairs of each group."""
    together = broadcast(lambda a, b: (a, b), x, y)
    return reduce(lambda pairs: f([one for one in pairs if None not in one]), together, max(x.ndim, y.ndim), axis, extents)


def _products(pairs: list[Pair]) -> tuple[Fraction, ...]:
    """The means, and the sums of products of deviations, exactly."""
    n = len(pairs)
    exact = [(Fraction(a), Fraction(b)) for a, b in pairs]
    mean_x, mean_y = sum(a for a, _ in exact) / n, sum(b for _, b in exact) / n
    sums = [[(a - mean_x) * (a - mean_x), (b - mean_y) * (b - mean_y), (a - mean_x) * (b - mean_y)] for a, b in exact]
    return (mean_x, mean_y, *(sum(column) for column in zip(*sums, strict=True)))


def corr(pairs: list[Pair]) -> float | None:
    """API, statistics: Pearson's; null below two pairs, NaN where either is constant."""
    if len(pairs) < 2 or not _is_finite(itertools.chain(*pairs)):
        return None if len(pairs) < 2 else math.nan
    _, _, xx, yy, xy = _products(pairs)
    return math.copysign(math.sqrt(xy * xy / (xx * yy)), xy) if xx and yy else math.nan


def cov(pairs: list[Pair], ddof: int = 1) -> float | None:
    if len(pairs) < 2 or not _is_finite(itertools.chain(*pairs)):
        return None if len(pairs) < 2 else math.nan
    return true_divide(float(_products(pairs)[4]), len(pairs) - ddof)


def linear_fit(pairs: list[Pair]) -> dict[str, float] | None:
    """API, statistics: y over x by least squares."""
    if len(pairs) < 2:
        return None
    if not _is_finite(itertools.chain(*pairs)):
        return dict.fromkeys(("slope", "intercept", "r2"), math.nan)
    mean_x, mean_y, xx, yy, xy = _products(pairs)
    if not xx:
        return dict.fromkeys(("slope", "intercept", "r2"), math.nan)
    slope = xy / xx
    return {
        "slope": float(slope),
        "intercept": float(mean_y - slope * mean_x),
        "r2": float(xy * xy / (xx * yy)) if yy else math.nan,
    }


def weighted_mean(pairs: list[Pair]) -> float | None:
    """API, statistics: negative weights raise, a sum of 0 is null."""
    if any(w < 0 for _, w in pairs):
        raise ValueError("negative weights")
    if not _is_finite(w for _, w in pairs):
        return math.nan
    total = sum(Fraction(w) for _, w in pairs)
    if not total:
        return None
    return float(sum(Fraction(v) * Fraction(w) for v, w in pairs) / total) if _is_finite(v for v, _ in pairs) else math.nan


def weighted_quantile(pairs: list[Pair], q: float) -> Any:
    """API, statistics: numpy's inverted_cdf; the first item with weight whose cumulative share reaches q."""
    if any(w < 0 for _, w in pairs):
        raise ValueError("negative weights")
    total = sum(w for _, w in pairs)
    if not total:
        return None
    if is_nan(total) or any(is_nan(v) for v, _ in pairs):
        return math.nan
    done = 0.0
    for v, w in sorted(pairs, key=lambda pair: pair[0]):
        done += w
        if done > 0 and done / total >= q:
            return v
    raise AssertionError("a share of 1 is reached by all")


def cosine(pairs: list[Pair]) -> float | None:
    if not pairs:
        return None
    xx, yy, xy = (
        math.fsum(float(a) * float(b) for a, b in part) for part in ([(a, a) for a, _ in pairs], [(b, b) for _, b in pairs], pairs)
    )
    return xy / math.sqrt(xx) / math.sqrt(yy) if xx and yy else math.nan


def distance(pairs: list[Pair], metric: str = "l2") -> float | None:
    """API, vectors: as scipy.spatial.distance, but that NaN poisons."""
    if not pairs:
        return None
    if any(is_nan(v) for pair in pairs for v in pair):
        return math.nan
    if metric == "hamming":
        return sum(a != b for a, b in pairs) / len(pairs)
    if metric == "jaccard":
        either = [(a, b) for a, b in pairs if a != 0 or b != 0]
        return sum(a != b for a, b in either) / len(either) if either else 0.0
    return norm(
        [float(Fraction(a) - Fraction(b)) if _is_finite((a, b)) else a - b for a, b in pairs],
        {"l2": 2, "l1": 1, "linf": math.inf}[metric],
    )


def matmul(x: Nested, y: Nested) -> Nested:
    """API, vectors: of one row, a matrix and a matrix or a vector; a null counts as 0."""
    if x is None or y is None:
        return None
    value = lambda v: 0 if v is None else v  # noqa: E731
    if y and not isinstance(y[0], list):
        return [sum(value(a) * value(b) for a, b in zip(row, y, strict=True)) for row in x]
    return [[sum(value(a) * value(b) for a, b in zip(row, column, strict=True)) for column in zip(*y, strict=True)] for row in x]


def nearest(row: list[Any], matrix: Sequence[Sequence[float]]) -> int | None:
    """API, vectors: the first of the nearest rows."""
    if not row or any(v is None or is_nan(v) for v in row):
        return None
    apart = [sum((Fraction(a) - Fraction(b)) ** 2 for a, b in zip(row, one, strict=True)) for one in matrix]
    return apart.index(min(apart))


def bootstrap(values: list[Any], got: list[Any], n: int) -> bool:
    """Whether there are n means, none beyond the items; nulls for an empty row."""
    if not values:
        return got == [None] * n
    slack = 1e-9 * max(abs(v) for v in values)
    return len(got) == n and all(min(values) - slack <= v <= max(values) + slack for v in got)


def histogram(values: list[Any], bins: Any, span: tuple[float, float] | None = None) -> Any:
    """API, statistics: numpy's; NaN left out, an empty row without a range has null edges."""
    values = [v for v in values if not is_nan(v)]
    if not isinstance(bins, int):
        return [sum(cut(values, bins).count(place) for _ in (0,)) for place in range(len(bins) - 1)]
    if not values and span is None:
        return {"edges": [None] * (bins + 1), "counts": [0] * bins}
    edges = bin_edges(values, bins, span)
    return {"edges": edges, "counts": [cut(values, bins, span).count(place) for place in range(bins)]}


def bin_edges(values: list[Any], bins: int, span: tuple[float, float] | None) -> list[float]:
    low, high = (float(min(values)), float(max(values))) if span is None else span
    low, high = (low - 0.5, high + 0.5) if low == high else (low, high)
    step = (high - low) / bins
    return [*(k * step + low for k in range(bins)), high]


def cut(row: list[Any], bins: Any, span: tuple[float, float] | None = None) -> list[int | None]:
    """The bin of each item: its lower edge belongs to it, to the last one both."""
    values = [v for v in row if v is not None and not is_nan(v)]
    if isinstance(bins, int):
        if not values and span is None:
            return [None] * len(row)
        bins = bin_edges(values, bins, span)
    n = len(bins) - 1

    def place(v: Any) -> int | None:
        if v is None or is_nan(v) or not bins[0] <= v <= bins[-1]:
            return None
        return next((k for k in range(n) if bins[k] <= v < bins[k + 1]), n - 1)

    return [place(v) for v in row]


def digitize(x: Nested, ndim: int, edges: Sequence[float], *, right: bool = False) -> Nested:
    """numpy.digitize; NaN stands behind all numbers."""
    below = (lambda e, v: e < v) if right else (lambda e, v: e <= v)
    rises = list(edges) == sorted(edges)

    def place(v: Any) -> int | None:
        if v is None:
            return None
        if is_nan(v):
            return len(edges) if rises else 0
        return sum(below(e, v) for e in edges) if rises else sum(not below(e, v) for e in edges)

    return at_depth(place, x, ndim)


def bincount(values: list[int], n: int | None = None) -> list[int]:
    top = max(values, default=-1) + 1 if n is None else n
    if any(not 0 <= v < top for v in values):
        raise ValueError(f"{values} of {n}")
    return [sum(v == k for v in values) for k in range(top)]


def pct_change(x: Nested, ndim: int, n: int = 1) -> Nested:
    """Each item over the one n slots before, less 1."""
    return elementwise(lambda a, b: true_divide(a, b) - 1, Jag(x, ndim), Jag(shift(x, ndim, n), ndim))


@oracle_of("rolling_var", "rolling_std", "rolling_median", "rolling_quantile", "rolling_first", "rolling_last")
def windowed(
    name: str,
    row: list[Any],
    window: Any,
    *,
    min_periods: int | None = None,
    center: bool = False,
    times: list[Any] | None = None,
    **options: Any,
) -> list[Any]:
    """API, rolling: nulls are absent; fewer than min_periods items give null, for `count` slots; None takes all up to here."""
    pick: dict[str, Callable[..., Any]] = {"first": lambda values: values[0], "last": lambda values: values[-1]}
    f = pick.get(name) or functools.partial(GROUP[name], **options)

    def slots(k: int) -> range:
        if window is None:
            return range(k + 1)
        if times is None:
            end = k + 1 + ((window - 1) // 2 if center else 0)
            return range(max(end - window, 0), min(end, len(row)))
        if center:
            near = [j for j, t in enumerate(times) if -window < 2 * (t - times[k]) <= window or j == k]
            return range(min(near), max(near) + 1)
        return range(min(j for j in range(k + 1) if times[k] - times[j] < window), k + 1)

    least = min_periods if min_periods is not None else 1 if window is None or times is not None else window

    def result(k: int) -> Any:
        here = slots(k)
        values = [row[j] for j in here if row[j] is not None]
        if name == "count":
            return len(values) if len(here) >= least else None
        return f(values) if len(values) >= max(least, 0 if name == "sum" else 1) else None

    return [result(k) for k in range(len(row))]


def ewm_mean(row: list[Any], alpha: float) -> list[Any]:
    """API, ewm: adjusted weights, which decay by slot; null at a null."""
    return [None if v is None else _decayed(row[: k + 1], alpha)[0] for k, v in enumerate(row)]


def ewm_var(row: list[Any], alpha: float) -> list[Any]:
    """API, ewm: corrected for bias; null where there is one item."""
    return [None if v is None else _decayed(row[: k + 1], alpha)[1] for k, v in enumerate(row)]


def _decayed(row: list[Any], alpha: float) -> tuple[float, float | None]:
    weighted = [(Fraction(1 - alpha) ** (len(row) - 1 - k), v) for k, v in enumerate(row) if v is not None]
    if not _is_finite(v for _, v in weighted):
        return math.nan, None if len(weighted) < 2 else math.nan
    total = sum(w for w, _ in weighted)
    mean = sum(w * Fraction(v) for w, v in weighted) / total
    spread = sum(w * (Fraction(v) - mean) ** 2 for w, v in weighted) / total
    rest = total * total - sum(w * w for w, _ in weighted)
    if len(weighted) < 2:
        return float(mean), None
    return float(mean), float(spread * total * total / rest) if rest else math.nan


# ---------------------------------------------------------------------------------------------------------------- chance


def shuffle(x: Nested, got: Nested, ndim: int) -> bool:
    """Whether each row holds the same items as before, in any order."""
    rows, others = items(x, ndim - 1), items(got, ndim - 1)
    counted = lambda row: None if row is None else Counter(map(repr, row))  # noqa: E731
    return [*map(counted, rows)] == [*map(counted, others)]


def sample(x: Nested, got: Nested, ndim: int, n: int | None = None) -> bool:
    """Whether each row holds n of the items, or any number of them, in the order in which they were."""

    def is_part(before: Any, after: Any) -> bool:
        if before is None or after is None:
            return before is after
        left = iter(map(repr, before))  # `in` moves the iterator on
        return (n is None or len(after) == min(n, len(before))) and all(repr(one) in left for one in after)

    return all(map(is_part, items(x, ndim - 1), items(got, ndim - 1)))


def random(got: Nested, ndim: int) -> bool:
    """Whether all leaves are numbers from 0 to before 1, and few are equal."""
    leaves = items(got, ndim)
    return all(0.0 <= v < 1.0 for v in leaves) and len(set(leaves)) >= 0.99 * len(leaves)


# ----------------------------------------------------------------------------------------------------------------- text

PLAIN_TEXT = ("lower", "upper", "title", "capitalize", "swapcase")
PREDICATES = (
    *("isalnum", "isalpha", "isascii", "isdecimal", "isdigit", "islower"),
    *("isnumeric", "isprintable", "isspace", "istitle", "isupper"),
)


def extracted(text: str, pattern: str) -> dict[str, str | None] | None:
    """API, text: the groups of the first match; None without one, unused groups None."""
    found = re.search(pattern, text)
    if found is None:
        return None
    names = {number: name for name, number in found.re.groupindex.items()}
    return {names.get(place + 1, str(place + 1)): one for place, one in enumerate(found.groups())}


def text_replaced(text: str, old: str, new: str, n: int = -1, *, regex: bool = False) -> str:
    if not regex:
        return text.replace(old, new, n)
    return text if n == 0 else re.sub(old, new, text, count=max(n, 0))


def text_split(text: str, sep: str | None = None, maxsplit: int = -1, *, regex: bool = False) -> list[str]:
    if not regex or maxsplit == 0:
        return [text] if sep is not None and maxsplit == 0 else text.split(sep, maxsplit)
    return re.split(sep or "", text, maxsplit=max(maxsplit, 0))


def text_contains(text: str, pattern: str, *, regex: bool = False, ignore_case: bool = False) -> bool:
    return re.search(pattern if regex else re.escape(pattern), text, re.IGNORECASE if ignore_case else 0) is not None


def padded_text(text: str, n: int, side: str = "left", fill: str = " ") -> str:
    return {"left": text.rjust, "right": text.ljust, "both": text.center}[side](n, fill)


def from_json(texts: list[str | None]) -> list[Any]:
    """API, files: each text as Python's json reads it; null stays null."""
    return [None if text is None else json.loads(text) for text in texts]


def read_number(text: str, kind: Callable[[str], Any] = int) -> Any:
    """API, text: blanks around and a leading plus are allowed; None for what is no number."""
    plain = text.strip()
    digits = r"[+-]?[0-9]+" if kind is int else r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?(nan|inf|infinity)"
    return kind(plain) if re.fullmatch(digits, plain, re.IGNORECASE) else None


def read_time(text: str, format: str | None = None) -> dt.datetime | None:
    """API, text: as Python's strptime; ISO 8601 with two digits for each part."""
    iso = r"\d{4}-\d\d-\d\d([ T]\d\d(:?\d\d(:?\d\d(\.\d{1,6})?)?)?)?"
    try:
        if format is not None:
            return dt.datetime.strptime(text, format)  # noqa: DTZ007 - the format says whether there is a zone
        return dt.datetime.fromisoformat(text) if re.fullmatch(iso, text, re.ASCII) else None
    except ValueError:
        return None


TEXT: dict[str, Callable[..., Any]] = {
    **{
        name: getattr(str, name) for name in (*PLAIN_TEXT, *PREDICATES, "strip", "lstrip", "rstrip", "removeprefix", "removesuffix")
    },
    **{name: getattr(str, name) for name in ("zfill", "center", "ljust", "rjust", "startswith", "endswith", "find", "count")},
    "len": len,
    "byte_len": lambda text: len(text.encode()),
    "reverse": lambda text: text[::-1],
    "slice": lambda text, start, stop=None, step=None: text[start:stop:step],
    "pad": padded_text,
    "contains": text_contains,
    "match": lambda text, pattern: re.match(pattern, text) is not None,
    "fullmatch": lambda text, pattern: re.fullmatch(pattern, text) is not None,
    "replace": text_replaced,
    "extract": extracted,
    "extract_all": lambda text, pattern: [found[0] for found in re.finditer(pattern, text)],
    "split": text_split,
    "repeat": lambda text, n: text * n,
    "cat": lambda text, other, sep="": sep.join([text, other]),
    "to_number": lambda text, kind=int: read_number(text, kind),
    "to_datetime": lambda text, format=None: read_time(text, format),
}
"""API, text: what each method of `x.str` gives for one string."""


def text_method(name: str, x: Nested, ndim: int, *args: Any, **kwargs: Any) -> Nested:
    """A method of `x.str`: null stays null."""
    return elementwise(lambda text: TEXT[name](text, *args, **kwargs), Jag(x, ndim))


# ----------------------------------------------------------------------------------------------------------------- time

PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
DAY = 86_400 * 10**9


def wall(count: int, unit: str, zone: str | None = None) -> tuple[dt.datetime, int]:
    """A moment as Python's wall time in whole seconds, and the nanoseconds within the second."""
    if unit == "D":
        count, unit = count * 86_400, "s"
    seconds, rest = divmod(count, PER_SECOND[unit])
    moment = dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + dt.timedelta(seconds=seconds)
    local = moment.astimezone(zoneinfo.ZoneInfo(zone)) if zone else moment
    return local.replace(tzinfo=None), rest * (10**9 // PER_SECOND[unit])


DATE_FIELDS: dict[str, Callable[[dt.datetime, int], int]] = {
    "year": lambda t, _: t.year,
    "quarter": lambda t, _: (t.month + 2) // 3,
    "month": lambda t, _: t.month,
    "week": lambda t, _: t.isocalendar().week,
    "day": lambda t, _: t.day,
    "weekday": lambda t, _: t.weekday(),
    "day_of_year": lambda t, _: t.timetuple().tm_yday,
}
CLOCK_FIELDS: dict[str, Callable[[dt.datetime, int], int]] = {
    "hour": lambda t, _: t.hour,
    "minute": lambda t, _: t.minute,
    "second": lambda t, _: t.second,
    "millisecond": lambda _, ns: ns // 10**6,
    "microsecond": lambda _, ns: ns // 10**3 % 10**3,
    "nanosecond": lambda _, ns: ns % 10**3,
}


def as_nanoseconds(t: dt.datetime) -> int:
    return (t - dt.datetime(1970, 1, 1)) // dt.timedelta(seconds=1) * 10**9  # noqa: DTZ001 - wall time


def rounded_time(nanoseconds: int, every: str, how: str) -> int:
    """API, text, time: multiples from 1970, weeks from a Monday, ties up; nanoseconds of wall time."""
    n, unit = int(re.findall("[0-9]+", every)[0]), re.findall("[a-z]+", every)[0]
    if unit in ("mo", "q", "y"):
        t, _ = wall(nanoseconds, "ns")
        months = (t.year - 1970) * 12 + t.month - 1
        step = n * {"mo": 1, "q": 3, "y": 12}[unit]
        first = months // step * step
        ends = [as_nanoseconds(dt.datetime(1970 + k // 12, k % 12 + 1, 1)) for k in (first, first + step)]  # noqa: DTZ001
    else:
        step = n * {"m": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400}.get(unit, 1) * 10**9 // {"ms": 1000, "us": 10**6}.get(unit, 1)
        origin = 4 * DAY if unit == "w" else 0
        low = (nanoseconds - origin) // step * step + origin
        ends = [low, low + step]
    if how == "ceil":
        return ends[0] if nanoseconds == ends[0] else ends[1]
    return ends[int(how == "round" and nanoseconds - ends[0] >= ends[1] - nanoseconds)]


TIME: dict[str, Callable[..., Any]] = {
    **DATE_FIELDS,
    **CLOCK_FIELDS,
    "date": lambda t, _: t.date(),
    "time": lambda t, ns: (t - t.replace(hour=0, minute=0, second=0)) // dt.timedelta(seconds=1) * 10**9 + ns,
    "timestamp": lambda count, unit, wanted: (
        (count * 86_400 if unit == "D" else count) * PER_SECOND[wanted] // PER_SECOND.get(unit, 1)
    ),
    "total_seconds": lambda count, unit: float(Fraction(count, PER_SECOND[unit])),
    **{how: lambda ns, every, how=how: rounded_time(ns, every, how) for how in ("floor", "ceil", "round")},
    "strftime": lambda t, ns, format: t.replace(microsecond=ns // 1000).strftime(format),
    "tz_convert": wall,
    "tz_localize": lambda t, zone: t.replace(tzinfo=zoneinfo.ZoneInfo(zone)).timestamp(),
}
"""API, time: what each method of `x.dt` gives for one item."""


GROUP |= {one.__name__: one for one in (skew, kurtosis, sem, mad, entropy, moment, ptp, norm)}
_OURS = {name: found for name, found in globals().items() if callable(found) and getattr(found, "__module__", "") == __name__}
ORACLES |= {name: found for name, found in _OURS.items() if name not in ORACLES}
ORACLES |= ITEMS | GROUP | SLOTS | {f"str.{name}": found for name, found in TEXT.items()}
ORACLES |= {f"dt.{name}": found for name, found in TIME.items()}
