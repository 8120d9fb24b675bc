"""The command `arena torture`: tries every habit in turn, and bots to compare with them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import attrs

from arena.box.processes import adopt_orphans
from arena.players.entrant import Entrant
from arena.terminal.text import as_json, out, say
from arena.tournament.bots.entrants import resolve
from arena.tournament.bots.game_source import placed
from arena.trials.torture import table
from arena.trials.torture.habits import Habit, chosen
from arena.trials.torture.promises import Findings, TrialRow, TrialTerms
from arena.trials.torture.trial import Trial, observe

SERIES, SERIES_QUICK = 3, 1
PAIRS_MAX = 3
"""How often a run with a habit and one without are measured in turn, if the first time is inconclusive."""
HELD, BROKEN = 0, 1


def torture_command(
    bots: Sequence[str], only: Sequence[str], *, quick: bool, json: bool, game: str, sandbox: str
) -> int:
    """Tries everything asked for, prints it, and returns the exit code."""
    terms = TrialTerms(series=SERIES_QUICK if quick else SERIES, sandbox=sandbox)
    trials = [*_with_bots(bots, terms, game), *(Trial(habit, terms) for habit in chosen(only))]
    adopt_orphans()
    if not json:
        out(table.header_lines())
    rows = []
    for row in trial_rows(trials):
        rows.append(row)
        if not json:
            out(table.line(row))
    if json:
        out(as_json(table.as_objects(rows)))
    else:
        say(f"\n{table.LEGEND}\n")
    for line in table.conclusion(rows):
        say(line)
    return BROKEN if any(row.verdict == "broken" for row in rows) else HELD


def _with_bots(bots: Sequence[str], terms: TrialTerms, game: str) -> list[Trial]:
    """A trial for each of these bots.  Raises ConfigError if one is not a bot."""
    entrants = [resolve(spec, base=Path.cwd()) for spec in bots]
    return [
        Trial(_yours(entrant), terms, bot=spec, game=placed(game, Path.cwd()) or _game(entrant))
        for spec, entrant in zip(bots, entrants, strict=True)
    ]


def _yours(entrant: Entrant) -> Habit:
    return Habit(name=entrant.name, run=entrant.run, is_yours=True)


def _game(entrant: Entrant) -> str:
    """The game to try a bot in; empty: it plays every game."""
    return next(iter(entrant.games), "")


def trial_rows(trials: Sequence[Trial]) -> Iterator[TrialRow]:
    """Runs each trial in turn, after the run that it is compared with."""
    without: dict[tuple[object, ...], Findings] = {}
    for trial in trials:
        key = (trial.game or trial.habit.game, trial.habit.is_stranger)
        if key not in without:
            without[key] = observe(attrs.evolve(trial, is_without=True))
        row = _row(trial, without[key])
        for _ in range(PAIRS_MAX - 1):
            if not row.is_doubtful:
                break
            # A machine that does other things too is slower at times: then both are measured again, one
            # right after the other.  A delay that the habit itself causes shows every time.
            without[key] = observe(attrs.evolve(trial, is_without=True))
            row = _row(trial, without[key])
        yield row


def _row(trial: Trial, without: Findings) -> TrialRow:
    return TrialRow(habit=trial.habit, observed=observe(trial), without=without, extra_s=trial.extra_s)
