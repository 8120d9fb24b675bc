"""Closes its half of the connection as soon as it has sent its name, and keeps reading."""

import socket

import honest

honest.hello()
honest.connection.shutdown(socket.SHUT_WR)
for _ in honest.messages():
    pass
