"""where, coalesce, fill_null, concat, stack, zip, align and apply against the oracle, and by example."""

from __future__ import annotations

from typing import Any
from unittest import mock

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._column import to_arrow
from arrowjag._kernels import laying
from arrowjag._ops import select, structure
from arrowjag._ops.elementwise import blockwise, choosing
from arrowjag.testing import assert_lists_equal, jagged_arrays, leaf_types, leaf_values, prefix_arrays
from tests import reference as ref
from tests.reference import Jag

depths = st.integers(1, 3)


def jag(x: Any) -> Jag:
    return Jag(x.to_list(), x.ndim) if isinstance(x, aj.JaggedArray) else Jag(x.as_py(), 0)


def as_list(result: Any) -> Any:
    return result.as_py() if isinstance(result, pa.Scalar) else result.to_list()


def outcome(function: Any) -> Any:
    """What a call gives, or that shapes don't fit: where one operand has a null row, the others' rows need not agree."""
    try:
        return function()
    except ValueError:
        return "ValueError"


def assert_same(ours: Any, oracle: Any) -> None:
    assert_lists_equal(outcome(lambda: as_list(ours())), outcome(oracle))


def same_leaves(count: int, ndims: st.SearchStrategy[int] = depths) -> st.SearchStrategy[Any]:
    """Arrays of any one leaf type that fit each other."""
    shapes = st.lists(ndims, min_size=count, max_size=count)
    return st.tuples(shapes, leaf_types()).flatmap(lambda pair: prefix_arrays(pair[0], pair[1], allow_nan=False))


# ---------------------------------------------------------------------------------------------------------------- where


@given(st.tuples(depths, depths, depths).flatmap(lambda n: prefix_arrays(n, [pa.bool_(), pa.int64(), pa.int64()])))
def test_where_takes_rows_from_the_operand_that_supplies_them(operands: tuple[aj.JaggedArray, ...]) -> None:
    c, x, y = operands
    assert_same(lambda: aj.where(c, x, y), lambda: ref.where(jag(c), jag(x), jag(y)))


@given(
    st.tuples(depths, depths).flatmap(lambda n: prefix_arrays(n, [pa.int64(), pa.int64()])),
    st.sampled_from([True, False, None]),
    st.integers(0, 2),
)
def test_where_with_scalars(pair: tuple[aj.JaggedArray, ...], flag: bool | None, which: int) -> None:
    operands: list[Any] = [pa.scalar(flag, pa.bool_()), *pair]
    if which:
        operands = [pair[0] > 0, pair[1], pa.scalar(7, pa.int64())]
        operands[1:] = operands[1:] if which == 1 else operands[:0:-1]
    assert_same(lambda: aj.where(*operands), lambda: ref.where(*map(jag, operands)))


@given(leaf_types().flatmap(lambda leaf: prefix_arrays((2, 2, 2), [pa.bool_(), leaf, leaf], allow_nan=False)))
def test_where_of_every_leaf_type(operands: tuple[aj.JaggedArray, ...]) -> None:
    c, x, y = operands
    assert_same(lambda: aj.where(c, x, y), lambda: ref.where(jag(c), jag(x), jag(y)))
    assert aj.where(x.is_null(), x, x).type == x.type


def test_where_of_scalars_is_a_scalar_and_types_promote() -> None:
    assert aj.where(True, 1, 2).as_py() == 1
    assert aj.where([True, False], 1, 2.5).type == pa.float64()
    assert aj.where(aj.array([[True], [None]]), [1, 2], 9).to_list() == [[1], [None]]
    with pytest.raises(TypeError, match="boolean"):
        aj.where([1, 0], 1, 2)
    with pytest.raises(TypeError, match="boolean"):
        aj.where([1, 0], aj.array([[1], None]), [1, 2])
    with pytest.raises(ValueError, match="row 0 has 2 items"):
        aj.where([True, False], aj.array([[1], None]), aj.array([[1, 2], [3]]))


def with_holes(x: aj.JaggedArray, rng: np.random.Generator, share: float) -> aj.JaggedArray:
    """An array some of whose rows became null."""
    keep = rng.random(len(x)) >= share
    return aj.from_arrow(pc.if_else(pa.array(keep), x.to_arrow(extension=False), None))


@pytest.mark.parametrize("type", [pa.float64(), pa.int16(), pa.bool_(), pa.decimal128(20, 2), pa.string(), pa.time32("s")], ids=str)
@pytest.mark.parametrize("deep", [False, True])
def test_many_rows_are_lent_as_few_are(type: pa.DataType, deep: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    sizes = rng.integers(0, 12, 6000)
    n = int(sizes.sum())

    def array(leaf: pa.DataType) -> aj.JaggedArray:
        leaves = pa.array(rng.integers(0, 2, n, dtype=np.int32), mask=rng.random(n) < 0.1).cast(leaf)
        x = with_holes(aj.JaggedArray(aj.JaggedShape(6000, sizes.tolist()), leaves), rng, 0.05)
        if not deep:
            return x
        lists = pa.LargeListArray.from_arrays(pa.array(np.arange(0, 6001, 3)), x.to_arrow(extension=False))
        return with_holes(aj.from_arrow(lists), rng, 0.05)

    c, x, y, z = array(pa.bool_()), array(type), array(type), array(type)
    flat = x.first().first() if deep else x.first()

    def results() -> list[Any]:
        return [
            aj.where(c, x, y),
            aj.where(c, x, flat),
            aj.where(c, flat, y[: len(y)]),
            aj.where(x.is_null(), y, x),
            aj.where(c, x, flat.values[3] if flat.values[3].is_valid else flat.values[4]),
            aj.coalesce(x, y),
            aj.coalesce(x, y, z, flat),
            x.fill_null(y),
            aj.coalesce(flat, x),
        ]

    fast = results()
    monkeypatch.setattr(laying, "_FEWEST_VALUES", 10**9)
    monkeypatch.setattr(select, "_near_dim", lambda *_: None)
    monkeypatch.setattr(choosing, "_same_rows", lambda columns: all(column.shape.dims[1:] == () for column in columns))
    monkeypatch.setattr(blockwise, "choose", lambda *_: None)
    for one, two in zip(fast, results(), strict=True):
        assert one.type == two.type
        assert one.equals(two)


def in_one_row(x: aj.JaggedArray) -> aj.JaggedArray:
    """An array as the only row of another one."""
    lists = pa.LargeListArray.from_arrays(pa.array([0, len(x)], pa.int64()), x.to_arrow(extension=False))
    return aj.from_arrow(lists, ndim=x.ndim + 1)


@given(leaf_types().flatmap(lambda leaf: prefix_arrays((2, 2, 2), [pa.bool_(), leaf, leaf], allow_nan=False)), st.booleans())
def test_few_rows_are_lent_as_many_are(operands: tuple[aj.JaggedArray, ...], deep: bool) -> None:
    c, x, y = map(in_one_row, operands) if deep else operands

    def results() -> list[Any]:
        ways = [lambda: aj.where(c, x, y), lambda: aj.where(c, x, x.values[0]) if x.size else x, lambda: aj.coalesce(x, y)]
        return [outcome(lambda way=way: way().to_arrow()) for way in (*ways, lambda: x.fill_null(y))]

    slow = results()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(select, "_FEW", 0)
        patch.setattr(laying, "_FEWEST_VALUES", 0)
        patch.setattr(laying, "_SHORTEST", 0)
        patch.setattr(blockwise, "FEWEST_CHOICES", 0)
        fast = results()
    for one, two in zip(slow, fast, strict=True):
        assert type(one) is type(two)
        assert one == two if isinstance(one, str) else (one.type == two.type and one.to_pylist() == two.to_pylist())


@given(leaf_types().flatmap(lambda leaf: jagged_arrays(st.integers(2, 4), leaf, allow_nan=False)), st.data())
def test_rows_become_null_in_runs_as_they_do_item_by_item(x: aj.JaggedArray, data: st.DataObject) -> None:
    axis = data.draw(st.integers(0, x.ndim - 2))
    n = x.shape.nodes(axis + 1)
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)), bool)
    slow = structure.null_items(x, axis + 1, mask)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(laying, "_FEWEST_VALUES", 0)
        patch.setattr(laying, "_SHORTEST", 0)
        fast = structure.null_items(x, axis + 1, mask)
    one, two = to_arrow(slow), to_arrow(fast)
    two.validate(full=True)
    assert one.type == two.type
    assert one.to_pylist() == two.to_pylist()
    assert [dim.extent for dim in slow.shape.dims] == [dim.extent for dim in fast.shape.dims]


# ------------------------------------------------------------------------------------------------------------- coalesce


@given(same_leaves(3))
def test_coalesce_fills_leaves_and_rows(operands: tuple[aj.JaggedArray, ...]) -> None:
    assert_same(lambda: aj.coalesce(*operands), lambda: ref.coalesce(*map(jag, operands)))


@given(st.data())
def test_fill_null_by_a_scalar_keeps_null_rows(data: st.DataObject) -> None:
    leaf = data.draw(leaf_types())
    x = data.draw(jagged_arrays(depths, leaf, allow_nan=False))
    scalar = pa.array([data.draw(leaf_values(leaf, allow_nan=False))], leaf)[0]
    assert_lists_equal(x.fill_null(scalar).to_list(), ref.fill_null(x.to_list(), x.ndim, scalar.as_py()))


@given(same_leaves(2))
def test_fill_null_is_coalesce(pair: tuple[aj.JaggedArray, ...]) -> None:
    x, filler = pair
    assert_same(lambda: x.fill_null(filler), lambda: aj.coalesce(x, filler).to_list())


def test_coalesce_by_example() -> None:
    x = aj.array([[1, None], None, None])
    assert aj.coalesce(x, aj.array([[7, 8], [9], None]), 0).to_list() == [[1, 8], [9], None]
    assert aj.coalesce(None, 3).as_py() == 3
    assert aj.coalesce(None, aj.array([[1, None]])).to_list() == [[1, None]]
    assert aj.coalesce(x, [4, 5, 6]).to_list() == [[1, 4], None, None]
    with pytest.raises(TypeError, match="at least one"):
        aj.coalesce()


def test_categories_stay_categories_whether_any_is_missing_or_not() -> None:
    x, y = (aj.from_sizes(pa.array(words).dictionary_encode(), [2, 0, 1]) for words in (["a", None, "b"], ["c", "d", "e"]))
    assert aj.coalesce(x, y).to_list() == [["a", "d"], [], ["b"]]
    for one, two in ((x, y), (y, x), (x[:0], y[:0])):
        assert one.fill_null(two).type == aj.coalesce(one, two).type == aj.where(one.is_null(), two, one).type == x.type


def test_null_rows_are_filled_from_rows_or_from_one_row() -> None:
    x = aj.array([[1], None, [2, None]])
    assert x.fill_null_rows([]).to_list() == [[1], [], [2, None]]
    assert x.fill_null_rows([7, 8]).to_list() == [[1], [7, 8], [2, None]]
    assert x.fill_null_rows([[], [0.5], None]).to_list() == [[1], [0.5], [2, None]]
    deep = aj.array([[[1], None], None])
    assert deep.fill_null_rows([[5]]).to_list() == [[[1], None], [[5]]]
    assert deep.fill_null_rows([5], axis=1).to_list() == [[[1], [5]], None]
    assert aj.array([1, None]).fill_null_rows(3).to_list() == [1, 3]
    with pytest.raises(ValueError, match="does not have the rows"):
        x.fill_null_rows([[1], [2]])


@given(st.tuples(st.integers(1, 2), leaf_types()).flatmap(lambda p: prefix_arrays((p[0] + 1, p[0] + 1), p[1], null_rows=True)))
def test_null_rows_come_from_the_other_array(pair: tuple[aj.JaggedArray, ...]) -> None:
    x, other = pair
    expected = [theirs if mine is None else mine for mine, theirs in zip(x.to_list(), other.to_list(), strict=True)]
    assert_lists_equal(x.fill_null_rows(other).to_list(), expected)


# ------------------------------------------------------------------------------------------------------ concat and stack


@given(st.integers(1, 3).flatmap(lambda n: st.lists(jagged_arrays(n, pa.int32()), min_size=1, max_size=3)))
def test_concat_of_rows(parts: list[aj.JaggedArray]) -> None:
    assert aj.concat(parts).to_list() == ref.concat([x.to_list() for x in parts], parts[0].ndim, 0)


@given(st.tuples(st.integers(2, 4), leaf_types(), st.data()))
def test_concat_inside_rows(drawn: tuple[int, pa.DataType, st.DataObject]) -> None:
    ndim, leaf, data = drawn
    axis = data.draw(st.integers(1, ndim - 1))
    frames = data.draw(prefix_arrays((axis,) * 3 if axis > 1 else (1, 1, 1), pa.int64()))
    length = len(frames[0])
    parts = []
    for frame in frames:
        below = jagged_arrays(ndim - axis, leaf, max_size=2, small=True, allow_nan=False).map(lambda x: x.to_list())
        nested = ref.at_depth(lambda _, below=below: data.draw(below), frame.to_list(), axis)
        parts.append(aj.array(nested, type=leaf, ndim=ndim))
    got = aj.concat(parts, axis=axis)
    assert got.type == leaf
    assert len(got) == length
    assert_lists_equal(got.to_list(), ref.concat([x.to_list() for x in parts], ndim, axis))


@given(same_leaves(3), st.integers(0, 3))
def test_stack(parts: tuple[aj.JaggedArray, ...], axis: int) -> None:
    ndim = max(x.ndim for x in parts)
    axis = min(axis, ndim)
    got = aj.stack(parts, axis=axis)
    assert got.shape.extents[axis] == 3 or axis == 0
    assert_lists_equal(got.to_list(), ref.stack([jag(x) for x in parts], axis))


def test_koda_examples_of_concat_and_stack() -> None:
    assert aj.concat([aj.array([[1], []]), aj.array([[], [2]])], axis=1).to_list() == [[1], [2]]
    a, b = aj.array([[1, None, 3], [4]]), aj.array([[7, 7, 7], [7]])
    assert aj.stack([a, b], axis=-1).to_list() == [[[1, 7], [None, 7], [3, 7]], [[4, 7]]]
    assert aj.stack([a, b], axis=1).to_list() == [[[1, None, 3], [7, 7, 7]], [[4], [7]]]
    assert aj.stack([a, b]).to_list() == [a.to_list(), b.to_list()]
    assert aj.stack([1, 2]).to_list() == [1, 2]
    assert aj.stack([aj.array([[1], [2]]), aj.array([[3, 4], []])[:, :1].pad(1)], axis=1).shape == aj.JaggedShape(2, 2, 1)


def test_types_promote_and_extents_add_up() -> None:
    ones, twos = aj.array(np.ones((2, 1), np.int8)), aj.array(np.ones((2, 2), np.float32))
    both = aj.concat([ones, twos], axis=1)
    assert both.type == pa.float32()
    assert both.shape.extents[1] == 3
    assert aj.concat([ones, ones]).shape.extents[1] == 1
    assert aj.concat([ones, twos]).shape.extents[1] is None
    letters = [aj.array(pa.array(one).dictionary_encode()) for one in (["a", "b"], ["c", "a"])]
    assert aj.concat(letters).to_list() == ["a", "b", "c", "a"]


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: aj.concat([]), ValueError, "at least one"),
        (lambda: aj.concat([aj.array([1]), aj.array([[1]])]), ValueError, "one ndim"),
        (lambda: aj.concat([1, 2]), ValueError, "one ndim"),
        (lambda: aj.concat([aj.array([[1]]), aj.array([[1], [2]])], axis=1), ValueError, "concat: "),
        (lambda: aj.concat([aj.array([[1]]), aj.array([["a"]])]), TypeError, "no common type"),
        (lambda: aj.concat([aj.array([[1]])], axis=2), IndexError, "axis 2"),
        (lambda: aj.concat(aj.array([[1]])), TypeError, "list of arrays"),
        (lambda: aj.stack([aj.array([[1, 2]]), aj.array([[1]])]), ValueError, "row 0 has"),
        (lambda: aj.stack([]), ValueError, "at least one"),
    ],
)
def test_joining_refuses(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()


# ------------------------------------------------------------------------------------------------ zip, align and apply


@given(prefix_arrays(None, [leaf_types(), leaf_types()], allow_nan=False))
def test_zip_makes_structs(pair: tuple[aj.JaggedArray, ...]) -> None:
    x, y = pair
    got = aj.zip(x=x, y=y)
    assert got.fields == ["x", "y"]
    assert_lists_equal(got.to_list(), ref.zip_fields(x=jag(x), y=jag(y)))


def test_zip_takes_scalars_and_positions() -> None:
    assert aj.zip([1, 2], b=None).to_list() == [{"0": 1, "b": None}, {"0": 2, "b": None}]
    assert aj.zip(a=1).as_py() == {"a": 1}
    with pytest.raises(TypeError):
        aj.zip()


@given(same_leaves(3))
def test_align(operands: tuple[aj.JaggedArray, ...]) -> None:
    found = aj.align(*operands)
    for got, expected in zip(found, ref.align(*map(jag, operands)), strict=True):
        assert got.shape == found[0].shape
        assert_lists_equal(got.to_list(), expected)


@given(prefix_arrays(count=3) | st.tuples(jagged_arrays(depths), jagged_arrays(depths)), st.integers(0, 1))
def test_shapes_that_agree_at_a_glance_are_aligned_as_any(operands: tuple[aj.JaggedArray, ...], levels: int) -> None:
    def met() -> Any:
        cut = structure.agree(operands, "test", levels=levels)
        return [(x.to_list(), x.shape.extents) for x in (*aj.align(*operands), *map(aj.JaggedArray._of, cut))]

    levels = min(levels, *(x.ndim for x in operands))
    found = outcome(met)
    with mock.patch.object(structure, "_agree_already", return_value=False):
        expected = outcome(met)
    assert str(found) == str(expected)


def test_align_of_nothing_of_one_and_of_scalars() -> None:
    x = aj.array([[1], None])
    assert aj.align() == ()
    assert aj.align(x)[0].equals(x)
    assert [one.to_list() for one in aj.align(5, x)] == [[[5], None], [[1], None]]


def test_align_names_dim_and_row() -> None:
    with pytest.raises(aj.ShapeError, match=r"dim 1, row 0 has 2 items here and 1 there"):
        aj.align(aj.array([[1], [2, 3]]), aj.array([[1, 2], [3]]))


@given(prefix_arrays(None, [pa.int64(), pa.int64()]))
def test_apply_calls_any_compute_function(pair: tuple[aj.JaggedArray, ...]) -> None:
    x, y = pair
    expected = ref.elementwise(lambda a, b: a - b, jag(x), jag(y))
    assert aj.apply("subtract", x, y).to_list() == expected
    assert aj.apply(pc.subtract, x, y).to_list() == expected


def test_apply_by_example() -> None:
    x = aj.array([["a b", None], ["c"], None])
    assert aj.apply("utf8_length", x).to_list() == [[3, None], [1], None]
    assert aj.apply("split_pattern", x, pattern=" ").to_list() == [[["a", "b"], None], [["c"]], None]
    assert aj.apply("split_pattern", x, pattern=" ").ndim == 3
    assert aj.apply("coalesce", x, "-").to_list() == [["a b", "-"], ["c"], None]
    assert aj.apply(lambda values: pc.add(values, 1), [1, 2]).to_list() == [2, 3]
    assert aj.apply("add", 1, 2).as_py() == 3


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: aj.apply("no_such", [1]), TypeError, "no function 'no_such'"),
        (lambda: aj.apply("_pc", [1]), TypeError, "no function"),
        (lambda: aj.apply("add"), TypeError, "at least one array"),
        (lambda: aj.apply("sum", [1, 2]), ValueError, "reductions are methods"),
        (lambda: aj.apply("drop_null", [1, None]), ValueError, "does not give one value"),
        (lambda: aj.apply("utf8_upper", [1]), TypeError, "utf8_upper has no kernel for int64"),
    ],
)
def test_apply_refuses(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()
