"""A bot that computes, or sleeps, for about so many milliseconds at every question: `thinker.py work 10`."""

import sys
import time
from typing import Any

from arena.sdk import Bot, choose, run

TURNS_PER_MS = 20_000
"""Turns of an empty loop, about; what counts is that it is always the same work."""


class Thinker(Bot):
    name = "thinker"

    def move(self, state: Any, options: Any) -> Any:
        what, milliseconds = sys.argv[1], int(sys.argv[2])
        if what == "sleep":
            time.sleep(milliseconds / 1000)
        else:
            for _ in range(milliseconds * TURNS_PER_MS):
                pass
        return choose(options, self.rng)


if __name__ == "__main__":
    run(Thinker)
