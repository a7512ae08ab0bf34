"""Names of other libraries: each error about an unknown name suggests an existing call of arrowjag."""

from __future__ import annotations

import copy
import datetime as dt
import math
import operator
import pickle
import re
from typing import Any

import pytest

import arrowjag as aj
from arrowjag._methods import METHODS
from arrowjag._vocabulary.spellings import FRAMES, FUNCTIONS, SPELLINGS, on_arrays, suggestion
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
        call = SPELLINGS[""][name]
        assert f"write {on_arrays(call) if surface == 'array' else call}" in str(caught.value)
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
        ("dt", "total_minutes", r"write x\.dt\.total_seconds\(\)(\.jag)? / 60(,|$)"),
        ("", "field", r"write x\['field'\]"),
        ("dt", "truncate", r"write x\.dt\.floor\(every\)"),
        ("dt", "xyzzy", "has no 'xyzzy'$"),
        ("", "split", r"write x\.str\.split\(\)"),
        ("", "to_uppercase", r"write x\.str\.upper\(\)"),
        ("", "year", r"write x\.dt\.year\(\)"),
        ("", "day_name", r"write x\.dt\.strftime\('%A'\)"),
    ],
)
def test_names_of_namespaces(surface: str, space: str, name: str, said: str) -> None:
    with pytest.raises(JagAttributeError, match=said):
        getattr(operator.attrgetter(space)(owners()[surface]()) if space else owners()[surface](), name)


@pytest.mark.parametrize("surface", SURFACES)
def test_text_is_sliced_by_a_method(surface: str) -> None:
    with pytest.raises(aj.JagTypeError, match=r"^\.str can't be indexed; write x\.str\.slice\(start, stop\)"):
        owners()[surface]().str[:2]
    with pytest.raises(aj.JagTypeError, match=r"^\.dt can't be indexed$"):
        owners()[surface]().dt[0]


def test_names_of_a_frame_and_of_none() -> None:
    with pytest.raises(
        JagAttributeError, match=r"of a DataFrame has no 'nunique'; write x\.n_unique\(\), where x is df\[column\]\.jag"
    ):
        pd.DataFrame({"v": X}).jag.nunique  # noqa: B018
    for frame, column, known in (
        (pd.DataFrame({"v": X}), r"df\[.*\]", True),
        (pl.DataFrame({"v": X}), r"pl\.col\(.*\)", True),
        (pl.LazyFrame({"v": X}), r"pl\.col\(.*\)", False),
    ):
        with pytest.raises(JagAttributeError, match=rf"Frame has no 'sum'; write {column}\.jag\.sum$"):
            frame.jag.sum  # noqa: B018
        with pytest.raises(JagAttributeError, match=rf"Frame has no 'v'; write {column}\.jag$" if known else "Frame has no 'v'$"):
            frame.jag.v  # noqa: B018
        with pytest.raises(aj.JagTypeError, match=rf"Frame can't be indexed; write {column}\.jag$"):
            frame.jag["v"]
        assert not hasattr(frame.jag, "__len__")
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
    with pytest.raises(JagAttributeError, match="n_unique") as caught:
        X.nunique  # type: ignore[attr-defined]  # noqa: B018
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_functions_that_are_no_methods_are_named() -> None:
    makers = {"arange", "array", "full", "json_default", "options", "random", "zeros", "jit", "to_storage"}
    others = {name for name in aj.__all__ if name.islower() and callable(getattr(aj, name)) and not hasattr(aj.JaggedArray, name)}
    functions = {name for name in others - makers if not name.startswith(("from_", "read_", "write_", "scan_"))}
    assert functions <= SPELLINGS[""].keys()
    assert all(SPELLINGS[""][name].startswith(f"aj.{name}(") for name in functions)


def test_completion_lists_what_arrowjag_offers_and_not_what_it_imports() -> None:
    names = set(dir(aj))
    assert {*aj.__all__, "etl", "io", "pandas", "read_parquet", "__version__"} <= names
    assert not names & {"Any", "TYPE_CHECKING", "annotations", "importlib"}
    assert all(hasattr(aj, name) for name in names)
    for module in (aj.etl, aj.interop, aj.testing):
        assert {name for name in dir(module) if not name.startswith("__")} == set(module.__all__)


def test_suggested_names_exist() -> None:
    frames = {"flatten", "implode", "describe", *FRAMES}
    assert all(hasattr(pd.DataFrame({"v": X}).jag, name) for name in frames)
    for space, table in SPELLINGS.items():
        for name, call in table.items():
            found = re.findall(r"\b(?:x|jag)\.((?:(?:str|dt)\.)?\w+)", call)
            assert {one for one in found if one not in ("jag", "shape")} <= {*METHODS, *frames, *dir(aj.JaggedArray)}, (space, name)
            assert set(re.findall(r"\baj\.(\w+)", call)) <= {*aj.__all__, "interop"}


CHAINS = {
    "between": (aj.array([[1, 5], [], None]), [[False, True], [], None]),
    "is_between": (aj.array([[1, 5], [], None]), [[False, True], [], None]),
    "nan_to_num": (aj.array([[1.0, math.nan], [], None]), [[1.0, 0.0], [], None]),
    "notna": (aj.array([[1, None], [], None]), [[True, False], [], None]),
    "notnull": (aj.array([[1, None], [], None]), [[True, False], [], None]),
    "is_not_null": (aj.array([[1, None], [], None]), [[True, False], [], None]),
    "is_not_nan": (aj.array([[1.0, math.nan], [], None]), [[True, False], [], None]),
    "drop_nans": (aj.array([[1.0, math.nan], [], None]), [[1.0], [], None]),
    "has_nulls": (aj.array([[1, None], [], None]), [True, False, None]),
    "mask": (aj.array([[1, 2], [], None]), [[0, 0], [], None]),
    "zscore": (aj.array([[1, 2, 3], [], None]), [[-1.0, 0.0, 1.0], [], None]),
    "count_nonzero": (aj.array([[1, 0, None], [], None]), [1, 0, None]),
    "jaccard": (aj.array([[1, 2], [3], None]), [0.5, 0.0, None]),
    "has_any": (aj.array([[1, 2], [], None]), [True, False, None]),
    "has_all": (aj.array([[1, 2], [], None]), [True, False, None]),
    "count_if": (aj.array([[1, 2], [], None]), [1, 0, None]),
    "sum_if": (aj.array([[1, 2], [], None]), [2, 0, None]),
    "mean_by": (aj.array([[1, 2], [], None]), [[1.5], [], None]),
    "batched": (aj.array([[1, None, 5], [], None]), [[[1, None], [5]], [], None]),
    "cume_dist": (aj.array([[5, 1, 5], [], None]), [[1.0, 1 / 3, 1.0], [], None]),
    "first_valid_index": (aj.array([[None, 5], [None], None]), [1, None, None]),
    "full_like": (aj.array([[1, 5], [], None]), [[9, 9], [], None]),
    "is_unique": (aj.array([[1, 1], [1, 2], None]), [False, True, None]),
    "isclose": (aj.array([[1], [3], None]), [[True], [False], None]),
    "local_index": (aj.array([[1, None], [], None]), [[0, 1], [], None]),
    "minmax_scale": (aj.array([[1, 5, 3], [], None]), [[0.0, 1.0, 0.5], [], None]),
    "nanmean": (aj.array([[1.0, math.nan], [], None]), [1.0, None, None]),
    "not_empty": (aj.array([[1], [], None]), [True, False, None]),
    "percent_rank": (aj.array([[5, 1, 5], [], None]), [[0.5, 0.0, 0.5], [], None]),
    "row_number": (aj.array([[1, None], [], None]), [[1, 2], [], None]),
    "sessions": (aj.array([[1, 2], [3], None]), [[[1], [2]], [[3]], None]),
    "trapezoid": (aj.array([[1, 2], [3], None]), [3.0, 0.0, None]),
    "dt.total_hours": (aj.array([[dt.timedelta(hours=2)], [], None]), [[2.0], [], None]),
    "dt.total_milliseconds": (aj.array([[dt.timedelta(seconds=2)], [], None]), [[2000.0], [], None]),
    "dt.total_microseconds": (aj.array([[dt.timedelta(seconds=2)], [], None]), [[2_000_000], [], None]),
    "dt.days": (aj.array([[dt.timedelta(days=2)], [], None]), [[2.0], [], None]),
    "str.to_date": (aj.array([["2020-01-02"], [], None]), [[dt.date(2020, 1, 2)], [], None]),
}


WITH_ROWS = {"isclose", "jaccard", "count_if", "sum_if", "mean_by"}
TIMES = aj.array([[0, 2], [5], [7]])


@pytest.mark.parametrize("name", CHAINS)
@pytest.mark.parametrize("surface", SURFACES)
def test_suggestions_of_several_calls_run_on_every_surface(surface: str, name: str) -> None:
    x, expected = CHAINS[name]
    space, _, short = name.rpartition(".")
    call = SPELLINGS[space][short]
    known = {"aj": aj, "low": 2, "high": 6, "condition": True, "y": 0, "format": "%Y-%m-%d", "values": [2], "v": 1, "w": 2}
    known |= {"n": 2, "value": 9, "tolerance": 0, "pause": 1}
    times = {"array": TIMES, "expression": pl.lit(TIMES.to_polars()).jag}
    known["t"] = times[surface] if surface in times else owners_of(TIMES)[surface].jag
    known |= {"y": [[1], [2], [3]], "mask": [[False, True], [], None], "keys": [[0, 0], [], None]} if name in WITH_ROWS else {}
    if surface == "array":
        assert eval(on_arrays(call), {**known, "x": x}).to_list() == expected
    elif surface == "expression":
        found = pl.DataFrame({"v": x}).select(eval(call, {**known, "x": pl.col("v").jag}))
        assert found.to_series().to_list() == expected
    else:
        found = eval(call, {**known, "x": owners_of(x)[surface].jag})
        assert aj.array(found).to_list() == expected


def owners_of(x: aj.JaggedArray) -> dict[str, Any]:
    return {"pandas": x.to_pandas(), "polars": x.to_polars("v")}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("ones", r"write aj\.full\(dims, 1\.0\)$"),
        ("sum", r"write x\.sum\(\)$"),
        ("explode", r"write x\.flatten\(\)"),
        ("concatnate", "did you mean 'concat'"),
        ("from_pandas", r"write aj\.array\(data\)$"),
        ("xyzzy", "has no attribute 'xyzzy'$"),
    ],
)
def test_names_of_functions_are_suggested(name: str, said: str) -> None:
    with pytest.raises(JagAttributeError, match=said):
        getattr(aj, name)
    assert not hasattr(aj, name)


def test_suggested_functions_exist() -> None:
    for name, call in FUNCTIONS.items():
        assert not hasattr(aj, name)
        for path in re.findall(r"\baj\.([\w.]+)", call):
            operator.attrgetter(path)(aj)


KEYED = {
    "sort": lambda x, key: x.sort(by=key),
    "topk": lambda x, key: x.topk(1, by=key),
    "bottomk": lambda x, key: x.bottomk(1, by=key),
    "unique": lambda x, key: x.unique(by=key),
    "min_by": lambda x, key: x.min_by(key),
    "max_by": lambda x, key: x.max_by(key),
    "rank": lambda x, key: x.rank(tie_breaker=key),
    "group_by": lambda x, key: x.group_by(key),
    "group_by_indices": lambda x, key: x.group_by_indices(key),
}


@pytest.mark.parametrize("name", KEYED)
@pytest.mark.parametrize("surface", SURFACES)
def test_the_name_of_a_field_is_no_key(surface: str, name: str) -> None:
    x = aj.array([[{"t": 3}, {"t": 1}], []])
    owner = {"array": lambda: x, "pandas": lambda: x.to_pandas().jag, "polars": lambda: x.to_polars().jag}.get(surface)

    def call() -> Any:
        if owner is not None:
            return KEYED[name](owner(), "t")
        return pl.DataFrame({"v": x}).select(KEYED[name](pl.col("v").jag, "t"))

    with pytest.raises(aj.JagTypeError, match=rf"^.*{name}: the text 't' is one key .* write x\['t'\].*pl\.col\('t'\)"):
        call()


BESIDE = {
    "mean": (lambda x, text: x.mean(weights=text), "weight"),
    "quantile": (lambda x, text: x.quantile(0.5, weights=text), "weight"),
    "cdf": (lambda x, text: x.cdf(weights=text), "weight"),
    "sample": (lambda x, text: x.sample(n=1, seed=0, weights=text), "weight"),
    "rolling": (lambda x, text: x.rolling(2, on=text).sum(), "time"),
    "resample": (lambda x, text: aj.resample(text, x, 1), "time"),
}


@pytest.mark.parametrize("name", BESIDE)
@pytest.mark.parametrize("surface", SURFACES)
def test_the_name_of_a_column_is_no_weight_and_no_time(surface: str, name: str) -> None:
    call, one = BESIDE[name]
    with pytest.raises(aj.JagTypeError, match=rf"^.*{name}: the text 'w' is one {one} for .* {one}s in a column .*pl\.col\('w'\)"):
        pl.DataFrame({"v": X}).select(call(owners()[surface](), "w"))


@pytest.mark.parametrize("surface", ["array", "pandas", "polars"])
def test_assignment_names_the_method_that_returns_new_rows(surface: str) -> None:
    owner = owners()[surface]()
    for index in (0, owner > 1):
        with pytest.raises(aj.JagTypeError, match=r"write (x = x|series = series\.jag)\.set\(index, values\)"):
            owner[index] = 0
    assert owner.to_list() == X.to_list()
    assert (owner.set(owner > 1, 0) if surface == "array" else owner.set(owner > 1, 0).jag).to_list() == [[1, 0], [0]]


def test_a_name_without_similar_names_gets_no_suggestion() -> None:
    assert suggestion("xyzzy", ["sum"]) == ""


def test_private_names_are_not_suggested() -> None:
    with pytest.raises(JagAttributeError, match=r"'stored'(?!.*'_)"):
        _ = X.stored


def test_windows_and_indexers_say_what_they_have() -> None:
    x = aj.array([[1, 2], [3]])
    told = {
        x.rolling(2): "a Rolling has no 'meen'; did you mean 'mean'?",
        x.ewm(alpha=0.5): "an Ewm has no 'meen'; did you mean 'mean'?",
        x.expanding(): "a Rolling has no 'meen'; did you mean 'mean'?",
        aj.sequences.pack(x, 4): "a Packed has no 'meen'; it has block_mask,.*width$",
        aj.overlay(x, [0], [[9, 9]]): "an Overlay has no 'meen'; it has dest, index",
        x.S: r"\.S has no 'meen'; index it, as in x\.S\[0\]",
    }
    for owner, text in told.items():
        assert not hasattr(owner, "meen")
        assert pickle.loads(pickle.dumps(copy.copy(owner))) is not None
        with pytest.raises(aj.JagAttributeError, match=text):
            owner.meen  # noqa: B018
