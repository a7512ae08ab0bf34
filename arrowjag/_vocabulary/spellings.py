"""Names of operations in other libraries, and the equivalent calls of arrowjag, which errors about unknown names suggest.

In each call `x` is the array or the column's `.jag`. Methods of a column that an inner call returns follow another `.jag`, which
`on_arrays` removes. Errors of arrays, of `.jag` in pandas and polars, of `.str` and `.dt`, and of `arrowjag` itself read these
tables alone.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

__all__ = [
    "FRAMES",
    "FUNCTIONS",
    "NAMESPACES",
    "OPERATORS",
    "SPELLINGS",
    "UFUNCS",
    "function_suggestion",
    "on_arrays",
    "suggestion",
]

OPERATORS = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "div": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "and_": "&",
    "or_": "|",
    "xor": "^",
    "bitwise_and": "&",
    "bitwise_or": "|",
    "bitwise_xor": "^",
}

UFUNCS = {
    **{name: name for name in ("sqrt", "cbrt", "exp", "log", "log10", "log1p", "floor", "ceil", "sign", "degrees", "radians")},
    **{name: name for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
    **{f"arc{name}": f"arc{name}" for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
    "is_finite": "isfinite",
    "is_infinite": "isinf",
}

FRAMES = {"nest": "column, column, into=name", "query": "condition", "sort_items": "by, column", "unnest": "column"}
"""Methods of `.jag` of a frame that no method of a column stands for, and what they take."""

_ITEMS = {
    **{name: f"x {operator} y" for name, operator in OPERATORS.items()},
    "neg": "-x",
    "not_": "~x",
    **{name: f"numpy.{ufunc}(x)" for name, ufunc in UFUNCS.items()},
    # pandas and numpy
    "agg": "x.map_rows(f)",
    "aggregate": "x.map_rows(f)",
    "applymap": "x.map_items(f)",
    "allclose": "((x - y).jag.abs().jag <= tolerance).jag.all(axis=None)",
    "argpartition": "x.argsort()",
    "around": "x.round()",
    "astype": "x.cast(type)",
    "autocorr": "x.corr(x.shift(n))",
    "at": "x[row, item]",
    "average": "x.mean(weights=y)",
    "avg": "x.mean()",
    "between": "(x >= low).jag & (x <= high)",
    "backfill": "x.bfill()",
    "clip_lower": "x.clip(low, None)",
    "clip_upper": "x.clip(None, high)",
    "combine_first": "x.coalesce(y)",
    "concatenate": "aj.concat([x, y], axis)",
    "choice": "x.sample(n=n)",
    "copy": "x itself, which no operation changes",
    "corrcoef": "x.corr(y)",
    "corrwith": "x.corr(y)",
    "describe": "frame.jag.describe(column)",
    "compress": "x.filter(mask)",
    "count_nonzero": "(x != 0).jag.sum()",
    "drop_duplicates": "x.unique()",
    "dropna": "x.drop_nulls()",
    "dtype": "x.type",
    "ediff1d": "x.diff()",
    "duplicated": "x.value_counts()",
    "empty": "x.lengths() == 0",
    "explode": "x.flatten(), or frame.jag.flatten(column) for the whole frame",
    "factorize": "x.group_by_indices(x)",
    "first_valid_index": "(~x.is_null().jag).jag.index_of(True)",
    "flip": "x.reverse()",
    "fillna": "x.fill_null(value)",
    **dict.fromkeys(("get_dummies", "one_hot"), "x.contains(v) per option"),
    "groupby": "x.group_by(keys)",
    "hist": "x.plot.values()",
    "hstack": "aj.concat([x, y], axis=-1)",
    "idxmax": "x.argmax()",
    "idxmin": "x.argmin()",
    "iloc": "x[row, item]",
    "interpolate": "aj.interp(at, x, y)",
    "is_unique": "x.n_unique() == x.count()",
    "isclose": "(x - y).jag.abs().jag <= tolerance",
    "isfinite": "numpy.isfinite(x)",
    "isin": "x.is_in(values)",
    "isinf": "numpy.isinf(x)",
    "isna": "x.is_null()",
    "isnan": "x.is_nan()",
    "isnull": "x.is_null()",
    "iat": "x[row, item]",
    "kurt": "x.kurtosis()",
    "len": "x.lengths()",
    "loc": "x[row, item]",
    "map": "x.map_items(f)",
    "memory_usage": "x.nbytes",
    "mask": "aj.where(condition, y, x)",
    "moveaxis": "x.permute(*axes)",
    "nan_to_num": "x.nan_to_null().jag.fill_null(0)",
    **{
        f"nan{name}": f"x.nan_to_null().jag.{name}()"
        for name in ("mean", "median", "sum", "prod", "std", "var", "cumsum", "cumprod")
    },
    **{f"nan{name}": f"x.{name}()" for name in ("max", "min", "argmax", "argmin")},
    "nlargest": "x.topk(k)",
    "nonzero": "x.argwhere()",
    "notna": "~x.is_null().jag",
    "notnull": "~x.is_null().jag",
    "nsmallest": "x.bottomk(k)",
    "nunique": "x.n_unique()",
    "percentile": "x.quantile(q / 100)",
    "put": "x.set(index, values)",
    "ravel": "x.flatten()",
    "roll": "x.rotate(n)",
    "sliding_window": "x.windows(size)",
    "sort_values": "x.sort()",
    **dict.fromkeys(("trapezoid", "trapz"), "((x + x.shift(1)).jag * t.diff()).jag.sum() / 2"),
    "swapaxes": "x.transpose(a, b)",
    "T": "x.transpose(0, 1)",
    "tolist": "x.to_list()",
    "to_pylist": "x.to_list()",
    "transform": "x.map_rows(f)",
    "vstack": "aj.concat([x, y], axis=0)",
    # polars
    "arg_true": "x.argwhere()",
    "arr": "x: its methods are those of lists",
    "backward_fill": "x.bfill()",
    "bottom_k_by": "x.bottomk(k, by=keys)",
    "drop_nans": "x.filter(~x.is_nan().jag)",
    "eval": "x: its methods are those of lists",
    "extend_constant": "x.pad(n, fill)",
    "fill_nan": "aj.where(x.is_nan(), value, x)",
    "forward_fill": "x.ffill()",
    "gather_every": "x[..., ::n]",
    "has_nulls": "x.is_null().jag.any()",
    "implode": "frame.jag.implode(by, columns)",
    "is_between": "(x >= low).jag & (x <= high)",
    "is_duplicated": "x.value_counts()",
    "is_empty": "x.lengths() == 0",
    "is_not_nan": "~x.is_nan().jag",
    "is_not_null": "~x.is_null().jag",
    "item": "x.first()",
    "limit": "x.head(n)",
    "list": "x: its methods are those of lists",
    "map_elements": "x.map_rows(fn, type)",
    "nan_max": "x.max()",
    "nan_min": "x.min()",
    "null_count": "x.is_null().jag.sum()",
    "product": "x.prod()",
    "repeat_by": "x.repeat(sizes)",
    "rle_id": "x.rle()",
    "search_sorted": "x.searchsorted(y)",
    "sort_by": "x.sort(by=y)",
    **dict.fromkeys(("field", "get_field", "getField", "struct", "struct_field"), "x['field']"),
    "top_k_by": "x.topk(k, by=keys)",
    "unique_counts": "x.value_counts()",
    **{f"arg_{name}": f"x.arg{name}()" for name in ("max", "min", "sort")},
    **{f"cum_{name}": f"x.cum{name}()" for name in ("sum", "count", "max", "min", "prod")},
    "gather": "x.take(index)",
    "top_k": "x.topk(k)",
    "bottom_k": "x.bottomk(k)",
    # functions of arrowjag that no method stands for, and their names elsewhere
    "align": "aj.align(x, y)",
    "argcartesian": "aj.argcartesian(a=x, b=y)",
    "asof": "aj.asof(x, y)",
    "cartesian": "aj.cartesian(a=x, b=y)",
    "interp": "aj.interp(at, x, y)",
    "join_asof": "aj.asof(x, y)",
    "lomb_scargle": "aj.lomb_scargle(t, x, frequencies)",
    "merge_asof": "aj.asof(x, y)",
    "overlay": "aj.overlay(x, index, values)",
    **{name: f"frame.jag.{name}({rest})" for name, rest in FRAMES.items()},
    "resample": "aj.resample(t, x, every)",
    "scatter": "aj.scatter(x, index, values)",
    "stack": "aj.stack([x, y])",
    # conversions
    **{f"to_{name}": f"aj.interop.{name}.to_{name}(x)" for name in ("awkward", "koladata", "scipy", "tensorflow", "torch")},
    "to_csv": "json.dumps(row) for each row of x.to_list()",
    "to_json": "json.dumps(x.to_list(), default=aj.json_default)",
    "to_parquet": 'aj.write_parquet({"v": x}, path)',
    # Arrow, awkward, DuckDB, Spark
    "aggregate_list": "x.map_rows(f)",
    "array_agg": "frame.jag.implode(by, columns)",
    "arrays_zip": "x.zip(y)",
    "cardinality": "x.lengths()",
    "collect_list": "frame.jag.implode(by, columns)",
    "content": "x.values",
    "cosine_similarity": "x.cosine(y)",
    "covar": "x.cov(y)",
    "cume_dist": "x.rank(method='max', pct=True)",
    "dense_rank": "x.rank(method='dense')",
    "distinct": "x.unique()",
    "element_at": "x.get(i)",
    "except": "x.difference(y)",
    **dict.fromkeys(("drop_none", "drop_null"), "x.drop_nulls()"),
    "exists": "x.any()",
    "extract": "x.get(i)",
    "flat": "x.values",
    "fill_none": "x.fill_null(value)",
    "first_value": "x.first()",
    "firsts": "x.first()",
    "forall": "x.all()",
    **{f"{name}_like": f"(x * 0).jag + {value}" for name, value in (("zeros", 0), ("ones", 1), ("full", "value"))},
    "has": "x.contains(v)",
    "has_all": "x.contains(v) & x.contains(w)",
    "has_any": "x.is_in(values).jag.any()",
    "inner_product": "x.dot(y)",
    "intersect": "x.intersection(y)",
    "is_none": "x.is_null()",
    "lag": "x.shift(n)",
    "last_value": "x.last()",
    "lead": "x.shift(-n)",
    "length": "x.lengths()",
    "list_element": "x.get(i)",
    "list_flatten": "x.flatten()",
    "list_value_length": "x.lengths()",
    **dict.fromkeys(("local_index", "enumerate"), "x.is_null().jag.cumcount().jag - 1"),
    "nan_to_none": "x.nan_to_null()",
    "nth_value": "x.get(i)",
    "num": "x.lengths()",
    "offsets": "x.shape[-1].offsets",
    "pad_none": "x.pad(n)",
    "percent_rank": "(x.rank(method='min').jag - 1).jag / (x.count() - 1)",
    "position": "x.index_of(v)",
    "prepend": "x.insert(0, v)",
    "reduce": "x.fold(f, start)",
    "row_lengths": "x.lengths()",
    "row_number": "x.is_null().jag.cumcount()",
    "run_lengths": "x.rle()",
    **{f"set_{name}": f"x.{name}(y)" for name in ("union", "intersection", "difference", "symmetric_difference")},
    "similarity": "x.cosine(y)",
    "string_agg": "x.join(sep)",
    "with_field": "x.with_fields(name=y)",
    "sizes": "x.lengths()",
    "stddev": "x.std()",
    "variance": "x.var()",
    # what analysts call it
    "contains_all": "x.contains(v) & x.contains(w)",
    "contains_any": "x.is_in(values).jag.any()",
    **dict.fromkeys(("batch", "batched", "chunk"), "x.group_by((x.is_null().jag.cumcount().jag - 1).jag // n)"),
    "bigrams": "x.n_grams(2)",
    "bucketize": "x.digitize(edges)",
    **dict.fromkeys(("count_if", "countif"), "x.filter(mask).jag.lengths()"),
    **dict.fromkeys(("dedup", "dedupe", "deduplicate", "to_set"), "x.unique()"),
    **dict.fromkeys(("find", "index"), "x.index_of(v)"),
    **dict.fromkeys(("standardize", "zscore"), "(x - x.mean()).jag / x.std()"),
    **dict.fromkeys(("sum_if", "sumif", "sum_where"), "x.filter(mask).jag.sum()"),
    **{f"{name}_by": f"x.group_by(keys).jag.{name}()" for name in ("count", "mean", "sum")},
    "every": "x.all()",
    "ewma": "x.ewm(alpha=alpha).mean()",
    "jaccard": "x.intersection(y).jag.lengths() / x.union(y).jag.lengths()",
    "l2_norm": "x.norm()",
    **dict.fromkeys(("minmax", "minmax_scale", "scale"), "(x - x.min()).jag / x.ptp()"),
    **dict.fromkeys(("moving_average", "rolling_average"), "x.rolling(n).mean()"),
    **dict.fromkeys(("ngrams", "shingles"), "x.n_grams(n)"),
    **dict.fromkeys(("non_empty", "nonempty", "not_empty"), "x.lengths() > 0"),
    "nth": "x.get(i)",
    "order_by": "x.sort(by=y)",
    **dict.fromkeys(("cumulative_sum", "running_sum", "running_total"), "x.cumsum()"),
    **dict.fromkeys(("sessionize", "sessions"), "x.group_by((t.diff().jag > pause).jag.fill_null(False).jag.cumsum())"),
    "some": "x.any()",
    "weighted_mean": "x.mean(weights=y)",
}

_TEXT = {
    "capitalise": "x.str.capitalize()",
    "casefold": "x.str.lower()",
    "characters": "x.str.extract_all('.')",
    "chars": "x.str.extract_all('.')",
    "concat": "x.str.cat(other)",
    **dict.fromkeys(("contains_any", "find_many"), "x.str.contains('one|two', regex=True)"),
    "count_matches": "x.str.count(text)",
    "ends_with": "x.str.endswith(suffix)",
    "extract_groups": "x.str.extract(regex)",
    "extract_many": "x.str.extract_all(regex)",
    "findall": "x.str.extract_all(regex)",
    "get": "x.str.slice(i, i + 1)",
    "head": "x.str.slice(0, n)",
    "join": "x.join(sep)",
    "json_decode": "aj.from_json(x, type)",
    "len_bytes": "x.str.byte_len()",
    "len_chars": "x.str.len()",
    "length": "x.str.len()",
    "lengths": "x.str.len()",
    "lowercase": "x.str.lower()",
    "ltrim": "x.str.lstrip()",
    "pad_end": "x.str.ljust(n)",
    "pad_start": "x.str.rjust(n)",
    "partition": "x.str.split(sep, maxsplit=1)",
    "replace_all": "x.str.replace(old, new)",
    "rtrim": "x.str.rstrip()",
    "split_exact": "x.str.split(sep)",
    "starts_with": "x.str.startswith(prefix)",
    "strip_chars": "x.str.strip(chars)",
    "strip_chars_end": "x.str.rstrip(chars)",
    "strip_chars_start": "x.str.lstrip(chars)",
    "strip_prefix": "x.str.removeprefix(prefix)",
    "strip_suffix": "x.str.removesuffix(suffix)",
    "strptime": "x.str.to_datetime(format)",
    "substr": "x.str.slice(start, stop)",
    "substring": "x.str.slice(start, stop)",
    "tail": "x.str.slice(-n)",
    "to_float": "x.str.to_number('double')",
    "to_int": "x.str.to_number('int64')",
    "to_date": "x.str.to_datetime(format).jag.dt.date()",
    "to_decimal": "x.str.to_number(type)",
    "to_integer": "x.str.to_number('int64')",
    "to_lowercase": "x.str.lower()",
    "to_numeric": "x.str.to_number(type)",
    "sub": "x.str.replace(regex, new, regex=True)",
    **dict.fromkeys(("tokenize", "words"), "x.str.split()"),
    "to_titlecase": "x.str.title()",
    "to_uppercase": "x.str.upper()",
    "translate": "x.str.replace(old, new)",
    "trim": "x.str.strip()",
    "uppercase": "x.str.upper()",
}

_TIME = {
    **dict.fromkeys(("as_unit", "cast_time_unit"), "x.cast('timestamp[ms]')"),
    "convert_time_zone": "x.dt.tz_convert(zone)",
    "day_name": "x.dt.strftime('%A')",
    "day_of_week": "x.dt.weekday()",
    "dayofweek": "x.dt.weekday()",
    "dayofyear": "x.dt.day_of_year()",
    "days": "x.dt.total_seconds().jag / 86400",
    "epoch": "x.dt.timestamp(unit)",
    "iso_year": "x.dt.strftime('%G')",
    "isocalendar": "x.dt.week()",
    "month_name": "x.dt.strftime('%B')",
    "month_start": "x.dt.floor('1mo')",
    "normalize": "x.dt.floor('1d')",
    "offset_by": "x + timedelta",
    "ordinal_day": "x.dt.day_of_year()",
    "replace_time_zone": "x.dt.tz_localize(zone)",
    "seconds": "x.dt.total_seconds()",
    "strptime": "x.str.to_datetime(format)",
    "to_string": "x.dt.strftime(format)",
    **{f"total_{unit}": f"x.dt.total_seconds().jag / {n}" for unit, n in (("minutes", 60), ("hours", 3600), ("days", 86400))},
    "total_milliseconds": "x.dt.total_seconds().jag * 1000",
    "total_microseconds": "x.cast('duration[us]').jag.cast('int64')",
    "total_nanoseconds": "x.cast('duration[ns]').jag.cast('int64')",
    "truncate": "x.dt.floor(every)",
    "week_of_year": "x.dt.week()",
    "weekofyear": "x.dt.week()",
}

SPELLINGS = {"": _ITEMS, "str": _TEXT, "dt": _TIME}
"""By namespace, "" for methods of arrays: a name of another library, and the equivalent call of arrowjag."""

NAMESPACES: dict[str, str] = {}
"""Names of methods of a namespace, such as "split", and how to write them; the table of methods enters its names here."""

FUNCTIONS = {
    **dict.fromkeys(
        ("Array", "Series", "asarray", "from_iter", "from_list", "from_pandas", "from_polars", "from_pylist"), "aj.array(data)"
    ),
    **{
        name: f"aj.interop.{name.removeprefix('from_')}.{name}(data)"
        for name in ("from_awkward", "from_scipy", "from_tensorflow", "from_torch")
    },
    "DataFrame": 'pandas.DataFrame({"v": x}) or polars.DataFrame({"v": x})',
    "Jagged": "aj.polars.Jagged(leaf, ndim)",
    "JaggedDtype": "aj.pandas.JaggedDtype(leaf, ndim)",
    "cat": "aj.concat(arrays, axis)",
    "concatenate": "aj.concat(arrays, axis)",
    "empty": "aj.zeros(*dims)",
    "from_numpy": "aj.array(data), or aj.from_sizes(values, sizes) for flat data",
    "hstack": "aj.concat(arrays, axis=1)",
    "ones": "aj.full(dims, 1.0)",
    "read_csv": "read_csv of pandas or polars, and aj.from_json(column, type) for lists in text",
    "read_json": "aj.read_ndjson(path)",
    "vstack": "aj.concat(arrays, axis=0)",
}
"""A function that callers look for in `arrowjag`, and the equivalent call."""

_PREFIXES = ("list_", "array_", "arr_")


def suggestion(name: str, known: Iterable[str], namespace: str = "", *, where: str = "", fields: Iterable[str] = ()) -> str:
    """Return the hint that an error about an unknown name adds to its first sentence.

    Parameters
    ----------
    name : str
        The unknown name.
    known : iterable of str
        The names that exist.
    namespace : str
        A key of `SPELLINGS`.
    where : str
        The code that stands for x in the calls that are suggested, such as ``"series.jag"``; empty for arrays themselves.
    fields : iterable of str
        The fields of struct leaves, which are picked by ``x["field"]``.

    Returns
    -------
    str
        The equivalent call of arrowjag, the most similar name, or an empty text; it begins with a semicolon.

    Examples
    --------
    >>> suggestion("nunique", [])
    '; write x.n_unique()'
    >>> suggestion("list_sum", ["sum"])
    '; write x.sum()'
    >>> suggestion("score", [], where="series.jag", fields=["score"])
    '; write x["score"], where x is series.jag'
    """
    names = {one for one in known if not one.startswith("_")}
    table = SPELLINGS[namespace]
    stem = next((name.removeprefix(prefix) for prefix in _PREFIXES if name.startswith(prefix)), name)
    space = f".{namespace}" if namespace else ""
    calls = [f'x["{name}"]'] if name in set(fields) else []
    calls += [table[one] for one in (name, stem) if one in table]
    calls += [f"x{space}.{stem}()"] if stem in names else []
    if not namespace:  # text and times are called without their namespace
        calls += [table[name] for table in (NAMESPACES, _TEXT, _TIME) if name in table]
    if calls:
        call = calls[0] if where else on_arrays(calls[0])
        meaning = f", where x is {where}" if where and re.search(r"\bx\b", call) else ""
        return f"; write {call}{meaning}"
    return _nearest(name, names)


def on_arrays(call: str) -> str:
    """Return a call of the tables for arrays, whose results have their methods without `.jag`."""
    return call.replace(").jag", ")")


def function_suggestion(name: str, functions: Iterable[str], methods: Iterable[str]) -> str:
    """Return the hint of an error about a name that `arrowjag` itself lacks.

    Parameters
    ----------
    name : str
        The unknown name.
    functions : iterable of str
        The names that `arrowjag` has.
    methods : iterable of str
        The names of methods of arrays.

    Returns
    -------
    str
        The equivalent call, the method, the most similar name, or an empty text; it begins with a semicolon.

    Examples
    --------
    >>> function_suggestion("ones", [], [])
    '; write aj.full(dims, 1.0)'
    >>> function_suggestion("sum", [], ["sum"])
    '; write x.sum()'
    """
    if name in FUNCTIONS:
        return f"; write {FUNCTIONS[name]}"
    found = suggestion(name, methods)
    return found if found.startswith("; write") else _nearest(name, {one for one in functions if not one.startswith("_")})


def _nearest(name: str, names: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, names, 1)
    return f"; did you mean {near[0]!r}?" if near else ""
