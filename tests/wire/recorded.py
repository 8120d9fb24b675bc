"""Records the transcripts of PROTOCOL.md: the real lobby, players and referee, over connections in memory.

    python -m tests.wire.recorded            what is different in the document, exit code 1 if anything is
    python -m tests.wire.recorded --write    puts the transcripts into the document

What the bots say is written in the scenes below.  What the arena says and what it notes come from
the arena, and the clock is virtual, so that every recording is the same.  One thing is changed: a token
is random, and `TOKEN` stands in its place.
"""

from __future__ import annotations

import argparse
import difflib
import re
import sys
from collections.abc import Callable, Coroutine, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any, TypeAlias

import attrs
import msgspec
import trio
from trio.testing import (
    MemoryReceiveStream,
    MemorySendStream,
    MockClock,
    memory_stream_pair,
    wait_all_tasks_blocked,
)

import arena.wire
from arena.games.liars_dice import LiarsDice
from arena.games.liars_dice.moves import Bid, Challenge, Pass
from arena.match.game import Game
from arena.match.record import MatchRecord
from arena.players.base import Player
from arena.players.stream import StreamPlayer
from arena.players.tcp import introduce
from arena.players.transcript import MESSAGES_KEPT
from arena.players.transport import StreamTransport
from arena.referee import Conduct, Seating, play_match
from arena.schedule import bot_seed, match_id
from arena.schedule.admission import Capacity
from arena.testing import ScriptedPlayer
from arena.tournament.lobby.lobby import Lobby
from arena.tournament.lobby.trial import trial_state
from arena.tournament.plan import Plan, control_of
from arena.tournament.play.pool import Pool
from arena.tournament.tournament import Tournament
from arena.wire.connection import ArenaConnection

DOCUMENT = Path(arena.wire.__file__).with_name("PROTOCOL.md")
SEED = 20
"""Of the tournament whose matches these are."""
TOKEN = "5d1fb2f0c6a94e3b8e1077c2a9d3e846"
"""Stands for the token of a welcome."""

MINUTES_MAX = 10
"""A scene that takes longer, in its own time, waits for something that never comes."""

Script: TypeAlias = Sequence[Any]
"""The moves of bob, one for each time he is asked."""
Scene: TypeAlias = Callable[["Hall"], Coroutine[Any, Any, None]]
MemoryStream: TypeAlias = trio.StapledStream[MemorySendStream, MemoryReceiveStream]

_BLOCK = re.compile(r"^```transcript (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


# Scenes: what the bots say, and when.


async def plain(hall: Hall) -> None:
    """A whole match of a plain bot."""
    alice = hall.connect()
    await alice.say('{"name": "alice"}')
    hall.begin(LiarsDice(dice=1), seed=26, bob=[Pass(), Bid(5, 1), Pass()])
    await alice.hear_question()
    await alice.say('{"message_id": 1, "move": [3, 1]}')
    await alice.hear_question()
    await alice.say('{"message_id": 2, "move": "pass"}')
    await alice.hear_question()
    await alice.say('{"message_id": 3, "move": "challenge"}')
    await hall.close()
    await alice.hear_the_end()


async def no_name(hall: Hall) -> None:
    """A plain bot that waits for a question before it says anything."""
    bot = hall.connect()
    await trio.sleep(11)
    bot.remark_time("later, before play begins")
    await bot.hear_question()
    await bot.say('{"message_id": "1", "move": [6, 1]}')
    hall.lines.append("# play begins")
    hall.begin(LiarsDice(dice=1), seed=48, bob=[Bid(2, 1), Pass(), Challenge()], seat=1)
    await bot.hear_question()
    await bot.say('{"message_id": "2", "move": "pass"}')
    await bot.hear_question()
    await bot.say('{"message_id": "3", "move": [6, 1]}')
    await bot.hear_question()
    await bot.say('{"message_id": "4", "move": "pass"}')
    await hall.close()
    await bot.hear_the_end()


async def late(hall: Hall) -> None:
    """A plain bot that is late once, wrong once, and right in the end."""
    alice = hall.connect()
    await alice.say('{"name": "alice"}')
    hall.begin(LiarsDice(dice=3), seed=3, bob=[Pass(), Pass(), Pass(), Challenge()])
    await alice.hear_question()
    await alice.say('{"message_id": 1, "move": [3, 1]}', after_s=10.5)
    await alice.hear_question()
    await alice.say('{"message_id": 2, "move": "fold"}', after_s=0.25)
    await alice.hear_question()
    await alice.say('{"message_id": 3, "move": [4, 3]}')
    await alice.hear_question()
    await alice.say('{"message_id": 4, "move": "pass"}')
    await hall.close()
    await alice.hear_the_end()


async def full(hall: Hall) -> None:
    """The match of `plain`, in the full protocol."""
    alice = hall.connect()
    await alice.say('{"type":"hello","protocol":1,"name":"alice"}')
    await alice.hear("welcome")
    hall.begin(LiarsDice(dice=1), seed=26, bob=[Pass(), Bid(5, 1), Pass(), Challenge()])
    await alice.hear_question()
    await alice.say('{"message_id":"1","move":[3,1]}')
    await alice.hear_question()
    await alice.say('{"message_id":"2","move":"pass"}')
    await alice.hear_question()
    await alice.say('{"message_id":"3","move":[5,2]}')
    await alice.hear_question()
    await alice.say('{"message_id":"4","move":"pass"}')
    await alice.hear("result")
    await hall.close()
    await alice.hear_the_end()


async def refused_protocol(hall: Hall) -> None:
    """A version that is not spoken here."""
    alice = hall.connect()
    await alice.say('{"type":"hello","protocol":2,"name":"alice"}')
    await alice.hear_the_end()


async def faults(hall: Hall) -> None:
    """A bot that the arena has started, with a bank: every fault of one that stays connected."""
    alice = await hall.start("alice", '{"type":"hello","protocol":1,"name":"alice"}')
    await alice.hear("welcome")
    game = LiarsDice(challenge="next")
    hall.begin(game, seed=7, bob=[Bid(6, 10), Challenge()], seat=1, plan=Plan(bank=30.0, increment=0.5))
    await alice.hear_question()
    await alice.say("thinking about [6,10] ...", after_s=2.0)
    await alice.say('{"message_id":"1","move":"challenge"}')
    await alice.hear_question()
    await alice.say('{"message_id":"2","move":"challenge"}', after_s=0.25)
    await alice.hear_question()
    await alice.say('{"message_id":"4","move":[5,3]}', after_s=0.75)
    await alice.hear_question()
    await alice.hear_question()
    await alice.say('{"message_id":"4","move":[4,2]}{"message_id":"5","move":[4,5]}', after_s=0.125)
    await alice.hear("result")


async def refused_name(hall: Hall) -> None:
    """A word that cannot be a name."""
    bot = hall.connect()
    await bot.say('{"name": "pass"}')
    await bot.hear_the_end()


async def back(hall: Hall) -> None:
    """A connection that breaks while a question is open, and the bot that comes back."""
    token, lost = await _lose(hall)
    await trio.sleep(0.75)
    lost.remark_time("after the question, on a new connection")
    alice = hall.connect()
    await alice.say(f'{{"type":"hello","protocol":1,"name":"alice","token":"{token}"}}')
    await alice.hear_question()
    await alice.say('{"message_id":"1","move":"challenge"}')
    await alice.hear("result")
    await hall.close()
    await alice.hear_the_end()


async def stranger(hall: Hall) -> None:
    """Somebody else who says the name of a bot that has lost its connection."""
    await _lose(hall)
    hall.lines.clear()
    bot = hall.connect()
    await bot.say('{"type":"hello","protocol":1,"name":"alice"}')
    await bot.hear_the_end()


async def _lose(hall: Hall) -> tuple[str, Line]:
    """Alice is asked, and its connection breaks a second later; gives its token and that connection."""
    alice = hall.connect()
    await alice.say('{"type":"hello","protocol":1,"name":"alice"}')
    welcome = await alice.hear("welcome")
    hall.begin(LiarsDice(dice=1, challenge="next"), seed=26, bob=[Bid(6, 2)], seat=1)
    await alice.hear_question()
    await alice.hang_up(after_s=1.0)
    return welcome["token"], alice


SCENES: Mapping[str, Scene] = {
    "plain": plain,
    "no-name": no_name,
    "late": late,
    "full": full,
    "refused-protocol": refused_protocol,
    "faults": faults,
    "refused-name": refused_name,
    "back": back,
    "stranger": stranger,
}
"""By the name that stands in the document behind ```transcript."""


# The arena around a scene.

TERMS = Tournament(
    plan=Plan(seed=1), game=LiarsDice(), entrants=(), capacity=Capacity.fixed(1), folder=Path("nowhere")
)
"""Of a table at which nobody sits whom the arena starts."""


class Hall:
    """A lobby, and a table at which a bot plays against bob, who does as he is told."""

    def __init__(self, nursery: trio.Nursery, pairing: str) -> None:
        """`pairing`: the id of its match in the schedule, from which follow those that bots are told."""
        self._pairing = pairing
        self.lines: list[str | _TurnEnd] = []
        self.record: MatchRecord | None = None
        """Of the match, once it is over."""
        self._nursery = nursery
        trial = trial_state(LiarsDice(dice=1), seats=2)
        self._lobby = Lobby(tokens={}, expect=1, reserved=LiarsDice.reserved_names, trial=trial)
        self._pool = Pool(TERMS, nursery, lobby=self._lobby)
        self._started: StreamPlayer | None = None
        self._seat = 0
        self._is_over = trio.Event()

    @property
    def player(self) -> StreamPlayer | None:
        """The bot; None: nobody has a place so far."""
        guests = [player for players in self._lobby.players.values() for player in players]
        return self._started or next(iter(guests), None)

    def connect(self) -> Line:
        """A new connection to the port that bots share."""
        line = Line(self)

        async def serve() -> None:
            await self._lobby.serve(line.transport)
            line.transport.close()

        self._nursery.start_soon(serve)
        return line

    async def start(self, name: str, hello: str) -> Line:
        """The connection of a bot that the arena has started, at the port that is its own."""
        line, connection, self._started = Line(self), ArenaConnection(), StreamPlayer(name)
        await line.say(hello)
        assert await introduce(line.transport, connection, 1.0, self._started.allowance) is None
        self._nursery.start_soon(self._started.serve, line.transport, connection)
        return line

    def begin(
        self, game: Game[Any, Any], *, seed: int, bob: Script, seat: int = 0, plan: Plan | None = None
    ) -> None:
        """Play begins: the bot in this seat, bob in the other; the deals come from `seed`."""
        self._seat = seat
        self._nursery.start_soon(self._play, game, seed, bob, Plan() if plan is None else plan)

    async def _play(self, game: Game[Any, Any], seed: int, bob: Script, plan: Plan) -> None:
        if self._started is None:
            assert [] == self._lobby.missing
            self._lobby.begin()
        assert self.player is not None
        players: list[Player] = [ScriptedPlayer("bob", bob, nursery=self._nursery)]
        players.insert(self._seat, self.player)
        id = match_id(SEED, self._pairing)
        turns = count()
        self.record = await play_match(
            game,
            players,
            seed=seed,
            control=control_of(plan, connecting=self._started is None),
            conduct=Conduct(plan.faults_max),
            seating=Seating(
                id,
                tuple(player.name for player in players),
                tuple(bot_seed(SEED, id, seat) for seat in range(len(players))),
            ),
            watch=lambda turn, step: self.lines.append(_TurnEnd(next(turns))),
        )
        self._is_over.set()

    async def close(self) -> None:
        """The tournament ends when its match is over."""
        await self._is_over.wait()
        await self._pool.close()

    def transcript(self) -> str:
        """What was recorded, as it stands in the document."""
        lines = [line if isinstance(line, str) else self._fault(line) for line in self.lines]
        text = "".join(f"{line}\n" for line in lines if line)
        token = None if self.player is None else self.player.token
        return text if token is None else text.replace(token, TOKEN)

    def _fault(self, end: _TurnEnd) -> str:
        """What was wrong with the answer in this turn of a plain bot, which is told of no fault itself."""
        if self.record is None or self.player is None or self.player.hears_events:
            return ""
        for decision in self.record.decisions:
            if (decision.turn, decision.seat) == (end.turn, self._seat) and decision.fault is not None:
                return f"# {decision.fault}: {decision.reason}"
        return ""


class Line:
    """A bot's end of a connection."""

    def __init__(self, hall: Hall) -> None:
        self._hall = hall
        self._stream, theirs = memory_stream_pair()
        self.transport = _MemoryTransport(theirs, self._stream)
        self._unread = b""
        self._asked_at = trio.current_time()

    async def say(self, text: str, *, after_s: float = 0.0) -> None:
        """Says a line, so long after the question came; then what the arena notes of it is known."""
        if after_s:
            await trio.sleep_until(self._asked_at + after_s)
            self.remark_time("after the question")
        self._hall.lines.append(f"← {text}")
        noted = len(self._notes())
        await self._stream.send_all(text.encode() + b"\n")
        await wait_all_tasks_blocked()
        self._hall.lines += [f"# noted: {note}" for note in self._notes()[noted:]]

    async def hear(self, kind: str) -> dict[str, Any]:
        """Records what the arena says, up to the first message of this type, and gives that one."""
        while True:
            said = await self._hear_line()
            assert said is not None, f"the arena closed the connection before it said {kind}"
            if said.get("type", "ask") == kind:
                return said

    async def hear_question(self) -> None:
        """Records what the arena says, up to the next question."""
        await self.hear("ask")
        self._asked_at = trio.current_time()

    async def hear_the_end(self) -> None:
        """Records what the arena says until it closes the connection."""
        while await self._hear_line() is not None:
            pass
        self._hall.lines.append("# the arena closes the connection")

    async def hang_up(self, *, after_s: float) -> None:
        """The connection breaks, so long after the question came."""
        await trio.sleep_until(self._asked_at + after_s)
        self.remark_time("after the question the connection breaks")
        await self._stream.aclose()
        await wait_all_tasks_blocked()

    def remark_time(self, what: str) -> None:
        """Records how long ago the question came."""
        self._hall.lines.append(f"# {trio.current_time() - self._asked_at:g} s {what}")

    async def _hear_line(self) -> dict[str, Any] | None:
        while b"\n" not in self._unread:
            octets = await self._stream.receive_some()
            if not octets:
                assert not self._unread, "the arena says whole lines"
                return None
            self._unread += octets
        line, _, self._unread = self._unread.partition(b"\n")
        self._hall.lines.append(f"→ {line.decode()}")
        said: dict[str, Any] = msgspec.json.decode(line)
        return said

    def _notes(self) -> list[str]:
        """What the arena has noted of the bot in this match, beside its answers."""
        evidence = () if self._hall.player is None else self._hall.player.evidence()
        assert len(evidence) < MESSAGES_KEPT, "older ones may have been dropped"
        return [message["text"] for message in evidence if message["dir"] == "·"]


@attrs.frozen
class _TurnEnd:
    """Where a turn ended; whether a fault was made in it is in the record of the match."""

    turn: int


class _MemoryTransport(StreamTransport):
    """A memory stream that takes bytes at once, as a socket does."""

    def __init__(self, ours: MemoryStream, bots: MemoryStream) -> None:
        super().__init__(ours)
        self.peer = "192.0.2.7"
        self._ours, self._bots = ours, bots

    def send_now(self, octets: bytes | memoryview) -> int:
        self._bots.receive_stream.put_data(octets)
        return len(octets)

    def close(self) -> None:
        self._ours.send_stream.close()
        super().close()


# The document.


def record(scene: Scene) -> str:
    """What was said in this scene."""

    async def play() -> str:
        async with trio.open_nursery() as nursery:
            hall = Hall(nursery, scene.__name__)
            with trio.fail_after(MINUTES_MAX * 60):
                await scene(hall)
            nursery.cancel_scope.cancel()
        return hall.transcript()

    return trio.run(play, clock=MockClock(autojump_threshold=0))


def transcripts(document: str) -> dict[str, str]:
    """The transcripts that stand in a document, by the name of their scene."""
    return {block[1]: block[2] for block in _BLOCK.finditer(document)}


def with_transcripts(document: str, recorded: Mapping[str, str]) -> str:
    """The document with these transcripts in the places of its own."""
    return _BLOCK.sub(lambda block: f"```transcript {block[1]}\n{recorded[block[1]]}```", document)


def main() -> int:
    """0: the document says what the arena says, or does so now."""
    parser = argparse.ArgumentParser(prog="python -m tests.wire.recorded", description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the transcripts into the document")
    is_written = parser.parse_args().write
    document = DOCUMENT.read_text(encoding="utf-8")
    recorded = with_transcripts(document, {name: record(scene) for name, scene in SCENES.items()})
    if is_written:
        DOCUMENT.write_text(recorded, encoding="utf-8")
        return 0
    differences = list(difflib.unified_diff(document.splitlines(), recorded.splitlines(), lineterm="", n=0))
    print(*differences, sep="\n", end="")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
