"""Answers the id "", which was never given out: as its first message, or over a second connection in mid-match.

`empty_id.py first|side`.
"""

import sys

import honest
from honest import answer, dial, move, questions

SENTENCE = b'{"message_id":"","move":1}\n'
WHEN = sys.argv[1]

if WHEN == "first":
    honest.greeting = lambda **more: SENTENCE
for question, now in questions():
    if now and WHEN == "side":
        aside = dial()
        aside.sendall(SENTENCE)
    answer(question, move(question))
