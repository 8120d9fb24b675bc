"""Opens fifteen more connections that flood before its deadline, and answers late: `side_floods.py [SECONDS]`.

If the flood kept the arena from listening, the late answers would count as in time.
"""

import sys
import threading
import time

from honest import answer, dial, move, questions

LATE_S = float(sys.argv[1]) if len(sys.argv) > 1 else 0.6
SIDES, FLOOD_S = 15, 20
JUNK = b"{\n" * 16_384
ENDS_AT = time.monotonic() + FLOOD_S


def flood():
    """Floods over a new connection each time the arena hangs up."""
    while time.monotonic() < ENDS_AT:
        try:
            side = dial()
            while time.monotonic() < ENDS_AT:
                side.sendall(JUNK)
        except OSError:
            time.sleep(0.01)


started = False
for question, now in questions():
    if now and not started:
        started = True
        for _ in range(SIDES):
            threading.Thread(target=flood, daemon=True).start()
    if now:
        time.sleep(LATE_S)
    answer(question, move(question))
