"""A ring table as the poker document shows it: its Game, in its field names, for one viewer.  Pure.

It is made of what the table tells everybody and the game's own observation for that viewer, nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from arena.match.game import Seat
from arena.players.codec import Codec
from arena.server.ring.poker_types import PokerCards, PokerTurn
from arena.server.ring.ring import Occupant, Ring, chips_aside, seated
from arena.server.tables.played_match import PlayedMatch
from arena.telling.replay import Moment

STATES = {"all_in": "called"}
"""The document has no word for a player who is all-in."""


def poker_game(ring: Ring, observed: Mapping[str, Any] | None, expiry: str | None) -> dict[str, Any]:
    """The document's Game.

    `observed`: what the viewer may know of the hand under way, with playerIDs in place of seats; None between
    hands.  `expiry`: when the time of who is asked is over.
    """
    if observed is None:
        players = [_player(occupant, _WAITING, 0) for occupant in seated(ring)]
        return {"gameID": ring.id, "table": players, "turn": NO_TURN, "cards": NO_CARDS, "pots": NO_POTS}
    return {
        "gameID": ring.id,
        "table": _table(ring, observed["table"]),
        "turn": _turn(observed["turn"], expiry),
        "cards": {name: observed["cards"][name] for name in NO_CARDS},
        "pots": [{"size": pot["size"], "players": pot["players"]} for pot in observed["pots"]],
    }


def observed_in(match: PlayedMatch, seat: Seat | None) -> Mapping[str, Any]:
    """What somebody may know of the hand under way, with playerIDs in place of seats."""
    octets = Codec(match.game, match.terms.seating, None).encode(match.game.observe(match.state, seat))
    observed: Mapping[str, Any] = msgspec.json.decode(octets)
    return observed


def shown_at_end(match: PlayedMatch, moment: Moment) -> bytes:
    """What everybody saw at the end of a hand, if there was a showdown."""
    events = () if moment.step is None else moment.step.events
    shown = [event.public for event in events if event.kind in match.game.showdowns]
    return Codec(match.game, match.terms.seating, None).encode(shown[-1] if shown else None)


def act_at_stake(
    ring: Ring, observed: Mapping[str, Any], player_id: str, act: Mapping[str, Any]
) -> Mapping[str, Any]:
    """The act in chips that are at stake: more of the `wealth` that is shown counts as all of them."""
    chips = next(each["wealth"] for each in observed["table"] if each["playerID"] == player_id)
    is_more = chips < act.get("betAmount", 0) <= chips + chips_aside(ring, player_id)
    return {**act, "betAmount": chips} if is_more else act


def _table(ring: Ring, playing: list[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The players of the hand, clockwise; each in the same place from hand to hand."""
    by_id = {player["playerID"]: player for player in playing if player["state"] != "out"}
    return [
        _player(occupant, by_id[occupant.player_id], chips_aside(ring, occupant.player_id))
        for occupant in ring.places
        if occupant is not None and occupant.player_id in by_id
    ]


def _player(occupant: Occupant, shown: Mapping[str, Any], aside: int) -> dict[str, Any]:
    """The document's Player.  `aside`: chips that are not at stake."""
    state = shown["state"]
    return {
        "playerID": occupant.player_id,
        "handle": occupant.handle,
        "state": STATES.get(state, state),
        "wealth": shown.get("wealth", occupant.chips) + aside,
        "bet_so_far": shown["bet_so_far"],
        "small_blind": shown["small_blind"],
    }


def _turn(shown: Mapping[str, Any], expiry: str | None) -> dict[str, Any]:
    """The document's Turn; all null where nobody is asked."""
    if shown["playerID"] is None:
        return NO_TURN
    return {**{name: shown[name] for name in NO_TURN if name != "expiry"}, "expiry": expiry}


NO_TURN: dict[str, Any] = dict.fromkeys(PokerTurn.__struct_fields__)
NO_CARDS: dict[str, Any] = dict.fromkeys(PokerCards.__struct_fields__)
NO_POTS: list[dict[str, Any]] = [{"size": 0, "players": []}]
_WAITING: dict[str, Any] = {"state": "active", "bet_so_far": 0, "small_blind": False}
