"""Forks again and again, as do its children: up to 300 processes, for twenty seconds."""

import os
import time

from honest import answer, move, questions

PROCESSES, FORK_S = 300, 20


def fork():
    """A child that sleeps; `None` if no more can be started."""
    try:
        if os.fork() == 0:
            os.setsid()
            time.sleep(max(0.0, ends_at - time.monotonic()))
            os._exit(0)
    except OSError:
        return False
    return True


ends_at = None
for question, now in questions():
    if now and ends_at is None:
        ends_at = time.monotonic() + FORK_S
        for _ in range(PROCESSES):
            if not fork():
                break
    answer(question, move(question))
