"""Every Python block of README.md, CONTRIBUTING.md and docs/ runs, or its fence says why it can't.

A block with `>>>` is a doctest; another one is executed as it stands. The blocks of one page share their names. A block
that can't run opens with `python no-run: REASON`; one that needs a library beyond those of the tests opens with
`python needs: LIBRARY`, and is passed over where that is absent. Of a `console` block, each line after `$ ` is run:
`arrowjag ...` as a process, `echo $?` as its exit code. A `{picture}` runs too, and must draw something; `make docs` shows what.
"""

from __future__ import annotations

import doctest
import importlib.util
import os
import re
import shlex
import subprocess
import sys
import tomllib
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
FENCE = re.compile(r"^```(?P<kind>python|pycon|console|\{picture\})(?P<note>[^\n]*)\n(?P<code>.*?)^```", re.DOTALL | re.MULTILINE)
EXCUSE = re.compile(r"no-run: \S+ \S+")
NEED = re.compile(r"needs: (\w+)")
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


@dataclass(frozen=True)
class Block:
    """One fenced block of Python."""

    kind: str
    note: str
    code: str
    line: int


def blocks(text: str) -> Iterator[Block]:
    for match in FENCE.finditer(text):
        yield Block(match["kind"], match["note"].strip(), match["code"], text.count("\n", 0, match.start("code")))


def message(kind: type[BaseException], error: BaseException) -> list[str]:
    """Format an error without its notes: before Python 3.11.7, doctest compares the last note instead of the message."""
    whole = traceback.TracebackException(kind, error, None)
    whole.__notes__ = None
    return list(whole.format_exception_only())


def run(block: Block, page: str, names: dict[str, Any]) -> None:
    if ">>> " not in block.code:
        exec(compile("\n" * block.line + block.code, page, "exec"), names)
        return
    example = doctest.DocTestParser().get_doctest(block.code, names, page, page, block.line)
    report: list[str] = []
    with mock.patch.object(doctest, "traceback", SimpleNamespace(**{**vars(traceback), "format_exception_only": message})):
        doctest.DocTestRunner(optionflags=FLAGS).run(example, out=report.append, clear_globs=False)
    names.update(example.globs)  # get_doctest works on a copy
    if report:
        pytest.fail("".join(report), pytrace=False)


MEASURE = re.compile(r"\b\d[\d.,]* (?:B|kB|MB|GB|s|rows/s)(?!\w)")
"""Bytes and seconds in a session: they differ by machine and by the version of the writer."""
PROGRESS = re.compile(r"^arrowjag: \d+/\d+ tasks.*\n", re.MULTILINE)
"""A line that a job prints every few seconds, so only a slow machine sees one."""


def run_console(block: Block, page: str) -> None:
    """Run the lines of a session, and compare what they print with what the page says."""
    settings = {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8", "COLUMNS": "100", "MPLBACKEND": "agg"}
    code = 0
    for line, expected in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block.code, re.MULTILINE):
        words = shlex.split(line)
        if words == ["echo", "$?"]:
            got = f"{code}\n"
        else:
            assert words[0] == "arrowjag", f"{page}: {line}"
            command = [sys.executable, "-m", *words]
            streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
            done = subprocess.run(command, **streams, encoding="utf-8", env={**os.environ, **settings}, check=False)
            code, got = done.returncode, done.stdout
        texts = (MEASURE.sub("some", PROGRESS.sub("", one)).strip() for one in (expected, got))
        same = doctest.OutputChecker().check_output(*texts, FLAGS)
        assert same, f"{page}: $ {line}\nExpected:\n{expected}Got:\n{got}"


def draw(block: Block, page: str, names: dict[str, Any]) -> None:
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.close("all")
    run(block, page, names)
    assert plt.get_fignums(), f"{page}, line {block.line}: nothing was drawn"
    plt.close("all")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # pages may write files
    names: dict[str, Any] = {"__name__": "__main__"}
    beside: dict[str, dict[str, Any]] = {}  # names that only blocks with the same need may use: without it they are not there
    for block in blocks(page.read_text(encoding="utf-8")):
        if block.kind == "{picture}":
            assert block.note, f"{page.name}, line {block.line}: a picture needs a caption"
            draw(block, str(page), names)
        elif block.kind == "console":
            run_console(block, str(page))
        elif needed := NEED.fullmatch(block.note):
            if importlib.util.find_spec(needed[1]) is not None:
                known = names | beside.get(needed[1], {})
                with warnings.catch_warnings(action="ignore"):  # such as that of Spark about the version of pandas
                    run(block, str(page), known)
                beside[needed[1]] = {name: value for name, value in known.items() if names.get(name) is not value}
        elif block.note:
            assert EXCUSE.fullmatch(block.note), f"{page.name}, line {block.line}: say why: python no-run: REASON"
        else:
            run(block, str(page), names)


LINK = re.compile(r"(?<!`)\[[^\]\n]*\]\((?P<target>[^)\s]+)\)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for match in LINK.finditer(text):
        target, _, anchor = match["target"].partition("#")
        if target.startswith("https://"):
            continue
        linked = (page.parent / target).resolve() if target else page
        assert linked.exists(), f"{page.name} links to {match['target']}"
        if anchor:
            assert anchor in anchors(linked), f"{page.name} links to {match['target']}"


def anchors(page: Path) -> set[str]:
    """The anchors of the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def paragraphs(text: str) -> list[str]:
    """The parts of a page between blank lines, without code blocks and comments."""
    text = re.sub(r"<!--.*?-->\n?", "", text, flags=re.DOTALL)
    text = re.sub(r"```.*?^```", "```", text, flags=re.DOTALL | re.MULTILINE)
    return [part for part in re.split(r"\n\s*\n", text) if part.strip()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_first_paragraph_is_a_full_sentence(page: Path) -> None:
    title, first, *_ = paragraphs(page.read_text(encoding="utf-8"))
    assert title.startswith("# ")
    assert not first.startswith(("#", "```", "|")), f"{page.name}: say what the page is for below the title, not {first[:40]!r}"
    assert re.search(r"[.][)]?$", first.strip()), f"{page.name}: the first paragraph is no full sentence: {first[-40:]!r}"


AVOIDED = {
    r"\bnobody\b": "name the subject",
    r"\bone (\w+) an? \w+": "write 'per'",
    r"\b(?:and|or) (?:its|their) kin\b": "name the methods",
    r"\b(?:lent|laid out|laid flat)\b": "use a term of the field",
    r"(?:^|[.:;] )What (?!is |are )\w+[^?.]* (?:is|are|depends)\b": "begin with a noun",
    r"\bwe\b|\bours\b": "name arrowjag",
}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_pages_use_plain_words(page: Path) -> None:
    text = re.sub(r"```.*?^```|`[^`\n]*`|\"[^\"\n]*\"", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    if page.name == "CONTRIBUTING.md":
        text = re.sub(r"^[|] instead of.*?\n\n", "", text, flags=re.DOTALL | re.MULTILINE)
    for pattern, advice in AVOIDED.items():
        found = re.search(pattern, text, re.MULTILINE)
        assert found is None, f"{page.name}: {advice} in place of {found[0]!r}"


def test_a_wrong_answer_is_seen() -> None:
    (block,) = blocks("Text.\n\n```python\n>>> 1 + 1\n3\n```\n")
    with pytest.raises(pytest.fail.Exception, match=r"line 4[\s\S]*Expected:\s+3\s+Got:\s+2"):
        run(block, "page.md", {})


def test_names_are_shared_by_the_blocks_of_a_page() -> None:
    names: dict[str, Any] = {}
    for block in blocks("```python\n>>> one = 1\n```\n\n```python\ntwo = one + 1\n```\n\n```python\n>>> two\n2\n```\n"):
        run(block, "page.md", names)
    assert names["two"] == 2


def test_a_wrong_line_of_a_session_is_seen() -> None:
    (block,) = blocks("```console\n$ arrowjag --version\narrowjag ...\n$ echo $?\n1\n```\n")
    with pytest.raises(AssertionError, match=r"echo \$\?\s+Expected:\s+1\s+Got:\s+0"):
        run_console(block, "page.md")


CONTRIBUTORS = {"dev", "docs", "history", "lake", "mutants", "oracles", "oracles-torch", "suite", "test"}


def test_first_steps_lists_the_extras_of_users() -> None:
    extras = set(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"])
    page = (ROOT / "docs" / "first-steps.md").read_text(encoding="utf-8")
    (table,) = (part for part in paragraphs(page) if part.startswith("| extra |"))
    listed = {name for row in table.splitlines() for name in re.findall(r"`(\w+)`", row.split("|")[1])}
    assert listed == extras - CONTRIBUTORS, "list the extras that users install in docs/first-steps.md"
