"""Takes nearly all the time allowed for an instance's first answer: `slow_first.py [SECONDS]`."""

import sys
import time

from honest import answer, move, questions

SLOW_S = float(sys.argv[1]) if len(sys.argv) > 1 else 9.8

is_first = True
for question, _ in questions():
    if is_first:
        is_first = False
        time.sleep(SLOW_S)
    answer(question, move(question))
