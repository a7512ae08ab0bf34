"""fold, scan and map_items: functions of items, interpreted and compiled."""

from __future__ import annotations

import datetime as dt
import decimal
import operator

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._kernels import strategy
from arrowjag._ops import row_compiler
from arrowjag.errors import JagTypeError, JagWarning
from arrowjag.testing import assert_lists_equal, jagged_arrays, prefix_arrays
from tests import reference as ref
from tests.along import any_axis, as_list
from tests.compiled_calls import assert_same_compiled
from tests.hosts import pd, pl

NUMBERS = (pa.int16(), pa.int32(), pa.float64())


def last(state, item):
    return item * 1.0 if state < 0 or item >= 0 else state


@given(st.data())
def test_states_are_those_of_a_plain_loop(data: st.DataObject) -> None:
    ndim = data.draw(st.integers(1, 3))
    x = data.draw(jagged_arrays(ndim, leaf=st.sampled_from(NUMBERS)))

    def folded(row):
        state = -1.0
        for item in row:
            state = state if item is None else last(state, item)
        return state

    def scanned(row):
        states, state = [], -1.0
        for item in row:
            state = state if item is None else last(state, item)
            states.append(None if item is None else state)
        return states

    got = x.fold(last, -1.0)
    assert_lists_equal(got.as_py() if ndim == 1 else got.to_list(), ref.rows_at(folded, x.to_list(), ndim - 1))
    assert_lists_equal(x.scan(last, -1.0, type="float64").to_list(), ref.rows_at(scanned, x.to_list(), ndim - 1))
    doubled = x.map_items(lambda item: item * 1.0, type="float64")
    assert_lists_equal(doubled.to_list(), x.cast("float64").to_list())


def test_fold(compiling: str) -> None:
    x = aj.array([[1, 2, None, 3], [], None])
    assert x.fold(lambda state, digit: 10 * state + digit, 0).to_list() == [123, 0, None]
    assert x.fold(lambda state, digit: state + digit, aj.array([100, 200, 300])).to_list() == [106, 200, None]
    assert x.fold(lambda state, item: state + item / 2, 0).to_list() == [3.0, 0.0, None]
    assert aj.fold(lambda s, a, b: s + a * b, 0.0, aj.array([[1.0, 2.0], [3.0]]), aj.array([10.0, None])).to_list() == [30.0, None]
    nested = aj.array([[[1, 2], [3]], [], None])
    assert nested.fold(lambda state, item: state + item, 0).to_list() == [[3, 3], [], None]
    assert nested.fold(lambda state, item: state + item, 0, axis=(1, 2)).to_list() == [6, 0, None]


def test_fold_of_structs_and_text(compiling: str) -> None:
    x = aj.zip(price=aj.array([[1.0, 2.0], []]), n=aj.array([[2, 3], []]))
    assert x.fold(lambda state, item: state + item.price * item.n, 0.0).to_list() == [8.0, 0.0]
    with aj.options(compile="never"):
        assert aj.array([["a", "b"], []]).fold(lambda state, item: state + item, ">").to_list() == [">ab", ">"]


def test_scan(compiling: str) -> None:
    x = aj.array([[1, 2, None, 3], [], None, [None], [4]])
    assert x.scan(lambda state, item: state + item, 0).to_list() == [[1, 3, None, 6], [], None, [None], [4]]
    assert x.scan(lambda state, item: state / 2 + item, 0).to_list() == [[1.0, 2.5, None, 4.25], [], None, [None], [4.0]]
    assert x.scan(lambda state, item: state + item, aj.array([10, 0, 0, 0, 20])).to_list()[-1] == [24]
    assert aj.scan(lambda s, a, r: s * r + a, 0.0, aj.array([[1.0, 1.0]]), aj.array([0.5])).to_list() == [[1.0, 1.5]]
    assert aj.array([[None], []], type=pa.int64()).scan(lambda s, i: s + i, 0, type="int64").to_list() == [[None], []]


def test_map_items(compiling: str) -> None:
    x = aj.array([[1, 12, None], [], None])
    assert x.map_items(lambda item: 1 if item > 9 else 0).to_list() == [[0, 1, None], [], None]
    assert aj.map_items(min, x, aj.array([5, 5, 5]), type="int64").to_list() == [[1, 5, None], [], None]
    assert x.map_items(lambda item: np.arange(item) if item < 3 else None).to_list() == [[[0], None, None], [], None]
    assert aj.array(["a", None]).map_items(str.upper, type="string").to_list() == ["A", None]
    assert x.map_items(lambda item, more: item + more, 3).to_list() == [[4, 15, None], [], None]


def test_on_pandas_and_lazily_in_polars() -> None:
    series = pd.Series([[1, 2], [3], []], dtype="jagged[int64, 2]", index=list("abc"))
    assert series.jag.fold(lambda s, i: s + i, 0).to_dict() == {"a": 3, "b": 3, "c": 0}
    assert aj.scan(lambda s, i: s + i, 0, series).jag.to_list() == [[1, 3], [3], []]
    frame = pl.LazyFrame({"v": [[1, 2], [3]], "k": [10, 20]})
    got = frame.select(
        pl.col("v").jag.fold(lambda s, i, k: s + i * k, 0, pl.col("k"), type="int64").alias("fold"),
        pl.col("v").jag.scan(lambda s, i: s + i, 0, type="int64").alias("scan"),
        pl.col("v").jag.map_items(lambda i, k: i + k, pl.col("k"), type="int64").alias("items"),
    )
    assert got.collect().to_dict(as_series=False) == {"fold": [30, 60], "scan": [[1, 3], [3]], "items": [[11, 12], [23]]}


def test_an_error_names_the_row_and_the_missing_item(compiling: str) -> None:
    with pytest.raises(IndexError, match="out of bounds") as caught:
        aj.array([[1], [7]]).fold(lambda state, item: np.arange(5)[item], 0)
    assert caught.value.__notes__ == ["fold: the function failed on row 1"]
    with pytest.raises(aj.JagTypeError, match="map_items needs at least one array"):
        aj.map_items(len, 1)


@given(jagged_arrays(st.integers(1, 3), pa.int8()))
def test_states_agree_with_the_oracle(x: aj.JaggedArray) -> None:
    step = lambda state, item: 3 * state % 1000 + item  # noqa: E731
    data = x.to_list()
    got = x.fold(step, 1, type=pa.int64())
    assert (got.as_py() if isinstance(got, pa.Scalar) else got.to_list()) == ref.fold(step, 1, data, x.ndim)
    assert x.scan(step, 1, type=pa.int64()).to_list() == ref.states(step, 1, data, x.ndim)
    assert x.map_items(lambda item: item % 7, type=pa.int64()).to_list() == ref.map_items(lambda item: item % 7, data, x.ndim)


@given(st.data())
def test_fold_at_every_axis(data: st.DataObject) -> None:
    x = data.draw(jagged_arrays(st.integers(1, 3), pa.int8()))
    axis = data.draw(any_axis(x.ndim).filter(lambda axis: axis != ()))
    step = lambda state, item: 3 * state % 1000 + item  # noqa: E731
    got = x.fold(step, 1, type=pa.int64(), axis=axis)
    assert as_list(got) == ref.fold(step, 1, x.to_list(), x.ndim, axis, x.shape.extents)


def test_fold_across_rows(compiling: str) -> None:
    x = aj.array([[1, 2, 3], [], None, [4]])
    step = lambda state, item, weight: 2 * state + item * weight  # noqa: E731
    assert aj.fold(step, 0, x, aj.array([1, 1, 1, 10]), axis=0).to_list() == [42, 2, 3]
    assert x.fold(lambda state, item: state + item, aj.array([10, 20, 30]), axis=0).to_list() == [15, 22, 33]
    series = x.to_pandas().jag.fold(lambda state, item: state + item, 0, axis=0)
    assert series.tolist() == [5, 2, 3]
    two = aj.array([[1, 2], [3]]).to_pandas(index=["a", "b"])
    assert list(aj.fold(lambda state, item: state + item, 0, two, axis=0).index) == [0, 1]  # as many rows, but others
    frame = pl.LazyFrame({"v": [[[1, 2], [3]], [[4]]]})
    folded = frame.select(pl.col("v").jag.fold(lambda state, item: state + item, 0, type="int64", axis=1))
    assert folded.collect()["v"].to_list() == [[4, 2], [4]]
    assert folded.collect_schema()["v"] == pl.List(pl.Int64)


def test_rows_that_are_null_in_one_array_only(compiling: str) -> None:
    x, y = aj.array([[[1, 2], [3]], None]), aj.array([[[5, 6], None], [[7]]])
    assert aj.fold(lambda state, a, b: state + a * b, 0, x, y).to_list() == [[17, None], None]
    assert aj.fold(lambda state, a, b: state + a * b, 0, x, y, axis=(1, 2)).to_list() == [17, None]
    assert aj.fold(lambda state, a, b: state + a * b, 0, x, y, axis=0).to_list() == [[5, 12], []]


def test_items_of_numbers_and_text_correspond(compiling: str) -> None:
    """A slot that is null in one array, of numbers or of text, is left out of all."""
    x, words = aj.array([[1.0, None, 3.0, 4.0], [5.0], None]), aj.array([["a", "b", None, "d"], ["e"], ["f"]])

    def joined(state, number, word):
        return f"{state}{number:.0f}{word}"

    assert aj.fold(joined, "", x, words).to_list() == ["1a4d", "5e", None]
    assert aj.scan(joined, "", x, words).to_list() == [["1a", None, None, "1a4d"], ["5e"], None]
    assert words.fold(lambda state, word: state + word, "").to_list() == ["abd", "e", "f"]
    assert words.scan(lambda state, word: state + word, "").to_list() == [["a", "ab", None, "abd"], ["e"], ["f"]]


def test_rows_whose_first_state_is_null_are_null(compiling: str) -> None:
    x, starts = aj.array([[1, None, 2], [3], [], []]), aj.array([10.0, None, None, 20.0])
    assert aj.fold(lambda state, item: state + item, starts, x).to_list() == [13.0, None, None, 20.0]
    assert aj.scan(lambda state, item: state + item, starts, x).to_list() == [[11.0, None, 13.0], [None], [], []]
    words = starts.cast("string")
    assert aj.fold(lambda state, item: f"{state[0]}{item}", words, x).to_list() == ["12", None, None, "20"]
    assert aj.scan(lambda state, item: f"{state[0]}{item}", words, x).to_list() == [["11", None, "12"], [None], [], []]


def test_one_text_per_row_or_for_all_rows(compiling: str) -> None:
    """A text is one value, whose letters are no items."""
    counts, words = aj.array([[1, 2], [3], []]), aj.array(["ab", "c", None])

    def repeated(state, count, word):
        return state + count * word

    assert aj.fold(repeated, "", counts, words).to_list() == ["ababab", "ccc", None]
    assert aj.scan(repeated, "", counts, words).to_list() == [["ab", "ababab"], ["ccc"], []]
    assert aj.fold(repeated, "", counts, "xy").to_list() == ["xyxyxy", "xyxyxy", ""]
    assert aj.map_items(lambda count, word: count * word, counts, words).to_list() == [["ab", "abab"], ["ccc"], []]


def test_a_null_operand_gives_null_without_a_call(compiling: str) -> None:
    def fail(*_):
        raise AssertionError

    x = aj.array([[1, 2], [3]])
    for null in (None, pa.scalar(None, pa.int64())):
        assert aj.map_rows(fail, x, null).to_list() == [None, None]
        assert aj.map_items(fail, null, x).to_list() == [[None, None], [None]]
        assert aj.fold(fail, 0, x, null, type="int64").to_list() == [None, None]
        assert aj.scan(fail, 0, x, null).to_list() == [[None, None], [None]]


@pytest.mark.parametrize("rows", [[], [[], []], [None, []], [[None], [None, None]], [[], [None], None]])
def test_scan_of_rows_without_a_valid_item(rows, compiling: str) -> None:
    x = aj.array(rows, type=pa.float64(), ndim=2)
    assert aj.scan(lambda state, item: state + item, 0.0, x).to_list() == rows


def shortened(row):
    """Rows of other lengths than they came: some shorter, some twice as long."""
    return np.concatenate((row, row)) if len(row) == 2 else row[: len(row) // 2]


def none_of_many(row):
    return None if len(row) > 3 else row.sum()


def test_scan_of_no_items_has_the_given_type(compiling: str) -> None:
    found = aj.array([[], None], type=pa.int64()).scan(lambda state, item: state + item, 0, type="int16")
    assert found.type == pa.int16()
    assert found.to_list() == [[], None]


@pytest.mark.parametrize("nulls", ["none", "values", "rows", "both"])
def test_rows_in_several_parts(nulls: str) -> None:
    """Loops over parts of the rows write into one result; parts whose results are of other lengths are joined."""
    pytest.importorskip("numba")
    draw = np.random.default_rng(5)
    lengths = draw.integers(0, 6, 30_000)
    values = pa.array(
        draw.integers(-9, 9, lengths.sum()), mask=draw.random(lengths.sum()) < (0.1 if nulls in ("values", "both") else 0)
    )
    x = aj.from_sizes(values, lengths)
    if nulls in ("rows", "both"):
        x = x.with_validity(0, draw.random(len(x)) < 0.9)
    limits = [None if limit == 0 else limit for limit in draw.integers(0, 3, len(x)).tolist()]
    calls = [
        lambda: aj.map_rows(shortened, x),
        lambda: aj.map_rows(lambda row: row * 2, x),
        lambda: aj.map_rows(none_of_many, x),
        lambda: aj.fold(lambda state, item: state * 3 % 7 + item, 1, x),
        lambda: aj.scan(lambda state, item: state * 3 % 7 + item, 1, x),
        lambda: aj.scan(lambda state, item: state + item * 0.5, 0, x),
        lambda: aj.scan(lambda state, item, limit: state + item > limit, False, x, aj.from_arrow(pa.array(limits))),
        lambda: aj.map_items(lambda item: item % 3, x),
        lambda: aj.map_items(lambda item: None if item > 3 else item, x),
    ]
    for call in calls:
        assert_same_compiled(call)


@pytest.mark.parametrize(
    ("type", "item"),
    [
        (pa.string(), "x"),
        (pa.decimal128(5, 0), decimal.Decimal(1)),
        (pa.time64("us"), dt.time(1)),
        (pa.struct([("a", pa.string())]), {"a": "x"}),
        (pa.dictionary(pa.int8(), pa.string()), "x"),
    ],
)
def test_null_items_are_left_out_whatever_their_type(type: pa.DataType, item: object) -> None:
    x = aj.array([[item, None, item], [None], None, []], type=type, ndim=2)
    assert x.fold(lambda n, one: n + (one == item), 0).to_list() == [2, 0, None, 0]
    assert x.scan(lambda n, one: n + (one == item), 0).to_list() == [[1, None, 2], [None], None, []]
    both = aj.array([[1, 1, None], [1], [1], []], type=pa.int64(), ndim=2)
    assert aj.fold(lambda n, one, k: n + k * (one == item), 0, x, both).to_list() == [1, 0, None, 0]
    assert aj.scan(lambda n, one, k: n + k * (one == item), 0, x, both).to_list() == [[1, None, None], [None], None, []]


def test_slots_without_a_state_hold_0_under_their_nulls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory that was never written must not reach files or hashes of buffers."""
    pytest.importorskip("numba")
    monkeypatch.setattr(row_compiler, "empty", lambda n, dtype: np.full(n, 7, dtype))
    x = aj.array([[1, None, 2], [None, None], [3], [None]], type=pa.int64(), ndim=2)
    with aj.options(compile="always"):
        found = x.scan(lambda state, item: state + item, 0).values
    assert np.frombuffer(found.buffers()[1], np.int64, len(found)).tolist() == [1, 0, 3, 0, 0, 3, 0]


@pytest.mark.parametrize("function", [max, np.maximum, np.add, operator.add])
def test_functions_of_python_and_numpy_are_compiled_beside_nulls(function) -> None:
    pytest.importorskip("numba")
    for x in (aj.array([[3, 1], [5], []]), aj.array([[3, None, 1], [5], None, [None]])):
        assert_same_compiled(lambda x=x: aj.fold(function, 2, x))
        assert_same_compiled(lambda x=x: aj.scan(function, 2, x))


def test_a_first_state_that_the_function_changes_is_that_of_one_row() -> None:
    x = aj.array([[1, 2], [3], []])
    found = x.fold(lambda state, item: state.update(a=state["a"] + item) or state, {"a": 0})
    assert found.to_list() == [{"a": 3}, {"a": 3}, {"a": 0}]


@pytest.mark.parametrize(
    "state", [np.arange, lambda _: np.arange(2), lambda item: [item], lambda item: (item,), lambda item: (item, item)]
)
def test_states_of_a_scan_are_no_rows(state) -> None:
    with pytest.raises(JagTypeError, match=r"scan: a state is one value per item, got (ndarray|list|tuple); use map_rows"):
        aj.array([[1, 2], [3]]).scan(lambda _, item: state(item), 0)


@pytest.mark.parametrize("low", [0, -1])
def test_states_and_results_that_exceed_64_bits_are_refused_alike(low: int) -> None:
    x = aj.array([[1, 2], [3]])
    for call in (x.scan, x.fold):
        with pytest.raises(JagTypeError, match="can't be converted to"):
            call(lambda _, item: 2**63 if item > 1 else low, 0)
    assert x.scan(lambda _, item: np.uint64(2**63), 0).type == pa.uint64()


def test_none_as_the_first_state_of_every_row_is_passed_on() -> None:
    x = aj.array([[1, 2], [], [3]])
    add = lambda state, item: item if state is None else state + item  # noqa: E731
    assert x.fold(add, None).to_list() == [3, None, 3]
    assert x.scan(add, None).to_list() == [[1, 3], [], [3]]
    assert x.fold(add, aj.array([None, 7, 1])).to_list() == [None, 7, 4]


def test_functions_of_categories_get_the_values_as_other_functions_do() -> None:
    seven = pa.array([7, 8, 7]).dictionary_encode()
    x = aj.from_arrow(pa.LargeListArray.from_arrays([0, 2, 3], seven))
    assert x.map_items(lambda item: type(item).__name__).to_list() == [["int64", "int64"], ["int64"]]
    start = aj.from_arrow(seven[:2])
    assert x.fold(lambda state, _: f"{type(state).__name__}", start)[1].as_py() == "int64"


def test_a_function_of_nested_rows_gets_the_flags_of_nulls() -> None:
    x = aj.array([[[1], [2]], [None, [3], []], [], None])
    given = []
    found = x.map_rows(lambda rows, valid: given.append((rows, valid.tolist())) or len(rows), axis=1, skip_nulls=False)
    assert found.to_list() == [2, 3, 0, None]
    assert given == [([[1], [2]], [True, True]), ([None, [3], []], [False, True, True]), ([], [])]


@pytest.mark.filterwarnings("ignore:overflow encountered")
@pytest.mark.parametrize("name", ["map_items", "map_rows", "fold", "scan"])
def test_integers_that_wrap_around_are_compared_as_they_are(name: str) -> None:
    # The first rows, which run in both ways, hold none of them.
    pytest.importorskip("numba")
    x = aj.from_sizes(np.repeat([1, 2**63 - 1], [900, 300]), [3] * 400)
    calls = {
        "map_items": lambda: x.map_items(lambda v: v + 1 > v),
        "map_rows": lambda: x.map_rows(lambda row: (row + 1 > row).sum()),
        "fold": lambda: x.fold(lambda total, v: total + (v + 1 > v), 0),
        "scan": lambda: x.scan(lambda total, v: total + (v + 1 > v), 0),
    }
    with aj.options(compile="never"):
        expected = calls[name]().to_list()
    with aj.options(compile="always"):
        assert calls[name]().to_list() == expected


@given(prefix_arrays((3, 2)))
def test_rows_that_are_null_in_a_shorter_array_are_null(pair: tuple[aj.JaggedArray, ...]) -> None:
    x, y = pair
    counts = (x.count() + y).to_list()
    with aj.options(compile="never"):
        assert aj.map_rows(lambda row, one: len(row) + one, x, y, type="int64").to_list() == counts
        assert aj.fold(lambda state, _: state + 1, y, x).to_list() == counts
        assert aj.scan(lambda state, _: state + 1, y, x).to_list() == (x.cumcount() + y).to_list()


@pytest.mark.parametrize("place", [0, 5, 11])
@pytest.mark.parametrize("null", [2.0, None])
@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("fold", lambda state, v: state + float(int(v) * int(v) % 1000)),
        ("scan", lambda _, v: float(int(v) * int(v) % 1000)),
    ],
)
def test_items_are_compared_wherever_they_are_in_their_row(name: str, function, place: int, null: float | None) -> None:
    """Later states may hide the difference, here of a square of more than 64 bits, and long rows run in both ways in parts."""
    pytest.importorskip("numba")
    usual = [1.0, null, 3.0] * 4
    x = aj.array([usual] * 4 + [[*usual[:place], 2.0**40, *usual[place + 1 :]], usual], type=pa.float64())
    with aj.options(compile="never"):
        expected = getattr(x, name)(function, 9.0)
    with strategy.force(INTERPRETED_ROWS=2, INTERPRETED_ITEMS=3, SPREAD_ROWS=1):
        with aj.options(compile="always"), pytest.warns(JagWarning, match=r"numba's result is .*, Python's .* on row 4$"):
            found = getattr(x, name)(function, 9.0)
        assert found.equals(expected)
        alike = aj.array([usual, [None] * 4 + usual, usual], type=pa.float64())
        assert_same_compiled(lambda: getattr(alike, name)(function, 9.0))
