"""The digest of a large database at the end of its run: a second tells that nothing has changed since.

To compare the checksums of a million matches takes a quarter of a minute.  That is done where the digest is
of another state, as after a `kill -9`, or was not written.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from arena.strict import read_regular

LARGE_BYTES = 8_000_000
"""About 10,000 matches: smaller ones are compared in less than 0.2 s."""
_SIZE_BYTES = 16


def place_of(path: Path) -> Path:
    """Where the digest of a database is."""
    return path.with_name(f".{path.name}.digest")


def write_digest(path: Path) -> None:
    """Notes the state of a database that nobody has open; where it cannot be noted, it is not."""
    try:
        if path.stat().st_size >= LARGE_BYTES and not _has_more(path):
            place_of(path).write_text(_digest(path))
    except OSError:
        pass


def is_as_written(path: Path) -> bool:
    """Whether a digest says so."""
    try:
        return not _has_more(path) and read_regular(place_of(path), 2 * _SIZE_BYTES).decode() == _digest(path)
    except (OSError, ValueError):
        return False


def _has_more(path: Path) -> bool:
    """Whether SQLite keeps changes beside the file."""
    wal = path.with_name(f"{path.name}-wal")
    return wal.exists() and wal.stat().st_size > 0


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=_SIZE_BYTES)).hexdigest()
