"""Before it answers a question, answers all earlier ones again."""

from honest import encode, move, questions, send_raw

said = b""
for question, _ in questions():
    now = encode(question, move(question))
    send_raw(said + now)
    said += encode(question, "challenge")
