"""Bluff: plays 13,000 cards at once, none of which it holds; otherwise the card due, or its first card."""

import json

from honest import answer, questions, send_raw

CARDS = [rank + suit for rank in "A23456789TJQK" for suit in "CDHS"] * 250  # without blanks just below 64 KiB

for question, _ in questions():
    if question["asked"] == "play":
        said = {"message_id": question["message_id"], "move": {"play": CARDS}}
        send_raw(json.dumps(said, separators=(",", ":")).encode() + b"\n")
    else:
        answer(question, "pass")
