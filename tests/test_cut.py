"""A run that a rule ends leaves what was played up to there: the same however it was played or interrupted."""

from __future__ import annotations

import random
from functools import partial
from pathlib import Path

import attrs
import pytest
import trio
import trio._core._run as trio_run  # its dice decide who goes first: they are drawn from the seed too
import trio.testing
from daily import nightly
from tournaments import FIELD, Fragile, Hopeless, Record, exact, local, opened

from arena.analysis import export
from arena.analysis.tables import COLUMNS
from arena.errors import ConfigError
from arena.schedule import FORMATS, Terms, match_id
from arena.schedule.course import Course, MatchResult
from arena.schedule.withdrawals import BotOutcome
from arena.store import Store
from arena.tournament.folder import writer as keeping
from arena.tournament.folder.intake import course_of, cut, take_in
from arena.tournament.play.match import MatchRunner
from arena.tournament.play.summary import Summary
from arena.tournament.runner import run_tournament

FORMATS_TRIED = tuple(name for name, kind in FORMATS.items() if not kind.is_endless)
ALLOCATED = {"tournament": "round-robin", "allocate": "open"}
FAILING = (local("eve", Hopeless), local("fay", Fragile))
FIRST_SOUND = (*FIELD[:3], local("bea", Hopeless))
"""The first series of a lap is between two that make no mistake."""
"""Both are withdrawn, one as it is abandoned, one as it crashes: matches are played again for that."""


class Enough:
    """Ends a course after so many series, or at one whose results say so."""

    def __init__(self, series: int) -> None:
        self.series = series
        self.told: list[str] = []
        self._ahead: dict[frozenset[str], float] = {}
        """Pair -> how many more points the first by name has."""

    def begins(self, course):
        self.told.clear()
        self._ahead.clear()

    def goes_on(self):
        pass

    def closed(self, series):
        self.told.append(series.id)
        for pairing, result in series.matches:
            if len(bots := frozenset(pairing.bots)) == 2:
                ahead = sum(result.points[:1]) - sum(result.points[1:])
                sign = 1 if pairing.bots[0] == min(bots) else -1
                self._ahead[bots] = self._ahead.get(bots, 0.0) + sign * ahead
        return len(self.told) >= self.series

    def shares(self):
        """Most to the pairs that are closest."""
        return {bots: 1 / (1 + ahead**2) for bots, ahead in self._ahead.items()}

    def state(self):
        return ""


class Killed(BaseException):
    """The process is gone."""


class Machine:
    """Where a run takes place: how long its matches take, and after how many changes of the store it dies."""

    def __init__(self, seed: float, changes: int | None = None) -> None:
        self.seed = seed
        self.rng = random.Random(seed)
        self.left = changes
        self.made = 0

    def match_s(self, pairing) -> float:
        """How long a match takes."""
        return self.rng.choice([0.1, 1, 1, 3, 60]) * self.rng.random()

    async def write(self, act) -> None:
        """In virtual time."""
        await trio.sleep(self.rng.choice([0, 0, 3]))
        act()

    def make(self, change) -> None:
        """One change, the smallest that SQLite keeps whole or not at all."""
        if self.left == 0:
            raise Killed
        if self.left is not None:
            self.left -= 1
        self.made += 1
        change()


def run(
    folder: Path,
    machine: Machine,
    *,
    stop_after=None,
    stop_at_fault=False,
    entrants=FIELD,
    notes=None,
    **plan,
) -> Summary:
    """A run on this machine, in virtual time, to its end or that of the machine; then its tables."""
    summary, play, make = Summary(), MatchRunner.play, keeping.write_changes

    async def slow(table, pairing, *arguments):
        await trio.sleep(machine.match_s(pairing))
        return await play(table, pairing, *arguments)

    def write(store, changes):
        for change in changes:
            machine.make(partial(make, store, [change]))

    async def go():
        with trio.CancelScope() as scope:
            reporter = Record(
                lambda entry: scope.cancel() if len(reporter.entries) + 1 == stop_after else None
            )
            reporter.notes = reporter.notes if notes is None else notes
            done = attrs.evolve(setup, in_thread=machine.write, stop_at_fault=stop_at_fault)
            await run_tournament(done, reporter, summary)

    with pytest.MonkeyPatch.context() as patch, opened(folder, entrants, **plan) as setup:
        patch.setattr(MatchRunner, "play", slow)
        patch.setattr(keeping, "write_changes", write)
        patch.setattr(keeping, "WAITING_MAX", machine.rng.choice([0, 1, 256]))
        trio_run._ALLOW_DETERMINISTIC_SCHEDULING = True
        trio_run._r.seed(machine.seed)
        try:
            trio.run(go, clock=trio.testing.MockClock(autojump_threshold=0))
        except BaseExceptionGroup as group:
            if (others := group.split(Killed)[1]) is not None:
                raise others from None
        export(setup.store)
    return summary


def left(folder: Path) -> object:
    """All that must be equal: exact columns of every table, the schedule, and which capsules are shown."""
    with Store.open(folder) as store:
        schedule = list(store.rows("SELECT position, pairing_id FROM schedule ORDER BY position"))
    return exact(folder, COLUMNS), schedule, sorted(path.name for path in (folder / "faults").glob("*"))


def told(summary: Summary) -> object:
    return summary.played, summary.faults, summary.aborted, summary.is_settled


def field(rng: random.Random) -> tuple:
    more = rng.choice([(), FAILING[:1], FAILING[1:], FAILING])
    return tuple(rng.sample((*FIELD, *more), len(FIELD) + len(more)))


def one_case(folder: Path, seed: int, *, more=None, series_max=20) -> None:
    """A random tournament: played in one go, at four tables, cancelled and killed and taken up again."""
    rng = random.Random(seed)
    plan = {
        "entrants": field(rng),
        "tournament": rng.choice(FORMATS_TRIED),
        "series": rng.choice([2, 4]),
        "faults_max": 2,
        "restarts_max": 1,
        "withdrawn_after": 2,
    } | (more or {})
    series = rng.randint(1, series_max)
    whole = run(folder / "one", Machine(seed), stop_rule=Enough(series), **plan)
    machine = Machine(seed + 1)
    four = run(folder / "four", machine, concurrency=4, stop_rule=Enough(series), **plan)
    assert (told(whole), left(folder / "one")) == (told(four), left(folder / "four"))
    run(folder / "cut", Machine(seed + 1, machine.made - 1), concurrency=4, stop_rule=Enough(series), **plan)
    interrupted = [(rng.choice([None, *range(40)]), rng.choice([None, *range(1, 12)])) for _ in range(12)]
    for changes, stop_after in (*interrupted, (None, None)):
        how = {"concurrency": rng.randint(1, 6), "stop_after": stop_after, "stop_rule": Enough(series)}
        cut = run(folder / "cut", Machine(rng.random(), changes), **how, **plan)
    assert cut.is_settled == whole.is_settled
    assert left(folder / "one") == left(folder / "cut")


@pytest.mark.slow
@pytest.mark.parametrize(
    "seed", [0, 27, *nightly(*range(1, 7))]
)  # 27: what two matches change must not be mixed
def test_what_a_rule_leaves_does_not_depend_on_how_it_was_played(tmp_path, seed):
    """One table, four tables, cancelled, killed between any two changes of the store: the same tables."""
    one_case(tmp_path, seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, *nightly(1, 2, 3)])
def test_nor_does_what_it_leaves_of_a_schedule_that_it_has_planned(tmp_path, seed):
    """The same where the rule says which pairs play more in each batch, with bots that are withdrawn."""
    one_case(tmp_path, seed, more={**ALLOCATED, "series": 6}, series_max=40)


class FirstSeriesSlow(Machine):
    """A machine on which all other matches are over long before those between these two."""

    def __init__(self, *bots: str) -> None:
        super().__init__(1)
        self.bots = set(bots)

    def match_s(self, pairing):
        return 100 if set(pairing.bots) == self.bots else 1


def statuses(folder: Path) -> dict[str, str]:
    with Store.open(folder) as store:
        return {bot.bot: bot.status for bot in store.bots()}


def test_a_bot_that_failed_past_the_end_is_not_withdrawn(tmp_path):
    """It was withdrawn before the end was known: that is taken back, like the matches that it failed.

    In a Swiss tournament, as who plays whom there does not depend on the first series.
    """
    notes, hopeless = [], tuple(local(name, Hopeless) for name in ("ann", "bob", "cat", "dan"))
    plan = {"entrants": hopeless, "faults_max": 1, "withdrawn_after": 1, "series": 1}
    more = {"tournament": "swiss", "concurrency": 4, "stop_rule": Enough(1), "notes": notes}
    summary = run(tmp_path / "out", FirstSeriesSlow("bob", "dan"), **plan, **more)
    assert (2, True) == (summary.played, summary.is_settled)
    assert {"ann": "ok", "bob": "withdrawn", "cat": "ok", "dan": "withdrawn"} == statuses(tmp_path / "out")
    assert ["ann", "cat"] == sorted(note[:3] for note in notes if "is not withdrawn after all" in note)
    assert {"bob", "dan"} == {bot for bot, _, _ in summary.faults}


def test_a_fault_past_the_end_did_not_stop_the_run(tmp_path):
    """With -x nothing begins after it, but what was begun before ends the run: the fault was never to be."""
    plan = {"entrants": FIRST_SOUND, "faults_max": 1, "concurrency": 4, "series": 1}
    summary = run(
        tmp_path / "out", FirstSeriesSlow("ann", "cat"), stop_rule=Enough(1), stop_at_fault=True, **plan
    )
    assert (2, None, True) == (summary.played, summary.first_fault, summary.is_settled)
    assert summary.last is not None
    assert {"ann", "cat"} == set(summary.last.pairing.bots)


def folder_past_the_end(folder: Path) -> None:
    """A folder as a run leaves it that is killed between the end of its course and what follows from that."""
    run(folder, Machine(1), entrants=FIRST_SOUND, series=1, faults_max=1, withdrawn_after=1)
    assert statuses(folder)["bea"] == "withdrawn"


def open_course(folder: Path, **more):
    return opened(folder, FIRST_SOUND, series=1, faults_max=1, withdrawn_after=1, stop_rule=Enough(1), **more)


def test_what_a_killed_run_left_past_the_end_is_removed(tmp_path):
    """Without a bot being started: matches, the files of their faults, and who was withdrawn by them."""
    folder_past_the_end(tmp_path / "out")
    assert left(tmp_path / "out")[-1]
    with open_course(tmp_path / "out") as setup:
        course = course_of(setup, ["ann", "bea", "bob", "cat"])
        take_in(course, setup.store.finished())
        cut(setup, course)
        assert course.is_over
        assert [pairing.id for pairing in course.order[:2]] == list(setup.store.finished())
        export(setup.store)
    assert {"ok"} == set(statuses(tmp_path / "out").values())
    assert [] == left(tmp_path / "out")[-1]


def test_what_was_played_without_the_rule_is_not_removed(tmp_path):
    """Matches past its end that were wanted then: refused, and nothing is lost."""
    folder_past_the_end(tmp_path / "out")
    before = left(tmp_path / "out")
    with open_course(tmp_path / "out") as setup:
        setup = attrs.evolve(setup, may_cut=False)
        with pytest.raises(BaseExceptionGroup) as caught:
            trio.run(run_tournament, setup, Record(), Summary())
        (mistake,) = caught.value.exceptions
    assert isinstance(mistake, ConfigError)
    assert "has 10 matches past the point where its goal would have stopped it" in str(mistake)
    with open_course(tmp_path / "out") as setup:
        export(setup.store)
    assert before[0]["matches"] == left(tmp_path / "out")[0]["matches"]


def test_a_match_past_the_end_is_not_played_by_its_id(tmp_path):
    """`--only` says why; matches before the end may be played again."""
    run(tmp_path / "out", Machine(1), stop_rule=Enough(1), series=1)
    with opened(tmp_path / "out", FIELD, series=1, stop_rule=Enough(1)) as setup:
        order = course_of(setup, ["ann", "bob", "cat", "dan"]).order
    with pytest.raises(BaseExceptionGroup) as caught:
        run(tmp_path / "out", Machine(1), stop_rule=Enough(1), series=1, only=match_id(1, order[2].id))
    (mistake,) = caught.value.exceptions
    assert "enough was played before this match, and what comes later is not kept" in str(mistake)
    again = run(tmp_path / "out", Machine(1), stop_rule=Enough(1), series=1, only=match_id(1, order[1].id))
    assert 1 == again.played


@pytest.mark.parametrize("tournament", FORMATS_TRIED)
def test_a_course_that_has_ended_plans_and_counts_nothing_more(tournament):
    """Whatever is told after that, in whatever order: the same series, the same places, nothing planned."""
    terms = Terms(game="toy", seats=2, series=2, seed=1, deals="same")
    rule = Enough(3)
    course = Course(
        "abcdefgh", FORMATS[tournament], terms, withdrawn_after=3, restarts_max=9, is_enough=rule.closed
    )
    planned = len(course.order)
    for pairing in reversed(course.order):
        result = MatchResult(points=(1.0, 0.0), returns=(1.0, -1.0), faults=(0, 0))
        advance = course.note(pairing.id, result, {bot: BotOutcome() for bot in pairing.bots})
        assert () == advance.planned
    series = list(dict.fromkeys(pairing.series for pairing in course.order))
    assert (series[:3], True, planned) == (rule.told, course.is_over, len(course.order))
    assert series[3:] == list(dict.fromkeys(pairing.series for pairing in course.beyond))
