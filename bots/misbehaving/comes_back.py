"""Hangs up at every question, reconnects, and answers when it is asked again."""

import sys

import honest
from honest import answer, greeting, messages, move

has_left = False
while True:
    try:
        honest.receive, honest.send = honest.connect()
        honest.send(greeting())
    except OSError:
        sys.exit(0)
    is_over = True
    for question in messages():
        if "message_id" not in question:
            continue
        has_left = not has_left
        if has_left:
            is_over = False
            break
        answer(question, move(question))
    honest.connection.close()
    if is_over:
        break
