"""to_map: rows of entries from keys and values, and Arrow maps from rows of entries."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.testing import assert_lists_equal, jagged_arrays
from tests import reference as ref
from tests.hosts import HAS_MAPS, pd, pl
from tests.test_get import KEYS, M

ENTRY = pa.struct([("key", pa.string()), ("value", pa.int64())])


def quietly(x: aj.JaggedArray) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", aj.JagWarning)
        return x.to_map()


@pytest.mark.parametrize("leaf", KEYS, ids=str)
@given(data=st.data())
def test_every_type_of_keys(leaf: pa.DataType, data: st.DataObject) -> None:
    entry = pa.struct([("key", leaf), ("value", pa.float64())])
    x = data.draw(jagged_arrays(st.integers(2, 3), entry, nulls=data.draw(st.booleans()), small=True))
    try:
        expected = ref.to_map(x.to_list(), x.ndim)
    except ValueError:
        with pytest.raises(aj.JagValueError, match=r"to_map: a key of row .* is null, and maps can't have null keys"):
            x.to_map()
        return
    maps = quietly(x)
    maps.validate(full=True)
    assert_lists_equal(maps.to_pylist(), expected)
    pairs = [("key", leaf), ("value", pa.float64())]
    back = aj.array(maps)
    assert back.type == pa.struct(pairs)
    assert back.ndim == x.ndim
    assert aj.array(back.to_map()).equals(back)


@given(jagged_arrays(st.integers(2, 3), ENTRY, nulls=False))
def test_keys_and_values_make_the_same_entries(x: aj.JaggedArray) -> None:
    x = aj.zip(key=x["key"].fill_null("k"), value=x["value"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", aj.JagWarning)
        made = aj.to_map(x["key"], x["value"])
    assert made.to_map().to_pylist() == ref.to_map(x.to_list(), x.ndim)


def test_equal_keys_keep_the_first_position_and_the_last_value() -> None:
    with pytest.warns(aj.JagWarning, match="to_map: 2 entries were dropped because their keys occur again in the row") as told:
        x = aj.to_map([["a", "b", "a"], ["a"], ["c", "c"]], [[1, 2, 3], [4], [5, None]])
    assert x.to_list() == [
        [{"key": "a", "value": 3}, {"key": "b", "value": 2}],
        [{"key": "a", "value": 4}],
        [{"key": "c", "value": None}],
    ]
    assert len(told) == 1
    assert told[0].filename == __file__
    twice = aj.array([[{"key": 1, "value": 1}, {"key": 1, "value": 2}]])
    with pytest.warns(aj.JagWarning, match="to_map: 1 entry was dropped because its key occurs again"):
        assert twice.to_map().to_pylist() == [[(1, 2)]]


def test_values_broadcast_or_become_lists() -> None:
    assert aj.to_map([["a", "b"], ["c"]], [1, 2]).get("b").to_list() == [1, None]
    assert aj.to_map([["a", "b"], []], 0).to_list() == [[{"key": "a", "value": 0}, {"key": "b", "value": 0}], []]
    deeper = aj.to_map([["a", "b"], [], None], [[[1, 2], None], [], []])
    assert deeper.to_map().to_pylist() == [[("a", [1, 2]), ("b", None)], [], None]
    assert deeper["value"].to_list() == [[[1, 2], None], [], None]


def test_arrays_other_than_maps_raise() -> None:
    with pytest.raises(aj.JagValueError, match="to_map: a key of row 1 is null"):
        aj.to_map([["a"], ["b", None]], [[1], [2, 3]])
    with pytest.raises(aj.JagValueError, match="to_map: a key of row 0 is null"):
        aj.array([[None]], type=ENTRY, ndim=2).to_map()
    with pytest.raises(aj.ShapeError, match=r"^to_map: "):
        aj.to_map([["a"], ["b"]], [[1], [2, 3]])
    with pytest.raises(aj.ShapeError, match=r"^to_map: "):
        aj.to_map([["a"], ["b"]], [[[1]], [[2], [3]]])
    with pytest.raises(aj.ShapeError, match="keys need rows of items, at least 2 dims"):
        aj.to_map(["a"], [1])
    with pytest.raises(aj.JagTypeError, match=r"aj.to_map\(keys, values\) makes such rows"):
        aj.array([[1]]).to_map()


def test_maps_round_trip_through_every_host_and_file(tmp_path: Path) -> None:
    maps = M.to_map()
    assert maps.type == pa.map_(pa.string(), pa.int64())
    aj.write_parquet({"m": maps, "l": pa.LargeListArray.from_arrays([0, 2, 2, 3, 4], maps)}, tmp_path / "a.parquet")
    table = aj.read_parquet(tmp_path / "a.parquet")
    assert pa.types.is_map(table["m"].type)
    assert aj.array(table["m"]).equals(M)
    assert aj.array(table["l"]).flatten(0, 2).equals(M)
    frame = aj.read_parquet(tmp_path / "a.parquet", to="pandas")
    assert frame["m"].dtype == pd.ArrowDtype(maps.type)
    assert frame["m"].jag.get("a").tolist() == [1, pd.NA, pd.NA, 4]
    assert frame["l"].jag.ndim == aj.array(frame["l"]).ndim == 3
    assert frame["l"].jag.get("a").jag.to_list() == [[1, None], [], [None], [4]]
    again = frame["m"].jag.to_map()
    assert again.dtype == frame["m"].dtype
    assert again.index.equals(frame.index)
    aj.write_ipc({"m": maps}, tmp_path / "a.arrow")
    assert aj.array(aj.read_ipc(tmp_path / "a.arrow")["m"]).equals(M)


@pytest.mark.skipif(not HAS_MAPS, reason="this polars has no maps")
def test_polars_gets_its_own_maps(tmp_path: Path) -> None:
    maps = pl.Map(pl.String, pl.Int64)
    df = pl.DataFrame({"e": M.to_polars()})
    expression = pl.col("e").jag.to_map()
    for engine in ("in-memory", "streaming"):
        lazy = df.lazy().select(m=expression)
        assert lazy.collect_schema() == {"m": maps}
        assert lazy.collect(engine=engine)["m"].to_arrow().to_pylist() == M.to_map().to_pylist()
    assert df["e"].jag.to_map().dtype == maps
    df.lazy().select(m=expression).sink_parquet(tmp_path / "a.parquet")
    back = aj.read_parquet(tmp_path / "a.parquet", to="polars")
    assert back["m"].jag.get("b").to_list() == [None, None, None, 3]
    deep = pl.DataFrame({"l": aj.array([[[("a", 1)]], []], type=pa.list_(M.to_map().type)).to_polars()})
    assert deep.select(pl.col("l").jag.to_map()).schema == {"l": pl.List(maps)}
