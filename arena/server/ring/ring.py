"""A ring table, pure: who sits where with how many chips, who waits, and the hands that come and go.

A ring table is never over: one hand is played after the other by whoever sits there then, each hand as a
match of its own.  Who joins during a hand plays from the next one on; with all places taken one waits in
the queue.  Everybody brings the same chips; who has lost them is out, and may join again as somebody new
at the queue's end.  Who leaves forfeits its chips, and so does who stays silent for too long.

Source: the document of the Hacker School Poker Engine.  Decided here, where it is silent:
- The button moves clockwise to the next player, and the blinds are posted left of it (heads-up by it and
  the other), even if somebody posts the same blind twice by it.
- A player who leaves keeps its place until the hand it is in ends: what it has bet stays in the pot.
- A player who is alone for some seconds gets a house bot as an opponent, which leaves after the hand in
  which a second person sits down, and with the last one.

All functions return what is new and change nothing; a Refusal means that nothing is new.  Ids and the time
come from outside.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import attrs

from arena.refusal import Refusal
from arena.server.limits import RING_QUEUE_MAX

PLACES = 10
"""The most players of a hand, as the document says."""
CHIPS = 10_000
"""The chips with which everybody comes."""
ALONE_S = 5.0
"""How long somebody sits alone before a house bot joins."""
QUEUE_S = 30.0
"""When to ask again for a place in the queue: after about a hand, in which somebody may lose all chips."""
STACK_MAX = 200_000
"""The most chips that one player may have at stake in a hand: 10,000 big blinds, which bounds its turns.  Who
has won more keeps the rest aside."""


@attrs.frozen
class Occupant:
    """Somebody at the table or in its queue, from joining to leaving or losing all chips."""

    player_id: str
    """Public, and never used again."""
    owner: str
    """The id of whoever may act for the player; empty for a house bot."""
    handle: str
    """The name that everybody sees."""
    chips: int = CHIPS
    """What it has; during a hand, what it had before that."""
    is_house: bool = False
    is_leaving: bool = False
    """Whether it left during a hand, which goes on without it; its place is free afterwards."""


@attrs.frozen
class Hand:
    """A hand under way: who plays it in which seat."""

    number: int
    """From 1."""
    player_ids: tuple[str, ...]
    """The player of each seat, clockwise: seat 0 posts the small blind; of two it has the button."""
    stacks: tuple[int, ...]
    """Each seat's chips at stake."""
    button: int
    """The place that has the button."""
    match_id: str = ""
    """The id of the match as which it is played."""


@attrs.frozen
class Ring:
    """The state of the table between two events."""

    id: str
    places: tuple[Occupant | None, ...] = (None,) * PLACES
    """Clockwise."""
    queue: tuple[Occupant, ...] = ()
    """The next one to be seated is first."""
    hand: Hand | None = None
    hands: int = 0
    """How many were played to the end."""
    button: int | None = None
    """The place that had the button in the last of them."""
    alone_since: float | None = None
    """Since when one person sits there without an opponent."""


# Who is there.


def seated(ring: Ring) -> tuple[Occupant, ...]:
    """Who sits at the table and has not left, clockwise from place 0."""
    return tuple([occupant for occupant in ring.places if occupant is not None and not occupant.is_leaving])


def occupant_of(ring: Ring, owner: str) -> Occupant | None:
    """The player of this owner, at the table or in the queue."""
    return next((occupant for occupant in _present(ring) if occupant.owner == owner), None)


def find_player(ring: Ring, player_id: str, owner: str) -> Occupant:
    """The owner's player of this id; a Refusal if there is none, or if it is somebody else's."""
    for occupant in _present(ring):
        if occupant.player_id == player_id and occupant.owner == owner:
            return occupant
    raise Refusal(
        "not_found", "no player of yours at this table has this playerID: join the table for a new one"
    )


def is_seated(ring: Ring, player_id: str) -> bool:
    """Whether the player has a place, and need not wait in the queue."""
    return any(occupant.player_id == player_id for occupant in seated(ring))


def _present(ring: Ring) -> Iterator[Occupant]:
    yield from seated(ring)
    yield from ring.queue


# Coming and going.


def join_ring(ring: Ring, *, owner: str, handle: str, player_id: str, now: float) -> Ring:
    """The owner's new player takes a free place, or the end of the queue; an owner who is there stays so."""
    assert owner, "only a house bot has no owner"
    if occupant_of(ring, owner) is not None:
        return ring
    present = (*filter(None, ring.places), *ring.queue)
    assert all(each.player_id != player_id for each in present), "player ids are never used again"
    if len(ring.queue) >= RING_QUEUE_MAX:
        raise Refusal(
            "too_many",
            f"all {PLACES} places are taken, and {RING_QUEUE_MAX} players wait for one already: "
            f"try again in {QUEUE_S:.0f} s",
            key="queue",
            seconds=QUEUE_S,
        )
    newcomer = Occupant(player_id, owner, handle)
    return _settled(attrs.evolve(ring, queue=(*ring.queue, newcomer)), now)


def leave_ring(ring: Ring, player_id: str, *, now: float) -> Ring:
    """The player is removed with its chips; in a hand its place is kept until the hand ends.

    Raises a Refusal if no such player is there.
    """
    occupant = next((each for each in _present(ring) if each.player_id == player_id), None)
    if occupant is None:
        raise Refusal("not_found", "no player at this table has this playerID")
    if occupant in ring.queue:
        return attrs.evolve(ring, queue=tuple([each for each in ring.queue if each is not occupant]))
    gone = attrs.evolve(occupant, is_leaving=True)
    places = tuple([gone if each is occupant else each for each in ring.places])
    return _settled(attrs.evolve(ring, places=places), now)


def house_due_at(ring: Ring) -> float | None:
    """When a house bot has to join; None while nobody sits alone, and during a hand."""
    if ring.alone_since is None or ring.hand is not None:
        return None
    return ring.alone_since + ALONE_S


def house_joins(ring: Ring, *, handle: str, player_id: str, now: float) -> Ring:
    """A house bot sits down if somebody has been alone for long enough; else nothing is new."""
    due_at = house_due_at(ring)
    if due_at is None or now < due_at:
        return ring
    return _settled(_with_place(ring, Occupant(player_id, "", handle, is_house=True)), now)


# Hands.


def can_begin(ring: Ring) -> bool:
    """Whether the next hand can be played: none is under way, and two players are there."""
    return ring.hand is None and len(seated(ring)) >= 2


def begin_hand(ring: Ring) -> tuple[Ring, Hand]:
    """The next hand, of all who sit there; the button moves on to the next of them."""
    if not can_begin(ring):
        raise Refusal(
            "conflict",
            "a hand is under way: the next one begins when it is over"
            if ring.hand is not None
            else "a hand needs two players: wait for another one to join",
        )
    before = len(ring.places) - 1 if ring.button is None else ring.button
    order = _taken_after(ring, before)
    button = order[0]
    # The match begins with the small blind: left of the button, or of two players with the button itself.
    in_order = order if len(order) == 2 else [*order[1:], button]
    players = [occupant for occupant in (ring.places[place] for place in in_order) if occupant is not None]
    hand = Hand(
        number=ring.hands + 1,
        player_ids=tuple([player.player_id for player in players]),
        stacks=tuple([min(player.chips, STACK_MAX) for player in players]),
        button=button,
    )
    return attrs.evolve(ring, hand=hand), hand


def end_hand(ring: Ring, stacks: Sequence[int], *, now: float) -> Ring:
    """The hand is over, with these chips by seat: they and the button count from now on.

    Who has none is out, who left is gone, and whoever waits takes their places.
    """
    hand = ring.hand
    assert hand is not None, "no hand is under way"
    assert len(stacks) == len(hand.stacks)
    assert min(stacks) >= 0
    assert sum(stacks) == sum(hand.stacks), f"no chip is made or lost: {hand.stacks} became {tuple(stacks)}"
    won = {
        player_id: after - before
        for player_id, before, after in zip(hand.player_ids, hand.stacks, stacks, strict=True)
    }
    places = tuple(
        [
            None
            if occupant is None
            else attrs.evolve(occupant, chips=occupant.chips + won.get(occupant.player_id, 0))
            for occupant in ring.places
        ]
    )
    after = attrs.evolve(ring, places=places, hand=None, hands=hand.number, button=hand.button)
    return _settled(after, now)


def drop_hand(ring: Ring, *, now: float) -> Ring:
    """The hand broke off: everybody has its chips from before, and the button is where it was."""
    return _settled(attrs.evolve(ring, hand=None), now)


def chips_aside(ring: Ring, player_id: str) -> int:
    """The chips of a player of the hand under way that are not at stake in it."""
    hand = ring.hand
    assert hand is not None, "a hand is under way"
    (chips,) = [each.chips for each in ring.places if each is not None and each.player_id == player_id]
    return chips - hand.stacks[hand.player_ids.index(player_id)]


def names_in_hand(handles: Sequence[str]) -> tuple[str, ...]:
    """The handles as names of a match, in which all differ: a house bot may be called like somebody."""
    names: list[str] = []
    for handle in handles:
        tries = (handle, *(f"{handle}-{number}" for number in range(2, len(handles) + 2)))
        taken = (*names, *handles) if handle in names else names
        names.append(next(name for name in tries if name not in taken))
    return tuple(names)


def _taken_after(ring: Ring, place: int) -> list[int]:
    """The places where somebody sits, clockwise from the one left of `place` round to it."""
    around = [(place + 1 + step) % len(ring.places) for step in range(len(ring.places))]
    return [each for each in around if ring.places[each] is not None]


# What follows from every change.


def _settled(ring: Ring, now: float) -> Ring:
    """Frees the places of players who are out or gone, seats who waits, and notes who is alone."""
    people = sum(not occupant.is_house and occupant.chips > 0 for occupant in seated(ring)) + len(ring.queue)
    playing = () if ring.hand is None else ring.hand.player_ids
    for occupant in ring.places:
        if occupant is None or occupant.player_id in playing:
            continue
        is_unwanted = occupant.is_house and people != 1
        if occupant.is_leaving or is_unwanted or not occupant.chips:
            places = tuple([None if each is occupant else each for each in ring.places])
            ring = attrs.evolve(ring, places=places)
    while ring.queue and None in ring.places:
        first, *others = ring.queue
        ring = _with_place(attrs.evolve(ring, queue=tuple(others)), first)
    return _since(ring, now)


def _with_place(ring: Ring, occupant: Occupant) -> Ring:
    """The occupant sits down at the first free place."""
    free = ring.places.index(None)
    return attrs.evolve(ring, places=(*ring.places[:free], occupant, *ring.places[free + 1 :]))


def _since(ring: Ring, now: float) -> Ring:
    """The ring with the time since which one person sits there alone."""
    present = seated(ring)
    if len(present) != 1 or present[0].is_house:
        return attrs.evolve(ring, alone_since=None)
    return ring if ring.alone_since is not None else attrs.evolve(ring, alone_since=now)
