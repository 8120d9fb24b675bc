"""`arena serve` without the pauses that people need: `python -m tests.server.quick_serve --http …`."""

from __future__ import annotations

import sys

from arena.cli import main
from arena.server.ring.live_ring import LiveRing
from arena.server.tables.pauses import Pauses


def hurry() -> None:
    """Bots answer at once, and the next hand begins at once."""
    for init, waits in ((Pauses.__init__, ("bot_s", "showdown_s")), (LiveRing.__init__, ("between_s",))):
        assert init.__kwdefaults__.keys() >= set(waits)
        init.__kwdefaults__.update(dict.fromkeys(waits, 0.0))


if __name__ == "__main__":
    hurry()
    sys.argv[1:1] = ["serve"]
    sys.exit(main())
