"""Compile a stretch of calls on float64 to one loop over rows, without temporaries.

`fuses` tells which calls a loop can hold, from their types. Whether a loop runs depends on the columns: they need one shape and no
nulls, and the machine code must be there. Otherwise the stretch runs in blocks of rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from arrowjag._array import JaggedArray
from arrowjag._column import Column
from arrowjag._expressions.tree import Call, Input, Node
from arrowjag._kernels import compiled, strategy
from arrowjag._kernels.base import memory
from arrowjag._kernels.base.blocks import map_rows
from arrowjag._kernels.base.offsets import row_sizes
from arrowjag._kernels.compiled import fused_name
from arrowjag._ops.elementwise.framework import flat_data
from arrowjag.dims import Uniform
from arrowjag.shape import JaggedShape

__all__ = ["Loop", "fuses", "loop_of"]

_METHODS = frozenset({"sum", "mean", "max", "min", "std", "cumsum"})
_OPERATORS = frozenset({"add", "sub", "mul", "truediv", "neg", "abs"})
_NEEDS = {"sum": 0, "mean": 1, "max": 1, "min": 1, "std": 2}
"""Fewest items of a row whose result is not null."""


def fuses(node: Call, samples: Mapping[int, Any]) -> bool:
    """Whether a loop can hold a call: from its name, its arguments and the types of its operands.

    Parameters
    ----------
    node : Call
        The call.
    samples : mapping
        For each node, by its id, an empty array of its type.
    """
    arguments = node.args[1:] if node.kind == "ufunc" else node.args
    if node.kwargs or not all(_is_double(one, samples) for one in (*arguments, node)):
        return False
    if node.kind == "operator":
        return node.name in _OPERATORS
    if node.kind == "ufunc":
        return node.args[0] is np.sqrt
    is_items = len(node.args) == 1 and samples[id(node.args[0])].ndim == 2
    return node.kind == "method" and node.name in _METHODS and is_items


def _is_double(one: Any, samples: Mapping[int, Any]) -> bool:
    """Whether an argument is a column of float64 of one or two dims, or a number that float64 holds."""
    if isinstance(one, (Call, Input)):
        sample = samples.get(id(one))
        return isinstance(sample, JaggedArray) and sample.ndim in (1, 2) and bool(pt.is_float64(sample.type))
    return type(one) is float or (type(one) is int and abs(one) <= 2**53)


class _Result(NamedTuple):
    """What a loop writes."""

    node: Call
    is_row: bool
    needs: int
    """Fewest items of a row whose result is not null."""

    extents: tuple[int | None, ...]


class Loop(NamedTuple):
    """The program of a stretch, and what its columns are."""

    name: str
    items: tuple[Node, ...]
    rows: tuple[Node, ...]
    constants: npt.NDArray[np.float64]
    results: tuple[_Result, ...]

    def run(self, values: Mapping[int, Any]) -> list[Any] | None:
        """Compute the results; None if the columns don't allow it, or the machine code isn't there.

        Parameters
        ----------
        values : mapping
            The value of each node that the stretch reads.
        """
        items, rows = [values[id(node)] for node in self.items], [values[id(node)] for node in self.rows]
        shape = items[0].shape
        if not self._allows(shape, items, rows):
            return None
        found = None
        if shape.size >= strategy.sizes.COMPILED_VALUES:
            found = compiled.find(self.name, np.dtype(np.float64), False, shape.size >= strategy.sizes.COMPILING_VALUES)
        if strategy.choose("loop", found is not None) != "compiled" or found is None:
            return None
        function = found
        offsets = np.ascontiguousarray(shape.dims[1].offsets)
        columns = [np.ascontiguousarray(flat_data(one.values)) for one in (*items, *rows)]
        outs = [memory.empty(len(offsets) - 1 if one.is_row else shape.size, np.float64) for one in self.results]
        map_rows(lambda first, last: function(offsets, first, last, *columns, self.constants, *outs), offsets)
        sizes = row_sizes(offsets)
        return [_finished(one, out, shape, sizes) for one, out in zip(self.results, outs, strict=True)]

    def _allows(self, shape: JaggedShape, items: Sequence[Any], rows: Sequence[Any]) -> bool:
        """Whether columns of items have one shape, and nothing is null."""
        if not all(isinstance(one, JaggedArray) and not one.values.null_count for one in (*items, *rows)):
            return False
        dim = shape.dims[1]
        if dim.validity is not None or not shape.size or any(len(one) != len(dim) for one in rows):
            return False
        for one in items[1:]:
            other = one.shape.dims[1]
            if other is not dim and (other.validity is not None or other != dim):
                return False
        return all(one.is_row or one.extents[1] == dim.extent for one in self.results)


def _finished(result: _Result, out: npt.NDArray[Any], shape: JaggedShape, sizes: npt.NDArray[np.int64]) -> JaggedArray:
    enough = sizes >= result.needs if result.needs > (0 if result.is_row else 1) else None
    valid = None
    if enough is not None and not enough.all():
        valid = enough if result.is_row else enough.repeat(sizes)
        out[~valid] = 0.0
    rows = Uniform(len(sizes), 1, declared=result.extents[0] is not None)
    bits = None if valid is None else memory.pack_bits(valid)
    values = pa.Array.from_buffers(pa.float64(), len(out), [bits, pa.py_buffer(out)])
    return JaggedArray._of(Column(JaggedShape._trusted([rows] if result.is_row else [rows, shape.dims[1]]), values))


def loop_of(calls: Sequence[Call], reads: Sequence[Node], gives: Sequence[Call], samples: Mapping[int, Any]) -> Loop | None:
    """Write the program of a stretch; None if it computes no items of rows, or reduces items that may be null.

    Parameters
    ----------
    calls : sequence of Call
        The calls, all of which `fuses` accepts, operands first.
    reads, gives : sequences of Node
        What the stretch reads, and what is used outside of it.
    samples : mapping
        For each node, by its id, an empty array of its type.
    """
    items = [node for node in reads if samples[id(node)].ndim == 2]
    rows = [node for node in reads if samples[id(node)].ndim == 1]
    if not items:
        return None
    arguments = [one for node in calls for one in (node.args[1:] if node.kind == "ufunc" else node.args)]
    constants = list(dict.fromkeys(repr(float(one)) for one in arguments if not isinstance(one, (Call, Input))))
    numbers = {id(node): place for place, node in enumerate([*items, *rows])}
    n_columns = len(numbers)
    needs = {id(node): 0 for node in reads}
    lines = [f"i{len(items)}r{len(rows)}c{len(constants)}"]
    for node in calls:
        given = node.args[1:] if node.kind == "ufunc" else node.args
        below = max((needs[id(one)] for one in given if isinstance(one, (Call, Input))), default=0)
        is_reduction = node.name in _NEEDS
        if below > 1 and (is_reduction or node.name == "cumsum"):
            return None  # items of rows with one item are null
        needs[id(node)] = _NEEDS[node.name] if is_reduction else below
        numbers[id(node)] = n_columns + len(constants) + len(lines) - 1
        operands = [
            numbers[id(one)] if isinstance(one, (Call, Input)) else n_columns + constants.index(repr(float(one))) for one in given
        ]
        lines.append(",".join([node.name, *map(str, operands)]))
    text = f"{';'.join(lines)}|{','.join(str(numbers[id(node)]) for node in gives)}"
    results = [_Result(node, samples[id(node)].ndim == 1, needs[id(node)], samples[id(node)].shape.extents) for node in gives]
    data = np.array([float(one) for one in constants] or [0.0])
    return Loop(fused_name(text), tuple(items), tuple(rows), data, tuple(results))
