"""Answers after 0.99 of its time, or five milliseconds before its end, whichever comes first."""

import time

from honest import answer, hello, messages, move

hello(type="hello", protocol=1)
for message in messages():
    if message["type"] == "ask":
        limit_s = message["time_s"] or 0.0
        is_first = message["message_id"] == "1"
        time.sleep(0.0 if is_first else max(0.0, min(0.99 * limit_s, limit_s - 0.005)))
        answer(message, move(message["state"]))
