"""Times of numpy inside of objects: pyarrow reads their counts in the requested unit, without a conversion."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import arrowjag as aj

UNITS = ["s", "ms", "us", "ns"]
MOMENT = "2024-01-02T03:04:05"


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("kind", ["M", "m"])
def test_arrays_keep_their_unit(kind: str, unit: str) -> None:
    row = np.array([MOMENT, "NaT"], "M8[s]").astype(f"M8[{unit}]") if kind == "M" else np.array([5, "NaT"], f"m8[{unit}]")
    expected = [pa.array(row).to_pylist(), None, []]
    type = pa.array(row).type
    empty = row[:0]
    for data in (pd.Series([row, None, empty]), [row, None, empty], [row, None, []]):
        assert aj.array(data).type == type
        assert aj.array(data).to_list() == expected
    assert aj.array([[row], None, [empty]]).to_list() == [[expected[0]], None, [[]]]
    for finer in UNITS[UNITS.index(unit) :]:
        wanted = pa.timestamp(finer) if kind == "M" else pa.duration(finer)
        for ndim in (None, 2):
            made = aj.array([row, None, empty], type=wanted, ndim=ndim)
            assert made.type == wanted
            assert made.to_list() == pa.array(expected, pa.list_(type)).cast(pa.list_(wanted)).to_pylist()
        s = pd.Series([row, None, empty]).astype(f"jagged[{wanted}, 2]")
        assert s.jag.to_list() == made.to_list()


@pytest.mark.parametrize("unit", UNITS)
def test_zones(unit: str) -> None:
    moments = pd.DatetimeIndex([MOMENT], tz="Europe/Berlin").as_unit(unit)
    expected = [[pd.Timestamp(MOMENT, tz="Europe/Berlin")], None]
    for row in (moments, moments.array, pd.Series(moments), list(moments)):
        s = pd.Series([row, None], dtype=object)
        assert aj.array(s).to_list() == expected
        assert aj.array(s).type.tz == "Europe/Berlin"
        assert s.astype("jagged[timestamp[us, tz=UTC], 2]").jag.to_list() == expected


def test_units_meet_in_the_finest() -> None:
    coarse, fine = np.array([MOMENT], "M8[s]"), np.array([MOMENT], "M8[ns]") + np.timedelta64(1, "ns")
    x = aj.array(pd.Series([coarse, fine, None]))
    assert x.type == pa.timestamp("ns")
    assert x.to_list() == [[pd.Timestamp(MOMENT)], [pd.Timestamp(MOMENT) + pd.Timedelta(1, "ns")], None]
    with pytest.raises(aj.JagValueError, match=r"the time 9024-01-02T00:00:00 does not fit datetime64\[ns\]"):
        aj.array([np.array(["9024-01-02"], "M8[s]"), fine])


@pytest.mark.parametrize("unit", [*UNITS, "D", "m"])
def test_beside_times_of_python(unit: str) -> None:
    row = np.array(["2024-01-02"], f"M8[{unit}]")
    other = dt.date(2024, 1, 3) if unit == "D" else dt.datetime.fromisoformat("2024-01-03")
    assert aj.array([row, [other], None]).cast(pa.timestamp("us")).to_list() == [
        [dt.datetime.fromisoformat("2024-01-02")],
        [dt.datetime.fromisoformat("2024-01-03")],
        None,
    ]


def test_days_are_dates() -> None:
    x = aj.array(pd.Series([np.array(["2024-01-02", "NaT"], "M8[D]"), None]))
    assert (x.type, x.to_list()) == (pa.date32(), [[dt.date(2024, 1, 2), None], None])


def test_files_of_pandas(tmp_path: Any) -> None:
    path = tmp_path / "a.parquet"
    pd.DataFrame({"v": [np.array([MOMENT], "M8[us]"), None]}).to_parquet(path)
    assert aj.read_parquet(path, to="pandas")["v"].jag.to_list() == [[dt.datetime.fromisoformat(MOMENT)], None]
