"""Hugging Face datasets: lists become jagged columns, and jagged columns become lists."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.testing import assert_equal, jagged_arrays

datasets = pytest.importorskip("datasets")
from arrowjag.interop.datasets import from_datasets, to_datasets  # noqa: E402

LEAVES = st.sampled_from([pa.int64(), pa.int32(), pa.float64(), pa.bool_(), pa.string(), pa.large_string(), pa.timestamp("us")])


@given(jagged_arrays(st.integers(2, 3), LEAVES))
def test_columns_come_back(x: aj.JaggedArray) -> None:
    made = to_datasets({"v": x, "k": list(range(len(x)))})
    assert len(made) == len(x)
    assert_equal(aj.from_arrow(from_datasets(made)["v"]), x)


def test_datasets_of_others() -> None:
    made = datasets.Dataset.from_dict({"ids": [[1, 2], [], [3]], "text": ["a", "b", "c"]})
    table = from_datasets(made)
    assert aj.from_arrow(table["ids"]).to_list() == [[1, 2], [], [3]]
    assert str(table.schema.field("ids").type).startswith("jagged[")
    assert from_datasets(made, to="pandas")["ids"].jag.sum().tolist() == [3, 0, 3]
    assert from_datasets(made, ["ids"], to="polars").columns == ["ids"]
    assert aj.from_arrow(from_datasets(made.select([2, 0]))["ids"]).to_list() == [[3], [1, 2]]
    assert aj.from_arrow(from_datasets(made.filter(lambda row: len(row["ids"]) > 0))["ids"]).to_list() == [[1, 2], [3]]
    with pytest.raises(aj.JagIndexError, match="the dataset has no column 'x'"):
        from_datasets(made, ["x"])
    with pytest.raises(aj.JagTypeError, match="takes one dataset, got the splits"):
        from_datasets(datasets.DatasetDict({"train": made}))
    with pytest.raises(aj.JagTypeError, match=r"takes a datasets\.Dataset, got list"):
        from_datasets([1])


def test_fixed_lengths_are_declared() -> None:
    features = datasets.Features({"v": datasets.Sequence(datasets.Value("float32"), length=2)})
    made = datasets.Dataset.from_dict({"v": [[1.0, 2.0], [3.0, 4.0]]}, features=features)
    x = aj.from_arrow(from_datasets(made)["v"])
    assert x.shape.extents == (None, 2)
    assert to_datasets({"v": x}).features["v"].length == 2


def test_null_rows_and_map(tmp_path: Path) -> None:
    made = to_datasets({"ids": aj.array([[1, 2, 3], None, [], [4, 5]])})
    assert made["ids"][:] == [[1, 2, 3], None, [], [4, 5]]

    def packed(batch: pa.Table) -> pa.Table:
        rows = aj.sequences.pack(aj.from_arrow(batch["ids"]), 2)
        table = {"ids": rows.values, "position_ids": rows.position_ids}
        return pa.table({name: one.to_arrow(extension=False) for name, one in table.items()})

    mapped = made.with_format("arrow").map(packed, batched=True, batch_size=2)
    assert mapped.with_format(None)["ids"][:] == [[1, 2], [3], [4, 5]]
    assert mapped.with_format(None)["position_ids"][:] == [[0, 1], [0], [0, 1]]
    mapped.save_to_disk(tmp_path / "saved")
    loaded = datasets.load_from_disk(tmp_path / "saved")
    assert aj.from_arrow(from_datasets(loaded)["ids"]).to_list() == [[1, 2], [3], [4, 5]]


def test_shared_buffers() -> None:
    x = aj.array([[1, 2], [3]])
    made = to_datasets({"v": x})
    assert aj.from_arrow(from_datasets(made)["v"]).values.buffers()[1].address == x.values.buffers()[1].address
