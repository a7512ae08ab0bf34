"""Names of jagged types and of Arrow types as text that can be parsed: ``jagged[double, 2]``."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.types as pt

from arrowjag.errors import JagTypeError, brief

__all__ = ["jagged_name", "parse_dtype_name", "parse_type_name", "type_name"]

_LISTS: list[tuple[str, Callable[[pa.DataType], bool], Callable[..., pa.DataType]]] = [
    ("list", pt.is_list, pa.list_),
    ("large_list", pt.is_large_list, pa.large_list),
    ("list_view", pt.is_list_view, pa.list_view),
    ("large_list_view", pt.is_large_list_view, pa.large_list_view),
]
_EXTENSIONS = {"arrow.uuid": "uuid", "arrow.json": "json_", "arrow.bool8": "bool8"}
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")
_NAME = re.compile(r"\s*([A-Za-z_]\w*):(?!:)")
_UNITS = {"s", "ms", "us", "ns"}
_ARROW_NAMES = {
    "int": "int64",
    "integer": "int64",
    "uint": "uint64",
    "bytes": "binary",
    "text": "string",
    "object": "string for text",
    "date": "date32[day]",
    "time": "time64[us]",
    "datetime": "timestamp[us]",
    "datetime64": "timestamp[us]",
    "timestamp": "timestamp[us]",
    "timedelta": "duration[us]",
    "timedelta64": "duration[us]",
    "duration": "duration[us]",
    "category": "dictionary<string, int32>",
    "categorical": "dictionary<string, int32>",
    **{f"datetime64[{unit}]": f"timestamp[{unit}]" for unit in sorted(_UNITS)},
    **{f"timedelta64[{unit}]": f"duration[{unit}]" for unit in sorted(_UNITS)},
}
"""Names of numpy, pandas and Python that Arrow lacks, and those that Arrow has."""

_INTEGERS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
_PLAIN_NAMES = [*_INTEGERS, "float16", "float32", "float64", "double", "bool", "string", "large_string", "binary", "date32"]
"""Names to suggest for one that is no name."""


def type_name(type: pa.DataType) -> str:
    """Return the name of an Arrow type.

    Parameters
    ----------
    type : pa.DataType
        Any type, nested ones included.

    Returns
    -------
    str
        pyarrow's own name for plain types; fields of structs are quoted as in JSON, so that every name reads back.

    Examples
    --------
    >>> type_name(pa.struct([("a b", pa.timestamp("us", "UTC"))]))
    'struct<"a b": timestamp[us, tz=UTC]>'
    """
    if pt.is_struct(type):
        return f"struct<{', '.join(f'{json.dumps(field.name)}: {_field_name(field)}' for field in type)}>"
    for word, matches, _ in _LISTS:
        if matches(type):
            return f"{word}<{_field_name(type.value_field)}>"
    if pt.is_fixed_size_list(type):
        return f"fixed_size_list<{_field_name(type.value_field)}, {type.list_size}>"
    if pt.is_map(type):
        return f"map<{type_name(type.key_type)}, {_field_name(type.item_field)}>"
    if pt.is_dictionary(type):
        return f"dictionary<{type_name(type.value_type)}, {type.index_type}{', ordered' if type.ordered else ''}>"
    if pt.is_run_end_encoded(type):
        return f"run_end_encoded<{type.run_end_type}, {type_name(type.value_type)}>"
    if isinstance(type, pa.BaseExtensionType):
        return f"extension<{type.extension_name}>"
    return str(type)


def _field_name(field: pa.Field) -> str:
    return type_name(field.type) + ("" if field.nullable else " not null")


def jagged_name(leaf: str, ndim: int, extents: Sequence[int | None]) -> str:
    """Return the name of a jagged type, the same in Arrow, pandas and polars.

    Parameters
    ----------
    leaf : str
        The name of the leaf type, as `type_name` writes it.
    ndim : int
        Number of dims, the rows included.
    extents : sequence of int or None
        Declared size of each dim after the rows.

    Returns
    -------
    str
        Extents are part of the name only if one is declared.

    Examples
    --------
    >>> jagged_name("float", 3, (None, 4))
    'jagged[float, 3, extents=(None, 4)]'
    """
    declared = f", extents={tuple(extents)!r}" if any(one is not None for one in extents) else ""
    return f"jagged[{leaf}, {ndim}{declared}]"


def parse_dtype_name(text: str) -> tuple[pa.DataType, int, tuple[int | None, ...] | None]:
    """Read ``jagged[leaf, ndim]`` or ``jagged[leaf, ndim, extents=(...)]``.

    Parameters
    ----------
    text : str
        The name of a dtype.

    Returns
    -------
    pa.DataType
        The leaf type.
    int
        ndim.
    tuple of int or None, or None
        Extents of the dims after the rows.

    Raises
    ------
    JagTypeError
        If the text is no such name.

    Examples
    --------
    >>> parse_dtype_name("jagged[float, 3, extents=(None, 4)]")
    (DataType(float), 3, (None, 4))
    """
    reader = _Reader(text)
    reader.expect("jagged[")
    leaf = reader.type()
    reader.expect(",")
    ndim = reader.number()
    extents = None
    if reader.skip(","):
        reader.expect("extents=(")
        extents = reader.extents()
    reader.expect("]")
    if reader.rest():
        raise reader.error("nothing more")
    return leaf, ndim, extents


def parse_type_name(text: str) -> pa.DataType:
    """Read the name of an Arrow type, as `type_name` and pyarrow write it.

    Parameters
    ----------
    text : str
        Field names of structs need no quotes if they are plain words.

    Returns
    -------
    pa.DataType
        The type.

    Raises
    ------
    JagTypeError
        If the text is no such name.

    Examples
    --------
    >>> parse_type_name("struct<at: timestamp[us, tz=UTC], price: decimal128(9, 2)>")
    StructType(struct<at: timestamp[us, tz=UTC], price: decimal128(9, 2)>)
    """
    reader = _Reader(text, "an Arrow type")
    type = reader.type()
    if reader.rest():
        raise reader.error("nothing more")
    return type


class _Reader:
    """A cursor over the text of a name."""

    def __init__(self, text: str, wanted: str = "a 'JaggedDtype'") -> None:
        self._text = text
        self._at = 0
        self._wanted = wanted

    def rest(self) -> str:
        return self._text[self._at :].strip()

    def error(self, wanted: str) -> JagTypeError:
        return self.refusal(f"expected {wanted} at {self._at}")

    def refusal(self, reason: str) -> JagTypeError:
        return JagTypeError(f"Cannot construct {self._wanted} from {brief(self._text)}: {reason}")

    def skip(self, mark: str) -> bool:
        while self._text[self._at : self._at + 1] == " ":
            self._at += 1
        if not self._text.startswith(mark, self._at):
            return False
        self._at += len(mark)
        return True

    def expect(self, mark: str) -> None:
        if not self.skip(mark):
            raise self.error(repr(mark))

    def match(self, pattern: re.Pattern[str], wanted: str) -> str:
        self.skip("")
        found = pattern.match(self._text, self._at)
        if found is None:
            raise self.error(wanted)
        self._at = found.end()
        return found.group()

    def number(self) -> int:
        return int(self.match(re.compile(r"-?\d+"), "a number"))

    def extents(self) -> tuple[int | None, ...]:
        found: list[int | None] = []
        while not self.skip(")"):
            found.append(None if self.skip("None") else self.number())
            self.skip(",")
        return tuple(found)

    def field(self, name: str) -> pa.Field:
        type = self.type()
        return pa.field(name, type, nullable=not self.skip("not null"))

    def type(self) -> pa.DataType:
        try:
            return self.any_type()
        except JagTypeError:
            raise
        except (ValueError, TypeError) as error:  # pyarrow refuses a precision, an index type or a unit
            raise self.error(f"a valid type ({error})") from error

    def any_type(self) -> pa.DataType:
        word = self.match(_WORD, "the name of an Arrow type")
        if self.skip("<"):
            type = self.nested(word)
            self.expect(">")
            if word == "fixed_size_list" and pt.is_list(type):  # as pyarrow writes it
                self.expect("[")
                type = pa.list_(type.value_field, self.number())
                self.expect("]")
            return type
        if word.startswith("decimal") and self.skip("("):
            return self.decimal(word)
        if self.skip("["):
            return self.with_unit(word)
        return self.plain(word)

    def nested(self, word: str) -> pa.DataType:
        if word == "struct":
            return pa.struct(self.struct_fields())
        for name, _, make in _LISTS:
            if word == name:
                return make(self.items())
        if word == "extension":
            return self.extension()
        if word == "fixed_size_list":
            items = self.items()
            return pa.list_(items, self.number()) if self.skip(",") else pa.list_(items)
        self.skip("values=" if word == "dictionary" else "run_ends:")
        first = self.type()
        self.expect(",")
        if word == "map":
            return pa.map_(first, self.field("value"))
        if word == "dictionary":
            self.skip("indices=")
            index = self.type()
            ordered = self.skip(",") and self.skip("ordered") and not self.skip("=0")
            self.skip("=1")
            return pa.dictionary(index, first, ordered)
        if word == "run_end_encoded":
            self.skip("values:")
            return pa.run_end_encoded(first, self.type())
        raise self.error("a nested Arrow type")

    def items(self) -> pa.Field:
        """Read the field of a list, whose name pyarrow writes."""
        name = _NAME.match(self._text, self._at)
        if name is not None:
            self._at = name.end()
        return self.field("item" if name is None else name[1])

    def struct_fields(self) -> list[pa.Field]:
        fields: list[pa.Field] = []
        while self.rest() and not self.rest().startswith(">"):
            self.skip("")
            name = self.field_name()
            self.expect(":")
            fields.append(self.field(name))
            self.skip(",")
        return fields

    def field_name(self) -> str:
        if self._text[self._at : self._at + 1] != '"':
            return self.match(_WORD, "the name of a field")
        try:
            name, length = json.JSONDecoder().raw_decode(self._text[self._at :])
        except ValueError:
            raise self.error("a field name in double quotes") from None
        self._at += length
        return str(name)

    def extension(self) -> pa.DataType:
        name = self.match(_WORD, "the name of an extension type")
        make = getattr(pa, _EXTENSIONS.get(name, ""), None)
        if make is None:
            raise self.error("an extension type that Arrow itself has")
        type: pa.DataType = make()
        return type

    def decimal(self, word: str) -> pa.DataType:
        precision = self.number()
        self.expect(",")
        scale = self.number()
        self.expect(")")
        make: Any = getattr(pa, word if word != "decimal" else "decimal128", None)
        if make is None:
            raise self.error("a decimal type")
        type: pa.DataType = make(precision, scale)
        return type

    def with_unit(self, word: str) -> pa.DataType:
        inside = self.match(re.compile(r"[^\]]*"), "a unit")
        self.expect("]")
        unit, _, zone = inside.partition(", tz=")
        if word == "timestamp" and unit in _UNITS:
            return pa.timestamp(unit, zone or None)
        if word == "fixed_size_binary" and inside.isdigit():
            return pa.binary(int(inside))
        return self.plain(f"{word}[{inside}]")

    def plain(self, word: str) -> pa.DataType:
        if word == "month_day_nano_interval":
            return pa.month_day_nano_interval()
        try:
            return pa.type_for_alias(word)
        except ValueError:
            near = difflib.get_close_matches(word, _PLAIN_NAMES, 1)
            hint = f"; write {_ARROW_NAMES[word]}" if word in _ARROW_NAMES else f"; did you mean {near[0]!r}?" if near else ""
            raise self.refusal(f"{brief(word)} is not the name of an Arrow type{hint}") from None
