"""Now and then puts a byte order mark before an answer, as some editors do."""

from honest import encode, move, questions, send_raw

for question, now in questions():
    send_raw((b"\xef\xbb\xbf" if now else b"") + encode(question, move(question)))
