"""Loops as machine code: the same bits as the same source run by Python, and a cache that nothing can turn into wrong code."""

from __future__ import annotations

import errno
import importlib.util
import itertools
import os
import re
import signal
import subprocess
import sys
import textwrap
import time
import zlib
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from arrowjag import JagTypeError, JagValueError, options
from arrowjag._kernels import compiled, strategy
from arrowjag._kernels.compiled import background, compiler, library, objects, sources
from arrowjag._kernels.compiled.__main__ import main
from arrowjag._kernels.compiled.loop import DIGIT, ITEM_TYPES, NULLS, PART_BITS, SAMPLE, TOGETHER, Variant, item_type, wide_type
from arrowjag._kernels.compiled.loops import LOOPS, comparisons, loop_named, moves, ranks
from arrowjag._kernels.compiled.loops.equality import slot_of
from arrowjag._kernels.compiled.words import load_word, store_word, teach_numba
from arrowjag._kernels.elementwise import json_lists
from tests.conftest import IS_COVER
from tests.kernels.compiling import compiled_within
from tests.kernels.rows import bits

pytest.importorskip("numba")

SUM = Variant("sum", "f8", False)
F8 = np.dtype(np.float64)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache folder, and a process that has looked for nothing yet."""
    monkeypatch.setenv("ARROWJAG_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    forget(monkeypatch)
    return tmp_path


def forget(monkeypatch):
    """Let this process look again for everything, as a new one would."""
    monkeypatch.setattr(library, "_loaded", {})
    monkeypatch.setattr(library, "_missed", {})
    monkeypatch.setattr(library, "_interrupted", False)
    monkeypatch.setattr(objects, "_memory", {})
    for name, value in (("_running", None), ("_waiting", set()), ("_finished", set())):
        monkeypatch.setattr(background, name, value)


def find(mode="auto", worth=False):
    with options(compile=mode):
        return compiled.find("sum", F8, False, strategy.sizes.COMPILING_VALUES if worth else 0)


def sums(function):
    """The answer of a sum, to see that it is one."""
    values, offsets = np.array([1.5, 2.0, 4.0]), np.array([0, 2, 2, 3])
    out = np.empty(3)
    function(values, None, offsets, 0, 3, out)
    return out.tolist()


def object_file(cache, variant=SUM):
    return cache / library.key_of(variant).name


# ------------------------------------------------------------------------------------------------------ the same bits


@pytest.fixture(scope="module")
def compiled_once(tmp_path_factory):
    """A cache for all loops of this module, so that each is compiled once."""
    folder = tmp_path_factory.mktemp("objects")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARROWJAG_CACHE_DIR", str(folder))
        yield folder


def ugly(type, rng):
    """Values with the extremes of their type, in rows of none, one, few and more than one piece."""
    sizes = np.array([0, 1, 3, 0, 7, 4, 130, 300, 40, 700, 2, 0])
    n = int(sizes.sum())
    dtype = np.dtype("u1" if type == "b1" else type)
    if dtype.kind == "f":
        values = rng.choice([0.1, -0.0, 0.0, np.inf, -np.inf, np.nan, 1e300 if type == "f8" else 1e30, 3.7], n).astype(dtype)
        values[200:] = rng.normal(size=n - 200)
    elif type == "b1":
        values = rng.integers(0, 2, n).astype(dtype)
    else:
        limits = np.iinfo(dtype)
        values = rng.integers(limits.min, limits.max, n, dtype=dtype, endpoint=True)
        values[rng.random(n) < 0.2] = limits.min
        values[rng.random(n) < 0.2] = limits.max
    return values, np.concatenate(([0], np.cumsum(sizes)))


OUTPUTS = {
    *("out", "present", "counts", "lower", "upper", "low", "high", "weight", "square", "mean", "spread", "decay"),
    *("begins", "taken", "starts", "means", "second", "third", "fourth", "mean_x", "mean_y", "xx", "yy", "xy", "there"),
}
"""Arguments that a loop fills: they have room for an entry per item or row."""


def names_of(loop):
    """The names of the arguments, which the docstring of the loop, or of the one that it refers to, begins with."""
    text = loop.make.__doc__
    if not text.startswith("("):
        text = LOOPS[text.split("`")[1]].make.__doc__
    return text.split(")")[0].strip("(").split(", ")


def windows_of(offsets, rng, longest=None):
    """The first item of a window for each item, and the end: anywhere in its row, or up to it and of at most `longest` items."""
    sizes = np.diff(offsets)
    starts, items = offsets[:-1].repeat(sizes), np.arange(offsets[-1])
    if longest is not None:
        return np.maximum(starts, items + 1 - longest), np.where(rng.random(len(items)) < 0.1, starts, items + 1)
    ends = starts + rng.integers(0, sizes.repeat(sizes) + 1, (2, len(items)))
    return ends.min(axis=0), ends.max(axis=0)


def arguments_of_windows(loop, values, offsets, nulls, rng):
    """Of the loops over windows: all windows are within their rows, and `scratch` has room for every size of a span."""
    longest = int(np.diff(offsets).max())
    levels = longest.bit_length()
    if loop.name == "window_bounds":
        times = np.nan_to_num(values)
        times[::2] //= 10**18 if times.dtype.kind == "i" else 1  # some close together, some as far apart as can be
        for begin, end in itertools.pairwise(offsets):
            times[begin:end].sort()
        near = -1 if nulls else 3  # windows up to the item itself, or around it
        return {"times": times, "far_f": 5.0, "near_f": float(near), "far": 5, "near": near}
    if loop.name == "window_select":
        sizes = np.arange(longest + 1)
        low, high = windows_of(offsets, rng, longest=150 if nulls else 12)
        below = np.maximum(sizes - 1, 0) // 2
        ranks = {"below": below, "above": np.minimum(below + 1, np.maximum(sizes - 1, 0)), "weights": sizes % 4 / 4}
        return {"values": np.nan_to_num(values), "low": low, "high": high, "last": len(low), **ranks}
    if loop.name.startswith("rolling_"):  # windows of an even or an odd length, shorter or longer than a tile
        window, tile = (100, 64) if nulls else (37, 50)
        numbers = {"last": len(values) - window + 1, "window": window, "tile": tile, "parts": window - 1.0, "root": int(nulls)}
        return {**numbers, "scratch": np.zeros(6 * (window + tile), values.dtype)}
    if loop.name in ("window_sums", "window_squares", "window_counts", "window_min", "window_max"):
        low, high = windows_of(offsets, rng)
        for begin, end in itertools.pairwise(offsets):  # both ends rise, in some rows by one item each
            low[begin:end].sort()
            high[begin:end].sort()
            if rng.random() < 0.6:
                items = np.arange(begin, end)
                low[begin:end], high[begin:end] = np.maximum(begin, items - int(rng.integers(40))), items + 1
        width = max(int((high - low).max()), 1) + 30
        room = width * (levels + 1) * (3 if loop.name == "window_squares" else 1)
        rows = {"begins": offsets[:-1].copy(), "ends": offsets[1:].copy()}
        return {"low": low, "high": high, "width": width, "scratch": np.zeros(room, values.dtype), **rows}
    return {"keep": 0.75, "states": np.zeros(80)} if loop.name == "decayed" else {}


def arguments_of_moves(loop, told, values, offsets, cuts, firsts, rng):
    """Of the loops that move items: rows to take, in any order, and where their items and bytes go."""
    rows = rng.integers(0, len(offsets) - 1, len(offsets) - 1)
    if loop.name == "taken_rows":
        return {"rows": rows, "offsets": offsets.astype(values.dtype)}
    if loop.name == "short_order" or loop.name.startswith("short_sort"):
        return {"rows": rows, "width": 9, "slots": int(rng.integers(2))}
    if loop.name == "short_ranks":
        room = np.zeros((2, 9), values.dtype)
        ways = {"method": int(rng.integers(len(ranks.RANKS))), "falling": int(rng.integers(2))}
        return {"width": 9, **ways, "numbers": room[0], "distinct": room[1], "out": np.zeros(len(values), np.int64)}
    if loop.name == "long_order":
        scratch = {name: np.zeros(len(values), kind) for name, kind in (("codes", "u8"), ("room", "u8"), ("places", "i8"))}
        return scratch | {"slots": int(rng.integers(2)), "counts": np.zeros(1 << DIGIT, np.int64)}
    if loop.name == "long_sort":
        floats, bits = int(rng.integers(2)), 8 * values.itemsize
        given = {"bits": bits, "floats": floats, "falling": int(rng.integers(2)), "counts": np.zeros(1 << DIGIT, np.int64)}
        given["infinity"] = (0x7FF << 52) if bits == 64 else 0xFF << 23
        return given | {name: np.zeros(len(values), np.uint64) for name in ("codes", "room")}
    bounds = cuts if loop.name == "taken_bytes" else offsets
    taken = np.concatenate(([0], np.cumsum(np.diff(bounds)[rows])))
    cut = {"begins": bounds[rows], "taken": taken, "places": np.zeros(len(rows), np.int64)}
    given = {"taken_cuts": cut | {"starts": np.zeros(len(rows) + 1, np.int64), "out": np.zeros(taken[-1], np.int64)}}
    room = {"taken_bytes": int(taken[-1]), "reversed_bytes": int(cuts[-1])}.get(loop.name, 0)
    moved = {"begins": bounds[rows], "taken": taken, "limit": room, "out": np.zeros(room, "u1")}
    given |= {"taken_bytes": moved, "reversed_bytes": moved}
    given["compared"] = {"last": len(values), "one": values[200:201], "wanted": int(rng.choice([*comparisons.WANTED.values()]))}
    given["compared_pairs"] = {**given["compared"], "others": rng.permutation(values)}
    given["as_singles"] = given["as_doubles"] = {"n": len(values)}
    given["one_of"] = {"last": len(values)}
    two, most = values[:1] if rng.random() < 0.5 else values[::-1].copy(), 256 if told == "bits" else 2
    given["choose_items"] = {"one": values, "two": two, "by_number": int(len(two) == 1), "n": len(values)}
    given["choose_items"] |= {"flags": rng.integers(0, most, len(values), np.uint8), "chosen": int(rng.integers(2))}
    given["replace_equal"] = {"pair": np.array([values[3], values[5]]), "n": len(values)}
    steps = {"x_step": int(rng.choice([0, 2])), "y_step": int(rng.choice([0, 2])), "subtracts": int(rng.integers(2))}
    given |= {"added_pairs": steps | {"n": len(values) // 2}, "absolute_pairs": {"n": len(values) // 2}}
    given["compared_decimals"] = {"x_step": steps["x_step"], "y_step": steps["y_step"], "last": len(values) // 2}
    given["compared_decimals"] |= {"equals": int(rng.integers(2)), "opposite": int(rng.choice([0, 255]))}
    given["calculated_halves"] = {"calculation": int(rng.integers(8)), "n": len(values)}
    given["shares"] = {"out": values.copy()}
    given |= arguments_of_strings(cuts, rng)
    given["members"] = {"known": values[::-1].copy(), "cuts": np.concatenate(([0], np.cumsum(np.diff(offsets)[::-1])))}
    given["equal_members"] = given["members"]
    ends = rng.normal(size=(2, len(offsets) - 1))
    given["binned"] = {"low": ends.min(axis=0), "high": ends.max(axis=0), "n": int(rng.integers(1, 9))}
    given["counted_bins"] = given["binned"] | {"edges": np.zeros(10 * len(rows)), "out": np.zeros(10 * len(rows), np.int64)}
    given["counted_slots"] = {"values": rng.integers(-2, 5, len(values)), "n": 5, "out": np.zeros(5 * len(rows), np.int64)}
    given["drawn"] = {"draws": rng.random(3 * len(values)), "n": 3, "n_values": len(values), "out": np.tile(values, 3)}
    parts = {
        "level": int(rng.integers(8)),
        "places": np.zeros(1 << PART_BITS, np.int64),
        "cuts": np.zeros((1 << PART_BITS) + 1, np.int64),
    }
    given["divided"] = parts | {"slots": np.zeros(len(values), np.int64)}
    given["grouped_items"] = {"firsts": firsts, "places": np.zeros_like(firsts), "cuts": np.zeros_like(cuts)}
    given["counted_flags"] = {"flags": values, "size": len(values), "out": np.zeros(len(offsets) - 1, np.int64)}
    given["taken_items"] = {"begins": bounds[rows], "taken": taken, "out": np.zeros(taken[-1], values.dtype)}
    given["taken_items"] |= {"there": np.zeros(taken[-1], "u1")}
    limits = {"begin": 2, "end": int(offsets[-1]) - 3}
    positions = rng.integers(-40, 40, len(rows))
    given["picked"] = {"positions": positions, "rows": rows, "last": len(rows), "out": positions * 0}
    given["placed_items"] = {"begins": offsets[:-1].copy(), "ends": offsets[1:].copy(), "places": offsets[:-1].copy()}
    given["placed_items"] |= {"out": np.zeros(len(values), values.dtype)}
    given["numbered"] = {"starts": rng.integers(-9, 99, len(offsets) - 1), "step": int(rng.choice([-1, 1, 3])), **limits}
    some_bits = {"bits": rng.integers(0, 256, -(-len(values) // 8) + 1, "u1"), "skip": 3, "start": 16}
    some_bits |= {"size": len(some_bits["bits"]), "stop": int(offsets[-1]) - 3, "out": np.zeros(len(values) // 8 + 1, "u1")}
    given["reversed_bits"] = some_bits
    given["spread_bits"] = some_bits | {"flags": rng.integers(0, 2, len(rows), "u1")}
    given["taken_bits"] = some_bits | {"begins": bounds[rows], "taken": taken, "stop": int(taken[-1]) - 3}
    given["taken_bits"]["out"] = np.zeros(int(taken[-1]) // 8 + 1, "u1")
    flags = rng.integers(0, 2, len(values), "u1")
    given["kept_items"] = {"flags": flags, "first": 3, "n": int(np.count_nonzero(flags[3:])) - 2}
    columns = {"heads": rng.integers(0, 5, len(rows)), "most": 9, "starts": np.arange(len(values))}
    given |= {"counted_columns": columns, "placed_columns": columns | {"out": np.zeros(len(values) + len(rows), np.int64)}}
    given["running_total"] = {"n": len(values), "out": np.zeros(len(values) + 1, np.int64)}
    if loop.name == "rounded":
        given["rounded"] = {"limits": np.array([100, 2**20], values.dtype), "decimals": int(rng.choice([2, -1])), "n": len(values)}
    count = int(rng.choice([1, 3, 8, 20]))
    given["nth_items"] = {"position": int(rng.integers(-4, 4)), "out": np.zeros(len(offsets) - 1, values.dtype)}
    given["sliced_rows"] = {"start": int(rng.integers(-4, 4)), "stop": int(rng.integers(-4, 9)), "begins": bounds[:-1].copy()}
    given["sliced_rows"] |= {"taken": bounds.copy()}
    given["repeated_items"] = {"count": count, "last": len(values), "out": np.zeros(count * len(values), values.dtype)}
    given["spread_items"] = {"start": 5, "stop": int(offsets[-1]) - 3}
    return given.get(loop.name, {})


def arguments_of_strings(cuts, rng):
    """Of the loops over strings: two strings of one letter each, or none, stand for a second column."""
    n, size = len(cuts) - 1, int(cuts[-1])
    text, strings = (
        {"wanted": np.frombuffer(b"ab" + bytes(moves.RUN), "u1"), "n_wanted": int(rng.integers(1, 3)), "most": 3},
        {"last": n},
    )
    sums = {"taken": np.zeros(n + 1, np.int64), "starts": np.zeros(n + 1, np.int64)}
    pieces = {"taken": np.arange(n + 1), "starts": cuts, "limit": size, "ends": np.zeros(n, np.int64)}
    other = {"data_y": np.zeros(9, "u1"), "size_y": 9, "cuts_y": np.array([0, 9]), "step_y": 0, "step": 1, "between": 2}
    joined = cuts + 11 * np.arange(n + 1)
    flags = rng.integers(0, 2, n, "u1")
    chosen = np.concatenate(([0], np.where(flags, np.diff(cuts), 9).cumsum()))
    wide = {"starts": 3 * cuts, "limit": 3 * size, "out": np.zeros(3 * size, "u1")}
    lines = [b"[[1,-20,null],[123456789,0],null]", b" null ", b"[[ ], [7\t,\n8]]", b"[null]", b"[]", b"[[1.5e3],[true]]"]
    document = np.frombuffer(b"".join(lines), "u1")
    parsing = {"size": len(document), "cuts": np.concatenate(([0], np.cumsum([*map(len, lines)]))), "last": len(lines), "inner": 2}
    tables = {"tens": json_lists.tens(), "powers": json_lists.powers_of_ten(), "scales": json_lists.powers_of_two()}
    levels = {"stride": 20, "ends": np.zeros(40, np.int64), "known": np.zeros(40, np.uint8), "counts": np.zeros(3, np.int64)}
    parsing |= {"text": document, "least": -20, "most": 127} | tables | levels
    alike = np.array([int(cuts[i + 1] - cuts[i] > 0) * i for i in range(n)])  # empty strings are equal, in most draws the first is
    return {
        "text_hashes": strings | {"out": np.zeros(n, np.uint64)},
        "text_words": strings | {"items": np.arange(n)[::-1].copy(), "depth": 5, "out": np.zeros(n, np.uint64)},
        "unequal_text": strings | {"firsts": alike},
        "json_lists": parsing,
        "json_singles": parsing,
        "occurrences": text | strings,
        "piece_counts": text | strings | sums,
        "cut_pieces": text | strings | pieces | {"out": np.zeros(size, "u1")},
        "joined_cuts": strings | other | sums,
        "chosen_cuts": strings | other | sums | {"flags": flags},
        "unequal_strings": strings | other | {"opposite": 255},
        "chosen_bytes": text
        | strings
        | other
        | {"flags": flags, "starts": chosen, "limit": int(chosen[-1])}
        | {"out": np.zeros(chosen[-1], "u1")},
        "joined_bytes": text | strings | other | {"starts": joined, "limit": int(joined[-1]), "out": np.zeros(joined[-1], "u1")},
        "holding": text | strings | {"mode": int(rng.integers(3)), "out": np.zeros(n, "u1")},
        "row_cuts": {"between": 2, "starts": np.zeros(n, np.int64)},
        "row_bytes": text | {"between": 2, "starts": np.arange(n) * 999, "limit": 999 * n, "out": np.zeros(999 * n, "u1")},
        "replaced_cuts": text | strings | {"n_new": 3, "starts": np.zeros(n + 1, np.int64)},
        "replaced_bytes": text | strings | {"n_new": 3, "new": np.frombuffer(b"xyz" + bytes(moves.RUN), "u1"), **wide},
        "sliced_cuts": strings | {"start": -4, "stop": 9, "is_ascii": int(rng.integers(2)), **sums},
    }


def arguments_of_search(loop, values, offsets, nulls, rng):
    """Of the loops that look up items in sorted rows: most are near a key, and rows have other numbers of items than of keys."""
    keys, sought = values.copy(), values[rng.permutation(len(values))]
    if loop.name == "interpolate":
        keys = np.nan_to_num(keys)
    for begin, end in itertools.pairwise(offsets):
        keys[begin:end].sort()
    counts = np.maximum(np.diff(offsets) - (rng.random(len(offsets) - 1) < 0.2), 0)
    cuts = np.concatenate(([0], np.sort(rng.integers(0, len(values), len(offsets) - 2)), [len(values)]))
    known = {"keys": keys, "levels": rng.normal(size=len(keys)), "counts": counts, "sought": sought, "sought_offsets": cuts}
    return known | {"side": int(nulls), "clamps": int(nulls), "slots": np.zeros(TOGETHER, np.int64)}


def firsts_of(offsets, valid, rng):
    """The first item of some groups of each row, -1 for a null."""
    found = np.full(len(valid), -1)
    for begin, end in itertools.pairwise(offsets):
        first = {}
        for item in np.arange(begin, end)[valid[begin:end]]:
            found[item] = first.setdefault(int(rng.integers(4)), item)
    return found


def arguments_of(loop, type, told, rng):
    """Valid arguments under the names of the docstring; each number and each array that is read is one of those named here."""
    values, offsets = ugly(type, rng)
    nulls = bool(told)
    room = len(values) + len(offsets)
    low = {"f": -np.inf}.get(values.dtype.kind, np.iinfo(values.dtype).min if values.dtype.kind in "iu" else 0)
    is_rising = "min" in loop.name or loop.name == "short_sort"
    high = {"f": np.inf}.get(values.dtype.kind, np.iinfo(values.dtype).max if values.dtype.kind in "iu" else 0)
    n = len(values)
    valid = rng.random(n) < 0.7 if nulls else np.ones(n, np.bool_)
    known = {
        "values": values,
        "x": values,
        "y": values[::-1].copy(),
        "known": values[-4:].copy(),
        "divisors": values[rng.permutation(n)],
        "by_number": int(nulls),
        "step": 7,
        "shift": 3,
        "origin": 5,
        "limit": 7 << 51,
        "from_end": int(nulls),
        "n": n,
        "limits": np.array([0, 1, 2**20, -0.5], values.dtype) if values.dtype.kind == "f" else None,
        "data": rng.integers(97, 100, 3 * n).astype("u1"),
        "cuts": np.concatenate(([0], np.sort(rng.integers(0, 3 * n, n - 1)), [3 * n])),
        "table": np.full(8192, -1),
        "mask": 8191,
        "size": 3 * n,
        "skip": 3,
        "nodes": rng.integers(0, 9, n),
        "hashes": np.zeros(n, np.uint64),
        "places": np.maximum(np.diff(offsets) - 1, 0) // 2,
        "scratch": np.zeros_like(values),
        "sample": np.zeros(SAMPLE, values.dtype),
        "scale": np.array([-0.7, -np.inf, 0], values.dtype) if values.dtype.kind == "f" else None,
        "valid": {False: None, True: valid.view(np.uint8), "bits": np.packbits(valid, bitorder="little")}[told],
        "ones": valid.astype(np.float64),
        "offsets": offsets,
        "first": 0,
        "last": len(offsets) - 1,
        "loser": np.array([high if is_rising else low, np.nan if values.dtype.kind == "f" else 0, 0], values.dtype),
    }
    names = names_of(loop)
    if loop.name == "is_not_utf8":
        known |= {"data": np.frombuffer("aé数😀".encode() * n + b"\xff" * nulls, np.uint8), "first": 10, "last": 10 * n + nulls}
    elif loop.name.startswith("piece_"):
        known |= {"last": n, "mean": 0.25}
    elif loop.name in ("select", "scattered_min", "scattered_max"):
        known["values"] = np.nan_to_num(values)
    elif "ones" in names:
        known["values"] = np.where(valid, values, 0)
    if loop.name.startswith("noted_"):
        idle = np.array([1], np.int64)
        known |= {"bits": values, "idle": idle, "n_idle": 1, "turn": 2**63 - 1, "row": 5, "notes": np.array([0, -1, 0, -1, -1])}
    known |= arguments_of_moves(loop, told, values, offsets, known["cuts"], firsts_of(offsets, valid, rng), rng)
    known |= arguments_of_windows(loop, values, offsets, nulls, rng)
    if loop.name == "combined":
        state = {"state": np.zeros(n, "u1"), "state_y": np.zeros(n, "u1"), "items": np.zeros(2 * n + 1, np.int64)}
        ways = {"of_x": 1 + 2 * nulls, "of_y": 1, "ends": np.zeros(len(offsets), np.int64), "valid_y": known["valid"]}
        known |= {"offsets_y": offsets} | state | ways
    if "sought" in names:
        known |= arguments_of_search(loop, values, offsets, nulls, rng)
    codes = {"item": values.dtype.str[1:], "wide": wide_type(type)}
    arguments = []
    for name, kind in zip(names, loop.arguments, strict=True):
        assert name in known or (name in OUTPUTS and kind.endswith("*")), f"{loop.name} has no {name} in this test"
        code = codes.get(kind.rstrip("*"), kind.rstrip("*"))
        arguments.append(known[name] if name in known else np.zeros(room, code))
        assert arguments[-1] is None or kind[-1] != "*" or arguments[-1].dtype == code, f"{name} of {loop.name} must be {code}"
    return arguments


def copies(arguments):
    return [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]


def some_types(loop):
    """One type of each kind of arithmetic, and one more that depends on the name: compiling takes up to two seconds per type."""
    kinds = {type[0]: type for type in sorted(loop.types, key=lambda type: (type[0] != "f", type))}  # floats first; the widest
    rest = sorted(set(loop.types) - set(kinds.values()))
    return [*kinds.values(), *rest[zlib.crc32(loop.name.encode()) % len(rest) :][:1]] if rest else [*kinds.values()]


WAYS = [(name, nulls) for name in sorted(LOOPS) for nulls in LOOPS[name].nulls]


@pytest.mark.parametrize(("name", "nulls"), WAYS)
def test_a_loop_gives_the_same_bits_compiled_and_interpreted(name, nulls, compiled_once, monkeypatch):
    forget(monkeypatch)
    for type in some_types(LOOPS[name])[: 1 if IS_COVER else None]:
        compare_bits(LOOPS[name], type, nulls)


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize(("name", "nulls"), WAYS)
def test_a_loop_gives_the_same_bits_for_all_other_types(name, nulls, compiled_once, monkeypatch):
    forget(monkeypatch)
    for type in set(LOOPS[name].types) - set(some_types(LOOPS[name])):
        compare_bits(LOOPS[name], type, nulls)


def compare_bits(loop, type, nulls):
    rng = np.random.default_rng(sum(map(ord, type)))
    arguments = arguments_of(loop, type, nulls, rng)
    expected, got = copies(arguments), copies(arguments)
    with np.errstate(all="ignore"):
        by_python = loop.make(type[0], nulls)(*expected)
    with options(compile="always"):
        function = compiled.find(loop.name, np.dtype("?" if type == "b1" else type), nulls)
    assert function is not None, f"{loop.name} does not compile for {type}"
    assert function(*got) == by_python
    for one, two in zip(expected, got, strict=True):
        if isinstance(one, np.ndarray):
            kind = np.float16 if loop.name == "calculated_halves" else one.dtype  # float16 comes as words
            assert bits(one.view(kind)).tobytes() == bits(two.view(kind)).tobytes(), f"{loop.name} of {type}"


@pytest.mark.parametrize("type", ["f8", "f4", "i8", "u1"])
def test_each_comparison_gives_the_same_bits(type, compiled_once, monkeypatch):
    forget(monkeypatch)
    values, _ = ugly(type, np.random.default_rng(0))
    with options(compile="always"):
        function = compiled.find("compared", values.dtype, False)
    for name, wanted in comparisons.WANTED.items():
        for number in np.unique(values)[[0, 1, 2, -3, -2, -1]]:
            out = np.zeros(len(values) // 8 + 1, "u1")
            function(values, np.array([number]), wanted, 3, len(values) - 2, out)
            flags = getattr(np, name)(values[3:-2], number)
            assert out[:-1].tolist() == np.packbits(flags, bitorder="little").tolist(), f"{name} {number}"
            assert out[-1] == 0


@pytest.mark.parametrize(
    "words",
    [np.arange(1000.0), np.arange(1000), np.arange(1000) << 40, np.char.encode([f"word{k:04}" for k in range(1000)], "ascii")],
    ids=["whole floats", "integers", "high bits", "text"],
)
def test_words_that_differ_in_few_bits_are_spread_over_the_slots_of_a_table(words):
    with np.errstate(over="ignore"):
        slots = {int(slot_of(word, np.uint64(2047))) for word in words.view(np.uint64)}
    assert len(slots) > 700  # as many as random slots would be, within 10 %


def test_types_of_sums_and_of_arguments():
    import numba

    assert {type: wide_type(type) for type in ITEM_TYPES} == {
        "b1": "i8",
        **dict.fromkeys(("i1", "i2", "i4", "i8"), "i8"),
        **dict.fromkeys(("u1", "u2", "u4", "u8"), "u8"),
        **dict.fromkeys(("f4", "f8"), "f8"),
    }
    types = numba.types
    for kind, type, expected in [
        ("item", "i2", types.int16),
        ("item", "b1", types.uint8),
        ("wide", "i2", types.int64),
        ("wide", "u1", types.uint64),
        ("wide", "f4", types.float64),
        ("item*", "f4", types.CPointer(types.float32)),
        ("wide*", "b1", types.CPointer(types.int64)),
        ("b1*", "f8", types.CPointer(types.uint8)),
        ("u8", "f8", types.uint64),
        ("f8", "i1", types.float64),
    ]:
        assert compiler._argument(kind, type) == expected


def test_a_loop_is_made_for_the_kind_of_its_items(monkeypatch):
    made = []
    monkeypatch.setattr(compiler, "_object_of", lambda function, arguments: (function, arguments))
    loop = loop_named("sum")._replace(make=lambda kind, nulls: made.append((kind, nulls)), arguments=("item*", "i8"))
    for type, nulls in (("f4", True), ("u8", False)):
        assert compiler.compile_loop(loop, Variant("sum", type, nulls))[1] == [
            compiler._argument("item*", type),
            compiler._argument("i8", type),
        ]
    assert made == [("f", True), ("u", False)]


def test_arguments_of_functions_at_an_address():
    import ctypes

    found = compiler.as_function(1, ("f8*", "i8", "f8", "u8", "u1*"))
    assert found.restype is ctypes.c_int32
    pointer = ctypes.c_void_p
    assert found.argtypes == (pointer, pointer, pointer, ctypes.c_int64, ctypes.c_double, ctypes.c_uint64, pointer)
    with pytest.raises(KeyError, match="i4"):
        compiler.as_function(1, ("i4",))


@pytest.mark.parametrize(
    ("triple", "features", "able"),
    [
        ("x86_64-unknown-linux-gnu", "+sse,+fma,+avx", True),
        ("x86_64-unknown-linux-gnu", "+sse,-fma,+fma4", False),
        ("aarch64-unknown-linux-gnu", "+neon", True),
        ("arm64-apple-darwin", "", True),
        ("riscv64-unknown-linux-gnu", "+m", False),
    ],
)
def test_processors_that_multiply_and_add_at_once(triple, features, able, monkeypatch):
    monkeypatch.setattr(compiler, "_processor", lambda: (triple, "name", features))
    assert compiler.has_multiply_add.__wrapped__() is able


def _module(*declared):
    """Return a stand-in for a module of llvmlite that declares functions and defines one."""
    functions = [SimpleNamespace(name=name, is_declaration=True) for name in declared]
    return SimpleNamespace(functions=[*functions, SimpleNamespace(name="mine", is_declaration=False)])


def test_objects_call_mathematics_and_memory_of_c_alone():
    mathematics = ("exp", "expf", "log", "logf", "sin", "cos", "pow", "sqrt", "sqrtf")
    memory = ("memset", "memcpy", "memmove")
    compiler._check_symbols(_module(*mathematics, *memory, "llvm.fma.f64"))
    with pytest.raises(JagTypeError, match=r"a loop may not allocate or raise, but calls NRT_incref, malloc$"):
        compiler._check_symbols(_module(*mathematics, "malloc", "NRT_incref"))


def test_words_are_read_and_written_at_any_address():
    import ctypes

    import numba

    def copy(data, place, target):
        store_word(data, target, load_word(data, place))
        return 0

    def check(function):
        data = np.arange(40, dtype=np.uint8)
        expected = data.copy()
        expected[21:29] = data[3:11]
        function(data)
        assert data.tolist() == expected.tolist()

    check(lambda data: copy(data, 3, 21))
    teach_numba.__wrapped__()  # as in a process that has not compiled yet
    types = numba.types
    compiled_copy = numba.cfunc(types.int64(types.CPointer(types.uint8), types.int64, types.int64), nopython=True)(copy)
    check(lambda data: compiled_copy.ctypes(data.ctypes.data_as(ctypes.POINTER(ctypes.c_uint8)), 3, 21))
    code = compiled_copy.inspect_llvm()
    assert len(re.findall(r"load i64, ptr \S+, align 1\b", code)) == 1
    assert len(re.findall(r"store i64 \S+, ptr \S+, align 1\b", code)) == 1


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("arrowjag._kernels.compiled.loop", "arrowjag/_kernels/compiled/loop.py"),
        ("arrowjag._kernels.compiled.loop.SAMPLE", "arrowjag/_kernels/compiled/loop.py"),
        ("arrowjag.errors", "arrowjag/errors.py"),
        ("arrowjag._kernels.compiled", None),
        ("arrowjag", None),
        ("numpy.typing", None),
    ],
)
def test_the_file_that_defines_a_name(name, file):
    found = sources._file_of(name)
    assert (None if found is None else found.relative_to(sources._ROOT).as_posix()) == file


def test_names_in_a_source():
    text = b"from arrowjag._kernels.compiled.loop import loop\nimport arrowjag . errors\nx = arrowjag._kernels . strategy\n"
    assert sources._names_in(text) >= {"arrowjag._kernels.compiled.loop", "arrowjag.errors", "arrowjag._kernels.strategy"}


def test_types_without_a_loop():
    assert item_type(np.dtype(np.float16)) is None
    assert item_type(np.dtype(">f8")) is None
    assert {item_type(np.dtype("?" if code == "b1" else code)) for code in ITEM_TYPES} == set(ITEM_TYPES)


# ------------------------------------------------------------------------------------------------------ the cache


def test_code_is_compiled_once_and_then_loaded(cache, monkeypatch):
    assert find() is None
    assert sums(find("always")) == [3.5, 0.0, 4.0]
    before = object_file(cache).stat().st_mtime_ns
    forget(monkeypatch)
    monkeypatch.setattr(library, "compile_now", lambda _: pytest.fail("compiled again"))
    assert sums(find()) == [3.5, 0.0, 4.0]
    assert object_file(cache).stat().st_mtime_ns == before


def test_many_calls_on_few_values_take_a_loop(cache, monkeypatch):
    def is_found(**options):
        return library.find_loop("sum", np.dtype(np.float64), False, 10, **options) is not None

    find("always")
    forget(monkeypatch)
    monkeypatch.setattr(library, "_asked", {})
    with options(compile="auto"), strategy.force(LOADING_VALUES=30, COUNTED_VALUES=1):
        assert [is_found(often=True) for _ in range(4)] == [False, False, True, True]
        assert not is_found()
        with options(compile="never"):
            assert not is_found(often=True)


def test_many_calls_on_few_values_let_a_loop_be_compiled(cache, monkeypatch):
    requested = []
    monkeypatch.setattr(library, "_asked", {})
    monkeypatch.setattr(background, "request", lambda variant: requested.append(variant) or True)
    with options(compile="auto"), strategy.force(LOADING_VALUES=15, COUNTED_VALUES=1):
        for wanted in (0, 0, 1, 1, 1, 2):
            assert library.find_loop("sum", F8, False, 5, often=True) is None
            assert len(requested) == wanted


def test_values_of_several_calls_add_up_until_a_loop_is_compiled(cache, monkeypatch):
    requested = []
    monkeypatch.setattr(library, "_missed", {})
    monkeypatch.setattr(background, "request", lambda variant: requested.append(variant) or True)
    with options(compile="auto"), strategy.force(COMPILED_VALUES=10, COMPILING_VALUES=250):
        for dtype, n, wanted in (
            ("f8", 100, 0),
            ("f8", 100, 0),
            ("f4", 200, 0),
            ("f8", 9, 0),
            ("f8", 100, 1),
            ("f8", 100, 2),
            ("f4", 50, 3),
        ):
            assert library.find_loop("sum", np.dtype(dtype), False, n) is None
            assert len(requested) == wanted
    assert requested == ["sum-f8-plain", "sum-f8-plain", "sum-f4-plain"]


def test_never_takes_no_machine_code(cache):
    find("always")
    assert find("never") is None
    assert find() is not None


@pytest.mark.parametrize("damage", ["empty", "cut", "longer", "flipped", "header"])
def test_a_damaged_file_counts_as_absent(damage, cache, monkeypatch):
    find("always")
    path = object_file(cache)
    data = bytearray(path.read_bytes())
    if damage == "empty":
        data = bytearray()
    elif damage == "cut":
        del data[-1]
    elif damage == "longer":
        data += b"\0"
    else:
        data[len(data) // 2 if damage == "flipped" else 20] ^= 1
    path.write_bytes(data)
    forget(monkeypatch)
    assert find() is None
    forget(monkeypatch)
    assert sums(find("always")) == [3.5, 0.0, 4.0]


def test_code_of_another_function_under_this_name_is_not_run(cache, monkeypatch):
    find("always")
    with options(compile="always"):
        compiled.find("sum", np.dtype(np.float32), False)
    object_file(cache).write_bytes(object_file(cache, Variant("sum", "f4", False)).read_bytes())
    forget(monkeypatch)
    assert find() is None


@pytest.mark.parametrize(("place", "changed"), [(compiler, "describe"), (library, "_versions"), (sources, "source_of")])
def test_code_of_another_processor_version_or_source_is_not_run(place, changed, cache, monkeypatch):
    find("always")
    forget(monkeypatch)
    monkeypatch.setattr(place, changed, lambda *_: "x")
    assert find() is None


def test_code_of_sources_that_may_not_be_those_of_this_process_is_not_run(cache, monkeypatch):
    """An upgrade replaces files while processes run. Programs are shipped without sources, which tell versions apart."""
    find("always")
    monkeypatch.setattr(library, "compile_now", lambda _: pytest.fail("compiled"))
    for attribute, other in (("_IMPORTED", []), ("_ROOT", cache)):
        with monkeypatch.context() as patch:
            patch.setattr(sources, attribute, other)
            sources.source_of.cache_clear()
            forget(monkeypatch)
            assert find() is None
            assert find("always") is None
    forget(monkeypatch)
    assert find() is not None


def test_a_file_that_replaces_another_is_seen(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "_HERE", tmp_path)
    (tmp_path / "loops").mkdir()
    states = [sources._state()]
    for name, text in (("a.py", "a"), ("loops/b.py", "b"), ("a.py", "ab"), ("loops/b.py", "c")):
        (tmp_path / "new").write_text(text)
        os.utime(tmp_path / "new", (1, 1))
        (tmp_path / "new").replace(tmp_path / name)
        states.append(sources._state())
    (tmp_path / "a.txt").write_text("")
    assert sources._state() == states[-1]
    assert all(one != other for one, other in itertools.combinations(states, 2))
    monkeypatch.setattr(sources, "_HERE", tmp_path / "archive.zip")
    assert sources._state() == []


def test_files_that_others_may_write_are_not_run(cache, monkeypatch):
    find("always")
    object_file(cache).chmod(0o666)
    forget(monkeypatch)
    assert find() is None


def test_without_a_folder_code_stays_in_memory(cache, monkeypatch):
    blocked = cache / "file"
    blocked.write_text("")
    for name in ("ARROWJAG_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(blocked / "below"))
    assert sums(find("always")) == [3.5, 0.0, 4.0]
    monkeypatch.setattr(library, "_loaded", {})
    monkeypatch.setattr(library, "compile_now", lambda _: pytest.fail("compiled again"))
    assert sums(find()) == [3.5, 0.0, 4.0]


def test_a_full_disk_raises_no_error(cache, monkeypatch):
    class Full:
        def __init__(self, descriptor, mode):
            self.descriptor = descriptor

        def __enter__(self):
            return self

        def __exit__(self, *_):
            os.close(self.descriptor)

        def write(self, data):
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(objects.os, "fdopen", Full)
    assert sums(find("always")) == [3.5, 0.0, 4.0]
    assert list(cache.iterdir()) == []


def test_a_read_only_folder_serves_what_it_holds(cache, monkeypatch):
    find("always")
    other = cache / "other"
    monkeypatch.setenv("ARROWJAG_CACHE_DIR", os.pathsep.join((str(other), str(cache))))
    monkeypatch.setattr(objects, "writable_folder", lambda: None)
    forget(monkeypatch)
    assert sums(find()) == [3.5, 0.0, 4.0]


def test_a_failed_compilation_is_not_repeated(cache, monkeypatch):
    def fail(*_):
        raise RuntimeError("LLVM ERROR")

    monkeypatch.setattr("arrowjag._kernels.compiled.compiler.compile_loop", fail)
    assert find("always") is None
    forget(monkeypatch)
    monkeypatch.setattr("arrowjag._kernels.compiled.compiler.compile_loop", lambda *_: pytest.fail("tried again"))
    assert find("always") is None
    assert find(worth=True) is None
    assert "LLVM ERROR" in next(cache.glob("*.failed")).read_text()


@pytest.mark.parametrize("error", [MemoryError, ImportError, OSError, RecursionError, UserWarning])
def test_a_failure_of_the_system_is_not_remembered(error, cache, monkeypatch):
    def fail(*_):
        raise error("no loop is to blame")

    with monkeypatch.context() as patch:
        patch.setattr("arrowjag._kernels.compiled.compiler.compile_loop", fail)
        assert find("always") is None
    assert list(cache.iterdir()) == []
    forget(monkeypatch)
    assert find("always") is not None


@pytest.mark.parametrize("stand_in", [None, ModuleType("numba")], ids=["absent", "another module"])
def test_numba_that_can_not_be_imported_is_not_remembered(stand_in, cache, monkeypatch):
    # numba raises an ImportError for a version of numpy, and an AttributeError after an interrupted import.
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "numba", stand_in)
        assert find("always") is None
        patch.setattr(library, "can_compile", lambda: True)
        with pytest.raises(JagValueError, match=r"^compile: numba compiles nothing here: \w+Error: .*numba"):
            next(library.compile_all())
    assert list(cache.iterdir()) == []
    forget(monkeypatch)
    assert find("always") is not None


def test_failures_of_a_compiler_that_is_turned_off_are_not_remembered(cache, monkeypatch):
    """NUMBA_DISABLE_JIT, which is set to debug one's own functions, makes the compilation of some loops fail."""
    import numba

    for is_off in (True, False):
        monkeypatch.setattr(numba.config, "DISABLE_JIT", is_off)
        monkeypatch.setattr(compiler, "compile_loop", lambda *_: Variant.parse("a loop"))
        forget(monkeypatch)
        assert find("always") is None
        assert len([*cache.iterdir()]) == (not is_off)


def test_failures_after_an_interrupt_are_not_remembered(cache, monkeypatch):
    def fail(*_):
        raise errors.pop(0)

    errors = [KeyboardInterrupt(), AttributeError("partially initialized module")]
    with monkeypatch.context() as patch:
        patch.setattr("arrowjag._kernels.compiled.compiler.compile_loop", fail)
        with pytest.raises(KeyboardInterrupt):
            find("always")
        assert find("always") is None
    assert list(cache.iterdir()) == []
    forget(monkeypatch)
    assert find("always") is not None


# ------------------------------------------------------------------------------------------------------ in the background


def test_another_process_compiles_a_loop_while_numpy_computes(cache):
    assert find() is None  # not worth it: no process
    assert list(cache.iterdir()) == []
    assert find(worth=True) is None
    assert compiled_within(60)
    assert sums(find()) == [3.5, 0.0, 4.0]


def test_a_compiler_that_is_killed_leaves_no_code_and_no_error(cache, monkeypatch):
    assert find(worth=True) is None
    background._running[0].send_signal(signal.SIGKILL)
    assert compiled_within(30)
    assert list(cache.glob("*.jagobj")) == []
    assert find(worth=True) is None  # tried once in this process
    forget(monkeypatch)
    assert find(worth=True) is None
    assert compiled_within(60)
    assert sums(find()) == [3.5, 0.0, 4.0]


def test_no_process_may_be_started(cache, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(background.subprocess, "Popen", refuse)
    assert find(worth=True) is None
    assert find(worth=True) is None


@pytest.mark.parametrize("fault", ["no lock", "no locks", "no fcntl", "none"])
def test_loops_are_compiled_where_the_folder_can_not_be_locked(fault, cache, monkeypatch):
    """A network may have no locks, and the file may be of another user."""
    fcntl = pytest.importorskip("fcntl")
    compiled_here, waited = [], []

    def lock(*_):
        waited.append(fault)
        if fault == "no locks":
            raise OSError(errno.ENOLCK, "No locks available")

    if fault == "no lock":
        (cache / "compiling.lock").mkdir()
    monkeypatch.setattr(fcntl, "flock", lock)
    monkeypatch.setitem(sys.modules, "fcntl", None if fault == "no fcntl" else fcntl)
    monkeypatch.setattr(os, "nice", lambda _: None)
    monkeypatch.setattr(library, "compile_now", compiled_here.append)
    assert main([str(SUM)]) == 0
    assert compiled_here == [SUM]
    assert waited == ([fault] if fault in ("no locks", "none") else [])


def test_a_process_that_outlives_its_caller_leaves_no_warning(cache):
    code = """
import numpy as np
from arrowjag._kernels import compiled, strategy
compiled.find("sum", np.dtype(float), False, strategy.sizes.COMPILING_VALUES)
from arrowjag._kernels.compiled import background
assert background._running is not None
"""
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(p for p in sys.path if p))
    command = [sys.executable, "-W", "always::ResourceWarning", "-c", code]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=True)
    assert "ResourceWarning" not in ended.stderr
    for _ in range(1200):  # the process goes on, and keeps its code
        if object_file(cache).exists():
            break
        time.sleep(0.05)
    assert object_file(cache).exists()


TWO_PROCESSES = """
import numpy as np
from arrowjag import options
from arrowjag._kernels import compiled
with options(compile="always"):
    loop = compiled.find("sum", np.dtype(float), False)
out = np.empty(1)
loop(np.arange(4.0), None, np.array([0, 4]), 0, 1, out)
print(out[0])
"""


def test_two_processes_compile_at_once(cache):
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(p for p in sys.path if p))
    both = [
        subprocess.Popen([sys.executable, "-c", TWO_PROCESSES], env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    assert [process.communicate(timeout=120)[0].strip() for process in both] == ["6.0", "6.0"]
    assert len(list(cache.glob("*.jagobj"))) == 1
    assert list(cache.glob(".*.tmp")) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_runs_loaded_code(cache):
    function = find("always")
    pid = os.fork()
    if pid == 0:
        os._exit(0 if sums(function) == [3.5, 0.0, 4.0] else 1)
    assert os.waitpid(pid, 0)[1] == 0


def test_a_warm_process_does_not_import_numba(cache):
    find("always")
    code = TWO_PROCESSES.replace('with options(compile="always"):', "if True:") + "import sys; print('numba' in sys.modules)"
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(p for p in sys.path if p))
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True, timeout=60)
    assert run.stdout.split() == ["6.0", "False"]


def test_an_interpreter_without_site_asserts_and_docstrings_loads_code(cache):
    find("always")
    code = TWO_PROCESSES.replace('with options(compile="always"):', "if True:")
    code += "import arrowjag as aj\nprint(aj.array([[1.0, 2.0], []]).sum().to_list(), aj.array.__doc__)"
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(p for p in sys.path if p))
    command = [sys.executable, "-S", "-OO", "-c", code]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=60)
    assert (run.stdout.split("\n"), run.stderr) == (["6.0", "[3.0, 0.0] None", ""], "")


def test_a_loop_first_loaded_while_the_interpreter_exits_leaves_no_message(cache):
    """llvmlite would dispose of the code after its own modules are gone."""
    find("always")
    code = "import atexit\n@atexit.register\ndef at_exit():\n" + textwrap.indent(TWO_PROCESSES, "    ")
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(p for p in sys.path if p))
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True, timeout=60)
    assert (run.stdout.split(), run.stderr) == (["6.0"], "")


def test_polars_is_not_loaded_for_what_loops_do(cache):
    code = """
import sys
import numpy as np
import arrowjag as aj
aj.options.compile = sys.argv[1]
x = aj.from_sizes(np.ones(2_000_000), np.full(200_000, 10))
x.cumsum()
x.sum()
print("polars" in sys.modules)
"""
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(p for p in sys.path if p))

    def loads_polars(mode):
        command = [sys.executable, "-c", code, mode]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=120).stdout.strip()

    assert loads_polars("always") == "False"
    assert loads_polars("never") == str(importlib.util.find_spec("polars") is not None)


# ------------------------------------------------------------------------------------------------------ ahead of time


def test_everything_is_compiled_ahead_of_time(cache, monkeypatch):
    monkeypatch.setattr(library, "variants", lambda: [SUM, Variant("argmax", "i4", True)])
    folder = cache / "image"
    assert [one.state for one in library.compile_all(folder)] == ["compiled", "compiled"]
    assert [one.state for one in library.compile_all(folder)] == ["there", "there"]
    monkeypatch.setenv("ARROWJAG_CACHE_DIR", str(folder))
    assert sums(find()) == [3.5, 0.0, 4.0]
    blocked = cache / "file"
    blocked.write_text("")
    with pytest.raises(JagValueError, match="can't be written by this user alone; name one with --folder"):
        next(library.compile_all(blocked / "below"))


# ------------------------------------------------------------------------------------------------------ the option


def test_the_option_is_checked_and_restored():
    with pytest.raises(JagValueError, match=r"options\.compile must be 'auto', 'always' or 'never', got 'fast'"):
        options.compile = "fast"
    with options(compile="never") as found:
        assert found.compile == "never"
    assert options.compile == "never"  # as the suite sets it
    options.compile = "auto"
    assert repr(options) == "arrowjag.options(compile='auto')"


def test_blocks_of_threads_that_end_in_another_order_leave_no_value_behind():
    first, second = options(compile="never"), options(compile="always")
    options.compile = "auto"
    first.__enter__()
    second.__enter__()
    assert options.compile == "always"
    first.__exit__(None, None, None)
    assert options.compile == "always"
    second.__exit__(None, None, None)
    assert options.compile == "auto"


# ------------------------------------------------------------------------------------------------------ what a key depends on


FOLDER = Path(library.__file__).parent
FUSED = Variant("fused:f8||||sum:f8:f8,0|1", "f8", False)


def keys():
    """The key of one function of each loop."""
    sources.source_of.cache_clear()
    every = [Variant(loop.name, loop.types[0], False) for loop in LOOPS.values()] + [FUSED]
    return {one.name: library.key_of(one).digest for one in every}


def of_modules(*stems):
    """The loops of some modules."""
    found = {name for name, loop in LOOPS.items() if loop.make.__module__.rsplit(".", 1)[-1] in stems}
    return found | ({FUSED.name} if "fused" in stems else set())


@pytest.fixture
def changed_keys(monkeypatch):
    """The names of the loops whose keys change when a file does."""
    before, read = keys(), sources.read

    def change(file, text, *others):
        texts = dict([(FOLDER / file, text), *((FOLDER / other, add) for other, add in others)])
        with monkeypatch.context() as patch:
            patch.setattr(sources, "read", lambda path: read(path) + texts.get(path, b""))
            after = keys()
        return {name for name in before if after[name] != before[name]}

    yield change
    sources.source_of.cache_clear()


@pytest.mark.parametrize("path", sorted((FOLDER / "loops").glob("*.py")), ids=lambda path: path.stem)
def test_a_change_of_a_file_of_loops_recompiles_its_loops_alone(path, changed_keys):
    texts = {one.stem: one.read_text("utf-8") for one in path.parent.glob("*.py")}
    users, asked = set(), [path.stem]
    while asked:  # those that import its helpers, and those that import theirs
        users.add(stem := asked.pop())
        asked += [name for name, text in texts.items() if f"loops.{stem} import" in text and name not in users]
    assert changed_keys(path, b"# changed") == of_modules(*users)


@pytest.mark.parametrize("file", ["loop.py", "words.py", "compiler.py"])
def test_a_change_of_the_compiler_recompiles_everything(file, changed_keys):
    assert changed_keys(file, b"# changed") == {*LOOPS, FUSED.name}


@pytest.mark.parametrize("file", ["objects.py", "library.py", "background.py", "sources.py", "__init__.py"])
def test_a_change_of_a_file_without_influence_on_loops_recompiles_none(file, changed_keys):
    assert changed_keys(file, b"# changed") == set()


IMPORT = b"\nfrom arrowjag._kernels.compiled.loops.text import text_is_first_distinct"


def test_a_loop_depends_on_what_it_imports(changed_keys):
    with_import = changed_keys("loops/order.py", IMPORT)
    assert with_import == of_modules("order")
    both = changed_keys(
        "loops/text.py",
        b"# changed",
        ("loops/order.py", IMPORT),
        ("loops/equality.py", b"\nimport " + b"arrowjag._kernels.compiled.loops.order"),
    )
    assert both == of_modules("text", "order", "equality", "sets")


@pytest.mark.parametrize(
    "unclear",
    [
        b"\nfrom .text import text_is_first_distinct",
        b"\nfrom . import text",
        b"\nimport importlib",
        b"\nfrom arrowjag._kernels.compiled.loops import text",
        b"\nimport arrowjag",
        b"\nfrom arrowjag . _kernels . compiled import loops",
    ],
)
def test_a_loop_whose_imports_are_unclear_depends_on_all_files(unclear, monkeypatch):
    read = sources.read
    own = FOLDER / "loops/order.py"
    monkeypatch.setattr(sources, "read", lambda path: read(path) + (unclear if path == own else b""))
    before = keys()
    other = FOLDER / "loops/text.py"
    monkeypatch.setattr(
        sources, "read", lambda path: read(path) + (unclear if path == own else b"# changed" if path == other else b"")
    )
    after = keys()
    sources.source_of.cache_clear()
    assert {name for name in before if after[name] != before[name]} == of_modules("order", "text")


@pytest.mark.parametrize("name", [*sorted(LOOPS), FUSED.name])
def test_all_that_a_loop_reads_from_our_modules_counts_for_its_key(name):
    """The modules that the module of a loop imports, directly and indirectly."""
    module = loop_named(name).make.__module__
    source = sources.source_of(module)
    todo, seen = [module], set()
    while todo:
        one = sys.modules[todo.pop()]
        if one.__name__ in seen or not one.__name__.startswith("arrowjag."):
            continue
        seen.add(one.__name__)
        assert Path(one.__file__).read_bytes() in source, one.__name__
        todo += [
            getattr(value, "__module__", None) or getattr(value, "__name__", "")
            for value in vars(one).values()
            if callable(value) or isinstance(value, type(sys))
        ]
        todo = [each for each in todo if each in sys.modules]
    assert len(seen) > 1


def test_a_variant_is_read_from_its_text() -> None:
    for name, type, nulls in (("sum", "f8", True), ("prod_integers", "i1", False), ("max", "f4", "bits")):
        variant = Variant(name, type, nulls)
        assert Variant.parse(str(variant)) == variant
    assert [str(Variant("sum", "f8", nulls)) for nulls in NULLS] == ["sum-f8-plain", "sum-f8-nulls", "sum-f8-bits"]


class _Compiling:
    """A process that ends when it is told to."""

    def __init__(self, variants: list[str]) -> None:
        self.variants = variants
        self.ended = False

    def poll(self) -> int | None:
        return 0 if self.ended else None


def test_the_next_process_compiles_all_loops_requested_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[_Compiling] = []

    def start(variants: list[str]) -> _Compiling:
        started.append(_Compiling(variants))
        return started[-1]

    for name, value in {"_running": None, "_waiting": set(), "_finished": set(), "_start": start}.items():
        monkeypatch.setattr(background, name, value)
    assert not background.is_pending("a")
    assert background.request("a")
    assert background.request("c")
    assert background.request("b")
    assert [one.variants for one in started] == [["a"]]
    assert background.is_pending("a")
    assert background.is_pending("b")
    assert not background.is_pending("d")
    started[0].ended = True
    assert not background.is_pending("a")
    assert background.is_pending("c")
    assert [one.variants for one in started] == [["a"], ["b", "c"]]
    assert not background.request("a")
    started[1].ended = True
    assert not background.is_pending("b")
    assert len(started) == 2


def test_no_loop_is_pending_if_no_process_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_variants: list[str]) -> None:
        raise OSError("no processes left")

    for name, value in {"_running": None, "_waiting": set(), "_finished": set(), "_start": refuse}.items():
        monkeypatch.setattr(background, name, value)
    assert not background.request("a")
    assert not background.is_pending("a")


@pytest.mark.parametrize(("attribute", "value"), [("frozen", True), ("executable", "")])
def test_frozen_programs_start_no_compiling_process(
    attribute: str, value: Any, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("numba")
    assert background.can_start()
    monkeypatch.setattr(sys, attribute, value, raising=False)
    assert not background.can_start()


def test_the_first_folder_that_takes_a_file_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked, shared, free = tmp_path / "blocked", tmp_path / "shared", tmp_path / "free" / "deeper"
    blocked.write_text("a file where a folder is asked for")
    shared.mkdir()
    shared.chmod(0o777)
    monkeypatch.setenv("ARROWJAG_CACHE_DIR", os.pathsep.join(map(str, (blocked / "below", shared, free))))
    assert not objects.is_writable(blocked / "below")
    if sys.platform != "win32":
        assert objects.writable_folder() == free
        assert free.stat().st_mode & 0o777 == 0o755
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setenv("ARROWJAG_CACHE_DIR", str(blocked / "below"))
    if sys.platform != "win32":
        assert objects.writable_folder() is None
