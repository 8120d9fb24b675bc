"""Crashes at the first question of every instance."""

from honest import questions

for _ in questions():
    raise RuntimeError("not again")
