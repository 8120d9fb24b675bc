"""The bots of a world: what each does follows from its name and from what it is asked, never from when.

So a match that is played again, after a kill or because somebody was withdrawn, is played the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

import attrs
import msgspec
import trio

from arena.players.entrant import Restart
from arena.sdk import Bot, choose
from arena.testing import Peer
from arena.tournament.lobby.places import WITHDRAWN

from .network import WINDOW_BYTES, Network, Weather
from .plain import illegal_move, plain_move

HARMLESS = frozenset({"twice", "chopped", "slow", "id as a number", "blank lines"})
"""Odd, and no fault."""
CLEAR = {
    "silent": {"too_late"},
    "late": {"too_late"},
    "broken": {"malformed"},
    "wrong move": {"malformed"},
    "wrong id": {"malformed"},
    "illegal": {"illegal", "malformed"},
}
"""Wrong in a way that does not depend on when: what each earns."""
MURKY = {
    "junk": {"malformed", "too_late"},
    "half said": {"too_late", "malformed"},
    "flood": {"too_late", "malformed", "gone"},
    "about in time": {"too_late"},
    "blink": {"too_late", "gone"},
    "leaves": {"gone", "too_late"},
    "is away": {"gone", "too_late"},
    "deaf": {"gone", "too_late"},
}
"""Wrong or not, as it comes; `blink` is gone and back at once."""
RAISES = {"raises": {"gone"}}
"""Of bots in this process."""
EARNED: Mapping[str, set[str]] = {**{habit: set() for habit in HARMLESS}, **CLEAR, **MURKY, **RAISES}

JUNK = (
    b"hello?\n",
    b"\xff\xfe\n",
    b"[1, 2]\n",
    b'{"message_id": NaN}\n',
    b"[" * 3_000 + b"\n",
    b'{"a": ' * 100 + b"\n",
    b'{"message_id": "1", "move": "x"' + b" " * 70_000 + b"}\n",
    b"}{\n",
    b"\x00\n",
    b'{"message_id":"","move":1}\n',
)
STRANGE = (
    b"",
    b"GET / HTTP/1.1\r\n\r\n",
    b'{"name":"ann"}\n',
    b'{"type":"hello","protocol":1,"name":"ann","token":"guessed"}\n',
    b'{"type":"hello","protocol":2}\n',
    b'{"type":"hello","protocol":1,"name":7}\n',
    b'{"name":"not_available"}\n',
    b"{}\n",
)
"""What strangers say besides junk."""
PATIENCE_S = 60.0
TRIES_MAX = 6
"""Who is not asked anything comes back later and later, up to 64 times as late."""
WRONG_MOVES: tuple[Any, ...] = (
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
CHOP_BYTES = 7
WRONG_IDS = ('"never"', "null", "[]", '"999999"', "-1", "1e99", '""')


GOODBYES = {
    WITHDRAWN,
    "the tournament is over",
    "the arena was stopped",
    "the arena is done with this instance",
}
"""Who hears one of these has played; who is refused tries again."""


@attrs.frozen(kw_only=True)
class Character:
    """One bot of a world."""

    name: str
    comes: str
    """`token`, `guest`, `started` or `local`."""
    is_plain: bool = False
    says_name: bool = True
    habits: Mapping[str, float] = attrs.field(factory=dict)
    """How likely each is, at a question."""
    weather: Weather = attrs.field(factory=Weather)
    time_s: float = 1.0
    """What it has for an answer."""
    is_hurried: bool = False
    """Whether its bank is so small that even its way there and back may be too long."""
    limit_s: float = 1.0
    """The most that it ever has, with the first answer's time and the margin."""
    back_s: float = 0.1
    """After about how long it comes back."""
    restart: Restart = "never"
    instances_max: int | None = None

    @property
    def earns(self) -> set[str]:
        """The kinds of faults that it may be charged with."""
        earned = {kind for habit in self.habits for kind in EARNED[habit]}
        if self.weather.stalls or self.weather.vanishes:
            earned |= {"too_late"}
        if not self.weather.is_clean:
            earned |= {"gone", "too_late"}
        if self.is_hurried:
            earned |= {"too_late"}
        if "too_late" in earned and self.weather.window_bytes < WINDOW_BYTES:
            earned |= {"gone"}  # while it sleeps it does not read
        return earned

    @property
    def is_good(self) -> bool:
        return not self.earns


@attrs.frozen
class Stranger:
    """Somebody who has no business here."""

    name: str
    times: int
    every_s: float
    stays: bool


class Mind:
    """What a bot does at a question."""

    def __init__(self, character: Character, seed: int, game: str) -> None:
        self.character = character
        self.seed = seed
        self.asked = 0
        self._game = game
        self.done: set[tuple[str, bytes]] = set()
        """What it does only once at the same question."""

    def decide(self, state: Mapping[str, Any], options: Any) -> tuple[str, Any, Random]:
        """The habit of this moment (empty: none), the move, and the dice for more."""
        self.asked += 1
        asked = msgspec.json.encode(state)
        rng = Random(f"{self.seed}/{self.character.name}/{asked.decode()}")
        habit = ""
        for each, chance in self.character.habits.items():
            if rng.random() < chance:
                habit = each
        if habit in ("blink", "leaves"):
            if (habit, asked) in self.done:
                habit = ""
            self.done.add((habit, asked))
        if habit == "illegal":
            return habit, illegal_move(self._game, state), rng
        move = plain_move(self._game, state, rng) if options is None else choose(options, rng)
        return habit, move, rng


def question_of(said: Mapping[str, Any]) -> tuple[dict[str, Any], Any]:
    """State and options of a question; None for the options of a plain one."""
    if "options" in said and "state" in said:
        return said["state"], said["options"]
    return {key: value for key, value in said.items() if key not in ("message_id", "game_number")}, None


async def live(character: Character, mind: Mind, network: Network, token: str | None) -> None:
    """Connects, plays, comes back, until the arena says bye."""
    life = Random(f"{mind.seed}/{character.name}/life/{len(network.lines)}")
    await trio.sleep(life.random() * 0.05)
    tries = 0
    while True:
        peer = Peer(network.call(character.name, character.weather), life)
        asked = mind.asked
        if await play(peer, character, mind, token):
            return
        await peer.close()
        tries = 0 if mind.asked > asked else min(tries + 1, TRIES_MAX)
        await trio.sleep(character.back_s * (0.5 + life.random()) * 2**tries)


async def pester(stranger: Stranger, network: Network, seed: int) -> None:
    """Comes again and again, says what it has to say, and stays or leaves."""
    rng = Random(f"{seed}/{stranger.name}")
    for _ in range(stranger.times):
        await trio.sleep(rng.random() * stranger.every_s)
        peer = Peer(network.call(stranger.name, Weather()), rng)
        network.trace.note("stranger", stranger.name)
        await peer.say(rng.choice((*JUNK, *STRANGE)) * rng.choice((1, 1, 100)))
        if stranger.stays:
            while await peer.listen() is not None:
                pass
        await peer.close()


async def play(peer: Peer, character: Character, mind: Mind, token: str | None) -> bool:
    """One connection from hello to its end; whether that was for good."""
    await peer.say(introduction(character, token))
    async with trio.open_nursery() as later:
        if character.weather.vanishes:
            later.start_soon(give_up, peer, mind)
        while (question := await peer.question()) is not None:
            state, options = question_of(question)
            habit, move, rng = mind.decide(state, options)
            peer.heard.clear()
            if habit == "late" and not character.is_plain:  # it still reads, and is in time with the next one
                later.start_soon(answer, peer, character, question["message_id"], habit, move, rng)
            elif not await answer(peer, character, question["message_id"], habit, move, rng):
                break
        later.cancel_scope.cancel()
    return bool(peer.heard) and peer.heard[-1].get("reason") in GOODBYES


async def give_up(peer: Peer, mind: Mind) -> None:
    """Hangs up if nothing at all was ever heard: its own first word may have got lost."""
    asked = mind.asked
    await trio.sleep(PATIENCE_S)
    if not peer.heard and mind.asked == asked:
        await peer.close()


def introduction(character: Character, token: str | None) -> bytes:
    """What it says first; a plain guest may say nothing at all."""
    said: dict[str, Any] = {} if character.is_plain else {"type": "hello", "protocol": 1}
    if character.says_name:
        said["name"] = character.name
    if token is not None:
        said["token"] = token
    return msgspec.json.encode(said) + b"\n" if said else b""


async def answer(peer: Peer, character: Character, id: str, habit: str, move: Any, rng: Random) -> bool:
    """Answers in the way of this habit; whether it keeps its connection."""
    right = msgspec.json.encode({"message_id": id, "move": move}) + b"\n"
    time_s, limit_s = character.time_s, character.limit_s
    match habit:
        case "twice":
            right += right
        case "blank lines":
            right = b"\n \r\n" + right + b"\n\n"
        case "id as a number":
            right = right.replace(b'"%b"' % id.encode(), id.encode(), 1)
        case "slow":
            await trio.sleep(time_s * 0.3 * rng.random())
        case "silent":
            return True
        case "late":
            await trio.sleep(limit_s * 1.5 + 1.0)
        case "about in time":
            await trio.sleep(time_s * (0.7 + 0.6 * rng.random()))
        case "broken":
            right = b'{"message_id": nope}\n'
        case "wrong move":
            right = msgspec.json.encode({"message_id": id, "move": rng.choice(WRONG_MOVES)}) + b"\n"
        case "wrong id":
            right = b'{"message_id": %b, "move": 1}\n' % rng.choice(WRONG_IDS).encode()
        case "junk":
            right = rng.choice(JUNK)
        case "half said":
            right = right[: len(right) // 2]
        case "flood":
            await peer.say(b'{"spam": "' + b"x" * 4000 + b'"}\n' * rng.choice((10, 40)))
        case "deaf":
            await trio.sleep(limit_s * 3)
        case "blink" | "leaves":
            if habit == "leaves":
                await peer.close()
                await trio.sleep(character.limit_s * 20)
            return False
        case "is away":
            await peer.close()
            await trio.sleep_forever()
    if habit == "chopped":
        for begin in range(0, len(right), CHOP_BYTES):
            await peer.say(right[begin : begin + CHOP_BYTES])
    else:
        await peer.say(right)
    return True


class Local(Bot):
    """A bot in the arena's process; its name says which one it is."""

    minds: Mapping[str, Mind] = {}

    def move(self, state: dict[str, Any], options: list[dict[str, Any]]) -> Any:
        mind = self.minds[self.match.names[self.match.seat]]
        habit, move, rng = mind.decide(state, options)
        if habit == "raises":
            raise RuntimeError("so says the world")
        return rng.choice(WRONG_MOVES) if habit == "wrong move" else move


def target() -> str:
    """Where `Local` is, as an entrant names it."""
    return f"{Local.__module__}:{Local.__name__}"


__all__ = [
    "CLEAR",
    "HARMLESS",
    "MURKY",
    "Character",
    "Local",
    "Mind",
    "Stranger",
    "live",
    "pester",
    "play",
    "target",
]
