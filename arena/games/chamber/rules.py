"""Chamber: shoot others or yourself out of a chamber of live and blank shells in an order nobody knows.

A round (until the chamber is empty): old items go, each living seat is dealt new ones, openly; the
chamber is loaded with 1 to `live_max` live and 1 to `blank_max` blank shells, shuffled.  Only the
two counts are told.  On turn a seat uses any number of items, then shoots a living seat.  A live
shell takes a life and ends the turn; a blank ends it too, unless fired at oneself.  Without lives a
seat is out, and its killer takes its items.  The last living seat wins.

Skip: another seat loses its next turn.  DoubleDamage: the next shot takes two.  ChamberCheck: learn
the next shell.  Quickshot: a shot that would end the turn does not.  Steal: use another's item.
AddLife: a life.  Rebalancer: before a round's first turn its owners, asked at once and again, add
1 to 6 shells of a kind they choose.  An item whose effect is on cannot be used.

Source: the `Plan.md` of a web game of this kind, and RULES.md where it is silent or contradicts itself.
House rules: `lives` at the start; `items_per_round`; `live_max`, `blank_max` loaded; `chamber_max`, up
to which may be added; after `sudden_death_after` rounds every AddLife is dealt as a DoubleDamage.

Decided here: a Rebalancer that finds no room left by those before it is spent all the same.  A skip
is used up the moment the turn would come, even if a new round begins first; it goes with its seat's
death.  Quickshot lasts into a new round with the turn that goes on.  `turnCount` counts turns that
have ended, skipped ones included.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, ClassVar

import attrs

from arena.errors import ConfigError
from arena.game import (
    CHANCE,
    Between,
    Event,
    Game,
    IllegalMove,
    Information,
    Option,
    Seat,
    Step,
    explain,
    is_legal,
    shared_returns,
)
from arena.games.cards import shuffled
from arena.games.chamber import sentences
from arena.games.chamber.chances import AMOUNT_MAX, loads, rebalances
from arena.games.chamber.events import Rebalanced, RebalancerUsed, RoundStarted
from arena.games.chamber.hidden import sample_state
from arena.games.chamber.items import (
    BLANK,
    CHAMBER_CHECK,
    DECK,
    DOUBLE_DAMAGE,
    LATE_DECK,
    LIVE,
    QUICKSHOT,
    REBALANCER,
    Item,
    in_order,
    without,
)
from arena.games.chamber.moves import (
    Load,
    Move,
    Pass,
    Rebalance,
    ShootPlayer,
    UseAddLifeItem,
    UseChamberCheckItem,
    UseDoubleDamageItem,
    UseItem,
    UseQuickshotItem,
    UseRebalancerItem,
    UseSkipItem,
    UseStealItem,
)
from arena.games.chamber.options import every_move, options_in_window, options_on_turn
from arena.games.chamber.state import (
    LOAD,
    OVER,
    REBALANCED,
    TURN,
    WINDOW,
    Observation,
    State,
    living,
    owners_of_rebalancers,
    players,
    playing_order,
    ranks_so_far,
)
from arena.games.chamber.turns import shot, turn_start, used
from arena.games.house_rules import Accepts, check_seats
from arena.games.states import changed


@attrs.frozen
class Chamber(Game[State, Move]):
    """Chamber; the fields are the house rules."""

    name: ClassVar[str] = "chamber"
    title: ClassVar[str] = "Chamber"
    version: ClassVar[int] = 2
    seats: ClassVar[range] = range(2, 8)
    rated_by: ClassVar[str] = "ranks"
    holding: ClassVar[tuple[str, str]] = ("life", "lives")
    round_begins: ClassVar[str | None] = "round_started"
    turn_begins: ClassVar[str | None] = "turn_start"
    silent_move: ClassVar[type[Any] | None] = Pass
    default_is_legal: ClassVar[bool] = True
    moves: ClassVar[tuple[type[Any], ...]] = (
        Load,
        Rebalance,
        ShootPlayer,
        UseSkipItem,
        UseDoubleDamageItem,
        UseChamberCheckItem,
        UseRebalancerItem,
        UseQuickshotItem,
        UseStealItem,
        UseAddLifeItem,
        Pass,
    )
    reveals: ClassVar[frozenset[str]] = frozenset({"use_rebalancer_item", "rebalanced"})
    """Events tell at once which kind of shells a Rebalancer adds, and who added how many; observations show
    only the new counts, once chance has decided them."""

    lives: int = attrs.field(default=5, validator=Accepts(Between(1, 20)))
    items_per_round: int = attrs.field(default=4, validator=Accepts(Between(0, 14)))
    live_max: int = attrs.field(default=6, validator=Accepts(Between(1, 20)))
    blank_max: int = attrs.field(default=6, validator=Accepts(Between(1, 20)))
    chamber_max: int = attrs.field(default=20, validator=Accepts(Between(2, 40)))
    sudden_death_after: int = attrs.field(default=5, validator=Accepts(Between(0, 20)))

    def __attrs_post_init__(self) -> None:
        """Raises ConfigError if the chamber is too small for what may be loaded."""
        least = self.live_max + self.blank_max
        if self.chamber_max < least:
            raise ConfigError(
                f"House rule chamber_max of {self.name} is {self.chamber_max}, "
                f"but must be at least {least}, the sum of live_max and blank_max."
            )

    def start(self, seats: int) -> State:
        """Everybody alive, seat 0 to start.  Raises ConfigError if these are too many."""
        check_seats(self, seats)
        if seats * self.items_per_round > len(DECK):
            raise ConfigError(
                f"House rule items_per_round of {self.name} is {self.items_per_round}, "
                f"but must be at most {len(DECK) // seats} for {seats} seats, as the deck has {len(DECK)}."
            )
        return State(
            due=LOAD,
            lives=(self.lives,) * seats,
            items=((),) * seats,
            skipped=(False,) * seats,
            chamber=(),
            on_turn=Seat(0),
        )

    def to_act(self, state: State) -> tuple[Seat, ...]:
        """The seat on turn; before a round's first turn the owners of Rebalancers."""
        if state.due == TURN:
            return (state.on_turn,)
        if state.due == WINDOW:
            return owners_of_rebalancers(state.lives, state.items, state.on_turn)
        return () if state.due == OVER else _CHANCE_ALONE

    def eliminated(self, state: State) -> tuple[Seat, ...]:
        """The seats without lives."""
        return state.out

    def holdings(self, state: State) -> tuple[float, ...]:
        """Each seat's lives."""
        return state.lives

    def chance_key(self, state: State) -> tuple[str | int, ...]:
        """Each round has its own load, and each rebalance its own order."""
        if state.due == LOAD:
            return (LOAD, state.round_number)
        return (REBALANCED, state.round_number, state.window)

    def draw(self, state: State, rng: Random) -> Load | Rebalance:
        """Each seat's items and the shells; or the amounts added, and the shells shuffled again.

        The same number of draws is made whatever happened before, and an added shell leaves the others
        in their order, so that luck depends on play as little as it can.
        """
        luck = rng.random  # only random() is promised to give the same numbers in every version of Python
        if state.due == LOAD:
            deck = shuffled(rng, self._deck(state))
            each = self.items_per_round
            hands = [in_order(deck[seat * each : (seat + 1) * each]) for seat in range(len(state.lives))]
            live, blank = 1 + int(luck() * self.live_max), 1 + int(luck() * self.blank_max)
            return Load(tuple(hands), self._chamber(live, blank, rng))
        amounts = tuple([1 + int(luck() * AMOUNT_MAX) for _ in state.lives])
        _, live, blank = self._added(state, amounts)
        return Rebalance(amounts, self._chamber(live, blank, rng))

    def chances(self, state: State) -> tuple[tuple[Load | Rebalance, float], ...] | None:
        """Every draw if these are few, from `chances.py`."""
        seats = len(state.lives)
        if state.due == LOAD:
            return loads(self._deck(state), seats, self.items_per_round, self.live_max, self.blank_max)
        return rebalances(seats, lambda amounts: self._added(state, amounts)[1:])

    def options(self, state: State, seat: Seat) -> tuple[Option, ...]:
        """On turn a shot, items owned and items to steal; before the first turn a Rebalancer or a pass."""
        if state.due == TURN and seat == state.on_turn:
            return options_on_turn(seat, living(state.lives), state.items, state.skipped, state.active)
        if state.due == WINDOW and seat in self.to_act(state):
            return options_in_window()
        return ()

    def numbered_moves(self, seats: int) -> tuple[Move, ...]:
        """Every move that a seat may ever make, by kind."""
        return every_move(seats)

    def apply(self, state: State, moves: Mapping[Seat, Move]) -> Step[State]:
        """Applies a load, a rebalance, a shot, an item, or all answers of the owners of Rebalancers."""
        asked = self.to_act(state)
        if moves.keys() != set(asked):
            raise IllegalMove(f"seats {[*map(int, asked)]} were asked, but {[*map(int, moves)]} answered")
        if asked == _CHANCE_ALONE:
            return (self._loaded if state.due == LOAD else self._rebalanced)(state, moves[CHANCE])
        for seat in asked:
            options = self.options(state, seat)
            if not is_legal(options, moves[seat]):
                raise IllegalMove(f"seat {int(seat)}: {explain(options, moves[seat])}")
        if state.due == WINDOW:
            return self._window_closed(state, [(seat, moves[seat]) for seat in asked])
        move = moves[state.on_turn]
        if isinstance(move, ShootPlayer):
            return shot(state, move.target)
        assert isinstance(move, UseItem)
        return used(state, move)

    def default(self, state: State, seat: Seat) -> ShootPlayer | Pass:
        """A shot at oneself; a Rebalancer is kept."""
        return _PASS if state.due == WINDOW else ShootPlayer(seat)

    def observe(self, state: State, seat: Seat | None) -> Observation:
        """What everybody sees and, for the seat that checked it, the next shell."""
        live, active = state.chamber.count(LIVE), state.active
        knows = CHAMBER_CHECK in active and seat == state.on_turn
        return Observation(
            you=seat,
            asked=state.due if state.due in (TURN, WINDOW) else None,
            current_player=state.on_turn,
            players=players(state.lives, state.items, state.skipped),
            turnOrder=playing_order(state.lives, state.on_turn),
            turnCount=state.turn_count,
            roundNumber=state.round_number,
            live_left=live,
            blank_left=len(state.chamber) - live,
            double_damage=DOUBLE_DAMAGE in active,
            quickshot=QUICKSHOT in active,
            known_next=state.chamber[0] if knows else None,
        )

    tell_move = staticmethod(sentences.tell_move)
    tell_event = staticmethod(sentences.tell_event)
    tell_mark = staticmethod(sentences.tell_mark)
    tell_why = staticmethod(sentences.tell_why)
    tell_seen = staticmethod(sentences.tell_seen)

    def sample_state(self, information: Information, rng: Random) -> State:
        """A state that fits, from `hidden.py`."""
        return sample_state(information, rng)

    def returns(self, state: State) -> tuple[float, ...]:
        """+1 for the winner, −1/(n−1) for the others."""
        return shared_returns(self.ranks(state))

    def ranks(self, state: State) -> tuple[int, ...]:
        """A seat that is out later ranks better."""
        if state.due != OVER:
            raise ValueError("the match is not over")
        return ranks_so_far(state)

    # A round is prepared.

    def _deck(self, state: State) -> tuple[Item, ...]:
        """The items of the round that is due."""
        return DECK if state.round_number <= self.sudden_death_after else LATE_DECK

    def _chamber(self, live: int, blank: int, rng: Random) -> tuple[str, ...]:
        """A chamber of `live` and `blank` shells in random order."""
        # The empty places are shuffled too: one more shell moves none of the others.
        row = (LIVE,) * live + ("",) * (self.chamber_max - live - blank) + (BLANK,) * blank
        return tuple([each for each in shuffled(rng, row) if each])

    def _loaded(self, state: State, move: Move) -> Step[State]:
        """The round's items are dealt, and the two counts told."""
        if type(move) is not Load or not self._is_load(state, move):
            raise IllegalMove(
                f"a load has {self.items_per_round} items of the deck for each of {len(state.lives)} seats, "
                f"1 to {self.live_max} live and 1 to {self.blank_max} blank shells"
            )
        dealt = zip(state.lives, move.items, strict=True)
        items = tuple([in_order(hand) if lives else () for lives, hand in dealt])
        order = playing_order(state.lives, state.on_turn)
        told = RoundStarted(
            state.round_number,
            tuple([(seat, state.lives[seat]) for seat in order]),
            tuple([(seat, items[seat]) for seat in order]),
            move.chamber.count(LIVE),
            move.chamber.count(BLANK),
        )
        event = Event("round_started", told)
        return self._prepared(state, event, items=items, chamber=move.chamber, window=1)

    def _is_load(self, state: State, load: Load) -> bool:
        """Whether the deck has these items, and this many shells may be loaded."""
        dealt = [item for hand in load.items for item in hand]
        live, blank = load.chamber.count(LIVE), load.chamber.count(BLANK)
        return (
            len(load.items) == len(state.lives)
            and all(len(hand) == self.items_per_round for hand in load.items)
            and Counter(dealt) <= Counter(self._deck(state))
            and 1 <= live <= self.live_max
            and 1 <= blank <= self.blank_max
            and live + blank == len(load.chamber)
        )

    def _prepared(self, state: State, event: Event, **changes: Any) -> Step[State]:
        """Asks the owners of Rebalancers if there are any and room is left; else the first turn begins."""
        after = changed(state, due=WINDOW, adding=(), **changes)
        if len(after.chamber) < self.chamber_max and self.to_act(after):
            return Step(after, (event,))
        return Step(changed(after, due=TURN), (event, turn_start(state.on_turn)))

    def _window_closed(self, state: State, answers: Sequence[tuple[Seat, Move]]) -> Step[State]:
        """Rebalancers are spent and chance is due; or nobody used one and the first turn begins."""
        adding = tuple([(seat, move.ammo) for seat, move in answers if isinstance(move, UseRebalancerItem)])
        if not adding:
            return Step(changed(state, due=TURN), (turn_start(state.on_turn),))
        items = state.items
        for seat, _ in adding:
            items = without(items, seat, REBALANCER)
        events = [Event("use_rebalancer_item", RebalancerUsed(seat, ammo)) for seat, ammo in adding]
        return Step(changed(state, due=REBALANCED, items=items, adding=adding), tuple(events))

    def _added(self, state: State, amounts: Sequence[int]) -> tuple[tuple[tuple[Seat, int], ...], int, int]:
        """How much each user adds, as far as there is room, and the live and blank counts after that."""
        counts = {LIVE: state.chamber.count(LIVE), BLANK: state.chamber.count(BLANK)}
        added = []
        for seat, ammo in state.adding:
            added.append((seat, min(amounts[seat], self.chamber_max - counts[LIVE] - counts[BLANK])))
            counts[ammo] += added[-1][1]
        return tuple(added), counts[LIVE], counts[BLANK]

    def _rebalanced(self, state: State, move: Move) -> Step[State]:
        """The new counts are told, and those who still own a Rebalancer are asked again."""
        if type(move) is not Rebalance or not all(1 <= amount <= AMOUNT_MAX for amount in move.amounts):
            raise IllegalMove(f"a rebalance has amounts of 1 to {AMOUNT_MAX}")
        if len(move.amounts) != len(state.lives):
            raise IllegalMove(f"a rebalance has an amount for each of {len(state.lives)} seats")
        added, live, blank = self._added(state, move.amounts)
        if sorted(move.chamber) != [BLANK] * blank + [LIVE] * live:
            raise IllegalMove(f"with these amounts there are {live} live and {blank} blank shells")
        event = Event("rebalanced", Rebalanced(added, live, blank))
        return self._prepared(state, event, chamber=move.chamber, window=state.window + 1)


_CHANCE_ALONE = (CHANCE,)
_PASS = Pass()
