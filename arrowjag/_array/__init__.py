"""`JaggedArray`: the class that users meet. Each family of methods is one file beside this one."""

from __future__ import annotations

from typing import Any

from arrowjag._array.base import Listed, as_column
from arrowjag._array.by_key import KeyMethods
from arrowjag._array.combining import CombiningMethods
from arrowjag._array.dense import DenseMethods
from arrowjag._array.edits import EditMethods
from arrowjag._array.elementwise import ElementwiseMethods
from arrowjag._array.groups import GroupMethods
from arrowjag._array.histograms import HistogramMethods
from arrowjag._array.indexing import IndexingMethods
from arrowjag._array.maps import MapMethods
from arrowjag._array.moments import MomentMethods
from arrowjag._array.order import OrderMethods
from arrowjag._array.rearrange import RearrangeMethods
from arrowjag._array.reductions import ReductionMethods
from arrowjag._array.row_functions import RowFunctionMethods
from arrowjag._array.scans import ScanMethods
from arrowjag._array.series import SeriesMethods
from arrowjag._array.statistics import StatisticMethods
from arrowjag._array.structure import StructureMethods
from arrowjag._array.text import TextMethods
from arrowjag._array.time_methods import TimeMethods
from arrowjag._array.vectors import VectorMethods
from arrowjag._array.windows import WindowMethods
from arrowjag._methods import accessor

__all__ = ["JaggedArray", "ListedArray", "array_of"]


class JaggedArray(
    ElementwiseMethods,
    StructureMethods,
    IndexingMethods,
    MapMethods,
    ReductionMethods,
    StatisticMethods,
    MomentMethods,
    HistogramMethods,
    VectorMethods,
    ScanMethods,
    SeriesMethods,
    WindowMethods,
    OrderMethods,
    KeyMethods,
    GroupMethods,
    EditMethods,
    CombiningMethods,
    RowFunctionMethods,
    RearrangeMethods,
    DenseMethods,
):
    """A jagged column: a `JaggedShape` and one flat Arrow array of leaf values.

    Parameters
    ----------
    shape : JaggedShape
        The nesting.
    values : pa.Array or input of `pa.array`
        One leaf per position of the shape.

    Raises
    ------
    ShapeError
        If the number of values is not the size of the shape.

    Notes
    -----
    Immutable. Values are shared, never copied. Null items are stored in the values, null rows in the dims of the shape.

    Examples
    --------
    >>> import arrowjag as aj
    >>> x = aj.JaggedArray(aj.JaggedShape(2, [2, 1]), [1.0, 2.0, 3.0])
    >>> (x * aj.array([10, 100])).to_list()
    [[10.0, 20.0], [300.0]]
    """

    __slots__ = ()

    dt = accessor(TimeMethods)
    str = accessor(TextMethods)


class ListedArray(Listed, JaggedArray):
    """The array of a list in a recorded call, which takes its type from the other operand, as the list would."""

    __slots__ = ()

    def _binary(self, name: str, other: Any, reflected: bool = False) -> Any:
        as_other = isinstance(other, JaggedArray) and not isinstance(other, Listed)
        return other._binary(name, self, not reflected) if as_other else super()._binary(name, other, reflected)

    def __array_ufunc__(self, ufunc: Any, call: str, *inputs: Any, **options: Any) -> Any:
        others = [one for one in inputs if isinstance(one, JaggedArray) and not isinstance(one, Listed)]
        return JaggedArray.__array_ufunc__(others[0] if others else self, ufunc, call, *inputs, **options)


def array_of(data: Any) -> JaggedArray:
    """Return any operand as a JaggedArray; an array itself unchanged."""
    column = as_column(data)
    if isinstance(column, JaggedArray):
        return column
    result: JaggedArray = JaggedArray._of(column)
    return result
