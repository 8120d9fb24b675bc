"""Says hello for the full protocol twice, then plays well."""

import honest
from honest import answer, greeting, messages, move

honest.receive, honest.send = honest.connect()
honest.send(greeting(type="hello", protocol=1) * 2)
for message in messages():
    if message["type"] == "ask":
        answer(message, move(message["state"]))
