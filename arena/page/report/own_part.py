"""What the owner of a bot of a league is shown of it, in all its versions: a part of a page of the site.

It is the bot's page of the report, with what only its owner sees; the site sets it among its own words.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import attrs

from arena.analysis.bot_page import BotPage
from arena.analysis.ranking import leaderboard
from arena.analysis.sheet import read_sheet
from arena.page.report.chosen import Wish, why_of
from arena.page.report.facts import Facts, facts_of
from arena.page.report.films import Film, films
from arena.page.report.page import FILMS_BYTES_MAX, MEETINGS_MAX, strengths, words_of_bots
from arena.page.report.phrases import NAMES_MAX
from arena.page.report.sources import template
from arena.store import Store, write_text

VERSIONS_MAX = 5
"""Versions of which everything is shown, the newest ones."""
MATCHES = "../matches"
"""Where the matches of the league are, seen from the page of a bot."""


def write_own_part(store: Store, path: Path, slot: str) -> None:
    """Writes what the owner of a bot is shown; `slot`: the bot's name without a version."""
    with store.frozen():
        text = own_part(store, slot, datetime.now(UTC))
    write_text(path, text)


def own_part(store: Store, slot: str, made: datetime) -> str:
    """The part of a page, as markup; `made`: when."""
    sheet = read_sheet(store)
    facts = facts_of(store, sheet, leaderboard(store, sheet=sheet), slot=slot)
    shown = _lost(store, facts)
    versions = {page.row.bot for page in facts.pages}
    chart = strengths(facts)
    rows = tuple(row for row in chart.rows if row.bot in versions)
    context = words_of_bots(facts, shown, MATCHES, MATCHES) | {
        "anchors": {},
        "is_own": True,
        "made": made.isoformat(timespec="seconds"),
        "strengths": attrs.evolve(chart, rows=rows),
        "versions_max": VERSIONS_MAX,
        "meetings": hurting,
    }
    return str(template("own.html.j2").render(context))


def hurting(page: BotPage) -> Sequence[Any]:
    """A bot's match-ups, those that it loses most to first."""
    return sorted(page.meetings, key=lambda each: each.share)[:MEETINGS_MAX]


def _lost(store: Store, facts: Facts) -> list[Film]:
    """The most telling losses, for the moments at which they were lost."""
    if facts.played.game is None:
        return []
    wished = [
        Wish(lost.match_id, why_of(page, lost), page.row.bot)
        for page in facts.pages[:VERSIONS_MAX]
        for lost in page.telling_losses
    ]
    return films(store, facts.played.game, wished, FILMS_BYTES_MAX, NAMES_MAX)
