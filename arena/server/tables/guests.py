"""The open table: bots that connect without a token play there, match after match, with whoever is there.

Its game is that of the document whose bots do so (`SERVICES["guests"]`).  It stands for as long as the server
runs, has no host, is public, and nothing of it is rated or kept.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial

import attrs
import trio

from arena.games import GAMES, SERVICES
from arena.match.record import Decision
from arena.players.base import GonePlayer, Player
from arena.players.stream import StreamPlayer
from arena.refusal import Refusal
from arena.server.http.quotas import Quota
from arena.server.limits import GUESTS_PER_ADDRESS, NICKNAME_MAX
from arena.server.open_tables import OpenTables, new_table
from arena.server.services import Guest, Records
from arena.server.tables.live import LiveTable
from arena.server.tables.played_match import PlayedMatch
from arena.server.tables.programs import ProgramPlace, Programs
from arena.server.tables.rules import free_name
from arena.server.tables.table import Member
from arena.wire.connection import ArenaConnection
from arena.wire.names import looks_like, told_apart

MOVE_S = 15.0
"""The limit of a move: people may sit here too."""
GATHER_S = 2.0
"""How long others have to come before a match begins once two are there, and the pause after a match."""
ALONE_S = 5.0
"""How long somebody waits alone before a house bot comes for company."""
SILENT = "it answered nothing in a whole match"


class OpenTable:
    """The table at which guests play."""

    def __init__(self, house: OpenTables, programs: Programs, *, bot: str) -> None:
        """`bot`: which house bot keeps somebody company who is alone."""
        self._house = house
        self._programs = programs
        self._bot = bot
        self._company: Player | None = None
        """The house bot, while it sits here."""
        self._hall = attrs.evolve(house.hall, records=Records(), open_bot=self._seated_bot)
        self.live = self._open()
        programs.go_home = self._take_back

    def _open(self) -> LiveTable:
        game = GAMES[SERVICES["guests"]]()
        table = new_table(game, {}, MOVE_S, self._hall.now(), is_public=True, is_standing=True)
        return self._house.add(table, game, hall=self._hall)

    # Who comes, and who goes to another table

    def seat(self, peer: str, connection: ArenaConnection) -> StreamPlayer:
        """The player for a guest's connection.  Raises Refusal if there is no room, or for its name."""
        said, is_plain = connection.name, connection.protocol is None
        if is_plain and (place := self._lost(peer, said)) is not None:
            return place.player
        self._check_room(peer)
        member, key = self.live.join(self._name(said), way="program")
        place = self._programs.add(self.live, member, is_forgiven=False)
        place.peer, place.said, place.is_guest, place.is_plain = peer, said, True, is_plain
        if not is_plain:
            place.player.token = key
            place.player.secrets = (key,)
        return place.player

    def _lost(self, peer: str, said: str | None) -> ProgramPlace | None:
        """The place of a plain guest from this address that has lost its connection in a match."""
        lost = [
            place
            for place in self._programs
            if place.is_plain and place.is_lost and (place.peer, place.said) == (peer, said)
        ]
        return max(lost, key=lambda place: place.player.lost_at or 0.0, default=None)

    def _check_room(self, peer: str) -> None:
        guests = (place.peer for place in self._programs if place.is_guest)
        if Quota(GUESTS_PER_ADDRESS, here=guests).shortage(peer):
            raise Refusal("too_many", f"{GUESTS_PER_ADDRESS} guests of your address are here already")

    def _name(self, said: str | None) -> str:
        """The name of a guest, which is nobody else's here, and no house bot's."""
        if said is None:
            names = (f"bot-{number}" for number in range(1, len(self.live.table.members) + 2))
            return next(name for name in names if free_name(self.live.table, name) == name)
        others = [member.nickname for member in self.live.table.members if member.nickname != said]
        if (double := next((other for other in others if looks_like(said, other)), None)) is not None:
            raise Refusal(
                "conflict", f"{told_apart(said)} looks like {told_apart(double)}, who is here: choose another"
            )
        if said == self._bot:
            return free_name(self.live.table, f"{said}-2")
        return free_name(self.live.table, said) if len(said) <= NICKNAME_MAX else said

    def find(self, name: str, game: str) -> Guest | None:
        """The guest of this name, to be given a seat at another table; None if there is none.

        Raises Refusal if it plays now, or plays another game.
        """
        for place in self._programs:
            member = place.member
            if place.live is not self.live or member is None or member.nickname != name:
                continue
            if game != self.live.table.game:
                raise Refusal("conflict", f"{name} is a guest who plays {self.live.table.game}", field="bot")
            if place.is_in_match or not place.player.is_connected:
                raise Refusal(
                    "conflict", f"{name} is in a match at the open table: ask once that is over", field="bot"
                )
            return Guest("" if place.is_plain else member.key_hash, partial(self._programs.move, place))
        return None

    def _take_back(self, place: ProgramPlace) -> bool:
        """A guest whose other table is closed sits here again."""
        member = place.player.name
        try:
            back, key = self.live.join(self._name(place.said or member), way="program")
        except Refusal:
            return False
        place.live, place.player_id = self.live, back.player_id
        place.player.is_forgiven = False
        if not place.is_plain:
            place.player.token = key
        return True

    # What happens by itself

    async def run(self) -> None:
        """Plays match after match until it is cancelled."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._keep_company)
            while True:
                if self.live.table.is_closed:  # the rules failed
                    self.live = self._open()
                elif len(self.live.table.players) < self.live.table.seats[0]:
                    await self.live.changed(self.live.version)
                else:
                    await trio.sleep(GATHER_S)
                    await self._play()

    async def _play(self) -> None:
        """Plays one match, if there are still enough players."""
        live = self.live
        if live.table.is_closed or len(live.table.players) < live.table.seats[0]:
            return
        live.begin_standing()
        while live.table.is_playing and not live.table.is_closed:
            await live.changed(live.version)
        if live.match is not None and live.match.is_over and not live.table.is_closed:
            self._end_silence(live, live.match)

    def _end_silence(self, live: LiveTable, match: PlayedMatch) -> None:
        """Has everybody leave who did nothing in the whole match."""
        for number, player_id in enumerate(match.terms.seating):
            member = live.table.find(player_id)
            own = [each for each in match.decisions if int(each.seat) == number and each.asked]
            if member is None or member.way == "house" or not own or _has_acted(own, member, match):
                continue
            place = self._programs.at(live, player_id)
            if place is None:
                live.leave(member)
            else:
                self._programs.send_away(place, SILENT)

    async def _keep_company(self) -> None:
        """Has a house bot sit down with who is alone, until two others sit there."""
        while True:
            live = self.live
            if len(self._others(live)) == 1:
                with trio.move_on_after(ALONE_S):
                    while len(self._others(live)) == 1:
                        await live.changed(live.version)
                if len(self._others(live)) == 1:
                    await self._seat_bot(live)
            else:
                await live.changed(live.version)

    async def _seat_bot(self, live: LiveTable) -> None:
        """A house bot sits there as long as it is needed."""
        async with self._house.hall.open_bot(self._bot, self._bot) as self._company:
            if isinstance(self._company, GonePlayer):
                live.announce(f"{self._bot} could not be started to play with you: {self._company.reason}")
            if self._company.is_gone or len(self._others(live)) != 1:
                await trio.sleep(ALONE_S)  # it could not be started: not at once again
                return
            member = live.seat_house_bot(self._bot)
            while member.player_id in [each.player_id for each in live.table.players]:
                is_needed = len(self._others(live)) == 1 and not self._company.is_gone
                if live.table.is_playing or is_needed:
                    await live.changed(live.version)
                else:
                    live.leave(member)

    def _others(self, live: LiveTable) -> list[Member]:
        """The members with a seat who are not the house bot."""
        return [each for each in live.table.players if each.way != "house"]

    @asynccontextmanager
    async def _seated_bot(self, bot: str, nickname: str) -> AsyncIterator[Player]:
        """The house bot that sits here, which is not started again for each match."""
        assert self._company is not None, "it has sat down"
        yield self._company


def _has_acted(own: Sequence[Decision], member: Member, match: PlayedMatch) -> bool:
    """Whether somebody did anything: silence is a fault, or (of a person) the move that says nothing."""
    silent = match.game.silent_move if member.is_person else None
    return any(each.fault is None and (silent is None or type(each.move) is not silent) for each in own)
