"""Iceberg tables as sinks."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.fs as pf

from arrowjag.dtype import JaggedType
from arrowjag.errors import JagValueError, joined_lines
from arrowjag.etl._lake import Commit, check_keys, undecided
from arrowjag.io._iceberg import local_name, open_catalog, split_name, table_schema
from arrowjag.io._locate import locate_file
from arrowjag.io._plain import METADATA_KEY, describe_type, plain_schema
from arrowjag.io._tables import refused

__all__ = ["IcebergLake"]

_TRIES = 20
_RUN, _JOB = "arrowjag.run.", "arrowjag.job."
# pyiceberg would repeat a commit that lost against another one, and so commit files twice.
_NO_RETRIES = {"commit.retry.num-retries": "0"}


class IcebergLake:
    """An Iceberg table. A new one is created without columns, because its location must be known before files are written.

    Parameters
    ----------
    sink : str or pyiceberg Table
        The argument of the caller.
    options : mapping
        Options of the store.
    create : bool
        Whether to create a table that doesn't exist.
    """

    format = "Iceberg"
    data_folder = "data/"

    def __init__(self, sink: Any, options: Mapping[str, str], *, create: bool) -> None:
        if isinstance(sink, str):
            name, identifier = split_name(sink)
            self._catalog, self._identifier = open_catalog(name, options), tuple(identifier.split("."))
        else:
            self._catalog, self._identifier = sink.catalog, sink.name()
        self.name = f"the table {'.'.join(self._identifier)} of Iceberg"
        self._table = self._opened(create)
        if self._table is None:  # a dry run of a job that would create it
            self.filesystem, self.folder, self.link = pf.LocalFileSystem(), "", ""
            return
        self._keys = self._identity_keys()
        place = local_name(self._table.location())
        self.link = place if "://" in place else ""
        self.filesystem, folder = locate_file(place, None, options)
        self.folder = folder.rstrip("/")

    def _opened(self, create: bool) -> Any:
        from pyiceberg.exceptions import NoSuchNamespaceError, NoSuchTableError

        try:
            return self._catalog.load_table(self._identifier)
        except NoSuchTableError:
            if not create:
                return None
        try:
            return self._catalog.create_table(self._identifier, schema=pa.schema([]))
        except NoSuchNamespaceError as error:
            raise JagValueError(f"{self.name} can't be created: {error}; create its namespace first") from None

    def _identity_keys(self) -> tuple[str, ...]:
        """Return the partition columns; raise for other transforms, whose values pyiceberg can't read from statistics of files."""
        from pyiceberg.transforms import IdentityTransform

        keys = []
        for field in self._table.spec().fields:
            column = self._table.schema().find_column_name(field.source_id)
            if not isinstance(field.transform, IdentityTransform) or "." in column:
                raise refused(self.name, f"it is partitioned by {field.transform} of {column}", "write with pyiceberg or Spark")
            keys.append(column)
        if keys:
            check_keys(table_schema(self._table), keys)
        return tuple(keys)

    @property
    def schema(self) -> pa.Schema | None:
        """The columns of the table."""
        return table_schema(self._table) if self._table is not None and self._table.schema().fields else None

    def keys(self, partition_by: tuple[str, ...]) -> tuple[str, ...]:
        """The partition columns of the table, or of a new table those of the caller."""
        if self.schema is None:
            return partition_by
        if partition_by and partition_by != self._keys:
            raise JagValueError(f"partition_by is {list(partition_by)}, but {self.name} is partitioned by {list(self._keys)}")
        return self._keys

    def active(self) -> set[str]:
        """The paths of the current files."""
        if self._table is None or self._table.metadata.current_snapshot_id is None:
            return set()
        found = (task.file.file_path for task in self._table.scan().plan_files())
        return {local_name(path).removeprefix(local_name(self._table.location()).rstrip("/") + "/") for path in found}

    def committed(self, job: str) -> int:
        """Number of files that commits of a job added: a property of the table, because snapshots expire."""
        return 0 if self._table is None else int(self._table.properties.get(_JOB + job, 0))

    def knows(self, run: str) -> bool:
        """Whether a run has committed."""
        return self._table is not None and _RUN + run in self._table.properties

    def commit(self, commit: Commit) -> str:
        """Commit files atomically and once; start over after a conflict."""
        from pyiceberg.exceptions import CommitFailedException

        failed: Exception | None = None
        for attempt in range(_TRIES):
            time.sleep(min(0.05 * attempt, 1.0))
            self._table = self._catalog.load_table(self._identifier)
            missing = commit.without(self.active())
            if self.knows(commit.run) or not (missing.files or commit.replace):
                return f"snapshot {self._table.metadata.current_snapshot_id}"
            commit.check()
            self._table.metadata.properties.update(_NO_RETRIES)  # of this handle only
            try:
                self._add(missing)
            except CommitFailedException as error:
                failed = error
                continue
            except (ValueError, TypeError, NotImplementedError) as error:
                raise JagValueError(f"{self.name} refuses the commit: {joined_lines(error)}") from error
            except Exception as error:
                raise undecided(self.name, error) from error
            self._table = self._catalog.load_table(self._identifier)
            return f"snapshot {self._table.metadata.current_snapshot_id}"
        raise JagValueError(f"{self.name}: {_TRIES} attempts to commit failed, the last with {failed}; resume to try again")

    def _add(self, commit: Commit) -> None:
        from pyiceberg.expressions import AlwaysTrue

        plain, _ = plain_schema(commit.schema, extents=False)
        there = {field.name for field in self._table.schema().fields}
        with self._table.transaction() as transaction:
            if any(name not in there for name in plain.names):
                with transaction.update_schema(allow_incompatible_changes=not there) as update:  # required columns of a new table
                    update.union_by_name(plain)
            if commit.partition_by and not transaction.table_metadata.spec().fields:
                with transaction.update_spec() as spec:
                    for name in commit.partition_by:
                        spec.add_identity(name)
            numbers = {field.name: field.field_id for field in transaction.table_metadata.schema().fields}
            types = {
                f"{METADATA_KEY}.{numbers[field.name]}": describe_type(field.type)
                for field in commit.schema
                if isinstance(field.type, JaggedType) and field.name not in there
            }
            counts = {_JOB + job: str(count) for job, count in commit.totals(self.committed).items()}
            if commit.replace:
                transaction.remove_properties(*(name for name in self._table.properties if name.startswith(_JOB)))
                transaction.delete(AlwaysTrue())
            transaction.set_properties({f"{_RUN}{commit.run}": "1"} | counts | types)
            root = self._table.location().rstrip("/")
            if commit.files:
                transaction.add_files([f"{root}/{file.path}" for file in commit.files], snapshot_properties=commit.facts)
