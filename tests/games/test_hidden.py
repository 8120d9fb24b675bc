"""What games may offer besides their rules: every draw with its probability, and states that fit what a seat knows."""

from collections import Counter
from itertools import islice, product
from math import fsum, prod
from random import Random
from typing import Any, ClassVar

import attrs
import pytest
from test_bluff_contract import Short
from test_kuhn import KUHN

from arena.game import CHANCE, CHANCES_MAX, Acted, Game, IllegalMove, Seat, moves_of
from arena.games import GAMES
from arena.games.blef import Blef
from arena.games.bluff import Bluff
from arena.games.chamber import Chamber
from arena.games.chamber.moves import Pass, UseRebalancerItem
from arena.games.holdem import Holdem
from arena.games.holdem.betting import BOARD_AT
from arena.games.liars_dice import LiarsDice
from arena.games.liars_dice.moves import Roll
from arena.match.information import first_information, information_after, next_information
from arena.testing import Fail, ScriptedPlayer, Tiny, check_game, play_once, random_match, random_move
from arena.testing.hidden import check_optional


class Deck(Short):
    """Bluff with five cards."""

    deck = Short.deck[:5]


def rebalanced(game, seats, rng):
    """A state in which all Rebalancers were used, and chance is due."""
    while True:
        for _, step in random_match(game, seats, rng):
            asked = game.to_act(step.state)
            if step.state.due == "rebalance":
                answers = {seat: UseRebalancerItem("blank") for seat in asked[:1]}
                answers |= dict.fromkeys(asked[1:], Pass())
                return game.apply(step.state, answers).state


def met(game, seats, rng, *, defaults=0.05):
    """Every state of a random match, with what each seat knows; failures to answer included."""
    state = game.start(seats)
    known = [first_information(game, state, seats, Seat(seat)) for seat in range(seats)]
    yield state, known
    while asked := game.to_act(state):
        if asked == (CHANCE,):
            moves = {CHANCE: game.draw(state, rng)}
        else:
            moves = {seat: random_move(game, state, seat, rng) for seat in asked}
            moves |= {seat: game.default(state, seat) for seat in asked if rng.random() < defaults}
        step = game.apply(state, moves)
        state, known = step.state, [next_information(game, each, moves, step) for each in known]
        yield state, known


def spread(counts, likely):
    """How far counts are from what is likely, in standard deviations of the chi-square statistic."""
    total, free = sum(counts.values()), len(likely) - 1
    of_each = [(counts[each] - total * share) ** 2 / (total * share) for each, share in likely.items()]
    return (sum(of_each) - free) / (2 * free) ** 0.5


# Chance.


SMALL = Chamber(items_per_round=1, live_max=2, blank_max=2, chamber_max=5)
LISTED = {
    "Kuhn": (KUHN(), KUHN().start(2)),
    "a die each": (LiarsDice(dice=1), LiarsDice(dice=1).start(3)),
    "two coins each": (LiarsDice(dice=2, faces=2), LiarsDice(dice=2, faces=2).start(2)),
    "five cards": (Deck(), Deck().start(2)),
    "a chamber without items": (bare := Chamber(items_per_round=0, live_max=3, blank_max=3), bare.start(2)),
    "two items each": (two := Chamber(items_per_round=2, live_max=1, blank_max=1), two.start(2)),
    "a rebalance": (SMALL, rebalanced(SMALL, 2, Random(1))),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LISTED)
def test_the_chances_are_those_of_draws(name):
    """As many draws as make each move come up often give these moves, each about as often as it should."""
    game, state = LISTED[name]
    chances = dict(game.chances(state))
    assert len(game.chances(state)) == len(chances) <= CHANCES_MAX
    assert fsum(chances.values()) == pytest.approx(1, abs=1e-12)
    rng, draws = Random(name), 30 * len(chances)
    drawn = Counter(game.draw(state, rng) for _ in range(draws))
    assert drawn.keys() <= chances.keys()
    assert abs(spread(drawn, chances)) < 4
    for move in chances:
        game.apply(state, {CHANCE: move})


@pytest.mark.parametrize(
    "game", [LiarsDice(), Blef(), Bluff(), Holdem(), Chamber(), LiarsDice(dice=1, faces=20)], ids=str
)
def test_too_many_chances_are_not_listed(game):
    """What would not fit in memory costs nothing: by default no game of the house lists its draws."""
    assert game.chances(game.start(4)) is None


# What a seat knows.


async def test_information_is_what_a_bot_was_told(autojump_clock):
    """A player that wrote down all questions, its moves and all events wrote down what `match.information` gives."""
    game, rng = LiarsDice(dice=2), Random(3)

    def move(question):
        return rng.choice(question.options).sample(rng) if rng.random() < 0.9 else Fail("illegal")

    players = [ScriptedPlayer(f"bot{seat}", move) for seat in range(3)]
    record = await play_once(game, players, faults_max=100)
    assert any(decision.fault for decision in record.decisions)
    for seat, player in enumerate(players):
        information = information_after(game, 3, record.turns, Seat(seat))
        own = [decision.move for decision in record.decisions if decision.seat == seat]
        acted = [each for each in information.past if isinstance(each, Acted)]
        assert [question.observation for question in player.questions] == [each.observation for each in acted]
        assert own == [each.move for each in acted]
        assert tuple(player.events) == information.told()


def test_equal_information_is_equal():
    """What a seat cannot know makes no difference, not even to the hash; what it was told does."""
    game, seat = LiarsDice(dice=1), Seat(0)
    one, other, own = (
        information_after(game, 2, [{CHANCE: Roll(roll)}], seat)
        for roll in (((1,), (2,)), ((1,), (3,)), ((2,), (2,)))
    )
    assert one == other
    assert hash(one) == hash(other)
    assert one != own


# States that fit.


def without_hidden(state):
    """A state with only the sizes of what is hidden in some game."""
    fields = attrs.asdict(state, recurse=False, filter=lambda field, _: field.eq)
    for name in fields.keys() & {"hands", "chamber", "pile", "played"}:
        fields[name] = [len(each) for each in state.hands] if name == "hands" else len(fields[name])
    hand = fields.get("hand")
    return fields | {"hand": hand and attrs.evolve(hand, deck=())}


MANY = {
    "a freeze-out": (Holdem(stack=100, reset_stacks=False, hands=20), (2, 6)),
    "own stacks": (Holdem(stacks=(100, 5, 900), reset_stacks=False, hands=9), (3,)),
    "few turns": (LiarsDice(turns_max=5), (3,)),
    "no sign of a bid": (LiarsDice(wild_ones=True, challenge="next"), (2,)),
    "free claims": (Bluff(claims="free_suit"), (2,)),
    "late items": (Chamber(sudden_death_after=0, items_per_round=9), (3,)),
} | {name: (cls(), (2, 3, 7) if name != "bluff" else (2,)) for name, cls in GAMES.items()}


@pytest.mark.slow
@pytest.mark.parametrize("name", MANY)
def test_only_what_is_hidden_differs(name):
    """At every moment of a match, for every seat, all else of the state is as it is, whoever failed to answer."""
    game, tables = MANY[name]
    for seats in tables:
        rng = Random(f"{name}/{seats}")
        for _ in range(3):
            for state, known in islice(met(game, seats, rng), 150):
                for information in known:
                    sample = game.sample_state(information, rng)
                    assert without_hidden(sample) == without_hidden(state)
                    assert game.observe(sample, information.seat) == information.observation


def test_bluff_draws_plays_that_a_seat_forgot():
    """Whoever knows only what was told draws its own cards of the pile too, and the hands stay as they are."""
    rng = Random(4)
    for state, known in met(Bluff(), 2, rng, defaults=0):
        if state.asked == "accuse" and len(state.pile) > 3:
            told = attrs.evolve(known[0], past=known[0].told())
            drawn = Bluff().sample_state(told, rng)
            assert drawn.hands[0] == state.hands[0]
            assert len(drawn.pile) == len(state.pile)
            assert sorted((*drawn.hands[0], *drawn.hands[1], *drawn.pile)) == sorted(Bluff.deck)
            return
    raise AssertionError("no pile grew so large")


def test_bluff_needs_two_seats():
    """With a third, where a card can be depends on who took it when: no state is offered."""
    game = Bluff()
    assert game.sample_state(first_information(game, game.start(3), 3, Seat(0)), Random(1)) is None


def branches(game, state):
    """Every turn that can be made, with its probability if all seats choose uniformly."""
    asked = game.to_act(state)
    if asked == (CHANCE,):
        return [({CHANCE: move}, share) for move, share in game.chances(state)]
    listed = [moves_of(game.options(state, seat), 100) for seat in asked]
    share = 1 / prod(map(len, listed))
    return [(dict(zip(asked, moves, strict=True)), share) for moves in product(*listed)] if asked else []


def posterior(game, turns):
    """After up to so many turns: what a seat may know, and how likely each state then is under uniform play."""
    start = game.start(2)
    layer = {(start, *(first_information(game, start, 2, Seat(seat)) for seat in (0, 1))): 1.0}
    found = {}
    for _ in range(turns):
        after = Counter()
        for (state, *known), weight in layer.items():
            for moves, share in branches(game, state):
                step = game.apply(state, moves)
                later = (next_information(game, each, moves, step) for each in known)
                after[step.state, *later] += weight * share
        layer = after
        for (state, *known), weight in layer.items():
            for information in known:
                found.setdefault(information, Counter())[hidden(state)] += weight
    return {
        information: {each: weight / fsum(weights.values()) for each, weight in weights.items()}
        for information, weights in found.items()
        if len(weights) > 1
    }


def hidden(state):
    """The hidden part of a state.  The order of the pile in Bluff is that in which a set of cards was named."""
    if hasattr(state, "chamber"):
        return state.chamber
    return (state.hands, frozenset(getattr(state, "pile", ())), getattr(state, "played", ()))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "turns"),
    [
        pytest.param(LiarsDice(dice=2, faces=2), 3, id="liars-dice"),
        pytest.param(Deck(), 4, id="bluff"),
        pytest.param(Chamber(items_per_round=0, live_max=2, blank_max=3, lives=2), 4, id="chamber"),
        pytest.param(
            Chamber(items_per_round=1, live_max=1, blank_max=2, chamber_max=3), 3, id="chamber with items"
        ),
    ],
)
def test_samples_are_as_likely_as_after_uniform_play(game, turns):
    """Of every history of a small game: how often each state is sampled is how likely it is once all is known that
    the seat knows, if chance and all seats choose uniformly."""
    rng, apart = Random(7), []
    shares_of = posterior(game, turns)
    for information in rng.sample([*shares_of], 60):
        shares = shares_of[information]
        sampled = Counter(hidden(game.sample_state(information, rng)) for _ in range(40 * len(shares)))
        assert sampled.keys() <= shares.keys()
        apart.append(spread(sampled, shares))
    assert abs(sum(apart)) < 4 * len(apart) ** 0.5
    assert max(apart) < 12


@pytest.mark.parametrize(
    ("game", "is_moment", "cards", "unseen"),
    [
        pytest.param(Holdem(), lambda state: state.hand, lambda state: state.hand.deck[2:6], 50, id="holdem"),
        pytest.param(
            Holdem(),
            lambda state: state.hand and state.hand.street == 1,
            lambda state: (*state.hand.deck[2:4], *state.hand.deck[BOARD_AT + 3 : BOARD_AT + 5]),
            47,
            id="holdem, flop",
        ),
        pytest.param(
            Blef(),
            lambda state: state.hands,
            lambda state: [hand[0] for hand in state.hands[1:]],
            23,
            id="blef",
        ),
    ],
)
def test_unseen_cards_are_anywhere(game, is_moment, cards, unseen):
    """Each card that the first seat has not seen is as likely as any other to be another seat's, or to come next."""
    rng = Random(11)
    known = next(
        known
        for seed in range(9)
        for state, known in met(game, 3, Random(seed), defaults=0)
        if is_moment(state)
    )
    samples = [cards(game.sample_state(known[0], rng)) for _ in range(40 * unseen)]
    assert all(len(set(each)) == len(each) for each in samples)
    for drawn in map(Counter, zip(*samples, strict=True)):
        assert unseen == len(drawn)
        assert abs(spread(drawn, dict.fromkeys(drawn, 1 / unseen))) < 4


# What check_game says of bad offers: Liar's Dice with a die of three faces each, and one thing wrong.


class Offers(LiarsDice):
    """Offers what Liar's Dice does, in the way that `listed` and `guessed` change."""

    def listed(self, chances):
        return chances

    def guessed(self, sample, information, rng):
        return sample

    def chances(self, state):
        return self.listed(super().chances(state))

    def sample_state(self, information, rng):
        return self.guessed(super().sample_state(information, rng), information, rng)


class Fewer(Offers):
    def listed(self, chances):
        return tuple((move, 1 / (len(chances) - 1)) for move, _ in chances[1:])


class More(Offers):
    def listed(self, chances):
        return tuple((move, share / 2) for move, share in (*chances, (Roll(((9,), (9,))), 1.0)))


class Twice(Offers):
    def listed(self, chances):
        return tuple((move, share / 2) for move, share in chances * 2)


class Loaded(Offers):
    """Says that a double one is half as likely again as it is."""

    def listed(self, chances):
        (first, share), (second, _), *others = chances
        return ((first, share * 1.5), (second, share * 0.5), *others)


class Impossible(Offers):
    def listed(self, chances):
        (first, share), (second, other), *others = chances
        return ((first, share + other), (second, 0.0), *others)


class Incomplete(Offers):
    def listed(self, chances):
        return tuple((move, share * (1 - 1e-9)) for move, share in chances)


class Unpaired(Offers):
    def listed(self, chances):
        return tuple(move for move, _ in chances)


class TooMany(Offers):
    def listed(self, chances):
        return tuple((Roll(((1,), (number,))), 1 / 10_001) for number in range(10_001))


class OwnDiceToo(Offers):
    """Rolls the dice of the seat that knows them too."""

    def guessed(self, sample, information, rng):
        hands = tuple(tuple(1 + int(rng.random() * self.faces) for _ in hand) for hand in sample.hands)
        return attrs.evolve(sample, hands=hands)


class OtherTurn(Offers):
    def guessed(self, sample, information, rng):
        return attrs.evolve(sample, on_turn=Seat(1 - sample.on_turn)) if sample.hands else sample


class SureOfItself(Offers):
    """Always guesses the same."""

    def sample_state(self, information, rng):
        return super().sample_state(information, Random(0))


class NoHighDice(Offers):
    """Never guesses that another has the highest face."""

    def guessed(self, sample, information, rng):
        hands = tuple(
            hand if seat == information.seat else tuple(min(die, self.faces - 1) for die in hand)
            for seat, hand in enumerate(sample.hands)
        )
        return attrs.evolve(sample, hands=hands)


class Peeking(Offers):
    """Gives the last state that a move led to: the true one, during a match."""

    states: ClassVar[list[Any]] = []

    def apply(self, state, moves):
        step = super().apply(state, moves)
        self.states.append(step.state)
        return step

    def sample_state(self, information, rng):
        return self.states[-1] if self.states else self.start(information.seats)


class OwnLuck(Offers):
    def sample_state(self, information, rng):
        return super().sample_state(information, LUCK)


LUCK = Random(5)


class Lists(Offers):
    def guessed(self, sample, information, rng):
        return attrs.evolve(sample, hands=list(sample.hands))


class DeadEnd(Offers):
    """Forgets the dice of the others."""

    def apply(self, state, moves):
        if () in state.hands:
            raise IllegalMove("a hand is empty")
        return super().apply(state, moves)

    def guessed(self, sample, information, rng):
        hands = tuple(hand if seat == information.seat else () for seat, hand in enumerate(sample.hands))
        return attrs.evolve(sample, hands=hands)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        (Fewer, r"chances does not name Roll\(.*, which was drawn"),
        (More, r"apply refuses Roll\(.*9.*, which chances names"),
        (Twice, "chances names a move twice"),
        (Loaded, r"draw and chances differ: of 5000 draws .* were Roll"),
        (Impossible, "chances says 0.0 of Roll.*not a probability above 0"),
        (Incomplete, "add up to 0.99999999.*, not to 1"),
        (Unpaired, "not a tuple of moves, each with its probability"),
        (TooMany, "chances names 10001 moves, more than 10000"),
        (OwnDiceToo, "does not fit what seat [01] knows: observe would be"),
        (OtherTurn, "does not fit what seat [01] knows: to_act would be"),
        (SureOfItself, "always gives seat [01] the same state, though"),
        (NoHighDice, "never gives seat [01] State.*, which fits all that it knows"),
        (Peeking, "does not fit what seat [01] knows|always gives"),
        (OwnLuck, "two states for one rng"),
        (Lists, "a sampled state, State: hands"),
        (DeadEnd, "played on from sample_state"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_bad_offers_are_caught(kind, sentence):
    """Chances that draws do not bear out, and states that do not fit or are not sampled, fail with one sentence."""
    game = kind(dice=1, faces=3)
    with pytest.raises(AssertionError, match=sentence):
        check_optional(game, (2,), Tiny(game), Random(1))


def test_check_game_looks_at_offers():
    """Both of the game itself, and of the tiny one."""
    good = LiarsDice(dice=1)
    for kind, sentence in (
        (Fewer, "chances does not name"),
        (OwnDiceToo, "does not fit what seat [01] knows"),
    ):
        for game, tiny in ((kind(dice=1), good), (good, kind(dice=1))):
            with pytest.raises(AssertionError, match=sentence):
                check_game(game, seats=2, matches=1, tiny=Tiny(tiny, histories_max=50))


def test_nothing_need_be_offered():
    """A game without the optional parts passes, and is not played for them."""

    class Plain(LiarsDice):
        chances = Game.chances
        sample_state = Game.sample_state

        def start(self, seats):
            raise AssertionError("nobody has to begin a match")

    check_optional(Plain(), (2, 3), Tiny(Plain()), Random(1))
    check_optional(LiarsDice(), (2,), Tiny(LiarsDice(dice=1, faces=3)), Random(1))
