"""Verifies that plan, seed and terms of a sealed folder are those that its seal fixed before play."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from arena.errors import ConfigError
from arena.reading.strict import read_regular
from arena.schedule.roster import Roster
from arena.tournament.folder.seal import (
    OPENING_FILE,
    SEAL,
    SEAL_FILE,
    Opening,
    Seal,
    changes_since,
    opening_of,
)
from arena.verify.untruth import Untruth, differs
from arena.words import counted

_FILE_BYTES_MAX = 50_000_000
"""The largest file that is read: a plan names at most some thousand bots."""


def seal_untruths(folder: Path, meta: Mapping[str, Any], published: str) -> Iterator[Untruth]:
    """Where a folder differs from its seal; `published`: the seal as published before play, if known."""
    kept, shown = meta.get(SEAL), _shown_seal(folder)
    if kept is None:
        if published or shown is not None:
            yield Untruth(folder.name, "seal", "none", published or str(shown))
        return
    try:
        seal = Seal(**kept)
        digest = sha256(seal.opening.encode("ascii")).hexdigest()
        opening = opening_of(seal)
    except (ConfigError, TypeError, AttributeError, ValueError) as error:
        yield Untruth("seal", "opening", str(error), "the one that was sealed")
        return
    if seal.sha256 != digest:
        yield differs("seal", "sha256", seal.sha256, digest)
    if published and published != digest:
        yield differs("seal", "sha256", digest, published)
    yield from _of_terms(meta, opening)
    if shown not in (None, digest):
        yield differs(SEAL_FILE, "sha256", shown, digest)
    if (text := _text_of(folder / OPENING_FILE)) not in (None, seal.opening):
        found = sha256(str(text).encode()).hexdigest()
        yield differs(OPENING_FILE, "sha256", found, digest)


def seal_notes(meta: Mapping[str, Any], roster: Roster, matches: int, published: str) -> Iterator[str]:
    """What people should know about a true seal; `matches`: how many the folder holds."""
    if (kept := meta.get(SEAL)) is None:
        return
    seal = Seal(**kept)
    hint = "" if published else "; compare that with the one that was published before play"
    yield f"plan and seed are those of the seal {seal.sha256}{hint}"
    if seal.opened_after is not None and matches > seal.opened_after:
        after = counted(matches - seal.opened_after, "match")
        yield f"{after} may have been played after the seal had been opened"
    for change in changes_since(seal, meta["plan"], roster):
        yield f"since it was sealed: {change}"


def _of_terms(meta: Mapping[str, Any], opening: Opening) -> Iterator[Untruth]:
    """Where the folder's terms differ from those that were sealed."""
    now, then = meta["identity"], {**opening.terms, "seed": opening.seed}
    for key in dict.fromkeys((*then, *now)):
        if now.get(key) != then.get(key):
            yield differs("plan", key, now.get(key), then.get(key))


def _shown_seal(folder: Path) -> str | None:
    """The seal that the folder shows in a file of its own; None if it has none."""
    text = _text_of(folder / SEAL_FILE)
    return None if text is None else text.split(" ")[0]


def _text_of(path: Path) -> str | None:
    """The text of a file; None if there is none.  Bytes that are not ASCII are escaped."""
    try:
        return read_regular(path, _FILE_BYTES_MAX).decode("ascii", "backslashreplace")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror or error}") from None
