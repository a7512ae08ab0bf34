"""Snapshots of Delta Lake tables, by deltalake."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import unquote

import numpy as np
import pyarrow as pa

from arrowjag.errors import JagFileError, JagValueError, MissingDependencyError, joined_lines
from arrowjag.io._files import StoredFile
from arrowjag.io._locate import TableFolderError, locate_file
from arrowjag.io._plain import METADATA_KEY, jagged_type
from arrowjag.io._schemas import canonical
from arrowjag.io._stores import without_table
from arrowjag.io._tables import Snapshot, guarantee_of, refused
from arrowjag.typing import BoolArray

__all__ = ["open_table", "options_of", "path_of", "snapshot", "snapshot_at", "table_schema", "used_features"]

# Features of the protocol with which a table consists only of the files that the log lists, their partition values and
# deletion vectors. Others, such as column mapping, change the meaning of the files.
_READABLE = {
    "deletionVectors",
    "timestampNtz",
    "typeWidening",
    "typeWidening-preview",
    "v2Checkpoint",
    "vacuumProtocolCheck",
}
# Features that matter only to columns of a type; deltalake declares them for tables that have no such column.
_OF_VARIANTS = {"variantType", "variantType-preview", "variantShredding", "variantShredding-preview"}
_VARIANT = re.compile(r'"(?:type|elementType|keyType|valueType)"\s*:\s*"variant"')


def deltalake() -> Any:
    """Import deltalake, or say what to install."""
    try:
        import deltalake
    except ImportError:
        raise MissingDependencyError.of("deltalake", "delta", "a table of Delta Lake") from None
    return deltalake


def path_of(source: Any) -> str:
    """Return the path or URL of a table, without slashes at its end; raise if a name holds none."""
    path = without_table(source) if isinstance(source, str) else _local_path(str(source.table_uri))
    if not path.rpartition("://")[2].strip("/"):
        raise JagValueError(f"{source} names no table: write delta://PATH or delta://s3://BUCKET/PATH")
    return path.rstrip("/")


def _local_path(uri: str) -> str:
    """Return the path of a local URI, in which deltalake quotes blanks and letters beyond ASCII; other URIs are unchanged."""
    return unquote(uri.removeprefix("file://")) if uri.startswith("file://") else uri


def options_of(source: Any, options: Mapping[str, str]) -> dict[str, str]:
    """Return the options of a store: those of the caller, or those with which the caller opened the table."""
    opened = getattr(source, "_storage_options", None)
    return dict(options or opened or {})


def open_table(path: str, options: Mapping[str, str]) -> Any:
    """Open the latest version of a table.

    Parameters
    ----------
    path : str
        A path or URL.
    options : mapping
        Options of the store.

    Returns
    -------
    deltalake.DeltaTable or None
        None if there is no table.
    """
    library = deltalake()
    local = "://" not in path
    if local and not os.path.isdir(os.path.join(path, "_delta_log")):  # noqa: PTH112, PTH118 - paths of any file system
        return None
    try:
        return library.DeltaTable(path, storage_options=dict(options) or None)
    except library.exceptions.TableNotFoundError:
        return None
    except (library.exceptions.DeltaError, OSError) as error:  # an OSError of a store has lines, and colours
        raise JagFileError(f"{path} can't be read as a table of Delta Lake: {joined_lines(error)}") from error


def snapshot(source: Any, options: Mapping[str, str]) -> Snapshot:
    """Open a table by name, or pin the version of an open one."""
    path, options = path_of(source), options_of(source, options)
    if not isinstance(source, str):
        return _snapshot(source, path, options)
    table = open_table(path, options)
    if table is None:
        raise FileNotFoundError(f"there is no table of Delta Lake at {path}")
    return _snapshot(table, path, options)


def snapshot_at(found: TableFolderError, options: Mapping[str, str]) -> Snapshot:
    """Open the table that a folder holds."""
    scheme = {"local": "", "s3": "s3://", "gcs": "gs://", "abfs": "az://"}.get(found.filesystem.type_name)
    if scheme is None:
        raise found
    table = open_table(scheme + found.folder, options)
    if table is None:
        raise found
    return _snapshot(table, scheme + found.folder, options)


def _snapshot(table: Any, path: str, options: Mapping[str, str]) -> Snapshot:
    name = f"{path} (Delta Lake, version {table.version()})"
    _refuse_features(table, name)
    filesystem, root = locate_file(path, None, options)
    root = root.rstrip("/")
    schema = table_schema(table)
    partitions = pa.schema([schema.field(one) for one in table.metadata().partition_columns])
    added = pa.table(table.get_add_actions(flatten=True))
    paths = [unquote(one) for one in added["path"].to_pylist()] if added.num_rows else []
    outside = next((one for one in paths if "://" in one or one.startswith("/")), None)
    if outside is not None:
        raise refused(name, f"the table refers to a file outside of its folder, {outside}", "read it with deltalake")
    keys = {
        field.name: added[f"partition.{field.name}"].cast(field.type).to_pylist() if added.num_rows else [] for field in partitions
    }
    kept = _kept_rows(table, name)
    files = []
    for place, one in enumerate(paths):
        values = {field.name: keys[field.name][place] for field in partitions}
        files.append(StoredFile(f"{root}/{one}", filesystem, values, guarantee_of(values, partitions), kept=kept.pop(one, None)))
    if kept:
        raise refused(name, f"deletion vectors of {next(iter(kept))}, which is not a file of the table", "read it with deltalake")
    files.sort(key=lambda file: file.path)
    return Snapshot(name, root, filesystem, files, schema, partitions)


def _refuse_features(table: Any, name: str) -> None:
    configuration = table.metadata().configuration
    unknown = sorted(used_features(table, table.protocol().reader_features) - _READABLE)
    if configuration.get("delta.columnMapping.mode", "none") != "none":
        unknown = sorted({*unknown, "columnMapping"})
    if unknown:
        raise refused(name, f"the table uses {', '.join(unknown)}", "read it with deltalake, and pass the result on")


def used_features(table: Any, declared: Iterable[str] | None) -> set[str]:
    """Return the features of the protocol that a table declares, without those of variants if it has no column of this type.

    Parameters
    ----------
    table : deltalake.DeltaTable
        The table.
    declared : iterable of str or None
        Features of readers or writers.

    Returns
    -------
    set of str
        Their names.
    """
    found = set(declared or ())
    return found if _VARIANT.search(table.schema().to_json()) else found - _OF_VARIANTS


def table_schema(table: Any) -> pa.Schema:
    """Return the columns of a table; jagged ones have their type.

    Parameters
    ----------
    table : deltalake.DeltaTable
        The table.

    Returns
    -------
    pa.Schema
        Without field metadata of Delta Lake.
    """
    fields = []
    for field in pa.schema(table.schema().to_arrow()):
        recorded = (field.metadata or {}).get(METADATA_KEY.encode())
        fields.append(pa.field(field.name, canonical(jagged_type(field.type, recorded)), field.nullable))
    return pa.schema(fields)


def _kept_rows(table: Any, name: str) -> dict[str, BoolArray]:
    """Return for each file with a deletion vector, by its path below the table, which rows are kept."""
    if "deletionVectors" not in (table.protocol().reader_features or ()):
        return {}
    root = table.table_uri.rstrip("/") + "/"
    found = {}
    for batch in pa.table(table.deletion_vectors()).to_batches():
        for path, mask in zip(batch.column(0).to_pylist(), batch.column(1), strict=True):
            below = unquote(path).removeprefix(unquote(root)).removeprefix(unquote(root).removeprefix("file://"))
            if below.startswith("/"):
                raise refused(name, f"a deletion vector names {path}, which is not below the table", "read it with deltalake")
            found[below] = np.asarray(mask.values.to_numpy(zero_copy_only=False), bool)
    return found
