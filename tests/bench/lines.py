"""The referee beside the rules alone, both playing the same line: typical matches of each game.

A line is what bots of the house play against each other (of Hold'em: check and call, eight decisions a hand).
It is recorded first.  Bots that only repeat their answers then play it before the referee, so that no bot's
thinking is measured; the rules alone play the same moves: whose turn it is, chance, what is legal, whether
the move is, what follows, and the result.  They observe nothing, and nothing is encoded, judged or kept.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import cycle, pairwise
from pathlib import Path
from typing import Any

import attrs
import msgspec
import trio

from arena.bench.measures import Effort, Measure, at_least, at_most
from arena.games import GAMES, SERVICES
from arena.match.game import CHANCE, Game, Option, Seat, is_legal
from arena.match.record import MatchRecord, Turn
from arena.match.rulings import draw_of
from arena.players.base import Player
from arena.players.codec import Codec, codec_of
from arena.players.entrant import Entrant
from arena.players.local import LocalPlayer
from arena.referee import Conduct, Seating, play_match
from arena.sdk import Bot
from arena.tournament.bots.entrants import builtin_bots, resolve
from arena.tournament.plan import Plan
from tests.bench.figures import ratios

from .referee import UNHURRIED

CHECK_AND_CALL = "check-and-call"
DECISIONS = 400
"""At least so many are in a line: complete matches, one after the other."""
RATIO_GOAL = 1.8
SPEED_GOAL, DEFAULT_GAME_GOAL = 18_000, 60_000


@attrs.frozen
class RecordedLine:
    """Matches of one game that are played again and again."""

    game: Game[Any, Any]
    bots: tuple[str, ...]
    seeds: tuple[int, ...]
    """Of each match."""
    matches: tuple[tuple[Turn, ...], ...]
    answers: tuple[tuple[Any, ...], ...]
    """By seat: the moves of all matches as JSON values."""

    @property
    def what(self) -> str:
        """The game and its bots, for a row."""
        return named(self.game, self.bots)

    @property
    def names(self) -> tuple[str, ...]:
        """At the table."""
        return tuple(f"{bot}-{seat}" for seat, bot in enumerate(self.bots))

    @property
    def decisions(self) -> int:
        return sum(map(len, self.answers))


def named(game: Game[Any, Any], bots: Sequence[str]) -> str:
    """A game and who plays it, for a row."""
    alike = len(set(bots)) == 1
    return f"{game.name}, {f'two {bots[0]}' if alike else ' and '.join(bots)}"


def measure_lines(effort: Effort) -> list[Measure]:
    """For every game: the rules, the referee on the same line, and how many times as much it takes."""
    found = []
    for name in GAMES:
        line = line_of(name)
        speeds: tuple[list[float], list[float], list[float]] = ([], [], [])
        for repeat in range(effort.repeats + 1):
            sample = _side_by_side(line, effort.seconds / len(GAMES))
            if repeat:  # the first one fills what is kept from match to match
                for kept, speed in zip(speeds, sample, strict=True):
                    kept.append(speed)
        rules, told, referee = map(tuple, speeds)
        goal = at_least(DEFAULT_GAME_GOAL if name == Plan().game else SPEED_GOAL)
        what = f"rules alone, {line.what}"
        found += [
            Measure("lines", what, "decisions/s", rules),
            Measure("lines", f"referee, {line.what}", "decisions/s", referee, goal),
            Measure("lines", f"rules, questions and answers ÷ {what}", "×", ratios(rules, told)),
            Measure("lines", f"referee ÷ {what}", "×", ratios(rules, referee), at_most(RATIO_GOAL)),
        ]
    return found


def _side_by_side(line: RecordedLine, seconds: float) -> tuple[float, float, float]:
    """Decisions per second of processor time; all take turns, so that a noisy moment affects each."""
    spent = [0.0, 0.0, 0.0]
    rounds = 0
    while sum(spent) < seconds or not rounds:
        moments = [time.process_time()]
        for play in (play_rules, play_told, lambda line: trio.run(play_referee, line)):
            play(line)
            moments.append(time.process_time())
        for place, (began, ended) in enumerate(pairwise(moments)):
            spent[place] += ended - began
        rounds += 1
    rules, told, referee = (rounds * line.decisions / each for each in spent)
    return rules, told, referee


def play_rules(
    line: RecordedLine, answered: Callable[[Any, Seat], tuple[tuple[Option, ...], Any]] | None = None
) -> None:
    """The rules alone, on all matches of the line; `answered` as of `replayed_alone`."""
    game = line.game
    for seed, turns in zip(line.seeds, line.matches, strict=True):
        state = replayed_alone(game, len(line.bots), seed, turns, answered)
        assert not game.to_act(state), "the line is of complete matches"
        game.ranks(state), game.returns(state)


def play_told(line: RecordedLine) -> None:
    """The rules; and all questions as a bot in this process gets them, and its answers as moves."""
    game, decode = line.game, msgspec.json.decode
    codecs = [codec_of(game, line.names, Seat(seat)) for seat in range(len(line.names))]
    answers = list(map(iter, line.answers))

    def answered(state: Any, seat: Seat) -> tuple[tuple[Option, ...], Any]:
        codec, options = codecs[seat], game.options(state, seat)
        decode(codec.observation(game.observe(state, seat)))
        decode(codec.options(options))
        return options, codec.move(next(answers[seat]))

    play_rules(line, answered)


async def play_referee(line: RecordedLine) -> None:
    """The referee with bots in this process that repeat the line's answers."""
    bots: list[Bot] = [Repeater(answers) for answers in line.answers]
    players = [LocalPlayer(name, bot) for name, bot in zip(line.names, bots, strict=True)]
    for seed, turns in zip(line.seeds, line.matches, strict=True):
        record = await refereed(line.game, players, line.names, seed)
        assert turns == tuple(record.turns), "the same line was played"


async def refereed(
    game: Game[Any, Any], players: Sequence[Player], names: tuple[str, ...], seed: int
) -> MatchRecord:
    """One match without limits; nobody may fail, or the numbers mean nothing."""
    seating = Seating(f"{seed:012x}", names, tuple(range(len(names))))
    record = await play_match(game, players, seed=seed, control=UNHURRIED, conduct=Conduct(), seating=seating)
    assert not record.capsules, f"a bot failed: {record.capsules[0].decision.reason}"
    return record


# The line.


class Repeater(Bot):
    """Gives the same answers again, match after match."""

    def __init__(self, answers: Sequence[Any]) -> None:
        self._answers: Iterator[Any] = cycle(answers)

    def move(self, state: dict[str, Any], options: list[dict[str, Any]]) -> Any:
        return next(self._answers)


class CheckAndCall(Bot):
    """Hold'em: puts in what is owed, and nothing more."""

    def move(self, state: dict[str, Any], options: list[dict[str, Any]]) -> Any:
        turn = state["turn"]
        return {"action": 1, "betAmount": turn["bet_to_player"] - turn["bet_so_far"]}


@cache
def line_of(name: str) -> RecordedLine:
    """The line of this game; the same in every run."""
    game = GAMES[name]()
    return trio.run(_recorded, game, bots_for(game))


def bots_for(game: Game[Any, Any]) -> tuple[str, ...]:
    """Two house bots that are written in Python for this game, each in one file, or one twice.

    Hold'em is checked and called: what is measured there is the hand, and the house bot thinks for milliseconds.
    """
    if game.name == SERVICES["poker"]:
        return (CHECK_AND_CALL,) * 2
    house = [resolve(name, base=Path.cwd()) for name in builtin_bots()]
    able = [bot.name for bot in house if game.name in bot.games and _is_one_file(bot)]
    return (able[0], able[1 % len(able)])


def _is_one_file(bot: Entrant) -> bool:
    """Whether it is written in Python, without modules beside it, which `_bot` would not find."""
    assert bot.folder is not None, "bots of the house have a folder"
    return bot.language == "Python" and len(list(bot.folder.glob("*.py"))) == 1


async def _recorded(game: Game[Any, Any], bots: tuple[str, ...]) -> RecordedLine:
    names, players = players_of(bots)
    codecs = [Codec(game, names, Seat(seat)) for seat in range(len(bots))]
    matches, answers = list[tuple[Turn, ...]](), [list[Any]() for _ in bots]
    while sum(map(len, answers)) < DECISIONS:
        record = await refereed(game, players, names, len(matches) + 1)
        matches.append(tuple(record.turns))
        for decision in record.decisions:
            said = msgspec.json.encode(codecs[decision.seat].move_json(decision.move))
            answers[decision.seat].append(msgspec.json.decode(said))  # in JSON's own types, as bots say it
    seeds = tuple(range(1, len(matches) + 1))
    return RecordedLine(game, bots, seeds, tuple(matches), tuple(map(tuple, answers)))


def players_of(bots: Sequence[str]) -> tuple[tuple[str, ...], list[Player]]:
    """The names at the table of these bots, and a new player for each."""
    names = tuple(f"{bot}-{seat}" for seat, bot in enumerate(bots))
    return names, [LocalPlayer(name, _bot(bot)) for name, bot in zip(names, bots, strict=True)]


def _bot(name: str) -> Bot:
    """A new object of the house bot of this name, which is written in Python."""
    if name == CHECK_AND_CALL:
        return CheckAndCall()
    entrant = resolve(name, base=Path.cwd())
    assert entrant.folder is not None, "bots of the house have a folder"
    place = importlib.util.spec_from_file_location(f"line_{name}", entrant.folder / entrant.run[-1])
    assert place is not None, "its command ends with its file"
    assert place.loader is not None, "which is Python"
    module = importlib.util.module_from_spec(place)
    place.loader.exec_module(module)
    (found,) = (
        kind
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, Bot) and kind.__module__ == module.__name__
    )
    return found()


def replayed_alone(
    game: Game[Any, Any],
    seats: int,
    seed: int,
    turns: Iterable[Turn],
    answered: Callable[[Any, Seat], tuple[tuple[Option, ...], Any]] | None = None,
) -> Any:
    """The last state of a match by the rules alone: what chance draws, what is legal, what follows.

    `answered`: asks a seat in this state, and gives its options and its move.
    """
    state = game.start(seats)
    for turn in turns:
        asked = game.to_act(state)
        if asked[0] == CHANCE:
            assert turn == {CHANCE: draw_of(game, state, seed)}
        elif answered is None:
            assert all(is_legal(game.options(state, seat), turn[seat]) for seat in asked)
        else:
            assert all(is_legal(*answered(state, seat)) for seat in asked)
        state = game.apply(state, turn).state
    return state
