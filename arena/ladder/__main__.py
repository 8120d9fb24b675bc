"""`python -m arena.ladder`: plays a league for a server, which speaks to it on standard input and output."""

from __future__ import annotations

import os
import sys
from functools import partial

from arena.ladder.connected import fd_with_stdin
from arena.ladder.serve import serve_ladder
from arena.tournament.workers.child import run_child

NICENESS = 10
"""How far a league gives way to the tables at which people sit."""

if __name__ == "__main__":
    os.nice(NICENESS)
    sys.exit(run_child(sys.argv[1:], partial(serve_ladder, bots_fd=fd_with_stdin())))
