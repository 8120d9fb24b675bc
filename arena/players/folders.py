"""The folders that the arena keeps for a bot: the copy in which it is built, and what it writes.

They are in `.arena` in the current folder, where each bot sees only what is its own.
"""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path
from urllib.parse import quote

from arena.players.entrant import Entrant

ARENA_FOLDER = ".arena"
BUILDS, SCRATCHES = "builds", "scratch"
FILES = "files"
"""The name of the copy within the folder of a build."""
_NAME_MAX = 60
_DIGEST_BYTES = 6


def arena_folder(entrant: Entrant) -> Path:
    """The folder in which the arena keeps what belongs to a bot.

    Its path is free of links except in its last part, which a bot's files may have brought along.
    """
    return Path.cwd() / ARENA_FOLDER if entrant.arena_folder is None else entrant.arena_folder


def build_folder(entrant: Entrant) -> Path:
    """The folder of a bot's build for its present files: the copy, and the note that the build is done."""
    assert entrant.folder is not None, "what is built has a folder"
    folder = entrant.folder.resolve()
    digest = _digest(entrant.fingerprint, *entrant.build)
    return arena_folder(entrant) / BUILDS / f"{_named(folder.name, str(folder))}-{digest}"


def working_folder(entrant: Entrant) -> Path:
    """The folder in which a bot runs: its own, or the copy in which it is built."""
    assert entrant.folder is not None, "what is started has a folder"
    return build_folder(entrant) / FILES if entrant.build else entrant.folder.resolve()


def scratch_folder(entrant: Entrant) -> Path:
    """The folder that a bot writes to: one for each bot and name, even if several run in one folder."""
    assert entrant.folder is not None, "what is started has a folder"
    own = (str(entrant.folder.resolve()), *(() if entrant.files is None else map(str, entrant.files)))
    called = entrant.name
    return arena_folder(entrant) / SCRATCHES / _named(called, called, *own)


def _named(name: str, *identity: str) -> str:
    """A name that people recognise, with a digest of what it stands for."""
    return f"{quote(name, safe='')[:_NAME_MAX]}-{_digest(*identity)}"


def _digest(*parts: str) -> str:
    octets = "\0".join(parts).encode("utf-8", "surrogatepass")
    return blake2b(octets, digest_size=_DIGEST_BYTES).hexdigest()
