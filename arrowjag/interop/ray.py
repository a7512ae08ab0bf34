"""Ray datasets of Parquet files, for operations beyond a job: global sorts, group-bys and joins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from arrowjag._pyarrow_versions import empty_table
from arrowjag.errors import MissingDependencyError
from arrowjag.etl._batches import read_runs
from arrowjag.etl._tasks import Source, open_source, verify_unchanged
from arrowjag.etl._units import parse_bytes
from arrowjag.io._scan import Plan, make_plan, open_parts

__all__ = ["dataset"]


def dataset(source: Any, *, columns: Sequence[str] | None = None, filters: Any = None, batch_bytes: str | int = "64MB") -> Any:
    """Open Parquet files as a dataset of Ray in which jagged columns keep their type.

    Parameters
    ----------
    source : str, path, list of them, or pyarrow.dataset.Dataset
        As for `arrowjag.etl.run`. All machines of the cluster must reach it.
    columns : list of str, optional
        Columns to read; ``"docs.score"`` reads only the column chunks of this field.
    filters : optional
        Rows to read, as in `arrowjag.read_parquet`.
    batch_bytes : str or int
        Approximate size of a block in bytes.

    Returns
    -------
    ray.data.Dataset
        A lazy dataset. Ray itself reports errors that the schema doesn't show, such as a sort key of a jagged type.

    Raises
    ------
    MissingDependencyError
        If Ray is not installed.
    FileNotFoundError, JagValueError, JagTypeError
        As for `arrowjag.read_parquet`.

    Notes
    -----
    If this process is not yet connected to Ray, the function connects it (to the cluster that ``RAY_ADDRESS`` names, or to a new
    one on this machine), and every worker imports arrowjag at its start. If you connect yourself, call
    ``ray.init(runtime_env={"worker_process_setup_hook": "arrowjag.interop.ray.set_up_worker"})``. Workers without the registered
    type pass its storage, nested lists, to your functions, and keep the type as metadata.

    Examples
    --------
    >>> from arrowjag.interop.ray import dataset
    >>> dataset("flights").sort("plane").write_parquet("sorted")  # doctest: +SKIP
    """
    try:
        import ray
        import ray.data
    except ImportError:
        raise MissingDependencyError.of("ray", "ray", "arrowjag.interop.ray") from None
    size = parse_bytes(batch_bytes, "batch_bytes")
    there = open_source(source, filters)
    plan = make_plan(there.schema, columns, filters)
    if not ray.is_initialized():
        ray.init(runtime_env={"worker_process_setup_hook": "arrowjag.interop.ray.set_up_worker"}, log_to_driver=False)
    numbers = ray.data.from_numpy(np.arange(len(there.pieces))).repartition(len(there.pieces))
    return numbers.map_batches(_Reader(there, plan, size), batch_format="pyarrow", batch_size=1)


def set_up_worker() -> None:
    """Register the type in a worker of Ray; the import of this module does it.

    Examples
    --------
    >>> from arrowjag.interop.ray import set_up_worker
    >>> set_up_worker()
    """


class _Reader:
    """Reads the pieces whose numbers it gets; importing it makes the type known."""

    def __init__(self, source: Source, plan: Plan, batch_bytes: int) -> None:
        self._source, self._plan, self._batch_bytes = source, plan, batch_bytes
        self.__name__ = "read_parquet"

    def __call__(self, numbers: pa.Table) -> Iterator[pa.Table]:
        any_rows = False
        for number in numbers.column(0).to_pylist():
            piece = self._source.pieces[number]
            (part,) = open_parts([piece.stored], self._source.partitions, keep_open=True)
            verify_unchanged([piece], [part.content])
            for table, _ in read_runs([(part, piece.row_groups)], self._plan, self._batch_bytes):
                any_rows = True
                yield table
        if not any_rows:
            yield empty_table(self._plan.schema)
