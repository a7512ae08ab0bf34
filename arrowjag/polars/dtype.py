"""The polars extension dtype of jagged columns, and the selector that finds them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import polars.selectors as cs

from arrowjag import _arrow
from arrowjag._integers import integer
from arrowjag.dtype import metadata as canonical_metadata
from arrowjag.dtype import parse_metadata
from arrowjag.errors import JagTypeError, ShapeError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polars._typing import PolarsDataType

__all__ = ["Jagged", "jagged"]


class Jagged(pl.BaseExtension):
    """The dtype of a jagged column: nested lists that know how many of their levels are dims.

    Parameters
    ----------
    leaf : polars dtype
        The dtype of the values.
    ndim : int
        Number of levels, the rows of the frame included; a flat list column has 2.
    extents : sequence of int or None, optional
        Declared size of each dim after the rows, None for ragged ones.

    Raises
    ------
    ShapeError
        If `ndim` is below 1, or `extents` does not have one entry for each dim after the rows.

    Notes
    -----
    Its storage is `List` for each dim after the rows, `Array` where an extent is declared; metadata is canonical
    JSON, the same bytes as in Arrow. polars keeps the dtype through filters, sorts, joins, group-bys, concat, pivot,
    Parquet and IPC.

    Examples
    --------
    >>> import polars as pl
    >>> Jagged(pl.Float64, 3)
    Jagged(Float64, 3)
    >>> Jagged(pl.Float64, 3, extents=(None, 4)).ext_storage()
    List(Array(Float64, shape=(4,)))
    """

    def __init__(self, leaf: PolarsDataType, ndim: int, extents: Sequence[int | None] | None = None) -> None:
        ndim = integer(ndim, "Jagged: ndim")
        if ndim < 1:
            raise ShapeError(f"Jagged: a column has at least 1 dim, got ndim={ndim}")
        if extents is not None and len(extents) != ndim - 1:
            raise ShapeError(f"Jagged: {ndim} dims have {ndim - 1} extents, one for each dim after the rows, got {tuple(extents)}")
        sizes = [None if one is None else integer(one, "Jagged: an extent") for one in extents or [None] * (ndim - 1)]
        if any(one is not None and one < 0 for one in sizes):
            raise ShapeError(f"Jagged: an extent is at least 0, got {tuple(sizes)}")
        storage: Any = leaf
        for extent in reversed(sizes):
            storage = pl.Array(storage, extent) if extent else pl.List(storage)
        super().__init__(_arrow.EXTENSION_NAME, storage, canonical_metadata(ndim))

    @classmethod
    def ext_from_params(cls, name: str, storage: PolarsDataType, metadata: str | None) -> Jagged:
        """A dtype from what a file or another library says; polars calls it.

        Parameters
        ----------
        name : str
            The name of the extension.
        storage : polars dtype
            The dtype of the stored data.
        metadata : str or None
            The extension's metadata, of whatever origin.

        Returns
        -------
        Jagged
            With canonical metadata. It never raises: metadata that says nothing makes every list a dim.
        """
        levels = _levels(storage)
        try:
            ndim = parse_metadata(metadata, levels)
        except RecursionError:  # metadata from a file may be nested as deep as anyone likes
            ndim = levels + 1
        made: Jagged = super().ext_from_params(name, storage, canonical_metadata(ndim))
        return made

    @property
    def ndim(self) -> int:
        """Number of levels, the rows of the frame included."""
        return parse_metadata(self.ext_metadata(), _levels(self.ext_storage()))

    @property
    def leaf(self) -> PolarsDataType:
        """The dtype of the values below the dims."""
        dtype: Any = self.ext_storage()
        for _ in range(self.ndim - 1):
            dtype = _inner(dtype)
        return dtype  # type: ignore[no-any-return]

    @property
    def extents(self) -> tuple[int | None, ...]:
        """Declared extent of each dim after the rows; None for ragged ones."""
        extents: list[int | None] = []
        dtype: Any = self.ext_storage()
        for _ in range(self.ndim - 1):
            extents.append(dtype.size if isinstance(dtype, pl.Array) else None)
            dtype = _inner(dtype)
        return tuple(extents)

    def _string_repr(self) -> str:
        leaf: Any = self.leaf
        text = leaf._string_repr() if isinstance(leaf, pl.DataType) else leaf()._string_repr()
        return f"jagged[{text}, {self.ndim}]"

    def __repr__(self) -> str:
        declared = f", extents={self.extents}" if any(self.extents) else ""
        return f"Jagged({self.leaf!r}, {self.ndim}{declared})"


def _inner(dtype: Any) -> Any:
    """The dtype one level below a `List` or the first dim of an `Array`."""
    return dtype.inner


def _levels(dtype: Any) -> int:
    """How many list levels a dtype has."""
    levels = 0
    while isinstance(dtype, (pl.List, pl.Array)):
        dtype, levels = _inner(dtype), levels + 1
    return levels


def register() -> None:
    """Make polars know the dtype; doing so twice is no error."""
    if pl.get_extension_type(_arrow.EXTENSION_NAME) is None:
        pl.register_extension_type(_arrow.EXTENSION_NAME, Jagged)


def jagged(leaf: PolarsDataType | None = None, ndim: int | None = None) -> cs.Selector:
    """Select the columns with the dtype `Jagged`.

    Parameters
    ----------
    leaf : polars dtype, optional
        With `ndim`: select that dtype alone, without declared extents.
    ndim : int, optional
        With `leaf`: select that dtype alone.

    Returns
    -------
    polars.selectors.Selector
        To be combined with other selectors. Without arguments it takes every column whose dtype is an extension over lists: a
        selector of polars can't ask for its name.

    Raises
    ------
    JagTypeError
        If only one of `leaf` and `ndim` is given.

    Examples
    --------
    >>> import arrowjag as aj, polars as pl
    >>> df = pl.DataFrame({"k": [1, 2], "v": aj.array([[1, 2], [3]]).to_polars()})
    >>> df.select(aj.polars.jagged()).columns
    ['v']
    """
    if (leaf is None) != (ndim is None):
        raise JagTypeError("jagged() takes both a leaf dtype and ndim, or neither")
    if leaf is not None and ndim is not None:
        return cs.by_dtype(Jagged(leaf, ndim))
    # The nested columns that are none of polars' own: extension types over lists.
    extensions: Any = cs.nested() - cs.list() - cs.array() - cs.struct() - cs.map()
    return extensions  # type: ignore[no-any-return]
