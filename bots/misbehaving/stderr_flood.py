"""Writes 200 MB to standard error while it plays, starting at its n-th question: `stderr_flood.py [N]`."""

import os
import threading

from honest import answer, move, questions

LINE = b"the dice are against me " * 40 + b"\n"
BYTES = 200_000_000


def complain():
    for _ in range(BYTES // len(LINE)):
        os.write(2, LINE)


started = False
for question, now in questions():
    if now and not started:
        started = True
        threading.Thread(target=complain).start()
    answer(question, move(question))
