"""Answers every question twice in one write, the second time with another move."""

from honest import encode, move, questions, send_raw

for question, _ in questions():
    send_raw(encode(question, move(question)) + encode(question, "challenge"))
