"""Files stay readable where arrowjag is not installed: child processes that can't import it."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

import arrowjag as aj
from tests.hosts import LEAVE, pd, pl

X = aj.array([[[1.5, None], []], None, [None, [2.5]]])
S = aj.zip(a=aj.array([[1, 2], None, []]), b=aj.array([["x", None], None, []]))
ROWS = {"x": X.to_list(), "s": S.to_list(), "k": [1, 2, 3]}

PLAIN = """
import json, sys
sys.modules["arrowjag"] = None
def plain(value):
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    if hasattr(value, "tolist") and getattr(value, "ndim", 0):
        value = value.tolist()
    if isinstance(value, list):
        return [plain(item) for item in value]
    return None if value is None or value != value else value.item() if hasattr(value, "item") else value
def show(out):
    print(json.dumps(plain(out)))
parquet, ipc = sys.argv[1:]
"""
"""The first lines of children; `LEAVE` is the last."""
READERS = {
    "pyarrow": "import pyarrow.parquet as pq; out = pq.read_table(parquet).to_pydict()",
    "pyarrow ipc": "import pyarrow as pa; out = pa.ipc.open_file(ipc).read_all().to_pydict()",
    "pandas": "import pandas as pd; f = pd.read_parquet(parquet); out = {n: f[n].tolist() for n in f}",
    "pandas nullable": (
        "import pandas as pd; f = pd.read_parquet(parquet, dtype_backend='numpy_nullable'); out = {n: f[n].tolist() for n in f};"
        "out['k'] = [int(k) for k in out['k']]"
    ),
    "pandas arrow": (
        "import pandas as pd; f = pd.read_parquet(parquet, dtype_backend='pyarrow');"
        "out = {n: [None if v is pd.NA else v for v in f[n]] for n in f}"
    ),
    "pandas feather": "import pandas as pd; f = pd.read_feather(ipc); out = {n: f[n].tolist() for n in f}",
    "polars": (
        "import os; os.environ['POLARS_UNKNOWN_EXTENSION_TYPE_BEHAVIOR'] = 'load_as_storage';"
        "import polars as pl; out = pl.read_parquet(parquet).to_dict(as_series=False)"
    ),
    "polars extension": (
        "import polars as pl; import warnings; warnings.simplefilter('ignore'); f = pl.read_parquet(parquet);"
        "out = {n: (f[n].ext.storage() if n in 'xs' else f[n]).to_list() for n in f.columns}"
    ),
    "polars scan": (
        "import os; os.environ['POLARS_UNKNOWN_EXTENSION_TYPE_BEHAVIOR'] = 'load_as_storage';"
        "import polars as pl; out = pl.scan_parquet(parquet).collect().to_dict(as_series=False)"
    ),
    "duckdb": (
        "import duckdb; t = duckdb.sql(f\"select * from '{parquet}'\");out = dict(zip(t.columns, map(list, zip(*t.fetchall()))))"
    ),
}


# What a frame of pandas leaves in a file concerns pandas; children take half a second each.
PAIRS = [("dict", reader) for reader in READERS] + [("pandas", reader) for reader in READERS if reader.startswith("pandas")]


@pytest.mark.parametrize(("writer", "reader"), [*PAIRS, ("polars", "pandas"), ("polars", "polars")])
def test_others_see_nested_lists(writer: str, reader: str, tmp_path: Path) -> None:
    library = reader.split(maxsplit=1)[0]
    if importlib.util.find_spec(library) is None:
        pytest.skip(f"{library} is not installed")
    frames = {
        "dict": {"x": X, "s": S, "k": [1, 2, 3]},
        "pandas": pd.DataFrame({"x": X.to_pandas(), "s": S.to_pandas(), "k": [1, 2, 3]}),
        "polars": pl.DataFrame({"x": X.to_polars("x"), "s": S.to_polars("s"), "k": [1, 2, 3]}),
    }
    paths = [str(tmp_path / name) for name in ("a.parquet", "a.arrow")]
    aj.write_parquet(frames[writer], paths[0])
    aj.write_ipc(frames[writer], paths[1])
    code = f"{PLAIN}\n{READERS[reader]}\nassert sys.modules['arrowjag'] is None\nshow(out)\n{LEAVE}"
    child = subprocess.run([sys.executable, "-c", code, *paths], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert child.returncode == 0, child.stderr
    assert json.loads(child.stdout) == ROWS


PLAIN_READERS = {
    "pyarrow": READERS["pyarrow"],
    "pandas": READERS["pandas"],
    "pandas arrow": READERS["pandas arrow"],
    "polars": "import polars as pl; out = pl.read_parquet(parquet).to_dict(as_series=False)",
    "polars scan": "import polars as pl; out = pl.scan_parquet(parquet).collect(engine='streaming').to_dict(as_series=False)",
    "polars ipc": "import polars as pl; out = pl.read_ipc(ipc).to_dict(as_series=False)",
    "duckdb": READERS["duckdb"],
}


@pytest.mark.parametrize("reader", PLAIN_READERS)
def test_others_see_lists_in_plain_files_and_arrowjag_its_type(reader: str, tmp_path: Path) -> None:
    """Readers get no setting and no warning; the type comes back with arrowjag."""
    library = reader.split(maxsplit=1)[0]
    if importlib.util.find_spec(library) is None:
        pytest.skip(f"{library} is not installed")
    frame = pd.DataFrame({"x": X.to_pandas(), "s": S.to_pandas(), "k": [1, 2, 3]})
    paths = [str(tmp_path / name) for name in ("a.parquet", "a.arrow")]
    aj.write_parquet(frame, paths[0], plain=True)
    aj.write_ipc(aj.to_storage(frame), paths[1])
    code = f"{PLAIN}\nimport warnings; warnings.simplefilter('error')\n{PLAIN_READERS[reader]}\nshow(out)\n{LEAVE}"
    child = subprocess.run([sys.executable, "-c", code, *paths], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert child.returncode == 0, child.stderr
    assert json.loads(child.stdout) == ROWS
    back = aj.read_parquet(paths[0], to="pandas")
    assert [str(one) for one in back.dtypes][:2] == [str(one) for one in frame.dtypes][:2]
    assert aj.array(back["x"]).equals(X)


def test_nested_dtypes_of_pandas_itself_stay_readable_too(tmp_path: Path) -> None:
    import pyarrow as pa

    frame = pd.DataFrame({"v": pd.Series([[1], []], dtype=pd.ArrowDtype(pa.large_list(pa.int64())))})
    aj.write_parquet(frame, tmp_path / "a.parquet")
    assert [list(row) for row in pd.read_parquet(tmp_path / "a.parquet")["v"]] == [[1], []]


def test_a_file_that_another_program_rewrote_still_has_its_type(tmp_path: Path) -> None:
    """Pyarrow without arrowjag keeps what it does not know."""
    aj.write_parquet({"x": X, "k": [1, 2, 3]}, tmp_path / "a.parquet")
    code = (
        "import os, sys; sys.modules['arrowjag'] = None; import pyarrow.parquet as pq;"
        "pq.write_table(pq.read_table(sys.argv[1]).slice(1), sys.argv[1]); os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "a.parquet")], check=True)
    assert aj.from_arrow(aj.read_parquet(tmp_path / "a.parquet")["x"]).equals(X[1:])
