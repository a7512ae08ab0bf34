"""Files: Parquet and IPC that keep the type, written so that a crash leaves the old file or the new one."""

from __future__ import annotations

from arrowjag.io.ipc import read_ipc, write_ipc
from arrowjag.io.parquet import read_parquet, write_parquet

__all__ = ["read_ipc", "read_parquet", "write_ipc", "write_parquet"]
