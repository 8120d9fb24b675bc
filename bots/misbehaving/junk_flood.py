"""Floods the arena with what is quick to send and slow to read: `junk_flood.py KIND WHEN`.

KIND: `braces` (`{` and a newline), `pairs` (`{}`), `words` (`x{`).  WHEN: `start`, before it says who it is;
`asked`, before each of its answers; `withdrawn`: it never answers, and floods all the time; `again`: it
reconnects whenever it is thrown out, and floods before it says who it is.
"""

import sys
import time

import honest
from honest import answer, messages, move, questions, send_raw

JUNK = {"braces": b"{\n", "pairs": b"{}", "words": b"x{"}[sys.argv[1]] * 32_768
WHEN = sys.argv[2]
FLOOD_S = 20
ENDS_AT = time.monotonic() + FLOOD_S


def flood(seconds):
    """As much junk as the arena accepts in this time."""
    ends_at = min(time.monotonic() + seconds, ENDS_AT)
    while time.monotonic() < ends_at:
        send_raw(JUNK)


if WHEN == "again":
    while time.monotonic() < ENDS_AT:
        try:
            with honest.dial() as stranger:
                while time.monotonic() < ENDS_AT:
                    stranger.sendall(JUNK)
        except OSError:
            time.sleep(0.01)
elif WHEN == "start":
    honest.receive, honest.send = honest.connect()
    flood(FLOOD_S)
    for _ in messages():
        pass
elif WHEN == "withdrawn":
    honest.hello()
    flood(FLOOD_S)
    for _ in messages():
        pass
else:
    for question, _ in questions():
        flood(0.05)
        answer(question, move(question))
