"""Jobs over Parquet datasets: any function, batch by batch, in bounded memory, on one machine or many; killed jobs resume."""

from __future__ import annotations

import logging

from arrowjag.etl.job import reduce, run
from arrowjag.etl.report import Failure, JobError, Report

__all__ = ["Failure", "JobError", "Report", "reduce", "run"]

logging.getLogger("arrowjag").addHandler(logging.NullHandler())
