"""Crashes at its n-th question, with a traceback: `crash.py [N]`."""

from honest import answer, move, questions

for question, now in questions():
    if now:
        raise RuntimeError("I was never any good at this")
    answer(question, move(question))
