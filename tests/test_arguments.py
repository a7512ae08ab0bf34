"""Arguments of a wrong type are refused by every surface as by the array, by name, before anything is computed."""

from __future__ import annotations

import contextlib
import importlib
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import arrowjag as aj
from arrowjag._column import Column
from arrowjag._methods import METHODS
from arrowjag.errors import JagError, JagIndexError, JagMemoryError, JagRangeError, JagTypeError, JagValueError, ShapeError
from tests.hosts import pd
from tests.surfaces import SURFACES, Surface

CALLS: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "transpose": ((None, 1), {}),
    "permute": (("a", 0), {}),
    "flatten": (("a",), {}),
    "sum": ((), {"axis": "a"}),
    "cumsum": ((), {"axis": 1.5}),
    "head": ((), {"n": "a"}),
    "round": (("a",), {}),
    "max": ((), {"min_count": "a"}),
    "std": ((), {"ddof": None}),
    "mean": ((), {"min_count": 1.5}),
    "rolling_sum": ((True,), {}),
    "combinations": ((2.0,), {}),
    "topk": (("a",), {}),
}


@pytest.mark.parametrize("surface", SURFACES.values(), ids=list(SURFACES))
@pytest.mark.parametrize("name", CALLS)
def test_wrong_types(surface: Surface, name: str) -> None:
    args, options = CALLS[name]
    for x in (aj.array([[1.5, 2.0], [3.0]]), aj.array([[1.5]])[:0]):
        with pytest.raises(JagTypeError, match=r"\bint, got"):
            surface(x, name, *args, **options)


@pytest.mark.parametrize("surface", SURFACES.values(), ids=list(SURFACES))
@pytest.mark.parametrize("name", ["topk", "pad", "combinations", "round"])
def test_numbers_beyond_64_bits(surface: Surface, name: str) -> None:
    x = aj.array([[1.5, 2.0], [3.0]])
    for number in (2**63, 2**70):
        with pytest.raises(JagValueError, match=f"^{name}: |: {name}: "):
            surface(x, name, number)


def test_text_without_utf_8_is_refused_by_name() -> None:
    """Half a surrogate pair, whether few strings are looked at, many or none."""
    half = "a\udc80"
    x, times = aj.array([["a", "b"], []]), aj.array([[1]]).cast(pa.timestamp("us"))
    calls = {
        **{
            f"str.{name}": getattr(x.str, name) for name in ("find", "count", "contains", "match", "split", "removeprefix", "strip")
        },
        "str.startswith": x.str.startswith,
        "str.to_datetime": x.str.to_datetime,
        "join": x.join,
        "fill_null": x.fill_null,
        "equal": lambda text: x == text,
        "zip": lambda text: aj.zip(**{text: x}),
        "dt.strftime": times.dt.strftime,
        "dt.tz_localize": times.dt.tz_localize,
        "an index": lambda text: aj.zip(b=x)[text],
    }
    for name, call in calls.items():
        with pytest.raises(JagValueError, match=rf"^{name}: 'a\\udc80' holds '\\udc80' at 1, which UTF-8 can't encode"):
            call(half)
    with pytest.raises(JagValueError, match="can't encode"):
        x[:0].str.removeprefix(half)


def test_encoding_errors_of_a_callers_function_stay() -> None:
    def encode(items: Any) -> bytes:
        return "\udc80".encode()

    with pytest.raises(UnicodeEncodeError) as caught:
        aj.array([[1], [2]]).map_rows(encode, type=pa.binary())
    assert "row" in caught.value.__notes__[0]


def test_invalid_masks_tables_functions_and_positions_are_refused() -> None:
    x = aj.array([[1, 2], [3]])
    with pytest.raises(JagTypeError, match="takes a flat mask, one bool per item, got bool"):
        x.with_validity(0, True)
    with pytest.raises(ShapeError, match="table of keys needs rows, got a single value"):
        x.translate(1, 2)
    with pytest.raises(JagTypeError, match="takes a function, got str"):
        x.map_rows("len", "int64")
    with pytest.raises(JagTypeError, match="expected an Arrow type"):
        x.map_rows(len, "a")
    with pytest.raises(JagMemoryError, match="GB; this process may use"):
        x.repeat([[2**60, 0], [2**62]])
    for index in (2**63, -(2**63) - 1):
        with pytest.raises(JagIndexError, match=str(index)):
            x.take(index)


PUBLIC = ("dense", "etl", "io", "plot", "sequences", "shapes")
"""Modules of public functions."""

PLACEHOLDERS = {"bool": True, "str": "a", "int": 1, "float": 1.0}
"""Values of the right type for the other parameters."""

X = aj.array([[1.5, 2.0], [3.0]])

FOREIGN = [np.array([1, 2]), np.array([]), np.timedelta64(1, "D"), {"a": 1}, [[1], [2]], object(), slice(None), len, pa.array([1])]
"""Arguments without truth value, without hash, or that only numpy takes for a number."""


def typed_parameters() -> list[tuple[str, str]]:
    """The parameters of all methods that take a flag, a word, an integer or a number, and those named axis."""
    found = []
    for name, one in METHODS.items():
        for parameter in list(one.signature.parameters.values())[1:]:
            written = str(parameter.annotation).replace("builtins.", "").removesuffix(" | None")
            if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY) and (
                written in PLACEHOLDERS or is_of_words(written) or parameter.name == "axis"
            ):
                found.append((name, parameter.name))
    return found


def is_of_words(annotation: str) -> bool:
    """Whether a parameter takes one of a few words: its annotation is a `Literal`, or a name of one."""
    return annotation.startswith("Literal[") or hasattr(getattr(aj.typing, annotation, None), "__args__")


def required_by(name: str) -> dict[str, Any]:
    """Values of the right type for the required arguments of a method."""
    return {
        key: PLACEHOLDERS.get(str(known.annotation).replace("builtins.", "").removesuffix(" | None"), X)
        for key, known in list(METHODS[name].signature.parameters.items())[1:]
        if known.default is known.empty and known.kind in (known.POSITIONAL_OR_KEYWORD, known.KEYWORD_ONLY)
    }


@pytest.mark.parametrize(("name", "parameter"), typed_parameters())
def test_every_typed_parameter_of_every_method_is_checked(name: str, parameter: str) -> None:
    """Before anything else is computed: the array and the other arguments are not even looked at."""
    for wrong in FOREIGN:
        if parameter == "axis" and isinstance(wrong, list):
            continue
        with pytest.raises(JagTypeError, match=rf"^{name}: {parameter} must be a"):
            METHODS[name].function(X, **{**required_by(name), parameter: wrong})


@pytest.mark.parametrize(
    ("name", "parameter"),
    [(name, one) for name, one in typed_parameters() if is_of_words(str(METHODS[name].signature.parameters[one].annotation))],
)
def test_unknown_words_are_refused_with_those_that_are_known(name: str, parameter: str) -> None:
    for wrong in ("", "Raise"):
        with pytest.raises(JagValueError, match=rf"^{name}: {parameter} must be '.* or '.*', got '{wrong}'"):
            METHODS[name].function(X, **{**required_by(name), parameter: wrong})


@pytest.mark.parametrize("surface", SURFACES.values(), ids=list(SURFACES))
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("sum", {"axis": np.array([0, 1])}),
        ("sum", {"skip_nulls": np.array([True, False])}),
        ("sort", {"descending": np.array([])}),
        ("quantile", {"q": 0.5, "interpolation": ["linear"]}),
        ("head", {"n": np.timedelta64(1, "D")}),
        ("concat", {"axis": {1: 2}}),
    ],
)
def test_arguments_without_truth_or_hash(surface: Surface, name: str, options: dict[str, Any]) -> None:
    with pytest.raises(JagTypeError, match=f"{name}: |int, got"):
        surface(aj.array([[1.5, 2.0], [3.0]]), name, **options)


def test_positional_arguments_are_checked_too() -> None:
    x = aj.array([["a"]])
    for call in (
        lambda: x.str.zfill(2**63),
        lambda: x.str.slice(0, 2**200, 2),
        lambda: x.str.repeat(2**64),
        lambda: x.shift(-(2**63)),
    ):
        with pytest.raises(JagRangeError, match="must fit 64 bits"):
            call()
    for wrong in (3, slice(None), x):
        with pytest.raises(JagTypeError, match="apply takes a function or the name of one"):
            x.apply(wrong)
    with pytest.raises(JagTypeError, match="got the class str"):
        aj.array(str)


def test_lists_of_unequal_lengths_where_numbers_are_expected() -> None:
    x, ragged = aj.array([[1.0, 2.0]]), [[1], [2, 3]]
    calls = {
        "bucket": lambda: aj.sequences.bucket(x, ragged),
        "lomb_scargle": lambda: aj.lomb_scargle(x, x, ragged),
        "histogram": lambda: x.histogram(ragged),
        "digitize": lambda: x.digitize(ragged),
        "nearest": lambda: x.nearest(ragged),
        "add": lambda: aj.dense.add(x, ragged),
        "matmul": lambda: aj.dense.matmul(x, ragged),
        "from_dense": lambda: aj.dense.from_dense(ragged, [2]),
    }
    for name, call in calls.items():
        with pytest.raises(ShapeError, match=rf"^{name}: .*expected numbers in rows of one size"):
            call()


@pytest.mark.parametrize("size", [2**31, 2**62])
def test_extents_that_arrow_has_no_type_for(size: int) -> None:
    """Arrow counts the items of a fixed-size list in 32 bits."""
    x = aj.array([[1, 2], [3]])
    assert x.windows(size).to_arrow().to_pylist() == [[], []]
    assert x.windows(size).to_polars().to_list() == [[], []]
    assert aj.JaggedShape(0, size).extents[1] is None
    assert aj.JaggedShape(0, 2**31 - 1).extents[1] == 2**31 - 1


FLAT, NESTED = [1, 2, 3], np.zeros((2, 2), int)
REFUSED: dict[str, tuple[Any, str]] = {
    "arange: start": (lambda: aj.arange(2, start="a"), "arange: start must be an int, got str"),
    "random: seed": (lambda: aj.random(2, seed="a"), "random: seed must be an int, got str"),
    "random: negative seed": (lambda: aj.random(2, seed=-1), "random: seed must not be negative, got -1"),
    "from_arrow": (lambda: aj.from_arrow(None), "expected a sequence of values, got None"),
    "from_arrow: text": (lambda: aj.from_arrow("abc"), "expected a sequence of values, got 'abc'"),
    "from_arrow: ndim": (lambda: aj.from_arrow(pa.array([[1]]), ndim="a"), "ndim must be an int, got str"),
    "from_sizes": (lambda: aj.from_sizes(1, [1]), "expected a sequence of values, got 1"),
    "from_parents: rows": (lambda: aj.from_parents(FLAT, [0, 0, 1], -1), "from_parents: n_parents must not be negative, got -1"),
    "from_parents: no number": (
        lambda: aj.from_parents(FLAT, [0, 0, 1], None),
        "from_parents: n_parents must be an int, got NoneType",
    ),
    "from_parents: one parent": (lambda: aj.from_parents(FLAT, 0, 1), "parents must be a flat sequence of integers, got 0"),
    "from_parents: nested": (lambda: aj.from_parents(FLAT, NESTED, 1), "parents must be a flat sequence of integers"),
    "from_offsets: a number": (lambda: aj.from_offsets(FLAT, 3), r"offsets\[0\] must be a flat sequence of integers, got 3"),
    "from_offsets: nested": (lambda: aj.from_offsets(FLAT, NESTED), r"offsets\[0\] must be a flat sequence of integers"),
    "shape from_parents": (lambda: aj.JaggedShape.from_parents(1), r"dim 0: a level is a pair \(parents, n_parents\), got 1"),  # type: ignore[arg-type]
    "shape from_parents: rows": (lambda: aj.JaggedShape.from_parents(([0], "a")), "dim 0: the number of rows must be an int"),  # type: ignore[arg-type]
    "nodes": (lambda: aj.JaggedShape(2).nodes(2), "the number of dims must be from 0 to 1, got 2"),
    "nodes: no number": (lambda: aj.JaggedShape(2).nodes("a"), "the number of dims must be an int, got str"),  # type: ignore[arg-type]
    "composed": (lambda: aj.JaggedShape(2, 3).composed(1, 3), "dims must satisfy 0 <= first < last <= 2, got 1 and 3"),
    "composed: empty": (lambda: aj.JaggedShape(2, 3).composed(1, 1), "dims must satisfy 0 <= first < last <= 2, got 1 and 1"),
    "stack": (lambda: aj.stack(np.array(1.5)), "stack takes a list of arrays, got ndarray"),
    "zip of single values": (lambda: aj.array(5).zip(a=2, pad=True), "zip needs an array with rows"),
    "str.slice: start": (lambda: aj.array([["a"]]).str.slice("x"), "str.slice: start must be an int, got str"),
    "str.slice: stop": (lambda: aj.array([["a"]]).str.slice(0, "x"), "str.slice: stop must be an int, got str"),
    "str.repeat": (lambda: aj.array([[1]]).str.repeat(2), "str.repeat has no kernel for int64. It takes text."),
    "str.find": (lambda: aj.array([["a"]]).str.find(1), "str.find: s must be a str, got int"),  # type: ignore[arg-type]
    "slice: length": (lambda: aj.array([[1, 2]]).slice(0, -1), "slice: length must be at least 0, got -1$"),
    "slice: lengths": (
        lambda: aj.array([[1, 2], [3]]).slice(0, aj.array([1, -1])),
        "slice: length must be at least 0, got -1 for row 1$",
    ),
    "expand_to: ndim": (lambda: aj.array([1]).expand_to(aj.array([[1]]), ndim="a"), "expand_to: ndim must be an int, got str"),  # type: ignore[arg-type]
    "interp": (
        lambda: aj.interp(aj.array([[1.0]]), aj.array([[1, 2]]), aj.array([[1.0]])),
        r"interp: JaggedShape\(1, 1\) is not a prefix",
    ),
    "with_fields": (
        lambda: aj.zip(a=aj.array([1, 2])).with_fields(b=aj.array([1, 2, 3])),
        r"with_fields: the fields 'b' and 'a': JaggedShape\(3\) is not a prefix",
    ),
    "rolling by time": (
        lambda: aj.array([[1.0]]).rolling(float("inf"), on=aj.array([[1.0]])).sum(),
        "rolling: the window must be a finite number of more than 0, got inf",
    ),
    "contains": (lambda: aj.array([[1]]).contains("a"), "contains: int64 and string have no common type"),
    "zip": (lambda: aj.zip(a=1, b=2, pad=True), "zip needs an array with rows"),
    "dense": (lambda: aj.dense.add(1, [1]), "padding needs rows, got a single value"),
    "get": (lambda: aj.array(5).get(0), "get needs rows, got a single value"),
    "histogram: range": (
        lambda: aj.array([[1.0]]).histogram(2, range=("a", 1)),
        r"histogram: range must be two numbers, got \('a', 1\)",
    ),
    "JaggedType": (lambda: aj.JaggedType(1), "JaggedType takes an Arrow type, got 1"),
    "JaggedType without rows": (lambda: aj.JaggedType.of(pa.int64(), 0), r"JaggedType\.of: ndim must be at least 1, got 0"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_functions_name_the_argument_that_they_refuse(name: str) -> None:
    call, message = REFUSED[name]
    with pytest.raises((JagTypeError, JagValueError, ShapeError), match=message):
        call()


MODULES = {name: importlib.import_module(name) for name in ("arrowjag", *(f"arrowjag.{one}" for one in PUBLIC))}
FUNCTIONS = {
    f"{module.removeprefix('arrowjag.')}.{name}": getattr(found, name)
    for module, found in MODULES.items()
    for name in found.__all__
    if inspect.isfunction(getattr(found, name)) and name not in ("jit", "json_default")
}
"""The public functions; `jit` and `json_default` take one argument of any kind."""


def typed_parameters_of_functions() -> list[tuple[str, str]]:
    """As `typed_parameters`, of the functions."""
    return [
        (name, parameter.name)
        for name, function in FUNCTIONS.items()
        for parameter in inspect.signature(function).parameters.values()
        if str(parameter.annotation).replace("builtins.", "").removesuffix(" | None") in PLACEHOLDERS
    ]


@pytest.mark.parametrize(("name", "parameter"), typed_parameters_of_functions())
def test_every_typed_parameter_of_every_function_is_checked(name: str, parameter: str) -> None:
    """Before anything else is computed, read or written: the other arguments are not looked at."""
    function = FUNCTIONS[name]
    required = {
        key: PLACEHOLDERS.get(str(known.annotation), object())
        for key, known in inspect.signature(function).parameters.items()
        if known.default is known.empty and known.kind in (known.POSITIONAL_OR_KEYWORD, known.KEYWORD_ONLY)
    }
    for wrong in FOREIGN:
        with pytest.raises(JagTypeError, match=rf"^{function.__name__}: {parameter} must be a"):
            function(**{**required, parameter: wrong})


def test_memory_that_is_not_there() -> None:
    with pytest.raises(JagMemoryError, match=r"arange: [\d,]+ items of 8 bytes take .* GB; this process may use"):
        aj.arange(2**58)


def test_a_name_of_a_series_is_text() -> None:
    with pytest.raises(JagTypeError, match="to_polars: name must be a str, got int"):
        aj.array([[1]]).to_polars(name=1)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", [name for name, one in METHODS.items() if "axis" in one.signature.parameters])
def test_all_axes_of_a_single_value(name: str) -> None:
    """Reductions take it, all others ask for rows."""
    parameters = METHODS[name].signature.parameters.values()
    needed = [one for one in parameters if one.default is one.empty and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]
    args = {one.name: 1 for one in needed if one.name != "self"}
    with contextlib.suppress(JagTypeError, JagValueError, ShapeError):
        assert isinstance(getattr(aj.array(5), name)(**args | {"axis": None}), (pa.Scalar, aj.JaggedArray))


def test_fields_of_single_values() -> None:
    assert aj.array(5).zip(a=2).as_py() == {"0": 5, "a": 2}


WITH_AXIS = [name for name, one in METHODS.items() if "axis" in one.signature.parameters]


@pytest.mark.parametrize("axis", [7, "a", 1.5, (0, 0)], ids=str)
@pytest.mark.parametrize("name", WITH_AXIS)
def test_errors_of_an_axis_begin_with_the_name_of_the_method(name: str, axis: Any) -> None:
    parameters = METHODS[name].signature.parameters.values()
    needed = [one for one in parameters if one.default is one.empty and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]
    args: dict[str, Any] = {one.name: 1 for one in needed if one.name != "self"} | {"axis": axis}
    args |= {"alpha": 0.5} if "alpha" in METHODS[name].signature.parameters else {}
    kinds = ([[[1, 2], [3]], []], [[[True]], []], [[["a"], ["b"]], []])
    told = []
    for rows in kinds:
        with pytest.raises((JagIndexError, JagTypeError, JagValueError, ShapeError)) as caught:
            getattr(aj.array(rows), name)(**args)
        told.append(str(caught.value))
    spoken = name.replace("_", " ", 1) if name.startswith(("rolling_", "ewm_")) else name
    assert all(one.startswith((f"{name}:", f"{name} ", f"{spoken}:", f"{spoken} ")) for one in told), told


UNCHECKED: dict[str, Any] = {
    "add": lambda x: x + x,
    "negative": lambda x: -x,
    "sqrt": np.sqrt,
    "an index": lambda x: x[0],
    "an index of Koda": lambda x: x.S[0],
    "to_list": lambda x: x.to_list(),
    "to_numpy": lambda x: x.to_numpy(),
    "sort": lambda x: x.sort(),
}


@pytest.mark.parametrize("name", UNCHECKED)
def test_failed_allocations_are_errors_of_arrowjag(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    def fail(self: object) -> Any:
        raise pa.ArrowMemoryError("malloc of size 8 failed")

    x = aj.array([[1, 2], [3, 4]])
    monkeypatch.setattr(Column, "shape", property(fail))
    monkeypatch.setattr(Column, "values", property(fail))
    with pytest.raises(
        JagMemoryError, match=rf"^{name.partition(' of ')[0]}: the result needs more memory than is available: malloc"
    ):
        UNCHECKED[name](x)


NAMES: dict[str, tuple[str, ...]] = {
    "fill_null": ("v",),
    "fill_null_rows": ("y", "axis"),
    "reshape_as": ("y",),
    "equals": ("y",),
    "str.find": ("s",),
    "str.count": ("s",),
    "str.removeprefix": ("p",),
    "str.removesuffix": ("p",),
    "append": ("v",),
    "insert": ("i", "v"),
    "splice": ("start", "n", "y"),
    "index_of": ("v", "axis"),
    "union": ("y", "axis"),
}
"""Keywords that callers may use: operands are `v` (an item), `y` (an array), `s` and `p` (text)."""


@pytest.mark.parametrize("name", NAMES)
def test_names_of_operands(name: str) -> None:
    function: Any = aj.array([["a"]])
    for part in name.split("."):
        function = getattr(function, part)
    assert tuple(inspect.signature(function).parameters) == NAMES[name]


BEYOND, MOST = aj.array([[0, 5]]), aj.array([[2**64 - 1, 1]], type=pa.uint64())
BY_PARTS = {
    "set": lambda: aj.array([[1, 2]]).set(BEYOND, 0),
    "scatter": lambda: aj.scatter(aj.array([[1, 2]]), BEYOND, 0),
    "overlay": lambda: aj.overlay(aj.array([[1, 2]]), BEYOND, aj.array([[0, 0]])),
    "dot": lambda: MOST.dot(aj.array([[1, 1]])),
    "gaps": MOST.gaps,
    "rolling sum": lambda: MOST.expanding().sum(),
    "ptp": lambda: aj.array([[1]]).cast("decimal128(5, 2)").ptp(axis=7),
    "lomb_scargle": lambda: aj.lomb_scargle(aj.array([[1, 2]]), MOST, [0.1]),
}


@pytest.mark.parametrize("name", BY_PARTS)
def test_errors_of_the_parts_of_an_operation_begin_with_its_name(name: str) -> None:
    with pytest.raises(JagError, match=f"^{name}: "):
        BY_PARTS[name]()


def test_values_are_described_in_one_line() -> None:
    with pytest.raises(JagTypeError, match=r"^zeros.*\Z"):
        aj.zeros(aj.array([[1, 2], [3]]))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda x: x.sort(ascending=False),
            r"sort: got .* 'ascending'; the signature is sort\(descending=False, by=None, axis=-1\)",
        ),
        (lambda x: x.to_pandas().jag.sum(skipna=True), r"sum: got .* 'skipna'; the signature is sum\(axis=-1, \*, skip_nulls=True"),
        (lambda x: x.sample(1), r"sample: too many positional arguments; the signature is sample\(\*, fraction=None, n=None, seed"),
        (lambda x: x.cast("string").str.upper(1), r"str\.upper: too many positional arguments; the signature is str\.upper\(\)"),
        (lambda _: aj.array([1], dtype="int8"), r"array: got .* 'dtype'; the signature is array\(data, \*, type=None"),
    ],
)
def test_arguments_that_do_not_fit_show_the_signature(call: Any, said: str) -> None:
    with pytest.raises(JagTypeError, match=said):
        call(aj.array([[1, 2], [3]]))


def test_type_errors_of_a_callers_function_stay() -> None:
    def wrong(row: Any) -> Any:
        raise TypeError("mine")

    with pytest.raises(TypeError, match=r"^mine"):
        aj.array([[1, 2], [3]]).map_rows(wrong)


def test_items_of_arrays_without_dims_are_scalars() -> None:
    """Also where a method takes one value for all rows."""
    x = aj.array([[3, None, 1], None, []])
    calls: dict[str, Callable[[Any], Any]] = {
        "fill_null": x.fill_null,
        "replace": lambda v: x.replace(v, 9),
        "replace by": lambda v: x.replace(3, v),
        "replace all": lambda v: x.replace({1: v, 3: 0}),
        "full": lambda v: aj.full((2, [1, 0]), v),
        "where": lambda v: aj.where(x > 2, x, v),
        "to_dense": lambda v: aj.array(x.to_dense(fill_value=v)),
        "digitize": lambda v: x.digitize([0, v]),
        "histogram": lambda v: x.histogram([0, 1, v]),
    }
    for name, call in calls.items():
        for one in (np.array(3), np.int16(3), pa.scalar(3, pa.int8()), aj.array(3)):
            assert call(one).to_list() == call(3).to_list(), (name, one)
    for null in (pa.scalar(None, pa.int64()), pa.scalar(None), aj.array(None), pd.NA):
        if null is not pd.NA:  # dense arrays of numpy have none
            assert x.to_dense(fill_value=null).tolist() == [[3, None, 1], [None] * 3, [None] * 3]
        assert x.replace(null, 9).to_list() == [[3, 9, 1], None, []]
        assert aj.full(2, null).to_list() == [None, None]
        assert x.S[null].to_list() == [None] * 3
        with pytest.raises(aj.JagTypeError, match="an index must not be null"):
            _ = x[:, null]
        with pytest.raises(aj.JagTypeError, match="a bound must not be null"):
            _ = x[:, :null]
        with pytest.raises(aj.JagTypeError, match="digitize: edges"):
            x.digitize([0, null])
