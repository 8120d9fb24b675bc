"""Now and then sends something that is not JSON instead of an answer."""

from honest import answer, move, questions, send_raw

for question, now in questions():
    if now:
        send_raw(b"GET /dice HTTP/1.1\r\nHost: none of your business\r\n\r\n")
    else:
        answer(question, move(question))
