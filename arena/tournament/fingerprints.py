"""A bot's files: whether they have changed, and whether the bot must be built."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any

import attrs

from arena.errors import ConfigError, unwritable
from arena.players.entrant import Entrant
from arena.strict import read_regular
from arena.words import sized

FILES_MAX, FILES_BYTES_MAX = 10_000, 100 << 20
"""All of a bot's files are read for its fingerprint before every run, which must not take minutes."""

_RECORD_BYTES_MAX = 10_000_000
"""What a build made, by name: some 100 bytes a file."""


def fingerprint(entrant: Entrant) -> str:
    """32 hexadecimal digits that change whenever the bot's files or its command do.

    In a folder everything counts except hidden files, `__pycache__`, `build/`, and what its builds made.
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

    Raises ConfigError if they are too many.
    """
    if entrant.files is not None:
        return {str(place): path for place, path in enumerate(entrant.files)}
    if entrant.folder is None:
        return {}
    made = _built(entrant.folder).get("outputs", ())
    return {name: entrant.folder / name for name in sources(entrant.folder) if name not in made}


def fingerprint_of(contents: Iterable[tuple[str, bytes]]) -> str:
    """32 hexadecimal digits that change whenever one of these contents, or its name, does."""
    digest = blake2b(digest_size=16)
    for name, content in contents:
        _feed(digest, os.fsencode(name))
        _feed(digest, content)
    return digest.hexdigest()


def needs_build(entrant: Entrant) -> bool:
    """Whether the bot must be built first: it never was, it has changed, or its output is gone."""
    if not entrant.build or entrant.folder is None:
        return False
    built = _built(entrant.folder)
    is_there = all((entrant.folder / output).exists() for output in built.get("outputs", ()))
    return not is_there or built.get("fingerprint") != entrant.fingerprint


def snapshot(folder: Path) -> dict[str, tuple[int, int]]:
    """Time and size of each file that a build may make or change, `build/` included; for `made_since`."""
    states = ((name, (folder / name).stat()) for name in _walk(folder, skipped=()))
    return {name: (state.st_mtime_ns, state.st_size) for name, state in states}


def made_since(folder: Path, before: Mapping[str, tuple[int, int]]) -> tuple[str, ...]:
    """The files that are new or changed since the snapshot: what a build has made."""
    return tuple(name for name, state in snapshot(folder).items() if before.get(name) != state)


def mark_built(entrant: Entrant, outputs: Iterable[str]) -> Entrant:
    """Records that the bot is built, and what the build made; gives the entrant with its new fingerprint.

    The fingerprint changes if the build replaced a file that had counted until then.
    Raises ConfigError if the record cannot be written.
    """
    assert entrant.folder is not None, "what is built has a folder"
    folder = entrant.folder
    # An incremental build rewrites little: what earlier builds made is still output.
    kept = {output for output in _built(folder).get("outputs", ()) if (folder / output).exists()}
    record = {"outputs": sorted(kept | set(outputs))}
    _write_built(folder, record)  # first without the fingerprint, which depends on the outputs
    entrant = attrs.evolve(entrant, fingerprint=fingerprint(entrant))
    _write_built(folder, {"fingerprint": entrant.fingerprint, **record})
    return entrant


def sources(folder: Path, *, skipped: Sequence[str] = ("build",)) -> list[str]:
    """The files of a folder that a fingerprint may cover, by relative path, sorted."""
    return _walk(folder, skipped=skipped)


def _walk(folder: Path, *, skipped: Sequence[str]) -> list[str]:
    """The regular files below a folder, by relative path, sorted; without hidden and `skipped` ones.

    Raises ConfigError if there are too many.
    """
    found, looked, tops = [], 0, [os.fspath(folder)]
    while tops:
        top = tops.pop()
        # One level at a time: `os.walk` may call itself for each, and a bot can make them a thousand deep.
        _, folders, names = next(os.walk(top), (top, [], []))
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


def _built(folder: Path) -> dict[str, Any]:
    """What `mark_built` recorded, or nothing: a record that cannot be read only costs another build."""
    try:
        built = json.loads(read_regular(folder / ".arena" / "built", _RECORD_BYTES_MAX))
    except (OSError, ValueError, RecursionError):
        return {}
    outputs = built.get("outputs", []) if isinstance(built, dict) else None
    is_right = isinstance(outputs, list) and all(isinstance(output, str) for output in outputs)
    return built if is_right else {}


def _write_built(folder: Path, record: Mapping[str, object]) -> None:
    """Writes the record whole or not at all, and follows no link: the build may have left one in its way."""
    place, new = folder / ".arena", f"built.{os.getpid()}"
    try:
        place.mkdir(exist_ok=True)
        inside = os.open(place, os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            with suppress(FileNotFoundError):
                os.unlink(new, dir_fd=inside)
            written = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666, dir_fd=inside)
            with open(written, "w", encoding="ascii") as file:
                file.write(json.dumps(record, indent=1) + "\n")
            os.replace(new, "built", src_dir_fd=inside, dst_dir_fd=inside)
        finally:
            os.close(inside)
    except OSError as error:
        raise unwritable(place, error) from error
