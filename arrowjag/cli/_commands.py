"""The subcommands: what they take, and how they end."""

from __future__ import annotations

import dataclasses
import io
import json
import os
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from arrowjag import __version__
from arrowjag.cli import _jobs, _tables
from arrowjag.cli._facts import column_names, read_column, read_facts
from arrowjag.errors import JagError, JagValueError

__all__ = ["app", "run"]

app = typer.Typer(name="arrowjag", pretty_exceptions_enable=False, rich_markup_mode=None)

_NO_FILE = (FileNotFoundError, FileExistsError, IsADirectoryError, NotADirectoryError, PermissionError)
_INTERRUPTED = 130


def run(words: list[str]) -> int:
    """Run the command on its arguments and tell its exit code; every failure is one line on stderr."""
    try:
        # None: a usage error comes as an exception, so that it can be told in one line.
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="replace")  # a terminal without block characters
        code = app(args=words or ["--help"], prog_name="arrowjag", standalone_mode=False)
        sys.stdout.flush()
        return _fail("stopped", _INTERRUPTED) if code == _INTERRUPTED else int(code or 0)
    except (KeyboardInterrupt, typer.Abort):
        return _fail("stopped", _INTERRUPTED)
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (JagError, *_NO_FILE) as error:
        return _fail(str(error), 1 if isinstance(error, RuntimeError) else 2)  # a job that failed is a RuntimeError
    except AssertionError as error:
        return _fail(f"the demo's figures differ: {error}", 1)
    except Exception as error:  # typer's own errors share no public base in all of its versions: what is none goes on
        if not hasattr(error, "format_message"):
            raise
        return _fail(f"{error.format_message()} (arrowjag --help tells what there is)", 2)


def _fail(text: str, code: int) -> int:
    line = " ".join(text.split())
    print(f"arrowjag: {line}", file=sys.stderr)
    return code


def _version(asked: bool) -> None:
    if asked:
        print(f"arrowjag {__version__}")
        raise typer.Exit


@app.callback(epilog="Example:  arrowjag show flights.parquet")
def arrowjag(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    """Jagged columns in files: look at them, and run jobs over them.

    --install-completion teaches your shell the options, and the columns of a file.
    """


def _complete_column(context: typer.Context, incomplete: str) -> list[str]:
    try:
        names = column_names(Path(context.params["file"]))
    except (JagError, KeyError, TypeError):
        return []
    return [name for name in names if name.startswith(incomplete)]


@app.command(short_help="Show what a file or a folder of files holds.")
def show(
    file: Annotated[Path, typer.Argument(help="A Parquet or Arrow IPC (Feather) file, or a folder of Parquet files.")],
    column: Annotated[
        str | None, typer.Argument(help="One column, or a field of its structs: docs.score", autocompletion=_complete_column)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the same facts as JSON.")] = False,
    html: Annotated[Path | None, typer.Option(metavar="PAGE.html", help="Write them as one page that needs no network.")] = None,
    plot: Annotated[Path | None, typer.Option(metavar="PICTURE.png", help="Draw sizes, rows and values (png, svg, pdf).")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Read every row group of a large column, not a sample.")] = False,
) -> None:
    """Show what a file, or a folder of files, holds: shapes, types, sizes of the rows of each dim, nulls, bytes, and some rows.

    Only metadata and, of each nested column, one column chunk a row group are read.

    \b
    Examples:
      arrowjag show flights.parquet
      arrowjag show flights.parquet flights.dep_delay
      arrowjag show flights.parquet flights --plot sizes.png
      arrowjag show flights.parquet --html flights.html
      arrowjag show flights.parquet --json
    """  # noqa: D301
    console = _tables.console_for(sys.stdout)
    facts = read_facts(file, column, everything=everything, width=max(40, console.width - 12))
    if html is not None:
        from arrowjag.cli import _page

        _write(html, _page.page(facts))
    if plot is not None:
        _draw(plot, file, column)
    for made in (html, plot):
        if made is not None:
            print(made, file=sys.stderr if as_json else sys.stdout)  # what is piped to a program is JSON alone
    if as_json:
        print(json.dumps(dataclasses.asdict(facts), indent=2))
    elif html is None and plot is None:
        _tables.print_facts(console, facts)


def _write(path: Path, text: str) -> None:
    if not path.parent.is_dir():
        raise JagValueError(f"{path}: there is no folder {path.parent}")
    path.write_text(text, encoding="utf-8")


def _draw(path: Path, file: Path, column: str | None) -> None:
    from arrowjag import plot

    if not path.parent.is_dir():
        raise JagValueError(f"{path}: there is no folder {path.parent}")
    array, name, whole = read_column(file, column)
    plot.overview(array, f"{name} in {file.name}{'' if whole else ' (a sample of its row groups)'}", path)


@app.command("run", short_help="Run a function over a Parquet dataset.")
def run_job(
    job: Annotated[str, typer.Argument(metavar="JOB.py:FUNCTION", help="A function from frame to frame, in a Python file.")],
    source: Annotated[str, typer.Argument(help="A Parquet file, a folder of them, a glob, or a link (s3://...).")],
    sink: Annotated[str, typer.Argument(help="The folder that gets the results, or a link to it.")],
    engine: Annotated[str, typer.Option(metavar="local|ray|dask", help="Where the work is done.")] = "local",
    workers: Annotated[int | None, typer.Option(min=1, help="Processes; as many as cores by default.")] = None,
    memory: Annotated[str, typer.Option(help="What all workers may use together.")] = "4GB",
    batch_bytes: Annotated[str, typer.Option(metavar="BYTES", help="About what one batch of rows holds in memory.")] = "64MB",
    frame: Annotated[str, typer.Option(metavar="polars|pandas|arrow", help="What the function gets.")] = "polars",
    on_error: Annotated[str, typer.Option(metavar="stop|skip", help="What a task that fails does to the others.")] = "stop",
    resume: Annotated[bool, typer.Option("--resume", help="Keep the files that are done, and do the rest.")] = False,
    replace: Annotated[bool, typer.Option("--replace", help="Write over what the sink holds.")] = False,
) -> None:
    """Run a function over every batch of rows of a Parquet dataset.

    Memory is bounded, files are moved in whole, and a job that was stopped goes on with --resume. Exit code 1: a task failed.

    \b
    Example, with `def totals(frame): ...` in job.py:
      arrowjag run job.py:totals flights.parquet results
      arrowjag run job.py:totals flights.parquet results --resume
    """  # noqa: D301
    if resume and replace:
        raise JagValueError("--resume keeps what the sink holds and --replace writes over it: give one of them")
    mode = "resume" if resume else "replace" if replace else "create"
    options = {"engine": engine, "workers": workers, "memory": memory, "batch_bytes": batch_bytes, "mode": mode, "frame": frame}
    options |= {"on_error": on_error}
    report = _jobs.run(job, source, sink, **options)
    print(report)
    failures = getattr(report, "failures", 0)
    count = failures if isinstance(failures, int) else len(failures)
    if count:
        raise typer.Exit(_fail(f"{count} task{'' if count == 1 else 's'} failed", 1))


@app.command(short_help="Run the main job on real flights.")
def demo(
    folder: Annotated[Path | None, typer.Option(help="Keep the Parquet files here.", file_okay=False)] = None,
) -> None:
    """Run the main job on 336,776 real flights, in pandas and polars, and check every figure against a flat group-by.

    \b
    Example:
      arrowjag demo
    """  # noqa: D301
    from arrowjag.demo import Demo

    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    Demo(Console(), folder).run()
