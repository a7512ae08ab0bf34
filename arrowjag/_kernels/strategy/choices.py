"""The strategies of each operation: the rule that chooses one, and whether each is able to compute the result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from arrowjag import _versions
from arrowjag._kernels.strategy import rules, sizes
from arrowjag._kernels.strategy.rules import is_huge
from arrowjag._kernels.strategy.shares import Offsets, is_even, lengths_of

__all__ = ["CHOICES", "Choice"]


Able = Callable[..., bool]


def _always(*_: Any) -> bool:
    return True


def _never(*_: Any) -> bool:
    """For strategies that only a whole call can take, by `is_small` or `is_forced`: a block never takes them."""
    return False


def _is_row(offsets: Offsets, *_: Any) -> bool:
    return len(offsets) == 2 and int(offsets[1]) > 1


def _has_short(offsets: Offsets, *_: Any) -> bool:
    lengths = lengths_of(offsets)
    return bool(((lengths > 0) & (lengths <= sizes.PAIRS_LENGTH)).any())


def _one_key(offsets: Offsets, n_keys: int = 1, sort: bool = False, _ready: Any = None) -> bool:
    del offsets
    return n_keys == 1 and not sort


def _short_key(offsets: Offsets, n_keys: int = 1, sort: bool = False, _ready: Any = None) -> bool:
    return _one_key(offsets, n_keys, sort) and _has_short(offsets)


class Choice(NamedTuple):
    """The strategies of an operation, and the rule that chooses one."""

    rule: Callable[..., str]
    """From facts to the name of a strategy."""

    strategies: dict[str, Able]
    """Whether each strategy is able to compute the result, from the same facts."""


def _ready_key(offsets: Offsets, n_keys: int = 1, sort: bool = False, ready: Callable[[], bool] | None = None) -> bool:
    return _one_key(offsets, n_keys, sort) and ready is not None and ready()


_EQUAL = {"small": _never, "pairs": _short_key, "hash": _one_key, "sort": _always, "compiled": _ready_key}


def _either(rule: Callable[..., str], *names: str, **able: Able) -> Choice:
    return Choice(rule, dict.fromkeys(names, _always) | able)


def _chosen(ready: bool, n_values: int = 0) -> str:
    """Choose for items that are selected by flags; `n_values` is given if polars may select all of them at once."""
    if ready:
        return "compiled"
    return "polars" if n_values >= sizes.CALL_VALUES and _versions.loaded("polars") is not None else "numpy"


def _regex(n_values: int, is_shared: bool) -> str:
    """Choose an engine of regular expressions; `is_shared`: Arrow and polars find the same matches."""
    return "polars" if is_shared and n_values >= sizes.REGEX_POLARS_VALUES and _versions.loaded("polars") is not None else "arrow"


def _bits_at(n_places: int, n: int) -> str:
    return "each" if n_places * sizes.BITS_UNPACKED < n else "unpacked"


def _null_bits(n_values: int, n_rows: int, ready: Callable[[], bool]) -> str:
    """Choose whether loops read nulls as bits or as bytes: bytes are faster for short rows, but cost an unpacking."""
    by_bits = n_values < sizes.CALL_VALUES or n_values > sizes.BITS_LENGTH * n_rows
    return "compiled" if by_bits and ready() else "flags"


def _moved_bits(offsets: Offsets, n_values: int, ready: bool) -> str:
    """Move flags as bytes if rows seem to have one short length, unless few of many rows are moved: all would be unpacked."""
    n_rows, n = len(offsets) - 1, offsets[-1]
    by_bits = n_values >= sizes.LIGHT_ROW * n_rows or n > sizes.MOVED_FLAGS * n_rows or not is_even(offsets[: sizes.SAMPLED_ROWS])
    return "compiled" if ready and by_bits else "flags"


def _long_sort(offsets: Offsets, ready: bool) -> str:
    """Sort by the six digits of 64 bits if rows are long on average."""
    return _long_order(offsets, 6, ready)


def _long_order(offsets: Offsets, n_digits: int, ready: bool) -> str:
    return "compiled" if ready and offsets[-1] > sizes.DIGIT_LENGTH * n_digits * (len(offsets) - 1) else "numpy"


def _quantiles(n_values: int, n_rows: int, n_quantiles: int, is_float: bool, ready: bool) -> str:
    """Select the quantiles one by one if rows are so long that a sort takes longer."""
    bits = n_quantiles * (sizes.SELECTION_BITS if is_float else sizes.INTEGER_SELECTION_BITS)
    return "each" if ready and n_values > sizes.SELECT_LENGTH * n_rows and n_values >= n_rows << min(bits, 60) else "sort"


def _marked(n_values: int, n_rows: int) -> str:
    """Search the marked items for the bounds of rows if rows are long; count the marks if they are short."""
    return "search" if n_values > sizes.REDUCED_ROW * n_rows else "count"


def _map_keys(n_values: int, n_integers: int) -> str:
    return "table" if 0 < n_integers <= n_values else "items"


def _window_quantile(able: bool, slots: int) -> str:
    """Choose for windows of the mean size `slots`; `able`: a compiled loop can compute the result."""
    short = rules.compiled_or_numpy(able)
    return "ranks" if slots > (sizes.COMPILED_RANK_SLOTS if short == "compiled" else sizes.RANK_SLOTS) else short


def _copied_rows(n_values: int, n_gaps: int, fixed_width: bool, ready: Callable[[], bool]) -> str:
    """Choose for ascending rows with gaps: many gaps mean short runs. `ready`: a loop can move each row."""
    by = rules.runs(n_values, 0, fixed_width)
    return "compiled" if by == "runs" and n_values <= sizes.MOVED_LENGTH * n_gaps and ready() else by


_COMPILED_OR_NUMPY = _either(rules.compiled_or_numpy, "numpy", compiled=lambda ready: ready)
"""A loop as soon as there is machine code of it."""

CHOICES: dict[str, Choice] = {
    # order
    "sort": Choice(
        rules.sort_rule,
        {
            "small": _never,
            "order": lambda _offsets, _fits, _zeros, is_float: is_float,
            "matrix": lambda _offsets, _fits, has_signed_zeros, _is_float: not has_signed_zeros,
            "polars": lambda offsets, fits, has_signed_zeros, _is_float: (
                not has_signed_zeros and _is_row(offsets) and rules.has_polars() and fits()
            ),
        },
    ),
    "argsort": _either(
        rules.order,
        "matrix",
        "cut",
        small=_never,
        apart=_never,
        pairs=lambda offsets, _ready=None: _has_short(offsets),
        partition=lambda offsets, _ready=None: _is_row(offsets),
    ),
    "short_sort": _either(rules.short_sort, "numpy", compiled=lambda _offsets, ready: ready),
    "long_sort": _either(_long_sort, "numpy", compiled=lambda offsets, ready: ready and offsets[-1] > 0),
    "long_order": _either(_long_order, "numpy", compiled=lambda offsets, _n_digits, ready: ready and offsets[-1] > 0),
    **dict.fromkeys(("short_order", "short_ranks"), _COMPILED_OR_NUMPY),
    "searchsorted": _either(
        lambda offsets: "partition" if is_huge(offsets) else "bisect", "bisect", small=_never, partition=_is_row
    ),
    **dict.fromkeys(("bisect", "interpolate"), _COMPILED_OR_NUMPY),
    "rank": Choice(
        rules.rank,
        {
            "sort": _always,
            "pairs": lambda offsets, wide, *_: not wide and _has_short(offsets),
            "partition": lambda offsets, wide, *_: not wide and _is_row(offsets),
        },
    ),
    "topk": _either(rules.topk, "sort", segments=lambda offsets, _counts: bool(offsets[-1] > 0)),
    "quantile": _either(lambda length: "sort" if length <= sizes.SELECT_LENGTH else "select", "sort", "select", small=_never),
    "quantiles": _either(_quantiles, "each", "sort", small=_never),
    # equal items
    "unique": Choice(rules.equal, {name: able for name, able in _EQUAL.items() if name != "sort"}),
    **dict.fromkeys(("group", "value_counts"), Choice(rules.equal, _EQUAL)),
    "n_unique": _either(
        rules.count_distinct,
        "hash",
        small=_never,
        pairs=_has_short,
        compiled=lambda _offsets, ready, _fits=False: ready(),
        polars=lambda offsets, _ready, fits=False: fits and offsets[-1] > 0 and rules.has_polars(),
    ),
    "member": _either(rules.member, "pairs", "hash", small=_never, compiled=lambda _x, _y, ready=False: ready),
    "combine": _either(lambda: "blocks", "blocks", small=_never),
    "combined": _COMPILED_OR_NUMPY,
    "lookup": _either(lambda ready: "compiled" if ready else "hash", "hash", small=_never, compiled=lambda ready: ready),
    "hash_row": _either(lambda offsets: "partition" if is_huge(offsets) else "tables", "tables", partition=_is_row),
    **dict.fromkeys(("running_total", "one_of", "replace_equal", "collapsed", "equal_item"), _COMPILED_OR_NUMPY),
    "in_set": _either(
        rules.in_set, "compare", hash=lambda n, _span: n > 0, table=lambda _n, span: span is not None and span < 1 << 24
    ),
    **dict.fromkeys(("peaks", "binned", "drawn", "counted_slots"), _COMPILED_OR_NUMPY),
    "edges": _either(rules.edges, "search", compare=lambda n_edges, _n_values: n_edges < 128),
    # reductions and scans
    "reduced": _either(rules.reduced, "reduceat", columns=is_even),
    "null_bits": _either(_null_bits, "flags", compiled=lambda _values, _rows, ready: ready()),
    "row_reduction": _either(
        rules.row_reduction, "numpy", polars=lambda offsets, fits, _lengths=(): fits and offsets[-1] > 0 and rules.has_polars()
    ),
    "long_rows": _either(rules.long_rows, "numpy", polars=lambda offsets, fits: fits and offsets[-1] > 0 and rules.has_polars()),
    "row_sum": _either(
        rules.row_sum, "numpy", polars=lambda n, _ready: n > 0 and rules.has_polars(), compiled=lambda _n, ready: ready
    ),
    "count": _either(
        rules.count_rule,
        "whole",
        "blocks",
        polars=lambda n, _ready=False: n > 0 and rules.has_polars(),
        compiled=lambda _n, ready=False: ready,
    ),
    "marked": _either(_marked, "search", "count"),
    **dict.fromkeys(("flags", "dropped"), _COMPILED_OR_NUMPY),
    "outer": _either(rules.outer, "move", scatter=lambda plain: plain),
    **dict.fromkeys(("scattered", "integer_sum", "product"), _COMPILED_OR_NUMPY),
    "min_max": _either(rules.small_or("each"), "small", "each"),
    **dict.fromkeys(
        ("extreme", "select", "text", "running", "variance", "central", "decay", "weights", "window"), _COMPILED_OR_NUMPY
    ),
    "few_texts": _either(lambda n_texts: "items" if n_texts <= sizes.FEW_TEXTS else "arrays", "items", "arrays"),
    "window_quantile": _either(_window_quantile, "numpy", "ranks", compiled=lambda able, _slots: able),
    "scan": Choice(
        rules.scan,
        {
            "matrix": lambda n_rows, longest, _sums: n_rows * longest <= 1 << 22,
            "totals": lambda _n, _longest, is_sum_of_integers: is_sum_of_integers,
            "slots": lambda _n, longest, _sums: longest < 256,
            "lengths": _always,
        },
    ),
    "shift": _either(lambda n: "positions" if n > sizes.SHIFT_SLOTS else "slots", "positions", "slots"),
    # moving values
    "take": _either(rules.small_or("blocks"), "small", "blocks"),
    "take_rising": _either(
        lambda n, n_rows: "stretches" if n >= sizes.LARGE_VALUES and n_rows * sizes.CALL_VALUES <= sizes.PASS_VALUES else "items",
        "items",
        stretches=lambda _n, n_rows: n_rows > 0,
    ),
    "filter": _either(
        rules.filter,
        "arrow",
        small=lambda n_values, fixed_width, *_: n_values > 0 and fixed_width,
        polars=lambda _n, _fixed_width, shared, _ready: shared and rules.has_polars(),
        compiled=lambda _n, _fixed_width, _shared, ready: ready,
    ),
    "spread": _either(
        rules.spread,
        "take",
        repeat=lambda _n, fixed_width, _known, _bits, even: fixed_width and even(),
        take_bytes=lambda _n, fixed_width, _known, bits, _even: fixed_width and bits > 1,
        words=lambda _n, fixed_width, _known, bits, _even: fixed_width and bits <= 64,
    ),
    "spread_part": _COMPILED_OR_NUMPY,
    "take_rows": _either(
        rules.rows,
        "items",
        runs=lambda n, _n_rows, kind, _taken, _ready, _shared=False: n > 0 and kind != "",
        compiled=lambda n, _n_rows, _kind, _taken, ready, _shared=False: n > 0 and ready(),
        # Of a single row polars gives the items to null rows too.
        polars=lambda n, n_rows, _kind, _taken, _ready, shared=False: n > 0 and n_rows > 1 and shared and rules.has_polars(),
    ),
    "join_rows": _either(rules.joined_rows, "items", runs=lambda n, _n_rows, fixed_width, _taken: n > 0 and fixed_width),
    "picked": _COMPILED_OR_NUMPY,
    "joined": _either(
        rules.joined, "arrow", small=lambda _n, fixed_width, _ready: fixed_width, compiled=lambda _n, _fixed_width, ready: ready
    ),
    "take_texts": _either(rules.compiled_or_arrow, "arrow", compiled=lambda ready: ready),
    "reverse": _either(rules.compiled_or_arrow, "arrow", compiled=lambda ready: ready),
    "take_runs": _either(rules.runs, "items", runs=lambda _n, _n_runs, fixed_width: fixed_width),
    "copy_rows": _either(
        _copied_rows,
        "items",
        runs=lambda _n, _n_gaps, fixed_width, _ready: fixed_width,
        compiled=lambda _n, _n_gaps, _fixed_width, ready: ready(),
    ),
    "copy_runs": _either(rules.few_runs, "slices", "strings"),
    "parents": _either(rules.parents, "repeat", "count"),
    "positions": _either(rules.positions, "runs", windows=lambda _n, n_rows, longest, *_: 0 < n_rows * longest() <= 1 << 22),
    **dict.fromkeys(("nth_items", "slices"), _COMPILED_OR_NUMPY),
    "runs": _either(rules.small_or("blocks"), "small", "blocks", compiled=lambda _n, ready=False: ready),
    "fill": _either(rules.small_or("masks"), "small", "masks"),
    "chosen": _either(
        _chosen,
        "numpy",
        compiled=lambda ready, _n_values=0: ready,
        polars=lambda _ready, n_values=0: n_values > 0 and rules.has_polars(),
    ),
    "chosen_bits": _COMPILED_OR_NUMPY,
    "carry": _either(rules.small_or("words"), "small", "words", compiled=lambda _n, ready=False: ready),
    "moved_bits": _either(_moved_bits, "flags", compiled=lambda _offsets, _n_values, ready: ready),
    "spread_bits": _COMPILED_OR_NUMPY,
    "bits_at": _either(_bits_at, "each", "unpacked"),
    "repeat": _either(rules.repeat, "small", "columns", "rows", compiled=lambda _n, _count, ready: ready()),
    "repeat_bits": _either(rules.repeat_bits, "small", "spread", table=lambda _n, count: count <= 1 << 10),
    "concatenate": _either(rules.at_least("LIGHT_BYTES"), "whole", blocks=lambda n_bytes: n_bytes > 0),
    "tile": _either(lambda n: "small" if n < sizes.REPEATED_AT_ONCE else "pieces", "small", "pieces"),
    "tile_texts": _either(rules.at_least("CALL_VALUES"), "whole", "blocks"),
    "pad_items": _either(rules.at_least("CALL_VALUES"), "whole", "blocks"),
    "merge_rows": _either(rules.at_least("CALL_VALUES"), "whole", "blocks"),
    "nth": _either(rules.at_least("CALL_VALUES"), "whole", blocks=lambda n: n > 0),
    "are_distinct": _either(rules.are_distinct, "sort", "marks"),
    "if_else": _either(rules.at_least("CHOICE_VALUES"), "whole", "blocks"),
    "coalesce": _either(rules.coalesce, "whole", "blocks"),
    "utf8": _either(rules.utf8, "arrow", polars=lambda *_: rules.has_polars(), compiled=lambda _n, is_ready: is_ready()),
    "regex": _either(_regex, "arrow", polars=lambda _n, is_shared: is_shared and rules.has_polars()),
    "strings": _either(rules.compiled_or_arrow, "arrow", compiled=lambda ready: ready),
    "json": _either(rules.compiled_or_arrow, "arrow", compiled=lambda ready: ready),
    "text_blocks": _either(rules.at_least("TEXT_VALUES"), "whole", "blocks"),
    "function": _either(rules.at_least("CALL_VALUES"), "whole", "blocks"),
    "map_keys": _either(_map_keys, "items", table=lambda n, span: n > 0 and span <= 1 << 16),
    "arithmetic": _either(rules.arithmetic, "whole", "blocks"),
    "cast": _either(rules.at_least("CALL_VALUES"), "whole", "blocks"),
    **dict.fromkeys(("compared", "rounded", "multiples", "square_root", "division", "decimals"), _COMPILED_OR_NUMPY),
    **dict.fromkeys(("halves", "number_casts"), _COMPILED_OR_NUMPY),
    "loop": _either(rules.compiled_or_blocks, "blocks", compiled=lambda ready: ready),
    "expression": _either(rules.expression, "whole", blocks=lambda n, _itemwise, _calls: n > 0),
    "combinations": _either(lambda n_items: "items" if n_items <= sizes.COMBINATION_ITEMS else "lengths", "items", "lengths"),
    # dense arrays and transposition
    "pad": _either(rules.pad, "items", windows=lambda width, is_word: is_word and width > 0),
    "unpad": _either(rules.unpad, "items", windows=lambda n_rows, _n, width, item_bytes: 0 < n_rows * width * item_bytes < 1 << 26),
    "transpose": Choice(
        rules.transpose,
        {
            "even": lambda even, *_: even() is not None,
            "slices": lambda _even, neighbours, declared, *_: neighbours and declared(),
            "columns": lambda _even, neighbours, *_: neighbours,
            "exact": lambda _even, _neighbours, _declared, shears, _n: not shears(),
            "radix": _always,
        },
    ),
    "digits": _either(rules.digits, "radix", "count"),
    "columns": _COMPILED_OR_NUMPY,
    "frame": _either(rules.frame, "coordinates", columns=lambda n_dims, n_frames, _n: n_dims == 2 and n_frames == 1),
}
"""Each operation, how it chooses, and what from."""
