"""Answers every question with a move that is 30,000 characters long, which the reason might repeat."""

from honest import answer, questions

for question, _ in questions():
    answer(question, "\u202e\U0001f3b2" * 3_700)
