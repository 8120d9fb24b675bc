"""Stops itself (SIGSTOP) at last, and stays stopped."""

import os
import signal

from honest import answer, move, questions

for question, now in questions():
    if now:
        os.kill(os.getpid(), signal.SIGSTOP)
    answer(question, move(question))
