"""Now and then bids numbers that do not fit: 1e999, integers of 5,000 digits, many decimals, minus zero."""

from itertools import cycle

from honest import answer, encode, move, questions, send_raw

NUMBERS = cycle(
    [b"1e999", b"-1e999", b"9" * 5_000, b"-" + b"9" * 5_000, b"1e-999", b"0." + b"0" * 5_000 + b"1", b"-0"]
)

for question, now in questions():
    if now:
        number = next(NUMBERS)
        send_raw(encode(question, "#").replace(b'"#"', b"[" + number + b", " + number + b"]"))
    else:
        answer(question, move(question))
