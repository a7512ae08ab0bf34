"""IPC files: mapped, parts of columns, remote, broken."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import arrowjag as aj

X = aj.array([[[1.5, None], []], None, [None, [-0.0]]])


def leaf_buffer(table: pa.Table, name: str) -> pa.Buffer:
    array = table[name].chunk(0)
    return array.storage.values.values.buffers()[1]


def test_the_file_is_mapped(tmp_path: Path) -> None:
    aj.write_ipc({"x": X}, tmp_path / "a.arrow")
    before = pa.total_allocated_bytes()
    table = aj.read_ipc(tmp_path / "a.arrow")
    assert pa.total_allocated_bytes() - before < 64
    assert table["x"].chunk(0).storage.values.values.to_pylist() == [1.5, None, -0.0]
    twice = aj.read_ipc(tmp_path / "a.arrow")
    assert leaf_buffer(twice, "x").address != leaf_buffer(table, "x").address
    assert not leaf_buffer(table, "x").is_mutable


def test_a_mapped_file_can_be_replaced_under_its_reader(tmp_path: Path) -> None:
    aj.write_ipc({"x": X}, tmp_path / "a.arrow")
    table = aj.read_ipc(tmp_path / "a.arrow")
    aj.write_ipc({"x": aj.array([[[9.0]]])}, tmp_path / "a.arrow")
    assert table["x"].to_pylist() == X.to_list()
    assert aj.read_ipc(tmp_path / "a.arrow")["x"].to_pylist() == [[[9.0]]]


def test_parts_of_columns_share_the_mapping(tmp_path: Path) -> None:
    docs = aj.zip(score=aj.array([[1.5, None], None, []]), id=aj.array([[7, 8], None, []]))
    aj.write_ipc({"docs": docs, "k": [1, 2, 3]}, tmp_path / "a.arrow")
    table = aj.read_ipc(tmp_path / "a.arrow", columns=["docs.id"])
    assert table.to_pylist() == [{"docs": [{"id": 7}, {"id": 8}]}, {"docs": None}, {"docs": []}]
    assert table.schema.field("docs").type == aj.JaggedType.of(pa.struct([("id", pa.int64())]), 2)
    with pytest.raises(aj.JagValueError, match=r"'docs\.x'; there are docs, docs\.score, docs\.id, k"):
        aj.read_ipc(tmp_path / "a.arrow", columns=["docs.x"])


@pytest.mark.parametrize("type", [pa.string_view(), pa.struct({"a": pa.string_view()}), pa.list_(pa.binary_view())], ids=str)
def test_views_that_a_cast_made_are_written_compressed(type: pa.DataType, tmp_path: Path) -> None:
    """A fault of older versions of pyarrow ended the process."""
    flat = pa.array(["ab", None, "c"]).cast(pa.string_view())
    if pa.types.is_struct(type):
        flat = pa.StructArray.from_arrays([flat], fields=list(type))
    if pa.types.is_list(type):
        flat = pa.ListArray.from_arrays(pa.array([0, 2, 3, 3], pa.int32()), flat.cast(pa.binary_view()))
    rows = aj.from_sizes(flat, [1, 0, 2]) if not pa.types.is_list(type) else aj.from_arrow(flat)[[2, 0, 1]]
    aj.write_ipc({"plain": flat, "x": rows}, tmp_path / "a.arrow", compression="zstd")
    assert aj.read_ipc(tmp_path / "a.arrow").to_pylist() == pa.table({"plain": flat, "x": rows.to_arrow()}).to_pylist()


@pytest.mark.parametrize("compression", ["lz4", "zstd"])
def test_compressed(compression: str, tmp_path: Path) -> None:
    aj.write_ipc({"x": X}, tmp_path / "a.arrow", compression=compression)
    assert aj.read_ipc(tmp_path / "a.arrow")["x"].to_pylist() == X.to_list()
    sizes = []
    for each in (compression, None):
        aj.write_ipc({"x": aj.zeros(10, 1000)}, tmp_path / "zeros.arrow", compression=each)
        sizes.append((tmp_path / "zeros.arrow").stat().st_size)
    assert sizes[0] < sizes[1] / 10


def test_other_compressions_raise(tmp_path: Path) -> None:
    with pytest.raises(aj.JagValueError, match="write_ipc: compression must be 'lz4', 'zstd' or None, got 'gzip'"):
        aj.write_ipc({"x": [1]}, tmp_path / "x.arrow", compression="gzip")  # type: ignore[arg-type]
    with pytest.raises(aj.JagTypeError, match="write_ipc: compression must be a str, got int"):
        aj.write_ipc({"x": [1]}, tmp_path / "x.arrow", compression=5)  # type: ignore[arg-type]
    assert not (tmp_path / "x.arrow").exists()


def test_streams_are_read_too(tmp_path: Path) -> None:
    table = pa.table({"x": X.to_arrow()})
    with pa.OSFile(str(tmp_path / "a.arrows"), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    assert aj.read_ipc(tmp_path / "a.arrows").equals(table)


@pytest.mark.parametrize("content", [b"", b"ARROW1", b"no Arrow at all", b"ARROW1\0\0" + bytes(100)])
def test_files_other_than_ipc_raise_with_their_name(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "broken.arrow"
    path.write_bytes(content)
    with pytest.raises(aj.JagValueError, match=r"broken\.arrow is truncated or not an Arrow IPC file"):
        aj.read_ipc(path)


def test_bytes_after_a_stream_raise(tmp_path: Path) -> None:
    """Readers ignore them, and with them all rows of a second stream."""
    table = pa.table({"x": X.to_arrow()})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    stream = sink.getvalue().to_pybytes()
    path = tmp_path / "a.arrows"
    path.write_bytes(stream * 2)
    with pytest.raises(aj.JagFileError, match=rf"a\.arrows holds {len(stream):,} bytes after the end of its stream"):
        aj.read_ipc(path)
    path.write_bytes(stream + bytes(64))
    assert aj.read_ipc(path).equals(table)


def test_two_columns_of_one_name_raise(tmp_path: Path) -> None:
    table = pa.table([pa.array([1]), pa.array([2])], names=["x", "x"])
    with pa.ipc.new_file(tmp_path / "a.arrow", table.schema) as writer:
        writer.write_table(table)
    with pytest.raises(aj.JagValueError, match=r"a\.arrow has two columns of the name 'x'"):
        aj.read_ipc(tmp_path / "a.arrow")
