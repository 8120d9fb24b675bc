"""Fingerprints of bots' files, which tell whether they have changed, and whether a bot must be built."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from pathlib import Path

from arena.box.places import KEPT_BY_THE_ARENA
from arena.errors import ConfigError
from arena.players.entrant import Entrant
from arena.players.folders import FILES, build_folder
from arena.reading.strict import read_regular
from arena.words import sized

FILES_MAX, FILES_BYTES_MAX = 10_000, 100 << 20
"""All of a bot's files are read for its fingerprint before every run, which must not take minutes."""

BUILT = "built"
"""The file beside the copy in which a bot is built that says that the build is done."""


def fingerprint(entrant: Entrant) -> str:
    """32 hexadecimal digits that change whenever the bot's files or its command do.

    In a folder everything counts except hidden files, `__pycache__`, `build/`, and what the arena keeps
    there: results of runs that were started in it, and a server's data.
    Raises ConfigError if the files cannot be read, or are too many or too large.
    """
    if entrant.files is None and entrant.folder is None:
        return ""
    digest = blake2b(digest_size=16)
    if entrant.files is not None:
        _feed(digest, os.fsencode(entrant.target or entrant.command))
    files = covered_files(entrant)
    try:
        _check_bounds(entrant, files.values())
        for name, path in sorted(files.items()):
            _feed(digest, os.fsencode(name))
            _feed(digest, read_regular(path, FILES_BYTES_MAX))
    except OSError as error:
        raise ConfigError(f"{error.filename}: cannot be read: {error.strerror or error}") from None
    return digest.hexdigest()


def covered_files(entrant: Entrant) -> dict[str, Path]:
    """The files that the entrant's fingerprint covers, by their names in it.

    A link of a submission that leads out of its folder is left out: what it leads to is the host's, and would
    travel to a cluster as the bot's own.  Raises ConfigError if they are too many.
    """
    if entrant.files is not None:
        return {str(place): path for place, path in enumerate(entrant.files)}
    if entrant.folder is None:
        return {}
    files = {name: entrant.folder / name for name in sources(entrant.folder)}
    if not entrant.is_submission:
        return files
    top = entrant.folder.resolve()
    return {name: path for name, path in files.items() if path.resolve().is_relative_to(top)}


def fingerprint_of(contents: Iterable[tuple[str, bytes]]) -> str:
    """32 hexadecimal digits that change whenever one of these contents, or its name, does."""
    digest = blake2b(digest_size=16)
    for name, content in contents:
        _feed(digest, os.fsencode(name))
        _feed(digest, content)
    return digest.hexdigest()


def needs_build(entrant: Entrant) -> bool:
    """Whether the bot must be built first: it never was here, or its files have changed since."""
    return bool(entrant.build) and entrant.folder is not None and not is_built(build_folder(entrant))


def is_built(folder: Path) -> bool:
    """Whether the copy in this folder of a build is ready."""
    return (folder / FILES).is_dir() and (folder / BUILT).is_file()


def sources(folder: Path, *, skipped: Sequence[str] = ("build",)) -> list[str]:
    """The regular files below a folder that a fingerprint may cover, by relative path, sorted.

    Left out are hidden and `skipped` ones, and what the arena keeps there: whoever runs their bot in its own
    folder has results in it.  Raises ConfigError if there are too many.
    """
    found: list[str] = []
    looked, tops = 0, [os.fspath(folder)]
    while tops:
        top = tops.pop()
        # One level at a time: `os.walk` may call itself for each, and a bot can make them a thousand deep.
        _, folders, names = next(os.walk(top), (top, [], []))
        if top != os.fspath(folder) and not KEPT_BY_THE_ARENA.isdisjoint(names):
            continue
        unwanted = skipped if top == os.fspath(folder) else ()
        inner = [os.path.join(top, name) for name in folders if _counts(name) and name not in unwanted]
        tops += [path for path in inner if not os.path.islink(path)]
        paths = (os.path.join(top, name) for name in names if _counts(name))
        # Only regular files: reading a pipe would never end.
        found += [os.path.relpath(path, folder) for path in paths if os.path.isfile(path)]
        looked += 1 + len(names)
        if max(len(found), looked / 10) > FILES_MAX:  # folders and hidden files take their time too
            raise ConfigError(f"{folder}: more than {FILES_MAX:,} files, too many for a bot's folder")
    return sorted(found)


def _counts(name: str) -> bool:
    return not name.startswith(".") and name != "__pycache__"


def _check_bounds(entrant: Entrant, files: Iterable[Path]) -> None:
    if sum(file.stat().st_size for file in files) > FILES_BYTES_MAX:
        raise ConfigError(
            f"{entrant.path}: more than {sized(FILES_BYTES_MAX)} of files, which are all read "
            "before every run; keep large ones in a hidden folder or in build/"
        )


def _feed(digest: blake2b, part: bytes) -> None:
    """Adds a part with its length, so that two different lists of parts never feed the same bytes."""
    digest.update(len(part).to_bytes(8, "big"))
    digest.update(part)
