"""The built-in bot that plays small games so that nobody can gain on it: its tables, and itself in matches.

The tables are judged by the rules as they are written out here, and by a best response of this file's own.
"""

import importlib.util
import json
from collections import Counter
from functools import cache
from itertools import product

import pytest
from calls import call
from liars_dice_questions import BOTS

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
    assert (BOTS / "optimal" / "tables.json.gz").stat().st_size < 200_000


@pytest.mark.slow
@pytest.mark.parametrize(
    "words", [["--rule", "dice=1", "--rule", "faces=3"], ["--game", "examples/kuhn.py"]], ids=" ".join
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
