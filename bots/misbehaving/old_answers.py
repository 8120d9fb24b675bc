"""Answers every question that it was ever asked once more, before it answers the open one."""

from honest import encode, move, questions, send_raw

said = b""
for question, _ in questions():
    now = encode(question, move(question))
    send_raw(said + now)
    said += encode(question, "challenge")
