"""Tables of the lake as sinks: Delta Lake and Iceberg.

Workers write files below the folder of the table, which readers of the table don't see. The driver then commits all of them at
once. A run that was killed before the commit leaves its files; a run that resumes finds them, and commits them with its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import NamedTuple, Protocol

import pyarrow as pa
import pyarrow.fs as pf
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag.dtype import JaggedType
from arrowjag.errors import JagFileError, JagTypeError, JagValueError, joined_lines
from arrowjag.etl._fingerprint import digest_of
from arrowjag.io._schemas import merge_types

__all__ = [
    "MOST_KEY_BYTES",
    "Commit",
    "Lake",
    "LakeFacts",
    "NewFile",
    "check_columns",
    "check_keys",
    "file_name",
    "is_ours",
    "refuse_rows",
    "run_of",
    "undecided",
]

_OURS = re.compile(r".*-(\d{8}T\d{6}\.\d{6}-[0-9a-f]{6})\.parquet")
_KEY_TYPES = (pt.is_integer, pt.is_boolean, pt.is_date32, pt.is_string, pt.is_large_string)
#: Iceberg takes the values of partition columns from the statistics of files, which Parquet leaves out for longer values.
MOST_KEY_BYTES = 4000
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


class LakeFacts(NamedTuple):
    """Facts of a table that workers need.

    Parameters
    ----------
    format : {"Delta Lake", "Iceberg"}
        Decides which types can be stored.
    folder : str
        Folder of the data files, relative to that of the table, with a final slash unless it is empty.
    base : pa.Schema or None
        The columns of the table; None if it has none yet.
    merge : bool
        Whether results may have other columns than the table.
    replace : bool
        Whether the commit removes all former rows.
    """

    format: str
    folder: str
    base: pa.Schema | None
    merge: bool
    replace: bool = False

    @property
    def keeps_keys(self) -> bool:
        """Whether files hold partition columns, as in Iceberg; in Delta Lake only the log does."""
        return self.format == "Iceberg"

    def fitted(self, schema: pa.Schema) -> pa.Schema:
        """Return the schema of results: types of the table for its columns, after a check that it can store all types.

        Parameters
        ----------
        schema : pa.Schema
            The schema of a result.

        Returns
        -------
        pa.Schema
            Results are cast to it.

        Raises
        ------
        JagTypeError
            If the format can't store a type, or would change it.
        """
        known = {} if self.base is None else {field.name: field for field in self.base}
        # Rows that the table has are null in new columns.
        fields = [known.get(field.name, field if self.base is None else field.with_nullable(True)) for field in schema]
        check_columns(self.format, pa.schema(fields))
        if self.format == "Delta Lake":
            _refuse_equal_names([*known, *(name for name in schema.names if name not in known)])
        for field in schema:
            if merge_types(field.type, known.get(field.name, field).type) is None:
                raise JagTypeError(
                    f"column {field.name!r}: {field.type} does not fit {known[field.name].type}, its type in the table"
                )
        return pa.schema(fields)


class NewFile(NamedTuple):
    """A file to commit: its `path` relative to the table, its partition values (`keys`) as text, and the job that wrote it."""

    path: str
    rows: int
    bytes: int
    keys: Mapping[str, str | None]
    job: str


class Commit(NamedTuple):
    """All files of a job that the table doesn't have yet.

    `job` identifies function and source, `run` is the run that commits, and `check` raises if the lease is lost.
    """

    files: list[NewFile]
    schema: pa.Schema
    partition_by: tuple[str, ...]
    run: str
    job: str
    replace: bool
    check: Callable[[], None]

    @property
    def runs(self) -> set[str]:
        """The run that commits, and those that wrote the files."""
        return {self.run, *(run_of(file.path) for file in self.files)}

    @property
    def counts(self) -> dict[str, int]:
        """Number of files of each job."""
        counts = {self.job: 0}
        for file in self.files:
            counts[file.job] = counts.get(file.job, 0) + 1
        return counts

    @property
    def facts(self) -> dict[str, str]:
        """The entry of the commit in the log of the table."""
        facts = {"arrowjag.run": self.run, "arrowjag.job": self.job, "arrowjag.files": json.dumps(self.counts)}
        return facts | {"arrowjag.replace": "true"} if self.replace else facts

    def without(self, there: Collection[str]) -> Commit:
        """Return the commit of the files that a table doesn't have yet."""
        return self._replace(files=[file for file in self.files if file.path not in there])

    def totals(self, committed: Callable[[str], int]) -> dict[str, int]:
        """Number of files of each job after the commit, given the number that earlier commits added."""
        return {job: count + (0 if self.replace else committed(job)) for job, count in self.counts.items()}


class Lake(Protocol):
    """A table as the driver sees it."""

    format: str
    name: str
    filesystem: pf.FileSystem
    folder: str
    data_folder: str
    link: str

    @property
    def schema(self) -> pa.Schema | None:
        """The columns of the table; None if it doesn't exist, or has none."""

    def keys(self, partition_by: tuple[str, ...]) -> tuple[str, ...]:
        """The partition columns of the table, given those that the caller wants."""

    def active(self) -> set[str]:
        """The paths of the current files, relative to the folder."""

    def committed(self, job: str) -> int:
        """Number of files that commits of a job added since the table was last replaced, however old they are."""

    def knows(self, run: str) -> bool:
        """Whether a run has committed."""

    def commit(self, commit: Commit) -> str:
        """Commit files atomically and once; return the new version."""


def file_name(facts: LakeFacts, target: str, keys: str, run: str) -> str:
    """Return the path of a result below the table: unique, and free of characters that paths or URLs have to quote.

    Parameters
    ----------
    facts : LakeFacts
        The table.
    target : str
        The path that the result would have in a folder.
    keys : str
        Its partition folders.
    run : str
        The run that writes it.

    Returns
    -------
    str
        `is_ours` recognises it.
    """
    stem = _UNSAFE.sub("-", target.removesuffix(".parquet"))[-80:].lstrip("-._") or "part"
    return f"{facts.folder}{stem}-{digest_of(target, keys)[:8]}-{run}.parquet"


def is_ours(path: str) -> bool:
    """Return whether a job has written a file below a table, by its name."""
    return _OURS.fullmatch(path) is not None


def run_of(path: str) -> str:
    """Return the run in the name of a file that a job has written."""
    found = _OURS.fullmatch(path)
    return found[1] if found else ""


# ---------------------------------------------------------------------------------------------------------------- types


def check_columns(format: str, schema: pa.Schema) -> None:
    """Raise for types that a format can't store, or stores as another type without saying so.

    Parameters
    ----------
    format : {"Delta Lake", "Iceberg"}
        The format.
    schema : pa.Schema
        The columns of results.

    Raises
    ------
    JagTypeError
        The message names column and type, and what to cast to.
    """
    for field in schema:
        type, levels = field.type, 0
        if isinstance(type, JaggedType):
            type, levels = type.storage_type, type.ndim - 1
        for _ in range(levels):
            type = type.value_type
        found = _refused(type, format)
        if found is not None:
            raise JagTypeError(f"column {field.name!r}: {format} can't store {found[0]} without changing it; {found[1]}")


def _refuse_equal_names(names: Iterable[str]) -> None:
    """Raise for names that differ in case only, which are one name in Delta Lake."""
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(name.lower(), name)
        if other != name:
            raise JagTypeError(f"column {name!r}: Delta Lake takes it for the column {other!r}; rename it")


def check_keys(schema: pa.Schema, names: Iterable[str]) -> None:
    """Raise for partition columns whose values formats don't store exactly, or readers of them don't agree on.

    Parameters
    ----------
    schema : pa.Schema
        The columns of results.
    names : iterable of str
        The partition columns; those that the schema lacks are reported elsewhere.

    Raises
    ------
    JagTypeError
        The message names column and type.
    """
    for name in names:
        type = schema.field(name).type if name in schema.names else pa.string()
        if not any(is_kind(type) for is_kind in _KEY_TYPES):
            raise JagTypeError(
                f"partition_by, column {name!r}: {type} can't be a partition column; cast it to text or whole numbers"
            )


def _refused(type: pa.DataType, format: str) -> tuple[pa.DataType, str] | None:
    """Return the first type inside of a type that a format can't store, and what to do; None if there is none."""
    if pt.is_struct(type) or pt.is_map(type) or pt.is_list(type) or pt.is_large_list(type):
        inner = (_refused(type.field(place).type, format) for place in range(type.num_fields))
        return next((one for one in inner if one is not None), None)
    if _arrow.is_list_type(type):
        return type, "cast it to large_list, or make the column jagged"
    if _is_stored(type, format):
        return None
    return type, _advice(type, format)


_STORED = {
    pa.bool_(),
    pa.int32(),
    pa.int64(),
    pa.float32(),
    pa.float64(),
    pa.date32(),
    pa.timestamp("us"),
    pa.timestamp("us", "UTC"),
    pa.string(),
    pa.large_string(),
    pa.binary(),
    pa.large_binary(),
}
_STORED_BY = {"Delta Lake": {pa.int8(), pa.int16()}, "Iceberg": {pa.time64("us")}}


def _is_stored(type: pa.DataType, format: str) -> bool:
    if pt.is_decimal128(type):
        return True
    return type in _STORED or type in _STORED_BY[format] or (format == "Iceberg" and pt.is_fixed_size_binary(type))


def _advice(type: pa.DataType, format: str) -> str:
    if pt.is_duration(type):
        return "cast it to int64"
    if pt.is_timestamp(type):
        zone = "" if type.tz in (None, "UTC") else ', and tz_convert("UTC")'
        return f'cast it to timestamp("us"){zone}'
    if pt.is_date(type):
        return "cast it to date32"
    if pt.is_time(type):
        return 'cast it to time64("us")' if format == "Iceberg" else "cast it to int64"
    if pt.is_dictionary(type):
        return f"cast it to {type.value_type}" if _is_stored(type.value_type, format) else _advice(type.value_type, format)
    if pt.is_unsigned_integer(type) or pt.is_integer(type):
        return "cast it to int64" if type.bit_width > 16 else "cast it to int32"
    if pt.is_float16(type):
        return "cast it to float32"
    if pt.is_string_view(type) or pt.is_binary_view(type) or pt.is_fixed_size_binary(type):
        return "cast it to large_string or large_binary"
    if pt.is_decimal(type):
        return "cast it to decimal128"
    return "cast or drop it"


def undecided(name: str, error: Exception) -> JagFileError:
    """Return the error of a commit that a store or catalog has interrupted: only the table knows whether it holds the commit."""
    return JagFileError(
        f"{name}: the commit failed with {type(error).__name__}: {joined_lines(error)}; the results are there, and "
        'mode="resume" commits them unless the table already holds them'
    )


def refuse_rows(lake: Lake) -> None:
    """Raise if a table has rows, as ``mode="create"`` requires."""
    if lake.active():
        raise JagValueError(
            f'{lake.name} has rows: mode="resume" adds what this job has not yet committed, mode="replace" replaces all rows'
        )
