"""Data whose nulls are replaced by a value, against numpy's `where`; one long row against the sum of the valid items."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrowjag._kernels import reduce, strategy
from arrowjag._kernels.base import fill as kernel
from tests.kernels.rows import EVERY_DTYPE, Rows, rows


@pytest.fixture(scope="module", params=["few", "many"])
def either_way(request: pytest.FixtureRequest) -> Iterator[None]:
    with strategy.force(fill="masks" if request.param == "many" else "small"):
        yield


@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize("fill", [0, 1, -0.0, np.inf, np.nan, "all bits"])
@given(case=rows(EVERY_DTYPE), skip=st.integers(0, 3))
def test_filled_is_where(fill: Any, case: Rows, skip: int) -> None:
    if fill == "all bits":
        fill = np.array(-1, f"i{case.data.itemsize}").view(case.data.dtype)
        fill = True if case.data.dtype.kind == "b" else fill
    else:
        fill = fill if case.data.dtype.kind == "f" else int(fill == 1)
    data = case.data[skip:]
    valid = (np.ones(len(case.data), np.bool_) if case.valid is None else case.valid)[skip:]
    expected = np.where(valid, data, np.array(fill, data.dtype))
    for got in (kernel.filled(data, valid, fill), kernel.filled(data[::-1], valid[::-1], fill)[::-1]):
        assert (got.dtype, got.tobytes()) == (expected.dtype, expected.tobytes())


@pytest.mark.parametrize("large", [1 << 20, 1 << 18], ids=["one-core", "all-cores"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32"])
def test_one_long_row_with_nulls(dtype: str, large: int) -> None:
    with strategy.force(LARGE_VALUES=large):
        _check_one_long_row(dtype)


def _check_one_long_row(dtype: str) -> None:
    rng = np.random.default_rng(0)
    n = 600_000
    data, valid = rng.integers(-2, 3, n).astype(dtype), rng.random(n) < 0.9
    if data.dtype.kind == "f":
        data[~valid] = np.nan  # what stands under a null must not show
    total = int(data[valid].astype(np.int64).sum())
    assert reduce.sum(data, valid, np.array([0, n]))[0].tolist() == [
        np.array(total).astype(reduce.sum(data[:1], None, np.array([0, 1]))[0].dtype)
    ]
    mean = reduce.mean(data, valid, np.array([0, n]))
    assert mean[0][0] == pytest.approx(total / valid.sum(), rel=1e-3 if dtype == "float16" else 1e-6)
    assert mean[1] is None
    if data.dtype.kind == "f":
        data[[5, n - 5]], valid[[5, n - 5]] = [np.inf, -np.inf], True
        assert np.isnan(reduce.sum(data, valid, np.array([0, n]))[0]).all()
        assert reduce.sum(data, np.zeros(n, np.bool_), np.array([0, n]))[0].tobytes() == np.zeros(1, dtype).tobytes()
