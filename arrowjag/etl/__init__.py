"""Jobs over Parquet datasets: any function, batch by batch, in bounded memory, on one machine or many; killed jobs resume."""

from __future__ import annotations

import importlib
import logging
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # names that `__getattr__` imports at first access: workers don't need what only drivers do
    from arrowjag.etl._job import reduce as reduce
    from arrowjag.etl._job import run as run
    from arrowjag.etl._record import status as status
    from arrowjag.etl.report import Failure as Failure
    from arrowjag.etl.report import JobError as JobError
    from arrowjag.etl.report import Owner as Owner
    from arrowjag.etl.report import Report as Report
    from arrowjag.etl.report import Run as Run
    from arrowjag.etl.report import SinkInUseError as SinkInUseError
    from arrowjag.etl.report import Status as Status

__all__ = ["Failure", "JobError", "Owner", "Report", "Run", "SinkInUseError", "Status", "reduce", "run", "status"]

logging.getLogger("arrowjag").addHandler(logging.NullHandler())

_MODULES = {"reduce": "_job", "run": "_job", "status": "_record"}


def __getattr__(name: str) -> Any:
    """Import the module of a public name when a caller first reads it."""
    if name not in __all__:
        raise AttributeError(f"module 'arrowjag.etl' has no attribute {name!r}")
    return getattr(importlib.import_module(f"arrowjag.etl.{_MODULES.get(name, 'report')}"), name)


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
