"""Dense arrays and row takes against fbgemm_gpu, in one process: `python -m benchmarks.dense`.

Equal answers are asserted before anything is timed. CPU time stands beside wall time, because fbgemm's kernels use one thread and
ours all cores: on a busy machine the wall clock says little.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import arrowjag as aj
from benchmarks.runner import copy_seconds
from benchmarks.turns import in_turn


class Input:
    """Rows of 0 to 20 float32 items of a width, and a dense array that holds them all."""

    def __init__(self, n_rows: int, width: int) -> None:
        import torch

        draw = np.random.default_rng(0)
        self.width = width
        self.sizes = draw.integers(0, 21, n_rows)
        self.offsets = np.concatenate([[0], np.cumsum(self.sizes)])
        self.values = draw.random((int(self.offsets[-1]), width), dtype=np.float32)
        rows = aj.dims.from_offsets(self.offsets)
        shape = aj.JaggedShape(n_rows, rows) if width == 1 else aj.JaggedShape(n_rows, rows, width)
        self.x = aj.JaggedArray(shape, pa.array(self.values.reshape(-1)))
        self.y = self.x.to_dense((20,))
        self.rows = draw.permutation(n_rows)
        self.t_values, self.t_offsets, self.t_sizes, self.t_rows = map(
            torch.from_numpy, (self.values, self.offsets, self.sizes, self.rows)
        )
        self.t_y = torch.from_numpy(self.y.reshape(n_rows, 20, width))


@dataclass(frozen=True)
class Case:
    """One operation: ours, fbgemm's, and the bytes that must be read and written."""

    name: str
    ours: Callable[[Input], Any]
    rival: Callable[[Input], Any]
    touched: Callable[[Input], int]
    target: float = 3.0


def fb(name: str, *args: Any) -> Any:
    """A call of fbgemm."""
    import torch

    return getattr(torch.ops.fbgemm, name)(*args)


CASES = [
    Case(
        "to_dense",
        lambda d: d.x.to_dense((20,)),
        lambda d: fb("jagged_to_padded_dense", d.t_values, [d.t_offsets], [20], 0.0),
        lambda d: d.values.nbytes + d.y.nbytes,
    ),
    Case(
        "from_dense",
        lambda d: aj.dense.from_dense(d.y, d.x.shape),
        lambda d: fb("dense_to_jagged", d.t_y, [d.t_offsets], len(d.values))[0],
        lambda d: 2 * d.values.nbytes,
    ),
    Case(
        "add",
        lambda d: aj.dense.add(d.x, d.y, out="dense"),
        lambda d: fb("jagged_dense_elementwise_add", d.t_values, [d.t_offsets], d.t_y),
        lambda d: d.values.nbytes + 2 * d.y.nbytes,
    ),
    Case(
        "add_jagged",
        lambda d: aj.dense.add(d.x, d.y),
        lambda d: fb("jagged_dense_elementwise_add_jagged_output", d.t_values, [d.t_offsets], d.t_y)[0],
        lambda d: 3 * d.values.nbytes,
    ),
    Case(
        "mul",
        lambda d: aj.dense.mul(d.x, d.y),
        lambda d: fb("jagged_dense_elementwise_mul", d.t_values, [d.t_offsets], d.t_y)[0],
        lambda d: 3 * d.values.nbytes,
    ),
    Case(
        "softmax",
        lambda d: aj.dense.softmax(d.x),
        lambda d: fb("jagged_softmax", d.t_values, d.t_offsets, 20)[0],
        lambda d: 2 * d.values.nbytes,
    ),
    Case(
        "row_take",
        lambda d: d.x[d.rows],
        lambda d: fb("jagged_index_select", d.t_values, d.t_sizes, d.t_rows)[0],
        lambda d: 2 * d.values.nbytes,
        target=10.0,
    ),
]


def same(ours: Any, theirs: Any) -> bool:
    """Equal up to rounding."""
    flat = ours.values.to_numpy() if isinstance(ours, aj.JaggedArray) else ours.reshape(-1)
    return bool(np.allclose(flat, theirs.numpy().reshape(-1), rtol=1e-5, atol=1e-6))


def main() -> None:
    """Measure and print."""
    import fbgemm_gpu  # noqa: F401 - registers its operators with torch

    parser = argparse.ArgumentParser(prog="python -m benchmarks.dense")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--widths", type=int, nargs="+", default=[1, 32])
    parser.add_argument("--only", nargs="+", default=None)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", type=Path, default=None)
    options = parser.parse_args()
    results = []
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    names = ("operation", "D", "ours ms", "cpu", "fbgemm ms", "cpu", "ratio", "cpu", "target", "copy")
    print("{:12}{:>4}{:>10}{:>8}{:>11}{:>8}{:>7}{:>6}{:>8}{:>6}".format(*names))
    for width in options.widths:
        small, data = Input(1000, width), Input(options.rows, width)
        for case in CASES:
            if options.only and case.name not in options.only:
                continue
            if not same(case.ours(small), case.rival(small)):
                raise AssertionError(f"{case.name}: other answers")
            ours, theirs = in_turn([partial(run, data) for run in (case.ours, case.rival)], options.runs)
            row = {
                "operation": case.name,
                "width": width,
                "ours_ms": ours[0] * 1e3,
                "ours_cpu_ms": ours[1] * 1e3,
                "fbgemm_ms": theirs[0] * 1e3,
                "fbgemm_cpu_ms": theirs[1] * 1e3,
                "ratio": theirs[0] / ours[0],
                "cpu_ratio": theirs[1] / ours[1],
                "target": case.target,
                "copy_ratio": ours[0] / copy_seconds(case.touched(data)),
            }
            results.append(row)
            print(
                "{operation:12}{width:4}{ours_ms:10.1f}{ours_cpu_ms:8.1f}{fbgemm_ms:11.1f}{fbgemm_cpu_ms:8.1f}{ratio:7.1f}"
                "{cpu_ratio:6.1f}{target:8.1f}{copy_ratio:6.1f}".format(**row),
                flush=True,
            )
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
