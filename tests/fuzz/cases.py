"""The loop of a campaign: cases numbered from 0, each drawn from (campaign, seed, number) alone, so that any can be run again."""

from __future__ import annotations

import itertools
import random
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable

Check = Callable[[random.Random, Counter[str]], None]
"""Draws one case, runs it and raises where the answer is wrong. It counts what it drew."""

SHOWN = 20
"""Failures that are printed in full; further ones are counted, and so is what looks like one that was printed."""


def run(campaign: str, seed: int, seconds: float, check: Check, case: int | None = None) -> Counter[str]:
    """Run cases for so many seconds, or one of them again; `failed` counts those that raised."""
    end, counts, seen = time.monotonic() + seconds, Counter[str](), set[str]()
    numbers: Iterable[int] = itertools.count() if case is None else [case]
    for number in numbers:
        if case is None and time.monotonic() > end:
            break
        counts["cases"] += 1
        try:
            check(random.Random(f"{campaign} {seed} {number}"), counts)
        except (KeyboardInterrupt, SystemExit, MemoryError):
            raise
        except BaseException as error:  # noqa: BLE001 - a panic of polars is no Exception, and every failure is reported
            counts["failed"] += 1
            _report(campaign, seed, number, error, seen)
    return counts


def _report(campaign: str, seed: int, number: int, error: BaseException, seen: set[str]) -> None:
    """Print a failure and the command that runs it again, once for each place and kind."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    kind = f"{type(error).__name__} {last.filename}:{last.lineno} {str(error).partition(' ')[0]}"
    if kind in seen or len(seen) >= SHOWN:
        return
    seen.add(kind)
    print(f"\n--- {campaign}: case {number} failed; again: python -m tests.fuzz --only {campaign} --seed {seed} --case {number}")
    traceback.print_exception(error, limit=-6, file=sys.stdout)
    sys.stdout.flush()
