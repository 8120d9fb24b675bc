"""Tries tokens that nobody has, one per connection, until it is stopped: at most 500."""

import secrets

import honest
from honest import answer, greeting, messages, move

for _ in range(500):
    try:
        honest.receive, honest.send = honest.connect()
        honest.send(greeting(token=secrets.token_hex(16)))
        for question in messages():
            if "message_id" in question:
                answer(question, move(question))
    except OSError:
        break
