"""How long the tests of each room take, as a table: `python -m tests.rooms` measures all rooms.

`python -m tests.rooms server box` measures these alone.  On a busy machine the processor's seconds say more than
those that pass.
"""

from __future__ import annotations

import re
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

HOUSE = Path(__file__).parents[1]
HEAD = "| room | tests | seconds | of the processor |\n|---|---|---|---|\n"
BESIDE = "test_*.py"
"""The files of rooms that have no folder of tests."""


def rooms() -> list[str]:
    """The folders of tests, and the files beside them."""
    return [*sorted({path.parent.name for path in (HOUSE / "tests").glob("*/test_*.py")}), BESIDE]


def row_of(room: str) -> str:
    """Runs the tests of a room, one after the other; a line of the table."""
    paths = sorted((HOUSE / "tests").glob(room))
    before, began_at = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    words = [sys.executable, "-m", "pytest", *map(str, paths)]
    done = subprocess.run(words, cwd=HOUSE, capture_output=True, text=True, check=False)
    took_s, after = time.monotonic() - began_at, resource.getrusage(resource.RUSAGE_CHILDREN)
    passed = re.search(r"^(\d+) passed", done.stdout, re.MULTILINE)
    if passed is None or done.returncode:
        raise SystemExit(f"tests/{room}: not all tests passed\n{done.stdout[-2000:]}")
    used_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return f"| `{room}` | {passed[1]} | {took_s:.0f} | {used_s:.0f} |\n"


def main(wanted: Sequence[str]) -> None:
    print(HEAD, end="", flush=True)
    for room in wanted or rooms():
        print(row_of(room), end="", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
