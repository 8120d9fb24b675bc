"""`arena serve` without the pauses that people need: `python -m tests.server.quick_serve --http …`."""

from __future__ import annotations

import sys

from arena.cli import main
from arena.server.ring import live_ring
from arena.server.tables.pauses import Pauses


def hurry() -> None:
    """Bots answer at once, and the next hand begins at once."""
    assert Pauses.__init__.__kwdefaults__.keys() == {"bot_s", "showdown_s"}
    Pauses.__init__.__kwdefaults__.update(bot_s=0.0, showdown_s=0.0)
    assert live_ring.BETWEEN_S > 0
    live_ring.BETWEEN_S = 0.0


if __name__ == "__main__":
    hurry()
    sys.argv[1:1] = ["serve"]
    sys.exit(main())
