"""Chamber: a row a rule, and one match from start to end."""

from pathlib import Path
from random import Random

import attrs
import playthrough
import pytest

from arena.errors import ConfigError, IllegalMove
from arena.game import CHANCE, Seat, explain, is_legal, shared_returns
from arena.games.chamber import Chamber
from arena.games.chamber.moves import (
    Load,
    Pass,
    Rebalance,
    ShootPlayer,
    UseAddLifeItem,
    UseChamberCheckItem,
    UseDoubleDamageItem,
    UseQuickshotItem,
    UseRebalancerItem,
    UseSkipItem,
    UseStealItem,
)
from arena.games.chamber.state import LOAD, OVER, REBALANCED, TURN, State

PLAYTHROUGH = Path(__file__).with_name("chamber_playthrough.txt")
GAME = Chamber()

SHOOT = [ShootPlayer(Seat(seat)) for seat in range(7)]
SKIP = [UseSkipItem(Seat(seat)) for seat in range(7)]
DOUBLE, QUICK, CHECK, LIFE = (
    UseDoubleDamageItem(),
    UseQuickshotItem(),
    UseChamberCheckItem(),
    UseAddLifeItem(),
)
REAL_ITEMS = {"D": "DoubleDamage", "C": "ChamberCheck", "A": "AddLife", "K": "Skip"}
REAL_ITEMS |= {"Q": "Quickshot", "R": "Rebalancer", "S": "Steal"}


def steal(owner, item, skip_target=None):
    return UseStealItem(Seat(owner), item, None if skip_target is None else Seat(skip_target))


def rounds(letters):
    """`LB` as a live and a blank round."""
    return tuple({"L": "live", "B": "blank"}[letter] for letter in letters)


def belongings(words):
    """`K DD -` as a Skip, two DoubleDamages and nothing, by seat."""
    order = "KDCRQSA"
    return tuple(
        tuple(REAL_ITEMS[letter] for letter in sorted(word.strip("-"), key=order.index))
        for word in words.split()
    )


def turn(chamber, items="- -", *, lives=None, on_turn=0, skipped=(), active=""):
    """A state in which seat `on_turn` is asked for its move."""
    seats = len(items.split())
    return State(
        TURN,
        lives or (5,) * seats,
        belongings(items),
        tuple(seat in skipped for seat in range(seats)),
        rounds(chamber),
        Seat(on_turn),
        tuple(REAL_ITEMS[letter] for letter in active),
        out=tuple(Seat(seat) for seat, left in enumerate(lives or ()) if not left),
    )


def played(state, *moves):
    """The last step of these moves, each made by the seat on turn."""
    step = None
    for move in moves:
        step = GAME.apply(state, {state.on_turn: move})
        state = step.state
    return step


def kinds(step):
    return [event.kind for event in step.events]


# Shots and items: what a row does not name stays as it is.

RULES = [
    ("a live round takes a life, and the turn ends", turn("LB"), [SHOOT[1]], {"lives": (5, 4), "on_turn": 1}),
    ("a live round at oneself, too", turn("LB"), [SHOOT[0]], {"lives": (4, 5), "on_turn": 1}),
    ("a blank at another ends the turn", turn("BL"), [SHOOT[1]], {"lives": (5, 5), "on_turn": 1}),
    ("a blank at oneself does not", turn("BL"), [SHOOT[0]], {"lives": (5, 5), "on_turn": 0}),
    ("the turn goes round", turn("BL", "- - -", on_turn=2), [SHOOT[0]], {"on_turn": 0}),
    ("dead seats have no turn", turn("BL", "- - -", lives=(5, 0, 5)), [SHOOT[2]], {"on_turn": 2}),
    ("AddLife: one more", turn("L", "A -"), [LIFE], {"lives": (6, 5), "items": ((), ()), "on_turn": 0}),
    ("DoubleDamage: two lives", turn("LB", "D -"), [DOUBLE, SHOOT[1]], {"lives": (5, 3), "active": ()}),
    (
        "DoubleDamage: a blank wastes it",
        turn("BLB", "D -"),
        [DOUBLE, SHOOT[0], SHOOT[1]],
        {"lives": (5, 4), "active": ()},
    ),
    (
        "DoubleDamage: no life below none",
        turn("LB", "D - -", lives=(5, 1, 5)),
        [DOUBLE, SHOOT[1]],
        {"lives": (5, 0, 5)},
    ),
    ("Quickshot: the turn does not end", turn("LB", "Q -"), [QUICK, SHOOT[1]], {"on_turn": 0, "active": ()}),
    ("Quickshot: nor by a blank", turn("BL", "Q -"), [QUICK, SHOOT[1]], {"on_turn": 0, "active": ()}),
    (
        "Quickshot: nor by a wound of one's own",
        turn("LB", "Q -"),
        [QUICK, SHOOT[0]],
        {"on_turn": 0, "active": ()},
    ),
    ("Quickshot: once", turn("LLB", "Q -"), [QUICK, SHOOT[1], SHOOT[1]], {"lives": (5, 3), "on_turn": 1}),
    (
        "Quickshot: a blank at oneself does not spend it",
        turn("BLB", "Q -"),
        [QUICK, SHOOT[0]],
        {"on_turn": 0, "active": ("Quickshot",)},
    ),
    (
        "Quickshot: it ends with death",
        turn("LB", "Q - -", lives=(1, 5, 5)),
        [QUICK, SHOOT[0]],
        {"on_turn": 1, "active": ()},
    ),
    (
        "Quickshot: it ends with the last other's death",
        turn("LB", "Q -", lives=(5, 1)),
        [QUICK, SHOOT[1]],
        {"due": OVER, "active": ()},
    ),
    (
        "Quickshot: it ends with one's own death, which is the end",
        turn("LB", "Q -", lives=(1, 5)),
        [QUICK, SHOOT[0]],
        {"due": OVER, "active": ()},
    ),
    (
        "Quickshot and DoubleDamage: the first shot doubles",
        turn("LLB", "DQ -"),
        [QUICK, DOUBLE, SHOOT[1], SHOOT[1]],
        {"lives": (5, 2)},
    ),
    (
        "Skip: of the next turn",
        turn("BL", "K - -"),
        [SKIP[1], SHOOT[1]],
        {"on_turn": 2, "skipped": (False,) * 3},
    ),
    (
        "Skip: of two seats, the own turn again",
        turn("BL", "K -"),
        [SKIP[1], SHOOT[1]],
        {"on_turn": 0, "turn_count": 2},
    ),
    (
        "Skip: it waits for its turn",
        turn("BL", "K - -"),
        [SKIP[2], SHOOT[1]],
        {"on_turn": 1, "skipped": (False, False, True)},
    ),
    ("Skip: once", turn("BBBL", "K -"), [SKIP[1], SHOOT[1], SHOOT[1]], {"on_turn": 1}),
    (
        "Skip: everybody else",
        turn("BL", "KK - -"),
        [SKIP[1], SKIP[2], SHOOT[1]],
        {"on_turn": 0, "skipped": (False,) * 3, "turn_count": 3},
    ),
    (
        "Skip: everybody else, and a suicide",
        turn("LB", "KK - -", lives=(1, 5, 5)),
        [SKIP[1], SKIP[2], SHOOT[0]],
        {"on_turn": 1, "skipped": (False,) * 3},
    ),
    (
        "Skip: it dies with its seat",
        turn("LB", "K - -", lives=(5, 1, 5)),
        [SKIP[1], SHOOT[1]],
        {"skipped": (False,) * 3, "on_turn": 2},
    ),
    (
        "ChamberCheck: until that round is gone",
        turn("BL", "C -"),
        [CHECK, SHOOT[0]],
        {"active": (), "on_turn": 0},
    ),
    (
        "Steal: both items are gone",
        turn("LB", "S A"),
        [steal(1, "AddLife")],
        {"lives": (6, 5), "items": ((), ())},
    ),
    ("Steal: used at once", turn("LB", "S D"), [steal(1, "DoubleDamage"), SHOOT[1]], {"lives": (5, 3)}),
    ("Steal: the owner can be skipped", turn("BL", "S K -"), [steal(1, "Skip", 1), SHOOT[1]], {"on_turn": 2}),
    (
        "Steal: another can be skipped",
        turn("BL", "S K -"),
        [steal(1, "Skip", 2)],
        {"skipped": (False, False, True)},
    ),
    (
        "a killer takes all items",
        turn("LB", "K QRS A", lives=(5, 1, 5)),
        [SHOOT[1]],
        {"items": belongings("KRQS - A")},
    ),
    (
        "a suicide leaves nothing",
        turn("LB", "KQ - A", lives=(1, 5, 5)),
        [SHOOT[0]],
        {"items": belongings("- - A"), "on_turn": 1},
    ),
    (
        "after a suicide nobody loses a turn",
        turn("LB", "- - -", lives=(5, 5, 1), on_turn=2),
        [SHOOT[2]],
        {"on_turn": 0},
    ),
    ("an empty chamber: a new round", turn("L"), [SHOOT[1]], {"due": LOAD, "round_number": 2, "on_turn": 1}),
    ("the emptying shot kept the turn", turn("B"), [SHOOT[0]], {"due": LOAD, "on_turn": 0}),
    (
        "the emptying shot was a Quickshot",
        turn("L", "Q -"),
        [QUICK, SHOOT[1]],
        {"due": LOAD, "on_turn": 0, "active": ()},
    ),
    (
        "Quickshot lasts with the turn",
        turn("B", "Q -"),
        [QUICK, SHOOT[0]],
        {"due": LOAD, "active": ("Quickshot",)},
    ),
    (
        "Skip survives the round",
        turn("B", "K - -"),
        [SKIP[2], SHOOT[1]],
        {"due": LOAD, "skipped": (False, False, True)},
    ),
    ("Skip counts between rounds", turn("B", "K - -"), [SKIP[1], SHOOT[1]], {"due": LOAD, "on_turn": 2}),
    ("the last living seat wins", turn("LB", "- -", lives=(5, 1)), [SHOOT[1]], {"due": OVER, "on_turn": 0}),
    ("also after a suicide", turn("LB", "- -", lives=(1, 5)), [SHOOT[0]], {"due": OVER, "on_turn": 1}),
    ("also by the last round", turn("L", "- -", lives=(1, 5)), [SHOOT[0]], {"due": OVER, "round_number": 1}),
]


@pytest.mark.parametrize(("name", "state", "moves", "expected"), RULES, ids=[row[0] for row in RULES])
def test_rules(name, state, moves, expected):
    """After these moves the state is as the rule says."""
    after = played(state, *moves).state
    assert expected == {field: getattr(after, field) for field in expected}


def test_every_shot_fires_the_next_round():
    """The chamber loses its first round, whoever is hit."""
    assert played(turn("BLB"), SHOOT[0]).state.chamber == rounds("LB")
    assert played(turn("BLB"), SHOOT[0], SHOOT[1]).state.chamber == rounds("B")


# What is legal.

THREE = turn("LBB", "KDCRQSA SKDCQA - KRS", lives=(5, 5, 0, 5))
"""Seat 0 is on turn and owns one of each; seat 2 is out."""

LEGAL = [
    ("a shot at another", THREE, SHOOT[1], True),
    ("a shot at oneself", THREE, SHOOT[0], True),
    ("a shot at who is out", THREE, SHOOT[2], False),
    ("a shot at nobody", THREE, SHOOT[4], False),
    ("passing", THREE, Pass(), False),
    ("a load by a seat", THREE, Load((), ()), False),
    ("Skip another", THREE, SKIP[3], True),
    ("Skip oneself", THREE, SKIP[0], False),
    ("Skip who is out", THREE, SKIP[2], False),
    ("Skip who is skipped", attrs.evolve(THREE, skipped=(False, True, False, False)), SKIP[1], False),
    ("Skip beside who is skipped", attrs.evolve(THREE, skipped=(False, True, False, False)), SKIP[3], True),
    ("Skip without one", turn("L", "D -"), SKIP[1], False),
    ("Skip when all are", turn("L", "K -", skipped=(1,)), SKIP[1], False),
    ("DoubleDamage", THREE, DOUBLE, True),
    ("DoubleDamage twice", turn("L", "D -", active="D"), DOUBLE, False),
    ("DoubleDamage without one", turn("L", "- D"), DOUBLE, False),
    ("ChamberCheck", THREE, CHECK, True),
    ("ChamberCheck of what one knows", turn("L", "C -", active="C"), CHECK, False),
    ("Quickshot", THREE, QUICK, True),
    ("Quickshot twice", turn("L", "Q -", active="Q"), QUICK, False),
    ("AddLife", THREE, LIFE, True),
    ("AddLife twice", turn("L", "A -", active=""), LIFE, True),
    ("AddLife without one", turn("L", "D A"), LIFE, False),
    ("Rebalancer in one's turn", THREE, UseRebalancerItem("live"), False),
    ("Steal an AddLife", THREE, steal(1, "AddLife"), True),
    ("Steal without one", turn("L", "- A"), steal(1, "AddLife"), False),
    ("Steal from oneself", THREE, steal(0, "AddLife"), False),
    ("Steal what is not there", THREE, steal(3, "AddLife"), False),
    ("Steal a Steal", THREE, steal(3, "Steal"), False),
    ("Steal a Rebalancer", THREE, steal(3, "Rebalancer"), False),
    ("Steal what is active", turn("L", "S D", active="D"), steal(1, "DoubleDamage"), False),
    ("Steal what one knows", turn("L", "S C", active="C"), steal(1, "ChamberCheck"), False),
    ("Steal a Skip for its owner", THREE, steal(3, "Skip", 3), True),
    ("Steal a Skip for another", THREE, steal(3, "Skip", 1), True),
    ("Steal a Skip for oneself", THREE, steal(3, "Skip", 0), False),
    ("Steal a Skip for nobody", THREE, steal(3, "Skip"), False),
    (
        "Steal a Skip for who is skipped",
        attrs.evolve(THREE, skipped=(False, True, False, False)),
        steal(3, "Skip", 1),
        False,
    ),
    ("Steal a Skip when all are skipped", turn("L", "S K", skipped=(1,)), steal(1, "Skip", 1), False),
    ("Steal an AddLife and skip", THREE, steal(1, "AddLife", 3), False),
]


@pytest.mark.parametrize(("name", "state", "move", "legal"), LEGAL, ids=[row[0] for row in LEGAL])
def test_legal_moves(name, state, move, legal):
    """Options and apply agree on what may be done on turn."""
    assert legal == is_legal(GAME.options(state, Seat(0)), move)
    if legal:
        GAME.apply(state, {Seat(0): move})
    else:
        with pytest.raises(IllegalMove):
            GAME.apply(state, {Seat(0): move})


def test_only_the_seat_on_turn_is_asked():
    """Nobody else has options, and nobody else's move is taken."""
    assert (Seat(0),) == GAME.to_act(THREE)
    assert GAME.options(THREE, Seat(1)) == ()
    for moves in ({Seat(1): SHOOT[0]}, {}, {Seat(0): SHOOT[1], Seat(1): SHOOT[0]}, {CHANCE: SHOOT[1]}):
        with pytest.raises(IllegalMove):
            GAME.apply(THREE, moves)


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        (SHOOT[2], "ShootPlayer: target Seat(2) is not one of Seat(0), Seat(1), Seat(3)"),
        (
            Pass(),
            "Pass is not possible here; possible: ShootPlayer, UseSkipItem, UseDoubleDamageItem, "
            "UseChamberCheckItem, UseQuickshotItem, UseAddLifeItem, UseStealItem",
        ),
    ],
)
def test_reasons(move, reason):
    """Why a move is not legal: the field, and what it may be."""
    assert reason == explain(GAME.options(THREE, Seat(0)), move)


# Who knows what.


def test_a_check_is_told_to_its_user_alone():
    """Everybody learns that it was used, the user alone what comes next, and until that is gone."""
    step = played(turn("BL", "C - -"), CHECK)
    use, result = step.events
    assert ("use_chamber_check_item", "use_chamber_check_result") == (use.kind, result.kind)
    assert use.public.player == Seat(0)
    assert result.seen_by(Seat(0)).next == "blank"
    assert [None, None, None] == [result.seen_by(who) for who in (Seat(1), Seat(2), None)]
    known = [GAME.observe(step.state, who).known_next for who in (Seat(0), Seat(1), Seat(2), None)]
    assert ["blank", None, None, None] == known
    after = played(step.state, SHOOT[0]).state
    assert GAME.observe(after, Seat(0)).known_next is None


def test_a_stolen_check_is_told_to_the_thief():
    """Not to who owned it."""
    step = played(turn("LB", "S C"), steal(1, "ChamberCheck"))
    assert [event.kind for event in step.events] == ["use_steal_item", "use_chamber_check_result"]
    assert (step.events[1].seen_by(Seat(0)).next, step.events[1].seen_by(Seat(1))) == ("live", None)


# A round is prepared.


def due_load(lives=(5, 5, 5), first=0):
    return State(LOAD, lives, ((),) * len(lives), (False,) * len(lives), (), Seat(first))


def loaded(words, chamber, *, game=None, lives=(5, 5, 5), first=0):
    """The game, and the step of a load of these items; seat `first` will be on turn."""
    items = belongings(words)
    game = game or Chamber(items_per_round=len(items[0]), chamber_max=12)
    return game, game.apply(due_load(lives, first), {CHANCE: Load(items, rounds(chamber))})


def test_items_are_cleared_and_dealt_to_the_living():
    """What was left is gone; who is out is dealt nothing."""
    old = attrs.evolve(due_load((5, 0, 5)), items=belongings("QQQ - S"))
    load = Load(belongings("KD DA AK"), rounds("LB"))
    step = Chamber(items_per_round=2).apply(old, {CHANCE: load})
    assert belongings("KD - KA") == step.state.items
    assert ((Seat(0), step.state.items[0]), (Seat(2), step.state.items[2])) == step.events[0].public.items


def test_without_rebalancers_the_first_turn_begins():
    """Nobody is asked before it."""
    game, step = loaded("K D A", "LB")
    assert (Seat(0),) == game.to_act(step.state)
    assert kinds(step) == ["round_started", "turn_start"]


def test_all_owners_are_asked_at_once_and_again():
    """In playing order, as long as somebody used one and somebody still has one."""
    game, step = loaded("RR KD RR", "LB", first=1)
    assert (Seat(2), Seat(0)) == game.to_act(step.state)
    assert game.options(step.state, Seat(1)) == ()
    step = game.apply(step.state, {Seat(0): UseRebalancerItem("live"), Seat(2): UseRebalancerItem("blank")})
    assert (CHANCE,) == game.to_act(step.state)
    assert ["use_rebalancer_item"] * 2 == kinds(step)
    step = game.apply(step.state, {CHANCE: Rebalance((1, 6, 2), rounds("LBLBB"))})
    assert ((Seat(2), 2), (Seat(0), 1)) == step.events[0].public.added
    assert (2, 3) == (step.events[0].public.live, step.events[0].public.blank)
    assert (Seat(2), Seat(0)) == game.to_act(step.state)
    step = game.apply(step.state, {Seat(0): Pass(), Seat(2): UseRebalancerItem("live")})
    step = game.apply(step.state, {CHANCE: Rebalance((1, 6, 1), rounds("BBBLLL"))})
    assert (Seat(0),) == game.to_act(step.state)
    step = game.apply(step.state, {Seat(0): Pass()})
    assert (Seat(1),) == game.to_act(step.state)
    assert kinds(step) == ["turn_start"]
    assert belongings("R KD -") == step.state.items


def test_once_nobody_has_one_the_turn_begins():
    """The last Rebalancer ends the asking."""
    game, step = loaded("R K D", "LB")
    step = game.apply(step.state, {Seat(0): UseRebalancerItem("live")})
    step = game.apply(step.state, {CHANCE: Rebalance((6, 1, 1), rounds("LLLLLLLB"))})
    assert (TURN, ["rebalanced", "turn_start"]) == (step.state.due, kinds(step))


def test_the_chamber_takes_only_so_many():
    """Users fill it up in playing order; who finds no room has spent its Rebalancer; then nobody is asked."""
    small = Chamber(items_per_round=2, live_max=1, blank_max=1, chamber_max=8)
    game, step = loaded("RR KR DR", "LB", game=small)
    step = game.apply(step.state, {Seat(seat): UseRebalancerItem("live") for seat in range(3)})
    with pytest.raises(IllegalMove, match="there are 7 live and 1 blank shells"):
        game.apply(step.state, {CHANCE: Rebalance((4, 4, 4), rounds("LLLLLLLLB"))})
    step = game.apply(step.state, {CHANCE: Rebalance((4, 4, 4), rounds("LLLLLLLB"))})
    assert tuple((Seat(seat), added) for seat, added in enumerate((4, 2, 0))) == step.events[0].public.added
    assert belongings("R K D") == step.state.items
    assert step.state.due == TURN


def test_a_full_chamber_asks_nobody():
    """There is no room for a Rebalancer from the beginning."""
    full = Chamber(items_per_round=1, live_max=1, blank_max=1, chamber_max=2)
    game, step = loaded("R R R", "LB", game=full)
    assert (TURN, (Seat(0),)) == (step.state.due, game.to_act(step.state))


def test_the_dead_are_not_asked():
    """A Rebalancer drawn for a seat that is out is nobody's."""
    game, step = loaded("R R K", "LB", lives=(5, 0, 5))
    assert (Seat(0),) == game.to_act(step.state)


def test_answers_of_the_window():
    """A Rebalancer for live or for blank rounds, or passing; nothing else."""
    game, step = loaded("R K D", "LB")
    for move in (UseRebalancerItem("live"), UseRebalancerItem("blank"), Pass()):
        assert is_legal(game.options(step.state, Seat(0)), move)
    for move in (UseRebalancerItem("rubber"), SHOOT[1], LIFE):
        with pytest.raises(IllegalMove, match="seat 0: "):
            game.apply(step.state, {Seat(0): move})
    assert Pass() == game.default(step.state, Seat(0))
    reason = explain(game.options(step.state, Seat(0)), UseRebalancerItem("rubber"))
    assert reason == "UseRebalancerItem: ammo rubber is not one of live, blank"


@pytest.mark.parametrize(
    ("name", "load"),
    [
        ("a seat without items", Load(belongings("K D -"), rounds("LB"))),
        ("a seat missing", Load(belongings("K D"), rounds("LB"))),
        ("an item too many", Load(belongings("K DD A"), rounds("LB"))),
        ("an item that is none", Load((("Skip",), ("Skip",), ("Gun",)), rounds("LB"))),
        ("no live round", Load(belongings("K D A"), rounds("BB"))),
        ("no blank round", Load(belongings("K D A"), rounds("LL"))),
        ("too many live rounds", Load(belongings("K D A"), rounds("LLLLLLLB"))),
        ("a round of another kind", Load(belongings("K D A"), ("live", "blank", "rubber"))),
        ("no load", Rebalance((1, 1, 1), rounds("LB"))),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_impossible_loads_are_refused(name, load):
    """Chance deals what the deck has, and loads what the house rules say."""
    with pytest.raises(IllegalMove, match="a load has 1 items"):
        Chamber(items_per_round=1).apply(due_load(), {CHANCE: load})


@pytest.mark.parametrize(
    ("name", "move", "sentence"),
    [
        ("a load", Load((), ()), "amounts of 1 to 6"),
        ("seven rounds", Rebalance((7, 1, 1), rounds("LLLLLLLLB")), "amounts of 1 to 6"),
        ("an amount missing", Rebalance((1, 1), rounds("LLB")), "for each of 3 seats"),
        ("a round missing", Rebalance((2, 1, 1), rounds("LLB")), "there are 3 live and 1 blank"),
        ("the wrong kind", Rebalance((1, 1, 1), rounds("LBB")), "there are 2 live and 1 blank"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_impossible_additions_are_refused(name, move, sentence):
    """Chance adds what was chosen, by the amounts it drew."""
    game, step = loaded("R K D", "LB")
    step = game.apply(step.state, {Seat(0): UseRebalancerItem("live")})
    assert step.state.due == REBALANCED
    with pytest.raises(IllegalMove, match=sentence):
        game.apply(step.state, {CHANCE: move})


def test_sudden_death_has_no_lives_in_its_deck():
    """After so many rounds every AddLife is a DoubleDamage."""
    game = Chamber(items_per_round=14, sudden_death_after=2)
    state = game.start(2)
    for round_number, lives, doubles in ((1, 4, 4), (2, 4, 4), (3, 0, 8)):
        late = attrs.evolve(state, round_number=round_number)
        load = game.draw(late, Random(round_number))
        dealt = [item for hand in load.items for item in hand]
        assert (lives, doubles) == (dealt.count("AddLife"), dealt.count("DoubleDamage"))
        game.apply(late, {CHANCE: load})
    with pytest.raises(IllegalMove):
        game.apply(late, {CHANCE: game.draw(state, Random(1))})


# The end.


def test_later_elimination_ranks_better():
    """Whatever the seats' order."""
    state = turn("LLLB", "- - - -", lives=(1, 1, 1, 1), on_turn=1)
    step = played(state, SHOOT[3], SHOOT[2], SHOOT[1])
    assert (1, 2, 3, 4) == GAME.ranks(step.state)
    assert shared_returns((1, 2, 3, 4)) == GAME.returns(step.state)
    assert kinds(step) == ["shoot_player", "eliminated", "match_over"]
    assert GAME.to_act(step.state) == ()
    with pytest.raises(IllegalMove):
        GAME.apply(step.state, {Seat(0): SHOOT[0]})


# House rules.


def test_the_deck_must_do_for_all():
    """Five items each are too many for seven seats of a deck of 28."""
    with pytest.raises(ConfigError, match="items_per_round"):
        Chamber(items_per_round=5).start(7)
    Chamber(items_per_round=5).start(5)


# One match from start to end.


def seen(value):
    """A value as the playthrough writes it."""
    if hasattr(value, "isSkipped"):
        words = [seen(value.username), str(value.lives), seen(value.items)]
        return "/".join(words + ["skipped"] * value.isSkipped + ["out"] * value.isSpectator)
    if isinstance(value, tuple) and any(hasattr(item, "isSkipped") for item in value):
        return ";".join(map(seen, value))
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        nested = any(isinstance(item, tuple) for _, item in value)
        return (";" if nested else ",").join(f"{seen(seat)}:{seen(item)}" for seat, item in value)
    if isinstance(value, tuple):
        return ",".join(map(seen, value))
    return str(int(value)) if isinstance(value, Seat) else str(value)


def read_move(text, default):
    """The move of `shoot 1`, `skip 1`, `steal 0 Quickshot`, `rebalancer live`, `pass`, …"""
    word, *more = text.split()
    plain = {
        "double": DOUBLE,
        "quick": QUICK,
        "check": CHECK,
        "life": LIFE,
        "pass": Pass(),
        "default": default,
    }
    if word in plain:
        return plain[word]
    if word == "rebalancer":
        return UseRebalancerItem(more[0])
    if word == "steal":
        return steal(int(more[0]), *more[1:])
    return {"shoot": ShootPlayer, "skip": UseSkipItem}[word](Seat(int(more[0])))


def read_load(text):
    """The load of `Skip | Steal | live blank`: items by seat, and the chamber."""
    *rows, chamber = (tuple(part.split()) for part in text.split("|"))
    return Load(tuple(rows), chamber)


def read_rebalance(text):
    """The rebalance of `2 6 | live blank`: rounds by seat, and the chamber."""
    amounts, chamber = (tuple(part.split()) for part in text.split("|"))
    return Rebalance(tuple(map(int, amounts)), chamber)


def test_playthrough():
    """A whole match by hand: who is asked, what each move leads to, and what everyone is told."""
    game = Chamber(lives=2, items_per_round=2, sudden_death_after=1)
    chance = {"load": read_load, "rebalance": read_rebalance}
    state = playthrough.played(PLAYTHROUGH, game, 3, write=seen, read_move=read_move, chance=chance)
    assert game.ranks(state) == (2, 3, 1)
