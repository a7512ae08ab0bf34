"""torch: nested jagged tensors, values with offsets, what is shared, what is refused."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.testing import assert_equal, jagged_arrays

torch = pytest.importorskip("torch")
from arrowjag.interop.torch import from_keyed, from_torch, to_keyed, to_torch  # noqa: E402

pytestmark = [
    pytest.mark.torch,
    pytest.mark.filterwarnings("ignore::UserWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]
TYPES = [pa.bool_(), pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.float16(), pa.float32(), pa.float64()]


@given(jagged_arrays(leaf=st.sampled_from(TYPES), nulls=False, null_rows=False, allow_nan=False))
def test_values_and_offsets_come_back(x: aj.JaggedArray) -> None:
    values, offsets = to_torch(x, layout="offsets")
    assert_equal(from_torch((values, offsets)), x)
    assert_equal(from_torch(values, offsets), x)


@pytest.mark.parametrize("width", [None, 1, 3])
def test_nested_tensors(width: int | None) -> None:
    sizes = [2, 0, 1]
    shape = aj.JaggedShape(3, sizes) if width is None else aj.JaggedShape(3, sizes, width)
    x = aj.JaggedArray(shape, np.arange(float(shape.size)))
    nested = to_torch(x)
    assert nested.is_nested
    assert [row.tolist() for row in nested.unbind()] == x.to_list()
    assert_equal(from_torch(nested), aj.JaggedArray(aj.JaggedShape(aj.dims.Ragged([3]), *shape.dims[1:]), x.values))
    doubled = from_torch(nested * 2)
    assert doubled.to_list() == (x * 2).to_list()


def test_nested_tensors_with_holes() -> None:
    dense = torch.arange(20.0).view(4, 5)
    nested = torch.nested.narrow(dense, 1, torch.tensor([0, 1, 2, 0]), torch.tensor([2, 3, 0, 5]), layout=torch.jagged)
    assert from_torch(nested).to_list() == [[0.0, 1.0], [6.0, 7.0, 8.0], [], [15.0, 16.0, 17.0, 18.0, 19.0]]


def test_shared_buffers() -> None:
    x = aj.array([[1.0, 2.0], [3.0]])
    values, (offsets,) = to_torch(x, layout="offsets")
    assert values.data_ptr() == x.values.buffers()[1].address
    assert offsets.data_ptr() == x.shape.offsets[1].ctypes.data
    back = from_torch(values, offsets)
    assert back.values.buffers()[1].address == values.data_ptr()
    whole = aj.from_arrow(pa.array([[9.0], [1.0, 2.0], [3.0]]).slice(1))
    assert to_torch(whole, layout="offsets")[0].tolist() == [1.0, 2.0, 3.0]


def test_plain_and_dense_tensors() -> None:
    table = np.arange(6.0).reshape(2, 3)
    assert to_torch(aj.array(table)).tolist() == table.tolist()
    assert from_torch(torch.from_numpy(table)).shape.extents[1] == 3
    assert to_torch(aj.array([[1], [2, 3]]), layout="dense").tolist() == [[1, 0], [2, 3]]
    assert from_torch(torch.arange(6).view(2, 3).T).to_list() == [[0, 3], [1, 4], [2, 5]]


def test_gradients_flow() -> None:
    x = aj.array([[1.0, 2.0], [], [3.0]])
    values, (offsets,) = to_torch(x, layout="offsets")
    values.requires_grad_()
    nested = torch.nested.nested_tensor_from_jagged(values, offsets=offsets)
    (nested * nested).values().sum().backward()
    assert values.grad.tolist() == [2.0, 4.0, 6.0]
    assert from_torch(values, offsets).to_list() == x.to_list()


def test_tensors_are_arrays_without_a_call() -> None:
    """Their type and extents stay, in lists and in arithmetic too; iterating over them would give float64."""
    x = aj.array(pa.array([[1], [2, 3]], pa.list_(pa.float32())))
    for dtype, leaf in ((torch.float32, pa.float32()), (torch.float16, pa.float16()), (torch.int8, pa.int8())):
        t = torch.ones((2, 3), dtype=dtype).requires_grad_(dtype.is_floating_point)
        assert (aj.array(t).type, aj.array(t).shape.extents[1:]) == (leaf, (3,))
        assert (aj.array([t[0], t[1, :1]]).type, aj.array(t[0, 0]).type) == (leaf, leaf)
        assert (x * t[:, 0]).type == (t[:, 0] * x).type == (x * t[0, 0]).type == pa.float32()
    one, many = torch.tensor(1.0, requires_grad=True), torch.tensor(1, dtype=torch.int8)
    assert_equal(x.fill_null(one).clip(many, one), x.fill_null(1.0).clip(1, 1.0))
    assert_equal(aj.where(x > 1, one, x), aj.where(x > 1, 1.0, x))
    assert_equal(x.replace(many, one).remove(one), x.remove(1))
    assert x.contains(one).to_list() == x.contains(many).to_list() == [True, False]
    assert (aj.full([1], one).type, aj.full([1], many).type) == (pa.float32(), pa.int8())
    assert_equal(aj.array(to_torch(x)), x)
    with pytest.raises(aj.JagTypeError, match=r"array: no Arrow values for a Tensor of torch.bfloat16.*Cast with \.float\(\)"):
        aj.array(torch.ones(1, dtype=torch.bfloat16))


@pytest.mark.parametrize(
    ("make", "hint"),
    [
        (lambda: torch.eye(2).to_sparse(), r"layout torch.sparse_coo.* Convert it with \.to_dense\(\)"),
        (lambda: torch.empty(2, device="meta"), "on meta. It holds no values"),
        (lambda: torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8), r"dequantize\(\)"),
    ],
)
def test_errors_say_what_makes_a_tensor_readable(make: Any, hint: str) -> None:
    with pytest.raises(aj.JagTypeError, match=f"from_torch: no Arrow values for a Tensor of .*{hint}"):
        from_torch(make())


def test_invalid_arguments_raise() -> None:
    with pytest.raises(ValueError, match="torch has no nulls, got 1, the first at value 1"):
        to_torch(aj.array([[1, None]]))
    with pytest.raises(ValueError, match="torch has no null rows"):
        to_torch(aj.array([[1], None]), layout="offsets")
    with pytest.raises(TypeError, match=r"to_torch has no kernel for .*string"):
        to_torch(aj.array([["a"]]))
    with pytest.raises(aj.ShapeError, match=r"a nested tensor has one jagged dim, .* has 2"):
        to_torch(aj.array([[[1]], [[1, 2], []]]))
    with pytest.raises(ValueError, match="layout must be"):
        to_torch(aj.array([[1]]), layout="flat")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"Cast with \.float\(\) first"):
        from_torch(torch.ones(2, dtype=torch.bfloat16))
    with pytest.raises(TypeError, match=r"no kernel for torch\.complex64"):
        from_torch(torch.ones(2, dtype=torch.complex64))
    for offsets, message in (([0, 1, 9], "is 9, but there are 3"), ([0, 2, 1, 3], "never decrease"), ([1, 3], "start at 0")):
        with pytest.raises(aj.OffsetsError, match=message):
            from_torch(torch.arange(3), torch.tensor(offsets))
    strided = torch.nested.nested_tensor([torch.ones(2), torch.ones(1)])
    with pytest.raises(aj.ShapeError, match=r"layout torch\.jagged"):
        from_torch(strided)
    moved = torch.nested.nested_tensor_from_jagged(torch.ones(3, 2), offsets=torch.tensor([0, 1, 3])).transpose(1, 2)
    with pytest.raises(aj.ShapeError, match="the jagged dim must be dim 1"):
        from_torch(moved)


def test_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The how-to's blocks that need torch, which the test of all pages leaves out."""
    page = Path(__file__).parents[2] / "docs" / "how-to" / "torch.md"
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    blocks = re.findall(r"^```python[^\n]*\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert len(blocks) == 6
    for block in blocks:
        exec(block, names)


# ------------------------------------------------------------------------------------------------ keyed jagged tensors


@given(st.lists(jagged_arrays(2, st.sampled_from(TYPES), nulls=False, null_rows=False, allow_nan=False), min_size=1, max_size=1))
def test_keyed_tensors_come_back(arrays: list[aj.JaggedArray]) -> None:
    x = arrays[0]
    keyed = to_keyed({"a": x, "b": x[::-1]})
    assert keyed.keys == ["a", "b"]
    back = from_keyed(keyed)
    assert back["a"].to_list() == x.to_list()
    assert back["b"].to_list() == x[::-1].to_list()
    assert from_keyed(keyed.lengths, keyed.values, keyed.keys)["b"].to_list() == x[::-1].to_list()


def test_keyed_layout() -> None:
    clicks = {"item": aj.array([[1, 2], [], [3]]), "shop": aj.array([[7], [8, 9], []])}
    keyed = to_keyed(clicks)
    assert keyed.lengths.tolist() == [2, 0, 1, 1, 2, 0]
    assert keyed.values.tolist() == [1, 2, 3, 7, 8, 9]
    weights = {name: one * 0.5 for name, one in clicks.items()}
    weighted = to_keyed(clicks, weights)
    assert weighted.weights.tolist() == [0.5, 1.0, 1.5, 3.5, 4.0, 4.5]
    assert from_keyed(weighted)["shop"].to_list()[0] == [{"value": 7, "weight": 3.5}]
    frames = pytest.importorskip("pandas"), pytest.importorskip("polars")
    for frame in (library.DataFrame(clicks) for library in frames):
        assert to_keyed(frame).values.tolist() == keyed.values.tolist()

    class Tensor:
        lengths, values, keys, weights_or_none = (lambda _self, one=one: one for one in keyed)

    assert from_keyed(Tensor())["item"].to_list() == [[1, 2], [], [3]]


def test_keyed_rejects_invalid_arguments() -> None:
    x = aj.array([[1], [2]])
    for columns, error, text in (
        ({"a": x, "b": x[:1]}, aj.ShapeError, "keys must have one number of rows, got {'a': 2, 'b': 1}"),
        ({"a": aj.array([[[1]]])}, aj.ShapeError, "key 'a' must have 2 dims"),
        ({"a": aj.array([["x"]])}, aj.JagTypeError, "key 'a' has no kernel for string"),
        ({"a": aj.array([[1], None])}, aj.JagValueError, "key 'a'"),
        ({}, aj.JagValueError, "at least one key"),
        (3, aj.JagTypeError, "takes a mapping from keys to arrays"),
    ):
        with pytest.raises(error, match=re.escape(text)):
            to_keyed(columns)
    with pytest.raises(aj.ShapeError, match="the weights of 'a' must have the sizes"):
        to_keyed({"a": x}, {"a": aj.array([[1.0], [2.0, 3.0]])})
    with pytest.raises(aj.ShapeError, match="3 lengths can't be divided among 2 keys"):
        from_keyed([1, 1, 1], [1, 2, 3], ["a", "b"])
    with pytest.raises(aj.ShapeError, match="has 2 places, got 3 values"):
        from_keyed([1, 1], [1, 2, 3], ["a", "b"])
    with pytest.raises(aj.JagTypeError, match="takes lengths, values and keys"):
        from_keyed([1, 1])
