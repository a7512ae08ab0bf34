"""Maps from the C interface with null keys or entries: pyarrow would abort the process, the gate raises an error."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import arrowjag as aj
from arrowjag._gate.capsules import _address, _Array, _Schema

MAP = pa.map_(pa.string(), pa.int64())
WHOLE = pa.array([[("a", 1), ("b", None)], None, []], MAP)
ENTRY = [pa.field("key", pa.string(), nullable=False), pa.field("value", pa.int64())]
FORMAT = ctypes.create_string_buffer(b"+m")


class Foreign:
    """Hands arrays over by capsules, lists of entries as maps: pyarrow itself can't build a map with null keys.

    Unlike pyarrow, other libraries may not count the nulls.
    """

    def __init__(self, data: Any, path: tuple[int, ...] = (), *, counts: bool = True) -> None:
        self.data, self.path, self.counts = data, path, counts
        if not isinstance(data, (pa.ChunkedArray, pa.Table)):
            self.__arrow_c_array__ = self._array
        else:
            self.__arrow_c_stream__ = self._stream

    def _array(self, _schema: object = None) -> Any:
        schema, array = self.data.__arrow_c_array__()
        told = _Schema.from_address(_address(schema, b"arrow_schema"))
        for place in self.path:
            told = told.children[place].contents
        told.format = ctypes.cast(FORMAT, ctypes.c_char_p)
        if not self.counts:
            pairs = _Array.from_address(_address(array, b"arrow_array")).children[0].contents
            for one in (pairs, pairs.children[0].contents):
                one.null_count = -1
        return schema, array

    def _stream(self, _schema: object = None) -> Any:
        return self.data.__arrow_c_stream__()


def entries(keys: Any, *, valid: list[bool] | None = None) -> pa.Array:
    mask = None if valid is None else pa.array([not one for one in valid])
    keys = keys if isinstance(keys, pa.Array) else pa.array(keys, pa.string())
    structs = pa.StructArray.from_arrays([keys, pa.array(range(len(keys)))], fields=ENTRY, mask=mask)
    return pa.ListArray.from_arrays(pa.array([0, 0, len(keys)], pa.int32()), structs)


def test_maps_of_another_library_are_read() -> None:
    assert aj.array(Foreign(entries(["a", "b"]))).get("b").to_list() == [None, 1]
    assert aj.array(Foreign(entries(["a", "b"])[1:])).get("a").to_list() == [0]


@pytest.mark.parametrize("array", [entries(["a", None]), entries(["a", None])[1:], entries(["a", "b"], valid=[True, False])])
def test_a_null_key_or_entry_is_refused(array: pa.Array) -> None:
    with pytest.raises(aj.OffsetsError, match="a map of the Arrow data of a Foreign has a null entry or a null key"):
        aj.array(Foreign(array))


@pytest.mark.parametrize("first", [1, 8, 9])
def test_nulls_among_keys_are_counted_from_the_first_one(first: int) -> None:
    found = aj.array(Foreign(entries(pa.array([None] * first + ["a", "b"])[first:]), counts=False))
    assert found.get("b").to_list() == [None, 1]
    with pytest.raises(aj.OffsetsError, match="a null entry or a null key"):
        aj.array(Foreign(entries(pa.array(["a"] * (first + 1) + [None])[first:]), counts=False))


def test_maps_below_other_levels_are_checked() -> None:
    inside = entries(["a", None])
    lists = pa.ListArray.from_arrays(pa.array([0, 2], pa.int32()), inside)
    structs = pa.StructArray.from_arrays([inside], ["m"])
    for one in (lists, structs):
        with pytest.raises(aj.OffsetsError, match="a null entry or a null key"):
            aj.array(Foreign(one, (0,)))


def test_a_map_is_no_list_of_sizes() -> None:
    with pytest.raises(aj.OffsetsError, match="a null entry or a null key"):
        aj.dims.Ragged(Foreign(entries(["a", None])))


def test_streams_of_maps_are_read_chunk_by_chunk(tmp_path: Path) -> None:
    chunks = pa.chunked_array([WHOLE, WHOLE[1:], WHOLE[:0]])
    assert aj.array(Foreign(chunks)).equals(aj.array(chunks))
    assert aj.array(Foreign(pa.chunked_array([], MAP))).ndim == 2
    table = pa.table({"m": chunks, "k": range(5)})
    aj.write_parquet(Foreign(table), tmp_path / "a.parquet")
    assert aj.read_parquet(tmp_path / "a.parquet").equals(table)
    jagged = aj.array(chunks)
    assert aj.array(Foreign(pa.chunked_array([jagged.to_arrow()]))).equals(jagged)
