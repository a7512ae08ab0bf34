"""From Parquet to Parquet without a whole column in memory, and pieces that give what the whole gives."""

from __future__ import annotations

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.polars import Jagged, from_series
from arrowjag.testing import assert_lists_equal, prefix_arrays

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
