"""`python -m tests.sentences`: see the package."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # as pytest has it

from .cases import CASES
from .keeping import PATH, differences, kept, text_of


def main() -> int:
    """0: all is as the file says, or it was written; 1: something differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.sentences", description="Sentences for people.")
    parser.add_argument("--write", action="store_true", help="write the file, and say what changed")
    is_writing = parser.parse_args().write
    found = {case.name: case.entry() for case in CASES}
    changed = differences(kept(), found)
    print(*changed, f"{len(changed)} of {len(found)} sentences differ", sep="\n")
    if is_writing:
        PATH.write_text(text_of(found), encoding="utf-8")
    return int(bool(changed) and not is_writing)


if __name__ == "__main__":
    sys.exit(main())
