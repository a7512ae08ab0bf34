"""map_rows: a function of each row, interpreted and compiled."""

from __future__ import annotations

import dataclasses
import datetime as dt
import gc
import math
import re
import types
import uuid
import warnings
import weakref
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag import JagTypeError, JagValueError, JagWarning
from arrowjag._kernels import strategy
from arrowjag._methods import METHODS
from arrowjag._ops import row_compiler
from arrowjag._ops.calls import WHOLE_ROW, Rows, Scalars
from arrowjag._ops.function_keys import bytes_read
from arrowjag._ops.unusual_rows import UnusualRows
from arrowjag.testing import assert_lists_equal, jagged_arrays
from tests import reference as ref
from tests.compiled_calls import assert_same_compiled
from tests.hosts import pd, pl

DAY = np.datetime64("2024-01-01")
NUMBERS = (pa.int8(), pa.uint16(), pa.int64(), pa.float32(), pa.float64(), pa.bool_())


@given(st.data())
def test_it_sees_the_items_that_are_not_null(data: st.DataObject) -> None:
    ndim = data.draw(st.integers(2, 3))
    x = data.draw(jagged_arrays(ndim, leaf=st.sampled_from(NUMBERS)))
    seen = []
    got = x.map_rows(lambda row: seen.append(row) or len(row))
    rows = [[item for item in row if item is not None] for row in ref.items(x.to_list(), ndim - 1) if row is not None]
    assert_lists_equal([row.tolist() for row in seen], rows, rel_tol=0, abs_tol=0)
    assert all(isinstance(row, np.ndarray) and not row.flags.writeable for row in seen)
    expected = ref.rows_at(lambda row: len([item for item in row if item is not None]), x.to_list(), ndim - 1)
    assert_lists_equal(got.to_list(), expected)


@given(st.data())
def test_rows_of_other_types_and_rows_of_rows_are_lists(data: st.DataObject) -> None:
    ndim = data.draw(st.integers(2, 3))
    axis = data.draw(st.integers(1, ndim - 1))
    leaf = data.draw(st.sampled_from([pa.string(), pa.binary(), pa.decimal128(9, 2), pa.time64("us")]))
    x = data.draw(jagged_arrays(ndim, leaf=leaf))
    seen = []
    got = x.map_rows(lambda row: seen.append(row) or len(row), axis=axis, type="int64")
    assert_lists_equal(seen, [row for row in ref.items(x.to_list(), axis) if row is not None], rel_tol=0, abs_tol=0)
    assert_lists_equal(got.to_list(), ref.rows_at(len, x.to_list(), axis))


def test_times_are_numpy_times() -> None:
    x = aj.array([[datetime.fromisoformat("2024-01-01"), datetime.fromisoformat("2024-01-03")], []], type=pa.timestamp("ms"))
    got = x.map_rows(lambda row: int((row.max() - row.min()) / np.timedelta64(1, "h")) if len(row) else None)
    assert got.to_list() == [48, None]


def test_without_skipping_nulls_a_mask_comes_along(compiling: str) -> None:
    x = aj.array([[1.0, None, 4.0], [], None])
    got = x.map_rows(lambda row, valid: np.where(valid, row, 0.0).sum() + 100 * len(row), skip_nulls=False)
    assert got.to_list() == [305.0, 0.0, None]


def test_the_mask_of_a_column_without_nulls_is_true(compiling: str) -> None:
    x = aj.array([[1, 2], []])
    assert x.map_rows(lambda row, valid: (~valid).sum() + len(valid), skip_nulls=False).to_list() == [2, 0]


def test_the_type_follows_from_all_results(compiling: str) -> None:
    x = aj.array([[1, 2], [3], []])
    assert x.map_rows(len).type == pa.int64()
    assert x.map_rows(lambda row: row.sum() / 2).type == pa.float64()
    assert x.map_rows(lambda row: len(row) > 1).type == pa.bool_()
    assert x.map_rows(lambda row: row.astype(np.float32)).type == pa.float32()
    assert x.map_rows(len, type="int8").type == pa.int8()


@pytest.mark.filterwarnings("ignore::arrowjag.JagWarning")  # numba gives the second one float64 throughout
def test_integers_and_floats_among_the_results_are_floats(compiling: str) -> None:
    x = aj.array([[1, 2], [3], []])
    assert x.map_rows(lambda row: 1 if len(row) else 0.5).to_list() == [1.0, 1.0, 0.5]
    assert x.map_rows(lambda row: 1 if len(row) < 9 else 0.5).type == pa.int64()


def test_rows_come_back_as_rows(compiling: str) -> None:
    x = aj.array([[3, 1, 2], [], None, [5]])
    assert x.map_rows(np.sort).to_list() == [[1, 2, 3], [], None, [5]]
    assert x.map_rows(lambda row: row[::2]).to_list() == [[3, 2], [], None, [5]]
    assert x.map_rows(lambda row: row * 2 if len(row) != 1 else None).to_list() == [[6, 2, 4], [], None, None]


def test_structs_are_records(compiling: str) -> None:
    x = aj.zip(price=aj.array([[1.0, 2.0, None], [], None]), n=aj.array([[2, 3, 4], [], []]))
    assert x.map_rows(lambda row: (row.price * row.n).sum()).to_list() == [8.0, 0.0, None]


def test_several_arrays_meet_by_the_prefix_rule(compiling: str) -> None:
    x, y = aj.array([[1.0, None, 3.0], [4.0], []]), aj.array([[10.0, 20.0, None], [5.0], []])
    rate = aj.array([2.0, None, 1.0])
    got = aj.map_rows(lambda a, b, r: (a * b).sum() * r, x, y, rate)
    assert got.to_list() == [20.0, None, 0.0]
    assert aj.map_rows(lambda a, n: a[:n], x, aj.array([1, 5, 0])).to_list() == [[1.0], [4.0], []]
    assert aj.map_rows(lambda a, n: len(a) + n, x, 10).to_list() == [12, 11, 10]
    with pytest.raises(aj.ShapeError, match="dim 1, row 0 has 1 item here and 3 there"):
        aj.map_rows(lambda a, b: 0, x, aj.array([[1.0], [2.0], []]))


def test_arrays_that_do_not_meet_raise() -> None:
    with pytest.raises(aj.errors.ShapeError, match="map_rows: "):
        aj.map_rows(lambda one, two: 0, aj.array([[1, 2], [3]]), aj.array([[1], [3]]))


def test_rows_of_rows_take_a_type() -> None:
    found = aj.array([[[1, 2], []], [], None]).map_rows(len, axis=1, type="int8")
    assert found.type == pa.int8()
    assert found.to_list() == [2, 0, None]


def test_a_list_type_adds_a_dim() -> None:
    x = aj.array([[1, 2], None, []])
    got = x.map_rows(lambda row: [*row, 0] if len(row) else None, pa.list_(pa.int32()))
    assert got.to_list() == [[1, 2, 0], None, None]
    assert got.type == pa.int32()
    assert x.map_rows(lambda row: [row, []], pa.list_(pa.list_(pa.int64()))).ndim == 3


def test_all_rows_as_one() -> None:
    x = aj.array([[1, 2], [3]])
    assert x.map_rows(len, "int64", axis=0).as_py() == 2
    assert x.map_rows(np.sum, "int64", axis=None).as_py() == 6
    assert x.map_rows(lambda rows: rows[0], pa.list_(pa.int64()), axis=0).to_list() == [1, 2]


class _CustomError(Exception):
    def __init__(self, one: int, two: int) -> None:
        super().__init__(one, two)


def _fails(_row: object) -> None:
    raise _CustomError(1, 2)


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_errors_of_the_function_in_lazy_frames_name_the_row(engine: Any) -> None:
    """polars makes them again from their type and text; an error that takes other arguments would be a TypeError about them."""
    frame = pl.LazyFrame({"v": [[1, 2], []]})
    for function, error, text in (
        (
            lambda row: row[0],
            IndexError,
            r"^column 'v': index 0 is out .*map_rows: the function failed on row [01] of those",
        ),
        (_fails, Exception, r"^column 'v': _CustomError: \(1, 2\) \(map_rows: the function failed on row 0"),
        (lambda _: b"\xff".decode(), UnicodeError, r"^column 'v': UnicodeDecodeError: .* \(map_rows: the function failed on row 0"),
    ):
        with pytest.raises(error, match=text):
            frame.select(pl.col("v").jag.map_rows(function, type="int64")).collect(engine=engine)


def test_lazy_frames_need_the_type() -> None:
    rule = METHODS["map_rows"].result_type
    assert rule is not None
    x = aj.array([], type=pa.int64(), ndim=3)
    assert rule(x, f=len, type="float32").ndim == 2
    nested = rule(x, f=len, type=pa.list_(pa.string(), 2), axis=1)
    assert (nested.ndim, nested.type, nested.shape.extents[1]) == (2, pa.string(), 2)
    frame = pl.LazyFrame({"v": [[1, 2], [3]]})
    with pytest.raises(JagTypeError, match="an expression must know the type of its results before it runs; give type="):
        frame.select(pl.col("v").jag.map_rows(len)).collect()
    assert frame.select(pl.col("v").jag.map_rows(len, type="int64")).collect()["v"].to_list() == [2, 1]


def test_on_pandas_and_polars() -> None:
    lists = [[1, 2], [3], []]
    series = pd.Series(lists, dtype="jagged[int64, 2]", index=list("abc"))
    got = series.jag.map_rows(len)
    assert got.to_dict() == {"a": 2, "b": 1, "c": 0}
    assert aj.map_rows(lambda row, k: len(row) + k, series, pd.Series([10, 20, 30], index=list("abc"))).tolist() == [12, 21, 30]
    assert pl.Series("v", lists).jag.map_rows(len, type="int64").to_list() == [2, 1, 0]


def test_results_of_the_wrong_type_and_failing_functions(compiling: str) -> None:
    x = aj.array([[1], [2]])
    with aj.options(compile="never"):
        with pytest.raises(JagTypeError, match="can't be converted to timestamp"):
            x.map_rows(lambda row: pd.NaT, pa.timestamp("us"))
        with pytest.raises(JagTypeError, match=r"can't be converted to list<item: extension<arrow\.uuid>>"):
            x.map_rows(lambda row: [uuid.UUID(int=1)], pa.list_(pa.uuid()))
        with pytest.raises(JagTypeError, match="can't be converted to int64"):
            x.map_rows(str, "int64")
        with pytest.raises(JagTypeError, match="can't be converted to one type; give type="):
            x.map_rows(lambda row: 1 if row[0] == 1 else "text")
    with pytest.raises(JagTypeError, match="map_rows takes a function, got int"):
        x.map_rows(1)
    with pytest.raises(IndexError, match="out of bounds") as caught:
        x.map_rows(lambda row: row[2 - row[0]])
    assert caught.value.__notes__ == ["map_rows: the function failed on row 0"]


# ------------------------------------------------------------------------------------------------------ compiled


def rows(n):
    """More rows than are interpreted first."""
    return aj.from_sizes(np.arange(2 * n, dtype=np.float64), np.full(n, 2))


def test_compiled_results_are_those_of_the_interpreter() -> None:
    pytest.importorskip("numba")
    x = aj.concat([rows(1000), aj.array([None, [], [np.nan, -0.0, np.inf]])])
    functions = [
        len,
        lambda row: row[0] + row[-1] if len(row) else None,
        lambda row: row[row > 3],
        lambda row: len(row) == 2,
    ]
    for function in functions:
        with aj.options(compile="never"):
            expected = function, x.map_rows(function)
        with aj.options(compile="always"):
            assert x.map_rows(function).equals(expected[1])


def test_an_error_names_the_first_row_that_fails_on_any_thread() -> None:
    pytest.importorskip("numba")
    x = rows(50_000)
    with aj.options(compile="always"), pytest.raises(IndexError, match="out of bounds") as caught:
        x.map_rows(lambda row: row[2] if row[0] > 60_001 else row[0])
    assert caught.value.__notes__ == ["map_rows: the function failed on row 30001"]


def test_functions_that_numba_cannot_compile_are_interpreted_with_a_warning() -> None:
    pytest.importorskip("numba")
    x = rows(300)

    def by_import(row: np.ndarray) -> float:
        import math

        return math.fsum(row)

    why = "map_rows: the function runs in the interpreter, because numba can't compile it: "
    with aj.options(compile="always"), pytest.warns(JagWarning, match=why):
        assert x.map_rows(by_import).to_list()[:2] == [1.0, 5.0]


def test_lists_are_never_compiled(compiling: str) -> None:
    assert aj.array([["a"], []]).map_rows(len).to_list() == [1, 0]


def test_numbers_for_all_rows_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    compiled = []
    monkeypatch.setattr(row_compiler.Driver, "run", lambda self, *args: compiled.append(args) or pa.nulls(1, self.type))
    x = aj.array([[1, 2]])
    with aj.options(compile="always"):
        aj.map_rows(lambda row, factor: row.sum() * factor, x, 3)
        aj.map_items(np.hypot, x.flatten()[:1], 2.0)
    assert len(compiled) == 2


def test_a_function_made_again_is_compiled_once(monkeypatch) -> None:
    pytest.importorskip("numba")

    monkeypatch.setattr(row_compiler, "_drivers", {})
    x = rows(300)

    def times(factor):
        return lambda row: row.sum() * factor

    with aj.options(compile="always"):
        assert x.map_rows(times(2.0)).to_list()[1] == 10.0
        assert x.map_rows(times(2.0)).to_list()[1] == 10.0
        assert len(row_compiler._drivers) == 1
        assert x.map_rows(times(3.0)).to_list()[1] == 15.0
        assert len(row_compiler._drivers) == 2


def test_few_rows_are_interpreted(monkeypatch) -> None:

    monkeypatch.setattr(row_compiler, "compile_rows", lambda *_: pytest.fail("compiled"))
    rows(300).map_rows(lambda row: row.sum())


def test_containers_of_arrays_and_records_are_rows() -> None:
    x = aj.array([[1, 2], [3]])
    assert x.map_rows(lambda row: [row, row]).to_list() == [[[1, 2], [1, 2]], [[3], [3]]]
    z = aj.zip(a=x, b=x * 0.5)
    assert z.map_rows(lambda row: row).to_list() == z.to_list()
    t = aj.array([[datetime(2020, 1, 1)]])  # noqa: DTZ001
    assert t.map_rows(lambda row: [row]).to_list() == [[t.to_list()[0]]]


def test_functions_that_return_times_for_some_rows_and_numbers_for_others_raise() -> None:
    x = aj.array([[1], [2]])
    with pytest.raises(JagTypeError, match="times for some rows, such as row 0, and numbers for others, such as row 1"):
        x.map_rows(lambda row: np.array([1], "M8[us]") if row[0] == 1 else np.array([1]))


def test_fractions_are_not_cut_to_an_integer_type() -> None:
    x = aj.array([[1, 2], [3]])
    assert x.map_rows(lambda _row: 2.0, type="int64").to_list() == [2, 2]
    with pytest.raises(JagTypeError, match="truncated"):
        x.map_rows(lambda _row: 1.5, type="int64")
    with pytest.raises(JagTypeError, match="truncated"):
        x.map_rows(lambda _row: [1.5], type=pa.large_list(pa.int64()))


def test_dictionaries_are_what_they_stand_for() -> None:
    x = aj.from_sizes(pa.array([1.5, None, 2.5, 4.0]).dictionary_encode(), [2, 2])
    assert x.map_rows(lambda row: row.sum()).to_list() == [1.5, 6.5]
    assert aj.fold(lambda state, item: state + item, 0.0, x).to_list() == [1.5, 6.5]
    assert aj.scan(lambda state, item: state + item, 0.0, x).to_list() == [[1.5, None], [2.5, 6.5]]


@pytest.mark.filterwarnings("ignore::arrowjag.JagWarning")
def test_arrays_without_dims_are_scalars(compiling: str) -> None:
    x = aj.array([[3, 1, None], [], None, [5]])
    assert x.map_rows(lambda row: np.where(len(row) > 1, 1.5, 0)).equals(aj.array([1.5, 0.0, None, 0.0]))
    assert x.map_rows(lambda row: np.array(len(row)), "float64").equals(aj.array([2.0, 0.0, None, 1.0]))
    assert x.map_items(lambda item: np.where(item > 2, item, 0)).equals(aj.array([[3, 0, None], [], None, [5]]))
    assert x.fold(lambda state, item: np.where(item > state, item, state), 2).equals(aj.array([3, 2, None, 5]))
    assert x.scan(lambda state, item: np.where(item > state, item, state), 2).equals(aj.array([[3, 3, None], [], None, [5]]))


@pytest.mark.filterwarnings("ignore::arrowjag.JagWarning")
def test_masked_items_of_results_are_null(compiling: str) -> None:
    x = aj.array([[3, 1, None], [], None, [5], [2]])
    expected = aj.array([[None, 1], [], None, [None], [2]])
    assert x.map_rows(lambda row: np.ma.masked_greater(row, 2)).equals(expected)
    assert x.map_rows(lambda row: np.ma.masked_greater(row, 2), pa.list_(pa.int64())).equals(expected)
    assert x.map_rows(lambda row: np.ma.masked_greater(row, 9)).type == pa.int64()
    assert x.map_rows(lambda row: np.ma.masked_greater(row, 2).sum()).equals(aj.array([1, 0, None, None, 2]))
    days = x.cast("timestamp[ns]").map_rows(lambda row: np.ma.masked_equal(row, np.datetime64(1, "ns")))
    assert days.is_null().to_list() == [[False, True], [], None, [False], [False]]


def test_arrays_inside_of_dicts_and_lists_become_lists() -> None:
    x = aj.array([[1, 2], None, [3]])
    doubled = x.map_rows(lambda row: {"a": row * 2, "n": len(row)}, type=pa.struct([("a", pa.list_(pa.int64())), ("n", pa.int8())]))
    expected = [{"a": [2, 4], "n": 2}, None, {"a": [6], "n": 1}]
    assert [row.as_py() if isinstance(row, pa.Scalar) else row for row in doubled.to_list()] == expected
    times = aj.array([[1, 2], [3]]).cast(pa.timestamp("us"))
    nested = times.map_rows(lambda row: [row, row[:1]])
    assert nested.type == times.type
    assert nested.to_list() == [[one, one[:1]] for one in times.to_list()]


def test_results_are_cast_to_the_given_type() -> None:
    x = aj.array([[1, 2], None, [3]])
    for mode in ("never", "auto", "always"):
        with aj.options(compile=mode):
            found = x.map_rows(lambda row: row.sum(), type="float32")
        assert found.type == pa.float32()
        assert found.to_list() == [3.0, None, 3.0]


def test_records_keep_their_fields_and_their_length() -> None:
    z = aj.zip(a=aj.array([[1, 2], [3]]), b=aj.array([[0.5, 1.0], [2.0]]))
    assert z.map_rows(lambda row: [row]).to_list() == [[part] for part in z.to_list()]
    with pytest.raises(JagValueError, match=r"map_rows: the function returns a record .* length: \{'a': 1, 'b': 2\}"):
        z.map_rows(lambda row: row._replace(a=row.a[:1]))


def test_times_of_nanoseconds_inside_of_lists_stay_times() -> None:
    t = aj.array([[1_000, 2_000], [3_000]]).cast(pa.timestamp("ns"))
    nested = t.map_rows(lambda row: [row, row[:1]])
    assert pa.types.is_timestamp(nested.type)
    assert nested.cast(pa.timestamp("ns")).to_list() == [[row, row[:1]] for row in t.to_list()]


@pytest.mark.parametrize(
    ("results", "type"),
    [
        ((np.uint64(1), np.int64(-1)), pa.float64()),
        ((np.True_, np.int8(3)), pa.int8()),
        ((True, 2), pa.int64()),
        ((False, np.float32(2)), pa.float32()),
        ((True, False), pa.bool_()),
        ((2**60, 0.5), pa.float64()),
        ((np.int64(2**60 + 1), np.float32(0.5)), pa.float64()),
    ],
)
def test_results_of_two_types_are_promoted_as_numpy_does(results: tuple[object, object], type: pa.DataType) -> None:
    found = aj.array([[0], [1]]).map_rows(lambda row: results[row[0]])
    assert found.type == type
    assert found.to_list() == list(results)


def test_rows_of_two_types_are_promoted_as_numpy_does() -> None:
    results = (np.array([1, 2], np.uint64), np.array([-1]))
    found = aj.array([[0], [1]]).map_rows(lambda row: results[row[0]])
    assert found.type == pa.float64()
    assert found.to_list() == [[1.0, 2.0], [-1.0]]
    wide = (np.array([2**60 + 1]), np.array([0.5]))
    assert aj.array([[0], [1]]).map_rows(lambda row: wide[row[0]]).to_list() == [[2.0**60], [0.5]]


def test_many_rows_are_compiled_by_default(monkeypatch: pytest.MonkeyPatch) -> None:

    monkeypatch.setattr(row_compiler, "is_available", lambda: True)
    monkeypatch.setattr(row_compiler, "compile_rows", lambda *_: "of this test")
    with aj.options(compile="auto"), strategy.force(COMPILED_CALLS=3, INTERPRETED_ROWS=3):
        assert aj.array([[1], [2], [3]]).map_rows(len).to_list() == [1, 1, 1]  # all were interpreted for their type
        with pytest.warns(JagWarning, match=r"interpreter, because of this test"):
            assert aj.array([[1], [2], [3], []]).map_rows(len).to_list() == [1, 1, 1, 0]


def test_few_rows_of_many_items_are_compiled_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_compiler, "is_available", lambda: True)
    monkeypatch.setattr(row_compiler, "compile_rows", lambda *_: "of this test")
    x = aj.array([[1, 2, 3, 4], [5]])
    calls = {
        "COMPILED_CALLS": (lambda: x.fold(lambda state, one: state + one, 0), [10, 5]),
        "COMPILED_ITEMS": (lambda: x.map_rows(lambda row: int(row.sum())), [10, 5]),
    }
    for bound, (call, expected) in calls.items():
        warned = pytest.warns(JagWarning, match=r"interpreter, because of this test")
        with aj.options(compile="auto"), strategy.force(**{bound: 5, "INTERPRETED_ROWS": 1}), warned:
            assert call().to_list() == expected
        with aj.options(compile="auto"), strategy.force(**{bound: 6, "INTERPRETED_ROWS": 1}):
            assert call().to_list() == expected  # no warning


@pytest.mark.parametrize("compile", ["always", "never"])
def test_functions_of_items_are_tried_on_the_first_items_of_long_rows(compile: str) -> None:
    """The row is not interpreted twice; an error behind its first items is that of the lowest row all the same."""
    pytest.importorskip("numba")
    x = aj.from_sizes(np.arange(12.0), [7, 0, 5])
    y = aj.zip(a=x, b=x * 2)

    def guarded(state: float, one: float) -> float:
        if one in {5.0, 7.0}:
            raise ValueError("not this one")
        return state + one

    with aj.options(compile=compile), strategy.force(INTERPRETED_ITEMS=3):
        assert x.fold(lambda state, one: state * 0.5 + one, 0.0).to_list() == [10.03125, 0.0, 19.6875]
        states = y.scan(lambda state, one: state + one.b - one.a, 0.0)
        assert states.to_list() == [[0, 1, 3, 6, 10, 15, 21], [], [7, 15, 24, 34, 45]]
        with pytest.raises(ValueError, match="not this one") as caught:
            x.fold(guarded, 0.0)
    assert caught.value.__notes__ == ["fold: the function failed on row 0"]


@pytest.mark.parametrize("seen", [1, 7, 1000])
@pytest.mark.parametrize("first", [20, 21], ids=["all rows", "without the first ones"])
def test_unusual_rows_are_one_of_each_kind(first: int, seen: int) -> None:
    rows: list[list[float]] = [[1.0, -1.0] for _ in range(100)]
    kinds = {20: [1.0, -1.0, 1.0], 30: [-9.0], 40: [9.0], 50: [0.0], 60: [math.nan], 70: [-math.inf]}
    for row, items in kinds.items():
        rows[row] = rows[row + 1] = items
    live = np.arange(100) % 2 == first % 2
    arguments = [Rows(np.concatenate(rows), np.cumsum([0, *map(len, rows)]))]
    with strategy.force(SPREAD_ROWS=2, SEEN_VALUES=seen):
        unusual = UnusualRows(arguments, live, len(rows))
        unusual.look(0, len(rows))
        spread = [0] if first == 20 else []  # and row 50
        assert unusual.found() == [*spread, *range(first, first + 60, 10)]


@given(
    st.lists(st.lists(st.sampled_from([0.0, -2.5, 1.0, 7.0, math.inf, -math.inf, math.nan]), max_size=4), min_size=1, max_size=12),
    st.data(),
)
def test_unusual_rows_hold_extremes_zeros_and_infinities_and_are_the_longest(rows: list[list[float]], data: st.DataObject) -> None:
    live = np.array(data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows))))
    ones = [data.draw(st.integers(-3, 3)) for _ in rows]
    offsets = np.cumsum([0, *map(len, rows)])
    arguments = [Rows(np.array([item for row in rows for item in row]), offsets), Scalars(np.array(ones))]
    with strategy.force(SEEN_VALUES=data.draw(st.integers(1, 5)), SPREAD_ROWS=1):
        unusual = UnusualRows(arguments, None if live.all() else live, len(rows))
        cut = data.draw(st.integers(0, len(rows)))
        unusual.look(cut, len(rows))
        unusual.look(0, cut)
        found = unusual.found()
    known = [row for row in range(len(rows)) if live[row]]
    assert set(found) <= set(known)
    compared = [(rows[row], ones[row]) for row in found]
    finite = [item for row in known for item in rows[row] if math.isfinite(item)]
    seen = [item for row, _ in compared for item in row]
    if finite:
        assert {min(finite), max(finite)} <= set(seen)
    assert (0.0 in finite) == (0.0 in seen)
    assert any(not all(map(math.isfinite, rows[row])) for row in known) == (not all(map(math.isfinite, seen)))
    if known:
        assert max(len(row) for row, _ in compared) == max(len(rows[row]) for row in known)
        assert {min(ones[row] for row in known), max(ones[row] for row in known)} <= {one for _, one in compared}


DRIVERS: dict[bool, dict[Any, Any]] = {True: {}, False: {}}
"""Compiled functions that note rows, and those that don't."""

ODD_NUMBERS = [0.0, -0.0, -2.5, -7.5, 1.0, 7.0, 2.5, 1e-3, math.inf, math.nan]


@given(
    st.lists(st.none() | st.lists(st.none() | st.sampled_from(ODD_NUMBERS), max_size=4), min_size=1, max_size=12),
    st.lists(st.none() | st.integers(-3, 3), min_size=12, max_size=12),
    st.sampled_from([1, 3, 1000]),
)
@settings(max_examples=10)
def test_loops_note_the_rows_that_are_found_without_notes(rows: Any, others: Any, part: int) -> None:
    pytest.importorskip("numba")
    x = aj.array([[1], *rows], type=pa.large_list(pa.float64()))[1:]
    k = aj.array(others[: len(rows)], type=pa.int64())
    calls: list[Callable[[], aj.JaggedArray]] = [
        lambda: x.map_rows(lambda row: row),
        lambda: aj.fold(lambda state, one, n: state + one * n, 1, x, k),
        lambda: aj.scan(lambda state, one: state - one, 1, x),
    ]
    found: dict[bool, list[list[int]]] = {True: [], False: []}
    own, noting = UnusualRows.found, row_compiler.noting_function
    for notes, kept in found.items():
        with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            patch.setattr(row_compiler, "_drivers", DRIVERS[notes])
            patch.setattr(row_compiler, "noting_function", noting if notes else lambda *_, **__: None)
            patch.setattr(UnusualRows, "found", lambda self, kept=kept: kept.append(own(self)) or kept[-1])
            with aj.options(compile="always"), strategy.force(FUNCTION_PART=part, NOTED_VALUES=part, SPREAD_ROWS=1):
                for call in calls:
                    call()
    assert found[True] == found[False]
    assert all(driver.notes == notes for notes, drivers in DRIVERS.items() for driver in drivers.values())


def test_rows_are_noted_by_all_functions_or_by_none(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    own = row_compiler.noting_function
    monkeypatch.setattr(row_compiler, "_drivers", {})
    monkeypatch.setattr(row_compiler, "noting_function", lambda name, nulls: own(name, nulls) if name == "noted_items" else None)
    with aj.options(compile="always"):
        assert aj.array([[1, 2], [3]]).map_rows(lambda row: row[0]).to_list() == [1, 3]
    assert [driver.notes for driver in row_compiler._drivers.values()] == [False]


NARROW = [pa.int8(), pa.int16(), pa.int32(), pa.uint8(), pa.uint16(), pa.uint32(), pa.float32(), pa.float16()]


@pytest.mark.parametrize("type", NARROW, ids=str)
def test_narrow_numbers_give_the_same_results_compiled(type: pa.DataType) -> None:
    """Python's and numba's rules differ for narrow types, so that functions get 64 bits: no overflow, no rounding."""
    pytest.importorskip("numba")
    greatest = 2**15 if pa.types.is_floating(type) else np.iinfo(type.to_pandas_dtype()).max
    x = aj.array([[greatest, greatest, 1], [1, 2, 3]]).cast(type, safe=False)
    one = aj.array([greatest, 2]).cast(type, safe=False)
    calls = [
        lambda: x.map_rows(lambda row: row[0] + row[1]),
        lambda: x.map_rows(lambda row: float(row[0] * 1.1)),
        lambda: x.map_rows(lambda row: row * 3),
        lambda: aj.map_rows(lambda row, last: row[0] + last, x, one),
        lambda: aj.fold(lambda state, item: state * 2 + item, one, x),
        lambda: aj.scan(lambda state, item: state - item, one, x),
        lambda: x.map_items(lambda item: item * 3),
    ]
    for call in calls:
        assert_same_compiled(call)
    assert calls[0]().to_list() == [2 * greatest, 3]


@pytest.mark.parametrize(
    ("x", "function", "reason"),
    [
        (
            aj.array([[1, 2], [3]]),
            lambda row: float(len(row) * 2**62),
            r"numba's result is .*, Python's 9\.22\d*e\+18 on row 0",
        ),
        (
            aj.array([[1, 2]] * 9 + [[1]]),
            lambda row: (len(row) * 2**62 > 0) * 1.0 + (2.0**60 if len(row) == 1 else 0),
            r"numba's result is .*, Python's .* on row 0",
        ),
        (aj.array([[2**63, 5]], type="uint64"), lambda row: row[0] // 2, "uint64 with other integers"),
        (aj.array([[1, 2], [3]]), lambda row: len(row) + NARROW[0].bit_width, "numba can't compile it"),
    ],
    ids=["an integer", "an integer and a large number", "uint64", "a global"],
)
def test_functions_that_numba_reads_otherwise_run_in_the_interpreter(x, function, reason: str) -> None:
    pytest.importorskip("numba")
    with aj.options(compile="never"):
        expected = x.map_rows(function)
    with aj.options(compile="always"), pytest.warns(JagWarning, match=reason):
        found = x.map_rows(function)
    assert found.equals(expected)


def test_rows_of_another_size_are_told() -> None:
    pytest.importorskip("numba")
    x = aj.array([[1], [1, 2], [1, 2]])
    with aj.options(compile="always"), pytest.warns(JagWarning, match="on row 1"):
        found = x.map_rows(lambda row: np.zeros(2 if len(row) * 2**62 > 0 else 1))
    assert found.to_list() == [[0.0, 0.0]] * 3


def test_results_that_differ_by_rounding_are_compiled() -> None:
    pytest.importorskip("numba")
    x = aj.from_sizes(np.random.default_rng(2).normal(size=3000) * 1e-12, [1000, 1000, 1000])
    with aj.options(compile="always"):  # a JagWarning would be an error
        assert x.map_rows(lambda row: row - row.mean()).ndim == 2
        assert abs(x.map_rows(lambda row: row.sum()).to_list()[0] - sum(x.to_list()[0])) < 1e-20
        assert x.map_rows(lambda row: np.inf if row[0] > 0 else np.nan).null_count == 0


def test_results_whose_digits_cancel_are_compiled() -> None:
    pytest.importorskip("numba")
    rng = np.random.default_rng(3)
    plain, half = rng.normal(size=1000) * 1e9, rng.normal(size=500) * 1e9
    x = aj.from_sizes(np.concatenate([plain, plain, rng.permutation(np.concatenate([half, -half]))]), [1000, 1000, 1000])
    with aj.options(compile="always"):  # a JagWarning would be an error
        assert abs(x.map_rows(lambda row: row.sum()).to_list()[2]) < 1.0


# ------------------------------------------------------------------------- results that do not depend on the number of rows


def _mean(row: np.ndarray) -> float:
    total = 0.0
    for item in row:
        total += item
    return total / len(row)


@pytest.mark.parametrize("function", [lambda row: 1 / len(row), lambda row: 10 // len(row), lambda row: 7 % len(row), _mean])
def test_python_numbers_divided_by_zero_raise_in_any_number_of_rows(function) -> None:
    pytest.importorskip("numba")
    x = aj.concat([rows(1000), aj.array([[], [1.0], []], type=pa.float64(), ndim=2)])
    told = []
    for mode in ("never", "always"):
        with aj.options(compile=mode), pytest.raises(ZeroDivisionError) as caught:
            x.map_rows(function)
        told.append((str(caught.value), caught.value.__notes__))
    assert told[0] == told[1]
    assert told[0][1] == ["map_rows: the function failed on row 1000"]


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning", "ignore:divide by zero:RuntimeWarning")
@pytest.mark.parametrize(
    "function",
    [
        lambda row: row.sum() / len(row),
        lambda row: row.sum() / row.sum(),
        lambda row: None if len(row) == 1 else row.sum() / len(row),
    ],
)
def test_numpy_numbers_divided_by_zero_are_inf_or_nan_in_any_number_of_rows(function) -> None:
    pytest.importorskip("numba")
    x = aj.concat([rows(1000), aj.array([[], [1.0], None, [0.0, 1.0], []], type=pa.float64(), ndim=2)])
    with aj.options(compile="never"):
        expected = x.map_rows(function)
    with aj.options(compile="always"), strategy.force(FUNCTION_PART=100):
        assert x.map_rows(function).equals(expected)
    assert np.isnan(expected.to_list()[1000])


@pytest.mark.parametrize(
    "function",
    [lambda row: len(row) * 2**62 % 1000, lambda row: row[:1] * 2.0 if len(row) * 2**62 > 0 else row[:1] * 1.0],
)
def test_results_that_numba_computes_in_narrower_integers_are_pythons(function) -> None:
    pytest.importorskip("numba")
    x = aj.from_sizes(np.full(600, 100), np.full(300, 2))
    with aj.options(compile="never"):
        expected = x.map_rows(function)
    with aj.options(compile="always"), pytest.warns(JagWarning, match=r"numba's result is .*, Python's .* on row 0"):
        found = x.map_rows(function)
    assert found.equals(expected)
    assert found.type == expected.type


def test_rows_of_which_the_interpreter_alone_has_a_result_are_interpreted() -> None:
    pytest.importorskip("numba")
    x = aj.from_sizes(np.array([1] * 300 + [0]), np.full(301, 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        with aj.options(compile="never"):
            expected = x.map_rows(lambda row: row * (1.0 / row[0]))
        with aj.options(compile="always"), pytest.warns(JagWarning, match=r"raises ZeroDivisionError.* on row 300, Python doesn't"):
            assert x.map_rows(lambda row: row * (1.0 / row[0])).equals(expected)


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_results_that_are_all_none_have_no_type_in_either_way(compiling: str) -> None:
    x = aj.array([[1.5], [2.5]])
    assert x.map_rows(lambda row: None if row[0] > 0 else row[0]).type == pa.null()
    assert x.map_items(lambda item: None if item > 0 else item).type == pa.null()
    assert x.map_rows(lambda row: None if row[0] > 0 else row, type=pa.list_(pa.int8())).type == pa.int8()


def test_errors_of_compiled_functions_are_those_of_the_interpreter() -> None:
    pytest.importorskip("numba")
    x = aj.concat([rows(300), aj.array([[]], type=pa.float64(), ndim=2)])
    for function in (lambda row: row[-1], lambda row: row.max()):
        told = []
        for mode in ("never", "always"):
            with aj.options(compile=mode), pytest.raises((IndexError, ValueError)) as caught:
                x.map_rows(function)
            told.append((type(caught.value), str(caught.value), caught.value.__notes__))
        assert told[0] == told[1]


WORDS = aj.array([["a", None, "c"], [None], None, []], type=pa.string(), ndim=2)
DECIMALS = aj.array([[1, None, 3], [None], None, []], ndim=2).cast(pa.decimal128(5, 0))


def test_nulls_of_any_column_are_dropped_from_all_of_them() -> None:
    x = aj.array([[None, 2, 3], [1], None, []], type=pa.int64(), ndim=2)
    seen = []
    aj.map_rows(lambda items, words: seen.append((items.tolist(), words)), x, WORDS)
    aj.map_rows(lambda words, other: seen.append((words, other)), WORDS, DECIMALS)
    aj.map_rows(lambda words, n: seen.append((words, n)), WORDS, aj.array([1, 2, 3, 4]))
    assert seen[:3] == [([3], ["c"]), ([], []), ([], [])]
    assert seen[3:6] == [(["a", "c"], [1, 3]), ([], []), ([], [])]
    assert seen[6:] == [(["a", None, "c"], 1), ([None], 2), ([], 4)]  # the only row


@pytest.mark.parametrize("by", [{}, {"count": "polars", "filter": "polars"}, {"count": "compiled", "filter": "compiled"}], ids=str)
@pytest.mark.parametrize("type", [*NUMBERS, pa.date32(), pa.duration("us")], ids=str)
def test_nulls_are_dropped_by_their_bits_where_rows_begin_amid_a_byte(type: pa.DataType, by: dict[str, str]) -> None:
    n, rng = 10_000, np.random.default_rng(4)
    ticks = pa.array(rng.integers(0, 2, n + 3), mask=rng.random(n + 3) < 0.1)
    x = aj.from_sizes(ticks.cast(pa.int32() if pa.types.is_date(type) else pa.int64()).cast(type)[3:], np.tile([5, 0, 15], n // 20))
    seen: list[Any] = []
    with strategy.force(**by):
        got = x.map_rows(lambda row: seen.append(row) or len(row))
    expected = [[item for item in row if item is not None] for row in x.to_list()]
    assert [row.tolist() for row in seen] == expected
    assert got.to_list() == [len(row) for row in expected]


def test_a_mask_tells_nulls_of_every_type() -> None:
    seen = []
    WORDS.map_rows(lambda words, valid: seen.append((words, valid.tolist())), skip_nulls=False)
    assert seen == [(["a", None, "c"], [True, False, True]), ([None], [False]), ([], [])]


def test_results_of_numbers_are_cast_in_the_same_way_in_any_number_of_rows(compiling: str) -> None:
    x = aj.array([[1, 2], None, []])
    types = [pa.string(), pa.decimal128(9, 2), pa.bool_(), pa.float16(), pa.timestamp("us"), pa.date32(), pa.time64("us")]
    for type in types:
        expected = aj.array([2, None, 0]).cast("int64").cast(type)
        found = x.map_rows(len, type)
        assert found.type == type
        assert found.equals(expected), type
        deep = x.map_rows(lambda row: row, pa.list_(type))
        assert deep.equals(x.cast(type)), type


def test_times_without_a_zone_take_that_of_the_type() -> None:
    t = aj.array([[0, 10**15], None, [5]]).cast(pa.timestamp("us", "Europe/Paris"))
    assert t.map_rows(lambda row: row.max(), t.type).equals(t.max())
    assert t.map_rows(lambda row: row, pa.list_(t.type)).equals(t)
    assert t.map_items(lambda item: item, type=t.type).equals(t)


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning", "ignore:Mean of empty slice:RuntimeWarning")
@pytest.mark.parametrize(
    "function",
    [
        lambda row: row.mean(),
        lambda row: row.sum() / len(row),
        lambda row: row - row.mean(),
        lambda row: None if len(row) == 0 else row.sum() / len(row),
        lambda row: np.zeros(2) if len(row) == 0 else row,
    ],
)
def test_empty_rows_take_one_call_of_the_interpreter(function) -> None:
    pytest.importorskip("numba")
    draw = np.random.default_rng(8)
    sizes = np.concatenate([np.ones(250, int), draw.integers(0, 3, 1000)])
    x = aj.from_sizes(draw.normal(size=sizes.sum()), sizes).with_validity(0, draw.random(len(sizes)) < 0.9)
    with aj.options(compile="never"):
        expected = x.map_rows(function)
    calls = []
    with aj.options(compile="always"), strategy.force(FUNCTION_PART=100):
        found = x.map_rows(function)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(row_compiler._Run, "_settle", lambda *_: calls.append(1))
            x.map_rows(function)
    assert found.type == expected.type
    assert found.shape == expected.shape
    assert np.array_equal(*(one.cast("float64").values.to_numpy(zero_copy_only=False) for one in (found, expected)), equal_nan=True)
    assert not calls


def test_the_error_of_the_lowest_row_is_raised_though_an_empty_row_fails_too() -> None:
    pytest.importorskip("numba")
    x = aj.array([[1.0]] * 300 + [[-1.0], [], [2.0]])
    with aj.options(compile="always"), pytest.raises(IndexError, match="out of bounds") as caught:
        x.map_rows(lambda row: row[5] if row[0] < 0 else row[0])
    assert caught.value.__notes__ == ["map_rows: the function failed on row 300"]


@pytest.mark.parametrize(("item", "place"), [(np.nan, 70_000), (np.inf, 99_999)])
def test_rows_with_nan_or_infinities_are_those_of_the_interpreter_wherever_they_are(item: float, place: int) -> None:
    """numba's median takes NaN for a number, and its `int` of them is one."""
    pytest.importorskip("numba")
    items = np.arange(100_000) % 7.0
    items[place] = item
    x = aj.from_sizes(items, np.full(20_000, 5))
    scaled = aj.array(items[: len(x)])
    calls = [
        lambda: x.map_rows(np.median),
        lambda: aj.zip(a=x, b=x).map_rows(lambda row: np.median(row.b)),
        lambda: aj.map_rows(lambda row, one: np.median(np.array([one, row[0], 1.0, 2.0])), x, scaled),
    ]
    for call in calls:
        with aj.options(compile="never"):
            expected = call()
        with aj.options(compile="always"), warnings.catch_warnings():
            warnings.simplefilter("ignore", JagWarning)
            found = call()
        assert np.array_equal(*(one.values.to_numpy(zero_copy_only=False) for one in (found, expected)), equal_nan=True)
    for call in (
        lambda: x.map_rows(lambda row: sum([int(one) for one in row])),
        lambda: x.fold(lambda state, one: int(one), 0),
        lambda: x.scan(lambda state, one: int(one), 0),
        lambda: x.map_items(int),
    ):
        with (  # a JagWarning would be an error
            aj.options(compile="always"),
            pytest.raises((ValueError, OverflowError), match="cannot convert float") as caught,
        ):
            call()
        assert len(caught.value.__notes__) == 1


@pytest.mark.filterwarnings("ignore:overflow encountered", "ignore:invalid value")
@pytest.mark.parametrize(
    ("late", "function"),
    [
        ([1] * 70, lambda row, *_: 2 ** len(row)),
        ([2**62] * 2, lambda row, *_: sum([int(one) for one in row])),
        ([2, -1], lambda row: 2 ** int(row[1])),
        ([2, 0], lambda row: float(row[1]) ** -1.0),
        ([2, 70], lambda row: row[0] << row[1]),
    ],
    ids=["the longest row", "the largest item", "the smallest item", "a zero", "a shift"],
)
def test_rows_of_extremes_are_those_of_the_interpreter_wherever_they_are(late: list[int], function) -> None:
    """Machine code has no integers beyond 64 bits and no errors of powers; the first rows don't tell."""
    pytest.importorskip("numba")
    x = aj.array([[1, 2]] * 301 + [late] + [[-1, 1]] * 40)
    # Rows that are null in another column have items that are larger, and are not compared.
    y = aj.concat([x[:302], aj.array([[2**63 - 1, -(2**63), 0]] * 40)])
    live = aj.array([1] * 302 + [None] * 40)
    call = (lambda: x.map_rows(function)) if late[0] == 2 else (lambda: aj.map_rows(function, y, live))
    with aj.options(compile="never"):
        expected = _told(call)
    with (
        aj.options(compile="always"),
        pytest.warns(JagWarning, match=r"on row 301|int64 in numba and double in Python|powers of|shifts by"),
    ):
        assert _told(call) == expected


@pytest.mark.parametrize(
    ("late", "call"),
    [
        ([2**35 + 1, 2**35 - 1], lambda x: x.map_rows(lambda row: int(row[0]) * int(row[1]), type="float64")),
        ([2**35 + 1, 2**35 - 1], lambda x: x.map_rows(lambda row: np.array([float(int(row[0]) * int(row[1])), 1.0]))),
        ([5, 7], lambda x: x.map_rows(lambda row: float(2 * row[0] - row[1] - 3) ** -1.0)),
        ([5, 7], lambda x: x.map_rows(lambda row: np.array([7.0, float(2 * row[0] - row[1] - 3) ** -1.0]))),
        ([5, 7], lambda x: aj.map_items(lambda a, b: float(2 * a - b - 3) ** -1.0, x[:, :1], x[:, 1:])),
        ([5, 7], lambda x: x[:, :1].scan(lambda _, a, b: float(2 * a - b - 3) ** -1.0, 0.0, x[:, 1:])),
    ],
    ids=["an integer", "a row of integers", "a power", "a row of powers", "the power of items", "scanned powers"],
)
def test_rows_of_extreme_results_are_those_of_the_interpreter(late: list[int], call) -> None:
    """None of the row's items stands out, only what the function computes from them."""
    pytest.importorskip("numba")
    x = aj.array([[9, 3], [5, 1]] * 31 + [late] + [[2**40, 1], [30, 8], [4, 0]] * 40)
    null = pa.array([True, True] + [False] * 181)
    for each in (x, aj.array(pa.LargeListArray.from_arrays(x.shape.offsets[-1], x.values, mask=null))):
        with aj.options(compile="never"):
            expected = _told(partial(call, each))
        with (
            aj.options(compile="always"),
            strategy.force(FUNCTION_PART=20),  # several parts
            pytest.warns(JagWarning, match=r"on (row 62|item \[62\]\[0\])"),
        ):
            assert _told(partial(call, each)) == expected


@pytest.mark.parametrize(
    "function",
    [
        lambda row: np.histogram(row, 3)[0],
        np.bincount,
        lambda row: np.fmod(row - 2, 2),
        np.argsort,
        lambda row: np.argpartition(row, 1),
        lambda row: np.partition(row, 1),
        lambda row: row.flat[2],
    ],
)
def test_functions_of_numpy_that_numba_has_wrong_for_some_rows_are_interpreted(function) -> None:
    """Rows of equal items, for example, need not be among the rows that are compared."""
    pytest.importorskip("numba")
    rows = [[1, 3, 4]] * 51 + [[2, 2, 2]] + [[1, 3, 4]] * 48
    x = aj.array(rows)
    with aj.options(compile="always"), pytest.warns(JagWarning, match=r"numba's \w+ differs from numpy's for some rows"):
        found = x.map_rows(function)
    assert found.to_list() == [function(np.array(row)).tolist() for row in rows]


def _sorted_list(row: np.ndarray) -> Any:
    """The middle of a list that is sorted in place."""
    items = [one for one in np.log(row - 0.5)]  # noqa: C416  # numba's lists come from loops
    items.sort()
    return items[len(items) // 2]


NAN = math.nan
ODD = {
    "sorted": (lambda row: sorted(np.log(row - 0.5))[len(row) // 2], "Python's sort"),
    "sorted list": (_sorted_list, "Python's sort"),
    "divmod": (lambda row: np.divmod((6 - row) * 1.0, row / 30)[0].sum(), "np.divmod of floats"),
    "clip": (lambda row: (row * 0.1).clip(NAN if len(row) < 2 else 0.0, 9), "row.clip"),
    "clipped integers": (lambda row: row.clip(0, 8.5).mean(), "row.clip"),
    "clipped booleans": (lambda row: np.clip(row > 8, 0, 1).sum(), "numba's clip"),
    "median": (lambda row: float(np.median(np.log(row).astype(np.float32))), "numba's median"),
    "rounded": (lambda row: round(float(row[0]) / 8, 2), r"round\(x, n\) of floats"),
    "power": (lambda row: 2 ** (len(row) - 2), "powers of integers differ"),
    "powers": (lambda row: 2.0 * np.power(4 - row // 9, row - 1), "powers of integers differ"),
    "shift": (lambda row: 8 >> int(row[0] - 1), "shifts by negative numbers"),
    "shifts": (lambda row: np.left_shift(1, row - 2), "shifts by negative numbers"),
    "int8": (lambda row: int(np.int8(100) + np.int8(row[0] * 9)), "numpy's numbers of fewer"),
    "int8 in rows": (lambda row: int((row.astype(np.int8) * 20)[0]), "numpy's numbers of fewer"),
    "unsigned": (lambda row: np.uint64(row[0]) - np.uint64(5) > 0, "numpy's numbers of fewer"),
    "float32": (lambda row: bool(np.float32(row[0]) * 0.1 > 0.3), "numpy's numbers of fewer"),
    "float32 in rows": (lambda row: (row.astype(np.float32) * 0.1 > 0.3).sum(), "numpy's numbers of fewer"),
    "float32 of math": (
        lambda row: math.atan(np.float32(row[0]) / np.float32(9)) * 1e12 % 7,
        "numpy's numbers of fewer than 64 bits",
    ),
    "booleans": (lambda row: int((row[0] > 0) + (row[-1] > 1)) == 1, "numba adds booleans"),
    "trapezoid of booleans": (lambda row: np.trapezoid(np.append(row, row) > 8), "numba adds booleans"),
    "halffloats": (lambda row: (np.exp(row > 8) > 2.7185).sum(), "numpy's exp of booleans"),
    "whole quantile": (lambda row: np.quantile(row, 1) > 8, "numba's quantile"),
    "nanmedian": (lambda row: float(np.nanmedian(np.log(row).astype(np.float32))), "numba's nanmedian"),
}


@pytest.mark.filterwarnings("ignore:overflow encountered")
@pytest.mark.parametrize("name", ODD)
def test_operators_that_numba_has_wrong_for_some_rows_are_interpreted(name: str) -> None:
    """Shorter rows, for example, need not be among those that are compared."""
    pytest.importorskip("numba")
    function, reason = ODD[name]
    x = aj.array([[1, 3, 4]] * 51 + [[1 if name == "powers" else 9]] + [[1, 3, 4]] * 48)
    with aj.options(compile="never"):
        expected = x.map_rows(function)
    with aj.options(compile="always"), pytest.warns(JagWarning, match=f"because {reason}"):
        assert x.map_rows(function).equals(expected)


MIDDLE = np.median
WITH_NAN: dict[str, Callable[[np.ndarray], Any]] = {
    "median": lambda row: np.median(np.sqrt(row)),
    "its own name": lambda row: MIDDLE(np.sqrt(row)) > 2,
    "integers": lambda row: np.median(row.astype(np.int64) << 60),
    "booleans": lambda row: np.median(row > 1),
    "dims": lambda row: np.median(np.outer(row, row)),
    "clip": lambda row: np.clip(row, np.sqrt(row[0]), 6.5),
    "one bound": lambda row: np.clip(row, None, np.sqrt(row[0])).sum(),
    "other bound": lambda row: np.clip(row, np.sqrt(row[0]), None).sum(),
    "bounds of integers": lambda row: np.clip(row.astype(np.int64), 2.5, 6.5).mean(),
    "bounds of rows": lambda row: np.clip(row, np.sqrt(row - 1), row[::-1]),
    "written bounds": lambda row: row.clip(2.5, 6) * row.clip(None, 7.0) * row.clip(-0.5),
}


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("name", WITH_NAN)
def test_nan_that_a_function_computes_is_that_of_the_interpreter(name: str) -> None:
    """numba's median and clip hide it, so that nothing tells that the row is unusual."""
    pytest.importorskip("numba")
    late = [[-1.0, 0.9, 2.0, 3.0, 8.0, 5.0, 6.0], [3.0, -1.0, 2.0, -1.0, 8.0, 5.0, 6.0], [4.0, 1.0, 2.0, 3.0]]
    tame = [[0.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 9.0], [-2.0, 4.0]]
    x = aj.array([*tame, *[[2.0, 3.0, 4.0, 5.0]] * 61, *late, *[[2.0, 3.0, 4.0, 5.0]] * 90])
    found = []
    for mode in ("never", "always"):
        with aj.options(compile=mode):  # a JagWarning would be an error
            found.append(x.map_rows(WITH_NAN[name]))
    assert found[1].type == found[0].type
    assert str(found[1].to_list()) == str(found[0].to_list())


WITH_LARGE_INTEGERS: dict[str, Callable[[np.ndarray], Any]] = {
    "nanmedian": np.nanmedian,
    "quantile": lambda row: np.quantile(row, 0.5),
    "nanquantile": lambda row: np.nanquantile(row, 0.25),
    "percentile": lambda row: np.percentile(row, 75),
    "nanpercentile": lambda row: np.nanpercentile(row, 50.0),
    "round": lambda row: np.round(row, 1).sum(),
    "around": lambda row: np.around(row, decimals=2)[::-1],
}


@pytest.mark.filterwarnings("ignore:overflow encountered")
@pytest.mark.parametrize("name", WITH_LARGE_INTEGERS)
def test_large_integers_inside_of_numpys_functions_are_those_of_the_interpreter(name: str) -> None:
    """They leave 64 bits, or those of a float, in rows that hold neither the smallest item nor the largest."""
    pytest.importorskip("numba")
    late = [[2**62 + 4, 2**62 + 8, 2**62 + 6, 1], [-(2**62) - 9, 2**62 + 11]]
    tame = [[1, 2, 3, 4]] * 63
    x = aj.array([[-(2**63)], [2**63 - 1], [0, 3, 1, 2, 5, 6], [2], *tame, *late, *tame * 4], type="int64")
    assert (len(x) // 50, x.to_list().index(late[0]) % 6) == (6, 1)  # none of the 50 other rows
    function = WITH_LARGE_INTEGERS[name]
    found = []
    for mode in ("never", "always"):
        with aj.options(compile=mode):  # a JagWarning would be an error
            found.append(x.map_rows(function))
    assert found[1].type == found[0].type
    assert found[1].equals(found[0])


def test_a_boolean_index_of_another_length_raises() -> None:
    """Numba does not check the length, and the row whose length differs need not be among the others that are compared."""
    pytest.importorskip("numba")
    x = aj.array([[1, 3, 4]] * 5001 + [[1, 3]] + [[1, 3, 4]] * 4998)
    mask = np.array([True, True, False])
    with (
        aj.options(compile="always"),
        pytest.warns(JagWarning, match="did not match .* on row 5001, the compiled function doesn't"),
        pytest.raises(IndexError, match=r"(?s)did not match.*failed on row 5001"),
    ):
        x.map_rows(lambda row: row[mask].sum())


def test_operators_of_known_signs_are_compiled() -> None:
    pytest.importorskip("numba")
    x = aj.array([[1, 3, 4]] * 51 + [[9]])
    assert_same_compiled(lambda: x.map_rows(lambda row: row[0] ** 2 + (row[0] << 2) + round(row[0] / 2) + (row**3).sum() ** 0.5))
    assert_same_compiled(lambda: x.map_rows(lambda row: np.round(row / 8, 2) * 2.0 ** len(row)))
    narrow = lambda row: np.float32(row[0]) + np.float32(int(row.astype(np.int8)[0]) + (row > 1).sum())  # noqa: E731
    assert_same_compiled(lambda: x.map_rows(narrow))


LOG = math.log
RAISING: dict[str, Callable[[np.ndarray], Any]] = {
    "sqrt": lambda row: math.sqrt(row[0] - row[1]) > 2,
    "log": lambda row: LOG(row[0] - row[1] + 1) > 2,
    "exp": lambda row: math.exp(1000 * (row[1] - row[0])) > 2,
    "pow": lambda row: math.pow(row[0] - row[1], 0.5) > 2,
    "floor": lambda row: math.floor(np.sqrt(row[0] - row[1])) > 2,
    "int": lambda row: int(np.sqrt(row[0] - row[1])) % 7 > 2,
    "round": lambda row: round(1e300 * max(row[1] - row[0], 0.0)) % 7 > 2,
}


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("name", RAISING)
def test_errors_of_numbers_are_those_of_the_interpreter_wherever_they_are(name: str) -> None:
    """numba's math gives NaN and infinities, and its `int` any number: nothing tells that the row is unusual."""
    pytest.importorskip("numba")
    x = aj.array([[9.0, 3.0]] * 61 + [[5.0, 7.0]] + [[9.0, 3.0]] * 38 + [[20.0, 0.0, 0.0]])
    told = []
    for mode in ("never", "always"):
        with aj.options(compile=mode):  # a JagWarning would be an error
            told.append(_told(lambda: x.map_rows(RAISING[name])))
    assert told[0] == told[1]
    assert name == "round" or told[0][2] == ["map_rows: the function failed on row 61"]


def test_positions_inside_of_numpys_functions_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """numba's bincount takes a negative first item for a position in its result; unchecked, it writes outside of that memory."""
    pytest.importorskip("numba")
    monkeypatch.setattr(row_compiler, "_UNLIKE", frozenset())
    x = aj.array([[1, 2]] * 300 + [[-4, 1]])
    with aj.options(compile="always"), pytest.raises(ValueError, match="no negative") as caught:  # a JagWarning would be an error
        x.map_rows(lambda row: np.bincount(row, minlength=2).sum())
    assert caught.value.__notes__ == ["map_rows: the function failed on row 300"]


@pytest.mark.parametrize("unusual", [math.nan, math.inf, -math.inf])
def test_rows_of_extremes_are_those_of_finite_items(unusual: float) -> None:
    pytest.importorskip("numba")
    x = aj.array([[1.0, unusual]] + [[1.0, -1.0]] * 300 + [[2.0**40, -1.0]] + [[1.0, -1.0]] * 41)
    with aj.options(compile="never"):
        expected = x.map_rows(_squared, pa.float64())
    with aj.options(compile="always"), pytest.warns(JagWarning, match=r"on row 301"):
        assert x.map_rows(_squared, pa.float64()).equals(expected)


def _squared(row: np.ndarray) -> float:
    return float(int(row[0]) ** 2)


def _told(call) -> Any:
    """The type and the rows of a result, or the error with its notes."""
    try:
        found = call()
    except (ValueError, ArithmeticError, JagTypeError) as error:
        return type(error), str(error), getattr(error, "__notes__", [])
    return found.type, found.to_list()


def test_an_infinity_for_which_the_compiled_function_fails_too_leaves_it_compiled() -> None:
    pytest.importorskip("numba")
    x = aj.array([[1.0]] * 300 + [[1.0, np.inf]])

    def strict(row: np.ndarray) -> float:
        if not np.isfinite(row).all():
            raise ValueError("not finite")
        return row[0]

    with aj.options(compile="always"), pytest.raises(ValueError, match="not finite") as caught:  # a JagWarning would be an error
        x.map_rows(strict)
    assert caught.value.__notes__ == ["map_rows: the function failed on row 300"]


@pytest.mark.parametrize("x", [aj.array([[1, 2], [3]]), aj.array([[0.5], [1.5, 2.5]])], ids=["int64", "float64"])
def test_rows_of_64_bits_are_views_of_the_column(x: aj.JaggedArray) -> None:
    seen: list[np.ndarray] = []
    x.map_rows(lambda row: seen.append(row) or 0)
    assert [np.shares_memory(row, x.values.to_numpy()) for row in seen] == [True] * len(x)


# ------------------------------------------------------------------------------------------------------ keys of compiled code


def countdown(row: np.ndarray) -> int:
    return 1 + countdown(row[1:]) if len(row) else 0


@dataclasses.dataclass
class Scaled:
    factor: int

    def __call__(self, row: np.ndarray) -> int:
        return len(row) * self.factor


@pytest.mark.filterwarnings("ignore::arrowjag.JagWarning")
def test_functions_that_call_themselves_and_objects_without_a_hash_are_called(compiling: str) -> None:
    x = aj.array([[1, 2], [], None])
    assert x.map_rows(countdown).to_list() == [2, 0, None]
    assert x.map_rows(Scaled(3)).to_list() == [6, 0, None]


def test_zeros_of_both_signs_are_two_constants() -> None:
    pytest.importorskip("numba")
    x = aj.array([[1.0]])
    given = lambda zero: lambda row: zero  # noqa: E731
    with aj.options(compile="always"):
        found = [
            x.map_rows(one).to_list()[0] for one in (lambda row: 0.0, lambda row: -0.0, given(0.0), given(-0.0), given((-0.0,)[0]))
        ]
    assert np.signbit(found).tolist() == [False, True, False, True, True]


def last_of(x: aj.JaggedArray) -> object:
    return x.to_list()[-1]


def test_code_that_numba_compiled_before_is_not_that_of_the_plain_function() -> None:
    """The last row alone differs, so that no comparison of the first ones tells."""
    numba = pytest.importorskip("numba")
    x = aj.array([[1, 2]] * 300 + [[1]])
    plain = lambda row: 1 / (len(row) - 1)  # noqa: E731
    with aj.options(compile="always"):
        assert last_of(x.map_rows(numba.njit(error_model="numpy")(plain))) == np.inf
        with pytest.raises(ZeroDivisionError):
            x.map_rows(plain)


SETTINGS = types.ModuleType("settings")
PAIR = (np.array([1, 2]), np.array([3]))
LIMIT = 2


def test_what_a_function_reads_may_change_between_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    x = aj.array([[1]] * 300 + [[1, 2, 3]])
    functions = [
        lambda row: len(row) > SETTINGS.limit,
        lambda row: len(row) > LIMIT and PAIR[0][0] == 1,
    ]
    for limit in (2, 5):
        monkeypatch.setattr(SETTINGS, "limit", limit, raising=False)
        monkeypatch.setitem(globals(), "LIMIT", limit)
        for function in functions:
            with aj.options(compile="always"):  # a JagWarning would be an error
                assert last_of(x.map_rows(function)) == (limit == 2)


def test_large_arrays_that_a_function_reads_are_those_of_now() -> None:
    """numba keeps their address and not the items: an array of equal items at another place makes another function."""
    pytest.importorskip("numba")
    x, items = aj.array([[1]] * 300 + [[1, 2, 3]]), np.arange(2 * 10**5) * 1.0

    def reading(table: np.ndarray) -> Callable[[np.ndarray], float]:
        return lambda row: table[len(row)]

    table = items.copy()
    with aj.options(compile="always"):  # a JagWarning would be an error
        assert last_of(x.map_rows(reading(table))) == 3.0
        table *= 2
        assert last_of(x.map_rows(reading(items))) == 3.0
        assert last_of(x.map_rows(reading(table))) == 6.0


class Model:
    """An object with memory of its own."""

    def __init__(self) -> None:
        self.factor = np.array([2])

    def score(self, row: np.ndarray) -> int:
        return int(len(row) * self.factor[0])


def test_what_a_function_reads_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    monkeypatch.setattr(row_compiler, "_drivers", {})
    x, known = aj.array([[1]] * 300 + [[1, 2, 3]]), []
    for _ in range(2):
        model = Model()
        known.append(weakref.ref(model))
        for function in (model.score, lambda row, model=model: model.score(row)):
            with aj.options(compile="always"), pytest.warns(JagWarning, match="numba can't compile it"):
                assert last_of(x.map_rows(function)) == 6
    assert len(row_compiler._drivers) == 4
    with aj.options(compile="always"), pytest.warns(JagWarning, match="numba can't compile it"):
        x.map_rows(model.score)  # an object of its own, but the same method
    assert len(row_compiler._drivers) == 4
    del model, function
    gc.collect()
    assert [one() for one in known] == [None, None]


def test_arrays_that_functions_read_are_kept_up_to_a_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """A function that is made anew for each large table would keep all of them."""
    pytest.importorskip("numba")
    monkeypatch.setattr(row_compiler, "_drivers", {})
    monkeypatch.setattr(row_compiler, "_bytes_kept", [0])
    monkeypatch.setattr(row_compiler, "_MOST_BYTES", 2000)
    x, known = aj.array([[1]] * 300 + [[1, 2, 3]]), []

    def reading(table: np.ndarray) -> Callable[[np.ndarray], float]:
        return lambda row: table[len(row)]

    for first in (0.0, 1.0):
        table = np.arange(first, first + 150)
        known.append(weakref.ref(table))
        with aj.options(compile="always"):  # a JagWarning would be an error
            assert last_of(x.map_rows(reading(table))) == first + 3
    gc.collect()
    assert len(row_compiler._drivers) == 1
    assert [one() is None for one in known] == [True, False]


def test_a_compiler_that_is_turned_off_is_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    numba = pytest.importorskip("numba")
    monkeypatch.setattr(row_compiler, "_drivers", {})
    monkeypatch.setattr(numba.config, "DISABLE_JIT", True)
    with aj.options(compile="always"), pytest.warns(JagWarning, match="interpreter, because NUMBA_DISABLE_JIT is set"):
        assert aj.array([[1], [2, 3]]).map_rows(len).to_list() == [1, 2]


def test_functions_that_start_threads_of_their_own_are_called_by_one_thread() -> None:
    """numba ends the process where its threads are started by several threads at once, unless OpenMP or TBB is there."""
    numba = pytest.importorskip("numba")
    total = numba.njit(parallel=True)(lambda row: row.sum())
    module = types.ModuleType("sums")
    module.total = total
    module.plain = numba.njit(lambda row: row.sum())
    nested = numba.njit(lambda row: total(row) + 1)
    arguments = [Rows(np.ones(2), np.array([0, 2]))]
    for function in (total, lambda row: total(row) + 1, nested, lambda row: nested(row) * 2, lambda row: module.total(row) + 1):
        outcome = row_compiler.compile_rows(function, arguments, WHOLE_ROW)
        assert str(outcome).startswith("numba compiled a function that it calls with parallel=True")
    assert isinstance(row_compiler.compile_rows(module.plain, arguments, WHOLE_ROW), row_compiler.Driver)


def test_parameters_of_another_kind_make_another_function() -> None:
    pytest.importorskip("numba")
    x = aj.array([[1]] * 300 + [[1, 2, 3]])
    with aj.options(compile="always"):
        assert last_of(aj.map_rows(lambda a, b: len(b), x, x)) == 3
        assert last_of(aj.map_rows(lambda a, *b: len(b), x, x)) == 1


def test_code_for_records_is_compiled_once() -> None:
    pytest.importorskip("numba")
    z = aj.zip(a=aj.array([[1, 2], [3]]), b=aj.array([[0.5, 1.0], [2.0]]))
    total = lambda row: row.a.sum() + row.b.sum()  # noqa: E731
    with aj.options(compile="always"), pytest.MonkeyPatch.context() as patch:
        patch.setattr(row_compiler, "_drivers", {})
        z.map_rows(total)
        (driver,) = row_compiler._drivers.values()
        n_versions = len(driver.one.overloads), len(driver.loop.overloads)
        z.map_rows(total)
        assert (len(driver.one.overloads), len(driver.loop.overloads)) == n_versions


@pytest.mark.parametrize("name", ["class", "None", "\N{LATIN SMALL LIGATURE FI}", "a b", "_a"])
def test_structs_whose_fields_have_no_names_of_attributes_are_dicts(name: str, compiling: str) -> None:
    x = aj.from_sizes(pa.array([{name: 1, "b": 2.5}, {name: 2, "b": 0.5}]), [1, 1])
    assert x.map_rows(lambda row: row[0][name] * row[0]["b"]).to_list() == [2.5, 1.0]
    assert x.fold(lambda state, item: state + item[name], 10).to_list() == [11, 12]


def test_types_of_results_that_begin_with_none_are_the_interpreters() -> None:
    pytest.importorskip("numba")
    x = aj.array([[]] * 300 + [[1], [2]], type=pa.int64())
    function = lambda row: None if len(row) == 0 else (1 if row[0] > 0 else 0.5)  # noqa: E731
    with aj.options(compile="never"):
        expected = x.map_rows(function)
    with (
        aj.options(compile="always"),
        pytest.warns(JagWarning, match="its results have the type double in numba and int64 in Python"),
    ):
        found = x.map_rows(function)
    assert found.type == expected.type == pa.int64()
    assert_same_compiled(lambda: x.map_rows(lambda row: None if len(row) == 0 else row[0] * 0.5))


def test_the_mask_is_read_only(compiling: str) -> None:
    flags: list[bool] = []
    x = aj.array([[1, None], [2]])
    with aj.options(compile="never"):
        x.map_rows(lambda row, valid: flags.append(valid.flags.writeable), skip_nulls=False)
        assert flags == [False, False]
        flags.clear()
        aj.array([[1]]).map_rows(lambda row, valid: flags.append(valid.flags.writeable), skip_nulls=False)
    assert flags == [False]


def test_results_that_are_none_hold_0_under_their_nulls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory that was never written must not reach files or hashes of buffers."""
    pytest.importorskip("numba")
    monkeypatch.setattr(row_compiler, "empty", lambda n, dtype: np.full(n, 7, dtype))
    with aj.options(compile="always"):
        found = aj.array([[1], [2], [3]]).map_rows(lambda row: None if row[0] == 2 else row[0]).values
    assert np.frombuffer(found.buffers()[1], np.int64, 3).tolist() == [1, 0, 3]


def test_functions_that_return_dicts_are_not_compiled() -> None:
    """numba's inference of types does not end for a dict of an integer and a float."""
    pytest.importorskip("numba")
    x = aj.array([[1, 2], [3]])
    with aj.options(compile="always"), pytest.warns(JagWarning, match="because it returns dict"):
        found = x.map_rows(lambda row: {"a": row.min(), "b": row.mean()})
    assert found.to_list() == [{"a": 1, "b": 1.5}, {"a": 3, "b": 3.0}]


@pytest.mark.parametrize("mode", ["never", "always"])
@pytest.mark.filterwarnings("ignore:.*in the interpreter:arrowjag.JagWarning")
def test_days_of_numpy_are_results(mode) -> None:
    """pyarrow takes no `datetime64[D]` one by one."""
    days = [date(2024, 2, 29), date(1, 1, 1), date(9999, 12, 31)]
    x = aj.array([days[:2], [], days[2:], None])
    with aj.options(compile=mode):
        for type in (None, "date32", "date64", pa.timestamp("s", "UTC")):
            found = x.map_rows(lambda row: row.max() if len(row) else np.datetime64("NaT", "D"), type=type)
            assert found.cast("date32").to_list() == [days[0], None, days[2], None]
        assert x.map_rows(lambda row: row[::-1]).to_list() == [[days[1], days[0]], [], [days[2]], None]
        assert x.map_items(lambda item: item).to_list() == x.to_list()
        start = date(1, 1, 1)
        assert x.fold(max, start).to_list() == [days[0], start, days[2], None]
        assert x.scan(lambda _, item: item, start).to_list() == x.to_list()
        assert aj.map_rows(lambda row, day: (row > day).sum(), x, date(1999, 1, 1)).to_list() == [1, 0, 1, None]


def test_times_of_several_units_are_results() -> None:
    x = aj.array([[1, 2], [3]])
    found = x.map_rows(lambda row: np.datetime64("2024-02-29", "D") if len(row) > 1 else np.datetime64("2024-02-29T01", "ms"))
    assert found.to_list() == [datetime(2024, 2, 29), datetime(2024, 2, 29, 1)]  # noqa: DTZ001  # numpy has no zones
    assert found.type == pa.timestamp("ms")


MISFITS: list[tuple[Any, Any, str]] = [
    ("a", None, "one type; give type=: row [1][1] gives 'a': "),
    (object, None, "one type; give type=: row [1][1] gives <class 'object'>: "),
    ({"a": 1}, None, "one type; give type=: row [1][1] gives {'a': 1}: "),
    (np.zeros((2, 2)), None, "one type; give type=: row [1][1] gives array("),
    (10**400, None, "one type; give type=: row [1][1] gives 1000"),
    (300, "int8", "int8: row [1][1] gives 300"),
    (1.5, "int8", "int8: row [1][1] gives 1.5: "),
    ("2.5", "int8", "int8: row [1][1] gives '2.5': "),
    ([300], pa.list_(pa.int8()), "list<item: int8>: row [1][1] gives [300]: "),
    (np.array([0.5]), pa.list_(pa.int8()), "list<item: int8>: row [1][1] gives [0.5]: "),
]


@pytest.mark.parametrize(("result", "type", "message"), MISFITS, ids=[f"{one[0].__class__.__name__}-{one[1]}" for one in MISFITS])
@pytest.mark.filterwarnings("ignore::arrowjag.JagWarning")
def test_results_that_do_not_fit_name_their_row(result: Any, type: Any, message: str, compiling: str) -> None:
    x = aj.array([[[0], None], [[1], [9], [2]], [[9]]])
    other = {str: "1", list: [1], np.ndarray: np.array([1.0])}.get(result.__class__, 1.0) if type is not None else 1.0
    with pytest.raises(JagTypeError, match=re.escape(f"map_rows: the function's results can't be converted to {message}")):
        x.map_rows(lambda row: result if row[0] == 9 else other, type)


def test_times_beside_numbers_name_their_rows() -> None:
    x = aj.array([[1], [9], [2], [9]])
    with pytest.raises(JagTypeError, match="times for some rows, such as row 1, and numbers for others, such as row 0; convert"):
        x.map_rows(lambda row: np.datetime64("2020-01-01") if row[0] == 9 else row[0])


@pytest.mark.parametrize("type", [None, "float64"])
def test_a_series_or_an_array_in_a_result_names_what_to_return(type: str | None) -> None:
    x = aj.array([[1.0, 2.0], []])
    for made, name in ((aj.array, "JaggedArray"), (pa.array, "DoubleArray"), (pd.Series, "Series")):
        with pytest.raises(JagTypeError, match=f"row 0 gives {name}; return a numpy array, as by numpy.asarray, or a list$"):
            x.map_rows(lambda row, made=made: made(row), type)
    with pytest.raises(JagTypeError, match=r"row 0 gives \[1, 'a'\]: [^\n]*$"):
        x.map_rows(lambda row: [1, "a"])


@pytest.mark.parametrize(
    "function", [lambda row: [DAY, np.int8(len(row))], lambda row: {"a": np.int8(0) if len(row) == 0 else DAY}]
)
def test_dates_of_numpy_beside_its_numbers_in_results(function) -> None:
    with pytest.raises(JagTypeError, match="results can't be converted to one type; give type=: "):
        aj.array([[1, 2], []]).map_rows(function)


@pytest.mark.parametrize(
    ("result", "type"),
    [
        (datetime(2020, 1, 1, 5, 0, 0, 7), "timestamp[s]"),  # noqa: DTZ001
        (timedelta(microseconds=7), "duration[ms]"),
        (time(1, 0, 0, 7), "time32[ms]"),
        ({"a": 1.5}, pa.struct([("a", pa.int64())])),
        ({"a": [1.5]}, pa.struct([("a", pa.list_(pa.int64()))])),
        ({"a": time(1, 0, 0, 7)}, pa.struct([("a", pa.time32("s"))])),
    ],
)
def test_results_are_not_cut_to_a_coarser_type(result: Any, type: Any) -> None:
    """pyarrow drops fractions of units, also in fields, where the type is given."""
    x = aj.array([[1], []])
    kind = aj.array([], type=type).type
    calls: list[Callable[[], Any]] = [
        lambda: x.map_rows(lambda _: result, type=kind),
        lambda: x.map_rows(lambda row: [result] * len(row), type=pa.large_list(kind)),
        lambda: x.map_items(lambda _: result, type=kind),
        lambda: x.fold(lambda _, item: result, None, type=kind),
    ]
    for call in calls:
        with pytest.raises(JagTypeError, match=r"(row 0|\[0\]\[0\]) gives .*(would lose data|truncated)"):
            call()


@pytest.mark.parametrize("compiled", ["never", "always"])
def test_times_with_a_zone_arrive_in_utc_and_get_it_back_by_the_type(compiled: str) -> None:
    berlin, moment = pa.timestamp("us", "Europe/Berlin"), dt.datetime(2024, 7, 1, 12, tzinfo=dt.UTC)
    x = aj.array([[moment, None], None, [], [moment + dt.timedelta(days=1)]], type=berlin)
    utc = x.cast(pa.timestamp("us"))
    records = aj.zip(t=x, n=aj.arange(4, [2, 0, 0, 1]).with_validity(0, [True, False, True, True]))
    first = utc.first()
    calls: list[tuple[Any, Any]] = [
        (lambda type: x.map_rows(lambda row: row[0] if len(row) else None, type), first),
        (lambda type: records.map_rows(lambda row: row.t[0] if len(row.t) else None, type), first),
        (lambda type: aj.map_rows(lambda row, one: one, aj.array([[1], [2], [3], [4]]), x.first(), type=type), first),
        (lambda type: x.fold(lambda state, item: item, x.values[0], type=type), first),
        (lambda type: aj.map_items(lambda item: item, x, type=type), utc),
    ]
    with aj.options(compile=compiled), warnings.catch_warnings():
        warnings.simplefilter("ignore", aj.JagWarning)
        for call, expected in calls:
            without, with_zone = call(None), call(berlin)
            assert (without.type, with_zone.type) == (pa.timestamp("us"), berlin)
            assert with_zone.cast(pa.timestamp("us")).to_list() == without.to_list()
            assert without.to_list()[0] == expected.to_list()[0]


READ, READ_TOO = np.arange(4.0), np.arange(3.0)


def test_arrays_that_a_function_reads_count_once_wherever_they_are_from() -> None:
    again = READ

    def reading(x: Any, first: Any = READ, *, second: Any = READ, third: Any = READ_TOO) -> Any:
        return x[0] + READ[0] + again[0] + first[0] + second[0] + third[0]

    assert bytes_read(reading) == READ.nbytes + READ_TOO.nbytes
