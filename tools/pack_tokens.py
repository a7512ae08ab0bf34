"""Pack any number of tokens in pieces, and count the tokens that are lost.

``python tools/pack_tokens.py 1000000000`` packs a billion tokens with each strategy, a batch at a time: rows of random lengths,
null and empty ones among them, as slices of a larger column. Each token is a number of its own, so one comparison per batch
after `unpack` tells whether a token is missing, doubled or out of place. The stream of `pack_batches` is compared token by
token too. Memory is that of one batch. The script ends with 1 if a token is lost.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

import arrowjag as aj

__all__ = ["main"]

STRATEGIES = ("wrapped", "first_fit", "best_fit", "split")


def batches(tokens: int, size: int, seed: int = 0) -> Iterator[aj.JaggedArray]:
    """Slices of columns of about `size` tokens, numbered from 0; together at least `tokens`."""
    draw = np.random.default_rng(seed)
    first = 0
    while first < tokens:
        rows = max(3, size // 160)
        sizes = np.minimum(draw.lognormal(4.5, 1.2, rows).astype(np.int64), 20_000)
        sizes[draw.random(rows) < 0.05] = 0
        offsets = np.append(0, np.cumsum(sizes))
        numbers = np.arange(first - sizes[0], first - sizes[0] + offsets[-1])
        null = draw.random(rows) < 0.02
        null[sizes > 0] = False
        column = pa.LargeListArray.from_arrays(pa.array(offsets), pa.array(numbers), mask=pa.array(null))
        x = aj.from_arrow(column.slice(1))
        yield x
        first += x.size


def lost_in(x: aj.JaggedArray, width: int) -> int:
    """Tokens that a strategy loses or moves, over all strategies."""
    lost = 0
    for strategy in STRATEGIES:
        packed = aj.sequences.pack(x, width, strategy)  # type: ignore[arg-type]
        back = packed.unpack()
        lost += 0 if back.shape == x.shape else x.size
        lost += int(np.count_nonzero(back.values.to_numpy() != x.values.to_numpy()))
        lost += abs(int(packed.values.shape.size) - x.size)
        lost += int(np.count_nonzero(np.asarray(packed.values.shape.dims[1].sizes) > width))
    return lost


def lost_in_stream(tokens: int, size: int, width: int) -> int:
    """Tokens that are missing or out of place in the stream of packed rows."""
    lost, first = 0, 0
    for packed in aj.sequences.pack_batches(batches(tokens, size), width):
        found = packed.values.values.to_numpy()
        lost += int(np.count_nonzero(found != np.arange(first, first + len(found))))
        first += len(found)
    return lost + abs(first - sum(one.size for one in batches(tokens, size)))


def main() -> int:
    """Run the script."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("tokens", type=int, nargs="?", default=1_000_000)
    parser.add_argument("--batch", type=int, default=5_000_000, help="tokens per batch")
    parser.add_argument("--width", type=int, default=4096)
    options = parser.parse_args()
    start = time.perf_counter()
    lost = total = 0
    for x in batches(options.tokens, options.batch):
        lost += lost_in(x, options.width)
        total += x.size
    lost += lost_in_stream(options.tokens, options.batch, options.width)
    seconds = time.perf_counter() - start
    print(f"{total:,} tokens, {len(STRATEGIES)} strategies and a stream: {lost} lost, {seconds:.0f} s")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
