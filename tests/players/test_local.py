"""A bot of this process gets what it would get over a connection, and its failures are its own."""

from __future__ import annotations

import time

import attrs
import msgspec
import pytest
import trio
import trio.testing
from toys import Toy

from arena.errors import MalformedAnswer
from arena.match.clock import Control
from arena.match.game import Seat
from arena.players.base import MatchStart
from arena.players.local import ANSWER_BYTES_MAX, TRACEBACK_MAX, LocalPlayer, _as_sent
from arena.sdk import Bot, choose
from arena.testing import ScriptedPlayer, check_player, honest, play_once, seat_bots


class Remembering(Bot):
    """Plays at random and keeps all that it was told."""

    def __init__(self):
        self.told = []

    def started(self, match):
        self.told.append(("match", match))

    def move(self, state, options):
        self.told.append(("ask", state, options))
        return choose(options, self.rng)

    def event(self, kind, payload):
        self.told.append(("event", kind, payload))

    def fault(self, kind, reason):
        self.told.append(("fault", kind, reason))

    def finished(self, result):
        self.told.append(("result", result))


async def play(bot, **more):
    """The decisions of this bot in one match, and the record."""
    more = {"control": Control(move_s=0.05, first_s=0.05)} | more
    record = await play_once(Toy(turns=3), [LocalPlayer("bot", bot), ScriptedPlayer("other")], **more)
    return [decision for decision in record.decisions if decision.seat == 0], record


async def test_the_contract():
    """It is a player like others."""
    await check_player(LocalPlayer("bot", Remembering()), Toy())


async def test_it_is_told_what_a_connection_would_tell(autojump_clock):
    """The same match over the wire says the same, message by message."""
    bot = Remembering()
    await play(bot)
    peers = []

    async def remembering(peer):
        peers.append(peer)
        await honest(peer)

    async with seat_bots({"bot": remembering}) as players:
        await play_once(
            Toy(turns=3),
            [players["bot"], ScriptedPlayer("other")],
            control=Control(move_s=0.05, first_s=0.05),
        )
        await trio.testing.wait_all_tasks_blocked()
    said = [message for message in peers[0].heard if message["type"] != "welcome"]
    assert [message["type"] for message in said] == [message[0] for message in bot.told]
    for over_wire, here in zip(said, bot.told, strict=True):
        if here[0] == "ask":
            assert (over_wire["state"], over_wire["options"]) == here[1:]
        elif here[0] == "event":
            assert (over_wire["kind"], over_wire["payload"]) == here[1:]
    match = bot.told[0][1]
    for key in ("match_id", "game_number", "game", "version", "rules", "seat", "names", "bot_seed"):
        assert said[0][key] == getattr(match, key)
    result = bot.told[-1][1]
    assert (said[-1]["ranks"], said[-1]["returns"]) == (result.ranks, result.returns)


async def test_a_house_rule_left_open_is_told_as_it_holds_at_the_table(autojump_clock):
    """Here and over the wire: the number that holds for so many seats."""

    class Open(Toy):
        def at_table(self, seats):
            return attrs.evolve(self, turns=self.turns or 7 * seats)

        def to_act(self, state):
            return (
                self.at_table(len(state.forfeits)).to_act(state) if not self.turns else super().to_act(state)
            )

    here, peers = Remembering(), []

    async def remembering(peer):
        peers.append(peer)
        await honest(peer)

    async with seat_bots({"bot": remembering}) as players:
        await play_once(Open(turns=0), [players["bot"], LocalPlayer("other", here)])
        await trio.testing.wait_all_tasks_blocked()
    over_wire = next(said for said in peers[0].heard if said["type"] == "match")
    assert 14 == over_wire["rules"]["turns"] == here.told[0][1].rules["turns"]


async def test_a_bot_may_spoil_what_it_gets():
    """What it is given is its own: the next question has fresh objects."""

    class Spoiling(Remembering):
        def move(self, state, options):
            move = super().move(dict(state), list(options))
            state.clear()
            for option in options:
                option.clear()
            options.clear()
            return move

    decisions, _ = await play(Spoiling())
    assert [None] * 3 == [decision.fault for decision in decisions]


async def test_time_is_measured_and_not_enforced():
    """A slow call is no fault: it ends when it ends."""

    class Slow(Bot):
        def move(self, state, options):
            time.sleep(0.06 if state["turn"] == 1 else 0)
            return 88

    decisions, _ = await play(Slow())
    assert [None] * 3 == [decision.fault for decision in decisions]
    before, slow, after = [decision.elapsed_s for decision in decisions]
    assert slow >= 0.06 > min(before, after)  # on a busy machine one of the others may take as long
    assert not any(decision.lagged for decision in decisions)


class UnprintableError(Exception):
    def __str__(self):
        raise RuntimeError("not even that")


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (ValueError("no idea"), "raised ValueError: no idea"),
        (SystemExit(3), "raised SystemExit: 3"),
        (RecursionError(), "raised RecursionError"),
        (UnprintableError(), "raised test_local.UnprintableError"),
        (ValueError("x" * 100_000), "raised ValueError: xxx"),
    ],
    ids=["an error", "an exit", "recursion", "an unprintable error", "a long error"],
)
async def test_what_its_code_raises(error, says):
    """The bot is gone from then on, in this match and after it, with a bounded traceback as evidence."""

    class Raising(Bot):
        def move(self, state, options):
            if state["turn"] == 1:
                raise error
            return 88

    player = LocalPlayer("bot", Raising())
    record = await play_once(Toy(turns=3), [player, ScriptedPlayer("other")])
    decisions = [decision for decision in record.decisions if decision.seat == 0]
    assert [None, "gone", "gone"] == [decision.fault for decision in decisions]
    assert decisions[1].reason.startswith(says)
    assert player.is_gone
    (stderr,) = [line["stderr"] for line in record.capsules[0].lines if "stderr" in line]
    assert "Traceback" in stderr or len(stderr) == TRACEBACK_MAX


@pytest.mark.parametrize("method", ["started", "event", "fault", "finished"])
async def test_whatever_it_raises_elsewhere(method):
    """An error while it listens makes it gone too, and no one else."""

    def raising(self, *arguments):
        raise KeyError(method)

    bot = type("Deaf", (Bot,), {method: raising, "move": lambda self, state, options: "no such move"})()
    player = LocalPlayer("bot", bot)
    record = await play_once(Toy(turns=2), [player, ScriptedPlayer("other")])
    assert player.is_gone
    assert {None} == {decision.fault for decision in record.decisions if decision.seat == 1}


async def test_ctrl_c_travels():
    """A KeyboardInterrupt in a bot's code is the user's, not the bot's."""

    class Interrupted(Bot):
        def move(self, state, options):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await play(Interrupted())


@attrs.frozen
class Odd:
    amount: int


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (88, None),
        ((6, 2), None),
        pytest.param(object(), "malformed", id="an object"),
        ({1, 2}, None),
        (float("nan"), "malformed"),
        (10**100, "illegal"),
        ("x" * (ANSWER_BYTES_MAX + 1), "malformed"),
        (b"88", "malformed"),
        (Odd(3), "malformed"),
        ({(1, 2): 3}, "malformed"),
        ("\ud800", "malformed"),
        (None, "malformed"),
    ],
    ids=repr,
)
async def test_what_it_answers(answer, fault):
    """Anything may come back, and is taken as it would be written; what is no JSON is no move."""
    decisions, _ = await play(type("Odd", (Bot,), {"move": lambda *_: answer})())
    assert [fault] * 3 == [decision.fault for decision in decisions]


async def test_an_endless_answer():
    """A list that contains itself is malformed, not the end of the arena."""
    endless = []
    endless.append(endless)
    decisions, _ = await play(type("Endless", (Bot,), {"move": lambda *_: endless})())
    assert ["malformed"] * 3 == [decision.fault for decision in decisions]


async def test_its_chance_comes_from_the_match():
    """Two bots with the same seed play the same; the seed is the match's."""
    moves = [[d.move for d in (await play(Remembering(), seed=seed))[0]] for seed in (1, 1, 2)]
    assert moves[0] == moves[1]
    assert moves[0] != moves[2]


async def test_the_evidence_is_of_its_own_match():
    """A bot that has not been asked yet shows no question of a match before, at a table of other names."""
    player = LocalPlayer("bot", Remembering())
    await play_once(Toy(turns=3), [player, ScriptedPlayer("other")])
    assert player.evidence()
    player.begin(
        MatchStart(match_id="next", game=Toy(), seat=Seat(0), names=("bot",), control=Control(), bot_seed=0)
    )
    assert () == player.evidence()


PLAIN = [[1, 2], [2**60, 1], [True, 1], [1.0, 2], [2**64, 1], ["a"], [[1]], "pass", "pä", "\ud800"]
NAMED = [
    {"a": 1, "b": "x"},
    {"a": True},
    {"a": 2**64},
    {"a": "pä"},
    {"ä": 1},
    {1: 2},
    {"a": [1]},
    {"a": None},
]


@pytest.mark.parametrize("value", PLAIN + NAMED)
def test_an_answer_that_comes_as_it_is_is_what_a_connection_would_bring(value):
    """The short way and the way through JSON give the same, of the same types, or both refuse."""
    try:
        expected = msgspec.json.decode(msgspec.json.encode(value))
    except (ValueError, OverflowError):
        with pytest.raises(MalformedAnswer):
            _as_sent(value)
        return
    found = _as_sent(value)
    assert (expected, repr(expected)) == (found, repr(found))
    assert not (isinstance(value, list | dict) and found is value)
