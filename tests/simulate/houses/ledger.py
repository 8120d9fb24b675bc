"""What everybody at a server sent and was told, and what of it turns out not to be true."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs
import msgspec

from arena.match.game import Game, Seat
from arena.match.record import Turn
from arena.players.codec import Codec
from arena.telling.replay import replay

Acknowledgement = bool
"""Whether the server has said that it is done: then it must be there, whatever happens."""


@attrs.define
class Person:
    """Somebody who was given a key."""

    at: str
    name: str
    id: str
    key: str
    is_spectator: bool
    has_left: bool = False
    """The server has said so."""
    may_have_left: bool = False
    """It was asked for, and no answer came."""
    version: int = 0
    """The latest that it was told."""


@attrs.define
class Move:
    """A move that was sent for a turn."""

    value: Any
    is_acknowledged: Acknowledgement = False


@attrs.frozen
class Told:
    """What somebody was shown of a match."""

    match_id: str
    turn: int
    viewer: str | None
    """Whose seat it was seen from; None: a spectator."""
    state: bytes
    ranks: Any
    life: int
    request: int
    """How many requests had been sent."""


@attrs.frozen
class Played:
    """A match as the server has it in the end."""

    game: Game[Any, Any]
    names: tuple[str, ...]
    turns: tuple[Turn, ...]
    ranks: tuple[int, ...]
    """Empty while it is not over."""


@attrs.define
class Ledger:
    """Everything of one world."""

    persons: list[Person] = attrs.field(factory=list)
    tables: dict[str, Acknowledgement] = attrs.field(factory=dict)
    messages: dict[tuple[str, str], Acknowledgement] = attrs.field(factory=dict)
    """By table and text; no text is said twice."""
    moves: dict[tuple[str, int, str], list[Move]] = attrs.field(factory=dict)
    """By match, turn and nickname."""
    matches: dict[str, int] = attrs.field(factory=dict)
    """By table, how many matches must have begun there."""
    told: list[Told] = attrs.field(factory=list)
    requests: int = 0
    firm_request: int = 0
    """What was told before this request was sent is kept, as the server has acknowledged it."""
    views: dict[tuple[Any, ...], bytes] = attrs.field(factory=dict)
    wrong: list[str] = attrs.field(factory=list)

    # While it is played

    def note_told(self, told: dict[str, Any], life: int, person: Person | None, at: str) -> None:
        """A table was shown: equally to all who see it from the same place, and never an older version."""
        shown = {key: value for key, value in told.items() if key not in ("you", "clocks", "resumes_in")}
        match = told["match"]
        viewer = None
        if match is not None and person is not None and person.name in match["names"]:
            viewer = person.name
        place, octets = (life, at, told["version"], viewer), msgspec.json.encode(shown)
        if self.views.setdefault(place, octets) != octets:
            self.wrong.append(f"unequal views of {place}: {octets!r} and {self.views[place]!r}")
        if person is not None:
            if told["version"] < person.version:
                self.wrong.append(f"{person.name} is told version {told['version']} after {person.version}")
            person.version = told["version"]
        if match is not None:
            state = msgspec.json.encode(match["state"])
            seen = (match["match_id"], match["turn"], viewer, state, match["ranks"])
            self.told.append(Told(*seen, life, self.requests))

    def note_kept(self, sent: int) -> None:
        """A request was acknowledged as kept, so all that was told before it was sent is kept."""
        self.firm_request = max(self.firm_request, sent)

    def end_life(self, life: int) -> None:
        """The server has ended: what nobody was promised may be lost, and happen otherwise."""
        self.told = [told for told in self.told if told.life != life or told.request < self.firm_request]

    def sent_move(self, match_id: str, turn: int, name: str, value: Any) -> Move:
        move = Move(value)
        self.moves.setdefault((match_id, turn, name), []).append(move)
        return move

    def acknowledge_move(self, match_id: str, turn: int, name: str, move: Move) -> None:
        """It was taken, as the only one of its seat in this turn."""
        if any(each.is_acknowledged for each in self.moves[match_id, turn, name]):
            self.wrong.append(f"{name} could answer twice in turn {turn} of {match_id}")
        move.is_acknowledged = True

    # In the end

    def wrong_matches(self, played: dict[str, Played]) -> Iterator[str]:
        """What was acknowledged or shown of these matches, and is not so."""
        for match_id, match in played.items():
            codec = Codec(match.game, match.names, None)
            yield from self._wrong_moves(match_id, match, codec)
            yield from self._wrong_views(match_id, match, codec)

    def _wrong_moves(self, match_id: str, match: Played, codec: Codec) -> Iterator[str]:
        for (of, turn, name), moves in self.moves.items():
            acknowledged = [move for move in moves if move.is_acknowledged]
            if of != match_id or not acknowledged or (turn >= len(match.turns) and not match.ranks):
                continue  # a turn that is open has its answer elsewhere
            seat = Seat(match.names.index(name))
            if turn >= len(match.turns) or seat not in match.turns[turn]:
                yield f"turn {turn} of {match_id} has no move of {name}, which was acknowledged"
                continue
            made = msgspec.json.decode(codec.encode(codec.move_json(match.turns[turn][seat])))
            if not is_same(acknowledged[0].value, made):
                yield f"{name} moved {acknowledged[0].value} in turn {turn} of {match_id}, and {made} was played"

    def _wrong_views(self, match_id: str, match: Played, codec: Codec) -> Iterator[str]:
        """Whatever a viewer was shown is what the rules let it observe of the match as it is kept."""
        told = [each for each in self.told if each.match_id == match_id]
        if not told:
            return
        states = [step.state for step in replay(match.game, len(match.names), match.turns)]
        for each in told:
            if each.turn >= len(states):
                yield f"{each.viewer} saw turn {each.turn} of {match_id}, which has {len(states)}"
                continue
            seat = None if each.viewer is None else Seat(match.names.index(each.viewer))
            octets = codec.encode(match.game.observe(states[each.turn], seat))
            if msgspec.json.encode(msgspec.json.decode(octets)) != each.state:
                yield f"{each.viewer} saw {each.state!r} in turn {each.turn} of {match_id}, and not {octets!r}"
            if each.ranks is not None and tuple(each.ranks.values()) != match.ranks:
                yield f"{each.viewer} saw the ranks {each.ranks} of {match_id}, and not {match.ranks}"


def is_same(sent: Any, made: Any) -> bool:
    """Whether a move that was sent is this one, in whose form fields are there that one need not send."""
    if isinstance(sent, dict) and isinstance(made, dict):
        return {key: value for key, value in sent.items() if value is not None} == made
    return bool(sent == made)


__all__ = ["Ledger", "Move", "Person", "Played"]
