"""Schemas that differ between files: merge their types, and cast columns losslessly to the merged type."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._gate import inside, storage_of
from arrowjag.dtype import JaggedType
from arrowjag.errors import JagTypeError, JagValueError, ShapeError, are, plural
from arrowjag.io._categories import encode
from arrowjag.io._conflicts import Conflict

__all__ = [
    "canonical",
    "conform",
    "merge_schemas",
    "merge_types",
    "refuse_equal_names",
    "refuse_lost_types",
    "repeated_name",
    "restored",
]


def merge_schemas(schemas: Sequence[tuple[str, pa.Schema]]) -> pa.Schema:
    """Merge the schemas of all files.

    Parameters
    ----------
    schemas : sequence of (str, pa.Schema)
        Name and schema of each file; at least one.

    Returns
    -------
    pa.Schema
        Columns in the order of their first appearance, with the metadata of the first file that has them. Columns and fields of
        structs that two files hold in types without a common type have the type `Conflict`, which names files, column and types.

    Raises
    ------
    JagValueError
        If a file has two columns of the same name.

    Examples
    --------
    >>> old, new = pa.schema([("v", pa.list_(pa.int32()))]), pa.schema([("v", pa.large_list(pa.int64())), ("k", pa.int8())])
    >>> merge_schemas([("old.parquet", old), ("new.parquet", new)])
    v: large_list<item: int64>
      child 0, item: int64
    k: int8
    """
    merged: dict[str, pa.Field] = {}
    missing = _names_missing(schemas)
    origin: dict[str, str] = {}
    last = None
    for path, schema in schemas:
        if schema is last:
            continue  # most files of a dataset share one object
        last = schema
        refuse_equal_names(path, schema)
        for field in schema:
            first = merged.setdefault(field.name, field)
            origin.setdefault(field.name, path)
            if first.type != field.type:
                conflict = _conflict(first, origin[field.name], field, path)
                type = merge_types(first.type, field.type, conflict)
                merged[field.name] = first.with_type(conflict if type is None else type)
    fields = [field.with_nullable(True) if field.name in missing else field for field in merged.values()]
    return pa.schema(fields, metadata=schemas[0][1].metadata)


def repeated_name(names: Iterable[str]) -> str | None:
    """Return the first name that occurs more than once; None if there is none."""
    return next((name for name, count in Counter(names).items() if count > 1), None)


def refuse_equal_names(path: str, schema: pa.Schema) -> None:
    """Raise if two columns of a file have one name."""
    twice = repeated_name(schema.names)
    if twice is not None:
        raise JagValueError(f"{path} has two columns of the name {twice!r}")


def refuse_lost_types(path: str, schema: pa.Schema) -> None:
    """Raise for categories of a type that files lose, before anything is written: no reader opens such a file.

    Arrow's format stores the type of categories as the type of the column. So the name of an extension type, or a second type of
    indices, passes for that of the column itself.
    """
    for field in schema:
        if _loses_type(field.type):
            raise JagTypeError(
                f"{path}, column {field.name!r}: no file holds {field.type}, because Arrow's format has no place for the type of "
                "its categories; decode it first, in pandas by s.astype(s.cat.categories.dtype)"
            )


def _loses_type(type: pa.DataType) -> bool:
    storage = storage_of(type)
    if pt.is_dictionary(storage) and (isinstance(storage.value_type, pa.BaseExtensionType) or pt.is_dictionary(storage.value_type)):
        return True
    return any(map(_loses_type, inside(storage)))


def _names_missing(schemas: Sequence[tuple[str, pa.Schema]]) -> set[str]:
    """The columns that a file lacks or may hold nulls in."""
    distinct = list({id(schema): schema for _, schema in schemas}.values())
    every = {name for schema in distinct for name in schema.names}
    required = [{field.name for field in schema if not field.nullable} for schema in distinct]
    return every.difference(set.intersection(*required))


def _conflict(first: pa.Field, origin: str, field: pa.Field, path: str) -> Conflict:
    return Conflict(
        f"column {field.name!r} is {_spell(first.type)} in {origin} and {_spell(field.type)} in {path}: no type holds both. Read "
        "the files separately, or other columns by columns=; aj.read_parquet also takes schema= with a type that all values fit"
    )


def _spell(type: pa.DataType) -> str:
    return f"jagged of ndim {type.ndim} over {type.storage_type}" if isinstance(type, JaggedType) else str(type)


def merge_types(one: pa.DataType, other: pa.DataType, conflict: Conflict | None = None) -> pa.DataType | None:
    """Return the common type of two types.

    Parameters
    ----------
    one, other : pa.DataType
        A jagged type merges with lists of at least its depth, and with lists of nulls. Lists of all kinds merge; an extent that
        both declare stays. Structs get the fields of both. Numbers, times and decimals widen as in `pyarrow.unify_schemas`.
    conflict : Conflict, optional
        The type of fields of structs that have no common type; by default the structs have none either.

    Returns
    -------
    pa.DataType or None
        None if there is no common type.

    Examples
    --------
    >>> merge_types(JaggedType.of(pa.int8(), 2), pa.list_(pa.float32())).leaf_type
    DataType(float)
    >>> merge_types(pa.int8(), pa.string()) is None
    True
    """
    if one == other or isinstance(one, Conflict):
        return one
    if pt.is_null(one) or pt.is_null(other):
        return other if pt.is_null(one) else one
    if isinstance(one, JaggedType) or isinstance(other, JaggedType):
        return _merge_jagged(one, other, conflict)
    if _arrow.is_list_type(one) and _arrow.is_list_type(other):
        return _merge_lists(one, other, conflict)
    if pt.is_struct(one) and pt.is_struct(other):
        return _merge_structs(one, other, conflict)
    if pt.is_map(one) and pt.is_map(other):
        key, item = merge_types(one.key_type, other.key_type), merge_types(one.item_type, other.item_type, conflict)
        return None if key is None or item is None else pa.map_(key, item)
    return _merge_leaves(one, other)


def _merge_jagged(one: pa.DataType, other: pa.DataType, conflict: Conflict | None) -> pa.DataType | None:
    ndims = {type.ndim for type in (one, other) if isinstance(type, JaggedType)}
    storages = [type.storage_type if isinstance(type, JaggedType) else type for type in (one, other)]
    merged = merge_types(storages[0], storages[1], conflict) if len(ndims) == 1 else None
    return None if merged is None else canonical(JaggedType(merged, ndims.pop()))


def _merge_lists(one: pa.DataType, other: pa.DataType, conflict: Conflict | None) -> pa.DataType | None:
    item = merge_types(one.value_type, other.value_type, conflict)
    if item is None:
        return None
    if pt.is_fixed_size_list(one) and pt.is_fixed_size_list(other) and one.list_size == other.list_size:
        return _arrow.list_like(one, item)
    return _arrow.list_like(one, item) if pt.is_list(one) and pt.is_list(other) else pa.large_list(item)


def _merge_structs(one: pa.DataType, other: pa.DataType, conflict: Conflict | None) -> pa.DataType | None:
    fields = {field.name: field for field in one}
    for field in other:
        known = fields.setdefault(field.name, field)
        type = merge_types(known.type, field.type, conflict)
        type = conflict if type is None else type
        if type is None:
            return None
        fields[field.name] = known.with_type(type)
    return pa.struct(list(fields.values()))


def _merge_leaves(one: pa.DataType, other: pa.DataType) -> pa.DataType | None:
    if pt.is_dictionary(one) and pt.is_dictionary(other) and one.ordered != other.ordered:
        return merge_types(*(pa.dictionary(type.index_type, type.value_type) for type in (one, other)))
    if pt.is_dictionary(one) != pt.is_dictionary(other):
        values = [type.value_type if pt.is_dictionary(type) else type for type in (one, other)]
        return merge_types(*values)
    views = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}
    pair = [pa.schema([("", views.get(type, type))]) for type in (one, other)]
    try:
        return pa.unify_schemas(pair, promote_options="permissive").field(0).type
    except (pa.ArrowTypeError, pa.ArrowInvalid):
        return None


def canonical(type: pa.DataType) -> pa.DataType:
    """Replace the storage lists of a jagged type by `large_list`; return other types unchanged.

    Parameters
    ----------
    type : pa.DataType
        The type of a column.

    Returns
    -------
    pa.DataType
        Declared extents stay.
    """
    return JaggedType.of(type.leaf_type, type.ndim, type.extents) if isinstance(type, JaggedType) else type


# Maps leaf types to the types as which Parquet readers return the same values.
_STORED_AS = {
    ("date32[day]", "date64[ms]"),
    ("time32[ms]", "time32[s]"),
    ("string", "large_string"),
    ("binary", "large_binary"),
}


def restored(stored: pa.DataType, written: pa.DataType) -> pa.DataType:
    """Restore the type in which a column was written, provided that the stored type represents exactly its values.

    Parameters
    ----------
    stored : pa.DataType
        The type that the reader returns for the column.
    written : pa.DataType
        The type in the Arrow schema of the footer, which may be wrong: writers that copy footers may store other data.

    Returns
    -------
    pa.DataType
        The written type, or `stored` wherever the two are incompatible.

    Examples
    --------
    >>> restored(pa.list_(pa.timestamp("ms")), pa.list_(pa.timestamp("s")))
    ListType(list<item: timestamp[s]>)
    >>> restored(pa.float64(), pa.int64())
    DataType(double)
    """
    if stored == written:
        return written
    if isinstance(written, JaggedType):
        fits = _arrow.depth(stored) >= written.ndim - 1
        return canonical(JaggedType(restored(stored, written.storage_type), written.ndim)) if fits else stored
    if _arrow.is_list_type(stored) and _arrow.is_list_type(written):
        return _arrow.list_like(stored, restored(stored.value_type, written.value_type))
    if pt.is_struct(stored) and pt.is_struct(written) and _field_names(stored) == _field_names(written):
        return pa.struct([mine.with_type(restored(mine.type, theirs.type)) for mine, theirs in zip(stored, written, strict=True)])
    if pt.is_map(stored) and pt.is_map(written):
        items = stored.item_field.with_type(restored(stored.item_type, written.item_type))
        return pa.map_(restored(stored.key_type, written.key_type), items)
    if not _holds(stored, written):
        return stored
    is_encoded_anew = pt.is_dictionary(written) and not pt.is_dictionary(stored)  # the order would be that of appearance
    return pa.dictionary(written.index_type, written.value_type) if is_encoded_anew else written


def _field_names(type: pa.DataType) -> list[str]:
    return [field.name for field in type]


def _holds(stored: pa.DataType, written: pa.DataType) -> bool:
    """Return whether Parquet stores one leaf type as the other."""
    if isinstance(written, pa.BaseExtensionType):
        return bool(stored == written.storage_type)
    if pt.is_dictionary(written):
        values = stored.value_type if pt.is_dictionary(stored) else stored
        return (
            bool(values == written.value_type)
            or _holds(values, written.value_type)
            or _is_of_categories(values, written.value_type)
        )
    if pt.is_duration(written):  # those that are no categories come restored from the reader
        return bool(pt.is_int64(stored))
    if pt.is_timestamp(stored) and pt.is_timestamp(written):
        return bool(stored.tz == written.tz and (stored.unit, written.unit) == ("ms", "s"))
    return (str(stored), str(written)) in _STORED_AS


def _is_of_categories(stored: pa.DataType, written: pa.DataType) -> bool:
    """Return whether Parquet stores categories of one type as the other, where readers restore columns of that type itself."""
    if pt.is_timestamp(stored) and pt.is_timestamp(written):
        return bool(stored.tz and written.tz and (stored.unit, written.unit) in {(written.unit, written.unit), ("ms", "s")})
    is_wider = pt.is_decimal(stored) and pt.is_decimal(written) and stored.bit_width > written.bit_width
    return bool(is_wider and (stored.precision, stored.scale) == (written.precision, written.scale))


def conform(array: pa.Array, type: pa.DataType, recorded: Any = None) -> pa.Array:
    """Cast an array to another type without loss; only floats may be rounded to floats of fewer digits.

    Parameters
    ----------
    array : pa.Array
        Values of a column.
    type : pa.DataType
        The target type. Struct fields missing from the array become null; fields missing from the type are dropped.
    recorded : object, optional
        The ordered categories of the column in the metadata of the file.

    Returns
    -------
    pa.Array
        The array itself if it has the type; otherwise shares the buffers that need no cast.

    Raises
    ------
    pyarrow.ArrowInvalid
        If the type can't represent a value, or if a required item or field is null.
    ShapeError
        If a row does not have the declared extent.

    Examples
    --------
    >>> conform(pa.array([[1, 2], None]), pa.large_list(pa.float32())).to_pylist()
    [[1.0, 2.0], None]
    """
    if array.type == type:
        return array
    if isinstance(type, pa.BaseExtensionType):
        stored = array.storage if isinstance(array.type, pa.BaseExtensionType) else array
        return pa.ExtensionArray.from_storage(type, conform(stored, type.storage_type, recorded))
    if isinstance(array.type, pa.BaseExtensionType):
        return conform(array.storage, type, recorded)
    if pt.is_null(array.type):
        return pa.nulls(len(array), type)
    if pt.is_map(array.type) and (_arrow.is_list_type(type) or pt.is_map(type)):
        return _conform_map(array, type)
    if _arrow.is_list_type(type) and _arrow.is_list_type(array.type):
        return _conform_list(array, type, recorded)
    if pt.is_struct(type) and pt.is_struct(array.type):
        return _conform_struct(array, type, recorded)
    if pt.is_dictionary(type):
        return _conform_dictionary(array, type, recorded)
    return _cast_leaves(array, type)


def _cast_leaves(array: pa.Array, type: pa.DataType) -> pa.Array:
    """Cast, and raise where Arrow's cast would lose more than the last digits of a float."""
    source = array.type
    zones = {one.tz for one in (source, type) if pt.is_timestamp(one)}
    if None in zones and zones - {None, "UTC"}:
        raise pa.ArrowInvalid("times without a zone and times with a zone are not the same times: read them, then convert them")
    if pt.is_timestamp(source) and pt.is_time(type):
        raise pa.ArrowInvalid("a time of day doesn't hold the date")
    found = array.cast(type)
    if pt.is_floating(source) and pt.is_floating(type):
        lost = pc.and_(pc.is_inf(_wide(found)), pc.is_finite(_wide(array)))
    elif _is_narrower(source, type):
        lost = pc.not_equal(found.cast(source), array)
    else:
        return found
    row = pc.index(lost.fill_null(False), True).as_py()
    if row >= 0:
        raise pa.ArrowInvalid(f"row {row} of the values holds {array[row].as_py()!r}, which {type} can't represent")
    return found


def _wide(array: pa.Array) -> pa.Array:
    return array.cast(pa.float32()) if pt.is_float16(array.type) else array  # pyarrow's kernels lack float16


def _is_narrower(source: pa.DataType, type: pa.DataType) -> bool:
    """Whether Arrow casts one type to the other without a check."""
    if pt.is_boolean(type):
        return bool(pt.is_integer(source) or pt.is_floating(source))
    return bool((pt.is_timestamp(source) and pt.is_date(type)) or (pt.is_floating(source) and pt.is_decimal(type)))


def _conform_list(array: pa.Array, type: pa.DataType, recorded: Any = None) -> pa.Array:
    (level,), items = _arrow.peel(array, ndim=2)
    extent = type.list_size if pt.is_fixed_size_list(type) else None
    if extent is not None:
        sizes = np.diff(level.offsets)
        wrong = sizes != extent if level.validity is None else level.validity & (sizes != extent)
        if wrong.any():
            row = int(wrong.argmax())
            raise ShapeError(f"row {row} has {plural(sizes[row], 'item')}, {type} wants {extent} in every row")
    made = conform(items, type.value_type, recorded)
    if not type.value_field.nullable:
        _refuse_nulls(made.null_count, "its items")
    return _lists(level._replace(extent=extent), made, type)


def _lists(level: _arrow.Level, items: pa.Array, type: pa.DataType) -> pa.Array:
    """Return lists of a type; pyarrow has no cast of `large_list` for views of dictionaries, nor for fixed-size lists of nulls."""
    wrapped = _arrow.wrap([level], items)
    if wrapped.type == type:
        return wrapped
    validity, count = wrapped.buffers()[0], len(wrapped)
    if pt.is_fixed_size_list(type):
        return pa.Array.from_buffers(type, count, [validity], children=[wrapped.values])
    width = np.int64 if pt.is_large_list(type) or pt.is_large_list_view(type) else np.int32
    if level.offsets[-1] > np.iinfo(width).max:
        raise pa.ArrowInvalid(f"{level.offsets[-1]:,} items are too many for its 32-bit offsets")
    is_view = pt.is_list_view(type) or pt.is_large_list_view(type)
    parts = [level.offsets[:-1], np.diff(level.offsets)] if is_view else [level.offsets]
    buffers = [pa.py_buffer(part.astype(width)) for part in parts]
    return pa.Array.from_buffers(type, count, [validity, *buffers], children=[items])


def _conform_map(array: pa.Array, type: pa.DataType) -> pa.Array:
    """Cast a map to a list of structs with one or both of the fields key and value, or to a map of other types."""
    entries = array.values
    named = pa.StructArray.from_arrays([entries.field(0), entries.field(1)], ["key", "value"])
    lists = pa.Array.from_buffers(
        pa.list_(named.type), len(array), array.buffers()[:2], array.null_count, array.offset, children=[named]
    )
    if not pt.is_map(type):
        return _conform_list(lists, type)
    entry = pa.struct([type.key_field.with_name("key"), type.item_field.with_name("value")])
    found = _conform_list(lists, pa.list_(pa.field("entries", entry, nullable=False)))
    return pa.Array.from_buffers(type, len(found), found.buffers()[:2], found.null_count, found.offset, children=[found.values])


def _conform_struct(array: pa.Array, type: pa.DataType, recorded: Any) -> pa.Array:
    recorded = recorded if isinstance(recorded, dict) else {}
    parts = array.flatten()  # null in null structs, whatever is stored there
    places = [array.type.get_field_index(field.name) for field in type]
    fields = [
        pa.nulls(len(array), field.type) if place < 0 else conform(parts[place], field.type, recorded.get(field.name))
        for place, field in zip(places, type, strict=True)
    ]
    mask = array.is_null()
    fields = [one if field.nullable else _conform_required(one, mask, field) for one, field in zip(fields, type, strict=True)]
    return pa.StructArray.from_arrays(fields, fields=list(type), mask=mask if array.null_count else None)


def _conform_required(array: pa.Array, mask: pa.Array, field: pa.Field) -> pa.Array:
    """Raise if a required field is null in a struct that is not; replace its nulls in null structs, which writers refuse."""
    if not array.null_count:
        return array
    nulls = array.is_null()
    _refuse_nulls(pc.sum(pc.and_not(nulls, mask)).as_py(), f"the field {field.name!r}")
    if pt.is_dictionary(array.type):  # the dictionary of the item below is empty
        return array
    filler = pa.array([None], pa.struct([field])).field(0)  # the item that Arrow builds in a null struct
    rows = np.where(nulls.to_numpy(zero_copy_only=False), len(array), np.arange(len(array)))
    return pa.concat_arrays([array, filler]).take(pa.array(rows))


def _refuse_nulls(count: int, what: str) -> None:
    """Raise for nulls in required items: pyarrow writes null lists there as empty ones, and null structs as fields of 0."""
    if count:
        raise pa.ArrowInvalid(f"{plural(count, 'value')} of {what} {are(count)} null, and the type says not null")


def _conform_dictionary(array: pa.Array, type: pa.DataType, recorded: Any) -> pa.Array:
    if pt.is_dictionary(array.type):
        encoded = array
    elif recorded and type.ordered:
        encoded = encode(array, type.value_type, recorded)
    else:
        encoded = array.dictionary_encode()
    values = conform(encoded.dictionary, type.value_type)
    return pa.DictionaryArray.from_arrays(encoded.indices.cast(type.index_type), values, ordered=type.ordered)
