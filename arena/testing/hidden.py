"""Checks what a game may leave out: that `chances` and `hidden_hands` agree with `draw`, and that states of
`sample_state` fit.

Where a game offers either, a few random matches are played, of its tiny configuration many.  States of these
that a seat cannot tell apart show what `sample_state` should give there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import fsum
from random import Random
from typing import Any, TypeAlias

from arena.errors import ConfigError, IllegalMove
from arena.match.game import (
    CHANCE,
    CHANCES_MAX,
    Game,
    HiddenHands,
    Information,
    Seat,
    is_legal,
    moves_of,
)
from arena.match.information import first_information, next_information
from arena.match.record import Turn
from arena.testing.leaks import Tiny
from arena.testing.values import check_frozen, hashable

MATCHES, TINY_MATCHES = 2, 100
"""How many matches are played of the game itself, and of the tiny one."""
TURNS_MAX = 200
"""After so many turns a match is left: one of a hundred hands would take as long as all else."""
LOOKS = 10
"""How many of a few things are looked at: of the states of a match the first ones, later ones more rarely."""
DRAWS = 5000
"""The draws that are counted, once in each game: enough to notice what is likelier by a few per cent."""
COUNTED_MAX = DRAWS // 10
"""The most moves of chance of which draws are counted."""
DOUBT = 20.0
"""Draws are said to differ from `chances` if that would happen by luck in one of e ** 20 checks."""
SAMPLES = 1000
"""The states that are sampled for one information."""
DEFAULTS_SHARE = 0.05
"""How often a seat fails to answer in a random match: often enough to be seen, rarely enough to get far."""


def check_optional(game: Game[Any, Any], numbers: Iterable[int], tiny: Tiny, rng: Random) -> None:
    """Checks what the game, with these numbers of seats, and the tiny one offer of the optional parts."""
    for seats in numbers:
        _check_matches(Tiny(game, seats), MATCHES, rng, {})
    _check_hands(game, rng)
    alike: Alike = {}
    _check_matches(tiny, TINY_MATCHES, rng, alike)
    for information, truths in [each for each in alike.values() if len(each[1]) > 1][:LOOKS]:
        _check_variety(tiny.game, information, truths, rng)


Alike: TypeAlias = dict[Any, tuple[Information, Counter[Any]]]
"""Each information met, and how often the seat that had it was in which state."""


def _check_matches(tiny: Tiny, matches: int, rng: Random, alike: Alike) -> None:
    """Plays matches and checks states on the way; notes those in which a seat knew the same."""
    game, is_counted = tiny.game, False
    if type(game).chances is Game.chances and type(game).sample_state is Game.sample_state:
        return
    for _ in range(matches):
        state = game.start(tiny.seats)
        known = [first_information(game, state, tiny.seats, Seat(seat)) for seat in range(tiny.seats)]
        for turn in range(TURNS_MAX):
            asked = game.to_act(state)
            if rng.random() < LOOKS / (LOOKS + turn):
                _check_sample(game, state, rng.choice(known), rng)
                if asked == (CHANCE,):
                    is_counted = _check_chances(game, state, rng, is_counted=is_counted)
                else:
                    _check_moves(game, state, rng)
            for information in known:
                alike.setdefault(_key(information), (information, Counter()))[1][state] += 1
            if not asked:
                break
            moves = _random_turn(tiny, state, rng)
            step = game.apply(state, moves)
            state, known = step.state, [next_information(game, each, moves, step) for each in known]


def _key(information: Information) -> Any:
    try:
        hash(information)
    except TypeError:  # holds mappings, as payloads may
        return hashable(information)
    return information


def _random_turn(tiny: Tiny, state: Any, rng: Random) -> Turn:
    """A move for each seat asked, failures to answer included; or a move of chance."""
    game, asked = tiny.game, tiny.game.to_act(state)
    if asked == (CHANCE,):
        return {CHANCE: rng.choice([*tiny.luck(state)]) if tiny.luck else game.draw(state, rng)}
    moves = {seat: rng.choice(game.options(state, seat)).sample(rng) for seat in asked}
    return {
        seat: game.default(state, seat) if rng.random() < DEFAULTS_SHARE else moves[seat] for seat in asked
    }


# What chance and the seats may do.


def _check_chances(game: Game[Any, Any], state: Any, rng: Random, *, is_counted: bool) -> bool:
    """Checks the chances of a state; returns whether draws of the game were counted, now or before."""
    chances: Any = game.chances(state)
    if chances is None:
        return is_counted
    ok = isinstance(chances, tuple) and all(isinstance(each, tuple) and len(each) == 2 for each in chances)
    assert ok, f"chances returns {chances!r}, not a tuple of moves, each with its probability"
    likely = dict(chances)
    assert len(likely) == len(chances), "chances names a move twice"
    assert len(likely) <= CHANCES_MAX, f"chances names {len(likely)} moves, more than {CHANCES_MAX}"
    for move, share in chances:
        ok = type(share) is float and share > 0
        assert ok, f"chances says {share!r} of {move}, which is not a probability above 0"
    total = fsum(likely.values())
    assert abs(total - 1) <= 1e-12, f"the probabilities of chances add up to {total!r}, not to 1"
    for move in rng.sample([*likely], min(LOOKS, len(likely))):
        _applied(game, state, {CHANCE: move}, f"{move}, which chances names,")
    is_due = not is_counted and len(likely) <= COUNTED_MAX
    drawn = Counter([game.draw(state, rng) for _ in range(DRAWS if is_due else LOOKS)])
    missing = next((move for move in drawn if move not in likely), None)
    assert missing is None, f"chances does not name {missing}, which was drawn in {state}"
    if is_due:
        _check_frequencies(drawn, likely, state)
    return is_counted or is_due


def _check_hands(game: Game[Any, Any], rng: Random) -> None:
    """Checks that the hands of a match for two are those that are drawn, and agree about what they win."""
    try:
        hidden = game.hidden_hands()
    except ConfigError:  # not under these house rules
        return
    if hidden is None:
        return
    numbers = sorted(hand for hands in hidden.alike for hand in hands)
    assert numbers == list(range(hidden.count)), "hidden_hands does not have each number once in `alike`"
    start, seats = game.start(2), (Seat(0), Seat(1))

    def seen(seat: Seat, deal: Any) -> Any:
        return hidden.plain(game.observe(game.apply(start, {CHANCE: deal}).state, seat))

    for seat in seats:
        known = {seen(seat, hidden.deal(seat, hand)) for hand in numbers}
        assert len(known) == hidden.count, f"hidden_hands has two hands of seat {seat} that look the same"
        for _ in range(LOOKS):
            assert seen(seat, game.draw(start, rng)) in known, "a hand was drawn that hidden_hands has not"
            hand = rng.choice(numbers)
            assert seen(seat, hidden.deal(seat, hand, rng)) == seen(seat, hidden.deal(seat, hand)), (
                "hidden_hands deals another hand with an rng than without"
            )
    _check_worth(game, hidden, rng)


def _check_worth(game: Game[Any, Any], hidden: HiddenHands, rng: Random) -> None:
    """Checks that two hands win of each other what they win, in matches of random moves."""
    start = game.start(2)
    for _ in range(LOOKS):
        one = rng.randrange(hidden.count)
        chances = hidden.chances(one)
        assert abs(fsum(chances) - 1) <= 1e-9, f"the chances of hidden_hands add up to {fsum(chances)!r}"
        (other,) = rng.choices(range(hidden.count), chances)
        state = game.apply(start, {CHANCE: hidden.deal(Seat(0), one)}).state
        turns: list[Turn] = []
        while asked := game.to_act(state):
            if not hidden.is_asked_once:
                _check_local(game, hidden, turns, state, one, rng)
            turns.append({seat: rng.choice(game.options(state, seat)).sample(rng) for seat in asked})
            state = game.apply(state, turns[-1]).state
        if (
            hidden.is_asked_once
        ):  # in games of their own from before 0.2.0, `returns` takes no fourth argument
            won, lost = hidden.returns(state, Seat(0), one), hidden.returns(state, Seat(1), other)
            _check_even(won[other], lost[one])


def _check_even(won: float, lost: float) -> None:
    assert abs(won + lost) <= 1e-9, f"hidden_hands says that one hand wins {won}, the other {lost}"


def _check_local(
    game: Game[Any, Any], hidden: HiddenHands, turns: list[Turn], state: Any, hand: int, rng: Random
) -> None:
    """Checks what a local best response asks after these turns, for seat 0 with this hand."""
    seen = game.observe(state, Seat(0))
    assert hidden.hand_of(seen) == hand, "hidden_hands has another number for a hand that is seen"
    for move in hidden.tried(state):
        _applied(game, state, {game.to_act(state)[0]: move}, f"{move}, which hidden_hands tries,")
    (other,) = rng.choices(range(hidden.count), hidden.chances(hand, seen))
    dealt = {CHANCE: hidden.deal(Seat(1), other, rng, seen)}
    again = game.start(2)
    for turn in (dealt, *turns):
        again = game.apply(again, turn).state
    assert game.observe(again, Seat(0)) == seen, "a deal of hidden_hands does not show what was seen"
    assert hidden.hand_of(game.observe(again, Seat(1))) == other, "a deal of hidden_hands is of another hand"
    (won,) = hidden.returns(again, Seat(0), hand, [other])
    (lost,) = hidden.returns(again, Seat(1), other, [hand])
    _check_even(won, lost)


def _check_frequencies(drawn: Counter[Any], likely: dict[Any, float], state: Any) -> None:
    """Checks by the chi-square statistic that moves were drawn as often as their probabilities say."""
    # Of fewer than five draws the statistic is not distributed as of many: rare moves count as one.
    often = [(drawn[move], share * DRAWS) for move, share in likely.items() if share * DRAWS >= 5]
    rare = DRAWS - sum([count for count, _ in often]), DRAWS - fsum([due for _, due in often])
    cells = [*often, rare] if rare[1] >= 5 else often
    spread, free = fsum([(count - due) ** 2 / due for count, due in cells]), len(cells) - 1
    # B. Laurent and P. Massart, Annals of Statistics 28 (2000), lemma 1: chi-square is larger with a
    # probability of exp(-DOUBT) at most.
    most = free + 2 * (free * DOUBT) ** 0.5 + 2 * DOUBT
    worst = max(likely, key=lambda move: abs(drawn[move] - likely[move] * DRAWS))
    assert spread <= most, (
        f"draw and chances differ: of {DRAWS} draws {drawn[worst]} were {worst} in {state}, "
        f"whose probability is said to be {likely[worst]}"
    )


def _check_moves(game: Game[Any, Any], state: Any, rng: Random) -> None:
    """Checks that the moves listed for each seat asked, if they are few, are legal, and that some apply."""
    options = {seat: game.options(state, seat) for seat in game.to_act(state)}
    moves = {seat: rng.choice(each).sample(rng) for seat, each in options.items()}
    for seat, each in options.items():
        listed = moves_of(each, CHANCES_MAX) or ()
        for move in listed:
            assert is_legal(each, move), f"moves_of lists {move}, which no option contains in {state}"
        for move in rng.sample(listed, min(LOOKS, len(listed))):
            _applied(game, state, {**moves, seat: move}, f"{move}, which an option contains,")


def _applied(game: Game[Any, Any], state: Any, moves: Turn, what: str) -> Any:
    try:
        return game.apply(state, moves).state
    except IllegalMove as error:
        raise AssertionError(f"apply refuses {what} in {state}: {error}") from error


# What is hidden.


def _check_sample(game: Game[Any, Any], state: Any, information: Information, rng: Random) -> None:
    """Checks that a sampled state follows from the rng and fits what the seat knows."""
    seed = rng.random()
    sample = game.sample_state(information, Random(seed))
    if sample is None:
        return
    assert sample == game.sample_state(information, Random(seed)), "sample_state gives two states for one rng"
    check_frozen(sample, "a sampled state")
    _check_fits(game, state, information, sample)
    if rng.random() < 1 / LOOKS:
        _play_on(game, sample, rng)


def _play_on(game: Game[Any, Any], sample: Any, rng: Random) -> None:
    """Checks that a sampled state can be played on."""
    for _ in range(TURNS_MAX):
        if not game.to_act(sample):
            game.ranks(sample)
            break
        moves = _random_turn(Tiny(game), sample, rng)
        sample = _applied(game, sample, moves, f"{moves}, played on from sample_state,")


def _check_fits(game: Game[Any, Any], state: Any, information: Information, sample: Any) -> None:
    """Checks that the seat would see, and could do, the same in the sample as in the true state."""
    seat = information.seat
    for (what, truth), (_, instead) in zip(
        _views(game, state, seat), _views(game, sample, seat), strict=True
    ):
        assert truth == instead, (
            f"sample_state does not fit what seat {int(seat)} knows: {what} would be {instead}, not {truth}"
        )


def _views(game: Game[Any, Any], state: Any, seat: Seat) -> list[tuple[str, Any]]:
    """What follows from what a seat knows, each with its name."""
    asked = game.to_act(state)
    return [
        ("to_act", asked),
        ("eliminated", game.eliminated(state)),
        ("holdings", game.holdings(state)),
        ("observe", game.observe(state, seat)),
        ("observe of spectators", game.observe(state, None)),
        ("options", game.options(state, seat) if seat in asked else ()),
    ]


def _check_variety(game: Game[Any, Any], information: Information, truths: Counter[Any], rng: Random) -> None:
    """Checks that samples for a seat that cannot tell states apart fit all of these, and are not all one."""
    samples = {game.sample_state(information, rng): None for _ in range(SAMPLES)}
    if None in samples:
        return
    one, other, *_ = truths
    for sample in [*samples][:LOOKS]:
        _check_fits(game, one, information, sample)
    seat = int(information.seat)
    assert len(samples) > 1, (
        f"sample_state always gives seat {seat} the same state, though it cannot tell {one} from {other}"
    )
    if len(samples) <= SAMPLES / 10:  # of so few, none that comes up in play is likely to be missed
        missed = next((each for each in truths if truths[each] >= 5 and each not in samples), None)
        assert missed is None, f"sample_state never gives seat {seat} {missed}, which fits all that it knows"
