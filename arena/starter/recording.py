"""Records what one seat is told in real matches, line by line as the arena sends it, for a bot's test.

All seats play at random from a fixed seed, so that the recording of a game is the same every time.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from arena.match.game import Game, Seat
from arena.players.codec import Codec, rules_json
from arena.testing import random_match
from arena.wire.messages import Ask, EventMessage, Match, Raw, Result, encode

QUESTIONS_MAX = 30
"""How many questions are recorded at each size of table."""
MATCHES_MAX = 30
SEATS_MAX = 4
"""The seats of the larger of two tables; questions at still larger ones look the same but are longer."""

_OTHERS = ("ann", "bob", "cem", "dan", "eve")
_TIME_CONTROL = {"move_s": 1.0, "bank_s": None, "increment_s": 0.0, "margin_s": 0.0, "first_s": 10.0}


def recording(game: Game[Any, Any], name: str) -> Iterator[bytes]:
    """The lines that a bot with this name is sent in matches at a small and at a larger table."""
    tables = sorted({game.seats[0], max(game.seats[0], min(SEATS_MAX, game.seats[-1]))})
    for seats in tables:
        asked, number = 0, 0
        while asked < QUESTIONS_MAX and number < MATCHES_MAX:
            number += 1
            for line in _told(game, seats, name, number):
                yield line
                asked += line.startswith(b'{"type":"ask"')
                if asked == QUESTIONS_MAX:
                    break


def _told(game: Game[Any, Any], seats: int, name: str, number: int) -> Iterator[bytes]:
    """The lines that the bot is sent in one match; its seat changes with the match's number."""
    names, own = _names(name, seats, number), Seat(number % seats)
    codec, match_id, asked = Codec(game, names, own), f"{seats:06x}{number:06x}", 0
    rules, seed = Raw(rules_json(game, seats)), Random(f"{match_id}/bot").getrandbits(63)
    yield encode(
        Match(match_id, 1, game.name, game.version, rules, int(own), names, _TIME_CONTROL, str(seed))
    )
    state = game.start(seats)
    for moves, step in random_match(game, seats, Random(match_id)):
        if own in moves:
            asked += 1
            seen = Raw(codec.encode(game.observe(state, own)))
            options = Raw(codec.options(game.options(state, own)))
            yield encode(Ask(str(asked), 1, match_id, 1.0, None, seen, options))
        for event in step.events:
            if (payload := event.seen_by(own)) is not None:
                yield encode(EventMessage(match_id, event.kind, Raw(codec.encode(payload))))
        state = step.state
    ranks, returns = game.ranks(state), game.returns(state)
    yield encode(
        Result(match_id, dict(zip(names, ranks, strict=True)), dict(zip(names, returns, strict=True)))
    )


def _names(name: str, seats: int, number: int) -> list[str]:
    """Who sits in each seat: the bot, in a seat that changes from match to match, and others."""
    others = [other for other in _OTHERS if other != name]
    others += [f"{name}-{seat}" for seat in range(len(others), seats)]
    own = number % seats
    return [*others[:own], name, *others[own : seats - 1]]
