"""Now and then sends a move of the wrong type, a different one each time."""

from itertools import cycle

from honest import answer, move, questions

WRONG = cycle(
    [None, True, "3", ["3", "4"], [2.7, 1], [True, 1], [1], [1, 1, 1], [], {}, {"move": "pass"}, [[1, 1]]]
)

for question, now in questions():
    answer(question, next(WRONG) if now else move(question))
