"""A program that answers questions over TCP with as little work as possible; run as a file.

It speaks the full protocol and plays any game: the first option, with the lowest value in every field.
"""

import json
import os
import socket
from typing import Any


def main() -> None:
    connection = socket.create_connection(("127.0.0.1", int(os.environ["ARENA_PORT"])))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    hello: dict[str, object] = {"type": "hello", "protocol": 1, "name": os.environ["ARENA_NAME"]}
    if "ARENA_TOKEN" in os.environ:
        hello["token"] = os.environ["ARENA_TOKEN"]
    connection.sendall(json.dumps(hello).encode() + b"\n")
    unread = b""
    while received := connection.recv(65536):
        *lines, unread = (unread + received).split(b"\n")
        for line in lines:
            if line.startswith(b'{"type":"ask"'):
                connection.sendall(answer(json.loads(line)))


def answer(question: dict[str, Any]) -> bytes:
    """The answer to a question, as one line: the first option's lowest move."""
    option = question["options"][0]
    move = filled(option["form"], option["fields"])
    return (
        json.dumps({"message_id": question["message_id"], "move": move}, separators=(",", ":")).encode()
        + b"\n"
    )


def filled(form: Any, fields: dict[str, Any]) -> Any:
    """The form of a move with the lowest value for each field."""
    if isinstance(form, dict):
        return {key: filled(part, fields) for key, part in form.items()}
    if isinstance(form, list):
        return [filled(part, fields) for part in form]
    if not (isinstance(form, str) and form[:1] == "<" and form[1:-1] in fields):
        return form
    domain = fields[form[1:-1]]
    if "min" in domain:
        return domain["min"]
    return domain["one_of"][0] if "one_of" in domain else domain["subset_of"][: domain["least"]]


if __name__ == "__main__":
    main()
