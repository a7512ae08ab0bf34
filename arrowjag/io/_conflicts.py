"""Columns and fields that files hold in types without a common type: only reading them raises, other columns can be read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

import pyarrow as pa
import pyarrow.types as pt

from arrowjag._gate import inside
from arrowjag.errors import JagTypeError

__all__ = ["Conflict", "refuse_conflicts", "without_conflicts"]


class Conflict(pa.ExtensionType):  # type: ignore[misc]  # pyarrow is untyped here
    """The type of a column, or of a field of structs, in the merged schema of files that have no type for it in common.

    Parameters
    ----------
    text : str
        The error of reading it: which column, files and types.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        super().__init__(pa.null(), "arrowjag.conflict")

    def __arrow_ext_serialize__(self) -> bytes:
        return self.text.encode()

    @classmethod
    def __arrow_ext_deserialize__(cls, storage_type: pa.DataType, serialized: bytes) -> Self:
        return cls(serialized.decode(errors="replace"))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Conflict) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


def refuse_conflicts(fields: Iterable[pa.Field]) -> None:
    """Raise if columns are, or hold, a conflict.

    Parameters
    ----------
    fields : iterable of pa.Field
        The columns that are to be read, with those fields of structs that are to be read.

    Raises
    ------
    JagTypeError
        Of the first conflict.
    """
    for field in fields:
        if (conflict := _first(field.type)) is not None:
            raise JagTypeError(conflict.text)


def _first(type: pa.DataType) -> Conflict | None:
    if isinstance(type, Conflict):
        return type
    return next((found for part in inside(type) if (found := _first(part)) is not None), None)


def without_conflicts(schema: pa.Schema) -> pa.Schema:
    """Return a schema that has the type null in place of conflicts: null compares with anything, so that any filter can be parsed.

    Parameters
    ----------
    schema : pa.Schema
        The merged schema of files.

    Returns
    -------
    pa.Schema
        The same object if there is no conflict.
    """
    if all(_first(field.type) is None for field in schema):
        return schema
    return pa.schema([field.with_type(_nulls(field.type)) for field in schema], schema.metadata)


def _nulls(type: pa.DataType) -> pa.DataType:
    """Replace conflicts by nulls, also in fields of structs; filters name no fields inside of lists."""
    if pt.is_struct(type):
        return pa.struct([field.with_type(_nulls(field.type)) for field in type])
    return pa.null() if isinstance(type, Conflict) else type
