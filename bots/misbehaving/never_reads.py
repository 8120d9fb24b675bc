"""Says hello for the full protocol, with a small receive buffer, and never reads a byte."""

import os
import socket
import time

import honest


def connect():
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    connection.connect((os.environ.get("ARENA_HOST", "127.0.0.1"), int(os.environ["ARENA_PORT"])))
    return connection.recv, connection.sendall


honest.connect = connect
honest.hello(type="hello", protocol=1)
time.sleep(600)
