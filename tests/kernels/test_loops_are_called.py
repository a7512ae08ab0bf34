"""Each operation calls its compiled loop if there is one: if a kernel requested a wrong loop, it would only be slower."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import arrowjag as aj
from arrowjag._kernels import strategy
from arrowjag._kernels.compiled import fused_name, library
from arrowjag._kernels.compiled.loop import Variant
from arrowjag._kernels.reduce.products import _DOT, _DOTS
from arrowjag.testing import assert_lists_equal
from tests.kernels.interpreted import check_arguments

FLOATS = aj.array([[1.5, -2.0, None], [], [4.0, 4.0, 0.5, 3.0], [None]])
WHOLE = aj.array([[1.5, -2.0], [], [4.0, 4.0, 0.5, 3.0]])
INTEGERS = aj.array([[3, 1, None], [], [-4, 4, 4]])
WORDS = aj.array([["b", "é", None], [], ["b", "a", "b"]])
LONG = aj.array([[0.5, 1.5] * 300, [2.0]])
HUGE = aj.array([[0.5, 1.5, 1e-17] * 1000, [None, 2.0]])
BEYOND = aj.array([[2**62] * 4, [1, 2, 4], [], [5, 6, 8]])
PRICES = aj.array([[Decimal("1.50"), None], [], [Decimal("-2.25")]])
HALVES = aj.array([[1.5, -2.0], [], [4.0]], type=pa.float16())
TIMES = aj.array([[1, 2], [], [5, 5, 6, 9]])

CALLS: dict[str, tuple[str, Callable[[], Any]]] = {
    "sum": ("sum-f8-bits", FLOATS.sum),
    "sum of float32": ("rounded_sum-f4-bits", lambda: FLOATS.cast("float32").sum()),
    "sum of integers": ("sum_integers-i8-bits", INTEGERS.sum),
    "sum without nulls": ("sum-f8-plain", WHOLE.sum),
    "mean": ("mean-f8-bits", FLOATS.mean),
    "mean of integers": ("mean_integers-i8-bits", INTEGERS.mean),
    "mean of integers in blocks, one of which overflows": ("sum_integers-i8-plain", BEYOND.mean),
    "sum of long rows": ("sum-f8-plain", LONG.sum),
    "var of long rows": ("squares-f8-plain", LONG.var),
    "sum of huge rows": ("piece_sums-f8-nulls", HUGE.sum),
    "mean of huge rows": ("piece_sums-f8-nulls", HUGE.mean),
    "var of huge rows": ("piece_squares-f8-nulls", HUGE.var),
    "sum of columns": ("scattered_sums-f8-nulls", lambda: FLOATS.sum(axis=0)),
    "count of columns": ("scattered_sums-b1-plain", lambda: FLOATS.count(axis=0)),
    "mean of columns": ("scattered_sums-f8-plain", lambda: WHOLE.mean(axis=0)),
    "max of columns": ("scattered_max-i8-nulls", lambda: INTEGERS.max(axis=0)),
    "min of columns": ("scattered_min-f8-plain", lambda: WHOLE.min(axis=0)),
    "any": ("any_set-u1-plain", (FLOATS > 1).any),
    "all": ("all_set-u1-plain", (WHOLE > 1).all),
    "count": ("counted-u1-plain", FLOATS.count),
    "from_sizes": ("running_total-i8-plain", lambda: aj.from_sizes([1, 2, 3], np.array([2, 0, 1]))),
    "flags counted": ("running_total-b1-plain", lambda: FLOATS.rolling(2).median()),
    "count of one null": ("counted-u1-plain", INTEGERS.count),
    "prod": ("prod-f8-nulls", FLOATS.prod),
    "prod of integers": ("prod_integers-i8-nulls", INTEGERS.prod),
    "min": ("min-f8-bits", FLOATS.min),
    "max": ("max-i8-bits", INTEGERS.max),
    "argmin": ("argmin-i8-bits", INTEGERS.argmin),
    "argmax": ("argmax-f8-bits", FLOATS.argmax),
    "argmax by flags": ("argmax-f8-nulls", FLOATS.argmax),
    "sum by flags": ("sum-f8-nulls", FLOATS.sum),
    "max of text": ("text_argmax-u1-nulls", WORDS.max),
    "min of text": ("text_argmin-u1-nulls", WORDS.min),
    "unique text": ("text_is_first_distinct-u1-nulls", WORDS.unique),
    "value_counts of text": ("text_hashes-u1-plain", WORDS.value_counts),
    "argmax of text": ("text_argmax-u1-nulls", WORDS.argmax),
    "max_by of text": ("text_argmax-u1-nulls", lambda: WORDS.max_by(WORDS)),
    "min_by of text": ("text_argmin-u1-plain", lambda: WORDS.head(1).min_by(WORDS.head(1).fill_null("c"))),
    "sort of text": ("text_words-u1-plain", WORDS.sort),
    "is_in rows of text": ("unequal_text-u1-plain", lambda: WORDS.is_in(WORDS)),
    "unique": ("is_first_distinct-u8-nulls", INTEGERS.unique),
    "n_unique": ("is_first_distinct-u8-plain", FLOATS.n_unique),
    "mode": ("first_occurrences-u8-nulls", INTEGERS.mode),
    "value_counts": ("grouped_items-i8-plain", INTEGERS.value_counts),
    "n_unique, without nulls": ("kept_items-u8-plain", FLOATS.n_unique),
    "median": ("select-f8-plain", lambda: FLOATS.quantile(0.3)),
    "is_in": ("one_of-i8-plain", lambda: INTEGERS.is_in([3, 4])),
    "round": ("rounded-f8-plain", lambda: FLOATS.round(2)),
    "sum of decimals": ("added_pairs-u8-plain", lambda: PRICES + 1),
    "comparison of decimals": ("compared_decimals-u8-plain", lambda: PRICES < 2),
    "negative of decimals": ("added_pairs-u8-plain", PRICES.__neg__),
    "abs of decimals": ("absolute_pairs-u8-plain", PRICES.__abs__),
    "filter": ("kept_items-u8-plain", lambda: TIMES[TIMES > 4]),
    "filter of values with nulls": ("kept_items-u8-nulls", lambda: FLOATS[FLOATS > 0]),
    "sum of float16": ("calculated_halves-u2-plain", lambda: HALVES + HALVES),
    "comparison of float16": ("widened-u2-plain", lambda: HALVES > 3),
    "power of float16": ("narrowed-f4-plain", lambda: HALVES**3),
    "sqrt": ("square_root-f8-plain", lambda: np.sqrt(FLOATS)),
    "is_nan": ("compared-f8-plain", FLOATS.is_nan),
    "greater": ("compared-i8-plain", lambda: INTEGERS > 3),
    "greater pairs": ("compared_pairs-i8-plain", lambda: INTEGERS > -INTEGERS),
    "integers as float32": ("as_singles-i8-plain", lambda: TIMES.cast("float32")),
    "float64 as float32": ("as_singles-f8-plain", lambda: FLOATS.cast("float32")),
    "integers as float64": ("as_doubles-i8-plain", lambda: TIMES.cast("float64")),
    "softmax": ("shares-f8-nulls", FLOATS.softmax),
    "replace": ("replace_equal-i8-plain", lambda: INTEGERS.replace(3, 4)),
    "is_in rows": ("members-u8-plain", lambda: INTEGERS.is_in(TIMES)),
    "translate": ("equal_members-u8-plain", lambda: INTEGERS.translate(TIMES.unique(), TIMES.unique())),
    "local_maxima": ("peaks-f8-nulls", FLOATS.local_maxima),
    "local_maxima of equal neighbours": ("peaks-i8-plain", TIMES.local_maxima),
    "fill_null": ("choose_items-u8-bits", lambda: FLOATS.fill_null(1.5)),
    "transpose": ("placed_columns-i8-plain", lambda: FLOATS.transpose(0, 1, shear="allow")),
    "transpose of rows": ("counted_columns-i8-plain", lambda: FLOATS.transpose(0, 1, shear="allow")),
    "ffill": ("carried-u8-nulls", FLOATS.ffill),
    "bfill": ("carried-u8-nulls", INTEGERS.bfill),
    "floor of times": ("multiples-i8-plain", lambda: TIMES.cast(pa.timestamp("s")).dt.floor("1h")),
    "histogram": ("counted_bins-f8-nulls", lambda: FLOATS.histogram(3)),
    "cut": ("binned-f8-nulls", lambda: FLOATS.cut(3)),
    "bootstrap": ("drawn-f8-plain", lambda: FLOATS.bootstrap(3, seed=1)),
    "bincount": ("counted_slots-i8-plain", lambda: TIMES.bincount(10)),
    "intersection": ("combined-u8-nulls", lambda: INTEGERS.intersection(TIMES)),
    "head": ("taken_items-u8-plain", lambda: FLOATS.head(1)),
    "reverse with nulls": ("reversed_bits-u1-plain", FLOATS.reverse),
    "rows with nulls spread": ("spread_bits-u1-plain", lambda: FLOATS.max().expand_to(FLOATS)),
    "rows with nulls": ("taken_bits-u1-plain", lambda: FLOATS[[2, 0]]),
    "repeat": ("repeated_items-u8-plain", lambda: FLOATS.repeat(3)),
    "item at a position": ("nth_items-u8-bits", lambda: FLOATS.S[1]),
    "first": ("nth_items-u8-plain", WHOLE.first),
    "last": ("nth_items-u8-plain", TIMES.last),
    "bounds of slices": ("sliced_rows-i8-plain", lambda: FLOATS.slice(1, 2)),
    "slice of rows": ("taken_items-u8-plain", lambda: FLOATS[1:, 1:]),
    "flatten with empty rows": ("taken_items-u8-plain", lambda: FLOATS.flatten(keep_empty=True)),
    "contains": ("last_equal-i8-nulls", lambda: INTEGERS.contains(4)),
    "index_of": ("first_equal-i8-nulls", lambda: INTEGERS.index_of(4)),
    "get": ("last_equal-i8-nulls", lambda: aj.zip(key=INTEGERS, value=INTEGERS).get(4)),
    "removeprefix": ("taken_bytes-u1-plain", lambda: WORDS.str.removeprefix("b")),
    "removesuffix": ("taken_bytes-u1-plain", lambda: WORDS[1:].str.removesuffix("é")),
    "occurrences": ("occurrences-u1-nulls", lambda: WORDS.str.count("b")),
    "pieces": ("cut_pieces-u1-plain", lambda: WORDS[2:].str.split("b", maxsplit=1)),
    "joined strings": ("joined_bytes-u1-plain", lambda: WORDS.str.cat(WORDS, "-")),
    "fill_null of text": ("chosen_bytes-u1-plain", lambda: WORDS.fill_null("é")),
    "equal strings": ("unequal_strings-u1-plain", lambda: WORDS[:] == WORDS),
    "slices of strings": ("sliced_cuts-u1-nulls", lambda: WORDS.str.slice(-2, 1)),
    "startswith": ("holding-u1-plain", lambda: WORDS[2:].str.startswith("b")),
    "endswith": ("holding-u1-nulls", lambda: WORDS.str.endswith(("é",))),
    "contains a text": ("holding-u1-nulls", lambda: WORDS.str.contains("b")),
    "join": ("row_bytes-u1-nulls", lambda: WORDS.join("-")),
    "replace a text": ("replaced_bytes-u1-plain", lambda: WORDS.str.replace("b", "éa")),
    "from_json": ("json_lists-i8-nulls", lambda: aj.from_json(["[1, 2]", None, "[]"], pa.list_(pa.int64()))),
    "from_json to float32": ("json_singles-f4-plain", lambda: aj.from_json(["[1.5, 2]", "[]"], pa.list_(pa.float32()))),
    "sort": ("short_sort-f8-nulls", FLOATS.sort),
    "sort descending": ("short_sort_falling-i8-nulls", lambda: INTEGERS.sort(descending=True)),
    "argsort": ("short_order-f8-plain", WHOLE.argsort),
    "argsort of integers": ("short_order-u1-plain", lambda: TIMES.argsort(descending=True)),
    "entropy, whose items are counted": ("counted_flags-b1-plain", FLOATS.entropy),
    "rank": ("short_ranks-f8-nulls", lambda: FLOATS.rank(method="dense")),
    "rank of integers": ("short_ranks-i8-plain", lambda: TIMES.rank(method="average")),
    "cumsum": ("cumsum-f8-nulls", FLOATS.cumsum),
    "cumsum of integers": ("cumsum_integers-i8-nulls", INTEGERS.cumsum),
    "cumcount": ("cumsum_integers-b1-plain", FLOATS.cumcount),
    "cumcount without nulls": ("numbered-i8-plain", WHOLE.cumcount),
    "cumprod": ("cumprod-f8-nulls", FLOATS.cumprod),
    "cumprod of integers": ("cumprod_integers-i8-nulls", INTEGERS.cumprod),
    "cummax": ("cummax-i8-nulls", INTEGERS.cummax),
    "cummin": ("cummin-f8-nulls", FLOATS.cummin),
    "var": ("squares-f8-nulls", FLOATS.var),
    "var of integers": ("squares-f8-nulls", INTEGERS.var),
    "std": ("squares-f8-plain", WHOLE.std),
    "sem": ("squares-f4-nulls", lambda: FLOATS.cast("float32").sem()),
    "skew of integers": ("central-f8-nulls", INTEGERS.skew),
    "kurtosis": ("central-f8-plain", WHOLE.kurtosis),
    "moment of float32": ("central-f4-nulls", lambda: FLOATS.cast("float32").moment(3)),
    "cov": ("products-f8-nulls", lambda: FLOATS.cov(FLOATS)),
    "cosine": (f"{fused_name('f8,f8' + _DOTS)}-f8-plain", lambda: WHOLE.cosine(WHOLE)),
    "cosine with nulls": (f"{fused_name('f8?,f4?' + _DOTS)}-f8-plain", lambda: FLOATS.cosine(FLOATS.cast("float32"))),
    "matmul": (f"{fused_name('f8,f8' + _DOT)}-f8-plain", lambda: WHOLE.unsqueeze(1).matmul(WHOLE)),
    "skew": ("central-f8-nulls", FLOATS.skew),
    "corr": ("products-f8-plain", lambda: WHOLE.corr(TIMES)),
    "ewm": ("decayed-f8-plain", lambda: FLOATS.ewm(alpha=0.3).mean()),
    "rolling sum": ("rolling_sums-f8-plain", lambda: FLOATS.rolling(2).sum()),
    "rolling mean of integers": ("rolling_sums-f8-plain", lambda: INTEGERS.rolling_mean(2)),
    "rolling min": ("rolling_min-i8-plain", lambda: INTEGERS.rolling_min(2)),
    "rolling max": ("rolling_max-f8-plain", lambda: WHOLE.rolling(2).max()),
    "rolling count": ("rolling_sums-i8-plain", lambda: FLOATS.rolling_count(2)),
    "nulls of windows": ("rolling_min-u1-plain", lambda: FLOATS.rolling_min(2)),
    "rolling median of integers": ("window_select-f8-plain", lambda: TIMES.rolling(3, min_periods=1).median()),
    "max of cut windows": ("window_max-f8-plain", lambda: FLOATS.rolling(3, min_periods=1).max()),
    "min by time": ("window_min-f8-plain", lambda: FLOATS.rolling(3, on=FLOATS.cumcount().ffill().fill_null(0)).min()),
    "sum of cut windows": ("window_sums-f8-plain", lambda: FLOATS.rolling(3, min_periods=1).sum()),
    "rolling std": ("rolling_variances-f8-plain", lambda: FLOATS.rolling(2).std()),
    "counts of cut windows": ("window_counts-b1-plain", lambda: FLOATS.rolling(3, min_periods=1).mean()),
    "rolling var": ("window_squares-f8-nulls", lambda: FLOATS.rolling(3, min_periods=1).var()),
    "rolling median": ("window_select-f8-plain", lambda: WHOLE.rolling(3, min_periods=1).median()),
    "symmetric_difference": ("combined-u8-plain", lambda: WHOLE.symmetric_difference(TIMES.cast("float64"))),
    "interp": ("interpolate-f8-plain", lambda: aj.interp(WHOLE, TIMES.cast("float64"), WHOLE)),
    "asof": ("bisect-f8-plain", lambda: aj.asof(WHOLE, TIMES)),
    "rolling by time": ("window_bounds-i8-plain", lambda: WHOLE.rolling(3, on=TIMES).sum()),
}
"""Calls, and the loops that compute them."""


@pytest.fixture(scope="module", autouse=True)
def _no_loops_yet() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(library, "_loaded", {})
        yield


@contextlib.contextmanager
def compiled(name: str) -> Iterator[None]:
    """Choose compiled loops wherever there is one, for few values too."""
    ways = {"few_texts": "arrays", "function": "blocks"}
    ways |= {operation: "compiled" for operation, choice in strategy.CHOICES.items() if "compiled" in choice.strategies}
    ways |= {"argsort": "pairs"} if "argsort" in name else {}
    ways |= {"null_bits": "flags"} if "flags" in name else {}
    ways |= {"rank": "pairs"} if name.startswith("rank") else {}
    ways |= {"spread": "words"} if name.endswith("spread") else {}
    ways |= {"coalesce": "blocks", "if_else": "blocks"} if name.startswith("fill_null") else {}
    ways |= {"cast": "blocks"} if " as float" in name else {}
    sizes = {"COMPILED_VALUES": 0, "SMALL_VALUES": 0, "ONE_PASS_VALUES": 0, "ARITHMETIC_VALUES": 0}
    sizes |= {"LARGE_VALUES": 1000} if "huge" in name else {}
    sizes |= {"THREAD_VALUES": 1, "CACHE_VALUES": 2} if "blocks" in name else {}
    with aj.options(compile="always"), strategy.force(**sizes, **ways):
        yield


OTHERS = {
    operation: next(one for one in choice.strategies if one not in ("compiled", "small"))
    for operation, choice in strategy.CHOICES.items()
    if "compiled" in choice.strategies
}


def patched(monkeypatch: pytest.MonkeyPatch, called: list[str], find: Callable[..., Any]) -> None:
    """Let `find` find the loops, and note which of them are called."""

    def found(name: str, dtype: Any, nulls: bool, n_values: int = 0) -> Any:
        loop = find(name, dtype, nulls, n_values)
        if loop is None:
            return None

        variant = Variant(name, dtype.str[1:], nulls)

        def run(*arguments: Any) -> int:
            check_arguments(variant, arguments)
            called.append(str(variant))
            return loop(*arguments)

        return run

    monkeypatch.setattr(library, "find", found)


@pytest.mark.parametrize("name", CALLS)
def test_a_loop_is_called_and_gives_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    loop, call = CALLS[name]
    called = list[str]()
    patched(monkeypatch, called, library.find)
    wanted = call()
    assert not called
    with compiled(name):
        got = call()
    assert_lists_equal(got.to_list(), wanted.to_list())
    assert called, f"{name} calls no loop"
    assert loop in called, f"{name} calls {called}"


@pytest.mark.parametrize("name", CALLS)
def test_no_loop_is_called_where_another_strategy_is_chosen(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    call = CALLS[name][1]
    called = list[str]()
    patched(monkeypatch, called, lambda *_: lambda *_: 0)  # as if each loop were ready
    wanted = call()
    with compiled(name), strategy.force(**OTHERS):
        got = call()
    assert_lists_equal(got.to_list(), wanted.to_list())
    assert not called


FEW = (
    *(
        "contains",
        "argmax by flags",
        "is_in",
        "interp",
        "rolling by time",
        "sum of cut windows",
        "rolling var",
        "rolling median",
        "ewm",
    ),
    *("corr", "cosine", "var", "skew"),
)
"""Calls whose loops replace many calls of numpy."""


@pytest.mark.parametrize("name", FEW)
def test_a_loop_is_asked_for_by_calls_on_few_values(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    loop, call = CALLS[name]
    asked = list[str]()
    monkeypatch.setattr(library, "find", lambda name, dtype, nulls, _n: asked.append(str(Variant(name, dtype.str[1:], nulls))))
    monkeypatch.setattr(library, "_asked", {})
    monkeypatch.setattr(library, "_loaded", {})
    with aj.options(compile="always"), strategy.force(LOADING_VALUES=2_000_000, COUNTED_VALUES=1_000_000):
        call()
        assert loop not in asked
        call()
        assert asked.count(loop) == 1


READY: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "sort": ("short_sort", lambda x: x.sort()),
    "argsort": ("short_order", lambda x: x.argsort()),
    "rank": ("short_ranks", lambda x: x.rank("min")),
    "unique": ("unique", lambda x: x.unique()),
    "n_unique": ("n_unique", lambda x: x.n_unique()),
    "value_counts": ("value_counts", lambda x: x.value_counts()),
    "mode": ("value_counts", lambda x: x.mode()),
    "group_by_indices": ("group", lambda x: x.group_by_indices(x)),
    "is_in": ("member", lambda x: x.is_in(x)),
}
"""The strategies of calls that have a form of their own for few values."""

READY_FEW, READY_MANY = strategy.sizes.READY_VALUES // 2 - 1, 2 * strategy.sizes.READY_VALUES
"""Values of a column, which `is_in` counts twice and a column with nulls in part."""


@pytest.mark.parametrize("name", READY)
def test_few_values_take_a_loop_that_is_ready(name: str) -> None:
    pytest.importorskip("numba")
    operation, call = READY[name]
    rng = np.random.default_rng(5)
    for n_values, wanted in ((READY_FEW, False), (READY_MANY, True)):
        sizes = rng.multinomial(n_values, np.full(50, 1 / 50))
        for nulls in (False, True):
            items = rng.integers(0, 9, n_values).astype(float)
            x = aj.from_sizes(pa.array(items, mask=rng.random(n_values) < 0.2 if nulls else None), sizes)
            with aj.options(compile="never"):
                expected = call(x).to_list()
            with aj.options(compile="always"), strategy.force(LOADING_VALUES=1) as taken:
                assert_lists_equal(call(x).to_list(), expected)
            assert (taken[operation, "compiled"] > 0) is wanted
