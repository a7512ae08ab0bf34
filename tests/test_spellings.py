"""Names of other libraries: each error about an unknown name suggests an existing call of arrowjag."""

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
SURFACES = ["array", "pandas", "polars", "expression"]


def owners() -> dict[str, Any]:
    return {
        "array": lambda: X,
        "pandas": lambda: X.to_pandas().jag,
        "polars": lambda: X.to_polars().jag,
        "expression": lambda: pl.col("v").jag,
    }


@pytest.mark.parametrize("surface", SURFACES)
def test_a_name_of_another_library_is_answered_with_ours(surface: str) -> None:
    owner = owners()[surface]()
    hosts = {"polars": pl.Series, "expression": pl.Expr}  # names of theirs that mean the same stay theirs
    for name in SPELLINGS[""].keys() - set(dir(aj.JaggedArray)):
        if surface in hosts and hasattr(hosts[surface], name) and hasattr(owner, name):
            continue
        with pytest.raises(JagAttributeError, match=f"has no '{name}'.*write ") as caught:
            getattr(owner, name)
        assert f"write {SPELLINGS[''][name]}" in str(caught.value)
        assert caught.value.name == name


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("prefix", ["list_", "array_", "arr_"])
def test_a_prefix_of_lists_is_left_out(surface: str, prefix: str) -> None:
    owner = owners()[surface]()
    for name in METHODS:
        if "." not in name and f"{prefix}{name}" not in SPELLINGS[""]:
            with pytest.raises(JagAttributeError, match=rf"write x\.{name}\(\)"):
                getattr(owner, f"{prefix}{name}")


def test_len_is_lengths() -> None:
    with pytest.raises(JagAttributeError, match=r"write x\.lengths\(\)"):
        X.len  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(JagAttributeError, match=r"write x\.lengths\(\), where x is series\.jag"):
        X.to_pandas().jag.len  # noqa: B018


@pytest.mark.parametrize("surface", SURFACES)
def test_the_nearest_name_is_suggested(surface: str) -> None:
    with pytest.raises(JagAttributeError, match="has no 'cumsums'; did you mean 'cumsum'"):
        owners()[surface]().cumsums  # noqa: B018


@pytest.mark.parametrize("surface", SURFACES)
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


@pytest.mark.parametrize("surface", ["array", "pandas", "polars"])
def test_a_field_is_picked_by_its_name(surface: str) -> None:
    points = aj.array([[{"lat": 1.0, "sum": 2.0}], []])
    owner = {"array": lambda: points, "pandas": lambda: points.to_pandas().jag, "polars": lambda: points.to_polars().jag}[surface]()
    with pytest.raises(JagAttributeError, match=r"has no 'lat'; write x\[\"lat\"\](, where x is series\.jag)?$"):
        owner.lat  # noqa: B018
    assert callable(owner.sum), "methods come before fields of the same name"
    picked = owner["lat"]
    assert (picked if surface == "array" else picked.jag).sum().to_list() == [1.0, 0.0]


@pytest.mark.parametrize("surface", ["pandas", "polars"])
def test_the_place_of_x_stands_behind_calls_only(surface: str) -> None:
    with pytest.raises(JagAttributeError, match=r"has no 'xyzzy'$"):
        owners()[surface]().xyzzy  # noqa: B018


def test_the_error_can_be_pickled() -> None:
    with pytest.raises(JagAttributeError) as caught:
        X.nunique  # type: ignore[attr-defined]  # noqa: B018
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_functions_that_are_no_methods_are_named() -> None:
    makers = {"arange", "array", "full", "json_default", "options", "random", "zeros", "jit", "to_storage"}
    others = {name for name in aj.__all__ if name.islower() and callable(getattr(aj, name)) and not hasattr(aj.JaggedArray, name)}
    functions = {name for name in others - makers if not name.startswith(("from_", "read_", "write_", "scan_"))}
    assert functions <= SPELLINGS[""].keys()
    assert all(SPELLINGS[""][name].startswith(f"aj.{name}(") for name in functions)


def test_suggested_names_exist() -> None:
    frames = {"flatten", "implode"}
    for space, table in SPELLINGS.items():
        for name, call in table.items():
            found = re.findall(r"(?:x|jag)\.((?:(?:str|dt)\.)?\w+)", call)
            assert {one for one in found if one not in ("jag", "shape")} <= {*METHODS, *frames, *dir(aj.JaggedArray)}, (space, name)
            assert set(re.findall(r"\baj\.(\w+)", call)) <= set(aj.__all__)


def test_a_name_without_similar_names_gets_no_suggestion() -> None:
    assert suggestion("xyzzy", ["sum"]) == ""


def test_private_names_are_not_suggested() -> None:
    with pytest.raises(JagAttributeError) as found:
        _ = X.stored
    assert "'_" not in str(found.value)
