"""`python -m tests.mutants FILES... --sample 40 --seed 0`: how many of mutmut's faults the tests see, file by file.

Survivors are printed as the lines before and after. One that is no fault gets an entry in equivalent.toml with the reason.
`--write` puts the table into tests/README.md.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from tests.mutants import making, running
from tests.mutants.making import Mutant
from tests.mutants.reach import ROOT, digest
from tests.mutants.running import Runner

PACKAGES = ("arrowjag/_kernels", "arrowjag/_ops")
REACH = ROOT / "build" / "mutants"
README, EQUIVALENT = ROOT / "tests" / "README.md", Path(__file__).with_name("equivalent.toml")
KILLED = REACH / "killed.json"
"""Which test killed a mutant last time: it meets the mutant first."""

SECONDS = 10.0
"""Seconds of CPU that the tests of one mutant take without a fault; of tests that take longer, one is run."""

TARGETED = ("tests/kernels/test_*.py", "tests/test_*.py")
"""Tests of kernels and of operations."""

OTHERS = (
    "benchmarks",
    "circles",
    "cli",
    "coming_from",
    "completeness",
    "contracts",
    "coverage_table",
    "damage",
    "docstrings",
    "documents",
    "examples",
    "formatting",
    "html",
    "layers",
    "notebooks",
    "performance_page",
    "plot",
    "quick",
    "see_also",
    "spellings",
    "stubs",
    "threads",
    "translate",
    "typing",
    "version_files",
    "versions",
    "workflows",
)
"""Tests of documents, of the project and of other programs, which say nothing about kernels and operations."""


class Score(NamedTuple):
    """The outcome of the mutants of one file."""

    path: str
    made: int
    tried: int
    killed: int
    equivalent: int
    seed: int
    survivors: list[Mutant]

    @property
    def share(self) -> float:
        """Of those tried that are faults."""
        faults = self.tried - self.equivalent
        return 1.0 if not faults else self.killed / faults


def stale_entries() -> list[str]:
    """Return the lines of entries in equivalent.toml that their functions no longer hold: no mutant has them."""
    texts: dict[str, str] = {}
    for path in [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]:
        lines = path.read_text(encoding="utf-8").splitlines()
        for name, node in _statements(ast.parse("\n".join(lines))):
            first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))]) - 1
            texts[name] = texts.get(name, "") + "\n" + " ".join(line.strip() for line in lines[first : node.end_lineno])
    entries = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8")).get("mutant", [])
    return [f"{one['function']}: {one['was']}" for one in entries if one["was"] not in texts.get(one["function"], "")]


def _statements(tree: ast.Module) -> Iterator[tuple[str, ast.stmt]]:
    """Yield functions and methods by the names that entries have; all other statements have none."""
    for node in tree.body:
        parts = node.body if isinstance(node, ast.ClassDef) else []
        for name, one in [("", node), *((f"{node.name}.", part) for part in parts)]:  # type: ignore[attr-defined]  # a class
            yield (f"{name}{one.name}" if isinstance(one, ast.FunctionDef) else ""), one


def test_files(patterns: Sequence[str]) -> list[str]:
    """The tests that mutants meet."""
    found = [file for pattern in patterns for file in sorted(ROOT.glob(pattern)) if file.stem.removeprefix("test_") not in OTHERS]
    return [file.relative_to(ROOT).as_posix() for file in found]


def reached(files: Sequence[str]) -> dict[str, tuple[float, set[str]]]:
    """The code that each test reaches, and its duration; measured again if the test file changed.

    Where a module changed since, only the function is known: the name of its stretches is "?" then.
    """
    REACH.mkdir(parents=True, exist_ok=True)
    found: dict[str, tuple[float, set[str]]] = {}
    outputs = {file: REACH / f"{Path(file).stem}-{digest(file)}.json" for file in files}
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        unknown = [(file, out) for file, out in outputs.items() if not out.exists()]
        list(threads.map(lambda one: measure_reach(*one), unknown))
    for out in outputs.values():
        if out.exists():
            known = json.loads(out.read_text())
            stale = {path for path, was in known["sources"].items() if not (ROOT / path).exists() or digest(path) != was}
            for test, (seconds, names) in known["tests"].items():
                seen = {":".join([*name.split(":")[:2], "?"]) if name.partition(":")[0] in stale else name for name in names}
                found[test] = (seconds, seen | found[test][1] if test in found else seen)
    return found


def measure_reach(file: str, out: Path) -> None:
    """Run a test file, and write what its tests reach."""
    options = ["-q", "-n", "0", "-p", "no:cacheprovider", "-m", "not slow and not torch and not engines", file]
    command = [sys.executable, "-m", "tests.mutants.reach", str(out), *options]
    subprocess.run(command, check=False, cwd=ROOT, env=os.environ | {"HYPOTHESIS_PROFILE": "cover"}, stdout=subprocess.DEVNULL)


def chosen_tests(
    mutant: Mutant, tests: dict[str, tuple[float, set[str]]], killers: Sequence[str] = (), seconds: float = SECONDS
) -> list[str]:
    """Tests that reach the mutant's statements: the quickest case of each test function first, then the second cases, and so on.

    What killed others of the file counts as ten times quicker, and comes before other cases. What runs when a module is imported is
    reached by every test: then those count that reach anything of the file.
    """
    place, function = f"{mutant.path}:", f"{mutant.path}:{mutant.function}:"
    here = {mutant.stretch, f"{function}?"}
    if mutant.stretch:
        reaching = {name for name, (_, names) in tests.items() if name and here & names}
        on_import = bool(here & tests[""][1])
    else:
        reaching = {name for name in tests if mutant.function and name and _reaches(tests[name][1], function)}
        on_import = True
    if not mutant.function:
        files = readers(mutant, {name.partition("::")[0] for name in tests if name})
        reaching |= {name for name in tests if name.partition("::")[0] in files}
    if not reaching and on_import:
        reaching = {name for name in tests if name and _reaches(tests[name][1], place)}
    ordered = sorted(reaching, key=lambda name: (tests[name][0] / (10 if name in killers else 1), name))
    if mutant.function:
        cases = Counter[str]()
        turns = {}
        for name in ordered:
            cases[name.partition("[")[0]] += name not in killers
            turns[name] = cases[name.partition("[")[0]]
        ordered.sort(key=turns.__getitem__)
    spent = accumulate(tests[name][0] for name in ordered)
    limit = seconds if mutant.function else 4 * seconds  # tables of constants are read by many tests, and few look at one entry
    return [name for name, total in zip(ordered, spent, strict=True) if total <= limit or name == ordered[0]]


def readers(mutant: Mutant, files: set[str]) -> set[str]:
    """Return the test files that name what the faulty statement of a module defines: a test may read a table and call nothing."""
    old, new = (ast.parse(source) for source in ((ROOT / mutant.path).read_text(encoding="utf-8"), mutant.source))
    changed = [one for one, two in zip(old.body, new.body, strict=False) if ast.dump(one) != ast.dump(two)]
    names = {node.id for one in changed for node in ast.walk(one) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    word = re.compile(rf"\b({'|'.join(sorted(names))})\b") if names else None
    return {file for file in files if word is not None and word.search((ROOT / file).read_text(encoding="utf-8"))}


def _reaches(names: set[str], start: str) -> bool:
    return any(one.startswith(start) for one in names)


def score(path: Path, options: argparse.Namespace, tests: dict[str, tuple[float, set[str]]], runner: Runner) -> Score:
    """Try a seeded sample of a file's mutants."""
    sample, seed = options.sample, options.seed
    made = making.mutants(path, ROOT)
    name = path.relative_to(ROOT).as_posix()
    tried = made if sample is None or sample >= len(made) else random.Random(f"{seed} {path.name}").sample(made, sample)
    known = {(one["function"], one["was"], one["now"]) for one in tomllib.loads(EQUIVALENT.read_text()).get("mutant", [])}
    survivors, killers = list[Mutant](), dict[str, Mutant]()
    killed: dict[str, str] = json.loads(KILLED.read_text()) if KILLED.exists() else {}
    for mutant in tried:
        if mutant.key in known:
            continue
        before = [one for one in [killed.get(str(mutant.key), ""), *killers] if one]
        chosen = chosen_tests(mutant, tests, before, options.seconds)
        at_import = bool({mutant.stretch, f"{mutant.path}:{mutant.function}:?"} & tests[""][1])
        outcome = runner.run(mutant, chosen, sum(tests[one][0] for one in chosen), at_import)
        if outcome.survived:
            survivors.append(mutant)
            met = f"{len(chosen)} tests" if chosen else "no test reaches it"
            print(f"{name}, {mutant.function} ({met})\n  - {mutant.was}\n  + {mutant.now}", flush=True)
        elif outcome.test:
            killers[outcome.test] = mutant
            killed[str(mutant.key)] = outcome.test
            KILLED.write_text(json.dumps(killed))
    _check_control(killers, tests, runner)
    n_equivalent = sum(one.key in known for one in tried)
    return Score(name, len(made), len(tried), len(tried) - n_equivalent - len(survivors), n_equivalent, seed, survivors)


def _check_control(killers: dict[str, Mutant], tests: dict[str, tuple[float, set[str]]], runner: Runner) -> None:
    """Without a fault the tests that failed pass in the same fork; else mutants would seem to be killed."""
    for test, mutant in killers.items():
        control = mutant._replace(source=(ROOT / mutant.path).read_text(encoding="utf-8"))
        if test in tests and not runner.run(control, [test], tests[test][0]).survived:
            raise SystemExit(f"{control.path}: {test} fails without a fault too")


def row(one: Score) -> str:
    """A line of the table."""
    return (
        f"| `{one.path.removeprefix('arrowjag/')}` | {one.made} | {one.tried} | {one.seed} | {one.killed} | {one.equivalent} "
        f"| {one.share:.0%} |"
    )


def write_table(scores: list[Score]) -> None:
    """Put lines into the table of the README, in place of older ones; files that are no more lose theirs."""
    text = README.read_text(encoding="utf-8")
    before, start, rest = text.partition("<!-- mutants -->\n")
    old, end, after = rest.partition("<!-- end of mutants -->")
    lines = {line.split("`")[1]: line for line in old.splitlines() if line.startswith("| `")}
    lines |= {one.path.removeprefix("arrowjag/"): row(one) for one in scores}
    kept = [line for name, line in sorted(lines.items()) if (ROOT / "arrowjag" / name).exists()]
    head = "| file | mutants | tried | seed | killed | equivalent | share |\n|---|---|---|---|---|---|---|\n"
    README.write_text(f"{before}{start}{head}" + "".join(f"{line}\n" for line in kept) + f"{end}{after}", encoding="utf-8")


def main() -> int:
    """Try mutants of the files, print the survivors and the table; 1 if a file stays below 95 %, or an entry is stale."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("files", nargs="*", help="files or folders; all kernels and operations if there is none")
    parser.add_argument("--sample", type=int, help="so many of each file; all if absent")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of CPU that the tests of one mutant take without a fault")
    parser.add_argument("--write", action="store_true", help="write the table into tests/README.md")
    parser.add_argument("--tests", nargs="+", default=TARGETED, help="patterns of the tests that mutants meet")
    options = parser.parse_args()
    stale = stale_entries()
    for one in stale:
        print(f"remove from {EQUIVALENT.name} what no function holds: {one}")
    named = [ROOT / one for one in options.files or PACKAGES]
    files = [file for one in named for file in (sorted(one.rglob("*.py")) if one.is_dir() else [one])]
    os.environ["HYPOTHESIS_PROFILE"] = "mutants"
    os.environ[running.OBJECTS] = str(REACH / "objects")
    against = test_files(options.tests)
    tests = reached(against)
    running.preload()
    runner = Runner(against)
    scores = []
    for file in files:
        one = score(file, options, tests, runner)
        if one.made:
            scores.append(one)
            print(row(one), flush=True)
            if options.write:
                write_table(scores)
    runner.close()
    return int(bool(stale) or any(one.share < 0.95 for one in scores))


if __name__ == "__main__":
    sys.exit(main())
