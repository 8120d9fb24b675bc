"""Now and then bids NaN and Infinity, which Python accepts as JSON."""

from honest import answer, move, questions

for question, now in questions():
    answer(question, [float("nan"), float("inf")] if now else move(question))
