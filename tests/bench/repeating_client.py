"""A program that gives recorded answers over TCP, in the full protocol; run as a file, with theirs.

`repeating_client.py FILE`: the file holds JSON, for each seat a list of moves.  The seat is the number behind
the `-` in ARENA_NAME.  Behind the last answer comes the first one again.
"""

import json
import os
import socket
import sys
from itertools import cycle
from pathlib import Path

ASK = b'{"type":"ask","message_id":"'


def main(path: Path) -> None:
    name = os.environ["ARENA_NAME"]
    moves = json.loads(path.read_bytes())[int(name.rpartition("-")[2])]
    answers = cycle([json.dumps(move, separators=(",", ":")).encode() for move in moves])
    connection = socket.create_connection(("127.0.0.1", int(os.environ["ARENA_PORT"])))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.sendall(json.dumps({"type": "hello", "protocol": 1, "name": name}).encode() + b"\n")
    unread = b""
    while received := connection.recv(65536):
        *lines, unread = (unread + received).split(b"\n")
        for line in lines:
            if line.startswith(ASK):
                message_id = line[len(ASK) : line.index(b'"', len(ASK))]
                connection.sendall(b'{"message_id":"%b","move":%b}\n' % (message_id, next(answers)))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
