"""Now and then answers with an id of 30,000 nested lists, or 60 nested objects."""

from itertools import cycle

from honest import answer, move, questions, send_raw

IDS = cycle([b"[" * 30_000 + b"]" * 30_000, b'{"a":' * 60 + b"1" + b"}" * 60])

for question, now in questions():
    if now:
        send_raw(b'{"message_id":' + next(IDS) + b',"move":"pass"}\n')
    else:
        answer(question, move(question))
