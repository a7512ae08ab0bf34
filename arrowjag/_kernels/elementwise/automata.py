"""Tables of the states of a search: a regular expression as a deterministic automaton over the bytes of UTF-8.

Of a pattern in the common part of two dialects, which `regex.shared_pattern` writes, each group, set and repetition becomes
instructions that read a byte, fork, or ask for an end of the text. The instructions that are reached together are a state, in the
order in which Perl would try them. `searching` tells whether there is a match, `matching` where one that begins at a byte ends.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["ACCEPTED", "Automaton", "matching", "searching"]

MOST_INSTRUCTIONS, MOST_STATES = 400, 200
"""Patterns of more instructions or states have no table."""

ACCEPTED = 1
"""The number of the state after a match, of a search; state 0 follows where there can't be a match any more."""

_ASCII = 2**128 - 1
_CONTINUES = sum(1 << byte for byte in range(0x80, 0xC0))
_WIDE: tuple[tuple[int, ...], ...] = tuple(
    (sum(1 << byte for byte in range(low, high)), *[_CONTINUES] * n)
    for low, high, n in ((0xC2, 0xE0, 1), (0xE0, 0xF0, 2), (0xF0, 0xF5, 3))
)
"""The characters beyond ASCII in valid UTF-8: for each length, the bytes that may be at each place, as bits."""

_CONTROLS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_TIMES = re.compile(r"[*+?]|\{(\d+)(,?)(\d*)\}")

Bytes: TypeAlias = tuple[tuple[int, ...], ...]
"""A character: one of several sequences of bytes, each byte one of those whose bits are set."""


class UnsupportedError(Exception):
    """A pattern that has no table."""


class Automaton(NamedTuple):
    """A table of states."""

    classes: NDArray[np.uint8]
    """The column of each byte."""
    table: NDArray[np.uint16]
    """A row per state: the place of the row that follows each class of bytes; then whether a match ends at the end of the text, and
    whether one ends here. A search is at the place of `ACCEPTED` after a match."""
    columns: int
    first: int
    """The place of the row at the beginning of a text."""
    inner: int
    """The place of the row at each other byte, where a match may begin."""


class _Node(NamedTuple):
    """An instruction."""

    kind: str
    """"byte", "fork", "begin", "end" or "match"."""
    following: tuple[int, ...]
    """The instructions that follow, the one that is tried first before the others."""
    bytes: int = 0
    """Of "byte": those that it reads, as bits."""


class _Program:
    """The instructions of a pattern, written from its end to its beginning."""

    def __init__(self, pattern: str) -> None:
        self._pattern, self._at = pattern, 0
        self.nodes: list[_Node] = [_Node("match", ())]
        part = self._choice()
        if self._at < len(pattern):
            raise UnsupportedError
        self.first = part(0)

    def _add(self, node: _Node) -> int:
        if len(self.nodes) >= MOST_INSTRUCTIONS:
            raise UnsupportedError
        self.nodes.append(node)
        return len(self.nodes) - 1

    # Each method that parses a part returns a function that writes the part before an instruction, and returns where it begins.

    def _choice(self) -> Callable[[int], int]:
        parts = [self._sequence()]
        while self._next("|"):
            parts.append(self._sequence())
        return parts[0] if len(parts) == 1 else lambda after: self._add(_Node("fork", tuple(part(after) for part in parts)))

    def _sequence(self) -> Callable[[int], int]:
        parts = []
        while self._at < len(self._pattern) and self._pattern[self._at] not in "|)":
            parts.append(self._repeated())
        return lambda after: functools.reduce(lambda place, part: part(place), reversed(parts), after)

    def _next(self, text: str) -> bool:
        found = self._pattern.startswith(text, self._at)
        self._at += len(text) if found else 0
        return found

    def _repeated(self) -> Callable[[int], int]:
        part = self._atom()
        times = _TIMES.match(self._pattern, self._at)
        if times is None:
            return part
        self._at = times.end()
        is_lazy = self._next("?")
        least, most = _bounds(times)
        return lambda after: self._repeat(part, least, most, is_lazy, after)

    def _repeat(self, part: Callable[[int], int], least: int, most: int | None, is_lazy: bool, after: int) -> int:
        def fork(inner: int) -> _Node:
            return _Node("fork", (after, inner) if is_lazy else (inner, after))

        place = after
        if most is None:
            place = self._add(_Node("fork", ()))
            inner = part(place)
            if place in self._reached(inner):  # an empty part would be repeated without end
                raise UnsupportedError
            self.nodes[place] = fork(inner)
        else:
            for _ in range(most - least):
                place = self._add(fork(part(place)))
        for _ in range(least):
            place = part(place)
        return place

    def _reached(self, first: int) -> Iterator[int]:
        """The instructions that are reached from one without reading a byte."""
        seen, waiting = set[int](), [first]
        while waiting:
            place = waiting.pop()
            if place not in seen:
                seen.add(place)
                yield place
                if self.nodes[place].kind != "byte":
                    waiting.extend(self.nodes[place].following)

    def _atom(self) -> Callable[[int], int]:
        if self._next("("):
            self._next("?:")
            part = self._choice()
            if not self._next(")"):
                raise UnsupportedError
            return part
        for sign, kind in (("^", "begin"), ("\\A", "begin"), ("$", "end"), ("\\z", "end")):
            if self._next(sign):
                return lambda after: self._add(_Node(kind, (after,)))
        if self._next("["):
            return self._one_of(self._set())
        if self._next("."):
            return self._one_of((((_ASCII & ~(1 << 10)),), *_WIDE))
        return self._one_of(_sequences([self._character()]))

    def _character(self) -> str:
        is_escaped = self._next("\\")
        char = self._pattern[self._at]
        if not is_escaped and char in "*+?{)|":
            raise UnsupportedError
        self._at += 1
        return _CONTROLS.get(char, char) if is_escaped else char

    def _set(self) -> Bytes:
        is_negated = self._next("^")
        chars: list[str] = []
        while not self._next("]"):
            low = self._in_set()
            high = self._in_set() if self._is_range() else low
            chars += map(chr, range(ord(low), ord(high) + 1))
        found = _sequences(chars)
        if not is_negated:
            return found
        if any(len(sequence) > 1 for sequence in found):
            raise UnsupportedError
        return ((_ASCII & ~sum(sequence[0] for sequence in found),), *_WIDE)

    def _in_set(self) -> str:
        is_escaped = self._next("\\")
        char = self._pattern[self._at]
        self._at += 1
        return _CONTROLS.get(char, char) if is_escaped else char

    def _is_range(self) -> bool:
        is_range = self._pattern.startswith("-", self._at) and not self._pattern.startswith("-]", self._at)
        self._at += is_range
        return is_range

    def _one_of(self, sequences: Bytes) -> Callable[[int], int]:
        def write(after: int) -> int:
            starts = []
            for sequence in sequences:
                place = after
                for bits in reversed(sequence):
                    place = self._add(_Node("byte", (place,), bits))
                starts.append(place)
            return starts[0] if len(starts) == 1 else self._add(_Node("fork", tuple(starts)))

        return write


def _bounds(times: re.Match[str]) -> tuple[int, int | None]:
    """The least and the largest number of repetitions; None for any."""
    signs: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
    if times[0] in signs:
        return signs[times[0]]
    least = int(times[1])
    return least, (int(times[3]) if times[3] else None) if times[2] else least


def _sequences(chars: Iterable[str]) -> Bytes:
    """The bytes of one of some characters: all of ASCII together, each other one by itself."""
    encoded = [char.encode() for char in dict.fromkeys(chars)]
    ascii_only = sum(1 << one[0] for one in encoded if len(one) == 1)
    wide = tuple(tuple(1 << byte for byte in one) for one in encoded if len(one) > 1)
    return ((ascii_only,), *wide) if ascii_only else wide


State: TypeAlias = tuple[int, ...]
"""Instructions that read a byte, ask for the end, or match, in the order in which they are tried."""


class _Builder:
    """The states of a program, and the table of them."""

    def __init__(self, program: _Program, is_search: bool) -> None:
        self._nodes, self._first, self._is_search = program.nodes, program.first, is_search
        self._classes, self._samples = self._byte_classes()
        self._states: list[State] = [(), (0,)] if is_search else [()]
        self._numbers = {state: number for number, state in enumerate(self._states)}

    def _byte_classes(self) -> tuple[NDArray[np.uint8], list[int]]:
        """Which bytes no instruction tells apart, and one of each class."""
        masks = {node.bytes for node in self._nodes if node.kind == "byte"}
        numbers: dict[tuple[int, ...], int] = {}
        classes = [numbers.setdefault(tuple((mask >> byte) & 1 for mask in masks), len(numbers)) for byte in range(256)]
        return np.array(classes, np.uint8), [classes.index(number) for number in range(len(numbers))]

    def build(self) -> Automaton:
        first, inner = self._number(self._closure([self._first], begins=True)), self._number(self._closure([self._first]))
        rows: list[list[int]] = []
        columns = len(self._samples) + 2
        for state in self._states:  # states that are found on the way are appended
            following = [self._number(self._after(state, byte)) * columns for byte in self._samples]
            rows.append([*following, int(self._matches_at_end(state)), int(0 in state)])
        table = np.array(rows, np.uint16).reshape(-1)
        return Automaton(self._classes, table, columns, first * columns, inner * columns)

    def _number(self, state: State) -> int:
        if state not in self._numbers:
            if len(self._states) >= MOST_STATES:
                raise UnsupportedError
            self._numbers[state] = len(self._states)
            self._states.append(state)
        return self._numbers[state]

    def _closure(self, places: Iterable[int], begins: bool = False, ends: bool = False) -> State:
        """The state that is reached from some instructions without reading a byte; a match ends it, as the rest is tried later."""
        found: dict[int, None] = {}
        seen, waiting = set[int](), list(places)[::-1]
        while waiting:
            place = waiting.pop()
            if place in seen:
                continue
            seen.add(place)
            node = self._nodes[place]
            if node.kind in ("byte", "match") or (node.kind == "end" and not ends):
                found[place] = None
                if node.kind == "match":
                    return (0,) if self._is_search else tuple(found)
            elif node.kind != "begin" or begins:
                waiting.extend(reversed(node.following))
        return tuple(sorted(found)) if self._is_search else tuple(found)

    def _after(self, state: State, byte: int) -> State:
        if self._is_search and state == (0,):
            return state
        places = [self._nodes[place].following[0] for place in state if (self._nodes[place].bytes >> byte) & 1]
        return self._closure([*places, self._first] if self._is_search else places)

    def _matches_at_end(self, state: State) -> bool:
        after = [place for place in state if self._nodes[place].kind in ("end", "match")]
        return 0 in self._closure(after, ends=True)


def _built(pattern: str, is_search: bool) -> Automaton | None:
    try:
        return _Builder(_Program(pattern), is_search).build()
    except UnsupportedError:
        return None


@functools.lru_cache(64)
def searching(pattern: str) -> Automaton | None:
    """Return the table of a search for a match anywhere in a text.

    Parameters
    ----------
    pattern : str
        As `regex.shared_pattern` returns it.

    Returns
    -------
    Automaton or None
        None if the table would be too large, or for the few forms that have none.
    """
    return _built(pattern, is_search=True)


@functools.lru_cache(64)
def matching(pattern: str) -> Automaton | None:
    """As `searching`, the table of the match that begins at a byte; of those that do, the one that Perl would find."""
    return _built(pattern, is_search=False)
