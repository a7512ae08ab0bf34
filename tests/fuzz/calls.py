"""The table of calls: for each method, random arguments that it accepts, and the result of the oracle for them."""

from __future__ import annotations

import functools
import operator
import random
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

import arrowjag as aj
from arrowjag._methods import METHODS, over_axis
from arrowjag._pyarrow_versions import null_scalar
from arrowjag.testing._leaves import leaf_arrays
from arrowjag.testing.strategies import array_of
from tests import reference as ref
from tests.along import EQUAL, ORDERED, argsorted, kept
from tests.fuzz.columns import Sample, beside, leaf_type, oracle, values
from tests.reference import Jag

NUMERIC = ("int", "uint", "float")
ANY: tuple[str, ...] = ()


class Made(NamedTuple):
    """Arguments of one call, and what the oracle gives for them (called late: it may raise)."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    expected: Callable[[], Any]


Maker = Callable[[random.Random, Sample], Made]


class Call(NamedTuple):
    """A method and the kinds of leaves that it promises a result for."""

    name: str
    make: Maker
    kinds: Sequence[str]
    wide: bool
    exact: bool


CALLS: dict[str, Call] = {}


def call(*names: str, kinds: Sequence[str] = ANY, wide: bool = True, exact: bool = True) -> Callable[[Callable[..., Made]], Any]:
    """Enter methods in the table. `wide`: values near the ends of their type too; `exact`: bit for bit, else within rounding."""

    def enter(make: Callable[..., Made]) -> Callable[..., Made]:
        for name in names:
            made: Maker = (lambda rng, s, name=name: make(rng, s, name)) if len(names) > 1 else make
            CALLS[name] = Call(name, made, kinds, wide, exact)
        return make

    return enter


def invoke(owner: Any, name: str, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """The call on an array or on a surface's `.jag`."""
    if name.startswith("operator "):
        return OPERATORS[name.removeprefix("operator ")](owner, *args)
    return operator.attrgetter(name)(owner)(*args, **kwargs)


def single_axis(rng: random.Random, s: Sample) -> int:
    return rng.choice([-1, -1, *range(-s.ndim, s.ndim)])


def any_axis(rng: random.Random, s: Sample) -> Any:
    """One axis, or several at the end together, or all."""
    trailing = tuple(range(rng.randrange(s.ndim), s.ndim))
    return rng.choice([single_axis(rng, s), single_axis(rng, s), trailing, None])


def one_value(rng: random.Random, s: Sample) -> tuple[Any, Any]:
    """A value of the leaf type as an argument and as the oracle takes it; a tuple would be a row, so it goes in as a scalar."""
    scalar = leaf_arrays([rng.choice(values(s.leaf, small=True))], s.leaf, [])[0]
    return scalar if isinstance(scalar.as_py(), (tuple, list)) else scalar.as_py(), scalar.as_py()


# ----------------------------------------------------------------------------------------------------------- reductions


def _options(rng: random.Random) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if rng.random() < 0.4:  # many paths are for calls without options
        return found
    if rng.random() < 0.5:
        found["skip_nulls"] = rng.random() < 0.5
    if rng.random() < 0.5:
        found["min_count"] = rng.randint(0, 3)
    return found


def _reduction(s: Sample, name: str, axis: Any, options: dict[str, Any], **more: Any) -> Callable[[], Any]:
    return lambda: ref.reduction(name, s.truth, s.ndim, axis, extents=s.x.shape.extents, **options, **more)


@call("prod", "mean", "var", "std", "median", kinds=(*NUMERIC, "bool"), wide=False, exact=False)
@call("any", "all", kinds=("bool",))
@call("n_unique", "mode", kinds=EQUAL)
@call("min", "max", "argmin", "argmax", kinds=ORDERED)
def _reduced(rng: random.Random, s: Sample, name: str) -> Made:
    axis, options = any_axis(rng, s), _options(rng)
    return Made((axis,), options, _reduction(s, name, axis, options))


call("sum", kinds=(*NUMERIC, "bool", "decimal"), exact=False)(lambda rng, s: _reduced(rng, s, "sum"))


def _statistics(rng: random.Random, s: Sample, name: str) -> Made:
    axis, options = any_axis(rng, s), _options(rng)
    return Made((), {"axis": axis, **options}, _reduction(s, name, axis, options))


@call("quantile", kinds=("float", "int"), wide=False, exact=False)
def _quantile(rng: random.Random, s: Sample) -> Made:
    axis, options, q = any_axis(rng, s), _options(rng), rng.choice([0.0, 0.25, 0.5, 0.9, 1.0])
    how = rng.choice(["linear", "lower", "higher", "midpoint", "nearest"])
    return Made((q, how, axis), options, _reduction(s, "quantile", axis, options, q=q, interpolation=how))


@call("join", kinds=("string",))
def _join(rng: random.Random, s: Sample) -> Made:
    axis, options = any_axis(rng, s), _options(rng)
    return Made(("-", axis), options, _reduction(s, "join", axis, options, sep="-"))


@call("count", "first", "last")
def _picks(rng: random.Random, s: Sample, name: str) -> Made:
    axis = any_axis(rng, s)
    return Made((axis,), {}, _reduction(s, name, axis, {}))


@call("collapse", kinds=EQUAL)
def _collapse(rng: random.Random, s: Sample) -> Made:
    axis = any_axis(rng, s)
    return Made((axis,), {}, _reduction(s, "collapse", axis, {}))


@call("lengths")
def _lengths(rng: random.Random, s: Sample) -> Made:
    axis = single_axis(rng, s)
    return Made((axis,), {}, lambda: ref.lengths(s.truth, s.ndim, axis))


# ------------------------------------------------------------------------------------------- order, scans, sets: by row


@call("sort", "argsort", kinds=ORDERED)
def _sorted(rng: random.Random, s: Sample, name: str) -> Made:
    axis, descending = any_axis(rng, s), rng.random() < 0.5
    if name == "argsort":
        return Made((descending, axis), {}, lambda: argsorted(s.truth, s.ndim, axis, descending=descending))
    f = lambda row: ref.sort(row, 1, descending=descending)  # noqa: E731
    return Made((descending,), {"axis": axis}, lambda: kept(f, s.truth, s.ndim, axis))


@call("rank", kinds=ORDERED)
def _rank(rng: random.Random, s: Sample) -> Made:
    how, descending = rng.choice(["ordinal", "dense", "min", "max", "average"]), rng.random() < 0.5
    axis = any_axis(rng, s)
    return Made(
        (how, descending, axis), {}, lambda: kept(lambda row: ref.rank(row, 1, how, descending=descending), s.truth, s.ndim, axis)
    )


def _keys(rng: random.Random, s: Sample, axis: int) -> aj.JaggedArray:
    """Keys of the items of an axis, or of fewer dims."""
    return beside(rng, s.truth, rng.randint(1, axis % s.ndim + 1), leaf_type(rng, ("int", "string", "float", "bool")))


@call("topk", kinds=ORDERED)
def _topk(rng: random.Random, s: Sample) -> Made:
    k, axis, descending = rng.randint(0, 4), single_axis(rng, s), rng.random() < 0.7
    if rng.random() < 0.4:
        by = _keys(rng, s, axis)
        expected = lambda: ref.topk_by(s.truth, oracle(by), s.ndim, k, axis, descending=descending)  # noqa: E731
        return Made((k, axis), {"by": by, "descending": descending}, expected)
    return Made((k, axis), {"descending": descending}, lambda: ref.topk(s.truth, s.ndim, k, axis, descending=descending))


@call("bottomk", kinds=ORDERED)
def _bottomk(rng: random.Random, s: Sample) -> Made:
    k, axis = rng.randint(0, 4), single_axis(rng, s)
    return Made((k, axis), {}, lambda: ref.bottomk(s.truth, s.ndim, k, axis))


@call("min_by", "max_by")
def _extreme_by(rng: random.Random, s: Sample, name: str) -> Made:
    axis = single_axis(rng, s)
    by = _keys(rng, s, axis)
    return Made((by, axis), {}, lambda: ref.extreme_by(name, s.truth, oracle(by), s.ndim, axis))


@call("index_of", kinds=EQUAL)
def _index_of(rng: random.Random, s: Sample) -> Made:
    axis = any_axis(rng, s)
    if s.ndim > 1 and rng.random() < 0.4:
        y = beside(rng, s.truth, rng.randint(1, s.ndim - 1), s.leaf)
        return Made((y,), {}, lambda: ref.index_of(Jag(s.truth, s.ndim), oracle(y)))
    given, v = one_value(rng, s) if rng.random() < 0.8 else (null_scalar(s.leaf), None)
    find = lambda row: next((place for place, item in enumerate(row) if ref.key(item) == ref.key(v)), None)  # noqa: E731
    return Made((given, axis), {}, lambda: ref.reduce(find, s.truth, s.ndim, axis, s.x.shape.extents, gives_slots=True))


@call("argwhere", kinds=("bool", *NUMERIC))
def _argwhere(_rng: random.Random, s: Sample) -> Made:
    return Made((), {}, lambda: ref.argwhere(s.truth, s.ndim))


@call("drop_nulls")
def _drop_nulls(rng: random.Random, s: Sample) -> Made:
    axis = single_axis(rng, s)
    return Made((axis,), {}, lambda: ref.drop_nulls(s.truth, s.ndim, axis))


@call("is_sorted", kinds=ORDERED)
def _is_sorted(rng: random.Random, s: Sample) -> Made:
    axis, descending = any_axis(rng, s), rng.random() < 0.5
    f = ref.of_valid(lambda row: ref.is_sorted(row, descending=descending))
    return Made((descending, axis), {}, lambda: ref.reduce(f, s.truth, s.ndim, axis, s.x.shape.extents))


@call("reverse")
def _reverse(rng: random.Random, s: Sample) -> Made:
    axis = single_axis(rng, s)
    return Made((axis,), {}, lambda: ref.reverse(s.truth, s.ndim, axis))


@call("unique", "value_counts", kinds=tuple(kind for kind in EQUAL if kind != "null"))
def _unique(rng: random.Random, s: Sample, name: str) -> Made:
    if name == "unique" and rng.random() < 0.4:
        axis = single_axis(rng, s)
        by = _keys(rng, s, axis)
        return Made((axis,), {"by": by}, lambda: ref.unique_by(s.truth, oracle(by), s.ndim, axis))
    return Made((), {}, lambda: getattr(ref, name)(s.truth, s.ndim))


def _scan(name: str) -> Maker:
    def make(rng: random.Random, s: Sample) -> Made:
        axis = any_axis(rng, s)
        return Made((axis,), {}, lambda: kept(lambda row: getattr(ref, name)(row, 1), s.truth, s.ndim, axis))

    return make


for _name, _kinds, _wide, _exact in (
    ("cumsum", (*NUMERIC, "bool"), True, False),
    ("cumprod", NUMERIC, False, False),
    ("cummin", ORDERED, True, True),
    ("cummax", ORDERED, True, True),
    ("cumcount", ANY, True, True),
    ("ffill", ANY, True, True),
    ("bfill", ANY, True, True),
    ("softmax", ("float", "int"), False, False),
    ("cdf", NUMERIC, False, False),
):
    CALLS[_name] = Call(_name, _scan(_name), _kinds, _wide, _exact)


@call("shift")
def _shift(rng: random.Random, s: Sample) -> Made:
    n, axis = rng.randint(-3, 3), -1
    given, fill = one_value(rng, s) if rng.random() < 0.4 else (None, None)
    return Made((n, given, axis), {}, lambda: ref.shift(s.truth, s.ndim, n, fill, axis))


@call("diff", kinds=("float",), wide=False)
def _diff(rng: random.Random, s: Sample) -> Made:
    n = rng.randint(-2, 2)
    return Made((n,), {}, lambda: ref.diff(s.truth, s.ndim, n))


def _rolling(name: str) -> Maker:
    def make(rng: random.Random, s: Sample) -> Made:
        window = rng.randint(1, 4)
        return Made((window,), {}, lambda: ref.rolling(name, s.truth, s.ndim, window))

    return make


@call("rolling_var", "rolling_median", "rolling_first", "rolling_last", kinds=NUMERIC, wide=False, exact=False)
def _windowed(rng: random.Random, s: Sample, name: str) -> Made:
    window = rng.choice([None, 1, 2, 3, 4])
    told = {"min_periods": rng.randint(0, window or 3), "center": window is not None and rng.random() < 0.5}
    f = lambda row: ref.windowed(name.removeprefix("rolling_"), row, window, **told)  # noqa: E731
    return Made((window,), told, lambda: ref.rows_at(f, s.truth, s.ndim - 1))


for _name in ("sum", "mean", "min", "max"):
    CALLS[f"rolling_{_name}"] = Call(f"rolling_{_name}", _rolling(_name), NUMERIC, False, False)
del _name, _kinds, _wide, _exact


@call("contains", kinds=EQUAL)
def _contains(rng: random.Random, s: Sample) -> Made:
    if rng.random() < 0.5:
        given, v = one_value(rng, s)
        return Made((given,), {}, lambda: ref.contains(Jag(s.truth, s.ndim), Jag(v, 0)))
    y = beside(rng, s.truth, max(s.ndim - 1, 1), s.leaf)
    return Made((y,), {}, lambda: ref.contains(Jag(s.truth, s.ndim), oracle(y)))


@call("is_in", kinds=EQUAL)
def _is_in(rng: random.Random, s: Sample) -> Made:
    known = leaf_arrays([rng.choice(values(s.leaf, small=True)) for _ in range(rng.randint(0, 4))], s.leaf, [])
    return Made((known,), {}, lambda: ref.is_in(Jag(s.truth, s.ndim), Jag(known.to_pylist(), 1)))


@call("union", "intersection", "difference", "symmetric_difference", kinds=tuple(kind for kind in EQUAL if kind != "null"))
def _sets(rng: random.Random, s: Sample, name: str) -> Made:
    rows = ref.at_depth(lambda row: None if row is None else [None] * rng.randint(0, 4), s.truth, s.ndim - 1)
    y = beside(rng, rows, s.ndim, s.leaf)
    return Made((y,), {}, lambda: getattr(ref, name)(s.truth, y.to_list(), s.ndim))


@call("group_by", kinds=EQUAL)
def _group_by(rng: random.Random, s: Sample) -> Made:
    if rng.random() < 0.3:
        return Made((), {}, lambda: ref.group_by(s.truth, s.ndim))
    keys = [beside(rng, s.truth, s.ndim, leaf_type(rng, ("int", "string", "float", "bool"))) for _ in range(rng.randint(1, 2))]
    return Made(tuple(keys), {}, lambda: ref.group_by(s.truth, s.ndim, *(one.to_list() for one in keys)))


@call("searchsorted", kinds=ORDERED)
def _searchsorted(rng: random.Random, s: Sample) -> Made:
    y = beside(rng, s.truth, rng.randint(1, s.ndim), s.leaf) if s.ndim > 1 else beside(rng, [None] * 3, 1, s.leaf)
    return Made((y,), {}, lambda: ref.searchsorted(Jag(s.truth, s.ndim), oracle(y)))


@call("combinations", "argcombinations")
def _combinations(rng: random.Random, s: Sample, name: str) -> Made:
    n = rng.randint(1, 3)
    return Made((n,), {}, lambda: getattr(ref, name)(s.truth, s.ndim, n))


@call("pairs")
def _pairs(rng: random.Random, s: Sample) -> Made:
    rows = ref.at_depth(lambda row: None if row is None else [None] * rng.randint(0, 3), s.truth, s.ndim - 1)
    y = beside(rng, rows, s.ndim, s.leaf)
    return Made((y,), {}, lambda: ref.pairs(s.truth, y.to_list(), s.ndim))


# ---------------------------------------------------------------------------------------------------------------- edits


def _row_value(rng: random.Random, s: Sample, leaf: pa.DataType) -> tuple[Any, Jag]:
    """A scalar, or an array of one value per row or fewer, as an argument and as the oracle takes it."""
    if s.ndim > 1 and rng.random() < 0.5:
        y = beside(rng, s.truth, rng.randint(1, s.ndim - 1), leaf)
        return y, oracle(y)
    if rng.random() < 0.2:
        return null_scalar(leaf), Jag(None, 0)
    scalar = leaf_arrays([rng.choice(values(leaf, small=True))], leaf, [])[0]
    return scalar, Jag(scalar.as_py(), 0)


def _row_position(rng: random.Random, s: Sample, least: int = -3) -> tuple[Any, Jag]:
    if s.ndim > 1 and rng.random() < 0.5:
        rows = beside(rng, s.truth, rng.randint(1, s.ndim - 1), pa.int8())
        y = rows.clip(least, 4)
        return y, oracle(y)
    n = rng.randint(least, 4)
    return n, Jag(n, 0)


@call("replace", kinds=tuple(kind for kind in EQUAL if kind not in ("map", "null", "struct")))
def _replace(rng: random.Random, s: Sample) -> Made:
    pool = leaf_arrays([*values(s.leaf, small=True), None], s.leaf, [])
    olds: list[Any] = []
    for place in rng.sample(range(len(pool)), min(len(pool), rng.choice([1, 2, 3, 12]))):
        if all(ref.key(pool[place].as_py()) != ref.key(one.as_py()) for one in olds):
            olds.append(pool[place])
    news = [pool[rng.randrange(len(pool))] for _ in olds]
    table = [(old.as_py(), new.as_py()) for old, new in zip(olds, news, strict=True)]
    return Made((olds, news), {}, lambda: ref.replace(s.truth, s.ndim, table))


@call("remove", kinds=EQUAL)
def _remove(rng: random.Random, s: Sample) -> Made:
    given, v = _row_value(rng, s, s.leaf)
    return Made((given,), {}, lambda: ref.remove(s.truth, s.ndim, v))


@call("append")
def _append(rng: random.Random, s: Sample) -> Made:
    given, v = _row_value(rng, s, s.leaf)
    return Made((given,), {}, lambda: ref.append(s.truth, s.ndim, v))


@call("insert")
def _insert(rng: random.Random, s: Sample) -> Made:
    (place, i), (given, v) = _row_position(rng, s), _row_value(rng, s, s.leaf)
    return Made((place, given), {}, lambda: ref.insert(s.truth, s.ndim, i, v))


@call("splice")
def _splice(rng: random.Random, s: Sample) -> Made:
    (place, start), (count, n) = _row_position(rng, s), _row_position(rng, s, 0)
    how = rng.random()
    if how < 0.3:
        return Made((place, count), {}, lambda: ref.splice(s.truth, s.ndim, start, n))
    if how < 0.6:
        given, v = _row_value(rng, s, s.leaf)
        return Made((place, count, given), {}, lambda: ref.splice(s.truth, s.ndim, start, n, v))
    rows = ref.at_depth(lambda row: None if row is None else [None] * rng.randint(0, 4), s.truth, s.ndim - 1)
    y = beside(rng, rows, s.ndim, s.leaf)
    return Made((place, count, y), {}, lambda: ref.splice(s.truth, s.ndim, start, n, oracle(y)))


@call("rotate")
def _rotate(rng: random.Random, s: Sample) -> Made:
    given, n = _row_position(rng, s)
    return Made((given,), {}, lambda: ref.rotate(s.truth, s.ndim, n))


@call("rle", kinds=EQUAL)
def _rle(rng: random.Random, s: Sample) -> Made:
    axis = single_axis(rng, s)
    return Made((axis,), {}, lambda: ref.rle(s.truth, s.ndim, axis))


@call("windows")
def _windows(rng: random.Random, s: Sample) -> Made:
    size, step, axis = rng.randint(1, 3), rng.randint(1, 3), single_axis(rng, s)
    return Made((size, step, axis), {}, lambda: ref.windows(s.truth, s.ndim, size, step, axis))


# ------------------------------------------------------------------------------------------------- indexing, structure


@call("head", "tail")
def _ends(rng: random.Random, s: Sample, name: str) -> Made:
    n, axis = rng.randint(-3, 4), single_axis(rng, s)
    return Made((n, axis), {}, lambda: getattr(ref, name)(s.truth, s.ndim, n, axis))


@call("slice")
def _slice(rng: random.Random, s: Sample) -> Made:
    start, length, axis = rng.randint(-4, 4), rng.choice([None, 0, 1, 3]), single_axis(rng, s)
    return Made((start, length, axis), {}, lambda: ref.slice_items(s.truth, s.ndim, start, length, axis))


@call("pad")
def _pad(rng: random.Random, s: Sample) -> Made:
    filled = rng.random() < 0.5
    n, (given, fill) = rng.randint(0, 5), one_value(rng, s) if filled else (None, None)
    return Made((n, given), {}, lambda: ref.pad(s.truth, s.ndim, n, fill))


@call("take")
def _take(rng: random.Random, s: Sample) -> Made:
    how, axis = rng.choice(["raise", "null"]), single_axis(rng, s)
    depth = axis % s.ndim
    if rng.random() < 0.3 or depth == 0:
        position = rng.randint(-3, 3)
        return Made((position, axis, how), {}, lambda: ref.take(Jag(s.truth, s.ndim), Jag(position, 0), axis, how))
    frame = ref.at_depth(lambda row: None if row is None else [None] * rng.randint(0, 3), s.truth, depth)
    index = aj.array(ref.at_depth(lambda _: rng.choice([None, 0, 0, 1, -1, 2]), frame, depth + 1), type=pa.int64(), ndim=depth + 1)
    return Made((index, axis, how), {}, lambda: ref.take(Jag(s.truth, s.ndim), oracle(index), axis, how))


@call("get")
def _get(rng: random.Random, s: Sample) -> Made:
    maps = pa.types.is_struct(s.leaf) and {one.name for one in s.leaf} == {"key", "value"}
    kind = s.leaf.field("key").type if maps else pa.int64()
    pool = values(kind, small=True) if maps else range(-3, 4)
    default = rng.choice([None, None, rng.choice(values(s.leaf.field("value").type if maps else s.leaf, small=True))])
    spare = leaf_arrays([default], s.leaf.field("value").type if maps else s.leaf, [])[0]  # with all ordered categories
    if rng.random() < 0.5 or s.ndim == 1:
        one = rng.choice(pool)
        return Made(
            (one, None if default is None else spare),
            {},
            lambda: ref.get(oracle(s.x), Jag(one, 0), Jag(spare.as_py(), 0), maps=maps),
        )
    several = (
        beside(rng, s.truth, s.ndim - 1, kind)
        if maps
        else array_of(ref.at_depth(lambda _: rng.choice([None, *pool]), s.truth, s.ndim - 1), kind, s.ndim - 1)
    )
    made = lambda: ref.get(oracle(s.x), oracle(several), Jag(spare.as_py(), 0), maps=maps)  # noqa: E731
    return Made((several, None if default is None else spare), {}, made)


@call("filter")
def _filter(rng: random.Random, s: Sample) -> Made:
    mask = beside(rng, s.truth, rng.randint(max(1, s.ndim - 1), s.ndim), pa.bool_())
    return Made((mask,), {}, lambda: ref.filter_items(Jag(s.truth, s.ndim), oracle(mask)))


@call("flatten")
def _flatten(rng: random.Random, s: Sample) -> Made:
    a, b = rng.randint(-s.ndim, s.ndim), rng.choice([None, *range(-s.ndim, s.ndim + 1)])
    return Made((a, b), {}, lambda: ref.flatten(s.truth, s.ndim, a, b))


@call("unsqueeze")
def _unsqueeze(rng: random.Random, s: Sample) -> Made:
    axis = rng.randint(-s.ndim - 1, s.ndim)
    return Made((axis,), {}, lambda: ref.unsqueeze(s.truth, s.ndim, axis))


@call("transpose")
def _transpose(rng: random.Random, s: Sample) -> Made:
    a, b = single_axis(rng, s), single_axis(rng, s)
    extents = s.x.shape.extents
    null_rows = any(None in ref.items(s.truth, depth) for depth in range(1, s.ndim))
    if null_rows and any(extent is not None for extent in extents[1:]):
        b = a  # a null row has no items for a dim that declares how many; it is refused where one comes to stand there
    return Made((a, b, "allow"), {}, lambda: ref.transpose(s.truth, s.ndim, a, b, shear="allow", extents=extents))


@call("expand_to")
def _expand_to(rng: random.Random, s: Sample) -> Made:
    frame = ref.at_depth(lambda _: [None] * rng.randint(0, 2), s.truth, s.ndim)
    target = beside(rng, frame, s.ndim + 1, pa.int8())
    return Made((target,), {}, lambda: ref.expand_to(Jag(s.truth, s.ndim), oracle(target)))


@call("repeat")
def _repeat(rng: random.Random, s: Sample) -> Made:
    n = rng.randint(0, 3)
    return Made((n,), {}, lambda: ref.repeat(Jag(s.truth, s.ndim), Jag(n, 0)))


@call("is_null")
def _is_null(rng: random.Random, s: Sample) -> Made:
    axis = single_axis(rng, s)
    return Made((axis,), {}, lambda: ref.is_null(s.truth, s.ndim, axis))


@call("fill_null", kinds=tuple(kind for kind in EQUAL if kind not in ("struct", "null")))
def _fill_null(rng: random.Random, s: Sample) -> Made:
    given, v = one_value(rng, s)
    return Made((given,), {}, lambda: ref.fill_null(s.truth, s.ndim, v))


# ----------------------------------------------------------------------------------------------------------- operators

OPERATORS: dict[str, Callable[..., Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "&": operator.and_,
    "|": operator.or_,
}
_COMPARES = ("<", "<=", ">", ">=", "==", "!=")
_WRAPPING = {"+": operator.add, "-": operator.sub, "*": operator.mul}


def _wrapped(f: Callable[[Any, Any], Any], leaf: pa.DataType) -> Callable[[Any, Any], Any]:
    """Integers wrap in their own width."""
    if not pa.types.is_integer(leaf):
        return f
    return lambda a, b: ref.wrapped(f(a, b), leaf.bit_width, signed=pa.types.is_signed_integer(leaf))


def _operands(symbol: str) -> Maker:
    def make(rng: random.Random, s: Sample) -> Made:
        y = beside(rng, s.truth, rng.randint(1, s.ndim), s.leaf)
        x = Jag(s.truth, s.ndim)
        if symbol in "&|":
            return Made((y,), {}, lambda: (ref.kleene_and if symbol == "&" else ref.kleene_or)(x, oracle(y)))
        divisions = {"/": ref.true_divide, "//": ref.floor_divide, "%": ref.modulo}
        f = divisions[symbol] if symbol in divisions else OPERATORS[symbol]
        f = (
            _wrapped(f, s.leaf)
            if symbol in _WRAPPING
            else (lambda a, b: OPERATORS[symbol](ref.place(a), ref.place(b)))
            if symbol in _COMPARES
            else f
        )
        return Made((y,), {}, lambda: ref.elementwise(f, x, oracle(y)))

    return make


for _symbol in OPERATORS:
    _compares = _symbol in _COMPARES
    _kinds = ORDERED if _compares else ("bool",) if _symbol in "&|" else NUMERIC
    CALLS[f"operator {_symbol}"] = Call(f"operator {_symbol}", _operands(_symbol), _kinds, False, _compares)
del _symbol, _compares, _kinds


# ------------------------------------------------------------------------------------------------------- text and times


@call("n_grams")
def _n_grams(rng: random.Random, s: Sample) -> Made:
    n, axis = rng.randint(1, 3), single_axis(rng, s)
    return Made((n, axis), {}, lambda: ref.windows(s.truth, s.ndim, n, axis=axis))


_PIECES = ("", "a", "ä", "t", "twelve", " ", "es", "wel")
_PATTERNS = ("a", "[a-l]+", "t.*e", "(l)(o)?", "ä|b", " ")
_TEXT_ARGUMENTS: dict[str, Callable[[random.Random], tuple[Any, ...]]] = {
    **{f"str.{name}": lambda _: () for name in (*ref.PLAIN_TEXT, *ref.PREDICATES, "len", "byte_len", "reverse")},
    **{f"str.{name}": lambda rng: (rng.choice(_PIECES),) for name in ("strip", "lstrip", "rstrip", "removeprefix", "removesuffix")},
    **{f"str.{name}": lambda rng: (rng.choice(_PIECES),) for name in ("startswith", "endswith", "find", "count", "contains")},
    **{f"str.{name}": lambda rng: (rng.randint(-2, 15), rng.choice("ä*")) for name in ("center", "ljust", "rjust")},
    **{f"str.{name}": lambda rng: (rng.choice(_PATTERNS),) for name in ("match", "fullmatch", "extract_all")},
    "str.extract": lambda _: ("(l)(o)?",),
    "str.zfill": lambda rng: (rng.randint(-2, 15),),
    "str.pad": lambda rng: (rng.randint(-2, 15), rng.choice(["left", "right", "both"]), rng.choice("ä*")),
    "str.slice": lambda rng: (
        rng.choice([None, *range(-9, 9)]),
        rng.choice([None, *range(-9, 9)]),
        rng.choice([None, -2, -1, 1, 3]),
    ),
    "str.replace": lambda rng: (rng.choice(_PIECES[1:]), rng.choice(_PIECES), rng.choice([-1, 0, 1, 2])),
    "str.split": lambda rng: (rng.choice([None, "a", "e", " "]), rng.choice([-1, 0, 1, 2])),
    "str.repeat": lambda rng: (rng.randint(-1, 3),),
}
"""Arguments of methods of text; `str.to_number` and `str.to_datetime` have tests of their own."""


@call(*_TEXT_ARGUMENTS, kinds=("string",))
def _text(rng: random.Random, s: Sample, name: str) -> Made:
    args = _TEXT_ARGUMENTS[name](rng)
    return Made(args, {}, lambda: ref.text_method(name.removeprefix("str."), s.truth, s.ndim, *args))


@call("str.cat", kinds=("string",))
def _cat(rng: random.Random, s: Sample) -> Made:
    y, sep = beside(rng, s.truth, rng.randint(1, s.ndim), s.leaf), rng.choice(_PIECES)
    of = lambda one, two: ref.TEXT["cat"](one, two, sep)  # noqa: E731
    return Made((y, sep), {}, lambda: ref.elementwise(of, Jag(s.truth, s.ndim), oracle(y)))


def _of_counts(s: Sample, of: Callable[[int, str], Any]) -> Any:
    """A function of the counts of times and of their unit, as Python's datetime has no nanoseconds."""
    if not pa.types.is_temporal(s.leaf) or pa.types.is_interval(s.leaf):
        raise TypeError(f"{s.leaf} has no counts")
    counts = aj.JaggedArray(s.x.shape, s.x.values.view(pa.int32() if s.leaf.bit_width == 32 else pa.int64()))
    unit = "D" if pa.types.is_date32(s.leaf) else "ms" if pa.types.is_date64(s.leaf) else s.leaf.unit
    return ref.elementwise(lambda count: of(count, unit), oracle(counts))


@call(*(f"dt.{name}" for name in ref.CLOCK_FIELDS), kinds=("time", "timestamp"))
@call(*(f"dt.{name}" for name in (*ref.DATE_FIELDS, "date")), kinds=("date", "timestamp"))
def _field_of_times(_rng: random.Random, s: Sample, name: str) -> Made:
    of, zone = ref.TIME[name.removeprefix("dt.")], getattr(s.leaf, "tz", None)
    return Made((), {}, lambda: _of_counts(s, lambda count, unit: of(*ref.wall(count, unit, zone))))


@call("dt.strftime", kinds=("timestamp",))
def _strftime(rng: random.Random, s: Sample) -> Made:
    format, zone = rng.choice(["%Y-%m-%dT%H:%M:%S", "%d.%m.%y %I%p %f", "%a %B %j %V", ""]), getattr(s.leaf, "tz", None)
    of = lambda count, unit: ref.TIME["strftime"](*ref.wall(count, unit, zone), format)  # noqa: E731
    return Made((format,), {}, lambda: _of_counts(s, of))


@call("dt.timestamp", kinds=("timestamp",))
def _timestamp(rng: random.Random, s: Sample) -> Made:
    wanted = rng.choice(["s", "ms", "us", "ns"])
    return Made((wanted,), {}, lambda: _of_counts(s, lambda count, unit: ref.TIME["timestamp"](count, unit, wanted)))


@call("dt.total_seconds", kinds=("duration",))
def _total_seconds(_rng: random.Random, s: Sample) -> Made:
    def expected() -> Any:
        if not pa.types.is_duration(s.leaf):
            raise TypeError(f"{s.leaf} is no duration")
        return _of_counts(s, ref.TIME["total_seconds"])

    return Made((), {}, expected)


@call("dt.floor", "dt.ceil", "dt.round", kinds=("timestamp",))
def _rounded(rng: random.Random, s: Sample, name: str) -> Made:
    every, zone = rng.choice(["7s", "5m", "2h", "1d", "3d", "1w", "2w", "5mo", "1q", "4y"]), getattr(s.leaf, "tz", None)

    def of(count: int, unit: str) -> int:
        wall, rest = ref.wall(count, unit, zone)
        rounded = ref.rounded_time(ref.as_nanoseconds(wall) + rest, every, name.removeprefix("dt."))
        moment, _ = ref.wall(rounded, "ns")
        both = {ref.TIME["tz_localize"](moment.replace(fold=fold), zone or "UTC") for fold in (0, 1)}
        if len(both) > 1:
            raise ValueError(f"{moment} is in a gap or a fold of {zone}")
        return int(both.pop()) * ref.PER_SECOND[unit]

    def expected() -> Any:
        if not pa.types.is_timestamp(s.leaf):
            raise TypeError(f"{s.leaf} is no timestamp")
        return array_of(_of_counts(s, of), pa.int64(), s.ndim).cast(s.leaf).to_list()

    return Made((every,), {}, expected)


# ------------------------------------------------------------------------------------- methods that their oracle alone enters


def _of_items(_rng: random.Random, s: Sample, name: str) -> Made:
    return Made((), {}, lambda: ref.elementwise(ref.ITEMS[name], oracle(s.x)))


def _is_reduction(name: str) -> bool:
    """Whether a method reduces rows and may be called without arguments."""
    found = METHODS.get(name)
    if found is None or found.rule is not over_axis:
        return False
    return all(one.default is not one.empty for one in list(found.signature.parameters.values())[1:])


for _name in ref.ITEMS:
    call(_name, kinds=NUMERIC)(functools.partial(_of_items, name=_name))
for _name in sorted(filter(_is_reduction, ref.GROUP.keys() - CALLS.keys())):  # those of numbers
    call(_name, kinds=(*NUMERIC, "bool"), wide=False, exact=False)(functools.partial(_statistics, name=_name))
