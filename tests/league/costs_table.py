"""The table of what a league costs, in the guide: `python -m tests.league.costs_table --write` makes it again."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from arena.schedule.ladder_costs import ladder_costs
from arena.words import roughly

GUIDE = Path(__file__).parents[2] / "arena/server/league/README.md"
PLACE = re.compile(r"(?<=<!-- costs -->\n).*?(?=<!-- /costs -->)", re.DOTALL)
BOTS, MOVES, MATCH_BYTES, BATCH_S = 40, 35, 1_400, 15.0
"""Of both bots in a match of Liar's Dice with five dice each, and what it takes on the disk (`results/sample`)."""
THINK_MS = (5, 100, 900)
CORES = (2, 8)


def table() -> str:
    """The table, in Markdown."""
    return "".join(f"{line}\n" for line in _lines())


def _lines() -> Iterator[str]:
    yield "| a move | cores | matches an hour | a new version is ranked in | the order is sure after | a week takes |"
    yield "|---|---|---|---|---|---|"
    for think_ms in THINK_MS:
        for cores in CORES:
            costs = ladder_costs(
                bots=BOTS,
                match_s=MOVES * think_ms / 1000,
                cores=cores - 1,
                match_bytes=MATCH_BYTES,
                batch_s=BATCH_S,
            )
            cells = (
                f"{think_ms} ms",
                cores,
                f"{float(f'{costs.matches_an_hour:.2g}'):,.0f}",
                roughly(60 * costs.newcomer_minutes),
                roughly(3_600 * costs.settled_hours),
                f"{costs.gb_a_week:.2g} GB",
            )
            yield f"| {' | '.join(map(str, cells))} |"


def main() -> int:
    """Writes the table into the guide, or says whether it stands there: 0, or 1 if it does not."""
    text = GUIDE.read_text()
    if "--write" in sys.argv:
        GUIDE.write_text(PLACE.sub(table(), text))
        return 0
    return int(PLACE.findall(text) != [table()])


if __name__ == "__main__":
    sys.exit(main())
