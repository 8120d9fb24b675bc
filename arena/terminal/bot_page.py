"""One bot's page in the terminal: what it does well, what badly, and which matches to look at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from arena.terminal.board import plus_minus
from arena.terminal.failures import how_to_look, tally
from arena.terminal.text import aligned
from arena.words import chance, clipped, counted, measured, printable, version_words, with_range, with_ranks

if TYPE_CHECKING:
    from arena.analysis.bot_page import BotPage, LostMatch

NAME_MOST = 24
OFTEN_MOST = 60
"""How many characters are shown of the most frequent reason why an old version failed."""


def bot_page(
    page: BotPage, where: str = "", *, listing: str, folder: str = "", columns: int | None = None
) -> str:
    """A bot's page as text.

    `where`: the folder as the last word of a command, if a command needs it; `listing`: the command that
    lists the matches with faults; `folder`: as a word of a command; `columns`: the width of the terminal, if
    the page is for one.
    """
    parts = [_head(page), *_seats(page), *_meetings(page), *_faults(page, listing, folder, columns)]
    return "\n\n".join([*parts, *_older(page), *_slowest(page), *_lost(page, where)])


def _head(page: BotPage) -> str:
    row = page.row
    name = printable(row.bot) + (f" {version}" if (version := version_words(row.version)) else "")
    status = "" if row.status == "ok" else f", {row.status}"
    if not row.matches:
        return f"{name}: no match that counts yet{status}"
    ranks = with_ranks(row.rank, row.rank_low, row.rank_high)
    lines = [f"{name}: rank {ranks} of {page.bots}, {counted(row.matches, 'match')}{status}"]
    lines.append(f"rating   {plus_minus(row)} {row.rating_unit}{_next(page)}")
    if row.score_unit == "points":
        lines.append(f"points   {with_range(row.score, row.score_low, row.score_high)} of those available")
    rate = with_range(row.win_rate, row.win_rate_low, row.win_rate_high)
    lines.append(f"won      {rate}: {row.wins} won, {row.ties} tied, {row.losses} lost")
    median, p99 = measured(row.move_time_median_s), measured(row.move_time_p99_s)
    lines.append(f"moves    median {median}, p99 {p99}")
    return "\n".join(lines)


def _next(page: BotPage) -> str:
    if not page.is_compared:
        return ""
    return f"; better than the next bot with a probability of {chance(page.row.better_than_next)}"


def _seats(page: BotPage) -> Iterator[str]:
    if len(page.seats) < 2:
        return
    is_share = page.row.score_unit == "points"
    rows = [
        (
            each.seat,
            each.matches,
            with_range(each.score, each.score_low, each.score_high)
            if is_share
            else f"{each.score:+.4g} ± {(each.score_high - each.score_low) / 2:.4g}",
            each.wins,
            each.ties,
            each.losses,
        )
        for each in page.seats
    ]
    yield _table(("seat", "matches", f"{page.row.score_unit} (95 %)", "won", "tied", "lost"), rows)


def _meetings(page: BotPage) -> Iterator[str]:
    rows = [
        (
            clipped(printable(each.opponent), NAME_MOST),
            each.matches,
            with_range(each.share, each.share_low, each.share_high),
            each.better,
            each.tied,
            each.worse,
            f"{each.returns_mean:+.4g}",
        )
        for each in page.meetings
    ]
    if rows:
        yield _table(
            ("against", "matches", "share (95 %)", "better", "tied", "worse", "returns"), rows, "against"
        )


def _faults(page: BotPage, listing: str, folder: str, columns: int | None) -> Iterator[str]:
    if page.failures:
        lines = tally(page.failures, listing=listing, folder=folder, is_of_one=True, columns=columns)
        yield "\n".join([*lines, *how_to_look(page.failures, folder)])


def _older(page: BotPage) -> Iterator[str]:
    rows = [
        (
            printable(each.bot),
            each.matches,
            sum(count.count for count in each.faults),
            each.failures[0].within(OFTEN_MOST).said if each.failures else "–",
        )
        for each in page.older
    ]
    if rows:
        titles = (f"replaced by {printable(page.row.bot)}", "matches", "faults", "most often")
        yield _table(titles, rows, titles[0], "most often")


def _slowest(page: BotPage) -> Iterator[str]:
    rows = [(each.match_id, each.seat, measured(each.seconds)) for each in page.slowest]
    if rows:
        yield _table(("slowest in", "seat", "longest move"), rows, "slowest in")


def _lost(page: BotPage, where: str) -> Iterator[str]:
    rows = [(f"arena replay {each.match_id}{where}", each.rank, _why(each)) for each in page.telling_losses]
    if rows:
        yield _table(("most telling lost matches", "place", "why"), rows, "most telling lost matches", "why")


def _why(lost: LostMatch) -> str:
    beaten = f"beaten by {clipped(printable(lost.beaten_by), NAME_MOST)} (rank {lost.beaten_by_rank})"
    return f"{beaten}, with {counted(lost.faults, 'fault')}" if lost.faults else beaten


def _table(titles: tuple[str, ...], rows: Sequence[tuple[object, ...]], *to_left: str) -> str:
    return aligned(titles, rows, [title for title in titles if title not in to_left])
