"""FBGEMM's operators on the CPU against ours, over one to four jagged levels, with rows that the dense array cuts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj

torch = pytest.importorskip("torch")
pytest.importorskip("fbgemm_gpu")
pytestmark = [
    pytest.mark.torch,
    pytest.mark.filterwarnings("ignore::UserWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]
DTYPES = ["float32", "float16", "int32", "int64"]


def fbgemm(name: str, *args: Any) -> Any:
    return getattr(torch.ops.fbgemm, name)(*args)


@st.composite
def cases(draw: st.DrawFn, levels: int | None = None, dtypes: list[str] = DTYPES, least: int = 0) -> tuple[Any, ...]:
    """Values (N, D), offsets, sizes that cut and pad, and the array of them, as FBGEMM's own tests draw them."""
    n_levels = levels or draw(st.integers(1, 4))
    width, dtype = draw(st.integers(max(least, 1), 4)), draw(st.sampled_from(dtypes))
    sizes = [draw(st.integers(1, 4)) for _ in range(n_levels)]
    n, offsets, index = draw(st.integers(least, 4)), [], draw(st.sampled_from([np.int32, np.int64]))
    for size in sizes:
        lengths = draw(st.lists(st.integers(0, 2 * size - 1), min_size=n, max_size=n))
        offsets.append(np.concatenate([[0], np.cumsum(lengths)]).astype(index))
        n = sum(lengths)
    seed = draw(st.integers(0, 100))
    values = np.random.default_rng(seed).integers(-9, 9, (n, width)).astype(dtype)
    flat = aj.from_offsets(values.reshape(-1), *offsets[:-1], offsets[-1].astype(np.int64) * width)
    x = (
        aj.dense.pack(flat, width)
        if n
        else aj.JaggedArray(
            aj.JaggedShape(len(offsets[0]) - 1, *(aj.dims.from_offsets(cut) for cut in offsets), width), values.reshape(-1)
        )
    )
    return values, offsets, sizes, x


def tensors(offsets: list[Any]) -> list[Any]:
    return [torch.from_numpy(cut) for cut in offsets]


def items(x: aj.JaggedArray) -> Any:
    """The values as FBGEMM has them: (N, D)."""
    return x.values.to_numpy().reshape(-1, x.shape.extents[-1])


@given(cases(), st.sampled_from([0, -7, 3]))
def test_to_dense(case: tuple[Any, ...], fill: int) -> None:
    values, offsets, sizes, x = case
    wanted = fbgemm("jagged_to_padded_dense", torch.from_numpy(values), tensors(offsets), sizes, float(fill)).numpy()
    found = x.to_dense(sizes, fill)
    assert found.dtype == wanted.dtype
    assert np.array_equal(found, wanted)


@given(cases())
def test_from_dense(case: tuple[Any, ...]) -> None:
    values, offsets, sizes, x = case
    dense = np.random.default_rng(0).integers(1, 9, (len(x), *sizes, values.shape[1])).astype(values.dtype)
    wanted = fbgemm("dense_to_jagged", torch.from_numpy(dense), tensors(offsets), len(values))[0].numpy()
    assert np.array_equal(items(aj.dense.from_dense(dense, x.shape)), wanted)


@given(cases(least=1))
def test_arithmetic(case: tuple[Any, ...]) -> None:
    values, offsets, sizes, x = case
    if len(values) < 2:
        return  # FBGEMM stretches a single item over all
    y = np.random.default_rng(0).integers(1, 9, (len(x), *sizes, values.shape[1])).astype(values.dtype)
    args = torch.from_numpy(values), tensors(offsets), torch.from_numpy(y)
    assert np.array_equal(aj.dense.add(x, y, out="dense"), fbgemm("jagged_dense_elementwise_add", *args).numpy())
    assert np.array_equal(items(aj.dense.add(x, y)), fbgemm("jagged_dense_elementwise_add_jagged_output", *args)[0].numpy())
    assert np.array_equal(items(aj.dense.mul(x, y)), fbgemm("jagged_dense_elementwise_mul", *args)[0].numpy())
    both = fbgemm("jagged_dense_dense_elementwise_add_jagged_output", *args, torch.from_numpy(y))[0].numpy()
    assert np.array_equal(items(aj.dense.add(aj.dense.add(x, y), y)), both)


@given(cases(levels=1, dtypes=["float32"]))
def test_softmax(case: tuple[Any, ...]) -> None:
    values, offsets, (size,), x = case
    wanted = fbgemm("jagged_softmax", torch.from_numpy(values), torch.from_numpy(offsets[0]), size)[0].numpy()
    place = np.arange(len(values)) - np.repeat(offsets[0][:-1], np.diff(offsets[0]))
    found = items(aj.dense.softmax(x, size))
    assert np.allclose(found[place < size], wanted[place < size], rtol=1e-5)
    assert not found[place >= size].any()  # there FBGEMM's result is memory that nobody wrote


@given(cases(levels=1, dtypes=["float32"], least=1), st.integers(1, 3))
def test_products(case: tuple[Any, ...], p: int) -> None:
    values, offsets, (size,), x = case
    cut, n = torch.from_numpy(offsets[0]), len(x)
    if not len(values):
        return
    y = np.random.default_rng(0).integers(-5, 5, (n, values.shape[1], p)).astype(np.float32)
    wanted = fbgemm("jagged_dense_bmm", torch.from_numpy(values), cut, torch.from_numpy(y), size)[0].numpy()
    assert np.allclose(items(aj.dense.matmul(x, y, size)), wanted)
    wanted = fbgemm("jagged_jagged_bmm", torch.from_numpy(values), torch.from_numpy(values), cut, size).numpy()
    assert np.allclose(aj.dense.bmm(x, x, size), wanted)


@given(cases(levels=1, least=1), st.data())
def test_rows(case: tuple[Any, ...], data: st.DataObject) -> None:
    values, offsets, _, x = case
    sizes = np.diff(offsets[0]).astype(np.int64)
    rows = data.draw(st.lists(st.integers(0, len(x) - 1), min_size=1, max_size=6))
    wanted, lengths = fbgemm("jagged_index_select", torch.from_numpy(values), torch.from_numpy(sizes), torch.tensor(rows))
    assert np.array_equal(items(x[rows]), wanted.numpy())
    assert x[rows].shape.sizes[1].tolist() == lengths.tolist()
    assert x[[]].to_list() == []  # which FBGEMM refuses
    flat = aj.from_offsets(values[:, 0].copy(), offsets[0])
    mask = data.draw(st.lists(st.booleans(), min_size=len(values), max_size=len(values)))
    column = torch.from_numpy(values[:, 0].copy())
    found = flat.filter(aj.JaggedArray(flat.shape, pa.array(mask, pa.bool_())))
    wanted, lengths = fbgemm("masked_select_jagged_1d", column, torch.from_numpy(sizes), torch.tensor(mask, dtype=torch.bool))
    assert found.values.to_pylist() == wanted.tolist()
    assert found.shape.sizes[1].tolist() == lengths.tolist()
    if values.dtype != np.float16:
        cut = fbgemm("jagged_1d_to_truncated_values", column, torch.from_numpy(sizes), 2)
        assert flat.head(2).values.to_pylist() == cut.tolist()
    total = fbgemm("segment_sum_csr", 1, torch.from_numpy(offsets[0].astype(np.int32)), column)
    assert np.allclose(flat.sum().to_numpy(), total.numpy())


def test_fbgemm_trusts_its_arguments() -> None:
    """Decreasing offsets give a wrong result there and an error here."""
    wrong = torch.tensor([0, 2, 1, 3])
    there = fbgemm("jagged_to_padded_dense", torch.tensor([[1.0], [2.0], [3.0]]), [wrong], [2], 0.0)
    assert there.squeeze(-1).tolist() == [[1.0, 2.0], [0.0, 0.0], [2.0, 3.0]]
    with pytest.raises(aj.OffsetsError, match="never decrease"):
        aj.from_offsets([1.0, 2.0, 3.0], wrong.numpy())
    there = fbgemm("jagged_to_padded_dense", torch.tensor([[1], [2]]), [torch.tensor([0, 1, 2])], [2], 0.5)
    assert there.squeeze(-1).tolist() == [[1, 0], [2, 0]]
    with pytest.raises(ValueError, match=r"fill_value 0\.5 does not fit int64"):
        aj.array([[1], [2]]).to_dense((2,), 0.5)
    many = torch.ones(4096, dtype=torch.float16)
    assert fbgemm("segment_sum_csr", 1, torch.tensor([0, 4096], dtype=torch.int32), many).item() == 2048
    assert math.isclose(aj.from_sizes(many.numpy(), [4096]).sum()[0].as_py(), 4096)
