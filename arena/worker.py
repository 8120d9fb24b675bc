"""`python -m arena.worker`: plays matches for a run, which speaks to it on its standard input and output.

A run with more than one worker starts it.  What is said is in `tournament/workers/messages.py`.
"""

from __future__ import annotations

import sys

from arena.tournament.workers.child import run_child
from arena.tournament.workers.serve import work_for

if __name__ == "__main__":
    sys.exit(run_child(sys.argv[1:], work_for))
