"""The gate against corrupt data below the lists, valid but unusual data, and data that declare more than they hold."""

from __future__ import annotations

import gc
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import arrowjag as aj
from arrowjag._gate import checked_buffers, checks
from arrowjag.cli._facts import read_facts
from arrowjag.etl import JobError
from arrowjag.io import _chunks, _thrift
from arrowjag.io._chunks import Chunks
from arrowjag.io._footer import parse_footer, read_content
from tests.etl.jobs import keep, run

BAD_TEXT = b"ab\xff\xfecd"


def text(data: bytes = BAD_TEXT, offsets: tuple[int, ...] = (0, 2, 4, 6), type: pa.DataType | None = None) -> pa.Array:
    """Three texts, corrupted after they are made: pyarrow looks at the first and the last offset."""
    type = pa.string() if type is None else type
    cut = np.zeros(len(offsets), np.int64 if type in (pa.large_string(), pa.large_binary()) else np.int32)
    array = pa.Array.from_buffers(type, len(offsets) - 1, [None, pa.py_buffer(cut), pa.py_buffer(data)])
    cut[:] = offsets
    return array


def indices(places: list[int], words: pa.Array) -> pa.Array:
    """A dictionary whose indices are spoiled after it is made."""
    at = np.zeros(len(places), np.int32)
    array = pa.DictionaryArray.from_arrays(pa.Array.from_buffers(pa.int32(), len(places), [None, pa.py_buffer(at)]), words)
    at[:] = places
    return array


def listed(child: pa.Array) -> pa.Array:
    return pa.LargeListArray.from_arrays(pa.array([0, len(child)], pa.int64()), child)


def mapped(keys: pa.Array) -> pa.Array:
    return pa.MapArray.from_arrays(pa.array([0, len(keys)], pa.int32()), keys, pa.array(range(len(keys))))


CORRUPT = {
    "text": text(),
    "text offsets": text(offsets=(0, 5, 2, 6)),
    "large text": text(type=pa.large_string()),
    "words": pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), text()),
    "indices too high": indices([0, 99, 1], pa.array(["a", "b"])),
    "indices below 0": indices([0, -1, 1], pa.array(["a", "b"])),
    "views": pa.Array.from_buffers(
        pa.string_view(), 1, [None, pa.py_buffer(np.array([40, 0, 9, 2**20], np.int32)), pa.py_buffer(b"x" * 40)]
    ),
}
AROUND: dict[str, Any] = {
    "itself": lambda a: a,
    "list": listed,
    "lists": lambda a: listed(listed(a)),
    "struct": lambda a: pa.StructArray.from_arrays([a], ["f"]),
    "list in struct": lambda a: pa.StructArray.from_arrays([listed(a)], ["f"]),
    "struct in list": lambda a: listed(pa.StructArray.from_arrays([a], ["f"])),
    "extension": lambda a: pa.ExtensionArray.from_storage(aj.JaggedType(listed(a).type), listed(a)),
    "map keys": mapped,
    "view": lambda a: pa.LargeListViewArray.from_arrays(pa.array([0], pa.int64()), pa.array([1], pa.int64()), a),
    "fixed": lambda a: pa.FixedSizeListArray.from_arrays(a, len(a)),
}


@pytest.mark.parametrize("chunked", [False, True], ids=["array", "chunks"])
@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("kind", CORRUPT)
def test_corrupt_data_is_refused_at_any_depth(kind: str, around: str, chunked: bool) -> None:
    array = AROUND[around](CORRUPT[kind])
    with pytest.raises(aj.OffsetsError, match=r"the Arrow data"):
        aj.from_arrow(pa.chunked_array([array, array]) if chunked else array)


def test_values_of_a_caller_are_checked_too() -> None:
    with pytest.raises(aj.OffsetsError, match="the text of the values"):
        aj.from_offsets(text(), [0, 3])
    with pytest.raises(aj.OffsetsError, match="the text of the values"):
        aj.from_sizes(text(), [1, 2])
    with pytest.raises(aj.OffsetsError, match="the text of the values"):
        aj.JaggedArray(aj.JaggedShape(3), text())


@pytest.mark.parametrize("start", [2**63 - 5, 2**62, 3, -1])
def test_views_whose_end_would_wrap(start: int) -> None:
    starts, sizes = np.zeros(5000, np.int64), np.full(5000, 20, np.int64)
    starts[4000] = start
    buffers = [None, pa.py_buffer(starts), pa.py_buffer(sizes)]
    array = pa.Array.from_buffers(pa.large_list_view(pa.int64()), 5000, buffers, children=[pa.array(range(20))])
    with pytest.raises(aj.OffsetsError, match=f"row 4000 .* refers to 20 values from position {start}, but there are 20"):
        aj.from_arrow(array)


@pytest.mark.parametrize("count", [2, 3])
def test_a_count_of_nulls_that_is_wrong(count: int) -> None:
    bits = pa.array([1, None, 3]).buffers()
    array = pa.Array.from_buffers(pa.int64(), 3, bits, null_count=count)
    with pytest.raises(aj.OffsetsError, match=f"has a null count of {count}, but its validity bitmap has 1 nulls"):
        aj.from_arrow(array)
    lists = pa.Array.from_buffers(
        pa.large_list(pa.int64()), 3, [bits[0], pa.py_buffer(np.arange(4))], count, children=[pa.array([1, 2, 3])]
    )
    with pytest.raises(aj.OffsetsError, match=f"has a null count of {count}, but its validity bitmap has 1 nulls"):
        aj.from_arrow(lists)


@pytest.mark.parametrize("type", [pa.string_view(), pa.binary_view()], ids=str)
@pytest.mark.parametrize("under", [[-7, 1, 2, 3], [100, 1, 99, 2**30]])
def test_views_under_nulls_are_emptied(type: pa.DataType, under: list[int]) -> None:
    words = ["ab", "a long string that is outlined", None, "zz"]
    made = pa.array([word and (word if type == pa.string_view() else word.encode()) for word in words], type)
    views = np.frombuffer(made.buffers()[1], np.int32).copy().reshape(-1, 4)
    views[2] = under
    spoiled = pa.Array.from_buffers(type, 4, [made.buffers()[0], pa.py_buffer(views), *made.buffers()[2:]])
    for array in (spoiled, spoiled[1:], pa.chunked_array([spoiled, spoiled])):
        values = aj.from_arrow(array).values
        assert values.to_pylist() == array.to_pylist()
        stored = np.frombuffer(values.buffers()[1], np.int32).reshape(-1, 4)[values.offset :][: len(values)]
        assert not stored[np.asarray(values.is_null().to_numpy(zero_copy_only=False))].any()
    assert aj.from_arrow(listed(spoiled)).to_list() == [made.to_pylist()]


# ------------------------------------------------------------------------------------------------------------- words


@pytest.mark.parametrize("text", [pa.string(), pa.string_view()], ids=str)
@pytest.mark.parametrize("around", ["itself", "list", "struct in list"])
def test_null_words_become_null_indices(around: str, text: pa.DataType) -> None:
    words = pa.array(["a", None, "b", None], text)
    coded = pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 2, 3, 2], pa.int8()), words)
    x = aj.from_arrow(AROUND[around](coded))
    leaf = x["f"] if around == "struct in list" else x
    flat = leaf.flatten() if leaf.ndim > 1 else leaf
    assert flat.values.type == coded.type
    assert flat.values.dictionary.to_pylist() == ["a", "b"]
    assert flat.to_list() == ["a", None, None, "b", None, "b"]
    assert flat.is_null().to_list() == [False, True, True, False, True, False]
    assert flat.count().as_py() == 3
    assert aj.coalesce(flat, "z").to_list() == ["a", "z", "z", "b", "z", "b"]
    assert flat.fill_null("z").to_list() == ["a", "z", "z", "b", "z", "b"]


@pytest.mark.parametrize("words", [pa.nulls(2), pa.nulls(0)])
def test_dictionaries_that_hold_only_null(words: pa.Array) -> None:
    coded = pa.DictionaryArray.from_arrays(pa.array([0, 1, None] if len(words) else [None] * 3, pa.int32()), words)
    x = aj.from_arrow(coded)
    assert x.type == pa.null()
    assert x.to_list() == [None, None, None]
    assert aj.coalesce(x, 1).to_list() == [1, 1, 1]
    assert aj.from_arrow(listed(coded)).to_list() == [[None, None, None]]


@pytest.mark.parametrize("around", ["itself", "list", "struct in list"])
def test_chunks_of_different_words_get_a_wider_index(around: str) -> None:
    def chunk(first: int) -> pa.Array:
        words = pa.array([*(str(first + k) for k in range(100)), None])
        return AROUND[around](pa.DictionaryArray.from_arrays(pa.array([*range(101), None], pa.int8()), words))

    chunks = [chunk(0), chunk(100)]
    expected = [item for one in chunks for item in one.to_pylist()]
    assert aj.from_arrow(pa.chunked_array(chunks)).to_list() == expected
    one, two = (aj.from_arrow(each) for each in chunks)
    assert aj.concat([one, two]).to_list() == expected
    if around == "itself":
        assert aj.coalesce(one, two).to_list()[:3] == ["0", "1", "2"]
        assert aj.where(np.arange(102) % 2 == 0, one, two).to_list()[:3] == ["0", "101", "2"]


@pytest.mark.parametrize("around", ["itself", "list", "struct", "struct in list", "list in struct", "fixed"])
def test_chunks_of_dictionaries_of_halves(around: str) -> None:
    """pyarrow alone unites them to other numbers."""

    def chunk(*numbers: float) -> pa.Array:
        return AROUND[around](pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 1], pa.int8()), pa.array(numbers, pa.float16())))

    chunks = [chunk(0.5, 1.5), chunk(2.5, 0.5)]
    if around != "itself":
        nulls = pa.nulls(1, chunks[0].type)
        chunks = [pa.concat_arrays([nulls, chunks[0]]), pa.concat_arrays([chunks[1], nulls]).slice(0)]
    got = aj.from_arrow(pa.chunked_array(chunks), 1 if around == "struct" else None)
    assert got.to_list() == [item for one in chunks for item in one.to_pylist()]
    assert got.type == aj.from_arrow(chunks[0], 1 if around == "struct" else None).type


# ----------------------------------------------------------------------------------------------------------- too much


def test_one_limit_of_dims() -> None:
    deep: Any = pa.int64()
    for _ in range(80):
        deep = pa.large_list(deep)
    for call in (
        lambda: aj.array([], ndim=5000),
        lambda: aj.array([[1]], ndim=65),
        lambda: aj.from_arrow(pa.nulls(1), ndim=65),
        lambda: aj.from_arrow(pa.nulls(1, deep)),
        lambda: aj.zeros(*[1] * 65),
        lambda: aj.arange(*[1] * 5000),
        lambda: aj.JaggedShape(*[1] * 65),
        lambda: aj.JaggedType(deep),
        lambda: aj.JaggedType.of(pa.int64(), 999_999_999),
        lambda: aj.array([1]).reshape(*[1] * 65),
    ):
        with pytest.raises(aj.ShapeError, match="at most 64"):
            call()
    x = aj.array([], ndim=64)
    assert x.ndim == aj.from_arrow(x.to_arrow()).ndim == 64


def test_the_limit_holds_in_hosts() -> None:
    pd = pytest.importorskip("pandas")
    pl = pytest.importorskip("polars")
    with pytest.raises(aj.ShapeError, match="999999999 dims, at most 64"):
        aj.pandas.JaggedDtype("int64", 999_999_999)
    with pytest.raises((ValueError, TypeError), match=r"at most 64|not understood"):
        pd.Series([], dtype="jagged[int64, 999999999]")
    with pytest.raises(aj.ShapeError, match="at most 64"):
        aj.polars.Jagged(pl.Int64, 65)


def test_structs_may_not_be_nested_deeper_either() -> None:
    array = pa.array([1])
    for _ in range(70):
        array = pa.StructArray.from_arrays([array], ["f"])
    with pytest.raises(aj.ShapeError, match="at most 64"):
        aj.from_arrow(array)


@pytest.mark.parametrize("text", [b"[" * 100_000, b'{"ndim":' * 50_000, b"\xff", b'{"ndim": ' + b"9" * 5000 + b"}", b"1", b"[]"])
def test_metadata_without_content_is_skipped(text: bytes) -> None:
    storage = pa.array([[1, 2]], pa.large_list(pa.int64()))
    field = pa.field("v", storage.type, metadata={b"ARROW:extension:name": b"arrowjag.jagged", b"ARROW:extension:metadata": text})
    sink = pa.BufferOutputStream()
    aj.dtype  # noqa: B018 - registered
    pa.unregister_extension_type("arrowjag.jagged")
    try:
        with pa.ipc.new_file(sink, pa.schema([field])) as writer:
            writer.write_table(pa.table([storage], schema=pa.schema([field])))
    finally:
        aj.dtype.register()
    table = pa.ipc.open_file(sink.getvalue()).read_all()
    assert table.schema.field("v").type.ndim == 2
    assert aj.from_arrow(table["v"]).to_list() == [[1, 2]]


@pytest.mark.parametrize("type", [pa.string_view(), pa.binary_view()], ids=str)
def test_views_keep_the_data_of_later_chunks(type: pa.DataType) -> None:
    """The first chunk has no data beside its views, and so has a buffer of data that is missing."""
    inline = pa.array(["a", None]).cast(type)
    values = pa.concat_arrays([inline, pa.array(["longer than twelve bytes", "b"], type)])
    x = aj.from_sizes(values, [1, 0, 3])
    x.to_arrow().storage.validate(full=True)
    assert x.to_list() == aj.from_sizes(values.cast(pa.large_binary()).cast(type), [1, 0, 3]).to_list()


def test_overlapping_views_that_ask_for_too_much() -> None:
    n = 1_000_000
    whole = pa.array(np.arange(n))
    buffers = [None, pa.py_buffer(np.zeros(n, np.int64)), pa.py_buffer(np.full(n, n))]
    views = pa.Array.from_buffers(pa.large_list_view(pa.int64()), n, buffers, children=[whole])
    with pytest.raises(aj.ShapeError, match=r"would become 8e\+03 GB of 8 MB, more than 1.07 GB"):
        aj.from_arrow(views)
    assert aj.from_arrow(views[:3]).lengths().to_list() == [n, n, n]
    heavy = pa.array(["x" * 1_000_000, "", ""])
    one = pa.LargeListViewArray.from_arrays(pa.array(np.zeros(n, np.int64)), pa.array(np.ones(n, np.int64)), heavy)
    with pytest.raises(aj.ShapeError, match="would become 1e\\+03 GB"):
        aj.from_arrow(one)


WORDS = pa.array(["", "", "x" * 1_000_000, ""])
PAIRS = pa.ListArray.from_arrays(pa.array([0, 2, 4], pa.int32()), WORDS)
LIGHT_AND_HEAVY = {
    "list": PAIRS,
    "large list": pa.LargeListArray.from_arrays(pa.array([0, 2, 4], pa.int64()), WORDS),
    "fixed": pa.FixedSizeListArray.from_arrays(WORDS, 2),
    "map": pa.MapArray.from_arrays(pa.array([0, 2, 4], pa.int32()), pa.array(["a", "b", "c", "d"]), WORDS),
    "struct": pa.StructArray.from_arrays([pa.array([1, 2]), PAIRS], ["a", "b"]),
    "extension": pa.ExtensionArray.from_storage(aj.JaggedType(PAIRS.type), PAIRS),
    "list of structs": pa.ListArray.from_arrays(pa.array([0, 2, 4], pa.int32()), pa.StructArray.from_arrays([WORDS], ["a"])),
}


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("kind", LIGHT_AND_HEAVY)
def test_views_count_the_bytes_of_the_items_that_they_repeat(kind: str, first: int) -> None:
    items = LIGHT_AND_HEAVY[kind]
    items = pa.concat_arrays([items.slice(1), items]).slice(1) if first else items
    n = 20_000

    def repeated(place: int) -> pa.Array:
        return pa.LargeListViewArray.from_arrays(pa.array(np.full(n, place)), pa.array(np.ones(n, np.int64)), items)

    assert aj.from_arrow(repeated(0), 2).shape.size == n
    with pytest.raises(aj.ShapeError, match=r"would become 20 GB of [12] MB, more than 1.07 GB"):
        aj.from_arrow(repeated(1), 2)


def test_runs_that_ask_for_too_much() -> None:
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([2**40], pa.int64()), pa.array([1.5]))
    with pytest.raises(aj.ShapeError, match="the runs of the Arrow data would become"):
        aj.from_arrow(runs)
    assert aj.from_arrow(runs[5:8]).to_list() == [1.5] * 3
    narrow = pa.RunEndEncodedArray.from_arrays(pa.array([2**28], pa.int64()), pa.array([1], pa.int8()))
    with pytest.raises(aj.ShapeError, match=r"would become 2\.15 GB of 1e-06 MB, more than 1\.07 GB"):  # each item is numbered
        aj.from_arrow(narrow)


UNBACKED = {
    "null": (pa.null(), [None], []),
    "binary of width 0": (pa.binary(0), [None, pa.py_buffer(b"")], []),
    "struct without fields": (pa.struct([]), [None], []),
    "lists of size 0": (pa.list_(pa.int8(), 0), [None], [pa.array([], pa.int8())]),
}


@pytest.mark.parametrize(("type", "buffers", "children"), UNBACKED.values(), ids=UNBACKED)
def test_lengths_of_items_that_take_no_memory(type: pa.DataType, buffers: list[Any], children: list[pa.Array]) -> None:
    for n, refused in ((1000, False), (2**27 + 1, True)):
        array = pa.Array.from_buffers(type, n, buffers, children=children)
        one_row = pa.LargeListArray.from_arrays(pa.array([0, n], pa.int64()), array)
        for data in (array, one_row):
            if refused:
                with pytest.raises(
                    aj.OffsetsError, match=f"has {n} items of a type that takes no memory, at most {2**27} are supported"
                ):
                    aj.from_arrow(data)
            else:
                assert aj.from_arrow(data).shape.size in (0, n)


# --------------------------------------------------------------------------------------------------------- remembered


def counting(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    calls: list[str] = []
    check = checks.check_flat
    monkeypatch.setattr(checks, "check_flat", lambda array, what: (calls.append(what), check(array, what))[1])
    return calls


def test_the_same_buffers_are_checked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counting(monkeypatch)
    array = pa.array([["a", "b"], ["c"]], pa.large_list(pa.string()))
    x = aj.from_arrow(array)
    assert len(calls) == 1
    aj.from_arrow(array)
    aj.from_arrow(array[1:])
    assert len(calls) == 1, "while the first result lives the buffers are known"
    aj.from_arrow(x.to_arrow())
    aj.from_arrow(x[::-1].sort().to_arrow())
    assert len(calls) == 1, "results of ours are never checked"
    del x
    gc.collect()
    aj.from_arrow(array)
    assert len(calls) == 2, "nothing keeps the knowledge alive"


@pytest.mark.parametrize(("content", "known"), [(b"abcd\xff\xfe", slice(2)), (b"\xff\xfeabcd", slice(1, None))])
def test_a_larger_part_of_known_buffers_is_checked(content: bytes, known: slice, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counting(monkeypatch)
    whole = text(content)
    part = aj.from_arrow(whole[known])
    assert part.to_list() == ["ab", "cd"]
    with pytest.raises(aj.OffsetsError, match="UTF8"):
        aj.from_arrow(whole)
    assert len(calls) >= 2


def test_knowledge_dies_with_the_buffers() -> None:
    gc.collect()
    before = len(checked_buffers._TOKENS)
    x = aj.array(["some", "text"])
    y = aj.from_arrow(x.to_arrow())
    assert len(checked_buffers._TOKENS) > before
    del x, y
    gc.collect()
    assert len(checked_buffers._TOKENS) == before


def test_files_are_checked_once(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    aj.write_ipc({"v": aj.array([["a", None], None])}, tmp_path / "a.arrow")
    aj.write_parquet({"v": aj.array([["a", None], None])}, tmp_path / "a.parquet")
    for read, name in ((aj.read_ipc, "a.arrow"), (aj.read_parquet, "a.parquet")):
        calls = counting(monkeypatch)
        table = read(tmp_path / name)
        assert len(calls) == 1
        assert aj.from_arrow(table["v"]).to_list() == [["a", None], None]
        assert len(calls) == 1
        monkeypatch.undo()


# -------------------------------------------------------------------------------------------------------------- files


@pytest.fixture
def files(tmp_path: Any) -> Any:
    table = {"k": aj.array([1, 2, 3]), "v": aj.array([["some text", None], None, ["more of it"]])}
    aj.write_ipc(table, tmp_path / "a.arrow")
    aj.write_parquet(table, tmp_path / "a.parquet", compression="none", use_dictionary=False, write_page_checksum=False)
    return tmp_path


def spoil(path: Any, old: bytes, new: bytes) -> None:
    content = path.read_bytes()
    assert old in content
    path.write_bytes(content.replace(old, new))


@pytest.mark.parametrize("to", ["arrow", "pandas", "polars"])
@pytest.mark.parametrize(("name", "read"), [("a.arrow", aj.read_ipc), ("a.parquet", aj.read_parquet)])
def test_invalid_text_in_a_file_names_file_and_column(files: Any, name: str, read: Any, to: str) -> None:
    spoil(files / name, b"more of it", b"more \xff\xfe it")
    with pytest.raises(aj.JagFileError, match=rf"{name}, column 'v'.* UTF8|{name}, column 'v'") as caught:
        read(files / name, to=to)
    assert isinstance(caught.value, OSError)
    with pytest.raises(aj.JagFileError, match=rf"{name}, column 'v'"):
        read_facts(files / name)
    assert isinstance(caught.value, ValueError)
    assert caught.value.__cause__ is not None
    assert read(files / name, ["k"], to="arrow")["k"].to_pylist() == [1, 2, 3]


@pytest.mark.parametrize(("name", "read"), [("a.arrow", aj.read_ipc), ("a.parquet", aj.read_parquet)])
@pytest.mark.parametrize("keep", [0, 3, 40, 0.5, 0.9])
def test_a_file_cut_short_is_damaged(files: Any, name: str, read: Any, keep: float) -> None:
    content = (files / name).read_bytes()
    (files / name).write_bytes(content[: int(keep if keep > 1 else keep * len(content))])
    with pytest.raises(aj.JagFileError, match=name.replace(".", r"\.")):
        read(files / name)


def test_metadata_of_pandas_may_be_anything(tmp_path: Any) -> None:
    pytest.importorskip("pandas")
    for facts in ("[" * 100_000, json.dumps({"columns": 3, "index_columns": 5}), json.dumps({"columns": [7]})):
        table = pa.table({"v": [1]}).replace_schema_metadata({b"pandas": facts.encode()})
        with pa.OSFile(str(tmp_path / "a.arrow"), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
        assert aj.read_ipc(tmp_path / "a.arrow").num_rows == 1
        with pytest.raises(aj.JagValueError, match="pandas can't take the table"):
            aj.read_ipc(tmp_path / "a.arrow", to="pandas")


def test_keys_that_are_null_in_their_runs_or_dictionaries() -> None:
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([1, 2], pa.int32()), pa.array(["a", None]))
    words = pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["a", None]))
    for keys in (runs, words):
        with pytest.raises(aj.OffsetsError, match="a null key"):
            aj.from_arrow(mapped(keys))


@pytest.mark.parametrize("around", ["list", "lists", "struct", "list in struct", "struct in list", "view", "fixed"])
def test_runs_are_decoded_at_any_depth(around: str) -> None:
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([2, 3, 4], pa.int32()), pa.array(["a", None, "b"]))
    plain = pa.array(["a", "a", None, "b"])
    array = AROUND[around](runs)
    expected = AROUND[around](plain).to_pylist()
    assert aj.from_arrow(array).to_list() == expected
    assert aj.from_arrow(pa.chunked_array([array, array])).to_list() == expected + expected


def test_structs_with_a_slice_of_nulls_are_joined() -> None:
    x = aj.from_arrow(pa.StructArray.from_arrays([pa.nulls(4), pa.array([1, 2, 3, 4])], ["f", "g"])[1:])
    assert aj.concat([x, x]).to_list() == x.to_list() * 2
    assert (x == x[:]).to_list() == [True] * 3


def test_a_count_of_nulls_that_is_wrong_beyond_the_slots_in_use() -> None:
    bits = pa.py_buffer(b"\x00")
    child = pa.Array.from_buffers(pa.int64(), 6, [bits, pa.py_buffer(np.arange(6))], null_count=3)
    struct = pa.Array.from_buffers(pa.struct([("f", pa.int64())]), 4, [None], children=[child])
    aj.from_arrow(struct).to_arrow().validate(full=True)
    lists = pa.Array.from_buffers(pa.large_list(pa.int64()), 1, [None, pa.py_buffer(np.array([0, 4]))], children=[child])
    with pytest.raises(aj.OffsetsError, match="has a null count of 3, but its validity bitmap has 6 nulls"):
        aj.from_arrow(lists)


@pytest.mark.parametrize(
    "index", [pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(), pa.int64(), pa.uint64()]
)
@pytest.mark.parametrize("n", [3, 128, 300])
def test_indices_of_each_width(index: pa.DataType, n: int) -> None:
    words = pa.array([str(k) for k in range(n)])
    for bad in (n, -1, -n, 2**63 - 1, 2**63):
        at = np.zeros(3, index.to_pandas_dtype())
        array = pa.DictionaryArray.from_arrays(pa.Array.from_buffers(index, 3, [None, pa.py_buffer(at)]), words)
        assert aj.from_arrow(listed(array)).to_list() == [["0", "0", "0"]]
        bits = np.dtype(at.dtype).itemsize * 8
        at[1] = np.int64(bad).astype(at.dtype) if bad < 2**63 else np.uint64(bad).astype(at.dtype)
        if 0 <= int(at[1]) < n:
            assert aj.from_arrow(listed(array)).to_list() == [["0", str(at[1]), "0"]], bits
        else:
            with pytest.raises(aj.OffsetsError, match="is out of range for"):
                aj.from_arrow(listed(array))
        valid = pa.py_buffer(b"\x05")  # the middle one is null, and its index may be anything
        with_null = pa.Array.from_buffers(index, 3, [valid, pa.py_buffer(at)])
        assert aj.from_arrow(listed(pa.DictionaryArray.from_arrays(with_null, words, safe=False))).to_list() == [["0", None, "0"]]


@pytest.mark.parametrize("around", ["itself", "list", "struct in list"])
def test_decimals_of_a_scale_that_arrow_has_no_powers_for(around: str) -> None:
    for type in (
        pa.decimal128(12, 2_000_000_000),
        pa.decimal128(12, -39),
        pa.decimal256(12, 77),
        pa.decimal32(9, 10),
        pa.decimal64(9, 19),
    ):
        array = pa.Array.from_buffers(type, 2, [None, pa.py_buffer(bytes(64))])
        with pytest.raises(aj.JagTypeError, match="have a scale of at most"):
            aj.from_arrow(AROUND[around](array))
    fine = pa.Array.from_buffers(pa.decimal128(12, -38), 2, [None, pa.py_buffer(bytes(64))])
    assert aj.from_arrow(fine).count().as_py() == 2


# ---------------------------------------------------------------------------------------------------- footers of Parquet


def footer_of(leaf: Any = None) -> tuple[Any, bytes]:
    """A footer as pyarrow has it and as it stands in a file with one column."""
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"v": pa.array([[1, 2], None]) if leaf is None else leaf}), sink)
    content = read_content(pa.BufferReader(sink.getvalue()))
    return parse_footer(content), content


def test_chunks_equal_those_of_pyarrow(tmp_path: Any) -> None:
    table = pa.table({"v": [[1, 2], None, [3]], "t": ["a", "b", None], "d": pa.array([1, 2, 3], pa.date32())})
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=2)
    content = read_content(pa.OSFile(str(tmp_path / "a.parquet")))
    chunks, footer = Chunks(parse_footer(content), content), pq.read_metadata(tmp_path / "a.parquet")
    for group in range(2):
        for place in range(3):
            assert chunks.of(group, place).to_dict() == footer.row_group(group).column(place).to_dict()


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        ({1: 1}, "has the physical type 1 in its metadata, but the schema has INT64"),
        ({1: 9}, "physical type 9"),
        ({5: -1}, "has -1 values"),
        ({6: -1}, "-1 bytes uncompressed"),
        ({16: {2: [1] * 4}}, "4 bins of repetition levels, expected 2"),
        ({16: {3: [1] * 3}}, "3 bins of definition levels, expected 4"),
        ({16: {1: 5}}, "gives the size of its text"),
        ({12: {5: b"1234567"}}, "a bound of 7 bytes in its statistics, but INT64 has 8"),
        ({12: {2: b""}}, "a bound of 0 bytes"),
    ],
)
def test_a_chunk_with_impossible_metadata(facts: Any, told: str) -> None:
    footer, content = footer_of()
    original = _thrift.read_struct

    def spoiled(content: bytes, fields: Any) -> Any:
        found = original(content, fields)
        chunk = found[4][0][1][0][3]
        for id, value in facts.items():
            chunk[id] = chunk.get(id, {}) | value if isinstance(value, dict) else value
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_chunks, "read_struct", spoiled)
        with pytest.raises(ValueError, match=rf"row group 0, column 'v.list.element'.*{told}"):
            Chunks(footer, content)
    Chunks(footer, content)


def test_row_groups_with_other_columns_than_the_schema() -> None:
    footer, content = footer_of()
    other, _ = footer_of(pa.StructArray.from_arrays([pa.array([1]), pa.array([2])], ["f", "g"]))
    with pytest.raises(ValueError, match="row group 0 has 1 column, the schema has 2"):
        Chunks(other, content)
    with pytest.raises(ValueError, match="lists 0 row groups, pyarrow parsed 1"):
        Chunks(footer, b"\x00")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x15",
        b"\x19\xfc",
        b"\x49\xfc\xff\xff",
        b"\x15" + b"\xff" * 12,
        b"\x1d\x00",
        b"\x49\x15\x00",
        b"\x1c" * 5000,
        b"\x29\xf1\xff\xff\xff\xff\xff\xff\x7f",
    ],
)
def test_bytes_that_are_not_a_struct(content: bytes) -> None:
    with pytest.raises(ValueError, match="footer"):
        _thrift.read_struct(content, {4: [{1: _thrift.INT}]})


@pytest.mark.parametrize("number", [0, -1, 63, 64, -64, -65, 127, 128, 8191, 8192, -8193, 2**40, 2**62, -(2**62)])
def test_numbers_of_several_bytes(number: int) -> None:
    content = b"\x16" + _thrift.varint(number << 1 ^ number >> 63) + b"\x00"
    assert _thrift.read_struct(content, {1: _thrift.INT}) == {1: number}


def test_fields_of_all_kinds_are_passed_over() -> None:
    kinds = b"\x11\x12\x13\x05\x14\x02\x15\x04\x16\x06\x17" + bytes(8) + b"\x18\x01a"
    kinds += b"\x19\x21\x01\x02" + b"\x1a\x15\x02" + b"\x1b\x01\x58\x02\x01b" + b"\x1b\x00" + b"\x1c\x15\x02\x00"
    last = b"\x15\x08\x00"
    assert _thrift.read_struct(kinds + last, {14: _thrift.INT}) == {14: 4}
    with pytest.raises(ValueError, match="occurs twice"):
        _thrift.read_struct(b"\x15\x02\x05\x02\x02\x00", {1: _thrift.INT})


def test_one_module_reads_chunk_metadata_of_pyarrow() -> None:
    sources = Path(aj.__file__).parent.rglob("*.py")
    asking = [
        path.name for path in sources if re.search(r"row_group\([^()]*\)\s*\.column\(|write_metadata_file", path.read_text("utf-8"))
    ]
    assert asking == ["_chunks.py"]


@pytest.mark.parametrize(
    "use",
    [
        read_facts,
        lambda path: aj.read_parquet(path, filters=pc.is_valid(pc.field("v"))),
        lambda path: run(keep, path, path.with_name("out")),
    ],
    ids=["show", "filter", "job"],
)
def test_a_footer_at_which_pyarrow_ends_the_process(use: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    aj.write_parquet({"v": aj.array([[1, 2], None])}, path)
    bins = b"\x29\x26\x04\x02\x19\x46\x02\x00\x00\x04"  # two bins of repetition levels, four of definition levels
    spoil(path, bins, b"\x29\x86" + bytes(8))  # eight and none
    with pytest.raises((aj.JagFileError, JobError), match=r"a\.parquet.*8 bins of repetition levels, expected 2"):
        use(path)


def test_an_encrypted_footer_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    aj.write_parquet({"v": aj.array([[1]])}, path)
    path.write_bytes(path.read_bytes()[:-4] + b"PARE")
    with pytest.raises(aj.JagFileError, match=r"a\.parquet"):
        aj.read_parquet(path)


def test_a_file_with_a_wrong_row_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    aj.write_parquet({"v": aj.array([[1]])}, tmp_path / "a.parquet")
    monkeypatch.setattr("arrowjag.cli._sources.ParquetSource.batches", lambda *_: iter(()))
    with pytest.raises(aj.JagFileError, match=r"a\.parquet: the footer says 1 rows, but no row group holds any"):
        read_facts(tmp_path / "a.parquet")


# ---------------------------------------------------------------------------------------------------------- names


@pytest.mark.parametrize("dims", [1, 2])
def test_names_with_nul_never_reach_polars(dims: int, tmp_path: Path) -> None:
    pl = pytest.importorskip("polars")
    inner = pl.Series("a\0b", [{"x\0y": 1}])
    series = inner if dims == 1 else inner.implode()
    for call in (
        lambda: aj.array(series),
        series.jag.count,
        lambda: aj.write_parquet(series.alias("v").to_frame(), tmp_path / "a.parquet"),
        lambda: aj.write_parquet(pl.DataFrame({"a\0b": [1]}), tmp_path / "a.parquet"),
        lambda: aj.array([{"x\0y": 1}]).to_polars(),
    ):
        with pytest.raises(aj.JagTypeError, match="holds the character NUL"):
            call()
    plain = pl.Series("a\0b", [[1, 2], None])
    assert aj.array(plain).to_list() == plain.to_list()
    assert plain.jag.lengths().to_list() == [2, None]
    assert (plain.jag == 2).jag.sum().to_list() == [1, None]
    assert plain.to_frame().select(pl.all().jag.lengths(), s=pl.all().jag.sum())["s"].to_list() == [3, None]
    for read, write in ((aj.read_ipc, aj.write_ipc), (aj.read_parquet, aj.write_parquet)):
        write({"a\0b": aj.array([[1]])}, tmp_path / "a")
        with pytest.raises(aj.JagTypeError, match="holds the character NUL"):
            read(tmp_path / "a", to="polars")


# ------------------------------------------------------------------------------------------------------------ nothing


@pytest.mark.parametrize("around", ["list", "lists", "struct", "list in struct", "struct in list", "view", "fixed"])
def test_no_rows_of_runs(around: str) -> None:
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([2, 4], pa.int32()), pa.array(["a", "b"]))
    array = AROUND[around](AROUND[around](runs))[:0]
    assert aj.from_arrow(array).to_list() == []
    assert aj.from_arrow(listed(array)).to_list() == [[]]


def test_maps_with_null_keys_are_refused_by_arrow_first(tmp_path: Path) -> None:
    """pyarrow ends the process where such a map is made of buffers; what a file says of nulls is checked before that."""
    aj.write_ipc({"m": mapped(pa.array(["a", "b"]))}, tmp_path / "a.arrow")
    content = (tmp_path / "a.arrow").read_bytes()
    nodes = (2).to_bytes(8, "little") + bytes(8)  # two items, no nulls: entries, keys, values
    places = [at for at in range(0, len(content), 8) if content[at : at + 16] == nodes]
    assert len(places) >= 3
    for at in places:
        (tmp_path / "a.arrow").write_bytes(content[: at + 8] + (1).to_bytes(8, "little") + content[at + 16 :])
        with pytest.raises(aj.JagFileError, match=r"a\.arrow.* (is damaged or can't be read|is corrupt): "):
            aj.read_ipc(tmp_path / "a.arrow")


@pytest.mark.parametrize("around", ["itself", "list"])
@pytest.mark.parametrize("inside", ["struct", "lists in struct", "lists in struct, sliced"])
@pytest.mark.parametrize("leaf", ["time", "text", "decimal"])
def test_damage_beyond_the_slots_in_use_is_dropped(leaf: str, inside: str, around: str) -> None:
    bad = {
        "time": pa.Array.from_buffers(pa.time64("us"), 3, [None, pa.py_buffer(np.array([1, 2, -1]))]),
        "text": text(b"abcd\xff\xfe"),
        "decimal": pa.Array.from_buffers(pa.decimal64(2, 0), 3, [None, pa.py_buffer(np.array([1, 2, 2**40]))]),
    }[leaf]
    known = aj.from_arrow(bad[:2])  # what was checked before doesn't speak for the rest
    child = bad
    if inside != "struct":
        child = pa.Array.from_buffers(pa.large_list(bad.type), 2, [None, pa.py_buffer(np.array([0, 1, 2]))], children=[bad])
    struct = pa.Array.from_buffers(pa.struct([("f", child.type)]), 2, [None], children=[child])
    if inside.endswith("sliced"):
        struct = struct[1:]
    aj.from_arrow(AROUND[around](struct)).to_arrow().validate(full=True)
    assert len(known) == 2


@pytest.mark.parametrize("nulls", [2, 3])
def test_a_count_of_null_indices_that_is_wrong(nulls: int) -> None:
    valid, at = pa.py_buffer(b"\x05"), pa.py_buffer(np.zeros(3, np.int32))
    indices = pa.Array.from_buffers(pa.int32(), 3, [valid, at], nulls)
    with pytest.raises(aj.OffsetsError, match="null"):
        aj.from_arrow(pa.DictionaryArray.from_arrays(indices, pa.array(["a"]), safe=False))
