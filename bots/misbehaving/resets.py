"""Now and then resets its connection (SO_LINGER 0) instead of answering, reconnects and keeps playing."""

import socket
import struct
import sys

import honest
from honest import EVERY, answer, greeting, messages, move

number = 0
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
        number += 1
        if number % EVERY == 0:
            is_over = False
            break
        answer(question, move(question))
    honest.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    honest.connection.close()
    if is_over:
        break
