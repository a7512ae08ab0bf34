"""Errors name the method that was called, and a row of nested arrays by its path, whichever code raises them."""

from __future__ import annotations

import datetime as dt
import pickle
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import arrowjag as aj
from arrowjag._methods import METHODS

LARGE = 2**62 + 1  # no float64 equals it
X = aj.array([[[1], [2, 3]], [[4], [], [5, 6]]])
SUMS = aj.array([[[1], [2, 3]], [[4], [], [LARGE, LARGE]]])
SQUARE = aj.array([[[1]], [[1, LARGE], [1, LARGE]]])
STEPS = aj.array([[[1], [2, 3]], [[4], [], [2**64 - 1, 0]]], type=pa.uint64())
DECIMALS = aj.array([[[1], [2, 3]], [[4], [], [Decimal("9" * 38), 1]]], type=pa.decimal128(38, 0))
NINES = aj.array([[[1], [2, 3]], [[4], [], [Decimal("9" * 38), 9]]], type=pa.decimal128(38, 0))
UNORDERED = aj.array([[[1], [2, 3]], [[4], [], [9, 8]]])
NOT_ALL = aj.array([[[[1], [1]]], [[[1], [1, 2]]]])
GRADES = aj.array([[["1"], ["2", "3"]], [["4"], [], ["5", "5"]]]).cast(pa.dictionary(pa.int8(), pa.string(), ordered=True))
TIMES = aj.array([["2020-01-01"], ["2020-01-01", "2020-01-01 00:02", "2020-01-01 00:02"]]).cast("timestamp[us]")

FAULTS: dict[str, tuple[Callable[[], Any], str]] = {
    "sum": (SUMS.sum, "sum: integer overflow, the result of row [1][2] does not fit int64"),
    "sum of several axes": (lambda: SUMS.sum(axis=(1, 2)), "the result of row 1 does not fit"),
    "sum of an outer axis": (lambda: SQUARE.sum(axis=1), "the result of row [1][1] does"),
    "sum of all": (lambda: SUMS.sum(axis=None), "the result of the frame does not fit"),
    "prod": (SUMS.prod, "the result of row [1][2] does not fit"),
    "cumsum": (SUMS.cumsum, "cumsum: integer overflow, the result of row [1][2] does not fit"),
    "cumsum of several axes": (lambda: SUMS.cumsum(axis=(1, 2)), "the result of row 1 does not fit"),
    "cumsum of an outer axis": (
        lambda: SQUARE.cumsum(axis=1),
        "the result of row [1][1] does",
    ),
    "cumprod": (SUMS.cumprod, "the result of row [1][2] does not fit"),
    "dot, a sum": (lambda: SUMS.dot(X * 0 + 1), "dot: integer overflow, the result of row [1][2] does not fit int64"),
    "dot, a product": (lambda: SUMS.dot(SUMS), "dot: integer overflow, a product of row [1][2] does not fit int64"),
    "diff": (STEPS.diff, "diff: integer overflow, the result of row [1][2] does not fit"),
    "gaps": (STEPS.gaps, "gaps: integer overflow, the result of row [1][2] does not fit"),
    "rolling_sum": (lambda: SUMS.rolling_sum(2), "rolling sum: integer overflow, the result of row [1][2] does not fit"),
    "rolling by time": (lambda: X.rolling(2, on=UNORDERED).sum(), "in row [1][2]; sort the row by it first"),
    "decimals, sum": (DECIMALS.sum, "sum: a result of row [1][2] does not fit decimal128(38, 0)"),
    "decimals, cumsum": (DECIMALS.cumsum, "cumsum: a result of row [1][2] does not fit"),
    "decimals, cumprod": (NINES.cumprod, "cumprod: the product in row [1][2] does not fit"),
    "cast": (lambda: SUMS.cast("int8"), "cast: row [1][2] holds 4611686018427387905"),
    "cast of text": (lambda: aj.array([[["1"]], [[], ["x"]]]).cast("int64"), "cast: row [1][1] holds 'x'"),
    "interp": (lambda: aj.interp(SUMS, SUMS, SUMS), "interp: row [1][2] holds 4611686018427387905"),
    "mean with weights": (lambda: X.mean(weights=-UNORDERED), "weights must not be negative, got -1 in row [0][0]"),
    "cdf with weights": (lambda: X.cdf(weights=UNORDERED - 4), "weights must not be negative, got -3 in row [0][0]"),
    "sample with weights": (lambda: X.sample(n=1, weights=9 - X * X, seed=0), "got -7 in row [1][0]"),
    "bincount": ((5 - X).bincount, "bincount: items must not be negative, got -1 in row [1][2]"),
    "histogram of infinite items": (lambda: (X / (6 - X)).histogram(2), "histogram: row [1][2] holds an infinite number"),
    "histogram with edges of rows": (lambda: X.histogram(UNORDERED), "but those of row [1][2] don't"),
    "translate": (lambda: X.translate(X // 2 * 2 // 4, X), "translate: keys_from has equal keys in row [0][1]"),
    "nearest": (lambda: X.nearest([[1.0]]), "but row [0][1] has 2"),
    "matmul, not a matrix": (
        lambda: NOT_ALL.matmul(NOT_ALL),
        "matmul: row [1][0] of x is not a matrix",
    ),
    "inverse_permutation": ((X * 0 + 5).inverse_permutation, "position 5 is out of range in row [0][0]"),
    "map_rows": (lambda: X.map_rows(lambda row: [][len(row) - 2 :][0] if len(row) else 0), "failed on row [0][0]"),
    "map_rows of an outer axis": (lambda: X.map_rows(lambda rows: 1 // (len(rows) - 3), axis=1), "failed on row 1"),
    "fold": (lambda: X.fold(lambda state, item: state + 1 // int(item - 6), 0), "fold: the function failed on row [1][2]"),
    "map_items": (lambda: X.map_items(lambda item: 1 // int(item - 6)), "map_items: the function failed on item [1][2][1]"),
    "an integer power": (lambda: X ** (5 - X), "power: in row [1][2], an integer to a negative integer power"),
    "decimals, multiply": (lambda: DECIMALS * DECIMALS, "multiply: in row [1][2], the result of decimal128(38, 0) and"),
    "durations": (
        lambda: X.cast("duration[s]") * X.cast("float64") ** 24,
        "multiply: in row [1][2], a result does not fit",
    ),
    "categories": (lambda: X.cast("string") == GRADES, "equal: in row [1][2], '6' is not one of the ordered categories"),
    "a function of pyarrow": (lambda: aj.apply("divide", X, 6 - X), "apply: divide: in row [1][2], divide by zero"),
    "fractions": (lambda: aj.array([[[1]], [[], [1.5]]], type="int8"), "array: row [1][1] holds 1.5, which is not a valid int8"),
    "a field of a time": ((SUMS // 4).cast("timestamp[s]").dt.year, "dt.year: in row [1][2], a time is outside"),
    "dt.timestamp": (lambda: (SUMS // 4).cast("timestamp[s]").dt.timestamp("ns"), "dt.timestamp: in row [1][2], a time"),
    "dt.ceil": (lambda: (X * 14_399).cast("int32").cast("time32[s]").dt.ceil("1h"), "dt.ceil: in row [1][2], a time of day"),
    "repeat by null": (lambda: X.repeat(STEPS.replace(0, None)), "repeat: in row [1][2], a size is null"),
    "repeat by less than no times": (lambda: X.repeat(5 - X), "repeat: in row [1][2], a size is -1"),
    "sample with weights of NaN": (
        lambda: X.sample(n=1, weights=(X / 0) * (6 - X), seed=0),
        "sample: weights must be numbers, got NaN in row [1][2]",
    ),
    "matmul, an overflow": (
        lambda: SUMS.unsqueeze(2).matmul(SUMS.unsqueeze(3)),
        "matmul: integer overflow, a result of row [1][2] does not fit int64",
    ),
    "bmm of other rows": (lambda: aj.dense.bmm(X[0], X[1][:2]), "bmm: row sizes differ: row 1 has 2 items of"),
    "bmm, an overflow": (lambda: aj.dense.bmm(SUMS[1], SUMS[1]), "bmm: integer overflow: a sum of products in row 2 does not"),
    "dense matmul, an overflow": (lambda: aj.dense.matmul(SUMS[1], [[2]]), "matmul: integer overflow: a sum of products in row 2"),
    "transpose": (lambda: X.transpose(1, 2), "will shear: dim 2, row 1 has 2 items and is longer than the one before it, of 1"),
    "to_numpy": (X[0].to_numpy, "in dim 1 of JaggedShape(2, [1, 2]), row 0 has 1 item and row 1 has 2"),
    "to_numpy of a null row": (aj.array([[1], None]).to_numpy, "in dim 1 of JaggedShape(2, [1, 0]), row 1 is null"),
    "expand": (lambda: X[0].expand(-1, [1, 3]), "expand of JaggedShape(2, [1, 2]): dim 1, row 1 has 2 items, got the size 3"),
    "positions of a flat array": (
        aj.array([5, 0]).inverse_permutation,
        "position 5 is out of range in the frame",
    ),
    "resample": (
        lambda: aj.resample(TIMES, aj.array([[1], [2, LARGE, LARGE]]), "1m", "sum"),
        "resample: sum: integer overflow, the result of bucket [1][2] does not fit int64",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_rows_are_named_by_their_path(name: str) -> None:
    call, text = FAULTS[name]
    with pytest.raises((aj.JagError, ZeroDivisionError, IndexError)) as caught:
        call()
    assert text in "\n".join([str(caught.value), *getattr(caught.value, "__notes__", ())])
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_an_error_about_an_argument_names_no_row() -> None:
    calls = (
        lambda: X**-1,
        lambda: GRADES == "6",
        lambda: aj.array(dt.time(23, 59)).dt.ceil("1h"),
        lambda: aj.apply("equal", TIMES, TIMES.dt.tz_localize("UTC")),  # pyarrow compares no types if there are no items
    )
    for call in calls:
        with pytest.raises(aj.JagValueError, match=r"^(?!.*in row)"):
            call()


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda: aj.array([[1], [2**70]]),
            "at [1][0] does not fit int64, and not all items fit uint64",
        ),
        (lambda: aj.array([[1], [2**70]], type="int64"), "the item 1180591620717411303424 at [1][0] does not fit int64"),
        (lambda: aj.JaggedShape(2, [1, 2], [1, None, 2]), "dim 2: size at position 1 must be an int, got None"),
        (lambda: aj.zeros(2, True), "zeros: dim 1: a dim must be an int"),
        (lambda: aj.JaggedShape.from_offsets([0, 2], [0, 1]), "dim 1: 2 offsets for 1 row, but dim 0 has 2 items"),
        (lambda: aj.JaggedShape.from_offsets([0, 1, 2]), "dim 0: 3 offsets for 2 rows, but dim 0 has one row"),
        (lambda: aj.JaggedShape.from_parents(([0], 1), ([0], 2)), "dim 1: n_parents is 2, but dim 0 has 1 item"),
        (lambda: aj.from_offsets([1], [0, 2], [0, 1]), "offsets[0]: the last offset (slot 1) is 2, but offsets[1] have 1 row"),
        (lambda: aj.sequences.pad_batch(X[0], fill="a"), "pad_batch: fill must be one value of type int64"),
        (lambda: np.linalg.norm(X[0]), "numpy.linalg.norm runs on numpy arrays"),
    ],
)
def test_errors_name_the_argument_that_they_are_about(call: Callable[[], Any], text: str) -> None:
    with pytest.raises(aj.JagError, match=re.escape(text)):
        call()


def test_the_note_of_a_flat_array_names_its_only_row() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        aj.array([1, 2]).map_rows(lambda row: 1 // (len(row) - 2))
    assert caught.value.__notes__ == ["map_rows: the function failed on row 0"]


def test_an_error_keeps_its_row_when_renamed_and_pickled() -> None:
    error = aj.JagOverflowError("sum: the result of row 3 is too large", row=3)
    for one in (error.renamed("dot", "sum"), pickle.loads(pickle.dumps(error.renamed("dot", "sum")))):  # of our own
        assert (type(one), str(one), one.row) == (aj.JagOverflowError, "dot: the result of row 3 is too large", 3)
        assert str(one.in_row("row [1][0]")) == "dot: the result of row [1][0] is too large"
    plain = aj.JagValueError("no row 3 here")
    assert plain.in_row("row [1][0]") is plain


RECEIVERS = {"": aj.array([[1.5], [2.0]]), "str": aj.array([["a"]])}


@pytest.mark.parametrize("name", [name for name, method in METHODS.items() if method.arrays])
def test_an_argument_of_a_wrong_type_is_an_error_of_the_method(name: str) -> None:
    method = METHODS[name]
    positional, keywords = [], {}
    for parameter in list(method.signature.parameters.values())[1:]:
        if parameter.kind is parameter.VAR_POSITIONAL:
            positional.append(object())
        elif parameter.name in method.arrays or parameter.kind is parameter.VAR_KEYWORD:
            keywords[parameter.name] = object()
        elif parameter.default is parameter.empty:
            keywords[parameter.name] = 1
    if positional:
        positional, keywords = [*keywords.values(), *positional], {}
    with pytest.raises(aj.JagTypeError, match=f"^{re.escape(name)}(: | takes | needs )"):
        method.function(RECEIVERS[name.rpartition(".")[0]], *positional, **keywords)


BORROWED: dict[str, tuple[Callable[[], Any], str]] = {
    "a bound of another shape": (lambda: X.clip(X[:1]), "clip: JaggedShape(1, 2, [1, 2]) is not a prefix of"),
    "a default of another shape": (lambda: X.get(9, [1, 2, 3]), "get: JaggedShape(3)"),
    "a fill of another shape": (lambda: X.shift(fill=[1, 2, 3]), "shift: JaggedShape(3) is not a prefix of"),
    "items of several types": (lambda: X.append([1, "a"]), "append: the item 'a' at [1] does not fit the leaf type int64"),
    "a type that does not exist": (lambda: X.cast("abc"), "cast: expected an Arrow type, its name or a numpy dtype"),
    "a size that is text": (lambda: X.reshape("abc"), "reshape: dim 0: a dim must be an int, a list of sizes, a Dim or a pattern"),
    "a window": (lambda: X.rolling_sum(0), "rolling: window must be at least 1, got 0"),
    "a weight": (lambda: X.ewm_mean(alpha=-1), "ewm: alpha must be more than 0 and at most 1, got -1"),
    "operands of a free function": (lambda: aj.zip(a=[1, "a"]), "zip: the item 'a' at [1]"),
}


@pytest.mark.parametrize("name", BORROWED)
def test_an_error_names_the_method_and_not_what_it_is_made_of(name: str) -> None:
    call, text = BORROWED[name]
    with pytest.raises(aj.JagError, match=f"^{re.escape(text)}"):
        call()


def test_an_error_of_the_callers_function_keeps_its_name() -> None:
    with pytest.raises(aj.JagIndexError, match=r"^sum: axis 5 is out of range"):
        X.map_rows(lambda row: aj.array(row).sum(axis=5))


TEXT = aj.array([["a"], ["b", "c"]])
DATES = aj.array([[dt.date(2020, 1, 1)], [None, dt.date(1969, 12, 31)]])


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: TEXT + 1, "add has no kernel for string and int64. Cast text to numbers first"),
        (lambda: TEXT.dot(aj.array([1, 2])), "dot has no kernel for string and int64. Cast text to numbers first"),
        (
            lambda: aj.zip(a=TEXT) * 2,
            "multiply has no kernel for struct<a: string> and int64. Pick a field first",
        ),
        (
            DATES.sum,
            'sum has no kernel for date32[day]. Dates have min, max, mean, quantiles and diff; cast to "int64" first',
        ),
        (lambda: DATES + 1, "add has no kernel for date32[day] and int64. Pass a time or a duration in place of the number"),
        (
            lambda: DATES + pa.scalar(pa.MonthDayNano([1, 0, 0])),
            "add has no kernel for date32[day] and month_day_nano_interval. Months differ in length: use a duration",
        ),
        (lambda: DATES > TEXT, "greater has no kernel for date32[day] and string. Convert text to times first"),
        (lambda: aj.array([[b"a"]]).mean(), "mean has no kernel for binary. Bytes have min, max, count, mode."),
    ],
)
def test_types_without_a_kernel_get_advice_in_place_of_the_words_of_pyarrow(call: Callable[[], Any], text: str) -> None:
    with pytest.raises(aj.JagTypeError, match=f"^{re.escape(text)}(?!.*Function)"):
        call()


def test_ufuncs_without_a_kernel_do_not_show_the_classes_of_numpy() -> None:
    with pytest.raises(aj.JagTypeError, match=r"^gcd has no kernel for double and double\.$"):
        np.gcd(aj.array([[1.5]]), 2.0)


LONG = "x" * 5000
BIG = [*range(100_000), "a"]


@pytest.mark.parametrize(
    "call",
    [
        lambda: aj.array([[LONG]]).cast("int64"),
        lambda: aj.array([[LONG]]).str.to_number("int64"),
        aj.array([[LONG]]).str.to_datetime,
        lambda: aj.array([["a"]]).append(LONG + "\ud800"),
        lambda: X.quantile(aj.array([BIG[:-1]])),
        lambda: X.cut(BIG),
        lambda: X.histogram(3, range=np.zeros((300, 300))),
        lambda: X.cast(BIG),
        lambda: X.replace(1, LONG),
        lambda: X.reshape({*BIG}),
        lambda: X.reshape(LONG),
        lambda: X.to_dense(fill_value=BIG),
        lambda: aj.sequences.bucket(X.flatten(1), BIG[-2::-1]),
        lambda: aj.array(LONG.encode, ndim=2),
    ],
)
def test_values_of_any_size_are_one_short_line_of_a_message(call: Callable[[], Any]) -> None:
    with pytest.raises(aj.JagError, match=r"^.{1,349}\Z"):
        call()


def _assign_by_koda() -> None:
    X.S[0] = 1


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (_assign_by_koda, r"arrays are immutable, and `set` returns a new one"),
        (
            lambda: X.rolling(2, min_samples=1),
            r"^rolling: got .* 'min_samples'; the signature is rolling\(window, min_periods=None",
        ),
        (
            lambda: aj.array([[{"a": 1}, {"a": "x"}]]),
            r"^array: the item \{'a': 'x'\} at \[0\]\[1\] does not fit the leaf type struct",
        ),
        (lambda: aj.array(np.array([1j])), r"dtype complex128; pass \.real and \.imag"),
        (lambda: X.cast("flaot64"), r"got 'flaot64': 'flaot64' is not the name of an Arrow type; did you mean 'float64'\?$"),
        (lambda: X.cast("struct<a: int64>"), r"^cast: int64 can't be cast to struct<a: int64>$"),
        (lambda: aj.array([[{"b": 1}]]).sum(), r"Pick a field first, such as x\['b'\]"),
        (lambda: aj.array([[Decimal(1)]]).all(), r"^all has no kernel for decimal128\(1, 0\)\. Cast decimals to floats"),
        (lambda: (X > 1).apply("abs"), r"^apply: abs has no kernel for bool\. Cast booleans to integers"),
        (lambda: X.topk(X), r"^topk: k must be an int, got JaggedArray; give one value for all rows$"),
        (lambda: TEXT.str.removeprefix(TEXT), r"p must be a str, got JaggedArray; give one value for all rows$"),
        (lambda: X["a", 0], r"got str; the name of a field stands alone: x\['a'\]$"),
        (lambda: X.insert(1, X), r"^insert: v has 3 dims, JaggedShape\("),
        (lambda: aj.from_json(["[1"], "int64"), r"^from_json: row 0 holds '\[1', which is not JSON of type int64$"),
        (
            lambda: aj.read_parquet(["delta://x"]),
            r"delta://x names a table, which is no folder of files: aj\.read_parquet reads it",
        ),
    ],
)
def test_errors_say_what_to_write_instead(call: Any, said: str) -> None:
    with pytest.raises((aj.JagTypeError, ValueError), match=said):
        call()


def test_indexers_are_shown() -> None:
    assert repr(aj.array([[1, 2], [3]]).S) == "KodaIndexer of JaggedShape(2, [2, 1])"


def test_counts_in_messages_agree_with_their_nouns() -> None:
    x, flat, text = aj.array([[1, 2], [3]]), aj.array([1]), aj.array([[["a"]]])
    calls: list[Callable[[], Any]] = [
        lambda: flat.sum(axis=1),
        lambda: aj.JaggedShape(1)[1],
        lambda: flat.reshape(2),
        lambda: x.expand(1),
        lambda: x.permute(0),
        lambda: x.pad(3, text, axis=1),
        lambda: aj.from_json(text, "int64"),
        lambda: aj.dims.Ragged([2])[1],
        lambda: aj.dense.from_dense([1, 2], flat.shape),
        lambda: x.with_validity(1, [True]),
    ]
    for call in calls:
        with pytest.raises(aj.JagError, match=r"^(?!.*\b1 (?!is\b)\w+s\b)"):
            call()


def test_messages_of_other_libraries_are_one_line_without_colours() -> None:
    assert aj.errors.joined_lines(ValueError("\x1b[1;31mno\x1b[0m\n  such\tfile ")) == "no such file"


def test_unknown_options_are_named() -> None:
    with pytest.raises(TypeError, match=r"^options\(\) got an unexpected keyword argument 'foo'$"):
        aj.options(foo=1)  # type: ignore[call-arg]
