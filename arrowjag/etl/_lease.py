"""The lease of a sink, which ensures that one driver at a time writes to it.

A lease is a numbered file in the folder beside the sink, created with create-if-absent; the highest number owns the sink. A driver
takes over a sink by creating the file with the next number. Leases are never renamed or deleted, so that two drivers can't both
take over. As heartbeat, the owner rewrites its file with a counter; other drivers watch the counter, measured by their own clock.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import re
import socket
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arrowjag.errors import joined_lines
from arrowjag.etl._sidecar import Sidecar
from arrowjag.etl.report import Failure, JobError, Owner, SinkInUseError

__all__ = ["Lease", "hold", "read_owner"]

_LOG = logging.getLogger("arrowjag.etl")
_PREFIX = "lease-"
_NAME = re.compile(_PREFIX + r"[0-9]{8}\.json")
_HEARTBEAT_SECONDS = 5.0
_DEAD_AFTER_SECONDS = 60.0
_POLL_SECONDS = 0.5
# Heartbeats overwrite the file in place, which requires contents of equal length.
_LENGTH = 600
# What a lease says of its owner.
_TYPES: dict[str, type | tuple[type, ...]] = {"run": str, "host": str, "pid": int, "since": (int, float), "released": bool}
# The runs of this process: a lease of another one was not released, for example because an interrupt came as it ended.
_HELD: set[str] = set()


@dataclass
class _State:
    """The last state of the lease that the heartbeat thread observed."""

    lost: str | None = None


@dataclass(frozen=True)
class Lease:
    """A held lease, identified by its number; sent to workers, which check it before they publish a result."""

    sidecar: Sidecar
    number: int
    state: _State = field(default_factory=_State, compare=False)

    @property
    def name(self) -> str:
        """The name of the lease file."""
        return _name_of(self.number)

    def watch(self) -> None:
        """Raise if the heartbeat thread observed the loss of the lease; reads no file."""
        if self.state.lost is not None:
            raise SinkInUseError(self.state.lost)

    def check(self) -> None:
        """Raise if the lease is no longer held.

        Raises
        ------
        SinkInUseError
            If a lease with a higher number exists, or the file is gone.
        """
        names = _names(self.sidecar)
        if names and names[-1] > self.name:
            raise SinkInUseError(f"another run has taken over the sink {self.sidecar.sink} ({names[-1]} in {self.sidecar.folder})")
        if self.name in names or self.sidecar.read(self.name):  # stores may list a new file late
            return
        raise SinkInUseError(
            f"the lease {self.sidecar.folder}/{self.name} is gone: was the folder deleted, or can't workers see this file system?"
        )


@contextlib.contextmanager
def hold(sidecar: Sidecar, run: str) -> Iterator[Lease]:
    """Hold the lease of a sink.

    Parameters
    ----------
    sidecar : Sidecar
        The folder beside the sink.
    run : str
        The id of this run.

    Yields
    ------
    Lease
        The lease, which a heartbeat renews until the block ends.

    Raises
    ------
    SinkInUseError
        If a live process holds the lease: at once if it runs on this machine, after its next heartbeat if on another machine.
    JobError
        If the folder can't be written.
    """
    _HELD.add(run)
    try:
        with _held(sidecar, run) as lease:
            yield lease
    finally:
        _HELD.discard(run)


@contextlib.contextmanager
def _held(sidecar: Sidecar, run: str) -> Iterator[Lease]:
    try:
        lease, facts = _acquire(sidecar, run)
    except OSError as error:
        text = f"the sink can't be written: leases and records lie beside it, in {sidecar.folder}: {joined_lines(error)}"
        raise JobError(Failure(sidecar.sink, (), text)) from error
    stop = threading.Event()
    beats = threading.Thread(target=_beat, args=(lease, facts, stop), daemon=True, name="arrowjag-lease")
    beats.start()
    try:
        yield lease
    finally:
        stop.set()
        beats.join()  # ends after one call of the store, whose client has time limits
        _release(lease, facts)


def read_owner(sidecar: Sidecar) -> Owner | None:
    """Return the current or last owner of a sink.

    Parameters
    ----------
    sidecar : Sidecar
        The folder beside the sink.

    Returns
    -------
    Owner or None
        None if no run has written to the sink.
    """
    names = _names(sidecar)
    return _owner(_parsed(sidecar.read(names[-1]))) if names else None


def _acquire(sidecar: Sidecar, run: str) -> tuple[Lease, dict[str, Any]]:
    if not sidecar.is_exclusive:
        _LOG.warning(
            "%s: this file system has no create-if-absent through pyarrow; two runs that start in the same second may both take "
            "the sink",
            sidecar.folder,
        )
    facts = {"v": 1, "run": run, "since": time.time(), "beat": 0, "released": False} | _identity()
    number = 0
    while True:
        number = max(number, _last_number(sidecar))
        if number:
            _wait_until_free(sidecar, _name_of(number))
        lease = Lease(sidecar, number + 1)
        if _created(lease, facts):
            return lease, facts
        number += 1  # it exists, even if the store does not list it yet


def _names(sidecar: Sidecar) -> list[str]:
    """Return the names of leases; a program that synchronizes folders may add copies with other names."""
    return [name for name in sidecar.names(_PREFIX) if _NAME.fullmatch(name)]


def _last_number(sidecar: Sidecar) -> int:
    names = _names(sidecar)
    return int(names[-1].removeprefix(_PREFIX).removesuffix(".json")) if names else 0


def _name_of(number: int) -> str:
    return f"{_PREFIX}{number:08}.json"


def _created(lease: Lease, facts: dict[str, Any]) -> bool:
    """Create the file of a lease if it is absent; release it if an interrupt comes in between."""
    try:
        return lease.sidecar.create(lease.name, _content(facts))
    except BaseException:
        with contextlib.suppress(OSError):
            if _parsed(lease.sidecar.read(lease.name)).get("run") == facts["run"]:
                _release(lease, facts)
        raise


def _release(lease: Lease, facts: dict[str, Any]) -> None:
    with contextlib.suppress(OSError):
        lease.sidecar.overwrite(lease.name, _content(facts | {"released": True}))


def _wait_until_free(sidecar: Sidecar, name: str) -> None:
    """Return once the owner has released the sink or is dead; raise as soon as its heartbeat shows that it is alive."""
    content = sidecar.read(name)
    deadline = time.monotonic() + _DEAD_AFTER_SECONDS
    has_logged = False
    while True:
        facts = _parsed(content)
        owner = _owner(facts)
        if owner.is_released:
            return
        if owner.is_alive:
            raise SinkInUseError(f"the sink {sidecar.sink} is in use by {owner}: wait for it to end, or take another sink")
        if owner.is_alive is False:
            _LOG.warning("the sink %s is taken over from %s, which is dead", sidecar.sink, owner)
            return
        if not has_logged:
            _LOG.warning(
                "the sink %s was taken by %s; waiting up to %d s for its heartbeat", sidecar.sink, owner, _DEAD_AFTER_SECONDS
            )
            has_logged = True
        if time.monotonic() > deadline:
            _LOG.warning("the sink %s is taken over from %s: no heartbeat for %d s", sidecar.sink, owner, _DEAD_AFTER_SECONDS)
            return
        time.sleep(_POLL_SECONDS)
        seen, content = content, sidecar.read(name)
        if content != seen and not _parsed(content).get("released", False):
            raise SinkInUseError(f"the sink {sidecar.sink} is in use by {owner}: wait for it to end, or take another sink")


def _beat(lease: Lease, facts: dict[str, Any], stop: threading.Event) -> None:
    while not stop.wait(_HEARTBEAT_SECONDS):
        facts["beat"] += 1
        try:
            lease.sidecar.overwrite(lease.name, _content(facts))
        except OSError as error:
            _LOG.warning("the heartbeat of %s/%s can't be written: %s", lease.sidecar.folder, lease.name, error)
        try:
            lease.check()
        except SinkInUseError as error:
            lease.state.lost = str(error)
            return
        except OSError:
            continue  # the folder can't be listed now; workers check the lease again before they publish


def _content(facts: dict[str, Any]) -> bytes:
    return json.dumps(facts, sort_keys=True).encode().ljust(_LENGTH - 1) + b"\n"


def _parsed(content: bytes) -> dict[str, Any]:
    """Parse the content of a lease; empty if the owner is writing the file at this moment, or the file is damaged."""
    try:
        facts = json.loads(content.decode().splitlines()[0])
    except (ValueError, IndexError, RecursionError):
        return {}
    is_lease = isinstance(facts, dict) and all(isinstance(facts[name], type) for name, type in _TYPES.items() if name in facts)
    return facts if is_lease else {}


def _owner(facts: dict[str, Any]) -> Owner:
    return Owner(
        facts.get("run", "?"),
        facts.get("host", "?"),
        facts.get("pid", 0),
        facts.get("since", 0.0),
        facts.get("released", False),
        _is_alive(facts),
    )


def _identity() -> dict[str, Any]:
    """Return the facts that identify this process among all processes of all machines."""
    return {"host": socket.gethostname(), "pid": os.getpid(), "space": _space(), "start": _start_of(os.getpid())}


def _space() -> str | None:
    """Return the scope in which process ids are unique: one boot of a machine and, on Linux, one PID namespace."""
    try:
        return f"{Path('/proc/sys/kernel/random/boot_id').read_text().strip()} {os.readlink('/proc/self/ns/pid')}"  # noqa: PTH115
    except OSError:
        return None


def _start_of(pid: int) -> str | None:
    """Return the start time of a process, which tells it apart from a later process with the same id."""
    try:
        facts = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if facts[0] in {"Z", "X"} else facts[19]  # a zombie has ended


def _is_alive(facts: dict[str, Any]) -> bool | None:
    if facts.get("host") != socket.gethostname() or facts.get("space") != _space() or sys.platform == "win32":
        return None
    pid = facts.get("pid", 0)
    if pid == os.getpid() and facts.get("run") not in _HELD:
        return False
    if facts.get("start") is not None:
        return _start_of(pid) == str(facts["start"])
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
