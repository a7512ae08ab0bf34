"""Convert the arguments of `arrowjag run` to a call of `arrowjag.etl.run`."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import json
import logging
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from arrowjag.errors import JagValueError, MissingDependencyError
from arrowjag.io._damage import describe_missing

__all__ = ["filters", "load_function", "log_to_stderr", "names", "run", "schema_of", "status", "storage_options"]

_LEVELS = ("debug", "info", "warning", "error")
_MODULE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
_CONDITION = re.compile(r"\s*([^=<>!]+?)\s*(==|!=|<=|>=|=|<|>|\bnot in\b|\bin\b)\s*(.+?)\s*", re.IGNORECASE)


def run(job: str, source: str, sink: str, **options: Any) -> Any:
    """Load the function, run the job and return the report."""
    function = load_function(job)
    if "://" not in source and not any(mark in source for mark in "*?[") and not Path(source).exists():
        raise JagValueError(describe_missing(source))
    try:
        return _etl().run(function, source, sink, **options)
    except JagValueError as error:
        raise JagValueError(_as_options(str(error))) from None


def status(sink: str, **options: Any) -> Any:
    """Return the status of a folder of results."""
    return _etl().status(sink, **options)


def storage_options(texts: list[str] | None) -> dict[str, str]:
    """Options such as ``aws_region=eu-west-1`` as a dict."""
    wrong = next((text for text in texts or () if not text.partition("=")[0] or "=" not in text), None)
    if wrong is not None:
        raise JagValueError(f"--storage-option {wrong!r} can't be read: write KEY=VALUE, for example aws_region=eu-west-1")
    return {name: value for name, _, value in (text.partition("=") for text in texts or ())}


def _etl() -> Any:
    try:
        return importlib.import_module("arrowjag.etl")
    except ModuleNotFoundError as error:
        if not error.name or error.name.startswith("arrowjag"):
            raise
        raise MissingDependencyError.of(error.name, "etl", "a job") from None


def _as_options(text: str) -> str:
    """Replace the parameter names in a message of `arrowjag.etl.run` by options of the command."""
    text = re.sub(r'mode="(resume|replace)"', r"--\1", text)
    text = re.sub(r'missing_inputs="(\w+)"', r"--missing-inputs \1", text)
    text = re.sub(r"\b(memory|workers)(?==)", _option, text)
    return re.sub(r"\b(batch_bytes|bytes_per_file|partition_by|max_failures|on_error)\b", _option, text)


def _option(found: re.Match[str]) -> str:
    return "--" + found[0].replace("_", "-")


class _Line(logging.Formatter):
    """A line of the log, which names options of the command."""

    def format(self, record: logging.LogRecord) -> str:
        return _as_options(super().format(record))


@contextlib.contextmanager
def log_to_stderr(level: str) -> Iterator[None]:
    """Log messages from a level on, one line each, until the block ends."""
    if level.lower() not in _LEVELS:
        raise JagValueError(f"--log-level is {', '.join(_LEVELS)}, got {level!r}")
    handler = logging.StreamHandler()
    handler.setFormatter(_Line("arrowjag: %(levelname)s: %(message)s"))
    logger = logging.getLogger("arrowjag.etl")
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(level.upper())
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)


def names(text: str | None) -> list[str] | None:
    """Split names at commas."""
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]


def filters(texts: list[str]) -> list[tuple[str, str, Any]] | None:
    """Parse conditions such as ``year >= 2013`` for `arrowjag.read_parquet`; a value that is not JSON is text."""
    return [_condition(text) for text in texts] or None


def _condition(text: str) -> tuple[str, str, Any]:
    found = _CONDITION.fullmatch(text)
    if found is None:
        raise JagValueError(
            f"--filter {text!r} can't be read: write NAME OPERATOR VALUE, for example 'year >= 2013' or 'plane in [\"N1\"]'"
        )
    name, operator, value = found.groups()
    try:
        parsed = json.loads(value)
    except ValueError:
        parsed = value.strip("'")
    return name.strip(), operator.strip().lower(), parsed


def schema_of(path: Path | None) -> pa.Schema | None:
    """The schema of a Parquet or Arrow file."""
    if path is None:
        return None
    if not path.is_file():
        raise JagValueError(f"--schema {path}: no such file")
    try:
        with path.open("rb") as file:
            is_parquet = file.read(4) == b"PAR1"
        if is_parquet:
            return pq.read_schema(path)
        with pa.OSFile(str(path)) as source:
            return pa.ipc.open_file(source).schema
    except (pa.ArrowInvalid, OSError) as error:
        raise JagValueError(f"--schema {path} is truncated or neither a Parquet nor an Arrow IPC file: {error}") from error


def load_function(job: str) -> Callable[..., Any]:
    """The function that `JOB.py:FUNCTION` or `package.module:FUNCTION` names."""
    file, colon, name = job.rpartition(":")
    if not colon or not file or not name:
        raise JagValueError(f"{job!r} names no function: write JOB.py:FUNCTION, for example job.py:totals")
    path = Path(file)
    if path.is_file():
        module = _load_module(path)
    elif _MODULE.fullmatch(file) and path.suffix != ".py":
        module = _import_module(file)
    else:
        raise JagValueError(f"{file}: no such file")
    function = getattr(module, name, None)
    if not callable(function):
        found = [
            one for one, value in vars(module).items() if callable(value) and getattr(value, "__module__", "") == module.__name__
        ]
        raise JagValueError(f"{file} has no function {name!r}; it has {', '.join(found) or 'none'}")
    return function  # type: ignore[no-any-return]


def _import_module(name: str) -> ModuleType:
    """Import a module by name as `python -m` does: the current folder comes first."""
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not (name == error.name or name.startswith(error.name + ".")):
            raise JagValueError(f"{name}: {type(error).__name__}: {error}") from None
        raise JagValueError(f"{name}: there is no such file and no such module") from None
    except Exception as error:  # noqa: BLE001  (whatever the module does wrong is told in one line)
        raise JagValueError(f"{name}: {type(error).__name__}: {error}") from None


def _load_module(path: Path) -> ModuleType:
    """Import a file as a script does: its folder comes first on the path, here and in the workers."""
    folder = str(path.resolve().parent)
    sys.path.insert(0, folder)
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [folder, os.environ.get("PYTHONPATH")]))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise JagValueError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # noqa: BLE001  (whatever the file does wrong is told in one line)
        raise JagValueError(_where(error, path)) from None
    _travel_by_value(module)
    return module


def _where(error: Exception, path: Path) -> str:
    if isinstance(error, SyntaxError):
        line: int | None = error.lineno
    else:
        lines = [
            frame.lineno for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename).resolve() == path.resolve()
        ]
        line = lines[-1] if lines else None
    return f"{path}{f', line {line}' if line else ''}: {type(error).__name__}: {error}"


def _travel_by_value(module: ModuleType) -> None:
    """Workers get the function itself, so they need not find its module."""
    try:
        import cloudpickle
    except ModuleNotFoundError:
        return  # etl names the package to install
    cloudpickle.register_pickle_by_value(module)
