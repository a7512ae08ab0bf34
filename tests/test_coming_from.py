"""The tables of docs/coming-from: every row runs, and beside the other library where it is installed.

Two kinds of table. `| other | arrowjag | gives |`: both give the same. `| other | gives | arrowjag | gives | why |`: they differ,
each as it says. The Python blocks of a page are run first; its tables use their names. Other tables are prose.
"""

from __future__ import annotations

import math
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pytest

import arrowjag as aj
from tests.hosts import pd
from tests.test_documents import ROOT, blocks, run

PAGES = sorted((ROOT / "docs" / "coming-from").glob("*.md"))
LIBRARIES = {
    "Koda": "koladata",
    "awkward": "awkward",
    "pandas": "pandas",
    "polars": "polars",
    "DuckDB": "duckdb",
    "Spark SQL": "pyspark",
    "ClickHouse": "chdb",
    "DataFusion": "datafusion",
    "Daft": "daft",
    "torch": "torch",
    "nested-pandas": "nested_pandas",
}
SQL = {"DuckDB": "duck", "Spark SQL": "spark", "ClickHouse": "click", "DataFusion": "fusion"}
"""The functions of the page that run a piece of SQL on its table."""

SPARK_FUNCTIONS = """
    aggregate array array_append array_compact array_contains array_distinct array_except array_insert array_intersect
    array_join array_max array_min array_position array_prepend array_remove array_repeat array_size array_sort
    array_union arrays_overlap arrays_zip cardinality concat element_at exists explode explode_outer filter flatten forall
    get inline inline_outer map map_concat map_contains_key map_entries map_filter map_from_arrays map_from_entries
    map_keys map_values map_zip_with posexplode posexplode_outer reduce reverse sequence shuffle size slice sort_array
    stack str_to_map transform transform_keys transform_values try_element_at zip_with
"""
"""The functions of Spark 4.3 in its groups of arrays, collections, generators, lambdas and maps."""

OF_LAYOUTS = """
    backend broadcast_fields categories enforce_type from_arrow_schema from_avro_file from_buffers from_cudf from_cupy
    from_dlpack from_jax from_rdataframe from_regular from_safetensors is_categorical is_tuple materialize merge_option_of_records
    merge_union_of_records mixin_class mixin_class_method parameters to_arrow_table to_buffers to_cudf to_cupy to_jax to_layout
    to_packed to_parquet_row_groups to_rdataframe to_safetensors transform type validity_error with_named_axis with_parameter
    without_named_axis without_parameters
"""
"""Functions of awkward about layouts, behaviors, devices and formats that Arrow has no part in."""

NOT_LISTED = {
    "array_to_json": "JSON",
    "map_to_pg_oid": "a catalog of Postgres",
    "map_type_id_to_pg_oid": "a catalog of Postgres",
    "unpivot_list": "part of a statement",
}
"""Functions of DuckDB with such names that have nothing to do with lists and maps."""


class Row(NamedTuple):
    page: Path
    line: int
    library: str
    theirs: str
    their_result: str
    ours: str
    our_result: str


def rows(page: Path) -> list[Row]:
    found, header = [], None
    for line, text in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if not text.startswith("|"):
            header = None
            continue
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", text)[1:-1]]
        if header is None:
            header = cells
        elif not set(text) <= set("|-: ") and "arrowjag" in header:
            codes = [code(cell) for cell in cells]
            if header[1:] == ["arrowjag", "gives"]:
                found.append(Row(page, line, header[0], sql(header[0], codes[0]), codes[2], codes[1], codes[2]))
            elif header[1:] == ["gives", "arrowjag", "gives", "why"]:
                assert codes[1] != codes[3], f"{page.name}, line {line}: no difference"
                found.append(Row(page, line, header[0], sql(header[0], codes[0]), codes[1], codes[2], codes[3]))
    return found


def sql(library: str, source: str) -> str:
    """A call that runs the SQL of a cell; any other cell is Python already."""
    return f"{SQL[library]}({source!r})" if library in SQL else source


def code(cell: str) -> str:
    """The texts in backticks; prose is no code."""
    match = re.fullmatch(r"`(.*)`", cell)
    return match[1].replace(r"\|", "|") if match else ""


def names_of(page: Path) -> dict[str, Any]:
    names: dict[str, Any] = {}
    for block in blocks(page.read_text(encoding="utf-8")):
        needed = block.note.removeprefix("needs: ") if block.note.startswith("needs: ") else None
        if not block.note or (needed and installed(needed)):
            run(block, str(page), names)
    return names


def installed(library: str) -> bool:
    try:
        __import__(library)
    except ImportError:
        return False
    return True


NAMES: dict[Path, dict[str, Any]] = {}
ROWS = [row for page in PAGES for row in rows(page)]


def outcome(source: str, page: Path) -> Any:
    """The result of a cell, as nested lists; "refused" for an error."""
    if page not in NAMES:
        NAMES[page] = names_of(page)
    try:
        return plain(eval(source, dict(NAMES[page])))
    except (ValueError, TypeError, IndexError, OverflowError, ZeroDivisionError, NotImplementedError):
        return "refused"


def plain(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return [plain(one) for one in value]
    if isinstance(value, aj.JaggedShape) or type(value).__name__ == "JaggedShape":
        return repr(value)
    if isinstance(value, pa.Scalar):
        return value.as_py()
    if hasattr(value, "to_py"):  # of Koda, whose items answer to no other name
        found = value.to_py(max_depth=-1)
        return True if str(found) == "present" else found
    for method in ("to_list", "tolist", "to_pylist"):
        if hasattr(value, method):
            found = getattr(value, method)()
            return [None if one is pd.NA else one for one in found] if isinstance(found, list) else found
    return value


def expected(text: str) -> Any:
    if text.startswith("JaggedShape") or text == "refused":
        return text
    return eval(text, {"nan": math.nan, "inf": math.inf})


def same(one: Any, two: Any) -> bool:
    if isinstance(one, list) and isinstance(two, list):
        return len(one) == len(two) and all(map(same, one, two))
    if isinstance(one, float) and isinstance(two, float):
        return math.isclose(one, two, rel_tol=1e-5, abs_tol=1e-9) or (math.isnan(one) and math.isnan(two))
    return type(one) is type(two) and bool(one == two)


def numbers_as(got: Any, wanted: Any) -> Any:
    """The result of ClickHouse: 0 and 1 if a truth value is expected, an integer if a whole float is."""
    if isinstance(got, list) and isinstance(wanted, list):
        return [numbers_as(*both) for both in zip(got, wanted, strict=False)] if len(got) == len(wanted) else got
    return type(wanted)(got) if isinstance(wanted, (bool, float)) and type(got) is int else got


def label(row: Row) -> str:
    return f"{row.page.stem}-{row.line}"


@pytest.mark.parametrize("row", ROWS, ids=label)
def test_ours(row: Row) -> None:
    assert row.ours
    assert row.our_result, "a row without a result"
    got = outcome(row.ours, row.page)
    assert same(got, expected(row.our_result)), f"{row.page.name}, line {row.line}: {row.ours} gives {got}"


@pytest.mark.filterwarnings("ignore")  # of the other library
@pytest.mark.parametrize("row", [row for row in ROWS if row.theirs and row.library in LIBRARIES], ids=label)
def test_theirs(row: Row) -> None:
    pytest.importorskip(LIBRARIES[row.library])
    got = outcome(row.theirs, row.page)
    if row.library == "ClickHouse":
        got = numbers_as(got, expected(row.their_result))
    assert same(got, expected(row.their_result)), f"{row.page.name}, line {row.line}: {row.theirs} gives {got}"


def test_pages_have_tables() -> None:
    counts = {page.stem: sum(row.page == page for row in ROWS) for page in PAGES}
    wanted = ("koda", "fold", "awkward", "nested-pandas", "tensorflow", "pandas", "polars", "duckdb-and-spark")
    wanted += ("clickhouse", "datafusion", "daft", "torch")
    assert all(counts[name] > 10 for name in wanted)


def test_every_list_function_of_duckdb_is_listed() -> None:
    duckdb = pytest.importorskip("duckdb")
    known = duckdb.sql("select distinct function_name, alias_of from duckdb_functions()").fetchall()
    page = (ROOT / "docs" / "coming-from" / "duckdb-and-spark.md").read_text(encoding="utf-8")
    named = set(re.findall(r"[a-z_]+(?=\()", page))
    about = re.compile("(list|array|map)(_|$)|flatten$|unnest$|range$|generate_series$|len$|cardinality$|element_at$")
    missing = {name for name, alias in known if about.match(name) and name not in named and alias not in named}
    assert missing <= set(NOT_LISTED), f"docs/coming-from/duckdb-and-spark.md: add rows for {sorted(missing - set(NOT_LISTED))}"


def test_every_list_function_of_spark_is_listed() -> None:
    page = (ROOT / "docs" / "coming-from" / "duckdb-and-spark.md").read_text(encoding="utf-8").partition("## Spark SQL")[2]
    named = set(re.findall(r"[a-z_]+(?=\()", page))
    assert set(SPARK_FUNCTIONS.split()) <= named, f"add rows for {sorted(set(SPARK_FUNCTIONS.split()) - named)}"


def named_in(page: str) -> set[str]:
    return set(re.findall(r"\w+", (ROOT / "docs" / "coming-from" / page).read_text(encoding="utf-8")))


def test_every_array_function_of_clickhouse_is_listed() -> None:
    chdb = pytest.importorskip("chdb")
    known = str(chdb.query("select name from system.functions where categories in ('Arrays', 'Map', 'Distance')", "TSV")).split()
    missing = {name for name in known if name not in named_in("clickhouse.md") and not name.endswith(("Transposed", "Quantized"))}
    assert not missing, f"docs/coming-from/clickhouse.md: add rows for {sorted(missing)}"


def test_every_array_function_of_datafusion_is_listed() -> None:
    functions = pytest.importorskip("datafusion.functions")
    lists = re.compile("(array|arrays|map)_|flatten$|range$|generate_series$|cardinality$|empty$|element_at$|make_array$")
    missing = {name for name in dir(functions) if lists.match(name)} - named_in("datafusion.md")
    assert not missing, f"docs/coming-from/datafusion.md: add rows for {sorted(missing)}"


def test_every_list_function_of_daft_is_listed() -> None:
    daft = pytest.importorskip("daft")
    missing = {name for name in dir(daft.Expression) if name.startswith(("list_", "map_"))} - named_in("daft.md")
    assert not missing, f"docs/coming-from/daft.md: add rows for {sorted(missing)}"


def test_every_function_of_awkward_that_computes_is_listed() -> None:
    awkward = pytest.importorskip("awkward")
    functions = {name for name in dir(awkward) if type(getattr(awkward, name)).__name__ == "function" and not name.startswith("_")}
    missing = functions - named_in("awkward.md") - set(OF_LAYOUTS.split())
    assert not missing, f"docs/coming-from/awkward.md: add rows for {sorted(missing)}"


def test_every_list_method_of_polars_is_listed() -> None:
    polars = pytest.importorskip("polars")
    methods = {name for name in dir(polars.Series([[1]]).list) if not name.startswith("_")}
    page = (ROOT / "docs" / "coming-from" / "polars.md").read_text(encoding="utf-8")
    assert methods <= set(re.findall(r"\w+", page)), f"add rows for {sorted(methods - set(re.findall(r'[a-z_]+', page)))}"


@pytest.mark.everyday
def test_the_page_of_functions_is_made_of_the_tables() -> None:
    tool = ROOT / "tools" / "write_functions.py"
    done = subprocess.run([sys.executable, tool, "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"run python tools/write_functions.py {done.stderr}"
