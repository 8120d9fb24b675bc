"""check_game passes a sound game, and says in one sentence what is wrong with another."""

from random import Random
from typing import Any, ClassVar

import attrs
import pytest
import test_blef
import test_bluff_contract
import test_chamber_matches
import test_holdem_contract
from daily import nightly

from arena.errors import ConfigError
from arena.game import CHANCE, Between, Event, IllegalMove, Literal, Option, Seat, Step
from arena.games import GAMES
from arena.games.liars_dice import LiarsDice
from arena.games.liars_dice.events import Eliminated, Hand
from arena.games.liars_dice.moves import Bid, Challenge, Forfeit, Pass, Roll
from arena.games.liars_dice.state import Observation
from arena.testing.games import Tiny, check_game, random_match, random_move


def tiny(kind=LiarsDice, **rules):
    """Two seats with a coin each: every roll, and nearly every history, is walked."""
    return Tiny(kind(dice=1, faces=2, **rules), draws=16, histories_max=1500)


@pytest.mark.nightly
@pytest.mark.slow
def test_the_model_keeps_the_contract():
    """The game that others are written after passes the contract test with its default house rules.

    At every change `test_every_game_keeps_the_contract` plays and walks enough of it to find each fault that is planted below.
    """
    check_game(LiarsDice(), tiny=tiny(), matches=5)


TINY = {
    "liars-dice": attrs.evolve(tiny(), histories_max=200),
    "blef": Tiny(test_blef.Short(), luck=test_blef.few_deals, histories_max=200),
    "bluff": test_bluff_contract.TINY,
    "holdem": test_holdem_contract.TINY,
    "chamber": attrs.evolve(test_chamber_matches.TINY, histories_max=300),
}
"""What is walked of each game: only its author knows what is tiny there.  Tests of its own walk further."""


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_every_game_keeps_the_contract(name):
    """Each class of GAMES by its default house rules, and walked in a tiny configuration; tests of its own go deeper."""
    game, walked = GAMES[name](), TINY[name]
    assert isinstance(walked.game, GAMES[name])
    check_game(game, seats=game.seats[0], matches=1, tiny=walked)


def test_silence_means_to_pass():
    """Where a game has a move that says nothing, it is the pass; elsewhere silence is a fault."""
    passes = {name: {move for move in game.moves if move.__name__ == "Pass"} for name, game in GAMES.items()}
    assert passes == {name: {game.silent_move} - {None} for name, game in GAMES.items()}
    assert any(passes.values())


def test_every_game_is_walked():
    """A game that is added to GAMES is added to TINY too."""
    assert GAMES.keys() == TINY.keys()


@pytest.mark.slow
@pytest.mark.parametrize(
    "rules",
    [
        {"challenge": "next"},
        {"dice": 20, "faces": 20, "turns_max": 30},
        *nightly({"wild_ones": True}, {"dice": 1, "faces": 2}, {"turns_max": 1}),
    ],
    ids=str,
)
def test_liars_dice_keeps_the_contract_with_any_rules(rules):
    """House rules at their ends keep the contract too, and the bound on turns."""
    game = LiarsDice(**rules)
    walked = tiny(challenge=game.challenge)
    if walked == tiny():  # `test_every_game_keeps_the_contract` walks that
        walked = attrs.evolve(walked, histories_max=50)
    check_game(game, tiny=walked, matches=3, turns_max=game.turns_max)


@pytest.mark.nightly
@pytest.mark.slow
def test_three_seats_leak_nothing():
    """With a third seat that only listens, nobody sees more than it was told."""
    walked = Tiny(LiarsDice(dice=1, faces=2), seats=3, draws=64, histories_max=1500)
    check_game(LiarsDice(dice=1), seats=3, matches=1, tiny=walked)


@pytest.mark.parametrize("game", GAMES)
def test_no_game_begins_with_other_seats(game):
    """Fewer or more than it declares are refused, with the number that was asked for."""
    cls = GAMES[game]
    for seats in (-1, 0, cls.seats[0] - 1, cls.seats[-1] + 1):
        with pytest.raises(ConfigError, match=rf" {seats} "):
            cls().start(seats)


# Planted faults.  Each is Liar's Dice with one thing wrong.


class LeakyObservation(LiarsDice):
    """Shows in `last_bid` what the other seat holds."""

    def observe(self, state, seat):
        seen = super().observe(state, seat)
        if seat is None or not state.hands:
            return seen
        return attrs.evolve(seen, last_bid=(sum(state.hands[1 - seat]), 0))


class LeakyForSpectators(LiarsDice):
    """Shows spectators a hand."""

    def observe(self, state, seat):
        seen = super().observe(state, seat)
        return attrs.evolve(seen, your_hand=state.hands[0]) if seat is None and state.hands else seen


class LeakyOptions(LiarsDice):
    """Offers no bid that the dice do not bear out."""

    def options(self, state, seat):
        options = super().options(state, seat)
        top = max(map(sum, state.hands)) if state.hands else 0
        return tuple(each for each in options if each.move is not Bid or top > 1) or options


class LeakyToAct(LiarsDice):
    """Asks only who has something to say: in the order of the hidden dice."""

    def to_act(self, state):
        return tuple(sorted(super().to_act(state), key=lambda seat: state.hands[seat] if state.hands else ()))


class TellsAHand(LiarsDice):
    """Tells everybody what seat 0 rolled."""

    def apply(self, state, moves):
        step = super().apply(state, moves)
        return (
            Step(step.state, (*step.events, Event("peek", Hand(step.state.hands[0]))))
            if CHANCE in moves
            else step
        )


class TellsASeat(LiarsDice):
    """Tells seat 1 alone what seat 0 rolled."""

    def apply(self, state, moves):
        step = super().apply(state, moves)
        peek = Event("peek", None, {Seat(1): Hand(step.state.hands[0])}) if CHANCE in moves else None
        return Step(step.state, (*step.events, peek)) if peek else step


class TellsByTelling(LiarsDice):
    """Says nothing of what was rolled, but says it only when seat 0 rolled a one."""

    def apply(self, state, moves):
        step = super().apply(state, moves)
        tells = CHANCE in moves and step.state.hands[0][:1] == (1,)
        return Step(step.state, (*step.events, Event("luck", Eliminated(Seat(0))))) if tells else step


class TellsWithABid(LiarsDice):
    """Tells with a bid what the bidder holds."""

    def _bid(self, state, move):
        step = super()._bid(state, move)
        return Step(step.state, (*step.events, Event("tell", Hand(state.hands[state.on_turn]))))


class HidesItsReveals(LiarsDice):
    """Shows all hands after a challenge and does not say so."""

    reveals: ClassVar[Any] = frozenset()


class ListsItsReveals(LiarsDice):
    reveals: ClassVar[Any] = ["challenge"]


class SilentDeal(LiarsDice):
    """Tells each seat its dice, and nobody that dice were rolled."""

    def apply(self, state, moves):
        step = super().apply(state, moves)
        return Step(step.state, tuple(event for event in step.events if event.kind != "round_started"))


# What viewers of matches expect, and who gives names.


def rewritten(step, kind, change):
    """The step with its events of this kind changed."""
    return Step(step.state, tuple(change(event) if event.kind == kind else event for event in step.events))


class SpacedKind(LiarsDice):
    """Calls an event by words with a blank between them."""

    def apply(self, state, moves):
        step = super().apply(state, moves)
        return rewritten(step, "round_started", lambda event: attrs.evolve(event, kind="Round started"))


class TwoPayloads(LiarsDice):
    """Tells of a lost round and of an elimination under one name."""

    def apply(self, state, moves):
        step = super().apply(state, moves)
        return rewritten(step, "invalid_move", lambda event: attrs.evolve(event, kind="eliminated"))


@attrs.frozen(slots=False)
class BidFirst:
    bid: tuple[int, int]
    bidder: Seat


class BidderLast(LiarsDice):
    """Tells the bid first, then whose it is."""

    def apply(self, state, moves):
        def turned(event):
            return attrs.evolve(event, public=BidFirst(event.public.bid, event.public.bidder))

        return rewritten(super().apply(state, moves), "bid", turned)


class WrongMover(LiarsDice):
    """Says of the next seat that it made the bid."""

    def apply(self, state, moves):
        def of_another(event):
            return attrs.evolve(
                event, public=attrs.evolve(event.public, bidder=Seat(1 - event.public.bidder))
            )

        return rewritten(super().apply(state, moves), "bid", of_another)


class UnsaidBid(LiarsDice):
    """Calls a bid by another name, and does not begin with who made it."""

    def apply(self, state, moves):
        def renamed(event):
            return Event("said", BidFirst(event.public.bid, event.public.bidder))

        return rewritten(super().apply(state, moves), "bid", renamed)


@attrs.frozen(slots=False)
class ForSpectators:
    round_number: int


class OtherView(LiarsDice):
    """Shows spectators other fields than seats."""

    def observe(self, state, seat):
        return super().observe(state, seat) if seat is not None else ForSpectators(state.round_number)


class LateChance(LiarsDice):
    """Begins with everybody's word, and rolls only then."""

    def to_act(self, state):
        return (state.on_turn,) if not state.hands and state.turns == 0 else super().to_act(state)

    def options(self, state, seat):
        return (Option(Challenge),) if not state.hands and state.turns == 0 else super().options(state, seat)

    def apply(self, state, moves):
        if state.hands or state.turns:
            return super().apply(state, moves)
        if any(type(move) not in (Challenge, Forfeit) for move in moves.values()):
            raise IllegalMove("only a challenge")
        return Step(attrs.evolve(state, turns=1), (Event("eliminated", Eliminated(state.on_turn)),))


class UnreservedMove(LiarsDice):
    reserved_names: ClassVar[Any] = LiarsDice.reserved_names - {"pass"}


class UnreservedSelf(LiarsDice):
    reserved_names: ClassVar[Any] = LiarsDice.reserved_names - {"yourself"}


class UnreservedNobody(LiarsDice):
    reserved_names: ClassVar[Any] = LiarsDice.reserved_names - {"not_available"}


class SilentlyForfeits(LiarsDice):
    silent_move: ClassVar[Any] = Forfeit


class SilentlyBids(LiarsDice):
    silent_move: ClassVar[Any] = Bid


class SilentlyNothing(LiarsDice):
    silent_move: ClassVar[Any] = Pass()


class RepeatedLuck(LiarsDice):
    """Rolls the same dice every round."""

    def chance_key(self, state):
        return ("roll",)


class RawSeats(LiarsDice):
    """Observes plain numbers where seats are meant."""

    def observe(self, state, seat):
        seen = super().observe(state, seat)
        return attrs.evolve(seen, other_hands=tuple((int(who), count) for who, count in seen.other_hands))


class SeatForCount(LiarsDice):
    """Observes a seat where a number is meant."""

    def observe(self, state, seat):
        return attrs.evolve(super().observe(state, seat), move_number=Seat(1))


class Mutable(LiarsDice):
    """Observes a list."""

    def observe(self, state, seat):
        return attrs.evolve(super().observe(state, seat), your_hand=[1, 2])


@attrs.define
class LooseObservation:
    """What anybody could change afterwards."""

    round_number: int


class NotFrozen(LiarsDice):
    def observe(self, state, seat):
        return LooseObservation(state.round_number)


class TooGenerous(LiarsDice):
    """Offers one die more than there is."""

    def options(self, state, seat):
        options = super().options(state, seat)
        more = Option(Bid, {"face": Between(1, self.faces), "count": Between(sum(state.dice) + 1, 99)})
        return (*options, more) if seat == state.on_turn else options

    def apply(self, state, moves):
        return LiarsDice(self.dice, self.faces).apply(state, moves)


class NoDefault(LiarsDice):
    """Plays for a seat that failed what is not always legal."""

    def default(self, state, seat):
        return Challenge()


class LegalForfeit(LiarsDice):
    """Says that bots may forfeit."""

    default_is_legal: ClassVar[bool] = True


class AnythingGoes(LiarsDice):
    """Takes whatever a seat says for its failure."""

    def _check(self, state, seat, move):
        pass

    def _bid(self, state, move):
        return super()._bid(state, move if isinstance(move, Bid) else Bid(1, 1))


class EndlessMatch(LiarsDice):
    """Gives lost dice back."""

    def _lost(self, state, loser, how, challenger, event):
        step = super()._lost(state, loser, how, challenger, event)
        fresh = self.start(len(state.dice))
        return Step(attrs.evolve(step.state, dice=fresh.dice, out=(), turns=0), (event,))


class DenseRanks(LiarsDice):
    """Counts places without gaps and from nought."""

    def ranks(self, state):
        return tuple(rank - 1 for rank in super().ranks(state))


class WrongWay(LiarsDice):
    """Rewards the loser."""

    def returns(self, state):
        return tuple(-share for share in super().returns(state))


class EarlyResult(LiarsDice):
    """Has a result before the end."""

    def returns(self, state):
        return (0.0,) * len(state.dice)


class TellsChance(LiarsDice):
    """Tells a hand to chance, which is not a seat."""

    def apply(self, state, moves):
        step = super().apply(state, moves)
        return Step(step.state, (*step.events, Event("hand", None, {CHANCE: Hand((1,))})))


class ForgetsMoves(LiarsDice):
    """Does not say what chance does."""

    moves: ClassVar[Any] = LiarsDice.moves[1:]


@attrs.frozen
class Peek:
    """A second move that is written as passing is."""

    form: ClassVar[Literal] = Literal("pass")


class TwoAlike(LiarsDice):
    moves: ClassVar[Any] = (*LiarsDice.moves, Peek)


class SecretDice(LiarsDice):
    """Draws from luck of its own."""

    def draw(self, state, rng):
        return super().draw(state, Random())


# Sentences.


class SaysNothingOfPasses(LiarsDice):
    def tell_move(self, seat, move, name):
        return None if isinstance(move, Pass) else super().tell_move(seat, move, name)


class SaysNothingOfShowdowns(LiarsDice):
    def tell_event(self, kind, payload, seat, name):
        return None if kind == "challenge" else super().tell_event(kind, payload, seat, name)


class SaysWhatWasRolled(LiarsDice):
    def tell_move(self, seat, move, name):
        return f"the dice: {move.hands}" if isinstance(move, Roll) else super().tell_move(seat, move, name)


class RemembersAHand(LiarsDice):
    """Says with a bid what it was once asked to say in secret."""

    known: ClassVar[list[Any]] = [()]

    def tell_event(self, kind, payload, seat, name):
        if isinstance(payload, Hand):
            self.known[:] = [payload.dice]
        said = super().tell_event(kind, payload, seat, name)
        return f"{said} with {self.known}" if kind == "bid" else said


class NamesSomebodyElse(LiarsDice):
    def tell_move(self, seat, move, name):
        said = super().tell_move(seat, move, name)
        return f"{said} before {name(Seat(1 - seat))}" if isinstance(move, Bid) else said


class EndsWithAFullStop(LiarsDice):
    def tell_event(self, kind, payload, seat, name):
        return f"{super().tell_event(kind, payload, seat, name)}."


class MoverLast(LiarsDice):
    def tell_move(self, seat, move, name):
        return f"a pass by {name(seat)}" if isinstance(move, Pass) else super().tell_move(seat, move, name)


class SeesNothingWithoutABid(LiarsDice):
    def tell_seen(self, observation, seat, name):
        return super().tell_seen(observation, seat, name) if observation.last_bid != (0, 0) else None


class SeesWithAFullStop(LiarsDice):
    def tell_seen(self, observation, seat, name):
        return tuple(f"{line}." for line in super().tell_seen(observation, seat, name))


class SeesSomebodyElse(LiarsDice):
    def tell_seen(self, observation, seat, name):
        return (f"{name(Seat(9))} is there",)


class BeginsWithoutARound(LiarsDice):
    round_begins: ClassVar[str | None] = "bid"


class BeginsTurnsWithARound(LiarsDice):
    turn_begins: ClassVar[str | None] = "round_started"


class AsksTheEliminated(LiarsDice):
    def eliminated(self, state):
        return (Seat(1),)


class ForgetsTheEliminated(LiarsDice):
    def eliminated(self, state):
        return (Seat(2),) if state.round_number == 1 else ()


class EliminatesByHands(LiarsDice):
    def eliminated(self, state):
        return (Seat(2),) if state.hands[:1] == ((1,),) else ()


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        (AsksTheEliminated, r"to_act asks \[Seat\(1\)\], who are eliminated"),
        (ForgetsTheEliminated, r"eliminated forgets \[Seat\(2\)\]"),
        (EliminatesByHands, "eliminated tells a spectator more than it was told"),
        (SaysNothingOfPasses, r"tell_move says nothing of .*Pass.* a game has sentences for all"),
        (SaysNothingOfShowdowns, r"tell_event says nothing of .*'challenge'.* a game has sentences for all"),
        (SaysWhatWasRolled, "a move of chance, and once said .* it tells what was drawn"),
        (RemembersAHand, "a sentence is made from its move or payload alone"),
        (NamesSomebodyElse, r"which does not name \[Seat\([01]\)\]"),
        (EndsWithAFullStop, "not a clause without a full stop"),
        (SeesNothingWithoutABid, "tells what is seen of all its observations, or of none"),
        (SeesWithAFullStop, "tell_seen says .* which are not clauses without a full stop"),
        (SeesSomebodyElse, r"tell_seen says .* which does not name \[Seat\(9\)\]"),
        (MoverLast, "does not begin with the seat that moved"),
        (BeginsWithoutARound, "round_begins is 'bid', but a match begins with .*round_started"),
        (BeginsTurnsWithARound, "turn_begins is 'round_started', but .* without a seat as its first field"),
        (LeakyObservation, "observe tells seat [01] more than it was told"),
        (LeakyForSpectators, "observe tells a spectator more than it was told"),
        (LeakyOptions, "options tells seat [01] more than it was told"),
        (LeakyToAct, "to_act tells a spectator more than it was told"),
        (TellsAHand, "the event peek tells (a spectator|seat 1) what no observation says"),
        (TellsASeat, "the event peek tells seat 1 what no observation says"),
        (TellsByTelling, "the event luck tells (a spectator|seat 1) what no observation says"),
        (TellsWithABid, "the event tell tells (a spectator|seat 1) what no observation says"),
        (
            HidesItsReveals,
            r"the event challenge tells .* only the kinds of events in `reveals` may do that, here \[\]",
        ),
        (ListsItsReveals, "reveals is .* not a frozenset of texts"),
        (SilentDeal, "a deal needs a public event"),
        (SpacedKind, "of kind 'Round started', not lower-case words"),
        (TwoPayloads, "the public payload of the event eliminated is a"),
        (BidderLast, r"the first field of the event bid is \(\d, \d\); it must be a seat that moved so"),
        (WrongMover, "the first field of the event bid is .* it must be a seat that moved so"),
        (OtherView, "but spectators ForSpectators"),
        (LateChance, "a round begins with a move of chance"),
        (SilentlyForfeits, "silent_move is Forfeit, which has no form"),
        (SilentlyBids, r"silent_move is Bid, which has fields, .* \['count', 'face'\]"),
        (SilentlyNothing, r"silent_move is Pass\(\), which is not a class in moves"),
        (UnreservedMove, "reserved_names does not contain .*pass"),
        (UnreservedSelf, "reserved_names does not contain .*yourself"),
        (UnreservedNobody, "'not_available' where a seat could stand"),
        (RepeatedLuck, "have the key"),
        (RawSeats, "0 is not of type Seat"),
        (SeatForCount, r"move_number: Seat\(1\) is not of type int"),
        (Mutable, r"your_hand: \[1, 2\] is not of type tuple"),
        (NotFrozen, "LooseObservation, which is not frozen"),
        (TooGenerous, "apply refuses"),
        (NoDefault, "apply refuses the default"),
        (LegalForfeit, r"the default Forfeit\(\) is in no option"),
        (AnythingGoes, "apply takes"),
        (EndlessMatch, "is not over after 200 turns"),
        (DenseRanks, "as places"),
        (WrongWay, "do not agree"),
        (EarlyResult, "does not raise ValueError"),
        (TellsChance, "which is not a seat"),
        (ForgetsMoves, "of a class that is not in moves"),
        (TwoAlike, "written alike"),
        (SecretDice, "draw returns two moves"),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else "",
)
def test_planted_faults_are_caught(kind, sentence):
    """One thing is wrong with the game, and the sentence says which."""
    two = kind(dice=2)
    with pytest.raises(AssertionError, match=sentence):
        check_game(two, seats=2, matches=3, tiny=tiny(kind), turns_max=200)


def test_a_move_is_told_with_its_mover_first():
    """Where one seat alone moves, some event tells it, whatever it is called, and begins with who moved."""
    two = UnsaidBid(dice=2, challenge="next")
    with pytest.raises(AssertionError, match="no public event tells Bid"):
        check_game(two, seats=2, matches=3, tiny=tiny(UnsaidBid, challenge="next"), turns_max=200)


def test_the_game_without_a_planted_fault_passes():
    """The game that the faults are planted in passes the very same call."""
    check_game(LiarsDice(dice=2), seats=2, matches=3, tiny=tiny(), turns_max=200)


def test_a_walk_that_compares_nothing_is_no_pass():
    """A leak test in which no two states ever looked alike to a seat fails instead of passing."""
    blind = Tiny(LiarsDice(dice=1, faces=2), luck=lambda state: [Roll(((1,), (2,)))], histories_max=1)
    with pytest.raises(AssertionError, match="compared nothing"):
        check_game(LiarsDice(dice=1), seats=2, matches=1, tiny=blind)


def test_a_random_match_is_its_seed():
    """The same rng plays the same match; another one another."""
    game = LiarsDice()
    one, same, other = (list(random_match(game, 3, Random(seed))) for seed in (1, 1, 2))
    assert one == same
    assert one != other
    assert game.to_act(one[-1][1].state) == ()


def test_random_moves_choose_the_option_first():
    """A challenge, one of three options, is a third of the random moves, however many bids there are."""
    game = LiarsDice()
    state = game.apply(game.start(2), {CHANCE: Roll(((1,) * 5,) * 2)}).state
    state = game.apply(
        state, {Seat(0): Bid(1, 1), Seat(1): next(iter(game.options(state, Seat(1)))).move()}
    ).state
    rng = Random(1)
    challenges = sum(random_move(game, state, Seat(1), rng) == Challenge() for _ in range(3000))
    assert 900 < challenges < 1100  # 1000 expected, standard deviation 26


def test_observations_are_what_bots_are_sent():
    """The class that the seats see names the fields of the game's document."""
    document = "round_number move_number your_hand other_hands last_move last_bid last_bidder"
    assert [*document.split(), "last_loser", "last_challenger"] == [
        field.name for field in attrs.fields(Observation)
    ]
