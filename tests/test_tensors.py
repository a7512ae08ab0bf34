"""Arrow's tensors of one shape enter as declared dims."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import arrowjag as aj
from tests.hosts import pd, pl


def tensors(shape: tuple[int, ...], n: int = 3, null: int | None = 1, **options: Any) -> pa.Array:
    size = int(np.prod(shape))
    rows = [None if row == null else [row * size + k for k in range(size)] for row in range(n)]
    values = pa.array(rows, pa.list_(pa.int32(), size))
    return pa.ExtensionArray.from_storage(pa.fixed_shape_tensor(pa.int32(), shape, **options), values)


@pytest.mark.parametrize("shape", [(6,), (2, 3), (2, 1, 2)])
@pytest.mark.parametrize("part", [slice(None), slice(1, None), slice(2, 2)])
@pytest.mark.parametrize("null", [1, None])
def test_dims_are_declared(null: int | None, shape: tuple[int, ...], part: slice) -> None:
    given = tensors(shape, null=null)[part]
    for data in (given, pa.chunked_array([given[:1], given[1:]])):
        x = aj.array(data)
        assert x.shape.extents == (None, *shape)
        assert x.type == pa.int32()
        assert x.to_list() == [None if row is None else np.reshape(row, shape).tolist() for row in given.storage.to_pylist()]


@pytest.mark.parametrize(("first", "null"), [(0, 1), (0, None), (1, None)])
def test_permuted_dims_are_in_logical_order(first: int, null: int | None) -> None:
    given = tensors((2, 3, 4), null=null, permutation=(2, 0, 1), dim_names=["a", "b", "c"])[first:]
    x = aj.array(given)
    assert x.shape.extents == (None, 4, 2, 3)
    for row in (0, len(given) - 1):
        physical = np.reshape(given.storage[row].as_py(), (2, 3, 4))  # strides of pyarrow's own to_numpy are wrong here
        assert x[row].to_list() == physical.transpose(2, 0, 1).tolist()


def test_tensors_in_lists_files_and_hosts(tmp_path: Path) -> None:
    given = tensors((2, 2))
    nested = pa.LargeListArray.from_arrays(pa.array([0, 1, 1, 3]), given)
    assert aj.array(nested).shape.extents == (None, None, 2, 2)
    pq.write_table(pa.table({"v": given}), tmp_path / "a.parquet")
    assert aj.array(aj.read_parquet(tmp_path / "a.parquet")["v"]).to_list() == aj.array(given).to_list()
    assert aj.array(given).to_pandas().jag.sum(axis=(1, 2)).tolist() == [6, pd.NA, 38]
    assert aj.array(given).to_polars().jag.sum(axis=(1, 2)).to_list() == [6, None, 38]
    assert pl.DataFrame({"v": aj.array(given)})["v"].jag.lengths().to_list() == [[2, 2], None, [2, 2]]
