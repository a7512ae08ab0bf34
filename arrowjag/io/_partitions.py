"""Partition a frame by key columns into folders ``key=value``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from urllib.parse import quote, unquote

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from arrowjag._arrow import combine_chunks
from arrowjag.errors import JagTypeError, JagValueError, brief
from arrowjag.io._filters import take_rows

__all__ = ["FILE_NAME", "cut_by_keys", "key_types", "keys_of"]

#: Name of the file in each folder; the next write to the folder replaces it.
FILE_NAME = "part-0.parquet"
_NULL = "__HIVE_DEFAULT_PARTITION__"


def cut_by_keys(
    table: pa.Table, keys: str | Sequence[str], *, any_null: bool = False, keep: bool = False
) -> Iterator[tuple[str, pa.Table]]:
    """Partition a table by keys; partitions come in the order in which keys first appear.

    Parameters
    ----------
    table : pa.Table
        Any table.
    keys : str or sequence of str
        Columns; the first makes the outermost folders.
    any_null : bool
        Whether a key column may be all null, as can happen in a part of a table.
    keep : bool
        Whether parts keep the keys as columns.

    Yields
    ------
    str
        Folders ``key=value/key=value``, in which characters that paths or readers take for something else are written as ``%2F``.
    pa.Table
        The rows of the partition in their order, without the keys unless `keep`. A table without rows is yielded unchanged, for
        the folder ``""``.

    Raises
    ------
    JagTypeError
        If the type of a key can't be written as text, for example a list.
    JagValueError
        If keys are unknown, given twice, or all of the columns; if readers could not tell a key from something else.

    Examples
    --------
    >>> table = pa.table({"k": ["a/b", None, "a/b"], "v": [[1], [2, 3], []]})
    >>> [(folder, part.to_pydict()) for folder, part in cut_by_keys(table, "k")]
    [('k=a%2Fb', {'v': [[1], []]}), ('k=__HIVE_DEFAULT_PARTITION__', {'v': [[2, 3]]})]
    """
    names = _checked([keys] if isinstance(keys, str) else list(keys), table, keep)
    texts = [_texts(table.column(name), name, any_null) for name in names]
    if table.num_rows == 0:
        yield "", table
        return
    numbers = _group_numbers(texts)
    order = np.argsort(numbers, kind="stable")
    ends = np.flatnonzero(np.diff(numbers[order], append=-1)) + 1
    rest = table if keep else table.drop_columns(names)
    for rows in sorted(np.split(order, ends[:-1]), key=lambda rows: int(rows[0])):
        folders = [_folder(name, text[int(rows[0])].as_py()) for name, text in zip(names, texts, strict=True)]
        yield "/".join(folders), take_rows(rest, rows)


def _checked(names: list[Any], table: pa.Table, keep: bool) -> list[str]:
    known = ", ".join(table.column_names)
    for name in names:
        if name not in table.column_names:
            raise JagValueError(f"partition_by names an unknown column {brief(name)}; there are {known}")
        if table.column_names.count(name) > 1:
            raise JagValueError(f"partition_by names {brief(name)}, and there are several columns of this name")
        if name.startswith((".", "_")) or not name:
            raise JagValueError(f"partition_by names {brief(name)}: readers ignore folders whose names start with . or _")
    if not names or len(set(names)) < len(names):
        raise JagValueError(f"partition_by must name each key once, got {names}")
    if len(names) == table.num_columns and not keep:
        raise JagValueError(f"partition_by names all columns ({known}): nothing is left for the files")
    return names


def _texts(column: pa.ChunkedArray, name: str, any_null: bool) -> pa.Array:
    type = column.type.value_type if pt.is_dictionary(column.type) else column.type
    if pt.is_nested(type) or pt.is_floating(type) or isinstance(type, pa.BaseExtensionType):
        raise JagTypeError(
            f"partition_by, column {brief(name)}: values of type {type} can't be names of folders; cast it to text or whole numbers"
        )
    try:
        texts = combine_chunks(column.cast(type).cast(pa.large_string()))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise JagTypeError(f"partition_by, column {brief(name)}: {type} can't be written as text: {error}") from error
    if not any_null and len(texts) and texts.null_count == len(texts):
        raise JagValueError(
            f"partition_by, column {brief(name)} is null in every row: readers couldn't tell its type; leave it in the file"
        )
    if _NULL in texts.unique().to_pylist():
        raise JagValueError(f"partition_by, column {brief(name)} holds the text {_NULL}, which readers read as null")
    return texts


def _group_numbers(texts: list[pa.Array]) -> Any:
    """Return one group number per row; rows with equal keys share a number."""
    numbers = np.zeros(len(texts[0]), np.int64)
    for text in texts:
        codes = text.dictionary_encode().indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64) + 1
        # Renumber after each key, so that numbers stay below the number of rows.
        numbers = np.unique(numbers * (int(codes.max()) + 1) + codes, return_inverse=True)[1]
    return numbers


def _folder(name: str, text: str | None) -> str:
    return f"{quote(name, safe='')}={_NULL if text is None else quote(text, safe='')}"


def keys_of(folders: str) -> dict[str, str | None]:
    """Return names and values of partition folders.

    Parameters
    ----------
    folders : str
        Folders as `cut_by_keys` yields them.

    Returns
    -------
    dict
        Values as text; None for null.

    Examples
    --------
    >>> keys_of("k=a%2Fb/year=__HIVE_DEFAULT_PARTITION__")
    {'k': 'a/b', 'year': None}
    """
    pairs = [folder.split("=", 1) for folder in folders.split("/") if folder]
    return {unquote(name): None if value == _NULL else unquote(value) for name, value in pairs}


def key_types(paths: Iterable[str], base: str) -> pa.Schema:
    """Return names and types of the keys of files, as pyarrow infers them, and null for keys that are null in every folder.

    pyarrow raises for the latter.

    Parameters
    ----------
    paths : iterable of str
        Files.
    base : str
        The folder of the dataset, whose own path is ignored.

    Returns
    -------
    pa.Schema
        int32 if all texts look like integers of 32 bits, otherwise string.

    Examples
    --------
    >>> [(one.name, str(one.type)) for one in key_types(["/d/a=1/b=__HIVE_DEFAULT_PARTITION__/c=x/f.parquet"], "/d")]
    [('a', 'int32'), ('b', 'null'), ('c', 'string')]
    """
    texts: dict[str, set[str]] = {}
    for path in paths:
        folders = path[len(base) :].split("/")[:-1]
        for name, text in keys_of("/".join(folder for folder in folders if "=" in folder)).items():
            texts.setdefault(name, set()).update([] if text is None else [text])
    return pa.schema([(name, _type_of(found)) for name, found in texts.items()])


def _type_of(texts: set[str]) -> pa.DataType:
    if not texts:
        return pa.null()
    try:
        return pa.array(sorted(texts), pa.string()).cast(pa.int32()).type
    except pa.ArrowInvalid:
        return pa.string()
