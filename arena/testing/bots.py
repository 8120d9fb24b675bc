"""Bots as coroutines at the other end of an in-memory connection, good ones and all sorts of bad ones.

They are part of `arena.testing`: import them from there.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from random import Random
from typing import Any, TypeAlias

import msgspec
import trio
import trio.testing

from arena.players.stream import StreamPlayer
from arena.players.tcp import introduce
from arena.players.transport import StreamTransport
from arena.sdk import choose
from arena.wire.connection import ArenaConnection

SECRET = "a-token-that-nobody-may-see"
"""The token that every bot here shows."""


class Peer:
    """A bot's end of a connection: reads what the arena says, and sends any bytes."""

    def __init__(
        self, stream: trio.abc.Stream, rng: Random, move: Callable[[Any], Any] | None = None
    ) -> None:
        self._stream = stream
        self._buffer = b""
        self.rng = rng
        self._move = move
        self.heard: list[dict[str, Any]] = []
        """Everything that the arena has said."""

    async def say(self, octets: bytes) -> None:
        """Sends any bytes; does nothing if nobody is there any more."""
        try:
            await self._stream.send_all(octets)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass

    async def listen(self) -> dict[str, Any] | None:
        """The next message from the arena; None when the arena has closed the connection."""
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
        """The next message that wants an answer; None when the arena has closed the connection."""
        while (said := await self.listen()) is not None:
            if said.get("type", "ask") == "ask":
                return said
        return None

    def choose(self, question: Mapping[str, Any]) -> Any:
        """A legal move: from the options, or for a plain bot from the function that was passed for it."""
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
    """Answers at once and correctly."""
    while (question := await peer.question()) is not None:
        await peer.say(peer.answer_to(question))


async def silent(peer: Peer) -> None:
    """Reads and never answers."""
    while await peer.question() is not None:
        pass


def late(delay_s: float) -> Behaviour:
    """Answers correctly, this many seconds after it read the question."""

    async def behave(peer: Peer) -> None:
        while (question := await peer.question()) is not None:
            await trio.sleep(delay_s)
            await peer.say(peer.answer_to(question))

    return behave


def chopped(pause_s: float = 0.0) -> Behaviour:
    """Answers correctly, byte by byte, with a pause after each."""

    async def behave(peer: Peer) -> None:
        while (question := await peer.question()) is not None:
            for octet in peer.answer_to(question):
                await peer.say(bytes([octet]))
                await trio.sleep(pause_s)

    return behave


def dripping() -> Behaviour:
    """Sends a byte a second, which counts as late, not as alive."""
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
    """Answers with something that is not a JSON object."""
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
    """Takes nothing from the connection, which `connect` therefore makes a narrow one."""
    await trio.sleep_forever()


def gone(after: int = 1) -> Behaviour:
    """Hangs up at the next question after this many."""

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
    """Sends half an answer, then nothing."""
    if (question := await peer.question()) is not None:
        octets = peer.answer_to(question)
        await peer.say(octets[: len(octets) // 2])
    await silent(peer)


async def telling_twice(peer: Peer) -> None:
    """Sends every answer twice at once, with junk after it: correct, but a nuisance."""
    while (question := await peer.question()) is not None:
        octets = peer.answer_to(question)
        await peer.say(octets + octets + b"and so on\n")


def flooding(chunks: int, chunk: bytes = b'{"spam": "' + b"x" * 4000 + b'"}\n') -> Behaviour:
    """Sends this many chunks at once at its first question; after that it is honest."""

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
"""One bot of each kind, well-behaved nuisances included; made for limits of a second."""


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

    Bots speak the full protocol, except those in `plain`, which maps them to functions that pick their moves.
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


async def connect(
    player: StreamPlayer,
    behaviour: Behaviour,
    rng: Random,
    move: Callable[[Any], Any] | None = None,
    *,
    task_status: trio.TaskStatus[Peer] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serves a new connection for this player until it ends; if called again, the bot has come back."""
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
        assert await introduce(transport, connection, 1.0, player.allowance) is None
        nursery.start_soon(behaviour, peer)
        nursery.start_soon(player.serve, transport, connection)
        await trio.testing.wait_all_tasks_blocked()
        task_status.started(peer)
