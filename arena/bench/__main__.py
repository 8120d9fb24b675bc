"""`python -m arena.bench`: the same as `arena bench`.

The command line may import this room, not the other way round; so its program is run by its name.
"""

from __future__ import annotations

import runpy
import sys

if __name__ == "__main__":
    sys.argv[1:1] = ["bench"]
    runpy.run_module("arena", run_name="__main__", alter_sys=True)
