"""`JaggedShape`: validation, overflow, text, prefixes, flatten, both rules of reshape, and the ways to make one."""

from __future__ import annotations

import copy
import pickle
import re
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag import JaggedShape, dims
from arrowjag.shape import resolve_reshape
from arrowjag.testing import shapes
from tests import reference as ref


def nested(shape: JaggedShape) -> Any:
    """The shape as nested lists of numbered leaves."""
    return ref.from_shape(range(shape.size), shape.unpack()) if shape.ndim else 0


# ------------------------------------------------------------------------------------------------------------ validation


@pytest.mark.parametrize(
    ("specs", "sizes"),
    [
        ((), ()),
        ((2,), ([2],)),
        (([2],), ([2],)),
        ((2, [2, 1]), ([2], [2, 1])),
        ((2, 3, 1), ([2], [3, 3], [1] * 6)),
        ((0, 3), ([0], [])),
        ((3, 0, 5), ([3], [0, 0, 0], [])),
        ((np.int64(2), np.array([1, 2], np.uint8)), ([2], [1, 2])),
        ((2, pa.array([1, 2])), ([2], [1, 2])),
        ((3, 5, (1, 5, 1)), ([3], [5, 5, 5], [1, 2, 3, 4, 5] * 3)),
        ((3, 5, range(1, 6)), ([3], [5, 5, 5], [1, 2, 3, 4, 5] * 3)),
        ((4, ([1, 2], 2)), ([4], [1, 2, 1, 2])),
        ((3, 4, ([5, 7, 3], (4, 3))), ([3], [4] * 3, [5] * 4 + [7] * 4 + [3] * 4)),
        ((8, {1: 2, 4: 3, 5: 1, 7: 2}), ([8], [0, 2, 0, 0, 3, 1, 0, 2])),
        ((2, dims.Affine(1, 2, 1)), ([2], [1, 2])),
    ],
)
def test_dims_are_read_as_written(specs: tuple[Any, ...], sizes: tuple[list[int], ...]) -> None:
    shape = JaggedShape(*specs)
    assert shape.unpack() == sizes
    assert shape.size == (sum(sizes[-1]) if sizes else 1)
    assert shape.ndim == len(shape) == len(sizes)


@pytest.mark.parametrize(
    ("specs", "text"),
    [
        (([1, 2],), "dim 0: 2 row sizes for 1 row"),
        (([],), "dim 0: 0 row sizes for 1 row"),
        ((2, [2]), "dim 1: 1 row size for 2 rows"),
        ((2, []), "dim 1: 0 row sizes for 2 rows"),
        ((2, [1, 2, 3]), "dim 1: 3 row sizes for 2 rows"),
        ((-1,), "at least 0"),
        ((2, [-1, 3]), "at least 0"),
        ((2, -1), "at least 0"),
        ((2, ([1, 2, 3], 1)), "dim 1"),
        ((2, [1, 2], ([3, 4], 1)), "dim 2"),
    ],
)
def test_shapes_that_do_not_fit_raise_shape_error(specs: tuple[Any, ...], text: str) -> None:
    with pytest.raises(aj.ShapeError, match=text):
        JaggedShape(*specs)


@pytest.mark.parametrize(
    "spec",
    [True, 1.0, None, "a", [True], [1.0], [None], np.array([1.5]), pa.array([1, None])],
    ids=["True", "1.0", "None", "text", "[True]", "[1.0]", "[None]", "numpy", "arrow"],
)
def test_sizes_are_integers(spec: Any) -> None:
    with pytest.raises(TypeError, match=r"must be integers|must be an? int|takes sizes"):
        JaggedShape(spec)


@pytest.mark.parametrize("specs", [(2, 2**62), (2**32, 2**32), (2, [2**62, 2**62]), (2**62, (2, 2**62))], ids=repr)
def test_totals_past_63_bits_are_an_overflow(specs: tuple[Any, ...]) -> None:
    with pytest.raises((aj.ShapeError, aj.JagOverflowError), match="overflow"):
        JaggedShape(*specs)


def test_huge_shapes_take_no_memory() -> None:
    shape = JaggedShape(10**9, 10**9)
    assert shape.size == 10**18
    assert hash(shape) == hash(JaggedShape(10**9, (10**9, 10**9)))
    assert shape == JaggedShape(10**9, (10**9, 10**9))
    assert repr(shape) == "JaggedShape(1000000000, 1000000000)"
    assert shape[:1] == JaggedShape(10**9)
    affine, runs = JaggedShape(10**9, (1, 10**9, 1)), JaggedShape(2, [10**9, 2], ([5, 7], [10**9, 2]))
    assert affine.flatten() == affine.flatten_end() == JaggedShape(10**9 * (10**9 + 1) // 2)
    assert runs.flatten(1).unpack() == ([2], [5 * 10**9, 14])
    assert JaggedShape(2, [10**9, 2], 10**9).flatten(1).unpack() == ([2], [10**18, 2 * 10**9])


def test_dims_merge_with_empty_and_null_rows_at_their_ends() -> None:
    null = dims.Ragged([0], validity=[False])
    assert JaggedShape(1, null, 3).flatten(1)[1].validity.tolist() == [False]
    assert JaggedShape(3, [0, 2, 0], 0).flatten(1).unpack() == ([3], [0, 0, 0])
    assert JaggedShape(3, [0, 0, 0], 4).flatten(1).unpack() == ([3], [0, 0, 0])
    assert JaggedShape(2, [0, 3], (1, 3, 1), ([2, 0], 3)).flatten(1).unpack() == ([2], [0, 6])


# -------------------------------------------------------------------------------------------------------- text and facts


@pytest.mark.parametrize(
    ("specs", "text"),
    [
        ((), "JaggedShape()"),
        ((1, 2, [1, 2]), "JaggedShape(1, 2, [1, 2])"),
        ((3, 0), "JaggedShape(3, 0)"),
        ((0, 3), "JaggedShape(0, [])"),
        ((6, [0, 1, 2, 3, 4, 5]), "JaggedShape(6, [0, 1, 2, 3, 4, 5])"),
        ((7, [0, 1, 2, 3, 4, 5, 6]), "JaggedShape(7, [0, 1, 2, ..., 4, 5, 6])"),
    ],
)
def test_repr(specs: tuple[Any, ...], text: str) -> None:
    assert repr(JaggedShape(*specs)) == str(JaggedShape(*specs)) == text


def test_encodings_are_a_function_of_the_sizes() -> None:
    text = "(3, 5, Repeat(Affine(1, 5, 1), 3))"
    assert JaggedShape(3, 5, (1, 5, 1)).encodings() == JaggedShape(3, 5, [1, 2, 3, 4, 5] * 3).encodings() == text
    assert JaggedShape(2, [1, 2]).encodings() == "(2, [1, 2])"


def test_describe_explains_dims() -> None:
    shape = JaggedShape(3, dims.Ragged([2, 0, 1], validity=[True, False, True]))
    assert shape.describe().splitlines() == [
        "JaggedShape(3, [2, 0, 1]): 2 dims, 3 items",
        "  dim 0: 1 row of 3 items",
        "  dim 1: 3 rows of 0 to 2 items, 3 in all, 1 null row",
    ]
    assert "each would have 4 items" in JaggedShape(0, 4).describe()


def test_an_int_declares_an_extent_and_a_list_does_not() -> None:
    assert JaggedShape(2, 3).extents == (2, 3)
    assert JaggedShape(2, [3, 3]).extents == (2, None)
    assert JaggedShape(3, 0, 5).extents == (3, 0, 5)


@given(shapes())
def test_equality_and_hash_speak_of_sizes_only(shape: JaggedShape) -> None:
    plain = JaggedShape(*(dims.Ragged(one) for one in shape.unpack()))
    assert shape == plain
    assert hash(shape) == hash(plain)
    assert pickle.loads(pickle.dumps(shape)) == shape
    assert pickle.loads(pickle.dumps(shape)).extents == shape.extents
    assert copy.deepcopy(shape) == copy.copy(shape) == shape
    assert [list(one) for one in shape.sizes] == list(shape.unpack())
    assert all(cut[0] == 0 and cut[-1] == dim.size for cut, dim in zip(shape.offsets, shape, strict=True))


def test_a_shape_equals_shapes_only() -> None:
    assert JaggedShape(2) != (2,)
    assert JaggedShape(2) in [1, JaggedShape(2)]
    assert JaggedShape(0) != JaggedShape()
    assert JaggedShape(2) != JaggedShape(2, 1)


def test_indexing_gives_dims_and_prefixes() -> None:
    shape = JaggedShape(2, [2, 1], [1, 2, 3])
    assert shape[1].tolist() == [2, 1]
    assert shape[-1].tolist() == [1, 2, 3]
    assert shape[:2] == JaggedShape(2, [2, 1])
    assert shape[:-3] == shape[:0] == JaggedShape()
    assert list(shape) == list(shape.dims)


@pytest.mark.parametrize(
    ("key", "error", "text"),
    [
        (3, IndexError, "dim 3 is out of range for .* with 3 dims"),
        (slice(1, None), aj.ShapeError, "must start at 0 with step 1"),
        (slice(None, None, 2), aj.ShapeError, "must start at 0 with step 1"),
        ("a", TypeError, "indexed by an int or a slice, got str"),
        (True, TypeError, "indexed by an int or a slice, got bool"),
    ],
)
def test_an_invalid_part_of_a_shape_raises(key: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        JaggedShape(2, [2, 1], [1, 2, 3])[key]


# ------------------------------------------------------------------------------------------------------------- prefixes


@given(shapes(), st.integers(0, 4))
def test_prefixes_are_prefixes(shape: JaggedShape, depth: int) -> None:
    assert shape[:depth].is_prefix_of(shape)
    assert shape[:depth].is_expandable_to(shape)
    assert JaggedShape.common(shape[:depth], shape) == shape


@given(shapes(), shapes())
def test_is_prefix_of_compares_sizes(one: JaggedShape, two: JaggedShape) -> None:
    assert one.is_prefix_of(two) == (one.unpack() == two.unpack()[: one.ndim])


def test_common_names_the_shape_that_does_not_fit() -> None:
    text = r"JaggedShape\(3\) is not a prefix of JaggedShape\(2, 1\): 3 rows and 2 rows"
    with pytest.raises(aj.ShapeError, match=text):
        JaggedShape.common(JaggedShape(2, 1), JaggedShape(3))
    with pytest.raises(aj.ShapeError, match=r"is not a prefix of .*: dim 1, row 1 has 1 item here and 2 there"):
        JaggedShape.common(JaggedShape(3, [2, 2, 0], [1] * 4), JaggedShape(3, [2, 1, 1]))
    with pytest.raises(TypeError, match="at least one"):
        JaggedShape.common()
    with pytest.raises(aj.JagTypeError, match="takes shapes, got int"):
        JaggedShape.common(JaggedShape(2), 3)
    with pytest.raises(aj.JagTypeError, match="is_prefix_of takes a JaggedShape, got int"):
        JaggedShape(2).is_prefix_of(2)


# ----------------------------------------------------------------------------------------------------- flatten, reshape


@given(shapes(validity=False), st.integers(-6, 6), st.none() | st.integers(-6, 6))
def test_flatten_merges_dims(shape: JaggedShape, first: int, last: int | None) -> None:
    flat = shape.flatten(first, last)
    assert flat.ndim == ref.flatten_ndim(shape.ndim, first, last)
    assert flat.unpack() == ref.shape_of(ref.flatten(nested(shape), shape.ndim, first, last), flat.ndim)


@given(shapes())
def test_flatten_keeps_the_null_rows_of_the_first_dim(shape: JaggedShape) -> None:
    for first in range(1, shape.ndim):
        merged, own = shape.flatten(first).dims[first].validity, shape.dims[first].validity
        assert (merged is None) == (own is None)
        assert own is None or np.array_equal(merged, own)


@given(shapes(validity=False), st.integers(-1, 5))
def test_flatten_end(shape: JaggedShape, n: int) -> None:
    if shape.ndim and 0 <= n <= shape.ndim:
        assert shape.flatten_end(n) == (shape.flatten(-n - 1) if n else shape)
        assert shape.flatten_end(n).ndim == max(shape.ndim - n, 1)
    else:
        with pytest.raises(aj.ShapeError, match="flatten_end"):
            shape.flatten_end(n)


dim_specs = st.integers(-1, 4) | st.lists(st.integers(0, 3), max_size=4)


@given(shapes(validity=False), st.lists(dim_specs, min_size=1, max_size=3))
def test_reshape_equals_the_oracle(shape: JaggedShape, wanted: list[Any]) -> None:
    x = nested(shape)
    for rule, oracle in ((JaggedShape.reshape, ref.reshape), (resolve_reshape, ref.koda_reshape)):
        try:
            expected = oracle(x, shape.ndim, wanted)
        except (ValueError, ZeroDivisionError):
            with pytest.raises(aj.ShapeError, match=r"reshape|^JaggedShape: dim|-1|size|fill"):
                rule(shape, tuple(wanted))
            continue
        assert rule(shape, tuple(wanted)).unpack() == ref.shape_of(expected, _depth(shape, wanted, rule))


def _depth(shape: JaggedShape, wanted: list[Any], rule: Any) -> int:
    return rule(shape, tuple(wanted)).ndim


@pytest.mark.parametrize(
    ("old", "wanted", "new"),
    [
        ((2, 2, [1, 2, 2, 3]), (4, -1), "JaggedShape(4, [1, 2, 2, 3])"),
        ((2, 2, [1, 2, 2, 2]), (4, -1), "JaggedShape(4, [1, 2, 2, 2])"),
        ((2, 2, [1, 2, 2, 3]), (-1,), "JaggedShape(8)"),
        ((12,), (-1, ([1, 2, 3], 2)), "JaggedShape(6, [1, 2, 3, 1, 2, 3])"),
        ((2, 3, 4), (2, [1, 2], -1), "JaggedShape(2, [1, 2], 8)"),
        ((), (1,), "JaggedShape(1)"),
        ((6,), (2, [1, 2], -1), "JaggedShape(2, [1, 2], 2)"),
        ((4,), (-1, [3, 1]), "JaggedShape(2, [3, 1])"),
        ((2, 2), (4,), "JaggedShape(4)"),
    ],
)
def test_reshape_by_example(old: tuple[Any, ...], wanted: tuple[Any, ...], new: str) -> None:
    assert repr(JaggedShape(*old).reshape(*wanted)) == repr(JaggedShape(*old).reshape(wanted)) == new


@pytest.mark.parametrize(
    ("old", "wanted", "text"),
    [
        ((5,), (2, -1), "2 rows can't share 5 items"),
        ((6,), (-1, -1), "at most one -1"),
        ((0,), (-1, 0), "positive size"),
        ((5,), (6,), "5 items can't fill 6 places"),
        ((6,), (-1, 4, 1), "dim 1|can't fill|share"),
    ],
)
def test_errors_of_reshape_name_the_mismatch(old: tuple[Any, ...], wanted: tuple[Any, ...], text: str) -> None:
    with pytest.raises(aj.ShapeError, match=text):
        JaggedShape(*old).reshape(*wanted)


def test_an_unknown_rule_is_refused_for_any_two_dims() -> None:
    for last in (0, 1, 2):
        with pytest.raises(aj.JagValueError, match="transpose_will_shear: rule"):
            JaggedShape(2, 3, 2).transpose_will_shear(0, last, rule="strict")


@given(shapes(), st.data())
def test_transpose_moves_dims_as_arrays_do(shape: JaggedShape, data: st.DataObject) -> None:
    if not shape.ndim:
        return
    a, b = (data.draw(st.integers(-shape.ndim, shape.ndim - 1)) for _ in range(2))
    x = aj.JaggedArray(shape, np.arange(shape.size))
    cases: list[dict[str, Any]] = [{}, {"shear": "raise"}, {"shear": "allow"}]
    for options in cases:
        try:
            expected = x.transpose(a, b, **options).shape
        except aj.ShapeError as error:
            with pytest.raises(aj.ShapeError, match=re.escape(str(error).partition(" of ")[0])):
                shape.transpose(a, b, **options)
            continue
        found = shape.transpose(a, b, **options)
        assert found == expected
        assert found.extents == expected.extents
    assert shape.transpose_will_shear(a, b) == shape.transpose_will_shear(b, a)


def test_moved_dims_keep_what_they_declare() -> None:
    assert JaggedShape(2, 2, 3).transpose(1, 2).extents == (2, 3, 2)
    assert JaggedShape(2, 2, 3, [1] * 12).transpose(1, 2).extents == (2, 3, 2, None)
    assert aj.array(np.arange(12).reshape(2, 2, 3)).permute(0, 2, 1).shape.extents == (2, 3, 2)


# ------------------------------------------------------------------------------------------------------- other makers


def test_repeating_fills_levels_with_plain_lists() -> None:
    assert JaggedShape.repeating(4, [1, 2]) == JaggedShape(4, [1, 2, 1, 2])
    assert JaggedShape.repeating(0, [1, 2], 7).unpack() == ([0], [], [])
    with pytest.raises(aj.ShapeError, match="dim 1"):
        JaggedShape.repeating(3, [1, 2])


@given(shapes())
def test_offsets_and_parents_make_the_shape_again(shape: JaggedShape) -> None:
    assert JaggedShape.from_offsets(*shape.offsets) == shape
    assert JaggedShape.from_parents(*((dim.parents, len(dim)) for dim in shape)) == shape


def test_from_offsets_shares_int64() -> None:
    cut = np.array([0, 2, 3])
    cut.flags.writeable = False
    assert np.shares_memory(JaggedShape.from_offsets([0, 2], cut).offsets[1], cut)


@pytest.mark.parametrize(
    ("offsets", "text"),
    [
        (([0, 2], [0, 2, 1]), "dim 1: .*got 1 at slot 2 after 2"),
        (([1, 2],), "dim 0: .*start at 0"),
        (([],), "dim 0"),
        (([0, 2], [0, 1]), "dim 1: 2 offsets for 1 row, but dim 0 has 2 items"),
        (([0, 1, 2],), "dim 0: 3 offsets for 2 rows, but dim 0 has one row"),
    ],
)
def test_corrupt_offsets_are_named(offsets: tuple[Any, ...], text: str) -> None:
    with pytest.raises(aj.OffsetsError, match=text):
        JaggedShape.from_offsets(*offsets)


@pytest.mark.parametrize(
    ("levels", "error", "text"),
    [
        ((([0, 0], 1), ([0, 2, 1], 3)), aj.ShapeError, "dim 1: parents must not decrease, got 1 for item 2 after 2; sort"),
        ((([0, 0, 1], 1),), aj.ShapeError, "dim 0: parents go from 0 to 0, got 1 for item 2$"),
        ((([0], 1), ([0, 1, 3], 2)), aj.ShapeError, "dim 1: parents go from 0 to 1, got 3 for item 2$"),
        ((([-1, 0], 1),), aj.ShapeError, "dim 0: parents go from 0 to 0, got -1 for item 0$"),
        ((([0.5], 1),), aj.JagTypeError, "dim 0: parents must be a flat sequence of integers, got float64"),
        ((([[0]], 1),), aj.JagTypeError, r"dim 0: parents must be a flat sequence of integers, got \[\[0\]\]"),
        ((([0], 1), ([0], 1.0)), aj.JagTypeError, "dim 1: the number of rows must be an int"),
        ((([0], 1), [0]), aj.JagTypeError, r"dim 1: a level is a pair \(parents, n_parents\), got \[0\]"),
        ((([0], 1), 3), aj.JagTypeError, r"dim 1: a level is a pair \(parents, n_parents\), got 3"),
    ],
)
def test_parents_must_be_sorted_and_in_range(levels: tuple[Any, ...], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        JaggedShape.from_parents(*levels)


@given(shapes(), st.data())
def test_composed_is_the_chain_of_dims(shape: JaggedShape, data: st.DataObject) -> None:
    if shape.ndim < 2:
        return
    first = data.draw(st.integers(0, shape.ndim - 1))
    last = data.draw(st.integers(first + 1, shape.ndim))
    cut = shape.offsets[first]
    for inner in shape.offsets[first + 1 : last]:
        cut = inner[cut]
    assert np.array_equal(shape.composed(first, last).offsets, cut)
