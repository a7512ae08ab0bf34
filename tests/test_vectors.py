"""norm, normalize, cosine, distance, matmul and nearest."""

from __future__ import annotations

import math
import tracemalloc
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._kernels import strategy
from arrowjag._kernels.base import blocks
from arrowjag.errors import JagOverflowError, JagRangeError, JagTypeError, JagValueError, ShapeError
from arrowjag.testing import assert_lists_equal, jagged_arrays, leaf_types, prefix_arrays
from tests import reference as ref
from tests.along import EQUAL, NUMBERS, any_axis, as_list, common_extents, kept
from tests.hosts import pl
from tests.reference import Jag

ORDERS = st.sampled_from([2, 1, math.inf, 0, 3, 0.5])


@pytest.mark.parametrize("leaf", NUMBERS, ids=str)
@given(st.data())
def test_norms_at_every_axis(leaf: pa.DataType, data: st.DataObject) -> None:
    ndim, p = data.draw(st.integers(1, 3)), data.draw(ORDERS)
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim, leaf, small=True))
    got = x.norm(p, axis)
    assert got.type == (leaf if pa.types.is_floating(leaf) else pa.float64())
    rel = 1e-4 if leaf == pa.float32() else 1e-9
    expected = ref.reduction("norm", x.to_list(), ndim, axis, extents=x.shape.extents, p=p)
    assert_lists_equal(as_list(got), expected, rel_tol=rel, abs_tol=rel)
    divided = kept(lambda row: ref.normalize(row, 1, p), x.to_list(), ndim, axis)
    assert_lists_equal(x.normalize(p, axis).to_list(), divided, rel_tol=rel, abs_tol=rel)


@pytest.mark.parametrize("p", [2, 1, math.inf, 0, 3, 0.5])
def test_data_under_a_null_is_not_part_of_a_norm(p: float) -> None:
    bits = pa.py_buffer(np.packbits([1, 0, 1, 0, 1], bitorder="little"))
    for hidden in (np.nan, np.inf, 1e300):
        values = pa.Array.from_buffers(pa.float64(), 5, [bits, pa.py_buffer(np.array([3.0, hidden, -4.0, hidden, 2.0]))])
        x = aj.array(pa.LargeListArray.from_arrays([0, 3, 4, 5], values))
        assert x.norm(p).to_list() == aj.array([[3.0, -4.0], [None], [2.0]]).norm(p).to_list()


@pytest.mark.parametrize("metric", ["l2", "l1", "linf", "hamming", "jaccard"])
@given(st.data())
def test_distances_at_every_axis(metric: str, data: st.DataObject) -> None:
    one, two = data.draw(st.sampled_from([(1, 1), (2, 2), (1, 2), (2, 1), (3, 2), (3, 3)]))
    x, y = data.draw(prefix_arrays((one, two), data.draw(st.sampled_from([pa.float64(), pa.int32(), pa.uint8(), pa.bool_()]))))
    axis = data.draw(any_axis(max(one, two)))
    expected = ref.over_pairs(
        lambda pairs: ref.distance(pairs, metric), Jag(x.to_list(), one), Jag(y.to_list(), two), axis, common_extents(x, y)
    )
    assert_lists_equal(as_list(x.distance(y, metric, axis)), expected)


@given(st.data())
def test_cosines_at_every_axis(data: st.DataObject) -> None:
    one, two = data.draw(st.sampled_from([(1, 1), (2, 2), (1, 2), (2, 1), (3, 2), (3, 3)]))
    x, y = data.draw(prefix_arrays((one, two), data.draw(st.sampled_from([pa.float64(), pa.int32(), pa.bool_(), pa.null()]))))
    axis = data.draw(any_axis(max(one, two)))
    expected = ref.over_pairs(ref.cosine, Jag(x.to_list(), one), Jag(y.to_list(), two), axis, common_extents(x, y))
    assert_lists_equal(as_list(x.cosine(y, axis)), expected, rel_tol=1e-7, abs_tol=1e-9)


@given(st.data())
def test_hamming_takes_every_type(data: st.DataObject) -> None:
    x = data.draw(jagged_arrays(2, leaf_types(*(kind for kind in EQUAL if kind not in ("map", "struct", "null")))))
    same = x.distance(x, "hamming").to_list()
    none = [None if row is None or all(v is None for v in row) else 0.0 for row in x.to_list()]
    if not any(map(ref.is_nan, x.values.to_pylist())):
        assert same == none


def test_distances_of_large_integers_are_rounded_once() -> None:
    x, y = aj.array([[2**62, -(2**62)]]), aj.array([[2**62 - 1, 2**62]])
    assert x.distance(y, "l1").to_list() == [float(2**63 + 1)]
    assert x.distance(y, "linf").to_list() == [float(2**63)]


@given(st.data())
def test_products_of_matrices(data: st.DataObject) -> None:
    leaf = data.draw(st.sampled_from([pa.int64(), pa.float64(), pa.uint8()]))
    n_rows, item = data.draw(st.integers(0, 4)), st.none() | st.integers(0, 3)
    rows: list[tuple[Any, Any, Any]] = []
    for _ in range(n_rows):
        m, k, n = (data.draw(st.integers(1, 3)) for _ in range(3))
        table = lambda height, width: [[data.draw(item) for _ in range(width)] for _ in range(height)]  # noqa: E731
        rows.append((table(m, k), table(k, n), [data.draw(item) for _ in range(k)]))
    hidden = data.draw(st.sets(st.integers(0, 3)))
    x = aj.array([None if k in hidden else one for k, (one, _, _) in enumerate(rows)], type=leaf, ndim=3)
    y = aj.array([two for _, two, _ in rows], type=leaf, ndim=3)
    v = aj.array([three for _, _, three in rows], type=leaf, ndim=2)
    for other in (y, v):
        expected = [ref.matmul(one, two) for one, two in zip(x.to_list(), other.to_list(), strict=True)]
        got = x.matmul(other)
        assert got.ndim == other.ndim
        assert_lists_equal(got.to_list(), expected)


def test_products_of_deeper_matrices_and_of_empty_ones() -> None:
    x = aj.array([[[[1, 2]], [[3]]], []])
    y = aj.array([[[[1], [2]], [[4, 5]]], []])
    assert x.matmul(y).to_list() == [[[[5]], [[12, 15]]], []]
    assert aj.array([[[], []], []], type=pa.int64(), ndim=3).matmul(aj.array([[], []], type=pa.int64(), ndim=3)).to_list() == [
        [[], []],
        [],
    ]
    assert aj.array([[[], []]], type=pa.int64(), ndim=3).matmul(aj.array([[]], type=pa.int64(), ndim=2)).to_list() == [[0, 0]]


def test_the_operator_is_the_method_on_every_surface() -> None:
    x = aj.array([[[1, 2], [3, 4]], [[5]], None, []], type=pa.int64(), ndim=3)
    vectors, squares = aj.array([[1, 1], [2], [3], []], type=pa.int64(), ndim=2), x.matmul(x).to_list()
    frame, p = pl.DataFrame({"x": x.to_polars(), "v": vectors.to_polars()}), x.to_pandas()
    s, c = frame["x"], pl.col("x")
    for got in (
        x @ x,
        np.matmul(x, x),
        x.to_list() @ x,
        x @ x.to_list(),
        aj.jit(lambda a, b: a @ b)(x, x),
        aj.jit(np.matmul)(x, x),
    ):
        assert got.to_list() == squares
    for got in (
        p.jag @ p,
        p.jag @ x,
        np.matmul(p.jag, p.jag),
        s.jag @ s,
        s @ s.jag,
        s.jag @ x,
        np.matmul(s.jag, s),
        x.to_list() @ s.jag,
    ):
        assert aj.array(got).to_list() == squares
    for made in (c.jag @ c, c @ c.jag, c.jag @ x, x @ c.jag, np.matmul(c.jag, c), x.to_list() @ c.jag, aj.jit(np.matmul)(c, c)):
        for engine in ("in-memory", "streaming"):
            assert frame.lazy().select(made).collect(engine=engine)["x"].to_list() == squares
    for got in (x @ vectors, s.jag @ frame["v"], frame.select(c.jag @ pl.col("v"))["x"]):
        assert aj.array(got).to_list() == x.matmul(vectors).to_list()


@pytest.mark.parametrize(
    "call",
    [
        lambda v, f: v @ v,
        lambda v, f: v @ 2,
        lambda v, f: np.matmul([1, 2], v),
        lambda v, f: v.to_pandas().jag @ v,
        lambda v, f: f["v"].jag @ f["v"],
        lambda v, f: f.select(pl.col("v").jag @ pl.col("v")),
        lambda v, f: aj.jit(lambda one: one @ one)(v),
    ],
)
def test_the_operator_of_vectors_names_the_method_to_call(call: Any) -> None:
    v = aj.array([[1, 2], [3]])
    with pytest.raises(aj.ShapeError, match=r"matmul takes matrices.* write x\.dot\(y\) for the products of vectors"):
        call(v, pl.DataFrame({"v": v.to_polars()}))
    with pytest.raises(aj.JagTypeError, match="matmul takes arrays of matrices, got 2"):
        2 @ pl.col("v").jag


def test_products_are_those_of_numpy() -> None:
    rng = np.random.default_rng(0)
    shapes = [tuple(rng.integers(1, 6, 3)) for _ in range(200)]
    left = [rng.normal(size=(m, k)) for m, k, _ in shapes]
    right = [rng.normal(size=(k, n)) for _, k, n in shapes]
    got = aj.array([one.tolist() for one in left]).matmul(aj.array([one.tolist() for one in right]))
    assert_lists_equal(got.to_list(), [(one @ two).tolist() for one, two in zip(left, right, strict=True)])


@pytest.mark.parametrize(("one", "two"), [("float64", "float64"), ("float32", "float16"), ("int64", "float64"), ("int32", "int8")])
def test_a_row_times_a_vector_is_the_same_beside_other_matrices(one: str, two: str, with_and_without_loops: str) -> None:
    rng = np.random.default_rng(1)

    def drawn(size: int, type: str) -> list[Any]:
        items = np.where(rng.random(size) < 0.1, 0, rng.integers(-9, 9, size) if "int" in type else rng.normal(size=size)).tolist()
        return [None if rng.random() < 0.1 else item for item in items]

    sizes = rng.integers(0, 300, 60).tolist()
    x = aj.array([[drawn(size, one)] for size in sizes], type=one, ndim=3)
    y = aj.array([drawn(size, two) for size in sizes], type=two, ndim=2)
    got = x.matmul(y)
    alone = [x[row : row + 1].matmul(y[row : row + 1])[0].to_list() for row in range(len(sizes))]
    beside = aj.concat([x, aj.array([[[1], [2]]], type=one)]).matmul(aj.concat([y, aj.array([[1]], type=two)]))
    exact = [ref.matmul(*pair) for pair in zip(x.to_list(), y.to_list(), strict=True)]
    rel = 1e-4 if got.type == pa.float32() else 1e-9
    assert_lists_equal(got.to_list(), exact, rel_tol=rel, abs_tol=rel)
    assert got.to_list() == alone == beside.to_list()[:-1]


def test_a_hidden_row_has_no_product_with_a_vector() -> None:
    x, y = aj.array([[[1.0, 2.0]], None, [[3.0]], [None]], ndim=3), aj.array([[5.0, None], [1.0], None, []], ndim=2)
    assert x.matmul(y).to_list() == [[5.0], None, None, [0.0]]


@pytest.mark.parametrize(
    ("x", "y", "text"),
    [
        ([[[1.0, 2.0]]], [[1.0]], r"in row 0 a matrix of 1 row of 2 items can't be multiplied by one of 1 row"),
        ([[[1, 2], [3]]], [[[1]]], r"row 0 of x is not a matrix: its rows have 2 and 1 items"),
        ([[[1]], [[1, 2]]], [[[1]], [[1]]], r"in row 1 a matrix of 1 row of 2 items can't be multiplied by one of 1 row"),
        ([[[1]]], [1], r"as many dims or one fewer"),
        ([[1]], [[1]], r"at least 3 dims"),
    ],
)
def test_refused_products(x: Any, y: Any, text: str) -> None:
    with pytest.raises(ShapeError, match=text):
        aj.array(x).matmul(aj.array(y))
    with pytest.raises(JagOverflowError, match="matmul: integer overflow"):
        aj.array([[[2**62, 2**62]]]).matmul([[2, 2]])


@pytest.fixture(params=[1, 1200, 1 << 18], ids=["wide", "blocks", "whole"])
def _products_at_once(request: pytest.FixtureRequest) -> Iterator[None]:
    with strategy.force(BLAS_PRODUCTS=request.param):
        yield


@pytest.mark.usefixtures("_products_at_once")
def test_the_nearest_row() -> None:
    rng = np.random.default_rng(0)
    matrix = rng.integers(-3, 3, (20, 3)).astype(float)
    rows = [*rng.integers(-3, 3, (100, 3)).tolist(), None, [], [None, 1, 2], [math.nan, 1, 2], [1e300, 0, 0]]
    x = aj.array(rows, type=pa.float64())
    expected = [None if row is None else ref.nearest(row, matrix.tolist()) for row in rows]
    assert x.nearest(matrix).to_list()[:-1] == expected[:-1]
    assert x.nearest(matrix.tolist()).to_list() == x.nearest(aj.array(matrix)).to_list()
    with strategy.force(LARGE_VALUES=1, CACHE_VALUES=1):
        assert x.nearest(matrix).to_list()[:-1] == expected[:-1]
    assert x[:100].unsqueeze(0).nearest(matrix).to_list() == [expected[:100]]


def test_the_nearest_row_by_angle() -> None:
    x = aj.array([[2.0, 0.1], [-1.0, -1.0], [0.0, 0.0]])
    assert x.nearest([[0, 1], [5, 0], [-3, -3]], "cosine").to_list() == [1, 2, None]


def test_near_ties_are_decided_exactly() -> None:
    rng = np.random.default_rng(1)
    base = rng.normal(size=(50, 8)) * 1e6
    matrix = np.concatenate([base + 1e-6, base, base])
    assert aj.array(base).nearest(matrix).to_list() == list(range(50, 100))
    with strategy.force(CACHE_VALUES=100):
        assert aj.array(base).nearest(matrix).to_list() == list(range(50, 100))


def test_many_rows_that_are_equally_near_take_little_memory() -> None:
    x, matrix = aj.array(np.ones((4000, 64))), np.zeros((256, 64))
    tracemalloc.start()
    try:
        assert x.nearest(matrix).max(axis=None).as_py() == 0
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 150_000_000


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda x: x.norm(-1), JagValueError, "norm: p must be at least 0, got -1"),
        (lambda x: x.norm(10**400), JagRangeError, "norm: p must fit float64, got 10"),
        (lambda x: x.norm("2"), JagTypeError, "norm: p must be a number, got str"),
        (lambda x: x.distance(x, "l3"), JagValueError, "metric must be 'l2', 'l1', 'linf', 'hamming' or 'jaccard', got 'l3'"),
        (lambda x: x.nearest([[1, 2, 3]]), ShapeError, "the rows of the matrix have 3 numbers, but row 0 has 2"),
        (lambda x: x.nearest([1, 2]), ShapeError, "must have two dims of numbers"),
        (lambda x: x.nearest([[1, 2], [3]]), ShapeError, "rows of one size"),
        (lambda x: x.nearest([[1, 2]], "l1"), JagValueError, "metric must be 'l2' or 'cosine', got 'l1'"),
        (lambda x: x.first().nearest([[1]]), ShapeError, "needs rows of numbers"),
        (lambda x: x.cast("string").norm(), JagTypeError, "norm.*string"),
        (lambda x: x.cosine(aj.array([[1]])), ShapeError, "cosine"),
    ],
)
def test_refused(call: Any, error: Any, text: str) -> None:
    with pytest.raises(error, match=text):
        call(aj.array([[1, 2]]))


def test_few_matrices_of_several_shapes_are_multiplied_without_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = aj.array([[[1.0, 2.0]], [[3.0], [4.0]]]), aj.array([[[1.0], [2.0]], [[5.0, 6.0]]])
    expected = [[[5.0]], [[15.0, 18.0], [20.0, 24.0]]]
    with strategy.force(THREAD_VALUES=1):
        assert x.matmul(y).to_list() == expected
    monkeypatch.setattr(blocks, "_pool", lambda *_: pytest.fail("handed to threads"))
    assert x.matmul(y).to_list() == expected


def test_shapes_of_long_dims_are_distinguished() -> None:
    rng = np.random.default_rng(0)
    shapes = [(2048, 1, 1), (1, 2048, 1), (1, 1, 1024), (2048, 1, 1), (1, 2048, 1)]
    left = [rng.integers(0, 9, (m, k)) for m, k, _ in shapes]
    right = [rng.integers(0, 9, (k, n)) for _, k, n in shapes]
    got = aj.array([one.tolist() for one in left]).matmul(aj.array([one.tolist() for one in right]))
    assert got.to_list() == [(one @ two).tolist() for one, two in zip(left, right, strict=True)]


@pytest.mark.parametrize("metric", ["hamming", "jaccard"])
def test_shares_are_nan_where_an_item_is(metric: str) -> None:
    x, y = aj.array([[1.0, math.nan], [1.0, 2.0], [math.nan, None]]), aj.array([[1.0, math.nan], [1.0, 0.0], [1.0, 1.0]])
    assert_lists_equal(x.distance(y, metric).to_list(), [math.nan, 0.5, math.nan])
    assert math.isnan(aj.array([[1, 2]]).distance(aj.array([[1.0, math.nan]]), metric)[0].as_py())


@pytest.mark.parametrize("metric", ["l1", "linf", "hamming", "jaccard"])
def test_the_type_is_that_of_l2(metric: str) -> None:
    leaves = [pa.float16(), pa.float32(), pa.float64(), pa.int8(), pa.uint64(), pa.bool_()]
    for one in leaves:
        for two in leaves:
            x, y = aj.array([[1, 0]]).cast(one), aj.array([[1, 1]]).cast(two)
            assert x.distance(y, metric).type == x.distance(y).type


def test_matmul_of_matrices_of_one_row_at_most() -> None:
    vectors = [[5.0, 6.0], None, [], [7.0], [0.5]]
    matrices = [[[1.0, 2.0]], None, [], [[3.0]], [[4.0]]]
    expected = [[17.0], None, [], [21.0], [2.0]]
    assert aj.array(matrices).matmul(aj.array(vectors)).to_list() == expected
    vectors[2] = [9.0]  # meets no row
    assert aj.array(matrices).matmul(aj.array(vectors)).to_list() == expected
    with pytest.raises(ShapeError, match="matmul"):
        aj.array(matrices).matmul(aj.array([[5.0, 6.0], None, [], [7.0, 1.0], []]))
