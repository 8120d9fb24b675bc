"""Stops or kills the process that started it, at last: `signals_parent.py STOP|KILL`.

A helper wakes a stopped one after twenty seconds.
"""

import os
import signal
import sys
import time

from honest import answer, move, questions

SIGNAL = signal.Signals[f"SIG{sys.argv[1]}"]
WAKES_S = 20

parent = os.getppid()
done = False
for question, now in questions():
    if now and not done and parent > 1:
        done = True
        if SIGNAL == signal.SIGSTOP and os.fork() == 0:
            os.setsid()
            time.sleep(WAKES_S)
            try:
                os.kill(parent, signal.SIGCONT)
            finally:
                os._exit(0)
        try:
            os.kill(parent, SIGNAL)
        except OSError as error:
            print(f"my parent is out of reach: {error}", file=sys.stderr, flush=True)
    answer(question, move(question))
