"""Uses other bots' names, a different one each time: `false_name.py NAME`; then plays well, if it is let in."""

import sys

import honest
from honest import answer, greeting, messages, move

NAME = sys.argv[1] if len(sys.argv) > 1 else "honest-1"
LIES = [NAME, NAME.upper(), f" {NAME}", f"{NAME}\u200b", "\x1b[31mred", "a" * 10_000, "bot-1"]

for lie in LIES:
    try:
        honest.receive, honest.send = honest.connect()
        honest.send(greeting(name=lie))
        for question in messages():
            if "message_id" in question:
                answer(question, move(question))
    except OSError:
        continue
