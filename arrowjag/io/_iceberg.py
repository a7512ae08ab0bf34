"""Snapshots of Iceberg tables, by pyiceberg."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from arrowjag.errors import JagValueError, MissingDependencyError, joined_lines
from arrowjag.io._field_ids import FieldNames
from arrowjag.io._files import StoredFile
from arrowjag.io._locate import locate_file
from arrowjag.io._plain import METADATA_KEY, jagged_type
from arrowjag.io._schemas import canonical
from arrowjag.io._stores import for_iceberg
from arrowjag.io._tables import Snapshot, refused
from arrowjag.typing import BoolArray

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
        raise JagValueError(f"the catalog {name!r} of Iceberg can't be opened: {joined_lines(error)}") from error


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
    filesystem, root = locate_file(local_name(table.location()), None, options)
    names, defaults = _field_names(table), _defaults(table, name)
    deletes = _Deletes(table, name)
    files = []
    for task in _planned(table, current, name):
        if str(task.file.file_format).rpartition(".")[2].upper() != "PARQUET":
            raise refused(name, f"{task.file.file_path} is not a Parquet file", "pass on table.scan().to_arrow()")
        path = locate_file(local_name(task.file.file_path), filesystem)[1]
        if filesystem.type_name != "local":
            path = path.partition("://")[2] or path
        values = defaults | _partition_values(table, task.file)
        files.append(StoredFile(path, filesystem, kept=deletes.kept(task), defaults=values, names=names))
    files.sort(key=lambda file: file.path)
    return Snapshot(name, root.rstrip("/"), filesystem, files, table_schema(table), pa.schema([]))


def _planned(table: Any, snapshot: int | None, name: str) -> list[Any]:
    if snapshot is None:
        return []
    try:
        return list(table.scan(snapshot_id=snapshot).plan_files())
    except (ValueError, NotImplementedError) as error:
        if "equality delete" not in str(error):
            raise
        raise refused(
            name, "it has equality delete files, which pyiceberg can't apply", "compact it with the engine that wrote it"
        ) from error


class _Deletes:
    """The rows that position delete files and deletion vectors of a table delete; each file is read once, by pyiceberg."""

    def __init__(self, table: Any, name: str) -> None:
        self._table, self._name = table, name
        self._read: dict[str, dict[str, Any]] = {}

    def kept(self, task: Any) -> BoolArray | None:
        """Which rows of a data file are not deleted; None if all are kept."""
        if not task.delete_files:
            return None
        kept = np.ones(task.file.record_count, bool)
        for file in task.delete_files:
            positions = self._positions(file).get(task.file.file_path)
            if positions is not None:
                rows = np.asarray(positions.to_numpy(), np.int64)
                if len(rows) and not (rows.min() >= 0 and rows.max() < len(kept)):
                    raise refused(self._name, f"{file.file_path} deletes rows that its data file lacks", "repair the table first")
                kept[rows] = False
        return kept

    def _positions(self, file: Any) -> dict[str, Any]:
        if file.file_path not in self._read:
            try:
                from pyiceberg.io.pyarrow import _read_deletes  # no public function reads the positions alone
            except ImportError:
                raise refused(
                    self._name, f"this pyiceberg can't read {file.file_path}", "pass on table.scan().to_arrow()"
                ) from None
            self._read[file.file_path] = _read_deletes(self._table.io, file)
        return self._read[file.file_path]


def _partition_values(table: Any, file: Any) -> dict[str, Any]:
    """Return the values of identity partitions of a file, which files of other engines may lack, by the names of the columns."""
    from pyiceberg.transforms import IdentityTransform

    names = {field.field_id: field.name for field in table.schema().fields}
    found = {}
    for place, field in enumerate(table.specs()[file.spec_id].fields):
        value = file.partition[place]
        if isinstance(field.transform, IdentityTransform) and field.source_id in names and value is not None:
            found[names[field.source_id]] = getattr(value, "bytes", value)  # a UUID is stored as 16 bytes
    return found


def _defaults(table: Any, name: str) -> dict[str, Any]:
    """Return the values of columns in files that are older than the columns."""
    for path, field in _fields(table.schema().as_struct(), ""):
        if "." in path and getattr(field, "initial_default", None) is not None:
            raise refused(name, f"the field {path} has a default value for older files", "pass on table.scan().to_arrow()")
    found = {field.name: getattr(field, "initial_default", None) for field in table.schema().fields}
    return {column: getattr(value, "bytes", value) for column, value in found.items() if value is not None}


def _field_names(table: Any) -> FieldNames | None:
    """Return the names of fields by id if a name has ever belonged to another field; None if files can be read by name."""
    current = {field.field_id: field.name for _, field in _fields(table.schema().as_struct(), "")}
    mapping: dict[str, int] = {}
    mapped = table.metadata.name_mapping()
    _add_names(mapping, mapped if mapped is not None else (), "")
    names: dict[int, str] = {}
    ids: dict[str, int] = {}
    for schema in table.metadata.schemas:
        for path, field in _fields(schema.as_struct(), ""):
            if names.setdefault(field.field_id, path) != path or ids.setdefault(path, field.field_id) != field.field_id:
                return FieldNames(current, mapping)
    is_current = all(ids.get(path) == number for path, number in mapping.items() if number in current)
    return None if is_current else FieldNames(current, mapping)


def _add_names(mapping: dict[str, int], fields: Any, before: str) -> None:
    for one in fields:
        for alias in one.names:
            if one.field_id is not None:
                mapping[before + alias] = one.field_id
            _add_names(mapping, one.fields, f"{before}{alias}.")


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
        recorded = table.properties.get(f"{METADATA_KEY}.{column.field_id}")
        fields.append(pa.field(field.name, canonical(jagged_type(_bare(field.type), recorded)), field.nullable))
    return pa.schema(fields)


def _bare(type: pa.DataType) -> pa.DataType:
    """Drop the field ids inside of a type; required items and values remain required, as a commit to the table wants them."""
    if pa.types.is_large_list(type):
        return pa.large_list(_bare_field(type.value_field, "item"))
    if pa.types.is_list(type):
        return pa.list_(_bare_field(type.value_field, "item"))
    if pa.types.is_struct(type):
        return pa.struct([_bare_field(field, field.name) for field in type])
    if pa.types.is_map(type):
        return pa.map_(_bare(type.key_type), _bare_field(type.item_field, "value"))
    return type


def _bare_field(field: pa.Field, name: str) -> pa.Field:
    return pa.field(name, _bare(field.type), field.nullable)


def _fields(type: Any, before: str) -> Iterator[tuple[str, Any]]:
    """Yield the fields of structs at all levels with their paths."""
    for field in getattr(type, "fields", ()):
        path = f"{before}{field.name}"
        yield path, field
        yield from _fields(field.field_type, path + ".")
    for part in ("element", "key", "value"):
        if hasattr(type, f"{part}_id"):
            yield from _fields(getattr(type, f"{part}_type"), f"{before}{part}.")
