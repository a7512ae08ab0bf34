"""Common subexpressions of the outputs of one query are computed once, with the right values, and their memory is released."""

from __future__ import annotations

import gc
import pickle
import threading

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import arrowjag as aj
from arrowjag.errors import JagOverflowError
from arrowjag.polars import Jagged, _sharing, lowering
from arrowjag.polars._evaluation import describe
from arrowjag.polars._sharing import identity
from arrowjag.polars._tree import Call, Input
from tests.polars.frames import assert_same

c = pl.col
ENGINES = ["in-memory", "streaming"]
REDUCTIONS = ["sum", "mean", "std", "median", "first", "max"]


@pytest.fixture
def made(monkeypatch):
    """The names of the calls that are made on data."""
    names: list[str] = []
    monkeypatch.setattr(lowering, "_PLANS", {})
    from arrowjag._expressions import stages
    from arrowjag.polars import _evaluation

    calls = _evaluation.call

    def counted(node, value_of):
        names.append(node.name)
        return calls(node, value_of)

    for module in (_evaluation, stages):
        monkeypatch.setattr(module, "call", counted)
    return names


def column(n: int = 1000, seed: int = 0) -> aj.JaggedArray:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0, 6, n)
    return aj.from_sizes(rng.random(int(sizes.sum())), sizes)


def frame(n: int = 1000) -> pl.DataFrame:
    return pl.DataFrame({"v": column(n).to_polars(), "u": column(n, 1).to_polars(), "k": np.arange(n) / n})


def remembered() -> int:
    gc.collect()
    return sum(len(shared.values) for shared in list(_sharing._SHARED.values()))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("written", ["one object", "each anew"])
def test_reductions_of_one_product_sort_it_once(made, engine, written):
    def product() -> pl.Expr:
        return (c("v").jag * c("k")).jag.sort()

    one = product()
    outputs = {name: getattr((one if written == "one object" else product()).jag, name)() for name in REDUCTIONS}
    df = frame()
    got = df.lazy().select(**outputs).collect(engine=engine)
    assert made.count("sort") == made.count("mul") == made.count("sum")  # once a piece of the rows
    assert engine == "streaming" or made.count("sort") == 1
    expected = (column() * aj.array(df["k"].to_numpy())).sort()
    for name in REDUCTIONS:
        assert_same(got[name], getattr(expected, name)())
    assert remembered() == 0


def test_once_a_morsel(made):
    n = 250_000
    df = pl.DataFrame({"v": aj.array(np.arange(2 * n)).reshape(n, 2).to_polars()})
    x = c("v").jag.reverse()
    got = df.lazy().select(a=x.jag.argmax(), b=x.jag.argmin(), c=x.jag.cumsum()).collect(engine="streaming")
    assert made.count("reverse") == made.count("cumsum") > 1
    assert got["a"].unique().to_list() == [0]
    assert got["c"][-1].to_list() == [2 * n - 1, 4 * n - 3]
    assert remembered() == 0


def test_an_output_that_is_part_of_another(made):
    x = c("v").jag.sort()
    got = frame().select(a=x, b=x.jag.median(), c=c("v").jag.sort())
    assert made.count("sort") == 1
    assert_same(got["a"], column().sort())
    assert_same(got["c"], column().sort())


def test_other_columns_and_other_constants_are_others(made):
    df = frame()
    outputs = {
        "a": c("v").jag.sort().jag.cumsum(),
        "b": c("u").jag.sort().jag.cumsum(),
        "c": c("v").jag.sort(descending=True).jag.cumsum(),
        "d": c("v").jag.sort().jag.cumprod(),
    }
    got = df.select(**outputs)
    assert made.count("sort") == 3
    assert_same(got["b"], column(seed=1).sort().cumsum())
    assert_same(got["c"], column().sort(descending=True).cumsum())
    assert_same(got["d"], column().sort().cumprod())


def test_functions_are_shared_by_identity(made):
    def twice(row):
        return sum(row)

    x = c("v").jag.map_rows(twice, pa.float64())
    outputs = {"a": x + x, "b": x * x, "c": c("v").jag.map_rows(lambda row: 0.0, pa.float64()).jag * 2}
    frame(5).select(**outputs)
    assert made.count("map_rows") == 2


def test_a_single_output_is_not_cached(made, monkeypatch):
    monkeypatch.setattr(_sharing, "_computed_once", lambda *_: pytest.fail("nothing is shared"))
    x = c("v").jag.sort()
    frame().select(x - x.jag.median())
    assert made.count("sort") == 1


def test_a_slice_of_the_same_memory_is_another_column(made):
    df = frame()
    x = c("v").jag.sort()
    halves = [part.select(a=x.jag.cumsum(), b=x.jag.cumprod()) for part in (df[:500], df[500:])]
    assert made.count("sort") == 2
    assert_same(pl.concat(halves)["a"], column().sort().cumsum())


def test_several_queries_at_one_time(made):
    df = frame()
    x = c("v").jag.sort()
    queries = [part.lazy().select(a=x.jag.cumsum(), b=x.jag.median()) for part in (df[:300], df[300:700], df[700:])]
    for _ in range(5):
        got = pl.concat(pl.collect_all(queries))
        assert_same(got["a"], column().sort().cumsum())
        assert_same(got["b"], column().median())
    assert remembered() == 0


def test_threads():
    df, wrong = frame(), []
    x = c("v").jag.sort()
    expected = column().sort().cumsum().to_list()

    def work() -> None:
        for _ in range(5):
            got = df.select(a=x.jag.cumsum(), b=x.jag.median(), c=x.jag.std())
            if got["a"].to_list() != expected:
                wrong.append(got)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert remembered() == 0


def test_an_error_is_everybodys_and_remembered_by_none():
    df = pl.DataFrame({"v": aj.array([[2**62, 2**62]]).to_polars()})
    x = c("v").jag.cumsum()
    with pytest.raises(JagOverflowError, match="column 'v'"):
        df.select(a=x.jag.sort(), b=x.jag.reverse())
    assert remembered() == 0


def test_a_plan_that_is_kept_holds_no_data():
    df = frame()
    x = c("v").jag.sort()
    lazy = df.lazy().select(a=x.jag.cumsum(), b=x.jag.median())
    lazy.collect_schema()
    expected = lazy.collect()
    assert lazy.collect().equals(expected)
    assert remembered() == 0


def test_memory_is_bounded(monkeypatch):
    monkeypatch.setattr(_sharing, "MOST_BYTES", 100)
    shared = _sharing._Shared()
    for number in range(5):
        shared.values[number] = _sharing._Value((), {1}, nbytes=60)
    shared.shrink()
    assert list(shared.values) == [4]
    monkeypatch.setattr(_sharing, "MOST_BYTES", 10**9)
    monkeypatch.setattr(_sharing, "MOST_VALUES", 3)
    for number in range(10, 20):
        shared.values[number] = _sharing._Value((), {1}, nbytes=1)
    shared.shrink()
    assert list(shared.values) == [17, 18, 19]
    shared.values[20] = _sharing._Value((), {1}, nbytes=10**12)
    shared.shrink()
    assert list(shared.values) == [20]


def test_an_evaluation_inside_of_another_does_not_wait():
    """A thread of polars may take up an output while it computes what that output waits for."""
    shared = _sharing._Shared()
    shared.users = {1: ("one", frozenset()), 2: ("two", frozenset())}

    def compute():
        return _sharing._computed_once(shared, (), "key", lambda: "inner", 0) + " of outer"

    assert _sharing._computed_once(shared, (), "key", compute, 1.0) == "inner of outer"


def test_columns_of_one_memory_and_other_dims_are_others(made):
    """A column of lists of lists may have them as dims, or as leaves."""
    x = aj.array([[[1, 2], [3]], [[4]], []])
    lists = x.to_polars(extension=False)
    deep, flat = lists.ext.to(Jagged(pl.Int64, 3)), lists.ext.to(Jagged(pl.List(pl.Int64), 2))
    assert identity(deep) == identity(flat)
    df = pl.DataFrame({"deep": deep, "flat": flat})
    outputs = {f"{name} {end}": getattr(c(name).jag.reverse().jag, end)() for name in df.columns for end in ("first", "last")}
    got = df.select(**outputs)
    assert made.count("reverse") == 2
    assert got["deep first"].to_list() == [[2, 3], [4], []]
    assert got["flat first"].to_list() == [[3], [4], None]


def tickets(number: int) -> tuple[list[_sharing.Ticket], tuple[pl.Series, ...]]:
    """Outputs that share a call of the id 7 on one column."""
    columns = (pl.Series([1, 2]),)
    shared = [_sharing.Member(7, "call", (0,), (f"parent {one}",)) for one in range(number)]
    return [_sharing.Ticket([one], (object(),)) for one in shared], columns


def test_a_value_is_released_after_its_last_output():
    made, columns = tickets(3)
    calls: list[int] = []
    for left, ticket in zip((1, 1, 0), made, strict=True):
        with ticket.run(columns, 2) as look:
            assert look(7, lambda: calls.append(1) or "value") == "value"
        assert remembered() == left
    assert calls == [1]


def test_a_value_is_released_when_the_last_output_that_waits_is_dropped():
    made, columns = tickets(3)
    for ticket in made[:2]:
        with ticket.run(columns, 2) as look:
            assert look(7, lambda: "value") == "value"
    assert remembered() == 1
    del made[2]
    assert remembered() == 0


def test_the_second_caller_waits_for_the_value():
    (one, two), columns = tickets(2)
    earlier, others = tickets(2)
    entered, may_end = threading.Event(), threading.Event()
    calls: list[str] = []
    got: list[str] = []

    def slow() -> str:
        calls.append("one")
        entered.set()
        assert may_end.wait(10)
        return "value"

    def run(ticket: _sharing.Ticket, compute) -> None:
        with earlier[0].run(others, 2):  # an evaluation that has ended is none that this one is inside of
            pass
        with ticket.run(columns, 2) as look:
            got.append(look(7, compute))

    first = threading.Thread(target=run, args=(one, slow))
    second = threading.Thread(target=run, args=(two, lambda: calls.append("two") or "other"))
    first.start()
    assert entered.wait(10)
    second.start()
    second.join(0.05)
    may_end.set()
    first.join()
    second.join()
    assert calls == ["one"]
    assert got == ["value", "value"]


SERIES = {
    "numbers": pl.Series([[1, 2], None, []]),
    "text": pl.Series([["a", "a text that is too long for a view"], None]),
    "booleans": pl.Series([[True, None], [False]]),
    "categories": pl.Series([["a", "b"]], dtype=pl.List(pl.Categorical)),
    "structs": pl.Series([[{"a": 1, "b": "x"}], []]),
    "arrays": pl.Series([[1, 2], [3, 4]], dtype=pl.Array(pl.Int64, 2)),
    "jagged": aj.array([[[1], []], None]).to_polars(),
    "no rows": pl.Series([], dtype=pl.List(pl.Int64)),
}


@pytest.mark.parametrize("name", SERIES)
def test_identity_of_columns(name):
    series = SERIES[name]
    assert (identity(series) == identity(series.alias("other"))) == (name != "categories")
    if len(series):
        assert identity(series) != identity(series[:1] if len(series) > 1 else series[:0])
        assert identity(series) != identity(pl.concat([series, series]))


def test_plans_travel():
    x = c("v").jag.sort()
    lazy = frame().lazy().select(a=x.jag.cumsum(), b=x.jag.median())
    assert pickle.loads(pickle.dumps(lazy)).collect().equals(lazy.collect())


# --------------------------------------------------------------------------------------------------- explain


def test_explain_names_the_calls():
    lazy = (
        frame()
        .lazy()
        .select(
            (c("v").jag * c("k")).jag.sort().jag.sum(),
            total=c("u").jag.sum(),
            n=c("u").jag.lengths(),
            above=c("u").jag > 0.5,
            rows=c("u").jag.sum(axis=0),
        )
    )
    text = lazy.explain()
    for said in ("jag sum(sort(mul(x0, x1)))", "jag sum(x0)", "jag lengths(x0)", "jag gt(x0)"):
        assert said in text
    assert "jag flatten" in frame().lazy().jag.flatten("v").explain()


def test_long_trees_are_cut():
    node = Input(c("v"))
    root = Call("method", "cumsum", (node,))
    for _ in range(60):
        root = Call("operator", "sub", (root, root))
    assert len(describe(root, [(node, 0)])) < 150


def test_users_may_leave_while_they_are_counted():
    """The garbage collector may run the finalizer of a ticket at any allocation."""
    shared = _sharing._Shared()

    class Output:
        def __hash__(self) -> int:
            shared.users.pop(2, None)
            return 1

    shared.users = {1: (Output(), frozenset()), 2: (Output(), frozenset()), 3: (Output(), frozenset())}
    assert len(shared.outputs()) == 3
    assert sorted(shared.users) == [1, 3]
