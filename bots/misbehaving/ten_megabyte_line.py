"""Now and then answers with one line of 10 MB."""

from honest import answer, encode, move, questions, send_raw

for question, now in questions():
    if now:
        send_raw(encode(question, "x" * 10_000_000))
    else:
        answer(question, move(question))
