"""How a strategy is chosen from facts: one function per decision, which reads sizes and returns the name of a strategy.

All strategies of one operation give the same result, wherever they are able to compute it: `CHOICES` names them and says where they
are able. All sizes stand in `sizes`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrowjag import _versions
from arrowjag._kernels.strategy import sizes

__all__ = ["CHOICES", "Choice", "are_small", "lexsorts", "long_share", "polars_for", "short_share"]

Offsets = NDArray[np.int64]


def _lengths(offsets: Offsets) -> Offsets:
    found: Offsets = offsets[1:] - offsets[:-1]
    return found


# --------------------------------------------------------------------------------------------------- equal and ordered items


def are_small(*keys: Any) -> bool:
    """Whether all keys together have few values, of types that np.lexsort orders as the other strategies do."""
    total = 0
    for key, _ in keys:
        total += len(key)
        if total >= sizes.SMALL_VALUES:
            return False
    return lexsorts(*keys)


def lexsorts(*keys: Any) -> bool:
    """Whether np.lexsort takes the types of all keys."""
    return all(key.dtype.kind in "buif" and key.dtype.itemsize <= 8 for key, _ in keys)


def short_share(*offsets: Offsets) -> bool:
    """Whether there are enough values for pairs, and most of them in short rows: of each column, where there are several."""
    n_values = sum([int(one[-1]) for one in offsets])
    longest = sizes.PAIRS_LENGTH
    if n_values < sizes.PAIRS_VALUES or n_values > longest * sum([len(one) - 1 for one in offsets]):
        return False
    lengths = [_lengths(one) for one in offsets]
    short = np.logical_and.reduce([one <= longest for one in lengths])
    return 2 * sum(int(one[short].sum()) for one in lengths) >= n_values


def long_share(offsets: Offsets, length: int | None = None) -> bool:
    """Whether most values are in rows longer than `length`, HASH_LENGTH by default."""
    lengths = _lengths(offsets)
    return 2 * int(lengths[lengths > (length or sizes.HASH_LENGTH)].sum()) >= int(offsets[-1])


def is_huge(offsets: Offsets) -> bool:
    """Whether a block is one row that is divided into parts."""
    return len(offsets) == 2 and int(offsets[1]) > sizes.HUGE


def _order(offsets: Offsets, paired: bool = True) -> str:
    """Of a block of rows; `paired` where pairs are able to."""
    if paired and short_share(offsets):
        return "pairs"
    return "partition" if is_huge(offsets) else "matrix"


def _sort(offsets: Offsets, is_various: Callable[[], bool], has_signed_zeros: bool, is_float: bool) -> str:
    del is_float
    if has_signed_zeros:
        return "order"
    return "partition" if is_huge(offsets) and is_various() else "matrix"


def _rank(offsets: Offsets, wide: bool) -> str:
    if wide:
        return "sort"
    if is_huge(offsets):
        return "partition"
    return "pairs" if short_share(offsets) else "sort"


def _equal(offsets: Offsets, n_keys: int = 1, sort: bool = False) -> str:
    """Of a block of rows with one key; several keys, and groups in the order of their keys, need the sort."""
    if n_keys > 1 or sort:
        return "sort"
    if short_share(offsets):
        return "pairs"
    return "hash" if long_share(offsets) else "sort"


def _distinct(
    offsets: Offsets, n_keys: int = 1, fits: Callable[[], bool] | None = None, ready: Callable[[], bool] | None = None
) -> str:
    """As `_equal`; `fits` tells whether the codes of the items leave bits for their places."""
    if n_keys == 1 and ready is not None and ready():
        return "compiled"
    found = _equal(offsets, n_keys)
    return "matrix" if found == "sort" and n_keys == 1 and (fits is None or fits()) else found


def _count_distinct(offsets: Offsets, ready: Callable[[], bool]) -> str:
    if ready():
        return "compiled"
    if short_share(offsets):
        return "pairs"
    return "hash" if long_share(offsets, sizes.HASH_COUNT_LENGTH) else "matrix"


def _member(offsets: Offsets, other: Offsets) -> str:
    return "pairs" if short_share(offsets, other) else "hash"


def _topk(offsets: Offsets, counts: Offsets) -> str:
    """Segments where a fourth of the values is in rows much longer than what is wanted of them."""
    if offsets[-1] < sizes.TOPK_VALUES:
        return "sort"
    lengths = _lengths(offsets)
    long = lengths > counts * (sizes.TOPK_SEGMENT * sizes.TOPK_SHARE)
    return "sort" if 4 * int(lengths[long].sum()) < offsets[-1] else "segments"


def _in_set(n_known: int, span: int | None) -> str:
    """Choose by the number of members, and by the span between the smallest and the largest integer."""
    if n_known <= sizes.SET_COMPARED:
        return "compare"
    return "table" if span is not None and span < sizes.SET_TABLE else "hash"


# --------------------------------------------------------------------------------------------------- reductions and scans


def polars_for(n_values: int) -> Any:
    """The polars module; None if it is absent or too old, or not loaded and the work too small to load it."""
    if n_values < sizes.POLARS_VALUES or (n_values < sizes.POLARS_LOAD_VALUES and "polars" not in sys.modules):
        return None
    return _versions.load("polars")


def _row_reduction(offsets: Offsets, fits: bool) -> str:
    """`fits` where polars has the same kernel for the type of the data and of the result."""
    if not fits or offsets[-1] < sizes.POLARS_VALUES or _versions.loaded("polars") is None:
        return "numpy"
    return "polars" if int(_lengths(offsets).max()) <= sizes.POLARS_LENGTH else "numpy"


def _row_sum(n_values: int, ready: bool) -> str:
    """`ready` where a compiled loop for the type is loaded."""
    if ready:
        return "compiled"
    return "numpy" if polars_for(n_values) is None else "polars"


def _utf8(n_bytes: int) -> str:
    """Of bytes that are not all ASCII."""
    if n_bytes < sizes.UTF8_POLARS_BYTES or (n_bytes < sizes.UTF8_LOAD_BYTES and "polars" not in sys.modules):
        return "arrow"
    return "polars" if _has_polars() else "arrow"


def _compiled_or_numpy(ready: bool) -> str:
    return "compiled" if ready else "numpy"


def _compiled_or_blocks(ready: bool) -> str:
    return "compiled" if ready else "blocks"


def _count(n_values: int) -> str:
    if polars_for(n_values) is not None:
        return "polars"
    return "whole" if n_values < sizes.CALL_VALUES else "blocks"


def _scan(n_rows: int, longest: int, is_sum_of_integers: bool) -> str:
    if longest * n_rows <= sizes.SCAN_CELLS:
        return "matrix"
    if is_sum_of_integers:
        return "totals"
    return "lengths" if longest > sizes.SCAN_LENGTH else "slots"


def _outer(plain: bool) -> str:
    """`plain` where the type and the values allow to add or compare items in any order."""
    return "scatter" if plain else "move"


# --------------------------------------------------------------------------------------------------- moving values


def _small_or(other: str) -> Callable[[int], str]:
    def rule(n_values: int) -> str:
        return "small" if n_values < sizes.CALL_VALUES else other

    return rule


def _rows(n_values: int, n_rows: int, fixed_width: bool, n_taken: int) -> str:
    """Of rows that are taken; so few of them that offsets cost more are taken item by item."""
    many = n_values >= max(sizes.RUN_VALUES, sizes.RUN_LENGTH * n_rows) and n_taken * sizes.RUN_LENGTH >= n_rows
    return "runs" if many and fixed_width else "items"


def _runs(n_values: int, n_runs: int, fixed_width: bool) -> str:
    """Of runs that lie in order."""
    return "runs" if n_values >= max(sizes.RUN_VALUES, sizes.RUN_LENGTH * n_runs) and fixed_width else "items"


def _spread(n_values: int, fixed_width: bool, parents_known: bool, bits: int) -> str:
    """Of one item per row; `bits` is the width of an item."""
    if n_values < sizes.CALL_VALUES or not fixed_width:
        return "take"
    return "take_bytes" if bits > 64 or (parents_known and bits > 1) else "sum"


def _parents(n_values: int, n_rows: int) -> str:
    return "repeat" if n_values >= sizes.REPEAT_LENGTH * n_rows or n_values < sizes.PARENTS_VALUES else "count"


def _positions(n_values: int, n_rows: int, longest: Callable[[], int]) -> str:
    if not sizes.CALL_VALUES <= n_values <= sizes.WINDOW_WIDTH * n_rows:
        return "runs"
    widest = longest()
    return "windows" if 0 < widest * n_rows <= sizes.WINDOW_WASTE * n_values and widest <= sizes.WINDOW_WIDTH else "runs"


def _filter(n_values: int, fixed_width: bool, shared: bool) -> str:
    """`shared` where polars stores the type as Arrow does."""
    if 0 < n_values < sizes.CALL_VALUES and fixed_width:
        return "small"
    return "polars" if n_values >= sizes.POLARS_FILTER_VALUES and shared and _has_polars() else "arrow"


def _has_polars() -> bool:
    return _versions.load("polars") is not None


def _repeat(n_values: int, count: int) -> str:
    if n_values * count < sizes.CALL_VALUES:
        return "small"
    return "columns" if count <= sizes.REPEAT_COLUMNS else "rows"


def _repeat_bits(n_values: int, count: int) -> str:
    if n_values * count < sizes.CALL_VALUES:
        return "small"
    return "spread" if count > sizes.BIT_TABLE_COLUMNS else "table"


def _are_distinct(n_places: int, n: int) -> str:
    return "sort" if n_places * sizes.SPARSE_PLACES < n else "marks"


def _arithmetic(n_values: int, size: str) -> str:
    """`size` names what the operator is worth blocks from."""
    return "blocks" if n_values >= getattr(sizes, size) else "whole"


def _at_least(size: str) -> Callable[[int], str]:
    def rule(n_values: int) -> str:
        return "blocks" if n_values >= getattr(sizes, size) else "whole"

    return rule


# --------------------------------------------------------------------------------------------------- dense, transpose


def _unpad(n_rows: int, n_values: int, width: int, item_bytes: int) -> str:
    """Windows where rows are so full that to copy all their cells costs less than to find those that are wanted."""
    most = sizes.WINDOW_CELLS_PER_VALUE if item_bytes <= 8 else sizes.WIDE_WINDOW_CELLS_PER_VALUE
    narrow = width <= sizes.WINDOW_WIDTH and item_bytes <= sizes.WIDEST_ITEM_BYTES
    return "windows" if narrow and n_rows * width <= most * n_values else "items"


def _pad(width: int, is_word: bool) -> str:
    return "windows" if is_word and 0 < width <= sizes.WINDOW_WIDTH else "items"


def _softmax(longest: int, width: int, whole: bool) -> str:
    """`whole` where no row is cut and no half float widened."""
    if whole and width == 1:
        return "flat"
    return "places" if whole and longest <= sizes.SOFTMAX_PLACES else "lengths"


def _transpose(
    even: Callable[[], Any], neighbours: bool, declared: Callable[[], bool], shears: Callable[[], bool], n_items: int
) -> str:
    """Of ragged dims: the sizes if all rows of each have one, whether the second dim declares its size and has no null row."""
    if not (neighbours and n_items < sizes.CALL_VALUES) and even() is not None:
        return "even"
    if neighbours:
        return "slices" if declared() else "columns"
    return "radix" if shears() else "exact"


def _digits(n_values: int, n_bits: int) -> str:
    return "radix" if n_values < sizes.CALL_VALUES or n_bits > sizes.COUNTED_BITS else "count"


def _frame(n_dims: int, n_frames: int, n_items: int) -> str:
    return "columns" if n_dims == 2 and n_frames == 1 and n_items > sizes.LARGE_FRAME else "coordinates"


Able = Callable[..., bool]


def _always(*_: Any) -> bool:
    return True


def _never(*_: Any) -> bool:
    """Of what is decided for a whole call, by `is_small` or `is_forced`: blocks of the call fall back to the rule."""
    return False


def _is_row(offsets: Offsets, *_: Any) -> bool:
    return len(offsets) == 2 and int(offsets[1]) > 1


def _has_short(offsets: Offsets, *_: Any) -> bool:
    lengths = _lengths(offsets)
    return bool(((lengths > 0) & (lengths <= sizes.PAIRS_LENGTH)).any())


def _one_key(offsets: Offsets, n_keys: int = 1, sort: bool = False) -> bool:
    del offsets
    return n_keys == 1 and not sort


def _short_key(offsets: Offsets, n_keys: int = 1, sort: bool = False) -> bool:
    return _one_key(offsets, n_keys, sort) and _has_short(offsets)


def _fits(offsets: Offsets, n_keys: int = 1, fits: Callable[[], bool] | None = None, _ready: Any = None) -> bool:
    return n_keys == 1 and (fits is None or fits()) and offsets[-1] > 0


class Choice(NamedTuple):
    """What an operation chooses from."""

    rule: Callable[..., str]
    """From facts to the name of a strategy."""

    strategies: dict[str, Able]
    """Whether each strategy is able to compute the result, from the same facts."""


_EQUAL = {"small": _never, "pairs": _short_key, "hash": _one_key, "sort": _always}


def _either(rule: Callable[..., str], *names: str, **able: Able) -> Choice:
    return Choice(rule, dict.fromkeys(names, _always) | able)


CHOICES: dict[str, Choice] = {
    # order
    "sort": Choice(
        _sort,
        {
            "small": _never,
            "order": lambda _offsets, _various, _zeros, is_float: is_float,
            "matrix": lambda _offsets, _various, has_signed_zeros, _is_float: not has_signed_zeros,
            "partition": lambda offsets, _various, has_signed_zeros, _is_float: not has_signed_zeros and _is_row(offsets),
        },
    ),
    "argsort": _either(_order, "matrix", "cut", small=_never, apart=_never, pairs=_has_short, partition=_is_row),
    "searchsorted": _either(
        lambda offsets: "partition" if is_huge(offsets) else "bisect", "bisect", small=_never, partition=_is_row
    ),
    "rank": Choice(
        _rank,
        {
            "sort": _always,
            "pairs": lambda offsets, wide: not wide and _has_short(offsets),
            "partition": lambda offsets, wide: not wide and _is_row(offsets),
        },
    ),
    "topk": _either(_topk, "sort", segments=lambda offsets, _counts: bool(offsets[-1] > 0)),
    "quantile": _either(lambda length: "sort" if length <= sizes.SELECT_LENGTH else "select", "sort", "select", small=_never),
    # equal items
    "unique": Choice(
        _distinct,
        {
            "small": _never,
            "pairs": _has_short,
            "hash": lambda _offsets, n_keys=1, *_: n_keys == 1,
            "sort": _always,
            "matrix": _fits,
            "compiled": lambda _offsets, n_keys=1, _fits=None, ready=None: n_keys == 1 and ready is not None and ready(),
        },
    ),
    "group": Choice(_equal, _EQUAL),
    "value_counts": Choice(_equal, _EQUAL),
    "n_unique": _either(_count_distinct, "hash", "matrix", small=_never, pairs=_has_short),
    "member": _either(_member, "pairs", "hash", small=_never),
    "combine": _either(lambda: "blocks", "blocks", small=_never),
    "lookup": _either(lambda: "hash", "hash", small=_never),
    "hash_row": _either(lambda offsets: "partition" if is_huge(offsets) else "tables", "tables", partition=_is_row),
    "in_set": _either(_in_set, "compare", hash=lambda n, _span: n > 0, table=lambda _n, span: span is not None and span < 1 << 24),
    # reductions and scans
    "row_reduction": _either(_row_reduction, "numpy", polars=lambda offsets, fits: fits and offsets[-1] > 0 and _has_polars()),
    "row_sum": _either(_row_sum, "numpy", polars=lambda n, _ready: n > 0 and _has_polars(), compiled=lambda _n, ready: ready),
    "count": _either(_count, "whole", "blocks", polars=lambda n: n > 0 and _has_polars()),
    "outer": _either(_outer, "move", scatter=lambda plain: plain),
    "integer_sum": _either(_compiled_or_numpy, "numpy", compiled=lambda ready: ready),
    "extreme": _either(_compiled_or_numpy, "numpy", compiled=lambda ready: ready),
    "select": _either(_compiled_or_numpy, "numpy", compiled=lambda able: able),
    "text": _either(_compiled_or_numpy, "numpy", compiled=lambda ready: ready),
    "running": _either(_compiled_or_numpy, "numpy", compiled=lambda ready: ready),
    "variance": _either(_compiled_or_numpy, "numpy", compiled=lambda ready: ready),
    "central": _either(_compiled_or_numpy, "numpy", compiled=lambda ready: ready),
    "decay": _either(_compiled_or_numpy, "numpy", compiled=lambda ready: ready),
    "window": _either(_compiled_or_numpy, "numpy", compiled=lambda ready: ready),
    "window_quantile": _either(_compiled_or_numpy, "numpy", compiled=lambda able: able),
    "scan": Choice(
        _scan,
        {
            "matrix": lambda n_rows, longest, _sums: n_rows * longest <= 1 << 22,
            "totals": lambda _n, _longest, is_sum_of_integers: is_sum_of_integers,
            "slots": lambda _n, longest, _sums: longest < 256,
            "lengths": _always,
        },
    ),
    "shift": _either(lambda n: "positions" if n > sizes.SHIFT_SLOTS else "slots", "positions", "slots"),
    # moving values
    "take": _either(_small_or("arrow"), "small", "arrow"),
    "filter": _either(
        _filter,
        "arrow",
        small=lambda n_values, fixed_width, _shared: n_values > 0 and fixed_width,
        polars=lambda _n, _fixed_width, shared: shared and _has_polars(),
    ),
    "spread": _either(
        _spread,
        "take",
        take_bytes=lambda _n, fixed_width, _known, bits: fixed_width and bits > 1,
        sum=lambda _n, fixed_width, _known, bits: fixed_width and bits <= 64,
    ),
    "take_rows": _either(_rows, "items", runs=lambda n, _n_rows, fixed_width, _taken: n > 0 and fixed_width),
    "take_runs": _either(_runs, "items", runs=lambda _n, _n_runs, fixed_width: fixed_width),
    "parents": _either(_parents, "repeat", "count"),
    "positions": _either(_positions, "runs", windows=lambda n, n_rows, longest: 0 < n_rows * longest() <= 1 << 22),
    "runs": _either(_small_or("sum"), "small", "sum"),
    "fill": _either(_small_or("masks"), "small", "masks"),
    "carry": _either(_small_or("words"), "small", "words"),
    "repeat": _either(_repeat, "small", "columns", "rows"),
    "repeat_bits": _either(_repeat_bits, "small", "spread", table=lambda _n, count: count <= 1 << 10),
    "tile": _either(_small_or("pieces"), "small", "pieces"),
    "pad_items": _either(_at_least("CALL_VALUES"), "whole", "blocks"),
    "lend_rows": _either(_at_least("CALL_VALUES"), "whole", "blocks"),
    "nth": _either(_at_least("CALL_VALUES"), "whole", blocks=lambda n: n > 0),
    "are_distinct": _either(_are_distinct, "sort", "marks"),
    "if_else": _either(_at_least("CHOICE_VALUES"), "whole", "blocks"),
    "utf8": _either(_utf8, "arrow", polars=lambda _n: _has_polars()),
    "function": _either(_at_least("ONE_PASS_VALUES"), "whole", "blocks"),
    "arithmetic": _either(_arithmetic, "whole", "blocks"),
    "loop": _either(_compiled_or_blocks, "blocks", compiled=lambda ready: ready),
    "expression": _either(_at_least("JIT_VALUES"), "whole", blocks=lambda n: n > 0),
    "combinations": _either(lambda n_items: "items" if n_items <= sizes.COMBINATION_ITEMS else "lengths", "items", "lengths"),
    # dense arrays and transposition
    "pad": _either(_pad, "items", windows=lambda width, is_word: is_word and width > 0),
    "unpad": _either(_unpad, "items", windows=lambda n_rows, _n, width, item_bytes: 0 < n_rows * width * item_bytes < 1 << 26),
    "softmax": Choice(
        _softmax,
        {
            "flat": lambda _longest, width, whole: whole and width == 1,
            "places": lambda longest, _width, whole: whole and 0 < longest <= 1 << 12,
            "lengths": _always,
        },
    ),
    "transpose": Choice(
        _transpose,
        {
            "even": lambda even, *_: even() is not None,
            "slices": lambda _even, neighbours, declared, *_: neighbours and declared(),
            "columns": lambda _even, neighbours, *_: neighbours,
            "exact": lambda _even, _neighbours, _declared, shears, _n: not shears(),
            "radix": _always,
        },
    ),
    "digits": _either(_digits, "radix", "count"),
    "frame": _either(_frame, "coordinates", columns=lambda n_dims, n_frames, _n: n_dims == 2 and n_frames == 1),
}
"""Each operation, how it chooses, and what from."""
