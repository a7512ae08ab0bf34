"""apply."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given

import arrowjag as aj
from arrowjag._methods import METHODS, Rows, rows_of_free
from arrowjag.testing import prefix_arrays
from tests import reference as ref
from tests.hosts import pl
from tests.operands import jag


@given(prefix_arrays(None, [pa.int64(), pa.int64()]))
def test_apply_calls_any_compute_function(pair: tuple[aj.JaggedArray, ...]) -> None:
    x, y = pair
    expected = ref.elementwise(lambda a, b: a - b, jag(x), jag(y))
    assert aj.apply("subtract", x, y).to_list() == expected
    assert aj.apply(pc.subtract, x, y).to_list() == expected


@pytest.mark.parametrize(
    "function", ["cumulative_sum", pc.fill_null_forward, "rank", lambda values: pc.cumulative_max(values.cast("int32"))]
)
def test_functions_that_read_other_rows_get_whole_columns(function: Any) -> None:
    x, k = aj.array([[1, 2], [3], [5], [3, None]]), aj.array([4, None, 1, None])
    frame = pl.DataFrame({"x": x.to_polars(), "k": k.to_polars()})
    lazy = pl.concat([frame[:2], frame[2:]], rechunk=False).lazy()
    for expression, expected in (
        (pl.col("x").jag.apply(function), x.apply(function)),
        (aj.apply(function, pl.col("k").jag), k.apply(function)),
    ):
        got = lazy.select(r=expression).collect(engine="streaming")["r"]
        assert aj.array(got).to_list() == expected.to_list()


@pytest.mark.parametrize("function", [np.sqrt, "negate", pc.add_checked])
def test_functions_of_each_item_alone_stream(function: Any) -> None:
    arguments = {"function": function, "arrays": (), "options": {}}
    assert METHODS["apply"].rows(2, arguments) is rows_of_free(aj.apply, (function, 1), {}) is Rows.LOCAL


def test_apply_by_example() -> None:
    x = aj.array([["a b", None], ["c"], None])
    assert aj.apply("utf8_length", x).to_list() == [[3, None], [1], None]
    assert aj.apply("split_pattern", x, pattern=" ").to_list() == [[["a", "b"], None], [["c"]], None]
    assert aj.apply("split_pattern", x, pattern=" ").ndim == 3
    assert aj.apply("coalesce", x, "-").to_list() == [["a b", "-"], ["c"], None]
    assert aj.apply(lambda values: pc.add(values, 1), [1, 2]).to_list() == [2, 3]
    assert aj.apply("add", 1, 2).as_py() == 3


def test_apply_calls_ufuncs() -> None:
    x = aj.array([[4.0, None], [], None], type="float32")
    assert aj.apply(np.sqrt, x).to_list() == x.apply(np.sqrt).to_list() == [[2.0, None], [], None]
    assert x.apply(np.hypot, 3).to_list() == [[5.0, None], [], None]
    assert x.apply(np.hypot, 3).type == pa.float32()
    assert x.apply(np.less, 1e39).to_list() == [[True, None], [], None]
    assert aj.apply(np.add, [1, 2], [3, 4]).to_list() == [4, 6]
    assert aj.apply(np.add, 1, 2).as_py() == 3


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: aj.apply(np.sqrt, [1], [2]), TypeError, "apply: sqrt takes 1 array, got 2"),
        (lambda: aj.apply(np.sqrt, [1], dtype="f4"), TypeError, "apply: sqrt takes no options on jagged arrays, got dtype"),
        (lambda: aj.apply(np.modf, [1]), TypeError, r"apply: modf returns several arrays; call np\.modf"),
        (lambda: aj.apply(np.matmul, [1], [1]), TypeError, "works on whole rows"),
        (lambda: aj.apply("no_such", [1]), TypeError, "no function 'no_such'"),
        (lambda: aj.apply("_pc", [1]), TypeError, "no function"),
        (lambda: aj.apply("add"), TypeError, "at least one array"),
        (lambda: aj.apply("sum", [1, 2]), ValueError, "reductions are methods"),
        (lambda: aj.apply("drop_null", [1, None]), ValueError, "does not give one value"),
        (lambda: aj.apply("utf8_upper", [1]), TypeError, "utf8_upper has no kernel for int64"),
    ],
)
def test_apply_refuses(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("ceil", []), ("round", []), ("round_to_multiple", []), ("round_binary", [0]), ("round_binary", [aj.array([0, 1])])],
)
def test_rounding_refuses_decimals_that_outgrow_their_digits_wherever_they_stand(name: str, arguments: list[Any]) -> None:
    x = aj.array([[Decimal("9.95"), Decimal("1.20")], [Decimal("0.00")]], type="decimal128(3, 2)")
    for one in (x, x.reverse()):
        with pytest.raises(aj.JagValueError, match=f"^apply: ({name}: )?(in row [0-9]+, )?Rounded value 10.00 does not fit"):
            aj.apply(name, one, *arguments)
    assert aj.apply("trunc", x).to_list() == [[Decimal("9.00"), Decimal("1.00")], [Decimal("0.00")]]
    assert aj.apply(name, x[:, 1:], *arguments).type == x.type
    with pytest.raises(aj.JagTypeError, match=r"^ceil has no kernel for decimal128\(3, 2\). Cast to float64 first"):
        np.ceil(x)
