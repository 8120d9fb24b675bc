"""What a database says about single matches and bots, and about the run as a whole."""

from __future__ import annotations

import json
import shlex
from array import array
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from typing import Any

import arena
from arena.errors import FAULT_KINDS, START_OVER, ConfigError
from arena.match.game import Seat
from arena.match.record import Decision
from arena.schedule import PairingId
from arena.store.capsules import capsule_name, log_in, printed_in
from arena.store.checksums import is_meta_whole
from arena.store.choosing import MatchFilter
from arena.store.database import Database
from arena.store.epoch import StoredEpoch
from arena.store.files import sentences
from arena.store.rows import (
    BOT_FIELDS,
    MATCH_FIELDS,
    SEAT_FIELDS,
    FaultCount,
    FinishedMatch,
    StoredBot,
    StoredMatch,
    finished_from,
    own_game_from,
    seat_from,
)
from arena.store.schema import (
    ID_BEGINS,
    IN_ORDER,
    MARK,
    TABLES_OF_SERVER,
    Row,
    quoted_names,
    stored_columns,
)
from arena.store.shown_names import ShownNames, names_beside


class Reading(Database):
    """An open database as a reader sees it."""

    def meta(self) -> dict[str, Any]:
        """The values kept by `create` and `set_meta`.  Raises ConfigError if they are damaged."""
        if self.damage and "meta" in self.damage.parts:
            raise self.damage.mistake()
        with sentences(self.path):
            try:
                if not is_meta_whole(self.connection):
                    raise ValueError("a row is not as it was written")
                rows = self.connection.execute("SELECT key, value FROM meta ORDER BY key").fetchall()
                return {key: json.loads(value) for key, value in rows if key != MARK}
            except (ValueError, TypeError, RecursionError) as error:
                raise ConfigError(
                    f"{self.path} is damaged: its record of the plan", hints=(START_OVER,)
                ) from error

    @cached_property
    def names(self) -> ShownNames:
        """How bots are to be shown.  Raises ConfigError if the file that says it cannot be read."""
        return names_beside(self.folder)

    def mark(self) -> str | None:
        """A value that differs after every change and never recurs; None in a copy of what is sound."""
        # With the counts, so that it differs even if another program adds matches and leaves the value alone.
        counts = "(SELECT COUNT(*) FROM matches), (SELECT MAX(number) FROM matches)"
        rows = self.rows(f"SELECT value, {counts} FROM meta WHERE key = ?", MARK)
        marks = [f"{value} {count} {last}" for value, count, last in rows]
        return f"{marks[0]} {arena.__version__}" if marks else None

    def holds_tables(self) -> bool:
        """Whether these are the matches of a server's tables, which no tournament ties together."""
        return any(self.rows("SELECT 1 FROM meta WHERE key = ?", TABLES_OF_SERVER))

    def check_is_tournament(self) -> None:
        """Raises ConfigError if these are the matches of a server's tables."""
        if self.holds_tables():
            raise ConfigError(
                f"{self.folder} holds the matches of a server's tables, which are not a tournament: "
                f"`arena matches {self.folder}` lists them, `arena replay MATCH {self.folder}` tells one"
            )

    def size(self) -> int:
        """How many matches there are."""
        return next(int(size) for (size,) in self.rows("SELECT COUNT(*) FROM matches"))

    def planned(self) -> int:
        """How many matches the schedule names."""
        return next(int(size) for (size,) in self.rows("SELECT COUNT(*) FROM schedule"))

    def game(self) -> str:
        """The name of the game; empty before the first match."""
        return next((name for (name,) in self.rows("SELECT game FROM matches LIMIT 1")), "")

    def bots(self) -> list[StoredBot]:
        """All bots, sorted by name."""
        rows = self.rows(f"SELECT {quoted_names(BOT_FIELDS)} FROM bots ORDER BY bot")
        return [StoredBot(**dict(zip(BOT_FIELDS, row, strict=True))) for row in rows]

    def finished(self) -> dict[PairingId, FinishedMatch]:
        """All stored matches, aborted ones included, in schedule order."""
        found: dict[PairingId, list[Row]] = {}
        in_order = f"{_FINISHED} LEFT JOIN schedule p USING (pairing_id) ORDER BY {IN_ORDER}, seat"
        for pairing_id, *row in self.rows(in_order):
            found.setdefault(pairing_id, []).append(row)
        return {pairing_id: finished_from(rows) for pairing_id, rows in found.items()}

    def finished_among(self, pairings: Sequence[PairingId]) -> dict[PairingId, FinishedMatch]:
        """Those of these pairings that have a match."""
        found: dict[PairingId, list[Row]] = {}
        for first in range(0, len(pairings), _AT_ONCE):
            some = pairings[first : first + _AT_ONCE]
            among = (
                f"{_FINISHED} WHERE m.pairing_id IN ({', '.join('?' * len(some))}) ORDER BY m.number, seat"
            )
            for pairing_id, *row in self.rows(among, *some):
                found.setdefault(pairing_id, []).append(row)
        return {pairing_id: finished_from(rows) for pairing_id, rows in found.items()}

    def epochs(self) -> list[StoredEpoch]:
        """The epochs of a ladder, in order."""
        return [
            StoredEpoch(*row)
            for row in self.rows(f"SELECT {stored_columns('epochs')} FROM epochs ORDER BY 1")
        ]

    def batches(self, first: int = 0, end: int | None = None) -> Iterator[Row]:
        """The batches of a ladder in order, from one on to before another, each with its number, as JSON."""
        where = "number >= ? AND number < COALESCE(?, number + 1)"
        return self.rows(f"SELECT number, row FROM batches WHERE {where} ORDER BY number", first, end)

    def closed_in_batches(self, first: int = 0, end: int | None = None) -> frozenset[str] | None:
        """The ids of the series that have closed, as these batches of a ladder say; None: it has none."""
        if not any(self.rows("SELECT 1 FROM batches LIMIT 1")):
            return None
        where = "number >= ? AND number < COALESCE(?, number + 1)"
        closed = f"SELECT value FROM batches, json_each(batches.row, '$.closed') WHERE {where}"
        return frozenset(series for (series,) in self.rows(closed, first, end))

    def players(self) -> set[str]:
        """The names of all bots that sat in a match."""
        return {bot for (bot,) in self.rows("SELECT DISTINCT bot FROM seats")}

    def matches(self, *, bot: str | None = None, fault: str | None = None) -> Iterator[StoredMatch]:
        """All matches in schedule order, or those of a bot, with a fault (of a kind, or `any`), or both.

        Raises ConfigError if `fault` is not a kind of fault.
        """
        if fault is not None and fault not in ("any", *FAULT_KINDS):
            raise ConfigError(f"{fault} is not a kind of fault: expected any, {', '.join(FAULT_KINDS)}")
        test = " + ".join(FAULT_KINDS) if fault == "any" else fault or "1"
        return self._matches(
            f"number IN (SELECT match FROM seats WHERE {test} > 0 AND (:bot IS NULL OR bot = :bot))", bot=bot
        )

    def thought_s(self, first: int) -> dict[str, float]:
        """Bot -> for how many seconds matches waited for it, from the one of this number on."""
        found = self.rows("SELECT bot, SUM(think_s) FROM seats WHERE match >= ? GROUP BY bot", first)
        return {str(bot): float(seconds) for bot, seconds in found}

    def last_number(self) -> int:
        """The number of the match that was stored last; those stored before it have smaller ones."""
        return next(int(number) for (number,) in self.rows("SELECT COALESCE(MAX(number), 0) FROM matches"))

    def newest(self, most: int, *, after: int = 0) -> list[StoredMatch]:
        """The latest matches stored after the one of this number, `most` at most, in the order they ended."""
        where = "number IN (SELECT number FROM matches WHERE number > ? ORDER BY number DESC LIMIT ?)"
        found = self._matches(where, after, most)
        return sorted(found, key=lambda match: match.started_at + match.duration_s)

    def matches_from(self, first: int, count: int) -> list[StoredMatch]:
        """A page of all matches in schedule order: `count` of them from `first` on."""
        # the numbers first: sorting whole rows of a million matches would take seconds
        numbers = f"SELECT number FROM shown_matches ORDER BY {IN_ORDER} LIMIT ? OFFSET ?"
        return list(self._matches(f"number IN ({numbers})", count, first))

    def numbers_of(self, of: MatchFilter) -> array[int]:
        """The numbers of the matches that are meant, in schedule order; `numbered` returns these matches."""
        rows = self.rows(f"SELECT number FROM shown_matches WHERE {of.test} ORDER BY {IN_ORDER}", **of.values)
        return array("q", (number for (number,) in rows))

    def numbered(self, numbers: Sequence[int]) -> list[StoredMatch]:
        """The matches of these numbers, in schedule order; at most a few hundred."""
        return list(self._matches(f"number IN ({', '.join('?' * len(numbers))})", *numbers))

    def latest(self, of: MatchFilter, first: int, count: int) -> list[StoredMatch]:
        """A page of the matches that are meant, those first that were stored last."""
        page = f"SELECT number FROM matches WHERE {of.test} ORDER BY number DESC LIMIT :count OFFSET :first"
        numbers = [number for (number,) in self.rows(page, **of.values, count=count, first=first)]
        return sorted(self.numbered(numbers), key=lambda match: -match.started_at - match.duration_s)

    def matches_of(self, bots: Collection[str]) -> int:
        """How many matches these bots have played, counted for each of them."""
        marks = ", ".join("?" * len(bots))
        rows = self.rows(f"SELECT COUNT(*) FROM seats WHERE bot IN ({marks})", *bots)
        return next(int(size) for (size,) in rows)

    def count_of(self, of: MatchFilter) -> int:
        """How many matches are meant."""
        rows = self.rows(f"SELECT COUNT(*) FROM matches WHERE {of.test}", **of.values)
        return next(int(size) for (size,) in rows)

    def sealed_among(self, series: Collection[str]) -> set[str]:
        """Which of these series are not closed: what their matches hid may still be in play."""
        marks = ", ".join("?" * len(series))
        open_ones = f"SELECT DISTINCT series_id FROM unplayed WHERE series_id IN ({marks})"
        return {name for (name,) in self.rows(open_ones, *series)}

    def has_open_series(self) -> bool:
        """Whether a series is played in part: what its matches hid may still be in play."""
        open_one = "SELECT 1 FROM unplayed WHERE series_id IN (SELECT series_id FROM matches) LIMIT 1"
        return any(True for _ in self.rows(open_one))

    def match(self, prefix: str, *, searched: str = "") -> StoredMatch:
        """The one match whose id begins with `prefix`.  Raises ConfigError if there is none or more than one.

        `searched`: what the error names as searched, if that was more than this folder.
        """
        found = list(self._matches(ID_BEGINS, id=prefix)) if prefix else []
        if len(found) == 1:
            return found[0]
        if not found:
            hint = f" (and {self.damage})" if self.damage else ""
            raise ConfigError(
                f"no match in {searched or self.folder} begins with {prefix!r}{hint}: "
                f"`arena matches{'' if searched else f' {shlex.quote(str(self.folder))}'}` lists them"
            )
        some = ", ".join(match.match_id for match in found[:3])
        raise ConfigError(
            f"{len(found)} matches in {self.folder} begin with {prefix!r} ({some}, …): give more of it"
        )

    def decisions(self, match_id: str) -> list[Decision]:
        """The decisions of a match that got rows of their own; `move` is JSON text."""
        rows = self.rows(
            "SELECT turn, seat, move, elapsed_s, NULLIF(fault, ''), reason, asked, lagged FROM decisions"
            " WHERE match = (SELECT number FROM matches WHERE match_id = ?) ORDER BY number",
            match_id,
        )
        return [
            Decision(turn, Seat(seat), move, elapsed_s, fault, reason, bool(asked), bool(lagged))
            for turn, seat, move, elapsed_s, fault, reason, asked, lagged in rows
        ]

    def faults(self, *, published: bool = False, and_of: str = "") -> list[FaultCount]:
        """The tally of all faults by bot, kind and reason; the most frequent of each bot first.

        `published`: leaves out reasons from series that are not closed, which may reveal a hand.
        `and_of`: a match whose reasons are included all the same.
        """
        told = _TOLD.format(is_told=int(not published))
        evidence = {
            tuple(key): capsule_name(match_id, seat, number)
            for *key, match_id, seat, number, _ in self.rows(_EVIDENCE.format(told=told), and_of)
        }
        known = [
            FaultCount(bot, fault, reason, count, seats, not_asked, evidence.get((bot, fault, reason), ""))
            for bot, fault, reason, count, seats, not_asked in self.rows(_FAULTS.format(told=told), and_of)
        ]
        unknown = Counter[tuple[str, str]]()
        sums = ", ".join(f"SUM({kind})" for kind in FAULT_KINDS)
        for bot, *totals in self.rows(
            f"SELECT bot, {sums} FROM seats WHERE {' + '.join(FAULT_KINDS)} > 0 GROUP BY bot"
        ):
            unknown.update({(bot, kind): total for kind, total in zip(FAULT_KINDS, totals, strict=True)})
        for row in known:
            unknown[row.bot, row.fault] -= row.count
        others = (FaultCount(*key, "", count) for key, count in unknown.items() if count > 0)
        return sorted((*known, *others), key=lambda row: (row.bot, -row.count, row.fault, row.reason))

    def log_of(self, capsule: str) -> str:
        """The log of the instance that a capsule is about, within the folder; empty if it is not there."""
        packed = self._capsule(capsule)
        log = log_in(packed) if packed else ""
        return log if log and (self.folder / log).is_file() else ""

    def printed_before(self, capsule: str) -> str:
        """The end of what the bot printed in the match of a capsule."""
        packed = self._capsule(capsule)
        return printed_in(packed) if packed else ""

    def _capsule(self, capsule: str) -> bytes:
        """A capsule as it is stored, by the name of its file; empty if it is not there."""
        match_id, seat, number = capsule.removesuffix(".jsonl").rpartition("/")[2].split("-")
        for (packed,) in self.rows(
            "SELECT c.packed FROM capsules c JOIN matches m ON m.number = c.match"
            " WHERE m.match_id = ? AND c.seat = ? AND c.number = ?",
            match_id,
            int(seat),
            int(number),
        ):
            return bytes(packed)
        return b""

    def _matches(self, where: str, *values: Any, **named: Any) -> Iterator[StoredMatch]:
        seats = quoted_names(SEAT_FIELDS)
        matches = f"SELECT number, rules, kinds, {quoted_names(MATCH_FIELDS)} FROM shown_matches"
        chosen = self.rows(f"{matches} WHERE {where} ORDER BY {IN_ORDER}", *values, **named)
        for number, rules, kinds, *row in chosen:
            match = dict(zip(MATCH_FIELDS, row, strict=True))
            try:
                match["own_game"] = own_game_from(match["game_version"], rules, kinds)
                match["seed"] = int(match["seed"], 16)
            except (ValueError, TypeError, RecursionError) as error:
                what = f"the game or the seed of match {ascii(match['match_id'])[:80]}"
                raise ConfigError(f"{self.path} is damaged: {what} is not as a run writes it") from error
            rows = self.rows(f"SELECT {seats} FROM seats WHERE match = ? ORDER BY seat", number)
            yield StoredMatch(**match, seats=tuple(map(seat_from, rows)))


_AT_ONCE = 500
"""How many pairings are looked for at a time."""
_FINISHED = (
    f"SELECT m.pairing_id, match_id, status, points, luck_adjusted_returns, {' + '.join(FAULT_KINDS)},"
    " too_late, lagged, abandoned, gone, withdrawn FROM matches m JOIN seats s ON s.match = m.number"
)
_TOLD = """
    FROM decisions d JOIN seats s USING (match, seat) JOIN matches m ON m.number = match
        LEFT JOIN schedule p USING (pairing_id)
    WHERE fault <> '' AND (
        {is_told} OR match_id = ? OR m.series_id NOT IN (SELECT series_id FROM unplayed)
    )
"""
_FAULTS = """
    SELECT bot, fault, reason, SUM(count), COUNT(*), SUM(not_asked) FROM (
        SELECT bot, fault, reason, not_asked, COUNT(*) AS count, MAX(d.number) {told} AND reason <> ''
        GROUP BY match, seat, fault, CASE fault WHEN 'gone' THEN '' ELSE reason END
    ) GROUP BY bot, fault, reason
"""
"""How often each bot failed in each way, in how many seats, and how many decisions followed unasked.

If a bot was gone in a match, its last reason counts (SQLite takes it from the row of the maximum): we learn
that its process ended a little later than that its connection did.
"""
_EVIDENCE = """
    SELECT bot, fault, reason, match_id, f.seat, f.place, MIN((f.position << 12) + f.seat) FROM (
        SELECT bot, fault, reason, match, match_id, seat, COALESCE(position, 1 << 40) AS position,
            ROW_NUMBER() OVER (PARTITION BY match, seat ORDER BY d.number) - 1 AS place
        {told} AND match IN (SELECT match FROM capsules)
    ) f JOIN capsules c ON c.match = f.match AND c.seat = f.seat AND c.number = f.place
    GROUP BY bot, fault, reason
"""
"""The first capsule of each bot, fault and reason: SQLite takes the other columns from the minimum's row."""
