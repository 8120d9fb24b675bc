"""Now and then answers with 60 kB of brackets, nested; the line is still within the limit."""

from honest import answer, encode, move, questions, send_raw

for question, now in questions():
    if now:
        send_raw(encode(question, "#").replace(b'"#"', b"[" * 30_000 + b"]" * 30_000))
    else:
        answer(question, move(question))
