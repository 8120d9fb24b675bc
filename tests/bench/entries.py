"""What a run keeps of a match, made as a run makes it, in a store of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from arena.match.game import Game
from arena.match.record import Entry, MatchRecord
from arena.match.scoring import points
from arena.schedule import Pairing
from arena.store import Store
from arena.tournament.play.match import packed_moves


def kept_entry(
    game: Game[Any, Any], names: Sequence[str], number: int, seed: int, record: MatchRecord
) -> Entry:
    """A match as `--decisions faults` keeps it; `number` is different for each that goes into one store."""
    id = f"{number:x}"
    pairing = Pairing(
        id=f"{id}/0", game=game.name, bots=tuple(names), seed=seed, series=id, rotation=0, cycle=0
    )
    return Entry(
        match_id=f"{number:012x}",
        pairing=pairing,
        deals="same",
        versions=("1",) * len(names),
        withdrawn=(False,) * len(names),
        record=record,
        points=points(record.ranks),
        packed=packed_moves(game, record),
        decisions=(),
        started_at=0.0,
    )


@contextmanager
def opened_store(game: Game[Any, Any]) -> Iterator[Store]:
    """An empty store in a folder that is removed afterwards."""
    with (
        TemporaryDirectory(prefix="arena-bench-") as folder,
        Store.create(Path(folder), meta={"identity": {}, "game_version": game.version}) as store,
    ):
        yield store
