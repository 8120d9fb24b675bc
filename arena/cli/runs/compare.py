"""`arena compare`: finds out whether a new version is better, with as few series as that takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from arena.analysis.comparison import Comparison, Question, ReturnsRules
from arena.analysis.stopping.gains import Gains
from arena.analysis.stopping.gsprt import Hypotheses
from arena.analysis.stopping.verdict import Verdict
from arena.cli.group import BUG
from arena.cli.runs.dry_run import played_there
from arena.cli.runs.question import QuestionWords, kept_of, question_kept, returns_rules
from arena.cli.runs.run import RunCommand
from arena.cli.runs.run_options import RunOptions, tournament_of, with_rules
from arena.errors import ConfigError
from arena.match.game import Game
from arena.store import Store
from arena.terminal.text import as_json, out, say
from arena.terminal.verdict import length_before, length_of_returns, told
from arena.tournament.bots.revisions import is_revision, version_at
from arena.tournament.folder.contents import recover
from arena.tournament.folder.folder import open_run
from arena.tournament.folder.membership import OTHERWISE
from arena.tournament.folder.run import Run
from arena.tournament.folder.stored import source_of, stored_plan
from arena.tournament.plan import BotSpec, Plan, make_game, size_of, with_options
from arena.tournament.tournament import Tournament
from arena.words import LUCK_ADJUSTED, counted

EXITS: Mapping[Verdict | None, int] = {"better": 0, "not better": 1, "worse": 1, None: 3}
"""Verdict -> exit code."""
META = "comparison"
"""The store's key for the question: series that were played for one question do not answer another."""


def compare_command(
    bots: Sequence[str], field: Sequence[str], options: RunOptions, asked: QuestionWords
) -> int:
    """Plays until the test reaches a verdict; returns the exit code."""
    if options.resume is None:
        plan = _plan(bots, field, options.wishes, asked)
        game = make_game(source_of(plan, None).cls, plan.rules)
        question = asked.question(game, plan.seats, is_field=bool(field))
    else:
        question, plan = _resumed(options.resume, [*bots, *field], options.wishes, asked)
    tournament = tournament_of(plan, options)
    rule = Comparison(question, rules=returns_rules(tournament.game, plan.seats))
    tournament = attrs.evolve(tournament, stop_rule=rule)
    for line in comparison_announced(tournament, rule):
        say(line)
    if options.dry_run:
        state = played_there(tournament)
        if state.extent.there:
            left = "nothing left to play" if state.is_over else "to be continued"
            say(f"{counted(state.extent.there, 'match')} played already in {tournament.folder}: {left}")
        return 0
    with open_run(tournament) as run:
        _check_question(run, question)
        run.store.set_meta(META, kept_of(question))
        return CompareCommand(tournament, run, options, rule).play_out()


def kept_comparison(meta: Mapping[str, Any], game: Game[Any, Any]) -> Comparison | None:
    """The test of the question that a folder keeps; None if it is no comparison."""
    kept = meta.get(META)
    if kept is None:
        return None
    return Comparison(question_kept(kept), rules=returns_rules(game, meta["identity"]["seats"]))


def _plan(bots: Sequence[str], field: Sequence[str], wishes: Mapping[str, Any], asked: QuestionWords) -> Plan:
    options, here = dict(wishes), Path.cwd()
    rules = options.pop("rules", ())
    if len(bots) != 2:
        raise ConfigError(f"compare: found {counted(len(bots), 'bot')}, expected two: NEW and OLD")
    plan = Plan(
        tournament="comparison",
        bots=(*_new_and_old(bots, here), *(BotSpec(bot, here) for bot in field)),
        seats=2,
        series=asked.series_max,
    )
    plan = with_rules(with_options(plan, options, base=here), rules)
    # What is asked for is a number of series: the limit on matches follows from it.
    return attrs.evolve(plan, matches_max=max(plan.matches_max, size_of(plan, plan.entrants).matches))


def _new_and_old(bots: Sequence[str], here: Path) -> Iterator[BotSpec]:
    """The two bots, of which one may be named as a commit of the other."""
    named = [BotSpec(bot, here) for bot in bots if not is_revision(bot)]
    if not named:
        raise ConfigError(f"compare: {' '.join(bots)} name commits of which bot? One of both must be a bot")
    for bot in bots:
        yield version_at(bot, named[0]) if is_revision(bot) else BotSpec(bot, here)


def _resumed(
    folder: Path, words: Sequence[str], wishes: Mapping[str, Any], asked: QuestionWords
) -> tuple[Question, Plan]:
    if words or asked.is_something:
        raise ConfigError(
            f"--resume {folder} takes its bots and its question from the folder: leave out everything else"
        )
    recover(folder)
    with Store.open(folder) as store:
        store.check_is_tournament()
        kept = store.meta().get(META)
    if kept is None:
        raise ConfigError(f"{folder} is not a comparison: `arena run --resume {folder}` continues it")
    return question_kept(kept), with_options(stored_plan(folder), wishes, base=Path.cwd())


def _check_question(run: Run, question: Question) -> None:
    """Raises ConfigError if the folder's series were played for another question."""
    kept = run.store.meta().get(META)
    if kept is None or not run.store.size():
        return
    before, now = kept_of(question_kept(kept)), kept_of(question)
    for key in ("by", *now):
        if before[key] != now[key] and key != "series_max":
            raise ConfigError(
                f"{run.folder} was compared with --{key} {before[key]}, not {now[key]}, and a test "
                "whose question changes while it runs errs more often than it says",
                hints=OTHERWISE,
            )


def comparison_announced(tournament: Tournament, rule: Comparison) -> Iterator[str]:
    """Lines that say what is asked, and what is known about how long the answer takes."""
    new, old, *field = [entrant.name for entrant in tournament.entrants]
    against = f", against {', '.join(field)}" if field else ""
    question, rules, title = rule.question, rule.rules, tournament.game.title
    by_wins = isinstance(question, Hypotheses)
    if by_wins and rules.rated_by == "returns":
        yield f"does {new} win more matches than {old} at {title}{against}? ({_why_wins(rules)})"
    else:
        yield f"is {new} better than {old} at {title}{against}?"
    if rules.adjusts_luck and not by_wins:
        yield f"returns are {LUCK_ADJUSTED}"
    yield length_before(question, rules, tournament.matches // question.series_max, is_field=bool(field))
    if isinstance(question, Gains) and question.tails == "any":
        normal = attrs.evolve(question, tails="normal")
        known, _ = length_of_returns(normal, rules, is_field=bool(field))
        yield f"--tails normal assumes that no rare huge loss is still unseen, and takes {known}"
    if field and by_wins:
        yield f"Elo is here of (points of {new} − points of {old} + 1) / 2, from the same seats and deals"
    elif field:
        yield f"compared are the returns of {new} − those of {old}, from the same seats and deals"


def _why_wins(rules: ReturnsRules) -> str:
    if rules.bounds is None:
        return "returns are not compared: the game does not declare the bounds of its returns"
    return "returns are not compared"


class CompareCommand(RunCommand):
    """A run that ends with a verdict."""

    command = "arena compare"

    def __init__(self, tournament: Tournament, run: Run, options: RunOptions, rule: Comparison) -> None:
        super().__init__(tournament, run, options)
        self.rule = rule

    def _announce(self) -> None:
        """Says nothing, as everything was said before the folder was opened."""

    def _conclusion(self) -> Iterator[str]:
        return told(self.rule.outcome, self.rule.question)

    def _tell_result(self) -> None:
        outcome = self.rule.outcome
        if self.options.as_json:
            asked = {"question": kept_of(self.rule.question)}
            out(as_json({**attrs.asdict(outcome), "is_by_faults": outcome.is_by_faults, **asked}))
            return
        for line in self._conclusion():
            out(line)

    def _exit_code(self, has_faults: bool) -> int:
        outcome = self.rule.outcome
        if outcome.beyond:
            return BUG
        return EXITS[outcome.verdict]
