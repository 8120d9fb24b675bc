"""Correct, simple Liar's Dice over the plain protocol: what the bots in this folder otherwise do.

    for question in questions():      # connects, sends the name
        answer(question, move(question))

Standard library only.  Without ARENA_PORT it uses standard input and output instead.  Run by itself it never
misbehaves.
"""

import json
import os
import socket
import sys

EVERY = next((int(word) for word in sys.argv[1:] if word.isdigit()), 5)  # misbehaves at every n-th question


def connect():
    """A pair (receive, send) of functions on bytes."""
    if "ARENA_PORT" not in os.environ:
        return lambda: os.read(0, 65536), write_stdout
    global connection
    connection = dial()
    return lambda: connection.recv(65536), connection.sendall


def dial():
    """A connection to the arena's port for this bot: its first one, or one more."""
    address = (os.environ.get("ARENA_HOST", "127.0.0.1"), int(os.environ["ARENA_PORT"]))
    dialled = socket.create_connection(address)
    dialled.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return dialled


def write_stdout(data):
    while data:
        data = data[os.write(1, data) :]


connection = None
receive = send = None


def hello(**more):
    """Connects and says who it is."""
    global receive, send
    receive, send = connect()
    send(greeting(**more))


def greeting(**more):
    """The line that says who it is."""
    default = os.path.splitext(os.path.basename(sys.argv[0]))[0]
    said = {"name": os.environ.get("ARENA_NAME", default)}
    if "ARENA_TOKEN" in os.environ:
        said["token"] = os.environ["ARENA_TOKEN"]
    return json.dumps({**said, **more}).encode() + b"\n"


def messages():
    """Every object received, until the arena hangs up."""
    text, decoder = b"", json.JSONDecoder()
    while True:
        try:
            data = receive()
        except ConnectionError:
            return
        if not data:
            return
        text += data
        while b"\n" in text:
            line, text = text.split(b"\n", 1)
            if line.strip():
                yield decoder.decode(line.decode())


def questions():
    """(question, whether to misbehave now) until the arena hangs up."""
    hello()
    number = 0
    for question in messages():
        if "message_id" in question:
            number += 1
            yield question, number % EVERY == 0 and number > 1


def answer(question, move):
    try:
        send(encode(question, move))
    except ConnectionError:
        sys.exit(0)


def send_raw(data):
    """Sends bytes as they are; exits if the arena hangs up meanwhile."""
    try:
        send(data)
    except ConnectionError:
        sys.exit(0)


def encode(question, move):
    return json.dumps({"message_id": question["message_id"], "move": move}).encode() + b"\n"


def move(question):
    """Bids what it holds, then one more; challenges a count above its own dice and a third of the others."""
    hand, (face, count) = question["your_hand"], question["last_bid"]
    dice = sum(number for _, number in question["other_hands"])
    if question["other_hands"][0][0] != "yourself":
        return "pass"
    if count == 0:
        face = max(set(hand), key=lambda die: (hand.count(die), die))
        return [face, hand.count(face)]
    if count > hand.count(face) + (dice - len(hand)) / 3 or count == dice:
        return "challenge"
    return max(
        ([f, count + (f <= face)] for f in range(1, 7)), key=lambda bid: (hand.count(bid[0]) - bid[1], bid)
    )


if __name__ == "__main__":
    for asked, _ in questions():
        answer(asked, move(asked))
