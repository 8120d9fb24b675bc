"""The built-in bot that plays small games so that nobody can gain on it: its tables, and itself in matches.

The tables are judged by the rules as they are written out here, and by a best response of this file's own.
"""

import importlib.util
import json
from collections import Counter
from functools import cache
from itertools import combinations, product

import numpy as np
import pytest
from calls import call
from liars_dice_questions import BOTS, play

from arena.games import GAMES
from arena.games.cards import DECK
from arena.games.holdem.classes import CLASSES
from arena.games.holdem.equities import equities

FAR_MAX = 0.001
"""How much may be gained on it in a match, on average over both seats."""


def load(file):
    spec = importlib.util.spec_from_file_location(f"bot_{file}", BOTS / "optimal" / f"{file}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


CODE = load("optimal")


def hands_of(dice, faces):
    """Each hand, sorted, with its probability."""
    counts = Counter(tuple(sorted(hand)) for hand in product(range(1, faces + 1), repeat=dice))
    return {hand: number / faces**dice for hand, number in counts.items()}


@cache
def sure(bot_dice, other_dice, faces, wild, bot_starts):
    """What the bot is sure to win on average from the start of a round on, whatever the other does."""
    if not bot_dice or not other_dice:
        return 1.0 if bot_dice else -1.0
    key = (bot_dice, other_dice) if bot_starts else (other_dice, bot_dice)
    table = CODE.tables()[f"{key[0]},{key[1]},{faces},{int(wild)}"]
    # The loser starts the next round.
    lost = sure(bot_dice - 1, other_dice, faces, wild, True)
    won = sure(bot_dice, other_dice - 1, faces, wild, False)
    bids = [(face, count) for count in range(1, bot_dice + other_dice + 1) for face in range(1, faces + 1)]
    bot_seat = 0 if bot_starts else 1

    def shown(mine, its, bid, bot_challenges):
        """What the bot wins once a bid is challenged."""
        face, count = bid
        good = {face, 1} if wild else {face}
        is_true = sum(die in good for die in (*mine, *its)) >= count
        return lost if is_true == bot_challenges else won

    def most(mine, made, last, believed):
        """The least that the bot wins, by the other's best play, times the chance that it is here."""
        if len(made) % 2 != bot_seat:  # the other's turn
            found = [most(mine, (*made, bid), bid, believed) for bid in range(last + 1, len(bids))]
            if made:
                found.append(
                    sum(share * shown(mine, its, bids[last], False) for its, share in believed.items())
                )
            return min(found)
        total, by_bid = 0.0, {}
        for its, share in believed.items():
            place = sum(1 << bid for bid in made)
            shares = table[f"{bot_seat}{''.join(map(str, its))}:{place:x}"]
            assert sum(shares.values()) == pytest.approx(1, abs=0.005)
            for move, often in shares.items():
                part = share * often / sum(shares.values())
                if int(move) == len(bids):
                    total += part * shown(mine, its, bids[last], True)
                else:
                    by_bid.setdefault(int(move), {})[its] = part
        return total + sum(most(mine, (*made, bid), bid, those) for bid, those in by_bid.items())

    its_hands = hands_of(bot_dice, faces)
    return sum(share * most(mine, (), -1, its_hands) for mine, share in hands_of(other_dice, faces).items())


@pytest.mark.parametrize(
    ("dice", "faces", "wild"),
    [
        *((1, faces, wild) for faces in (2, 3, 4, 5) for wild in (False, True)),
        *((dice, 3 * (3 - dice), wild) for dice in (1, 2) for wild in (False, True)),
        *((2, 2, wild) for wild in (False, True)),
    ],
)
def test_nobody_gains_on_it(dice, faces, wild):
    first, second = (sure(dice, dice, faces, wild, starts) for starts in (True, False))
    assert -(first + second) / 2 <= FAR_MAX


@pytest.mark.parametrize(("faces", "value"), [(3, -1 / 9), (6, -1 / 9)])
def test_it_is_sure_of_what_the_game_is_worth(faces, value):
    """Known: with one die each, the first seat loses 1 ÷ 9 by best play with three faces, and with six."""
    assert sure(1, 1, faces, False, True) == pytest.approx(value, abs=FAR_MAX)
    assert sure(1, 1, faces, False, False) == pytest.approx(-value, abs=FAR_MAX)


def test_a_table_that_bluffs_less_is_found_out(monkeypatch):
    """The judge of this file sees it when one situation of the table is not played as it says."""
    tables = json.loads(json.dumps(CODE.tables()))
    table = tables["1,1,3,0"]
    mixed = next(key for key, shares in table.items() if key.endswith(":0") and len(shares) > 1)
    table[mixed] = {max(table[mixed], key=int): 1.0}
    monkeypatch.setattr(CODE, "tables", lambda: tables)
    sure.cache_clear()
    try:
        assert -(sure(1, 1, 3, False, True) + sure(1, 1, 3, False, False)) / 2 > 10 * FAR_MAX
    finally:
        sure.cache_clear()


def test_tables_can_be_made_again(monkeypatch):
    """What solve.py makes of three faces in fewer rounds than for the kept tables is as good already."""
    solve = load("solve")
    monkeypatch.setattr(solve, "ITERATIONS", 200)
    _, _, value, far = solve.Round((1, 1), 3, False, (-1.0, 1.0)).solve()
    assert value == pytest.approx(-1 / 9, abs=FAR_MAX)
    assert abs(far) < FAR_MAX


def test_its_tables_are_small():
    files = [*(BOTS / "optimal").glob("*.json.gz")]
    assert len(files) == 2
    assert sum(file.stat().st_size for file in files) < 200_000


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["--rule", "dice=1", "--rule", "faces=3"], marks=pytest.mark.nightly),
        ["--game", "examples/kuhn.py"],
    ],
    ids=" ".join,
)
def test_it_plays_by_its_tables_in_matches(words, capsys, monkeypatch):
    """What is found by asking it does not gain on it, but for luck; nor does it make a fault.

    In a quarter of the usual matches: who loses track of its tables loses more than the interval is wider.
    """
    monkeypatch.setattr("arena.trials.exploit.exploit.MATCHES", 25)
    code, said, errors = call(capsys, monkeypatch, "exploit", "optimal", *words, "--json", "--quiet")
    assert code == 0, errors
    found = json.loads(said)
    assert found["faults"] == 0
    assert found["loses"] < 2 * found["half_width"] + FAR_MAX
    assert not found["answers_alike"], "it draws its moves"


# Push or fold, in big blinds, by the rules written out here.

RANKS = "23456789TJQKA"
HANDS = list(combinations(DECK, 2))
KINDS = [CLASSES.index(CODE.class_of(hand)) for hand in HANDS]
COUNTS = Counter(KINDS)


@cache
def met():
    """By both classes: the probability that the first seat is dealt the one, the second seat the other."""
    cards = [sum(1 << DECK.index(card) for card in hand) for hand in HANDS]
    pairs = Counter(
        (kind, its_kind)
        for hand, kind in zip(cards, KINDS, strict=True)
        for its, its_kind in zip(cards, KINDS, strict=True)
        if not hand & its
    )
    deals = pairs.total()
    return {pair: number / deals for pair, number in pairs.items()}


def share_in(stack, seat, name):
    return CODE.pushes()[str(stack)][seat].get(name, 0)


@cache
def won_by_class(stack, seat):
    """By class, and by whether the other is in: what the other gets against the bot in this seat, in all."""
    found = {(kind, is_in): 0.0 for kind in range(len(CLASSES)) for is_in in (False, True)}
    for (one, other), chance in met().items():
        bot, mine = (one, other) if seat == 0 else (other, one)
        goes_in = share_in(stack, seat, CLASSES[bot])
        both = stack * (2 * equities()[mine][bot] - 1)
        if seat == 0:  # the other has the big blind, and gets the small one where the bot folds
            found[mine, True] += chance * (goes_in * both + (1 - goes_in) * 0.5)
            found[mine, False] += chance * (goes_in * -1 + (1 - goes_in) * 0.5)
        else:
            found[mine, True] += chance * (goes_in * both + (1 - goes_in) * 1)
            found[mine, False] += chance * -0.5
    return found


def most(stack, seat):
    """What the best response wins on average against the bot in this seat."""
    found = won_by_class(stack, seat)
    return sum(max(found[kind, False], found[kind, True]) for kind in range(len(CLASSES)))


@pytest.mark.parametrize("stack", range(2, 16))
def test_nobody_gains_on_it_in_push_or_fold(stack):
    assert (most(stack, 0) + most(stack, 1)) / 2 <= FAR_MAX


def shares_of_hands(stack, seat):
    return sum(share_in(stack, seat, name) * COUNTS[place] for place, name in enumerate(CLASSES)) / 1326


def test_it_is_in_with_as_many_hands_as_is_known():
    """Published equilibria with ten big blinds: 58.3 % of all hands are pushed, and 37.4 % call."""
    assert shares_of_hands(10, 0) == pytest.approx(0.583, abs=0.001)
    assert shares_of_hands(10, 1) == pytest.approx(0.374, abs=0.001)


@pytest.mark.parametrize(
    ("stack", "seat", "are_in", "are_out"),
    [
        (10, 0, "22 A2o K2s K4o JTo T9o 54s Q2s", "72o 32o J2o Q2o T2s 42s"),
        (10, 1, "22 A2o K2s K5o QJo JTs", "72o T9o J2s Q2o 54s 87s"),
        (15, 0, "22 A2o K9o T8s 54s", "72o K2o J8o Q2s"),
        (2, 1, "72o 32o", ""),
    ],
)
def test_it_plays_hands_that_charts_are_sure_of(stack, seat, are_in, are_out):
    """Hands far from the edge of the published charts."""
    assert {name for name in are_in.split() if share_in(stack, seat, name) < 0.99} == set()
    assert {name for name in are_out.split() if share_in(stack, seat, name) > 0.01} == set()


def test_a_caller_who_is_too_tight_is_found_out(monkeypatch):
    """The judge of this file sees it where the table calls without aces of low cards."""
    pushes = json.loads(json.dumps(CODE.pushes()))
    for name in ("A2o", "A3o", "A4o", "A5o", "A6o", "A7o"):
        del pushes["10"][1][name]
    monkeypatch.setattr(CODE, "pushes", lambda: pushes)
    won_by_class.cache_clear()
    try:
        assert (most(10, 0) + most(10, 1)) / 2 > 5 * FAR_MAX
    finally:
        won_by_class.cache_clear()


@pytest.mark.parametrize(("stack", "steps"), [(3, 4_000), (10, 4_000)])
def test_the_game_is_worth_what_another_solver_says(stack, steps):
    """Fictitious play: each best response joins what was played so far, with the same weight."""
    chances, both = np.zeros((169, 169)), np.array(equities())
    for pair, chance in met().items():
        chances[pair] = chance
    won = chances * stack * (2 * both - 1)
    push, call = np.full(169, 0.5), np.full(169, 0.5)
    for step in range(2, steps):
        pushed = chances @ (1 - call) + won @ call > -0.5 * chances.sum(1)
        called = -(push @ won) > -(push @ chances)
        push, call = push + (pushed - push) / step, call + (called - call) / step
    value = push @ (chances @ (1 - call) + won @ call) - 0.5 * (1 - push) @ chances.sum(1)
    assert -most(stack, 0) <= value + 0.002
    assert most(stack, 1) >= value - 0.002
    assert most(stack, 1) == pytest.approx(value, abs=0.003)


def test_push_tables_can_be_made_again(monkeypatch):
    """What solve_push.py makes in fewer rounds than for the kept table is as good already."""
    solve = load("solve_push")
    monkeypatch.setattr(solve, "ITERATIONS", 300)
    game = solve.Push(10, solve.pairs(), np.array(equities()))
    push, call = game.solve()
    assert game.far(push, call) < FAR_MAX
    assert push @ game.total == pytest.approx(shares_of_hands(10, 0), abs=0.01)
    assert call @ game.total == pytest.approx(shares_of_hands(10, 1), abs=0.01)


def test_in_matches_it_goes_in_where_its_table_is_sure():
    """As the small blind and as the one that is asked to call; how a hand is called is written out here."""
    done = {(seat, goes_in): 0 for seat in (0, 1) for goes_in in (False, True)}

    class Noted(CODE.Optimal):
        def move(self, state, options):
            move = super().move(state, options)
            (high, suit), (low, other) = sorted(
                state["cards"]["hole"], key=lambda card: -RANKS.index(card[0])
            )
            name = high + low + ("" if high == low else "s" if suit == other else "o")
            share = share_in(10, self.match.seat, name)
            if min(share, 1 - share) < FAR_MAX:
                assert move["action"] == round(share), (self.match.seat, name)
                done[self.match.seat, share > 0.5] += 1
            return move

    game = GAMES["holdem"](push_or_fold=True, hands=1, stack=200)
    for seed in range(100):
        play(game, [Noted(), Noted()], seed)
    assert min(done.values()) >= 10, done


@pytest.mark.nightly
def test_it_plays_push_or_fold_by_its_table_in_matches(capsys, monkeypatch):
    """In chips, of which twenty are a big blind; hardly any hand is mixed, so there is hardly any luck.

    In a tenth of the usual passes: its answers are all asked before, and valuing them is what takes long.
    """
    monkeypatch.setattr("arena.trials.exploit.valuing.PASSES", 2)
    monkeypatch.setattr("arena.trials.exploit.valuing.T_PASSES", 12.706)
    words = ["--game", "holdem", "--rule", "push_or_fold=true", "--rule", "hands=1", "--rule", "stack=200"]
    code, said, errors = call(capsys, monkeypatch, "exploit", "optimal", *words, "--json", "--quiet")
    assert code == 0, errors
    found = json.loads(said)
    assert found["faults"] == sum(seat["faults"] for seat in found["seats"]) == 0
    assert found["points"] == 2652
    assert abs(found["loses"]) < 2 * found["half_width"] + 20 * FAR_MAX
