"""A jagged mask is not a mask of rows, a row of booleans has no truth value, and a row never equals a scalar."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import arrowjag as aj
from arrowjag.pandas._versions import NO_MASKS_IN_ILOC

ROWS: list[Any] = [[1, 2], [3], None, []]


@pytest.fixture
def df() -> pd.DataFrame:
    return pd.DataFrame({"k": range(4), "v": aj.array(ROWS), "w": aj.array(ROWS)})


def _set(target: Any, key: Any) -> None:
    target[key] = 0


USES: dict[str, Callable[[pd.DataFrame, Any], Any]] = {
    "frame": lambda df, mask: df[mask],
    "frame set": _set,
    "loc": lambda df, mask: df.loc[mask],
    "loc and column": lambda df, mask: df.loc[mask, "k"],
    "loc set": lambda df, mask: _set(df.loc, mask),
    "loc and column set": lambda df, mask: _set(df.loc, (mask, "k")),
    "iloc": lambda df, mask: df.iloc[mask],
    "series": lambda df, mask: df["k"][mask],
    "series set": lambda df, mask: _set(df["k"].copy(), mask),
    "series loc": lambda df, mask: df["v"].loc[mask],
    "jagged series": lambda df, mask: df["v"][mask],
    "array": lambda df, mask: df["v"].array[mask.array],
    "index": lambda df, mask: df.index[mask],
    "query": lambda df, mask: df.query("v > 1"),
}


@pytest.mark.parametrize("use", USES)
def test_a_jagged_mask_names_the_alternative(df: pd.DataFrame, use: str) -> None:
    if use == "iloc" and NO_MASKS_IN_ILOC:
        pytest.skip("this pandas refuses every boolean Series there")
    for frame in (df, pd.concat([df] * 500, ignore_index=True)):
        with pytest.raises(
            aj.JagTypeError, match=r"\.jag\[mask\] selects items, .* mask\.jag\.any\(\) or mask\.jag\.all\(\)"
        ) as raised:
            USES[use](frame, frame["v"] > 1)
        assert len(str(raised.value)) < 200
    assert df["v"].jag[df["v"] > 1].jag.to_list() == [[2], [3], None, []]
    assert df[(df["v"] > 1).jag.any()]["k"].tolist() == [0, 1]


@pytest.mark.parametrize("use", ["where", "mask"])
def test_pandas_chooses_whole_rows(df: pd.DataFrame, use: str) -> None:
    with pytest.raises(aj.JagTypeError, match=r"pandas' where and mask take one per row.*arrowjag\.where and \.jag\.clip"):
        getattr(df["v"], use)(df["v"] > 1)
    assert df["v"].jag.clip(2).jag.to_list() == [[2, 2], [3], None, []]


def test_the_truth_of_a_row_of_booleans_is_ambiguous(df: pd.DataFrame) -> None:
    with pytest.raises(aj.JagValueError, match=r"the truth of a row of booleans is ambiguous; use \.jag\.any\(\)"):
        bool((df["v"] > 1).iloc[0])
    for mask in ((df["v"] > 1)[:2], (df["v"] > 1)[1:2], (df["v"] > 1).array[:2]):
        with pytest.raises(ValueError, match=r"ambiguous|sequence"):
            np.where(mask, 1, 0)
    assert aj.where(df["v"] > 1, 1, 0).jag.to_list() == [[0, 1], [1], None, []]
    assert bool(df["v"].iloc[0])
    assert not bool(df["v"].iloc[3])


@pytest.mark.parametrize("op", [operator.eq, operator.ne])
def test_a_row_never_equals_a_scalar(df: pd.DataFrame, op: Any) -> None:
    for scalar in (4, 4.0, "a", np.int64(4), pd.Timestamp("2024")):
        with pytest.warns(
            aj.JagWarning, match=r"a row of jagged\[int64, 2\] is a list and never equals .*; \.jag == .* compares items"
        ) as seen:
            result = op(df["v"], scalar)
        assert result.tolist() == [op is operator.ne, op is operator.ne, pd.NA, op is operator.ne]
        assert [one.filename for one in seen] == [__file__]
    with pytest.warns(aj.JagWarning) as seen:
        op(df, 1)
    assert len(seen) == 1
    with pytest.warns(aj.JagWarning) as seen:
        df.eq(1) if op is operator.eq else df.ne(1)
    assert len(seen) == 1


def test_comparisons_that_do_not_warn(df: pd.DataFrame) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (df["v"] == aj.Row([3])).tolist() == [False, True, pd.NA, False]
        _ = df["v"] == None, df["v"] == pd.NA, df["v"] == df["w"], df["v"].jag == 4, df["v"] > 1  # noqa: E711
        df.replace(1, None)
        df["v"].replace(1, aj.Row([2]))
        df["v"].isin([1, 2])
        df.isin([1])
        df.merge(df, on="v")
        df["v"].array == 4  # noqa: B015  # no Series compares
        df.drop_duplicates("v")
        df["v"].value_counts()
        df["v"].fillna(aj.Row([1]))
