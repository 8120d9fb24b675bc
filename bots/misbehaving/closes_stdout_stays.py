"""Closes its way to answer (standard output, or its half of the connection), and keeps running."""

import os
import socket
import time

import honest

for question, now in honest.questions():
    if now:
        if honest.connection is None:
            os.close(1)
        else:
            honest.connection.shutdown(socket.SHUT_WR)
        time.sleep(600)
    honest.answer(question, honest.move(question))
