"""Now and then sends its answer 20,000 times, about 1 MB."""

from honest import encode, move, questions, send_raw

for question, now in questions():
    send_raw(encode(question, move(question)) * (20_000 if now else 1))
