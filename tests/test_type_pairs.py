"""Every pair of operand types under every operator: the same result type and the same values from the array, pandas and polars."""

from __future__ import annotations

import itertools
import operator
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import arrowjag as aj

TYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"]
OPERATORS = ["add", "sub", "mul", "truediv", "floordiv", "mod", "eq", "lt", "ge", "and_", "xor"]


def jagged(type: str) -> aj.JaggedArray:
    return aj.array([[3, None], None, [], [0, 1]], type=pa.int64(), ndim=2).cast(type)


def plain(type: str) -> aj.JaggedArray:
    return aj.array(pa.array([2, 1, None, 1], pa.int64()).cast(type))


def attempt(function: Any, *operands: Any) -> Any:
    """The result, or the class of the error."""
    try:
        return function(*operands)
    except (aj.JagTypeError, aj.JagValueError) as error:
        return type(error)


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("left", TYPES)
def test_pairs(name: str, left: str) -> None:
    function = getattr(operator, name)
    for right, make in itertools.product(TYPES, (jagged, plain)):
        x, y = jagged(left), make(right)
        expected = attempt(function, x, y)
        on_pandas = attempt(function, x.to_pandas().jag, y.to_pandas())
        on_polars = attempt(function, x.to_polars().jag, y.to_polars())
        if isinstance(expected, type):
            assert (on_pandas, on_polars) == (expected, expected), (left, right)
            continue
        assert on_pandas.array._jagged.equals(expected), (left, right)
        assert aj.array(on_polars).equals(expected), (left, right)


@pytest.mark.parametrize("left", TYPES)
def test_pairs_in_lazy_polars(left: str) -> None:
    rights = {f"r_{right}": jagged(right).to_polars() for right in TYPES}
    frame = pl.DataFrame({"x": jagged(left).to_polars(), **rights}).lazy()
    for name in ("add", "mul", "truediv", "lt"):
        function = getattr(operator, name)
        columns = {f"r_{right}": function(pl.col("x").jag, pl.col(f"r_{right}")) for right in TYPES}
        query = frame.select(**columns)
        result, schema = query.collect(), query.collect_schema()
        for right in TYPES:
            found = result[f"r_{right}"]
            assert found.dtype == schema[f"r_{right}"]
            assert aj.array(found).equals(function(jagged(left), jagged(right))), (name, left, right)


def test_python_scalars_are_weak_everywhere() -> None:
    for left, scalar in itertools.product(TYPES[1:], (2, 2.0, True)):
        x = jagged(left)
        expected = x * scalar
        assert (x.to_pandas() * scalar).array._jagged.equals(expected)
        assert aj.array(x.to_polars().jag * scalar).equals(expected)
    assert isinstance(pd.Series([1]).jag * 2, pd.Series)
