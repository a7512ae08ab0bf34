"""A reader for the subset of Thrift's compact protocol in Parquet footers: parse structs into mappings by field id."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

__all__ = ["BINARY", "INT", "Kind", "list_spans", "read_struct", "span_of", "varint"]

INT = "int"
BINARY = "binary"
Kind: TypeAlias = Any
"""`INT`, `BINARY`, a list of one kind, or the fields of a struct: a mapping from ids to kinds."""

_INTS = frozenset({4, 5, 6})
_BINARY, _LIST, _SET, _MAP, _STRUCT = 8, 9, 10, 11, 12


def read_struct(content: bytes, fields: Mapping[int, Kind]) -> dict[int, Any]:
    """Parse a struct that starts at the first byte.

    Parameters
    ----------
    content : bytes
        The serialised struct; bytes after it are ignored.
    fields : mapping
        The kinds of the fields to read, by id; others are skipped.

    Returns
    -------
    dict
        The fields that exist: int, bytes, list and dict.

    Raises
    ------
    ValueError
        If the bytes end early, or a field to read has another kind or occurs twice.
    """
    try:
        with _complete(content):
            return _Reader(content).struct(fields)
    except RecursionError as error:
        raise ValueError("the footer is nested too deep") from error


def span_of(content: bytes, field: int) -> tuple[int, int]:
    """Return where the value of a field of a struct starts and ends.

    Parameters
    ----------
    content : bytes
        As a writer serialised the struct.
    field : int
        The id of the field.

    Returns
    -------
    tuple of int
        Without the header that holds id and type.

    Raises
    ------
    ValueError
        If the bytes end early, or the struct lacks the field.
    """
    with _complete(content):
        return _Reader(content).span_of(field)


def list_spans(content: bytes, field: int) -> list[tuple[int, int]]:
    """Return where the items of a list, which is a field of a struct, start and end.

    Parameters
    ----------
    content : bytes
        As a writer serialised the struct.
    field : int
        The id of the field.

    Returns
    -------
    list of tuple of int
        One pair per item.

    Raises
    ------
    ValueError
        If the bytes end early, or the struct lacks the field.
    """
    with _complete(content):
        reader = _Reader(content)
        reader.at = reader.span_of(field)[0]
        return reader.item_spans()


@contextlib.contextmanager
def _complete(content: bytes) -> Iterator[None]:
    """Raise a `ValueError` if the block reads beyond the end of a footer."""
    try:
        yield
    except IndexError as error:
        raise ValueError(f"the footer ends early, after {len(content)} bytes") from error


def varint(number: int) -> bytes:
    """Serialise an unsigned integer with seven bits per byte.

    Examples
    --------
    >>> list(varint(5)), list(varint(300))
    ([5], [172, 2])
    """
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


class _Reader:
    """A read position in a buffer of bytes."""

    __slots__ = ("at", "content")

    def __init__(self, content: bytes) -> None:
        self.content, self.at = content, 0

    def struct(self, fields: Mapping[int, Kind]) -> dict[int, Any]:
        found: dict[int, Any] = {}
        id = 0
        while header := self.content[self.at]:
            self.at += 1
            id = id + (header >> 4) if header >> 4 else self._integer()
            type = header & 15
            kind = fields.get(id)
            if kind is None:
                self._skip(type)
            elif id in found:
                raise ValueError(f"field {id} occurs twice in a struct of the footer")
            else:
                found[id] = self._value(type, kind)
        self.at += 1
        return found

    def span_of(self, field: int) -> tuple[int, int]:
        """Return start and end of the value of a field; `at` ends there."""
        id = 0
        while header := self._byte():
            id = id + (header >> 4) if header >> 4 else self._integer()
            start = self.at
            self._skip(header & 15)
            if id == field:
                return start, self.at
        raise ValueError(f"a struct of the footer lacks field {field}")

    def item_spans(self) -> list[tuple[int, int]]:
        """Return start and end of the items of the list at `at`."""
        type, size = self._list_header()
        spans = []
        for _ in range(size):
            start = self.at
            self._skip(type)
            spans.append((start, self.at))
        return spans

    def _value(self, type: int, kind: Kind) -> Any:
        if kind is INT and type in _INTS:
            return self._integer()
        if kind is BINARY and type == _BINARY:
            return self._bytes()
        if isinstance(kind, list) and type == _LIST:
            return self._list(kind[0])
        if isinstance(kind, Mapping) and type == _STRUCT:
            return self.struct(kind)
        raise ValueError(f"a field of the footer has the type {type}, which it can't have")

    def _list(self, kind: Kind) -> list[Any]:
        type, size = self._list_header()
        return [self._value(type, kind) for _ in range(size)]

    def _list_header(self) -> tuple[int, int]:
        header = self._byte()
        size = header >> 4
        return header & 15, self._number() if size == 15 else size

    # Footers are mostly fields to skip. To call a function for each byte of them takes three times as long.

    def _skip(self, type: int) -> None:
        if type in _INTS:
            self._skip_numbers(1)
        elif type == _BINARY:
            size = self.content[self.at]
            self.at += 1
            if size > 127:
                self.at -= 1
                size = self._number()
            self._advance(size)
        elif type == _STRUCT:
            while header := self.content[self.at]:
                self.at += 1
                if not header >> 4:
                    self._number()
                self._skip(header & 15)
            self.at += 1
        elif type in {_LIST, _SET}:
            self._skip_items(*self._list_header())
        elif type == _MAP:
            size = self._number()
            types = self._byte() if size else 0
            for _ in range(size):
                self._skip_items(types >> 4, 1)
                self._skip_items(types & 15, 1)
        elif type in {3, 7}:
            self._advance(1 if type == 3 else 8)
        elif type not in {1, 2}:  # the type of the field contains the value of a boolean
            raise ValueError(f"a field of the footer has the type {type}, which there isn't")

    def _skip_items(self, type: int, size: int) -> None:
        if type in {1, 2, 3}:
            self._advance(size)
        elif type in _INTS:
            self._skip_numbers(size)
        else:
            for _ in range(size):
                self._skip(type)

    def _skip_numbers(self, count: int) -> None:
        content, at = self.content, self.at
        for _ in range(count):
            start = at
            while content[at] > 127:
                at += 1
            at += 1
            if at - start > 10:
                raise ValueError("a number of the footer has more than 64 bits")
        self.at = at

    def _advance(self, size: int) -> None:
        self.at += size
        if self.at > len(self.content):
            raise IndexError

    def _byte(self) -> int:
        self.at += 1
        return self.content[self.at - 1]

    def _number(self) -> int:
        """Read an unsigned integer with seven bits per byte (varint)."""
        value = self._byte()
        if value < 128:
            return value
        value, shift = value & 127, 7
        while (byte := self._byte()) > 127:
            value |= (byte & 127) << shift
            shift += 7
            if shift > 63:
                raise ValueError("a number of the footer has more than 64 bits")
        return value | byte << shift

    def _integer(self) -> int:
        value = self._number()
        return value >> 1 ^ -(value & 1)

    def _bytes(self) -> bytes:
        size = self._number()
        start = self.at
        self._advance(size)
        return self.content[start : self.at]
