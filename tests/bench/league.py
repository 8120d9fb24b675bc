"""A league's folder of a million matches: `python -m tests.bench.league FOLDER MATCHES` makes one.

It is generated, not played: rows of real matches of random legal play, among three versions each of a
thousand bots, batch by batch, with what ratings said.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from arena.games import GAMES
from arena.store import Store, StoredBot
from arena.store.checksums import note_all
from arena.store.schema import insertion
from arena.tournament.folder.batches import PAIRS_MAX
from arena.tournament.folder.epochs import drawn_seal
from arena.tournament.plan import Plan, as_mapping, identity

from .scale import insert_rows, match_rows, real_matches

MATCHES, OWNERS, VERSIONS = 1_000_000, 1_000, 3
BATCHES = 5_760
"""As many as a day has of a quarter of a minute."""
RATED = 100
"""How many bots are named in each batch: those that play at a time."""


def make_league(folder: Path, matches: int = MATCHES) -> None:
    """The folder of a league in which so many matches were played."""
    game, rng = next(iter(GAMES.values()))(), Random(2)
    plan = Plan(game=game.name, seed=1, tournament="ladder", decisions="none")
    meta = {"identity": identity(plan, game), "game_version": game.version, "plan": as_mapping(plan)}
    models = real_matches(game, Random(1))
    with Store.create(folder, meta=meta) as store:
        names = [f"b{bot}@{version}" for bot in range(1, OWNERS + 1) for version in range(1, VERSIONS + 1)]
        store.put_bots(StoredBot(name, "1") for name in names)
        rows, closed = [], list[list[str]]()
        for batch, series in enumerate(_series(matches, rng)):
            closed.append([name for name, _ in series])
            for name, bots in series:
                for rotation in (0, 1):
                    seated = bots if rotation == 0 else bots[::-1]
                    rows.append((name, batch, rotation, seated, rng.randrange(2)))
        for first in range(0, len(rows), 20_000):
            some = enumerate(rows[first : first + 20_000], first + 1)
            insert_rows(
                store,
                [
                    match_rows(
                        number, game.name, name, batch, rotation, bots, winner, rng.choice(models[winner])
                    )
                    for number, (name, batch, rotation, bots, winner) in some
                ],
            )
        with store.transaction() as db:
            told = enumerate(map(json.dumps, _batches(closed, names, rng)))
            db.executemany(insertion("batches"), told)
            seal = drawn_seal(meta)
            db.execute(insertion("epochs"), (0, 1.7e9, None, 0, 1, seal.sha256, seal.opening))
            note_all(db)


def _series(matches: int, rng: Random) -> Iterator[list[tuple[str, tuple[str, str]]]]:
    """For each batch the series that it plans: their names, and who plays them."""
    size = -(-matches // (2 * BATCHES))
    for batch in range(BATCHES):
        version = 1 + batch * VERSIONS // BATCHES
        found = []
        for number in range(size):
            first, second = (f"b{bot}@{version}" for bot in rng.sample(range(1, OWNERS + 1), 2))
            found.append((f"{first}+{second}#{batch * size + number}", (first, second)))
        yield found


def _batches(closed: list[list[str]], names: list[str], rng: Random) -> Iterator[dict[str, Any]]:
    for batch in range(BATCHES + 1):
        bots = rng.sample(names, RATED)
        errors = {bot: 80.0 + place for place, bot in enumerate(bots)}
        pairs = [(rng.choice(bots), rng.choice(bots), 0.5) for _ in range(PAIRS_MAX)]
        yield {
            "batch": batch,
            "present": [{"bot": bot, "owner": f"o{bot[1:-2]}", "arrived": 0} for bot in bots],
            "closed": closed[batch - 1] if batch else [],
            "spent": {f"o{bot[1:-2]}": 1.5 for bot in bots},
            "standing": {"errors": errors, "open": pairs},
        }


def main() -> None:
    words = argparse.ArgumentParser(prog="python -m tests.bench.league", description=make_league.__doc__)
    words.add_argument("folder", type=Path)
    words.add_argument("matches", type=int, nargs="?", default=MATCHES)
    said = words.parse_args()
    make_league(said.folder, said.matches)


if __name__ == "__main__":
    main()
