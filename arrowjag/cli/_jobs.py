"""From the words of `arrowjag run` to a call of `arrowjag.etl.run`."""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from arrowjag.errors import JagValueError, MissingDependencyError

__all__ = ["load_function", "run"]


def run(job: str, source: str, sink: str, **options: Any) -> Any:
    """Load the function and run the job; what it returns is the report."""
    function = load_function(job)
    if "://" not in source and not any(mark in source for mark in "*?[") and not Path(source).exists():
        raise JagValueError(f"{source}: no such file or folder")
    try:
        etl = importlib.import_module("arrowjag.etl")
    except ModuleNotFoundError as error:
        if not error.name or error.name.startswith("arrowjag"):
            raise
        raise MissingDependencyError.of(error.name, "etl", "a job") from None
    try:
        return etl.run(function, source, sink, progress=sys.stderr.isatty(), **options)
    except JagValueError as error:
        raise JagValueError(_as_options(str(error))) from None


def _as_options(text: str) -> str:
    """A message of `arrowjag.etl.run` in words of the command."""
    return re.sub(r'mode="(resume|replace)"', r"--\1", text).replace("batch_bytes is", "--batch-bytes is")


def load_function(job: str) -> Callable[..., Any]:
    """The function that `JOB.py:FUNCTION` names."""
    file, colon, name = job.rpartition(":")
    if not colon or not file or not name:
        raise JagValueError(f"{job!r} names no function: write JOB.py:FUNCTION, for example job.py:totals")
    path = Path(file)
    if not path.is_file():
        raise JagValueError(f"{file}: no such file")
    module = _load_module(path)
    function = getattr(module, name, None)
    if not callable(function):
        found = [
            one for one, value in vars(module).items() if callable(value) and getattr(value, "__module__", "") == module.__name__
        ]
        raise JagValueError(f"{file} has no function {name!r}; it has {', '.join(found) or 'none'}")
    return function  # type: ignore[no-any-return]


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
    """Workers get the function itself, not the name of a module that they would have to find."""
    try:
        import cloudpickle
    except ModuleNotFoundError:
        return  # etl tells what to install
    cloudpickle.register_pickle_by_value(module)
