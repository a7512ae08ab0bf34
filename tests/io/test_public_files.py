"""Nested Parquet files that others wrote and published: all are read as pyarrow reads them, and come back from a file of ours.

awkward's samples (lists and records at every depth, nullable and not) and the tables that Delta Lake's Rust library is tested with
(written by Spark: maps, and structs in lists in structs) lie in their source archives on PyPI.
"""

from __future__ import annotations

import hashlib
import io
import subprocess
import sys
import tarfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import arrowjag as aj
from arrowjag.testing import assert_lists_equal

pytestmark = pytest.mark.slow

ARCHIVES = {
    "awkward 2.14.0": ("f5bce2ddfd4b5ad5277462b01adf94fd6ca90c33a56949fb8c00490c30725737", 13),
    "deltalake 1.6.6": ("91864d97adb429fa8b8748b4f68d69adab3d0417ffa9f100bdb85805890c997f", 60),
}
"""The SHA-256 of each archive, and how many nested files it holds at least."""


FETCH = r"""
import re, sys
from urllib.parse import urljoin
from urllib.request import urlopen, urlretrieve
name, version, path = sys.argv[1:]
index = f"https://pypi.org/simple/{name}/"
(source,) = re.findall(rf'href="([^"]*{name}-{version}\.tar\.gz[^"]*)"', urlopen(index, timeout=60).read().decode())
urlretrieve(urljoin(index, source), path)
"""
"""In a process of its own, because a proxy leaves sockets open."""


def download(archive: str, path: Path) -> bytes:
    done = subprocess.run([sys.executable, "-c", FETCH, *archive.split(), path], check=False, capture_output=True, text=True)
    if "URLError" in done.stderr:
        pytest.skip(f"PyPI can't be reached: {done.stderr.splitlines()[-1]}")
    assert done.returncode == 0, done.stderr
    return path.read_bytes()


def nested_files(content: bytes) -> dict[str, bytes]:
    """The Parquet files in an archive that have a nested column."""
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        files = {one.name: archive.extractfile(one).read() for one in archive if one.name.endswith(".parquet")}
    return {name: file for name, file in files.items() if any(map(pa.types.is_nested, pq.read_schema(pa.BufferReader(file)).types))}


def rows(column: aj.JaggedArray | pa.ChunkedArray | pa.Array) -> list:
    return column.to_list() if isinstance(column, aj.JaggedArray) else column.to_pylist()


@pytest.mark.parametrize("archive", ARCHIVES)
def test_public_files_are_read_and_come_back(archive, tmp_path):
    digest, at_least = ARCHIVES[archive]
    content = download(archive, tmp_path / "archive.tar.gz")
    assert hashlib.sha256(content).hexdigest() == digest
    files = nested_files(content)
    assert len(files) >= at_least
    for number, (name, file) in enumerate(files.items()):
        path = tmp_path / f"{number}.parquet"
        path.write_bytes(file)
        plain = pq.ParquetFile(path).read()
        columns = aj.read_parquet(path)
        aj.write_parquet(columns, tmp_path / "again.parquet")
        again = aj.read_parquet(tmp_path / "again.parquet")
        assert columns.column_names == again.column_names == plain.column_names, name
        for column in plain.column_names:
            assert_lists_equal(rows(columns[column]), plain[column].to_pylist())
            assert_lists_equal(rows(again[column]), plain[column].to_pylist())
