"""Convert the arguments of `arrowjag run` to a call of `arrowjag.etl.run`."""

from __future__ import annotations

import contextlib
import importlib
import importlib.machinery
import importlib.util
import json
import logging
import os
import re
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow as pa

from arrowjag.errors import JagError, JagValueError, JagWarning, MissingDependencyError
from arrowjag.io._damage import describe_missing, reading
from arrowjag.io._filters import OPERATORS
from arrowjag.io._parquet import open_source

__all__ = ["as_options", "filters", "load_function", "log_to_stderr", "names", "run", "schema_of", "status", "storage_options"]

_LEVELS = ("debug", "info", "warning", "error")
_MODULE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
_CONDITION = re.compile(r"\s*([^=<>!]+?)\s*((?>==|!=|<=|>=|=|<|>|\bnot in\b|\bin\b))\s*(\S.*?)\s*", re.IGNORECASE)


def run(job: str, source: str, sink: str, **options: Any) -> Any:
    """Load the function, run the job and return the report."""
    with contextlib.redirect_stdout(sys.stderr):  # stdout is for the report
        function = load_function(job)
    if "://" not in source and not any(mark in source for mark in "*?[") and not Path(source).exists():
        raise JagValueError(describe_missing(source))
    with _naming_options():
        return _etl().run(function, source, sink, **options)


def status(sink: str, **options: Any) -> Any:
    """Return the status of a folder of results."""
    with _naming_options():
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


# Parameters of `arrowjag.etl.run` as its messages write them, and the options of the command.
_PHRASES = {
    r'\bmode="(resume|replace)"': r"--\1",
    r'\bmissing_inputs="(\w+)"': r"--missing-inputs \1",
    r'\bon_error="?(\w+)"?': r"--on-error \1",
    r'\bwrite(=\{"schema_mode": "merge"\}|: schema_mode="merge")': "--merge-schema",
    r'\bversion="\.\.\."': "--code-version TEXT",
    r"\bversion=(?= with the text)": "--code-version",
    r"\btimeout=(?=[\d.e+-]+ seconds)": "--timeout=",
    r"\bshare of memory=": "share of --memory",
    r"\bmore than max_failures=": "more than --max-failures=",
    r"\bpass schema=": "pass --schema",
}
# Parameters in messages that don't quote the user's code.
_NAMES = re.compile(
    r"\b(batch_bytes|bytes_per_file|partition_by|max_failures|on_error|missing_inputs|dead_letter|storage_options)\b"
    r"|^(engine|frame|timeout|memory|workers|filters)(?= (must|is|name|compare|don't)\b)|\b(memory|workers)(?==)"
)
_REPEATED = {"storage_options": "--storage-option", "filters": "the conditions of --filter"}


def as_options(text: str, *, quotes_code: bool = True) -> str:
    """Replace the parameters of `arrowjag.etl.run` in a message by options of the command.

    A message that quotes an error of the user's function may hold the same names with another meaning.
    """
    for phrase, option in _PHRASES.items():
        text = re.sub(phrase, option, text)
    return text if quotes_code else _NAMES.sub(_option, text)


def _option(found: re.Match[str]) -> str:
    return _REPEATED.get(found[0], "--" + found[0].replace("_", "-"))


@contextlib.contextmanager
def _naming_options() -> Iterator[None]:
    """Name options of the command in the errors of the block."""
    try:
        yield
    except JagError as error:
        # A job that failed is a RuntimeError and quotes the error of the function.
        message = re.sub("^(run|status): ", "", str(error))  # the functions; the line already begins with the command
        error.args = (as_options(message, quotes_code=isinstance(error, RuntimeError)),)
        raise


class _Line(logging.Formatter):
    """A line of the log, which names options of the command."""

    def format(self, record: logging.LogRecord) -> str:
        return as_options(super().format(record))


@contextlib.contextmanager
def log_to_stderr(level: str) -> Iterator[None]:
    """Log messages from a level on, and warnings of arrowjag, one line each, until the block ends."""
    if level.lower() not in _LEVELS:
        raise JagValueError(f"--log-level must be {', '.join(_LEVELS[:-1])} or {_LEVELS[-1]}, got {level!r}")
    handler = logging.StreamHandler()
    handler.setFormatter(_Line("arrowjag: %(levelname)s: %(message)s"))
    logger = logging.getLogger("arrowjag.etl")
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(level.upper())
    try:
        with _logging_warnings(logger):
            yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)


@contextlib.contextmanager
def _logging_warnings(logger: logging.Logger) -> Iterator[None]:
    """Log the warnings of arrowjag in the block: a user of the command has no line of code that they could name."""
    with warnings.catch_warnings():
        others = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *rest: Any) -> None:
            if issubclass(category, JagWarning):
                logger.warning("%s", message)
            else:
                others(message, category, *rest)

        warnings.showwarning = show  # type: ignore[assignment]
        warnings.simplefilter("always", JagWarning)
        yield


def names(text: str | None, option: str) -> list[str] | None:
    """Split names at commas; no name, as of an unset variable of a script, is an error."""
    found = None if text is None else [name.strip() for name in text.split(",") if name.strip()]
    if found == []:
        raise JagValueError(f"{option} {text!r} names no column")
    return found


def filters(texts: list[str]) -> list[tuple[str, str, Any]] | None:
    """Parse conditions such as ``year >= 2013`` for `arrowjag.read_parquet`; a value that is not JSON is text."""
    return [_condition(text) for text in texts] or None


def _condition(text: str) -> tuple[str, str, Any]:
    found = _CONDITION.fullmatch(text)
    if found is None or found[3].startswith(("=", "<", ">", "!")):  # "=>" is an operator and a text
        raise JagValueError(
            f"--filter {text!r} can't be read: write NAME OPERATOR VALUE, for example 'year >= 2013' or 'plane in [\"N1\"]', with "
            f"one of the operators {', '.join(OPERATORS)}; write a text that begins like one in double quotes"
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
    with reading(f"--schema {path}", "is truncated or neither a Parquet nor an Arrow IPC file"):
        with path.open("rb") as file:
            start = file.read(6)
        if start.startswith(b"PAR1"):
            return open_source(str(path))[1]
        with pa.OSFile(str(path)) as source:
            return (pa.ipc.open_file if start == b"ARROW1" else pa.ipc.open_stream)(source).schema


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
    except (Exception, SystemExit) as error:  # noqa: BLE001  (whatever the module does wrong is reported in one line)
        raise JagValueError(f"{name}: {_text_of(error)}") from None


# The folders of job files that this process has loaded: another job file of the same name hides no library.
_JOB_FOLDERS: set[str] = set()


def _load_module(path: Path) -> ModuleType:
    """Import a file as a script does: its folder comes first on the path, here and in the workers."""
    folder = str(path.resolve().parent)
    if _is_taken(path.stem, folder):
        raise JagValueError(f"{path} would hide the module {path.stem!r} from the libraries that import it: rename the file")
    sys.path.insert(0, folder)
    _JOB_FOLDERS.add(folder)
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [folder, os.environ.get("PYTHONPATH")]))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise JagValueError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # noqa: BLE001  (whatever the file does wrong is reported in one line)
        raise JagValueError(_where(error, path)) from None
    _travel_by_value(module)
    return module


def _is_taken(name: str, folder: str) -> bool:
    """Return whether a module of Python or of a package has this name, other than a file in a folder of job files."""
    if name in sys.stdlib_module_names:
        return True
    others = [one for one in sys.path if str(Path(one or ".").resolve()) not in {folder, *_JOB_FOLDERS}]
    found = importlib.machinery.PathFinder.find_spec(name, others)
    return found is not None and found.origin is not None


def _text_of(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return f"it ends with exit code {error.code} when it is imported: put such lines below if __name__ == '__main__'"
    return f"{type(error).__name__}: {error}"


def _where(error: BaseException, path: Path) -> str:
    if isinstance(error, SyntaxError):
        line: int | None = error.lineno
    else:
        lines = [
            frame.lineno for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename).resolve() == path.resolve()
        ]
        line = lines[-1] if lines else None
    return f"{path}{f', line {line}' if line else ''}: {_text_of(error)}"


def _travel_by_value(module: ModuleType) -> None:
    """Workers get the function itself, so they need not find its module."""
    try:
        import cloudpickle
    except ModuleNotFoundError:
        return  # etl names the package to install
    cloudpickle.register_pickle_by_value(module)
