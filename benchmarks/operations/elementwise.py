"""Item by item, the prefix rule included."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import arrowjag as aj
from benchmarks.case import ALL, FLOATS, NUMBERS, Case, ak, db, each, joined, kd, parents, pl, relist

CASES = [
    Case("nan_to_null", lambda d: d.x.nan_to_null(), dtypes=FLOATS),
    Case(
        "list_plus_list",
        lambda d: d.x + d.y,
        {
            "awkward": ak(lambda a, x, y: x + y, "x", "y"),
            "polars": pl(lambda p: p.col("x") + p.col("y")),
            "koladata": kd(lambda k, x, y: x + y, "x", "y"),
        },
        {"pyarrow": lambda d: relist(d, pc.add(d.x.values, d.y.values))},
        target=0.9,
        touched=joined,
    ),
    Case(
        "text_plus_text",
        lambda d: d.x + d.y,
        {"duckdb": db("list_transform(list_zip(x, y), lambda pair: pair[1] || pair[2])")},
        {"pyarrow": lambda d: relist(d, pc.binary_join_element_wise(d.x.values, d.y.values, pa.scalar("", d.x.type)))},
        dtypes=("string",),
        touched=joined,
    ),
    Case(
        "list_plus_number",
        lambda d: d.x + 1,
        {"awkward": ak(lambda a, x: x + 1, "x"), "polars": each(lambda e: e + 1), "koladata": kd(lambda k, x: x + 1, "x")},
        {"pyarrow": lambda d: relist(d, pc.add(d.x.values, pa.scalar(1, d.x.type)))},
    ),
    Case(
        "list_times_row",
        lambda d: d.x * d.w,
        {
            "awkward": ak(lambda a, x, w: x * w, "x", "w"),
            "polars": pl(lambda p: p.col("x") * p.col("w")),
            "koladata": kd(lambda k, x, w: x * w, "x", "w"),
            "duckdb": db("list_transform(x, lambda e: e * w)"),
        },
        {"pyarrow": lambda d: relist(d, pc.multiply(d.x.values, pc.take(d.w_arrow, pa.array(parents(d)))))},
        target=0.9,
    ),
    Case(
        "compare_row",
        lambda d: d.x > d.w,
        {
            "awkward": ak(lambda a, x, w: x > w, "x", "w"),
            "polars": pl(lambda p: (p.col("x") - p.col("w")).list.eval(p.element() > 0)),
        },
        target=1.7,
    ),
    Case("ndim3_times_ndim2", lambda d: d.z * d.u, {"awkward": ak(lambda a, z, u: z * u, "z", "u")}, target=2),
    Case(
        "divide",
        lambda d: d.x / d.y,
        {"awkward": ak(lambda a, x, y: x / y, "x", "y"), "polars": pl(lambda p: p.col("x") / p.col("y"))},
        dtypes=FLOATS,
        touched=joined,
    ),
    Case("floor_divide", lambda d: d.x // 3, {"awkward": ak(lambda a, x: x // 3, "x"), "polars": each(lambda e: e // 3)}),
    Case("remainder", lambda d: d.x % 3, {"awkward": ak(lambda a, x: x % 3, "x"), "polars": each(lambda e: e % 3)}),
    Case("power", lambda d: d.x**2, {"awkward": ak(lambda a, x: x**2, "x"), "polars": each(lambda e: e**2)}),
    Case("negative", lambda d: -d.x, {"awkward": ak(lambda a, x: -x, "x"), "polars": each(lambda e: -e)}),
    Case("abs", lambda d: d.x.abs(), {"awkward": ak(lambda a, x: abs(x), "x"), "polars": each(lambda e: e.abs())}),
    Case(
        "round",
        lambda d: d.x.round(2),
        {"awkward": ak(lambda a, x: a.round(x, 2), "x"), "polars": each(lambda e: e.round(2))},
        dtypes=FLOATS,
    ),
    Case("clip", lambda d: d.x.clip(0.2, 0.8), {"polars": each(lambda e: e.clip(0.2, 0.8))}, dtypes=FLOATS),
    Case(
        "sqrt",
        lambda d: np.sqrt(d.x),
        {"awkward": ak(lambda a, x: np.sqrt(x), "x"), "polars": each(lambda e: e.sqrt())},
        dtypes=FLOATS,
    ),
    Case("apply", lambda d: aj.apply("sqrt", d.x), {"polars": each(lambda e: e.sqrt())}, dtypes=FLOATS),
    Case("and", lambda d: d.mask & d.mask, {"awkward": ak(lambda a, m: m & m, "mask")}, dtypes=("float64",)),
    Case("invert", lambda d: ~d.mask, {"awkward": ak(lambda a, m: ~m, "mask")}, dtypes=("float64",)),
    Case(
        "where",
        lambda d: aj.where(d.mask, d.x, d.y),
        {"awkward": ak(lambda a, m, x, y: a.where(m, x, y), "mask", "x", "y")},
        dtypes=(*NUMBERS, "string"),
        touched=joined,
    ),
    Case(
        "coalesce",
        lambda d: aj.coalesce(d.x, d.y),
        {"koladata": kd(lambda k, x, y: x | y, "x", "y")},
        dtypes=(*NUMBERS, "string"),
        touched=joined,
    ),
    Case(
        "fill_null",
        lambda d: d.x.fill_null(0),
        {"awkward": ak(lambda a, x: a.fill_none(x, 0), "x"), "polars": each(lambda e: e.fill_null(0))},
    ),
    Case(
        "fill_null_of_text",
        lambda d: d.x.fill_null("unknown"),
        {"awkward": ak(lambda a, x: a.fill_none(x, "unknown"), "x"), "polars": each(lambda e: e.fill_null("unknown"))},
        dtypes=("string",),
    ),
    Case(
        "is_null",
        lambda d: d.x.is_null(),
        {"awkward": ak(lambda a, x: a.is_none(x, axis=1), "x"), "polars": each(lambda e: e.is_null())},
        dtypes=ALL,
    ),
    Case(
        "is_nan",
        lambda d: d.x.is_nan(),
        {"awkward": ak(lambda a, x: np.isnan(x), "x"), "polars": each(lambda e: e.is_nan())},
        dtypes=FLOATS,
    ),
    Case(
        "cast",
        lambda d: d.x.cast(pa.float32()),
        {"awkward": ak(lambda a, x: a.values_astype(x, np.float32), "x")},
        dtypes=("float64", "int32"),
    ),
    Case(
        "is_in_set",
        lambda d: d.k.is_in([1, 3, 5]),
        {"polars": pl(lambda p: p.col("k").list.eval(p.element().is_in([1, 3, 5])))},
        dtypes=("float64",),
    ),
    Case("is_in_rows", lambda d: d.k.is_in(d.slots), dtypes=("float64",)),
    Case(
        "contains",
        lambda d: d.k.contains(3),
        {"polars": pl(lambda p: p.col("k").list.contains(3)), "duckdb": db("list_contains(k, 3)")},
        dtypes=("float64",),
    ),
    Case("equals", lambda d: d.x == d.y, {"awkward": ak(lambda a, x, y: x == y, "x", "y")}, dtypes=NUMBERS, touched=joined),
    Case(
        "less",
        lambda d: d.x < d.y,
        {
            "awkward": ak(lambda a, x, y: x < y, "x", "y"),
            "duckdb": db("list_transform(list_zip(x, y), lambda pair: pair[1] < pair[2])"),
        },
        {"pyarrow": lambda d: relist(d, pc.less(d.x.values, d.y.values))},
        dtypes=(*NUMBERS, "date", "time", "timestamp", "duration", "decimal", "uint8", "float16"),
        touched=joined,
    ),
    Case(
        "maximum",
        lambda d: np.maximum(d.x, d.y),
        {"awkward": ak(lambda a, x, y: np.maximum(x, y), "x", "y")},
        dtypes=(*FLOATS, "float16"),
        touched=joined,
    ),
    Case(
        "text_equals",
        lambda d: d.x == d.y,
        {
            "awkward": ak(lambda a, x, y: x == y, "x", "y"),
            "duckdb": db("list_transform(list_zip(x, y), lambda pair: pair[1] = pair[2])"),
        },
        {"pyarrow": lambda d: relist(d, pc.equal(d.x.values, d.y.values))},
        dtypes=("string",),
        touched=joined,
    ),
    Case(
        "text_equals_one",
        lambda d: d.x == "word17",
        {"awkward": ak(lambda a, x: x == "word17", "x"), "polars": each(lambda e: e == "word17")},
        {"pyarrow": lambda d: relist(d, pc.equal(d.x.values, "word17"))},
        dtypes=("string",),
    ),
]
