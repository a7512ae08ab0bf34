"""`.jag` is there in whatever order pandas and arrowjag are imported, and pandas is not imported without need."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.hosts import LEAVE

READY = """
s = pandas.Series([[1, 2], [3]], dtype="jagged[int64, 2]")
assert s.jag.sum().tolist() == [3, 3]
assert pandas.DataFrame({"v": s}).jag.flatten("v")["v"].tolist() == [1, 2, 3]
"""


@pytest.mark.parametrize("imports", ["import pandas, arrowjag", "import arrowjag, pandas", "import pandas, arrowjag.pandas"])
def test_order_of_imports(imports: str) -> None:
    subprocess.run([sys.executable, "-c", imports + READY], check=True)


def test_a_file_is_read_with_its_dtype(tmp_path: object) -> None:
    code = f"""
import pandas as pd
import arrowjag as aj
pd.DataFrame({{"v": aj.array([[1], None]).to_pandas()}}).to_parquet("{tmp_path}/a.parquet")
assert str(pd.read_parquet("{tmp_path}/a.parquet")["v"].dtype) == "jagged[int64, 2]"
{LEAVE}
"""
    subprocess.run([sys.executable, "-c", code], check=True)
