"""Ask a store whether it answers, in a process of its own, before a job or the command uses it.

The process asks the libraries that read and write later, whose own limits and retries take up to 100 seconds. It is a process
because a thread that hangs in a library would keep this process from ending.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from typing import Any, NoReturn
from urllib.parse import urlsplit

import pyarrow.fs as pf

from arrowjag._runtime.processes import import_path, python
from arrowjag.errors import JagError, JagValueError, joined_lines
from arrowjag.io._stores import filesystem_of, is_bucket, scheme_of, without_table

__all__ = ["probe", "serve"]

_LOCAL = {"file", "memory", "local"}
# Seconds between two answers of a store. With the start of the command and of the process that asks, which is not counted because
# imports take long on a busy machine, a store that does not answer takes at most ten, also on a machine of half the usual speed.
_ANSWER_SECONDS, _START_SECONDS = 6.0, 60.0
_SILENT, _FAILED = 4, 3
_CODE = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from arrowjag.io._probe import serve; serve(*sys.argv[2:])"
_PORTS = {"http": 80, "https": 443}

#: Stores that have answered this process, with the options.
_ANSWERED: set[tuple[Any, ...]] = set()


def probe(link: Any, options: Mapping[str, str]) -> None:
    """Raise if a store does not answer within six seconds.

    A store that has answered once gets six more seconds for the next answer.

    Parameters
    ----------
    link : str or path
        A URL; nothing is done for paths.
    options : mapping
        The result of `check_options`.

    Raises
    ------
    JagValueError
        If the store can't be reached, refuses the credentials, or needs a package that is not installed.
    """
    link = without_table(link) if isinstance(link, str) else ""
    if scheme_of(link) in _LOCAL | {"", "iceberg"}:
        return
    place = ("/".join(link.split("/", 3)[:3]), *sorted(options.items()))
    if place in _ANSWERED:
        return
    _ask(link, options)
    _ANSWERED.add(place)


def _ask(link: str, options: Mapping[str, str]) -> None:
    words = [json.dumps(import_path()), link, json.dumps(dict(options)), str(_ANSWER_SECONDS)]
    try:
        done = subprocess.run(  # noqa: S603
            [*python(), "-c", _CODE, *words],
            capture_output=True,
            text=True,
            timeout=_START_SECONDS + 5 * _ANSWER_SECONDS,
            env=os.environ,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise JagValueError(f"{link}: the process that asks whether the store answers does not end") from None
    if done.returncode == _SILENT:
        raise JagValueError(
            f"{link}: no answer within {_ANSWER_SECONDS:.0f} seconds: check the network, and credentials, region and endpoint "
            "(storage_options)"
        )
    if done.returncode and _is_registered_here(scheme_of(link)):
        raise JagValueError(
            f"{link}: only this process knows {scheme_of(link)}://, because it called fsspec.register_implementation with a class; "
            "other processes need the name of the class, or pass filesystem="
        )
    if done.returncode:
        lines = (done.stdout.strip() or done.stderr.strip() or "the probe failed").splitlines()
        raise JagValueError(lines[-1] if link in lines[-1] else f"{link}: {lines[-1]}")


def _is_registered_here(scheme: str) -> bool:
    """Return whether fsspec has a class for a kind of URL, but not its name, by which other processes would find it."""
    known = sys.modules.get("fsspec.registry")
    return known is not None and scheme in known.registry and scheme not in known.known_implementations


# --------------------------------------------------------------------------------------------------- the process that asks


def serve(link: str, options: str, seconds: str) -> NoReturn:
    """Ask a store, and end the process with a code; the last line of the output says what failed.

    Parameters
    ----------
    link : str
        A URL.
    options : str
        The result of `check_options` as JSON.
    seconds : str
        Seconds between two answers.
    """
    code = 0
    try:
        _reach(link, json.loads(options), _Clock(float(seconds)))
    except Exception as error:  # noqa: BLE001  (of any library)
        sys.stdout.write(f"{'' if isinstance(error, JagError) else type(error).__name__ + ': '}{joined_lines(error)}")
        sys.stdout.flush()
        code = _FAILED
    os._exit(code)  # threads may still wait for the store


class _Clock:
    """Ends the process unless it is reset in time."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._timer: threading.Timer | None = None
        self.wind()

    def wind(self) -> None:
        """Reset the clock: the store has its seconds from now on."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = threading.Timer(self._seconds, os._exit, (_SILENT,))
        self._timer.daemon = True
        self._timer.start()


def _reach(link: str, options: Mapping[str, str], clock: _Clock) -> None:
    from urllib.request import getproxies  # imports ssl, which takes 20 ms

    filesystem, path = filesystem_of(link, options)
    clock.wind()  # the region of a bucket of S3 is known now
    if is_bucket(link):
        threading.Thread(target=_ask_bucket, args=(filesystem, path.partition("/")[0], clock), daemon=True).start()
    filesystem.get_file_info(path)
    parts = urlsplit(link)
    if parts.scheme in _PORTS and not getproxies():  # fsspec says "not found" where it could not connect
        socket.create_connection((parts.hostname, parts.port or _PORTS[parts.scheme]), 5).close()


def _ask_bucket(filesystem: pf.FileSystem, bucket: str, clock: _Clock) -> None:
    """Ask by one request: a folder takes several, one after the other, and a slow store answers the first in time only."""
    with contextlib.suppress(Exception):
        filesystem.get_file_info(bucket)
        clock.wind()
