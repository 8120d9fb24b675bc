"""A match that was cut short goes on as if nothing had happened: same moves, same banks, same faults."""

from __future__ import annotations

from random import Random

import attrs
import pytest
import trio
from toys import Deal, Hut, Nothing, Toy

from arena.games.blef import Blef
from arena.games.bluff import Bluff
from arena.games.chamber import Chamber
from arena.games.holdem import Holdem
from arena.games.liars_dice import LiarsDice
from arena.match.clock import Control
from arena.match.game import CHANCE, IllegalMove, Seat
from arena.match.record import Decision
from arena.referee import TURNS_BETWEEN_CHECKPOINTS, Resumption
from arena.testing import SILENCE, After, Fail, ScriptedPlayer, play_once

CONTROL = Control(move_s=2.0, bank_s=8.0, increment_s=0.25, first_s=4.0)
"""Times are binary fractions here, so that sums of them are exact and can be compared."""

HOW = {"seed": 7, "control": CONTROL, "faults_max": 2}

GAMES = [
    (LiarsDice(dice=2), 3),
    (Blef(), 2),
    (Bluff(plays_max=14), 3),
    (Holdem(stack=400, hands=5), 3),
    (Chamber(lives=2, items_per_round=2), 3),
]


def habit(question):
    """What a player does depends on the question alone, so that a new one in its seat does the same."""
    rng = Random(repr(question.observation))
    luck = rng.random()
    if luck < 0.05:
        return Fail("gone", "hung up")
    if luck < 0.10:
        return Fail("malformed")
    if luck < 0.15:
        return SILENCE
    if luck < 0.20:
        return "no move of this game"
    move = rng.choice(question.options).sample(rng)
    return After(rng.choice((0.25, 0.5, 1.5)), move) if luck < 0.4 else move


def seated(seats, nursery, answered=()):
    """Such players, the first of whom is never abandoned and the second of whom is further away."""
    players = []
    for seat in range(seats):
        player = ScriptedPlayer(f"bot-{seat}", habit, nursery=nursery, margin_s=0.25 * (seat == 1))
        player.is_forgiven = seat == 0
        player.has_answered = seat in answered
        players.append(player)
    return players


@pytest.mark.parametrize(("game", "seats"), GAMES, ids=lambda value: getattr(value, "name", ""))
async def test_a_match_cut_anywhere_ends_like_the_uncut_one(game, seats, autojump_clock):
    """After every prefix: what is recorded, what is asked with which bank, and what is told and watched."""
    async with trio.open_nursery() as nursery:
        uncut, watched = seated(seats, nursery), []
        whole = await play_once(game, uncut, **HOW, watch=lambda turn, step: watched.append((turn, step)))
        assert any(decision.fault for decision in whole.decisions)
        for cut in range(len(whole.turns) + 1):
            prefix = tuple(decision for decision in whole.decisions if decision.turn < cut)
            answered = {each.seat for each in prefix if each.asked and each.fault != "gone"}
            players, seen = seated(seats, nursery, answered), []
            record = await play_once(
                game,
                players,
                **HOW,
                watch=lambda turn, step, seen=seen: seen.append((turn, step)),
                resumption=Resumption(whole.turns[:cut], prefix),
            )
            capsules = tuple(each for each in whole.capsules if each.decision.turn >= cut)
            assert [(c.decision, c.number) for c in capsules] == [
                (c.decision, c.number) for c in record.capsules
            ]
            kept = {"duration_s": 0.0, "capsules": ()}
            assert attrs.evolve(whole, **kept) == attrs.evolve(record, **kept), f"cut after {cut} turns"
            assert watched[cut:] == seen
            for player, before in zip(players, uncut, strict=True):
                asked = len(player.questions)
                assert before.questions[len(before.questions) - asked :] == player.questions
                assert before.events[len(before.events) - len(player.events) :] == player.events
                assert 1 == len(player.starts)
                assert before.results == player.results
        nursery.cancel_scope.cancel()


async def test_the_matches_that_are_cut_have_it_all(autojump_clock):
    """Every kind of fault, banks that matter, and seats that are abandoned: else the test above shows little."""
    found, abandoned, banks, forgiven = set(), [], set(), 0
    async with trio.open_nursery() as nursery:
        for game, seats in GAMES:
            players = seated(seats, nursery)
            record = await play_once(game, players, **HOW)
            found |= {decision.fault for decision in record.decisions}
            abandoned += [seat for seat, is_so in enumerate(record.abandoned) if is_so]
            banks |= {question.bank_s for player in players for question in player.questions}
            forgiven = max(forgiven, len(players[0].blamed))
            assert 10 <= len(record.turns) < 100, game.name
        nursery.cancel_scope.cancel()
    assert {None, "too_late", "malformed", "illegal", "gone"} == found
    assert abandoned
    assert 0 not in abandoned, "whoever is forgiven is not abandoned"
    assert forgiven > HOW["faults_max"]
    assert len(banks) > 10


async def test_a_new_instance_has_the_time_of_its_first_answer_again(autojump_clock):
    """A program that was started anew has to warm up: that answer is free as well."""
    async with trio.open_nursery() as nursery:
        before = ScriptedPlayer("a", lambda _: After(1.0, Hut()), nursery=nursery)
        whole = await play_once(Toy(turns=4), [before, None], control=CONTROL)
        after = ScriptedPlayer("a", lambda _: After(3.0, Hut()), nursery=nursery)
        prefix = tuple(decision for decision in whole.decisions if decision.turn < 3)
        resumption = Resumption(whole.turns[:3], prefix)
        record = await play_once(Toy(turns=4), [after, None], control=CONTROL, resumption=resumption)
        assert [8.0, 8.25, 7.5, 6.75] == [question.bank_s for question in before.questions]
        assert [7.5, 7.75] == [question.bank_s for question in after.questions]
        assert [4.0, 2.0] == [question.limit.time_s for question in after.questions]
        assert [None, "too_late"] == [each.fault for each in record.decisions if each.seat == 0][2:]


async def test_an_instance_that_had_answered_before_the_match_has_paid_for_all_its_answers(autojump_clock):
    """Only the first answer of its life was free, and that was in an earlier match."""
    prefix = (Decision(1, Seat(0), Nothing(), 1.0), Decision(1, Seat(1), Nothing(), 1.0))
    turns = ({CHANCE: Deal((1, 2))}, {Seat(0): Nothing(), Seat(1): Nothing()})
    players = [ScriptedPlayer("a"), ScriptedPlayer("b")]
    resumption = Resumption(turns, prefix, had_answered=(False, True))
    await play_once(Toy(turns=2), players, control=CONTROL, resumption=resumption)
    assert [8.25, 7.25] == [player.questions[0].bank_s for player in players]


async def test_who_was_gone_has_its_first_answer_still_before_it(autojump_clock):
    """A question that never reached it was not its first: the one after it is free as well, as it was then."""
    gone = Decision(1, Seat(0), Nothing(), 1.0, "gone", "hung up")
    prefix = (gone, Decision(2, Seat(0), Nothing(), 1.0), Decision(3, Seat(0), Nothing(), 1.0))
    turns = ({CHANCE: Deal((1, 2))}, *[{Seat(0): Nothing(), Seat(1): Nothing()}] * 3)
    player = ScriptedPlayer("a")
    await play_once(Toy(turns=4), [player, None], control=CONTROL, resumption=Resumption(turns, prefix))
    assert 8.0 + 0.25 + 0.25 + 0.25 - 1.0 == player.questions[0].bank_s


async def test_the_moves_of_chance_are_taken_from_the_turns(autojump_clock):
    """Not drawn anew: what was dealt stays dealt, whatever the seed says."""
    turns = ({CHANCE: Deal((7, 8))},)
    players = [ScriptedPlayer("a"), ScriptedPlayer("b")]
    record = await play_once(Toy(turns=1), players, seed=5, resumption=Resumption(turns, ()))
    assert turns == record.turns[:1]
    assert [7, 8] == [player.questions[0].observation.secret for player in players]
    assert [["said"], ["said"]] == [[kind for kind, _ in player.events] for player in players]


async def test_who_was_not_there_is_told_of_the_turns(autojump_clock):
    """As if it had been, if the resumption asks for that: a match that others began goes on with new players."""
    uncut = [ScriptedPlayer("a"), ScriptedPlayer("b")]
    whole = await play_once(Toy(turns=3), uncut)
    cut = Resumption(whole.turns[:2], whole.decisions[:2], is_told=True)
    players = [ScriptedPlayer("a"), ScriptedPlayer("b")]
    await play_once(Toy(turns=3), players, resumption=cut)
    assert [player.events for player in uncut] == [player.events for player in players]
    assert uncut[0].events


async def test_the_lists_of_a_resumed_match_hold_all_of_it(autojump_clock):
    """`turns` and `decisions` begin with what was played before."""
    whole = await play_once(Toy(), [ScriptedPlayer("a"), ScriptedPlayer("b")])
    turns, decisions = [], []
    resumption = Resumption(whole.turns[:2], whole.decisions[:2])
    players = [ScriptedPlayer("a"), ScriptedPlayer("b")]
    await play_once(Toy(), players, turns=turns, decisions=decisions, resumption=resumption)
    assert (whole.turns, whole.decisions) == (tuple(turns), tuple(decisions))


async def test_a_turn_that_does_not_fit_the_rules(autojump_clock):
    """Raises what the rules raise, in the match's own task; `turns` holds it, and the players stand up."""
    turns = []
    players = [ScriptedPlayer("a"), ScriptedPlayer("b")]
    wrong = ({CHANCE: Deal((1, 2))}, {Seat(0): "no move", Seat(1): Hut()})
    with pytest.raises(IllegalMove, match="seat 0: no move"):
        await play_once(Toy(), players, turns=turns, resumption=Resumption(wrong, ()))
    assert wrong == tuple(turns)
    assert [1, 1] == [player.broken_off for player in players]
    assert [[], []] == [player.questions for player in players]


async def test_a_long_match_lets_others_on_while_it_is_resumed(autojump_clock):
    """Many turns are applied at once, and nobody has to wait for all of them."""
    ticks = 0

    async def tick():
        nonlocal ticks
        while True:
            ticks += 1
            await trio.lowlevel.checkpoint()

    whole = await play_once(Toy(turns=400), [None, None])
    async with trio.open_nursery() as nursery:
        nursery.start_soon(tick)
        resumption = Resumption(whole.turns, whole.decisions)
        record = await play_once(Toy(turns=400), [None, None], resumption=resumption)
        nursery.cancel_scope.cancel()
    assert whole.turns == record.turns
    assert ticks >= 400 // TURNS_BETWEEN_CHECKPOINTS - 1
