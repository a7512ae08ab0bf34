"""Frames of nested columns and packed sequences beside what users of other libraries run: `python -m benchmarks.nested`.

nest, query, filter and topk on pandas frames stand beside nested-pandas, those on polars frames beside polars' own expressions. Packing stands beside
`_pack_bfd` and `_pack_wrapped` of TRL where it is installed, else beside best fit decreasing as published, written with a sorted
list of spaces. Equal answers are asserted before anything is timed. Calls take turns in one process; the figure is CPU time, the
least of several turns.
"""

from __future__ import annotations

import argparse
import bisect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import arrowjag as aj
from benchmarks.turns import in_turn

__all__ = ["PAIRS", "main"]

Run = Callable[[], Any]
TURNS = 5
WIDTH = 4096


@dataclass(frozen=True)
class Pair:
    """A call of ours and a call of another library on the same data, and what of their results is compared."""

    name: str
    rival: str
    ours: Run
    theirs: Run
    ours_as: Callable[[Any], Any]
    theirs_as: Callable[[Any], Any]


# --------------------------------------------------------------------------------------------------- frames


def _light_curves(n_rows: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    draw = np.random.default_rng(3)
    sizes = draw.poisson(20, n_rows)
    n = int(sizes.sum())
    return sizes, {"t": draw.random(n), "flux": draw.normal(size=n), "band": draw.integers(0, 3, n)}


def _of_pandas(n_rows: int) -> list[Pair]:
    try:
        from nested_pandas import NestedFrame
    except ImportError:
        return []
    sizes, flat = _light_curves(n_rows)
    lists = {name: aj.from_sizes(values, sizes) for name, values in flat.items()}
    ours = pd.DataFrame({"k": np.arange(n_rows), **lists})
    rows = np.repeat(np.arange(n_rows), sizes)
    theirs = NestedFrame({"k": np.arange(n_rows)}).join_nested(pd.DataFrame(flat, index=rows), "s")
    nested = ours.jag.nest(*flat, into="s")
    plain = NestedFrame(
        {"k": np.arange(n_rows), **{name: pd.arrays.ArrowExtensionArray(_list(one)) for name, one in lists.items()}}
    )

    def of_ours(frame: Any) -> Any:
        return frame["s"].jag["t"].jag.values.to_pylist()

    def of_theirs(frame: Any) -> Any:
        return frame["s.t"].to_list()

    return [
        Pair(
            "nest",
            "nested-pandas",
            lambda: ours.jag.nest(*flat, into="s"),
            lambda: plain.nest_lists(list(flat), "s"),
            of_ours,
            of_theirs,
        ),
        Pair(
            "query",
            "nested-pandas",
            lambda: nested.jag.query("s.flux > 0.5 and s.band == 1"),
            lambda: theirs.query("s.flux > 0.5 and s.band == 1"),
            of_ours,
            of_theirs,
        ),
        Pair(
            "filter",
            "nested-pandas",
            lambda: nested.jag.filter(nested["s"].jag["t"] < 0.5, "s"),
            lambda: theirs.query("s.t < 0.5"),
            of_ours,
            of_theirs,
        ),
    ]


def _list(array: aj.JaggedArray) -> pa.Array:
    return array.to_arrow(extension=False).cast(pa.list_(array.type))


def _of_polars(n_rows: int) -> list[Pair]:
    sizes, flat = _light_curves(n_rows)
    frame = pl.DataFrame({name: aj.from_sizes(values, sizes).to_polars(extension=False) for name, values in flat.items()})
    nested = frame.jag.nest(*flat, into="s")

    def items(column: pl.Series) -> Any:
        return column.explode().to_list()

    def chosen(name: str) -> pl.Expr:
        order = pl.col("flux").list.eval(pl.element().arg_sort(descending=True).head(3))
        return pl.col(name).list.gather(order)

    return [
        Pair(
            "topk",
            "polars",
            lambda: frame.jag.topk(3, "flux", "t", "band"),
            lambda: frame.with_columns(chosen("t"), chosen("band")),
            lambda found: items(found["t"].list.drop_nulls()),
            lambda found: items(found["t"].list.drop_nulls()),
        ),
        Pair(
            "query of a struct",
            "polars",
            lambda: nested.jag.query("s.flux > 0.5"),
            lambda: nested.with_columns(pl.col("s").list.filter(pl.element().struct.field("flux") > 0.5)),
            lambda found: found["s"].list.len().to_list(),
            lambda found: found["s"].list.len().to_list(),
        ),
    ]


# --------------------------------------------------------------------------------------------------- sequences


def best_fit(rows: pa.ListArray, width: int) -> tuple[list[int], pa.Array]:
    """The sizes of packed rows and their tokens by best fit decreasing: the longest first, each where the least room is left."""
    lengths = rows.value_lengths().to_numpy()
    order = np.argsort(-lengths, kind="stable")
    spaces: list[tuple[int, int]] = []
    chosen, n_bins = [], 0
    for length in lengths[order].tolist():
        place = bisect.bisect_left(spaces, (length, -1))
        if place < len(spaces):
            space, one = spaces.pop(place)
        else:
            space, one, n_bins = width, n_bins, n_bins + 1
        chosen.append(one)
        bisect.insort(spaces, (space - length, one))
    taken = rows.take(pa.array(order[np.argsort(chosen, kind="stable")]))
    return sorted(width - space for space, _ in spaces), taken.flatten()


def _of_sequences(n_rows: int) -> list[Pair]:
    draw = np.random.default_rng(4)
    sizes = np.minimum(draw.geometric(1 / 400, n_rows), WIDTH)
    tokens = aj.from_sizes(draw.integers(0, 50_000, int(sizes.sum())), sizes)
    rows = _list(tokens)
    found = [
        Pair(
            "pack best_fit",
            "as published",
            lambda: aj.sequences.pack(tokens, WIDTH, strategy="best_fit"),
            lambda: best_fit(rows, WIDTH),
            lambda packed: sorted(packed.values.lengths().to_list()),
            lambda packed: packed[0],
        )
    ]
    try:
        from trl import data_utils
    except ImportError:
        return found
    table = pa.table({"input_ids": rows})

    def packed_sizes(result: Any) -> list[int]:
        return sorted(result["input_ids"].combine_chunks().value_lengths().to_pylist())

    return [
        *found,
        *(
            Pair(
                f"pack {strategy}",
                "TRL",
                lambda strategy=strategy: aj.sequences.pack(tokens, WIDTH, strategy=strategy),  # type: ignore[misc]  # a default binds
                lambda function=function: function(table, WIDTH),  # type: ignore[misc]  # a default binds
                lambda packed: sorted(packed.values.lengths().to_list()),
                packed_sizes,
            )
            for strategy, function in (("best_fit", data_utils._pack_bfd), ("wrapped", data_utils._pack_wrapped))
        ),
    ]


PAIRS: tuple[Callable[[int], list[Pair]], ...] = (_of_pandas, _of_polars, _of_sequences)
"""Each makes the pairs of one host for a number of rows."""


def main() -> None:
    """Run the script."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--turns", type=int, default=TURNS)
    options = parser.parse_args()
    print(f"{'CPU ms':22}{'ours':>10}{'theirs':>10}{'theirs / ours':>15}")
    for make in PAIRS:
        for pair in make(options.rows):
            assert pair.ours_as(pair.ours()) == pair.theirs_as(pair.theirs()), f"{pair.name}: not what {pair.rival} gives"
            (_, ours), (_, theirs) = in_turn([pair.ours, pair.theirs], options.turns)
            print(f"{pair.name:22}{ours * 1e3:10.2f}{theirs * 1e3:10.2f}{theirs / ours:15.1f}  {pair.rival}", flush=True)


if __name__ == "__main__":
    main()
