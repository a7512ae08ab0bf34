"""`arrowjag.shapes` beside `kd.shapes`, on random shapes and arguments, valid and not.

Differences, all on purpose:

* `new` also takes what Koda refuses: numpy integers and arrays, ranges, tuples and other patterns, among them lists with a pattern
  inside, such as [[1]]. (None of them is drawn here.)
* `new(2, 2**62)` and `new(2**32, 2**32)` are errors here; in Koda 0.0.4 one gives a negative size and the other ends the process.
* A dim that isn't an integer is a TypeError here (Koda: ValueError), a dim out of range an IndexError; both count as refused.
* `reshape` takes a list as one dim of a tuple here, where Koda wants a slice.
* Comparing with something that is no shape is False here; Koda raises. Shapes here have a hash, a length and an iterator.
"""

# ruff: noqa: B023 - every lambda is called before the loop goes on

from __future__ import annotations

import random
from typing import Any

import pytest

import arrowjag as aj
from tests.oracles.koda import Pair, array_pair, kd, outcome, plain, random_array, random_sizes, shape_pair

CASES = 300


def rng_of(name: str) -> random.Random:
    return random.Random(name)


def dim_specs(rng: random.Random, sizes: list[list[int]]) -> list[Any]:
    """Dims as a caller writes them: an int where all rows agree, now and then a wrong one."""
    specs: list[Any] = [one[0] if one and len(set(one)) == 1 and rng.random() < 0.7 else one for one in sizes]
    if specs and rng.random() < 0.3:
        place = rng.randrange(len(specs))
        specs[place] = rng.choice([-1, [-1], [1, 2], [], 0, 2, [0], [2, 1], [1, None]])
    return specs


def for_koda(spec: Any) -> Any:
    return kd.slice(spec, kd.INT64) if isinstance(spec, list) else spec


def test_new_repr_and_the_facts_of_a_shape() -> None:
    rng = rng_of("new")
    for _ in range(3 * CASES):
        specs = dim_specs(rng, random_sizes(rng, rng.randint(0, 4)))
        ours = outcome(lambda: aj.shapes.new(*specs))
        assert ours == outcome(lambda: kd.shapes.new(*map(for_koda, specs))), specs
        if ours == "refused":
            continue
        a, b = aj.shapes.new(*specs), kd.shapes.new(*map(for_koda, specs))
        assert aj.shapes.ndim(a) == aj.shapes.rank(a) == kd.shapes.rank(b)
        assert aj.shapes.size(a) == kd.shapes.size(b).to_py()
        assert aj.shapes.get_sizes(a).to_list() == kd.shapes.get_sizes(b).to_py()


def test_long_dims_are_printed_alike() -> None:
    rng = rng_of("repr")
    for _ in range(CASES):
        n = rng.randint(0, 12)
        sizes = [[n], [rng.randint(0, 2) for _ in range(n)]]
        ours, theirs = shape_pair(sizes)
        assert repr(ours) == repr(theirs)


def test_dim_sizes_and_dim_mapping() -> None:
    rng = rng_of("dims")
    for _ in range(CASES):
        ours, theirs = shape_pair(random_sizes(rng, rng.randint(0, 3)))
        dim = rng.randint(-4, 4)
        for name in ("dim_sizes", "dim_mapping"):
            got = outcome(lambda: getattr(aj.shapes, name)(ours, dim))
            expected = outcome(lambda: getattr(kd.shapes, name)(theirs, dim))
            assert got == (expected if expected == "refused" else expected[-1]), (ours, dim, name)


def test_prefixes_and_equality() -> None:
    rng = rng_of("prefix")
    for _ in range(CASES):
        sizes = random_sizes(rng, rng.randint(0, 3), 2)
        one, two = shape_pair(sizes), shape_pair(sizes[: rng.randint(0, 3)] if rng.random() < 0.5 else random_sizes(rng, 2, 2))
        assert (one.ours == two.ours) == (one.theirs == two.theirs)
        stop = rng.randint(-4, 5)
        assert plain(one.ours[:stop]) == plain(one.theirs[:stop])


def test_flatten() -> None:
    rng = rng_of("flatten")
    for _ in range(3 * CASES):
        x = random_array(rng, rng.randint(0, 4), 2)
        args = [rng.randint(-6, 6) for _ in range(rng.randint(0, 2))]
        assert outcome(lambda: aj.shapes.flatten(x.ours, *args)) == outcome(lambda: kd.shapes.flatten(x.theirs, *args)), (x, args)


def test_flatten_end() -> None:
    rng = rng_of("flatten_end")
    for _ in range(CASES):
        x = random_array(rng, rng.randint(0, 4), 2)
        args = [rng.randint(-1, 5)] if rng.random() < 0.8 else []
        ours = outcome(lambda: aj.shapes.flatten_end(x.ours, *args))
        assert ours == outcome(lambda: kd.shapes.flatten_end(x.theirs, *args)), (x, args)


def reshape_specs(rng: random.Random, n: int) -> list[Any]:
    """Dims that often hold n items, with a -1 somewhere more often than not."""
    if rng.random() < 0.5:
        specs: list[Any] = [rng.choice([1, 2, 3, n, 0]) for _ in range(rng.randint(1, 3))]
    else:
        sizes = random_sizes(rng, rng.randint(1, 3), 3)
        specs = dim_specs(rng, sizes)
    if rng.random() < 0.7:
        specs[rng.randrange(len(specs))] = -1
    return specs


def test_reshape_with_a_tuple() -> None:
    rng = rng_of("reshape")
    agreed = 0
    for _ in range(5 * CASES):
        n = rng.choice([0, 1, 2, 3, 4, 6, 8, 12])
        specs = reshape_specs(rng, n)
        x = array_pair(list(range(n)), [[n]])
        ours = outcome(lambda: aj.shapes.reshape(x.ours, tuple(specs)))
        assert ours == outcome(lambda: kd.shapes.reshape(x.theirs, kd.tuple(*map(for_koda, specs)))), (n, specs)
        agreed += ours != "refused"
    assert agreed > CASES / 2


def test_reshape_of_every_rank_with_a_shape() -> None:
    rng = rng_of("reshape_as")
    for _ in range(CASES):
        x = random_array(rng, rng.randint(0, 3), 2)
        y = random_array(rng, rng.randint(0, 3), 2)
        assert outcome(lambda: aj.shapes.reshape(x.ours, aj.shapes.get_shape(y.ours))) == outcome(
            lambda: kd.shapes.reshape(x.theirs, y.theirs.get_shape())
        ), (x, y)
        ours = outcome(lambda: aj.shapes.reshape_as(x.ours, y.ours))
        assert ours == outcome(lambda: kd.shapes.reshape_as(x.theirs, y.theirs)), (x, y)


def expansion(rng: random.Random) -> tuple[Pair, Pair, int]:
    """An array, a shape that it often expands to, and how many dims are copied as one."""
    ndim = rng.choice([0, 0, 0, 1, 2, 3, -1])
    sizes = random_sizes(rng, rng.randint(0, 3), 2)
    outer = sizes[: max(0, len(sizes) - max(ndim, 0))]
    target = random_sizes(rng, rng.randint(0, 3), 2)
    if rng.random() < 0.7:
        target = list(outer)
        for _ in range(rng.randint(0, 2)):
            rows = sum(target[-1]) if target else 1
            target.append([rng.randint(0, 2) for _ in range(rows)])
    n = sum(sizes[-1]) if sizes else 1
    return array_pair([rng.choice([None, 1, 2, 3]) for _ in range(n)], sizes), shape_pair(target), ndim


def test_expand_to_shape_and_its_predicate() -> None:
    rng = rng_of("expand")
    agreed = 0
    for _ in range(5 * CASES):
        x, shape, ndim = expansion(rng)
        given = {"ndim": ndim} if ndim or rng.random() < 0.5 else {}
        ours = outcome(lambda: aj.shapes.expand_to_shape(x.ours, shape.ours, **given))
        assert ours == outcome(lambda: kd.shapes.expand_to_shape(x.theirs, shape.theirs, **given)), (x, shape, ndim)
        agreed += ours != "refused"
        can = outcome(lambda: aj.shapes.is_expandable_to_shape(x.ours, shape.ours, **given))
        they = outcome(lambda: bool(kd.shapes.is_expandable_to_shape(x.theirs, shape.theirs, **given)))
        assert can == they, (x, shape, ndim)
    assert agreed > CASES


def test_align_and_common_shape() -> None:
    rng = rng_of("align")
    for _ in range(CASES):
        sizes = random_sizes(rng, 3, 2)
        pairs = []
        for _ in range(rng.randint(1, 3)):
            cut = sizes[: rng.randint(0, 3)] if rng.random() < 0.9 else random_sizes(rng, 1, 2)
            n = sum(cut[-1]) if cut else 1
            pairs.append(array_pair(list(range(n)), cut))
        ours = outcome(lambda: [plain(one) for one in aj.align(*(x.ours for x in pairs))])
        theirs = outcome(lambda: [plain(one) for one in kd.align(*(x.theirs for x in pairs))])
        assert ours == theirs, pairs


WRONG = [
    ("new", (True,)), ("new", (1.0,)), ("new", (None,)), ("new", ([1.0],)), ("new", ("a",)),
    ("rank", ([1],)), ("size", (3,)), ("flatten", ([1, 2],)), ("reshape_as", ([1], [1])),
]  # fmt: skip


@pytest.mark.parametrize(("name", "arguments"), WRONG, ids=repr)
def test_arguments_that_koda_rejects_raise(name: str, arguments: tuple[Any, ...]) -> None:
    assert outcome(lambda: getattr(kd.shapes, name)(*arguments)) == "refused"
    assert outcome(lambda: getattr(aj.shapes, name)(*arguments)) == "refused"


@pytest.mark.parametrize("argument", [True, 1.0, None, [1]])
def test_dims_must_be_integers(argument: Any) -> None:
    x = array_pair([1, 2, 3], [[2], [2, 1]])
    for name in ("flatten", "flatten_end"):
        assert outcome(lambda: getattr(kd.shapes, name)(x.theirs, argument)) == "refused"
        assert outcome(lambda: getattr(aj.shapes, name)(x.ours, argument)) == "refused"


def test_shapes_and_arrays_are_not_taken_for_each_other() -> None:
    x = aj.array([[1, 2], [3]])
    for name in ("rank", "ndim", "size"):
        with pytest.raises(TypeError, match="get_shape"):
            getattr(aj.shapes, name)(x)
    for name in ("flatten", "flatten_end", "get_shape"):
        with pytest.raises(TypeError, match=f"{name} takes an array, got JaggedShape"):
            getattr(aj.shapes, name)(x.shape)
    with pytest.raises(TypeError, match="reshape_as takes an array, got JaggedShape"):
        aj.shapes.reshape_as(x, x.shape)
    assert aj.shapes.get_sizes(x).to_list() == aj.shapes.get_sizes(x.shape).to_list() == [[2], [2, 1]]


def test_overflow_is_an_error() -> None:
    for dims in ((2, 2**62), (2**32, 2**32)):
        with pytest.raises(ValueError, match="overflow"):
            aj.shapes.new(*dims)


def test_the_fourteen_names() -> None:
    assert len(aj.shapes.__all__) == 14
    assert set(aj.shapes.__all__) == {name for name in dir(kd.shapes) if not name.startswith("_")}
