"""How a run is shown: lines anywhere, in a terminal a bar and the standings, which are gone when it ends."""

from __future__ import annotations

import io
import os
import re
import sys
import termios
from collections.abc import Iterator
from itertools import count

import attrs
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from terminals import Glass

from arena.analysis.live import Standing, Standings
from arena.match.record import SeatTotals
from arena.schedule import FORMATS, Pairing, Terms
from arena.schedule.course import ClosedSeries, Course, MatchResult
from arena.schedule.withdrawals import BotOutcome
from arena.terminal.account import Account, score_words
from arena.terminal.live import Screen, ScreenSize, Terminal, picture
from arena.terminal.progress import Lines, ProgressReporter, progress
from arena.words import width

TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=64)


@attrs.frozen
class Played:
    """As much of an entry as progress looks at."""

    faults: int = 0
    bots: tuple[str, ...] = ("ann", "bob")
    duration_s: float = 0.0

    @property
    def pairing(self):
        return Pairing("1", "dice", self.bots, 7, "1", 0, 0)

    @property
    def totals(self):
        return tuple(SeatTotals.of(()) for _ in self.bots)

    @property
    def record(self):
        capsules = (None,) * self.faults
        return attrs.make_class("Record", ["capsules", "decisions", "duration_s"])(
            capsules, (), self.duration_s
        )


@attrs.define
class Rule:
    """Says how often it was asked."""

    asked: int = 0

    def begins(self, course):
        pass

    def closed(self, series):
        return False

    def state(self):
        self.asked += 1
        return f"asked {self.asked} times"


@pytest.fixture
def clock(monkeypatch):
    """Time that goes on by what the test says."""
    now = [100.0]
    monkeypatch.setattr("arena.terminal.progress.time.monotonic", lambda: now[0])
    return now


def course(*names: str, series: int = 50, kind: str = "round-robin") -> Course:
    """Between ann and bob, if nobody else is named: 100 matches."""
    terms = Terms(game="dice", seats=2, series=series, seed=1, deals="same")
    names = names or ("ann", "bob")
    return Course(names, FORMATS[kind], terms, withdrawn_after=3, restarts_max=10)


def series(number: int, winner: str = "ann", loser: str = "bob", *, ends_cycle: bool = True) -> ClosedSeries:
    """Two matches that one of them won."""
    matches = []
    for rotation, bots in enumerate([(winner, loser), (loser, winner)]):
        points = tuple(float(bot == winner) for bot in bots)
        pairing = Pairing(f"{number}.{rotation}", "dice", bots, 7, str(number), rotation, number)
        matches.append((pairing, MatchResult(points=points, returns=points, faults=(0, 0))))
    return ClosedSeries(str(number), number, ends_cycle, tuple(matches))


def following(view: Lines | Screen, account: Account, guide=lambda address: None) -> ProgressReporter:
    return ProgressReporter(account, view, lambda course, done: "", guide)


# Lines.


def lines(stream, *, rule=None, quiet=False) -> ProgressReporter:
    account = Account(Standings(), rule)
    view = Lines(account, stream, quiet=quiet)
    return following(view, account, lambda address: stream.write(f"come to {address}\n"))


def test_without_a_terminal_progress_is_a_line_now_and_then(clock):
    """Matches, rate, time left and faults; not more often than every five seconds."""
    said = io.StringIO()
    told = lines(said)
    told.begins(course(), 20)
    for _ in range(30):
        clock[0] += 0.5
        told.played(Played(faults=1))
    assert [
        "31 of 100 matches, 2.0/s, 34 s left, 11 faults",
        "42 of 100 matches, 2.0/s, 29 s left, 22 faults",
    ] == said.getvalue().splitlines()


@pytest.mark.parametrize(("kind", "rule"), [("knockout", None), ("round-robin", Rule())])
def test_what_may_end_earlier_is_told_as_at_most(kind, rule, clock):
    """Of a format that goes on by results, and where a rule may stop the run; the rule has its say."""
    said = io.StringIO()
    told = lines(said, rule=rule)
    tournament = course(kind=kind)
    told.begins(tournament, 0)
    for _ in range(2):
        clock[0] += 5
        told.played(Played())
    left_s = (tournament.size - 2) * 5 / 60
    state = f"2 of at most {tournament.size} matches, 12.0/min, at most {left_s:.0f} min left"
    assert [state + ("; asked 2 times" if rule else "")] == said.getvalue().splitlines()


def test_a_rule_is_asked_for_words_now_and_then(clock):
    """However many matches a second end."""
    rule = Rule()
    told = lines(io.StringIO(), rule=rule)
    told.begins(course(), 0)
    for _ in range(33):
        told.played(Played())
        clock[0] += 1 / 32
    assert 5 == rule.asked, "at the first match, and every 0.25 s of the second that followed"


def test_matches_that_are_played_again_leave_no_negative_time(clock):
    """They are done twice."""
    said = io.StringIO()
    told = lines(said)
    told.begins(course(), 100)
    clock[0] += 6
    told.played(Played())
    assert ["101 of 100 matches, 10.0/min, 1 s left"] == said.getvalue().splitlines()


def test_who_leads_is_told_at_the_end_of_a_cycle(clock):
    """Five at most, and not more often than every sixty seconds; within a cycle never."""
    said = io.StringIO()
    told = lines(said)
    told.begins(course(*"abcdef", series=1), 0)
    for number in range(4):
        clock[0] += 25
        told.closed(series(number, "a", "b"))
    clock[0] += 100
    told.closed(series(4, "c", "d", ends_cycle=False))
    assert [
        "standings after cycle 3: 1. a 1.00 (0.14–1.00), 2. b 0.00 (0.00–0.86), 3. c –, 3. d –, 3. e –"
    ] == [line for line in said.getvalue().splitlines() if "standings" in line]


@pytest.mark.parametrize("quiet", [False, True])
def test_quiet_is_quiet(quiet, clock):
    """No progress, no standings, no notes."""
    said = io.StringIO()
    told = lines(said, quiet=quiet)
    told.begins(course(), 0)
    clock[0] += 100
    told.note("x")
    told.played(Played())
    told.closed(series(0))
    assert (0 if quiet else 3) == len(said.getvalue().splitlines())


@pytest.mark.parametrize("quiet", [False, True])
def test_who_is_waited_for_is_said_once(quiet):
    """How to connect once, who is missing whenever it changes; with --quiet too, as it asks for something."""
    said = io.StringIO()
    told = lines(said, quiet=quiet)
    for missing in (["ann", "bob"], ["ann", "bob"], ["bob"]):
        told.waiting("here:1", missing)
    told.note("ann is connected")
    assert [
        "come to here:1",
        "listening on here:1, waiting for ann, bob",
        "listening on here:1, waiting for bob",
        *([] if quiet else ["ann is connected"]),
    ] == said.getvalue().splitlines()


def test_in_lines_too_who_leads_is_told_by_rating_where_that_is_what_ranks(clock):
    """By a thread that the run does not wait for, except at its end; others keep the lines of scores."""
    said = io.StringIO()
    account = Account(Standings(by_rating=True))
    told = following(Lines(account, said), account)
    told.begins(course(), 0)
    clock[0] += 61
    told.closed(series(0, ends_cycle=True))
    told.ends()
    leaders = said.getvalue().splitlines()[-1]
    assert re.fullmatch(r".* 1\. ann 1[5-9]\d\d Elo, 1\.00 \(.*, 2\. bob 1[2-4]\d\d Elo, 0\.00 \(.*", leaders)


def test_bots_are_rated_when_a_cycle_has_ended_and_seldom_if_that_takes_long(clock, monkeypatch):
    """At most a fiftieth of the time goes into it."""
    rated = []

    def slowly(unrated):
        clock[0] += 0.5
        rated.append(len(unrated.match) // 2)
        return {"ann": 1600.0, "bob": 1400.0}

    monkeypatch.setattr("arena.analysis.live.Unrated.ratings", slowly)
    account = Account(Standings(by_rating=True))
    account.begins(course(), 0)
    for number in range(60):
        account.closed(series(number, ends_cycle=number % 2 == 1))
        account.rate()
        account.rate()
        clock[0] += 1
    assert [4, 54, 104] == rated
    assert [("ann", 1600.0), ("bob", 1400.0)] == [(row.bot, row.rating) for row in account.standings.rows()]


@pytest.mark.parametrize(("most", "is_rated"), [(2, True), (1, False)])
def test_too_many_bots_are_not_rated_while_they_play(monkeypatch, most, is_rated):
    """Rating thousands would take all cores for minutes; they are listed by score until the end."""
    monkeypatch.setattr("arena.terminal.account.RATED_BOTS_MAX", most)
    account = Account(Standings(by_rating=True))
    account.begins(course(), 0)
    account.closed(series(0, ends_cycle=True))
    account.rate()
    assert [is_rated] * 2 == [row.rating is not None for row in account.standings.rows()]


def test_play_begins_once_the_bots_are_there():
    """The reporter is what hears of it, and passes it on."""
    begun, stream, account = [], io.StringIO(), Account(Standings())

    def begins(course: Course, done: int) -> str:
        begun.append((course.size, done))
        return "two bots"

    told = ProgressReporter(account, Lines(account, stream), begins, lambda address: None)
    told.waiting("here:1", ["ann"])
    assert [] == begun
    told.begins(course(), 3)
    assert [(course().size, 3)] == begun
    assert "two bots" == stream.getvalue().splitlines()[-1]


def test_places_are_those_of_the_format():
    """A knockout ranks by who is out: told at the end of each cycle, from the course."""
    account = Account(Standings())
    tournament = course("ann", "bob", "cat", "dan", series=1, kind="knockout")
    account.begins(tournament, 0)
    assert {1} == {row.rank for row in account.standings.rows()}, "all are in"
    for _, pairing in zip(range(tournament.size), play_order(tournament), strict=False):
        points = tuple(float(bot == max(pairing.bots)) for bot in pairing.bots)
        result = MatchResult(points=points, returns=points, faults=(0, 0))
        for closed in tournament.note(pairing.id, result, no_trouble(pairing)).closed:
            account.closed(closed)
    assert tournament.is_over
    assert tournament.places == {row.bot: row.rank for row in account.standings.rows()}
    assert [1, 2] == [row.rank for row in account.standings.rows()[:2]]


def play_order(tournament: Course) -> Iterator[Pairing]:
    """What is planned, and what is planned because of it."""
    for place in count():
        if place == len(tournament.order):
            return
        yield tournament.order[place]


def no_trouble(pairing: Pairing) -> dict[str, BotOutcome]:
    return {bot: BotOutcome(abandoned=False, crashed=False, withdrawn=False) for bot in pairing.bots}


# Scores.


def of_score(score: float, half: float, matches: int = 10) -> Standing:
    return Standing(1, "x", matches, score, score - half, score + half, 0)


@pytest.mark.parametrize(
    ("unit", "score", "half", "shown"),
    [
        ("points", 0.8125, 0.06, "0.81 (0.75–0.87)"),
        ("points", 0.8125, 0.004, "0.812 (0.808–0.817)"),
        ("bb/100", 2944.3, 582.4, "+2944 ± 582"),
        ("bb/100", -0.3, 12.0, "+0 ± 12"),
        ("bb/100", -5.26, 2.34, "−5.3 ± 2.3"),
        ("bb/100", -12_345_678.0, 999_999.0, "−12.3M ± 999,999"),
    ],
)
def test_scores_have_as_many_digits_as_are_known(unit, score, half, shown):
    """What the interval drowns is left out; there is no minus zero; who has not played has a dash."""
    standings = Standings(rated_by="ranks" if unit == "points" else "returns", returns_unit=(unit, 1.0))
    assert shown == score_words(of_score(score, half), standings)
    assert "–" == score_words(of_score(0.0, 0.0, matches=0), standings)


# The picture.


def account_of(*names: str, done: int = 0, rule=None) -> Account:
    """A tournament that the first of them leads by one series."""
    account = Account(Standings(), rule)
    account.begins(course(*names), done)
    account.closed(series(0, *names[:2]))
    return account


def test_the_picture_has_bar_and_standings(clock):
    """As wide as it must be, in a terminal of a hundred columns."""
    account = account_of("ann", "bob", "catherine", done=75)
    clock[0] += 4
    for _ in range(8):
        account.played(Played())
    assert (
        """\
━━━━━━━━────────────────────── 83 of 300 matches, 2.0/s, 2 min left
rank  bot        matches     points (95 %)  faults
────  ─────────  ───────  ────────────────  ──────
   1  ann              2  1.00 (0.01–1.00)       0
   2  bob              2  0.00 (0.00–0.99)       0
   3  catherine        0                 –       0
95 % intervals hold for one look""".splitlines()
        == picture(account, "", ScreenSize(100, 30))
    )


def test_the_picture_shows_by_what_bots_are_ordered(clock):
    """The rating beside the score, as in a gauntlet; a dash until it is known."""
    account = Account(Standings(by_rating=True))
    account.begins(course("ann", "bob"), 0)
    account.closed(series(0, "ann", "bob"))
    account.standings.ratings = {"bob": 1534.6}
    _, titles, _, *rows = picture(account, "", ScreenSize(100, 30))
    assert ["rank", "bot", "matches", "rating", "points"] == titles.split()[:5]
    assert ["bob", "1535"] == [rows[0].split()[1], rows[0].split()[3]]
    assert ["ann", "–"] == [rows[1].split()[1], rows[1].split()[3]]


def test_a_rule_stands_below_the_bar(clock):
    """What it says may be long."""
    account = account_of("ann", "bob", rule=Rule())
    account.played(Played())
    bar, rule, titles, *_ = picture(account, "", ScreenSize(100, 30))
    assert (True, "asked 1 times", "rank") == (bar.startswith("───"), rule, titles[:4])


def test_sixty_columns_are_enough(clock):
    """The bar gets shorter, names are clipped, numbers are whole."""
    shown = picture(account_of("a" * 64, "日本" * 20), "", ScreenSize(60, 30))
    assert [
        "─" * 30 + " 0 of 100 matches",
        "rank  bot                 matches     points (95 %)  faults",
    ] == shown[:2]
    assert "   1  aaaaaaaaaaaaaaaaa…        2  1.00 (0.01–1.00)       0" == shown[3]
    assert "   2  日本日本日本日本…         2  0.00 (0.00–0.99)       0" == shown[4]


@pytest.mark.parametrize(
    ("height", "shown"),
    [
        (10, ["ann", "bob", "cat", "dan", "eve", "fay"]),
        (9, ["ann", "bob", "cat", "dan", "… 2 more"]),
        (6, ["ann", "… 5 more"]),
        (5, []),
        (2, []),
    ],
)
def test_the_best_are_shown_where_not_all_fit(height, shown, clock):
    """And how many more there are; a line is left for the cursor."""
    account = account_of("ann", "bob", "cat", "dan", "eve", "fay")
    bar, *table = picture(account, "", ScreenSize(80, height))
    assert "of 1,500 matches" in bar
    named = [line if line.startswith("…") else line.split()[1] for line in table[2:]]
    assert shown == named


@pytest.mark.slow
@example(names=["ann", "bob"], columns=1, height=24, waiting="")
@given(
    names=st.lists(TEXT, min_size=2, max_size=10, unique=True),
    columns=st.integers(1, 120),
    height=st.integers(1, 40),
    waiting=st.just("") | TEXT,
)
def test_every_picture_fits(names, columns, height, waiting):
    """Whatever the bots are called: no line wraps or commands the terminal, and the cursor has a line."""
    account = Account(Standings(), Rule())
    account.standings.enter(names)
    account.closed(series(0, *names[:2]))
    account.played(Played())
    shown = picture(account, waiting if waiting.isprintable() else "", ScreenSize(columns, height))
    assert len(shown) <= height - 1
    assert all(line.isprintable() and width(line) <= max(1, columns - 1) for line in shown)


# The screen.


@attrs.frozen
class Watched:
    glass: Glass
    screen: Screen
    told: ProgressReporter


@pytest.fixture
def watched(clock) -> Watched:
    """A run that is shown on a terminal that is only remembered; drawn when the test says so."""
    account, glass = Account(Standings()), Glass(80, 12)
    screen = Screen(account, glass)
    return Watched(
        glass, screen, following(screen, account, lambda address: glass.write(f"come to {address}\n"))
    )


def test_a_screen_is_drawn_in_place(watched):
    """Bots are got ready, then play; what was there before is written over, not added to."""
    glass, screen, told = watched.glass, watched.screen, watched.told
    glass.write("$ arena run\n")
    screen.draw()
    assert ["$ arena run", "getting the bots ready"] == glass.shown
    told.begins(course(), 0)
    told.closed(series(0))
    screen.draw()
    first = glass.shown
    assert ["$ arena run", "rank", "ann", "bob"] == [
        first[0],
        first[2][:4],
        first[4].split()[1],
        first[5].split()[1],
    ]
    told.played(Played(faults=1))
    screen.draw()
    assert first[2:] == glass.shown[2:]
    assert glass.shown[1].endswith("─ 1 of 100 matches, 1 fault")


def test_notes_go_above_the_picture(watched):
    """They stay; what bots are called commands no terminal."""
    watched.told.begins(course(), 0)
    watched.screen.draw()
    below = watched.glass.shown
    watched.told.note("ann\x1b[2J is withdrawn: " + "x" * 80)
    watched.screen.draw()
    assert ["ann\\x1b[2J is withdrawn: " + "x" * 55, "x" * 25, *below] == watched.glass.shown


def test_how_to_connect_is_written_where_the_picture_was(watched):
    """By somebody who knows nothing of the screen."""
    watched.screen.draw()
    watched.told.waiting("here:1", ["ann"])
    watched.screen.draw()
    assert ["come to here:1", "listening on here:1, waiting for ann"] == watched.glass.shown


def test_nothing_is_written_as_long_as_nothing_changes(watched):
    """Not even if something was told that cannot be seen."""
    watched.told.begins(course(), 0)
    watched.screen.draw()
    writes = watched.glass.writes
    watched.screen.draw()
    watched.screen.changed()
    watched.screen.draw()
    assert writes == watched.glass.writes


@pytest.mark.parametrize("size", [(50, 12), (45, 30), (120, 40)])
def test_a_terminal_may_be_resized(watched, size):
    """Lines that it has wrapped are written over; the picture has the new size though nothing was played."""
    watched.glass.write("$ arena run\n")
    watched.told.begins(course("ann", "bob", "c" * 40), 0)
    watched.screen.draw()
    watched.glass.resize(*size)
    watched.screen.draw()
    assert ["$ arena run", *picture(watched.told.account, "", ScreenSize(*size))] == watched.glass.shown


def test_a_terminal_that_takes_no_text_is_left_alone(watched):
    """Ctrl-S; what has changed meanwhile is drawn when it goes on."""
    watched.glass.takes_text = False
    watched.told.begins(course(), 0)
    watched.screen.draw()
    assert 0 == watched.glass.writes
    watched.glass.takes_text = True
    watched.screen.draw()
    assert watched.glass.shown[0].endswith("0 of 100 matches")


def test_the_screen_leaves_the_terminal_as_it_was(watched):
    """Nothing of the picture is there, notes are, also the last ones; ending twice is ending once."""
    watched.glass.write("$ arena run\n")
    watched.told.begins(course(), 0)
    watched.screen.draw()
    watched.told.note("ending the bots")
    for _ in range(2):
        watched.told.ends()
    assert (["$ arena run", "ending the bots"], True) == (watched.glass.shown, watched.glass.is_closed)


# A terminal that goes.


def break_glass(watched: Watched) -> None:
    watched.glass.is_broken = True
    watched.screen.draw()


def hang_up(watched: Watched) -> None:
    watched.told.hang_up()


@pytest.mark.parametrize("go", [break_glass, hang_up])
def test_a_run_goes_on_in_lines_when_its_terminal_is_gone(go, watched, clock, capsys):
    """Whether a signal says so or a write; others hear of it before anything is said."""
    watched.told.lost = lambda: print("lost", file=sys.stderr)
    watched.told.begins(course(), 0)
    go(watched)
    writes = watched.glass.writes
    watched.told.note("ann is withdrawn")
    clock[0] += 6
    watched.screen.changed()
    watched.screen.draw()
    watched.told.played(Played())
    watched.told.ends()
    assert (writes, True) == (watched.glass.writes, watched.glass.is_closed)
    said = capsys.readouterr().err.splitlines()
    assert ["lost", "ann is withdrawn", "1 of 100 matches, 10.0/min, 10 min left"] == said


class Broken(io.StringIO):
    def write(self, text):
        raise BrokenPipeError


def test_a_stream_that_broke_ends_no_tournament(clock):
    """`arena run 2>&1 | head -1`."""
    told = lines(Broken())
    told._guide = lambda address: None
    told.waiting("here:1", ["ann"])
    told.begins(course(), 0)
    clock[0] += 100
    told.note("x")
    told.played(Played())
    told.closed(series(0))
    told.ends()
    assert (1, 2) == (told.account.done, told.account.standings.rows()[0].matches)


# Which one.


@pytest.mark.parametrize(
    ("is_terminal", "quiet", "term", "kind"),
    [
        (True, False, "xterm", Screen),
        (True, False, "dumb", Lines),
        (True, True, "xterm", Lines),
        (False, False, "xterm", Lines),
    ],
)
def test_progress_fits_the_stream(is_terminal, quiet, term, kind, monkeypatch):
    """A screen for a terminal that can be drawn on, lines for everything else."""
    ours, theirs = os.openpty() if is_terminal else os.pipe()[::-1]
    with open(theirs if is_terminal else ours, "w", closefd=False) as stream:
        monkeypatch.setattr(sys, "stderr", stream)
        monkeypatch.setenv("TERM", term)
        told = progress(lambda course, done: "", lambda address: None, quiet=quiet, standings=Standings())
        view = told.view
        told.ends()
    for descriptor in (ours, theirs):
        os.close(descriptor)
    assert kind is type(view)


def test_a_terminal_knows_its_size_and_lives_on_its_own():
    """Also when standard error becomes another file; one that was never told its size has the usual one."""
    ours, theirs = os.openpty()
    with open(theirs, "w") as stream:
        terminal = Terminal.of(stream)
    assert ScreenSize(80, 24) == terminal.size()
    termios.tcsetwinsize(ours, (30, 100))
    assert (ScreenSize(100, 30), True) == (terminal.size(), terminal.is_ready())
    terminal.write("━\n")
    assert "━\r\n".encode() == os.read(ours, 100)
    os.close(ours)
    with pytest.raises(OSError):
        terminal.write("x")
    assert ScreenSize(80, 24) == terminal.size()
    terminal.close()
