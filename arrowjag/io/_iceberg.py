"""Snapshots of Iceberg tables, by pyiceberg."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa

from arrowjag.errors import JagValueError, MissingDependencyError
from arrowjag.io._files import StoredFile
from arrowjag.io._locate import locate_file
from arrowjag.io._plain import METADATA_KEY, jagged_type
from arrowjag.io._schemas import canonical
from arrowjag.io._stores import for_iceberg
from arrowjag.io._tables import Snapshot, refused

__all__ = ["local_name", "open_catalog", "snapshot", "split_name", "table_schema"]


def split_name(link: str) -> tuple[str, str]:
    """Split ``iceberg://catalog/namespace.table`` into catalog and identifier.

    Examples
    --------
    >>> split_name("iceberg://local/air.flights")
    ('local', 'air.flights')
    """
    catalog, _, identifier = link.partition("://")[2].partition("/")
    if not catalog or "." not in identifier:
        raise JagValueError(f"{link} names no table: write iceberg://CATALOG/NAMESPACE.TABLE")
    return catalog, identifier


def open_catalog(name: str, options: Mapping[str, str]) -> Any:
    """Open a catalog by the configuration of pyiceberg.

    Parameters
    ----------
    name : str
        Its name in ``.pyiceberg.yaml`` or in ``PYICEBERG_CATALOG__NAME__...`` of the environment.
    options : mapping
        Options of the store.

    Returns
    -------
    pyiceberg.catalog.Catalog
        The catalog.
    """
    try:
        from pyiceberg.catalog import load_catalog
    except ImportError:
        raise MissingDependencyError.of("pyiceberg", "iceberg", "an Iceberg table") from None
    try:
        return load_catalog(name, **for_iceberg(options))
    except Exception as error:
        raise JagValueError(f"the catalog {name!r} of Iceberg can't be opened: {' '.join(str(error).split())}") from error


def snapshot(source: Any, options: Mapping[str, str]) -> Snapshot:
    """Open a table by name, or pin the snapshot of an open one."""
    if not isinstance(source, str):
        return _snapshot(source, options)
    catalog, identifier = split_name(source)
    opened = open_catalog(catalog, options)
    from pyiceberg.exceptions import NoSuchTableError

    try:
        return _snapshot(opened.load_table(identifier), options)
    except NoSuchTableError:
        raise FileNotFoundError(f"there is no table {identifier} in the catalog {catalog!r} of Iceberg") from None


def local_name(uri: str) -> str:
    """Return the path of a local URI; other URIs are unchanged."""
    return uri.removeprefix("file://").removeprefix("file:")


def _snapshot(table: Any, options: Mapping[str, str]) -> Snapshot:
    current = table.metadata.current_snapshot_id
    name = f"{'.'.join(table.name())} (Iceberg, snapshot {current})"
    _refuse_renames(table, name)
    filesystem, root = locate_file(local_name(table.location()), None, options)
    files = []
    for task in table.scan(snapshot_id=current).plan_files() if current is not None else ():
        if task.delete_files:
            raise refused(
                name, f"{task.file.file_path} has delete files", "compact the table first, or pass on table.scan().to_arrow()"
            )
        files.append(StoredFile(locate_file(local_name(task.file.file_path), filesystem)[1], filesystem))
    if filesystem.type_name != "local":
        files = [StoredFile(file.path.partition("://")[2] or file.path, filesystem) for file in files]
    files.sort(key=lambda file: file.path)
    sources = {one.source_id for spec in table.metadata.partition_specs for one in spec.fields}
    keys = tuple(one.name for one in table.schema().fields if one.field_id in sources)
    return Snapshot(name, root.rstrip("/"), filesystem, files, table_schema(table), pa.schema([]), keys)


def table_schema(table: Any) -> pa.Schema:
    """Return the columns of a table; jagged ones have their type.

    Parameters
    ----------
    table : pyiceberg.table.Table
        The table.

    Returns
    -------
    pa.Schema
        Without field ids.
    """
    fields = []
    for field, column in zip(table.schema().as_arrow(), table.schema().fields, strict=True):
        told = table.properties.get(f"{METADATA_KEY}.{column.field_id}")
        fields.append(pa.field(field.name, canonical(jagged_type(_bare(field.type), told)), field.nullable))
    return pa.schema(fields)


def _bare(type: pa.DataType) -> pa.DataType:
    """Drop the field ids inside of a type."""
    if pa.types.is_large_list(type):
        return pa.large_list(_bare(type.value_type))
    if pa.types.is_list(type):
        return pa.list_(_bare(type.value_type))
    if pa.types.is_struct(type):
        return pa.struct([pa.field(field.name, _bare(field.type), field.nullable) for field in type])
    if pa.types.is_map(type):
        return pa.map_(_bare(type.key_type), _bare(type.item_type))
    return type


def _refuse_renames(table: Any, name: str) -> None:
    """Raise if a name ever stood for another field: files are read by name, and old files have old names."""
    names: dict[int, str] = {}
    ids: dict[str, int] = {}
    for schema in table.metadata.schemas:
        for path, number in _paths(schema.as_struct(), ""):
            if names.setdefault(number, path) != path or ids.setdefault(path, number) != number:
                raise refused(name, f"the column {path} was renamed, or replaced by another one", "pass on table.scan().to_arrow()")


def _paths(type: Any, before: str) -> Iterator[tuple[str, int]]:
    for field in getattr(type, "fields", ()):
        path = f"{before}{field.name}"
        yield path, field.field_id
        yield from _paths(field.field_type, path + ".")
    for part in ("element", "key", "value"):
        if hasattr(type, f"{part}_id"):
            yield before + part, getattr(type, f"{part}_id")
            yield from _paths(getattr(type, f"{part}_type"), f"{before}{part}.")
