"""Liar's Dice with sockets and JSON only, as the game's own document describes it.

arena run --game liars-dice --listen 127.0.0.1:8888 --expect 2
python examples/plain_bot.py one & python examples/plain_bot.py two
"""

import json
import os
import socket
import sys


def decide(question):
    """Challenges what it does not believe, otherwise bids one die more of the face it holds most of."""
    (face, count), hand = question["last_bid"], question["your_hand"]
    dice = sum(number for _, number in question["other_hands"])
    believable = hand.count(face) + (dice - len(hand)) / 3
    if question["other_hands"][0][0] != "yourself":  # not my turn
        return "pass"
    if count > believable or count == dice:
        return "challenge"
    return [max(hand, key=hand.count), count + 1]


address = os.environ.get("ARENA_HOST", "127.0.0.1"), int(os.environ.get("ARENA_PORT", "8888"))
with socket.create_connection(address) as connection:
    connection.sendall(json.dumps({"name": sys.argv[1] if len(sys.argv) > 1 else "plain"}).encode())
    while chunk := connection.recv(65536):  # one question at a time: one chunk is one object
        question = json.loads(chunk)
        answer = {"message_id": int(question["message_id"]), "move": decide(question)}
        connection.sendall(json.dumps(answer).encode())
