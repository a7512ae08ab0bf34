"""What `import arrowjag` loads. Who may import whom inside the package is told by import-linter (`make imports`)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

LIST_MODULES = "import json, sys; import arrowjag; print(json.dumps(sorted(sys.modules)))"
OPTIONAL = ["awkward", "duckdb", "hypothesis", "matplotlib", "pandas", "polars", "ray", "rich", "torch", "typer"]


def modules_after(code: str) -> set[str]:
    """Top names of the modules that a fresh interpreter holds after some code."""
    child = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return {name.partition(".")[0] for name in json.loads(child.stdout)}


def test_import_loads_numpy_and_pyarrow_only() -> None:
    ours = modules_after(LIST_MODULES)
    needed = modules_after(LIST_MODULES.replace("arrowjag", "numpy, pyarrow, pyarrow.compute"))
    foreign = ours - needed - set(sys.stdlib_module_names) - {"arrowjag"}
    assert {"numpy", "pyarrow"} <= ours
    assert not [name for name in foreign if not name.startswith("_")]


@pytest.mark.parametrize("library", OPTIONAL)
def test_import_works_without(library: str) -> None:
    child = f"import sys; sys.modules[{library!r}] = None; import arrowjag"
    subprocess.run([sys.executable, "-c", child], check=True, capture_output=True, text=True)


READ_A_FOLDER = """
import json, sys
import pyarrow.parquet as pq
from pathlib import Path
import arrowjag as aj
from arrowjag.etl.process import Worker
folder = Path(sys.argv[1])
table = aj.read_parquet(folder, columns=["v"])
assert "pyarrow.dataset" not in sys.modules
aj.write_parquet(table, folder / "b.parquet")
print(json.dumps(sorted(sys.modules)))
"""


def test_reading_and_writing_files_loads_no_host(tmp_path: Path) -> None:
    """`pyarrow.dataset` imports pandas, which costs more than all the rest; so does `pa.array`, which made the file here."""
    pq.write_table(pa.table({"v": [[1], []]}), tmp_path / "a.parquet")
    child = subprocess.run([sys.executable, "-c", READ_A_FOLDER, str(tmp_path)], check=True, capture_output=True, text=True)
    assert not {"pandas", "polars"} & set(json.loads(child.stdout))
