"""Finished matches, step by step or as films: the latest ones of open tables, and those of the archive.

A match is rebuilt from its moves in a thread, a page of it at a time, so that nobody who plays waits for
somebody who reads.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import islice
from typing import Any, TypeVar

import attrs
import msgspec
import trio
from msgspec.structs import asdict

from arena.errors import ConfigError
from arena.page.film import film_result, head_of
from arena.players.codec import rules_of
from arena.refusal import Refusal
from arena.server.http.answer_types import MatchPage, SceneShown
from arena.server.http.quotas import WaitingRequests
from arena.server.kept.film_pages import MatchPart, film_page
from arena.server.kept.finished import LinkCard, card_of
from arena.server.kept.past_turn import PastTurn, TurnWanted
from arena.server.limits import READERS, READING_PER_ADDRESS
from arena.server.open_tables import OpenTables
from arena.server.tables.played_match import PlayedMatch, moments_of
from arena.server.tables.views import shown_step
from arena.telling.replay import SPECTATOR, LiveShowing, Moment, Replay, Showing, Viewer

T = TypeVar("T")


class PastMatches:
    """The finished matches that can be read."""

    def __init__(
        self, house: OpenTables, find: Callable[[str], Replay | None], plays_on: Callable[[str], bool]
    ) -> None:
        """`find` returns a match of the archive by its id; it is called in a thread.

        `plays_on`: whether a table is open and plays hand after hand: nobody may learn from its archive what
        the others did not show.
        """
        self._house = house
        self._find = find
        self._plays_on = plays_on
        self._readers = trio.CapacityLimiter(READERS)
        self._waits = WaitingRequests(READING_PER_ADDRESS)

    async def page(self, match_id: str, part: MatchPart, address: str) -> bytes:
        """A `MatchPage`.  Raises Refusal if there is no such match, or it is not over."""
        return await self._in_a_thread(partial(_page, match_id, part), match_id, address, part.seen_by)

    async def film(self, match_id: str, part: MatchPart, address: str) -> bytes:
        """A `FilmPage` of this part; one for everybody (None) can be seen as anybody."""
        return await self._in_a_thread(partial(_film, match_id, part), match_id, address, part.seen_by)

    async def turn(self, match_id: str, wanted: TurnWanted, address: str) -> PastTurn:
        """A question of the match.  Raises Refusal, also if some of the match is hidden still."""
        try:
            return await self._in_a_thread(
                lambda past: wanted.found(match_id, past.showing, past.moments()), match_id, address
            )
        except Refusal as refusal:
            if refusal.field != "seen_by":
                raise
            raise Refusal(
                "forbidden", "its table is open, and what nobody showed there stays hidden"
            ) from None

    async def card(self, match_id: str, address: str) -> LinkCard:
        """Who played the match, and who won.  Raises Refusal."""
        return await self._in_a_thread(_card, match_id, address, SPECTATOR.name)

    async def _in_a_thread(
        self, make: Callable[[_Past], T], match_id: str, address: str, seen_by: str | None = None
    ) -> T:
        if not re.fullmatch("[0-9a-f]{12}", match_id):
            raise _none_such()
        played = self._at_a_table(match_id)
        with self._waits.counted(address):
            return await trio.to_thread.run_sync(
                lambda: make(played or self._archived(match_id, seen_by)),
                limiter=self._readers,
            )

    def _at_a_table(self, match_id: str) -> _Past | None:
        """The latest match of an open table, if it is over and has this id."""
        for live in self._house:
            match = live.match
            if match is not None and match.terms.match_id == match_id and not live.table.is_playing:
                return _past_at_table(match)
        return None

    def _archived(self, match_id: str, seen_by: str | None) -> _Past:
        try:
            kept = self._find(match_id)
        except ConfigError:
            raise Refusal("conflict", "this match was played with rules that have changed since") from None
        if kept is None:
            raise _none_such()
        if seen_by != SPECTATOR.name and self._plays_on(kept.match.series_id):
            why = "its table is open, and the cards that nobody showed stay hidden: add seen_by=spectator"
            raise Refusal("forbidden", why, field="seen_by")
        seats = kept.match.seats if kept.match.status == "done" else ()
        return _Past(kept, kept.moments, [seat.rank for seat in seats], [seat.returns for seat in seats])


@attrs.frozen
class _Past:
    """A match that is over."""

    showing: Showing
    moments: Callable[[], Iterator[Moment]]
    ranks: list[int] | tuple[int, ...]
    """The rank of each seat; empty if the rules failed."""
    returns: list[float] | tuple[float, ...]
    move_s: float | None = None
    """The limit of a move, if it is known."""


def _card(past: _Past) -> LinkCard:
    return card_of(past.showing, past.ranks)


def _page(match_id: str, part: MatchPart, past: _Past) -> bytes:
    """A part of a match as a `MatchPage`; runs in a thread."""
    names = past.showing.names
    viewer = part.viewer(names)
    moments = list(islice(past.moments(), part.first, part.first + part.count + 1))
    page = MatchPage(
        match_id=match_id,
        game=past.showing.game.name,
        rules=rules_of(past.showing.game),
        names=names,
        seen_by=part.seen_by,
        ranks=dict(zip(names, past.ranks, strict=False)),
        returns=dict(zip(names, past.returns, strict=False)),
        first=part.first,
        next=part.next_of(part.first + len(moments)),
        steps=[_scene(past.showing, moment, viewer) for moment in moments[: part.count]],
    )
    return msgspec.json.encode(page)


def _film(match_id: str, part: MatchPart, past: _Past) -> bytes:
    """The part of the match as a film."""
    viewer = part.viewer(past.showing.names)
    head = head_of(past.showing, match_id, viewer, move_s=past.move_s) | {"status": "aborted"}
    if past.ranks:
        head |= film_result(past.ranks, past.returns)
    return film_page(past.showing, past.moments(), viewer, head, part)


def _past_at_table(match: PlayedMatch) -> _Past | None:
    """The latest match of a table: nothing of it changes any more, so that a thread may read it."""
    if match.record is None:
        return None
    showing = LiveShowing(match.game, match.terms.names)
    showing.decisions = match.showing.decisions
    moments = partial(moments_of, match.game, len(match.terms.names), match.turns)
    return _Past(showing, moments, match.record.ranks, match.record.returns, match.terms.move_s)


def _scene(showing: Showing, moment: Moment, viewer: Viewer) -> SceneShown:
    fields: Mapping[str, Any] = asdict(shown_step(showing, moment, viewer))
    return SceneShown(**fields, state=showing.observation(moment, viewer))


def _none_such() -> Refusal:
    return Refusal("not_found", "no finished match has this id")
