"""A program that plays Hold'em over TCP and only checks and calls; run as a file, with `plain` or `full`."""

import json
import os
import socket
import sys


def main(protocol: str) -> None:
    connection = socket.create_connection(("127.0.0.1", int(os.environ["ARENA_PORT"])))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    hello: dict[str, object] = {"name": os.environ["ARENA_NAME"]}
    if protocol == "full":
        hello = {"type": "hello", "protocol": 1, **hello}
    connection.sendall(json.dumps(hello).encode() + b"\n")
    begins = b'{"type":"ask"' if protocol == "full" else b'{"message_id"'
    unread = b""
    while received := connection.recv(65536):
        *lines, unread = (unread + received).split(b"\n")
        for line in lines:
            if line.startswith(begins):
                question = json.loads(line)
                turn = question.get("state", question)["turn"]
                move = {"action": 1, "betAmount": turn["bet_to_player"] - turn["bet_so_far"]}
                answer = {"message_id": question["message_id"], "move": move}
                connection.sendall(json.dumps(answer).encode() + b"\n")


if __name__ == "__main__":
    main(sys.argv[1])
