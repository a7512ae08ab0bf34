"""The Arrow extension type `arrowjag.jagged` and its metadata."""

from __future__ import annotations

import functools
import json
from typing import Any

import pyarrow as pa

from arrowjag import _arrow, _column, _lazy_imports
from arrowjag._arguments import check_arguments_as, several
from arrowjag._integers import MAX_NDIM, check_ndim, integer, is_int
from arrowjag._vocabulary.type_names import jagged_name, type_name
from arrowjag.errors import JagTypeError, ShapeError, brief, plural

__all__ = ["JaggedType", "metadata"]


@functools.lru_cache(maxsize=64)
def metadata(ndim: int) -> str:
    """Return the extension metadata: canonical JSON, the same bytes in Arrow and polars.

    Parameters
    ----------
    ndim : int
        Number of dims, the rows included.

    Returns
    -------
    str
        Sorted keys, no blanks.

    Examples
    --------
    >>> from arrowjag.dtype import metadata
    >>> metadata(3)
    '{"ndim":3,"v":1}'
    """
    return json.dumps({"ndim": ndim, "v": 1}, sort_keys=True, separators=(",", ":"))


@functools.cache
def _canonical() -> dict[str, int]:
    """The ndim of each metadata that arrowjag writes; polars asks for that of a column several times a call."""
    return {metadata(ndim): ndim for ndim in range(1, MAX_NDIM + 1)}


def parse_metadata(text: str | bytes | None, levels: int) -> int:
    """Return the ndim in the metadata; if it is missing or invalid, all levels of the storage, at most `MAX_NDIM`.

    Never raises.
    """
    most = min(levels + 1, MAX_NDIM)
    if isinstance(text, str) and (known := _canonical().get(text)) is not None:
        return min(known, most)
    try:
        ndim = json.loads(text or b"")["ndim"]
    except (ValueError, TypeError, KeyError, RecursionError):  # metadata of a file may be any text, nested to any depth
        return most
    return ndim if isinstance(ndim, int) and not isinstance(ndim, bool) and 1 <= ndim <= most else most


def _check_extents(extents: tuple[Any, ...], ndim: int) -> None:
    """Raise unless there is one extent per dim, or None."""
    if len(extents) != ndim or not all(one is None or (is_int(one) and 0 <= one < 2**31) for one in extents):
        raise ShapeError(
            f"JaggedType.of: extents of ndim {ndim} must be {plural(ndim, 'int')} of less than 2**31 or None, got {brief(extents)}"
        )


class JaggedType(pa.ExtensionType):
    """The Arrow type of a jagged column: nested lists, and the number of list levels that are dims.

    Parameters
    ----------
    storage : pa.DataType
        Nested `large_list`, `fixed_size_list` where an extent is declared; other lists are accepted.
    ndim : int, optional
        Number of dims, the rows included; by default every list is a dim.

    Raises
    ------
    ShapeError
        If the storage has fewer levels, or `ndim` is 0.
    JagValueError
        If `ndim` is negative.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from arrowjag import JaggedType
    >>> JaggedType(pa.large_list(pa.float64()))
    jagged[double, 2]
    """

    @check_arguments_as("JaggedType")
    def __init__(self, storage: pa.DataType, ndim: int | None = None) -> None:
        if not isinstance(storage, pa.DataType):
            raise JagTypeError(f"JaggedType takes an Arrow type, got {brief(storage)}")
        levels = _arrow.depth(storage)
        self._ndim = levels + 1 if ndim is None else integer(ndim, "JaggedType: ndim")
        check_ndim(self._ndim, "the type")
        if self._ndim < 1:
            raise ShapeError(f"ndim must be at least 1, got {ndim}")
        if self._ndim > levels + 1:
            raise ShapeError(f"{storage} has {plural(levels, 'list level')}, too few for ndim={ndim}")
        super().__init__(storage, _arrow.EXTENSION_NAME)

    @classmethod
    @check_arguments_as("JaggedType.of")
    def of(cls, leaf: pa.DataType, ndim: int, extents: tuple[int | None, ...] | None = None) -> JaggedType:
        """Return the type of a column by its leaf type, ndim and declared extents.

        Parameters
        ----------
        leaf : pa.DataType
            The type of the values.
        ndim : int
            Number of dims.
        extents : tuple of int or None, optional
            One entry per dim; the entry of the rows is ignored.

        Returns
        -------
        JaggedType
            The type.

        Raises
        ------
        JagTypeError
            If `leaf` is not an Arrow type, or `ndim` not an int.
        ShapeError
            If `ndim` is 0, there are other than `ndim` extents, or one of them is no extent of Arrow.
        JagValueError
            If `ndim` is negative.

        Examples
        --------
        >>> import pyarrow as pa
        >>> from arrowjag import JaggedType
        >>> JaggedType.of(pa.int64(), 3, (None, None, 4)).storage_type
        LargeListType(large_list<item: fixed_size_list<item: int64>[4]>)
        """
        if not isinstance(leaf, pa.DataType):
            raise JagTypeError(f"JaggedType.of: leaf must be an Arrow type, got {brief(leaf)}")
        sizes = None if extents is None else tuple(several(extents, "JaggedType.of: extents must be a tuple of int or None"))
        check_ndim(ndim, "JaggedType.of: the type")
        if sizes is not None:
            _check_extents(sizes, ndim)
        return cls(_column.storage_type(leaf, ndim, sizes), ndim)

    @property
    def ndim(self) -> int:
        """Number of dims, the rows included."""
        return self._ndim

    @property
    def leaf_type(self) -> pa.DataType:
        """The type of the values below the dims."""
        type = self.storage_type
        for _ in range(self._ndim - 1):
            type = type.value_type
        return type

    @property
    def extents(self) -> tuple[int | None, ...]:
        """Declared extent of each dim; None for the rows and for ragged dims."""
        extents: list[int | None] = [None]
        type = self.storage_type
        for _ in range(self._ndim - 1):
            extents.append(type.list_size if pa.types.is_fixed_size_list(type) else None)
            type = type.value_type
        return tuple(extents)

    def __str__(self) -> str:
        return jagged_name(type_name(self.leaf_type), self._ndim, self.extents[1:])

    def __repr__(self) -> str:
        return str(self)

    def __arrow_ext_serialize__(self) -> bytes:
        return metadata(self._ndim).encode()

    @classmethod
    def __arrow_ext_deserialize__(cls, storage_type: pa.DataType, serialized: bytes) -> JaggedType:
        # Arrow asks for the type each time that nothing refers to it any more, dozens of times per file.
        known = _deserialized(storage_type, serialized)
        if known.storage_type.equals(storage_type, check_metadata=True):
            return known
        return cls(storage_type, parse_metadata(serialized, _arrow.depth(storage_type)))

    def __arrow_ext_class__(self) -> type[pa.ExtensionArray]:
        return JaggedExtension

    def to_pandas_dtype(self) -> Any:
        """Return the pandas dtype of the column, for `Table.to_pandas`.

        Returns
        -------
        JaggedDtype
            The dtype of the column.
        """
        return _lazy_imports.load("pandas").JaggedDtype.from_arrow_type(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, JaggedType) and (self._ndim, self.storage_type) == (other._ndim, other.storage_type)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        # The text of a type contains the names of list items (item in Arrow, element in Parquet), which equality ignores.
        return hash((_arrow.EXTENSION_NAME, self.extents, self.leaf_type.id))

    def __reduce__(self) -> tuple[Any, ...]:
        return JaggedType, (self.storage_type, self._ndim)


@functools.lru_cache(maxsize=256)
def _deserialized(storage: pa.DataType, serialized: bytes) -> JaggedType:
    return JaggedType(storage, parse_metadata(serialized, _arrow.depth(storage)))


class JaggedExtension(pa.ExtensionArray):
    """An Arrow array of a jagged type; `arrowjag.from_arrow` reads it."""

    def to_pandas(self, **options: Any) -> Any:
        """Return the array as a pandas Series of the jagged dtype.

        Parameters
        ----------
        **options
            Those of pyarrow; they have no meaning for a jagged column.

        Returns
        -------
        pandas.Series
            With dtype `jagged[...]`.
        """
        return _lazy_imports.load("pandas").series_from_arrow(self)


def register() -> None:
    """Register the type with Arrow; a repeated registration is ignored."""
    try:
        pa.register_extension_type(JaggedType(pa.large_list(pa.null())))
    except pa.ArrowKeyError:
        return
