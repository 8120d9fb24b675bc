"""The places of bots that connect by themselves: who gets one, under which name, and who gets it back."""

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
"""How many tokens of bots that left before play are remembered: they may come back with them."""

FULL = "the table is full"
BEGUN = "play has begun"
WITHDRAWN = "it is withdrawn: it failed match after match"


@attrs.define(eq=False)
class LobbyPlace:
    """A connection's place at the table, which it has until the run is over."""

    player: StreamPlayer
    peer: str
    said: str | None
    """What it called itself, if anything."""
    token: str | None
    """Proof that the same bot comes back; None for a plain bot, which has none."""
    is_told: bool = False
    """Whether people have already been told that it is coming."""


class Places:
    """All places of a run.

    With tokens, a token ties a connection to its entrant; another connection with it is another
    instance.  Without, each bot that comes is an entrant, until `expect` of them are there.
    Before play, a bot that leaves gives its place back.  After `begin` only bots that had a
    place and lost their connection are let in.

    What a connection costs here does not depend on how many others there are.
    """

    def __init__(
        self,
        tokens: Mapping[str, str],
        expect: int,
        reserved: frozenset[str],
        taken: frozenset[str],
        new_player: Callable[[str, Allowance | None], StreamPlayer],
    ) -> None:
        """`reserved` are words of the game, `taken` other names that nobody gets.

        `new_player` is given a name, and the allowance of its bot.
        """
        self._entrants = TokenOwners(tokens.items())
        self._tokens = tuple(tokens)
        self._named = frozenset(tokens.values())
        """The entrants with a token."""
        self._expect = expect
        self._reserved = reserved
        self._called = Called({*taken, *tokens.values()})
        self._new_player = new_player
        self._withdrawn: set[str] = set()
        self._places: dict[StreamPlayer, LobbyPlace] = {}
        self._guests: dict[StreamPlayer, LobbyPlace] = {}
        """The places of bots without an entrant's token."""
        self._guests_calling: dict[str | None, list[LobbyPlace]] = {}
        """The same by what they called themselves."""
        self._guest_tokens: TokenOwners[LobbyPlace] = TokenOwners()
        self._departed: list[str] = []
        self.has_begun = False
        """Set when play begins: from then on nobody new is let in."""
        self.players: dict[str, list[StreamPlayer]] = {name: [] for name in tokens.values()}
        """Entrants by name, each with its connections, lost ones included."""

    def __iter__(self) -> Iterator[LobbyPlace]:
        """The places, in the order in which they were given."""
        return iter(self._places.values())

    def of(self, player: StreamPlayer) -> LobbyPlace | None:
        """The player's place; None if it was given up."""
        return self._places.get(player)

    @property
    def free(self) -> int:
        """How many places there are for bots that come without a token.

        Before play one that has just left may still be counted, but not so that nobody else is let in.
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
        """Whether it is connected, or has lost its connection during play, which keeps its place."""
        players = self.players[name]
        return bool(players) and (self.has_begun or any(player.is_connected for player in players))

    def left(self) -> list[LobbyPlace]:
        """Before play: the places of those whose connection has just closed."""
        return [place for place in self if not place.player.is_connected]

    def give_up(self, place: LobbyPlace) -> None:
        """Before play: takes the place away from a bot that has left."""
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
        """The bot plays no more: its connections end, and none of it is let in again."""
        self._withdrawn.add(name)
        for player in self.players.get(name, ()):
            player.dismiss(WITHDRAWN)

    # Who is who

    def is_new(self, connection: ArenaConnection) -> bool:
        """Whether its place does not depend on who leaves: no token, a name like no other, a free place."""
        if connection.token is not None or self.has_begun or not self.free:
            return False
        return connection.name is None or not self._called.has_like(connection.name)

    def seat(self, peer: str, connection: ArenaConnection) -> StreamPlayer | str:
        """The player that this connection is, or why there is no place for it."""
        said, token = connection.name, connection.token
        if token is not None and (entrant := self._entrants.owner(token)) is not None:
            return self._with_token(entrant, peer, said, token)
        if said is not None and (reason := check_name(said, self._reserved)) is not None:
            return reason
        if token is not None:
            if (place := self._guest_tokens.owner(token)) is not None:
                return place.player if is_lost(place) else f"{place.player.name} {stand_of(place)}"
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
        """A place for a connection that says nothing, under the name `bot-1`, `bot-2`, …"""
        player = self._add_guest(peer, None, None)
        self._places[player].is_told = True
        return player

    def no_place(self) -> str:
        """Why no more places are given."""
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
    """Whether its bot had a connection, has none, and may come back; false for one that is just coming."""
    return place.player.lost_at is not None and not place.player.is_gone


def stand_of(place: LobbyPlace) -> str:
    return "is connected already" if place.player.is_connected else "plays no more"


def last_lost(places: Iterable[LobbyPlace]) -> StreamPlayer:
    return max(places, key=lambda place: place.player.lost_at or 0.0).player
