"""Makes the page itself: words the facts, and passes them to the template."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import attrs

from arena import words
from arena.analysis.bot_page import BotPage, OldVersion
from arena.analysis.ranking import leaderboard
from arena.analysis.sheet import Sheet, read_sheet
from arena.errors import FAULT_KINDS
from arena.match.game import Game
from arena.page.boards import board_of
from arena.page.bundle import bundle
from arena.page.report import charts, phrases
from arena.page.report.chosen import Wish, wishes
from arena.page.report.facts import Facts, facts_of
from arena.page.report.films import Film, Turning, film_for, films
from arena.page.report.sources import own_source, shared_source, template
from arena.page.report.verdict import facts_list, heading, notes, verdict
from arena.store import Store
from arena.telling.replay import Replay
from arena.tournament.folder.stored import ORIGIN
from arena.words import digits_for, listed, number, percent, with_half, with_range

BYTES_MAX = 498_000
"""The most bytes of the whole file, which people send by mail."""
FILMS_BYTES_MAX = 220_000
"""The most bytes of the matches in it; fewer if the rest leaves less room."""
FILMS_BYTES_LEAST = 50_000
"""The bytes of the matches in a page with so many bots that it is too large in any case."""
HEAT_MAX = 40
"""The most bots in the head-to-head table; if there are more, the first ones are shown."""
REASONS_MAX, REASON_MAX = 3, 90
"""How many reasons, and characters of each, the overview of faults shows."""
MEETINGS_MAX = 20
"""The most opponents on a bot's page; if there are more, those ranked nearest to it are shown."""


def page(store: Store, game: str | None = None, matches: str = "") -> str:
    """The whole page about what the store holds now; `game` says where the game is, instead of the folder.

    `matches`: the address of a page with all matches, where there is one.
    """
    sheet = read_sheet(store)
    facts = facts_of(store, sheet, leaderboard(store, sheet=sheet), game)
    moments = "" if ORIGIN in store.meta() else matches  # a server has the pages of its own games alone
    told = store.names.shown(facts)
    text = without = _rendered(told, [], matches, moments)
    needed = _bytes(without) + _player_bytes(facts.played.game)
    room = max(FILMS_BYTES_LEAST, min(FILMS_BYTES_MAX, BYTES_MAX - needed))
    shown = _films(store, sheet, facts, room)
    while shown:
        text = _rendered(told, shown, matches, moments)
        if _bytes(text) <= max(BYTES_MAX, needed + FILMS_BYTES_LEAST):
            return text
        shown = shown[: len(shown) * 9 // 10]
    return without


def _bytes(text: str) -> int:
    return len(text.encode())


def _player_bytes(game: Game[Any, Any] | None) -> int:
    """How many bytes the match player adds to a page, without any match."""
    return sum(map(_bytes, (_script(game), *_styles(), shared_source("symbols.svg"))))


def _films(store: Store, sheet: Sheet, facts: Facts, room: int) -> list[Film]:
    game = facts.played.game
    if game is None:
        return []
    move_s = facts.played.identity.get("move_time")
    return films(store, game, wishes(sheet, facts.pages), room, phrases.NAMES_MAX, move_s)


def _rendered(facts: Facts, shown: Sequence[Film], matches: str, moments: str) -> str:
    scripts = ("page.js", "tables.js", "renew.js") if matches else ("page.js", "tables.js")
    script = "\n".join([_script(facts.played.game) if shown else "", *map(own_source, scripts)])
    text: str = template("page.html.j2").render(
        words_of_bots(facts, shown, matches, moments),
        heading=heading(facts),
        verdict=verdict(facts),
        anchor=anchor(facts),
        details=facts_list(facts),
        notes=notes(facts),
        strengths=strengths(facts),
        heat=heat(facts),
        seats=seat_table(facts),
        course=charts.course(facts.course, facts.rows[0].score_unit) if facts.course else "",
        times=time_rows(facts),
        kinds=FAULT_KINDS,
        symbols=shared_source("symbols.svg") if shown else "",
        style="\n".join([shared_source("page.css"), own_source("page.css"), *(_styles() if shown else [])]),
        script=script,
        script_hash=_hash_of(script),
        meetings=near_meetings,
    )
    return text


def words_of_bots(facts: Facts, shown: Sequence[Film], matches: str, moments: str) -> dict[str, Any]:
    """What templates know of bots, for the whole page and for the part of one bot."""
    return {
        "facts": facts,
        "phrases": phrases,
        "words": words,
        "unit": facts.scale.score_unit,
        "anchors": {row.bot: f"bot-{place}" for place, row in enumerate(facts.rows[: len(facts.pages)], 1)},
        "histograms": histograms(facts),
        "films": shown,
        "matches": matches,
        "moments": moments,
        "turnings": _turnings(shown),
        "shown_ids": {film.match_id for film in shown},
        "reasons": reasons,
        "score": score,
        "rating": rating,
        "share": with_range,
        "is_own": False,
    }


def one_film_page(replay: Replay, why: str) -> str:
    """A page with one match, which needs nothing else; `why` says why it is worth looking at."""
    film = film_for(replay, Wish(replay.match.match_id, why))
    script = _script(replay.game)
    return str(
        template("film.html.j2").render(
            title=f"{replay.game.title}: {listed(replay.names)}",
            film=film,
            symbols=shared_source("symbols.svg"),
            style="\n".join([shared_source("page.css"), own_source("page.css"), *_styles()]),
            script=script,
            script_hash=_hash_of(script),
        )
    )


def _turnings(shown: Sequence[Film]) -> dict[tuple[str, str], Turning]:
    """The turning of each bot in each match shown."""
    return {(film.match_id, bot): found for film in shown for bot, found in film.turnings.items()}


def _hash_of(script: str) -> str:
    """The hash by which the page's policy allows its one script."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _styles() -> list[str]:
    return [shared_source("player.css"), shared_source("board.css")]


def _script(game: Game[Any, Any] | None) -> str:
    """The match player, with the board of the game, if it has one."""
    return bundle("report.js", None if game is None else board_of(type(game)))


def anchor(facts: Facts) -> str:
    """The bot that is set at 1500; empty if there is none, or it has no match."""
    return next((row.bot for row in facts.rows if row.bot == facts.played.anchor and row.matches), "")


# Cells.


def rating(row: Any) -> str:
    """A rating: `1612 ± 45` if the interval is symmetric, else `1612 (1500–1790)`, or `below 1395`."""
    return phrases.bound(row) or interval(
        row.rating, row.rating_low, row.rating_high, "+" if row.rating_unit != "Elo" else ""
    )


def score(row: Any, unit: str) -> str:
    """A score with its interval."""
    return interval(row.score, row.score_low, row.score_high, "" if unit == "points" else "+")


def interval(value: float, low: float, high: float, sign: str = "") -> str:
    half = (high - low) / 2
    digits = digits_for(half)
    if abs((high + low) / 2 - value) <= 0.1 * half:
        return with_half(value, half, sign)
    low_text, high_text = number(low, digits), number(high, digits)
    return f"{number(value, digits, sign)} ({low_text} to {high_text})"


# Tables.


@attrs.frozen
class Strength:
    """One bot on the chart of ratings."""

    bot: str
    said: str
    picture: str
    value: float
    """The number that `said` tells, for sorting."""


@attrs.frozen
class Chart:
    """The rows of a chart over one axis."""

    rows: tuple[Any, ...] = ()
    scale: str = ""
    unit: str = ""


def strengths(facts: Facts) -> Chart:
    """Ratings with their intervals, best first, of the bots that have a match that counts."""
    rows = [row for row in facts.rows if row.matches]
    if not rows:
        return Chart()
    axis = charts.linear([edge for row in rows for edge in (row.rating_low, row.rating, row.rating_high)])
    drawn = tuple(
        Strength(
            row.bot,
            rating(row),
            charts.whisker(
                axis,
                row.rating,
                row.rating_low,
                row.rating_high,
                f"{row.bot}: {rating(row)} {row.rating_unit}",
            ),
            row.rating,
        )
        for row in rows
    )
    return Chart(drawn, charts.scale(axis), rows[0].rating_unit)


@attrs.frozen
class Cell:
    """How one bot did against another, or scored in a seat."""

    text: str
    said: str
    heat: int
    """The shade, from 0, much better than even, over 4, even, to 8, much worse."""
    is_sure: bool = False
    """Whether its interval excludes even."""


@attrs.frozen
class Heat:
    """Who beats whom: a row for each bot, a column for each opponent, in the order of the leaderboard."""

    bots: tuple[str, ...]
    rows: tuple[tuple[Cell | None, ...], ...]
    left_out: int


def heat(facts: Facts) -> Heat:
    """The head-to-head table, with None for two bots that never met."""
    bots = tuple(row.bot for row in facts.rows[: min(HEAT_MAX, len(facts.pages))])
    meetings = {(each.bot, each.opponent): each for each in facts.board.meetings}
    cell = _by_returns(facts, meetings.values()) if facts.scale.rated_by == "returns" else _by_share
    rows = tuple(
        tuple(cell(meetings[bot, other]) if (bot, other) in meetings else None for other in bots)
        for bot in bots
    )
    return Heat(bots, rows, len(facts.rows) - len(bots))


def _by_share(each: Any) -> Cell:
    said = (
        f"{each.better} better, {each.tied} equal, {each.worse} worse; "
        f"{with_range(each.share, each.share_low, each.share_high)}"
    )
    is_sure = not each.share_low <= 0.5 <= each.share_high
    return Cell(percent(each.share).rstrip("%"), said, _shade(2 * each.share - 1), is_sure)


def _by_returns(facts: Facts, meetings: Any) -> Callable[[Any], Cell]:
    """Cells that say by how much a bot won, in the game's unit for returns."""
    unit, per_unit = facts.scale.score_unit, facts.scale.returns_per_unit
    largest = max((abs(each.returns_mean) for each in meetings), default=0.0) or 1.0

    def cell(each: Any) -> Cell:
        mean = each.returns_mean / per_unit
        said = f"{number(mean, 1, '+')} {unit}; {each.better} better, {each.tied} equal, {each.worse} worse"
        is_sure = not each.lead_low <= 0 <= each.lead_high
        return Cell(
            number(mean, digits_for(abs(mean)), "+"),
            said,
            _shade(each.returns_mean / largest),
            is_sure,
        )

    return cell


def _shade(lead: float) -> int:
    """A lead from −1 to 1 as one of nine shades."""
    return 4 - max(-4, min(4, round(4 * lead)))


@attrs.frozen
class SeatTable:
    """The scores by bot and seat, and those of all bots together."""

    seats: tuple[int, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]
    chart: Chart


def seat_table(facts: Facts) -> SeatTable:
    """Results by seat; a seat in which a bot never sat is blank."""
    seats = tuple(each.seat for each in facts.seats)
    unit = facts.scale.score_unit
    rows = []
    for page in facts.pages:
        by_seat = {each.seat: score(each, unit) for each in page.seats}
        if by_seat:
            rows.append((page.row.bot, tuple(by_seat.get(seat, "–") for seat in seats)))
    return SeatTable(seats, tuple(rows), _seat_chart(facts, unit))


def _seat_chart(facts: Facts, unit: str) -> Chart:
    if not facts.seats:
        return Chart()
    middle = 0.5 if unit == "points" else 0.0
    axis = charts.linear([edge for each in facts.seats for edge in (each.score_low, each.score_high, middle)])
    rows = tuple(
        Strength(
            f"seat {each.seat}",
            score(each, unit),
            charts.whisker(
                axis,
                each.score,
                each.score_low,
                each.score_high,
                f"seat {each.seat}: {score(each, unit)} {unit}",
                middle,
            ),
            each.score,
        )
        for each in facts.seats
    )
    return Chart(rows, charts.scale(axis), unit)


def time_rows(facts: Facts) -> Chart:
    """Thinking times on one logarithmic axis."""
    if not facts.times:
        return Chart()
    axis = charts.logarithmic([time_s for each in facts.times for time_s in (each.median_s, each.max_s)])
    rows = []
    for each in facts.times:
        said = charts.time_said(each.median_s, each.p99_s, each.max_s)
        picture = charts.spent(axis, each.median_s, each.p99_s, each.max_s, f"{each.bot}: {said}")
        rows.append((each, picture))
    return Chart(tuple(rows), charts.scale(axis))


def histograms(facts: Facts) -> dict[str, str]:
    """How long each bot thought, as a picture, with the limit of a move."""
    limit_s = facts.played.identity.get("move_time")
    return {
        each.bot: charts.bars(each.counts, limit_s, charts.time_said(each.median_s, each.p99_s, each.max_s))
        for each in facts.times
    }


def reasons(page: BotPage | OldVersion) -> str:
    """The most frequent ways in which a bot, or an old version of one, failed, in a line."""
    return "; ".join(
        f"{each.count:,} × {each.within(REASON_MAX).said}" for each in page.failures[:REASONS_MAX]
    )


def near_meetings(page: BotPage) -> Sequence[Any]:
    """A bot's match-ups by the opponents' rank; if there are very many, those with the nearest opponents."""
    if len(page.meetings) <= MEETINGS_MAX:
        return page.meetings
    start = max(0, min(page.row.rank - 1 - MEETINGS_MAX // 2, len(page.meetings) - MEETINGS_MAX))
    return page.meetings[start : start + MEETINGS_MAX]
