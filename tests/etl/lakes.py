"""Helpers for tests of tables: a table of each format, and a deletion vector made by hand."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

FORMATS = ("delta", "iceberg")
_Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"


class Place:
    """A folder for tables of one format; `name` is what a job takes, `rows` what the library of the format reads."""

    def __init__(self, format: str, folder: Path) -> None:
        self.format, self.folder = format, folder

    def name(self, table: str) -> str:
        return f"delta://{self.folder}/{table}" if self.format == "delta" else f"iceberg://lake/ns.{table}"

    def open(self, table: str) -> Any:
        if self.format == "delta":
            from deltalake import DeltaTable

            return DeltaTable(str(self.folder / table))
        from pyiceberg.catalog import load_catalog

        return load_catalog("lake").load_table(f"ns.{table}")

    def rows(self, table: str) -> pa.Table:
        opened = self.open(table)
        return opened.to_pyarrow_table() if self.format == "delta" else opened.scan().to_arrow()

    def commits(self, table: str) -> list[str]:
        """The runs that have committed, oldest first."""
        opened = self.open(table)
        if self.format == "delta":
            return [one["arrowjag.run"] for one in reversed(opened.history()) if "arrowjag.run" in one]
        facts = [one.summary.additional_properties for one in opened.metadata.snapshots]
        return [one["arrowjag.run"] for one in facts if "arrowjag.run" in one]

    def root(self, table: str) -> Path:
        return self.folder / table if self.format == "delta" else self.folder / "ns" / table

    def create(self, table: str, rows: pa.Table) -> None:
        """A table that others have written."""
        if self.format == "delta":
            from deltalake import write_deltalake

            write_deltalake(str(self.folder / table), rows)
            return
        from pyiceberg.catalog import load_catalog

        load_catalog("lake").create_table(f"ns.{table}", schema=rows.schema).append(rows)


def make_place(format: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A place for tables; skip the test if the library of the format is not installed."""
    pytest.importorskip("deltalake" if format == "delta" else "pyiceberg")
    if format == "iceberg":
        pytest.importorskip("sqlalchemy")
        folder.mkdir(parents=True, exist_ok=True)
        for key, value in {"TYPE": "sql", "URI": f"sqlite:///{folder}/c.db", "WAREHOUSE": f"file://{folder}"}.items():
            monkeypatch.setenv(f"PYICEBERG_CATALOG__LAKE__{key}", value)
        import pyiceberg.catalog
        from pyiceberg.utils.config import Config

        monkeypatch.setattr(pyiceberg.catalog, "_ENV_CONFIG", Config())  # what the environment said when it was imported
        pyiceberg.catalog.load_catalog("lake").create_namespace_if_not_exists("ns")
    return Place(format, folder)


def delete_by_vector(table: Path, rows: Sequence[int]) -> None:
    """Delete rows of the only file of a Delta table by an inline deletion vector; deltalake itself rewrites files."""
    log = table / "_delta_log"
    version = len(list(log.glob("*.json")))
    added = [json.loads(line) for path in sorted(log.glob("*.json")) for line in path.read_text().splitlines()]
    (add,) = [one["add"] for one in added if "add" in one]
    # A roaring bitmap of one container that lists 16-bit positions, in an array of one bitmap for 64-bit positions.
    bitmap = struct.pack("<IIHHI", 12346, 1, 0, len(rows) - 1, 16) + struct.pack(f"<{len(rows)}H", *sorted(rows))
    content = struct.pack("<IqI", 1681511377, 1, 0) + bitmap
    vector = {"storageType": "i", "pathOrInlineDv": _z85(content), "sizeInBytes": len(content), "cardinality": len(rows)}
    features = ["deletionVectors"]
    protocol = {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": features, "writerFeatures": features}
    remove = {"path": add["path"], "deletionTimestamp": 1, "dataChange": True}
    add |= {"deletionVector": vector, "stats": json.dumps({"numRecords": json.loads(add["stats"])["numRecords"]})}
    lines = [{"protocol": protocol}, {"remove": remove}, {"add": add}]
    (log / f"{version:020}.json").write_text("\n".join(map(json.dumps, lines)) + "\n")


def _z85(content: bytes) -> str:
    content += b"\0" * (-len(content) % 4)
    words = struct.unpack(f">{len(content) // 4}I", content)
    return "".join(_Z85[word // 85**place % 85] for word in words for place in (4, 3, 2, 1, 0))
