"""The table that compares arrowjag with other libraries (README.md) describes the behaviour of the installed versions."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

import arrowjag as aj
from tests.test_documents import ROOT

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

LISTS = [[1.5, 2.0], [], None, [4.0]]
DEEP = [[[1.5], [2.0, 3.0]], [[4.0]]]


def cells() -> dict[tuple[str, str], str]:
    """The cells of the table, by row and library."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    table = text[text.index("<!-- comparison -->") : text.index("<!-- end of comparison -->")]
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines() if line.startswith("|")]
    head, _, *rows = lines
    return {(row[0], library): cell for row in rows for library, cell in zip(head[1:], row[1:], strict=True)}


def fails(function: Callable[[], Any]) -> bool:
    """Whether a call is refused."""
    try:
        function()
    except Exception:  # noqa: BLE001 - each library has errors of its own
        return True
    return False


def awkward() -> Any:
    return pytest.importorskip("awkward")


def nested_frame(lists: list[Any]) -> Any:
    """A frame of nested-pandas with one nested column of one field."""
    nested = pytest.importorskip("nested_pandas")
    items = pd.Series(lists, dtype=pd.ArrowDtype(pa.list_(pa.float64())))
    frame = nested.NestedFrame({"k": [float(row + 1) for row in range(len(lists))], "v": items})
    return nested.NestedFrame.from_lists(frame, base_columns=["k"], list_columns=["v"], name="n")


def polars_frame(lists: list[Any]) -> Any:
    return pl.DataFrame({"k": [float(row + 1) for row in range(len(lists))], "v": lists})


def arrow_series(lists: list[Any], depth: int = 1) -> Any:
    type: pa.DataType = pa.float64()
    for _ in range(depth):
        type = pa.list_(type)
    return pd.Series(lists, dtype=pd.ArrowDtype(type))


# ------------------------------------------------------------------------------- arithmetic between depths


def test_depths_in_arrowjag() -> None:
    assert (aj.array(DEEP) * aj.array([[1.0, 10.0], [100.0]])).to_list() == [[[1.5], [20.0, 30.0]], [[400.0]]]
    assert ("arithmetic between columns of different depth", "arrowjag") in cells()


def test_depths_in_awkward() -> None:
    ak = awkward()
    assert (ak.Array(DEEP) * ak.Array([[1.0, 10.0], [100.0]])).to_list() == [[[1.5], [20.0, 30.0]], [[400.0]]]
    assert cells()["arithmetic between columns of different depth", "awkward"] == "any depths"


def test_depths_in_nested_pandas() -> None:
    def multiply(lists: list[Any]) -> Any:
        frame = nested_frame(lists)
        frame["n.w"] = frame["n.v"] * frame["k"]
        return frame["n.w"].tolist()

    assert multiply([[1.0, 2.0], [3.0]]) == [1.0, 2.0, 6.0]
    assert fails(lambda: multiply([[1.0, 2.0], [], [3.0]]))
    assert cells()["arithmetic between columns of different depth", "nested-pandas"] == "with flat numbers, if no row is empty"


def test_depths_in_polars() -> None:
    assert polars_frame(LISTS).select(pl.col("v") * pl.col("k"))["v"].to_list() == [[1.5, 2.0], [], None, [16.0]]
    deep = pl.DataFrame({"v": DEEP, "w": [[1.0, 10.0], [100.0]]})
    assert fails(lambda: deep.select(pl.col("v") * pl.col("w")))
    assert cells()["arithmetic between columns of different depth", "polars' lists"] == "lists with flat numbers"


def test_depths_in_pandas() -> None:
    assert fails(lambda: arrow_series(LISTS) * pd.Series([1.0, 2.0, 3.0, 4.0]))
    assert cells()["arithmetic between columns of different depth", "pandas' Arrow lists"] == "no"


# ----------------------------------------------------------------------------------- null rows, empty rows


def test_null_rows_and_empty_rows() -> None:
    row = "distinguishes null rows from empty rows"
    table = cells()
    assert aj.array(LISTS).to_list() == LISTS
    assert pl.Series(LISTS).to_list() == LISTS
    assert arrow_series(LISTS).isna().tolist() == [False, False, True, False]
    assert {table[row, one] for one in ("arrowjag", "polars' lists", "pandas' Arrow lists")} == {"yes"}


def test_null_rows_and_empty_rows_in_awkward() -> None:
    assert awkward().Array(LISTS).to_list() == LISTS
    assert cells()["distinguishes null rows from empty rows", "awkward"] == "yes"


def test_null_rows_and_empty_rows_in_nested_pandas() -> None:
    nested = pytest.importorskip("nested_pandas")
    dtype = nested.NestedDtype(pa.struct([("a", pa.list_(pa.int64()))]))
    assert pd.Series([pd.DataFrame({"a": [1]}), None, pd.DataFrame({"a": []})], dtype=dtype).isna().tolist() == [False, True, False]
    assert cells()["distinguishes null rows from empty rows", "nested-pandas"] == "yes"


# ------------------------------------------------------------------------------------------- values in lists


def test_decimals_in_lists() -> None:
    exact = [[Decimal("1.50"), Decimal("2.25")], []]
    table = cells()
    x = aj.array(exact)
    assert x.sum().to_list() == [Decimal("3.75"), Decimal("0.00")]
    assert table["decimals and time zones in lists", "arrowjag"] == "yes"
    assert pl.Series(exact).list.sum().to_list() == [Decimal("3.75"), Decimal("0.00")]
    assert table["decimals and time zones in lists", "polars' lists"] == "yes"


def test_decimals_in_awkward() -> None:
    ak = awkward()
    assert fails(lambda: ak.from_arrow(pa.array([[Decimal("1.50")]])))
    assert cells()["decimals and time zones in lists", "awkward"] == "no"


def test_unions() -> None:
    table = cells()
    assert awkward().Array([1, "a"]).to_list() == [1, "a"]
    assert table["union types", "awkward"] == "yes"
    assert fails(lambda: aj.array([[1, "a"]]))
    assert fails(lambda: pl.Series([[1, "a"]], strict=True))
    assert {table["union types", one] for one in ("arrowjag", "polars' lists")} == {"no"}


def test_order_within_rows() -> None:
    table = cells()
    x = aj.array([[2.0, 1.0]])
    assert (x.sort().to_list(), x.rank().to_list(), x.cumsum().to_list()) == ([[1.0, 2.0]], [[2, 1]], [[2.0, 3.0]])
    assert table["order, ranks, cumulative sums, groups within rows", "arrowjag"] == "all"
    assert pl.Series([[2.0, 1.0]]).list.eval(pl.element().rank()).to_list() == [[2.0, 1.0]]
    assert not hasattr(pd.Series(dtype=pd.ArrowDtype(pa.list_(pa.int64()))).list, "sort")
    assert table["order, ranks, cumulative sums, groups within rows", "pandas' Arrow lists"] == "no"


def test_order_within_rows_in_awkward() -> None:
    ak = awkward()
    assert ak.sort(ak.Array([[2.0, 1.0]])).to_list() == [[1.0, 2.0]]
    assert not any(hasattr(ak, name) for name in ("rank", "cumsum", "group_by"))
    assert cells()["order, ranks, cumulative sums, groups within rows", "awkward"] == "order"


def test_every_row_has_a_cell_for_each_library() -> None:
    table = cells()
    rows = {row for row, _ in table}
    assert len(table) == len(rows) * 5
    assert all(table.values())
