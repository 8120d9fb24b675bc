"""Now and then answers with bytes that are not UTF-8."""

from honest import answer, encode, move, questions, send_raw

for question, now in questions():
    if now:
        send_raw(encode(question, "challenge").replace(b"challenge", b"chall\xff\xfe\xc3nge"))
    else:
        answer(question, move(question))
