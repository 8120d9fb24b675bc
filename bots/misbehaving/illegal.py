"""Now and then makes a well-formed move that is not allowed: a bid out of turn, or a pass on its turn."""

from honest import answer, move, questions

for question, now in questions():
    on_turn = question["other_hands"][0][0] == "yourself"
    if now:
        answer(question, "pass" if on_turn else [6, 1])
    else:
        answer(question, move(question))
