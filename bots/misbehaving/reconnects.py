"""Connects and hangs up in a loop while it plays, as fast as it can, for twenty seconds."""

import threading
import time

from honest import answer, dial, move, questions

ENDS_AT = time.monotonic() + 20


def knock():
    while time.monotonic() < ENDS_AT:
        try:
            dial().close()
        except OSError:
            time.sleep(0.01)


has_begun = False
for question, _ in questions():
    if not has_begun:
        has_begun = True
        threading.Thread(target=knock, daemon=True).start()
    answer(question, move(question))
