"""Closes its half of the connection as soon as it has said its name, and reads on."""

import socket

import honest

honest.hello()
honest.connection.shutdown(socket.SHUT_WR)
for _ in honest.messages():
    pass
