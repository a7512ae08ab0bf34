"""The results of a job in a table of the lake: committed results, and uncommitted ones of killed runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import pyarrow as pa

from arrowjag.errors import JagValueError
from arrowjag.etl._fingerprint import digest_of
from arrowjag.etl._lake import Commit, Lake, NewFile, is_ours, refuse_rows, run_of
from arrowjag.etl._output import Written
from arrowjag.etl._sink import Result, Sink, Survey, is_part
from arrowjag.etl._tasks import Source
from arrowjag.etl.report import Failure, JobError
from arrowjag.io._partitions import keys_of
from arrowjag.io._plain import plain_schema

__all__ = ["commit_results", "prepare_lake"]


def prepare_lake(
    sink: Sink, lake: Lake, source: Source, mode: str, missing_inputs: str, *, delete: bool
) -> tuple[Sink, list[list[Result]]]:
    """Find the finished results of this job in a table and beside its files. The caller must hold the lease.

    Parameters
    ----------
    sink : Sink
        The folder of the table.
    lake : Lake
        The table.
    source : Source
        The input with all of its pieces.
    mode : {"create", "resume", "replace"}
        How to treat existing rows.
    missing_inputs : {"keep", "drop", "error"}
        How to treat results whose input is no longer in the source.
    delete : bool
        Whether to delete stale files that are not committed.

    Returns
    -------
    Sink
        The sink, which replaces all rows if `mode` says so, or if the run to resume was to.
    list of list of Result
        The files of each finished task.

    Raises
    ------
    JagValueError
        If the table holds rows that `mode` doesn't allow, or if it can't tell which inputs it holds.
    """
    facts = sink.lake
    assert facts is not None
    if mode == "create":
        refuse_rows(lake)
    active = lake.active()
    start = len(sink.folder) + 1
    infos = [info.path for info in sink.infos()]
    staged = [path for path in infos if is_ours(path) and path[start:] not in active]
    if lake.schema is None and lake.format == "Delta Lake":
        other = next((path for path in infos if path.endswith(".parquet") and path not in staged), None)
        if other is not None:
            raise JagValueError(
                f"{sink.folder} is not a table of Delta Lake, but it holds files, for example {other}: take another folder"
            )
    waiting = [result for result in sink.results(staged) if _concerns(result, sink, source)]
    if mode == "create" and waiting:
        raise JagValueError(
            f'{lake.name}: a run was killed before its commit: mode="resume" keeps its results, mode="replace" deletes them'
        )
    survey = Survey(sink, source, missing_inputs)
    committed: list[Result] = []
    if mode != "replace":
        committed = sink.results(f"{sink.folder}/{path}" for path in sorted(active) if is_ours(path))
        _refuse_own(lake, sink, source, committed)
    # The commit of a run that replaces removes what the table holds: to resume such a run, committed results don't count.
    kept, stale = survey.split([result for result in waiting if result.replaces])
    if mode == "replace" or kept:
        stale += [result.path for result in waiting if not result.replaces]
        sink = replace(sink, lake=facts._replace(replace=True))
    else:
        _refuse_rewritten(lake, sink, committed)
        kept, stale = survey.split([result for result in (*committed, *waiting) if _concerns(result, sink, source)])
        _refuse_old(lake, sink, [result for result in committed if result.path in stale])
    if delete:
        sink.remove(path for path in infos if is_part(path))
        sink.remove(path for path in stale if not lake.knows(run_of(path)))
    return sink, kept


def _refuse_own(lake: Lake, sink: Sink, source: Source, committed: Iterable[Result]) -> None:
    """Raise if the source holds results of this job: each run would add results of results."""
    inputs = {piece.path for piece in source.pieces}
    own = next((result.path for result in committed if result.transform == sink.transform and result.path in inputs), None)
    if own is not None:
        raise JagValueError(
            f"{lake.name} is source and sink, and {own} is a result of this job: resume would add results of results. Write to "
            'another table, or name a version as the source; mode="replace" replaces all rows by their results'
        )


def _concerns(result: Result, sink: Sink, source: Source) -> bool:
    """Whether a file holds results of the source of this job; other jobs may write to the same table."""
    known = {piece.input for piece in source.pieces}
    return bool(result.transform) and (result.root == sink.root or any(digest in known for digest, _ in result.inputs))


def _refuse_old(lake: Lake, sink: Sink, stale: list[Result]) -> None:
    """Raise if committed results are of an older function or input: in a folder they would be made again, a commit only adds."""
    old = next(iter(stale), None)
    if old is None:
        return
    file = old.inputs[0][1] if old.inputs else old.path
    if old.transform == sink.transform:
        raise JagValueError(
            f'{lake.name} holds rows of an older {file}, which was replaced since: mode="replace" replaces all rows of the '
            "table in one commit; or delete the rows of that file with the library of the format, or write to another table"
        )
    raise JagValueError(
        f"{lake.name} holds rows of {file} from an older function or other options (run {old.run}). A folder would get new "
        'results, a commit only adds rows: mode="replace" replaces all rows of the table in one commit; version= with the text of '
        "that run keeps them, if the results are the same; or write to another table"
    )


def job_of(one: Sink | Result) -> str:
    """Return the identity of a job among all that write to a table: its function and its source."""
    return digest_of(one.transform, one.root)


def _refuse_rewritten(lake: Lake, sink: Sink, committed: Iterable[Result]) -> None:
    """Raise if files that this job committed are gone: others have rewritten them, so that the inputs they hold are unknown."""
    job = job_of(sink)
    count = lake.committed(job)
    gone = count - sum(job_of(result) == job for result in committed)
    if gone > 0:
        raise JagValueError(
            f"{lake.name}: {gone} of {count} files of this job were rewritten or deleted by another program, so that resume can't "
            'tell which inputs the table holds: mode="replace" replaces all rows'
        )


def commit_results(sink: Sink, lake: Lake, kept: list[list[Result]], written: Iterable[Written], schema: pa.Schema | None) -> str:
    """Check the footers of all files that the table doesn't have yet, and commit them.

    Parameters
    ----------
    sink : Sink
        The folder of the table.
    lake : Lake
        The table.
    kept : list of list of Result
        Results of earlier runs.
    written : iterable of Written
        Results of this run.
    schema : pa.Schema or None
        The schema of results; None if there is none, because the source is empty.

    Returns
    -------
    str
        The version of the table; the empty string if there is nothing to commit.
    """
    assert sink.lake is not None
    start, active = len(sink.folder) + 1, lake.active()
    waiting = [part for parts in kept for part in parts if part.path[start:] not in active]
    files = [NewFile(part.path[start:], part.rows, part.bytes, keys_of(part.keys), job_of(part)) for part in waiting]
    files += [NewFile(file.path, file.rows, file.bytes, keys_of(file.keys), job_of(sink)) for file in written]
    whole = _union([schema, *(part.schema for part in waiting)])
    if whole is None or not (files or sink.lake.replace):
        return ""
    _check_footers(sink, files, whole)
    check = sink.lease.check if sink.lease is not None else lambda: None
    return lake.commit(Commit(files, whole, sink.partition_by, sink.run, job_of(sink), sink.lake.replace, check))


def _union(schemas: Iterable[pa.Schema | None]) -> pa.Schema | None:
    """Return the columns of all results; the first schema decides types."""
    fields: dict[str, pa.Field] = {}
    for schema in schemas:
        for field in schema if schema is not None else ():
            fields.setdefault(field.name, field)
    return pa.schema(list(fields.values())) if fields else None


def _check_footers(sink: Sink, files: Iterable[NewFile], schema: pa.Schema) -> None:
    assert sink.lake is not None
    wanted, _ = plain_schema(schema, extents=False)
    names: Mapping[str, NewFile] = {f"{sink.folder}/{file.path}": file for file in files}
    for result in sink.results(names):
        found = None if result.schema is None else plain_schema(result.schema, extents=False)[0]
        if found is None or not _fits(found, wanted, sink.lake.merge) or result.rows != names[result.path].rows:
            text = "is gone" if found is None else f"has the columns {found}, expected {wanted}"
            raise JobError(Failure(result.path, (), f"the file {text}; nothing was committed: resume the job"))


def _fits(found: pa.Schema, wanted: pa.Schema, merge: bool) -> bool:
    types = {field.name: field.type for field in wanted}
    same = all(types.get(field.name) == field.type for field in found)
    return same and (merge or len(found) == len(wanted))
