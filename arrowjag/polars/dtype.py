"""The polars extension dtype of jagged columns, and the selector that finds them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, overload

import polars as pl
import polars.selectors as cs

from arrowjag import _arrow
from arrowjag._arguments import several
from arrowjag._integers import MAX_NDIM, check_ndim, integer
from arrowjag._vocabulary.type_names import jagged_name
from arrowjag.dtype import metadata as canonical_metadata
from arrowjag.dtype import parse_metadata
from arrowjag.errors import JagTypeError, ShapeError, brief, plural
from arrowjag.polars._leaf_names import leaf_name
from arrowjag.polars._versions import map_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polars._typing import PolarsDataType

__all__ = ["Jagged", "jagged"]


class Jagged(pl.BaseExtension):
    """The dtype of a jagged column: nested lists, and the number of list levels that are dims.

    Parameters
    ----------
    leaf : polars dtype
        The dtype of the values.
    ndim : int
        Number of dims, the rows of the frame included; a flat list column has 2.
    extents : sequence of int or None, optional
        Declared size of each dim after the rows; None for a ragged dim.

    Raises
    ------
    ShapeError
        If `ndim` is below 1, or `extents` does not have one entry for each dim after the rows.

    Notes
    -----
    The storage is a `List` for each dim after the rows, or an `Array` if its extent is declared. The metadata is canonical JSON,
    the same bytes as in Arrow. Filters, sorts, joins, group-bys, concat, pivot, Parquet and IPC keep the dtype.

    The dtype prints as in pandas and Arrow, with the Arrow name of the leaf type. In headers of frames and in its own errors
    polars writes ``ext[jagged[double, 2]]``.

    Examples
    --------
    >>> from arrowjag.polars import Jagged
    >>> import polars as pl
    >>> Jagged(pl.Float64, 3)
    jagged[double, 3]
    >>> Jagged(pl.Float64, 3, extents=(None, 4)).ext_storage()
    List(Array(Float64, shape=(4,)))
    """

    def __init__(self, leaf: PolarsDataType, ndim: int, extents: Sequence[int | None] | None = None) -> None:
        ndim = integer(ndim, "Jagged: ndim")
        if ndim < 1:
            raise ShapeError(f"Jagged: a column has at least 1 dim, got ndim={brief(ndim)}")
        check_ndim(ndim, "Jagged")
        given = [None] * (ndim - 1) if extents is None else several(extents, "Jagged: extents must be a list of int or None")
        if len(given) != ndim - 1:
            raise ShapeError(
                f"Jagged: ndim={ndim} takes {plural(ndim - 1, 'extent')}, one for each dim after the rows, got {brief(given)}"
            )
        sizes = [None if one is None else integer(one, "Jagged: an extent") for one in given]
        if any(one is not None and one < 0 for one in sizes):
            raise ShapeError(f"Jagged: an extent must be at least 0, got {tuple(sizes)}")
        storage: Any = _leaf(leaf, "Jagged")
        for extent in reversed(sizes):
            storage = pl.Array(storage, extent) if extent else pl.List(storage)
        super().__init__(_arrow.EXTENSION_NAME, storage, canonical_metadata(ndim))

    @classmethod
    def ext_from_params(cls, name: str, storage: PolarsDataType, metadata: str | None) -> Jagged:
        """Construct the dtype from the metadata of a file or of another library; polars calls it.

        Parameters
        ----------
        name : str
            The name of the extension.
        storage : polars dtype
            The dtype of the stored data.
        metadata : str or None
            The metadata of the extension, which may be invalid.

        Returns
        -------
        Jagged
            With canonical metadata. It never raises: if the metadata is invalid, every list level is a dim.
        """
        levels = _levels(storage)
        ndim = parse_metadata(metadata, levels)
        made: Jagged = super().ext_from_params(name, storage, canonical_metadata(ndim))
        return made

    @property
    def ndim(self) -> int:
        """Number of dims, the rows of the frame included."""
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
        """Declared extent of each dim after the rows; None for a ragged dim."""
        extents: list[int | None] = []
        dtype: Any = self.ext_storage()
        for _ in range(self.ndim - 1):
            extents.append(dtype.size if isinstance(dtype, pl.Array) else None)
            dtype = _inner(dtype)
        return tuple(extents)

    def _string_repr(self) -> str:
        # polars calls it from Rust for headers and errors, where it writes `ext[...]` around the text.
        return jagged_name(leaf_name(self.leaf), self.ndim, self.extents)

    def __repr__(self) -> str:
        return self._string_repr()


def _inner(dtype: Any) -> Any:
    """The dtype one level below a `List` or the first dim of an `Array`."""
    return dtype.inner


def _levels(dtype: Any) -> int:
    """The number of list levels of a dtype."""
    levels = 0
    while isinstance(dtype, (pl.List, pl.Array)):
        dtype, levels = _inner(dtype), levels + 1
    return levels


def register() -> None:
    """Register the dtype with polars; a second call changes nothing."""
    if pl.get_extension_type(_arrow.EXTENSION_NAME) is None:
        pl.register_extension_type(_arrow.EXTENSION_NAME, Jagged)


@overload
def jagged(leaf: PolarsDataType | None = None, ndim: None = None) -> cs.Selector: ...


@overload
def jagged(leaf: PolarsDataType, ndim: int | None = None) -> cs.Selector: ...


@overload
def jagged(leaf: None, ndim: int) -> pl.Expr: ...


@overload
def jagged(*, ndim: int) -> pl.Expr: ...


def jagged(leaf: PolarsDataType | None = None, ndim: int | None = None) -> cs.Selector | pl.Expr:
    """Select the columns with the dtype `Jagged`.

    Parameters
    ----------
    leaf : polars dtype, optional
        The dtype of the values. Without `ndim`, columns of any number of dims are selected.
    ndim : int, optional
        Number of dims, from 1 to 64.

    Returns
    -------
    polars.selectors.Selector or polars.Expr
        A selector, which combines with other selectors. Without arguments it selects every column whose dtype is an extension over
        lists, because a selector of polars can't test the name of an extension. With a leaf it selects columns without declared
        extents. `ndim` alone returns an expression of the columns, because selectors compare whole dtypes and the leaf dtypes are
        unlimited: `select`, `with_columns`, `agg` and methods accept it; `drop`, and `-` and `~` of selectors, don't.

    Raises
    ------
    JagTypeError, JagValueError, ShapeError
        If `ndim` is not an int, below 1, or above 64.

    Examples
    --------
    >>> import arrowjag as aj, polars as pl
    >>> df = pl.DataFrame({"k": [1, 2], "v": aj.array([[1, 2], [3]]).to_polars(), "w": aj.array([["x"], []]).to_polars()})
    >>> df.select(aj.polars.jagged()).columns
    ['v', 'w']
    >>> df.select(aj.polars.jagged(pl.String)).columns
    ['w']
    >>> df.select(aj.polars.jagged(ndim=2).jag.lengths()).rows()
    [(2, 1), (1, 0)]
    """
    if leaf is not None:
        return cs.by_dtype([Jagged(leaf, one) for one in (range(2, MAX_NDIM + 1) if ndim is None else [ndim])])
    # All nested columns except those of polars' own dtypes: extension types over lists.
    extensions: Any = cs.nested() - cs.list() - cs.array() - cs.struct() - map_columns()
    if ndim is None:
        return extensions  # type: ignore[no-any-return]
    check_ndim(integer(ndim, "ndim", 1), "jagged")
    return extensions.as_expr().pipe_with_dtype(partial(_of_ndim, ndim))  # type: ignore[no-any-return]


def _leaf(leaf: Any, owner: str) -> Any:
    """Return a dtype of polars, also one that a Python type names; raise for other values."""
    try:
        return pl.List(leaf).inner
    except Exception:  # noqa: BLE001  # polars shows the value, and its repr may fail
        raise JagTypeError(f"{owner}: leaf must be a dtype of polars, got {brief(leaf)} of type {type(leaf).__name__}") from None


def _of_ndim(ndim: int, column: pl.Expr, dtype: Any) -> pl.Expr:
    """The column if it has that many levels, else an expression of no columns."""
    return column if isinstance(dtype, Jagged) and dtype.ndim == ndim else cs.empty().as_expr()
