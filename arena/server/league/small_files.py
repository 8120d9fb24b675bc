"""Small files of a server's folder: for its owner alone, and whole whenever their writing is cut off."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import msgspec

from arena.errors import ConfigError, unwritable
from arena.league.league import League
from arena.store.files import made

FORGOTTEN = "forgotten.json"
"""Who was forgotten in which league, so that no backup from before brings them back."""


class Forgotten(msgspec.Struct, frozen=True):
    """An owner who was forgotten."""

    league: str
    league_made_at: float
    owner: str

    def is_of(self, league: League) -> bool:
        """Whether it is of this league, and not of another that was called the same."""
        return (self.league, self.league_made_at) == (league.name, league.made_at)


def put_file(path: Path, octets: bytes) -> None:
    """Writes a small file in place of the one before.  Raises ConfigError, and then that one is as it was."""
    new = made(path.parent) / f"{path.name}.new"
    try:
        with suppress(FileNotFoundError):
            new.unlink()
        with open(os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
            file.write(octets)
            file.flush()
            os.fsync(file.fileno())  # else a power cut may leave an empty file under its name
        new.replace(path)
    except OSError as error:
        raise unwritable(path, error) from None


def forgotten_in(folder: Path) -> list[Forgotten]:
    """Who was forgotten in the leagues of a server's folder; nobody if there is no such file.

    Raises ConfigError if it cannot be read: nobody may come back by that.
    """
    path = folder / FORGOTTEN
    try:
        return msgspec.json.decode(path.read_bytes(), type=list[Forgotten])
    except FileNotFoundError:
        return []
    except (OSError, msgspec.DecodeError) as error:
        why = f"{path} says who was forgotten, and cannot be read: {error}"
        raise ConfigError(f"{why}: put a copy of it back") from error


def note_forgotten(folder: Path, who: Forgotten) -> None:
    """Notes that an owner was forgotten.  Raises ConfigError if it cannot be written."""
    before = forgotten_in(folder)
    if who not in before:
        put_file(folder / FORGOTTEN, msgspec.json.encode([*before, who]))
