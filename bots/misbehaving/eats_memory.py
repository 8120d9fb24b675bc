"""Eats memory while it plays: up to 1.5 GB, 100 MB per question."""

from honest import answer, move, questions

eaten = []
for question, _ in questions():
    if len(eaten) < 15:
        eaten.append(bytearray(b"\xff") * 100_000_000)
    answer(question, move(question))
