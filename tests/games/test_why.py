"""Why a match was lost: the sentences of the five games, and which step decided."""

from __future__ import annotations

import re
from typing import Any

import attrs
import pytest
from replays import SMALL, random_replay

from arena.game import Event, Seat
from arena.games import GAMES
from arena.games.blef import events as blef
from arena.games.blef.sets import SETS
from arena.games.bluff import events as bluff
from arena.games.chamber import events as chamber
from arena.games.holdem import events as holdem
from arena.games.liars_dice import LiarsDice
from arena.games.liars_dice import events as dice
from arena.page.film import Watcher
from arena.telling.deciding import Deciding
from arena.telling.replay import LiveShowing, Moment
from arena.testing.sentences import Sentences

ANN, BOB, CAT = map(Seat, range(3))
NAMES = ("ann", "bob", "cat")
DICE = ((ANN, (5, 5)), (BOB, (5, 2)))
CARDS = ((ANN, ("9C",)), (BOB, ("KD", "AS")))
BOARD = ("2C", "7D", "9H", "JS", "KC")

WHY = [
    ("liars-dice", [dice.Showdown(BOB, ANN, (5, 3), DICE, 3, BOB)], "bob challenged a true bid of three 5s: there were three"),
    ("liars-dice", [dice.Showdown(BOB, ANN, (2, 1), DICE, 1, BOB)], "bob challenged a true bid of one 2: there was one"),
    ("liars-dice", [dice.Showdown(BOB, ANN, (2, 2), DICE, 1, ANN)], "ann bid two 2s, and there was only one"),
    ("liars-dice", [dice.Showdown(BOB, ANN, (6, 1), DICE, 0, ANN)], "ann bid one 6, and there were none"),
    ("liars-dice", [dice.RoundLost(BOB), dice.Eliminated(BOB)], "bob gave no valid answer"),
    ("blef", [blef.Showdown(BOB, ANN, 6, SETS[6].name, CARDS, True, BOB)], "bob checked ann's bet of a pair of nines, and it was there"),
    ("blef", [blef.Showdown(BOB, ANN, 6, SETS[6].name, CARDS, False, ANN)], "bob checked ann's bet of a pair of nines, and it was not there"),
    ("blef", [blef.RoundLost(ANN, CARDS)], "ann gave no valid answer"),
    ("bluff", [bluff.Challenged(BOB, ANN, "K", ("KD", "2S"), True, ANN, 9)], "ann claimed two kings, was caught bluffing and took nine cards"),
    ("bluff", [bluff.Challenged(BOB, ANN, "K", ("KD",), False, BOB, 1)], "bob accused ann, who had told the truth, and took one card"),
    ("chamber", [chamber.Shot(ANN, BOB, "live", 0)], "ann shot bob with a live shell, and bob had no lives left"),
    ("chamber", [chamber.Shot(ANN, ANN, "live", 1)], "ann shot themselves with a live shell, and had one life left"),
    ("holdem", [holdem.Showdown(BOARD, ((ANN, ("AS", "AD"), "pair"), (BOB, ("9C", "JD"), "two pair"))), holdem.HandOver(((ANN, -500), (BOB, 500)))], "ann's pair lost 500 chips to bob's two pair"),
    ("holdem", [holdem.Showdown(BOARD, ((ANN, ("AS", "AD"), "pair"), (BOB, ("QC", "QD"), "pair"))), holdem.HandOver(((ANN, 1500), (BOB, -1500)))], "bob's pair lost 1,500 chips to ann's better pair"),
    ("holdem", [holdem.HandOver(((ANN, -40), (BOB, 40)))], "ann put in 40 chips and folded"),
]  # fmt: skip


@pytest.mark.parametrize(("game", "payloads", "said"), WHY, ids=[said for *_, said in WHY])
def test_a_game_says_why(game: str, payloads: list[Any], said: str) -> None:
    """One sentence in the past tense, made of what everybody was told of the step."""
    events = [Event("", payload) for payload in payloads]
    assert said == GAMES[game]().tell_why(events, lambda seat: NAMES[seat])


class Silent(LiarsDice):
    """A game that does not say why."""

    def tell_why(self, events: Any, name: Any) -> None:
        return None


@attrs.frozen
class Held:
    """A state of a game in which nothing else matters."""

    out: tuple[Seat, ...] = ()


def decided(*steps: tuple[dict[int, float], tuple[Seat, ...]], ranks: tuple[int, ...] = (1, 2, 3)) -> Any:
    """What decides a match of steps with these losses and these eliminated seats."""
    deciding = Deciding(LiveShowing(Silent(), NAMES))
    for turn, (lost, out) in enumerate(steps):
        step = Moment(turn, {}, attrs.evolve(_STEP, state=Held(out)))
        deciding.note(step, tuple((Seat(seat), amount) for seat, amount in lost.items()))
    found = deciding.decided(ranks)
    return found and (found.turn, found.said)


_STEP: Any = next(iter(random_replay(LiarsDice(), 3, 1).moments())).step

DECIDED = [
    ("the last one to go out", [({1: 1}, ()), ({2: 3}, (CAT,)), ({1: 1}, (CAT, BOB)), ({}, (CAT, BOB))], (2, "bob lost their last die")),
    ("else the largest loss", [({1: 1}, ()), ({1: 4}, ()), ({2: 2.5}, ())], (1, "bob lost 4 dice")),
    ("of two as large the later one", [({1: 1}, ()), ({2: 1}, ()), ({}, ())], (1, "cat lost 1 die")),
    ("whoever won lost nothing that counts", [({0: 9}, ()), ({2: 2.5}, ())], (1, "cat lost 2.50 dice")),
    ("out without a loss", [({}, ()), ({}, (BOB,))], (1, "bob was out")),
    ("nothing is said of losses", [({}, ()), ({}, ())], None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("steps", "found"), [each[1:] for each in DECIDED], ids=[each[0] for each in DECIDED]
)
def test_the_step_that_decides(steps: Any, found: Any) -> None:
    """It is the last elimination or the largest loss, and who lost what is said where the game is silent."""
    assert found == decided(*steps)


def test_a_draw_is_decided_by_nothing() -> None:
    assert decided(({1: 4.0}, ()), ranks=(1, 1, 1)) is None


@pytest.mark.parametrize("game", GAMES)
def test_every_game_says_why_a_match_was_lost(game: str) -> None:
    """The sentence is the game's own, and its step is one with which something was lost."""
    replay = random_replay(SMALL.get(game) or GAMES[game](), 3, 11)
    watcher, lossy = Watcher(replay), set()
    for moment in replay.moments():
        if watcher.note(moment).lost:
            lossy.add(moment.turn)
    found = watcher.decided([seat.rank for seat in replay.match.seats])
    assert found is not None
    assert found["turn"] in lossy
    assert not found["said"].startswith(tuple(f"{name} lost" for name in replay.names))
    assert watcher.decided(None) is None, "of a match without a result nothing is said"


class Shouts(LiarsDice):
    def tell_why(self, events: Any, name: Any) -> str:
        return "It was a bluff."


class NamesOthers(LiarsDice):
    def tell_why(self, events: Any, name: Any) -> str:
        return f"{name(Seat(2))} is to blame"


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [(Shouts, "tell_why says .* which is not a clause"), (NamesOthers, "tell_why says .* does not name")],
)
def test_a_wrong_reason_is_found(kind: Any, sentence: str) -> None:
    """A sentence says what the game does wrong."""
    sentences = Sentences(kind())
    sentences.look_at_turn({}, [Event("invalid_move", dice.RoundLost(BOB))])
    assert sentences.complaint is not None
    assert re.search(sentence, sentences.complaint)
