"""Names of other libraries: each error about an unknown name suggests a call of ours that is there."""

from __future__ import annotations

import pickle
import re
from typing import Any

import pytest

import arrowjag as aj
from arrowjag._methods import METHODS
from arrowjag._spellings import SPELLINGS, suggestion
from arrowjag.errors import JagAttributeError
from tests.hosts import pd, pl

X = aj.array([[1, 2], [3]])
FUNCTIONS = {"array", "where", "cartesian", "argcartesian", "from_json"}
PEERS = {
    "nunique": "n_unique",
    "explode": "flatten",
    "isin": "is_in",
    "fillna": "fill_null",
    "dropna": "drop_nulls",
    "isna": "is_null",
    "nlargest": "topk",
    "nsmallest": "bottomk",
    "astype": "cast",
    "map": "map_items",
    "agg": "map_rows",
    "sort_values": "sort",
    "idxmax": "argmax",
    "list_sum": "sum",
    "array_contains": "contains",
    "element_at": "get",
}


def owners() -> dict[str, Any]:
    return {
        "array": lambda: X,
        "pandas": lambda: X.to_pandas().jag,
        "polars": lambda: X.to_polars().jag,
        "expression": lambda: pl.col("v").jag,
    }


@pytest.mark.parametrize("surface", ["array", "pandas", "polars", "expression"])
@pytest.mark.parametrize("name", PEERS)
def test_a_peers_name_is_answered_with_ours(surface: str, name: str) -> None:
    with pytest.raises(JagAttributeError, match=rf"has no '{name}'.* write ~?x\.{PEERS[name]}\(") as caught:
        getattr(owners()[surface](), name)
    assert caught.value.name == name


def test_len_is_lengths() -> None:
    with pytest.raises(JagAttributeError, match=r"write x\.lengths\(\)"):
        X.len  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(JagAttributeError, match=r"write x\.lengths\(\), where x is series\.jag"):
        X.to_pandas().jag.len  # noqa: B018


@pytest.mark.parametrize("surface", ["array", "pandas", "polars", "expression"])
def test_the_nearest_name_is_suggested(surface: str) -> None:
    with pytest.raises(JagAttributeError, match="has no 'cumsums'; did you mean 'cumsum'"):
        owners()[surface]().cumsums  # noqa: B018


@pytest.mark.parametrize("surface", ["array", "pandas", "polars", "expression"])
@pytest.mark.parametrize(
    ("space", "name", "said"),
    [
        ("str", "to_lowercase", r"write x\.str\.lower\(\)"),
        ("str", "len_chars", r"write x\.str\.len\(\)"),
        ("str", "starts_wth", "did you mean 'startswith'"),
        ("dt", "dayofweek", r"write x\.dt\.weekday\(\)"),
        ("dt", "truncate", r"write x\.dt\.floor\(every\)"),
        ("dt", "xyzzy", "has no 'xyzzy'$"),
    ],
)
def test_names_of_namespaces(surface: str, space: str, name: str, said: str) -> None:
    with pytest.raises(JagAttributeError, match=said):
        getattr(getattr(owners()[surface](), space), name)


def test_names_of_a_frame_and_of_none() -> None:
    with pytest.raises(
        JagAttributeError, match=r"of a DataFrame has no 'nunique'; write x\.n_unique\(\), where x is df\[column\]\.jag"
    ):
        pd.DataFrame({"v": X}).jag.nunique  # noqa: B018
    assert not hasattr(X, "nunique")
    assert not hasattr(X, "__array_interface__")
    with pytest.raises(JagAttributeError, match=r"has no 'xyzzy'$"):
        X.xyzzy  # type: ignore[attr-defined]  # noqa: B018


def test_the_error_can_be_pickled() -> None:
    with pytest.raises(JagAttributeError) as caught:
        X.nunique  # type: ignore[attr-defined]  # noqa: B018
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_suggested_names_exist() -> None:
    frames = {"flatten", "implode"}
    for space, table in SPELLINGS.items():
        for name, call in table.items():
            found = re.findall(r"(?:x|jag)\.((?:(?:str|dt)\.)?\w+)", call)
            assert {one for one in found if one not in ("jag", "shape")} <= {*METHODS, *frames, *dir(aj.JaggedArray)}, (space, name)
            assert set(re.findall(r"\baj\.(\w+)", call)) <= FUNCTIONS


def test_nothing_near_is_nothing() -> None:
    assert suggestion("xyzzy", ["sum"]) == ""
