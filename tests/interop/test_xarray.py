"""CF ragged datasets of xarray."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.errors import JagTypeError, JagValueError, ShapeError
from arrowjag.interop.xarray import from_ragged, to_ragged
from arrowjag.testing import assert_equal, assert_lists_equal, jagged_lists
from tests.interop.stand_ins import XARRAY, imported, real_or

xr = real_or("xarray", XARRAY)
library = imported(xarray=xr)


BEGIN = dt.datetime.fromisoformat("2024-01-01")


@pytest.mark.parametrize("layout", ["contiguous", "indexed"])
@given(rows=jagged_lists(2, st.floats(allow_nan=False, width=32), nulls=False, null_rows=False))
def test_out_and_back(layout: str, rows: list[list[float]]) -> None:
    x = aj.array(rows, type=pa.float64(), ndim=2)
    arrays = {"x": x, "n": x.lengths(), "t": aj.JaggedArray(x.shape, pa.array([BEGIN] * x.size, pa.timestamp("ns")))}
    dataset = to_ragged(arrays, layout)  # type: ignore[arg-type]
    back = from_ragged(dataset)
    assert [name for name in back if name != "trajectory"] == list(arrays)
    for name, one in arrays.items():
        assert_equal(back[name], one)


def test_contiguous_by_the_conventions() -> None:
    dataset = xr.Dataset(
        {
            "rowsize": (("traj",), np.array([2, 0, 1]), {"sample_dimension": "obs"}),
            "lon": (("obs",), np.array([1.0, np.nan, 3.0])),
            "wind": (("obs", "component"), np.arange(6.0).reshape(3, 2)),
            "id": (("traj",), np.array([7, 8, 9])),
            "place": (("traj", "corner"), np.arange(6).reshape(3, 2)),
            "version": ((), 3),
        }
    )
    found = from_ragged(dataset)
    assert set(found) == {"lon", "wind", "id", "place"}
    assert_lists_equal(found["lon"].to_list(), [[1.0, float("nan")], [], [3.0]])
    assert from_ragged(dataset, nan_to_null=True)["lon"].to_list() == [[1.0, None], [], [3.0]]
    assert found["wind"].shape.extents == (3, None, 2) or found["wind"].shape.extents[2] == 2
    assert found["wind"].to_list() == [[[0.0, 1.0], [2.0, 3.0]], [], [[4.0, 5.0]]]
    assert found["id"].to_list() == [7, 8, 9]
    assert found["place"].to_list() == [[0, 1], [2, 3], [4, 5]]
    assert found["lon"].values.buffers()[1].address == dataset["lon"].values.ctypes.data


def test_indexed_in_any_order() -> None:
    dataset = xr.Dataset(
        {
            "station": (("obs",), np.array([2, 0, 2, 0]), {"instance_dimension": "stations"}),
            "t": (("obs",), np.array(["2024-01-01", "NaT", "2024-01-02", "2024-01-03"], "M8[ns]")),
            "pair": (("obs", "two"), np.arange(8).reshape(4, 2)),
            "name": (("stations",), np.array(["a", "b", "c"])),
        }
    )
    found = from_ragged(dataset)
    days = [[None if v is None else v.isoformat()[:10] for v in row] for row in found["t"].to_list()]
    assert days == [[None, "2024-01-03"], [], ["2024-01-01", "2024-01-02"]]
    assert found["pair"].to_list() == [[[2, 3], [6, 7]], [], [[0, 1], [4, 5]]]
    assert found["name"].to_list() == ["a", "b", "c"]


def test_missing_values_go_out_as_those_of_xarray() -> None:
    x = aj.array([[1.0, None], [2.0]])
    t = aj.array([[BEGIN, None], [None]])
    dataset = to_ragged({"x": x, "t": t, "s": aj.array([["a", None], ["b"]])}, name="n", instance="drifter", sample="hour")
    assert dataset["n"].attrs["sample_dimension"] == "hour"
    assert np.isnan(dataset["x"].values[1])
    assert np.isnat(dataset["t"].values[1])
    assert from_ragged(dataset)["s"].to_list() == [["a", None], ["b"]]
    assert from_ragged(dataset, nan_to_null=True)["x"].to_list() == x.to_list()
    zoned = aj.array([[BEGIN, None]]).cast(pa.timestamp("us")).dt.tz_localize("Europe/Berlin")
    days = aj.array([[BEGIN.date(), None]])
    dataset = to_ragged({"zoned": zoned, "days": days, "waits": aj.array([[dt.timedelta(1), None]])})
    assert dataset["zoned"].values[0] == np.datetime64(BEGIN - dt.timedelta(hours=1), "us")
    assert [bool(np.isnat(dataset[one].values[1])) for one in ("zoned", "days", "waits")] == [True] * 3


def _objects(*items: Any) -> xr.Dataset:
    held = np.empty(len(items), object)
    held[:] = items
    return xr.Dataset({"n": (("a",), [len(items)], {"sample_dimension": "b"}), "x": (("b",), held)})


def _two(name: str, numbers: list[float], other: list[float]) -> xr.Dataset:
    return xr.Dataset({name: (("a",), numbers), "x": (("b",), other)})


def test_invalid_arguments_raise() -> None:
    x = aj.array([[1, 2], [3]])
    for call, said in [
        (lambda: to_ragged({"x": aj.array([[1], None])}), r"no null rows, got one at dim 1, row 1"),
        (lambda: to_ragged({"x": aj.array([[1, None]])}), r"no missing value of type int64"),
        (lambda: to_ragged({"x": x}, "ragged"), r"layout must be"),
        (lambda: to_ragged({"row_size": x}), r"'row_size' is taken by an array"),
        (lambda: to_ragged({"trajectory": x}, "indexed"), r"'trajectory' is taken by an array"),
        (lambda: to_ragged({"x": x}, "indexed", name="trajectory"), r"'trajectory' is taken by the instances"),
        (lambda: from_ragged(_two("n", [1], [1.0]), count="n", index="x"), r"takes either count= or index=, got both"),
        (lambda: from_ragged(_two("n", [1], [1.0]), count="m"), r"has no variable 'm'"),
        (lambda: from_ragged(_two("n", [3, -1], [1.0, 2.0]), count="n"), r"n holds -1 at instance 1; counts must not be negative"),
        (lambda: from_ragged(xr.Dataset({"n": (("t",), [1])}), count="n"), r"names no other dimension.* has \[\]"),
        (
            lambda: from_ragged(xr.Dataset({"n": (("t",), [1], {"sample_dimension": "z"})})),
            r"n names the dimension 'z', which the dataset lacks",
        ),
        (lambda: from_ragged(xr.Dataset({"a": (("t",), [1])})), r"expected one variable .* got none"),
        (
            lambda: from_ragged(xr.Dataset({"n": (("t",), [1]), "x": (("o",), [1.0, 2.0])}), count="n"),
            r"counts 1 samples, but there are 2",
        ),
        (lambda: from_ragged(xr.Dataset({"i": (("o",), [5]), "x": (("t",), [1.0])}), index="i"), r"holds 5 at sample 0"),
    ]:
        with pytest.raises(JagValueError, match=said):
            call()
    for call, said in [
        (lambda: to_ragged({"x": x, "y": aj.array([[1], [2, 3]])}), r"y has the rows"),
        (lambda: to_ragged({"x": aj.array([1])}), r"needs an array of ndim 2"),
        (lambda: from_ragged(xr.Dataset({"n": (("t", "o"), [[1]])}), count="n"), r"n must have one dimension, got \('t', 'o'\)"),
        (lambda: from_ragged(_objects([1], "a")), r"from_ragged: x: the data mixes nesting levels"),
        (lambda: to_ragged({"x": aj.array([[[1], [2, 3]]])}), r"rows of other sizes below the samples"),
    ]:
        with pytest.raises(ShapeError, match=said):
            call()
    for call, said in [
        (lambda: to_ragged({"x": aj.array([[{"a": 1}]])}), r"to_ragged .*struct"),
        (lambda: to_ragged({"x": aj.array([["a"]]).cast(pa.dictionary(pa.int8(), pa.string()))}), r"to_ragged .*dictionary"),
        (lambda: to_ragged([x]), r"takes a dict of names and arrays, got list"),
        (lambda: from_ragged([x]), r"takes an xarray.Dataset, got list"),
        (lambda: from_ragged(_two("n", [1.0], [1.0]), count="n"), r"must hold integers"),
        (lambda: from_ragged(_objects(object())), r"from_ragged: x: the item .* has no Arrow type"),
    ]:
        with pytest.raises(JagTypeError, match=said):
            call()
    with pytest.raises(JagValueError, match=r"from_ragged: x: the data mixes times and numbers"):
        from_ragged(_objects(BEGIN.date(), np.int64(5)))  # pyarrow's own inference would end the process
