"""Sends half an answer to its n-th question, and nothing after that."""

from honest import answer, encode, move, questions, send_raw

done = False
for question, now in questions():
    if done:
        continue
    if now:
        half = encode(question, move(question))
        send_raw(half[: len(half) // 2])
        done = True
    else:
        answer(question, move(question))
