"""The rule of each operation chooses the documented strategy on both sides of every threshold.

Other tests force strategies, and compare results: a rule that chose the slow one would pass them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from arrowjag import _versions
from arrowjag._kernels import strategy
from arrowjag._kernels.strategy import rules, sizes
from arrowjag._kernels.strategy.choices import _never
from arrowjag.errors import JagValueError
from tests.kernels.rows import offsets_from

NO, YES = (lambda: False), (lambda: True)
NONE = (lambda: None,)


def rows(*lengths: int) -> Any:
    return offsets_from(lengths)


def even(length: int, n_rows: int) -> Any:
    return np.arange(n_rows + 1) * length


SHORT, LONG = even(8, 1024), even(129, 10)
"""Enough short rows for pairs; rows worth hashing."""

MIDDLE = even(128, 10)
ONE, HUGE = rows(sizes.HUGE), rows(sizes.HUGE + 1)

CHOSEN: list[tuple[str, tuple[Any, ...], str]] = [
    # pairs from PAIRS_VALUES on, if the mean row has at most PAIRS_LENGTH items, and half of all items are in such rows
    ("argsort", (SHORT,), "pairs"),
    ("argsort", (even(8, 1023),), "matrix"),
    ("argsort", (even(8, 1023), NO), "matrix"),
    ("argsort", (even(8, 1), YES), "pairs"),
    ("argsort", (HUGE, NO), "partition"),
    ("argsort", (even(28, 300),), "pairs"),
    ("argsort", (even(29, 300),), "matrix"),
    ("argsort", (rows(*[28] * 200, 5600, *[0] * 200),), "pairs"),
    ("argsort", (rows(*[28] * 200, 5601, *[0] * 201),), "matrix"),
    ("argsort", (rows(*[28] * 400, 11_000),), "matrix"),
    ("argsort", (ONE,), "matrix"),
    ("argsort", (HUGE,), "partition"),
    ("argsort", (rows(0, sizes.HUGE + 1),), "matrix"),
    ("sort", (HUGE, NO, False, True), "matrix"),
    ("sort", (ONE, YES, False, True), "matrix"),
    ("sort", (HUGE, YES, True, True), "order"),
    ("searchsorted", (ONE,), "bisect"),
    ("searchsorted", (HUGE,), "partition"),
    ("hash_row", (ONE,), "tables"),
    ("hash_row", (HUGE,), "partition"),
    ("rank", (SHORT, False), "pairs"),
    ("long_sort", (rows(901), True), "compiled"),
    ("long_sort", (rows(900), True), "numpy"),
    ("long_sort", (rows(901), False), "numpy"),
    ("long_sort", (rows(900, 901), True), "compiled"),
    ("long_sort", (rows(), True), "numpy"),
    ("long_order", (rows(301, 300), 2, True), "compiled"),
    ("long_order", (rows(300, 300), 2, True), "numpy"),
    ("long_order", (rows(301, 300), 3, True), "numpy"),
    ("long_order", (rows(301, 300), 2, False), "numpy"),
    ("rank", (HUGE, False, True), "sort"),
    ("short_sort", (rows(16, 16), True), "compiled"),
    ("short_sort", (rows(16, 16), False), "numpy"),
    ("short_sort", (rows(16, 17), True), "numpy"),
    ("short_sort", (rows(29, *[1] * 29), True), "compiled"),
    ("short_sort", (rows(29, *[1] * 28), True), "numpy"),
    ("rank", (SHORT, True), "sort"),
    ("rank", (HUGE, True), "sort"),
    ("rank", (HUGE, False), "partition"),
    ("rank", (MIDDLE, False), "sort"),
    ("rank", (even(8, 32), False, False, True), "pairs"),
    ("rank", (even(8, 31), False, False, True), "sort"),
    ("rank", (even(8, 1023), False), "sort"),
    ("rank", (even(8, 32), True, False, True), "sort"),
    ("topk", (rows(2047), np.array([1])), "sort"),
    ("topk", (rows(2048), np.array([15])), "segments"),
    ("topk", (rows(2048), np.array([16])), "sort"),
    ("topk", (rows(8192, *[128] * 192), np.ones(193, np.int64)), "segments"),
    ("topk", (rows(8192, *[128] * 192, 1), np.ones(194, np.int64)), "sort"),
    ("quantile", (512,), "sort"),
    ("quantile", (513,), "select"),
    # several quantiles one by one if the bits of the mean length are 3 times as many, of integers 5 times
    ("quantiles", (3 * 512, 1, 3, True, True), "each"),
    ("quantiles", (512, 1, 3, True, True), "sort"),
    ("quantiles", (2 * 513, 2, 3, True, True), "each"),
    ("quantiles", (1 << 12, 1, 4, True, True), "each"),
    ("quantiles", ((1 << 12) - 1, 1, 4, True, True), "sort"),
    ("quantiles", (1 << 12, 1, 4, True, False), "sort"),
    ("quantiles", (1 << 15, 1, 3, False, True), "each"),
    ("quantiles", ((1 << 15) - 1, 1, 3, False, True), "sort"),
    ("quantiles", (1 << 30, 1, 99, True, True), "sort"),
    # equal items
    ("group", (SHORT,), "pairs"),
    ("group", (SHORT, 2), "sort"),
    ("group", (SHORT, 1, True), "sort"),
    ("group", (SHORT, 1, True, YES), "sort"),
    ("group", (SHORT, 2, False, YES), "sort"),
    ("group", (SHORT, 1, False, YES), "compiled"),
    ("group", (even(8, 1023),), "hash"),
    ("group", (MIDDLE,), "hash"),
    ("unique", (MIDDLE,), "hash"),
    ("unique", (MIDDLE, 1, False, YES), "compiled"),
    ("unique", (MIDDLE, 1, False, NO), "hash"),
    ("unique", (SHORT, 1, False, NO), "pairs"),
    ("unique", (SHORT, 1, False, YES), "compiled"),
    ("n_unique", (SHORT, YES), "compiled"),
    ("n_unique", (SHORT, NO), "pairs"),
    ("n_unique", (even(8, 1023), NO), "hash"),
    ("n_unique", (even(513, 10), NO), "hash"),
    ("member", (SHORT, even(0, 1024)), "pairs"),
    ("member", (SHORT, SHORT, True), "compiled"),
    ("member", (even(4, 1024), even(4, 1024)), "pairs"),
    ("member", (even(4, 1024), even(4, 1023)[[*range(1024), 1023]]), "hash"),
    ("member", (SHORT, even(29, 1024)), "hash"),
    ("member", (rows(*[28] * 100, 0), rows(*[28] * 100, 5600)), "hash"),
    ("member", (rows(*[28] * 200, *[0] * 201), rows(*[0] * 200, 5600, *[0] * 200)), "pairs"),
    ("member", (rows(*[28] * 200, *[1] * 201), rows(*[29] * 200, *[1] * 201)), "hash"),
    ("combine", (), "blocks"),
    ("lookup", (True,), "compiled"),
    ("lookup", (False,), "hash"),
    ("edges", (sizes.EDGES_COMPARED, sizes.CALL_VALUES), "compare"),
    ("edges", (sizes.EDGES_COMPARED, sizes.CALL_VALUES - 1), "search"),
    ("edges", (sizes.EDGES_COMPARED + 1, sizes.CALL_VALUES), "search"),
    ("in_set", (8, None), "compare"),
    ("in_set", (9, None), "hash"),
    ("in_set", (9, sizes.SET_TABLE - 1), "table"),
    ("in_set", (9, sizes.SET_TABLE), "hash"),
    # scans
    ("scan", (64, 64, True), "matrix"),
    ("scan", (64, 65, True), "totals"),
    ("scan", (65, 64, False), "slots"),
    ("scan", (64, 65, False), "lengths"),
    ("shift", (16,), "slots"),
    ("shift", (17,), "positions"),
    ("outer", (True,), "scatter"),
    ("outer", (False,), "move"),
    *(("count", (n, True), "compiled") for n in (1, sizes.CALL_VALUES, sizes.POLARS_LOAD_VALUES)),
    # moving values
    ("take_rows", (16_384, 4096, "word", 1024, NO), "runs"),
    ("take_rows", (16_383, 4095, "word", 1024, NO), "items"),
    ("take_rows", (16_384, 4097, "word", 2000, NO), "items"),
    ("take_rows", (16_384, 4097, "text", 2000, NO), "runs"),
    ("take_rows", (16_383, 4095, "text", 2000, NO), "items"),
    ("take_rows", (16_384, 4096, "word", 1023, NO), "items"),
    ("take_rows", (16_384, 4096, "word", 1023, YES), "items"),
    ("take_rows", (16_384, 4096, "", 1024, YES), "items"),
    ("take_rows", (20_000, 5000, "word", 1250, NO), "runs"),
    ("take_rows", (8192, 8192, "word", 2048, YES), "compiled"),
    ("take_rows", (8191, 8191, "word", 2048, YES), "items"),
    ("take_rows", (10_000_000, 1000, "word", 1000, YES), "compiled"),
    ("take_rows", (10_000_000, 1000, "word", 1000, NO), "runs"),
    ("take_rows", (128_001, 1000, "text", 1000, YES), "compiled"),
    ("take_rows", (8192, 8192, "text", 2048, YES), "compiled"),
    ("join_rows", (16_384, 4096, True, 1024), "runs"),
    ("join_rows", (16_383, 4095, True, 1024), "items"),
    ("join_rows", (16_384, 4097, True, 2000), "items"),
    ("join_rows", (16_384, 4096, True, 1023), "items"),
    ("join_rows", (16_384, 4096, False, 1024), "items"),
    ("join_rows", (20_000, 5000, True, 1250), "runs"),
    ("join_rows", (sizes.CALL_VALUES, 1000, True, 1000), "items"),
    ("join_rows", (sizes.CALL_VALUES - 1, 1000, True, 1000), "runs"),
    ("join_rows", (sizes.CALL_VALUES - 1, 1000, False, 1000), "items"),
    ("join_rows", (0, 1000, True, 1000), "items"),
    ("joined", (sizes.CALL_VALUES, True, True), "compiled"),
    ("joined", (sizes.CALL_VALUES, True, False), "arrow"),
    ("joined", (sizes.CALL_VALUES - 1, True, True), "small"),
    ("joined", (sizes.CALL_VALUES - 1, False, False), "arrow"),
    ("take_runs", (16_384, 4096, True), "runs"),
    ("take_runs", (16_383, 4095, True), "items"),
    ("take_runs", (16_387, 4097, True), "items"),
    ("take_runs", (16_384, 4096, False), "items"),
    ("copy_rows", (16_383, 1000, True, YES), "items"),
    ("copy_rows", (16_384, 1000, False, YES), "items"),
    ("copy_rows", (16_384, 1000, True, NO), "runs"),
    ("copy_rows", (16_384, 128, True, YES), "compiled"),
    ("copy_rows", (16_384, 127, True, YES), "runs"),
    ("spread", (4095, True, False, 8, NO), "take"),
    ("spread", (4096, False, True, 8, NO), "take"),
    ("spread", (4095, True, False, 8, YES), "take"),
    ("spread", (4096, False, False, 8, YES), "take"),
    ("spread", (4096, True, True, 8, YES), "repeat"),
    ("spread", (4096, True, False, 64, NO), "words"),
    ("spread", (4096, True, False, 65, NO), "take_bytes"),
    ("spread", (4096, True, True, 2, NO), "take_bytes"),
    ("spread", (4096, True, True, 1, NO), "words"),
    ("parents", (255, 255), "repeat"),
    ("parents", (256, 256), "count"),
    ("parents", (300, 100), "repeat"),
    ("parents", (299, 100), "count"),
    ("copy_runs", (sizes.SLICED_RUNS,), "slices"),
    ("copy_runs", (sizes.SLICED_RUNS + 1,), "strings"),
    ("positions", (4095, 4095, lambda: 1), "runs"),
    ("positions", (4096, 4096, lambda: 3), "windows"),
    ("positions", (4096, 4096, lambda: 4), "runs"),
    ("positions", (4096, 64, lambda: 64), "windows"),
    ("positions", (4096, 63, lambda: 64), "runs"),
    ("positions", (6400, 200, lambda: 65), "runs"),
    ("positions", (4096, 4096, lambda: 3, True), "runs"),
    ("filter", (0, True, False), "arrow"),
    ("filter", (1, True, True), "small"),
    ("filter", (1, False, True), "arrow"),
    ("filter", (4095, True, False), "small"),
    ("filter", (4096, True, False), "arrow"),
    ("filter", (4095, True, False, True), "small"),
    ("filter", (4096, True, False, True), "compiled"),
    ("filter", (sizes.POLARS_FILTER_VALUES - 1, True, True), "arrow"),
    ("filter", (sizes.POLARS_LOAD_VALUES, True, False), "arrow"),
    ("moved_bits", (even(3, 100), 300, True), "flags"),
    ("moved_bits", (even(3, 100), 5000, True), "compiled"),
    ("moved_bits", (even(3, 100), 5000, False), "flags"),
    ("moved_bits", (even(4, 100), 400, True), "compiled"),
    ("moved_bits", (even(4, 100), 400, False), "flags"),
    ("moved_bits", (rows(1, 2, 3, 4, 2), 12, True), "compiled"),
    ("null_bits", (12_801, 100, YES), "compiled"),
    ("null_bits", (12_800, 100, YES), "flags"),
    ("null_bits", (12_801, 100, NO), "flags"),
    ("null_bits", (sizes.CALL_VALUES - 1, 1000, YES), "compiled"),
    ("null_bits", (sizes.CALL_VALUES, 1000, YES), "flags"),
    ("null_bits", (sizes.CALL_VALUES - 1, 1000, NO), "flags"),
    ("marked", (1281, 10), "search"),
    ("marked", (1280, 10), "count"),
    ("bits_at", (10, 1001), "each"),
    ("bits_at", (10, 1000), "unpacked"),
    ("repeat", (10922, 3, YES), "small"),
    ("repeat", (8192, 4, YES), "compiled"),
    ("repeat", (8192, 4, NO), "columns"),
    ("repeat", (8192, 5, NO), "rows"),
    ("repeat_bits", (504, 65), "small"),
    ("repeat_bits", (512, 64), "table"),
    ("repeat_bits", (512, 65), "spread"),
    ("tile", (sizes.REPEATED_AT_ONCE - 1,), "small"),
    ("tile", (sizes.REPEATED_AT_ONCE,), "pieces"),
    ("are_distinct", (10, 320), "marks"),
    ("are_distinct", (10, 321), "sort"),
    ("arithmetic", (4095, "CALL_VALUES"), "whole"),
    ("arithmetic", (4096, "CALL_VALUES"), "blocks"),
    ("combinations", (1 << 14,), "items"),
    ("combinations", ((1 << 14) + 1,), "lengths"),
    # dense arrays and transposition
    ("pad", (64, True), "windows"),
    ("pad", (65, True), "items"),
    ("pad", (1, True), "windows"),
    ("pad", (0, True), "items"),
    ("pad", (64, False), "items"),
    ("unpad", (10, 80, 64, 8), "windows"),
    ("unpad", (10, 79, 64, 8), "items"),
    ("unpad", (10, 10_000, 65, 8), "items"),
    ("unpad", (10, 30, 9, 9), "windows"),
    ("unpad", (10, 29, 9, 9), "items"),
    ("unpad", (10, 100, 9, 128), "windows"),
    ("unpad", (10, 100, 9, 129), "items"),
    ("transpose", (YES, False, NO, NO, 0), "even"),
    ("transpose", (YES, True, NO, NO, 4096), "even"),
    # few long rows, of which those of one stretch are many
    ("take_rising", (sizes.LARGE_VALUES, 64), "stretches"),
    ("take_rising", (sizes.LARGE_VALUES, 65), "items"),
    ("take_rising", (sizes.LARGE_VALUES - 1, 64), "items"),
    ("transpose", (YES, True, NO, NO, 4095), "columns"),
    ("transpose", (YES, True, YES, NO, 4095), "slices"),
    ("transpose", (*NONE, True, NO, NO, 4096), "columns"),
    ("transpose", (*NONE, False, YES, YES, 4096), "radix"),
    ("transpose", (*NONE, False, YES, NO, 4096), "exact"),
    ("digits", (4095, 1), "radix"),
    ("digits", (4096, 12), "count"),
    ("digits", (4096, 13), "radix"),
    # blocks of a fused stretch from JIT_CALLS calls on items on, with JIT_SHARE of them for each other call
    ("expression", (sizes.JIT_VALUES - 1, 6, 6), "whole"),
    ("expression", (sizes.JIT_VALUES, 6, 6), "blocks"),
    ("expression", (sizes.JIT_VALUES, 5, 5), "whole"),
    ("expression", (sizes.JIT_VALUES, 12, 13), "blocks"),
    ("expression", (sizes.JIT_VALUES, 11, 12), "whole"),
    ("coalesce", (sizes.CHOICE_VALUES - 1, sizes.CHOICE_VALUES - 1), "whole"),
    ("coalesce", (sizes.CHOICE_VALUES, sizes.CHOICE_VALUES // 2), "blocks"),
    ("coalesce", (sizes.CHOICE_VALUES, sizes.CHOICE_VALUES // 20), "whole"),
    ("coalesce", (sizes.WORD_VALUES, 1), "blocks"),
    ("frame", (2, 1, sizes.LARGE_FRAME), "coordinates"),
    ("frame", (2, 1, sizes.LARGE_FRAME + 1), "columns"),
    ("frame", (3, 1, sizes.LARGE_FRAME + 1), "coordinates"),
    ("frame", (2, 2, sizes.LARGE_FRAME + 1), "coordinates"),
]

BLOCKS = dict.fromkeys(("cast", "pad_items", "merge_rows", "nth", "tile_texts"), "CALL_VALUES") | {
    "if_else": "CHOICE_VALUES",
    "function": "CALL_VALUES",
    "concatenate": "LIGHT_BYTES",
    "text_blocks": "TEXT_VALUES",
}
SMALL = {"take": "blocks", "runs": "blocks", "fill": "masks", "carry": "words", "min_max": "each"}
CHOSEN += [(name, (getattr(sizes, size) - 1,), "whole") for name, size in BLOCKS.items()]
CHOSEN += [(name, (getattr(sizes, size),), "blocks") for name, size in BLOCKS.items()]
CHOSEN += [(name, (sizes.CALL_VALUES - 1,), "small") for name in SMALL]
CHOSEN += [(name, (sizes.CALL_VALUES,), other) for name, other in SMALL.items()]
COMPILED = [name for name, choice in strategy.CHOICES.items() if choice.rule is rules.compiled_or_numpy]
CHOSEN += [(name, (ready,), "compiled" if ready else "numpy") for name in COMPILED for ready in (True, False)]
COMPILED_OR_ARROW = [name for name, choice in strategy.CHOICES.items() if choice.rule is rules.compiled_or_arrow]
CHOSEN += [(name, (ready,), "compiled" if ready else "arrow") for name in COMPILED_OR_ARROW for ready in (True, False)]
CHOSEN += [("value_counts", facts, chosen) for name, facts, chosen in CHOSEN if name == "group" and len(facts) < 3]
CHOSEN += [
    ("window_quantile", (able, slots), chosen)
    for able, short, most in ((True, "compiled", sizes.COMPILED_RANK_SLOTS), (False, "numpy", sizes.RANK_SLOTS))
    for slots, chosen in ((most, short), (most + 1, "ranks"))
]
for name in ("runs", "carry"):
    CHOSEN += [(name, (sizes.CALL_VALUES, True), "compiled"), (name, (sizes.CALL_VALUES - 1, True), "small")]
CHOSEN += [("map_keys", (9, 9), "table"), ("map_keys", (9, 10), "items"), ("map_keys", (0, 0), "items")]
CHOSEN += [
    ("reduced", (even(4, 1024),), "columns"),
    ("reduced", (even(4, 1023),), "reduceat"),
    ("reduced", (even(5, 1024),), "reduceat"),
    ("reduced", (rows(*[4] * 1024, 3, 5),), "reduceat"),
    ("reduced", (rows(*[4] * 1024, 4, 3),), "reduceat"),
    ("reduced", (rows(3, 5, *[4] * 1024),), "reduceat"),
]
CHOSEN += [("few_texts", (sizes.FEW_TEXTS,), "items"), ("few_texts", (sizes.FEW_TEXTS + 1,), "arrays")]
CHOSEN += [("loop", (True,), "compiled"), ("loop", (False,), "blocks")]
CHOSEN += [("regex", (sizes.REGEX_POLARS_VALUES, False), "arrow"), ("regex", (sizes.REGEX_POLARS_VALUES - 1, True), "arrow")]


@pytest.mark.parametrize("operation", dict.fromkeys(operation for operation, _, _ in CHOSEN))
def test_rules_on_both_sides_of_each_threshold(operation: str) -> None:
    for name, facts, chosen in CHOSEN:
        if name == operation:
            assert strategy.choose(operation, *facts) == chosen, (facts, chosen)
            assert chosen in strategy.CHOICES[operation].strategies


def test_each_strategy_is_chosen_somewhere() -> None:
    """Other tests of this file choose these, which depend on polars; "cut" is below the small sizes that calls take first."""
    elsewhere = {*FROM_POLARS, "row_reduction", "long_rows", "n_unique", "regex", "filter", "take_rows", "chosen"}
    known = {
        (name, one) for name, choice in strategy.CHOICES.items() for one, able in choice.strategies.items() if able is not _never
    }
    missing = {(name, one) for name, one in known - {(name, chosen) for name, _, chosen in CHOSEN} if name not in elsewhere}
    assert missing == {("argsort", "cut"), ("value_counts", "compiled")}


FROM_POLARS = {
    "row_sum": (lambda n: (n, False), sizes.POLARS_VALUES, sizes.POLARS_LOAD_VALUES, "numpy"),
    "count": (lambda n: (n, False), sizes.POLARS_VALUES, sizes.POLARS_LOAD_VALUES, "blocks"),
    "sort": (lambda n: (rows(n), YES, False, True), sizes.HUGE + 1, sizes.POLARS_LOAD_VALUES, "matrix"),
    "utf8": (lambda n: (n, NO), sizes.UTF8_POLARS_BYTES, sizes.UTF8_LOAD_BYTES, "arrow"),
}


@pytest.mark.parametrize("operation", FROM_POLARS)
def test_polars_is_loaded_for_many_values_only(operation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    facts, fewest, to_load, other = FROM_POLARS[operation]
    monkeypatch.setattr(_versions, "load", lambda name: sys if name == "polars" else None)
    monkeypatch.setitem(sys.modules, "polars", sys)
    assert strategy.choose(operation, *facts(fewest - 1)) == other
    assert strategy.choose(operation, *facts(fewest)) == "polars"
    monkeypatch.delitem(sys.modules, "polars")
    assert strategy.choose(operation, *facts(to_load - 1)) == other
    assert strategy.choose(operation, *facts(to_load)) == "polars"
    monkeypatch.setattr(_versions, "load", lambda _name: None)
    assert strategy.choose(operation, *facts(to_load)) == other


def test_a_compiled_loop_validates_text_where_polars_is_not_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_versions, "load", lambda name: sys if name == "polars" else None)
    monkeypatch.setitem(sys.modules, "polars", sys)
    assert strategy.choose("utf8", sizes.UTF8_POLARS_BYTES, YES) == "polars"
    monkeypatch.delitem(sys.modules, "polars")
    assert (
        strategy.choose("utf8", sizes.UTF8_POLARS_BYTES, YES) == strategy.choose("utf8", sizes.UTF8_LOAD_BYTES, YES) == "compiled"
    )
    assert strategy.choose("utf8", sizes.UTF8_POLARS_BYTES - 1, YES) == "arrow"


def test_polars_replaces_numpy_where_it_is_able(monkeypatch: pytest.MonkeyPatch) -> None:
    assert strategy.choose("row_sum", sizes.POLARS_LOAD_VALUES, True) == "compiled"
    assert strategy.choose("count", sizes.CALL_VALUES - 1) == "whole"
    assert strategy.choose("count", sizes.CALL_VALUES) == "blocks"
    for host, chosen in ((sys, "polars"), (None, "numpy")):
        monkeypatch.setattr(_versions, "loaded", lambda _name, host=host: host)
        assert strategy.choose("row_reduction", even(512, 64), True) == chosen
        assert strategy.choose("regex", sizes.REGEX_POLARS_VALUES, True) == ("polars" if host else "arrow")
        assert strategy.choose("row_reduction", even(512, 64), False) == "numpy"
        assert strategy.choose("row_reduction", even(512, 64), True, (64, 512)) == "numpy"
        assert strategy.choose("row_reduction", even(512, 64), True, (512, 513)) == chosen
        assert strategy.choose("row_reduction", even(512, 64), True, (513, 600)) == "numpy"
        assert strategy.choose("row_reduction", rows(*[512] * 63, 511), True) == "numpy"
        assert strategy.choose("long_rows", even(32, 1024), True) == chosen
        assert strategy.choose("long_rows", even(32, 1024), False) == "numpy"
        assert strategy.choose("long_rows", rows(*[32] * 1024, 31), True) == "numpy"
        assert strategy.choose("long_rows", rows(*[512] * 63, 511), True) == "numpy"
        many, few = (sizes.POLARS_VALUES, sizes.POLARS_VALUES), (sizes.POLARS_VALUES - 1, sizes.POLARS_VALUES)
        assert strategy.choose("take_rows", *many, "word", many[0], NO, True) == ("polars" if host else "items")
        assert strategy.choose("take_rows", *many, "word", many[0], NO, False) == "items"
        assert strategy.choose("take_rows", *many, "word", many[0], YES, True) == "compiled"
        assert strategy.choose("take_rows", *few, "word", many[0], NO, True) == "items"
        assert strategy.choose("chosen", False, sizes.CALL_VALUES) == chosen
        assert strategy.choose("chosen", False, sizes.CALL_VALUES - 1) == strategy.choose("chosen", False) == "numpy"
        assert strategy.choose("chosen", True, sizes.CALL_VALUES) == strategy.choose("chosen", True) == "compiled"
        assert strategy.choose("n_unique", even(512, 64), NO, True) == ("polars" if host else "hash")
        assert strategy.choose("n_unique", even(512, 64), NO, False) == "hash"
        assert strategy.choose("n_unique", even(512, 64), YES, True) == "compiled"
        assert strategy.choose("n_unique", even(10, 10_000), NO, True) == "pairs"
        monkeypatch.setattr(_versions, "load", lambda _name, host=host: host)
        assert strategy.choose("filter", sizes.POLARS_FILTER_VALUES, True, True) == ("polars" if host else "arrow")
        monkeypatch.setattr(_versions, "loaded", lambda _name: None)
        assert strategy.choose("filter", sizes.POLARS_LOAD_VALUES - 1, True, True) == "arrow"
        assert strategy.choose("filter", sizes.POLARS_LOAD_VALUES, True, True) == ("polars" if host else "arrow")
        assert strategy.choose("filter", sizes.POLARS_LOAD_VALUES, True, True, True) == "compiled"


def test_few_values_of_types_that_lexsort_takes_are_small() -> None:
    def key(n: int, dtype: str = "int64") -> Any:
        return np.zeros(n, dtype), None

    assert strategy.is_small("sort", key(sizes.SMALL_VALUES - 1))
    assert not strategy.is_small("sort", key(sizes.SMALL_VALUES))
    assert strategy.is_small("sort", key(400), key(599))
    assert not strategy.is_small("sort", key(400), key(600))
    assert all(strategy.is_small("sort", key(3, dtype)) for dtype in ("bool", "uint8", "int64", "float16", "float64"))
    assert not any(strategy.is_small("sort", key(3, dtype)) for dtype in ("complex64", "longdouble", "datetime64[s]"))
    assert not strategy.is_small("sort", key(3), key(3, "complex64"))


def test_fewer_values_are_small_where_a_loop_is_ready() -> None:
    def is_small(n: int, ready: Callable[[], bool]) -> bool:
        return strategy.is_small("sort", (np.zeros(n), None), ready=ready)

    assert [is_small(n, YES) for n in (0, sizes.READY_VALUES - 1, sizes.READY_VALUES)] == [True, True, False]
    assert [is_small(n, NO) for n in (sizes.READY_VALUES, sizes.SMALL_VALUES - 1, sizes.SMALL_VALUES)] == [True, True, False]
    never = lambda: pytest.fail("nothing depends on it")  # noqa: E731
    assert is_small(sizes.READY_VALUES - 1, never)
    assert not is_small(sizes.SMALL_VALUES, never)
    with strategy.force(sort="small"):
        assert is_small(sizes.SMALL_VALUES, YES)


ROW, EMPTY = rows(2), rows(0)

ABLE: list[tuple[str, str, tuple[Any, ...], bool]] = [
    ("sort", "order", (ROW, YES, False, True), True),
    ("sort", "order", (ROW, YES, False, False), False),
    *(("sort", name, (ROW, YES, zeros, True), not zeros) for name in ("matrix", "polars") for zeros in (True, False)),
    ("sort", "polars", (rows(1), YES, False, True), False),
    ("sort", "polars", (rows(2, 2), YES, False, True), False),
    ("argsort", "partition", (ROW,), True),
    ("argsort", "partition", (rows(1),), False),
    ("argsort", "partition", (rows(2, 0),), False),
    ("argsort", "pairs", (rows(0, 28, 29),), True),
    ("argsort", "pairs", (rows(1),), True),
    ("argsort", "pairs", (rows(0, 29),), False),
    ("rank", "pairs", (ROW, True), False),
    ("rank", "pairs", (ROW, False), True),
    ("rank", "partition", (ROW, True), False),
    ("rank", "partition", (ROW, False), True),
    ("rank", "partition", (rows(1), False), False),
    ("topk", "segments", (rows(1), None), True),
    ("topk", "segments", (EMPTY, None), False),
    ("argsort", "pairs", (rows(1), NO), True),
    ("argsort", "partition", (ROW, NO), True),
    ("unique", "compiled", (ROW, 1, False, YES), True),
    ("unique", "compiled", (ROW, 2, False, YES), False),
    ("unique", "compiled", (ROW, 1, False, NO), False),
    ("unique", "compiled", (ROW,), False),
    ("unique", "hash", (ROW, 2), False),
    ("unique", "hash", (ROW,), True),
    ("group", "pairs", (ROW, 1, True), False),
    ("group", "pairs", (ROW, 2), False),
    ("group", "pairs", (ROW,), True),
    ("group", "hash", (ROW, 1, True), False),
    ("group", "hash", (ROW, 2), False),
    ("group", "hash", (ROW,), True),
    ("in_set", "hash", (0, None), False),
    ("in_set", "hash", (1, None), True),
    ("in_set", "table", (1, None), False),
    ("in_set", "table", (1, (1 << 24) - 1), True),
    ("in_set", "table", (1, 1 << 24), False),
    ("scan", "totals", (1, 1, False), False),
    ("scan", "slots", (1, 255, False), True),
    ("scan", "slots", (1, 256, False), False),
    ("filter", "small", (0, True, True, False), False),
    ("filter", "small", (1, True, True, False), True),
    ("filter", "small", (1, False, True, False), False),
    ("filter", "compiled", (1, True, True, True), True),
    ("filter", "compiled", (1, True, True, False), False),
    *(("spread", "repeat", (1, fixed, False, 2, even), fixed and even()) for fixed in (True, False) for even in (YES, NO)),
    ("spread", "take_bytes", (1, True, False, 2, NO), True),
    ("spread", "take_bytes", (1, True, False, 1, NO), False),
    ("spread", "take_bytes", (1, False, False, 8, NO), False),
    ("spread", "words", (1, True, False, 64, NO), True),
    ("spread", "words", (1, True, False, 65, NO), False),
    ("spread", "words", (1, False, False, 64, NO), False),
    ("take_rows", "runs", (0, 1, "word", 1, NO), False),
    ("take_rows", "runs", (1, 1, "word", 1, NO), True),
    ("take_rows", "runs", (1, 1, "text", 1, NO), True),
    ("take_rows", "runs", (1, 1, "", 1, YES), False),
    ("take_rows", "compiled", (0, 1, "word", 1, YES), False),
    ("take_rows", "compiled", (1, 1, "word", 1, YES), True),
    ("take_rows", "compiled", (1, 1, "word", 1, NO), False),
    *(("take_rows", "polars", (n, 2, "word", 1, NO, shared), n > 0 and shared) for n in (0, 1) for shared in (True, False)),
    ("take_rows", "polars", (1, 1, "word", 1, NO, True), False),
    ("join_rows", "runs", (0, 1, True, 1), False),
    ("join_rows", "runs", (1, 1, True, 1), True),
    ("join_rows", "runs", (1, 1, False, 1), False),
    ("joined", "small", (1, True, False), True),
    ("joined", "small", (1, False, True), False),
    ("joined", "compiled", (1, True, True), True),
    ("joined", "compiled", (1, True, False), False),
    ("group", "compiled", (ROW, 1, False, YES), True),
    ("group", "compiled", (ROW, 1, True, YES), False),
    ("group", "compiled", (ROW, 1, False, NO), False),
    ("reverse", "compiled", (False,), False),
    ("take_runs", "runs", (1, 1, False), False),
    *(("copy_rows", "runs", (1, 1, able, NO), able) for able in (True, False)),
    *(("copy_rows", "compiled", (1, 1, True, ready), ready is YES) for ready in (YES, NO)),
    ("positions", "windows", (1, 1, lambda: 0), False),
    ("positions", "windows", (1, 1, lambda: 1), True),
    ("nth", "blocks", (0,), False),
    ("nth", "blocks", (1,), True),
    ("expression", "blocks", (0, 6, 6), False),
    ("expression", "blocks", (1, 0, 6), True),
    ("window_quantile", "compiled", (True, 3), True),
    ("window_quantile", "compiled", (False, 3), False),
    ("pad", "windows", (0, True), False),
    ("pad", "windows", (1, True), True),
    ("pad", "windows", (1, False), False),
    ("unpad", "windows", (1, 1, 0, 8), False),
    ("unpad", "windows", (1, 1, 1, 8), True),
    ("transpose", "even", (*NONE, True, NO, NO, 1), False),
    ("transpose", "even", (YES, True, NO, NO, 1), True),
    ("transpose", "slices", (*NONE, True, NO, NO, 1), False),
    ("transpose", "slices", (*NONE, False, YES, NO, 1), False),
    ("transpose", "slices", (*NONE, True, YES, NO, 1), True),
    ("transpose", "columns", (*NONE, False, YES, NO, 1), False),
    ("transpose", "columns", (*NONE, True, YES, NO, 1), True),
    ("transpose", "exact", (*NONE, True, YES, NO, 1), True),
    ("transpose", "exact", (*NONE, True, YES, YES, 1), False),
    ("frame", "columns", (2, 1, 1), True),
    ("frame", "columns", (2, 2, 1), False),
    ("frame", "columns", (3, 1, 1), False),
    ("scan", "totals", (1, 1, True), True),
    ("scan", "matrix", (1 << 11, 1 << 11, False), True),
    ("scan", "matrix", (1 << 11, (1 << 11) + 1, False), False),
    ("count", "compiled", (1, True), True),
    ("count", "compiled", (1, False), False),
    ("count", "compiled", (1,), False),
    ("row_sum", "compiled", (1, True), True),
    ("row_sum", "compiled", (1, False), False),
    ("n_unique", "compiled", (ROW, YES), True),
    ("n_unique", "compiled", (ROW, NO), False),
    ("member", "compiled", (ROW, ROW, True), True),
    ("member", "compiled", (ROW, ROW), False),
    ("short_sort", "compiled", (ROW, True), True),
    ("short_sort", "compiled", (ROW, False), False),
    ("utf8", "compiled", (1, YES), True),
    ("utf8", "compiled", (1, NO), False),
    ("outer", "scatter", (True,), True),
    ("outer", "scatter", (False,), False),
    ("repeat_bits", "table", (1, 1 << 10), True),
    ("repeat_bits", "table", (1, (1 << 10) + 1), False),
    ("positions", "windows", (1, 1 << 11, lambda: 1 << 11), True),
    ("positions", "windows", (1, 1 << 11, lambda: (1 << 11) + 1), False),
    *((name, "compiled", (1, ready), ready) for name in ("runs", "carry") for ready in (True, False)),
    ("map_keys", "table", (1, 1 << 16), True),
    ("map_keys", "table", (1, (1 << 16) + 1), False),
    ("map_keys", "table", (0, 0), False),
    ("take_runs", "runs", (1, 1, True), True),
    ("unpad", "windows", (1 << 10, 1, 1 << 10, (1 << 6) - 1), True),
    ("unpad", "windows", (1 << 10, 1, 1 << 10, 1 << 6), False),
    ("hash_row", "partition", (ROW,), True),
    ("hash_row", "partition", (rows(1),), False),
    ("searchsorted", "partition", (ROW,), True),
    ("searchsorted", "partition", (rows(1, 1),), False),
    *(
        (name, "compiled", (ready,), ready)
        for name in (*COMPILED, "chosen", "take_texts", "reverse", "strings", "json", "loop")
        for ready in (True, False)
    ),
]

FROM_POLARS_ABLE: list[tuple[str, tuple[Any, ...], tuple[Any, ...]]] = [
    ("row_reduction", (rows(0, 1), True), (rows(0, 0), True)),
    ("row_reduction", (rows(0, 1), True), (rows(0, 1), False)),
    ("long_rows", (rows(0, 1), True), (rows(0, 0), True)),
    ("long_rows", (rows(0, 1), True), (rows(0, 1), False)),
    ("n_unique", (rows(0, 1), NO, True), (rows(0, 0), NO, True)),
    ("n_unique", (rows(0, 1), NO, True), (rows(0, 1), NO, False)),
    ("row_sum", (1, False), (0, False)),
    ("count", (1,), (0,)),
    ("filter", (1, False, True, False), (1, False, False, False)),
    ("regex", (1, True), (1, False)),
    ("utf8", (1, NO), ()),
    ("chosen", (False, 1), (False, 0)),
    ("sort", (ROW, YES, False, True), (ROW, NO, False, True)),
]
"""Operations, facts of what polars is able to compute, and of what it is not."""


@pytest.mark.parametrize("operation", dict.fromkeys(operation for operation, *_ in ABLE))
def test_each_strategy_tells_whether_it_can_compute_a_call(operation: str) -> None:
    for one, name, facts, able in ABLE:
        if one == operation:
            assert bool(strategy.CHOICES[operation].strategies[name](*facts)) is able, (name, facts)


@pytest.mark.parametrize("is_there", [True, False])
def test_strategies_of_polars_tell_whether_they_can_compute_a_call(is_there: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "has_polars", lambda: is_there)
    for operation, facts, other_facts in FROM_POLARS_ABLE:
        able = strategy.CHOICES[operation].strategies["polars"]
        assert bool(able(*facts)) is is_there, (operation, facts)
        assert not other_facts or not able(*other_facts), (operation, other_facts)


NAMES = {
    "sort": "small order matrix polars",
    "argsort": "small apart pairs matrix cut partition",
    "searchsorted": "small bisect partition",
    "rank": "sort pairs partition",
    "topk": "sort segments",
    "quantile": "small sort select",
    "quantiles": "small each sort",
    "unique": "small pairs hash compiled",
    "group": "small pairs hash sort compiled",
    "value_counts": "small pairs hash sort compiled",
    "n_unique": "small pairs hash compiled polars",
    "member": "small pairs hash compiled",
    "combine": "small blocks",
    "lookup": "small hash compiled",
    "edges": "search compare",
    "hash_row": "tables partition",
    "in_set": "compare hash table",
    "reduced": "reduceat columns",
    "row_reduction": "numpy polars",
    "long_rows": "numpy polars",
    "row_sum": "numpy polars compiled",
    "count": "whole blocks polars compiled",
    "outer": "move scatter",
    "short_sort": "numpy compiled",
    "long_sort": "numpy compiled",
    "long_order": "numpy compiled",
    "window_quantile": "numpy compiled ranks",
    "few_texts": "items arrays",
    "scan": "matrix totals slots lengths",
    "shift": "slots positions",
    "filter": "small arrow polars compiled",
    "spread": "take take_bytes words repeat",
    "chosen": "numpy compiled polars",
    "take_rows": "items runs compiled polars",
    "join_rows": "items runs",
    "joined": "small arrow compiled",
    "take_texts": "arrow compiled",
    "strings": "arrow compiled",
    "json": "arrow compiled",
    "reverse": "arrow compiled",
    "take_runs": "items runs",
    "copy_rows": "items runs compiled",
    "copy_runs": "slices strings",
    "parents": "repeat count",
    "positions": "runs windows",
    "marked": "search count",
    "bits_at": "each unpacked",
    "moved_bits": "flags compiled",
    "null_bits": "flags compiled",
    "repeat": "small columns rows compiled",
    "repeat_bits": "small spread table",
    "tile": "small pieces",
    "are_distinct": "sort marks",
    "utf8": "arrow polars compiled",
    "regex": "arrow polars",
    "map_keys": "items table",
    "arithmetic": "whole blocks",
    "loop": "blocks compiled",
    "expression": "whole blocks",
    "combinations": "items lengths",
    "pad": "items windows",
    "unpad": "items windows",
    "transpose": "even slices columns exact radix",
    "digits": "radix count",
    "columns": "numpy compiled",
    "take_rising": "items stretches",
    "frame": "coordinates columns",
    "coalesce": "whole blocks",
    **dict.fromkeys(BLOCKS, "whole blocks"),
    **{name: f"small {other}" for name, other in SMALL.items()},
    **dict.fromkeys(COMPILED, "numpy compiled"),
    "runs": "small blocks compiled",
    "carry": "small words compiled",
}
"""The strategies that can be forced on each operation: whoever renames one changes what tests and benchmarks force."""


def test_the_names_of_all_strategies() -> None:
    assert {name: {*choice.strategies} for name, choice in strategy.CHOICES.items()} == {
        name: {*text.split()} for name, text in NAMES.items()
    }


def test_strategies_that_only_whole_calls_take() -> None:
    found = {(name, one) for name, choice in strategy.CHOICES.items() for one, able in choice.strategies.items() if able is _never}
    small = set(strategy.CHOICES) & {"sort", "argsort", "searchsorted", "quantile", "unique", "group", "value_counts", "n_unique"}
    small |= {"member", "combine", "lookup", "quantiles"}
    assert found == {("argsort", "apart"), *((name, "small") for name in small)}


def test_each_rule_names_strategies_of_its_operation() -> None:
    covered = {operation for operation, _, _ in CHOSEN} | {*FROM_POLARS, "row_reduction", "long_rows", "chosen"}
    assert covered == strategy.CHOICES.keys()
    assert all(chosen in strategy.CHOICES[operation].strategies for operation, _, chosen in CHOSEN)


# ------------------------------------------------------------------------------------------------------------- forced


def test_a_forced_strategy_is_taken_where_it_is_able() -> None:
    rule = strategy.choose("pad", 0, True), strategy.choose("pad", 3, True)
    assert rule == ("items", "windows")
    with strategy.force(pad="windows") as windows:
        assert strategy.choose("pad", 0, True) == "items"
        assert strategy.choose("pad", 1000, True) == "windows"
        assert strategy.choose("outer", True) == "scatter"
        with strategy.force(pad="items") as items:
            assert strategy.choose("pad", 3, True) == "items"
        with strategy.force(outer="move") as inner:
            assert strategy.choose("pad", 1000, True) == "windows"
            assert strategy.choose("outer", True) == "move"
        with strategy.force() as nothing:
            assert strategy.choose("pad", 1000, True) == "windows"
        assert strategy.choose("pad", 1000, True) == "windows"
    assert windows == {("pad", "items"): 1, ("pad", "windows"): 2, ("outer", "scatter"): 1}
    assert items == {("pad", "items"): 1}
    assert inner == {("pad", "windows"): 1, ("outer", "move"): 1}
    assert nothing == {("pad", "windows"): 1}
    assert strategy.choose("pad", 1000, True) == "items"


def test_sizes_are_forced_and_restored() -> None:
    def values() -> list[int]:
        return [sizes.CALL_VALUES, sizes.SMALL_VALUES]

    def fail() -> None:
        with strategy.force(CALL_VALUES=6, take="small"):
            raise ZeroDivisionError

    before = values()
    with strategy.force(CALL_VALUES=7, take="small"):
        assert values() == [7, before[1]]
        with strategy.force(CALL_VALUES=8, SMALL_VALUES=9):
            assert values() == [8, 9]
            assert strategy.choose("take", 1000) == "small"
        assert values() == [7, before[1]]
        with pytest.raises(ZeroDivisionError):
            fail()
        assert values() == [7, before[1]]
    assert values() == before
    assert strategy.choose("take", sizes.CALL_VALUES) == "blocks"


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"pad": "flat"}, "there is no pad='flat'; strategies of pad are items, windows."),
        ({"pad": 3}, "there is no pad=3; strategies of pad are items, windows."),
        ({"CALL_VALUES": "7"}, "there is no CALL_VALUES='7'; strategies of CALL_VALUES are none."),
        ({"NO_VALUES": 7}, "there is no NO_VALUES=7; strategies of NO_VALUES are none."),
        ({"CALL_VALUES": 7, "nothing": "small"}, "there is no nothing='small'; strategies of nothing are none."),
    ],
)
def test_force_refuses_unknown_names_and_values(changes: dict[str, Any], says: str) -> None:
    before = sizes.CALL_VALUES
    with pytest.raises(JagValueError, match=f"^{re.escape(f'force: {says}')}$"), strategy.force(**changes):
        pass
    assert before == sizes.CALL_VALUES


def test_small_calls_that_are_forced() -> None:
    few, many, odd = (np.zeros(3), None), (np.zeros(sizes.SMALL_VALUES), None), (np.zeros(3, "complex64"), None)
    for by, wanted in (
        ("small", [True, True, False]),
        ("order", [False, False, False]),
        (None, [True, False, False]),
    ):
        with strategy.force(**({} if by is None else {"sort": by})) as taken:
            assert [strategy.is_small("sort", one) for one in (few, many, odd)] == wanted
        assert taken == ({("sort", "small"): sum(wanted)} if any(wanted) else {})
    for by, wanted in (("small", True), ("blocks", False)):  # the only other strategy, which nothing else asks for
        with strategy.force(combine=by) as taken:
            assert strategy.is_small("combine", many, few) is wanted
        assert taken == {("combine", by): 1}


def test_strategies_that_are_taken_by_force_alone() -> None:
    assert not strategy.is_forced("argsort", "apart")
    with strategy.force(argsort="apart") as taken:
        assert strategy.is_forced("argsort", "apart")
        assert not strategy.is_forced("argsort", "cut")
        assert not strategy.is_forced("sort", "small")
    assert taken == {("argsort", "apart"): 1}
