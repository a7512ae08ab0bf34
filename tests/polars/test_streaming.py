"""Stream from Parquet to Parquet without a whole column in memory; batches give the same results as the whole."""

from __future__ import annotations

from typing import Any

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._methods import METHODS
from arrowjag.errors import JagTypeError
from arrowjag.polars import Jagged, from_series
from arrowjag.testing import assert_lists_equal, prefix_arrays
from tests.test_surfaces import CALLS, WITHOUT_ARGUMENTS, Call

c = pl.col
ROWS = 150_000  # more than one morsel


@pytest.fixture(scope="module")
def parquet(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "v.parquet"
    sizes = [i % 4 for i in range(ROWS)]
    x = aj.from_sizes(pa.array(range(sum(sizes))), sizes)
    frame = pl.DataFrame({"i": range(ROWS), "v": x.to_polars(), "l": x.to_polars(extension=False)})
    frame.write_parquet(path, row_group_size=20_000)
    return path


def test_scan_to_sink(parquet, tmp_path):
    out = tmp_path / "out.parquet"
    lazy = pl.scan_parquet(parquet).with_columns(
        shifted=(c("v").jag + c("i")).jag.clip(0, 10**6),
        total=c("l").jag.sum(),
        share=c("v").jag / c("v").jag.sum().cast(pl.Float64),
    )
    lazy.sink_parquet(out)
    written = pl.read_parquet(out)
    assert written.schema == lazy.collect_schema()
    assert written.schema["share"] == Jagged(pl.Float64, 2)
    assert written.equals(lazy.collect(engine="in-memory"))
    x = from_series(written["v"])
    assert from_series(written["total"]).equals(x.sum())
    assert from_series(written["shifted"]).equals((x + aj.array(written["i"])).clip(0, 10**6))


def test_flatten_streams(parquet, tmp_path):
    pl.scan_parquet(parquet).drop("l").jag.flatten("v").sink_parquet(tmp_path / "flat.parquet")
    flat = pl.read_parquet(tmp_path / "flat.parquet")
    assert flat["v"].to_list() == list(range(flat.height))
    assert flat["i"].n_unique() == ROWS - ROWS // 4


BOTH = {
    "sum": lambda x, y: x + y,
    "less": lambda x, y: x < y,
    "a tree that is polars' own": lambda x, _: abs(-(x * 2)) - 1,
    "reduced": lambda x, _: x.max(),
    "sorted": lambda x, _: x.sort(),
    "along the rows": lambda x, _: x.cummax(axis=0),
    "over the rows": lambda x, _: x.count(axis=0),
    "seeded": lambda x, _: x.shuffle(seed=3),
}


@pytest.mark.parametrize("name", BOTH)
@settings(max_examples=20)
@given(data=st.data())
def test_pieces_give_the_result_of_the_whole(name, data):
    x, y = data.draw(prefix_arrays())
    assume(x.ndim > 1 or name in ("sum", "less"))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(x)), max_size=3)))
    df = pl.DataFrame({"x": x.to_polars(), "y": y.to_polars()})
    ends = list(zip([0, *cuts], [*cuts, len(x)], strict=True))
    pieces = pl.concat([df.slice(first, last - first) for first, last in ends], rechunk=False)
    expected = BOTH[name](x, y).to_list()
    for engine in ("in-memory", "streaming"):
        out = pieces.lazy().select(r=BOTH[name](c("x").jag, c("y").jag)).collect(engine=engine)
        got = from_series(out["r"]).to_list()
        assert_lists_equal(got, [expected] if name == "over the rows" else expected)


PLAIN = {
    "integers": aj.array([3, 1, 2, 5, None, 4, 7, 0, 9, 2, 2, 8]),
    "places": aj.array(range(12)),
    "floats": aj.array([3.0, 1.0, 2.0, 5.0, None, 4.0, 7.0, 0.0, 9.0, 2.0, 2.0, 8.0]),
    "flags": aj.array([True, False, None] * 4),
    "texts": aj.array(["b", "a", None, "c"] * 3),
    "times": aj.array(range(12)).cast("int64").cast(pa.timestamp("us")),
}
"""Columns of one dim: all of their rows are one row."""

ON_ARRAYS = [
    *(Call(name, PLAIN["integers"]) for name in WITHOUT_ARGUMENTS),
    *(one for one in CALLS if isinstance(one.x, aj.JaggedArray)),
]


def plain_like(value: Any, x: aj.JaggedArray) -> Any:
    """A plain column in place of an array: booleans as masks, else the values of x."""
    if not isinstance(value, aj.JaggedArray):
        return value
    return PLAIN["flags"] if pa.types.is_boolean(value.type) else x


def outcomes(make: Any, columns: dict[str, aj.JaggedArray]) -> tuple[Any, Any]:
    """The result in memory and that of the streaming engine, which cuts the rows into pieces; None for both if it is an error."""
    frame = pl.DataFrame({name: one.to_polars() for name, one in columns.items()}).lazy()
    try:
        lazy = frame.select(r=make())
        whole = lazy.collect(engine="in-memory")["r"].to_list()
    except (JagTypeError, pl.exceptions.PolarsError, TypeError, ValueError, IndexError, OverflowError):
        return None, None
    return whole, lazy.collect(engine="streaming")["r"].to_list()


@pytest.mark.parametrize("kind", PLAIN)
@pytest.mark.filterwarnings("ignore::arrowjag.JagWarning")
def test_methods_of_plain_columns_see_all_rows(kind: str) -> None:
    x, compared = PLAIN[kind], 0
    for call in ON_ARRAYS:
        arguments = [*call.args, *call.kwargs.values()]
        columns = {"x": x} | {f"a{at}": plain_like(one, x) for at, one in enumerate(arguments) if isinstance(one, aj.JaggedArray)}

        def make(call: Call = call, columns: dict[str, Any] = columns) -> Any:
            names = iter(range(len(call.args) + len(call.kwargs)))
            column = lambda one: c(f"a{at}") if f"a{(at := next(names))}" in columns else one  # noqa: E731
            args = [column(one) for one in call.args]
            kwargs = {key: column(one) for key, one in call.kwargs.items()}
            owner, _, name = call.name.rpartition(".")
            found = c("x").jag
            if call.name not in METHODS:  # rolling(...).sum
                return getattr(getattr(found, owner)(*args, **kwargs), name)()
            found = getattr(getattr(found, owner) if owner else found, name)
            return (
                found
                if METHODS[call.name].is_property
                else found(*args, **{key: one for key, one in kwargs.items() if key != "axis"})
            )

        whole, streamed = outcomes(make, columns)
        if whole is not None:
            compared += 1
            assert_lists_equal(streamed, whole)
    assert compared > 40


UP, MIXED = PLAIN["places"].cast("float64"), aj.array([5.0, 3.0, 9.0, 0.0, 1.0, 2.0, 7.0, 4.0, 6.0, 8.0, 11.0, 10.0])

FREE = {
    "interp": lambda: aj.interp(c("m"), c("u"), c("u") * c("u")),
    "interp of constants": lambda: aj.interp(c("m"), [0.0, 11.0], [1.0, 2.0]),
    "asof": lambda: aj.asof(c("m"), c("u"), direction="nearest"),
    "asof with values": lambda: aj.asof(c("m"), c("u"), c("m")),
    "scan": lambda: aj.scan(lambda state, item: state + item, 0.0, c("m"), type="float64"),
    "scan of two": lambda: aj.scan(lambda state, a, b: state + a * b, 0.0, c("m"), c("u"), type="float64"),
    "map_items": lambda: aj.map_items(lambda item: item + 1, c("m"), type="float64"),
    "zip": lambda: aj.zip(a=c("m"), b=c("u")),
    "where": lambda: aj.where(c("m") > 3, c("m"), c("u")),
    "digitize": lambda: c("m").jag.digitize(c("u")),
}


@pytest.mark.parametrize("name", FREE)
def test_functions_of_plain_columns_see_all_rows(name: str) -> None:
    whole, streamed = outcomes(FREE[name], {"m": MIXED, "u": UP})
    assert whole is not None
    assert_lists_equal(streamed, whole)


MOVING = {
    "resample": lambda: aj.resample(c("t"), c("u"), "5us"),
    "cartesian": lambda: aj.cartesian(a=c("u"), b=c("u")),
    "argcartesian": lambda: aj.argcartesian(a=c("v"), b=c("v"), axis=0),
    "fold": lambda: aj.fold(lambda state, item: state + item, 0.0, c("v"), type="float64", axis=0),
    "map_rows": lambda: aj.map_rows(lambda row: row.sum(), c("u"), type="float64"),
    "concat": lambda: aj.concat([c("u"), c("u")]),
    "stack": lambda: aj.stack([c("u"), c("u")]),
}


@pytest.mark.parametrize("name", MOVING)
def test_functions_that_give_other_rows_raise(name: str) -> None:
    columns = {"u": UP, "t": PLAIN["times"], "v": aj.array([[1, 2]] * 12)}
    frame = pl.DataFrame({key: one.to_polars() for key, one in columns.items()}).lazy()
    with pytest.raises(JagTypeError, match=f"{name} changes the rows of the frame"):
        frame.select(MOVING[name]()).collect(engine="streaming")
