"""Limits of a job: workers, memory, batch size and time, from the arguments of the caller and the resources of the machine."""

from __future__ import annotations

from typing import Any, NamedTuple

from arrowjag._runtime.machine import available_cores, available_memory
from arrowjag.errors import JagValueError
from arrowjag.etl._units import bytes_text, parse_bytes

__all__ = ["Limits", "Shares", "needed_memory"]

# What a worker holds on one huge row group (`python -m benchmarks.jobs --short`): libraries, compiled loops and memory that an
# allocator keeps; a batch, the next one with its levels, the result, and the values that `x - x.mean()` computes in between.
_BASE, _BATCHES = 224_000_000, 4
# A worker of this size has room for batches of 8 MB.
_FLOOR = _BASE + _BATCHES * 8_000_000
# The default number of workers leaves each at least this much memory.
_COMFORTABLE = 512_000_000
_BATCH_BYTES = 64_000_000
# A share of the default size of batches leaves as much again to functions that need more.
_BATCHES_IN_SHARE = 16


class Shares(NamedTuple):
    """Number of workers, memory per worker, and bytes per batch."""

    workers: int
    share: int
    batch_bytes: int


class Limits:
    """The validated limits of a job.

    Parameters
    ----------
    engine, workers, memory, batch_bytes, on_error, timeout, max_failures
        As for `arrowjag.etl.run`.

    Raises
    ------
    JagTypeError, JagValueError
        If an argument is invalid.
    """

    def __init__(
        self,
        engine: str,
        workers: int | None,
        memory: str | int | None,
        batch_bytes: str | int | None,
        on_error: str,
        *,
        timeout: float | None = None,
        max_failures: int | None = None,
    ) -> None:
        _whole("workers", workers, 1)
        _whole("max_failures", max_failures, 0)
        if timeout is not None and (type(timeout) not in (int, float) or not timeout > 0):
            raise JagValueError(f"timeout must be a number of seconds above 0, got {timeout!r}")
        self.engine, self.workers, self.on_error = engine, workers, on_error
        self.timeout, self.max_failures = timeout, max_failures
        self.memory = available_memory() // 2 if memory is None else parse_bytes(memory, "memory")
        self.batch_bytes = None if batch_bytes is None else parse_bytes(batch_bytes, "batch_bytes")

    @property
    def skip(self) -> bool:
        """Whether the job continues after a failed task."""
        return self.on_error == "skip"

    def shares(self, tasks: int) -> Shares:
        """Divide the memory among workers.

        Parameters
        ----------
        tasks : int
            Number of tasks, an upper bound of the number of workers.

        Returns
        -------
        Shares
            Number of workers, and memory and batch size per worker.

        Raises
        ------
        JagValueError
            If a share is too small for a worker, or for a batch.
        """
        comfortable = max(_COMFORTABLE, needed_memory(self.batch_bytes or 0))
        most = self.workers or min(available_cores(), max(1, self.memory // comfortable))
        workers = min(most, max(1, tasks)) if self.engine == "local" or self.workers is None else most
        share = self.memory // workers
        receivers = f"each of {workers} workers" if workers > 1 else "one worker"
        left = f"memory={bytes_text(self.memory)} leaves {bytes_text(share)} to {receivers}"
        if share < _FLOOR:
            raise JagValueError(f"{left}, and each needs at least {bytes_text(_FLOOR)}: give {self._more(workers, _FLOOR)}")
        largest = (share - _BASE) // _BATCHES
        batch_bytes = self.batch_bytes or min(_BATCH_BYTES, share // _BATCHES_IN_SHARE, largest)
        if batch_bytes > largest:
            raise JagValueError(
                f"{left}, and each needs {_round_up(needed_memory(batch_bytes))} with batch_bytes={bytes_text(batch_bytes)} "
                f"({bytes_text(_BASE)} and {_BATCHES} batches): give batch_bytes={f'{largest // 1_000_000} MB'!r} or less, or "
                f"{self._more(workers, needed_memory(batch_bytes))}"
            )
        return Shares(workers, share, batch_bytes)

    def _more(self, workers: int, share: int) -> str:
        """Advice for a share that is too small."""
        fits = self.memory // share
        return f"memory={_round_up(share * workers)!r} or more" + (f", or workers={fits} or fewer" if fits else "")


def needed_memory(batch_bytes: int) -> int:
    """Return the bytes that a worker needs for batches of a size.

    Parameters
    ----------
    batch_bytes : int
        Bytes per batch.

    Returns
    -------
    int
        The bytes of the libraries and of several batches.
    """
    return _BASE + _BATCHES * batch_bytes


def _round_up(size: int) -> str:
    """A number of MB that is enough when it is given again."""
    return f"{-(-size // 1_000_000)} MB"


def _whole(name: str, value: Any, least: int) -> None:
    if not (value is None or (type(value) is int and value >= least)):
        raise JagValueError(f"{name} must be a whole number of at least {least}, got {value!r}")
