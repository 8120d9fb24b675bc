"""Which matches the report shows, and how many of them fit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, zip_longest
from typing import Any

import attrs
import msgspec
import numpy as np

from arena.analysis.bot_page import BotPage, LostMatch
from arena.analysis.sheet import Sheet
from arena.game import Game
from arena.replay import replay_of
from arena.report.scenes import scene_of
from arena.store import Store
from arena.words import counted

SCENES_MAX = 80
SAMPLE = 8
"""Matches that are shown only because they are typical."""
LISTED_BYTES = 400
"""About what a match costs in the list of matches."""
NEIGHBOURS_MAX = 10
"""Pairs of neighbours whose longest match is sought."""


@attrs.frozen
class Wish:
    """A match that should be shown."""

    match_id: str
    why: str


def wishes(sheet: Sheet, pages: Sequence[BotPage]) -> Iterator[Wish]:
    """Matches worth a look, the most wanted first: of the two best, then every bot's losses in turn."""
    seen: set[str] = set()
    for wish in _wishes(sheet, pages):
        if wish.match_id not in seen:
            seen.add(wish.match_id)
            yield wish


def _wishes(sheet: Sheet, pages: Sequence[BotPage]) -> Iterator[Wish]:
    pairs = list(pairwise(page.row.bot for page in pages))[:NEIGHBOURS_MAX]
    yield from _between(sheet, pairs[:1], "the two best bots")
    losses = [[(page, lost) for lost in page.lost] for page in pages]
    for number, turn in enumerate(zip_longest(*losses)):
        for page, lost in filter(None, turn):
            yield Wish(lost.match_id, why_of(page, lost))
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
    """Why a lost match tells something about this bot."""
    failed = f" with {counted(lost.faults, 'fault')} of its own" if lost.faults else ""
    return f"{page.row.bot} loses to {lost.beaten_by}, number {lost.beaten_by_rank}{failed}"


def _longest_between(sheet: Sheet, one: str, other: str) -> str | None:
    """The match in which both sat and had the most to decide; None if they never met."""
    mine, theirs = (np.flatnonzero(sheet.bot == sheet.bots.index(bot)) for bot in (one, other))
    decisions = np.zeros(len(sheet.match_ids), dtype=np.int64)
    decisions[sheet.match[mine]] = sheet.decisions[mine] + 1
    met = theirs[decisions[sheet.match[theirs]] > 0]
    if not len(met):
        return None
    longest = np.argmax(decisions[sheet.match[met]] + sheet.decisions[met])
    return sheet.match_ids[int(sheet.match[met[longest]])]


def scenes(store: Store, game: Game[Any, Any], wished: Iterable[Wish], bytes_max: int) -> list[bytes]:
    """The wished matches as JSON, one after the other, as many as fit."""
    found: list[bytes] = []
    room, misses = bytes_max, 0
    for wish in wished:
        if len(found) >= SCENES_MAX or misses >= 3:
            break
        scene = scene_of(replay_of(store, store.match(wish.match_id), game), wish.why)
        packed = msgspec.json.encode(scene).replace(b"<", b"\\u003c")
        if len(packed) + LISTED_BYTES > room:
            misses += 1  # a shorter one may still fit
            continue
        found.append(packed)
        room -= len(packed) + LISTED_BYTES
    return found
