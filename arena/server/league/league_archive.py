"""A league as a file: all of it at one moment, to be kept, shared, or gone on with on another machine.

A zip of `league.json` (everything but matches and files), `results/arena.db` (the matches) and
`bots/HASH.zip` (what was handed in).  It is written while the server plays; what comes in is believed no more
than what is handed in.
"""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import stat
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, BinaryIO

import attrs
import msgspec

import arena
from arena.errors import ConfigError, unwritable
from arena.games import GAMES
from arena.handin.bounds import RATIO_FREE_BYTES, RATIO_MAX, BadHandIn, HandInLimits
from arena.handin.pack import pack_bot
from arena.handin.paths import Parts
from arena.handin.unpack import unpack_bot
from arena.handin.zips import ZipArchive
from arena.league.league import League
from arena.league.moving import still_forgotten, without_lost, without_people
from arena.league.settings import new_league
from arena.league.storing import NO_FILES, hashes_handed_in
from arena.refusal import Refusal
from arena.server.kept.database import DATABASE, SENTENCES, held_folder, opened_database, transaction
from arena.server.league.league_records import changed_rows, league_of
from arena.server.league.small_files import forgotten_in
from arena.store import Store
from arena.store.files import DATABASE as MATCHES
from arena.store.files import made, open_database, sentences
from arena.tournament.folder.published import remove_private
from arena.tournament.folder.stored import stored_game
from arena.tournament.plan import make_game
from arena.words import printable

FORMAT = 1
"""The version of such files."""
HEAD, RESULTS, BOTS = "league.json", f"results/{MATCHES}", "bots/{}.zip"
HEAD_BYTES_MAX = 256 << 20
"""The longest head: 1,000 owners with 3,000 versions have 2 MB."""
LEAGUES, HAND_INS = "leagues", "bots"
"""Folders of a server: of the leagues' results, and of what was handed in."""
_LIMITS = HandInLimits(archive_mb=200, files_max=10_000)
"""What was handed in where more was allowed."""
_HASH = re.compile(r"[0-9a-f]{64}", re.ASCII)
_MARK = ".importing"
"""A file in a league's results folder until the league is in the database as well."""


class ArchiveHead(msgspec.Struct, frozen=True):
    """Everything about a league but its matches and files."""

    format: int
    arena: str
    has_people: bool
    game_version: int
    league: League


@attrs.frozen
class MovedLeague:
    """What was written to an archive, or taken from it."""

    name: str
    owners: int
    versions: int
    matches: int
    lost: list[str]
    """Versions whose files are not there."""


def export_league(data: Path, name: str, file: Path, *, has_people: bool = True) -> MovedLeague:
    """Writes a league of a server's folder to a new file, as it was at one moment.

    `has_people`: with names, roster, the hashes of tokens, and what was handed in.  Raises ConfigError.
    """
    if os.path.lexists(file):
        raise ConfigError(f"{file} is there already: name a new file")
    with _beside(file) as place, tempfile.TemporaryDirectory(prefix=".export-", dir=place.parent) as work:
        league, matches = _moment(data, name, Path(work, MATCHES))
        if not has_people:
            league = without_people(league)
            remove_private(Path(work))
        version = GAMES[league.settings.game].version
        head = ArchiveHead(FORMAT, arena.__version__, has_people, version, league)
        lost = set[str]()
        with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            archive.writestr(HEAD, msgspec.json.encode(head))
            archive.write(Path(work, MATCHES), RESULTS)
            for hash in sorted(hashes_handed_in(league)) if has_people else ():
                try:
                    with Path(work, "bot").open("w+b") as packed:
                        pack_bot(data / HAND_INS / hash, packed, limits=_LIMITS)
                except BadHandIn:
                    raise
                except ConfigError:  # it is not there any more
                    lost.add(hash)
                else:
                    archive.write(Path(work, "bot"), BOTS.format(hash), zipfile.ZIP_STORED)
    entries = league.entries.values()
    gone = [entry.of(each) for entry in entries for each in entry.versions if each.hash in lost]
    return _told(league, matches, gone)


def import_league(file: Path, data: Path, now: float) -> MovedLeague:
    """Takes a league into the folder of a server that does not run.

    Who was forgotten here stays so; versions whose files are lost are out of play, and their owners are told.
    Raises ConfigError, and then nothing has changed.
    """
    with _opened(file) as archive, held_folder(data) as path, closing(opened_database(path)) as db:
        head = archive.head()
        league = head.league
        home, draft = data / LEAGUES / league.name, data / LEAGUES / f".import-{league.name}"
        _check_free(db, home, league.name)
        shutil.rmtree(draft, ignore_errors=True)
        made(data / LEAGUES)
        made(draft)
        try:
            archive.write(RESULTS, draft / MATCHES)
            matches = _checked_matches(draft, league, file)
            gone = [each.owner for each in forgotten_in(data) if each.is_of(league)]
            league = still_forgotten(league, gone, now)
            league, lost = without_lost(
                league, archive.put_hand_ins(hashes_handed_in(league), data / HAND_INS), now
            )
            _share_as(data / LEAGUES, draft)
            (draft / _MARK).touch()
            with sentences(path, SENTENCES), transaction(db):
                for kind, id, value in changed_rows(None, league):
                    db.execute("INSERT INTO league_rows VALUES (?, ?, ?, ?)", (league.name, kind, id, value))
                shutil.rmtree(home, ignore_errors=True)  # of an import that was killed at the next line
                draft.rename(home)
            (home / _MARK).unlink()
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    return _told(league, matches, lost)


def _told(league: League, matches: int, lost: list[str]) -> MovedLeague:
    owners = sum(owner.forgotten_at is None for owner in league.owners.values())
    versions = sum(len(entry.versions) for entry in league.entries.values())
    return MovedLeague(league.name, owners, versions, matches, lost)


# Writing


def _moment(data: Path, name: str, into: Path) -> tuple[League, int]:
    """The league, and how many matches it has, which are copied to a file: both as they are now.

    Of the matches first, and of the league within a millisecond: what has played is one of its versions.
    """
    server = data / DATABASE
    with sentences(server, SENTENCES), closing(open_database(server, "rw")) as db:
        db.execute("PRAGMA query_only = 1")
        with Store.open(data / LEAGUES / name) as store, store.frozen():
            matches = store.size()
            rows = db.execute("SELECT kind, id, value FROM league_rows WHERE league = ?", (name,)).fetchall()
            league = _league(rows, name, data)
            with closing(sqlite3.connect(into)) as copy:
                store.connection.backup(copy)
    return league, matches


def _league(rows: list[tuple[str, str, bytes]], name: str, data: Path) -> League:
    parts: dict[str, dict[str, bytes]] = {kind: {} for kind in ("head", "owner", "entry", "code", "log")}
    for kind, id, value in rows:
        parts[kind][id] = value
    if not rows:
        raise ConfigError(f"{data} has no league {printable(name)}: name one of those in {data / LEAGUES}")
    try:
        return league_of(parts)
    except (ValueError, KeyError) as error:
        raise ConfigError(f"league {name} cannot be read any more: {error}") from None


@contextmanager
def _beside(file: Path) -> Iterator[Path]:
    """A new place for a file, which gets its name once it is whole."""
    place = file.with_name(f".{file.name}.{os.getpid()}.tmp")
    try:
        os.close(os.open(place, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        yield place
        with place.open("rb") as written:
            os.fsync(written.fileno())
        place.rename(file)
    except OSError as error:
        raise unwritable(file, error) from None
    finally:
        place.unlink(missing_ok=True)


# Reading


@contextmanager
def _opened(file: Path) -> Iterator[_Archive]:
    """An archive.  Raises ConfigError if it is none, or is damaged."""
    try:
        with file.open("rb") as opened:
            yield _Archive(file, opened)
    except BadHandIn as error:
        raise ConfigError(f"{file} is not the archive of a league, or is damaged: {error}") from None
    except OSError as error:
        raise ConfigError(f"{file} cannot be read: {error.strerror or error}") from None


class _Archive:
    """A file that may be a league's archive."""

    def __init__(self, file: Path, opened: BinaryIO) -> None:
        self._file = file
        octets = opened.seek(0, os.SEEK_END)
        self._zip = ZipArchive(opened, octets)
        self._room = RATIO_FREE_BYTES + RATIO_MAX * octets
        for entry in self._zip.entries():
            if entry.wrong or not _is_ours(entry.path):
                raise BadHandIn(entry.wrong or "no part of a league", path=entry.spelled)

    def head(self) -> ArchiveHead:
        """What it says of the league.  Raises ConfigError if it cannot be gone on with here."""
        with tempfile.TemporaryFile() as place:
            self._copy(HEAD, place, HEAD_BYTES_MAX)
            place.seek(0)
            octets = place.read()
        try:
            version = msgspec.json.decode(octets, type=_Format)
            if version.format > FORMAT:
                raise ConfigError(f"{self._file} was written by arena {version.arena}: update this one")
            head = msgspec.json.decode(octets, type=ArchiveHead)
        except msgspec.MsgspecError as error:
            raise BadHandIn(str(error), path=HEAD) from None
        if why := _why_unsound(head.league):
            raise BadHandIn(why, path=HEAD)
        if not head.has_people:
            why = "was made to be shared, without people: unpack it to read its results, or take another one"
            raise ConfigError(f"{self._file} {why}")
        return head

    def write(self, name: str, place: Path) -> None:
        """Writes one of its files."""
        with open(os.open(place, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
            self._copy(name, file, self._room)

    def put_hand_ins(self, hashes: frozenset[str], store: Path) -> frozenset[str]:
        """Unpacks hand-ins, each below its hash; returns those that are there now."""
        wanted = {tuple(BOTS.format(hash).split("/")): hash for hash in hashes}
        there = {hash for hash in hashes if (store / hash).is_dir()}
        for path, pieces in self._zip.contents(wanted.keys()):
            with tempfile.TemporaryFile(dir=made(store)) as packed:
                self._pour(pieces, packed, _LIMITS.archive_bytes_max, "/".join(path))
                if unpack_bot(packed, store, name="bot", limits=_LIMITS).hash == wanted[path]:
                    there.add(wanted[path])
        return frozenset(there)

    def _copy(self, name: str, into: IO[bytes], bytes_max: int) -> None:
        found = False
        for _, pieces in self._zip.contents({tuple(name.split("/"))}):
            found = True
            self._pour(pieces, into, bytes_max, name)
        if not found:
            raise BadHandIn("missing", path=name)

    def _pour(self, pieces: Iterator[bytes], into: IO[bytes], bytes_max: int, name: str) -> None:
        for piece in pieces:
            bytes_max, self._room = bytes_max - len(piece), self._room - len(piece)
            if min(bytes_max, self._room) < 0:
                raise BadHandIn("larger than it can be in a league of this size", path=name)
            into.write(piece)


class _Format(msgspec.Struct):
    format: int
    arena: str = ""


def _is_ours(path: Parts) -> bool:
    name = "/".join(path)
    is_bot = len(path) == 2 and path[0] == "bots" and path[1].endswith(".zip")
    return name in (HEAD, RESULTS) or is_bot


def _share_as(home: Path, draft: Path) -> None:
    """Lets the user who plays leagues write the matches, if that one may write in the folder of all."""
    rights = stat.S_IMODE(home.stat().st_mode)
    draft.chmod(rights)
    (draft / MATCHES).chmod(0o600 | rights & 0o060)


def _check_free(db: sqlite3.Connection, home: Path, name: str) -> None:
    """Raises ConfigError if a league of this name is there."""
    if db.execute("SELECT 1 FROM league_rows WHERE league = ?", (name,)).fetchone():
        raise ConfigError(f"there is a league {name} here already: import this one into another folder")
    if home.exists() and not (home / _MARK).exists():
        raise ConfigError(f"{home} is there, and belongs to no league: move it away")


def _why_unsound(league: League) -> str:
    """Why a league cannot have been written by a server: its names are parts of paths, and of other rows."""
    try:
        new_league(league.settings, "", 0.0)
    except Refusal as refusal:
        return str(refusal)
    versions = [each for entry in league.entries.values() for each in entry.versions]
    if not all(each.hash in NO_FILES or _HASH.fullmatch(each.hash) for each in versions):
        return "a version without files"
    ids = [*((id, "o", each.id) for id, each in league.owners.items())]
    ids += [(id, "b", each.id) for id, each in league.entries.items()]
    if any(id != own or not re.fullmatch(rf"{kind}[1-9][0-9]{{0,8}}", id) for id, kind, own in ids):
        return "an owner or a bot without an id"
    if not {entry.owner for entry in league.entries.values()} <= league.owners.keys():
        return "a bot without an owner"
    return ""


def _checked_matches(folder: Path, league: League, file: Path) -> int:
    """How many matches a league has.  Raises ConfigError if this arena cannot go on with them."""
    game = league.settings.game
    if game not in GAMES:
        raise ConfigError(f"{file} is a league of {printable(game)}, which this arena does not have")
    try:
        with Store.open(folder) as store:
            played, matches = stored_game(store), store.size()
    except ConfigError as error:
        said = str(error).replace(str(folder / MATCHES), "its database").replace(str(folder), "the league")
        raise ConfigError(f"{file} cannot be gone on with: {said}") from None
    if played != make_game(GAMES[game], league.settings.rules):
        raise ConfigError(f"{file} is a league of {game}, and its matches were played by other rules")
    return matches
