"""Before play: who is waited for, how long, and what happens then."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from types import SimpleNamespace

import pytest
import trio
from tournaments import Record, opened
from trio.testing import memory_stream_pair, wait_all_tasks_blocked

from arena.errors import ConfigError
from arena.games.bluff import Bluff
from arena.games.holdem import Holdem
from arena.players.transport import StreamTransport
from arena.tournament.bots.entrants import remote
from arena.tournament.lobby.gather import TOGETHER_S, gather, open_lobby
from arena.tournament.lobby.lobby import Lobby
from arena.tournament.play.summary import Summary


class NoInstances:
    """Starts nobody."""

    box = None

    async def try_all(self, leave_out=(), tell=None):
        return []


class Impatient(Record):
    """Fails rather than being told the same for ever."""

    def waiting(self, address, missing):
        super().waiting(address, missing)
        assert len(self.waits) < 10


class Gathering:
    """`gather` on its way, with a lobby in virtual time."""

    def __init__(self, setup, nursery, stops_at, told):
        plan = setup.plan
        self.lobby = Lobby(tokens=setup.tokens, expect=plan.expect, name_wait_s=plan.name_wait_s)
        self.told, self.names = told or Record(), None
        self._nursery = nursery
        self._how = (setup, SimpleNamespace(instances=NoInstances()), self.lobby, self.told, Summary())
        nursery.start_soon(self._gather, stops_at)

    async def _gather(self, stops_at):
        self.names = await gather(*self._how, stops_at=stops_at)

    @staticmethod
    async def _answer(stream):
        await stream.receive_some()
        await stream.send_all(b'{"message_id": "1", "move": 0}')

    async def come(self, said, *, leaves=False, answers=True):
        """A plain bot connects, says this if anything, and closes at once if it `leaves`.

        One that says nothing `answers` its first question.
        """
        stream, theirs = memory_stream_pair()
        transport = StreamTransport(theirs)
        transport.peer = "10.0.0.1"
        self._nursery.start_soon(self.lobby.serve, transport)
        if said is not None:
            await stream.send_all(json.dumps(said).encode())
        elif answers:
            self._nursery.start_soon(self._answer, stream)
        if leaves:
            await stream.aclose()
        await wait_all_tasks_blocked()
        return stream


@asynccontextmanager
async def gathering(folder, entrants=(), *, stops_at=float("inf"), told=None, **plan):
    with opened(folder, entrants, **plan) as setup:
        async with trio.open_nursery() as nursery:
            yield Gathering(setup, nursery, stops_at, told)
            nursery.cancel_scope.cancel()


async def test_who_leaves_as_soon_as_it_has_come_is_not_played_with(tmp_path, autojump_clock):
    """Two strangers say a name and close in the same moment: the run waits on, and begins with the living."""
    async with gathering(tmp_path / "out", expect=2) as run:
        for name in ("ghost", "spook", "ghost"):
            await run.come({"name": name}, leaves=True)
        await trio.sleep(10)
        assert run.names is None
        await run.come({"name": "ann"})
        await run.come({"name": "bob"})
        await trio.sleep(1)
        assert ["ann", "bob"] == run.names


async def test_the_last_place_is_not_filled_by_one_that_closes(tmp_path, autojump_clock):
    """What comes in together with its own end is heard before play begins."""
    async with gathering(tmp_path / "out", expect=2) as run:
        await run.come({"name": "ann"})
        await run.come({"name": "ghost"}, leaves=True)
        await trio.sleep(10)
        assert run.names is None


async def test_a_silent_stranger_does_not_begin_the_run(tmp_path, autojump_clock):
    """A scanner is silent for nine seconds, bob says his name in the tenth: he plays."""
    async with gathering(tmp_path / "out", expect=2) as run:
        await run.come({"name": "ann"})
        await run.come(None)
        await trio.sleep(9)
        assert run.names is None
        await run.come({"name": "bob"})
        await trio.sleep(1)
        assert ["ann", "bob"] == run.names


async def test_bots_that_say_nothing_play_in_the_end(tmp_path, autojump_clock):
    """The document of the game allows them; people see who plays, and from where."""
    async with gathering(tmp_path / "out", expect=2) as run:
        await run.come({"name": "ann"})
        await run.come(None)
        await trio.sleep(11)
        assert ["ann", "bot-1"] == run.names
        assert "play begins with ann (10.0.0.1), bot-1 (10.0.0.1, silent so far)" in run.told.notes


async def test_who_waits_for_a_name_does_nothing(tmp_path):
    """Where a bot with a token is missing and no place is free, the arena sleeps until somebody comes."""
    async with gathering(tmp_path / "out", [remote("ann")], tokens={"hers": "ann"}, seats=2) as run:
        for _ in range(20):
            await trio.lowlevel.checkpoint()
        assert [("", ("ann",))] == run.told.waits


async def test_the_waiting_ends(tmp_path, autojump_clock):
    """After --wait those play who came, if they fill a table, and it is said who did not come."""
    entrants, tokens = (remote("carol"),), {"secret": "carol"}
    async with gathering(tmp_path / "out", entrants, tokens=tokens, expect=3, wait=30.0) as run:
        await run.come({"name": "ann"})
        await run.come(None)
        await trio.sleep(29)
        assert run.names is None
        passing_by = await run.come(None, answers=False)
        await trio.sleep(2)
        assert ["ann", "bot-1"] == run.names
        with trio.fail_after(5):
            assert b"play has begun" in await passing_by.receive_some()
        assert "carol and 1 more did not connect within 30s (wait)" in run.told.notes


async def fails(run_for_s, *said, **how):
    """What ends the gathering, as a sentence."""
    with pytest.RaisesGroup(pytest.RaisesExc(ConfigError), flatten_subgroups=True) as raised:
        async with gathering(**how) as run:
            for words in said:
                await run.come(words)
            await trio.sleep(run_for_s)
    return str(raised.value.exceptions[0])


async def test_too_few_came(tmp_path, autojump_clock):
    """One sentence that names who is missing; nothing is played, nor said to begin."""
    told = Record()
    sentence = await fails(
        31,
        {"name": "ann"},
        folder=tmp_path / "out",
        entrants=(remote("carol"),),
        tokens={"secret": "carol"},
        expect=3,
        wait=30.0,
        told=told,
    )
    assert not [note for note in told.notes if "play begins" in note or "did not connect" in note]
    assert (
        "carol and 2 more did not connect within 30s (wait); 1 of the bots can play, and a table has 2 seats: "
        "nothing was played"
    ) == sentence


async def test_the_time_of_the_run_counts_from_its_start(tmp_path, autojump_clock):
    """--max-time is over while bots are waited for."""
    sentence = await fails(
        61,
        {"name": "ann"},
        folder=tmp_path / "out",
        stops_at=60.0 + trio.current_time(),
        expect=2,
        max_time=60.0,
    )
    assert "1m (max_time) ran out before 1 more connected: nothing was played" == sentence


async def test_the_time_is_over_in_the_moment_in_which_all_are_there(tmp_path, autojump_clock):
    """Nobody is missing then, so it is the run that says so."""
    async with gathering(tmp_path / "out", stops_at=trio.current_time() + 0.02, expect=2) as run:
        await run.come({"name": "ann"})
        await run.come({"name": "bob"})
        await trio.sleep(1)
        assert ["ann", "bob"] == run.names


async def test_silent_ones_fill_the_places_while_a_bot_with_a_token_is_waited_for(tmp_path, autojump_clock):
    """All other places are filled, by silent ones too: people are told when that changes, not for ever."""
    entrants, tokens = (remote("carol"),), {"secret": "carol"}
    how = {"tokens": tokens, "told": Impatient(), "expect": 1}
    async with gathering(tmp_path / "out", entrants, **how) as run:
        await run.come(None)
        await trio.sleep(3600)
        assert [("carol", "1 more"), ("carol", "1 more"), ("carol",)] == [who for _, who in run.told.waits]
        await run.come({"token": "secret"})
        await trio.sleep(1)
        assert ["carol", "bot-1"] == run.names


@pytest.mark.slow
async def test_who_comes_and_goes_for_ever_fills_no_screen(tmp_path, autojump_clock):
    """People are told who is missing so many times and no more."""
    async with gathering(tmp_path / "out", expect=3) as run:
        for _ in range(600):
            await run.come({"name": "moth"}, leaves=True)
            await trio.sleep(TOGETHER_S)
        assert 500 == len(run.told.waits)


async def test_many_that_come_together_are_told_in_few_lines(tmp_path, autojump_clock):
    """Neither a line for each of hundreds of bots, nor one line with all their names."""
    async with gathering(tmp_path / "out", expect=200) as run:
        for number in range(200):
            await run.come({"name": f"moth{number:03}"})
        await trio.sleep(1)
        assert len(run.told.waits) < 20
        (begins,) = (note for note in run.told.notes if note.startswith("play begins with"))
        assert begins.endswith("moth039 (10.0.0.1) and 160 more")


@pytest.mark.parametrize(
    ("game", "is_refused"), [(Bluff(), True), (Holdem(), False)], ids=["bluff", "holdem"]
)
async def test_a_name_is_reserved_in_the_games_that_use_the_word(tmp_path, game, is_refused):
    """Who connects as `bluff` is sent away from Bluff, where that is a move, and may play Hold'em."""
    with opened(tmp_path / "out", (), expect=2, game=game) as run:
        async with trio.open_nursery() as nursery:
            lobby = open_lobby(run, nursery, Record(), None, print)
            stream, theirs = memory_stream_pair()
            transport = StreamTransport(theirs)
            transport.peer = "10.0.0.1"
            nursery.start_soon(lobby.serve, transport)
            await stream.send_all(b'{"name": "bluff"}')
            await wait_all_tasks_blocked(0.01)
            assert is_refused == (not lobby.players)
            if is_refused:
                assert b"'bluff' is a reserved word" in await stream.receive_some()
            nursery.cancel_scope.cancel()
