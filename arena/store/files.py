"""The files of a results folder: written whole or not at all, with errors told in sentences."""

from __future__ import annotations

import csv
import errno
import json
import os
import re
import shutil
import sqlite3
import stat
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import Any, TextIO, TypeAlias

from arena.errors import ELSEWHERE, START_OVER, ConfigError, DiskFull, Hint, is_full, unwritable
from arena.reading.strict import read_regular
from arena.store.lines import CellsToQuote, TableLines
from arena.store.schema import TABLES, Row

RESULTS = Path("results")
"""Where results folders go by default."""
LATEST = RESULTS / "latest"
"""A link to the results folder of the last run."""
DATABASE, LOCK, STAMP = "arena.db", "arena.lock", ".tables.json"
"""The stamp says for which state of the database the CSVs were written."""
ASIDE = f"{DATABASE}.before"
"""The name that the database of a folder that starts over has until play begins."""
KEPT_BOARD = ".leaderboard.json"
"""What the last leaderboard says, and for which state of the database."""
COLUMNS_FOLDER = ".columns"
"""The folder in which `arena.store.kept` keeps columns and lines of large databases."""
_STAMP_BYTES_MAX = 100_000
TABLE_FILES = tuple(f"{name}.csv" for name in (*TABLES, "series", "head_to_head", "leaderboard"))
"""All tables that an export writes; `arena.analysis` makes the last three."""
BUSY_S = 5.0
"""How long another program may hold the database before we give up."""

Table: TypeAlias = tuple[Sequence[str], Iterable[Row]]
"""A header and its rows."""


def erase(folder: str | Path) -> None:
    """Removes the database and the exported tables of a folder that starts over, and nothing else."""
    names = (DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm", STAMP, KEPT_BOARD, *TABLE_FILES)
    columns = Path(folder) / COLUMNS_FOLDER
    for path in (*(Path(folder) / name for name in names), *columns.glob("*")):
        with sentences(path):
            path.unlink(missing_ok=True)
    with suppress(OSError):  # it does not exist, or holds files that are not ours
        columns.rmdir()


def write_tables(
    folder: str | Path,
    tables: Mapping[str, Table],
    *,
    mark: str | None = None,
    maker: str = "",
    always: Collection[str] = (),
    aside: Mapping[str, Callable[[], bool]] = MappingProxyType({}),
) -> None:
    """Writes each table as `<name>.csv`; if one cannot be written, writes none.

    `mark`: the state the tables are made from.  If given, and all tables exist just as they were written for
    it, they are left alone, except those named in `always`.
    `maker`: which version of the arena makes them; others may make different tables of the same state.
    `aside`: tables that another process may have written to their temporary places, each with a function that
    waits for it and says whether it is there.  They come last, to leave that process the most time.
    """
    folder = Path(folder)
    kept = [name for name in tables if name not in always]
    if is_written(folder, mark, kept, maker):
        tables = {name: tables[name] for name in tables if name in always}
    with _written_together(folder) as placed:
        for name in sorted(tables, key=aside.__contains__):
            place = placed(f"{name}.csv")
            if name not in aside or not aside[name]():
                write_table(place, tables[name])
    if mark is not None:
        write_text(folder / STAMP, json.dumps(_stamp(folder, mark, kept, maker)))


def write_table(place: Path, table: Table) -> None:
    """Writes a CSV and syncs it to the disk."""
    header, rows = table
    with place.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        try:
            if isinstance(rows, TableLines):
                file.writelines(rows.texts())
            else:
                writer.writerows(rows)
        except CellsToQuote:
            file.seek(0)
            file.truncate()
            writer.writerow(header)
            writer.writerows(rows)
        _settle(file)


def is_written(folder: Path, mark: str | None, names: Iterable[str], maker: str = "") -> bool:
    """Whether the CSVs of these tables exist just as this maker wrote them for the mark."""
    return mark is not None and _stamp(folder, mark, names, maker) == _stamp_in(folder)


def stamped_mark(folder: Path) -> str | None:
    """The state of the database for which the CSVs were written; None if that is not known."""
    return _stamped(folder, "mark")


def stamped_maker(folder: Path) -> str | None:
    """Who wrote the CSVs; None if that is not known."""
    return _stamped(folder, "maker")


def _stamped(folder: Path, key: str) -> str | None:
    stamp = _stamp_in(folder)
    value = stamp.get(key) if isinstance(stamp, dict) else None
    return value if isinstance(value, str) else None


def _stamp(folder: Path, mark: str, names: Iterable[str], maker: str) -> dict[str, Any]:
    """The stamp for the CSVs as they are now: for which mark they were written, by whom, and their sizes."""
    return {"mark": mark, "maker": maker, "files": sizes_and_times(folder, names)}


def sizes_and_times(folder: Path, names: Iterable[str]) -> dict[str, list[int]]:
    """Size and time of change of each CSV of these tables, which tell whether it was written since."""
    paths = [folder / f"{name}.csv" for name in names]
    with sentences(folder):
        found = {path.name: path.stat() for path in paths if path.is_file()}
    return {name: [is_now.st_size, is_now.st_mtime_ns] for name, is_now in found.items()}


def _stamp_in(folder: Path) -> Any:
    """The stamp of the last export; None if it is missing or is not a stamp."""
    try:
        return json.loads(read_regular(folder / STAMP, _STAMP_BYTES_MAX))
    except (OSError, ValueError, RecursionError):
        return None


def write_text(path: str | Path, text: str) -> None:
    """Writes a small file, such as `run.json`."""
    path = Path(path)
    with (
        _written_together(path.parent) as placed,
        placed(path.name).open("w", encoding="utf-8") as file,
    ):
        file.write(text)
        _settle(file)


@contextmanager
def _written_together(folder: Path) -> Iterator[Callable[[str], Path]]:
    """Yields a function that names a file's temporary place; at the end all files are moved, or dropped."""
    places: dict[Path, Path] = {}

    def placed(name: str) -> Path:
        return places.setdefault(folder / name, draft_path(folder, name, os.getpid()))

    with sentences(folder):
        try:
            yield placed
            for home, place in places.items():
                place.replace(home)
        except OSError as error:
            homes = {str(place): str(home) for home, place in places.items()}
            error.filename = homes.get(str(error.filename), error.filename)  # the name that the user knows
            raise
        finally:
            for place in places.values():
                with suppress(OSError):  # on a disk that cannot be written, even a missing file raises
                    place.unlink(missing_ok=True)


def draft_path(folder: Path, name: str, process: int) -> Path:
    """Where a file lies while a process writes it."""
    return folder / f".{name}.{process}.tmp"


_TEMPORARY = re.compile(r"\..+\.(?:csv|json|jsonl|html)\.([0-9]{1,9})\.tmp", re.ASCII)


def sweep(folder: Path) -> None:
    """Removes temporary files left in a folder by processes that were killed while they wrote."""
    with sentences(folder):
        for path in folder.glob(".*.tmp"):
            writer = _TEMPORARY.fullmatch(path.name)
            if writer is not None and not _is_alive(int(writer[1])):
                path.unlink(missing_ok=True)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return True


def _settle(file: TextIO) -> None:
    file.flush()
    os.fsync(file.fileno())  # else a power cut may leave an empty file under the final name


def open_database(path: Path, mode: str) -> sqlite3.Connection:
    """Connects to a database in one of SQLite's URI modes."""
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}",
        uri=True,
        timeout=BUSY_S,
        isolation_level=None,  # transactions are ours to begin
        check_same_thread=False,  # a run writes from worker threads, one at a time
    )


def made(folder: Path) -> Path:
    """The folder; if missing, it is created for its owner alone, because seeds will be in it."""
    with sentences(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        make_private_folder(folder)
    return folder


def make_private_folder(folder: Path) -> None:
    """Makes a folder for its owner alone, and for the group with which the one above it is shared."""
    if not folder.is_dir():
        folder.mkdir(mode=0o700)
        if is_shared(folder.parent):
            folder.chmod(0o2770)


def is_shared(folder: Path) -> bool:
    """Whether what lies in a folder is also its group's, as a league's that another user plays."""
    return bool(folder.stat().st_mode & stat.S_ISGID)


def made_new(folder: Path) -> Path:
    """Creates a folder with this name, or with the first of `<name>-2`, `<name>-3` and so on that is free."""
    with sentences(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        for number in count(1):
            place = folder if number == 1 else folder.with_name(f"{folder.name}-{number}")
            with suppress(FileExistsError):
                place.mkdir(mode=0o700)  # succeeds in one process only, however many try
                return place
    raise AssertionError("some number is free")


def results_beside(folder: Path) -> tuple[Path, ...]:
    """The results folders that no bot of this run may see: its own, and `results/` with earlier ones.

    A folder called `results` that holds none of the arena's results is the user's own, and is left out.
    """
    home = RESULTS.resolve()
    is_ours = home in folder.resolve().parents or LATEST.is_symlink() or any(home.glob(f"*/{DATABASE}"))
    return (home, folder.resolve()) if is_ours else (folder.resolve(),)


def touch(path: Path) -> None:
    """Makes an empty file, private as `make_private` says; SQLite makes the files beside it alike."""
    with suppress(FileExistsError):  # else we would open it, and closing it would end SQLite's locks on it
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600))
        make_private(path)


def make_private(path: Path) -> None:
    """Lets only its owner read a file, if that is us; and the group with which its folder is shared."""
    with suppress(OSError):
        path.chmod(0o660 if is_shared(path.parent) else 0o600)


SHARED_BYTES = 1 << 15
"""The size of the index of SQLite's log, which it shares with other processes."""
_SQL_SENTENCES = {
    sqlite3.SQLITE_FULL: "the disk is full: {path} is as it was; make room",
    sqlite3.SQLITE_READONLY: "{path} cannot be written",
    sqlite3.SQLITE_CANTOPEN: "{path} cannot be opened: check that its folder can be read and written",
    sqlite3.SQLITE_PERM: "{path} may not be opened: check its permissions",
    sqlite3.SQLITE_NOTADB: "{path} is not a database, or only half of one",
    sqlite3.SQLITE_CORRUPT: "{path} is damaged",
    sqlite3.SQLITE_BUSY: "{path} is locked by another program: wait for it",
    sqlite3.SQLITE_LOCKED: "{path} is locked by another program: wait for it",
    sqlite3.SQLITE_IOERR: "{path} cannot be read or written: the disk reports an error",
    sqlite3.SQLITE_TOOBIG: "{path} holds a value larger than any run writes: ask for the folder again",
    sqlite3.SQLITE_INTERRUPT: "{path} takes longer to read than any of its size: ask for the folder again",
}
_WAYS_OUT = {
    sqlite3.SQLITE_FULL: (Hint("resume", "continues", "DIR"),),
    sqlite3.SQLITE_READONLY: (ELSEWHERE,),
    sqlite3.SQLITE_NOTADB: (START_OVER,),
    sqlite3.SQLITE_CORRUPT: (START_OVER,),
}
"""What can be done about some of these errors, if the file is a results folder's."""


DATABASE_ERRORS = (sqlite3.Error, UnicodeDecodeError)
"""What reading a database may raise; the second if SQLite's own message repeats a damaged name."""


_DAMAGE_WITHOUT_CODE = ("Could not decode to UTF-8", "unsupported file format")
"""How messages of damage without a code begin: of a damaged text (Python's), and of a header (SQLite's)."""


def code_of(error: BaseException | None) -> int:
    """SQLite's primary result code of an error; 0 if SQLite was not to blame."""
    if isinstance(error, UnicodeDecodeError) or str(error).startswith(_DAMAGE_WITHOUT_CODE):
        return sqlite3.SQLITE_CORRUPT
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


@contextmanager
def sentences(path: Path, of_sqlite: Mapping[int, str] = _SQL_SENTENCES) -> Iterator[None]:
    """Turns errors that the user can fix into ConfigErrors; others are our mistake and pass through.

    `of_sqlite`: result code -> sentence with `{path}`; the default ones are for results folders.
    """
    try:
        yield
    except DATABASE_ERRORS as error:
        code = code_of(error)
        if code == sqlite3.SQLITE_IOERR and _has_no_room(path):
            code = sqlite3.SQLITE_FULL
        if sentence := of_sqlite.get(code):
            mistake = DiskFull if code == sqlite3.SQLITE_FULL else ConfigError
            hints = _WAYS_OUT.get(code, ()) if of_sqlite is _SQL_SENTENCES else ()
            raise mistake(sentence.format(path=path), hints=hints) from error
        raise
    except OSError as error:
        where = error.filename or path
        if is_full(error):
            raise unwritable(where, error) from error
        what = (error.strerror or str(error)).lower()
        if error.errno == errno.ENOENT and isinstance(where, str) and not Path(where).parent.is_dir():
            what = f"there is no folder {Path(where).parent}"
        if error.errno in (errno.EEXIST, errno.ENOTDIR) and os.path.isfile(where):
            what = "it is a file, expected a folder"
        raise ConfigError(f"{where} cannot be written: {what}") from error


def _has_no_room(path: Path) -> bool:
    """Whether the disk has less room than SQLite's shared index needs, which SQLite calls a disk error."""
    try:
        return shutil.disk_usage(path.parent).free < SHARED_BYTES
    except OSError:
        return False
