"""Now and then answers too late: `late.py [EVERY] [SECONDS]`."""

import sys
import time

from honest import answer, move, questions

DELAY_S = float(sys.argv[2]) if len(sys.argv) > 2 else 1.5

for question, now in questions():
    if now:
        time.sleep(DELAY_S)
    answer(question, move(question))
