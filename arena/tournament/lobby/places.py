"""Gives places to bots that connect by themselves: who gets one, under which name, and who gets it back."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping

import attrs

from arena.players.allowance import Allowance
from arena.players.stream import StreamPlayer
from arena.tournament.lobby.called import Called, Secrets, TokenOwners
from arena.wire.connection import ArenaConnection
from arena.wire.messages import check_name
from arena.wire.names import told_apart

TOKEN_BYTES = 16
DEPARTED_MAX = 256
"""How many tokens of bots that left before play are remembered, so that these may come back."""

FULL = "the table is full"
BEGUN = "play has begun"
WITHDRAWN = "it is withdrawn: it failed match after match"


@attrs.define(eq=False)
class LobbyPlace:
    """A connection's place at the table, which it has until the run is over."""

    player: StreamPlayer
    peer: str
    said: str | None
    """What the bot called itself, if anything."""
    token: str | None
    """The token that proves that the same bot comes back; None for a plain bot, which has none."""
    is_told: bool = False
    """Whether people have been told already that it has come."""


class Places:
    """The places of a run, and the rules for who gets one.

    A token ties a connection to its entrant; another connection with the same token is another instance.
    Each bot without a token is an entrant of its own, until `expect` of them are here.  Before play, a bot
    that leaves gives its place back.  After `begin` only bots that had a place and lost their connection are
    let in.

    The cost of a connection here does not depend on how many others there are.
    """

    def __init__(
        self,
        tokens: Mapping[str, str],
        expect: int,
        reserved: frozenset[str],
        taken: frozenset[str],
        new_player: Callable[[str, Allowance | None], StreamPlayer],
    ) -> None:
        """`reserved`: words of the game; `taken`: other names that nobody gets.

        `new_player` makes a player with a name and its bot's allowance.
        """
        self._entrants = TokenOwners(tokens.items())
        self._tokens = tuple(tokens)
        self._named = frozenset(tokens.values())
        """The names of the entrants with a token."""
        self._expect = expect
        self._reserved = reserved
        self._called = Called({*taken, *tokens.values()})
        self._new_player = new_player
        self._withdrawn: set[str] = set()
        self._places: dict[StreamPlayer, LobbyPlace] = {}
        self._guests: dict[StreamPlayer, LobbyPlace] = {}
        """The places of bots without an entrant's token."""
        self._guests_calling: dict[str | None, list[LobbyPlace]] = {}
        """The same places, by what the bots called themselves."""
        self._guest_tokens: TokenOwners[LobbyPlace] = TokenOwners()
        self._departed: list[str] = []
        self.has_begun = False
        """Set when play begins: from then on nobody new is let in."""
        self.players: dict[str, list[StreamPlayer]] = {name: [] for name in tokens.values()}
        """Name of each entrant -> its connections, lost ones included."""

    def __iter__(self) -> Iterator[LobbyPlace]:
        """The places, in the order in which they were given."""
        return iter(self._places.values())

    def of(self, player: StreamPlayer) -> LobbyPlace | None:
        """The player's place; None if it was given up."""
        return self._places.get(player)

    @property
    def free(self) -> int:
        """How many places there are for bots that come without a token.

        Before play a bot that has just left may still be counted, unless that would keep another one out.
        """
        free = self._expect - len(self._guests)
        if free <= 0 and not self.has_begun:
            free = self._expect - sum(player.is_connected for player in self._guests)
        return max(0, free)

    @property
    def missing(self) -> list[str]:
        """The entrants with a token that have not come yet."""
        return [name for name in self._entrants if not self._is_here(name)]

    def _is_here(self, name: str) -> bool:
        """Whether an entrant is connected, or lost its connection during play and so keeps its place."""
        players = self.players[name]
        return bool(players) and (self.has_begun or any(player.is_connected for player in players))

    def left(self) -> list[LobbyPlace]:
        """The places of bots whose connection has closed; asked before play."""
        return [place for place in self if not place.player.is_connected]

    def give_up(self, place: LobbyPlace) -> None:
        """Takes the place away from a bot that has left before play."""
        player = place.player
        del self._places[player]
        self.players[player.name].remove(player)
        if player in self._guests:
            del self._guests[player], self.players[player.name]
            self._guests_calling[place.said].remove(place)
            if not self._guests_calling[place.said]:
                del self._guests_calling[place.said]
            self._called.forget(player.name)
            if place.token is not None:
                self._guest_tokens.remove(place.token)
                self._departed = [*self._departed[1 - DEPARTED_MAX :], place.token]

    def withdraw(self, name: str) -> None:
        """Ends the connections of a bot that plays no more, and never lets it in again."""
        self._withdrawn.add(name)
        for player in self.players.get(name, ()):
            player.dismiss(WITHDRAWN)

    # Who is who

    def is_new(self, connection: ArenaConnection) -> bool:
        """Whether it gets a place whoever leaves: no token, a name unlike all others, and a free place."""
        if connection.token is not None or self.has_begun or not self.free:
            return False
        return connection.name is None or not self._called.has_like(connection.name)

    def seat(self, peer: str, connection: ArenaConnection) -> StreamPlayer | str:
        """Gives a connection its place; returns the player, or why there is no place for it."""
        said, token = connection.name, connection.token
        if token is not None and (entrant := self._entrants.owner(token)) is not None:
            return self._with_token(entrant, peer, said, token)
        if said is not None and (reason := check_name(said, self._reserved)) is not None:
            return reason
        if token is not None:
            if (place := self._guest_tokens.owner(token)) is not None:
                stand = "is connected already" if place.player.is_connected else "plays no more"
                return place.player if is_lost(place) else f"{place.player.name} {stand}"
            if self._tokens and token not in self._departed:
                return "no entrant has this token"
        if said is not None and said in self._named:
            return f"{said} takes part with a token: send it with the name"
        return self._without_token(peer, connection)

    def _with_token(self, name: str, peer: str, said: str | None, token: str) -> StreamPlayer | str:
        if name in self._withdrawn:
            return WITHDRAWN
        lost = [place for player in self.players[name] if is_lost(place := self._places[player])]
        if self.has_begun and lost:
            return last_lost(lost)
        if self.has_begun and not self.players[name]:
            return f"play has begun without {name}"
        return self._add(name, peer, said, token)

    def _without_token(self, peer: str, connection: ArenaConnection) -> StreamPlayer | str:
        said, is_plain = connection.name, connection.protocol is None
        if not self.has_begun:
            if said is not None and (other := self._called.double_of(said)) is not None:
                return f"{told_apart(said)} looks like {told_apart(other)}, a bot in this run: choose another"
            if not self.free:
                return FULL
            token = None if is_plain else secrets.token_hex(TOKEN_BYTES)
            return self._add_guest(peer, said, token)
        lost = [place for place in self._guests_calling.get(said, ()) if is_lost(place)]
        own = [place for place in lost if is_plain and place.token is None and place.peer == peer]
        if own:
            return last_lost(own)
        if lost:
            proof = "the same address" if lost[0].token is None else "the token of its welcome"
            return f"the place of {lost[0].player.name} is kept for the bot that had it, known by {proof}"
        return self.no_place()

    def seat_silent(self, peer: str) -> StreamPlayer:
        """Gives a silent connection a place, under the name `bot-1`, `bot-2`, …; returns the player."""
        player = self._add_guest(peer, None, None)
        self._places[player].is_told = True
        return player

    def no_place(self) -> str:
        """Why a connection without a place gets none."""
        return BEGUN if self.free else FULL

    def _add_guest(self, peer: str, said: str | None, token: str | None) -> StreamPlayer:
        name = self._called.free_name(said)
        self._called.note(name)
        player = self._add(name, peer, said, token)
        place = self._guests[player] = self._places[player]
        self._guests_calling.setdefault(said, []).append(place)
        if token is not None:
            self._guest_tokens.add(token, place)
        return player

    def _add(self, name: str, peer: str, said: str | None, token: str | None) -> StreamPlayer:
        players = self.players.setdefault(name, [])
        player = self._new_player(name, players[0].allowance if players else None)
        player.token = token
        player.secrets = Secrets(self._tokens, token)
        self._places[player] = LobbyPlace(player, peer, said, token)
        players.append(player)
        return player


def is_lost(place: LobbyPlace) -> bool:
    """Whether the place's bot lost its connection and may come back; false if it has only just come."""
    return place.player.lost_at is not None and not place.player.is_gone


def last_lost(places: Iterable[LobbyPlace]) -> StreamPlayer:
    return max(places, key=lambda place: place.player.lost_at or 0.0).player
