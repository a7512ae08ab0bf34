"""Encodings that are made of others: `Repeat`, `Runs` and `Chain`; and `Sparse`, which is made of a few rows."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import accumulate, groupby
from typing import Any

import numpy as np

from arrowjag._arguments import several
from arrowjag._integers import is_int
from arrowjag._kernels import strategy
from arrowjag.dims._base import SHOWN, Dim, no_nulls
from arrowjag.dims._inputs import as_count, checked_total, offsets_of, size_array
from arrowjag.dims._plain import Ragged, Uniform
from arrowjag.errors import JagTypeError, ShapeError, brief, plural
from arrowjag.typing import IntArray


def as_part(spec: Any, owner: str) -> Dim:
    """Return a part of a nested encoding: a dim, or the dim of an int or of sizes; a tuple is a pattern in shapes, and raises."""
    if isinstance(spec, Dim):
        return no_nulls(spec, owner)
    if isinstance(spec, tuple):
        raise JagTypeError(
            f"{owner}: expected a dim or sizes, got the tuple {brief(spec)}: write a list of sizes, or to_dim({brief(spec)})"
        )
    return Uniform(int(spec)) if is_int(spec) else Ragged(spec)


class Repeat(Dim):
    """A dim concatenated with itself several times.

    Parameters
    ----------
    dim : Dim, sizes or int
        The piece that repeats.
    n : int
        The number of repetitions; 0 and 1 are allowed. A `Repeat` of a `Repeat` becomes one.

    Raises
    ------
    ShapeError
        If `n` is negative, the total overflows, or the piece has null rows.
    JagTypeError
        If `n` is not an int.

    Notes
    -----
    Operations cost as much as those of the piece, for any number of repetitions. Corresponds to fold's `Repeat`.

    Examples
    --------
    >>> from arrowjag.dims import Repeat
    >>> Repeat([1, 2], 3).tolist()
    [1, 2, 1, 2, 1, 2]
    """

    def __init__(self, dim: Any, n: int) -> None:
        unit, times = as_part(dim, "Repeat"), as_count(n, "a number of repetitions")
        self._unit: Dim = unit.unit if isinstance(unit, Repeat) else unit
        self._times: int = times * unit.times if isinstance(unit, Repeat) else times
        self._extent = self._unit.extent
        self._set(len(self._unit) * self._times, self._unit.size * self._times)

    @property
    def unit(self) -> Dim:
        """The piece that repeats."""
        return self._unit

    @property
    def times(self) -> int:
        """How often it repeats."""
        return self._times

    def _at(self, row: int) -> int:
        return self._unit._at(row % len(self._unit))

    def _offset_at(self, row: int) -> int:
        if len(self._unit) == 0:
            return 0
        whole, rest = divmod(row, len(self._unit))
        return whole * self._unit.size + self._unit._offset_at(rest)

    def _index_at(self, item: int) -> int:
        whole, rest = divmod(item, self._unit.size)
        return whole * len(self._unit) + self._unit._index_at(rest)

    def _write_sizes(self) -> IntArray:
        return np.tile(self._unit.sizes, self._times)

    def _write_offsets(self) -> IntArray:
        offsets = np.empty(self._n + 1, np.int64)
        firsts = np.arange(self._times, dtype=np.int64) * self._unit.size
        np.add(firsts[:, None], self._unit.offsets[:-1], out=offsets[:-1].reshape(self._times, len(self._unit)))
        offsets[-1] = self._size
        return offsets

    def _slice(self, start: int, stop: int) -> Dim:
        length = len(self._unit)
        if self.extent is not None:
            return Uniform(self.extent, stop - start)
        if start == stop:
            return self._unit._slice(0, 0)
        (first, skip), (last, rest) = divmod(start, length), divmod(stop, length)
        if first == last or (last == first + 1 and rest == 0):
            return self._unit._slice(skip, skip + stop - start)
        if (stop - start) % length == 0:
            turned = self._algebra.concat([self._unit._slice(skip, length), self._unit._slice(0, skip)])
            return Repeat(turned, last - first)
        whole = last - first - (skip > 0)
        ends = self._unit._slice(skip or length, length), self._unit._slice(0, rest)
        return Chain([ends[0], self._unit if whole == 1 else Repeat(self._unit, whole), ends[1]])

    def _bounds(self) -> tuple[int, int]:
        return self._unit._bounds()

    def _uniform(self) -> bool:
        return self._unit.is_uniform

    def _runs(self) -> tuple[IntArray, IntArray]:
        values, lengths = self._unit._runs()
        return np.tile(values, self._times), np.tile(lengths, self._times)

    def _rises(self, most: int) -> IntArray | None:
        if self._n == 0:
            return np.empty(0, np.int64)
        found, length = self._unit._rises(most), len(self._unit)
        joint = self._times > 1 and self._unit._at(0) > self._unit._at(length - 1)
        if found is None or len(found) * self._times + (self._times - 1) * joint > most:
            return None
        if joint:
            found = np.concatenate([[0], found])
        every = (np.arange(self._times)[:, None] * length + found).ravel()
        return every[1:] if joint else every

    def _scaled(self, factor: int) -> Dim:
        return Repeat(self._unit._scaled(factor), self._times)

    def _fold(self, part: Dim) -> Dim | None:
        length = len(self._unit)
        if length and isinstance(part, Repeat) and part.unit.size == length:
            return Repeat(self._unit.fold(part.unit), self._times)
        if not isinstance(part, Uniform) or len(part) == 0:
            return None
        group = part._at(0)
        if length and group % length == 0:
            return Uniform(self._unit.size * (group // length), len(part), declared=False)
        if group and length % group == 0:
            return Repeat(self._unit.fold(Uniform(group, length // group)), self._times)
        return None

    def _arguments(self) -> str:
        return f"{self._unit.notation()}, {self._times}"

    def __reduce__(self) -> tuple[Any, ...]:
        return Repeat, (self._unit, self._times)


class Runs(Dim):
    """A dim whose rows are each repeated several times.

    Parameters
    ----------
    dims : Dim, sizes or int
        The sizes.
    reps : int, Dim or sizes
        The number of repetitions of each size; fewer entries are repeated a whole number of times to the length of `dims`. Sizes
        with 0 repetitions are dropped.

    Raises
    ------
    ShapeError
        If the repetitions do not fit or are negative, the total overflows, or a part has null rows.
    JagTypeError
        If a repetition is not an int.

    Notes
    -----
    With equal repetitions, operations cost as much as those of `dims`; otherwise one running sum over the runs is cached.
    Corresponds to fold's `Runs`, which rejects repetitions that are all one.

    Examples
    --------
    >>> from arrowjag.dims import Runs
    >>> Runs([5, 7], [1, 2]).tolist()
    [5, 7, 7]
    """

    def __init__(self, dims: Any, reps: Any) -> None:
        values = as_part(dims, "Runs")
        times = as_part(reps, "Runs").stretched(len(values))
        if times.min(1) == 0:
            kept = times.sizes > 0
            values, times = Ragged(values.sizes[kept], extent=values.extent), Ragged(times.sizes[kept])
        self._values, self._reps, self._extent = values, times, values.extent
        self._each = times._at(0) if times.is_uniform and len(times) else None
        self._set(times.size, self._total())

    def _total(self) -> int:
        """Return the sum; raise if it overflows, before anything is computed that would wrap."""
        if self._each is not None:
            return self._values.size * self._each
        if self._values.max(0) * self._reps.size <= 2**62:
            return int(self._item_offsets[-1])
        total = sum(size * rep for size, rep in zip(self._values, self._reps, strict=True))
        return checked_total(total, f"Runs of {plural(len(self._values), 'size')}")

    @cached_property
    def _item_offsets(self) -> IntArray:
        return offsets_of(self._values.sizes * self._reps.sizes)

    @property
    def values(self) -> Dim:
        """The size of each run."""
        return self._values

    @property
    def reps(self) -> Dim:
        """The rows of each run, none is 0."""
        return self._reps

    def _at(self, row: int) -> int:
        return self._values._at(self._reps._index_at(row))

    def _offset_at(self, row: int) -> int:
        if row == self._n:
            return self._size
        run = self._reps._index_at(row)
        before = self._values._offset_at(run) * self._each if self._each is not None else int(self._item_offsets[run])
        return before + (row - self._reps._offset_at(run)) * self._values._at(run)

    def _index_at(self, item: int) -> int:
        if self._each is not None:
            run = self._values._index_at(item // self._each)
            before = self._values._offset_at(run) * self._each
        else:
            run = int(np.searchsorted(self._item_offsets, item, side="right")) - 1
            before = int(self._item_offsets[run])
        return self._reps._offset_at(run) + (item - before) // self._values._at(run)

    def _write_sizes(self) -> IntArray:
        return np.repeat(self._values.sizes, self._reps.sizes)

    def _slice(self, start: int, stop: int) -> Dim:
        if self.extent is not None:
            return Uniform(self.extent, stop - start)
        if start == stop:
            return Uniform(0, 0, declared=False)
        first, last = self._reps._index_at(start), self._reps._index_at(stop - 1)
        if first == last:
            return Uniform(self._values._at(first), stop - start, declared=False)
        ends = self._reps._offset_at(first + 1) - start, stop - self._reps._offset_at(last)
        middle = self._reps._slice(first + 1, last)
        if self._each is None or last - first < strategy.sizes.JOINED_RUNS:
            return Runs(self._values._slice(first, last + 1), Chain([ends[0], middle, ends[1]]))
        # Unequal repetitions cost a sum over all runs: the runs between the ends stay equal.
        whole = Runs(self._values._slice(first + 1, last), middle)
        return Chain([Uniform(self._at(start), ends[0]), whole, Uniform(self._at(stop - 1), ends[1])])

    def _bounds(self) -> tuple[int, int]:
        return self._values._bounds()

    def _uniform(self) -> bool:
        return self._values.is_uniform

    def _runs(self) -> tuple[IntArray, IntArray]:
        return self._values.sizes, self._reps.sizes

    def _rises(self, most: int) -> IntArray | None:
        found = self._values._rises(most)
        if found is None or self._each is None:
            return None if found is None else self._reps.offsets[found]
        return found * self._each

    def _scaled(self, factor: int) -> Dim:
        return Runs(self._values._scaled(factor), self._reps)

    def _arguments(self) -> str:
        return f"{self._values.notation()}, {self._reps.notation() if self._each is None else self._each}"

    def __reduce__(self) -> tuple[Any, ...]:
        return Runs, (self._values, self._reps)


class Sparse(Dim):
    """Empty rows, except for a few.

    Parameters
    ----------
    sizes : dict of int to int
        A dict from row to size. A size of -1 marks the end: its key is the number of rows.
    n : int, optional
        Number of rows; by default the last row of `sizes` is the last row.

    Raises
    ------
    ShapeError
        If a row or size is negative, a row lies beyond the end, or two numbers of rows are given.
    JagTypeError
        If a row or size is not an int.

    Notes
    -----
    Operations cost O(given rows), independent of the number of rows. Corresponds to fold's `Sparse`.

    Examples
    --------
    >>> from arrowjag.dims import Sparse
    >>> Sparse({1: 2, 4: 3}).tolist()
    [0, 2, 0, 0, 3]
    >>> Sparse({1: 2}, 3).tolist(), Sparse({1: 2, 3: -1}).tolist()
    ([0, 2, 0], [0, 2, 0])
    """

    def __init__(self, sizes: Mapping[int, int], n: int | None = None) -> None:
        if not isinstance(sizes, Mapping):
            raise JagTypeError(f"Sparse takes a dict of row to size, got {type(sizes).__name__}")
        ends = [row for row, size in sizes.items() if is_int(size) and size == -1]
        given = {row: size for row, size in sizes.items() if not (is_int(size) and size == -1)}
        rows, found = size_array(list(given), "row"), size_array(list(given.values()))
        stated = {as_count(end, "the number of rows") for end in [*ends, *([] if n is None else [n])]}
        if len(stated) > 1:
            raise ShapeError(f"Sparse: the number of rows is given as {' and as '.join(map(str, sorted(stated)))}")
        length = stated.pop() if stated else int(rows.max(initial=-1)) + 1
        if len(rows) and rows.max() >= length:
            raise ShapeError(f"Sparse: row {rows.max()} is out of range for {plural(length, 'row')}")
        order = np.argsort(rows)
        kept = order[found[order] > 0]
        self._hold(rows[kept], found[kept], length)

    def _hold(self, rows: IntArray, sizes: IntArray, length: int) -> None:
        self._rows, self._found = rows, sizes
        self._starts = offsets_of(sizes)
        self._set(length, int(self._starts[-1]))

    @classmethod
    def _trusted(cls, rows: IntArray, sizes: IntArray, length: int) -> Sparse:
        """A dim from ascending rows and positive sizes."""
        dim = cls.__new__(cls)
        dim._hold(rows, sizes, length)
        return dim

    def _at(self, row: int) -> int:
        place = int(np.searchsorted(self._rows, row))
        return int(self._found[place]) if place < len(self._rows) and self._rows[place] == row else 0

    def _offset_at(self, row: int) -> int:
        return int(self._starts[np.searchsorted(self._rows, row)])

    def _index_at(self, item: int) -> int:
        return int(self._rows[np.searchsorted(self._starts, item, side="right") - 1])

    def _write_sizes(self) -> IntArray:
        sizes = np.zeros(self._n, np.int64)
        sizes[self._rows] = self._found
        return sizes

    def _slice(self, start: int, stop: int) -> Dim:
        first, last = (int(place) for place in np.searchsorted(self._rows, [start, stop]))
        return Sparse._trusted(self._rows[first:last] - start, self._found[first:last], stop - start)

    def _full(self) -> bool:
        return len(self._rows) == self._n

    def _bounds(self) -> tuple[int, int]:
        return int(self._found.min()) if self._full() else 0, int(self._found.max(initial=0))

    def _uniform(self) -> bool:
        return len(self._rows) == 0 or (self._full() and bool((self._found == self._found[0]).all()))

    def _runs(self) -> tuple[IntArray, IntArray]:
        values = np.zeros(2 * len(self._rows) + 1, np.int64)
        lengths = np.ones(len(values), np.int64)
        values[1::2] = self._found
        lengths[::2] = np.diff(self._rows, prepend=-1, append=self._n) - 1
        return values, lengths

    def _rises(self, most: int) -> IntArray | None:
        after_zero = np.diff(self._rows, prepend=-1) > 1
        larger = np.diff(self._found, prepend=self._found[:1]) > 0
        found = self._rows[after_zero | larger]
        return found if len(found) <= most else None

    def _scaled(self, factor: int) -> Dim:
        kept = self._rows if factor else self._rows[:0]
        return Sparse._trusted(kept, self._found[: len(kept)] * factor, self._n)

    def _arguments(self) -> str:
        pairs = [f"{row}: {size}" for row, size in zip(self._rows[:SHOWN].tolist(), self._found[:SHOWN].tolist(), strict=True)]
        return f"{{{', '.join(pairs)}{', ...' if len(self._rows) > SHOWN else ''}}}, {self._n}"

    def __reduce__(self) -> tuple[Any, ...]:
        return Sparse._trusted, (self._rows, self._found, self._n)


class Chain(Dim):
    """A concatenation of dims.

    Parameters
    ----------
    dims : iterable of Dim, sizes or int
        The parts. Empty ones are dropped, chains are opened, neighbouring lists and single ints are joined.

    Raises
    ------
    ShapeError
        If the total overflows or a part has null rows.
    JagTypeError
        If a part is not a dim, an int or sizes.

    Notes
    -----
    Operations cost as much as those of the parts, after a search for the part. Declares no extent. Corresponds to fold's
    `Chain`, which rejects empty parts, and lists without other parts.

    Examples
    --------
    >>> from arrowjag.dims import Chain
    >>> Chain([[1, 2], 3]).tolist()
    [1, 2, 3]
    """

    def __init__(self, dims: Iterable[Any]) -> None:
        self._parts = tuple(_joined(_opened(dims)))
        self._row_starts = list(accumulate(map(len, self._parts), initial=0))
        self._item_starts = list(accumulate((part.size for part in self._parts), initial=0))
        self._set(self._row_starts[-1], self._item_starts[-1])

    @property
    def parts(self) -> tuple[Dim, ...]:
        """The dims in order; none is empty."""
        return self._parts

    def _at(self, row: int) -> int:
        place = bisect_right(self._row_starts, row) - 1
        return self._parts[place]._at(row - self._row_starts[place])

    def _offset_at(self, row: int) -> int:
        if row == self._n:
            return self._size
        place = bisect_right(self._row_starts, row) - 1
        return self._item_starts[place] + self._parts[place]._offset_at(row - self._row_starts[place])

    def _index_at(self, item: int) -> int:
        place = bisect_right(self._item_starts, item) - 1
        return self._row_starts[place] + self._parts[place]._index_at(item - self._item_starts[place])

    def _write_sizes(self) -> IntArray:
        return np.concatenate([np.empty(0, np.int64), *(part.sizes for part in self._parts)])

    def _slice(self, start: int, stop: int) -> Dim:
        cuts = [
            part._slice(max(start - first, 0), min(stop - first, len(part)))
            for first, part in zip(self._row_starts, self._parts, strict=False)
            if start < first + len(part) and first < stop
        ]
        return cuts[0] if len(cuts) == 1 else Chain(cuts)

    def _bounds(self) -> tuple[int, int]:
        lows, highs = zip(*(part._bounds() for part in self._parts), strict=True)
        return min(lows), max(highs)

    def _uniform(self) -> bool:
        return all(part.is_uniform and part._at(0) == self._at(0) for part in self._parts)

    def _runs(self) -> tuple[IntArray, IntArray]:
        values, lengths = zip(*(part._runs() for part in self._parts), strict=True)
        return np.concatenate(values), np.concatenate(lengths)

    def _rises(self, most: int) -> IntArray | None:
        found: list[IntArray] = []
        for first, part in zip(self._row_starts, self._parts, strict=False):
            inside = part._rises(most)
            if inside is None:
                return None
            joint = first > 0 and part._at(0) > self._at(first - 1)
            found += [np.array([first] * joint, np.int64), inside + first]
        every = np.concatenate([np.empty(0, np.int64), *found])
        return every if len(every) <= most else None

    def _scaled(self, factor: int) -> Dim:
        return Chain([part._scaled(factor) for part in self._parts])

    def _arguments(self) -> str:
        shown = [_undeclared_text(part) for part in self._parts[:SHOWN]]
        return f"[{', '.join(shown)}{', ...' if len(self._parts) > SHOWN else ''}]"

    def __reduce__(self) -> tuple[Any, ...]:
        return Chain, (list(self._parts),)


def _undeclared_text(part: Dim) -> str:
    """Return the text of a part. Parts of a chain never declare an extent, so the text omits it."""
    return Uniform(part[0], len(part)).notation() if isinstance(part, Uniform) else part.notation()


def _opened(dims: Iterable[Any]) -> list[Dim]:
    """Parts that are not empty, not chains, and declare nothing."""
    found: list[Dim] = []
    for spec in several(dims, "Chain takes a list of dims"):
        part = as_part(spec, "Chain")
        found += part.parts if isinstance(part, Chain) else [part.with_extent(None)] if len(part) else []
    return found


def _joined(parts: list[Dim]) -> Iterable[Dim]:
    """Neighbours that are lists or single sizes become one list."""
    for loose, group in groupby(parts, lambda part: isinstance(part, Ragged) or len(part) == 1):
        neighbours = list(group)
        if loose and len(neighbours) > 1:
            yield Ragged(np.concatenate([part.sizes for part in neighbours]))
        else:
            yield from neighbours


__all__ = ["Chain", "Repeat", "Runs", "Sparse", "as_part"]
