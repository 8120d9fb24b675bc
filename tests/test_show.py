"""What people see: tables that line up, a leaderboard that fits, a match to follow, and no secrets."""

from __future__ import annotations

import fcntl
import io
import json
import os
import pty
import re
import struct
import sys
import termios

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.analysis.counted import Coverage
from arena.analysis.failures import Failure
from arena.analysis.leaderboard import Leaderboard, LeaderboardRow
from arena.errors import ConfigError
from arena.games.liars_dice import LiarsDice
from arena.games.liars_dice.moves import Bid, Challenge, Forfeit, Pass, Roll
from arena.match.game import CHANCE, Seat
from arena.match.record import Decision, pack
from arena.page.report.page import rating
from arena.store import StoredMatch, StoredSeat
from arena.telling.replay import replay_of, viewer_of
from arena.terminal.board import WIDTH, leaderboard_text
from arena.terminal.failures import how_to_look, tally
from arena.terminal.inks import SEQUENCES, Inks, inks_for
from arena.terminal.match import retold, step_rows, steps_json
from arena.terminal.text import aligned, as_table, as_time, capsule_lines, columns_of, fitting, out, say
from arena.words import width

TEXT = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp", "Cf"]), min_size=1, max_size=64)


# Tables.


def test_columns_line_up():
    """Names to the left, numbers to the right, wide characters counted as two, nothing as a dash."""
    table = aligned(("bot", "won", "rate"), [("odds", 5, 0.5), ("日本", 12, None)])
    assert "bot   won   rate\n────  ───  ─────\nodds    5  0.500\n日本   12      –" == table


@given(rows=st.lists(st.tuples(TEXT, st.integers(0, 10**6), st.floats(0, 1)), min_size=1, max_size=5))
def test_every_line_is_as_wide_as_its_columns(rows):
    """No cell moves the next one, whatever is in it."""
    lines = aligned(("a", "b", "c"), rows).splitlines()
    rule = lines[1]
    starts = [
        place for place, char in enumerate(rule) if char == "─" and (place == 0 or rule[place - 1] == " ")
    ]
    for row, line in zip(rows, lines[2:], strict=True):
        assert width(row[0]) <= starts[1] - 2
        assert line.endswith(f"{row[2]:.3f}")
        assert width(line) == len(rule)


def test_a_table_that_is_too_wide_leaves_out_what_is_needed_less():
    """Only as much of it as it must, from the first on."""
    header, rows = ("one", "two", "six"), [("a" * 30, "b" * 30, "c" * 30)]
    assert (list(header), [list(rows[0])]) == fitting(header, rows, 94, ("two", "one"))
    assert (["one", "six"], [["a" * 30, "c" * 30]]) == fitting(header, rows, 93, ("two", "one"))
    assert (["six"], [["c" * 30]]) == fitting(header, rows, 10, ("two", "one"))


def test_the_forms_of_a_table():
    """CSV quotes, JSON is a list of objects."""
    header, rows = ("bot", "won"), [('a,"b"', 1)]
    assert 'bot,won\n"a,""b""",1' == as_table(header, rows, "csv")
    assert [{"bot": 'a,"b"', "won": 1}] == json.loads(as_table(header, rows, "json"))


def test_words():
    """Times as people say them."""
    assert ["1 s", "20 s", "3 min", "2.5 h"] == [as_time(seconds) for seconds in (0.2, 20, 200, 9000)]


def test_a_capsule_is_shown_line_by_line():
    """Messages with times and directions, escape sequences made visible, the bot's stderr by lines."""
    lines = [{"fault": "illegal"}, {"t_s": 0.5, "dir": "→", "text": "{\x1b[2J"}, {"stderr": "one\ntwo"}]
    assert ["fault: illegal", "    0.500 → {\\x1b[2J", "stderr: one", "stderr: two"] == capsule_lines(lines)


# The leaderboard.


def row(
    bot: str,
    *,
    matches: int = 60,
    status: str = "ok",
    faults: int = 0,
    score: float = 0.875,
    half: float = 0.125,
    unit: str = "points",
    better: float = 0.87,
) -> LeaderboardRow:
    numbers = {"rank": 1, "matches": matches, "wins": matches, "ties": 0, "losses": 0}
    rates = {
        "win_rate": 1.0,
        "win_rate_low": 0.5,
        "win_rate_high": 1.0,
        "points_mean": score if unit == "points" else 0.875,
        "returns_mean": 1.0,
        "returns_low": 0.5,
        "returns_high": 1.5,
    }
    is_points = unit == "points"
    scores = (
        {"points_low": score - half, "points_high": score + half}
        if is_points
        else {"points_low": 0.5, "points_high": 1.0}
    )
    ratings = {
        "rating": 1512.3 if is_points else score,
        "rating_low": 1467.3 if is_points else score - half,
        "rating_high": 1557.3 if is_points else score + half,
        "rating_unit": "Elo" if is_points else unit,
        "better_than_next": better,
        "rank_low": 1,
        "rank_high": 1,
    }
    counts = {"too_late": faults, "malformed": 0, "illegal": 0, "gone": 0}
    return LeaderboardRow(
        bot=bot,
        version="1",
        **numbers,
        **rates,
        **scores,
        **ratings,
        **counts,
        move_time_median_s=0.0123,
        move_time_p99_s=1.5,
        status=status,
    )


def board(*rows: LeaderboardRow) -> Leaderboard:
    return Leaderboard(rows, Coverage(frozenset(), (), 0, 0, 0, 0, 0))


@given(
    names=st.lists(TEXT, min_size=1, max_size=4),
    matches=st.integers(1, 99_999),
    columns=st.integers(80, 140) | st.none(),
)
def test_the_leaderboard_fits_its_terminal(names, matches, columns):
    """80 columns, and where nobody knows; however long the names are, and however large the tournament."""
    shown = board(*(row(name, matches=matches, faults=matches) for name in names))
    lines = leaderboard_text(shown, None, columns).splitlines()
    assert max(map(width, lines)) <= (columns or WIDTH) <= max(80, columns or 0)
    assert "points (95 %)" in lines[0]
    assert "rating (95 %)" in lines[0]


@pytest.mark.parametrize(
    ("columns", "more"),
    [
        (80, "faults"),
        (85, "faults median"),
        (90, "won faults median"),
        (95, "won faults median p99"),
        (140, "won tied lost faults median p99"),
    ],
)
def test_a_wider_terminal_shows_more(columns, more):
    """What is needed least is left out first; a long name gets the room that is left."""
    titles = " ".join(leaderboard_text(board(row("n" * 40)), None, columns).splitlines()[0].split())
    assert f"rank bot matches points (95 %) rating (95 %) better {more}" == titles
    assert "n" * 40 in leaderboard_text(board(row("n" * 40)), None, 140)
    assert "n" * 40 not in leaderboard_text(board(row("n" * 40)), None)


def test_what_better_means_is_said_below_the_table():
    """Where there are two bots to compare."""
    assert "better: chance to be stronger than the next" in leaderboard_text(board(row("x"), row("y")), None)
    assert "better:" not in leaderboard_text(board(row("x")), None)


@pytest.mark.parametrize(
    ("points", "half", "shown"),
    [(0.0, 655.0, "below 2155"), (1.0, 655.0, "above 845"), (0.5, 655.0, "1500 ± 655"), (0.0, 0.0, "1500")],
)
def test_a_rating_that_is_bounded_from_one_side_only_is_said_in_words(points, half, shown):
    """Of a bot that lost, or won, all there was; not of the anchor."""
    lost = attrs.evolve(
        row("x"), points_mean=points, rating=1500.0, rating_low=1500.0 - half, rating_high=1500.0 + half
    )
    assert f"  {shown}  " in leaderboard_text(board(lost), None).splitlines()[2]
    if lost.rating_bound:  # and on the page
        assert shown == rating(lost)


def test_colour_is_sober():
    """A faint head, the leader strong, faults in yellow; the same text without."""
    inks = Inks(is_on=True)
    shown = board(row("odds", faults=3), row("late"))
    coloured = leaderboard_text(shown, None, 100, inks)
    head, rule, *rows, explained = coloured.splitlines()
    assert all(line.startswith("\x1b[2m") for line in (head, rule, explained))
    assert ["\x1b[1modds\x1b[0m" in rows[0], "\x1b[33m     3\x1b[0m" in rows[0]] == [True, True]
    plain = coloured
    for sequence in SEQUENCES:
        plain = plain.replace(sequence, "")
    assert leaderboard_text(shown, None, 100) == plain
    assert {*SEQUENCES} == set(re.findall("\x1b\\[[0-9;]*.", coloured))


class Screen(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("when", "stream", "environment", "is_on"),
    [
        (None, Screen(), {"TERM": "xterm"}, True),
        ("auto", Screen(), {"TERM": "xterm"}, True),
        ("auto", Screen(), {"TERM": "xterm", "NO_COLOR": "1"}, False),
        ("auto", Screen(), {"TERM": "xterm", "NO_COLOR": ""}, True),
        ("auto", Screen(), {"TERM": "dumb"}, False),
        ("auto", io.StringIO(), {"TERM": "xterm"}, False),
        ("always", io.StringIO(), {"NO_COLOR": "1"}, True),
        ("never", Screen(), {"TERM": "xterm"}, False),
    ],
)
def test_colour_is_for_terminals(when, stream, environment, is_on):
    """Unless NO_COLOR is set, or the user says otherwise."""
    assert Inks(is_on) == inks_for(when, stream, environment)


def test_a_wrong_word_for_colour_is_a_mistake_of_the_user():
    """One sentence with the words that there are."""
    with pytest.raises(ConfigError, match=r"^color: found 'maybe', expected auto, always or never"):
        inks_for("maybe", io.StringIO(), {})


def test_nothing_but_our_own_colours_reaches_a_terminal(capsys):
    """Foreign sequences are escaped, with and without colour."""
    out("\x1b[1mours\x1b[0m\x1b[2J\x1b[31m", Inks(is_on=True))
    out("\x1b[1mours\x1b[0m")
    assert "\x1b[1mours\x1b[0m\\x1b[2J\\x1b[31m\n\\x1b[1mours\\x1b[0m\n" == capsys.readouterr().out


@pytest.mark.parametrize(("said", "columns"), [(80, 80), (0, None)])
def test_a_terminal_says_how_wide_it_is(said, columns):
    """Or does not know; a file is no terminal."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, said, 0, 0))
    with os.fdopen(ours, "rb"), os.fdopen(theirs, "w") as stream:
        assert columns == columns_of(stream)
    with open(os.devnull, "w") as stream:
        assert columns_of(stream) is None
    assert columns_of(io.StringIO()) is None


def test_the_leaderboard_says_what_people_need():
    """One row a bot, times with units, and below who was withdrawn or left out."""
    bots = row("odds", faults=3), row("late", status="withdrawn"), row("none", matches=0, status="left out")
    lines = leaderboard_text(board(*bots), None, 140).splitlines()
    assert "1 odds 60 87.5% (75–100) 1512 ± 45 87% 60 0 0 3 12 ms 1.5 s" == " ".join(lines[2].split())
    assert ["87%", "–"] == [line.split()[8] for line in lines[2:4]], "after the last that played: nobody"
    assert ["1", "none", "0", *"–––––––––"] == lines[4].split()
    assert ["late: withdrawn", "none: left out"] == [line.partition(" after")[0] for line in lines[6:]]


BIG_BLINDS = st.floats(-2e9, 2e9)
"""Nobody wins more: nine stacks of 10,000 big blinds in each of 100 hands; 19 times that is the widest interval."""


@given(
    names=st.lists(TEXT, min_size=1, max_size=4),
    matches=st.integers(1, 99_999),
    score=BIG_BLINDS,
    half=st.floats(0, 2e9),
)
def test_a_leaderboard_of_returns_fits_eighty_columns(names, matches, score, half):
    """However much is won, and however little is known of it."""
    more = {"matches": matches, "faults": matches, "score": score, "half": half, "unit": "bb/100"}
    text = leaderboard_text(board(*(row(name, **more) for name in names)), None)
    assert max(map(width, text.splitlines())) <= WIDTH


def test_a_leaderboard_of_returns_shows_them_with_their_interval():
    """The unit is the title, in the place of points and win rate; who has no match has dashes."""
    bots = (
        row("equity", score=2944.3, half=582.4, unit="bb/100"),
        row("none", matches=0, status="left out", score=0.0, half=0.0, unit="bb/100"),
    )
    title, _, first, last, _ = leaderboard_text(board(*bots), None, 100).splitlines()
    assert "rank bot matches bb/100 (95 %) better won tied lost faults median p99" == " ".join(title.split())
    assert "1 equity 60 +2944 ± 582 – 60 0 0 0 12 ms 1.5 s" == " ".join(first.split())
    assert ["1", "none", "0", *"––––––––"] == last.split()


@pytest.mark.parametrize(
    ("score", "half", "shown"),
    [
        (2944.3, 582.4, "+2944 ± 582"),
        (-2944.3, 582.4, "−2944 ± 582"),
        (-0.3, 12.0, "+0 ± 12"),
        (5.26, 2.34, "+5.3 ± 2.3"),
        (0.1234, 0.0567, "+0.123 ± 0.057"),
        (-12_345_678.0, 999_999.0, "−12.3M ± 999,999"),
    ],
)
def test_returns_have_as_many_digits_as_are_known(score, half, shown):
    """What the interval drowns is left out; there is no minus zero."""
    line = leaderboard_text(board(row("x", score=score, half=half, unit="bb/100")), None).splitlines()[2]
    assert f" {shown}  " in line


@pytest.mark.parametrize(
    ("probability", "shown"),
    [
        (0.5, "50%"),
        (0.874, "87%"),
        (0.99, "99%"),
        (0.996, ">99%"),
        (1.0, ">99%"),
        (0.004, "<1%"),
        (0.0, "<1%"),
    ],
)
def test_a_chance_never_reads_as_certainty(probability, shown):
    """In whole percent, and the last bot has none, as nobody comes next."""
    first, last = leaderboard_text(board(row("x", better=probability), row("y")), None).splitlines()[2:4]
    assert f"  {shown}  " in first
    assert "  –  " in last


def test_who_beats_the_leader_stands_below():
    """A line for each, after who was withdrawn."""
    shown = attrs.evolve(board(row("x"), row("late", status="withdrawn")), notes=("late (rank 2) beats x",))
    assert ["late: withdrawn", "late (rank 2) beats x"] == [
        line.partition(" after")[0] for line in leaderboard_text(shown, None).splitlines()[5:]
    ]


def test_the_leaderboard_for_programs_has_all_columns():
    """`--json` keeps what people are spared."""
    (shown,) = json.loads(leaderboard_text(board(row("odds")), "json"))
    assert list(attrs.fields_dict(LeaderboardRow)) == list(shown)


def test_a_tally_counts_by_bot_and_reason():
    """The most frequent first, each with the files that say more; one line for each, escaped."""
    failed = [
        Failure("a", "too_late", "no answer within 1 s", 5, 5, is_example=True),
        Failure("b", "malformed", "no \x1b[31m", 4, 4, capsule="faults/1-0-0.jsonl"),
        Failure(
            "c", "crashed", "KeyError: 'hand'", 2, 6, 9, log="logs/c-1.log", capsule="faults/2-0-0.jsonl"
        ),
    ]
    assert [
        "15 faults; `arena matches --fault any results/x` lists the matches:",
        "      5 × a: too_late: e.g. no answer within 1 s",
        "      4 × b: malformed: no \\x1b[31m",
        "          results/x/faults/1-0-0.jsonl",
        "      2 × c: crashed: KeyError: 'hand' (and 9 moves by default)",
        "          results/x/logs/c-1.log, results/x/faults/2-0-0.jsonl",
    ] == list(tally(failed, listing="arena matches --fault any results/x", folder="results/x"))
    assert [
        "6 faults; `arena matches` lists the matches:",
        "      2 × crashed: KeyError: 'hand' (and 9 moves by default)",
        "          results/x/logs/c-1.log, results/x/faults/2-0-0.jsonl",
    ] == list(tally(failed[2:], listing="arena matches", is_of_one=True, folder="results/x"))
    assert [] == list(tally([], listing="arena matches", folder="results/x"))


def test_a_tally_ends_and_fits_the_terminal():
    """After ten it says how many more there are; long reasons go on in the next line."""
    failed = [Failure("bot", "illegal", f"{number}: {'no such bid ' * 12}", 1, 1) for number in range(12)]
    lines = list(tally(failed, listing="arena matches", folder="out", columns=60))
    assert "        and 2 other reasons" == lines[-1]
    assert 60 >= max(map(len, lines[1:]))
    assert 10 * 4 + 2 == len(lines)
    crash = Failure("c", "crashed", "KeyError", 1, 1, log="logs/c-1.log", capsule="faults/2-0-0.jsonl")
    files = ["results/a-long-name/logs/c-1.log", "results/a-long-name/faults/2-0-0.jsonl"]
    told = list(tally([crash], listing="arena matches", folder="results/a-long-name", columns=60))
    assert files == [line.strip() for line in told[2:]]


def test_what_was_said_before_a_fault_can_be_looked_at():
    """The first evidence that there is, by a command that works from here; nothing without evidence."""
    without = Failure("a", "too_late", "", 5, 5)
    failed = [without, Failure("b", "malformed", "no", 4, 4, capsule="faults/1-0-0.jsonl")]
    first, second = how_to_look(failed, "results/x")
    assert "  arena replay results/x/faults/1-0-0.jsonl    what both sides said" == first
    assert "`arena run -x …`" in second
    assert [] == list(how_to_look([without], "results/x"))


# Streams.


class Broken(io.StringIO):
    def write(self, text):
        raise BrokenPipeError


def test_a_stream_that_broke_is_no_mistake(monkeypatch):
    """`arena run 2>&1 | head -1`, or a terminal that was closed."""
    monkeypatch.setattr(sys, "stderr", Broken())
    say("x")


def test_a_full_disk_under_standard_output_is_a_mistake_of_the_user(monkeypatch):
    """Not a bug of ours."""

    class Full(io.StringIO):
        def write(self, text):
            raise OSError(28, "No space left on device")

        def fileno(self):
            return null.fileno()

    with open("/dev/null", "w") as null:
        monkeypatch.setattr(sys, "stdout", Full())
        with pytest.raises(ConfigError, match="standard output cannot be written: No space left"):
            out("x")


# A match retold.

GAME = LiarsDice(dice=2)
ANN, BOB = Seat(0), Seat(1)


def turns(bobs=((2, 3), (4, 5))):
    """Two rounds: a bid that is challenged, and a bid that gets no valid answer and takes Ann's last die."""
    return (
        {CHANCE: Roll(((6, 6), bobs[0]))},
        {ANN: Bid(6, 2), BOB: Pass()},
        {BOB: Bid(6, 3), ANN: Pass()},
        {ANN: Forfeit(), BOB: Pass()},
        {CHANCE: Roll(((1, 1), bobs[1]))},
        {ANN: Bid(1, 2), BOB: Pass()},
        {BOB: Challenge(), ANN: Pass()},
    )


def seat(place: int, bot: str, rank: int) -> StoredSeat:
    return StoredSeat(place, bot, "1", rank, 0.0, 0.0, rank == 1, False, *(0,) * 6, False, False, 0, 0.0, 0.0)


class Kept:
    """A store that has kept one fault."""

    def decisions(self, match_id):
        return [Decision(3, ANN, "{}", 1.0, "too_late", "no answer within 1 s"), Decision(3, BOB, "{}", 0.1)]


def told(viewer: str | None = None, *, moves=None, error: str | None = None):
    match = StoredMatch(
        *("0123456789ab", "ann+bob#0/1", "ann+bob#0", 0, 1, "liars-dice", 1, "same"),
        *("aborted" if error else "done", 7, 8, 0.1, 0.0, 1, error, pack(GAME, moves or turns())),
        (seat(0, "ann", 2), seat(1, "bob", 1)),
    )
    return replay_of(Kept(), match, GAME), viewer_of(match, viewer)


def test_a_match_reads_well():
    """Rounds with their hands, what a turn's seats did on one line, faults with reasons, the result last."""
    assert """\
match 0123456789ab of Liar's Dice: ann against bob
series ann+bob#0, rotation 1

round 1: ann and bob have two dice each
        ann rolls 6 6; bob rolls 2 3
     1  ann bids two 6s
     2  bob bids three 6s
     3  ann forfeits the round and loses a die [too late: no answer within 1 s]

round 2: ann has one die, bob two
        ann rolls 1; bob rolls 4 5
     4  ann bids two 1s
     5  bob challenges ann's bid of two 1s: there is one (bob 4 5, ann 1), so ann loses a die
        ann is out
        bob wins the match

result: 1. bob, 2. ann""" == "\n".join(retold(*told()))


def test_a_match_as_one_saw_it():
    """Only the own moves, hand and faults; what others did as far as it was told; showdowns whole."""
    assert """\
match 0123456789ab of Liar's Dice: ann against bob
series ann+bob#0, rotation 1, as seen by bob

round 1: ann and bob have two dice each
        bob rolls 2 3
     1  ann bids two 6s
     2  bob bids three 6s
     3  ann forfeits the round and loses a die

round 2: ann has one die, bob two
        bob rolls 4 5
     4  ann bids two 1s
     5  bob challenges ann's bid of two 1s: there is one (bob 4 5, ann 1), so ann loses a die
        ann is out
        bob wins the match

result: 1. bob, 2. ann""" == "\n".join(retold(*told("bob")))


def test_a_match_fits_its_terminal():
    """Long lines go on below where they began; faults stand out, the numbers of steps do not."""
    lines = list(retold(*told(), columns=60, inks=Inks(is_on=True)))
    plain = "\n".join(lines)
    for sequence in SEQUENCES:
        plain = plain.replace(sequence, "")
    assert max(map(width, plain.splitlines())) <= 60
    assert (
        """\
     5  bob challenges ann's bid of two 1s: there is one
        (bob 4 5, ann 1), so ann loses a die"""
        in plain
    )
    faint, end, yellow = SEQUENCES[1], SEQUENCES[3], SEQUENCES[2]
    assert f"{faint}     1{end}  ann bids two 6s" in lines
    assert any(line.startswith(f"{faint}     3{end}  {yellow}ann forfeits") for line in lines)


def everything(viewer: str | None, moves) -> tuple[str, str, list]:
    shown = told(viewer, moves=moves)
    return "\n".join(retold(*shown)), json.dumps(steps_json(*shown)), list(step_rows(*shown))


@pytest.mark.slow
@given(hidden=st.tuples(st.integers(2, 5), st.integers(2, 5)))
def test_a_viewer_is_shown_nothing_that_it_did_not_know(hidden):
    """Whatever Bob held in the first round, which ended unseen, is the same to Ann and to a spectator."""
    for viewer in ("ann", "spectator"):
        assert everything(viewer, turns()) == everything(viewer, turns((hidden, (4, 5))))
    if tuple(sorted(hidden)) != (2, 3):
        assert everything(None, turns())[0] != everything(None, turns((hidden, (4, 5))))[0]
        assert everything("bob", turns())[0] != everything("bob", turns((hidden, (4, 5))))[0]


@pytest.mark.parametrize(("viewer", "seat"), [("ann", ANN), ("bob", BOB), ("spectator", None)])
def test_every_step_shows_what_the_game_lets_this_viewer_observe(viewer, seat):
    """`state` is `observe`, `events` are those told to it, `moves` and `options` its own."""
    shown = told(viewer)
    for step, moment in zip(steps_json(*shown)["steps"], shown[0].moments(), strict=True):
        moves, stepped = moment.moves, moment.step
        state = stepped.state
        assert list(GAME.observe(state, seat).your_hand) == step["state"]["your_hand"]
        assert sum(event.seen_by(seat) is not None for event in stepped.events) == len(step["events"])
        assert [int(who) for who in moves if who == seat] == [move["seat"] for move in step["moves"]]
        asked = seat is not None and seat in GAME.to_act(state)
        assert ([viewer] if asked else []) == list(step["options"])


def test_steps_tell_everything_to_who_may_see_it():
    """State, moves of all, chance at seat −1, secrets with whom they were told to."""
    steps = json.loads(json.dumps(steps_json(*told())))["steps"]
    assert [-1, 0, 1, 2, 3, 4, 5, 6] == [step["turn"] for step in steps]
    assert [{"seat": -1, "bot": None, "move": {"kind": "Roll", "hands": [[6, 6], [2, 3]]}}] == steps[1][
        "moves"
    ]
    assert [None, "ann", "bob"] == [event["to"] for event in steps[1]["events"]]
    assert [[6, 6], [2, 3]] == steps[1]["state"]["hands"]


def test_rows_name_faults():
    """A row for every move, with the fault and its reason."""
    (row,) = (row for row in step_rows(*told()) if row[4])
    assert (3, 0, "ann", '"Forfeit"', "too_late", "no answer within 1 s") == row
    assert [] == [row for row in step_rows(*told("bob")) if row[4]]


def test_an_aborted_match_is_told_as_far_as_the_rules_went():
    """The moves that broke them stand last, then the traceback; there is no result."""
    moves = (
        *turns()[:2],
        {BOB: Bid(6, 2), ANN: Pass()},
    )  # no higher bid: what broken rules might let through
    shown = list(retold(*told(moves=moves, error="Traceback …")))
    assert ["     2  bob bids two 6s", ""] == shown[-4:-2]
    assert ["aborted because the rules or the arena failed:", "Traceback …"] == shown[-2:]
    assert None is steps_json(*told(moves=moves, error="x"))["steps"][-1]["state"]
