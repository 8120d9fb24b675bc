"""One bot's page: what is chosen to be told of it, and how the terminal shows it."""

from __future__ import annotations

import attrs
import pytest
from synthetic import play

from arena.analysis.bot_page import LOST_MAX, SLOW_MAX, BotPage, LostHow, bot_page_of, lost_how
from arena.analysis.ranking import leaderboard
from arena.analysis.sheet import read_sheet
from arena.cli.reading import faults_listing
from arena.errors import ConfigError
from arena.match.game import Seat
from arena.match.record import Decision
from arena.terminal.bot_page import bot_page as shown
from arena.words import width

LATE = Decision(1, Seat(0), "0", 1.0, "too_late", "no answer within 1 s")
BAD = Decision(2, Seat(0), "0", 0.5, "malformed", "no \x1b[31m JSON")


def bot_page(store, bot: str) -> BotPage:
    return bot_page_of(read_sheet(store), leaderboard(store), bot, store.faults())


def test_a_small_tournament_by_hand(played):
    """ann: by seat, against bob, its fault, its slowest moves, and the one match that it lost."""
    page = bot_page(played, "ann")
    assert ("ann", 1, 3) == (page.row.bot, page.row.rank, page.bots)
    assert [(0, 6, 5, 0, 1)] == [(s.seat, s.matches, s.wins, s.ties, s.losses) for s in page.seats]
    assert (page.row.score, page.row.score_low) == (page.seats[0].score, page.seats[0].score_low)
    assert [("bob", 5)] == [(meeting.opponent, meeting.better) for meeting in page.meetings]
    assert [("too_late", "no answer within 1 s", 1)] == [(f.fault, f.reason, f.count) for f in page.faults]
    assert (SLOW_MAX, 1.0, 0.25) == (len(page.slowest), page.slowest[0].seconds, page.slowest[1].seconds)
    (lost,) = page.telling_losses
    assert ("000000020001", 0, "bob", 2, 2, -1.0, 1) == attrs.astuple(lost)
    assert page.slowest[0].match_id == lost.match_id


def test_seats_are_told_apart(store):
    """Who sits first wins: all in seat 0, nothing in seat 1."""
    store.add_many(
        play(series, rotation, bots)
        for series in range(3)
        for rotation, bots in enumerate((("ann", "bob"), ("bob", "ann")))
    )
    assert [(0, 1.0), (1, 0.0)] == [(seat.seat, seat.score) for seat in bot_page(store, "ann").seats]


def test_a_seat_does_not_count_the_spread_between_opponents_as_luck(store):
    """ann, always in seat 0, beats bob and loses to cat: her seat is as certain as her row of the leaderboard."""
    for series in range(6):
        store.add_many(play(2 * series, rotation, ("ann", "bob"), (1, 2)) for rotation in range(2))
        store.add_many(play(2 * series + 1, rotation, ("ann", "cat"), (2, 1)) for rotation in range(2))
    page = bot_page(store, "ann")
    (seat,) = page.seats
    assert (page.row.score, page.row.score_low, page.row.score_high) == (
        seat.score,
        seat.score_low,
        seat.score_high,
    )
    assert seat.score_high - seat.score_low < 0.4  # 0.54 if all series were taken as of one set


def test_seats_of_games_rated_by_returns_are_in_their_unit(chips):
    """4 chips are one bb/100."""
    chips.add_many(play(series, 0, returns=(8 + series, -8 - series)) for series in range(3))
    (seat,) = bot_page(chips, "ann").seats
    assert pytest.approx(9 / 4) == seat.score
    assert pytest.approx(seat.score - seat.score_low) == seat.score_high - seat.score


def test_telling_losses(store):
    """First the one with most faults; then one to each bot, the lowest on the leaderboard first, the dearest of it."""
    store.add_many(
        [
            play(0, 0, ("ann", "bob"), (2, 1), returns=(-1, 1)),
            play(1, 0, ("ann", "bob"), (2, 1), returns=(-5, 5)),
            play(2, 0, ("ann", "cat"), (2, 1), returns=(-2, 2)),
            play(3, 0, ("ann", "bob"), (2, 1), returns=(-1, 1), decisions=(LATE, BAD)),
            play(4, 0, ("ann", "bob"), (2, 1), returns=(-3, 3), decisions=(LATE,)),
            play(5, 0, ("ann", "cat"), (1, 2)),
            play(6, 0, ("ann", "cat"), (1, 1), returns=(0, 0)),
        ]
    )
    lost = bot_page(store, "ann").telling_losses
    assert [("000000030000", 2, "bob"), ("000000020000", 0, "cat"), ("000000010000", 0, "bob")] == [
        (each.match_id, each.faults, each.beaten_by) for each in lost
    ]
    assert () == bot_page(store, "bob").telling_losses


def test_at_larger_tables_the_lowest_of_those_who_placed_better_counts(store):
    """Second behind the best is a loss to it; last is a loss to the worst of the others."""
    bots = ("ann", "bob", "cat")
    store.add_many([play(0, 0, bots, (1, 2, 3)), play(1, 0, bots, (1, 2, 3)), play(2, 0, bots, (2, 3, 1))])
    assert [("000000020000", "cat", 3)] == [
        (each.match_id, each.beaten_by, each.rank)
        for each in bot_page(store, "bob").telling_losses
        if each.rank == 3
    ]
    assert ["bob"] == [each.beaten_by for each in bot_page(store, "cat").telling_losses]


def test_there_is_an_end_to_it(store):
    """At most so many losses and slow matches, however many opponents there are."""
    for number in range(2 * LOST_MAX):
        store.add(play(number, 0, ("ann", f"bot-{number}"), (2, 1)))
    page = bot_page(store, "ann")
    assert (LOST_MAX, SLOW_MAX) == (len(page.telling_losses), len(page.slowest))
    assert LOST_MAX == len({each.beaten_by for each in page.telling_losses})


def test_who_is_no_bot_gets_a_sentence(played):
    """It names those there are."""
    with pytest.raises(ConfigError, match=r"^bot: no bot is called 'zoe' here; there are ann, bob and cat"):
        bot_page(played, "zoe")


# In the terminal.


def test_the_page_in_the_terminal(played):
    """What one wants to know, with the commands that show more; nothing wider than a terminal."""
    text = shown(bot_page(played, "ann"), " results/x", listing=faults_listing(" results/x", "ann"))
    assert text.startswith("ann 1.0: rank 1 (1–2) of 3, 6 matches\nrating   ")
    assert "Elo; better than the next bot with a probability of " in text
    assert "better than" not in shown(bot_page(played, "bob"), listing="arena matches"), (
        "the next bot never played"
    )
    assert "83.3% (" in text
    assert "    1 × too_late: no answer within 1 s" in text
    assert "`arena matches --bot ann --fault any results/x` lists the matches" in text
    assert "arena replay 000000020001 results/x      2  beaten by bob (rank 2), with 1 fault" in text
    assert max(map(width, text.splitlines())) <= 100


def test_a_bot_without_a_match_has_a_short_page(played):
    """And what became of it."""
    assert "cat 2.0: no match that counts yet, left out" == shown(
        bot_page(played, "cat"), listing="arena matches"
    )


def test_what_a_bot_calls_itself_cannot_command_a_terminal(store):
    """Names and reasons are shown, quoted where they stand in a command."""
    name = "a \x1b[2J'b"
    store.add_many([play(0, 0, (name, "bob"), (2, 1), decisions=(BAD,)), play(1, 0, ("bob", name))])
    for bot in (name, "bob"):
        assert shown(bot_page(store, bot), listing="arena matches").replace("\n", "").isprintable()
    assert """arena matches --bot 'a \\x1b[2J'"'"'b' --fault any""" == faults_listing("", name)


def test_why_matches_were_lost(played):
    """Each lost match counts once: with a fault of its own, or else of bad luck, or else of better play."""
    sheet = read_sheet(played)
    scale = leaderboard(played).scale
    assert LostHow(1, 1, 0) == lost_how(sheet, "ann", scale)
    luckier = attrs.evolve(sheet, adjusted=sheet.adjusted + 2.0)
    adjusting = attrs.evolve(scale, adjusts_luck=True)
    bob = lost_how(sheet, "bob", scale)
    assert (bob.in_all - bob.by_faults, 0) == (bob.by_play, bob.by_luck)
    assert bob.by_play > 0
    assert (0, bob.by_play) == ((found := lost_how(luckier, "bob", adjusting)).by_play, found.by_luck)
    assert bob == lost_how(luckier, "bob", scale)
