"""Tells somebody who follows a run what is new in its folder, each time they look."""

from __future__ import annotations

import time
from collections.abc import Iterator

from arena.errors import ConfigError
from arena.store import Store, StoredMatch
from arena.telling.replay import EVERYBODY, replay_of
from arena.terminal.board import leaderboard_text
from arena.terminal.inks import Inks
from arena.terminal.match import retold
from arena.terminal.text import wrapped
from arena.tournament.folder.stored import stored_game
from arena.words import counted, first_place, listed, printable

LATEST_MATCH = "latest"
LINES_MAX = 8
"""How many of the matches that finished between two looks get a line."""
STANDINGS_EVERY_S = 10.0
STANDINGS_SHARE = 0.05
"""The share of the time that computing the standings may take; it grows with the matches played."""


class Follower:
    """Remembers what was told of a folder; `news` tells what is new in it."""

    def __init__(self, match: str | None, game: str | None, inks: Inks, columns: int | None) -> None:
        """`match`: the beginning of the id of a match to tell, or `latest`."""
        self.is_telling_a_match = False
        """Whether the last line was one of a match that is told step by step."""
        self._match = match
        self._game = game
        self._inks = inks
        self._columns = columns
        self._number: int | None = None
        """The number of the last match that was seen; None: no look was taken yet."""
        self._told = ""
        """The id of the match that was told last."""
        self._has_promised = False
        self._shown_size = -1
        """How many matches the standings that were shown last were computed from."""
        self._standings_at = 0.0

    def news(self, store: Store, *, is_running: bool) -> Iterator[str]:
        """The lines to show now.  Raises ConfigError if the run ends without the match that was named."""
        last = store.last_number()
        if self._number is None or last < self._number:  # a folder that was started over has smaller numbers
            self._number = last
            yield from self._standings(store)
            if is_running:
                yield "following the run; Ctrl-C ends this and nothing else"
        elif last > self._number and self._match != LATEST_MATCH:
            yield from self._finished(store, last - self._number)
        self._number = last
        if self._match == LATEST_MATCH:
            yield from self._latest(store)
        elif self._match is not None:
            yield from self._chosen(store, self._match, is_running)
        if not is_running or time.monotonic() >= self._standings_at:
            yield from self._standings(store)
        if not is_running:
            yield f"no run is writing {printable(str(store.folder))} now: this is how it ended"

    def _finished(self, store: Store, stored: int) -> Iterator[str]:
        """The matches that have finished since the last look."""
        assert self._number is not None
        newest = store.newest(LINES_MAX, after=self._number)
        if stored > len(newest):
            yield self._inks.faint(f"({counted(stored - len(newest), 'match')} before these)")
        for match in newest:
            yield from wrapped(result_line(match), self._columns)

    def _standings(self, store: Store) -> Iterator[str]:
        """The leaderboard as it is now, if anything was played since it was shown."""
        size = store.size()
        if size == self._shown_size:
            return
        from arena.analysis.ranking import leaderboard  # numpy takes a tenth of a second

        began_at = time.monotonic()
        with store.frozen():
            board, size, planned = leaderboard(store), store.size(), store.planned()
        now = time.monotonic()
        self._shown_size = size
        self._standings_at = now + max(STANDINGS_EVERY_S, (now - began_at) / STANDINGS_SHARE)
        yield ""
        yield self._inks.strong(f"{size:,} of {counted(max(size, planned), 'match')}")
        if size:
            yield from leaderboard_text(board, None, self._columns, self._inks).splitlines()
            yield ""

    def _latest(self, store: Store) -> Iterator[str]:
        """The story of the match that was stored last, if it was not told yet."""
        for match in store.newest(1):
            if match.match_id != self._told:
                yield from self._retold(store, match)

    def _chosen(self, store: Store, prefix: str, is_running: bool) -> Iterator[str]:
        """The story of the match that was asked for, once it is stored; after that the run is followed."""
        try:
            match = store.match(prefix)
        except ConfigError as error:
            if not is_running:
                raise
            if not self._has_promised:
                yield f"{error}; it is told if it comes"
            self._has_promised = True
            return
        self._match = None
        yield from self._retold(store, match)

    def _retold(self, store: Store, match: StoredMatch) -> Iterator[str]:
        self._told = match.match_id
        replay = replay_of(store, match, stored_game(store, self._game, match))
        self.is_telling_a_match = True
        yield ""
        yield from retold(replay, EVERYBODY, columns=self._columns, inks=self._inks)
        self.is_telling_a_match = False


def result_line(match: StoredMatch) -> str:
    """The line that tells how a match ended: `match 3f0a12: odds wins against bluffer`, and its faults."""
    if match.error is not None:
        return f"match {match.match_id} was broken off, because the rules or the arena failed"
    won = [printable(seat.bot) for seat in match.seats if seat.rank == 1]
    others = [printable(seat.bot) for seat in match.seats if seat.rank != 1]
    faults = sum(seat.faults for seat in match.seats)
    against = f" against {listed(others)}" if others else ""
    return f"match {match.match_id}: {first_place(won, 'wins')}{against}" + (
        f" ({counted(faults, 'fault')})" if faults else ""
    )
