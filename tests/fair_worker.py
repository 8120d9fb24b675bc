"""A worker that notes whom it charges for time, in a file of the folder that is its first word; see `fairness.py`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # -P, and tests are not installed

from fairness import Charge, listening_to_the_judge

from arena.tournament.workers.child import run_child
from arena.tournament.workers.serve import work_for

if __name__ == "__main__":
    folder, *words = sys.argv[1:]
    with (Path(folder) / f"charges-{os.getpid()}").open("w", buffering=1) as file:

        def write(charge: Charge) -> None:
            file.write(f"{charge}\n")

        with listening_to_the_judge(write):
            sys.exit(run_child(words, work_for))
