"""The ring table: who sits, who waits, whose button it is; and a state machine that plays it with the real game."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from arena.games.holdem import Holdem
from arena.match.game import CHANCE, Seat
from arena.refusal import Refusal
from arena.server.limits import RING_QUEUE_MAX
from arena.server.ring.ring import (
    ALONE_S,
    CHIPS,
    PLACES,
    STACK_MAX,
    Hand,
    Ring,
    begin_hand,
    can_begin,
    drop_hand,
    end_hand,
    find_player,
    house_due_at,
    house_joins,
    is_seated,
    join_ring,
    leave_ring,
    occupant_of,
    seated,
)


def ring_of(*owners: str, now: float = 0.0) -> Ring:
    """A ring that these have joined in this order; the player of `ann` is `ann-1`."""
    ring = Ring("ring")
    for owner in owners:
        ring = join_ring(ring, owner=owner, handle=owner, player_id=f"{owner}-1", now=now)
    return ring


def told(before: Ring, after: Ring) -> list[tuple[str, str]]:
    """What has happened between the two: who is gone, who has a place, and who waits for one."""
    sat, waited = ([each.player_id for each in group] for group in (seated(before), before.queue))
    sits, waits = ([each.player_id for each in group] for group in (seated(after), after.queue))
    gone = [("gone", each) for each in (*sat, *waited) if each not in (*sits, *waits)]
    next_ones = [each for each in waited if each in sits]
    new = [each for each in sits if each not in (*sat, *waited)]
    came = [("seated", each) for each in (*next_ones, *new)]
    return [*gone, *came, *(("queued", each) for each in waits if each not in waited)]


def chips(ring: Ring) -> dict[str, int]:
    return {occupant.player_id: occupant.chips for occupant in seated(ring)}


NUMBERS = [str(number) for number in range(PLACES)]


# Joining.


def test_everybody_brings_the_same_chips() -> None:
    """A newcomer sits down at once, with 10,000."""
    ring = join_ring(Ring("ring"), owner="ann", handle="Ann", player_id="a", now=0.0)
    assert told(Ring("ring"), ring) == [("seated", "a")]
    assert chips(ring) == {"a": 10_000}


def test_joining_again_changes_nothing() -> None:
    """Whoever sits or waits there keeps its player."""
    ring = ring_of(*NUMBERS, "waiting")
    for owner in ("3", "waiting"):
        assert join_ring(ring, owner=owner, handle=owner, player_id="new", now=0.0) == ring


def test_the_eleventh_waits() -> None:
    """A full table has a queue, whose first takes the place that is free next."""
    ring = ring_of(*NUMBERS, "kim")
    before, ring = ring, join_ring(ring, owner="lou", handle="lou", player_id="lou-1", now=0.0)
    assert told(before, ring) == [("queued", "lou-1")]
    assert not is_seated(ring, "kim-1")
    before, ring = ring, leave_ring(ring, "4-1", now=1.0)
    assert told(before, ring) == [("gone", "4-1"), ("seated", "kim-1")]
    assert [occupant.player_id for occupant in ring.queue] == ["lou-1"]


def test_the_queue_is_bounded() -> None:
    """Who comes when it is full is told to try later."""
    ring = ring_of(*NUMBERS, *(f"q{number}" for number in range(RING_QUEUE_MAX)))
    with pytest.raises(Refusal, match="wait for one already: try again in 30 s") as refused:
        join_ring(ring, owner="late", handle="late", player_id="late-1", now=0.0)
    assert refused.value.status == 429


def test_who_joins_during_a_hand_plays_the_next_one() -> None:
    """It has a place at once, but no part in the hand."""
    ring, hand = begin_hand(ring_of("ann", "bob"))
    ring = join_ring(ring, owner="kim", handle="kim", player_id="kim-1", now=0.0)
    assert is_seated(ring, "kim-1")
    assert "kim-1" not in hand.player_ids
    ring = end_hand(ring, hand.stacks, now=0.0)
    assert "kim-1" in begin_hand(ring)[1].player_ids


# Leaving.


def test_who_leaves_between_hands_is_gone() -> None:
    """With its chips, and may come back as somebody new."""
    before = ring_of("ann", "bob")
    ring = leave_ring(before, "bob-1", now=0.0)
    assert told(before, ring) == [("gone", "bob-1")]
    assert chips(ring) == {"ann-1": CHIPS}
    ring = join_ring(ring, owner="bob", handle="bob", player_id="bob-2", now=0.0)
    assert chips(ring) == {"ann-1": CHIPS, "bob-2": CHIPS}


def test_who_leaves_during_a_hand_keeps_its_place_to_its_end() -> None:
    """What it has bet is in the pot; what it has left, or even wins, goes with it."""
    ring, hand = begin_hand(ring_of("ann", "bob", "kim"))
    before, ring = ring, leave_ring(ring, "kim-1", now=0.0)
    assert told(before, ring) == [("gone", "kim-1")]
    assert occupant_of(ring, "kim") is None
    ring = join_ring(ring, owner="kim", handle="kim", player_id="kim-2", now=0.0)
    assert ring.places.index(None) == 4
    after = [0, 0, 0]
    for seat, player_id in enumerate(hand.player_ids):
        after[seat] = {"ann-1": 9_000, "bob-1": 10_500, "kim-1": 10_500}[player_id]
    before, ring = ring, end_hand(ring, after, now=0.0)
    assert told(before, ring) == []
    assert chips(ring) == {"ann-1": 9_000, "bob-1": 10_500, "kim-2": CHIPS}


def test_who_leaves_twice_or_was_never_there_is_refused() -> None:
    """In a sentence."""
    ring, _ = begin_hand(ring_of("ann", "bob"))
    ring = leave_ring(ring, "bob-1", now=0.0)
    for player_id in ("bob-1", "nobody"):
        with pytest.raises(Refusal, match="no player at this table has this playerID") as refused:
            leave_ring(ring, player_id, now=0.0)
        assert refused.value.status == 404


def test_a_player_belongs_to_its_owner() -> None:
    """Another one's id is as unknown as one that does not exist."""
    ring = ring_of("ann", "bob")
    assert find_player(ring, "ann-1", "ann").handle == "ann"
    for player_id, owner in (("ann-1", "bob"), ("nobody", "ann"), ("ann-1", "")):
        with pytest.raises(Refusal) as refused:
            find_player(ring, player_id, owner)
        assert refused.value.status == 404


# Hands.


def test_two_are_needed() -> None:
    """One player waits; nobody plays two hands at once."""
    assert not can_begin(ring_of("ann"))
    with pytest.raises(Refusal, match="needs two players"):
        begin_hand(ring_of("ann"))
    ring, _ = begin_hand(ring_of("ann", "bob"))
    with pytest.raises(Refusal, match="under way"):
        begin_hand(ring)


def test_the_first_seat_posts_the_small_blind() -> None:
    """Left of the button; of two players the one with the button is first."""
    _, three = begin_hand(ring_of("ann", "bob", "kim"))
    assert three.button == 0
    assert three.player_ids == ("bob-1", "kim-1", "ann-1")
    _, two = begin_hand(ring_of("ann", "bob"))
    assert two.button == 0
    assert two.player_ids == ("ann-1", "bob-1")


def test_who_is_busted_is_out_and_may_come_back_at_the_queues_end() -> None:
    """As a new player with new chips."""
    ring, hand = begin_hand(ring_of(*NUMBERS, "kim"))
    loser = hand.player_ids[0]
    before, ring = ring, end_hand(ring, (0, 20_000, *hand.stacks[2:]), now=0.0)
    assert told(before, ring) == [("gone", loser), ("seated", "kim-1")]
    owner = loser.removesuffix("-1")
    assert occupant_of(ring, owner) is None
    before, ring = ring, join_ring(ring, owner=owner, handle=owner, player_id="again", now=0.0)
    assert told(before, ring) == [("queued", "again")]
    assert ring.queue[-1].player_id == "again"


def test_a_hand_that_broke_off_did_not_happen() -> None:
    """Chips and button are as before it; who left meanwhile is gone."""
    before = ring_of("ann", "bob", "kim")
    ring, hand = begin_hand(before)
    ring = leave_ring(ring, "kim-1", now=0.0)
    ring = drop_hand(ring, now=0.0)
    assert chips(ring) == {"ann-1": CHIPS, "bob-1": CHIPS}
    assert (ring.button, ring.hands) == (before.button, before.hands)
    assert begin_hand(ring)[1].number == hand.number


def test_more_chips_than_a_hand_takes_stay_aside() -> None:
    """The rules bound a stack; nothing of the rest is lost."""
    ring = ring_of("ann", "bob")
    rich = tuple([occupant and attrs.evolve(occupant, chips=STACK_MAX + 5) for occupant in ring.places])
    ring, hand = begin_hand(attrs.evolve(ring, places=rich))
    assert hand.stacks == (STACK_MAX, STACK_MAX)
    ring = end_hand(ring, (0, 2 * STACK_MAX), now=0.0)
    assert chips(ring) == {"ann-1": 5, "bob-1": 2 * STACK_MAX + 5}


@given(st.sets(st.integers(0, PLACES - 1), min_size=2), st.integers(0, 40))
def test_everybody_posts_the_big_blind_in_turn(places: set[int], hands: int) -> None:
    """While nobody comes or goes, each player has posted it as often as any other, or once more."""
    full = ring_of(*NUMBERS)
    ring = attrs.evolve(
        full,
        places=tuple([occupant if place in places else None for place, occupant in enumerate(full.places)]),
    )
    posted = dict.fromkeys(chips(ring), 0)
    in_order = list(posted)
    last: int | None = None
    for _ in range(hands):
        ring, hand = begin_hand(ring)
        small, big = hand.player_ids[:2]
        button = ring.places[hand.button]
        assert button is not None
        assert button.player_id == (small if len(places) == 2 else hand.player_ids[-1])
        assert in_order.index(big) == (in_order.index(small) + 1) % len(in_order)
        if last is not None:
            assert in_order.index(big) == (last + 1) % len(in_order)
        last = in_order.index(big)
        posted[big] += 1
        ring = end_hand(ring, hand.stacks, now=0.0)
    assert max(posted.values()) - min(posted.values()) <= 1


# The house bot.


def bot_joins(ring: Ring, now: float) -> Ring:
    return house_joins(ring, handle="house", player_id=f"house-{now:g}", now=now)


def test_who_sits_alone_gets_a_house_bot() -> None:
    """After five seconds, counted from the moment at which it was alone."""
    ring = ring_of("ann", now=10.0)
    assert house_due_at(ring) == 10.0 + ALONE_S
    assert bot_joins(ring, 14.9) == ring
    before, ring = ring, bot_joins(ring, 15.0)
    assert told(before, ring) == [("seated", "house-15")]
    assert can_begin(ring)
    assert house_due_at(ring) is None
    assert bot_joins(ring, 99.0) == ring


def test_nobody_gets_a_house_bot_with_company() -> None:
    """The time counts anew from the moment at which the others are gone."""
    ring = ring_of("ann")
    ring = join_ring(ring, owner="bob", handle="bob", player_id="bob-1", now=3.0)
    assert house_due_at(ring) is None
    ring = leave_ring(ring, "bob-1", now=20.0)
    assert house_due_at(ring) == 25.0
    assert house_due_at(Ring("empty")) is None


def test_the_house_bot_leaves_after_the_hand_in_which_a_second_person_came() -> None:
    """It plays its hand to the end."""
    ring = bot_joins(ring_of("ann"), 5.0)
    ring, hand = begin_hand(ring)
    before, ring = ring, join_ring(ring, owner="bob", handle="bob", player_id="bob-1", now=6.0)
    assert told(before, ring) == [("seated", "bob-1")]
    before, ring = ring, end_hand(ring, hand.stacks, now=7.0)
    assert told(before, ring) == [("gone", "house-5")]
    assert chips(ring) == {"ann-1": CHIPS, "bob-1": CHIPS}


def test_the_house_bot_stays_while_it_is_the_only_opponent() -> None:
    """A second person that is gone again by the end of the hand changes nothing."""
    ring = bot_joins(ring_of("ann"), 5.0)
    ring, hand = begin_hand(ring)
    ring = join_ring(ring, owner="bob", handle="bob", player_id="bob-1", now=6.0)
    ring = leave_ring(ring, "bob-1", now=6.5)
    before, ring = ring, end_hand(ring, hand.stacks, now=7.0)
    assert told(before, ring) == []
    assert can_begin(ring)


@pytest.mark.parametrize("goes", ["left", "busted"])
def test_the_house_bot_does_not_stay_alone(goes: str) -> None:
    """It leaves after the last person's last hand."""
    ring = bot_joins(ring_of("ann"), 5.0)
    ring, hand = begin_hand(ring)
    stacks = list(hand.stacks)
    if goes == "left":
        ring = leave_ring(ring, "ann-1", now=6.0)
        assert house_due_at(ring) is None
    else:
        stacks[hand.player_ids.index("ann-1")] -= CHIPS
        stacks[hand.player_ids.index("house-5")] += CHIPS
    ring = end_hand(ring, stacks, now=7.0)
    assert ring.places == (None,) * PLACES


def test_a_house_bot_without_chips_is_followed_by_another() -> None:
    """After the same wait."""
    ring = bot_joins(ring_of("ann"), 5.0)
    ring, hand = begin_hand(ring)
    stacks = [2 * CHIPS if player_id == "ann-1" else 0 for player_id in hand.player_ids]
    before, ring = ring, end_hand(ring, stacks, now=50.0)
    assert told(before, ring) == [("gone", "house-5")]
    assert house_due_at(ring) == 55.0


def test_nobody_joins_a_table_whose_places_are_all_in_a_hand() -> None:
    """Nine of ten leave during a hand: the one that is left waits for its end."""
    ring, hand = begin_hand(ring_of(*NUMBERS))
    for player_id in hand.player_ids[1:]:
        ring = leave_ring(ring, player_id, now=1.0)
    assert bot_joins(ring, 60.0) == ring
    ring = end_hand(ring, hand.stacks, now=60.0)
    assert told(ring, bot_joins(ring, 60.0)) == [("seated", "house-60")]


# All of it at random.


class RingMachine(RuleBasedStateMachine):
    """Joins, leaves and hands in any order, played by the real rules; the model knows stacks and the queue."""

    def __init__(self) -> None:
        super().__init__()
        self.ring = Ring("ring")
        self.now = 0.0
        self.ids = self._fresh()
        self.stacks: dict[str, int] = {}
        """Of everybody at the table, those who left during the hand included."""
        self.queue: list[str] = []
        self.gone: set[str] = set()
        self.game: Holdem | None = None
        self.state: Any = None
        self.hand: Hand | None = None
        self.rng = Random(0)

    @staticmethod
    def _fresh() -> Iterator[str]:
        number = 0
        while True:
            yield f"p{(number := number + 1)}"

    def take(self, change: Ring, leaves: str = "") -> None:
        """Keeps what is new, and follows in the model what has happened."""
        before, self.ring = self.ring, change
        houses = {each.player_id for each in before.places if each is not None and each.is_house}
        for kind, player_id in told(before, change):
            if kind == "queued":
                self.queue.append(player_id)
            elif kind == "seated":
                if player_id in self.queue:
                    assert self.queue.pop(0) == player_id, "who waits longest is next"
                assert player_id not in self.stacks
                assert player_id not in self.gone, "an id is never used again"
                self.stacks[player_id] = CHIPS
            else:
                self.gone.add(player_id)
                if player_id in self.queue:
                    self.queue.remove(player_id)
                elif self.hand is None or player_id not in self.hand.player_ids:
                    left = self.stacks.pop(player_id)
                    assert left == 0 or player_id == leaves or player_id in houses, "nobody else has to go"

    @initialize(seed=st.integers(0, 2**32), crowd=st.sampled_from((0, 1, 2, 3, 9, 13)))
    def begin(self, seed: int, crowd: int) -> None:
        self.rng = Random(seed)
        for number in range(crowd):
            self.joins(str(number))

    @rule(owner=st.sampled_from([str(number) for number in range(14)]))
    def joins(self, owner: str) -> None:
        before = occupant_of(self.ring, owner)
        self.take(join_ring(self.ring, owner=owner, handle=owner, player_id=next(self.ids), now=self.now))
        after = occupant_of(self.ring, owner)
        assert after is not None
        assert before in (None, after), "the same player as before"

    @rule(pick=st.integers(0, 13))
    def leaves(self, pick: int) -> None:
        occupant = occupant_of(self.ring, str(pick))
        if occupant is not None:
            self.take(leave_ring(self.ring, occupant.player_id, now=self.now), occupant.player_id)
            with pytest.raises(Refusal):
                find_player(self.ring, occupant.player_id, occupant.owner)

    @rule(seconds=st.sampled_from((0.5, 3.0, 6.0)))
    def time_passes(self, seconds: float) -> None:
        self.now += seconds
        before = seated(self.ring)
        self.take(house_joins(self.ring, handle="house", player_id=next(self.ids), now=self.now))
        if seated(self.ring) != before:
            assert [occupant.is_house for occupant in before] == [False], "it joins one person that is alone"

    @precondition(lambda self: can_begin(self.ring))
    @rule()
    def hand_begins(self) -> None:
        previous = self.ring
        self.ring, hand = begin_hand(previous)
        self.hand = hand
        assert sorted(hand.player_ids) == sorted(chips(previous)), "everybody who sits there is dealt in"
        places = [place for place, occupant in enumerate(previous.places) if occupant is not None]
        following = [place for place in places if previous.button is not None and place > previous.button]
        assert hand.button == (following or places)[0], "the button goes to the next player"
        self.game = Holdem(hands=1, reset_stacks=False)
        self.state = attrs.evolve(self.game.start(len(hand.stacks)), stacks=hand.stacks)
        step = self._deal()
        started = next(event.public for event in step.events if event.kind == "hand_started")
        assert [seat for seat, _ in started.blinds] == [0, 1], "seat 0 posts the small blind"
        button = self.ring.places[hand.button]
        assert button is not None
        assert hand.player_ids[started.button] == button.player_id, (
            "the game has the button where the table has it"
        )

    def _deal(self) -> Any:
        assert self.game is not None
        step = self.game.apply(self.state, {CHANCE: self.game.draw(self.state, self.rng)})
        self.state = step.state
        return step

    @precondition(lambda self: self.hand is not None)
    @rule(acts=st.integers(1, 12))
    def they_act(self, acts: int) -> None:
        """So many random legal moves; who left folds."""
        assert self.game is not None
        assert self.hand is not None
        for _ in range(acts):
            asked = self.game.to_act(self.state)
            if not asked:
                self._hand_ends()
                return
            (seat,) = asked
            self.state = self.game.apply(self.state, {seat: self._move(seat)}).state

    def _move(self, seat: Seat) -> Any:
        assert self.game is not None
        assert self.hand is not None
        player_id = self.hand.player_ids[seat]
        if not is_seated(self.ring, player_id):
            return self.game.default(self.state, seat)
        options = self.game.options(self.state, seat)
        return self.rng.choice(options[1:] if self.rng.random() < 0.8 else options).sample(self.rng)

    def _hand_ends(self) -> None:
        hand, was_there = self.hand, [occupant for occupant in self.ring.places if occupant is not None]
        assert hand is not None
        for player_id, before, after in zip(hand.player_ids, hand.stacks, self.state.stacks, strict=True):
            self.stacks[player_id] += after - before
        for player_id in hand.player_ids:
            if player_id in self.gone:  # it left during the hand
                del self.stacks[player_id]
        self.hand = None
        assert sum(hand.stacks) == sum(self.state.stacks), "chips are conserved within a hand"
        assert {occupant.player_id for occupant in was_there} >= set(hand.player_ids), "all kept their places"
        self.take(end_hand(self.ring, self.state.stacks, now=self.now))
        assert self.ring.button == hand.button

    @invariant()
    def nobody_is_there_twice(self) -> None:
        owners = [occupant.owner for occupant in (*seated(self.ring), *self.ring.queue) if occupant.owner]
        assert len(owners) == len(set(owners))
        ids = [occupant.player_id for occupant in (*filter(None, self.ring.places), *self.ring.queue)]
        assert len(ids) == len(set(ids))

    @invariant()
    def the_model_has_the_same_queue(self) -> None:
        assert self.queue == [occupant.player_id for occupant in self.ring.queue]
        assert not self.queue or None not in self.ring.places, "nobody waits beside a free place"

    @invariant()
    def the_model_has_the_same_chips(self) -> None:
        at_table = {
            occupant.player_id: occupant.chips for occupant in self.ring.places if occupant is not None
        }
        assert at_table == self.stacks
        assert self.hand is not None or 0 not in at_table.values(), "who has no chips is out"

    @invariant()
    def house_bots_play_where_one_person_is(self) -> None:
        people = sum(not occupant.is_house for occupant in seated(self.ring))
        bots = len(seated(self.ring)) - people
        assert bots <= 1
        assert self.hand is not None or not bots or people == 1
        assert (self.ring.alone_since is not None) == (people == 1 and not bots)


TestRingMachine = pytest.mark.slow(RingMachine.TestCase)
TestRingMachine.settings = settings(max_examples=50, stateful_step_count=60, deadline=None)
TestRingMachine.pytestmark = [pytest.mark.slow]
