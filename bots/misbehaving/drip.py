"""Sends its answers a byte at a time, with a pause between bytes: `drip.py [SECONDS]`."""

import sys
import time

from honest import encode, move, questions, send_raw

GAP_S = float(sys.argv[1]) if len(sys.argv) > 1 else 0.02

for question, now in questions():
    said = encode(question, move(question))
    if now:
        for place in range(len(said)):
            send_raw(said[place : place + 1])
            time.sleep(GAP_S)
    else:
        send_raw(said)
