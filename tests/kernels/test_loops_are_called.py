"""Each operation calls its compiled loop where there is one: a kernel that asked for a wrong one would only be slower."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arrowjag as aj
from arrowjag._kernels import strategy
from arrowjag._kernels.compiled import library
from arrowjag.testing import assert_lists_equal

FLOATS = aj.array([[1.5, -2.0, None], [], [4.0, 4.0, 0.5, 3.0], [None]])
WHOLE = aj.array([[1.5, -2.0], [], [4.0, 4.0, 0.5, 3.0]])
INTEGERS = aj.array([[3, 1, None], [], [-4, 4, 4]])
WORDS = aj.array([["b", "é", None], [], ["b", "a", "b"]])
LONG = aj.array([[0.5, 1.5] * 300, [2.0]])
HUGE = aj.array([[0.5, 1.5, 1e-17] * 1000, [None, 2.0]])
TIMES = aj.array([[1, 2], [], [5, 5, 6, 9]])

CALLS: dict[str, tuple[str, Callable[[], Any]]] = {
    "sum": ("sum-f8", FLOATS.sum),
    "sum of float32": ("rounded_sum-f4", lambda: FLOATS.cast("float32").sum()),
    "sum of integers": ("sum_integers-i8", INTEGERS.sum),
    "mean": ("mean-f8", FLOATS.mean),
    "mean of integers": ("mean_integers-i8", INTEGERS.mean),
    "sum of long rows": ("sum-f8", LONG.sum),
    "var of long rows": ("squares-f8", LONG.var),
    "sum of huge rows": ("piece_sums-f8", HUGE.sum),
    "mean of huge rows": ("piece_sums-f8", HUGE.mean),
    "var of huge rows": ("piece_squares-f8", HUGE.var),
    "any": ("any_set-u1", (FLOATS > 1).any),
    "all": ("all_set-u1", (WHOLE > 1).all),
    "count": ("counted-u1", FLOATS.count),
    "prod": ("prod-f8", FLOATS.prod),
    "prod of integers": ("prod_integers-i8", INTEGERS.prod),
    "min": ("min-f8", FLOATS.min),
    "max": ("max-i8", INTEGERS.max),
    "argmin": ("argmin-i8", INTEGERS.argmin),
    "argmax": ("argmax-f8", FLOATS.argmax),
    "max of text": ("text_argmax-u1", WORDS.max),
    "min of text": ("text_argmin-u1", WORDS.min),
    "unique text": ("text_marks-u1", WORDS.unique),
    "unique": ("first_marks-u8", INTEGERS.unique),
    "n_unique": ("first_marks-u8", FLOATS.n_unique),
    "mode": ("leaders-u8", INTEGERS.mode),
    "median": ("select-f8", lambda: FLOATS.quantile(0.3)),
    "is_in": ("one_of-i8", lambda: INTEGERS.is_in([3, 4])),
    "sqrt": ("square_root-f8", lambda: np.sqrt(FLOATS)),
    "is_nan": ("compared-f8", FLOATS.is_nan),
    "greater": ("compared-i8", lambda: INTEGERS > 3),
    "replace": ("replace_equal-i8", lambda: INTEGERS.replace(3, 4)),
    "is_in rows": ("members-u8", lambda: INTEGERS.is_in(TIMES)),
    "intersection": ("combined-u8", lambda: INTEGERS.intersection(TIMES)),
    "head": ("taken_items-u8", lambda: FLOATS.head(1)),
    "slice of rows": ("taken_items-u8", lambda: FLOATS[1:, 1:]),
    "flatten with empty rows": ("taken_items-u8", lambda: FLOATS.flatten(keep_empty=True)),
    "contains": ("last_equal-i8", lambda: INTEGERS.contains(4)),
    "get": ("last_equal-i8", lambda: aj.zip(key=INTEGERS, value=INTEGERS).get(4)),
    "removeprefix": ("taken_bytes-u1", lambda: WORDS.str.removeprefix("b")),
    "removesuffix": ("taken_bytes-u1", lambda: WORDS[1:].str.removesuffix("é")),
    "sort": ("short_sort-f8", FLOATS.sort),
    "sort descending": ("short_sort_falling-i8", lambda: INTEGERS.sort(descending=True)),
    "cumsum": ("cumsum-f8", FLOATS.cumsum),
    "cumsum of integers": ("cumsum_integers-i8", INTEGERS.cumsum),
    "cumprod": ("cumprod-f8", FLOATS.cumprod),
    "cumprod of integers": ("cumprod_integers-i8", INTEGERS.cumprod),
    "cummax": ("cummax-i8", INTEGERS.cummax),
    "cummin": ("cummin-f8", FLOATS.cummin),
    "var": ("squares-f8", FLOATS.var),
    "skew": ("central-f8", FLOATS.skew),
    "corr": ("products-f8", lambda: WHOLE.corr(TIMES)),
    "ewm": ("decayed-f8", lambda: FLOATS.ewm(alpha=0.3).mean()),
    "softmax": ("shares-f8", FLOATS.softmax),
    "rolling sum": ("rolling_sums-f8", lambda: FLOATS.rolling(2).sum()),
    "rolling mean of integers": ("rolling_sums-f8", lambda: INTEGERS.rolling_mean(2)),
    "rolling min": ("rolling_min-i8", lambda: INTEGERS.rolling_min(2)),
    "rolling max": ("rolling_max-f8", lambda: WHOLE.rolling(2).max()),
    "rolling count": ("rolling_sums-i8", lambda: FLOATS.rolling_count(2)),
    "nulls of windows": ("rolling_min-u1", lambda: FLOATS.rolling_min(2)),
    "rolling median of integers": ("window_select-f8", lambda: TIMES.rolling(3, min_periods=1).median()),
    "sum of cut windows": ("window_sums-f8", lambda: FLOATS.rolling(3, min_periods=1).sum()),
    "rolling var": ("window_squares-f8", lambda: FLOATS.rolling(3, min_periods=1).var()),
    "rolling median": ("window_select-f8", lambda: WHOLE.rolling(3, min_periods=1).median()),
    "symmetric_difference": ("combined-u8", lambda: WHOLE.symmetric_difference(TIMES.cast("float64"))),
    "interp": ("interpolate-f8", lambda: aj.interp(WHOLE, TIMES.cast("float64"), WHOLE)),
    "asof": ("bisect-f8", lambda: aj.asof(WHOLE, TIMES)),
    "rolling by time": ("window_bounds-i8", lambda: WHOLE.rolling(3, on=TIMES).sum()),
}
"""Calls, and the loops that compute them."""


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    pytest.importorskip("numba")
    folder = tmp_path_factory.mktemp("loops")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARROWJAG_CACHE_DIR", str(folder))
        patch.setattr(library, "_loaded", {})
        yield folder


@pytest.mark.parametrize("name", CALLS)
def test_a_loop_is_called_and_gives_the_same(name: str, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loop, call = CALLS[name]
    called = []
    found = library.find

    def find(name: str, dtype: Any, nulls: bool, is_worth_compiling: bool = False) -> Any:
        loop = found(name, dtype, nulls, is_worth_compiling)
        if loop is None:
            return None

        def run(*arguments: Any) -> int:
            called.append(f"{name}-{dtype.str[1:]}")
            return loop(*arguments)

        return run

    monkeypatch.setattr(library, "find", find)
    wanted = call()
    assert not called
    compiled = {operation: "compiled" for operation, choice in strategy.CHOICES.items() if "compiled" in choice.strategies}
    sizes = {"COMPILED_VALUES": 0, "SMALL_VALUES": 0, "ONE_PASS_VALUES": 0, "ARITHMETIC_VALUES": 0} | (
        {"LARGE_VALUES": 1000} if "huge" in name else {}
    )
    with aj.options(compile="always"), strategy.force(**sizes, **compiled):
        got = call()
    assert_lists_equal(got.to_list(), wanted.to_list())
    assert called, f"{name} calls no loop"
    assert loop in called, f"{name} calls {called}"
