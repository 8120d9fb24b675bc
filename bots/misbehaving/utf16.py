"""Now and then answers in UTF-16."""

from honest import answer, encode, move, questions, send_raw

for question, now in questions():
    if now:
        send_raw(encode(question, move(question)).decode().encode("utf-16"))
    else:
        answer(question, move(question))
