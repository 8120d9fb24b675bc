"""`arena verify` beside the rules alone: how long the same matches take, in processor time of one core."""

from __future__ import annotations

import gc
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

import attrs
import trio

from arena.bench.measures import Effort, Measure, at_most
from arena.games import GAMES
from arena.match.game import CHANCE, Game
from arena.match.record import Decision, Entry, MatchRecord, Turn, pack
from arena.match.rulings import draw_of
from arena.match.scoring import points
from arena.schedule import Pairing, match_id
from arena.schedule.roster import RosterEntry
from arena.schedule.round_robin import pairings
from arena.store import Store, StoredBot
from arena.testing.games import random_move
from arena.tournament.folder.folder import scale_of
from arena.tournament.folder.membership import ROSTER
from arena.tournament.folder.stored import DECISIONS, stored_form
from arena.tournament.plan import BotSpec, Plan, identity, terms_of
from arena.verify.checks import Folder, first_untruth

from .lines import bots_for, named, players_of, refereed, replayed_alone

SEED = 20261122
BOTS = ("ann", "bob")
MOVES = 100_000
SERIES_MAX = 20_000
RATIO_GOAL = 1.5
SECONDS_GOAL = 2.0
SMALLER = 20_000
"""Random moves of games other than the default one."""
BY_BOTS = 8_000
"""Moves of bots of the house, which take their time."""

Turns: TypeAlias = Callable[[Game[Any, Any], int], tuple[Turn, ...]]
"""What is played in a match with this seed."""


@attrs.frozen
class Recorded:
    """Matches as they are kept in a folder, and their moves as the rules take them."""

    game: Game[Any, Any]
    seeds: tuple[int, ...]
    matches: tuple[tuple[Turn, ...], ...]

    @property
    def moves(self) -> int:
        """How many moves of bots there are."""
        return sum(len(turn) for turns in self.matches for turn in turns if CHANCE not in turn)

    def play(self) -> None:
        """By the rules alone: what chance draws, what is legal, what follows, who won."""
        game = self.game
        for seed, turns in zip(self.seeds, self.matches, strict=True):
            state = replayed_alone(game, len(BOTS), seed, turns)
            points(game.ranks(state)), game.returns(state)


def measure_verify(effort: Effort) -> list[Measure]:
    """For every game two folders: of random moves, and of what bots of the house play."""
    found = []
    for name in GAMES:
        game = GAMES[name]()
        bots = bots_for(game)
        wanted = int((MOVES if name == Plan().game else SMALLER) * min(1.0, effort.seconds))
        samples = _samples(game, effort, wanted, random_turns)
        found.append(_ratio(f"{name}, random moves", samples))
        if name == Plan().game:
            times = tuple(verified * MOVES / moves for moves, _, verified in samples)
            found.append(Measure("verify", f"{MOVES:,} moves, {name}", "s", times, at_most(SECONDS_GOAL)))
        wanted = int(BY_BOTS * min(1.0, effort.seconds))
        found.append(_ratio(named(game, bots), _samples(game, effort, wanted, partial(turns_of, bots))))
    return found


def _ratio(what: str, samples: Iterable[tuple[int, float, float]]) -> Measure:
    ratios = tuple(verified / alone for _, alone, verified in samples)
    return Measure("verify", f"verify ÷ rules alone, {what}", "×", ratios, at_most(RATIO_GOAL))


def _samples(
    game: Game[Any, Any], effort: Effort, moves: int, turns: Turns
) -> list[tuple[int, float, float]]:
    """Of a folder of at least so many moves: its moves, seconds of the rules alone, and of `verify`."""
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as place:
        recorded = recorded_in(Path(place), game, moves, turns)
        gc.freeze()  # what was recorded is not looked through again whenever garbage is collected
        samples = [(recorded.moves, *_timed(Path(place), recorded)) for _ in range(effort.repeats)]
        gc.unfreeze()
    return samples


def recorded_in(folder: Path, game: Game[Any, Any], moves: int, turns: Turns) -> Recorded:
    """A finished tournament of at least so many moves, in a folder as a run would have left it."""
    plan = Plan(
        name="bench",
        game=game.name,
        bots=tuple(BotSpec(bot, folder) for bot in BOTS),
        series=SERIES_MAX,
        seed=SEED,
        allocate="even",
    )
    planned = list[Pairing]()
    played = list[tuple[Turn, ...]]()
    count = 0
    for pairing in pairings(BOTS, terms_of(plan, SEED), {}, {}):
        if count >= moves and pairing.rotation == 0:
            break
        planned.append(pairing)
        played.append(turns(game, pairing.seed))
        count += sum(len(turn) for turn in played[-1] if CHANCE not in turn)
    plan = attrs.evolve(plan, series=planned[-1].cycle + 1)
    meta = {
        "identity": identity(plan, game),
        "plan": stored_form(plan, folder),
        "game_version": game.version,
        "tokens": {},
        DECISIONS: [plan.decisions],
        ROSTER: [attrs.asdict(RosterEntry("join", bot)) for bot in BOTS],
        **scale_of(game, plan),
    }
    with Store.create(folder, meta=meta) as store:
        store.put_bots(StoredBot(bot) for bot in BOTS)
        store.set_schedule(planned)
        store.add_many(map(partial(_entry, game), planned, played))
    return Recorded(game, tuple(pairing.seed for pairing in planned), tuple(played))


def turns_of(bots: Sequence[str], game: Game[Any, Any], seed: int) -> tuple[Turn, ...]:
    """The turns of a match of these bots of the house."""
    names, players = players_of(bots)
    return tuple(trio.run(refereed, game, players, names, seed).turns)


def random_turns(game: Game[Any, Any], seed: int) -> tuple[Turn, ...]:
    """The turns of a match of random legal moves, chance by its seed."""
    return tuple(_random_turns(game, seed, Random(seed)))


def _random_turns(game: Game[Any, Any], seed: int, rng: Random) -> Iterator[Turn]:
    state = game.start(len(BOTS))
    while asked := game.to_act(state):
        turn: Turn
        if asked[0] == CHANCE:
            turn = {CHANCE: draw_of(game, state, seed)}
        else:
            turn = {seat: random_move(game, state, seat, rng) for seat in asked}
        yield turn
        state = game.apply(state, turn).state


def _entry(game: Game[Any, Any], pairing: Pairing, turns: tuple[Turn, ...]) -> Entry:
    """The match as a run keeps it, without thinking times."""
    state = game.start(len(BOTS))
    for turn in turns:
        state = game.apply(state, turn).state
    decisions = tuple(
        Decision(place, seat, move, 0.0)
        for place, turn in enumerate(turns)
        for seat, move in turn.items()
        if seat != CHANCE
    )
    nobody = (False,) * len(BOTS)
    ranks = game.ranks(state)
    return Entry(
        match_id=match_id(SEED, pairing.id),
        pairing=pairing,
        deals="same",
        versions=("",) * len(BOTS),
        withdrawn=nobody,
        record=MatchRecord(turns, decisions, ranks, game.returns(state), nobody),
        points=points(ranks),
        packed=pack(game, turns),
        decisions=(),
        started_at=0.0,
    )


def _timed(folder: Path, recorded: Recorded) -> tuple[float, float]:
    """Seconds of processor time: the rules alone, and the whole folder verified."""
    began = time.process_time()
    recorded.play()
    alone = time.process_time()
    with Store.checked(folder) as store:
        verified = Folder(store, recorded.game, store.meta(), damage=store.damage)
        untruth = first_untruth(verified)
    ended = time.process_time()
    assert untruth is None, str(untruth)
    assert (recorded.moves, True) == (verified.tally.moves, verified.is_complete), "every match was verified"
    return alone - began, ended - alone
