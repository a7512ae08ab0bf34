"""The table of calls on a fixed set of columns that holds every ndim, axis and leaf type; and the campaigns themselves."""

from __future__ import annotations

import importlib
import os
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import arrowjag as aj
from arrowjag._kernels.elementwise import utf8
from arrowjag._methods import METHODS
from arrowjag.testing import LEAF_KINDS
from tests.conftest import IS_COVER, PROFILE
from tests.fuzz import cases, coverage_guided
from tests.fuzz.calls import CALLS
from tests.fuzz.columns import sample
from tests.fuzz.operations import compare
from tests.fuzz.properties import property_files
from tests.hosts import ABSENT

CASES = 12 if IS_COVER else 60 if PROFILE == "whole" else 150
"""Calls for each operation and ndim; at least two for each leaf type, in `make test` one at one ndim of three."""


@pytest.mark.parametrize("name", CALLS)
def test_every_operation_equals_the_oracle(name: str) -> None:
    chosen, seen = CALLS[name], set[Any]()
    kinds = chosen.kinds or tuple(LEAF_KINDS)
    leaves = [leaf for kind in kinds for leaf in LEAF_KINDS[kind]]
    # Kernels of our own are for numbers: as many cases for the two widest types as for all others together.
    often = [leaf for leaf in (pa.float64(), pa.int64()) if leaf in leaves] or leaves
    for ndim in (1, 2, 3):
        for k in range(max(CASES, -(-len(leaves) // 3) if IS_COVER else 2 * len(leaves))):
            rng = random.Random(f"{name} {ndim} {k}")
            small = not chosen.wide or name == "sum" or k % 3 > 0
            leaf = often[k // 2 % len(often)] if k % 2 else leaves[k // 2 % len(leaves)]
            if IS_COVER:
                leaf = leaves[(3 * k + ndim) % len(leaves)]
            s = sample(rng, ndim, leaf, small=small)
            if name == "searchsorted":
                s = s._replace(truth=s.x.sort().to_list(), x=s.x.sort())
            made = compare(rng, Counter(), chosen, s)
            if name in METHODS:
                axis = METHODS[name].bind(made.args, made.kwargs).get("axis", -1)
                seen.add((ndim, axis % ndim if isinstance(axis, int) else axis))
    if len(seen) > 3 and not IS_COVER:
        assert {(ndim, axis) for ndim in (1, 2, 3) for axis in range(ndim)} <= seen


@pytest.mark.parametrize("name", ["operations", "pieces", "surfaces"])
def test_a_campaign_with_the_same_seed_draws_the_same(name: str) -> None:
    if name == "surfaces" and ABSENT:
        pytest.skip(f"surfaces need {' and '.join(sorted(ABSENT))}")
    module = importlib.import_module(f"tests.fuzz.{name}")
    one, two = ([cases.run(name, 7, 0, module.check, case=k) for k in range(20)] for _ in range(2))
    assert one == two
    assert sum(one, Counter())["failed"] == 0


def test_a_fault_is_found_and_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(aj.JaggedArray, "reverse", lambda self, axis=-1: self)
    module = importlib.import_module("tests.fuzz.operations")
    counts = cases.run("operations", 7, 1e9, lambda rng, counts: module.check(rng, counts, "reverse"), case=4)
    assert counts["failed"] == 1
    assert "again: python -m tests.fuzz --only operations --seed 7 --case 4" in capsys.readouterr().out


def test_the_command_reports_by_its_exit_code() -> None:
    run = lambda *options: subprocess.run(  # noqa: E731
        [sys.executable, "-m", "tests.fuzz", "--seconds", "0.5", *options], check=False, capture_output=True, text=True, timeout=120
    )
    done = run("--seed", "5", "--only", "pieces")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "pieces: seed 5" in done.stdout
    assert run("--only", "nothing").returncode == 2


def test_properties_are_found() -> None:
    assert "tests/test_reductions.py" in property_files()


@pytest.mark.parametrize("target", coverage_guided.TARGETS[1:], ids=lambda target: target.__name__)
def test_targets_of_the_coverage_guided_fuzzer_take_any_bytes(target: Any, tmp_path: Path) -> None:
    if target.__name__ in ("gate", "stream"):
        coverage_guided.prepare(tmp_path)
    rng = random.Random(3)
    for n in (0, 1, 2, 5, 40, 40, 40):
        target(rng.randbytes(n))


def test_the_coverage_guided_fuzzer_sees_a_validator_that_believes_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(utf8, "is_valid", lambda data, offsets: True)
    with pytest.raises(AssertionError, match="arrow says True, Arrow False"):
        coverage_guided.text(b"\x01ab\xff")
    coverage_guided.text(b"\x01abc")


def test_seeds_count_where_hypothesis_sees_ci() -> None:
    """hypothesis draws the same examples in every run, whatever the seed, where CI is set and a profile says nothing else."""
    code = (
        "import tests.conftest; from hypothesis import settings; "
        "print([settings.get_profile(one).derandomize for one in ('few', 'quick', 'whole', 'ci', 'thorough', 'mutants')])"
    )
    environment = {**os.environ, "CI": "true"}
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, env=environment, timeout=120)
    assert done.stdout.strip() == str([False] * 6)
