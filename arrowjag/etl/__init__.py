"""Jobs over Parquet datasets: any function, batch by batch, in bounded memory, on one machine or many; killed jobs resume."""

from __future__ import annotations

import logging

from arrowjag.etl._job import reduce, run
from arrowjag.etl._record import status
from arrowjag.etl.report import Failure, JobError, Owner, Report, Run, SinkInUseError, Status

__all__ = ["Failure", "JobError", "Owner", "Report", "Run", "SinkInUseError", "Status", "reduce", "run", "status"]

logging.getLogger("arrowjag").addHandler(logging.NullHandler())
