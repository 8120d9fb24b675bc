"""`python -m tests.simulate`: see the package."""

from __future__ import annotations

import argparse
import sys
import time

from .classes.leagues import CLASSES, WHOLE_CLASSES
from .houses.servers import SERVERS
from .swarm import Outcome
from .tournaments import TOURNAMENTS

SHOWN_MAX = 20
"""Failures that are told in full: one defect fails many seeds."""


def main() -> int:
    """0: all is well; 1: a world has failed, or something never occurred."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.simulate", description="Tournaments, servers or leagues in virtual time."
    )
    parser.add_argument("--server", action="store_true", help="servers with people at their tables")
    parser.add_argument("--league", action="store_true", help="classes in leagues")
    parser.add_argument("--whole", action="store_true", help="with --league: forty owners, for six hours")
    parser.add_argument("--worlds", type=int, default=200, help="how many seeds (200)")
    parser.add_argument("--seed", type=int, default=0, help="the first seed (0)")
    parser.add_argument("--one", type=int, help="only this seed, told step by step")
    asked = parser.parse_args()
    leagues = WHOLE_CLASSES if asked.whole else CLASSES
    played = SERVERS if asked.server else leagues if asked.league else TOURNAMENTS
    if asked.one is not None:
        outcome = played.simulate(asked.one, tell=print)
        print(f"{outcome}\ndigest {outcome.digest}")
        return 1 if outcome.wrong else 0
    began = time.monotonic()

    shown = iter(range(SHOWN_MAX))

    def failed(outcome: Outcome) -> None:
        is_shown = next(shown, None) is not None
        print(f"{outcome}\n" if is_shown else f"seed {outcome.seed} failed", flush=True)

    counts = played.simulate_all(range(asked.seed, asked.seed + asked.worlds), failed)
    for name in sorted(counts):
        print(f"{counts[name]:>12,}  {name}")
    missing = played.missing(counts)
    took_s = time.monotonic() - began
    print(
        f"{asked.worlds:,} worlds from seed {asked.seed} in {took_s / 3600:.2f} h"
        f" ({took_s / asked.worlds:.3f} s each), ",
        end="",
    )
    print(f"{counts['failed']} failed" + (f"; never occurred: {', '.join(missing)}" if missing else ""))
    return 1 if counts["failed"] or missing else 0


sys.exit(main())
