"""Ranges of matches: files of each are kept beside a large database.

They are ranges of the numbers under which matches are stored.  A file begins with a hash of what follows, so
that a damaged one is not used; its reader checks by `sums_of` whether it is of the matches stored now.
"""

from __future__ import annotations

import os
from contextlib import suppress
from hashlib import blake2b

from arena.reading.strict import read_regular
from arena.store.database import Database
from arena.store.files import COLUMNS_FOLDER, draft_path, make_private_folder
from arena.store.schema import Row

SIZE = 2_000
"""How many matches a range has.  To keep it, a run reads them again: some hundredths of a second."""
BYTES_MAX = 1 << 28
"""The largest file, enough for 30,000 decisions a match.  A larger range is read from the database."""
_HASH_BYTES = 16


def numbers_of(place: int) -> tuple[int, int]:
    """The first and the last number of a range."""
    return place * SIZE + 1, (place + 1) * SIZE


def whole_ranges(store: Database) -> int:
    """How many ranges are full, so that no match will be added to them."""
    ((last,),) = store.rows("SELECT COALESCE(MAX(number), 0) FROM matches")
    return int(last) // SIZE


def is_keepable(store: Database) -> bool:
    """Whether anything may be kept: nothing of a damaged database is."""
    return store.damage is None


def sums_of(store: Database, place: int) -> list[Row]:
    """(number, checksum) of each match of a range, by which we know that they are the same matches."""
    sums = "SELECT number, checksum FROM matches WHERE number BETWEEN ? AND ? ORDER BY number"
    return list(store.rows(sums, *numbers_of(place)))


def hashed(octets: bytes) -> bytes:
    """A hash of these bytes."""
    return blake2b(octets, digest_size=_HASH_BYTES).digest()


def kept_octets(store: Database, name: str) -> bytes | None:
    """The bytes kept under this name; None if there are none, or they are not as they were written."""
    try:
        octets = read_regular(store.folder / COLUMNS_FOLDER / name, BYTES_MAX)
    except (OSError, ValueError):
        return None
    return octets[_HASH_BYTES:] if octets[:_HASH_BYTES] == hashed(octets[_HASH_BYTES:]) else None


def keep_octets(store: Database, name: str, octets: bytes) -> None:
    """Keeps bytes under a name, whole or not at all, if there is room and the folder may be written."""
    folder = store.folder / COLUMNS_FOLDER
    draft = draft_path(folder, name, os.getpid())
    if len(octets) + _HASH_BYTES > BYTES_MAX:
        return
    with suppress(OSError):
        make_private_folder(folder)
        try:
            draft.write_bytes(hashed(octets) + octets)
            draft.replace(folder / name)
        finally:
            draft.unlink(missing_ok=True)
