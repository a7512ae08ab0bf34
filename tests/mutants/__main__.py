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
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from tests.mutants import making, running
from tests.mutants.making import Mutant
from tests.mutants.reach import ROOT
from tests.mutants.running import Runner

PACKAGES = ("arrowjag/_kernels", "arrowjag/_ops")
REACH = ROOT / "build" / "mutants"
README, EQUIVALENT = ROOT / "tests" / "README.md", Path(__file__).with_name("equivalent.toml")
KILLED = REACH / "killed.json"
"""Which test killed a mutant last time: it meets the mutant first."""

SECONDS = 10.0
"""Seconds of CPU that the tests of one mutant take without a fault."""

OPERATIONS = (
    "cast",
    "cdf",
    "ewm",
    "histograms",
    "moments",
    "rolling",
    "softmax",
    "text",
    "time",
    "to_number_to_datetime",
    "two_columns",
)
TARGETED = ("tests/kernels/test_*.py", *(f"tests/test_{name}.py" for name in (*OPERATIONS, "two_columns")), "tests/test_fuzz.py")
"""Tests of kernels, of operations whose kernels have no tests of their own, and of every operation with every type."""


class Score(NamedTuple):
    """What became of the mutants of one file."""

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


def chosen_tests(mutant: Mutant, tests: dict[str, tuple[float, list[str]]], killers: Sequence[str] = ()) -> list[str]:
    """Tests that reach the mutant's function: those that killed others of its file, then the quickest first.

    What runs when a module is imported is reached by no test: then those count that reach anything of the file.
    """
    quickest = [*dict.fromkeys(killers), *sorted(tests.keys() - set(killers), key=lambda name: (tests[name][0], name))]
    reaching = [name for name in quickest if f"{mutant.path}:{mutant.function}" in tests[name][1]]
    reaching = reaching or [name for name in quickest if any(one.startswith(f"{mutant.path}:") for one in tests[name][1])]
    spent = [*accumulate(tests[name][0] for name in reaching)]
    return [name for name, seconds in zip(reaching, spent, strict=True) if seconds <= SECONDS]


def score(path: Path, sample: int | None, seed: int, tests: dict[str, tuple[float, list[str]]], runner: Runner) -> Score:
    """Try a seeded sample of a file's mutants."""
    made = making.mutants(path, ROOT)
    name = path.relative_to(ROOT).as_posix()
    tried = made if sample is None or sample >= len(made) else random.Random(f"{seed} {path.name}").sample(made, sample)
    known = {(one["function"], one["was"], one["now"]) for one in tomllib.loads(EQUIVALENT.read_text()).get("mutant", [])}
    survivors, killers = list[Mutant](), dict[str, Mutant]()
    killed: dict[str, str] = json.loads(KILLED.read_text()) if KILLED.exists() else {}
    for mutant in tried:
        if mutant.key in known:
            continue
        before = [one for one in [killed.get(str(mutant.key), ""), *[*killers][::-1]] if one in tests]
        chosen = chosen_tests(mutant, tests, before)
        outcome = runner.run(mutant, chosen, sum(tests[one][0] for one in chosen))
        if outcome.survived:
            survivors.append(mutant)
            print(f"{name}, {mutant.function} ({len(chosen)} tests)\n  - {mutant.was}\n  + {mutant.now}", flush=True)
        elif outcome.test:
            killers[outcome.test] = mutant
            killed[str(mutant.key)] = outcome.test
            KILLED.write_text(json.dumps(killed))
    _check_control(killers, tests, runner)
    n_equivalent = sum(one.key in known for one in tried)
    return Score(name, len(made), len(tried), len(tried) - n_equivalent - len(survivors), n_equivalent, seed, survivors)


def _check_control(killers: dict[str, Mutant], tests: dict[str, tuple[float, list[str]]], runner: Runner) -> None:
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
    runner = Runner(test_files())
    scores = []
    for file in files:
        one = score(file, options.sample, options.seed, tests, runner)
        if one.made:
            scores.append(one)
            print(row(one), flush=True)
            if options.write:
                write_table(scores)
    runner.close()
    return int(any(one.share < 0.95 for one in scores))


if __name__ == "__main__":
    sys.exit(main())
