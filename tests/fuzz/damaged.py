"""Damaged input: mutated IPC files and streams, Parquet files, buffers and metadata, in child processes with limits.

What is read goes through a sample of operations. Nothing may crash, hang or take more than 2 GB, and every error is one of
`arrowjag.errors`. A case depends on seed and number alone: `python -m tests.fuzz --only damaged --seed S --case K` runs it again.
"""

from __future__ import annotations

import json
import os
import random
import resource
import select
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

MOST_BYTES = 2 * 10**9
"""The memory limit of a child."""

MOST_SECONDS = 60.0
"""A case that takes longer counts as hanging; the machine may be busy."""

_PER_CHILD = 2000
_ROOT = Path(__file__).parents[2]


def campaign(seed: int, seconds: float, case: int | None = None) -> Counter[str]:
    """Run cases in children until the time is over; a child that dies is replaced by one that goes on after its last case."""
    counts: Counter[str] = Counter()
    end = time.monotonic() + seconds
    first = 0 if case is None else case
    while case is None and time.monotonic() < end:
        first = _child(seed, first, _PER_CHILD, end, counts)
    if case is not None:
        _child(seed, case, 1, float("inf"), counts)
    return counts


def _child(seed: int, first: int, number: int, end: float, counts: Counter[str]) -> int:
    """Run up to so many cases in one process; the number of the case to go on with."""
    command = [sys.executable, "-m", "tests.fuzz.damaged", str(seed), str(first), str(number)]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(_ROOT), os.environ.get("PYTHONPATH", "")]),
        "RUST_BACKTRACE": "0",
        "POLARS_MAX_THREADS": "1",
        "OMP_NUM_THREADS": "1",
    }
    with (
        tempfile.TemporaryFile() as log,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, cwd=_ROOT, env=environment) as child,
    ):
        current, trouble = _follow(child, first, end, counts)
        child.kill()
        child.wait()
        log.seek(0)
        told = log.read().decode(errors="replace")
    if trouble:
        counts["failed"] += 1
        print(f"damaged: case {current} of seed {seed} {trouble}\n{told[-3000:]}", flush=True)
        return current + 1
    if told:
        print(told, flush=True)
    return current


def _follow(child: subprocess.Popen[bytes], first: int, end: float, counts: Counter[str]) -> tuple[int, str]:
    """Count what a child tells; the case it is at, and what is wrong with it if it must be ended."""
    assert child.stdout is not None
    current, waiting, since = first, b"", time.monotonic()
    while True:
        ready = select.select([child.stdout], [], [], 0.2)[0]
        if ready:
            more = os.read(child.stdout.fileno(), 1 << 16)
            if not more:
                code = child.wait()
                return current, "" if code == 0 else f"ends the process with {code}"
            since, (*lines, waiting) = time.monotonic(), (waiting + more).split(b"\n")
            for line in lines:
                place, outcome = line.decode().split(" ", 1)
                current = int(place) + 1
                counts[outcome] += 1
                counts["inputs"] += 1
            if time.monotonic() > end:
                return current, ""
        if _resident(child.pid) > MOST_BYTES:
            return current, f"takes more than {MOST_BYTES / 1e9:g} GB"
        if time.monotonic() - since > MOST_SECONDS:
            return current, f"hangs for {MOST_SECONDS:g} s"


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) * resource.getpagesize()
    except (OSError, IndexError):
        return 0


# ----------------------------------------------------------------------------------------------------------- in the child


def work(seed: int, first: int, number: int) -> None:
    """Run cases and tell the outcome of each on stdout."""
    import pyarrow as pa

    from arrowjag._gate import buffers, expansion

    # Rank takes about 70 bytes per item; the usual limits of what a damaged length may claim would allow it 9 GB.
    buffers._MOST_UNBACKED //= 8
    expansion.MOST_EXPANDED //= 8
    resource.setrlimit(resource.RLIMIT_AS, (1 << 36, 1 << 36))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.nice(5)
    pa.set_cpu_count(1)
    warnings.simplefilter("ignore")
    fast = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=fast if fast.is_dir() else None) as folder:
        stock = Stock(Path(folder))
        for place in range(first, first + number):
            os.write(1, f"{place} {_outcome(seed, place, stock)}\n".encode())
            if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 > MOST_BYTES:
                print(f"damaged: case {place} of seed {seed} took more than {MOST_BYTES / 1e9:g} GB", file=sys.stderr)
                os.write(1, f"{place} failed\n".encode())
                return


def _outcome(seed: int, place: int, stock: Stock) -> str:
    from arrowjag.errors import JagError

    rng = random.Random(f"{seed}/{place}")
    try:
        rng.choice(KINDS)(rng, stock)
    except JagError as error:
        return f"refused as {type(error).__name__}"
    except NotBuiltError:
        return "not built by Arrow"
    except BaseException as error:  # noqa: BLE001 - panics are no Exception
        print(f"damaged: case {place} of seed {seed}: {type(error).__name__}: {error}", file=sys.stderr)
        traceback.print_exc(limit=-6)
        return "failed"
    return "read"


class NotBuiltError(Exception):
    """Arrow itself refuses to make the damaged array."""


class Stock:
    """Whole data that cases damage: arrays of all layouts, and files of them."""

    def __init__(self, folder: Path) -> None:
        rng = random.Random(1)
        self.folder = folder
        self.arrays = _arrays()
        self.files, self.streams, self.parquet = [], [], []
        for _ in range(60):
            table = _table(rng, self.arrays)
            self.files.append(_ipc(table, rng, "file"))
            self.streams.append(_ipc(table, rng, "stream"))
            made = _parquet(table, rng)
            if made is not None:
                self.parquet.append(made)


def _leaves() -> list[Any]:
    import decimal

    import pyarrow as pa

    words = ["some", "text", "a longer text that no view holds inline", "ü", "", "some"]
    numbers = [1, 2, 3, 4, 5, 6]
    coded = pa.array(words).dictionary_encode()
    return [
        pa.array(numbers),
        pa.array([1.5, float("nan"), -0.0, 3.5, float("inf"), 2.0]),
        pa.array([True, False, True, True, False, True]),
        pa.array(numbers, pa.int8()),
        pa.array(numbers, pa.timestamp("us", "UTC")),
        pa.array(numbers, pa.date32()),
        pa.array([86_400_000 * k for k in numbers], pa.date64()),
        pa.array(numbers, pa.time64("us")),
        pa.array(numbers, pa.duration("ns")),
        pa.array([decimal.Decimal(k) for k in numbers], pa.decimal128(12, 2)),
        pa.array(words),
        pa.array(words, pa.large_string()),
        pa.array(words, pa.string_view()),
        pa.array([word.encode() for word in words], pa.binary()),
        pa.array([word.encode() for word in words], pa.binary_view()),
        pa.array([b"abcd"] * 6, pa.binary(4)),
        coded,
        pa.DictionaryArray.from_arrays(coded.indices.cast(pa.int8()), coded.dictionary),
        pa.nulls(6),
        pa.RunEndEncodedArray.from_arrays(pa.array([2, 5, 6], pa.int32()), pa.array(["a", "b", None])),
    ]


def _with_nulls(array: Any) -> Any:
    import pyarrow as pa

    if pa.types.is_run_end_encoded(array.type):
        return array
    return pa.concat_arrays([array[:2], pa.nulls(1, array.type), array[3:]])


def _arrays() -> list[Any]:
    """Six rows or fewer in every layout, some with nulls, some sliced."""
    import pyarrow as pa

    leaves = _leaves()
    flat = leaves + [_with_nulls(one) for one in leaves]
    nested = []
    for one in flat:
        cut = [0, 2, 2, 3, 6]
        rows = pa.array([False, True, False, False])
        nested.append(pa.LargeListArray.from_arrays(pa.array(cut, pa.int64()), one))
        nested.append(pa.ListArray.from_arrays(pa.array(cut, pa.int32()), one, mask=rows))
        nested.append(pa.FixedSizeListArray.from_arrays(one, 3))
        nested.append(pa.LargeListViewArray.from_arrays(pa.array([3, 0, 1], pa.int64()), pa.array([2, 0, 3], pa.int64()), one))
        nested.append(pa.ListViewArray.from_arrays(pa.array([0, 5, 1], pa.int32()), pa.array([6, 1, 2], pa.int32()), one))
        nested.append(pa.StructArray.from_arrays([one, flat[0]], ["f", "g"]))
        if not one.null_count and not pa.types.is_null(one.type) and not pa.types.is_run_end_encoded(one.type):
            nested.append(pa.MapArray.from_arrays(pa.array([0, 3, 3, 6], pa.int32()), one, flat[-3]))
    deep = [pa.LargeListArray.from_arrays(pa.array([0, 1, len(one)], pa.int64()), one) for one in nested]
    deep += [pa.StructArray.from_arrays([one], ["f"]) for one in nested[:20]]
    everything = flat + nested + deep
    return everything + [one.slice(1) for one in everything[::7]]


def _table(rng: random.Random, arrays: list[Any]) -> Any:
    import pyarrow as pa

    import arrowjag as aj

    columns = rng.sample([one for one in arrays if len(one) >= 3], rng.randint(1, 3))
    made = {}
    for place, one in enumerate(columns):
        column = one.slice(0, 3)
        if rng.random() < 0.5 and aj.from_arrow(column).ndim > 1:
            column = aj.from_arrow(column).to_arrow()
        made[f"c{place}"] = column
    table = pa.table(made)
    return pa.concat_tables([table, table]) if rng.random() < 0.3 else table


def _ipc(table: Any, rng: random.Random, kind: str) -> bytes:
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression=rng.choice([None, None, None, "lz4", "zstd"]), unify_dictionaries=True)
    make = pa.ipc.new_file if kind == "file" else pa.ipc.new_stream
    with make(sink, table.schema, options=options) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()  # type: ignore[no-any-return]


def _parquet(table: Any, rng: random.Random) -> bytes | None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    try:
        pq.write_table(
            table,
            sink,
            compression=rng.choice(["none", "none", "snappy", "zstd"]),
            use_dictionary=rng.random() < 0.5,
            data_page_version=rng.choice(["1.0", "2.0"]),
            write_page_checksum=rng.random() < 0.2,
        )
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        return None
    return sink.getvalue().to_pybytes()  # type: ignore[no-any-return]


# --------------------------------------------------------------------------------------------------------------- damage


_NUMBERS = [0, 1, -1, 2, 7, 127, 128, 255, 2**15, 2**31 - 1, 2**31, -(2**31), 2**32, 2**40, 2**62, 2**63 - 1, -(2**63)]


def mutate(rng: random.Random, content: bytearray) -> None:
    """Change a few bytes, numbers or ranges in place; the length stays unless a range is cut out or doubled."""
    for _ in range(rng.choice([1, 1, 1, 2, 3, 8])):
        if not content:
            return
        _CHANGES[rng.randrange(len(_CHANGES))](rng, content)


def _bit(rng: random.Random, content: bytearray) -> None:
    content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)


def _byte(rng: random.Random, content: bytearray) -> None:
    content[rng.randrange(len(content))] = rng.choice([0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)])


def _number(rng: random.Random, content: bytearray) -> None:
    width = rng.choice([1, 2, 4, 4, 8, 8])
    at = rng.randrange(0, max(1, len(content) - width + 1), width if rng.random() < 0.8 else 1)
    value = rng.choice(_NUMBERS) + rng.choice([0, 0, 0, -1, 1, 5])
    content[at : at + width] = (value % (1 << 8 * width)).to_bytes(width, "little")[: len(content) - at]


def _zeros(rng: random.Random, content: bytearray) -> None:
    at, n = rng.randrange(len(content)), rng.randint(1, 16)
    content[at : at + n] = bytes(len(content[at : at + n]))


def _copied(rng: random.Random, content: bytearray) -> None:
    at, to, n = rng.randrange(len(content)), rng.randrange(len(content)), rng.randint(1, 16)
    part = content[at : at + n]
    content[to : to + len(part)] = part[: len(content) - to]


_CHANGES: list[Callable[[random.Random, bytearray], None]] = [_bit, _byte, _number, _number, _zeros, _copied]


def _mutated(rng: random.Random, content: bytes) -> bytes:
    changed = bytearray(content)
    mutate(rng, changed)
    if rng.random() < 0.05:
        at, n = rng.randrange(len(changed)), rng.randint(1, 64)
        if rng.random() < 0.5:
            del changed[at : at + n]
        else:
            changed[at:at] = changed[at : at + n]
    if changed and rng.random() < 0.03:
        del changed[rng.randrange(len(changed)) :]
    return bytes(changed)


# ---------------------------------------------------------------------------------------------------------------- cases


def ipc_file(rng: random.Random, stock: Stock) -> None:
    """A mutated IPC file, memory mapped."""
    _read_ipc(rng, stock, _mutated(rng, rng.choice(stock.files)))


def ipc_stream(rng: random.Random, stock: Stock) -> None:
    """A mutated IPC stream."""
    _read_ipc(rng, stock, _mutated(rng, rng.choice(stock.streams)))


def _read_ipc(rng: random.Random, stock: Stock, content: bytes) -> None:
    import arrowjag as aj

    path = stock.folder / "a.arrow"
    path.unlink(missing_ok=True)
    path.write_bytes(content)
    _use_frame(rng, aj.read_ipc(path, to=rng.choice(["arrow", "arrow", "pandas", "polars"])))


def parquet_file(rng: random.Random, stock: Stock) -> None:
    """A mutated Parquet file, by a path or in memory; sometimes what the command shows of it."""
    import arrowjag as aj
    from arrowjag.cli._facts import read_facts

    content = _mutated(rng, rng.choice(stock.parquet))
    path = stock.folder / "a.parquet"
    path.unlink(missing_ok=True)
    path.write_bytes(content)
    if rng.random() < 0.15:
        read_facts(path, everything=True)
        return
    source = path if rng.random() < 0.7 else content
    filters = [("c0", "!=", 3)] if rng.random() < 0.1 else None
    _use_frame(rng, aj.read_parquet(source, filters=filters, to=rng.choice(["arrow", "arrow", "pandas", "polars"])))


def raw_buffers(rng: random.Random, stock: Stock) -> None:
    """Arrays whose buffers change after they are made, as a foreign library may hand them over."""
    import pyarrow as pa

    import arrowjag as aj

    array = damaged_array(rng, rng.choice(stock.arrays), True)
    if rng.random() < 0.2:
        array = pa.chunked_array([array, damaged_array(rng, array, True)])
    elif rng.random() < 0.2 and len(array) > 1:
        array = array.slice(1)
    _use_array(rng, aj.from_arrow(array))


def c_interface(rng: random.Random, stock: Stock) -> None:
    """The same over the C interface, which tells no sizes of buffers: offsets of text stay whole."""
    import arrowjag as aj

    array = damaged_array(rng, rng.choice(stock.arrays), False)
    _use_array(rng, aj.array(_Capsule(array)))


class _Capsule:
    def __init__(self, array: Any) -> None:
        self._array = array

    def __arrow_c_array__(self, requested_schema: object = None) -> Any:
        return self._array.__arrow_c_array__(requested_schema)


def damaged_array(rng: random.Random, array: Any, sizes: bool) -> Any:
    """A copy of an array, changed in some of its buffers after Arrow has looked at them."""
    import pyarrow as pa

    changed: list[Any] = []
    try:
        copy = _copy(rng, array, changed, sizes)
    except (pa.ArrowException, IndexError, ValueError) as error:
        raise NotBuiltError from error
    for _ in range(rng.choice([1, 1, 2, 3])):
        if changed:
            memory = rng.choice(changed)
            content = bytearray(memory.tobytes())
            mutate(rng, content)
            memory[:] = memoryview(content)[: len(memory)]
    return copy


def _copy(rng: random.Random, array: Any, changed: list[Any], sizes: bool) -> Any:
    """The same array on memory that can be written to; `changed` gets the buffers."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.types as pt

    type = array.type
    if pt.is_dictionary(type):
        words = _copy(rng, array.dictionary, changed, sizes)
        return pa.DictionaryArray.from_arrays(_copy(rng, array.indices, changed, sizes), words)
    if pt.is_run_end_encoded(type):
        parts = [_copy(rng, one, changed, sizes) for one in (array.run_ends, array.values)]
        return pa.RunEndEncodedArray.from_arrays(*parts)
    children = None
    if pt.is_struct(type):
        children = [_copy(rng, array.field(place), changed, sizes) for place in range(type.num_fields)]
    elif pt.is_nested(type):
        children = [_copy(rng, array.values, changed, sizes)]
    whole = array if not pt.is_struct(type) else pa.concat_arrays([array])
    own = whole.buffers()
    if children is not None:
        own = own[: type.num_buffers]
    made = []
    text = pt.is_string(type) or pt.is_large_string(type) or pt.is_binary(type) or pt.is_large_binary(type)
    for place, buffer in enumerate(own):
        memory = None if buffer is None else np.frombuffer(buffer, np.uint8).copy()
        if memory is not None and len(memory) and (sizes or not (text and place == 1)):
            changed.append(memory)
        made.append(None if memory is None else pa.py_buffer(memory))
    nulls = rng.choice([-1, whole.null_count, whole.null_count, rng.randint(0, 4)])
    if not pt.is_null(type) and made[0] is None:
        nulls = 0
    return pa.Array.from_buffers(type, len(whole), made, nulls, whole.offset, children=children)


def metadata(rng: random.Random, stock: Stock) -> None:
    """Texts of types: of the extension, of names of dtypes, of pandas in a schema."""
    import polars as pl
    import pyarrow as pa

    import arrowjag as aj

    text = _mutated(rng, rng.choice(_TEXTS))
    storage = rng.choice(stock.arrays).type
    found = aj.JaggedType.__arrow_ext_deserialize__(storage, text)
    assert 1 <= found.ndim <= 64
    told = text.decode(errors="replace")
    dtype = aj.polars.Jagged.ext_from_params("arrowjag.jagged", pl.List(pl.Int64), told)
    assert 1 <= dtype.ndim <= 2
    try:
        aj.pandas.JaggedDtype.construct_from_string(told)
    except aj.JagError:
        pass
    table = pa.table({"v": [[1], None]}).replace_schema_metadata({b"pandas": text})
    path = stock.folder / "m.arrow"
    path.unlink(missing_ok=True)
    path.write_bytes(_ipc(table, rng, "file"))
    _use_frame(rng, aj.read_ipc(path, to=rng.choice(["arrow", "pandas", "polars"])))


_PANDAS = {"index_columns": ["v"], "columns": [{"name": "v", "field_name": "v", "numpy_type": "object", "metadata": None}]}
_TEXTS = [
    b'{"ndim":2,"v":1}',
    b"[" * 5000,
    b"jagged[double, 2]",
    b"jagged[timestamp[us, tz=UTC], 3, extents=(None, 4)]",
    b'jagged[struct<"a": int64, "b": list<item: string>>, 2]',
    json.dumps(_PANDAS).encode(),
]

KINDS: list[Callable[[random.Random, Stock], None]] = [ipc_file, ipc_stream, parquet_file, parquet_file]
KINDS += [raw_buffers, raw_buffers, c_interface, metadata]


# ------------------------------------------------------------------------------------------------------------ what is read


def _use_frame(rng: random.Random, frame: Any) -> None:
    import arrowjag as aj

    name = type(frame).__module__.split(".")[0]
    columns = [frame[one] for one in (frame.column_names if name == "pyarrow" else frame.columns)]
    for column in columns:
        if name == "pandas" and column.dtype == object:
            continue
        _use_array(rng, aj.array(column))


def _use_array(rng: random.Random, x: Any) -> None:
    """Some operations; what a type has no kernel for is refused."""
    from arrowjag.errors import JagError

    for operation in rng.sample(_OPERATIONS, 5):
        try:
            operation(x)
        except JagError:
            continue


def _fields(x: Any) -> None:
    import pyarrow as pa

    if pa.types.is_struct(x.type):
        for field in x.type:
            _use_array(random.Random(field.name), x[field.name])


def _text(x: Any) -> None:
    if hasattr(x, "str"):
        x.str.upper()


def _pieces(x: Any) -> None:
    import arrowjag as aj

    aj.concat([x, x])


_OPERATIONS: list[Callable[[Any], Any]] = [
    lambda x: x.sum(),
    lambda x: x.max(),
    lambda x: x.mean(axis=None),
    lambda x: x.count(),
    lambda x: x.sort(),
    lambda x: x.unique(),
    lambda x: x.n_unique(),
    lambda x: x.rank(),
    lambda x: x.lengths(),
    lambda x: x.is_null(),
    lambda x: x.fill_null(0),
    lambda x: x == x[:],
    lambda x: x[::-1],
    lambda x: x.flatten(),
    lambda x: x.to_polars(),
    lambda x: x.to_pandas(),
    lambda x: x.to_arrow().validate(full=True),
    lambda x: x.value_counts(),
    repr,
    _fields,
    _text,
    _pieces,
]


if __name__ == "__main__":
    work(*map(int, sys.argv[1:]))
