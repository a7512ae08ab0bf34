"""Newline-delimited JSON: one object per row, lists as jagged columns."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow, _column, dtype
from arrowjag._arguments import check_arguments
from arrowjag._gate import storage_of
from arrowjag._kernels.base.texts import bytes_between
from arrowjag._pyarrow_versions import empty_table, read_json, table_of
from arrowjag.errors import JagFileError, JagTypeError, brief, type_name
from arrowjag.functions._from_json import parsed_as, readable, row_type
from arrowjag.io._atomic import atomic_target, writing
from arrowjag.io._damage import checked, content_of, damaged, reading
from arrowjag.io._formats import START, other_format
from arrowjag.io._frames import from_table, to_table
from arrowjag.io._json_text import joined, json_text
from arrowjag.io._locate import locate_file, reading_file
from arrowjag.io._scan import conform_table
from arrowjag.io._schemas import refuse_equal_names
from arrowjag.typing import Host, IntArray

__all__ = ["read_ndjson", "write_ndjson"]

_ROWS = 2**16
"""Rows that are written at once."""


@check_arguments
def read_ndjson(path: Any, schema: Any = None, to: Host = "arrow", *, filesystem: Any = None) -> Any:
    """Read a file of JSON objects, one per line.

    Parameters
    ----------
    path : str or path
        A local file or a URL; its content may be compressed by gzip, bz2 or zstd.
    schema : pa.Schema, polars.Schema or dict of types, optional
        The columns to read and their types; lists of any layout, `JaggedType` among them. The types in a dict may be given by name,
        such as ``"jagged[int64, 2]"``. By default all columns, with types that follow from all rows: integers, floats, bool, text,
        lists and structs. Text stays text, even if it looks like a time.
    to : {"polars", "pandas", "arrow"}
        The kind of frame to return.
    filesystem : pyarrow.fs.FileSystem or fsspec file system, optional
        The file system of the path; by default derived from the path.

    Returns
    -------
    pa.Table, pandas.DataFrame or polars.DataFrame
        Lists are jagged columns; keys that an object lacks are null.

    Raises
    ------
    FileNotFoundError
        If the file does not exist.
    IsADirectoryError
        If the path is a folder.
    JagFileError
        If the file is not JSON, or a value does not fit its column; the message names the file and the row.
    JagValueError
        If a column is null where the schema says not null, or two columns of the schema have one name.
    JagTypeError
        If JSON can't represent a type of the schema.

    Examples
    --------
    >>> import tempfile
    >>> import arrowjag as aj
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     aj.write_ndjson({"v": aj.array([[1, None], None, []])}, folder + "/a.ndjson")
    ...     aj.array(aj.read_ndjson(folder + "/a.ndjson")["v"]).to_list()
    [[1, None], None, []]
    """
    wanted = None if schema is None else _schema(schema)
    where, name = locate_file(path, filesystem)
    with reading_file(where, name), where.open_input_file(name) as source:
        content = _uncompressed(content_of(source, name))
    with reading(name):  # keys that are not UTF-8 fail when pyarrow decodes them
        table = _jagged(_parsed(content, wanted, name), wanted, name)
    return from_table(table, to)


def _schema(schema: Any) -> pa.Schema:
    wanted = "read_ndjson: schema must be a pa.Schema, a pl.Schema or a dict of Arrow types"
    if isinstance(schema, pa.Schema) or hasattr(schema, "__arrow_c_schema__"):  # the latter of polars, among others
        found = pa.schema(schema)
    elif isinstance(schema, Mapping):
        found = pa.schema([_field(name, type, wanted) for name, type in schema.items()])
    else:
        raise JagTypeError(f"{wanted}, got {type_name(schema)}")
    refuse_equal_names("read_ndjson: schema", found)
    return found


def _field(name: Any, type: Any, wanted: str) -> pa.Field:
    try:
        return pa.field(name, row_type(type))
    except TypeError as error:
        raise JagTypeError(f"{wanted}; column {brief(name)}: {error}") from None


_MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\x28\xb5\x2f\xfd": "zstd"}
"""The first bytes of compressed files, with which no JSON begins."""


def _uncompressed(content: pa.Buffer) -> pa.Buffer:
    """Decompress the content of a file; plain text is returned unchanged."""
    start = bytes(memoryview(content)[:4])
    codec = next((name for magic, name in _MAGIC.items() if start.startswith(magic)), None)
    return content if codec is None else pa.CompressedInputStream(pa.BufferReader(content), codec).read_buffer()


_NULL = re.compile(rb"[ \t\r]*null")
# Begins with a fixed byte: searching for it is 30 times as fast as searching for alternatives.
_NULL_ROW = re.compile(rb"\n[ \t\r]*null")
_LONG = re.compile(rb"[\[:,\s]-?\d{19,}(?=[\s,\]}])")
_ZEROS, _RUN = b"0" * 19, re.compile(rb"0+")
_DIGITS_AS_ZEROS = bytes.maketrans(b"123456789", b"000000000")


def _parsed(content: pa.Buffer, wanted: pa.Schema | None, name: str) -> pa.Table:
    null = _NULL.match(memoryview(content)) or _NULL_ROW.search(memoryview(content))
    if null is not None:  # pyarrow's reader crashes on a first row that is null
        row = memoryview(content)[: null.end()].tobytes().count(b"\n")
        raise JagFileError(f"{name}, row {row} is null: each line holds an object")
    if not memoryview(content).tobytes().strip():
        return empty_table(pa.schema([]) if wanted is None else _readable(wanted))
    if wanted is not None:
        return _read(content, _readable(wanted), "ignore", name)
    _check_depth(memoryview(content), name)
    table = _read(content, None, "infer", name)
    if any(map(_arrow.holds_floats, table.schema.types)):
        _check_integers(content, name)
    plain = pa.schema([field.with_type(_without_times(field.type)) for field in table.schema])
    return table if plain.equals(table.schema) else _read(content, plain, "error", name)


_MOST_LEVELS = 128
"""Brackets that may be open at once: more than any column of arrowjag has, and few enough for Arrow, whose types recurse."""
_BLOCK = 2**20
_OTHER_BYTES = bytes(set(range(256)) - set(b"[]{}"))
_TEXT = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
_STEPS = np.zeros(256, np.int8)
_STEPS[list(b"[{")], _STEPS[list(b"]}")] = 1, -1


def _check_depth(content: memoryview, name: str) -> None:
    """Raise for values so deep that the functions of Arrow's types exhaust the stack, which ends the process."""
    brackets = (block.translate(None, _OTHER_BYTES) for block in _blocks(content))
    if all(depths.max(initial=0) <= _MOST_LEVELS for depths in _depths(brackets)):
        return
    data = _TEXT.sub(lambda text: b" " * len(text[0]), content)  # brackets in text open nothing
    for number, depths in enumerate(_depths(_blocks(data))):
        deep = depths > _MOST_LEVELS
        if deep.any():
            row = data.count(b"\n", 0, number * _BLOCK + int(deep.argmax()))
            nesting = f"more than {_MOST_LEVELS} levels of lists and objects: at most 64 dims are supported"
            raise JagFileError(f"{name}, row {row} has {nesting}")


def _blocks(data: memoryview | bytes) -> Iterator[bytes]:
    return (bytes(data[start : start + _BLOCK]) for start in range(0, len(data), _BLOCK))


def _depths(blocks: Iterable[bytes]) -> Iterator[IntArray]:
    """Yield the number of open brackets at each byte, or more where brackets are closed that were not opened."""
    opened = 0
    for block in blocks:
        steps = opened + np.cumsum(_STEPS[np.frombuffer(block, np.uint8)], dtype=np.int64)
        depths = steps - np.minimum.accumulate(np.minimum(steps, 0))
        opened = int(depths[-1]) if len(depths) else opened
        yield depths


def _check_integers(content: pa.Buffer, name: str) -> None:
    """Raise for an integer too large for int64, which pyarrow rounds to a float."""
    data = memoryview(content).tobytes()
    for found in _long_numbers(data):
        start = data.rfind(b"\n", 0, found.start() + 1) + 1
        stop = data.find(b"\n", found.end())
        line = data[start : stop if stop >= 0 else None]
        large = [one for one in _integers(json.loads(line)) if not -(2**63) <= one < 2**63]
        if large:
            row = data.count(b"\n", 0, start)
            raise JagFileError(
                f"{name}, row {row} holds {large[0]}, which int64 can't hold and float64 would round: pass "
                "schema= with uint64 or float64 for its column"
            )


def _long_numbers(data: bytes) -> Iterator[re.Match[bytes]]:
    """Find the integers of 19 digits or more, and the byte before each: of all digits made equal, so that a search is fast."""
    digits = data.translate(_DIGITS_AS_ZEROS)
    place = digits.find(_ZEROS)
    while place >= 0:
        before = place - 2 if digits[place - 1 : place] == b"-" else place - 1
        found = _LONG.match(data, max(0, before))
        if found is not None:
            yield found
        place = digits.find(_ZEROS, _RUN.match(digits, place).end())  # type: ignore[union-attr]  # it begins with a zero


def _integers(value: Any) -> Iterator[int]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from _integers(one)
    elif isinstance(value, int):
        yield value


def _readable(schema: pa.Schema) -> pa.Schema:
    return pa.schema([pa.field(field.name, readable(field.type, "read_ndjson")) for field in schema])


def _read(content: pa.Buffer, schema: pa.Schema | None, others: str, name: str) -> pa.Table:
    import pyarrow.json as reader

    options = reader.ParseOptions(explicit_schema=schema, unexpected_field_behavior=others)
    # Types follow from the whole file where it is one block; Arrow takes blocks below 2 GB.
    block = reader.ReadOptions(block_size=min(content.size + 1, 2**31 - 1))
    try:
        return read_json(pa.BufferReader(content), read_options=block, parse_options=options)
    except pa.ArrowInvalid as error:
        if (other := other_format(bytes(memoryview(content)[:START]), "JSON")) is not None:
            raise JagFileError(f"{name} {other}") from error
        raise damaged(error, name) from error


def _without_times(type: pa.DataType) -> pa.DataType:
    """Return a type with text in place of times, which Arrow's reader infers from text that looks like one."""
    if pt.is_timestamp(type):
        return pa.string()
    if pt.is_list(type):
        return pa.list_(_without_times(type.value_type))
    if pt.is_struct(type):
        return pa.struct([pa.field(field.name, _without_times(field.type)) for field in type])
    return type


def _jagged(table: pa.Table, wanted: pa.Schema | None, name: str) -> pa.Table:
    """Cast columns to the types asked for, and lists to jagged columns."""
    columns = {}
    for place, field in enumerate(table.schema):
        values = _arrow.combine_chunks(checked(table.column(place), f"{name}, column {field.name!r}"))
        with reading(f"{name}, column {field.name!r}"):
            values = values if wanted is None else parsed_as(values, storage_of(wanted.field(place).type))
        columns[field.name] = _typed(values, None if wanted is None else wanted.field(place).type)
    fields = list(table.schema if wanted is None else wanted)
    schema = pa.schema([field.with_type(columns[field.name].type) for field in fields])
    return conform_table(table_of(list(columns.values()), schema, table.num_rows), schema, name)


def _typed(values: pa.Array, wanted: pa.DataType | None) -> pa.Array:
    if isinstance(wanted, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(wanted, values)
    if not _arrow.is_list_type(values.type):
        return values
    column = _column.from_arrow(values)
    storage = _column.to_arrow(column)
    return pa.ExtensionArray.from_storage(dtype.JaggedType(storage.type, column.ndim), storage)


@check_arguments
def write_ndjson(frame: Any, path: Any, *, filesystem: Any = None) -> None:
    """Write a frame as JSON objects, one per line, atomically.

    Parameters
    ----------
    frame : pandas or polars DataFrame, polars LazyFrame, pa.Table, or dict of arrays
        The frame to write.
    path : str or path
        A local file or a URL. A crash leaves either the old file or the new one.
    filesystem : pyarrow.fs.FileSystem or fsspec file system, optional
        The file system of the path; by default derived from the path.

    Raises
    ------
    JagTypeError
        If `frame` is not a frame, or a column holds binary values, for which JSON has no form.

    Notes
    -----
    Every column is a key of every object; nulls, NaN and infinities are null, as JSON has no other form for them. Floats have a
    point, dates and times are text of ISO 8601, decimals text, durations seconds. Cost: a few passes of Arrow's kernels.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import arrowjag as aj
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     aj.write_ndjson({"k": ["a", "b"], "v": aj.array([[1, None], None])}, folder + "/a.ndjson")
    ...     print(pathlib.Path(folder, "a.ndjson").read_text())
    {"k":"a","v":[1,null]}
    {"k":"b","v":null}
    <BLANKLINE>
    """
    table = to_table(frame)
    where, target = locate_file(path, filesystem)
    with writing(target), atomic_target(where, target, may_be_empty=True) as temporary, temporary.open("wb") as sink:
        for batch in table.combine_chunks().to_batches(max_chunksize=_ROWS):
            sink.write(bytes_between(_rows(batch)))


def _rows(batch: pa.RecordBatch) -> pa.Array:
    parts: list[Any] = []
    for place, field in enumerate(batch.schema):
        key = json.dumps(field.name, ensure_ascii=False)
        parts += [f"{',' if place else '{'}{key}:", json_text(batch.column(place), field.name)]
    if not parts:
        return pa.array(["{}\n"] * batch.num_rows, pa.large_string())
    return joined(*parts, "}\n")
