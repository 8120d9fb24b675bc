"""The finished matches of a server's tables, in an ordinary store, which `arena matches` and `replay` read.

Every match has a game and house rules of its own; those of one table are a series.  What a match hid is no
secret once it is over, so only finished matches are here.  The id of a match is its key: to add one again
changes nothing, so a server adds it first and forgets it afterwards, and loses none wherever it is killed.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, TypeAlias

import attrs
import msgspec

from arena.errors import ConfigError
from arena.match.game import Game
from arena.match.record import Decision, Entry, MatchRecord, OwnGame
from arena.match.scoring import points
from arena.players.codec import Codec
from arena.schedule import Pairing
from arena.server.kept.database import SENTENCES
from arena.server.kept.keeping import NotKept
from arena.store import Store, StoredBot, holds_tournament
from arena.store.files import code_of, made
from arena.store.locks import held
from arena.store.schema import TABLES_OF_SERVER
from arena.telling.replay import Replay, replay_of
from arena.tournament.folder.stored import stored_game
from arena.tournament.play.match import packed_moves

FOLDER, LOCK = "tables", "arena.lock"
"""Within a server's folder; the lock is the one that keeps runs out."""
_OTHERS = "another process ({process}) is writing {folder}: end that one, or set data to another folder"

Kind: TypeAlias = Literal["person", "bot"]


@attrs.frozen
class FinishedTable:
    """A match that is over, as a table played it."""

    match_id: str
    """12 hexadecimal digits."""
    table_id: str
    game: Game[Any, Any]
    names: tuple[str, ...]
    """The name of each seat; no two are equal."""
    kinds: tuple[Kind, ...]
    """What plays in each seat."""
    seed: int
    record: MatchRecord
    started_at: float
    """Unix time."""

    def __attrs_post_init__(self) -> None:
        is_over = self.record.error is not None or len(self.record.ranks) == len(self.names)
        assert is_over, "what a running match hides must not be in a file that people read"
        assert len(self.names) == len(set(self.names)) == len(self.kinds), "a name and a kind for each seat"


class Archive:
    """The store of one server's finished matches; `open_archive` opens it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._turn = threading.Lock()

    def add(self, match: FinishedTable) -> None:
        """Keeps a match in one transaction; nothing changes if it is there already.

        It waits for the disk, so that it is called in a thread.  Raises NotKept if the disk fails: the match
        is not there then, and can be added later.
        """
        with self._turn:
            try:
                if not self._has(match.match_id):
                    self._name(match.names)
                    self._store.add(entry_of(match))
            except ConfigError as error:
                sentence = SENTENCES.get(code_of(error.__cause__), str(error))
                why = sentence.format(path=self._store.path)
                raise NotKept(f"match {match.match_id} is not in {self._store.folder} yet: {why}") from error

    def find(self, match_id: str) -> Replay | None:
        """A match with everything needed to show it; None if there is none with this id.

        It reads the disk, so that it is called in a thread.  Raises ConfigError if its rules have changed.
        """
        with self._turn:
            if not self._has(match_id):
                return None
            match = self._store.match(match_id)
            return replay_of(self._store, match, stored_game(self._store, match=match))

    def _has(self, match_id: str) -> bool:
        return any(self._store.rows("SELECT 1 FROM matches WHERE match_id = ?", match_id))

    def _name(self, names: Sequence[str]) -> None:
        """Adds the players to the list by which readers choose matches."""
        known = f"SELECT bot FROM bots WHERE bot IN ({', '.join('?' * len(names))})"
        there = {bot for (bot,) in self._store.rows(known, *names)}
        if new := [StoredBot(name) for name in names if name not in there]:
            self._store.put_bots(new)


@contextmanager
def open_archive(data: Path) -> Iterator[Archive]:
    """The archive in a server's folder, which is made if it is missing, and held until the end.

    Raises ConfigError if another process writes it, or it holds something else.
    """
    folder = made(data) / FOLDER
    with held(made(folder) / LOCK, others=_OTHERS), _opened(folder) as store:
        yield Archive(store)


def _opened(folder: Path) -> Store:
    if not holds_tournament(folder):
        return Store.create(folder, meta={"game_version": 0, TABLES_OF_SERVER: True})
    store = Store.open(folder, write=True)
    if not store.holds_tables():
        store.close()
        raise ConfigError(f"{folder} holds a tournament: move it away, or set data to another folder")
    return store


def entry_of(match: FinishedTable) -> Entry:
    """The match as the store keeps it.  Its series is its table; readers list matches by time."""
    record, seats = match.record, len(match.names)
    began = datetime.fromtimestamp(match.started_at, UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    pairing = Pairing(
        id=f"{began}/{match.match_id}",
        game=match.game.name,
        bots=match.names,
        seed=match.seed,
        series=match.table_id,
        rotation=0,
        cycle=0,
    )
    return Entry(
        match_id=match.match_id,
        pairing=pairing,
        deals="fresh",
        versions=("",) * seats,
        withdrawn=(False,) * seats,
        record=attrs.evolve(record, capsules=()),
        points=() if record.error else points(record.ranks),
        packed=packed_moves(match.game, record),
        decisions=tuple(_faults(match)),
        started_at=match.started_at,
        own_game=OwnGame(match.game.version, msgspec.to_builtins(attrs.asdict(match.game)), match.kinds),
    )


def _faults(match: FinishedTable) -> Iterator[Decision]:
    """The decisions with faults, their moves as JSON text."""
    codec = Codec(match.game, match.names, None)
    for decision in match.record.decisions:
        if decision.fault is not None:
            move = msgspec.json.encode(codec.move_json(decision.move)).decode()
            yield decision._replace(move=move)
