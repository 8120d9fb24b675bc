"""For authors of games, players and bots: contract tests, players that follow a script, bots that misbehave.

`check_game` is what every game passes, `check_player` what every player does.  The
bots here are coroutines at the other end of an in-memory connection; in virtual time
(`trio.testing.MockClock`, pytest-trio's `autojump_clock`) a day of silence costs nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from random import Random
from typing import Any, TypeAlias

import attrs
import msgspec
import trio
import trio.testing

from arena.clock import Control
from arena.game import Game, Seat
from arena.players.base import MatchStart, Player, Question, Reply, Slot
from arena.players.stream import StreamPlayer
from arena.players.tcp import introduce
from arena.players.transport import StreamTransport
from arena.record import Decision, FaultKind, MatchRecord
from arena.referee import Conduct, Seating, play_match
from arena.sdk import choose
from arena.testing_game import Tiny, check_game, random_match, random_move
from arena.wire.connection import ArenaConnection

__all__ = [
    "MISBEHAVIOURS",
    "SILENCE",
    "After",
    "Behaviour",
    "Fail",
    "Peer",
    "ScriptedPlayer",
    "Tiny",
    "check_game",
    "check_player",
    "chopped",
    "connect",
    "dripping",
    "flooding",
    "gone",
    "half_said",
    "honest",
    "illegal",
    "late",
    "never_reading",
    "play_once",
    "random_match",
    "random_move",
    "rude",
    "seat_bots",
    "silent",
    "telling_twice",
    "wrong_ids",
    "wrong_types",
]


# Players that follow a script.


@attrs.frozen
class Fail:
    """Said in a script: there will be no answer, and why."""

    fault: FaultKind
    reason: str = "so says the script"


@attrs.frozen
class After:
    """Said in a script: the answer comes so many seconds after the question."""

    delay_s: float
    answer: Any


SILENCE = object()
"""Said in a script: nothing comes at all."""

Script: TypeAlias = Callable[[Question], Any]
"""Gives, for a question, a move, a `Fail`, an `After`, or SILENCE."""


class ScriptedPlayer(Player):
    """A player that does what its script says, and remembers all that it was told.

    `script` is a function of the question, or a list of answers, after which it picks the first option's
    least move.  Answers that come `After` some time need the nursery of a test.
    """

    def __init__(
        self,
        name: str,
        script: Script | Iterable[Any] = (),
        *,
        nursery: trio.Nursery | None = None,
        margin_s: float = 0.0,
    ) -> None:
        self.name = name
        self.margin_s = margin_s
        self._script = script if callable(script) else _listed(script)
        self._nursery = nursery
        self._slot: Slot | None = None
        self.starts: list[MatchStart] = []
        self.questions: list[Question] = []
        self.events: list[tuple[str, Any]] = []
        self.blamed: list[Decision] = []
        self.results: list[tuple[Mapping[Seat, int], Mapping[Seat, float]]] = []
        self.broken_off = 0
        """How many matches ended without a result."""

    def begin(self, start: MatchStart) -> None:
        self.starts.append(start)

    def ask(self, question: Question, slot: Slot) -> None:
        self.questions.append(question)
        self._slot = slot
        slot.note_sent(trio.current_time())
        answer = self._script(question)
        if isinstance(answer, After):
            assert self._nursery is not None, "to answer after a time a scripted player needs a nursery"
            self._nursery.start_soon(self._answer_later, slot, answer)
        else:
            self._answer(slot, answer)

    async def _answer_later(self, slot: Slot, answer: After) -> None:
        await trio.sleep(answer.delay_s)
        if slot is self._slot:
            self._answer(slot, answer.answer)

    def _answer(self, slot: Slot, answer: Any) -> None:
        if answer is SILENCE:
            return
        self._slot = None
        if isinstance(answer, Fail):
            slot.fail(answer.fault, answer.reason)
        else:
            now = trio.current_time()
            slot.settle(Reply(answer, now, now))

    def expire(self) -> tuple[FaultKind, str]:
        self._slot = None
        return "too_late", ""

    def tell(self, kind: str, payload: Any) -> None:
        self.events.append((kind, payload))

    def blame(self, decision: Decision) -> None:
        self.blamed.append(decision)

    def end(self, ranks: Mapping[Seat, int], returns: Mapping[Seat, float]) -> None:
        self.results.append((ranks, returns))

    def break_off(self) -> None:
        self.broken_off += 1

    def evidence(self) -> tuple[Mapping[str, Any], ...]:
        return ({"note": f"{len(self.questions)} questions"},)


def _listed(answers: Iterable[Any]) -> Script:
    left = deque(answers)

    def script(question: Question) -> Any:
        return left.popleft() if left else question.options[0].sample(_Least())

    return script


class _Least(Random):
    """Chance that always takes the first and the least."""

    def choice(self, seq: Any) -> Any:
        return seq[0]

    def randint(self, a: int, b: int) -> int:
        return a

    def sample(self, population: Any, k: int, *, counts: Any = None) -> list[Any]:
        return list(population[:k])


# The contract of a player.


async def check_player(player: Player, game: Game[Any, Any], *, matches: int = 3, seed: int = 0) -> None:
    """Nothing, or an AssertionError whose sentence says what the player does wrong.

    Plays matches against players of this process.  The player must be able to play `game` without a fault.
    """
    rng = Random(f"{seed}/others")
    for match in range(matches):
        others = [
            ScriptedPlayer(f"other-{seat}", lambda question: rng.choice(question.options).sample(rng))
            for seat in range(1, game.seats[0])
        ]
        checked = _Checked(player)
        record = await play_once(game, [checked, *others], seed=seed + match)
        _check_record(player, checked, record)
    assert not player.is_gone, f"{player.name} is gone after {matches} matches"


async def play_once(
    game: Game[Any, Any],
    players: Sequence[Player | None],
    *,
    seed: int = 0,
    control: Control | None = None,
    faults_max: int = 5,
    **more: Any,
) -> MatchRecord:
    """One match between these players; `more` goes to `play_match`."""
    names = tuple(f"nobody-{seat}" if player is None else player.name for seat, player in enumerate(players))
    return await play_match(
        game,
        players,
        seed=seed,
        control=Control() if control is None else control,
        conduct=Conduct(faults_max),
        seating=Seating(f"{seed:012x}", names, tuple(seed + seat for seat in range(len(players)))),
        **more,
    )


class _Checked(Player):
    """Stands before a player and sees that it keeps to the contract."""

    def __init__(self, player: Player) -> None:
        self.player = player
        self.name = player.name
        self.margin_s = player.margin_s
        self.enforces_time = player.enforces_time
        self.slots: list[Slot] = []

    @property
    def is_gone(self) -> bool:
        return self.player.is_gone

    def begin(self, start: MatchStart) -> None:
        self.has_answered = self.player.has_answered
        self.player.begin(start)

    def ask(self, question: Question, slot: Slot) -> None:
        assert all(earlier.reply is not None for earlier in self.slots), "two questions are open at once"
        self.slots.append(slot)
        self.player.ask(question, slot)

    def expire(self) -> tuple[FaultKind, str]:
        return self.player.expire()

    def tell(self, kind: str, payload: Any) -> None:
        self.player.tell(kind, payload)

    def flush(self) -> None:
        self.player.flush()

    def blame(self, decision: Decision) -> None:
        self.player.blame(decision)

    def end(self, ranks: Mapping[Seat, int], returns: Mapping[Seat, float]) -> None:
        self.player.has_answered = self.has_answered
        self.player.end(ranks, returns)

    def break_off(self) -> None:
        self.player.break_off()

    def evidence(self) -> tuple[Mapping[str, Any], ...]:
        return self.player.evidence()


def _check_record(player: Player, checked: _Checked, record: MatchRecord) -> None:
    own = [decision for decision in record.decisions if decision.seat == 0]
    assert own, f"{player.name} was never asked: the game is too short to check a player with"
    for decision in own:
        assert decision.fault is None, f"{player.name}: {decision.fault} ({decision.reason})"
        assert decision.elapsed_s >= 0.0, f"{player.name} answered before it was asked"
    for slot in checked.slots:
        assert slot.reply is not None, f"{player.name} left a question open at the end of its match"
        assert slot.sent_at is not None, f"{player.name} does not say when a question was handed over"
        assert slot.asked_at <= slot.sent_at <= slot.reply.arrived_at, (
            f"{player.name}: its times run backwards"
        )
    for line in player.evidence():
        assert isinstance(line, Mapping), f"{player.name}: a line of its evidence is no JSON object"
        msgspec.json.encode(line)


# Bots at the other end of an in-memory connection.


class Peer:
    """A bot's end of a connection: what the arena says, and any bytes back."""

    def __init__(
        self, stream: trio.abc.Stream, rng: Random, move: Callable[[Any], Any] | None = None
    ) -> None:
        self._stream = stream
        self._buffer = b""
        self.rng = rng
        self._move = move
        self.heard: list[dict[str, Any]] = []
        """All that the arena said."""

    async def say(self, octets: bytes) -> None:
        """Sends any bytes; nothing happens when nobody is there any more."""
        try:
            await self._stream.send_all(octets)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass

    async def listen(self) -> dict[str, Any] | None:
        """The next thing that the arena says; None when it has closed."""
        while b"\n" not in self._buffer:
            try:
                octets = await self._stream.receive_some(65536)
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                return None
            if not octets:
                return None
            self._buffer += octets
        line, _, self._buffer = self._buffer.partition(b"\n")
        said: dict[str, Any] = msgspec.json.decode(line)
        self.heard.append(said)
        return said

    async def question(self) -> dict[str, Any] | None:
        """The next thing that wants an answer; None when the arena has closed."""
        while (said := await self.listen()) is not None:
            if said.get("type", "ask") == "ask":
                return said
        return None

    def choose(self, question: Mapping[str, Any]) -> Any:
        """A legal move: from the options, or for a plain bot by the function that its maker gave."""
        if self._move is not None:
            return self._move(question)
        return choose(question["options"], self.rng)

    def answer_to(self, question: Mapping[str, Any]) -> bytes:
        """A right answer, as bytes."""
        answer = {"message_id": question["message_id"], "move": self.choose(question)}
        return msgspec.json.encode(answer) + b"\n"

    async def close(self) -> None:
        """Hangs up."""
        await self._stream.aclose()


Behaviour: TypeAlias = Callable[[Peer], Awaitable[None]]
"""What a bot does from its introduction to the end of its connection."""


async def honest(peer: Peer) -> None:
    """Answers at once, rightly."""
    while (question := await peer.question()) is not None:
        await peer.say(peer.answer_to(question))


async def silent(peer: Peer) -> None:
    """Reads and never answers."""
    while await peer.question() is not None:
        pass


def late(delay_s: float) -> Behaviour:
    """Answers rightly, so many seconds after it read the question."""

    async def behave(peer: Peer) -> None:
        while (question := await peer.question()) is not None:
            await trio.sleep(delay_s)
            await peer.say(peer.answer_to(question))

    return behave


def chopped(pause_s: float = 0.0) -> Behaviour:
    """Answers rightly, byte by byte, with a pause after each."""

    async def behave(peer: Peer) -> None:
        while (question := await peer.question()) is not None:
            for octet in peer.answer_to(question):
                await peer.say(bytes([octet]))
                await trio.sleep(pause_s)

    return behave


def dripping() -> Behaviour:
    """A byte a second: late, not alive."""
    return chopped(1.0)


_RUDE = (
    b"hello?\n",
    b"\xff\xfe\n",
    b"[1, 2]\n",
    b'{"message_id": NaN}\n',
    b"[" * 60_000 + b"\n",
    b'{"a": ' * 1000 + b"\n",
    b'{"message_id": "1", "move": "x"' + b" " * 70_000 + b"}\n",
    b"}{\n",
    b"\x00\n",
)


async def rude(peer: Peer) -> None:
    """Answers with what is no JSON object."""
    while await peer.question() is not None:
        await peer.say(peer.rng.choice(_RUDE))


_WRONG_MOVES: tuple[Any, ...] = (
    None,
    True,
    2.7,
    "3",
    {},
    [],
    {"type": []},
    [[[]]],
    "no such move",
    {"play": {}},
)


async def wrong_types(peer: Peer) -> None:
    """Answers with moves that the game does not have."""
    while (question := await peer.question()) is not None:
        answer = {"message_id": question["message_id"], "move": peer.rng.choice(_WRONG_MOVES)}
        await peer.say(msgspec.json.encode(answer))


async def wrong_ids(peer: Peer) -> None:
    """Answers questions that were never asked, or no question at all."""
    while (question := await peer.question()) is not None:
        wrong = peer.rng.choice(('"never"', "null", "[]", str(int(question["message_id"]) + 1), "-1", "1e99"))
        await peer.say(b'{"message_id": %b, "move": 1}\n' % wrong.encode())


def illegal(move: Any) -> Behaviour:
    """Answers with this move, which the game has and the rules forbid."""

    async def behave(peer: Peer) -> None:
        while (question := await peer.question()) is not None:
            await peer.say(msgspec.json.encode({"message_id": question["message_id"], "move": move}))

    return behave


async def never_reading(peer: Peer) -> None:
    """Takes nothing from the connection; to be seated with `is_narrow`."""
    await trio.sleep_forever()


def gone(after: int = 1) -> Behaviour:
    """Hangs up when the question after so many comes."""

    async def behave(peer: Peer) -> None:
        answered = 0
        while (question := await peer.question()) is not None:
            if answered == after:
                await peer.close()
                return
            answered += 1
            await peer.say(peer.answer_to(question))

    return behave


async def half_said(peer: Peer) -> None:
    """Half an answer, then silence."""
    if (question := await peer.question()) is not None:
        octets = peer.answer_to(question)
        await peer.say(octets[: len(octets) // 2])
    await silent(peer)


async def telling_twice(peer: Peer) -> None:
    """Every answer twice at once, and some junk behind it: right, and a nuisance."""
    while (question := await peer.question()) is not None:
        octets = peer.answer_to(question)
        await peer.say(octets + octets + b"and so on\n")


def flooding(chunks: int, chunk: bytes = b'{"spam": "' + b"x" * 4000 + b'"}\n') -> Behaviour:
    """At its first question so many chunks at once; after that it is honest."""

    async def behave(peer: Peer) -> None:
        if (question := await peer.question()) is not None:
            await peer.say(chunk * chunks)
            await peer.say(peer.answer_to(question))
        await honest(peer)

    return behave


MISBEHAVIOURS: Mapping[str, Behaviour] = {
    "late": late(1.5),
    "silent": silent,
    "dripping": dripping(),
    "rude": rude,
    "wrong_types": wrong_types,
    "wrong_ids": wrong_ids,
    "never_reading": never_reading,
    "gone": gone(),
    "half_said": half_said,
    "flooding": flooding(200),
    "telling_twice": telling_twice,
    "chopped": chopped(0.001),
    "honest": honest,
}
"""One of each, the well-behaved nuisances included; limits of a second are meant."""


@asynccontextmanager
async def seat_bots(
    behaviours: Mapping[str, Behaviour],
    *,
    rng: Random | None = None,
    plain: Mapping[str, Callable[[Any], Any]] | None = None,
    margin_s: float = 0.0,
    reconnect_s: float = 10.0,
) -> AsyncIterator[dict[str, StreamPlayer]]:
    """Players by name, each with its bot at the other end of an in-memory connection.

    Bots speak the full protocol, but those in `plain`, which gives the function that picks their moves.
    """
    players: dict[str, StreamPlayer] = {}
    rng = Random(0) if rng is None else rng
    async with trio.open_nursery() as nursery:
        for name, behaviour in behaviours.items():
            player = StreamPlayer(name, margin_s=margin_s, reconnect_s=reconnect_s)
            player.secrets = (SECRET,)
            move = None if plain is None else plain.get(name)
            await nursery.start(connect, player, behaviour, Random(rng.random()), move)
            players[name] = player
        yield players
        for player in players.values():
            player.dismiss("the test is over")
        nursery.cancel_scope.cancel()


SECRET = "a-token-that-nobody-may-see"


async def connect(
    player: StreamPlayer,
    behaviour: Behaviour,
    rng: Random,
    move: Callable[[Any], Any] | None = None,
    *,
    task_status: trio.TaskStatus[Peer] = trio.TASK_STATUS_IGNORED,
) -> None:
    """A new connection for this player, served until it ends; call it again and the bot has come back."""
    is_narrow = behaviour is never_reading  # else a memory stream takes everything
    pair = trio.testing.lockstep_stream_pair if is_narrow else trio.testing.memory_stream_pair
    ours, theirs = pair()
    peer = Peer(theirs, rng, move)
    hello: dict[str, Any] = {"name": player.name, "token": SECRET}
    if move is None:
        hello |= {"type": "hello", "protocol": 1}
    connection, transport = ArenaConnection(), StreamTransport(ours)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(peer.say, msgspec.json.encode(hello))
        assert await introduce(transport, connection, 1.0) is None
        nursery.start_soon(behaviour, peer)
        nursery.start_soon(player.serve, transport, connection)
        await trio.testing.wait_all_tasks_blocked()
        task_status.started(peer)
