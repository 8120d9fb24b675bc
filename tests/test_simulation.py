"""Whole tournaments in virtual time between bots that misbehave in every way: nothing breaks."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
import trio
import trio.testing
from daily import NIGHTLY
from hypothesis import given, settings
from hypothesis import strategies as st
from round_robins import round_robin

from arena.errors import FAULT_KINDS
from arena.games.liars_dice import LiarsDice
from arena.games.liars_dice.moves import Forfeit
from arena.match.clock import Control
from arena.match.game import CHANCE, Seat
from arena.match.record import pack, unpack
from arena.match.scoring import points
from arena.players.stream import StreamPlayer
from arena.referee import Conduct, Seating, play_match
from arena.schedule import bot_seed
from arena.telling.replay import replay
from arena.testing import MISBEHAVIOURS, connect, gone, honest, illegal, seat_bots

BEHAVIOURS = {**MISBEHAVIOURS, "illegal": illegal([1, 99]), "comes_back": gone(2)}
GAME = LiarsDice(dice=2, turns_max=60)
CONTROL = Control(move_s=1.0, bank_s=20.0, increment_s=0.5, first_s=2.0)
FAULTS_MAX = 3
WELL_BEHAVED = {"honest", "honest-2", "telling_twice", "chopped"}
COMES_BACK_AFTER_S = 0.4


def plain_move(question):
    """A move as the document has it: a bid while one is possible, else a challenge; off turn to pass."""
    hands, (face, count) = question["other_hands"], question["last_bid"]
    if hands[0][0] != "yourself":
        return "pass"
    if count == sum(dice for _, dice in hands):
        return "challenge"
    return [face + 1, count] if 0 < face < 6 else [1, count + 1]


async def come_back(player: StreamPlayer, move) -> None:
    """Connects again whenever the connection is lost."""
    async with trio.open_nursery() as nursery:
        while not player.is_gone:
            await trio.sleep(COMES_BACK_AFTER_S)
            if not player.is_connected:
                await nursery.start(connect, player, BEHAVIOURS["comes_back"], Random(1), move)


async def tournament(names, seats, plain, seed):
    """Every match of a round-robin between these bots, each one instance for the whole of it."""
    behaviours = {name: BEHAVIOURS.get(name, honest) for name in names}
    moves = {name: plain_move for name in names if name in plain}
    played = []
    async with (
        seat_bots(behaviours, rng=Random(seed), plain=moves, reconnect_s=2.0) as players,
        trio.open_nursery() as nursery,
    ):
        if "comes_back" in players:
            nursery.start_soon(come_back, players["comes_back"], moves.get("comes_back"))
        schedule = round_robin(names, game=GAME.name, seats=seats, series=1, seed=seed, deals="same")
        for pairing in schedule:
            record = await play_match(
                GAME,
                [players[bot] for bot in pairing.bots],
                seed=pairing.seed,
                control=CONTROL,
                conduct=Conduct(FAULTS_MAX),
                seating=Seating(
                    "m", pairing.bots, tuple(bot_seed(seed, "m", seat) for seat in range(len(pairing.bots)))
                ),
            )
            played.append((pairing, record))
        nursery.cancel_scope.cancel()
    return played


def simulate(*arguments):
    """The tournament in virtual time."""
    return trio.run(tournament, *arguments, clock=trio.testing.MockClock(autojump_threshold=0))


def check(pairing, record):
    """What must hold for every match, whoever played."""
    seats = len(pairing.bots)
    *_, last = replay(GAME, seats, record.turns)
    assert GAME.to_act(last.state) == ()
    assert record.ranks == GAME.ranks(last.state)
    assert record.returns == GAME.returns(last.state)
    assert record.turns == unpack(GAME, pack(GAME, record.turns))
    assert 0 == pytest.approx(sum(record.returns))
    assert seats / 2 == pytest.approx(sum(points(record.ranks)))
    moves = [(turn, seat, move) for turn, moves in enumerate(record.turns) for seat, move in moves.items()]
    decided = [(decision.turn, decision.seat, decision.move) for decision in record.decisions]
    assert [move for move in moves if move[1] != CHANCE] == decided
    faults = Counter()
    for decision in record.decisions:
        assert decision.asked == (faults[decision.seat] < FAULTS_MAX)
        assert (decision.fault is not None or not decision.asked) == (decision.move == Forfeit())
        assert bool(decision.reason) == (decision.fault is not None)
        assert decision.elapsed_s <= 2.0 or decision.fault is not None
        faults[decision.seat] += decision.fault is not None
    assert record.abandoned == tuple(faults[Seat(seat)] == FAULTS_MAX for seat in range(seats))
    assert len(record.capsules) == sum(faults.values())
    for seat, bot in enumerate(pairing.bots):
        assert bot not in WELL_BEHAVED or not faults[Seat(seat)], f"{bot} was blamed"


@pytest.mark.slow
@settings(max_examples=25)
@given(
    names=st.lists(st.sampled_from([*BEHAVIOURS, "honest-2"]), min_size=3, max_size=4, unique=True),
    seats=st.sampled_from([2, 3]),
    plain=st.sets(st.sampled_from([*BEHAVIOURS, "honest-2"])),
    seed=st.integers(0, 2**128 - 1),
)
def test_any_tournament(names, seats, plain, seed):
    """Whoever plays whom: records equal their replays, money is conserved, and nobody good is blamed."""
    for pairing, record in simulate(names, seats, plain, seed):
        check(pairing, record)


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize(
    "plain",
    [
        pytest.param(set(), id="full protocol", marks=NIGHTLY),
        pytest.param(set(BEHAVIOURS), id="plain"),
    ],
)
def test_every_fault_occurs(plain):
    """Everyone against everyone: all four kinds of fault are recorded, each for the bots that earn it."""
    played = simulate(sorted(BEHAVIOURS), 2, plain, 7)
    kinds = {}
    for pairing, record in played:
        check(pairing, record)
        for decision in record.decisions:
            if decision.fault is not None:
                kinds.setdefault(pairing.bots[decision.seat], set()).add(decision.fault)
    assert set(FAULT_KINDS) == set().union(*kinds.values())
    expected = {
        "late": {"too_late"},
        "silent": {"too_late"},
        "dripping": {"too_late"},
        "half_said": {"too_late"},
        "rude": {"malformed", "too_late"},  # junk after junk is one broken value, up to the next brace
        "wrong_types": {"malformed"},
        "wrong_ids": {"malformed"},
        "illegal": {"illegal"},
        "never_reading": {"gone"},
        "gone": {"gone"},
    }
    assert expected == {bot: found for bot, found in kinds.items() if bot in expected}
    assert not WELL_BEHAVED & set(kinds)
    assert "comes_back" not in kinds, "who is back in time has lost nothing but time"


def test_the_same_seed_the_same_tournament():
    """Bots that are right or wrong by rule and by their seed, never by the clock, play the same again."""
    names = ["honest", "rude", "illegal"]
    first, second = (simulate(names, 3, {"rude"}, 11) for _ in range(2))
    assert [record.turns for _, record in first] == [record.turns for _, record in second]
    assert [record.ranks for _, record in first] == [record.ranks for _, record in second]
