"""`arena check`: what it sees of good bots and bad ones, what it says of that, and two of them in earnest."""

from __future__ import annotations

import json
import sys
from random import Random

import attrs
import msgspec
import pytest
import trio
from test_cli import call

from arena.games import GAMES
from arena.games.chamber import Chamber
from arena.games.liars_dice import LiarsDice
from arena.match.clock import Control
from arena.players.start import BotBroken
from arena.players.stream import StreamPlayer
from arena.testing import connect, honest, illegal, late, silent, telling_twice, wrong_ids, wrong_types
from arena.trials.check.advice import check_points
from arena.trials.check.examination import UNUSUAL_NAMES, CheckTerms, Examination
from arena.trials.check.findings import Asked, CheckFindings, Ending, Introduction, Printed, number_range
from arena.trials.check.telling import check_json, check_text
from arena.wire.messages import check_name

GAME = LiarsDice(dice=2)


class FakeHost:
    """Instances at the other end of in-memory connections."""

    way = "tcp"

    def __init__(self, nursery, behaviour, *, ending=None, luck=lambda: Random(0), printed=None, memory=None):
        self.nursery = nursery
        self.behaviour = behaviour
        self.ending = ending or Ending(took_s=0.01, by="itself")
        self.luck = luck
        self.said = printed or Printed()
        self.memory = iter(memory or ())
        self.started = 0

    async def start(self):
        self.started += 1
        player = StreamPlayer("mine", reconnect_s=1.0)

        async def behave(peer):
            await self.behaviour(peer)
            player.leave("its process ended with exit code 1: KeyError: 'fault'")

        await self.nursery.start(connect, player, behave, self.luck())
        return player

    async def end(self, player):
        player.dismiss("that was all")
        return self.ending

    def memory_bytes(self, player):
        return next(self.memory, None)

    def printed(self, player):
        return self.said


async def checked(behaviour, *, game=GAME, seats=(2, 3), time_s=15.0, **host) -> CheckFindings:
    """What a check sees of a bot that behaves so."""
    found = CheckFindings(bot="mine", game=game.name, title=game.title, seats=seats, memory_mb=100)
    async with trio.open_nursery() as nursery:
        terms = CheckTerms(control=Control(), time_s=time_s)
        await Examination(game, FakeHost(nursery, behaviour, **host), found, terms).examine()
        nursery.cancel_scope.cancel()
    return found


def to_mend(found: CheckFindings) -> dict[str, str]:
    return {point.name: point.said for point in check_points(found) if point.standing == "mend"}


def standing(found: CheckFindings, name: str) -> str:
    return next(point.standing for point in check_points(found) if point.name == name)


async def first_option(peer):
    """Deterministic: always the least move."""
    while (question := await peer.question()) is not None:
        option = question["options"][0]
        least = {field: domain["min"] for field, domain in option["fields"].items()}
        form = option["form"]
        move = form if isinstance(form, str) else [least[part.strip("<>")] for part in form]
        await peer.say(msgspec.json.encode({"message_id": question["message_id"], "move": move}))


async def test_a_good_bot_has_nothing_to_mend(autojump_clock):
    """It is asked with every kind of option at every table, and plays on after faults and a lost connection."""
    found = await checked(first_option)
    assert {} == to_mend(found)
    assert {2, 3} == {asked.seats for asked in found.asked}
    assert {"Bid", "Challenge", "Pass"} == {kind for asked in found.asked for kind in asked.kinds}
    assert 3 == sum(asked.is_provoked for asked in found.asked)
    assert not found.examples, "of what it was charged with it is not to blame"
    assert "ended" == found.after_loss
    assert "fine" == standing(found, "seed")
    assert found.first_moves["play"] == found.first_moves["again"] == found.first_moves["fresh"]


async def test_rare_questions_are_reached(autojump_clock):
    """In Chamber a bot is asked with all nine kinds of moves."""
    found = await checked(honest, game=Chamber(), seats=(2, 4))
    assert 9 == len(found.kinds)
    assert set(found.kinds) == found.possible == {kind for asked in found.asked for kind in asked.kinds}


@pytest.mark.parametrize(
    ("what", "behaviour", "points"),
    [
        ("illegal", illegal("challenge"), {"answers"}),
        ("malformed", wrong_types, {"answers"}),
        ("ids", wrong_ids, {"ids", "answers"}),
        ("two answers", telling_twice, {"ids"}),
        ("late", late(1.5), {"time"}),
        ("nearly late", late(0.9), {"time"}),
    ],
)
async def test_what_a_bot_does_wrong_is_named(what, behaviour, points, autojump_clock):
    """Each at the point where its author looks, and nowhere else."""
    assert points >= to_mend(await checked(behaviour, time_s=40.0)).keys() >= {min(points, key=len)}, what


async def test_a_silent_bot_costs_bounded_time(autojump_clock):
    """It has its limits, then others play on in its seat."""
    began_at = trio.current_time()
    found = await checked(silent)
    assert "time" in to_mend(found)
    assert trio.current_time() - began_at < 60.0


async def test_a_slow_bot_costs_bounded_time(autojump_clock):
    """When its time is up others play on in its seat, and what they do is not told as its doing."""
    began_at = trio.current_time()
    found = await checked(late(0.9), time_s=5.0, seats=(2, 3, 4))
    assert ["time"] == [*to_mend(found)]
    assert trio.current_time() - began_at < 20.0
    assert len(found.asked) < 25


async def test_a_bot_that_dies_of_a_fault(autojump_clock):
    """It plays well until it is told of a fault; that is what has to be mended, with its exception."""

    async def fragile(peer):
        while (said := await peer.listen()) is not None and said.get("type") != "fault":
            if said.get("type") == "ask":
                await peer.say(peer.answer_to(said))

    found = await checked(fragile)
    assert {"life", "faults"} == to_mend(found).keys()
    assert "KeyError: 'fault'" in to_mend(found)["life"]


async def test_a_bot_that_keeps_dying_is_not_started_for_ever(autojump_clock):
    """A few times; then the check tells what it has seen."""

    async def dies(peer):
        await peer.question()

    found = await checked(dies, seats=(2, 3, 4, 5, 6, 7, 8))
    assert "4 times" in to_mend(found)["life"]
    (point,) = [point for point in check_points(found) if "never asked at" in point.said]
    assert (
        "the check stopped because the bot ended 4 times in the midst of play: mend that first"
        == point.advice
    )


async def test_a_bot_of_chance_is_told_as_information(autojump_clock):
    """Other answers in the same match are nothing to mend."""
    seeds = iter(range(100))
    found = await checked(honest, luck=lambda: Random(next(seeds)))
    assert {} == to_mend(found)
    assert "note" == standing(found, "seed")
    assert found.first_moves["play"] != found.first_moves["fresh"]


async def test_a_bot_that_stumbles_over_names(autojump_clock):
    """Told as that, and not among its other answers."""

    async def naive(peer):
        while (question := await peer.question()) is not None:
            is_lost = "zoë" in json.dumps(question, ensure_ascii=False)
            wrong = msgspec.json.encode({"message_id": question["message_id"], "move": None})
            await peer.say(wrong if is_lost else peer.answer_to(question))

    found = await checked(naive)
    assert ["names"] == [*to_mend(found)]
    assert "move null is not a move" in to_mend(found)["names"]


def test_the_names_of_opponents_are_valid():
    """Every game takes them."""
    for name in GAMES:
        assert [None] * len(UNUSUAL_NAMES) == [
            check_name(n, GAMES[name].reserved_names) for n in UNUSUAL_NAMES
        ]
        assert len(UNUSUAL_NAMES) >= GAMES[name].seats[-1] - 1


async def test_a_connection_that_is_lost(autojump_clock):
    """Though the program goes on, it is something to mend."""

    async def loses(peer):
        await peer.question()
        await peer.close()
        await trio.sleep_forever()

    assert "life" in to_mend(await checked(loses))


async def test_a_bot_that_neither_returns_nor_ends(autojump_clock):
    """It goes on running without a connection."""

    async def stays(peer):
        await honest(peer)
        await trio.sleep_forever()

    found = await checked(stays, ending=Ending(took_s=2.1, by="SIGKILL"))
    assert {"connection", "bye"} == to_mend(found).keys()


async def test_a_bot_that_cannot_be_started():
    """The reason, and the end of its log, which no terminal obeys."""
    found = CheckFindings(bot="mine", game="x", title="X", seats=(2,))

    class Broken:
        async def start(self):
            raise BotBroken(
                "mine", "its process ended with exit code 1: KeyError: 'hand'", "Traceback\x1b[2J\n"
            )

    await Examination(GAME, Broken(), attrs.evolve(found), CheckTerms(control=Control())).examine()
    host = Broken()
    await Examination(GAME, host, found, CheckTerms(control=Control())).examine()
    (point,) = check_points(found)
    assert ("start", "mend") == (point.name, point.standing)
    text = check_text(found, [point])
    assert "KeyError: 'hand'" in text
    assert "| Traceback" in text
    assert "\x1b" not in text


SEEN = CheckFindings(
    bot="mine",
    game="toy",
    title="Toy",
    seats=(2, 3),
    kinds=("Go", "Stay"),
    possible=frozenset({"Go", "Stay"}),
    memory_mb=100,
    starts_s=[0.2],
    introduction=Introduction(name="mine", protocol=1),
    asked=[
        Asked(stage=stage, seats=seats, kinds=("Go", "Stay"), limit_s=1.0, is_first=False, elapsed_s=0.01)
        for seats in (2, 3)
        for stage in ("play", "long")
    ],
    matches=4,
    printed=[Printed()],
    after_loss="ended",
    endings=[Ending(took_s=0.02, by="itself")],
    memory_bytes=[20 << 20] * 4,
)


def seen(**changes) -> CheckFindings:
    return attrs.evolve(SEEN, **changes)


@pytest.mark.parametrize(
    ("changes", "name", "expected", "words"),
    [
        ({}, "start", "fine", "connected after 200 ms, in the full protocol"),
        (
            {"introduction": Introduction(name=None, protocol=None), "starts_s": [1.2]},
            "start",
            "note",
            "without saying who",
        ),
        (
            {"introduction": Introduction(name="pass", protocol=1), "reserved": frozenset({"pass"})},
            "name",
            "mend",
            "reserved",
        ),
        ({"introduction": Introduction(name="else", protocol=1)}, "name", "note", "'else'; here it is mine"),
        ({"asked": []}, "answers", "open", "never asked"),
        (
            {"possible": frozenset({"Go"}), "kinds": ("Go", "Stay", "Jump")},
            "questions",
            "note",
            "Jump cannot come up",
        ),
        ({"possible": frozenset({"Jump"}), "kinds": ("Go", "Jump")}, "questions", "note", "never with Jump"),
        ({"seats": (2, 3, 4)}, "questions", "fine", "2 and 3 seats"),
        ({"memory_bytes": [20 << 20, 60 << 20]}, "memory", "mend", "of the 100 MB"),
        (
            {"memory_mb": 2048, "memory_bytes": [20 << 20] * 5 + [60 << 20] * 5},
            "memory",
            "mend",
            "40 MB more",
        ),
        ({"printed": [Printed(octets=500, tail="move 3")]}, "output", "note", "'move 3'"),
        ({"printed": [Printed(octets=1 << 20, tail="x" * 999)]}, "output", "mend", "1 MB"),
        ({"printed": [Printed(octets=300 << 10, tail="x")]}, "output", "mend", "300 kB printed"),
        ({"printed": [Printed(octets=50, stray=2)]}, "output", "mend", "2 lines on standard output"),
        ({"notes": {"not a JSON object": 3}}, "output", "note", "3 times"),
        ({"endings": [Ending(took_s=1.1, by="SIGTERM")]}, "bye", "mend", "but by SIGTERM"),
        ({"endings": [Ending(took_s=0.1, by="itself", exception="EOFError")]}, "bye", "note", "EOFError"),
        (
            {"first_moves": {"play": [1, 2], "fresh": [1, 3], "again": [1, 2]}},
            "seed",
            "note",
            "question 2 in a fresh",
        ),
        ({"after_loss": ""}, "connection", "open", "could not be tried"),
        ({"after_loss": "came back"}, "connection", "fine", "played on"),
    ],
)
def test_what_is_said_of_it(changes, name, expected, words):
    """Each finding has its standing, and says what was seen."""
    (point, *_) = [point for point in check_points(seen(**changes)) if point.name == name]
    assert expected == point.standing
    assert words in point.said


def test_lateness_of_the_arena_is_not_charged():
    """A bot that was late while the arena was is told so, and has nothing to mend."""
    late_one = Asked(
        stage="play",
        seats=2,
        kinds=("Go",),
        limit_s=1.0,
        is_first=False,
        fault="too_late",
        reason="r",
        is_lagged=True,
    )
    found = seen(asked=[*SEEN.asked, late_one])
    assert "note" == standing(found, "time")
    assert "mend" == standing(seen(asked=[attrs.evolve(late_one, is_lagged=False)]), "time")


def test_a_plan_of_seats_in_words():
    """A range if it is one."""
    assert ["2", "2 and 3", "2 to 4", "2, 4 and 5"] == [
        number_range(numbers) for numbers in ((2,), (2, 3), (2, 3, 4), (2, 4, 5))
    ]


def test_the_same_as_data():
    """For programs: whether it is fine, the points, the figures."""
    told = json.loads(json.dumps(check_json(SEEN, check_points(SEEN))))
    assert told["ok"] is True
    assert {"Go": 4, "Stay": 4} == told["options"]
    assert {"start", "answers", "time"} <= {point["name"] for point in told["points"]}


# In earnest.

STICKY = """
import json, os, socket, sys, time
print("hello, I am awake", flush=True)
arena = socket.create_connection((os.environ["ARENA_HOST"], int(os.environ["ARENA_PORT"])))
arena.sendall(b'{"name": "sticky"}')
for line in arena.makefile():
    question = json.loads(line)
    is_mine = question["other_hands"][0][0] == "yourself"
    move = ("challenge" if question["last_bid"][1] else [2, 1]) if is_mine else "pass"
    arena.sendall(json.dumps({"message_id": question["message_id"], "move": move}).encode())
time.sleep(100)
"""


@pytest.mark.slow
def test_a_built_in_bot_is_fine(capsys, monkeypatch):
    """A real process in its box: exit code 0."""
    code, out, err = call(
        capsys, monkeypatch, "check", "truthful", "--json", "--max-time", "1s", "--rule", "dice=2"
    )
    told = json.loads(out)
    assert [] == [point for point in told["points"] if point["standing"] == "mend"], err
    assert 0 == code
    assert {"start", "life", "connection", "memory", "bye", "seed"} <= {
        point["name"] for point in told["points"]
    }


@pytest.mark.slow
def test_a_bot_that_does_not_end(capsys, monkeypatch, tmp_path):
    """Exit code 1, and what to do about it."""
    (tmp_path / "sticky.py").write_text(STICKY)
    words = ("check", str(tmp_path / "sticky.py"), "--max-time", "1s", "--rule", "dice=1", "-q")
    code, out, err = call(capsys, monkeypatch, *words)
    assert 1 == code
    assert "" == err
    lines = {line.split()[1]: line for line in out.splitlines() if line.startswith(("ok", "FIX", "note"))}
    assert ["bye", "connection"] == sorted(name for name, line in lines.items() if line.startswith("FIX"))
    assert "I am awake" in out
    assert "2 points to fix" in out


@pytest.mark.slow
def test_a_bot_that_crashes_at_its_start(capsys, monkeypatch, tmp_path):
    """Its exception and the end of its log."""
    (tmp_path / "mine.py").write_text("hands = {}\nhands['mine']\n")
    code, out, _ = call(capsys, monkeypatch, "check", str(tmp_path / "mine.py"))
    assert 1 == code
    assert "cannot play: its process ended with exit code 1: KeyError: 'mine'" in out
    assert "| KeyError: 'mine'" in out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("recipe", "said", "advice"),
    [
        (
            'run = "node bot.js"',
            "cannot run node: No such file or directory",
            "install node (Debian: apt-get install nodejs)",
        ),
        (
            'build = "cargo build"\nrun = "./bot"',
            "its build failed with exit code 127: sh -c cargo build: sh: 1: cargo: not found",
            "install cargo (Debian: apt-get install cargo)",
        ),
        (
            'run = "python9 bot.py"',
            "cannot run python9: No such file or directory",
            "install python9, or mend the command",
        ),
        (
            'run = "./nothing"',
            "cannot run ./nothing: No such file or directory",
            "mend the command, or put the file there",
        ),
        ('run = "./bot.py"', "cannot run ./bot.py: Permission denied", "chmod +x ./bot.py"),
        (
            'build = "exit 3"\nrun = "./bot"',
            "its build failed with exit code 3: sh -c exit 3",
            "its build printed nothing; it was started as in a run here: without a box, with your permissions",
        ),
    ],
)
def test_a_bot_whose_program_never_ran(recipe, said, advice, capsys, monkeypatch, tmp_path):
    """Nothing is said of connecting; a run gives the same remedy."""
    folder, programs = tmp_path / "mine", tmp_path / "programs"
    folder.mkdir()
    programs.mkdir()
    (programs / "sh").symlink_to("/bin/sh")
    monkeypatch.setenv("PATH", str(programs))
    monkeypatch.chdir(tmp_path)
    (folder / "bot.toml").write_text(f"{recipe}\n")
    (folder / "bot.py").write_text("print(1)\n")
    code, out, err = call(capsys, monkeypatch, "check", "./mine", "--sandbox", "off", "--json")
    assert 1 == code, err
    (point,) = json.loads(out)["points"]
    assert (f"cannot play: {said}", advice) == (point["said"], point["advice"])
    code, _, err = call(capsys, monkeypatch, "run", "./mine", "random", "--sandbox", "off", "-q")
    assert 2 == code
    assert f"  ./mine: {said}" in err
    assert ("printed" in advice) or f"; {advice}" in err


@pytest.mark.parametrize("is_boxed", [True, False])
def test_what_is_said_of_the_box_in_which_a_bot_could_not_be_started(is_boxed):
    """Without a box nothing is hidden from it."""
    found = CheckFindings(bot="mine", game="x", title="X", seats=(2,), broken="ended", is_boxed=is_boxed)
    (point,) = check_points(found)
    assert is_boxed == ("sees neither results nor other bots" in point.advice)
    assert is_boxed != ("without a box, with your permissions" in point.advice)


@pytest.mark.slow
def test_the_way_on_is_said_as_one_types_it(capsys, monkeypatch):
    """A check that ran out of time names the option that gives it more, in its text and in its JSON."""
    words = ("check", "random", "--game", "holdem", "--max-time", "1s", "--json")
    _, out, err = call(capsys, monkeypatch, *words)
    points = json.loads(out)["points"]
    advice = {point["advice"] for point in points if "never asked at" in point["said"]}
    assert {"give it more time; --max-time 60s is longer"} == advice, err
    assert {"name", "standing", "said", "advice"} == set(points[0])


def test_a_bot_of_this_process(capsys, monkeypatch, tmp_path):
    """It is checked as it is; what it prints does not get into the verdict's JSON."""
    bot = "from arena.sdk import Bot, choose\nclass Mine(Bot):\n    def move(self, state, options):\n"
    bot += "        print('thinking')\n        return choose(options, self.rng)\n"
    (tmp_path / "chatty_check_bot.py").write_text(bot)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    words = ("check", "chatty_check_bot:Mine", "--json", "--rule", "dice=1", "--max-time", "1s")
    code, out, err = call(capsys, monkeypatch, *words)
    assert 0 == code, err
    assert json.loads(out)["ok"] is True
