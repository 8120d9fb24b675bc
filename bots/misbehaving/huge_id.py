"""Now and then answers with an id of 60 kB: digits, letters, a number."""

from itertools import cycle

from honest import answer, move, questions, send_raw

HUGE = cycle([b'"' + b"7" * 60_000 + b'"', b'"' + b"x" * 60_000 + b'"', b"7" * 60_000])

for question, now in questions():
    if now:
        send_raw(b'{"message_id":' + next(HUGE) + b',"move":"pass"}\n')
    else:
        answer(question, move(question))
