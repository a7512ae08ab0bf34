"""More values in one column than 32-bit offsets can count."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import arrowjag as aj

ROWS = 70_000
WIDTH = 31_001  # odd, so that no row group ends at a round number
TOTAL = ROWS * WIDTH


@pytest.mark.slow
@pytest.mark.parametrize("limit", [2**27, 2**32], ids=["many row groups", "one row group"])
def test_more_than_two_to_the_31_values_round_trip(limit: int, tmp_path: Path) -> None:
    assert TOTAL > 2**31
    values = (np.arange(TOTAL, dtype=np.uint32) * np.uint32(2654435761) >> np.uint32(24)).view(np.uint8)[::4].view(np.int8)
    x = aj.JaggedArray(aj.JaggedShape(ROWS, aj.dims.Ragged(np.full(ROWS, WIDTH))), pa.array(values))
    path = tmp_path / "large.parquet"
    aj.write_parquet({"x": x}, path, row_group_values=limit, use_dictionary=False, compression="none")
    footer = pq.read_metadata(path)
    groups = [footer.row_group(number).column(0).num_values for number in range(footer.num_row_groups)]
    assert sum(groups) == TOTAL
    assert max(groups) <= limit
    column = aj.read_parquet(path)["x"]
    path.unlink()
    assert column.type == aj.JaggedType.of(pa.int8(), 2)
    start = 0
    for chunk in column.chunks:
        leaf = chunk.storage.values.to_numpy()
        assert np.array_equal(leaf, values[start : start + len(leaf)])
        assert np.array_equal(chunk.storage.offsets.to_numpy(), np.arange(len(chunk) + 1) * WIDTH)
        start += len(leaf)
    assert start == TOTAL
