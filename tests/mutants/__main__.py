"""`python -m tests.mutants FILES... --sample 40 --seed 0`: how many of mutmut's faults the tests see, file by file.

Survivors are printed as the lines before and after. One that is no fault gets an entry in equivalent.toml with the reason.
`--write` puts the table into tests/README.md.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import NamedTuple

from tests.mutants import making, running
from tests.mutants.making import Mutant
from tests.mutants.reach import ROOT

PACKAGES = ("arrowjag/_kernels", "arrowjag/_ops")
REACH = ROOT / "build" / "mutants"
README, EQUIVALENT = ROOT / "tests" / "README.md", Path(__file__).with_name("equivalent.toml")
FIRST, SECOND = 3.0, 40.0
"""Seconds that tests took without a fault: the quickest tests that reach it meet a mutant first, survivors get more of them."""

TARGETED = ("tests/kernels/test_*.py", "tests/test_fuzz.py")
"""Tests of kernels, and of every operation with every type."""


class Score(NamedTuple):
    """What became of the mutants of one file."""

    path: str
    made: int
    tried: int
    killed: int
    equivalent: int
    survivors: list[Mutant]

    @property
    def share(self) -> float:
        """Of those tried that are faults."""
        faults = self.tried - self.equivalent
        return 1.0 if not faults else self.killed / faults


def test_files() -> list[str]:
    """The tests that mutants meet."""
    return [file.relative_to(ROOT).as_posix() for pattern in TARGETED for file in sorted(ROOT.glob(pattern))]


def reached() -> dict[str, tuple[float, list[str]]]:
    """What each test reaches, and how long it takes; measured anew where the test file changed or a module of those moved."""
    REACH.mkdir(parents=True, exist_ok=True)
    found: dict[str, tuple[float, list[str]]] = {}
    for file in test_files():
        known = hashlib.sha256((ROOT / file).read_bytes()).hexdigest()[:16]
        out = REACH / f"{Path(file).stem}-{known}.json"
        if not out.exists() or not _is_present(json.loads(out.read_text())):
            options = ["-q", "-n", "0", "-p", "no:cacheprovider", "-m", "not slow and not torch and not engines", file]
            command = [sys.executable, "-m", "tests.mutants.reach", str(out), *options]
            subprocess.run(
                command, check=False, cwd=ROOT, env=os.environ | {"HYPOTHESIS_PROFILE": "few"}, stdout=subprocess.DEVNULL
            )
        found |= json.loads(out.read_text()) if out.exists() else {}
    return found


def _is_present(found: dict[str, tuple[float, list[str]]]) -> bool:
    """Whether the modules that the tests reached are where they were."""
    return all((ROOT / path).exists() for path in {one.partition(":")[0] for _, names in found.values() for one in names})


def chosen_tests(mutant: Mutant, tests: dict[str, tuple[float, list[str]]], seconds: float, skip: float = 0.0) -> list[str]:
    """Tests that reach the mutant's function, quickest first, from `skip` seconds of them on, so many seconds long.

    What runs when a module is imported is reached by no test: then those count that reach anything of the file.
    """
    quickest = sorted(tests, key=lambda name: tests[name][0])
    reaching = [name for name in quickest if f"{mutant.path}:{mutant.function}" in tests[name][1]]
    reaching = reaching or [name for name in quickest if any(one.startswith(f"{mutant.path}:") for one in tests[name][1])]
    found, spent = [], 0.0
    for name in reaching:
        spent += tests[name][0]
        if skip < spent <= skip + seconds:
            found.append(name)
    return found


def _check_control(made: list[Mutant], tests: dict[str, tuple[float, list[str]]]) -> None:
    """Without a fault the same tests pass in the same fork; else every mutant would seem to be killed."""
    if made:
        control = made[0]._replace(source=(ROOT / made[0].path).read_text(encoding="utf-8"))
        if running.run(control, chosen_tests(control, tests, FIRST)) != running.SURVIVED:
            raise SystemExit(f"{control.path}: the tests fail without a fault too")


def score(path: Path, sample: int | None, seed: int, tests: dict[str, tuple[float, list[str]]]) -> Score:
    """Try a seeded sample of a file's mutants."""
    made = making.mutants(path, ROOT)
    name = path.relative_to(ROOT).as_posix()
    tried = made if sample is None or sample >= len(made) else random.Random(f"{seed} {path.name}").sample(made, sample)
    known = {(one["function"], one["was"], one["now"]) for one in tomllib.loads(EQUIVALENT.read_text()).get("mutant", [])}
    equivalent = [one for one in tried if one.key in known]
    survivors = []
    _check_control(made, tests)
    for mutant in tried:
        if mutant.key in known:
            continue
        first, second = chosen_tests(mutant, tests, FIRST), chosen_tests(mutant, tests, SECOND, FIRST)
        outcome = running.run(mutant, first) if first else running.SURVIVED
        if outcome == running.SURVIVED and second:
            outcome = running.run(mutant, second)
        if outcome == running.SURVIVED:
            survivors.append(mutant)
            print(f"{name}, {mutant.function} ({len(first) + len(second)} tests)\n  - {mutant.was}\n  + {mutant.now}", flush=True)
    killed = len(tried) - len(equivalent) - len(survivors)
    return Score(name, len(made), len(tried), killed, len(equivalent), survivors)


def row(one: Score) -> str:
    """A line of the table."""
    return (
        f"| `{one.path.removeprefix('arrowjag/')}` | {one.made} | {one.tried} | {one.killed} | {one.equivalent} | {one.share:.0%} |"
    )


def write_table(scores: list[Score]) -> None:
    """Put lines into the table of the README, in place of older ones; files that are no more lose theirs."""
    text = README.read_text(encoding="utf-8")
    before, start, rest = text.partition("<!-- mutants -->\n")
    old, end, after = rest.partition("<!-- end of mutants -->")
    lines = {line.split("`")[1]: line for line in old.splitlines() if line.startswith("| `")}
    lines |= {one.path.removeprefix("arrowjag/"): row(one) for one in scores}
    kept = [line for name, line in sorted(lines.items()) if (ROOT / "arrowjag" / name).exists()]
    head = "| file | mutants | tried | killed | equivalent | share |\n|---|---|---|---|---|---|\n"
    README.write_text(f"{before}{start}{head}" + "".join(f"{line}\n" for line in kept) + f"{end}{after}", encoding="utf-8")


def main() -> int:
    """Try mutants of the files, print the survivors and the table; 1 if a file stays below 95 %."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("files", nargs="*", help="files or folders; all kernels and operations if there is none")
    parser.add_argument("--sample", type=int, help="so many of each file; all if absent")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--write", action="store_true", help="write the table into tests/README.md")
    options = parser.parse_args()
    named = [ROOT / one for one in options.files or PACKAGES]
    files = [file for one in named for file in (sorted(one.rglob("*.py")) if one.is_dir() else [one])]
    os.environ["HYPOTHESIS_PROFILE"] = "mutants"
    tests = reached()
    running.preload()
    scores = []
    for file in files:
        one = score(file, options.sample, options.seed, tests)
        if one.made:
            scores.append(one)
            print(row(one), flush=True)
            if options.write:
                write_table(scores)
    return int(any(one.share < 0.95 for one in scores))


if __name__ == "__main__":
    sys.exit(main())
