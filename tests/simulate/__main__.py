"""`python -m tests.simulate`: see the package."""

from __future__ import annotations

import argparse
import sys
import time

from .swarm import EXPECTED, Outcome, simulate, swarm, table

SHOWN_MAX = 20
"""Failures that are told in full: one defect fails many seeds."""


def main() -> int:
    """0: all is well; 1: a run has failed, or something never occurred."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.simulate", description="Tournaments in virtual time."
    )
    parser.add_argument("--runs", type=int, default=200, help="how many seeds (200)")
    parser.add_argument("--seed", type=int, default=0, help="the first seed (0)")
    parser.add_argument("--one", type=int, help="only this seed, told step by step")
    asked = parser.parse_args()
    if asked.one is not None:
        outcome = simulate(asked.one, tell=print)
        print(f"{outcome}\ndigest {outcome.digest}")
        return 1 if outcome.wrong else 0
    began = time.monotonic()

    shown = iter(range(SHOWN_MAX))

    def failed(outcome: Outcome) -> None:
        print(f"{outcome}\n" if next(shown, None) is not None else f"seed {outcome.seed} failed", flush=True)

    counts = swarm(range(asked.seed, asked.seed + asked.runs), failed)
    print(table(counts))
    missing = [name for name in EXPECTED if not counts[name]]
    took_s = time.monotonic() - began
    print(
        f"{asked.runs:,} runs from seed {asked.seed} in {took_s / 3600:.2f} h ({took_s / asked.runs:.3f} s each), ",
        end="",
    )
    print(f"{counts['failed']} failed" + (f"; never occurred: {', '.join(missing)}" if missing else ""))
    return 1 if counts["failed"] or missing else 0


sys.exit(main())
