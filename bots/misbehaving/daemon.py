"""Plays well, and leaves daemons behind: with their own sessions, no environment and inconspicuous names.

They give up after a minute.
"""

import os
import sys

from honest import answer, move, questions

DAEMONS, PATIENCE_S = 5, 60
SLEEP = f"import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep({PATIENCE_S})"


def leave_daemon():
    """Forks twice, and becomes another program with an empty environment."""
    between = os.fork()
    if between == 0:
        os.setsid()
        if os.fork() == 0:
            for descriptor in range(3):
                os.dup2(os.open(os.devnull, os.O_RDWR), descriptor)
            os.execve(sys.executable, [sys.executable, "-c", SLEEP], {})
        os._exit(0)
    os.waitpid(between, 0)


for _ in range(DAEMONS):
    leave_daemon()
for question, _ in questions():
    answer(question, move(question))
