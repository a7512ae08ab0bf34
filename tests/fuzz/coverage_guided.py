"""A fuzzer that follows coverage, on the gate and on metadata: `python -m tests.fuzz.coverage_guided -max_total_time=60`.

It needs atheris, which has wheels for Linux and macOS: `pip install atheris`. Options are libFuzzer's: the first words may name
folders of inputs to begin with and to add to. An input that fails is written to `crash-*`, `timeout-*` or `oom-*` in the working
directory, and the name of such a file as the only argument runs it again. The first byte of an input chooses what it is given to.
The campaign `damaged` draws the same kinds of damage at random.
"""

from __future__ import annotations

import importlib
import os
import random
import sys
import tempfile
import warnings
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

LIMITS = ["-timeout=60", "-rss_limit_mb=2000", "-max_len=512", "-len_control=10"]
"""The limits of libFuzzer per input, unless the command line sets others."""

FOLLOWED = [
    "arrowjag._arrow",
    "arrowjag._gate",
    "arrowjag._kernels.elementwise.utf8",
    "arrowjag._vocabulary.type_names",
    "arrowjag.dtype",
    "arrowjag.io._damage",
    "arrowjag.io._thrift",
    "arrowjag.polars.dtype",
]
"""Modules whose branches tell inputs apart."""


def gate(data: bytes) -> None:
    """Write the input over the buffers of an array: an index, then triples of buffer, place and byte."""
    import pyarrow as pa

    import arrowjag as aj
    from arrowjag.errors import JagError
    from tests.fuzz import damaged

    if len(data) < 4:
        return
    changed: list[Any] = []
    chosen = ARRAYS[int.from_bytes(data[:2], "little") % len(ARRAYS)]
    try:
        array = damaged._copy(random.Random(data[2]), chosen, changed, True)
    except pa.ArrowException:  # a count of nulls that Arrow itself refuses
        return
    for at in range(3, len(data) - 2, 3) if changed else ():
        memory = changed[data[at] % len(changed)]
        memory[data[at + 1] % len(memory)] = data[at + 2]
    try:
        x = aj.from_arrow(array)
    except JagError:
        return
    x.to_arrow().validate(full=True)
    damaged._use_array(random.Random(data[-1]), x)


def text(data: bytes) -> None:
    """Give the input to the gate as the bytes of short texts, on its own and dictionary-encoded."""
    import pyarrow as pa

    import arrowjag as aj
    from arrowjag._kernels import strategy
    from arrowjag.errors import JagError

    if not data:
        return
    step, held = data[0] % 5 + 1, data[1:]
    cuts = [*range(0, len(held), step), len(held)]
    values = pa.array([held[one:two] for one, two in pairwise(cuts)], pa.binary()).view(pa.string())
    try:
        values.validate(full=True)
        valid = True
    except pa.ArrowInvalid:
        valid = False
    words = pa.DictionaryArray.from_arrays(pa.array(range(len(values)), pa.int32()), values)
    for array in (values, words):
        for validator in ("arrow", "polars"):
            with strategy.force(utf8=validator, UTF8_PIECE=8):
                try:
                    aj.from_arrow(array)
                    found = True
                except JagError:
                    found = False
            if found != valid:
                raise AssertionError(f"{array.type} of {held!r} in steps of {step}: {validator} says {found}, Arrow {valid}")


def metadata(data: bytes) -> None:
    """Read the input as metadata of the extension type, and as the name of a dtype."""
    import polars as pl
    import pyarrow as pa

    import arrowjag as aj
    from arrowjag.errors import JagError

    found = aj.JaggedType.__arrow_ext_deserialize__(pa.large_list(pa.large_list(pa.int8())), data)
    assert 1 <= found.ndim <= 3
    told = data.decode(errors="replace")
    assert 1 <= aj.polars.Jagged.ext_from_params("arrowjag.jagged", pl.List(pl.Int64), told).ndim <= 2
    for name in (told, f"jagged[{told}]", f"jagged[{told}, 2]"):
        try:
            dtype = aj.pandas.JaggedDtype.construct_from_string(name)
        except (JagError, TypeError):  # pandas asks every dtype, and expects a TypeError
            continue
        assert aj.pandas.JaggedDtype.construct_from_string(str(dtype)) == dtype


def footer(data: bytes) -> None:
    """Read the input as the footer of a Parquet file."""
    from arrowjag.io._chunks import _FOOTER
    from arrowjag.io._thrift import read_struct

    try:
        read_struct(data, _FOOTER)
    except ValueError:
        return


def stream(data: bytes) -> None:
    """Write the input over a stream of Arrow's IPC format: an index, then places of two bytes, each with a byte."""
    import arrowjag as aj
    from arrowjag.errors import JagError
    from tests.fuzz import damaged

    if len(data) < 4:
        return
    content = bytearray(STREAMS[data[0] % len(STREAMS)])
    for at in range(1, len(data) - 2, 3):
        content[int.from_bytes(data[at : at + 2], "little") % len(content)] = data[at + 2]
    path = FOLDERS[0] / "a.arrow"
    path.unlink(missing_ok=True)
    path.write_bytes(content)
    try:
        damaged._use_frame(random.Random(data[-1]), aj.read_ipc(path))
    except JagError:
        return


TARGETS: list[Callable[[bytes], None]] = [gate, gate, text, metadata, footer, stream]
ARRAYS: list[Any] = []
STREAMS: list[bytes] = []
FOLDERS: list[Path] = []
"""The folder to which the target `stream` writes its files."""


def prepare(folder: Path) -> None:
    """Make the arrays and streams that inputs are written over."""
    from tests.fuzz import damaged

    stock = damaged.Stock(folder)
    ARRAYS[:], STREAMS[:], FOLDERS[:] = stock.arrays, stock.streams, [folder]


def one_input(data: bytes) -> None:
    """Give an input to its target; any exception that leaves it is a finding."""
    if data:
        TARGETS[data[0] % len(TARGETS)](data[1:])


def main() -> None:
    """Run until libFuzzer's options say so."""
    atheris = importlib.import_module("atheris")
    with atheris.instrument_imports(include=FOLLOWED, enable_loader_override=False):
        importlib.import_module("arrowjag")
        for name in FOLLOWED:
            importlib.import_module(name)
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder))
        atheris.Setup([sys.argv[0], *LIMITS, *sys.argv[1:]], one_input)
        atheris.Fuzz()


if __name__ == "__main__":
    os.environ.setdefault("POLARS_MAX_THREADS", "1")
    main()
