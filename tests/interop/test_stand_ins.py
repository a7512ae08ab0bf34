"""Conversions to and from libraries that are rarely installed, with stand-ins: what the core does for them."""

from __future__ import annotations

import copy
import re
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.interop.awkward import from_awkward, to_awkward
from arrowjag.interop.datasets import from_datasets, to_datasets
from arrowjag.interop.koladata import from_koladata, to_koladata
from arrowjag.interop.torch import from_keyed, from_torch, to_keyed, to_torch
from arrowjag.testing import assert_equal, jagged_arrays
from tests.hosts import pd, pl
from tests.interop.stand_ins import AWKWARD, DATASETS, KODA, TORCH, Collection, NestedTensor, Tensor, imported

libraries = imported(torch=TORCH, koladata__kd=KODA, awkward=AWKWARD, datasets=DATASETS)

NUMBERS = [pa.bool_(), pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.float16(), pa.float32(), pa.float64()]
FULL = {"nulls": False, "null_rows": False, "allow_nan": False}


# --------------------------------------------------------------------------------------------------- torch


@settings(max_examples=15)
@given(jagged_arrays(leaf=st.sampled_from(NUMBERS), **FULL))
def test_tensors_come_back(x: aj.JaggedArray) -> None:
    values, offsets = to_torch(x, layout="offsets")
    assert_equal(from_torch((values, offsets)), x)
    assert_equal(from_torch(values, offsets), x)
    dense = to_torch(x, layout="dense")
    assert np.array_equal(dense.numpy(), x.to_dense())
    if len(offsets) < 2:
        assert from_torch(to_torch(x)).to_list() == x.to_list()
    if x.ndim == 2 and x.shape.extents[1] is None:
        keyed = to_keyed({"a": x, "b": x[::-1]}, {"b": x[::-1], "a": x})
        back = from_keyed(keyed)
        for name, expected in (("a", x), ("b", x[::-1])):
            assert back[name]["value"].to_list() == back[name]["weight"].to_list() == expected.to_list()
        assert_equal(from_keyed(keyed.lengths, keyed.values, keyed.keys)["a"], from_torch(values, offsets))


def test_tensors_share_values_and_offsets() -> None:
    x = aj.array([[1.0, 2.0], [3.0]])
    values, (offsets,) = to_torch(x, layout="offsets")
    assert values.data.ctypes.data == x.values.buffers()[1].address
    assert offsets.data.ctypes.data == x.shape.offsets[1].ctypes.data
    assert from_torch(values, offsets).values.buffers()[1].address == x.values.buffers()[1].address
    assert to_torch(aj.from_arrow(pa.array([[9.0], [1.0, 2.0], [3.0]]).slice(1)), layout="offsets")[0].tolist() == [1.0, 2.0, 3.0]


def test_declared_dims_at_the_end_are_dims_of_the_values() -> None:
    x = aj.JaggedArray(aj.JaggedShape(3, [2, 0, 1], 2), np.arange(6.0))
    values, (offsets,) = to_torch(x, layout="offsets")
    assert (values.shape, values.tolist(), offsets.tolist()) == ((3, 2), [[0, 1], [2, 3], [4, 5]], [0, 2, 2, 3])
    table = np.arange(6.0).reshape(2, 3)
    for layout in ("nested", "dense"):
        assert to_torch(aj.array(table), layout=layout).tolist() == table.tolist()
    assert from_torch(Tensor(table)).shape.extents[1:] == (3,)


def test_nested_tensors_with_holes_and_other_layouts() -> None:
    holes = NestedTensor(Tensor(np.arange(20.0)), Tensor([0, 6, 12, 15, 20]), Tensor([2, 3, 0, 5]))
    assert from_torch(holes).to_list() == [[0, 1], [6, 7, 8], [], [15, 16, 17, 18, 19]]
    assert aj.array(holes).to_list() == from_torch(holes).to_list()
    with pytest.raises(aj.ShapeError, match=r"from_torch takes nested tensors of layout torch\.jagged, got torch\.strided"):
        from_torch(NestedTensor(Tensor([1]), Tensor([0, 1]), layout="torch.strided"))
    with pytest.raises(aj.ShapeError, match="array: the jagged dim must be dim 1, got dim 2"):
        aj.array(NestedTensor(Tensor([1]), Tensor([0, 1]), dim=2))
    with pytest.raises(aj.ShapeError, match=r"a nested tensor has one jagged dim, .* has 2"):
        to_torch(aj.array([[[1]], [[1, 2], []]]))


def test_torch_has_no_nulls_text_and_complex_numbers() -> None:
    for x, text in ((aj.array([[1, None]]), "torch has no nulls, got 1"), (aj.array([[1], None]), "torch has no null rows")):
        with pytest.raises(aj.JagValueError, match=text):
            to_torch(x)
        with pytest.raises(aj.JagValueError, match="key 'a'"):
            to_keyed({"a": x})
    with pytest.raises(aj.JagTypeError, match=r"to_torch has no kernel for .*string"):
        to_torch(aj.array([["a"]]))
    with pytest.raises(aj.JagTypeError, match=r"no kernel for torch\.complex64"):
        from_torch(Tensor(np.ones(2, "c8")))
    with pytest.raises(aj.OffsetsError, match="is 9, but there are 3"):
        from_torch(Tensor(np.arange(3)), Tensor([0, 1, 9]))


def test_keyed_tensors() -> None:
    clicks = {"item": aj.array([[1, 2], [], [3]]), "shop": aj.array([[7], [8, 9], []])}
    weights = {name: one * 0.5 for name, one in reversed(clicks.items())}
    keyed = to_keyed(clicks, weights)
    assert (keyed.keys, keyed.lengths.tolist()) == (["item", "shop"], [2, 0, 1, 1, 2, 0])
    assert (keyed.values.tolist(), keyed.weights.tolist()) == ([1, 2, 3, 7, 8, 9], [0.5, 1.0, 1.5, 3.5, 4.0, 4.5])
    assert from_keyed(keyed)["shop"].to_list() == [[{"value": 7, "weight": 3.5}], from_keyed(keyed)["shop"].to_list()[1], []]
    for frame in (pd.DataFrame(clicks), pl.DataFrame(clicks)):
        assert to_keyed(frame).values.tolist() == keyed.values.tolist()
    for call, error, text in (
        (lambda: to_keyed(clicks, {"item": clicks["item"]}), aj.ShapeError, "the weights of 'shop' must have the sizes"),
        (lambda: to_keyed(clicks, clicks | {"shop": clicks["item"]}), aj.ShapeError, "the weights of 'shop' must have the sizes"),
        (lambda: to_keyed({"a": clicks["item"], "b": clicks["item"][:1]}), aj.ShapeError, "got {'a': 3, 'b': 1}"),
        (lambda: to_keyed({"a": aj.array([[[1]]])}), aj.ShapeError, "key 'a' must have 2 dims"),
        (lambda: to_keyed({}), aj.JagValueError, "at least one key"),
        (lambda: to_keyed(3), aj.JagTypeError, "takes a mapping from keys to arrays or a DataFrame, got int"),
        (lambda: from_keyed([1, 1, 1], [1, 2, 3], ["a", "b"]), aj.ShapeError, "3 lengths can't be divided among 2 keys"),
        (lambda: from_keyed([1, 1]), aj.JagTypeError, "takes lengths, values and keys"),
        (lambda: from_torch((Tensor([1]),)), aj.JagTypeError, "takes (values, offsets) or two arguments, got a tuple of 1"),
        (lambda: from_torch((Tensor([1]), Tensor([0, 1])), 5), aj.JagTypeError, "or two arguments, got a tuple of 2"),
        (lambda: from_torch(Tensor(5)), aj.ShapeError, "from_torch takes values of one dim or more, got the scalar 5"),
        (lambda: from_torch(3), aj.JagTypeError, "from_torch takes tensors, got int"),
        (lambda: from_torch(Tensor), aj.JagTypeError, "from_torch takes tensors, got type"),
    ):
        with pytest.raises(error, match=re.escape(text)):
            call()


@pytest.mark.parametrize("dtype", ["f4", "f2", "i1", "?"])
def test_tensors_as_data_and_operands(dtype: str) -> None:
    """Tensors with gradients keep their type as rows, as operands and as arguments, on every surface."""
    block = np.ones((2, 3), dtype)
    t, like, leaf = Tensor(block, requires_grad=True), aj.array(block), aj.array(block).type
    assert aj.array(t).equals(like)
    assert aj.array(t).shape.extents == like.shape.extents
    rows = list(t)
    assert aj.array([rows[0], None, rows[1]]).equals(aj.array([block[0], None, block[1]]))
    one, flat = Tensor(block[0, 0], requires_grad=True), Tensor(block[:, 0], requires_grad=True)
    assert aj.array(one).type == leaf
    assert (aj.full([1], one).type, aj.full([1], one).to_list()) == (leaf, aj.full([1], block[0, 0]).to_list())
    if dtype == "?":
        return
    x = aj.array([[1, None], [2, 3]], type=pa.float32())
    for surface in (lambda x: x, lambda x: x.to_pandas().jag, lambda x: x.to_polars().jag):
        held = surface(x)
        for call in CALLS:
            made, expected = aj.array(call(held, one, flat)), aj.array(call(held, block[0, 0], block[:, 0]))
            assert (made.type, made.to_list()) == (expected.type, expected.to_list())


CALLS: list[Any] = [
    lambda x, one, flat: x * flat,
    lambda x, one, flat: x + one,
    lambda x, one, flat: x > one,
    lambda x, one, flat: x.fill_null(one),
    lambda x, one, flat: x.fill_null(flat),
    lambda x, one, flat: x.clip(one, one),
    lambda x, one, flat: x.replace(one, 5),
    lambda x, one, flat: x.remove(one),
    lambda x, one, flat: x.contains(one),
    lambda x, one, flat: x.append(flat),
    lambda x, one, flat: x.pad(3, one),
]


# --------------------------------------------------------------------------------------------------- dask


def test_collections_are_computed() -> None:
    block, x = np.ones((2, 3), "f4"), aj.array([[1, None], [2, 3]], type=pa.float32())
    assert aj.array(Collection(block)).equals(aj.array(block))
    masked = np.ma.array([1, 2], mask=[True, False], dtype="i2")
    assert aj.array(Collection(masked)).equals(aj.array(masked))
    assert (x * Collection(block[:, 0])).equals(x)
    assert x.fill_null(Collection(block[0, 0])).equals(x.fill_null(block[0, 0]))
    assert aj.where(x > 1, Collection(block[:, 0]), x).equals(aj.where(x > 1, block[:, 0], x))
    for column in (x, x.to_pandas(), x.to_polars()):
        assert aj.array(Collection(column)).equals(x)


# --------------------------------------------------------------------------------------------------- koladata


KODA_TYPES = [pa.int32(), pa.int64(), pa.float32(), pa.float64(), pa.bool_(), pa.large_string(), pa.large_binary(), pa.null()]


@settings(max_examples=15)
@given(jagged_arrays(leaf=st.sampled_from(KODA_TYPES), null_rows=False, allow_nan=False))
def test_slices_of_koda_come_back(x: aj.JaggedArray) -> None:
    there = to_koladata(x)
    assert there.flatten().to_py() == x.values.to_pylist()
    back = from_koladata(there)
    assert (back.type, back.shape, back.to_list()) == (x.type, x.shape, x.to_list())


def test_what_koda_lacks() -> None:
    with pytest.raises(aj.JagValueError, match="koladata has no null rows, got one at dim 1, row 1"):
        to_koladata(aj.array([[1], None]))
    with pytest.raises(aj.JagTypeError, match="to_koladata has no kernel for int8"):
        to_koladata(aj.array([[1]], type=pa.int8()))
    for leaf in (pa.string(), pa.string_view()):
        assert from_koladata(to_koladata(aj.array([["a"]], type=leaf))).type == pa.large_string()
    mask = KODA.slice([True, None], "MASK")
    assert from_koladata(mask).to_list() == [True, None]
    with pytest.raises(aj.JagTypeError, match="takes primitives of one type, got schema OBJECT"):
        from_koladata(KODA.slice([1], "OBJECT"))


# --------------------------------------------------------------------------------------------------- awkward


AWKWARD_TYPES = [
    *NUMBERS,
    pa.string(),
    pa.string_view(),
    pa.date64(),
    pa.dictionary(pa.int8(), pa.string()),
    pa.struct([("a", pa.int32()), ("b", pa.dictionary(pa.uint8(), pa.binary()))]),
]


@settings(max_examples=15)
@given(jagged_arrays(leaf=st.sampled_from(AWKWARD_TYPES), allow_nan=False), st.integers(0, 3))
def test_arrays_of_awkward_come_back(x: aj.JaggedArray, start: int) -> None:
    for one in (x, x[start:], aj.from_arrow(x.to_arrow().slice(start), ndim=x.ndim)):
        there = to_awkward(one)
        assert there.to_list() == one.to_list()
        assert from_awkward(there, ndim=one.ndim).to_list() == one.to_list()


@pytest.mark.parametrize("leaf", AWKWARD_TYPES, ids=str)
def test_slices_of_each_type_for_awkward(leaf: pa.DataType) -> None:
    numbers = aj.array([[1], [0, None], None, [], [1, 0, None, 1]])
    if pa.types.is_struct(leaf):
        x = aj.zip(**{field.name: numbers.cast("string").cast(field.type) for field in leaf})
    else:
        x = numbers.cast("bool" if pa.types.is_boolean(leaf) else "date32" if leaf == pa.date64() else "string").cast(leaf)
    for one in (x, x[1:], x[2:4], x[4:], x[:0]):
        assert to_awkward(one).to_list() == one.to_list()


@pytest.mark.parametrize("leaf", [pa.timestamp("us", "UTC"), pa.time32("s"), pa.decimal128(5, 2)], ids=str)
def test_what_awkward_lacks(leaf: pa.DataType) -> None:
    for type in (leaf, pa.struct([("f", leaf)]), pa.struct([("f", pa.list_(leaf))])):
        with pytest.raises(aj.JagTypeError, match="awkward would lose part of it"):
            to_awkward(aj.array([[None]], type=type))


# --------------------------------------------------------------------------------------------------- datasets


HF_LEAVES = [pa.int64(), pa.int32(), pa.float64(), pa.bool_(), pa.string(), pa.large_string(), pa.timestamp("us")]


@settings(max_examples=15)
@given(jagged_arrays(st.integers(2, 3), st.sampled_from(HF_LEAVES), allow_nan=False), st.data())
def test_datasets_come_back(x: aj.JaggedArray, data: st.DataObject) -> None:
    made = to_datasets({"v": x, "k": list(range(len(x)))})
    assert not any(isinstance(one.type, pa.BaseExtensionType) for one in made.data.table.schema)
    assert_equal(aj.from_arrow(from_datasets(made)["v"]), x)
    picked = data.draw(st.lists(st.integers(0, len(x) - 1), max_size=3)) if len(x) else []
    some = from_datasets(made.select(picked), ["v"])
    assert some.column_names == ["v"]
    assert aj.from_arrow(some["v"]).to_list() == x[np.array(picked, int)].to_list()


def test_datasets_of_each_host_and_what_they_lack() -> None:
    made = to_datasets({"v": aj.array([[1, 2], None, []]), "k": [1, 2, 3]})
    assert from_datasets(made, to="pandas")["v"].jag.sum().tolist()[::2] == [3, 0]
    assert from_datasets(made, ["v"], to="polars")["v"].jag.sum().to_list() == [3, None, 0]
    assert isinstance(from_datasets(made, ["v"], to="polars"), pl.DataFrame)
    for wrong, error, text in (
        ([1], aj.JagTypeError, r"takes a datasets\.Dataset, got list"),
        (copy, aj.JagTypeError, r"takes a datasets\.Dataset, got module"),
    ):
        with pytest.raises(error, match=text):
            from_datasets(wrong)
    with pytest.raises(aj.JagIndexError, match=r"the dataset has no column 'x'; it has \['v', 'k'\]"):
        from_datasets(made, ["x"])


# --------------------------------------------------------------------------------------------------- arrays of other devices


class DeviceArray:
    """An array on a GPU, which numpy must not copy by itself."""

    __cuda_array_interface__: Any = None

    def __init__(self, data: Any) -> None:
        self.ndim, self.dtype, self.shape = data.ndim, data.dtype, data.shape

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        raise TypeError("Implicit conversion to a NumPy array is not allowed. Please use `.get()`")

    def __len__(self) -> int:
        return int(self.shape[0])

    def __iter__(self) -> Any:
        raise AssertionError("reading items one by one copies each from the device")


@pytest.mark.parametrize("call", [*CALLS, lambda x, one, flat: x == one, lambda x, one, flat: x.is_in(flat)])
def test_arrays_of_other_devices_are_refused(call: Any) -> None:
    x, block = aj.array([[1, None], [2, 3]], type=pa.float32()), np.ones((2, 3), "f4")
    for surface in (lambda x: x, lambda x: x.to_pandas().jag, lambda x: x.to_polars().jag):
        with pytest.raises(aj.JagTypeError, match=r"numpy can't read a DeviceArray: .*Please use `\.get\(\)`"):
            call(surface(x), DeviceArray(block[0, 0]), DeviceArray(block[:, 0]))
    for data in (DeviceArray(block), [DeviceArray(block[0]), None]):
        with pytest.raises(aj.JagTypeError, match=r"numpy can't read a DeviceArray: .*Please use `\.get\(\)`"):
            aj.array(data)
