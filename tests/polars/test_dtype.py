"""The dtype `Jagged`: its attributes, its metadata, and the operations that keep it."""

from __future__ import annotations

import copy
import json
import pickle

import polars as pl
import pyarrow as pa
import pytest

import arrowjag as aj
from arrowjag.dtype import metadata
from arrowjag.errors import JagTypeError, ShapeError
from arrowjag.polars import Jagged, jagged
from tests.polars.frames import chunked, frame


def test_facts_come_from_storage_and_metadata():
    dtype = Jagged(pl.Float32, 4, (None, 3, None))
    assert (dtype.leaf, dtype.ndim, dtype.extents) == (pl.Float32, 4, (None, 3, None))
    assert dtype.ext_storage() == pl.List(pl.Array(pl.List(pl.Float32), 3))


def test_a_list_leaf_adds_no_dim():
    dtype = Jagged(pl.List(pl.Int8), 2)
    assert (dtype.leaf, dtype.ndim) == (pl.List(pl.Int8), 2)


def test_extent_zero_is_stored_as_a_list():
    assert Jagged(pl.Int8, 2, (0,)).ext_storage() == pl.List(pl.Int8)


@pytest.mark.parametrize(("ndim", "extents"), [(0, None), (2, (None, None)), (-1, None), (2, (-1,))])
def test_dims_that_no_column_has_are_refused(ndim, extents):
    with pytest.raises(ShapeError, match="Jagged"):
        Jagged(pl.Int8, ndim, extents)


@pytest.mark.parametrize("extent", [True, 2.0, "2"])
def test_an_extent_is_an_int(extent):
    with pytest.raises(JagTypeError, match=f"an extent must be an int, got {type(extent).__name__}"):
        Jagged(pl.Int8, 2, (extent,))


@pytest.mark.parametrize("leaf", [5, "i8", None, pa.int64()], ids=repr)
def test_a_leaf_is_a_dtype_of_polars(leaf):
    with pytest.raises(JagTypeError, match=r"Jagged: leaf must be a dtype of polars, got "):
        Jagged(leaf, 2)


def test_ndim_is_an_int():
    with pytest.raises(JagTypeError, match="ndim must be an int, got str"):
        Jagged(pl.Int8, "2")


def test_metadata_is_that_of_arrow():
    assert Jagged(pl.Int8, 3).ext_metadata() == metadata(3)


@pytest.mark.parametrize(
    "text",
    [None, "", "{", "[]", "null", "3", '{"ndim":"x"}', '{"ndim":99}', '{"ndim":0}', '{"ndim":true}', '{"v":1}', "[" * 100_000],
)
def test_foreign_metadata_never_raises_and_is_made_canonical(text):
    dtype = Jagged.ext_from_params("arrowjag.jagged", pl.List(pl.List(pl.Int8)), text)
    assert (dtype.ndim, dtype.ext_metadata()) == (3, metadata(3))


def test_other_writings_of_the_same_metadata_are_equal():
    storage = pl.List(pl.List(pl.Int8))
    spaced = Jagged.ext_from_params("arrowjag.jagged", storage, json.dumps({"v": 1, "ndim": 2}, indent=2))
    assert spaced == Jagged(pl.List(pl.Int8), 2)


def test_registering_twice_raises_no_error():
    aj.polars.dtype.register()
    aj.polars.namespace.register()
    assert pl.get_extension_type("arrowjag.jagged") is Jagged


def test_equality_and_hash_look_at_ndim():
    assert Jagged(pl.Int8, 3) != Jagged(pl.List(pl.Int8), 2)
    assert len({Jagged(pl.Int8, 3), Jagged(pl.Int8, 3), Jagged(pl.List(pl.Int8), 2)}) == 2


def test_pickle_and_copy():
    dtype = Jagged(pl.Int8, 3, (None, 2))
    assert pickle.loads(pickle.dumps(dtype)) == copy.deepcopy(dtype) == dtype
    assert pickle.loads(pickle.dumps(dtype)).extents == (None, 2)


def test_text_names_leaf_and_ndim():
    assert "ext[jagged[int64, 2]]" in str(aj.array([[1]]).to_polars())
    assert repr(Jagged(pl.Int64, 3, (None, 2))) == "jagged[int64, 3, extents=(None, 2)]"


@pytest.mark.parametrize(
    ("leaf", "name"),
    [
        (pl.Float32, "float"),
        (pl.String, "string"),
        (pl.Date, "date32[day]"),
        (pl.Datetime("ms", "UTC"), "timestamp[ms, tz=UTC]"),
        (pl.Datetime, "timestamp[us]"),
        (pl.Duration("ns"), "duration[ns]"),
        (pl.Decimal(10, 2), "decimal128(10, 2)"),
        (pl.Categorical, "dictionary<string, uint32>"),
        (pl.Enum(["a", "b"]), "dictionary<string, uint8, ordered>"),
        (pl.Struct({"a b": pl.Int8, "t": pl.List(pl.Time)}), 'struct<"a b": int8, "t": large_list<time64[ns]>>'),
        (pl.Array(pl.Boolean, 3), "fixed_size_list<bool, 3>"),
    ],
)
def test_the_text_is_the_name_of_the_pandas_dtype(leaf, name):
    text = repr(Jagged(leaf, 2))
    assert text == f"jagged[{name}, 2]"
    assert str(aj.pandas.JaggedDtype.construct_from_string(text)) == text


def test_a_leaf_without_an_arrow_type_keeps_the_name_that_polars_gives():
    assert repr(Jagged(pl.Int128, 2)) == "jagged[Int128, 2]"


def test_selector_takes_our_columns_only():
    df = frame().with_columns(
        l=pl.lit([1]),
        s=pl.struct(a=1),
        n=pl.lit(None),
        c=pl.lit("a").cast(pl.Categorical),
        a=pl.lit([1]).cast(pl.Array(pl.Int64, 1)),
    )
    assert df.select(jagged()).columns == ["v", "w", "f", "b", "t"]
    assert df.lazy().select(~jagged()).collect_schema().names() == ["k", "g", "l", "s", "n", "c", "a"]
    assert df.select(jagged(pl.Int64, 3)).columns == ["w"]
    assert df.select(jagged(ndim=3)).columns == ["w"]


KEEPERS = {
    "filter": lambda lf: lf.filter(pl.col("k") > 10),
    "sort": lambda lf: lf.sort("k"),
    "slice": lambda lf: lf.slice(1, 2),
    "join": lambda lf: lf.select("g", "k").join(lf.drop("k"), on="g", how="left"),
    "concat": lambda lf: pl.concat([lf, lf]),
    "group_by first": lambda lf: lf.group_by("g").agg(pl.all().first()),
    "group_by key": lambda lf: lf.group_by("v", "w").agg(pl.col("f").first()),
    "over": lambda lf: lf.select(pl.all().first().over("g")),
    "shift": lambda lf: lf.select(pl.all().shift(1)),
    "when": lambda lf: lf.select(pl.when(pl.col("k") > 15).then("v").alias("v")),
    "unique": lambda lf: lf.unique(["g"]),
    "sql": lambda lf: lf.sql("SELECT v, w FROM self WHERE k > 10"),
}


@pytest.mark.parametrize("step", KEEPERS)
@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_polars_keeps_the_dtype(step, engine):
    lazy = KEEPERS[step](frame().lazy())
    schema = lazy.collect(engine=engine).schema
    assert schema == lazy.collect_schema()
    assert schema["v"] == Jagged(pl.Int64, 2)
    assert schema.get("w", Jagged(pl.Int64, 3)) == Jagged(pl.Int64, 3)


@pytest.mark.parametrize("kind", ["parquet", "ipc"])
def test_files_keep_the_dtype(tmp_path, kind):
    df = chunked(frame())
    path = tmp_path / "file"
    getattr(df.lazy(), f"sink_{kind}")(path)
    back = getattr(pl, f"scan_{kind}")(path)
    assert back.collect_schema() == df.schema
    assert back.collect().equals(df)


def test_pivot_and_pickle_keep_the_dtype():
    df = frame().with_columns(i=pl.int_range(pl.len()))
    assert pickle.loads(pickle.dumps(df)).schema == df.schema
    assert df.pivot("g", index="i", values="v", on_columns=["a", "b"]).schema["a"] == Jagged(pl.Int64, 2)
