"""The subcommands: their arguments and exit codes."""

from __future__ import annotations

import dataclasses
import io
import json
import os
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.console import Console

from arrowjag import __version__
from arrowjag.cli import _jobs, _tables
from arrowjag.cli._facts import column_names, read_column, read_facts
from arrowjag.cli._streams import failure_text, leave_pipe
from arrowjag.errors import JagError, JagValueError, joined_lines
from arrowjag.io._atomic import writing

__all__ = ["app", "run"]


def _help_mode() -> Literal["rich"] | None:
    """Help in colours on a terminal, unless NO_COLOR is set; plain text elsewhere."""
    return "rich" if sys.stdout.isatty() and not os.environ.get("NO_COLOR") else None


app = typer.Typer(
    name="arrowjag",
    pretty_exceptions_enable=False,
    rich_markup_mode=_help_mode(),
    context_settings={"help_option_names": ["-h", "--help"]},
)

_STORAGE = "An option of the store by its name in object_store, such as aws_region=eu-west-1; may be repeated."
_STDOUT = Path("-")
_INTERRUPTED = 130
_TERMINATED = 143


def run(words: list[str]) -> int:
    """Run the command on its arguments and return its exit code; every failure is one line on stderr."""
    try:
        # None: a usage error is raised as an exception, which is then printed on one line.
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="replace")  # a terminal without block characters
        code = app(args=_with_stdout(words) or ["--help"], prog_name="arrowjag", standalone_mode=False)
        sys.stdout.flush()
        return _fail("stopped", _INTERRUPTED) if code == _INTERRUPTED else int(code or 0)
    except (KeyboardInterrupt, typer.Abort):
        return _fail("stopped", _INTERRUPTED)
    except SystemExit as error:
        if isinstance(error.__context__, BrokenPipeError):  # click has caught it
            return leave_pipe()
        if error.code != _TERMINATED:
            raise
        return _fail("ended by SIGTERM", _TERMINATED)
    except BrokenPipeError:
        return leave_pipe()
    except (JagError, OSError) as error:
        return _fail(failure_text(error), 1 if isinstance(error, RuntimeError) else 2)  # a job that failed is a RuntimeError
    except AssertionError as error:
        return _fail(f"the demo's figures differ: {error}", 1)
    except Exception as error:  # typer's own errors share no public base in all of its versions: others are raised again
        if not hasattr(error, "format_message"):
            raise
        context = getattr(error, "ctx", None)
        return _fail(f"{error.format_message()} (see {context.command_path if context else 'arrowjag'} --help)", 2)


def _with_stdout(words: list[str]) -> list[str]:
    """The arguments, with the file name - after an option --html that has none: typer has no options with optional values."""
    given: list[str] = []
    for place, word in enumerate(words):
        after = words[place + 1] if place + 1 < len(words) else "--"
        given += [word, str(_STDOUT)] if word == "--html" and after.startswith("-") and after != str(_STDOUT) else [word]
    return given


def _fail(text: str, code: int) -> int:
    print(f"arrowjag: {joined_lines(text)}", file=sys.stderr)
    return code


def _version(asked: bool) -> None:
    if asked:
        print(f"arrowjag {__version__}")
        raise typer.Exit


@app.callback(epilog="Example:  arrowjag show flights.parquet")
def arrowjag(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    """Show jagged columns in files, and run jobs over them.

    After --install-completion the Tab key completes commands, options, and the columns of a file.
    """


def _complete_column(context: typer.Context, incomplete: str) -> list[str]:
    try:
        names = column_names(context.params["file"])
    except (JagError, KeyError, TypeError):
        return []
    return [name for name in names if name.startswith(incomplete)]


@app.command(short_help="Show the contents of a file or a folder of files.")
def show(
    file: Annotated[
        str,
        typer.Argument(
            help="A Parquet or Arrow IPC (Feather) file, a folder of Parquet files, a URL (s3://...), or a table (delta://...)."
        ),
    ],
    column: Annotated[
        str | None, typer.Argument(help="One column, or a field of its structs: docs.score", autocompletion=_complete_column)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the same facts as JSON.")] = False,
    html: Annotated[
        Path | None,
        typer.Option(
            metavar="[PAGE.html]",
            help="Write the same facts as one HTML page that needs no network; without a file name, or as -, print it.",
        ),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="PICTURE.png", help="Draw the sizes, the rows and the values (png, svg, pdf).")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Read every row group of a large column instead of a sample.")] = False,
    storage_option: Annotated[list[str] | None, typer.Option(metavar="KEY=VALUE", help=_STORAGE)] = None,
) -> None:
    """Show the contents of a file or a folder: shapes, types, row sizes of each dim, nulls, bytes, and some rows.

    It reads only metadata and, per nested column, one column chunk per row group.

    \b
    Examples:
      arrowjag show flights.parquet
      arrowjag show flights.parquet flights.dep_delay
      arrowjag show flights.parquet flights --plot sizes.png
      arrowjag show flights.parquet --html flights.html
      arrowjag show flights.parquet --html
      arrowjag show flights.parquet --json
    """  # noqa: D301
    if as_json and html == _STDOUT:
        raise JagValueError("--json and --html can't both print to stdout: give --html a file name")
    console = _tables.console_for(sys.stdout)
    options = _jobs.storage_options(storage_option)
    facts = read_facts(file, column, everything=everything, width=max(24, console.width - 12), options=options)
    if html is not None:
        from arrowjag.cli import _page

        _write(html, _page.page(facts))
    if plot is not None:
        _draw(plot, file, column, options)
    for made in (html, plot):
        if made not in (None, _STDOUT):
            print(made, file=sys.stderr if as_json else sys.stdout)  # a pipe gets JSON only
    if as_json:
        print(json.dumps(dataclasses.asdict(facts), indent=2))
    elif html is None and plot is None:
        _tables.print_facts(console, facts)


def _write(path: Path, text: str) -> None:
    if path == _STDOUT:
        print(text, end="")
        return
    if not path.parent.is_dir():
        raise JagValueError(f"{path}: there is no folder {path.parent}")
    with writing(str(path)):
        path.write_text(text, encoding="utf-8")


def _draw(path: Path, file: str, column: str | None, options: dict[str, str]) -> None:
    from arrowjag import plot

    if not path.parent.is_dir():
        raise JagValueError(f"{path}: there is no folder {path.parent}")
    array, name, whole = read_column(file, column, options)
    title = f"{name} in {Path(file).name}{'' if whole else ' (a sample of its row groups)'}"
    try:
        plot.overview(array, title, path)
    except JagError as error:
        raise error.renamed("--plot", "overview") from None


@app.command("run", short_help="Run a function over a Parquet dataset.")
def run_job(
    job: Annotated[
        str,
        typer.Argument(metavar="JOB.py:FUNCTION", help="A function from frame to frame: job.py:totals, or package.module:totals."),
    ],
    source: Annotated[
        str,
        typer.Argument(help="A Parquet file, a folder of them, a glob, a URL (s3://...), or a table (delta://..., iceberg://...)."),
    ],
    sink: Annotated[str, typer.Argument(help="The folder for the results, its URL, or a table.")],
    engine: Annotated[str, typer.Option(metavar="local|ray|dask", help="Engine that runs the tasks.")] = "local",
    workers: Annotated[int | None, typer.Option(min=1, help="Number of processes; by default one per core.")] = None,
    memory: Annotated[
        str | None, typer.Option(help="Memory limit of all workers together, such as 4GB; by default half of the memory.")
    ] = None,
    batch_bytes: Annotated[str | None, typer.Option(metavar="BYTES", help="Approximate size of a batch of rows in memory.")] = None,
    bytes_per_file: Annotated[str | None, typer.Option(metavar="BYTES", help="Combine small input files up to this size.")] = None,
    columns: Annotated[str | None, typer.Option(metavar="NAME,...", help="Columns to read; docs.score reads one field.")] = None,
    filter: Annotated[
        list[str] | None, typer.Option(metavar="'NAME > 3'", help="Rows to read; if repeated, all conditions must hold.")
    ] = None,
    schema: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A Parquet or Arrow file with the schema of the results.")
    ] = None,
    partition_by: Annotated[
        str | None, typer.Option(metavar="NAME,...", help="Columns of the results that become folders.")
    ] = None,
    frame: Annotated[
        str, typer.Option(metavar="polars|pandas|arrow", help="Type of the frames that the function gets.")
    ] = "polars",
    on_error: Annotated[
        str, typer.Option(metavar="stop|skip|rows", help="After a failure: stop the job, skip the task, or reject the rows.")
    ] = "stop",
    dead_letter: Annotated[
        str | None, typer.Option(metavar="FOLDER", help="Folder for rejected rows, with --on-error rows.")
    ] = None,
    max_failures: Annotated[int | None, typer.Option(min=0, help="Maximum number of skipped tasks or rejected rows.")] = None,
    timeout: Annotated[float | None, typer.Option(metavar="SECONDS", help="Time limit per task.")] = None,
    missing_inputs: Annotated[
        str, typer.Option(metavar="keep|drop|error", help="With --resume: what to do with results whose input is gone.")
    ] = "keep",
    code_version: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Identifies the function in place of its code; change it when results change."),
    ] = None,
    storage_option: Annotated[list[str] | None, typer.Option(metavar="KEY=VALUE", help=_STORAGE)] = None,
    merge_schema: Annotated[
        bool, typer.Option("--merge-schema", help="Add the columns of the results that the table lacks.")
    ] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Keep finished results, and run the remaining tasks.")] = False,
    replace: Annotated[bool, typer.Option("--replace", help="Delete the contents of the sink first.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Report the remaining tasks without running them.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    log_level: Annotated[
        str, typer.Option(metavar="debug|info|warning|error", help="The least severe messages to print on stderr.")
    ] = "warning",
) -> None:
    """Run a function over every batch of rows of a Parquet dataset.

    Memory is bounded, files are written atomically, and --resume continues a stopped job. Exit code 1: a task failed.

    \b
    Example, with `def totals(frame): ...` in job.py:
      arrowjag run job.py:totals flights.parquet results
      arrowjag run job.py:totals flights.parquet results --resume
      arrowjag run job.py:totals flights.parquet results --filter 'plane = N1'
      arrowjag run job.py:totals flights.parquet results --dry-run
    """  # noqa: D301
    if resume and replace:
        raise JagValueError("--resume keeps the contents of the sink and --replace overwrites them: give one of them")
    mode = "resume" if resume else "replace" if replace else "create"
    options: dict[str, Any] = {"engine": engine, "workers": workers, "memory": memory, "mode": mode, "frame": frame}
    options |= {"batch_bytes": batch_bytes, "bytes_per_file": bytes_per_file, "on_error": on_error, "dead_letter": dead_letter}
    options |= {"max_failures": max_failures, "timeout": timeout, "missing_inputs": missing_inputs, "version": code_version}
    options |= {"columns": _jobs.names(columns, "--columns"), "partition_by": _jobs.names(partition_by, "--partition-by")}
    options |= {"filters": _jobs.filters(filter or []), "storage_options": _jobs.storage_options(storage_option) or None}
    if merge_schema:
        options["write"] = {"schema_mode": "merge"}
    with _jobs.log_to_stderr(log_level):
        report = _jobs.run(job, source, sink, schema=_jobs.schema_of(schema), dry_run=dry_run, **options)
    print(json.dumps(dataclasses.asdict(report), indent=2) if as_json else _jobs.as_options(str(report)))
    count = len(report.failures)
    if count:
        raise typer.Exit(_fail(f"{count} task{'' if count == 1 else 's'} failed", 1))


@app.command(short_help="Show a folder of results, and how its runs ended.")
def status(
    sink: Annotated[str, typer.Argument(help="The folder of results of a job, or its URL.")],
    storage_option: Annotated[list[str] | None, typer.Option(metavar="KEY=VALUE", help=_STORAGE)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the same facts as JSON.")] = False,
) -> None:
    """Show the contents of a folder of results, its writer, and how its runs ended.

    \b
    Example:
      arrowjag status results
      arrowjag status results --json
    """  # noqa: D301
    found = _jobs.status(sink, storage_options=_jobs.storage_options(storage_option) or None)
    print(json.dumps(dataclasses.asdict(found), indent=2) if as_json else _jobs.as_options(str(found)))


@app.command("compile", short_help="Compile the loops of arrowjag ahead of time.")
def compile_loops(
    folder: Annotated[
        Path | None, typer.Option(help="Where to store the compiled code; by default in the user's cache.", file_okay=False)
    ] = None,
    only: Annotated[str, typer.Option(metavar="PATTERN", help="The loops to compile, such as 'sum-*'.")] = "*",
) -> None:
    """Compile the loops of arrowjag ahead of time, for this processor.

    Without this command a process compiles the loops it needs in the
    background. A container image that ships the folder, and names it in
    ARROWJAG_CACHE_DIR, does not compile these loops. Numba is needed; the
    extra named "compiled" installs it.

    Loops that aj.jit fuses are not among them, because they depend on the
    types of a call: make such calls while the image is built, in
    `with aj.options(compile="always")`; the same folder keeps their code.

    \b
    Example:
      arrowjag compile --folder compiled --only 'sum-f8-*'
    """  # noqa: D301
    from collections import Counter

    from arrowjag._kernels.compiled import library

    counts: Counter[str] = Counter()
    names = []
    for outcome in library.compile_all(folder, only):
        counts[outcome.state] += 1
        if outcome.state == "failed":
            names.append(str(outcome.variant))
    console = Console()
    console.print(f"{counts['compiled']} compiled, {counts['there']} compiled before, {counts['failed']} failed", highlight=False)
    if names:
        raise JagValueError(f"compile: numba fails on {', '.join(names)}")


@app.command(short_help="Run a demo on real flights and check its figures.")
def demo(
    folder: Annotated[Path | None, typer.Option(help="Folder in which to keep the Parquet files.", file_okay=False)] = None,
) -> None:
    """Nest 336,776 real flights, compute with them in pandas and polars, and compare every figure with a flat group-by.

    \b
    Example:
      arrowjag demo
    """  # noqa: D301
    from arrowjag.demo import Demo

    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    Demo(Console(), folder).run()
