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


@pytest.mark.nightly
@pytest.mark.slow
def test_more_than_two_to_the_31_values_round_trip(tmp_path: Path) -> None:
    assert TOTAL > 2**31
    # A prime period: a row that is moved shows.
    values = np.resize(np.random.default_rng(0).integers(-128, 128, 1_000_003, dtype=np.int8), TOTAL)
    x = aj.JaggedArray(aj.JaggedShape(ROWS, aj.dims.Ragged(np.full(ROWS, WIDTH))), pa.array(values))
    path = tmp_path / "large.parquet"
    aj.write_parquet({"x": x}, path, compression="none")
    footer = pq.read_metadata(path)
    groups = [footer.row_group(number).column(0).num_values for number in range(footer.num_row_groups)]
    assert sum(groups) == TOTAL
    assert max(groups) <= 2**24
    column = aj.read_parquet(path)["x"]
    path.unlink()
    assert column.type == aj.JaggedType.of(pa.int8(), 2)
    assert column.num_chunks == len(groups)
    back = aj.from_arrow(column)
    assert back.shape == x.shape
    assert int(back.shape.offsets[1][-1]) == TOTAL
    assert np.array_equal(back.values.to_numpy(), values)
