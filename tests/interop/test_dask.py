"""`.jag` of dask frames: every row-local call gives what pandas' does, and dask's own operations keep the dtype."""

from __future__ import annotations

import operator
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import arrowjag as aj
from arrowjag._methods import METHODS, Rows
from arrowjag.errors import JagError, JagTypeError
from arrowjag.testing import assert_lists_equal
from tests.hosts import pd
from tests.test_surfaces import CALLS, WITHOUT_ARGUMENTS, Call

dask = pytest.importorskip("dask")
dd = pytest.importorskip("dask.dataframe")

jag = pytest.importorskip("arrowjag.interop.dask")

X = aj.array([[1, 2, None], [3], None, [], [5, 6], [7]])
FRAME = pd.DataFrame({"k": [1, 2, 1, 2, 3, 3], "v": X, "w": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]})


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    with dask.config.set(scheduler="synchronous"):
        yield


def split(frame: Any, n: int = 3) -> Any:
    return dd.from_pandas(frame, npartitions=n, sort=False)


def is_local(call: Call) -> bool:
    """Whether a call can be made on a dask Series: a method of the table whose first operand is a column."""
    method = METHODS.get(call.name)
    if call.name == "with_validity" or any(isinstance(one, tuple) and len(one) == len(call.x) for one in call.args):
        return False  # a list with an entry for each row
    if method is None or method.seeded or not isinstance(call.x, aj.JaggedArray) or call.x.ndim == 0:
        return False
    try:
        return method.rows(call.x.ndim, method.bind(call.args, dict(call.kwargs))) is Rows.LOCAL
    except JagTypeError:
        return False


LOCAL = [one for one in [*CALLS, *(Call(name, X) for name in WITHOUT_ARGUMENTS)] if is_local(one)]


def on_host(accessor: Any, call: Call, columns: dict[str, Any]) -> Any:
    """Make a call on pandas or dask, with arguments from columns of the same host."""
    owner, _, short = call.name.rpartition(".")
    found = getattr(getattr(accessor, owner) if owner else accessor, short)
    if METHODS[call.name].is_property:
        return found
    args = [columns.get(f"a{at}", one) for at, one in enumerate(call.args)]
    return found(*args, **{key: columns.get(key, one) for key, one in call.kwargs.items()})


@pytest.mark.parametrize("call", LOCAL, ids=lambda call: call.name)
def test_every_row_local_call_equals_that_of_pandas(call: Call) -> None:
    arrays = {
        name: one
        for name, one in [*((f"a{at}", one) for at, one in enumerate(call.args)), *call.kwargs.items()]
        if isinstance(one, aj.JaggedArray) and len(one) == len(call.x)
    }
    frame = pd.DataFrame({"x": call.x.to_pandas(), **{name: one.to_pandas() for name, one in arrays.items()}})
    parts = split(frame, 2)
    try:
        expected = on_host(frame["x"].jag, call, {name: frame[name] for name in arrays})
    except (JagError, TypeError, ValueError) as error:
        with pytest.raises(type(error), match=re.escape(str(error).split()[0])):
            on_host(parts["x"].jag, call, {name: parts[name] for name in arrays}).compute()
        return
    if not isinstance(expected, pd.Series):
        pytest.skip("the result is no column")
    lazy = on_host(parts["x"].jag, call, {name: parts[name] for name in arrays})
    got = lazy.compute()
    assert got.dtype == expected.dtype == lazy.dtype
    assert lazy.divisions == parts["x"].divisions or call.kwargs.get("axis", 0) is None
    assert got.index.equals(expected.index)
    assert_lists_equal(aj.array(got).to_list(), aj.array(expected).to_list())


def test_most_row_local_methods_are_called() -> None:
    assert len({call.name for call in LOCAL}) > 100


@pytest.mark.parametrize("n", [1, 3, 6])
@pytest.mark.parametrize("axis", [0, None])
@pytest.mark.parametrize("name", ["sum", "prod", "min", "max", "any", "all", "count", "mean", "std", "median", "n_unique"])
def test_reductions_over_the_rows(name: str, axis: int | None, n: int) -> None:
    x = FRAME["v"].jag > 2 if name in ("any", "all") else FRAME["v"]
    frame = pd.DataFrame({"x": x})
    got = getattr(split(frame, n)["x"].jag, name)(axis=axis).compute()
    expected = getattr(frame["x"].jag, name)(axis=axis)
    if axis is None:
        assert got == expected
    else:
        assert got.dtype == expected.dtype
        assert got.tolist() == expected.tolist()


@pytest.mark.parametrize("name", ["sum", "prod", "min", "max", "any", "all", "count"])
@pytest.mark.parametrize("axis", [(0, 1), (0, 1, 2), -3])
@pytest.mark.parametrize("skip_nulls", [True, False])
@pytest.mark.parametrize("rows", [[[[1, 2], []], [], None, [[3]], None, []], [[], [[None, 2]], None, []], [[[2]], [[], []]]])
def test_reductions_over_several_axes(name: str, axis: Any, skip_nulls: bool, rows: list[Any]) -> None:
    """A partition without items has no null item, though its minimum is null, and may hold the longest row."""
    x = aj.array(rows, type="int64", ndim=3)
    frame = pd.DataFrame({"x": x > 1 if name in ("any", "all") else x})
    options: dict[str, Any] = {"axis": axis} if name == "count" else {"axis": axis, "skip_nulls": skip_nulls}
    if axis == (0, 1):
        frame["x"] = frame["x"].jag.flatten(1)
    expected = getattr(frame["x"].jag, name)(**options)
    for n in (1, 2, len(rows)):
        got = getattr(split(frame, n)["x"].jag, name)(**options).compute()
        assert aj.array(got).equals(aj.array(expected)) if isinstance(got, pd.Series) else got is expected or got == expected


def test_reductions_of_no_rows_and_of_options() -> None:
    parts = split(FRAME)
    assert parts[parts["k"] > 9]["v"].jag.sum(axis=None).compute() == 0
    for options in ({}, {"min_count": 4}, {"skip_nulls": False}):
        pd.testing.assert_series_equal(parts["v"].jag.sum(axis=0, **options).compute(), FRAME["v"].jag.sum(axis=0, **options))
    pd.testing.assert_series_equal(parts["v"].jag.mean(axis=0).compute(), FRAME["v"].jag.mean(axis=0))


@pytest.mark.parametrize("axis", [0, None])
def test_products_of_decimals_do_not_depend_on_the_partitions(axis: int | None) -> None:
    """Each product is rounded to the digits of the type."""
    rows = [["-2.25", "1.50"], [], None, ["-2.25", None], ["1.50", None, "1.75"]]
    frame = pd.DataFrame({"x": aj.array(rows, type="string").cast("decimal128(5, 2)")})
    expected = frame["x"].jag.prod(axis=axis)
    for n in (1, 2, 3, 5):
        got = split(frame, n)["x"].jag.prod(axis=axis).compute()
        assert got == expected if axis is None else got.tolist() == expected.tolist()


@pytest.mark.parametrize("axis", [0, None])
def test_reductions_of_all_rows_take_other_columns_and_functions(axis: int | None) -> None:
    """The second column was empty, as the plan sees it, and bound `*arrays` were passed by name."""
    lists, other = split(FRAME)["v"], FRAME["v"]
    calls = [
        lambda v: v.jag.fold(lambda state, item: state + item, 1, type="int64", axis=axis),
        lambda v: v.jag.fold(lambda state, item, weight: state + item * weight, 1, v, type="int64", axis=axis),
        lambda v: v.jag.dot(v, axis=axis),
        lambda v: v.jag.mean(weights=v, axis=axis),
    ]
    for call in calls:
        found, expected = call(lists).compute(), call(other)
        assert (found == expected) if axis is None else found.tolist() == expected.tolist()


def test_calls_that_need_all_rows_run_on_one_partition() -> None:
    made = split(FRAME)["v"].jag.cumsum(axis=0)
    assert made.npartitions == 1
    assert made.compute().jag.to_list() == FRAME["v"].jag.cumsum(axis=0).jag.to_list()


def test_calls_that_change_rows_name_the_alternative() -> None:
    parts = split(FRAME)
    with pytest.raises(JagTypeError, match=r"flatten gives other rows.*df.jag.flatten"):
        parts["v"].jag.flatten()
    with pytest.raises(JagTypeError, match="indexing the rows of a dask column"):
        parts["v"].jag[0]
    with pytest.raises(JagTypeError, match="takes names of columns"):
        parts.jag.filter(parts["v"], "v")


def test_lists_with_an_item_for_each_row_are_refused() -> None:
    """Every partition would get all items."""
    v = split(FRAME)["v"].jag
    calls = [
        lambda: v.filter([True] * 6),
        lambda: v.append((1, 2, 3, 4, 5, 6)),
        lambda: v.sort(by=X),
        lambda: v.with_validity(0, [True] * 6),
        lambda: operator.add(v, [1, 2, 3, 4, 5, 6]),
        lambda: np.arange(6) * v,
        lambda: np.maximum(v, X),
        lambda: aj.where([True] * 6, v, 0),
        lambda: aj.coalesce(v, X),
        lambda: aj.zip(a=v, b=np.arange(6)),
        lambda: aj.concat([v, X], axis=1),
        lambda: aj.fold(lambda state, a, b: state + a * b, 0, v, X, type="int64"),
        lambda: aj.jit(lambda x, y: x * y)(v, [1, 2, 3, 4, 5, 6]),
    ]
    for call in calls:
        with pytest.raises(JagTypeError, match="has the items of all rows, and each partition needs its own: make it a column"):
            call()
    pandas = FRAME["v"].jag
    assert v.is_in([1, 5]).compute().tolist() == pandas.is_in([1, 5]).tolist()
    assert v.fill_null_rows([9]).compute().tolist() == pandas.fill_null_rows([9]).tolist()


def test_ufuncs_of_several_results() -> None:
    v, w = split(FRAME)["v"].jag, split(FRAME)["w"]
    for got, expected in zip(np.divmod(v, w), np.divmod(FRAME["v"].jag, FRAME["w"]), strict=True):
        assert got.compute().tolist() == expected.tolist()
    assert [one.compute().tolist() for one in np.modf(v)] == [one.tolist() for one in np.modf(FRAME["v"].jag)]


def test_operators_and_indexing() -> None:
    parts = split(FRAME)
    v, w = FRAME["v"], FRAME["w"]
    assert (parts["v"] * parts["w"]).compute().jag.to_list() == (v * w).jag.to_list()
    assert (2 - parts["v"].jag).compute().jag.to_list() == (2 - v.jag).jag.to_list()
    assert (parts["v"].jag == 5).compute().jag.to_list() == (v.jag == 5).jag.to_list()
    assert parts["v"].jag[parts["v"].jag > 2].compute().jag.to_list() == v.jag[v.jag > 2].jag.to_list()
    assert parts["v"].jag[..., :1].compute().jag.to_list() == v.jag[..., :1].jag.to_list()
    assert parts["v"].jag[..., :1].divisions == parts["v"].divisions
    assert (-parts["v"].jag).compute().jag.to_list() == (-v.jag).jag.to_list()
    assert abs(-parts["v"].jag).compute().jag.to_list() == v.jag.to_list()
    assert (~(parts["v"].jag > 2)).compute().jag.to_list() == (v.jag <= 2).jag.to_list()
    assert repr(parts["v"].jag) == "DaskSeriesJag of a dask Series of jagged[int64, 2]"
    assert repr(parts.jag) == "DaskFrameJag of a dask DataFrame of 3 columns"
    positions = split(FRAME.assign(i=aj.array([[0, 1]] * 6)))  # rows of the whole frame, because w is flat
    assert positions["w"].jag[positions["i"]].compute().jag.to_list() == [[1.0, 2.0]] * 6


@pytest.mark.parametrize("left", ["k", "w", "v"])
@pytest.mark.parametrize(
    "name", ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "eq", "ne", "lt", "le", "gt", "ge", "lshift"]
)
def test_series_leave_operators_to_an_accessor_on_their_right(name: str, left: str) -> None:
    frame = FRAME.assign(k=FRAME["k"].astype("int64[pyarrow]"), w=FRAME["w"] if name != "lshift" else [1] * 6)
    parts, function = split(frame), getattr(operator, name)
    expected = function(frame[left], frame["v"].jag)
    found = function(parts[left], parts["v"].jag)
    assert found.dtype == expected.dtype
    assert found.compute().jag.to_list() == expected.jag.to_list()
    assert (parts["k"] + parts["w"]).compute().tolist() == (frame["k"] + frame["w"]).tolist()


def test_rows_of_pandas_are_refused() -> None:
    """Each partition was aligned with all of their rows, and got rows of the others."""
    parts, rows = split(FRAME), FRAME["w"]
    calls = [
        lambda v: v.jag * rows,
        lambda v: v.jag < rows,
        lambda v: v.jag.append(rows),
        lambda v: v.jag.sort(by=FRAME["v"].jag),
        lambda v: v.jag[FRAME["v"].jag > 1],
    ]
    for call in calls:
        with pytest.raises(JagTypeError, match=r"a pandas Series has rows that no partition .* dask\.dataframe\.from_pandas, or"):
            call(parts["v"])
    assert (parts["v"].jag * split(FRAME[["w"]])["w"]).compute().jag.to_list() == (FRAME["v"] * rows).jag.to_list()


def test_frames() -> None:
    parts = split(FRAME)
    pd.testing.assert_frame_equal(parts.jag.flatten("v").compute(), FRAME.jag.flatten("v"))
    nested = parts.jag.nest("v", into="s").jag.query("s.v > 1")
    pd.testing.assert_frame_equal(nested.compute(), FRAME.jag.nest("v", into="s").jag.query("s.v > 1"))
    found = parts.jag.implode("k", "w").compute().sort_values("k")
    assert found["w"].jag.to_list() == [[1.0, 3.0], [2.0, 4.0], [5.0, 6.0]]
    named = FRAME.rename(columns={"k": "vk"})  # a name that holds another
    for by in ("vk", ["vk"], ["vk", "w"]):
        found = split(named).jag.implode(by).compute().sort_values(by).reset_index(drop=True)
        pd.testing.assert_frame_equal(found, named.jag.implode(by).sort_values(by).reset_index(drop=True))
    assert nested.divisions == parts.divisions
    assert not parts.jag.flatten("v").known_divisions
    assert (
        parts.jag.sort_items("v", "v", descending=True)["v"].compute().jag.to_list()
        == FRAME["v"].jag.sort(descending=True).jag.to_list()
    )


@pytest.mark.filterwarnings("ignore:The inplace keyword:FutureWarning", "ignore:The inplace keyword:DeprecationWarning")
def test_operations_of_dask_keep_the_dtype(tmp_path: Any) -> None:
    parts, dtype = split(FRAME), FRAME["v"].dtype
    other = split(FRAME[["k", "v"]].rename(columns={"v": "u"}))
    assert parts.map_partitions(lambda frame: frame.assign(z=frame["v"])).dtypes["z"] == dtype
    assert parts.merge(other, on="k", how="outer").compute()["u"].dtype == dtype
    assert parts.shuffle("k").compute()["v"].dtype == dtype
    assert parts.groupby("k")["v"].first().compute().dtype == dtype
    assert dd.concat([parts, parts]).compute()["v"].dtype == dtype
    assert parts["v"].nunique().compute() == FRAME["v"].nunique()
    parts.to_parquet(tmp_path / "frame")
    back = dd.read_parquet(tmp_path / "frame")
    assert back["v"].dtype == dtype
    assert back["v"].compute().jag.to_list() == X.to_list()


@pytest.mark.parametrize("dtype", ["jagged[double, 2]", "jagged[string, 4]", "jagged[int64, 3, extents=(2, None)]"])
def test_rows_from_which_dask_finds_types(dtype: str) -> None:
    made = jag._nonempty(pd.api.types.pandas_dtype(dtype))
    assert made.dtype == dtype
    assert made.isna().tolist() == [False, True]


def test_equal_columns_have_equal_tokens() -> None:
    token = dask.base.tokenize
    column = aj.array([[1, 2], None, [3], []]).to_pandas().array
    assert token(column) == token(column.copy())
    assert token(column[2:]) == token(aj.array([[3], []]).to_pandas().array)
    assert len({token(column), token(column[::-1]), token(aj.array([[1, 2], [], [3], []]).to_pandas().array)}) == 3


def test_equal_calls_have_equal_names() -> None:
    parts = split(FRAME)
    assert parts["v"].jag.sum()._name == parts["v"].jag.sum()._name


@pytest.mark.parametrize("method", ["rolling(2).sum", "expanding().max", "ewm(alpha=0.5).mean"])
def test_windows(method: str) -> None:
    owner, call = method.rsplit(".", 1)
    run = lambda jag: getattr(eval(f"jag.{owner}", {"jag": jag}), call)()  # noqa: E731
    lazy = run(split(FRAME)["v"].jag)
    expected = run(FRAME["v"].jag)
    assert lazy.dtype == expected.dtype
    assert lazy.compute().jag.to_list() == expected.jag.to_list()


FREE = {
    "where": lambda v, w: aj.where(v.jag > 2, v, 0),
    "zip": lambda v, w: aj.zip(a=v, b=w),
    "coalesce": lambda v, w: aj.coalesce(v, 0),
    "cartesian": lambda v, w: aj.cartesian(a=v, b=v),
    "concat": lambda v, w: aj.concat([v, v], axis=1),
    "interp": lambda v, w: aj.interp(w, [1.0, 6.0], [10.0, 60.0]),
    "interp of plain columns": lambda v, w: aj.interp(w + 0.5, w, w),
    "scan of a plain column": lambda v, w: aj.scan(lambda state, item: state + item, 0.0, w, type="float64"),
    "fold": lambda v, w: aj.fold(lambda state, a, b: state + a * b, 0.0, v, w, type="float64"),
    "jit": aj.jit(lambda x, y: (x - x.mean()) * y),
    "jit across rows": lambda v, w: aj.jit(lambda x: x.cumsum(axis=0))(v),
    "ufunc": lambda v, w: np.sqrt(v.jag),
    "round": lambda v, w: round(v.jag, -1),
    "quotient": lambda v, w: divmod(v.jag, w)[0],
    "rest": lambda v, w: divmod(7, v.jag)[1],
    "plus": lambda v, w: +v.jag,
    "shift of bits": lambda v, w: v.jag << 1,
}


@pytest.mark.parametrize("name", FREE)
def test_functions_of_columns(name: str) -> None:
    parts = split(FRAME)
    lazy, expected = FREE[name](parts["v"], parts["w"]), FREE[name](FRAME["v"], FRAME["w"])
    assert isinstance(lazy, dd.Series)
    got = lazy.compute()
    assert lazy.dtype == got.dtype == expected.dtype
    assert got.index.equals(expected.index)
    assert_lists_equal(aj.array(got).to_list(), aj.array(expected).to_list())


def test_functions_that_give_other_rows_or_need_a_type_raise() -> None:
    v = split(FRAME)["v"]
    with pytest.raises(JagTypeError, match="concat gives other rows than the columns of a dask frame"):
        aj.concat([v, v])
    with pytest.raises(JagTypeError, match="fold gives other rows"):
        aj.fold(lambda state, item: state + item, 0, v, type="int64", axis=0)
    with pytest.raises(JagTypeError, match="not a column but tuple"):
        aj.align(v, v)
    for call in (lambda: aj.fold(lambda state, item: state + item, 0, v), lambda: v.jag.map_rows(len)):
        with pytest.raises(JagTypeError, match="must know the type of its results before it runs"):
            call()


def test_an_unknown_name_is_answered_with_ours() -> None:
    with pytest.raises(AttributeError, match=r"no 'nunique'; write x.n_unique\(\), where x is series.jag"):
        split(FRAME)["v"].jag.nunique  # noqa: B018
    with pytest.raises(AttributeError, match=r"no 'explode'; write x.flatten\(\).*where x is df\[column\].jag"):
        split(FRAME).jag.explode  # noqa: B018
    assert not hasattr(split(FRAME)["v"].jag, "foo")
    assert not hasattr(split(FRAME).jag, "foo")


def test_names_that_only_pandas_has_are_answered_with_compute() -> None:
    for name in ("to_list", "shape", "ndim", "fields"):
        with pytest.raises(AttributeError, match=rf"dask Series has no {name!r}; read it from .jag of the pandas Series that comp"):
            getattr(split(FRAME)["v"].jag, name)
        assert hasattr(FRAME["v"].jag, name)
    with pytest.raises(AttributeError, match=r"dask frame has no 'describe'; read it from .jag of the pandas frame that compute"):
        split(FRAME).jag.describe()


@pytest.mark.parametrize("imports", ["arrowjag, dask.dataframe", "dask.dataframe, arrowjag", "pandas, arrowjag, dask.dataframe"])
def test_order_of_imports(imports: str) -> None:
    code = (
        f"import {imports}, pandas\nassert hasattr(dask.dataframe.Series, 'jag')\nassert hasattr(dask.dataframe.DataFrame, 'jag')"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("labels", [[0, 1, 2, 3, 4, 5], [0, 0, 0, 1, 1, 1], [5, 1, 4, 2, 3, 0]])
def test_a_result_of_whole_columns_meets_columns_of_several_partitions(labels: list[int]) -> None:
    # The result is one partition, and dask passed all of its rows with each partition of the column.
    frame = pd.DataFrame({"v": X, "w": FRAME["w"].to_numpy()}, index=labels)
    calls = (
        lambda f: f["v"].jag.cumsum(axis=0).jag + f["v"],
        lambda f: f["w"].jag * f["v"].jag.cumsum(axis=0),
        lambda f: aj.coalesce(f["v"], f["v"].jag.cumsum(axis=0)),
        lambda f: f["v"].jag.append(f["w"].jag.cumsum(axis=0)),
    )
    parts, expected = split(frame, 3), frame
    for call in calls:
        wanted = call(expected)
        found = call(parts).compute()
        assert found.index.tolist() == wanted.index.tolist()
        assert_lists_equal(aj.array(found).to_list(), aj.array(wanted).to_list())


def test_positions_of_rows_are_looked_up_in_the_rows() -> None:
    # The plan looked them up in the column without rows.
    parts = split(FRAME, 2)["v"].jag
    for index in ((0,), (0, 0), [0, 1], (slice(None), slice(0, 1))):
        assert aj.array(parts.set(index, 9).compute()).to_list() == X.set(index, 9).to_list()
    with pytest.raises(aj.JagIndexError, match=r"set: index 9 is out of range for the frame, which has 6 items"):
        parts.set(9, 9).compute()


def test_methods_of_frames_are_documented_for_dask() -> None:
    docstring = type(dd.from_pandas(pd.DataFrame({"k": [1]}), npartitions=1).jag).flatten.__doc__
    assert "dask.dataframe.DataFrame" in docstring
    assert "pandas.DataFrame" not in docstring.replace("dask.dataframe.DataFrame", "")
    assert ">>>" not in docstring
