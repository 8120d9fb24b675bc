"""Answers every question, and the next one, before it is asked."""

from honest import encode, move, questions, send_raw

for question, _ in questions():
    coming = {"message_id": str(int(question["message_id"]) + 1)}
    send_raw(encode(question, move(question)) + encode(coming, "challenge"))
