"""Run the campaigns: `python -m tests.fuzz --seconds 120 [--seed S] [--only CAMPAIGN] [--case K]`; exits 1 if a case failed."""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import random
import sys
import time
import warnings

CAMPAIGNS = ("operations", "surfaces", "pieces", "threads", "damaged", "properties")
"""Modules of this folder, each with `campaign(seed, seconds) -> Counter`; those that are absent are left out."""


def main() -> int:
    """Share the time among the campaigns, and print what each one counted."""
    present = [name for name in CAMPAIGNS if importlib.util.find_spec(f"tests.fuzz.{name}")]
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="for all campaigns together")
    parser.add_argument("--seed", type=int, help="a fresh one if absent; it is printed")
    parser.add_argument("--only", choices=present, help="one campaign")
    parser.add_argument("--case", type=int, help="one case of one campaign, as a failure names it")
    options = parser.parse_args()
    seed = random.SystemRandom().randrange(2**32) if options.seed is None else options.seed
    chosen = [options.only] if options.only else present
    warnings.simplefilter("error")
    failed = 0
    for name in chosen:
        print(f"{name}: seed {seed}, {options.seconds / len(chosen):.0f} s", flush=True)
        module, started = importlib.import_module(f"tests.fuzz.{name}"), time.monotonic()
        extra = {} if options.case is None else {"case": options.case}
        counts = module.campaign(seed, options.seconds / len(chosen), **extra)
        failed += counts["failed"]
        told = ", ".join(f"{key} {count:,}" for key, count in sorted(counts.items()))
        print(f"{name}: {told} in {time.monotonic() - started:.0f} s", flush=True)
    if failed:
        print(f"{failed} failed. Again: python -m tests.fuzz --seconds {options.seconds:g} --seed {seed}")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
