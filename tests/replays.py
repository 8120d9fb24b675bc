"""Random matches as if they had been stored."""

from __future__ import annotations

from random import Random
from typing import Any

import attrs

from arena.games.bluff import Bluff
from arena.games.holdem import Holdem
from arena.games.liars_dice import LiarsDice
from arena.match.game import Game
from arena.match.record import pack
from arena.page.film import Watcher, changes_of, filmed, stored_head
from arena.store import StoredMatch, StoredSeat
from arena.telling.replay import EVERYBODY, Replay, Viewer
from arena.testing.games import random_match

SMALL = {"holdem": Holdem(hands=40), "bluff": Bluff(), "liars-dice": LiarsDice(dice=2)}
"""Games made short where they would last long; the others are played as they are."""
BOTS = (
    *("ann", "bob", "cat", "a name of sixty-four characters, the most that a bot may have ...", "<b>eve</b>"),
    *("名前-Ω-😀", "gil", "hal", "ida", "one-long-word-without-any-place-to-break-it-anywhere"),
)


def random_replay(game: Game[Any, Any], seats: int, seed: int) -> Replay:
    """A random match of the first so many bots: ann, bob, cat, and some with less common names."""
    played = list(random_match(game, seats, Random(seed)))
    ranks = game.ranks(played[-1][1].state)
    blank = {field.name: 0 for field in attrs.fields(StoredSeat)}
    rows = tuple(
        StoredSeat(**blank | {"seat": seat, "bot": bot, "version": "1", "rank": ranks[seat], "returns": 0.5})
        for seat, bot in enumerate(BOTS[:seats])
    )
    values: dict[str, Any] = {field.name: 0 for field in attrs.fields(StoredMatch)}
    values |= {"match_id": "0123456789ab", "series_id": "s", "status": "done", "error": None, "seats": rows}
    match = StoredMatch(**values | {"packed": pack(game, [dict(moves) for moves, _ in played if moves])})
    return Replay(match, game)


def film_of(
    replay: Replay, viewer: Viewer = EVERYBODY, *, first: int = 0, count: int | None = None
) -> dict[str, Any]:
    """The film of a stored match, as it is sent or embedded: `count` of its steps from `first` on, or all."""
    watcher = Watcher(replay)
    steps, total = filmed(replay, replay.moments(), viewer, first=first, count=count, watcher=watcher)
    head = stored_head(replay, viewer)
    head |= {"decided": watcher.decided(head["ranks"])}
    return head | {"first": first, "steps_in_all": total, "steps": list(changes_of(steps))}
