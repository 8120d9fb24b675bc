"""Keeps a digest of a large database at the end of its run, which shows in a second that nothing has changed.

Comparing the checksums of a million matches takes a quarter of a minute.  That is done only if there is no
digest, or it is of another state, as after a `kill -9`.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from arena.reading.strict import read_regular

LARGE_BYTES = 8_000_000
"""The least size that gets a digest, about 10,000 matches: smaller databases are compared in 0.2 s."""
_SIZE_BYTES = 16


def digest_path(path: Path) -> Path:
    """The path of a database's digest."""
    return path.with_name(f".{path.name}.digest")


def write_digest(path: Path) -> None:
    """Writes the digest of a large database that nobody has open, if the disk lets us."""
    try:
        if path.stat().st_size >= LARGE_BYTES and not _has_more(path):
            digest_path(path).write_text(_digest(path))
    except OSError:
        pass


def written_digest(path: Path) -> str:
    """The digest of a database that is as it was written; empty if that is not known."""
    try:
        noted = read_regular(digest_path(path), 2 * _SIZE_BYTES).decode()
        return noted if not _has_more(path) and noted == _digest(path) else ""
    except (OSError, ValueError):
        return ""


def file_state(path: Path) -> tuple[int, ...] | None:
    """What changes when a database is written; None if SQLite keeps changes beside it."""
    now = path.stat()
    return None if _has_more(path) else (now.st_ino, now.st_size, now.st_mtime_ns)


def _has_more(path: Path) -> bool:
    """Whether SQLite keeps changes beside the file."""
    wal = path.with_name(f"{path.name}-wal")
    return wal.exists() and wal.stat().st_size > 0


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=_SIZE_BYTES)).hexdigest()
