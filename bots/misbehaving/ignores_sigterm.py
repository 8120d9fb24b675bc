"""Plays well, but refuses to exit: ignores SIGTERM and a closed connection, as do its child and its grandchild,
which has its own session.  It writes their process ids to standard error.  All give up after ten minutes."""

import os
import signal
import sys
import time

from honest import answer, move, questions

PATIENCE_S = 600

signal.signal(signal.SIGTERM, signal.SIG_IGN)
signal.signal(signal.SIGHUP, signal.SIG_IGN)


def stay(kind):
    os.write(2, f"{kind} {os.getpid()}\n".encode())
    time.sleep(PATIENCE_S)
    os._exit(0)


if os.fork() == 0:
    stay("child")
if (between := os.fork()) == 0:
    os.setsid()
    if os.fork() == 0:
        stay("grandchild")
    os._exit(0)
os.waitpid(between, 0)
print("bot", os.getpid(), file=sys.stderr, flush=True)
for question, _ in questions():
    answer(question, move(question))
time.sleep(PATIENCE_S)
