"""How a strategy is chosen from facts: one function per decision, which reads sizes and returns the name of a strategy.

All strategies of an operation give the same result where they apply; `CHOICES` lists them, and `sizes` holds all thresholds.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

from arrowjag import _versions
from arrowjag._kernels.strategy import sizes
from arrowjag._kernels.strategy.shares import Offsets, is_even, lengths_of, short_share, total_up_to

# --------------------------------------------------------------------------------------------------- equal and ordered items

_LEXSORTED = "?bBhHiIlLqQefd"  # numpy's letters of booleans, and of integers and floats of up to 64 bits


def are_small(keys: tuple[Any, ...], ready: Callable[[], bool] | None) -> bool:
    """Whether all keys together have few values, of types that np.lexsort orders as the other strategies do."""
    total = 0
    for key, _ in keys:
        total += len(key)
        if total >= sizes.SMALL_VALUES or key.dtype.char not in _LEXSORTED:
            return False
    return total < sizes.READY_VALUES or ready is None or not ready()


def lexsorts(*keys: Any) -> bool:
    """Whether np.lexsort takes the types of all keys."""
    return not [key for key, _ in keys if key.dtype.char not in _LEXSORTED]


def is_huge(offsets: Offsets) -> bool:
    """Whether a block is one row that is divided into parts."""
    return len(offsets) == 2 and int(offsets[1]) > sizes.HUGE


def order(offsets: Offsets, ready: Callable[[], bool] | None = None) -> str:
    """Choose for a block of rows; `ready`: a compiled loop compares pairs of few values."""
    if short_share(offsets) or (ready is not None and ready()):
        return "pairs"
    return "partition" if is_huge(offsets) else "matrix"


def sort_rule(offsets: Offsets, fits: Callable[[], bool], has_signed_zeros: bool, _is_float: bool) -> str:
    """Choose how to sort; `fits`: polars orders the values as arrowjag does."""
    if has_signed_zeros:
        return "order"
    return "polars" if is_huge(offsets) and polars_for(int(offsets[1])) is not None and fits() else "matrix"


def short_sort(offsets: Offsets, ready: bool) -> str:
    """Choose the loop for short rows if most values are in such rows."""
    if not ready or offsets[-1] > sizes.SORT_LENGTH * (len(offsets) - 1):
        return "numpy"
    return "compiled" if 2 * total_up_to(sizes.PAIRS_LENGTH, offsets) >= offsets[-1] else "numpy"


def rank(offsets: Offsets, wide: bool, in_digits: bool = False, ready: bool = False) -> str:
    """Choose for a block of rows; `ready`: a compiled loop compares pairs, of few values too."""
    if wide:
        return "sort"
    if is_huge(offsets) and not in_digits:
        return "partition"
    return "pairs" if short_share(offsets, least=sizes.READY_VALUES if ready else None) else "sort"


def equal(offsets: Offsets, n_keys: int = 1, sort: bool = False, ready: Callable[[], bool] | None = None) -> str:
    """Choose for a block of rows with one key; several keys, and groups in the order of their keys, require a sort."""
    if n_keys > 1 or sort:
        return "sort"
    if ready is not None and ready():
        return "compiled"
    return "pairs" if short_share(offsets) else "hash"


def count_distinct(offsets: Offsets, ready: Callable[[], bool], fits: bool = False) -> str:
    """Choose how to count distinct items; `fits`: polars counts items of the type."""
    if ready():
        return "compiled"
    if short_share(offsets):
        return "pairs"
    return "polars" if row_reduction(offsets, fits) == "polars" else "hash"


def member(offsets: Offsets, other: Offsets, ready: bool = False) -> str:
    return "compiled" if ready else "pairs" if short_share(offsets, other) else "hash"


def topk(offsets: Offsets, counts: Offsets) -> str:
    """Choose segments if a fourth of the values is in rows that are much longer than `counts`."""
    if offsets[-1] < sizes.TOPK_VALUES:
        return "sort"
    lengths = lengths_of(offsets)
    long = lengths > counts * (sizes.TOPK_SEGMENT * sizes.TOPK_SHARE)
    return "sort" if 4 * int(lengths[long].sum()) < offsets[-1] else "segments"


def edges(n_edges: int, n_values: int) -> str:
    return "compare" if n_edges <= sizes.EDGES_COMPARED and n_values >= sizes.CALL_VALUES else "search"


def in_set(n_known: int, span: int | None) -> str:
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


def reduced(offsets: Offsets) -> str:
    """Reduce slot by slot if there are many rows, all of one short length."""
    n_values = int(offsets[-1])
    short = sizes.CALL_VALUES <= n_values <= sizes.REPEAT_COLUMNS * (len(offsets) - 1)
    return "columns" if short and is_even(offsets) else "reduceat"


def row_reduction(offsets: Offsets, fits: bool, lengths: tuple[int, float] = (0, math.inf)) -> str:
    """Choose by mean length, which `lengths` bounds; `fits`: polars has the same kernel for the types of data and result."""
    n_values, n_rows = int(offsets[-1]), len(offsets) - 1
    by_polars = fits and n_values >= sizes.POLARS_VALUES and lengths[0] * n_rows <= n_values < lengths[1] * n_rows
    return "polars" if by_polars and _versions.loaded("polars") is not None else "numpy"


def long_rows(offsets: Offsets, fits: bool) -> str:
    """Choose as `row_reduction`, for kernels of polars that have a cost per row."""
    return row_reduction(offsets, fits, (sizes.POLARS_ROW, math.inf))


def row_sum(n_values: int, ready: bool) -> str:
    """Choose how to sum rows; `ready`: a compiled loop for the type is loaded."""
    if ready:
        return "compiled"
    return "numpy" if n_values < sizes.POLARS_VALUES or polars_for(n_values) is None else "polars"


def utf8(n_bytes: int, is_ready: Callable[[], bool]) -> str:
    """Choose how to validate bytes that are not all ASCII."""
    if n_bytes < sizes.UTF8_POLARS_BYTES:
        return "arrow"
    if "polars" not in sys.modules and is_ready():
        return "compiled"
    return "polars" if ("polars" in sys.modules or n_bytes >= sizes.UTF8_LOAD_BYTES) and has_polars() else "arrow"


def compiled_or_numpy(ready: bool) -> str:
    return "compiled" if ready else "numpy"


def compiled_or_arrow(ready: bool) -> str:
    return "compiled" if ready else "arrow"


def compiled_or_blocks(ready: bool) -> str:
    return "compiled" if ready else "blocks"


def count_rule(n_values: int, ready: bool = False) -> str:
    """Choose how to count flags; `ready`: they are bits, and a compiled loop is loaded."""
    by_size = "whole" if n_values < sizes.CALL_VALUES else "blocks"
    return "compiled" if ready else "polars" if polars_for(n_values) is not None else by_size


def scan(n_rows: int, longest: int, is_sum_of_integers: bool) -> str:
    if longest * n_rows <= sizes.SCAN_CELLS:
        return "matrix"
    if is_sum_of_integers:
        return "totals"
    return "lengths" if longest > sizes.SCAN_LENGTH else "slots"


def outer(plain: bool) -> str:
    """Choose for an outer axis; `plain`: type and values allow adding or comparing items in any order."""
    return "scatter" if plain else "move"


# --------------------------------------------------------------------------------------------------- moving values


def small_or(other: str) -> Callable[..., str]:
    """Choose "small" for few values, for many a compiled loop if it is ready, or the other strategy."""

    def rule(n_values: int, ready: bool = False) -> str:
        return "small" if n_values < sizes.CALL_VALUES else "compiled" if ready else other

    return rule


def rows(n_values: int, n_rows: int, kind: str, n_taken: int, ready: Callable[[], bool], shared: bool = False) -> str:
    """Of rows that are taken; so few of them that offsets cost more are taken item by item.

    `kind` is "word", "text" or ""; `shared` where polars holds the type.
    """
    if not kind or not n_values or n_values < sizes.COMPILED_VALUES or n_taken * sizes.RUN_LENGTH < n_rows:
        return "items"
    if ready():
        return "compiled"
    least = sizes.RUN_VALUES if kind == "text" else max(sizes.RUN_VALUES, sizes.RUN_LENGTH * n_rows)
    if n_values >= least:
        return "runs"
    return "polars" if shared and n_values >= sizes.POLARS_VALUES and _versions.loaded("polars") is not None else "items"


def joined_rows(n_values: int, n_rows: int, fixed_width: bool, n_taken: int) -> str:
    """Choose as `rows`, for rows that are joined from several columns of fixed-width values."""
    many = n_values >= max(sizes.RUN_VALUES, sizes.RUN_LENGTH * n_rows) and n_taken * sizes.RUN_LENGTH >= n_rows
    return "runs" if (many or 0 < n_values < sizes.CALL_VALUES) and fixed_width else "items"


def joined(n_values: int, fixed_width: bool, ready: bool) -> str:
    """Choose for spans that are joined from several columns."""
    return "small" if fixed_width and n_values < sizes.CALL_VALUES else compiled_or_arrow(ready)


def runs(n_values: int, n_runs: int, fixed_width: bool) -> str:
    """Choose for runs in ascending order."""
    return "runs" if n_values >= max(sizes.RUN_VALUES, sizes.RUN_LENGTH * n_runs) and fixed_width else "items"


def spread(n_values: int, fixed_width: bool, parents_known: bool, bits: int, even: Callable[[], bool]) -> str:
    """Choose how to broadcast one item per row; `bits`: the width of an item; `even`: all rows have one length."""
    if n_values < sizes.CALL_VALUES or not fixed_width:
        return "take"
    return "repeat" if even() else "take_bytes" if bits > 64 or (parents_known and bits > 1) else "words"


def parents(n_values: int, n_rows: int) -> str:
    return "repeat" if n_values >= sizes.REPEAT_LENGTH * n_rows or n_values < sizes.PARENTS_VALUES else "count"


def positions(n_values: int, n_rows: int, longest: Callable[[], int], ready: bool = False) -> str:
    if ready or not sizes.CALL_VALUES <= n_values <= sizes.WINDOW_WIDTH * n_rows:
        return "runs"
    widest = longest()
    return "windows" if 0 < widest * n_rows <= sizes.WINDOW_WASTE * n_values and widest <= sizes.WINDOW_WIDTH else "runs"


def filter(n_values: int, fixed_width: bool, shared: bool, ready: bool = False) -> str:
    """Choose how to filter; `shared`: polars stores the type as Arrow does; `ready`: so is the compiled loop."""
    if 0 < n_values < sizes.CALL_VALUES and fixed_width:
        return "small"
    others = "compiled" if ready else "arrow"
    is_worth_it = _versions.loaded("polars") is not None or (not ready and n_values >= sizes.POLARS_LOAD_VALUES and has_polars())
    least = sizes.THREAD_VALUES if ready else sizes.POLARS_FILTER_VALUES  # on one core the loop is faster
    return "polars" if shared and n_values >= least and is_worth_it else others


def has_polars() -> bool:
    return _versions.load("polars") is not None


def repeat(n_values: int, count: int, is_ready: Callable[[], bool]) -> str:
    if n_values * count < sizes.REPEATED_AT_ONCE:
        return "small"
    return "compiled" if is_ready() else "columns" if count <= sizes.REPEAT_COLUMNS else "rows"


def repeat_bits(n_values: int, count: int) -> str:
    by_size = "spread" if count > sizes.BIT_TABLE_COLUMNS else "table"
    return "small" if n_values * count < sizes.REPEATED_AT_ONCE else by_size


def are_distinct(n_places: int, n: int) -> str:
    return "sort" if n_places * sizes.SPARSE_PLACES < n else "marks"


def arithmetic(n_values: int, size: str) -> str:
    """Choose for an operator; `size` names the threshold from which blocks pay."""
    return "blocks" if n_values >= getattr(sizes, size) else "whole"


def few_runs(n_runs: int) -> str:
    return "slices" if n_runs <= sizes.SLICED_RUNS else "strings"


def coalesce(n_values: int, n_nulls: int) -> str:
    """Choose how to fill nulls: where few items are null, pyarrow takes 1 ns per item, where every second one is, 4."""
    return "blocks" if n_values >= (sizes.WORD_VALUES if 10 * n_nulls < n_values else sizes.CHOICE_VALUES) else "whole"


def at_least(size: str) -> Callable[[int], str]:
    return lambda n_values: arithmetic(n_values, size)


def expression(n_values: int, n_itemwise: int, n_calls: int) -> str:
    """Choose blocks if enough calls are elementwise; other calls cost more in blocks."""
    enough = n_itemwise >= sizes.JIT_CALLS and n_itemwise >= sizes.JIT_SHARE * (n_calls - n_itemwise)
    return "blocks" if enough and n_values >= sizes.JIT_VALUES else "whole"


# --------------------------------------------------------------------------------------------------- dense, transpose


def unpad(n_rows: int, n_values: int, width: int, item_bytes: int) -> str:
    """Choose windows if rows are so full that copying all cells costs less than finding those that hold a value."""
    most = sizes.WINDOW_CELLS_PER_VALUE if item_bytes <= 8 else sizes.WIDE_WINDOW_CELLS_PER_VALUE
    narrow = width <= sizes.WINDOW_WIDTH and item_bytes <= sizes.WIDEST_ITEM_BYTES
    return "windows" if narrow and n_rows * width <= most * n_values else "items"


def pad(width: int, is_word: bool) -> str:
    return "windows" if is_word and 0 < width <= sizes.WINDOW_WIDTH else "items"


def transpose(
    even: Callable[[], Any], neighbours: bool, declared: Callable[[], bool], shears: Callable[[], bool], n_items: int
) -> str:
    """Choose for ragged dims, from their sizes if they are uniform, and whether the second declares its size without null rows."""
    if not (neighbours and n_items < sizes.CALL_VALUES) and even() is not None:
        return "even"
    if neighbours:
        return "slices" if declared() else "columns"
    return "radix" if shears() else "exact"


def digits(n_values: int, n_bits: int) -> str:
    return "radix" if n_values < sizes.CALL_VALUES or n_bits > sizes.COUNTED_BITS else "count"


def frame(n_dims: int, n_frames: int, n_items: int) -> str:
    return "columns" if n_dims == 2 and n_frames == 1 and n_items > sizes.LARGE_FRAME else "coordinates"
