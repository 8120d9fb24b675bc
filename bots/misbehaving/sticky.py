"""Plays well but does not exit: ignores SIGTERM, goodbye and the closed connection for a minute."""

import signal
import time

from honest import answer, move, questions

signal.signal(signal.SIGTERM, signal.SIG_IGN)
for question, _ in questions():
    answer(question, move(question))
time.sleep(60)
