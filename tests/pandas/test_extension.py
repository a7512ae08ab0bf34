"""pandas' own tests of extension arrays, on ndim 2 and 3, numeric, string and struct leaves.

Every override says why it is there; tests/README.md counts them.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pandas._testing as tm
import pyarrow as pa
import pytest
from pandas.tests.extension import base
from pandas.tests.extension.conftest import *  # noqa: F403

from arrowjag.pandas import JaggedDtype, JaggedExtensionArray
from arrowjag.pandas._versions import LONG_ROWS, OWN_FIXTURES

STRUCT = pa.struct([("a", pa.int64()), ("b b", pa.string())])
LEAVES: dict[str, tuple[pa.DataType, Callable[[int], Any]]] = {
    "number": (pa.float64(), float),
    "text": (pa.string(), lambda n: f"t{n:03d}"),
    "struct": (STRUCT, lambda n: {"a": n, "b b": f"t{n % 7}"}),
}
QUICK = {(2, "number"), (3, "struct")}
CASES = [
    pytest.param((ndim, leaf), id=f"{leaf}-{ndim}", marks=[] if (ndim, leaf) in QUICK else pytest.mark.slow)
    for ndim in (2, 3)
    for leaf in LEAVES
]


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> tuple[int, str]:
    return request.param


@pytest.fixture
def make(case: tuple[int, str]) -> Callable[[list[Any]], JaggedExtensionArray]:
    """From rows of numbers, each a list or None, to an array; in ndim 3 the row is cut in two."""
    ndim, name = case
    leaf, value = LEAVES[name]

    def build(rows: list[list[int] | None]) -> JaggedExtensionArray:
        nested: list[Any] = [None if row is None else [None if n is None else value(n) for n in row] for row in rows]
        if ndim == 3:
            nested = [None if row is None else [row[:1], row[1:]] for row in nested]
        return JaggedExtensionArray(nested, JaggedDtype(leaf, ndim))

    return build


@pytest.fixture
def dtype(case: tuple[int, str]) -> JaggedDtype:
    ndim, name = case
    return JaggedDtype(LEAVES[name][0], ndim)


# What computes rows with other rows needs rows of one size; everything else is tested on ragged ones.
OF_ONE_SIZE = {
    "test_arith_series_with_scalar",
    "test_arith_frame_with_scalar",
    "test_arith_series_with_array",
    "test_combine_add",
    "test_compare_scalar",
    "test_compare_array",
    "test_diff",
}


# Before pandas 3.1 these fixtures are in pandas' own conftest.py, which changes the settings of hypothesis when it is imported.
if OWN_FIXTURES:
    REDUCTIONS = ["count", "sum", "max", "min", "mean", "prod", "std", "var", "median", "kurt", "skew", "sem"]

    @pytest.fixture(params=REDUCTIONS)
    def all_numeric_reductions(request: pytest.FixtureRequest) -> str:
        return request.param

    @pytest.fixture(params=["all", "any"])
    def all_boolean_reductions(request: pytest.FixtureRequest) -> str:
        return request.param

    @pytest.fixture(params=["cumsum", "cumprod", "cummin", "cummax"])
    def all_numeric_accumulations(request: pytest.FixtureRequest) -> str:
        return request.param

    @pytest.fixture(params=tm.arithmetic_dunder_methods)
    def all_arithmetic_operators(request: pytest.FixtureRequest) -> str:
        return request.param

    @pytest.fixture(params=[operator.eq, operator.ne, operator.gt, operator.ge, operator.lt, operator.le])
    def comparison_op(request: pytest.FixtureRequest) -> Any:
        return request.param

    @pytest.fixture(params=[None, lambda x: x])
    def sort_by_key(request: pytest.FixtureRequest) -> Any:
        return request.param

    @pytest.fixture
    def using_nan_is_na() -> bool:
        return True


ROWS = 100 if LONG_ROWS else 10


@pytest.fixture
def data(make: Callable[..., Any], request: pytest.FixtureRequest) -> JaggedExtensionArray:
    if request.node.originalname in OF_ONE_SIZE:
        return make([[n + 1, n + 2, None] for n in range(ROWS)])
    return make([[n, n + 1] + [n + 2] * (n % 3) + [None] * (n % 2) for n in range(ROWS)])


@pytest.fixture
def data_missing(make: Callable[..., Any]) -> JaggedExtensionArray:
    return make([None, [1, 2]])


@pytest.fixture
def data_for_sorting(make: Callable[..., Any]) -> JaggedExtensionArray:
    return make([[2, 2], [2, 3], [1, 9, 9]])


@pytest.fixture
def data_missing_for_sorting(make: Callable[..., Any]) -> JaggedExtensionArray:
    return make([[2], None, [1, 5]])


@pytest.fixture
def data_for_grouping(make: Callable[..., Any]) -> JaggedExtensionArray:
    b, a, c = [2, 1], [1], [2, 2]
    return make([b, b, None, None, a, a, b, c])


# pandas 2.3 matches texts of errors against "", and pandas 3.0 compares rows with 0.
@pytest.mark.filterwarnings("ignore:matching against an empty string:pytest.PytestWarning")
@pytest.mark.filterwarnings("ignore:a row of .* is a list and never equals 0:arrowjag.errors.JagWarning")
class TestJagged(base.ExtensionTests):
    """All of pandas' tests."""

    def _leaf(self, data: Any) -> pa.DataType:
        while isinstance(data, (pd.Series, pd.DataFrame)):
            data = data.iloc[:, 0].array if isinstance(data, pd.DataFrame) else data.array
        return data.dtype.leaf

    def _get_expected_exception(self, op_name: str, obj: Any, other: Any) -> type[Exception] | None:
        """A hook of the suite: numbers compute, text adds, structs do neither."""
        jagged = obj if isinstance(obj, (pd.Series, pd.DataFrame)) else other
        leaf = self._leaf(jagged)
        if pa.types.is_floating(leaf):
            return None
        return None if pa.types.is_string(leaf) and op_name in ("__add__", "__radd__") else TypeError

    def _cast_pointwise_result(self, op_name: str, obj: Any, other: Any, pointwise_result: Any) -> Any:
        """A hook of the suite: whether rows are equal is an Arrow-backed boolean."""
        return pointwise_result.astype("bool[pyarrow]") if op_name in ("eq", "ne") else pointwise_result

    def _elementwise(self, ser: pd.Series[Any], op: Any, other: Any) -> None:
        """Order comparisons against those of the items."""
        result = op(ser, other)
        rows = other.array if isinstance(other, pd.Series) else [other] * len(ser)
        expected = [op(one.array, two.array).to_list() for one, two in zip(ser.array, rows, strict=True)]
        assert result.dtype.leaf == pa.bool_()
        assert result.tolist() == expected

    def test_compare_scalar(self, data: Any, comparison_op: Any) -> None:
        # `<` and its kin are elementwise, so that `df.score > df.threshold` filters items; pandas expects whole rows.
        if comparison_op in (operator.eq, operator.ne):
            super().test_compare_scalar(data, comparison_op)
        else:
            self._elementwise(pd.Series(data), comparison_op, data[0])

    def test_compare_array(self, data: Any, comparison_op: Any) -> None:
        # As above.
        if comparison_op in (operator.eq, operator.ne):
            super().test_compare_array(data, comparison_op)
        else:
            self._elementwise(pd.Series(data), comparison_op, pd.Series([data[0]] * len(data), dtype=data.dtype))

    @pytest.mark.skip(reason="a row is a list of items, there is no height to plot it at")
    def test_plot_on_y_axis(self) -> None:
        # As the reason says; on the x axis rows are labels, and that test runs.
        pass

    def test_in_numeric_groupby(self, data_for_grouping: Any, request: pytest.FixtureRequest) -> None:
        # Numbers do add up across the rows of a group, item by item, though the dtype is not numeric.
        if not pa.types.is_floating(data_for_grouping.dtype.leaf):
            super().test_in_numeric_groupby(data_for_grouping)
            return
        df = pd.DataFrame({"A": [1, 1, 2, 2, 3, 3, 1, 4], "B": data_for_grouping})
        total = df.groupby("A").sum()["B"]
        assert total.dtype == data_for_grouping.dtype
        first = total.iloc[0].array.flatten().to_list()
        assert sum(first) == sum(sum(data_for_grouping[row].array.flatten().to_list()) for row in (0, 1, 6))
        assert list(df.groupby("A").sum(numeric_only=True).columns) == []

    def test_array_interface_copy(self, data: Any) -> None:
        # Rows are objects only in a copy, so `copy=False` raises; pandas 2.3 doesn't accept that.
        with pytest.raises(ValueError, match="Unable to avoid copy"):
            np.array(data, copy=False)
        assert not np.may_share_memory(np.array(data, copy=True), np.array(data, copy=True))
