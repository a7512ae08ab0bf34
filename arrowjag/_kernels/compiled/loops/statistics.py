"""Deviations from the mean of each row: sums of their powers, and of the products of two columns'; items drawn at random."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import ITEM_TYPES, PIECE, loop
from arrowjag._kernels.compiled.loops.moments import distances_of, powers_of

u8: Any = np.uint64  # Any: numba infers the exact types, so annotations would add nothing
i8: Any = np.int64
f8: Any = np.float64

Function = Callable[..., int]


@loop("item* u1* i8* i8 i8 f8* f8* f8* f8*", ("f4", "f8"))
def central(kind: str, nulls: bool) -> Function:
    """(values, valid, offsets, first, last, counts, second, third, fourth): numbers of items, and sums of powers of the deviations.

    Deviations are taken from the first item of the row, then from the mean of these distances.
    """
    distances, powers = distances_of(nulls), powers_of(nulls)

    def function(values: Any, valid: Any, offsets: Any, first: Any, last: Any, counts: Any, m2: Any, m3: Any, m4: Any) -> int:
        for row in range(u8(first), u8(last)):
            begin, end = u8(offsets[row]), u8(offsets[row + u8(1)])
            n = end - begin
            start = begin
            if nulls:
                n = u8(0)
                for i in range(begin, end):
                    n += u8(valid[i])
                while start < end and valid[start] == 0:
                    start += u8(1)
            origin = f8(values[start]) if start < end else 0.0
            mean = distances(values, valid, begin, end, origin) / f8(n)
            sum2, sum3, sum4 = powers(values, valid, begin, end, origin, mean)
            counts[row] = f8(n)
            m2[row] = sum2
            m3[row] = sum3
            m4[row] = sum4
        return 0

    return function


@loop("item* item* u1* i8* i8 i8 f8* f8* f8* f8* f8* f8*", ("f4", "f8"))
def products(kind: str, nulls: bool) -> Function:
    """(x, y, valid, offsets, first, last, counts, mean_x, mean_y, xx, yy, xy): means, and sums of products of the deviations."""

    def function(
        x: Any,
        y: Any,
        valid: Any,
        offsets: Any,
        first: Any,
        last: Any,
        counts: Any,
        mean_x: Any,
        mean_y: Any,
        xx: Any,
        yy: Any,
        xy: Any,
    ) -> int:
        for row in range(u8(first), u8(last)):
            begin, end = u8(offsets[row]), u8(offsets[row + u8(1)])
            n = end - begin
            start = begin
            if nulls:
                n = u8(0)
                for i in range(begin, end):
                    n += u8(valid[i])
                while start < end and valid[start] == 0:
                    start += u8(1)
            origin_x = f8(x[start]) if start < end else 0.0
            origin_y = f8(y[start]) if start < end else 0.0
            total_x, total_y = 0.0, 0.0
            at = begin
            while at < end:
                stop = at + u8(PIECE) if end - at > u8(PIECE) else end
                piece_x, piece_y = 0.0, 0.0
                for i in range(at, stop):
                    one, two = f8(x[i]) - origin_x, f8(y[i]) - origin_y
                    if nulls:
                        one = one if valid[i] != 0 else 0.0
                        two = two if valid[i] != 0 else 0.0
                    piece_x += one
                    piece_y += two
                total_x += piece_x
                total_y += piece_y
                at = stop
            a, b = total_x / f8(n), total_y / f8(n)
            sum_xx, sum_yy, sum_xy = 0.0, 0.0, 0.0
            at = begin
            while at < end:
                stop = at + u8(PIECE) if end - at > u8(PIECE) else end
                piece_xx, piece_yy, piece_xy = 0.0, 0.0, 0.0
                for i in range(at, stop):
                    one, two = (f8(x[i]) - origin_x) - a, (f8(y[i]) - origin_y) - b
                    if nulls:
                        one = one if valid[i] != 0 else 0.0
                        two = two if valid[i] != 0 else 0.0
                    piece_xx += one * one
                    piece_yy += two * two
                    piece_xy += one * two
                sum_xx += piece_xx
                sum_yy += piece_yy
                sum_xy += piece_xy
                at = stop
            counts[row] = f8(n)
            mean_x[row] = origin_x + a
            mean_y[row] = origin_y + b
            xx[row] = sum_xx
            yy[row] = sum_yy
            xy[row] = sum_xy
        return 0

    return function


@loop("item* i8* i8 i8 f8* i8 i8 item*", tuple(type for type in ITEM_TYPES if type != "b1"))
def drawn(kind: str, nulls: bool) -> Function:
    """(values, offsets, first, last, draws, n, n_values, out): for each slot of some rows the item that a number from 0 to 1 draws.

    `draws` has n times as many numbers as there are values; `out` has n times as many items as these rows.
    """
    del kind, nulls

    def function(values: Any, offsets: Any, first: Any, last: Any, draws: Any, n: Any, n_values: Any, out: Any) -> int:
        at = u8(0)
        for k in range(u8(n)):
            for row in range(u8(first), u8(last)):
                begin, end = u8(offsets[row]), u8(offsets[row + u8(1)])
                size = f8(end - begin)
                for i in range(begin, end):
                    out[at] = values[begin + u8(draws[k * u8(n_values) + i] * size)]
                    at += u8(1)
        return 0

    return function
