"""Answers every question together with the next one, which has not been asked yet."""

from honest import encode, move, questions, send_raw

for question, _ in questions():
    coming = {"message_id": str(int(question["message_id"]) + 1)}
    send_raw(encode(question, move(question)) + encode(coming, "challenge"))
