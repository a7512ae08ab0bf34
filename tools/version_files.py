"""Write small files with one combination of versions, and read them with each other one.

`python tools/version_files.py` does so in the environments of `tools/versions.py`; `--write FOLDER` and `--read FOLDER` do it in
this one.
"""

from __future__ import annotations

import datetime as dt
import decimal
import importlib
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

import arrowjag as aj

__all__ = ["COMBINATIONS", "columns", "main", "read_files", "write_files"]

COMBINATIONS = ("pandas-2.3,polars-2.0,pyarrow-22", "pandas-3.0,pyarrow-24", "newest")
"""The oldest, one between, and the newest."""

_DAY = dt.datetime(2026, 1, 2, 3, 4, 5)  # noqa: DTZ001 - a column without a zone


def columns() -> dict[str, aj.JaggedArray]:
    """One column for each kind of storage, all of three rows with a null row and an empty one.

    Returns
    -------
    dict of str to JaggedArray
        By name.
    """
    text = pa.dictionary(pa.int32(), pa.large_string())
    data: dict[str, tuple[Any, pa.DataType | None]] = {
        "ints": ([[1, None], None, []], pa.int8()),
        "floats": ([[[0.5], None], None, []], pa.float64()),
        "text": ([["a", None], None, []], pa.string()),
        "words": ([["a", None], None, []], text),
        "days": ([[dt.date(2026, 1, 2)], None, []], pa.date32()),
        "times": ([[_DAY, None], None, []], pa.timestamp("us")),
        "seconds": ([[_DAY, None], None, []], pa.timestamp("s")),
        "decimals": ([[decimal.Decimal("1.50"), None], None, []], pa.decimal128(9, 2)),
        "structs": ([[{"a": 1, "b": "x"}, None], None, []], pa.struct([("a", pa.int64()), ("b", pa.string())])),
        "leaf_lists": ([[[1, 2], None], None, []], pa.list_(pa.int16(), 2)),
    }
    found = {name: aj.array(rows, type=type, ndim=3 if name == "floats" else 2) for name, (rows, type) in data.items()}
    pairs = pa.array([[[1, 2], None], None, []], pa.large_list(pa.list_(pa.int64(), 2)))
    return found | {
        "pairs": aj.from_arrow(pairs),
        "fixed": aj.from_arrow(pa.array([[1, 2], None, [3, None]], pa.list_(pa.int64(), 2))),
    }


def write_files(folder: Path) -> None:
    """Write the files of this environment.

    Parameters
    ----------
    folder : Path
        An existing folder.
    """
    import pandas as pd
    import polars as pl

    data = columns()
    aj.write_parquet(data, folder / "arrowjag.parquet")
    aj.write_parquet(data, folder / "plain.parquet", plain=True)
    aj.write_ipc(data, folder / "arrowjag.arrow")
    # Both hosts write with their own code; pandas fails for null rows of fixed size with older versions of pyarrow.
    shared = {name: x for name, x in data.items() if name not in {"pairs", "fixed", "leaf_lists"}}
    pd.DataFrame({name: x.to_pandas() for name, x in shared.items()}).to_parquet(folder / "pandas.parquet")
    own = {name: x for name, x in shared.items() if name not in {"seconds", "words"}}  # polars stores other types
    pl.DataFrame({name: x.to_polars() for name, x in own.items()}).write_parquet(folder / "polars.parquet")


def read_files(folder: Path) -> Iterator[str]:
    """Read all files of a folder, whoever wrote them.

    Parameters
    ----------
    folder : Path
        The folder.

    Yields
    ------
    str
        What differs from `columns`; nothing where all is right.
    """
    data = columns()
    for path in sorted(folder.glob("*.*")):
        table = aj.read_ipc(path) if path.suffix == ".arrow" else aj.read_parquet(path)
        for name in table.column_names:
            got, expected = aj.from_arrow(table[name]), data[name]
            if got.to_list() != expected.to_list():
                yield f"{path.name}, column {name}: {got.to_list()}, expected {expected.to_list()}"
            if path.name.startswith(("arrowjag", "plain")) and got.to_arrow().type != expected.to_arrow().type:
                yield f"{path.name}, column {name}: {got.to_arrow().type}, expected {expected.to_arrow().type}"
        for host in ("pandas", "polars"):
            frame = aj.read_parquet(path, to=host) if path.suffix == ".parquet" else aj.read_ipc(path, to=host)
            for name in table.column_names:
                if aj.array(frame[name]).to_list() != data[name].to_list():
                    yield f"{path.name} to {host}, column {name}"


def main(arguments: list[str]) -> int:
    """Write, read, or do both in each environment.

    Parameters
    ----------
    arguments : list of str
        `--write FOLDER`, `--read FOLDER`, or nothing.

    Returns
    -------
    int
        0 if all that was read is right.
    """
    if arguments[:1] == ["--write"]:
        write_files(Path(arguments[1]))
        return 0
    if arguments[:1] == ["--read"]:
        wrong = list(read_files(Path(arguments[1])))
        print("\n".join(wrong))
        return int(bool(wrong))
    versions = importlib.import_module("versions")  # beside this script
    failed = 0
    with tempfile.TemporaryDirectory() as base:
        pythons = {name: str(versions.environment(name)) for name in COMBINATIONS}
        for name, python in pythons.items():
            Path(base, name).mkdir()
            subprocess.run([python, __file__, "--write", str(Path(base, name))], check=True)
        for writer in pythons:
            for reader, python in pythons.items():
                code = subprocess.run([python, __file__, "--read", str(Path(base, writer))], check=False).returncode
                print(f"written with {writer}, read with {reader}: {'failed' if code else 'equal'}", flush=True)
                failed |= code
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
