"""Fills the disk while it plays: up to 200 MB in the folder that it may write to, 20 MB per question."""

import os
import sys

from honest import answer, move, questions

FOLDER = os.environ.get("ARENA_SCRATCH", ".")
CHUNK, CHUNKS = b"\xff" * 1_000_000, 20

written = 0
for question, _ in questions():
    if written < 10:
        written += 1
        try:
            with open(f"{FOLDER}/filling-{os.getpid()}-{written}", "wb") as file:
                for _ in range(CHUNKS):
                    file.write(CHUNK)
        except OSError as error:
            print(f"no room: {error}", file=sys.stderr, flush=True)
    answer(question, move(question))
