"""How long the tests of each room take: `python -m tests.rooms` measures all, and writes the table of CONTRIBUTING.md.

With names of rooms, `python -m tests.rooms server box`, those alone are measured anew.  On a busy machine the
processor's seconds say more than those that pass.
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
PAGE = HOUSE / "CONTRIBUTING.md"
HEAD = "| room | tests | seconds | of the processor |\n|---|---|---|---|\n"
ROW = re.compile(r"^\| `([\w.*/]+)` \|.*\n", re.MULTILINE)
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
    text = PAGE.read_text(encoding="utf-8")
    before, head, after = text.partition(HEAD)
    assert head, f"{PAGE.name} has no table with the head of this program"
    rows = {row[1]: row[0] for row in ROW.finditer(after)}
    for room in wanted or rooms():
        rows[room] = row_of(room)
        print(rows[room], end="", flush=True)
    ordered = "".join(rows[room] for room in rooms() if room in rows)
    PAGE.write_text(before + HEAD + ordered + ROW.sub("", after), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
