"""Each seat is judged by its own limit and the rules; what it failed is data, and nobody else pays for it."""

from __future__ import annotations

import json

import pytest
import trio
from toys import Bet, Deal, Forfeit, Hut, Nothing, Shoot, Toy

from arena.match.clock import Control
from arena.match.game import CHANCE, Seat
from arena.players.base import GonePlayer, Player
from arena.players.local import LocalPlayer
from arena.players.wrapped import WrappedPlayer
from arena.referee import REASON_MAX, TURNS_BETWEEN_CHECKPOINTS
from arena.sdk import Bot
from arena.telling.replay import replay
from arena.testing import SILENCE, After, Fail, ScriptedPlayer, honest, late, play_once, seat_bots

SWIFT = Control(move_s=1.0, first_s=1.0)


def of(record, seat):
    return [decision for decision in record.decisions if decision.seat == seat]


def kinds(record, seat):
    return [decision.fault for decision in of(record, seat)]


async def test_a_match_without_faults(autojump_clock):
    """Moves are recorded in order, the record replays to the same result, and everyone hears it."""
    players = [ScriptedPlayer("a", [Hut(), Bet(3), Nothing()]), ScriptedPlayer("b")]
    record = await play_once(Toy(), players)
    assert {CHANCE} == set(record.turns[0])
    assert [Hut(), Bet(3), Nothing()] == [turn[Seat(0)] for turn in record.turns[1:]]
    assert [1, 1, 2, 2, 3, 3] == [decision.turn for decision in record.decisions]
    *_, last = replay(Toy(), 2, record.turns)
    assert record.ranks == Toy().ranks(last.state) == (1, 1)
    assert record.returns == (0.0, 0.0)
    assert [({0: 1, 1: 1}, {0: 0.0, 1: 0.0})] == players[0].results
    assert (False, False) == record.abandoned


async def test_all_are_asked_before_anyone_is_waited_for(autojump_clock):
    """Two bots that think half a second each cost half a second together."""
    async with trio.open_nursery() as nursery:
        players = [ScriptedPlayer(name, lambda _: After(0.5, Hut()), nursery=nursery) for name in "ab"]
        began = trio.current_time()
        record = await play_once(Toy(turns=4), players)
    assert 4 * 0.5 == pytest.approx(trio.current_time() - began)
    assert [0.5] * 8 == pytest.approx([decision.elapsed_s for decision in record.decisions])


async def test_without_limits_a_bot_may_think_for_an_hour(autojump_clock):
    """Over a connection too: it is told that there is no limit, and its answers count."""
    async with seat_bots({"slow": late(3600.0), "quick": honest}) as players:
        peers = list(players.values())
        record = await play_once(Toy(turns=2), peers, control=Control(move_s=None))
    assert [None, None] == kinds(record, 0)
    assert 2 * 3600 <= record.duration_s < 2 * 3601
    assert [None, None] == [
        json.loads(line["text"])["time_s"] for line in peers[0].evidence() if '"ask"' in line["text"]
    ]


async def test_each_seat_is_judged_by_its_own_limit(autojump_clock):
    """One bot with a margin may take 1.2 s of 1 s; its neighbour, as slow, is too late."""
    async with trio.open_nursery() as nursery:
        slow = {"script": lambda _: After(1.2, Hut()), "nursery": nursery}
        players = [ScriptedPlayer("far", **slow, margin_s=0.5), ScriptedPlayer("near", **slow)]
        record = await play_once(Toy(turns=2), players, control=SWIFT)
    assert [None, None] == kinds(record, 0)
    assert ["too_late", "too_late"] == kinds(record, 1)
    assert "answered after 1.200 s; the limit is 1 s" == of(record, 1)[0].reason


async def test_time_runs_out_for_one_alone_while_another_has_more(autojump_clock):
    """Who stays silent is charged its own limit, not the time that the wait for all took."""
    async with trio.open_nursery() as nursery:
        players = [
            ScriptedPlayer("silent", lambda _: SILENCE),
            ScriptedPlayer("far", lambda _: After(1.5, Hut()), nursery=nursery, margin_s=3.0),
        ]
        record = await play_once(Toy(turns=2), players, control=SWIFT)
    assert [1.0, 1.0] == [decision.elapsed_s for decision in of(record, 0)]
    assert ["no answer within 1 s"] * 2 == [decision.reason for decision in of(record, 0)]
    assert [None, None] == kinds(record, 1)


async def test_after_a_late_answer_the_next_question_has_its_whole_time(autojump_clock):
    """A turn that ended by the clock takes nothing from the turns after it."""
    async with trio.open_nursery() as nursery:
        script = iter([SILENCE, After(0.9, Hut()), SILENCE, After(0.9, Hut())])
        slow = ScriptedPlayer("a", lambda _: next(script), nursery=nursery)
        steady = ScriptedPlayer("b", lambda _: After(0.8, Hut()), nursery=nursery)
        record = await play_once(Toy(turns=4), [slow, steady], control=SWIFT)
    assert ["too_late", None, "too_late", None] == kinds(record, 0)
    assert [None] * 4 == kinds(record, 1)
    assert [0.9, 0.9] == pytest.approx([of(record, 0)[1].elapsed_s, of(record, 0)[3].elapsed_s])


async def test_the_first_answer_has_ten_seconds_once(autojump_clock):
    """Programs warm up; a bot that lets the long time go by has the short one from then on."""
    async with trio.open_nursery() as nursery:
        script = iter([After(9.0, Hut()), After(0.5, Hut()), After(9.0, Hut())])
        slow = ScriptedPlayer("slow", lambda _: next(script), nursery=nursery)
        silent = ScriptedPlayer("silent", lambda _: SILENCE)
        record = await play_once(Toy(), [slow, silent])
    assert [None, None, "too_late"] == kinds(record, 0)
    assert [10.0, 1.0, 1.0] == [decision.elapsed_s for decision in of(record, 1)]


async def test_the_first_answer_is_of_the_instance_not_of_the_match(autojump_clock):
    """An instance that is used again has answered before."""
    player = ScriptedPlayer("a")
    await play_once(Toy(), [player, ScriptedPlayer("b")])
    await play_once(Toy(), [player, ScriptedPlayer("c")])
    assert [10.0] + [1.0] * 5 == [question.limit.time_s for question in player.questions]


@pytest.mark.parametrize(
    ("control", "thinks_s", "banks_s"),
    [
        # worked out by hand: bank - time + increment, the first answer free
        (Control(None, 5.0, 0.0, first_s=1.0), 1.0, [5.0, 5.0, 4.0, 3.0]),
        (Control(None, 5.0, 0.5, first_s=1.0), 1.0, [5.0, 5.5, 5.0, 4.5]),
        (Control(2.0, 5.0, 0.5, first_s=1.0), 1.0, [5.0, 5.5, 5.0, 4.5]),
        (Control(2.0, 5.0, 0.0, margin_s=0.4, first_s=1.0), 1.0, [5.0, 5.0, 4.4, 3.8]),
    ],
    ids=["bank", "increment", "with a move time", "the margin is free"],
)
async def test_a_bank_is_spent_and_grows(control, thinks_s, banks_s, autojump_clock):
    """What a question shows as bank is what is left."""
    async with trio.open_nursery() as nursery:
        player = ScriptedPlayer(
            "a", lambda _: After(thinks_s, Hut()), nursery=nursery, margin_s=control.margin_s
        )
        record = await play_once(Toy(turns=4), [player, ScriptedPlayer("b")], control=control)
    assert banks_s == pytest.approx([question.bank_s for question in player.questions])
    assert [None] * 4 == kinds(record, 0)


async def test_an_empty_bank_is_too_late_at_once(autojump_clock):
    """The smaller of bank and move time counts; with nothing left the seat fails in no time."""
    async with trio.open_nursery() as nursery:
        player = ScriptedPlayer("a", lambda _: After(1.5, Hut()), nursery=nursery)
        control = Control(2.0, 2.0, 0.0, first_s=0.0)
        began = trio.current_time()
        record = await play_once(Toy(turns=4), [player, ScriptedPlayer("b")], control=control, faults_max=9)
        assert 1.5 + 1.5 + 0.5 + 0.0 == pytest.approx(trio.current_time() - began)
        nursery.cancel_scope.cancel()
    assert [None, None, "too_late", "too_late"] == kinds(record, 0)
    assert [2.0, 2.0, 0.5, 0.0] == [question.bank_s for question in player.questions]


@pytest.mark.parametrize(
    ("answer", "fault", "reason"),
    [
        (Fail("malformed", "no JSON"), "malformed", "no JSON"),
        (Fail("gone", "hung up"), "gone", "hung up"),
        (SILENCE, "too_late", "no answer within 1 s"),
        (Bet(11), "illegal", "Bet: amount 11 is not 0 to 10"),
        (Shoot(Seat(0)), "illegal", "Shoot: target a is not b"),
        (
            Forfeit(),
            "illegal",
            "Forfeit is not possible here; possible: Nothing, Hut, Pair, Bet, Shoot, Play",
        ),
    ],
    ids=["malformed", "gone", "too late", "a wrong number", "a wrong seat", "no move of bots"],
)
async def test_faults(answer, fault, reason, autojump_clock):
    """A failure is recorded with its kind and one clause, and the game's default is played."""
    player = ScriptedPlayer("a", lambda _: answer)
    record = await play_once(Toy(turns=1), [player, ScriptedPlayer("b")], control=SWIFT)
    (decision,) = of(record, 0)
    assert (fault, reason, Forfeit(), True) == (
        decision.fault,
        decision.reason,
        decision.move,
        decision.asked,
    )
    assert [decision] == player.blamed
    (capsule,) = record.capsules
    assert (decision, 0, ({"note": "1 questions"},)) == (capsule.decision, capsule.number, capsule.lines)
    assert (2, 1) == record.ranks


async def test_a_reason_fits_a_table_and_a_terminal(autojump_clock):
    """Whatever a bot puts into a reason, it stays short and in one line."""
    player = ScriptedPlayer("a", lambda _: Fail("malformed", "\x1b[31m\n" + "x" * 100_000))
    record = await play_once(Toy(turns=1), [player, ScriptedPlayer("b")])
    reason = record.decisions[0].reason
    assert reason.isprintable()
    assert REASON_MAX == len(reason)


async def test_after_faults_max_a_seat_is_not_asked_any_more(autojump_clock):
    """That is recorded as not asked, without a fault; the others play on."""
    bad = ScriptedPlayer("bad", lambda _: Fail("malformed"))
    record = await play_once(Toy(turns=6), [bad, ScriptedPlayer("good")], faults_max=2)
    assert 2 == len(bad.questions)
    assert [("malformed", True)] * 2 + [(None, False)] * 4 == [(d.fault, d.asked) for d in of(record, 0)]
    assert [Forfeit()] * 6 == [decision.move for decision in of(record, 0)]
    assert (True, False) == record.abandoned
    assert 1 == len(bad.results), "it still hears the result"
    assert 7 == len(bad.events)


async def test_a_forgiven_player_is_always_asked_again(autojump_clock):
    """However often it fails, and also behind a wrapper; its faults are recorded like any other's."""

    class Forgiven(ScriptedPlayer):
        is_forgiven = True

    bad = Forgiven("bad", lambda _: Fail("malformed"))
    record = await play_once(Toy(turns=6), [WrappedPlayer(bad), ScriptedPlayer("good")], faults_max=2)
    assert 6 == len(bad.questions)
    assert ["malformed"] * 6 == kinds(record, 0)
    assert (False, False) == record.abandoned
    assert [0, 1, 2, 3, 4, 5] == [capsule.number for capsule in record.capsules]


class Postponing(WrappedPlayer):
    """Hands every question over some time later, as a table does while people look at a showdown."""

    def __init__(self, player, seconds, nursery):
        super().__init__(player)
        self.seconds = seconds
        self.nursery = nursery
        self.handed_over_at = []

    def ask(self, question, slot):
        slot.postpone(self.seconds)
        self.nursery.start_soon(self.ask_later, question, slot)

    async def ask_later(self, question, slot):
        await trio.sleep(self.seconds)
        self.handed_over_at.append(trio.current_time())
        super().ask(question, slot)


async def test_a_postponed_question_costs_nobody_any_time(autojump_clock):
    """It is handed over later than its whole limit, and has all of it then; banks are not charged."""
    async with trio.open_nursery() as nursery:
        slow = ScriptedPlayer("slow", lambda _: After(0.9, Hut()), nursery=nursery)
        silent = ScriptedPlayer("silent", lambda _: SILENCE)
        postponed = [Postponing(slow, 3.0, nursery), Postponing(silent, 3.0, nursery)]
        record = await play_once(Toy(turns=2), postponed, control=Control(1.0, 5.0, first_s=1.0))
    assert [3.0, 7.0] == postponed[0].handed_over_at == postponed[1].handed_over_at
    assert [(None, 0.9)] * 2 == [(d.fault, pytest.approx(d.elapsed_s)) for d in of(record, 0)]
    assert [("too_late", 1.0)] * 2 == [(d.fault, d.elapsed_s) for d in of(record, 1)]
    assert 2 * (3.0 + 1.0) == record.duration_s


async def test_one_postponed_question_leaves_the_others_their_limit(autojump_clock):
    """Whoever was asked at once is judged by when it was asked, and does not wait for its fault in vain."""
    async with trio.open_nursery() as nursery:
        slow = ScriptedPlayer("slow", lambda _: After(0.9, Hut()), nursery=nursery)
        late = ScriptedPlayer("late", lambda _: After(1.1, Hut()), nursery=nursery)
        record = await play_once(Toy(turns=1), [Postponing(slow, 3.0, nursery), late], control=SWIFT)
    assert [None, "too_late"] == [decision.fault for decision in record.decisions]
    assert pytest.approx(3.9) == record.duration_s


async def test_a_question_over_a_connection_can_be_postponed(autojump_clock):
    """The outbox stamps it when it goes out, and the bot has its whole time from then on."""
    async with seat_bots({"slow": late(0.9), "quick": honest}) as players, trio.open_nursery() as nursery:
        record = await play_once(
            Toy(turns=2), [Postponing(player, 3.0, nursery) for player in players.values()], control=SWIFT
        )
    assert [(None, 0.9)] * 2 == [(d.fault, pytest.approx(d.elapsed_s)) for d in of(record, 0)]
    assert pytest.approx(2 * 3.9) == record.duration_s


async def test_nothing_is_postponed_once_it_is_handed_over(autojump_clock):
    """The clock that runs cannot be stopped."""

    class Cheating(ScriptedPlayer):
        def ask(self, question, slot):
            super().ask(question, slot)
            slot.postpone(5.0)

    record = await play_once(
        Toy(turns=1), [Cheating("a", lambda _: SILENCE), ScriptedPlayer("b")], control=SWIFT
    )
    assert ["too_late"] == kinds(record, 0)
    assert 1.0 == record.duration_s


async def test_turns_and_decisions_are_filled_as_the_match_goes(autojump_clock):
    """Whoever watches finds all of a turn in both lists; the record holds the same."""
    turns, decisions, seen = [], [], []
    players = [ScriptedPlayer("a", lambda _: Fail("malformed")), None]
    record = await play_once(
        Toy(),
        players,
        turns=turns,
        decisions=decisions,
        watch=lambda turn, step: seen.append((turn == turns[-1], len(turns), len(decisions))),
    )
    assert [(True, 1, 0), (True, 2, 2), (True, 3, 4), (True, 4, 6)] == seen
    assert (tuple(turns), tuple(decisions)) == (record.turns, record.decisions)


async def test_nobody_at_a_seat(autojump_clock):
    """A withdrawn bot is not asked: its default moves are played, and it has no faults."""
    record = await play_once(Toy(), [None, ScriptedPlayer("b")])
    assert [(Forfeit(), None, False, 0.0)] * 3 == [
        (d.move, d.fault, d.asked, d.elapsed_s) for d in of(record, 0)
    ]
    assert (2, 1) == record.ranks
    assert (False, False) == record.abandoned


async def test_nobody_at_all(autojump_clock):
    """A match of withdrawn bots ends, in no time."""
    record = await play_once(Toy(), [None, None])
    assert (1, 1) == record.ranks
    assert 0.0 == record.duration_s


async def test_a_player_that_could_not_be_started(autojump_clock):
    """It is gone from its first question on, with the reason."""
    record = await play_once(Toy(turns=2), [GonePlayer("a", "exploded"), ScriptedPlayer("b")])
    assert [("gone", "exploded")] * 2 == [(d.fault, d.reason) for d in of(record, 0)]


@pytest.mark.parametrize("breaks_at", [0, 2])
async def test_rules_that_raise(breaks_at, autojump_clock):
    """The exception travels; `turns` holds the moves so far, the breaking ones included; players stand up."""
    turns = []
    players = [ScriptedPlayer("a"), ScriptedPlayer("b")]
    with pytest.raises(ZeroDivisionError):
        await play_once(Toy(breaks_at=breaks_at), players, turns=turns)
    assert 2 + breaks_at == len(turns)
    assert isinstance(turns[0][CHANCE], Deal)
    assert {0: Nothing(), 1: Nothing()} == turns[-1]
    assert [1, 1] == [player.broken_off for player in players]
    assert [[], []] == [player.results for player in players]


async def test_rules_that_raise_on_an_answer(autojump_clock):
    """The task that brought the answer is not harmed by the rules: the exception is the match's own."""
    turns = []
    async with trio.open_nursery() as nursery:
        players = [ScriptedPlayer(name, lambda _: After(0.1, Hut()), nursery=nursery) for name in "ab"]
        with pytest.raises(ZeroDivisionError):
            await play_once(Toy(breaks_at=1), players, turns=turns)
    assert 3 == len(turns)
    assert [1, 1] == [player.broken_off for player in players]


async def test_a_question_after_answers_has_its_own_time(autojump_clock):
    """The second question has one second of its own, whatever the first one would have had."""
    async with trio.open_nursery() as nursery:
        script = [After(0.1, Hut()), SILENCE]
        players = [ScriptedPlayer("a", script, nursery=nursery), ScriptedPlayer("b")]
        record = await play_once(Toy(turns=2), players, control=Control(move_s=1.0, first_s=10.0))
    assert [None, "too_late"] == kinds(record, 0)
    assert 1.1 == pytest.approx(record.duration_s)


async def test_a_match_carried_on_by_an_answer_lets_others_on(autojump_clock):
    """After an answer that took its time bots answer at once: everyone else still gets a turn."""
    ticks = 0

    async def tick():
        nonlocal ticks
        await trio.sleep(0.1)
        while True:
            ticks += 1
            await trio.lowlevel.checkpoint()

    async with trio.open_nursery() as nursery:
        players = [ScriptedPlayer("a", [After(0.1, Hut())], nursery=nursery), ScriptedPlayer("b")]
        nursery.start_soon(tick)
        record = await play_once(Toy(turns=400), players)
        nursery.cancel_scope.cancel()
    assert [None] * 400 == kinds(record, 0)
    assert ticks >= 400 // TURNS_BETWEEN_CHECKPOINTS - 1


async def test_a_cancelled_match(autojump_clock):
    """Ctrl-C ends a match wherever it waits, and its players stand up."""
    player = ScriptedPlayer("a", lambda _: SILENCE)
    with trio.move_on_after(3) as scope:
        await play_once(Toy(), [player, ScriptedPlayer("b")])
    assert scope.cancelled_caught
    assert 3 == trio.current_time()
    assert 1 == player.broken_off


async def test_events_go_to_whom_they_belong(autojump_clock):
    """Each seat hears its own secret and what is public; nobody hears another's."""
    shown = []
    players = [ScriptedPlayer(name) for name in "abc"]
    record = await play_once(Toy(turns=1), players, watch=lambda turn, step: shown.append((turn, step)))
    secrets = record.turns[0][CHANCE].secrets
    assert 3 == len(set(secrets))
    for player, secret in zip(players, secrets, strict=True):
        assert ["secret", "said"] == [kind for kind, _ in player.events]
        assert secret == player.events[0][1].secret == player.questions[0].observation.secret
    assert record.turns == tuple(turn for turn, _ in shown)


async def test_faults_and_events_wait_for_all(autojump_clock):
    """What one bot did is told to nobody while another still thinks."""
    told_at = []

    class Listening(ScriptedPlayer):
        def tell(self, kind, payload):
            told_at.append((self.name, kind, trio.current_time()))

        def blame(self, decision):
            told_at.append((self.name, decision.fault, trio.current_time()))

    async with trio.open_nursery() as nursery:
        hasty = Listening("hasty", lambda _: Fail("malformed"))
        slow = Listening("slow", lambda _: After(0.7, Hut()), nursery=nursery)
        await play_once(Toy(turns=1), [hasty, slow])
    assert [("hasty", "malformed", 0.7), ("hasty", "said", 0.7), ("slow", "said", 0.7)] == told_at[2:]


async def test_the_lag_of_the_arena_is_told(autojump_clock):
    """A time fault is marked when the arena itself was late by more than a twentieth of the limit."""
    marks = {}
    for lag_s in (0.0, 0.04, 0.06):
        silent = ScriptedPlayer("a", lambda _: SILENCE)
        record = await play_once(
            Toy(turns=1), [silent, ScriptedPlayer("b")], control=SWIFT, lag=lambda since, lag_s=lag_s: lag_s
        )
        marks[lag_s] = [decision.lagged for decision in record.decisions]
    assert {0.0: [False, False], 0.04: [False, False], 0.06: [True, False]} == marks


async def test_benefit_of_the_doubt(autojump_clock):
    """An answer whose bytes may have come in time counts, is charged the limit, and is marked."""

    class Doubtful(ScriptedPlayer):
        def __init__(self, heard_since_s):
            super().__init__("doubtful", lambda _: SILENCE)
            self.heard_since_s = heard_since_s

        def ask(self, question, slot):
            from arena.players.desk import Reply

            slot.note_sent(slot.asked_at)
            slot.settle(Reply(Hut(), slot.asked_at + 1.5, slot.asked_at + self.heard_since_s))

    found = []
    for heard_since_s in (0.9, 1.0, 1.1):
        record = await play_once(Toy(turns=1), [Doubtful(heard_since_s), ScriptedPlayer("b")], control=SWIFT)
        found.append((of(record, 0)[0].fault, of(record, 0)[0].elapsed_s, of(record, 0)[0].lagged))
    assert [(None, 1.0, True), (None, 1.0, True), ("too_late", 1.5, False)] == found


async def test_bots_of_this_process_let_others_have_a_turn(autojump_clock):
    """A long match that never waits does not stop the rest of the arena."""

    class Quick(Bot):
        def move(self, state, options):
            return "nothing"

    ticks = 0

    async def tick():
        nonlocal ticks
        while True:
            ticks += 1
            await trio.lowlevel.checkpoint()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(tick)
        await play_once(Toy(turns=400), [LocalPlayer(name, Quick()) for name in "ab"])
        nursery.cancel_scope.cancel()
    assert ticks >= 400 // TURNS_BETWEEN_CHECKPOINTS - 1


async def test_luck_is_asked_for_when_all_is_over_and_lets_others_have_a_turn(autojump_clock):
    """Bots have their result by then, its time is not the match's, and each stretch has an rng of its own."""
    players, others, asked = [ScriptedPlayer("a"), ScriptedPlayer("b")], 0, []

    class Lucky(Toy):
        adjusts_luck = True

        def luck(self, state, rng_of):
            for key in range(3):
                asked.append((others, [len(player.results) for player in players], rng_of(key).random()))
                yield (0.25, -0.25)

    async def another():
        nonlocal others
        while True:
            others += 1
            await trio.lowlevel.checkpoint()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(another)
        record = await play_once(Lucky(turns=1), players)
        nursery.cancel_scope.cancel()
    turns, told, draws = zip(*asked, strict=True)
    assert 3 == len(set(draws))
    assert turns[0] < turns[-1]  # Trio runs each batch of tasks in any order, so not between any two
    assert [[1, 1]] * 3 == [*told]
    assert ((0.0, 0.0), (-0.75, 0.75)) == (record.returns, record.adjusted)


async def test_an_alarm_that_nobody_waits_for_disturbs_nobody(autojump_clock):
    """A slow turn sets an alarm; a match that then goes on without waiting is not ended by it."""

    class Slowing(Player):
        name = "jumps"

        def begin(self, start):
            pass

        def ask(self, question, slot):
            from arena.players.desk import Reply

            autojump_clock.jump(0.3)
            slot.note_sent(slot.asked_at)
            slot.settle(Reply(Hut(), slot.asked_at, slot.asked_at))

    async with trio.open_nursery() as nursery:
        script = iter([After(0.1, Hut())])
        first = ScriptedPlayer("a", lambda _: next(script, Hut()), nursery=nursery)
        record = await play_once(Toy(turns=200), [first, Slowing()], control=SWIFT)
    assert 400 == len(record.decisions)
    assert {None} == {decision.fault for decision in record.decisions}


def test_decisions_are_frozen():
    """What is recorded cannot be changed afterwards."""
    from arena.match.record import Decision

    with pytest.raises(AttributeError):
        Decision(0, Seat(0), Hut(), 0.0).fault = "gone"
