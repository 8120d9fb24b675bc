"""Sends every key twice, the right value last, which is the one that counts."""

import json

from honest import move, questions, send_raw

for question, _ in questions():
    id, said = json.dumps(question["message_id"]), json.dumps(move(question))
    send_raw(
        f'{{"message_id": "wrong", "move": [9, 9], "message_id": {id}, "move": {said}}}\n'.encode()
    )
