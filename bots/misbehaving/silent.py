"""Stops answering for good at its n-th question, but keeps reading: `silent.py [N]`."""

from honest import answer, move, questions

fallen_silent = False
for question, now in questions():
    fallen_silent |= now
    if not fallen_silent:
        answer(question, move(question))
