"""Chooses which matches the report shows, the most wanted first, and says why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, zip_longest

import attrs
import numpy as np

from arena.analysis.bot_page import BotPage, LostMatch
from arena.analysis.sheet import Sheet
from arena.words import counted

SAMPLE = 8
"""How many matches are shown only because they are typical."""
NEIGHBOURS_MAX = 10
"""How many pairs of neighbours have their longest match looked for."""


@attrs.frozen
class Wish:
    """A match that should be shown."""

    match_id: str
    why: str
    loser: str = ""
    """The bot that loses the match, if that is why it is shown."""


def wishes(sheet: Sheet, pages: Sequence[BotPage]) -> Iterator[Wish]:
    """Matches worth looking at, the most wanted first: of the two best, then every bot's losses in turn."""
    seen: set[str] = set()
    for wish in _wishes(sheet, pages):
        if wish.match_id not in seen:
            seen.add(wish.match_id)
            yield wish


def _wishes(sheet: Sheet, pages: Sequence[BotPage]) -> Iterator[Wish]:
    pairs = list(pairwise(page.row.bot for page in pages))[:NEIGHBOURS_MAX]
    yield from _between(sheet, pairs[:1], "the two best bots")
    losses = [[(page, lost) for lost in page.telling_losses] for page in pages]
    for number, turn in enumerate(zip_longest(*losses)):
        for page, lost in filter(None, turn):
            yield Wish(lost.match_id, why_of(page, lost), page.row.bot)
        if number == 0:
            yield from _between(sheet, pairs[1:], "neighbours on the leaderboard")
    count = len(sheet.match_ids)
    for place in sorted(
        {round(part * (count - 1) / (SAMPLE - 1)) for part in range(SAMPLE)} if count else ()
    ):
        yield Wish(sheet.match_ids[place], f"Number {place + 1:,} of {count:,}, taken at even distances")


def _between(sheet: Sheet, pairs: Sequence[tuple[str, str]], who: str) -> Iterator[Wish]:
    for one, other in pairs:
        if longest := _longest_between(sheet, one, other):
            yield Wish(longest, f"The longest match between {one} and {other}, {who}")


def why_of(page: BotPage, lost: LostMatch) -> str:
    """What a lost match tells about this bot."""
    failed = f" with {counted(lost.faults, 'fault')} of its own" if lost.faults else ""
    return f"{page.row.bot} loses to {lost.beaten_by}, number {lost.beaten_by_rank}{failed}"


def _longest_between(sheet: Sheet, one: str, other: str) -> str | None:
    """The match between both in which they had the most to decide; None if they never met."""
    mine, theirs = (np.flatnonzero(sheet.bot == sheet.bots.index(bot)) for bot in (one, other))
    decisions = np.zeros(len(sheet.match_ids), dtype=np.int64)
    decisions[sheet.match[mine]] = sheet.decisions[mine] + 1
    met = theirs[decisions[sheet.match[theirs]] > 0]
    if not len(met):
        return None
    longest = np.argmax(decisions[sheet.match[met]] + sheet.decisions[met])
    return sheet.match_ids[int(sheet.match[met[longest]])]
