"""Who was forgotten in which league, in a file of its own: an older copy of all else brings nobody back.

It is written first: a server that ends before the rest is done does it at its next start.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from arena.errors import ConfigError
from arena.league.league import League
from arena.server.kept.keeping import not_kept
from arena.store.files import made, write_text

FILE = "forgotten.json"
"""The file in the server's folder: a league, and when it was made -> the ids of owners."""


class Forgotten:
    """The tombstones of a server's leagues."""

    def __init__(self, folder: Path) -> None:
        """Raises ConfigError if the file that is there cannot be read: nobody may come back by that."""
        self._path = folder / FILE
        self._owners: Mapping[str, tuple[str, ...]] = _read(self._path)

    def of(self, league: League) -> tuple[str, ...]:
        """The ids of the owners who were forgotten."""
        return self._owners.get(_key(league), ())

    def note(self, league: League, owner: str) -> None:
        """Has an owner be forgotten from now on, whatever happens next.  Raises Refusal if the disk fails."""
        if owner in self.of(league):
            return
        owners = {**self._owners, _key(league): (*self.of(league), owner)}
        try:
            made(self._path.parent)
            write_text(self._path, msgspec.json.encode(owners).decode())
        except (ConfigError, OSError):
            raise not_kept() from None
        self._owners = owners


def _key(league: League) -> str:
    """What tells a league from another one that is called the same later."""
    return f"{league.name} {league.made_at!r}"


def _read(path: Path) -> Mapping[str, tuple[str, ...]]:
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, tuple[str, ...]])
    except FileNotFoundError:
        return {}
    except (OSError, msgspec.DecodeError) as error:
        why = f"{path} cannot be read ({error}), and says who was forgotten: put back a copy of it"
        raise ConfigError(why) from error
