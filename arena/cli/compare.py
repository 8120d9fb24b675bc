"""`arena compare`: whether a new version is better than the old one, with as few series as that takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from arena.analysis.comparison import Comparison, ComparisonState
from arena.analysis.gsprt import Hypotheses, expected_series
from arena.cli.run import RunCommand
from arena.cli.run_options import RunOptions, played_there, warn_of_seconds
from arena.errors import ConfigError
from arena.show.text import as_json, out, say
from arena.store import Store
from arena.tournament.folder import open_run
from arena.tournament.plan import BotSpec, Plan, parse_rules, size_of, with_options
from arena.tournament.prepare import Tournament, prepare, refuse_broken
from arena.tournament.revisions import is_revision, version_at
from arena.tournament.run import Run
from arena.tournament.stored import source_of, stored_plan
from arena.units import signed, unexpected
from arena.words import counted, with_half

BETTER, NOT_BETTER, UNDECIDED = 0, 1, 3
"""Exit codes."""
META = "comparison"
"""Where the store keeps the hypotheses: what is compared under one question is not judged under another."""


def compare_command(
    bots: Sequence[str],
    field: Sequence[str],
    options: RunOptions,
    wishes: Mapping[str, Any],
    given: Mapping[str, Any],
) -> int:
    """Plays until the test says something; gives the exit code.

    `given`: the hypotheses as far as they were said, under the names of `Hypotheses`.
    """
    if options.resume is None:
        hypotheses = Hypotheses(**given)
        plan = _plan(bots, field, wishes, hypotheses)
    else:
        hypotheses, plan = _resumed(options.resume, [*bots, *field], wishes, given)
    tournament = prepare(plan, resume=options.resume)
    refuse_broken(tournament)
    warn_of_seconds(wishes)
    for line in comparison_announced(tournament, hypotheses):
        say(line)
    game = tournament.game
    rule = Comparison(hypotheses, rated_by=game.rated_by, returns_unit=game.returns_unit)
    if options.dry_run:
        there, is_over = (0, False) if options.fresh else played_there(tournament, rule)
        if there:
            left = "nothing left to play" if is_over else "to be continued"
            say(f"{counted(there, 'match')} played already in {tournament.folder}: {left}")
        return 0
    with open_run(tournament, fresh=options.fresh, stop_rule=rule) as run:
        _check_question(run, hypotheses)
        run.store.set_meta(META, attrs.asdict(hypotheses))
        return CompareCommand(tournament, run, options, rule).play_out()


def hypotheses_from(**words: str | None) -> dict[str, float]:
    """The hypotheses that were given.  Raises ConfigError for words that are not numbers."""
    given: dict[str, float] = {}
    for key, word in words.items():
        if word is None:
            continue
        option, kind = ("--max-series", int) if key == "series_max" else (f"--{key}", float)
        try:
            given[key] = kind(word)
        except ValueError:
            what = "a whole number such as 5000" if kind is int else "a number such as 0.05 or 20"
            raise ConfigError(f"{option}: {unexpected(word, what)}") from None
    return given


def _plan(
    bots: Sequence[str], field: Sequence[str], wishes: Mapping[str, Any], hypotheses: Hypotheses
) -> Plan:
    options, here = dict(wishes), Path.cwd()
    rules = options.pop("rules", ())
    if len(bots) != 2:
        raise ConfigError(f"compare: found {counted(len(bots), 'bot')}, expected two: NEW and OLD")
    plan = Plan(
        tournament="comparison",
        bots=(*_new_and_old(bots, here), *(BotSpec(bot, here) for bot in field)),
        seats=2,
        series=hypotheses.series_max,
    )
    plan = with_options(plan, options, base=here)
    if rules:
        plan = attrs.evolve(plan, rules=parse_rules(source_of(plan, None).cls, rules))
    # What is asked for is a number of series: the limit on matches follows from it.
    return attrs.evolve(plan, matches_max=max(plan.matches_max, size_of(plan, plan.entrants).matches))


def _new_and_old(bots: Sequence[str], here: Path) -> Iterator[BotSpec]:
    """Both bots; one of them may be a commit of the other."""
    named = [BotSpec(bot, here) for bot in bots if not is_revision(bot)]
    if not named:
        raise ConfigError(f"compare: {' '.join(bots)} name commits of which bot? One of both must be a bot")
    for bot in bots:
        yield version_at(bot, named[0]) if is_revision(bot) else BotSpec(bot, here)


def _resumed(
    folder: Path, words: Sequence[str], wishes: Mapping[str, Any], given: Mapping[str, Any]
) -> tuple[Hypotheses, Plan]:
    if words or given:
        raise ConfigError(
            f"--resume {folder} takes its bots and its question from the folder: leave out everything else"
        )
    with Store.open(folder) as store:
        store.check_is_tournament()
        kept = store.meta().get(META)
    if kept is None:
        raise ConfigError(f"{folder} is not a comparison: `arena run --resume {folder}` continues it")
    return Hypotheses(**kept), with_options(stored_plan(folder), wishes, base=Path.cwd())


def _check_question(run: Run, hypotheses: Hypotheses) -> None:
    """Raises ConfigError if the folder's series were played for another question."""
    kept = run.store.meta().get(META)
    if kept is None or not run.store.finished():
        return
    asked = attrs.asdict(hypotheses)
    for key, value in asked.items():
        if kept.get(key) != value and key != "series_max":
            raise ConfigError(
                f"{run.folder} was compared with --{key} {kept.get(key)}, not {value}, and a test "
                "whose question changes while it runs errs more often than it says: --fresh starts over, "
                "--out DIR plays elsewhere"
            )


def comparison_announced(tournament: Tournament, hypotheses: Hypotheses) -> Iterator[str]:
    """What is asked, and how long the answer is expected to take."""
    new, old, *field = [entrant.name for entrant in tournament.entrants]
    against = f", against {', '.join(field)}" if field else ""
    game = tournament.game
    if game.rated_by == "returns":
        yield f"does {new} win more matches than {old} at {game.title}{against}? (returns are not compared)"
    else:
        yield f"is {new} better than {old} at {game.title}{against}?"
    unbounded = attrs.evolve(hypotheses, series_max=10**9)
    at0, at1 = (round(series) for series in expected_series(unbounded))
    a_series, most = tournament.matches // hypotheses.series_max, hypotheses.series_max
    end = "; it will probably end undecided" if min(at0, at1) > most else ""
    elo0, elo1 = signed(hypotheses.elo0, 0), signed(hypotheses.elo1, 0)
    yield (
        f"expected: about {at1:,} series if the truth is {elo1} Elo, {at0:,} if it is {elo0}; "
        f"at most {most:,}, of {counted(a_series, 'match')} each{end}"
    )
    if field:
        yield f"Elo is here of (points of {new} − points of {old} + 1) / 2, from the same seats and deals"


class CompareCommand(RunCommand):
    """A run that ends with a verdict."""

    command = "arena compare"

    def __init__(self, tournament: Tournament, run: Run, options: RunOptions, rule: Comparison) -> None:
        super().__init__(tournament, run, options)
        self.rule = rule

    def _announce(self) -> None:
        """Said before the folder was opened."""

    def _conclusion(self) -> Iterator[str]:
        return told(self.rule.outcome, self.rule.hypotheses)

    def _tell_result(self) -> None:
        outcome = self.rule.outcome
        if self.options.as_json:
            out(as_json({**attrs.asdict(outcome), "is_by_faults": outcome.is_by_faults}))
            return
        for line in self._conclusion():
            out(line)

    def _exit_code(self, has_faults: bool) -> int:
        verdict = self.rule.outcome.verdict
        return UNDECIDED if verdict is None else BETTER if verdict == "better" else NOT_BETTER


def told(outcome: ComparisonState, hypotheses: Hypotheses) -> Iterator[str]:
    """The verdict in one sentence, what it stands on, and what faults had to do with it."""
    new, old = outcome.new, outcome.old
    yield _verdict(outcome, f"{hypotheses.elo1:g}")
    low, high = signed(outcome.elo_low, 0), signed(outcome.elo_high, 0)
    yield (
        f"{counted(outcome.matches, 'match')} in {outcome.series:,} series: score {outcome.mean:.3f}, "
        f"{signed(outcome.elo, 0)} Elo (95 % if the length had been fixed: {low} to {high}); "
        f"LLR {signed(outcome.llr)} between {signed(outcome.lower)} and {signed(outcome.upper)}"
    )
    if outcome.is_of_returns:
        yield f"mean returns (95 %, likewise): {_returns(outcome)}"
    if outcome.spoilt:
        yield f"{outcome.spoilt:,} series left out, each with a match that was aborted"
    if outcome.new_faulty or outcome.old_faulty:
        decided = "faults decided it: " if outcome.is_by_faults else ""
        yield (
            f"{decided}{new} failed in {outcome.new_faulty:,} series, {old} in {outcome.old_faulty:,}; "
            f"the {outcome.clean_series:,} series without their faults alone give "
            f"LLR {signed(outcome.clean_llr)}"
        )


def _verdict(outcome: ComparisonState, elo1: str) -> str:
    """The verdict, which in a game rated by returns says no more than the test does."""
    new, old = outcome.new, outcome.old
    is_better, is_not = f"{new} is better than {old}", f"{new} is not better than {old}"
    if outcome.is_of_returns:
        is_better = f"{new} wins more matches than {old}"
        is_not = f"{new} does not win more matches than {old}"
    if outcome.verdict is None:
        return f"undecided whether {is_better}."
    return f"{is_better}." if outcome.verdict == "better" else f"{is_not}, or by less than {elo1} Elo."


def _returns(outcome: ComparisonState) -> str:
    """`new +120 ± 45, old −120 ± 45 bb/100`."""
    both = ((outcome.new, outcome.new_returns), (outcome.old, outcome.old_returns))
    words = [f"{bot} {with_half(won.mean, (won.high - won.low) / 2)}" for bot, won in both]
    return f"{', '.join(words)} {outcome.returns_unit}"
