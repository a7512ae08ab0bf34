"""The contracts of the documentation: one test per statement, on each surface that it names."""

from __future__ import annotations

import copy
import math
import pickle
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import arrowjag as aj
from arrowjag._methods import METHODS, over_axis
from tests.hosts import pd, pl
from tests.surfaces import SURFACES
from tests.test_surfaces import WITHOUT_ARGUMENTS

NAN = float("nan")
on_every_surface = pytest.mark.parametrize("call", SURFACES.values(), ids=list(SURFACES))


def rows() -> aj.JaggedArray:
    """A null leaf, a null row, an empty row."""
    return aj.array([[3, None, 1], None, [], [3, 4, 3]])


def series(x: aj.JaggedArray, name: str = "v") -> pd.Series:
    return x.to_pandas(name=name)


# ------------------------------------------------------------------------------------------------------ comparison


def test_array_and_jag_operators_are_all_elementwise() -> None:
    x, y = rows(), aj.array([3, 3, 3, 3])
    expected = [[True, None, False], None, [], [True, False, True]]
    assert (x == y).to_list() == expected
    assert aj.array(series(x).jag == series(y)).to_list() == expected
    assert aj.array(x.to_polars().jag == y.to_polars()).to_list() == expected


def test_order_comparisons_of_pandas_series_are_elementwise() -> None:
    frame = pd.DataFrame({"score": series(rows()), "threshold": [2, 2, 2, 3]})
    assert aj.array(frame.score > frame.threshold).to_list() == [[True, None, False], None, [], [False, True, False]]


def test_equality_of_pandas_series_compares_whole_rows() -> None:
    x, y = series(rows()), series(aj.array([[3, None, 1], None, [1], [3, 4, 3]]))
    assert (x == y).tolist()[::2] == [True, False]
    assert (x != y).tolist()[::2] == [False, True]
    assert series(rows()).to_frame().replace(1, None)["v"].tolist()[0] == [3, None, 1]


def test_one_comparison_with_null_is_null() -> None:
    assert (rows() == None).to_list() == [[None] * 3, None, [], [None] * 3]  # noqa: E711 - an elementwise comparison


# ------------------------------------------------------------------------------------------------------------ keys


def test_merges_across_frames_compare_content() -> None:
    left = pd.DataFrame({"k": series(aj.array([[0.0], [NAN], [1.0, None], None])), "a": range(4)})
    right = pd.DataFrame({"k": series(aj.array([[1.0, None], [-NAN], [-0.0], [9.0]])), "b": range(4)})
    assert left.merge(right, on="k")[["a", "b"]].to_numpy().tolist() == [[0, 2], [1, 1], [2, 0]]


# ----------------------------------------------------------------------------------------------------------- types


@pytest.mark.parametrize(
    ("leaf", "scalar", "result"),
    [("int8", 1, "int8"), ("int8", 1.5, "double"), ("float", 1, "float"), ("float", 1.5, "float"), ("bool", 1, "int64")],
)
def test_python_scalars_take_the_type_of_the_leaf_where_the_kind_fits(leaf: str, scalar: Any, result: str) -> None:
    x = aj.array([[1], []]).cast(leaf)
    found = x + scalar
    assert str(found.type) == result
    assert aj.array(series(x) + scalar).equals(found)
    assert aj.array(x.to_polars().jag + scalar).equals(found)


def test_python_scalars_raise_where_they_do_not_fit() -> None:
    x = aj.array([[1]]).cast("int8")
    for one in (x, series(x), x.to_polars().jag):
        with pytest.raises(OverflowError, match="1000 does not fit int8"):
            one + 1000
    with pytest.raises(ValueError, match="1000 does not fit int8"):
        x + 1000
    with pytest.raises(TypeError, match="add has no kernel for int8 and string"):
        x + "a"


def test_arrays_promote_as_numpy() -> None:
    for one in (np.int8, np.uint8, np.uint64, np.float32, np.float64):
        for two in (np.int8, np.int64, np.uint64, np.float32):
            x, y = aj.array(np.ones(2, one)), aj.array(np.ones(2, two))
            assert (x * y).type == pa.from_numpy_dtype(np.result_type(one, two))


def test_true_division_is_always_float() -> None:
    assert (aj.array([4]) / 2).to_list() == [2.0]
    assert [(aj.array([1, 0, -1]) / 0).to_list()[k] for k in (0, 2)] == [math.inf, -math.inf]


def test_floor_division_and_remainder_are_those_of_python() -> None:
    pairs = [(7, 2), (-7, 2), (7, -2), (-7, -2), (7.5, -2.0), (-7.5, 2.0)]
    for one, two in pairs:
        assert (aj.array([one]) // two).to_list() == [one // two]
        assert (aj.array([one]) % two).to_list() == [one % two]


def test_floor_division_and_remainder_are_null_for_a_zero_integer_divisor() -> None:
    x, zero = aj.array([[1, 2], [3]]), aj.array([[0, 2], [0]])
    for one, two in ((x, zero), (series(x).jag, series(zero)), (x.to_polars().jag, zero.to_polars())):
        assert aj.array(one // two).to_list() == [[None, 1], [None]]
        assert aj.array(one % two).to_list() == [[None, 0], [None]]


def test_elementwise_integer_arithmetic_wraps() -> None:
    x = aj.array([[100, -128]]).cast("int8")
    assert ((x + x).to_list(), (-x).to_list(), abs(x).to_list()) == ([[-56, 0]], [[-100, -128]], [[100, -128]])
    assert (aj.array([2**62]) * 2).to_list() == [-(2**63)]


@on_every_surface
@pytest.mark.parametrize("name", ["sum", "prod", "cumsum"])
def test_integer_sums_are_64_bit_and_raise_on_overflow(call: Any, name: str) -> None:
    assert call(aj.array([[100, 100]]).cast("int8"), name)[0] in (200, 10_000, [100, 200])
    with pytest.raises(Exception, match=f"{name}: integer overflow, the result of row"):
        call(aj.array([[1], [2**62, 2**62]]), name)


# ----------------------------------------------------------------------------------------------------------- sizes


def test_patterns_repeat_a_whole_number_of_times() -> None:
    assert aj.JaggedShape(6, (1, 3, 1)).unpack()[1] == [1, 2, 3, 1, 2, 3]
    assert aj.JaggedShape(4, range(1, 3)).unpack()[1] == [1, 2, 1, 2]
    assert aj.JaggedShape(4, {1: 2}).unpack()[1] == [0, 2, 0, 2]
    with pytest.raises(aj.ShapeError, match="dim 1"):
        aj.JaggedShape(4, (1, 3, 1))


def test_creation_functions_also_repeat_plain_lists() -> None:
    for made in (aj.arange(4, [1, 2]), aj.zeros(4, [1, 2]), aj.full((4, [1, 2]), "a"), aj.random(4, [1, 2], seed=1)):
        assert made.shape == aj.JaggedShape.repeating(4, [1, 2]) == aj.JaggedShape(4, [1, 2, 1, 2])


def test_bool_and_float_are_never_sizes() -> None:
    for wrong in (True, 2.0, [True, False], [1.0, 2.0], np.array([1.0, 2.0]), pa.array([True, False])):
        with pytest.raises(TypeError, match=r"must be integers|must be an? int|takes sizes"):
            aj.JaggedShape(2, wrong)


# --------------------------------------------------------------------------------------------------------- reshape


def test_reshape_keeps_ragged_rows_where_the_outer_dims_end_at_the_same_nodes() -> None:
    x = aj.arange(2, 2, [1, 2, 2, 3])
    assert x.reshape(4, -1).to_list() == [[0], [1, 2], [3, 4], [5, 6, 7]]
    with_null = aj.array([[1], None, [2, 3], []])
    assert with_null.reshape(2, 2, -1).to_list() == [[[1], None], [[2, 3], []]]
    assert x.shape.reshape(4, -1) == aj.JaggedShape(4, [1, 2, 2, 3])


def test_otherwise_reshape_is_that_of_koda() -> None:
    assert aj.arange(2, [1, 3]).reshape(-1, 2).shape == aj.JaggedShape(2, 2)
    assert aj.shapes.reshape(aj.arange(2, 2, [1, 2, 2, 3]), (4, -1)).shape == aj.JaggedShape(4, 2)
    with pytest.raises(aj.ShapeError, match="3 rows can't share 4 items"):
        aj.arange(4).reshape(3, -1)


def test_a_pattern_after_a_placeholder_repeats() -> None:
    assert aj.arange(12).reshape(-1, (1, 3, 1)).shape == aj.JaggedShape(6, [1, 2, 3, 1, 2, 3])


def test_a_single_tuple_is_the_tuple_of_dims() -> None:
    assert aj.arange(6).reshape((2, 3)).shape == aj.JaggedShape(2, 3)


# -------------------------------------------------------------------------------------------------------- indexing


def test_indexing_out_of_range_names_the_row() -> None:
    for owner in (rows(), series(rows()).jag, rows().to_polars().jag):
        with pytest.raises(IndexError, match="index 1 is out of range for row 2, which has 0 items at dim 1"):
            owner[:, 1]


def test_indexing_a_null_row_gives_null() -> None:
    assert aj.array([[1], None])[:, 0].to_list() == [1, None]
    assert rows()[1].as_py() is None


def test_a_single_jagged_boolean_array_filters() -> None:
    x = rows()
    assert x[x > 2].to_list() == [[3], None, [], [3, 4, 3]]


def test_a_single_jagged_integer_array_takes_per_row() -> None:
    assert rows()[aj.array([[2, 0], [], [], [1]])].to_list() == [[1, 3], None, [], [4]]


def test_inside_a_tuple_jagged_integer_arrays_gather_at_their_dim() -> None:
    x = rows()
    assert x[x.image()].equals(x)
    assert aj.arange(2, [2, 3])[(aj.array([[0], [1, 0]]),)].to_list() == [[[0, 1]], [[2, 3, 4], [0, 1]]]


def test_s_addresses_the_last_dims_and_out_of_range_is_null() -> None:
    x = aj.array([[[1, 2], [3]], [[4, 5, 6]]])
    assert x.S[1].to_list() == [[2, None], [5]]
    assert x.S[5, ...].to_list() == []
    assert x.S[0, 5, ...].to_list() == []
    assert rows().S[0].to_list() == [3, None, None, 3]
    assert rows().S[:1].to_list() == [[3], None, [], [3]]
    with pytest.raises(IndexError, match="without a step"):
        x.S[::1]


# ------------------------------------------------------------------------------------------------------ reductions

EMPTY = {"sum": 0, "prod": 1, "count": 0, "lengths": 0, "n_unique": 0, "any": False, "all": True, "bincount": []}
REDUCTIONS = [name for name in WITHOUT_ARGUMENTS if METHODS[name].rule is over_axis]
"""They give null for an empty row, unless `EMPTY` says otherwise."""


@on_every_surface
@pytest.mark.parametrize("name", REDUCTIONS)
def test_results_for_an_empty_row_and_a_null_row(call: Any, name: str) -> None:
    empty, null = call(aj.array([[], None], type=pa.int64()), name)
    assert empty == EMPTY.get(name)
    assert null is None


@on_every_surface
def test_several_trailing_axes_reduce_together(call: Any) -> None:
    x = aj.array([[[1, 2], None], None, [[3], []]])
    assert call(x, "sum", axis=(1, 2)) == call(x, "sum", axis=(-1, -2)) == [3, None, 3]
    assert call(x, "argmax", axis=(1, 2)) == [1, None, 0]


def test_axes_that_are_not_trailing_are_refused() -> None:
    x = aj.arange(2, 2, 2)
    with pytest.raises(ValueError, match="must be the last ones"):
        x.sum(axis=(0, 1))
    with pytest.raises(ValueError, match="axes must differ"):
        x.sum(axis=(2, 2))
    with pytest.raises(IndexError, match="axis 3 is out of range for 3 dims"):
        x.sum(axis=3)


def test_all_of_a_scalar_is_the_scalar() -> None:
    assert aj.array(5).sum(axis=None).as_py() == 5
    assert aj.array(None, type=pa.int8()).lengths(axis=None).as_py() == 1


@on_every_surface
def test_a_null_row_below_the_reduced_level_counts_as_absent(call: Any) -> None:
    assert call(aj.array([[[1, 2], None, [3]], None]), "sum", axis=1) == [[4, 2], None]


@on_every_surface
def test_skip_nulls_and_min_count(call: Any) -> None:
    assert call(rows(), "sum", skip_nulls=False) == [None, None, 0, 10]
    assert call(rows(), "sum", min_count=1) == [4, None, None, 10]


@on_every_surface
def test_nan_poisons_sum_and_mean_and_is_ignored_by_extremes(call: Any) -> None:
    x = aj.array([[1.0, NAN, 3.0], [NAN, None]])
    assert all(math.isnan(one) for name in ("sum", "mean") for one in call(x, name))
    assert [call(x, name)[0] for name in ("min", "max", "argmin", "argmax")] == [1.0, 3.0, 0, 2]
    assert math.isnan(call(x, "max")[1])
    assert call(x, "argmax")[1] == 0


@on_every_surface
def test_float_sums_of_an_empty_row_are_plus_zero(call: Any) -> None:
    for x in (aj.array([[], [None], [0.0]], type=pa.float64()), aj.array([[], []], type=pa.float32())):
        assert [math.copysign(1, one) for one in call(x, "sum")] == [1.0] * len(x)


@on_every_surface
def test_means_and_medians_of_integers_are_float64(call: Any) -> None:
    assert call(aj.array([[2, 1], [7]]).cast("uint8"), "mean") == call(aj.array([[2, 1], [7]]), "median") == [1.5, 7.0]
    assert aj.array([[1]]).cast("int8").mean().type == aj.array([[1]]).cast("uint8").median().type == pa.float64()


def test_ddof_is_one() -> None:
    assert aj.array([[1, 3], [1]]).var().to_list() == [2.0, None]


@on_every_surface
def test_first_and_last_give_the_item_of_the_slot(call: Any) -> None:
    assert call(aj.array([[None, 1], [2, None]]), "first") == [None, 2]
    assert call(aj.array([[None, 1], [2, None]]), "last") == [1, None]


def test_argmin_counts_null_slots() -> None:
    assert aj.array([[None, 5, 2]]).argmin().to_list() == [2]


def test_along_an_outer_axis_items_at_the_same_position_combine() -> None:
    assert aj.array([[1, 2], [3]]).sum(axis=0).to_list() == [4, 2]
    assert aj.zeros(0, 3).sum(axis=0).to_list() == [0.0, 0.0, 0.0]
    assert aj.zeros(2, 0, 3).sum(axis=1).to_list() == [[0.0] * 3] * 2


# ----------------------------------------------------------------------------------------------------------- order


@on_every_surface
def test_nulls_are_last_and_nan_before_them_in_both_directions(call: Any) -> None:
    x = aj.array([[None, NAN, 1.0, 2.0]])
    for descending, plain in ((False, [1.0, 2.0]), (True, [2.0, 1.0])):
        (row,) = call(x, "sort", descending=descending)
        assert row[:2] == plain
        assert math.isnan(row[2])
        assert row[3] is None


@on_every_surface
def test_sorts_are_stable_and_minus_zero_equals_zero(call: Any) -> None:
    x = aj.array([[0.0, -0.0, 0.0, 1.0]])
    assert call(x, "argsort") == [[0, 1, 2, 3]]
    assert call(x, "argsort", descending=True) == [[3, 0, 1, 2]]


@on_every_surface
def test_nan_equals_nan_for_unique_group_and_rank(call: Any) -> None:
    x = aj.array([[NAN, 1.0, NAN, None]])
    assert call(x, "n_unique") == [2]
    assert call(x, "group_by_indices", x) == [[[0, 2], [1]]]
    assert call(x, "rank", "dense") == [[2, 1, 2, None]]


@on_every_surface
def test_ranks_count_from_one(call: Any) -> None:
    assert call(rows(), "rank") == [[2, None, 1], None, [], [1, 3, 2]]


@on_every_surface
def test_unique_counts_and_sets_keep_first_appearance_and_drop_nulls(call: Any) -> None:
    x, y = aj.array([[3, None, 1, 3], [2]]), aj.array([[9, 1], [None]])
    assert call(x, "unique") == [[3, 1], [2]]
    assert call(x, "value_counts") == [[{"value": 3, "count": 2}, {"value": 1, "count": 1}], [{"value": 2, "count": 1}]]
    assert call(x, "union", y) == [[3, 1, 9], [2]]
    assert call(x, "intersection", y) == [[1], []]
    assert call(x, "difference", y) == [[3], [2]]


@on_every_surface
def test_running_totals_skip_nulls_which_stay(call: Any) -> None:
    assert call(rows(), "cumsum") == [[3, None, 4], None, [], [3, 7, 10]]


# ------------------------------------------------------------------------------------------- transpose, moving rows


def test_transpose_raises_where_it_shears_unless_allowed() -> None:
    x = aj.arange(4, [1, 2, 1, 2])
    with pytest.raises(aj.ShapeError, match="shear"):
        x.transpose(0, 1)
    assert x.transpose(0, 1, shear="allow").to_list() == [[0, 1, 3, 4], [2, 5]]


def test_rows_that_move_get_a_fresh_index_in_pandas() -> None:
    s = rows().to_pandas(index=list("abcd"), name="v")
    for moved in (s.jag.sum(axis=0), s.jag.flatten(0), s.jag[[3, 0]]):
        assert isinstance(moved.index, pd.RangeIndex)
        assert moved.name == "v"
    assert list(s.jag.sum().index) == list("abcd")


def test_an_expression_refuses_rows_that_move_unless_it_aggregates() -> None:
    frame = pl.DataFrame({"v": [[1, 2], [3]], "g": [1, 1]}).lazy()
    for moved in (pl.col("v").jag.flatten(0), pl.col("v").jag[[1, 0]]):
        with pytest.raises(TypeError, match="changes the rows of the frame"):
            frame.select(moved).collect()
    total = pl.col("v").jag.sum(axis=0)
    assert frame.select(total).collect()["v"].to_list() == [[4, 2]]
    assert frame.group_by("g").agg(total).collect()["v"].to_list() == [[4, 2]]
    assert frame.select(pl.col("v").jag.sum(axis=None).over("g")).collect()["v"].to_list() == [6, 6]


# ------------------------------------------------------------------------------------------------------- exactness


LEAVES = {
    "decimal": pa.array([Decimal("1.20"), None, Decimal("3.40")], pa.decimal128(9, 2)),
    "zoned": pa.array([1, None, 3], pa.timestamp("us", "Europe/Berlin")),
    "duration": pa.array([1, None, 3], pa.duration("ns")),
    "string": pa.array(["a", None, "c"]),
    "string_view": pa.array(["a", None, "c"], pa.string_view()),
    "binary": pa.array([b"a", None, b""]),
    "dictionary": pa.array(["a", None, "a"]).dictionary_encode(),
    "struct": pa.array([{"a": 1, "b": "x"}, None, {"a": None, "b": "y"}]),
    "bool": pa.array([True, None, False]),
    "float16": pa.array([1.5, None, -0.0], pa.float16()),
    "time": pa.array([1, None, 3], pa.time32("s")),
}


@pytest.mark.parametrize("leaf", LEAVES)
def test_every_leaf_type_passes_untouched(leaf: str) -> None:
    values = LEAVES[leaf]
    x = aj.from_sizes(values, [2, 0, 1]).with_validity(0, [True, False, True])
    for back in (
        aj.from_arrow(x.to_arrow()),
        aj.array(series(x)),
        pickle.loads(pickle.dumps(x)),
        copy.deepcopy(x),
        x.take([[0, 1], [], [0]]),
        aj.array(pa.chunked_array([x.to_arrow()[:1], x.to_arrow()[1:]])),
    ):
        assert back.type == values.type
        assert back.equals(x)
    assert x.flatten().values.equals(values)


def test_an_operation_without_a_kernel_names_itself_and_the_type() -> None:
    x = aj.array([["a"]])
    for name in ("sum", "mean", "any", "median", "cumsum", "softmax"):
        with pytest.raises(TypeError, match=rf"{name} has no kernel for string"):
            getattr(x, name)()


def test_values_under_nulls_never_reach_numpy() -> None:
    assert np.isnan(np.asarray(aj.array([1, None]))).tolist() == [False, True]
    assert np.asarray(aj.array([True, None])).tolist() == [True, None]
    assert np.isnat(np.asarray(aj.array(pa.array([1, None], pa.timestamp("us"))))).tolist() == [False, True]
    with pytest.raises(aj.ShapeError, match="use to_dense"):
        np.asarray(rows())


# ---------------------------------------------------------------------------------------------------------- errors


def test_errors_are_the_builtin_that_a_caller_expects() -> None:
    pairs = [
        (aj.ShapeError, ValueError),
        (aj.OffsetsError, ValueError),
        (aj.JagIndexError, IndexError),
        (aj.JagTypeError, TypeError),
        (aj.JagValueError, ValueError),
        (aj.JagOverflowError, OverflowError),
        (aj.JagRangeError, OverflowError),
        (aj.JagRangeError, ValueError),
        (aj.JagFileError, OSError),
        (aj.JagFileError, ValueError),
        (aj.JagMemoryError, MemoryError),
        (aj.MissingDependencyError, ImportError),
    ]
    for ours, builtin in pairs:
        assert issubclass(ours, builtin)
        assert issubclass(ours, aj.JagError)


def test_errors_name_position_and_shapes_in_constructor_notation() -> None:
    text = r"add: JaggedShape\(2, \[1, 2\]\) is not a prefix of JaggedShape\(2, \[2, 1\]\): dim 1, row 0 has 1 item"
    with pytest.raises(aj.ShapeError, match=text):
        aj.array([[1, 2], [3]]) + aj.array([[1], [2, 3]])


@pytest.mark.parametrize(
    "data",
    [object(), [object()], pl.col("a"), np.array([1j]), [[1, "a"]], [1, [2]], [[1], [[2]]], [2**64]],
    ids=["object", "objects", "expression", "complex", "kinds", "levels", "depths", "too large"],
)
def test_unsupported_data_raises_errors_of_arrowjag(data: Any) -> None:
    with pytest.raises(aj.JagError, match=r"^array: "):
        aj.array(data)


# ------------------------------------------------------------------------------------------------ nothing untrusted


def test_parents_of_a_caller_are_checked() -> None:
    with pytest.raises(aj.ShapeError, match="must not decrease, got 0 for item 2 after 1"):
        aj.from_parents(["a", "b", "c"], [0, 1, 0], 2)
    with pytest.raises(aj.ShapeError, match="from 0 to 1, got 2 for item 1"):
        aj.from_parents(["a", "b"], [0, 2], 2)


# --------------------------------------------------------------------------------------------- ideas that carry all


def test_equality_hash_and_repr_of_shapes_speak_of_sizes_only() -> None:
    one, two = aj.JaggedShape(3, (1, 3, 1)), aj.JaggedShape([3], [1, 2, 3])
    assert one == two
    assert hash(one) == hash(two)
    assert repr(one) == repr(two) == "JaggedShape(3, [1, 2, 3])"
    assert aj.array([[1], None]).shape == aj.array([[1], []]).shape
    assert hash(aj.JaggedShape(10**9, 10**6)) == hash(aj.JaggedShape([10**9], 10**6))


def test_a_binary_result_declares_an_extent_if_any_operand_does() -> None:
    declared, ragged = aj.zeros(2, 3), aj.array([[1.0] * 3] * 2)
    assert (ragged + declared).shape.extents[1] == (declared + ragged).shape.extents[1] == 3
    assert (ragged + ragged).shape.extents == (None, None)


def test_extents_are_kept_by_row_operations_and_dropped_inside_rows() -> None:
    x = aj.zeros(4, 3)
    kept = (x[[2, 0]], x[np.array([True, False, True, False])], x.sort(), x.head(2, axis=0))
    assert [one.shape.extents[1] for one in kept] == [3] * 4
    assert x[:, :2].shape.extents[1] == 2
    assert x.filter(x == 0).shape.extents[1] is None


def test_dims_of_size_one_are_not_broadcast() -> None:
    with pytest.raises(aj.ShapeError, match="not a prefix"):
        aj.arange(2, 1) + aj.arange(2, 3)


def test_values_under_a_row_that_is_null_in_one_operand_are_dropped() -> None:
    x, y = aj.array([[1, 2], None, [3]]), aj.array([[10, 20], [30], None])
    assert (x + y).to_list() == [[11, 22], None, None]
    assert aj.where([True, False, True], x, y).to_list() == [[1, 2], [30], [3]]
    assert aj.coalesce(x, y).to_list() == [[1, 2], [30], [3]]


def test_kleene_logic() -> None:
    x = aj.array([[True, False, None]])
    assert (x & None).to_list() == [[None, False, None]]
    assert (x | None).to_list() == [[True, None, None]]
    assert (~x).to_list() == [[False, True, None]]


def test_shifts_past_the_width_are_those_of_numpy() -> None:
    one, places = np.array([1, -8, 5, 1]), np.array([63, 64, -1, 3])
    for name in ("left_shift", "right_shift"):
        ufunc = getattr(np, name)
        assert ufunc(aj.array(one), aj.array(places)).to_list() == ufunc(one, places).tolist()


# --------------------------------------------------------------------------------------------------------- storage


def test_metadata_is_the_same_canonical_json_everywhere() -> None:
    x = aj.array([[[1]]])
    assert x.extension_type.__arrow_ext_serialize__() == b'{"ndim":3,"v":1}'
    assert x.to_polars().dtype.ext_metadata() == '{"ndim":3,"v":1}'


def test_names_of_dtypes_parse_back() -> None:
    for name in ("jagged[double, 2]", "jagged[float, 3, extents=(None, 4)]", 'jagged[struct<"a b": int64>, 2]'):
        dtype = pd.api.types.pandas_dtype(name)
        assert str(dtype) == name
    assert aj.polars.Jagged(pl.Float32, 3, extents=(None, 4)).extents == (None, 4)


def test_a_declared_extent_is_a_fixed_size_list_but_zero() -> None:
    assert aj.zeros(2, 3).to_arrow(extension=False).type == pa.list_(pa.float64(), 3)
    assert aj.zeros(2, 0).to_arrow(extension=False).type == pa.large_list(pa.float64())


# ---------------------------------------------------------------------------------------------------- what comes in


def test_odd_input_reads_as_its_owner_means_it() -> None:
    nested = np.empty(2, object)
    nested[:] = [np.array([[1, 2], [3, 4]]), np.array([[5, 6]])]
    cases: list[tuple[Any, Any]] = [
        (nested, [[[1, 2], [3, 4]], [[5, 6]]]),
        ([range(2), range(1)], [[0, 1], [0]]),
        ([aj.array([1, 2]), None, pa.array([3]), pd.Series([4]), pl.Series([5])], [[1, 2], None, [3], [4], [5]]),
        ((row for row in [[1], [2, 3]]), [[1], [2, 3]]),
        (np.ma.masked_array([[1, 2], [3, 4]], mask=[[0, 1], [0, 0]]), [[1, None], [3, 4]]),
        (np.array([1, 2], ">i4"), [1, 2]),
        (np.array([(1, 2.0)], [("a", "i4"), ("b", "f8")]), [{"a": 1, "b": 2.0}]),
        ([[pa.scalar(1)], [np.int64(2)]], [[1], [2]]),
        ([[2**63]], [[2**63]]),
        (pa.table({"a": [1]}), [{"a": 1}]),
    ]
    for data, expected in cases:
        assert aj.array(data).to_list() == expected


def test_type_is_an_arrow_type_its_name_or_a_numpy_dtype() -> None:
    for type in (pa.float32(), "float32", "float", np.float32, np.dtype("f4")):
        assert aj.array([[1]], type=type).type == aj.array([[1]]).cast(type).type == pa.float32()
    assert aj.array([[1, 2]], type=pa.list_(pa.int8(), 2)).shape.extents == (None, 2)
    with pytest.raises(TypeError, match="expected an Arrow type"):
        aj.array([1], type="nonsense")


@pytest.mark.parametrize("ndim", [-1, True, 1.5, "2"], ids=repr)
def test_ndim_is_a_count(ndim: Any) -> None:
    error, text = (aj.JagValueError, "not be negative") if ndim == -1 else (aj.JagTypeError, "be an int")
    with pytest.raises(error, match=f"ndim must {text}, got"):
        aj.array([[1]], ndim=ndim)


def test_pickles_hold_only_the_slice() -> None:
    assert len(pickle.dumps(aj.arange(10**6)[:3])) < 2000
    assert pickle.loads(pickle.dumps(aj.arange(10**6)[5:8])).to_list() == [5, 6, 7]


def test_decimals_divide_by_zero_to_null_and_multiply_within_38_digits() -> None:
    x = aj.array([[Decimal("7.5"), Decimal("-7.5")], [Decimal("99.9")]])
    assert (x // 2).to_list() == [[3, -4], [49]]
    assert (x % 2).to_list() == [[Decimal("1.5"), Decimal("0.5")], [Decimal("1.9")]]
    assert (x / 0).to_list() == (x // 0).to_list() == [[None, None], [None]]
    assert (x + 1000).to_list()[1] == [Decimal("1099.9")]
    assert (x * 0 + 10).prod().to_list() == [100, 10]


def test_categories_of_polars_compute_on_every_surface() -> None:
    frame = pl.DataFrame({"v": pl.Series([["b", None], None, ["a"]], dtype=pl.List(pl.Categorical))})
    x = aj.array(frame["v"])
    assert (x == "a").to_list() == [[False, None], None, [True]]
    assert x.cast("string").to_list() == x.to_list() == [["b", None], None, ["a"]]
    assert aj.array(series(x).jag + "!").to_list() == [["b!", None], None, ["a!"]]


def test_result_types_depend_on_types_alone() -> None:
    x = aj.array([[Decimal("1.5"), None]]).cast(pa.decimal32(5, 2))
    assert aj.coalesce(x, x).type == aj.coalesce(x[:0], x[:0]).type == pa.decimal32(5, 2)
    assert (x // 2).type == (x[:0] // 2).type
