"""The tools for authors find what they promise to find."""

from __future__ import annotations

from random import Random

import attrs
import pytest
import trio
from toys import Bet, Hut, Nothing, Secret, Toy

from arena.games.liars_dice import LiarsDice
from arena.match.game import CHANCE, Seat
from arena.players.base import GonePlayer
from arena.players.desk import Reply
from arena.players.local import LocalPlayer
from arena.sdk import Bot
from arena.testing import (
    MISBEHAVIOURS,
    SILENCE,
    After,
    Fail,
    ScriptedPlayer,
    check_game,
    check_player,
    honest,
    play_once,
    random_match,
    seat_bots,
)


class Honest(Bot):
    def move(self, state, options):
        return "nothing"


async def test_good_players_pass():
    """A player of each kind that can be made here."""
    await check_player(ScriptedPlayer("scripted"), LiarsDice())
    await check_player(LocalPlayer("local", Honest()), Toy())


async def test_a_stream_player_passes(autojump_clock):
    """Over a connection too."""
    async with seat_bots({"bot": honest}) as players:
        await check_player(players["bot"], LiarsDice(dice=2))


class Early(ScriptedPlayer):
    def ask(self, question, slot):
        slot.note_sent(trio.current_time())
        slot.settle(Reply(Hut(), slot.asked_at - 1.0, slot.asked_at))


class Secretive(ScriptedPlayer):
    def ask(self, question, slot):
        now = trio.current_time()
        slot.settle(Reply(Hut(), now, now))


class Mute(ScriptedPlayer):
    def evidence(self):
        return ("no object",)


@pytest.mark.parametrize(
    ("player", "says"),
    [
        (GonePlayer("a", "exploded"), "a: gone .exploded."),
        (ScriptedPlayer("a", [Bet(11)]), "a: illegal"),
        (ScriptedPlayer("a", [Hut(), Fail("malformed", "junk")]), "a: malformed .junk."),
        (ScriptedPlayer("a", [SILENCE]), "a: too_late"),
        (Early("a"), "its times run backwards"),
        (Secretive("a"), "does not say when a question was handed over"),
        (Mute("a"), "not a JSON object"),
    ],
    ids=["gone", "illegal", "malformed", "silent", "early", "secretive", "mute"],
)
async def test_bad_players_are_found(player, says, autojump_clock):
    """Each with a sentence that says what is wrong."""
    with pytest.raises(AssertionError, match=says):
        await check_player(player, Toy())


async def test_a_script(autojump_clock):
    """A list is played to its end, then the first option's least move."""
    player = ScriptedPlayer("a", [Bet(7), Hut()])
    record = await play_once(Toy(turns=4), [player, ScriptedPlayer("b")])
    assert [Bet(7), Hut(), Nothing(), Nothing()] == [turn[Seat(0)] for turn in record.turns[1:]]
    assert (1, 4, 5, 1) == tuple(map(len, (player.starts, player.questions, player.events, player.results)))


async def test_a_script_in_time(autojump_clock):
    """An answer may come after a time; one that comes after its time is dropped."""
    async with trio.open_nursery() as nursery:
        script = iter([After(0.5, Hut()), After(11.0, Bet(1)), After(0.1, Bet(2))])
        player = ScriptedPlayer("a", lambda _: next(script), nursery=nursery)
        record = await play_once(Toy(turns=3), [player, ScriptedPlayer("b")])
        nursery.cancel_scope.cancel()
    assert [None, "too_late", None] == [d.fault for d in record.decisions if d.seat == 0]
    assert Bet(2) == record.turns[3][Seat(0)]


@pytest.mark.parametrize("name", MISBEHAVIOURS)
async def test_every_misbehaviour_ends_with_its_match(name, autojump_clock):
    """A bot of each kind plays a match to its end, in any game that tells its options."""
    async with seat_bots({name: MISBEHAVIOURS[name], "good": honest}, rng=Random(1)) as players:
        record = await play_once(LiarsDice(dice=1), list(players.values()))
    assert {None} == {decision.fault for decision in record.decisions if decision.seat == 1}
    well_behaved = {"telling_twice", "chopped", "honest"}
    faults = {decision.fault for decision in record.decisions if decision.seat == 0} - {None}
    assert (name in well_behaved) == (not faults)


@pytest.mark.slow
def test_games_are_checked_here_too():
    """The contract test of games is part of the same module."""
    check_game(Toy(turns=1), matches=2, seats=2)
    assert list(random_match(Toy(turns=2), 2, Random(1)))


class Gossip(Toy):
    """A toy that tells everybody the secret of seat 0."""

    def apply(self, state, moves):
        step = super().apply(state, moves)
        if CHANCE not in moves:
            return step
        (dealt,) = step.events
        return attrs.evolve(step, events=(attrs.evolve(dealt, public=Secret(step.state.secrets[0])),))


class Whisper(Toy):
    """A toy that tells nobody that secrets were given out."""

    def apply(self, state, moves):
        step = super().apply(state, moves)
        events = tuple(
            attrs.evolve(event, public=None) if CHANCE in moves else event for event in step.events
        )
        return attrs.evolve(step, events=events)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        (Gossip, "the event secret tells (a spectator|seat [01]) what no observation says"),
        (Whisper, "a deal needs a public event"),
    ],
)
def test_a_game_must_not_tell_more_or_less_than_it_shows(kind, sentence):
    """An event that tells what only its owner observes is found, and so is a deal that nobody is told of."""
    with pytest.raises(AssertionError, match=sentence):
        check_game(kind(turns=1), matches=2, seats=2)
