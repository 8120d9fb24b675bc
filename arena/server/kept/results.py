"""The results folders that a server shows: listed, and their matches read; what cannot be read says why.

A name of a request is compared with the names of the folders, and never made part of a path.  Nothing here
runs code that a folder names: matches are shown of the games of the house.  All of this reads the disk, so
that it is called in a thread.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby, islice
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import attrs
from msgspec import structs

from arena.errors import ConfigError
from arena.games import GAMES
from arena.match.game import IllegalMove
from arena.page.film import stored_head
from arena.refusal import Refusal
from arena.schedule.roster import by_slot, slot_name
from arena.server.http.results_types import ResultsListed, ResultsMatch, ResultsMatches
from arena.server.kept.bot_logs import logs_text
from arena.server.kept.chosen import ChosenMatches
from arena.server.kept.film_pages import MatchPart, film_page
from arena.server.kept.finished import LinkCard, card_of
from arena.server.kept.past_turn import PastTurn, TurnWanted
from arena.server.limits import RESULTS_MAX
from arena.store import ALL_MATCHES, DATABASE, LOCK, MatchFilter, Store, StoredMatch, is_held
from arena.store.choosing import Kind
from arena.telling.replay import Replay, replay_of
from arena.tournament.folder.stored import stored_game, stored_plan
from arena.tournament.plan import control_of
from arena.words import clipped, printable

T = TypeVar("T")
BESIDE = ("", "-wal", "-shm", "-journal")
"""The database, and what SQLite may open beside it."""
SENTENCE_MAX = 300
QUIET_S = 3600.0
"""After how many seconds without a change nobody looks whether a run writes a folder."""
LOOK_EVERY_S = 10.0
LATEST_MAX = 10_000
"""Among how many of the latest matches of a version of a bot those are looked for that it lost."""
Fingerprint: TypeAlias = tuple[tuple[int, ...], ...]
"""A value that differs once a folder's results have changed."""


@attrs.frozen
class ResultsFolder:
    """A folder that holds a database, sound or not."""

    name: str
    path: Path
    fingerprint: Fingerprint
    changed_at: float
    """Unix time."""
    bot: str = ""
    """The bot of a league of which alone a report is meant, for its owner; empty: everybody's report."""

    @property
    def report_key(self) -> str:
        """What its report is known by."""
        return report_key(self.name, self.bot)

    def told(self, text: str) -> str:
        """A text about this folder without its path on this machine."""
        for path in (self.path.resolve(), self.path):
            text = text.replace(str(path), self.name)
        return clipped(printable(text), SENTENCE_MAX)


def report_key(folder: str, bot: str) -> str:
    """What a report is known by; no folder's name has a character that cannot be printed."""
    return f"{folder}\0{bot}" if bot else folder


class ResultsCatalog:
    """The results folders within one folder."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._listed: dict[str, tuple[Fingerprint, ResultsListed]] = {}
        self._running: dict[str, tuple[float, bool]] = {}
        """Whether each folder was written when its lock was last looked at."""
        self._chosen = ChosenMatches()

    def folder(self, name: str) -> ResultsFolder:
        """The folder of this name.  Raises Refusal, with the reason, if it cannot be read."""
        for entry in self._entries():
            if entry.name == name:
                return _folder(entry)
        raise Refusal("not_found", "no results folder is called that")

    def listed(self) -> list[ResultsListed]:
        """All folders with results, those that were changed last first; the unreadable ones too."""
        found: dict[str, tuple[Fingerprint, ResultsListed]] = {}
        for entry in self._entries():
            try:
                folder = _folder(entry)
            except Refusal as refusal:
                if refusal.kind == "conflict":
                    found[entry.name] = (), _unreadable(entry.name, str(refusal))
                continue
            known = self._listed.get(folder.name)
            is_known = known is not None and known[0] == folder.fingerprint
            fingerprint, shown = known if known is not None and is_known else _summary(folder)
            found[folder.name] = fingerprint, structs.replace(shown, running=self.is_running(folder))
        self._listed = found
        return sorted((each for _, each in found.values()), key=lambda each: (-each.changed, each.name))

    def _entries(self) -> list[os.DirEntry[str]]:
        """The entries of the folder; hidden ones, and names that no page could show, are left out."""
        try:
            with os.scandir(self._root) as entries:
                shown = (each for each in entries if each.name.isprintable() and each.name[0] != ".")
                return list(islice(shown, RESULTS_MAX))
        except FileNotFoundError:  # nothing was played yet
            return []
        except OSError as error:
            why = (error.strerror or "it cannot be read").lower()
            raise Refusal("conflict", f"the folder of results cannot be read: {why}") from None

    def is_running(self, folder: ResultsFolder) -> bool:
        """Whether a run writes the folder now.

        A run that begins while its lock is looked at would be refused, so that this is done seldom.
        """
        now = time.time()
        if now - folder.changed_at > QUIET_S:
            return False
        known = self._running.get(folder.name)
        if known is None or now > known[0] + LOOK_EVERY_S:
            _make_room(self._running)
            known = self._running[folder.name] = now, is_held(folder.path / LOCK)
        return known[1]

    # Matches

    def matches(
        self, name: str, of: MatchFilter, first: int, count: int, *, all_versions: bool = False
    ) -> ResultsMatches:
        """`count` matches of a folder from `first` on, of those that are meant.

        `all_versions`: those of other versions of the bot too.
        """
        folder = self.folder(name)
        with _opened(folder) as store:
            bots = sorted(store.players(), key=by_slot)
            for field, bot in (("bot", of.bot), ("against", of.against)):
                if bot is not None and bot not in bots:
                    raise Refusal("not_found", "nobody of this name has played there", field=field)
            versions = _versions(bots)
            if of.bot is not None and all_versions:
                of = attrs.evolve(of, versions=tuple(versions.get(slot_name(of.bot), ())))
            total, found = self._page(store, folder, of, first, count)
            sealed = store.sealed_among({match.series_id for match in found})
            return ResultsMatches(
                name=name,
                bots=bots,
                versions=versions,
                bot=of.bot,
                against=of.against,
                only=of.only,
                matches_in_all=total,
                first=first,
                next=first + count if total > first + count else None,
                matches=[_match(match, match.series_id in sealed) for match in found],
            )

    def _page(
        self, store: Store, folder: ResultsFolder, of: MatchFilter, first: int, count: int
    ) -> tuple[int, list[StoredMatch]]:
        """How many matches are meant, and some of them."""
        if of == ALL_MATCHES:
            return store.size(), store.matches_from(first, count)
        numbers = self._chosen.numbers(store, (folder.name, folder.fingerprint), of)
        return len(numbers), store.numbered(numbers[first : first + count])

    def latest(
        self, name: str, bots: Sequence[str], only: Kind | None, first: int, count: int
    ) -> ResultsMatches:
        """`count` matches of these versions of a bot from `first` on, those first that ended last.

        By indexes alone, and `only` among the latest: it costs the same however much was played.
        """
        among = first + count if only is None else LATEST_MAX
        folder, of = self.folder(name), MatchFilter(bots[0], None, only, tuple(bots[1:]), among)
        with _opened(folder) as store:
            total = store.matches_of(bots) if only is None else store.count_of(of)
            found = store.latest(of, first, count)
            sealed = store.sealed_among({match.series_id for match in found})
            return ResultsMatches(
                name=name,
                bots=[*bots],
                versions=_versions(sorted(bots, key=by_slot)),
                bot=bots[0],
                against=None,
                only=only,
                matches_in_all=total,
                first=first,
                next=first + count if total > first + count else None,
                matches=[_match(match, match.series_id in sealed) for match in found],
            )

    def logs(self, name: str, bot: str) -> str:
        """What a bot printed, as text.  Raises Refusal if there is nothing, or a series is open.

        Whether a run writes the folder is looked at anew, however long ago the last change was, and once the
        text is there: a match that began just now, or takes hours, has stored nothing, and logs tell of it.
        """
        folder = self.folder(name)
        with _opened(folder) as store:
            if bot not in {each.bot for each in store.bots()}:
                raise Refusal("not_found", "no bot of these results is called that")
            hidden = Refusal(
                "forbidden", "a series is still played: what bots printed may tell what is hidden"
            )
            if store.has_open_series():
                raise hidden
            text = logs_text(folder.path, bot)
            if is_held(folder.path / LOCK):
                raise hidden
            return text

    def film(
        self,
        name: str,
        match_id: str,
        part: MatchPart,
        *,
        check: Callable[[Sequence[str]], None] = lambda names: None,
    ) -> bytes:
        """Some steps of a match, as a `FilmPage`.  Raises Refusal if there is none, or it is sealed.

        `check` is given the names of who played, and raises Refusal if they are not shown.
        """
        folder = self.folder(name)
        with _opened(folder) as store:
            replay = _replay(store, match_id)
            check(replay.names)
            viewer = part.viewer(replay.names)
            head = stored_head(replay, viewer, move_s=_move_s(folder.path))
            return film_page(replay, replay.moments(), viewer, head, part)

    def read(self, name: str, read: Callable[[Store], T]) -> T:
        """What is found in the store of a folder.  Raises Refusal if it cannot be read."""
        with _opened(self.folder(name)) as store:
            return read(store)

    def turn(self, name: str, match_id: str, wanted: TurnWanted) -> PastTurn:
        """A question of a match.  Raises Refusal if there is none, or the match is sealed."""
        with _opened(self.folder(name)) as store:
            replay = _replay(store, match_id)
            return wanted.found(match_id, replay, replay.moments())

    def card(self, name: str, match_id: str) -> LinkCard:
        """Who played a match, and who won.  Raises Refusal as `turn` does."""
        with _opened(self.folder(name)) as store:
            replay = _replay(store, match_id)
            return card_of(replay, [seat.rank for seat in replay.match.seats])


def _versions(bots: Sequence[str]) -> dict[str, list[str]]:
    """Slot -> the bots that had it, for slots of several."""
    slots = {slot: list(among) for slot, among in groupby(bots, slot_name)}
    return {slot: among for slot, among in slots.items() if len(among) > 1}


def _make_room(known: dict[Any, Any]) -> None:
    """Forgets everything once it is much: it is found again where it is needed."""
    if len(known) >= RESULTS_MAX:
        known.clear()


def _replay(store: Store, match_id: str) -> Replay:
    """A match whose series is closed.  Raises Refusal if there is none, or it cannot be shown here."""
    match = _found(store, match_id)
    if store.sealed_among([match.series_id]):
        why = "the series of this match is still played: what was hidden is shown once it is over"
        raise Refusal("forbidden", why)
    identity: Mapping[str, Any] = store.meta()["identity"]
    if identity["game"] not in GAMES:
        why = f"this server does not have its game, {clipped(printable(str(identity['game'])), 60)}"
        raise Refusal("conflict", f"{why}: the folder's report shows what it holds")
    return replay_of(store, match, stored_game(store, match=match))


def _folder(entry: os.DirEntry[str]) -> ResultsFolder:
    if entry.is_symlink():
        raise Refusal("not_found", "it is a link, and links are not followed here")
    if not entry.is_dir(follow_symlinks=False):
        raise Refusal("not_found", "it is not a folder, and results are folders")
    path = Path(entry.path)
    if not os.path.lexists(path / DATABASE):
        raise Refusal("not_found", f"there are no results in it: it has no {DATABASE}")
    looks = []
    for ending in BESIDE:
        try:
            look = os.lstat(f"{path / DATABASE}{ending}")
        except FileNotFoundError:
            continue
        except OSError as error:
            raise Refusal("conflict", f"it cannot be read: {(error.strerror or '').lower()}") from None
        if not stat.S_ISREG(look.st_mode):
            raise Refusal("conflict", f"its {DATABASE}{ending} is not a file")
        if ending in ("", "-wal"):
            looks.append(look)
    fingerprint = tuple((look.st_ino, look.st_size, look.st_mtime_ns) for look in looks if look.st_size)
    return ResultsFolder(entry.name, path, fingerprint, max(look.st_mtime for look in looks))


@contextmanager
def _opened(folder: ResultsFolder) -> Iterator[Store]:
    """The store of a folder, as of one moment.  Raises Refusal if it is broken, also while it is read."""
    try:
        with Store.open(folder.path) as store, store.frozen():
            store.check_is_tournament()
            yield store
    except ConfigError as error:
        raise Refusal("conflict", folder.told(str(error))) from None
    except (sqlite3.DatabaseError, LookupError, TypeError, ValueError, IllegalMove, zlib.error):
        if not _is_damaged(folder):
            raise
        raise Refusal("conflict", f"{folder.name} is damaged: this part of it cannot be read") from None


def _is_damaged(folder: ResultsFolder) -> bool:
    """Whether something in it is not as it was written."""
    try:
        with Store.checked(folder.path) as store:
            return store.damage is not None
    except ConfigError:
        return True


def _summary(folder: ResultsFolder) -> tuple[Fingerprint, ResultsListed]:
    try:
        with _opened(folder) as store:
            game = str(store.meta()["identity"]["game"])
            shown = ResultsListed(
                name=folder.name,
                game=clipped(printable(game), 60),
                title=GAMES[game].title if game in GAMES else None,
                bots=len(store.bots()),
                matches=store.size(),
                planned=store.planned(),
                changed=folder.changed_at,
                running=False,
                problem=None,
            )
    except Refusal as refusal:
        shown = _unreadable(folder.name, str(refusal), folder.changed_at)
    return folder.fingerprint, shown


def _unreadable(name: str, why: str, changed_at: float = 0.0) -> ResultsListed:
    return ResultsListed(name, None, None, 0, 0, 0, changed_at, False, why)


def _match(match: StoredMatch, is_sealed: bool) -> ResultsMatch:
    is_done = match.status == "done"
    return ResultsMatch(
        match_id=match.match_id,
        names=list(match.bots),
        status=match.status,
        ranks=[seat.rank for seat in match.seats] if is_done else None,
        returns=[seat.returns for seat in match.seats] if is_done else None,
        turns=match.turns,
        faults=sum(seat.faults for seat in match.seats),
        sealed=is_sealed,
    )


def _found(store: Store, match_id: str) -> StoredMatch:
    rows = store.rows("SELECT 1 FROM matches WHERE match_id = ?", match_id)
    if not any(rows):
        raise Refusal("not_found", "no match of these results has this id")
    return store.match(match_id)


def _move_s(path: Path) -> float | None:
    """The limit of a move, if the folder's plan says one."""
    try:
        control = control_of(stored_plan(path), connecting=False)
    except (ConfigError, KeyError):  # a folder that no `arena run` wrote has none
        return None
    return control.move_s if control.bank_s is None else None
