"""Delta Lake tables as sinks.

deltalake verifies nothing of the files that it commits: the driver has read their footers before.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

import pyarrow as pa

from arrowjag.dtype import JaggedType
from arrowjag.errors import JagValueError, joined_lines
from arrowjag.etl._lake import Commit, undecided
from arrowjag.io._delta import deltalake, open_table, options_of, path_of, table_schema, used_features
from arrowjag.io._locate import locate_file
from arrowjag.io._plain import METADATA_KEY, describe_type, plain_schema
from arrowjag.io._tables import refused

__all__ = ["DeltaLake"]

_TRIES = 20
_APP, _JOB = "arrowjag:", "arrowjag.job:"
# Under these features it is enough to add files. Others want values to be computed or checked: constraints, generated columns.
_WRITABLE = {
    "appendOnly",
    "changeDataFeed",
    "deletionVectors",
    "domainMetadata",
    "invariants",
    "timestampNtz",
    "typeWidening",
    "v2Checkpoint",
    "vacuumProtocolCheck",
}


class DeltaLake:
    """A table of Delta Lake, which may not exist yet.

    Parameters
    ----------
    sink : str or deltalake.DeltaTable
        The argument of the caller.
    options : mapping
        Options of the store.
    """

    format = "Delta Lake"
    data_folder = ""

    def __init__(self, sink: Any, options: Mapping[str, str]) -> None:
        self._library = deltalake()
        self._path, self._options = path_of(sink), options_of(sink, options)
        self.filesystem, folder = locate_file(self._path, None, self._options)
        self.folder = folder.rstrip("/")
        self.link = self._path if "://" in self._path else ""
        if not self.link:
            self._path = self.folder
        self.name = f"the table {self._path} of Delta Lake"
        self._table = self._open()
        if self._table is not None:
            _refuse_features(self._table, self.name)

    def _open(self) -> Any:
        return open_table(self._path, self._options)

    @property
    def schema(self) -> pa.Schema | None:
        """The columns of the table."""
        return None if self._table is None else table_schema(self._table)

    def keys(self, partition_by: tuple[str, ...]) -> tuple[str, ...]:
        """The partition columns of the table, or of a new table those of the caller."""
        if self._table is None:
            return partition_by
        there = tuple(self._table.metadata().partition_columns)
        if partition_by and partition_by != there:
            raise JagValueError(f"partition_by is {list(partition_by)}, but {self.name} is partitioned by {list(there)}")
        return there

    def active(self) -> set[str]:
        """The paths of the current files."""
        return set() if self._table is None else _paths(self._table)

    def committed(self, job: str) -> int:
        """Number of files that commits of a job added.

        The log holds it, and shows whether others have overwritten the table. For commits that were removed from the log, it is the
        number that the last commit of the job has left in a transaction identifier, which checkpoints keep.
        """
        count = oldest = 0
        for entry in self._table.history() if self._table is not None else ():
            count += int(json.loads(entry.get("arrowjag.files", "{}")).get(job, 0))
            if entry.get("arrowjag.replace") or _replaces_all(entry):
                return count
            oldest = entry["version"]
        return count if oldest == 0 else max(count, self._table.transaction_version(_JOB + job) or 0)

    def knows(self, run: str) -> bool:
        """Whether a run has committed."""
        return self._table is not None and self._table.transaction_version(_APP + run) is not None

    def commit(self, commit: Commit) -> str:
        """Commit files atomically and once: ask and commit on the same handle, and start over after a conflict."""
        failed: Exception | None = None
        for attempt in range(_TRIES):
            time.sleep(min(0.05 * attempt, 1.0))
            self._table = self._open()
            missing = commit.without(self.active())
            if self._table is not None and (self.knows(commit.run) or not (missing.files or commit.replace)):
                return f"version {self._table.version()}"
            commit.check()
            try:
                self._add(missing)
            except self._library.exceptions.CommitFailedError as error:
                failed = error
                continue
            except self._library.exceptions.DeltaError as error:
                if self._table is None and self._open() is not None:  # another program has created the table meanwhile
                    failed = error
                    continue
                raise JagValueError(f"{self.name} refuses the commit: {joined_lines(error)}") from error
            except Exception as error:
                raise undecided(self.name, error) from error
            self._table = self._open()
            return f"version {self._table.version()}"
        raise JagValueError(f"{self.name}: {_TRIES} attempts to commit failed, the last with {failed}; resume to try again")

    def _add(self, commit: Commit) -> None:
        from deltalake.transaction import AddAction, CommitProperties, Transaction, create_table_with_add_actions

        now = int(time.time() * 1000)
        actions = [
            AddAction(file.path, file.bytes, dict(file.keys), now, True, json.dumps({"numRecords": file.rows}))
            for file in commit.files
        ]
        known = [Transaction(_APP + run, 1) for run in commit.runs]
        known += [Transaction(_JOB + job, count) for job, count in commit.totals(self.committed).items()]
        properties = CommitProperties(custom_metadata=commit.facts, app_transactions=known)
        schema = self._library.Schema.from_arrow(_stored(commit.schema))
        if self._table is None:
            create_table_with_add_actions(
                self._path,
                schema,
                actions,
                mode="error",
                partition_by=list(commit.partition_by),
                storage_options=self._options or None,
                commit_properties=properties,
            )
            return
        new = [field for field in schema.fields if field.name not in {one.name for one in self._table.schema().fields}]
        if new:
            self._table.alter.add_columns(new)
        mode = "overwrite" if commit.replace else "append"
        keys = list(commit.partition_by) or None
        self._table.create_write_transaction(actions, mode, self._table.schema(), keys, commit_properties=properties)


def _replaces_all(entry: Mapping[str, Any]) -> bool:
    """Whether a commit of another program overwrote the table, and not only the rows of a predicate or of some partitions."""
    facts = entry.get("operationParameters") or {}
    is_dynamic = str(facts.get("isDynamicPartitionOverwrite", False)).lower() != "false"
    return facts.get("mode") == "Overwrite" and "predicate" not in facts and not is_dynamic


def _paths(table: Any) -> set[str]:
    added = pa.table(table.get_add_actions(flatten=True))
    return {unquote(path) for path in added["path"].to_pylist()} if added.num_rows else set()


def _stored(schema: pa.Schema) -> pa.Schema:
    """Return the schema of the table: plain lists, with the jagged types in field metadata of arrowjag."""
    plain, _ = plain_schema(schema, extents=False)
    fields = []
    for field, typed in zip(plain, schema, strict=True):
        metadata = {METADATA_KEY: describe_type(typed.type)} if isinstance(typed.type, JaggedType) else None
        fields.append(field.with_metadata(metadata))
    return pa.schema(fields)


def _refuse_features(table: Any, name: str) -> None:
    protocol, metadata = table.protocol(), table.metadata()
    unknown = used_features(table, [*(protocol.writer_features or ()), *(protocol.reader_features or ())]) - _WRITABLE
    configuration = metadata.configuration
    if configuration.get("delta.columnMapping.mode", "none") != "none":
        unknown.add("columnMapping")
    unknown |= {key for key in configuration if key.startswith("delta.constraints.")}
    for field in table.schema().fields:
        unknown |= {
            key for key in field.metadata if key.startswith(("delta.generationExpression", "delta.identity", "delta.invariants"))
        }
    if unknown:
        raise refused(
            name, f"it uses {', '.join(sorted(unknown))}, which a commit of files can't keep", "write with deltalake or Spark"
        )
