"""validity and with_validity."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.testing import jagged_arrays
from tests import reference as ref
from tests.hosts import pl

X = aj.array([[1, None], None, [], [4]])


@given(jagged_arrays(st.integers(1, 3)), st.data())
def test_validity_of_every_axis(x: aj.JaggedArray, data: st.DataObject) -> None:
    axis = data.draw(st.integers(0, x.ndim - 1))
    items = ref.items(x.to_list(), axis + 1)
    assert x.validity(axis).to_pylist() == [item is not None for item in items]
    assert x.is_null(axis - x.ndim).to_list() == ref.is_null(x.to_list(), x.ndim, axis)


@given(jagged_arrays(st.integers(1, 3), pa.int8()), st.data())
def test_with_validity_drops_items_of_new_null_rows(x: aj.JaggedArray, data: st.DataObject) -> None:
    axis = data.draw(st.integers(0, x.ndim - 1))
    old = x.validity(axis).to_pylist()
    mask = [valid and data.draw(st.booleans()) for valid in old]
    flags = iter(mask)
    expected = ref.at_depth(lambda item: item if next(flags) else None, x.to_list(), axis + 1)
    got = x.with_validity(axis, mask)
    assert got.to_list() == expected
    assert got.size == len(ref.items(expected, x.ndim))


@pytest.mark.parametrize("type", [pa.bool_(), pa.int16(), pa.decimal128(14, 2), pa.date32()], ids=str)
@pytest.mark.parametrize("start", [3, 8])
def test_with_validity_of_a_slice(type: pa.DataType, start: int) -> None:
    values = pa.array([None if item % 5 == 4 else item % 2 for item in range(40)], pa.int32()).cast(type)
    rows = pa.LargeListArray.from_arrays(pa.array(range(0, 41, 2), pa.int64()), values).slice(start, 10)
    keep = np.arange(20) % 3 > 0
    flat = [item for row in rows.to_pylist() for item in row]
    got = aj.from_arrow(rows).with_validity(-1, keep).flatten().to_list()
    assert got == [item if kept else None for item, kept in zip(flat, keep, strict=True)]


def test_with_validity_makes_rows_valid_and_refuses_wrong_masks() -> None:
    assert X.with_validity(0, None).to_list() == [[1, None], [], [], [4]]
    assert X.with_validity(0, [True, True, False, False]).to_list() == [[1, None], [], None, None]
    with pytest.raises(aj.ShapeError, match="has 4 items, but the mask has 1"):
        X.with_validity(0, [True])
    with pytest.raises(ValueError, match="fill_null"):
        X.with_validity(-1, None)


def test_nulls_in_a_mask_are_false() -> None:
    expected = [[1, None], None, None, [4]]
    for mask in ([True, False, None, True], np.array([True, False, None, True]), aj.array([True, False, None, True])):
        assert X.with_validity(0, mask).to_list() == expected
    assert X.with_validity(0, pa.array([True, False, None, True])).to_list() == expected
    assert X.with_validity(-1, aj.array([[True, None], None, [], [None]])).to_list() == [[1, None], None, [], [None]]
    assert X.with_validity(0, [None] * 4).to_list() == [None] * 4
    for wrong in ([1, None, 1, 1], np.ones(4), pa.array(["a"] * 4)):
        with pytest.raises(aj.JagTypeError, match=r"the mask must hold booleans, got (int64|double|string)"):
            X.with_validity(0, wrong)


def test_a_mask_inside_a_condition_of_polars() -> None:
    # For the rows that the condition leaves out, polars passes nulls.
    frame = pl.DataFrame({"v": [[1], [2, 3], [4]], "mask": [True, True, False], "choice": [False, True, True]})
    masked = pl.col("v").jag.sum().jag.with_validity(0, pl.col("mask"))
    assert frame.select(r=pl.when("choice").then(masked))["r"].to_list() == [None, 5, None]


def test_a_flat_mask_of_items_is_one_mask_of_the_whole_column() -> None:
    # Its entries are as many as the rows by chance; polars and dask divided it as they divide the rows.
    x, mask = aj.array([[], [1, 2], [3]]), aj.array([True, False, True])
    frame = pl.DataFrame({"v": x, "mask": mask.to_polars()})
    chunks = pl.concat([frame[:1], frame[1:]], rechunk=False).lazy()
    for flat in (pl.col("mask"), mask, [True, False, True]):
        lazy = chunks.select(r=pl.col("v").jag.with_validity(-1, flat))
        for engine in ("in-memory", "streaming"):
            assert lazy.collect(engine=engine)["r"].to_list() == [[], [1, None], [3]]


def test_a_jagged_mask_has_the_shape_down_to_its_axis() -> None:
    x = aj.array([[1, 2], None, [3]])
    nested = [[False, True], None, [True]]
    for mask in (
        x > 1,
        nested,
        pa.array(nested),
        pa.chunked_array([nested[:1], nested[1:]]),
        pl.Series(nested),
        (x > 1).to_pandas(),
    ):
        assert x.with_validity(-1, mask).to_list() == [[None, 2], None, [3]]
    for axis, mask in ((-1, [[True], None, [True, False]]), (0, [[True], [False], [True]])):
        with pytest.raises(aj.ShapeError, match=r"has shape JaggedShape\(3.*, but the mask JaggedShape\(3, "):
            x.with_validity(axis, aj.array(mask))


def test_with_validity_keeps_a_declared_extent() -> None:
    x = aj.array(np.ones((2, 3))).with_validity(0, [True, False])
    assert x.shape.extents[1] == 3
    assert x.with_validity(0, [True, False]).equals(x)
    with pytest.raises(aj.ShapeError, match="row 1 has 0 items, but the dim declares an extent of 3"):
        x.with_validity(0, None)
