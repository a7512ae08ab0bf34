"""Read and write Parquet and Arrow IPC files that preserve jagged types; writes are atomic."""

from __future__ import annotations

from arrowjag.io._ipc import read_ipc, write_ipc
from arrowjag.io._lazy import scan_parquet
from arrowjag.io._ndjson import read_ndjson, write_ndjson
from arrowjag.io._parquet import read_parquet, write_parquet

__all__ = ["read_ipc", "read_ndjson", "read_parquet", "scan_parquet", "write_ipc", "write_ndjson", "write_parquet"]
