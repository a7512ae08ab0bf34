"""Eight threads on one fresh object: attributes that are computed at the first access are the same for all threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import arrowjag as aj
from arrowjag import dims
from arrowjag._kernels.base import blocks
from tests.hosts import pd, pl
from tests.together import THREADS, switching, together

SIZES = [k % 4 for k in range(3000)]
MASK = np.arange(3000) % 7 > 0


@pytest.fixture(autouse=True)
def _switching() -> Iterator[None]:
    with switching():
        yield


def nested() -> aj.JaggedArray:
    return aj.array([[list(range(k % 3)), None, [k]] for k in range(200)])


def written_to() -> pd.Series[Any]:
    s = aj.array([[1], [2, 3], None]).to_pandas()
    s[0] = [4, 5]
    return s


def fresh_overlay() -> Any:
    x = aj.arange(30, SIZES[:30], start=1)
    return aj.overlay(aj.zeros(30, 3, type=x.type), x.image(), x)


def no_dtypes() -> pl.Series:
    from arrowjag.polars import _convert as polars_convert

    for cached in (polars_convert.column_type, polars_convert._polars_dtype, polars_convert._empty):
        cached.cache_clear()
    return nested().to_polars("v")


MEMBERS: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {
    "offsets of Runs": (lambda: dims.Runs([1, 4], [300, 500]), lambda d: d.offsets.tolist()),
    "sizes of Affine": (lambda: dims.Affine(2, 900, 3), lambda d: d.sizes.tolist()),
    "parents": (lambda: dims.Ragged(SIZES), lambda d: d.parents.tolist()),
    "parents if cheaper": (lambda: dims.Ragged([9] * 500), lambda d: [d._parents_if_cheaper() is not None for _ in range(2)][1]),
    "whether all rows are equal": (lambda: dims.Ragged([3] * 50_000), lambda d: d.is_uniform),
    "whether rows with null ones are equal": (lambda: dims.Ragged([3] * 50_000).with_validity(None), lambda d: d.is_uniform),
    "hash of a shape": (lambda: aj.JaggedShape(3000, SIZES), hash),
    "merged dims": (lambda: nested().shape, lambda shape: shape.flatten().size),
    "nested runs": (lambda: dims.Repeat(dims.Chain([dims.Ragged(SIZES), dims.Affine(0, 9, 1)]), 3), lambda d: d.offsets.tolist()),
    "validity of rows": (lambda: dims.Ragged(np.where(MASK, SIZES, 0)).with_validity(MASK), lambda d: d.validity.tolist()),
    "run-end encoded values": (lambda: aj.full((500, 3), 7), lambda x: x.values.to_pylist()),
    "sum of run-end encoded values": (lambda: aj.zeros(500, 3), lambda x: x.sum().to_list()),
    "overlay": (fresh_overlay, lambda o: (o[3].to_list(), o.to_list())),
    "sort, sum and lengths of one array": (nested, lambda x: (x.sort().to_list(), x.sum().to_list(), x.lengths(1).to_list())),
    "dictionary of text": (
        lambda: aj.array(pa.array([["a", "b"], None, ["b"]], pa.list_(pa.dictionary(pa.int8(), pa.string())))),
        lambda x: (x.sort().to_list(), (x == "b").to_list(), x.unique().to_list()),
    ),
    "through the gate": (lambda: pa.array([["a", None], ["text that is long"]] * 50), lambda a: aj.from_arrow(a).max().to_list()),
    "rows that wait in a pandas column": (written_to, lambda s: (aj.array(s).to_list(), [len(s), s.jag.sum().tolist()])),
    "pandas accessor": (lambda: nested().to_pandas(), lambda s: s.jag.sum(axis=-1).jag.sum().tolist()),
    "polars Series": (lambda: nested().to_polars("v"), lambda s: s.jag.sum().to_list()),
    "dtypes of polars": (
        no_dtypes,
        lambda s: (s.to_frame().lazy().select(pl.col("v").jag.sum()).collect_schema(), s.jag.max().to_list()),
    ),
    "one expression in eight frames": (
        (pl.col("v").jag * 2).jag.sum,
        lambda e: nested().to_polars("v").to_frame().lazy().select(e).collect().to_series().to_list(),
    ),
}


@pytest.mark.parametrize("name", MEMBERS)
def test_lazy_attributes_are_computed_at_first_access(name: str) -> None:
    make, read = MEMBERS[name]
    expected = repr(read(make()))
    for _ in range(25):
        fresh = make()
        got = together([lambda fresh=fresh: read(fresh)] * THREADS)
        assert {repr(one) for one in got} == {expected}


def test_threads_that_need_the_pool_first_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(50):
        monkeypatch.setattr(blocks, "_pools", {})
        got = together([lambda: blocks._pool(2)] * THREADS)
        assert len({id(one) for one in got}) == 1
        got[0].shutdown()


def test_blocks_in_eight_threads() -> None:
    x = aj.from_sizes(np.arange(600_000) % 1013, np.full(60_000, 10))
    expected = x.sort().sum().to_list()
    assert all(one == expected for one in together([lambda: x.sort().sum().to_list()] * THREADS))
