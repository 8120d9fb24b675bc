"""A turn of Chamber: what using an item leads to, and what a shot does."""

from __future__ import annotations

from arena.game import Event, Seat, Step
from arena.games.chamber.events import (
    Checked,
    Eliminated,
    ItemStolen,
    ItemUsed,
    MatchOver,
    Shot,
    Skipped,
    SkipUsed,
    TurnStart,
)
from arena.games.chamber.items import (
    ADD_LIFE,
    CHAMBER_CHECK,
    DOUBLE_DAMAGE,
    LIVE,
    QUICKSHOT,
    SKIP,
    STEAL,
    Belongings,
    Item,
    in_order,
    replaced,
    without,
)
from arena.games.chamber.moves import UseItem, UseSkipItem, UseStealItem
from arena.games.chamber.state import LOAD, OVER, TURN, State, living, ranks_so_far
from arena.games.states import changed

_KINDS = {
    SKIP: "use_skip_item",
    DOUBLE_DAMAGE: "use_double_damage_item",
    CHAMBER_CHECK: "use_chamber_check_item",
    QUICKSHOT: "use_quickshot_item",
    ADD_LIFE: "use_add_life_item",
}
"""The kind of event that tells the use of each item."""


def turn_start(seat: Seat) -> Event:
    """Tells everybody whose turn it is."""
    return Event("turn_start", TurnStart(seat))


def used(state: State, move: UseItem) -> Step[State]:
    """The item is gone and its effect is on; the turn goes on."""
    seat, lives, skipped, active = state.on_turn, state.lives, state.skipped, state.active
    item, target, items, event = _spent(state, move)
    events: tuple[Event, ...] = (event,)
    if item == ADD_LIFE:
        lives = replaced(lives, seat, lives[seat] + 1)
    elif item == SKIP:
        assert target is not None
        skipped = replaced(skipped, target, True)
    else:
        active = (*active, item)
    if item == CHAMBER_CHECK:
        result = Event("use_chamber_check_result", None, {seat: Checked(state.chamber[0])})
        events = (event, result)
    after = changed(state, lives=lives, items=items, skipped=skipped, active=active)
    return Step(after, events)


def shot(state: State, target: Seat) -> Step[State]:
    """The next shell is fired; the turn ends, or goes on after a blank at oneself or by a Quickshot."""
    seat, fired, on_turn, turn_count = state.on_turn, state.chamber[0], state.on_turn, state.turn_count
    lives, items, skipped, out = state.lives, state.items, state.skipped, state.out
    if fired == LIVE:
        damage = 2 if DOUBLE_DAMAGE in state.active else 1
        lives = replaced(lives, target, max(0, lives[target] - damage))
    events = [Event("shoot_player", Shot(seat, target, fired, lives[target]))]
    if not lives[target]:
        items, eliminated = _inherited(items, target, seat)
        skipped, out = replaced(skipped, target, False), (*out, target)
        events.append(eliminated)
    is_over = len(out) == len(lives) - 1
    is_quick = QUICKSHOT in state.active and not is_over  # the mark ends with the match, as with death
    if is_over:
        (on_turn,) = living(lives)
    elif fired == LIVE or target != seat:
        # The turn would end here: Quickshot keeps it and is used up, unless the shooter has shot itself dead.
        if not is_quick or not lives[seat]:
            on_turn, skipped, missed = _next_turn(seat, lives, skipped)
            turn_count += 1 + len(missed)
            events += [Event("skipped", Skipped(each)) for each in missed]
        is_quick = False
    is_empty = len(state.chamber) == 1 and not is_over
    after = changed(
        state,
        due=OVER if is_over else LOAD if is_empty else TURN,
        lives=lives,
        items=items,
        skipped=skipped,
        chamber=state.chamber[1:],
        on_turn=on_turn,
        active=(QUICKSHOT,) if is_quick else (),
        round_number=state.round_number + is_empty,
        turn_count=turn_count,
        out=out,
    )
    if is_over:
        ranks = tuple([(Seat(seat), rank) for seat, rank in enumerate(ranks_so_far(after))])
        events.append(Event("match_over", MatchOver(ranks)))
    elif turn_count > state.turn_count and not is_empty:
        events.append(turn_start(on_turn))
    return Step(after, tuple(events))


def _spent(state: State, move: UseItem) -> tuple[Item, Seat | None, Belongings, Event]:
    """The item used, whom it is meant for, everybody's items after that, and the event that tells it."""
    seat = state.on_turn
    if type(move) is UseStealItem:
        item, target = move.item, move.skip_target
        items = without(without(state.items, seat, STEAL), move.target, item)
        return item, target, items, Event("use_steal_item", ItemStolen(seat, move.target, item, target))
    item, items = move.item, without(state.items, seat, move.item)
    if type(move) is UseSkipItem:
        return item, move.target, items, Event(_KINDS[item], SkipUsed(seat, move.target))
    return item, None, items, Event(_KINDS[item], ItemUsed(seat))


def _inherited(items: Belongings, seat: Seat, shooter: Seat) -> tuple[Belongings, Event]:
    """Everybody's items after this seat's killer has inherited its own, and the event that tells it."""
    if seat == shooter:
        return replaced(items, seat, ()), Event("eliminated", Eliminated(seat, None, ()))
    taken = items[seat]
    items = replaced(replaced(items, seat, ()), shooter, in_order(items[shooter] + taken))
    return items, Event("eliminated", Eliminated(seat, shooter, taken))


def _next_turn(
    seat: Seat, lives: tuple[int, ...], skipped: tuple[bool, ...]
) -> tuple[Seat, tuple[bool, ...], list[Seat]]:
    """Who is on turn next, which skips are left, and which seats lost their turn to a skip."""
    missed = []
    while True:
        seat = Seat((seat + 1) % len(lives))
        if skipped[seat]:  # never true of a dead seat: `shot` removed its skip
            skipped = replaced(skipped, seat, False)
            missed.append(seat)
        elif lives[seat]:
            return seat, skipped, missed
