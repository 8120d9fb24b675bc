"""Now and then answers with escaped, unpaired surrogates in place of a move, a key or an id."""

from itertools import cycle

from honest import answer, encode, move, questions, send_raw

HALVES = cycle(
    [
        lambda said: said.replace(b'"#"', b'"\\ud800"'),
        lambda said: said.replace(b'"#"', b'{"\\udfff\\ud800": 1}'),
        lambda said: b'{"message_id": "\\udc00", "move": "pass"}\n',
    ]
)

for question, now in questions():
    if now:
        send_raw(next(HALVES)(encode(question, "#")))
    else:
        answer(question, move(question))
