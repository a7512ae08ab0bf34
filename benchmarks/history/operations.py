"""Every case of the suite as one benchmark of time and one of peak memory; rivals and answers are the business of the suite itself."""

from __future__ import annotations

from functools import cache

from benchmarks.case import Case
from benchmarks.cases import CASES
from benchmarks.data import Data

DTYPE = "float64"
FOUND: dict[str, Case] = {case.name: case for case in CASES if DTYPE in case.dtypes}


@cache
def data_of(n_values: int, nulls: str) -> Data:
    """The same input for all cases of a process."""
    return Data(n_values, "poisson", nulls, DTYPE)


class Operations:
    """An operation on poisson rows of float64."""

    params = (sorted(FOUND), ("none", "leaves"))
    param_names = ("operation", "nulls")
    timeout = 120
    n_values = 1_000_000

    def setup(self, operation: str, nulls: str) -> None:
        """Make the input, and skip what an older commit hasn't got or what takes too long at this size."""
        self.case = FOUND[operation]
        self.data = data_of(min(self.n_values, self.case.at_most), nulls)
        try:
            self.case.ours(self.data)
        except AttributeError as error:
            raise NotImplementedError(f"{operation} is not there") from error

    def time_operation(self, operation: str, nulls: str) -> None:
        """One call."""
        self.case.ours(self.data)

    def peakmem_operation(self, operation: str, nulls: str) -> None:
        """The process with its input and one call."""
        self.case.ours(self.data)
