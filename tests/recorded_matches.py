"""The recorded matches that ship with the built-in games, made of matches that house bots play in this process.

`python -m tests.recorded_matches --write` makes them again; `tests/check/test_recorded_matches.py` compares.

Of all questions that come up in the matches of a game, a few are chosen so that together they have everything
that any of them has: every kind of option at small and large tables, every state of every field (nothing there,
zero, something, each word), then every set of kinds that are offered together, then the rarest.
"""

from __future__ import annotations

import importlib
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import msgspec
import trio
import trio.testing

from arena.games import GAMES
from arena.match.clock import Control
from arena.match.game import CHANCE, Game, Seat
from arena.match.record import Decision, Turn
from arena.players.codec import Codec
from arena.players.entrant import Entrant
from arena.players.local import LocalPlayer, load_bot
from arena.referee import Conduct, Seating, play_match
from arena.schedule import bot_seed, derive_seed
from arena.telling.replay import replay
from arena.trials.check.matches import FILE, RecordedMatch, written

BOTS = Path(__file__).parent.parent / "bots"
HOUSE = {
    "liars-dice": ("odds:Odds", "truthful:Truthful", "bluffer:Bluffer"),
    "blef": ("croupier:Croupier",),
    "bluff": ("doubter:Doubter",),
    "holdem": ("equity:Equity",),
    "chamber": ("tally:Tally",),
}
"""The bots of each game that are written in Python; `random` plays all of them."""
RANDOM = "random_bot:RandomBot"
MATCHES, SEED = 12, 1
"""Matches played of each game."""
QUESTIONS_MAX, MATCHES_KEPT_MAX = 20, 6
"""Questions chosen of a game, and of how many matches."""
TURNS_MAX = 160
"""Chance included; a match is not played beyond that."""


def lines_of(name: str) -> list[str]:
    """The file of a game."""
    return [written(match) for match in chosen([*played(GAMES[name]())])]


def path_of(name: str) -> Path:
    return Path(sys.modules[GAMES[name].__module__].__file__ or "").parent / FILE


# The matches.


def played(game: Game[Any, Any]) -> Iterator[RecordedMatch]:
    """The first turns of matches at all sizes of table, in virtual time, so that nobody is ever late."""
    numbers = [*game.seats]
    for number in range(MATCHES):
        seats = numbers[number % len(numbers)] if number < len(numbers) else numbers[0]
        yield trio.run(
            partial(_match, game, seats, number), clock=trio.testing.MockClock(autojump_threshold=0)
        )


class EnoughError(Exception):
    """The match is long enough."""


async def _match(game: Game[Any, Any], seats: int, number: int) -> RecordedMatch:
    seed = derive_seed(SEED, game.name, number) >> 70
    match_id = f"{seed:012x}"[:12]
    kinds = (*HOUSE[game.name], RANDOM)
    targets = [kinds[(seat + number) % len(kinds)] for seat in range(seats)]
    names = tuple(
        f"{target.partition(':')[0].partition('_')[0]}-{seat}" for seat, target in enumerate(targets)
    )
    players = [
        LocalPlayer(name, load_bot(Entrant(name=name, kind="local", target=target)))
        for name, target in zip(names, targets, strict=True)
    ]
    seeds = tuple(bot_seed(seed, match_id, seat) for seat in range(seats))
    turns, decisions = list[Turn](), list[Decision]()

    def watch(moves: Turn, step: Any) -> None:
        if len(turns) >= TURNS_MAX:
            raise EnoughError

    with suppress(EnoughError):
        await play_match(
            game,
            players,
            seed=seed,
            control=Control(),
            conduct=Conduct(),
            seating=Seating(match_id, names, seeds),
            watch=watch,
            turns=turns,
            decisions=decisions,
        )
    assert not [decision for decision in decisions if decision.fault]
    return RecordedMatch(
        match_id=match_id,
        game=game,
        names=names,
        seed=seed,
        bot_seeds=seeds,
        turns=tuple(turns),
        wanted=(),
    )


# The questions.


@attrs.frozen
class Found:
    """One question of a match, and what it has."""

    match: RecordedMatch
    seat: Seat
    number: int
    turn: int
    """Of the bots' turns, from 0."""
    traits: frozenset[Any]


def chosen(matches: list[RecordedMatch]) -> list[RecordedMatch]:
    """As much of these matches as is needed for a few questions that have everything."""
    left = [question for match in matches for question in questions_of(match)]
    common = Counter(trait for question in left for trait in question.traits)
    seen, taken = set[Any](), list[Found]()

    def worth(question: Found) -> tuple[float, ...]:
        new = question.traits - seen
        pairs = sum(isinstance(trait[0], tuple) for trait in new)
        kinds = sum(trait[0] == "kinds" for trait in new)
        return len(new) - pairs - kinds, kinds, pairs, sum(1 / common[trait] for trait in question.traits)

    while len(taken) < QUESTIONS_MAX and left:
        kept = {question.match.match_id for question in taken}
        if len(kept) == MATCHES_KEPT_MAX:
            left = [question for question in left if question.match.match_id in kept]
        best = max(left, key=worth)
        taken.append(best)
        left.remove(best)
        seen |= best.traits
    return [cut for match in matches if (cut := _cut(match, taken)) is not None]


def _cut(match: RecordedMatch, taken: list[Found]) -> RecordedMatch | None:
    """The match up to the last of these questions."""
    own = [question for question in taken if question.match is match]
    if not own:
        return None
    end = 1 + max(question.turn for question in own)
    turns = tuple(moves for moves in match.turns if CHANCE not in moves)[:end]
    wanted = tuple(sorted((question.seat, question.number) for question in own))
    return attrs.evolve(match, turns=turns, wanted=wanted)


def questions_of(match: RecordedMatch) -> Iterator[Found]:
    """Every question of a match, and what it has."""
    numbers, turn, seats = Counter[Seat](), 0, len(match.names)
    codecs = [Codec(match.game, match.names, Seat(seat)) for seat in range(seats)]
    steps = replay(match.game, seats, match.turns)
    for moves, step in zip(match.turns, steps, strict=False):
        if CHANCE in moves:
            continue
        for seat in moves:
            codec = codecs[seat]
            state = msgspec.json.decode(codec.encode(match.game.observe(step.state, seat)))
            options = msgspec.json.decode(codec.options(match.game.options(step.state, seat)))
            traits = frozenset(traits_of(state, options, match.names))
            yield Found(match, seat, numbers[seat], turn, traits)
            numbers[seat] += 1
        turn += 1


def traits_of(state: Any, options: list[Any], names: tuple[str, ...]) -> Iterator[Any]:
    """What is worth having once: kinds of options, how free they are, states of fields; by size of table."""
    size = "two" if len(names) == 2 else "some" if len(names) < 6 else "many"
    kinds = tuple(dict.fromkeys(option["kind"] for option in options))
    yield ("seats", len(names))
    yield ("kinds", *kinds)
    for option in options:
        yield ("kind", option["kind"], size)
        for field, domain in option["fields"].items():
            yield ("domain", option["kind"], field, _freedom(domain))
    for trait in _states(state, (), names):
        yield trait
        if "[]" not in trait:
            yield (trait, kinds)


def _freedom(domain: Mapping[str, Any]) -> str:
    values = domain.get("one_of") or domain.get("subset_of")
    many = domain["max"] - domain["min"] + 1 if values is None else len(values)
    return "one" if many == 1 else "two" if many == 2 else "more"


def _states(value: Any, path: tuple[str, ...], names: tuple[str, ...]) -> Iterator[Any]:
    """The state of each field: nothing, zero, something; which word, unless it is a name or a card."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _states(item, (*path, key), names)
    elif isinstance(value, list):
        yield (*path, "items", min(len(value), 3))
        for item in value:
            yield from _states(item, (*path, "[]"), names)
    elif isinstance(value, str):
        is_word = value not in names and (value.islower() or len(value) > 2)
        yield (*path, value if is_word else "text")
    elif isinstance(value, bool) or value is None:
        yield (*path, value)
    else:
        yield (*path, "number", "none" if value == 0 else "one" if value == 1 else "more")


# The command.


def import_bots() -> None:
    """Makes the modules of the house bots known."""
    for module in {
        target.partition(":")[0] for targets in (*HOUSE.values(), (RANDOM,)) for target in targets
    }:
        folder = BOTS / module.partition("_")[0]
        if str(folder) not in sys.path:
            sys.path.append(str(folder))
        importlib.import_module(module)


def main() -> None:
    import_bots()
    for name in GAMES:
        lines = lines_of(name)
        if "--write" in sys.argv:
            path_of(name).write_text("".join(f"{line}\n" for line in lines))
        sizes = [len(line) for line in lines]
        print(f"{name}: {len(lines)} matches, {sum(sizes):,} bytes")


if __name__ == "__main__":
    main()
